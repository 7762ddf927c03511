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
    {CARDAN_SHAPE_POINT, CARDAN_SHAPE_SPHERE},   {CARDAN_SHAPE_POINT, CARDAN_SHAPE_CAPSULE},
    {CARDAN_SHAPE_POINT, CARDAN_SHAPE_BOX},      {CARDAN_SHAPE_SPHERE, CARDAN_SHAPE_SPHERE},
    {CARDAN_SHAPE_SPHERE, CARDAN_SHAPE_CAPSULE}, {CARDAN_SHAPE_SPHERE, CARDAN_SHAPE_BOX},
    {CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_BOX},    {CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_CAPSULE},
    {CARDAN_SHAPE_BOX, CARDAN_SHAPE_BOX},
};
enum { NPAIR = sizeof PAIRS / sizeof PAIRS[0] };

/* The scene of one trial: a random pair of the list, every other one with A and B exchanged. */
static touch_scene trial_scene(support_rng *rng, int trial)
{
  const cardan_shape_kind *kind = PAIRS[trial / 2 % NPAIR];
  const int turned = trial % 2;
  return touch_random(rng, kind[turned], kind[1 - turned], 0.8);
}

/* (T1) by central differences of step h = 1e-6: rounding leaves 5e-10 of gaps about 1, curvature
 * h^2 of third derivatives, which are 1 / size^2 and more where a rim is nearly flat. A ball at the
 * end of where a capsule lies over a face stands over the edge, where the curvature jumps, by up to
 * 1 / distance of its centre: h / 4 of that. Where the two halves differ there is a kink (of a ball
 * whose centre is in the box).
 * returns whether it was looked at */
static bool rate_is_right(const touch_scene *scene, const cardan__spot *spot,
                          const cardan_vec3 twist[4], const cardan__touch *at)
{
  const double h = 1e-6, up = touch_gap_after(scene, spot, twist, h) - at->gap;
  const double down = at->gap - touch_gap_after(scene, spot, twist, -h);
  const bool ball = spot && spot->kind == CARDAN__SPOT_BALL;
  const double jump = ball ? h * 9 / fabs(at->gap + spot->radius) : 0; // speeds to 3, squared
  if (fabs(up - down) > 1e-3 * h || jump > 1e-3) {
    return false;
  }
  assert_near((up + down) / (2 * h), touch_rate(at, twist), 2e-8 + jump);
  return true;
}

static void rates(void **state)
{
  (void)state;
  support_rng rng = {1};
  int looked = 0, kinks = 0;
  for (int trial = 0; trial < 6000; trial++) {
    touch_scene scene = trial_scene(&rng, trial);
    cardan__spot spot[MOST];
    cardan_vec3 twist[4];
    cardan__touch at;
    touch_wire(&scene);
    support_random_vec(&rng, &twist[0].x, 12, 1);
    cardan__pair_gap(&scene.model, 0, scene.X_W, &at);
    kinks += !rate_is_right(&scene, NULL, twist, &at);
    const int n = cardan__pair_spots(&scene.model, 0, scene.X_W, HUGE_VAL, spot, MOST);
    assert_in_range(n, 0, cardan__pair_most(&scene.model, 0));
    for (int i = 0; i < n; i++) {
      cardan__spot_look(&scene.model, &spot[i], scene.X_W, &at);
      assert_near(cardan__vec3_norm(at.n), 1, 1e-14);
      kinks += !rate_is_right(&scene, &spot[i], twist, &at);
      looked++;
    }
  }
  assert_true(looked > 8000);
  assert_in_range(kinks, 0, looked / 100);
}

/* Shifts body 1 until the gap is this. Along one axis the separation of boxes comes at once;
 * another may be larger then. */
static void bring(touch_scene *scene, double gap)
{
  cardan__touch at;
  for (int i = 0; i < 60; i++) {
    cardan__pair_gap(&scene->model, 0, scene->X_W, &at);
    scene->X_W[1].p = cardan__vec3_axpy(gap - at.gap, at.n, scene->X_W[1].p);
  }
  assert_near(cardan__pair_gap(&scene->model, 0, scene->X_W, NULL), gap, 1e-14);
}

// At touch, and 1e-8 on either side of it: one of the spots has the gap of the pair, and none is
// below it, to rounding (numbers up to 4), or to the preference of one axis of boxes over another;
// ids differ; what is looked at is what was made; margin and most are kept
static void spots_have_the_gap(void **state)
{
  (void)state;
  support_rng rng = {2};
  for (int trial = 0; trial < 3000; trial++) {
    touch_scene scene = trial_scene(&rng, trial);
    const bool boxes =
        scene.solid[0].kind == CARDAN_SHAPE_BOX && scene.solid[1].kind == CARDAN_SHAPE_BOX;
    const double gap = 1e-8 * support_random_int(&rng, -1, 1);
    cardan__spot spot[MOST];
    cardan__touch at;
    touch_wire(&scene);
    bring(&scene, gap);
    const int n = cardan__pair_spots(&scene.model, 0, scene.X_W, 1e-3, spot, MOST);
    double least = HUGE_VAL;
    assert_in_range(n, 1, cardan__pair_most(&scene.model, 0));
    for (int i = 0; i < n; i++) {
      cardan__spot_look(&scene.model, &spot[i], scene.X_W, &at);
      assert_int_equal(spot[i].pair, 0);
      assert_true(at.gap <= 1e-3 + 1e-14);
      least = fmin(least, at.gap);
      for (int j = 0; j < i; j++) {
        assert_int_not_equal(spot[i].id, spot[j].id);
      }
    }
    assert_near(least, gap, boxes ? 1e-7 : 4e-15);
    assert_int_equal(cardan__pair_spots(&scene.model, 0, scene.X_W, 1e-3, spot, n - 1), -1);
    assert_int_equal(cardan__pair_spots(&scene.model, 0, scene.X_W, gap - 2e-7, spot, MOST), 0);
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
