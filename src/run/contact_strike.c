// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "cardan/dynamics.h"
#include "run/contact_run.h"
#include "run/sim.h"

/* Impacts of a run: what meets at the node that a step ends at. */

enum { MOST_EVENTS = 200 }; // in a step

cardan_status cardan__contacts_velocities(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  if (!c->trial.stale) {
    return CARDAN_OK;
  }
  const cardan__method *method = sim->stepper->method;
  const cardan_status status =
      method->node != NULL ? method->node(sim->stepper, sim->data) : CARDAN_OK;
  if (status == CARDAN_OK) {
    c->trial.stale = false;
    cardan__contacts_rates(c, sim->model, sim->data);
  }
  return status;
}

/* T + lost at data's velocities, which an impact leaves as it is but for the work of prescribed
 * motion and of constraints that move; 0 where there are none, or the method counts it itself. */
static double conserved(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  if (sim->stepper->tests || model->nprescribed + model->nrow == 0) {
    return 0;
  }
  sim->data->fresh = 0;
  cardan_kinematics(model, sim->data);
  return cardan_kinetic(model, sim->data) + sim->contacts->ledger.stats.lost;
}

/* More events than there may be in a step: the message names what was struck most often. */
static cardan_status crowd(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  char what[100];
  int worst = c->impacts.last_feature, count = 0;
  for (int i = 0; i < c->gaps.n; i++) {
    const cardan__hits *h = cardan__contacts_hits(c, &c->gaps.feature[i]);
    if (h != NULL && h->count > count) {
      worst = i;
      count = h->count;
    }
  }
  snprintf(what, sizeof what, "is struck %d times of more than %d events in a step; %s", count,
           MOST_EVENTS, "try restitution 0");
  c->impacts.too_many_events = true;
  return cardan__contact_fail(sim, worst, what);
}

cardan_status cardan__contact_strike(cardan_sim *sim, int events)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const cardan__method *method = sim->stepper->method;
  bool struck = false;
  cardan_status status = cardan__contacts_velocities(sim);
  const double before = conserved(sim);
  data->fresh = 0;
  status = status == CARDAN_OK ? cardan__contacts_gather(c, sim->model, data) : status;
  status = status == CARDAN_OK ? cardan__contacts_impact(c, data, events, &struck) : status;
  if (status == CARDAN_OK && c->by_cones) {
    cardan__contacts_note_slack(c, c->impacts.index, c->impacts.nclosed);
  } else if (status == CARDAN_OK) {
    status = cardan__contacts_close(c, data, events);
  }
  if (status == CARDAN_OK && (struck || !c->by_cones)) {
    c->ledger.driven += conserved(sim) - before;
    status = method->push(sim->stepper, data, c->impacts.dp);
    c->trial.stale = c->by_cones; // velocities are then those of the momentum, to the last bit
  }
  data->fresh = 0;
  status = status == CARDAN_OK ? cardan__contacts_velocities(sim) : status;
  return status == CARDAN_OK && events > MOST_EVENTS ? crowd(sim) : status;
}
