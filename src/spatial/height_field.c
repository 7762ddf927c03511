// SPDX-License-Identifier: Apache-2.0
#include "spatial/height_field.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "spatial/spatial.h"

/* Heights that differ from a plane by less than this part of the largest are on it. */
static const double on_plane = 1e-12;

static int blocks(int cells, int level)
{
  return (int)(((int64_t)cells + ((int64_t)1 << level) - 1) >> level);
}

int cardan__field_levels(const cardan_height_field *field)
{
  const int most = field->rows > field->columns ? field->rows - 1 : field->columns - 1;
  int level = 0;
  while (blocks(most, level) > 1) {
    level++;
  }
  return level;
}

/* Where the blocks of a level, from 1 on, begin in field->top. */
static size_t first_block(const cardan_height_field *field, int level)
{
  size_t at = 0;
  for (int l = 1; l < level; l++) {
    at += (size_t)blocks(field->columns - 1, l) * (size_t)blocks(field->rows - 1, l);
  }
  return at;
}

double cardan__field_block_top(const cardan_height_field *field, int level, int i, int j)
{
  if (level > 0) {
    const size_t row = (size_t)blocks(field->columns - 1, level);
    return field->top[first_block(field, level) + (size_t)j * row + (size_t)i];
  }
  const double *h = &field->height[(size_t)j * (size_t)field->columns + (size_t)i];
  return fmax(fmax(h[0], h[1]), fmax(h[field->columns], h[field->columns + 1]));
}

/* ---- facets ---- */

cardan__terrain cardan__terrain_of(const cardan_height_field *field, const double size[3])
{
  return (cardan__terrain){.field = field,
                           .x0 = -0.5 * size[0],
                           .y0 = -0.5 * size[1],
                           .dx = size[0] / (field->columns - 1),
                           .dy = size[1] / (field->rows - 1),
                           .z = size[2],
                           .bottom = size[2] * field->low - field->base};
}

static int triangles(const cardan_height_field *field)
{
  return 2 * (field->columns - 1) * (field->rows - 1);
}

int cardan__facet_count(const cardan_height_field *field)
{
  return triangles(field) + 2 * (field->columns - 1) + 2 * (field->rows - 1);
}

/* The number of a side of a cell at the border. */
static int side_facet(const cardan_height_field *field, cardan__field_side side, int along)
{
  const int nx = field->columns - 1, ny = field->rows - 1;
  const int first[] = {0, nx, 2 * nx, 2 * nx + ny};
  return triangles(field) + first[side] + along;
}

int cardan__facets_of_cell(const cardan__terrain *t, int i, int j, int number[6])
{
  const int nx = cardan__terrain_cells(t, 0), ny = cardan__terrain_cells(t, 1);
  int n = 0;
  number[n++] = 2 * (j * nx + i);
  number[n++] = 2 * (j * nx + i) + 1;
  if (j == 0) {
    number[n++] = side_facet(t->field, CARDAN__SIDE_SOUTH, i);
  }
  if (j == ny - 1) {
    number[n++] = side_facet(t->field, CARDAN__SIDE_NORTH, i);
  }
  if (i == 0) {
    number[n++] = side_facet(t->field, CARDAN__SIDE_WEST, j);
  }
  if (i == nx - 1) {
    number[n++] = side_facet(t->field, CARDAN__SIDE_EAST, j);
  }
  return n;
}

/* Which side a facet behind the triangles is, and of which cell along it. */
static cardan__field_side side_of(const cardan__terrain *t, int number, int *along)
{
  const int nx = cardan__terrain_cells(t, 0), ny = cardan__terrain_cells(t, 1);
  int k = number - triangles(t->field), side = 0;
  const int length[] = {nx, nx, ny, ny};
  while (side < 3 && k >= length[side]) {
    k -= length[side++];
  }
  *along = k;
  return (cardan__field_side)side;
}

