// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "forces/tyre.h"
#include "kinematics/view.h"
#include "run/sim.h"

/* Checks the tyres of a model at nodes that are looked at anyway: has one left the ground, so that
 * it neither carries nor steers? */

cardan_status cardan__check_tyres(cardan_sim *sim, cardan_report *report)
{
  const cardan_model *model = sim->model;
  bool any = false;
  for (int i = 0; i < model->nforce; i++) {
    any = any || model->force[i].kind == CARDAN_ELEMENT_TYRE;
  }
  if (!any) {
    return CARDAN_OK;
  }
  cardan_kinematics(model, sim->data);
  const cardan__view view = cardan__data_view(model, sim->data);
  const int tyre = cardan__lying_tyre(model, &view, 0.0);
  return tyre < 0 ? CARDAN_OK
                  : cardan_fail(report, CARDAN_ERR_ASSEMBLY, model->force[tyre].pos,
                                "the disc of tyre \"%.60s\" lies flat at the start and has no "
                                "lowest point: tilt it by more than 0.6 degrees; its axis is z of "
                                "its frame, or (axis x y z)",
                                model->force[tyre].name);
}

void cardan__watch_tyres(cardan_sim *sim)
{
  cardan__watch *w = &sim->watch;
  const cardan_model *model = sim->model;
  for (int i = 0; i < model->nforce && w->lifted == 0; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->kind == CARDAN_ELEMENT_TYRE && e->value[CARDAN_TYRE_VERTICAL] > 0.0) {
      const cardan__view view = cardan__data_view(model, sim->data);
      const cardan__tyre_reading now = cardan__read_tyre(model, &view, e);
      if (now.depth < 0.0) {
        w->lifted = i + 1;
        w->lifted_t = view.t;
        w->lifted_depth = now.depth;
      }
    }
  }
}

void cardan__watch_tyres_end(cardan_sim *sim)
{
  cardan__watch *w = &sim->watch;
  const size_t size = sizeof sim->watch_text, used = strlen(sim->watch_text);
  if (w->lifted == 0 || w->tyre_reported) {
    return;
  }
  w->tyre_reported = true;
  snprintf(
      sim->watch_text + used, size - used,
      "%sat t = %.6g the tyre \"%.60s\" is %.3g m above the ground: a wheel in the air neither "
      "carries nor steers",
      used > 0 ? "; " : "", w->lifted_t, sim->model->force[w->lifted - 1].name, -w->lifted_depth);
}
