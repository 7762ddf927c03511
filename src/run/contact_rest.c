// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "run/contact_run.h"
#include "run/sim.h"
#include "spatial/spatial.h"

/* Steps at rest (methods/discrete/rest.c): all that is closed is held, and nothing moves. Their
 * node has the coordinates, features, gaps and rows of the one before to the bit, so that nothing
 * of it is made again; r^+ are the impulses r^- of the step, and records stay. Not where something
 * else moves: drivers, loops with theirs, bounds that depend on time. Whether a step is one follows
 * from the saved state alone. */

static const double same_length = 1e-6; // t_{k+1} - t_k is h only to rounding

static bool has_same_length(const cardan__contacts *c, double h)
{
  return fabs(h - c->ledger.h) <= same_length * h;
}

bool cardan__contact_still_rests(const cardan__contacts *c, double h)
{
  return c->held.rested && c->cones.resting > 0 && !c->landing.on && has_same_length(c, h);
}

/* Impulses of a step at rest, per second: those that the step before ended with, which bear all
 * loads there. Those that it began with took the velocities of its node as well. */
void cardan__contact_set_resting(cardan__contacts *c)
{
  c->held.n = c->held.rested ? c->cones.resting : c->held.n;
  for (int j = 0; j < c->held.n; j++) {
    const cardan__feature *f = &c->cones.feature[j];
    const cardan__contact_record *g = cardan__contacts_record(c, f);
    const cardan_vec3 none = {0, 0, 0};
    const double over = 1 / c->ledger.h;
    const cardan_vec3 force = g != NULL ? cardan__vec3_scale(over, g->plus[0]) : none;
    const cardan_vec3 couple = g != NULL ? cardan__vec3_scale(over, g->plus[1]) : none;
    cardan__feature_local(f, force, couple, c->held.resting + c->held.cone[j].row);
  }
}

bool cardan__contact_may_rest(cardan_sim *sim, double h, int events)
{
  cardan__contacts *c = sim->contacts;
  bool may = c->held.n > 0 && !c->landing.on && !c->trial.seek && events == 0 &&
             has_same_length(c, h) && sim->model->nprescribed + sim->model->nrow == 0 &&
             sim->model->nbound == 0;
  for (int i = 0; i < c->gaps.n && may; i++) {
    may = c->gaps.closure[i] != CARDAN__FLYING;
  }
  if (may) {
    cardan__contact_set_resting(c);
  }
  return may;
}

/* Records of a step of length h at rest: both of its ends have the same impulses. Those of one
 * coordinate followed the loads. */
static void note_rest(cardan__contacts *c, double h)
{
  for (int j = 0; j < c->held.n; j++) {
    const cardan__feature *f = &c->cones.feature[j];
    cardan__contact_record *g = cardan__contacts_record(c, f);
    if (g == NULL) {
      continue;
    }
    if (f->k >= 0) {
      g->plus[0].x = c->held.impulse[c->held.cone[j].row] * (c->ledger.h / h);
    }
    memcpy(g->minus, g->plus, sizeof g->minus);
    if (f->kind == CARDAN__DRY_FRICTION) {
      g->slack[0] = g->slack[1] = 0;
    }
  }
}

void cardan__contact_rest(cardan_sim *sim, double h)
{
  cardan__contacts *c = sim->contacts;
  note_rest(c, h);
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  for (int j = 0; j < c->held.n; j++) {
    const int first = c->held.cone[j].row, end = first + cardan__cone_rows(&c->held.cone[j]);
    for (int row = first; row < end; row++) {
      cardan__reach_axpy(&c->held.reach[j], c->held.impulse[row],
                         c->held.J + (size_t)row * (size_t)c->nv, c->impacts.dp);
    }
  }
  sim->stepper->method->join(sim->stepper, c->impacts.dp);
  sim->data->fresh = 0;
  c->trial.stale = true;
  c->ledger.node_error = 0;
  c->cones.resting = c->held.n;
  c->held.n = 0; // for the next step at rest alone
  cardan__contacts_remember(c, c->ledger.h);
}
