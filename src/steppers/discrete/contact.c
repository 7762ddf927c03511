// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "steppers/contact.h"
#include "steppers/discrete/discrete.h"

/* Closed contacts in a step of discrete mechanics: rows of border.c, behind those of the loops.
 *
 *   r(x) - G_k^T lambda - J^T r = 0,   Phi(q^{k+1}) = 0,   phi(q^{k+1}) = target              (H1)
 * r^+ >= 0 of the step before has joined the momentum of the node that the step starts from, as
 * its velocities were made (node.c); r is r^- of the step itself, and while it is >= 0 the contact
 * pushes. So a contact that stays closed is a holonomic row, and its step is that of a loop:
 * symplectic, of order 2, no drift. Who is held, and what happens where one pulls or another
 * closes, is decided by steppers/contact.c, which asks for the step again; this tests a step before
 * it is accepted. */

void cardan__hold_begin(cardan__discrete *d)
{
  const cardan__contacts *c = d->base.contacts;
  cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv;
  b->n = b->nloop + (c != NULL ? c->nheld : 0);
  for (int j = b->nloop; j < b->n; j++) {
    cardan__feature_row(&c->feature[c->held[j - b->nloop]], d->model->nv, b->Gk + (size_t)j * nv);
    b->row[j] = d->model->nrow + j - b->nloop;
    b->lambda[j] = 0;
  }
}

void cardan__hold_rows(const cardan__discrete *d, double *G)
{
  const cardan__contacts *c = d->base.contacts;
  const cardan__border *b = &d->border;
  for (int j = b->nloop; j < b->n; j++) {
    cardan__feature_row(&c->feature[c->held[j - b->nloop]], d->model->nv,
                        G + (size_t)j * (size_t)d->model->nv);
  }
}

void cardan__hold_values(const cardan__discrete *d, const double *q, double *phi)
{
  const cardan__contacts *c = d->base.contacts;
  const cardan__border *b = &d->border;
  for (int j = 0; j < b->n - b->nloop; j++) {
    phi[d->model->nrow + j] = cardan__feature_gap(&c->feature[c->held[j]], q) - c->target[j];
  }
}

const char *cardan__hold_name(const cardan__discrete *d, int row)
{
  const cardan_model *model = d->model;
  const cardan__contacts *c = d->base.contacts;
  return row < model->nrow ? model->constraint[model->row[row].constraint].name
                           : model->joint[c->feature[c->held[row - model->nrow]].joint].name;
}

cardan_status cardan__hold_test(cardan__discrete *d, const double *q)
{
  cardan__contacts *c = d->base.contacts;
  const cardan__border *b = &d->border;
  for (int j = 0; j < c->nheld; j++) {
    c->impulse[j] = b->lambda[b->nloop + j];
  }
  return cardan__contacts_judge(c, q, c->impulse);
}

cardan_status cardan__discrete_push(cardan__stepper *stepper, cardan_data *data, const double *dp)
{
  cardan__discrete *d = (cardan__discrete *)stepper;
  memcpy(d->node->v, data->v, (size_t)d->model->nv * sizeof *data->v);
  d->equation->push(d, dp);
  for (int i = 0; i < CARDAN__STAGES; i++) { // what was before says nothing of what comes
    d->stages.history[i].have = 0;
  }
  d->leap.have = 0;
  d->root.factored = false;
  return CARDAN_OK;
}
