// SPDX-License-Identifier: Apache-2.0
// Models as SDF that include those of other files.
#include <string.h>

#include "robot_fixture.h"

static char folder_config[] = "<model><sdf version='1.4'>old.sdf</sdf><sdf>new.sdf</sdf></model>";
static char folder_model[] =
    "<sdf version='1.6'><model name='leg'><link name='l'><pose>1 0 0 0 0 0</pose></link>"
    "<include><uri>foot.sdf</uri></include></model></sdf>";
static char foot_model[] =
    "<sdf version='1.6'><model name='foot'>\n<link name='f'/><plugin/>"
    "<joint name='j' type='fixed'>\n<parent>world</parent><child>f</child></joint></model></sdf>";
static char bad_model[] = "<sdf version='1.6'><model name='leg'>\n <link/></model></sdf>";
static char robot[] = "<robot name='r'/>";
static char lamp[] = "<sdf version='1.6'><light name='l'/></sdf>";
static char self_model[] =
    "<sdf version='1.6'><model name='s'><include><uri>self.sdf</uri></include></model></sdf>";
static char drawn_model[] =
    "<sdf version='1.6'><model name='m'><link name='l'><inertial/>"
    "<visual name='a'><geometry><mesh><uri>meshes/a.stl</uri><scale>1 2 "
    "-3</scale></mesh></geometry>"
    "</visual><visual name='b'><geometry><mesh><uri>model://leg/b.obj</uri></mesh></geometry>"
    "</visual><visual name='c'><geometry><mesh><uri>../c.obj</uri></mesh></geometry>"
    "</visual><visual name='d'><geometry><mesh><uri>d.obj</uri><submesh><name>e</name></submesh>"
    "</mesh></geometry></visual></link></model></sdf>";
static char *files_given[] = {"model://leg/model.config",
                              folder_config,
                              "model://leg/new.sdf",
                              folder_model,
                              "model://leg/foot.sdf",
                              foot_model,
                              "robot.sdf",
                              robot,
                              "lamp.sdf",
                              lamp,
                              "model://drawn/m.sdf",
                              drawn_model,
                              "bad.sdf",
                              bad_model,
                              "self.sdf",
                              self_model,
                              NULL};

static cardan_status include(const char *text, const cardan_allocator *allocator,
                             cardan_model **model, cardan_report *report)
{
  const cardan_files files = robot_files(files_given);
  cardan_spec *spec = NULL;
  cardan_status status = cardan_spec_read_files(text, strlen(text), "main.sdf", NULL, 0, &files,
                                                allocator, &spec, report);
  if (status == CARDAN_OK) {
    status = cardan_model_build(spec, allocator, model, report);
    cardan_spec_destroy(spec);
  }
  return status;
}

#define INCLUDE(uri, more)                                                                       \
  "<sdf version='1.9'><world name='w'>\n<include><uri>" uri "</uri>" more "</include></world></" \
  "sdf>"

static void included(void **state)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  (void)state;
  assert_int_equal(include(INCLUDE("model://leg", "<name>left</name><pose>0 2 0 0 0 0</pose>"
                                                  "<placement_frame>l</placement_frame>"),
                           NULL, &model, &report),
                   CARDAN_OK);
  robot_assert_at(model, "l", 0, 2, 0);
  robot_assert_at(model, "foot::f", -1, 2, 0);
  assert_int_equal(model->nv, 6); // the foot stands on the ground
  assert_int_equal(model->nwarning, 2);
  cardan_model_destroy(model);
  assert_int_equal(include(INCLUDE("model://leg", "<static>1</static>"), NULL, &model, &report),
                   CARDAN_OK);
  assert_int_equal(model->nv, 0);
  cardan_model_destroy(model);
}

/* Meshes of visuals are named from the file's folder; outside files and parts are reported. */
static void meshes(void **state)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  (void)state;
  for (int i = 0; i < 2; i++) {
    assert_int_equal(
        include(i == 0 ? drawn_model : INCLUDE("model://drawn/m.sdf", ""), NULL, &model, &report),
        CARDAN_OK);
    assert_int_equal(model->nshape, 2);
    assert_int_equal(model->shape[0].kind, CARDAN_SHAPE_MESH);
    assert_string_equal(model->shape[0].file,
                        i == 0 ? "meshes/a.stl" : "model://drawn/meshes/a.stl");
    assert_near(model->shape[0].size[1], 2, 0);
    assert_near(model->shape[0].size[2], -3, 0);
    assert_string_equal(model->shape[1].file, "model://leg/b.obj");
    assert_near(model->shape[1].size[0], 1, 0);
    bool told = false;
    for (int k = 0; k < model->nwarning; k++) {
      told = told || strstr(model->warning[k], "here and in 1 more place");
    }
    assert_true(told);
    cardan_model_destroy(model);
  }
}

