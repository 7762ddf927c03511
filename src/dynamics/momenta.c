// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/aba.h"
#include "dynamics/momenta.h"
#include "dynamics/momenta_joint.h"
#include "forces/gravity.h"
#include "kinematics/joint.h"
#include "kinematics/link.h"
#include "model/data.h"

/* Hamilton's equations of a tree in joint momenta, without M and its derivatives, O(nbody).
 * [1] J. Naudet, D. Lefeber, Recursive algorithm based on canonical momenta for forward dynamics of
 *     multibody systems: numerical results, DETC2005-84915.
 *
 *   P*_i = I_i V_i + sum over children of X_c^T P*_c,   p_i = S_i^T P*_i     (E1)  [1] (16), (18)
 *   T*_i = T_i + sum over children of X_c^T T*_c                             (E2)  [1] (17)
 * T_i is gravity and what is applied. A joint's armature adds its own momentum to p_i and its
 * inertia to D_i, which is constant: nothing else changes.
 *
 * Velocities from momenta, by the sweeps of aba.c over the factorisation of factor.c: P*_i = IA_i
 * V_i + b_i with
 *   leaf to root  r_i = p_i - S_i^T b_i;   b_p += X_i^T (b_i + U_i D_i^-1 r_i)             (E3)
 *   root to leaf  V' = X_i V_p;   v_i = D_i^-1 (r_i - U_i^T V');   V_i = V' + S_i v_i      (E4)
 * and for a kinematic joint, whose velocity is given and whose momentum is not a variable,
 *   b_p += X_i^T (b_i + IA_i S_i v_i)                                                      (E5)
 *
 * Rates of the momenta. The rate of P* seen from the body is T* - V x* P*, but for the reaction,
 * which S^T does not see; S' = 0 but for joints with a motion of their own (kinematics/joint.h):
 *   p'_i = S_i^T (T*_i - V_i x* P*_i) + S_i'^T P*_i + tau_i                  (E6)  [1] (21)
 *
 * Accelerations by differentiating (E1) once more; with j = S_i v_i, k = V_i x j + S_i' v_i, A the
 * rate of V,
 *   P*'_i = IA_i A_i + b'_i,   s_i = p'_i - S_i'^T P*_i - S_i^T b'_i - U_i^T k,
 *   b'_p += X_i^T (b'_i + IA_i k + U_i D_i^-1 s_i + j x* P*_i)                             (E7)
 *   A' = X_i A_p + k;   a_i = D_i^-1 (s_i + U_i^T k - U_i^T A');   A_i = A' + S_i a_i      (E8)
 *   wrench through the joint = P*'_i + V_i x* P*_i - T*_i                    (E9)  [1] (20)
 *
 * Departures from [1]: vectors are [angular; linear]; (21) prints T*-dot and E-dot, which must be
 * T* and E-dot^T, and the latter is S'; (20) holds up to the joint's reaction, which is what
 * (E9) is. [1] leaves (E3), (E4), (E7) and (E8) to its references; they are derived here. Spherical
 * and free joints have S of several columns, and p_i = S_i^T P*_i are then momenta of
 * quasi-velocities. */

void cardan_momenta(const cardan_model *model, cardan_data *data, double *p)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  cardan_force *P = data->P;
  P[0] = (cardan_force){.t = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    P[i] = cardan__inertia_mul(&model->body[i].inertia, data->V[i]);
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    cardan__joint_project_at(b, data->q + b->qadr, P[i], p + b->vadr);
    P[b->parent] =
        cardan__force_add(P[b->parent], cardan__force_to_parent(&data->X[i], P[i])); // (E1)
  }
  for (int k = 0; k < model->nv && model->has_armature; k++) {
    p[k] += model->armature[k] * data->v[k];
  }
}

