// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "dynamics/loops.h"
#include "dynamics/schur.h"
#include "kinematics/joint.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "methods/discrete/kicks.h"
#include "methods/discrete/rolling.h"
#include "model/data.h"
#include "model/joint_table.h"
#include "spatial/spatial.h"

/* Rows of velocity level, A v = b, in a step: form K of docs/methods/rolling.md.
 *
 * A node's momentum p^k is on the rows: A_k v_k = b_k. A step finds x, lambda, mu and nu from
 *   r(x) - G_k^T lambda - 1/2 A_m^T mu - K_k nu = 0,   Phi(q^{k+1}) = 0                      (K1)
 *   A_m x = h b_m                     the middle: q^k moved by x/2, t + h/2                   (K2)
 *   p^- = momentum as the step ends + 1/2 A_m^T mu
 *   p^{k+1} = p^- - K_{k+1} nu,       nu = S^{-1/2} (A v(p^-) - b) at node k+1               (K3)
 * with S = A M_G^-1 A^T (M_G^-1: on the motions that the loops leave) and K = A^T S^{-1/2}. The
 * kicks K nu are what makes the map symmetric with both nodes on the rows; they take and give the
 * same energy, |nu|^2 / 2. S is scaled to a diagonal of 1 first, and its root is the symmetric one
 * over the largest eigenvalues, as many as rows count: smooth along the motion, and any number of
 * redundant rows does.
 *
 * (K1), (K2) are one more kind of rows in border.c, whose impulse moves with the iterate. (K3) is
 * iterated around that: with nu of the step before the root is found, what (K3) makes of its end is
 * compared, and nu <- nu + f/2, f = S^{-1/2} (..) - nu, with one step of memory (Anderson).
 * Contacts and limits: rolling_contact.c. */

enum { MOST_ROUNDS = 60 };
static const double settled = 2e-14;        // of sqrt(2 T): nu and what (K3) makes of it agree
static const double at_rest = 1e-100;       // what is less moves nothing
static const double stalled = 1e-10;        // the same where rounding lets nothing better
static const double nothing = 1e-28;        // of the square of a row: rounding
static const double smallest_pivot = 1e-13; // of S, as in dynamics/schur.c
static const double far_below = 1e-6;       // of a pivot of S
static const double lost = 1e-6;            // of an eigenvalue of S: rows are 1e-3 apart
static const double rounding = 1e-10;       // of the largest rate of a row at this energy
static const double contradicts = 1e-6;     // of a redundant row's terms: more, and it is none

/* ---- (K3) ---- */

/* x += M^-1 G^T lambda so that G x = -gap for the rows of positions, which loops->S holds. */
static void close_positions(cardan__discrete *d, double *x)
{
  const cardan_model *model = d->model;
  if (model->nrow > model->nvelocity_row) {
    cardan__schur_solve(model, d->node, d->rolling->gap, x);
  }
}

/* W_r = M_G^-1 A_r^T of every row, and S. */
static void respond(cardan__discrete *d)
{
  cardan__rolling *s = d->rolling;
  const cardan_model *model = d->model;
  const size_t nv = (size_t)model->nv, n = (size_t)s->n;
  for (size_t j = 0; j < n; j++) {
    double *W = s->W + j * nv;
    memcpy(W, s->R + (size_t)s->row[j] * nv, nv * sizeof *W);
    cardan_factor_solve(model, d->node, NULL, W, W);
    s->free[j] = cardan__dot(model->nv, s->R + (size_t)s->row[j] * nv, W);
    for (int r = 0; r < model->nrow; r++) {
      s->gap[r] = s->slot[r] >= 0 ? 0 : -cardan__dot(model->nv, s->R + (size_t)r * nv, W);
    }
    close_positions(d, W);
    for (size_t i = 0; i < n; i++) {
      s->S[j * n + i] = cardan__dot(model->nv, s->R + (size_t)s->row[i] * nv, W);
    }
  }
}

/* Is row j more than rounding of what it was so far, and of what it is without the loops? Scaled to
 * 1, that would look like a row. least: of what loops leave of it, at least */
static bool is_there(const cardan__discrete *d, size_t j, double least)
{
  const cardan__rolling *s = d->rolling;
  const double *A = s->R + (size_t)s->row[j] * (size_t)d->model->nv;
  return cardan__dot(d->model->nv, A, A) > nothing * d->border.choice.size[s->row[j]] &&
         s->S[j * (size_t)s->n + j] > least * s->free[j];
}

