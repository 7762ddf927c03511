// SPDX-License-Identifier: Apache-2.0
#include "dynamics/aba.h"

#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/factor.h"
#include "dynamics/momenta_joint.h"
#include "dynamics/rnea.h"
#include "kinematics/joint.h"
#include "kinematics/link.h"
#include "kinematics/recursions.h"
#include "model/body_paths.h"
#include "model/data.h"

/* Forward dynamics a = M^-1 (tau - c + J^T f) by the articulated-body algorithm, over the
 * factorisation of factor.c, O(nbody).
 * [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, ch. 7.
 *
 *   root to leaf  p_i = what body i needs to move on with a = 0 (rnea.c), less f_ext,i    (E1)
 *   leaf to root  p_i += sum over children of X_c^T pa_c,   u_i = tau_i - S_i^T p_i       (E2)
 *                 pa_i = p_i + U_i D_i^-1 u_i                                             (E3)
 *   root to leaf  A' = X_i A_p,   a_i = D_i^-1 (u_i - U_i^T A'),   A_i = A' + S_i a_i     (E4)
 *
 * Departure from [1]: the velocities' part of a body's acceleration is summed up from the root,
 * gravity and the given accelerations of kinematic joints with it, in place of a part c_i per
 * joint. So (E2) to (E4) are those of M^-1 x for any x, IA_i c_i is not needed, A is what a alone
 * does, and a kinematic joint is locked: pa_i = p_i, and its driver's force is S^T (IA_i A_i +
 * p_i), and what its armature takes. */

/* Leaf to root over p (E2), (E3), of the bodies from .. to - 1, whole trees: on entry the bodies'
 * own. tau: nv, NULL: 0 */
static void backward(const cardan_model *model, cardan_data *data, const double *tau, int from,
                     int to)
{
  static const cardan_force none = {.t = {0}};
  static const double zero[3] = {0};
  cardan_force carry = none; // from body i + 1 to its parent i, in registers
  data->p[0] = none;         // what reaches the world is not needed
  for (int i = to - 1; i >= from; i--) {
    const cardan_body *b = &model->body[i];
    const cardan_factor_body *f = &data->factor[i];
    const cardan_force p = cardan__force_add(data->p[i], carry);
    data->p[i] = p;
    if (cardan__joint_is_hinge(b) && !(b->flags & CARDAN_LINK_KINEMATIC)) {
      const double u = (tau != NULL ? tau[b->vadr] : 0) - p.t.z;
      data->rest[b->vadr] = u;
      carry = cardan__force_axpy(f->inv_d * u, f->Y, cardan__link_force(b->flags, &data->X[i], p));
    } else if (cardan__joint_is_ball(b)) {
      const double *t = tau != NULL ? tau + b->vadr : zero;
      const cardan_vec3 given = {t[0], t[1], t[2]};
      const cardan_factor_multi *m = &data->multi[data->multi_of[i]];
      const cardan_force pa = cardan__ball_reduce(m, given, p, data->rest + b->vadr);
      carry = cardan__force_to_parent(&data->X[i], pa);
    } else {
      carry = cardan__force_to_parent(&data->X[i], cardan__joint_reduce(b, data, i, tau, p));
    }
    if (b->parent != i - 1) {
      data->p[b->parent] = cardan__force_add(data->p[b->parent], carry);
      carry = none;
    }
  }
}

/* (E4) of any joint, A' in and A out. A kinematic one is locked, unless it moves; what its driver
 * does goes to data->rest. */
static void respond(const cardan_model *model, cardan_data *data, cardan__given given, int i,
                    double *a, cardan_twist *A)
{
  const cardan_body *b = &model->body[i];
  const double *q = data->q + b->qadr;
  double *u = data->rest + b->vadr;
  if (!(b->flags & CARDAN_LINK_KINEMATIC)) {
    cardan__joint_respond(b, data, i, u, *A, a + b->vadr);
  } else if (given != CARDAN__MOVING) {
    const cardan_force F = cardan__force_add(cardan__abi_mul(&data->factor[i].IA, *A), data->p[i]);
    cardan__joint_project_at(b, q, F, u);
    if (given == CARDAN__DRIVEN) {
      u[0] += model->armature[b->vadr] * a[b->vadr];
    } else {
      a[b->vadr] = 0;
    }
    return;
  }
  *A = cardan__twist_add(*A, cardan__joint_twist_at(b, q, a + b->vadr));
}

