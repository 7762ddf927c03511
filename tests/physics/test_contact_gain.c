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
  bool ended;              // it came to its end
} gains;

static gains watch(const char *text, const char *impacts, double dt, double time)
{
  cardan_options o = run_options("vi", dt, time);
  o.impacts = impacts;
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
  most.ended = r.data->t > time - 0.5 * dt;
  if (!most.ended) {
    print_message("stops: %s\n", report.message);
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
  const gains g = watch(text, "auto", dt, time);
  if (g.gain > allowed || g.impact > 1e-12 || g.friction > 1e-12) {
    print_message("%s %d, dt %g: a step gains %.2e of the energy at t = %g; impacts %.1e, friction "
                  "%.1e\n",
                  what, seed, dt, g.gain, g.t, g.impact, g.friction);
  }
  assert_true(g.ended);
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

// A cylinder, a hull and a box at 10 m/s and 200 rad/s, the hull between the others: where they
// touch jumps from end to end, and no step was short enough for its rows
static void places_that_jump(void **state)
{
  (void)state;
  static const char *const modes[] = {"located", "auto", "step"};
  const char *const text =
      "(system (material \"m\" (friction 0) (restitution 0.4)) (contact all)"
      " (joint free \"a\" (mass 0.1377 0.00158794 0.00158794 0.00112633)"
      "  (solid cylinder 0.143 0.3858 (material \"m\")))"
      " (joint free \"b\" (mass 0.1386 0.00118425 0.00116495 0.000244116) (solid hull"
      "  (-0.04935 -0.05826 -0.18987) (0.05669 -0.0533 -0.15521) (-0.06126 0.06893 -0.19069)"
      "  (0.06368 0.06873 -0.18265) (-0.05337 -0.06055 0.15592) (0.05793 -0.06244 0.19038)"
      "  (-0.05719 0.0627 0.18326) (0.05612 0.06384 0.19486) (material \"m\")))"
      " (joint free \"c\" (mass 2.4313 0.0388076 0.0282835 0.0185802)"
      "  (solid box 0.141 0.268 0.346 (material \"m\")))"
      " (initial (\"a\" (0.139885 0.0333695 0.247019 0.00154752 -0.130675 -0.990189 -0.0494761)"
      "  (96.6927 44.2474 -4.10309 7.43872 -11.6335 5.52216))"
      "  (\"b\" (0.0924678 0.0907605 -0.0146994 -0.0425124 0.236333 -0.711374 0.66052)"
      "  (135.227 -91.276 103.96 4.55529 -5.76762 10.51))"
      "  (\"c\" (-0.105598 -0.0158695 -0.167237 0.420599 0.598688 0.00453866 -0.681652)"
      "  (-44.8377 33.327 -21.452 -13.7268 3.5513 -8.58164))))";
  for (int i = 0; i < 3; i++) {
    const gains g = watch(text, modes[i], 0.00204, 0.0204);
    assert_true(g.ended && g.impact <= 1e-12 && g.gain <= 1e-2);
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
      cmocka_unit_test(places_that_jump),
      cmocka_unit_test(swarms),
      cmocka_unit_test(friction_that_turns_round),
      cmocka_unit_test(heaps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
