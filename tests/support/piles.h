/* SPDX-License-Identifier: Apache-2.0
 * piles.h - random heaps of solids, as model texts: spheres, boxes, capsules, cylinders, ellipsoids
 * and hulls of 0.05 to 0.5 m, masses 1 to 100, friction 0.2 to 1, restitution 0 to 0.6. */
#pragma once
#include <stdint.h>

/* Four to eight bodies over a floor, apart from one another, turned anyhow, falling and spinning.
 * Rolling and spinning friction of 1 to 3 cm, without which round things roll for ever. To be
 * freed. */
char *pile_text(uint64_t seed);

/* Two to five bodies about the origin, flying at one another; nothing else is there. To be freed.
 */
char *swarm_text(uint64_t seed);

/* Two cylinders and an ellipsoid: in a column that falls on a floor (odd seeds), or flying at one
 * another. To be freed. */
char *trio_text(uint64_t seed);
