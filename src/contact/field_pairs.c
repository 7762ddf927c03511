// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "contact/field.h"
#include "contact/patch.h"

/* Convex solids against a height field. Two kinds of places touch: the lowest corners, balls and
 * rims of the solid over a facet, as over a plane, where their feet are on it; and vertices and
 * edges of the field. Cells are found in a tree of blocks with the highest height of each: those
 * whose columns come within the bound to the box of the solid, along the field's axes. The bound is
 * the margin of the spots; for the gap, the least gap so far. */

enum {
  SPOTS = 48,       // of a pair; of more the lowest
  ROUND_SPOTS = 12, // of points and spheres
  PLANE_SPOTS = 32, // room for those over one plane
  DEPTH = 4 * 24    // of the search
};

// parts of a cell: a point is deep inside from here on; a plane runs on beside its facet so far
static const double INSIDE = 0.05, BESIDE = 0.5;

typedef struct {
  cardan__spot spot;
  cardan__touch at;
} place;

typedef struct {
  const cardan__placed *a, *b;
  cardan__terrain t;
  cardan_xform X_WA;     // body of a
  cardan_vec3 low, high; // box of a in the field's axes
  double bound, slack;   // slack: places closer than this are one [m]
  bool gap;              // the least gap is sought, in found[0]
  int n;
  place found[SPOTS];
} search;

/* ---- what is found ---- */

static bool is_same(const search *s, const cardan__touch *a, const cardan__touch *b)
{
  return cardan__vec3_norm(cardan__vec3_sub(a->x, b->x)) <= s->slack &&
         cardan__vec3_dot(a->n, b->n) > 1 - CARDAN__AS_LOW;
}

/* Of two in one place the one of the first part stays, of too many the lowest. */
static void add(search *s, const cardan__spot *spot, const cardan__touch *at)
{
  int k = 0, worst = 0;
  if (!(at->gap <= s->bound)) {
    return;
  }
  if (s->gap || spot == NULL) {
    s->bound = at->gap;
    s->found[0].at = *at;
    s->n = 1;
    return;
  }
  while (k < s->n && !is_same(s, &s->found[k].at, at)) {
    worst = s->found[k].at.gap > s->found[worst].at.gap ? k : worst;
    k++;
  }
  if (k < s->n) {
    k = spot->part < s->found[k].spot.part ? k : -1;
  } else if (s->n == SPOTS) {
    k = at->gap < s->found[worst].at.gap ? worst : -1;
  } else {
    s->n++;
  }
  if (k >= 0) {
    s->found[k] = (place){*spot, *at};
  }
}

/* ---- facets ---- */

/* A point of a, or the lowest one of its rim, over the plane: place and foot. */
static void rim_touch(const search *s, const cardan__spot *rim, const cardan__facet *f,
                      cardan__touch *at)
{
  const cardan_vec3 n = cardan__mat3_mulv(&s->b->X_WS.R, f->n);
  const cardan_vec3 axis = cardan__mat3_mulv(&s->X_WA.R, rim->n[0]);
  const cardan_vec3 across = cardan__vec3_axpy(-cardan__vec3_dot(n, axis), axis, n);
  const double size = cardan__vec3_norm(across);
  const cardan_vec3 c = cardan__xform_point(&s->X_WA, rim->p[0]);
  at->n = n;
  at->x = cardan__vec3_axpy(size > 0 ? -rim->radius / size : 0, across, c);
  at->gap = cardan__facet_over(f, cardan__xform_inv_point(&s->b->X_WS, at->x));
}

/* Is the place on the facet? What is deep inside is below the triangle that is straight above it;
 * the lowest point of a round solid may be below another one.
 * inner: the point that is inside then, world; over: how far it is above the planes that count */
static bool is_on(const search *s, const cardan__facet *f, cardan_vec3 foot, cardan_vec3 inner,
                  double over, bool lowest)
{
  const double cell = fmin(s->t.dx, s->t.dy);
  const double beside = (s->gap ? 0 : fmax(s->bound, 0)) + 2 * fmax(0, -over);
  if (over >= -INSIDE * cell) {
    return fabs(cardan__facet_over(f, foot)) <= s->slack &&
           cardan__field_on_facet(&s->t, f, foot, fmin(beside, BESIDE * cell));
  }
  const cardan_vec3 x = cardan__xform_inv_point(&s->b->X_WS, inner);
  return x.z > s->t.bottom && (cardan__field_below(&s->t, f, x) ||
                               (lowest && x.z < cardan__terrain_height(&s->t, x.x, x.y) &&
                                cardan__field_on_facet(&s->t, f, foot, 0)));
}

