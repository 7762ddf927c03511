// SPDX-License-Identifier: Apache-2.0
#include "contact/touch.h"

#include "contact/field.h"
#include "contact/solid_pairs.h"

enum { KINDS = CARDAN_SHAPE_HEIGHT_FIELD + 1 };
static const double LEVEL = 1e-6; // [rad] a rim that is tilted by less has no lowest place

/* Each kind of pair once. Not there: two planes and two points, which never touch;
 * planes and height fields, which stay in the world. */
static const cardan__pair_ops *const TABLE[KINDS][KINDS] = {
    [CARDAN_SHAPE_POINT] = {[CARDAN_SHAPE_PLANE] = &cardan__plane_ops,
                            [CARDAN_SHAPE_SPHERE] = &cardan__round_ops,
                            [CARDAN_SHAPE_CAPSULE] = &cardan__round_ops,
                            [CARDAN_SHAPE_BOX] = &cardan__point_box_ops,
                            [CARDAN_SHAPE_CYLINDER] = &cardan__hull_ops,
                            [CARDAN_SHAPE_ELLIPSOID] = &cardan__hull_ops,
                            [CARDAN_SHAPE_HULL] = &cardan__hull_ops,
                            [CARDAN_SHAPE_HEIGHT_FIELD] = &cardan__field_ops},
    [CARDAN_SHAPE_SPHERE] = {[CARDAN_SHAPE_PLANE] = &cardan__plane_ops,
                             [CARDAN_SHAPE_SPHERE] = &cardan__round_ops,
                             [CARDAN_SHAPE_CAPSULE] = &cardan__round_ops,
                             [CARDAN_SHAPE_BOX] = &cardan__round_box_ops,
                             [CARDAN_SHAPE_CYLINDER] = &cardan__hull_ops,
                             [CARDAN_SHAPE_ELLIPSOID] = &cardan__hull_ops,
                             [CARDAN_SHAPE_HULL] = &cardan__hull_ops,
                             [CARDAN_SHAPE_HEIGHT_FIELD] = &cardan__field_ops},
    [CARDAN_SHAPE_CAPSULE] = {[CARDAN_SHAPE_PLANE] = &cardan__plane_ops,
                              [CARDAN_SHAPE_CAPSULE] = &cardan__round_ops,
                              [CARDAN_SHAPE_BOX] = &cardan__round_box_ops,
                              [CARDAN_SHAPE_CYLINDER] = &cardan__hull_ops,
                              [CARDAN_SHAPE_ELLIPSOID] = &cardan__hull_ops,
                              [CARDAN_SHAPE_HULL] = &cardan__hull_ops,
                              [CARDAN_SHAPE_HEIGHT_FIELD] = &cardan__field_ops},
    [CARDAN_SHAPE_BOX] = {[CARDAN_SHAPE_PLANE] = &cardan__plane_ops,
                          [CARDAN_SHAPE_BOX] = &cardan__box_ops,
                          [CARDAN_SHAPE_CYLINDER] = &cardan__hull_ops,
                          [CARDAN_SHAPE_ELLIPSOID] = &cardan__hull_ops,
                          [CARDAN_SHAPE_HULL] = &cardan__hull_ops,
                          [CARDAN_SHAPE_HEIGHT_FIELD] = &cardan__field_ops},
    [CARDAN_SHAPE_CYLINDER] = {[CARDAN_SHAPE_PLANE] = &cardan__plane_ops,
                               [CARDAN_SHAPE_CYLINDER] = &cardan__hull_ops,
                               [CARDAN_SHAPE_ELLIPSOID] = &cardan__hull_ops,
                               [CARDAN_SHAPE_HULL] = &cardan__hull_ops,
                               [CARDAN_SHAPE_HEIGHT_FIELD] = &cardan__field_ops},
    [CARDAN_SHAPE_ELLIPSOID] = {[CARDAN_SHAPE_PLANE] = &cardan__plane_ops,
                                [CARDAN_SHAPE_ELLIPSOID] = &cardan__hull_ops,
                                [CARDAN_SHAPE_HULL] = &cardan__hull_ops,
                                [CARDAN_SHAPE_HEIGHT_FIELD] = &cardan__field_ops},
    [CARDAN_SHAPE_HULL] = {[CARDAN_SHAPE_PLANE] = &cardan__plane_ops,
                           [CARDAN_SHAPE_HULL] = &cardan__hull_ops,
                           [CARDAN_SHAPE_HEIGHT_FIELD] = &cardan__field_ops},
};

/* A pair with its functions, a and b in the table's order. */
typedef struct {
  const cardan__pair_ops *ops; // NULL: never touches
  bool turned;                 // a is B
  cardan__placed a, b;
} subject;

