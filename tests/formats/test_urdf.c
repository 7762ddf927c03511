// SPDX-License-Identifier: Apache-2.0
// Robots as URDF: the same as the model file says by hand, and what is wrong with one at its place.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/data.h"
#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "cardan/load.h"
#include "cardan/sim.h"
#include "robot_fixture.h"
#include "spatial/se3.h"

enum { MOST = 12 };

/* Mass matrix at q = 0.3, -0.2, 0.4, ..; zero coordinates of a quaternion stay as they are. */
static void mass_matrix(const cardan_model *model, double *M)
{
  cardan_data *data = NULL;
  assert_true(model->nv <= MOST);
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  for (int k = 0; k < model->nq && model->nq == model->nv; k++) {
    data->q[k] = (k % 2 == 0 ? 0.3 : -0.2) + 0.05 * k;
  }
  cardan_kinematics(model, data);
  cardan_crba(model, data, M);
  cardan_data_destroy(data);
}

static void same_masses(const cardan_model *a, const cardan_model *b)
{
  double A[MOST * MOST] = {0}, B[MOST * MOST] = {0};
  assert_int_equal(a->nv, b->nv);
  mass_matrix(a, A);
  mass_matrix(b, B);
  // the same operations on the same numbers, in another order where frames are nested otherwise
  assert_near_vec(A, B, a->nv * a->nv, 1e-14 * (1 + support_max_abs(A, a->nv * a->nv)));
}

static const char arm[] =
    "<?xml version='1.0'?>\n"
    "<robot name='arm'>\n"
    "  <material name='blue'><color rgba='0 0 1 1'/></material>\n"
    "  <link name='floor'/>\n"
    "  <link name='upper'>\n"
    "    <inertial><origin xyz='0.1 0 -0.2' rpy='0.3 0 0'/><mass value='2'/>\n"
    "      <inertia ixx='0.02' iyy='0.03' izz='0.01' ixy='0.001' ixz='0' iyz='0'/></inertial>\n"
    "    <visual><geometry><box size='0.1 0.1 0.4'/></geometry><material name='blue'/></visual>\n"
    "  </link>\n"
    "  <link name='plate'><inertial><mass value='0.5'/></inertial></link>\n"
    "  <link name='lower'>\n"
    "    <inertial><origin xyz='0 0 -0.3'/><mass value='1'/>\n"
    "      <inertia ixx='0.01' iyy='0.01' izz='0.002' ixy='0' ixz='0' iyz='0'/></inertial>\n"
    "  </link>\n"
    "  <link name='finger'><inertial><origin xyz='0 0.1 0'/><mass value='0.2'/></inertial></link>\n"
    "  <joint name='shoulder' type='revolute'><parent link='floor'/><child link='upper'/>\n"
    "    <origin xyz='0 0 1' rpy='0 0 0.5'/><axis xyz='0 1 0'/>\n"
    "    <limit lower='-1' upper='2' effort='5' velocity='1'/><dynamics damping='0.1'/></joint>\n"
    "  <joint name='glue' type='fixed'><parent link='upper'/><child link='plate'/>\n"
    "    <origin xyz='0 0.2 -0.4'/></joint>\n"
    "  <joint name='elbow' type='continuous'><parent link='upper'/><child link='lower'/>\n"
    "    <origin xyz='0 0 -0.4'/></joint>\n"
    "  <joint name='slide' type='prismatic'><parent link='lower'/><child link='finger'/>\n"
    "    <axis xyz='0 0 2'/></joint>\n"
    "</robot>\n";

/* The same by hand. */
static const char arm_by_hand[] =
    "(system \"arm\" (gravity 0 0 -9.81)"
    " (place (0 0 1) (rpy 0 0 0.5) (joint revolute \"shoulder\" (axis 0 1 0) (name \"upper\")"
    "  (place (0.1 0 -0.2) (rpy 0.3 0 0) (mass 2 0.02 0.03 0.01 0.001 0 0))"
    "  (place (0 0.2 -0.4) (mass 0.5))"
    "  (place (0 0 -0.4) (joint revolute \"elbow\" (axis 1 0 0)"
    "   (place (0 0 -0.3) (mass 1 0.01 0.01 0.002))"
    "   (joint prismatic \"slide\" (axis 0 0 1) (place (0 0.1 0) (mass 0.2))))))))";