/* A ball's centre that is deep below a triangle, and above the plane of another that is convex with
 * it, is below a valley behind that one: it has its own plane. */
static void inside_of_valley(const search *s, const cardan__facet *f, cardan_vec3 c, double radius,
                             cardan__touch *at)
{
  const cardan_vec3 x = cardan__xform_inv_point(&s->b->X_WS, c);
  const double over = cardan__facet_over(f, x);
  if (s->gap && at->gap + radius > 0 && over < -INSIDE * fmin(s->t.dx, s->t.dy) &&
      x.z > s->t.bottom && cardan__field_below(&s->t, f, x)) {
    at->gap = over - radius;
    at->n = cardan__mat3_mulv(&s->b->X_WS.R, f->n);
    at->x = cardan__vec3_axpy(-radius, at->n, c);
  }
}

/* A spot over the plane of the facet. */
static void add_over_plane(search *s, const cardan__facet *f, const cardan__spot *spot)
{
  cardan__spot made = *spot;
  cardan__touch at;
  cardan_vec3 foot, inner;
  const bool point = spot->kind == CARDAN__SPOT_POINT;
  if (point) {
    inner = cardan__xform_point(&s->X_WA, spot->p[0]);
    const cardan_vec3 x = cardan__xform_inv_point(&s->b->X_WS, inner);
    if (f->nv == 3 && cardan__facet_over(f, x) > 0 &&
        cardan__facet_distance(f, x) - spot->radius > s->bound + s->slack) {
      return;
    }
    cardan__field_ball(inner, spot->radius, s->b, f->number, &at, &foot);
    inside_of_valley(s, f, inner, spot->radius, &at);
    // a corner stays over the plane where it is
    made.kind = spot->radius > 0 && (f->nv == 2 || s->t.field->plane[f->number] % 2 != 0)
                    ? CARDAN__SPOT_BALL
                    : CARDAN__SPOT_POINT;
  } else {
    if (spot->kind == CARDAN__SPOT_RIM) {
      rim_touch(s, spot, f, &at);
    } else {
      cardan_solid solid;
      const cardan__placed plane = cardan__field_part(s->b, f->number + 1, &solid);
      cardan__plane_ops.gap(s->a, &plane, &at);
    }
    inner = at.x;
    foot = cardan__xform_inv_point(&s->b->X_WS, cardan__vec3_axpy(-at.gap, at.n, at.x));
  }
  // of the facets at an edge a corner has the one that it is farthest above
  const bool own =
      s->gap || made.kind != CARDAN__SPOT_POINT || spot->radius > 0 ||
      cardan__facet_over(f, cardan__xform_inv_point(&s->b->X_WS, inner)) >= at.gap - s->slack;
  if (at.gap <= s->bound && own &&
      is_on(s, f, foot, inner, at.gap + (point ? spot->radius : 0), !point)) {
    const int plane = f->nv == 3 ? s->t.field->plane[f->number] / 2 : f->number;
    made.part =
        made.kind == CARDAN__SPOT_RIM || made.kind == CARDAN__SPOT_POINT ? 0 : f->number + 1;
    // in the order of what it is of the solid, as over a plane
    made.id = (spot->id & 1023) << 20 | (plane & 0xfffff);
    if (made.kind == CARDAN__SPOT_POINT && !s->gap) {
      // the plane that it is over: that of the facet
      at.n = cardan__mat3_mulv(&s->b->X_WS.R, f->n);
      at.gap = cardan__facet_over(f, cardan__xform_inv_point(&s->b->X_WS, inner)) - spot->radius;
    }
    add(s, &made, &at);
  }
}

/* Returns the separation of the solid from the facet's plane: from all that lies in it, too. */
static double look_at_facet(search *s, int number)
{
  cardan__spot spot[PLANE_SPOTS];
  cardan__facet f;
  cardan_solid solid;
  cardan__touch at;
  const cardan__placed plane = cardan__field_part(s->b, number + 1, &solid);
  cardan__plane_ops.gap(s->a, &plane, &at);
  if (!(at.gap <= s->bound)) {
    return at.gap;
  }
  cardan__facet_at(&s->t, number, &f);
  const int n = cardan__plane_ops.spots(s->a, &plane, s->bound, spot, PLANE_SPOTS);
  for (int k = 0; k < n; k++) {
    add_over_plane(s, &f, &spot[k]);
  }
  return at.gap;
}

