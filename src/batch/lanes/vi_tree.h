/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/vi_tree.h - the recursions of a variational step over `real`: the node, the residual
 * of the discrete Euler-Lagrange equations, and the sizes that it is held against; methods/vi and
 * methods/discrete/sizes.c in lanes. Units: vi_body.h.
 *
 * A node k is q^k and the momenta as the step before ends, N_i = next_i of each body and J of each
 * joint, without the node's own share of gravity, W_i. With e and e' half of the steps before and
 * after, in units of h' = 2 e':
 *   P_i = N_i + 2 e' e W_i,        pj = J                     the node's momenta            (T1)
 *   B_i = N_i + 2 e'(e + e') W_i,  c = J                      as the next step begins       (T2)
 * and the residual of joint i over the displacements x, with I its armature, d its damping and
 * Q the force of its actuators and springs (methods/vi/vi_elastic.h), at the middle of the step:
 *   dT_i = T_{l,i}^-1 dT_l T_{l,i} Exp(S_i x_i),   F_i = mu_i - B_i + sum of Ad^T F_c
 *   f_i = S_i^T F_i - c_i + (I + e' d) x_i - 2 e'^2 Q_i                                     (T3)
 *   J = (I - e' d) x_i + 2 e'^2 Q_i - f_i                     of the next node              (T4)
 * The remaining residual f counts as momentum of the next node, so that it does not accumulate. */
#pragma once
#include <stddef.h>

#include "batch/lanes/limits.h"
#include "batch/lanes/vi_body.h"
#include "kernels/guess_orders.h"
#include "kernels/root_policy.h"

/* A body in a step. */
typedef struct {
  screw Q; // displacement
  real6 F; // mu - B
  real6 B; // what mu is to be if it were free
  real6 N; // momentum of the node: that the step ends at, from the first residual on
} vi_body;

/* 1-norms of what a body does in the step, and its walk (methods/discrete/sizes.c). */
typedef struct {
  real turn, way, force, torque;
  real ww, wd, dd;
} vi_size;

/* Elimination of a joint in the Jacobian of a step: U = A S', W = S^T A; L and U of D in one, with
 * 1 / pivots on the diagonal. */
typedef struct {
  real6 U, W, S;
  real inv_d;
} vi_slope;

/* Dry friction of a joint, a box row (vi_boxes.h). */
typedef struct {
  real phi;       // the force [N, N m]: impulses are phi h / 2
  real way;       // displacement in the next direction, where the joint is held
  real need;      // h times the impulse that holds it, of the last solve with M
  mask held;      // it does not move
  mask in_factor; // held in the pivots of M
  mask kept;      // scratch
} vi_box;

/* A ball of a body over the plane (vi_feet.h). */
typedef struct {
  real gap, way;     // at the node; what it changed by in the last step
  real3 n, t[2], at; // body axes at the node: normal, across it, the point that touches
  real lambda[3];    // h r^- along these
  real rate[2];      // [m/s] of sliding at the node, along t
  real rho[2];       // 1 / the trace of S over the normal, over the tangents; 0: not known
  mask closed, fast; // fast: it slides along t[0], as the node sees it
} vi_foot;

typedef struct {
  real6 U[6], W[6], S[6];
  real LU[6][6];
} vi_slopes;

enum { VI_ORDERS = CARDAN__EXTRAPOLATE_ORDERS };

/* Pivots of M: none, those of the node, or with what a step adds in the joints (vi_feet.h). */
typedef enum { VI_NO_PIVOTS, VI_NODE_PIVOTS, VI_STEP_PIVOTS } vi_pivots;

/* A row of a loop (vi_loops.h). */
typedef struct {
  real6 W[3];  // on its bodies, at the node
  real lambda; // h times its impulse
} vi_row;

/* Where a body is at the node (vi_loops.h). */
typedef struct {
  real3 axis[3], p; // the world's axes, in those of the body; its origin
} vi_place;

/* What all copies of a group have in common, and stays from step to step. */
typedef struct {
  double tol, floor;
  double e; // half of the last step; of the first, before it
  int have; // displacements that are known
  int64_t steps;
  int factored; // a vi_pivots
  double dt;    // length of a whole step
  int nactive;  // feet that are closed in some lane
  int active[CARDAN__LANES_FEET];
} vi_head;

typedef struct {
  const cardan__lanes_model *model;
  vi_head *head;
  passes pass;         // joints at the node; U and pivots of M; what inward passes hand on
  double e;            // half of the step under way
  vi_body *body;       // nbody
  vi_size *size;       // nbody
  vi_slope *slope;     // nbody
  vi_slopes *slopes;   // nmulti
  mat6 *matrix;        // nslot
  screw *joint, *kept; // nmulti: exp of the displacement; scratch
  real3 *field;        // nbody: gravity in the bodies' axes
  vi_box *box;         // ndry
  real *minus;         // ndry: phi of (B1), vi_boxes.h
  real *x, *f;         // nv: displacement, residual
  real *y, *z;         // nv: directions
  real *c, *J;         // nv
  real *scale, *guess; // nv: 1 / sizes; where the search began
  real *D;             // VI_ORDERS x nv: differences of displacements
  real *size2;         // VI_ORDERS: their squares
  real *wait;          // 2: steps to go with Newton's directions; how many that were
  real *q, *v, *u;     // of cardan__lanes, as the rest
  real *done;
  int64_t *evaluations;
  mask *left;
  mask near;       // lanes that are to fall back
  vi_foot *foot;   // nfoot + nguard
  vi_row *row;     // nrow
  vi_place *place; // nbody, where there are loops
  real3 *normal;   // nbody: of the plane, in the bodies' axes
  real *height;    // nbody: of origins over it
  real *U, *S, *L; // n x nv, n x n: responses of n = 3 nfoot + nrow rows, their products, a factor
  real *phi, *sigma; // n: values of rows, impulses of a direction
  real *rest, *b;    // n: (N) of a direction (vi_cones.h): ways, and what they are without
                     // impulses
  real *rhs;         // n
  mask *redundant;   // 1: lanes whose closed feet depend on one another at the node
  real *drag;        // nv: VI_STEP_PIVOTS
  real *past;        // 2 nfoot: lanes->foot
  mask standing;     // lanes with a closed foot
  real kappa;        // of (F1), vi_feet.h
  real changes;      // evaluations or rounds in which joints were held or let go
} vi_lanes;

/* ---- one joint ---- */

static inline int joint_nv(const cardan__lanes_body *b)
{
  return b->kind == CARDAN_LINK_SPHERICAL ? 3 : b->kind == CARDAN_LINK_FREE ? 6 : 1;
}

/* A wrench in the parent's frame, a twist in the child's. */
static inline real6 force_up(const vi_lanes *s, const cardan__lanes_body *b, int i, real6 F)
{
  return wrench_to_parent(b, &s->pass, &s->pass.link[i], origin_of(b, &s->pass, s->q), F);
}

static inline real6 motion_down(const vi_lanes *s, const cardan__lanes_body *b, int i, real6 V)
{
  return acceleration_to_child(b, &s->pass, &s->pass.link[i], origin_of(b, &s->pass, s->q), V);
}

/* S^T F of a joint of one velocity. */
static inline real project(const cardan__lanes_body *b, real6 F)
{
  if (b->kind == CARDAN_LINK_REVOLUTE) {
    return F.w.z;
  }
  return b->kind == CARDAN_LINK_PRISMATIC ? F.v.z : madd(real_of(b->pitch), F.v.z, F.w.z);
}

static inline void to_array(real6 F, real *e)
{
  e[0] = F.w.x;
  e[1] = F.w.y;
  e[2] = F.w.z;
  e[3] = F.v.x;
  e[4] = F.v.y;
  e[5] = F.v.z;
}

/* S x of a joint of n = 3 or 6 velocities. */
static inline real6 of_array(int n, const real *x)
{
  const real none = real_of(0);
  return (real6){{x[0], x[1], x[2]},
                 {n > 3 ? x[3] : none, n > 3 ? x[4] : none, n > 3 ? x[5] : none}};
}

/* What body i hands to its parent in an inward pass; and what it was handed. */
static inline void hand_up(const vi_lanes *s, const cardan__lanes_body *b, real6 F)
{
  if (!(b->flags & CARDAN__LANES_ROOT)) {
    real6 *to = &s->pass.slot[s->model->body[b->parent].slot].f;
    *to = b->flags & CARDAN__LANES_FIRST ? F : add6(*to, F);
  }
}

/* ---- the node ---- */

/* Joints at q, and the field in the bodies' axes. */
CARDAN__WHOLE mask place_node(vi_lanes *s)
{
  const cardan__lanes_model *m = s->model;
  mask bad = mask_of(0);
  s->field[0] = real3_of(m->gravity);
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    link *l = &s->pass.link[i];
    bad |= place_joint(b, &s->pass, l, s->q);
    s->field[i] = to_child(b, &s->pass, l, s->field[b->parent]);
  }
  s->head->factored = 0;
  return bad;
}

/* k (h x g, m g): k times the weight of a body, and F. */
static inline real6 add_weight(const vi_lanes *s, const cardan__lanes_body *b, int i, real k,
                               real6 F)
{
  const real3 g = scale3(k, s->field[i]);
  return (real6){arm_add(b->lever, real3_of(b->h), g, F.w), axpy3(real_of(b->m), g, F.v)};
}

/* (T2) of a step of length 2 e', after one of 2 e. */
CARDAN__WHOLE void begin_step(vi_lanes *s, double e_next)
{
  const cardan__lanes_model *m = s->model;
  const double e = s->head->e;
  const real ratio = real_of(e_next / e), weight = real_of(2 * e_next * (e + e_next));
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    vi_body *o = &s->body[i];
    if (!(b->flags & CARDAN__LANES_LIGHT)) {
      const real6 N = {scale3(ratio, o->N.w), scale3(ratio, o->N.v)};
      o->B = add_weight(s, b, i, weight, N);
    }
  }
  for (int k = 0; k < m->nv; k++) {
    s->c[k] = ratio * s->J[k];
  }
  s->e = e_next;
}

