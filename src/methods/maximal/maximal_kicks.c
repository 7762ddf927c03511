// SPDX-License-Identifier: Apache-2.0
#include "methods/maximal/maximal_kicks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/linalg.h"
#include "linalg/small.h"
#include "methods/discrete/kicks.h"

/* Form K of docs/methods/rolling.md for rattle. With the rows A of velocity level, those of the
 * middle A_m (maximal_rolling.c), S = A M_G^-1 A^T on the motions that the other rows leave, and a
 * root of its inverse, S^-1 = R^T R, a step solves, beside (E1) to (E3) of rattle.c,
 *   D(x) M x + J_n^T l + A_m^T l_a = h M v_n + h^2/2 F_n + h A_n^T R_n^T nu,   A_m x = h b_m  (K1)
 *   p = D(-x) M x / h - A_m^T l_a / h                                                         (K2)
 *   [M J^T; J 0]_{n+1} [v_{n+1}; s] = [p + h/2 F_{n+1}; -Phi_t, b],  nu = R_{n+1} S_{n+1} s_a  (K3)
 * s_a are the impulses R^T nu that put the end on its rows. nu is found by rounds around (K1) and
 * (K3), which start from the x and l of the round before (discrete/kicks.h).
 *
 * The inverse of S on the rows that are not idle is what (K3)'s matrix makes of unit rates,
 *   [M J^T; J 0] [X; -S^-1] = [0; 1],   J X = E,   S = E (S^-1)^-1 E^T                         (K4)
 * with all rows in E, so that R is smooth whichever rows are idle. Both ends of a step have factors
 * of their own: those of the end are the next step's. */

enum { MOST_ROUNDS = 60 };
static const double settled = 2e-14; // of sqrt(2 T): nu and what (K3) makes of it agree
static const double at_rest = 1e-100;
static const double stalled = 1e-10; // the same where rounding lets nothing better
static const double rubbed = 1e-7;   // and where forces are found by iteration
static const double lost = 1e-6;     // of an eigenvalue of S: rows are 1e-3 apart
static const double nothing = 1e-13; // of a row's response without the others: rounding

/* ---- memory ---- */

static void layout(void *what, cardan__carver *c)
{
  const cardan__mx_stepper *s = what;
  cardan__mx_kicks *k = s->rolling->kicks;
  const cardan__maximal *mx = s->mx;
  const size_t n = (size_t)s->rolling->n, nx = (size_t)mx->nx, neq = (size_t)mx->neq;
  double **const squares[] = {&k->root[0], &k->root[1], &k->S[0], &k->S[1], &k->V, &k->T, &k->E};
  double **const rows[] = {&k->size, &k->y, &k->impulse, &k->e,
                           &k->nu,   &k->f, &k->f_old,   &k->nu_old};
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
    *squares[i] = CARDAN__CARVE(c, n * n, double);
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    *rows[i] = CARDAN__CARVE(c, n, double);
  }
  k->eigen = CARDAN__CARVE(c, n + cardan__eigen_symmetric_work((int)n), double);
  k->history = CARDAN__CARVE(c, 2 * n, double);
  k->J = CARDAN__CARVE(c, mx->nentry * mx->dof, double);
  k->X = CARDAN__CARVE(c, nx, double);
  k->rhs = CARDAN__CARVE(c, nx, double);
  k->l = CARDAN__CARVE(c, neq, double);
  k->Jx = CARDAN__CARVE(c, neq, double);
}

