// SPDX-License-Identifier: Apache-2.0
#include <float.h>

#include "contact/core.h"

/* Distance of two cores.
 *
 * With corners on both sides GJK is exact. With a round one it comes near in a few steps and then
 * crawls: corners of a round surface lie ever closer together. From there on, with the projections
 * P_A and P_B onto the two sets, the nearest points are the fixed point of
 *   y = P_B(P_A(y)),   F(y) = y - P_B(P_A(y)),   F' = 1 - P_B' P_A'                          (D1)
 * [1] W. Cheney, A. Goldstein, Proximity maps for convex sets, Proc. AMS 10 (1959): the iteration
 *     itself converges from anywhere, |P_A(y) - P_B(P_A(y))| falls.
 * Newton's method on F (semismooth: projections have kinks) converges at once; where its step does
 * not lessen that distance the iteration's own is taken. The supports along its normal prove that
 * the result is the distance: (G1) of gjk.c.
 *
 * Of overlapping cores the way out is sought: the direction of largest separation, which is
 * negative. It begins with the best of the normals of both. Moved apart along n by the way t and
 * a little more, T, the two have a distance d with a normal n', along which they were separated by
 *   d - T n . n' >= d - T                                                                   (D2)
 * so that n' is better than n unless it is n, a local minimum of the penetration depth; another
 * minimum may be smaller. Motions do not come here: rounding keeps cores apart, and the caller
 * reports deeper overlap. */

double cardan__core_separation(const cardan__core *A, const cardan__core *B,
                               const cardan_xform *X_AB, cardan_vec3 n, cardan_vec3 *a,
                               cardan_vec3 *b)
{
  int id;
  *a = cardan__core_support(A, cardan__vec3_neg(n), &id);
  *b = cardan__xform_point(X_AB, cardan__core_support(B, cardan__mat3_tmulv(&X_AB->R, n), &id));
  return cardan__vec3_dot(n, cardan__vec3_sub(*a, *b));
}

/* ---- round cores ---- */

/* Solves (1 - Q + 1e-12) d = f by the adjugate; parallel faces and lines leave 1 - Q singular, and
 * f has no part there but rounding. */
static cardan_vec3 newton_step(const cardan_mat3 *Q, cardan_vec3 f)
{
  cardan_mat3 J;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      J.m[i][k] = (i == k ? 1 + 1e-12 : 0) - Q->m[i][k];
    }
  }
  const cardan_vec3 c0 = cardan__mat3_column(&J, 0), c1 = cardan__mat3_column(&J, 1);
  const cardan_vec3 c2 = cardan__mat3_column(&J, 2), m = cardan__vec3_cross(c1, c2);
  const double k = 1 / cardan__vec3_dot(c0, m);
  return cardan__vec3(k * cardan__vec3_dot(f, m),
                      k * cardan__vec3_dot(c0, cardan__vec3_cross(f, c2)),
                      k * cardan__vec3_dot(c0, cardan__vec3_cross(c1, f)));
}

typedef struct {
  const cardan__core *A, *B;
  const cardan_xform *X_AB;
} sides;

typedef struct {
  cardan_vec3 y;    // where from
  cardan_vec3 a, b; // P_A(y), P_B(a)
  cardan_mat3 Q;    // P_B' P_A'
  double distance;  // |a - b|
} round_trip;

static round_trip project_alternately(const sides *s, cardan_vec3 y)
{
  round_trip r = {.y = y};
  cardan_mat3 DA, DB;
  r.a = cardan__core_project(s->A, y, &DA);
  const cardan_vec3 own = cardan__xform_inv_point(s->X_AB, r.a);
  r.b = cardan__xform_point(s->X_AB, cardan__core_project(s->B, own, &DB));
  const cardan_mat3 turned = cardan__mat3_mult(&DB, &s->X_AB->R); // DB R^T
  const cardan_mat3 world = cardan__mat3_mul(&s->X_AB->R, &turned);
  r.Q = cardan__mat3_mul(&world, &DA);
  r.distance = cardan__vec3_norm(cardan__vec3_sub(r.a, r.b));
  return r;
}

