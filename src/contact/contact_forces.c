// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "contact/contacts.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "spatial/spatial.h"

/* Contacts that constraint rows hold (methods of continuous time), with W = A J^T and the Delassus
 * matrix G = J W (contact_response.c):
 *   projection  v <- v + W r, G r = -J v: held features have u = 0                           (S3)
 *   forces      a <- a + W f with J a = 0; f is applied as joint forces, as the caller's are, so
 *               that loops, reactions and friction take it into account                     (S4) */

enum { MANY_EVENTS = 32 }; // events in a step; after these separation_speed doubles per event
enum { FORCE_ROUNDS = 8 }; // of (S4): friction depends on the reactions
static const double separation_speed = 1e-9; // [m/s, rad/s]: a faster feature separates
static const double min_pivot =
    1e-10; // relative to the diagonal of G: a row with a smaller pivot is redundant
static const double vanished = 1e-10; // of the largest force that holds
static const double FORCE_FLOOR = 0.01;
static const double residual_tol = 1e-12; // of the rounds, relative to the acceleration before them

/* ---- after an impact ---- */

/* Marks redundant rows SPARE: those among the HELD ones that depend linearly on the others. */
static void mark_redundant(cardan__contacts *c)
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
  const int rank = cardan__cholesky_rank((int)m, A, diagonal, min_pivot, c->impacts.order);
  for (size_t i = (size_t)rank; i < m; i++) {
    c->gaps.closure[c->impacts.index[c->impacts.iwork[c->impacts.order[i]]]] = CARDAN__SPARE;
  }
}

/* A feature that separates more slowly than this is held. Rows coupled through the mechanism may
 * strike one another in an endless sequence of ever weaker impacts (Zeno): after MANY_EVENTS events
 * in a step the speed doubles with each event. */
static double compute_separation_speed(int events)
{
  return events < MANY_EVENTS ? separation_speed
                              : separation_speed * ldexp(1, events - MANY_EVENTS);
}

/* Sets the velocities of HELD features to 0; impacts count the energy that this takes as lost. */
static cardan_status stop_held(cardan__contacts *c, cardan_data *data)
{
  cardan__contacts_hold(c);
  for (int i = 0; i < c->held.n; i++) {
    c->impacts.u[i] = cardan__feature_rate(&c->gaps.feature[c->cones.index[i]], data->v);
  }
  const cardan_status status = cardan__contacts_project(c, data->model, data, data->v);
  for (int i = 0; i < c->held.n && status == CARDAN_OK; i++) {
    c->ledger.stats.lost -= 0.5 * c->impacts.r[i] * c->impacts.u[i];
  }
  return status;
}

cardan_status cardan__contacts_close(cardan__contacts *c, cardan_data *data, int events)
{
  for (int i = 0; i < c->impacts.nclosed; i++) {
    const cardan__feature *f = &c->gaps.feature[c->impacts.index[i]];
    const bool separates =
        !f->pinned && cardan__feature_rate(f, data->v) > compute_separation_speed(events);
    c->gaps.closure[c->impacts.index[i]] = separates ? CARDAN__FLYING : CARDAN__HELD;
  }
  mark_redundant(c);
  c->trial.stale = false;
  return events > MANY_EVENTS ? stop_held(c, data) : CARDAN_OK;
}

/* ---- held features ---- */

void cardan__contacts_hold_one(cardan__contacts *c, int feature)
{
  c->cones.index[c->held.n++] = feature;
  c->gaps.active[feature] = true;
}

void cardan__contacts_let_go(cardan__contacts *c, int feature)
{
  int n = 0;
  for (int j = 0; j < c->held.n; j++) {
    if (c->cones.index[j] != feature) {
      c->cones.index[n++] = c->cones.index[j];
    }
  }
  c->held.n = n;
  c->gaps.active[feature] = false;
}