void cardan_momenta_velocities(const cardan_model *model, cardan_data *data, const double *p,
                               double *v)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_JOINTS | CARDAN_FRESH_FACTOR);
  memset(data->p, 0, (size_t)model->nbody * sizeof *data->p);
  for (int k = 0; k < model->nprescribed; k++) { // (E5)
    const int i = model->prescribed[k].body;
    const cardan_body *b = &model->body[i];
    data->p[i] = cardan__abi_mul(&data->factor[i].IA,
                                 cardan__joint_twist_at(b, data->q + b->qadr, v + b->vadr));
  }
  cardan__factor_sweeps(model, data, CARDAN__MOVING, p, v, data->V); // (E3), (E4)
  cardan__made(data, CARDAN_FRESH_VELOCITIES, CARDAN_FRESH_BIAS | CARDAN_FRESH_FORWARD);
}

/* Momentum, and applied wrench with gravity, of each body alone. */
void cardan__momenta_bodies(const cardan_model *model, cardan_data *data)
{
  cardan_vec3 *g = data->g;
  g[0] = model->gravity;
  data->P[0] = data->T[0] = (cardan_force){.t = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    g[i] = cardan__link_in(b->flags, &data->X[i].R, g[b->parent]);
    data->P[i] = cardan__inertia_mul(&b->inertia, data->V[i]);
    data->T[i] = cardan__force_add(data->f_ext[i], cardan__weight(&b->inertia, g[i]));
  }
}

void cardan_momenta_rates(const cardan_model *model, cardan_data *data, const double *tau,
                          double *pdot)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  cardan_force *P = data->P, *T = data->T;
  cardan_force carry_P = {.t = {0, 0, 0}}, carry_T = {.t = {0, 0, 0}}; // from body i + 1 to i
  cardan__momenta_bodies(model, data);
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const int parent = b->parent;
    double *out = pdot + b->vadr;
    P[i] = cardan__force_add(P[i], carry_P); // (E1)
    T[i] = cardan__force_add(T[i], carry_T); // (E2)
    // (E6)
    cardan__joint_project_rate(b, data->q + b->qadr, data->v + b->vadr, data->V[i], P[i], T[i],
                               out);
    for (int k = 0; k < b->nv; k++) {
      out[k] += tau[b->vadr + k];
    }
    carry_P = cardan__link_force(b->flags, &data->X[i], P[i]);
    carry_T = cardan__link_force(b->flags, &data->X[i], T[i]);
    if (parent != i - 1) {
      P[parent] = cardan__force_add(P[parent], carry_P);
      T[parent] = cardan__force_add(T[parent], carry_T);
      carry_P = carry_T = (cardan_force){.t = {0, 0, 0}};
    }
  }
}

/* k of (E7). */
static inline cardan_twist joint_bias(const cardan_body *b, const double *q, const double *v,
                                      cardan_twist V, cardan_twist j)
{
  cardan_twist k = cardan__twist_cross(V, j);
  if (!cardan__joint_is_constant(b)) {
    k = cardan__twist_axpy(v[0] * v[0], cardan__joint_ops_of(b->kind)->slope(b, q), k);
  }
  return k;
}

/* (E7): what body i passes to its parent. */
static cardan_force pass_rate(const cardan_model *model, cardan_data *data, int i,
                              const double *pdot, const double *a)
{
  const cardan_body *b = &model->body[i];
  const double *q = data->q + b->qadr, *v = data->v + b->vadr;
  const cardan_twist j = cardan__joint_twist_at(b, q, v);
  const cardan_twist k = joint_bias(b, q, v, data->V[i], j);
  const cardan_force drag = cardan__twist_cross_force(j, data->P[i]);
  const cardan_force F = cardan__force_add(data->p[i], drag);
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    const cardan_twist A = cardan__twist_add(k, cardan__joint_twist_at(b, q, a + b->vadr));
    return cardan__force_add(F, cardan__abi_mul(&data->factor[i].IA, A));
  }
  double *r = data->rest + b->vadr, s[6] = {0};
  const cardan_force Ik = cardan__abi_mul(&data->factor[i].IA, k);
  cardan__joint_subtract(b, q, pdot + b->vadr, data->p[i], r);
  if (!cardan__joint_is_constant(b)) {
    r[0] -= v[0] * cardan__power(cardan__joint_ops_of(b->kind)->slope(b, q), data->P[i]);
  }
  cardan__joint_subtract(b, q, r, Ik, s); // U^T k = S^T (IA k)
  return cardan__joint_give_way(b, data, i, s, cardan__force_add(F, Ik));
}