void cardan__facet_cell(const cardan__terrain *t, int number, int *i, int *j)
{
  const int nx = cardan__terrain_cells(t, 0), ny = cardan__terrain_cells(t, 1);
  int along;
  if (number < triangles(t->field)) {
    *i = number / 2 % nx;
    *j = number / 2 / nx;
    return;
  }
  const cardan__field_side side = side_of(t, number, &along);
  const bool west = side == CARDAN__SIDE_WEST, east = side == CARDAN__SIDE_EAST;
  *i = west ? 0 : east ? nx - 1 : along;
  *j = west || east ? along : side == CARDAN__SIDE_SOUTH ? 0 : ny - 1;
}

static void side_at(const cardan__terrain *t, int number, cardan__facet *f)
{
  const int nx = cardan__terrain_cells(t, 0), ny = cardan__terrain_cells(t, 1);
  int k;
  f->nv = 2;
  switch (side_of(t, number, &k)) {
  case CARDAN__SIDE_SOUTH:
    f->n = cardan__vec3(0, -1, 0);
    f->v[0] = cardan__terrain_vertex(t, k, 0);
    f->v[1] = cardan__terrain_vertex(t, k + 1, 0);
    break;
  case CARDAN__SIDE_NORTH:
    f->n = cardan__vec3(0, 1, 0);
    f->v[0] = cardan__terrain_vertex(t, k + 1, ny);
    f->v[1] = cardan__terrain_vertex(t, k, ny);
    break;
  case CARDAN__SIDE_WEST:
    f->n = cardan__vec3(-1, 0, 0);
    f->v[0] = cardan__terrain_vertex(t, 0, k + 1);
    f->v[1] = cardan__terrain_vertex(t, 0, k);
    break;
  case CARDAN__SIDE_EAST:
    f->n = cardan__vec3(1, 0, 0);
    f->v[0] = cardan__terrain_vertex(t, nx, k);
    f->v[1] = cardan__terrain_vertex(t, nx, k + 1);
    break;
  }
  f->v[2] = f->v[1];
}

void cardan__facet_at(const cardan__terrain *t, int number, cardan__facet *f)
{
  int i, j;
  f->number = number;
  if (number >= triangles(t->field)) {
    side_at(t, number, f);
    return;
  }
  cardan__facet_cell(t, number, &i, &j);
  const bool upper = number % 2 != 0;
  f->nv = 3;
  f->v[0] = cardan__terrain_vertex(t, i, j);
  f->v[1] = upper ? cardan__terrain_vertex(t, i + 1, j + 1) : cardan__terrain_vertex(t, i + 1, j);
  f->v[2] = upper ? cardan__terrain_vertex(t, i, j + 1) : cardan__terrain_vertex(t, i + 1, j + 1);
  // slopes along the grid: exactly 0 where heights are the same
  const double sx = (upper ? f->v[1].z - f->v[2].z : f->v[1].z - f->v[0].z) / t->dx;
  const double sy = (upper ? f->v[2].z - f->v[0].z : f->v[2].z - f->v[1].z) / t->dy;
  const double size = sqrt(1 + sx * sx + sy * sy);
  f->n = cardan__vec3(-sx / size, -sy / size, 1 / size);
}

/* The cell of a point of the rectangle, and its place in it. */
static void find_cell(const cardan__terrain *t, double x, double y, int cell[2], double part[2])
{
  const double at[2] = {(x - t->x0) / t->dx, (y - t->y0) / t->dy};
  for (int k = 0; k < 2; k++) {
    const int n = cardan__terrain_cells(t, k);
    cell[k] = at[k] < n ? (int)at[k] : n - 1;
    part[k] = at[k] - cell[k];
  }
}

int cardan__facet_over_point(const cardan__terrain *t, double x, double y)
{
  int cell[2];
  double part[2];
  find_cell(t, x, y, cell, part);
  return 2 * (cell[1] * cardan__terrain_cells(t, 0) + cell[0]) + (part[1] > part[0]);
}

double cardan__terrain_height(const cardan__terrain *t, double x, double y)
{
  int cell[2];
  double part[2];
  if (!(fabs(x) <= -t->x0 && fabs(y) <= -t->y0)) {
    return -HUGE_VAL;
  }
  find_cell(t, x, y, cell, part);
  const double *h = &t->field->height[cell[1] * t->field->columns + cell[0]];
  const double a = part[0], b = part[1], low = h[0], high = h[t->field->columns + 1];
  return t->z * (a > b
                     ? low + a * (h[1] - low) + b * (high - h[1])
                     : low + b * (h[t->field->columns] - low) + a * (high - h[t->field->columns]));
}

