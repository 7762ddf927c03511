// SPDX-License-Identifier: Apache-2.0
#include "batch/scalar_copy.h"

#include <string.h>

#include "run/sim_access.h"

/* Sets the inputs of step k, if there are any. */
static void set_inputs(const cardan__batch *b, int i, int64_t k, cardan_data *data)
{
  const cardan_model *model = b->model;
  if (b->u != NULL && k < b->nstep) {
    const double *u = cardan__batch_inputs(b, i, k);
    for (int j = 0; j < model->ninput; j++) {
      data->u[j] = cardan_model_controller(model, j) < 0 ? u[j] : data->u[j];
    }
  }
}

cardan_status cardan__scalar_copy_start(const cardan__batch *b, cardan_sim *sim, int i,
                                        cardan_report *report)
{
  const size_t nq = (size_t)b->model->nq, nv = (size_t)b->model->nv;
  const size_t nu = (size_t)b->model->ninput;
  cardan_data *data = cardan__sim_node(sim);
  if (b->q0 != NULL) {
    memcpy(data->q, b->q0 + (size_t)i * nq, nq * sizeof *data->q);
  }
  if (b->v0 != NULL) {
    memcpy(data->v, b->v0 + (size_t)i * nv, nv * sizeof *data->v);
  }
  if (b->u_held != NULL) {
    memcpy(data->u, b->u_held + (size_t)i * nu, nu * sizeof *data->u);
  }
  set_inputs(b, i, 0, data);
  cardan__sim_skip_stiff(sim, i > 0);
  return cardan_sim_start(sim, report);
}

static void copy_or_skip(double *to, const double *from, int n)
{
  if (to != NULL) {
    memcpy(to, from, (size_t)n * sizeof *to);
  }
}

cardan_status cardan__scalar_copy_end_step(const cardan__batch *b, cardan_sim *sim, int i,
                                           int64_t k, cardan_report *report)
{
  const cardan_model *m = b->model;
  const int64_t r = k / b->options.every;
  const bool row = k % b->options.every == 0;
  cardan_data *data = cardan__sim_node(sim);
  const bool check = cardan__batch_looks(b, k) || (b->options.every > 10 && k % 10 == 0);
  cardan_status status = row || check ? cardan_sim_observe(sim) : CARDAN_OK;
  set_inputs(b, i, k, data);
  if (status == CARDAN_OK && row && b->y != NULL) {
    status = cardan__sim_outputs(sim);
  }
  if (status != CARDAN_OK) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "at t = %g, for its row: %s", data->t,
                       cardan_status_text(status));
  }
  status = cardan__watch_heed(sim, report);
  if (status == CARDAN_OK && row) {
    copy_or_skip(cardan__batch_row(b, b->q, i, r, m->nq), data->q, m->nq);
    copy_or_skip(cardan__batch_row(b, b->v, i, r, m->nv), data->v, m->nv);
    copy_or_skip(cardan__batch_row(b, b->y, i, r, m->ny), data->y, m->ny);
  }
  return status;
}
