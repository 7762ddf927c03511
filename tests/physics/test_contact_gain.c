// SPDX-License-Identifier: Apache-2.0
/* Contacts are passive: over random swarms and heaps no entry of their ledger adds energy, and no
 * step gains more than the method's own error.
 *
 *   CARDAN_MODELS=6000 build/tests/physics/test_contact_gain    more than in a test, those that
 *   gain CARDAN_FIRST=5931 CARDAN_MODELS=1 ..                        one of them */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "piles.h"
#include "run.h"

/* What contacts did in a run at most, each as a part of the energy at the start. */
typedef struct {
  double gain;             // of a step
  double impact, friction; // what an entry of the ledger added
  double t;                // when the step ended that gained most
} gains;

static gains watch(const char *text, double dt, double time)
{
  const cardan_options o = run_options("vi", dt, time);
  run r = run_begin(text, NULL, &o);
  const double start = run_energy(&r);
  double before = start;
  cardan_contact_stats last = {0};
  cardan_report report = {.message = ""};
  gains most = {0};
  while (r.data->t < time - 0.5 * dt && cardan_sim_step(r.sim, &report) == CARDAN_OK) {
    r.data = cardan_sim_data(r.sim);
    const double energy = run_energy(&r);
    const cardan_contact_stats now = cardan_sim_stats(r.sim).contact;
    most.t = energy - before > most.gain * start ? r.data->t : most.t;
    most.gain = fmax(most.gain, (energy - before) / start);
    most.impact = fmax(most.impact, (last.lost - now.lost) / start);
    most.friction = fmax(most.friction, (last.friction - now.friction) / start);
    before = energy;
    last = now;
  }
  run_free(&r);
  return most;
}

static int from_environment(const char *name, int otherwise)
{
  const char *text = getenv(name);
  return text != NULL ? atoi(text) : otherwise;
}

static void expect_passive(const char *text, const char *what, int seed, double dt, double time,
                           double allowed)
{
  const gains g = watch(text, dt, time);
  if (g.gain > allowed || g.impact > 1e-12 || g.friction > 1e-12) {
    print_message("%s %d, dt %g: a step gains %.2e of the energy at t = %g; impacts %.1e, friction "
                  "%.1e\n",
                  what, seed, dt, g.gain, g.t, g.impact, g.friction);
  }
  assert_true(g.impact <= 1e-12 && g.friction <= 1e-12);
  assert_true(g.gain <= allowed);
}

// two of five cylinders come to lie along one another while they slide: where they touch jumps from
// one end to the other
static void cylinders_that_tip_lose_energy(void **state)
{
  static const double steps[] = {0.01, 0.005, 0.002, 0.001, 0.0005};
  (void)state;
  char *text = swarm_text(5931);
  for (int i = 0; i < 5; i++) {
    expect_passive(text, "swarm", 5931, steps[i], 0.4, 1e-4);
  }
  free(text);
}

// two cylinders and an ellipsoid that fall in a column: a step gained up to 0.88 of the energy
static void two_cylinders_and_an_ellipsoid(void **state)
{
  static const int seeds[] = {57, 667, 875};
  (void)state;
  for (int i = 0; i < 3; i++) {
    char *text = trio_text((uint64_t)seeds[i]);
    expect_passive(text, "trio", seeds[i], 0.005, 0.8, 1e-2);
    free(text);
  }
}

// swarms at 10 ms; what the method's energy swings by where bodies turn by 0.1 rad a step is below
// 1 % of all
static void swarms(void **state)
{
  const int first = from_environment("CARDAN_FIRST", 0);
  const int n = from_environment("CARDAN_MODELS", 300);
  (void)state;
  for (int seed = first; seed < first + n; seed++) {
    char *text = swarm_text((uint64_t)seed);
    expect_passive(text, "swarm", seed, 0.01, 0.7, 1e-2);
    free(text);
  }
}

// entries of friction that turned round in a step had the sign of the velocity at its beginning:
// swarms in which they added up to 5e-5 of the energy
static void friction_that_turns_round(void **state)
{
  static const int seeds[] = {347, 1816, 2035, 2114, 2451, 2566, 3365};
  (void)state;
  for (int i = 0; i < 7; i++) {
    char *text = swarm_text((uint64_t)seeds[i]);
    expect_passive(text, "swarm", seeds[i], 0.01, 0.7, 1e-2);
    free(text);
  }
}

static void heaps(void **state)
{
  (void)state;
  for (int seed = 0; seed < 3; seed++) {
    char *text = pile_text((uint64_t)seed);
    expect_passive(text, "heap", seed, 0.005, 1.5, 1e-2);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cylinders_that_tip_lose_energy),
      cmocka_unit_test(two_cylinders_and_an_ellipsoid),
      cmocka_unit_test(swarms),
      cmocka_unit_test(friction_that_turns_round),
      cmocka_unit_test(heaps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
