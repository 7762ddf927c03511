/* SPDX-License-Identifier: Apache-2.0
 * path.h - motions of mechanisms with one degree of freedom, without any dynamics: the curve of
 * positions that all constraint rows allow is traced, and energy says how it is run along.
 *
 * Why it can be trusted where methods are doubted: it takes positions, rows, kinetic and potential
 * energy from the library, which closed forms test at every position, and nothing else. No
 * multipliers, no choice of rows, no steps in time over which loops have to be kept, no roots.
 * The curve is smooth where it crosses another one, and is followed as such: by nodes to both
 * sides. A second trace with half the distance between nodes tells what the first is worth. */
#pragma once
#include "fixture.h"

/* A run along the curve. */
typedef struct {
  const cardan_model *model;
  int rows;       // 1 + number of times
  double *q;      // rows x nq: coordinates at t = i * dt
  double error;   // largest difference of a coordinate to the trace with half the distance
  double balance; // largest change of the energy, relative to the largest kinetic energy
} path;

/* Motion from q0, v0 over n intervals of dt; joints with quaternions and prescribed motions are not
 * taken. speed_index >= 0: v0 counts only there, the others follow; else the part along the curve.
 * v0 also says which curve is meant, where q0 is on two.
 * returns false, with a sentence in why, where no curve can be followed */
bool path_run(const cardan_model *model, const double *q0, const double *v0, int speed_index, int n,
              double dt, path *result, char why[200]);
void path_free(path *p);
