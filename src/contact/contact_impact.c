// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/contacts.h"

/* Impacts at one node: v <- v + W r, by contact/impact.c                                  (S1) */

static const double accepted = 1e-9; // of the speeds: error of an impact
static const double mobile = 1e-12;  // of the largest entry of G: what is less cannot move

/* Spots of a pair count together. */
cardan__hits *cardan__contacts_hits(const cardan__contacts *c, const cardan__feature *f)
{
  for (int i = 0; i < c->impacts.nhit; i++) {
    cardan__hits *h = &c->impacts.hit[i];
    if (h->kind == f->kind && h->joint == f->joint && h->pair == f->pair &&
        (f->pair >= 0 || h->index == f->index)) {
      return h;
    }
  }
  return NULL;
}

bool cardan__contacts_tired(const cardan__contacts *c, const cardan__feature *f, int more,
                            int events)
{
  const cardan__hits *h = cardan__contacts_hits(c, f);
  return events >= CARDAN__PLASTIC || (h != NULL && h->count + more >= c->impacts.max_hits);
}

static cardan__hits *find_hits(cardan__contacts *c, const cardan__feature *f)
{
  cardan__hits *h = cardan__contacts_hits(c, f);
  if (h == NULL && c->impacts.nhit < c->impacts.most) {
    h = &c->impacts.hit[c->impacts.nhit++];
    *h = (cardan__hits){.kind = f->kind, .joint = f->joint, .index = f->index, .pair = f->pair};
  }
  return h;
}

bool cardan__contacts_missed(const cardan__contacts *c, int pair)
{
  const cardan__spot spot = {.pair = pair};
  cardan__feature f;
  cardan__feature_of_spot(c->model, &spot, &f);
  const cardan__hits *h = cardan__contacts_hits(c, &f);
  return h != NULL && h->missed;
}

void cardan__contacts_miss(cardan__contacts *c, int pair)
{
  const cardan__spot spot = {.pair = pair};
  cardan__feature f;
  if (c->model->solid[c->model->pair[pair].solid[1]].kind == CARDAN_SHAPE_PLANE) {
    return; // nothing is beside a plane: its spots are what they are
  }
  cardan__feature_of_spot(c->model, &spot, &f);
  cardan__hits *h = find_hits(c, &f);
  if (h != NULL) {
    h->missed = true;
  }
}

/* One more for what was struck, once for a pair. */
static void count_hits(cardan__contacts *c)
{
  for (int i = 0; i < c->impacts.nclosed; i++) {
    const cardan__feature *f = &c->gaps.feature[c->impacts.index[i]];
    const bool first =
        i == 0 || f->pair < 0 || c->gaps.feature[c->impacts.index[i - 1]].pair != f->pair;
    cardan__hits *h = c->impacts.r[c->impacts.first[i]] > 0 && first ? find_hits(c, f) : NULL;
    if (h != NULL) {
      h->count++;
    }
  }
}

/* After an impact that did not help: of the closed ones that which is approached most. Nothing
 * moves it, or its impulses were found only to `left`. */
static cardan_status fail_impact(const cardan__contacts *c, cardan_data *data, double left)
{
  const size_t m = (size_t)c->impacts.m;
  char name[160] = "";
  double largest = 0;
  int most = 0;
  for (int i = 0; i < c->impacts.nclosed; i++) {
    const size_t row = (size_t)c->impacts.first[i];
    largest = fmax(largest, c->impacts.G[row * m + row]);
    most = c->impacts.u[row] < c->impacts.u[c->impacts.first[most]] ? i : most;
  }
  const size_t row = (size_t)c->impacts.first[most];
  const bool moves = c->by_cones && c->impacts.G[row * m + row] > mobile * largest && left > 0;
  const cardan__feature *f = &c->gaps.feature[c->impacts.index[most]];
  data->info = (cardan_info){.body = -1, .joint = f->joint, .row = -1, .whole = !moves};
  cardan__contacts_name(c, data->model, c->impacts.index[most], name, sizeof name);
  if (moves) {
    snprintf(data->info.message, sizeof data->info.message,
             "the impact of %d contacts is found to %.2g m/s only, %s is worst", c->impacts.nclosed,
             left, name);
    return CARDAN_ERR_NO_CONVERGENCE;
  }
  snprintf(data->info.message, sizeof data->info.message,
           "%s is met, and nothing can stop it there: constraints, or limits on both sides, leave "
           "it no other way",
           name);
  return CARDAN_ERR_SINGULAR;
}

/* The fastest of the closed ones, rows of friction too. */
static double speed_of(const cardan__contacts *c)
{
  double most = 0;
  for (int i = 0; i < c->impacts.m; i++) {
    most = fmax(most, fabs(c->impacts.u[i]));
  }
  return most;
}

