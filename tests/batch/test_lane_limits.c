// SPDX-License-Identifier: Apache-2.0
// Copies with limits of joints in lanes: each as by the scalar code alone, through its impacts and
// where it rests on a limit, and with bits that nothing beside it changes.
#include <math.h>

#include "lane_copies.h"

/* A double pendulum that bounces: the motions stay far from chaos for a second. */
#define BOUNCES                                                                \
  "(system (gravity 0 0 -9.81) (damping 0.4)"                                  \
  " (joint revolute \"a\" (axis 0 1 0) (limit -0.12 0.15 (restitution 0.6))"   \
  "  (tz -0.6 (mass 2 0.1 0.1 0.1) (name \"A\")"                               \
  "   (joint revolute \"b\" (axis 0 1 0.2) (limit -0.1 0.2 (restitution 0.3))" \
  "    (tz -0.4 (mass 1 0.05 0.05 0.05) (name \"B\")))))"                      \
  " (output \"x\" (px \"B\")))"

/* A trolley with a motor, and a load that comes to rest on its stop. */
#define RESTS                                                                  \
  "(system (gravity 0 0 -9.81) (input \"push\" 0 (limit -4 4)) (damping 0.5)"  \
  " (joint prismatic \"cart\" (axis 1 0 0) (limit -0.05 0.05) (mass 2)"        \
  "  (joint revolute \"hand\" (axis 0 1 0) (limit -0.3 0.2 (restitution 0.2))" \
  "   (tx 0.5 (mass 1 0.1 0.1 0.1) (name \"H\"))))"                            \
  " (armature \"hand\" 0.02) (joint-spring \"cart\" 30 0)"                     \
  " (actuator \"motor\" \"cart\" \"push\") (output \"z\" (pz \"H\")))"

static const char *const methods[] = {"aba:semi-implicit", "aba:rk4", "vi"};
static const char *const models[] = {BOUNCES, RESTS};
enum { NMETHODS = sizeof methods / sizeof *methods, NMODELS = sizeof models / sizeof *models };

/* ---- tests ---- */

/* 1000 steps, with some impacts of each copy. What remains of the root finders, 1e-12 of momenta in
 * each step, and where an impact was located, 1e-12 of a gap, has grown by the motion. */
static void test_scalar_code(void **state)
{
  (void)state;
  for (int k = 0; k < NMETHODS * NMODELS; k++) {
    call c = make_call(models[k % NMODELS], methods[k / NMODELS]);
    call plain = expect_scalar_motion(&c, 1e-8);
    assert_true(count_doubts(&c, CARDAN_DOUBT_EVENTS) > COPIES / 2);
    for (int i = 0; i < COPIES; i++) {
      const cardan_rollout_end *a = &c.end[i], *b = &plain.end[i];
      assert_near(a->drift, b->drift, 1e-7); // of energies of some joules
      assert_string_equal(a->note, b->note);
      assert_int_equal(a->error.coordinate, b->error.coordinate);
      assert_int_equal(a->error.doubts & CARDAN_DOUBT_EVENTS,
                       b->error.doubts & CARDAN_DOUBT_EVENTS);
      assert_near(a->error.value, b->error.value, 1e-2 * b->error.value + 1e-9);
    }
    free_out(&plain);
    free_call(&c);
  }
}

static void test_bits(void **state)
{
  (void)state;
  for (int k = 0; k < NMETHODS * NMODELS; k++) {
    call c = make_call(models[k % NMODELS], methods[k / NMODELS]);
    expect_own_bits(&c);
    free_call(&c);
  }
}

/* One copy is thrown at its limits, one begins on one, one moves on it: the others do not see
 * it. */
