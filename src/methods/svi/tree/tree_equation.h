/* SPDX-License-Identifier: Apache-2.0
 * svi/tree/tree_equation.h - the equation of a step of svi by the tree's derivatives, as
 * published. */
#pragma once
#include "methods/svi/svi.h"
#include "methods/svi/tree/svi_tree.h"

typedef struct {
  cardan__svi base;
  cardan__tree *tree;
  double *L_qv, *L_vv; // nv x nv
} cardan__svi_tree;

extern const cardan__equation cardan__equation_svi_tree;
