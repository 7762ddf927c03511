// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "run.h"
#include "run/sim.h"
#include "support.h"

/* The estimated error of a run: it does not change the run, and it sees what energy does not. */

enum { STEPS = 300 };

/* x'' = -w^2 x from x = 1, w = 1 rad/s. */
#define OSCILLATOR \
  "(system (gravity 0 0 0) (tx \"x\" (mass 1)) (joint-spring \"x\" 1 0) (initial (\"x\" 1)))"

static cardan_error_estimate error_of(const run *r)
{
  return cardan_sim_stats(r->sim).error;
}

/* A run that is never measured. */
static run begin_without(const char *model, const cardan_options *options)
{
  run r = run_begin(model, NULL, options);
  cardan__resize(&r.sim->allocator, r.sim->estimate.block, 0);
  r.sim->estimate.block = NULL;
  return r;
}

static void expect_same_bits(const char *model, const cardan_options *options)
{
  run with = run_begin(model, NULL, options), without = begin_without(model, options);
  run_steps(&with, STEPS);
  run_steps(&without, STEPS);
  const cardan_stats a = cardan_sim_stats(with.sim), b = cardan_sim_stats(without.sim);
  assert_true(a.error.samples > 8 && b.error.coordinate == -1);
  assert_int_equal(a.evaluations, b.evaluations);
  assert_true(a.iterations_mean == b.iterations_mean && a.energy_final == b.energy_final);
  assert_int_equal(a.contact.impacts, b.contact.impacts);
  assert_memory_equal(with.data->q, without.data->q, (size_t)with.model->nq * sizeof(double));
  assert_memory_equal(with.data->v, without.data->v, (size_t)with.model->nv * sizeof(double));
  run_free(&with);
  run_free(&without);
}

// motions, evaluations and energies have the same bits with samples and without
static void changes_no_bit(void **state)
{
  static const char *const models[] = {"chain:3",       "closed-chain", "spherical-chain:3",
                                       "bouncing-ball", "rolling-ball", "slider-crank"};
  (void)state;
  const char *method;
  int n = 0;
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
    for (int i = 0; (method = run_method(i)) != NULL; i++) {
      const cardan_options options = run_options(method, 0.002, 1);
      run r = {.model = NULL};
      cardan_report report;
      assert_int_equal(cardan_model_load(models[m], NULL, 0, NULL, &r.model, &report), CARDAN_OK);
      const bool takes = cardan_sim_create(r.model, &options, NULL, &r.sim, NULL) == CARDAN_OK &&
                         cardan_sim_start(r.sim, NULL) == CARDAN_OK;
      const bool measured = takes && r.sim->estimate.block != NULL;
      cardan_sim_destroy(r.sim);
      cardan_model_destroy(r.model);
      if (measured) {
        expect_same_bits(models[m], &options);
        n++;
      }
    }
  }
  print_message("%d runs\n", n);
  assert_true(n > 30);
}

// a phase that is lost while the energy stays: the midpoint rule turns by 2 atan(x/2) a step
static void sees_phase(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    const double x = 0.05 * pow(2, i), T = 20;
    const cardan_options options = run_options("svi", x, T);
    run r = run_begin(OSCILLATOR, NULL, &options);
    const int n = (int)(T / x + 0.5);
    run_steps(&r, n);
    const double lag = fabs(n * (x - 2 * atan(x / 2))); // of the phase: at most that is the error
    const cardan_error_estimate e = error_of(&r);
    print_message("x %.2f: estimated %.2e, phase lags by %.2e rad\n", x, e.value, lag);
    assert_int_equal(e.coordinate, 0);
    assert_true(e.value > lag / 5 && e.value < 5 * lag);
    assert_near(e.range, 2, 0.1);
    assert_true(cardan_sim_stats(r.sim).energy_band < 1e-12);
    run_free(&r);
  }
}

