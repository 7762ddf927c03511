// SPDX-License-Identifier: Apache-2.0
#include "cardan/prescribed_motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/recording.h"
#include "base/arena.h"
#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "constraints/project.h"
#include "constraints/rows.h"
#include "dynamics/aux_rates.h"
#include "kinematics/closing_angle.h"
#include "kinematics/joint.h"
#include "linalg/linalg.h"
#include "model/data.h"

/* A motion that is known in as many coordinates as it takes. With u the others, as many as rows
 * that count:
 *   Phi(q_known(t), q_u, t) = 0        Newton from q + h v + h^2 a / 2                       (E1)
 *   J_u v_u = -Phi_t - J_k v_k,   J_u a_u = gamma - J_k a_k                                  (E2)
 * A branch is kept: a step is halved until the place that Newton finds is near to the one foretold
 * and det J_u has not changed its sign, which it does where branches meet and on some others.
 *
 * Rows of velocity level are among those of (E2), but not of (E1): positions of the coordinates
 * that they move are the integral of v_u,
 *   q_u' = v_u(q, t)     by the classical Runge-Kutta method, a step and its halves, extrapolated:
 *                        order 5; a step is halved until both agree to `drift`             (E3)
 * and go back to Phi = 0 by the least change. */

static const double longest = 0.3;   // of a step: an angle [rad], or a part of the size
static const double nearest = 0.05;  // of what Newton may change in it
static const double shortest = 1e-9; // step [s], of 1 and the time
static const double rank_tol = 1e-8; // what a row or column adds to the others if it counts
static const double drift = 1e-11;   // of (E3): a step and its halves, of 1 and of coordinates
static const double smallest = 1e-6; // pivot of J_u, of the largest: less is singular; rounding of
                                     // 1e-16 over it is far less than branches are apart there

struct cardan_prescribed_motion {
  const cardan_model *model;
  cardan_data *data;
  const cardan_recording *motion;
  int n;                     // unknown velocities, and rows for them
  int *dof, *row;            // n
  int nused, *used, *number; // recorded: v index, and which of the record
  int nheld, *held;
  int nspare, *spare;
  double *unit;  // nv: 1 of angles, the size of lengths
  double *dense; // nrow x nv
  double *A, *b; // n x n, n
  int *pivot;
  double sign, least; // of det J_u; smallest pivot over the largest
  double *q, *v, *a;  // where the last step ended
  double *foretold, *dq;
  double t;
  double h;                       // (E3): the last step; 0: there was none
  double *slope[4], *ends[2], *x; // (E3): nq; nv
  double *work;
  int *order;
  double *tau;
  int *actuated;
  void *block;
  cardan_allocator allocator;
};

static size_t larger(size_t a, size_t b)
{
  return a > b ? a : b;
}

static void layout(void *what, cardan__carver *c)
{
  cardan_prescribed_motion *s = what;
  const cardan_model *m = s->model;
  const size_t nv = (size_t)m->nv, nrow = (size_t)m->nrow;
  s->dof = CARDAN__CARVE(c, nv, int);
  s->row = CARDAN__CARVE(c, larger(nv, nrow), int);
  s->used = CARDAN__CARVE(c, nv, int);
  s->number = CARDAN__CARVE(c, nv, int);
  s->held = CARDAN__CARVE(c, nv, int);
  s->spare = CARDAN__CARVE(c, nv, int);
  s->unit = CARDAN__CARVE(c, nv, double);
  s->dense = CARDAN__CARVE(c, nrow * nv, double);
  s->A = CARDAN__CARVE(c, larger(nv, nrow) * nv, double);
  s->b = CARDAN__CARVE(c, nv, double);
  s->pivot = CARDAN__CARVE(c, nv, int);
  s->q = CARDAN__CARVE(c, m->nq, double);
  s->v = CARDAN__CARVE(c, nv, double);
  s->a = CARDAN__CARVE(c, nv, double);
  s->foretold = CARDAN__CARVE(c, m->nq, double);
  s->dq = CARDAN__CARVE(c, nv, double);
  const bool rolls = m->nvelocity_row > 0;
  for (int i = 0; i < 4; i++) {
    s->slope[i] = CARDAN__CARVE(c, rolls ? m->nq : 0, double);
  }
  for (int i = 0; i < 2; i++) {
    s->ends[i] = CARDAN__CARVE(c, rolls ? m->nq : 0, double);
  }
  s->x = CARDAN__CARVE(c, rolls ? larger(nv, nrow) : 0, double);
  size_t work =
      larger(cardan__independent_work(m->nrow, m->nv), cardan__independent_work(m->nv, m->nrow));
  work = rolls ? larger(work, cardan__min_norm_work(m->nrow, m->nv)) : work;
  s->work = CARDAN__CARVE(c, work, double);
  s->order = CARDAN__CARVE(c, larger(nv, nrow), int);
  s->tau = CARDAN__CARVE(c, nv, double);
  s->actuated = CARDAN__CARVE(c, nv, int);
}

