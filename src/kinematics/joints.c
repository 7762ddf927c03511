// SPDX-License-Identifier: Apache-2.0
#include "cardan/kinematics.h"
#include "kinematics/joint.h"
#include "kinematics/motion.h"
#include "model/data.h"
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
  case CARDAN_LINK_WORLD:
    break;
  default:
    *X = cardan__joint_ops_of(b->kind)->place(b, q);
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
  data->fresh = CARDAN_FRESH_JOINTS;
}
