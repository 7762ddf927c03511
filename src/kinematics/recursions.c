// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/kinematics.h"
#include "expr/expr.h"
#include "kinematics/joint.h"
#include "kinematics/link.h"
#include "kinematics/recursions.h"
#include "model/build.h"
#include "model/data.h"

/* Poses, twists and accelerations of the bodies, root to leaf.
 *
 *   T_W,i = T_W,p T_p,i                                                               (E1)
 *   V_i   = Ad_{T_p,i}^-1 V_p + S_i v_i                                               (E2)
 *   with R = R_p,i, p = p_p,i, w' = R^T w_p, (w_r, v_r) = S_i v_i:
 *   c_i   = (w' x w_r;  R^T (w_p x (w_p x p)) + (2 w' + w_r) x v_r) + S-dot v         (E3)
 *   A_i   = Ad_{T_p,i}^-1 A_p + c_i + S_i a_i                                         (E4)
 * A is the classical acceleration: of the body's origin, not of the point of the body that happens
 * to pass through it. So (E3) and (E4) need angular velocities only. */

void cardan_poses(const cardan_model *model, cardan_data *data)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_JOINTS);
  data->X_W[0] = cardan__xform_identity();
  for (int i = 1; i < model->nbody; i++) {
    data->X_W[i] = cardan__xform_mul(&data->X_W[model->body[i].parent], &data->X[i]); // (E1)
  }
  cardan__made(data, CARDAN_FRESH_POSES, 0);
}

void cardan_velocities(const cardan_model *model, cardan_data *data)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_JOINTS);
  cardan_twist *V = data->V, last = V[0]; // of body i - 1, in registers
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    if (b->parent != i - 1) {
      last = V[b->parent];
    }
    last = cardan__link_twist(b->flags, &data->X[i], last); // (E2)
    if (cardan__joint_is_hinge(b)) {
      last.w.z += data->v[b->vadr];
    } else {
      const cardan_twist joint = cardan__joint_twist_at(b, data->q + b->qadr, data->v + b->vadr);
      last = cardan__twist_add(last, joint);
    }
    V[i] = last;
  }
  cardan__made(data, CARDAN_FRESH_VELOCITIES, CARDAN_FRESH_BIAS | CARDAN_FRESH_FORWARD);
}

/* (E3), (E4) of a joint that is not revolute, from and to memory. */
static CARDAN__NOINLINE void accelerate_other(const cardan_model *model, cardan_data *data, int i)
{
  const cardan_body *b = &model->body[i];
  const cardan_xform *X = &data->X[i];
  const double *q = data->q + b->qadr;
  cardan_twist *A = data->A0;
  const cardan_twist c = cardan__velocity_product(b, X, data->V[b->parent].w, data->V[i].w, q,
                                                  data->v + b->vadr);   // (E3)
  A[i] = cardan__twist_add(cardan__twist_to_child(X, A[b->parent]), c); // (E4)
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    A[i] = cardan__twist_add(A[i], cardan__joint_twist_at(b, q, data->a + b->vadr));
  }
}

void cardan_bias_accelerations(const cardan_model *model, cardan_data *data)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  cardan_twist *A = data->A0, last = A[0]; // of body i - 1, in registers
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    if (!cardan__joint_is_hinge(b)) {
      accelerate_other(model, data, i);
      last = A[i];
      continue;
    }
    if (b->parent != i - 1) {
      last = A[b->parent];
    }
    const cardan_vec3 w_p = data->V[b->parent].w, w = data->V[i].w;
    const double v = data->v[b->vadr];
    last.v = cardan__link_acceleration(b->flags, b->X.p, w_p, last); // (E3), (E4)
    last.v = cardan__link_in(b->flags, &data->X[i].R, last.v);
    last.w = cardan__link_in(b->flags, &data->X[i].R, last.w);
    last.w.x += w.y * v;
    last.w.y -= w.x * v;
    last.w.z += b->flags & CARDAN_LINK_KINEMATIC ? data->a[b->vadr] : 0;
    A[i] = last;
  }
  cardan__made(data, CARDAN_FRESH_BIAS, 0);
}

void cardan_prescribe(const cardan_model *model, cardan_data *data)
{
  for (int i = 0; i < model->nprescribed; i++) {
    const cardan_prescribed *p = &model->prescribed[i];
    const cardan_bound_expr *e = &model->expr[p->expr];
    const cardan_body *b = &model->body[p->body];
    // a motion depends on nothing but t, so it has at most this one leaf
    const double t[1] = {data->t}, one[1] = {1}, zero[1] = {0};
    double jet[3];
    cardan__expr_jet(e->expr, t, one, zero, data->scratch, jet);
    data->q[b->qadr] = jet[0];
    data->v[b->vadr] = jet[1];
    data->a[b->vadr] = jet[2];
  }
}

void cardan_kinematics(const cardan_model *model, cardan_data *data)
{
  cardan_prescribe(model, data);
  cardan_joints(model, data);
  cardan_poses(model, data);
  cardan_velocities(model, data);
  cardan_bias_accelerations(model, data);
}
