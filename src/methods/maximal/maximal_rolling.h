/* SPDX-License-Identifier: Apache-2.0
 * methods/maximal/maximal_rolling.h - rows of velocity level, A v = b, in a step of half-implicit,
 * fully-implicit and rattle: rolling, blades, (velocity ..).
 *
 *   maximal_rolling.c   the rows on the displacement of a step
 *   maximal_kicks.c     form K of docs/methods/rolling.md: rattle */
#pragma once
#include "methods/maximal/stepper.h"

typedef struct cardan__mx_rolling {
  int n;       // equations of velocity level
  int *eq;     // n: which they are
  double part; // of the displacement, where the rows of a step are: 1/2, or 1: at its end
  bool turned; // impulses act along these rows, half on each node; else along the rows factored
  double t;    // of the node that the step leaves [s]
  // the rows on a displacement x, at cfg moved by part x
  double *cfg, *way; // that place; part x
  double *J;         // nentry x dof: entries of these rows
  cardan_force *w;   // as cardan_rows has them
  double *c, *phi_t;
  double *value, *b; // n: A x - h b, b
  // the same at x_at, for derivatives (displace.c)
  double *x_at, *J_at, *value_at, *force_at; // nx, nentry x dof, n, nx: force of the multipliers
  double *mid;                               // nx: impulses in the axes of the middle
  bool *touched;                             // nbody: a row acts on the body
  struct cardan__mx_kicks *kicks;            // rattle; NULL: none
  void *block;
} cardan__mx_rolling;

/* s->rolling for a model with such rows; else NULL. part, turned: as above
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__mx_rolling_open(cardan__mx_stepper *s, double part,
                                      bool turned) CARDAN_MUST_USE;
void cardan__mx_rolling_close(cardan__mx_stepper *s);

/* A step leaves the node at t. */
void cardan__mx_rolling_begin(cardan__mx_stepper *s, double t);
/* Rows, b and values of the displacement s->x, to be reached at mx->t. The poses of mx are then
 * those of the rows. */
void cardan__mx_rolling_look(cardan__mx_stepper *s);
/* The values to mx->rows.phi. */
void cardan__mx_rolling_values(const cardan__mx_stepper *s);
/* f (nx) += scale (A_m - A)^T lambda, A the rows in mx->J: nothing unless turned. */
void cardan__mx_rolling_shift(cardan__mx_stepper *s, double scale, const double *lambda, double *f);
/* f (nx) += scale A_m^T lambda, on the end of the step. */
void cardan__mx_rolling_end(cardan__mx_stepper *s, double scale, const double *lambda, double *f);
/* What derivatives are taken at: x, lambda and the rows there, which were looked at. */
void cardan__mx_rolling_mark(cardan__mx_stepper *s);
/* Products of the derivatives of (E2), displace.c, with (x, l), x of this size [rad, or lengths of
 * the mechanism]: what rows in the middle add to y (nx), and to yl (neq), for rows that are not
 * idle. */
void cardan__mx_rolling_apply(cardan__mx_stepper *s, double size, const double *x, const double *l,
                              double *y, double *yl);
/* Work of rows that move with time over the step that was found, with lambda as forces [J]. */
double cardan__mx_rolling_work(const cardan__mx_stepper *s, double h);