/* ---- elements ---- */

/* A spot of an element: whether its own normal is one of the surface there too, and where it is. */
static bool spot_touch(const search *s, const int at[3], const cardan__spot *spot,
                       const cardan__placed *element, cardan__touch *touch)
{
  const cardan_xform X_WB = cardan__xform_mul(
      &s->b->X_WS, &(cardan_xform[1]){cardan__xform_inverse(&s->b->solid->X_BS)}[0]);
  const cardan_xform *X[2] = {&s->X_WA, &X_WB};
  if (spot->kind == CARDAN__SPOT_BALL) {
    cardan__ball_gap(cardan__xform_point(X[spot->side], spot->p[spot->side]), spot->radius, element,
                     touch);
  } else if (spot->kind == CARDAN__SPOT_POINT) {
    const int i = spot->side;
    const cardan_vec3 n = cardan__mat3_mulv(&X[1 - i]->R, spot->n[1 - i]);
    const cardan_vec3 x = cardan__xform_point(X[i], spot->p[i]);
    const cardan_vec3 o = cardan__xform_point(X[1 - i], spot->p[1 - i]);
    touch->gap = cardan__vec3_dot(n, cardan__vec3_sub(x, o)) - spot->radius;
    touch->n = i == 0 ? n : cardan__vec3_neg(n);
    touch->x =
        i == 0 ? cardan__vec3_axpy(-spot->radius, n, x) : cardan__vec3_axpy(-touch->gap, n, x);
  }
  const cardan_vec3 n = cardan__mat3_tmulv(&s->b->X_WS.R, touch->n);
  return cardan__element_has_normal(&s->t, at[0], at[1], at[2], n);
}

static void add_element_spots(search *s, const int at[3], const cardan__touch *touch)
{
  cardan__spot spot[PLANE_SPOTS];
  cardan_solid solid;
  const int part = cardan__field_element(s->t.field, at[0], at[1], at[2]);
  const cardan__placed element = cardan__field_part(s->b, part, &solid);
  const int n = cardan__hull_ops.spots(s->a, &element, s->bound, spot, PLANE_SPOTS);
  for (int k = 0; k < n; k++) {
    cardan__touch own = *touch;
    if (spot_touch(s, at, &spot[k], &element, &own)) {
      spot[k].part = part;
      spot[k].id = cardan__patch_mix(spot[k].id, part) | 1 << 30;
      add(s, &spot[k], &own);
    }
  }
}

static void look_at_element(search *s, int i, int j, int kind)
{
  const int at[3] = {i, j, kind};
  const cardan_vec3 p = cardan__terrain_vertex(&s->t, i, j);
  const bool x = kind == CARDAN__ELEMENT_X || kind == CARDAN__ELEMENT_DIAGONAL;
  const bool y = kind == CARDAN__ELEMENT_Y || kind == CARDAN__ELEMENT_DIAGONAL;
  const double low = kind == CARDAN__ELEMENT_CORNER ? s->t.bottom : p.z;
  cardan__touch touch;
  if (i + x >= s->t.field->columns || j + y >= s->t.field->rows) {
    return;
  }
  const cardan_vec3 q = cardan__terrain_vertex(&s->t, i + x, j + y);
  if (p.x > s->high.x + s->bound || q.x < s->low.x - s->bound || p.y > s->high.y + s->bound ||
      q.y < s->low.y - s->bound || fmax(p.z, q.z) < s->low.z - s->bound ||
      fmin(low, q.z) > s->high.z + s->bound || !cardan__element_is_convex(&s->t, i, j, kind) ||
      !cardan__element_touch(s->a, s->b, at, s->gap, &touch) || !(touch.gap <= s->bound)) {
    return;
  }
  if (s->gap) {
    add(s, NULL, &touch);
  } else {
    add_element_spots(s, at, &touch);
  }
}

/* ---- cells ---- */

/* The upright edges of a cell at a corner of the rectangle. */
static void look_at_corners(search *s, int i, int j)
{
  const int nx = cardan__terrain_cells(&s->t, 0), ny = cardan__terrain_cells(&s->t, 1);
  for (int k = 0; k < 4; k++) {
    const int x = k % 2 ? nx : 0, y = k / 2 ? ny : 0;
    if ((x == i || x == i + 1) && (y == j || y == j + 1)) {
      look_at_element(s, x, y, CARDAN__ELEMENT_CORNER);
    }
  }
}

