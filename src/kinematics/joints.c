// SPDX-License-Identifier: Apache-2.0
#include "cardan/kinematics.h"
#include "kinematics/joint.h"
#include "kinematics/recursions.h"
#include "model/data.h"
#include "spatial/body_blocks.h"
#include "spatial/sincos.h"

/* T_PB of a joint that is not revolute, and the cosine and sine of its angle q + psi, which has
 * cosine c and sine s. */
static void place(const cardan_body *b, const double *q, double c, double s, double *cs,
                  cardan_xform *X)
{
  switch (b->kind) {
  case CARDAN_LINK_HELICAL:
    cs[0] = c;
    cs[1] = s;
    cardan__hinge_turn(b, c, s, &X->R);
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

void cardan__angles_range(const cardan_model *model, cardan_data *data, int from, int to)
{
  double angle[CARDAN__BLOCK] = {0}, c[CARDAN__BLOCK], s[CARDAN__BLOCK];
  const cardan_body *body = &model->body[from];
  const int n = to - from, half = CARDAN__LANES / 2;
  for (int k = 0; k < n; k++) {
    angle[k] = data->q[body[k].qadr] + body[k].psi;
  }
  cardan__sincos((n + half - 1) / half * half, angle, c, s); // vectors, the last one may be a half
  for (int k = 0; k < n; k++) {
    const int i = from + k;
    if (cardan__joint_is_hinge(&body[k])) {
      data->cos_sin[2 * i] = c[k];
      data->cos_sin[2 * i + 1] = s[k];
    } else {
      place(&body[k], data->q + body[k].qadr, c[k], s[k], data->cos_sin + 2 * i, &data->X[i]);
    }
  }
}

void cardan__joints_range(const cardan_model *model, cardan_data *data, int from, int to)
{
  cardan__angles_range(model, data, from, to);
  for (int i = from; i < to; i++) {
    const cardan_body *b = &model->body[i];
    if (cardan__joint_is_hinge(b)) {
      cardan__hinge_turn(b, data->cos_sin[2 * i], data->cos_sin[2 * i + 1], &data->X[i].R);
    }
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
