// SPDX-License-Identifier: Apache-2.0
#include "forces/channels.h"

#include "forces/kind.h"

bool cardan__force_channel(const cardan_model *model, int c)
{
  const cardan_force_element *e = &model->force[c / CARDAN__FORCE_PARTS];
  const cardan__force_kind *kind = cardan__force_kind_of(e->kind);
  return kind->channel != NULL && kind->channel(model, e, c % CARDAN__FORCE_PARTS);
}

void cardan__force_direction(const cardan_model *model, const cardan__view *view, int c,
                             cardan__loads *to)
{
  const cardan_force_element *e = &model->force[c / CARDAN__FORCE_PARTS];
  cardan__force_kind_of(e->kind)->direction(model, view, e, c % CARDAN__FORCE_PARTS, to);
}

void cardan__force_gradient(const cardan_model *model, const cardan__view *view, int c, double by_q,
                            double by_v, cardan__loads *to)
{
  const cardan_force_element *e = &model->force[c / CARDAN__FORCE_PARTS];
  cardan__force_kind_of(e->kind)->gradient(model, view, e, c % CARDAN__FORCE_PARTS, by_q, by_v, to);
}