/* Root to leaf (E4), of the same. */
static void forward(const cardan_model *model, cardan_data *data, cardan__given given, double *a,
                    cardan_twist *A, int from, int to)
{
  cardan_twist last = {.w = {0, 0, 0}}; // of body i - 1, in registers
  A[0] = last;
  for (int i = from; i < to; i++) {
    const cardan_body *b = &model->body[i];
    const cardan_factor_body *f = &data->factor[i];
    if (b->parent != i - 1) {
      last = A[b->parent];
    }
    if (cardan__joint_is_hinge(b) && !(b->flags & CARDAN_LINK_KINEMATIC)) {
      const double ai = f->inv_d * (data->rest[b->vadr] - cardan__power(last, f->Y));
      a[b->vadr] = ai;
      last = cardan__link_twist(b->flags, &data->X[i], last);
      last.w.z += ai;
      A[i] = last;
    } else if (cardan__joint_is_ball(b)) {
      const cardan_factor_multi *m = &data->multi[data->multi_of[i]];
      double *ai = a + b->vadr;
      last = cardan__twist_to_child(&data->X[i], last);
      cardan__joint_respond_n(m, 3, data->rest + b->vadr, last, ai);
      last.w = cardan__vec3_add(last.w, cardan__vec3(ai[0], ai[1], ai[2]));
      A[i] = last;
    } else {
      A[i] = cardan__twist_to_child(&data->X[i], last);
      respond(model, data, given, i, a, &A[i]);
      last = A[i];
    }
  }
}

void cardan__factor_sweeps(const cardan_model *model, cardan_data *data, cardan__given given,
                           const double *tau, double *a, cardan_twist *A)
{
  backward(model, data, tau, 1, model->nbody);
  forward(model, data, given, a, A, 1, model->nbody);
}

void cardan__aba_finish(const cardan_model *model, cardan_data *data, double *a)
{
  forward(model, data, CARDAN__DRIVEN, a, data->A, 1, model->nbody);
}

void cardan_aba(const cardan_model *model, cardan_data *data, const double *tau, double *a)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES | CARDAN_FRESH_FACTOR);
  cardan__bias_wrenches(model, data, a);
  for (int i = 1; i < model->nbody; i++) {
    data->p[i] = cardan__force_sub(cardan__own_wrench(data, i), data->f_ext[i]); // (E1)
  }
  backward(model, data, tau, 1, model->nbody);
  forward(model, data, CARDAN__DRIVEN, a, data->A, 1, model->nbody);
  for (int i = 0; i < model->nbody; i++) {
    data->A[i] = cardan__twist_add(data->A[i], data->Ag[i]);
  }
}

/* (E2), (E3) where no body has a bias but on the way from one to the world, which has p. */
static void backward_along(const cardan_model *model, cardan_data *data, int body, cardan_force p,
                           const double *tau)
{
  for (int i = body; i > 0; i = model->body[i].parent) {
    data->p[i] = p;
    p = cardan__force_to_parent(&data->X[i],
                                cardan__joint_reduce(&model->body[i], data, i, tau, p));
  }
}

void cardan__factor_push(const cardan_model *model, cardan_data *data, int body, cardan_force F,
                         const double *tau, double *a)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_FACTOR);
  memset(data->p, 0, (size_t)model->nbody * sizeof *data->p);
  memset(data->rest, 0, (size_t)model->nv * sizeof *data->rest);
  backward_along(model, data, body, cardan__force_neg(F), tau);
  forward(model, data, CARDAN__LOCKED, a, data->A, 1, model->nbody);
}

void cardan__factor_solve_part(const cardan_model *model, cardan_data *data, const int body[2],
                               int tip, const double *tau, double *a)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_FACTOR);
  const cardan_force none = {.t = {0, 0, 0}};
  for (int i = body[0]; i < body[1]; i++) {
    data->p[i] = none;
  }
  if (tip > 0) {
    int v[2];
    cardan__velocity_range(model, body[0], body[1], v);
    memset(data->rest + v[0], 0, (size_t)(v[1] - v[0]) * sizeof *data->rest);
    backward_along(model, data, tip, none, tau);
  } else {
    backward(model, data, tau, body[0], body[1]);
  }
  forward(model, data, CARDAN__LOCKED, a, data->A, body[0], body[1]);
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
  link->A[0] = (cardan_twist){.w = {0, 0, 1}};
  for (int k = 0; k < b->nv && !cardan__joint_is_hinge(b); k++) {
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
  backward(model, data, tau, 1, model->nbody);
  forward(model, data, CARDAN__LOCKED, a, data->A, 1, model->nbody);
}
