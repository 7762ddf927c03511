// SPDX-License-Identifier: Apache-2.0
// Through singular positions on the right branch, by aba and hamilton with every integrator, or a
// stop that names them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hard.h"
#include "random_loops.h"
#include "run.h"

/* Links of 1 m between hinges 2 m apart: flat at 0 and pi. Speed of both cranks, angle at start. */
static const char parallelogram[] =
    "(system (gravity 0 0 -9.81) (define w 6) (define a -1)\n"
    "  (ry \"q1\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (ry \"q2\"\n"
    "    (tx 1 (mass 1 0.01 0.33 0.33)) (tx 2 (name \"B\")))))\n"
    "  (tx 2 (ry \"q3\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (name \"C\"))))\n"
    "  (point-constraint \"B\" \"C\" 1 0 0) (point-constraint \"B\" \"C\" 0 0 1)\n"
    "  (initial (\"q1\" a w) (\"q2\" (- a) (- w)) (\"q3\" a w)))\n";

/* The same with a third crank in the middle: one row of four is redundant. */
static const char three_cranks[] =
    "(system (gravity 0 0 -9.81) (define w 6) (define a -1)\n"
    "  (ry \"q1\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (ry \"q2\"\n"
    "    (tx 1 (mass 1 0.01 0.33 0.33) (name \"M\")) (tx 2 (name \"B\")))))\n"
    "  (tx 2 (ry \"q3\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (name \"C\"))))\n"
    "  (tx 1 (ry \"q4\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (name \"D\"))))\n"
    "  (point-constraint \"B\" \"C\" 1 0 0) (point-constraint \"B\" \"C\" 0 0 1)\n"
    "  (point-constraint \"M\" \"D\" 1 0 0) (point-constraint \"M\" \"D\" 0 0 1)\n"
    "  (initial (\"q1\" a w) (\"q2\" (- a) (- w)) (\"q3\" a w) (\"q4\" a w)))\n";

/* Crank and rod of 1 m: in line on each other when the crank is across the slide. */
static const char slider[] =
    "(system (gravity 0 0 -9.81) (define w 5) (define a 0.7)\n"
    "  (ry \"q1\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (ry \"q2\"\n"
    "    (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (name \"B\")))))\n"
    "  (tx \"s\" (mass 1) (name \"C\"))\n"
    "  (point-constraint \"B\" \"C\" 1 0 0) (point-constraint \"B\" \"C\" 0 0 1)\n"
    "  (initial (\"q1\" a w) (\"q2\" (* -2 a) (* -2 w))\n"
    "           (\"s\" (* 2 (cos a)) (* -2 (sin a) w))))\n";

/* How far a state is from the branch that the mechanism started on. */
static double off_parallelogram(const run *r)
{
  return fmax(fabs(run_q(r, "q1") + run_q(r, "q2")), fabs(run_q(r, "q1") - run_q(r, "q3")));
}

static double off_three_cranks(const run *r)
{
  return fmax(off_parallelogram(r), fabs(run_q(r, "q1") - run_q(r, "q4")));
}

static double off_slider(const run *r)
{
  return fmax(fabs(2 * run_q(r, "q1") + run_q(r, "q2")),
              fabs(run_q(r, "s") - 2 * cos(run_q(r, "q1"))));
}

typedef struct {
  const char *text;
  double (*off)(const run *r);
  double kinetic; // of the start [J]
} mechanism;

/* "aba:rk4", "hamilton:rk4": a method and its integrator. */
static cardan_options options_of(const char *word, double time)
{
  const bool aba = strncmp(word, "aba:", 4) == 0;
  cardan_options options = run_options(aba ? "aba:" : "hamilton", 0.01, time);
  options.integrator = strchr(word, ':') + 1;
  return options;
}

static const mechanism mechanisms[] = {{parallelogram, off_parallelogram, 30},
                                       {three_cranks, off_three_cranks, 36},
                                       {slider, off_slider, 60}};

/* The integrators, and the part of the kinetic energy that their own error may be over 3 s in steps
 * of 0.01 s, 0.06 to 0.1 rad: (0.1)^2 and more for order 2, (0.1)^4 for order 4, some 1e-8 for each
 * of 300 steps of adaptive ones, and more for those that start again in each of them. */
static const struct {
  const char *name;
  double energy;
} integrators[] = {{"rk2", 3e-2},    {"rk4", 3e-4},       {"rkf45-fixed", 3e-4}, {"rkf45", 1e-4},
                   {"dopri5", 1e-4}, {"ode45", 1e-4},     {"dop853", 1e-4},      {"midpoint", 3e-2},
                   {"gauss4", 1e-4}, {"trapezoid", 3e-2}, {"adams", 1e-2},       {"bdf", 1e-2}};
enum { NINTEGRATOR = sizeof integrators / sizeof *integrators };

// tolerance of the branch: loops are closed to 1e-12 (1 + size), across the branch that is 1e-12
// over the sine d of rows; states with d < 1e-3 are closed to rounding. Rows of ode45 and dop853
// are from an interpolant, closed to its rtol of 1e-8 times as much. Steps of dop853 pass over flat
// positions: its ends are closed as well, but its rows weigh stages by up to 500, and so the noise
// that accelerations have there
static double off_branch(const char *method)
{
  return strstr(method, "dop853") != NULL ? 1e-4 : strstr(method, "ode45") != NULL ? 1e-6 : 1e-8;
}

