/* SPDX-License-Identifier: Apache-2.0
 * formats/mesh.h - triangles from the bytes of a file, and the inertia of what they enclose.
 *
 * STL (binary and text), OBJ, and MSH, the binary form of MuJoCo. Files are untrusted: counts are
 * checked against the bytes that there are, indices against the vertices, numbers are finite. */
#pragma once
#include "base/arena.h"
#include "cardan/mesh.h"
#include "cardan/spatial.h"

typedef struct {
  cardan_vec3 *vertex;
  int (*face)[3]; // vertices, counter-clockwise from outside
  int nvertex, nface;
} cardan__mesh;

/* The mesh of a file, in the arena; its name's ending says what it is, case apart.
 * returns CARDAN_ERR_SYNTAX with a sentence (and, of a text, a line) in the report for bytes that
 *         are no such mesh, CARDAN_ERR_UNSUPPORTED for another ending, CARDAN_ERR_MEMORY */
cardan_status cardan__mesh_read(const char *data, size_t size, const char *name,
                                cardan__arena *arena, cardan__mesh *mesh,
                                cardan_report *report) CARDAN_MUST_USE;

/* Which matter is at unit density. */
typedef enum {
  CARDAN__MESH_SOLID,   // what the surface encloses: signed tetrahedra, exact for closed surfaces
  CARDAN__MESH_OUTWARD, // the same with all tetrahedra counted as positive: MuJoCo's "legacy"
  CARDAN__MESH_SHELL    // the surface itself
} cardan__mesh_matter;

/* Volume (area of a shell) as mass, and inertia about the origin, in the axes of the vertices. A
 * solid whose faces all look inwards counts as turned inside out.
 * returns false when there is none, or numbers are too large */
bool cardan__mesh_inertia(const cardan__mesh *mesh, cardan__mesh_matter matter,
                          cardan_inertia *G) CARDAN_MUST_USE;

/* Most vertices of a hull that touches. */
enum { CARDAN__MESH_HULL = 256 };

/* What of a mesh touches: its convex hull. */
typedef struct {
  cardan_vec3 *point; // vertices of the hull: points for cardan_spec_solid
  int npoint;         // at most CARDAN__MESH_HULL
  int nvertex;        // of the whole hull, before it was thinned
  double depth;       // how far the farthest of those left out is outside of a face [m], 0: none
  double volume;      // of the hull with npoint vertices [m^3]
  double filled;      // of the mesh; 0: it encloses none
  char note[256];     // for a warning: what differs, "": nothing by more than 1 % of the volume
} cardan__mesh_shell;

/* The hull of a mesh, in the arena. One of more than CARDAN__MESH_HULL vertices is thinned: from a
 * large tetrahedron on, the vertex farthest outside comes next, until there are so many.
 * factor   of x, y and z, 0 counts as 1; NULL: all 1. As cardan_shape has it in size
 * returns  CARDAN_ERR_MODEL with a sentence for a mesh that is flat or has too few or too many
 *          points, CARDAN_ERR_MEMORY */
cardan_status cardan__mesh_hull(const cardan__mesh *mesh, const double factor[3],
                                cardan__arena *arena, cardan__mesh_shell *shell,
                                cardan_report *report) CARDAN_MUST_USE;

/* The mesh with at most `most` triangles, for looking at, by joining vertices that are close; one
 * that is small enough loses only vertices that coincide.
 * arena    temporary
 * returns  CARDAN_ERR_MEMORY; *out is given back by cardan_mesh_destroy */
cardan_status cardan__mesh_thin(const cardan__mesh *from, int most, cardan__arena *arena,
                                const cardan_allocator *allocator,
                                cardan_mesh **out) CARDAN_MUST_USE;
