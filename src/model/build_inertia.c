// SPDX-License-Identifier: Apache-2.0
#include "model/build.h"

/* Joints that nothing can push: a mass matrix with them is singular. Such a model has places and
 * velocities, but no equations of motion. */

/* A constraint on a body which carries no mass, numbered from body on; -1: none. */
static int constraint_on(const cardan_model *model, int body, const double *mass_below)
{
  for (int r = 0; r < model->nrow; r++) {
    for (int k = 0; k < model->row[r].nb; k++) {
      const int at = model->row_body[model->row[r].badr + k];
      if (at >= body && mass_below[at] == 0) {
        return model->row[r].constraint;
      }
    }
  }
  return -1;
}

void cardan__fill_inert(cardan_model *model, double *mass_below)
{
  model->inert = CARDAN_INERT_NONE;
  for (int i = 0; i < model->nbody; i++) {
    const cardan_inertia *I = &model->body[i].inertia;
    mass_below[i] = I->m + I->xx + I->yy + I->zz;
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    mass_below[model->body[i].parent] += mass_below[i];
  }
  for (int i = 1; i < model->nbody && model->inert == CARDAN_INERT_NONE; i++) {
    const cardan_body *b = &model->body[i];
    if (!(mass_below[i] > 0) && !model->joint[b->joint].kinematic &&
        !(model->armature[b->vadr] > 0)) {
      model->inert_joint = b->joint;
      model->inert_constraint = constraint_on(model, i, mass_below);
      model->inert = model->inert_constraint >= 0 ? CARDAN_INERT_LOOP : CARDAN_INERT_MASSLESS;
    }
  }
}

cardan_status cardan_model_dynamic(const cardan_model *model, cardan_report *report)
{
  if (model->inert == CARDAN_INERT_NONE) {
    return CARDAN_OK;
  }
  const cardan_joint *j = &model->joint[model->inert_joint];
  switch (model->inert) {
  case CARDAN_INERT_LOOP:
    return cardan_fail(
        report, CARDAN_ERR_MODEL, j->pos,
        "joint \"%.60s\" carries a massless body inside a loop (constraint \"%.60s\"): its "
        "equations are singular, give the body a mass or close the loop at its joint",
        j->name, model->constraint[model->inert_constraint].name);
  case CARDAN_INERT_AXIS:
    return cardan_fail(
        report, CARDAN_ERR_MODEL, j->pos,
        "joint \"%.60s\" has no inertia to push against at the start: all mass below it lies on "
        "its axis, expected some away from it or a (mass m Ixx Iyy Izz)",
        j->name);
  default:
    return cardan_fail(
        report, CARDAN_ERR_MODEL, j->pos,
        "there is no mass under \"%.60s\": its equation of motion is singular, expected a "
        "(mass ..) on a frame that it moves",
        j->name);
  }
}
