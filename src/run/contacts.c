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
  if (i >= c->gaps.room) {
    return CARDAN__WATCHED;
  }
  if (c->gaps.active[i] && !c->by_cones) {
    return vanished * c->cones.force;
  }
  return located * (1 + (c->gaps.feature[i].k >= 0 ? fabs(c->gaps.feature[i].bound) : c->size));
}

/* [m] What of a gap may be passed where one is sought. A feature of cones that was clearly open is
 * found to rounding, that of the time too: more would be pushed out again, and leave its speed. */
static double passed(const cardan__contacts *c, int i)
{
  const double tol = cardan__contact_tolerance(c, i);
  if (!c->by_cones || i >= c->gaps.room || c->gaps.gap[i] < CARDAN__CLOSED) {
    return tol;
  }
  const double blur =
      fmin(fabs(c->trial.from * c->gaps.rate[i]), 0.1 * CARDAN__CLOSED / DBL_EPSILON);
  return DBL_EPSILON * (16 * (1 + c->size) + blur);
}

bool cardan__contact_sought(const cardan__contacts *c, int i)
{
  return (c->gaps.active[i] || c->gaps.closure[i] < CARDAN__HELD) &&
         c->trial.point[1].value[i] < -passed(c, i);
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
  const int m = c->impacts.most_rows, work = c->by_cones ? m : c->impacts.most;
  c->cones.index = CARVE(at, c->gaps.room, int);
  c->cones.target = CARVE(at, c->gaps.room, double);
  c->cones.impulse = CARVE(at, c->gaps.room > m ? c->gaps.room : m, double);
  c->impacts.index = CARVE(at, c->impacts.most, int);
  c->impacts.first = CARVE(at, c->impacts.most + 1, int);
  c->impacts.root = CARVE(at, c->nbody, int);
  c->impacts.end = CARVE(at, c->nbody, int);
  c->impacts.order = CARVE(at, c->impacts.most, int);
  c->impacts.hit = CARVE(at, c->impacts.most, cardan__hits);
  c->impacts.e = CARVE(at, c->impacts.most, double);
  double **const vectors[] = {&c->impacts.u, &c->impacts.r, &c->impacts.b, &c->impacts.after};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARVE(at, m, double);
  }
  c->impacts.J = CARVE(at, (size_t)m * (size_t)c->nv, double);
  c->impacts.W = CARVE(at, (size_t)m * (size_t)c->nv, double);
  c->impacts.G = CARVE(at, (size_t)m * (size_t)m, double);
  c->impacts.work = CARVE(at, cardan__impact_work(c->impacts.most, work), double);
  c->impacts.iwork = CARVE(at, cardan__impact_iwork(c->impacts.most, work), int);
  c->impacts.columns.u = CARVE(at, c->nv, cardan__column);
  c->impacts.columns.Z = CARVE(at, c->nbody, cardan__columns);
  c->impacts.dp = CARVE(at, c->nv, double);
  c->impacts.tau = CARVE(at, c->nv, double);
  c->impacts.f = CARVE(at, c->nbody, cardan_force);
}

