// SPDX-License-Identifier: Apache-2.0
// The adaptive integrators: error and tolerance, counts, rows, restarts, error control.
#include <float.h>
#include <math.h>
#include <string.h>

#include "test_ode_problems.h"

static const char *const ADAPTIVE[] = {"ode45", "dop853", "rkf45", "dopri5", "adams", "bdf"};
enum { N_ADAPTIVE = 6 };

static cardan__ode_options tolerance(double tol)
{
  cardan__ode_options options = cardan__ode_defaults();
  options.rtol = options.atol = tol;
  return options;
}

static cardan__ode *make(const char *method, const cardan__ode_problem *problem,
                         const cardan__ode_options *options)
{
  cardan__ode *ode;
  assert_int_equal(
      cardan__ode_create(NULL, cardan__ode_method_find(method), problem, options, &ode), CARDAN_OK);
  return ode;
}

// The global error follows the tolerance: over six decades its slope must be near 1 (variable order
// and step limits bend it), and no error may exceed the tolerance times the error growth of the
// problem: some 1000 for half a Kepler period, whose errors grow along the orbit. Where the loosest
// one is not a hundredth used up, it is not the tolerance that bounds the steps (of dop853).
static void errors_follow_the_tolerance(void **state)
{
  static const problem_kind kinds[] = {PENDULUM, KEPLER};
  (void)state;
  for (int m = 0; m < N_ADAPTIVE; m++) {
    for (int k = 0; k < 2; k++) {
      double first = 0.0, last = 0.0;
      for (int decade = 4; decade <= 10; decade += 2) {
        const cardan__ode_options options = tolerance(pow(10.0, -decade));
        last = problem_error(ADAPTIVE[m], kinds[k], &options, 1);
        first = decade == 4 ? last : first;
        if (last > 1000.0 * options.rtol) {
          fail_msg("%s, problem %d: error %g at tolerance %g", ADAPTIVE[m], kinds[k], last,
                   options.rtol);
        }
      }
      const double slope = log10(first / last) / 6.0;
      if ((slope < 0.6 && first > 1e-6) || slope > 1.4) {
        fail_msg("%s, problem %d: slope %g", ADAPTIVE[m], kinds[k], slope);
      }
    }
  }
}

// the closed period of a pendulum, as tight as the integrators go
static void pendulum_period_closes(void **state)
{
  static const char *const names[] = {"ode45", "dopri5", "dop853"};
  (void)state;
  for (int m = 0; m < 3; m++) {
    cardan__ode_options options = tolerance(1e-12);
    problem_context context = problem_context_plain();
    cardan__ode *ode =
        problem_run(names[m], PENDULUM, &context, &options, pendulum_period(2.0), 100);
    assert_near(ode->y[0], 2.0, 1e3 * options.rtol);
    assert_near(ode->y[1], 0.0, 1e3 * options.rtol);
    cardan__ode_destroy(ode);
  }
}

// x' = -2 x + t on [0, 10] from 0 with RelTol 1e-3 and AbsTol 1e-6. The figures that MATLAB R2019a
// prints for it are in MATLAB Answers 480688: 14 successful steps, 2 failed attempts, 97
// evaluations.
static cardan__ode_result ramp(void *ctx, double t, const double *y, double *ydot)
{
  (void)ctx;
  ydot[0] = -2.0 * y[0] + t;
  return cardan__ode_result_of(CARDAN_OK);
}

static void ode45_counts_as_matlab(void **state)
{
  const cardan__ode_problem problem = {.nq = 1, .f = ramp};
  cardan__ode_options options = tolerance(1e-3);
  const double y0 = 0.0;
  (void)state;
  options.atol = 1e-6;
  for (int rows = 1; rows <= 1000; rows *= 10) {
    cardan__ode *ode = make("ode45", &problem, &options);
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 10.0, 0.0), CARDAN_OK);
    for (int i = 1; i <= rows; i++) {
      assert_int_equal(cardan__ode_advance(ode, 10.0 * i / rows), CARDAN_OK);
    }
    assert_int_equal(ode->counters.accepted, 14);
    assert_int_equal(ode->counters.rejected, 2);
    assert_int_equal(ode->counters.evaluations, 97);
    cardan__ode_destroy(ode);
  }
}