static cardan__placed placed(const cardan_model *model, int solid, const cardan_xform *X_W)
{
  const cardan_solid *s = &model->solid[solid];
  cardan__placed out = {.solid = s};
  if (s->hull >= 0) {
    out.hull = &model->hull[s->hull];
    out.core = out.hull + 1;
  }
  out.field = s->kind == CARDAN_SHAPE_HEIGHT_FIELD ? &model->field[s->field] : NULL;
  if (X_W) {
    out.X_WS = cardan__xform_mul(&X_W[s->body], &s->X_BS);
  }
  return out;
}

/* Finds both solids of a pair, in the table's order. X_W NULL: only their sizes. */
static subject find_pair_solids(const cardan_model *model, const int solid[2],
                                const cardan_xform *X_W)
{
  const cardan_shape_kind kind[2] = {model->solid[solid[0]].kind, model->solid[solid[1]].kind};
  subject s = {.ops = TABLE[kind[0]][kind[1]]};
  if (!s.ops) {
    s.ops = TABLE[kind[1]][kind[0]];
    s.turned = true;
  }
  s.a = placed(model, solid[s.turned], X_W);
  s.b = placed(model, solid[!s.turned], X_W);
  return s;
}

/* Exchanges A and B. */
static void swap_sides(cardan__touch *at)
{
  at->x = cardan__vec3_axpy(-at->gap, at->n, at->x);
  at->n = cardan__vec3_neg(at->n);
}

int cardan__pair_most(const cardan_model *model, int pair)
{
  const subject s = find_pair_solids(model, model->pair[pair].solid, NULL);
  return s.ops ? s.ops->most(&s.a, &s.b) : 0;
}

int cardan__pair_spots(const cardan_model *model, int pair, const cardan_xform *X_W, double margin,
                       cardan__spot *spot, int most)
{
  const subject s = find_pair_solids(model, model->pair[pair].solid, X_W);
  const int n = s.ops ? s.ops->spots(&s.a, &s.b, margin, spot, most) : 0;
  for (int i = 0; i < n; i++) {
    spot[i].pair = pair;
    if (s.turned) {
      cardan__spot_turn(&spot[i]);
    }
  }
  return n;
}

double cardan__pair_gap(const cardan_model *model, int pair, const cardan_xform *X_W,
                        cardan__touch *at)
{
  return cardan__solids_gap(model, model->pair[pair].solid, X_W, at);
}

double cardan__solids_gap(const cardan_model *model, const int solid[2], const cardan_xform *X_W,
                          cardan__touch *at)
{
  const subject s = find_pair_solids(model, solid, X_W);
  cardan__touch own = {.gap = HUGE_VAL, .n = {0, 0, 1}};
  if (s.ops) {
    s.ops->gap(&s.a, &s.b, &own);
    if (s.turned) {
      swap_sides(&own);
    }
  }
  if (at) {
    *at = own;
  }
  return own.gap;
}

/* The lowest point x of the side's body over the plane of the other, as a touch: gap of x less
 * radius. */
static void over_plane(const cardan__spot *s, const cardan_xform *const X[2], cardan_vec3 x,
                       double radius, cardan__touch *at)
{
  const int o = 1 - s->side;
  const cardan_vec3 n = cardan__mat3_mulv(&X[o]->R, s->n[o]);
  const cardan_vec3 foot = cardan__xform_point(X[o], s->p[o]);
  at->gap = cardan__vec3_dot(n, cardan__vec3_sub(x, foot)) - radius;
  at->x = cardan__vec3_axpy(-radius, n, x);
  at->n = n;
  if (s->side == 1) {
    swap_sides(at);
  }
}

/* X = c - r d, with the unit vector d across the axis that is most along n within a quarter of a
 * turn of up: d = m / |m|, m = n - (n.a) a (taken twice, so that a small m is as exact as a large
 * one), or the end of that half circle. */
static void touch_rim(const cardan__spot *s, const cardan_xform *const X[2], cardan__touch *at)
{
  const int i = s->side, o = 1 - i;
  const cardan_vec3 n = cardan__mat3_mulv(&X[o]->R, s->n[o]);
  const cardan_vec3 a = cardan__mat3_mulv(&X[i]->R, s->n[i]);
  const cardan_vec3 up = cardan__mat3_mulv(&X[i]->R, s->up);
  cardan_vec3 m = cardan__vec3_axpy(-cardan__vec3_dot(n, a), a, n);
  m = cardan__vec3_axpy(-cardan__vec3_dot(m, a), a, m);
  if (cardan__vec3_norm(m) < 1e-14) {
    m = up;
  } else if (cardan__vec3_dot(m, up) < 0) {
    const cardan_vec3 end = cardan__vec3_cross(a, up);
    m = cardan__vec3_dot(m, end) < 0 ? cardan__vec3_neg(end) : end;
  }
  const cardan_vec3 c = cardan__xform_point(X[i], s->p[i]);
  over_plane(s, X, cardan__vec3_axpy(-s->radius / cardan__vec3_norm(m), m, c), s->round, at);
}

