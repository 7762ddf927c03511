/* SPDX-License-Identifier: Apache-2.0
 * analysis/modes_work.h - the parts of cardan_modes_create: modes.c has the normalised matrices and
 * modes of symmetric ones, modes_undamped.c those of undamped ones without a 0, modes_general.c any
 * others.
 *
 *   Mr = L L^T,   x = L^-T y:   y' = F y + w,   w' = -K y - C w                             (E1)
 *   K = L^-1 Kr L^-T, C alike; F = L^T A11 L^-T of the linear system, mostly 0 */
#pragma once
#include "cardan/modes.h"

typedef struct {
  cardan_matrices *m;
  int n, nx;               // true degrees of freedom; states
  double *L;               // n x n
  double *K, *C, *F;       // n x n (E1)
  double *D;               // nz: z = (its entries of a vector) / D
  double Ke, Ce;           // how far K and C may be off: 2-norm
  bool has_F;              // F is not 0
  bool first_order;        // A of the matrices is the whole system; L = 1, no K, C and F
  double *A, *A0, *V, *Z;  // nx x nx
  double *re, *im, *error; // nx
  double *y, *y2, *x, *x2; // nx
  int *order, *stage;      // nx, nx + 1
  double *work;
  void *block;
} cardan__modes_work;

/* roundings of n terms each that a number may have seen */
static const double cardan__modes_few = 64;

/* Frobenius' norm. */
double cardan__modes_norm(size_t count, const double *X);

/* A mode of s = re + i im that rounding may have moved by error; shape from y + i y2 (E1), y2 NULL
 * for a real s. */
cardan_mode *cardan__modes_add(cardan_modes *modes, cardan__modes_work *w, double re, double im,
                               double error, const double *y, const double *y2);

/* One of s = 0, shape from y. */
cardan_mode *cardan__modes_add_zero(cardan_modes *modes, cardan__modes_work *w,
                                    cardan_mode_kind kind, double error, const double *y);

/* x (n, out) = L^-T y */
void cardan__modes_back(const cardan__modes_work *w, const double *y, double *x);

/* Modes of any K, F and C being nothing. returns false, and adds none, where one may be 0, or the
 * iteration failed */
bool cardan__modes_undamped(cardan_modes *modes, cardan__modes_work *w);

/* Modes of any F, K and C. returns false when the iteration failed */
bool cardan__modes_general(cardan_modes *modes, cardan__modes_work *w);
/* Modes of A of the matrices, with rows of velocity level. returns false as above */
bool cardan__modes_first_order(cardan_modes *modes, cardan__modes_work *w);
