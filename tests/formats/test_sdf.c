// SPDX-License-Identifier: Apache-2.0
// Models as SDF: the same motions as the model file written by hand, frames at the given places
// be. Other files: test_sdf_files.c; what is wrong with one: test_sdf_errors.c.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/data.h"
#include "cardan/kinematics.h"
#include "cardan/load.h"
#include "cardan/sim.h"
#include "robot_fixture.h"

static cardan_model *sdf(const char *text)
{
  return robot_load(text, "model.sdf", NULL, 0);
}

enum { MOST = 20 };

/* Coordinates and velocities after a quarter of a second, in that many steps. */
static void after(const cardan_model *model, const char *method, int steps, double *q, double *v)
{
  cardan_options o = cardan_options_defaults();
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  o.method = method;
  o.dt = 0.25 / steps;
  assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
  for (int i = 0; i < steps; i++) {
    assert_int_equal(cardan_sim_step(sim, &report), CARDAN_OK);
  }
  const cardan_data *data = cardan_sim_data(sim);
  memcpy(q, data->q, (size_t)model->nq * sizeof *q);
  memcpy(v, data->v, (size_t)model->nv * sizeof *v);
  cardan_sim_destroy(sim);
}

/* Two texts, one motion, and a motion it is. */
static void same_motion(const char *text, const char *by_hand)
{
  cardan_model *a = sdf(text), *b = robot_load(by_hand, "m", NULL, 0);
  static const char *const methods[] = {"vi", "aba"};
  assert_int_equal(a->nq, b->nq);
  assert_int_equal(a->nv, b->nv);
  assert_int_equal(a->mobility, b->mobility);
  assert_true(a->nq <= MOST);
  for (int k = 0; k < a->nq; k++) {
    assert_string_equal(a->q_name[k], b->q_name[k]);
  }
  for (int m = 0; m < 2; m++) {
    double qa[MOST], va[MOST], qb[MOST], vb[MOST];
    after(a, methods[m], 250, qa, va);
    after(b, methods[m], 250, qb, vb);
    // frames nested otherwise: rounding of places, 1e-16, grown by the motion
    assert_near_vec(qa, qb, a->nq, 1e-12);
    assert_near_vec(va, vb, a->nv, 1e-11);
    assert_true(support_max_abs(va, a->nv) > 0.1);
  }
  cardan_model_destroy(b);
  cardan_model_destroy(a);
}

#define INERTIA(x, y, z, xy) \
  "<inertia><ixx>" x "</ixx><iyy>" y "</iyy><izz>" z "</izz><ixy>" xy "</ixy></inertia>"

