// SPDX-License-Identifier: Apache-2.0
#include "reproduce/johnson_lift.h"

#include <math.h>
#include <stdio.h>

/* The lift as one degree of freedom: the paper's Lagrangian, corrected. The centre of a bar of row
 * n is at x = L/2 cos theta and z = -(n - 1/2) L sin theta, so with m = ms = L = 1, I = 1/12
 *   1/2 M theta'^2 - V,   M = sum over n of 2 ((n - 1/2)^2 cos^2 + 1/4 sin^2 + I) + sin^2   (L1)
 *                         V = - sum over n of 2 g (n - 1/2) sin                             (L2)
 *   theta'' = (-V' - 1/2 M' theta'^2) / M                                                   (L3)
 * The sums are closed: sum (n - 1/2)^2 = N (4 N^2 - 1) / 12, sum (n - 1/2) = N^2 / 2. The paper
 * prints 1/2 sin^2 in (L1). */
static double acceleration(int rows, double quarter, double theta, double rate)
{
  const double N = rows, s = sin(theta), c = cos(theta);
  const double k = N * (4 * N * N - 1) / 6, l = 2 * N * quarter + 1;
  const double M = k * c * c + l * s * s + N / 6; // (L1)
  const double M_dtheta = 2 * (l - k) * s * c;
  return (9.81 * N * N * c - 0.5 * M_dtheta * rate * rate) / M; // (L2), (L3)
}

/* Classical Runge-Kutta, steps of 2e-4 s at most. By halving: off by 4e-8 rad in 15 s for 12 rows,
 * by less than 2e-6 rad in 1000 s for 5. */
