// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/assemble.h"
#include "constraints/rows.h"
#include "constraints/sparse_kkt.h"
#include "model/joint_table.h"

/* Phi(q) = 0 and J v = -Phi_t of a large model, by the sparse factorisation of sparse_kkt.h:
 *   J y = -Phi, y^T M y least;  q moved by y, shortened to STEP, halved while sum Phi^2 does not
 *   fall; coordinates marked `fixed` stay
 *   J x = -(J v + Phi_t), x^T M x least: without the velocities that were given and those of fixed
 *   coordinates, and when that does not do, with all
 * newton.c and velocities.c do the same over dense matrices, and more: where this ends before the
 * loops are closed, in a dead point or far away, they have their turn. */

static const double longest_step = 0.5; // [rad, or sizes of the mechanism]
static const double rate_tol = 1e-10;   // as in velocities.c
static const double most_gain = 1e5;

enum { MAX_ITERATIONS = 60, HALVINGS = 7 };

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  cardan__sparse_kkt *kkt;
  bool *locked;       // nv
  double *x, *v;      // nv
  double *q;          // nq
  double *b, *lambda; // nrow
  double merit, worst;
  int iterations;
  void *block;
} closer;

static void layout(void *what, cardan__carver *c)
{
  closer *k = what;
  const cardan_model *m = k->model;
  k->locked = CARDAN__CARVE(c, m->nv, bool);
  k->x = CARDAN__CARVE(c, m->nv, double);
  k->v = CARDAN__CARVE(c, m->nv, double);
  k->q = CARDAN__CARVE(c, m->nq, double);
  k->b = CARDAN__CARVE(c, m->nrow, double);
  k->lambda = CARDAN__CARVE(c, m->nrow, double);
}

/* The kkt over what is free: not fixed coordinates, nor velocities that were given. */
static cardan_status lock(closer *k, bool with_fixed, const bool *given)
{
  const cardan_model *model = k->model;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    bool locked = given != NULL;
    for (int v = b->vadr; v < b->vadr + b->nv && locked; v++) {
      locked = given[v];
    }
    locked = locked || (with_fixed && cardan__body_fixed(model, i));
    for (int v = b->vadr; v < b->vadr + b->nv; v++) {
      k->locked[v] = locked;
    }
  }
  cardan__sparse_kkt_destroy(k->kkt);
  k->kkt = NULL;
  return cardan__sparse_kkt_create(model, k->locked, &k->data->allocator, &k->kkt);
}

static void jacobian(closer *k)
{
  const cardan__rowset set = cardan__model_rows(k->model);
  const cardan__view view = cardan__data_view(k->model, k->data);
  cardan__rows_jacobian(&set, &view, &k->data->rows);
}

/* ---- positions ---- */

static void compute_residual(closer *k)
{
  const cardan_model *model = k->model;
  cardan_data *data = k->data;
  cardan__rows_look(model, data, data->rows.phi);
  k->merit = k->worst = 0.0;
  for (int r = 0; r < model->nrow; r++) {
    const double phi = data->rows.phi[r], scaled = phi / model->row[r].length;
    k->merit += scaled * scaled;
    k->worst = fmax(k->worst, fabs(phi));
  }
}

/* x for J x = -b, shortened; false when a number is not finite. */
static bool find_step(closer *k)
{
  const cardan_model *model = k->model;
  double largest = 0.0, sum = 0.0;
  if (cardan__sparse_kkt_factor(k->kkt, k->data) != CARDAN_OK) {
    return false;
  }
  cardan__sparse_kkt_refine(k->kkt, k->data, NULL, k->b, k->x, k->lambda);
  for (int v = 0; v < model->nv; v++) {
    largest = fmax(largest, fabs(k->x[v]) / cardan__velocity_unit(model, v));
    sum += k->x[v];
  }
  for (int v = 0; v < model->nv && largest > longest_step; v++) {
    k->x[v] *= longest_step / largest;
  }
  return isfinite(sum);
}

