// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <string.h>

#include "contact/core.h"

/* Distance of convex sets by the algorithm of Gilbert, Johnson and Keerthi.
 * [1] E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A fast procedure for computing the distance
 *     between complex objects in three-dimensional space, IEEE J. Robotics and Automation 4 (1988).
 *
 * The set of all differences a - b is convex; w is its point nearest to the origin. A simplex of up
 * to four differences of corners has its own nearest point w; the corner y farthest along -w joins
 * it, until none is farther:
 *   w . y / |w| <= distance <= |w|                                                          (G1)
 * Departures from [1]: of a simplex, the nearest point is the best of all its faces that hold the
 * new corner and whose own nearest point lies inside of them, each computed by itself; no answer
 * comes from a chain of cases that rounding can lead astray. Of a triangle the direction of w is
 * its normal, which is sure also where |w| is small. */

typedef struct {
  cardan_vec3 y[4], a[4], b[4];
  int id[4][2];
  int n;
  double weight[4];
  cardan_vec3 w;
  double size;   // largest |y| so far
  double sliver; // square of the sine below which a triangle has no normal
} simplex;

/* The nearest point of the plane, line or point through the corners of a face; false: it is outside
 * of the face, or the face has no area. */
static bool face_point(const simplex *s, const int *at, int n, double *weight, cardan_vec3 *w)
{
  const cardan_vec3 y0 = s->y[at[0]];
  if (n == 1) {
    weight[0] = 1;
    *w = y0;
    return true;
  }
  const cardan_vec3 y1 = s->y[at[1]], e = cardan__vec3_sub(y1, y0);
  if (n == 2) {
    const double e2 = cardan__vec3_dot(e, e);
    weight[1] = e2 > 0 ? -cardan__vec3_dot(y0, e) / e2 : -1;
    weight[0] = 1 - weight[1];
    // from the end that is closer, for rounding
    *w = weight[1] < 0.5 ? cardan__vec3_axpy(weight[1], e, y0)
                         : cardan__vec3_axpy(-weight[0], e, y1);
    return weight[0] > 0 && weight[1] > 0;
  }
  const cardan_vec3 y2 = s->y[at[2]], f = cardan__vec3_sub(y2, y0), m = cardan__vec3_cross(e, f);
  const double m2 = cardan__vec3_dot(m, m);
  if (!(m2 > s->sliver * cardan__vec3_dot(e, e) * cardan__vec3_dot(f, f))) {
    return false;
  }
  weight[0] = cardan__vec3_dot(m, cardan__vec3_cross(y1, y2)) / m2;
  weight[1] = cardan__vec3_dot(m, cardan__vec3_cross(y2, y0)) / m2;
  weight[2] = 1 - weight[0] - weight[1];
  *w = cardan__vec3_scale(cardan__vec3_dot(m, y0) / m2, m);
  return weight[0] > 0 && weight[1] > 0 && weight[2] > 0;
}

/* Does the tetrahedron hold the origin? Seen from each face, it is then between the face and the
 * fourth corner; of a flat tetrahedron rounding decides where that corner is, and the heights. */
static bool holds_origin(const simplex *s)
{
  for (int k = 0; k < 4; k++) {
    const cardan_vec3 o = s->y[(k + 1) & 3];
    const cardan_vec3 m = cardan__vec3_cross(cardan__vec3_sub(s->y[(k + 2) & 3], o),
                                             cardan__vec3_sub(s->y[(k + 3) & 3], o));
    const double corner = cardan__vec3_dot(m, cardan__vec3_sub(s->y[k], o));
    const double part = -cardan__vec3_dot(m, o) / corner;
    if (!(part > 0) || !(part < 1)) {
      return false;
    }
  }
  return true;
}

/* Reduces the simplex to the face whose nearest point is the nearest of all; the newest corner is
 * the last. returns false: none is nearer than before, and it stays as it was without the newest */