/* ---- what is known ---- */

/* Rank of the rows over the unknown velocities, each row over its length; rows of A are these. */
static int rank_of(cardan_prescribed_motion *s)
{
  const cardan_model *m = s->model;
  for (int r = 0; r < m->nrow; r++) {
    for (int j = 0; j < s->n; j++) {
      s->A[(size_t)r * (size_t)s->n + (size_t)j] =
          s->dense[(size_t)r * (size_t)m->nv + (size_t)s->dof[j]] * s->unit[s->dof[j]] /
          m->row[r].length;
    }
  }
  return cardan__independent(m->nrow, s->n, s->A, rank_tol, s->order, NULL, s->work);
}

static void drop_unknown(cardan_prescribed_motion *s, int velocity)
{
  int n = 0;
  for (int j = 0; j < s->n; j++) {
    if (s->dof[j] != velocity) {
      s->dof[n++] = s->dof[j];
    }
  }
  s->n = n;
}

/* Recorded coordinates that do not follow from those before them are used. */
static void take_record(cardan_prescribed_motion *s, int rank)
{
  const cardan_model *m = s->model;
  for (int k = 0; s->motion != NULL && k < cardan__recording_coordinate_count(s->motion); k++) {
    const int velocity = m->body[m->q_body[cardan_recording_coordinate(s->motion, k)]].vadr;
    const int n = s->n;
    drop_unknown(s, velocity);
    if (rank_of(s) == rank) {
      s->number[s->nused] = k;
      s->used[s->nused++] = velocity;
    } else {
      s->spare[s->nspare++] = velocity;
      s->dof[s->n] = velocity; // back among the unknown
      s->n = n;
    }
  }
}

static cardan_status is_free(const cardan_prescribed_motion *s, int nfree, cardan_report *report)
{
  char names[256] = "";
  size_t used = 0;
  for (int k = 0; k < nfree && k < 6; k++) {
    const int written = snprintf(names + used, sizeof names - used, "%s\"%.30s\"",
                                 k > 0 ? ", " : "", s->model->v_name[s->held[k]]);
    used += written > 0 ? (size_t)written : 0;
    if (used >= sizeof names) {
      break;
    }
  }
  return cardan_fail(
      report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
      "%d coordinate%s nothing that moves or holds %s: %.200s%s; expected a (motion "
      "..) or a recorded motion for as many, or option hold, which leaves them where "
      "they start",
      nfree, nfree == 1 ? " has" : "s have", nfree == 1 ? "it" : "them", names,
      nfree > 6 ? ", .." : "");
}

/* Velocities that neither rows nor records determine: held, or an error. */
static cardan_status take_free(cardan_prescribed_motion *s, int rank, bool hold,
                               cardan_report *report)
{
  const cardan_model *m = s->model;
  const int n = s->n, nfree = n - rank;
  for (int j = 0; j < n; j++) { // columns as rows: the first `rank` of the order are determined
    for (int r = 0; r < m->nrow; r++) {
      s->A[(size_t)j * (size_t)m->nrow + (size_t)r] =
          s->dense[(size_t)r * (size_t)m->nv + (size_t)s->dof[j]] * s->unit[s->dof[j]] /
          m->row[r].length;
    }
  }
  cardan__independent(n, m->nrow, s->A, rank_tol, s->order, NULL, s->work);
  for (int k = rank; k < n; k++) {
    s->held[s->nheld++] = s->dof[s->order[k]];
  }
  if (nfree > 0 && !hold) {
    return is_free(s, nfree, report);
  }
  for (int k = 0; k < s->nheld; k++) {
    drop_unknown(s, s->held[k]);
  }
  return CARDAN_OK;
}

