// SPDX-License-Identifier: Apache-2.0
#include "cardan/dynamics.h"
#include "forces/forces.h"
#include "kinematics/view.h"
#include "spatial/spatial.h"

/* Energies and momenta: sums over bodies. */

double cardan_kinetic(const cardan_model *model, const cardan_data *data)
{
  double sum = 0;
  for (int i = 1; i < model->nbody; i++) {
    sum += cardan__inertia_energy(&model->body[i].inertia, data->V[i]);
  }
  return sum;
}

double cardan_potential(const cardan_model *model, const cardan_data *data)
{
  const cardan__view view = cardan__data_view(model, data);
  double sum = 0;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_inertia *I = &model->body[i].inertia;
    const cardan_xform *X = &data->X_W[i];
    // - g . (m c), m c = m p + R h
    const cardan_vec3 mc = cardan__vec3_axpy(I->m, X->p, cardan__mat3_mulv(&X->R, I->h));
    sum -= cardan__vec3_dot(model->gravity, mc);
  }
  return sum + cardan__forces_energy(model, &view);
}

cardan_force cardan_momentum(const cardan_model *model, const cardan_data *data)
{
  cardan_force sum = {.t = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_force p = cardan__inertia_mul(&model->body[i].inertia, data->V[i]);
    sum = cardan__force_add(sum, cardan__force_to_parent(&data->X_W[i], p));
  }
  return sum;
}
