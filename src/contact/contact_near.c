// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/between.h"
#include "contact/contacts.h"
#include "spatial/spatial.h"

/* Features at a node. Limits and bounds of the model are always included. Spots of pairs are
 * recomputed at every node, for pairs that may touch in a step: whose solids overlap when each is
 * grown by the reach of its body. The motion of a body in a step is known only at its end; if it
 * exceeds the reach, the reach is increased and the step is repeated with more pairs. If all bodies
 * move by nearly the same, as in free fall, motions are relative to their mean, and the world moves
 * by minus the mean. */

static const double often = 2; // reach over the way of the step before

/* ---- ways ---- */

/* The ways of all bodies less u; that of the world is u itself. returns the largest but that */
static double relative_motion_bounds(cardan__contacts *c, const cardan_model *model,
                                     const cardan_xform *X, cardan_vec3 u)
{
  double most = 0;
  memset(c->gaps.moved, 0, (size_t)c->nbody * sizeof *c->gaps.moved);
  c->gaps.moved[0] = cardan__vec3_norm(u);
  for (int i = 0; i < model->nsolid; i++) {
    const int body = model->solid[i].body;
    if (body > 0) {
      const double way = cardan__solid_way(&model->solid[i], &c->gaps.X[body], &X[body], u);
      c->gaps.moved[body] = fmax(c->gaps.moved[body], way);
      most = fmax(most, way);
    }
  }
  return most;
}

/* The mean way of all that moves. */
static cardan_vec3 mean_way(const cardan__contacts *c, const cardan_model *model,
                            const cardan_xform *X)
{
  cardan_vec3 sum = {0, 0, 0};
  int n = 0;
  for (int i = 0; i < model->nsolid; i++) {
    const int body = model->solid[i].body;
    if (body > 0) {
      sum =
          cardan__vec3_add(sum, cardan__solid_shift(&model->solid[i], &c->gaps.X[body], &X[body]));
      n++;
    }
  }
  return cardan__vec3_scale(n > 0 ? 1.0 / n : 0, sum);
}

bool cardan__contacts_ways(cardan__contacts *c, const cardan_model *model, const cardan_xform *X)
{
  const cardan_vec3 u = mean_way(c, model, X), none = {0, 0, 0};
  bool within = true;
  if (relative_motion_bounds(c, model, X, u) > 0.5 * c->gaps.moved[0]) {
    relative_motion_bounds(c, model, X, none);
  }
  for (int i = 0; i < c->nbody; i++) {
    if (c->gaps.moved[i] > c->gaps.reach[i]) {
      c->gaps.reach[i] = often * c->gaps.moved[i];
      within = false;
    }
  }
  return within;
}

void cardan__contacts_learn(cardan__contacts *c, double part)
{
  for (int i = 0; i < c->nbody; i++) {
    // a step that was cut at once says nothing
    const double way = part > 1e-3 ? often * c->gaps.moved[i] / part : c->gaps.reach[i];
    c->gaps.reach[i] = fmax(way, i > 0 ? c->gaps.min_reach : 0);
  }
}

/* ---- pairs ---- */

static cardan_status too_many(const cardan__contacts *c, const cardan_model *model,
                              cardan_data *data, int pair)
{
  const cardan_pair *p = &model->pair[pair];
  data->info = (cardan_info){.body = -1, .joint = -1, .row = -1, .whole = true};
  snprintf(data->info.message, sizeof data->info.message,
           "more than %d places of solids are near one another, at last of \"%.60s\" and \"%.60s\"",
           c->gaps.room - c->gaps.nfixed, model->solid[p->solid[0]].name,
           model->solid[p->solid[1]].name);
  return CARDAN_ERR_UNSUPPORTED;
}

/* Spots of a pair that its solids may reach, as features; and its gap, to be watched. false: there
 * is no room */
