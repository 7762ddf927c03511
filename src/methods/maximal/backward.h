/* SPDX-License-Identifier: Apache-2.0
 * methods/maximal/backward.h - Newton's iteration of a step whose forces and rows are those of its
 * end, with all their derivatives (backward.c). */
#pragma once
#include "methods/maximal/stepper.h"

typedef struct {
  cardan__mx_stepper *s;
  void *self;
  // At the trial, whose violations are known: J to mx->J, and minus the residual of the equations
  // of motion to dx, for part of the momentum; factor: with the factors of [M J^T; J 0]
  cardan_status (*evaluate)(void *self, bool factor);
  // memory and scratch of backward.c
  void *block;
  double h, t, part;      // the step and its end; part of its momentum and forces that acts
  double wide;            // of the law of joint friction at that: how many times its vs
  double mass;            // of a body, in the mean: what makes multipliers displacements [kg]
  double *J;              // nentry x dof: rows that are not P's
  double *residual, *phi; // nx, neq: at x
  double *kept;           // nx: x
  double *start, *way;    // nx + neq: where the last correction began, and it
  double *branch;         // nx + neq: the last point of the root that is followed
  double *b, *z, *krylov; // of GMRES
} cardan__mx_backward;

/* Memory; s is set. returns CARDAN_ERR_MEMORY */
cardan_status cardan__mx_backward_open(cardan__mx_backward *w) CARDAN_MUST_USE;
void cardan__mx_backward_close(cardan__mx_backward *w);

/* x and l (s->lambda) of the step of length h, and cfg_try there. A failure is in data->info: which
 * equation stays open. */
cardan_status cardan__mx_backward_solve(cardan__mx_backward *w, cardan_data *data,
                                        double h) CARDAN_MUST_USE;
