// SPDX-License-Identifier: Apache-2.0
#include "dynamics/aba.h"

#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/factor.h"
#include "kinematics/joint.h"
#include "kinematics/motion.h"
#include "model/data.h"

/* Forward dynamics a = M^-1 (tau - c + J^T f) by the articulated-body algorithm, over the
 * factorisation of factor.c, O(nbody).
 * [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, ch. 7.
 *
 *   p_i = (w x J w; w x (w x h)) - f_ext,i  + sum over children of X_c^T pa_c           (E1)
 *   u_i = tau_i - S_i^T p_i                                                             (E2)
 *   pa_i = p_i + IA_i c_i + U_i D_i^-1 (u_i - U_i^T c_i)                                (E3)
 *   A'_i = X_i A_p + c_i,   a_i = D_i^-1 (u_i - U_i^T A'_i),   A_i = A'_i + S_i a_i     (E4)
 *
 * c and A are classical accelerations (kinematics/motion.c), where [1] has spatial ones: the bias
 * wrench of a body then needs its angular velocity only, and gravity is A_0 = -g. For a kinematic
 * joint a_i is given: pa_i = p_i + IA_i (c_i + S_i a_i), and its driver's force is S^T (IA_i A_i +
 * p_i), and what its armature takes. */

/* D^-1 (u - U^T A) of a joint with nv velocities. */
static void multi_acceleration(const cardan_factor_multi *m, int nv, const double *u,
                               cardan_motion A, double *a)
{
  double r[6];
  for (int k = 0; k < nv; k++) {
    r[k] = u[k] - cardan__power(A, m->U[k]);
  }
  for (int k = 0; k < nv; k++) {
    a[k] = 0;
    for (int j = 0; j < nv; j++) {
      a[k] += m->inv_D[k * nv + j] * r[j];
    }
  }
}

/* (E2), (E3): what body i passes to its parent; c NULL means no velocities. */
static inline cardan_force reduce(const cardan_body *b, cardan_data *data, int i, cardan_force p,
                                  const cardan_motion *c, const double *tau, const double *a)
{
  const cardan_factor_body *f = &data->factor[i];
  double *u = data->rest + b->vadr;
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    const cardan_motion A =
        c != NULL
            ? cardan__motion_add(*c, cardan__joint_motion_at(b, data->q + b->qadr, a + b->vadr))
            : (cardan_motion){.w = {0, 0, 0}};
    return cardan__force_add(p, cardan__abi_mul(&f->IA, A));
  }
  double Sp[6] = {0};
  cardan__joint_project_at(b, data->q + b->qadr, p, Sp);
  for (int k = 0; k < b->nv; k++) {
    u[k] = (tau != NULL ? tau[b->vadr + k] : 0) - Sp[k];
  }
  const cardan_motion rest = c != NULL ? *c : (cardan_motion){.w = {0, 0, 0}};
  cardan_force pa = c != NULL ? cardan__force_add(p, cardan__abi_mul(&f->IA, rest)) : p;
  if (b->nv == 1) {
    return cardan__force_axpy(f->inv_d * (u[0] - cardan__power(rest, f->U)), f->U, pa);
  }
  double qdd[6];
  const cardan_factor_multi *m = &data->multi[data->multi_of[i]];
  multi_acceleration(m, b->nv, u, rest, qdd);
  for (int k = 0; k < b->nv; k++) {
    pa = cardan__force_axpy(qdd[k], m->U[k], pa);
  }
  return pa;
}

/* Leaf to root over p (E1), of the bodies from .. to - 1, whole trees: on entry the bodies' own
 * bias wrenches. */
static void backward(const cardan_model *model, cardan_data *data, const cardan_motion *c,
                     const double *tau, const double *a, int from, int to)
{
  data->p[0] = (cardan_force){.t = {0, 0, 0}}; // what reaches the world is not needed
  cardan_force carry = {
      .t = {0, 0, 0}}; // from body i + 1 to its parent i, without a trip to memory
  for (int i = to - 1; i >= from; i--) {
    const cardan_body *b = &model->body[i];
    const cardan_force p = cardan__force_add(data->p[i], carry);
    data->p[i] = p;
    const cardan_force pa = reduce(b, data, i, p, c != NULL ? &c[i] : NULL, tau, a);
    carry = cardan__force_to_parent(&data->X[i], pa);
    if (b->parent != i - 1) {
      data->p[b->parent] = cardan__force_add(data->p[b->parent], carry);
      carry = (cardan_force){.t = {0, 0, 0}};
    }
  }
}

/* A kinematic joint: its acceleration is given (0 when locked), its force is the result, to u. */
static void drive(const cardan_body *b, const double *q, const cardan_factor_body *f,
                  double armature, cardan_force p, bool locked, cardan_motion *A, double *a,
                  double *u)
{
  if (locked) {
    memset(a, 0, (size_t)b->nv * sizeof *a);
  }
  *A = cardan__motion_add(*A, cardan__joint_motion_at(b, q, a));
  cardan__joint_project_at(b, q, cardan__force_add(cardan__abi_mul(&f->IA, *A), p), u);
  u[0] += armature * a[0];
}

