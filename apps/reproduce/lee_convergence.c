// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "reproduce/lee.h"
#include "reproduce/motion.h"

/* Fig. 4a: the residual of one step, evaluation by evaluation. */

enum { MOST = 20 }; // evaluations drawn; the first search for a root has as many

static const double dt = 1e-3, tol = 1e-14;

/* Residuals of the first search in one step: until one is at the level of rounding. */
typedef struct {
  int n;
  double e[MOST];
} trace;

/* One step of lee-chain:10 from `scale` times its angles. */
static cardan_status take_step(cardan__job *job, const char *solver, const char *guess,
                               double scale, trace *out)
{
  char options[96];
  cardan__motion m;
  snprintf(options, sizeof options, CARDAN__LEE_METHOD " solver=%s guess=%s tol=%g", solver, guess,
           tol);
  cardan_status status = cardan__motion_open("lee-chain:10", options, dt, &m, job->report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_data *data = cardan_sim_data(m.sim);
  for (int k = 0; k < m.model->nq; k++) {
    data->q[k] *= scale;
  }
  status = cardan_sim_start(m.sim, job->report);
  status = status ? status : cardan_sim_step(m.sim, job->report);
  int n = 0;
  const double *e = cardan_sim_trace(m.sim, &n);
  for (out->n = 0; out->n < n && out->n < MOST;) {
    const double now = e[out->n];
    out->e[out->n++] = now;
    if (now < tol) {
      break;
    }
  }
  cardan__motion_close(&m);
  return status;
}

/* Evaluations until the residual is below a bound; HUGE_VAL: never in this search. */
static double evaluations(const trace *t, double bound)
{
  for (int i = 0; i < t->n; i++) {
    if (t->e[i] < bound) {
      return i + 1;
    }
  }
  return HUGE_VAL;
}

/* Observed order: ln(e_3 / e_2) / ln(e_2 / e_1). 1: linear, 2: quadratic. */
static double order(const trace *t)
{
  return t->n >= 3 ? log(t->e[2] / t->e[1]) / log(t->e[1] / t->e[0]) : (double)NAN;
}

static void draw(cardan__job *job, cardan__plot *plot, const char *label, const trace *t)
{
  cardan__curve *curve = cardan__plot_curve(job->out, plot, label, false);
  for (int i = 0; i < t->n; i++) {
    cardan__curve_point(job->out, curve, i + 1, t->e[i]);
  }
}

enum { STARTS = 4, SOLVERS = 2 };
static const struct {
  const char *name, *title, *guess, *label;
  double scale; // of the angles, which are within pi/2
} starts[STARTS] = {
    {"near", "From the zero configuration, angles within 0.05 rad", "zero",
     "q = 0, angles within 0.05 rad", 0.05 / 1.5707963267948966},
    {"farther", "From the zero configuration, angles within 0.2 rad", "zero",
     "q = 0, angles within 0.2 rad", 0.2 / 1.5707963267948966},
    {"far", "From the zero configuration, angles within pi/2", "zero", "q = 0, angles within pi/2",
     1},
    {"current", "From the current configuration (IG1), angles within pi/2", "current",
     "current (IG1), angles within pi/2", 1},
};
static const char *const solver_word[SOLVERS] = {"newton-dense", "riqn"};
static const char *const solver_name[SOLVERS] = {"Newton's method", "RIQN"};

static void tabulate(cardan__job *job, trace (*t)[SOLVERS])
{
  const char *const column[] = {"start of the iteration", "Newton: evaluations to 1e-12",
                                "RIQN: evaluations to 1e-12"};
  cardan__grid *grid = cardan__outcome_grid(job->out, "Evaluations of one step", column, 3);
  for (int i = 0; i < STARTS; i++) {
    cardan__grid_text(job->out, grid, "%s", starts[i].label);
    for (int s = 0; s < SOLVERS; s++) {
      const double n = evaluations(&t[i][s], 1e-12);
      if (isfinite(n)) {
        cardan__grid_numbers(job->out, grid, n, NAN);
      } else {
        cardan__grid_text(job->out, grid, "not in %d", MOST);
      }
    }
  }
}

static void claim(cardan__outcome *out, trace (*t)[SOLVERS])
{
  // one step from a start that is written in the model: the same on every machine but for rounding
  cardan__outcome_claim(out, "Newton: observed order (2: quadratic), from IG1", "", 2,
                        order(&t[3][0]), 1.8, 2.3);
  cardan__outcome_claim(out, "RIQN: observed order (1: linear), from IG1", "", NAN, order(&t[3][1]),
                        0.8, 1.2);
  cardan__outcome_claim(out, "Newton: evaluations to 1e-12, from q = 0, angles within 0.05 rad", "",
                        NAN, evaluations(&t[0][0], 1e-12), 4, 5);
  cardan__outcome_claim(out, "RIQN: the same", "", NAN, evaluations(&t[0][1], 1e-12), 5, 6);
  // with angles of up to pi/2 a root is not found: the residual stays where it was, or stalls
  cardan__outcome_claim(out, "Newton: residual after 20 evaluations, q = 0, angles within pi/2",
                        "relative", NAN, t[2][0].e[t[2][0].n - 1], 0.1, 1);
  cardan__outcome_claim(out, "RIQN: the same", "relative", NAN, t[2][1].e[t[2][1].n - 1], 1e-6, 1);
}

static void write_verdict(cardan__outcome *out, trace (*t)[SOLVERS], const cardan__lee_rate *rate)
{
  cardan__outcome_say(
      out, CARDAN__REPRODUCED,
      "Newton's method converges quadratically (order %.2f here), RIQN linearly (order %.2f, a "
      "factor of %.0e an iteration), as the paper says. The setting as printed works only where "
      "the chain is near its zero configuration: from angles within 0.05 rad Newton needs %.0f "
      "evaluations to 1e-12 and RIQN %.0f. From angles within pi/2, with which the experiments "
      "that the authors published start, neither gets there in 20 (the guess asks for joint rates "
      "of up to 1,500 rad/s): which state their figure has is not said. Beyond the paper: RIQN's "
      "factor is proportional to the turn in a step (%.2f w dt for a free plate). A chain of 10 "
      "links at dt 78 ms takes it %.1f evaluations, exact Newton %.1f. A humanoid thrown at 400 "
      "m/s moves 0.4 m in a step: RIQN no longer converges (%.0f evaluations, the last of them by "
      "the exact direction, which is used instead), exact Newton takes %.1f.",
      order(&t[3][0]), order(&t[3][1]), t[3][1].e[2] / t[3][1].e[1], evaluations(&t[0][0], 1e-12),
      evaluations(&t[0][1], 1e-12), rate->per_turn, rate->chain_riqn, rate->chain_newton,
      rate->thrown_riqn, rate->thrown_newton);
}

cardan_status cardan__lee_convergence(cardan__job *job)
{
  trace t[STARTS][SOLVERS] = {{{0}}};
  cardan__lee_rate rate = {0};
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < STARTS && status == CARDAN_OK; i++) {
    cardan__plot *plot = cardan__outcome_plot(job->out, starts[i].name, starts[i].title,
                                              "evaluation of the residual",
                                              "largest relative residual", CARDAN__LOG_Y);
    for (int s = 0; s < SOLVERS && status == CARDAN_OK; s++) {
      status = take_step(job, solver_word[s], starts[i].guess, starts[i].scale, &t[i][s]);
      draw(job, plot, solver_name[s], &t[i][s]);
    }
    status = status ? status : cardan__job_tick(job, 0.05 * i);
  }
  if (status == CARDAN_OK) {
    tabulate(job, t);
    claim(job->out, t);
    status = cardan__lee_rates(job, &rate);
  }
  if (status == CARDAN_OK) {
    write_verdict(job->out, t, &rate);
  }
  return status;
}