cardan_status cardan__mx_kicks_open(cardan__mx_stepper *s)
{
  const cardan_allocator *allocator = &s->base.allocator;
  if (s->rolling == NULL) {
    return CARDAN_OK;
  }
  cardan__mx_kicks *k = cardan__resize(allocator, NULL, sizeof *k);
  if (k == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *k = (cardan__mx_kicks){.kkt = NULL};
  s->rolling->kicks = k;
  k->block = cardan__carve_block(allocator, layout, s);
  return k->block != NULL ? cardan__kkt_create(s->mx, s->kkt->kind, allocator, &k->kkt)
                          : CARDAN_ERR_MEMORY;
}

/* The factors and rows of a step's other end. */
static void exchange(cardan__mx_stepper *s)
{
  cardan__mx_kicks *k = s->rolling->kicks;
  cardan__kkt *kkt = s->kkt;
  double *J = s->mx->J;
  s->kkt = k->kkt;
  s->mx->J = k->J;
  k->kkt = kkt;
  k->J = J;
}

void cardan__mx_kicks_close(cardan__mx_stepper *s)
{
  if (s->rolling != NULL && s->rolling->kicks != NULL) {
    cardan__kkt_destroy(s->rolling->kicks->kkt);
    cardan__resize(&s->base.allocator, s->rolling->kicks->block, 0);
    cardan__resize(&s->base.allocator, s->rolling->kicks, 0);
    s->rolling->kicks = NULL;
  }
}

void cardan__mx_kicks_start(cardan__mx_stepper *s)
{
  if (s->rolling != NULL) {
    s->rolling->kicks->have = 0;
    s->rolling->kicks->fresh = false;
  }
}

void cardan__mx_kicks_forget(cardan__mx_stepper *s)
{
  if (s->rolling != NULL) {
    s->rolling->kicks->fresh = false;
  }
}

void cardan__mx_kicks_spans(cardan__mx_stepper *s, cardan__spans *list)
{
  if (s->rolling != NULL) {
    cardan__mx_kicks *k = s->rolling->kicks;
    cardan__spans_add(list, k->history, 2 * (size_t)s->rolling->n, sizeof *k->history);
    cardan__spans_ints(list, &k->have, 1, 0, 2);
  }
}

/* ---- the basis ---- */

/* What row e responds with where no other row holds. */
static double response_alone(cardan__mx_stepper *s, int e)
{
  const cardan__maximal *mx = s->mx;
  cardan__mx_kicks *k = s->rolling->kicks;
  memset(k->l, 0, (size_t)mx->neq * sizeof *k->l);
  memset(k->X, 0, (size_t)mx->nx * sizeof *k->X);
  k->l[e] = 1;
  cardan__mx_transpose(mx, 1, k->l, k->X);
  cardan__mx_mass_solve(mx, k->X, k->X);
  cardan__mx_apply(mx, k->X, k->Jx);
  return k->Jx[e];
}

/* (K4): T = S^-1 of the rows that are not idle, and E. Returns how many they are. */
static int respond(cardan__mx_stepper *s)
{
  const cardan__mx_rolling *r = s->rolling;
  const cardan__maximal *mx = s->mx;
  cardan__mx_kicks *k = r->kicks;
  const int n = r->n;
  int rank = 0;
  for (int j = 0; j < n; j++) {
    rank += !s->kkt->idle[r->eq[j]];
  }
  for (int j = 0, col = 0; j < n; j++) {
    if (s->kkt->idle[r->eq[j]]) {
      continue;
    }
    memset(k->l, 0, (size_t)mx->neq * sizeof *k->l);
    k->l[r->eq[j]] = 1;
    cardan__kkt_solve(s->kkt, NULL, k->l, k->X, k->l);
    cardan__mx_apply(mx, k->X, k->Jx);
    for (int i = 0, row = 0; i < n; i++) {
      const int e = r->eq[i];
      k->E[i * rank + col] = k->Jx[e];
      if (!s->kkt->idle[e]) {
        k->T[row++ * rank + col] = -k->l[e];
      }
    }
    col++;
  }
  return rank;
}

/* S = E T^-1 E^T with T = L L^T, as products of the columns of L^-1 E^T, to E. */
static bool multiply(const cardan__mx_kicks *k, int n, int rank, double *S)
{
  for (int i = 0; i < rank; i++) {
    for (int j = 0; j < i; j++) {
      k->T[i * rank + j] = 0.5 * (k->T[i * rank + j] + k->T[j * rank + i]);
    }
  }
  if (cardan__cholesky(rank, k->T, 0) >= 0) {
    return false;
  }
  for (int r = 0; r < n; r++) {
    double *y = k->E + r * rank;
    for (int i = 0; i < rank; i++) {
      y[i] = (y[i] - cardan__dot(i, k->T + i * rank, y)) / k->T[i * rank + i];
    }
    for (int j = 0; j <= r; j++) {
      S[r * n + j] = S[j * n + r] = cardan__dot(rank, y, k->E + j * rank);
    }
  }
  return true;
}

/* What corrections of the tolerance leave of row e. */
static double left_over(const cardan__mx_stepper *s, int e)
{
  const cardan__maximal *mx = s->mx;
  const int n = mx->dof, r = mx->row[e];
  double sum = 0;
  for (int i = mx->ent[r] * n; i < (mx->ent[r] + mx->nent[r]) * n; i++) {
    sum += fabs(mx->J[i]) * (i % n < n / 2 ? 1 : s->length);
  }
  return sum * s->tol;
}

/* R and S at the rows that are factored, the node's or the end's, and e = R S impulse. */
static cardan_status make_root(cardan__mx_stepper *s, int end, const double *impulse)
{
  const cardan__mx_rolling *r = s->rolling;
  cardan__mx_kicks *k = r->kicks;
  const int n = r->n, rank = respond(s);
  double *S = k->S[end], *root = k->root[end];
  int least = 0;
  if (!multiply(k, n, rank, S)) {
    return CARDAN_ERR_NOT_FINITE;
  }
  k->noise = 0;
  for (int i = 0; i < n; i++) {
    const double alone = s->kkt->idle[r->eq[i]] ? response_alone(s, r->eq[i]) : 0;
    const double own = S[i * n + i];
    k->size[i] = own > nothing * alone && own > 0 ? 1 / sqrt(own) : 0;
    k->noise = fmax(k->noise, k->size[i] * left_over(s, r->eq[i]));
    k->y[i] = impulse != NULL ? cardan__dot(n, S + i * n, impulse) : 0;
  }
  memcpy(k->V, S, (size_t)n * (size_t)n * sizeof *S);
  if (!cardan__kick_root(n, rank, k->V, k->size, k->eigen, root)) {
    return CARDAN_ERR_NOT_FINITE;
  }
  k->least = cardan__kick_least(n, rank, k->V, k->eigen, &least);
  k->least_row = s->mx->row[r->eq[least]];
  for (int i = 0; i < n; i++) {
    k->e[i] = cardan__dot(n, root + i * n, k->y);
  }
  return CARDAN_OK;
}

/* ---- the rounds ---- */

/* rhs of (K1) with the kick of the node. */
static void push(cardan__mx_stepper *s, double h)
{
  const cardan__mx_rolling *r = s->rolling;
  const cardan__mx_kicks *k = r->kicks;
  const cardan__maximal *mx = s->mx;
  const int n = r->n;
  memcpy(s->rhs, k->rhs, (size_t)mx->nx * sizeof *s->rhs);
  memset(k->l, 0, (size_t)mx->neq * sizeof *k->l);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      k->l[r->eq[j]] += h * k->nu[i] * k->root[0][i * n + j];
    }
  }
  cardan__mx_transpose(mx, 1, k->l, s->rhs);
}

