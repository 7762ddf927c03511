// SPDX-License-Identifier: Apache-2.0
#include "methods/discrete/displacement.h"

#include <string.h>

#include "kinematics/joint.h"

void cardan__displacement_set(const cardan_model *model, cardan__displacement *x)
{
  int m = 0;
  for (int i = 1; i < model->nbody && m < model->nmulti; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv > 1) {
      x->joint[m++] = cardan__screw_exp(cardan__joint_twist(b, x->dq + b->vadr));
    }
  }
}

void cardan__displacement_add(const cardan_model *model, const cardan__displacement *from,
                              double part, const double *step, cardan__displacement *to)
{
  int m = 0;
  for (int k = 0; k < model->nv; k++) {
    to->dq[k] = from->dq[k] + part * step[k];
  }
  for (int i = 1; i < model->nbody && m < model->nmulti; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv > 1) {
      const cardan_twist d = cardan__twist_scale(part, cardan__joint_twist(b, step + b->vadr));
      cardan__dlog_coeffs unused;
      to->joint[m] = cardan__screw_mul(from->joint[m], cardan__screw_exp(d));
      const cardan_twist y = cardan__screw_log(&to->joint[m++], &unused);
      const double all[6] = {y.w.x, y.w.y, y.w.z, y.v.x, y.v.y, y.v.z};
      memcpy(to->dq + b->vadr, all, (size_t)b->nv * sizeof *all);
    }
  }
}

void cardan__displacement_copy(const cardan_model *model, const cardan__displacement *from,
                               cardan__displacement *to)
{
  memcpy(to->dq, from->dq, (size_t)model->nv * sizeof *to->dq);
  memcpy(to->joint, from->joint, (size_t)model->nmulti * sizeof *to->joint);
}
