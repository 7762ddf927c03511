// SPDX-License-Identifier: Apache-2.0
// Concave meshes as convex pieces: exact where the mesh is made of blocks, complete, close, the
// same each time, and finite for whatever triangles.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/sim.h"
#include "formats/mesh_pieces.h"
#include "robot_fixture.h"
#include "spatial/hull.h"
#include "spatial/rotation.h"
#include "support.h"

static const double pi = 3.14159265358979323846;

typedef struct {
  cardan__arena arena;
  cardan__mesh mesh;
  cardan__mesh_pieces pieces;
  cardan_report report;
} fixture;

static void begin(fixture *f, int nvertex, int nface)
{
  cardan__arena_init(&f->arena, NULL);
  f->report = (cardan_report){.message = ""};
  f->mesh =
      (cardan__mesh){.vertex = cardan__arena_take(&f->arena, (size_t)nvertex, sizeof(cardan_vec3)),
                     .face = cardan__arena_take(&f->arena, (size_t)nface, sizeof(int[3]))};
}

static void add_face(fixture *f, int a, int b, int c)
{
  int *face = f->mesh.face[f->mesh.nface++];
  face[0] = a;
  face[1] = b;
  face[2] = c;
}

static void end(fixture *f)
{
  cardan__arena_free(&f->arena);
}

static cardan_status decompose(fixture *f, int most, double depth)
{
  const cardan__convex convex = {most, depth};
  return cardan__mesh_decompose(&f->mesh, NULL, &convex, &f->arena, &f->pieces, &f->report);
}

static double total_volume(const fixture *f)
{
  double sum = 0;
  for (int i = 0; i < f->pieces.npiece; i++) {
    sum += f->pieces.piece[i].volume;
  }
  return sum;
}

/* A prism of height 1 over a polygon cut into triangles, turned about an axis by an angle. */
static void prism(fixture *f, int n, const double (*corner)[2], int ntri, const int (*tri)[3],
                  double turn)
{
  const cardan_quat q = cardan_quat_exp(cardan__vec3(turn * 0.48, turn * 0.6, turn * 0.64));
  begin(f, 2 * n, 2 * n + 2 * ntri);
  f->mesh.nvertex = 2 * n;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 2; k++) {
      f->mesh.vertex[i + k * n] =
          cardan_quat_rotate(q, cardan__vec3(corner[i][0], corner[i][1], k));
    }
    const int j = (i + 1) % n;
    add_face(f, i, j, j + n);
    add_face(f, i, j + n, i + n);
  }
  for (int i = 0; i < ntri; i++) {
    add_face(f, tri[i][2], tri[i][1], tri[i][0]);
    add_face(f, tri[i][0] + n, tri[i][1] + n, tri[i][2] + n);
  }
}