void cardan__contacts_hold(cardan__contacts *c)
{
  c->held.n = 0;
  for (int i = 0; i < c->gaps.n; i++) {
    c->gaps.active[i] = false;
    c->cones.here[i] = 0;
    if (c->gaps.closure[i] == CARDAN__HELD && c->held.n < c->impacts.most) {
      cardan__contacts_hold_one(c, i);
    }
  }
}

/* Solves G r = -J x for the held rows, with the factors of G in c->impacts.work; redundant rows get
 * r = 0. writes c->impacts.r */
static void solve_held(cardan__contacts *c, const double *x)
{
  double *b = c->impacts.work + (size_t)c->held.n * (size_t)c->held.n;
  for (int i = 0; i < c->held.n; i++) {
    b[i] = -cardan__feature_rate(&c->gaps.feature[c->cones.index[i]], x);
  }
  cardan__cholesky_rank_solve(c->held.n, c->impacts.rank, c->impacts.work, c->impacts.order, b,
                              c->impacts.r);
}

/* Computes J, W, G of the held rows and factors G into c->impacts.work. */
static cardan_status factor_held(cardan__contacts *c, const cardan_model *model, cardan_data *data)
{
  const size_t n = (size_t)c->held.n;
  const cardan_status status =
      cardan__contacts_responses(c, model, data, c->cones.index, c->held.n);
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
      cardan__cholesky_rank(c->held.n, c->impacts.work, diagonal, min_pivot, c->impacts.order);
  return CARDAN_OK;
}