static void carve_cones(cardan__contacts *c, cardan__carver *at)
{
  c->cones.feature = CARVE(at, c->impacts.most, cardan__feature);
  c->cones.cone = CARVE(at, c->impacts.most, cardan__cone);
  c->impacts.closed_cone = CARVE(at, c->impacts.most, cardan__cone);
  c->impacts.chosen = CARVE(at, c->impacts.most, cardan__cone);
  c->impacts.tree = (int(*)[2])cardan__carve(at, (size_t)c->impacts.most, sizeof *c->impacts.tree);
  c->cones.sticks = CARVE(at, c->impacts.most, bool);
  c->cones.broke = CARVE(at, c->gaps.room, bool);
  c->cones.rows = CARVE(at, (size_t)c->impacts.most_rows * (size_t)c->nv, double);
  c->cones.start = CARVE(at, c->impacts.most_rows, double);
  c->cones.speed = CARVE(at, c->impacts.most_rows, double);
  c->ledger.record = CARVE(at, 2 * c->impacts.most, cardan__contact_record);
  c->gaps.X = CARVE(at, c->nbody, cardan_xform);
  c->gaps.moved = CARVE(at, c->nbody, double);
  c->gaps.reach = CARVE(at, c->nbody, double);
  c->skip.arm = CARVE(at, c->nbody, double);
  c->skip.edge = CARVE(at, c->gaps.nfixed, cardan__edge);
  c->skip.gone = CARVE(at, c->nbody, double);
  c->skip.q = CARVE(at, c->nq, double);
  c->skip.slope = CARVE(at, c->nq, double);
  c->skip.bend = CARVE(at, c->nq, double);
  c->skip.step = CARVE(at, c->nq, double);
  c->skip.mean = CARVE(at, c->nq, double);
  c->gaps.watch = CARVE(at, c->gaps.room_watch, int);
  c->gaps.near = CARVE(at, c->gaps.room_watch, int);
  c->gaps.ignored = CARVE(at, c->gaps.room_ignored, int);
  c->gaps.separation =
      CARVE(at, c->gaps.room_ignored > 0 ? c->nbody : 0, cardan__initial_separation);
  c->gaps.owner = CARVE(at, c->gaps.room, int);
  c->gaps.base = CARVE(at, c->gaps.room_watch, double);
  c->gaps.fast = CARVE(at, c->gaps.room_watch, int);
  c->gaps.width = CARVE(at, c->gaps.nsolid, double);
  c->gaps.last = CARVE(at, c->gaps.nfixed, double);
  c->gaps.spot = CARVE(at, c->gaps.room_watch > 0 ? CARDAN__SPOTS_MOST : 0, cardan__spot);
  if (c->gaps.room_watch > 0) {
    cardan__broad_carve(&c->gaps.broad, c->model, at);
  }
}

static void carve(void *what, cardan__carver *at)
{
  cardan__contacts *c = what;
  const int n = c->gaps.room + c->gaps.room_watch;
  double **const vectors[] = {&c->gaps.gap,
                              &c->gaps.next,
                              &c->cones.here,
                              &c->gaps.rate,
                              &c->trial.point[0].value,
                              &c->trial.point[1].value,
                              &c->trial.point[2].value};
  c->gaps.feature = CARVE(at, c->gaps.room, cardan__feature);
  c->gaps.closure = CARVE(at, n, int);
  c->gaps.active = CARVE(at, n, bool);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARVE(at, n, double);
  }
  carve_closed(c, at);
  if (c->by_cones) {
    carve_cones(c, at);
  }
}

/* Of the features for good those that rows can hold: coordinates. */
static void keep_coordinates(cardan__contacts *c)
{
  int n = 0;
  for (int i = 0; i < c->gaps.nfixed; i++) {
    if (c->gaps.feature[i].k >= 0) {
      c->gaps.feature[n++] = c->gaps.feature[i];
    }
  }
  c->gaps.n = c->gaps.nfixed = n;
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
  *c = (cardan__contacts){
      .model = model,
      .by_cones = cones,
      .nv = model->nv,
      .nq = model->nq,
      .nbody = model->nbody,
      .size = model->size_length,
      .gaps = {.nsolid = npair > 0 ? model->nsolid : 0,
               .nfixed = nfixed,
               .n = nfixed,
               .room = nfixed + spots,
               .room_watch = least_of(npair, MOST_SPOTS),
               .room_ignored = is_auto(options) ? least_of(npair, MOST_LEFT) : 0}};
  c->impacts.most_rows = count_rows(model, nfixed, spots);
  c->impacts.most = least_of(c->gaps.room, c->impacts.most_rows);
  c->block = cardan__carve_block(allocator, carve, c);
  if (c->block == NULL) {
    cardan__resize(allocator, c, 0);
    return CARDAN_ERR_MEMORY;
  }
  cardan__features_list(model, c->gaps.feature);
  cardan__contacts_part(c, model);
  if (c->by_cones && c->gaps.room_watch > 0) {
    cardan__broad_init(&c->gaps.broad, model);
  }
  if (c->gaps.nsolid > 0) {
    cardan__solids_width(model, c->gaps.width);
  }
  for (int i = 0; i < nfixed; i++) {
    c->gaps.needs_poses = c->gaps.needs_poses || c->gaps.feature[i].k < 0;
  }
  c->skip.possible = npair > 0 && !c->gaps.needs_poses;
  for (int i = 0; i < nfixed && c->skip.possible; i++) {
    const cardan__feature *f = &c->gaps.feature[i];
    c->skip.edge[i] = (cardan__edge){f->q, f->sign, f->bound};
  }
  for (int i = 1; i < model->nbody; i++) {
    c->skip.possible = c->skip.possible && cardan__joint_is_constant(&model->body[i]);
  }
  c->gaps.needs_poses = cones && (c->gaps.needs_poses || npair > 0);
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
  c->impacts.max_hits = sim->options.max_impacts;
  c->impacts.crawl =
      c->by_cones ? slow * cardan__vec3_norm(sim->model->gravity) * sim->options.dt : 0;
  c->gaps.min_reach =
      2 * cardan__vec3_norm(sim->model->gravity) * sim->options.dt * sim->options.dt +
      1e-6 * (1 + c->size);
  status = c->by_cones ? CARDAN_OK : cardan__snapshot_create(sim, &c->trial.kept);
  return status == CARDAN_OK ? cardan__snapshot_create(sim, &c->trial.begun) : status;
}

