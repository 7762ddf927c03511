// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/spatial.h"
#include "spatial/hull.h"
#include "spatial/rotation.h"
#include "support.h"

/* What every hull is: closed (Euler), its vertices within all planes, corners in order about
 * normals that look outwards. slack: of the planes, as part of the size. */
static void sound(const cardan_hull *h, double slack)
{
  double size = 0;
  assert_int_equal(h->nvertex - h->nedge + h->nface, 2);
  assert_int_equal(h->first[0], 0);
  assert_int_equal(h->first[h->nface], 2 * h->nedge);
  for (int i = 0; i < h->nvertex; i++) {
    size = fmax(size, cardan__vec3_norm(cardan__vec3_sub(h->vertex[i], h->vertex[0])));
  }
  for (int f = 0; f < h->nface; f++) {
    const int *corner = &h->corner[h->first[f]], n = h->first[f + 1] - h->first[f];
    assert_true(n >= 3);
    assert_near(cardan__vec3_norm(h->normal[f]), 1, 4 * DBL_EPSILON);
    assert_true(cardan__vec3_dot(h->normal[f], cardan__polygon_area(h->vertex, corner, n)) > 0);
    for (int i = 0; i < n; i++) {
      const double d = cardan__vec3_dot(h->normal[f], h->vertex[corner[i]]) - h->offset[f];
      assert_true(corner[i] >= 0 && corner[i] < h->nvertex);
      assert_in_range((long)(d <= 0 && d >= -slack * size), 1, 1);
    }
    for (int i = 0; i < h->nvertex; i++) {
      assert_true(cardan__vec3_dot(h->normal[f], h->vertex[i]) <= h->offset[f]);
    }
  }
  assert_true(cardan__hull_volume(h, NULL) > 0);
}

static void random_points(support_rng *rng, cardan_vec3 *point, int n, const double size[3])
{
  for (int i = 0; i < n; i++) {
    point[i] = cardan__vec3(support_random_in(rng, -size[0], size[0]),
                            support_random_in(rng, -size[1], size[1]),
                            support_random_in(rng, -size[2], size[2]));
  }
}

/* Corners, middles of the edges and of the faces, and the middle of a box. */
static int box_points(const double half[3], cardan_vec3 *point)
{
  int n = 0;
  for (int i = 0; i < 27; i++) {
    point[n++] = cardan__vec3(half[0] * (i % 3 - 1), half[1] * ((i / 3) % 3 - 1),
                              half[2] * (i / 9 - 1)); // NOLINT(bugprone-integer-division)
  }
  return n;
}

// a box out of its 27 points: 8 vertices, 6 squares with exact normals, and its volume and width
static void boxes(void **state)
{
  (void)state;
  cardan__arena arena;
  cardan_hull h;
  cardan_report report = {.message = ""};
  cardan_vec3 point[27], centre;
  const double half[3] = {0.5, 0.25, 2};
  cardan__arena_init(&arena, NULL);
  const int n = box_points(half, point);
  assert_int_equal(cardan__hull_make(point, n, CARDAN__HULL_FLAT, &arena, &h, &report), CARDAN_OK);
  assert_int_equal(h.nvertex, 8);
  assert_int_equal(h.nface, 6);
  assert_int_equal(h.nedge, 12);
  sound(&h, 0);
  assert_near(cardan__hull_volume(&h, &centre), 2, 8 * DBL_EPSILON);
  assert_near(cardan__vec3_norm(centre), 0, 8 * DBL_EPSILON);
  assert_near(cardan__hull_width(&h), 0.5, 0);
  assert_near(cardan__hull_depth(&h, centre), 0.25, DBL_EPSILON);
  assert_near(cardan__hull_depth(&h, cardan__vec3(1, 0, 0)), -0.5, DBL_EPSILON);
  cardan__arena_free(&arena);
}

// random points of any size and shape, placed anywhere near: sound, all inside, scaled alike
static void clouds(void **state)
{
  (void)state;
  support_rng rng = {7};
  static cardan_vec3 point[300];
  for (int trial = 0; trial < 200; trial++) {
    cardan__arena arena;
    cardan_hull h, core;
    cardan_report report = {.message = ""};
    const double scale = pow(10, support_random_in(&rng, -6, 6));
    const double size[3] = {scale, scale * support_random_in(&rng, 0.01, 1), scale};
    const int n = support_random_int(&rng, 4, 300);
    random_points(&rng, point, n, size);
    cardan__arena_init(&arena, NULL);
    assert_int_equal(cardan__hull_make(point, n, CARDAN__HULL_FLAT, &arena, &h, &report),
                     CARDAN_OK);
    sound(&h, 2 * CARDAN__HULL_FLAT);
    for (int i = 0; i < n; i++) {
      assert_true(cardan__hull_depth(&h, point[i]) >= -2 * CARDAN__HULL_FLAT * scale);
    }
    const double round = 0.01 * cardan__hull_width(&h);
    assert_int_equal(cardan__hull_core(&h, round, &arena, &core, &report), CARDAN_OK);
    sound(&core, 1e-10);
    // every vertex of the core is `round` or more inside, and on at least three planes
    for (int i = 0; i < core.nvertex; i++) {
      int on = 0;
      assert_true(cardan__hull_depth(&h, core.vertex[i]) >= round - 1e-13 * scale);
      for (int f = 0; f < h.nface; f++) {
        on += h.offset[f] - cardan__vec3_dot(h.normal[f], core.vertex[i]) < round + 1e-9 * scale;
      }
      assert_true(on >= 3);
    }
    cardan__arena_free(&arena);
  }
}

