// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "dynamics/mobility.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "steppers/contact.h"
#include "steppers/sim.h"

/* Closed features at one node, with u = J v, W = A J^T (dynamics/mobility.h) and G = J W:
 *   impact     v <- v + W r, by contact/impact.c                                             (S1)
 *   settling   u >= 0 by the least r >= 0: velocities of a node that rows hold               (S2)
 *   projection u = 0 of what is held                                                         (S3)
 *   forces     a <- a + W f with J a = 0: they act as joint forces of the caller's do, so that
 *              loops, reactions and friction know of them                                   (S4) */

enum { MANY = 32 };                 // events in a step, from which on less and less of them counts
enum { FORCE_ROUNDS = 8 };          // of (S4), where friction answers
static const double leaving = 1e-9; // [m/s, rad/s]: faster is flying
static const double dependent = 1e-10; // of its own entry of G: what a row adds to others
static const double settled = 1e-12;   // of the acceleration that a force took away

/* W and G of the features in list. */
static cardan_status responses(cardan__contacts *c, const cardan_model *model, cardan_data *data,
                               const int *list, int count)
{
  const size_t nv = (size_t)c->nv, n = (size_t)count;
  const cardan_status status = cardan__mobility_prepare(model, data);
  for (size_t i = 0; i < n && status == CARDAN_OK; i++) {
    cardan__feature_row(&c->feature[list[i]], c->nv, c->row);
    cardan__mobility_of(model, data, c->row, c->W + i * nv);
  }
  for (size_t i = 0; i < n && status == CARDAN_OK; i++) {
    for (size_t j = 0; j <= i; j++) {
      const double g = cardan__feature_rate(&c->feature[list[j]], c->W + i * nv);
      c->G[i * n + j] = c->G[j * n + i] = g;
    }
  }
  return status;
}

static cardan_status too_many(cardan__contacts *c, cardan_data *data)
{
  snprintf(data->info.message, sizeof data->info.message, "more than %d limits are met at one time",
           c->most);
  return CARDAN_ERR_UNSUPPORTED;
}

cardan_status cardan__contacts_gather(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data)
{
  c->nclosed = 0;
  for (int i = 0; i < c->n; i++) {
    if (c->gap[i] <= CARDAN__CLOSED && c->nclosed == c->most) {
      return too_many(c, data);
    }
    if (c->gap[i] <= CARDAN__CLOSED) {
      c->e[c->nclosed] = c->feature[i].restitution;
      c->index[c->nclosed++] = i;
    }
  }
  return responses(c, model, data, c->index, c->nclosed);
}

/* x += W r, and c->dp += J^T r, over count features in list. */
static void add(cardan__contacts *c, const int *list, int count, const double *r, double *x)
{
  for (int i = 0; i < count; i++) {
    const double *W = c->W + (size_t)i * (size_t)c->nv;
    for (int k = 0; k < c->nv && r[i] != 0; k++) {
      x[k] += r[i] * W[k];
    }
    cardan__feature_push(&c->feature[list[i]], r[i], c->dp);
  }
}

static double largest(int n, const double *x)
{
  double most = 0;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(x[k]));
  }
  return most;
}

/* ---- impacts ---- */

/* Of the closed ones, the limit that is approached most, after an impact that did not help. */
static cardan_status unstoppable(const cardan__contacts *c, cardan_data *data)
{
  int most = 0;
  for (int i = 1; i < c->nclosed; i++) {
    most = c->u[i] < c->u[most] ? i : most;
  }
  const cardan__feature *f = &c->feature[c->index[most]];
  data->info = (cardan_info){.body = -1, .joint = f->joint, .row = -1, .whole = true};
  snprintf(data->info.message, sizeof data->info.message,
           "the limit %.6g of joint \"%.60s\" is met, and nothing can stop it there: constraints, "
           "or limits on both sides, leave it no other way",
           f->bound, data->model->joint[f->joint].name);
  return CARDAN_ERR_SINGULAR;
}

