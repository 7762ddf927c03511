// SPDX-License-Identifier: Apache-2.0
#include "cardan/contact.h"
#include "steppers/sim.h"

/* What a program, a table and a page see of the contacts of a node. */

int cardan__touching_count(const cardan_sim *sim)
{
  return sim->contacts != NULL ? sim->contacts->n : 0;
}

void cardan__touching_at(const cardan_sim *sim, int k, cardan_touching *out)
{
  const cardan__contacts *c = sim->contacts;
  const cardan__feature *f = &c->feature[k];
  const bool closed = c->closure[k] >= CARDAN__HELD;
  *out = (cardan_touching){.pair = -1,
                           .joint = f->kind == CARDAN__LIMIT ? f->joint : -1,
                           .bound = f->kind == CARDAN__BOUND ? f->index : -1,
                           .id = f->index,
                           .gap = c->gap[k],
                           .normal = closed ? c->here[k] : 0,
                           .state = closed ? CARDAN_TOUCH_STICKS : CARDAN_TOUCH_OPEN};
}

int cardan_sim_touching(cardan_sim *sim, cardan_touching *out, int most)
{
  const int n = cardan_sim_observe(sim) == CARDAN_OK ? cardan__touching_count(sim) : 0;
  for (int k = 0; k < n && k < most; k++) {
    cardan__touching_at(sim, k, &out[k]);
  }
  return n;
}
