// SPDX-License-Identifier: Apache-2.0
#include "dynamics/aux_rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "expr/expr.h"
#include "model/build.h"
#include "model/data.h"

int cardan__aux_rates(const cardan_model *model, const cardan__view *view, double *zdot)
{
  int wrong = -1;
  for (int k = 0; k < model->nrate; k++) {
    zdot[k] = cardan__expr_at(model, view, model->state[k].expr);
    wrong = wrong < 0 && !isfinite(zdot[k]) ? k : wrong;
  }
  return wrong;
}

void cardan__aux_rates_slope(const cardan_model *model, const cardan__view *view, double *J)
{
  const int nz = model->nrate, first = model->ninput;
  double *x = view->work, *g = x + model->max_leaf, *work = x + 8 * model->max_leaf;
  memset(J, 0, (size_t)nz * (size_t)nz * sizeof *J);
  for (int k = 0; k < nz; k++) {
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
