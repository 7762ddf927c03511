// SPDX-License-Identifier: Apache-2.0
// Height fields against other ways to the same numbers: the prisms under their triangles as hulls,
// planes, finite differences.
#include <math.h>

#include "contact/field.h"
#include "spatial/height_field.h"
#include "spatial/hull.h"
#include "touch_fixture.h"

enum { SIDE = 9 };

/* A field in place of the second solid; f(x, y): heights on a grid of SIDE x SIDE. */
typedef struct {
  touch_scene scene;
  cardan_height_field field;
  cardan__arena arena;
  double size[3];
} field_scene;

static double bumps(double x, double y)
{
  return 0.3 * sin(5 * x) * cos(4 * y) + 0.1 * sin(11 * x + 7 * y);
}

static double flat(double x, double y)
{
  (void)x;
  (void)y;
  return 0.5;
}

static double slope(double x, double y)
{
  return 0.3 * x - 0.2 * y;
}

static double dome(double x, double y)
{
  return -0.4 * (x * x + y * y);
}

static void make_field(field_scene *s, double (*f)(double, double), double wide)
{
  double height[SIDE * SIDE];
  cardan_report report = {.message = ""};
  cardan__arena_init(&s->arena, NULL);
  s->size[0] = s->size[1] = wide;
  s->size[2] = 1;
  for (int k = 0; k < SIDE * SIDE; k++) {
    const int i = k % SIDE, j = k / SIDE;
    height[k] = f(wide * (i / (SIDE - 1.0) - 0.5), wide * (j / (SIDE - 1.0) - 0.5));
  }
  assert_int_equal(cardan__height_field_make(SIDE, SIDE, height, 2, &s->arena, &s->field, &report),
                   CARDAN_OK);
}

/* Random solid A in pose, the field in the world at a random pose. */
static void set_scene(field_scene *s, support_rng *rng, cardan_shape_kind kind, double distance)
{
  s->scene = (touch_scene){.X_W[0] = cardan__xform_identity()};
  s->scene.solid[0] = touch_solid(rng, kind);
  s->scene.X_W[2] = touch_pose(rng, 1);
  s->scene.solid[1] =
      (cardan_solid){.kind = CARDAN_SHAPE_HEIGHT_FIELD, .X_BS = touch_pose(rng, 0.3)};
  // its middle somewhere over the field, or beside it
  const cardan_xform field = cardan__xform_mul(&s->scene.X_W[2], &s->scene.solid[1].X_BS);
  cardan_xform X = touch_pose(rng, 1.2 * s->size[0] / 2);
  X.p.z = support_random_in(rng, -0.3, distance);
  const cardan_xform A = cardan__xform_mul(&field, &X);
  const cardan_xform back = cardan__xform_inverse(&s->scene.solid[0].X_BS);
  s->scene.X_W[1] = cardan__xform_mul(&A, &back);
  if (kind == CARDAN_SHAPE_HULL) {
    touch_random_hull(&s->scene, 0, 12, rng, &s->arena);
  }
}

static void wire(field_scene *s)
{
  touch_wire(&s->scene);
  for (int k = 0; k < 3; k++) {
    s->scene.solid[1].size[k] = s->size[k];
  }
  s->scene.solid[1].radius = 10;
  s->scene.solid[1].field = 0;
  s->scene.model.field = &s->field;
  s->scene.model.nfield = 1;
}

/* The least gap of A and the prism under each triangle. */
static double by_prisms(const field_scene *from)
{
  static const double round = 1e-4; // edges of the prisms: gaps are larger by about as much
  double least = HUGE_VAL;
  const cardan__terrain t = cardan__terrain_of(&from->field, from->size);
  for (int n = 0; n < 2 * (SIDE - 1) * (SIDE - 1); n++) {
    field_scene s = *from;
    cardan__facet f;
    cardan_vec3 p[6];
    cardan__arena arena;
    cardan_report report;
    cardan__arena_init(&arena, NULL);
    cardan__facet_at(&t, n, &f);
    for (int k = 0; k < 3; k++) {
      p[k] = p[k + 3] = f.v[k];
      p[k + 3].z = t.bottom;
    }
    s.scene.solid[1].kind = CARDAN_SHAPE_HULL;
    s.scene.solid[1].round = round;
    assert_int_equal(cardan__hull_make(p, 6, 1e-12, &arena, &s.scene.hull[2], &report), CARDAN_OK);
    assert_int_equal(cardan__hull_core(&s.scene.hull[2], round, &arena, &s.scene.hull[3], &report),
                     CARDAN_OK);
    touch_wire(&s.scene);
    least = fmin(least, cardan__pair_gap(&s.scene.model, 0, s.scene.X_W, NULL));
    cardan__arena_free(&arena);
  }
  return least;
}

