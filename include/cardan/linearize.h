/* SPDX-License-Identifier: Apache-2.0
 * cardan/linearize.h - exact first derivatives of one step of a variational method (svi, vi).
 *
 *   x_k = (q_k, p_k)      q: a change of every coordinate, in velocities (as cardan_q_dot has them)
 *                         p: momenta of the velocities that are solved for
 *   u_k                   forces on those velocities (data->tau_in) over the step, then the next
 *                         values of the kinematic coordinates, then the model's inputs (data->u);
 *                         the derivative by an input that is clamped to its limit is 0
 *   x_{k+1} = F(x_k, u_k),   A = dF/dx, B = dF/du,   lambda_k: multipliers at node k, impulses over
 *   dt
 * F includes the constraints: q_{k+1} satisfies them for all x and u, and the columns of A and B
 * satisfy their linearisation. p_k is the momentum at the end of the step before, without the
 * constraint impulse at node k. With rows of velocity level (roll, skate, velocity) p_k satisfies
 * them, kicks of the step included: A maps onto their linearisation at node k+1; a kinematic
 * coordinate's next value changes there, its velocity does not. Without constraints and dissipation
 * A is symplectic: A^T J A = J, J = [0 1; -1 0].
 * y_k are the model's outputs at node k: C = dy/dx and D = dy/du = 0 for outputs that read only
 * positions. */
#pragma once
#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const cardan_model *model;
  int nq, np;          // entries of q (nv of the model) and of p
  int nx, nu, nlambda; // nx = nq + np; nlambda: rows of the model; those of redundant rows are 0
  int ninput;          // inputs of the model, the last of the nu
  double t, dt;        // node k, and the step
  double *A;           // nx x nx row-major
  double *B;           // nx x nu
  double *lambda_x;    // nlambda x nx
  double *lambda_u;    // nlambda x nu
  double *p, *p_next;  // np: momenta at the two nodes
  double *q, *q_next;  // nq of the model: coordinates at the two nodes
  double *lambda;      // nlambda [N, N m]
  int *dof;            // np: velocity index of each momentum, and of each force among the inputs
  int *kinematic;      // nu - np - ninput: velocity index of each kinematic input
  int ny;              // outputs of the model
  double *C;           // ny x nx; rows of outputs without exact derivatives are NaN
  double *D;           // ny x nu: 0, or NaN likewise
  bool *y_exact;       // ny: the row of C is exact
  void *block;
  cardan_allocator allocator;
} cardan_linearization;

/* Returns whether the method of that name has derivatives of its step. */
CARDAN_API bool cardan_has_slopes(const char *method);

/* Derivatives of the next step of the sim from its current node, with its inputs u, tau_in and
 * f_in. The sim stays at its node; its next step solves for its root again. Dense: O(nv^3).
 * returns CARDAN_ERR_UNSUPPORTED for methods without derivatives, orders above 2, and models with
 *         friction that depends on reactions; otherwise the status of the step, with a sentence in
 *         report; *out is then NULL */
CARDAN_API cardan_status cardan_linearize(cardan_sim *sim, const cardan_allocator *allocator,
                                          cardan_linearization **out,
                                          cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_linearization_destroy(cardan_linearization *linear); // NULL is fine

/* Names of rows and columns, cut to size: "q.theta", "p.theta" | "u.theta", "q+.crank",
 * "input.push" | "lambda.loop1.2" | "y.tip". */
CARDAN_API void cardan_linearization_state(const cardan_linearization *linear, int k, char *name,
                                           size_t size);
CARDAN_API void cardan_linearization_input(const cardan_linearization *linear, int k, char *name,
                                           size_t size);
CARDAN_API void cardan_linearization_multiplier(const cardan_linearization *linear, int k,
                                                char *name, size_t size);
CARDAN_API void cardan_linearization_output(const cardan_linearization *linear, int k, char *name,
                                            size_t size);

/* All of it as a text: CSV, one line for each row of [A B; lambda_x lambda_u] under a header of
 * names; or one JSON object. Free it with cardan_free_text. */
CARDAN_API cardan_status cardan_describe_linearization(const cardan_linearization *linear,
                                                       bool json, const cardan_allocator *allocator,
                                                       char **text) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
