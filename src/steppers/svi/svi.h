/* SPDX-License-Identifier: Apache-2.0
 * svi/svi.h - the inside of method `svi`, the midpoint variational integrator in joint
 * coordinates. [1] E. Johnson, T. Murphey, Scalable variational integrators for constrained
 * mechanical systems in
 *     generalized coordinates, IEEE Transactions on Robotics 25(6), 2009.   docs/methods/tree.md
 *
 *   mid.c        L_v, L_q and their changes by recursion              --eval recursive
 *   sweep.c      the exact Newton direction in O(n)
 *   tree.c       [1] (2)-(10), kept once computed                     --eval tree
 *   tree_sums.c  [1] (23)-(27)
 *   tree_plain.c the same without a cache                             --no-cache
 *   equations.c  residual [1] (45), by either evaluation
 *   direction.c  Newton, quasi-Newton and Broyden directions, loops included
 *   root.c       the root finder
 *   node.c       what belongs to a node: momentum, velocity, work
 *   svi.c        the method behind the interface of steppers/method.h
 *   linearize.c  derivatives of a step
 *
 * A node is q_k and p_k. With d = q_{k+1} - q_k, q = q_k + alpha d, v = d / h, a = L_v, b = L_q + f
 * there:
 *   r = p_k + (1 - alpha) h b - a + G_k^T lambda = 0,   Phi(q_{k+1}) = 0               [1] (45)
 *   p_{k+1} = a + alpha h b                                                            [1] (21)
 * d, and not q_{k+1}, is the unknown: then v = d / h has no cancellation. lambda is the impulse of
 * the constraints' forces at node k, with the sign that makes it h times the multiplier of
 * M a = .. + G^T lambda; [1] has the opposite. */
#pragma once
#include "steppers/extrapolate.h"
#include "steppers/method.h"
#include "steppers/svi/mid.h"
#include "steppers/svi/tree/tree.h"

typedef enum { CARDAN__SVI_NEWTON, CARDAN__SVI_BROYDEN, CARDAN__SVI_RIQN } cardan__svi_solver;

typedef enum {
  CARDAN__SVI_EXTRAPOLATE,
  CARDAN__SVI_CURRENT,
  CARDAN__SVI_EULER,
  CARDAN__SVI_DYNAMICS,
  CARDAN__SVI_ZERO
} cardan__svi_guess;

typedef struct {
  cardan__stepper base;
  cardan__svi_solver solver;
  cardan__svi_guess guess;
  double alpha, tol, floor, phi_tol;
  bool two_point, started, works;
  bool couples;       // slopes of elements are more than a diagonal
  cardan__mid mid;    // middle of the step
  cardan__tree *tree; // NULL: by recursion
  cardan_data *node;  // at node k: poses, rows, mass factorisation
  cardan_data *trial; // at node k+1
  bool mass_factored;

  double *p; // nv: momentum of the node

  // the step under way
  double h, t;
  double *d, *d_kept;        // nv
  double *a, *b, *r;         // nv
  double *scale, *inv_scale; // nv: sizes that residuals are relative to; 0: row does not count
  double error, merit;       // largest residual over its tolerance; sum of squares of relative ones
  double *step;              // nv: a direction
  double *work_v, *work_w;   // nv: scratch

  // constraints
  int nindependent;
  int *row;        // nindependent: row of the model
  double *Gk, *Gn; // nrow x nv: rows at node k and at the iterate, the independent ones first
  double *lambda, *lambda_kept, *sigma; // nindependent
  double *phi;                          // nrow

  // directions
  double *Y, *S;              // nv x nindependent, nindependent^2
  double *K;                  // (nv + nindependent)^2: [1] (46), for --eval tree
  double *L_qq, *L_qv, *L_vv; // nv x nv, for --eval tree
  int *pivot;                 // nv + nindependent
  double *broyden;
  int nbroyden, max_broyden;
  double *gmres, *slope_a; // work of GMRES; nv
  double *rhs;             // nv + nindependent
  double unit;             // broyden: a multiplier as a coordinate
  int max_gmres;

  // the Jacobian at hand: for which step, how many steps old, what it gained last
  bool factored;
  double factored_h, gain;
  int age, wait, patience;

  cardan__extrapolation history;
  double work_done, h_before;
  double *rate, *drive, *drive_before; // nprescribed + nindependent
  int ndrive;

  double *trace;
  int ntrace, max_trace;
  void *block;
} cardan__svi;

/* equations.c
 * _evaluate   r, phi, error, merit at d, lambda; the first of a step also sets the scale; by the
 *             tree also Gn
 * _rows       the independent rows at data's poses, dense
 * _weights    of the operator d -> r */
cardan_status cardan__svi_evaluate(cardan__svi *s, bool first) CARDAN_MUST_USE;
void cardan__svi_rows(cardan__svi *s, cardan_data *data, double *G);
cardan__mid_weights cardan__svi_weights(const cardan__svi *s);

/* direction.c: factors at the last evaluation; step, sigma from r, phi. */
cardan_status cardan__svi_factor(cardan__svi *s) CARDAN_MUST_USE;
cardan_status cardan__svi_direction(cardan__svi *s) CARDAN_MUST_USE;
/* x = J^-1 r with J = dr/dd as factored, exactly when tol is small: GMRES where elements couple. */
cardan_status cardan__svi_solve(cardan__svi *s, const double *r, double tol,
                                double *x) CARDAN_MUST_USE;

/* root.c: d and lambda that solve the step; the guess is in d. On failure data->info is filled. */
cardan_status cardan__svi_find_root(cardan__svi *s, cardan_data *data) CARDAN_MUST_USE;

/* node.c */
cardan_status cardan__svi_start_node(cardan__svi *s, cardan_data *data) CARDAN_MUST_USE;
cardan_status cardan__svi_make_guess(cardan__svi *s) CARDAN_MUST_USE;
cardan_status cardan__svi_given_step(cardan__svi *s, cardan_data *data) CARDAN_MUST_USE;
void cardan__svi_accept(cardan__svi *s);
cardan_status cardan__svi_velocity(cardan__svi *s, cardan_data *data) CARDAN_MUST_USE;
double cardan__svi_work(const cardan__svi *s);

/* svi.c: the caller's inputs go to the middle of the step. */
void cardan__svi_take_inputs(cardan__svi *s, const cardan_data *data);

/* linearize.c: cardan__method's slopes. */
cardan_status cardan__svi_slopes(cardan__stepper *stepper, cardan_data *data, double h,
                                 cardan__slopes *out) CARDAN_MUST_USE;

/* Is this velocity prescribed? */
static inline bool cardan__svi_given(const cardan_model *model, int k)
{
  return model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
}

extern const cardan__method cardan__method_svi;