static void test_neighbours(void **state)
{
  (void)state;
  for (int k = 0; k < NMETHODS; k++) {
    call calm = make_call(BOUNCES, methods[k]);
    const size_t nq = (size_t)calm.model->nq, nv = (size_t)calm.model->nv;
    support_rng rng = {3};
    support_random_vec(&rng, calm.v0, COPIES * calm.model->nv, 0.2);
    call hit = again(&calm);
    hit.q0 = numbers(COPIES * calm.model->nq);
    hit.v0 = numbers(COPIES * calm.model->nv);
    memcpy(hit.q0, calm.q0, COPIES * nq * sizeof *hit.q0);
    memcpy(hit.v0, calm.v0, COPIES * nv * sizeof *hit.v0);
    hit.v0[2 * nv] = 9;
    hit.q0[9 * nq] = 0.15;
    hit.q0[10 * nq + 1] = 0.2 - 1e-7;
    hit.v0[10 * nv + 1] = 1e-5;
    assert_int_equal(run_part(&calm, 1, 0, COPIES), CARDAN_OK);
    assert_int_equal(run_part(&hit, 1, 0, COPIES), CARDAN_OK);
    assert_true(count_doubts(&calm, CARDAN_DOUBT_EVENTS) < COPIES / 4);
    for (size_t i = 0; i < COPIES; i++) {
      if (i != 2 && i != 9 && i != 10) {
        expect_same_copy(&hit, &calm, i);
      }
    }
    call plain = again(&hit);
    plain.options.lanes = "off";
    assert_int_equal(run_part(&plain, 1, 0, COPIES), CARDAN_OK);
    assert_near_vec(hit.q, plain.q, COPIES * NROW * (int)nq, 1e-9);
    assert_true(hit.end[2].error.doubts & CARDAN_DOUBT_EVENTS);
    free_out(&plain);
    free(hit.q0);
    free(hit.v0);
    free_out(&hit);
    free_call(&calm);
  }
}

/* Coordinates without an initial value start at the limit, with a note; one outside that was given
 * is an error of that copy, in the same words as alone. */
static void test_starts(void **state)
{
  (void)state;
  for (int k = 0; k < NMETHODS; k++) {
    call c = make_call("(system (gravity 0 0 -9.81) (damping 0.1)"
                       " (joint revolute \"a\" (axis 0 1 0) (limit 0.3 2) (tx 0.5 (mass 1))))",
                       methods[k]);
    memset(c.q0, 0, COPIES * sizeof *c.q0);
    c.q0[4] = 1; // given
    c.q0[7] = 2.5;
    call plain = again(&c);
    plain.options.lanes = "off";
    assert_int_equal(run_part(&c, 2, 0, COPIES), CARDAN_ERR_ASSEMBLY);
    assert_int_equal(run_part(&plain, 2, 0, COPIES), CARDAN_ERR_ASSEMBLY);
    for (int i = 0; i < COPIES; i++) {
      assert_int_equal(c.end[i].status, plain.end[i].status);
      assert_string_equal(c.end[i].message, plain.end[i].message);
      assert_string_equal(c.end[i].note, plain.end[i].note);
      assert_true((strstr(c.end[i].note, "starts at its limit") != NULL) == (i != 4 && i != 7));
      assert_int_equal(c.end[i].status, i == 7 ? CARDAN_ERR_ASSEMBLY : CARDAN_OK);
    }
    c.q[7 * NROW] = plain.q[7 * NROW] = 0; // not numbers
    for (int i = 0; i < COPIES; i++) {
      if (i != 7) {
        assert_near_vec(c.q + i * NROW, plain.q + i * NROW, NROW, 1e-9);
      }
    }
    free_out(&plain);
    free_call(&c);
  }
}

/* A copy that blew up reports it, whether it came to a limit before or not; its neighbours are not
 * affected. */
static void test_blow_up(void **state)
{
  (void)state;
  call c = make_call("(system (joint-spring \"a\" 4e4 0) (gravity 0 0 -9.81)"
                     " (joint prismatic \"a\" (axis 0 0 1) (limit -1e3 1e3) (mass 1))"
                     " (joint prismatic \"b\" (axis 0 0 1) (limit -0.1 1 (restitution 0.5))"
                     "  (mass 1)))",
                     "aba:semi-implicit");
  c.options.dt = 0.0101; // semi-implicit steps survive up to 2 / 200
  memset(c.q0, 0, COPIES * 2 * sizeof *c.q0);
  memset(c.v0, 0, COPIES * 2 * sizeof *c.v0);
  c.v0[2 * 3] = 1;
  c.v0[2 * 4] = 1;
  c.v0[2 * 4 + 1] = -1;
  for (int lanes = 0; lanes < 2; lanes++) {
    c.options.lanes = lanes ? "auto" : "off";
    assert_int_equal(run_part(&c, 1, 0, COPIES), CARDAN_ERR_BLEW_UP);
    assert_int_equal(c.end[3].status, CARDAN_ERR_BLEW_UP);
    assert_int_equal(c.end[4].status, CARDAN_ERR_BLEW_UP);
    assert_non_null(strstr(c.end[4].message, "the motion blew up"));
  }
  free_call(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scalar_code), cmocka_unit_test(test_bits),
      cmocka_unit_test(test_neighbours),  cmocka_unit_test(test_starts),
      cmocka_unit_test(test_blow_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
