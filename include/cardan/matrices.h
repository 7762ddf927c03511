/* SPDX-License-Identifier: Apache-2.0
 * cardan/matrices.h - linearisation of a model about one state: matrices of the tree, of the
 * independent degrees of freedom, and of a first-order linear system.
 *
 *   M a + c(q, v) - Q(q, v, u) = G^T lambda,   G v + Phi_t = 0
 *   tree      M, C, K (cardan_stiffness), Kc = -d(G^T lambda)/dq: the constraints' own stiffness
 *   true      q = q0 (+) N x: x are changes of n independent coordinates, which determine the
 *             others through the constraints; kinematic coordinates are constant
 *             Mr x'' + Cr x' + Kr x = N^T (forces), Mr = N^T M N, ..
 *   linear    s' = A s + B u,   y = Cy s + D u,   s = (x, the same velocities' changes, z)
 *             z: changes of the auxiliary states that have a derivative
 * With rows of velocity level (roll, skate, velocity) fewer velocities than positions are
 * independent: s = (x, y, z), y changes of nw velocities, and
 *             Mr y' + Cr y + Kr x = W^T (forces), R W = 0 with R all rows, Mr = W^T M W, ..
 * If the state is not at rest, s is the difference between another motion and this one
 * (cardan_q_difference), and A is exact for this instant: it includes the constraints'
 * contributions to velocities and accelerations, and the rotation of joints with several
 * velocities. Not included: friction, contacts, stops, ropes. Time is constant, and so are memories
 * and controllers. All entries are exact except derivatives of the rows' gamma at a moving state,
 * and outputs with y_exact false: these are finite differences of order 4 with an optimised step
 * (relative error about 1e-11; y_error). */
#pragma once
#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest number of velocities: matrices are dense, about twenty of 72 MB each. */
enum { CARDAN_MATRICES_MOST = 3000 };

typedef struct {
  const cardan_model *model;
  int nv, nrow;
  double t;
  double *q, *v;          // nq, nv: the state
  double mass, com[3];    // [kg, m]
  double *M, *C, *K, *Kc; // nv x nv row-major
  double *gravity;        // nv: joint forces that balance gravity
  double *G;              // nrow x nv
  cardan_status status;   // CARDAN_OK: all fields below are defined; otherwise n = 0, and
  char why[320];          // the reason, a sentence
  double *a, *lambda;     // nv, nrow: accelerations and multipliers at the state
  int n;                  // true degrees of freedom
  int *dof;               // n: velocity index of each
  double *N;              // nv x n
  int nw, *wdof;          // independent velocities, and the index of each; n and dof without
                          // rows of velocity level
  double *W;              // nv x nw: dv = W y + P x; N without such rows
  double *Mr, *Cr, *Kr;   // nw x nw, nw x nw, nw x n
  double *Ce, *Ke;        // nw x nw, nw x n: error bounds of the entries of Cr and Kr, from the
                          // rounding of their terms and of differences
  int nz;                 // auxiliary states with a derivative
  int nx, nu, ny;         // n + nw + nz; forces on the velocities that are solved for, then inputs;
                          // outputs
  int nforced, *forced;   // number of forces among the nu, and their velocity indices
  double *A, *B;          // nx x nx, nx x nu
  double *Cy, *D;         // ny x nx, ny x nu
  bool *y_exact;          // ny
  double *y_error;        // ny: error bound of the entries of its rows; 0: exact
  bool moves;             // a velocity is not 0
  bool timed;             // forces, motions or constraints depend on time
  bool balanced;          // equilibrium or steady motion: no acceleration beyond rounding
  int unbalanced;         // velocity index of the largest acceleration, -1: none
  int changing;           // an auxiliary state that changes (then not balanced), -1: none
  double change;          // its rate
  void *block;
  cardan_allocator allocator;
} cardan_matrices;

/* Matrices of a model at data's t, q, v, u, tau_in and f_in, which are not changed; loops must be
 * closed (cardan_assemble). Dense, O(nv^3).
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

/* Notes for the user of these matrices, by index from 0: effects that are not included, or that
 * differ from an equilibrium. note: CARDAN_MATRICES_NOTE bytes, out.
 * returns false after the last note */
enum { CARDAN_MATRICES_NOTE = 320 };
CARDAN_API bool cardan_matrices_note(const cardan_matrices *matrices, int index, char *note);

#ifdef __cplusplus
}
#endif