static void look_at_cell(search *s, int i, int j)
{
  const int nx = cardan__terrain_cells(&s->t, 0), ny = cardan__terrain_cells(&s->t, 1);
  const cardan_shape_kind kind = s->a->solid->kind;
  int number[6];
  double over[6] = {0};
  const int n = cardan__facets_of_cell(&s->t, i, j, number);
  for (int k = 0; k < n; k++) {
    over[k] = look_at_facet(s, number[k]);
  }
  if (kind == CARDAN_SHAPE_POINT || kind == CARDAN_SHAPE_SPHERE ||
      s->t.field->plane[number[0]] % 2 == 0) {
    return;
  }
  if ((i == 0 || i == nx - 1) && (j == 0 || j == ny - 1)) {
    look_at_corners(s, i, j);
  }
  // of the cells at the border also those on its far sides
  // what lies in both triangles, in the lower, in the upper one
  const double least[4] = {fmax(over[0], over[1]), over[0], over[1], fmax(over[0], over[1])};
  for (int k = 0; k < 4; k++) {
    if (least[k] <= s->bound) {
      look_at_element(s, i, j, k);
    }
  }
  if (i == nx - 1) {
    look_at_element(s, i + 1, j, CARDAN__ELEMENT_VERTEX);
    look_at_element(s, i + 1, j, CARDAN__ELEMENT_Y);
  }
  if (j == ny - 1) {
    look_at_element(s, i, j + 1, CARDAN__ELEMENT_VERTEX);
    look_at_element(s, i, j + 1, CARDAN__ELEMENT_X);
  }
  if (i == nx - 1 && j == ny - 1) {
    look_at_element(s, i + 1, j + 1, CARDAN__ELEMENT_VERTEX);
  }
}

typedef struct {
  int level, i, j;
  double distance; // of the column of the block from the box, or less
} block;

static double outside(double low, double high, double from, double to)
{
  return fmax(0, fmax(from - high, low - to));
}

static block block_at(const search *s, int level, int i, int j)
{
  const int nx = cardan__terrain_cells(&s->t, 0), ny = cardan__terrain_cells(&s->t, 1);
  const double width = (double)((int64_t)1 << level);
  const double x0 = s->t.x0 + i * width * s->t.dx, y0 = s->t.y0 + j * width * s->t.dy;
  const double x1 = s->t.x0 + fmin((i + 1) * width, nx) * s->t.dx;
  const double y1 = s->t.y0 + fmin((j + 1) * width, ny) * s->t.dy;
  const double top = s->t.z * cardan__field_block_top(s->t.field, level, i, j);
  const double dx = outside(s->low.x, s->high.x, x0, x1), dy = outside(s->low.y, s->high.y, y0, y1);
  const double dz = outside(s->low.z, s->high.z, s->t.bottom, top);
  return (block){level, i, j, sqrt(dx * dx + dy * dy + dz * dz)};
}

/* The blocks of a block onto the stack, the nearest on top. */
static int push_children(const search *s, const block *b, block *stack, int n)
{
  const int nx = cardan__terrain_cells(&s->t, 0), ny = cardan__terrain_cells(&s->t, 1);
  const int level = b->level - 1, first = n;
  for (int k = 3; k >= 0; k--) {
    const int i = 2 * b->i + k % 2, j = 2 * b->j + k / 2;
    if (((int64_t)i << level) < nx && ((int64_t)j << level) < ny) {
      const block child = block_at(s, level, i, j);
      int at = n++;
      for (; at > first && stack[at - 1].distance < child.distance; at--) {
        stack[at] = stack[at - 1];
      }
      stack[at] = child;
    }
  }
  return n;
}

/* Returns the distance of the solid's box from the field's, or less. */
static double look_at_field(search *s)
{
  block stack[DEPTH];
  stack[0] = block_at(s, cardan__field_levels(s->t.field), 0, 0);
  const double whole = stack[0].distance;
  for (int n = 1; n > 0;) {
    const block b = stack[--n];
    if (!(b.distance <= fmax(s->bound, 0))) {
      continue;
    }
    if (b.level == 0) {
      look_at_cell(s, b.i, b.j);
    } else {
      n = push_children(s, &b, stack, n);
    }
  }
  return whole;
}

static double lowest_along(const search *s, cardan_vec3 axis)
{
  cardan_solid solid = {.kind = CARDAN_SHAPE_PLANE, .hull = -1, .radius = HUGE_VAL};
  cardan__placed plane = {.solid = &solid, .X_WS = s->b->X_WS};
  const cardan_mat3 turn = cardan__mat3_z_to(axis);
  cardan__touch at;
  plane.X_WS.R = cardan__mat3_mul(&s->b->X_WS.R, &turn);
  cardan__plane_ops.gap(s->a, &plane, &at);
  return at.gap;
}