/* Unknown velocities, and as many rows. */
static cardan_status choose(cardan_prescribed_motion *s, bool hold, cardan_report *report)
{
  const cardan_model *m = s->model;
  cardan_jacobian(m, s->data, s->dense);
  for (int i = 0; i < m->nv; i++) {
    const cardan_body *b = &m->body[m->v_body[i]];
    const bool slides = cardan__joint_is_constant(b) && cardan__joint_slides(b, i - b->vadr);
    s->unit[i] = slides && m->size_length > 0 ? m->size_length : 1.0;
    if (!(b->flags & CARDAN_LINK_KINEMATIC)) {
      s->dof[s->n++] = i;
    }
  }
  const int rank = rank_of(s);
  take_record(s, rank);
  const cardan_status status = take_free(s, rank, hold, report);
  if (status == CARDAN_OK) {
    rank_of(s);
    memcpy(s->row, s->order, (size_t)s->n * sizeof *s->row);
  }
  return status;
}

/* ---- places ---- */

/* Known coordinates at t into data: q, or (level) their v and a too. */
static void set_known(cardan_prescribed_motion *s, double t, bool level)
{
  const cardan_model *m = s->model;
  s->data->t = t;
  cardan_prescribe(m, s->data);
  for (int k = 0; k < s->nused; k++) {
    double x[3];
    cardan_recording_at(s->motion, s->number[k], t, x);
    const int velocity = s->used[k];
    s->data->q[m->body[m->v_body[velocity]].qadr] = x[0];
    if (level) {
      s->data->v[velocity] = x[1];
      s->data->a[velocity] = x[2];
    }
  }
  for (int k = 0; k < s->nheld && level; k++) {
    s->data->v[s->held[k]] = s->data->a[s->held[k]] = 0;
  }
}

/* J_u at data's place, factored; sign and least. false: a pivot is 0 */
static bool factor(cardan_prescribed_motion *s)
{
  const cardan_model *m = s->model;
  const int n = s->n;
  double largest = 0, least = HUGE_VAL;
  cardan_jacobian(m, s->data, s->dense);
  for (int i = 0; i < n; i++) {
    const int r = s->row[i];
    for (int j = 0; j < n; j++) {
      s->A[(size_t)i * (size_t)n + (size_t)j] =
          s->dense[(size_t)r * (size_t)m->nv + (size_t)s->dof[j]] * s->unit[s->dof[j]] /
          m->row[r].length;
    }
  }
  if (cardan__lu(n, s->A, s->pivot) >= 0) {
    s->least = 0;
    return false;
  }
  s->sign = 1;
  // beside known velocities that a row of velocity level has too, a pivot may be the only one
  for (int i = 0; i < n && m->nvelocity_row > 0; i++) {
    const double *row = s->dense + (size_t)s->row[i] * (size_t)m->nv;
    double square = 0;
    for (int j = 0; j < m->nv; j++) {
      square += row[j] * row[j] * s->unit[j] * s->unit[j];
    }
    largest = fmax(largest, sqrt(square) / m->row[s->row[i]].length);
  }
  for (int i = 0; i < n; i++) {
    const double pivot = s->A[(size_t)i * (size_t)n + (size_t)i];
    const int own = i + (n < CARDAN__DENSE ? 0 : 1); // LAPACK counts from 1
    s->sign *= (pivot < 0 ? -1 : 1) * (s->pivot[i] != own ? -1 : 1);
    largest = fmax(largest, fabs(pivot));
    least = fmin(least, fabs(pivot));
  }
  s->least = n > 0 ? least / largest : 1.0;
  return true;
}

/* x (nv, out): J_u x_u = b, 0 elsewhere; b: rows' right-hand sides over their lengths. */
static void solve(cardan_prescribed_motion *s, double *x)
{
  cardan__lu_solve(s->n, s->A, s->pivot, s->b);
  memset(x, 0, (size_t)s->model->nv * sizeof *x);
  for (int j = 0; j < s->n; j++) {
    x[s->dof[j]] = s->b[j] * s->unit[s->dof[j]];
  }
}

