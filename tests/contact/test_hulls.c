// SPDX-License-Identifier: Apache-2.0
// Pairs of hulls, cylinders and ellipsoids, with one another and with all else.
#include <float.h>
#include <math.h>
#include <string.h>

#include "touch_fixture.h"

enum { MOST = 64 };

static const double half_turn = 3.14159265358979323846;

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

// d gap / dt = n . (v_A - v_B), of pairs and spots, near touch: differences of step h = 1e-7 leave
// eps / h = 2e-9 of rounding, and h^2 / 6 of speeds to 3, cubed, over the square of roundings of
// 1e-3
static void rates(void **state)
{
  (void)state;
  support_rng rng = {1};
  int looked = 0;
  for (int trial = 0; trial < 1680; trial++) {
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
      const double rate =
          (touch_gap_after(&s, one, twist, h) - touch_gap_after(&s, one, twist, -h)) / (2 * h);
      assert_near(rate, touch_rate(&at, twist), 2e-7);
      looked++;
    }
    cardan__arena_free(&arena);
  }
  assert_true(looked > 3500);
}

// at touch: one of the spots has the gap of the pair, none is below it, their ids differ
static void spots_have_the_gap(void **state)
{
  (void)state;
  support_rng rng = {2};
  for (int trial = 0; trial < 1680; trial++) {
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
  for (int trial = 0; trial < 840; trial++) {
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

/* The 8 corners of a box, as points of a hull. */
static void cube_points(const double size[3], cardan_vec3 point[8])
{
  for (int i = 0; i < 8; i++) {
    point[i] = cardan__vec3((i & 1 ? 0.5 : -0.5) * size[0], (i & 2 ? 0.5 : -0.5) * size[1],
                            (i & 4 ? 0.5 : -0.5) * size[2]);
  }
}

/* A box whose lowest corner is over the face of another: both as boxes, or one or both as hulls. */
static touch_scene corner_on_face(support_rng *rng, bool first, bool second, cardan__arena *arena)
{
  touch_scene s = touch_random(rng, CARDAN_SHAPE_BOX, CARDAN_SHAPE_BOX, 0);
  cardan_vec3 point[8];
  s.solid[1].size[0] = s.solid[1].size[1] = 5;
  s.X_W[2] = s.solid[1].X_BS = cardan__xform_identity();
  s.X_W[1].p = cardan__vec3(0.3, -0.2, 3);
  for (int i = 0; i < 2; i++) {
    if (i == 0 ? first : second) {
      cube_points(s.solid[i].size, point);
      touch_give_hull(&s, i, point, 8, arena);
    }
  }
  touch_wire(&s);
  return s;
}

// a hull of a box's corners is the box where faces touch: the same gap and normal over a face, up
// to what rounding takes off a corner that stands on it, r (1 / |n|_1 - 1 of its three faces)
static void cube_is_a_box(void **state)
{
  (void)state;
  for (int trial = 0; trial < 200; trial++) {
    cardan__touch at[4];
    for (int k = 0; k < 4; k++) {
      support_rng rng = {100 + (uint64_t)trial};
      cardan__arena arena;
      cardan__arena_init(&arena, NULL);
      touch_scene s = corner_on_face(&rng, k & 1, k & 2, &arena);
      touch_wire(&s);
      cardan__pair_gap(&s.model, 0, s.X_W, &at[k]);
      // the direction down in the upper solid's axes: its corner's three faces have these sines
      const cardan_xform X = cardan__xform_mul(&s.X_W[1], &s.solid[0].X_BS);
      const cardan_vec3 d = cardan__mat3_row(&X.R, 2);
      const double off = k & 1 ? s.solid[0].round * (fabs(d.x) + fabs(d.y) + fabs(d.z) - 1) : 0;
      assert_near(at[k].gap - off, at[0].gap, 1e-14);
      assert_near(at[k].n.z, 1, 1e-14);
      cardan__arena_free(&arena);
    }
  }
}

/* Solid i centred in its body, with these sizes; a hull is that of a box. */
static void put(touch_scene *s, int i, cardan_shape_kind kind, const double size[3],
                cardan__arena *arena)
{
  cardan_vec3 point[8];
  s->X_W[0] = s->X_W[i + 1] = cardan__xform_identity();
  s->solid[i] = (cardan_solid){.kind = kind, .X_BS = cardan__xform_identity()};
  memcpy(s->solid[i].size, size, 3 * sizeof *size);
  s->solid[i].radius = touch_radius(&s->solid[i]);
  if (kind == CARDAN_SHAPE_HULL) {
    cube_points(size, point);
    touch_give_hull(s, i, point, 8, arena);
  }
  touch_wire(s);
}

/* Spots of what lies flat on the top of B, at z = 0: their gaps are all the same, their normals up;
 * out: the box around their places. */
static int lies_flat(const touch_scene *s, double gap, double low[2], double high[2])
{
  cardan__spot spot[MOST];
  cardan__touch at;
  const int n = cardan__pair_spots(&s->model, 0, s->X_W, 1e-6, spot, MOST);
  low[0] = low[1] = HUGE_VAL;
  high[0] = high[1] = -HUGE_VAL;
  for (int i = 0; i < n; i++) {
    cardan__spot_look(&s->model, &spot[i], s->X_W, &at);
    assert_near(at.gap, gap, 1e-15);
    assert_near(at.n.z, 1, 1e-15);
    assert_near(at.x.z, gap, 1e-15);
    low[0] = fmin(low[0], at.x.x);
    low[1] = fmin(low[1], at.x.y);
    high[0] = fmax(high[0], at.x.x);
    high[1] = fmax(high[1], at.x.y);
  }
  return n;
}

// what lies on a hull or a box has the corners of the overlap as spots: of a core, at x = +- that
static void lying(void **state)
{
  (void)state;
  static const struct {
    cardan_shape_kind kind;
    double size[3], turn; // about y
    double height, reach; // of its middle over B, of its spots along x
    int n;
  } cases[] = {
      {CARDAN_SHAPE_HULL, {0.4, 0.3, 0.2}, 0, 0.1, 0.198, 4},
      {CARDAN_SHAPE_BOX, {0.4, 0.3, 0.2}, 0, 0.1, 0.2, 4},
      {CARDAN_SHAPE_CYLINDER, {0.2, 0.5, 0}, 0, 0.25, 0.2, 8},
      {CARDAN_SHAPE_CYLINDER, {0.2, 0.5, 0}, 1.5707963267948966, 0.2, 0.25, 2},
      {CARDAN_SHAPE_CAPSULE, {0.2, 0.5, 0}, 1.5707963267948966, 0.2, 0.25, 2},
      {CARDAN_SHAPE_SPHERE, {0.2, 0, 0}, 0, 0.2, 0, 1},
      {CARDAN_SHAPE_ELLIPSOID, {0.2, 0.3, 0.1}, 0, 0.1, 0, 1},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (int k = 0; k < 3; k++) {
      // on a large hull, on a long narrow one that does not reach to its ends, turned over
      cardan__arena arena;
      touch_scene s = {0};
      double low[2], high[2];
      const double wide = k == 1 ? 0.2 : 4, gap = 1e-9;
      cardan__arena_init(&arena, NULL);
      put(&s, 0, cases[c].kind, cases[c].size, &arena);
      put(&s, 1, CARDAN_SHAPE_HULL, (const double[]){wide, 4, 1}, &arena);
      s.X_W[1].R = cardan_so3_exp(cardan__vec3(0, cases[c].turn + (k == 2 ? half_turn : 0), 0));
      s.X_W[1].p.z = cases[c].height + gap;
      s.X_W[2].p.z = -0.5;
      const int n = lies_flat(&s, gap, low, high);
      const double reach = fmin(cases[c].reach, 0.5 * wide - s.solid[1].round);
      assert_near(high[0], reach, 1e-12);
      assert_near(low[0], -reach, 1e-12);
      assert_true(k == 1 ? n >= (cases[c].n > 1 ? 2 : 1) : n == cases[c].n);
      cardan__arena_free(&arena);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates),  cmocka_unit_test(spots_have_the_gap),
      cmocka_unit_test(turned), cmocka_unit_test(cube_is_a_box),
      cmocka_unit_test(lying),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
