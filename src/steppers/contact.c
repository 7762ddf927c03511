// SPDX-License-Identifier: Apache-2.0
#include "steppers/contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "steppers/sim.h"

/* One step of the run, to t_next:
 *   C = what is HELD; a step with rows that keep C closed, to t_next
 *   one of C pulls: without it; another one that is closed is passed: with it                 (T1)
 *   an open gap is passed: the step is cut where that closes (contact_locate.c)
 *   there, and where a gap closes at the end of a step by itself: contact_strike.c
 *   until t_next
 * From the 8th event of a step on impacts have no restitution, so that what bounces for ever comes
 * to rest; more than 200 are an error.
 *
 * A row that is held has the gap (1 - kappa) phi_k at the end of its step, kappa = h / (5 dt) <= 1:
 * what the location left of a gap decays, in no less than some steps. */

enum { MOST_EVENTS = 200, MOST_CLOSED = 512 };
static const double located = 1e-12;  // of a gap, relative to 1 and its bound [m or rad]
static const double vanished = 1e-10; // of the largest force that holds
static const double at_once = 1e-8;   // the same: what is less at a node has ended there

double cardan__contact_tolerance(const cardan__contacts *c, int i)
{
  return c->active[i] ? vanished * c->force : located * (1 + fabs(c->feature[i].bound));
}

bool cardan__contact_sought(const cardan__contacts *c, int i)
{
  return (c->active[i] || c->closure[i] < CARDAN__HELD) &&
         c->point[1].value[i] < -cardan__contact_tolerance(c, i);
}

/* ---- memory ---- */

int cardan__contacts_most(const cardan_model *model, const cardan_options *options)
{
  const bool off = options->contacts != NULL && strcmp(options->contacts, "off") == 0;
  const int n = off ? 0 : cardan__features_count(model);
  return n < MOST_CLOSED ? n : MOST_CLOSED;
}

#define CARVE(c, count, type) (type *)cardan__carve(c, (size_t)(count), sizeof(type))

static void carve(void *what, cardan__carver *at)
{
  cardan__contacts *c = what;
  const int n = c->n, m = c->most;
  double **const vectors[] = {&c->gap,           &c->target, &c->impulse,        &c->next,
                              &c->here,          &c->rate,   &c->point[0].value, &c->point[1].value,
                              &c->point[2].value};
  c->feature = CARVE(at, n, cardan__feature);
  c->closure = CARVE(at, n, int);
  c->held = CARVE(at, n, int);
  c->active = CARVE(at, n, bool);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARVE(at, n, double);
  }
  c->index = CARVE(at, m, int);
  c->set = CARVE(at, cardan__impact_iwork(m, m), int);
  c->order = CARVE(at, m, int);
  c->u = CARVE(at, m, double);
  c->r = CARVE(at, m, double);
  c->e = CARVE(at, m, double);
  c->W = CARVE(at, (size_t)m * (size_t)c->nv, double);
  c->G = CARVE(at, (size_t)m * (size_t)m, double);
  c->work = CARVE(at, cardan__impact_work(m, m), double);
  c->row = CARVE(at, c->nv, double);
  c->dp = CARVE(at, c->nv, double);
  c->nodal = CARVE(at, c->nv, double);
  c->tau = CARVE(at, c->nv, double);
}

