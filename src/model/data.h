/* SPDX-License-Identifier: Apache-2.0
 * model/data.h - what a cardan_data holds that its public header only names. */
#pragma once
#include "base/assert.h"
#include "cardan/data.h"
#include "linalg/rank_monitor.h"
#include "linalg/semidefinite.h"
#include "spatial/spatial.h"

/* The articulated-body factorisation (dynamics/factor.h). A body whose joint has one velocity:
 * U = IA S, inv_d = 1 / (S^T U). */
struct cardan_factor_body {
  cardan__abi IA; // articulated inertia of the body with everything below it
  cardan_force U;
  double inv_d;
  cardan_force Y; // of a revolute joint: U in the parent's frame
};

/* A body with a spherical or free joint: the same with S of 3 or 6 columns. */
struct cardan_factor_multi {
  cardan_force U[6];
  double inv_D[36]; // inverse of S^T U, row-major nv x nv
};

/* The work space of constraint forces (dynamics/loops.c; W, S, f and kkt are schur.c's alone).
 * Either W and S are there, or kkt. */
struct cardan_loops {
  struct cardan__sparse_kkt *kkt;     // many rows: constraints/sparse_kkt.h
  void (*close)(cardan_loops *loops); // gives that back; NULL: nothing to give
  double *W;                          // nrow x nv: row r is M^-1 J_r^T
  cardan__semidefinite S;             // nrow x nrow: J W, factored
  cardan_force *f;                    // nbody: a row as wrenches; 0 between rows
  cardan__rank_monitor rank;          // of S
  bool positions;                     // rows of velocity level are decoupled in S
  bool steady;                        // sizes of the rows stay as they are (cardan__loops_sizes)
  double *y;                          // nrow: right-hand sides and multipliers
  double *rate;                       // nrow: dPhi/dt that a projection takes out
  double *x;                          // nv
  double *q, *v;                      // nq, nv: kept state
  void *block;
};

/* Numbers that expressions read from outside, data->u: inputs, auxiliary states, half turns. */
static inline size_t cardan__outside(const cardan_model *model)
{
  return (size_t)model->ninput + (size_t)model->nz + (size_t)model->nturning;
}

/* What is the caller's own, from one data to another of the same model: inputs u, with the
 * auxiliary states behind them, and the program;
 * _inputs: tau_in and f_in too. */
void cardan__data_caller(const cardan_model *model, const cardan_data *from, cardan_data *to);
void cardan__data_inputs(const cardan_model *model, const cardan_data *from, cardan_data *to);

/* The same as numbers, for a stepper that has to know when they change.
 * _size    how many
 * _take    to seen; returns whether they are others than those that were there. states: not only
 *          memories but all auxiliary states count as inputs
 * _differ  the same, and seen stays
 * _push    is one of tau_in and f_in not 0?
 * _finite  are all of them numbers? */
size_t cardan__inputs_size(const cardan_model *model);
bool cardan__inputs_differ(const cardan_model *model, const cardan_data *data, bool states,
                           const double *seen);
bool cardan__inputs_take(const cardan_model *model, const cardan_data *data, bool states,
                         double *seen);
bool cardan__inputs_push(const cardan_model *model, const double *tau_in, const cardan_force *f_in);
bool cardan__inputs_finite(const cardan_model *model, const double *tau_in,
                           const cardan_force *f_in);

/* A body as derivatives see it (dynamics/inverse_slopes.c): spatial vectors in the world's axes
 * about one point o; after the inward sweep inertia, B, p and F are those of everything below it
 * too. */
typedef struct {
  cardan_twist V, A; // twist; spatial acceleration, gravity counted as an upward one
  cardan_inertia inertia;
  cardan_mat3 B;  // with p: what its velocity makes of a change of twist
  cardan_vec3 p;  // linear momentum
  cardan_force F; // rate of momentum less what acts from outside
} cardan__slope_body;

/* The axis of a velocity. */
typedef struct {
  cardan_twist J;     // the twist of a unit of it
  cardan_twist d, dd; // its first and second rate as carried by the body before the joint
  cardan_twist sum;   // d, and its first rate as carried by the body behind it
} cardan__slope_axis;

/* The work space of derivatives (dynamics/inverse_slopes.c and forward_slopes.c). */
struct cardan_slopes {
  const cardan_model *model;
  cardan__slope_body *body; // nbody
  cardan__slope_axis *axis; // nv
  cardan_vec3 o;
  int nsolved;
  bool dense;                 // L has so few zeros that LAPACK solves with it
  int *order;                 // nsolved: the velocities that are solved for, in the order of bodies
  int *up;                    // nv: the next one of them towards the world, -1: none
  double *tau_q, *tau_v;      // nv x nv
  double *X;                  // nv x 3 nv: right-hand sides
  double *L;                  // nv x nv: M = L^T D L, L below the diagonal, D on it
  cardan_twist *dX, *dV;      // nbody: changes of bodies and their twists, body coordinates
  cardan_force *df;           // nbody: of the wrenches on them
  double *dtau, *unit, *zero; // nv
  void *block;
};

/* Nothing is wrong yet: of the message its end alone is written. */
static inline void cardan__info_clear(cardan_info *info)
{
  info->body = info->joint = info->row = -1;
  info->residual = 0;
  info->iterations = 0;
  info->message[0] = '\0';
  info->whole = false;
}

/* The order of calls is the programmer's: what a call needs, CARDAN_FRESH_.., must have been
 * made. */
#define CARDAN__NEEDS(data, what) CARDAN_ASSERT(((data)->fresh & (unsigned)(what)) == (what))

/* This was made; and what came from an older one is no longer. */
static inline void cardan__made(cardan_data *data, unsigned made, unsigned gone)
{
  data->fresh = (data->fresh & ~gone) | made;
}
