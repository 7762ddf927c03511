// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "linalg/small.h"
#include "run/contacts.h"
#include "run/sim.h"
#include "spatial/spatial.h"

/* One step of the run by a method of discrete mechanics, to t_next:
 *   C = what is closed, but for what flies away; a step in which the impulses r^- of C, with gaps
 *       and slips over the step, satisfy (N) of contact/ncp.h (discrete/discrete_contact.c)
 *   what is not in C is passed: the step is cut where that closes (contact_locate.c)
 *   at its end r^+ of what was in C and is closed brings velocities into (N), without restitution
 *   there, where the step was cut, and where something closes at the end by itself and approaches:
 *       an impact (contact_strike.c)
 *   until t_next
 * Lift-off, stick and slip come out of (N): none of them is located. A contact that slides at the
 * node has its friction of the first half along the direction of sliding there, one row; that of
 * the second half follows the direction at the end: the trapezoidal rule, which is symmetric.
 * From its 8th impact in a step on a contact has no restitution (option max-impacts), so that what
 * bounces for ever comes to rest; more than 200 events are an error. A step whose equations are not
 * solved is halved; where those of a node are not, all is taken again in shorter ones (contact.c).
 * Rows at an iterate far off may have no impulses at all, which takes the solver longest to find
 * out: after one such search in a step there is no other, as long as halving is left.
 *
 * The target of a gap is (1 - kappa) phi_k, kappa = h / (5 dt): linear in phi_k, so that contacts
 * that depend on one another do not contradict one another; what the location left of a gap decays
 * in some steps. Friction takes r_t^- . u_t as a step begins and r_t^+ . u_t as it ends, with the
 * velocities of the nodes: the trapezoidal rule. In the same way a bound that depends on time (a
 * winch) does the work of its driver: u = J v + u_0 = 0 while it is closed, and
 *   J^T r . v = -r u_0                                                                      (T2) */

enum { MOST_HALVINGS = 8, MOST_LOOKS = 40 };
static const double leaving = 1e-9;  // [m/s, rad/s]: faster is flying, or sliding
static const double sliding = 4;     // of what friction can do to a velocity in half a step
static const double nothing = 1e-13; // of the speeds: a velocity that is rounding
static const double enough = 1e-11;  // [m] over a step, where rows contradict one another by that
static const double place = 1e-8;    // [m] where contacts touch
static const double least = 1e-6;    // of a velocity that counts as none: no need to do better
static const double accepted = 1e-9; // of the speeds: worse is no solution
static const double apart = 1e-2;    // of the smaller solid: two places, not one
static const double mobile = 1e-12;  // of the largest: what nothing can move

/* ---- records ---- */

static bool is_of(const cardan__contact_record *g, const cardan__feature *f)
{
  return g->kind == f->kind && g->joint == f->joint && g->index == f->index && g->pair == f->pair;
}

cardan__contact_record *cardan__contacts_record(cardan__contacts *c, const cardan__feature *f)
{
  for (int k = 0; k < c->nrecord; k++) {
    c->sought = c->sought + 1 < c->nrecord ? c->sought + 1 : 0;
    if (is_of(&c->record[c->sought], f)) {
      return &c->record[c->sought];
    }
  }
  return NULL;
}

/* Another one, of nothing. */
static cardan__contact_record *record_new(cardan__contacts *c, const cardan__feature *f)
{
  cardan__contact_record *g = &c->record[c->nrecord++];
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
  return g != NULL ? g : record_new(c, f);
}

/* What the step from the node did, of length h: it becomes the step before. What its (N) was left
 * with is a way, which counts over a whole step dt. */
static void note_step(cardan__contacts *c, double h, double dt)
{
  c->nrecord = 0;
  c->h = h;
  c->stats.error = c->nheld > 0 ? fmax(c->stats.error, c->residue / fmax(h, dt)) : c->stats.error;
  for (int i = 0, j = 0; i < c->n; i++) {
    if (c->closure[i] != CARDAN__OPEN) {
      cardan__contact_record *g = record_new(c, &c->feature[i]);
      g->held = c->active[i];
      if (c->active[i]) {
        const double *r = c->impulse + c->cone[j].row, *u = c->speed + c->cone[j].row;
        cardan__feature_world(&c->grip[j], r, &g->minus[0], &g->minus[1]);
        g->sticks = c->sticks[j];
        c->stats.friction -= cardan__dot(c->grip[j].dim - 1, r + 1, u + 1);
        c->driven += c->grip[j].kind == CARDAN__BOUND ? r[0] * u[0] : 0; // (T2)
        j++;
      }
    }
  }
  c->nbefore = c->nrecord;
}

