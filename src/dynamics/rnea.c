// SPDX-License-Identifier: Apache-2.0
#include "dynamics/rnea.h"

#include <string.h>

#include "cardan/dynamics.h"
#include "kinematics/joint.h"
#include "kinematics/motion.h"
#include "model/data.h"

/* Inverse dynamics by the recursive Newton-Euler algorithm, O(nbody).
 * [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, Table 5.1.
 *
 *   A_i   = X_i A_p + c_i + S_i a_i                                         (E1)   A_0 = -gravity
 *   f_i   = I_i A_i + (w x J w; w x (w x h)) - f_ext,i                      (E2)
 *   f_p  += X_i^T f_i                                                       (E3)
 *   tau_i = S_i^T f_i + armature_i a_i                                      (E4)
 *
 * A is the classical acceleration (kinematics/motion.c), where [1] has the spatial one: c_i and the
 * velocity part of (E2) then need angular velocities only. */

/* (E1), (E2) for bodies from .. to - 1. */
static void outward(const cardan_model *model, cardan_data *data, const cardan_force *f_ext,
                    const double *a, int from, int to)
{
  cardan_motion *A = data->A, last = A[from - 1]; // of body i - 1, without a trip to memory
  for (int i = from; i < to; i++) {
    const cardan_body *b = &model->body[i];
    const cardan_xform *X = &data->X[i];
    const cardan_vec3 w = data->V[i].w;
    const cardan_motion A_p = b->parent == i - 1 ? last : A[b->parent];
    const cardan_motion c = cardan__velocity_product(b, X, data->V[b->parent].w, w,
                                                     data->q + b->qadr, data->v + b->vadr);
    last = cardan__motion_add(cardan__motion_to_child(X, A_p), c);
    if (a != NULL) {
      last = cardan__motion_add(last,
                                cardan__joint_motion_at(b, data->q + b->qadr, a + b->vadr)); // (E1)
    }
    A[i] = last;
    const cardan_force velocity = cardan__force_sub(cardan__gyroscopic(&b->inertia, w), f_ext[i]);
    data->f[i] = cardan__force_add(cardan__inertia_mul(&b->inertia, last), velocity); // (E2)
  }
}

/* (E3), (E4): children are numbered after parents, so f[i] is complete when i is reached. */
static void inward(const cardan_model *model, cardan_data *data, double *tau)
{
  cardan_force *f = data->f;
  cardan_force carry = {
      .t = {0, 0, 0}}; // from body i + 1 to its parent i, without a trip to memory
  f[0] = carry;
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const cardan_force fi = cardan__force_add(f[i], carry);
    f[i] = fi;
    cardan__joint_project_at(b, data->q + b->qadr, fi, tau + b->vadr); // (E4)
    carry = cardan__force_to_parent(&data->X[i], fi);                  // (E3)
    if (b->parent != i - 1) {
      f[b->parent] = cardan__force_add(f[b->parent], carry);
      carry = (cardan_force){.t = {0, 0, 0}};
    }
  }
}

/* What turns the rotors, of (E4). */
static void turn_rotors(const cardan_model *model, const double *a, double *tau)
{
  for (int k = 0; k < model->nv && model->has_armature && a != NULL; k++) {
    tau[k] += model->armature[k] * a[k];
  }
}

void cardan__rnea(const cardan_model *model, cardan_data *data, const cardan_force *f_ext,
                  const double *a, double *tau)
{
  data->A[0] = (cardan_motion){.v = cardan__vec3_neg(model->gravity)};
  outward(model, data, f_ext, a, 1, model->nbody);
  inward(model, data, tau);
  turn_rotors(model, a, tau);
}

void cardan_rnea(const cardan_model *model, cardan_data *data, const double *a, double *tau)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  cardan__rnea(model, data, data->f_ext, a, tau);
}

void cardan_bias_torques(const cardan_model *model, cardan_data *data, double *tau)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  memset(data->p, 0, (size_t)model->nbody * sizeof *data->p); // no wrench is applied
  cardan__rnea(model, data, data->p, NULL, tau);
}

void cardan_gravity_torques(const cardan_model *model, cardan_data *data, double *tau)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_JOINTS);
  data->A[0] = (cardan_motion){.v = cardan__vec3_neg(model->gravity)};
  for (int i = 1; i < model->nbody; i++) { // (E1), (E2) at rest
    const cardan_body *b = &model->body[i];
    data->A[i] = (cardan_motion){.v = cardan__mat3_tmulv(&data->X[i].R, data->A[b->parent].v)};
    data->f[i] = cardan__inertia_mul(&b->inertia, data->A[i]);
  }
  inward(model, data, tau);
}

void cardan_inverse(const cardan_model *model, cardan_data *data, const double *a, double *tau)
{
  data->A[0] = (cardan_motion){.v = cardan__vec3_neg(model->gravity)};
  for (int from = 1, to; from < model->nbody; from = to) {
    to = cardan__block_end(model, from);
    cardan__joints_range(model, data, from, to);
    cardan__velocities_range(model, data, from, to);
    outward(model, data, data->f_ext, a, from, to);
  }
  inward(model, data, tau);
  turn_rotors(model, a, tau);
  data->fresh = CARDAN_FRESH_JOINTS | CARDAN_FRESH_VELOCITIES;
}