static const cardan_shape_kind KINDS[] = {
    CARDAN_SHAPE_SPHERE,    CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_BOX,  CARDAN_SHAPE_CYLINDER,
    CARDAN_SHAPE_ELLIPSOID, CARDAN_SHAPE_HULL,    CARDAN_SHAPE_POINT};
enum { NKIND = sizeof KINDS / sizeof *KINDS };

// Solids above a surface with hills and valleys: the distance is that of the nearest prism. 0.03:
// edges of boxes and cylinders are rounded by 1 % of their smallest extent, up to 0.012, towards
// edges of the field, and those of hulls twice
static void gaps_are_those_of_prisms(void **state)
{
  (void)state;
  support_rng rng = {5};
  int apart = 0, inside = 0;
  for (int trial = 0; trial < 40 * NKIND; trial++) {
    field_scene s;
    make_field(&s, bumps, 3);
    set_scene(&s, &rng, KINDS[trial % NKIND], 1.5);
    wire(&s);
    const double want = by_prisms(&s);
    const double gap = cardan__pair_gap(&s.scene.model, 0, s.scene.X_W, NULL);
    if (want > 0.03) {
      // corners and rims have the largest separation by a plane
      const cardan_shape_kind kind = KINDS[trial % NKIND];
      const bool corners =
          kind == CARDAN_SHAPE_BOX || kind == CARDAN_SHAPE_POINT || kind == CARDAN_SHAPE_CYLINDER;
      assert_near(gap, corners ? fmin(gap, want) : want, 0.03);
      assert_true(gap > 0);
      apart++;
    } else if (want < -0.03) {
      assert_true(gap < 0);
      inside++;
    }
    cardan__arena_free(&s.arena);
  }
  assert_true(apart > 50 && inside > 30);
}

static double bowl(double x, double y)
{
  return 0.5 * (x * x + y * y);
}

// No jumps: of a ball that moves by d the gap changes by at most d. About the surface, within what
// steps overlap
static void gap_of_a_ball_has_no_jumps(void **state)
{
  (void)state;
  static double (*const shapes[])(double, double) = {bumps, bowl, dome, slope};
  support_rng rng = {9};
  for (int trial = 0; trial < 4000; trial++) {
    field_scene s;
    cardan__touch at;
    make_field(&s, shapes[trial % 4], 3);
    set_scene(&s, &rng, CARDAN_SHAPE_SPHERE, 1.5);
    s.scene.solid[0].size[0] = s.scene.solid[0].radius = support_random_in(&rng, 0.02, 0.3);
    wire(&s);
    // to the surface
    for (int k = 0; k < 5; k++) {
      const double gap = cardan__pair_gap(&s.scene.model, 0, s.scene.X_W, &at);
      s.scene.X_W[1].p = cardan__vec3_axpy(-gap, at.n, s.scene.X_W[1].p);
    }
    s.scene.X_W[1].p =
        cardan__vec3_axpy(support_random_in(&rng, -1e-4, 1e-4), at.n, s.scene.X_W[1].p);
    double way[3], last = cardan__pair_gap(&s.scene.model, 0, s.scene.X_W, NULL);
    support_random_vec(&rng, way, 3, 1);
    const cardan_vec3 d =
        cardan__vec3_scale(1e-3, cardan__vec3_normalize(cardan__vec3(way[0], way[1], way[2])));
    for (int k = 0; k < 50; k++) {
      s.scene.X_W[1].p = cardan__vec3_add(s.scene.X_W[1].p, d);
      const double gap = cardan__pair_gap(&s.scene.model, 0, s.scene.X_W, NULL);
      if (last > -0.01 && gap > -0.01) {
        assert_true(fabs(gap - last) <= 1.000001e-3);
      }
      last = gap;
    }
    cardan__arena_free(&s.arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_those_of_prisms),
                                     cmocka_unit_test(gap_of_a_ball_has_no_jumps)};
  (void)flat;
  (void)slope;
  (void)dome;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