/* From b, where the iteration goes, as far towards Newton's goal as lessens the distance. */
static round_trip advance(const sides *s, const round_trip *r, cardan_vec3 goal, double rounding)
{
  const cardan_vec3 way = cardan__vec3_sub(goal, r->b);
  double part = 1;
  for (int i = 0; i < 5; i++, part *= 0.25) {
    const round_trip next = project_alternately(s, cardan__vec3_axpy(part, way, r->b));
    if (next.distance <= r->distance + rounding && next.distance > 0) {
      return next;
    }
  }
  return project_alternately(s, r->b);
}

/* From a point y near B's nearest; out: a, b, n, distance. */
static void refine(const sides *s, cardan_vec3 y, cardan__span *out)
{
  round_trip r = project_alternately(s, y);
  const double size = cardan__vec3_norm(r.a) + cardan__vec3_norm(r.b) + r.distance;
  for (int i = 0; i < 30; i++) {
    const cardan_vec3 F = cardan__vec3_sub(r.y, r.b);
    out->iterations++;
    if (cardan__vec3_norm(F) <= 2 * DBL_EPSILON * size) {
      break;
    }
    const round_trip next =
        advance(s, &r, cardan__vec3_sub(r.y, newton_step(&r.Q, F)), 2 * DBL_EPSILON * size);
    const bool still = !(next.distance < r.distance) && i > 4;
    const cardan_vec3 moved = cardan__vec3_sub(next.b, r.b);
    r = next;
    if (still && cardan__vec3_norm(moved) <= 16 * DBL_EPSILON * size) {
      break;
    }
  }
  out->a = r.a;
  out->b = r.b;
  out->distance = r.distance;
}

/* ---- apart ---- */

/* Whether the distance is proved by the supports along its normal, which has the rounding of the
 * points over their distance. size: of the places */
static bool is_proved(const sides *s, const cardan__span *span, double size)
{
  cardan_vec3 a, b;
  const double bound = cardan__core_separation(s->A, s->B, s->X_AB, span->n, &a, &b);
  return span->distance - bound <= 64 * DBL_EPSILON * size * (1 + size / span->distance);
}

/* Corners that span the nearest point of a side, each once. */
static void keep_corners(const cardan__gjk *g, cardan__span *out)
{
  for (int side = 0; side < 2; side++) {
    int n = 0;
    for (int i = 0; i < g->n && n <= 2; i++) {
      const int id = g->id[i][side];
      const bool new = n == 0 || (id != out->id[side][0] && (n == 1 || id != out->id[side][1]));
      if (new &&n < 2) {
        out->id[side][n] = id;
        out->corner[side][n] = side == 0 ? g->corner_a[i] : g->corner_b[i];
      }
      n += new;
    }
    out->ncorner[side] = n <= 2 ? n : 0;
  }
}

/* By GJK to within tol and Newton's method from there. */
static void approach(const sides *s, double tol, bool curved, cardan__span *out)
{
  cardan__gjk g;
  cardan__gjk_run(s->A, s->B, s->X_AB, tol, &g);
  out->iterations += g.iterations;
  out->distance = g.overlap ? 0 : g.distance;
  out->a = g.a;
  out->b = g.b;
  out->n = cardan__vec3_scale(1 / g.distance, g.w);
  if (!curved) {
    keep_corners(&g, out);
  }
  if (curved && !g.overlap) {
    cardan__span refined = *out;
    refine(s, g.b, &refined);
    refined.n = cardan__vec3_scale(1 / refined.distance, cardan__vec3_sub(refined.a, refined.b));
    out->iterations = refined.iterations;
    // its normal is better also where rounding makes it longer
    const double size = cardan__vec3_norm(g.a) + cardan__vec3_norm(g.b);
    if (refined.distance <= out->distance + 16 * DBL_EPSILON * size) {
      *out = refined;
    }
  }
}