/* sqrt(2 T) of vel. */
static double find_speed(const cardan__mx_stepper *s, const double *vel)
{
  double *p = s->rolling->kicks->X;
  cardan__mx_mass_mul(s->mx, vel, p);
  return sqrt(cardan__dot(s->mx->nx, p, vel));
}

/* sqrt(l^T S l) at the node: what impulses l do to the motion. */
static double find_size(const cardan__mx_stepper *s, const double *l)
{
  const cardan__mx_rolling *r = s->rolling;
  double sum = 0;
  for (int i = 0; i < r->n; i++) {
    for (int j = 0; j < r->n; j++) {
      sum += l[r->eq[i]] * r->kicks->S[0][i * r->n + j] * l[r->eq[j]];
    }
  }
  return sqrt(fmax(0, sum));
}

double cardan__mx_kicks_change(const cardan__mx_stepper *s)
{
  if (s->rolling == NULL || s->rolling->kicks == NULL) {
    return 0;
  }
  const cardan__mx_rolling *r = s->rolling;
  const double whole = find_size(s, s->lambda) + fabs(s->mx->t - r->t) * r->kicks->from;
  return whole > 0 ? find_size(s, s->dl) / whole : 0;
}

/* (K1) to (K3) with nu as it is, and e. The factors are then those of the end, or of the node. */
static cardan_status attempt_round(cardan__mx_stepper *s, double h, const cardan__mx_round *round)
{
  const cardan__mx_rolling *r = s->rolling;
  cardan__mx_kicks *k = r->kicks;
  push(s, h);
  cardan_status status = round->displace(round->self);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__mx_rolling_look(s);
  cardan__mx_turns_at(s, s->turns.q, s->x);
  cardan__mx_rolling_end(s, -1 / h, s->lambda, s->rhs);
  exchange(s);
  k->at_end = true;
  status = round->finish(round->self);
  for (int j = 0; j < r->n && status == CARDAN_OK; j++) {
    k->impulse[j] = s->dl[r->eq[j]];
  }
  status = status == CARDAN_OK ? make_root(s, 1, k->impulse) : status;
  k->speed = status == CARDAN_OK ? find_speed(s, s->vel_try) : 0;
  return status;
}

