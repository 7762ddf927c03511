// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "contact/solid_pairs.h"

/* Solids over a half-space: its boundary goes through x0 with the outer normal n. In the solid's
 * own coordinates u = R^T n, and with the height h = n . (c - x0) of its origin c
 *   gap = h + min over its points s of u . s                                                (P1)
 * Corners, ends of a capsule and vertices of a hull's core are spots for good: each is a point, or
 * a ball about it, that must stay above. A rim touches in its lowest point, which moves (RIM).
 * Eight points of it are fixed in the body, for a disc that lies flat, or comes to: all of them
 * then, and else those that are not beside the lowest, which would be a second spot in one place.
 */

/* Where the rim of a disc is lower by less than this on one side it lies flat [m]. */
static const double FLAT = 1e-6;

/* Vertices of a hull of which all are spots; of more, this many and one. */
enum { FEW = 24 };

/* The point of a solid that is lowest along u, in its coordinates: corners of edges and faces that
 * lie level count half, so that the answer does not prefer one of them. */
static double low(double u, double size)
{
  return u > 0 ? -size : u < 0 ? size : 0;
}

static cardan_vec3 lowest_vertex(const cardan_hull *core, cardan_vec3 u)
{
  int best = 0;
  double least = HUGE_VAL;
  for (int i = 0; i < core->nvertex; i++) {
    const double d = cardan__vec3_dot(u, core->vertex[i]);
    if (d < least) {
      least = d;
      best = i;
    }
  }
  return core->vertex[best];
}

static cardan_vec3 lowest(const cardan__placed *a, cardan_vec3 u)
{
  const double *size = a->solid->size;
  const double across = sqrt(u.x * u.x + u.y * u.y);
  switch (a->solid->kind) {
  case CARDAN_SHAPE_SPHERE:
    return cardan__vec3_scale(-size[0], u);
  case CARDAN_SHAPE_CAPSULE:
    return cardan__vec3_axpy(-size[0], u, cardan__vec3(0, 0, low(u.z, 0.5 * size[1])));
  case CARDAN_SHAPE_BOX:
    return cardan__vec3(low(u.x, 0.5 * size[0]), low(u.y, 0.5 * size[1]), low(u.z, 0.5 * size[2]));
  case CARDAN_SHAPE_CYLINDER: {
    const double k = across > 0 ? -size[0] / across : 0;
    return cardan__vec3(k * u.x, k * u.y, low(u.z, 0.5 * size[1]));
  }
  case CARDAN_SHAPE_ELLIPSOID: {
    const cardan_vec3 w = {size[0] * u.x, size[1] * u.y, size[2] * u.z}; // D u
    const double k = -1 / cardan__vec3_norm(w);
    return cardan__vec3(k * size[0] * w.x, k * size[1] * w.y, k * size[2] * w.z);
  }
  case CARDAN_SHAPE_HULL:
    return cardan__vec3_axpy(-a->solid->round, u, lowest_vertex(a->core, u));
  case CARDAN_SHAPE_POINT:
  case CARDAN_SHAPE_PLANE:
  case CARDAN_SHAPE_MESH:
  case CARDAN_SHAPE_HEIGHT_FIELD:
    break;
  }
  return cardan__vec3(0, 0, 0);
}

static void plane_gap(const cardan__placed *a, const cardan__placed *b, cardan__touch *at)
{
  at->n = cardan__mat3_column(&b->X_WS.R, 2);
  const cardan_vec3 s = lowest(a, cardan__mat3_tmulv(&a->X_WS.R, at->n));
  at->x = cardan__xform_point(&a->X_WS, s);
  at->gap = cardan__vec3_dot(at->n, cardan__vec3_sub(at->x, b->X_WS.p)); // (P1)
}

/* The list that grows. */
typedef struct {
  const cardan__placed *a, *b;
  cardan_vec3 u;
  double height, margin;
  cardan__spot *spot;
  int n, most;
} list;