/* (S1), where something approaches; c->dp is all that the node's momentum gets. */
static cardan_status impact(cardan__contacts *c, cardan_data *data, bool plastic)
{
  const double tol = fmax(1e-10, 1e-11 * largest(c->nv, data->v));
  cardan__impact m = {.n = c->nclosed,
                      .m = c->nclosed,
                      .G = c->G,
                      .e = c->e,
                      .u = c->u,
                      .r = c->r,
                      .tol = tol,
                      .work = c->work,
                      .iwork = c->set};
  bool struck = false;
  memset(c->dp, 0, (size_t)c->nv * sizeof *c->dp);
  for (int i = 0; i < c->nclosed; i++) {
    c->u[i] = cardan__feature_rate(&c->feature[c->index[i]], data->v);
    c->e[i] = plastic ? 0 : c->e[i];
    struck = struck || c->u[i] < -tol;
  }
  if (!struck) {
    return CARDAN_OK;
  }
  if (!cardan__impact_solve(&m)) {
    return unstoppable(c, data);
  }
  add(c, c->index, c->nclosed, c->r, data->v);
  for (int i = 0; i < c->nclosed; i++) {
    if (c->r[i] > 0 && fabs(c->u[i]) <= tol) {
      data->v[c->feature[c->index[i]].k] = 0; // what it is but for rounding
    }
  }
  for (int i = 0; i < c->nclosed; i++) {
    c->met = c->r[i] > 0 ? c->index[i] : c->met;
  }
  c->stats.impacts++;
  c->stats.plastic += plastic;
  c->stats.lost -= m.gain;
  return CARDAN_OK;
}

/* Of those that are HELD, rows that depend on the others become SPARE. */
static void choose(cardan__contacts *c)
{
  const size_t n = (size_t)c->nclosed;
  size_t m = 0;
  double *A = c->work, *diagonal = c->u;
  for (size_t i = 0; i < n; i++) {
    if (c->closure[c->index[i]] == CARDAN__HELD) {
      c->set[m++] = (int)i;
    }
  }
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < m; j++) {
      A[i * m + j] = c->G[(size_t)c->set[i] * n + (size_t)c->set[j]];
    }
    diagonal[i] = fmax(A[i * m + i], 1e-300);
  }
  const int rank = cardan__cholesky_rank((int)m, A, diagonal, dependent, c->order);
  for (size_t i = (size_t)rank; i < m; i++) {
    c->closure[c->index[c->set[c->order[i]]]] = CARDAN__SPARE;
  }
}

/* What leaves slower than this is held. Where a step has had many events, rows that strike one
 * another through the mechanism may go on for ever, each time by less: more and more of them count
 * as slow. A method that tests its steps holds all that is closed, and lets go of what pulls. */
static double slow(const cardan_sim *sim, int events)
{
  if (sim->stepper->tests && events >= CARDAN__PLASTIC) {
    return HUGE_VAL;
  }
  return events < MANY ? leaving : leaving * ldexp(1, events - MANY);
}

/* Velocities of what is HELD are none; what that takes is lost with the impacts. */
static cardan_status stop_held(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  cardan__contacts_hold(c);
  for (int i = 0; i < c->nheld; i++) {
    c->u[i] = cardan__feature_rate(&c->feature[c->held[i]], data->v);
  }
  const cardan_status status = cardan__contacts_project(c, sim->model, data, data->v);
  for (int i = 0; i < c->nheld && status == CARDAN_OK; i++) {
    c->stats.lost -= 0.5 * c->r[i] * c->u[i];
  }
  return status;
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
  return cardan_kinetic(model, sim->data) + sim->contacts->stats.lost;
}

cardan_status cardan__contact_strike(cardan_sim *sim, int events)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const cardan__method *method = sim->stepper->method;
  cardan_status status = CARDAN_OK;
  if (c->stale && method->node != NULL) {
    status = method->node(sim->stepper, data);
  }
  const double before = conserved(sim);
  data->fresh = 0;
  status = status == CARDAN_OK ? cardan__contacts_gather(c, sim->model, data) : status;
  status = status == CARDAN_OK ? impact(c, data, events >= CARDAN__PLASTIC) : status;
  for (int i = 0; i < c->nclosed && status == CARDAN_OK; i++) {
    const cardan__feature *f = &c->feature[c->index[i]];
    const bool leaves = !f->pinned && cardan__feature_rate(f, data->v) > slow(sim, events);
    c->closure[c->index[i]] = leaves ? CARDAN__FLYING : CARDAN__HELD;
  }
  if (status == CARDAN_OK) {
    choose(c);
    c->stale = false;
    status = events > MANY && !sim->stepper->tests ? stop_held(sim) : CARDAN_OK;
  }
  if (status == CARDAN_OK) {
    c->driven += conserved(sim) - before;
    status = method->push(sim->stepper, data, c->dp);
  }
  data->fresh = 0;
  return status;
}