/* Was it in the step? A spot that is new may stand for others of its pair, as they move over a
 * face; then it approaches by no more than these impulses leave: r^+ is still to come. */
static bool was_held(cardan__contacts *c, int i, double still)
{
  const cardan__feature *f = &c->feature[i];
  const cardan__contact_record *own = cardan__contacts_record(c, f);
  double push = 0, give = 0;
  if (own != NULL && own->held && !own->left) {
    return true;
  }
  for (int j = 0; j < c->nbefore; j++) {
    const cardan__contact_record *g = &c->record[j];
    if (g->held && f->pair >= 0 && g->pair == f->pair) {
      push += cardan__vec3_norm(g->minus[0]);
      give = fmax(give, g->give);
    }
  }
  return push > 0 && c->rate[i] > -(4 * give * push + still);
}

/* Of a feature of the step whose place may jump, the closed spot of the node; -1: none. */
static int same(const cardan__contacts *c, const cardan__feature *f)
{
  const cardan__spot_kind kind = f->spot.kind;
  if (f->kind != CARDAN__SPOT || (kind != CARDAN__SPOT_RIM && kind != CARDAN__SPOT_PART)) {
    return -1;
  }
  for (int i = c->nfixed; i < c->n; i++) {
    if (c->feature[i].pair == f->pair && c->feature[i].index == f->index) {
      return cardan__contacts_closed(c, i) ? i : -1;
    }
  }
  return -1;
}

/* Spots that were held, count in grip, and are made anew with the same id at another place: what
 * the step held ends where it was frozen (the far end of an edge that tips over), and the spot of
 * the node has not been in it. */
static void note_left(cardan__contacts *c, const cardan_model *model, int count)
{
  for (int j = 0; j < count; j++) {
    const int i = same(c, &c->grip[j]);
    cardan__contact_record *g = i >= 0 ? cardan__contacts_record(c, &c->grip[j]) : NULL;
    if (g != NULL) {
      const int *solid = model->pair[c->grip[j].pair].solid;
      const double size = fmin(model->solid[solid[0]].radius, model->solid[solid[1]].radius);
      cardan__touch at;
      cardan__spot_look(model, &c->grip[j].spot, c->X, &at);
      const cardan_vec3 way = cardan__vec3_sub(at.x, c->feature[i].touch.x);
      g->left = cardan__vec3_norm(way) > apart * size;
    }
  }
}

/* ---- C ---- */

/* The friction of a contact that slides or rolls as the step begins is along the way it does. rows:
 * those of f at the node. Returns whether it slides at all. */
static bool slide(const cardan__contacts *c, const cardan_data *data,
                  const cardan__contact_record *g, const double *rows, cardan__feature *f)
{
  const cardan__cone cone = cardan__feature_cone(data->model, f, 0, false);
  double r[CARDAN__FEATURE_ROWS] = {0};
  bool slides = false;
  if (g != NULL) {
    cardan__feature_local(f, g->minus[0], g->minus[1], r);
  }
  for (int k = f->ngroup - 1, first = f->dim; k >= 0; k--) { // from behind: rows before stay
    double u[2] = {0, 0};
    first -= f->size[k];
    for (int j = 0; j < f->size[k]; j++) {
      u[j] = cardan__contact_dot(f, rows + (size_t)(first + j) * (size_t)c->nv, data->v);
    }
    const double speed = sqrt(u[0] * u[0] + u[1] * u[1]);
    const bool moves = speed > leaving;
    slides = slides || (moves && f->group[k] == CARDAN__SLIP);
    if (moves && g != NULL && speed > sliding * cone.mu[k] * g->slack[f->group[k]] * r[0]) {
      cardan__feature_slide(f, f->group[k], u);
    }
  }
  return slides;
}