static void as_by_hand(void **state)
{
  (void)state;
  cardan_model *robot = robot_load(arm, "arm.urdf", NULL, 0),
               *hand = robot_load(arm_by_hand, "m", NULL, 0);
  assert_string_equal(robot->name, "arm");
  assert_int_equal(robot->nv, 3);
  assert_true(robot->joint[cardan_model_q(robot, "shoulder")].has_limit);
  assert_int_equal(robot->nforce, 1); // the damping
  same_masses(robot, hand);
  cardan_model_destroy(hand);
  cardan_model_destroy(robot);
}

static void round_trip(void **state)
{
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  char *text = NULL;
  (void)state;
  assert_int_equal(cardan_spec_read(arm, strlen(arm), "arm.urdf", NULL, 0, NULL, &spec, &report),
                   CARDAN_OK);
  assert_int_equal(cardan_spec_write(spec, "arm.mbs", &text), CARDAN_OK);
  cardan_model *robot = robot_load(arm, "arm.urdf", NULL, 0),
               *again = robot_load(text, "arm.mbs", NULL, 0);
  same_masses(robot, again);
  cardan_free_text(NULL, text);
  cardan_spec_destroy(spec);
  cardan_model_destroy(again);
  cardan_model_destroy(robot);
}

static void bases(void **state)
{
  const cardan_setting loose = {"base", 1}, fixed = {"base", 0};
  static const char body[] = "<robot name='r'><link name='a'><inertial><mass value='3'/>"
                             "<inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>";
  (void)state;
  cardan_model *free_base = robot_load(body, "r.urdf", &loose, 1),
               *said = robot_load(body, "r.urdf", &fixed, 1),
               *held = robot_load(body, "r.urdf", NULL, 0);
  assert_int_equal(free_base->nv, 6);
  assert_int_equal(held->nv, 0);
  assert_int_equal(held->nwarning, 1); // its mass is of no use
  assert_int_equal(said->nwarning, 0); // as was requested
  // a root link "world" is the world, whatever its base is to be
  static const char rooted[] = "<robot name='r'><joint name='j' type='fixed'><parent link='world'/>"
                               "<child link='a'/></joint><link name='a'/></robot>";
  cardan_model *world = robot_load(rooted, "r.urdf", &loose, 1);
  assert_int_equal(world->nv, 0);
  assert_int_equal(world->nwarning, 1);
  assert_non_null(strstr(world->warning[0], "base free has no effect: the root link \"world\" is"));
  cardan_model_destroy(world);
  cardan_model_destroy(said);
  cardan_model_destroy(held);
  cardan_model_destroy(free_base);
}

/* q2 = 2 q1 + 0.5, given before the joint that it follows; and a world that the file names only. */
static void mimic(void **state)
{
  static const char pair[] =
      "<robot name='r'><link name='a'><inertial><mass value='1'/><origin xyz='0 0 1'/></inertial>"
      "</link><link name='b'><inertial><mass value='1'/><origin xyz='0 0 1'/></inertial></link>"
      "<joint name='q2' type='continuous'><parent link='a'/><child link='b'/>"
      "<mimic joint='q \"1\"' multiplier='2' offset='0.5'/></joint>"
      "<joint name='q \"1\"' type='continuous'><parent link='world'/><child link='a'/></joint>"
      "</robot>";
  (void)state;
  cardan_model *model = robot_load(pair, "r.urdf", NULL, 0);
  assert_int_equal(model->nrow, 1);
  assert_int_equal(model->rank, 1);
  assert_int_equal(model->nv, 2);
  cardan_model_destroy(model);
}