/* ---- what is closed ---- */

bool cardan__contacts_closed(const cardan__contacts *c)
{
  bool any = false;
  for (int i = 0; i < c->n; i++) {
    any = any || c->closure[i] >= CARDAN__HELD;
  }
  return any;
}

cardan_status cardan__contacts_settle(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data, double *v)
{
  bool approaches = false;
  int n = 0;
  for (int i = 0; i < c->n; i++) {
    if (c->closure[i] >= CARDAN__HELD && n < c->most) {
      c->u[n] = cardan__feature_rate(&c->feature[i], v);
      approaches = approaches || c->u[n] < 0;
      c->index[n++] = i;
    }
  }
  c->nclosed = n;
  memset(c->nodal, 0, (size_t)c->nv * sizeof *c->nodal);
  if (!approaches) {
    return CARDAN_OK;
  }
  const cardan_status status = responses(c, model, data, c->index, n);
  if (status != CARDAN_OK) {
    return status;
  }
  // what nothing can move is held already
  (void)cardan__complementarity(n, c->G, c->u, 0, c->r, c->e, c->set, c->work);
  memset(c->dp, 0, (size_t)c->nv * sizeof *c->dp);
  add(c, c->index, n, c->r, v); // (S2)
  memcpy(c->nodal, c->dp, (size_t)c->nv * sizeof *c->dp);
  for (int i = 0; i < n; i++) {
    if (c->r[i] > 0) {
      v[c->feature[c->index[i]].k] = 0;
    }
  }
  return CARDAN_OK;
}

/* r of G r = -J x for the rows that are held, G factored in c->work; 0 for those that depend on
 * others. */
static void counter(cardan__contacts *c, const double *x)
{
  double *b = c->work + (size_t)c->nheld * (size_t)c->nheld;
  for (int i = 0; i < c->nheld; i++) {
    b[i] = -cardan__feature_rate(&c->feature[c->held[i]], x);
  }
  cardan__cholesky_rank_solve(c->nheld, c->rank, c->work, c->order, b, c->r);
}

static cardan_status factor_held(cardan__contacts *c, const cardan_model *model, cardan_data *data)
{
  const size_t n = (size_t)c->nheld;
  const cardan_status status = responses(c, model, data, c->held, c->nheld);
  if (status != CARDAN_OK) {
    return status;
  }
  double *diagonal = c->work + n * n;
  memcpy(c->work, c->G, n * n * sizeof *c->work);
  for (size_t i = 0; i < n; i++) {
    diagonal[i] = c->G[i * n + i];
    if (!(diagonal[i] > 0)) {
      return CARDAN_ERR_SINGULAR;
    }
  }
  c->rank = cardan__cholesky_rank(c->nheld, c->work, diagonal, dependent, c->order);
  return CARDAN_OK;
}

cardan_status cardan__contacts_project(cardan__contacts *c, const cardan_model *model,
                                       cardan_data *data, double *v)
{
  const cardan_status status = factor_held(c, model, data);
  if (status == CARDAN_OK) {
    counter(c, v);
    add(c, c->held, c->nheld, c->r, v); // (S3)
    for (int i = 0; i < c->nheld; i++) {
      v[c->feature[c->held[i]].k] = 0;
    }
  }
  return status;
}

