// SPDX-License-Identifier: Apache-2.0
#include "dynamics/inverse_slopes.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "kinematics/joint.h"
#include "linalg/linalg.h"

/* Derivatives of inverse dynamics, O(nv depth).
 * [1] J. Carpentier, N. Mansard, Analytical derivatives of rigid body dynamics algorithms, 2018.
 * [2] S. Singh, R. Russell, P. Wensing, Efficient analytical derivatives of rigid-body dynamics
 *     using spatial vector algebra, 2022.
 * The composite quantities are those of [2]; (E5) is shorter. Body i has parent p; J_k is the axis
 * of velocity k, fixed in the body behind its joint; all in world axes.
 *
 *   V_i = V_p + sum J_k v_k,   A_i = A_p + sum J_k a_k + V_p x V_i,   A_0 = -gravity      (E1)
 *   F_i = I A_i + V_i x* (I V_i) - f_ext,i,   tau_k = J_k . F^C_i                         (E2)
 * with ^C: of the body and everything below it. A unit of q_j, of a body j under p, carries along
 * all that is below: x changes by J_j x x, but for what p's motion is part of:
 *   dV_i = J_j x V_i + d_j,               d_j  = V_p x J_j                                (E3)
 *   dA_i = J_j x A_i + d_j x V_i + dd_j,  dd_j = A_p x J_j + V_p x d_j                    (E4)
 *   dF_i = J_j x* F_i + I dd_j + B_i d_j,
 *   B x  = I (x x V) + x x* (I V) + V x* (I x),   x = (a; b)
 *        = (2 w x (Io a) - tr(Io) w x a - 2 h x (v x a);  2 a x p)                        (E5)
 * (b cancels by Jacobi's identity; Io: the tensor about o, h = m c, p = m v + w x h). So where k is
 * behind j, or beside it in its joint,
 *   dtau_k/dq_j = J_k . (I^C_k dd_j + B^C_k d_j)                                          (E6)
 *   dtau_k/dv_j = J_k . (I^C_k (d_j + V_j x J_j) + B^C_k J_j)                             (E7)
 * and where k is before j, the same with the composites of j, (E6) with J_j x* F^C_j added. */

static void layout(void *what, cardan__carver *c)
{
  cardan_slopes *w = what;
  const size_t nbody = (size_t)w->model->nbody, nv = (size_t)w->model->nv;
  w->body = cardan__carve(c, nbody, sizeof *w->body);
  w->axis = cardan__carve(c, nv, sizeof *w->axis);
  w->order = cardan__carve(c, nv, sizeof *w->order);
  w->up = cardan__carve(c, nv, sizeof *w->up);
  w->tau_q = cardan__carve(c, nv * nv, sizeof(double));
  w->tau_v = cardan__carve(c, nv * nv, sizeof(double));
  w->L = cardan__carve(c, nv * nv, sizeof(double));
  w->X = cardan__carve(c, 3 * nv * nv, sizeof(double));
  w->dX = cardan__carve(c, nbody, sizeof *w->dX);
  w->dV = cardan__carve(c, nbody, sizeof *w->dV);
  w->df = cardan__carve(c, nbody, sizeof *w->df);
  w->dtau = cardan__carve(c, nv, sizeof(double));
  w->unit = cardan__carve(c, nv, sizeof(double));
  w->zero = cardan__carve(c, nv, sizeof(double));
}

/* Along the branches 12 nv operations are made for each entry of L, by LAPACK 5 nv^3 in all, at
 * several times the rate: with a fifth to a quarter of nv^2 entries both take the same time, at
 * nv = 64 to 200. A chain has a half. */
static bool is_dense(int nv, const cardan_slopes *w)
{
  size_t entries = 0;
  for (int n = 0; n < w->nsolved; n++) {
    for (int k = w->order[n]; k >= 0; k = w->up[k]) {
      entries++;
    }
  }
  return nv >= CARDAN__DENSE && 10 * entries > 3 * (size_t)nv * (size_t)nv;
}

/* order, up, dense. Velocities need not be numbered as bodies are: a joint's coordinates have an
 * order of their own. */
static void find_branches(const cardan_model *model, cardan_slopes *w)
{
  w->nsolved = 0;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    int before = b->parent, last = -1; // the last velocity that is solved for up there
    while (before > 0 && last < 0) {
      const cardan_body *p = &model->body[before];
      last = p->flags & CARDAN_LINK_KINEMATIC ? -1 : p->vadr + p->nv - 1;
      before = p->parent;
    }
    for (int k = 0; k < b->nv && !(b->flags & CARDAN_LINK_KINEMATIC); k++) {
      w->order[w->nsolved++] = b->vadr + k;
      w->up[b->vadr + k] = k > 0 ? b->vadr + k - 1 : last;
    }
  }
  w->dense = is_dense(model->nv, w);
}