/* What loops leave of a row that counts, at least: where rows are more than that, some may follow
 * from the loops, and the remainder of them is rounding. It is far below the last pivot of so many
 * rows. */
static double least_left(cardan__rolling *s, int rank)
{
  double last = 0, next = 0;
  if (rank == s->n) {
    return smallest_pivot;
  }
  memcpy(s->root, s->S, (size_t)s->n * (size_t)s->n * sizeof *s->root);
  const int found = cardan__cholesky_pivoted(s->n, s->root, s->free, rank, smallest_pivot, s->order,
                                             &last, &next);
  return found == rank && rank > 0 ? fmax(smallest_pivot, far_below * last) : smallest_pivot;
}

/* root = T D, T the symmetric root of the inverse of D S D over its largest eigenvalues, D its
 * scale. returns whether it is a number */
static bool take_root(cardan__discrete *d)
{
  cardan__rolling *s = d->rolling;
  const size_t n = (size_t)s->n;
  const int rank = d->model->rank - d->model->position_rank;
  const double least = least_left(s, rank);
  int row = 0;
  s->noise = 0;
  for (size_t i = 0; i < n; i++) {
    s->size[i] = is_there(d, i, least) && s->S[i * n + i] > 0 ? 1 / sqrt(s->S[i * n + i]) : 0;
    s->noise = fmax(s->noise, s->size[i] * d->border.phi_tol);
    for (size_t j = 0; j <= i; j++) {
      s->S[i * n + j] = 0.5 * (s->S[j * n + i] + s->S[i * n + j]);
    }
  }
  if (!cardan__kick_root(s->n, rank, s->S, s->size, s->eigen, s->root)) {
    return false;
  }
  s->least = cardan__kick_least(s->n, rank, s->S, s->eigen, &row);
  s->least_row = s->row[row];
  return true;
}

/* K of the node, and what impulses at it need besides. */
static void take_kicks(cardan__discrete *d, const cardan__rolling_node *to)
{
  cardan__rolling *s = d->rolling;
  const size_t n = (size_t)s->n, nv = (size_t)d->model->nv;
  memset(to->K, 0, n * nv * sizeof *to->K);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      const double *A = s->R + (size_t)s->row[j] * nv;
      for (size_t k = 0; k < nv; k++) {
        to->K[i * nv + k] += s->root[i * n + j] * A[k];
      }
    }
  }
  for (size_t i = 0; i < n && s->nheld > 0; i++) {
    memset(to->B + i * nv, 0, nv * sizeof *to->B);
    to->b[i] = 0;
    for (size_t j = 0; j < n; j++) {
      const double root = s->root[i * n + j];
      for (size_t k = 0; k < nv; k++) {
        to->B[i * nv + k] += root * s->W[j * nv + k];
      }
      to->b[i] -= root * d->node->rows.phi_t[s->row[j]];
    }
  }
}

/* node->v on the loops, e = S^{-1/2} (A v - b), K and sqrt(2 T), of the node as it is. */
static cardan_status look_at_node(cardan__discrete *d, const cardan__rolling_node *to)
{
  cardan__rolling *s = d->rolling;
  const cardan_model *model = d->model;
  cardan_data *node = d->node;
  const size_t n = (size_t)s->n, nv = (size_t)model->nv;
  const cardan__rowset set = cardan__model_rows(model);
  cardan_status status = cardan__node_velocity(d);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__node_pose(d);
  const cardan__view view = cardan__data_view(model, node);
  cardan__rows_jacobian(&set, &view, &node->rows);
  cardan__rows_rates(&set, &view, node->rows.phi_t, NULL);
  cardan__rows_dense(&set, node, &node->rows, s->R);
  if (model->nrow > model->nvelocity_row) {
    node->loops->positions = true;
    status = cardan__loops_factor(model, node);
    node->loops->positions = false;
    for (int r = 0; r < model->nrow; r++) {
      const double rate = cardan__dot(model->nv, s->R + (size_t)r * nv, node->v);
      s->gap[r] = s->slot[r] >= 0 ? 0 : -rate - node->rows.phi_t[r];
    }
  }
  if (status != CARDAN_OK) {
    return status;
  }
  close_positions(d, node->v);
  respond(d);
  node->fresh &= ~(unsigned)CARDAN_FRESH_LOOPS; // of the rows of positions alone
  if (!take_root(d)) {
    return CARDAN_ERR_NOT_FINITE;
  }
  take_kicks(d, to);
  for (size_t i = 0; i < n; i++) {
    s->e[i] = 0;
    for (size_t j = 0; j < n; j++) {
      const int r = s->row[j];
      const double rate = cardan__dot(model->nv, s->R + (size_t)r * nv, node->v);
      s->e[i] += s->root[i * n + j] * (rate + node->rows.phi_t[r]);
    }
  }
  cardan_velocities(model, node);
  s->speed = 0;
  for (int i = 1; i < model->nbody; i++) {
    s->speed += cardan__power(node->V[i], cardan__inertia_mul(&model->body[i].inertia, node->V[i]));
  }
  s->speed = sqrt(s->speed);
  return CARDAN_OK;
}

