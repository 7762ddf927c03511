/* SPDX-License-Identifier: Apache-2.0
 * constraints/project.h - back to the constraints by the least change, in whatever coordinates.
 *
 *   positions   q moves by x, J x = -Phi, until |Phi| <= tol                             (E1)
 *   velocities  v += x, J x = -(J v + Phi_t)                                             (E2)
 * x the least in the metric of the formulation, which solves for it. For drift, which is small;
 * cardan_assemble closes what is far off, or of lost rank. */
#pragma once
#include <math.h>

#include "cardan/model.h"

/* How far a loop may open before a motion is none of the mechanism's any more [m or rad]. Rows that
 * follow from others get no force of their own: what the digits of a file make of them, some 1e-7
 * or some times what they leave of the start, stays open, and more than that means that they were
 * not redundant. So does what is redundant to within the digits, as the mechanism moves away from
 * where it was drawn. Methods that hold every row leave 1e-12. */
static inline double cardan__loop_tolerance(const cardan_model *model)
{
  const double digits = model->near > 0.0 ? 10.0 * model->closing : 0.0;
  return fmax(1e-6 * (1.0 + model->size_length), fmax(30.0 * model->open, digits));
}

/* A formulation's rows, and its solver. Calls work on one right-hand side and one x of its own. */
typedef struct {
  void *self;
  int most;             // iterations: drift takes 1 or 2, each gains several digits
  int more;             // iterations when there is nothing but rounding left to gain
  double tol;           // largest violation that is left [m or rad]
  double contradiction; // the same of rows that contradict one another, as redundant ones may to
                        // within the digits of a file; 0: there are none
  /* Places the configuration; Phi is the right-hand side. Returns the largest |Phi| of the rows
   * that count, NaN when one is not a number; *row says which. */
  double (*violation)(void *self, int *row);
  /* J at the configuration placed last, factored; rates: with the rows of velocity level, which
   * hold no position. */
  cardan_status (*factor)(void *self, bool rates);
  /* J v + Phi_t is the right-hand side. */
  void (*rates)(void *self);
  /* x for the right-hand side; returns its largest turn [rad] or slide [sizes of the mechanism]. */
  double (*solve)(void *self);
  /* The configuration moves by part times x; velocities by x. */
  void (*move)(void *self, double part);
  void (*kick)(void *self);
} cardan__projection;

/* Where a projection ended. */
typedef struct {
  int row; // of the largest violation, -1: not looked at
  double violation;
  int iterations;
  bool contradiction; // rows that contradict one another are what remains
} cardan__projected;

/* (E1), then (E2). returns CARDAN_ERR_NO_CONVERGENCE, or what factor does */
cardan_status cardan__project_with(const cardan__projection *p,
                                   cardan__projected *end) CARDAN_MUST_USE;

/* (E2) alone, at the configuration placed last. */
cardan_status cardan__project_rates(const cardan__projection *p) CARDAN_MUST_USE;
