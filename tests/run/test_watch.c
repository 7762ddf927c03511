// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "run/sim.h"

/* The watch: what it must see and what it must not. */

typedef struct {
  double balance, kinetic; // [J]
} look;

/* Jumps in a series of looks, 0.1 s apart; the time of the first to *t. */
static int64_t jumps_in(const look *series, int n, double *t)
{
  const cardan_options options = run_options("vi", 0.01, 1);
  run r = run_load("chain:10", NULL, &options);
  for (int i = 0; i < n; i++) {
    r.data->t = 0.1 * i;
    cardan__watch_look(r.sim, series[i].balance, series[i].kinetic, 0.0);
  }
  const int64_t jumps = r.sim->stats.jumps;
  *t = r.sim->stats.jump.to;
  assert_int_equal(jumps > 0, cardan_sim_warning(r.sim)[0] != '\0');
  run_free(&r);
  return jumps;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// what another root of a step did to two runs, before roots were certified: chain:10 by vi at a dt
// of 0.078, scissor:5 by svi at 0.05
static void another_root_is_seen(void **state)
{
  (void)state;
  const look chain[] = {{0, 0},           {-0.0296, 1.125}, {-0.1853, 3.923}, {-0.3662, 6.547},
                        {-0.2638, 7.96},  {-0.281, 8.375},  {-0.1609, 7.993}, {-0.07921, 7.726},
                        {-0.104, 8.546},  {-0.2283, 10.15}, {-0.1935, 11.53}, {-0.1137, 12.74},
                        {-0.1517, 14.45}, {-0.2824, 16.18}, {-0.3664, 16.99}, {-0.1857, 17.23},
                        {-0.2135, 16.75}, {-0.1068, 15.49}, {-0.532, 16.07},  {0.01693, 14.75},
                        {0.2895, 11.18},  {369.7, 352.6},   {339.9, 292.7},   {265, 186.4}};
  const look scissor[] = {{0, 0},           {0.001946, 0.8613}, {0.008163, 3.442}, {0.01988, 7.732},
                          {0.03955, 13.71}, {0.07154, 21.34},   {0.1237, 30.57},   {0.2092, 41.26},
                          {0.3325, 53.13},  {0.06242, 64.84},   {-13.33, 58.32},   {-6.48, 56.64}};
  double t;
  assert_int_equal(jumps_in(chain, COUNT(chain), &t), 1);
  assert_near(t, 2.1, 1e-12);
  assert_int_equal(jumps_in(scissor, COUNT(scissor), &t), 1);
  assert_near(t, 1.0, 1e-12);
}

// Euler from rest gains all of K in its first step, and then K / k^2 in step k; a turning point has
// little K; rounding of large energies is no jump; nor is a method that does it all the time
static void a_method_s_own_error_is_not(void **state)
{
  (void)state;
  look series[100];
  double t;
  for (int k = 0; k < 100; k++) {
    series[k] = (look){0.5 * k, 0.5 * k * k};
  }
  assert_int_equal(jumps_in(series, 100, &t), 0);
  for (int k = 0; k < 100; k++) { // K falls to 0 and comes back, an error of 1e-3 of it beside
    series[k] = (look){1e-3 * sin(0.3 * k), cos(0.1 * k) * cos(0.1 * k)};
  }
  assert_int_equal(jumps_in(series, 100, &t), 0);
  for (int k = 0; k < 100; k++) {
    series[k] = (look){k % 7 == 3 ? 1e-12 : 0.0, 1e-13};
  }
  assert_int_equal(jumps_in(series, 100, &t), 0);
  for (int k = 0; k < 100; k++) {
    series[k] = (look){k % 2 ? 0.3 : 0.0, 1.0};
  }
  series[0].kinetic = 0.0;
  assert_int_equal(jumps_in(series, 100, &t), 0);
  for (int k = 0; k < 100; k++) { // let go after a while
    series[k] = k < 50 ? (look){0.0, 0.0} : (look){0.5 * (k - 49), 0.5 * (k - 49) * (k - 49)};
  }
  assert_int_equal(jumps_in(series, 100, &t), 0);
  series[98] = (look){3.0, 1e-3};
  series[99] = (look){300.0, 1e-3}; // at a turning point, but more than ever moved
  assert_int_equal(jumps_in(series, 100, &t), 1);
}

static cardan_status keep_time(void *user, const double *row, cardan_report *report)
{
  (void)report;
  *(double *)user = row[0];
  return CARDAN_OK;
}

// a stiff spring by methods that do not hold it: the run ends, with when it began. Rows end before
// the node that shows it, and no step continues from there. In play are 5000 J
static void what_blows_up_ends_the_run(void **state)
{
  (void)state;
  static const char spring[] = "(system (tx \"x\" (mass 1 .1 .1 .1)) (joint-spring \"x\" 1e6 0)"
                               " (initial (\"x\" 0.1)))";
  static const char *const methods[] = {"vi",           "aba:euler",      "aba:semi-implicit",
                                        "aba:rk4",      "hamilton:euler", "hamilton:semi-implicit",
                                        "baraff:rk2",   "baraff:euler",   "rattle",
                                        "half-implicit"};
  for (int i = 0; i < COUNT(methods); i++) {
    cardan_options options = run_options(methods[i], 0.01, 0.5);
    options.potentials = i == 0 ? "nodes" : NULL; // by the middle of the step it is stable
    run r = run_begin(spring, NULL, &options);
    cardan_report report = {.message = ""};
    cardan_run_state end;
    double last = -1.0;
    const cardan_sink sink = {.user = &last, .row = keep_time};
    assert_int_equal(cardan_run(r.sim, 50, &sink, 1, &end, &report), CARDAN_ERR_BLEW_UP);
    assert_non_null(strstr(report.message, "the motion blew up"));
    assert_non_null(strstr(report.message, "try a smaller dt"));
    assert_string_equal(report.message, cardan_sim_warning(r.sim));
    assert_int_equal(end.row, CARDAN_ERR_BLEW_UP);
    assert_true(end.step <= 10);
    assert_near(last, 0.01 * (double)(end.step - 1), 1e-12);
    assert_int_equal(cardan_sim_step(r.sim, NULL), CARDAN_ERR_BLEW_UP);
    assert_true(r.sim->stats.jumps > 0 && r.sim->stats.jump.from <= 0.02);
    run_free(&r);
  }
  const cardan_options options = run_options("aba:rk4", 0.02, 2);
  run r = run_begin("(system (tx \"x\" (mass 1 .1 .1 .1)) (torque \"x\" (* -1e6 q.x))"
                    " (initial (\"x\" 0.1)))",
                    NULL, &options);
  assert_int_equal(cardan_run(r.sim, 100, NULL, 0, NULL, NULL), CARDAN_ERR_BLEW_UP);
  run_free(&r);
}

// one step may be wrong by all orders of magnitude, and the next ones right: a failure, too. A body
// that was at rest may well move in one step
static void one_step_may_blow_up(void **state)
{
  (void)state;
  static const look series[] = {{0, 1}, {0, 1}, {1e60, 1e60}, {1e60, 1e60}, {1e60, 1e60}};
  for (int begin = 0; begin < 2; begin++) {
    const cardan_options options = run_options("vi", 0.01, 1);
    run r = run_load("(system (gravity 0 0 0) (tx \"x\" (mass 1 .1 .1 .1)))", NULL, &options);
    for (int i = 0; i < COUNT(series); i++) {
      r.data->t = 0.01 * i;
      const double size =
          begin == 0 || i > 1 ? 1 : 0; // from rest what is off may be the work alone
      cardan__watch_look(r.sim, size * series[i].balance, size * series[i].kinetic, 0.0);
    }
    assert_int_equal(r.sim->watch.blown, begin == 0);
    run_free(&r);
  }
}

// energies that grow for a reason: a driver that begins late, in a body that had been at rest but
// for rounding; a motor that works for long; an explicit method's first steps from rest; a chain
// that whips. Coarse steps, and a large band. None of them blew up
static void rough_motions_do_not_blow_up(void **state)
{
  (void)state;
  static const char *const models[] = {
      "(system (gravity 0 0 0) (rz \"a\" (mass 1 1 1 1)) (torque \"a\" (if (< t 1) 0 1e6)))",
      "(system (gravity 0 0 0) (rz \"a\" (mass 1 1 1 1)) (torque \"a\" (* 1e3 (sin (* 20 t)))))",
      "(system (gravity 0 0 0) (rz \"a\" (tx 1 (mass 1 .1 .1 .1) (rz \"b\" (tx 1 (mass 1 .1 .1 "
      ".1)))))"
      " (motion \"a\" (* 2 (step (- t 0.5)) (^ (- t 0.5) 2))))",
      "(system (tx \"x\" (mass 1 .1 .1 .1)) (joint-spring \"x\" 900 0) (initial (\"x\" 1e-12)))",
      "double-pendulum",
      "chain:10",
      "scissor:4"};
  static const char *const methods[] = {
      "vi", "svi", "aba:rk4", "aba:euler", "aba:semi-implicit", "rattle", "half-implicit"};
  for (int i = 0; i < COUNT(models); i++) {
    for (int k = 0; k < COUNT(methods); k++) {
      const bool euler = k == 3 && i > 2; // which does blow up, little by little
      const cardan_options options = run_options(methods[k], 0.05, 3);
      run r = run_begin(models[i], NULL, &options);
      cardan_report report = {.message = ""};
      const cardan_status status = cardan_run(r.sim, 60, NULL, 0, NULL, &report);
      if (status == CARDAN_ERR_BLEW_UP && !euler) {
        fail_msg("%s, %s: %s", models[i], methods[k], report.message);
      }
      run_free(&r);
    }
  }
}

// with few looks K is hardly seen: what work and energy show of the motion counts then
static void few_looks_are_no_drift(void **state)
{
  (void)state;
  cardan_options options = run_options("vi", 0.002, 0.3);
  options.every = 300;
  run r = run_begin("quadruped", NULL, &options);
  expect_ok(cardan_run(r.sim, 150, NULL, 0, NULL, NULL), NULL, "quadruped");
  assert_in_range(r.sim->stats.looks, 16, 30); // every tenth, and where it falls faster
  assert_string_equal(cardan_sim_warning(r.sim), "");
  run_free(&r);
}

// a node in ten of the first 1000, then one in a hundred; the first step is faster than no motion
static void long_runs_are_checked_less_often(void **state)
{
  (void)state;
  cardan_options options = run_options("vi", 0.01, 50);
  options.every = 100000;
  run r = run_begin("(system (gravity 0 0 0) (tx \"x\" (mass 1)) (initial (\"x\" 0 2)))", NULL,
                    &options);
  expect_ok(cardan_run(r.sim, 5000, NULL, 0, NULL, NULL), NULL, "a free body");
  assert_int_equal(r.sim->stats.looks, 1 + 1 + 100 + 40);
  run_free(&r);
}

// explicit Euler at omega h = 3 multiplies energies by 10 in each step. From 150 s on a force of 1
// uN pushes; some 20 steps later the energy is far beyond the 10 J in play, between two checks
static void bursts_between_checks_are_seen(void **state)
{
  (void)state;
  cardan_options options = run_options("aba:euler", 0.1, 200);
  options.every = 100000;
  run r = run_begin("(system (gravity 0 0 0) (tx \"x\" (mass 1)) (joint-spring \"x\" 900 0)"
                    " (torque \"x\" (* 1e-6 (step (- t 150)))))",
                    NULL, &options);
  assert_int_equal(cardan_run(r.sim, 1530, NULL, 0, NULL, NULL), CARDAN_ERR_BLEW_UP);
  assert_in_range((int)r.sim->data->t, 150, 152);
  run_free(&r);
}

// a NaN is named by its expression and line, by whichever method, and not by where it was noticed
static void what_is_not_a_number_is_named(void **state)
{
  (void)state;
  static const struct {
    const char *items, *named;
  } cases[] = {{"(torque \"b\" (sqrt (neg q.a)))", "(sqrt (- q.a)) (torque \"torque1\", line 2)"},
               {"(wrench world \"B\" (0 (log (- q.a 1)) 0) (0 0 0))",
                "(log (- q.a 1)) (wrench \"wrench1\", line 2)"},
               {"(potential (sqrt (- 0.5 q.a)))", "potential \"potential1\", line 2"},
               {"(motion \"b\" (log (- 0.05 t)))", "(log (- 0.05 t)) (motion \"motion1\", line 2)"},
               {"(rx (k \"c\") (mass 1 1 1 1)) (motion \"c\" (sqrt (- 0.05 t)))",
                "(sqrt (- 0.05 t)) (the motion of \"c\", line 2)"}};
  static const char *const methods[] = {"vi", "svi", "aba:rk4", "hamilton:rk4", "rattle"};
  for (int i = 0; i < COUNT(cases); i++) {
    for (int k = 0; k < COUNT(methods); k++) {
      char text[512];
      cardan_report report = {.message = ""};
      const cardan_options options = run_options(methods[k], 0.01, 1);
      snprintf(text, sizeof text,
               "(system (ry \"a\" (tz -1 (mass 1 .1 .1 .1))) (ry \"b\" (name \"B\") (tz -1"
               " (mass 1 .1 .1 .1))) (initial (\"a\" 0.6) (\"b\" -3))\n%s)",
               cases[i].items);
      run r = run_load(text, NULL, &options);
      cardan_status status = cardan_sim_start(r.sim, &report);
      status = status == CARDAN_OK ? cardan_run(r.sim, 10, NULL, 0, NULL, &report) : status;
      const char *said = status == CARDAN_OK ? cardan_sim_warning(r.sim) : report.message;
      if (strstr(said, cases[i].named) == NULL) {
        fail_msg("%s, %s: %s", cases[i].items, methods[k], said);
      }
      run_free(&r);
    }
  }
}

// an output is not a number for a while: said once, with its line, and no jump
static void outputs_that_are_none_are_told(void **state)
{
  (void)state;
  double last = -1.0;
  const cardan_sink sink = {.user = &last, .row = keep_time};
  for (int strict = 0; strict < 2; strict++) {
    cardan_options options = run_options("vi", 0.01, 1);
    options.strict = strict;
    run r = run_begin("(system (tx \"a\" (mass 1)) (initial (\"a\" 0.55 -10))\n"
                      " (output \"y\" (log q.a)))",
                      NULL, &options);
    assert_int_equal(cardan_run(r.sim, 10, &sink, 1, NULL, NULL),
                     strict ? CARDAN_ERR_STRICT : CARDAN_OK);
    assert_string_equal(cardan_sim_warning(r.sim),
                        "at t = 0.06 (log q.a) (output \"y\", line 2) is not a number");
    assert_int_equal(r.sim->stats.jumps, 0);
    run_free(&r);
  }
}

// a motion that jumps, or its rate: said once with when, where and the line, by constraint or
// prescribed; what bends or swings fast without a jump is not
static void drivers_that_jump_are_told(void **state)
{
  (void)state;
  static const struct {
    const char *motion, *words;
  } cases[] = {
      {"(if (< t 0.233) 0 1)", "at t = 0.233 (if (< t 0.233) 0 1) ("},
      {"(* 2 (step (- t 0.233)))", "jumps from 0 to 2"},
      {"(max 0 (- t 0.233))", "at t = 0.233 the rate of (max 0 (- t 0.233)) ("},
      {"(abs (- t 0.233))", "jumps from -1 to 1"},
      {"(max 0 (^ (max 0 (- t 0.233)) 2))", ""},
      {"(if (< t 0.233) (sin (* 300 t)) (sin (* 300 t)))", ""},
      {"(sin (* 300 t))", ""},
  };
  for (int i = 0; i < 2 * COUNT(cases); i++) {
    char text[512];
    const char *motion = cases[i / 2].motion, *words = cases[i / 2].words;
    const cardan_options options = run_options("aba:rk4", 0.01, 1);
    snprintf(text, sizeof text,
             "(system (ry %s (mass 1 1 1 1) (ry \"b\" (mass 1 1 1 1)))\n"
             "(motion \"a\" %s))",
             i % 2 ? "(k \"a\")" : "\"a\"", motion);
    run r = run_begin(text, NULL, &options);
    run_steps(&r, 40);
    const char *said = cardan_sim_warning(r.sim);
    if (strstr(said, words) == NULL || (words[0] == '\0' && strstr(said, "jumps from") != NULL) ||
        (words[0] != '\0' && strstr(said, "line 2") == NULL)) {
      fail_msg("%s: %s", motion, said);
    }
    run_free(&r);
  }
}

// so are equations and lengths of wires, which drive as well as a motion does
static void rows_that_jump_are_told(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"(equation (- q.a (if (< t 0.233) 0 1)))", "at t = 0.233 (- q.a (if (< t 0.233) 0 1)) ("},
      {"(equation (- (px \"tip\") (* 0.1 (max 0 (- t 0.233)))))", "jumps from 0 to -0.1"},
      {"(wire \"tip\" \"hook\" (if (< t 0.233) 2 1.9))",
       "(wire \"wire1\", line 2) jumps from 2 to 1.9"},
      {"(equation (- (abs (+ 3 q.a)) (sin t) 3))", ""},
  };
  for (int i = 0; i < COUNT(cases); i++) {
    char text[512];
    const cardan_options options = run_options("aba:rk4", 0.01, 1);
    snprintf(text, sizeof text,
             "(system (ry \"a\" (mass 1 1 1 1) (tz -1 (ry \"b\" (tz -1 (mass 1 1 1 1)"
             " (name \"tip\"))))) (place (2 0 -2) (name \"hook\"))\n%s)",
             cases[i][0]);
    run r = run_begin(text, NULL, &options);
    run_steps(&r, 40);
    const char *said = cardan_sim_warning(r.sim), *words = cases[i][1];
    if (strstr(said, words) == NULL || (words[0] == '\0' && strstr(said, "jumps from") != NULL)) {
      fail_msg("%s: %s", cases[i][0], said);
    }
    run_free(&r);
  }
}

