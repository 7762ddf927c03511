// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "expr/expr.h"
#include "kinematics/joint.h"
#include "kinematics/view.h"
#include "model/build.h"
#include "output/symbols.h"
#include "spatial/rotation.h"

/* A cam: an equation f(a, y) = 0 (or an inequality, where it is met) of the angle a of a hinge and
 * the place y of a slider on the same body, which gives y for every a of a turn. Drawn is the
 * pitch curve, the path of the slider's origin as the cam sees it: the profile itself of a knife
 * edge, outside of it by the radius of a roller. With poses at the start, a0 and y0 there, p the
 * slider's origin and s its axis in the cam's frame, z the hinge's axis:
 *
 *   c(a) = Rz(a0 - a) (p + (y(a) - y0) s)        f(a, y(a)) = 0                (E1)
 *
 * y by Newton's iteration from its value one step before; cost O(SIDES) evaluations of f. */

enum { SIDES = 72, TRIES = 30 };
static const double turn = 6.28318530717958647692;

typedef struct {
  int cam, slider; // bodies
  int a, y;        // their coordinates
  int expr;
} pair;

/* Are the leaves of the expression, but for parameters, these two coordinates? */
static bool find_pair(const cardan_model *model, int expr, pair *to)
{
  const cardan_bound_expr *e = &model->expr[expr];
  *to = (pair){.a = -1, .y = -1, .expr = expr};
  for (int k = 0; k < e->nleaf; k++) {
    const int q = e->leaf[k].index;
    if (e->leaf[k].kind == CARDAN__LEAF_PARAMETER) {
      continue;
    }
    if (e->leaf[k].kind != CARDAN__LEAF_Q) {
      return false;
    }
    const cardan_body *body = &model->body[model->q_body[q]];
    if (cardan__joint_is_hinge(body) && to->a < 0) {
      to->a = q;
    } else if (cardan__joint_nslide(body) == 1 && to->y < 0) {
      to->y = q;
    } else {
      return false;
    }
  }
  if (to->a < 0 || to->y < 0) {
    return false;
  }
  to->cam = model->q_body[to->a];
  to->slider = model->q_body[to->y];
  return model->body[to->cam].parent == model->body[to->slider].parent;
}

/* f(a, y) = 0 for y, which is the guess before, a being that of data. */
static bool solve(const cardan__draft *d, const pair *of, double *y)
{
  const cardan_model *model = d->model;
  const cardan__view view = cardan__data_view(model, d->start);
  const cardan_bound_expr *e = &model->expr[of->expr];
  double *x = view.work, *g = x + model->max_leaf, *work = x + 8 * model->max_leaf;
  for (int i = 0; i < TRIES; i++) {
    double slope = 0;
    d->start->q[of->y] = *y;
    cardan__leaf_values(model, &view, e, x, NULL, NULL);
    const double f = cardan__expr_gradient(e->expr, x, work, g);
    for (int k = 0; k < e->nleaf; k++) {
      slope += e->leaf[k].kind == CARDAN__LEAF_Q && e->leaf[k].index == of->y ? g[k] : 0;
    }
    const double step = -f / slope;
    if (!isfinite(step)) {
      return false;
    }
    *y += step;
    if (fabs(step) <= 1e-14 * (d->extent + fabs(*y))) {
      return true;
    }
  }
  return false;
}

/* The curve's corners, in the cam's frame (E1). returns false: y is no function of the angle, or
 * another one after a turn */
static bool trace(const cardan__draft *d, const pair *of, cardan_vec3 c[SIDES + 1])
{
  double *q = d->start->q;
  const double a0 = q[of->a], y0 = q[of->y];
  const cardan_xform from = cardan_xform_inverse(cardan__draft_pose(d, of->cam));
  const cardan_xform X = cardan_xform_mul(&from, cardan__draft_pose(d, of->slider));
  const cardan_vec3 s = cardan__mat3_column(&X.R, 2);
  double y = y0, first = 0;
  bool good = true;
  for (int k = 0; k <= SIDES && good; k++) {
    q[of->a] = a0 + turn * k / SIDES;
    good = solve(d, of, &y);
    first = k == 0 ? y : first;
    const cardan_mat3 R = cardan_so3_exp((cardan_vec3){0, 0, a0 - q[of->a]});
    c[k] = cardan__mat3_mulv(&R, cardan__vec3_axpy(y - y0, s, X.p));
  }
  q[of->a] = a0;
  q[of->y] = y0;
  return good && fabs(y - first) < 1e-6 * d->extent;
}

static bool has_shapes(const cardan_model *model, int body)
{
  for (int f = 0; f < model->nframe; f++) {
    if (model->frame[f].body == body && model->frame[f].nshape > 0) {
      return true;
    }
  }
  return false;
}

/* A closed line of rods: thick where it is all that is seen of the cam. */
static int curve(cardan__draft *d, int cam, const cardan_vec3 c[SIDES + 1])
{
  const int glyph = cardan__glyph_open(d, "cam");
  const bool thin = has_shapes(d->model, cam);
  const double px = thin ? 0.8 : 1.5;
  for (int k = 0; k < SIDES; k++) {
    const cardan_vec3 way = cardan__vec3_sub(c[k + 1], c[k]);
    const cardan_vec3 middle = cardan__vec3_axpy(0.5, way, c[k]);
    cardan_symbol_part *side = cardan__part(
        d, CARDAN_PART_CYLINDER, thin ? CARDAN_TINT_LINE : CARDAN_TINT_JOINT, px, px, px);
    side->size[1][2] = cardan__vec3_norm(way);
    side->R = cardan__axes(way, (cardan_vec3){0, 0, 1});
    cardan__part_move(side, middle.x, middle.y, middle.z);
  }
  return glyph;
}

bool cardan__draft_cam(cardan__draft *d, int expr, const char *name, const char *kind)
{
  const cardan_xform here = cardan_xform_identity();
  cardan_vec3 c[SIDES + 1];
  pair of;
  if (expr < 0 || !find_pair(d->model, expr, &of) || !trace(d, &of, c)) {
    return false;
  }
  double size = 0;
  for (int k = 0; k < SIDES; k++) {
    size = fmax(size, cardan__vec3_norm(cardan__vec3_sub(c[k], c[0])));
  }
  if (size < 1e-3 * d->extent) {
    return false;
  }
  cardan_symbol *symbol = cardan__draft_symbol(d, curve(d, of.cam, c), of.cam, &here);
  symbol->name = name;
  symbol->kind = kind;
  return true;
}