/* ---- making one ---- */

static void fill_blocks(cardan_height_field *field, double *top)
{
  const int nx = field->columns - 1, ny = field->rows - 1;
  field->top = top;
  for (int level = 1; level <= cardan__field_levels(field); level++) {
    const int mx = blocks(nx, level), my = blocks(ny, level);
    double *out = top + first_block(field, level);
    for (int j = 0; j < my; j++) {
      for (int i = 0; i < mx; i++) {
        double most = -HUGE_VAL;
        for (int k = 0; k < 4; k++) {
          const int x = 2 * i + k % 2, y = 2 * j + k / 2;
          if (x < blocks(nx, level - 1) && y < blocks(ny, level - 1)) {
            most = fmax(most, cardan__field_block_top(field, level - 1, x, y));
          }
        }
        out[(size_t)j * (size_t)mx + (size_t)i] = most;
      }
    }
  }
}

/* By how much the corner of the other triangle is above the plane that a triangle has, over the
 * edge they share; in units of the field. edge 0: the diagonal of cell (i, j); 1: its lower side,
 * 2: its left one. */
static double fold(const cardan_height_field *field, int i, int j, int edge)
{
  const double *h = &field->height[(size_t)j * (size_t)field->columns + (size_t)i];
  const ptrdiff_t up = field->columns;
  switch (edge) {
  case 0:
    return h[0] + h[up + 1] - h[1] - h[up];
  case 1: // the corner (i + 1, j + 1) over the triangle (i, j - 1), (i + 1, j), (i, j)
    return h[up + 1] - h[1] - (h[0] - h[-up]);
  default: // the corner (i + 1, j + 1) over the triangle (i - 1, j), (i, j), (i, j + 1)
    return h[up + 1] - h[up] - (h[0] - h[-1]);
  }
}

/* The triangle on the other side of it. */
static int beyond(int nx, int i, int j, int edge)
{
  return edge == 0   ? 2 * (j * nx + i) + 1
         : edge == 1 ? 2 * ((j - 1) * nx + i) + 1
                     : 2 * (j * nx + i - 1);
}

static int root_of(int *parent, int k)
{
  while (parent[k] != k) {
    parent[k] = parent[parent[k]];
    k = parent[k];
  }
  return k;
}

/* Whether the surface may be convex about one of a triangle's corners: beside an edge that is, or
 * at the border. */
static void mark_convex(const cardan_height_field *field, bool *convex, int i, int j)
{
  const int nx = field->columns - 1, ny = field->rows - 1;
  for (int y = j - 1; y <= j + 1; y++) {
    for (int x = i - 1; x <= i + 1; x++) {
      if (x >= 0 && x < nx && y >= 0 && y < ny) {
        convex[y * nx + x] = true;
      }
    }
  }
}

/* Planes: triangles that share an edge and lie in one plane, by union and find. */
static void find_planes(cardan_height_field *field, int *plane, bool *convex)
{
  const int nx = field->columns - 1, ny = field->rows - 1;
  const double flat = on_plane * fmax(fabs(field->low), fabs(field->high));
  for (int k = 0; k < 2 * nx * ny; k++) {
    plane[k] = k;
  }
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++) {
      for (int edge = 0; edge < 3; edge++) {
        if ((edge == 1 && j == 0) || (edge == 2 && i == 0)) {
          continue;
        }
        const double up = fold(field, i, j, edge) * (edge == 0 ? -1 : 1);
        const int own = 2 * (j * nx + i) + (edge == 2), other = beyond(nx, i, j, edge);
        const int a = root_of(plane, own), b = root_of(plane, other);
        if (fabs(up) <= flat) {
          plane[a > b ? a : b] = a > b ? b : a;
        } else if (up < 0) {
          mark_convex(field, convex, i, j);
        }
      }
      if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1) {
        mark_convex(field, convex, i, j);
      }
    }
  }
  // roots come before what hangs on them
  for (int k = 0; k < 2 * nx * ny; k++) {
    plane[k] = plane[k] == k ? 2 * k : plane[plane[k]] & ~1;
    plane[k] |= convex[k / 2];
  }
  field->plane = plane;
}

