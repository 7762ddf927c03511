// SPDX-License-Identifier: Apache-2.0
// Auxiliary states and what is sampled: closed forms and orders by every method, stiff filters,
// refusals.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/signals.h"
#include "dynamics/aux_rates.h"
#include "run.h"

/* A motor under 12 V: L i' = u - R i - k w, J w' = k i - b w, with J 0.01, b 0.002, k 0.1, R 2,
 * L 0.05: two real rates, -39.5 and -0.7 1/s. */
static const char motor[] =
    "(system (input \"volt\" 12) (joint revolute \"w\" (mass 1 .01 .01 .01))"
    " (state \"i\" (initial 0.5) (derivative (/ (- u.volt (+ (* 2 z.i) (* 0.1 v.w))) 0.05)))"
    " (torque \"w\" (* 0.1 z.i)) (damping \"w\" 0.002))";

/* (w, i) at t: x = s + exp(A t) (x0 - s), exp(A t) = exp(m t) (cosh(r t) + sinh(r t)/r (A - m)),
 * m half the trace of A and r^2 = m^2 - det A. */
static void motor_at(double t, double x[2])
{
  const double a[2][2] = {{-0.2, 10}, {-2, -40}}, b[2] = {0, 240}, start[2] = {0, 0.5};
  const double m = (a[0][0] + a[1][1]) / 2, det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
  const double r = sqrt(m * m - det), c = exp(m * t) * cosh(r * t),
               s = exp(m * t) * sinh(r * t) / r;
  const double rest[2] = {(a[0][1] * b[1] - a[1][1] * b[0]) / det,
                          (a[1][0] * b[0] - a[0][0] * b[1]) / det};
  const double d[2] = {start[0] - rest[0], start[1] - rest[1]};
  for (int k = 0; k < 2; k++) {
    x[k] = rest[k] + c * d[k] + s * (a[k][0] * d[0] + a[k][1] * d[1] - m * d[k]);
  }
}

static double motor_error(const char *method, int steps)
{
  const cardan_options o = run_options(method, 0.5 / steps, 0.5);
  double x[2];
  run r = run_whole(motor, NULL, &o);
  motor_at(0.5, x);
  const double error = fmax(fabs(run_v(&r, "w") - x[0]), fabs(run_column(&r, 0, "z.i") - x[1]));
  run_free(&r);
  return error;
}

/* The integrator of "aba:rk4" by index, -1: the method has none. */
static int integrator_of(const char *method)
{
  const char *colon = strchr(method, ':');
  int found = -1;
  for (int k = 0; colon != NULL && cardan_integrator_name(k) != NULL; k++) {
    found = strcmp(cardan_integrator_name(k), colon + 1) == 0 ? k : found;
  }
  return found;
}

/* What a method's order is to be, with its auxiliary states. */
static int order_of(const char *method)
{
  const int integrator = integrator_of(method);
  return integrator >= 0                    ? cardan_integrator_order(integrator)
         : strstr(method, "plicit") != NULL ? 1
                                            : 2;
}

// adaptive integrators have a tolerance of 1e-12 over some hundred steps; 1e-8 leaves room for bdf.
// The slope of the others from 160 to 320 steps (order 1: 1280 to 2560, 4 and 5: 40 to 80) is
// within 0.12 of the order, a quarter for 4 and 5
static void a_motor_by_every_method(void **state)
{
  (void)state;
  for (int i = 0; run_method(i) != NULL; i++) {
    char method[64];
    snprintf(method, sizeof method, "%s", run_method(i));
    const int integrator = integrator_of(method), order = order_of(method);
    const bool adaptive = integrator >= 0 && cardan_integrator_adaptive(integrator);
    const int n = order > 2 ? 40 : order > 1 ? 160 : 1280;
    const double coarse = motor_error(method, n), fine = motor_error(method, adaptive ? 20 : 2 * n);
    const double slope = log2(coarse / fine);
    if (adaptive ? !(fine < 1e-8) : !(fabs(slope - order) < (order > 2 ? 0.25 : 0.12))) {
      fail_msg("%s: error %g, then %g, slope %g and not %d", method, coarse, fine, slope, order);
    }
  }
}

