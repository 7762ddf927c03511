// SPDX-License-Identifier: Apache-2.0
#include "dynamics/friction_iterate.h"

#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/loops.h"
#include "dynamics/rnea.h"
#include "forces/friction_prediction.h"

/* Forward dynamics with joint friction: the tree's part in the iteration of forces/friction.c. */

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  double kq, kv;
} tree;

static const cardan_force *wrenches(void *self)
{
  const tree *s = self;
  cardan__joint_wrenches(s->model, s->data, s->data->tau_work);
  return s->data->f;
}

/* With the factors of the mass matrix and of the loops that the first solve left. */
static void solve(void *self)
{
  const tree *s = self;
  cardan_aba(s->model, s->data, s->data->tau, s->data->a);
  if (s->model->nrow > 0) {
    cardan__loops_again(s->model, s->data, s->kq, s->kv);
  }
}

static void see(void *self, double *seen)
{
  const tree *s = self;
  for (int k = 0; k < s->model->nv; k++) {
    seen[k] = s->data->v[k] + s->data->prediction->ahead * s->data->a[k];
  }
}

cardan_status cardan__friction_iterate(const cardan_model *model, cardan_data *data, double kq,
                                       double kv)
{
  const cardan__view view = cardan__data_view(model, data);
  tree self = {model, data, kq, kv};
  const cardan__friction_system system = {.self = &self,
                                          .wrenches = wrenches,
                                          .solve = solve,
                                          .view = &view,
                                          .limit = data->friction,
                                          .force = data->friction_tau,
                                          .tau = data->tau,
                                          .dry_given = data->dry_friction != NULL,
                                          .prediction = data->prediction,
                                          .see = see};
  memset(data->friction, 0, (size_t)model->nforce * sizeof *data->friction);
  memset(data->friction_tau, 0, (size_t)model->nv * sizeof *data->friction_tau);
  const cardan_status status = cardan__friction_agree(model, &system, &data->info);
  for (int k = 0; k < model->nv && data->dry_friction != NULL; k++) {
    data->friction_tau[k] += data->dry_friction[k];
  }
  return status;
}