/* Back to the factors of the node. */
static void return_to_node(cardan__mx_stepper *s)
{
  if (s->rolling->kicks->at_end) {
    exchange(s);
    s->rolling->kicks->at_end = false;
  }
}

static cardan_status no_end(cardan__mx_stepper *s, cardan_data *data, double left)
{
  const cardan__mx_kicks *k = s->rolling->kicks;
  const char *name = cardan__mx_row_name(s->mx, k->least_row);
  data->info = (cardan_info){.body = -1, .joint = -1, .residual = left};
  data->info.row = k->least_row - s->mx->row_model;
  if (k->least < lost) {
    snprintf(data->info.message, sizeof data->info.message,
             "singular position at t = %.9g s: constraint \"%.60s\" follows from the others there, "
             "and speeds would jump",
             data->t, name);
    data->info.whole = true;
    return CARDAN_ERR_SINGULAR;
  }
  snprintf(data->info.message, sizeof data->info.message,
           "velocities at the end of the step do not settle on the constraints, %.2g of the motion "
           "is left after %d rounds: the step is too long",
           left / k->speed, MOST_ROUNDS);
  return CARDAN_ERR_NO_CONVERGENCE;
}

/* Rounds from the first guess of nu on. The factors are then those of the end. */
static cardan_status settle(cardan__mx_stepper *s, cardan_data *data, double h,
                            const cardan__mx_round *round)
{
  const int n = s->rolling->n;
  cardan__mx_kicks *k = s->rolling->kicks;
  double before = HUGE_VAL;
  for (int i = 0;; i++) {
    const cardan_status status = attempt_round(s, h, round);
    if (status != CARDAN_OK) {
      return status;
    }
    const double now = cardan__kick_difference(n, k->e, k->nu, k->f);
    const double good = stalled * k->speed + 10 * k->noise / fabs(h);
    if (now <= settled * k->speed + at_rest || (now <= good && now >= 0.5 * before) ||
        (s->base.model->has_friction && now <= rubbed * k->speed)) {
      return CARDAN_OK;
    }
    before = fmin(before, now);
    if (i == MOST_ROUNDS || !isfinite(now)) {
      return no_end(s, data, now);
    }
    return_to_node(s);
    cardan__kick_improve(n, i, k->f, k->nu, k->f_old, k->nu_old);
    s->displacement.again = !s->base.model->has_friction; // which solves for lambda at the end
  }
}

cardan_status cardan__mx_kick_step(cardan__mx_stepper *s, cardan_data *data, double h,
                                   const cardan__mx_round *round)
{
  const int n = s->rolling->n;
  cardan__mx_kicks *k = s->rolling->kicks;
  cardan_status status = CARDAN_OK;
  if (!k->fresh) {
    status = make_root(s, 0, NULL);
    k->fresh = status == CARDAN_OK;
  }
  if (status != CARDAN_OK) {
    return status;
  }
  k->from = find_speed(s, s->vel);
  memcpy(k->rhs, s->rhs, (size_t)s->mx->nx * sizeof *s->rhs);
  cardan__kick_guess(n, k->have, k->history, k->nu);
  k->at_end = s->displacement.again = false;
  status = settle(s, data, h, round);
  s->displacement.again = false;
  if (status == CARDAN_OK && s->kkt->nidle > 0) {
    status = cardan__mx_check_rates(s, data, s->cfg_try, s->vel_try);
  }
  if (status != CARDAN_OK) {
    return_to_node(s);
  }
  return status;
}

void cardan__mx_kicks_accept(cardan__mx_stepper *s)
{
  if (s->rolling != NULL) {
    cardan__mx_kicks *k = s->rolling->kicks;
    double *root = k->root[0], *S = k->S[0];
    k->root[0] = k->root[1];
    k->root[1] = root;
    k->S[0] = k->S[1];
    k->S[1] = S;
    cardan__kick_remember(s->rolling->n, k->e, &k->have, k->history);
  }
}