// a filter a thousand times faster than the step goes to its rest with every method that steps it
// apart: after two steps the remainder is below 1e-6 of the way, (S2)'s damping of 1e-3 four times
static void a_fast_filter_does_not_ring(void **state)
{
  static const char text[] = "(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 1 0 0)"
                             " (place (0 0 -1) (mass 1 .1 .1 .1)))"
                             " (state \"f\" (initial 5) (derivative (/ (- 3 z.f) 1e-5)))"
                             " (torque \"a\" (* 0.01 z.f)))";
  static const char *const methods[] = {"vi", "svi", "half-implicit", "fully-implicit", "rattle"};
  (void)state;
  for (int i = 0; i < 5; i++) {
    const cardan_options o = run_options(methods[i], 0.01, 1);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 2);
    const double f = run_column(&r, 0, "z.f");
    if (!(fabs(f - 3) < 2e-6)) {
      fail_msg("%s: the filter is at %.9g after two steps", methods[i], f);
    }
    run_free(&r);
  }
}

// integral action: a weight is held at its set point. Rates of the closed loop are -1 and
// faster: exp(-25) is left of the way, and root finding of 1e-12
static void integral_action_leaves_no_error(void **state)
{
  static const char text[] = "(system (gravity 0 0 -9.81) (tz \"h\" (mass 1 1 1 1))"
                             " (state \"e\" (derivative (- 0.4 q.h)))"
                             " (torque \"h\" (+ (* 11 (- 0.4 q.h)) (* -6 v.h) (* 6 z.e))))";
  static const char *const methods[] = {"vi", "svi", "aba", "hamilton", "baraff", "rattle"};
  (void)state;
  for (int i = 0; i < 6; i++) {
    const cardan_options o = run_options(methods[i], 0.02, 25);
    run r = run_whole(text, NULL, &o);
    if (!(fabs(run_q(&r, "h") - 0.4) < 1e-9 && fabs(run_column(&r, 0, "z.e") * 6 - 9.81) < 1e-8)) {
      fail_msg("%s: %g away", methods[i], run_q(&r, "h") - 0.4);
    }
    run_free(&r);
  }
}

/* A mass on a rail, and a controller that looks every 0.1 s; it adds up what it saw. */
static const char sampled[] =
    "(system (input \"f\" 0) (tx \"x\" (mass 2 1 1 1)) (torque \"x\" u.f)"
    " (memory \"sum\" (initial 0.25) (every 0.1) (next (+ z.sum (* 0.1 q.x))))"
    " (controller \"f\" (every 0.1) (- (+ (* 8 q.x) (* 6 v.x) z.sum)))"
    " (initial (\"x\" 1 0)))";

// with a held force every method of order 2 and more is exact on a rail, whatever its step; steps
// that do not meet the samples are cut. Adaptive integrators ask for 1e-12
static void a_sampled_controller_is_a_difference_equation(void **state)
{
  static const double steps[] = {0.02, 0.03, 0.25, 1.0};
  (void)state;
  for (int i = 0; run_method(i) != NULL; i++) {
    char method[64];
    snprintf(method, sizeof method, "%s", run_method(i));
    if (order_of(method) < 2) {
      continue;
    }
    for (int s = 0; s < 4; s++) {
      const double T = 0.1, end = steps[s] * ceil(1.0 / steps[s] - 1e-9);
      const cardan_options o = run_options(method, steps[s], end);
      run r = run_whole(sampled, NULL, &o);
      double x = 1, v = 0, sum = 0.25, f = 0;
      int k = 0;
      for (double left = end; left > 1e-9; left -= T, k++) {
        const double h = fmin(T, left);
        f = -(8 * x + 6 * v + sum);
        sum += T * x;
        x += h * v + h * h / 2 * f / 2;
        v += h * f / 2;
      }
      if (!(fabs(run_q(&r, "x") - x) < 1e-10 && fabs(run_v(&r, "x") - v) < 1e-10)) {
        fail_msg("%s, dt %g: x is off by %g", method, steps[s], run_q(&r, "x") - x);
      }
      run_free(&r);
    }
  }
}