/* ---- the residual ---- */

/* Exp(S x) of a joint of one velocity after Q. */
static inline mask displace(const cardan__lanes_body *b, real x, screw *Q)
{
  const real half = real_of(0.5) * x;
  mask bad = mask_of(0);
  if (b->kind != CARDAN_LINK_PRISMATIC) {
    real c, s;
    bad = half_turn(half, &c, &s);
    *Q = (screw){quat_turn_z(Q->r, c, s), quat_turn_z(Q->d, c, s)};
  }
  if (b->kind == CARDAN_LINK_PRISMATIC) {
    *Q = screw_slide_z(*Q, half);
  } else if (b->kind == CARDAN_LINK_HELICAL) {
    *Q = screw_slide_z(*Q, real_of(b->pitch) * half);
  }
  return bad;
}

/* dT_i from that of its parent. */
static inline mask displace_body(const vi_lanes *s, const cardan__lanes_body *b, int i, screw *Q)
{
  const int is_root = b->flags & CARDAN__LANES_ROOT;
  if (!is_z(b) && is_root) {
    *Q = s->joint[b->multi];
    return mask_of(0);
  }
  if (is_root) {
    *Q = screw_identity();
  } else {
    const screw l = s->body[b->parent].Q;
    const real6 u = motion_down(s, b, i, (real6){l.r.v, l.d.v});
    *Q = (screw){{l.r.w, u.w}, {l.d.w, u.v}};
  }
  if (!is_z(b)) {
    *Q = screw_mul(*Q, s->joint[b->multi]);
    return mask_of(0);
  }
  return displace(b, s->x[b->vadr], Q);
}