/* A robot without masses has places and velocities; every method refuses it, by its joint. */
static void kinematics_only(void **state)
{
  static const char text[] =
      "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>\n"
      "<joint name='lift' type='prismatic'><parent link='a'/><child link='b'/>"
      "<axis xyz='0 0 1'/></joint>\n"
      "<joint name='turn' type='continuous'><parent link='b'/><child link='c'/>"
      "<origin xyz='1 0 0'/><axis xyz='0 0 1'/><mimic joint='lift' multiplier='2'/></joint>"
      "</robot>";
  (void)state;
  cardan_model *model = robot_load(text, "r.urdf", NULL, 0);
  cardan_data *data = NULL;
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  data->q[0] = 0.25;
  data->q[1] = 0.5;
  cardan_kinematics(model, data);
  const cardan_frame *tip = &model->frame[cardan_model_frame(model, "c")];
  const cardan_xform X = cardan__xform_mul(&data->X_W[tip->body], &tip->X_BF);
  assert_near(X.p.z, 0.25, 1e-15);
  assert_near(X.R.m[0][0], cos(0.5), 1e-15);
  assert_int_equal(model->mobility, 1);
  assert_int_equal(cardan_model_dynamic(model, &report), CARDAN_ERR_MODEL);
  assert_int_equal(report.pos.line, 2);
  for (int i = 0; cardan_method_name(i) != NULL; i++) {
    cardan_options options = cardan_options_defaults();
    cardan_sim *sim = NULL;
    options.method = cardan_method_name(i);
    report.message[0] = '\0';
    assert_int_equal(cardan_sim_create(model, &options, NULL, &sim, &report), CARDAN_ERR_MODEL);
    assert_non_null(strstr(report.message, "no mass under \"lift\""));
  }
  assert_int_equal(cardan_forward(model, data, 0, 0), CARDAN_ERR_NOT_POSDEF);
  cardan_data_destroy(data);
  cardan_model_destroy(model);
}

/* Collisions are solids, hidden behind visuals, and touch nothing until a floor is there. */
static void collisions(void **state)
{
  static const char text[] =
      "<robot name='r'><link name='a'><visual><geometry><sphere radius='1'/></geometry></visual>"
      "<collision name='hit'><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry>"
      "</collision><inertial><mass value='1'/></inertial></link>"
      "<link name='b'><collision><geometry><cylinder radius='1' length='2'/></geometry></collision>"
      "<collision><geometry><mesh filename='none.stl'/></geometry></collision>"
      "<inertial><mass value='1'/></inertial></link>"
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
      "<gazebo reference='b'><mu1>0.8</mu1></gazebo></robot>";
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  (void)state;
  assert_int_equal(cardan_spec_read(text, strlen(text), "r.urdf", NULL, 0, NULL, &spec, &report),
                   CARDAN_OK);
  assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_OK);
  assert_int_equal(model->nsolid, 2);
  assert_int_equal(model->npair, 0);
  int missing = 0;
  for (int i = 0; i < model->nwarning; i++) {
    missing += strstr(model->warning[i], "none.stl") != NULL;
  }
  assert_int_equal(missing, 1);
  cardan_model_destroy(model);
  cardan_spec_floor(spec, -4);
  assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_OK);
  assert_int_equal(model->npair, 1); // the base is fixed to the world
  assert_string_equal(model->solid[model->pair[0].solid[0]].name, "b");
  assert_near(model->pair[0].friction, sqrt(0.8 * 0.5), 1e-15);
  for (int i = 0; i < model->nsolid; i++) {
    const bool hit = strcmp(model->solid[i].name, "a") == 0;
    assert_true(model->shape[model->solid[i].shape].hidden == hit);
  }
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
}

