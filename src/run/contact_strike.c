// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "dynamics/aba.h"
#include "dynamics/mobility.h"
#include "run/contacts.h"
#include "run/sim.h"

/* Closed features at one node, with u = J v + u_0, W = A J^T (dynamics/mobility.h) and G = J W:
 *   impact   v <- v + W r, by contact/impact.c                                             (S1) */

enum { MOST_EVENTS = 200 };          // in a step
static const double accepted = 1e-9; // of the speeds: error of an impact
static const double mobile = 1e-12;  // of the largest entry of G: what is less cannot move

double cardan__contacts_still(const cardan_data *data)
{
  double most = 0;
  for (int k = 0; k < data->model->nv; k++) {
    most = fmax(most, fabs(data->v[k]));
  }
  return fmax(1e-10, 1e-11 * most);
}

/* ---- responses ---- */

cardan_status cardan__contacts_too_many(const cardan__contacts *c, cardan_data *data)
{
  data->info = (cardan_info){.body = -1, .joint = -1, .row = -1, .whole = true};
  snprintf(data->info.message, sizeof data->info.message,
           "more than %d contacts, or %d rows of them, at one time", c->impacts.most,
           c->impacts.most_rows);
  return CARDAN_ERR_UNSUPPORTED;
}

/* Rows of a feature: one of a coordinate is what it is without poses. */
static int dim_of(const cardan__feature *f)
{
  return f->k >= 0 ? 1 : f->dim;
}

static void rows_of(const cardan_model *model, const cardan_data *data, const cardan__feature *f,
                    double *J)
{
  if (f->k >= 0) {
    cardan__feature_row(f, model->nv, J);
  } else {
    cardan__feature_rows(model, data, f, J);
  }
}

/* G, which is 0, of the rows of the i-th in list with those of all before it, and its own. */
static void take_products(cardan__contacts *c, const int *list, int i)
{
  const size_t nv = (size_t)c->nv, m = (size_t)c->impacts.m;
  const cardan__feature *f = &c->gaps.feature[list[i]];
  for (int l = 0; l <= i; l++) {
    const bool meet = c->model->nrow > 0 || cardan__contacts_meet(f, &c->gaps.feature[list[l]]);
    const size_t row = (size_t)c->impacts.first[i], end = (size_t)c->impacts.first[i + 1];
    const size_t column = (size_t)c->impacts.first[l], last = (size_t)c->impacts.first[l + 1];
    if (!meet) {
      continue;
    }
    cardan__contact_products(c, f, (int)(end - row), c->impacts.J + row * nv, (int)(last - column),
                             c->impacts.W + column * nv, c->impacts.G + row * m + column, m);
    for (size_t k = row; k < end; k++) {
      for (size_t j = column; j < last && j <= k; j++) {
        c->impacts.G[j * m + k] = c->impacts.G[k * m + j];
      }
    }
  }
}

/* W of n rows of f, without loops. */
static void respond_rows(cardan__contacts *c, cardan_data *data, const cardan__feature *f,
                         size_t row, int n)
{
  const size_t nv = (size_t)c->nv;
  double *W = c->impacts.W + row * nv;
  cardan__contact_part part[2];
  const int parts = cardan__contacts_parts(c, f, part);
  memcpy(W, c->impacts.J + row * nv, (size_t)n * nv * sizeof *W);
  for (int k = 0; k < parts; k++) {
    if (part[k].tip > 0 && n > 1) {
      cardan__columns_solve(c->model, cardan__factor_link, data, part[k].body, part[k].tip, n, W,
                            &c->impacts.columns);
      continue;
    }
    for (size_t l = 0; l < (size_t)n; l++) {
      cardan__factor_solve_part(c->model, data, part[k].body, part[k].tip, W + l * nv, W + l * nv);
    }
  }
}

/* W of the rows of the i-th. */
static void respond(cardan__contacts *c, const cardan_model *model, cardan_data *data,
                    const cardan__feature *f, int i)
{
  const size_t nv = (size_t)c->nv;
  const int end = c->impacts.first[i + 1];
  for (int row = c->impacts.first[i]; row < end && model->nrow > 0; row++) {
    cardan__mobility_of(model, data, c->impacts.J + (size_t)row * nv,
                        c->impacts.W + (size_t)row * nv);
  }
  for (int row = c->impacts.first[i]; row < end && model->nrow == 0; row += CARDAN__SIDES) {
    respond_rows(c, data, f, (size_t)row, end - row < CARDAN__SIDES ? end - row : CARDAN__SIDES);
  }
}