static inline real size1(real3 a)
{
  return magnitude(a.x) + (magnitude(a.y) + magnitude(a.z));
}

/* Displacements and F of every body; sizes, when they are wanted. */
CARDAN__WHOLE mask residual_outward(vi_lanes *s, int sizes)
{
  const cardan__lanes_model *m = s->model;
  mask bad = mask_of(0);
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    vi_body *o = &s->body[i];
    screw Q;
    bad |= displace_body(s, b, i, &Q);
    o->Q = Q;
    if (sizes) {
      s->size[i].turn = size1(Q.r.v);
      s->size[i].way = size1(Q.d.v);
      s->size[i].force = s->size[i].torque = real_of(0);
    }
    if (!(b->flags & CARDAN__LANES_LIGHT)) {
      const real6 mu = step_momenta(b, &Q, &o->N);
      o->F = (real6){sub3(mu.w, o->B.w), sub3(mu.v, o->B.v)};
      if (sizes) {
        s->size[i].force = size1(o->B.v) + size1(mu.v);
        s->size[i].torque = size1(o->B.w) + size1(mu.w);
      }
    }
  }
  return bad;
}

/* S^T F + the sum of the children's, of every joint, to out: nv. */
CARDAN__WHOLE void project_all(const vi_lanes *s, real *out)
{
  const cardan__lanes_model *m = s->model;
  const real6 none = {{real_of(0), real_of(0), real_of(0)}, {real_of(0), real_of(0), real_of(0)}};
  for (int i = m->nbody - 1; i > 0; i--) {
    const cardan__lanes_body *b = &m->body[i];
    real6 F = b->flags & CARDAN__LANES_LIGHT ? none : s->body[i].F;
    if (!(b->flags & CARDAN__LANES_LEAF)) {
      F = add6(F, s->pass.slot[b->slot].f);
    }
    if (!is_z(b)) {
      real e[6];
      to_array(F, e);
      memcpy(out + b->vadr, e, (size_t)joint_nv(b) * sizeof *e);
    } else {
      out[b->vadr] = project(b, F);
    }
    if (!(b->flags & CARDAN__LANES_ROOT)) {
      hand_up(s, b, force_up(s, b, i, F));
    }
  }
}

