// SPDX-License-Identifier: Apache-2.0
#include "cardan/dynamics.h"
#include "dynamics/rnea.h"
#include "forces/forces.h"
#include "methods/method.h"
#include "model/build.h"

/* What puts energy into a mechanism: elements without a potential, friction, drivers, constraints
 * that move with time, and the caller's own forces. */

static bool forces_work(const cardan_model *model)
{
  bool works = model->nprescribed > 0;
  for (int i = 0; i < model->nforce && !works; i++) {
    works = (model->force[i].flags & CARDAN_FORCE_POTENTIAL) == 0;
  }
  return works;
}

bool cardan__model_works(const cardan_model *model)
{
  bool works = forces_work(model);
  for (int i = 0; i < model->nrow && !works; i++) {
    const cardan_row *row = &model->row[i]; // motion, wire and equation may depend on time
    works = row->kind == CARDAN_ROW_VELOCITY ? row->coef[0] > 0.0 : row->expr >= 0;
  }
  return works;
}

bool cardan__model_nonconservative(const cardan_model *model)
{
  bool works = forces_work(model);
  for (int i = 0; i < model->nrow && !works; i++) {
    const int e = model->row[i].expr;
    works = (e >= 0 && (model->expr[e].expr->uses & CARDAN__LEAVES_T)) ||
            (model->row[i].kind == CARDAN_ROW_VELOCITY && model->row[i].coef[0] > 0.0);
  }
  return works;
}

double cardan__power_in(const cardan_model *model, cardan_data *data)
{
  const cardan__view view = cardan__data_view(model, data);
  double power = cardan__forces_power(model, &view, NULL);
  // a constraint's force on the motion: lambda . J v, and J v = -phi_t; a row of velocity level
  // has J v = b = -phi_t, too
  for (int r = 0; r < model->nrow; r++) {
    power -= data->lambda[r] * data->rows.phi_t[r];
  }
  for (int k = 0; k < model->nv; k++) {
    power += (data->tau_in[k] + data->friction_tau[k]) * data->v[k];
  }
  for (int i = 1; i < model->nbody; i++) {
    power += cardan__power(data->V[i], data->f_in[i]);
  }
  if (model->nprescribed > 0) {
    cardan__joint_wrenches(model, data, data->tau_work);
  }
  for (int i = 0; i < model->nprescribed; i++) {
    const int k = model->body[model->prescribed[i].body].vadr;
    power += (data->tau_work[k] - data->tau[k]) * data->v[k];
  }
  return power;
}
