/* SPDX-License-Identifier: Apache-2.0
 * spatial/height_field.h - surfaces z = f(x, y) of triangles over a grid (cardan_height_field).
 *
 * The field is what is below the surface, down to its bottom, with upright sides. Its facets are
 * the triangles, then the sides of the cells at the border. Everything is in the shape's own axes,
 * whose origin is in the middle of the rectangle. */
#pragma once
#include "base/arena.h"
#include "cardan/spatial.h"

enum { CARDAN__FIELD_MOST = 4000000 }; // heights of one field

/* Checks a grid and finds blocks and planes, all in the arena.
 * height   rows columns numbers, copied; row 0 has the lowest y
 * returns  CARDAN_ERR_MODEL with a sentence for fewer than 2 rows or columns, too many heights, and
 *          numbers that are not finite; CARDAN_ERR_MEMORY */
cardan_status cardan__height_field_make(int rows, int columns, const double *height, double base,
                                        cardan__arena *arena, cardan_height_field *field,
                                        cardan_report *report) CARDAN_MUST_USE;

/* The pieces of one in a block, and what they begin with, as cardan__hull_carve, _copy. */
void cardan__height_field_carve(const cardan_height_field *from, cardan__carver *carver,
                                cardan_height_field *to);
void cardan__height_field_copy(const cardan_height_field *from, cardan_height_field *to);

/* A field with the sizes of a shape. */
typedef struct {
  const cardan_height_field *field;
  double x0, y0, dx, dy, z; // lowest corner; a cell; factor of heights
  double bottom;            // z of it
} cardan__terrain;

cardan__terrain cardan__terrain_of(const cardan_height_field *field, const double size[3]);

/* Cells along x and along y. */
static inline int cardan__terrain_cells(const cardan__terrain *t, int axis)
{
  return (axis == 0 ? t->field->columns : t->field->rows) - 1;
}

/* Vertex (i, j). */
static inline cardan_vec3 cardan__terrain_vertex(const cardan__terrain *t, int i, int j)
{
  return (cardan_vec3){t->x0 + i * t->dx, t->y0 + j * t->dy,
                       t->z * t->field->height[j * t->field->columns + i]};
}

/* Height of the surface over a point; -HUGE_VAL outside of the rectangle. */
double cardan__terrain_height(const cardan__terrain *t, double x, double y);

/* The triangle over a point of the rectangle. */
int cardan__facet_over_point(const cardan__terrain *t, double x, double y);

/* A triangle (nv = 3, counter-clockwise from above), or the side of a cell (nv = 2: the ends of its
 * upper edge, the field to the left). */
typedef struct {
  int number, nv;
  cardan_vec3 n, v[3]; // unit, outwards
} cardan__facet;

/* Sides, in the order of their facets behind all triangles. */
typedef enum {
  CARDAN__SIDE_SOUTH, // lowest y
  CARDAN__SIDE_NORTH,
  CARDAN__SIDE_WEST, // lowest x
  CARDAN__SIDE_EAST
} cardan__field_side;

int cardan__facet_count(const cardan_height_field *field);

/* Numbers of the facets of a cell: its triangles and its sides at the border, up to 6. out */
int cardan__facets_of_cell(const cardan__terrain *t, int i, int j, int number[6]);

void cardan__facet_at(const cardan__terrain *t, int number, cardan__facet *facet);

/* The cell that a facet is of. */
void cardan__facet_cell(const cardan__terrain *t, int number, int *i, int *j);

/* How far x is above the plane of a facet. */
static inline double cardan__facet_over(const cardan__facet *f, cardan_vec3 x)
{
  return f->n.x * (x.x - f->v[0].x) + f->n.y * (x.y - f->v[0].y) + f->n.z * (x.z - f->v[0].z);
}

/* A block of 2^level x 2^level cells: the highest height in it, in units of the field. level 0: a
 * cell. Blocks (i, j), i < (cells + 2^level - 1) >> level. */
double cardan__field_block_top(const cardan_height_field *field, int level, int i, int j);

/* The level of the one block that is all of the field. */
int cardan__field_levels(const cardan_height_field *field);