/* Lines x_A + s a and x_B + t b: n = a x b / |a x b|, gap = n . (x_A - x_B) - r, and on A
 *   s = ((x_B - x_A) x b) . (a x b) / |a x b|^2                                             */
static void touch_edges(const cardan__spot *s, const cardan_xform *const X[2], cardan__touch *at)
{
  const cardan_vec3 a = cardan__mat3_mulv(&X[0]->R, s->n[0]);
  const cardan_vec3 b = cardan__mat3_mulv(&X[1]->R, s->n[1]);
  const cardan_vec3 x = cardan__xform_point(X[0], s->p[0]);
  const cardan_vec3 d = cardan__vec3_sub(cardan__xform_point(X[1], s->p[1]), x);
  const cardan_vec3 m = cardan__vec3_cross(a, b);
  const double size2 = cardan__vec3_dot(m, m);
  const bool lost = size2 < 1e-18;
  const double t = lost ? 0 : cardan__vec3_dot(cardan__vec3_cross(d, b), m) / size2;
  at->n = lost ? s->up : cardan__vec3_scale(1 / sqrt(size2), m);
  at->gap = -cardan__vec3_dot(at->n, d) - s->radius;
  at->x = cardan__vec3_axpy(t, a, x);
  if (s->side == 0) {
    at->x = cardan__vec3_axpy(-s->radius, at->n, at->x);
  }
}

static void touch_ball(const cardan_model *model, const cardan__spot *s, const cardan_xform *X_W,
                       cardan__touch *at)
{
  const int *solid = model->pair[s->pair].solid, i = s->side;
  const cardan__placed other = placed(model, solid[1 - i], X_W);
  const cardan_vec3 c = cardan__xform_point(&X_W[model->solid[solid[i]].body], s->p[i]);
  cardan_solid part;
  if (s->part == 0 || other.field == NULL) {
    cardan__ball_gap(c, s->radius, &other, at);
  } else if (cardan__field_is_facet(&other, s->part)) {
    cardan__field_ball(c, s->radius, &other, s->part - 1, at, NULL);
  } else {
    const cardan__placed element = cardan__field_part(&other, s->part, &part);
    cardan__ball_gap(c, s->radius, &element, at);
  }
  if (i == 1) {
    swap_sides(at);
  }
}

/* A pair with the part of a height field in place of it. solid: room for that */
static void take_field_part(subject *pair, int part, cardan_solid *solid)
{
  if (part > 0 && pair->b.field != NULL) {
    pair->ops = cardan__field_is_facet(&pair->b, part) ? &cardan__plane_ops : &cardan__hull_ops;
    pair->b = cardan__field_part(&pair->b, part, solid);
  }
}

/* The pair, or a part of its height field. */
static void touch_whole(const cardan_model *model, const cardan__spot *s, const cardan_xform *X_W,
                        cardan__touch *at)
{
  subject pair = find_pair_solids(model, model->pair[s->pair].solid, X_W);
  cardan_solid solid;
  take_field_part(&pair, s->part, &solid);
  pair.ops->gap(&pair.a, &pair.b, at);
  if (pair.turned) {
    swap_sides(at);
  }
}

/* The pair with the part in place of the capsule, cylinder or box. */
static void touch_part(const cardan_model *model, const cardan__spot *s, const cardan_xform *X_W,
                       cardan__touch *at)
{
  const int *solid = model->pair[s->pair].solid, i = s->side;
  subject pair = find_pair_solids(model, solid, X_W);
  cardan_solid element;
  take_field_part(&pair, s->part, &element);
  cardan__placed *whole = i == (int)pair.turned ? &pair.a : &pair.b;
  cardan_solid part = model->solid[solid[i]];
  part.X_BS.p = s->p[i];
  if (part.kind == CARDAN_SHAPE_BOX) {
    part.size[0] = 2 * s->n[i].x;
    part.size[1] = 2 * s->n[i].y;
    part.size[2] = 2 * s->n[i].z;
    part.round = s->round;
  } else {
    part.size[1] = 2 * s->radius;
  }
  whole->solid = &part;
  whole->X_WS.p = cardan__xform_point(&X_W[part.body], part.X_BS.p);
  pair.ops->gap(&pair.a, &pair.b, at);
  if (pair.turned) {
    swap_sides(at);
  }
}

