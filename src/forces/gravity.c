// SPDX-License-Identifier: Apache-2.0
#include "forces/gravity.h"

double cardan__gravity_energy(const cardan_model *model, const cardan__view *view)
{
  double sum = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_inertia *I = &model->body[i].inertia;
    const cardan_xform *X = &view->X_W[i];
    const cardan_vec3 mc = cardan__vec3_axpy(I->m, X->p, cardan__mat3_mulv(&X->R, I->h));
    sum -= cardan__vec3_dot(model->gravity, mc); // (E2)
  }
  return sum;
}
