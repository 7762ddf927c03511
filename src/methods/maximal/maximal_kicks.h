/* SPDX-License-Identifier: Apache-2.0
 * methods/maximal/maximal_kicks.h - form K of docs/methods/rolling.md in rattle: kicks K nu at both
 * ends of a step, K = A^T S^{-1/2}, which put both nodes on the rows of velocity level. */
#pragma once
#include "methods/maximal/maximal_rolling.h"

typedef struct cardan__mx_kicks {
  cardan__kkt *kkt;         // factors of the other node of a step,
  double *J;                // nentry x dof: and their rows
  bool at_end;              // those of the stepper are the end's
  bool fresh;               // root[0] is that of the node
  double *root[2];          // n x n: T D of kicks.h at the node, and at the end of a step
  double *S[2];             // n x n: S there
  double *V, *size, *eigen; // n x n; n; n and more
  double *T, *E, *y;        // n x n, n x n, n
  double *X, *l, *Jx;       // nx, neq, neq
  double *impulse;          // n: S^{-1/2} nu of the end
  double from;              // sqrt(2 T) at the node
  double *rhs;              // nx: of (E1) of rattle.c without kicks
  double least;             // eigenvalue of S that counts at the end,
  int least_row;            // and the row of the set that it is of
  double noise;             // in nu, times h: what the tolerance of a step leaves
  double speed;             // sqrt(2 T) at the end
  double *e, *nu, *f;       // n: nu of the end, of the step, their difference
  double *f_old, *nu_old;   // n: of the round before
  double *history;          // 2 x n: nu of the steps before,
  int have;                 // so many
  void *block;
} cardan__mx_kicks;

/* For s->rolling, where there is one. returns CARDAN_ERR_MEMORY */
cardan_status cardan__mx_kicks_open(cardan__mx_stepper *s) CARDAN_MUST_USE;
void cardan__mx_kicks_close(cardan__mx_stepper *s);
/* A run starts; the node is another than the end of the last step. */
void cardan__mx_kicks_start(cardan__mx_stepper *s);
void cardan__mx_kicks_forget(cardan__mx_stepper *s);
void cardan__mx_kicks_spans(cardan__mx_stepper *s, cardan__spans *list);

/* The last correction of the rows' impulses, as a part of those that there are, or would stop the
 * motion: (K3) reads them beside x. 0 where there are no kicks. */
double cardan__mx_kicks_change(const cardan__mx_stepper *s);

/* What rattle does in a round: all read and write the stepper.
 * displace  x and lambda of (E1) with rhs as it is, then p of (E2) to rhs
 * finish    (E3): the rows of the end factored, vel_try, and the impulses of the rows in dl */
typedef struct {
  void *self;
  cardan_status (*displace)(void *self);
  cardan_status (*finish)(void *self);
} cardan__mx_round;

/* A step of length h with kicks: rounds until nu and what the end makes of it agree. needs the rows
 * of the node factored, rhs of (E1) and x to start from. On failure the factors are the node's. */
cardan_status cardan__mx_kick_step(cardan__mx_stepper *s, cardan_data *data, double h,
                                   const cardan__mx_round *round) CARDAN_MUST_USE;
/* Its end becomes the node. */
void cardan__mx_kicks_accept(cardan__mx_stepper *s);
