/* SPDX-License-Identifier: Apache-2.0
 * formats/collision.h - solids of robots: what readers of their formats share. */
#pragma once
#include "formats/xml_spec.h"

/* The name of a material with this surface: one that the spec has, else a new one, "surface1", ..;
 * NULL after a failure. */
const char *cardan__collision_material(cardan_spec *spec, const cardan_surface *surface);

/* A shape as a solid of a frame. That of a mesh is its convex hull; where there is none (the file
 * is not there, it is of another kind, flat), a note at the element says why.
 * at        where it stands
 * material  NULL: none
 * returns   false: there is no solid, or a failure */
bool cardan__collision_add(cardan_spec *spec, const cardan__xml *at, int frame,
                           const cardan_shape *shape, const char *material);
