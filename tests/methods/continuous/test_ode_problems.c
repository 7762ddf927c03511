// SPDX-License-Identifier: Apache-2.0
#include "test_ode_problems.h"

#include <math.h>
#include <string.h>

static const double ECCENTRICITY = 0.3;
static const double AMPLITUDE = 2.0;
static const double PI = 3.14159265358979323846;

problem_context problem_context_plain(void)
{
  return (problem_context){.wall = HUGE_VAL, .fence = HUGE_VAL};
}

// what the context wants at (t, y): continue, or leave with *result
static bool allowed(const problem_context *context, double t, const double *y, int n,
                    cardan__ode_result *result)
{
  if (t > context->wall && !cardan__ode_is_done(context->beyond)) {
    *result = context->beyond;
    return false;
  }
  if (n > 0 && fabs(y[0]) > context->fence) {
    *result = cardan__ode_retry(CARDAN_ERR_STEP_TOO_SMALL);
    return false;
  }
  *result = cardan__ode_result_of(CARDAN_OK);
  return true;
}

static double spoil(const problem_context *context, double t)
{
  return t > context->wall ? nan("") : 0.0;
}

static cardan__ode_result exponential(void *ctx, double t, const double *y, double *ydot)
{
  problem_context *context = ctx;
  cardan__ode_result result;
  context->f_calls++;
  if (allowed(context, t, y, 1, &result)) {
    ydot[0] = y[0] * cos(t) + spoil(context, t);
  }
  return result;
}

