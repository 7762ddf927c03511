// SPDX-License-Identifier: Apache-2.0
#include "run/contact_run.h"

#include <math.h>
#include <stdio.h>

#include "run/sim.h"
#include "spatial/spatial.h"

/* Contacts of a run: memory, and one step. */

enum { MOST_PARTS = 3 }; // a quarter, 1/16, 1/64 of a step

cardan_status cardan__contact_open(cardan_sim *sim)
{
  const cardan_status status = cardan__contacts_create(
      sim->model, &sim->options, sim->stepper->tests, &sim->allocator, &sim->contacts);
  if (sim->contacts != NULL) {
    sim->contacts->held.calls = &cardan__contact_held_calls;
    sim->stepper->held = &sim->contacts->held;
  }
  return status == CARDAN_OK && sim->contacts != NULL ? cardan__contact_open_rollback(sim) : status;
}

/* A step without the search for near pairs, to t_next; *refused: it was not taken, and features of
 * the node were found. */
static cardan_status step_skipping(cardan_sim *sim, double t_next, bool *refused)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  c->trial.from = data->t;
  c->skip.node = data->q;
  c->skip.looked = false;
  c->ledger.stats.attempts++;
  const cardan__attempt attempt = sim->stepper->method->step(sim->stepper, data, t_next);
  c->skip.node = NULL;
  c->trial.iterations += sim->stepper->iterations;
  *refused = attempt.status == CARDAN_OK && attempt.why != CARDAN__ACCEPTED; // MOVED
  if (*refused) {
    return cardan__contacts_skip_refused(c, data);
  }
  if (attempt.status == CARDAN_OK) {
    cardan__contacts_skip_accepted(c, data);
  }
  return attempt.status;
}

/* By cones. Where a node on the way cannot be made, the step is taken again from its beginning with
 * shorter ones, which have other nodes. */
static cardan_status step_in_parts(cardan_sim *sim, const cardan__snapshot *begin, double t_next)
{
  cardan__contacts *c = sim->contacts;
  const double h = t_next - sim->data->t;
  c->trial.pace = HUGE_VAL;
  cardan_status status = cardan__contact_step_cones(sim, t_next);
  for (int k = 1;
       k <= MOST_PARTS && status == CARDAN_ERR_NO_CONVERGENCE && !c->impacts.too_many_events; k++) {
    cardan__snapshot_restore(sim, begin);
    c->impacts.nhit = 0;
    c->trial.pace = ldexp(h, -2 * k - 1);
    status = cardan__contact_step_cones(sim, t_next);
  }
  return status;
}

cardan_status cardan__contact_step(cardan_sim *sim, double t_next)
{
  cardan__contacts *c = sim->contacts;
  c->trial.iterations = c->impacts.nhit = c->landing.fresh = 0;
  c->ledger.dry_error = 0;
  cardan_status status =
      c->trial.unseen ? cardan__contacts_enter(c, sim->model, sim->data) : CARDAN_OK;
  if (status != CARDAN_OK) {
    return status;
  }
  c->trial.unseen = false;
  if (c->skip.calm) {
    bool refused = false;
    status = step_skipping(sim, t_next, &refused);
    if (!refused || status != CARDAN_OK) {
      c->ledger.stats.steps_located++;
      sim->stepper->iterations = c->trial.iterations;
      return status;
    }
  }
  // where the advance was saved, that of rows rolls back to it, and cones need the trial's own
  const cardan__snapshot *begin = sim->saves_advance ? &sim->trial_begin : &sim->advance_begin;
  const bool rolls_back = c->by_cones || !sim->saves_advance;
  if (rolls_back) {
    cardan__snapshot_save(sim, begin);
  }
  status = c->by_cones ? step_in_parts(sim, begin, t_next) : cardan__contact_step_rows(sim, t_next);
  sim->stepper->iterations = c->trial.iterations;
  if (status != CARDAN_OK && rolls_back) {
    cardan__snapshot_restore(sim, begin);
  }
  return status;
}
