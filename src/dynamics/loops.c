// SPDX-License-Identifier: Apache-2.0
#include "dynamics/loops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "constraints/assemble.h"
#include "constraints/project.h"
#include "constraints/rows.h"
#include "dynamics/schur.h"
#include "model/data.h"
#include "model/joint_table.h"
#include "spatial/spatial.h"

/* Loops by multipliers, over cardan__schur_factor and _solve:
 *
 *   M a = tau - c + J^T lambda,   J a = gamma
 *   S lambda = gamma - J a_0 - kv (J v + phi_t) - kq phi                                (E1)
 *   a = a_0 + M^-1 J^T lambda                                                           (E2)
 * J a is over the dynamic coordinates; the prescribed ones are in gamma. */

enum { MAX_ITERATIONS = 12 }; // of a projection; drift needs 1 or 2, each gains several digits

/* what: as cardan__schur_open left it. */
static cardan_loops *layout(cardan__carver *c, const cardan_model *model, const cardan_loops *what)
{
  cardan_loops counted = *what;
  cardan_loops *loops = CARDAN__CARVE(c, 1, cardan_loops);
  cardan_loops *w = loops != NULL ? loops : &counted;
  *w = *what;
  cardan__schur_layout(c, model, w);
  w->y = CARDAN__CARVE(c, model->nrow, double);
  w->rate = CARDAN__CARVE(c, model->nrow, double);
  w->f = CARDAN__CARVE(c, model->nbody, cardan_force);
  w->x = CARDAN__CARVE(c, model->nv, double);
  w->q = CARDAN__CARVE(c, model->nq, double);
  w->v = CARDAN__CARVE(c, model->nv, double);
  return loops;
}

cardan_status cardan_forward_reserve(const cardan_model *model, cardan_data *data)
{
  if (data->loops != NULL || model->nrow == 0) {
    return CARDAN_OK;
  }
  cardan__carver c = {0};
  cardan_loops what = {.kkt = NULL};
  const cardan_status status = cardan__schur_open(model, &data->allocator, &what);
  if (status != CARDAN_OK) {
    return status;
  }
  layout(&c, model, &what);
  const size_t size = cardan__carver_size(&c);
  void *memory = size > 0 ? cardan__resize(&data->allocator, NULL, size) : NULL;
  if (memory == NULL) {
    what.close(&what);
    return CARDAN_ERR_MEMORY;
  }
  c = cardan__carver_over(memory);
  data->loops = layout(&c, model, &what);
  data->loops->block = memory;
  cardan__loops_forget(model, data);
  return CARDAN_OK;
}

cardan_status cardan__loops_factor(const cardan_model *model, cardan_data *data)
{
  const cardan_status reserved = cardan_forward_reserve(model, data);
  return reserved != CARDAN_OK || model->nrow == 0 ? reserved : cardan__schur_factor(model, data);
}

void cardan__loops_again(const cardan_model *model, cardan_data *data, double kq, double kv)
{
  CARDAN__NEEDS(data, model->nrow > 0 ? CARDAN_FRESH_LOOPS | CARDAN_FRESH_VELOCITIES : 0U);
  const cardan__rowset set = cardan__model_rows(model);
  const cardan_loops *w = data->loops;
  const cardan_rows *rows = &data->rows;
  if (model->nrow == 0) {
    return;
  }
  cardan__tree_twists(model, data, data->a, true, data->A);
  // rows on single coordinates must not see the prescribed ones either
  for (int i = 0; i < model->nv; i++) {
    const bool kinematic = model->body[model->v_body[i]].flags & CARDAN_LINK_KINEMATIC;
    w->x[i] = kinematic ? 0.0 : data->a[i];
  }
  for (int r = 0; r < model->nrow; r++) {
    const double rate = cardan__row_dot(&set, rows, r, data->V, data->v) + rows->phi_t[r];
    data->lambda[r] = rows->gamma[r] - cardan__row_dot(&set, rows, r, data->A, w->x) - kv * rate -
                      kq * rows->phi[r];
  }
  cardan__schur_solve(model, data, data->lambda, data->a); // (E1), (E2)
}

cardan_status cardan__loops_solve(const cardan_model *model, cardan_data *data, double kq,
                                  double kv)
{
  const cardan_status status = cardan__loops_factor(model, data);
  if (status == CARDAN_OK) {
    cardan__loops_again(model, data, kq, kv);
  }
  return status;
}