static bool add_pair(cardan__contacts *c, const cardan_model *model, const cardan_xform *X,
                     int pair)
{
  const int *solid = model->pair[pair].solid;
  const double margin = c->gaps.reach[model->solid[solid[0]].body] +
                        c->gaps.reach[model->solid[solid[1]].body] + CARDAN__WATCHED;
  const int left =
      c->gaps.room - c->gaps.n < CARDAN__SPOTS_MOST ? c->gaps.room - c->gaps.n : CARDAN__SPOTS_MOST;
  const int n = cardan__pair_spots(model, pair, X, margin, c->gaps.spot, left);
  if (n < 0 || c->gaps.nwatch == c->gaps.room_watch) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    c->gaps.owner[c->gaps.n] = c->gaps.nwatch;
    cardan__feature_of_spot(model, &c->gaps.spot[i], &c->gaps.feature[c->gaps.n++]);
  }
  c->gaps.watch[c->gaps.nwatch++] = pair;
  return true;
}

int cardan__contacts_without_left(cardan__contacts *c, int n)
{
  int kept = 0, k = 0;
  for (int i = 0; i < n; i++) {
    while (k < c->gaps.nignored && c->gaps.ignored[k] < c->gaps.near[i]) {
      k++;
    }
    if (k == c->gaps.nignored || c->gaps.ignored[k] != c->gaps.near[i]) {
      c->gaps.near[kept++] = c->gaps.near[i];
    }
  }
  return kept;
}

/* Is this pair among what is watched? */
static bool is_watched(const cardan__contacts *c, int pair)
{
  bool found = false;
  for (int w = 0; w < c->gaps.nwatch && !found; w++) {
    found = c->gaps.watch[w] == pair;
  }
  return found;
}

/* Adds the pairs that may meet, at poses X: those that are watched already, where `more` are looked
 * for, stay. returns the last pair that there is no room for, -1: there is */
static int add_near(cardan__contacts *c, const cardan_model *model, const cardan_xform *X,
                    bool more)
{
  int n = cardan__near_pairs(&c->gaps.broad, model, X, c->gaps.reach, CARDAN__WATCHED, c->gaps.near,
                             c->gaps.room_watch);
  if (n > c->gaps.room_watch) {
    return c->gaps.near[c->gaps.room_watch - 1];
  }
  n = c->gaps.nignored > 0 ? cardan__contacts_without_left(c, n) : n;
  for (int i = 0; i < n; i++) {
    if (!(more && is_watched(c, c->gaps.near[i])) && !add_pair(c, model, X, c->gaps.near[i])) {
      return c->gaps.near[i];
    }
  }
  return -1;
}

static void open_one(cardan__contacts *c, int i)
{
  c->gaps.active[i] = false;
  c->gaps.closure[i] = CARDAN__OPEN;
  for (int k = 0; k < 3; k++) { // a search that is under way does not seek it
    c->trial.bracket.point[k].value[i] = fmax(c->gaps.gap[i], 0);
  }
}

/* What was added, from these numbers on, is open at the node, at poses c->gaps.X. */
static void open_added(cardan__contacts *c, const cardan_model *model, int feature, int watch)
{
  for (int i = feature; i < c->gaps.n; i++) {
    cardan__touch touch;
    cardan__spot_look(model, &c->gaps.feature[i].spot, c->gaps.X, &touch);
    c->gaps.gap[i] = touch.gap;
    c->cones.broke[i] = c->cones.jumped[i] = false;
    open_one(c, i);
  }
  for (int w = watch; w < c->gaps.nwatch; w++) {
    const double gap = cardan__pair_gap(model, c->gaps.watch[w], c->gaps.X, NULL);
    c->gaps.base[w] = fmin(0, gap) - CARDAN__WATCHED;
    c->gaps.gap[c->gaps.room + w] = gap - c->gaps.base[w];
    open_one(c, c->gaps.room + w);
  }
}

bool cardan__contacts_extend(cardan__contacts *c, const cardan_model *model)
{
  const int feature = c->gaps.n, watch = c->gaps.nwatch;
  const bool room = add_near(c, model, c->gaps.X, true) < 0;
  open_added(c, model, feature, watch);
  return room;
}

