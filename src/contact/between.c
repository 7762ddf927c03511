// SPDX-License-Identifier: Apache-2.0
#include "contact/between.h"

#include <math.h>

#include "cardan/kinematics.h"
#include "contact/touch.h"
#include "kinematics/joint.h"
#include "spatial/hull.h"
#include "spatial/spatial.h"

enum { MOST_LOOKS = 256 };
static const double bent = 1.58; // an arc of up to half a turn over its chord, pi / 2

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

cardan_vec3 cardan__solid_shift(const cardan_solid *solid, const cardan_xform *X,
                                const cardan_xform *Y)
{
  return cardan__vec3_sub(cardan__xform_point(Y, solid->X_BS.p),
                          cardan__xform_point(X, solid->X_BS.p));
}

/* |dc - u| + |dR|_2 radius,   |dR|_2 = |dR|_F / sqrt 2
 * with c the centre and dR the difference of the rotation matrices: a rotation's chord. */
double cardan__solid_way(const cardan_solid *solid, const cardan_xform *X, const cardan_xform *Y,
                         cardan_vec3 u)
{
  double sum = 0;
  for (int j = 0; j < 3; j++) {
    const cardan_vec3 a =
        cardan__vec3_sub(cardan__mat3_column(&Y->R, j), cardan__mat3_column(&X->R, j));
    sum += cardan__vec3_dot(a, a);
  }
  return cardan__vec3_norm(cardan__vec3_sub(cardan__solid_shift(solid, X, Y), u)) +
         (sum > 0 ? sqrt(0.5 * sum) * solid->radius : 0);
}

/* The same of solid i, from poses X to Y of all bodies. */
static double motion_bound(const cardan_model *model, const cardan_xform *X, const cardan_xform *Y,
                           int i)
{
  const cardan_solid *solid = &model->solid[i];
  const cardan_vec3 none = {0, 0, 0};
  return cardan__solid_way(solid, &X[solid->body], &Y[solid->body], none);
}

/* Returns whether a pair needs a search between poses X and Y: not if its motion is too short to
 * pass through undetected, if it touches at the end, or if it is held, or overlaps, at the
 * beginning. What touches there and is not held may fly off, come back and pass through within the
 * step. longest and thinnest: out, over these pairs. */
static bool needs_midstep_search(const cardan_model *model, const cardan_xform *X,
                                 const cardan_xform *Y, int pair, bool held, const double *width,
                                 double tol, double *longest, double *thinnest)
{
  const int *solid = model->pair[pair].solid;
  const double thick = width[solid[0]] + width[solid[1]];
  if (!(thick < HUGE_VAL)) {
    return false;
  }
  const double way = motion_bound(model, X, Y, solid[0]) + motion_bound(model, X, Y, solid[1]);
  if (way <= 0.5 * thick) {
    return false;
  }
  const double gap = cardan__pair_gap(model, pair, X, NULL);
  if (gap > way || gap <= (held ? tol : -tol) || cardan__pair_gap(model, pair, Y, NULL) <= tol) {
    return false;
  }
  *longest = fmax(*longest, way);
  *thinnest = fmin(*thinnest, thick);
  return true;
}

/* The smallest gap of n pairs, which: out. */
static double smallest(const cardan_model *model, const cardan_xform *X, int n, const int *pair,
                       int *which)
{
  double least = HUGE_VAL;
  for (int i = 0; i < n; i++) {
    const double gap = cardan__pair_gap(model, pair[i], X, NULL);
    *which = gap < least ? pair[i] : *which;
    least = fmin(gap, least);
  }
  return least;
}

static cardan_vec3 centre_of(const cardan_body *b, const double *q)
{
  const cardan_quat e = cardan__quat_normalize(cardan__quat_at(q + cardan__quat_offset(b)));
  const cardan_vec3 h = cardan__quat_rotate(e, b->inertia.h);
  return cardan__vec3_axpy(b->inertia.m > 0 ? 1 / b->inertia.m : 0, h,
                           cardan__vec3(q[0], q[1], q[2]));
}

/* The position of free body b, from q by part of dq, so that its centre of mass goes straight, as
 * in flight. On the screw dq it would be off by up to an eighth of the way times the turn. */
static void straighten(const cardan_body *b, const double *q, const double *dq, double part,
                       double *at)
{
  double end[7];
  cardan__joint_ops_of(b->kind)->move(b, q, dq, 1, end);
  const cardan_vec3 from = centre_of(b, q), to = centre_of(b, end), now = centre_of(b, at);
  const cardan_vec3 way = cardan__vec3_sub(to, from);
  const cardan_vec3 more = cardan__vec3_sub(cardan__vec3_axpy(part, way, from), now);
  at[0] += more.x;
  at[1] += more.y;
  at[2] += more.z;
}

static void move_poses(const cardan_model *model, const double *q, const double *dq, double part,
                       cardan_data *at)
{
  cardan_q_move(model, q, dq, part, at->q);
  for (int i = 1; i < model->nbody && part < 1; i++) {
    const cardan_body *b = &model->body[i];
    if (cardan__joint_nslide(b) == 3) {
      straighten(b, q + b->qadr, dq + b->vadr, part, at->q + b->qadr);
    }
  }
  cardan_joints(model, at);
  cardan_poses(model, at);
}

double cardan__pairs_between(const cardan_model *model, const double *q, const cardan_xform *X,
                             const double *dq, cardan_data *end, int n, const int *pair,
                             const double *width, double tol, int *list, int *which)
{
  double longest = 0, thinnest = HUGE_VAL;
  int count = 0, nearest = -1;
  for (int i = 0; i < n; i++) {
    const bool held = list[i] != 0;
    list[count] = pair[i];
    count +=
        needs_midstep_search(model, X, end->X_W, pair[i], held, width, tol, &longest, &thinnest);
  }
  if (count == 0) {
    return 0;
  }
  double part = 0, gap = smallest(model, X, count, list, &nearest);
  for (int looks = 0; looks < MOST_LOOKS && part < 1 && gap >= -tol; looks++) {
    part += fmax(gap, 0.25 * thinnest) / (bent * longest);
    move_poses(model, q, dq, fmin(part, 1), end);
    gap = smallest(model, end->X_W, count, list, &nearest);
  }
  move_poses(model, q, dq, 1, end);
  if (which != NULL && gap < -tol) {
    *which = nearest;
  }
  return gap < -tol && part < 1 ? part : 0;
}