/* What is not understood is reported once for each kind, at its first place. */
static void unread(void **state)
{
  static const char text[] =
      "<robot name='r'>\n<link name='a'/>\n<gazebo/>\n<link name='b'>\n<collision/><collision/>\n"
      "<inertial><mass value='1'/><origin xyz='0 0 1'/></inertial></link>\n"
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>\n"
      "<limit velocity='3'/></joint></robot>";
  (void)state;
  cardan_model *model = robot_load(text, "r.urdf", NULL, 0);
  assert_int_equal(model->nwarning, 3);
  assert_string_equal(model->warning[0], "line 3: gazebo is not used");
  assert_string_equal(model->warning[1], "line 5: collision is not used, here and in 1 more place");
  assert_string_equal(model->warning[2], "line 8: limit's velocity is not used");
  cardan_model_destroy(model);
  cardan_spec *spec = NULL; // asked to be strict, an error at the first of them
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_spec_read(text, strlen(text), "r.urdf", NULL, 0, NULL, &spec, &report),
                   CARDAN_OK);
  assert_int_equal(cardan_spec_strict(spec, &report), CARDAN_ERR_MODEL);
  assert_int_equal(report.pos.line, 3);
  assert_string_equal(report.file, "r.urdf");
  cardan_spec_destroy(spec);
}

#define TWO                                                                        \
  "<robot name='r'><link name='a'/><link name='b'><inertial><origin xyz='0 0 1'/>" \
  "<mass value='1'/></inertial></link>"

/* dynamics, effort and a transmission, as a model file says them. */
static void drives(void **state)
{
  static const char text[] = TWO
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
      "<limit effort='12' velocity='1'/><dynamics damping='0.1' friction='0.2'/></joint>"
      "<transmission name='t'><type>transmission_interface/SimpleTransmission</type>"
      "<joint name='j'><hardwareInterface>EffortJointInterface</hardwareInterface></joint>"
      "<actuator name='m'><mechanicalReduction>-3</mechanicalReduction></actuator></transmission>"
      "</robot>";
  static const char hand[] =
      "(system \"r\" (gravity 0 0 -9.81) (joint revolute \"j\" (axis 1 0 0) (effort 12)"
      " (tz 1 (mass 1))) (input \"j\") (damping \"j\" 0.1) (dry-friction \"j\" 0.2)"
      " (actuator \"j\" \"j\" \"j\" (gear -3) (limit -4 4)))";
  (void)state;
  cardan_model *robot = robot_load(text, "r.urdf", NULL, 0),
               *by_hand = robot_load(hand, "m", NULL, 0);
  assert_int_equal(robot->ninput, 1);
  assert_string_equal(robot->input[0].name, "j");
  assert_int_equal(robot->nforce, by_hand->nforce);
  assert_near(robot->joint[0].effort, 12, 0);
  for (int i = 0; i < robot->nforce; i++) {
    const cardan_force_element *a = &robot->force[i], *b = &by_hand->force[i];
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->input, b->input);
    for (int k = 0; k < 6; k++) {
      assert_near(a->value[k], b->value[k], 0);
    }
  }
  assert_int_equal(robot->nwarning, 1); // the velocity
  cardan_model_destroy(by_hand);
  cardan_model_destroy(robot);
}

/* Transmissions other than one gear to one joint are reported; old files' reductions are found. */
static void odd_transmissions(void **state)
{
  static const char text[] = TWO
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>\n"
      "<transmission type='DifferentialTransmission'><joint name='j'/></transmission>\n"
      "<transmission type='pr2/SimpleTransmission'><actuator name='m'/><joint name='j'/>"
      "<mechanicalReduction>7</mechanicalReduction></transmission>\n"
      "<transmission><joint name='j'/></transmission><transmission><joint name='x'/></transmission>"
      "</robot>";
  (void)state;
  cardan_model *model = robot_load(text, "r.urdf", NULL, 0);
  assert_int_equal(model->nforce, 1);
  assert_near(model->force[0].value[0], 7, 0);
  assert_int_equal(model->nwarning, 1);
  assert_string_equal(model->warning[0],
                      "line 2: transmission is not used, here and in 2 more places");
  cardan_model_destroy(model);
}