/* Largest entry of a change, lengths over the size. */
static double size_of(const cardan_prescribed_motion *s, const double *dq)
{
  double largest = 0;
  for (int i = 0; i < s->model->nv; i++) {
    const double x = fabs(dq[i]) / s->unit[i];
    largest = x <= largest ? largest : x; // what is not a number is the largest
  }
  return largest;
}

/* dq: the least change of what is unknown that closes the rows of positions alone, to first order.
 * returns false where they do not determine one */
static bool close_least(cardan_prescribed_motion *s)
{
  const cardan_model *m = s->model;
  int count = 0;
  cardan_jacobian(m, s->data, s->dense);
  for (int r = 0; r < m->nrow; r++) {
    for (int j = 0; j < s->n && !m->row[r].velocity; j++) {
      s->A[(size_t)count * (size_t)s->n + (size_t)j] =
          s->dense[(size_t)r * (size_t)m->nv + (size_t)s->dof[j]] * s->unit[s->dof[j]] /
          m->row[r].length;
    }
    if (!m->row[r].velocity) {
      s->x[count++] = -s->data->rows.phi[r] / m->row[r].length;
    }
  }
  memset(s->dq, 0, (size_t)m->nv * sizeof *s->dq);
  if (count > 0 &&
      cardan__min_norm(count, s->n, s->A, s->x, rank_tol, s->b, s->work, s->order) < 0) {
    return false;
  }
  for (int j = 0; j < s->n && count > 0; j++) {
    s->dq[s->dof[j]] = s->b[j] * s->unit[s->dof[j]];
  }
  return true;
}

/* dq: the change of what is unknown that closes the rows, to first order. */
static bool close_exactly(cardan_prescribed_motion *s)
{
  if (!factor(s)) {
    return false;
  }
  for (int k = 0; k < s->n; k++) {
    s->b[k] = -s->data->rows.phi[s->row[k]] / s->model->row[s->row[k]].length;
  }
  solve(s, s->dq);
  return true;
}

/* (E1) from data's q, known ones in it: Newton's method. */
static bool close_rows(cardan_prescribed_motion *s)
{
  enum { MOST = 30 };
  const cardan_model *m = s->model;
  double before = HUGE_VAL;
  for (int i = 0; i < MOST; i++) {
    cardan_joints(m, s->data);
    cardan_poses(m, s->data);
    cardan_constraint_max(m, s->data);
    if (!(m->nvelocity_row > 0 ? close_least(s) : close_exactly(s))) {
      return false;
    }
    const double size = size_of(s, s->dq);
    if (!(size < 10)) {
      return false;
    }
    cardan_q_move(m, s->data->q, s->dq, 1.0, s->data->q);
    if (size <= 1e-15 || (size <= 1e-11 && size >= 0.5 * before)) {
      cardan_joints(m, s->data);
      cardan_poses(m, s->data);
      return true;
    }
    before = size;
  }
  return before < 1e-10;
}

/* (E2) at data's place: velocities (level 0) or accelerations, of which those known are there. */
static void solve_level(cardan_prescribed_motion *s, int level)
{
  const cardan_model *m = s->model;
  cardan_data *data = s->data;
  cardan_kinematics(m, data);
  cardan_constraints(m, data);
  const double *known = level == 0 ? data->v : data->a;
  for (int k = 0; k < s->n; k++) {
    const int r = s->row[k];
    double sum = level == 0 ? -data->rows.phi_t[r] : data->rows.gamma[r];
    for (int i = 0; i < m->nv; i++) { // gamma has what is prescribed
      const bool prescribed = m->body[m->v_body[i]].flags & CARDAN_LINK_KINEMATIC;
      sum -= level == 1 && prescribed ? 0.0
                                      : s->dense[(size_t)r * (size_t)m->nv + (size_t)i] * known[i];
    }
    s->b[k] = sum / m->row[r].length;
  }
  solve(s, s->dq);
  for (int j = 0; j < s->n; j++) {
    *(level == 0 ? &data->v[s->dof[j]] : &data->a[s->dof[j]]) = s->dq[s->dof[j]];
  }
}

