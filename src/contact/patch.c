// SPDX-License-Identifier: Apache-2.0
#include "contact/patch.h"

#define SQRT1_2 0.70710678118654752440

/* ---- patches of cores ---- */

static double part(cardan_vec3 d, int k)
{
  return k == 0 ? d.x : k == 1 ? d.y : d.z;
}

static cardan_vec3 axis(int k, double x)
{
  return cardan__vec3(k == 0 ? x : 0, k == 1 ? x : 0, k == 2 ? x : 0);
}

/* The side of a box that looks most along d. */
static void box_face(const double *h, cardan_vec3 d, cardan__patch *out)
{
  int k = 0;
  k = fabs(d.y) > fabs(part(d, k)) ? 1 : k;
  k = fabs(d.z) > fabs(part(d, k)) ? 2 : k;
  const double sign = part(d, k) < 0 ? -1 : 1;
  const int u = (k + 1) % 3, v = (k + 2) % 3;
  *out = (cardan__patch){CARDAN__PATCH_FACE, .n = 4, .face = 2 * k + (sign < 0)};
  out->normal = axis(k, sign);
  for (int i = 0; i < 4; i++) {
    // (-, -), (+, -), (+, +), (-, +) about +k, and back about -k
    const int c = sign > 0 ? i : 3 - i;
    const double a = c == 1 || c == 2 ? h[u] : -h[u], b = c >= 2 ? h[v] : -h[v];
    out->p[i] = cardan__vec3_add(axis(k, sign * h[k]), cardan__vec3_add(axis(u, a), axis(v, b)));
    out->id[i] = c;
  }
}

/* The face of a hull that looks most along d. */
static void hull_face(const cardan_hull *hull, cardan_vec3 d, cardan__patch *out)
{
  double best = -HUGE_VAL;
  int f = 0;
  for (int i = 0; i < hull->nface; i++) {
    const double along = cardan__vec3_dot(d, hull->normal[i]);
    f = along > best ? i : f;
    best = fmax(best, along);
  }
  const int *corner = &hull->corner[hull->first[f]], n = hull->first[f + 1] - hull->first[f];
  *out = (cardan__patch){CARDAN__PATCH_FACE, .face = f, .normal = hull->normal[f]};
  out->n = n < CARDAN__PATCH ? n : CARDAN__PATCH;
  for (int i = 0; i < out->n; i++) {
    out->id[i] = corner[(int)((long)i * n / out->n)];
    out->p[i] = hull->vertex[out->id[i]];
  }
}

/* The flat side of a cylinder, or its axis. */
static void cylinder_patch(const double *h, cardan_vec3 d, cardan__patch *out)
{
  if (fabs(d.z) < SQRT1_2) {
    *out = (cardan__patch){CARDAN__PATCH_BARREL, .n = 2, .normal = {0, 0, 1}, .id = {0, 1}};
    out->p[0] = cardan__vec3(0, 0, -h[2]);
    out->p[1] = cardan__vec3(0, 0, h[2]);
    return;
  }
  const double sign = d.z < 0 ? -1 : 1;
  *out = (cardan__patch){CARDAN__PATCH_FACE, .face = sign < 0, .normal = {0, 0, sign}};
  out->n = CARDAN__RIM_POINTS;
  for (int i = 0; i < CARDAN__RIM_POINTS; i++) {
    const int c = sign > 0 ? i : CARDAN__RIM_POINTS - 1 - i;
    out->p[i] = cardan__rim_point(c, h[0], sign * h[2]);
    out->id[i] = c;
  }
}

void cardan__patch_of(const cardan__core *core, cardan_vec3 d, cardan__patch *patch)
{
  switch (core->kind) {
  case CARDAN__CORE_BOX:
    box_face(core->half, d, patch);
    return;
  case CARDAN__CORE_HULL:
    hull_face(core->hull, d, patch);
    return;
  case CARDAN__CORE_CYLINDER:
    cylinder_patch(core->half, d, patch);
    return;
  case CARDAN__CORE_SEGMENT:
    *patch = (cardan__patch){CARDAN__PATCH_LINE, .n = 2, .id = {0, 1}};
    patch->p[0] = cardan__vec3(0, 0, -core->half[2]);
    patch->p[1] = cardan__vec3(0, 0, core->half[2]);
    return;
  case CARDAN__CORE_POINT:
  case CARDAN__CORE_ELLIPSOID:
    break;
  }
  *patch = (cardan__patch){.kind = CARDAN__PATCH_NONE};
}

