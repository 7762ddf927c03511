// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "contact/contacts.h"
#include "linalg/linalg.h"
#include "linalg/small.h"

/* What rows hold (methods of continuous time), with W = A J^T and G = J W of contact_strike.c:
 *   projection u = 0 of what is held                                                         (S3)
 *   forces     a <- a + W f with J a = 0: they act as joint forces of the caller's do, so that
 *              loops, reactions and friction know of them                                   (S4) */

enum { MANY = 32 };                 // events in a step, from which on less and less of them counts
enum { FORCE_ROUNDS = 8 };          // of (S4), where friction answers
static const double leaving = 1e-9; // [m/s, rad/s]: faster is flying
static const double dependent = 1e-10; // of its own entry of G: what a row adds to others
static const double settled = 1e-12;   // of the acceleration that a force took away

/* ---- after an impact ---- */

/* Of those that are HELD, rows that depend on the others become SPARE. */
static void choose(cardan__contacts *c)
{
  const size_t n = (size_t)c->impacts.nclosed;
  size_t m = 0;
  double *A = c->impacts.work, *diagonal = c->impacts.u;
  for (size_t i = 0; i < n; i++) {
    if (c->gaps.closure[c->impacts.index[i]] == CARDAN__HELD) {
      c->impacts.iwork[m++] = (int)i;
    }
  }
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < m; j++) {
      A[i * m + j] = c->impacts.G[(size_t)c->impacts.iwork[i] * n + (size_t)c->impacts.iwork[j]];
    }
    diagonal[i] = fmax(A[i * m + i], 1e-300);
  }
  const int rank = cardan__cholesky_rank((int)m, A, diagonal, dependent, c->impacts.order);
  for (size_t i = (size_t)rank; i < m; i++) {
    c->gaps.closure[c->impacts.index[c->impacts.iwork[c->impacts.order[i]]]] = CARDAN__SPARE;
  }
}

/* What leaves slower than this is held. Where a step has had many events, rows that strike one
 * another through the mechanism may go on for ever, each time by less: more and more of them count
 * as slow. */
static double slow(int events)
{
  return events < MANY ? leaving : leaving * ldexp(1, events - MANY);
}

/* Velocities of what is HELD are none; what that takes is lost with the impacts. */
static cardan_status stop_held(cardan__contacts *c, cardan_data *data)
{
  cardan__contacts_hold(c);
  for (int i = 0; i < c->cones.n; i++) {
    c->impacts.u[i] = cardan__feature_rate(&c->gaps.feature[c->cones.index[i]], data->v);
  }
  const cardan_status status = cardan__contacts_project(c, data->model, data, data->v);
  for (int i = 0; i < c->cones.n && status == CARDAN_OK; i++) {
    c->ledger.stats.lost -= 0.5 * c->impacts.r[i] * c->impacts.u[i];
  }
  return status;
}

cardan_status cardan__contacts_close(cardan__contacts *c, cardan_data *data, int events)
{
  for (int i = 0; i < c->impacts.nclosed; i++) {
    const cardan__feature *f = &c->gaps.feature[c->impacts.index[i]];
    const bool leaves = !f->pinned && cardan__feature_rate(f, data->v) > slow(events);
    c->gaps.closure[c->impacts.index[i]] = leaves ? CARDAN__FLYING : CARDAN__HELD;
  }
  choose(c);
  c->trial.stale = false;
  return events > MANY ? stop_held(c, data) : CARDAN_OK;
}

/* ---- what is held ---- */

void cardan__contacts_hold_one(cardan__contacts *c, int i)
{
  c->cones.index[c->cones.n++] = i;
  c->gaps.active[i] = true;
}

void cardan__contacts_let_go(cardan__contacts *c, int feature)
{
  int n = 0;
  for (int j = 0; j < c->cones.n; j++) {
    if (c->cones.index[j] != feature) {
      c->cones.index[n++] = c->cones.index[j];
    }
  }
  c->cones.n = n;
  c->gaps.active[feature] = false;
}

void cardan__contacts_hold(cardan__contacts *c)
{
  c->cones.n = 0;
  for (int i = 0; i < c->gaps.n; i++) {
    c->gaps.active[i] = false;
    c->cones.here[i] = 0;
    if (c->gaps.closure[i] == CARDAN__HELD && c->cones.n < c->impacts.most) {
      cardan__contacts_hold_one(c, i);
    }
  }
}

/* r of G r = -J x for the rows that are held, G factored in c->impacts.work; 0 for those that
 * depend on others. */
static void counter(cardan__contacts *c, const double *x)
{
  double *b = c->impacts.work + (size_t)c->cones.n * (size_t)c->cones.n;
  for (int i = 0; i < c->cones.n; i++) {
    b[i] = -cardan__feature_rate(&c->gaps.feature[c->cones.index[i]], x);
  }
  cardan__cholesky_rank_solve(c->cones.n, c->impacts.rank, c->impacts.work, c->impacts.order, b,
                              c->impacts.r);
}

