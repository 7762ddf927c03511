// SPDX-License-Identifier: Apache-2.0
#include "contact/contacts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/between.h"
#include "kinematics/joint.h"
#include "model/joint_table.h"
#include "spatial/spatial.h"

/* Memory of the contacts of a run, their saved state, and messages. */

enum {
  MOST_CLOSED = 512,
  MOST_SPOTS = 4096,
  MOST_LEFT = 1024,
  MOST_ROWS = 2000,
  ROWS_OF_BODY = 48,
  ROWS_OF_FEW = 480 // of few bodies, which may have many solids each
};
static const double slow = 1e-2; // of g dt: what falls back within a fiftieth of a step

/* ---- sizes ---- */

static bool is_off(const cardan_options *options)
{
  return options->contacts != NULL && strcmp(options->contacts, "off") == 0;
}

/* Does what cannot be held go by with a warning? */
static bool is_auto(const cardan_options *options)
{
  return options->contacts != NULL && strcmp(options->contacts, "auto") == 0;
}

/* auto keeps the order of a step of order 4 or 6. */
static cardan__impacts_mode impacts_of(const cardan_options *options, bool cones)
{
  const char *word = options->impacts != NULL ? options->impacts : "auto";
  if (cones && strcmp(word, "step") == 0) {
    return CARDAN__IMPACTS_STEP;
  }
  return cones && strcmp(word, "auto") == 0 && options->order <= 2 ? CARDAN__IMPACTS_AUTO
                                                                   : CARDAN__IMPACTS_LOCATED;
}

int cardan__contacts_wanted(const cardan_model *model, const cardan_options *options)
{
  return is_off(options) ? 0 : cardan__features_count(model);
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

cardan__held_room cardan__contacts_room(const cardan_model *model, const cardan_options *options)
{
  const int dry = cardan__dry_frictions_count(model);
  const int rows =
      is_off(options) ? 0 : count_rows(model, cardan__features_count(model), count_spots(model));
  return (cardan__held_room){.rows = rows + dry, .dry = dry};
}

/* ---- memory ---- */

static void carve_closed(cardan__contacts *c, cardan__carver *at)
{
  const int m = c->impacts.most_rows, work = c->by_cones ? m : c->impacts.most;
  c->cones.index = CARDAN__CARVE(at, c->gaps.room, int);
  const int rows = c->gaps.room > m ? c->gaps.room : m;
  c->held.target = CARDAN__CARVE(at, rows, double);
  c->held.impulse = CARDAN__CARVE(at, rows, double);
  c->impacts.index = CARDAN__CARVE(at, c->impacts.most, int);
  c->impacts.first = CARDAN__CARVE(at, c->impacts.most + 1, int);
  c->impacts.root = CARDAN__CARVE(at, c->nbody, int);
  c->impacts.end = CARDAN__CARVE(at, c->nbody, int);
  c->impacts.island = CARDAN__CARVE(at, 2 * c->nbody, int);
  c->impacts.order = CARDAN__CARVE(at, c->impacts.most, int);
  c->impacts.hit = CARDAN__CARVE(at, c->impacts.most, cardan__hits);
  c->impacts.e = CARDAN__CARVE(at, c->impacts.most, double);
  double **const vectors[] = {&c->impacts.u, &c->impacts.r, &c->impacts.b, &c->impacts.after};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARDAN__CARVE(at, m, double);
  }
  c->impacts.J = CARDAN__CARVE(at, (size_t)m * (size_t)c->nv, double);
  c->impacts.W = CARDAN__CARVE(at, (size_t)m * (size_t)c->nv, double);
  c->impacts.G = CARDAN__CARVE(at, (size_t)m * (size_t)m, double);
  c->impacts.work = CARDAN__CARVE(at, cardan__impact_work(c->impacts.most, work), double);
  c->impacts.iwork = CARDAN__CARVE(at, cardan__impact_iwork(c->impacts.most, work), int);
  c->impacts.columns.u = CARDAN__CARVE(at, c->nv, cardan__column);
  c->impacts.columns.Z = CARDAN__CARVE(at, c->nbody, cardan__columns);
  c->impacts.together = CARDAN__CARVE(at, (size_t)c->nv * CARDAN__TOGETHER, double);
  c->impacts.reach = CARDAN__CARVE(at, c->impacts.most, cardan__row_reach);
  c->impacts.part =
      (cardan__tree_part(*)[2])cardan__carve(at, (size_t)c->impacts.most, sizeof *c->impacts.part);
  c->impacts.nparts = CARDAN__CARVE(at, c->impacts.most, int);
  c->impacts.dp = CARDAN__CARVE(at, c->nv, double);
  c->impacts.tau = CARDAN__CARVE(at, c->nv, double);
  c->impacts.f = CARDAN__CARVE(at, c->nbody, cardan_force);
}