void cardan__lift_advance(int rows, bool as_printed, double dt, cardan__lift_state *state)
{
  const int parts = (int)fmax(1, ceil(dt / 2e-4 - 1e-9));
  const double h = dt / parts, quarter = as_printed ? 0.5 : 0.25;
  for (int i = 0; i < parts; i++) {
    const double x = state->theta, v = state->rate;
    const double a1 = acceleration(rows, quarter, x, v);
    const double v2 = v + h / 2 * a1, a2 = acceleration(rows, quarter, x + h / 2 * v, v2);
    const double v3 = v + h / 2 * a2, a3 = acceleration(rows, quarter, x + h / 2 * v2, v3);
    const double v4 = v + h * a3, a4 = acceleration(rows, quarter, x + h * v3, v4);
    state->theta = x + h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    state->rate = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
}

/* A lift by one of the two programs. */
typedef struct {
  cardan__motion motion;
  const double *theta; // of the motion, kept up to date by it
  cardan__ode *ode;
} lift;

static cardan_status lift_open(const cardan__lift_case *c, lift *out, cardan_report *report)
{
  char name[32];
  *out = (lift){.ode = NULL};
  if (c->options == NULL) {
    return cardan__world_lift(c->rows, c->way, &out->ode, report);
  }
  snprintf(name, sizeof name, "scissor:%d", c->rows);
  const cardan_status status = cardan__motion_open(name, c->options, c->dt, &out->motion, report);
  if (status == CARDAN_OK) {
    out->theta = &cardan_sim_data(out->motion.sim)->q[cardan_model_q(out->motion.model, "a1")];
  }
  return status;
}

static void lift_close(lift *l)
{
  cardan__ode_close(l->ode);
  cardan__motion_close(&l->motion);
}

static cardan_status lift_step(lift *l, double dt, double *theta, cardan_report *report)
{
  if (l->ode) {
    cardan__ode_step(l->ode, dt);
    *theta = CARDAN__PI / 4 + cardan__ode_turn(l->ode, 0);
    return isfinite(*theta) ? CARDAN_OK
                            : cardan_fail(report, CARDAN_ERR_NOT_FINITE, (cardan_pos){0, 0},
                                          "ODE's numbers are not finite any more");
  }
  const cardan_status status = cardan_sim_step(l->motion.sim, report);
  *theta = *l->theta;
  return status;
}

double cardan__lift_off_branch(const cardan_model *model, const double *q, int rows)
{
  const double theta = q[cardan_model_q(model, "a1")], fold = CARDAN__PI - 2 * theta;
  double worst = fabs(q[cardan_model_q(model, "s")] - cos(theta));
  worst = fmax(worst, fabs(q[cardan_model_q(model, "b1")] - (CARDAN__PI - theta)));
  for (int n = 2; n <= rows; n++) {
    const double sign = n % 2 == 0 ? 1 : -1;
    char name[16];
    snprintf(name, sizeof name, "a%d", n);
    worst = fmax(worst, fabs(q[cardan_model_q(model, name)] - sign * fold));
    name[0] = 'b';
    worst = fmax(worst, fabs(q[cardan_model_q(model, name)] + sign * fold));
  }
  return worst;
}

/* Where an angle passes 90 degrees: how often, the first and the last time. */
typedef struct {
  double before, first, last;
  long n;
} crossings;

static void cross(crossings *c, double t, double dt, double theta)
{
  const double x = theta - CARDAN__PI / 2;
  if (c->before * x < 0) {
    c->last = t - dt * x / (x - c->before);
    c->first = c->n == 0 ? c->last : c->first;
    c->n++;
  }
  c->before = x;
}

/* One observation of the run after step k. */
typedef struct {
  crossings ours, theirs;
  cardan__thin curve, benchmark;
} record;

static void look(const cardan__lift_case *c, record *r, double t, double theta, double benchmark,
                 cardan__lift_result *out)
{
  const double error = theta - benchmark;
  out->worst = fmax(out->worst, fabs(error));
  out->integral += error * error * c->dt;
  out->time = t;
  cross(&r->ours, t, c->dt, theta);
  cross(&r->theirs, t, c->dt, benchmark);
  if (r->ours.n == r->theirs.n && r->ours.n > out->swings) {
    out->swings = r->ours.n;
    out->lag = r->ours.last - r->theirs.last;
    out->period = 2 * (r->theirs.last - r->theirs.first) / fmax(1, (double)(r->theirs.n - 1));
  }
  if (c->time - t <= 5) {
    out->amplitude = fmax(out->amplitude, fabs(theta - CARDAN__PI / 2));
  }
  if (c->curve && t >= c->shown) {
    cardan__thin_add(&r->curve, t, theta);
  }
  if (c->benchmark && t >= c->shown) {
    cardan__thin_add(&r->benchmark, t, benchmark);
  }
}

static cardan_status run_open(cardan__job *job, const cardan__lift_case *c, lift *l,
                              cardan__lift_result *out)
{
  const long steps = lround(c->time / c->dt), every = (long)fmax(1, fmin(1000, 0.1 / c->dt));
  const double start = CARDAN__PI / 4;
  cardan__lift_state benchmark = {.theta = start};
  double theta = start;
  record r = {.ours.before = -start, .theirs.before = -start};
  r.curve = cardan__thin_begin(job->out, c->curve, c->shown, c->time, 700);
  r.benchmark = cardan__thin_begin(job->out, c->benchmark, c->shown, c->time, 700);
  for (long k = 1; k <= steps && (c->limit == 0 || out->integral <= c->limit); k++) {
    const double clock = cardan__clock();
    if (lift_step(l, c->dt, &theta, job->report) != CARDAN_OK) {
      snprintf(out->message, sizeof out->message, "%.255s", job->report->message);
      job->report->message[0] = '\0';
      break;
    }
    out->seconds += cardan__clock() - clock;
    cardan__lift_advance(c->rows, c->as_printed, c->dt, &benchmark);
    look(c, &r, (double)k * c->dt, theta, benchmark.theta, out);
    if (k % every == 0) {
      if (l->ode == NULL) {
        const double *q = cardan_sim_data(l->motion.sim)->q;
        out->branch = fmax(out->branch, cardan__lift_off_branch(l->motion.model, q, c->rows));
        out->constraint = cardan_sim_stats(l->motion.sim).constraint_max;
      }
      const double part = c->from + (c->to - c->from) * (double)k / (double)steps;
      const cardan_status status = cardan__job_tick(job, part);
      if (status != CARDAN_OK) {
        return status;
      }
    }
  }
  cardan__thin_end(&r.curve);
  cardan__thin_end(&r.benchmark);
  return CARDAN_OK;
}

cardan_status cardan__lift_run(cardan__job *job, const cardan__lift_case *c,
                               cardan__lift_result *out)
{
  lift l;
  *out = (cardan__lift_result){.message = ""};
  cardan_status status = lift_open(c, &l, job->report);
  status = status ? status : run_open(job, c, &l, out);
  lift_close(&l);
  return status;
}
