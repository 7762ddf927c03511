// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "run/sim.h"

/* Continue a copy of a batch in a sim, from a node that its lane has computed, and take it out of
 * the sim again. */

bool cardan__sim_has_only_limits(const cardan_sim *sim)
{
  const cardan__contacts *c = sim->contacts;
  bool only = c == NULL || c->gaps.room_watch == 0;
  for (int i = 0; c != NULL && i < c->gaps.nfixed; i++) {
    only = only && c->gaps.feature[i].kind == CARDAN__LIMIT;
  }
  return only;
}

void cardan__sim_swap_estimate(cardan_sim *sim, cardan__estimate *estimate)
{
  const cardan__estimate own = sim->estimate;
  sim->estimate = *estimate;
  *estimate = own;
  cardan__estimate_rejoin(sim);
  estimate->next_sample = estimate->next_look = 0;
}

cardan_status cardan__sim_resume(cardan_sim *sim, const cardan__watched_copy *copy, int64_t step,
                                 double work, cardan_report *report)
{
  sim->stats = copy->stats;
  sim->stats.steps = step;
  sim->watch = copy->watch;
  memcpy(sim->watch_text, copy->text, sizeof copy->text);
  sim->square_sum = sim->work_start = 0;
  sim->t_start = sim->options.begin;
  sim->k_start = 0;
  sim->angle_unwrap.known = false;
  sim->trend = (cardan__trend){0};
  cardan__switches_start(sim);
  if (sim->contacts != NULL) {
    sim->contacts->ledger.stats = copy->stats.contact;
    sim->contacts->ledger.driven = sim->contacts->ledger.dry = 0;
    sim->contacts->gaps.nignored = 0;
  }
  const cardan_status status = cardan__sim_begin(sim, report);
  if (status == CARDAN_OK) {
    sim->work_start = work - cardan__sim_work(sim);
    cardan__substeps_start(sim);
    cardan__estimate_begin_ways(&sim->estimate, sim->model, sim->data->q, sim->data->v,
                                sim->options.dt);
  }
  return status;
}

void cardan__sim_leave(cardan_sim *sim, cardan__watched_copy *copy, double *work)
{
  copy->stats = sim->stats;
  copy->stats.steps = copy->stats.accepted = 0; // as of all copies in lanes: these are not counted
  copy->watch = sim->watch;
  memcpy(copy->text, sim->watch_text, sizeof copy->text);
  if (sim->contacts != NULL) {
    copy->stats.contact = sim->contacts->ledger.stats;
  }
  *work = cardan__sim_work(sim);
}

bool cardan__sim_is_clear_of_limits(cardan_sim *sim)
{
  static const double steps = 8, near = 1e-6; // as fast as now; [rad or m]
  const cardan__contacts *c = sim->contacts;
  const cardan__method *method = sim->stepper->method;
  bool clear = true;
  if (!sim->settled && method->node != NULL) { // measures no drift
    sim->data->fresh = 0;
    clear = method->node(sim->stepper, sim->data) == CARDAN_OK;
  }
  for (int i = 0; c != NULL && clear && i < c->gaps.nfixed; i++) {
    const cardan__feature *f = &c->gaps.feature[i];
    const double rate = f->sign * sim->data->v[f->k] * sim->options.dt;
    clear = cardan__feature_gap(f, sim->data->q) > near + fmax(2 * fabs(rate), -steps * rate);
  }
  return clear;
}