/* Poses in chains of frames, an axis in another frame, a joint from its child to its parent. */
static const char arm[] =
    "<?xml version='1.0'?>\n"
    "<sdf version='1.7'>\n"
    " <model name='arm'>\n"
    "  <pose>0 0 1 0 0 0</pose>\n"
    "  <frame name='mount'><pose>0.1 0 0 0 0 0.5</pose></frame>\n"
    "  <link name='hand'><pose relative_to='lower' degrees='true'>0 0.1 -0.4 0 90 0</pose>\n"
    "   <inertial><mass>0.5</mass>" INERTIA(
        "0.01", "0.02", "0.03",
        "0.001") "</inertial>\n"
                 "  </link>\n"
                 "  <link name='upper'><pose relative_to='mount'>0 0 -0.2 0 0 0</pose>\n"
                 "   <inertial><pose>0.1 0 -0.1 0.3 0 0</pose><mass>2</mass>\n"
                 "    " INERTIA(
                     "0.02", "0.03", "0.01",
                     "0.001") "</inertial>\n"
                              "   <visual name='v'><pose relative_to='mount'>0 0 0 0 0 0</pose>\n"
                              "    <geometry><box><size>0.1 0.1 0.4</size></box></geometry>\n"
                              "    <material><diffuse>0 0 1 "
                              "1</diffuse></material></visual></link>\n"
                              "  <link name='lower'><pose relative_to='upper' "
                              "rotation_format='quat_xyzw'>\n"
                              "    0 0 -0.4  0 0 0 1</pose>\n"
                              "   <inertial><pose>0.05 0 -0.2 0 0 0</pose><mass>1</mass>\n"
                              "    " INERTIA(
                                  "0.01", "0.01", "0.002",
                                  "0") "</inertial></link>\n"
                                       "  <joint name='shoulder' "
                                       "type='revolute'><parent>world</parent><child>upper</"
                                       "child>\n"
                                       "   <pose>0 0 0.2 0 0 0</pose><axis><xyz>0 1 0</xyz>\n"
                                       "    "
                                       "<limit><lower>-inf</lower><upper>1e16</upper></limit></"
                                       "axis></joint>\n"
                                       "  <joint name='elbow' "
                                       "type='continuous'><parent>lower</parent><child>upper</"
                                       "child>\n"
                                       "   <pose relative_to='lower'/><axis><xyz>0 1 "
                                       "0</xyz></axis></joint>\n"
                                       "  <joint name='wrist' "
                                       "type='prismatic'><parent>lower</parent><child>hand</"
                                       "child>\n"
                                       "   <axis><xyz expressed_in='lower'>0 0 "
                                       "1</xyz><limit><lower>-5</lower><upper>6</upper>\n"
                                       "    "
                                       "</limit><dynamics><damping>0.5</"
                                       "damping><spring_stiffness>30</spring_stiffness>\n"
                                       "    "
                                       "<spring_reference>0.1</spring_reference></dynamics></"
                                       "axis></joint>\n"
                                       " </model>\n"
                                       "</sdf>\n";

static const char arm_by_hand[] =
    "(system \"arm\" (gravity 0 0 -9.8)"
    " (place (0.1 0 1) (rpy 0 0 0.5) (joint revolute \"shoulder\" (axis 0 1 0)"
    "  (place (0 0 -0.2) (name \"upper\")"
    "   (place (0.1 0 -0.1) (rpy 0.3 0 0) (mass 2 0.02 0.03 0.01 0.001 0 0))"
    "   (place (0 0 -0.4) (joint revolute \"elbow\" (axis 0 -1 0) (name \"lower\")"
    "    (place (0.05 0 -0.2) (mass 1 0.01 0.01 0.002))"
    "    (place (0 0.1 -0.4) (joint prismatic \"wrist\" (axis 0 0 1) (limit -5 6)"
    "     (place (0 0 0) (rpy 0 (/ pi 2) 0) (mass 0.5 0.02 0.02 0.03 0.001 0 0)))))))))"
    " (damping \"wrist\" 0.5) (joint-spring \"wrist\" 30 0.1))";

static void chains_of_frames(void **state)
{
  (void)state;
  same_motion(arm, arm_by_hand);
  cardan_model *model = sdf(arm);
  assert_string_equal(model->name, "arm");
  assert_true(model->joint[cardan_model_joint(model, "wrist")].has_limit);
  assert_false(model->joint[cardan_model_joint(model, "shoulder")].has_limit);
  assert_int_equal(model->nshape, 1);
  cardan_model_destroy(model);
}

#define BAR(name, pose, centre, mass)                                            \
  "<link name='" name "'><pose>" pose "</pose><inertial><pose>" centre "</pose>" \
  "<mass>" mass "</mass>" INERTIA("0.01", "0.02", "0.01", "0") "</inertial></link>"
#define HINGE(name, parent, child, pose)                                            \
  "<joint name='" name "' type='revolute'><parent>" parent "</parent><child>" child \
  "</child><pose>" pose "</pose><axis><xyz>0 1 0</xyz></axis></joint>"