/* ode45 on y' = lambda y, written again: there a step multiplies y by a polynomial R(z), z = lambda
 * h, and the difference of the two solutions is y E(z). From the order conditions R is exp(z) up to
 * z^5 / 120 with z^6 / 600 behind it, and E(z) = (-97 z^5 + 39 z^6 - 5 z^7) / 120000. */
typedef struct {
  int accepted, rejected;
  double last;
} prediction;

static prediction predict(double lambda, double end, double rtol, double atol)
{
  prediction p = {0};
  double t = 0.0, y = 1.0;
  double h = fmin(0.1 * end, 0.8 * pow(rtol, 0.2) * fmax(y, atol / rtol) / fabs(lambda));
  bool done = false;
  while (!done) {
    bool failed = false;
    h = fmin(h, 0.1 * end);
    done = 1.1 * h >= end - t;
    h = done ? end - t : h;
    for (;;) {
      const double z = lambda * h;
      const double R = 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4 * (1 + z / 5 * (1 + z / 5)))));
      const double E = pow(z, 5) * (-97 + z * (39 - 5 * z)) / 120000;
      const double scale = fmax(fmax(fabs(y), fabs(y * R)), atol / rtol);
      const double err = fabs(y * E) / scale;
      if (err <= rtol) {
        t += h;
        y *= R;
        p.accepted++;
        p.last = h;
        h = failed ? h : h * fmin(5.0, 0.8 * pow(rtol / err, 0.2));
        break;
      }
      p.rejected++;
      h *= failed ? 0.5 : fmax(0.1, 0.8 * pow(rtol / err, 0.2));
      failed = true;
      done = false;
    }
  }
  return p;
}

static cardan__ode_result linear(void *ctx, double t, const double *y, double *ydot)
{
  const double *lambda = ctx;
  (void)t;
  ydot[0] = *lambda * y[0];
  return cardan__ode_result_of(CARDAN_OK);
}

static void ode45_steps_as_predicted(void **state)
{
  static const double lambdas[] = {-1.0, -20.0, 2.0};
  (void)state;
  for (int i = 0; i < 3; i++) {
    for (int decade = 3; decade <= 9; decade += 2) {
      double lambda = lambdas[i];
      const cardan__ode_problem problem = {.nq = 1, .ctx = &lambda, .f = linear};
      cardan__ode_options options = tolerance(pow(10.0, -decade));
      const double y0 = 1.0;
      options.atol *= 1e-3;
      cardan__ode *ode = make("ode45", &problem, &options);
      assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 10.0, 0.0), CARDAN_OK);
      assert_int_equal(cardan__ode_advance(ode, 10.0), CARDAN_OK);
      const prediction p = predict(lambda, 10.0, options.rtol, options.atol);
      assert_int_equal(ode->counters.accepted, p.accepted);
      assert_int_equal(ode->counters.rejected, p.rejected);
      assert_int_equal(ode->counters.evaluations, 1 + 6 * (p.accepted + p.rejected));
      // E is a difference of stages, eps against z^5; its power 1/5 goes into every step, and the
      // last one is what the steps before it leave of the interval
      assert_near(ode->counters.last_step, p.last, 1e-6 * 10.0);
      cardan__ode_destroy(ode);
    }
  }
}

// Rows between the steps come from an interpolant of order 4: its error in the middle of one step
// falls as h^5, the step's own as h^6, and at the step's ends the two agree.
static void ode45_dense_output_has_order_4(void **state)
{
  double middle[2], end[2];
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double h = i == 0 ? 0.2 : 0.1, y0 = 1.0;
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(EXPONENTIAL, &context);
    cardan__ode_options options = tolerance(0.5);
    cardan__ode *ode = make("ode45", &problem, &options);
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 100.0, h), CARDAN_OK);
    assert_int_equal(cardan__ode_advance(ode, 0.5 * h), CARDAN_OK);
    assert_int_equal(ode->counters.accepted, 1);
    assert_true(ode->counters.last_step == h);
    middle[i] = fabs(ode->y[0] - exp(sin(0.5 * h)));

    const double close = nextafter(h, 0.0);
    assert_int_equal(cardan__ode_advance(ode, close), CARDAN_OK);
    const double before = ode->y[0];
    assert_int_equal(cardan__ode_advance(ode, h), CARDAN_OK);
    assert_int_equal(ode->counters.accepted, 1);
    // seven products of sizes up to 10 h y and an ulp of t
    assert_near(before, ode->y[0], 7 * 10 * h * DBL_EPSILON + 4 * DBL_EPSILON);
    end[i] = fabs(ode->y[0] - exp(sin(h)));
    cardan__ode_destroy(ode);
  }
  assert_near(log2(middle[0] / middle[1]), 5.0, 0.3);
  assert_near(log2(end[0] / end[1]), 6.0, 0.5);
}

