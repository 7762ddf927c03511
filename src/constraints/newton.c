// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/assemble.h"
#include "constraints/rows.h"
#include "kinematics/joint.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "model/joint_table.h"

/* Phi(q) = 0 from a seed, by Gauss-Newton steps of least length.
 *   J y = -Phi, |y| least; singular values of J below RCOND of the largest count as 0    (E1)
 *   y shortened to STEP; halved while sum Phi^2 does not fall                            (E2)
 *   where that fails: |J y + Phi|^2 + mu^2 |y|^2 least, for growing mu                   (E3)
 * q moves on the rotation groups. Where even (E3) does not fall, the seed sits on a dead point (all
 * links in line, say): a small kick leaves it, to whichever side. Large models take (E3) with a
 * small mu in place of (E1), which LAPACK does several times faster.
 *
 * Data with few digits may contradict one another: rows that ought to depend are independent by as
 * much, and what remains of Phi has no step, or a long one to somewhere else. So with RCOND at what
 * the digits allow the steps of (E1) alone come first. Where they end with a violation that is
 * left, and (E1) to (E3) as above do not close the loop near there, that violation is the data's,
 * and stays. */

static const double exact = 1e-9;       // RCOND: between rounding, 1e-13, and what closing leaves
static const double margin = 10.0;      // RCOND over the digits: rows are sums of several numbers
static const double near = 3.0;         // roots of the digits: where rows hold to second order
static const double longest_step = 0.5; // [rad, or sizes of the mechanism]
static const double yielding = 0.1;     // of a step, for values that were given
static const double damping[] = {0.0, 1e-3, 1e-2, 1e-1, 1.0};
static const double kick_size[] = {0.01, 0.05, 0.2, 0.5};

enum {
  MAX_ITERATIONS = 200,
  HALVINGS = 7,
  NDAMPING = sizeof damping / sizeof damping[0],
  NKICK = sizeof kick_size / sizeof kick_size[0],
  LARGE = 400, // rows or columns; beyond, pivoting takes seconds
};

static void layout(void *what, cardan__carver *c)
{
  cardan__assembler *as = what;
  const cardan_model *m = as->model;
  size_t work = cardan__damped_work(m->nrow, m->nv);
  const size_t shortest = cardan__min_norm_work(m->nrow, m->nv);
  work = !as->large && shortest > work ? shortest : work;
  as->locked = CARDAN__CARVE(c, m->nv, bool);
  as->active = CARDAN__CARVE(c, m->nrow, bool);
  as->unit = CARDAN__CARVE(c, m->nv, double);
  as->J = CARDAN__CARVE(c, (size_t)m->nrow * (size_t)m->nv, double);
  as->b = CARDAN__CARVE(c, m->nrow, double);
  as->x = CARDAN__CARVE(c, m->nv, double);
  as->q = CARDAN__CARVE(c, m->nq, double);
  as->seed = CARDAN__CARVE(c, m->nq, double);
  as->end = CARDAN__CARVE(c, m->nq, double);
  as->index = CARDAN__CARVE(c, m->nv, int);
  as->work = CARDAN__CARVE(c, work, double);
}

bool cardan__assembler_large(const cardan_model *model)
{
  return model->nrow > LARGE || model->nv > LARGE;
}

/* Is what velocity k of a body changes given (nq)? A quaternion is by any of its numbers; the place
 * of a free joint, whose velocities are along the body's own axes, by all of them. */
static bool is_given(const cardan_body *b, int k, const bool *given)
{
  const bool *own = given + b->qadr;
  const int quat = cardan__quat_offset(b);
  if (quat < 0) {
    return own[k];
  }
  return k < 3 ? own[quat] || own[quat + 1] || own[quat + 2] || own[quat + 3]
               : own[0] && own[1] && own[2]; // turns come first
}

/* Which velocities are not free: of prescribed coordinates, of fixed ones, and of those given (nq;
 * NULL: none). Returns whether some were given, and some not. */