/* A loop, with an axis in the axes of the model, as up to 1.4: the model is turned. */
static const char four_bar[] = "<sdf version='1.4'><model name='four-bar'>" BAR(
    "crank", "0 0 0 0 0 0", "0.02 0 0.1 0 0 0", "1")
    BAR("coupler", "0 0 0.2 0 0 0", "0.25 0 0.075 0 0 0", "1.5")
        BAR("rocker", "0.5 0 0 0 0.3 0", "0 0 0.175 0 0 0", "2")
            HINGE("A", "world", "crank", "0 0 0 0 0 0")
                HINGE("B", "crank", "coupler", "0 0 0 0 0 0")
                    HINGE("C", "coupler", "rocker", "0 0 0.35 0.5 0 0")
                        HINGE("D", "world", "rocker", "0 0 0 0 0 0") "</model></sdf>";

static const char four_bar_by_hand[] =
    "(system (gravity 0 0 -9.8) (define h 0.35)"
    " (joint revolute \"A\" (axis 0 1 0) (name \"crank\")"
    "  (place (0.02 0 0.1) (mass 1 0.01 0.02 0.01))"
    "  (place (0 0 0.2) (joint revolute \"B\" (axis 0 1 0) (name \"coupler\")"
    "   (place (0.25 0 0.075) (mass 1.5 0.01 0.02 0.01))"
    "   (place ((+ 0.5 (* h (sin 0.3))) 0 (- (* h (cos 0.3)) 0.2)) (name \"C1\")))))"
    " (place (0.5 0 0) (rpy 0 0.3 0) (joint revolute \"D\" (axis 0 1 0)"
    "  (place (0 0 0.175) (mass 2 0.01 0.02 0.01)) (place (0 0 h) (name \"C2\"))))"
    " (close revolute \"C1\" \"C2\" (axis 0 1 0)))";

static void loop(void **state)
{
  (void)state;
  same_motion(four_bar, four_bar_by_hand);
  cardan_model *model = sdf(four_bar);
  assert_int_equal(model->mobility, 1);
  assert_int_equal(model->nconstraint, 1);
  assert_string_equal(model->constraint[0].name, "C");
  cardan_model_destroy(model);
}

/* A joint with forces stays in the tree: the loop is cut elsewhere, or there is a warning. */
static void cut_elsewhere(void **state)
{
  static const char damped[] = "<sdf version='1.7'><model name='m'>" BAR(
      "a", "0 0 0 0 0 0", "0.1 0 0.1 0 0 0", "1") BAR("b", "0.5 0 0 0 0 0", "0.1 0 0.1 0 0 0", "1")
      HINGE("ja", "world", "a", "0 0 0 0 0 0") HINGE(
          "jb", "world", "b",
          "0 0 0 0 0 0") "<joint name='jc' "
                         "type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz>"
                         "<dynamics><damping>1</damping></dynamics></axis></joint></model></sdf>";
  (void)state;
  cardan_model *model = sdf(damped);
  assert_int_equal(model->njoint, 2);
  assert_true(cardan_model_joint(model, "jc") >= 0);
  assert_true(cardan_model_joint(model, "jb") < 0);
  assert_int_equal(model->nforce, 1);
  cardan_model_destroy(model);
}

/* A loop within one body holds nothing that is not held already. */
static void rigid_loop(void **state)
{
  (void)state;
  cardan_model *model =
      sdf("<sdf version='1.7'><model name='m'><link name='a'/><link name='b'/>"
          "<joint name='j' type='fixed'><parent>a</parent><child>b</child></joint>"
          "<joint name='k' type='fixed'><parent>b</parent><child>a</child></joint>"
          "<joint name='l' type='revolute'><parent>a</parent><child>b</child>"
          "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis></joint>"
          "</model></sdf>");
  assert_int_equal(model->nv, 6);
  assert_int_equal(model->nconstraint, 0);
  assert_int_equal(model->nforce, 0);
  cardan_model_destroy(model);
}

/* A spring and a damper on the joint that closes the loop, by a copy of its link, or in the tree:
 * one motion. */
