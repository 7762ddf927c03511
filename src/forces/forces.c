// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "forces/kind.h"

static const cardan__force_kind *const kinds[] = {
#define KIND(kind, id, word) [kind] = &cardan__force_##id,
    CARDAN_FORCE_LIST(KIND)
#undef KIND
};
_Static_assert(sizeof kinds == CARDAN_NELEMENT_KIND * sizeof(void *), "forces come last");

const cardan__force_kind *cardan__force_kind_of(cardan_element_kind kind)
{
  return kinds[kind];
}

void cardan__forces_add_one(const cardan_model *model, const cardan__view *view, int element,
                            cardan__loads *to)
{
  const cardan_force_element *e = &model->force[element];
  if (kinds[e->kind]->apply) {
    kinds[e->kind]->apply(model, view, e, to);
  }
}

void cardan__forces_add(const cardan_model *model, const cardan__view *view, int without,
                        cardan__loads *to)
{
  for (int i = 0; i < model->nforce; i++) {
    if (!(model->force[i].flags & without)) {
      cardan__forces_add_one(model, view, i, to);
    }
  }
}

void cardan__forces_add_potential(const cardan_model *model, const cardan__view *view,
                                  cardan__loads *to)
{
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->flags & CARDAN_FORCE_POTENTIAL) {
      kinds[e->kind]->apply(model, view, e, to);
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

void cardan__force_rates(const cardan_model *model, const cardan__view *view, int element,
                         double *rate)
{
  const cardan_force_element *e = &model->force[element];
  kinds[e->kind]->rates(model, view, e, rate);
}

void cardan__force_rates_by_state(const cardan_model *model, const cardan__view *view, int element,
                                  int i, double *rate)
{
  const cardan_force_element *e = &model->force[element];
  kinds[e->kind]->rates_by_state(model, view, e, i, rate);
}

double cardan__forces_energy(const cardan_model *model, const cardan__view *view)
{
  double sum = 0.0;
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (kinds[e->kind]->energy) {
      sum += kinds[e->kind]->energy(model, view, e);
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