static cardan_status create(const cardan_model *model, const cardan_options *options,
                            const cardan_allocator *allocator, cardan__contacts **out)
{
  const int most = cardan__contacts_most(model, options);
  *out = NULL;
  if (most == 0) {
    return CARDAN_OK;
  }
  cardan__contacts *c = cardan__resize(allocator, NULL, sizeof *c);
  if (c == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *c = (cardan__contacts){.n = cardan__features_count(model), .nv = model->nv, .most = most};
  c->block = cardan__carve_block(allocator, carve, c);
  if (c->block == NULL) {
    cardan__resize(allocator, c, 0);
    return CARDAN_ERR_MEMORY;
  }
  cardan__features_list(model, c->feature);
  *out = c;
  return CARDAN_OK;
}

cardan_status cardan__contact_open(cardan_sim *sim)
{
  cardan_status status = create(sim->model, &sim->options, &sim->allocator, &sim->contacts);
  cardan__contacts *c = sim->contacts;
  if (status != CARDAN_OK || c == NULL) {
    return status;
  }
  sim->stepper->contacts = c;
  status = cardan__keep_create(sim, &c->kept);
  return status == CARDAN_OK ? cardan__keep_create(sim, &c->begun) : status;
}

void cardan__contact_close(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  cardan__keep_destroy(sim, &c->kept);
  cardan__keep_destroy(sim, &c->begun);
  cardan__resize(&sim->allocator, c->block, 0);
  cardan__resize(&sim->allocator, c, 0);
  sim->contacts = NULL;
}

void cardan__contacts_spans(cardan__contacts *c, cardan__spans *list)
{
  cardan__spans_add(list, c->gap, (size_t)c->n, sizeof *c->gap);
  cardan__spans_add(list, c->closure, (size_t)c->n, sizeof *c->closure);
  CARDAN__SPANS_ONE(list, c->stats);
  CARDAN__SPANS_ONE(list, c->driven);
  CARDAN__SPANS_ONE(list, c->stale);
}

double cardan__contacts_work(const cardan__contacts *c)
{
  return c != NULL ? c->driven - c->stats.lost : 0;
}

/* ---- a try ---- */

cardan_status cardan__contacts_judge(cardan__contacts *c, const double *q, const double *of_held)
{
  double worst = 0;
  bool met = false, any_closed = false;
  for (int i = 0; i < c->n; i++) {
    c->next[i] = cardan__feature_gap(&c->feature[i], q);
  }
  for (int j = 0; j < c->nheld; j++) {
    c->next[c->held[j]] = c->feature[c->held[j]].pinned ? fabs(of_held[j]) : of_held[j];
  }
  c->worst = -1;
  for (int i = 0; i < c->n; i++) {
    const double tol = cardan__contact_tolerance(c, i);
    const double least = (c->active[i] ? 0 : fmin(0, c->gap[i])) - tol;
    const bool closed = c->closure[i] >= CARDAN__HELD; // what is closed comes before what closes
    const bool more =
        c->worst < 0 || closed != any_closed ? closed || !any_closed : c->next[i] - least < worst;
    if (c->next[i] < least && more) {
      worst = c->next[i] - least;
      c->worst = i;
      any_closed = closed;
    }
    met = met || (c->next[i] <= tol && c->seek && cardan__contact_sought(c, i));
  }
  return c->worst >= 0 ? CARDAN__CROSSED : c->seek && !met ? CARDAN__SHORT : CARDAN_OK;
}

/* Does a gap close and open again between the node at t and data's? With velocities at both. */
static bool dips(cardan_sim *sim, double t)
{
  cardan__contacts *c = sim->contacts;
  const double h = sim->data->t - t;
  bool any = false;
  for (int i = 0; i < c->n; i++) {
    const double gap[2] = {c->gap[i], c->next[i]};
    const double rate[2] = {c->rate[i], cardan__feature_rate(&c->feature[i], sim->data->v)};
    double least;
    if (c->closure[i] == CARDAN__OPEN && rate[0] < 0 && rate[1] > 0) {
      const double s = cardan__contact_valley(h, gap, rate, &least);
      if (least < -cardan__contact_tolerance(c, i) && s > 0 && s < h) {
        c->dip = any ? fmin(c->dip, t + s) : t + s;
        any = true;
      }
    }
  }
  return any;
}

/* The step to t_end, tested where the method does not do it itself. */
static cardan_status step_once(cardan_sim *sim, double t_end)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const cardan__method *method = sim->stepper->method;
  const double kappa = fmin(0.2 * (t_end - data->t) / sim->options.dt, 1);
  for (int j = 0; j < c->nheld; j++) {
    c->target[j] = (1 - kappa) * c->gap[c->held[j]];
  }
  const double t = data->t;
  for (int i = 0; i < c->n && !sim->stepper->tests; i++) {
    c->rate[i] = cardan__feature_rate(&c->feature[i], data->v);
  }
  if (!sim->stepper->tests) {
    cardan__keep_node(sim, &c->kept);
  }
  cardan_status status = method->step(sim->stepper, data, t_end);
  c->iterations += sim->stepper->iterations;
  if (status == CARDAN_OK && !sim->stepper->tests) {
    if (c->nheld > 0) {
      data->fresh = 0;
      status = cardan__contacts_forward(c, data, 0, 0, c->impulse);
      for (int j = 0; j < c->nheld; j++) {
        c->force = fmax(c->force, fabs(c->impulse[j]));
      }
    }
    status = status == CARDAN_OK ? cardan__contacts_judge(c, data->q, c->impulse) : status;
    status = status == CARDAN_OK && c->dip > 0 && dips(sim, t) ? CARDAN__DIPPED : status;
    if (status != CARDAN_OK) {
      cardan__keep_back(sim, &c->kept);
    }
  }
  return status;
}