#define CLOSED(physics)                                                                            \
  "<sdf version='1.7'><model name='four-bar'>" BAR("crank", "0 0 0 0 0 0", "0.02 0 0.1 0 0 0",     \
                                                   "1")                                            \
      BAR("coupler", "0 0 0.2 0 0 0", "0.25 0 0.075 0 0 0", "1.5")                                 \
          BAR("rocker", "0.5 0 0 0 0.3 0", "0 0 0.175 0 0 0", "2") HINGE(                          \
              "A", "world", "crank", "0 0 0 0 0 0") HINGE("B", "crank", "coupler", "0 0 0 0 0 0")  \
              HINGE("D", "world", "rocker",                                                        \
                    "0 0 0 0 0 0") "<joint name='C' "                                              \
                                   "type='revolute'><parent>coupler</parent><child>rocker</child>" \
                                   "<pose>0 0 0.35 0 0 0</pose><axis><xyz>0 1 "                    \
                                   "0</xyz><dynamics><damping>0.3</damping>"                       \
                                   "<spring_stiffness>5</spring_stiffness><spring_reference>0.2</" \
                                   "spring_reference></dynamics>"                                  \
                                   "</axis>" physics "</joint></model></sdf>"

static void copied(void **state)
{
  static const char *const names[] = {"A", "D", "C"};
  double qa[MOST], va[MOST], qb[MOST], vb[MOST];
  (void)state;
  cardan_model *tree = sdf(CLOSED("")),
               *copy = sdf(CLOSED("<physics><simbody><must_be_loop_joint>true</must_be_loop_joint>"
                                  "</simbody></physics>"));
  assert_int_equal(tree->nv, 3);
  assert_int_equal(copy->nv, 4);
  assert_int_equal(tree->mobility, 1);
  assert_int_equal(copy->mobility, 1);
  assert_int_equal(copy->nforce, 2);
  assert_near(copy->mass, tree->mass, 1e-15);
  double off[2] = {0, 0};
  for (int m = 0; m < 2; m++) {
    after(tree, "aba", 250 << m, qa, va);
    after(copy, "aba", 250 << m, qb, vb);
    for (int i = 0; i < 3; i++) {
      const int a = cardan_model_q(tree, names[i]), b = cardan_model_q(copy, names[i]);
      off[m] = fmax(off[m], fabs(qa[a] - qb[b]));
    }
  }
  // the loop is closed in other coordinates: what differs are errors of order 4
  assert_near(off[0], 0, 1e-8);
  assert_near(off[1], 0, off[0] / 8 + 1e-13);
  cardan_model_destroy(copy);
  cardan_model_destroy(tree);
}

/* ---- frames ---- */

/* Models in a model: names, frames of the inside, placement, and which link a frame moves with. */
static void nested(void **state)
{
  static const char text[] =
      "<sdf version='1.8'><model name='robot'><pose>1 0 0 0 0 1.5707963267948966</pose>"
      "<link name='base'/>"
      "<model name='arm' placement_frame='root'><pose relative_to='base'>0 0 1 0 0 0</pose>"
      " <link name='hand'><pose>0 0 2 0 0 0</pose></link>"
      " <frame name='root' attached_to='hand'><pose>0.5 0 0 0 0 0</pose></frame></model>"
      "<frame name='tip' attached_to='arm::hand'><pose relative_to='arm::__model__'>"
      "  0.25 0 0 0 0 0</pose></frame>"
      "<joint name='j' type='revolute'><parent>base</parent><child>arm</child>"
      " <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>";
  const cardan_setting fixed = {"base", 0};
  (void)state;
  cardan_model *model = robot_load(text, "m.sdf", &fixed, 1);
  assert_int_equal(model->nv, 1);
  robot_assert_at(model, "base", 1, 0, 0);
  robot_assert_at(model, "arm::root", 1, 0, 1); // of the model's pose
  robot_assert_at(model, "arm::hand", 1, -0.5, 1);
  robot_assert_at(model, "tip", 1, -0.25, -1);
  robot_assert_at(model, "j", 1, -0.5, -1); // at the model's frame, which is 2 below the hand
  const int tip = cardan_model_frame(model, "tip"), hand = cardan_model_frame(model, "arm::hand");
  assert_int_equal(model->frame[tip].body, model->frame[hand].body);
  assert_true(model->frame[hand].body > 0);
  cardan_model_destroy(model);
}

