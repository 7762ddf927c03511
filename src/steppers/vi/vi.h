/* SPDX-License-Identifier: Apache-2.0
 * vi/vi.h - the inside of method `vi`, the linear-time variational integrator.
 * [1] J. Lee, C. K. Liu, F. C. Park, S. S. Srinivasa, A linear-time variational integrator for
 * multibody
 *     systems, Algorithmic Foundations of Robotics XII, 2020.   docs/methods/variational.md
 *
 *   drnea.c    residual of the discrete Euler-Lagrange equations       [1] Algorithm 2, completed
 *   newton.c   exact Newton direction by an O(n) recursion             not in [1]
 *   dense.c    the Jacobian as a matrix, by columns                    [1] Algorithm 4, completed
 *   broyden.c  Broyden's updates
 *   border.c   loops, couplings and force derivatives over any of these directions
 *   force.c    forces without a potential, at the middle of the step
 *   guess.c    where the root finder starts                            [1] 3.3, and extrapolation
 *   root.c     the root finder: direction, safeguard, stopping
 *   node.c     what belongs to a node: potentials, momentum, velocity
 *   step.c     one step of order 2, and compositions of order 4 and 6
 *   slopes.c   derivatives of a step, for linearisation
 *   method.c   the method behind the interface of steppers/method.h
 *
 * A node k is q^k and the momentum P_i of each body as the step before it ends, with the second
 * half of that step's forces in it. So steps of any length may follow one another. A step of
 * length h finds the joints' displacements dq (velocity space, Z <- Z Exp(S dq)) from
 *   f = sum over i of J_i^T (mu_i - P_i - h/2 W_i) - pj - h/2 (Wj + Q) - G_k^T lambda = 0
 *   Phi^{k+1} = 0
 * with W, Wj the forces with a potential at node k, Q those without at the middle of the step
 * (joint space), and lambda impulses of the constraints. f is an impulse: [N m s], [N s]. */
#pragma once
#include "steppers/extrapolate.h"
#include "steppers/method.h"
#include "steppers/vi/lanes.h"

enum { CARDAN__VI_STAGES = 9 };

/* One body in the step under way; all vectors in its axes at node k. Small, since every evaluation
 * goes through all of it. */
typedef struct {
  cardan__screw Q; // displacement
  cardan_force F;  // mu - B, what its joint has to give if it had no children
  cardan_force B;  // P + h/2 (W + f_in): what mu has to be if it were free
} cardan__vi_body;

/* The rest, once the step is found (cardan__vi_finish). */
typedef struct {
  cardan_motion x;   // logarithm of the displacement
  cardan_force mu;   // momentum as the step begins
  cardan_force next; // and as it ends, in the axes at node k+1
} cardan__vi_end;

/* What eliminating a joint of one velocity leaves behind: U = A S', W = S^T A, inv_d = 1 / S^T A
 * S'. */
typedef struct {
  cardan_force U, W;
  cardan_motion S;
  double inv_d;
} cardan__vi_factor;

/* The same for a joint of 3 or 6 velocities. */
typedef struct {
  cardan_force U[6], W[6];
  cardan_motion S[6];
  double inv_D[36];
} cardan__vi_multi;

typedef enum {
  CARDAN__VI_NEWTON,
  CARDAN__VI_RIQN,
  CARDAN__VI_DENSE,
  CARDAN__VI_BROYDEN
} cardan__vi_solver;

typedef enum {
  CARDAN__VI_EXTRAPOLATE,
  CARDAN__VI_CURRENT,
  CARDAN__VI_EULER,
  CARDAN__VI_DYNAMICS,
  CARDAN__VI_ZERO
} cardan__vi_guess;

