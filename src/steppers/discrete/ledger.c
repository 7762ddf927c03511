// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "steppers/discrete/discrete.h"

/* Work done on the mechanism by all that has no potential.
 *
 * Over a step: forces, by the equation's own rule; at the node it starts from: drivers, whose
 * impulse f there is the residual of a prescribed coordinate or the multiplier of a row, times the
 * rate they prescribe. That impulse is of the interval after h_before + (1 - after) h around the
 * node. */

/* Rates of the drivers at the node: velocities of prescribed coordinates, -Phi_t of rows. */
static void driver_rates(const cardan__discrete *d)
{
  const cardan_model *model = d->model;
  const cardan__border *b = &d->border;
  cardan_data *node = d->node;
  double *rate = d->ledger.rate;
  cardan__node_rates(d);
  for (int i = 0; i < model->nprescribed; i++) {
    rate[i] = node->v[model->body[model->prescribed[i].body].vadr];
  }
  if (b->n > 0) {
    const cardan__rowset set = cardan__model_rows(model);
    const cardan__view view = cardan__data_view(model, node);
    cardan__rows_rates(&set, &view, node->rows.phi_t, NULL);
  }
  for (int j = 0; j < b->n; j++) {
    rate[model->nprescribed + j] = -node->rows.phi_t[b->row[j]];
  }
}

static void add_drivers(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan__ledger *ledger = &d->ledger;
  const int n = model->nprescribed + d->border.n;
  const double weight = ledger->after * ledger->now.h_before + (1 - ledger->after) * d->h;
  cardan__node_pose(d);
  driver_rates(d);
  memcpy(ledger->drive_before, ledger->drive, (size_t)n * sizeof *ledger->drive);
  for (int i = 0; i < n; i++) {
    const int j = i - model->nprescribed;
    const double impulse =
        j >= 0 ? d->border.lambda[j] : d->r[model->body[model->prescribed[i].body].vadr];
    ledger->now.work += impulse * ledger->rate[i];
    ledger->drive[i] = weight != 0 ? impulse / weight : 0;
  }
  ledger->now.ndrive = ledger->now.ndrive < 2 ? ledger->now.ndrive + 1 : 2;
}

void cardan__ledger_add(cardan__discrete *d)
{
  if (d->works || d->has_inputs) {
    d->ledger.now.work += d->equation->work(d);
  }
  if (d->works && d->model->nprescribed + d->border.n > 0) {
    add_drivers(d);
  }
  d->ledger.now.h_before = d->h;
}

/* The part of the node's impulse that comes from the step before has a force extrapolated from the
 * last two nodes, with an error of h^3 that does not add up. */
double cardan__discrete_work(const cardan__stepper *stepper)
{
  const cardan__discrete *d = (const cardan__discrete *)stepper;
  const cardan__ledger *ledger = &d->ledger;
  const int n = d->model->nprescribed + d->border.n;
  double work = ledger->now.work;
  if (!d->works || n == 0 || ledger->now.ndrive == 0) {
    return work;
  }
  if (!(d->node->fresh & CARDAN_FRESH_POSES)) {
    cardan_joints(d->model, d->node);
    cardan_poses(d->model, d->node);
  }
  driver_rates(d);
  for (int i = 0; i < n; i++) {
    const double force =
        ledger->now.ndrive > 1 ? 2 * ledger->drive[i] - ledger->drive_before[i] : ledger->drive[i];
    work += ledger->after * ledger->now.h_before * force * ledger->rate[i];
  }
  return work;
}
