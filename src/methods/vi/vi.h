/* SPDX-License-Identifier: Apache-2.0
 * vi/vi.h - the inside of method `vi`, the linear-time variational integrator.
 * [1] J. Lee, C. K. Liu, F. C. Park, S. S. Srinivasa, A linear-time variational integrator for
 * multibody
 *     systems, Algorithmic Foundations of Robotics XII, 2020.   docs/methods/variational.md
 *
 *   drnea.c     residual of the discrete Euler-Lagrange equations      [1] Algorithm 2, completed
 *   vi_newton.c    exact Newton direction by an O(n) recursion            not in [1]
 *   solve.c     its second half: the direction itself
 *   apply.c     products with the Jacobian, O(n)
 *   vi_kinetic.c   the discrete kinetic energy: `swing`, or `se3` of [1]
 *   vi_dense.c  the Jacobian as a matrix, by columns                     [1] Algorithm 4, completed
 *   force.c     forces without a potential, at the middle of the step
 *   vi_elastic.c   forces with one, each at the middle of its own strain
 *   vi_elastic_newton.c  their derivatives
 *   vi_equation.c  these as the equation of a step, which discrete/ solves
 *   vi_slopes.c    derivatives of a step, for linearisation
 *   vi.c        the method behind the interface of methods/method.h
 *
 * The momentum of a node is kept as that of each body, P_i, and a joint part pj. A step of length h
 * finds the joints' displacements dq (velocity space, Z <- Z Exp(S dq)) from
 *   f = sum over i of J_i^T (mu_i - P_i - h/2 W_i) + I dq/h - pj - h/2 (Wj + Q) - G_k^T lambda = 0
 *   Phi^{k+1} = 0
 * with I the armatures, W, Wj gravity and the forces with a potential, the latter with the stress
 * of the middle of the step (vi_elastic.h; option potentials nodes: of node k), Q those without at
 * the middle of the step (joint space), and lambda impulses of the constraints. f is an impulse: [N
 * m s], [N s]. */
#pragma once
#include "methods/discrete/discrete.h"
#include "methods/vi/vi_blocks.h"
#include "methods/vi/vi_elastic.h"

/* What eliminating a joint of one velocity leaves behind, for the solve: U = A S' and W = S^T A
 * over d, both in the parent's axes, d = S^T A S'. x, y, z of U.t, U.f, W.t, W.f. */
typedef struct {
  double UW[3][4];
  cardan_twist S;
  double inv_d;
} cardan__vi_factor;

/* U and W themselves, in the body's axes: where there are rows, for dynamics/columns.h. */
typedef struct {
  cardan_force U, W;
} cardan__vi_raw;

/* Place among its kin: has no children; has one child, the body that follows it; is the first of
 * its parent's that a sweep inward meets; the parent is the body before it; what it hands to its
 * parent adds to others'. And: it turns freely about z, as most do; elements hold it
 * (vi_elastic.h); its joint is a ball. */
enum {
  CARDAN__VI_LEAF = 1,
  CARDAN__VI_CHAIN = 2,
  CARDAN__VI_FIRST = 4,
  CARDAN__VI_FOLLOWS = 8,
  CARDAN__VI_SHARES = 16,
  CARDAN__VI_TURNS = 32,
  CARDAN__VI_TIED = 64,
  CARDAN__VI_BALL = 128
};

/* In place of where dq of a block's joints are. */
enum { CARDAN__VI_NONE_TURNS = -2 };

/* What the recursions read of a body's place; flags as above, link: those of the body. */
typedef struct {
  int parent, vadr, flags, link;
} cardan__vi_kin;

/* The same of a ball joint on which nothing acts (vi_ball.h). */
typedef struct {
  cardan_mat3 inv_E, G, K, R;
  cardan_vec3 p;
} cardan__vi_ball;

/* The same for a joint of 3 or 6 velocities; of a free ball, U, W, S and inv_D only where
 * there is raw. */
typedef struct {
  cardan__vi_ball ball;
  int64_t is_free; // it is such a ball
  cardan_force U[6], W[6];
  cardan_twist S[6];
  double inv_D[36];
} cardan__vi_multi;

struct cardan__vi {
  cardan__discrete base;
  bool has_gravity, has_rows;
  bool has_forces;                // without a potential, friction in joints aside
  bool has_potential;             // at the nodes
  bool has_elastic;               // at the middle
  bool has_balls;                 // joints
  bool se3;                       // option kinetic
  cardan__central_lanes *central; // nblock; NULL: of no use

  // of the node
  cardan__force_lanes *P, *W; // of all bodies, by eights
  cardan_force *loads;        // nbody: scratch of W, where forces add to it
  double *pj, *Wj;            // nv: joint parts, that are not wrenches on bodies

  // the step under way
  int nblock;              // eights of bodies
  int *turns;              // nblock: where dq of their joints are, side by side; or _NONE_TURNS
  bool *apart;             // nblock: they are not side by side
  cardan__vi_lanes *lanes; // nblock
  double *c;               // nv: pj + h/2 (Wj + tau_in + Q)
  double *c0;              // nv: the part of c that does not change in the step

  // O(n) Newton
  cardan__quad *A;           // nbody: what children add
  cardan__vi_factor *factor; // nbody
  cardan__vi_raw *raw;       // nbody; NULL: not needed
  cardan__vi_multi *multi;   // nmulti
  cardan__vi_kin *kin;       // nbody
  cardan_force *b;           // nbody
  cardan_twist *zeta;        // nbody
  double *u, *column;        // nv

