// SPDX-License-Identifier: Apache-2.0
// Copies with loops in lanes: each as by the scalar code alone, with limits, dry friction and feet
// beside them, and with bits that nothing beside them changes.
#include <math.h>

#include "lane_copies.h"

/* A four-bar linkage in space with a motor. */
#define LINKAGE                                                                              \
  "(system (gravity 0 0 -9.81) (input \"push\" 0) (damping 0.2)"                             \
  " (joint revolute \"a\" (axis 0 1 0) (tz 0.4 (mass 1 0.02 0.02 0.01) (name \"A\")"         \
  "  (joint spherical \"b\" (tx 0.8 (mass 2 0.01 0.1 0.1) (name \"B\")))))"                  \
  " (place (0.8 0.1 0) (joint revolute \"c\" (axis 0 1 0.1) (tz 0.5 (mass 1 0.02 0.02 0.01)" \
  "  (name \"C\")))) (wire \"B\" \"C\" 0.3) (actuator \"m\" \"a\" \"push\")"                 \
  " (output \"x\" (px \"B\")))"

/* A hand of two fingers, which a gear couples: each is a parallelogram, closed in its plane by two
 * rows, with limits and springs. */
#define FINGER(n, side)                                                                  \
  " (place (" side "0.03 0 0) (joint revolute \"p" n "\" (axis 0 1 0) (limit -0.2 0.5)"  \
  "  (tz 0.1 (mass 0.1 1e-4 1e-4 1e-5)"                                                  \
  "   (joint revolute \"q" n "\" (axis 0 1 0) (mass 0.05 2e-5 2e-5 2e-5)"                \
  "    (tx " side "0.02 (name \"e" n "\"))))))"                                          \
  " (place (" side "0.05 0 0) (joint revolute \"r" n "\" (axis 0 1 0)"                   \
  "  (tz 0.1 (mass 0.1 1e-4 1e-4 1e-5) (name \"f" n "\"))))"                             \
  " (point-constraint \"e" n "\" \"f" n "\" (1 0 0)) (point-constraint \"e" n "\" \"f" n \
  "\" (0 0 1))"                                                                          \
  " (joint-spring \"q" n "\" 0.5 0) (damping \"r" n "\" 0.01)"
#define HAND                                                                                 \
  "(system (gravity 0 0 -9.81) (input \"grip\" 0)" FINGER("1", "-")                          \
      FINGER("2", "") " (gear \"p1\" \"p2\" -1) (actuator \"m\" \"p1\" \"grip\" (gear 0.1))" \
                      " (armature \"p1\" 1e-3) (dry-friction \"p1\" 0.01))"

/* A body on two legs with rods from the body to the shins, and feet on a plane. */
#define LEG(n, y)                                                                 \
  " (ty " y " (joint revolute \"h" n "\" (axis 0 1 0) (limit -1 1) (tz -0.2"      \
  "  (mass 0.5 2e-3 2e-3 2e-4) (joint revolute \"k" n "\" (axis 0 1 0)"           \
  "  (tx 0.05 (name \"s" n "\")) (tz -0.2 (mass 0.3 1e-3 1e-3 1e-4)"              \
  "   (tx 0.06 (ty 0.03 (solid sphere 0.02))) (tx -0.06 (solid sphere 0.02))))))" \
  "  (tx 0.05 (name \"b" n "\")))"
#define WALKER                                                                               \
  "(system (gravity 0 0 -9.81) (joint free \"base\" (mass 5 0.05 0.05 0.05)" LEG("1", "0.1") \
      LEG("2", "-0.1") ") (wire \"b1\" \"s1\" 0.2) (wire \"b2\" \"s2\" 0.2)"                 \
                       " (damping \"h1\" 1) (damping \"h2\" 1) (joint-spring \"h1\" 200 0)"  \
                       " (joint-spring \"h2\" 200 0) (dry-friction \"h1\" 0.02)"             \
                       " (place (0 0 0) (name \"floor\") (solid plane))"                     \
                       " (contact \"floor\" all (friction 0.6)))"

static const char *const models[] = {LINKAGE, HAND, WALKER};
enum { NMODELS = sizeof models / sizeof *models };

static call make(int k)
{
  call c = make_call(models[k], "vi");
  const cardan_model *m = c.model;
  support_rng rng = {4};
  support_random_vec(&rng, c.v0, COPIES * m->nv, k == 2 ? 0.02 : 0.2);
  for (int i = 0; i < COPIES; i++) { // closed as the model is
    memcpy(c.q0 + i * m->nq, m->q0, (size_t)m->nq * sizeof *c.q0);
  }
  if (k == 2) {
    lift_base(&c, 0.425);
  }
  return c;
}

/* 1,000 steps. */
static void test_scalar_code(void **state)
{
  (void)state;
  for (int k = 0; k < NMODELS; k++) {
    call c = make(k), plain = expect_scalar_motion(&c, 1e-7);
    assert_true(c.model->nrow > 0);
    assert_true(k != 1 || count_doubts(&c, CARDAN_DOUBT_EVENTS) > COPIES / 4);
    expect_drifts(&c, &plain);
    free_out(&plain);
    free_call(&c);
  }
}

static void test_bits(void **state)
{
  (void)state;
  expect_own_bits_of(NMODELS, make);
}

/* One copy is thrown: the others do not see it. */
static void test_neighbours(void **state)
{
  (void)state;
  call calm = make(2);
  assert_true(expect_others_alone(&calm, 5, 1) > 0.5);
}

static void test_others(void **state)
{
  (void)state;
#define TWO                                                                        \
  "(system (joint revolute \"a\" (axis 0 0 1) (tx 1 (mass 1 1 1 1) (name \"A\")))" \
  " (joint revolute \"b\" (axis 0 0 1) (tx 1 (ty 0.5 (mass 1 1 1 1) (name \"B\"))))"
  expect_one_by_one(TWO "(wire \"A\" \"B\" (+ 1 (* 0.1 (sin t)))))", "vi",
                    "of a length that changes");
  expect_one_by_one(TWO "(equation (- q.a (* 2 q.b))))", "vi",
                    "of a constraint other than points, axes, constant lengths and gears");
  expect_one_by_one(TWO "(gear \"a\" \"b\" 2))", "aba:semi-implicit", "of loops");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scalar_code),
      cmocka_unit_test(test_bits),
      cmocka_unit_test(test_neighbours),
      cmocka_unit_test(test_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
