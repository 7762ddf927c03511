// SPDX-License-Identifier: Apache-2.0
// Copies with dry friction of joints in lanes: each as by the scalar code alone, where joints
// slide, stop, turn round and rest, with limits beside it, and with bits that nothing beside it
// changes.
#include <math.h>

#include "lane_copies.h"

/* A pendulum of two links that friction stops. */
#define STOPS                                                                 \
  "(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0)"            \
  "  (tz -0.6 (mass 2 0.1 0.1 0.1) (name \"A\")"                              \
  "   (joint revolute \"b\" (axis 0 1 0.2) (tz -0.4 (mass 1 0.05 0.05 0.05) " \
  "(name \"B\"))))) (dry-friction \"a\" 0.9) (dry-friction \"b\" 0.4)"        \
  " (output \"x\" (px \"B\")))"

/* An arm with motors that turn round; its limits are met. */
#define ARM                                                                         \
  "(system (gravity 0 0 -9.81) (input \"push\" 0 (limit -9 9)) (damping 0.3)"       \
  " (joint revolute \"a\" (axis 0 0 1) (tz 0.2 (mass 3 0.05 0.05 0.02)"             \
  "  (joint revolute \"b\" (axis 0 1 0) (limit -0.3 0.35 (restitution 0.4))"        \
  "   (tx 0.4 (mass 1 0.02 0.03 0.03)"                                              \
  "    (joint prismatic \"c\" (axis 1 0 0) (limit -0.1 0.2) (mass 0.5 .01 .01 .01)" \
  "     (joint revolute \"d\" (axis 1 0 0) (tz 0.1 (mass 0.2 2e-3 2e-3 1e-3)"       \
  "      (name \"E\"))))))))"                                                       \
  " (armature \"a\" 0.05) (armature \"b\" 0.02) (joint-spring \"b\" 20 0)"          \
  " (joint-spring \"c\" 60 0) (actuator \"m\" \"a\" \"push\")"                      \
  " (dry-friction \"a\" 0.5) (dry-friction \"b\" 0.8) (dry-friction \"c\" 0.6)"     \
  " (dry-friction \"c\" 0.4) (dry-friction \"d\" 0.02) (output \"z\" (pz \"E\")))"

/* A body in free flight with two legs whose joints slide and stop. */
#define LEG(n, y)                                                                        \
  "(ty " y " (joint revolute \"h" n "\" (axis 1 0 0) (tz -0.1 (mass 0.7 2e-3 2e-3 1e-3)" \
  " (joint revolute \"k" n "\" (axis 0 1 0) (tz -0.2 (mass 0.3 2e-3 2e-3 4e-4))))))"
#define FLIES                                                                                    \
  "(system (gravity 0 0 -9.81) (joint free \"base\" (mass 6 0.05 0.1 0.12)" LEG("1", "0.2") LEG( \
      "2", "-0.2") ") (dry-friction \"h1\" 0.3) (dry-friction \"k1\" 0.2)"                       \
                   " (dry-friction \"h2\" 0.3) (dry-friction \"k2\" 0.2) (armature \"k1\" 1e-3)" \
                   " (joint-spring \"k1\" 4 0.3) (output \"w\" (pz \"base\")))"

static const char *const models[] = {STOPS, ARM, FLIES};
enum { NMODELS = sizeof models / sizeof *models };

static call make(int k)
{
  call c = make_call(models[k], "vi");
  if (k == 2) {
    memset(c.q0, 0, (size_t)(COPIES * c.model->nq) * sizeof *c.q0);
    lift_base(&c, 0);
    for (int i = 0; i < COPIES; i++) {
      c.v0[i * c.model->nv + 6] *= 4;
    }
  }
  return c;
}

/* 1,000 steps. What remains of the root finders is that of models without friction; where a joint
 * stops or turns round both codes find which joints are held. */
static void test_scalar_code(void **state)
{
  (void)state;
  for (int k = 0; k < NMODELS; k++) {
    call c = make(k), plain = expect_scalar_motion(&c, 1e-8);
    for (int i = 0; i < COPIES; i++) {
      const cardan_rollout_end *a = &c.end[i], *b = &plain.end[i];
      assert_near(a->drift, b->drift, 1e-8); // of energies of some joules
      assert_string_equal(a->note, b->note);
      assert_int_equal(a->error.coordinate, b->error.coordinate);
      assert_int_equal(a->error.doubts, b->error.doubts);
      assert_near(a->error.value, b->error.value, 1e-2 * b->error.value + 1e-9);
    }
    assert_true(count_doubts(&c, CARDAN_DOUBT_STOPS) > COPIES / 4);
    assert_true(k != 1 || count_doubts(&c, CARDAN_DOUBT_EVENTS) > COPIES / 4);
    free_out(&plain);
    free_call(&c);
  }
}

static void test_bits(void **state)
{
  (void)state;
  expect_own_bits_of(NMODELS, make);
}

/* A slider under a load of all but 1e-9 of its friction, and of that, stays; one whose load is 1e-6
 * larger moves as its law says. */
static void test_at_the_limit(void **state)
{
  static const double load[] = {6 * (1 - 1e-9), 6, 6 * (1 + 1e-6), -6 * (1 + 1e-6)};
  (void)state;
  call c = make_call("(system (joint prismatic \"x\" (axis 1 0 0) (mass 2 .1 .1 .1))"
                     " (input \"push\" 0) (actuator \"m\" \"x\" \"push\") (dry-friction \"x\" 6))",
                     "vi");
  memset(c.q0, 0, COPIES * sizeof *c.q0);
  memset(c.v0, 0, COPIES * sizeof *c.v0);
  for (int i = 0; i < COPIES * STEPS; i++) {
    c.u[i] = load[i / STEPS % 4];
  }
  expect_lanes(&c);
  assert_int_equal(run_part(&c, 1, 0, COPIES), CARDAN_OK);
  for (int i = 0; i < COPIES; i++) {
    const double way[] = {0, 0, 0.5 * 3e-6, -0.5 * 3e-6}; // in 1 s
    assert_near(c.q[i * NROW + NROW - 1], way[i % 4], i % 4 < 2 ? 1e-12 : 1e-9);
  }
  free_call(&c);
}

/* Methods that have friction as a force do not go in lanes. */
static void test_other_methods(void **state)
{
  (void)state;
  expect_one_by_one(STOPS, "aba:semi-implicit",
                    "of dry friction in joints, which this method has as a force");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scalar_code),
      cmocka_unit_test(test_bits),
      cmocka_unit_test(test_at_the_limit),
      cmocka_unit_test(test_other_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