void cardan__contact_close(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  cardan__snapshot_destroy(sim, &c->trial.kept);
  cardan__snapshot_destroy(sim, &c->trial.begun);
  cardan__resize(&sim->allocator, c->block, 0);
  cardan__resize(&sim->allocator, c, 0);
  sim->contacts = NULL;
}

/* A step that goes too far is taken again, which shows in the last digits: who goes on from a state
 * coasts as the run that was saved. */
static void list_coast(cardan__contacts *c, cardan__spans *list)
{
  double *const of_bodies[] = {c->skip.arm, c->skip.gone};
  double *const of_coordinates[] = {c->skip.q, c->skip.slope, c->skip.bend, c->skip.step,
                                    c->skip.mean};
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
  for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies && c->skip.possible; i++) {
    cardan__spans_add(list, of_bodies[i], (size_t)c->nbody, sizeof **of_bodies);
  }
  for (size_t i = 0; i < sizeof of_coordinates / sizeof *of_coordinates && c->skip.possible; i++) {
    cardan__spans_add(list, of_coordinates[i], (size_t)c->nq, sizeof **of_coordinates);
  }
}

void cardan__contacts_spans(cardan__contacts *c, cardan__spans *list)
{
  CARDAN__SPANS_ONE(list, c->ledger.stats);
  CARDAN__SPANS_ONE(list, c->ledger.driven);
  cardan__spans_flag(list, &c->trial.stale);
  if (c->by_cones) {
    cardan__spans_ints(list, &c->ledger.nrecord, 1, 0, 2 * c->impacts.most);
    CARDAN__SPANS_ONE(list, c->ledger.h);
    cardan__spans_add(list, c->gaps.reach, (size_t)c->nbody, sizeof *c->gaps.reach);
    CARDAN__SPANS_ONE(list, c->gaps.last_h);
    cardan__spans_add(list, c->gaps.last, (size_t)c->gaps.nfixed, sizeof *c->gaps.last);
    list_coast(c, list);
    if (c->gaps.room_ignored > 0) {
      cardan__spans_ints(list, &c->gaps.nignored, 1, 0, c->gaps.room_ignored);
      cardan__spans_ints(list, c->gaps.ignored, (size_t)c->gaps.room_ignored, 0, c->model->npair);
    }
  } else {
    cardan__spans_add(list, c->gaps.gap, (size_t)c->gaps.n, sizeof *c->gaps.gap);
    cardan__spans_ints(list, c->gaps.closure, (size_t)c->gaps.n, 0, CARDAN__SPARE);
  }
}

size_t cardan__contacts_copy_records(cardan__contacts *c, char *kept, bool back)
{
  const size_t now = c->by_cones ? (size_t)c->ledger.nrecord * sizeof *c->ledger.record : 0;
  if (kept != NULL && now > 0) { // back: how many there are was restored before
    memcpy(back ? (char *)c->ledger.record : kept, back ? kept : (char *)c->ledger.record, now);
  }
  return c->by_cones ? 2 * (size_t)c->impacts.most * sizeof *c->ledger.record : 0;
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
  c->gaps.n = c->gaps.nfixed;
  c->gaps.nwatch = 0;
  c->trial.unseen = false;
  for (int i = 0; i < c->gaps.n; i++) {
    c->gaps.active[i] = c->cones.broke[i] = false;
    c->gaps.closure[i] = CARDAN__OPEN;
  }
}