/* (E2) at data's place. */
static void rates(cardan_prescribed_motion *s)
{
  const cardan_model *m = s->model;
  cardan_data *data = s->data;
  memset(data->v, 0, (size_t)m->nv * sizeof *data->v);
  memset(data->a, 0, (size_t)m->nv * sizeof *data->a);
  set_known(s, data->t, true);
  solve_level(s, 0);
  solve_level(s, 1);
  cardan_kinematics(m, data);
  cardan_constraints(m, data);
}

static void save_state(cardan_prescribed_motion *s)
{
  s->t = s->data->t;
  memcpy(s->q, s->data->q, (size_t)s->model->nq * sizeof *s->q);
  memcpy(s->v, s->data->v, (size_t)s->model->nv * sizeof *s->v);
  memcpy(s->a, s->data->a, (size_t)s->model->nv * sizeof *s->a);
}

/* Back to the end of the last step, with all that belongs to it. */
static void go_back(cardan_prescribed_motion *s)
{
  s->data->t = s->t;
  memcpy(s->data->q, s->q, (size_t)s->model->nq * sizeof *s->q);
  memcpy(s->data->v, s->v, (size_t)s->model->nv * sizeof *s->v);
  memcpy(s->data->a, s->a, (size_t)s->model->nv * sizeof *s->a);
  cardan_kinematics(s->model, s->data);
  cardan_constraints(s->model, s->data);
}

/* How a step may fail. */
typedef enum { STEP_DONE, STEP_LONG, STEP_LOST, STEP_SINGULAR } step_end;

/* q_u' of (E3) at t and data's q, known ones put in, to qdot. false: J_u is singular there */
static bool slope_at(cardan_prescribed_motion *s, double t, double *qdot)
{
  const cardan_model *m = s->model;
  cardan_data *data = s->data;
  cardan_q_normalize(m, data->q);
  set_known(s, t, false);
  cardan_joints(m, data);
  cardan_poses(m, data);
  if (!factor(s) || s->least < smallest) {
    return false;
  }
  memset(data->v, 0, (size_t)m->nv * sizeof *data->v);
  memset(data->a, 0, (size_t)m->nv * sizeof *data->a);
  set_known(s, t, true);
  solve_level(s, 0);
  cardan_q_dot(m, data->q, data->v, qdot);
  return true;
}

/* A step of the classical method from q at t, to data's q and q1. */
static bool runge_kutta(cardan_prescribed_motion *s, double t, double h, const double *q,
                        double *q1)
{
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const size_t nq = (size_t)s->model->nq;
  double *x = s->data->q;
  for (int i = 0; i < 4; i++) {
    for (size_t k = 0; k < nq; k++) {
      x[k] = q[k] + (i > 0 ? at[i] * h * s->slope[i - 1][k] : 0);
    }
    if (!slope_at(s, t + at[i] * h, s->slope[i])) {
      return false;
    }
  }
  for (size_t k = 0; k < nq; k++) {
    double sum = 0;
    for (int i = 0; i < 4; i++) {
      sum += weight[i] * s->slope[i][k];
    }
    q1[k] = q[k] + h * sum;
  }
  return true;
}

/* Of redundant rows others may be the better ones by now. */
static bool choose_again(cardan_prescribed_motion *s)
{
  if (s->model->nrow == s->n) {
    return true;
  }
  if (rank_of(s) < s->n) {
    return false;
  }
  memcpy(s->row, s->order, (size_t)s->n * sizeof *s->row);
  return factor(s);
}

