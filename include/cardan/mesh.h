/* SPDX-License-Identifier: Apache-2.0
 * cardan/mesh.h - triangles of a mesh file, simplified to a budget, for drawing. */
#pragma once
#include "cardan/spatial.h"
#include "cardan/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  cardan_vec3 *vertex;
  int (*face)[3]; // vertices of each, counter-clockwise from outside
  int nvertex, nface;
  int nface_file; // triangles in the file
  void *block;
  cardan_allocator allocator;
} cardan_mesh;

/* Loads the mesh file of a shape: STL, OBJ or MSH. Vertices that coincide are merged. If there are
 * more than `most` triangles, vertices in the same cell of a grid are merged; the grid is as fine
 * as the budget allows. *out is NULL on failure.
 * files    opens the file (cardan_files_open);  most  at least 4, at most 65535
 * returns CARDAN_ERR_IO for a file that cannot be read, CARDAN_ERR_SYNTAX for one that is not a
 *         mesh, CARDAN_ERR_UNSUPPORTED for another ending, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_mesh_load(const cardan_files *files, const char *name, int most,
                                          const cardan_allocator *allocator, cardan_mesh **out,
                                          cardan_report *report) CARDAN_MUST_USE;

/* The surface of a height field on a rectangle of 1 x 1 about the origin, to be scaled by the sizes
 * of its shape; of more than `most` triangles every second, third, .. vertex of the grid.
 * returns CARDAN_ERR_MEMORY; *out is NULL then */
CARDAN_API cardan_status cardan_height_field_mesh(const cardan_height_field *field, int most,
                                                  const cardan_allocator *allocator,
                                                  cardan_mesh **out) CARDAN_MUST_USE;
CARDAN_API void cardan_mesh_destroy(cardan_mesh *mesh); // NULL is fine

#ifdef __cplusplus
}
#endif