void cardan__contacts_rejoin(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  if (c == NULL || !c->by_cones) {
    return;
  }
  const cardan_contact_stats stats = c->ledger.stats;
  c->cones.n = 0;
  if (c->skip.calm) {
    rejoin_calm(c);
    return;
  }
  c->trial.unseen = cardan__contacts_enter(c, sim->model, sim->data) != CARDAN_OK;
  if (!c->trial.stale) {
    cardan__contacts_rates(c, sim->model, sim->data);
  }
  c->ledger.stats = stats;
}

double cardan__contacts_work(const cardan__contacts *c)
{
  return c != NULL ? c->ledger.driven - c->ledger.stats.lost - c->ledger.stats.friction : 0;
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
  cardan__contacts_gaps(c, end, c->gaps.next);
  for (int i = c->gaps.nfixed; i < c->gaps.n; i++) {
    const double gap = c->gaps.next[c->gaps.room + c->gaps.owner[i]], own = c->gaps.next[i];
    const bool beside = own < gap - 2 * CARDAN__WATCHED;
    c->gaps.next[i] = gap > 2 * CARDAN__WATCHED || beside ? fmax(own, gap) : own;
  }
  for (int i = 0; i < c->gaps.n; i++) {
    c->gaps.next[i] -= fmin(0, c->gaps.gap[i]);
  }
  for (int i = c->gaps.nfixed; i < c->gaps.n && c->impacts.nhit > 0; i++) {
    const int w = c->gaps.owner[i];
    const bool deep =
        c->gaps.closure[i] == CARDAN__FLYING && c->gaps.base[w] < -3 * CARDAN__WATCHED;
    if (!c->gaps.active[i] && !deep && cardan__contacts_missed(c, c->gaps.feature[i].pair)) {
      c->gaps.next[i] = fmax(c->gaps.next[i], c->gaps.next[c->gaps.room + w] - c->gaps.base[w]);
    }
  }
  for (int w = 0; w < c->gaps.nwatch; w++) {
    c->gaps.next[c->gaps.room + w] -= c->gaps.base[w];
  }
  for (int j = 0; j < c->cones.n && of_held != NULL; j++) {
    c->gaps.next[c->cones.index[j]] =
        c->gaps.feature[c->cones.index[j]].pinned ? fabs(of_held[j]) : of_held[j];
  }
}

/* A gap that is not a number (an expression beyond where it has a value) is passed: what closes
 * before it ceases to be one is found so. */
static void pass_unknown(cardan__contacts *c)
{
  c->gaps.any_nan = false;
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    if (isnan(c->gaps.next[i])) {
      c->gaps.next[i] = -fmax(c->gaps.gap[i], 1e-6 * (1 + c->size));
      c->gaps.any_nan = true;
    }
  }
}

/* Is what the bracket is about at its bound? Pairs that touch already are met where another place
 * of them comes to touch: deeper. */
static bool is_met(const cardan__contacts *c, int i, double tol)
{
  const double at = i < c->gaps.room ? fmax(tol, passed(c, i))
                                     : tol + (c->gaps.gap[i] > 1.05 * tol ? 1e-8 : -1e-8);
  return c->trial.seek && c->gaps.next[i] <= at && cardan__contact_sought(c, i);
}

cardan_status cardan__contacts_judge(cardan__contacts *c, cardan_data *end, const double *of_held)
{
  double worst = 0;
  bool met = false, any_closed = false;
  cardan__contacts_place(c, end);
  const int known = c->gaps.n;
  if (c->gaps.room_watch > 0 && !cardan__contacts_ways(c, end->model, end->X_W) &&
      !cardan__contacts_extend(c, end->model)) {
    return CARDAN__MOVED; // the node says what there is no room for
  }
  look_at(c, end, of_held);
  pass_unknown(c);
  for (int i = known; i < c->gaps.n; i++) {
    c->gaps.rate[i] = (c->gaps.next[i] - c->gaps.gap[i]) / (end->t - c->trial.from);
  }
  c->trial.worst = -1;
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    if (c->gaps.active[i] && c->by_cones) {
      continue; // (N) sees to it
    }
    const double tol = cardan__contact_tolerance(c, i), over = c->trial.seek ? passed(c, i) : tol;
    const bool closed =
        c->gaps.closure[i] >= CARDAN__HELD; // what is closed comes before what closes
    const bool more = c->trial.worst < 0 || closed != any_closed ? closed || !any_closed
                                                                 : c->gaps.next[i] + over < worst;
    if (c->gaps.next[i] < -over && more) {
      worst = c->gaps.next[i] + over;
      c->trial.worst = i;
      any_closed = closed;
    }
    if (!met && is_met(c, i, tol)) {
      c->trial.found = i < c->gaps.room ? c->gaps.feature[i].pair : -1;
      met = true;
    }
  }
  if (c->trial.worst >= 0 || c->trial.seek) {
    return c->trial.worst >= 0 ? CARDAN__CROSSED : met ? CARDAN_OK : CARDAN__SHORT;
  }
  return c->by_cones && c->trial.midstep > 0 && cardan__contacts_midstep(c, end) ? CARDAN__MIDSTEP
                                                                                 : CARDAN_OK;
}