/* Force of an actuator at the middle of the step, without its bounds; and on its velocity. */
static inline real servo(const vi_lanes *s, const cardan__lanes_actuator *a)
{
  const cardan__lanes_input *in = &s->model->input[a->input];
  const real u = clamp(s->u[a->input], in->low, in->high), gear = real_of(a->gear);
  if (!a->servo) {
    return u;
  }
  const real x = s->x[a->dof], q = madd(real_of(0.5), x, s->q[a->var]);
  const real v = real_of(1 / (2 * s->e)) * x;
  return nmadd(real_of(a->kd) * gear, v, real_of(a->kp) * nmadd(gear, q, u));
}

static inline real actuate(const vi_lanes *s, const cardan__lanes_actuator *a)
{
  return real_of(a->gear) * clamp(servo(s, a), a->low, a->high);
}

/* f - 2 e^2 Q, f: nv */
static void subtract_actuators(const vi_lanes *s, real *f)
{
  const real ee = real_of(2 * s->e * s->e);
  for (int j = 0; j < s->model->nactuator; j++) {
    const cardan__lanes_actuator *a = &s->model->actuator[j];
    f[a->dof] = nmadd(ee, actuate(s, a), f[a->dof]);
  }
}

/* Coordinate of a spring at the middle of the step. */
static inline real mean_of(const vi_lanes *s, const cardan__lanes_spring *p)
{
  return madd(real_of(0.5), s->x[p->dof], s->q[p->var]);
}

/* f - 2 e^2 Q of the springs, f: nv */
static void subtract_springs(const vi_lanes *s, real *f)
{
  const double ee = 2 * s->e * s->e;
  for (int j = 0; j < s->model->nspring; j++) {
    const cardan__lanes_spring *p = &s->model->spring[j];
    f[p->dof] = madd(real_of(ee * p->k), mean_of(s, p) - real_of(p->rest), f[p->dof]);
  }
}

/* f - 2 e^2 phi of the joints with dry friction; those that are held have the phi that leaves 0. */
static void subtract_boxes(const vi_lanes *s, real *f)
{
  const double ee = 2 * s->e * s->e;
  for (int j = 0; j < s->model->ndry; j++) {
    vi_box *box = &s->box[j];
    real *own = &f[s->model->dry[j].dof];
    box->phi = choose(box->held, real_of(1 / ee) * *own, box->phi);
    *own = choose(box->held, real_of(0), nmadd(real_of(ee), box->phi, *own));
  }
}

/* out: nv, + (i I + d e damping) x of every joint, i and d being 1 or -1 */
static void add_drag(const vi_lanes *s, double i_sign, double d_sign, real *out)
{
  const cardan__lanes_model *m = s->model;
  for (int i = 1; i < m->nbody && (m->damped || m->rotors); i++) {
    const cardan__lanes_body *b = &m->body[i];
    for (int k = b->vadr; k < b->vadr + joint_nv(b); k++) {
      const double drag = i_sign * b->armature + d_sign * s->e * m->damping[k];
      out[k] = madd(real_of(drag), s->x[k], out[k]);
    }
  }
}

/* Of impulses r (3) on a foot. */
static inline real6 foot_wrench(const vi_foot *f, const real *r)
{
  const real3 F = axpy3(r[0], f->n, axpy3(r[1], f->t[0], scale3(r[2], f->t[1])));
  return (real6){cross3(f->at, F), F};
}

/* F less the impulses of feet that are closed, and of loops. */
static void subtract_feet(const vi_lanes *s)
{
  for (int i = 0; i < s->head->nactive; i++) {
    const int j = s->head->active[i];
    const real6 W = foot_wrench(&s->foot[j], s->foot[j].lambda);
    real6 *F = &s->body[s->model->foot[j].body].F;
    *F = (real6){sub3(F->w, W.w), sub3(F->v, W.v)};
  }
  for (int j = 0; j < s->model->nrow; j++) {
    const cardan__lanes_row *r = &s->model->row[j];
    for (int k = 0; k < 3 && r->kind != CARDAN_ROW_COORD; k++) {
      real6 *F = &s->body[r->body[k]].F;
      *F = axpy6(-s->row[j].lambda, s->row[j].W[k], *F);
    }
  }
}

