// SPDX-License-Identifier: Apache-2.0
#include "run/contacts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/between.h"
#include "kinematics/joint.h"
#include "model/elements.h"
#include "run/sim.h"
#include "spatial/spatial.h"

/* Memory of contacts, and what both ways of holding them share: the test of a step's end. */

enum {
  MOST_CLOSED = 512,
  MOST_SPOTS = 4096,
  MOST_LEFT = 1024,
  MOST_ROWS = 2000,
  ROWS_OF_BODY = 48,
  ROWS_OF_FEW = 480, // of few bodies, which may have many solids each
  MOST_PARTS = 3     // a quarter, 1/16, 1/64 of a step
};
static const double located = 1e-12;  // of a gap, relative to 1 and its bound or size [m or rad]
static const double vanished = 1e-10; // of the largest force that holds
static const double slow = 1e-2;      // of g dt: what falls back within a fiftieth of a step

/* ---- tolerances ---- */

double cardan__contact_tolerance(const cardan__contacts *c, int i)
{
  if (i >= c->room) {
    return CARDAN__WATCHED;
  }
  if (c->active[i] && !c->cones) {
    return vanished * c->force;
  }
  return located * (1 + (c->feature[i].k >= 0 ? fabs(c->feature[i].bound) : c->size));
}

/* [m] What of a gap may be passed where one is sought. A feature of cones that was clearly open is
 * found to rounding, that of the time too: more would be pushed out again, and leave its speed. */
static double passed(const cardan__contacts *c, int i)
{
  const double tol = cardan__contact_tolerance(c, i);
  if (!c->cones || i >= c->room || c->gap[i] < CARDAN__CLOSED) {
    return tol;
  }
  const double blur = fmin(fabs(c->from * c->rate[i]), 0.1 * CARDAN__CLOSED / DBL_EPSILON);
  return DBL_EPSILON * (16 * (1 + c->size) + blur);
}

bool cardan__contact_sought(const cardan__contacts *c, int i)
{
  return (c->active[i] || c->closure[i] < CARDAN__HELD) && c->point[1].value[i] < -passed(c, i);
}

/* ---- how much there may be ---- */

static bool is_off(const cardan_options *options)
{
  return options->contacts != NULL && strcmp(options->contacts, "off") == 0;
}

/* Does what cannot be held go by with a warning? */
static bool is_auto(const cardan_options *options)
{
  return options->contacts != NULL && strcmp(options->contacts, "auto") == 0;
}

int cardan__contacts_wanted(const cardan_model *model, const cardan_options *options)
{
  return is_off(options) ? 0 : cardan__features_count(model);
}

bool cardan__contacts_beyond(const cardan__method *method, const cardan_model *model,
                             const cardan_options *options, char *what, size_t size,
                             cardan_pos *pos)
{
  if (is_off(options) || method->join != NULL) {
    return false;
  }
  if (model->npair > 0) {
    const cardan_contact *contact = &model->contact[model->pair[0].contact];
    *pos = contact->pos;
    snprintf(what, size, "contact \"%.60s\"", contact->name);
    return true;
  }
  for (int i = 0; i < model->nbound; i++) {
    const cardan_bound *bound = &model->bound[i];
    if (bound->kind != CARDAN_ELEMENT_STOP || method->push == NULL) {
      *pos = bound->pos;
      snprintf(what, size, "%s \"%.60s\"", cardan__element_word(bound->kind), bound->name);
      return true;
    }
  }
  return false;
}

/* Spots of all pairs, no more than there is room for. */
static int count_spots(const cardan_model *model)
{
  int n = 0;
  for (int i = 0; i < model->npair && n < MOST_SPOTS; i++) {
    n += cardan__pair_most(model, i);
  }
  return n < MOST_SPOTS ? n : MOST_SPOTS;
}

static int least_of(int a, int b)
{
  return a < b ? a : b;
}

/* Rows of everything, and no more than what the moving bodies can be held by at one time. */
static int count_rows(const cardan_model *model, int nfixed, int spots)
{
  const int bodies = ROWS_OF_BODY * least_of(model->nbody - 1, MOST_ROWS);
  const int enough = bodies > ROWS_OF_FEW ? bodies : ROWS_OF_FEW;
  const int limits = least_of(nfixed, MOST_CLOSED);
  return limits + least_of(CARDAN__CONE_ROWS * spots, least_of(enough, MOST_ROWS));
}

