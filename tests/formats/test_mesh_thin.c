// SPDX-License-Identifier: Apache-2.0
// Meshes thinned for drawing: budgets are kept, closed surfaces stay closed, small ones stay whole.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/mesh.h"
#include "support.h"

typedef struct {
  const char *name, *data;
  size_t size;
} file;

static cardan_status read_file(void *user, const char *name, char **data, size_t *size,
                               cardan_report *report)
{
  const file *f = user;
  if (strcmp(name, f->name) != 0) {
    return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "there is no %s", name);
  }
  *data = malloc(f->size + 1);
  assert_non_null(*data);
  memcpy(*data, f->data, f->size);
  *size = f->size;
  return CARDAN_OK;
}

static void release(void *user, char *data)
{
  (void)user;
  free(data);
}

static const char cube[] =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/* Binary STL of a ring of 2 n m triangles, each with its own three vertices; *size bytes. */
static char *ring(int n, int m, size_t *size)
{
  const uint32_t count = (uint32_t)(2 * n * m);
  char *stl = calloc(84 + 50 * (size_t)count, 1), *at = stl + 84;
  *size = 84 + 50 * (size_t)count;
  assert_non_null(stl);
  memcpy(stl + 80, &count, 4);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      static const int corner[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
      for (int t = 0; t < 2; t++, at += 50) {
        for (int k = 0; k < 3; k++) {
          const double a = 2 * 3.14159265358979 * (i + corner[t][k][0]) / n;
          const double b = 2 * 3.14159265358979 * (j + corner[t][k][1]) / m;
          const double r = 1 + 0.3 * cos(b);
          const float p[3] = {(float)(r * cos(a)), (float)(r * sin(a)), (float)(0.3 * sin(b))};
          memcpy(at + 12 + 12 * k, p, sizeof p);
        }
      }
    }
  }
  return stl;
}

static cardan_mesh *load(const char *name, const char *data, size_t size, int most)
{
  file f = {name, data, size};
  const cardan_files files = {.user = &f, .read = read_file, .release = release};
  cardan_report report = {.message = ""};
  cardan_mesh *mesh = NULL;
  assert_int_equal(cardan_mesh_load(&files, name, most, NULL, &mesh, &report), CARDAN_OK);
  return mesh;
}

static double volume(const cardan_mesh *m)
{
  double v = 0;
  for (int f = 0; f < m->nface; f++) {
    const cardan_vec3 a = m->vertex[m->face[f][0]], b = m->vertex[m->face[f][1]];
    const cardan_vec3 c = m->vertex[m->face[f][2]];
    v += (a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) +
          a.z * (b.x * c.y - b.y * c.x)) /
         6;
  }
  return v;
}

/* Edges whose neighbour is missing: of a closed surface every edge is there in both directions. */
static int open_edges(const cardan_mesh *m)
{
  int open = 0;
  for (int f = 0; f < 3 * m->nface; f++) {
    const int a = m->face[f / 3][f % 3], b = m->face[f / 3][(f + 1) % 3];
    int back = 0;
    for (int g = 0; g < 3 * m->nface; g++) {
      back += m->face[g / 3][g % 3] == b && m->face[g / 3][(g + 1) % 3] == a;
    }
    open += back == 0;
  }
  return open;
}

static void test_small_stays(void **state)
{
  (void)state;
  cardan_mesh *m = load("cube.obj", cube, sizeof cube - 1, 100);
  assert_int_equal(m->nvertex, 8);
  assert_int_equal(m->nface, 12);
  assert_int_equal(m->nface_file, 12);
  assert_near(volume(m), 1, 1e-12);
  assert_int_equal(open_edges(m), 0);
  cardan_mesh_destroy(m);
}

/* 20000 triangles with 60000 vertices: joined, then thinned. Means of cells lie inside the surface:
 * the volume shrinks, by 7.5 % at 1000. */
static void test_thinned(void **state)
{
  size_t size;
  char *stl = ring(200, 50, &size);
  const double exact = 2 * 3.14159265358979 * 3.14159265358979 * 0.09;
  (void)state;
  cardan_mesh *m = load("ring.stl", stl, size, 65535);
  assert_int_equal(m->nface, 20000);
  assert_int_equal(m->nvertex, 10000);
  assert_near(volume(m), exact, 0.01 * exact);
  cardan_mesh_destroy(m);
  for (int most = 1000; most <= 4000; most *= 2) {
    m = load("ring.stl", stl, size, most);
    print_message("at most %d: %d triangles, volume to %.1f %%, %d open edges\n", most, m->nface,
                  100 * fabs(volume(m) / exact - 1), open_edges(m));
    assert_in_range(m->nface, most / 2, most);
    assert_near(volume(m), exact, 0.1 * exact);
    assert_int_equal(open_edges(m), 0);
    cardan_mesh_destroy(m);
  }
  free(stl);
}

static void test_refused(void **state)
{
  static const char point[] = "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n";
  file f = {"a.obj", point, sizeof point - 1};
  const cardan_files files = {.user = &f, .read = read_file, .release = release};
  cardan_report report = {.message = ""};
  cardan_mesh *mesh = NULL;
  (void)state;
  assert_int_equal(cardan_mesh_load(&files, "b.obj", 100, NULL, &mesh, &report), CARDAN_ERR_IO);
  assert_int_equal(cardan_mesh_load(&files, "a.obj", 3, NULL, &mesh, &report), CARDAN_ERR_ARGUMENT);
  assert_int_equal(cardan_mesh_load(NULL, "a.obj", 100, NULL, &mesh, &report), CARDAN_ERR_ARGUMENT);
  assert_int_equal(cardan_mesh_load(&files, "a.obj", 100, NULL, &mesh, &report), CARDAN_OK);
  assert_int_equal(mesh->nface, 0); // all in one point: nothing to see, and no harm
  cardan_mesh_destroy(mesh);
  f.size = 0;
  assert_int_equal(cardan_mesh_load(&files, "a.obj", 100, NULL, &mesh, &report), CARDAN_ERR_SYNTAX);
  assert_null(mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_stays),
                                     cmocka_unit_test(test_thinned),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