// a swing that is off by 14 % of its range is a warning at any step, whatever steps were measured;
// one that is off by 5 % is none
static void warns_of_a_lag(void **state)
{
  (void)state;
  for (int i = 0; i < 60; i++) {
    const double x = 0.05 * pow(7, i / 2 / 29.0), lag = i % 2 == 0 ? 0.28 : 0.1;
    const int n = (int)(lag / (x - 2 * atan(x / 2)) + 0.5);
    const cardan_options options = run_options("svi", x, n * x);
    run r = run_begin(OSCILLATOR, NULL, &options);
    assert_int_equal(cardan_run(r.sim, n, NULL, 0, NULL, NULL), CARDAN_OK);
    if ((cardan_sim_warning(r.sim)[0] != '\0') != (i % 2 == 0)) {
      fail_msg("x %g, lag %g: estimated %g, \"%s\"", x, lag, error_of(&r).value,
               cardan_sim_warning(r.sim));
    }
    run_free(&r);
  }
}

// a body that spins and, by the kinetic energy se3, falls behind on its straight way: in axes that
// spin with it the errors of its steps cancel, and its range is none of 1 m
static void sees_a_way_of_a_body_that_spins(void **state)
{
  (void)state;
  static const double spins[] = {100, 150, 200, 300};
  for (int i = 0; i < 4; i++) {
    char model[200];
    cardan_options options = run_options("vi", 0.01, 1);
    options.kinetic = "se3";
    snprintf(model, sizeof model,
             "(system (joint free \"f\" (mass 1 .01 .01 .01))"
             " (initial (\"f\" (0 0 0 1 0 0 0) (0 0 %g 1 0 0))))",
             spins[i]);
    run r = run_begin(model, NULL, &options);
    assert_int_equal(cardan_run(r.sim, 100, NULL, 0, NULL, NULL), CARDAN_OK);
    const double off = 1 - run_q(&r, "f.x");
    const cardan_error_estimate e = error_of(&r);
    print_message("%g rad/s: estimated %.2e, behind by %.2e m\n", spins[i], e.value, off);
    assert_string_equal(cardan_error_coordinate(r.model, e.coordinate), "f.x");
    assert_near(e.range, 1 - off, 1e-12);
    assert_true(e.value > off / 2 && e.value < 2 * off);
    assert_non_null(strstr(cardan_sim_warning(r.sim), "\"f.x\" may be off by "));
    run_free(&r);
  }
}

/* A pendulum, whose swings a long step does not follow; no spring is fast. */
static cardan_status run_to_end(const cardan_options *options, run *r)
{
  static const char pendulum[] = "(system (gravity 0 0 -9.81) (ry \"x\" (tz -9.81 (mass 1)))"
                                 " (initial (\"x\" 0.5)))";
  cardan_report report = {.message = ""};
  *r = run_begin(pendulum, NULL, options);
  return cardan_run(r->sim, 40, NULL, 0, NULL, &report);
}

// more than 7 % of the range is a warning, which strict makes an error; max-error is another bound
static void warns(void **state)
{
  (void)state;
  cardan_options options = run_options("svi", 1, 40);
  run r;
  assert_int_equal(run_to_end(&options, &r), CARDAN_OK);
  assert_non_null(strstr(cardan_sim_warning(r.sim), "\"x\" may be off by "));
  assert_non_null(strstr(cardan_sim_warning(r.sim), "% of its range"));
  run_free(&r);
  options.strict = true;
  assert_int_equal(run_to_end(&options, &r), CARDAN_ERR_STRICT);
  run_free(&r);
  options.max_error = 5;
  assert_int_equal(run_to_end(&options, &r), CARDAN_OK);
  assert_string_equal(cardan_sim_warning(r.sim), "");
  run_free(&r);
  options = run_options("svi", 0.05, 2);
  options.max_error = 1e-5;
  assert_int_equal(run_to_end(&options, &r), CARDAN_OK);
  assert_non_null(strstr(cardan_sim_warning(r.sim), "more than option max-error, 1e-05"));
  run_free(&r);
}

