// SPDX-License-Identifier: Apache-2.0
#include "contact/field.h"

/* A ball that rolls over an edge at which the surface is convex keeps touching it, with a normal
 * that turns: about each facet the surface is that of a convex set, the intersection of the
 * half-spaces of the facet and of those that share a corner with it and lie below its plane, as it
 * lies below theirs. Beyond an edge at which the surface is concave the plane of the facet runs on
 * inside the field: what lies there touches another facet too, and has one spot for each.
 * So a facet has no edges of its own that a ball could hit. */

enum { FACETS = 24 }; // those about a facet: of 3 x 3 cells

typedef struct {
  int n;
  cardan_vec3 normal[FACETS];
  double over[FACETS]; // of the ball's centre [m]
} planes;

/* Do two facets share a corner? */
static bool share_corner(const cardan__facet *f, const cardan__facet *g)
{
  bool found = false;
  for (int i = 0; i < f->nv; i++) {
    for (int k = 0; k < g->nv; k++) {
      found = found || (f->v[i].x == g->v[k].x && f->v[i].y == g->v[k].y);
    }
  }
  return found;
}

/* Is all of g below the plane of f, and some of it by more than flat? */
static bool below(const cardan__facet *f, const cardan__facet *g, double flat)
{
  double low = 0, high = 0;
  for (int k = 0; k < g->nv; k++) {
    const double over = cardan__facet_over(f, g->v[k]);
    low = fmin(low, over);
    high = fmax(high, over);
  }
  low = g->nv == 2 && f->nv == 3 ? -HUGE_VAL : low; // a side reaches down
  return high <= flat && low < -flat;
}

static void add_plane(planes *list, const cardan__facet *f, cardan_vec3 c)
{
  if (list->n < FACETS) {
    list->normal[list->n] = f->n;
    list->over[list->n++] = cardan__facet_over(f, c);
  }
}

/* The facet's plane, then those about it. */
static void find_planes(const cardan__terrain *t, const cardan__facet *f, cardan_vec3 c,
                        planes *list)
{
  const int nx = cardan__terrain_cells(t, 0), ny = cardan__terrain_cells(t, 1);
  const double flat = CARDAN__FIELD_FLAT * fmin(t->dx, t->dy);
  int i, j;
  list->n = 0;
  add_plane(list, f, c);
  if (f->nv == 3 && t->field->plane[f->number] % 2 == 0) {
    return;
  }
  cardan__facet_cell(t, f->number, &i, &j);
  for (int y = j > 0 ? j - 1 : 0; y <= j + 1 && y < ny; y++) {
    for (int x = i > 0 ? i - 1 : 0; x <= i + 1 && x < nx; x++) {
      int number[6];
      const int n = cardan__facets_of_cell(t, x, y, number);
      for (int k = 0; k < n; k++) {
        cardan__facet g;
        cardan__facet_at(t, number[k], &g);
        if (g.number != f->number && share_corner(f, &g) && below(f, &g, flat) &&
            below(&g, f, flat)) {
          add_plane(list, &g, c);
        }
      }
    }
  }
}

/* The solution of the rows of G l = d for the planes in index, n of them, 1 to 3, G their normals'
 * products, by elimination; false: they are not independent. */
static bool solve(const planes *list, const int *index, int n, double *l)
{
  double G[3][4];
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      G[i][k] = cardan__vec3_dot(list->normal[index[i]], list->normal[index[k]]);
    }
    G[i][n] = list->over[index[i]];
  }
  for (int i = 0; i < n; i++) {
    if (!(G[i][i] > 1e-15)) {
      return false;
    }
    for (int k = i + 1; k < n; k++) {
      const double m = G[k][i] / G[i][i];
      for (int j = i; j <= n; j++) {
        G[k][j] -= m * G[i][j];
      }
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    l[i] = G[i][n];
    for (int k = i + 1; k < n; k++) {
      l[i] -= G[i][k] * l[k];
    }
    l[i] /= G[i][i];
  }
  return true;
}

/* How far the point that planes with these numbers give is from being the nearest: outside of a
 * plane, or pulled by one. way: out, from the centre to it */
static double error_of(const planes *list, const int *index, int n, cardan_vec3 *way)
{
  double l[3] = {0}, error = 0;
  if (!solve(list, index, n, l)) {
    return HUGE_VAL;
  }
  *way = cardan__vec3(0, 0, 0);
  for (int i = 0; i < n; i++) {
    *way = cardan__vec3_axpy(-l[i], list->normal[index[i]], *way);
    error = fmax(error, -l[i]);
  }
  for (int k = 0; k < list->n; k++) {
    error = fmax(error, list->over[k] + cardan__vec3_dot(list->normal[k], *way));
  }
  return error;
}

/* The way from the centre, which is outside of a plane, to the nearest point of all half-spaces: on
 * one, two or three of the planes. */
static cardan_vec3 way_to(const planes *list, double slack)
{
  double best = HUGE_VAL;
  cardan_vec3 way = {0, 0, 0}, out = {0, 0, 0};
  for (int n = 1; n <= 3 && best > slack; n++) {
    int index[3];
    for (index[0] = 0; index[0] < list->n; index[0]++) {
      for (index[1] = index[0] + 1; index[1] < (n > 1 ? list->n : index[0] + 2); index[1]++) {
        for (index[2] = index[1] + 1; index[2] < (n > 2 ? list->n : index[1] + 2); index[2]++) {
          const double error = error_of(list, index, n, &way);
          out = error < best ? way : out;
          best = fmin(best, error);
        }
      }
    }
  }
  return out;
}

