// SPDX-License-Identifier: Apache-2.0
#include "contact/field.h"

/* Vertices and edges of a field at which its surface is convex touch solids that are not balls:
 * faces, edges and round sides. An element counts only where the common normal is one of the
 * surface's there: between the normals of the facets at an edge, in the cone of those at a vertex.
 * Everything else is the business of a facet or of another element, so that flat parts and valleys
 * have no edges. Corners of the solid meet facets (field_facet.c), also over an edge. */

static const double tilt = 1e-6; // a normal beside the cone by less is in it [rad]
static const double deep = 1e-7; // what is inside of the solid by more overlaps it [m]

/* Other end of an edge, and the middle of a vertex' neighbours: steps along x and y. */
static const int STEP[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
static const int NEAR[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};

int cardan__field_element(const cardan_height_field *field, int i, int j, int kind)
{
  const int first = 1 + cardan__facet_count(field);
  return kind == CARDAN__ELEMENT_CORNER
             ? first + 4 * field->rows * field->columns + (i > 0) + 2 * (j > 0)
             : first + 4 * (j * field->columns + i) + kind;
}

static bool is_vertex(const cardan__terrain *t, int i, int j)
{
  return i >= 0 && j >= 0 && i < t->field->columns && j < t->field->rows;
}

/* The two facets at an edge: to its left and to its right. */
static void facets_at(const cardan__terrain *t, int i, int j, int kind, cardan__facet f[2])
{
  const int nx = cardan__terrain_cells(t, 0), ny = cardan__terrain_cells(t, 1);
  int number[6];
  if (kind == CARDAN__ELEMENT_DIAGONAL) {
    cardan__facet_at(t, 2 * (j * nx + i) + 1, &f[0]);
    cardan__facet_at(t, 2 * (j * nx + i), &f[1]);
    return;
  }
  // along x: above it a cell's triangle 0, below it the triangle 1 of the cell before; along y: to
  // the right a triangle 1, to the left a triangle 0
  const bool x = kind == CARDAN__ELEMENT_X;
  const int u = x ? i : i - 1, v = x ? j - 1 : j; // the cell before
  const bool first = x ? v < 0 : u < 0, last = x ? j == ny : i == nx;
  const int own = 2 * (j * nx + i) + !x, before = 2 * (v * nx + u) + x;
  int side = 0;
  if (first || last) {
    // the side of the cell at the border, which is behind its triangles
    const int n = cardan__facets_of_cell(t, last && !x ? i - 1 : i, last && x ? j - 1 : j, number);
    for (int k = 2; k < n; k++) {
      cardan__facet g;
      cardan__facet_at(t, number[k], &g);
      const bool fits = x ? (first ? g.n.y < 0 : g.n.y > 0) : (first ? g.n.x < 0 : g.n.x > 0);
      side = fits ? number[k] : side;
    }
  }
  cardan__facet_at(t, last ? side : own, &f[x ? 0 : 1]);
  cardan__facet_at(t, first ? side : before, &f[x ? 1 : 0]);
}

/* The unit vector in a facet, across the edge along e, into it. */
static cardan_vec3 into(const cardan__facet *f, cardan_vec3 e, double sign)
{
  return cardan__vec3_normalize(cardan__vec3_scale(sign, cardan__vec3_cross(f->n, e)));
}

static bool edge_is_convex(const cardan__terrain *t, int i, int j, int kind)
{
  cardan__facet f[2];
  const int a = i + STEP[kind][0], b = j + STEP[kind][1];
  if (!is_vertex(t, a, b)) {
    return false;
  }
  facets_at(t, i, j, kind, f);
  const cardan_vec3 e =
      cardan__vec3_sub(cardan__terrain_vertex(t, a, b), cardan__terrain_vertex(t, i, j));
  return cardan__vec3_dot(f[1].n, into(&f[0], e, 1)) < -CARDAN__FIELD_FLAT;
}

bool cardan__element_is_convex(const cardan__terrain *t, int i, int j, int kind)
{
  if (kind == CARDAN__ELEMENT_CORNER) {
    return true;
  }
  if (kind != CARDAN__ELEMENT_VERTEX) {
    return edge_is_convex(t, i, j, kind);
  }
  // some edge from it is
  bool found = false;
  for (int k = 0; k < 6 && !found; k++) {
    const int u = NEAR[k][0], v = NEAR[k][1];
    const int own = u != 0 && v != 0 ? CARDAN__ELEMENT_DIAGONAL
                    : u != 0         ? CARDAN__ELEMENT_X
                                     : CARDAN__ELEMENT_Y;
    const bool back = u + v < 0;
    found =
        is_vertex(t, i + u, j + v) && edge_is_convex(t, back ? i + u : i, back ? j + v : j, own);
  }
  return found;
}

bool cardan__element_has_normal(const cardan__terrain *t, int i, int j, int kind, cardan_vec3 n)
{
  const cardan_vec3 at = cardan__terrain_vertex(t, i, j);
  bool good = true;
  if (kind == CARDAN__ELEMENT_CORNER) {
    return fabs(n.z) <= tilt && (i == 0 ? n.x : -n.x) <= tilt && (j == 0 ? n.y : -n.y) <= tilt;
  }
  if (kind == CARDAN__ELEMENT_VERTEX) {
    const bool border = i == 0 || j == 0 || i == t->field->columns - 1 || j == t->field->rows - 1;
    for (int k = 0; k < 6 && good; k++) {
      if (is_vertex(t, i + NEAR[k][0], j + NEAR[k][1])) {
        const cardan_vec3 e =
            cardan__vec3_sub(cardan__terrain_vertex(t, i + NEAR[k][0], j + NEAR[k][1]), at);
        good = cardan__vec3_dot(n, e) <= tilt * cardan__vec3_norm(e);
      }
    }
    return good && (!border || n.z >= -tilt);
  }
  cardan__facet f[2];
  const cardan_vec3 e =
      cardan__vec3_sub(cardan__terrain_vertex(t, i + STEP[kind][0], j + STEP[kind][1]), at);
  facets_at(t, i, j, kind, f);
  return fabs(cardan__vec3_dot(n, e)) <= tilt * cardan__vec3_norm(e) &&
         cardan__vec3_dot(n, into(&f[0], e, 1)) <= tilt &&
         cardan__vec3_dot(n, into(&f[1], e, -1)) <= tilt;
}

cardan__placed cardan__field_part(const cardan__placed *b, int part, cardan_solid *solid)
{
  const cardan__terrain t = cardan__field_terrain(b);
  const int element = part - 1 - cardan__facet_count(b->field);
  cardan_xform own = {.R = cardan__mat3_identity()};
  *solid = (cardan_solid){.body = b->solid->body, .hull = -1};
  if (element < 0) {
    cardan__facet f;
    cardan__facet_at(&t, part - 1, &f);
    own.R = cardan__mat3_z_to(f.n);
    own.p = f.v[0];
    solid->kind = CARDAN_SHAPE_PLANE;
    solid->radius = HUGE_VAL;
  } else {
    const int corner = element - 4 * b->field->rows * b->field->columns;
    const bool down = corner >= 0;
    const int kind = down ? CARDAN__ELEMENT_CORNER : element % 4;
    const int i = down ? corner % 2 * (b->field->columns - 1) : element / 4 % b->field->columns;
    const int j = down ? corner / 2 * (b->field->rows - 1) : element / 4 / b->field->columns;
    own.p = cardan__terrain_vertex(&t, i, j);
    solid->kind = CARDAN_SHAPE_SPHERE;
    if (kind != CARDAN__ELEMENT_VERTEX) {
      const cardan_vec3 q = down ? cardan__vec3(own.p.x, own.p.y, t.bottom)
                                 : cardan__terrain_vertex(&t, i + STEP[kind][0], j + STEP[kind][1]);
      const cardan_vec3 e = cardan__vec3_sub(q, own.p);
      own.R = cardan__mat3_z_to(e);
      own.p = cardan__vec3_axpy(0.5, e, own.p);
      solid->kind = CARDAN_SHAPE_CAPSULE;
      solid->size[1] = cardan__vec3_norm(e);
      solid->radius = 0.5 * solid->size[1];
    }
  }
  solid->X_BS = cardan__xform_mul(&b->solid->X_BS, &own);
  return (cardan__placed){.solid = solid, .X_WS = cardan__xform_mul(&b->X_WS, &own)};
}

/* Does the place that touches belong to a corner of a, or to an end of its axis? Facets have
 * these. */
static bool at_corner(const cardan__placed *a, const cardan__span *span)
{
  if (a->solid->kind == CARDAN_SHAPE_CAPSULE) {
    return fabs(span->n.z) > tilt; // across its side the normal is across the axis
  }
  return (a->solid->kind == CARDAN_SHAPE_BOX || a->solid->kind == CARDAN_SHAPE_HULL) &&
         span->ncorner[0] == 1;
}

bool cardan__element_touch(const cardan__placed *a, const cardan__placed *b, const int place[3],
                           bool always, cardan__touch *at)
{
  const cardan__terrain t = cardan__field_terrain(b);
  const int i = place[0], j = place[1], kind = place[2];
  cardan_solid solid;
  cardan__core core[2];
  cardan__span span;
  const cardan__placed e =
      cardan__field_part(b, cardan__field_element(b->field, i, j, kind), &solid);
  cardan__core_pair(a, &e, core);
  const cardan_xform X_AB = cardan__xform_inv_mul(&a->X_WS, &e.X_WS);
  cardan__core_distance(&core[0], &core[1], &X_AB, &span);
  at->gap = span.distance - core[0].radius - core[1].radius;
  at->n = cardan__mat3_mulv(&a->X_WS.R, span.n);
  at->x = cardan__vec3_axpy(-core[0].radius, at->n, cardan__xform_point(&a->X_WS, span.a));
  const cardan_vec3 n = cardan__mat3_tmulv(&b->X_WS.R, at->n);
  if (cardan__element_has_normal(&t, i, j, kind, n)) {
    return !at_corner(a, &span);
  }
  return always && at->gap < -deep;
}