/* Does static friction hold a contact that does not slide? */
static bool has_static(const cardan_model *model, const cardan__feature *f)
{
  return f->ngroup > 0 && model->pair[f->pair].statical > model->pair[f->pair].friction;
}

/* What time alone does to the gap of a bound. */
static double drift(const cardan_data *data, const cardan__feature *f)
{
  double u0[CARDAN__FEATURE_ROWS];
  cardan__feature_drift(data->model, data, f, u0);
  return u0[0];
}

/* Feature i becomes one of C. */
static cardan_status hold(cardan__contacts *c, cardan_data *data, int i)
{
  const int j = c->nheld;
  const cardan__contact_record *g = cardan__contacts_record(c, &c->feature[i]);
  if (j == c->most || c->nrow + c->feature[i].dim > c->most_rows) {
    return cardan__contacts_too_many(c, data);
  }
  cardan__feature *f = &c->grip[j];
  *f = c->feature[i];
  double *rows = c->rows + (size_t)c->nrow * (size_t)c->nv;
  cardan__feature_rows(data->model, data, f, rows);
  const int dim = f->dim;
  const bool slides = slide(c, data, g, rows, f);
  if (f->dim != dim) {
    cardan__feature_rows(data->model, data, f, rows);
  }
  double *start = c->start + c->nrow; // impulses per second
  memset(start, 0, (size_t)f->dim * sizeof *start);
  if (g != NULL && c->h > 0) {
    cardan__feature_local(f, cardan__vec3_scale(1 / c->h, g->minus[0]),
                          cardan__vec3_scale(1 / c->h, g->minus[1]), start);
  }
  for (int k = 0; k < f->dim; k++) {
    c->speed[c->nrow + k] = cardan__contact_dot(f, rows + (size_t)k * (size_t)c->nv, data->v);
  }
  if (f->kind == CARDAN__BOUND) {
    c->speed[c->nrow] = -drift(data, f);
  }
  c->sticks[j] = !slides && !c->broke[i] && has_static(data->model, f);
  c->cone[j] = cardan__feature_cone(data->model, f, c->nrow, c->sticks[j]);
  c->nrow += f->dim;
  c->held[c->nheld++] = i;
  c->active[i] = true;
  return CARDAN_OK;
}

bool cardan__contacts_still_all(const cardan__contacts *c)
{
  bool still = c->nrow > 0;
  for (int i = 0; i < c->nrow && still; i++) {
    still = fabs(c->speed[i]) <= leaving;
  }
  return still;
}

/* C of the step from the node, which had so many events before. */
static cardan_status take_hold(cardan_sim *sim, int events)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  cardan_status status = CARDAN_OK;
  c->nheld = c->nrow = 0;
  if (c->posed) {
    cardan__contacts_pose(sim->model, data);
  }
  for (int i = 0; i < c->n && status == CARDAN_OK; i++) {
    const cardan__feature *f = &c->feature[i];
    const cardan__contact_record *g =
        cardan__contacts_closed(c, i) ? cardan__contacts_record(c, f) : NULL;
    const bool bounces = events > 0 ? !cardan__contacts_tired(c, f, 0, events) : f->restitution > 0;
    const bool leaves = !f->pinned && c->rate[i] > leaving && bounces;
    c->active[i] = false;
    c->closure[i] = !cardan__contacts_closed(c, i)      ? CARDAN__OPEN
                    : leaves || (g != NULL && g->stuck) ? CARDAN__FLYING
                                                        : CARDAN__HELD;
    if (c->closure[i] == CARDAN__HELD) {
      status = hold(c, data, i);
    }
  }
  return status;
}

/* ---- the node ---- */

/* Closed features to index: all, or those that were in the step; how many. */
static int list_closed(cardan__contacts *c, bool all, double still)
{
  int n = 0;
  for (int i = 0; i < c->n && n < c->most; i++) {
    if (cardan__contacts_closed(c, i) && (all || was_held(c, i, still))) {
      c->index[n++] = i;
    }
  }
  return n;
}

/* b of (N) from u^-: no rounding of normals, which may decide between resting and jammed, and none
 * that nothing can move. */
