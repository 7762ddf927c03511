/* SPDX-License-Identifier: Apache-2.0
 * physics.h - runs of built-in models for the tests of whole motions. */
#pragma once
#include "cardan/cardan.h"
#include "support.h"

typedef struct {
  cardan_model *model;
  cardan_sim *sim;
  cardan_data *data;
} run;

/* Options of method aba with this integrator, step and time; tolerances 1e-12. */
cardan_options run_options(const char *integrator, double dt, double time);

/* Loads a built-in model with up to one setting ("NAME=VALUE" or NULL) and makes a run of it, not
 * yet started. Fails the test with the report's sentence when it cannot. */
run run_load(const char *model, const char *setting, const cardan_options *options);
void run_start(run *r);
/* n steps. */
void run_steps(run *r, int n);
void run_free(run *r);

/* Loads, starts and goes to the end. */
run run_whole(const char *model, const char *setting, const cardan_options *options);

/* Value of a coordinate or velocity by name. */
double run_q(const run *r, const char *name);
double run_v(const run *r, const char *name);
double run_energy(const run *r);
