/* SPDX-License-Identifier: Apache-2.0
 * model/joint_rows.h - the rows that hold a pair of frames together as a joint would.
 *
 * Loops that joints close ((close ..), build_constraints.c) and joints of the tree in maximal
 * coordinates (methods/maximal) are held by the same rows. */
#pragma once
#include "model/joint_table.h"

enum { CARDAN__PAIR_ROWS = 6 };

/* A row of this kind that touches nothing yet. */
static inline cardan_row cardan__empty_row(cardan_row_kind kind)
{
  return (cardan_row){.kind = kind, .frame = {-1, -1, -1}, .var = {-1, -1}, .expr = -1};
}

/* Rows that hold frame B to frame A but for the motions of the pair; returns how many. Frames,
 * directions, values and lengths (length for those of lengths, 1 for angles) are filled in, entries
 * are not.
 * normal  of the plane that bodies cannot leave, axes of A; NULL: there is none. Rows that are
 *         satisfied by being in it are left out */
int cardan__pair_rows(const cardan__pair *pair, int A, int B, double length,
                      const cardan_vec3 *normal, cardan_row rows[CARDAN__PAIR_ROWS]);

/* The same pair seen from B: what slides along axes of A slides along axes of B then. */
cardan__pair cardan__pair_reversed(const cardan__pair *pair);