// a bushing that is wound past half a turn jumps without a change of the energy: said, however few
// steps a turn has; one that swings below it is not
static void bushings_at_half_a_turn(void **state)
{
  (void)state;
  static const struct {
    double speed;
    int steps; // none of whose nodes a row is of
    bool said;
  } cases[] = {{5, 50, false}, {12, 50, true}, {12, 1000, true}, {500, 50, true}};
  for (int i = 0; i < COUNT(cases); i++) {
    char text[512];
    const cardan_options options = run_options("aba:rk4", 0.01, 1);
    snprintf(text, sizeof text,
             "(system (rz \"a\" (mass 1 0.1 0.1 0.1) (name \"m\")) (place (0 0 0) (name \"g\"))"
             " (bushing \"g\" \"m\" (9 9 9) (1 1 1) (name \"pad\")) (initial (\"a\" 0 %g)))",
             cases[i].speed);
    run r = run_begin(text, NULL, &options);
    assert_int_equal(cardan_run(r.sim, cases[i].steps, NULL, 0, NULL, NULL), CARDAN_OK);
    (void)cardan_sim_data(r.sim);
    const char *said = cardan_sim_warning(r.sim);
    if ((strstr(said, "the bushing \"pad\" is turned by") != NULL) != cases[i].said) {
      fail_msg("%g rad/s: %s", cases[i].speed, said);
    }
    run_free(&r);
  }
}