int cardan__contacts_rows(const cardan_model *model, const cardan_options *options)
{
  return is_off(options) ? 0 : count_rows(model, cardan__features_count(model), count_spots(model));
}

/* ---- memory ---- */

#define CARVE(c, count, type) (type *)cardan__carve(c, (size_t)(count), sizeof(type))

static void carve_closed(cardan__contacts *c, cardan__carver *at)
{
  const int m = c->most_rows, work = c->cones ? m : c->most;
  c->held = CARVE(at, c->room, int);
  c->target = CARVE(at, c->room, double);
  c->impulse = CARVE(at, c->room > m ? c->room : m, double);
  c->index = CARVE(at, c->most, int);
  c->first = CARVE(at, c->most + 1, int);
  c->root = CARVE(at, c->nbody, int);
  c->end = CARVE(at, c->nbody, int);
  c->order = CARVE(at, c->most, int);
  c->hit = CARVE(at, c->most, cardan__hits);
  c->e = CARVE(at, c->most, double);
  double **const vectors[] = {&c->u, &c->r, &c->b, &c->after};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARVE(at, m, double);
  }
  c->J = CARVE(at, (size_t)m * (size_t)c->nv, double);
  c->W = CARVE(at, (size_t)m * (size_t)c->nv, double);
  c->G = CARVE(at, (size_t)m * (size_t)m, double);
  c->work = CARVE(at, cardan__impact_work(c->most, work), double);
  c->iwork = CARVE(at, cardan__impact_iwork(c->most, work), int);
  c->columns.u = CARVE(at, c->nv, cardan__column);
  c->columns.Z = CARVE(at, c->nbody, cardan__columns);
  c->dp = CARVE(at, c->nv, double);
  c->tau = CARVE(at, c->nv, double);
  c->f = CARVE(at, c->nbody, cardan_force);
}

static void carve_cones(cardan__contacts *c, cardan__carver *at)
{
  c->grip = CARVE(at, c->most, cardan__feature);
  c->cone = CARVE(at, c->most, cardan__cone);
  c->closed_cone = CARVE(at, c->most, cardan__cone);
  c->chosen = CARVE(at, c->most, cardan__cone);
  c->tree = (int(*)[2])cardan__carve(at, (size_t)c->most, sizeof *c->tree);
  c->sticks = CARVE(at, c->most, bool);
  c->broke = CARVE(at, c->room, bool);
  c->rows = CARVE(at, (size_t)c->most_rows * (size_t)c->nv, double);
  c->start = CARVE(at, c->most_rows, double);
  c->speed = CARVE(at, c->most_rows, double);
  c->record = CARVE(at, 2 * c->most, cardan__contact_record);
  c->X = CARVE(at, c->nbody, cardan_xform);
  c->moved = CARVE(at, c->nbody, double);
  c->reach = CARVE(at, c->nbody, double);
  c->arm = CARVE(at, c->nbody, double);
  c->edge = CARVE(at, c->nfixed, cardan__edge);
  c->gone = CARVE(at, c->nbody, double);
  c->q = CARVE(at, c->nq, double);
  c->slope = CARVE(at, c->nq, double);
  c->bend = CARVE(at, c->nq, double);
  c->step = CARVE(at, c->nq, double);
  c->mean = CARVE(at, c->nq, double);
  c->watch = CARVE(at, c->room_watch, int);
  c->near = CARVE(at, c->room_watch, int);
  c->left = CARVE(at, c->room_left, int);
  c->separation = CARVE(at, c->room_left > 0 ? c->nbody : 0, cardan__initial_separation);
  c->owner = CARVE(at, c->room, int);
  c->base = CARVE(at, c->room_watch, double);
  c->fast = CARVE(at, c->room_watch, int);
  c->width = CARVE(at, c->nsolid, double);
  c->last = CARVE(at, c->nfixed, double);
  c->spot = CARVE(at, c->room_watch > 0 ? CARDAN__SPOTS_MOST : 0, cardan__spot);
  if (c->room_watch > 0) {
    cardan__broad_carve(&c->broad, c->model, at);
  }
}

