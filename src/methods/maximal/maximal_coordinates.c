// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "kinematics/joint.h"
#include "kinematics/recursions.h"
#include "methods/maximal/maximal.h"
#include "model/joint_table.h"
#include "spatial/sincos.h"

/* Between poses and twists of the bodies and the model's own coordinates.
 *
 * For the chain of links 1..n from parent P to child C, T_PC(q) = T_1(q_1) .. T_n(q_n), and with
 * the columns of the links' S moved to C's coordinates, K = [.. Ad_lC^-1 S_l ..]:
 *   V_C - Ad_PC^-1 V_P = K v                                                             (E1)
 *   v = B (V_C - Ad_PC^-1 V_P),   B = (K^T K)^-1 K^T, least squares                      (E2)
 *   A_C = [Ad_PC^-1 A_P + the chain's velocity products] + K a,   a by B as v            (E3)
 *   a force tau on v is the wrench B^T tau on C, its opposite on P                       (E4)
 * When the rows of the joint hold, (E2) and (E3) are exact and (E4) has the right power; when they
 * do not quite, they are the nearest. One link with an axis needs no algebra: B is the axis; for a
 * helical joint the axis of its angle, so that a torque on it is a torque.
 *
 * Poses determine an angle but for whole turns: it is the one nearest to mx->q. Over a step in
 * which the bodies turn by x_P and x_C about axes that are steady in each of them, a joint about z
 * turns by exactly
 *   dq = z . x_C - z . x_P,                                                              (E6)
 * since z is steady in both; cardan__mx_predict_turns moves mx->q by that where turns are long. */

/* ---- chains ---- */

typedef struct {
  int n;                            // links
  const int *link;                  // bodies of the tree
  int nv;                           // velocities
  int vadr[CARDAN__MX_DOF];         // of each column
  cardan_twist K[CARDAN__MX_DOF];   // (E1)
  cardan_xform X[CARDAN__MX_LINKS]; // T_l of each link
  cardan_xform T_PC;                // as the poses have it
  double N[CARDAN__MX_DOF]
          [CARDAN__MX_DOF]; // Cholesky factor of K^T K; pivots of dead columns are 0
} chain;

/* T of a link at its coordinates. */
static cardan_xform link_pose(const cardan_body *b, const double *q)
{
  return cardan__joint_ops_of(b->kind)->place(b, q);
}

/* A negligible pivot, relative to the column's own square: the sine of the angle at which two axes
 * of a chain count as one (gimbal lock), squared. */
static const double dead_pivot = 1e-16;

static void factor_normal(chain *c)
{
  for (int i = 0; i < c->nv; i++) {
    for (int j = 0; j <= i; j++) {
      const cardan_twist a = c->K[i], b = c->K[j];
      double s = cardan__vec3_dot(a.w, b.w) + cardan__vec3_dot(a.v, b.v);
      const double own = s;
      for (int k = 0; k < j; k++) {
        s -= c->N[i][k] * c->N[j][k];
      }
      if (i > j) {
        c->N[i][j] = c->N[j][j] > 0 ? s / c->N[j][j] : 0;
      } else {
        c->N[i][i] = s > dead_pivot * own ? sqrt(s) : 0;
      }
    }
  }
}

/* x <- (K^T K)^-1 x; numbers of dead columns become 0. */
static void solve_normal(const chain *c, double *x)
{
  for (int i = 0; i < c->nv; i++) {
    for (int k = 0; k < i; k++) {
      x[i] -= c->N[i][k] * x[k];
    }
    x[i] = c->N[i][i] > 0 ? x[i] / c->N[i][i] : 0;
  }
  for (int i = c->nv - 1; i >= 0; i--) {
    for (int k = i + 1; k < c->nv; k++) {
      x[i] -= c->N[k][i] * x[k];
    }
    x[i] = c->N[i][i] > 0 ? x[i] / c->N[i][i] : 0;
  }
}