/* (E3) from s->q and s->t to t, then (E1) for the rows of positions. */
static step_end roll(cardan_prescribed_motion *s, double t)
{
  const cardan_model *m = s->model;
  const double h = t - s->t, sign = s->sign;
  double off = 0;
  if (!runge_kutta(s, s->t, h, s->q, s->ends[0]) ||
      !runge_kutta(s, s->t, 0.5 * h, s->q, s->ends[1]) ||
      !runge_kutta(s, s->t + 0.5 * h, 0.5 * h, s->ends[1], s->ends[1])) {
    s->sign = sign;
    return STEP_SINGULAR;
  }
  for (int k = 0; k < m->nq; k++) {
    const double change = (s->ends[1][k] - s->ends[0][k]) / 15;
    s->data->q[k] = s->ends[1][k] + change;
    off = fmax(off, fabs(change) / (1 + fabs(s->ends[1][k])));
  }
  s->sign = sign;
  if (!(off <= drift)) {
    return STEP_LONG;
  }
  cardan_q_normalize(m, s->data->q);
  set_known(s, t, false);
  memcpy(s->foretold, s->data->q, (size_t)m->nq * sizeof *s->foretold);
  if (!close_rows(s)) {
    return STEP_LOST;
  }
  cardan_q_difference(m, s->foretold, s->data->q, s->dq);
  if (!(size_of(s, s->dq) <= nearest)) {
    return STEP_LOST;
  }
  if (!factor(s) || s->least < smallest || s->sign != sign) {
    s->sign = sign;
    return STEP_SINGULAR;
  }
  s->h = h;
  return choose_again(s) ? STEP_DONE : STEP_SINGULAR;
}

static step_end step(cardan_prescribed_motion *s, double t)
{
  const cardan_model *m = s->model;
  if (m->nvelocity_row > 0) {
    return roll(s, t);
  }
  const double h = t - s->t, sign = s->sign;
  for (int i = 0; i < m->nv; i++) {
    s->dq[i] = h * (s->v[i] + 0.5 * h * s->a[i]);
  }
  const bool far = !(size_of(s, s->dq) <= longest);
  cardan_q_move(m, s->q, s->dq, 1.0, s->data->q);
  set_known(s, t, false);
  cardan_q_difference(m, s->q, s->data->q, s->dq);
  if (far || !(size_of(s, s->dq) <= longest)) {
    return STEP_LONG;
  }
  memcpy(s->foretold, s->data->q, (size_t)m->nq * sizeof *s->foretold);
  if (!close_rows(s)) {
    return s->least < smallest ? STEP_SINGULAR : STEP_LOST;
  }
  cardan_q_difference(m, s->foretold, s->data->q, s->dq);
  if (!(size_of(s, s->dq) <= nearest)) {
    return STEP_LOST;
  }
  if (!factor(s) || s->least < smallest || s->sign != sign) {
    s->sign = sign;
    return STEP_SINGULAR;
  }
  return STEP_DONE;
}

static cardan_status fail_stuck(const cardan_prescribed_motion *s, step_end why, double least,
                                cardan_report *report)
{
  if (why == STEP_SINGULAR || least < 1e-3) {
    return cardan_fail(report, CARDAN_ERR_SINGULAR, (cardan_pos){0, 0},
                       "singular position at t = %.10g s: branches of the motion meet there, or it "
                       "ends, and the prescribed coordinates do not determine how it continues",
                       s->t);
  }
  return cardan_fail(
      report, CARDAN_ERR_NO_ROOT, (cardan_pos){0, 0},
      "at t = %.10g s the constraints have no solution that continues the motion: does "
      "a driver jump?",
      s->t);
}

cardan_status cardan_prescribed_motion_move(cardan_prescribed_motion *s, double t,
                                            cardan_report *report)
{
  double least = s->least;
  step_end last = STEP_DONE;
  while (s->t != t) {
    double h = t - s->t;
    const double sign = s->sign;
    if (s->h != 0 && fabs(h) > 2 * fabs(s->h)) {
      h = copysign(2 * s->h, h);
    }
    const bool rolls = s->model->nvelocity_row > 0;
    while ((last = step(s, rolls && h == t - s->t ? t : s->t + h)) != STEP_DONE) {
      s->sign = sign;
      h *= 0.5;
      if (fabs(h) < shortest * (1 + fabs(s->t))) {
        go_back(s);
        return fail_stuck(s, last, least, report);
      }
    }
    least = s->least;
    rates(s);
    const double open = cardan_constraint_max(s->model, s->data);
    if (!(open <= cardan__loop_tolerance(s->model))) {
      go_back(s);
      return cardan_fail(report, CARDAN_ERR_NO_ROOT, (cardan_pos){0, 0},
                         "at t = %.10g s constraints contradict one another by %.3g (m or rad)",
                         s->t + h, open);
    }
    cardan__closing_angle_follow(s->model, s->data, s->q);
    save_state(s);
  }
  return CARDAN_OK;
}

