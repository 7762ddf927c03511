// SPDX-License-Identifier: Apache-2.0
#include "dynamics/factor.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "kinematics/joint.h"

/* M(q)^-1 without M: articulated-body factorisation and its solve, O(nbody).
 * [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, ch. 7.
 *
 *   leaf to root:  IA_i = I_i + sum over children of X_c^T Ia_c X_c                     (E1)
 *                  U_i = IA_i S_i,  D_i = S_i^T U_i + the joint's armature              (E2)
 *                  Ia_i = IA_i - U_i D_i^-1 U_i^T                                       (E3)
 *
 * Kinematic joints are locked: Ia = IA. Revolute, prismatic and helical bodies go to their parent
 * by two or three plane rotations (cardan_body) in place of a general one. */

/* Smallest D that counts as inertia, relative to the inertia it is a part of: with everything on
 * the joint axis D is left with rounding only, a few eps of that. */
static const double floor_ratio = 64 * DBL_EPSILON;

cardan_status cardan__no_inertia(const cardan_model *model, cardan_info *info, int i)
{
  info->body = i;
  info->joint = model->body[i].joint;
  snprintf(info->message, sizeof info->message, "joint \"%.60s\" has no inertia to push against",
           model->joint[info->joint].name);
  return CARDAN_ERR_NOT_POSDEF;
}

/* U, D and Ia of a joint with one velocity (E2, E3); false when D is not positive. */
static inline bool eliminate(const cardan_body *b, const double *q, double armature,
                             const cardan__abi *I, cardan_factor_body *f, cardan__abi *Ia)
{
  double d, scale;
  f->U = cardan__joint_push(b, q, I, &d, &scale);
  d += armature;
  f->inv_d = 1 / d;
  *Ia = cardan__abi_sub_rank1(I, f->inv_d, f->U);
  return d > floor_ratio * scale;
}

/* Inverse of the Cholesky factor of a symmetric positive definite matrix of size n <= 6: L^-1 with
 * D = L L^T, lower triangle of Li; false if D is not positive definite. */
static bool inverse_cholesky(int n, const double *D, double Li[6][6])
{
  double L[6][6];
  for (int j = 0; j < n; j++) {
    double d = D[j * n + j];
    for (int k = 0; k < j; k++) {
      d -= L[j][k] * L[j][k];
    }
    if (!(d > floor_ratio * D[j * n + j])) {
      return false;
    }
    L[j][j] = sqrt(d);
    for (int i = j + 1; i < n; i++) {
      double s = D[i * n + j];
      for (int k = 0; k < j; k++) {
        s -= L[i][k] * L[j][k];
      }
      L[i][j] = s / L[j][j];
    }
  }
  for (int j = 0; j < n; j++) {
    Li[j][j] = 1 / L[j][j];
    for (int i = j + 1; i < n; i++) {
      double s = 0;
      for (int k = j; k < i; k++) {
        s -= L[i][k] * Li[k][j];
      }
      Li[i][j] = s / L[i][i];
    }
  }
  return true;
}

/* U, D^-1 = L^-T L^-1 and Ia = IA - (U L^-T)(U L^-T)^T of a spherical or free joint. */
static bool eliminate_multi(const cardan_body *b, const cardan__abi *I, cardan_factor_multi *m,
                            cardan__abi *Ia)
{
  const int n = b->nv;
  double D[36], Li[6][6];
  for (int k = 0; k < n; k++) {
    double column[6] = {0};
    m->U[k] = cardan__abi_mul(I, cardan__joint_axis(b, k));
    cardan__joint_project(b, m->U[k], column);
    for (int r = 0; r < n; r++) {
      D[r * n + k] = column[r];
    }
  }
  if (!inverse_cholesky(n, D, Li)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = i > j ? i : j; k < n; k++) {
        s += Li[k][i] * Li[k][j];
      }
      m->inv_D[i * n + j] = s;
    }
  }
  *Ia = *I;
  for (int k = 0; k < n; k++) {
    cardan_force W = {.t = {0, 0, 0}};
    for (int j = 0; j <= k; j++) {
      W = cardan__force_axpy(Li[k][j], m->U[j], W);
    }
    *Ia = cardan__abi_sub_rank1(Ia, 1, W);
  }
  return true;
}