static void begin(search *s, const cardan__placed *a, const cardan__placed *b, double bound,
                  bool gap)
{
  const cardan_xform body = cardan__xform_inverse(&a->solid->X_BS);
  s->a = a;
  s->b = b;
  s->t = cardan__field_terrain(b);
  s->X_WA = cardan__xform_mul(&a->X_WS, &body);
  s->low =
      cardan__vec3(lowest_along(s, cardan__vec3(1, 0, 0)), lowest_along(s, cardan__vec3(0, 1, 0)),
                   lowest_along(s, cardan__vec3(0, 0, 1)));
  s->high = cardan__vec3(-lowest_along(s, cardan__vec3(-1, 0, 0)),
                         -lowest_along(s, cardan__vec3(0, -1, 0)),
                         -lowest_along(s, cardan__vec3(0, 0, -1)));
  s->bound = bound;
  s->slack = CARDAN__AS_LOW * (s->t.dx + s->t.dy);
  s->gap = gap;
  s->n = 0;
}

/* Over a plane a hull of many vertices has its lowest ones only: those of all that are deep
 * inside. */
static void look_at_vertices(search *s)
{
  const cardan_hull *core = s->a->core;
  for (int k = 0; core != NULL && k < core->nvertex; k++) {
    const cardan_vec3 c = cardan__xform_point(&s->a->X_WS, core->vertex[k]);
    const cardan_vec3 x = cardan__xform_inv_point(&s->b->X_WS, c);
    cardan__facet f;
    cardan__touch at;
    if (!(x.z > s->t.bottom && x.z < cardan__terrain_height(&s->t, x.x, x.y))) {
      continue;
    }
    cardan__facet_at(&s->t, cardan__facet_over_point(&s->t, x.x, x.y), &f);
    at.gap = cardan__facet_over(&f, x) - s->a->solid->round;
    at.n = cardan__mat3_mulv(&s->b->X_WS.R, f.n);
    at.x = cardan__vec3_axpy(-s->a->solid->round, at.n, c);
    if (at.gap < -INSIDE * fmin(s->t.dx, s->t.dy)) {
      add(s, NULL, &at);
    }
  }
}

static void field_gap(const cardan__placed *a, const cardan__placed *b, cardan__touch *at)
{
  search s;
  begin(&s, a, b, HUGE_VAL, true);
  // first where the gap is likely to be found, which bounds the search
  const cardan_vec3 c = cardan__xform_inv_point(&b->X_WS, a->X_WS.p);
  if (cardan__terrain_height(&s.t, c.x, c.y) > -HUGE_VAL) {
    int i, j;
    cardan__facet_cell(&s.t, cardan__facet_over_point(&s.t, c.x, c.y), &i, &j);
    look_at_cell(&s, i, j);
  }
  const double whole = look_at_field(&s);
  look_at_vertices(&s);
  if (s.n > 0) {
    *at = s.found[0].at;
    return;
  }
  // below its bottom
  at->n = cardan__mat3_column(&b->X_WS.R, 2);
  at->x = a->X_WS.p;
  at->gap = fmax(whole, s.slack);
}

static int field_spots(const cardan__placed *a, const cardan__placed *b, double margin,
                       cardan__spot *spot, int most)
{
  search s;
  begin(&s, a, b, margin, false);
  // what is met beyond a cell is another facet by then: the gap of the pair detects it
  s.bound = fmin(margin, fmin(s.t.dx, s.t.dy));
  look_at_field(&s);
  for (int k = 0; k < s.n && k < most; k++) {
    // in the order of their ids
    int at = k;
    for (; at > 0 && spot[at - 1].id > s.found[k].spot.id; at--) {
      spot[at] = spot[at - 1];
    }
    spot[at] = s.found[k].spot;
  }
  return s.n > most ? -1 : s.n;
}

static int field_most(const cardan__placed *a, const cardan__placed *b)
{
  (void)b;
  const cardan_shape_kind kind = a->solid->kind;
  return kind == CARDAN_SHAPE_POINT || kind == CARDAN_SHAPE_SPHERE ? ROUND_SPOTS : SPOTS;
}

const cardan__pair_ops cardan__field_ops = {field_gap, field_spots, field_most};