static double prepare(cardan__contacts *c, int count)
{
  double speed = 0, largest = 0;
  for (int i = 0; i < c->m; i++) {
    speed = fmax(speed, fabs(c->u[i]));
    largest = fmax(largest, c->G[(size_t)i * (size_t)c->m + (size_t)i]);
  }
  memcpy(c->b, c->u, (size_t)c->m * sizeof *c->b);
  for (int i = 0; i < count; i++) {
    const int n = c->first[i];
    const bool stuck = c->G[(size_t)n * (size_t)c->m + (size_t)n] <= mobile * largest;
    c->b[n] = fabs(c->b[n]) < nothing * speed || (stuck && c->b[n] < 0) ? 0 : c->b[n];
  }
  return speed;
}

/* r^+ into the records, what friction took, and what bounds did. */
static void note_node(cardan__contacts *c, const cardan_data *data, int count)
{
  for (int i = 0; i < count; i++) {
    cardan__contact_record *g = cardan__contacts_record_or_new(c, &c->feature[c->index[i]]);
    cardan_vec3 force, couple;
    cardan__feature_world(&c->feature[c->index[i]], c->r + c->first[i], &force, &couple);
    g->plus[0] = cardan__vec3_add(g->plus[0], force);
    g->plus[1] = cardan__vec3_add(g->plus[1], couple);
    for (int row = c->first[i] + 1; row < c->first[i + 1]; row++) {
      c->stats.friction -= c->r[row] * c->after[row];
    }
    if (c->feature[c->index[i]].kind == CARDAN__BOUND) {
      c->driven -= c->r[c->first[i]] * drift(data, &c->feature[c->index[i]]); // (T2)
    }
  }
  cardan__contacts_note_slack(c, c->index, count);
}

void cardan__contacts_count(cardan__contacts *c, const cardan__ncp *p)
{
  c->stats.solves++;
  c->stats.sweeps += p->sweeps;
  c->stats.newtons += p->newtons;
}

/* Contacts that static friction does not hold at the node slide with their own: were there any?
 * still: a velocity that is none */
static bool let_slide(cardan__contacts *c, const cardan_model *model, int count, double still)
{
  bool any = false;
  for (int i = 0; i < count; i++) {
    cardan__contact_record *g = cardan__contacts_record(c, &c->feature[c->index[i]]);
    if (g != NULL && g->sticks &&
        cardan__cone_slides(&c->closed_cone[i], 0, c->r, c->after, still)) {
      c->closed_cone[i] = cardan__feature_cone(model, &c->feature[c->index[i]], c->first[i], false);
      g->sticks = false;
      any = true;
    }
  }
  return any;
}

/* [m/s] What relative velocities are worth: places that touch are known to 1e-8 m, the gap of what
 * is closed, and rows that depend on one another contradict one another by what moves over that.
 * Gaps and sticking are the step's, which corrects what is left here. */
static double worth(const cardan_sim *sim)
{
  double most = 0;
  for (int k = 0; k < sim->model->nv; k++) {
    most = fmax(most, fabs(sim->data->v[k]));
  }
  return fmax(enough / sim->options.dt, place * most);
}

