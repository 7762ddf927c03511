// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "cardan/dynamics.h"
#include "kinematics/joint.h"
#include "kinematics/motion.h"
#include "spatial/sincos.h"

/* Rz(phi) Rx(alpha) Rz(theta) from cosines and sines. */
static inline cardan_mat3 rotation(const cardan_body *b, double c, double s)
{
  const double cp = b->cos_phi, sp = b->sin_phi, ca = b->cos_alpha, sa = b->sin_alpha;
  const double y0 = -sp * ca, y1 = cp * ca; // second column of Rz(phi) Rx(alpha): (y0, y1, sa)
  return (cardan_mat3){{{cp * c + y0 * s, y0 * c - cp * s, sp * sa},
                        {sp * c + y1 * s, y1 * c - sp * s, -cp * sa},
                        {sa * s, sa * c, ca}}};
}

/* T_PB of a body with a quaternion; the quaternion counts as if normalised. */
static cardan_xform quaternion_pose(const cardan_body *b, const double *q)
{
  const int k = cardan__quat_offset(b);
  const cardan_mat3 Q = cardan__quat_to_mat3(cardan__quat_normalize(cardan__quat_at(q + k)));
  cardan_xform T = {.R = cardan__mat3_mul(&b->X.R, &Q), .p = b->X.p};
  if (b->kind == CARDAN_LINK_FREE) {
    T.p = cardan__vec3_add(T.p, cardan__mat3_mulv(&b->X.R, cardan__vec3(q[0], q[1], q[2])));
  }
  return T;
}

/* T_PB and the cosine and sine of body i, whose angle q + psi has cosine c and sine s. */
static inline void place(const cardan_body *b, const double *q, double c, double s, double *cs,
                         cardan_xform *X)
{
  switch (b->kind) {
  case CARDAN_LINK_REVOLUTE:
    cs[0] = c;
    cs[1] = s;
    X->R = rotation(b, c, s);
    break; // X->p is constant
  case CARDAN_LINK_HELICAL:
    cs[0] = c;
    cs[1] = s;
    X->R = rotation(b, c, s);
    X->p = cardan__vec3_axpy(b->pitch * q[0], cardan__mat3_column(&b->X.R, 2), b->X.p);
    break;
  case CARDAN_LINK_PRISMATIC: // X->R, c and s are constant
    X->p = cardan__vec3_axpy(q[0], cardan__mat3_column(&b->X.R, 2), b->X.p);
    break;
  case CARDAN_LINK_SPHERICAL:
  case CARDAN_LINK_FREE:
    *X = quaternion_pose(b, q);
    break;
  case CARDAN_LINK_WORLD:
    break;
  }
}

void cardan__joints_range(const cardan_model *model, cardan_data *data, int from, int to)
{
  double angle[CARDAN__BLOCK] = {0}, c[CARDAN__BLOCK], s[CARDAN__BLOCK];
  const cardan_body *body = &model->body[from];
  const int n = to - from;
  for (int k = 0; k < n; k++) {
    angle[k] = data->q[body[k].qadr] + body[k].psi;
  }
  cardan__sincos(n, angle, c, s);
  for (int k = 0; k < n; k++) {
    const int i = from + k;
    place(&body[k], data->q + body[k].qadr, c[k], s[k], data->cos_sin + 2 * i, &data->X[i]);
  }
}

void cardan_joints(const cardan_model *model, cardan_data *data)
{
  for (int from = 1, to; from < model->nbody; from = to) {
    to = cardan__block_end(model, from);
    cardan__joints_range(model, data, from, to);
  }
}

void cardan_q_dot(const cardan_model *model, const double *q, const double *v, double *qdot)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const double *qi = q + b->qadr, *vi = v + b->vadr;
    double *out = qdot + b->qadr;
    const int k = cardan__quat_offset(b);
    if (k < 0) {
      out[0] = vi[0];
      continue;
    }
    const cardan_quat Q = cardan__quat_at(qi + k);
    const cardan_quat d = cardan__quat_deriv(Q, cardan__vec3(vi[0], vi[1], vi[2]));
    if (b->kind == CARDAN_LINK_FREE) {
      const cardan_vec3 dx =
          cardan__quat_rotate(cardan__quat_normalize(Q), cardan__vec3(vi[3], vi[4], vi[5]));
      out[0] = dx.x;
      out[1] = dx.y;
      out[2] = dx.z;
    }
    out[k] = d.w;
    out[k + 1] = d.x;
    out[k + 2] = d.y;
    out[k + 3] = d.z;
  }
}

void cardan_q_drift(const cardan_model *model, const double *q, const double *v, double h,
                    double *q_out)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const double *qi = q + b->qadr, *vi = v + b->vadr;
    double *out = q_out + b->qadr;
    const int k = cardan__quat_offset(b);
    if (k < 0) {
      out[0] = qi[0] + h * vi[0];
      continue;
    }
    const cardan_quat Q = cardan__quat_normalize(cardan__quat_at(qi + k));
    const cardan_quat Q1 = cardan__quat_drift(Q, cardan__vec3(vi[0], vi[1], vi[2]), h);
    if (b->kind == CARDAN_LINK_FREE) {
      // position along the velocity at the middle of the turn: second order, exact without spin
      const cardan_quat Qm = cardan__quat_drift(Q, cardan__vec3(vi[0], vi[1], vi[2]), h / 2);
      const cardan_vec3 dx = cardan__quat_rotate(Qm, cardan__vec3(vi[3], vi[4], vi[5]));
      out[0] = qi[0] + h * dx.x;
      out[1] = qi[1] + h * dx.y;
      out[2] = qi[2] + h * dx.z;
    }
    const cardan_quat n = cardan__quat_normalize(Q1);
    out[k] = n.w;
    out[k + 1] = n.x;
    out[k + 2] = n.y;
    out[k + 3] = n.z;
  }
}

bool cardan_q_normalize(const cardan_model *model, double *q)
{
  if (model->nmulti == 0) {
    return true;
  }
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const int k = cardan__quat_offset(b);
    if (k < 0) {
      continue;
    }
    double *Q = q + b->qadr + k;
    const double n = cardan__quat_norm(cardan__quat_at(Q));
    if (!(n > 0) || !isfinite(n)) {
      return false;
    }
    for (int j = 0; j < 4; j++) {
      Q[j] /= n;
    }
  }
  return true;
}
