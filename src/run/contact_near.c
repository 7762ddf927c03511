// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/between.h"
#include "run/contacts.h"
#include "spatial/spatial.h"

/* Features at a node. Those that a model has for good stay; spots of pairs are made anew at every
 * node, for pairs that may meet in a step: whose solids, each grown by the reach of its body, do.
 * What a body moves in a step is known only at its end; where it is more than its reach, that grows
 * and the step is tried again with more pairs. What falls together does not meet for that: where
 * all move by much the same, ways count from the mean of them, and the world moves by that. */

static const double often = 2; // reach over the way of the step before

/* ---- ways ---- */

/* The ways of all bodies less u; that of the world is u itself. returns the largest but that */
static double ways_less(cardan__contacts *c, const cardan_model *model, const cardan_xform *X,
                        cardan_vec3 u)
{
  double most = 0;
  memset(c->moved, 0, (size_t)c->nbody * sizeof *c->moved);
  c->moved[0] = cardan__vec3_norm(u);
  for (int i = 0; i < model->nsolid; i++) {
    const int body = model->solid[i].body;
    if (body > 0) {
      const double way = cardan__solid_way(&model->solid[i], &c->X[body], &X[body], u);
      c->moved[body] = fmax(c->moved[body], way);
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
      sum = cardan__vec3_add(sum, cardan__solid_shift(&model->solid[i], &c->X[body], &X[body]));
      n++;
    }
  }
  return cardan__vec3_scale(n > 0 ? 1.0 / n : 0, sum);
}

bool cardan__contacts_ways(cardan__contacts *c, const cardan_model *model, const cardan_xform *X)
{
  const cardan_vec3 u = mean_way(c, model, X), none = {0, 0, 0};
  bool within = true;
  if (ways_less(c, model, X, u) > 0.5 * c->moved[0]) {
    ways_less(c, model, X, none);
  }
  for (int i = 0; i < c->nbody; i++) {
    if (c->moved[i] > c->reach[i]) {
      c->reach[i] = often * c->moved[i];
      within = false;
    }
  }
  return within;
}

void cardan__contacts_learn(cardan__contacts *c, double part)
{
  for (int i = 0; i < c->nbody; i++) {
    // a step that was cut at once says nothing
    const double way = part > 1e-3 ? often * c->moved[i] / part : c->reach[i];
    c->reach[i] = fmax(way, i > 0 ? c->least : 0);
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
           c->room - c->nfixed, model->solid[p->solid[0]].name, model->solid[p->solid[1]].name);
  return CARDAN_ERR_UNSUPPORTED;
}

/* Spots of a pair that its solids may reach, as features; and its gap, to be watched. false: there
 * is no room */
static bool add_pair(cardan__contacts *c, const cardan_model *model, const cardan_xform *X,
                     int pair)
{
  const int *solid = model->pair[pair].solid;
  const double margin = c->reach[model->solid[solid[0]].body] +
                        c->reach[model->solid[solid[1]].body] + CARDAN__WATCHED;
  const int left = c->room - c->n < CARDAN__SPOTS_MOST ? c->room - c->n : CARDAN__SPOTS_MOST;
  const int n = cardan__pair_spots(model, pair, X, margin, c->spot, left);
  if (n < 0 || c->nwatch == c->room_watch) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    c->owner[c->n] = c->nwatch;
    cardan__feature_of_spot(model, &c->spot[i], &c->feature[c->n++]);
  }
  c->watch[c->nwatch++] = pair;
  return true;
}

int cardan__contacts_without_left(cardan__contacts *c, int n)
{
  int kept = 0, k = 0;
  for (int i = 0; i < n; i++) {
    while (k < c->nleft && c->left[k] < c->near[i]) {
      k++;
    }
    if (k == c->nleft || c->left[k] != c->near[i]) {
      c->near[kept++] = c->near[i];
    }
  }
  return kept;
}

/* Is this pair among what is watched? */
static bool is_watched(const cardan__contacts *c, int pair)
{
  bool found = false;
  for (int w = 0; w < c->nwatch && !found; w++) {
    found = c->watch[w] == pair;
  }
  return found;
}

/* Adds the pairs that may meet, at poses X: those that are watched already, where `more` are looked
 * for, stay. returns the last pair that there is no room for, -1: there is */
