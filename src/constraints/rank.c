// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/assemble.h"
#include "linalg/linalg.h"
#include "model/build.h"

/* How many of the constraints count, and which.
 *
 * A row is redundant when the others already give it, at this place and at all near it. Rank at one
 * place can be too low: at a singular position (a flat parallelogram) rows depend on one another
 * that do not an inch away. So the rank is the largest over the start and some places around it,
 * and the rows are chosen there: by pivoted QR at each of these, the choice kept that is best
 * conditioned at the worst of them. Rows are compared by direction: each is scaled to length 1.
 * Around the start, drivers and prescribed coordinates are free: a driven mechanism could not
 * move. */

static const double rcond = 1e-9;   // between rounding, 1e-13, and errors of model files, 1e-4
static const double nothing = 1e-9; // a row shorter than this, of lengths about 1, is rounding
static const double nothing_expr = 1e-12; // the same for an equation, whose unit is anyone's guess
static const double shake = 0.1;          // how far around [rad, or sizes of the mechanism]

enum { PLACES = 4 }; // the start and three more

typedef struct {
  cardan_model *model;
  cardan__assembler as;
  double *J[PLACES]; // nrow x nv each: unit rows over the dynamic coordinates
  int rank[PLACES];
  int *order[PLACES]; // nrow each
  int nplace;
  double *copy, *work;
  int *chosen; // nrow
  void *block;
} analysis;

#define CARVE(c, count, type) (type *)cardan__carve(c, (size_t)(count), sizeof(type))

static void layout(analysis *an, cardan__carver *c)
{
  const cardan_model *m = an->model;
  const size_t size = (size_t)m->nrow * (size_t)m->nv;
  for (int i = 0; i < PLACES; i++) {
    an->J[i] = CARVE(c, size, double);
    an->order[i] = CARVE(c, m->nrow, int);
  }
  an->copy = CARVE(c, size, double);
  an->chosen = CARVE(c, m->nrow, int);
  an->work = CARVE(c, cardan__independent_work(m->nrow, m->nv), double);
}

/* Free (or locked again): prescribed coordinates, and the rows of drivers. */
static void free_drivers(analysis *an, bool yes)
{
  const cardan_model *model = an->model;
  for (int r = 0; r < model->nrow; r++) {
    an->as.active[r] = !yes || model->row[r].kind != CARDAN_ROW_MOTION;
  }
  for (int k = 0; k < model->nv; k++) {
    an->as.locked[k] = !yes && (model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC);
  }
}

/* Unit rows at data's q, to the next place. */
static void take_place(analysis *an)
{
  const cardan_model *model = an->model;
  double *J = an->J[an->nplace++];
  free_drivers(an, false);
  cardan__assembler_look(&an->as);
  cardan__assembler_linearise(&an->as);
  memcpy(J, an->as.J, (size_t)model->nrow * (size_t)model->nv * sizeof *J);
  for (int r = 0; r < model->nrow; r++, J += model->nv) {
    const double least = model->row[r].kind == CARDAN_ROW_EXPR ? nothing_expr : nothing;
    double square = 0.0;
    for (int k = 0; k < model->nv; k++) {
      square += J[k] * J[k];
    }
    const double scale = sqrt(square) > least ? 1.0 / sqrt(square) : 0.0;
    for (int k = 0; k < model->nv; k++) {
      J[k] *= scale;
    }
  }
}

/* Rank of n of the rows at a place. */
static int rank_of(analysis *an, int place, const int *rows, int n, int *order, double *spread)
{
  const size_t nv = (size_t)an->model->nv;
  for (int i = 0; i < n; i++) {
    const size_t from = (size_t)(rows ? rows[i] : i);
    memcpy(an->copy + (size_t)i * nv, an->J[place] + from * nv, nv * sizeof *an->copy);
  }
  return cardan__independent(n, an->model->nv, an->copy, rcond, order, spread, an->work);
}

/* Places around the start, as far as they can be closed. */
static void visit_places(analysis *an, const double *q)
{
  cardan_data *data = an->as.data;
  for (int i = 1; i < PLACES; i++) {
    memcpy(data->q, q, (size_t)an->model->nq * sizeof *q);
    free_drivers(an, true);
    cardan__assembler_shake(&an->as, shake, 100 + i);
    if (cardan__assembler_close_loops(&an->as)) {
      take_place(an);
    }
  }
}

