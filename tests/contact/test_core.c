// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <string.h>

#include "cardan/spatial.h"
#include "contact/core.h"
#include "spatial/hull.h"
#include "support.h"

/* Distances of cores against brute force: two polyhedra that are apart are nearest at a corner of
 * one and a face of the other, or at two edges. */

static cardan_vec3 random_vector(support_rng *rng, double size)
{
  double x[3];
  support_random_vec(rng, x, 3, size);
  return cardan__vec3(x[0], x[1], x[2]);
}

static cardan_xform random_place(support_rng *rng, double far)
{
  const cardan_vec3 w = random_vector(rng, 3);
  return (cardan_xform){cardan_so3_exp(w), random_vector(rng, far)};
}

static cardan_hull random_hull(support_rng *rng, cardan__arena *arena, int n, const double size[3])
{
  cardan_vec3 point[64];
  cardan_hull hull;
  cardan_report report = {.message = ""};
  for (int i = 0; i < n; i++) {
    point[i] = cardan__vec3(support_random_in(rng, -size[0], size[0]),
                            support_random_in(rng, -size[1], size[1]),
                            support_random_in(rng, -size[2], size[2]));
  }
  assert_int_equal(cardan__hull_make(point, n, CARDAN__HULL_FLAT, arena, &hull, &report),
                   CARDAN_OK);
  return hull;
}

/* Squared distance of a point and a triangle: the plane where the foot is inside, else the sides.
 * */
static double point_triangle(cardan_vec3 p, cardan_vec3 a, cardan_vec3 b, cardan_vec3 c)
{
  const cardan_vec3 corner[3] = {a, b, c};
  const cardan_vec3 m = cardan__vec3_cross(cardan__vec3_sub(b, a), cardan__vec3_sub(c, a));
  bool inside = true;
  double best = HUGE_VAL;
  for (int i = 0; i < 3; i++) {
    const cardan_vec3 o = corner[i], e = cardan__vec3_sub(corner[(i + 1) % 3], o);
    const cardan_vec3 r = cardan__vec3_sub(p, o);
    double t = cardan__vec3_dot(r, e) / cardan__vec3_dot(e, e);
    t = fmin(1, fmax(0, t));
    const cardan_vec3 d = cardan__vec3_axpy(-t, e, r);
    best = fmin(best, cardan__vec3_dot(d, d));
    inside = inside && cardan__vec3_dot(cardan__vec3_cross(e, r), m) >= 0;
  }
  const double h = cardan__vec3_dot(m, cardan__vec3_sub(p, a));
  return inside ? h * h / cardan__vec3_dot(m, m) : best;
}

static double point_hull(cardan_vec3 p, const cardan_hull *h)
{
  double best = HUGE_VAL;
  for (int f = 0; f < h->nface; f++) {
    const int *c = &h->corner[h->first[f]];
    for (int i = 1; i + 1 < h->first[f + 1] - h->first[f]; i++) {
      best = fmin(best, point_triangle(p, h->vertex[c[0]], h->vertex[c[i]], h->vertex[c[i + 1]]));
    }
  }
  return best;
}

static double clamped(double x)
{
  return fmin(1, fmax(0, x));
}

/* Squared distance of segments p + s u, q + t v: inside of both, else at an end of one. */
static double segments(cardan_vec3 p, cardan_vec3 u, cardan_vec3 q, cardan_vec3 v)
{
  const cardan_vec3 r = cardan__vec3_sub(p, q);
  const double uu = cardan__vec3_dot(u, u), vv = cardan__vec3_dot(v, v);
  const double uv = cardan__vec3_dot(u, v), ur = cardan__vec3_dot(u, r);
  const double vr = cardan__vec3_dot(v, r), det = uu * vv - uv * uv;
  double best = HUGE_VAL;
  const double try_s[5] = {clamped(det > 0 ? (uv * vr - vv * ur) / det : 0), 0, 1,
                           clamped(-ur / uu), clamped((uv - ur) / uu)};
  for (int i = 0; i < 5; i++) {
    const double t = clamped((try_s[i] * uv + vr) / vv);
    const cardan_vec3 d = cardan__vec3_axpy(try_s[i], u, cardan__vec3_axpy(-t, v, r));
    best = fmin(best, cardan__vec3_dot(d, d));
  }
  return best;
}

static double brute_force(const cardan_hull *A, const cardan_hull *B)
{
  double best = HUGE_VAL;
  for (int i = 0; i < A->nvertex; i++) {
    best = fmin(best, point_hull(A->vertex[i], B));
  }
  for (int i = 0; i < B->nvertex; i++) {
    best = fmin(best, point_hull(B->vertex[i], A));
  }
  for (int i = 0; i < A->nedge; i++) {
    const cardan_vec3 p = A->vertex[A->edge[2 * i]];
    const cardan_vec3 u = cardan__vec3_sub(A->vertex[A->edge[2 * i + 1]], p);
    for (int k = 0; k < B->nedge; k++) {
      const cardan_vec3 q = B->vertex[B->edge[2 * k]];
      const cardan_vec3 v = cardan__vec3_sub(B->vertex[B->edge[2 * k + 1]], q);
      best = fmin(best, segments(p, u, q, v));
    }
  }
  return sqrt(best);
}