// the estimate of the last step, with its sign: order 5, which is advanced, minus order 4
static void ode45_keeps_its_estimate(void **state)
{
  double lambda = -1.0;
  const cardan__ode_problem problem = {.nq = 1, .ctx = &lambda, .f = linear};
  cardan__ode_options options = tolerance(0.5);
  const double y0 = 1.0, z = -0.25;
  cardan__ode *ode = make("ode45", &problem, &options);
  (void)state;
  assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 100.0, 0.25), CARDAN_OK);
  assert_int_equal(cardan__ode_advance(ode, 0.25), CARDAN_OK);
  const double E = pow(z, 5) * (-97 + z * (39 - 5 * z)) / 120000;
  assert_near(ode->error[0], E, 10 * DBL_EPSILON); // stages of size 1, times h and coefficients < 1
  cardan__ode_destroy(ode);
}

// The pairs are the same in SUNDIALS and here, so one step must give the same state and estimate,
// but that rkf45-fixed continues with the solution of order 4 and SUNDIALS with the one of order 5.
// Sums are rounded in another order: a few eps of y, and of the stages times h.
static void pairs_agree_with_sundials(void **state)
{
  static const char *const ours[] = {"rkf45-fixed", "ode45"};
  static const char *const theirs[] = {"rkf45", "dopri5"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(KEPLER, &context);
    cardan__ode_options options = tolerance(0.5);
    double y[PROBLEM_MAX];
    problem_start(KEPLER, y);
    cardan__ode *a = make(ours[i], &problem, &options), *b = make(theirs[i], &problem, &options);
    assert_int_equal(cardan__ode_begin(a, 0.0, y, 10.0, 0.25), CARDAN_OK);
    assert_int_equal(cardan__ode_begin(b, 0.0, y, 10.0, 0.25), CARDAN_OK);
    assert_int_equal(cardan__ode_advance(a, 0.25), CARDAN_OK);
    assert_int_equal(cardan__ode_advance(b, 0.25), CARDAN_OK);
    assert_int_equal(b->counters.accepted, 1);
    for (int j = 0; j < 4; j++) {
      const double order5 = i == 0 ? a->y[j] - a->error[j] : a->y[j];
      assert_near(order5, b->y[j], 20 * DBL_EPSILON);
      assert_near(fabs(a->error[j]), fabs(b->error[j]), 20 * DBL_EPSILON);
      assert_true(fabs(a->error[j]) > 1e3 * DBL_EPSILON);
    }
    cardan__ode_destroy(a);
    cardan__ode_destroy(b);
  }
}

// rows change no step of ode45 and of CVODE
static void rows_do_not_change_the_steps(void **state)
{
  static const char *const names[] = {"ode45", "adams", "bdf"};
  (void)state;
  for (int m = 0; m < 3; m++) {
    problem_context context = problem_context_plain();
    cardan__ode *one = problem_run(names[m], KEPLER, &context, NULL, 5.0, 5);
    cardan__ode *many = problem_run(names[m], KEPLER, &context, NULL, 5.0, 500);
    assert_int_equal(one->counters.accepted, many->counters.accepted);
    assert_int_equal(one->counters.evaluations, many->counters.evaluations);
    assert_memory_equal(one->y, many->y, 4 * sizeof(double));
    cardan__ode_destroy(one);
    cardan__ode_destroy(many);
  }
}

// every row within a run must be as good as the last
static void rows_are_accurate(void **state)
{
  (void)state;
  for (int m = 0; m < N_ADAPTIVE; m++) {
    const cardan__ode_options options = tolerance(1e-8);
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(EXPONENTIAL, &context);
    const double y0 = 1.0;
    cardan__ode *ode = make(ADAPTIVE[m], &problem, &options);
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 6.0, 0.0), CARDAN_OK);
    for (int i = 1; i <= 313; i++) {
      const double t = 6.0 * i / 313;
      assert_int_equal(cardan__ode_advance(ode, t), CARDAN_OK);
      assert_near(ode->y[0], exp(sin(t)), 300 * options.rtol); // some 100 steps' errors of y < 3
    }
    cardan__ode_destroy(ode);
  }
}

