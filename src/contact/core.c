// SPDX-License-Identifier: Apache-2.0
#include "contact/core.h"

#include <float.h>

/* ---- cores of solids ---- */

static double smallest_extent(const cardan_solid *solid)
{
  const double *s = solid->size;
  return solid->kind == CARDAN_SHAPE_BOX ? fmin(s[0], fmin(s[1], s[2])) : fmin(2 * s[0], s[1]);
}

/* The core with the least change of the surface. */
static cardan__core core_of(const cardan__placed *p)
{
  const double *s = p->solid->size;
  cardan__core c = {.kind = CARDAN__CORE_POINT};
  switch (p->solid->kind) {
  case CARDAN_SHAPE_SPHERE:
    c.radius = s[0];
    break;
  case CARDAN_SHAPE_CAPSULE:
    c = (cardan__core){CARDAN__CORE_SEGMENT, .half = {0, 0, 0.5 * s[1]}, .radius = s[0]};
    break;
  case CARDAN_SHAPE_BOX:
    c = (cardan__core){CARDAN__CORE_BOX, .half = {0.5 * s[0], 0.5 * s[1], 0.5 * s[2]}};
    break;
  case CARDAN_SHAPE_CYLINDER:
    c = (cardan__core){CARDAN__CORE_CYLINDER, .half = {s[0], s[0], 0.5 * s[1]}};
    break;
  case CARDAN_SHAPE_HULL:
    c = (cardan__core){CARDAN__CORE_HULL, .hull = p->core, .radius = p->solid->round};
    break;
  case CARDAN_SHAPE_ELLIPSOID: {
    const double low = fmin(s[0], fmin(s[1], s[2])), high = fmax(s[0], fmax(s[1], s[2]));
    const double inner = 0.5 * low * low / high; // half of the smallest radius of curvature
    c = (cardan__core){CARDAN__CORE_ELLIPSOID, .half = {s[0], s[1], s[2]}, .inner = inner};
    c.radius = inner;
    break;
  }
  case CARDAN_SHAPE_POINT:
  case CARDAN_SHAPE_PLANE:
  case CARDAN_SHAPE_MESH:
  case CARDAN_SHAPE_HEIGHT_FIELD:
    break;
  }
  return c;
}

/* A part of a solid has the radius of all of it. */
static void round_off(cardan__core *c, const cardan_solid *solid)
{
  c->radius = solid->round > 0 ? solid->round : CARDAN__CORE_ROUND * smallest_extent(solid);
  for (int k = 0; k < 3; k++) {
    c->half[k] -= c->radius;
  }
}

/* A box and a cylinder: the box is rounded, so that the rim of the cylinder is what it is on a
 * plane. Two cylinders: both; a point and a cylinder: that. */
void cardan__core_pair(const cardan__placed *a, const cardan__placed *b, cardan__core core[2])
{
  const cardan__placed *placed[2] = {a, b};
  core[0] = core_of(a);
  core[1] = core_of(b);
  if (core[0].radius + core[1].radius > 0) {
    return;
  }
  const bool box = a->solid->kind == CARDAN_SHAPE_BOX || b->solid->kind == CARDAN_SHAPE_BOX;
  for (int i = 0; i < 2; i++) {
    const cardan_shape_kind kind = placed[i]->solid->kind;
    if (kind == CARDAN_SHAPE_BOX || (kind == CARDAN_SHAPE_CYLINDER && !box)) {
      round_off(&core[i], placed[i]->solid);
    }
  }
}

/* ---- supports ---- */

static cardan_vec3 farthest_vertex(const cardan_hull *hull, cardan_vec3 d, int *id)
{
  double best = -HUGE_VAL;
  *id = 0;
  for (int i = 0; i < hull->nvertex; i++) {
    const double along = cardan__vec3_dot(d, hull->vertex[i]);
    if (along > best) {
      best = along;
      *id = i;
    }
  }
  return hull->vertex[*id];
}

