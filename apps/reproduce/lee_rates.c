// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "reproduce/lee.h"
#include "reproduce/motion.h"

/* With Fig. 4a, and beyond the paper: how fast RIQN converges, and from where on it does not pay.
 * Its Jacobian, M(q^k) / dt, is that of bodies that neither turn nor move on in the step. For a
 * free body with spin w what it leaves out is of the size of w dt times it: an iteration gains a
 * factor in proportion to w dt. */

/* Evaluations in a step on average; negative: a step had no root. */
static cardan_status go(cardan__job *job, cardan_sim *sim, int steps, double *evaluations)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < steps && status == CARDAN_OK; i++) {
    status = cardan_sim_step(sim, job->report);
  }
  const bool lost = status == CARDAN_ERR_NO_CONVERGENCE || status == CARDAN_ERR_NO_ROOT;
  *evaluations = lost ? (double)NAN : cardan_sim_stats(sim).iterations_mean;
  return lost ? CARDAN_OK : status;
}

/* ---- a free body ---- */

enum { SPINS = 5 };
static const double turn[SPINS] = {0.01, 0.03, 0.1, 0.3, 0.5}; // in a step [rad]

/* The factor by which RIQN's residual falls in an iteration, after the first: geometric mean. */
static cardan_status contraction(cardan__job *job, double spin, double *rho)
{
  const double dt = 0.01;
  cardan__motion m;
  cardan_status status = cardan__motion_open(
      "tumbler", CARDAN__LEE_METHOD " solver=riqn guess=current tol=1e-14", dt, &m, job->report);
  if (status != CARDAN_OK) {
    return status;
  }
  double *v = cardan_sim_data(m.sim)->v;
  for (int k = 0; k < 6; k++) {
    v[k] = k < 3 ? spin / dt / sqrt(3) : 0; // about no axis of symmetry
  }
  status = cardan_sim_start(m.sim, job->report);
  status = status ? status : cardan_sim_step(m.sim, job->report);
  int n = 0, pairs = 0;
  const double *e = cardan_sim_trace(m.sim, &n);
  while (2 * pairs + 3 < n && e[2 * pairs + 3] > 1e-12) {
    pairs++; // the factor has two values in turn
  }
  *rho = pairs > 0 ? pow(e[2 * pairs + 1] / e[1], 0.5 / pairs) : (double)NAN;
  cardan__motion_close(&m);
  return status;
}

static cardan_status spin_body(cardan__job *job, double rho[SPINS])
{
  cardan__outcome *out = job->out;
  cardan__plot *plot = cardan__outcome_plot(
      out, "contraction", "A free body: RIQN's contraction", "turn in a step, w dt [rad]",
      "residual over the one before", CARDAN__LOG_X | CARDAN__LOG_Y);
  cardan__curve *ours = cardan__plot_curve(out, plot, "RIQN", false);
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < SPINS && status == CARDAN_OK; i++) {
    status = contraction(job, turn[i], &rho[i]);
    cardan__curve_point(out, ours, turn[i], rho[i]);
  }
  return status;
}

/* ---- a chain as steps grow, a humanoid as it flies faster ---- */

enum { SOLVERS = 3, STEPS = 6, SPEEDS = 5 };
static const char *const solver[SOLVERS] = {"newton", "riqn", "broyden"};
static const char *const solver_name[SOLVERS] = {"Newton in O(n)", "RIQN", "Broyden"};

static cardan_status lengthen_steps(cardan__job *job, double last[SOLVERS])
{
  static const double dt[STEPS] = {1e-3, 2.5e-3, 6.25e-3, 1.25e-2, 3.125e-2, 7.8125e-2};
  cardan__plot *plot = cardan__outcome_plot(job->out, "steps", "A chain of 10 links, over 10 s",
                                            "dt [s]", "evaluations in a step", CARDAN__LOG_X);
  for (int s = 0; s < SOLVERS; s++) {
    cardan__curve *curve = cardan__plot_curve(job->out, plot, solver_name[s], false);
    char options[96];
    snprintf(options, sizeof options, CARDAN__LEE_METHOD " solver=%s", solver[s]);
    for (int i = 0; i < STEPS; i++) {
      cardan__motion m;
      cardan_status status = cardan__motion_open("chain:10", options, dt[i], &m, job->report);
      status = status ? status : go(job, m.sim, (int)(10 / dt[i]), &last[s]);
      cardan__motion_close(&m);
      cardan__curve_point(job->out, curve, dt[i], last[s]);
      status = status ? status : cardan__job_tick(job, 0.2 + 0.2 * (s + (double)i / STEPS));
      if (status != CARDAN_OK) {
        return status;
      }
    }
  }
  return CARDAN_OK;
}

