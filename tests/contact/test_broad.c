// SPDX-License-Identifier: Apache-2.0
// Which pairs may meet: what is found is what looking at every pair finds, and nothing that touches
// is missing.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/broad.h"
#include "touch_fixture.h"

typedef struct {
  cardan_model model;
  cardan_xform *X_W;
  double *reach;
  int *found;
  cardan__broad broad;
  cardan__arena arena;
} scene;

/* n random solids on a body each, the last of them planes; some pairs left out. */
static void make_scene(scene *s, support_rng *rng, int n, int planes, double spread)
{
  static const cardan_shape_kind KINDS[] = {CARDAN_SHAPE_SPHERE,  CARDAN_SHAPE_BOX,
                                            CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_CYLINDER,
                                            CARDAN_SHAPE_POINT,   CARDAN_SHAPE_ELLIPSOID};
  cardan_model *m = &s->model;
  *s = (scene){.model = {.nbody = n + 1, .nsolid = n}};
  cardan__arena_init(&s->arena, NULL);
  m->solid = cardan__arena_take(&s->arena, (size_t)n, sizeof *m->solid);
  m->pair = cardan__arena_take(&s->arena, (size_t)n * (size_t)n, sizeof *m->pair);
  s->X_W = cardan__arena_take(&s->arena, (size_t)n + 1, sizeof *s->X_W);
  s->reach = cardan__arena_take(&s->arena, (size_t)n + 1, sizeof *s->reach);
  for (int i = 0; i < n; i++) {
    const bool plane = i >= n - planes;
    m->solid[i] = touch_solid(rng, plane ? CARDAN_SHAPE_PLANE : KINDS[i % 6]);
    m->solid[i].body = i + 1;
    m->solid[i].hull = -1;
    s->X_W[i + 1] = touch_pose(rng, spread);
    s->reach[i + 1] = support_random_in(rng, 0, 0.1);
  }
  for (int i = 0; i < n - planes; i++) {
    for (int j = i + 1; j < n; j++) {
      if (support_random_int(rng, 0, 9) > 0) {
        m->pair[m->npair++] = (cardan_pair){.solid = {i, j}};
      }
    }
  }
  s->found = cardan__arena_take(&s->arena, (size_t)m->npair, sizeof *s->found);
  cardan__carver carver = {0};
  cardan__broad_carve(&s->broad, m, &carver);
  carver = cardan__carver_over(cardan__arena_take(&s->arena, cardan__carver_size(&carver), 1));
  cardan__broad_carve(&s->broad, m, &carver);
  cardan__broad_init(&s->broad, m);
}

static bool is_sharp(const cardan_solid *solid)
{
  return solid->kind == CARDAN_SHAPE_BOX || solid->kind == CARDAN_SHAPE_POINT;
}

/* What was found rises, and has every pair whose gap is within the reach of both. */
static void holds_all(const scene *s, int n)
{
  int at = 0;
  for (int p = 0; p < s->model.npair; p++) {
    const bool there = at < n && s->found[at] == p;
    const int *solid = s->model.pair[p].solid;
    at += there;
    if (!there) {
      const double gap = cardan__pair_gap(&s->model, p, s->X_W, NULL);
      // that of a box with a box or a point is a separation, less than the distance
      const double least = s->reach[solid[0] + 1] + s->reach[solid[1] + 1];
      const bool sharp = is_sharp(&s->model.solid[solid[0]]) && is_sharp(&s->model.solid[solid[1]]);
      assert_true(sharp ? gap > 0 : gap >= least - 1e-12);
    }
  }
  assert_int_equal(at, n);
}

// searching and looking at every pair give the same, over poses that follow one another; what is
// left out is apart; the order of before does not matter
static void same_by_both_ways(void **state)
{
  (void)state;
  support_rng rng = {1};
  for (int trial = 0; trial < 30; trial++) {
    scene s;
    int *other;
    make_scene(&s, &rng, 20 + 2 * trial, trial % 3, trial % 2 ? 2 : 4);
    other = cardan__arena_take(&s.arena, (size_t)s.model.npair, sizeof *other);
    for (int step = 0; step < 10; step++) {
      s.broad.sweep = true;
      const int n =
          cardan__near_pairs(&s.broad, &s.model, s.X_W, s.reach, 0, s.found, s.model.npair);
      s.broad.sweep = false;
      const int all =
          cardan__near_pairs(&s.broad, &s.model, s.X_W, s.reach, 0, other, s.model.npair);
      assert_int_equal(n, all);
      assert_memory_equal(s.found, other, (size_t)n * sizeof *other);
      holds_all(&s, n);
      assert_true(n > 0 && n < s.model.npair);
      // as many as requested, and the number that there is
      memset(other, -1, (size_t)n * sizeof *other);
      assert_int_equal(cardan__near_pairs(&s.broad, &s.model, s.X_W, s.reach, 0, other, n / 2), n);
      assert_memory_equal(s.found, other, (size_t)(n / 2) * sizeof *other);
      assert_int_equal(other[n - 1], -1);
      for (int i = 1; i <= s.model.nsolid; i++) {
        const cardan_xform move = touch_pose(&rng, 0.1);
        s.X_W[i].p = cardan__vec3_add(s.X_W[i].p, move.p);
      }
    }
    cardan__arena_free(&s.arena);
  }
}

// equal keys: a grid of equal balls, all of whose boxes begin together in rows
static void ties(void **state)
{
  (void)state;
  support_rng rng = {2};
  scene s;
  make_scene(&s, &rng, 125, 0, 1);
  for (int i = 0; i < 125; i++) {
    s.model.solid[i] = (cardan_solid){.kind = CARDAN_SHAPE_SPHERE,
                                      .X_BS = cardan__xform_identity(),
                                      .body = i + 1,
                                      .size = {0.5},
                                      .radius = 0.5,
                                      .hull = -1};
    s.X_W[i + 1] = cardan__xform_identity();
    s.X_W[i + 1].p = cardan__vec3(i % 5, i / 5 % 5, i / 25); // NOLINT(bugprone-integer-division)
    s.reach[i + 1] = 0;
  }
  cardan__broad_init(&s.broad, &s.model);
  assert_true(s.broad.sweep);
  const int n = cardan__near_pairs(&s.broad, &s.model, s.X_W, s.reach, 0, s.found, s.model.npair);
  // neighbours along the axes touch; their balls, not only boxes, must
  int touching = 0;
  for (int p = 0; p < s.model.npair; p++) {
    const int *solid = s.model.pair[p].solid;
    const cardan_vec3 d = cardan__vec3_sub(s.X_W[solid[0] + 1].p, s.X_W[solid[1] + 1].p);
    touching += cardan__vec3_norm(d) == 1;
  }
  assert_int_equal(n, touching);
  holds_all(&s, n);
  cardan__arena_free(&s.arena);
}

// 1000 solids in half a million pairs: no allocation
static void many(void **state)
{
  (void)state;
  support_rng rng = {3};
  scene s;
  make_scene(&s, &rng, 1000, 1, 12);
  const long before = support_alloc_count();
  const int n = cardan__near_pairs(&s.broad, &s.model, s.X_W, s.reach, 0, s.found, s.model.npair);
  assert_int_equal(support_alloc_count(), before);
  assert_true(s.model.npair > 400000 && n < 30000);
  holds_all(&s, n);
  cardan__arena_free(&s.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_by_both_ways),
      cmocka_unit_test(ties),
      cmocka_unit_test(many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