void cardan__contacts_add_spots(cardan__contacts *c, const cardan_model *model, int watch,
                                const cardan_xform *X)
{
  const int left = c->gaps.room - c->gaps.n, first = c->gaps.n;
  const int most = left < CARDAN__SPOTS_MOST ? left : CARDAN__SPOTS_MOST;
  const int n = cardan__pair_spots(model, c->gaps.watch[watch], X, 0, c->gaps.spot, most);
  for (int i = 0; i < n; i++) {
    c->gaps.owner[c->gaps.n] = watch;
    cardan__feature_of_spot(model, &c->gaps.spot[i], &c->gaps.feature[c->gaps.n++]);
  }
  open_added(c, model, first, c->gaps.nwatch);
  for (int i = first; i < c->gaps.n; i++) {
    cardan__touch touch;
    cardan__spot_look(model, &c->gaps.feature[i].spot, X, &touch);
    c->gaps.next[i] = touch.gap - fmin(0, c->gaps.gap[i]);
    c->gaps.rate[i] = 0;
  }
}

/* ---- gaps ---- */

void cardan__contacts_gaps(cardan__contacts *c, cardan_data *data, double *gap)
{
  if (c->gaps.needs_poses) {
    cardan__features_gaps(data->model, data, c->gaps.n, c->gaps.feature, gap);
  } else {
    for (int i = 0; i < c->gaps.n; i++) {
      gap[i] = cardan__feature_gap(&c->gaps.feature[i], data->q);
    }
  }
  for (int w = 0; w < c->gaps.nwatch; w++) {
    gap[c->gaps.room + w] = cardan__pair_gap(data->model, c->gaps.watch[w], data->X_W, NULL);
  }
}

/* What the node says of all of them; returns the last whose gap is not a number, -1: none. */
static int summary(cardan__contacts *c)
{
  cardan_contact_stats *stats = &c->ledger.stats;
  int unknown = -1;
  stats->closed = 0;
  stats->gap = HUGE_VAL;
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    unknown = isnan(c->gaps.gap[i]) ? i : unknown;
    stats->gap = fmin(stats->gap, c->gaps.gap[i]);
    stats->overlap = -c->gaps.gap[i] > stats->overlap ? -c->gaps.gap[i] : stats->overlap;
    stats->closed += i < c->gaps.room && cardan__contacts_closed(c, i);
  }
  return unknown;
}

static cardan_status fail_gap_not_finite(const cardan__contacts *c, cardan_data *data, int i)
{
  char name[160] = "";
  cardan__contacts_name(c, data->model, i, name, sizeof name);
  data->info = (cardan_info){.body = -1, .joint = -1, .row = -1, .whole = true};
  snprintf(data->info.message, sizeof data->info.message,
           "the gap of %s is not a number at t = %.9g s", name, data->t);
  return CARDAN_ERR_NOT_FINITE;
}

cardan_status cardan__contacts_enter(cardan__contacts *c, const cardan_model *model,
                                     cardan_data *data)
{
  cardan_status status = CARDAN_OK;
  c->gaps.n = c->gaps.nfixed;
  c->gaps.nwatch = 0;
  cardan__contacts_place(c, data);
  if (c->gaps.room_watch > 0) {
    memcpy(c->gaps.X, data->X_W, (size_t)c->nbody * sizeof *c->gaps.X);
    const int pair = add_near(c, model, data->X_W, false);
    status = pair < 0 ? CARDAN_OK : too_many(c, model, data, pair);
  }
  cardan__contacts_gaps(c, data, c->gaps.gap);
  const int unknown = summary(c);
  if (status == CARDAN_OK && unknown >= 0) {
    status = fail_gap_not_finite(c, data, unknown);
  } else if (status == CARDAN_OK && c->ledger.stats.closed > c->impacts.most) {
    status = cardan__contacts_too_many(c, data);
  }
  for (int i = 0; i < c->gaps.n; i++) {
    c->gaps.active[i] = c->cones.broke[i] = c->cones.jumped[i] = false;
    c->gaps.closure[i] = CARDAN__OPEN;
    if (cardan__contacts_closed(c, i)) {
      cardan__feature_enter(model, data, &c->gaps.feature[i]);
    }
  }
  for (int w = 0; w < c->gaps.nwatch; w++) {
    c->gaps.active[c->gaps.room + w] = false;
    c->gaps.closure[c->gaps.room + w] = CARDAN__OPEN;
    c->gaps.base[w] = fmin(0, c->gaps.gap[c->gaps.room + w]) - CARDAN__WATCHED;
    c->gaps.gap[c->gaps.room + w] -= c->gaps.base[w];
  }
  return status;
}
