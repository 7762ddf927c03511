// SPDX-License-Identifier: Apache-2.0
// Robots as MJCF: the same as the model file says by hand, and what is wrong with one at its place.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/data.h"
#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "cardan/load.h"
#include "cardan/sim.h"
#include "robot_fixture.h"
#include "spatial/inertia.h"

/* Other files, from a list. */
typedef struct {
  const char *name, *text;
} file;

static cardan_status read_file(void *user, const char *name, char **data, size_t *size,
                               cardan_report *report)
{
  for (const file *f = user; f->name != NULL; f++) {
    if (strcmp(f->name, name) == 0) {
      *data = (char *)(uintptr_t)f->text;
      *size = strlen(f->text);
      return CARDAN_OK;
    }
  }
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "cannot find \"%s\"", name);
}

static void release_file(void *user, char *data)
{
  (void)user, (void)data;
}

static cardan_status try_load(const char *text, const char *name, const file *other,
                              cardan_model **model, cardan_report *report)
{
  const cardan_files files = {
      .user = (void *)(uintptr_t)other, .read = read_file, .release = release_file};
  cardan_spec *spec = NULL;
  *model = NULL;
  *report = (cardan_report){.message = ""};
  const cardan_status status = cardan_spec_read_files(
      text, strlen(text), name, NULL, 0, other != NULL ? &files : NULL, NULL, &spec, report);
  if (status != CARDAN_OK) {
    return status;
  }
  const cardan_status built = cardan_model_build(spec, NULL, model, report);
  cardan_spec_destroy(spec);
  return built;
}

static cardan_model *load_with(const char *text, const char *name, const file *other)
{
  cardan_report report;
  cardan_model *model;
  if (try_load(text, name, other, &model, &report) != CARDAN_OK) {
    fail_msg("%s:%d:%d: %s", name, report.pos.line, report.pos.column, report.message);
  }
  return model;
}

static cardan_model *load(const char *text, const char *name)
{
  return load_with(text, name, NULL);
}

enum { MOST = 16 };

/* Accelerations at a state in which every joint is moved and moves. */
static void accelerate(const cardan_model *model, double *a)
{
  cardan_data *data = NULL;
  assert_true(model->nv <= MOST);
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  for (int k = 0; k < model->nv; k++) {
    data->v[k] = (k % 2 == 0 ? -0.7 : 0.4) + 0.1 * k;
    if (model->nq == model->nv) {
      data->q[k] = (k % 2 == 0 ? 0.3 : -0.2) + 0.05 * k;
    }
  }
  for (int k = 0; k < model->ninput; k++) {
    data->u[k] = 0.3 + 0.2 * k;
  }
  assert_int_equal(cardan_forward(model, data, 0, 0), CARDAN_OK);
  memcpy(a, data->a, (size_t)model->nv * sizeof *a);
  cardan_data_destroy(data);
}