double cardan__loops_velocities(const cardan_model *model, cardan_data *data, double alpha,
                                double *sigma)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_LOOPS | CARDAN_FRESH_VELOCITIES);
  const cardan__rowset set = cardan__model_rows(model);
  const cardan_loops *w = data->loops;
  const cardan_rows *rows = &data->rows;
  double size = 0.0;
  for (int r = 0; r < model->nrow; r++) {
    sigma[r] = cardan__row_dot(&set, rows, r, data->V, data->v) + rows->phi_t[r] +
               (alpha > 0.0 ? alpha * rows->phi[r] : 0.0);
    w->y[r] = -sigma[r];
  }
  cardan__schur_solve(model, data, w->y, data->v);
  for (int r = 0; r < model->nrow; r++) {
    size -= sigma[r] * w->y[r];
    sigma[r] = -w->y[r];
  }
  return size;
}

double cardan__loops_size(const cardan_model *model, const double *x)
{
  const double length = fmax(1.0, model->size_length);
  double largest = 0.0;
  for (int k = 0; k < model->nv; k++) {
    const cardan_body *b = &model->body[model->v_body[k]];
    const double e = fabs(x[k]);
    largest = fmax(largest, cardan__link_slides(b, k - b->vadr) ? e / length : e);
  }
  return largest;
}

/* ---- projection: the tree's part in constraints/project.c ---- */

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  const double *residual; // nrow: the right-hand side
} tree;

/* S at data's q. */
static cardan_status factor_here(void *self, bool with_rates)
{
  const tree *t = self;
  const cardan__rowset set = cardan__model_rows(t->model);
  const cardan__view view = cardan__data_view(t->model, t->data);
  cardan__rows_jacobian(&set, &view, &t->data->rows);
  cardan_status status = cardan_factor(t->model, t->data);
  if (status == CARDAN_OK) {
    t->data->loops->positions = !with_rates && t->model->nvelocity_row > 0;
    status = cardan__loops_factor(t->model, t->data);
    t->data->loops->positions = false;
  }
  return status;
}

/* Of all rows, at data's q. */
static double violation(void *self, int *row)
{
  tree *t = self;
  const cardan_model *model = t->model;
  cardan_data *data = t->data;
  double largest = -1.0;
  cardan__rows_look(model, data, data->rows.phi);
  for (int r = 0; r < model->nrow; r++) {
    // written so that what is not a number is the largest
    if (!(fabs(data->rows.phi[r]) <= largest)) {
      largest = fabs(data->rows.phi[r]);
      *row = r;
    }
  }
  t->residual = data->rows.phi;
  return largest;
}

static void rates(void *self)
{
  tree *t = self;
  cardan_data *data = t->data;
  const cardan_loops *w = data->loops;
  const cardan__rowset set = cardan__model_rows(t->model);
  cardan_velocities(t->model, data);
  const cardan__view view = cardan__data_view(t->model, data);
  cardan__rows_rates(&set, &view, data->rows.phi_t, NULL);
  for (int r = 0; r < set.n; r++) {
    w->rate[r] = cardan__row_dot(&set, &data->rows, r, data->V, data->v) + data->rows.phi_t[r];
  }
  t->residual = w->rate;
}

/* The least change of the mass metric that adds -residual to the rows, to loops->x. */
static double correction(void *self)
{
  const tree *t = self;
  const cardan_model *model = t->model;
  const cardan_loops *w = t->data->loops;
  for (int r = 0; r < model->nrow; r++) {
    w->y[r] = -t->residual[r];
  }
  memset(w->x, 0, (size_t)model->nv * sizeof *w->x);
  cardan__schur_solve(model, t->data, w->y, w->x);
  return cardan__loops_size(model, w->x);
}

static void move(void *self, double part)
{
  const tree *t = self;
  cardan_q_move(t->model, t->data->q, t->data->loops->x, part, t->data->q);
}

static void kick(void *self)
{
  const tree *t = self;
  for (int i = 0; i < t->model->nv; i++) {
    t->data->v[i] += t->data->loops->x[i];
  }
  cardan_velocities(t->model, t->data);
}

static cardan__projection projection(tree *self)
{
  const cardan_model *model = self->model;
  const bool redundant = model->rank < model->nrow;
  return (cardan__projection){.self = self,
                              .most = MAX_ITERATIONS,
                              .tol = 1e-12 * (1.0 + model->size_length),
                              .contradiction = redundant ? cardan__loop_tolerance(model) : 0.0,
                              .violation = violation,
                              .factor = factor_here,
                              .rates = rates,
                              .solve = correction,
                              .move = move,
                              .kick = kick};
}

