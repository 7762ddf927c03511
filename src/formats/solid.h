/* SPDX-License-Identifier: Apache-2.0
 * formats/solid.h - inertia of the solids that robots are made of, of unit density, about their
 * middle. */
#pragma once
#include "cardan/base.h"
#include "spatial/inertia.h"

/* Sides, radii and lengths are halves: a box is 2 half[0] wide. */
cardan_inertia cardan__solid_box(const double half[3]);
cardan_inertia cardan__solid_ellipsoid(const double half[3]);

/* A cylinder along z; with ends: a capsule, half a ball beyond each face. */
cardan_inertia cardan__solid_bar(double radius, double half, bool ends);