static cardan_status check_grid(int rows, int columns, const double *height,
                                cardan_height_field *field, cardan_report *report)
{
  if (rows < 2 || columns < 2 || (int64_t)rows * columns > CARDAN__FIELD_MOST) {
    return cardan_fail(
        report, CARDAN_ERR_MODEL, (cardan_pos){0, 0},
        "found a height field of %d rows and %d columns; expected at least 2 of both "
        "and at most %d heights",
        rows, columns, (int)CARDAN__FIELD_MOST);
  }
  field->low = HUGE_VAL;
  field->high = -HUGE_VAL;
  for (size_t k = 0; k < (size_t)rows * (size_t)columns; k++) {
    if (!(fabs(height[k]) <= 1e12)) {
      return cardan_fail(report, CARDAN_ERR_MODEL, (cardan_pos){0, 0},
                         "found the height %g in row %d, column %d; expected a finite number of at "
                         "most 1e12",
                         height[k], rows - (int)(k / (size_t)columns),
                         (int)(k % (size_t)columns) + 1);
    }
    field->low = fmin(field->low, height[k]);
    field->high = fmax(field->high, height[k]);
  }
  return CARDAN_OK;
}

cardan_status cardan__height_field_make(int rows, int columns, const double *height, double base,
                                        cardan__arena *arena, cardan_height_field *field,
                                        cardan_report *report)
{
  *field = (cardan_height_field){.rows = rows, .columns = columns, .base = base};
  const cardan_status status = check_grid(rows, columns, height, field, report);
  if (status != CARDAN_OK) {
    return status;
  }
  const size_t n = (size_t)rows * (size_t)columns,
               cells = (size_t)(rows - 1) * (size_t)(columns - 1);
  field->nblock = (int)first_block(field, cardan__field_levels(field) + 1);
  double *copy = cardan__arena_take(arena, n, sizeof *copy);
  double *top = cardan__arena_take(arena, (size_t)field->nblock, sizeof *top);
  int *plane = cardan__arena_take(arena, 2 * cells, sizeof *plane);
  bool *convex = cardan__arena_take(arena, cells, sizeof *convex);
  if (copy == NULL || top == NULL || plane == NULL || convex == NULL) {
    return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "there is no memory");
  }
  memcpy(copy, height, n * sizeof *copy);
  field->height = copy;
  fill_blocks(field, top);
  find_planes(field, plane, convex);
  return CARDAN_OK;
}

/* ---- in a block ---- */

void cardan__height_field_carve(const cardan_height_field *from, cardan__carver *carver,
                                cardan_height_field *to)
{
  const size_t n = (size_t)from->rows * (size_t)from->columns;
  const size_t cells = (size_t)(from->rows - 1) * (size_t)(from->columns - 1);
  *to = *from;
  to->height = cardan__carve(carver, n, sizeof *to->height);
  to->top = cardan__carve(carver, (size_t)from->nblock, sizeof *to->top);
  to->plane = cardan__carve(carver, 2 * cells, sizeof *to->plane);
}

static void copy_piece(const void *to, const void *from, size_t count, size_t size)
{
  // the piece belongs to a block that is being filled: not constant yet
  memcpy((void *)to, from, count * size); // NOLINT(clang-diagnostic-cast-qual)
}

void cardan__height_field_copy(const cardan_height_field *from, cardan_height_field *to)
{
  const size_t n = (size_t)from->rows * (size_t)from->columns;
  const size_t cells = (size_t)(from->rows - 1) * (size_t)(from->columns - 1);
  copy_piece(to->height, from->height, n, sizeof *to->height);
  copy_piece(to->top, from->top, (size_t)from->nblock, sizeof *to->top);
  copy_piece(to->plane, from->plane, 2 * cells, sizeof *to->plane);
}
