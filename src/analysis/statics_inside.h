/* SPDX-License-Identifier: Apache-2.0
 * analysis/statics_inside.h - a mechanism at rest: forces and rows at a place, its stiffness, steps
 * from it.
 *
 *   statics_place.c   places: rows, forces, energy; moving along the constraints
 *   statics_forces.c  how large the forces are that balance
 *   statics_slope.c   what remains of the forces along the free directions, and its slope
 *   statics_rolling.c rows of velocity level
 *   statics_step.c    the step that lowers the energy within a trust region
 *   statics.c      the search; statics_result.c  its result and messages; friction.c friction in it
 *
 * All dense, over the n velocities that are free to move. Lengths of steps are measured by D,
 * D = M / mass + eps size^2 (angles), + eps (lengths): a metre of all mass is 1, and massless parts
 * count a little. z = L^T dq, D = L L^T, makes it Euclidean.                            (R1) */
#pragma once
#include "base/arena.h"
#include "cardan/statics.h"
#include "constraints/rows.h"
#include "dynamics/row_slopes.h"

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  double size;   // of the mechanism, for lengths [m]
  bool driven;   // some forces have no potential
  bool *locked;  // nv: not free: prescribed, or held by friction
  int n, *dof;   // free velocities
  int k, most;   // rows that hold now, and at most
  int nside;     // one-sided rows: the model's bounds, then low and high of limited joints
  int *limited;  // (nside - nbound) / 2: these joints
  double *gap;   // nside, >= 0 where it is kept
  int nactive;   // those that touch
  int *active;   // nside
  double *u2;    // nv: size^2 of angles, 1 of lengths
  double *phi;   // most
  double *bound; // nbound_row: values of the bounds' rows
  // at the place that was looked at
  double energy;
  double *r; // nv: c - Q, what would hold it
  double *Q; // nv: forces without a potential
  // where the forces were weighed (statics_slope.c)
  double eps;
  double *M;      // nv x nv
  double *L;      // n x n
  double *dense;  // most x nv
  double *J;      // most x n, in z, each row over its own length
  double *weight; // most: of a row in J
  double *A;      // most x nv: J, spoilt
  int rank, m;    // of J; free directions
  double *N;      // n x n: from row rank on, the free directions in z
  double *P;      // n x n: m rows, the same as dq
  double *lambda; // most
  double *g;      // m: forces left along the directions
  double left;    // the largest of them [N]
  double scale;   // of the forces that balance there [N]
  double net;     // the same of the sums on bodies and joints: cancelled in part [N]
  double *part;   // nv: of one element
  // the slope there
  double *K;         // nv x nv
  double *H;         // m x m: P K P^T
  double *V, *h;     // its symmetric part: eigenvectors as rows, eigenvalues rising
  double stiffest;   // the largest of these, absolute
  double neutral;    // stiffness of this size, absolute, is none
  bool skew;         // H is not symmetric
  double *y;         // m: a step
  double *re, *im;   // m: eigenvalues of H itself, (E3) of statics_slope.c
  double *dq;        // nv
  double *bent;      // nv: a step, bent to rows of velocity level
  double *q, *q_end; // nq: kept
  double *Q_before;  // nv
  double *b, *x;     // work: n, most
  double *work;
  int *index;
  // slopes of the rows; and of the one-sided ones, as rows of a model of their own
  cardan__row_slopes row_slopes, side_slopes;
  cardan_model side_model;
} cardan__statics_point;

/* Has the joint limits that hold? As in contact/feature.c. */
static inline bool cardan__statics_point_holds(const cardan_joint *joint)
{
  return joint->has_limit && !joint->kinematic && joint->nq == 1;
}

/* Of a one-sided row: its joint, where it is a limit, and the sign of the joint's velocity in it;
 * -1: it is a bound of the model. */
static inline int cardan__statics_point_limit(const cardan__statics_point *s, int side,
                                              double *sign)
{
  const int k = side - s->model->nbound;
  *sign = k % 2 == 0 ? 1.0 : -1.0;
  return k >= 0 ? s->limited[k / 2] : -1;
}