cardan_status cardan__contacts_return(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data)
{
  double *x = c->tau;
  memset(x, 0, (size_t)c->nv * sizeof *x);
  for (int i = 0; i < c->nheld; i++) {
    const cardan__feature *f = &c->feature[c->held[i]];
    x[f->k] = f->sign * (cardan__feature_gap(f, data->q) - c->target[i]);
  }
  data->fresh = 0;
  cardan_status status = cardan__contacts_project(c, model, data, x);
  if (status != CARDAN_OK) {
    return status;
  }
  for (int i = 0; i < c->nheld; i++) { // less what it was before
    const cardan__feature *f = &c->feature[c->held[i]];
    x[f->k] = f->sign * (c->target[i] - cardan__feature_gap(f, data->q));
  }
  cardan_q_move(model, data->q, x, 1, data->q);
  data->fresh = 0;
  memcpy(x, data->v, (size_t)c->nv * sizeof *x);
  status = cardan__contacts_project(c, model, data, data->v);
  for (int k = 0; k < c->nv; k++) { // at rest: not the rounding of a rounding, without end
    data->v[k] = fabs(data->v[k]) > 8 * DBL_EPSILON * fabs(x[k]) ? data->v[k] : 0;
  }
  return status;
}

/* Accelerations of what is held, largest of them. */
static double still_moving(const cardan__contacts *c, const double *a)
{
  double most = 0;
  for (int i = 0; i < c->nheld; i++) {
    most = fmax(most, fabs(cardan__feature_rate(&c->feature[c->held[i]], a)));
  }
  return most;
}

/* What is left of them goes by W, with friction as it is: whatever the rounds have left, what is
 * held stays, and loops stay closed. Sticking friction beside a stop shares its load as it likes,
 * and its rounds end late. */
static void finish(cardan__contacts *c, double *a, double *force)
{
  counter(c, a);
  for (int i = 0; i < c->nheld; i++) {
    const double *W = c->W + (size_t)i * (size_t)c->nv;
    for (int k = 0; k < c->nv; k++) {
      a[k] += c->r[i] * W[k];
    }
    if (force != NULL) {
      force[i] += c->r[i];
    }
  }
  for (int i = 0; i < c->nheld; i++) {
    a[c->feature[c->held[i]].k] = 0; // what it is but for rounding
  }
}

cardan_status cardan__contacts_forward(cardan__contacts *c, cardan_data *data, double kq, double kv,
                                       double *force)
{
  const cardan_model *model = data->model;
  const size_t size = (size_t)c->nv * sizeof *c->tau;
  cardan_status status = cardan_forward(model, data, kq, kv);
  status = status == CARDAN_OK && c->nheld > 0 ? factor_held(c, model, data) : status;
  const double most = still_moving(c, data->a);
  memcpy(c->tau, data->tau_in, size);
  for (int i = 0; i < c->nheld && force != NULL; i++) {
    force[i] = 0;
  }
  for (int round = 0; round < FORCE_ROUNDS && status == CARDAN_OK &&
                      still_moving(c, data->a) > (round > 0 ? settled * most : 0);
       round++) {
    counter(c, data->a);
    for (int i = 0; i < c->nheld; i++) {
      cardan__feature_push(&c->feature[c->held[i]], c->r[i], data->tau_in); // (S4)
      if (force != NULL) {
        force[i] += c->r[i];
      }
    }
    status = cardan_forward(model, data, kq, kv);
  }
  memcpy(data->tau_in, c->tau, size);
  if (status == CARDAN_OK && c->nheld > 0) {
    finish(c, data->a, force);
  }
  return status;
}

cardan_status cardan__contacts_rest(cardan__contacts *c, cardan_data *data, double kq, double kv)
{
  cardan_status status = CARDAN_OK;
  int pulls = 0;
  cardan__contacts_hold(c);
  while (pulls >= 0 && status == CARDAN_OK) {
    status = cardan__contacts_forward(c, data, kq, kv, c->impulse);
    pulls = -1;
    for (int j = 0; j < c->nheld; j++) {
      const bool push = c->impulse[j] >= 0 || c->feature[c->held[j]].pinned;
      pulls = !push && (pulls < 0 || c->impulse[j] < c->impulse[pulls]) ? j : pulls;
    }
    if (pulls >= 0) {
      cardan__contacts_let_go(c, c->held[pulls]);
    }
  }
  return status;
}
