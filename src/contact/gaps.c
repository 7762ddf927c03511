// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "contact/contact.h"

static bool has_stops(const cardan_joint *joint)
{
  return joint->has_limit && !joint->kinematic && joint->nq == 1;
}

int cardan__features_count(const cardan_model *model)
{
  int n = 0;
  for (int i = 0; i < model->njoint; i++) {
    n += has_stops(&model->joint[i]) ? 2 : 0;
  }
  return n;
}

void cardan__features_list(const cardan_model *model, cardan__feature *feature)
{
  for (int i = 0; i < model->njoint; i++) {
    const cardan_joint *joint = &model->joint[i];
    const bool pinned = joint->limit[1] - joint->limit[0] <= 0.5 * CARDAN__CLOSED;
    for (int side = 0; side < 2 && has_stops(joint); side++) {
      *feature++ = (cardan__feature){.joint = i,
                                     .q = joint->qadr,
                                     .k = joint->vadr,
                                     .sign = side == 0 ? 1 : -1,
                                     .bound = joint->limit[side],
                                     .restitution = pinned ? 0 : joint->restitution,
                                     .pinned = pinned}; // (F1)
    }
  }
}

void cardan__feature_row(const cardan__feature *f, int nv, double *row)
{
  memset(row, 0, (size_t)nv * sizeof *row);
  row[f->k] = f->sign;
}