static void check_branch(const mechanism *m, const char *setting, const char *method, double energy)
{
  cardan_options options = options_of(method, 3);
  options.rtol = 1e-8;
  options.atol = 1e-10;
  run r = run_begin(m->text, setting, &options);
  const double start = run_energy(&r), off = off_branch(method);
  for (int k = 0; k < 300; k++) {
    cardan_report report = {.message = ""};
    const cardan_status status = cardan_sim_step(r.sim, &report);
    if (status != CARDAN_OK) {
      // nothing but a singular position may be in the way
      assert_int_equal(status, CARDAN_ERR_SINGULAR);
      assert_non_null(strstr(report.message, "singular position at t = "));
      fail_msg("%s: %s", method, report.message);
    }
    assert_int_equal(cardan_sim_observe(r.sim), CARDAN_OK); // for its energy
    if (m->off(&r) > off || fabs(run_energy(&r) - start) > energy * m->kinetic) {
      fail_msg("%s at %g s: off the branch by %g, energy off by %g", method, r.data->t, m->off(&r),
               run_energy(&r) - start);
    }
  }
  run_free(&r);
}

static void every_integrator_keeps_the_branch(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
    for (int k = 0; k < NINTEGRATOR; k++) {
      char method[64];
      snprintf(method, sizeof method, "aba:%s", integrators[k].name);
      check_branch(&mechanisms[i], NULL, method, integrators[k].energy);
      snprintf(method, sizeof method, "hamilton:%s", integrators[k].name);
      check_branch(&mechanisms[i], NULL, method, integrators[k].energy);
    }
  }
}

// flat exactly at the start, and flat exactly where a row is: without gravity at 10 pi rad/s a
// crank is flat every tenth step
static void exactly_there(void **state)
{
  (void)state;
  static const char *const methods[] = {"aba:rk4", "aba:dopri5", "hamilton:rk4", "aba:ode45",
                                        "aba:dop853"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    check_branch(&mechanisms[0], "a=0", methods[i], 1e-4);
  }
  char text[sizeof parallelogram];
  memcpy(text, parallelogram, sizeof text);
  replace(text, "-9.81", "0    ");
  const mechanism still = {text, off_parallelogram, 800};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    check_branch(&still, "w=31.415926535897931", methods[i], 1e-4);
  }
}

// no speed: nothing says which way to continue
static void at_rest_there_is_no_way_on(void **state)
{
  (void)state;
  static const char *const methods[] = {"aba:rk4", "aba:dopri5", "hamilton:rk4", "aba:ode45",
                                        "aba:dop853"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    cardan_options options = options_of(methods[i], 1);
    char text[sizeof parallelogram];
    memcpy(text, parallelogram, sizeof text);
    replace(text, "(define w 6) (define a -1)", "(define w 0) (define a  0)");
    run r = run_begin(text, NULL, &options);
    cardan_report report = {.message = ""};
    assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_SINGULAR);
    assert_non_null(strstr(report.message, "singular position at t = 0 s"));
    run_free(&r);
  }
}

// near a singular position but not through it: cranks of 1 and 1.02 m turn back before they are
// flat. What is only near is resolved: dopri5 with 1e-8 and with 1e-10 agree
static void near_is_not_through(void **state)
{
  (void)state;
  static const char text[] =
      "(system (gravity 0 0 -9.81)\n"
      "  (ry \"q1\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (ry \"q2\"\n"
      "    (tx 1 (mass 1 0.01 0.33 0.33)) (tx 2 (name \"B\")))))\n"
      "  (tx 2 (ry \"q3\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1.02 (name \"C\"))))\n"
      "  (point-constraint \"B\" \"C\" 1 0 0) (point-constraint \"B\" \"C\" 0 0 1)\n"
      "  (initial ((\"q1\" -1 3) fixed) (\"q2\" 1 -3) (\"q3\" -1 3)))\n";
  double q[2][3];
  for (int i = 0; i < 2; i++) {
    cardan_options options = options_of("aba:dopri5", 2);
    options.rtol = i == 0 ? 1e-8 : 1e-10;
    options.atol = 1e-12;
    run r = run_whole(text, NULL, &options);
    memcpy(q[i], r.data->q, sizeof q[i]);
    run_free(&r);
  }
  assert_near_vec(q[0], q[1], 3, 1e-5);
}

/* Coordinates of a four-bar at its end (3, out), steps of its own length. */
static void end_of(const hard_case *c, const char *word, double *q)
{
  cardan_options options = options_of(word, c->time);
  char *text = hard_model(c);
  options.dt = c->dt;
  options.rtol = 1e-10;
  options.atol = 1e-12;
  run r = run_whole(text, NULL, &options);
  memcpy(q, r.data->q, 3 * sizeof *q);
  run_free(&r);
  free(text);
}