/* The hull placed, for brute force. */
static cardan_hull moved(const cardan_hull *h, const cardan_xform *X, cardan_vec3 *room)
{
  cardan_hull out = *h;
  for (int i = 0; i < h->nvertex; i++) {
    room[i] = cardan__xform_point(X, h->vertex[i]);
  }
  out.vertex = room;
  return out;
}

// GJK is exact for polyhedra at gaps of 1e-1 .. 1e-12: two hulls at distance d (brute force) are
// moved together by d - gap along the normal, and must be apart by gap
static void hulls_apart(void **state)
{
  (void)state;
  support_rng rng = {1};
  int most = 0, total = 0, runs = 0;
  for (int trial = 0; trial < 300; trial++) {
    cardan__arena arena;
    cardan_vec3 room[64];
    cardan__arena_init(&arena, NULL);
    const double size[3] = {1, support_random_in(&rng, 0.1, 1), 1};
    const cardan_hull a = random_hull(&rng, &arena, 4 + trial % 60, size);
    const cardan_hull b = random_hull(&rng, &arena, 4 + (trial * 7) % 60, size);
    const cardan__core A = {CARDAN__CORE_HULL, .hull = &a}, B = {CARDAN__CORE_HULL, .hull = &b};
    cardan_xform X = random_place(&rng, 3);
    cardan__gjk g;
    cardan__gjk_run(&A, &B, &X, 0, &g);
    if (g.overlap) {
      cardan__arena_free(&arena);
      continue;
    }
    cardan_hull there = moved(&b, &X, room);
    assert_near(g.distance, brute_force(&a, &there), 20 * DBL_EPSILON * 4);
    assert_near(g.distance, g.bound, 20 * DBL_EPSILON * 4);
    const cardan_vec3 n = cardan__vec3_scale(1 / g.distance, g.w);
    double gap = 0.1;
    for (int k = 0; k < 12; k++, gap *= 0.1) {
      cardan_xform Y = X;
      Y.p = cardan__vec3_axpy(g.distance - gap, n, X.p);
      cardan__gjk at;
      cardan__gjk_run(&A, &B, &Y, 0, &at);
      assert_false(at.overlap);
      assert_near(at.distance, gap, 20 * DBL_EPSILON * 4);
      const cardan_vec3 w = cardan__vec3_scale(1 / at.distance, at.w);
      // the direction of a corner over a face or of two edges is a normal; of two corners it has
      // the rounding of the places, 4 eps, over the gap
      assert_near(cardan__vec3_norm(cardan__vec3_sub(w, n)), 0,
                  40 * DBL_EPSILON * (at.n == 3 ? 100 : 4 / gap));
      most = at.iterations > most ? at.iterations : most;
      total += at.iterations;
      runs++;
    }
    cardan__arena_free(&arena);
  }
  assert_true(runs > 2000);
  assert_true(total < 10 * runs && most < 30);
}

static cardan__core random_core(support_rng *rng, cardan__arena *arena, int kind, cardan_hull *room)
{
  const double a = support_random_in(rng, 0.05, 1), b = support_random_in(rng, 0.05, 1);
  const double c = support_random_in(rng, 0.05, 1);
  cardan__core core = {.kind = (cardan__core_kind)kind, .half = {a, b, c}};
  if (kind == CARDAN__CORE_SEGMENT) {
    core.half[0] = core.half[1] = 0;
  } else if (kind == CARDAN__CORE_CYLINDER) {
    core.half[1] = core.half[0];
  } else if (kind == CARDAN__CORE_ELLIPSOID) {
    const double low = fmin(a, fmin(b, c)), high = fmax(a, fmax(b, c));
    core.inner = core.radius = 0.5 * low * low / high;
  } else if (kind == CARDAN__CORE_HULL) {
    *room = random_hull(rng, arena, 30, (const double[]){a, b, c});
    core.hull = room;
  }
  return core;
}