static void targets_beyond_the_end_move_it(void **state)
{
  (void)state;
  for (int m = 0; m < N_ADAPTIVE; m++) {
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(EXPONENTIAL, &context);
    const cardan__ode_options options = tolerance(1e-8);
    const double y0 = 1.0;
    cardan__ode *ode = make(ADAPTIVE[m], &problem, &options);
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 0.0, 0.0), CARDAN_OK);
    for (int i = 1; i <= 20; i++) {
      assert_int_equal(cardan__ode_advance(ode, 0.1 * i), CARDAN_OK);
    }
    assert_near(ode->y[0], exp(sin(2.0)), 300 * options.rtol);
    assert_int_equal(cardan__ode_advance(ode, 1.0), CARDAN_ERR_ARGUMENT);
    cardan__ode_destroy(ode);
  }
}

// no evaluation beyond the end: a derivative that is NaN there does no harm
static void the_end_is_a_wall(void **state)
{
  (void)state;
  for (int m = 0; m < N_ADAPTIVE; m++) {
    problem_context context = problem_context_plain();
    context.wall = 0.7;
    cardan__ode *ode = problem_run(ADAPTIVE[m], PENDULUM, &context, NULL, 0.7, 3);
    assert_int_equal(ode->counters.rejected, 0);
    cardan__ode_destroy(ode);
  }
}

// after a jump of the state the run is that of a new integrator
static void restart_goes_on_from_another_state(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(EXPONENTIAL, &context);
    const double y0 = 1.0, jump = 3.0 * exp(sin(1.0));
    cardan__ode *ode = make(cardan__ode_method_name(cardan__ode_method_at(i)), &problem, NULL);
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 2.0, 0.0), CARDAN_OK);
    for (int k = 1; k <= 200; k++) {
      assert_int_equal(cardan__ode_advance(ode, k / 100.0), CARDAN_OK);
      if (k == 100) {
        assert_int_equal(cardan__ode_restart(ode, 1.0, &jump), CARDAN_OK);
        assert_true(ode->y[0] == jump);
      }
    }
    assert_int_equal(ode->counters.restarts, 1);
    const int order = cardan__ode_method_order(ode->method);
    assert_near(ode->y[0], 3.0 * exp(sin(2.0)), order == 1 ? 0.1 : 1e-3);
    cardan__ode_destroy(ode);
  }
}

// a state that `accepted` changes: ode45, whose slope is carried over, evaluates it again, once a
// step; dop853 evaluates it afterwards; those of SUNDIALS start again at every row
static void changes_are_restarts(void **state)
{
  (void)state;
  for (int m = 0; m < N_ADAPTIVE; m++) {
    problem_context context = problem_context_plain();
    context.touch = true;
    cardan__ode *ode = problem_run(ADAPTIVE[m], PENDULUM, &context, NULL, 2.0, 20);
    const cardan__ode_counters *n = &ode->counters;
    if (m == 0) {
      assert_int_equal(n->restarts, n->accepted);
      assert_int_equal(n->evaluations, 1 + 6 * (n->accepted + n->rejected) + n->accepted - 1);
    } else if (m == 1) {
      assert_int_equal(n->restarts, 0);
    } else {
      assert_int_equal(n->restarts, 20);
    }
    assert_int_equal(m == 1 ? n->accepted : n->restarts, context.accept_calls);
    cardan__ode_destroy(ode);
  }
}

// q on a circle, put back on it by `accepted`
static cardan__ode_result circle(void *ctx, double t, const double *y, double *ydot)
{
  (void)ctx;
  (void)t;
  ydot[0] = -y[1];
  ydot[1] = y[0];
  return cardan__ode_result_of(CARDAN_OK);
}