static bool lock_velocities(cardan__assembler *as, bool with_fixed, const bool *given)
{
  const cardan_model *model = as->model;
  bool kept = false, left = false;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const bool locked =
        (b->flags & CARDAN_LINK_KINEMATIC) || (with_fixed && cardan__body_fixed(model, i));
    for (int k = 0; k < b->nv; k++) {
      const bool keep = !locked && given != NULL && is_given(b, k, given);
      as->locked[b->vadr + k] = locked || keep;
      kept = kept || keep;
      left = left || !(locked || keep);
    }
  }
  return kept && left;
}

cardan_status cardan__assembler_open(cardan__assembler *as, const cardan_model *model,
                                     cardan_data *data, bool with_fixed)
{
  *as = (cardan__assembler){.model = model, .data = data, .rcond = exact};
  as->large = cardan__assembler_large(model);
  if ((double)model->nrow * (double)model->nv > CARDAN__DENSE_ROWS) {
    return CARDAN_ERR_UNSUPPORTED;
  }
  as->block = cardan__carve_block(&data->allocator, layout, as);
  if (as->block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  for (int r = 0; r < model->nrow; r++) {
    as->active[r] = !model->row[r].velocity;
  }
  for (int k = 0; k < model->nv; k++) {
    as->unit[k] = cardan__velocity_unit(model, k);
  }
  lock_velocities(as, with_fixed, NULL);
  return CARDAN_OK;
}

void cardan__assembler_close(cardan__assembler *as)
{
  cardan__resize(&as->data->allocator, as->block, 0);
  as->block = NULL;
}

void cardan__assembler_look(cardan__assembler *as)
{
  const cardan_model *model = as->model;
  cardan_data *data = as->data;
  cardan__rows_look(model, data, data->rows.phi);
  as->merit = 0.0;
  as->worst = -1.0;
  for (int r = 0; r < model->nrow; r++) {
    const double phi = data->rows.phi[r], scaled = phi / model->row[r].length;
    if (as->active[r]) {
      as->merit += scaled * scaled;
      // written so that what is not a number is the largest, and stays it
      if (!isnan(as->worst) && !(fabs(phi) <= as->worst)) {
        as->worst = fabs(phi);
        as->worst_row = r;
      }
    }
  }
}

void cardan__assembler_linearise(cardan__assembler *as)
{
  const cardan_model *model = as->model;
  cardan_data *data = as->data;
  cardan_jacobian(model, data, as->J);
  for (int r = 0; r < model->nrow; r++) {
    double *row = as->J + (size_t)r * (size_t)model->nv;
    const double scale = as->active[r] ? 1.0 / model->row[r].length : 0.0;
    as->b[r] = as->active[r] ? -scale * data->rows.phi[r] : 0.0;
    for (int k = 0; k < model->nv; k++) {
      row[k] = as->locked[k] ? 0.0 : row[k] * scale * as->unit[k];
    }
  }
}

/* The shortest x with J x = b, scaled; false when a number is not finite. */
static bool solve_for_step(cardan__assembler *as, double mu)
{
  const int m = as->model->nrow, n = as->model->nv;
  if (mu == 0.0 && !as->large) {
    return cardan__min_norm(m, n, as->J, as->b, as->rcond, as->x, as->work, as->index) >= 0; // (E1)
  }
  return cardan__damped(m, n, as->J, as->b, mu > 0.0 ? mu : 1e-8, as->x, as->work); // (E3)
}

/* A step for J and b, as velocities in x; false when a number is not finite. */
static bool find_step(cardan__assembler *as, double mu)
{
  const int n = as->model->nv;
  double largest = 0.0;
  if (!solve_for_step(as, mu)) {
    return false;
  }
  for (int k = 0; k < n; k++) {
    largest = fmax(largest, fabs(as->x[k]));
  }
  const double shorten = largest > longest_step ? longest_step / largest : 1.0;
  for (int k = 0; k < n; k++) {
    as->x[k] *= shorten * as->unit[k];
  }
  return true;
}

/* One step along which the violations fall, with so many of the dampings; data->q is as before when
 * there is none. */
static bool descend(cardan__assembler *as, int dampings)
{
  const cardan_model *model = as->model;
  cardan_data *data = as->data;
  const double before = as->merit;
  memcpy(as->q, data->q, (size_t)model->nq * sizeof *as->q);
  cardan__assembler_linearise(as);
  for (int i = 0; i < dampings; i++) {
    if (!find_step(as, damping[i])) {
      break;
    }
    double alpha = 1.0;
    for (int j = 0; j < HALVINGS; j++, alpha *= 0.5) { // (E2)
      cardan_q_move(model, as->q, as->x, alpha, data->q);
      cardan__assembler_look(as);
      if (as->merit < (1.0 - 1e-3 * alpha) * before) {
        return true;
      }
    }
  }
  memcpy(data->q, as->q, (size_t)model->nq * sizeof *as->q);
  cardan__assembler_look(as);
  return false;
}

void cardan__random_step(int n, double size, int number, double *x)
{
  // a linear congruence, for the same configurations on every machine
  unsigned state = 12345U + 7919U * (unsigned)number;
  for (int k = 0; k < n; k++) {
    state = (state * 1664525U + 1013904223U) & 0xffffffffU;
    x[k] = ((double)(state >> 8) / 8388608.0 - 1.0) * size; // in [-1, 1) of it
  }
}

/* The same for the free coordinates, scaled, to x. */
static void random_step(cardan__assembler *as, double size, int number)
{
  cardan__random_step(as->model->nv, size, number, as->x);
  for (int k = 0; k < as->model->nv; k++) {
    as->x[k] = as->locked[k] ? 0.0 : as->x[k];
  }
}

static void move_by_step(cardan__assembler *as)
{
  for (int k = 0; k < as->model->nv; k++) {
    as->x[k] *= as->unit[k];
  }
  cardan_q_move(as->model, as->data->q, as->x, 1.0, as->data->q);
  cardan__assembler_look(as);
}

void cardan__assembler_shake(cardan__assembler *as, double size, int number)
{
  random_step(as, size, number);
  move_by_step(as);
}

void cardan__assembler_stray(cardan__assembler *as, double size, int number)
{
  const int m = as->model->nrow, n = as->model->nv;
  double *x = as->q; // nq >= nv numbers
  random_step(as, size, number);
  memcpy(x, as->x, (size_t)n * sizeof *x);
  cardan__assembler_look(as);
  cardan__assembler_linearise(as);
  for (int r = 0; r < m; r++) {
    as->b[r] = cardan__dot(n, as->J + (size_t)r * (size_t)n, x);
  }
  if (solve_for_step(as, 0.0)) { // what rows do not allow
    for (int k = 0; k < n; k++) {
      as->x[k] = x[k] - as->x[k];
    }
    move_by_step(as);
  }
}

/* Until all rows are closed; false when they cannot be. */
static bool close_all(cardan__assembler *as, double tol)
{
  as->kicks = 0;
  for (int i = 0; i < MAX_ITERATIONS && isfinite(as->merit); i++) {
    as->iterations++;
    if (descend(as, NDAMPING)) {
      if (as->worst <= tol) {
        descend(as, NDAMPING); // for the last digits; it changes nothing when there are none left
        return true;
      }
    } else if (as->kicks < NKICK) {
      cardan__assembler_shake(as, kick_size[as->kicks], as->kicks);
      as->kicks++;
    } else {
      break;
    }
  }
  return false;
}

/* How far data's q is from another, lengths relative. */
static double distance(cardan__assembler *as, const double *q)
{
  double largest = 0.0;
  cardan_q_difference(as->model, q, as->data->q, as->x);
  for (int k = 0; k < as->model->nv; k++) {
    largest = fmax(largest, fabs(as->x[k]) / as->unit[k]);
  }
  return largest;
}

static void set_position(cardan__assembler *as, const double *q)
{
  memcpy(as->data->q, q, (size_t)as->model->nq * sizeof *q);
  cardan__assembler_look(as);
}

/* Relative rounding of the data. */
static double digits_of(const cardan__assembler *as)
{
  return as->model->closing / (1.0 + as->model->size_length);
}

/* The same for data with few digits. */
static bool close_to_digits(cardan__assembler *as, double tol)
{
  const size_t bytes = (size_t)as->model->nq * sizeof *as->q;
  const double digits = digits_of(as);
  memcpy(as->seed, as->data->q, bytes);
  as->rcond = fmax(exact, as->model->near > 0.0 ? as->model->rank_tol : margin * digits);
  bool falls = true;
  while (falls && as->iterations < MAX_ITERATIONS && as->worst > tol) {
    as->iterations++;
    falls = descend(as, 1);
  }
  if (as->worst <= tol) {
    descend(as, NDAMPING); // for the last digits, as above
    return true;
  }
  const double left = as->worst, moved = distance(as, as->seed);
  if (as->model->near > 0.0 && left <= as->model->closing) {
    as->open = left; // what closes all rows is one place, and no mechanism
    return true;
  }
  memcpy(as->end, as->data->q, bytes);
  set_position(as, as->seed);
  as->rcond = exact;
  if (close_all(as, tol) && (left > as->model->closing ||
                             distance(as, as->end) <= margin * moved + near * sqrt(digits))) {
    return true;
  }
  if (left <= as->model->closing) {
    set_position(as, as->end);
    as->open = left;
    return true;
  }
  return false;
}

bool cardan__assembler_close_loops(cardan__assembler *as)
{
  const double tol = 1e-12 * (1.0 + as->model->size_length);
  as->iterations = as->kicks = 0;
  as->open = 0.0;
  as->rcond = exact;
  cardan__assembler_look(as);
  if (as->worst <= tol) {
    return true;
  }
  return as->model->closing > 10.0 * tol && !as->large ? close_to_digits(as, tol)
                                                       : close_all(as, tol);
}

/* Velocities of given coordinates count as part of what they are, or as they are again: steps of
 * least length then leave them to the others. */
static void set_weights(cardan__assembler *as, const bool *given, double part)
{
  for (int k = 0; k < as->model->nv; k++) {
    const cardan_body *b = &as->model->body[as->model->v_body[k]];
    as->unit[k] =
        cardan__velocity_unit(as->model, k) * (is_given(b, k - b->vadr, given) ? part : 1.0);
  }
}

bool cardan__assembler_keep(cardan__assembler *as, const bool *given)
{
  const size_t bytes = (size_t)as->model->nq * sizeof *as->q;
  const double tol = 1e-12 * (1.0 + as->model->size_length);
  as->iterations = 0;
  cardan__assembler_look(as);
  if (as->worst <= tol || as->large) {
    return as->worst <= tol;
  }
  memcpy(as->seed, as->data->q, bytes);
  as->rcond = fmax(exact, margin * digits_of(as)); // no way to a place far off
  bool closed = false;
  if (lock_velocities(as, true, given)) {
    while (as->iterations < MAX_ITERATIONS && descend(as, NDAMPING)) {
      as->iterations++;
    }
    memcpy(as->end, as->data->q, bytes); // the others are where they fit best
    closed = as->worst <= tol || close_all(as, tol);
    if (!closed) {
      lock_velocities(as, true, NULL);
      set_weights(as, given, yielding);
      set_position(as, as->end);
      closed = close_all(as, tol);
      set_weights(as, given, 1.0);
    }
  }
  lock_velocities(as, true, NULL);
  if (!closed) {
    set_position(as, as->seed);
  }
  return closed;
}