typedef struct {
  cardan__stepper base;
  cardan__vi_solver solver;
  cardan__vi_guess guess;
  bool two_point;
  int nstage;          // steps of order 2 in one step of the method
  int stage;           // the one under way
  int limit;           // evaluations so far at which to give up
  const double *gamma; // their lengths, relative; sum 1
  double tol, floor;   // of the residual, relative; what rounding leaves of it

  cardan_data *node;  // poses, rows and mass factorisation at node k
  cardan_data *trial; // the same at node k+1, or in the middle of the step
  bool has_gravity, has_potential, has_forces, works;
  bool mass_factored; // node's mass factorisation is of this node
  bool has_inputs;    // one of tau_in, f_in is not 0
  bool factored;      // there is a factorisation, of this step or an earlier one
  bool started;       // the first step is done

  // state of the node
  cardan_force *P, *W;  // nbody
  cardan_vec3 *gravity; // nbody: the field in each body's axes
  double *pj, *Wj;      // nv: joint parts, that are not wrenches on bodies
  // and a copy of it, for a composition that fails on its way
  double *q_kept, *pj_kept;
  cardan_force *P_kept;

  // the step under way
  double h, t;                    // its length and the time it starts from
  const double *tau_in;           // nv: the caller's own forces
  const cardan_force *f_in;       // nbody
  cardan__vi_body *body;          // nbody
  cardan__vi_end *end;            // nbody
  cardan__inertia_lanes *inertia; // of all bodies, by eights
  cardan__vi_lanes *lanes;        // scratch: eight bodies at a time
  cardan__screw *joint;           // nmulti: displacement of a joint of several velocities
  double *dq;                // nv: displacement of every joint (the logarithm, where it is several)
  double *c;                 // nv: pj + h/2 (Wj + tau_in + Q) + G_k^T lambda
  double *c0;                // nv: the part of c that does not change in the step
  double *f;                 // nv: residual; for prescribed coordinates the driver's impulse
  double *scale;             // nv: sizes of the momenta in play, 0: row does not count
  double *inv_scale;         // nv
  double *lever;             // nbody: distance of the centre of mass from the body's origin
  double *level;             // 2 nbody: torque and force parts of the sizes, scratch
  cardan_vec3 *walk;         // nbody: how far rounding went, scratch
  double error, merit;       // largest residual over its tolerance; sum of squares of relative ones
  double *step, *dq_kept;    // nv: a direction; dq before it
  cardan__screw *joint_kept; // nmulti
  double *lambda_kept;

  // O(n) Newton
  cardan__mat6 *A;           // nbody: what children add
  cardan__vi_factor *factor; // nbody
  cardan__vi_multi *multi;   // nmulti
  unsigned char *kin;        // nbody: CARDAN__VI_LEAF, ..
  cardan_force *b;           // nbody
  cardan_motion *zeta;       // nbody
  double *u;                 // nv
  int age, wait; // steps since it was made; steps to go before an old one is tried again
  int patience;  // how long that wait was
  double gain;   // by which the last old one reduced the residual
  double *slope; // nv: derivative of h/2 Q on its own coordinate

  // dense Jacobian
  double *jacobian; // nv x nv, LU
  int *pivot;

  // Broyden
  int nbroyden, max_broyden;
  double *broyden; // (max_broyden + 1) x (nv + nborder)

  // constraints and force channels
  int nindependent, nchannel, nborder; // rows, channels, both
  int *row;                            // nindependent: row of the model
  double *Gk, *Gn;                     // nindependent x nv: rows at node k and at the iterate
  double *alpha, *beta;                // nchannel x nv: derivative and direction of force channels
  double *Y;                           // nborder x nv
  double *S;                           // nborder x nborder, LU
  int *border_pivot;
  double *sigma;  // nborder: change of multipliers
  double *lambda; // nindependent: impulses of the node
  double *phi;    // nrow
  double phi_tol;

  // forces without a potential
  double *Q;                 // nv, at the middle of the step
  double *slope_q, *slope_v; // nv

  // extrapolation: backward differences of dq, for each stage
  cardan__extrapolation history[CARDAN__VI_STAGES];

  // work: of forces and of drivers up to the node; the last half of a node's impulse is a forecast
  double work, h_before;
  double *rate;                 // nprescribed + nindependent: scratch
  double *drive, *drive_before; // nprescribed + nindependent: drivers' forces at the last two nodes
  int ndrive;                   // how many of these are known, 0 to 2

  double *trace; // residual of every evaluation in the last step, relative to its tolerance
  int ntrace, max_trace;
  void *block; // all of the arrays above
} cardan__vi;

/* Place among its kin: has no children; is the first of its parent's that a sweep inward meets;
 * has one child, the body that follows it. */
