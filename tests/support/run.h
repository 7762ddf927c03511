/* SPDX-License-Identifier: Apache-2.0
 * run.h - runs of models, for the tests of whole motions. */
#pragma once
#include <stdint.h>

#include "cardan/cardan.h"
#include "fixture.h"

typedef struct {
  cardan_model *model;
  cardan_sim *sim;
  cardan_data *data;
} run;

/* Every method, with every integrator where there is a choice, as run_options takes it; NULL after
 * the last. The text is there until the next call. */
const char *run_method(int i);

/* Options of a method, "aba:rk4" for one with its integrator, step and time (0: no end in sight);
 * tolerances of adaptive integrators 1e-12 relative, 1e-13 absolute. */
cardan_options run_options(const char *method, double dt, double time);

/* Makes a run, not yet started, of a model as load_model takes it. */
run run_load(const char *model, const char *setting, const cardan_options *options);
void run_start(run *r);
/* n steps. */
void run_steps(run *r, int n);
void run_free(run *r);

/* Loads and starts; and goes to the end. */
run run_begin(const char *model, const char *setting, const cardan_options *options);
run run_whole(const char *model, const char *setting, const cardan_options *options);
/* q at time T after so many steps; out: nq. */
void run_end(const char *model, const char *setting, const cardan_options *options, double T,
             int steps, double *q);

/* Value of a coordinate or velocity by name, of any column of the table. */
double run_q(const run *r, const char *name);
double run_v(const run *r, const char *name);
double run_column(run *r, int add, const char *name);
double run_energy(const run *r);

/* A number made of every bit of every row (all columns but estimated errors) of the first steps of
 * a motion: FNV-1a. Returns what failed; may be called in any thread. */
cardan_status run_hash(const cardan_model *model, const cardan_options *options, int steps,
                       uint64_t *hash);
