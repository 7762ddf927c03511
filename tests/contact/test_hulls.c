// SPDX-License-Identifier: Apache-2.0
// Pairs of hulls, cylinders and ellipsoids, with one another and with all else.
#include <float.h>
#include <math.h>
#include <string.h>

#include "touch_fixture.h"

enum { MOST = 64 };

static const cardan_shape_kind KINDS[] = {
    CARDAN_SHAPE_POINT,     CARDAN_SHAPE_SPHERE,   CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_BOX,
    CARDAN_SHAPE_ELLIPSOID, CARDAN_SHAPE_CYLINDER, CARDAN_SHAPE_HULL};

/* A pair of which one is an ellipsoid, cylinder or hull; in every other trial the other way. */
static touch_scene trial_scene(support_rng *rng, int trial, cardan__arena *arena)
{
  const int a = 4 + trial % 3, b = trial / 3 % 7, turned = trial / 21 % 2;
  touch_scene s = touch_random(rng, KINDS[turned ? b : a], KINDS[turned ? a : b], 0.9);
  for (int i = 0; i < 2; i++) {
    if (s.solid[i].kind == CARDAN_SHAPE_HULL) {
      touch_random_hull(&s, i, support_random_int(rng, 4, 60), rng, arena);
    }
  }
  touch_wire(&s);
  return s;
}

/* Shifts body 1 until the gap is this. */
static void bring(touch_scene *s, double gap)
{
  cardan__touch at;
  for (int i = 0; i < 60; i++) {
    cardan__pair_gap(&s->model, 0, s->X_W, &at);
    s->X_W[1].p = cardan__vec3_axpy(gap - at.gap, at.n, s->X_W[1].p);
  }
}

static double moved_gap(const touch_scene *scene, const cardan__spot *spot,
                        const cardan_vec3 twist[4], double h)
{
  touch_scene s = *scene;
  cardan__touch at;
  touch_wire(&s);
  touch_move(&s, 1, twist[0], twist[1], h);
  touch_move(&s, 2, twist[2], twist[3], h);
  if (!spot) {
    return cardan__pair_gap(&s.model, 0, s.X_W, NULL);
  }
  cardan__spot_look(&s.model, spot, s.X_W, &at);
  return at.gap;
}

// d gap / dt = n . (v_A - v_B), of pairs and spots, near touch: differences of step h = 1e-7 leave
// eps / h = 2e-9 of rounding, h^2 times third derivatives, and h / 2 times a jump of the curvature
static void rates(void **state)
{
  (void)state;
  support_rng rng = {1};
  int looked = 0;
  for (int trial = 0; trial < 4200; trial++) {
    cardan__arena arena;
    cardan__spot spot[MOST];
    cardan_vec3 twist[4];
    cardan__touch at;
    const double h = 1e-7;
    cardan__arena_init(&arena, NULL);
    touch_scene s = trial_scene(&rng, trial, &arena);
    touch_wire(&s);
    bring(&s, support_random_in(&rng, -1e-4, 0.05));
    support_random_vec(&rng, &twist[0].x, 12, 1);
    const int n = cardan__pair_spots(&s.model, 0, s.X_W, 0.1, spot, MOST);
    assert_in_range(n, 1, cardan__pair_most(&s.model, 0));
    for (int i = -1; i < n; i++) {
      const cardan__spot *one = i < 0 ? NULL : &spot[i];
      if (one) {
        cardan__spot_look(&s.model, one, s.X_W, &at);
      } else {
        cardan__pair_gap(&s.model, 0, s.X_W, &at);
      }
      assert_near(cardan__vec3_norm(at.n), 1, 1e-14);
      const double rate = (moved_gap(&s, one, twist, h) - moved_gap(&s, one, twist, -h)) / (2 * h);
      assert_near(rate, touch_rate(&at, twist), 2e-8);
      looked++;
    }
    cardan__arena_free(&arena);
  }
  assert_true(looked > 9000);
}

// at touch: one of the spots has the gap of the pair, none is below it, their ids differ
static void spots_have_the_gap(void **state)
{
  (void)state;
  support_rng rng = {2};
  for (int trial = 0; trial < 4200; trial++) {
    cardan__arena arena;
    cardan__spot spot[MOST];
    cardan__touch at;
    cardan__arena_init(&arena, NULL);
    touch_scene s = trial_scene(&rng, trial, &arena);
    touch_wire(&s);
    const double gap = 1e-8 * support_random_int(&rng, -1, 1);
    bring(&s, gap);
    assert_near(cardan__pair_gap(&s.model, 0, s.X_W, NULL), gap, 4e-15);
    const int n = cardan__pair_spots(&s.model, 0, s.X_W, 1e-3, spot, MOST);
    double least = HUGE_VAL;
    assert_in_range(n, 1, cardan__pair_most(&s.model, 0));
    for (int i = 0; i < n; i++) {
      cardan__spot_look(&s.model, &spot[i], s.X_W, &at);
      assert_true(at.gap <= 1e-3 + 1e-14);
      least = fmin(least, at.gap);
      assert_true(i == 0 || spot[i].id > spot[i - 1].id);
    }
    assert_near(least, gap, 2e-9);
    assert_true(least >= gap - 1e-14);
    assert_int_equal(cardan__pair_spots(&s.model, 0, s.X_W, 1e-3, spot, n - 1), -1);
    assert_int_equal(cardan__pair_spots(&s.model, 0, s.X_W, gap - 2e-7, spot, MOST), 0);
    cardan__arena_free(&arena);
  }
}

// A and B exchanged: the same gap, the normal the other way, the point on the other surface
static void turned(void **state)
{
  (void)state;
  support_rng rng = {3};
  for (int trial = 0; trial < 2000; trial++) {
    cardan__arena arena;
    cardan__touch a, b;
    cardan__arena_init(&arena, NULL);
    touch_scene s = trial_scene(&rng, trial, &arena);
    touch_wire(&s);
    bring(&s, 0.01);
    touch_scene other = s;
    for (int i = 0; i < 2; i++) {
      other.solid[i] = s.solid[1 - i];
      other.hull[2 * i] = s.hull[2 - 2 * i];
      other.hull[2 * i + 1] = s.hull[3 - 2 * i];
      other.X_W[1 + i] = s.X_W[2 - i];
    }
    touch_wire(&other);
    cardan__pair_gap(&s.model, 0, s.X_W, &a);
    cardan__pair_gap(&other.model, 0, other.X_W, &b);
    assert_near(a.gap, b.gap, 1e-14);
    assert_near(cardan__vec3_norm(cardan__vec3_add(a.n, b.n)), 0, 1e-12);
    cardan__arena_free(&arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates),
      cmocka_unit_test(spots_have_the_gap),
      cmocka_unit_test(turned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