static bool reduce(simplex *s)
{
  // faces with the newest corner, the others counted back from it; the first so many of n corners
  static const int faces[7][4] = {{1, 0},    {2, 0, 1},    {2, 0, 2},   {3, 0, 1, 2},
                                  {2, 0, 3}, {3, 0, 1, 3}, {3, 0, 2, 3}};
  static const int count[5] = {0, 1, 2, 4, 7};
  const int newest = s->n - 1;
  double best = cardan__vec3_dot(s->w, s->w), weight[3] = {0};
  int chosen[3] = {0}, n = 0;
  for (int k = 0; k < count[s->n]; k++) {
    int at[3] = {0};
    double own[3] = {0};
    cardan_vec3 w;
    for (int i = 0; i < faces[k][0]; i++) {
      at[i] = newest - faces[k][i + 1];
    }
    if (face_point(s, at, faces[k][0], own, &w) && cardan__vec3_dot(w, w) < best) {
      best = cardan__vec3_dot(w, w);
      n = faces[k][0];
      s->w = w;
      memcpy(chosen, at, sizeof chosen);
      memcpy(weight, own, sizeof weight);
    }
  }
  if (n == 0) {
    s->n = newest;
    return false;
  }
  const simplex old = *s;
  for (int i = 0; i < n; i++) {
    s->y[i] = old.y[chosen[i]];
    s->a[i] = old.a[chosen[i]];
    s->b[i] = old.b[chosen[i]];
    s->id[i][0] = old.id[chosen[i]][0];
    s->id[i][1] = old.id[chosen[i]][1];
    s->weight[i] = weight[i];
  }
  s->n = n;
  return true;
}

/* The corner farthest along -w joins. returns its y */
static cardan_vec3 add_corner(simplex *s, const cardan__core *A, const cardan__core *B,
                              const cardan_xform *X_AB, cardan_vec3 w)
{
  const int k = s->n++;
  const cardan_vec3 d = cardan__mat3_tmulv(&X_AB->R, w);
  s->a[k] = cardan__core_support(A, cardan__vec3_neg(w), &s->id[k][0]);
  s->b[k] = cardan__xform_point(X_AB, cardan__core_support(B, d, &s->id[k][1]));
  s->y[k] = cardan__vec3_sub(s->a[k], s->b[k]);
  s->size = fmax(s->size, cardan__vec3_norm(s->y[k]));
  return s->y[k];
}

/* Is the newest corner one of the others? */
static bool repeats(const simplex *s)
{
  const int k = s->n - 1;
  for (int i = 0; i < k; i++) {
    if (s->y[i].x == s->y[k].x && s->y[i].y == s->y[k].y && s->y[i].z == s->y[k].z) {
      return true;
    }
  }
  return false;
}

static void conclude(const simplex *s, cardan__gjk *out)
{
  out->w = s->w;
  out->n = s->n;
  out->a = out->b = (cardan_vec3){0, 0, 0};
  for (int i = 0; i < s->n; i++) {
    out->a = cardan__vec3_axpy(s->weight[i], s->a[i], out->a);
    out->b = cardan__vec3_axpy(s->weight[i], s->b[i], out->b);
    out->corner_a[i] = s->a[i];
    out->corner_b[i] = s->b[i];
    out->weight[i] = s->weight[i];
    out->id[i][0] = s->id[i][0];
    out->id[i][1] = s->id[i][1];
  }
  out->distance = cardan__vec3_norm(s->w);
  out->overlap = out->overlap || out->distance <= 4 * DBL_EPSILON * s->size;
}

void cardan__gjk_run(const cardan__core *A, const cardan__core *B, const cardan_xform *X_AB,
                     double tol, cardan__gjk *out)
{
  // corners of a round surface come ever closer, and rounding turns the normals of their triangles
  const bool curved = cardan__core_is_round(A) || cardan__core_is_round(B);
  simplex s = {.n = 0, .weight = {1}, .sliver = curved ? 1e-10 : 1e-26};
  cardan_vec3 way = cardan__vec3_neg(X_AB->p);
  *out = (cardan__gjk){.bound = -HUGE_VAL};
  if (!(cardan__vec3_dot(way, way) > 0)) {
    way = (cardan_vec3){1, 0, 0};
  }
  s.w = add_corner(&s, A, B, X_AB, way);
  for (int i = 1; i <= 100; i++) {
    const double distance = cardan__vec3_norm(s.w);
    out->iterations = i;
    if (!(distance > 4 * DBL_EPSILON * s.size)) {
      break;
    }
    const cardan_vec3 y = add_corner(&s, A, B, X_AB, s.w);
    out->bound = fmax(out->bound, cardan__vec3_dot(s.w, y) / distance); // (G1)
    if (distance - out->bound <= tol * s.size || repeats(&s)) {
      s.n--;
      break;
    }
    // of a sliver rounding may say that it holds the origin; the bound knows better
    if (s.n == 4 && !(out->bound > 4 * DBL_EPSILON * s.size) && holds_origin(&s)) {
      out->overlap = true;
      break;
    }
    if (!reduce(&s)) {
      break;
    }
  }
  s.n = s.n > 3 ? 3 : s.n;
  conclude(&s, out);
}
