/* SPDX-License-Identifier: Apache-2.0
 * svi/mid.h - a model's Lagrangian at one (q, v), and the linear algebra of the midpoint rule, by
 * recursion over the bodies.
 *
 *   a = L_v = M v,   b = L_q + f        f: every force without a potential, and the caller's own
 *   cardan__mid_eval     a and b                                  O(nbody)
 *   cardan__mid_slope    their change along (dq, dv)              O(nbody)
 *   cardan__mid_factor   the operator x -> kb db - da along dq = kq x, dv = kv x, eliminated
 *   cardan__mid_solve    its inverse times a vector               O(nbody)
 * Joints of one velocity only. Nothing here allocates after create. */
#pragma once
#include "cardan/data.h"
#include "methods/discrete/vector.h"
#include "spatial/spatial.h"

/* What the elimination keeps of a body: 9 numbers a side, (t, f, turn) in order (svi_sweep.c). */
typedef struct {
  double U[9], w[9]; // what one unit of u passes on, and what the parent's motion asks of x, both
                     // over d and in the parent's axes
  double inv_d;      // 0 for a kinematic joint
} cardan__sweep_body;

enum { CARDAN__MID_LANES = 8 };

typedef struct {
  cardan__row12 row[12];
} cardan__sweep_matrix;

typedef struct {
  const cardan_model *model;
  bool has_rows; // of the model, or held
  cardan_data
      *data; // q, v, t and inputs of the caller; X, X_W, V, f_ext, tau; P and f: of subtrees
  const double *limit;           // nforce: friction's; NULL: none
  bool elements;                 // anything acts besides gravity and the caller's inputs
  bool unloaded;                 // f_ext and tau are 0
  bool inputs;                   // the caller's inputs are not all 0
  cardan_twist *dX, *dV;         // nbody: of the direction
  cardan_force *dP, *dF, *dload; // nbody
  double *dtau, *tau_q, *tau_v;  // nv
  cardan__sweep_body *sweep;     // nbody
  cardan__sweep_matrix *A;       // nbranch: what children that are not next in number pass on
  int *branch, nbranch;          // nbody: index into A, -1
  bool *odd;                     // nbody: is its depth odd?
  cardan_force *z;               // nbody: work of solve, two wrenches' worth each
  cardan_vec3 *turn;             // nbody
  double (*lanes)[9][CARDAN__MID_LANES]; // nbody: work of solve_many; NULL without rows
  void *block;
} cardan__mid;

/* Memory for everything; the model's joints must all have one velocity. holds_rows: steps hold rows
 * beside the model's */
cardan_status cardan__mid_create(const cardan_model *model, bool holds_rows,
                                 const cardan_allocator *allocator,
                                 cardan__mid *mid) CARDAN_MUST_USE;
void cardan__mid_destroy(cardan__mid *mid, const cardan_allocator *allocator);

/* a, b: nv, out. Reads data's t, q, v, tau_in, f_in; writes X, X_W, V, f_ext, tau, P, f, A. */
void cardan__mid_eval(cardan__mid *mid, double *a, double *b);

/* Change of a and b (da, db: nv, out) along dq, dv (nv). needs cardan__mid_eval */
void cardan__mid_slope(cardan__mid *mid, const double *dq, const double *dv, double *da,
                       double *db);

typedef struct {
  double kb, kq, kv;
} cardan__mid_weights;

/* Eliminates x -> kb db - da, of elements only the diagonal (cardan__forces_diagonal).
 * needs   cardan__mid_eval at the same state
 * returns CARDAN_ERR_NOT_POSDEF and the body in data->info when a joint has no pivot */
cardan_status cardan__mid_factor(cardan__mid *mid,
                                 const cardan__mid_weights *weights) CARDAN_MUST_USE;

/* x with (kb db - da)(x) = r as factored; x may be r; kinematic entries of x are 0. Placements and
 * twists of bodies are those of the last cardan__mid_eval: what an earlier step factored then goes
 * along. */
void cardan__mid_solve(const cardan__mid *mid, const cardan__mid_weights *weights, const double *r,
                       double *x);

/* The same for n right-hand sides: x, nv x n row-major, is their matrix and becomes the solutions'.
 * For models with constraints. (svi_sweep_many.c) */
void cardan__mid_solve_many(const cardan__mid *mid, const cardan__mid_weights *weights, int n,
                            double *x);

/* Functional l of joint i's equation, and the joint's own direction s (svi_sweep.c, E6 and E1): 9
 * numbers each, out. */
void cardan__mid_joint(const cardan__mid *mid, const cardan__mid_weights *weights, int i, double *l,
                       double *s);
