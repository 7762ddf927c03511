// SPDX-License-Identifier: Apache-2.0
#include "dynamics/schur.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "constraints/sparse_kkt.h"
#include "model/data.h"
#include "spatial/spatial.h"

/* The Schur complement of the tree's equations of motion, dense.
 * [1] D. Baraff, Linear-time dynamics using Lagrange multipliers, SIGGRAPH 1996, where loops are
 *     the auxiliary constraints.
 *
 *   W = M^-1 J^T      one O(n) solve for each row                                       (E1)
 *   S = J W           k x k                                                             (E2)
 * Cost O(k n + k^3) for k rows. J is never formed: a row acts on the bodies' motions that the solve
 * (E1) leaves behind.
 *
 * Where the model's rows are independent (model->rank = k), S is positive definite but at singular
 * positions, and Cholesky does. Otherwise S has that rank, and semidefinite.c solves it. Which rows
 * are the basic ones is decided at every position again: a choice that is good at the start of a
 * Bennett or Bricard linkage goes bad in its motion, though the linkage is nowhere singular. How
 * many they are is not decided here. It is known from the load, where rows are compared at several
 * places to within 1e-5 of their length, and a pivot cannot tell: a row that follows from others
 * has 1e-10 of its diagonal left where the file's digits leave 1e-5 of the row, and 1e-12 where
 * assembly leaves 1e-6 of a turn that rows hold only to second order; a row that counts has no more
 * than that left near a singular position. */

/* Smallest part of a row that the earlier rows may leave, squared and in the metric of S: rounding
 * of S is some 1e-16 of its diagonal times the number of bodies; 1e-13 is as near as a position may
 * come to a singular one, about 3e-7 in the sine of the angle between rows. */
static const double smallest_pivot = 1e-13;

/* What a row counts is judged by its size: the largest diagonal entry that it had so far. A row can
 * be short at a singular position (all links along it), to rounding, and is not independent of the
 * others then. Some of the size of other rows it is at least (cardan__least_size). */

static void close_web(cardan_loops *loops)
{
  cardan__sparse_kkt_destroy(loops->kkt);
}

cardan_status cardan__schur_open(const cardan_model *model, const cardan_allocator *allocator,
                                 cardan_loops *loops)
{
  loops->kkt = NULL;
  loops->close = close_web;
  return cardan__sparse_kkt_suits(model)
             ? cardan__sparse_kkt_create(model, NULL, allocator, &loops->kkt)
             : CARDAN_OK;
}

void cardan__schur_layout(cardan__carver *c, const cardan_model *model, cardan_loops *loops)
{
  const size_t k = loops->kkt == NULL ? (size_t)model->nrow : 0;
  const size_t dependent = model->rank < model->nrow ? k : 0;
  cardan__semidefinite *f = &loops->S;
  loops->W = CARDAN__CARVE(c, k * (size_t)model->nv, double);
  f->n = model->nrow;
  f->S = CARDAN__CARVE(c, k * k, double);
  f->T = CARDAN__CARVE(c, dependent * k, double);
  f->G = CARDAN__CARVE(c, dependent * k, double);
  f->order = CARDAN__CARVE(c, dependent, int);
  f->size = CARDAN__CARVE(c, model->nrow, double);
  f->left = CARDAN__CARVE(c, dependent, double);
  f->x = CARDAN__CARVE(c, dependent, double);
}

/* Row r as forces (body wrenches to f, joint forces to tau), or taken out of f again (scale 0). */
static void load_row(const cardan_model *model, const cardan_rows *rows, int r, double scale,
                     cardan_force *f, double *tau)
{
  const cardan_row *row = &model->row[r];
  for (int i = row->badr; i < row->badr + row->nb; i++) {
    f[model->row_body[i]] = cardan__force_scale(scale, rows->w[i]);
  }
  for (int i = row->dadr; i < row->dadr + row->nd; i++) {
    tau[model->row_dof[i]] += scale * rows->c[i];
  }
}

/* (E1) of one row: W_r = M^-1 J_r^T, and in data->A the bodies' motions. loops->f is 0 before and
 * after. */
static void respond(const cardan_model *model, cardan_data *data, int r, double *Wr)
{
  cardan_force *f = data->loops->f;
  memset(Wr, 0, (size_t)model->nv * sizeof *Wr);
  load_row(model, &data->rows, r, 1.0, f, Wr);
  cardan_factor_solve(model, data, f, Wr, Wr);
  load_row(model, &data->rows, r, 0.0, f, Wr);
}

void cardan__schur_matrix(const cardan_model *model, cardan_data *data, double *S)
{
  const cardan__rowset set = cardan__model_rows(model);
  const size_t k = (size_t)model->nrow;
  memset(data->loops->f, 0, (size_t)model->nbody * sizeof *data->loops->f);
  for (int r = 0; r < model->nrow; r++) {
    respond(model, data, r, data->tau_work);
    for (int s = r; s < model->nrow; s++) {
      S[(size_t)s * k + (size_t)r] = S[(size_t)r * k + (size_t)s] =
          cardan__row_dot(&set, &data->rows, s, data->A, data->tau_work); // (E2)
    }
  }
}

