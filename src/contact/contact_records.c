// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "contact/contacts.h"
#include "spatial/spatial.h"

/* Records: the impulses of contacts in the step before the node. */

static bool belongs_to(const cardan__contact_record *g, const cardan__feature *f)
{
  return g->kind == f->kind && g->joint == f->joint && g->index == f->index && g->pair == f->pair;
}

cardan__contact_record *cardan__contacts_record(cardan__contacts *c, const cardan__feature *f)
{
  for (int k = 0; k < c->ledger.nrecord; k++) {
    c->ledger.cursor = c->ledger.cursor + 1 < c->ledger.nrecord ? c->ledger.cursor + 1 : 0;
    if (belongs_to(&c->ledger.record[c->ledger.cursor], f)) {
      return &c->ledger.record[c->ledger.cursor];
    }
  }
  return NULL;
}

/* Appends a record with all fields 0. */
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
