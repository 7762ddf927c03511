// SPDX-License-Identifier: Apache-2.0
#include "cardan/constraints.h"

#include <math.h>

#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "model/data.h"

void cardan__rows_look(const cardan_model *model, cardan_data *data, double *phi)
{
  const cardan__rowset set = cardan__model_rows(model);
  cardan_joints(model, data);
  cardan_poses(model, data);
  const cardan__view view = cardan__data_view(model, data);
  cardan__rows_value(&set, &view, phi);
}

void cardan_constraints(const cardan_model *model, cardan_data *data)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_POSES | CARDAN_FRESH_VELOCITIES | CARDAN_FRESH_BIAS);
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, data);
  cardan__rows_value(&set, &view, data->rows.phi);
  cardan__rows_jacobian(&set, &view, &data->rows);
  cardan__rows_rates(&set, &view, data->rows.phi_t, data->rows.gamma);
}

double cardan_constraint_max(const cardan_model *model, cardan_data *data)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_POSES);
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, data);
  double largest = 0.0;
  cardan__rows_value(&set, &view, data->rows.phi);
  for (int i = 0; i < model->nrow; i++) {
    // written so that what is not a number is the largest
    if (!(fabs(data->rows.phi[i]) <= largest)) {
      largest = fabs(data->rows.phi[i]);
    }
    if (isnan(largest)) {
      break;
    }
  }
  return largest;
}

void cardan_jacobian(const cardan_model *model, cardan_data *data, double *J)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_POSES);
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, data);
  cardan__rows_jacobian(&set, &view, &data->rows);
  cardan__rows_dense(&set, data, &data->rows, J);
}
