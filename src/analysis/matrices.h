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
  double *bq, *bv;  // nv x n: accelerations that they require for x and for x'
  double *apart;    // 2 n: error bounds of gamma's finite differences by x and by x'
  double *rate;     // nrow x nv
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

/* X (nv x n, out) with G X = g (nrow x n, independent rows), 0 for the true degrees of freedom. */
void cardan__matrices_solve_rows(const cardan_matrices *m, cardan__matrices_work *w,
                                 const double *g, double *X);

/* A, B, Cy and D, and whether the state is balanced. returns false as above */
bool cardan__matrices_linear(cardan_matrices *m, cardan__matrices_work *w);

/* Sets node to the state, moved by h times (dq, dv), with inputs moved by h du; NULL: 0. */
void cardan__matrices_place(const cardan_matrices *m, cardan__matrices_work *w, double h,
                            const double *dq, const double *dv, const double *du);

/* Memory of a result with n true degrees of freedom and nx states; NULL: there is none. */
cardan_matrices *cardan__matrices_allocate(const cardan_model *model, int n, int nx,
                                           const cardan_allocator *allocator);

/* What modes of a model with rows of velocity level are made of (matrices_rolling.c): n independent
 * positions, N, and A of the states (these, independent velocities); *apart: how far A may be off.
 * Nothing else of the matrices is filled in but the state, a, lambda and the flags.
 * returns CARDAN_ERR_SINGULAR, CARDAN_ERR_UNSUPPORTED, what cardan_forward does, CARDAN_ERR_MEMORY;
 *         a sentence in report */
cardan_status cardan__matrices_rolling(const cardan_model *model, const cardan_data *data,
                                       const cardan_allocator *allocator, cardan_matrices **out,
                                       double *apart, cardan_report *report) CARDAN_MUST_USE;
