// SPDX-License-Identifier: Apache-2.0
#include "methods/discrete/discrete.h"
#include "methods/discrete/rolling_slopes.h"

/* Derivatives of the step that would come next. */

/* The same where rows of velocity level are held: counts and traces stay as they are. */
static cardan_status slopes_of_rolling(cardan__discrete *d, double h, cardan__slopes *out)
{
  const int iterations = d->base.iterations, ntrace = d->root.ntrace;
  const int64_t evaluations = d->base.evaluations;
  d->stages.now = 0;
  d->friction_acts = d->model->has_friction;
  d->dry_held = false;
  const cardan_status status = cardan__rolling_slopes(d, h, out);
  cardan__discrete_friction(d);
  d->base.iterations = iterations;
  d->base.evaluations = evaluations;
  d->root.ntrace = ntrace;
  return status;
}

/* The root of the next step, with the node as it is; then the equation's derivatives there.
 * Friction in joints is a force, whose law is smooth. */
cardan_status cardan__discrete_slopes(cardan__stepper *stepper, cardan_data *data, double h,
                                      cardan__slopes *out)
{
  cardan__discrete *d = (cardan__discrete *)stepper;
  const int iterations = stepper->iterations;
  const int64_t evaluations = stepper->evaluations;
  const int ntrace = d->root.ntrace;
  if (d->stages.n > 1) {
    return CARDAN_ERR_UNSUPPORTED;
  }
  cardan__discrete_inputs(d, data);
  if (d->rolling != NULL) {
    const cardan_status status = slopes_of_rolling(d, h, out);
    if (status != CARDAN_OK) {
      data->info = d->node->info;
    }
    return status;
  }
  d->stages.now = 0;
  d->friction_acts = d->model->has_friction;
  d->dry_held = false;
  cardan__root_forget(d);
  cardan__step_begin(d, h, d->node->t + h);
  cardan_status status = cardan__branch_solve(d);
  if (status == CARDAN_OK && d->border.n > 0) {
    cardan__border_values(d); // trial may be in the middle of the step, where forces were evaluated
    cardan__border_rows(d);
    cardan__hold_rows_of_node(d, d->border.Gk);
  }
  if (status == CARDAN_OK && d->border.P != NULL) {
    status = cardan__border_sparse_dense(d);
  }
  status = status == CARDAN_OK ? d->equation->slopes(d, out) : status;
  if (status != CARDAN_OK) {
    data->info = d->node->info;
  }
  out->nindependent = d->border.n;
  out->row = d->border.row;
  out->Gk = d->border.Gk;
  out->Gn = d->border.Gn;
  out->lambda = d->border.lambda; // of that step, which is not taken: the node keeps its own
  d->border.lambda = d->border.lambda_start;
  d->border.lambda_start = (double *)out->lambda;
  cardan__discrete_friction(d);
  cardan__root_forget(d);
  d->root.ntrace = ntrace;
  stepper->iterations = iterations;
  stepper->evaluations = evaluations;
  return status;
}