cardan_status cardan__project_velocities(const cardan_model *model, cardan_data *data)
{
  tree self = {model, data, NULL};
  const cardan__projection p = projection(&self);
  return model->nrow == 0 ? CARDAN_OK : cardan__project_rates(&p);
}

/* Which loop a projection left open, and why. */
static void say_open(const cardan_model *model, cardan_data *data, const cardan__projected *end)
{
  const char *name = model->constraint[model->row[end->row].constraint].name;
  if (end->contradiction) {
    snprintf(data->info.message, sizeof data->info.message,
             "constraint \"%.60s\" follows from the others only to first order and is off by %.3g: "
             "no rigid motion goes this way",
             name, end->violation);
  } else {
    snprintf(data->info.message, sizeof data->info.message,
             "constraint \"%.60s\" is off by %.3g and could not be projected back", name,
             end->violation);
  }
}

/* Velocities that are projected satisfy every row, unless redundant ones of velocity level contradict
 * the others: the least squares that are left then are no motion of the mechanism. */
static cardan_status check_rates(const cardan_model *model, cardan_data *data)
{
  const double contradicts = 1e-6; // of the velocities that the row is a sum of
  int row = 0;
  if (model->nvelocity_row == 0 || model->rank == model->nrow) {
    return CARDAN_OK;
  }
  const double left = cardan__rates_look(model, data, data->loops->rate, &row);
  if (left <= contradicts) {
    return CARDAN_OK;
  }
  data->info.row = row;
  data->info.residual = left;
  snprintf(data->info.message, sizeof data->info.message,
           "constraint \"%.60s\" contradicts the others at t = %.9g s: together they leave no motion",
           model->constraint[model->row[row].constraint].name, data->t);
  return CARDAN_ERR_JUMP;
}

static cardan_status project(const cardan_model *model, cardan_data *data, int more)
{
  cardan_status status = cardan_forward_reserve(model, data);
  const cardan_loops *w = data->loops;
  tree self = {model, data, NULL};
  cardan__projection p = projection(&self);
  cardan__projected end;
  if (status != CARDAN_OK || w == NULL) {
    return status;
  }
  p.more = more;
  memcpy(w->q, data->q, (size_t)model->nq * sizeof *w->q);
  memcpy(w->v, data->v, (size_t)model->nv * sizeof *w->v);
  cardan_prescribe(model, data);
  status = cardan__project_with(&p, &end);
  if (status == CARDAN_ERR_NO_CONVERGENCE) {
    data->info.row = end.row;
    data->info.residual = end.violation;
    data->info.iterations = end.iterations;
    say_open(model, data, &end);
    status = end.contradiction ? CARDAN_ERR_JUMP : status;
  }
  status = status == CARDAN_OK ? check_rates(model, data) : status;
  if (status != CARDAN_OK) {
    memcpy(data->q, w->q, (size_t)model->nq * sizeof *w->q);
    memcpy(data->v, w->v, (size_t)model->nv * sizeof *w->v);
  }
  return status;
}

cardan_status cardan__project(const cardan_model *model, cardan_data *data)
{
  return project(model, data, 0);
}

cardan_status cardan__project_closely(const cardan_model *model, cardan_data *data)
{
  return project(model, data, 2);
}

void cardan__loops_forget(const cardan_model *model, cardan_data *data)
{
  if (model->nrow > 0) {
    memset(data->loops->S.size, 0, (size_t)model->nrow * sizeof *data->loops->S.size);
    data->loops->steady = false;
  }
}

void cardan__loops_sizes(const cardan_model *model, const cardan_data *from, cardan_data *to)
{
  if (model->nrow > 0) {
    memcpy(to->loops->S.size, from->loops->S.size, (size_t)model->nrow * sizeof *to->loops->S.size);
    to->loops->steady = true;
  }
}

void cardan__loops_spans(const cardan_model *model, cardan_data *data, cardan__spans *list)
{
  if (model->nrow > 0) {
    cardan__spans_add(list, data->loops->S.size, (size_t)model->nrow, sizeof *data->loops->S.size);
    cardan__spans_flag(list, &data->loops->steady);
  }
}
