// SPDX-License-Identifier: Apache-2.0
// Collisions of SDF: which touch, and how.
#include <stdio.h>
#include <string.h>

#include "robot_fixture.h"

#define BALL(surface)                                                                      \
  "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry>" surface \
  "</collision>"
#define LINK(name, z, more) "<link name='" name "'><pose>0 0 " z " 0 0 0</pose>" more "</link>"
#define MU(mu, e)                                                                     \
  "<surface><friction><ode><mu>" mu "</mu><mu2>" mu "</mu2></ode></friction><bounce>" \
  "<restitution_coefficient>" e "</restitution_coefficient></bounce></surface>"
#define HINGE(name, a, b)                                                                        \
  "<joint name='" name "' type='revolute'><parent>" a "</parent><child>" b "</child><axis><xyz>" \
  "1 0 0</xyz></axis></joint>"
#define GROUND                                                                                     \
  "<model name='ground'><static>true</static><link name='l'><collision name='c'><geometry><plane>" \
  "<normal>0 1 0</normal></plane></geometry></collision></link></model>"
#define CHAIN(more)                                                                       \
  "<model name='m'>" more LINK("a", "1", BALL(MU("0.3", "0.5"))) LINK("b", "2", BALL("")) \
      LINK("c", "3", BALL(MU("2", "1"))) HINGE("j", "a", "b") HINGE("k", "b", "c") "</model>"
#define WORLD(what) "<sdf version='1.9'><world name='w'>" what "</world></sdf>"

static cardan_model *load(const char *text)
{
  return robot_load(text, "m.sdf", NULL, 0);
}

// a ground with each; links of one model only where it is enabled, and no joint joins them
static void which(void **state)
{
  (void)state;
  cardan_model *model = load(WORLD(GROUND CHAIN("")));
  assert_int_equal(model->nsolid, 4);
  assert_int_equal(model->npair, 3);
  const cardan_pair *p = robot_pair(model, "m::a.c", "ground::l.c");
  assert_non_null(p);
  assert_true(p->friction == 0.3 && p->restitution == 0);
  p = robot_pair(model, "m::c.c", "ground::l.c");
  assert_true(p != NULL && p->friction == 1);
  // the plane's outside is along y
  const cardan_solid *plane = &model->solid[3];
  assert_int_equal(plane->kind, CARDAN_SHAPE_PLANE);
  assert_near(plane->X_BS.R.m[1][2], 1, 1e-15);
  assert_string_equal(model->defaults[0].value, "auto");
  cardan_model_destroy(model);
  model = load(WORLD(GROUND CHAIN("<self_collide>true</self_collide>")));
  assert_int_equal(model->npair, 4);
  p = robot_pair(model, "m::a.c", "m::c.c");
  assert_true(p != NULL && p->friction == 0.3 && p->restitution == 0.5);
  cardan_model_destroy(model);
}

static void bitmask(void **state)
{
  (void)state;
  cardan_model *model = load(WORLD("<model name='a'>" LINK(
      "l", "1",
      BALL(
          "<surface><contact><collide_bitmask>1</collide_bitmask>"
          "</contact></surface>")) "</model>"
                                   "<model name='b'>" LINK(
                                       "l", "2",
                                       BALL("<surface><contact><collide_bitmask>2</collide_bitmask>"
                                            "</contact></surface>")) "</model>"
                                                                     "<model name='c'>" LINK(
                                                                         "l", "3",
                                                                         BALL("")) "</model>"));
  assert_int_equal(model->npair, 2);
  assert_null(robot_pair(model, "a::l.c", "b::l.c"));
  cardan_model_destroy(model);
}

#define SHAPE(shape)                                                          \
  WORLD("<model name='m'><link name='l'><collision name='c'><pose>1 2 3 0 0 " \
        "0</pose><geometry>" shape "</geometry></collision></link></model>")

