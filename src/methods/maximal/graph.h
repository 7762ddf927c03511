/* SPDX-License-Identifier: Apache-2.0
 * methods/maximal/graph.h - a spanning tree over the bodies and all rows between two of them. */
#pragma once
#include "methods/maximal/maximal.h"

/* Equations between the same two bodies (or a body and the world) are one edge. The spanning tree
 * takes edges with many rows first, so that few are left over; the world is its root, and so is one
 * body of each part that floats. Equations that are not in it are auxiliary: loops, second
 * connections to the world, rows that read more than two bodies. */
typedef struct {
  int *order;   // nbody: bodies, every one after its parent
  int *parent;  // of each body: a body, or -1: the world, or a root that floats
  int *adr, *n; // of each body: the equations of the edge to its parent, in eq; n is 0 for a root
  int *eq, *child, *above; // neq: equation; its entry in J for the child, for the parent (-1: none)
  int *aux;                // equations that are not in the tree
  int naux, ntree;
} cardan__mx_graph;

/* Memory comes from the arena. returns CARDAN_ERR_MEMORY */
cardan_status cardan__mx_graph_make(const cardan__maximal *mx, cardan__arena *arena,
                                    cardan__mx_graph *graph) CARDAN_MUST_USE;