/* W and the lower triangle of S. */
static void make(const cardan_model *model, cardan_data *data)
{
  const cardan__rowset set = cardan__model_rows(model);
  const cardan_loops *w = data->loops;
  const size_t nv = (size_t)model->nv, k = (size_t)model->nrow;
  memset(w->f, 0, (size_t)model->nbody * sizeof *w->f);
  for (int r = 0; r < model->nrow; r++) {
    double *Wr = w->W + (size_t)r * nv;
    respond(model, data, r, Wr); // (E1)
    // column r of S, below the diagonal: what every later row sees of this response
    for (int s = r; s < model->nrow; s++) {
      w->S.S[(size_t)s * k + (size_t)r] =
          cardan__row_dot(&set, &data->rows, s, data->A, Wr); // (E2)
    }
    for (int s = r + 1; s < model->nrow && w->positions; s++) {
      if (model->row[r].velocity || model->row[s].velocity) { // alone: its right-hand side is 0
        w->S.S[(size_t)s * k + (size_t)r] = 0.0;
      }
    }
  }
}

/* Sizes of the rows that have none yet. */
static void begin_sizes(const cardan_model *model, const cardan_loops *w)
{
  const size_t k = (size_t)model->nrow;
  const double part = cardan__least_size(model);
  double largest = 0.0;
  for (size_t r = 0; r < k; r++) {
    const double length = model->row[r].length;
    largest = fmax(largest, w->S.S[r * k + r] / (length * length));
  }
  for (size_t r = 0; r < k; r++) {
    const double length = model->row[r].length;
    w->S.size[r] = fmax(w->S.size[r], part * length * length * largest);
  }
}

/* Sizes of the rows, from the diagonal of S. */
static void measure(const cardan_model *model, const cardan_loops *w)
{
  const size_t k = (size_t)model->nrow;
  bool unknown = false;
  for (size_t r = 0; r < k; r++) {
    unknown = unknown || !(w->S.size[r] > 0.0);
  }
  for (size_t r = 0; r < k && (unknown || !w->steady); r++) {
    w->S.size[r] = fmax(w->S.size[r], w->S.S[r * k + r]);
  }
  if (unknown) {
    begin_sizes(model, w);
  }
}

static cardan_status lost_rank(const cardan_model *model, cardan_data *data, int row)
{
  data->info.row = row;
  cardan__rank_see(&data->loops->rank, 0.0, row);
  snprintf(data->info.message, sizeof data->info.message,
           "singular position at t = %.9g s: constraint \"%.60s\" has become redundant", data->t,
           model->constraint[model->row[row].constraint].name);
  return CARDAN_ERR_SINGULAR;
}

/* The same by the kkt. */
static cardan_status factor_web(const cardan_model *model, cardan_data *data)
{
  cardan_loops *w = data->loops;
  cardan_status status = cardan__sparse_kkt_factor(w->kkt, data);
  if (status == CARDAN_OK) {
    int row = 0;
    const double ratio = cardan__sparse_kkt_residual(w->kkt, &row);
    cardan__rank_see(&w->rank, ratio, row);
    status = ratio > 0.0 ? CARDAN_OK : lost_rank(model, data, row);
  }
  cardan__made(data, status == CARDAN_OK ? CARDAN_FRESH_LOOPS : 0, CARDAN_FRESH_LOOPS);
  return status;
}

cardan_status cardan__schur_factor(const cardan_model *model, cardan_data *data)
{
  cardan__semidefinite *S = &data->loops->S;
  cardan__rank_monitor *rank = &data->loops->rank;
  int lost = -1;
  if (data->loops->kkt != NULL) {
    return factor_web(model, data);
  }
  const int count =
      data->loops->positions ? model->position_rank + model->nvelocity_row : model->rank;
  make(model, data);
  measure(model, data->loops);
  for (int r = 0; r < model->nrow && data->loops->positions; r++) {
    if (model->row[r].velocity) { // a pivot of its own, whatever the row is here
      S->S[(size_t)r * (size_t)model->nrow + (size_t)r] = S->size[r];
    }
  }
  if (model->rank == model->nrow) {
    cardan__rank_begin(rank);
    lost = cardan__semidefinite_factor_all(S, smallest_pivot, rank);
    if (lost < 0) {
      cardan__rank_end(rank);
      lost = rank->ratio > smallest_pivot ? -1 : rank->row;
    }
  } else if (cardan__semidefinite_factor(S, count, smallest_pivot) < count) {
    lost = S->order[S->rank];
  } else {
    cardan__rank_see(rank, S->last, S->order[S->rank - 1]);
  }
  cardan__made(data, lost < 0 ? CARDAN_FRESH_LOOPS : 0, CARDAN_FRESH_LOOPS);
  return lost < 0 ? CARDAN_OK : lost_rank(model, data, lost);
}

void cardan__schur_solve(const cardan_model *model, cardan_data *data, double *y, double *x)
{
  const cardan_loops *w = data->loops;
  if (w->kkt != NULL) {
    cardan__sparse_kkt_correct(w->kkt, data, y, x);
    return;
  }
  cardan__semidefinite_solve(&w->S, y);
  for (int r = 0; r < model->nrow; r++) {
    const double *Wr = w->W + (size_t)r * (size_t)model->nv;
    for (int i = 0; i < model->nv; i++) {
      x[i] += y[r] * Wr[i];
    }
  }
}