cardan_status cardan_slopes_reserve(const cardan_model *model, cardan_data *data)
{
  if (data->slopes != NULL) {
    return CARDAN_OK;
  }
  cardan_slopes *w = cardan__resize(&data->allocator, NULL, sizeof *w);
  if (w == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *w = (cardan_slopes){.model = model};
  w->block = cardan__carve_block(&data->allocator, layout, w);
  if (w->block == NULL) {
    cardan__resize(&data->allocator, w, 0);
    return CARDAN_ERR_MEMORY;
  }
  find_branches(model, w);
  data->slopes = w;
  return CARDAN_OK;
}

static cardan_status check(const cardan_model *model, cardan_data *data)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    if (!cardan__joint_is_constant(b)) {
      data->info.body = i;
      data->info.joint = b->joint;
      snprintf(data->info.message, sizeof data->info.message,
               "joint \"%.60s\" turns its own axes: derivatives of the dynamics do not take it",
               model->joint[b->joint].name);
      return CARDAN_ERR_UNSUPPORTED;
    }
  }
  return cardan_slopes_reserve(model, data);
}

/* B of (E5) for one body: a matrix on the angular part of x, and p. */
static void velocity_part(cardan__slope_body *s)
{
  const cardan__sym3 tensor = cardan__inertia_tensor(&s->inertia);
  const double trace = tensor.xx + tensor.yy + tensor.zz;
  const cardan_vec3 w = s->V.w, v = s->V.v, h = s->inertia.h;
  const double vh = cardan__vec3_dot(v, h);
  const cardan_mat3 full = {{{tensor.xx, tensor.xy, tensor.xz},
                             {tensor.xy, tensor.yy, tensor.yz},
                             {tensor.xz, tensor.yz, tensor.zz}}};
  const cardan_mat3 cross = cardan__mat3_skew(w), product = cardan__mat3_mul(&cross, &full);
  const double vv[3] = {v.x, v.y, v.z}, hh[3] = {h.x, h.y, h.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) { // h x (v x a) = v (h . a) - (h . v) a
      s->B.m[i][j] =
          2 * product.m[i][j] - trace * cross.m[i][j] - 2 * vv[i] * hh[j] + (i == j ? 2 * vh : 0.0);
    }
  }
  s->p = cardan__vec3_axpy(s->inertia.m, v, cardan__vec3_cross(w, h));
}

/* B x of everything below; x's linear part plays no role. */
static inline cardan_force velocity_mul(const cardan__slope_body *s, cardan_vec3 a)
{
  return (cardan_force){.t = cardan__mat3_mulv(&s->B, a),
                        .f = cardan__vec3_scale(2, cardan__vec3_cross(a, s->p))};
}

/* The angular part of B^T J; the linear one is 0. */
static inline cardan_vec3 velocity_tmul(const cardan__slope_body *s, cardan_twist J)
{
  return cardan__vec3_axpy(2, cardan__vec3_cross(s->p, J.v), cardan__mat3_tmulv(&s->B, J.w));
}

/* (E1) to (E4) and each body's own part of what is summed. */
static void outward(const cardan_model *model, const cardan_data *data, const double *a)
{
  cardan_slopes *w = data->slopes;
  w->body[0] = (cardan__slope_body){.A.v = cardan__vec3_neg(model->gravity)};
  w->o = model->nbody > 1 ? data->X_W[1].p : cardan__vec3(0, 0, 0);
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const cardan__slope_body *before = &w->body[b->parent];
    cardan__slope_body *s = &w->body[i];
    const cardan_xform X = {data->X_W[i].R, cardan__vec3_sub(data->X_W[i].p, w->o)};
    s->V = cardan__twist_to_parent(&X, data->V[i]);
    s->A = cardan__twist_add(before->A, cardan__twist_cross(before->V, s->V));
    for (int k = 0; k < b->nv; k++) {
      cardan__slope_axis *x = &w->axis[b->vadr + k];
      x->J = cardan__twist_to_parent(&X, cardan__joint_axis(b, k));
      x->d = cardan__twist_cross(before->V, x->J);
      x->dd = cardan__twist_add(cardan__twist_cross(before->A, x->J),
                                cardan__twist_cross(before->V, x->d));
      x->sum = cardan__twist_add(x->d, cardan__twist_cross(s->V, x->J));
      if (a != NULL) {
        s->A = cardan__twist_axpy(a[b->vadr + k], x->J, s->A);
      }
    }
    s->inertia = cardan__inertia_to_parent(&X, &b->inertia);
    velocity_part(s);
    const cardan_force momentum = cardan__inertia_mul(&s->inertia, s->V);
    s->F = cardan__force_add(cardan__inertia_mul(&s->inertia, s->A),
                             cardan__twist_cross_force(s->V, momentum)); // (E2)
    s->F = cardan__force_sub(s->F, cardan__force_to_parent(&X, data->f_ext[i]));
  }
}

