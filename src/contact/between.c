// SPDX-License-Identifier: Apache-2.0
#include "contact/between.h"

#include <math.h>

#include "cardan/kinematics.h"
#include "contact/touch.h"
#include "spatial/hull.h"
#include "spatial/spatial.h"

enum { MOST_LOOKS = 64 };

double cardan__gap_rate(double before, double last, double gap, double h, double next)
{
  const double behind = (gap - last) / before, ahead = (next - gap) / h;
  return (h * behind + before * ahead) / (before + h);
}

double cardan__gap_valley(double gap, double rate, double h, double next, double *least)
{
  const double curve = ((next - gap) / h - rate) / h; // gap + rate s + curve s^2
  const double s = curve > 0 ? -rate / (2 * curve) : 0;
  const bool inside = s > 0 && s < h;
  *least = inside ? gap + 0.5 * rate * s : fmin(gap, next);
  return inside ? s : 0;
}

static double width_of(const cardan_model *model, const cardan_solid *s)
{
  const double *a = s->size;
  switch (s->kind) {
  case CARDAN_SHAPE_SPHERE:
  case CARDAN_SHAPE_CAPSULE:
    return 2 * a[0];
  case CARDAN_SHAPE_BOX:
    return fmin(a[0], fmin(a[1], a[2]));
  case CARDAN_SHAPE_CYLINDER:
    return fmin(2 * a[0], a[1]);
  case CARDAN_SHAPE_ELLIPSOID:
    return 2 * fmin(a[0], fmin(a[1], a[2]));
  case CARDAN_SHAPE_PLANE:
    return HUGE_VAL;
  case CARDAN_SHAPE_HULL:
    return cardan__hull_width(&model->hull[s->hull]);
  case CARDAN_SHAPE_POINT:
  default:
    return 0;
  }
}

void cardan__solids_width(const cardan_model *model, double *width)
{
  for (int i = 0; i < model->nsolid; i++) {
    width[i] = width_of(model, &model->solid[i]);
  }
}

/* How far a point of a solid moves at most from one pose to the other:
 *   |dc| + |dR|_2 radius,   |dR|_2 = |dR|_F / sqrt 2
 * with c its centre and dR the difference of the rotation matrices. */
static double moved(const cardan_solid *s, const cardan_data *node, const cardan_data *end)
{
  const cardan_xform *X0 = &node->X_W[s->body], *X1 = &end->X_W[s->body];
  const cardan_vec3 c0 = cardan__xform_point(X0, s->X_BS.p),
                    c1 = cardan__xform_point(X1, s->X_BS.p);
  double square = 0;
  for (int k = 0; k < 9; k++) {
    const double d = X1->R.m[k / 3][k % 3] - X0->R.m[k / 3][k % 3];
    square += d * d;
  }
  return cardan__vec3_norm(cardan__vec3_sub(c1, c0)) + sqrt(0.5 * square) * s->radius;
}

/* In how many parts the way of a pair is to be looked at; 1: it cannot pass unseen. */
static int parts_of(const cardan_model *model, const cardan_data *node, const cardan_data *end,
                    int pair, const double *width)
{
  const int *solid = model->pair[pair].solid;
  const double thick = width[solid[0]] + width[solid[1]];
  if (!(thick < HUGE_VAL)) {
    return 1;
  }
  const double way =
      moved(&model->solid[solid[0]], node, end) + moved(&model->solid[solid[1]], node, end);
  if (way <= 0.5 * thick || cardan__pair_gap(model, pair, node->X_W, NULL) > way) {
    return 1;
  }
  return 4 * way < MOST_LOOKS * thick ? (int)ceil(4 * way / thick) : MOST_LOOKS;
}

double cardan__pairs_between(const cardan_model *model, const cardan_data *node,
                             const cardan_data *end, const double *dq, int n, const int *pair,
                             const double *width, double tol, cardan_data *at, int *which)
{
  int parts = 1;
  for (int i = 0; i < n; i++) {
    const int own = parts_of(model, node, end, pair[i], width);
    parts = own > parts ? own : parts;
  }
  for (int j = 1; j < parts; j++) {
    const double part = (double)j / parts;
    cardan_q_move(model, node->q, dq, part, at->q);
    cardan_joints(model, at);
    cardan_poses(model, at);
    for (int i = 0; i < n; i++) {
      if (cardan__pair_gap(model, pair[i], at->X_W, NULL) < -tol) {
        if (which != NULL) {
          *which = pair[i];
        }
        return part;
      }
    }
  }
  return 0;
}
