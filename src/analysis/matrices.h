/* SPDX-License-Identifier: Apache-2.0
 * analysis/matrices.h - the parts of cardan_matrices_create: the tree (matrices.c), the true
 * degrees of freedom (matrices_true.c), the linear system (matrices_linear.c). */
#pragma once
#include "cardan/matrices.h"
#include "dynamics/row_slopes.h"

typedef struct {
  const cardan_model *model;
  cardan_data *node; // at the state, with accelerations; then used as scratch
  cardan__row_slopes rows;
  int nrank, *row;  // independent rows
  double *S;        // nv x nv, factored: independent rows, held coordinates, degrees of freedom
  int *pivot;       // nv
  double *Rq, *Rv;  // nv x nv: of M a + c - Q - G^T lambda
  double *P;        // nv x n: velocities that the constraints require for x
  double *bq, *bv;  // nv x n, nv x nw: accelerations that they require for x and for y
  double *apart;    // n + nw: error bounds of gamma's finite differences by x and by y
  double *rate;     // nrow x nv
  double *turn;     // nrow x nv with rows of velocity level: their rate
  double *T;        // scratch: max(nv, nrow) x (3 nv + ninput + nz)
  double *square;   // n x n: scratch
  double *f, *f2;   // 2 nv + ninput + nz: scratch
  double *by_u;     // ninput + nz: scratch
  double *dy;       // 4 ny: scratch
  double *dz;       // nz: scratch
  double *qr;       // cardan__independent_work(nv, nrow)
  int *order;       // nv
  cardan_force *df; // nbody
  cardan_twist *still;
  double *u; // ninput + nz: at the state
  void *block;
} cardan__matrices_work;

/* Computes the true degrees of freedom: m->n, dof, N, and Mr, Cr, Kr. Returns false, with the
 * reason in m->why, for a singular position or missing inertia. */
bool cardan__matrices_true(cardan_matrices *m, cardan__matrices_work *w);

/* m->Ce and Ke, after the above. */
void cardan__matrices_errors(cardan_matrices *m, cardan__matrices_work *w);

/* X (nv x columns, out) with G X = g (nrow x columns, independent rows), 0 for the true degrees of
 * freedom. */
void cardan__matrices_solve_rows(const cardan_matrices *m, cardan__matrices_work *w,
                                 const double *g, int columns, double *X);

/* A, B, Cy and D, and whether the state is balanced. returns false as above */
bool cardan__matrices_linear(cardan_matrices *m, cardan__matrices_work *w);

/* Sets node to the state, moved by h times (dq, dv), with inputs moved by h du; NULL: 0. */
void cardan__matrices_place(const cardan_matrices *m, cardan__matrices_work *w, double h,
                            const double *dq, const double *dv, const double *du);