static void carve(void *what, cardan__carver *at)
{
  cardan__contacts *c = what;
  const int n = c->room + c->room_watch;
  double **const vectors[] = {&c->gap,           &c->next,           &c->here,
                              &c->rate,          &c->point[0].value, &c->point[1].value,
                              &c->point[2].value};
  c->feature = CARVE(at, c->room, cardan__feature);
  c->closure = CARVE(at, n, int);
  c->active = CARVE(at, n, bool);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARVE(at, n, double);
  }
  carve_closed(c, at);
  if (c->cones) {
    carve_cones(c, at);
  }
}

/* Of the features for good those that rows can hold: coordinates. */
static void keep_coordinates(cardan__contacts *c)
{
  int n = 0;
  for (int i = 0; i < c->nfixed; i++) {
    if (c->feature[i].k >= 0) {
      c->feature[n++] = c->feature[i];
    }
  }
  c->n = c->nfixed = n;
}

static cardan_status create(const cardan_model *model, const cardan_options *options, bool cones,
                            const cardan_allocator *allocator, cardan__contacts **out)
{
  const int nfixed = cardan__contacts_wanted(model, options);
  const int npair = cones && !is_off(options) ? model->npair : 0;
  const int spots = npair > 0 ? count_spots(model) : 0;
  *out = NULL;
  if (nfixed + spots == 0) {
    return CARDAN_OK;
  }
  cardan__contacts *c = cardan__resize(allocator, NULL, sizeof *c);
  if (c == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *c = (cardan__contacts){.model = model,
                          .cones = cones,
                          .nv = model->nv,
                          .nq = model->nq,
                          .nbody = model->nbody,
                          .nsolid = npair > 0 ? model->nsolid : 0,
                          .size = model->size_length,
                          .nfixed = nfixed,
                          .n = nfixed,
                          .room = nfixed + spots,
                          .room_watch = least_of(npair, MOST_SPOTS),
                          .room_left = is_auto(options) ? least_of(npair, MOST_LEFT) : 0};
  c->most_rows = count_rows(model, nfixed, spots);
  c->most = least_of(c->room, c->most_rows);
  c->block = cardan__carve_block(allocator, carve, c);
  if (c->block == NULL) {
    cardan__resize(allocator, c, 0);
    return CARDAN_ERR_MEMORY;
  }
  cardan__features_list(model, c->feature);
  cardan__contacts_part(c, model);
  if (c->cones && c->room_watch > 0) {
    cardan__broad_init(&c->broad, model);
  }
  if (c->nsolid > 0) {
    cardan__solids_width(model, c->width);
  }
  for (int i = 0; i < nfixed; i++) {
    c->posed = c->posed || c->feature[i].k < 0;
  }
  c->skips = npair > 0 && !c->posed;
  for (int i = 0; i < nfixed && c->skips; i++) {
    const cardan__feature *f = &c->feature[i];
    c->edge[i] = (cardan__edge){f->q, f->sign, f->bound};
  }
  for (int i = 1; i < model->nbody; i++) {
    c->skips = c->skips && cardan__joint_is_constant(&model->body[i]);
  }
  c->posed = cones && (c->posed || npair > 0);
  if (!cones) {
    keep_coordinates(c);
  }
  *out = c;
  return CARDAN_OK;
}

cardan_status cardan__contact_open(cardan_sim *sim)
{
  cardan_status status =
      create(sim->model, &sim->options, sim->stepper->tests, &sim->allocator, &sim->contacts);
  cardan__contacts *c = sim->contacts;
  if (status != CARDAN_OK || c == NULL) {
    return status;
  }
  sim->stepper->contacts = c;
  c->patience = sim->options.max_impacts;
  c->crawl = c->cones ? slow * cardan__vec3_norm(sim->model->gravity) * sim->options.dt : 0;
  c->least = 2 * cardan__vec3_norm(sim->model->gravity) * sim->options.dt * sim->options.dt +
             1e-6 * (1 + c->size);
  status = c->cones ? CARDAN_OK : cardan__snapshot_create(sim, &c->kept);
  return status == CARDAN_OK ? cardan__snapshot_create(sim, &c->begun) : status;
}

void cardan__contact_close(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  cardan__snapshot_destroy(sim, &c->kept);
  cardan__snapshot_destroy(sim, &c->begun);
  cardan__resize(&sim->allocator, c->block, 0);
  cardan__resize(&sim->allocator, c, 0);
  sim->contacts = NULL;
}

/* A step that goes too far is taken again, which shows in the last digits: who goes on from a state
 * coasts as the run that was saved. */
static void list_coast(cardan__contacts *c, cardan__spans *list)
{
  double *const of_bodies[] = {c->arm, c->gone};
  double *const of_coordinates[] = {c->q, c->slope, c->bend, c->step, c->mean};
  cardan__contact_skip *o = &c->skip;
  double *const numbers[] = {&o->budget, &o->budget_world, &o->used,  &o->before, &o->each,
                             &o->ease,   &o->since,        &o->until, &o->off,    &o->middle};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    cardan__spans_add(list, numbers[i], 1, sizeof **numbers);
  }
  cardan__spans_ints(list, &o->wait, 1, INT_MIN / 2, INT_MAX / 2);
  cardan__spans_ints(list, &o->lasted, 1, 0, INT_MAX / 2);
  cardan__spans_ints(list, &o->unforeseen, 1, INT_MIN / 2, INT_MAX / 2);
  cardan__spans_flag(list, &o->calm);
  for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies && c->skips; i++) {
    cardan__spans_add(list, of_bodies[i], (size_t)c->nbody, sizeof **of_bodies);
  }
  for (size_t i = 0; i < sizeof of_coordinates / sizeof *of_coordinates && c->skips; i++) {
    cardan__spans_add(list, of_coordinates[i], (size_t)c->nq, sizeof **of_coordinates);
  }
}