  // forces without a potential
  double *Q;                 // nv, at the middle of the step
  double *slope;             // nv: derivative of h/2 Q on its own coordinate, and -I / h of a rotor
  double *slope_q, *slope_v; // nv
  int nchannel;              // forces that couple coordinates
  double *alpha, *beta, *Z;  // nchannel x nv: derivative, direction, and response to it
  double *T, *channel;       // nchannel^2, nchannel
  int *pivot;                // nchannel
  cardan__vi_elastic elastic;
};

/* What body i was displaced by at the last residual, and its momenta. */
static inline cardan__screw cardan__vi_displaced(const cardan__vi *s, int i)
{
  return cardan__lane_screw(s->lanes[cardan__block_of(i)].Q, cardan__lane_of(i));
}

static inline cardan_force cardan__vi_mu(const cardan__vi *s, int i)
{
  return cardan__lane_force(s->lanes[cardan__block_of(i)].mu, cardan__lane_of(i));
}

static inline cardan_force cardan__vi_next(const cardan__vi *s, int i)
{
  return cardan__lane_force(s->lanes[cardan__block_of(i)].next, cardan__lane_of(i));
}

/* Does any force without a potential act in the equation? */
static inline bool cardan__vi_acts(const cardan__vi *s)
{
  return s->has_forces || s->base.friction_acts;
}

/* A V */
static inline cardan_force cardan__quad_mul(const cardan__quad *A, cardan_twist V)
{
  const cardan__vec4 x = {V.w.x, V.v.x, V.w.x, V.v.x}, y = {V.w.y, V.v.y, V.w.y, V.v.y},
                     z = {V.w.z, V.v.z, V.w.z, V.v.z};
  const cardan__vec4 a = A->m[0][0] * x + A->m[0][1] * y + A->m[0][2] * z,
                     b = A->m[1][0] * x + A->m[1][1] * y + A->m[1][2] * z,
                     c = A->m[2][0] * x + A->m[2][1] * y + A->m[2][2] * z;
  return (cardan_force){{a[0] + a[1], b[0] + b[1], c[0] + c[1]},
                        {a[2] + a[3], b[2] + b[3], c[2] + c[3]}};
}

/* drnea.c: lanes and f (base.r) from the displacement and c. */
void cardan__vi_residual(cardan__vi *s);
/* Of cardan__equation. */
void cardan__vi_sizes(cardan__discrete *d, double *scale);

/* vi_kinetic.c
 * _make     constants of the bodies
 * _momenta  x, mu and next of every body from its displacement
 * _block    K and S of block k at the last residual, out
 * _slope    K of body i alone */
void cardan__vi_kinetic_make(cardan__vi *s);
void cardan__vi_kinetic_momenta(cardan__vi *s);
void cardan__vi_kinetic_block(const cardan__vi *s, int k, cardan__slope_lanes *out);
cardan__mat6 cardan__vi_kinetic_slope(const cardan__vi *s, int i);

/* vi_newton.c: factor at the last residual. */
cardan_status cardan__vi_factorise(cardan__vi *s) CARDAN_MUST_USE;
/* K of every body at the last residual, to A. */
void cardan__vi_kernels(cardan__vi *s);

/* solve.c: x = J^-1 r, r and x: nv, may be the same; over the bodies from .. to - 1, which are
 * whole trees, nothing else of both is looked at. */
void cardan__vi_solve(cardan__vi *s, int from, int to, const double *r, double *x);
/* The same where r is 0 but on the way from body tip, one of them, to the world. */
void cardan__vi_solve_along(cardan__vi *s, int from, int to, int tip, const double *r, double *x);
/* What dynamics/columns.h needs of a body, factors: a cardan__vi. */
cardan__link_of cardan__vi_link;

/* apply.c: of cardan__equation. */
cardan_status cardan__vi_linearise(cardan__discrete *d) CARDAN_MUST_USE;
void cardan__vi_apply(cardan__discrete *d, const double *x, double *y);

/* vi_dense.c: J itself at the last residual, nv x nv row-major, with rows and columns of prescribed
 * coordinates those of the identity. */
void cardan__vi_jacobian(cardan__vi *s, double *J);

/* force.c: Q, or its derivatives (slope, alpha, beta)
 * _sizes   scale (nv) += what rounding of coordinates leaves in Q, where trial is at the middle */
cardan_status cardan__vi_forces(cardan__vi *s, bool derivatives) CARDAN_MUST_USE;
void cardan__vi_force_sizes(cardan__vi *s, double *scale);
int cardan__vi_channels(const cardan_model *model);

/* vi_equation.c: these derivatives, and the armatures' in slope. */
cardan_status cardan__vi_joint_slopes(cardan__vi *s) CARDAN_MUST_USE;

/* vi_slopes.c: of cardan__equation. */
cardan_status cardan__vi_slopes(cardan__discrete *d, cardan__slopes *out) CARDAN_MUST_USE;

/* vi.c: of cardan__equation. */
void cardan__vi_read(cardan__discrete *d);
void cardan__vi_layout(cardan__discrete *d, cardan__carver *c);
cardan_status cardan__vi_make(cardan__discrete *d) CARDAN_MUST_USE;

extern const cardan__equation cardan__equation_vi; // vi_equation.c