// Euler's double pendulum at 0.1 s: counted; a strict run ends before the row, and says when
static void strict_runs_end(void **state)
{
  (void)state;
  for (int strict = 0; strict < 2; strict++) {
    cardan_report report = {.message = ""};
    double last = -1.0;
    const cardan_sink sink = {.user = &last, .row = keep_time};
    cardan_run_state end;
    cardan_options options = run_options("aba:euler", 0.1, 2);
    options.strict = strict;
    run r = run_begin("double-pendulum", NULL, &options);
    const cardan_status status = cardan_run(r.sim, 20, &sink, 1, &end, &report);
    const cardan_stats stats = cardan_sim_stats(r.sim);
    assert_true(stats.jumps > 0 && stats.jump.from < stats.jump.to);
    assert_int_equal(status, strict ? CARDAN_ERR_JUMP : CARDAN_OK);
    assert_near(last, strict ? stats.jump.from : 2.0, 1e-12);
    assert_int_equal(end.row, status);
    if (strict) {
      assert_string_equal(report.message, cardan_sim_warning(r.sim));
    }
    run_free(&r);
  }
}

// what goes little by little is reported at the end, of all that was run; not of a motion from rest
// whose first steps alone are rough
static void drifts_are_told_at_the_end(void **state)
{
  (void)state;
  for (int strict = 0; strict < 2; strict++) {
    cardan_report report = {.message = ""};
    cardan_run_state end;
    cardan_options options = run_options("fully-implicit", 0.01, 5);
    options.strict = strict;
    run r = run_begin("scissor:8", NULL, &options);
    const cardan_status status = cardan_run(r.sim, 500, NULL, 0, &end, &report);
    assert_int_equal(r.sim->stats.jumps, 0);
    assert_int_equal(status, strict ? CARDAN_ERR_STRICT : CARDAN_OK);
    assert_int_equal(end.step, 500);
    assert_non_null(strstr(cardan_sim_warning(r.sim), "off by up to 183 J"));
    run_free(&r);
  }
  const cardan_options options = run_options("fully-implicit", 0.01, 1);
  run r = run_begin("chain:2", NULL, &options);
  expect_ok(cardan_run(r.sim, 5, NULL, 0, NULL, NULL), NULL, "chain");
  assert_true(cardan_sim_warning(r.sim)[0] != '\0');
  expect_ok(cardan_run(r.sim, 45, NULL, 0, NULL, NULL), NULL, "chain");
  assert_string_equal(cardan_sim_warning(r.sim), "");
  run_free(&r);
}