void cardan__contacts_spans(cardan__contacts *c, cardan__spans *list)
{
  CARDAN__SPANS_ONE(list, c->stats);
  CARDAN__SPANS_ONE(list, c->driven);
  cardan__spans_flag(list, &c->stale);
  if (c->cones) {
    cardan__spans_ints(list, &c->nrecord, 1, 0, 2 * c->most);
    CARDAN__SPANS_ONE(list, c->h);
    cardan__spans_add(list, c->reach, (size_t)c->nbody, sizeof *c->reach);
    CARDAN__SPANS_ONE(list, c->last_h);
    cardan__spans_add(list, c->last, (size_t)c->nfixed, sizeof *c->last);
    list_coast(c, list);
    if (c->room_left > 0) {
      cardan__spans_ints(list, &c->nleft, 1, 0, c->room_left);
      cardan__spans_ints(list, c->left, (size_t)c->room_left, 0, c->model->npair);
    }
  } else {
    cardan__spans_add(list, c->gap, (size_t)c->n, sizeof *c->gap);
    cardan__spans_ints(list, c->closure, (size_t)c->n, 0, CARDAN__SPARE);
  }
}

size_t cardan__contacts_copy_records(cardan__contacts *c, char *kept, bool back)
{
  const size_t now = c->cones ? (size_t)c->nrecord * sizeof *c->record : 0;
  if (kept != NULL && now > 0) { // back: how many there are was restored before
    memcpy(back ? (char *)c->record : kept, back ? kept : (char *)c->record, now);
  }
  return c->cones ? 2 * (size_t)c->most * sizeof *c->record : 0;
}

bool cardan__contact_records_allowed(const char *kept, int n)
{
  static const size_t flags[] = {
      offsetof(cardan__contact_record, held), offsetof(cardan__contact_record, sticks),
      offsetof(cardan__contact_record, stuck), offsetof(cardan__contact_record, left)};
  bool good = true;
  for (int i = 0; i < n; i++, kept += sizeof(cardan__contact_record)) {
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
      good = good && (kept[flags[k]] == 0 || kept[flags[k]] == 1);
    }
  }
  return good;
}

/* There are limits only, and all are open. */
static void rejoin_calm(cardan__contacts *c)
{
  c->n = c->nfixed;
  c->nwatch = 0;
  c->unseen = false;
  for (int i = 0; i < c->n; i++) {
    c->active[i] = c->broke[i] = false;
    c->closure[i] = CARDAN__OPEN;
  }
}

void cardan__contacts_rejoin(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  if (c == NULL || !c->cones) {
    return;
  }
  const cardan_contact_stats stats = c->stats;
  c->nheld = 0;
  if (c->skip.calm) {
    rejoin_calm(c);
    return;
  }
  c->unseen = cardan__contacts_enter(c, sim->model, sim->data) != CARDAN_OK;
  if (!c->stale) {
    cardan__contacts_rates(c, sim->model, sim->data);
  }
  c->stats = stats;
}