/* (N) with e = 0 at the node, on what was in the step or on all that is closed. */
static cardan_status settle(cardan_sim *sim, bool all)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  cardan_status status = cardan__contacts_velocities(sim);
  const double still = cardan__contacts_still(data);
  const int count = status == CARDAN_OK ? list_closed(c, all, still) : 0;
  if (count == 0) {
    return status;
  }
  status = cardan__contacts_responses(c, sim->model, data, c->index, count);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__contacts_relative(c, data, c->index, count, data->v, c->u);
  const double speed = prepare(c, count);
  for (int i = 0; i < count; i++) {
    const cardan__feature *f = &c->feature[c->index[i]];
    const cardan__contact_record *g = cardan__contacts_record(c, f);
    c->closed_cone[i] = cardan__feature_cone(sim->model, f, c->first[i], g != NULL && g->sticks);
    memset(c->r + c->first[i], 0, (size_t)(c->first[i + 1] - c->first[i]) * sizeof *c->r);
    if (g != NULL && f->ngroup > 0) { // without friction nothing is found faster by it
      cardan__feature_local(f, g->minus[0], g->minus[1], c->r + c->first[i]);
    }
  }
  cardan__ncp p = {.n = count,
                   .m = c->m,
                   .cone = c->closed_cone,
                   .G = c->G,
                   .b = c->b,
                   .r = c->r,
                   .u = c->after,
                   .tree = cardan__contacts_trees(c, sim->model, c->feature, c->index, count),
                   .tol = fmax(nothing * speed, least * still),
                   .loose = fmax(enough * speed, worth(sim)),
                   .fine = fmax(fmax(accepted * speed, still), worth(sim)),
                   .brim = cardan__contacts_still_all(c) ? CARDAN__NCP_BRIM : 0,
                   .work = c->work,
                   .iwork = c->iwork};
  bool good = true;
  do {
    good = cardan__ncp_solve(&p) || p.error <= p.fine;
    cardan__contacts_count(c, &p);
  } while (good && let_slide(c, sim->model, count, 1e-12 + nothing * speed));
  if (!good) {
    return cardan__contacts_unsolved(c, data, p.n, c->index[p.worst], p.error);
  }
  c->stats.error = fmax(c->stats.error, p.error);
  c->lacks = p.error;
  memset(c->dp, 0, (size_t)c->nv * sizeof *c->dp);
  memcpy(c->tau, data->v, (size_t)c->nv * sizeof *c->tau);
  cardan__contacts_add(c, c->index, count, c->r, c->tau);
  note_node(c, data, count);
  sim->stepper->method->join(sim->stepper, c->dp);
  c->stale = true;
  return cardan__contacts_velocities(sim);
}

/* Does something that is closed approach? fresh: was something not closed before? */
static bool meets(cardan__contacts *c, const cardan_data *data, bool *fresh)
{
  const double still = fmax(cardan__contacts_still(data), 2 * c->lacks);
  bool any = false;
  *fresh = false;
  for (int i = 0; i < c->n; i++) {
    if (cardan__contacts_closed(c, i)) {
      any = any || c->rate[i] < -still;
      *fresh = *fresh || cardan__contacts_record(c, &c->feature[i]) == NULL;
    }
  }
  return any;
}

/* The end of a step of length h becomes the node. event: an impact is to follow */
static cardan_status arrive(cardan_sim *sim, double h, bool cut, bool *event)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const int held = c->nheld;
  bool fresh = false;
  note_step(c, h, sim->options.dt);
  cardan__contacts_remember(c, h);
  if (c->room_watch > 0) {
    cardan__contacts_learn(c, h / sim->options.dt);
  }
  c->nheld = 0;
  c->lacks = 0;
  c->stale = true;
  data->fresh = 0;
  *event = false;
  cardan_status status = cardan__contacts_enter(c, sim->model, data);
  if (status != CARDAN_OK || c->stats.closed == 0) {
    cardan__contacts_skip_begin(c, sim->model, data);
    return status;
  }
  note_left(c, sim->model, held);
  status = settle(sim, false);
  *event = status == CARDAN_OK && (meets(c, data, &fresh) || cut);
  return status == CARDAN_OK && fresh && !*event ? settle(sim, true) : status;
}

/* ---- the step ---- */

/* More pairs, since a body moves farther than was looked: at the same node. */
static cardan_status look_farther(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  sim->data->fresh = 0;
  const cardan_status status = cardan__contacts_enter(c, sim->model, sim->data);
  if (status == CARDAN_OK && !c->stale) {
    cardan__contacts_rates(c, sim->model, sim->data);
  }
  return status;
}

/* Is the step to be tried again from the node, after this status? It is then the reason's that a
 * try can do something about, or an error of what was done; *t_end may be nearer. */
