// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "methods/discrete/rolling.h"
#include "spatial/spatial.h"

/* Work done on the mechanism by all that has no potential.
 *
 * Over a step: forces, by the equation's own rule; at the node it starts from: drivers, whose
 * impulse f there is the residual of a prescribed coordinate or the multiplier of a row, times the
 * rate they prescribe.
 *
 * This is the momentum of time. A step of fixed length with generating function S(q, q', t) is
 * symplectic with t and its momentum p_t among the variables, p_t' = p_t + dS/dt, and keeps H + p_t
 * to its order; dS/dt is p^+ r' - p^- r, with r the rates of the drivers and p^+, p^- the discrete
 * momenta against them at the end and the start of the step. From H to the energy are p r, so
 *   work = sum over nodes f_k r_k + (p - p^+) r      f = p^- - p^+                           (L1)
 * with p the momentum of the last node's own velocity: the impulse that drivers have still to give
 * there for the node to have their rates. A composition of such steps has the order of its
 * coefficients in t and p_t as well. Rows add to p - p^+ what they do to the other velocities, and
 *   (p - p^+) r = v . (M v - p^+)                                                            (L2)
 * over all of them, whoever drives. */

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
  if (b->nloop > 0) {
    const cardan__rowset set = cardan__model_rows(model);
    const cardan__view view = cardan__data_view(model, node);
    cardan__rows_rates(&set, &view, node->rows.phi_t, NULL);
  }
  for (int j = 0; j < b->nloop; j++) {
    rate[model->nprescribed + j] = model->row[b->row[j]].velocity
                                       ? cardan__rolling_rate(d, b->row[j])
                                       : -node->rows.phi_t[b->row[j]];
  }
}

static void add_drivers(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan__ledger *ledger = &d->ledger;
  const int n = model->nprescribed + d->border.nloop;
  cardan__node_pose(d);
  driver_rates(d);
  for (int i = 0; i < n; i++) {
    const int j = i - model->nprescribed;
    const double impulse =
        j >= 0 ? d->border.lambda[j] : d->r[model->body[model->prescribed[i].body].vadr];
    ledger->now.work += impulse * ledger->rate[i];
  }
}

static bool is_driven(const cardan__discrete *d)
{
  return d->works && d->model->nprescribed + d->border.nloop > 0;
}

void cardan__ledger_add(cardan__discrete *d)
{
  if (d->works || d->has_inputs) {
    d->ledger.now.work += d->equation->work(d);
  }
  if (is_driven(d)) {
    add_drivers(d);
  }
}

void cardan__ledger_node(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan_data *node = d->node;
  double sum = 0;
  if (!is_driven(d)) {
    return;
  }
  memset(d->wrench, 0, (size_t)model->nbody * sizeof *d->wrench);
  d->equation->momentum(d, d->wrench, d->momentum);
  cardan_velocities(model, node);
  for (int i = 1; i < model->nbody; i++) {
    const cardan_force own = cardan__inertia_mul(&model->body[i].inertia, node->V[i]);
    sum += cardan__power(node->V[i], cardan__force_sub(own, d->wrench[i]));
  }
  for (int k = 0; k < model->nv; k++) {
    sum += node->v[k] * (model->armature[k] * node->v[k] - d->momentum[k]);
  }
  d->ledger.now.owed = sum;
}

double cardan__discrete_work(const cardan__stepper *stepper)
{
  const cardan__discrete *d = (const cardan__discrete *)stepper;
  return d->ledger.now.work + d->ledger.now.owed;
}