double cardan__contacts_work(const cardan__contacts *c)
{
  return c != NULL ? c->driven - c->stats.lost - c->stats.friction : 0;
}

/* ---- the end of a step ---- */

/* Values of all entries at the end, to next: gaps, counted from that of the node where it is below
 * 0. A spot may be passed beside where the solids end: while its pair is apart nothing is, and as
 * that closes such a spot goes with it, without a jump. Where the step was cut at a spot and
 * nothing met there (a corner beside an edge, which is another corner at every node), the pair's
 * own gap says what is passed in the rest of it; but not of a spot that has just left a pair which
 * is deep already, or every small bounce would sink by what is passed. */
static void look_at(cardan__contacts *c, cardan_data *end, const double *of_held)
{
  cardan__contacts_gaps(c, end, c->next);
  for (int i = c->nfixed; i < c->n; i++) {
    const double gap = c->next[c->room + c->owner[i]], own = c->next[i];
    const bool beside = own < gap - 2 * CARDAN__WATCHED;
    c->next[i] = gap > 2 * CARDAN__WATCHED || beside ? fmax(own, gap) : own;
  }
  for (int i = 0; i < c->n; i++) {
    c->next[i] -= fmin(0, c->gap[i]);
  }
  for (int i = c->nfixed; i < c->n && c->nhit > 0; i++) {
    const int w = c->owner[i];
    const bool deep = c->closure[i] == CARDAN__FLYING && c->base[w] < -3 * CARDAN__WATCHED;
    if (!c->active[i] && !deep && cardan__contacts_missed(c, c->feature[i].pair)) {
      c->next[i] = fmax(c->next[i], c->next[c->room + w] - c->base[w]);
    }
  }
  for (int w = 0; w < c->nwatch; w++) {
    c->next[c->room + w] -= c->base[w];
  }
  for (int j = 0; j < c->nheld && of_held != NULL; j++) {
    c->next[c->held[j]] = c->feature[c->held[j]].pinned ? fabs(of_held[j]) : of_held[j];
  }
}

/* A gap that is not a number (an expression beyond where it has a value) is passed: what closes
 * before it ceases to be one is found so. */
static void pass_unknown(cardan__contacts *c)
{
  c->unknown = false;
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    if (isnan(c->next[i])) {
      c->next[i] = -fmax(c->gap[i], 1e-6 * (1 + c->size));
      c->unknown = true;
    }
  }
}

/* Is what the bracket is about at its bound? Pairs that touch already are met where another place
 * of them comes to touch: deeper. */
static bool is_met(const cardan__contacts *c, int i, double tol)
{
  const double at =
      i < c->room ? fmax(tol, passed(c, i)) : tol + (c->gap[i] > 1.05 * tol ? 1e-8 : -1e-8);
  return c->seek && c->next[i] <= at && cardan__contact_sought(c, i);
}

cardan_status cardan__contacts_judge(cardan__contacts *c, cardan_data *end, const double *of_held)
{
  double worst = 0;
  bool met = false, any_closed = false;
  cardan__contacts_place(c, end);
  const int known = c->n;
  if (c->room_watch > 0 && !cardan__contacts_ways(c, end->model, end->X_W) &&
      !cardan__contacts_extend(c, end->model)) {
    return CARDAN__MOVED; // the node says what there is no room for
  }
  look_at(c, end, of_held);
  pass_unknown(c);
  for (int i = known; i < c->n; i++) {
    c->rate[i] = (c->next[i] - c->gap[i]) / (end->t - c->from);
  }
  c->worst = -1;
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    if (c->active[i] && c->cones) {
      continue; // (N) sees to it
    }
    const double tol = cardan__contact_tolerance(c, i), over = c->seek ? passed(c, i) : tol;
    const bool closed = c->closure[i] >= CARDAN__HELD; // what is closed comes before what closes
    const bool more =
        c->worst < 0 || closed != any_closed ? closed || !any_closed : c->next[i] + over < worst;
    if (c->next[i] < -over && more) {
      worst = c->next[i] + over;
      c->worst = i;
      any_closed = closed;
    }
    if (!met && is_met(c, i, tol)) {
      c->found = i < c->room ? c->feature[i].pair : -1;
      met = true;
    }
  }
  if (c->worst >= 0 || c->seek) {
    return c->worst >= 0 ? CARDAN__CROSSED : met ? CARDAN_OK : CARDAN__SHORT;
  }
  return c->cones && c->midstep > 0 && cardan__contacts_midstep(c, end) ? CARDAN__MIDSTEP
                                                                        : CARDAN_OK;
}