/* The humanoid, thrown with a spin and its joints moving, for 200 steps of 1 ms. */
static cardan_status throw_humanoid(cardan__job *job, const char *options, double speed,
                                    double *evaluations)
{
  cardan__motion m;
  cardan_status status = cardan__motion_open("humanoid", options, 1e-3, &m, job->report);
  if (status != CARDAN_OK) {
    return status;
  }
  double *v = cardan_sim_data(m.sim)->v;
  for (int k = 0; k < m.model->nv; k++) {
    v[k] += k < 3 ? 1.0 : k < 6 ? speed / sqrt(3) : 0.3 * sin(k);
  }
  status = cardan_sim_start(m.sim, job->report);
  status = status ? status : go(job, m.sim, 200, evaluations);
  cardan__motion_close(&m);
  return status;
}

static cardan_status throw_faster(cardan__job *job, double at[2][SPEEDS])
{
  const char *const column[] = {"speed [m/s]", "Newton in O(n)", "RIQN"};
  cardan__grid *grid = cardan__outcome_grid(
      job->out, "A humanoid of 36 DOFs, thrown, dt 1 ms: evaluations in a step", column, 3);
  for (int i = 0; i < SPEEDS; i++) {
    const double speed = 25 << i;
    cardan__grid_text(job->out, grid, "%.0f", speed);
    for (int s = 0; s < 2; s++) {
      char options[96];
      snprintf(options, sizeof options, CARDAN__LEE_METHOD " solver=%s", solver[s]);
      cardan_status status = throw_humanoid(job, options, speed, &at[s][i]);
      cardan__grid_numbers(job->out, grid, at[s][i], NAN);
      status = status ? status : cardan__job_tick(job, 0.8 + 0.04 * i);
      if (status != CARDAN_OK) {
        return status;
      }
    }
  }
  return CARDAN_OK;
}

cardan_status cardan__lee_rates(cardan__job *job, cardan__lee_rate *out)
{
  double rho[SPINS] = {0}, last[SOLVERS] = {0}, at[2][SPEEDS] = {{0}};
  cardan_status status = spin_body(job, rho);
  status = status ? status : lengthen_steps(job, last);
  status = status ? status : throw_faster(job, at);
  if (status != CARDAN_OK) {
    return status;
  }
  *out = (cardan__lee_rate){.per_turn = rho[2] / turn[2],
                            .chain_newton = last[0],
                            .chain_riqn = last[1],
                            .thrown_newton = at[0][SPEEDS - 1],
                            .thrown_riqn = at[1][SPEEDS - 1]};
  // proportional: measured 1.00, and 0.57 for this body and axis
  cardan__outcome_claim(job->out, "RIQN, a free body: exponent of its contraction against w dt", "",
                        NAN, log10(rho[2] / rho[0]), 0.95, 1.05);
  cardan__outcome_claim(job->out, "RIQN, a free body: contraction over w dt", "", NAN,
                        out->per_turn, 0.5, 0.65);
  // chaotic, but means over hundreds of steps
  cardan__outcome_claim(job->out, "chain:10, dt 0.078 s: RIQN over Newton, evaluations", "times",
                        NAN, out->chain_riqn / out->chain_newton, 1.5, 5);
  cardan__outcome_claim(job->out, "humanoid at 400 m/s: Newton, evaluations in a step", "", NAN,
                        out->thrown_newton, 1.5, 3);
  cardan__outcome_claim(job->out, "humanoid at 400 m/s: RIQN, evaluations in a step", "", NAN,
                        out->thrown_riqn, 10, 100);
  return CARDAN_OK;
}
