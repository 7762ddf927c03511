// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "dynamics/aba.h"
#include "dynamics/factor.h"
#include "dynamics/friction_boxes.h"
#include "dynamics/friction_iterate.h"
#include "dynamics/loops.h"
#include "dynamics/rnea.h"
#include "forces/forces.h"
#include "kinematics/view.h"
#include "model/data.h"

/* Everything a model holds, at one state: from positions and velocities to accelerations. */

/* From q, v and the caller's inputs to the bodies' bias wrenches: positions, twists, forces
 * (friction comes later). Where nothing reads frames, one pass over the bodies does it all. */
static void outward(const cardan_model *model, cardan_data *data)
{
  memcpy(data->tau, data->tau_in, (size_t)model->nv * sizeof *data->tau);
  memcpy(data->f_ext, data->f_in, (size_t)model->nbody * sizeof *data->f_ext);
  for (int k = 0; k < model->nv && data->dry_friction != NULL; k++) {
    data->tau[k] += data->dry_friction[k];
  }
  if (model->nforce == 0 && model->nrow == 0) {
    cardan__twists_and_biases(model, data);
    data->fresh = CARDAN_FRESH_JOINTS | CARDAN_FRESH_VELOCITIES;
    return;
  }
  const cardan__view view = cardan__data_view(model, data);
  cardan__loads loads = {.f_ext = data->f_ext, .tau = data->tau};
  cardan_joints(model, data);
  cardan_velocities(model, data);
  cardan_poses(model, data);
  if (model->nrow > 0) {
    cardan_bias_accelerations(model, data);
  }
  cardan__forces_add(model, &view, 0, &loads);
  cardan__bias_wrenches(model, data, data->a);
}

static cardan_status check_finite(const cardan_model *model, cardan_data *data)
{
  for (int k = 0; k < model->nv; k++) {
    if (!isfinite(data->a[k])) {
      data->info.body = model->v_body[k];
      data->info.joint = model->body[data->info.body].joint;
      return CARDAN_ERR_NOT_FINITE;
    }
  }
  return CARDAN_OK;
}

/* a and lambda of the tree, with its loops, then with friction. */
static cardan_status accelerate(const cardan_model *model, cardan_data *data, double kq, double kv)
{
  cardan_status status = cardan__factor_reduce(model, data, data->tau);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__aba_finish(model, data, data->a);
  if (model->nrow > 0) {
    cardan_constraints(model, data);
    status = cardan__loops_solve(model, data, kq, kv);
  }
  return status == CARDAN_OK && model->has_friction ? cardan__friction_iterate(model, data, kq, kv)
                                                    : status;
}

cardan_status cardan_forward(const cardan_model *model, cardan_data *data, double kq, double kv)
{
  cardan_prescribe(model, data);
  outward(model, data);
  const cardan_status status = cardan__friction_has_boxes(data)
                                   ? cardan__friction_box_accelerations(model, data)
                                   : accelerate(model, data, kq, kv);
  cardan__made(data, status == CARDAN_OK ? CARDAN_FRESH_FORWARD : 0, 0);
  return status != CARDAN_OK ? status : check_finite(model, data);
}
