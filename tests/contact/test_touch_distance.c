// SPDX-License-Identifier: Apache-2.0
// Gaps of pairs against distances found by trying all features: corners, edges, faces of one with
// those of the other. The distance of two polyhedra that are apart is that of a corner and a face
// or of two edges, and of two that overlap one has an edge in the other: no axes in this.
#include <math.h>

#include "touch_fixture.h"

typedef struct {
  cardan_vec3 a, b;
} segment;

/* A polyhedron that is a box, a segment or a point: its edges, and the box itself for faces. */
typedef struct {
  int nedge;
  segment edge[12];
  bool box;
  cardan_xform X_WS;
  double h[3];
} polyhedron;

static double length(cardan_vec3 a)
{
  return cardan__vec3_norm(a);
}

static double apart(cardan_vec3 a, cardan_vec3 b)
{
  return length(cardan__vec3_sub(a, b));
}

static double point_segment(cardan_vec3 x, segment s)
{
  const cardan_vec3 d = cardan__vec3_sub(s.b, s.a);
  const double d2 = cardan__vec3_dot(d, d);
  const double t = d2 > 0 ? cardan__vec3_dot(d, cardan__vec3_sub(x, s.a)) / d2 : 0;
  return apart(x, cardan__vec3_axpy(fmin(fmax(t, 0), 1), d, s.a));
}

/* Least of: ends to the other, and the lines where they are closest within both. */
static double segment_segment(segment s, segment r)
{
  const cardan_vec3 d = cardan__vec3_sub(s.b, s.a), e = cardan__vec3_sub(r.b, r.a);
  const cardan_vec3 w = cardan__vec3_sub(r.a, s.a), m = cardan__vec3_cross(d, e);
  const double m2 = cardan__vec3_dot(m, m);
  double least = fmin(fmin(point_segment(s.a, r), point_segment(s.b, r)),
                      fmin(point_segment(r.a, s), point_segment(r.b, s)));
  if (m2 > 0) {
    const double t = cardan__vec3_dot(cardan__vec3_cross(w, e), m) / m2;
    const double u = cardan__vec3_dot(cardan__vec3_cross(w, d), m) / m2;
    if (t >= 0 && t <= 1 && u >= 0 && u <= 1) {
      least = fmin(least, fabs(cardan__vec3_dot(w, m)) / sqrt(m2));
    }
  }
  return least;
}

static polyhedron polyhedron_of(const touch_scene *scene, int i)
{
  const cardan_solid *s = &scene->solid[i];
  polyhedron out = {.X_WS = cardan__xform_mul(&scene->X_W[i + 1], &s->X_BS), .nedge = 1};
  if (s->kind == CARDAN_SHAPE_BOX) {
    out.box = true;
    out.nedge = 12;
    for (int k = 0; k < 3; k++) {
      out.h[k] = 0.5 * s->size[k];
    }
  }
  for (int e = 0; e < out.nedge; e++) {
    double x[2][3] = {{0, 0, 0}, {0, 0, 0}};
    for (int end = 0; end < 2; end++) {
      if (out.box) {
        const int axis = e / 4, k1 = (axis + 1) % 3, k2 = (axis + 2) % 3;
        x[end][axis] = end ? out.h[axis] : -out.h[axis];
        x[end][k1] = e & 1 ? out.h[k1] : -out.h[k1];
        x[end][k2] = e & 2 ? out.h[k2] : -out.h[k2];
      } else if (s->kind == CARDAN_SHAPE_CAPSULE) {
        x[end][2] = (end - 0.5) * s->size[1];
      }
    }
    out.edge[e].a = cardan__xform_point(&out.X_WS, cardan__vec3(x[0][0], x[0][1], x[0][2]));
    out.edge[e].b = cardan__xform_point(&out.X_WS, cardan__vec3(x[1][0], x[1][1], x[1][2]));
  }
  return out;
}

/* Distance of a point of the world to a box, 0 inside. */
static double point_box(cardan_vec3 x, const polyhedron *box)
{
  const cardan_vec3 q = cardan__xform_inv_point(&box->X_WS, x);
  return length(cardan__vec3(fmax(fabs(q.x) - box->h[0], 0), fmax(fabs(q.y) - box->h[1], 0),
                             fmax(fabs(q.z) - box->h[2], 0)));
}

/* Has the segment a point in the box? By the slabs of the box, one after another. */
static bool meets(segment s, const polyhedron *box)
{
  const cardan_vec3 a = cardan__xform_inv_point(&box->X_WS, s.a);
  const cardan_vec3 b = cardan__xform_inv_point(&box->X_WS, s.b);
  const double from[3] = {a.x, a.y, a.z}, to[3] = {b.x, b.y, b.z};
  double low = 0, high = 1;
  for (int k = 0; k < 3; k++) {
    const double t0 = (-box->h[k] - from[k]) / (to[k] - from[k]);
    const double t1 = (box->h[k] - from[k]) / (to[k] - from[k]);
    low = fmax(low, fmin(t0, t1));
    high = fmin(high, fmax(t0, t1));
  }
  return low <= high;
}