static void hold(cardan__contacts *c, int i)
{
  c->held[c->nheld++] = i;
  c->active[i] = true;
}

void cardan__contacts_let_go(cardan__contacts *c, int feature)
{
  int n = 0;
  for (int j = 0; j < c->nheld; j++) {
    if (c->held[j] != feature) {
      c->held[n++] = c->held[j];
    }
  }
  c->nheld = n;
  c->active[feature] = false;
}

void cardan__contacts_hold(cardan__contacts *c)
{
  c->nheld = 0;
  for (int i = 0; i < c->n; i++) {
    c->active[i] = false;
    c->here[i] = 0;
    if (c->closure[i] == CARDAN__HELD && c->nheld < c->most) {
      hold(c, i);
    }
  }
}

cardan_status cardan__contact_fail(cardan_sim *sim, int i, const char *what)
{
  const cardan__contacts *c = sim->contacts;
  cardan_info *info = &sim->data->info;
  const cardan__feature *f = &c->feature[i];
  *info = (cardan_info){.body = -1, .joint = f->joint, .row = -1, .whole = false};
  snprintf(info->message, sizeof info->message, "the limit %.6g of joint \"%.60s\" %s", f->bound,
           sim->model->joint[f->joint].name, what);
  return CARDAN_ERR_NO_CONVERGENCE;
}

/* At the node, for methods whose forces are looked at: its velocities go on as they are. */
static cardan_status release(cardan_sim *sim, int i)
{
  cardan__contacts *c = sim->contacts;
  cardan__contacts_let_go(c, i);
  c->closure[i] = CARDAN__FLYING;
  memset(c->dp, 0, (size_t)c->nv * sizeof *c->dp);
  return sim->stepper->method->push(sim->stepper, sim->data, c->dp);
}

cardan_status cardan__contact_try(cardan_sim *sim, double t_end)
{
  cardan__contacts *c = sim->contacts;
  cardan_status status = CARDAN__CROSSED;
  for (int round = 0; round < 4 * c->most + 8; round++) {
    status = step_once(sim, t_end);
    const int i = c->worst;
    if (status != CARDAN__CROSSED) {
      return status;
    }
    if (c->active[i] && sim->stepper->tests) {
      cardan__contacts_let_go(c, i); // (T1)
    } else if (c->active[i] && c->here[i] <= at_once * c->force) {
      status = release(sim, i);
      if (status != CARDAN_OK) {
        return status;
      }
    } else if (!c->active[i] && c->closure[i] >= CARDAN__HELD && c->nheld < c->most) {
      hold(c, i);
    } else {
      return status;
    }
  }
  return cardan__contact_fail(sim, c->worst, "is held and let go without end");
}

/* ---- the step ---- */