void cardan__field_ball(cardan_vec3 c, double radius, const cardan__placed *b, int facet,
                        cardan__touch *at, cardan_vec3 *foot)
{
  const cardan__terrain t = cardan__field_terrain(b);
  const cardan_vec3 own = cardan__xform_inv_point(&b->X_WS, c);
  planes list;
  cardan__facet f;
  cardan__facet_at(&t, facet, &f);
  find_planes(&t, &f, own, &list);
  int top = 0;
  for (int k = 1; k < list.n; k++) {
    top = list.over[k] > list.over[top] ? k : top;
  }
  double gap = list.over[top];
  cardan_vec3 n = list.normal[top], way = cardan__vec3_scale(-gap, n);
  if (list.n > 1 && gap > 0 && (radius > 0 || foot != NULL)) {
    const cardan_vec3 nearest = way_to(&list, CARDAN__AS_LOW * (gap + t.dx + t.dy));
    const double distance = cardan__vec3_norm(nearest);
    way = nearest;
    if (radius > 0 && distance > CARDAN__NO_WAY && distance >= gap) {
      gap = distance;
      n = cardan__vec3_scale(-1 / distance, nearest);
    }
  }
  if (foot != NULL) {
    *foot = cardan__vec3_add(own, way);
  }
  at->gap = gap - radius;
  at->n = cardan__mat3_mulv(&b->X_WS.R, n);
  at->x = cardan__vec3_axpy(-radius, at->n, c);
}

/* How far x is beyond the edge from p to q of a facet seen from above, [m]. */
static double beyond(cardan_vec3 p, cardan_vec3 q, cardan_vec3 x)
{
  const double ex = q.x - p.x, ey = q.y - p.y;
  return ((x.x - p.x) * ey - (x.y - p.y) * ex) / hypot(ex, ey);
}

/* Is the surface concave at edge k of a triangle, from its corner k to the next? */
static bool is_concave(const cardan__terrain *t, const cardan__facet *f, int k)
{
  const int nx = cardan__terrain_cells(t, 0), ny = cardan__terrain_cells(t, 1);
  const bool upper = f->number % 2 != 0;
  int i, j, other;
  cardan__facet g;
  cardan__facet_cell(t, f->number, &i, &j);
  // below: edges to the south, to the east, the diagonal; above: the diagonal, north, west
  if (k == (upper ? 0 : 2)) {
    other = f->number ^ 1;
  } else if (!upper) {
    if (k == 0 ? j == 0 : i == nx - 1) {
      return false;
    }
    other = k == 0 ? f->number - 2 * nx + 1 : f->number + 3;
  } else {
    if (k == 1 ? j == ny - 1 : i == 0) {
      return false;
    }
    other = k == 1 ? f->number + 2 * nx - 1 : f->number - 3;
  }
  cardan__facet_at(t, other, &g);
  double up = 0;
  for (int m = 0; m < 3; m++) {
    const double over = cardan__facet_over(f, g.v[m]);
    up = fabs(over) > fabs(up) ? over : up;
  }
  return up > 0;
}

bool cardan__field_on_facet(const cardan__terrain *t, const cardan__facet *f, cardan_vec3 x,
                            double beside)
{
  const double slack = CARDAN__AS_LOW * (t->dx + t->dy);
  if (f->nv == 2) {
    const cardan_vec3 e = cardan__vec3_sub(f->v[1], f->v[0]);
    const double length = hypot(e.x, e.y);
    const double s = ((x.x - f->v[0].x) * e.x + (x.y - f->v[0].y) * e.y) / (length * length);
    const double edge = f->v[0].z + s * e.z;
    return s * length >= -slack && (s - 1) * length <= slack && x.z <= edge + slack &&
           x.z >= t->bottom - slack;
  }
  for (int k = 0; k < 3; k++) {
    const double out = beyond(f->v[k], f->v[(k + 1) % 3], x);
    if (out > slack && !(out <= beside && is_concave(t, f, k))) {
      return false;
    }
  }
  return true;
}

double cardan__facet_distance(const cardan__facet *f, cardan_vec3 x)
{
  double least = HUGE_VAL;
  bool inside = true;
  for (int k = 0; k < 3; k++) {
    const cardan_vec3 e = cardan__vec3_sub(f->v[(k + 1) % 3], f->v[k]);
    const cardan_vec3 d = cardan__vec3_sub(x, f->v[k]);
    const double t = cardan__vec3_dot(d, e) / cardan__vec3_dot(e, e);
    const cardan_vec3 off = cardan__vec3_axpy(-fmin(fmax(t, 0), 1), e, d);
    least = fmin(least, cardan__vec3_norm(off));
    inside = inside && cardan__vec3_dot(cardan__vec3_cross(f->n, e), d) >= 0;
  }
  return inside ? fabs(cardan__facet_over(f, x)) : least;
}

bool cardan__field_below(const cardan__terrain *t, const cardan__facet *f, cardan_vec3 x)
{
  const double slack = CARDAN__AS_LOW * (t->dx + t->dy);
  bool inside = f->nv == 3;
  for (int k = 0; k < 3 && inside; k++) {
    inside = beyond(f->v[k], f->v[(k + 1) % 3], x) <= slack;
  }
  return inside;
}
