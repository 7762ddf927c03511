// SPDX-License-Identifier: Apache-2.0
#include "dynamics/mobility.h"

#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/loops.h"
#include "dynamics/schur.h"
#include "linalg/small.h"
#include "model/data.h"

static const double held = 1e-12; // of g . M^-1 g: what is less is rounding

cardan_status cardan__mobility_prepare(const cardan_model *model, cardan_data *data)
{
  cardan_status status = CARDAN_OK;
  if (!(data->fresh & CARDAN_FRESH_JOINTS)) {
    cardan_joints(model, data);
  }
  if (!(data->fresh & CARDAN_FRESH_FACTOR)) {
    status = cardan_factor(model, data);
  }
  if (status == CARDAN_OK && model->nrow > 0 && !(data->fresh & CARDAN_FRESH_LOOPS)) {
    const cardan__rowset set = cardan__model_rows(model);
    const cardan__view view = cardan__data_view(model, data);
    if (!(data->fresh & CARDAN_FRESH_POSES)) {
      cardan_poses(model, data);
    }
    cardan__rows_jacobian(&set, &view, &data->rows);
    status = cardan__loops_factor(model, data);
  }
  return status;
}

void cardan__mobility_of(const cardan_model *model, cardan_data *data, const double *g, double *x)
{
  const cardan__rowset set = cardan__model_rows(model);
  cardan_factor_solve(model, data, NULL, g, x);
  if (model->nrow == 0) {
    return;
  }
  const double free = cardan__dot(model->nv, g, x);
  double *y = data->loops->y;
  cardan__tree_twists(model, data, x, true, data->A);
  for (int r = 0; r < model->nrow; r++) {
    y[r] = -cardan__row_dot(&set, &data->rows, r, data->A, x);
  }
  cardan__schur_solve(model, data, y, x);
  if (cardan__dot(model->nv, g, x) <= held * free) {
    memset(x, 0, (size_t)model->nv * sizeof *x);
  }
}
