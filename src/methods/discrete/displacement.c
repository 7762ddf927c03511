// SPDX-License-Identifier: Apache-2.0
#include "methods/discrete/displacement.h"

#include <string.h>

#include "kinematics/joint.h"

void cardan__displacement_set(const cardan_model *model, cardan__displacement *x)
{
  int m = 0;
  for (int i = 1; i < model->nbody && m < model->nmulti; i++) {
    const cardan_body *b = &model->body[i];
    if (cardan__joint_is_ball(b)) {
      const double *w = x->dq + b->vadr;
      x->joint[m++] = (cardan__screw){.r = cardan__turn_exp(cardan__vec3(w[0], w[1], w[2]))};
    } else if (b->nv > 1) {
      x->joint[m++] = cardan__screw_exp(cardan__joint_twist(b, x->dq + b->vadr));
    }
  }
}

/* A ball of `to`, and its dq. */
static void add_ball(cardan__screw from, double part, const double *w, cardan__screw *to,
                     double *dq)
{
  const cardan_vec3 step = cardan__vec3_scale(part, cardan__vec3(w[0], w[1], w[2]));
  *to = (cardan__screw){.r = cardan__quat_mul(from.r, cardan__turn_exp(step))};
  const cardan_vec3 y = cardan__turn_log(to);
  dq[0] = y.x;
  dq[1] = y.y;
  dq[2] = y.z;
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
    if (cardan__joint_is_ball(b)) {
      add_ball(from->joint[m], part, step + b->vadr, &to->joint[m], to->dq + b->vadr);
      m++;
    } else if (b->nv > 1) {
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
