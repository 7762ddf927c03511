// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/assemble.h"
#include "linalg/linalg.h"
#include "linalg/semidefinite.h"
#include "linalg/small.h"
#include "model/build.h"

/* How many of the constraints count, and which.
 *
 * A row is redundant when the others already give it, at this place and at all near it. Rank at one
 * place can be too low: at a singular position (a flat parallelogram) rows depend on one another
 * that do not an inch away. So the rank is the largest over the start and some places around it. It
 * is to be that of the motion: another branch of the mechanism may cross this one, or pass near it,
 * with another rank (a platform on four parallel rods turns on one branch and shifts on the other).
 * Places are therefore taken along the start's velocity and beside that only where rows allow it to
 * first order, and near.
 * Which rows count is a matter of messages and of the form `reduced` of hamilton: chosen by pivoted
 * QR at each place, the choice kept that is best conditioned at the worst of them. Rows are
 * compared by direction: each is scaled to length 1. Around the start, drivers and prescribed
 * coordinates are free: a driven mechanism could not move.
 *
 * What counts as nothing: assembly closes to 1e-12, which leaves 1e-6 of a turn that rows hold only
 * to second order (the platform's), and so much of a row that is none in the motion; errors of
 * model files are 1e-4. */

static const double rcond = 1e-5;
static const double suspicious = 1e-2; // of a row that locks a mechanism: numbers of two digits
static const double nothing = 1e-9;    // a row shorter than this, of lengths about 1, is rounding
static const double nothing_expr = 1e-12; // the same for an equation, whose unit is anyone's guess
static const double along = 0.1;   // how far with the velocity [rad, or sizes of the mechanism]
static const double beside = 0.01; // and in other directions
static const double around = 0.02; // without a velocity

enum { PLACES = 4 }; // the start and three more

typedef struct {
  cardan_model *model;
  cardan__assembler as;
  double *J[PLACES]; // nrow x nv each: unit rows over the dynamic coordinates
  int rank[PLACES];
  int *order[PLACES]; // nrow each
  int nplace;
  double *copy, *work;
  int *chosen;               // nrow
  double rcond;              // below, or what data that leave the start open allow
  cardan__semidefinite gram; // of the rows at one place; not for large models
  void *block;
} analysis;

static void layout(void *what, cardan__carver *c)
{
  analysis *an = what;
  const cardan_model *m = an->model;
  const size_t size = (size_t)m->nrow * (size_t)m->nv;
  for (int i = 0; i < PLACES; i++) {
    an->J[i] = CARDAN__CARVE(c, size, double);
    an->order[i] = CARDAN__CARVE(c, m->nrow, int);
  }
  an->copy = CARDAN__CARVE(c, size, double);
  an->chosen = CARDAN__CARVE(c, m->nrow, int);
  an->work = CARDAN__CARVE(c, cardan__independent_work(m->nrow, m->nv), double);
  cardan__semidefinite_carve(&an->gram, an->as.large ? 0 : m->nrow, c);
}

/* Free (or locked again): prescribed coordinates, and the rows of drivers. Rows of velocity level
 * count among the rows, and do not hold places. */
static void free_drivers(analysis *an, bool yes)
{
  const cardan_model *model = an->model;
  for (int r = 0; r < model->nrow; r++) {
    an->as.active[r] = !yes || (model->row[r].kind != CARDAN_ROW_MOTION && !model->row[r].velocity);
  }
  for (int k = 0; k < model->nv; k++) {
    an->as.locked[k] = !yes && (model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC);
  }
}

/* An expression's unit is anyone's guess. */
static bool has_own_unit(const cardan_row *row)
{
  return row->kind == CARDAN_ROW_EXPR || row->kind == CARDAN_ROW_VELOCITY;
}

static double length_of(const cardan_model *model, const double *J, int row)
{
  const double *j = J + (size_t)row * (size_t)model->nv;
  return sqrt(cardan__dot(model->nv, j, j));
}

/* Unit rows of as.J to J; what data leave of a row is none. */
static void unit_rows(const analysis *an, double *J)
{
  const cardan_model *model = an->model;
  const double open = cardan__open_digits(model, model->open);
  const size_t nv = (size_t)model->nv;
  for (int r = 0; r < model->nrow; r++) {
    const bool expr = has_own_unit(&model->row[r]);
    const double length = length_of(model, an->as.J, r);
    const double scale = length > fmax(expr ? nothing_expr : nothing, open) ? 1.0 / length : 0.0;
    for (size_t k = 0; k < nv; k++) {
      J[(size_t)r * nv + k] = an->as.J[(size_t)r * nv + k] * scale;
    }
  }
}

static bool is_between_frames(const cardan_row *row)
{
  return !has_own_unit(row) && row->kind != CARDAN_ROW_COORD && row->kind != CARDAN_ROW_MOTION;
}

