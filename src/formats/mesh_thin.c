// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/mesh.h"
#include "formats/mesh.h"

/* Thinning by cells: the box around the mesh is cut into n cells along its longest side, vertices
 * of one cell become their mean, and triangles with two corners in one cell vanish. n falls until
 * few enough triangles are left; 2^20 cells only join vertices that coincide, as those of STL do.
 * [1] J. Rossignac, P. Borrel, Multi-resolution 3D approximations for rendering complex scenes,
 *     1993. */

enum { FINEST = 1 << 20 };

typedef struct {
  uint64_t cell;
  int vertex;
} placed;

typedef struct {
  const cardan__mesh *from;
  cardan_vec3 low;
  double size; // the longest side of the box
  placed *place;
  int *to;       // nvertex: the cell's number
  int (*tri)[3]; // nface: triangles that are left, smallest corner first
  int ncell, ntri;
} thinning;

static int by_cell(const void *a, const void *b)
{
  const placed *x = a, *y = b;
  return x->cell != y->cell ? (x->cell < y->cell ? -1 : 1) : x->vertex - y->vertex;
}

static int by_corners(const void *a, const void *b)
{
  const int *x = a, *y = b;
  for (int k = 0; k < 3; k++) {
    if (x[k] != y[k]) {
      return x[k] < y[k] ? -1 : 1;
    }
  }
  return 0;
}

static uint64_t index_of(double x, double low, double step, int n)
{
  const double i = floor((x - low) / step);
  return i < 0.0 ? 0 : i >= n ? (uint64_t)n - 1 : (uint64_t)i;
}

/* Numbers the cells that have vertices. */
static void number_cells(thinning *t, int n)
{
  // the grid begins before the box: on a wall between cells, where symmetric meshes have their
  // seam, vertices that coincide would part
  const double step = t->size / n, before = 0.381966 * step;
  const cardan_vec3 low = {t->low.x - before, t->low.y - before, t->low.z - before};
  for (int i = 0; i < t->from->nvertex; i++) {
    const cardan_vec3 v = t->from->vertex[i];
    const uint64_t x = index_of(v.x, low.x, step, n + 1), y = index_of(v.y, low.y, step, n + 1);
    const uint64_t z = index_of(v.z, low.z, step, n + 1);
    t->place[i] = (placed){(x << 42) | (y << 21) | z, i};
  }
  qsort(t->place, (size_t)t->from->nvertex, sizeof *t->place, by_cell);
  t->ncell = 0;
  for (int i = 0; i < t->from->nvertex; i++) {
    t->ncell += i == 0 || t->place[i].cell != t->place[i - 1].cell;
    t->to[t->place[i].vertex] = t->ncell - 1;
  }
}

/* Triangles between three cells, each once. */
static void collect_triangles(thinning *t)
{
  t->ntri = 0;
  for (int f = 0; f < t->from->nface; f++) {
    const int *face = t->from->face[f];
    const int c[3] = {t->to[face[0]], t->to[face[1]], t->to[face[2]]};
    if (c[0] != c[1] && c[1] != c[2] && c[2] != c[0]) {
      const int first = c[0] < c[1] ? (c[0] < c[2] ? 0 : 2) : (c[1] < c[2] ? 1 : 2);
      int *tri = t->tri[t->ntri++];
      for (int k = 0; k < 3; k++) {
        tri[k] = c[(first + k) % 3];
      }
    }
  }
  qsort(t->tri, (size_t)t->ntri, sizeof *t->tri, by_corners);
  int n = 0;
  for (int f = 0; f < t->ntri; f++) {
    if (f == 0 || by_corners(t->tri[f], t->tri[f - 1]) != 0) {
      memmove(t->tri[n++], t->tri[f], sizeof *t->tri);
    }
  }
  t->ntri = n;
}

static void find_box(thinning *t)
{
  const cardan__mesh *m = t->from;
  cardan_vec3 high = m->vertex[0];
  t->low = high;
  for (int i = 1; i < m->nvertex; i++) {
    const cardan_vec3 v = m->vertex[i];
    t->low = (cardan_vec3){fmin(t->low.x, v.x), fmin(t->low.y, v.y), fmin(t->low.z, v.z)};
    high = (cardan_vec3){fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z)};
  }
  t->size = fmax(fmax(high.x - t->low.x, high.y - t->low.y), high.z - t->low.z);
  t->size = t->size > 0.0 && isfinite(t->size) ? t->size : 1.0;
}