/* Rows lose rank at the end of the step. */
static cardan_status fail_singular(cardan__discrete *d, double left)
{
  const cardan_model *model = d->model;
  const cardan__rolling *s = d->rolling;
  cardan_info *info = &d->node->info;
  *info = (cardan_info){.body = -1, .joint = -1, .row = s->least_row, .residual = left};
  snprintf(
      info->message, sizeof info->message,
      "singular position at t = %.9g s: constraint \"%.60s\" follows from the others there, and "
      "speeds would jump",
      d->t, model->constraint[model->row[s->least_row].constraint].name);
  info->whole = true;
  return CARDAN_ERR_SINGULAR;
}

/* node->v on the rows, as the kicks -K e leave it. Redundant rows hold there too: one that the
 * others do not give any more has become a contradiction. In the middle, where loops are open by
 * O(h^2), rows that agree at the nodes may differ by as much. */
static cardan_status check_redundant(cardan__discrete *d)
{
  const cardan__rolling *s = d->rolling;
  const cardan_model *model = d->model;
  cardan_data *node = d->node;
  const size_t n = (size_t)s->n, nv = (size_t)model->nv;
  for (size_t j = 0; j < n; j++) {
    double part = 0;
    for (size_t i = 0; i < n; i++) {
      part += s->e[i] * s->root[i * n + j];
    }
    for (size_t k = 0; k < nv; k++) {
      node->v[k] -= part * s->W[j * nv + k];
    }
  }
  double fastest = 0;
  for (int k = 0; k < model->nv; k++) {
    fastest = fmax(fastest, fabs(node->v[k]) / cardan__velocity_unit(model, k));
  }
  fastest *= fmax(1, model->size_length);
  for (size_t j = 0; j < n; j++) {
    const double *A = s->R + (size_t)s->row[j] * nv, b = node->rows.phi_t[s->row[j]];
    double size = fabs(b);
    for (size_t k = 0; k < nv; k++) {
      size += fabs(A[k] * node->v[k]);
    }
    const double left = fabs(cardan__dot(model->nv, A, node->v) + b);
    const double whole =
        s->size[j] > 0 ? s->speed / s->size[j] : 0; // at most, of the motion there is
    if (!(left <= contradicts * size + rounding * (whole + fastest))) {
      if (s->least < lost) {
        return fail_singular(d, left);
      }
      cardan_info *info = &node->info;
      *info = (cardan_info){.body = -1, .joint = -1, .row = s->row[j], .residual = left};
      snprintf(info->message, sizeof info->message,
               "constraint \"%.60s\" followed from the others at the start and contradicts them at "
               "t = %.9g s: together they leave no motion",
               model->constraint[model->row[s->row[j]].constraint].name, node->t);
      return CARDAN_ERR_JUMP;
    }
  }
  return CARDAN_OK;
}

/* The node's momentum changes by sign K nu. */
static void push_kicks(cardan__discrete *d, const double *K, double sign, const double *nu)
{
  cardan__rolling *s = d->rolling;
  const size_t n = (size_t)s->n, nv = (size_t)d->model->nv;
  memset(s->kick, 0, nv * sizeof *s->kick);
  for (size_t j = 0; j < n; j++) {
    for (size_t k = 0; k < nv; k++) {
      s->kick[k] += sign * nu[j] * K[j * nv + k];
    }
  }
  d->equation->push(d, s->kick);
}