/* The chain of joint j at mx->q. */
static chain read_chain(const cardan__maximal *mx, const cardan__mx_joint *j)
{
  const cardan_model *model = mx->model;
  chain c = {.n = j->nlink, .link = mx->link + j->link};
  const int P = j->parent >= 0 ? mx->body[j->parent].body : 0;
  cardan_xform T = cardan__xform_identity();
  c.T_PC = cardan__xform_inv_mul(&mx->X_W[P], &mx->X_W[c.link[c.n - 1]]);
  c.nv = j->nv;
  int col = c.nv;
  for (int l = c.n - 1; l >= 0; l--) {
    const cardan_body *b = &model->body[c.link[l]];
    for (int k = b->nv - 1; k >= 0; k--) {
      col--;
      c.vadr[col] = b->vadr + k;
      c.K[col] = cardan__twist_to_child(&T, cardan__joint_axis(b, k));
    }
    c.X[l] = link_pose(b, mx->q + b->qadr);
    T = cardan__xform_mul(&c.X[l], &T);
  }
  factor_normal(&c);
  return c;
}

/* (E2): out (nv of the chain) = B x */
static void rate_of(const chain *c, cardan_twist x, double *out)
{
  for (int i = 0; i < c->nv; i++) {
    out[i] = cardan__vec3_dot(c->K[i].w, x.w) + cardan__vec3_dot(c->K[i].v, x.v);
  }
  solve_normal(c, out);
}

/* ---- positions ---- */

/* q moved by dq along the chain. */
static void move_chain(const cardan_model *model, const chain *c, const double *dq, double *q)
{
  for (int l = 0, k = 0; l < c->n; k += model->body[c->link[l]].nv, l++) {
    const cardan_body *b = &model->body[c->link[l]];
    double *at = q + b->qadr;
    cardan__joint_ops_of(b->kind)->move(b, at, dq + k, 1, at);
  }
}

/* Coordinates of several links: Gauss-Newton on log(T(q)^-1 T_PC) from the last ones. */
static void several_links(cardan__maximal *mx, const cardan__mx_joint *j)
{
  enum { MOST = 12 };
  double last = HUGE_VAL;
  for (int i = 0; i < MOST; i++) {
    const chain c = read_chain(mx, j);
    cardan_xform T = c.X[0];
    double dq[CARDAN__MX_DOF], size = 0;
    for (int l = 1; l < c.n; l++) {
      T = cardan__xform_mul(&T, &c.X[l]);
    }
    const cardan_xform D = cardan__xform_inv_mul(&T, &c.T_PC);
    rate_of(&c, cardan_se3_log(&D), dq);
    for (int k = 0; k < c.nv; k++) {
      size = fmax(size, fabs(dq[k]));
    }
    if (!(size < 1e-9) && !isfinite(size)) {
      return;
    }
    move_chain(mx->model, &c, dq, mx->q);
    // quadratic: below 1e-9 the next change is rounding
    if (size < 1e-9 || (i > 2 && size >= last)) {
      return;
    }
    last = size;
  }
}

/* Poses of the massless bodies of a chain. */
static void place_links(cardan__maximal *mx, const cardan__mx_joint *j)
{
  const int *link = mx->link + j->link;
  int at = j->parent >= 0 ? mx->body[j->parent].body : 0;
  for (int l = 0; l < j->nlink - 1; l++) {
    const cardan_body *b = &mx->model->body[link[l]];
    const cardan_xform T = link_pose(b, mx->q + b->qadr);
    mx->X_W[link[l]] = cardan__xform_mul(&mx->X_W[at], &T);
    at = link[l];
  }
}

/* Angles of joints about one axis, several at a time. */
enum { TURNS = 32 };

typedef struct {
  int n;
  double s[TURNS], c[TURNS];
  double *q[TURNS];
} turns;

/* Those that are there, near the last ones. */
static void end_turns(turns *t)
{
  const double turn = 6.283185307179586;
  double angle[TURNS];
  cardan__angles(t->n, t->s, t->c, angle);
  for (int i = 0; i < t->n; i++) {
    *t->q[i] = angle[i] + turn * round((*t->q[i] - angle[i]) / turn);
  }
  t->n = 0;
}

/* A joint that turns body C against P about z of its own frame, whose axes x and y are e0 and e1 in
 * P and, at angle 0, in C: with R_P e0 . C's x and so on,
 *   2 cos q = e0.x + e1.y,   2 sin q = e1.x - e0.y                                          (E5) */
