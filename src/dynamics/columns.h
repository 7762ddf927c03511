/* SPDX-License-Identifier: Apache-2.0
 * dynamics/columns.h - a factorised tree over several right sides at once: those of the rows of a
 * contact, which all begin at one body.
 *
 *   tip to root:   u_i = r_i - A_i^T f,   f := X^T (f + U_i D_i^-1 u_i)                       (C1)
 *   root to leaf:  z := X z_p,   x_i = D_i^-1 (u_i - W_i^T z),   z_i = z + S_i x_i            (C2)
 * the solves of dynamics/aba.c (W = U, S = A) and of methods/vi/vi_newton.c, where S is not A. */
#pragma once
#include "cardan/data.h"

enum { CARDAN__SIDES = 4 };

/* One component of all columns; a wrench or twist of each. */
typedef double cardan__column __attribute__((vector_size(CARDAN__SIDES * sizeof(double))));
typedef struct {
  cardan__column x[6];
} cardan__columns;

/* Room that a solve needs: u (nv), Z (nbody). */
typedef struct {
  cardan__column *u;
  cardan__columns *Z;
} cardan__columns_room;

/* What was factored of a body; its joint has the axes A (nv). locked: it does not move. */
typedef struct {
  const cardan_xform *X;
  bool locked;
  cardan_twist A[6];
  const cardan_twist *S;     // nv
  const cardan_force *U, *W; // nv
  const double *inv_D;       // nv x nv
} cardan__link;

typedef void cardan__link_of(const void *factors, int body, cardan__link *link);

/* x <- solution for n <= CARDAN__SIDES columns x, model->nv numbers apart, over the bodies
 * body[0] .. body[1] - 1, which are whole trees: nothing else of x is looked at, and it is 0 but on
 * the way from body tip to the world. Each column is what it would be alone. */
void cardan__columns_solve(const cardan_model *model, cardan__link_of *of, const void *factors,
                           const int body[2], int tip, int n, double *x,
                           const cardan__columns_room *room);