/* Ia in the parent's frame. */
static inline cardan__abi to_parent(const cardan_body *b, const cardan_data *data, int i,
                                    const cardan__abi *Ia)
{
  if (!cardan__joint_is_z(b)) {
    return cardan__abi_to_parent(&data->X[i], Ia);
  }
  cardan__abi I = cardan__abi_rot_z(data->cos_sin[2 * i], data->cos_sin[2 * i + 1], Ia);
  I = cardan__abi_rot_x(b->cos_alpha, b->sin_alpha, &I);
  if (b->flags & CARDAN_LINK_TURNED) {
    I = cardan__abi_rot_z(b->cos_phi, b->sin_phi, &I);
  }
  return cardan__abi_shift(data->X[i].p, &I);
}

cardan_status cardan__factor_joint(const cardan_model *model, cardan_data *data, int i,
                                   cardan__abi *Ia)
{
  const cardan_body *b = &model->body[i];
  const cardan__abi IA = data->factor[i].IA;
  *Ia = IA;
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    return CARDAN_OK;
  }
  const bool ok = b->nv == 1 ? eliminate(b, data->q + b->qadr, model->armature[b->vadr], &IA,
                                         &data->factor[i], Ia)
                             : eliminate_multi(b, &IA, &data->multi[data->multi_of[i]], Ia);
  return ok ? CARDAN_OK : cardan__no_inertia(model, &data->info, i);
}

cardan_status cardan_factor(const cardan_model *model, cardan_data *data)
{
  static const cardan__abi none = {.A = {0}};
  cardan_factor_body *factor = data->factor;
  cardan__abi carry = none; // from body i + 1 to its parent i, without a trip to memory
  CARDAN__NEEDS(data, CARDAN_FRESH_JOINTS);
  cardan__made(data, 0, CARDAN_FRESH_FACTOR);
  for (int i = 0; i < model->nbody; i++) {
    factor[i].IA = cardan__abi_from_inertia(&model->body[i].inertia);
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    cardan_factor_body *f = &factor[i];
    const cardan__abi IA = cardan__abi_add(&f->IA, &carry); // (E1)
    cardan__abi Ia = IA;
    f->IA = IA;
    if (!(b->flags & CARDAN_LINK_KINEMATIC)) {
      const bool ok = b->nv == 1
                          ? eliminate(b, data->q + b->qadr, model->armature[b->vadr], &IA, f, &Ia)
                          : eliminate_multi(b, &IA, &data->multi[data->multi_of[i]], &Ia);
      if (!ok) {
        return cardan__no_inertia(model, &data->info, i);
      }
    }
    carry = to_parent(b, data, i, &Ia);
    if (b->parent != i - 1) {
      factor[b->parent].IA = cardan__abi_add(&factor[b->parent].IA, &carry);
      carry = none;
    }
  }
  cardan__made(data, CARDAN_FRESH_FACTOR, 0);
  return CARDAN_OK;
}

void cardan__factor_copy(const cardan_model *model, const cardan_data *from, cardan_data *to)
{
  CARDAN__NEEDS(from, CARDAN_FRESH_FACTOR);
  CARDAN__NEEDS(to, CARDAN_FRESH_JOINTS);
  if (!(to->fresh & CARDAN_FRESH_FACTOR)) {
    memcpy(to->factor, from->factor, (size_t)model->nbody * sizeof *to->factor);
    memcpy(to->multi, from->multi, (size_t)model->nmulti * sizeof *to->multi);
    cardan__made(to, CARDAN_FRESH_FACTOR, 0);
  }
}
