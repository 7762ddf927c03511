// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "run/sim.h"
#include "spatial/spatial.h"

/* Continue a copy of a batch in a sim, from a node that its lane has computed, and take it out of
 * the sim again. */

bool cardan__sim_has_only_limits(const cardan_sim *sim)
{
  const cardan__contacts *c = sim->contacts;
  bool only = true;
  for (int i = 0; c != NULL && i < c->gaps.nfixed; i++) {
    only = only && c->gaps.feature[i].kind == CARDAN__LIMIT;
  }
  return only;
}

void cardan__sim_swap_estimate(cardan_sim *sim, cardan__estimate *estimate)
{
  const cardan__estimate own = sim->estimate;
  sim->estimate = *estimate;
  *estimate = own;
  cardan__estimate_rejoin(sim);
  estimate->next_sample = estimate->next_look = 0;
}

cardan_status cardan__sim_resume(cardan_sim *sim, const cardan__watched_copy *copy, int64_t step,
                                 double work, cardan_report *report)
{
  sim->stats = copy->stats;
  sim->stats.steps = step;
  sim->watch = copy->watch;
  memcpy(sim->watch_text, copy->text, sizeof copy->text);
  sim->square_sum = sim->work_start = 0;
  sim->t_start = sim->options.begin;
  sim->k_start = 0;
  sim->angle_unwrap.known = false;
  sim->trend = (cardan__trend){0};
  cardan__switches_start(sim);
  if (sim->contacts != NULL) {
    sim->contacts->ledger.stats = copy->stats.contact;
    sim->contacts->ledger.driven = sim->contacts->ledger.dry = 0;
    sim->contacts->gaps.nignored = 0;
    sim->contacts->landing.resumes = true;
  }
  const cardan_status status = cardan__sim_begin(sim, report);
  if (sim->contacts != NULL) {
    sim->contacts->landing.resumes = false;
  }
  if (status == CARDAN_OK) {
    sim->work_start = work - cardan__sim_work(sim);
    cardan__substeps_start(sim);
    cardan__estimate_begin_ways(&sim->estimate, sim->model, sim->data->q, sim->data->v,
                                sim->options.dt);
  }
  return status;
}

void cardan__sim_leave(cardan_sim *sim, cardan__watched_copy *copy, double *work)
{
  copy->stats = sim->stats;
  copy->stats.steps = copy->stats.accepted = 0; // as of all copies in lanes: these are not counted
  copy->watch = sim->watch;
  memcpy(copy->text, sim->watch_text, sizeof copy->text);
  if (sim->contacts != NULL) {
    copy->stats.contact = sim->contacts->ledger.stats;
  }
  *work = cardan__sim_work(sim);
}

bool cardan__sim_has_solids(const cardan_sim *sim)
{
  return sim->contacts != NULL && sim->contacts->gaps.room_watch > 0;
}

/* A closed spot of a pair, NULL: none. */
static const cardan__feature *find_spot(const cardan__contacts *c, int pair, int spot)
{
  for (int i = c->gaps.nfixed; i < c->gaps.n; i++) {
    const cardan__feature *f = &c->gaps.feature[i];
    if (f->pair == pair && f->index == spot && cardan__contacts_closed(c, i)) {
      return f;
    }
  }
  return NULL;
}

void cardan__sim_contact_past(cardan_sim *sim, int pair, int spot, double *push, double *slack)
{
  const cardan__feature *f = find_spot(sim->contacts, pair, spot);
  const cardan__contact_record *g = f != NULL ? cardan__contacts_record(sim->contacts, f) : NULL;
  *push = g != NULL ? cardan__vec3_dot(g->minus[0], f->d[0]) : 0;
  *slack = g != NULL ? g->slack[CARDAN__SLIP] : 0;
}

void cardan__sim_set_contact_past(cardan_sim *sim, int pair, int spot, double push)
{
  const cardan__feature *f = find_spot(sim->contacts, pair, spot);
  if (f != NULL) { // a contact that approaches or not has its slack from the start of the sim
    cardan__contacts_record_or_new(sim->contacts, f)->minus[0] = cardan__vec3_scale(push, f->d[0]);
  }
}

static const double sticking = 1e-10; // [m/s]: slower at a node is at rest
static const double near = 1e-6;      // [rad or m]

/* Does a closed feature stay so, as what a step holds does? What static friction holds has to
 * stick. */
static bool rests(cardan_sim *sim, int i)
{
  cardan__contacts *c = sim->contacts;
  const cardan__feature *f = &c->gaps.feature[i];
  const cardan__contact_record *g = cardan__contacts_record(c, f);
  const bool known = c->landing.landed || c->gaps.gap[i] >= -CARDAN__LANDED;
  if (f->kind != CARDAN__SPOT || g == NULL || !g->held || !known) {
    return false;
  }
  const cardan_pair *pair = &sim->model->pair[f->pair];
  const double moves =
      pair->statical > pair->friction
          ? cardan__vec3_norm(cardan__feature_velocity(sim->model, sim->data, f, f->touch.x))
          : fabs(c->gaps.rate[i]);
  return moves <= sticking;
}

/* Is an open feature out of reach for 8 steps at the present speed? */
static bool is_clear(cardan_sim *sim, int i)
{
  static const double steps = 8;
  const cardan__contacts *c = sim->contacts;
  const cardan__feature *f = &c->gaps.feature[i];
  const bool limit = f->kind == CARDAN__LIMIT;
  const double rate = (limit ? f->sign * sim->data->v[f->k] : c->gaps.rate[i]) * sim->options.dt;
  const double gap = limit ? cardan__feature_gap(f, sim->data->q) : c->gaps.gap[i];
  return gap > near + fmax(2 * fabs(rate), -steps * rate);
}

/* Do impacts act at the ends of the next steps (impacts auto), are pairs ignored, or do gaps stay
 * that a lane would close? */
static bool lands(const cardan__contacts *c)
{
  return c->landing.wait > 0 || c->gaps.nignored > 0 || c->landing.contradicts;
}

bool cardan__sim_suits_lanes(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  const cardan__method *method = sim->stepper->method;
  bool suits = c == NULL || !lands(c);
  if (!sim->settled && method->node != NULL) { // measures no drift
    sim->data->fresh = 0;
    suits = suits && method->node(sim->stepper, sim->data) == CARDAN_OK;
  }
  if (suits && c != NULL && c->gaps.n > c->gaps.nfixed) {
    cardan__contacts_rates(c, sim->model, sim->data);
  }
  for (int i = 0; c != NULL && suits && i < c->gaps.n; i++) {
    const bool closed = i >= c->gaps.nfixed && cardan__contacts_closed(c, i);
    suits = closed ? rests(sim, i) : is_clear(sim, i);
  }
  return suits;
}
