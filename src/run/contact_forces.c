// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "run/contacts.h"
#include "run/sim.h"

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
  const size_t n = (size_t)c->nclosed;
  size_t m = 0;
  double *A = c->work, *diagonal = c->u;
  for (size_t i = 0; i < n; i++) {
    if (c->closure[c->index[i]] == CARDAN__HELD) {
      c->iwork[m++] = (int)i;
    }
  }
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < m; j++) {
      A[i * m + j] = c->G[(size_t)c->iwork[i] * n + (size_t)c->iwork[j]];
    }
    diagonal[i] = fmax(A[i * m + i], 1e-300);
  }
  const int rank = cardan__cholesky_rank((int)m, A, diagonal, dependent, c->order);
  for (size_t i = (size_t)rank; i < m; i++) {
    c->closure[c->index[c->iwork[c->order[i]]]] = CARDAN__SPARE;
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

cardan_status cardan__contacts_close(cardan_sim *sim, int events)
{
  cardan__contacts *c = sim->contacts;
  for (int i = 0; i < c->nclosed; i++) {
    const cardan__feature *f = &c->feature[c->index[i]];
    const bool leaves = !f->pinned && cardan__feature_rate(f, sim->data->v) > slow(events);
    c->closure[c->index[i]] = leaves ? CARDAN__FLYING : CARDAN__HELD;
  }
  choose(c);
  c->stale = false;
  return events > MANY ? stop_held(sim) : CARDAN_OK;
}

/* ---- what is held ---- */

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
  const cardan_status status = cardan__contacts_responses(c, model, data, c->held, c->nheld);
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
    cardan__contacts_add(c, c->held, c->nheld, c->r, v); // (S3)
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
