/* SPDX-License-Identifier: Apache-2.0
 * forces/strain.h - elements with a potential as functions of their own deformation.
 *
 *   U = U(y),  y = y(q) its strain,  g = dU/dy its stress,  B = dy/dq,  force -B^T g         (S1)
 *
 *   element                        y
 *   spring, newton-gravity         p_B - p_A, world axes (3)
 *   bushing, bushing-coupling      x and w of forces/bushing.c (6)
 *   joint-spring                   its coordinate (1)
 *   potential                      the leaves of its expression: coordinates, points, directions
 *
 * A method may take stress and B at different configurations: the impulse at a node is B there, its
 * stress that of the mean strain of two nodes (methods/vi/vi_elastic.c). Nothing here allocates. */
#pragma once
#include "forces/kind.h"

/* How many numbers y of an element are; 0: it has no potential. */
static inline int cardan__strains(const cardan_model *model, const cardan_force_element *e)
{
  const cardan__force_kind *kind = cardan__force_kind_of(e->kind);
  return kind->strains != NULL ? kind->strains(model, e) : 0;
}

/* Calls of an element with strains, by its kind (kind.h), y, dy, g, dg of as many numbers:
 *   strain         y at view
 *   stress         g at y; view: only its work
 *   stress_change  dg = U'' dy at y; view: only its work
 *   load           adds -B^T g at view
 *   strain_change  dy = B dx along at->change
 *   load_change    adds the change of -B^T g along at->change, g itself changing by dg */

/* Bodies other than the world that frames of an element are on, each once, to list: the first
 * `most`. returns how many are listed */
int cardan__strain_bodies(const cardan_model *model, const cardan_force_element *e, int *list,
                          int most);

/* Velocities that its strains read coordinates of, each once, to list: the first `most`; list NULL:
 * counts them with repetition. returns how many */
int cardan__strain_dofs(const cardan_model *model, const cardan_force_element *e, int *list,
                        int most);