static cardan__ode_result normalise(void *ctx, double t, double *y, bool *changed)
{
  const double r = hypot(y[0], y[1]);
  (void)ctx;
  (void)t;
  y[0] /= r;
  y[1] /= r;
  *changed = true;
  return cardan__ode_result_of(CARDAN_OK);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is the callback's
static cardan__ode_result circle_kick(void *ctx, double t, double h, const double *y, double *y_new)
{
  (void)ctx;
  (void)t;
  (void)h;
  (void)y;
  (void)y_new;
  return cardan__ode_result_of(CARDAN_OK);
}

static cardan__ode_result circle_drift(void *ctx, double t, double h, const double *y,
                                       double *y_new)
{
  double rate[2];
  const cardan__ode_result result = circle(ctx, t, y, rate);
  y_new[0] = y[0] + h * rate[0];
  y_new[1] = y[1] + h * rate[1];
  return result;
}

static void changes_are_kept(void **state)
{
  const cardan__ode_problem problem = {
      .nq = 2, .f = circle, .kick = circle_kick, .drift = circle_drift, .accepted = normalise};
  const double y0[2] = {1.0, 0.0};
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    cardan__ode *ode = make(cardan__ode_method_name(cardan__ode_method_at(i)), &problem, NULL);
    assert_int_equal(cardan__ode_begin(ode, 0.0, y0, 3.0, 0.0), CARDAN_OK);
    for (int k = 1; k <= 100; k++) {
      assert_int_equal(cardan__ode_advance(ode, 0.03 * k), CARDAN_OK);
    }
    assert_near(hypot(ode->y[0], ode->y[1]), 1.0, 4 * DBL_EPSILON); // a root, a sum, a quotient
    assert_near(atan2(ode->y[1], ode->y[0]), 0.03 * 100, 1e-3);     // order 1: h^2 a step in angle
    cardan__ode_destroy(ode);
  }
}

// Two oscillators' worth of y: q slow and smooth, v a fast one that q does not feel. Counting v
// costs steps; not counting it must not make q worse than its tolerance.
static cardan__ode_result two_speeds(void *ctx, double t, const double *y, double *ydot)
{
  (void)ctx;
  (void)t;
  ydot[0] = -y[0];
  ydot[1] = 50.0 * y[2];
  ydot[2] = -50.0 * y[1];
  return cardan__ode_result_of(CARDAN_OK);
}

static void partial_control_ignores_velocities(void **state)
{
  const cardan__ode_problem problem = {.nq = 1, .nv = 2, .f = two_speeds};
  const double y0[3] = {1.0, 0.0, 1.0};
  (void)state;
  for (int m = 0; m < N_ADAPTIVE; m++) {
    int64_t spent[2];
    for (int partial = 0; partial < 2; partial++) {
      cardan__ode_options options = tolerance(1e-6);
      options.error_control = partial ? CARDAN__ODE_PARTIAL : CARDAN__ODE_FULL;
      cardan__ode *ode = make(ADAPTIVE[m], &problem, &options);
      assert_int_equal(cardan__ode_begin(ode, 0.0, y0, 1.0, 0.0), CARDAN_OK);
      assert_int_equal(cardan__ode_advance(ode, 1.0), CARDAN_OK);
      assert_near(ode->y[0], exp(-1.0), 100 * options.rtol);
      spent[partial] = ode->counters.evaluations;
      cardan__ode_destroy(ode);
    }
    assert_true(2 * spent[1] < spent[0]);
  }
}

// With nothing but q, partial is full; and v that follows no error of its own changes nothing: the
// mean of SUNDIALS' norm is then over q alone, so that the steps are those without v.
static cardan__ode_result padded(void *ctx, double t, const double *y, double *ydot)
{
  (void)ctx;
  ydot[0] = y[0] * cos(t);
  ydot[1] = ydot[2] = ydot[3] = 0.0;
  return cardan__ode_result_of(CARDAN_OK);
}

static void partial_norm_is_over_what_it_counts(void **state)
{
  (void)state;
  for (int m = 0; m < N_ADAPTIVE; m++) {
    const double y0[4] = {1.0, 0.0, 0.0, 0.0};
    const cardan__ode_problem wide = {.nq = 1, .nv = 3, .f = padded};
    cardan__ode_options options = tolerance(1e-6);
    problem_context context = problem_context_plain();
    cardan__ode *alone = problem_run(ADAPTIVE[m], EXPONENTIAL, &context, &options, 6.0, 1);
    options.error_control = CARDAN__ODE_PARTIAL;
    cardan__ode *partial = make(ADAPTIVE[m], &wide, &options);
    assert_int_equal(cardan__ode_begin(partial, 0.0, y0, 6.0, 0.0), CARDAN_OK);
    assert_int_equal(cardan__ode_advance(partial, 6.0), CARDAN_OK);
    assert_int_equal(alone->counters.accepted, partial->counters.accepted);
    assert_int_equal(alone->counters.rejected, partial->counters.rejected);
    // the norms are rounded differently, so the steps and with them the errors differ by 1e-6 of it
    assert_near(alone->y[0], partial->y[0], 1e-4 * options.rtol);
    cardan__ode_destroy(alone);
    cardan__ode_destroy(partial);
  }
}

