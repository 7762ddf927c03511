// SPDX-License-Identifier: Apache-2.0
#include "forces/channels.h"
#include "forces/kind.h"

/* Sums over the elements of how forces change with the state (force_parts.c has what kinds have in
 * common). */

/* ---- rates of auxiliary states ---- */

void cardan__force_rates_slope(const cardan_model *model, const cardan__view *view,
                               const cardan__change *change, int element, double *rate)
{
  const cardan__slope_at at = {model, view, change, NULL};
  const cardan_force_element *e = &model->force[element];
  cardan__force_kind_of(e->kind)->rates_slope(&at, e, rate);
}

/* ---- sums over the elements ---- */

void cardan__forces_add_slope(const cardan_model *model, const cardan__view *view,
                              const cardan__change *change, int without, cardan__loads *to)
{
  const cardan__slope_at at = {model, view, change, to};
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    const cardan__force_kind *kind = cardan__force_kind_of(e->kind);
    if (!(e->flags & without) && kind->slope) {
      kind->slope(&at, e);
    }
  }
}

void cardan__forces_add_potential_slope(const cardan_model *model, const cardan__view *view,
                                        const cardan__change *change, cardan__loads *to)
{
  const cardan__slope_at at = {model, view, change, to};
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->flags & CARDAN_FORCE_POTENTIAL) {
      cardan__force_kind_of(e->kind)->slope(&at, e);
    }
  }
}

bool cardan__forces_couple(const cardan_model *model)
{
  bool couple = false;
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    const cardan__force_kind *kind = cardan__force_kind_of(e->kind);
    couple = couple || kind->couples == NULL || kind->couples(model, e);
  }
  return couple;
}

static void add_diagonal(const cardan_model *model, const cardan__view *view, int without,
                         double *tau_q, double *tau_v)
{
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    const cardan__force_kind *kind = cardan__force_kind_of(e->kind);
    if (!(e->flags & without) && kind->diagonal) {
      kind->diagonal(model, view, e, tau_q, tau_v);
    }
  }
}

void cardan__forces_diagonal(const cardan_model *model, const cardan__view *view, double *tau_q,
                             double *tau_v)
{
  for (int k = 0; k < model->nv; k++) {
    tau_q[k] = tau_v[k] = 0.0;
  }
  add_diagonal(model, view, 0, tau_q, tau_v);
}

void cardan__forces_slopes(const cardan_model *model, const cardan__view *view, double *slope_q,
                           double *slope_v)
{
  add_diagonal(model, view, CARDAN_FORCE_POTENTIAL, slope_q, slope_v);
}