/* One step along which the violations fall. */
static bool descend(closer *k)
{
  const cardan_model *model = k->model;
  const double before = k->merit;
  memcpy(k->q, k->data->q, (size_t)model->nq * sizeof *k->q);
  jacobian(k);
  for (int r = 0; r < model->nrow; r++) {
    k->b[r] = -k->data->rows.phi[r];
  }
  double alpha = find_step(k) ? 1.0 : 0.0;
  for (int j = 0; j < HALVINGS && alpha > 0.0; j++, alpha *= 0.5) {
    cardan_q_move(model, k->q, k->x, alpha, k->data->q);
    compute_residual(k);
    if (k->merit < (1.0 - 1e-3 * alpha) * before) {
      return true;
    }
  }
  memcpy(k->data->q, k->q, (size_t)model->nq * sizeof *k->q);
  compute_residual(k);
  return false;
}

static bool close_positions(closer *k)
{
  const double tol = 1e-12 * (1.0 + k->model->size_length);
  k->iterations = 0;
  compute_residual(k);
  while (!(k->worst <= tol)) {
    if (k->iterations == MAX_ITERATIONS || !descend(k)) {
      return false;
    }
    k->iterations++;
  }
  if (k->iterations > 0) {
    descend(k); // one more for the last digits
  }
  return true;
}

/* ---- velocities ---- */

/* needs X, X_W at data's q */
static bool close_velocities(closer *k)
{
  const cardan_model *model = k->model;
  cardan_data *data = k->data;
  double gain = 0.0;
  int row;
  jacobian(k);
  memcpy(k->v, data->v, (size_t)model->nv * sizeof *k->v);
  for (int round = 0; round < 3; round++) {
    if (cardan__rates_look(model, data, k->b, &row) <= rate_tol * (round == 0 ? 1e-3 : 1e-6)) {
      break;
    }
    double asked = 0.0, changed = 0.0;
    for (int r = 0; r < model->nrow; r++) {
      asked = fmax(asked, fabs(k->b[r]));
      k->b[r] = -k->b[r];
    }
    if (cardan__sparse_kkt_factor(k->kkt, data) != CARDAN_OK) {
      break;
    }
    cardan__sparse_kkt_refine(k->kkt, data, NULL, k->b, k->x, k->lambda);
    for (int v = 0; v < model->nv; v++) {
      data->v[v] += k->x[v];
      changed = fmax(changed, fabs(k->x[v]));
    }
    gain = round == 0 ? changed / asked : gain;
  }
  const bool closed = cardan__rates_look(model, data, k->b, &row) <= rate_tol && gain <= most_gain;
  if (!closed) {
    memcpy(data->v, k->v, (size_t)model->nv * sizeof *k->v);
  }
  return closed;
}

/* ---- whole ---- */

static cardan_status close_with(closer *k, const bool *v_given, bool *closed)
{
  cardan_status status = lock(k, true, NULL);
  if (status != CARDAN_OK || k->kkt == NULL || !close_positions(k)) {
    return status;
  }
  status = lock(k, true, v_given);
  if (status == CARDAN_OK && k->kkt != NULL) {
    *closed = close_velocities(k);
  }
  if (status == CARDAN_OK && !*closed) {
    status = lock(k, false, NULL);
    *closed = status == CARDAN_OK && k->kkt != NULL && close_velocities(k);
  }
  return status;
}

static bool open_closer(closer *k, const cardan_model *model, cardan_data *data)
{
  *k = (closer){.model = model, .data = data};
  k->block = cardan__carve_block(&data->allocator, layout, k);
  return k->block != NULL;
}

static void close_closer(closer *k)
{
  cardan__sparse_kkt_destroy(k->kkt);
  cardan__resize(&k->data->allocator, k->block, 0);
}

