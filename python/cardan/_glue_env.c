// SPDX-License-Identifier: Apache-2.0
#include "_glue_env.h"

#include "_glue_sim.h"

#include <stdlib.h>
#include <string.h>

static cardan_status no_memory(cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "out of memory");
}

/* How rows of this sim's table are laid out. */
static cardan_status lay_out(cardan_py_copies *copies, cardan_report *report)
{
  const cardan_sim *sim = copies->copy[0].sim;
  const cardan_model *model = cardan_sim_data(copies->copy[0].sim)->model;
  copies->width = 1 + model->nq + model->nv + model->ny;
  if (model->ny == 0) {
    return CARDAN_OK;
  }
  char name[256];
  copies->columns = cardan_sim_columns(sim, 0);
  for (int k = 0; k < copies->columns; k++) {
    cardan_sim_column(sim, 0, k, name, sizeof name);
    if (strcmp(name, model->output[0].column) == 0) {
      copies->y_column = k;
      break;
    }
  }
  copies->scratch = calloc((size_t)copies->n * (size_t)copies->columns, sizeof(double));
  return copies->scratch != NULL ? CARDAN_OK : no_memory(report);
}

cardan_status cardan_py_copies_create(const cardan_model *model, const cardan_options *options,
                                      int n, cardan_py_copies **out, cardan_report *report)
{
  cardan_py_copies *copies = calloc(1, sizeof *copies);
  *out = NULL;
  cardan_py_copy *copy = calloc((size_t)n, sizeof *copy);
  if (copies == NULL || copy == NULL) {
    free(copies);
    free(copy);
    return no_memory(report);
  }
  copies->n = n;
  copies->copy = copy;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = cardan_sim_create(model, options, NULL, &copy[i].sim, report);
  }
  if (status == CARDAN_OK) {
    status = lay_out(copies, report);
  }
  if (status != CARDAN_OK) {
    cardan_py_copies_destroy(copies);
    return status;
  }
  *out = copies;
  return CARDAN_OK;
}

void cardan_py_copies_destroy(cardan_py_copies *copies)
{
  if (copies == NULL) {
    return;
  }
  for (int i = 0; i < copies->n; i++) {
    cardan_sim_destroy(copies->copy[i].sim);
  }
  free(copies->copy);
  free(copies->scratch);
  free(copies);
}

/* Replaces a sim that failed by a new one. */
static cardan_status renew(cardan_py_copy *copy)
{
  if (copy->status == CARDAN_OK) {
    return CARDAN_OK;
  }
  cardan_sim *sim = NULL;
  const cardan_model *model = cardan_sim_data(copy->sim)->model;
  const cardan_status status =
      cardan_sim_create(model, cardan_sim_options(copy->sim), NULL, &sim, &copy->report);
  if (status == CARDAN_OK) {
    cardan_sim_destroy(copy->sim);
    copy->sim = sim;
  }
  return status;
}

/* The row of copy i's node. */
static cardan_status write_row(const cardan_py_copies *copies, int i, double *row)
{
  cardan_py_copy *copy = &copies->copy[i];
  cardan_status status = cardan_sim_observe(copy->sim);
  const cardan_data *data = cardan_sim_data(copy->sim);
  const cardan_model *model = data->model;
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv, ny = (size_t)model->ny;
  double *table = ny > 0 ? copies->scratch + (size_t)i * (size_t)copies->columns : NULL;
  if (status == CARDAN_OK && ny > 0) {
    status = cardan_sim_row(copy->sim, 0, table);
  }
  if (status != CARDAN_OK) {
    return cardan_fail(&copy->report, status, (cardan_pos){0, 0}, "at t = %g, for its row: %s",
                       data->t, cardan_status_text(status));
  }
  double *to = row + (size_t)i * (size_t)copies->width;
  to[0] = data->t;
  memcpy(to + 1, data->q, nq * sizeof *to);
  memcpy(to + 1 + nq, data->v, nv * sizeof *to);
  if (ny > 0) {
    memcpy(to + 1 + nq + nv, table + copies->y_column, ny * sizeof *to);
  }
  return CARDAN_OK;
}

void cardan_py_copies_start(cardan_py_copies *copies, int from, int to, const unsigned char *which,
                            const double *q, const double *v, double *row)
{
  for (int i = from; i < to; i++) {
    cardan_py_copy *copy = &copies->copy[i];
    if (!which[i]) {
      continue;
    }
    cardan_status status = renew(copy);
    if (status == CARDAN_OK) {
      cardan_data *data = cardan_sim_data(copy->sim);
      const size_t nq = (size_t)data->model->nq, nv = (size_t)data->model->nv;
      cardan_data_reset(data->model, data);
      data->t = cardan_sim_options(copy->sim)->begin;
      memcpy(data->q, q + (size_t)i * nq, nq * sizeof *q);
      memcpy(data->v, v + (size_t)i * nv, nv * sizeof *v);
      status = cardan_sim_start(copy->sim, &copy->report);
    }
    copy->status = status == CARDAN_OK ? write_row(copies, i, row) : status;
  }
}

void cardan_py_copies_act(cardan_py_copies *copies, const unsigned char *which, int64_t steps)
{
  for (int i = 0; i < copies->n; i++) {
    copies->copy[i].left = which[i] ? steps : 0;
  }
}

bool cardan_py_copies_step(cardan_py_copies *copies, int from, int to, int64_t steps,
                           const double *u, double *row)
{
  const double end = cardan_py_now() + cardan_py_piece;
  for (int i = from; i < to; i++) {
    cardan_py_copy *copy = &copies->copy[i];
    if (copy->left == steps) {
      cardan_data *data = cardan_sim_data(copy->sim);
      const cardan_model *model = data->model;
      for (int k = 0; k < model->ninput; k++) {
        if (cardan_model_controller(model, k) < 0) {
          data->u[k] = u[(size_t)i * (size_t)model->ninput + (size_t)k];
        }
      }
    }
    while (copy->left > 0) {
      copy->status = cardan_sim_step(copy->sim, &copy->report);
      copy->left = copy->status == CARDAN_OK ? copy->left - 1 : 0;
      if (copy->left == 0 && copy->status == CARDAN_OK) {
        copy->status = write_row(copies, i, row);
      }
      if (cardan_py_now() > end) {
        return true;
      }
    }
  }
  return false;
}