/* Layout of all of it (cardan__carve_block); model and data set, n = nv at most. */
void cardan__statics_point_layout(void *rest, cardan__carver *carver);

/* What is free: all but prescribed and locked velocities. Bounds that touch are forgotten. */
void cardan__statics_point_free(cardan__statics_point *s);

/* Placements, forces, energy, values of rows at data's q, which is left as it is. */
void cardan__statics_point_look(cardan__statics_point *s);

/* Dense rows over all velocities that hold now, k x nv, at the place looked at. */
void cardan__statics_point_rows(cardan__statics_point *s);

/* Moves data's q by dq and on to the rows, by the least change in the metric weighed last;
 * one-sided rows that it would pass become
 * active. Looks there.
 * returns false when that fails, or leads further away than `most` [m]: q is then spoilt */
bool cardan__statics_point_move(cardan__statics_point *s, const double *dq, double most);

/* slip (k, out): A dq in the middle of a step dq from q for rows of velocity level, 0 for others.
 * Leaves data at the middle. */
void cardan__statics_point_slip(cardan__statics_point *s, const double *q, const double *dq,
                                double *slip);
/* dq changes, by the least in the metric weighed last, so that it slips over none of them. q: not
 * that of data, which is left at the middle. */
void cardan__statics_point_bend(cardan__statics_point *s, const double *q, double *dq);
/* Refuses, at the place looked at, rows of velocity level that rest violates. */
cardan_status cardan__statics_moving_row(const cardan__statics_point *s,
                                         cardan_report *report) CARDAN_MUST_USE;

/* Metric, rows, free directions, multipliers, forces left, at the place looked at. false: a number
 * is not finite. */
bool cardan__statics_point_weigh(cardan__statics_point *s, double eps);

/* The largest force or torque over the size of any element and of the caller, each for itself, at
 * the place looked at and weighed [N]. */
double cardan__statics_point_forces(cardan__statics_point *s);

/* Are the remaining forces zero? By tol of the forces there, or by what rounding of places makes
 * of the stiffest direction. */
bool cardan__statics_point_balanced(const cardan__statics_point *s, double tol);

/* Eigenvalues of H itself, rising in their real parts. */
bool cardan__statics_point_eigenvalues(cardan__statics_point *s);

/* The slope there: K, H, V, h. */
cardan_status cardan__statics_point_slope(cardan__statics_point *s) CARDAN_MUST_USE;

/* May a force that reads velocities feed small motions along the free directions, as damping below
 * 0 does? true where that is not known. M, K, H, V, y are spent. */
bool cardan__statics_point_fed(cardan__statics_point *s);

/* The step of at most length `most`, to y and dq; returns what the energy should fall by, and
 * whether it is Newton's whole one. floor: forces below it are none. */
double cardan__statics_point_step(cardan__statics_point *s, double most, double floor, bool *whole);

/* dq = part P^T y */
void cardan__statics_point_along(cardan__statics_point *s, double part);

/* Newton's whole step, neutral directions left out. false: there is none */
bool cardan__statics_point_newton(cardan__statics_point *s);

/* L x = b and L^T x = b in place, row-major lower L. */
static inline void cardan__statics_point_forward(int n, const double *L, double *x)
{
  for (int i = 0; i < n; i++) {
    const double *l = L + (size_t)i * (size_t)n;
    double sum = x[i];
    for (int j = 0; j < i; j++) {
      sum -= l[j] * x[j];
    }
    x[i] = sum / l[i];
  }
}

static inline void cardan__statics_point_backward(int n, const double *L, double *x)
{
  for (int i = n - 1; i >= 0; i--) {
    const double *l = L + (size_t)i * (size_t)n;
    x[i] /= l[i];
    for (int j = 0; j < i; j++) {
      x[j] -= l[j] * x[i];
    }
  }
}