/* Returns whether two rows hold the same frames together, so that a short one should be 0. */
static bool hold_same_frames(const cardan_model *model, int a, int b)
{
  const cardan_row *x = &model->row[a], *y = &model->row[b];
  return a == b || (is_between_frames(x) && is_between_frames(y) && x->frame[0] == y->frame[0] &&
                    x->frame[1] == y->frame[1]);
}

/* The same with digits in mind: rows of the same frames by the longest of them, so that what digits
 * make of one that ought to be 0, in axes that are seldom its own, stays as small as it is. */
static void scale_by_longest_row(const analysis *an, double *J)
{
  const cardan_model *model = an->model;
  const size_t nv = (size_t)model->nv;
  for (int r = 0; r < model->nrow; r++) {
    const bool expr = has_own_unit(&model->row[r]);
    double longest = expr ? nothing_expr : nothing;
    for (int k = 0; k < model->nrow; k++) {
      longest =
          hold_same_frames(model, r, k) ? fmax(longest, length_of(model, an->as.J, k)) : longest;
    }
    for (size_t k = 0; k < nv; k++) {
      J[(size_t)r * nv + k] = an->as.J[(size_t)r * nv + k] / longest;
    }
  }
}

/* Stores the rows at data's q as those of the next place. */
static void store_rows(analysis *an)
{
  free_drivers(an, false);
  cardan__assembler_look(&an->as);
  cardan__assembler_linearise(&an->as);
  (an->model->near > 0.0 ? scale_by_longest_row : unit_rows)(an, an->J[an->nplace++]);
}

/* What the digits of the data have to do with it. */
typedef struct {
  bool nearly; // rows are independent at the start that are not to within rank_tol
  int rows;    // that are left out though the others do not quite give them,
  double near; // and the largest part of one that they do not
  int places;  // that were looked at
} rank_doubt;

/* Rank of all rows at the first place, which was just taken, to within rank_tol. */
static int rank_within(analysis *an, rank_doubt *doubt)
{
  const cardan_model *model = an->model;
  scale_by_longest_row(an, an->copy);
  const int rank = cardan__independent(model->nrow, model->nv, an->copy, model->rank_tol,
                                       an->chosen, NULL, an->work);
  for (int i = rank; i < model->nrow; i++) {
    const int end = i < model->nv ? i + 1 : model->nv;
    const double *r = an->copy + (size_t)i * (size_t)model->nv; // of R: what is behind the first
    const double left = end > rank ? sqrt(cardan__dot(end - rank, r + rank, r + rank)) : 0.0;
    doubt->rows += left > nothing;
    doubt->near = fmax(doubt->near, left);
  }
  return rank;
}

/* Rank of n of the rows at a place. */
static int rank_of(analysis *an, int place, const int *rows, int n, int *order, double *spread)
{
  const size_t nv = (size_t)an->model->nv;
  for (int i = 0; i < n; i++) {
    const size_t from = (size_t)(rows ? rows[i] : i);
    memcpy(an->copy + (size_t)i * nv, an->J[place] + from * nv, nv * sizeof *an->copy);
  }
  return cardan__independent(n, an->model->nv, an->copy, an->rcond, order, spread, an->work);
}

/* Samples places around the start, as far as loops can be closed there. */
static void sample_places(analysis *an, const double *q)
{
  const cardan_model *model = an->model;
  cardan_data *data = an->as.data;
  double fastest = 0.0;
  for (int k = 0; k < model->nv; k++) {
    fastest = fmax(fastest, fabs(data->v[k]) / an->as.unit[k]);
  }
  for (int i = 1; i < PLACES; i++) {
    memcpy(data->q, q, (size_t)model->nq * sizeof *q);
    if (fastest > 0.0) {
      cardan_q_move(model, data->q, data->v, along / fastest, data->q);
    }
    free_drivers(an, true);
    cardan__assembler_stray(&an->as, fastest > 0.0 ? beside : around, 100 + i);
    if (cardan__assembler_close_loops(&an->as)) {
      store_rows(an);
    }
  }
}

/* Which rows take part in a dependence: the redundant ones, and those that they are made of. In a
 * large model all of them may. */
static void mark_shared(analysis *an, int place)
{
  cardan_model *model = an->model;
  const cardan__semidefinite *f = &an->gram;
  const size_t n = (size_t)model->nrow, nv = (size_t)model->nv;
  memset(model->row_shared, model->rank < model->nrow, n * sizeof *model->row_shared);
  if (an->as.large) {
    return;
  }
  for (size_t i = 0; i < n; i++) {
    f->size[i] = 1.0;
    for (size_t j = 0; j <= i; j++) {
      f->S[i * n + j] = cardan__dot(model->nv, an->J[place] + i * nv, an->J[place] + j * nv);
    }
  }
  cardan__semidefinite_factor(&an->gram, model->rank, 0.0);
  for (int j = 0; j < f->rank; j++) {
    double largest = 0.0;
    for (size_t i = (size_t)f->rank; i < n; i++) {
      largest = fmax(largest, fabs(f->T[(size_t)f->order[i] * n + (size_t)j]));
    }
    model->row_shared[f->order[j]] = largest > an->rcond;
  }
}