cardan_vec3 cardan__core_support(const cardan__core *core, cardan_vec3 d, int *id)
{
  const double *h = core->half;
  *id = -1;
  switch (core->kind) {
  case CARDAN__CORE_SEGMENT:
  case CARDAN__CORE_BOX:
    *id = (d.x < 0) + 2 * (d.y < 0) + 4 * (d.z < 0);
    return cardan__vec3(d.x < 0 ? -h[0] : h[0], d.y < 0 ? -h[1] : h[1], d.z < 0 ? -h[2] : h[2]);
  case CARDAN__CORE_HULL:
    return farthest_vertex(core->hull, d, id);
  case CARDAN__CORE_CYLINDER: {
    const double across = hypot(d.x, d.y);
    const double k = across > 0 ? h[0] / across : 0;
    return cardan__vec3(k > 0 ? k * d.x : h[0], k * d.y, copysign(h[2], d.z));
  }
  case CARDAN__CORE_ELLIPSOID: {
    const cardan_vec3 m = cardan__vec3_normalize(d);
    const cardan_vec3 Dm = {h[0] * m.x, h[1] * m.y, h[2] * m.z};
    const double k = 1 / cardan__vec3_norm(Dm), r = core->inner;
    return cardan__vec3(k * h[0] * Dm.x - r * m.x, k * h[1] * Dm.y - r * m.y,
                        k * h[2] * Dm.z - r * m.z);
  }
  case CARDAN__CORE_POINT:
    break;
  }
  return (cardan_vec3){0, 0, 0};
}

/* ---- projections ---- */

/* Onto [-h, h]; D out: 1 inside, 0 outside. */
static double clamp(double x, double h, double *D)
{
  *D = fabs(x) < h;
  return x > h ? h : x < -h ? -h : x;
}

static cardan_vec3 project_box(const double *h, cardan_vec3 y, cardan_mat3 *D)
{
  cardan_vec3 x;
  *D = (cardan_mat3){{{0}}};
  x.x = clamp(y.x, h[0], &D->m[0][0]);
  x.y = clamp(y.y, h[1], &D->m[1][1]);
  x.z = clamp(y.z, h[2], &D->m[2][2]);
  return x;
}

/* Outside of the radius R, with the unit vector e across: x = R e, D = R / rho (1 - e e^T). */
static cardan_vec3 project_cylinder(const double *h, cardan_vec3 y, cardan_mat3 *D)
{
  const double rho = hypot(y.x, y.y);
  cardan_vec3 x = y;
  *D = (cardan_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}};
  x.z = clamp(y.z, h[2], &D->m[2][2]);
  if (rho > h[0]) {
    const double k = h[0] / rho, ex = y.x / rho, ey = y.y / rho;
    x.x = k * y.x;
    x.y = k * y.y;
    D->m[0][0] = k * ey * ey;
    D->m[1][1] = k * ex * ex;
    D->m[0][1] = D->m[1][0] = -k * ex * ey;
  }
  return x;
}

/* The t with sum (a_i y_i / (a_i^2 + t))^2 = 1, by Newton's method from below, where the sum is
 * convex and falls: a_i^2 y_i / (a_i^2 + t) is the foot of y. Of a y outside of the core, which is
 * less by half of the smallest a_i^2 over the largest a_i, t is above -1/2 of the smallest a_i^2.
 * returns false: y is well inside */
static bool secular(const double *a, const double *y, double *t)
{
  double low = HUGE_VAL;
  *t = -HUGE_VAL;
  for (int k = 0; k < 3; k++) {
    *t = fmax(*t, a[k] * (fabs(y[k]) - a[k]));
    low = fmin(low, a[k] * a[k]);
  }
  *t = fmax(*t, -0.75 * low);
  for (int i = 0; i < 100; i++) {
    double f = -1, slope = 0;
    for (int k = 0; k < 3; k++) {
      const double d = 1 / (a[k] * a[k] + *t), g = a[k] * y[k] * d;
      f += g * g;
      slope -= 2 * g * g * d;
    }
    if (i == 0 && f < 0 && *t < -0.7 * low) {
      return false;
    }
    const double next = *t - f / slope;
    if (!(f > 0) || !(next > *t)) {
      break;
    }
    *t = next;
  }
  return true;
}

/* Derivative of the projection onto the ellipsoid's inner parallel surface. With the foot x of y on
 * the ellipsoid, the unit normal m there and h = m . x, a turn dm of the normal moves x by H dm,
 *   H = (A^2 - x x^T) / h,                                                                    (P1)
 * the nearest point x - inner m by (H - inner) dm, and y at distance d from it by (H - inner + d)
 * dm: D = 1 - d (H - inner + d)^-1 in the tangent plane, 0 across it. The inverse is that of P,
 * with `scale` put across the plane. */
