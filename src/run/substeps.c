// SPDX-License-Identifier: Apache-2.0
#include "run/substeps.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "cardan/dynamics.h"
#include "run/sim.h"

/* A step in 2^k equal parts, where the whole of it has no root or changes the energy too much.
 *
 * With E the energy of a node less the work done, and K its kinetic energy, a part from one node to
 * the next passes when
 *   |E' - E| <= adapt (max(K, K') + 1e-6 K_largest) + rounding                               (A1)
 * a question that is the same forwards and backwards in time. Where dry friction stops a joint the
 * work of it is known to no part of K, which vanishes there: that much is added. And the whole step
 * is tried first every time: how many parts the step before took is not asked. So the choice is
 * symmetric in time, which keeps the long-time behaviour of a symmetric method (cf. E. Hairer, G.
 * Soderlind, Explicit, time reversible, adaptive step size control, SIAM J. Sci. Comput. 26, 2005);
 * a step that starts from the parts of the last does not, and gains energy at every passage of a
 * hard place. Every part is a step of the method, symplectic and on the constraints; nodes stay at
 * k dt.
 *
 * A node without a velocity (a singular position) has no energy: (A1) then compares the nodes
 * around it. */

enum { LEVELS = 8 };

/* ---- one part ---- */

/* h: of the parts there are. needs velocities and kinematics in data; returns why there is no
 * momentum */
static cardan_status measure_energies(cardan_sim *sim, double h, cardan__substeps_node *node)
{
  const cardan_model *model = sim->model;
  const cardan__method *method = sim->stepper->method;
  double kinetic = cardan_kinetic(model, sim->data);
  const double potential = cardan_potential(model, sim->data);
  cardan_status status = CARDAN_OK;
  if (method->nodal != NULL) {
    status = method->nodal(sim->stepper, sim->data, h, &kinetic);
  }
  *node = (cardan__substeps_node){.kinetic = kinetic,
                                  .energy = kinetic + potential - cardan__sim_work(sim),
                                  .rounding = 1e3 * DBL_EPSILON * (kinetic + fabs(potential)),
                                  .largest = fmax(kinetic, sim->substeps.now.largest)};
  return status;
}

void cardan__substeps_start(cardan_sim *sim)
{
  if (sim->options.adapt > 0) {
    sim->substeps.now.largest = 0;
    const cardan_status status = measure_energies(sim, sim->options.dt, &sim->substeps.now);
    (void)status; // without it the first part is held against the velocities given
  }
}

/* Velocities, kinematics and energies of the node that was reached; false: it has none. */
static bool has_energy(cardan_sim *sim, double h, cardan__substeps_node *node)
{
  return cardan__sim_update_node(sim) == CARDAN_OK && measure_energies(sim, h, node) == CARDAN_OK;
}

/* (A1), from the last node that has an energy; the one that was reached becomes it. */
static cardan_status judge(cardan_sim *sim, double h)
{
  const cardan__substeps_node before = sim->substeps.now;
  cardan_info *info = &sim->data->info;
  cardan__substeps_node now;
  const bool known = has_energy(sim, h, &now);
  *info = (cardan_info){.body = -1, .joint = -1, .row = -1};
  if (!known) {
    return CARDAN_OK;
  }
  sim->substeps.now = now;
  const double kinetic = fmax(before.kinetic, now.kinetic) + 1e-6 * now.largest;
  const double change = fabs(now.energy - before.energy);
  const double friction = sim->contacts != NULL ? sim->contacts->ledger.dry_error : 0;
  if (change <= sim->options.adapt * kinetic + before.rounding + now.rounding + friction) {
    return CARDAN_OK;
  }
  info->residual = change / kinetic;
  snprintf(info->message, sizeof info->message,
           "the energy changes by %.2g of the kinetic energy over h = %.3g s", change / kinetic, h);
  return CARDAN_ERR_STEP_TOO_SMALL;
}

/* The step in n parts, each by the method and judged; evaluations are added to *iterations. */
static cardan_status take(cardan_sim *sim, double t_next, int n, int *iterations)
{
  const double t = sim->data->t, h = (t_next - t) / n;
  cardan__substeps_node first;
  cardan_status status = CARDAN_OK;
  if (n > 1 && sim->stats.steps == 0 && has_energy(sim, h, &first)) {
    sim->substeps.now = first;
  }
  for (int i = 1; i <= n && status == CARDAN_OK; i++) {
    status = cardan__sim_move(sim, i < n ? t + i * h : t_next);
    *iterations += sim->stepper->iterations;
    if (status == CARDAN_OK) {
      status = judge(sim, h);
    }
  }
  return status;
}

cardan_status cardan__substeps_step(cardan_sim *sim, double t_next)
{
  const double h = t_next - sim->data->t;
  cardan_status status = CARDAN_ERR_STEP_TOO_SMALL;
  int iterations = 0, level = 0;
  cardan__snapshot_save(sim, &sim->advance_begin);
  while (level <= LEVELS && status != CARDAN_OK && status != CARDAN_ERR_STOPPED) {
    status = take(sim, t_next, 1 << level, &iterations);
    if (status != CARDAN_OK) {
      cardan__snapshot_restore(sim, &sim->advance_begin);
      level++;
    }
  }
  sim->stepper->iterations = iterations;
  if (status == CARDAN_OK && level > 0) {
    const double part = h / (1 << level);
    sim->stats.part = sim->stats.parted++ == 0 ? part : fmin(sim->stats.part, part);
  }
  return status;
}

cardan_status cardan__sim_advance_whole(cardan_sim *sim, double t)
{
  if (sim->options.adapt > 0) {
    return cardan__substeps_step(sim, t);
  }
  if (!sim->saves_advance) {
    return cardan__sim_move(sim, t);
  }
  cardan__snapshot_save(sim, &sim->advance_begin);
  const cardan_status status = cardan__sim_move(sim, t);
  if (status != CARDAN_OK) {
    cardan__snapshot_restore(sim, &sim->advance_begin);
  }
  return status;
}
