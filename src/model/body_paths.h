/* SPDX-License-Identifier: Apache-2.0
 * model/body_paths.h - paths in the tree of a model's bodies. */
#pragma once
#include "cardan/model.h"

/* The velocities of bodies first .. end - 1, which are those of whole joints: range[0] ..
 * range[1] - 1. Within a joint they need not be in the order of its bodies: a cylindrical one
 * slides first, by its second velocity. */
static inline void cardan__velocity_range(const cardan_model *model, int first, int end,
                                          int range[2])
{
  const cardan_joint *last = &model->joint[model->body[end - 1].joint];
  range[0] = model->joint[model->body[first].joint].vadr;
  range[1] = last->vadr + last->nv;
}

/* The last common ancestor of two bodies, where their paths to the world meet. Parents have smaller
 * numbers. */
static inline int cardan__meeting(const cardan_model *model, int a, int b)
{
  while (a != b) {
    if (a > b) {
      a = model->body[a].parent;
    } else {
      b = model->body[b].parent;
    }
  }
  return a;
}