static void add_turn(turns *t, const cardan_mat3 *P, const cardan_mat3 *C, const cardan_body *b,
                     double *q)
{
  const cardan_vec3 e0 = cardan__mat3_mulv(P, cardan__mat3_column(&b->X.R, 0));
  const cardan_vec3 e1 = cardan__mat3_mulv(P, cardan__mat3_column(&b->X.R, 1));
  const cardan_vec3 x = cardan__mat3_column(C, 0), y = cardan__mat3_column(C, 1);
  t->s[t->n] = cardan__vec3_dot(e1, x) - cardan__vec3_dot(e0, y);
  t->c[t->n] = cardan__vec3_dot(e0, x) + cardan__vec3_dot(e1, y);
  t->q[t->n++] = q;
  if (t->n == TURNS) {
    end_turns(t);
  }
}

/* ---- turns ---- */

/* Rotation of body b here in a displacement x of all bodies, in its axes; b -1: the world's, 0. */
static cardan_vec3 turn_of(const cardan__maximal *mx, int b, const double *x)
{
  if (b < 0) {
    return cardan__vec3(0, 0, 0);
  }
  const double *own = x + (size_t)mx->dof * (size_t)b;
  return mx->planar ? cardan__vec3_scale(own[0], mx->body[b].n)
                    : cardan__vec3(own[0], own[1], own[2]);
}

/* (E2) for the rotations alone: slides have no turns to count. */
static void predict_several(cardan__maximal *mx, const cardan__mx_joint *j, cardan_vec3 parent,
                            cardan_vec3 child)
{
  chain c = read_chain(mx, j);
  double dq[CARDAN__MX_DOF];
  cardan_mat3 R = c.X[0].R;
  for (int l = 1; l < c.n; l++) {
    R = cardan__mat3_mul(&R, &c.X[l].R);
  }
  for (int k = 0; k < c.nv; k++) {
    c.K[k].v = cardan__vec3(0, 0, 0);
  }
  factor_normal(&c);
  rate_of(&c, (cardan_twist){.w = cardan__vec3_sub(child, cardan__mat3_tmulv(&R, parent))}, dq);
  move_chain(mx->model, &c, dq, mx->q);
}

void cardan__mx_predict_turns(cardan__maximal *mx, const double *q, const double *x)
{
  memcpy(mx->q, q, (size_t)mx->model->nq * sizeof *q);
  for (int b = 0; b < mx->nbody; b++) {
    const cardan__mx_joint *j = &mx->joint[b];
    const cardan_body *body = &mx->model->body[mx->body[b].body];
    const cardan_vec3 parent = turn_of(mx, j->parent, x), child = turn_of(mx, b, x);
    if (j->nlink > 1) {
      predict_several(mx, j, parent, child);
    } else if (cardan__body_turns(body)) { // (E6)
      mx->q[body->qadr] += child.z - cardan__vec3_dot(cardan__mat3_column(&body->X.R, 2), parent);
    }
  }
}

void cardan__mx_coordinates(cardan__maximal *mx, bool all)
{
  turns t;
  t.n = 0;
  if (!all && !mx->any_by_rows) {
    return;
  }
  for (int b = 0; b < mx->nbody; b++) {
    const cardan__mx_joint *j = &mx->joint[b];
    if (!all && !j->by_rows) {
      continue;
    }
    if (j->nlink == 1) {
      const int P = j->parent >= 0 ? mx->body[j->parent].body : 0, C = mx->body[b].body;
      const cardan_body *child = &mx->model->body[C];
      double *q = mx->q + child->qadr;
      if (cardan__joint_is_hinge(child)) {
        add_turn(&t, &mx->X_W[P].R, &mx->X_W[C].R, child, q);
        continue;
      }
      const cardan_xform T = cardan__xform_inv_mul(&mx->X_W[P], &mx->X_W[C]);
      cardan__joint_ops_of(child->kind)->invert(child, &T, q);
    } else {
      several_links(mx, j);
      place_links(mx, j);
    }
  }
  end_turns(&t);
}

/* ---- velocities and accelerations ---- */

/* V_C - Ad^-1 V_P */
static cardan_twist relative(const cardan__maximal *mx, const cardan__mx_joint *j,
                             const cardan_twist *V)
{
  const int P = j->parent >= 0 ? mx->body[j->parent].body : 0, C = mx->link[j->link + j->nlink - 1];
  const cardan_xform T = cardan__xform_inv_mul(&mx->X_W[P], &mx->X_W[C]);
  return cardan__twist_sub(V[C], cardan__twist_to_child(&T, V[P]));
}