static cardan__ode_result exponential_v(void *ctx, double t, const double *y, double *vdot)
{
  problem_context *context = ctx;
  context->v_calls++;
  context->f_calls--;
  return exponential(ctx, t, y, vdot);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is the callback's
static cardan__ode_result nothing(void *ctx, double t, const double *y, double *rate)
{
  problem_context *context = ctx;
  cardan__ode_result result;
  (void)rate;
  allowed(context, t, y, 0, &result);
  return result;
}

static cardan__ode_result empty(void *ctx, double t, const double *y, double *ydot)
{
  ((problem_context *)ctx)->f_calls++;
  return nothing(ctx, t, y, ydot);
}

static cardan__ode_result pendulum_v(void *ctx, double t, const double *y, double *vdot)
{
  problem_context *context = ctx;
  cardan__ode_result result;
  context->v_calls++;
  if (allowed(context, t, y, 2, &result)) {
    vdot[0] = -sin(y[0]) + spoil(context, t);
  }
  return result;
}

static cardan__ode_result pendulum_q(void *ctx, double t, const double *y, double *qdot)
{
  (void)ctx;
  (void)t;
  qdot[0] = y[1];
  return cardan__ode_result_of(CARDAN_OK);
}

static cardan__ode_result pendulum(void *ctx, double t, const double *y, double *ydot)
{
  problem_context *context = ctx;
  context->f_calls++;
  context->v_calls--;
  ydot[0] = y[1];
  return pendulum_v(ctx, t, y, ydot + 1);
}

static cardan__ode_result kepler_v(void *ctx, double t, const double *y, double *vdot)
{
  problem_context *context = ctx;
  const double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
  cardan__ode_result result;
  context->v_calls++;
  if (allowed(context, t, y, 4, &result)) {
    vdot[0] = -y[0] / r3 + spoil(context, t);
    vdot[1] = -y[1] / r3;
  }
  return result;
}

static cardan__ode_result kepler_q(void *ctx, double t, const double *y, double *qdot)
{
  (void)ctx;
  (void)t;
  qdot[0] = y[2];
  qdot[1] = y[3];
  return cardan__ode_result_of(CARDAN_OK);
}

static cardan__ode_result kepler(void *ctx, double t, const double *y, double *ydot)
{
  problem_context *context = ctx;
  context->f_calls++;
  context->v_calls--;
  ydot[0] = y[2];
  ydot[1] = y[3];
  return kepler_v(ctx, t, y, ydot + 2);
}

static cardan__ode_result blowup(void *ctx, double t, const double *y, double *ydot)
{
  problem_context *context = ctx;
  cardan__ode_result result;
  context->f_calls++;
  if (allowed(context, t, y, 1, &result)) {
    ydot[0] = y[0] * y[0] + spoil(context, t);
  }
  return result;
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is the callback's
static cardan__ode_result accepted(void *ctx, double t, double *y, bool *changed)
{
  problem_context *context = ctx;
  (void)t;
  (void)y;
  context->accept_calls++;
  *changed = context->touch;
  return context->refuse ? context->accept : cardan__ode_result_of(CARDAN_OK);
}

// y' of all n, and of the first nq and the last nv alone
typedef cardan__ode_result rate_function(void *ctx, double t, const double *y, double *rate);
static const struct {
  int nq, nv;
  rate_function *f, *q, *v;
} problems[] = {
    [EXPONENTIAL] = {1, 0, exponential, exponential, nothing},
    [GROWTH] = {0, 1, exponential, nothing, exponential_v},
    [PENDULUM] = {1, 1, pendulum, pendulum_q, pendulum_v},
    [KEPLER] = {2, 2, kepler, kepler_q, kepler_v},
    [BLOWUP] = {1, 0, blowup, blowup, nothing},
    [EMPTY] = {0, 0, empty, nothing, nothing},
};

static cardan__ode_result kick(void *ctx, double t, double h, const double *y, double *y_new)
{
  const int kind = ((problem_context *)ctx)->kind, nq = problems[kind].nq;
  double rate[PROBLEM_MAX] = {0};
  const cardan__ode_result result = problems[kind].v(ctx, t, y, rate);
  for (int i = 0; i < problems[kind].nv; i++) {
    y_new[nq + i] = y[nq + i] + h * rate[i];
  }
  return result;
}

static cardan__ode_result drift(void *ctx, double t, double h, const double *y, double *y_new)
{
  const int kind = ((problem_context *)ctx)->kind;
  double rate[PROBLEM_MAX] = {0};
  memcpy(y_new, y, (size_t)problems[kind].nq * sizeof *y);
  const cardan__ode_result result = problems[kind].q(ctx, t, y_new, rate);
  for (int i = 0; i < problems[kind].nq; i++) {
    y_new[i] = y[i] + h * rate[i];
  }
  return result;
}

cardan__ode_problem problem_make(problem_kind kind, problem_context *context)
{
  context->kind = (int)kind;
  return (cardan__ode_problem){.nq = problems[kind].nq,
                               .nv = problems[kind].nv,
                               .ctx = context,
                               .f = problems[kind].f,
                               .kick = kick,
                               .drift = drift,
                               .accepted = accepted};
}

void problem_start(problem_kind kind, double *y)
{
  memset(y, 0, PROBLEM_MAX * sizeof(*y));
  y[0] = 1.0;
  if (kind == PENDULUM) {
    y[0] = AMPLITUDE;
  }
  if (kind == KEPLER) {
    y[0] = 1.0 - ECCENTRICITY;
    y[3] = sqrt((1.0 + ECCENTRICITY) / (1.0 - ECCENTRICITY));
  }
}

double pendulum_period(double a)
{
  double x = 1.0, y = cos(0.5 * a);
  for (int i = 0; i < 8; i++) {
    const double mean = 0.5 * (x + y);
    y = sqrt(x * y);
    x = mean;
  }
  return 2.0 * PI / x;
}

void problem_known(problem_kind kind, double *time, double *y)
{
  memset(y, 0, PROBLEM_MAX * sizeof(*y));
  *time = 0.5;
  switch (kind) {
  case EXPONENTIAL:
  case GROWTH:
    y[0] = exp(sin(*time));
    break;
  case PENDULUM:
    *time = 0.25 * pendulum_period(AMPLITUDE);
    y[1] = -2.0 * sin(0.5 * AMPLITUDE);
    break;
  case KEPLER:
    *time = PI;
    y[0] = -1.0 - ECCENTRICITY;
    y[3] = -sqrt((1.0 - ECCENTRICITY) / (1.0 + ECCENTRICITY));
    break;
  case BLOWUP:
    y[0] = 1.0 / (1.0 - *time);
    break;
  case EMPTY:
    break;
  }
}

cardan__ode *problem_run(const char *method, problem_kind kind, problem_context *context,
                         const cardan__ode_options *options, double time, int rows)
{
  const cardan__ode_problem problem = problem_make(kind, context);
  const cardan__ode_method *found = cardan__ode_method_find(method);
  cardan__ode *ode;
  double y[PROBLEM_MAX];
  assert_non_null(found);
  problem_start(kind, y);
  assert_int_equal(cardan__ode_create(NULL, found, &problem, options, &ode), CARDAN_OK);
  assert_int_equal(cardan__ode_begin(ode, 0.0, y, time, 0.0), CARDAN_OK);
  for (int i = 1; i <= rows; i++) {
    const double t = i < rows ? time * i / rows : time;
    assert_int_equal(cardan__ode_advance(ode, t), CARDAN_OK);
    assert_true(ode->t == t);
  }
  return ode;
}

double problem_error(const char *method, problem_kind kind, const cardan__ode_options *options,
                     int rows)
{
  problem_context context = problem_context_plain();
  double time, known[PROBLEM_MAX], error = 0.0;
  problem_known(kind, &time, known);
  cardan__ode *ode = problem_run(method, kind, &context, options, time, rows);
  for (int i = 0; i < ode->n; i++) {
    error = fmax(error, fabs(ode->y[i] - known[i]));
  }
  cardan__ode_destroy(ode);
  return error;
}