// a loop that springs open ends a run by a method that was to hold it, and is reported otherwise
static void open_loops_end_a_run(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++) {
    cardan_report report = {.message = ""};
    cardan_options options = run_options(i == 0 ? "vi" : "aba:rk4", 0.01, 1);
    options.stabilise = i == 2 ? "none" : NULL;
    run r = run_load("closed-chain", NULL, &options);
    cardan__watch_look(r.sim, 0, 1, 1e-16);
    cardan__watch_look(r.sim, 0, 1, 1e-9);
    assert_int_equal(cardan__watch_heed(r.sim, &report), CARDAN_OK);
    assert_string_equal(cardan_sim_warning(r.sim), "");
    cardan__watch_look(r.sim, 0, 1, 1e-2);
    assert_int_equal(cardan__watch_heed(r.sim, &report), i < 2 ? CARDAN_ERR_JUMP : CARDAN_OK);
    assert_int_equal(i < 2, strstr(report.message, "a loop is open by") != NULL);
    assert_non_null(strstr(cardan_sim_warning(r.sim), "a loop is open by 0.01 m or rad"));
    assert_int_equal(r.sim->stats.jumps, 1);
    run_free(&r);
  }
}

// a start that could not be as given is refused by a strict run
static void strict_starts(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  cardan_options options = run_options("vi", 0.01, 1);
  options.strict = true;
  run r = run_load("(system (rx (k \"a\") (mass 1 1 1 1)) (motion \"a\" (* 6.4 t))"
                   " (initial (\"a\" 0 1)))",
                   NULL, &options);
  assert_int_equal(cardan_sim_start(r.sim, &report), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, "not the one given"));
  run_free(&r);
}