// nearer still, links longer or shorter by 1e-5 or 1e-7, the motion bends within a thousandth of a
// second: parts of steps of 0.005 s follow it. 1e-5 and less; by parts that are too long for the
// bend up to 0.09, on the branch that would cross it is 1 and more
static void nearer_is_not_through(void **state)
{
  (void)state;
  static const char *const names[] = {"nearly-2435-1e-5", "nearly-2435-less-1e-5",
                                      "nearly-2435-1e-7"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const hard_case *c = hard_find(names[i]);
    double q[3], exact[3];
    end_of(c, "aba:dopri5", exact);
    end_of(c, "aba:rk4", q);
    assert_near_vec(q, exact, 3, 1e-4);
    end_of(c, "hamilton:rk4", q);
    assert_near_vec(q, exact, 3, 1e-4);
  }
}

// where the bend takes some steps, parts of them have the integrator's order: energy lost, of
// 55 J, 0.075, 0.01 and 0.0009; without parts 3.4, 1.5 and 0.045
static void bends_are_resolved(void **state)
{
  (void)state;
  const hard_case *c = hard_find("nearly-2435-less-1e-3");
  static const double lost[] = {0.2, 0.03, 0.003};
  char *text = hard_model(c);
  for (int i = 0; i < 3; i++) {
    cardan_options options = options_of("aba:rk4", c->time);
    options.dt = c->dt / (1 << i);
    run r = run_whole(text, NULL, &options);
    assert_near(cardan_sim_stats(r.sim).drift_max, 0, lost[i]);
    run_free(&r);
  }
  free(text);
}

/* What a run says that ends at a singular position; returns the time that it names. */
static double last_words(const char *text, const char *method, double dt, const char *why)
{
  cardan_options options = run_options(method, dt, 2);
  options.rtol = 1e-6;
  options.atol = 1e-9;
  run r = run_begin(text, NULL, &options);
  cardan_report report = {.message = ""};
  cardan_status status = CARDAN_OK;
  while (status == CARDAN_OK && r.data->t < 2) {
    status = cardan_sim_step(r.sim, &report);
  }
  assert_int_equal(status, CARDAN_ERR_SINGULAR);
  const char *at = strstr(report.message, "singular position at t = ");
  if (at == NULL || strstr(at, why) == NULL) {
    fail_msg("%s: %s", method, report.message);
  }
  const double t = at != NULL ? strtod(strchr(at, '=') + 1, NULL) : -1;
  run_free(&r);
  return t;
}

static const char *const to_the_end[] = {"aba:rk4",         "aba:ode45",    "aba:dopri5",
                                         "aba:adams",       "hamilton:rk4", "hamilton:ode45",
                                         "hamilton:dopri5", "baraff:rk4",   "baraff:bdf",
                                         "baraff:dopri5",   "aba:dop853",   "hamilton:dop853"};

// two links of 1 m, their end driven away at 1 m/s: stretched at t = 1, where they have no more to
// give; speeds go as (1 - t)^(-1/2). The time follows from speeds at two looks, the last where they
// have grown tenfold, when a hundredth of a step is left: 1e-4 s, known to 1 % at least
static void a_dead_point_is_the_end(void **state)
{
  (void)state;
  static const char text[] =
      "(system (gravity 0 0 -9.81)\n"
      "  (ry \"q1\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (ry \"q2\"\n"
      "    (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (name \"B\")))))\n"
      "  (tx \"s\" (mass 1 0.01 0.01 0.01) (name \"C\"))\n"
      "  (point-constraint \"B\" \"C\" 1 0 0) (point-constraint \"B\" \"C\" 0 0 1)\n"
      "  (motion \"s\" (+ 1 t))\n"
      "  (initial (\"q1\" 1.0471975511965976) (\"q2\" -2.0943951023931953) (\"s\" 1 1)))\n";
  for (size_t i = 0; i < sizeof to_the_end / sizeof *to_the_end; i++) {
    assert_near(last_words(text, to_the_end[i], 0.012, "speeds grow without bound"), 1, 1e-6);
  }
}

// the same of a random mechanism in space, its rows three times over: dopri5 went on there for
// minutes within one step. Ten ways to one time
static void a_dead_point_is_one_for_all(void **state)
{
  (void)state;
  loops_kind kind;
  char *text = loops_random_text(1079, &kind);
  const double t = last_words(text, to_the_end[0], 0.0025, "speeds grow without bound");
  assert_near(t, 0.00035023, 1e-8);
  for (size_t i = 1; i < sizeof to_the_end / sizeof *to_the_end; i++) {
    assert_near(last_words(text, to_the_end[i], 0.0025, "speeds grow without bound"), t, 1e-6 * t);
  }
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_integrator_keeps_the_branch),
                                     cmocka_unit_test(exactly_there),
                                     cmocka_unit_test(at_rest_there_is_no_way_on),
                                     cmocka_unit_test(near_is_not_through),
                                     cmocka_unit_test(nearer_is_not_through),
                                     cmocka_unit_test(bends_are_resolved),
                                     cmocka_unit_test(a_dead_point_is_the_end),
                                     cmocka_unit_test(a_dead_point_is_one_for_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
