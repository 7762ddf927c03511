// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "run/sim.h"

/* Angles of forces at half a turn: a run that comes there reports it, and no other does. */

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double PI = 3.14159265358979323846;

/* A wheel of 0.1 kg m^2 with a frame that turns along, and one that stays. */
#define WHEEL(forces, speed)                                                          \
  "(system (rz \"a\" (mass 1 0.1 0.1 0.1) (name \"m\")) (place (0 0 0) (name \"g\"))" \
  " " forces " (initial (\"a\" 0 " speed ")))"
#define ANGLE "(angle \"g\" \"m\" (axis 0 0 1))"

/* What a run of n steps says at its end, with no node looked at but by the watch itself. */
static bool says(const char *text, const char *method, double dt, int n, const char *words)
{
  const cardan_options options = run_options(method, dt, n * dt);
  cardan_report report = {.message = ""};
  run r = run_begin(text, NULL, &options);
  expect_ok(cardan_run(r.sim, n, NULL, 0, NULL, &report), &report, text);
  const bool said = strstr(cardan_sim_warning(r.sim), words) != NULL;
  run_free(&r);
  return said;
}

// a spring on the wheel that is wound past half a turn at 12 rad/s, and to 1.6 rad at 5
static void by_every_method(void **state)
{
  static const char *const forces[] = {"(torque \"a\" (- " ANGLE "))",
                                       "(potential (* 0.5 (^ " ANGLE " 2)))"};
  (void)state;
  for (int i = 0; run_method(i) != NULL; i++) {
    char method[64], text[512];
    snprintf(method, sizeof method, "%s", run_method(i));
    for (int k = 0; k < 4; k++) {
      snprintf(text, sizeof text, WHEEL("%s", "%d"), forces[k / 2], k % 2 ? 12 : 5);
      if (says(text, method, 0.01, 60, "at half a turn it jumps") != (k % 2 == 1)) {
        fail_msg("%s: %s", method, text);
      }
    }
  }
}

// only what jumps with the angle is reported: where it acts, and by its value, or, of an energy or
// a row, by its slope
static void jumps_are_reported(void **state)
{
  static const struct {
    const char *forces, *words; // words NULL: nothing is reported
  } cases[] = {
      {"(torque \"a\" (- " ANGLE "))", "at t = 0.3 the angle of torque \"torque1\", line 1 is"},
      {"(torque \"a\" (sin " ANGLE "))", NULL},
      {"(torque \"a\" (* 0.1 (cos (* 3 " ANGLE "))))", NULL},
      {"(torque \"a\" (sin (* 0.5 " ANGLE ")))", "the angle of torque"},
      {"(torque \"a\" (* 0.1 (^ " ANGLE " 2)))", NULL},
      {"(potential (* 0.1 (^ " ANGLE " 2)))", "the angle of potential \"potential1\", line 1"},
      {"(potential (* 0.1 (^ (sin " ANGLE ") 2)))", NULL},
      {"(torque \"a\" (* (step (- t 9)) " ANGLE "))", NULL},
      {"(torque \"a\" (- (atan2 (rxx \"m\") (ryx \"m\"))))", "the angle of"},
      {"(inequality (+ 9 " ANGLE "))", "the angle of inequality \"inequality1\", line 1"},
      {"(state \"s\" (derivative " ANGLE "))", "the angle of state \"s\""},
      {"(input \"u\") (controller \"u\" (every 0.1) " ANGLE ")", "the angle of the controller"},
      {"(memory \"last\" (every 0.1) (next " ANGLE "))", NULL},
      {"(output \"angle\" " ANGLE ")", NULL},
  };
  (void)state;
  for (int i = 0; i < COUNT(cases); i++) {
    char text[512];
    snprintf(text, sizeof text, WHEEL("%s", "12"), cases[i].forces);
    const char *words = cases[i].words != NULL ? cases[i].words : "half a turn";
    if (says(text, "vi", 0.01, 60, words) != (cases[i].words != NULL)) {
      fail_msg("%s", cases[i].forces);
    }
  }
}