static void u_shape(fixture *f, double turn)
{
  static const double corner[8][2] = {{0, 0}, {3, 0}, {3, 2}, {2, 2},
                                      {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  static const int tri[6][3] = {{0, 1, 4}, {0, 4, 5}, {1, 2, 3}, {1, 3, 4}, {0, 5, 6}, {0, 6, 7}};
  prism(f, 8, corner, 6, tri, turn);
}

static void l_shape(fixture *f, double turn)
{
  static const double corner[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  static const int tri[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  prism(f, 6, corner, 4, tri, turn);
}

static void ring(fixture *f, int n, int m, double R, double r)
{
  begin(f, n * m, 2 * n * m);
  f->mesh.nvertex = n * m;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m; k++) {
      const double a = 2 * pi * i / n, b = 2 * pi * k / m, x = R + r * cos(b);
      const int i1 = (i + 1) % n, k1 = (k + 1) % m;
      f->mesh.vertex[i * m + k] = cardan__vec3(x * cos(a), x * sin(a), r * sin(b));
      add_face(f, i * m + k, i1 * m + k, i1 * m + k1);
      add_face(f, i * m + k, i1 * m + k1, i * m + k1);
    }
  }
}

// meshes of blocks become these blocks, in place, however they stand; a convex mesh is its hull
static void blocks(void **state)
{
  (void)state;
  fixture f;
  for (int k = 0; k < 8; k++) {
    const double turn = 0.7 * k;
    u_shape(&f, turn);
    assert_int_equal(decompose(&f, 8, 0), CARDAN_OK);
    assert_int_equal(f.pieces.npiece, 3);
    assert_near(total_volume(&f), 5, 1e-12);
    assert_true(f.pieces.depth == 0);
    assert_string_equal(f.pieces.note, "");
    end(&f);
    l_shape(&f, turn);
    assert_int_equal(decompose(&f, 2, 0), CARDAN_OK);
    assert_int_equal(f.pieces.npiece, 2);
    assert_near(total_volume(&f), 3, 1e-12);
    for (int p = 0; p < 2; p++) {
      assert_int_equal(f.pieces.piece[p].npoint, 8);
    }
    // one piece is the hull, and a word says that it differs
    assert_int_equal(decompose(&f, 1, 0), CARDAN_OK);
    assert_int_equal(f.pieces.npiece, 1);
    assert_near(total_volume(&f), 3.5, 1e-12);
    assert_non_null(strstr(f.pieces.note, "1.17 times its volume; convex pieces come closer"));
    end(&f);
  }
}

static void convex(void **state)
{
  (void)state;
  static const double corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  static const int tri[2][3] = {{0, 1, 2}, {0, 2, 3}};
  fixture f;
  prism(&f, 4, corner, 2, tri, 0.3);
  assert_int_equal(decompose(&f, 16, 0), CARDAN_OK);
  assert_int_equal(f.pieces.npiece, 1);
  assert_string_equal(f.pieces.note, "");
  end(&f);
}

/* Is a point in one of the pieces, to within tol? */
static bool covered(const cardan_hull *hull, int n, cardan_vec3 x, double tol)
{
  bool in = false;
  for (int i = 0; i < n && !in; i++) {
    in = cardan__hull_depth(&hull[i], x) >= -tol;
  }
  return in;
}

// pieces of a ring leave nothing out, inside or at its surface, and fill its hole no more than the
// depth says; twice the same pieces. Where hulls are thinned they lose less than 0.01
static void rings(void **state)
{
  (void)state;
  static const int most[3] = {4, 16, 64};
  double depth = HUGE_VAL;
  fixture f;
  ring(&f, 24, 12, 1, 0.3);
  support_rng rng = {7};
  for (int k = 0; k < 3; k++) {
    cardan_hull hull[64];
    cardan_report report;
    assert_int_equal(decompose(&f, most[k], 0), CARDAN_OK);
    const cardan__mesh_pieces first = f.pieces;
    assert_in_range(first.npiece, most[k] == 64 ? 12 : most[k] / 2, most[k]);
    assert_true(first.depth < depth);
    depth = first.depth;
    for (int i = 0; i < first.npiece; i++) {
      assert_int_equal(cardan__hull_make(first.piece[i].point, first.piece[i].npoint, 1e-6,
                                         &f.arena, &hull[i], &report),
                       CARDAN_OK);
    }
    for (int i = 0; i < f.mesh.nvertex; i++) {
      assert_true(covered(hull, first.npiece, f.mesh.vertex[i], 0.01));
    }
    for (int i = 0; i < 3000; i++) {
      // inside: the tube's polygon holds the circle of 0.95 of its radius, and its sides sag
      const double a = support_random_in(&rng, 0, 2 * pi), b = support_random_in(&rng, 0, 2 * pi);
      const double r = 0.27 * support_random_in(&rng, 0, 1), x = 0.99 + r * cos(b);
      assert_true(
          covered(hull, first.npiece, cardan__vec3(x * cos(a), x * sin(a), r * sin(b)), 0.01));
    }
    assert_int_equal(decompose(&f, most[k], 0), CARDAN_OK);
    assert_int_equal(f.pieces.npiece, first.npiece);
    for (int i = 0; i < first.npiece; i++) {
      assert_int_equal(f.pieces.piece[i].npoint, first.piece[i].npoint);
      assert_memory_equal(f.pieces.piece[i].point, first.piece[i].point,
                          (size_t)first.piece[i].npoint * sizeof(cardan_vec3));
    }
  }
  // requested so close, it is closer than that, with fewer pieces
  assert_int_equal(decompose(&f, 64, 0.15), CARDAN_OK);
  assert_in_range(f.pieces.npiece, 4, 16);
  assert_true(f.pieces.depth < 0.15 && f.pieces.note[0] == '\0');
  // and too few report it
  assert_int_equal(decompose(&f, 4, 0.001), CARDAN_OK);
  assert_non_null(
      strstr(f.pieces.note, "the 4 convex pieces that touch in place of this mesh are "));
  assert_non_null(strstr(f.pieces.note, "more pieces come closer"));
  end(&f);
}

// a mesh that is thinned for choosing the cuts keeps its own corners
static void fine(void **state)
{
  (void)state;
  fixture f;
  ring(&f, 60, 30, 1, 0.3);
  assert_int_equal(decompose(&f, 8, 0), CARDAN_OK);
  for (int p = 0; p < f.pieces.npiece; p++) {
    assert_in_range(f.pieces.piece[p].npoint, 20, CARDAN__MESH_HULL);
    for (int i = 0; i < f.pieces.piece[p].npoint; i++) {
      const cardan_vec3 x = f.pieces.piece[p].point[i];
      // edges across the hole cut off 0.7 (1 - cos 3 degrees) of it
      assert_true(hypot(hypot(x.x, x.y) - 1, x.z) < 0.3 + 0.001);
    }
  }
  end(&f);
}

// triangles of any kind: nothing is closed, all cross, some are points, sizes of twelve decades
static void any_triangles(void **state)
{
  (void)state;
  support_rng rng = {3};
  for (int k = 0; k < 40; k++) {
    fixture f;
    const int n = 4 + k, nface = 4 + 5 * k;
    const double size = pow(10, support_random_in(&rng, -20, 20));
    begin(&f, n, nface);
    f.mesh.nvertex = n;
    for (int i = 0; i < n; i++) {
      const double flat = k % 4 == 0 ? 1e-9 : 1;
      f.mesh.vertex[i] =
          cardan__vec3(size * support_random_in(&rng, -1, 1), size * support_random_in(&rng, -1, 1),
                       size * flat * support_random_in(&rng, -1, 1));
    }
    for (int i = 0; i < nface; i++) {
      add_face(&f, (int)support_random_in(&rng, 0, n), (int)support_random_in(&rng, 0, n),
               (int)support_random_in(&rng, 0, n));
    }
    const cardan_status status = decompose(&f, 1 + k % 9, 0);
    assert_int_equal(status, k % 4 == 0 ? CARDAN_ERR_MODEL : CARDAN_OK);
    assert_true(k % 4 == 0 || (f.pieces.npiece >= 1 && f.pieces.npiece <= 1 + k % 9));
    for (int p = 0; p < f.pieces.npiece; p++) {
      assert_in_range(f.pieces.piece[p].npoint, 4, CARDAN__MESH_HULL);
    }
    end(&f);
  }
}

static void too_many(void **state)
{
  (void)state;
  fixture f;
  l_shape(&f, 0);
  int(*face)[3] = cardan__arena_take(&f.arena, CARDAN__CONVEX_FACES + 1, sizeof *face);
  for (int i = 0; i <= CARDAN__CONVEX_FACES; i++) {
    memcpy(face[i], f.mesh.face[i % f.mesh.nface], sizeof *face);
  }
  f.mesh.face = face;
  f.mesh.nface = CARDAN__CONVEX_FACES + 1;
  assert_int_equal(decompose(&f, 8, 0), CARDAN_OK);
  assert_int_equal(f.pieces.npiece, 1);
  assert_non_null(strstr(f.pieces.note, "at most 250000 are cut"));
  end(&f);
}

static cardan_status decompose_all(const cardan_allocator *alloc, void *user)
{
  const fixture *f = user;
  cardan__arena arena;
  cardan__mesh_pieces pieces;
  cardan_report report = {.message = ""};
  const cardan__convex convex = {2, 0};
  cardan__arena_init(&arena, alloc);
  const cardan_status status =
      cardan__mesh_decompose(&f->mesh, NULL, &convex, &arena, &pieces, &report);
  cardan__arena_free(&arena);
  return status;
}

static void memory_fails(void **state)
{
  (void)state;
  fixture f;
  l_shape(&f, 0);
  assert_true(support_fail_each(decompose_all, &f) > 50);
  end(&f);
}

/* ---- in robots ---- */

#define U_MESH                                                                                    \
  "<asset><mesh name='u' vertex='0 0 0 3 0 0 3 2 0 2 2 0 2 1 0 1 1 0 1 2 0 0 2 0 "                \
  "0 0 1 3 0 1 3 2 1 2 2 1 2 1 1 1 1 1 1 2 1 0 2 1' face='0 1 9 0 9 8 1 2 10 1 10 9 2 3 11 2 11 " \
  "10 3 4 12 3 12 11 4 5 13 4 13 12 5 6 14 5 14 13 6 7 15 6 15 14 7 0 8 7 8 15 "                  \
  "4 1 0 5 4 0 3 2 1 4 3 1 6 5 0 7 6 0 8 9 12 8 12 13 9 10 11 9 11 12 8 13 14 8 14 15'/></asset>"
#define CUP(inside)                                                                 \
  "<mujoco>" U_MESH "<worldbody><geom type='mesh' mesh='u' euler='90 0 0'/>" inside \
  "</worldbody></mujoco>"
#define FALLING                                                                    \
  "<body name='ball' pos='1.3 -.5 1.9'><freejoint/><geom type='sphere' size='.3' " \
  "mass='1'/></body>"

// a ball falls into a cup and rests on its bottom, where the hull would have held it above
static void cup_holds_a_ball(void **state)
{
  (void)state;
  const cardan_setting setting[1] = {{"convex", 4}};
  cardan_options options = cardan_options_defaults();
  cardan_report report = {.message = ""};
  for (int n = 0; n < 2; n++) {
    cardan_model *model = robot_load(CUP(FALLING), "m.xml", setting, n);
    cardan_sim *sim = NULL;
    assert_int_equal(model->nsolid, n == 0 ? 2 : 4);
    assert_int_equal(model->npair, n == 0 ? 1 : 3);
    assert_int_equal(model->solid[1].pieces, n == 0 ? 0 : 3);
    options.dt = 0.005;
    options.contacts = "auto";
    assert_int_equal(cardan_sim_create(model, &options, NULL, &sim, &report), CARDAN_OK);
    assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
    for (int i = 0; i < 400; i++) {
      assert_int_equal(cardan_sim_step(sim, &report), CARDAN_OK);
    }
    const double *q = cardan_sim_data(sim)->q;
    assert_near(q[0], 1.3, 1e-9);
    assert_near(q[2], n == 0 ? 2.3 : 1.3, 1e-9);
    cardan_sim_destroy(sim);
    cardan_model_destroy(model);
  }
}

// masses are those of the mesh, whatever touches
static void mass_is_that_of_the_mesh(void **state)
{
  (void)state;
  static const char text[] = "<mujoco><compiler inertiafromgeom='true'/>" U_MESH
                             "<worldbody><body><freejoint/><geom type='mesh' mesh='u' "
                             "density='2'/></body></worldbody></mujoco>";
  const cardan_setting setting[1] = {{"convex", 4}};
  cardan_model *whole = robot_load(text, "m.xml", NULL, 0);
  cardan_model *cut = robot_load(text, "m.xml", setting, 1);
  assert_true(whole->mass == cut->mass && whole->mass > 0);
  assert_int_equal(cut->nsolid, 3);
  assert_memory_equal(&cut->body[1].inertia, &whole->body[1].inertia,
                      sizeof whole->body[1].inertia);
  cardan_model_destroy(whole);
  cardan_model_destroy(cut);
}

#define SDF_MESH(more)                                                                        \
  "<sdf version='1.11'><model name='m'><static>1</static><link name='l'><collision name='c'>" \
  "<geometry><mesh" more "</mesh></geometry></collision></link></model></sdf>"

/* How many solids a text has, with the L in l.obj and a setting `convex` (0: none). */
static int solids_of(const char *text, const char *file, int convex)
{
  static char l_obj[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
                        "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
                        "f 3 2 1 4\nf 5 4 1 6\nf 7 8 9 10\nf 7 10 11 12\nf 1 2 8 7\nf 2 3 9 8\n"
                        "f 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
  static char name[] = "l.obj";
  char *given[] = {name, l_obj, NULL};
  const cardan_files files = robot_files(given);
  const cardan_setting setting = {"convex", convex};
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  cardan_status status = cardan_spec_read_files(text, strlen(text), file, &setting, convex > 0,
                                                &files, NULL, &spec, &report);
  status = status ? status : cardan_model_build(spec, NULL, &model, &report);
  if (status != CARDAN_OK) {
    fail_msg("%s", report.message);
  }
  const int n = model->nsolid;
  for (int i = 0; i < n; i++) {
    assert_int_equal(model->solid[i].kind, CARDAN_SHAPE_HULL);
    assert_int_equal(model->solid[i].pieces, n > 1 ? n : 0);
    assert_true(model->solid[i].off == 0);
  }
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
  return n;
}

// each format: the hull unless the file, or the user, requests pieces
static void formats(void **state)
{
  (void)state;
  static const char urdf[] = "<robot name='r'><link name='l'><collision><geometry><mesh "
                             "filename='l.obj'/></geometry></collision></link></robot>";
  assert_int_equal(solids_of(urdf, "r.urdf", 0), 1);
  assert_int_equal(solids_of(urdf, "r.urdf", 1), 1);
  assert_int_equal(solids_of(urdf, "r.urdf", 9), 2);
  assert_int_equal(solids_of(SDF_MESH("><uri>l.obj</uri>"), "r.sdf", 0), 1);
  assert_int_equal(solids_of(SDF_MESH("><uri>l.obj</uri>"), "r.sdf", 2), 2);
  static const char cut[] = SDF_MESH(" optimization='convex_decomposition'><uri>l.obj</uri>");
  assert_int_equal(solids_of(cut, "r.sdf", 0), 2);
  assert_int_equal(solids_of(cut, "r.sdf", 1), 1);
  static const char one[] = SDF_MESH(" optimization='convex_decomposition'><uri>l.obj</uri>"
                                     "<convex_decomposition><max_convex_hulls>1</max_convex_hulls>"
                                     "</convex_decomposition>");
  assert_int_equal(solids_of(one, "r.sdf", 0), 1);
  static const char mjcf[] = "<mujoco><asset><mesh name='l' file='l.obj'/></asset><worldbody>"
                             "<geom type='mesh' mesh='l'/></worldbody></mujoco>";
  assert_int_equal(solids_of(mjcf, "r.xml", 0), 1);
  assert_int_equal(solids_of(mjcf, "r.xml", 2), 2);
  assert_int_equal(solids_of("(system (tx 1 (solid mesh \"l.obj\")))", "r.mbs", 0), 1);
  assert_int_equal(solids_of("(system (tx 1 (solid mesh \"l.obj\" (convex 4))))", "r.mbs", 0), 2);
  assert_int_equal(
      solids_of("(system (tx 1 (solid mesh \"l.obj\" 1 2 -1 (convex 4 0.01) (round 0.02))))",
                "r.mbs", 0),
      2);
}

static void refused(void **state)
{
  (void)state;
  static const robot_wrong list[] = {
      {"(system (tx 1 (solid mesh \"l.obj\" (convex 0))))", 1, 35, "found 0 convex pieces"},
      {"(system (tx 1 (solid mesh \"l.obj\" (convex 2.5))))", 1, 35, "found 2.5 convex pieces"},
      {"(system (tx 1 (solid mesh \"l.obj\" (convex 65))))", 1, 35, "from 1 to 64"},
      {"(system (tx 1 (solid mesh \"l.obj\" (convex 4 -1))))", 1, 35, "expected 0 or more"},
      {"(system (tx 1 (solid mesh \"l.obj\" (convex 4) (convex 4))))", 1, 46, "(convex ..)"},
      {"(system (tx 1 (solid box 1 1 1 (convex 4))))", 1, 32, "expected one (material ..) or"},
  };
  robot_wrong_files(list, sizeof list / sizeof *list, "m.mbs", NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks),
      cmocka_unit_test(convex),
      cmocka_unit_test(rings),
      cmocka_unit_test(fine),
      cmocka_unit_test(any_triangles),
      cmocka_unit_test(too_many),
      cmocka_unit_test(memory_fails),
      cmocka_unit_test(cup_holds_a_ball),
      cmocka_unit_test(mass_is_that_of_the_mesh),
      cmocka_unit_test(formats),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
