// SPDX-License-Identifier: Apache-2.0
// A program in the course of a run: steps of other lengths, control, events, restarts.
#include <math.h>
#include <string.h>

#include "cardan/run.h"
#include "run.h"

static const char ball[] =
    "(system (gravity 0 0 -9.81) (tz \"z\" (mass 1 1 1 1)) (initial (\"z\" 1)))";

enum { MOST = 32 };

typedef struct {
  double restitution;
  int n;
  double time[MOST]; // of each bounce
} bounces;

static double height(void *user, int k, const cardan_data *data)
{
  (void)user;
  (void)k;
  return data->q[0];
}

static cardan_status bounce(void *user, int k, cardan_sim *sim, cardan_report *report)
{
  bounces *b = user;
  cardan_data *data = cardan_sim_data(sim);
  (void)k;
  assert_true(b->n < MOST);
  b->time[b->n++] = data->t;
  data->v[0] *= -b->restitution;
  return cardan_sim_start_from_current(sim, report);
}

static const int falling = -1;

/* Falls 1 m, then t_n = t_0 (1 + 2 (e + .. + e^n)). Under constant gravity all of these methods are
 * exact, so that times are right to rounding and the tolerance of adaptive integrators, 1e-12 a
 * flight; half-implicit steps have velocities half a step apart, and are left out. */
static void check_bounces(const char *method)
{
  const cardan_options o = run_options(method, 0.013, 5);
  run r = run_begin(ball, NULL, &o);
  cardan_report report = {.message = ""};
  bounces b = {.restitution = 0.8};
  const cardan_hooks hooks = {
      .user = &b, .nevent = 1, .direction = &falling, .event = height, .at_event = bounce};
  expect_ok(cardan_sim_hook(r.sim, &hooks, &report), &report, "hook");
  expect_ok(cardan_run(r.sim, 290, NULL, 0, NULL, &report), &report, method);
  assert_in_range(b.n, 9, MOST);
  double t = sqrt(2 / 9.81), leap = t, energy = 9.81, worst = 0;
  for (int n = 0; n < b.n; n++) {
    worst = fmax(worst, fabs(b.time[n] - t));
    leap *= b.restitution;
    t += 2 * leap;
    energy *= b.restitution * b.restitution;
  }
  const cardan_stats stats = cardan_sim_stats(r.sim);
  print_message("%-16s %d bounces, times to %.1e s, balance to %.1e J\n", method, b.n, worst,
                stats.drift_max);
  assert_true(worst < 1e-9);
  assert_int_equal(stats.events, b.n);
  assert_int_equal(stats.steps, 290);
  assert_near(cardan_sim_data(r.sim)->t, 290 * 0.013, 1e-15);
  assert_near(stats.energy_final, energy, 1e-8);
  assert_near(stats.given, energy - 9.81, 1e-8);
  assert_near(stats.drift_max, 0, 1e-8); // what bounces take counts as work
  run_free(&r);
}

static void test_bouncing(void **state)
{
  static const char *const methods[] = {
      "vi",        "svi",        "rattle",    "aba:rk4", "aba:dopri5",     "hamilton:rk4",
      "aba:ode45", "aba:dop853", "aba:adams", "aba:bdf", "hamilton:rkf45", "baraff:rk4"};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    check_bounces(methods[i]);
  }
}

/* Two values that cross in one step, in the order of their times, and one that goes the other way;
 * nothing is changed, so that the motion is the one without events. */
typedef struct {
  int n, which[MOST];
  double time[MOST];
} seen;

static double levels(void *user, int k, const cardan_data *data)
{
  (void)user;
  return data->q[0] - (k == 0 ? 0.5 : k == 1 ? 0.52 : 0.505);
}

static cardan_status note(void *user, int k, cardan_sim *sim, cardan_report *report)
{
  seen *s = user;
  (void)report;
  assert_true(s->n < MOST);
  s->which[s->n] = k;
  s->time[s->n++] = cardan_sim_data(sim)->t;
  return CARDAN_OK;
}

static void test_order(void **state)
{
  static const int direction[3] = {0, -1, 1};
  const cardan_options o = run_options("vi", 0.05, 0);
  run r = run_begin(ball, NULL, &o);
  cardan_report report = {.message = ""};
  seen s = {.n = 0};
  const cardan_hooks hooks = {
      .user = &s, .nevent = 3, .direction = direction, .event = levels, .at_event = note};
  (void)state;
  expect_ok(cardan_sim_hook(r.sim, &hooks, &report), &report, "hook");
  run_steps(&r, 10);
  assert_int_equal(s.n, 2);
  assert_int_equal(s.which[0], 1);
  assert_int_equal(s.which[1], 0);
  assert_near(s.time[0], sqrt(2 * 0.48 / 9.81), 1e-12);
  assert_near(s.time[1], sqrt(2 * 0.5 / 9.81), 1e-12);
  assert_near(run_q(&r, "z"), 1 - 0.5 * 9.81 * 0.25, 1e-12);
  expect_ok(cardan_sim_hook(r.sim, NULL, &report), &report, "none");
  run_steps(&r, 1);
  assert_int_equal(s.n, 2);
  run_free(&r);
}