/* A joint to the world as its child stands where its pose says, in the world. */
static void child_world(void **state)
{
  (void)state;
  cardan_model *model =
      sdf("<sdf version='1.5'><model name='m'><pose>1 2 3 0 0 1</pose><link name='l'/>"
          "<joint name='j' type='revolute'><parent>l</parent><child>world</child>"
          "<pose>0 0 5 0 0 0</pose><axis><xyz>1 0 0</xyz></axis></joint></model></sdf>");
  assert_int_equal(model->nv, 1);
  robot_assert_at(model, "j", 0, 0, 5);
  robot_assert_at(model, "l", 1, 2, 3);
  const cardan_vec3 axis = model->joint[0].axis; // seen from the world: the other way round
  assert_near(axis.x, -1, 1e-15);
  cardan_model_destroy(model);
}

/* A world: its gravity, a model that stands, two that do not, each with its own place. */
static void world(void **state)
{
  static const char text[] =
      "<sdf version='1.6'><world name='w'><gravity>0 0 -1.6</gravity>"
      "<model name='ground'><static>true</static><link name='link'/></model>"
      "<model name='a'><pose>0 0 5 0 0 0</pose><link name='body'><inertial><mass>2</mass>"
      "</inertial></link></model>"
      "<model name='b'><link name='body'><pose frame='no'>3 0 0 0 0 0</pose></link>"
      "<joint name='j' type='fixed'><parent>b::body</parent><child>c</child></joint>"
      "<link name='c'><pose frame='body'>0 0 1 0 0 0</pose></link></model>"
      "</world></sdf>";
  (void)state;
  cardan_model *model = robot_load(text, "w.world", NULL, 0);
  assert_string_equal(model->name, "w");
  assert_int_equal(model->nv, 12);
  assert_near(model->mass, 4, 0);
  assert_near(model->gravity.z, -1.6, 0);
  robot_assert_at(model, "b::c", 3, 0, 1);
  robot_assert_at(model, "a::body", 0, 0, 5);
  robot_assert_at(model, "b::body", 3, 0, 0);
  robot_assert_at(model, "ground::link", 0, 0, 0);
  assert_true(cardan_model_q(model, "a::body.qw") >= 0);
  assert_int_equal(model->nwarning, 3); // no <inertial>; one without <inertia>; frame "no"
  cardan_model_destroy(model);
}

static void bases(void **state)
{
  static const char text[] = "<sdf version='1.6'><model name='m'><link name='l'><pose>0 0 2 0 0 0"
                             "</pose></link></model></sdf>";
  const cardan_setting loose = {"base", 1}, fixed = {"base", 0};
  (void)state;
  cardan_model *as_said = sdf(text), *free_base = robot_load(text, "m.sdf", &loose, 1),
               *held = robot_load(text, "m.sdf", &fixed, 1);
  assert_int_equal(as_said->nv, 6);
  assert_int_equal(free_base->nv, 6);
  assert_int_equal(held->nv, 0);
  assert_int_equal(cardan_model_q(as_said, "base.z"), 2);
  assert_near(as_said->q0[2], 2, 0);
  // nothing is free, or could be
  static const char rooted[] = "<sdf version='1.6'><model name='m'><link name='l'/><joint name='j'"
                               " type='fixed'><parent>world</parent><child>l</child></joint>"
                               "</model></sdf>";
  cardan_model *world = robot_load(rooted, "m.sdf", &loose, 1);
  assert_int_equal(world->nv, 0);
  assert_int_equal(world->nwarning, 1);
  assert_non_null(strstr(world->warning[0], "base has no effect: every link is connected"));
  cardan_model_destroy(world);
  cardan_model_destroy(held);
  cardan_model_destroy(free_base);
  cardan_model_destroy(as_said);
}