/* Velocities of a joint of one link from the relative motion of its body. */
static void one_rate(const cardan_body *b, cardan_twist x, double *v)
{
  for (int k = 0; k < b->nv; k++) {
    v[k] = cardan__power(x, cardan__joint_dual(b, k));
  }
}

/* Accelerations a of a joint's velocities from the accelerations A of its bodies (E3); those of the
 * massless bodies between to A. */
static void joint_acceleration(const cardan__maximal *mx, const cardan__mx_joint *j,
                               cardan_twist *A, double *a)
{
  const cardan_model *model = mx->model;
  const chain c = read_chain(mx, j);
  const int P = j->parent >= 0 ? mx->body[j->parent].body : 0;
  cardan_twist at = A[P], product[CARDAN__MX_LINKS];
  cardan_vec3 w = mx->V[P].w;
  double rate[CARDAN__MX_DOF];
  for (int l = 0; l < c.n; l++) {
    const cardan_body *b = &model->body[c.link[l]];
    const double *v = mx->v + b->vadr;
    const cardan_vec3 next =
        cardan__vec3_add(cardan__mat3_tmulv(&c.X[l].R, w), cardan__joint_twist(b, v).w);
    product[l] = cardan__velocity_product(b, &c.X[l], w, next, mx->q + b->qadr, v);
    at = cardan__twist_add(cardan__twist_to_child(&c.X[l], at), product[l]);
    w = next;
  }
  const int C = c.link[c.n - 1];
  if (c.n == 1) {
    one_rate(&model->body[C], cardan__twist_sub(A[C], at), rate);
  } else {
    rate_of(&c, cardan__twist_sub(A[C], at), rate);
  }
  at = A[P];
  for (int l = 0, k = 0; l < c.n; k += model->body[c.link[l]].nv, l++) {
    const cardan_body *b = &model->body[c.link[l]];
    memcpy(a + b->vadr, rate + k, (size_t)b->nv * sizeof *a);
    if (l < c.n - 1) {
      at = cardan__twist_add(cardan__twist_to_child(&c.X[l], at), product[l]);
      A[c.link[l]] = at = cardan__twist_add(at, cardan__joint_twist(b, rate + k));
    }
  }
}

static void several_rates(cardan__maximal *mx, const cardan__mx_joint *j)
{
  const cardan_model *model = mx->model;
  const chain c = read_chain(mx, j);
  double rate[CARDAN__MX_DOF];
  int at = j->parent >= 0 ? mx->body[j->parent].body : 0;
  rate_of(&c, relative(mx, j, mx->V), rate);
  for (int l = 0, k = 0; l < c.n; k += model->body[c.link[l]].nv, l++) {
    const cardan_body *b = &model->body[c.link[l]];
    memcpy(mx->v + b->vadr, rate + k, (size_t)b->nv * sizeof *mx->v);
    if (l < c.n - 1) {
      mx->V[c.link[l]] = cardan__twist_add(cardan__twist_to_child(&c.X[l], mx->V[at]),
                                           cardan__joint_twist(b, rate + k));
      at = c.link[l];
    }
  }
}

void cardan__mx_rates(cardan__maximal *mx, bool all, bool accelerations)
{
  if (!all && !mx->any_by_rows && !accelerations) {
    return;
  }
  for (int b = 0; b < mx->nbody; b++) {
    const cardan__mx_joint *j = &mx->joint[b];
    const int C = mx->body[b].body;
    if (accelerations) { // of the body frame's origin, while the centre and the spin are steady
      const cardan_vec3 w = mx->V[C].w;
      mx->A0[C] = (cardan_twist){
          .v = cardan__vec3_neg(cardan__vec3_cross(w, cardan__vec3_cross(w, mx->body[b].c)))};
    }
    if (!all && !j->by_rows) {
      continue;
    }
    if (j->nlink == 1) {
      one_rate(&mx->model->body[C], relative(mx, j, mx->V), mx->v + mx->model->body[C].vadr);
    } else {
      several_rates(mx, j);
    }
  }
  for (int b = 0; b < mx->nbody && accelerations; b++) {
    if (mx->joint[b].by_rows) {
      joint_acceleration(mx, &mx->joint[b], mx->A0, mx->a0);
    }
  }
}