static bool again(cardan_sim *sim, cardan_status *status, double *t_end, int *halvings)
{
  cardan__contacts *c = sim->contacts;
  const double t = sim->data->t;
  const bool failed = *status < CARDAN_OK && *status != CARDAN_ERR_UNSUPPORTED;
  const bool wanted = c->midstep <= t; // velocities are
  if (failed && c->nheld > 0 && *halvings < MOST_HALVINGS) {
    (*halvings)++;
    *t_end = t + 0.5 * (*t_end - t);
    return true;
  }
  switch ((int)*status) {
  case CARDAN__MOVED:
    *status = look_farther(sim);
    return *status == CARDAN_OK;
  case CARDAN__MIDSTEP:
    *status = wanted ? cardan__contacts_velocities(sim) : CARDAN_OK;
    *t_end = wanted ? *t_end : c->midstep;
    c->midstep = wanted ? HUGE_VAL : 0;
    return *status == CARDAN_OK;
  case CARDAN__TURNED:
    *t_end = t + c->pace;
    return true;
  case CARDAN__BROKE:
    return true;
  default:
    return false;
  }
}

/* A step to t_end or to where something closes, or not so far; *cut says that it was. */
static cardan_status go(cardan_sim *sim, double t_end, int events, bool *cut)
{
  cardan__contacts *c = sim->contacts;
  int halvings = 0;
  c->from = sim->data->t;
  c->midstep = HUGE_VAL;
  for (int looks = 0; looks < MOST_LOOKS; looks++) {
    c->spare = halvings < MOST_HALVINGS;
    cardan_status status = take_hold(sim, events);
    status = status == CARDAN_OK ? cardan__contact_try(sim, t_end) : status;
    *cut = status == CARDAN__CROSSED;
    status = *cut ? cardan__contact_locate(sim, t_end) : status;
    if (!again(sim, &status, &t_end, &halvings)) {
      return status;
    }
  }
  return cardan__contact_fail(sim, c->worst >= 0 ? c->worst : 0, "is looked at without end");
}

cardan_status cardan__contact_step_cones(cardan_sim *sim, double t_next)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  cardan_status status = CARDAN_OK;
  int events = 0;
  c->crowded = false;
  c->labours = 0;
  while (data->t < t_next && status == CARDAN_OK) {
    if (cardan__stepper_stopped(sim->stepper)) {
      return CARDAN_ERR_STOPPED;
    }
    const double t = data->t;
    bool cut = false, event = false;
    c->pace *= 2;
    status = go(sim, fmin(t_next, t + c->pace), events, &cut);
    status = status == CARDAN_OK ? arrive(sim, data->t - t, cut, &event) : status;
    if (status == CARDAN_OK && event) {
      events++;
      const int64_t before = c->stats.impacts;
      status = cardan__contact_strike(sim, events);
      if (cut && c->stats.impacts == before && c->found >= 0) {
        cardan__contacts_miss(c, c->found);
      }
    }
  }
  c->stats.events = events > c->stats.events ? events : c->stats.events;
  return status;
}

/* ---- forces ---- */

cardan_vec3 cardan__contact_record_mean(const cardan__contacts *c, const cardan__contact_record *g,
                                        int part)
{
  const cardan_vec3 sum = cardan__vec3_add(g->minus[part], g->plus[part]);
  return cardan__vec3_scale(c->h > 0 ? 1 / c->h : 0, sum);
}

/* Onto data's inputs. */
static void add_forces(cardan__contacts *c, cardan_data *data)
{
  for (int i = 0; i < c->n; i++) {
    const cardan__feature *f = &c->feature[i];
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
  for (int j = 0; j < c->nheld; j++) {
    cardan_vec3 force, couple;
    cardan__feature_world(&c->grip[j], r + c->cone[j].row, &force, &couple);
    cardan__feature_load(data->model, data, &c->grip[j], cardan__vec3_scale(2 / h, force),
                         cardan__vec3_scale(2 / h, couple), data->f_in, data->tau_in);
  }
}

cardan_status cardan__contacts_publish(cardan__contacts *c, cardan_data *data)
{
  const cardan_model *model = data->model;
  const size_t nv = (size_t)c->nv, nbody = (size_t)c->nbody;
  cardan__contacts_place(c, data);
  memcpy(c->tau, data->tau_in, nv * sizeof *c->tau);
  memcpy(c->f, data->f_in, nbody * sizeof *c->f);
  add_forces(c, data);
  const cardan_status status = cardan_forward(model, data, 0, 0);
  memcpy(data->tau_in, c->tau, nv * sizeof *c->tau);
  memcpy(data->f_in, c->f, nbody * sizeof *c->f);
  return status;
}
