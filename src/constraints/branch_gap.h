/* SPDX-License-Identifier: Apache-2.0
 * constraints/branch_gap.h - does a step leap over a gap that the mechanism cannot cross?
 *
 * Where branches of a mechanism's positions cross, rows lose rank, and inertia carries it straight
 * on. When the dimensions miss such a position by a little, the branches do not meet: each turns
 * off into the other's direction. A step that is longer than the place is wide sees nothing of
 * this. It ends on the far side, loops closed, energy right, and it is no motion of the mechanism.
 *
 * The size of the gap is what stays open there: with u the combination of rows that is lost, the
 * value of u . Phi where all others are closed. Lengths of a four-bar that miss the flat position
 * by e leave a gap of e to first order. */
#pragma once
#include "cardan/data.h"

typedef struct cardan__branch_gap cardan__branch_gap; // work space; made once

typedef struct {
  double at;       // part of the step at which the rows are lost
  double size;     // of the gap [m or rad, as the row is]
  double resolves; // about the part of the step's length with which steps would see it
  int row;         // of the model: that has the largest share in what is lost
} cardan__branch_gap_found;

/* returns CARDAN_ERR_MEMORY; *out is NULL, and nothing to be looked at, where there are no rows, or
 * too many of them for dense matrices */
cardan_status cardan__branch_gap_create(const cardan_model *model,
                                        const cardan_allocator *allocator,
                                        cardan__branch_gap **out) CARDAN_MUST_USE;
void cardan__branch_gap_destroy(cardan__branch_gap *gap); // NULL is fine

/* Is the step from q (nq) at t to q moved by x (nv) at t_end, with loops closed at both ends, a
 * leap over a gap? found: out, which it is; spoilt where it is none. Positions where branches truly
 * cross, to 1e-10 (1 + size of the mechanism) or what contradicting data leave, are none, nor are
 * turns of less than half a circle. A question for steps that end near a singular position: it
 * costs as much as many of them. Allocates nothing; all is in the work space. */
bool cardan__branch_gap_jumped(cardan__branch_gap *gap, double t, const double *q, double t_end,
                               const double *x, cardan__branch_gap_found *found);

/* What there is to say of a step of length h from t, to info; it is all where parts of the step
 * would not do either. returns CARDAN_ERR_NO_ROOT */
cardan_status cardan__branch_gap_describe(const cardan_model *model,
                                          const cardan__branch_gap_found *found, double t, double h,
                                          cardan_info *info) CARDAN_MUST_USE;