enum { CARDAN__VI_LEAF = 1, CARDAN__VI_FIRST = 2, CARDAN__VI_CHAIN = 4 };

/* drnea.c: body and f from dq, joint and c. */
void cardan__vi_residual(cardan__vi *s);
/* Displacements of bodies first .. first + 7 at the last residual, their logarithms and momenta, to
 * s->lanes; and all of them to end. */
void cardan__vi_lanes_of(cardan__vi *s, int first);
void cardan__vi_finish(cardan__vi *s);
/* Sizes of the momenta in play at the last residual, to scale and inv_scale. */
void cardan__vi_scale(cardan__vi *s);

/* newton.c: factor at the last residual; x = J^-1 r, r and x: nv, may be the same. */
cardan_status cardan__vi_factorise(cardan__vi *s) CARDAN_MUST_USE;
void cardan__vi_solve(cardan__vi *s, const double *r, double *x);

/* dense.c: J itself at the last residual, nv x nv row-major, with rows and columns of prescribed
 * coordinates those of the identity; its factors; solve as above. */
void cardan__vi_jacobian(cardan__vi *s, double *J);
cardan_status cardan__vi_dense_factorise(cardan__vi *s) CARDAN_MUST_USE;

/* border.c */
cardan_status cardan__vi_border_factorise(cardan__vi *s) CARDAN_MUST_USE;
/* step (nv) and sigma: the solver's direction for the residual f, phi. */
cardan_status cardan__vi_direction(cardan__vi *s) CARDAN_MUST_USE;
/* phi and Gn at the iterate. */
void cardan__vi_constraints(cardan__vi *s);
/* Gk at the node, from node's poses. */
void cardan__vi_rows(cardan__vi *s, cardan_data *data, double *G);

/* broyden.c: improves (step, sigma), the direction of the mass factorisation, by the steps before
 * it. */
void cardan__vi_broyden(cardan__vi *s);

/* force.c: Q and, on request, its derivatives (slope, alpha, beta). */
cardan_status cardan__vi_forces(cardan__vi *s, bool derivatives) CARDAN_MUST_USE;
int cardan__vi_channels(const cardan_model *model);

/* guess.c */
cardan_status cardan__vi_make_guess(cardan__vi *s) CARDAN_MUST_USE;
void cardan__vi_remember(cardan__vi *s);

/* root.c: dq, joint, lambda that solve the step. On failure data->info is filled. */
cardan_status cardan__vi_find_root(cardan__vi *s, cardan_data *data) CARDAN_MUST_USE;
/* Residuals at dq, joint and lambda; the first of a step also sets the scale. */
cardan_status cardan__vi_evaluate(cardan__vi *s, bool first) CARDAN_MUST_USE;
/* joint from dq, for joints of several velocities. */
void cardan__vi_set_joints(cardan__vi *s);

/* node.c
 * _start_node  the node at data's t, q, v
 * _enter       poses, potentials and rows at node's q
 * _begin       B and c0 of a step of length h from it
 * _accept      the step's end becomes the node
 * _velocity    data->v of the node, by the discrete Legendre transform
 * _work        done up to the node by all that has no potential [J] */
void cardan__vi_start_node(cardan__vi *s, const cardan_data *data);
void cardan__vi_enter(cardan__vi *s);
void cardan__vi_begin(cardan__vi *s, double h);
void cardan__vi_accept(cardan__vi *s);
double cardan__vi_work(const cardan__vi *s);
cardan_status cardan__vi_velocity(cardan__vi *s, cardan_data *data) CARDAN_MUST_USE;
/* q moved by part of dq, exactly on the rotation groups; q_out may be q. */
void cardan__vi_move_by(const cardan_model *model, const double *q, const double *dq, double part,
                        double *q_out);

/* step.c: one step of the method; the node is as before when it fails. */
cardan_status cardan__vi_step(cardan__vi *s, cardan_data *data, double h) CARDAN_MUST_USE;
const double *cardan__vi_composition(int order, int *nstage);

/* slopes.c: cardan__method's slopes; order 2 only. */
cardan_status cardan__vi_slopes(cardan__stepper *stepper, cardan_data *data, double h,
                                cardan__slopes *out) CARDAN_MUST_USE;

extern const cardan__method cardan__method_vi;