cardan_status cardan__contacts_responses(cardan__contacts *c, const cardan_model *model,
                                         cardan_data *data, const int *list, int count)
{
  const size_t nv = (size_t)c->nv;
  const cardan_status status = cardan__mobility_prepare(model, data);
  if (status != CARDAN_OK) {
    return status;
  }
  if (c->gaps.needs_poses && !(data->fresh & CARDAN_FRESH_POSES)) {
    cardan_poses(model, data); // joints are made, and what they are factored to
  }
  c->impacts.m = 0;
  for (int i = 0; i < count; i++) {
    const cardan__feature *f = &c->gaps.feature[list[i]];
    if (c->impacts.m + dim_of(f) > c->impacts.most_rows) {
      return cardan__contacts_too_many(c, data);
    }
    c->impacts.first[i] = c->impacts.m;
    rows_of(model, data, f, c->impacts.J + (size_t)c->impacts.m * nv);
    c->impacts.m += dim_of(f);
  }
  c->impacts.first[count] = c->impacts.m;
  memset(c->impacts.G, 0, (size_t)c->impacts.m * (size_t)c->impacts.m * sizeof *c->impacts.G);
  for (int i = 0; i < count; i++) {
    respond(c, model, data, &c->gaps.feature[list[i]], i);
    take_products(c, list, i);
  }
  return CARDAN_OK;
}

cardan_status cardan__contacts_gather(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data)
{
  c->impacts.nclosed = 0;
  for (int i = 0; i < c->gaps.n; i++) {
    if (cardan__contacts_closed(c, i)) {
      if (c->impacts.nclosed == c->impacts.most) {
        return cardan__contacts_too_many(c, data);
      }
      c->impacts.e[c->impacts.nclosed] = c->gaps.feature[i].restitution;
      c->impacts.index[c->impacts.nclosed++] = i;
    }
  }
  return cardan__contacts_responses(c, model, data, c->impacts.index, c->impacts.nclosed);
}

void cardan__contacts_add(cardan__contacts *c, const int *list, int count, const double *r,
                          double *x)
{
  const cardan__contact_part whole = {{1, c->nbody}, {0, c->nv}, 0};
  for (int i = 0; i < count; i++) {
    const cardan__feature *f = &c->gaps.feature[list[i]];
    cardan__contact_part part[2] = {whole};
    const int parts = c->model->nrow > 0 ? 1 : cardan__contacts_parts(c, f, part);
    for (int row = c->impacts.first[i]; row < c->impacts.first[i + 1]; row++) {
      const double *W = c->impacts.W + (size_t)row * (size_t)c->nv;
      for (int l = 0; l < parts && r[row] != 0; l++) {
        for (int k = part[l].v[0]; k < part[l].v[1]; k++) {
          x[k] += r[row] * W[k];
        }
      }
      cardan__contact_axpy(f, r[row], c->impacts.J + (size_t)row * (size_t)c->nv, c->impacts.dp);
    }
  }
}

void cardan__contacts_relative(const cardan__contacts *c, const cardan_data *data, const int *list,
                               int count, const double *v, double *u)
{
  for (int i = 0; i < count; i++) {
    const cardan__feature *f = &c->gaps.feature[list[i]];
    double *own = u + c->impacts.first[i];
    if (f->k >= 0) {
      own[0] = cardan__feature_rate(f, v);
      continue;
    }
    cardan__feature_drift(data->model, data, f, own);
    for (int row = c->impacts.first[i]; row < c->impacts.first[i + 1]; row++) {
      u[row] += cardan__contact_dot(f, c->impacts.J + (size_t)row * (size_t)c->nv, v);
    }
  }
}

/* ---- velocities ---- */

void cardan__contacts_pose(const cardan_model *model, cardan_data *data)
{
  if (!(data->fresh & CARDAN_FRESH_POSES)) {
    cardan_joints(model, data);
    cardan_poses(model, data);
  }
}

void cardan__contacts_place(const cardan__contacts *c, cardan_data *data)
{
  if (c->gaps.needs_poses) {
    cardan_joints(data->model, data);
    cardan_poses(data->model, data);
  }
}

void cardan__contacts_rates(cardan__contacts *c, const cardan_model *model, cardan_data *data)
{
  if (c->gaps.needs_poses) {
    cardan__contacts_pose(model, data);
    cardan_velocities(model, data);
    cardan__features_rates(model, data, c->gaps.n, c->gaps.feature, c->gaps.rate);
    return;
  }
  for (int i = 0; i < c->gaps.n; i++) {
    c->gaps.rate[i] = cardan__feature_rate(&c->gaps.feature[i], data->v);
  }
}

cardan_status cardan__contacts_velocities(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  if (!c->trial.stale) {
    return CARDAN_OK;
  }
  const cardan__method *method = sim->stepper->method;
  const cardan_status status =
      method->node != NULL ? method->node(sim->stepper, sim->data) : CARDAN_OK;
  if (status == CARDAN_OK) {
    c->trial.stale = false;
    cardan__contacts_rates(c, sim->model, sim->data);
  }
  return status;
}

/* ---- impacts ---- */

/* Spots of a pair count together. */
static cardan__hits *hits_of(const cardan__contacts *c, const cardan__feature *f)
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
  const cardan__hits *h = hits_of(c, f);
  return events >= CARDAN__PLASTIC || (h != NULL && h->count + more >= c->impacts.max_hits);
}

