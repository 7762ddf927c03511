/* SPDX-License-Identifier: Apache-2.0
 * reproduce/fang_newton.h - the iteration of Fang et al. as their program does it, to count as they
 * count. */
#pragma once
#include "reproduce/paper.h"

/* Where a step starts from: x = h v_n + h^2 a with a of the step before; the same with gyroscopic
 * torques of the wrong sign in a, as in their half-implicit program; x = h v_n alone. */
typedef enum {
  CARDAN__GUESS_ACCELERATION,
  CARDAN__GUESS_PROGRAM,
  CARDAN__GUESS_VELOCITY
} cardan__guess;

typedef struct {
  const char *model;
  bool fully;
  double h, time; // [s]
  double tol;     // of |(dx, dl)|_2; fully: of |(dx, dl)|_2 / h^2, accelerations and multipliers
  cardan__guess guess;
  bool without_multipliers; // the norm is |dx|_2 alone
} cardan__newton;

/* Mean number of iterations of a step, the one that finds the correction small included; of all
 * nodes, of which the first has none.
 * from, to: the part of the job's work that this is */
cardan_status cardan__newton_count(cardan__job *job, const cardan__newton *how, double from,
                                   double to, double *mean) CARDAN_MUST_USE;
