// SPDX-License-Identifier: Apache-2.0
// Where two solids touch, whatever they are: what every kind of pair promises.
#include <math.h>
#include <string.h>

#include "touch_fixture.h"

enum { MOST = 64 };

static const cardan_shape_kind PAIRS[][2] = {
    {CARDAN_SHAPE_POINT, CARDAN_SHAPE_PLANE},    {CARDAN_SHAPE_SPHERE, CARDAN_SHAPE_PLANE},
    {CARDAN_SHAPE_BOX, CARDAN_SHAPE_PLANE},      {CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_PLANE},
    {CARDAN_SHAPE_CYLINDER, CARDAN_SHAPE_PLANE}, {CARDAN_SHAPE_ELLIPSOID, CARDAN_SHAPE_PLANE},
};
enum { NPAIR = sizeof PAIRS / sizeof PAIRS[0] };

/* The scene of one trial: a random pair of the list, every other one with A and B exchanged. */
static touch_scene trial_scene(support_rng *rng, int trial)
{
  const cardan_shape_kind *kind = PAIRS[trial / 2 % NPAIR];
  const int turned = trial % 2;
  return touch_random(rng, kind[turned], kind[1 - turned], 0.8);
}

/* Gap of the spot, or of the pair when spot is NULL, with both bodies moved by h. */
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

static double slope(const touch_scene *scene, const cardan__spot *spot, const cardan_vec3 twist[4],
                    double h)
{
  return (moved_gap(scene, spot, twist, h) - moved_gap(scene, spot, twist, -h)) / (2 * h);
}

// (T1) by central differences with h = 1e-5: rounding leaves 1e-10 of a gap about 1, and curvature
// h^2 of third derivatives about 1 / size^2 < 100, more where a rim is nearly flat
static void rates(void **state)
{
  (void)state;
  support_rng rng = {1};
  int looked = 0;
  for (int trial = 0; trial < 3000; trial++) {
    touch_scene scene = trial_scene(&rng, trial);
    cardan__spot spot[MOST];
    cardan_vec3 twist[4];
    cardan__touch at;
    touch_wire(&scene);
    support_random_vec(&rng, &twist[0].x, 12, 1);
    const int n = cardan__pair_spots(&scene.model, 0, scene.X_W, HUGE_VAL, spot, MOST);
    assert_in_range(n, 1, cardan__pair_most(&scene.model, 0));
    for (int i = 0; i < n; i++) {
      cardan__spot_look(&scene.model, &spot[i], scene.X_W, &at);
      assert_near(cardan__vec3_norm(at.n), 1, 1e-14);
      assert_near(slope(&scene, &spot[i], twist, 1e-5), touch_rate(&at, twist), 1e-6);
      looked++;
    }
  }
  assert_true(looked > 5000);
}

// no spot is below the pair's gap, and one of them has it: to 1e-14 of numbers up to 4
static void spots_have_the_gap(void **state)
{
  (void)state;
  support_rng rng = {2};
  for (int trial = 0; trial < 3000; trial++) {
    touch_scene scene = trial_scene(&rng, trial);
    cardan__spot spot[MOST];
    cardan__touch at;
    touch_wire(&scene);
    const int n = cardan__pair_spots(&scene.model, 0, scene.X_W, HUGE_VAL, spot, MOST);
    const double gap = cardan__pair_gap(&scene.model, 0, scene.X_W, NULL);
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++) {
      cardan__spot_look(&scene.model, &spot[i], scene.X_W, &at);
      assert_int_equal(spot[i].pair, 0);
      assert_true(i == 0 || spot[i].id > spot[i - 1].id);
      least = fmin(least, at.gap);
    }
    assert_near(least, gap, 1e-14);
    assert_int_equal(cardan__pair_spots(&scene.model, 0, scene.X_W, HUGE_VAL, spot, n - 1), -1);
    assert_int_equal(cardan__pair_spots(&scene.model, 0, scene.X_W, gap - 1e-9, spot, MOST), 0);
    assert_true(cardan__pair_spots(&scene.model, 0, scene.X_W, gap + 1e-9, spot, MOST) >= 1);
  }
}

// A and B exchanged: the same gap, the normal the other way, the point on the other surface
static void turned(void **state)
{
  (void)state;
  support_rng rng = {3};
  for (int trial = 0; trial < 1000; trial++) {
    touch_scene scene = trial_scene(&rng, trial), other = scene;
    cardan__touch a, b;
    other.solid[0] = scene.solid[1];
    other.solid[1] = scene.solid[0];
    other.X_W[1] = scene.X_W[2];
    other.X_W[2] = scene.X_W[1];
    touch_wire(&scene);
    touch_wire(&other);
    cardan__pair_gap(&scene.model, 0, scene.X_W, &a);
    cardan__pair_gap(&other.model, 0, other.X_W, &b);
    assert_near(a.gap, b.gap, 1e-14);
    assert_near(cardan__vec3_norm(cardan__vec3_add(a.n, b.n)), 0, 1e-13);
    const cardan_vec3 x = cardan__vec3_axpy(-a.gap, a.n, a.x);
    assert_near(cardan__vec3_norm(cardan__vec3_sub(x, b.x)), 0, 1e-13);
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