// a saved run remembers its band, and what it saw
static void saved_with_the_run(void **state)
{
  (void)state;
  static char bytes[1 << 16];
  cardan_options options = run_options("aba:euler", 0.1, 0);
  run a = run_begin("double-pendulum", NULL, &options);
  run b = run_begin("double-pendulum", NULL, &options);
  run_steps(&a, 15);
  assert_true(cardan_sim_stats(a.sim).jumps > 0);
  assert_true(cardan_sim_snapshot_size(a.sim) <= sizeof bytes);
  expect_ok(cardan_sim_snapshot_save(a.sim, bytes, sizeof bytes, NULL), NULL, "save");
  expect_ok(cardan_sim_snapshot_load(b.sim, bytes, sizeof bytes, NULL), NULL, "restore");
  assert_string_equal(cardan_sim_warning(a.sim), cardan_sim_warning(b.sim));
  run_steps(&a, 20);
  run_steps(&b, 20);
  assert_int_equal(cardan_sim_stats(a.sim).jumps, cardan_sim_stats(b.sim).jumps);
  run_free(&a);
  run_free(&b);
}

// once, however long it stays so
static void no_number_is_seen(void **state)
{
  (void)state;
  const look series[] = {{0, 1}, {1e-6, 1}, {(double)NAN, 1}, {(double)NAN, 1}};
  double t = 0.0;
  assert_int_equal(jumps_in(series, COUNT(series), &t), 1);
  assert_true(t == 0.2);
  assert_int_equal(jumps_in(series + 2, COUNT(series) - 2, &t), 1); // from the first check
}