/* A frame hangs on a frame on a frame .., a hundred thousand times. */
static void long_chain(void **state)
{
  enum { LONG = 100000 };
  char *text = malloc(100 * (size_t)LONG);
  size_t n = 0;
  (void)state;
  assert_non_null(text);
  n += (size_t)sprintf(text, "<sdf version='1.7'><model name='m'><link name='l'/>");
  for (int i = 0; i < LONG; i++) {
    n += (size_t)sprintf(
        text + n, "<frame name='%d'><pose relative_to='%d'>1 0 0 0 0 0</pose></frame>", i, i + 1);
  }
  sprintf(text + n, "<frame name='%d'/></model></sdf>", LONG);
  cardan_model *model = sdf(text);
  robot_assert_at(model, "0", LONG, 0, 0);
  cardan_model_destroy(model);
  free(text);
}

/* ---- joints ---- */

#define TWO(version, joint)                                                                     \
  "<sdf version='" version "'><model name='m'>" BAR("a", "0 0 0 0 0 0", "0.1 0 0 0 0 0", "1")   \
      BAR("b", "0 0 0 0 0 0", "0.1 0.2 0.3 0 0 0", "1") HINGE("j", "world", "a", "0 0 0 0 0 0") \
          joint "</model></sdf>"
#define SCREW(more)                                                      \
  "<joint name='k' type='screw'><parent>a</parent><child>b</child>" more \
  "<axis><xyz>1 0 0</xyz></axis></joint>"

static void threads(void **state)
{
  static const struct {
    const char *text;
    double pitch;
  } cases[] = {
      {TWO("1.6", SCREW("<thread_pitch>100</thread_pitch>")), -0.01},
      {TWO("1.6", SCREW("")), -1},
      {TWO("1.10", SCREW("<thread_pitch>100</thread_pitch>")), -0.01},
      {TWO("1.10", SCREW("<screw_thread_pitch>0.5</screw_thread_pitch>")),
       0.5 / (2 * 3.141592653589793)},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_model *model = sdf(cases[i].text);
    const cardan_joint *k = &model->joint[cardan_model_joint(model, "k")];
    assert_int_equal(k->kind, CARDAN_JOINT_HELICAL);
    assert_near(k->pitch, cases[i].pitch, 1e-16);
    cardan_model_destroy(model);
  }
}

/* Two axes: one joint; with limits, or from the child to the parent, two hinges of the same
 * coordinates. */
#define CROSS(parent, child, more)                                                       \
  "<joint name='u' type='universal'><parent>" parent "</parent><child>" child "</child>" \
  "<axis><xyz>1 0 0</xyz>" more "</axis><axis2><xyz>0 1 0</xyz></axis2></joint>"

static void two_axes(void **state)
{
  static const char plain[] = TWO("1.6", CROSS("a", "b", "")),
                    limited[] = TWO("1.6", CROSS("a", "b", "<limit><lower>-1</lower></limit>")),
                    turned[] = TWO("1.6", CROSS("b", "a", ""));
  static const char by_hand[] =
      "(system (gravity 0 0 -9.8) (joint revolute \"j\" (axis 0 1 0)"
      " (place (0.1 0 0) (mass 1 0.01 0.02 0.01))"
      " (joint revolute \"u.b\" (axis 0 -1 0) (joint revolute \"u.a\" (axis -1 0 0)"
      "  (place (0.1 0.2 0.3) (mass 1 0.01 0.02 0.01))))))";
  (void)state;
  cardan_model *one = sdf(plain), *two = sdf(limited);
  assert_int_equal(one->njoint, 2);
  assert_int_equal(two->njoint, 3);
  for (int k = 0; k < 3; k++) {
    assert_string_equal(one->q_name[k], two->q_name[k]);
  }
  assert_true(two->joint[cardan_model_joint(two, "u.a")].has_limit);
  assert_false(two->joint[cardan_model_joint(two, "u.b")].has_limit);
  cardan_model_destroy(two);
  cardan_model_destroy(one);
  same_motion(turned, by_hand);
}