// Steps of two lengths take turns: root finders begin near the motion all the same. A solve takes 2
// or 3 iterations where all steps are alike, and two or three parts of a step 9 at most here;
// histories that were carried from short steps to long ones made it 60 to 96, and in the end a root
// that was turns away
static void cut_steps_begin_well(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi", "svi", "half-implicit", "rattle"};
  static const char *const every[] = {"0.013", "0.0099"};
  for (int i = 0; i < 8; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "(system (gravity 0 0 -9.81) (ry \"a\" (tz -0.5 (mass 1 0.01 0.01 0.01) (ry \"b\""
             " (tz -0.5 (mass 0.5 0.01 0.01 0.01))))) (memory \"m\" (every %s) (next 1))"
             " (initial (\"a\" 0.3) (\"b\" -0.4)))",
             every[i / 4]);
    const cardan_options o = run_options(methods[i % 4], 0.01, 1.5);
    run r = run_whole(text, NULL, &o);
    const cardan_stats stats = cardan_sim_stats(r.sim);
    if (stats.iterations_max > 12) {
      fail_msg("%s, samples every %s s: %d iterations in a step", methods[i % 4], every[i / 4],
               stats.iterations_max);
    }
    run_free(&r);
  }
}

// a row shows the input that is held from there on, and the memory after its sample
static void rows_show_what_is_held(void **state)
{
  const cardan_options o = run_options("vi", 0.05, 1);
  run r = run_begin(sampled, NULL, &o);
  (void)state;
  assert_true(run_column(&r, 0, "u.f") == -8.25);
  assert_true(run_column(&r, 0, "z.sum") == 0.35);
  run_steps(&r, 1);
  assert_true(run_column(&r, 0, "u.f") == -8.25);
  run_steps(&r, 1);
  assert_true(fabs(run_column(&r, 0, "z.sum") - 0.35 - 0.1 * run_q(&r, "x")) < 1e-15);
  run_free(&r);
}

// steps may be far shorter than what counts as at a sample
static void a_sample_is_taken_once(void **state)
{
  static const double steps[] = {1e-3, 1e-4, 3e-3};
  (void)state;
  for (int i = 0; i < 3; i++) {
    const cardan_options o = run_options("vi", steps[i], 1);
    run r = run_begin("(system (tx \"x\" (mass 1 1 1 1))"
                      " (memory \"n\" (every 1e4) (next (+ z.n 1)))"
                      " (memory \"m\" (every 4e-3) (next (+ z.m 1))))",
                      NULL, &o);
    run_steps(&r, 20);
    assert_true(run_column(&r, 0, "z.n") == 1);
    assert_true(run_column(&r, 0, "z.m") == 1 + floor(20 * steps[i] / 4e-3 + 1e-9));
    run_free(&r);
  }
}

