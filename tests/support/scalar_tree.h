/* SPDX-License-Identifier: Apache-2.0
 * scalar_tree.h - random trees of joints with one velocity each, as method svi takes them. */
#pragma once
#include "cardan/cardan.h"
#include "support.h"

enum { TREE_NMAX = 96 };

typedef struct {
  cardan_model *model;
  cardan_data *data;
} fixture;

/* n joints of the file (revolute, prismatic, helical, universal, cylindrical, planar in turn),
 * "j1".., with masses and frames "f1"..; gravity in a random direction.
 * forces: also one element of every kind, friction apart. */
fixture scalar_tree(int n, bool forces, uint64_t seed);
void scalar_tree_free(fixture *f);

/* A model from a text. */
fixture text_model(const char *text);