// moved and turned cubes with the digits of float keep six faces; the core of a cube is a cube
static void faces_stay_whole(void **state)
{
  (void)state;
  support_rng rng = {3};
  for (int trial = 0; trial < 100; trial++) {
    cardan__arena arena;
    cardan_hull h, core;
    cardan_report report = {.message = ""};
    cardan_vec3 point[27];
    double w[3];
    support_random_vec(&rng, w, 3, 3);
    const cardan_mat3 R = cardan_so3_exp(cardan__vec3(w[0], w[1], w[2]));
    const int n = box_points((const double[]){0.1, 0.1, 0.1}, point);
    for (int i = 0; i < n; i++) {
      const cardan_vec3 x = cardan__mat3_mulv(&R, point[i]);
      point[i] = cardan__vec3((double)(float)x.x, (double)(float)x.y, (double)(float)x.z);
    }
    cardan__arena_init(&arena, NULL);
    assert_int_equal(cardan__hull_make(point, n, CARDAN__HULL_FLAT, &arena, &h, &report),
                     CARDAN_OK);
    assert_int_equal(h.nface, 6);
    assert_int_equal(h.nvertex, 8);
    sound(&h, 2 * CARDAN__HULL_FLAT);
    assert_int_equal(cardan__hull_core(&h, 0.002, &arena, &core, &report), CARDAN_OK);
    assert_int_equal(core.nface, 6);
    assert_int_equal(core.nvertex, 8);
    // float's 6e-8 of 0.1, some of it twice
    assert_near(cardan__hull_width(&core), 0.196, 1e-7);
    assert_near(cardan__hull_volume(&core, NULL), pow(0.196, 3), 1e-7 * 0.04 * 3);
    cardan__arena_free(&arena);
  }
}

// a ball of points: of fewer vertices, all of them inside, and what is lost is what it says
static void thinned(void **state)
{
  (void)state;
  static cardan_vec3 point[2000];
  support_rng rng = {5};
  cardan__arena arena;
  cardan_hull h, thin;
  cardan_report report = {.message = ""};
  cardan__hull_loss loss;
  for (int i = 0; i < 2000; i++) {
    double x[3];
    support_random_vec(&rng, x, 3, 1);
    point[i] = cardan__vec3_normalize(cardan__vec3(x[0], x[1], x[2] + 1e-3));
  }
  cardan__arena_init(&arena, NULL);
  assert_int_equal(cardan__hull_make(point, 2000, CARDAN__HULL_FLAT, &arena, &h, &report),
                   CARDAN_OK);
  assert_true(h.nvertex > 1900);
  double last = 2;
  for (int most = 16; most <= 1024; most *= 2) {
    assert_int_equal(cardan__hull_thin(point, 2000, most, &arena, &thin, &loss, &report),
                     CARDAN_OK);
    assert_int_equal(loss.nvertex, h.nvertex);
    sound(&thin, 2 * CARDAN__HULL_FLAT);
    assert_in_range(thin.nvertex, most - 8, most);
    // a patch of the sphere for each vertex is 4 pi / n: its sagitta about 2 / n at best
    assert_true(loss.depth > 1.0 / most && loss.depth < 12.0 / most && loss.depth < last);
    last = loss.depth;
  }
  assert_int_equal(cardan__hull_thin(point, 2000, 4000, &arena, &thin, &loss, &report), CARDAN_OK);
  assert_int_equal(thin.nvertex, h.nvertex);
  assert_near(loss.depth, 0, 0);
  cardan__arena_free(&arena);
}

static void refuses(const cardan_vec3 *point, int n, const char *sentence)
{
  cardan__arena arena;
  cardan_hull h;
  cardan_report report = {.message = ""};
  cardan__arena_init(&arena, NULL);
  assert_int_equal(cardan__hull_make(point, n, CARDAN__HULL_FLAT, &arena, &h, &report),
                   CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, sentence));
  assert_int_equal(h.nvertex, 0);
  cardan__arena_free(&arena);
}