static void shapes(void **state)
{
  static const struct {
    const char *text;
    int kind; // -1: none
    double size[3];
  } list[] = {
      {SHAPE("<box><size>1 2 3</size></box>"), CARDAN_SHAPE_BOX, {1, 2, 3}},
      {SHAPE("<cylinder><radius>1</radius><length>4</length></cylinder>"),
       CARDAN_SHAPE_CYLINDER,
       {1, 4}},
      {SHAPE("<capsule><radius>1</radius><length>4</length></capsule>"),
       CARDAN_SHAPE_CAPSULE,
       {1, 4}},
      {SHAPE("<ellipsoid><radii>1 2 3</radii></ellipsoid>"), CARDAN_SHAPE_ELLIPSOID, {1, 2, 3}},
      {SHAPE("<mesh><uri>none.stl</uri></mesh>"), -1, {0}},
      {SHAPE("<heightmap/>"), -1, {0}},
      {SHAPE("<box><size>0 0 0</size></box>"), -1, {0}}};
  (void)state;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    cardan_model *model = load(list[i].text);
    assert_int_equal(model->nsolid, list[i].kind >= 0);
    if (strstr(list[i].text, "<heightmap/>") != NULL) {
      bool found = false;
      for (int k = 0; k < model->nwarning; k++) {
        found = found || strstr(model->warning[k], "touches nothing") != NULL;
      }
      assert_true(found);
    }
    if (list[i].kind >= 0) {
      assert_int_equal(model->solid[0].kind, list[i].kind);
      assert_near_vec(model->solid[0].size, list[i].size, list[i].size[2] > 0 ? 3 : 2, 0);
      assert_near(model->solid[0].X_BS.p.z, 3, 0);
    }
    cardan_model_destroy(model);
  }
}

// a tetrahedron in a file beside the model, scaled
static void mesh(void **state)
{
  static char name[] = "t.obj",
              text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  static const char world[] = SHAPE("<mesh><uri>t.obj</uri><scale>2 2 2</scale></mesh>");
  char *pairs[] = {name, text, NULL};
  const cardan_files files = robot_files(pairs);
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  (void)state;
  assert_int_equal(
      cardan_spec_read_files(world, strlen(world), "m.sdf", NULL, 0, &files, NULL, &spec, &report),
      CARDAN_OK);
  assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_OK);
  assert_int_equal(model->nsolid, 1);
  assert_int_equal(model->hull[0].nvertex, 4);
  assert_near(model->solid[0].radius, 2, 1e-12);
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
}

// -1 is infinite friction in Gazebo: the other solid's friction, where that is finite
static void infinite_friction(void **state)
{
  (void)state;
  cardan_model *model =
      load(WORLD("<model name='m'>" LINK("a", "1", BALL(MU("-1", "0")))
                     LINK("b", "2", BALL(MU("0.3", "0"))) LINK("c", "3", BALL(MU("-1", "0"))) //
                 "<self_collide>true</self_collide></model>"));
  const cardan_pair *p = robot_pair(model, "a.c", "b.c");
  assert_true(p != NULL && p->friction == 0.3);
  p = robot_pair(model, "a.c", "c.c");
  assert_true(p != NULL && p->friction == 10);
  int found = 0;
  for (int i = 0; i < model->nwarning; i++) {
    found += strstr(model->warning[i], "friction -1 is infinite in Gazebo") != NULL;
  }
  assert_int_equal(found, 1);
  cardan_model_destroy(model);
}

static void wrong(void **state)
{
  (void)state;
  static const robot_wrong list[] = {
      {"<sdf version='1.9'><model name='m'><link name='l'><collision name='c'><geometry><plane>"
       "<normal>0 0 0</normal></plane></geometry></collision></link></model></sdf>",
       1, 81, "normal"},
      {"<sdf version='1.9'><model name='m'><link name='l'>" BALL(MU("-2", "0")) "</link></model>"
                                                                                "</sdf>",
       1, 129, "friction -2"}};
  robot_wrong_files(list, sizeof list / sizeof *list, "m.sdf", NULL);
  assert_true(
      robot_no_memory(WORLD(GROUND CHAIN("<self_collide>1</self_collide>")), "m.sdf", NULL) > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(which), cmocka_unit_test(bitmask),           cmocka_unit_test(shapes),
      cmocka_unit_test(mesh),  cmocka_unit_test(infinite_friction), cmocka_unit_test(wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