static void touch_bars(const cardan__spot *s, const cardan_xform *const X[2], cardan__touch *at)
{
  cardan_vec3 c[2], e[2];
  for (int i = 0; i < 2; i++) {
    c[i] = cardan__xform_point(X[i], s->p[i]);
    e[i] = cardan__mat3_mulv(&X[i]->R, s->n[i]);
  }
  cardan__bars_gap(c, e, (const double[2]){s->up.x, s->up.y}, at);
}

void cardan__spot_look(const cardan_model *model, const cardan__spot *spot, const cardan_xform *X_W,
                       cardan__touch *at)
{
  const int *solid = model->pair[spot->pair].solid;
  const cardan_xform *const X[2] = {&X_W[model->solid[solid[0]].body],
                                    &X_W[model->solid[solid[1]].body]};
  const int i = spot->side;
  switch (spot->kind) {
  case CARDAN__SPOT_POINT:
    over_plane(spot, X, cardan__xform_point(X[i], spot->p[i]), spot->radius, at);
    break;
  case CARDAN__SPOT_RIM:
    touch_rim(spot, X, at);
    break;
  case CARDAN__SPOT_EDGES:
    touch_edges(spot, X, at);
    break;
  case CARDAN__SPOT_BALL:
    touch_ball(model, spot, X_W, at);
    break;
  case CARDAN__SPOT_WHOLE:
    touch_whole(model, spot, X_W, at);
    break;
  case CARDAN__SPOT_PART:
    touch_part(model, spot, X_W, at);
    break;
  case CARDAN__SPOT_BARS:
    touch_bars(spot, X, at);
    break;
  }
}

/* Angle of two vectors, of any lengths but 0. */
static double angle(cardan_vec3 a, cardan_vec3 b)
{
  return atan2(cardan__vec3_norm(cardan__vec3_cross(a, b)), cardan__vec3_dot(a, b));
}

/* Is the rim level over its plane? */
static bool is_level(const cardan__spot *s, const cardan_xform *X_A, const cardan_xform *X_B)
{
  const cardan_vec3 a = cardan__mat3_mulv(&X_A->R, s->n[0]);
  const cardan_vec3 b = cardan__mat3_mulv(&X_B->R, s->n[1]);
  return cardan__vec3_norm(cardan__vec3_cross(a, b)) < LEVEL;
}

double cardan__spot_run(const cardan_model *model, const cardan__spot *spot,
                        const cardan_xform *X_0, const cardan_xform *X_W, double *way)
{
  const int *solid = model->pair[spot->pair].solid;
  const cardan_solid *s[2] = {&model->solid[solid[0]], &model->solid[solid[1]]};
  const bool rim = spot->kind == CARDAN__SPOT_RIM;
  const double size = rim ? spot->radius : fmin(s[0]->radius, s[1]->radius);
  cardan__touch at[2];
  double least = HUGE_VAL, tilt = 0;
  *way = 0;
  if (spot->kind == CARDAN__SPOT_POINT || spot->kind == CARDAN__SPOT_BALL ||
      spot->kind == CARDAN__SPOT_EDGES ||
      (rim && is_level(spot, &X_W[s[0]->body], &X_W[s[1]->body]))) {
    return 0;
  }
  cardan__spot_look(model, spot, X_0, &at[0]);
  cardan__spot_look(model, spot, X_W, &at[1]);
  for (int i = 0; i < 2; i++) {
    const cardan_xform X[2] = {cardan__xform_mul(&X_0[s[i]->body], &s[i]->X_BS),
                               cardan__xform_mul(&X_W[s[i]->body], &s[i]->X_BS)};
    const cardan_vec3 x[2] = {cardan__vec3_sub(at[0].x, X[0].p), cardan__vec3_sub(at[1].x, X[1].p)};
    const cardan_vec3 own[2] = {cardan__mat3_tmulv(&X[0].R, x[0]),
                                cardan__mat3_tmulv(&X[1].R, x[1])};
    least = fmin(least, fmin(cardan__vec3_norm(cardan__vec3_sub(x[1], x[0])),
                             cardan__vec3_norm(cardan__vec3_sub(own[1], own[0]))));
    tilt = fmax(tilt,
                angle(cardan__mat3_tmulv(&X[0].R, at[0].n), cardan__mat3_tmulv(&X[1].R, at[1].n)));
  }
  *way = size * tilt;
  return least / size;
}
