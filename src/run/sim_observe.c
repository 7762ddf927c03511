// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "run/sim.h"

/* A node as it is seen: its velocities and kinematics, energies and violations, statistics. */

double cardan__sim_energy(cardan_sim *sim)
{
  return cardan_kinetic(sim->model, sim->data) + cardan_potential(sim->model, sim->data);
}

static double violation(cardan_sim *sim)
{
  const cardan__method *method = sim->stepper->method;
  if (method->violation != NULL) {
    return method->violation(sim->stepper);
  }
  return sim->model->nrow > 0 ? cardan_constraint_max(sim->model, sim->data) : 0;
}

void cardan__sim_measure(cardan_sim *sim)
{
  sim->seen = (cardan__measures){.kinetic = cardan_kinetic(sim->model, sim->data),
                                 .potential = cardan_potential(sim->model, sim->data),
                                 .violation = violation(sim)};
}

/* Energy drift and constraint error at the node; the velocities and poses must belong to it. */
void cardan__sim_measure_drift(cardan_sim *sim)
{
  cardan_stats *stats = &sim->stats;
  cardan__sim_measure(sim);
  stats->energy_final = sim->seen.kinetic + sim->seen.potential;
  const double work = cardan__sim_work(sim);
  const double balance = stats->energy_final - stats->energy_initial - work;
  stats->drift_max = fmax(stats->drift_max, fabs(balance));
  if (isfinite(balance)) {
    cardan__trend_add(&sim->trend, sim->data->t, balance);
  }
  stats->constraint_max = fmax(stats->constraint_max, sim->seen.violation);
  stats->looks++;
  if (sim->contacts != NULL) {
    stats->contact = sim->contacts->ledger.stats;
    stats->contact.gap = cardan__touching_gap(sim);
  }
  cardan__watch_tables(sim);
  cardan__watch_bushings(sim);
  cardan__watch_tyres(sim);
  cardan__watch_angles(sim);
  cardan__watch_momenta(sim);
  cardan__watch_grip(sim);
  cardan__watch_look(sim, balance, sim->seen.kinetic, sim->seen.violation);
}

/* Energies and violations do not read A0. Joints that the method has placed stay. */
void cardan__sim_place(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  cardan_data *data = sim->data;
  if (sim->stepper->method->kinematics != NULL || model->nrow > 0) {
    cardan__sim_refresh(sim);
    return;
  }
  cardan_prescribe(model, data);
  if (!(data->fresh & CARDAN_FRESH_JOINTS)) {
    cardan_joints(model, data);
  }
  cardan_poses(model, data);
  cardan_velocities(model, data);
}

cardan_status cardan__sim_settle(cardan_sim *sim)
{
  const cardan__method *method = sim->stepper->method;
  if (sim->settled) {
    return CARDAN_OK;
  }
  sim->data->fresh = 0;
  if (method->node != NULL) {
    const cardan_status status = method->node(sim->stepper, sim->data);
    if (status != CARDAN_OK) {
      return status;
    }
  }
  cardan__sim_place(sim);
  cardan__sim_measure_drift(sim);
  sim->settled = true;
  return CARDAN_OK;
}

cardan_status cardan_sim_observe(cardan_sim *sim)
{
  const cardan_status status = cardan__sim_settle(sim);
  const unsigned fresh = sim->data->fresh & (CARDAN_FRESH_VELOCITIES | CARDAN_FRESH_BIAS);
  if (fresh == CARDAN_FRESH_VELOCITIES && sim->stepper->method->kinematics == NULL) {
    cardan_bias_accelerations(sim->model, sim->data);
  }
  return status;
}

cardan_data *cardan_sim_data(cardan_sim *sim)
{
  // a node without velocities (a singular position) shows those of the node before
  const cardan_status status = cardan_sim_observe(sim);
  (void)status;
  return sim->data;
}

cardan_stats cardan_sim_stats(cardan_sim *sim)
{
  const cardan_status status =
      cardan__sim_settle(sim); // where it fails the node before is the last
  (void)status;
  cardan_stats stats = sim->stats;
  const cardan__trend_fit trend = cardan__trend_find(&sim->trend);
  stats.energy_band = trend.band;
  stats.energy_trend = trend.rate;
  stats.energy_trend_error = trend.error;
  stats.error = cardan__estimate_find(sim);
  stats.iterations_std = stats.steps > 0 ? sqrt(sim->square_sum / (double)stats.steps) : 0;
  return stats;
}

int cardan_sim_touching(cardan_sim *sim, cardan_touching *out, int most)
{
  const int n = cardan_sim_observe(sim) == CARDAN_OK ? cardan__touching_count(sim) : 0;
  for (int k = 0; k < n && k < most; k++) {
    cardan__touching_at(sim, k, &out[k]);
  }
  return n;
}