static void carve_cones(cardan__contacts *c, cardan__carver *at)
{
  c->cones.feature = CARDAN__CARVE(at, c->impacts.most, cardan__feature);
  cardan__held_rows *held = &c->held;
  held->cone = CARDAN__CARVE(at, c->impacts.most, cardan__cone);
  held->reach = CARDAN__CARVE(at, c->impacts.most, cardan__row_reach);
  held->part =
      (cardan__tree_part(*)[2])cardan__carve(at, (size_t)c->impacts.most, sizeof *held->part);
  held->nparts = CARDAN__CARVE(at, c->impacts.most, int);
  held->side = CARDAN__CARVE(at, c->impacts.most, int);
  held->tree = (int(*)[2])cardan__carve(at, (size_t)c->impacts.most, sizeof *held->tree);
  held->level = CARDAN__CARVE(at, c->impacts.most_rows, cardan__row_level);
  held->J = CARDAN__CARVE(at, (size_t)c->impacts.most_rows * (size_t)c->nv, double);
  held->start = CARDAN__CARVE(at, c->impacts.most_rows, double);
  held->resting = CARDAN__CARVE(at, c->impacts.most_rows, double);
  held->speed = CARDAN__CARVE(at, c->impacts.most_rows, double);
  c->impacts.closed_cone = CARDAN__CARVE(at, c->impacts.most, cardan__cone);
  c->impacts.chosen = CARDAN__CARVE(at, c->impacts.most, cardan__cone);
  c->impacts.tree = (int(*)[2])cardan__carve(at, (size_t)c->impacts.most, sizeof *c->impacts.tree);
  c->cones.sticks = CARDAN__CARVE(at, c->impacts.most, bool);
  c->cones.broke = CARDAN__CARVE(at, c->gaps.room, bool);
  c->cones.jumped = CARDAN__CARVE(at, c->gaps.room, bool);
  c->cones.mean = CARDAN__CARVE(at, c->impacts.most_rows, double);
  c->cones.node = CARDAN__CARVE(at, c->ndry > 0 ? c->nv : 0, double);
  c->cones.step = CARDAN__CARVE(at, c->ndry > 0 ? c->nv : 0, double);
  c->ledger.record = CARDAN__CARVE(at, 2 * c->impacts.most, cardan__contact_record);
  c->gaps.X = CARDAN__CARVE(at, c->nbody, cardan_xform);
  c->gaps.moved = CARDAN__CARVE(at, c->nbody, double);
  c->gaps.reach = CARDAN__CARVE(at, c->nbody, double);
  c->skip.arm = CARDAN__CARVE(at, c->nbody, double);
  c->skip.edge = CARDAN__CARVE(at, c->gaps.nfixed, cardan__edge);
  c->skip.gone = CARDAN__CARVE(at, c->nbody, double);
  c->skip.q = CARDAN__CARVE(at, c->nq, double);
  c->skip.slope = CARDAN__CARVE(at, c->nq, double);
  c->skip.bend = CARDAN__CARVE(at, c->nq, double);
  c->skip.step = CARDAN__CARVE(at, c->nq, double);
  c->skip.mean = CARDAN__CARVE(at, c->nq, double);
  c->gaps.watch = CARDAN__CARVE(at, c->gaps.room_watch, int);
  c->gaps.near = CARDAN__CARVE(at, c->gaps.room_watch, int);
  c->gaps.ignored = CARDAN__CARVE(at, c->gaps.room_ignored, int);
  c->gaps.separation =
      CARDAN__CARVE(at, c->gaps.room_ignored > 0 ? c->nbody : 0, cardan__initial_separation);
  c->gaps.owner = CARDAN__CARVE(at, c->gaps.room, int);
  c->gaps.base = CARDAN__CARVE(at, c->gaps.room_watch, double);
  c->gaps.fast = CARDAN__CARVE(at, c->gaps.room_watch, int);
  c->gaps.width = CARDAN__CARVE(at, c->gaps.nsolid, double);
  c->gaps.last = CARDAN__CARVE(at, c->gaps.nfixed, double);
  c->gaps.spot = CARDAN__CARVE(at, c->gaps.room_watch > 0 ? CARDAN__SPOTS_MOST : 0, cardan__spot);
  if (c->gaps.room_watch > 0) {
    cardan__broad_carve(&c->gaps.broad, c->model, at);
  }
}