/* Adds the spot of a with its point or centre at s (a's coordinates), when its gap allows. */
static void add(list *l, double gap, cardan__spot spot, cardan_vec3 s)
{
  const cardan_solid *a = l->a->solid, *b = l->b->solid;
  if (!(gap <= l->margin)) {
    return;
  }
  if (l->n < l->most) {
    spot.p[0] = cardan__xform_point(&a->X_BS, s);
    spot.p[1] = b->X_BS.p;
    spot.n[0] = cardan__mat3_column(&a->X_BS.R, 2);
    spot.n[1] = cardan__mat3_column(&b->X_BS.R, 2);
    spot.up = cardan__mat3_mulv(&a->X_BS.R, cardan__vec3(l->u.x, l->u.y, 0));
    l->spot[l->n] = spot;
  }
  l->n++;
}

static void add_point(list *l, int id, cardan_vec3 s, double radius)
{
  const double gap = l->height + cardan__vec3_dot(l->u, s) - radius;
  add(l, gap, (cardan__spot){.id = id, .kind = CARDAN__SPOT_POINT, .radius = radius}, s);
}

static void add_box(list *l)
{
  const double *size = l->a->solid->size;
  for (int i = 0; i < 8; i++) {
    add_point(l, i,
              cardan__vec3(0.5 * (i & 1 ? size[0] : -size[0]), 0.5 * (i & 2 ? size[1] : -size[1]),
                           0.5 * (i & 4 ? size[2] : -size[2])),
              0);
  }
}

/* One rim at height z of the cylinder: spots id to id + CARDAN__RIM_POINTS. */
static void add_rim(list *l, int id, double z)
{
  const double r = l->a->solid->size[0], across = sqrt(l->u.x * l->u.x + l->u.y * l->u.y);
  const double gap = l->height + l->u.z * z - r * across; // of its lowest point
  const bool flat = across < FLAT * fmin(1, 1 / r);
  if (!(gap <= l->margin)) {
    return;
  }
  if (!flat) {
    add(l, gap, (cardan__spot){.id = id, .kind = CARDAN__SPOT_RIM, .radius = r},
        cardan__vec3(0, 0, z));
  }
  for (int i = 0; i < CARDAN__RIM_POINTS; i++) {
    const cardan_vec3 s = cardan__rim_point(i, r, z);
    // the lowest is at -r (u.x, u.y) / across: more than 60 degrees from that
    if (flat || l->u.x * s.x + l->u.y * s.y > -0.5 * r * across) {
      add_point(l, id + 1 + i, s, 0);
    }
  }
}

/* The lowest of the vertices that are near along u; -1: none is near. */
static int lowest_near(const list *l, cardan_vec3 u, double near)
{
  const cardan_hull *core = l->a->core;
  int best = -1;
  double least = HUGE_VAL;
  for (int i = 0; i < core->nvertex; i++) {
    const double d = cardan__vec3_dot(u, core->vertex[i]);
    if (d < least && cardan__vec3_dot(l->u, core->vertex[i]) <= near) {
      least = d;
      best = i;
    }
  }
  return best;
}

/* Vertices of a hull's core: all that are near, where there are few; else the lowest, and those
 * that would be if it were tilted, a little or more, to each of eight sides. A face of many corners
 * keeps eight of them, a stone that rolls the next ones about its lowest. */
