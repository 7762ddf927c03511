// SPDX-License-Identifier: Apache-2.0
#include "forces/forces.h"

#include <string.h>

typedef struct {
  cardan__force_energy *energy; // NULL: none
  cardan__force_apply *apply;   // NULL: not from here (friction), or no force at all
} force_kind;

/* A new kind of force is one row here, its functions, and its checks in model/build_forces.c. */
static const force_kind kinds[] = {
    [CARDAN_ELEMENT_SPRING] = {cardan__spring_energy, cardan__spring_apply},
    [CARDAN_ELEMENT_JOINT_SPRING] = {cardan__joint_spring_energy, cardan__joint_spring_apply},
    [CARDAN_ELEMENT_POTENTIAL] = {cardan__expr_energy, cardan__expr_apply},
    [CARDAN_ELEMENT_NEWTON_GRAVITY] = {cardan__newton_energy, cardan__newton_apply},
    [CARDAN_ELEMENT_DAMPING] = {NULL, cardan__damping_apply},
    [CARDAN_ELEMENT_DAMPER] = {NULL, cardan__damper_apply},
    [CARDAN_ELEMENT_TORQUE] = {NULL, cardan__torque_apply},
    [CARDAN_ELEMENT_WRENCH] = {NULL, cardan__wrench_apply},
    [CARDAN_ELEMENT_FRICTION] = {NULL, NULL},
};

void cardan__forces_add(const cardan_model *model, const cardan__view *view, int without,
                        cardan__loads *to)
{
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (!(e->flags & without) && kinds[e->kind].apply) {
      kinds[e->kind].apply(model, view, e, to);
    }
  }
}

void cardan__forces_add_potential(const cardan_model *model, const cardan__view *view,
                                  cardan__loads *to)
{
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->flags & CARDAN_FORCE_POTENTIAL) {
      kinds[e->kind].apply(model, view, e, to);
    }
  }
}

void cardan__forces_apply(const cardan_model *model, const cardan__view *view, cardan_force *f_ext,
                          double *tau)
{
  cardan__loads to = {.f_ext = f_ext, .tau = tau};
  memset(f_ext, 0, (size_t)model->nbody * sizeof *f_ext);
  for (int k = 0; k < model->nv; k++) {
    tau[k] = 0.0;
  }
  cardan__forces_add(model, view, 0, &to);
}

double cardan__forces_energy(const cardan_model *model, const cardan__view *view)
{
  double sum = 0.0;
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (kinds[e->kind].energy) {
      sum += kinds[e->kind].energy(model, view, e);
    }
  }
  return sum;
}

double cardan__forces_power(const cardan_model *model, const cardan__view *view,
                            const double *limit)
{
  cardan__loads to = {.V = view->V, .v = view->v};
  cardan__forces_add(model, view, CARDAN_FORCE_POTENTIAL, &to);
  if (limit) {
    cardan__friction_apply(model, view, limit, &to);
  }
  return to.power;
}

void cardan_forces(const cardan_model *model, cardan_data *data)
{
  const cardan__view view = cardan__data_view(model, data);
  cardan__forces_apply(model, &view, data->f_ext, data->tau);
}