cardan_status cardan__contacts_project(cardan__contacts *c, const cardan_model *model,
                                       cardan_data *data, double *v)
{
  const cardan_status status = factor_held(c, model, data);
  if (status == CARDAN_OK) {
    solve_held(c, v);
    cardan__contacts_add(c, c->cones.index, c->held.n, c->impacts.r, v); // (S3)
    for (int i = 0; i < c->held.n; i++) {
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
  for (int i = 0; i < c->held.n; i++) {
    const cardan__feature *f = &c->gaps.feature[c->cones.index[i]];
    x[f->k] = f->sign * (cardan__feature_gap(f, data->q) - c->held.target[i]);
  }
  data->fresh = 0;
  cardan_status status = cardan__contacts_project(c, model, data, x);
  if (status != CARDAN_OK) {
    return status;
  }
  for (int i = 0; i < c->held.n; i++) { // the exact displacement of each gap
    const cardan__feature *f = &c->gaps.feature[c->cones.index[i]];
    x[f->k] = f->sign * (c->held.target[i] - cardan__feature_gap(f, data->q));
  }
  cardan_q_move(model, data->q, x, 1, data->q);
  data->fresh = 0;
  memcpy(x, data->v, (size_t)c->nv * sizeof *x);
  status = cardan__contacts_project(c, model, data, data->v);
  for (int k = 0; k < c->nv;
       k++) { // flush rounding errors to 0, so that a mechanism at rest stays so
    data->v[k] = fabs(data->v[k]) > 8 * DBL_EPSILON * fabs(x[k]) ? data->v[k] : 0;
  }
  return status;
}

/* Largest acceleration of a held feature [m/s^2, rad/s^2]. */
static double compute_max_acceleration(const cardan__contacts *c, const double *a)
{
  double largest = 0;
  for (int i = 0; i < c->held.n; i++) {
    largest = fmax(largest, fabs(cardan__feature_rate(&c->gaps.feature[c->cones.index[i]], a)));
  }
  return largest;
}

/* Removes by W, with friction unchanged, the accelerations that remain after the rounds, so that
 * held features stay held and loops stay closed. The rounds converge slowly where sticking friction
 * acts beside a stop: how the two share the load is not determined. */
static void cancel_residual(cardan__contacts *c, double *a, double *force)
{
  solve_held(c, a);
  for (int i = 0; i < c->held.n; i++) {
    const double *W = c->impacts.W + (size_t)i * (size_t)c->nv;
    for (int k = 0; k < c->nv; k++) {
      a[k] += c->impacts.r[i] * W[k];
    }
    if (force != NULL) {
      force[i] += c->impacts.r[i];
    }
  }
  for (int i = 0; i < c->held.n; i++) {
    a[c->gaps.feature[c->cones.index[i]].k] = 0; // exactly
  }
}

cardan_status cardan__contacts_forward(cardan__contacts *c, cardan_data *data, double kq, double kv,
                                       double *force)
{
  const cardan_model *model = data->model;
  const size_t size = (size_t)c->nv * sizeof *c->impacts.tau;
  cardan_status status = cardan_forward(model, data, kq, kv);
  status = status == CARDAN_OK && c->held.n > 0 ? factor_held(c, model, data) : status;
  const double initial = compute_max_acceleration(c, data->a);
  memcpy(c->impacts.tau, data->tau_in, size);
  for (int i = 0; i < c->held.n && force != NULL; i++) {
    force[i] = 0;
  }
  for (int round = 0;
       round < FORCE_ROUNDS && status == CARDAN_OK &&
       compute_max_acceleration(c, data->a) > (round > 0 ? residual_tol * initial : 0);
       round++) {
    solve_held(c, data->a);
    for (int i = 0; i < c->held.n; i++) {
      cardan__feature_push(&c->gaps.feature[c->cones.index[i]], c->impacts.r[i],
                           data->tau_in); // (S4)
      if (force != NULL) {
        force[i] += c->impacts.r[i];
      }
    }
    status = cardan_forward(model, data, kq, kv);
  }
  memcpy(data->tau_in, c->impacts.tau, size);
  if (status == CARDAN_OK && c->held.n > 0) {
    cancel_residual(c, data->a, force);
  }
  return status;
}

/* Forces that cancel in free fall, or where nothing presses a limit: weight and inertia of what the
 * joints carry, and applied joint forces. A force of FORCE_FLOOR of them is as small as forces are
 * compared with; `vanished` of it is rounding of the sum. */
static double compute_force_floor(const cardan__contacts *c, const cardan_data *data)
{
  const cardan_model *model = c->model;
  const double length = c->size > 0 ? c->size : 1, gravity = cardan__vec3_norm(model->gravity);
  double largest = 0;
  for (int j = 0; j < c->held.n; j++) {
    const int i = c->cones.index[j];
    const cardan_twist V = data->V[model->v_body[c->gaps.feature[i].k]];
    const double w = cardan__vec3_norm(V.w), v = cardan__vec3_norm(V.v);
    largest = fmax(largest, c->cones.carried[i] * (gravity + w * v + w * w * length));
  }
  for (int k = 0; k < model->nv; k++) {
    largest = fmax(largest, fabs(data->tau[k]));
  }
  return fmax(FORCE_FLOOR * largest, 1e-300);
}

cardan_status cardan__contacts_settle(cardan__contacts *c, cardan_data *data, double kq, double kv)
{
  cardan_status status = CARDAN_OK;
  int pulling = 0;
  cardan__contacts_hold(c);
  c->cones.force = 1e-300;
  while (pulling >= 0 && status == CARDAN_OK) {
    status = cardan__contacts_forward(c, data, kq, kv, c->held.impulse);
    pulling = -1;
    c->cones.force = c->held.n > 0 ? compute_force_floor(c, data) : c->cones.force;
    for (int j = 0; j < c->held.n; j++) {
      const bool pushes = c->held.impulse[j] >= -vanished * c->cones.force ||
                          c->gaps.feature[c->cones.index[j]].pinned;
      pulling =
          !pushes && (pulling < 0 || c->held.impulse[j] < c->held.impulse[pulling]) ? j : pulling;
    }
    if (pulling >= 0) {
      cardan__contacts_let_go(c, c->cones.index[pulling]);
    }
  }
  return status;
}
