// SPDX-License-Identifier: Apache-2.0
// Copies that stand on a plane in lanes: each as by the scalar code alone, where they land, stick,
// roll, slide and lift off, with dry friction and limits beside it, and with bits that nothing
// beside it changes.
#include <math.h>

#include "lane_copies.h"

#define FLOOR \
  " (place (0 0 0) (name \"floor\") (solid plane)) (contact \"floor\" all (friction 0.9))"

/* A body on three legs with ball feet; its motors push it about. */
#define LEG(n, x, y)                                                            \
  " (tx " x " (ty " y " (joint revolute \"h" n "\" (axis 1 0 0) (limit -1 1)"   \
  " (mass 0.6 1e-3 1e-3 1e-3) (joint revolute \"k" n "\" (axis 0 1 0) (tz -0.1" \
  " (mass 0.4 2e-3 2e-3 2e-4) (tz -0.1 (solid sphere 0.02)))))))"
#define DRY(n) " (dry-friction \"" n "\" 0.03)"
#define EACH(of) of("h1") of("h2") of("h3") of("k1") of("k2") of("k3")
#define STANDS                                                                                    \
  "(system (gravity 0 0 -9.81) (damping 2) (joint free \"base\" (mass 6 0.05 0.1 0.12)" LEG(      \
      "1", "0.2", "0.15") LEG("2", "0.2", "-0.15")                                                \
      LEG("3", "-0.25", "0") ")" FLOOR " (input \"uh1\" 0) (input \"uk1\" 0) (input \"uk3\" 0)"   \
                             " (actuator \"m1\" \"h1\" \"uh1\") (actuator \"m2\" \"k1\" \"uk1\")" \
                             " (actuator \"m3\" \"k3\" \"uk3\")" EACH(SPRING)
#define SPRING(n) " (joint-spring \"" n "\" 200 0) (armature \"" n "\" 0.01)"

#define BARE STANDS ")"
#define WITH_FRICTION STANDS EACH(DRY) ")"

/* A box that lands on its corners and edges and comes to rest on a face. */
#define BOX                                                                    \
  "(system (gravity 0 0 -9.81) (joint free \"base\" (mass 2 0.01 0.012 0.008)" \
  " (solid box 0.2 0.16 0.12))" FLOOR ")"

/* A double pendulum on a trolley of two capsules. */
#define CAPSULES                                                                            \
  "(system (gravity 0 0 -9.81) (damping 0.05) (joint free \"base\" (mass 3 0.02 0.02 0.03)" \
  " (tx 0.1 (rx 1.5 (solid capsule 0.05 0.2))) (tx -0.1 (rx 1.5 (solid capsule 0.05 0.2)))" \
  " (joint revolute \"a\" (axis 0 1 0) (tz 0.2 (mass 0.5 1e-3 1e-3 1e-3))))" FLOOR ")"

/* A body on three points that slides and spins to a stop. */
#define SLIDES                                                                     \
  "(system (gravity 0 0 -9.81) (joint free \"base\" (mass 2 0.01 0.012 0.008)"     \
  " (tx 0.1 (tz -0.02 (solid point))) (tx -0.1 (ty 0.1 (tz -0.02 (solid point))))" \
  " (tx -0.1 (ty -0.1 (tz -0.02 (solid point))))) (place (0 0 0) (name \"floor\")" \
  " (solid plane)) (contact \"floor\" all (friction 0.1)))"

typedef struct {
  const char *text;
  double height, spread, speed;
} subject;

static const subject subjects[] = {{BARE, 0.22, 0.002, 0.05},
                                   {WITH_FRICTION, 0.22, 0.002, 0.05},
                                   {BOX, 0.1, 0.1, 0.5},
                                   {CAPSULES, 0.06, 0.002, 0.1},
                                   {SLIDES, 0.02, 0, 0.5}};
enum { NSUBJECTS = sizeof subjects / sizeof *subjects };

/* Starts of the box: tilted, and higher than it is thick. */
static void tilt(const call *c)
{
  support_rng rng = {7};
  for (int i = 0; i < COPIES; i++) {
    double x[3], *q = c->q0 + i * c->model->nq;
    support_random_vec(&rng, x, 3, 0.1);
    const double size = sqrt(1 + x[0] * x[0] + x[1] * x[1]);
    q[2] += fabs(x[2]);
    q[3] /= size;
    q[4] = x[0] / size;
    q[5] = x[1] / size;
  }
}

static call make(int k)
{
  const subject *of = &subjects[k];
  call c = make_call(of->text, "vi");
  const cardan_model *m = c.model;
  support_rng rng = {5};
  support_random_vec(&rng, c.q0, COPIES * m->nq, of->spread);
  support_random_vec(&rng, c.v0, COPIES * m->nv, of->speed);
  support_random_vec(&rng, c.u, COPIES * STEPS * m->ninput, 1);
  lift_base(&c, of->height);
  if (k == 2) {
    tilt(&c);
  }
  for (int i = 0; i < COPIES; i++) {
    for (int s = 1; s < STEPS; s++) { // held for 50 steps
      for (int j = 0; j < m->ninput && s % 50 != 0; j++) {
        double *u = c.u + (i * STEPS + s) * m->ninput + j;
        *u = u[-m->ninput];
      }
    }
  }
  return c;
}

/* How many copies have other bits: those that were in their lane. */
static int count_others(const call *a, const call *b)
{
  const size_t n = NROW * (size_t)a->model->nq;
  int count = 0;
  for (size_t i = 0; i < COPIES; i++) {
    count += memcmp(a->q + i * n, b->q + i * n, n * sizeof *a->q) != 0;
  }
  return count;
}

/* 1,000 steps, through landings and slides of feet. */
static void test_scalar_code(void **state)
{
  (void)state;
  for (int k = 0; k < NSUBJECTS; k++) {
    call c = make(k), plain = expect_scalar_motion(&c, 1e-7);
    assert_true(count_others(&c, &plain) > 3 * COPIES / 4);
    expect_drifts(&c, &plain);
    for (int i = 0; i < COPIES; i++) {
      assert_int_equal(c.end[i].error.doubts & CARDAN_DOUBT_EVENTS,
                       plain.end[i].error.doubts & CARDAN_DOUBT_EVENTS);
    }
    free_out(&plain);
    free_call(&c);
  }
}

static void test_bits(void **state)
{
  (void)state;
  expect_own_bits_of(NSUBJECTS, make);
}

/* One copy is thrown at the floor: the others do not see it. */
static void test_neighbours(void **state)
{
  (void)state;
  call calm = make(1);
  assert_true(expect_others_alone(&calm, 5, -1) > 0.5);
}

/* What may touch something else goes copy by copy. */
static void test_others(void **state)
{
  (void)state;
  const char *const one = "of solids that may touch others than one plane of the world";
#define BALL(name) " (joint free \"" name "\" (mass 1 1 1 1) (solid sphere 0.1)) "
  expect_one_by_one("(system" BALL("a") BALL("b") "(contact all))", "vi", one);
  expect_one_by_one("(system" BALL("a") "(place (0 0 -1) (solid box 1 1 1)) (contact all))", "vi",
                    one);
  expect_one_by_one(
      "(system" BALL("a") "(place (0 0 -1) (solid plane)) (contact all (rolling 0.01)))", "vi",
      "of friction against rolling or spinning");
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