/* Returns whether an impact that was not solved to the tolerance is accurate enough. */
static bool is_enough(const cardan__contacts *c, const cardan__impact *impact, double speed)
{
  const double rest = fmax(accepted * speed, impact->tol);
  double approach = 0;
  for (int i = 0; i < c->impacts.nclosed; i++) {
    approach = fmax(approach, -c->impacts.u[c->impacts.first[i]]);
  }
  return impact->error > 0 && impact->error <= rest && approach <= 2 * rest;
}

static void count_impact(cardan__contacts *c, const cardan__impact *m, bool plastic)
{
  cardan_contact_stats *stats = &c->ledger.stats;
  stats->impacts++;
  stats->plastic += plastic;
  stats->guarded += m->guarded > 0;
  stats->lost -= m->gain;
  stats->sweeps += m->sweeps;
  stats->newtons += m->newtons;
  stats->solves += m->rounds;
  stats->error = fmax(stats->error, m->error);
}

/* Velocities that are 0 but for rounding: of coordinates that something rests on. */
static void still_coordinates(const cardan__contacts *c, double tol, double *v)
{
  for (int i = 0; i < c->impacts.nclosed; i++) {
    const cardan__feature *f = &c->gaps.feature[c->impacts.index[i]];
    if (f->k >= 0 && c->impacts.r[c->impacts.first[i]] > 0 &&
        fabs(c->impacts.u[c->impacts.first[i]]) <= tol) {
      v[f->k] = 0;
    }
  }
}

/* u_0 of the normals of closed contacts is part of u, but not of v: in the work J^T r . v over an
 * impact, r (u^- + u^+) / 2 - r u_0, the second term is the work of the driver of the bound. */
static void count_driven(cardan__contacts *c, const cardan_data *data)
{
  for (int i = 0; i < c->impacts.nclosed; i++) {
    double u0[CARDAN__FEATURE_ROWS] = {0};
    cardan__feature_drift(data->model, data, &c->gaps.feature[c->impacts.index[i]], u0);
    c->ledger.driven -= c->impacts.r[c->impacts.first[i]] * u0[0];
  }
}

/* (S1), where something approaches; c->impacts.dp is all that the node's momentum gets. */
cardan_status cardan__contacts_impact(cardan__contacts *c, cardan_data *data, int events,
                                      bool *struck)
{
  const double tol = cardan__contacts_still(data);
  const int(*tree)[2] = c->by_cones ? cardan__contacts_trees(c, data->model, c->gaps.feature,
                                                             c->impacts.index, c->impacts.nclosed)
                                    : NULL;
  cardan__impact m = {.n = c->impacts.nclosed,
                      .m = c->impacts.m,
                      .cone = c->by_cones ? c->impacts.closed_cone : NULL,
                      .tree = tree,
                      .G = c->impacts.G,
                      .e = c->impacts.e,
                      .u = c->impacts.u,
                      .r = c->impacts.r,
                      .tol = tol,
                      .iwork = c->impacts.iwork,
                      .chosen = c->impacts.chosen,
                      .work = c->impacts.work};
  bool plastic = false;
  *struck = false;
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  cardan__contacts_relative(c, data, c->impacts.index, c->impacts.nclosed, data->v, c->impacts.u);
  for (int i = 0; i < c->impacts.nclosed; i++) {
    const double u = c->impacts.u[c->impacts.first[i]];
    const bool crawls = events > c->impacts.max_hits && u < -tol && u > -c->impacts.crawl;
    if (c->impacts.e[i] > 0 &&
        (crawls || cardan__contacts_tired(c, &c->gaps.feature[c->impacts.index[i]], 1, events))) {
      plastic = plastic || u < -tol;
      c->impacts.e[i] = 0;
    }
    *struck = *struck || c->impacts.u[c->impacts.first[i]] < -tol;
    if (c->by_cones) {
      c->impacts.closed_cone[i] = cardan__feature_cone(
          data->model, &c->gaps.feature[c->impacts.index[i]], c->impacts.first[i], false);
    }
  }
  if (!*struck) {
    return CARDAN_OK;
  }
  const double speed = speed_of(c);
  if (!cardan__impact_solve(&m) && !is_enough(c, &m, speed)) {
    return fail_impact(c, data, m.error);
  }
  cardan__contacts_add(c, c->impacts.index, c->impacts.nclosed, c->impacts.r, data->v);
  still_coordinates(c, tol, data->v);
  for (int i = 0; i < c->impacts.nclosed; i++) {
    c->impacts.last_feature =
        c->impacts.r[c->impacts.first[i]] > 0 ? c->impacts.index[i] : c->impacts.last_feature;
  }
  count_hits(c);
  count_driven(c, data);
  count_impact(c, &m, plastic);
  return CARDAN_OK;
}
