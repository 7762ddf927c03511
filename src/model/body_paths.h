/* SPDX-License-Identifier: Apache-2.0
 * model/body_paths.h - paths in the tree of a model's bodies. */
#pragma once
#include "cardan/model.h"

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