/* Distance by trying everything; 0 when they overlap. */
static double distance(const polyhedron *a, const polyhedron *b)
{
  double least = HUGE_VAL;
  for (int i = 0; i < a->nedge; i++) {
    for (int j = 0; j < b->nedge; j++) {
      least = fmin(least, segment_segment(a->edge[i], b->edge[j]));
    }
  }
  for (int side = 0; side < 2; side++) {
    const polyhedron *edges = side ? b : a, *box = side ? a : b;
    for (int i = 0; i < edges->nedge && box->box; i++) {
      least = fmin(least, fmin(point_box(edges->edge[i].a, box), point_box(edges->edge[i].b, box)));
      least =
          apart(edges->edge[i].a, edges->edge[i].b) > 0 && meets(edges->edge[i], box) ? 0 : least;
    }
  }
  return least;
}

static double radius_of(const cardan_solid *s)
{
  return s->kind == CARDAN_SHAPE_SPHERE || s->kind == CARDAN_SHAPE_CAPSULE ? s->size[0] : 0;
}

// Points, spheres, capsules, boxes: while the cores are apart the gap is their distance less the
// radii. 1e-14: ten roundings of coordinates up to 4
static void round_gaps(void **state)
{
  (void)state;
  static const cardan_shape_kind kinds[][2] = {
      {CARDAN_SHAPE_POINT, CARDAN_SHAPE_SPHERE},   {CARDAN_SHAPE_POINT, CARDAN_SHAPE_CAPSULE},
      {CARDAN_SHAPE_SPHERE, CARDAN_SHAPE_SPHERE},  {CARDAN_SHAPE_SPHERE, CARDAN_SHAPE_CAPSULE},
      {CARDAN_SHAPE_SPHERE, CARDAN_SHAPE_BOX},     {CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_BOX},
      {CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_CAPSULE}};
  support_rng rng = {11};
  int met = 0;
  for (int trial = 0; trial < 14000; trial++) {
    touch_scene scene = touch_random(&rng, kinds[trial % 7][0], kinds[trial % 7][1], 1);
    touch_wire(&scene);
    const polyhedron a = polyhedron_of(&scene, 0), b = polyhedron_of(&scene, 1);
    const double r = radius_of(&scene.solid[0]) + radius_of(&scene.solid[1]);
    const double d = distance(&a, &b), gap = cardan__pair_gap(&scene.model, 0, scene.X_W, NULL);
    if (d > 0) {
      assert_near(gap, d - r, 1e-14);
    } else {
      met++;
      assert_true(gap <= -r + 1e-14);
    }
  }
  assert_in_range(met, 100, 7000);
}

// Two boxes: the gap is positive exactly when they are apart, never above the distance, and equal
// to it in half of the cases (a corner is over a face, or two edges cross)
static void box_gaps(void **state)
{
  (void)state;
  support_rng rng = {12};
  int overlaps = 0, equal = 0, n = 4000;
  for (int trial = 0; trial < n; trial++) {
    touch_scene scene = touch_random(&rng, CARDAN_SHAPE_BOX, CARDAN_SHAPE_BOX, 0.9);
    touch_wire(&scene);
    const polyhedron a = polyhedron_of(&scene, 0), b = polyhedron_of(&scene, 1);
    const double d = distance(&a, &b), gap = cardan__pair_gap(&scene.model, 0, scene.X_W, NULL);
    overlaps += d == 0;
    equal += d > 0 && fabs(gap - d) < 1e-13;
    assert_true((gap > 0) == (d > 0));
    assert_true(gap <= d + 1e-14);
  }
  assert_in_range(overlaps, n / 10, n / 2);
  assert_in_range(equal, (n - overlaps) / 3, n - overlaps);
}

/* A point of the surface of a solid, in its coordinates. */
static cardan_vec3 surface(support_rng *rng, const cardan_solid *s)
{
  double u[3];
  support_random_vec(rng, u, 3, 1);
  const double size = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), flat = hypot(u[0], u[1]);
  if (s->kind == CARDAN_SHAPE_ELLIPSOID) {
    return cardan__vec3(s->size[0] * u[0] / size, s->size[1] * u[1] / size,
                        s->size[2] * u[2] / size);
  }
  return cardan__vec3(s->size[0] * u[0] / flat, s->size[0] * u[1] / flat,
                      u[2] < 0 ? -0.5 * s->size[1] : 0.5 * s->size[1]);
}

// Ellipsoids and cylinders over a plane: no point of the surface is below the gap, and of 20000 one
// is near it (a patch of 1e-3 of the surface has depth 1e-3 of the size)
static void smooth_over_plane(void **state)
{
  (void)state;
  support_rng rng = {13};
  for (int trial = 0; trial < 20; trial++) {
    const cardan_shape_kind kind = trial % 2 ? CARDAN_SHAPE_ELLIPSOID : CARDAN_SHAPE_CYLINDER;
    touch_scene scene = touch_random(&rng, kind, CARDAN_SHAPE_PLANE, 1);
    double least = HUGE_VAL;
    touch_wire(&scene);
    const double gap = cardan__pair_gap(&scene.model, 0, scene.X_W, NULL);
    const cardan_xform X = cardan__xform_mul(&scene.X_W[1], &scene.solid[0].X_BS);
    const cardan_xform P = cardan__xform_mul(&scene.X_W[2], &scene.solid[1].X_BS);
    for (int i = 0; i < 20000; i++) {
      const cardan_vec3 x = cardan__xform_point(&X, surface(&rng, &scene.solid[0]));
      least = fmin(least, cardan__xform_inv_point(&P, x).z);
    }
    assert_true(least >= gap - 1e-14);
    assert_true(least <= gap + 1e-2);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_gaps),
      cmocka_unit_test(box_gaps),
      cmocka_unit_test(smooth_over_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