// a wire is as long as the size of its number: one that goes below 0 in the time of a run is
// reported before it, with the time; one that would later is not
static void a_length_below_zero_is_reported(void **state)
{
  static const char text[] =
      "(system (tz 0 (name \"o\")) (tz \"z\" (tx \"x\" (mass 1) (name \"p\")))\n"
      "(wire \"o\" \"p\" (- 1 (* 2 t))) (initial (\"z\" -1)))";
  (void)state;
  for (int late = 0; late < 2; late++) {
    const cardan_options o = run_options("vi", 0.03, late ? 0.9 : 0.45);
    run r = run_begin(text, NULL, &o);
    const char *told = strstr(cardan_sim_note(r.sim), "the length of wire \"wire1\" (line 2) is ");
    assert_int_equal(told != NULL, late);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_root_is_seen),
      cmocka_unit_test(a_length_below_zero_is_reported),
      cmocka_unit_test(no_number_is_seen),
      cmocka_unit_test(what_blows_up_ends_the_run),
      cmocka_unit_test(one_step_may_blow_up),
      cmocka_unit_test(rough_motions_do_not_blow_up),
      cmocka_unit_test(few_looks_are_no_drift),
      cmocka_unit_test(long_runs_are_checked_less_often),
      cmocka_unit_test(bursts_between_checks_are_seen),
      cmocka_unit_test(what_is_not_a_number_is_named),
      cmocka_unit_test(outputs_that_are_none_are_told),
      cmocka_unit_test(drivers_that_jump_are_told),
      cmocka_unit_test(rows_that_jump_are_told),
      cmocka_unit_test(bushings_at_half_a_turn),
      cmocka_unit_test(a_method_s_own_error_is_not),
      cmocka_unit_test(strict_runs_end),
      cmocka_unit_test(strict_starts),
      cmocka_unit_test(saved_with_the_run),
      cmocka_unit_test(open_loops_end_a_run),
      cmocka_unit_test(drifts_are_told_at_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