void cardan_momenta_accelerations(const cardan_model *model, cardan_data *data, const double *pdot,
                                  double *a)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES | CARDAN_FRESH_FACTOR);
  cardan_force *f = data->p;
  cardan_twist *A = data->A;
  if (!(data->fresh & CARDAN_FRESH_INERTIAS)) { // factors of cardan_forward
    const cardan_status status = cardan_factor(model, data);
    CARDAN_ASSERT(status == CARDAN_OK); // as the first time
    (void)status;
  }
  memset(f, 0, (size_t)model->nbody * sizeof *f);
  for (int i = model->nbody - 1; i > 0; i--) {
    const int parent = model->body[i].parent;
    const cardan_force F = pass_rate(model, data, i, pdot, a);
    f[parent] = cardan__force_add(f[parent], cardan__force_to_parent(&data->X[i], F));
  }
  A[0] = (cardan_twist){.w = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const double *q = data->q + b->qadr, *v = data->v + b->vadr;
    const cardan_twist joint = cardan__joint_twist_at(b, q, v);
    A[i] = cardan__twist_add(cardan__twist_to_child(&data->X[i], A[b->parent]),
                             joint_bias(b, q, v, data->V[i], joint));
    if (!(b->flags & CARDAN_LINK_KINEMATIC)) {
      cardan__joint_respond(b, data, i, data->rest + b->vadr, A[i], a + b->vadr); // (E8)
    }
    A[i] = cardan__twist_add(A[i], cardan__joint_twist_at(b, q, a + b->vadr));
    const cardan_force rate = cardan__force_add(cardan__abi_mul(&data->factor[i].IA, A[i]), f[i]);
    const cardan_force turn = cardan__twist_cross_force(data->V[i], data->P[i]);
    data->f[i] = cardan__force_sub(cardan__force_add(rate, turn), data->T[i]); // (E9)
  }
}

/* With the wrenches L_i = sum over rows of w sigma on the bodies and their rates L'_i,
 *   L*_i = L_i + sum of X_c^T L*_c,   L*'_i = L'_i + sum of X_c^T (L*'_c + j_c x* L*_c)
 * and (J^T sigma)' = S^T L*' + S'^T L* + c' sigma at constant sigma: the last term of [1] (10). */
void cardan__rows_rate_transpose(const cardan_model *model, cardan_data *data, const double *sigma,
                                 const cardan_force *w_rate, const double *c_rate,
                                 cardan_force *rate, double *tau)
{
  cardan_force *L = data->p;
  memset(L, 0, (size_t)model->nbody * sizeof *L);
  memset(rate, 0, (size_t)model->nbody * sizeof *rate);
  for (int r = 0; r < model->nrow; r++) {
    const cardan_row *row = &model->row[r];
    for (int i = row->badr; i < row->badr + row->nb; i++) {
      const int body = model->row_body[i];
      L[body] = cardan__force_axpy(sigma[r], data->rows.w[i], L[body]);
      rate[body] = cardan__force_axpy(sigma[r], w_rate[i], rate[body]);
    }
    for (int i = row->dadr; i < row->dadr + row->nd; i++) {
      tau[model->row_dof[i]] += sigma[r] * c_rate[i];
    }
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const double *q = data->q + b->qadr, *v = data->v + b->vadr;
    const cardan_twist joint = cardan__joint_twist_at(b, q, v);
    const cardan_force moved = cardan__force_add(rate[i], cardan__twist_cross_force(joint, L[i]));
    double part[6] = {0};
    cardan__joint_project_at(b, q, rate[i], part);
    if (!cardan__joint_is_constant(b)) {
      part[0] += v[0] * cardan__power(cardan__joint_ops_of(b->kind)->slope(b, q), L[i]);
    }
    for (int k = 0; k < b->nv; k++) {
      tau[b->vadr + k] += part[k];
    }
    L[b->parent] = cardan__force_add(L[b->parent], cardan__force_to_parent(&data->X[i], L[i]));
    rate[b->parent] =
        cardan__force_add(rate[b->parent], cardan__force_to_parent(&data->X[i], moved));
  }
}