/* ---- the step ---- */

static cardan_status no_end(cardan__discrete *d, double left)
{
  const cardan__rolling *s = d->rolling;
  cardan_info *info = &d->node->info;
  if (s->least < lost) {
    return fail_singular(d, left);
  }
  *info = (cardan_info){.body = -1, .joint = -1, .row = d->rolling->row[0], .residual = left};
  snprintf(info->message, sizeof info->message,
           "velocities at the end of the step do not settle on the constraints, %.2g of the motion "
           "is left after %d rounds: the step is too long",
           left / d->rolling->speed, MOST_ROUNDS);
  return CARDAN_ERR_NO_CONVERGENCE;
}

/* Another round, from where this one ended. */
static void go_back(cardan__discrete *d, const cardan__rolling_calls *calls, int round)
{
  cardan__rolling *s = d->rolling;
  memcpy(s->lambda, d->border.lambda, (size_t)d->border.nloop * sizeof *s->lambda);
  memcpy(s->x, d->x.dq, (size_t)d->model->nv * sizeof *s->x);
  calls->exchange(d, s->kept, true);
  memcpy(d->border.lambda, s->lambda, (size_t)d->border.nloop * sizeof *s->lambda);
  cardan__kick_improve(s->n, round, s->f, s->nu, s->f_old, s->nu_old);
  s->again = true;
}

/* K at the node that the step starts from: that of the end of the step before, or, where it is
 * another, made. The node is as it was. */
cardan_status cardan__rolling_look(cardan__discrete *d)
{
  cardan__rolling *s = d->rolling;
  cardan_status status = CARDAN_OK;
  if (!s->fresh) {
    status = look_at_node(d, &s->at[0]);
    s->fresh = status == CARDAN_OK;
  }
  return status;
}

cardan__attempt cardan__rolling_substep(cardan__discrete *d, double h, double t_end,
                                        const cardan__rolling_calls *calls)
{
  cardan__rolling *s = d->rolling;
  const int stage = d->stages.now;
  const bool given = d->two_point && !d->started; // there is no equation at the first node
  double *history = s->history + 2 * (size_t)stage * (size_t)s->n;
  double before = HUGE_VAL;
  cardan__attempt attempt = cardan__attempt_of(cardan__rolling_look(d));
  if (!cardan__attempt_accepted(attempt)) {
    return attempt;
  }
  calls->exchange(d, s->kept, false);
  memcpy(s->q_node, d->node->q, (size_t)d->model->nq * sizeof *s->q_node);
  cardan__kick_guess(s->n, s->have[stage], history, s->nu);
  s->again = false;
  for (int round = 0;; round++) {
    push_kicks(d, s->at[0].K, 1, s->nu);
    attempt = calls->plain(d, h, t_end);
    cardan_status status = CARDAN_OK;
    if (cardan__attempt_accepted(attempt)) {
      status = look_at_node(d, &s->at[1]);
      attempt = status == CARDAN_OK ? attempt : cardan__attempt_of(status);
    }
    if (!cardan__attempt_accepted(attempt)) {
      break;
    }
    const double now = given ? 0 : cardan__kick_difference(s->n, s->e, s->nu, s->f);
    const double good = stalled * s->speed + 10 * s->noise / fabs(h);
    if (now <= settled * s->speed + at_rest || (now <= good && now >= 0.5 * before)) {
      break;
    }
    before = fmin(before, now);
    if (round == MOST_ROUNDS || !isfinite(now)) {
      attempt = cardan__attempt_of(no_end(d, now));
      break;
    }
    go_back(d, calls, round);
  }
  s->again = false;
  if (cardan__attempt_accepted(attempt)) {
    attempt = cardan__attempt_of(check_redundant(d));
  }
  if (cardan__attempt_accepted(attempt)) {
    attempt = calls->test(d);
  }
  if (!cardan__attempt_accepted(attempt)) {
    const cardan_info info = d->node->info;
    calls->exchange(d, s->kept, true);
    d->node->info = info;
    return attempt;
  }
  push_kicks(d, s->at[1].K, -1, s->e);
  if (!given) {
    cardan__kick_remember(s->n, s->e, &s->have[stage], history);
  }
  const cardan__rolling_node swap = s->at[0];
  s->at[0] = s->at[1];
  s->at[1] = swap;
  return attempt;
}