/* A world's light and ground are no models that move: without them it is the same. */
static void scenery(void **state)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  (void)state;
  assert_int_equal(
      include("<sdf version='1.6'><world name='w'>"
              "<include><uri>model://sun</uri></include>"
              "<include><uri>model://ground_plane</uri></include>"
              "<include><uri>https://h/1.0/O/models/Ground Plane</uri></include>"
              "<include><uri>https://h/1.0/o/models/sun</uri></include>"
              "<include><uri>lamp.sdf</uri></include>"
              "<model name='m'><link name='l'><inertial/>"
              "<visual name='v'><geometry><box><size>0 0 0</size></box></geometry></visual>"
              "</link></model></world></sdf>",
              NULL, &model, &report),
      CARDAN_OK);
  assert_int_equal(model->nv, 6);
  assert_int_equal(model->nwarning, 7);
  assert_true(cardan_model_frame(model, "l") > 0);
  cardan_model_destroy(model);
}

/* Contents of a file as if they stood in the model; joints of the world between models. */
static void merged(void **state)
{
  static const char text[] =
      "<sdf version='1.10'><world name='w'><model name='a'>"
      "<include merge='true'><uri>model://leg/foot.sdf</uri><pose>0 0 1 0 0 0</pose></include>"
      "<link name='l'><pose relative_to='f'>0 0 1 0 0 0</pose></link></model>"
      "<model name='b'><link name='l'/></model>"
      "<joint name='k' type='revolute'><parent>a::l</parent><child>b::l</child>"
      "<axis><xyz>0 1 0</xyz><drake:rotor_inertia>0.1</drake:rotor_inertia>"
      "<drake:gear_ratio>3</drake:gear_ratio></axis></joint></world></sdf>";
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  (void)state;
  if (include(text, NULL, &model, &report) != CARDAN_OK) {
    fail_msg("%s:%d:%d: %s", report.file, report.pos.line, report.pos.column, report.message);
  }
  robot_assert_at(model, "a::f", 0, 0, 1);
  robot_assert_at(model, "a::l", 0, 0, 2);
  assert_int_equal(model->nv, 7); // two links and a hinge; the foot is fixed
  assert_near(model->armature[cardan_model_v(model, "k")], 0.9, 1e-15);
  cardan_model_destroy(model);
}

static void wrong_includes(void **state)
{
  static const struct {
    const char *text, *file;
    int line, column;
    const char *part;
  } cases[] = {
      {INCLUDE("model://arm", ""), "main.sdf", 2, 10, "model://arm/model.sdf"},
      {INCLUDE("none.sdf", ""), "main.sdf", 2, 10, "none.sdf"},
      {INCLUDE("robot.sdf", ""), "robot.sdf", 1, 1, "found <robot>, expected <sdf>"},
      {INCLUDE("bad.sdf", ""), "bad.sdf", 2, 2, "without \"name\""},
      {INCLUDE("self.sdf", ""), "self.sdf", 1, 45, "being read"},
      {INCLUDE("model://leg", "<placement_frame>no</placement_frame>"), "model://leg/new.sdf", 1,
       20, "no \"no\""},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_report report = {.message = ""};
    cardan_model *model = NULL;
    assert_int_not_equal(include(cases[i].text, NULL, &model, &report), CARDAN_OK);
    if (strcmp(report.file, cases[i].file) != 0 || report.pos.line != cases[i].line ||
        report.pos.column != cases[i].column || strstr(report.message, cases[i].part) == NULL) {
      fail_msg("%s\nfound %s:%d:%d: %s", cases[i].text, report.file, report.pos.line,
               report.pos.column, report.message);
    }
  }
}

static cardan_status include_leg(const cardan_allocator *allocator, void *user)
{
  cardan_model *model = NULL;
  (void)user;
  const cardan_status status = include(INCLUDE("model://leg", ""), allocator, &model, NULL);
  cardan_model_destroy(model);
  return status;
}

static void no_memory(void **state)
{
  (void)state;
  assert_true(support_fail_each(include_leg, NULL) > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(included), cmocka_unit_test(meshes),         cmocka_unit_test(scenery),
      cmocka_unit_test(merged),   cmocka_unit_test(wrong_includes), cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