/* What remains, in a block of its own. */
static cardan_status copy(const thinning *t, const cardan_allocator *allocator, cardan_mesh **out)
{
  const size_t nv = (size_t)t->ncell, nf = (size_t)t->ntri;
  cardan_mesh *mesh = cardan__resize(allocator, NULL, sizeof *mesh);
  void *block = cardan__resize(allocator, NULL,
                               nv * sizeof(cardan_vec3) + nf * sizeof(int[3]) + nv * sizeof(int));
  if (mesh == NULL || block == NULL) {
    cardan__resize(allocator, mesh, 0);
    cardan__resize(allocator, block, 0);
    return CARDAN_ERR_MEMORY;
  }
  *mesh = (cardan_mesh){.vertex = block,
                        .nvertex = t->ncell,
                        .nface = t->ntri,
                        .nface_file = t->from->nface,
                        .block = block};
  mesh->face = (int(*)[3])(void *)(mesh->vertex + nv);
  mesh->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  int *count = (int *)(mesh->face + nf);
  memset(count, 0, nv * sizeof *count);
  memset(mesh->vertex, 0, nv * sizeof *mesh->vertex);
  memcpy(mesh->face, t->tri, nf * sizeof *t->tri);
  for (int i = 0; i < t->from->nvertex; i++) { // a running mean: no sum to overflow
    cardan_vec3 *v = &mesh->vertex[t->to[i]];
    const cardan_vec3 x = t->from->vertex[i];
    const double part = 1.0 / ++count[t->to[i]];
    *v = (cardan_vec3){v->x + part * (x.x - v->x), v->y + part * (x.y - v->y),
                       v->z + part * (x.z - v->z)};
  }
  *out = mesh;
  return CARDAN_OK;
}

cardan_status cardan__mesh_thin(const cardan__mesh *from, int most, cardan__arena *arena,
                                const cardan_allocator *allocator, cardan_mesh **out)
{
  thinning t = {.from = from};
  t.place = cardan__arena_take(arena, (size_t)from->nvertex, sizeof *t.place);
  t.to = cardan__arena_take(arena, (size_t)from->nvertex, sizeof *t.to);
  t.tri = cardan__arena_take(arena, (size_t)from->nface, sizeof *t.tri);
  if (t.place == NULL || t.to == NULL || t.tri == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  find_box(&t);
  int n = FINEST;
  do {
    number_cells(&t, n);
    collect_triangles(&t);
    n = n > 1024 ? 1024 : n - (n + 7) / 8;
  } while ((t.ntri > most || t.ncell > 65535) && n >= 1);
  return copy(&t, allocator, out);
}

cardan_status cardan_mesh_load(const cardan_files *files, const char *name, int most,
                               const cardan_allocator *allocator, cardan_mesh **out,
                               cardan_report *report)
{
  char *data = NULL;
  size_t size = 0;
  cardan__arena arena;
  cardan__mesh mesh;
  *out = NULL;
  if (files == NULL || most < 4 || most > 65535) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%d triangles at most of \"%.200s\", expected 4 to 65535, and files", most,
                       name);
  }
  cardan_status status = files->read(files->user, name, &data, &size, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__arena_init(&arena, allocator);
  status = cardan__mesh_read(data, size, name, &arena, &mesh, report);
  files->release(files->user, data);
  if (status == CARDAN_OK && (mesh.nvertex == 0 || mesh.nface == 0)) {
    status = cardan_fail(report, CARDAN_ERR_SYNTAX, (cardan_pos){0, 0}, "the mesh is empty");
  }
  if (status == CARDAN_OK) {
    status = cardan__mesh_thin(&mesh, most, &arena, allocator, out);
    if (status != CARDAN_OK) {
      status = cardan_fail(report, status, (cardan_pos){0, 0}, "there is not enough memory");
    }
  }
  cardan__arena_free(&arena);
  return status;
}

void cardan_mesh_destroy(cardan_mesh *mesh)
{
  if (mesh != NULL) {
    const cardan_allocator allocator = mesh->allocator;
    cardan__resize(&allocator, mesh->block, 0);
    cardan__resize(&allocator, mesh, 0);
  }
}