/* A screw met at its child keeps the sense of its coordinate. */
static void turned_screw(void **state)
{
  static const char text[] =
      TWO("1.6", "<joint name='k' type='screw'><parent>b</parent><child>a</child>"
                 "<thread_pitch>-20</thread_pitch><axis><xyz>1 0 0</xyz></axis></joint>");
  static const char by_hand[] = "(system (gravity 0 0 -9.8) (joint revolute \"j\" (axis 0 1 0)"
                                " (place (0.1 0 0) (mass 1 0.01 0.02 0.01))"
                                " (joint helical \"k\" (axis -1 0 0) (pitch 0.05)"
                                "  (place (0.1 0.2 0.3) (mass 1 0.01 0.02 0.01)))))";
  (void)state;
  same_motion(text, by_hand);
}

#define SPIN(name, child, axis, more)                                          \
  "<joint name='" name "' type='revolute'><parent>world</parent><child>" child \
  "</child><axis><xyz>" axis "</xyz>" more "</axis></joint>"
#define PAIR(more_b, more)                                                             \
  "<sdf version='1.11'><model name='m'>" BAR("a", "0 0 0 0 0 0", "0.1 0 0 0 0 0", "1") \
      BAR("b", "1 0 0 0 0 0", "0.1 0 0 0 0 0", "1") SPIN("ja", "a", "0 1 0", "")       \
          SPIN("jb", "b", "0 -1 0", more_b) more "</model></sdf>"
#define PAIR_BY_HAND(equation)                                                               \
  "(system (gravity 0 0 -9.8)"                                                               \
  " (joint revolute \"ja\" (axis 0 1 0) (place (0.1 0 0) (mass 1 0.01 0.02 0.01)))"          \
  " (place (1 0 0) (joint revolute \"jb\" (axis 0 -1 0) (place (0.1 0 0) (mass 1 0.01 0.02 " \
  "0.01))))"                                                                                 \
  " (equation " equation "))"

/* follower = multiplier (leader - reference) + offset; theta_child = -ratio theta_parent about the
 * gearbox's own axes. */
static void couplings(void **state)
{
  (void)state;
  same_motion(PAIR("<mimic joint='ja'><multiplier>2</multiplier><offset>0.2</offset>"
                   "<reference>0.1</reference></mimic>",
                   ""),
              PAIR_BY_HAND("(- q.jb (* 2 q.ja))"));
  same_motion(PAIR("", "<joint name='g' type='gearbox'><parent>a</parent><child>b</child>"
                       "<gearbox_reference_body>world</gearbox_reference_body>"
                       "<gearbox_ratio>3</gearbox_ratio><axis><xyz>0 1 0</xyz></axis>"
                       "<axis2><xyz>0 1 0</xyz></axis2></joint>"),
              PAIR_BY_HAND("(- q.jb (* 3 q.ja))"));
}

/* A link that gravity does not pull; one held by limits 0 and 0. */
static void weightless(void **state)
{
  static const char text[] =
      "<sdf version='1.6'><model name='m'><link name='a'><gravity>false</gravity><inertial>"
      "<pose>0.3 0 0 0 0 0</pose><mass>4</mass>" INERTIA(
          "1", "1", "1",
          "0") "</inertial></link>" HINGE("j", "world", "a",
                                          "0 0 0 0 0 0") "<link name='b'/>"
                                                         "<joint name='k' "
                                                         "type='revolute'><parent>a</"
                                                         "parent><child>b</child><axis><xyz>0 0 "
                                                         "1</xyz>"
                                                         "<limit><lower>0</lower><upper>0</upper></"
                                                         "limit></axis></joint></model></sdf>";
  static const char without[] = "(system (joint revolute \"j\" (axis 0 1 0) (mass 1 1 1 1)"
                                " (place (0.3 0 0) (mass 4 1 1 1))) (initial (\"j\" 0 1)))";
  double q[1], v[1];
  (void)state;
  cardan_model *model = sdf(text), *other = robot_load(without, "m", NULL, 0);
  assert_int_equal(model->nv, 1);
  assert_near(model->mass, 5, 0);
  model->v0[0] = 1;
  after(model, "vi", 250, q, v);
  // b stands on the axis: nothing turns the pair, up to the rounding of two weights that cancel
  assert_near(v[0], 1, 1e-12);
  cardan_model_destroy(other);
  cardan_model_destroy(model);
}