void cardan__mx_joint_accelerations(cardan__maximal *mx, const double *acc, double *a)
{
  const int n = mx->dof;
  cardan_twist *A = mx->A0;
  for (int b = 0; b < mx->nbody; b++) {
    const cardan__mx_body *body = &mx->body[b];
    const double *x = acc + n * b;
    const cardan_vec3 w = mx->V[body->body].w;
    const cardan_vec3 alpha =
        mx->planar ? cardan__vec3_scale(x[0], body->n) : cardan__vec3(x[0], x[1], x[2]);
    const cardan_vec3 lin = mx->planar
                                ? cardan__vec3_axpy(x[1], mx->e1, cardan__vec3_scale(x[2], mx->e2))
                                : cardan__vec3(x[3], x[4], x[5]);
    // a_origin = a_centre - alpha x c - w x (w x c)
    const cardan_vec3 arm = cardan__vec3_add(cardan__vec3_cross(alpha, body->c),
                                             cardan__vec3_cross(w, cardan__vec3_cross(w, body->c)));
    A[body->body] = (cardan_twist){
        .w = alpha, .v = cardan__vec3_sub(cardan__mat3_tmulv(&mx->X_W[body->body].R, lin), arm)};
  }
  for (int b = 0; b < mx->nbody; b++) {
    joint_acceleration(mx, &mx->joint[b], A, a);
  }
}

/* ---- forces ---- */

/* B^T tau of a joint of one link, as a wrench on the child; false when tau is 0. */
static bool one_force(const cardan_body *b, const double *tau, cardan_force *F)
{
  bool any = false;
  for (int k = 0; k < b->nv; k++) {
    any = any || tau[k] != 0;
  }
  if (!any) {
    return false;
  }
  *F = (cardan_force){.t = {0, 0, 0}};
  for (int k = 0; k < b->nv; k++) {
    *F = cardan__force_axpy(tau[k], cardan__joint_dual(b, k), *F);
  }
  return true;
}

/* The same for several links; wrenches on the massless bodies between are added to tau, and to the
 * parent P. */
static bool several_forces(const cardan__maximal *mx, const cardan__mx_joint *j, int P,
                           cardan_force *f_ext, double *tau, cardan_force *F)
{
  const cardan_model *model = mx->model;
  const chain c = read_chain(mx, j);
  double y[CARDAN__MX_DOF] = {0};
  bool any = false;
  cardan_force down = {.t = {0, 0, 0}};
  for (int l = c.n - 2; l >= 0; l--) {
    const cardan_body *link = &model->body[c.link[l]];
    down = cardan__force_add(down, f_ext[c.link[l]]);
    cardan__joint_project(link, down, y);
    for (int k = 0; k < link->nv; k++) {
      tau[link->vadr + k] += y[k];
    }
    down = cardan__force_to_parent(&c.X[l], down);
    f_ext[c.link[l]] = (cardan_force){.t = {0, 0, 0}};
  }
  f_ext[P] = cardan__force_add(f_ext[P], down);
  for (int k = 0; k < c.nv; k++) {
    y[k] = tau[c.vadr[k]];
    any = any || y[k] != 0;
  }
  solve_normal(&c, y); // (E4): B^T tau = K (K^T K)^-1 tau
  *F = (cardan_force){.t = {0, 0, 0}};
  for (int k = 0; k < c.nv; k++) {
    const cardan_force column = {.t = c.K[k].w, .f = c.K[k].v};
    *F = cardan__force_axpy(y[k], column, *F);
  }
  return any;
}

void cardan__mx_push_joint(const cardan__maximal *mx, int b, cardan_force *f_ext, double *tau)
{
  const cardan__mx_joint *j = &mx->joint[b];
  const int P = j->parent >= 0 ? mx->body[j->parent].body : 0, C = mx->body[b].body;
  const cardan_body *child = &mx->model->body[C];
  cardan_force F;
  if (j->nlink == 1 ? one_force(child, tau + child->vadr, &F)
                    : several_forces(mx, j, P, f_ext, tau, &F)) {
    const cardan_xform T = cardan__xform_inv_mul(&mx->X_W[P], &mx->X_W[C]);
    f_ext[C] = cardan__force_add(f_ext[C], F);
    f_ext[P] = cardan__force_sub(f_ext[P], cardan__force_to_parent(&T, F));
  }
}

void cardan__mx_to_bodies(const cardan__maximal *mx, cardan_force *f_ext, double *tau)
{
  for (int b = 0; b < mx->nbody; b++) {
    cardan__mx_push_joint(mx, b, f_ext, tau);
  }
}
