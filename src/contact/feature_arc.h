/* SPDX-License-Identifier: Apache-2.0
 * contact/feature_arc.h - which material point of A stands for what touches in a step. */
#pragma once
#include "contact/feature.h"

/* In A's axes: the mean of the touching points at the node (f) and at end (poses X of A and B),
 * moved outward along A's mean normal so that the slip of a body that rolls is 0 for any turn below
 * 2.5 rad: where A is curved, its way as seen from B is then that of the arc, not of the chord. A
 * corner of A stays itself. */
cardan_vec3 cardan__arc_point(const cardan__feature *f, const cardan_xform X[2],
                              const cardan__touch *end);

/* Is what touches a point fixed in A: a corner, or a place that is frozen? */
bool cardan__arc_is_corner(const cardan__feature *f);
