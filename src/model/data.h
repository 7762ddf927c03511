/* SPDX-License-Identifier: Apache-2.0
 * model/data.h - what a cardan_data holds that its public header only names. */
#pragma once
#include "base/assert.h"
#include "cardan/data.h"
#include "linalg/semidefinite.h"
#include "spatial/spatial.h"

/* The articulated-body factorisation (dynamics/factor.h). A body whose joint has one velocity:
 * U = IA S, inv_d = 1 / (S^T U). */
struct cardan_factor_body {
  cardan__abi IA; // articulated inertia of the body with everything below it
  cardan_force U;
  double inv_d;
};

/* A body with a spherical or free joint: the same with S of 3 or 6 columns. */
struct cardan_factor_multi {
  cardan_force U[6];
  double inv_D[36]; // inverse of S^T U, row-major nv x nv
};

/* The work space of constraint forces (dynamics/loops.c; W, S, f and web are schur.c's alone).
 * Either W and S are there, or web. */
struct cardan_loops {
  struct cardan__web *web;            // many rows: constraints/web.h
  void (*close)(cardan_loops *loops); // gives that back; NULL: nothing to give
  double *W;                          // nrow x nv: row r is M^-1 J_r^T
  cardan__semidefinite S;             // nrow x nrow: J W, factored
  cardan_force *f;                    // nbody: a row as wrenches; 0 between rows
  double left;                        // smallest part of its size that a row of S adds to others
  int left_row;                       // and that row
  double *y;                          // nrow: right-hand sides and multipliers
  double *rate;                       // nrow: dPhi/dt that a projection takes out
  double *x;                          // nv
  double *q, *v;                      // nq, nv: kept state
  void *block;
};

/* The caller's inputs u, tau_in and f_in, from one data to another of the same model. */
void cardan__data_inputs(const cardan_model *model, const cardan_data *from, cardan_data *to);

/* The order of calls is the programmer's: what a call needs, CARDAN_FRESH_.., must have been
 * made. */
#define CARDAN__NEEDS(data, what) CARDAN_ASSERT(((data)->fresh & (unsigned)(what)) == (what))

/* This was made; and what came from an older one is no longer. */
static inline void cardan__made(cardan_data *data, unsigned made, unsigned gone)
{
  data->fresh = (data->fresh & ~gone) | made;
}
