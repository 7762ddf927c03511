// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "contact/contacts.h"
#include "linalg/small.h"
#include "run/contact_run.h"
#include "run/sim.h"
#include "spatial/spatial.h"

/* The end of a step becomes a node: records of what the step did, and the features there. */

static const double apart = 1e-2; // of the smaller solid: two places, not one

/* [J] What n rows of friction took over the first half of a step, with impulses r, velocities u at
 * the node and their mean over the step. A contact that turns round or comes to stick in the step
 * has impulses against the mean, and along the velocity of the node: they take no less than
 * nothing. */
static double friction_took(int n, const double *r, const double *u, const double *mean)
{
  const double at_node = -cardan__dot(n, r, u);
  return at_node >= 0 ? at_node : -cardan__dot(n, r, mean);
}

/* Of dry friction in joints: each half of the step has its impulse, between the velocity of its
 * node and the mean over the step. That is the work of a joint that slides, that stops, and of one
 * that rests, whatever it carries. */
static void note_dry(cardan__contacts *c)
{
  for (int j = c->held.n - c->ndry; j < c->held.n; j++) {
    const cardan__feature *f = &c->cones.feature[j];
    cardan__contact_record *g = cardan__contacts_record_new(c, f);
    const int row = c->held.cone[j].row;
    const double r = c->held.impulse[row];
    g->held = true;
    g->minus[0].x = r;
    g->slack[0] = c->cones.mean[row];
    g->slack[1] = c->held.speed[row];
    c->ledger.dry -= 0.5 * r * (c->held.speed[row] + g->slack[0]);
  }
}

static const double contradiction = 1e-12; // [m or rad] that (N) is left with over a step

/* What the step from the node did, of length h: it becomes the step before. What its (N) was left
 * with is a way, which counts over a whole step dt. */
static void note_step(cardan__contacts *c, double h, double dt)
{
  c->ledger.nrecord = 0;
  c->ledger.h = h;
  c->ledger.stats.error = c->held.n > 0 ? fmax(c->ledger.stats.error, c->held.residue / fmax(h, dt))
                                        : c->ledger.stats.error;
  c->landing.contradicts = c->landing.contradicts ||
                           (c->landing.landed && c->held.n > 0 && c->held.residue > contradiction);
  for (int i = 0, j = 0; i < c->gaps.n; i++) {
    if (c->gaps.closure[i] != CARDAN__OPEN) {
      cardan__contact_record *g = cardan__contacts_record_new(c, &c->gaps.feature[i]);
      g->held = c->gaps.active[i];
      if (c->gaps.active[i]) {
        const int row = c->held.cone[j].row;
        const double *r = c->held.impulse + row, *u = c->held.speed + row;
        cardan__feature_world(&c->cones.feature[j], r, &g->minus[0], &g->minus[1]);
        g->sticks = c->cones.sticks[j];
        c->ledger.stats.friction +=
            friction_took(c->cones.feature[j].dim - 1, r + 1, u + 1, c->cones.mean + row + 1);
        c->ledger.driven += c->cones.feature[j].kind == CARDAN__BOUND ? r[0] * u[0] : 0; // (T2)
        j++;
      }
    }
  }
  note_dry(c);
  c->ledger.nbefore = c->ledger.nrecord;
}

/* Of a feature of the step whose place may jump, the closed spot of the node; -1: none. */
static int same(const cardan__contacts *c, const cardan__feature *f)
{
  const cardan__spot_kind kind = f->spot.kind;
  if (f->kind != CARDAN__SPOT || (kind != CARDAN__SPOT_RIM && kind != CARDAN__SPOT_PART)) {
    return -1;
  }
  for (int i = c->gaps.nfixed; i < c->gaps.n; i++) {
    if (c->gaps.feature[i].pair == f->pair && c->gaps.feature[i].index == f->index) {
      return cardan__contacts_closed(c, i) ? i : -1;
    }
  }
  return -1;
}

/* Spots that were held, count in grip, and are made again with the same id at another place: what
 * the step held ends where it was frozen (the far end of an edge that tips over), and the spot of
 * the node has not been in it. */
static void note_left(cardan__contacts *c, const cardan_model *model, int count)
{
  for (int j = 0; j < count; j++) {
    const int i = same(c, &c->cones.feature[j]);
    cardan__contact_record *g = i >= 0 ? cardan__contacts_record(c, &c->cones.feature[j]) : NULL;
    if (g != NULL) {
      const int *solid = model->pair[c->cones.feature[j].pair].solid;
      const double size = fmin(model->solid[solid[0]].radius, model->solid[solid[1]].radius);
      cardan__touch at;
      cardan__spot_look(model, &c->cones.feature[j].spot, c->gaps.X, &at);
      const cardan_vec3 way = cardan__vec3_sub(at.x, c->gaps.feature[i].touch.x);
      g->left = cardan__vec3_norm(way) > apart * size;
    }
  }
}

void cardan__contact_end_step(cardan_sim *sim, double h)
{
  cardan__contacts *c = sim->contacts;
  note_step(c, h, sim->options.dt);
  cardan__contacts_remember(c, h);
  if (c->gaps.room_watch > 0) {
    cardan__contacts_learn(c, h / sim->options.dt);
  }
  c->held.n = 0;
}

cardan_status cardan__contact_enter_node(cardan_sim *sim, int held)
{
  cardan__contacts *c = sim->contacts;
  c->ledger.node_error = 0;
  c->trial.stale = true;
  sim->data->fresh = 0;
  const cardan_status status = cardan__contacts_enter(c, sim->model, sim->data);
  if (status != CARDAN_OK || c->ledger.stats.closed == 0) {
    cardan__contacts_skip_begin(c, sim->model, sim->data);
    return status;
  }
  note_left(c, sim->model, held);
  return CARDAN_OK;
}