// no coordinates at all: nothing bounds the error, and the steps are as long as they may be
static void partial_control_of_nothing(void **state)
{
  (void)state;
  for (int m = 0; m < N_ADAPTIVE; m++) {
    cardan__ode_options options = tolerance(1e-6);
    problem_context context = problem_context_plain();
    options.error_control = CARDAN__ODE_PARTIAL;
    cardan__ode *ode = problem_run(ADAPTIVE[m], GROWTH, &context, &options, 1.0, 1);
    assert_true(ode->counters.accepted <= 20);
    assert_int_equal(ode->counters.rejected, 0);
    cardan__ode_destroy(ode);
  }
}

// a first step that is given is taken
static void first_step_is_taken(void **state)
{
  (void)state;
  for (int m = 0; m < N_ADAPTIVE; m++) {
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(PENDULUM, &context);
    double y[PROBLEM_MAX];
    problem_start(PENDULUM, y);
    cardan__ode *ode = make(ADAPTIVE[m], &problem, NULL);
    assert_int_equal(cardan__ode_begin(ode, 0.0, y, 1.0, 1e-5), CARDAN_OK);
    assert_int_equal(cardan__ode_advance(ode, 1e-5), CARDAN_OK);
    assert_int_equal(ode->counters.accepted, 1);
    assert_near(ode->counters.last_step, 1e-5, 8 * DBL_EPSILON * 1e-5); // stops within 4 eps
    cardan__ode_destroy(ode);
  }
}

static cardan__ode_result stiff(void *ctx, double t, const double *y, double *ydot)
{
  (void)ctx;
  ydot[0] = -1e5 * (y[0] - cos(t));
  return cardan__ode_result_of(CARDAN_OK);
}

// bdf is there for stiff systems, and counts its difference quotients apart
static void bdf_takes_stiff_systems(void **state)
{
  const cardan__ode_problem problem = {.nq = 1, .f = stiff};
  const cardan__ode_options options = tolerance(1e-6);
  const double y0 = 0.0;
  cardan__ode *ode = make("bdf", &problem, &options);
  (void)state;
  assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 3.0, 0.0), CARDAN_OK);
  assert_int_equal(cardan__ode_advance(ode, 3.0), CARDAN_OK);
  assert_near(ode->y[0], cos(3.0), 1e-5 + 100 * options.rtol); // lags behind cos t by 1e-5 sin t
  assert_true(ode->counters.accepted < 1000);
  assert_true(ode->counters.jacobian_evaluations > 0);
  assert_true(ode->counters.jacobian_evaluations < ode->counters.evaluations);
  cardan__ode_destroy(ode);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_follow_the_tolerance),
      cmocka_unit_test(pendulum_period_closes),
      cmocka_unit_test(ode45_counts_as_matlab),
      cmocka_unit_test(ode45_steps_as_predicted),
      cmocka_unit_test(ode45_dense_output_has_order_4),
      cmocka_unit_test(ode45_keeps_its_estimate),
      cmocka_unit_test(pairs_agree_with_sundials),
      cmocka_unit_test(rows_do_not_change_the_steps),
      cmocka_unit_test(rows_are_accurate),
      cmocka_unit_test(targets_beyond_the_end_move_it),
      cmocka_unit_test(the_end_is_a_wall),
      cmocka_unit_test(restart_goes_on_from_another_state),
      cmocka_unit_test(changes_are_restarts),
      cmocka_unit_test(changes_are_kept),
      cmocka_unit_test(partial_control_ignores_velocities),
      cmocka_unit_test(partial_norm_is_over_what_it_counts),
      cmocka_unit_test(partial_control_of_nothing),
      cmocka_unit_test(first_step_is_taken),
      cmocka_unit_test(bdf_takes_stiff_systems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