/* f - G^T lambda of rows on coordinates, f: nv. */
static void subtract_couplings(const vi_lanes *s, real *f)
{
  for (int j = 0; j < s->model->nrow; j++) {
    const cardan__lanes_row *r = &s->model->row[j];
    for (int k = 0; k < 2 && r->kind == CARDAN_ROW_COORD; k++) {
      f[r->dof[k]] = nmadd(real_of(r->coef[k]), s->row[j].lambda, f[r->dof[k]]);
    }
  }
}

/* (T3) */
static mask residual(vi_lanes *s, int sizes)
{
  const mask bad = residual_outward(s, sizes);
  subtract_feet(s);
  project_all(s, s->f);
  for (int k = 0; k < s->model->nv; k++) {
    s->f[k] = s->f[k] - s->c[k];
  }
  add_drag(s, 1, 1, s->f);
  subtract_actuators(s, s->f);
  subtract_springs(s, s->f);
  subtract_couplings(s, s->f);
  subtract_boxes(s, s->f);
  return bad;
}

/* ---- sizes ---- */

/* Walks of places, and what they and rounded lines add to a body's sizes. */
static inline void sizes_outward(vi_lanes *s)
{
  const cardan__lanes_model *m = s->model;
  const real place = real_of(2 * CARDAN__PLACE_ROUNDING * DBL_EPSILON / s->head->tol);
  const real line = real_of(CARDAN__LINE_ROUNDING * DBL_EPSILON / s->head->tol), two = real_of(2);
  s->size[0].ww = s->size[0].wd = s->size[0].dd = real_of(0);
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    const vi_size *l = &s->size[b->parent];
    vi_size *o = &s->size[i];
    const real p = size1(origin_of(b, &s->pass, s->q));
    o->ww = madd(o->turn, o->turn, l->ww);
    o->wd = madd(p, l->ww, l->wd);
    o->dd = madd(p, madd(two, l->wd, p * l->ww), madd(o->way, o->way, l->dd));
    const real turn = place * root(o->ww);
    o->force = madd(turn, real_of(b->moment), madd(place * real_of(b->m), root(o->dd), o->force));
    o->torque = madd(madd(line, madd(two, o->way, real_of(b->reach)), real_of(b->arm)), o->force,
                     madd(turn, real_of(b->trace), o->torque));
  }
}

/* 1 / sizes of what passes through each joint, to scale: nv; 0 where there is none. out: c, drag
 * and actuators, as absolute values. */
static inline void sizes_inward(vi_lanes *s)
{
  const cardan__lanes_model *m = s->model;
  for (int i = m->nbody - 1; i > 0; i--) {
    const cardan__lanes_body *b = &m->body[i];
    const vi_size *o = &s->size[i];
    for (int k = 0; k < joint_nv(b); k++) {
      const int slides = b->kind == CARDAN_LINK_PRISMATIC || k >= 3;
      real *size = &s->scale[b->vadr + k];
      *size = *size + (slides ? o->force : madd(real_of(fabs(b->pitch)), o->force, o->torque));
    }
    if (!(b->flags & CARDAN__LANES_ROOT)) {
      vi_size *l = &s->size[b->parent];
      l->torque = l->torque + madd(size1(origin_of(b, &s->pass, s->q)), o->force, o->torque);
      l->force = l->force + o->force;
    }
  }
  for (int k = 0; k < m->nv; k++) {
    const mask some = is_less(real_of(0), s->scale[k]);
    s->scale[k] = choose(some, real_of(1) / s->scale[k], real_of(0));
  }
}

/* After a residual with sizes. */
CARDAN__WHOLE void measure_sizes(vi_lanes *s)
{
  const cardan__lanes_model *m = s->model;
  const real ee = real_of(2 * s->e * s->e);
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    for (int k = b->vadr; k < b->vadr + joint_nv(b); k++) {
      const real drag = real_of(b->armature + s->e * m->damping[k]);
      s->scale[k] = madd(drag, magnitude(s->x[k]), magnitude(s->c[k]));
    }
  }
  for (int j = 0; j < m->nactuator; j++) {
    const cardan__lanes_actuator *a = &m->actuator[j];
    s->scale[a->dof] = madd(ee, magnitude(actuate(s, a)), s->scale[a->dof]);
  }
  const real place = real_of(CARDAN__PLACE_ROUNDING * DBL_EPSILON / s->head->tol);
  for (int j = 0; j < m->nspring; j++) { // with what rounding of the coordinate leaves
    const cardan__lanes_spring *p = &m->spring[j];
    const real q = mean_of(s, p);
    const real size = madd(place, magnitude(q), magnitude(q - real_of(p->rest)));
    s->scale[p->dof] = madd(ee * real_of(p->k), size, s->scale[p->dof]);
  }
  sizes_outward(s);
  sizes_inward(s);
}
