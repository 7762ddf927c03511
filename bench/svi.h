/* SPDX-License-Identifier: Apache-2.0
 * svi.h - what the parts of the svi bench share. */
#pragma once
#include "cardan/cardan.h"

typedef struct {
  cardan_model *model;
  cardan_sim *sim;
} bench_run;

double bench_now(void); // processor time [s]

/* A run, started; options are words such as "method=svi eval=tree no-cache". Ends the program when
 * it cannot. */
bench_run bench_start(const char *model, const char *options, double dt);
void bench_end(bench_run *r);

/* Seconds of a step, the mean over the first `steps` steps, each at its best in `runs` >= 3 runs.
 * */
double bench_step_time(const char *model, const char *options, double dt, int steps, int runs);

/* Section VI-B, VI-C and Fig. 1 (svi_motions.c). */
void bench_closed(void);
void bench_scissor(void);
void bench_survive(void);
void bench_energy(void);
void bench_ode(void); // svi_ode.c where the library is installed, else svi_ode_none.c