/* What landings need, where the option asks for them. */
static void carve_landing(cardan__contacts *c, cardan__carver *at)
{
  cardan__landing *l = &c->landing;
  const int most = l->mode != CARDAN__IMPACTS_LOCATED ? c->impacts.most : 0;
  const int nv = most > 0 ? c->nv : 0;
  double **const of_contacts[] = {&l->lambda, &l->held, &l->gap, &l->rate, &l->end, &l->approach};
  double **const of_velocities[] = {&l->hold, &l->push, &l->v, &l->change};
  l->index = CARDAN__CARVE(at, most, int);
  l->feature = CARDAN__CARVE(at, most, cardan__feature);
  for (size_t i = 0; i < sizeof of_contacts / sizeof *of_contacts; i++) {
    *of_contacts[i] = CARDAN__CARVE(at, most, double);
  }
  for (size_t i = 0; i < sizeof of_velocities / sizeof *of_velocities; i++) {
    *of_velocities[i] = CARDAN__CARVE(at, nv, double);
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
                              &c->trial.bracket.point[0].value,
                              &c->trial.bracket.point[1].value,
                              &c->trial.bracket.point[2].value};
  c->gaps.feature = CARDAN__CARVE(at, c->gaps.room + c->ndry, cardan__feature);
  c->gaps.closure = CARDAN__CARVE(at, n, int);
  c->gaps.active = CARDAN__CARVE(at, n, bool);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARDAN__CARVE(at, n, double);
  }
  carve_closed(c, at);
  if (c->by_cones) {
    carve_cones(c, at);
    carve_landing(c, at);
  } else {
    c->cones.carried = CARDAN__CARVE(at, c->gaps.nfixed, double);
  }
}

/* The mass that the joint of a limit carries, of one that turns times the size of the mechanism. */
static double carried(const cardan__contacts *c, const cardan__feature *f)
{
  const cardan_model *model = c->model;
  const int body = model->v_body[f->k];
  const bool slides = cardan__link_slides(&model->body[body], f->k - model->body[body].vadr);
  double mass = 0;
  for (int i = body; i < model->nbody; i++) {
    int above = i;
    while (above > body) {
      above = model->body[above].parent;
    }
    mass += above == body ? model->body[i].inertia.m : 0;
  }
  return slides ? mass : mass * (c->size > 0 ? c->size : 1);
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
  for (int i = 0; i < n; i++) {
    c->cones.carried[i] = carried(c, &c->gaps.feature[i]);
  }
}

/* Features that the run has for good, and whether steps may skip the search for others. */
static void list_features(cardan__contacts *c, bool pairs)
{
  const cardan_model *model = c->model;
  const int nfixed = c->gaps.nfixed, ndry = c->ndry;
  if (nfixed > 0) {
    cardan__features_list(model, c->gaps.feature);
  }
  if (ndry > 0) {
    cardan__dry_frictions_list(model, c->gaps.feature + c->gaps.room);
  }
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
  c->skip.possible = pairs && !c->gaps.needs_poses && ndry == 0;
  for (int i = 0; i < nfixed && c->skip.possible; i++) {
    const cardan__feature *f = &c->gaps.feature[i];
    c->skip.edge[i] = (cardan__edge){f->q, f->sign, f->bound};
  }
  for (int i = 1; i < model->nbody; i++) {
    c->skip.possible = c->skip.possible && cardan__joint_is_constant(&model->body[i]);
  }
}