static int add_near(cardan__contacts *c, const cardan_model *model, const cardan_xform *X,
                    bool more)
{
  int n =
      cardan__near_pairs(&c->broad, model, X, c->reach, CARDAN__WATCHED, c->near, c->room_watch);
  if (n > c->room_watch) {
    return c->near[c->room_watch - 1];
  }
  n = c->nleft > 0 ? cardan__contacts_without_left(c, n) : n;
  for (int i = 0; i < n; i++) {
    if (!(more && is_watched(c, c->near[i])) && !add_pair(c, model, X, c->near[i])) {
      return c->near[i];
    }
  }
  return -1;
}

static void open_one(cardan__contacts *c, int i)
{
  c->active[i] = false;
  c->closure[i] = CARDAN__OPEN;
  for (int k = 0; k < 3; k++) { // a search that is under way does not seek it
    c->point[k].value[i] = fmax(c->gap[i], 0);
  }
}

/* What was added, from these numbers on, is open at the node, at poses c->X. */
static void open_added(cardan__contacts *c, const cardan_model *model, int feature, int watch)
{
  for (int i = feature; i < c->n; i++) {
    cardan__touch touch;
    cardan__spot_look(model, &c->feature[i].spot, c->X, &touch);
    c->gap[i] = touch.gap;
    c->broke[i] = false;
    open_one(c, i);
  }
  for (int w = watch; w < c->nwatch; w++) {
    const double gap = cardan__pair_gap(model, c->watch[w], c->X, NULL);
    c->base[w] = fmin(0, gap) - CARDAN__WATCHED;
    c->gap[c->room + w] = gap - c->base[w];
    open_one(c, c->room + w);
  }
}

bool cardan__contacts_extend(cardan__contacts *c, const cardan_model *model)
{
  const int feature = c->n, watch = c->nwatch;
  const bool room = add_near(c, model, c->X, true) < 0;
  open_added(c, model, feature, watch);
  return room;
}

/* ---- gaps ---- */

void cardan__contacts_gaps(cardan__contacts *c, cardan_data *data, double *gap)
{
  if (c->posed) {
    cardan__features_gaps(data->model, data, c->n, c->feature, gap);
  } else {
    for (int i = 0; i < c->n; i++) {
      gap[i] = cardan__feature_gap(&c->feature[i], data->q);
    }
  }
  for (int w = 0; w < c->nwatch; w++) {
    gap[c->room + w] = cardan__pair_gap(data->model, c->watch[w], data->X_W, NULL);
  }
}

/* What the node says of all of them; returns the last whose gap is not a number, -1: none. */
static int survey(cardan__contacts *c)
{
  cardan_contact_stats *stats = &c->stats;
  int unknown = -1;
  stats->closed = 0;
  stats->gap = HUGE_VAL;
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    unknown = isnan(c->gap[i]) ? i : unknown;
    stats->gap = fmin(stats->gap, c->gap[i]);
    stats->overlap = -c->gap[i] > stats->overlap ? -c->gap[i] : stats->overlap;
    stats->closed += i < c->room && cardan__contacts_closed(c, i);
  }
  return unknown;
}

static cardan_status has_no_value(const cardan__contacts *c, cardan_data *data, int i)
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
  c->n = c->nfixed;
  c->nwatch = 0;
  cardan__contacts_place(c, data);
  if (c->room_watch > 0) {
    memcpy(c->X, data->X_W, (size_t)c->nbody * sizeof *c->X);
    const int pair = add_near(c, model, data->X_W, false);
    status = pair < 0 ? CARDAN_OK : too_many(c, model, data, pair);
  }
  cardan__contacts_gaps(c, data, c->gap);
  const int unknown = survey(c);
  if (status == CARDAN_OK && unknown >= 0) {
    status = has_no_value(c, data, unknown);
  } else if (status == CARDAN_OK && c->stats.closed > c->most) {
    status = cardan__contacts_too_many(c, data);
  }
  for (int i = 0; i < c->n; i++) {
    c->active[i] = c->broke[i] = false;
    c->closure[i] = CARDAN__OPEN;
    if (cardan__contacts_closed(c, i)) {
      cardan__feature_enter(model, data, &c->feature[i]);
    }
  }
  for (int w = 0; w < c->nwatch; w++) {
    c->active[c->room + w] = false;
    c->closure[c->room + w] = CARDAN__OPEN;
    c->base[w] = fmin(0, c->gap[c->room + w]) - CARDAN__WATCHED;
    c->gap[c->room + w] -= c->base[w];
  }
  return status;
}
