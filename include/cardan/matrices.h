/* SPDX-License-Identifier: Apache-2.0
 * cardan/matrices.h - a model about one state as matrices: of the tree, of the true degrees of
 * freedom, and as a linear system.
 *
 *   M a + c(q, v) - Q(q, v, u) = G^T lambda,   G v + Phi_t = 0
 *   tree      M, C, K (cardan_stiffness), Kc = -d(G^T lambda)/dq: the constraints' own stiffness
 *   true      q = q0 (+) N x: x are the changes of n coordinates from which the constraints give
 *             the others; kinematic coordinates are held
 *             Mr x'' + Cr x' + Kr x = N^T (forces), Mr = N^T M N, ..
 *   linear    s' = A s + B u,   y = Cy s + D u,   s = (x, the same velocities' changes, z)
 *             z: changes of the auxiliary states that have a derivative
 * Where the state does not rest, s is how another motion differs from its own
 * (cardan_q_difference), and A is exact for this instant: the constraints' part of velocities and
 * accelerations is in it, and so is that joints of several velocities turn on. Left out: friction,
 * contacts, stops, ropes; what depends on time stands still, and memories and controllers are held.
 * Everything is exact except: derivatives of the rows' gamma where the state moves, and
 * outputs with y_exact false, are differences of order 4, with steps that agree best (some 1e-11 of
 * their size; y_error). */
#pragma once
#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Dense: more velocities than this are refused (matrices of 72 MB each, some twenty of them). */
enum { CARDAN_MATRICES_MOST = 3000 };

typedef struct {
  const cardan_model *model;
  int nv, nrow;
  double t;
  double *q, *v;          // nq, nv: the state
  double mass, com[3];    // [kg, m]
  double *M, *C, *K, *Kc; // nv x nv row-major
  double *gravity;        // nv: torques that hold it against gravity
  double *G;              // nrow x nv
  cardan_status status;   // CARDAN_OK: all of what follows is there; else n = 0, and
  char why[320];          // the obstacle, a sentence
  double *a, *lambda;     // nv, nrow: accelerations and multipliers at the state
  int n;                  // true degrees of freedom
  int *dof;               // n: velocity index of each
  double *N;              // nv x n
  double *Mr, *Cr, *Kr;   // n x n
  double *Ce, *Ke;        // n x n: how far entries of Cr and Kr may be off, by the rounding of the
                          // terms that they are sums of, and of differences
  int nz;                 // auxiliary states with a derivative
  int nx, nu, ny;         // 2 n + nz; forces on the velocities that are solved for, then inputs;
                          // outputs
  int nforced, *forced;   // of the forces: how many, and their velocity index
  double *A, *B;          // nx x nx, nx x nu
  double *Cy, *D;         // ny x nx, ny x nu
  bool *y_exact;          // ny
  double *y_error;        // ny: how far entries of its rows may be off; 0 where they are exact
  bool moves;             // a velocity is not 0
  bool timed;             // forces, motions or constraints depend on time
  bool balanced;          // rests, or moves steadily: no acceleration beyond rounding
  int unbalanced;         // velocity index of the one furthest from it, -1: all rest
  int changing;           // an auxiliary state that changes, -1: none; not balanced then
  double change;          // its rate
  void *block;
  cardan_allocator allocator;
} cardan_matrices;

/* Of a model at data's t, q, v, u, tau_in and f_in, which stay as they are; loops must be closed
 * (cardan_assemble). Dense, O(nv^3).
 * returns CARDAN_ERR_UNSUPPORTED, CARDAN_ERR_MEMORY with a sentence in report; *out is then NULL */
CARDAN_API cardan_status cardan_matrices_create(const cardan_model *model, const cardan_data *data,
                                                const cardan_allocator *allocator,
                                                cardan_matrices **out,
                                                cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_matrices_destroy(cardan_matrices *matrices); // NULL is fine

/* Names of rows and columns, cut to size: "q.theta", "v.theta", "z.filter" | "u.theta",
 * "input.push" | "y.tip". */
CARDAN_API void cardan_matrices_state(const cardan_matrices *matrices, int k, char *name,
                                      size_t size);
CARDAN_API void cardan_matrices_input(const cardan_matrices *matrices, int k, char *name,
                                      size_t size);
CARDAN_API void cardan_matrices_output(const cardan_matrices *matrices, int k, char *name,
                                       size_t size);

/* What to tell a user of these matrices: sentences on what is left out of them or is not as for an
 * equilibrium. note: CARDAN_MATRICES_NOTE bytes, out. returns false when there is none of that
 * index, counted from 0 */
enum { CARDAN_MATRICES_NOTE = 320 };
CARDAN_API bool cardan_matrices_note(const cardan_matrices *matrices, int index, char *note);

#ifdef __cplusplus
}
#endif
