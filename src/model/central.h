/* SPDX-License-Identifier: Apache-2.0
 * model/central.h - a body by its centre of mass, as the discrete kinetic energy of method vi takes
 * it (kernels/swing_step.h), in the scalar code and in lanes. */
#pragma once
#include "cardan/model.h"
#include "spatial/inertia.h"

/* c, s: in the body's axes. s = (c - r) / |c - r| is the direction of the lever from r to the
 * centre of mass, and k = m |c - r|^2; both are 0 where r is the centre itself. r is the point that
 * the body's joint holds:
 *   revolute, helical   the point of the axis nearest to c
 *   spherical           the joint's centre
 *   any other           c: the centre moves freely, also of a hinge on two sliders without mass */
typedef struct {
  double m, k;
  cardan_vec3 c, s;
  cardan__sym3 J; // about c
} cardan__central;

cardan__central cardan__body_central(const cardan_model *model, int body);
