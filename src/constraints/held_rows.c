// SPDX-License-Identifier: Apache-2.0
#include "constraints/held_rows.h"

#include <math.h>
#include <stdio.h>

static const double moving = 1e-9; // [m/s, rad/s]: faster is sliding

void cardan__held_asked(int n, const cardan__row_level *level, const double *target, double h,
                        double *s)
{
  for (int k = 0; k < n; k++) {
    s[k] -= level[k] == CARDAN__POSITION_LEVEL ? target[k] : h * target[k];
  }
}

bool cardan__held_at_rest(const cardan__held_rows *held)
{
  bool rests = held->nrow > 0;
  for (int i = 0; i < held->nrow && rests; i++) {
    rests = fabs(held->speed[i]) <= moving;
  }
  return rests;
}

const int (*cardan__held_trees(const cardan__held_rows *held, const cardan_model *model))[2]
{
  for (int j = 0; j < held->n; j++) {
    const int *tree = held->reach[j].tree;
    if (tree[0] < 0 || tree[1] < 0 || model->nrow > 0) {
      return NULL;
    }
    held->tree[j][0] = tree[0] > 0 ? tree[0] : -1;
    held->tree[j][1] = tree[1] > 0 ? tree[1] : -1;
  }
  return (const int(*)[2])held->tree;
}

cardan_status cardan__held_unsolved(cardan_data *data, int n, const char *worst, double error)
{
  data->info = (cardan_info){.body = -1, .joint = -1, .row = -1, .residual = error};
  snprintf(data->info.message, sizeof data->info.message,
           "impulses of %d contacts are found to %.2g m/s only, %s is worst", n, error, worst);
  return CARDAN_ERR_NO_CONVERGENCE;
}
