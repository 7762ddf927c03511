// SPDX-License-Identifier: Apache-2.0
#include "dynamics/aux_rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "dynamics/inverse_slopes.h"
#include "dynamics/outputs.h"
#include "expr/expr.h"
#include "forces/forces.h"
#include "model/build.h"
#include "model/data.h"

int cardan__aux_rates(const cardan_model *model, const cardan__view *view, double *zdot)
{
  int wrong = -1;
  for (int k = 0; k < model->nrate; k++) {
    const int force = model->state[k].force;
    if (force < 0) {
      zdot[k] = cardan__expr_at(model, view, model->state[k].expr);
    } else if (model->force[force].state == k) { // all that the element has
      cardan__force_rates(model, view, force, zdot + k);
    }
  }
  for (int k = 0; k < model->nrate; k++) {
    wrong = wrong < 0 && !isfinite(zdot[k]) ? k : wrong;
  }
  return wrong;
}

/* Column k of J: a state of a force element changes the rates of those of this element alone. */
static void own_slope(const cardan_model *model, const cardan__view *view, int k, double *J)
{
  double rate[CARDAN_NELEMENT_STATE];
  const int force = model->state[k].force, first = model->force[force].state;
  cardan__force_rates_by_state(model, view, force, k - first, rate);
  for (int i = 0; i < CARDAN_NELEMENT_STATE; i++) {
    J[(first + i) * model->nrate + k] = rate[i];
  }
}

void cardan__aux_rates_slope(const cardan_model *model, const cardan__view *view, double *J)
{
  const int nz = model->nrate, first = model->ninput;
  double *x = view->work, *g = x + model->max_leaf, *work = x + 8 * model->max_leaf;
  memset(J, 0, (size_t)nz * (size_t)nz * sizeof *J);
  for (int k = 0; k < nz; k++) {
    if (model->state[k].force >= 0) {
      own_slope(model, view, k, J);
      continue;
    }
    const cardan_bound_expr *e = &model->expr[model->state[k].expr];
    cardan__leaf_values(model, view, e, x, NULL, NULL);
    cardan__expr_gradient(e->expr, x, work, g);
    for (int i = 0; i < e->nleaf; i++) {
      const cardan__leaf_ref *leaf = &e->leaf[i];
      if (leaf->kind == CARDAN__LEAF_U && leaf->index >= first && leaf->index < first + nz) {
        J[k * nz + leaf->index - first] += g[i];
      }
    }
  }
}

void cardan__aux_rate_slopes(const cardan_model *model, cardan_data *data, int k, double *by_q,
                             double *by_v, double *by_u)
{
  double rate[CARDAN_NELEMENT_STATE];
  const int force = model->state[k].force;
  if (force < 0) {
    (void)cardan__expr_slopes(model, data, model->state[k].expr, by_q, by_v, by_u);
    return;
  }
  const int first = model->force[force].state;
  cardan_kinematics(model, data);
  cardan__force_rate_slopes(model, data, force, k - first, by_q, by_v);
  memset(by_u, 0, (size_t)(model->ninput + model->nz) * sizeof *by_u);
  const cardan__view view = cardan__data_view(model, data);
  for (int i = 0; i < CARDAN_NELEMENT_STATE; i++) {
    cardan__force_rates_by_state(model, &view, force, i, rate);
    by_u[model->ninput + first + i] = rate[k - first];
  }
}

cardan_status cardan__aux_rates_not_finite(const cardan_model *model, int k, cardan_info *info)
{
  snprintf(info->message, sizeof info->message,
           "the derivative of auxiliary state \"%.60s\" (line %d) is not finite",
           model->state[k].name, model->state[k].pos.line);
  return CARDAN_ERR_NOT_FINITE;
}

cardan_status cardan__aux_rates_none(const cardan_model *model, const char *what,
                                     cardan_report *report)
{
  if (model->nz > 0) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, model->state[0].pos,
                       "the auxiliary state \"%.60s\" moves beside the mechanism, and %s of the "
                       "mechanism alone",
                       model->state[0].name, what);
  }
  if (model->ncontroller > 0) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, model->controller[0].pos,
                       "the controller of input \"%.60s\" acts beside the mechanism, and %s of the "
                       "mechanism alone: without it the input has the value it is given",
                       model->input[model->controller[0].input].name, what);
  }
  return CARDAN_OK;
}

cardan_status cardan__aux_rates_at(const cardan_model *model, cardan_data *data, double *zdot)
{
  if (!(data->fresh & CARDAN_FRESH_POSES)) {
    cardan_poses(model, data);
  }
  if (!(data->fresh & CARDAN_FRESH_VELOCITIES)) {
    cardan_velocities(model, data);
  }
  const cardan__view view = cardan__data_view(model, data);
  const int wrong = cardan__aux_rates(model, &view, zdot);
  return wrong < 0 ? CARDAN_OK : cardan__aux_rates_not_finite(model, wrong, &data->info);
}
