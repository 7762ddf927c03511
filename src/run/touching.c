// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "cardan/contact.h"
#include "run/sim.h"
#include "spatial/spatial.h"

/* What a program, a table and a page see of the contacts of a node: forces are means over the step
 * that led there. */

static const double still = 1e-9; // [m/s]: faster is sliding

int cardan__touching_count(const cardan_sim *sim)
{
  return sim->contacts != NULL ? sim->contacts->gaps.n : 0;
}

/* The gap of one of them at the node. While nothing is near (contact_skip.c) there are only those
 * of coordinates, and they are not stored. */
static double gap_of(const cardan_sim *sim, int k)
{
  const cardan__contacts *c = sim->contacts;
  return c->skip.calm ? cardan__feature_gap(&c->gaps.feature[k], sim->data->q) : c->gaps.gap[k];
}

double cardan__touching_gap(const cardan_sim *sim)
{
  double least = sim->contacts->skip.calm ? HUGE_VAL : sim->contacts->ledger.stats.gap;
  for (int k = 0; k < cardan__touching_count(sim) && sim->contacts->skip.calm; k++) {
    least = fmin(least, gap_of(sim, k));
  }
  return least;
}

/* Place, forces and slip of a closed spot. */
static void add_spot(const cardan_sim *sim, const cardan__feature *f,
                     const cardan__contact_record *g, cardan_touching *out)
{
  const cardan_vec3 x = f->touch.x, n = f->touch.n;
  const cardan_vec3 u = cardan__feature_velocity(sim->model, sim->data, f, x);
  out->x = x;
  out->n = n;
  out->slip = cardan__vec3_norm(cardan__vec3_axpy(-cardan__vec3_dot(n, u), n, u));
  out->state = out->slip > still ? CARDAN_TOUCH_SLIDES : CARDAN_TOUCH_STICKS;
  if (g != NULL) {
    out->force = cardan__contact_record_mean(sim->contacts, g, 0);
    out->normal = cardan__vec3_dot(n, out->force);
    out->friction = cardan__vec3_norm(cardan__vec3_axpy(-out->normal, n, out->force));
  }
}

void cardan__touching_at(const cardan_sim *sim, int k, cardan_touching *out)
{
  cardan__contacts *c = sim->contacts;
  const cardan__feature *f = &c->gaps.feature[k];
  *out = (cardan_touching){.pair = f->pair,
                           .joint = f->kind == CARDAN__LIMIT ? f->joint : -1,
                           .bound = f->kind == CARDAN__BOUND ? f->index : -1,
                           .id = f->index,
                           .gap = gap_of(sim, k)};
  if (!cardan__contacts_closed(c, k)) {
    return;
  }
  const cardan__contact_record *g = c->by_cones ? cardan__contacts_record(c, f) : NULL;
  if (f->kind == CARDAN__SPOT) {
    add_spot(sim, f, g, out);
    return;
  }
  out->state = CARDAN_TOUCH_STICKS;
  out->normal = g != NULL ? cardan__contact_record_mean(c, g, 0).x : c->cones.here[k];
}
