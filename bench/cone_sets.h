/* SPDX-License-Identifier: Apache-2.0
 * cone_sets.h - cone problems as mechanisms have them: for bench/cones.c and the tests.
 *
 * Bodies and contacts in space: J of points of contact, A = M^-1 (with joints between bodies:
 * less what they take), G = J A J^T, b = J v of velocities v that gravity has just changed. */
#pragma once
#include <stdint.h>

#include "cones/ncp.h"

typedef enum {
  SET_STACK,       // boxes on boxes, four corners each
  SET_HEAVY_TOP,   // the same, each ten times as heavy as the one below
  SET_PACKING,     // spheres in a box, touching their neighbours
  SET_UNEQUAL,     // the same, masses 1 to 10^4
  SET_ROUGH,       // the same, friction 1.5
  SET_REDUNDANT,   // boxes on a floor, every contact three times
  SET_CHAIN,       // rods with spherical joints on the floor
  SET_RANDOM,      // 1 to 11 contacts on 3 to 13 velocities, any rows
  SET_ROLLING,     // the packing with spinning and rolling friction
  SET_UNSYMMETRIC, // the packing, G changed by 5 % as steps have it
  SET_HEAVIEST,    // boxes at rest, each a hundred times as heavy as the one below
  SET_CONTRARY,    // boxes at rest, rows that contradict one another by 1e-9 m/s
  SET_COUNT
} set_kind;

typedef struct {
  int n, m;
  cardan__cone *cone;
  double *G, *b;
  double speed;       // largest |v|
  double stalled_tol; // [m/s] what b is worth, 0: all of it
  int (*tree)[2];     // n, or NULL: bodies of each contact, as ncp.h has it
} set_problem;

extern const char *const set_name[SET_COUNT];

/* bodies: how many (not of SET_RANDOM). The same seed, the same problem. */
set_problem set_make(set_kind kind, int bodies, uint64_t seed);
void set_free(set_problem *p);

/* The call for its r and u, from r = 0, in memory of its own; give it back with set_asked_free. */
cardan__ncp set_asked(const set_problem *p);
void set_asked_free(cardan__ncp *ncp);

/* Numbers in [low, high), from a seed that moves on. */
double set_random(uint64_t *seed, double low, double high);