static void no_hulls(void **state)
{
  (void)state;
  cardan_vec3 p[40] = {{0}};
  support_rng rng = {9};
  refuses(p, 0, "0 points, expected 4 to");
  random_points(&rng, p, 40, (const double[]){1, 1, 1});
  refuses(p, 3, "3 points, expected 4 to");
  random_points(&rng, p, 40, (const double[]){1, 1, 0});
  refuses(p, 40, "lie in a plane");
  random_points(&rng, p, 40, (const double[]){1, 1, 1e-7});
  refuses(p, 40, "lie in a plane");
  random_points(&rng, p, 40, (const double[]){1, 0, 0});
  refuses(p, 40, "lie in a plane");
  random_points(&rng, p, 40, (const double[]){0, 0, 0});
  refuses(p, 40, "span 0");
  random_points(&rng, p, 40, (const double[]){1, 1, 1});
  p[7].y = NAN;
  refuses(p, 40, "point 8 of the hull is not finite");
  p[7].y = 1e200;
  refuses(p, 40, "span 1e+200");
}

// Qhull says nothing, and leaves nothing behind: a radius that is too large has its sentence
static void cores_refused(void **state)
{
  (void)state;
  cardan__arena arena;
  cardan_hull h, core;
  cardan_report report = {.message = ""};
  cardan_vec3 point[27];
  const int n = box_points((const double[]){1, 2, 3}, point);
  cardan__arena_init(&arena, NULL);
  assert_int_equal(cardan__hull_make(point, n, CARDAN__HULL_FLAT, &arena, &h, &report), CARDAN_OK);
  assert_int_equal(cardan__hull_core(&h, 0.99, &arena, &core, &report), CARDAN_OK);
  assert_near(cardan__hull_volume(&core, NULL), 8 * 0.01 * 1.01 * 2.01, 1e-14);
  for (int k = 0; k < 3; k++) {
    const double round[3] = {1, -0.1, NAN};
    assert_int_equal(cardan__hull_core(&h, round[k], &arena, &core, &report), CARDAN_ERR_MODEL);
    assert_non_null(strstr(report.message, "expected 0 to less than 1"));
  }
  cardan__arena_free(&arena);
}

static cardan_status make_all(const cardan_allocator *alloc, void *user)
{
  cardan__arena arena;
  cardan_hull h, core, thin;
  cardan_report report = {.message = ""};
  cardan__hull_loss loss;
  cardan__arena_init(&arena, alloc);
  cardan_status status = cardan__hull_make(user, 200, CARDAN__HULL_FLAT, &arena, &h, &report);
  status = status ? status : cardan__hull_core(&h, 0.01, &arena, &core, &report);
  status = status ? status : cardan__hull_thin(user, 200, 20, &arena, &thin, &loss, &report);
  cardan__arena_free(&arena);
  return status;
}

static void memory_fails(void **state)
{
  (void)state;
  cardan_vec3 point[200];
  support_rng rng = {11};
  random_points(&rng, point, 200, (const double[]){1, 1, 1});
  assert_true(support_fail_each(make_all, point) > 8);
}

// into a block and back: the same numbers
static void carved(void **state)
{
  (void)state;
  cardan__arena arena;
  cardan_hull h, block;
  cardan_report report = {.message = ""};
  cardan_vec3 point[100];
  support_rng rng = {13};
  random_points(&rng, point, 100, (const double[]){1, 1, 1});
  cardan__arena_init(&arena, NULL);
  assert_int_equal(cardan__hull_make(point, 100, CARDAN__HULL_FLAT, &arena, &h, &report),
                   CARDAN_OK);
  cardan__carver carver = {0};
  cardan__hull_carve(&h, &carver, &block);
  void *memory = cardan__arena_take(&arena, cardan__carver_size(&carver), 1);
  carver = cardan__carver_over(memory);
  cardan__hull_carve(&h, &carver, &block);
  cardan__hull_copy(&h, &block);
  sound(&block, 2 * CARDAN__HULL_FLAT);
  assert_near(cardan__hull_volume(&block, NULL), cardan__hull_volume(&h, NULL), 0);
  assert_memory_equal(block.edge, h.edge, 2 * (size_t)h.nedge * sizeof *h.edge);
  cardan__arena_free(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes),
      cmocka_unit_test(clouds),
      cmocka_unit_test(faces_stay_whole),
      cmocka_unit_test(thinned),
      cmocka_unit_test(no_hulls),
      cmocka_unit_test(cores_refused),
      cmocka_unit_test(memory_fails),
      cmocka_unit_test(carved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
