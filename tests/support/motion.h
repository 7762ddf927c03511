/* SPDX-License-Identifier: Apache-2.0
 * motion.h - runs of models with method vi, for the tests of whole motions. */
#pragma once
#include "cardan/cardan.h"
#include "support.h"

typedef struct {
  cardan_model *model;
  cardan_sim *sim;
} motion;

/* Options of method vi, or of aba with its integrator when method is "aba:rk4". */
cardan_options motion_options(const char *method, double dt);

/* A built-in model, or a model text when name starts with "(". set: "NAME=VALUE" or NULL. Not
 * started. */
motion motion_load(const char *name, const char *set, const cardan_options *options);
void motion_start(motion *m);
void motion_steps(motion *m, int n);
void motion_free(motion *m);
cardan_data *motion_data(motion *m);
double motion_energy(motion *m);

/* q at time T after so many steps; out: nq. */
void motion_end(const char *name, const char *set, const cardan_options *options, double T,
                int steps, double *q);