/* An event at the very end of a step, twice the length of the first: it counts once. */
static void test_at_the_end(void **state)
{
  const cardan_options o = run_options("vi", sqrt(2 / 9.81) / 8, 0);
  run r = run_begin(ball, NULL, &o);
  cardan_report report = {.message = ""};
  bounces b = {.restitution = 1};
  const cardan_hooks hooks = {
      .user = &b, .nevent = 1, .direction = &falling, .event = height, .at_event = bounce};
  (void)state;
  expect_ok(cardan_sim_hook(r.sim, &hooks, &report), &report, "hook");
  run_steps(&r, 8 + 5 * 16 + 8);
  assert_int_equal(b.n, 6);
  assert_near(run_q(&r, "z"), 1, 1e-9);
  run_free(&r);
}

static double nothing(void *user, int k, const cardan_data *data)
{
  (void)user;
  (void)k;
  return data->t > 0.1 ? (double)NAN : 1.0;
}

static void test_refused(void **state)
{
  const cardan_options o = run_options("vi", 0.05, 0);
  run r = run_begin(ball, NULL, &o);
  cardan_report report = {.message = ""};
  (void)state;
  assert_int_equal(cardan_sim_hook(r.sim, &(cardan_hooks){.nevent = 1}, &report),
                   CARDAN_ERR_ARGUMENT);
  assert_int_equal(cardan_sim_hook(r.sim, &(cardan_hooks){.nevent = -1}, &report),
                   CARDAN_ERR_ARGUMENT);
  const cardan_hooks hooks = {.nevent = 1, .event = nothing, .at_event = note};
  expect_ok(cardan_sim_hook(r.sim, &hooks, &report), &report, "hook");
  run_steps(&r, 2);
  assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_NOT_FINITE);
  assert_non_null(strstr(report.message, "event 0 is not finite"));
  assert_near(cardan_sim_data(r.sim)->t, 0.1, 1e-15);
  run_free(&r);
}

/* A value that is pushed back to zero for ever is no event. */
static cardan_status fall_again(void *user, int k, cardan_sim *sim, cardan_report *report)
{
  (void)user;
  (void)k;
  cardan_sim_data(sim)->q[0] = 1e-6;
  cardan_sim_data(sim)->v[0] = 0;
  return cardan_sim_start_from_current(sim, report);
}

static void test_for_ever(void **state)
{
  const cardan_options o = run_options("vi", 1, 0);
  run r = run_begin(ball, NULL, &o);
  cardan_report report = {.message = ""};
  const cardan_hooks hooks = {
      .nevent = 1, .direction = &falling, .event = height, .at_event = fall_again};
  (void)state;
  expect_ok(cardan_sim_hook(r.sim, &hooks, &report), &report, "hook");
  assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_NO_CONVERGENCE);
  assert_non_null(strstr(report.message, "events in one step"));
  run_free(&r);
}

/* A servo as a program's own: what it does in the node before is held over the step. */
static cardan_status pull(void *user, cardan_data *data, cardan_report *report)
{
  (void)report;
  ++*(int *)user;
  data->tau_in[0] = data->t < 0.249 ? 2.0 : -2.0;
  return CARDAN_OK;
}

static void test_control(void **state)
{
  const cardan_options o = run_options("vi", 0.05, 0);
  run r = run_begin("(system (tx \"x\" (mass 4)))", NULL, &o);
  cardan_report report = {.message = ""};
  int calls = 0;
  const cardan_hooks hooks = {.user = &calls, .control = pull};
  (void)state;
  expect_ok(cardan_sim_hook(r.sim, &hooks, &report), &report, "hook");
  run_steps(&r, 10);
  assert_int_equal(calls, 10);
  assert_near(run_q(&r, "x"), 0.5 * 0.5 * 0.0625 * 2, 1e-15); // 0.25 s there, 0.25 s back
  assert_near(run_v(&r, "x"), 0, 1e-15);
  run_free(&r);
}

/* Unequal steps of a pendulum: order 2, and steps of dt continue from the last. */
static void test_step_to(void **state)
{
  const cardan_options o = run_options("vi", 0.01, 0);
  cardan_report report = {.message = ""};
  double error[2];
  (void)state;
  for (int i = 0; i < 2; i++) {
    run r = run_begin("pendulum:2", NULL, &o);
    const int n = 40 << i;
    for (int k = 0; k < n; k++) { // h, 2 h, h, 2 h, ..
      const double t = (k / 2 + (k % 2 ? 1.0 : 1.0 / 3)) * 2 / n;
      expect_ok(cardan_sim_step_to(r.sim, t, &report), &report, "step_to");
    }
    assert_near(r.data->t, 1, 1e-15);
    const double q = run_q(&r, "q1");
    run_steps(&r, 3);
    assert_near(r.data->t, 1.03, 1e-15);
    assert_int_equal(cardan_sim_step_to(r.sim, 1.03, &report), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_sim_step_to(r.sim, INFINITY, &report), CARDAN_ERR_ARGUMENT);
    run_free(&r);
    double exact[2];
    const cardan_options fine = run_options("aba:dopri5", 0.01, 0);
    run_end("pendulum:2", NULL, &fine, 1, 100, exact);
    error[i] = fabs(q - exact[0]);
  }
  print_message("unequal steps: error %.2e, %.2e\n", error[0], error[1]);
  assert_true(error[0] / error[1] > 3.5 && error[0] / error[1] < 4.5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bouncing),   cmocka_unit_test(test_order),
      cmocka_unit_test(test_at_the_end), cmocka_unit_test(test_refused),
      cmocka_unit_test(test_for_ever),   cmocka_unit_test(test_control),
      cmocka_unit_test(test_step_to)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
