/* SPDX-License-Identifier: Apache-2.0
 * lift.h - the scissor lift, whose long steps have a fold where its bars coincide, and motions
 * there and back. */
#pragma once
#include "run.h"

/* Largest difference of any coordinate of scissor:rows to the branch on which it is one degree of
 * freedom. */
double lift_off_branch(const run *r, int rows);

typedef struct {
  double energy;     // largest error, of the largest kinetic energy
  double off_branch; // largest
  int64_t parted;
} lift_figures;

/* So many steps of "scissor:N"; and a line about them. */
lift_figures lift_run(const char *model, const cardan_options *options, int steps);
void lift_print(const char *model, const cardan_options *options, const lift_figures *f);

/* So many steps from a model's start, and as many back with the velocities turned: how far from the
 * start it ends, and the steps in parts of both ways. */
double lift_there_and_back(const char *model, const cardan_options *options, int steps,
                           int64_t parted[2]);