cardan_status cardan__contacts_create(const cardan_model *model, const cardan_options *options,
                                      bool cones, const cardan_allocator *allocator,
                                      cardan__contacts **out)
{
  const int nfixed = cardan__contacts_wanted(model, options);
  const int npair = cones && !is_off(options) ? model->npair : 0;
  const int spots = npair > 0 ? count_spots(model) : 0;
  const int ndry = cones ? cardan__dry_frictions_count(model) : 0;
  *out = NULL;
  if (nfixed + spots + ndry == 0) {
    return CARDAN_OK;
  }
  cardan__contacts *c = cardan__resize(allocator, NULL, sizeof *c);
  if (c == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *c = (cardan__contacts){
      .model = model,
      .by_cones = cones,
      .ndry = ndry,
      .nv = model->nv,
      .nq = model->nq,
      .nbody = model->nbody,
      .size = model->size_length,
      .held = {.self = c, .size = model->size_length},
      .landing = {.mode = impacts_of(options, cones)},
      .gaps = {.nsolid = npair > 0 ? model->nsolid : 0,
               .nfixed = nfixed,
               .n = nfixed,
               .room = nfixed + spots,
               .room_watch = least_of(npair, MOST_SPOTS),
               .room_ignored = is_auto(options) ? least_of(npair, MOST_LEFT) : 0}};
  c->impacts.most_rows = count_rows(model, nfixed, spots);
  c->impacts.most = least_of(c->gaps.room, c->impacts.most_rows) + ndry;
  c->impacts.most_rows += ndry;
  c->block = cardan__carve_block(allocator, carve, c);
  if (c->block == NULL) {
    cardan__resize(allocator, c, 0);
    return CARDAN_ERR_MEMORY;
  }
  const double fall = cardan__vec3_norm(model->gravity) * options->dt; // speed after one step
  c->impacts.max_hits = options->max_impacts;
  c->impacts.crawl = cones ? slow * fall : 0;
  c->gaps.min_reach = 2 * fall * options->dt + 1e-6 * (1 + c->size);
  list_features(c, npair > 0);
  c->gaps.needs_poses = cones && (c->gaps.needs_poses || npair > 0);
  if (!cones) {
    keep_coordinates(c);
  }
  *out = c;
  return CARDAN_OK;
}

void cardan__contacts_destroy(cardan__contacts *c, const cardan_allocator *allocator)
{
  if (c != NULL) {
    cardan__resize(allocator, c->landing.node, 0);
    cardan__resize(allocator, c->block, 0);
    cardan__resize(allocator, c, 0);
  }
}

/* ---- saved state ---- */

/* A step that exceeds the bound is repeated, which changes the last digits. So that a run from a
 * snapshot has the same bits, the state of the contact skip is part of the snapshot. */
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
  cardan__spans_ints(list, &c->landing.wait, 1, 0, CARDAN__IMPACTS_WAIT);
  cardan__spans_flag(list, &c->landing.landed);
  cardan__spans_flag(list, &c->landing.contradicts);
  if (c->by_cones) {
    cardan__spans_ints(list, &c->ledger.nrecord, 1, 0, 2 * c->impacts.most);
    CARDAN__SPANS_ONE(list, c->ledger.h);
    if (c->ndry > 0) {
      CARDAN__SPANS_ONE(list, c->ledger.dry);
    }
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
    c->gaps.active[i] = c->cones.broke[i] = c->cones.jumped[i] = false;
    c->gaps.closure[i] = CARDAN__OPEN;
  }
}

void cardan__contacts_rejoin(cardan__contacts *c, cardan_data *data)
{
  if (c == NULL || !c->by_cones) {
    return;
  }
  const cardan_contact_stats stats = c->ledger.stats;
  c->held.n = 0;
  c->held.rested = false;
  if (c->skip.calm) {
    rejoin_calm(c);
    return;
  }
  c->trial.unseen = cardan__contacts_enter(c, data->model, data) != CARDAN_OK;
  if (!c->trial.stale) {
    cardan__contacts_rates(c, data->model, data);
  }
  c->ledger.stats = stats;
}

double cardan__contacts_work(const cardan__contacts *c)
{
  return c != NULL
             ? c->ledger.driven - c->ledger.stats.lost - c->ledger.stats.friction - c->ledger.dry
             : 0;
}

/* ---- messages ---- */

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
  cardan__feature_name(data->model, &c->gaps.feature[i], name, sizeof name);
  return cardan__held_unsolved(data, n, name, error);
}
