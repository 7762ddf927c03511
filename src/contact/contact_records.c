// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "contact/contacts.h"
#include "spatial/spatial.h"

/* Records: the impulses of contacts in the step before the node, and the forces that follow from
 * them. */

static const double leaving = 1e-9; // [m/s, rad/s]: faster is sliding

static bool is_of(const cardan__contact_record *g, const cardan__feature *f)
{
  return g->kind == f->kind && g->joint == f->joint && g->index == f->index && g->pair == f->pair;
}

cardan__contact_record *cardan__contacts_record(cardan__contacts *c, const cardan__feature *f)
{
  for (int k = 0; k < c->ledger.nrecord; k++) {
    c->ledger.cursor = c->ledger.cursor + 1 < c->ledger.nrecord ? c->ledger.cursor + 1 : 0;
    if (is_of(&c->ledger.record[c->ledger.cursor], f)) {
      return &c->ledger.record[c->ledger.cursor];
    }
  }
  return NULL;
}

/* Another one, of nothing. */
cardan__contact_record *cardan__contacts_record_new(cardan__contacts *c, const cardan__feature *f)
{
  cardan__contact_record *g = &c->ledger.record[c->ledger.nrecord++];
  memset(g, 0, sizeof *g); // between its fields too: states are compared byte by byte
  g->kind = f->kind;
  g->joint = f->joint;
  g->index = f->index;
  g->pair = f->pair;
  return g;
}

cardan__contact_record *cardan__contacts_record_or_new(cardan__contacts *c,
                                                       const cardan__feature *f)
{
  cardan__contact_record *g = cardan__contacts_record(c, f);
  return g != NULL ? g : cardan__contacts_record_new(c, f);
}

bool cardan__contacts_still_all(const cardan__contacts *c)
{
  bool still = c->cones.nrow > 0;
  for (int i = 0; i < c->cones.nrow && still; i++) {
    still = fabs(c->cones.speed[i]) <= leaving;
  }
  return still;
}

void cardan__contacts_count(cardan__contacts *c, const cardan__ncp *p)
{
  c->ledger.stats.solves++;
  c->ledger.stats.sweeps += p->sweeps;
  c->ledger.stats.newtons += p->newtons;
}

cardan_vec3 cardan__contact_record_mean(const cardan__contacts *c, const cardan__contact_record *g,
                                        int part)
{
  const cardan_vec3 sum = cardan__vec3_add(g->minus[part], g->plus[part]);
  return cardan__vec3_scale(c->ledger.h > 0 ? 1 / c->ledger.h : 0, sum);
}

/* Onto data's inputs. */
static void add_forces(cardan__contacts *c, cardan_data *data)
{
  for (int i = 0; i < c->gaps.n; i++) {
    const cardan__feature *f = &c->gaps.feature[i];
    const cardan__contact_record *g =
        cardan__contacts_closed(c, i) ? cardan__contacts_record(c, f) : NULL;
    if (g != NULL) {
      cardan__feature_load(data->model, data, f, cardan__contact_record_mean(c, g, 0),
                           cardan__contact_record_mean(c, g, 1), data->f_in, data->tau_in);
    }
  }
}

void cardan__contacts_press(const cardan__contacts *c, cardan_data *data, double h, const double *r)
{
  cardan__contacts_place(c, data);
  for (int j = 0; j < c->cones.n; j++) {
    cardan_vec3 force, couple;
    cardan__feature_world(&c->cones.feature[j], r + c->cones.cone[j].row, &force, &couple);
    cardan__feature_load(data->model, data, &c->cones.feature[j], cardan__vec3_scale(2 / h, force),
                         cardan__vec3_scale(2 / h, couple), data->f_in, data->tau_in);
  }
}

cardan_status cardan__contacts_publish(cardan__contacts *c, cardan_data *data)
{
  const cardan_model *model = data->model;
  const size_t nv = (size_t)c->nv, nbody = (size_t)c->nbody;
  cardan__contacts_place(c, data);
  memcpy(c->impacts.tau, data->tau_in, nv * sizeof *c->impacts.tau);
  memcpy(c->impacts.f, data->f_in, nbody * sizeof *c->impacts.f);
  add_forces(c, data);
  const cardan_status status = cardan_forward(model, data, 0, 0);
  memcpy(data->tau_in, c->impacts.tau, nv * sizeof *c->impacts.tau);
  memcpy(data->f_in, c->impacts.f, nbody * sizeof *c->impacts.f);
  return status;
}