static cardan_status factor_held(cardan__contacts *c, const cardan_model *model, cardan_data *data)
{
  const size_t n = (size_t)c->cones.n;
  const cardan_status status =
      cardan__contacts_responses(c, model, data, c->cones.index, c->cones.n);
  if (status != CARDAN_OK) {
    return status;
  }
  double *diagonal = c->impacts.work + n * n;
  memcpy(c->impacts.work, c->impacts.G, n * n * sizeof *c->impacts.work);
  for (size_t i = 0; i < n; i++) {
    diagonal[i] = c->impacts.G[i * n + i];
    if (!(diagonal[i] > 0)) {
      return CARDAN_ERR_SINGULAR;
    }
  }
  c->impacts.rank =
      cardan__cholesky_rank(c->cones.n, c->impacts.work, diagonal, dependent, c->impacts.order);
  return CARDAN_OK;
}

cardan_status cardan__contacts_project(cardan__contacts *c, const cardan_model *model,
                                       cardan_data *data, double *v)
{
  const cardan_status status = factor_held(c, model, data);
  if (status == CARDAN_OK) {
    counter(c, v);
    cardan__contacts_add(c, c->cones.index, c->cones.n, c->impacts.r, v); // (S3)
    for (int i = 0; i < c->cones.n; i++) {
      v[c->gaps.feature[c->cones.index[i]].k] = 0;
    }
  }
  return status;
}

cardan_status cardan__contacts_return(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data)
{
  double *x = c->impacts.tau;
  memset(x, 0, (size_t)c->nv * sizeof *x);
  for (int i = 0; i < c->cones.n; i++) {
    const cardan__feature *f = &c->gaps.feature[c->cones.index[i]];
    x[f->k] = f->sign * (cardan__feature_gap(f, data->q) - c->cones.target[i]);
  }
  data->fresh = 0;
  cardan_status status = cardan__contacts_project(c, model, data, x);
  if (status != CARDAN_OK) {
    return status;
  }
  for (int i = 0; i < c->cones.n; i++) { // less what it was before
    const cardan__feature *f = &c->gaps.feature[c->cones.index[i]];
    x[f->k] = f->sign * (c->cones.target[i] - cardan__feature_gap(f, data->q));
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
  for (int i = 0; i < c->cones.n; i++) {
    most = fmax(most, fabs(cardan__feature_rate(&c->gaps.feature[c->cones.index[i]], a)));
  }
  return most;
}

/* What is left of them goes by W, with friction as it is: whatever the rounds have left, what is
 * held stays, and loops stay closed. Sticking friction beside a stop shares its load as it likes,
 * and its rounds end late. */
static void finish(cardan__contacts *c, double *a, double *force)
{
  counter(c, a);
  for (int i = 0; i < c->cones.n; i++) {
    const double *W = c->impacts.W + (size_t)i * (size_t)c->nv;
    for (int k = 0; k < c->nv; k++) {
      a[k] += c->impacts.r[i] * W[k];
    }
    if (force != NULL) {
      force[i] += c->impacts.r[i];
    }
  }
  for (int i = 0; i < c->cones.n; i++) {
    a[c->gaps.feature[c->cones.index[i]].k] = 0; // what it is but for rounding
  }
}

cardan_status cardan__contacts_forward(cardan__contacts *c, cardan_data *data, double kq, double kv,
                                       double *force)
{
  const cardan_model *model = data->model;
  const size_t size = (size_t)c->nv * sizeof *c->impacts.tau;
  cardan_status status = cardan_forward(model, data, kq, kv);
  status = status == CARDAN_OK && c->cones.n > 0 ? factor_held(c, model, data) : status;
  const double most = still_moving(c, data->a);
  memcpy(c->impacts.tau, data->tau_in, size);
  for (int i = 0; i < c->cones.n && force != NULL; i++) {
    force[i] = 0;
  }
  for (int round = 0; round < FORCE_ROUNDS && status == CARDAN_OK &&
                      still_moving(c, data->a) > (round > 0 ? settled * most : 0);
       round++) {
    counter(c, data->a);
    for (int i = 0; i < c->cones.n; i++) {
      cardan__feature_push(&c->gaps.feature[c->cones.index[i]], c->impacts.r[i],
                           data->tau_in); // (S4)
      if (force != NULL) {
        force[i] += c->impacts.r[i];
      }
    }
    status = cardan_forward(model, data, kq, kv);
  }
  memcpy(data->tau_in, c->impacts.tau, size);
  if (status == CARDAN_OK && c->cones.n > 0) {
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
    status = cardan__contacts_forward(c, data, kq, kv, c->cones.impulse);
    pulls = -1;
    for (int j = 0; j < c->cones.n; j++) {
      const bool push = c->cones.impulse[j] >= 0 || c->gaps.feature[c->cones.index[j]].pinned;
      pulls = !push && (pulls < 0 || c->cones.impulse[j] < c->cones.impulse[pulls]) ? j : pulls;
    }
    if (pulls >= 0) {
      cardan__contacts_let_go(c, c->cones.index[pulls]);
    }
  }
  return status;
}