/* The mass of shapes: two of them, their sum scaled to the mass that is given, or not. */
#define AUTO(more, density)                                                                        \
  "<sdf version='1.11'><model name='m'><link name='l'><inertial auto='true'>" more "</inertial>"   \
  "<collision name='a'><pose>1 0 0 0 0 0</pose>" density "<geometry><box><size>1 2 3</size></box>" \
  "</geometry></collision><collision name='b'><geometry><capsule><radius>0.5</radius>"             \
  "<length>2</length></capsule></geometry></collision></link></model></sdf>"

static void automatic(void **state)
{
  const double pi = 3.14159265358979323846, bar = 1000 * pi * 0.25 * 2, ball = 1000 * pi / 6;
  (void)state;
  cardan_model *model = sdf(AUTO("", "<density>500</density>")),
               *scaled = sdf(AUTO("<mass>7</mass>", ""));
  const cardan_inertia *G = &model->body[1].inertia;
  assert_near(G->m, 3000 + bar + ball, 1e-11);
  assert_near(G->h.x, 3000, 1e-11);
  assert_near(G->xx, 250 * (4 + 9) + bar * (3 * 0.25 + 4) / 12 + ball * (0.1 + 1 + 0.375), 1e-11);
  assert_near(G->zz, 250 * (1 + 4) + 3000 + bar / 8 + ball / 10, 1e-11);
  assert_near(scaled->mass, 7, 1e-14);
  assert_int_equal(model->nwarning, 0);
  cardan_model_destroy(scaled);
  cardan_model_destroy(model);
}

static void no_memory(void **state)
{
  static const char *const texts[] = {
      arm, four_bar,
      PAIR("<mimic joint='ja'/>",
           "<joint name='g' type='gearbox'><parent>a</parent><child>b</child>"
           "<gearbox_reference_body>world</gearbox_reference_body></joint>"
           "<link name='w'><gravity>0</gravity></link>")};
  long n = 0;
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    n += robot_no_memory(texts[i], "m.sdf", NULL);
  }
  assert_true(n > 50);
}

/* What was read is written, and read again as the same. */
static void round_trip(void **state)
{
  static const char *const texts[] = {arm, four_bar};
  (void)state;
  for (int i = 0; i < 2; i++) {
    cardan_spec *spec = NULL;
    char *text = NULL;
    assert_int_equal(
        cardan_spec_read(texts[i], strlen(texts[i]), "m.sdf", NULL, 0, NULL, &spec, NULL),
        CARDAN_OK);
    assert_int_equal(cardan_spec_write(spec, "m.mbs", &text), CARDAN_OK);
    same_motion(texts[i], text);
    cardan_free_text(NULL, text);
    cardan_spec_destroy(spec);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_of_frames),
      cmocka_unit_test(loop),
      cmocka_unit_test(cut_elsewhere),
      cmocka_unit_test(copied),
      cmocka_unit_test(rigid_loop),
      cmocka_unit_test(nested),
      cmocka_unit_test(child_world),
      cmocka_unit_test(world),
      cmocka_unit_test(bases),
      cmocka_unit_test(long_chain),
      cmocka_unit_test(threads),
      cmocka_unit_test(two_axes),
      cmocka_unit_test(turned_screw),
      cmocka_unit_test(couplings),
      cmocka_unit_test(weightless),

      cmocka_unit_test(automatic),

      cmocka_unit_test(no_memory),
      cmocka_unit_test(round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