/* Root to leaf (E4), of the same, from the world's acceleration A[0]. */
static void forward(const cardan_model *model, cardan_data *data, const cardan_motion *c, double *a,
                    int from, int to)
{
  cardan_motion *A = data->A, last = A[0]; // of body i - 1, without a trip to memory
  for (int i = from; i < to; i++) {
    const cardan_body *b = &model->body[i];
    const cardan_factor_body *f = &data->factor[i];
    double *u = data->rest + b->vadr, *ai = a + b->vadr;
    cardan_motion Ai =
        cardan__motion_to_child(&data->X[i], b->parent == i - 1 ? last : A[b->parent]);
    if (c != NULL) {
      Ai = cardan__motion_add(Ai, c[i]);
    }
    if (b->flags & CARDAN_LINK_KINEMATIC) {
      drive(b, data->q + b->qadr, f, model->armature[b->vadr], data->p[i], c == NULL, &Ai, ai, u);
    } else if (b->nv == 1) {
      ai[0] = f->inv_d * (u[0] - cardan__power(Ai, f->U));
      Ai = cardan__motion_add(Ai, cardan__joint_motion_at(b, data->q + b->qadr, ai));
    } else {
      multi_acceleration(&data->multi[data->multi_of[i]], b->nv, u, Ai, ai);
      Ai = cardan__motion_add(Ai, cardan__joint_motion_at(b, data->q + b->qadr, ai));
    }
    A[i] = last = Ai;
  }
}

void cardan__aba_bias(const cardan_model *model, cardan_data *data, int from, int to)
{
  for (int i = from; i < to; i++) {
    const cardan_body *b = &model->body[i];
    const cardan_vec3 w = data->V[i].w;
    data->c[i] = cardan__velocity_product(b, &data->X[i], data->V[b->parent].w, w,
                                          data->q + b->qadr, data->v + b->vadr);
    data->p[i] = cardan__force_sub(cardan__gyroscopic(&b->inertia, w), data->f_ext[i]);
  }
}

void cardan__aba_solve(const cardan_model *model, cardan_data *data, const double *tau, double *a)
{
  data->A[0] = (cardan_motion){.v = cardan__vec3_neg(model->gravity)};
  backward(model, data, data->c, tau, a, 1, model->nbody);
  forward(model, data, data->c, a, 1, model->nbody);
}

void cardan_aba(const cardan_model *model, cardan_data *data, const double *tau, double *a)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES | CARDAN_FRESH_FACTOR);
  cardan__aba_bias(model, data, 1, model->nbody);
  cardan__aba_solve(model, data, tau, a);
}

/* (E1) where no body has a bias but on the way from one to the world, which has p. */
static void backward_along(const cardan_model *model, cardan_data *data, int body, cardan_force p,
                           const double *tau)
{
  for (int i = body; i > 0; i = model->body[i].parent) {
    data->p[i] = p;
    p = cardan__force_to_parent(&data->X[i], reduce(&model->body[i], data, i, p, NULL, tau, NULL));
  }
}

void cardan__factor_push(const cardan_model *model, cardan_data *data, int body, cardan_force F,
                         const double *tau, double *a)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_FACTOR);
  memset(data->p, 0, (size_t)model->nbody * sizeof *data->p);
  memset(data->rest, 0, (size_t)model->nv * sizeof *data->rest);
  backward_along(model, data, body, cardan__force_neg(F), tau);
  data->A[0] = (cardan_motion){.w = {0, 0, 0}};
  forward(model, data, NULL, a, 1, model->nbody);
}

void cardan__factor_solve_part(const cardan_model *model, cardan_data *data, const int body[2],
                               int tip, const double *tau, double *a)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_FACTOR);
  const cardan_force none = {.t = {0, 0, 0}};
  for (int i = body[0]; i < body[1]; i++) {
    data->p[i] = none;
  }
  data->A[0] = (cardan_motion){.w = {0, 0, 0}};
  if (tip > 0) {
    const cardan_body *first = &model->body[body[0]], *last = &model->body[body[1] - 1];
    memset(data->rest + first->vadr, 0,
           (size_t)(last->vadr + last->nv - first->vadr) * sizeof *data->rest);
    backward_along(model, data, tip, none, tau);
  } else {
    backward(model, data, NULL, tau, a, body[0], body[1]);
  }
  forward(model, data, NULL, a, body[0], body[1]);
}

void cardan__factor_link(const void *factors, int body, cardan__link *link)
{
  const cardan_data *data = factors;
  const cardan_body *b = &data->model->body[body];
  const cardan_factor_body *f = &data->factor[body];
  const cardan_factor_multi *m = b->nv > 1 ? &data->multi[data->multi_of[body]] : NULL;
  link->X = &data->X[body];
  link->locked = b->flags & CARDAN_LINK_KINEMATIC;
  link->U = link->W = m != NULL ? m->U : &f->U;
  link->inv_D = m != NULL ? m->inv_D : &f->inv_d;
  link->S = link->A;
  link->A[0] = (cardan_motion){.w = {0, 0, 1}};
  for (int k = 0; k < b->nv && b->kind != CARDAN_LINK_REVOLUTE; k++) {
    link->A[k] = cardan__joint_axis_at(b, data->q + b->qadr, k);
  }
}

void cardan_factor_solve(const cardan_model *model, cardan_data *data, const cardan_force *f,
                         const double *tau, double *a)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_FACTOR);
  for (int i = 1; i < model->nbody; i++) {
    data->p[i] = f != NULL ? cardan__force_neg(f[i]) : (cardan_force){.t = {0, 0, 0}};
  }
  data->A[0] = (cardan_motion){.w = {0, 0, 0}};
  backward(model, data, NULL, tau, a, 1, model->nbody);
  forward(model, data, NULL, a, 1, model->nbody);
}
