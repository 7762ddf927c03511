// SPDX-License-Identifier: Apache-2.0
// Meshes: the same box in every format, its inertia in closed form, and bytes that are no mesh.
#include "formats/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

/* A box of 1 x 2 x 3 with a corner at (1, 1, 1), faces outwards. */
static const float corners[8][3] = {{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {2, 3, 1},
                                    {1, 1, 4}, {2, 1, 4}, {1, 3, 4}, {2, 3, 4}};
static const int triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                     {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                     {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static size_t put(char *data, size_t at, const void *bytes, size_t n)
{
  memcpy(data + at, bytes, n);
  return at + n;
}

static size_t stl_binary(char *data)
{
  const uint32_t count = 12;
  const float none[3] = {0};
  size_t n = 84;
  memset(data, ' ', 80);
  put(data, 80, &count, 4);
  for (int i = 0; i < 12; i++) {
    n = put(data, n, none, 12);
    for (int k = 0; k < 3; k++) {
      n = put(data, n, corners[triangles[i][k]], 12);
    }
    n = put(data, n, "\0\0", 2);
  }
  return n;
}

static size_t msh(char *data)
{
  const uint32_t counts[4] = {8, 1, 1, 12};
  size_t n = put(data, 0, counts, 16);
  n = put(data, n, corners, sizeof corners);
  n += 12 + 8; // a normal and a place of texture, which are passed over
  return put(data, n, triangles, sizeof triangles);
}

static size_t stl_text(char *data)
{
  size_t n = (size_t)sprintf(data, "solid box\r\n");
  for (int i = 0; i < 12; i++) {
    n += (size_t)sprintf(data + n, "facet normal 0 0 0\n outer loop\n");
    for (int k = 0; k < 3; k++) {
      const float *v = corners[triangles[i][k]];
      n += (size_t)sprintf(data + n, "  vertex %g %g %ge0\r\n", (double)v[0], (double)v[1],
                           (double)v[2]);
    }
    n += (size_t)sprintf(data + n, " endloop\nendfacet\n");
  }
  return n + (size_t)sprintf(data + n, "endsolid");
}

/* Sides as rectangles, with the other numbers that a corner may have, counted from either end. */
static size_t obj(char *data)
{
  size_t n = (size_t)sprintf(data, "# a box\no box\nmtllib a.mtl\n");
  for (int i = 0; i < 8; i++) {
    const float *v = corners[i];
    n += (size_t)sprintf(data + n, "v %g %g %g 0.5 0.5 0.5\n", (double)v[0], (double)v[1],
                         (double)v[2]);
  }
  n += (size_t)sprintf(data + n, "vn 0 0 1\nvt 0 0\n");
  return n + (size_t)sprintf(data + n, "f 1 3 4 2\nf 5/1 6/1 8/1 7/1\nf 1//1 2//1 6//1 5//1\n"
                                       "f 3/1/1 7/1/1 8/1/1 4/1/1 # back\nf -8 -4 -2 -6\n"
                                       "f 2 4 8 6");
}

static const struct {
  const char *name;
  size_t (*write)(char *data);
} forms[] = {{"a.stl", stl_binary}, {"a.STL", stl_text}, {"a/b.c.obj", obj}, {"a.msh", msh}};

static char bytes[8192];

/* About the origin: m (b^2 + c^2) / 12 + m (cy^2 + cz^2), and -m cx cy, with m = 6. */
static void near_box(const cardan_inertia *G, double k)
{
  const double c[3] = {1.5, 2, 2.5}, m = 6 * k;
  assert_near(G->m, m, 1e-14 * m);
  assert_near(G->h.x / G->m, c[0], 1e-14);
  assert_near(G->h.y / G->m, c[1], 1e-14);
  assert_near(G->h.z / G->m, c[2], 1e-14);
  assert_near(G->xx, m * (13 / 12.0 + c[1] * c[1] + c[2] * c[2]), 1e-12);
  assert_near(G->yy, m * (10 / 12.0 + c[0] * c[0] + c[2] * c[2]), 1e-12);
  assert_near(G->zz, m * (5 / 12.0 + c[0] * c[0] + c[1] * c[1]), 1e-12);
  assert_near(G->xy, -m * c[0] * c[1], 1e-12);
  assert_near(G->xz, -m * c[0] * c[2], 1e-12);
  assert_near(G->yz, -m * c[1] * c[2], 1e-12);
}

static void every_format(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    cardan__arena arena;
    cardan__mesh mesh;
    cardan_inertia G;
    cardan_report report = {.message = ""};
    memset(bytes, 0, sizeof bytes);
    const size_t n = forms[i].write(bytes);
    cardan__arena_init(&arena, NULL);
    assert_int_equal(cardan__mesh_read(bytes, n, forms[i].name, &arena, &mesh, &report), CARDAN_OK);
    assert_int_equal(mesh.nface, 12);
    assert_true(cardan__mesh_inertia(&mesh, CARDAN__MESH_SOLID, &G));
    near_box(&G, 1);
    assert_true(cardan__mesh_inertia(&mesh, CARDAN__MESH_OUTWARD, &G)); // convex: the same
    near_box(&G, 1);
    for (int f = 0; f < mesh.nface; f++) { // inside out: the same
      const int swap = mesh.face[f][0];
      mesh.face[f][0] = mesh.face[f][1];
      mesh.face[f][1] = swap;
    }
    assert_true(cardan__mesh_inertia(&mesh, CARDAN__MESH_SOLID, &G));
    near_box(&G, 1);
    cardan__arena_free(&arena);
  }
}

/* Six plates, mass by area: m (b^2 + c^2) / 12 each, and m times their distances squared. */
static void shell(void **state)
{
  cardan__arena arena;
  cardan__mesh mesh;
  cardan_inertia G;
  (void)state;
  memset(bytes, 0, sizeof bytes);
  const size_t n = stl_binary(bytes);
  cardan__arena_init(&arena, NULL);
  assert_int_equal(cardan__mesh_read(bytes, n, "a.stl", &arena, &mesh, NULL), CARDAN_OK);
  assert_true(cardan__mesh_inertia(&mesh, CARDAN__MESH_SHELL, &G));
  const double m = 22, zz = 2 * (6 * (4 / 12.0 + 0.25) + 3 * (1 / 12.0 + 1) + 2 * (5 / 12.0));
  assert_near(G.m, m, 1e-13);
  assert_near(G.zz, zz + m * (1.5 * 1.5 + 4), 1e-11);
  cardan__arena_free(&arena);
}

/* Bytes that are no mesh, and a surface that encloses nothing. */
static void wrong(void **state)
{
  static const struct {
    const char *name, *data;
    int line;
    const char *part;
  } bad[] = {
      {"a.dae", "", 0, "expected .stl, .obj or .msh"},
      {"a", "", 0, "expected .stl, .obj or .msh"},
      {"a.stl", "", 0, "neither a text"},
      {"a.stl", "solid\nvertex 1 2 3\n", 0, "without three vertices"},
      {"a.stl", "solid\nvertex 1 2\nvertex 1 2 3\nvertex 1 2 3", 2, "three numbers"},
      {"a.stl", "solid\nvertex 1 2 x\nvertex 1 2 3\nvertex 1 2 3", 2, "three numbers"},
      {"a.stl", "solid\nvertex 1 2 1e999\nvertex 1 2 3\nvertex 1 2 3", 2, "three numbers"},
      {"a.obj", "v 1 2\n", 1, "three numbers"},
      {"a.obj", "v 1 2 3\nf 1 1\n", 2, "three or more"},
      {"a.obj", "v 1 2 3\nf 1 1 2\n", 2, "vertices that are there"},
      {"a.obj", "v 1 2 3\nf 1 1 0\n", 2, "vertices that are there"},
      {"a.obj", "v 1 2 3\nf 1 1 -2\n", 2, "vertices that are there"},
      {"a.obj", "v 1 2 3\nf 1 1 1.5\n", 2, "vertices that are there"},
      {"a.obj", "v 1 2 3\nf 1 1 /1\n", 2, "vertices that are there"},
      {"a.msh", "abc", 0, "as its counts say"},
      {"a.msh", "abcdabcdabcdabcdabcd", 0, "as its counts say"},
  };
  cardan__arena arena;
  cardan__mesh mesh;
  cardan_inertia G;
  (void)state;
  cardan__arena_init(&arena, NULL);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cardan_report report = {.message = ""};
    const cardan_status status =
        cardan__mesh_read(bad[i].data, strlen(bad[i].data), bad[i].name, &arena, &mesh, &report);
    if (status == CARDAN_OK || report.pos.line != bad[i].line ||
        strstr(report.message, bad[i].part) == NULL) {
      fail_msg("%s: found %d: %s", bad[i].data, report.pos.line, report.message);
    }
  }
  static const char flat[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 3 2 1\n";
  assert_int_equal(cardan__mesh_read(flat, strlen(flat), "a.obj", &arena, &mesh, NULL), CARDAN_OK);
  assert_false(cardan__mesh_inertia(&mesh, CARDAN__MESH_SOLID, &G));
  assert_true(cardan__mesh_inertia(&mesh, CARDAN__MESH_SHELL, &G));
  mesh.nface = 0;
  assert_false(cardan__mesh_inertia(&mesh, CARDAN__MESH_SHELL, &G));
  cardan__arena_free(&arena);
}

static void no_memory(void **state)
{
  support_memory memory = {0};
  const cardan_allocator allocator = support_allocator(&memory);
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    cardan_status status = CARDAN_ERR_MEMORY;
    const size_t n = forms[i].write(bytes);
    for (long at = 1; status != CARDAN_OK; at++) {
      cardan__arena arena;
      cardan__mesh mesh;
      memory = (support_memory){.fail_at = at};
      cardan__arena_init(&arena, &allocator);
      status = cardan__mesh_read(bytes, n, forms[i].name, &arena, &mesh, NULL);
      assert_true(status == CARDAN_OK || status == CARDAN_ERR_MEMORY);
      cardan__arena_free(&arena);
      assert_int_equal(memory.blocks, 0);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_format), cmocka_unit_test(shell),
                                     cmocka_unit_test(wrong), cmocka_unit_test(no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
