// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "dynamics/loops.h"
#include "linalg/small.h"
#include "methods/discrete/discrete.h"

/* Rows of the constraints at a node: which of them carry impulses, and where they are looked at.
 *
 * Which. Where rows are redundant any choice of independent ones gives the same motion: only the
 * space of G_k^T and Phi = 0 count. But a choice that is good at one node goes bad at others, so it
 * is made again when its pivots have become small, by a pivoted factorisation of G G^T with every
 * row relative to the largest size that it had so far. How many they are is the model's rank.
 *
 * Where. At a singular position G_k^T has nothing in the direction of the row that is lost there,
 * and no impulse can act along it. That direction is the limit of the row along the motion, so the
 * rows are taken a little further on: BESIDE of the displacement before, which leaves an error of
 * that part of a step in their direction. It is looked for where the step before ended near one:
 * a pivot of its factorisation, or a row, was small. */

static const double near_singular = 1e-4; // of a pivot, of a row: G G^T is worth while
static const double singular = 1e-13;     // of a row's square: 3e-7 of it, as in dynamics/schur.c
static const double worse = 0.25;         // a choice is renewed when its pivots are so much smaller
static const double beside = 1e-4;        // of the displacement,
static const double least = 1e-5;         // but no less than this [rad, sizes of the mechanism]
static const double around = 0.1;         // the same: where a start samples the sizes of rows

static void rows_here(cardan__discrete *d, cardan_data *data, double *G)
{
  const cardan_model *model = d->model;
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, data);
  cardan__rows_jacobian(&set, &view, &data->rows);
  cardan__rows_dense(&set, data, &data->rows, G);
}

/* The chosen ones to the front. */
static void gather(const cardan__discrete *d, double *G)
{
  const size_t nv = (size_t)d->model->nv;
  for (int j = 0; j < d->border.nloop; j++) {
    if (d->border.row[j] != j) {
      memcpy(G + (size_t)j * nv, G + (size_t)d->border.row[j] * nv, nv * sizeof *G);
    }
  }
}

void cardan__rows_gather(cardan__discrete *d, cardan_data *data, double *G)
{
  rows_here(d, data, G);
  gather(d, G);
}

/* Sizes of the rows G; the shortest one, relative to what it was. A row that is nothing but
 * rounding has a size too: a part of that of others. */
static double measure(const cardan__discrete *d, const double *G)
{
  const cardan_model *model = d->model;
  double *size = d->border.choice.size, shortest = 1, largest = 0;
  for (int r = 0; r < model->nrow; r++, G += model->nv) {
    const double square = cardan__dot(model->nv, G, G), length = model->row[r].length;
    size[r] = fmax(size[r], square);
    largest = fmax(largest, size[r] / (length * length));
    shortest = square < shortest * size[r] ? square / size[r] : shortest;
  }
  for (int r = 0; r < model->nrow; r++) {
    const double length = model->row[r].length;
    size[r] = fmax(size[r], cardan__least_size(model) * largest * length * length);
  }
  return sqrt(shortest);
}

/* Are the rows of G as many as the model has, at least? Which ones: border.choice. */
static bool is_whole(cardan__discrete *d, const double *G)
{
  cardan__semidefinite *f = &d->border.choice;
  const size_t n = (size_t)d->model->nrow, nv = (size_t)d->model->nv;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      f->S[i * n + j] = cardan__dot(d->model->nv, G + i * nv, G + j * nv);
    }
  }
  return cardan__semidefinite_factor(f, d->border.nloop, singular) == d->border.nloop;
}

/* Row i of the others takes the place of basic row j. */
static void exchange(cardan__semidefinite *f, int i, int j)
{
  const size_t n = (size_t)f->n, rank = (size_t)f->rank;
  double *in = f->T + (size_t)f->order[i] * n, *out = f->T + (size_t)f->order[j] * n;
  const double pivot = in[j];
  for (size_t k = 0; k < rank; k++) {
    out[k] = (int)k == j ? 1 / pivot : -in[k] / pivot;
  }
  for (int l = f->rank; l < f->n; l++) {
    double *t = f->T + (size_t)f->order[l] * n, part = t[j];
    for (size_t k = 0; k < rank && l != i; k++) {
      t[k] = (int)k == j ? part / pivot : t[k] - part / pivot * in[k];
    }
  }
  const int row = f->order[i];
  f->order[i] = f->order[j];
  f->order[j] = row;
}

/* Rows of positions take the places of rows of velocity level in the choice, as many as there are:
 * a velocity that both hold is held where loops stay closed. Each time the one that has most of the
 * row which it replaces. */