/* Of the choices of the places with the largest rank, the one that is best at its worst place. */
static void choose(analysis *an)
{
  cardan_model *model = an->model;
  double best = -1.0;
  int largest = 0, winner = 0;
  for (int i = 0; i < an->nplace; i++) {
    an->rank[i] = rank_of(an, i, NULL, model->nrow, an->order[i], NULL);
    largest = an->rank[i] > largest ? an->rank[i] : largest;
  }
  for (int i = 0; i < an->nplace; i++) {
    double worst = an->rank[i] == largest ? 1.0 : -1.0;
    for (int j = 0; j < an->nplace && worst >= 0.0; j++) {
      double spread = 1.0;
      if (an->rank[j] == largest) {
        const int rank = rank_of(an, j, an->order[i], largest, an->chosen, &spread);
        worst = fmin(worst, rank == largest ? spread : 0.0);
      }
    }
    if (worst > best) {
      best = worst;
      winner = i;
    }
  }
  for (int r = 0; r < model->nrow; r++) {
    model->row_redundant[r] = true;
  }
  for (int i = 0; i < largest; i++) {
    model->row_redundant[an->order[winner][i]] = false;
  }
  model->rank = largest;
}

static cardan_status out_of_memory(cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "out of memory");
}

/* Rank of the rows around data's assembled state. */
static cardan_status find_rank(cardan_model *model, cardan_data *data, cardan_report *report)
{
  analysis an = {.model = model};
  cardan__carver c = {0};
  if (cardan__assembler_open(&an.as, model, data, false) != CARDAN_OK) {
    return out_of_memory(report);
  }
  layout(&an, &c);
  const size_t size = cardan__carver_size(&c);
  an.block = size > 0 ? cardan__resize(&data->allocator, NULL, size) : NULL;
  double *q = cardan__resize(&data->allocator, NULL, ((size_t)model->nq + 1) * sizeof *q);
  const bool ok = an.block && q;
  if (ok) {
    c = cardan__carver_over(an.block);
    layout(&an, &c);
    memcpy(q, data->q, (size_t)model->nq * sizeof *q);
    take_place(&an);
    memcpy(an.copy, an.J[0], (size_t)model->nrow * (size_t)model->nv * sizeof *an.copy);
    // independent here is independent around here: most models end at this
    if (!cardan__rows_independent(model->nrow, model->nv, an.copy, rcond, an.work)) {
      visit_places(&an, q);
      choose(&an);
    }
  }
  cardan__resize(&data->allocator, q, 0);
  cardan__resize(&data->allocator, an.block, 0);
  cardan__assembler_close(&an.as);
  return ok ? CARDAN_OK : out_of_memory(report);
}

/* The same for a model that may be large: most have independent rows, and need nothing dense to
 * show it. */
static cardan_status find_rank_of_many(cardan_model *model, cardan_data *data,
                                       cardan_report *report)
{
  const int independent =
      cardan__assembler_large(model) ? cardan__rows_surely_independent(model, data) : 0;
  if (independent != 0) {
    return independent > 0 ? CARDAN_OK : out_of_memory(report);
  }
  if ((double)model->nrow * (double)model->nv <= CARDAN__DENSE_ROWS) {
    return find_rank(model, data, report);
  }
  if (model->nwarning < CARDAN__MAX_WARNING) {
    model->warning[model->nwarning++] =
        "too many constraints to decide which are redundant: all of them count as independent";
  }
  return CARDAN_OK;
}

cardan_status cardan__model_analyze(cardan_model *model, cardan_report *report)
{
  cardan_data *data = NULL;
  int dynamic = 0;
  for (int k = 0; k < model->nv; k++) {
    dynamic += !(model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC);
  }
  memset(model->row_redundant, 0, (size_t)model->nrow * sizeof *model->row_redundant);
  model->rank = model->nrow;
  model->mobility = dynamic - model->rank;
  if (model->nrow == 0) {
    return CARDAN_OK;
  }
  if (cardan_data_create(model, &model->allocator, &data) != CARDAN_OK) {
    return out_of_memory(report);
  }
  cardan_status status = cardan_assemble(model, data, NULL, report);
  if (status == CARDAN_OK) {
    status = find_rank_of_many(model, data, report);
  }
  cardan_data_destroy(data);
  model->mobility = dynamic - model->rank;
  return status;
}