static void none_of_adaptive_methods(void **state)
{
  (void)state;
  cardan_options options = run_options("aba:dopri5", 0.01, 1);
  run r = run_whole("pendulum:2", NULL, &options);
  assert_int_equal(error_of(&r).coordinate, -1);
  assert_true(isnan(error_of(&r).value));
  assert_string_equal(cardan_sim_note(r.sim), "");
  run_free(&r);
  options.max_error = 0.1; // which nothing would read
  r = run_whole("pendulum:2", NULL, &options);
  assert_non_null(strstr(cardan_sim_note(r.sim), "max-error has no effect"));
  run_free(&r);
}

static cardan_status count_call(void *user, cardan_data *data, cardan_report *report)
{
  (void)data;
  (void)report;
  ++*(int *)user;
  return CARDAN_OK;
}

static double count_event(void *user, int k, const cardan_data *data)
{
  (void)k;
  ++((int *)user)[1];
  return 1 + data->q[0] * data->q[0];
}

static cardan_status ignore_event(void *user, int k, cardan_sim *sim, cardan_report *report)
{
  (void)user;
  (void)k;
  (void)sim;
  (void)report;
  return CARDAN_OK;
}

// hooks are called once a step, samples or not
static void calls_no_hook(void **state)
{
  (void)state;
  int calls[2] = {0, 0};
  const cardan_options options = run_options("vi", 0.01, 10);
  const cardan_hooks hooks = {.user = calls,
                              .control = count_call,
                              .nevent = 1,
                              .event = count_event,
                              .at_event = ignore_event};
  run r = run_begin("pendulum:2", NULL, &options);
  assert_int_equal(cardan_sim_hook(r.sim, &hooks, NULL), CARDAN_OK);
  run_steps(&r, STEPS);
  assert_int_equal(calls[0], STEPS);
  assert_int_equal(calls[1], STEPS + 1); // and the start's
  assert_true(error_of(&r).samples > 8);
  run_free(&r);
}

static void allocates_nothing(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  const cardan_options options = run_options("vi", 0.005, 10);
  run r = run_begin("chain:5", NULL, &options);
  const long before = support_alloc_count();
  run_steps(&r, STEPS);
  (void)error_of(&r);
  assert_int_equal(support_alloc_count(), before);
  run_free(&r);
}

// rows, a longer time, and a save in between leave the estimate as it is, to the bit
static void belongs_to_the_run(void **state)
{
  (void)state;
  cardan_options options = run_options("vi", 0.01, 3);
  run whole = run_whole("double-pendulum", NULL, &options);
  options.every = 7;
  options.time = 1;
  run first = run_begin("double-pendulum", NULL, &options);
  assert_int_equal(cardan_run(first.sim, 100, NULL, 0, NULL, NULL), CARDAN_OK);
  const size_t size = cardan_sim_snapshot_size(first.sim);
  void *bytes = malloc(size);
  assert_int_equal(cardan_sim_snapshot_save(first.sim, bytes, size, NULL), CARDAN_OK);
  options.time = 3;
  run rest = run_load("double-pendulum", NULL, &options);
  assert_int_equal(cardan_sim_snapshot_load(rest.sim, bytes, size, NULL), CARDAN_OK);
  run_steps(&rest, 200);
  const cardan_error_estimate a = error_of(&whole), b = error_of(&rest);
  assert_true(a.value == b.value && a.range == b.range);
  assert_int_equal(a.samples, b.samples);
  assert_int_equal(a.coordinate, b.coordinate);
  free(bytes);
  run_free(&whole);
  run_free(&first);
  run_free(&rest);
}

