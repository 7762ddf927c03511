/* SPDX-License-Identifier: Apache-2.0
 * formats/mesh_split.h - parts of a surface between planes, and which of them become one piece.
 * What mesh_split.c, mesh_merge.c and mesh_pieces.c share. */
#pragma once
#include "formats/mesh_cut.h"
#include "formats/mesh_pieces.h"

/* Triangles that cuts are chosen by: a mesh of more is thinned for that. */
enum { CARDAN__SPLIT_FACES = 2000 };

/* A part of the surface, between planes. */
typedef struct {
  cardan__triangles fine, coarse; // as in the file, and thinned; not thinned: no coarse ones
  cardan__cut_plane *plane;       // what it is below of, nplane
  cardan_vec3 *inner;             // its corners inside of the mesh, ninner
  int nplane, ninner;
  double volume;         // of its convex hull [m^3]
  double depth;          // of its surface in that [m]
  bool judged;           // the next three are known
  double gain;           // by which the hulls of both sides of the cut are smaller [m^3]
  double cost;           // what cuts of one part are compared by
  cardan__cut_plane cut; // the best one; gain < 0: there is none
} cardan__part;

enum { CARDAN__PARTS = 2 * CARDAN__CONVEX_MOST };

typedef struct {
  const cardan_allocator *allocator;
  double size, depth;        // the largest extent, and what may be left [m]
  double whole;              // volume of the hull of all [m^3]
  double done;               // points that hulls were made of: work has a limit
  cardan__triangles outline; // of the whole mesh, thinned
  cardan__cut_plane *plane;  // planes of large faces, nplane
  int nplane;
  cardan__part part[CARDAN__PARTS];
  int npart;
  cardan__arena *arena; // of planes and corners of parts
  cardan_report *report;
} cardan__split;

/* A volume that counts as none, part of that of all. */
#define CARDAN__SPLIT_SAME 1e-5

/* The triangles that cuts of a part are chosen by. */
static inline const cardan__triangles *cardan__part_outline(const cardan__part *part)
{
  return part->coarse.n > 0 ? &part->coarse : &part->fine;
}

/* Cuts the first part, which is there, until all are as convex as `depth`, or there are `most`. */
cardan_status cardan__split_run(cardan__split *split, int most) CARDAN_MUST_USE;
void cardan__split_free(cardan__split *split);

/* Corners of a part, of its triangles as they are or (coarse) as cuts are chosen by, and those
 * inside: out, in the arena, n of them. NULL: no memory */
cardan_vec3 *cardan__part_corners(const cardan__part *part, bool coarse, cardan__arena *arena,
                                  int *n);

/* Where the plane meets two planes of a part inside of the part and of the mesh: n <= most out. */
enum { CARDAN__PART_MEETS = 256 };
int cardan__part_meets(const cardan__split *split, const cardan__part *part,
                       const cardan__cut_plane *plane, double tol, cardan_vec3 *point, int most);

/* Gives both sides of a part's cut their planes and inner corners. */
cardan_status cardan__part_bound(cardan__split *split, const cardan__part *from, double tol,
                                 cardan__part to[2]) CARDAN_MUST_USE;

/* How deep triangles lie inside of a hull [m], 0 at least. */
double cardan__triangles_depth(const cardan__triangles *triangles, const cardan_hull *hull);

/* Which piece each part belongs to (npart, out), numbers from 0 on: parts are joined until there
 * are at most `most` pieces, and then where the hull hardly grows by it. pieces: out, how many */
cardan_status cardan__split_merge(const cardan__split *split, int most, int *piece,
                                  int *pieces) CARDAN_MUST_USE;