// df/dz against central differences: their error is 1e-12 / 6 of the third derivative and rounding
// over 2e-6, both below 1e-9 here
static void slopes_are_exact(void **state)
{
  enum { N = 3 };
  static const char text[] =
      "(system (input \"u\" 0.7) (rx \"a\" (ty 1 (name \"A\") (mass 1 1 1 1))) (initial (\"a\" 0.4 "
      "1.5))"
      " (state \"p\" (initial 0.3) (derivative (* z.r (sin (+ z.p q.a)) (pz \"A\"))))"
      " (memory \"m\" (initial 2) (every 1) (next z.p))"
      " (state \"r\" (initial -1.2) (derivative (/ (* v.a z.m z.s) (+ 1 (^ z.p 2)))))"
      " (state \"s\" (initial 0.9) (derivative (- u.u (exp (* z.s z.r)) t))))";
  fixture f = fixture_load(text);
  double J[N * N], low[N], high[N];
  (void)state;
  assert_int_equal(f.model->nrate, N);
  cardan_kinematics(f.model, f.data);
  const cardan__view view = cardan__data_view(f.model, f.data);
  cardan__aux_rates_slope(f.model, &view, J);
  for (int j = 0; j < N; j++) {
    const double z = f.data->z[j], h = 1e-6;
    f.data->z[j] = z - h;
    assert_int_equal(cardan__aux_rates(f.model, &view, low), -1);
    f.data->z[j] = z + h;
    assert_int_equal(cardan__aux_rates(f.model, &view, high), -1);
    f.data->z[j] = z;
    for (int i = 0; i < N; i++) {
      assert_true(fabs(J[i * N + j] - (high[i] - low[i]) / (2 * h)) < 1e-8);
    }
  }
  fixture_free(&f);
}

/* Every solver and guess sees z as it is: the root is the same, to 1e-9 of motions of size 1. */
static void solvers_agree(void **state)
{
  static const char text[] = "(system (gravity 0 0 -9.81) (rx \"a\" (tz -1 (mass 1 .1 .1 .1) (rx "
                             "\"b\" (tz -1 (mass 1 .1 .1 .1)))))"
                             " (state \"i\" (initial 1) (derivative (- (* 3 q.a) (* 5 z.i) v.b)))"
                             " (torque \"b\" (* 2 z.i (cos q.a))) (wrench body \"a\" (0 z.i 0) (0 "
                             "0 0)) (initial (\"a\" 1)))";
  static const struct {
    const char *method, *solver, *eval;
  } runs[] = {{"vi", "newton", NULL},  {"vi", "riqn", NULL},     {"vi", "newton-dense", NULL},
              {"vi", "broyden", NULL}, {"svi", "newton", NULL},  {"svi", "broyden", NULL},
              {"svi", "riqn", NULL},   {"svi", "newton", "tree"}};
  double first[2] = {0};
  (void)state;
  for (int i = 0; i < 8; i++) {
    cardan_options o = run_options(runs[i].method, 0.01, 0.5);
    o.solver = runs[i].solver;
    o.eval = runs[i].eval;
    run r = run_whole(text, NULL, &o);
    const double now[2] = {run_q(&r, "b"), run_column(&r, 0, "z.i")};
    for (int k = 0; k < 2; k++) {
      first[k] = i == 0 || i == 4 ? now[k] : first[k];
      assert_true(fabs(now[k] - first[k]) < 1e-9);
    }
    run_free(&r);
  }
}

static double crossing(void *user, int k, const cardan_data *data)
{
  (void)user;
  (void)k;
  return data->z[0] - 2.0;
}

static cardan_status crossed(void *user, int k, cardan_sim *sim, cardan_report *report)
{
  (void)k;
  (void)report;
  *(double *)user = cardan_sim_data(sim)->t;
  return CARDAN_OK;
}

// a step that is tried and taken back takes the auxiliary states back: the current passes 2 A once
static void events_see_states(void **state)
{
  static const char *const methods[] = {"vi", "aba", "rattle"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    const cardan_options o = run_options(methods[i], 1e-3, 0.05);
    double t = 0, x[2];
    const cardan_hooks hooks = {.user = &t, .nevent = 1, .event = crossing, .at_event = crossed};
    cardan_report report;
    run r = run_begin(motor, NULL, &o);
    assert_int_equal(cardan_sim_hook(r.sim, &hooks, &report), CARDAN_OK);
    run_steps(&r, 50);
    motor_at(t, x);
    assert_true(fabs(x[1] - 2) < 1e-3); // h^2 240 40^2 / 24 is the error of order 2 there
    assert_int_equal(cardan_sim_stats(r.sim).events, 1);
    run_free(&r);
  }
}

