// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "cardan/contact.h"
#include "contact/touch.h"
#include "spatial/spatial.h"

double cardan_distance(const cardan_model *model, const cardan_data *data, int first, int second,
                       cardan_vec3 *a, cardan_vec3 *b)
{
  cardan__touch least = {.gap = HUGE_VAL}, at;
  for (int i = 0; i < model->nsolid; i++) {
    for (int j = 0; j < model->nsolid && model->solid[i].frame == first; j++) {
      if (model->solid[j].frame == second && i != j) {
        cardan__solids_gap(model, (const int[2]){i, j}, data->X_W, &at);
        least = at.gap < least.gap ? at : least;
      }
    }
  }
  const bool any = least.gap < HUGE_VAL;
  if (a != NULL) {
    *a = least.x;
  }
  if (b != NULL) {
    *b = any ? cardan__vec3_axpy(-least.gap, least.n, least.x) : least.x;
  }
  return least.gap;
}

double cardan_smallest_gap(const cardan_model *model, const cardan_data *data, int *pair)
{
  double least = HUGE_VAL;
  int which = -1;
  for (int i = 0; i < model->npair; i++) {
    const double gap = cardan__pair_gap(model, i, data->X_W, NULL);
    which = gap < least ? i : which;
    least = fmin(least, gap);
  }
  if (pair != NULL) {
    *pair = which;
  }
  return least;
}
