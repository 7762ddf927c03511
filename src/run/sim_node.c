// SPDX-License-Identifier: Apache-2.0
#include "cardan/constraints.h"
#include "cardan/kinematics.h"
#include "run/sim.h"

/* A node and the step from it by the method alone: the lowest calls of a run. */

bool cardan__sim_adaptive(const cardan_sim *sim)
{
  const cardan__method *method = sim->stepper->method;
  return cardan__option_find(method, "integrator") != NULL &&
         cardan_integrator_adaptive(cardan__option_choice(method, "integrator", &sim->options));
}

double cardan__sim_work(const cardan_sim *sim)
{
  return sim->work_start + sim->stepper->method->work(sim->stepper) +
         cardan__contacts_work(sim->contacts);
}

void cardan__sim_refresh(cardan_sim *sim)
{
  if (sim->stepper->method->kinematics != NULL) {
    sim->stepper->method->kinematics(sim->stepper, sim->data);
    return;
  }
  cardan_kinematics(sim->model, sim->data);
  if (sim->model->nrow > 0) {
    cardan_constraints(sim->model, sim->data);
  }
}

cardan_status cardan__sim_update_node(cardan_sim *sim)
{
  const cardan__method *method = sim->stepper->method;
  sim->data->fresh = 0; // q is new
  const cardan_status status =
      method->node != NULL ? method->node(sim->stepper, sim->data) : CARDAN_OK;
  if (status == CARDAN_OK) {
    sim->data->fresh = 0; // v is new
    cardan__sim_refresh(sim);
  }
  return status;
}

cardan_status cardan__sim_carry(cardan_sim *sim, double t)
{
  // without contacts no test refuses a step
  return sim->contacts != NULL ? cardan__contact_step(sim, t)
                               : sim->stepper->method->step(sim->stepper, sim->data, t).status;
}
