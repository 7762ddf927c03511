// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "contact/between.h"
#include "fixture.h"
#include "spatial/spatial.h"

/* Gaps between nodes: parabolas that turn round, solids that pass through others. */

// a parabola is given back as it is, over steps of any lengths
static void valley_of_a_parabola(void **state)
{
  (void)state;
  support_rng rng = {1};
  for (int trial = 0; trial < 1000; trial++) {
    const double s0 = support_random_in(&rng, 0.05, 0.95), low = support_random_in(&rng, -1, 1);
    const double c = support_random_in(&rng, 0.1, 5), h = 1,
                 before = support_random_in(&rng, 0.1, 3);
    const double last = low + c * (before + s0) * (before + s0), gap = low + c * s0 * s0;
    const double next = low + c * (h - s0) * (h - s0);
    double least;
    const double rate = cardan__gap_rate(before, last, gap, h, next);
    assert_near(rate, -2 * c * s0, 1e-12);
    assert_near(cardan__gap_valley(gap, rate, h, next, &least), s0, 1e-12);
    assert_near(least, low, 1e-12);
  }
}

static void no_valley(void **state)
{
  (void)state;
  double least;
  assert_true(cardan__gap_valley(1, -0.5, 1, 0.5, &least) == 0); // straight
  assert_true(cardan__gap_valley(1, 0.5, 1, 2, &least) == 0 && least == 1);
  assert_true(cardan__gap_valley(1, -3, 1, 0.1, &least) > 0);
  assert_true(cardan__gap_valley(1, -1, 1, 0.1, &least) == 0); // still falls at the end
  assert_true(least == 0.1);
  assert_true(cardan__gap_valley(1, 1, 1, 0.2, &least) == 0); // rises first
}

/* A free ball of radius 0.01 and a plate of thickness 0.02 across x, one behind the other. */
typedef struct {
  fixture f;
  cardan_data *end;
  cardan_solid solid[3];
  cardan_pair pair[2];
  double width[3];
  int list[2];
} shot;

static void aim(shot *s)
{
  const cardan_xform turn = cardan__xform_identity();
  *s = (shot){.f = fixture_load("(system (joint free \"ball\" (mass 1 1 1 1)))")};
  s->solid[0] = (cardan_solid){.body = 1,
                               .kind = CARDAN_SHAPE_SPHERE,
                               .X_BS = turn,
                               .size = {0.01},
                               .radius = 0.01,
                               .hull = -1};
  s->solid[1] = (cardan_solid){
      .kind = CARDAN_SHAPE_BOX, .X_BS = turn, .size = {0.02, 1, 1}, .radius = 0.8, .hull = -1};
  s->solid[2] =
      (cardan_solid){.kind = CARDAN_SHAPE_PLANE, .X_BS = turn, .radius = HUGE_VAL, .hull = -1};
  s->solid[2].X_BS.p.z = -2;
  s->pair[0] = (cardan_pair){.solid = {0, 1}};
  s->pair[1] = (cardan_pair){.solid = {0, 2}};
  s->f.model->nsolid = 3;
  s->f.model->solid = s->solid;
  s->f.model->npair = 2;
  s->f.model->pair = s->pair;
  assert_int_equal(cardan_data_create(s->f.model, NULL, &s->end), CARDAN_OK);
  cardan__solids_width(s->f.model, s->width);
}

/* From x0 by dx, at height z: the part of the way where it is inside. */
static double shoot(shot *s, double x0, double dx, double z)
{
  static const int both[] = {0, 1};
  const double dq[6] = {0, 0, 0, dx, 0, 0};
  int which = -1;
  s->f.data->q[0] = x0;
  s->f.data->q[2] = z;
  cardan_kinematics(s->f.model, s->f.data);
  cardan_q_move(s->f.model, s->f.data->q, dq, 1, s->end->q);
  cardan_joints(s->f.model, s->end);
  cardan_poses(s->f.model, s->end);
  const double part = cardan__pairs_between(s->f.model, s->f.data->q, s->f.data->X_W, dq, s->end, 2,
                                            both, s->width, 1e-9, s->list, &which);
  assert_true(s->end->q[0] == x0 + dx && s->end->X_W[1].p.x == x0 + dx); // it is back there
  assert_int_equal(which, part > 0 ? 0 : -1);
  return part;
}

static void bullet_through_a_plate(void **state)
{
  (void)state;
  shot s;
  aim(&s);
  assert_near(s.width[0], 0.02, 1e-17);
  assert_near(s.width[1], 0.02, 1e-17);
  assert_true(s.width[2] == HUGE_VAL);
  for (int i = 0; i < 46; i++) {
    const double dx = 0.05 + 0.01 * i;
    for (int j = 0; - 0.021 - 0.0037 * j > 0.021 - dx; j++) {
      const double x0 = -0.021 - 0.0037 * j, part = shoot(&s, x0, dx, 0.1);
      assert_true(part > 0 && fabs(x0 + part * dx) < 0.02);
    }
  }
  assert_true(shoot(&s, -400, 777, 0.1) > 0);  // very fast
  assert_true(shoot(&s, -1, 0.9, 0.1) == 0);   // ends before it
  assert_true(shoot(&s, -0.3, 0.6, 0.6) == 0); // passes above it
  assert_true(shoot(&s, -0.3, -0.6, 0) == 0);  // goes away
  cardan_data_destroy(s.end);
  fixture_free(&s.f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(valley_of_a_parabola),
      cmocka_unit_test(no_valley),
      cmocka_unit_test(bullet_through_a_plate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