// any two kinds: the points are of the sets, the distance is theirs, and no smaller one is
// possible, as supports along the normal tell: two sets that were apart by less would not lie on
// both sides
static void any_cores(void **state)
{
  (void)state;
  support_rng rng = {2};
  double worst = 0;
  int apart = 0;
  for (int trial = 0; trial < 36 * 200; trial++) {
    cardan__arena arena;
    cardan_hull room[2];
    cardan__span s;
    cardan_vec3 p, q;
    cardan__arena_init(&arena, NULL);
    const cardan__core A = random_core(&rng, &arena, trial % 6, &room[0]);
    const cardan__core B = random_core(&rng, &arena, trial / 6 % 6, &room[1]);
    const cardan_xform X = random_place(&rng, 2);
    cardan__core_distance(&A, &B, &X, &s);
    assert_near(cardan__vec3_norm(s.n), 1, 4 * DBL_EPSILON);
    const double bound = cardan__core_separation(&A, &B, &X, s.n, &p, &q);
    if (s.distance > 0) {
      const cardan_vec3 own = cardan__xform_inv_point(&X, s.b);
      const cardan_vec3 w = cardan__vec3_sub(s.a, s.b);
      apart++;
      assert_near(cardan__vec3_norm(w), s.distance, 20 * DBL_EPSILON);
      assert_near(cardan__vec3_norm(cardan__vec3_axpy(-s.distance, s.n, w)), 0, 40 * DBL_EPSILON);
      // inside of their sets: projection leaves them
      assert_near(cardan__vec3_norm(cardan__vec3_sub(cardan__core_project(&A, s.a, NULL), s.a)), 0,
                  1e-13);
      assert_near(cardan__vec3_norm(cardan__vec3_sub(cardan__core_project(&B, own, NULL), own)), 0,
                  1e-13);
      // the normal has the rounding of the points over their distance
      worst = fmax(worst, (s.distance - bound) / (1 + 1 / s.distance));
      assert_true(s.iterations < 60);
    }
    cardan__arena_free(&arena);
  }
  assert_true(apart > 3000);
  assert_true(worst < 50 * DBL_EPSILON);
}

// derivatives of projections against differences, away from kinks
static void projections(void **state)
{
  (void)state;
  support_rng rng = {4};
  int checked = 0;
  for (int trial = 0; trial < 3000; trial++) {
    cardan__arena arena;
    cardan_hull room;
    cardan_mat3 D, other;
    const double h = 1e-6;
    cardan__arena_init(&arena, NULL);
    const cardan__core A = random_core(&rng, &arena, trial % 6, &room);
    const cardan_vec3 y = random_vector(&rng, 2), d = random_vector(&rng, 1);
    (void)cardan__core_project(&A, y, &D);
    const cardan_vec3 up = cardan__core_project(&A, cardan__vec3_axpy(h, d, y), &other);
    const cardan_vec3 down = cardan__core_project(&A, cardan__vec3_axpy(-h, d, y), NULL);
    const cardan_vec3 slope = cardan__vec3_scale(0.5 / h, cardan__vec3_sub(up, down));
    const cardan_vec3 jump =
        cardan__vec3_sub(cardan__mat3_mulv(&D, d), cardan__mat3_mulv(&other, d));
    if (cardan__vec3_norm(jump) < 1e-4) {
      // differences have 1e-12 of the third derivatives (radii of 1e-3 and more), eps / h of
      // rounding
      assert_near(cardan__vec3_norm(cardan__vec3_sub(slope, cardan__mat3_mulv(&D, d))), 0, 1e-7);
      checked++;
    }
    cardan__arena_free(&arena);
  }
  assert_true(checked > 2800);
}

// overlapping cores: moved by the way out they are apart by no more than the 30 rounds leave;
// two boxes inside of one another along their axes: the shortest, exactly
static void ways_out(void **state)
{
  (void)state;
  support_rng rng = {5};
  int deep = 0;
  for (int trial = 0; trial < 36 * 40; trial++) {
    cardan__arena arena;
    cardan_hull room[2];
    cardan__span s, after;
    cardan__arena_init(&arena, NULL);
    const cardan__core A = random_core(&rng, &arena, trial % 6, &room[0]);
    const cardan__core B = random_core(&rng, &arena, trial / 6 % 6, &room[1]);
    cardan_xform X = random_place(&rng, 0.3);
    cardan__core_distance(&A, &B, &X, &s);
    if (s.distance <= 0) {
      deep++;
      assert_near(cardan__vec3_norm(s.n), 1, 4 * DBL_EPSILON);
      X.p = cardan__vec3_axpy(s.distance - 1e-9, s.n, X.p);
      cardan__core_distance(&A, &B, &X, &after);
      assert_true(after.distance > 0);
      assert_near(after.distance, 1e-9, 1e-5);
    }
    cardan__arena_free(&arena);
  }
  assert_true(deep > 500);
  const cardan__core box = {CARDAN__CORE_BOX, .half = {1, 2, 3}};
  const cardan_xform X = {cardan__mat3_identity(), {0.5, 0.25, 0.125}};
  cardan__span s;
  cardan__core_distance(&box, &box, &X, &s);
  assert_near(s.distance, -1.5, 1e-12);
  assert_near(s.n.x, -1, 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hulls_apart),
      cmocka_unit_test(projections),
      cmocka_unit_test(any_cores),
      cmocka_unit_test(ways_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