static cardan_mat3 curved_slope(const double *a, cardan_vec3 x, cardan_vec3 m, double inner,
                                double d)
{
  const double h = cardan__vec3_dot(m, x), xs[3] = {x.x, x.y, x.z}, ms[3] = {m.x, m.y, m.z};
  const double low = fmin(a[0], fmin(a[1], a[2]));
  const double scale = low + fabs(d);
  cardan_mat3 P, D;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      const double same = i == k ? 1 : 0;
      const double H = (a[i] * a[k] * same - xs[i] * xs[k]) / h;
      P.m[i][k] = H + (d - inner) * (same - ms[i] * ms[k]) + scale * ms[i] * ms[k];
    }
  }
  // the inverse of a symmetric matrix by its cofactors
  const cardan_vec3 c0 = cardan__mat3_column(&P, 0), c1 = cardan__mat3_column(&P, 1);
  const cardan_vec3 c2 = cardan__mat3_column(&P, 2), r0 = cardan__vec3_cross(c1, c2);
  const cardan_vec3 r1 = cardan__vec3_cross(c2, c0), r2 = cardan__vec3_cross(c0, c1);
  const double det = cardan__vec3_dot(c0, r0);
  const cardan_mat3 inverse = cardan__mat3_from_columns(r0, r1, r2);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      D.m[i][k] =
          (i == k ? 1 : 0) - ms[i] * ms[k] - d * (inverse.m[i][k] / det - ms[i] * ms[k] / scale);
    }
  }
  return D;
}

static cardan_vec3 project_ellipsoid(const cardan__core *core, cardan_vec3 y, cardan_mat3 *D)
{
  const double *a = core->half, ys[3] = {y.x, y.y, y.z};
  double t, x[3], m[3];
  *D = cardan__mat3_identity();
  if (!secular(a, ys, &t)) {
    return y;
  }
  for (int k = 0; k < 3; k++) {
    const double d = 1 / (a[k] * a[k] + t);
    x[k] = a[k] * a[k] * ys[k] * d;
    m[k] = ys[k] * d;
  }
  const cardan_vec3 foot = {x[0], x[1], x[2]};
  const cardan_vec3 normal = {m[0], m[1], m[2]};
  const double size = cardan__vec3_norm(normal);
  const double d = t * size + core->inner; // from the core's surface
  if (!(d > 0) || !(size > 0)) {
    return y;
  }
  const cardan_vec3 unit = cardan__vec3_scale(1 / size, normal);
  *D = curved_slope(a, foot, unit, core->inner, d);
  return cardan__vec3_axpy(-core->inner, unit, foot);
}

/* The hull's nearest point by GJK; moving y moves it within the face that it is on. */
static cardan_vec3 project_hull(const cardan__core *core, cardan_vec3 y, cardan_mat3 *D)
{
  const cardan__core point = {.kind = CARDAN__CORE_POINT};
  const cardan_xform X = {cardan__mat3_identity(), y};
  cardan__gjk g;
  cardan__gjk_run(core, &point, &X, 0, &g);
  *D = cardan__mat3_identity();
  if (g.overlap) {
    return y;
  }
  cardan_vec3 u = cardan__vec3_sub(g.corner_a[1], g.corner_a[0]);
  double sign = g.n == 3 ? -1 : 1, diagonal = g.n == 3 ? 1 : 0;
  if (g.n == 3) {
    u = cardan__vec3_cross(u, cardan__vec3_sub(g.corner_a[2], g.corner_a[0]));
  } else if (g.n == 1) {
    sign = 0;
    u = g.w;
  }
  const double k = sign / cardan__vec3_dot(u, u), us[3] = {u.x, u.y, u.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      D->m[i][j] = (i == j ? diagonal : 0) + k * us[i] * us[j];
    }
  }
  return g.a;
}

cardan_vec3 cardan__core_project(const cardan__core *core, cardan_vec3 y, cardan_mat3 *D)
{
  cardan_mat3 own;
  D = D ? D : &own;
  switch (core->kind) {
  case CARDAN__CORE_SEGMENT:
  case CARDAN__CORE_BOX:
    return project_box(core->half, y, D);
  case CARDAN__CORE_CYLINDER:
    return project_cylinder(core->half, y, D);
  case CARDAN__CORE_ELLIPSOID:
    return project_ellipsoid(core, y, D);
  case CARDAN__CORE_HULL:
    return project_hull(core, y, D);
  case CARDAN__CORE_POINT:
    break;
  }
  *D = (cardan_mat3){{{0}}};
  return (cardan_vec3){0, 0, 0};
}