/* Distance of two that are apart; false: they are not. */
static bool measure(const sides *s, cardan__span *out)
{
  static const double tol[4] = {1e-4, 1e-7, 1e-10, 0}; // where Newton's method may begin
  const bool curved = cardan__core_is_round(s->A) || cardan__core_is_round(s->B);
  for (int i = curved ? 0 : 3; i < 4; i++) {
    approach(s, tol[i], curved, out);
    const double size = cardan__vec3_norm(out->a) + cardan__vec3_norm(out->b);
    if (!(out->distance > 4 * DBL_EPSILON * size)) {
      return false;
    }
    if (curved && is_proved(s, out, size)) {
      break;
    }
  }
  return true;
}

/* ---- overlaps ---- */

typedef struct {
  const sides *s;
  cardan_vec3 n, a, b;
  double best;
} search;

static void try_direction(search *f, cardan_vec3 n)
{
  cardan_vec3 a, b;
  const double size = cardan__vec3_norm(n);
  if (!(size > 0)) {
    return;
  }
  n = cardan__vec3_scale(1 / size, n);
  const double gap = cardan__core_separation(f->s->A, f->s->B, f->s->X_AB, n, &a, &b);
  if (gap > f->best) {
    *f = (search){f->s, n, a, b, gap};
  }
}

/* The normals of a core's faces, outwards of it times sign, turned by R. */
static void try_faces(search *f, const cardan__core *core, const cardan_mat3 *R, double sign)
{
  for (int k = 0; k < 3 && core->kind != CARDAN__CORE_HULL; k++) {
    try_direction(f, cardan__mat3_column(R, k));
    try_direction(f, cardan__vec3_neg(cardan__mat3_column(R, k)));
  }
  for (int k = 0; core->kind == CARDAN__CORE_HULL && k < core->hull->nface; k++) {
    try_direction(f, cardan__vec3_scale(sign, cardan__mat3_mulv(R, core->hull->normal[k])));
  }
}

static void find_penetration(const sides *s, cardan__span *out)
{
  const cardan_mat3 identity = cardan__mat3_identity();
  search f = {.s = s, .best = -HUGE_VAL};
  try_direction(&f, cardan__vec3(0, 0, 1));
  try_direction(&f, cardan__vec3_neg(s->X_AB->p));
  try_faces(&f, s->A, &identity, -1);
  try_faces(&f, s->B, &s->X_AB->R, 1);
  const double size = cardan__vec3_norm(f.a) + cardan__vec3_norm(f.b) - f.best;
  const double apart = 1e-6 * size;
  for (int i = 0; i < 30; i++) {
    cardan_xform moved = *s->X_AB;
    cardan__span span = {.iterations = out->iterations};
    moved.p = cardan__vec3_axpy(f.best - apart, f.n, moved.p);
    const double before = f.best;
    if (measure(&(const sides){s->A, s->B, &moved}, &span)) {
      const cardan_vec3 n = f.n, turn = cardan__vec3_sub(span.n, n);
      for (int k = 0; k < 7; k++) {
        try_direction(&f, cardan__vec3_axpy(1 << k, turn, n)); // (D2), and farther that way
      }
    }
    out->iterations = span.iterations;
    if (!(f.best > before + 1e-12 * size)) {
      break;
    }
  }
  // cores that only just meet are not apart
  out->distance = fmin(f.best, 0);
  out->n = f.n;
  out->a = f.a;
  out->b = f.b;
}

void cardan__core_distance(const cardan__core *A, const cardan__core *B, const cardan_xform *X_AB,
                           cardan__span *out)
{
  const sides s = {A, B, X_AB};
  *out = (cardan__span){.iterations = 0};
  if (!measure(&s, out)) {
    out->ncorner[0] = out->ncorner[1] = 0;
    find_penetration(&s, out);
  }
}