/* ---- the step ---- */

cardan_status cardan__contact_try(cardan_sim *sim, double t_end)
{
  cardan__contacts *c = sim->contacts;
  if (!c->by_cones) {
    return cardan__contact_try_rows(sim, t_end);
  }
  const double kappa = fmin(0.2 * (t_end - sim->data->t) / sim->options.dt, 1);
  for (int j = 0; j < c->cones.n; j++) {
    c->cones.target[j] = (1 - kappa) * c->gaps.gap[c->cones.index[j]];
  }
  const cardan_status status = sim->stepper->method->step(sim->stepper, sim->data, t_end);
  c->trial.iterations += sim->stepper->iterations;
  return status;
}

/* By cones. Where a node on the way cannot be made, the step is taken again from its beginning with
 * shorter ones, which have other nodes. */
static cardan_status step_in_parts(cardan_sim *sim, double t_next)
{
  cardan__contacts *c = sim->contacts;
  const double h = t_next - sim->data->t;
  c->trial.pace = HUGE_VAL;
  cardan_status status = cardan__contact_step_cones(sim, t_next);
  for (int k = 1;
       k <= MOST_PARTS && status == CARDAN_ERR_NO_CONVERGENCE && !c->impacts.too_many_events; k++) {
    cardan__snapshot_restore(sim, &c->trial.begun);
    c->impacts.nhit = 0;
    c->trial.pace = ldexp(h, -2 * k - 1);
    status = cardan__contact_step_cones(sim, t_next);
  }
  return status;
}

cardan_status cardan__contact_step(cardan_sim *sim, double t_next)
{
  cardan__contacts *c = sim->contacts;
  c->trial.iterations = c->impacts.nhit = 0;
  cardan_status status =
      c->trial.unseen ? cardan__contacts_enter(c, sim->model, sim->data) : CARDAN_OK;
  if (status != CARDAN_OK) {
    return status;
  }
  c->trial.unseen = false;
  status = c->skip.calm ? cardan__contact_skip_step(sim, t_next) : CARDAN__MOVED;
  if (status != CARDAN__MOVED) {
    sim->stepper->iterations = c->trial.iterations;
    return status;
  }
  cardan__snapshot_save(sim, &c->trial.begun);
  status = c->by_cones ? step_in_parts(sim, t_next) : cardan__contact_step_rows(sim, t_next);
  sim->stepper->iterations = c->trial.iterations;
  if (status != CARDAN_OK) {
    const cardan_info info = sim->data->info;
    cardan__snapshot_restore(sim, &c->trial.begun);
    sim->data->info = info;
  }
  return status;
}

/* ---- words ---- */

void cardan__contacts_name(const cardan__contacts *c, const cardan_model *model, int i, char *text,
                           size_t size)
{
  if (i < c->gaps.room) {
    cardan__feature_name(model, &c->gaps.feature[i], text, size);
    return;
  }
  const cardan__spot spot = {.pair = c->gaps.watch[i - c->gaps.room]};
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
  *info = (cardan_info){.body = -1,
                        .joint = i < c->gaps.room ? c->gaps.feature[i].joint : -1,
                        .row = -1,
                        .whole = false};
  cardan__contacts_name(c, sim->model, i, name, sizeof name);
  snprintf(info->message, sizeof info->message, "%s %s", name, what);
  return CARDAN_ERR_NO_CONVERGENCE;
}