static void prefer_positions(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan__semidefinite *f = &d->border.choice;
  int missing = model->position_rank;
  for (int j = 0; j < f->rank; j++) {
    missing -= !model->row[f->order[j]].velocity;
  }
  for (; missing > 0; missing--) {
    double most = 0;
    int in = -1, out = -1;
    for (int i = f->rank; i < f->n; i++) {
      const double *t = f->T + (size_t)f->order[i] * (size_t)f->n, size = f->size[f->order[i]];
      for (int j = 0; j < f->rank && !model->row[f->order[i]].velocity && size > 0; j++) {
        const double part = t[j] * t[j] * f->size[f->order[j]] / size;
        if (model->row[f->order[j]].velocity && part > most) {
          most = part;
          in = i;
          out = j;
        }
      }
    }
    if (in < 0) {
      break;
    }
    exchange(f, in, out);
  }
}

/* The choice becomes border.row, in the rows' own order; impulses of those that stay are kept. */
static void adopt(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  const cardan__semidefinite *f = &b->choice;
  const size_t n = (size_t)d->model->nrow;
  double *impulse = f->x, *chosen = f->left;
  prefer_positions(d);
  memset(impulse, 0, n * sizeof *impulse);
  memset(chosen, 0, n * sizeof *chosen);
  for (int j = 0; j < b->nloop; j++) {
    impulse[b->row[j]] = b->lambda[j];
    chosen[f->order[j]] = 1;
  }
  for (int r = 0, j = 0; r < d->model->nrow; r++) {
    if (chosen[r] > 0) {
      b->row[j] = r;
      b->lambda[j++] = impulse[r];
    }
  }
}

/* Largest entry of a displacement [rad, sizes of the mechanism]. */
static double extent(const cardan__discrete *d, const double *x)
{
  const double length = fmax(1.0, d->model->size_length);
  double largest = 0;
  for (int k = 0; k < d->model->nv; k++) {
    largest = fmax(largest, fabs(x[k]) / (d->root.turns[k] ? 1 : length));
  }
  return largest;
}

/* trial at the node, moved by part of a displacement. */
static void move_trial(cardan__discrete *d, const double *q, const double *x, double part)
{
  cardan_data *trial = d->trial;
  cardan_q_move(d->model, q, x, part, trial->q);
  cardan_joints(d->model, trial);
  cardan_poses(d->model, trial);
}

/* The motion from the node on: the displacement before, or what the first velocity makes. */
static const double *last_displacement(cardan__discrete *d)
{
  const cardan__extrapolation *history = &d->stages.history[0];
  for (int k = 0; k < d->model->nv && history->have == 0; k++) {
    d->border.ahead[k] = d->base.options->dt * d->node->v[k];
  }
  return history->have > 0 ? history->D : d->border.ahead;
}

bool cardan__rows_beside(cardan__discrete *d, const double *q, const double *x)
{
  const double size = extent(d, x);
  if (!(size > 0) || !isfinite(size)) {
    return false;
  }
  move_trial(d, q, x, fmin(fmax(beside, least / size), around / size));
  return true;
}

void cardan__rows_of_node(cardan__discrete *d, bool stays)
{
  cardan__border *b = &d->border;
  const cardan_model *model = d->model;
  cardan_data *at = stays ? d->node : d->trial;
  const bool renew = b->nloop < model->nrow && b->rank.ratio < worse * b->rank.chosen;
  rows_here(d, at, b->Gk);
  const double shortest = measure(d, b->Gk);
  if (stays || renew || shortest < near_singular || b->rank.ratio < near_singular) {
    const double *x = stays ? last_displacement(d) : d->x.dq;
    memcpy(b->q, at->q, (size_t)model->nq * sizeof *b->q);
    d->trial->t = at->t;
    bool whole = is_whole(d, b->Gk);
    if (!whole && cardan__rows_beside(d, b->q, x)) {
      rows_here(d, d->trial, b->Gk);
      whole = is_whole(d, b->Gk);
      move_trial(d, b->q, x, 0);
    }
    if (renew && whole) {
      adopt(d);
      b->rank.chosen = 0;
    }
  }
  gather(d, b->Gk);
}

/* Sizes of the rows that velocities of nodes are found by are those around the start. */
void cardan__rows_begin(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan__border *b = &d->border;
  const double size = extent(d, d->node->v), far = isfinite(size) && size > 0 ? around / size : 0;
  memset(b->choice.size, 0, (size_t)model->nrow * sizeof *b->choice.size);
  cardan__loops_forget(model, d->trial);
  cardan__rank_begin(&b->rank);
  b->rank.chosen = HUGE_VAL; // any choice is better than that of the load
  for (int side = -1; side <= 1; side++) {
    move_trial(d, d->node->q, d->node->v, side * far);
    rows_here(d, d->trial, b->Gn);
    measure(d, b->Gn);
    if (cardan_factor(model, d->trial) == CARDAN_OK) {
      (void)!cardan__loops_factor(model, d->trial); // sizes are there in a singular position too
    }
  }
  cardan__loops_sizes(model, d->trial, d->node);
  cardan__loops_sizes(model, d->node, d->trial); // kept from here on
}
