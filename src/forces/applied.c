// SPDX-License-Identifier: Apache-2.0
#include "forces/forces.h"

/* Forces given by expressions of t, q, v and frames: a torque (or force) on one velocity, and a
 * wrench at a frame's origin with components in the frame's axes or the world's. */

void cardan__torque_apply(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, cardan__loads *to)
{
  cardan__load_dof(to, e->dof, cardan__expr_at(model, view, e->expr[0]));
}

void cardan__wrench_apply(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, cardan__loads *to)
{
  const cardan_frame *frame = &model->frame[e->frame[0]];
  double x[6];
  for (int i = 0; i < 6; i++) {
    x[i] = e->expr[i] >= 0 ? cardan__expr_at(model, view, e->expr[i]) : 0.0;
  }
  cardan_force w = {.t = {x[3], x[4], x[5]}, .f = {x[0], x[1], x[2]}};
  if (e->in_world) {
    // to the frame's axes: by way of the body's
    const cardan_mat3 *R_WB = &view->X_W[frame->body].R;
    w.t = cardan__mat3_tmulv(&frame->X_BF.R, cardan__mat3_tmulv(R_WB, w.t));
    w.f = cardan__mat3_tmulv(&frame->X_BF.R, cardan__mat3_tmulv(R_WB, w.f));
  }
  cardan__load_body(to, frame->body, cardan__force_to_parent(&frame->X_BF, w));
}