// a swing of 2 s up to any angle, in steps of any length: said where it comes past half a turn, and
// not where it stays further below than a step leads
static void none_is_missed(void **state)
{
  (void)state;
  for (int i = 0; i < 300; i++) {
    char text[512];
    const double top = PI * (0.9 + 0.0007 * i), dt = 0.003 + 0.0011 * (i % 47);
    const int n = (int)ceil(1.6 / dt);
    snprintf(text, sizeof text, WHEEL("(torque \"a\" (- " ANGLE "))", "%.17g"), top * sqrt(10.0));
    const bool said = says(text, "aba:dop853", dt, n, "half a turn");
    // where it turns round the rate is at most that of a step before: top (dt sqrt 10)^2
    if (top > PI ? !said : said && top + 10 * top * dt * dt < PI) {
      fail_msg("up to %.17g of half a turn, dt = %g: %s", top / PI, dt, said ? "said" : "not said");
    }
  }
}

// many turns in a step, and in one that is longer than dt
static void fast_ones(void **state)
{
  (void)state;
  static const char text[] = WHEEL("(torque \"a\" (- " ANGLE "))", "628.31853071795865");
  assert_true(says(text, "aba:rk4", 0.01, 1, "half a turn"));
  const cardan_options options = run_options("vi", 1e-4, 1);
  cardan_report report = {.message = ""};
  run r = run_begin(text, NULL, &options);
  expect_ok(cardan_sim_step_to(r.sim, 0.0099, &report), &report, "a long step");
  expect_ok(cardan_run(r.sim, 0, NULL, 0, NULL, &report), &report, "the end");
  assert_non_null(strstr(cardan_sim_warning(r.sim), "at half a turn it jumps"));
  run_free(&r);
}

// the angle of a closing joint is counted, and may go round and round in long steps
static void counted_ones_do_not(void **state)
{
  (void)state;
  static const char text[] = WHEEL(
      "(close revolute \"g\" \"m\" (axis 0 0 1) (coordinate \"c\")) (torque \"c\" (* -0.01 q.c))"
      " (joint-spring \"c\" 0.01 0)",
      "20");
  assert_false(says(text, "aba:rk4", 0.1, 50, "half a turn"));
}

// it is part of a run's state, and a strict run fails by it
static void saved_and_strict(void **state)
{
  (void)state;
  static char bytes[1 << 16];
  static const char text[] = WHEEL("(torque \"a\" (- " ANGLE "))", "12");
  cardan_options options = run_options("vi", 0.01, 0.6);
  cardan_report report = {.message = ""};
  options.strict = true;
  run a = run_begin(text, NULL, &options), b = run_begin(text, NULL, &options);
  run_steps(&a, 40);
  assert_true(cardan_sim_snapshot_size(a.sim) <= sizeof bytes);
  expect_ok(cardan_sim_snapshot_save(a.sim, bytes, sizeof bytes, NULL), NULL, "save");
  expect_ok(cardan_sim_snapshot_load(b.sim, bytes, sizeof bytes, NULL), NULL, "restore");
  assert_int_equal(b.sim->watch.wrapped, 1);
  assert_memory_equal(b.sim->watch.wrapped_at, a.sim->watch.wrapped_at,
                      sizeof a.sim->watch.wrapped_at);
  assert_int_equal(cardan_run(b.sim, 20, NULL, 0, NULL, &report), CARDAN_ERR_STRICT);
  assert_non_null(strstr(report.message, "at half a turn it jumps"));
  run_free(&a);
  run_free(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_every_method),     cmocka_unit_test(jumps_are_reported),
      cmocka_unit_test(none_is_missed),      cmocka_unit_test(fast_ones),
      cmocka_unit_test(counted_ones_do_not), cmocka_unit_test(saved_and_strict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