/* ---- the step ---- */

cardan_status cardan__contact_try(cardan_sim *sim, double t_end)
{
  cardan__contacts *c = sim->contacts;
  if (!c->cones) {
    return cardan__contact_try_rows(sim, t_end);
  }
  const double kappa = fmin(0.2 * (t_end - sim->data->t) / sim->options.dt, 1);
  for (int j = 0; j < c->nheld; j++) {
    c->target[j] = (1 - kappa) * c->gap[c->held[j]];
  }
  const cardan_status status = sim->stepper->method->step(sim->stepper, sim->data, t_end);
  c->iterations += sim->stepper->iterations;
  return status;
}

/* By cones. Where a node on the way cannot be made, the step is taken again from its beginning with
 * shorter ones, which have other nodes. */
static cardan_status step_in_parts(cardan_sim *sim, double t_next)
{
  cardan__contacts *c = sim->contacts;
  const double h = t_next - sim->data->t;
  c->pace = HUGE_VAL;
  cardan_status status = cardan__contact_step_cones(sim, t_next);
  for (int k = 1; k <= MOST_PARTS && status == CARDAN_ERR_NO_CONVERGENCE && !c->crowded; k++) {
    cardan__snapshot_restore(sim, &c->begun);
    c->nhit = 0;
    c->pace = ldexp(h, -2 * k - 1);
    status = cardan__contact_step_cones(sim, t_next);
  }
  return status;
}

cardan_status cardan__contact_step(cardan_sim *sim, double t_next)
{
  cardan__contacts *c = sim->contacts;
  c->iterations = c->nhit = 0;
  cardan_status status = c->unseen ? cardan__contacts_enter(c, sim->model, sim->data) : CARDAN_OK;
  if (status != CARDAN_OK) {
    return status;
  }
  c->unseen = false;
  status = c->skip.calm ? cardan__contact_skip_step(sim, t_next) : CARDAN__MOVED;
  if (status != CARDAN__MOVED) {
    sim->stepper->iterations = c->iterations;
    return status;
  }
  cardan__snapshot_save(sim, &c->begun);
  status = c->cones ? step_in_parts(sim, t_next) : cardan__contact_step_rows(sim, t_next);
  sim->stepper->iterations = c->iterations;
  if (status != CARDAN_OK) {
    const cardan_info info = sim->data->info;
    cardan__snapshot_restore(sim, &c->begun);
    sim->data->info = info;
  }
  return status;
}

/* ---- words ---- */

void cardan__contacts_name(const cardan__contacts *c, const cardan_model *model, int i, char *text,
                           size_t size)
{
  if (i < c->room) {
    cardan__feature_name(model, &c->feature[i], text, size);
    return;
  }
  const cardan__spot spot = {.pair = c->watch[i - c->room]};
  cardan__feature f;
  cardan__feature_of_spot(model, &spot, &f);
  cardan__feature_name(model, &f, text, size);
}

cardan_status cardan__contacts_unsolved(const cardan__contacts *c, cardan_data *data, int n, int i,
                                        double error)
{
  char name[160] = "";
  cardan__contacts_name(c, data->model, i, name, sizeof name);
  data->info = (cardan_info){.body = -1, .joint = -1, .row = -1, .residual = error};
  snprintf(data->info.message, sizeof data->info.message,
           "impulses of %d contacts are found to %.2g m/s only, %s is worst", n, error, name);
  return CARDAN_ERR_NO_CONVERGENCE;
}

cardan_status cardan__contact_fail(cardan_sim *sim, int i, const char *what)
{
  const cardan__contacts *c = sim->contacts;
  cardan_info *info = &sim->data->info;
  char name[160] = "";
  *info = (cardan_info){
      .body = -1, .joint = i < c->room ? c->feature[i].joint : -1, .row = -1, .whole = false};
  cardan__contacts_name(c, sim->model, i, name, sizeof name);
  snprintf(info->message, sizeof info->message, "%s %s", name, what);
  return CARDAN_ERR_NO_CONVERGENCE;
}