static void refused(const char *text, const char *part)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  assert_true(cardan_model_from_text(text, strlen(text), "bad.mbs", NULL, 0, NULL, &model,
                                     &report) != CARDAN_OK);
  if (strstr(report.message, part) == NULL || report.pos.line != 1) {
    fail_msg("%s: %d: %s", text, report.pos.line, report.message);
  }
}

static void refusals(void **state)
{
  cardan_report report = {.message = ""};
  cardan_options o = run_options("vi", 0.01, 1);
  cardan_sim *sim = NULL;
  cardan_signals *signals = NULL;
  cardan_linearization *l = NULL;
  (void)state;
  refused("(system (tx \"x\" (mass 1)) (state \"a\" (derivative z.b)))",
          "no auxiliary state \"b\"");
  refused("(system (state \"a\" (derivative 1)) (state \"a\" (derivative 1)))", "already");
  refused("(system (state \"a\" (initial 0)))", "(derivative ..)");
  refused("(system (memory \"a\" (next 1)))", "(every ..)");
  refused("(system (memory \"a\" (every 0) (next 1)))", "above 0");
  refused("(system (controller \"f\" (every 1) 0))", "no input \"f\"");
  refused("(system (input \"f\") (controller \"f\" (every -1) 0))", "above 0");
  refused("(system (input \"f\") (controller \"f\" (every 1) 0) (controller \"f\" (every 1) 0))",
          "already");
  refused("(system (tx \"x\" (mass 1)) (input \"f\") (controller \"f\" (every 1) (ax \"x\")))",
          "in what is sampled");
  refused("(system (tx \"x\" (mass 1)) (state \"a\" (derivative 1)) (potential z.a))",
          "only torques");
  run r = run_load(motor, NULL, &o);
  o.order = 4;
  assert_int_equal(cardan_sim_create(r.model, &o, NULL, &sim, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "order 4"));
  run_start(&r);
  assert_int_equal(cardan_linearize(r.sim, NULL, &l, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "auxiliary state \"i\""));
  run_free(&r);
  o.order = 2;
  run s = run_load(sampled, NULL, &o);
  assert_int_equal(
      cardan_signals_read(s.model, "t,u.f\n0,1", 9, "in.csv", false, NULL, &signals, &report),
      CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, "controller"));
  run_free(&s);
}

// what stops a run names the auxiliary state and its line
static void a_state_without_a_number_is_named(void **state)
{
  static const char text[] = "(system (tx \"x\" (mass 1 1 1 1)) (torque \"x\" z.a)\n"
                             " (state \"a\" (initial 1) (derivative (log (- 0.5 t)))))";
  static const char *const methods[] = {"vi", "aba", "baraff"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    const cardan_options o = run_options(methods[i], 0.1, 1);
    run r = run_begin(text, NULL, &o);
    cardan_report report = {.message = ""};
    cardan_status status = CARDAN_OK;
    for (int k = 0; k < 10 && status == CARDAN_OK; k++) {
      status = cardan_sim_step(r.sim, &report);
    }
    assert_int_equal(status, CARDAN_ERR_NOT_FINITE);
    if (strstr(report.message, "state \"a\", line 2") == NULL) {
      fail_msg("%s: %s", methods[i], report.message);
    }
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_motor_by_every_method),
      cmocka_unit_test(a_fast_filter_does_not_ring),
      cmocka_unit_test(a_sample_is_taken_once),
      cmocka_unit_test(integral_action_leaves_no_error),
      cmocka_unit_test(a_sampled_controller_is_a_difference_equation),
      cmocka_unit_test(cut_steps_begin_well),
      cmocka_unit_test(rows_show_what_is_held),
      cmocka_unit_test(events_see_states),
      cmocka_unit_test(slopes_are_exact),
      cmocka_unit_test(solvers_agree),
      cmocka_unit_test(refusals),
      cmocka_unit_test(a_state_without_a_number_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
