/* SPDX-License-Identifier: Apache-2.0
 * forces/gravity.h - uniform gravity as a load, and its energy.
 *
 *   weight   f = m g, t = h x g   about the body frame's origin, h = m c                  (E1)
 *   energy   U = - g . (m p + R h), summed over the bodies                                (E2)
 *
 * The field g is the same everywhere; in the axes of a body it is computed from the parent's,
 * g_i = R_i^T g_p, so that recursions along the tree need no poses. rnea and aba instead accelerate
 * the world by A_0 = -g, which is equivalent by (E1) and costs nothing. */
#pragma once
#include "kinematics/view.h"
#include "spatial/spatial.h"

/* (E1) of one body; g: the field in its axes. */
static inline cardan_force cardan__weight(const cardan_inertia *I, cardan_vec3 g)
{
  return (cardan_force){.t = cardan__vec3_cross(I->h, g), .f = cardan__vec3_scale(I->m, g)};
}

/* (E2) [J]. Reads X_W. */
double cardan__gravity_energy(const cardan_model *model, const cardan__view *view);
