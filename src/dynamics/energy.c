// SPDX-License-Identifier: Apache-2.0
#include "cardan/dynamics.h"
#include "forces/forces.h"
#include "forces/gravity.h"
#include "kinematics/view.h"
#include "model/data.h"
#include "spatial/spatial.h"

/* Energies and momenta: sums over bodies. */

double cardan_kinetic(const cardan_model *model, const cardan_data *data)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  double sum = 0;
  for (int i = 1; i < model->nbody; i++) {
    sum += cardan__inertia_energy(&model->body[i].inertia, data->V[i]);
  }
  for (int k = 0; k < model->nv && model->has_armature; k++) {
    sum += 0.5 * model->armature[k] * data->v[k] * data->v[k];
  }
  return sum;
}

double cardan_potential(const cardan_model *model, const cardan_data *data)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_POSES);
  const cardan__view view = cardan__data_view(model, data);
  return cardan__gravity_energy(model, &view) + cardan__forces_energy(model, &view);
}

cardan_force cardan_total_momentum(const cardan_model *model, const cardan_data *data)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_POSES | CARDAN_FRESH_VELOCITIES);
  cardan_force sum = {.t = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_force p = cardan__inertia_mul(&model->body[i].inertia, data->V[i]);
    sum = cardan__force_add(sum, cardan__force_to_parent(&data->X_W[i], p));
  }
  return sum;
}