cardan_status cardan__close_many(const cardan_model *model, cardan_data *data, const bool *v_given,
                                 cardan_assembly *result, bool *closed)
{
  closer k;
  *closed = false;
  if (!open_closer(&k, model, data)) {
    return CARDAN_ERR_MEMORY;
  }
  const cardan_status status = close_with(&k, v_given, closed);
  result->iterations = k.iterations;
  result->violation = k.worst;
  close_closer(&k);
  return status;
}

/* ---- rank ---- */

/* Moves data along its velocity and across it, as rows allow to first order, and closes the loops
 * again. */
static bool perturb_and_close(closer *k, double along, double beside, int number)
{
  const cardan_model *model = k->model;
  double fastest = 0.0;
  for (int v = 0; v < model->nv; v++) {
    fastest = fmax(fastest, fabs(k->data->v[v]) / cardan__velocity_unit(model, v));
  }
  cardan__random_step(model->nv, beside, number, k->x);
  for (int v = 0; v < model->nv; v++) {
    const bool given = model->body[model->v_body[v]].flags & CARDAN_LINK_KINEMATIC;
    k->x[v] = given ? 0.0 : k->x[v] * cardan__velocity_unit(model, v);
  }
  const cardan__rowset set = cardan__model_rows(model);
  cardan__tree_twists(model, k->data, k->x, false, k->data->A);
  cardan__rows_apply(&set, &k->data->rows, k->data->A, k->x, k->b);
  for (int r = 0; r < model->nrow; r++) {
    k->b[r] = -k->b[r];
  }
  cardan__sparse_kkt_correct(k->kkt, k->data, k->b, k->x);
  for (int v = 0; v < model->nv && fastest > 0.0; v++) {
    k->x[v] += along / fastest * k->data->v[v];
  }
  cardan_q_move(model, k->data->q, k->x, 1.0, k->data->q);
  return close_positions(k);
}

/* Rank of the rows at data's q, factored there; -1: they cannot be. */
static int rank_here(closer *k, double limit)
{
  compute_residual(k);
  jacobian(k);
  return cardan__sparse_kkt_factor(k->kkt, k->data) == CARDAN_OK
             ? cardan__sparse_kkt_rank(k->kkt, limit)
             : -1;
}

/* The largest rank of the start, in start (nq), and places around it; model's row_redundant are
 * those of where it is. */
static int largest_rank(closer *k, const cardan__rank_options *o, const double *start,
                        bool *redundant)
{
  const size_t bytes = (size_t)k->model->nq * sizeof *start;
  const double limit = o->rcond * o->rcond;
  int rank = rank_here(k, limit);
  if (rank >= 0) {
    cardan__sparse_kkt_redundant(k->kkt, limit, redundant);
  }
  for (int i = 1; i < o->places && rank >= 0 && rank < k->model->nrow; i++) {
    memcpy(k->data->q, start, bytes);
    rank_here(k, limit);
    if (perturb_and_close(k, o->along, o->beside, 100 + i) && rank_here(k, limit) > rank) {
      rank = cardan__sparse_kkt_rank(k->kkt, limit);
      cardan__sparse_kkt_redundant(k->kkt, limit, redundant);
    }
  }
  return rank;
}

cardan_status cardan__rank_many(cardan_model *model, cardan_data *data,
                                const cardan__rank_options *options, bool *done)
{
  closer k;
  *done = false;
  if (!open_closer(&k, model, data)) {
    return CARDAN_ERR_MEMORY;
  }
  const size_t bytes = ((size_t)model->nq + 1) * sizeof(double);
  double *start = cardan__resize(&data->allocator, NULL, bytes);
  cardan_status status = start != NULL ? lock(&k, false, NULL) : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK && k.kkt != NULL) {
    memcpy(start, data->q, (size_t)model->nq * sizeof *start);
    const int rank = largest_rank(&k, options, start, model->row_redundant);
    *done = rank >= 0;
    model->rank = *done ? rank : model->nrow;
    memcpy(data->q, start, (size_t)model->nq * sizeof *start);
  }
  cardan__resize(&data->allocator, start, 0);
  close_closer(&k);
  return status;
}