// what makes it uncertain is reported
static void says_why_it_is_uncertain(void **state)
{
  static const struct {
    const char *model;
    int doubt;
    const char *word;
  } cases[] = {{"bouncing-ball", CARDAN_DOUBT_EVENTS, "impacts"},
               {"double-pendulum", CARDAN_DOUBT_CHAOS, "chaos"},
               {"pendulum", 0, ""}};
  (void)state;
  for (int i = 0; i < 3; i++) {
    char text[400];
    const cardan_options options = run_options("vi", 0.01, 10);
    run r = run_whole(cases[i].model, NULL, &options);
    const cardan_error_estimate e = error_of(&r);
    cardan_error_doubts(&e, text, sizeof text);
    assert_int_equal(e.doubts & (CARDAN_DOUBT_EVENTS | CARDAN_DOUBT_CHAOS), cases[i].doubt);
    assert_non_null(strstr(text, cases[i].word));
    assert_int_equal(text[0] == '\0', e.doubts == 0);
    char small[9];
    cardan_error_doubts(&e, small, sizeof small);
    assert_true(strlen(small) < sizeof small);
    run_free(&r);
  }
}

// dry friction stops a slider in its second step, which no sample sees, beside one that slides far:
// the estimate is within a factor 3 of the error, and the warning is of the short one
static void sees_stops(void **state)
{
  (void)state;
  const char *model =
      "(system (tx \"far\" (mass 1)) (ty \"near\" (mass 1)) (dry-friction \"far\" 0.5)"
      " (dry-friction \"near\" 19) (initial (\"far\" 0 0.9) (\"near\" 0 0.25)))";
  const double right = 0.25 * 0.25 / (2 * 19);
  const cardan_options options = run_options("aba:rk4", 0.01, 1);
  run r = run_begin(model, NULL, &options);
  assert_int_equal(cardan_run(r.sim, 100, NULL, 0, NULL, NULL), CARDAN_OK);
  const cardan_error_estimate e = error_of(&r);
  const double error = fabs(run_q(&r, "near") - right);
  assert_string_equal(r.model->v_name[e.coordinate], "near");
  assert_true(error > 0.2 * right && e.value > error && e.value < 3 * error);
  assert_true((e.doubts & CARDAN_DOUBT_STOPS) != 0);
  assert_non_null(strstr(cardan_sim_warning(r.sim), "\"near\" may be off by"));
  run_free(&r);
}

// the first step of half-implicit has the forces of the start over all of it: g h T / 2 of a fall
static void sees_the_first_kick(void **state)
{
  (void)state;
  const cardan_options options = run_options("half-implicit", 0.01, 2);
  run r = run_whole("(system (gravity 0 0 -10) (tz \"z\" (mass 1 1 1 1)))", NULL, &options);
  const cardan_error_estimate e = error_of(&r);
  const double error = fabs(run_q(&r, "z") + 20);
  assert_near(error, 0.1, 1e-9);
  assert_true(e.value > 0.5 * error && e.value < 2 * error);
  run_free(&r);
}

// an impact at the end of its step is late: a ball without loss, beside others that come to rest
static void sees_late_impacts(void **state)
{
  (void)state;
  cardan_options options = run_options("vi", 0.01, 4);
  run exact = run_whole("bouncing-ball", NULL, &options);
  const double late = run_q(&exact, "a");
  const cardan_error_estimate e = error_of(&exact);
  run_free(&exact);
  options.impacts = "located";
  exact = run_whole("bouncing-ball", NULL, &options);
  const double error = fabs(run_q(&exact, "a") - late);
  assert_true(error > 1e-3 && e.value > 0.2 * error && e.value < 5 * error);
  assert_true(error_of(&exact).value < 1e-10);
  run_free(&exact);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_no_bit),
      cmocka_unit_test(sees_phase),
      cmocka_unit_test(sees_a_way_of_a_body_that_spins),
      cmocka_unit_test(warns_of_a_lag),
      cmocka_unit_test(warns),
      cmocka_unit_test(none_of_adaptive_methods),
      cmocka_unit_test(calls_no_hook),
      cmocka_unit_test(allocates_nothing),
      cmocka_unit_test(belongs_to_the_run),
      cmocka_unit_test(says_why_it_is_uncertain),
      cmocka_unit_test(sees_stops),
      cmocka_unit_test(sees_the_first_kick),
      cmocka_unit_test(sees_late_impacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