/* Across any axis: the child stands where the joint is at q = 0, and moves in the plane. */
static void planar(void **state)
{
  static const char *const axes[] = {"0 0 1", "0 0 -2", "1 0 0", "0 -3 0", "1 2 2"};
  static const double across[][3] = {
      {0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {0, -1, 0}, {1.0 / 3, 2.0 / 3, 2.0 / 3}};
  (void)state;
  for (int i = 0; i < 5; i++) {
    char text[600];
    cardan_data *data = NULL;
    snprintf(text, sizeof text,
             TWO "<joint name='p' type='planar'><parent link='a'/><child link='b'/>"
                 "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><axis xyz='%s'/></joint></robot>",
             axes[i]);
    cardan_model *model = robot_load(text, "r.urdf", NULL, 0);
    assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
    cardan_xform X[2];
    const cardan_frame *b = &model->frame[cardan_model_frame(model, "b")];
    for (int k = 0; k < 2; k++) {
      for (int n = 0; n < 3; n++) {
        data->q[n] = k * (0.3 + 0.1 * n);
      }
      cardan_kinematics(model, data);
      X[k] = cardan__xform_mul(&data->X_W[b->body], &b->X_BF);
    }
    // R = Rz(0.3) Ry(0.2) Rx(0.1), its entry 2 0
    assert_near(X[0].R.m[2][0], -sin(0.2), 1e-14);
    assert_near(X[0].p.z, 3, 1e-14);
    const cardan_vec3 axis = {across[i][0], across[i][1], across[i][2]},
                      moved = cardan__vec3_sub(X[1].p, X[0].p);
    const cardan_vec3 n = cardan__mat3_mulv(&X[0].R, axis);
    assert_near(cardan__vec3_dot(n, moved), 0, 1e-14);
    assert_near(cardan__vec3_norm(moved), 0.5, 1e-14); // 0.3 and 0.4
    cardan_data_destroy(data);
    cardan_model_destroy(model);
  }
}

/* Meshes are kept where they can be found again, with their scale; others are reported. */
static void meshes(void **state)
{
  static const char text[] =
      "<robot name='r'><link name='a'>"
      "<visual><geometry><mesh filename='package://r/a.stl' scale='0.001 0.001 -0.001'/></geometry>"
      "</visual><visual><geometry><mesh filename='parts/b.obj'/></geometry></visual>"
      "<visual><geometry><mesh filename='../b.obj'/></geometry></visual>"
      "<visual><geometry><mesh filename='file:///b.obj'/></geometry></visual></link></robot>";
  (void)state;
  cardan_model *model = robot_load(text, "r.urdf", NULL, 0);
  assert_int_equal(model->nshape, 2);
  assert_string_equal(model->shape[0].file, "package://r/a.stl");
  assert_near(model->shape[0].size[2], -0.001, 0);
  assert_near(model->shape[1].size[2], 1, 0);
  assert_int_equal(model->nwarning, 1);
  assert_non_null(strstr(model->warning[0], "mesh is not used, here and in 1 more place"));
  cardan_model_destroy(model);
}

#define LOOK(geometry, more) "<visual><geometry>" geometry "</geometry>" more "</visual>"
#define LIMIT(name, more)                                                         \
  "<joint name='" name "' type='revolute'>\n<parent link='a'/><child link='" name \
  "'/><limit " more "/></joint>"

/* Visuals and limits as files in use have them: unsupported ones are reported. */
static void as_in_use(void **state)
{
  (void)state;
  cardan_model *model = robot_load(
      "<robot name=''><link name='a'>" LOOK("<box size='0 0 0'/>", "") LOOK("<box/>", "")
          LOOK("<sphere radius='0'/>", "") LOOK("<mesh filename='m.stl' scale='1 1 1 1'/>", "")
              LOOK("<sphere radius='1'/>",
                   "<material name='m'><color rgba='1 0 "
                   "0'/></material>") "</link><link name='i'/><link "
                                      "name='o'/><link "
                                      "name='s'/>" LIMIT("i", "lower='-inf' upper='inf' "
                                                              "effort='inf' velocity='inf'")
                                          LIMIT("o", "lower='-inf' upper='1'")
                                              LIMIT("s", "lower='2' "
                                                         "upper='1'") "</"
                                                                      "robot"
                                                                      ">",
      "r.urdf", NULL, 0);
  assert_int_equal(model->nv, 3);
  assert_false(model->joint[0].has_limit || model->joint[2].has_limit);
  assert_true(model->joint[1].has_limit && model->joint[1].limit[0] == -1e16);
  assert_near(model->joint[1].limit[1], 1, 0);
  assert_near(model->joint[0].effort, 0, 0);
  bool box = false, rises = false, sphere = false, mesh = false;
  for (int i = 0; i < model->nwarning; i++) {
    box = box || strstr(model->warning[i], "box is not used, here and in 1 more place") != NULL;
    sphere = sphere || strstr(model->warning[i], "sphere is not used") != NULL;
    mesh = mesh || strstr(model->warning[i], "mesh is not used") != NULL;
    rises = rises || strstr(model->warning[i], "the limit of joint \"s\" does not rise") != NULL;
  }
  assert_true(box && rises && sphere && mesh);
  cardan_model_destroy(model);
}

#define LINKS "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n"
#define JOINT(more) LINKS "<joint name='j' type='revolute'>" more "</joint>\n</robot>"
#define ENDS "<parent link='a'/><child link='b'/>"

static const robot_wrong bad[] = {
    {"", 1, 1, "not well-formed"},
    {"<robot>", 1, 8, "not well-formed"},
    {"<robot><link name='a'></robot>", 1, 25, "not well-formed"},
    {"<robot>\n<link name='a'>\n</robot>", 3, 3, "<link> of line 2 is still open"},
    {"<robot>\n<link name='a'>\n", 3, 1, "<link> of line 2 is still open"},
    {"robot", 1, 1, "not well-formed"},
    {"<!DOCTYPE r [<!ENTITY a 'b'>]><robot name='&a;'/>", 1, 25, "entities"},
    {"<sdf/>", 1, 1, "expected <robot>"},
    {"<robot name='r'/>", 1, 1, "no link"},
    {"<robot name='r'>\n <link/></robot>", 2, 2, "without \"name\""},
    {"<robot>\n<link name='a'/>\n<link name='a'/></robot>", 3, 1, "two links \"a\""},
    {"<robot>\n<link name=''/></robot>", 2, 1, "empty"},
    {LINKS "</robot>", 3, 1, "expected one root link"},
    {JOINT(""), 4, 1, "without <parent>"},
    {JOINT("<parent link='a'/>"), 4, 1, "without <child>"},
    {JOINT("<parent/><child link='b'/>"), 4, 33, "without \"link\""},
    {JOINT("<parent link='a'/><child link='bb'/>"), 4, 51, "no link \"bb\"; did you mean \"b\"?"},
    {JOINT("<parent link='a'/><child link='a'/>"), 2, 1, "form a cycle"},
    {LINKS "<joint name='j' type='hinge'>" ENDS "</joint></robot>", 4, 1, "type \"hinge\""},
    {LINKS "<joint name='j'>" ENDS "</joint></robot>", 4, 1, "without \"type\""},
    {LINKS "<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='j' type='fixed'>" ENDS
           "</joint></robot>",
     5, 1, "two joints \"j\""},
    {LINKS "<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='k' type='fixed'>" ENDS
           "</joint></robot>",
     5, 1, "child of two joints"},
    {LINKS "<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='k' type='fixed'>"
           "<parent link='b'/><child link='a'/></joint></robot>",
     1, 1, "no link is the root"},
    {JOINT(ENDS "<axis xyz='0 0 0'/>"), 4, 68, "expected a direction"},
    {JOINT(ENDS "<axis xyz='0 1'/>"), 4, 68, "expected 3 numbers"},
    {JOINT(ENDS "<axis xyz='0 1 x'/>"), 4, 68, "expected 3 numbers"},
    {JOINT(ENDS "<origin xyz='1 2 3 4'/>"), 4, 68, "expected 3 numbers"},
    {JOINT(ENDS "<origin xyz='1 2 nan'/>"), 4, 68, "expected 3 numbers"},
    {JOINT(ENDS "<origin xyz='1 2 1e999'/>"), 4, 68, "expected 3 numbers"},
    {JOINT(ENDS "<limit lower='low'/>"), 4, 68, "expected 1 number"},
    {JOINT(ENDS "<mimic joint='k'/>"), 4, 68, "no joint \"k\""},
    {JOINT(ENDS "<mimic/>"), 4, 68, "without \"joint\""},
    {JOINT(ENDS "<mimic joint='j'/>"), 4, 68, "mimics itself"},
    {LINKS "<link name='c'/><joint name='j' type='revolute'>" ENDS "<mimic joint='k'/></joint>\n"
           "<joint name='k' type='revolute'><parent link='b'/><child link='c'/>"
           "<mimic joint='j'/></joint></robot>",
     4, 84, "one that mimics it"},
    {LINKS "<link name='c'/><joint name='j' type='floating'>" ENDS "</joint>\n"
           "<joint name='k' type='revolute'><parent link='b'/><child link='c'/>"
           "<mimic joint='j'/></joint></robot>",
     5, 68, "more than one coordinate"},
    {JOINT(ENDS "<limit effort='much'/>"), 4, 68, "expected 1 number"},
    {JOINT(ENDS "<dynamics friction='-1'/>"), 4, 68, "expected none below 0"},
    {JOINT(ENDS "<dynamics damping='-1'/>"), 4, 68, "expected none below 0"},
    {LINKS "<joint name='j' type='revolute'>" ENDS "</joint>\n<transmission><joint name='j'/>"
           "<mechanicalReduction>0</mechanicalReduction></transmission></robot>",
     5, 32, "not 0"},
    {JOINT(ENDS "<xacro:insert/>"), 4, 68, "run xacro"},
    {"<robot>\n<link name='a'>\n<inertial/></link></robot>", 3, 1, "without <mass>"},
    {"<robot>\n<link name='a'>\n<inertial><mass vaule='1'/></inertial></link></robot>", 3, 11,
     "without \"value\""},
    {"<robot>\n<link name='a'>\n<inertial><mass value='-1'/></inertial></link></robot>", 3, 1,
     "mass -1 kg"},
    {"<robot>\n<link name='a'><inertial><mass value='1'/>\n<inertia ixx='-1'/></inertial></link>"
     "</robot>",
     2, 16, "principal moment"},
    {"<robot>\n<link name='a'><visual><geometry>\n<sphere radius='-1'/></geometry></visual></link>"
     "</robot>",
     2, 16, "expected"},
};

static void wrong_files(void **state)
{
  (void)state;
  robot_wrong_files(bad, sizeof bad / sizeof *bad, "r.urdf", NULL);
}

/* Depth is bounded, by a sentence. */
static void too_deep(void **state)
{
  enum { DEPTH = 2000 };
  static char text[8 * DEPTH];
  size_t n = 0;
  (void)state;
  for (int i = 0; i < DEPTH; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "<r>");
  }
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  assert_int_equal(cardan_spec_read(text, n, "r.urdf", NULL, 0, NULL, &spec, &report),
                   CARDAN_ERR_SYNTAX);
  assert_non_null(strstr(report.message, "too deep"));
}

static void no_memory(void **state)
{
  (void)state;
  assert_true(robot_no_memory(arm, "arm.urdf", NULL) > 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_by_hand),  cmocka_unit_test(round_trip),
      cmocka_unit_test(bases),       cmocka_unit_test(kinematics_only),
      cmocka_unit_test(drives),      cmocka_unit_test(odd_transmissions),
      cmocka_unit_test(planar),      cmocka_unit_test(meshes),
      cmocka_unit_test(mimic),       cmocka_unit_test(collisions),
      cmocka_unit_test(unread),      cmocka_unit_test(as_in_use),
      cmocka_unit_test(wrong_files), cmocka_unit_test(too_deep),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