static cardan__hits *take_hits(cardan__contacts *c, const cardan__feature *f)
{
  cardan__hits *h = hits_of(c, f);
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
  const cardan__hits *h = hits_of(c, &f);
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
  cardan__hits *h = take_hits(c, &f);
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
    cardan__hits *h = c->impacts.r[c->impacts.first[i]] > 0 && first ? take_hits(c, f) : NULL;
    if (h != NULL) {
      h->count++;
    }
  }
}

/* After an impact that did not help: of the closed ones that which is approached most. Nothing
 * moves it, or its impulses were found only to `left`. */
static cardan_status unstoppable(const cardan__contacts *c, cardan_data *data, double left)
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

/* Was an impact that was not solved as it should be solved well enough? */
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

/* u_0 of the normals of what is closed takes part in u, but not in v: of the work J^T r . v over an
 * impact, r (u^- + u^+) / 2 - r u_0, the second is that of who moves the bound. */
static void count_driven(cardan__contacts *c, const cardan_data *data)
{
  for (int i = 0; i < c->impacts.nclosed; i++) {
    double u0[CARDAN__FEATURE_ROWS] = {0};
    cardan__feature_drift(data->model, data, &c->gaps.feature[c->impacts.index[i]], u0);
    c->ledger.driven -= c->impacts.r[c->impacts.first[i]] * u0[0];
  }
}

/* (S1), where something approaches; c->impacts.dp is all that the node's momentum gets. */
static cardan_status impact(cardan__contacts *c, cardan_data *data, int events, bool *struck)
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
    return unstoppable(c, data, m.error);
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

/* T + lost at data's velocities, which an impact leaves as it is but for the work of prescribed
 * motion and of constraints that move; 0 where there are none, or the method counts it itself. */
static double conserved(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  if (sim->stepper->tests || model->nprescribed + model->nrow == 0) {
    return 0;
  }
  sim->data->fresh = 0;
  cardan_kinematics(model, sim->data);
  return cardan_kinetic(model, sim->data) + sim->contacts->ledger.stats.lost;
}

void cardan__contacts_note_slack(cardan__contacts *c, const int *list, int count)
{
  const size_t m = (size_t)c->impacts.m;
  double largest = 0;
  for (size_t row = 0; row < m; row++) {
    largest = fmax(largest, c->impacts.G[row * m + row]);
  }
  for (int i = 0; i < count; i++) {
    cardan__contact_record *record = cardan__contacts_record_or_new(c, &c->gaps.feature[list[i]]);
    const cardan__feature *f = &c->gaps.feature[list[i]];
    size_t row = (size_t)c->impacts.first[i];
    record->give = c->impacts.G[row * m + row];
    record->stuck = record->give <= mobile * largest;
    row++;
    for (int g = 0; g < f->ngroup; g++) {
      double *slack = &record->slack[f->group[g]];
      *slack = 0;
      for (int k = 0; k < f->size[g]; k++, row++) {
        *slack += c->impacts.G[row * m + row];
      }
    }
  }
}

/* More events than there may be in a step: the message names what was struck most often. */
static cardan_status crowd(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  char what[100];
  int worst = c->impacts.last_feature, count = 0;
  for (int i = 0; i < c->gaps.n; i++) {
    const cardan__hits *h = hits_of(c, &c->gaps.feature[i]);
    if (h != NULL && h->count > count) {
      worst = i;
      count = h->count;
    }
  }
  snprintf(what, sizeof what, "is struck %d times of more than %d events in a step; %s", count,
           MOST_EVENTS, "try restitution 0");
  c->impacts.too_many_events = true;
  return cardan__contact_fail(sim, worst, what);
}

cardan_status cardan__contact_strike(cardan_sim *sim, int events)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const cardan__method *method = sim->stepper->method;
  bool struck = false;
  cardan_status status = cardan__contacts_velocities(sim);
  const double before = conserved(sim);
  data->fresh = 0;
  status = status == CARDAN_OK ? cardan__contacts_gather(c, sim->model, data) : status;
  status = status == CARDAN_OK ? impact(c, data, events, &struck) : status;
  if (status == CARDAN_OK && c->by_cones) {
    cardan__contacts_note_slack(c, c->impacts.index, c->impacts.nclosed);
  } else if (status == CARDAN_OK) {
    status = cardan__contacts_close(sim, events);
  }
  if (status == CARDAN_OK && (struck || !c->by_cones)) {
    c->ledger.driven += conserved(sim) - before;
    status = method->push(sim->stepper, data, c->impacts.dp);
    c->trial.stale = c->by_cones; // velocities are then those of the momentum, to the last bit
  }
  data->fresh = 0;
  status = status == CARDAN_OK ? cardan__contacts_velocities(sim) : status;
  return status == CARDAN_OK && events > MOST_EVENTS ? crowd(sim) : status;
}