static void add_hull(list *l)
{
  static const double TILT[] = {1e-3, 0.05, 0.3};
  const cardan_hull *core = l->a->core;
  const double round = l->a->solid->round, near = l->margin - l->height + round;
  const cardan_vec3 t1 = cardan__across(l->u), t2 = cardan__vec3_cross(l->u, t1);
  int chosen[FEW + 1], n = 0;
  if (core->nvertex <= FEW) {
    for (int i = 0; i < core->nvertex; i++) {
      add_point(l, i, core->vertex[i], round);
    }
    return;
  }
  for (int k = -1; k < FEW; k++) {
    const double angle = 0.1 + 0.25 * 3.14159265358979323846 * (k % 8), tilt = TILT[k / 8];
    const cardan_vec3 way = cardan__vec3_axpy(cos(angle), t1, cardan__vec3_scale(sin(angle), t2));
    const int i = lowest_near(l, k < 0 ? l->u : cardan__vec3_axpy(tilt, way, l->u), near);
    int at = n;
    while (at > 0 && chosen[at - 1] > i) {
      at--;
    }
    if (i >= 0 && (at == 0 || chosen[at - 1] != i)) {
      memmove(&chosen[at + 1], &chosen[at], (size_t)(n - at) * sizeof *chosen);
      chosen[at] = i;
      n++;
    }
  }
  for (int i = 0; i < n; i++) {
    add_point(l, chosen[i], core->vertex[chosen[i]], round);
  }
}

static int plane_spots(const cardan__placed *a, const cardan__placed *b, double margin,
                       cardan__spot *spot, int most)
{
  const double *size = a->solid->size;
  const cardan_vec3 n = cardan__mat3_column(&b->X_WS.R, 2);
  list l = {.a = a, .b = b, .margin = margin, .spot = spot, .most = most};
  l.u = cardan__mat3_tmulv(&a->X_WS.R, n);
  l.height = cardan__vec3_dot(n, cardan__vec3_sub(a->X_WS.p, b->X_WS.p));
  if (l.height - a->solid->radius > margin) {
    return 0;
  }
  switch (a->solid->kind) {
  case CARDAN_SHAPE_POINT:
    add_point(&l, 0, cardan__vec3(0, 0, 0), 0);
    break;
  case CARDAN_SHAPE_SPHERE:
    add_point(&l, 0, cardan__vec3(0, 0, 0), size[0]);
    break;
  case CARDAN_SHAPE_CAPSULE:
    add_point(&l, 0, cardan__vec3(0, 0, -0.5 * size[1]), size[0]);
    add_point(&l, 1, cardan__vec3(0, 0, 0.5 * size[1]), size[0]);
    break;
  case CARDAN_SHAPE_BOX:
    add_box(&l);
    break;
  case CARDAN_SHAPE_CYLINDER:
    add_rim(&l, 0, -0.5 * size[1]);
    add_rim(&l, CARDAN__RIM_POINTS + 1, 0.5 * size[1]);
    break;
  case CARDAN_SHAPE_ELLIPSOID: {
    const double gap = l.height + cardan__vec3_dot(l.u, lowest(a, l.u));
    add(&l, gap, (cardan__spot){.kind = CARDAN__SPOT_WHOLE}, cardan__vec3(0, 0, 0));
    break;
  }
  case CARDAN_SHAPE_HULL:
    add_hull(&l);
    break;
  case CARDAN_SHAPE_PLANE:
  case CARDAN_SHAPE_MESH:
  case CARDAN_SHAPE_HEIGHT_FIELD:
    break;
  }
  return l.n > most ? -1 : l.n;
}

static int plane_most(const cardan__placed *a, const cardan__placed *b)
{
  (void)b;
  switch (a->solid->kind) {
  case CARDAN_SHAPE_CAPSULE:
    return 2;
  case CARDAN_SHAPE_BOX:
    return 8;
  case CARDAN_SHAPE_CYLINDER:
    return 2 * (CARDAN__RIM_POINTS + 1);
  case CARDAN_SHAPE_HULL:
    return a->core->nvertex < FEW ? a->core->nvertex : FEW + 1;
  case CARDAN_SHAPE_POINT:
  case CARDAN_SHAPE_SPHERE:
  case CARDAN_SHAPE_ELLIPSOID:
  case CARDAN_SHAPE_PLANE:
  case CARDAN_SHAPE_MESH:
  case CARDAN_SHAPE_HEIGHT_FIELD:
    break;
  }
  return 1;
}

const cardan__pair_ops cardan__plane_ops = {plane_gap, plane_spots, plane_most};