/* The largest rank of the rows of positions alone. */
static void find_position_rank(analysis *an)
{
  cardan_model *model = an->model;
  int n = 0;
  if (model->nvelocity_row == 0) {
    return;
  }
  model->position_rank = 0;
  for (int i = 0; i < an->nplace; i++) {
    n = 0;
    for (int r = 0; r < model->nrow; r++) {
      if (!model->row[r].velocity) {
        an->chosen[n++] = r;
      }
    }
    const int rank = rank_of(an, i, an->chosen, n, an->order[i], NULL);
    model->position_rank = rank > model->position_rank ? rank : model->position_rank;
  }
}

/* The choice at a place with all independent rows of positions in it, and rows of velocity level
 * for what these leave: loops would open where a row of velocity level stood for one of theirs. */
static void prefer_positions(analysis *an, int place)
{
  cardan_model *model = an->model;
  int *order = an->order[place], *kept = an->order[(place + 1) % PLACES], n = 0, rank = 0;
  for (int r = 0; r < model->nrow; r++) {
    rank += !model->row_redundant[r] && !model->row[r].velocity;
    if (!model->row[r].velocity) {
      an->chosen[n++] = r;
    }
  }
  if (rank == model->position_rank) {
    return;
  }
  for (int r = 0; r < model->nrow; r++) {
    model->row_redundant[r] = true;
  }
  rank = rank_of(an, place, an->chosen, n, order, NULL);
  for (int i = 0; i < rank; i++) {
    kept[i] = an->chosen[order[i]];
    model->row_redundant[kept[i]] = false;
  }
  for (int best = 0; rank < model->rank && best >= 0; rank += best >= 0) {
    double most = 0.0, spread = 0.0;
    best = -1;
    for (int r = 0; r < model->nrow; r++) {
      kept[rank] = r;
      if (model->row[r].velocity && model->row_redundant[r] &&
          rank_of(an, place, kept, rank + 1, order, &spread) == rank + 1 && spread > most) {
        most = spread;
        best = r;
      }
    }
    if (best >= 0) {
      kept[rank] = best;
      model->row_redundant[best] = false;
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
  find_position_rank(an);
  prefer_positions(an, winner);
  mark_shared(an, winner);
}

/* Rank of the rows around data's assembled state. */
static cardan_status find_rank(cardan_model *model, cardan_data *data, rank_doubt *doubt,
                               cardan_report *report)
{
  analysis an = {.model = model};
  if (cardan__assembler_open(&an.as, model, data, false) != CARDAN_OK) {
    return cardan__no_memory(report);
  }
  an.block = cardan__carve_block(&data->allocator, layout, &an);
  double *q = cardan__resize(&data->allocator, NULL, ((size_t)model->nq + 1) * sizeof *q);
  const bool ok = an.block && q;
  if (ok) {
    memcpy(q, data->q, (size_t)model->nq * sizeof *q);
    store_rows(&an);
    an.rcond = fmax(rcond, cardan__digits(model, model->open));
    const int within = rank_within(&an, doubt);
    doubt->nearly = within < rank_of(&an, 0, NULL, model->nrow, an.order[0], NULL);
    memcpy(an.copy, an.J[0], (size_t)model->nrow * (size_t)model->nv * sizeof *an.copy);
    // independent here is independent around here: most models end at this
    if (model->near > 0.0 ||
        !cardan__rows_independent(model->nrow, model->nv, an.copy, an.rcond, an.work)) {
      sample_places(&an, q);
      choose(&an);
    }
    doubt->places = an.nplace;
  }
  cardan__resize(&data->allocator, q, 0);
  cardan__resize(&data->allocator, an.block, 0);
  cardan__assembler_close(&an.as);
  return ok ? CARDAN_OK : cardan__no_memory(report);
}

/* The same for a model that may be large: most have independent rows, and need nothing dense to
 * show it. */
static cardan_status find_rank_of_many(cardan_model *model, cardan_data *data, rank_doubt *doubt,
                                       cardan_report *report)
{
  const bool large = cardan__assembler_large(model);
  const int independent = large ? cardan__rows_surely_independent(model, data) : 0;
  if (independent != 0) {
    return independent > 0 ? CARDAN_OK : cardan__no_memory(report);
  }
  if (large) {
    const double open = cardan__digits(model, model->open);
    const cardan__rank_options options = {PLACES, along, beside, fmax(rcond, open)};
    bool done = false;
    if (cardan__rank_many(model, data, &options, &done) != CARDAN_OK) {
      return cardan__no_memory(report);
    }
    if (done) {
      memset(model->row_shared, model->rank < model->nrow,
             (size_t)model->nrow * sizeof *model->row_shared);
      return CARDAN_OK;
    }
  }
  if ((double)model->nrow * (double)model->nv <= CARDAN__DENSE_ROWS) {
    return find_rank(model, data, doubt, report);
  }
  if (model->nwarning < CARDAN__MAX_WARNING) {
    model->warning[model->nwarning++] =
        "too many constraints to decide which are redundant: all of them count as independent";
  }
  return CARDAN_OK;
}

/* Closes the start, and finds the rank around it. */
static cardan_status analyse_start(cardan_model *model, cardan_data *data, rank_doubt *doubt,
                                   cardan_report *report)
{
  cardan_assembly start;
  *doubt = (rank_doubt){.places = 0};
  model->open = 0.0;
  memset(model->row_redundant, 0, (size_t)model->nrow * sizeof *model->row_redundant);
  memset(model->row_shared, 0, (size_t)model->nrow * sizeof *model->row_shared);
  model->rank = model->nrow;
  model->position_rank = model->nrow - model->nvelocity_row;
  cardan_data_reset(model, data);
  data->posed = true; // the rank is that of the loops, wherever frames are put
  const cardan_status status = cardan_assemble(model, data, &start, report);
  if (status != CARDAN_OK) {
    return status;
  }
  model->open = start.open;
  return find_rank_of_many(model, data, doubt, report);
}

/* Decides whether rows that are independent only within the rounding of the data are redundant: if
 * loops may be open by as much, the mechanism can be moved, and the rank is not larger at other
 * places, they are. A start in a singular position regains its rank there. */
static cardan_status analyse_near_rows(cardan_model *model, cardan_data *data,
                                       cardan_report *report)
{
  const int rank = model->rank;
  const double closing = model->closing;
  cardan_report unused = {.message = ""};
  rank_doubt doubt;
  model->near = model->rank_tol;
  model->closing = fmax(closing, model->rank_tol * (1.0 + model->size_length));
  const cardan_status status = analyse_start(model, data, &doubt, &unused);
  if (status == CARDAN_OK && model->rank < rank && doubt.places > 1) {
    model->nnear = doubt.rows;
    model->near = fmax(doubt.near, DBL_MIN);
    return CARDAN_OK;
  }
  model->near = 0.0;
  model->closing = closing;
  return status == CARDAN_ERR_MEMORY ? cardan__no_memory(report)
                                     : analyse_start(model, data, &doubt, report);
}

/* Checks whether a mechanism that cannot move would move with a larger rank tolerance. The model's
 * rank is not changed. */
static cardan_status report_almost_redundant(cardan_model *model, cardan_data *data, int dynamic,
                                             cardan_report *report)
{
  const double tol = model->rank_tol, closing = model->closing;
  rank_doubt doubt;
  model->rank_tol = suspicious;
  cardan_status status = analyse_near_rows(model, data, report);
  if (status == CARDAN_OK && model->nnear > 0 && dynamic > model->rank) {
    model->nalmost = model->nnear;
    model->almost = model->near;
  }
  model->nnear = 0;
  model->near = 0.0;
  model->rank_tol = tol;
  model->closing = closing;
  return status == CARDAN_OK ? analyse_start(model, data, &doubt, report) : status;
}

cardan_status cardan__model_analyze(cardan_model *model, cardan_report *report)
{
  cardan_data *data = NULL;
  rank_doubt doubt;
  int dynamic = 0;
  for (int k = 0; k < model->nv; k++) {
    dynamic += !(model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC);
  }
  model->nnear = model->nalmost = 0;
  model->near = model->almost = 0.0;
  model->closing = model->closing_own;
  model->rank = model->nrow;
  model->position_rank = model->nrow - model->nvelocity_row;
  model->mobility = dynamic - model->rank;
  if (model->nrow == 0) {
    return CARDAN_OK;
  }
  if (cardan_data_create(model, &model->allocator, &data) != CARDAN_OK) {
    return cardan__no_memory(report);
  }
  cardan_status status = analyse_start(model, data, &doubt, report);
  if (status == CARDAN_OK && doubt.nearly) {
    status = analyse_near_rows(model, data, report);
  }
  if (status == CARDAN_OK && dynamic <= model->rank && model->nnear == 0 &&
      model->rank_tol < suspicious && !cardan__assembler_large(model)) {
    status = report_almost_redundant(model, data, dynamic, report);
  }
  cardan_data_destroy(data);
  model->position_rank = model->nvelocity_row > 0 ? model->position_rank : model->rank;
  model->mobility = dynamic - model->rank;
  return status;
}
