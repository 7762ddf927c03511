// SPDX-License-Identifier: Apache-2.0
// What of a mesh touches: its convex hull, what it leaves out and what it fills in.
#include <math.h>
#include <string.h>

#include "formats/mesh.h"
#include "spatial/rotation.h"
#include "support.h"

/* A body of turning: rings of n vertices at heights z with radii r, closed at both ends. */
static void turned_body(cardan__arena *arena, int n, int rings, const double *z, const double *r,
                        cardan__mesh *mesh)
{
  *mesh = (cardan__mesh){.nvertex = n * rings + 2};
  mesh->vertex = cardan__arena_take(arena, (size_t)mesh->nvertex, sizeof *mesh->vertex);
  mesh->face = cardan__arena_take(arena, 2 * (size_t)n * (size_t)rings, sizeof *mesh->face);
  for (int k = 0; k < rings * n; k++) {
    const double angle = 2 * 3.14159265358979323846 * (k % n) / n;
    mesh->vertex[k] = cardan__vec3(r[k / n] * cos(angle), r[k / n] * sin(angle), z[k / n]);
  }
  mesh->vertex[n * rings] = cardan__vec3(0, 0, z[0]);
  mesh->vertex[n * rings + 1] = cardan__vec3(0, 0, z[rings - 1]);
  for (int i = 0; i < n; i++) {
    const int j = (i + 1) % n, last = n * (rings - 1);
    const int ends[2][3] = {{n * rings, j, i}, {n * rings + 1, last + i, last + j}};
    memcpy(mesh->face[mesh->nface++], ends[0], sizeof ends[0]);
    memcpy(mesh->face[mesh->nface++], ends[1], sizeof ends[1]);
    for (int k = 0; k + 1 < rings; k++) {
      const int a = n * k + i, b = n * k + j;
      const int sides[2][3] = {{a, b, b + n}, {a, b + n, a + n}};
      memcpy(mesh->face[mesh->nface++], sides[0], sizeof sides[0]);
      memcpy(mesh->face[mesh->nface++], sides[1], sizeof sides[1]);
    }
  }
}

static double prism_area(int n, double r)
{
  return 0.5 * n * r * r * sin(2 * 3.14159265358979323846 / n);
}

// a convex mesh is its hull, and nothing is reported; a factor stretches it
static void convex(void **state)
{
  (void)state;
  cardan__arena arena;
  cardan__mesh mesh;
  cardan__mesh_shell shell;
  cardan_report report = {.message = ""};
  cardan__arena_init(&arena, NULL);
  turned_body(&arena, 24, 2, (const double[]){0, 1}, (const double[]){1, 1}, &mesh);
  assert_int_equal(cardan__mesh_hull(&mesh, NULL, &arena, &shell, &report), CARDAN_OK);
  assert_int_equal(shell.npoint, 48);
  assert_int_equal(shell.nvertex, 48);
  assert_near(shell.depth, 0, 0);
  assert_near(shell.volume, prism_area(24, 1), 1e-13);
  assert_near(shell.filled, prism_area(24, 1), 1e-13);
  assert_string_equal(shell.note, "");
  assert_int_equal(cardan__mesh_hull(&mesh, (const double[]){2, 0, -3}, &arena, &shell, &report),
                   CARDAN_OK);
  assert_near(shell.volume, 6 * prism_area(24, 1), 1e-12);
  assert_near(shell.filled, 6 * prism_area(24, 1), 1e-12);
  assert_string_equal(shell.note, "");
  cardan__arena_free(&arena);
}

// a waist is filled: the volumes tell it
static void hollow(void **state)
{
  (void)state;
  cardan__arena arena;
  cardan__mesh mesh;
  cardan__mesh_shell shell;
  cardan_report report = {.message = ""};
  cardan__arena_init(&arena, NULL);
  turned_body(&arena, 24, 4, (const double[]){0, 0.25, 0.75, 1}, (const double[]){1, 0.5, 0.5, 1},
              &mesh);
  assert_int_equal(cardan__mesh_hull(&mesh, NULL, &arena, &shell, &report), CARDAN_OK);
  assert_int_equal(shell.npoint, 48);
  // two frusta of height 1/4 and a prism of 1/2: (1 + 1/2 + 1/4) / 3 / 2 + 1/8 = 5/12 of it
  assert_near(shell.filled / shell.volume, 5.0 / 12, 1e-13);
  assert_string_equal(
      shell.note, "the convex hull that touches in place of this mesh has 2.4 times its volume");
  cardan__arena_free(&arena);
}

// a fine ball keeps 256 vertices, and what is lost is reported
static void thinned(void **state)
{
  (void)state;
  enum { RINGS = 40, ROUND = 50 };
  cardan__arena arena;
  cardan__mesh mesh;
  cardan__mesh_shell shell;
  cardan_report report = {.message = ""};
  double z[RINGS], r[RINGS];
  for (int k = 0; k < RINGS; k++) {
    const double angle = 3.14159265358979323846 * (k + 0.5) / RINGS;
    z[k] = -cos(angle);
    r[k] = sin(angle);
  }
  cardan__arena_init(&arena, NULL);
  turned_body(&arena, ROUND, RINGS, z, r, &mesh);
  assert_int_equal(cardan__mesh_hull(&mesh, NULL, &arena, &shell, &report), CARDAN_OK);
  assert_int_equal(shell.nvertex, RINGS * ROUND);
  assert_in_range(shell.npoint, CARDAN__MESH_HULL - 8, CARDAN__MESH_HULL);
  // the sagitta of a patch of 4 pi / 256 is 0.008
  assert_true(shell.depth > 0.004 && shell.depth < 0.03);
  assert_true(shell.volume < shell.filled && shell.volume > 0.96 * shell.filled);
  assert_non_null(strstr(shell.note, " of its 2000 vertices, which takes off up to 0.0"));
  assert_non_null(strstr(shell.note, " m, and 0.9"));
  cardan__arena_free(&arena);
}

static void refused(void **state)
{
  (void)state;
  cardan__arena arena;
  cardan__mesh mesh;
  cardan__mesh_shell shell;
  cardan_report report = {.message = ""};
  cardan__arena_init(&arena, NULL);
  turned_body(&arena, 24, 2, (const double[]){0, 0}, (const double[]){1, 0.5}, &mesh);
  assert_int_equal(cardan__mesh_hull(&mesh, NULL, &arena, &shell, &report), CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, "lie in a plane"));
  mesh = (cardan__mesh){.nvertex = 0};
  assert_int_equal(cardan__mesh_hull(&mesh, NULL, &arena, &shell, &report), CARDAN_ERR_MODEL);
  assert_int_equal(shell.npoint, 0);
  cardan__arena_free(&arena);
}

static cardan_status wrap_all(const cardan_allocator *alloc, void *user)
{
  cardan__arena arena;
  cardan__mesh_shell shell;
  cardan_report report = {.message = ""};
  cardan__arena_init(&arena, alloc);
  const cardan_status status = cardan__mesh_hull(user, NULL, &arena, &shell, &report);
  cardan__arena_free(&arena);
  return status;
}

static void memory_fails(void **state)
{
  (void)state;
  cardan__arena arena;
  cardan__mesh mesh;
  cardan__arena_init(&arena, NULL);
  turned_body(&arena, 300, 2, (const double[]){0, 1}, (const double[]){1, 1}, &mesh);
  assert_true(support_fail_each(wrap_all, &mesh) > 8);
  cardan__arena_free(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convex),  cmocka_unit_test(hollow),       cmocka_unit_test(thinned),
      cmocka_unit_test(refused), cmocka_unit_test(memory_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