/* What the next step is to hold. Where the method does not see to it, what would pull is let go. */
static cardan_status take_hold(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  bool left = false;
  cardan__contacts_hold(c);
  if (sim->stepper->tests || c->nheld == 0) {
    return CARDAN_OK;
  }
  data->fresh = 0;
  cardan_status status = cardan__contacts_rest(c, data, 0, 0);
  c->force = 1e-300;
  for (int j = 0; j < c->nheld; j++) {
    c->here[c->held[j]] = c->impulse[j];
    c->force = fmax(c->force, fabs(c->impulse[j]));
  }
  for (int i = 0; i < c->n; i++) {
    if (c->closure[i] == CARDAN__HELD && !c->active[i]) {
      c->closure[i] = CARDAN__FLYING;
      left = true;
    }
  }
  memset(c->dp, 0, (size_t)c->nv * sizeof *c->dp);
  return status == CARDAN_OK && left ? sim->stepper->method->push(sim->stepper, data, c->dp)
                                     : status;
}

/* Gaps and closures at the node that was reached; does something meet there? */
static bool look(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  bool meets = false, left = false;
  c->stale = true;
  sim->data->fresh = 0;
  for (int i = 0; i < c->n; i++) {
    const double gap = c->gap[i] = cardan__feature_gap(&c->feature[i], sim->data->q);
    const bool closed = gap <= CARDAN__CLOSED;
    c->stats.overlap = -gap > c->stats.overlap ? -gap : c->stats.overlap;
    const bool ended = c->active[i] && !sim->stepper->tests && !c->feature[i].pinned &&
                       c->next[i] <= vanished * c->force;
    if ((c->closure[i] == CARDAN__HELD && !c->active[i]) || ended) {
      c->closure[i] = CARDAN__FLYING;
      left = true;
    }
    meets = meets || (c->closure[i] == CARDAN__OPEN && closed);
    c->closure[i] = closed ? c->closure[i] : CARDAN__OPEN;
  }
  for (int i = 0; i < c->n && left; i++) {
    meets = meets || c->closure[i] == CARDAN__SPARE; // may be needed now
  }
  return meets;
}

/* Velocities of a node at which something is held; r >= 0 of the step that ends there joins its
 * momentum. */
static cardan_status settle(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  const cardan__method *method = sim->stepper->method;
  if (method->node == NULL || !cardan__contacts_closed(c)) {
    return CARDAN_OK;
  }
  c->settling = true;
  const cardan_status status = method->node(sim->stepper, sim->data);
  c->settling = false;
  c->stale = false;
  return status;
}

cardan_status cardan__contact_step(cardan_sim *sim, double t_next)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  cardan_status status = CARDAN_OK;
  int events = 0;
  c->iterations = 0;
  cardan__keep_node(sim, &c->begun);
  while (data->t < t_next && status == CARDAN_OK) {
    double t_end = t_next;
    status = take_hold(sim);
    c->dip = HUGE_VAL;
    status = status == CARDAN_OK ? cardan__contact_try(sim, t_end) : status;
    if (status == CARDAN__DIPPED) {
      t_end = c->dip;
      c->dip = 0;
      status = cardan__contact_try(sim, t_end);
    }
    c->dip = 0;
    const bool cut = status == CARDAN__CROSSED;
    status = cut ? cardan__contact_locate(sim, t_end) : status;
    const bool meets = status == CARDAN_OK && (look(sim) || cut);
    status = status == CARDAN_OK ? settle(sim) : status;
    if (meets && status == CARDAN_OK) {
      events++;
      status = cardan__contact_strike(sim, events);
      if (status == CARDAN_OK && events > MOST_EVENTS) {
        status = cardan__contact_fail(sim, c->met,
                                      "is met more than 200 times in a step; try restitution 0");
      }
    }
  }
  sim->stepper->iterations = c->iterations;
  c->stats.events = events > c->stats.events ? events : c->stats.events;
  if (status != CARDAN_OK) {
    const cardan_info info = data->info;
    cardan__keep_back(sim, &c->begun);
    data->info = info;
  }
  return status;
}
