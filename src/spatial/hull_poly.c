// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "spatial/hull.h"
#include "spatial/rotation.h"

/* Newell: sum of (a - o) x (b - o) over the sides a, b; o is the first corner, against
 * cancellation. */
cardan_vec3 cardan__polygon_area(const cardan_vec3 *vertex, const int *corner, int n)
{
  const cardan_vec3 o = vertex[corner[0]];
  cardan_vec3 area = {0, 0, 0};
  for (int i = 1; i + 1 < n; i++) {
    const cardan_vec3 a = cardan__vec3_sub(vertex[corner[i]], o);
    const cardan_vec3 b = cardan__vec3_sub(vertex[corner[i + 1]], o);
    area = cardan__vec3_add(area, cardan__vec3_cross(a, b));
  }
  return area;
}

/* Signed tetrahedra over the triangles of each face, from the mean of the vertices. */
double cardan__hull_volume(const cardan_hull *hull, cardan_vec3 *centre)
{
  cardan_vec3 o = {0, 0, 0}, moment = {0, 0, 0};
  double volume = 0;
  for (int i = 0; i < hull->nvertex; i++) {
    o = cardan__vec3_axpy(1.0 / hull->nvertex, hull->vertex[i], o);
  }
  for (int f = 0; f < hull->nface; f++) {
    const int *corner = &hull->corner[hull->first[f]];
    const cardan_vec3 a = cardan__vec3_sub(hull->vertex[corner[0]], o);
    for (int i = 1; i + 1 < hull->first[f + 1] - hull->first[f]; i++) {
      const cardan_vec3 b = cardan__vec3_sub(hull->vertex[corner[i]], o);
      const cardan_vec3 c = cardan__vec3_sub(hull->vertex[corner[i + 1]], o);
      const double v = cardan__vec3_dot(a, cardan__vec3_cross(b, c)) / 6;
      volume += v;
      moment = cardan__vec3_axpy(v / 4, cardan__vec3_add(a, cardan__vec3_add(b, c)), moment);
    }
  }
  if (centre != NULL) {
    *centre = volume > 0 ? cardan__vec3_axpy(1 / volume, moment, o) : o;
  }
  return volume;
}

double cardan__hull_width(const cardan_hull *hull)
{
  double width = HUGE_VAL;
  for (int f = 0; f < hull->nface; f++) {
    double low = HUGE_VAL;
    for (int i = 0; i < hull->nvertex; i++) {
      low = fmin(low, cardan__vec3_dot(hull->normal[f], hull->vertex[i]));
    }
    width = fmin(width, hull->offset[f] - low);
  }
  return width;
}

double cardan__hull_depth(const cardan_hull *hull, cardan_vec3 point)
{
  double depth = HUGE_VAL;
  for (int f = 0; f < hull->nface; f++) {
    depth = fmin(depth, hull->offset[f] - cardan__vec3_dot(hull->normal[f], point));
  }
  return depth;
}

void cardan__hull_carve(const cardan_hull *from, cardan__carver *carver, cardan_hull *to)
{
  const size_t nv = (size_t)from->nvertex, nf = (size_t)from->nface, ne = (size_t)from->nedge;
  const size_t nc = from->nface > 0 ? (size_t)from->first[from->nface] : 0;
  *to = (cardan_hull){.nvertex = from->nvertex, .nface = from->nface, .nedge = from->nedge};
  to->vertex = cardan__carve(carver, nv, sizeof *to->vertex);
  to->normal = cardan__carve(carver, nf, sizeof *to->normal);
  to->offset = cardan__carve(carver, nf, sizeof *to->offset);
  to->first = cardan__carve(carver, nf + 1, sizeof *to->first);
  to->corner = cardan__carve(carver, nc, sizeof *to->corner);
  to->edge = cardan__carve(carver, 2 * ne, sizeof *to->edge);
}

static void copy_piece(const void *to, const void *from, size_t count, size_t size)
{
  // the piece belongs to a block that is being filled: not constant yet
  memcpy((void *)to, from, count * size); // NOLINT(clang-diagnostic-cast-qual)
}

void cardan__hull_copy(const cardan_hull *from, cardan_hull *to)
{
  const size_t nf = (size_t)from->nface;
  copy_piece(to->vertex, from->vertex, (size_t)from->nvertex, sizeof *to->vertex);
  copy_piece(to->normal, from->normal, nf, sizeof *to->normal);
  copy_piece(to->offset, from->offset, nf, sizeof *to->offset);
  copy_piece(to->first, from->first, nf + 1, sizeof *to->first);
  copy_piece(to->corner, from->corner, (size_t)from->first[from->nface], sizeof *to->corner);
  copy_piece(to->edge, from->edge, 2 * (size_t)from->nedge, sizeof *to->edge);
}
