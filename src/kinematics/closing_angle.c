// SPDX-License-Identifier: Apache-2.0
#include "kinematics/closing_angle.h"

#include <math.h>

#include "kinematics/joint.h"
#include "kinematics/view.h"
#include "model/body_paths.h"
#include "spatial/spatial.h"

static const double pi = 3.14159265358979323846;

/* T of a body in the ancestor top. */
static cardan_xform pose_below(const cardan_model *model, int body, int top, const double *q)
{
  cardan_xform T = cardan__xform_identity();
  for (int i = body; i != top; i = model->body[i].parent) {
    const cardan_body *b = &model->body[i];
    const cardan_xform own = cardan__joint_ops_of(b->kind)->place(b, q + b->qadr);
    T = cardan__xform_mul(&own, &T);
  }
  return T;
}

static int body_of(const cardan_model *model, int k, int side)
{
  return model->frame[model->turning[k].frame[side]].body;
}

/* As _build_angle of expr/build_frames.c: atan2(c . a', a . a'), (a, c, axis) right-handed. */
double cardan__closing_angle_at(const cardan_model *model, int k, const double *q)
{
  const cardan_turning *turning = &model->turning[k];
  const int top = cardan__meeting(model, body_of(model, k, 0), body_of(model, k, 1));
  const cardan_vec3 n = turning->axis;
  const cardan_vec3 a = cardan__vec3_across(n);
  cardan_mat3 R[2];
  for (int side = 0; side < 2; side++) {
    const cardan_xform T = pose_below(model, body_of(model, k, side), top, q);
    R[side] = cardan__mat3_mul(&T.R, &model->frame[turning->frame[side]].X_BF.R);
  }
  const cardan_vec3 seen = cardan__mat3_tmulv(&R[0], cardan__mat3_mulv(&R[1], a));
  return atan2(cardan__vec3_dot(cardan__vec3_cross(n, a), seen), cardan__vec3_dot(a, seen));
}

/* How far one joint turned. A joint with a quaternion may have turned on over whole turns, 2 pi k
 * +- the angle a between its poses: of these it is the one nearest to h |w|, w at the beginning. */
static double way_of(const cardan_body *b, const double *q0, const double *q1, const double *v0,
                     double h)
{
  if (b->kind == CARDAN_LINK_REVOLUTE || b->kind == CARDAN_LINK_HELICAL) {
    return fabs(q1[b->qadr] - q0[b->qadr]);
  }
  if (b->kind == CARDAN_LINK_PRISMATIC) {
    return 0.0;
  }
  const cardan_xform T0 = cardan__joint_ops_of(b->kind)->place(b, q0 + b->qadr);
  const cardan_xform T1 = cardan__joint_ops_of(b->kind)->place(b, q1 + b->qadr);
  const cardan_mat3 R = cardan__mat3_tmul(&T0.R, &T1.R);
  const double a = acos(fmax(-1.0, fmin(1.0, 0.5 * (R.m[0][0] + R.m[1][1] + R.m[2][2] - 1.0))));
  const double *w = v0 + b->vadr;
  const double reach = fabs(h) * cardan__vec3_norm(cardan__vec3(w[0], w[1], w[2]));
  const double on = cardan__closing_angle_near(a, reach);
  const double back = cardan__closing_angle_near(-a, reach);
  return fmax(a, fabs(on - reach) < fabs(back - reach) ? on : back);
}

double cardan__closing_angle_way(const cardan_model *model, int k, const double *q0,
                                 const double *q1, const double *v0, double h)
{
  const int top = cardan__meeting(model, body_of(model, k, 0), body_of(model, k, 1));
  double way = 0.0;
  for (int side = 0; side < 2; side++) {
    for (int i = body_of(model, k, side); i != top; i = model->body[i].parent) {
      way += way_of(&model->body[i], q0, q1, v0, h);
    }
  }
  return way;
}

double cardan__closing_angle_near(double angle, double to)
{
  return angle + 2.0 * pi * round((to - angle) / (2.0 * pi));
}

void cardan__closing_angle_count(cardan_data *data, int k, double q)
{
  data->half_turn[k] = pi * round(q / pi);
}

void cardan__closing_angle_follow(const cardan_model *model, cardan_data *data, const double *q0)
{
  for (int k = 0; k < model->nturning; k++) {
    const double before =
        cardan__closing_angle_near(cardan__closing_angle_at(model, k, q0), data->half_turn[k]);
    const double angle = cardan__closing_angle_at(model, k, data->q);
    cardan__closing_angle_count(data, k, cardan__closing_angle_near(angle, before));
  }
}

void cardan__closing_angle_start(const cardan_model *model, cardan_data *data, double *q)
{
  const cardan__view view = cardan__data_view(model, data);
  for (int k = 0; k < model->nturning; k++) {
    const cardan_turning *turning = &model->turning[k];
    const double to =
        turning->expr >= 0 ? cardan__expr_at(model, &view, turning->expr) : turning->start;
    const double angle =
        cardan__closing_angle_near(cardan__closing_angle_at(model, k, data->q), to);
    cardan__closing_angle_count(data, k, angle);
    if (q != NULL) {
      q[k] = angle;
    }
  }
}