static void add_to_parent(cardan__slope_body *to, const cardan__slope_body *s)
{
  to->inertia = cardan__inertia_add(&to->inertia, &s->inertia);
  to->p = cardan__vec3_add(to->p, s->p);
  to->F = cardan__force_add(to->F, s->F);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      to->B.m[i][j] += s->B.m[i][j];
    }
  }
}

/* Row and column of velocity k, which moves body i: by its own joint and those before it. */
static void row_and_column(const cardan_model *model, const cardan_slopes *w, int i, int k)
{
  const size_t nv = (size_t)model->nv, row = (size_t)k * nv;
  const cardan__slope_body *s = &w->body[i];
  const cardan__slope_axis *x = &w->axis[k];
  const cardan_force moved = cardan__inertia_mul(&s->inertia, x->J); // I^C J: the row's own
  const cardan_vec3 turned = velocity_tmul(s, x->J);                 // B^T J
  const cardan_force by_q = cardan__force_add(
      cardan__force_add(cardan__inertia_mul(&s->inertia, x->dd), velocity_mul(s, x->d.w)),
      cardan__twist_cross_force(x->J, s->F));
  const cardan_force by_v =
      cardan__force_add(cardan__inertia_mul(&s->inertia, x->sum), velocity_mul(s, x->J.w));
  for (int at = i; at > 0; at = model->body[at].parent) {
    const cardan_body *b = &model->body[at];
    for (int j = b->vadr; j < b->vadr + b->nv; j++) {
      const cardan__slope_axis *y = &w->axis[j];
      const size_t column = (size_t)j * nv + (size_t)k;
      const double inertia = cardan__power(y->J, moved);
      w->tau_q[row + (size_t)j] =
          cardan__power(y->dd, moved) + cardan__vec3_dot(turned, y->d.w); // (E6)
      w->tau_v[row + (size_t)j] =
          cardan__power(y->sum, moved) + cardan__vec3_dot(turned, y->J.w); // (E7)
      w->L[row + (size_t)j] = inertia;
      if (at != i) {
        w->tau_q[column] = cardan__power(y->J, by_q);
        w->tau_v[column] = cardan__power(y->J, by_v);
        w->L[column] = inertia;
      }
    }
  }
}

cardan_status cardan__tree_slopes(const cardan_model *model, cardan_data *data, const double *a)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  const cardan_status status = check(model, data);
  if (status != CARDAN_OK) {
    return status;
  }
  if (!(data->fresh & CARDAN_FRESH_POSES)) {
    cardan_poses(model, data);
  }
  const cardan_slopes *w = data->slopes;
  const size_t size = (size_t)model->nv * (size_t)model->nv * sizeof(double);
  memset(w->tau_q, 0, size);
  memset(w->tau_v, 0, size);
  memset(w->L, 0, size);
  outward(model, data, a);
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    for (int k = b->vadr; k < b->vadr + b->nv; k++) {
      row_and_column(model, w, i, k);
    }
    add_to_parent(&w->body[b->parent], &w->body[i]);
  }
  for (size_t k = 0, nv = (size_t)model->nv; k < nv; k++) {
    w->L[k * nv + k] += model->armature[k]; // of tau_k as rnea.c has it, (E4) there
  }
  return CARDAN_OK;
}

cardan_status cardan_inverse_slopes(const cardan_model *model, cardan_data *data, const double *a,
                                    double *tau_dq, double *tau_dv, double *M)
{
  const cardan_status status = cardan__tree_slopes(model, data, a);
  const size_t size = (size_t)model->nv * (size_t)model->nv * sizeof(double);
  double *const out[3] = {tau_dq, tau_dv, M};
  for (int k = 0; k < 3 && status == CARDAN_OK; k++) {
    const cardan_slopes *w = data->slopes;
    const double *const in[3] = {w->tau_q, w->tau_v, w->L};
    if (out[k] != NULL) {
      memcpy(out[k], in[k], size);
    }
  }
  return status;
}