/* Coordinates after half a second. */
static void run_end_of(const char *text, const char *name, double *q)
{
  cardan_model *model = load(text, name);
  cardan_options options = cardan_options_defaults();
  cardan_sim *sim = NULL;
  cardan_report report;
  options.dt = 1e-3;
  assert_int_equal(cardan_options_set(&options, "method", "aba", &report), CARDAN_OK);
  assert_int_equal(cardan_sim_create(model, &options, NULL, &sim, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
  for (int i = 0; i < 500; i++) {
    assert_int_equal(cardan_sim_step(sim, &report), CARDAN_OK);
  }
  memcpy(q, cardan_sim_data(sim)->q, (size_t)model->nq * sizeof *q);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

static void move_alike(const char *mjcf, const char *hand)
{
  cardan_model *a = load(mjcf, "a.xml"), *b = load(hand, "b.mbs");
  double A[MOST], B[MOST];
  assert_int_equal(a->nv, b->nv);
  accelerate(a, A);
  accelerate(b, B);
  // the same numbers in other orders; small inertias at the end of an arm magnify the roundings
  assert_near_vec(A, B, a->nv, 1e-11 * (1 + support_max_abs(B, b->nv)));
  cardan_model_destroy(a);
  cardan_model_destroy(b);
}

static const char arm[] =
    "<mujoco model='arm'>\n"
    "  <compiler angle='degree' autolimits='true'/>\n"
    "  <option gravity='0 0 -9.81' timestep='0.001'/>\n"
    "  <default>\n"
    "    <joint damping='0.1'/><geom density='500'/>\n"
    "    <default class='thin'>\n"
    "      <geom type='capsule' size='0.03' rgba='1 0 0 1'/><joint damping='0.2' axis='0 1 0'/>\n"
    "    </default>\n"
    "  </default>\n"
    "  <worldbody>\n"
    "    <body name='upper' pos='0 0 1' euler='0 0 30'>\n"
    "      <joint name='shoulder' axis='0 1 0' range='-60 90'/>\n"
    "      <joint name='twist' pos='0 0.02 0.1' stiffness='3' springref='20'/>\n"
    "      <geom type='box' size='0.05 0.04 0.2' pos='0 0 -0.2'/>\n"
    "      <body name='lower' pos='0 0 -0.4' childclass='thin'>\n"
    "        <joint name='elbow' ref='10' stiffness='2'/>\n"
    "        <geom fromto='0 0 0 0 0 -0.3'/>\n"
    "        <frame pos='0 0 -0.3'><site name='tip'/>\n"
    "        <geom class='main' type='ellipsoid' size='0.05 0.04 0.03' pos='0 0 -0.05' "
    "mass='0.2'/>\n"
    "        </frame>\n"
    "        <body name='hand' pos='0 0 -0.3' xyaxes='0 1 0 -1 0 0'>\n"
    "          <joint type='slide' name='slide' axis='0 0 2' damping='3'/>\n"
    "          <geom type='mesh' mesh='not needed'/>\n"
    "          <inertial pos='0 0.1 0' mass='0.2' fullinertia='1e-3 2e-3 1.5e-3 1e-4 0 2e-4'/>\n"
    "        </body></body></body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

/* The same by hand: closed forms of the solids, q = qpos - ref. */
static const char arm_by_hand[] =
    "(system \"arm\" (gravity 0 0 -9.81)"
    " (define r 0.03) (define ball (* 500 (/ 4 3) pi (^ r 3))) (define rod (* 500 pi r r 0.3))"
    " (place (0 0 1) (rpy 0 0 (deg 30)) (joint revolute \"shoulder\" (axis 0 1 0)"
    "  (place (0 0.02 0.1) (joint revolute \"twist\" (place (0 -0.02 -0.1)"
    "   (place (0 0 -0.2) (mass 1.6 (* 1.6 (/ 12) (+ 0.0064 0.16)) (* 1.6 (/ 12) (+ 0.01 0.16))"
    "     (* 1.6 (/ 12) (+ 0.0064 0.01))))"
    "   (place (0 0 -0.4) (joint revolute \"elbow\" (axis 0 1 0)"
    "     (place (0 0 -0.15) (mass rod (* rod (+ (/ (* r r) 4) (/ 0.09 12)))"
    "       (* rod (+ (/ (* r r) 4) (/ 0.09 12))) (* 0.5 rod r r)))"
    "     (place (0 0 -0.15) (mass ball"
    "       (* ball (+ (* 0.4 r r) 0.0225 (* 0.75 0.15 r)))"
    "       (* ball (+ (* 0.4 r r) 0.0225 (* 0.75 0.15 r))) (* 0.4 ball r r)))"
    "     (place (0 0 -0.35) (mass 0.2 (* 0.04 0.0025) (* 0.04 0.0034) (* 0.04 0.0041)))"
    "     (place (0 0 -0.3) (rpy 0 0 (deg 90)) (joint prismatic \"slide\" (axis 0 0 1)"
    "       (place (0 0.1 0) (mass 0.2 1e-3 2e-3 1.5e-3 1e-4 0 2e-4)))))))))))"
    " (damping \"shoulder\" 0.1) (damping \"twist\" 0.1) (damping \"elbow\" 0.2)"
    " (damping \"slide\" 3) (joint-spring \"twist\" 3 (deg 20))"
    " (joint-spring \"elbow\" 2 (deg -10)))";

static void as_by_hand(void **state)
{
  (void)state;
  move_alike(arm, arm_by_hand);
  double A[MOST], B[MOST];
  run_end_of(arm, "arm.xml", A);
  run_end_of(arm_by_hand, "arm.mbs", B);
  assert_near_vec(A, B, 4, 1e-12);
  cardan_model *model = load(arm, "arm.xml");
  const cardan_joint *shoulder = &model->joint[0];
  assert_string_equal(model->name, "arm");
  assert_true(shoulder->has_limit);
  assert_near(shoulder->limit[0], -acos(-1.0) / 3, 1e-15);
  assert_true(cardan_model_frame(model, "tip") >= 0);
  cardan_model_destroy(model);
}

static void round_trip(void **state)
{
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  char *text = NULL;
  (void)state;
  assert_int_equal(cardan_spec_read(arm, strlen(arm), "arm.xml", NULL, 0, NULL, &spec, &report),
                   CARDAN_OK);
  assert_int_equal(cardan_spec_write(spec, "arm.mbs", &text), CARDAN_OK);
  move_alike(arm, text);
  cardan_free_text(NULL, text);
  cardan_spec_destroy(spec);
}

#define BODY "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
#define WORLD(inner) "<mujoco><worldbody>" inner "</worldbody></mujoco>"
#define HINGE(name) "<body name='" name "'><joint name='" name "' axis='0 1 0'/>" BODY "</body>"

/* Five ways to turn, all the same; and a frame that stands between. */
static void turns(void **state)
{
  static const char *const ways[] = {
      "quat='1 0 0 1'",        "axisangle='0 0 3 90'",    "euler='0 0 90'",
      "xyaxes='0 2 0 -1 0 0'", "xyaxes='0 2 0 -1 0.5 0'",
  };
  (void)state;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    char text[400];
    snprintf(text, sizeof text,
             WORLD("<frame pos='1 0 0' %s><body name='b' pos='0 2 0'><joint axis='1 0 0' pos='0 0 "
                   "1'/><inertial pos='0 0 0' mass='2' diaginertia='1 2 2'/></body></frame>"),
             ways[i]);
    move_alike(text, "(system (gravity 0 0 -9.81) (place (-1 0 0) (rpy 0 0 (deg 90)) (place (0 0 1)"
                     " (joint revolute \"b\" (axis 1 0 0) (place (0 0 -1) (mass 2 1 2 2))))))");
  }
  // z to x by the shortest way, about y
  move_alike(WORLD("<body zaxis='1 0 0'><joint axis='1 0 0'/><inertial pos='0 1 0' mass='2' "
                   "diaginertia='1 2 2'/></body>"),
             "(system (gravity 0 0 -9.81) (place (0 0 0) (rpy 0 (deg 90) 0) (joint revolute \"b\""
             " (axis 1 0 0) (place (0 1 0) (mass 2 1 2 2)))))");
}

/* Older files give all places in the world. */
static void global(void **state)
{
  (void)state;
  move_alike(
      "<mujoco><compiler coordinate='global'/><worldbody><body pos='1 0 2' euler='0 0 90'>"
      "<joint name='a' axis='0 1 0' pos='1 0 1'/><geom type='box' size='.1 .2 .3' pos='1 0 2'/>"
      "<body pos='1 1 2'><joint name='b' axis='0 0 1' pos='1 1 2'/>"
      "<inertial pos='2 1 2' mass='1' diaginertia='1 2 2'/></body></body></worldbody></mujoco>",
      "(system (gravity 0 0 -9.81) (place (1 0 1) (joint revolute \"a\" (axis 0 1 0)"
      " (place (0 0 1) (mass 48 (* 16 0.13) (* 16 0.1) (* 16 0.05)))"
      " (place (0 1 1) (joint revolute \"b\" (place (1 0 0) (mass 1 1 2 2)))))))");
}

/* ---- inertia ---- */

static double total(const cardan_model *model)
{
  double sum = 0;
  for (int i = 1; i < model->nbody; i++) {
    sum += model->body[i].inertia.m;
  }
  return sum;
}

static void masses(void **state)
{
  static const struct {
    const char *text;
    double mass;
  } cases[] = {
      {WORLD("<body><freejoint/><geom size='0.1'/></body>"), 4000 / 3.0 * 3.14159265358979 * 1e-3},
      {WORLD("<body><freejoint/><geom size='0.1' mass='0'/><geom type='cylinder' size='.1 .5' "
             "density='1'/></body>"),
       3.14159265358979e-2},
      {WORLD("<body><freejoint/><geom type='box' size='1 2 3' density='2'/></body>"), 96},
      {"<mujoco><compiler settotalmass='5'/><worldbody><body><freejoint/>" BODY
       "<body><joint/>" BODY "</body></body></worldbody></mujoco>",
       5},
      {"<mujoco><compiler inertiafromgeom='true' inertiagrouprange='1 2'/><worldbody><body>"
       "<freejoint/>" BODY "<geom type='box' size='1 1 1' density='1' group='1'/><geom size='9'/>"
       "</body></worldbody></mujoco>",
       8},
      // what is fixed to the world needs no mesh
      {WORLD("<body><geom type='mesh' mesh='none'/><body><joint/>" BODY "</body></body>"), 1},
      {"<mujoco><compiler boundmass='3' boundinertia='2'/><worldbody><body><freejoint/>" BODY
       "</body></worldbody></mujoco>",
       3},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_model *model = load(cases[i].text, "m.xml");
    assert_near(total(model), cases[i].mass, 1e-13 * cases[i].mass);
    cardan_model_destroy(model);
  }
}

/* ---- equalities, tendons, actuators ---- */

static void equalities(void **state)
{
  static const char text[] =
      "<mujoco><worldbody>"
      "<body name='a'><joint name='a' axis='0 1 0'/><geom size='.1' pos='1 0 0'/></body>"
      "<body name='b' pos='2 0 0'><joint name='b' axis='0 1 0' ref='20'/>"
      "<geom size='.1' pos='-1 0 1'/></body>"
      "<body name='c'><joint name='c' axis='0 1 0'/><geom size='.1' pos='-1 0 1'/></body>"
      "<body name='d' pos='0 3 0'><freejoint name='d'/><geom size='.1'/></body>"
      "</worldbody>"
      "<tendon><fixed name='t'><joint joint='b' coef='2'/><joint joint='c' coef='-1'/></fixed>"
      "<fixed name='s'><joint joint='a' coef='1'/></fixed></tendon>"
      "<equality>%s</equality></mujoco>";
  static const struct {
    const char *equality;
    int rows;
  } cases[] = {{"<connect body1='a' body2='b' anchor='1 0 0'/>", 3},
               {"<connect name='d' body1='d' anchor='1 0 0'/>", 3},
               {"<weld body1='d'/>", 6},
               {"<weld body1='d' body2='a' relpose='0 0 1 1 0 0 1' active='false'/>", 0},
               {"<joint joint1='a' joint2='b' polycoef='0 2 1'/>", 1},
               {"<joint joint1='a'/>", 1},
               {"<tendon tendon1='t' tendon2='s'/><tendon tendon1='t'/>", 2}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char whole[1500];
    snprintf(whole, sizeof whole, text, cases[i].equality);
    cardan_model *model = load(whole, "m.xml");
    assert_int_equal(model->nrow, cases[i].rows);
    cardan_model_destroy(model);
  }
}

/* With relpose it is the anchor, a point of the second body, that has this pose in the first. */
static void weld_at_anchor(void **state)
{
  (void)state;
  cardan_model *model = load(
      "<mujoco><worldbody><body name='a' pos='0 0 1'/><body name='b' pos='1 0 0.6'><freejoint/>"
      "<geom size='.1'/></body></worldbody><equality><weld body1='a' body2='b' "
      "relpose='1 0 0 1 0 0 0' anchor='0 0 0.5'/></equality></mujoco>",
      "m.xml");
  cardan_data *data = NULL;
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  assert_int_equal(cardan_assemble(model, data, NULL, NULL), CARDAN_OK);
  const double at[3] = {1, 0, 0.5};
  assert_near_vec(data->q, at, 3, 1e-14);
  cardan_data_destroy(data);
  cardan_model_destroy(model);
}

#define TWO                                                                       \
  HINGE("a")                                                                      \
  "<body name='b'><joint name='b' axis='1 0 0' ref='30'/>" BODY "<site name='s' " \
  "pos='0 0 1'/></body><site name='w' pos='1 0 0'/>"
#define WITH(more) "<mujoco><worldbody>" TWO "</worldbody>" more "</mujoco>"
#define TENDONS                                                                     \
  "<tendon><fixed name='t'><joint joint='a' coef='2'/><joint joint='b' coef='-3'/>" \
  "</fixed><spatial name='p'><site site='s'/><site site='w'/></spatial></tendon>"
#define HAND(more)                                                                  \
  "(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0) (mass 1 1 1 1))"  \
  "(joint revolute \"b\" (axis 1 0 0) (mass 1 1 1 1) (place (0 0 1) (name \"s\")))" \
  "(place (1 0 0) (name \"w\"))" more ")"
#define B30 "(+ q.b (deg 30))"
#define L "(- (* 2 q.a) (* 3 " B30 "))"

/* What acts: a text of MJCF, and forces of the model file that are the same. */
static void forces(void **state)
{
  static const struct {
    const char *mjcf, *hand;
  } cases[] = {
      {WITH("<tendon><fixed stiffness='5'><joint joint='a' coef='2'/><joint joint='b' coef='-3'/>"
            "</fixed></tendon>"),
       HAND("(potential (* 2.5 (^ " L " 2)))")},
      {WITH("<tendon><fixed stiffness='5' springlength='0.1 0.2' damping='4'>"
            "<joint joint='a' coef='2'/><joint joint='b' coef='-3'/></fixed></tendon>"),
       HAND("(potential (* 2.5 (+ (^ (max 0 (- " L " 0.2)) 2) (^ (max 0 (- 0.1 " L ")) 2))))"
            "(torque \"a\" (* -8 (- (* 2 v.a) (* 3 v.b))))"
            "(torque \"b\" (* 12 (- (* 2 v.a) (* 3 v.b))))")},
      {WITH("<tendon><spatial stiffness='5' springlength='0.7' damping='2'><site site='s'/>"
            "<site site='w'/></spatial></tendon>"),
       HAND("(spring \"s\" \"w\" 5 0.7) (damper \"s\" \"w\" 2)")},
      {WITH("<actuator><motor name='m' joint='a' gear='3' ctrlrange='-1 1' forcerange='-.1 .1'/>"
            "</actuator>"),
       HAND("(input \"m\") (torque \"a\" (* 3 (min 0.1 u.m)))")},
      {WITH("<default><position kp='7' kv='2'/></default><actuator><position joint='a' gear='2'/>"
            "<position joint='b'/></actuator>"),
       HAND("(input \"a\") (input \"b\")"
            "(torque \"a\" (* 2 (- (* 7 (- u.a (* 2 q.a))) (* 4 v.a))))"
            "(torque \"b\" (- (* 7 (- u.b " B30 ")) (* 2 v.b)))")},
      {WITH("<actuator><velocity joint='a' kv='4'/><damper joint='b' kv='2' ctrlrange='0 9'/>"
            "</actuator>"),
       HAND("(input \"a\") (input \"b\") (torque \"a\" (* 4 (- u.a v.a)))"
            "(torque \"b\" (* -2 u.b v.b))")},
      {WITH("<actuator><general joint='b' gear='2' gaintype='affine' gainprm='1 2 3'"
            " biastype='affine' biasprm='4 5 6'/></actuator>"),
       HAND("(input \"b\") (torque \"b\" (* 2 (+ u.b (* 4 u.b " B30 ") (* 6 u.b v.b) 4"
            " (* 10 " B30 ") (* 12 v.b))))")},
      {WITH(TENDONS "<actuator><position tendon='t' kp='3' gear='2'/></actuator>"),
       HAND("(input \"t\") (torque \"a\" (* 4 3 (- u.t (* 2 " L "))))"
            "(torque \"b\" (* -6 3 (- u.t (* 2 " L "))))")},
      {WITH(TENDONS "<actuator><motor tendon='p' gear='2'/></actuator>"),
       HAND("(input \"p\") (wrench world \"s\" ((/ (* 2 u.p (- (px \"s\") 1)) (dist \"s\" \"w\"))"
            "(/ (* 2 u.p (py \"s\")) (dist \"s\" \"w\")) (/ (* 2 u.p (pz \"s\")) (dist \"s\" "
            "\"w\")))"
            "(0 0 0))")},
      {WITH("<actuator><motor site='s' gear='1 2 3 4 5 6'/></actuator>"),
       HAND("(input \"s\") (wrench body \"s\" (u.s (* 2 u.s) (* 3 u.s))"
            "((* 4 u.s) (* 5 u.s) (* 6 u.s)))")},
      {WITH("<actuator><position joint='a' kp='4' dampratio='0.5' gear='2'/></actuator>"),
       HAND("(input \"a\") (torque \"a\" (* 2 (- (* 4 (- u.a (* 2 q.a)))"
            " (* 2 0.5 (sqrt (* 4 (/ 1 4))) 2 v.a))))")},
      {"<mujoco><option><flag gravity='disable' actuation='disable'/></option><worldbody>" TWO
       "</worldbody><actuator><motor joint='a'/></actuator></mujoco>",
       "(system (joint revolute \"a\" (axis 0 1 0) (mass 1 1 1 1))"
       "(joint revolute \"b\" (axis 1 0 0) (mass 1 1 1 1)))"},
      {WITH("<default><joint frictionloss='0.3' armature='0.2'/></default>"),
       HAND("(dry-friction \"a\" 0.3) (dry-friction \"b\" 0.3) (armature \"a\" 0.2)"
            "(armature \"b\" 0.2)")},
      {WORLD("<body gravcomp='1'><joint/><inertial pos='1 0 0' mass='2' diaginertia='1 1 "
             "1'/></body>"),
       "(system (joint revolute \"a\" (place (1 0 0) (mass 2 1 1 1))))"},
      {WORLD("<body pos='1 2 3' quat='1 1 0 0'><joint type='free' armature='0.5' damping='2'/>"
             "<inertial pos='1 0 0' mass='2' diaginertia='1 1 1'/></body>"),
       "(system (gravity 0 0 -9.81) (joint free \"f\" (place (1 0 0) (mass 2 1 1 1) (name \"c\"))"
       " (mass 0.5 0.5 0.5 0.5)) (wrench world \"f\" (0 0 4.905) (0 0 0)) (damping 2)"
       " (initial (\"f\" (1 2 3 1 1 0 0))))"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    move_alike(cases[i].mjcf, cases[i].hand);
  }
}

/* A ball turned by 0.8 about (0.6, 0, 0.8), either sign of its quaternion: -k times that vector. */
static void ball_spring(void **state)
{
  (void)state;
  cardan_model *model =
      load(WORLD("<body><joint type='ball' stiffness='3'/>" BODY "</body>"), "m.xml");
  cardan_data *data = NULL;
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  for (int sign = -1; sign <= 1; sign += 2) {
    const double s = sign * sin(0.4), expected[3] = {-3 * 0.8 * 0.6, 0, -3 * 0.8 * 0.8};
    data->q[0] = sign * cos(0.4);
    data->q[1] = 0.6 * s;
    data->q[2] = 0;
    data->q[3] = 0.8 * s;
    assert_int_equal(cardan_forward(model, data, 0, 0), CARDAN_OK);
    assert_near_vec(data->a, expected, 3, 1e-14);
  }
  cardan_data_destroy(data);
  cardan_model_destroy(model);
}

/* ---- other files, other formats ---- */

static void includes(void **state)
{
  static const file files[] = {
      {"parts/defaults.xml", "<mujoco><include file='more.xml'/><default><geom density='2'/>"
                             "</default></mujoco>"},
      {"parts/more.xml", "<mujocoinclude><default><geom type='box' size='1 1 1'/></default>"
                         "</mujocoinclude>"},
      {NULL, NULL}};
  (void)state;
  cardan_model *model =
      load_with("<mujoco><include file='parts/defaults.xml'/><worldbody><body><freejoint/><geom/>"
                "</body></worldbody></mujoco>",
                "m.xml", files);
  assert_near(total(model), 16, 1e-14);
  cardan_model_destroy(model);
  model = load("<robot name='r'><link name='a'/></robot>", "r.xml");
  assert_int_equal(model->nv, 0);
  cardan_model_destroy(model);
}

static const file parts[] = {
    {"parts/arm.xml",
     "<mujoco><include file='more.xml'/><default><joint axis='0 1 0' damping='0.5'/>"
     "<default class='k'><joint armature='0.3'/></default></default><worldbody><body name='arm'>"
     "<joint name='j' class='k'/>" BODY "<site name='s'/></body></worldbody>"
     "<actuator><motor name='m' joint='j'/></actuator><keyframe><key/></keyframe></mujoco>"},
    {"parts/more.xml", "<mujoco><sensor><jointpos name='p' joint='j'/></sensor></mujoco>"},
    {NULL, NULL}};
static const char two_arms[] = "<mujoco><default><joint damping='7'/></default><asset>"
                               "<model name='a' file='parts/arm.xml'/></asset><worldbody>"
                               "<frame pos='1 0 0'><attach model='a' body='arm' prefix='l-'/>"
                               "</frame><attach model='a' body='arm'/></worldbody></mujoco>";

/* Two arms of one file, beside a default of the model's own; the second without a prefix. */
static void attachments(void **state)
{
  (void)state;
  cardan_model *model = load_with(two_arms, "m.xml", parts);
  assert_int_equal(model->nv, 2);
  assert_int_equal(cardan_model_q(model, "l-j"), 0);
  assert_int_equal(cardan_model_q(model, "j"), 1);
  assert_near(model->armature[0], 0.3, 0);
  assert_near(model->joint[0].axis.y, 1, 0);
  assert_int_equal(model->ninput, 2);
  assert_string_equal(model->input[0].name, "l-m");
  assert_int_equal(model->ny, 2);
  assert_true(cardan_model_frame(model, "l-s") >= 0);
  double a[2];
  accelerate(model, a);
  const double v[2] = {-0.7, 0.5}, u[2] = {0.3, 0.5};
  for (int i = 0; i < 2; i++) { // no arm of gravity: the damping of the part, and its motor
    assert_near(a[i], (u[i] - 0.5 * v[i]) / 1.3, 1e-15);
  }
  cardan_model_destroy(model);
}

/* A box of 2 x 2 x 2 at the origin, from a file and from the element, moved, turned and scaled. */
#define CUBE_V "-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1"
#define CUBE_F "0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5"
#define MESHED(asset, geom)                                                                   \
  "<mujoco><compiler meshdir='m/'/><asset>" asset "</asset><worldbody><body name='b'><joint " \
  "axis='0 1 0'/><geom type='mesh' " geom " pos='1 0 0'/></body></worldbody></mujoco>"

static void meshes(void **state)
{
  static const file files[] = {{"m/cube.obj", "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 "
                                              "1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\nf 1 3 4 2\nf 5 6 8 "
                                              "7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6"},
                               {NULL, NULL}};
  static const char *const texts[] = {
      MESHED("<mesh file='cube.obj' scale='.1 .2 .3'/>", "mesh='cube' density='10'"),
      MESHED("<mesh name='c' file='cube.obj' scale='.1 -.2 .3' inertia='exact'/>",
             "mesh='c' mass='0.48'"),
      MESHED("<mesh name='c' vertex='" CUBE_V "' face='" CUBE_F "' scale='.1 .2 .3'"
             " inertia='convex'/>",
             "mesh='c' mass='0.48'"),
      // a quarter turn about z, back before the scale
      MESHED("<mesh name='c' file='cube.obj' scale='.1 .2 .3' refquat='1 0 0 1' refpos='1 0 0'/>",
             "mesh='c' mass='0.48'"),
  };
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    cardan_model *model = load_with(texts[i], "m.xml", files);
    const cardan_inertia *G = &model->body[1].inertia;
    double moment[3];
    assert_int_equal(cardan__inertia_check(G, moment), CARDAN__INERTIA_OK);
    assert_near(G->m, 0.48, 1e-15);
    assert_near(moment[0], 0.16 * (0.01 + 0.04), 1e-15);
    assert_near(moment[1], 0.16 * (0.01 + 0.09), 1e-15);
    assert_near(moment[2], 0.16 * (0.04 + 0.09), 1e-15);
    const double y = i == 3 ? 0.2 : 0, far = sqrt(1 + y * y);
    assert_near(cardan__vec3_norm(G->h), 0.48 * far, 1e-15);
    cardan_model_destroy(model);
  }
}

/* Keyframes: qpos less ref; a free body's velocity from world axes to its own. */
static void keys(void **state)
{
  static const char text[] = "<mujoco><worldbody>"
                             "<body name='f' pos='1 2 3'><freejoint name='f'/>" BODY "</body>" TWO
                             "</worldbody><actuator><motor joint='a'/></actuator><keyframe>"
                             "<key name='home' qpos='4 5 6 1 0 0 1 0.3 0.5' qvel='1 2 3 4 5 6 7 8' "
                             "ctrl='9'/><key ctrl='2'/>"
                             "</keyframe></mujoco>";
  (void)state;
  cardan_model *model = load(text, "m.xml");
  const double h = sqrt(0.5), ref = acos(-1.0) / 6;
  const double q[9] = {4, 5, 6, h, 0, 0, h, 0.3, 0.5 - ref}, v[8] = {4, 5, 6, 2, -1, 3, 7, 8};
  const double drawn[9] = {1, 2, 3, 1, 0, 0, 0, 0, 0};
  assert_int_equal(model->nkeyframe, 2);
  assert_string_equal(model->keyframe[0].name, "home");
  assert_near_vec(model->keyframe[0].q, q, 9, 1e-15);
  assert_near_vec(model->keyframe[0].v, v, 8, 1e-14);
  assert_near(model->keyframe[0].u[0], 9, 0);
  assert_string_equal(model->keyframe[1].name, "key2");
  assert_near_vec(model->keyframe[1].q, drawn, 9, 0);
  assert_near(model->keyframe[1].u[0], 2, 0);
  cardan_model_destroy(model);
}

/* What is not understood is reported once for each kind, at its first place. */
static void unread(void **state)
{
  (void)state;
  cardan_model *model = load("<mujoco>\n<custom/>\n<default><joint springdamper='1 1'/>"
                             "<camera fovy='3'/></default><worldbody>\n" HINGE("a") "\n" HINGE(
                                 "b") "<light/><light/></worldbody></mujoco>",
                             "m.xml");
  assert_int_equal(model->nwarning, 3);
  assert_string_equal(model->warning[0], "line 2: custom is not used");
  assert_string_equal(model->warning[1], "line 3: joint's springdamper is not used");
  assert_string_equal(model->warning[2], "line 5: light is not used, here and in 1 more place");
  cardan_model_destroy(model);
}

/* ---- what is wrong ---- */

#define IN(inner) "<mujoco><worldbody>\n" inner "</worldbody></mujoco>"
#define TAIL(more) "<mujoco><worldbody>" TWO "</worldbody>" TENDONS "\n" more "</mujoco>"

static const robot_wrong bad[] = {
    {"", 1, 1, "not well-formed"},
    {"<mujoco>", 1, 9, "not well-formed"},
    {"<sdfx/>", 1, 1, "expected <mujoco>"},
    {"<mujoco>\n<compiler angle='grad'/></mujoco>", 2, 1, "expected degree or radian"},
    {"<mujoco><compiler coordinate='global'/><worldbody>\n<body/></worldbody></mujoco>", 2, 1,
     "without \"pos\" in global"},
    {"<mujoco>\n<compiler eulerseq='xyw'/></mujoco>", 2, 1, "eulerseq"},
    {"<mujoco>\n<compiler settotalmass='much'/></mujoco>", 2, 1, "expected 1 number"},
    {"<mujoco>\n<option gravity='0 0'/></mujoco>", 2, 1, "expected 3 numbers"},
    {"<mujoco>\n<option timestep='-1'/></mujoco>", 2, 1, "expected one above 0"},
    {"<mujoco><option>\n<flag gravity='off'/></option></mujoco>", 2, 1, "enable or disable"},
    {"<mujoco><default>\n<default/></default></mujoco>", 2, 1, "without \"class\""},
    {"<mujoco><default><default class='a'/>\n<default class='a'/></default></mujoco>", 2, 1,
     "two of default class \"a\""},
    {"<mujoco><default/>\n<default class='a'/></mujoco>", 2, 1, "stands at the top"},
    {IN("<body childclass='soft'/>"), 2, 1, "no default class \"soft\""},
    {IN("<body><geom class='soft'/></body>"), 2, 7, "no default class \"soft\""},
    {IN("<joint/>"), 2, 1, "the world has a joint"},
    {IN("<body><joint type='screw'/></body>"), 2, 7, "expected free, ball, slide or hinge"},
    {IN("<body><joint axis='0 0 0'/></body>"), 2, 7, "expected a direction"},
    {IN("<body><joint axis='0 0'/></body>"), 2, 7, "expected 3 numbers"},
    {IN("<body><joint/><freejoint/></body>"), 2, 15, "a free joint must be the only joint"},
    {IN("<body><freejoint/><joint/></body>"), 2, 19, "a free joint must be the only joint"},
    {IN("<body><body><freejoint/></body></body>"), 2, 13, "a free joint must be the only joint"},
    {IN("<body name='a'/><body name='a'/>"), 2, 17, "two of body \"a\""},
    {IN("<body><joint name='a'/><joint name='a'/></body>"), 2, 24, "two of joint \"a\""},
    {IN("<body><joint limited='true'/>" BODY "</body>"), 2, 7, "expected a range that rises"},
    {IN("<body><joint limited='true' range='2 1'/>" BODY "</body>"), 2, 7,
     "expected a range that rises"},
    {IN("<body><joint limited='maybe'/>" BODY "</body>"), 2, 7, "expected false, true or auto"},
    {IN("<body quat='0 0 0 0'/>"), 2, 1, "no direction"},
    {IN("<body quat='1 0 0 0' euler='0 0 0'/>"), 2, 1, "in two ways"},
    {IN("<body pos='1 2 nan'/>"), 2, 1, "expected 3 numbers"},
    {IN("<body><inertial mass='-1'/></body>"), 2, 7, "expected none below 0"},
    {IN("<body><inertial/></body>"), 2, 7, "without \"mass\""},
    {IN("<body>" BODY BODY "</body>"), 2, 59, "second <inertial>"},
    {IN("<body><joint/><inertial mass='1' diaginertia='-1 1 1'/></body>"), 2, 15,
     "principal moment"},
    {IN("<body><joint/><geom size='1' mass='-1'/></body>"), 2, 15, "expected none below 0"},
    {IN("<body><joint/><geom size='1' density='-1'/></body>"), 2, 15, "expected none below 0"},
    {IN("<geom/>"), 2, 1, "needs 1 size above 0"},
    {IN("<geom size='0'/>"), 2, 1, "needs 1 size above 0"},
    {IN("<geom type='box' size='1 2'/>"), 2, 1, "needs 3 sizes above 0"},
    {IN("<geom size='1 2 3 4'/>"), 2, 1, "expected 1 to 3 numbers"},
    {IN("<geom fromto='0 0 0 1 1 1' size='1'/>"), 2, 1, "has no ends"},
    {IN("<geom type='capsule' fromto='0 0 0 0 0 0' size='1'/>"), 2, 1, "one point"},
    {IN("<geom type='cone'/>"), 2, 1, "expected plane"},
    {IN("<body><joint/><geom type='mesh'/></body>"), 2, 15, "without \"mesh\""},
    {IN("<composite/>"), 2, 1, "makes bodies"},
    {IN("<replicate/>"), 2, 1, "without \"count\""},
    {IN("<replicate count='1e9'/>"), 2, 1, "expected 0 to"},
    {IN("<replicate count='1000'><replicate count='1000'><replicate count='1000'/></replicate>"
        "</replicate>"),
     2, 25, "more than"},
    {TAIL("<equality><connect body1='c' anchor='0 0 0'/></equality>"), 2, 11, "no body \"c\""},
    {TAIL("<equality><connect body1='a'/></equality>"), 2, 11, "without \"anchor\""},
    {TAIL("<equality><connect body1='a' body2='a' anchor='0 0 0'/></equality>"), 2, 11,
     "at both ends"},
    {TAIL("<equality><connect site1='s'/></equality>"), 2, 11, "expected site1 and site2"},
    {TAIL("<equality><joint joint1='a' joint2='x'/></equality>"), 2, 11, "no joint \"x\""},
    {TAIL("<equality><tendon tendon1='x'/></equality>"), 2, 11, "no tendon \"x\""},
    {TAIL("<tendon><fixed name='t'/></tendon>"), 2, 9, "two of tendon \"t\""},
    {TAIL("<tendon><fixed><joint joint='x' coef='1'/></fixed></tendon>"), 2, 16, "no joint \"x\""},
    {TAIL("<tendon><spatial stiffness='1'><site site='s'/><geom geom='g'/><site site='w'/>"
          "</spatial></tendon>"),
     2, 9, "wraps around geoms"},
    {TAIL("<tendon><spatial><pulley divisor='0'/></spatial></tendon>"), 2, 18, "above 0"},
    {TAIL("<actuator><motor joint='x'/></actuator>"), 2, 11, "no joint \"x\""},
    {TAIL("<actuator><motor name='m' joint='a'/><motor name='m' joint='a'/></actuator>"), 2, 38,
     "two of actuator \"m\""},
    {TAIL("<actuator><motor joint='a' ctrllimited='true' ctrlrange='1 1'/></actuator>"), 2, 11,
     "range that rises"},
    {TAIL("<actuator><motor joint='a' forcelimited='true'/></actuator>"), 2, 11,
     "range that rises"},
    {TAIL("<actuator><motor joint='a' gear='x'/></actuator>"), 2, 11, "expected 1 to 6 numbers"},
    {TAIL("<actuator><general joint='a' gaintype='odd'/></actuator>"), 2, 11, "expected fixed"},
    {TAIL("<actuator><position joint='a' kp='-1'/></actuator>"), 2, 11, "gain below 0"},
    {MESHED("\n<mesh/>", ""), 2, 1, "without \"name\" and \"file\""},
    {MESHED("<mesh file='a.obj'/>\n<mesh name='a'/>", ""), 2, 1, "two of mesh \"a\""},
    {MESHED("<mesh name='a'/>\n", "mesh='b'"), 2, 56, "no mesh \"b\""},
    {MESHED("\n<mesh file='none.obj'/>", "mesh='none'"), 2, 1, "cannot find \"m/none.obj\""},
    {MESHED("\n<mesh file='bad.obj'/>", "mesh='bad'"), 2, 1, "\"m/bad.obj\" in line 2: expected"},
    {MESHED("\n<mesh file='bad.dae'/>", "mesh='bad'"), 2, 1, "expected .stl, .obj or .msh"},
    {MESHED("\n<mesh name='a' vertex='0 0 0'/>", "mesh='a'"), 2, 1, "expected triangles"},
    {MESHED("\n<mesh name='a' vertex='0 0 0' face='0 0 1'/>", "mesh='a'"), 2, 1, "vertex 1"},
    {MESHED("\n<mesh name='a' vertex='0 0 0' face='0 0 0'/>", "mesh='a'"), 2, 1,
     "encloses nothing"},
    {MESHED("\n<mesh name='a' vertex='0 0' face='0 0 0'/>", "mesh='a'"), 2, 1, "three numbers"},
    {TAIL("<keyframe><key qpos='1'/></keyframe>"), 2, 11, "the 2 numbers"},
    {TAIL("<keyframe><key ctrl='1'/></keyframe>"), 2, 11, "the 0 numbers"},
    {TAIL("<sensor><jointpos joint='x'/></sensor>"), 2, 9, "no joint \"x\""},
    {TAIL("<sensor><gyro/></sensor>"), 2, 9, "says not of what"},
    {TAIL("<sensor><framepos objtype='body' objname='x'/></sensor>"), 2, 9, "no body \"x\""},
    {IN("<attach/>"), 2, 1, "without \"model\""},
    {IN("<attach model='x' body='b'/>"), 2, 1, "no model \"x\""},
    {"<mujoco><asset><model name='x' file='none.xml'/></asset>"
     "<worldbody>\n<attach model='x' "
     "body='b'/></worldbody></mujoco>",
     2, 1, "cannot find \"none.xml\""},
    {"<mujoco><asset><model name='x' file='empty.xml'/></asset><worldbody>\n<attach model='x' "
     "body='b'/></worldbody></mujoco>",
     2, 1, "has no body \"b\""},
    {"<mujoco><compiler angle='radian'/><asset><model file='empty.xml'/></asset><worldbody>\n"
     "<attach model='empty' body='b'/></worldbody></mujoco>",
     2, 1, "angle is \"degree\""},
    {"<mujoco><asset><model name='x' file='round.xml'/></asset><worldbody>\n<attach model='x' "
     "body='b'/></worldbody></mujoco>",
     1, 75, "read while it is being read"},
    {"<mujoco>\n<include/></mujoco>", 2, 1, "without \"file\""},
    {"<mujoco>\n<include file='none.xml'/></mujoco>", 2, 1, "cannot find \"none.xml\""},
    {"<mujoco>\n<include file='self.xml'/></mujoco>", 1, 9, "second time"},
    {"<mujoco><include file='empty.xml'/>\n<include file='empty.xml'/></mujoco>", 2, 1,
     "second time"},
    {"<mujoco>\n<include file='bad.xml'/></mujoco>", 1, 20, "no default class \"x\""},
    {"<mujoco>\n<include file='sdf.xml'/></mujoco>", 1, 1, "expected <mujoco>"},
};

static void wrong_files(void **state)
{
  static const file files[] = {
      {"self.xml", "<mujoco><include file='self.xml'/></mujoco>"},
      {"empty.xml", "<mujoco/>"},
      {"bad.xml", "<mujoco><worldbody><geom class='x'/></worldbody></mujoco>"},
      {"sdf.xml", "<sdf/>"},
      {"round.xml", "<mujoco><asset><model name='x' file='round.xml'/></asset><worldbody>      "
                    "<attach model='x' body='b'/></worldbody></mujoco>"},
      {"m/bad.obj", "v 1 2 3\nv 1 2\n"},
      {"m/bad.dae", ""},
      {NULL, NULL}};
  const cardan_files other = {
      .user = (void *)(uintptr_t)files, .read = read_file, .release = release_file};
  (void)state;
  robot_wrong_files(bad, sizeof bad / sizeof *bad, "r.xml", &other);
}

static void too_many_defaults(void **state)
{
  char text[1000] = "<mujoco><default>";
  cardan_report report;
  cardan_model *model;
  (void)state;
  for (int i = 0; i < 101; i++) {
    strcat(text, "<geom/>");
  }
  assert_true(try_load(strcat(text, "</default></mujoco>"), "r.xml", NULL, &model, &report) < 0);
}

/* Every allocation that can fail, fails once. */
static void no_memory(void **state)
{
  const cardan_files files = {
      .user = (void *)(uintptr_t)parts, .read = read_file, .release = release_file};
  static const char *const texts[] = {
      arm, two_arms,
      TAIL("<equality><connect body1='a' anchor='0 0 1'/><tendon tendon1='t'/></equality>"
           "<actuator><motor joint='a'/><position tendon='t'/><motor tendon='p'/>"
           "<motor site='s' gear='1 2'/><velocity joint='a' name='v'/></actuator>"
           "<sensor><gyro site='s'/><tendonpos tendon='t'/><actuatorfrc actuator='v'/>"
           "<framepos objtype='body' objname='a'/></sensor><keyframe><key qpos='1 1'/>"
           "</keyframe>"),
      MESHED("<mesh name='c' vertex='" CUBE_V "' face='" CUBE_F "'/>", "mesh='c'")};
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_true(robot_no_memory(texts[i], "arm.xml", &files) > 10);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_by_hand),     cmocka_unit_test(round_trip),
      cmocka_unit_test(turns),          cmocka_unit_test(global),
      cmocka_unit_test(masses),         cmocka_unit_test(equalities),
      cmocka_unit_test(weld_at_anchor), cmocka_unit_test(forces),
      cmocka_unit_test(ball_spring),    cmocka_unit_test(attachments),
      cmocka_unit_test(meshes),         cmocka_unit_test(keys),
      cmocka_unit_test(includes),       cmocka_unit_test(unread),
      cmocka_unit_test(wrong_files),    cmocka_unit_test(too_many_defaults),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