void cardan__patch_move(cardan__patch *patch, const cardan_xform *X)
{
  for (int i = 0; i < patch->n; i++) {
    patch->p[i] = cardan__xform_point(X, patch->p[i]);
  }
  patch->normal = cardan__mat3_mulv(&X->R, patch->normal);
}

/* ---- clipping ---- */

/* Cuts off what is more than slack outside of the plane m . (x - o) = 0, m unit. A polygon is
 * closed, a line of two points is not. */
static void cut(cardan__patch *p, cardan_vec3 o, cardan_vec3 m, double slack, int number)
{
  const cardan__patch old = *p;
  const bool closed = old.kind == CARDAN__PATCH_FACE;
  p->n = 0;
  for (int i = 0; i < old.n; i++) {
    const int k = (i + 1) % old.n;
    const double a = cardan__vec3_dot(m, cardan__vec3_sub(old.p[i], o));
    const double b = cardan__vec3_dot(m, cardan__vec3_sub(old.p[k], o));
    if (a <= slack) {
      p->p[p->n] = old.p[i];
      p->id[p->n++] = old.id[i];
    }
    if ((a <= slack) != (b <= slack) && (closed || i == 0) && p->n < 2 * CARDAN__PATCH) {
      const double t = a / (a - b);
      const cardan_vec3 way = cardan__vec3_sub(old.p[k], old.p[i]);
      p->p[p->n] = cardan__vec3_axpy(t < 0 ? 0 : t > 1 ? 1 : t, way, old.p[i]);
      p->id[p->n++] = cardan__patch_mix(cardan__patch_mix(old.id[i], old.id[k]), number);
    }
    if (p->n >= 2 * CARDAN__PATCH) {
      return;
    }
  }
}

/* Drops the corner that adds least to the area. */
static void drop_least(cardan__patch *p)
{
  double least = HUGE_VAL;
  int which = 0;
  for (int i = 0; i < p->n; i++) {
    const cardan_vec3 o = p->p[i], a = p->p[(i + 1) % p->n], b = p->p[(i + p->n - 1) % p->n];
    const double area =
        cardan__vec3_norm(cardan__vec3_cross(cardan__vec3_sub(a, o), cardan__vec3_sub(b, o)));
    which = area < least ? i : which;
    least = fmin(least, area);
  }
  p->n--;
  for (int i = which; i < p->n; i++) {
    p->p[i] = p->p[i + 1];
    p->id[i] = p->id[i + 1];
  }
}

/* Corners that coincide to within slack become one. */
static void join_corners(cardan__patch *p, double slack)
{
  int n = 0;
  for (int i = 0; i < p->n; i++) {
    bool apart = true;
    for (int k = 0; k < n; k++) {
      apart = apart && cardan__vec3_norm(cardan__vec3_sub(p->p[i], p->p[k])) > slack;
    }
    if (apart) {
      p->p[n] = p->p[i];
      p->id[n++] = p->id[i];
    }
  }
  p->n = n;
}

void cardan__patch_clip(cardan__patch *p, const cardan__patch *r, double slack)
{
  for (int i = 0; i < r->n && p->n > 0; i++) {
    const cardan_vec3 e = cardan__vec3_sub(r->p[(i + 1) % r->n], r->p[i]);
    const cardan_vec3 m = cardan__vec3_cross(e, r->normal);
    const double size = cardan__vec3_norm(m);
    if (size > slack) {
      cut(p, r->p[i], cardan__vec3_scale(1 / size, m), slack, r->id[i]);
    }
    while (p->kind == CARDAN__PATCH_FACE && p->n > CARDAN__PATCH) {
      drop_least(p);
    }
  }
  join_corners(p, 2 * slack);
}