/* ---- the whole ---- */

static cardan_status begin(cardan_prescribed_motion *s, bool hold, cardan_report *report)
{
  const cardan_model *m = s->model;
  for (int k = 0; s->motion != NULL && k < cardan__recording_coordinate_count(s->motion); k++) {
    const int q = cardan_recording_coordinate(s->motion, k);
    double x[3];
    cardan_recording_at(s->motion, k, s->data->t, x);
    s->data->q[q] = x[0];
    s->data->q_given[q] = true;
  }
  cardan_status status = cardan_assemble(m, s->data, NULL, report);
  status = status == CARDAN_OK ? choose(s, hold, report) : status;
  if (status != CARDAN_OK) {
    return status;
  }
  set_known(s, s->data->t, false);
  if (!close_rows(s) || !factor(s) || s->least < smallest) {
    return cardan_fail(
        report, CARDAN_ERR_SINGULAR, (cardan_pos){0, 0},
        "the start is a singular position: the prescribed coordinates do not determine the motion");
  }
  rates(s);
  save_state(s);
  return CARDAN_OK;
}

cardan_status cardan_prescribed_motion_create(const cardan_model *model, cardan_data *data,
                                              const cardan_prescribed_motion_options *options,
                                              const cardan_allocator *allocator,
                                              cardan_prescribed_motion **out, cardan_report *report)
{
  *out = NULL;
  cardan_prescribed_motion *s = cardan__zeros(allocator, sizeof *s);
  if (s == NULL) {
    return cardan__no_memory(report);
  }
  *s = (cardan_prescribed_motion){
      .model = model, .data = data, .motion = options != NULL ? options->motion : NULL};
  s->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  s->block = cardan__carve_block(allocator, layout, s);
  const cardan_status status = s->block != NULL ? begin(s, options != NULL && options->hold, report)
                                                : cardan__no_memory(report);
  if (status != CARDAN_OK) {
    cardan_prescribed_motion_destroy(s);
    return status;
  }
  *out = s;
  return CARDAN_OK;
}

void cardan_prescribed_motion_destroy(cardan_prescribed_motion *mechanism)
{
  if (mechanism != NULL) {
    const cardan_allocator allocator = mechanism->allocator;
    cardan__resize(&allocator, mechanism->block, 0);
    cardan__resize(&allocator, mechanism, 0);
  }
}

cardan_prescribed_motion_facts cardan_prescribed_motion_about(const cardan_prescribed_motion *s)
{
  return (cardan_prescribed_motion_facts){s->nheld, s->held,   s->nused,
                                          s->used,  s->nspare, s->spare};
}

cardan_status cardan_prescribed_motion_forces(cardan_prescribed_motion *s, double *tau,
                                              cardan_report *report)
{
  const cardan_model *m = s->model;
  cardan_data *data = s->data;
  const int n = s->nused + s->nheld;
  const cardan_status alone = cardan__aux_rates_none(m, "forces of a known motion are", report);
  if (alone != CARDAN_OK) {
    return alone;
  }
  memcpy(s->actuated, s->used, (size_t)s->nused * sizeof *s->used);
  memcpy(s->actuated + s->nused, s->held, (size_t)s->nheld * sizeof *s->held);
  memcpy(s->dq, data->a, (size_t)m->nv * sizeof *s->dq);
  const cardan_status status =
      cardan_inverse_loops(m, data, s->dq, s->actuated, n, s->tau, data->lambda);
  if (status != CARDAN_OK) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "%s",
                       status == CARDAN_ERR_MEMORY ? "out of memory" : data->info.message);
  }
  memcpy(data->a, s->dq, (size_t)m->nv * sizeof *s->dq);
  memset(tau, 0, (size_t)m->nv * sizeof *tau);
  for (int k = 0; k < n; k++) {
    tau[s->actuated[k]] = s->tau[k];
    data->tau[s->actuated[k]] += s->tau[k];
  }
  cardan__made(data, CARDAN_FRESH_FORWARD, 0);
  return CARDAN_OK;
}
