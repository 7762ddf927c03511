/* SPDX-License-Identifier: Apache-2.0
 * bench/contact.h - what the timed programs of contact share. What goes wrong ends the program. */
#pragma once
#include "cardan/cardan.h"

double contact_now(void); // [s]
void contact_stop(const char *what, const char *message);

/* A model by name or file, with a constant set (setting NULL: none); from a text. */
cardan_model *contact_load(const char *name, const char *setting, double value);
cardan_model *contact_text(const char *text, const char *file);

cardan_options contact_options(double dt);
cardan_sim *contact_begin(const cardan_model *model, const cardan_options *options);
void contact_steps(cardan_sim *sim, int n);

/* Seconds of a step, mean over `steps` after `before` of them, pieces at their best of 7 runs;
 * counters of one run. */
typedef struct {
  double seconds;
  cardan_contact_stats stats;
} contact_cost;
contact_cost contact_time(const cardan_model *model, const cardan_options *options, int before,
                          int steps);

/* Both programs on the same things; file: an MJCF robot to time in place of them, or NULL. */
void contact_mujoco(const char *file);
