// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mbs_fixture.h"
#include "model/spec.h"

// Reading, writing and reading again gives the same spec, bit for bit, for every form.

static void every_form(void **state)
{
  static const char *const texts[] = {
      "(system)",
      "(mechanical-system \"a \\\"quoted\\\" \\\\ name\")",
      "(SYSTEM (GRAVITY 0 0 -9.81))",
      "(system (gravity 0 (neg 9.81) 1e-300))",
      "(system (rounding 1e-6 1e-4))",
      "(system (define L 0.1) (define Half (/ l 2)) (tx half))",
      "(system (when 1 (tx 1)) (when 0 (tx 2)) (when (- 1 1) (weld 1)))",
      "(system (tx 1 (name \"A\")) (at \"A\" (ty 2) (tz 3)))",
      "(system (tx 0.1 ty 0.2 tz -0.3 rx 0.4 ry 0.5 rz 0.6 (name \"A\") (mass 1)))",
      "(system (tx \"x\" ty (d \"y\") rz (k \"a\") (mass 1 2 3 4)))",
      "(system (rz \"a\" (name \"F\") (mass 1 2 3 4 0.1 0.2 0.3) (color \"#00ffAA\")))",
      "(system (tx 0 (mass 0) (tx 1 (mass 0 1 1 1))))",
      "(system (tx 1 (shape box 1 2 3) (shape sphere 1) (shape cylinder 1 2) (shape capsule 1 2)))",
      "(system (tx 1 (shape mesh \"a/b.stl\") (shape mesh \"abs/..b/c.stl\")))",
      "(system (place (1 2 3)) (place (1 2 3) (rpy 0.1 0.2 0.3)) (place (0 0 0) (rotvec 3 2 1)))",
      "(system (place (0 0 0) (quat 1 2 3 4) (mass 1)) (place (0 0 0) (quat 1e-200 0 0 -1e-200)))",
      "(system (joint revolute \"r\" (axis 1 2 3) (limit -1 1)))",
      "(system (joint prismatic \"p\" (limit -1 1 (restitution 0.8)) (effort 2.5)))",
      "(system (tx 1 (shape mesh \"package://a/b.stl\" 0.001 2 -1)))",
      "(system (joint prismatic \"p\" (mass 1) (axis 1e200 0 1e200)))",
      "(system (joint helical \"h\" (pitch 0.25) (axis 0 1e-200 0)))",
      "(system (joint cylindrical \"c\" (axis 0 1 0) (name \"C\")))",
      "(system (joint universal \"u\" (axis 0 0 1) (axis2 1 1 0)))",
      "(system (joint universal \"u\") (joint spherical \"s\") (joint planar \"p\"))",
      "(system (joint free \"f\") (joint fixed \"x\"))",
      "(system (simulate (method VI) (dt 0.01) (time (* 10 2)) (order 4)))",
      "(system (input \"u\") (input \"any name!\" -0.5 (limit -1 (/ 1 3))) (input \"w\" (limit -1 "
      "1)))",
      // the coordinate of a closing joint, behind what stands on it, and of two
      "(system (joint cylindrical \"a\" (mass 1 1 1 1)) (place (0 0 0) (name \"A\"))"
      " (torque \"c.a\" (* q.c.d v.c.a)) (stop \"c.d\" -1 1 (restitution 0.5))"
      " (close cylindrical \"A\" \"a\" (coordinate \"c\")) (gear \"a.a\" \"c.a\" 1))",
      "(system (joint prismatic \"a\" (mass 1)) (place (0 0 0) (name \"A\"))"
      " (close prismatic \"A\" \"a\" (limit -1 2 (restitution 0.5))))",
      "(system (parameter k 3) (rz \"a\" (mass 1 1 1 1) (name \"any \\\"B\\\"\")) (place (0 0 0)"
      " (name \"A\")) (close revolute \"A\" \"any \\\"B\\\"\" (axis 1 2 3) (coordinate \"my c\"))"
      " (input \"u\") (actuator \"m\" \"my c\" \"u\" (gear k) (limit -4 4)) (damping \"my c\" k)"
      " (torque \"my c\" (* k (q \"my c\") (v \"my c\"))) (joint-spring \"my c\" (* 2 k) k)"
      " (motion \"my c\" (* k t)))",
      "(system (simulate (solver riqn) (no-assemble) (no-cache)))",
  };
  (void)state;
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
    cardan_spec *spec = read_good(texts[i]);
    assert_round_trip(spec, false);
    cardan_spec_destroy(spec);
  }
}

// numbers keep the parameters that they depend on, wherever they stand
static void parameters(void **state)
{
  static const char *const texts[] = {
      "(system (parameter L 2) (tx L (mass (* L 3))))",
      "(system (parameter g 9.81) (gravity 0 0 (- g)))",
      "(system (define a 2) (parameter L 2) (define b (* a L)) (define c 1) (tx b ty c rz (+ b "
      "L)))",
      "(system (parameter p 0.5) (place (p 0 (neg p)) (rpy 0 p 1)) (place (0 p 0) (quat 1 p 0 0)))",
      "(system (parameter p 0.5) (tx 1 (mass 1 p (+ p 1) 0 0 (- p p) 0) (shape box p 1 p)))",
      "(system (parameter p 0) (tx 1 (mass 1 1 1 1 0 0 p)) (ty 1 (mass 1 p 0 0)))",
      "(system (parameter P 0.5) (joint helical \"h\" (pitch p) (mass 1) (limit (- p) 1))"
      " (joint-spring \"h\" p 0) (torque \"h\" (* p t)) (initial (\"h\" P (* 2 p))))",
      "(system (parameter p 1) (tx 1 (name \"A\")) (point-constraint \"A\" \"world\" (0 p 1))"
      " (close helical \"A\" \"world\" (pitch (* 3 p))))",
      "(system (rx \"q\") (output \"a b\" (+ (ax \"q\") (comz \"q\") (qw \"q\") (acc-x \"q\")))"
      " (weld \"q\" \"world\" (name \"w\"))"
      " (output \"l\" (- (lambda \"w\" 6) (kinetic) (potential) (f \"q\") t q.q)))",
  };
  (void)state;
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
    cardan_spec *spec = read_good(texts[i]);
    assert_round_trip(spec, false);
    cardan_spec_destroy(spec);
  }
}

// one that is also used where only a reader can change it is written as fixed
static void rigid_parameters(void **state)
{
  cardan_spec *spec = read_good("(system (parameter n 2) (parameter k 1) (define m (* 2 n))"
                                " (joint revolute \"a\" (axis m 0 0) (mass 1 1 1 1)) (tx m))");
  char *text;
  (void)state;
  assert_int_equal(cardan_spec_write(spec, NULL, &text), CARDAN_OK);
  cardan_spec *back = read_good(text);
  // what m cannot follow, n cannot
  assert_true(spec->define[0].rigid_pos.line > 0 && spec->define[1].rigid_pos.line == 0);
  assert_true(back->define[0].rigid_pos.line > 0 && back->define[1].rigid_pos.line == 0);
  assert_true(back->frame[2].value == 4.0 && back->joint[0].axis.x == 4.0);
  assert_round_trip(spec, false);
  const cardan_setting set[] = {{"n", 3.0}};
  cardan_report report = {0};
  cardan_spec *wrong;
  assert_int_equal(cardan_spec_read(text, strlen(text), "x", set, 1, NULL, &wrong, &report),
                   CARDAN_ERR_SYNTAX);
  assert_non_null(strstr(report.message, "fixed in this text"));
  cardan_free_text(NULL, text);
  cardan_spec_destroy(spec);
  cardan_spec_destroy(back);
}

static const char frames[] =
    "(tx 1 (name \"A\")) (ty 1 (name \"B\")) (place (0 0 1) (name \"F\"))"
    "(joint revolute \"q\" (mass 1 1 1 1)) (joint prismatic \"p\" (mass 1))"
    "(joint universal \"u\") (joint spherical \"ball\") (joint free \"base\") (rx (k \"drive\"))"
    "(tz \"any name!\")";

static void every_element(void **state)
{
  static const char *const items[] = {
      "(point-constraint \"A\" \"B\" (1 0 0))",
      "(point-constraint \"A\" \"B\" 0 1 0.5)",
      "(point-constraint \"A\" \"B\" (neg 1) 0 0 (name \"n\"))",
      "(point-constraint \"A\" \"B\" (0 (neg 1) 0) (in \"F\") (name \"n\"))",
      "(coincide \"A\" \"B\")",
      "(coincide \"A\" \"world\" (name \"pin\"))",
      "(wire \"A\" \"B\" 2)",
      "(wire \"A\" \"B\" (+ 2 (sin (* 3 t))))",
      "(screw \"q\" \"p\" 0.1)",
      "(gear \"q\" \"u.a\" -2 (name \"g\"))",
      "(equation (- q.q (^ q.p 2)))",
      "(equation (- (dist \"A\" \"B\") (+ 1 t)) (name \"e\"))",
      "(close fixed \"A\" \"B\") (close revolute \"A\" \"B\" (axis 1 0 0) (limit 0 1))",
      "(close helical \"A\" \"B\" (pitch 0)) (close universal \"A\" \"B\" (axis2 0 1 1))",
      "(close spherical \"A\" \"B\" (name \"c\")) (close planar \"A\" \"B\")",
      "(close prismatic \"A\" \"B\") (close cylindrical \"A\" \"B\" (axis 0 1 0))",
      "(weld \"A\" \"q\")",
      "(roll \"A\" \"B\" (disc 0.3)) (roll \"A\" \"B\" (grip 0.8) (ball 0.1) (name \"r\"))",
      "(roll \"A\" \"B\" (axis 0 1 (neg 2)) (flat) (disc 0.3))",
      "(skate \"A\" \"B\") (skate \"A\" \"B\" (edge 0 1 0) (name \"s\"))",
      "(velocity (+ (* q.q v.p) (* (cos t) (vx \"A\")) (/ (wz \"B\") (+ 2 t)) (sin t)))",
      "(spring \"A\" \"B\" 100 0.5)",
      "(joint-spring \"q\" 10 (deg 30))",
      "(torsion-spring \"q\" 10 0)",
      "(potential (* 0.5 (^ q.q 2) (pz \"A\") (px \"B\") (py \"F\") (q \"any name!\")))",
      "(newton-gravity \"A\" \"B\" 6.6743e-11)",
      "(damping 0.1) (damping \"ball.wx\" 0.2) (damping \"p\" 0.3)",
      "(damper \"A\" \"B\" 3)",
      "(torque \"q\" (- (* t v.q) q.ball.qw v.base.vz (v \"any name!\") (px \"A\")))",
      "(torque \"base.vx\" 1)",
      "(wrench body \"A\" (0 0 1) (0 0 0))",
      "(WRENCH World \"A\" ((sin t) v.q q.p) ((dist \"A\" \"F\") 0 -1) (name \"w\"))",
      "(input \"in\") (input \"any name\") (torque \"q\" (* u.in (U \"any name\")))",
      "(input \"q\") (actuator \"m\" \"q\" \"q\") (actuator \"s\" \"p\" \"q\" (servo 5 0) (gear "
      "-2))",
      "(input \"in\") (actuator \"all\" \"q\" \"in\" (limit -3 0) (servo 0 2) (gear 0.5))",
      "(friction \"q\" 0.1) (friction \"p\" 0.1 (vs 0.01)) (friction \"u\" 0 (radius 0.2))",
      "(friction \"q\" 0.1 (vs 0.01) (radius 0.02) (name \"f\"))",
      "(motion \"drive\" (* 2 pi t)) (motion \"q\" (if (< t 1) (step t) (min t 2)))",
      "(dry-friction \"q\" 0.5) (dry-friction \"ball.wx\" 0.1 (vs 1e-4) (name \"d\"))"
      "(program \"thruster\")",
      "(armature \"q\" 0.01) (armature \"u.b\" (/ 1 3)) (armature \"p\" 0)",
      "(keyframe \"home\") (keyframe \"up\" (\"q\" 1 2) (\"u\" (1 2)) (\"ball\" (1 0 0 0) (0 0 "
      "20)))",
      "(input \"f\" 1) (keyframe \"a\" (\"u.b\" 1 2) (input \"f\" 3)) (keyframe \"b\" (\"u.b\" 2)) "
      "(initial (\"u.b\" 3))",
      "(initial)",
      "(initial (\"q\" 1) (\"p\" (deg 1) 2) ((\"u\" (1 2)) fixed) (\"ball\" (1 0 0 0) (0 0 20)))",
      "(initial (\"base\" (1 2 3 1 0 0 0) (1 2 3 4 5 6)) (\"u.b\" 3 4) (\"drive\" 0))",
      "(initial ((\"ball.qw\" 1) fixed)) (initial (\"any name!\" (pi)))",
      "(initial (pose \"A\" (1 2 3)) (pose \"B\" (0 0 0) (rpy 1 2 3)))",
      "(initial (pose \"q\" (0 0 0) (quat 0 0 0 2)))",
      "(initial (pose \"A\" (1 2 3) (rotvec 0 0 0)))",
      "(initial (pose \"A\" (1 2 3) (velocity (0.1 (/ 1 3) -2))))",
      "(initial (pose \"A\" (1 2 3) (rpy 1 2 3) (velocity (0 0 0) (1 (sqrt 2) 3))))",
  };
  (void)state;
  for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++) {
    char text[2000];
    snprintf(text, sizeof(text), "(system %s %s)", items[i], frames);
    cardan_spec *spec = read_good(text);
    assert_round_trip(spec, false);
    cardan_spec_destroy(spec);
  }
}

// what was read is what was meant, field by field
static void meanings(void **state)
{
  (void)state;
  cardan_spec *spec = read_good("(system \"two\" (define a 2) (gravity 0 1 (- A))\n"
                                " (TX a tY \"v\" (Name \"A\") (mass 1 2 3 4 0.5 0.25 0.125)\n"
                                "   (place (1 2 3) (rpy 0 0 (/ pi 2)) (color \"#123456\")))\n"
                                " (joint universal \"u\" (axis2 0 0 3) (rz (k \"w\"))))");
  assert_string_equal(spec->name, "two");
  assert_true(spec->gravity.y == 1.0 && spec->gravity.z == -2.0);
  assert_int_equal(spec->nframe, 6);
  const cardan__spec_frame *f = spec->frame;
  assert_true(f[1].transform == CARDAN_TRANSFORM_TX && f[1].value == 2.0 && !f[1].var &&
              f[1].parent == 0);
  assert_true(f[2].transform == CARDAN_TRANSFORM_TY && f[2].parent == 1 && !f[2].kinematic &&
              !f[1].name);
  assert_string_equal(f[2].var, "v");
  assert_string_equal(f[2].name, "A");
  const cardan_mass m = f[2].mass;
  assert_true(m.m == 1.0 && m.xx == 2.0 && m.yy == 3.0 && m.zz == 4.0);
  assert_true(m.xy == 0.5 && m.xz == 0.25 && m.yz == 0.125);
  assert_true(f[2].mass_pos.line == 2 && f[2].mass_pos.column == 26);
  assert_int_equal(f[3].parent, 2);
  // a right angle is exact: Rz(pi/2) takes x to y
  const cardan_mat3 R = f[3].place.R;
  assert_true(R.m[0][0] == 0.0 && R.m[1][0] == 1.0 && R.m[0][1] == -1.0 && R.m[2][2] == 1.0);
  assert_string_equal(f[3].color, "#123456");
  const cardan_joint_def u = spec->joint[f[4].joint];
  assert_true(u.kind == CARDAN_JOINT_UNIVERSAL && u.axis.x == 1.0 && u.axis2.z == 3.0);
  assert_true(f[5].kinematic && f[5].parent == 4);

  // names: given, taken from the variable, and the world's
  assert_int_equal(cardan_spec_find_frame(spec, "A"), 2);
  assert_int_equal(cardan_spec_find_frame(spec, "v"), -1);
  assert_int_equal(cardan_spec_find_frame(spec, "u"), 4);
  assert_int_equal(cardan_spec_find_frame(spec, "w"), 5);
  assert_int_equal(cardan_spec_find_frame(spec, "world"), 0);
  cardan_spec_destroy(spec);
}

// rotations: the three forms of one rotation agree; rpy is as in URDF, Rz(y) Ry(p) Rx(r)
static void rotations(void **state)
{
  (void)state;
  cardan_spec *spec =
      read_good("(system (place (0 0 0) (rpy 0 0 0.5)) (place (0 0 0) (rotvec 0 0 0.5))"
                " (place (0 0 0) (quat (cos 0.25) 0 0 (sin 0.25)))"
                " (place (0 0 0) (rpy 0.3 0.4 0.5)))");
  const double c = 0.87758256189037271612, s = 0.47942553860420300027; // cos, sin of 0.5
  for (int i = 1; i <= 3; i++) {
    const cardan_mat3 R = spec->frame[i].place.R;
    // a few roundings in each entry
    assert_near(R.m[0][0], c, 4 * DBL_EPSILON);
    assert_near(R.m[1][0], s, 4 * DBL_EPSILON);
    assert_near(R.m[0][1], -s, 4 * DBL_EPSILON);
    assert_near(R.m[2][2], 1.0, 4 * DBL_EPSILON);
  }
  // last row of Rz(y) Ry(p) Rx(r): -sin p, cos p sin r, cos p cos r
  const cardan_mat3 R = spec->frame[4].place.R;
  assert_near(R.m[2][0], -0.38941834230865049167, 4 * DBL_EPSILON);
  assert_near(R.m[2][1], 0.92106099400288508279 * 0.29552020666133957511, 4 * DBL_EPSILON);
  cardan_spec_destroy(spec);
}

// a setting takes the place of a (define ..), in any case, also for later ones that use it
static void settings(void **state)
{
  static const char text[] = "(system (define L 1) (define M (* 2 L)) (tx M))";
  const cardan_setting set[] = {{"l", 3.0}};
  cardan_spec *spec;
  cardan_report report = {0};
  (void)state;
  assert_int_equal(cardan_spec_read(text, strlen(text), "x", set, 1, NULL, &spec, &report), 0);
  assert_true(spec->frame[1].value == 6.0 && spec->define[0].value == 3.0);
  assert_round_trip(spec, false);
  cardan_spec_destroy(spec);

  const cardan_setting wrong[] = {{"M", 1.0}, {"LL", 3.0}};
  assert_int_equal(cardan_spec_read(text, strlen(text), "x", wrong, 2, NULL, &spec, &report),
                   CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "\"LL\""));
  assert_non_null(strstr(report.message, "did you mean \"l\"?"));

  // of a parameter too, and a constant that is set no longer follows
  static const char living[] = "(system (parameter L 1) (define M (* 2 L)) (tx M))";
  assert_int_equal(cardan_spec_read(living, strlen(living), "x", set, 1, NULL, &spec, &report), 0);
  assert_true(spec->frame[1].value == 6.0 && spec->define[1].alive);
  cardan_spec_destroy(spec);
  assert_int_equal(cardan_spec_read(living, strlen(living), "x", wrong, 1, NULL, &spec, &report),
                   0);
  assert_true(spec->frame[1].value == 1.0 && !spec->define[1].alive);
  cardan_spec_destroy(spec);
}

/* ---- long and wide trees ---- */

// a chain of n frames, each below the last, as code builds it
static cardan_spec *chain(int n, bool named, bool turning)
{
  cardan_spec *spec;
  int frame = 0;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  for (int i = 1; i <= n; i++) {
    char name[24];
    const cardan_xform T = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, i}};
    snprintf(name, sizeof(name), "f%d", i);
    frame = turning ? cardan_spec_variable(spec, frame, CARDAN_TRANSFORM_RY, name, false)
                    : cardan_spec_place(spec, frame, &T);
    if (named && !turning) {
      cardan_spec_frame_name(spec, frame, name);
    }
  }
  assert_int_equal(cardan_spec_status(spec, NULL), CARDAN_OK);
  return spec;
}

// most "(" that are open at once
static int depth_of(const char *text)
{
  int depth = 0, most = 0;
  for (; *text; text++) {
    depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
    most = depth > most ? depth : most;
  }
  assert_int_equal(depth, 0);
  return most;
}

static void long_chains(void **state)
{
  (void)state;
  for (int way = 0; way < 3; way++) {
    // named places go flat; variables merge into one list; places without a name can only nest,
    // and past the reader's bound one of them is given a name
    cardan_spec *spec = chain(25000, way == 0, way == 1);
    char *text;
    assert_round_trip(spec, way == 2);
    assert_int_equal(cardan_spec_write(spec, NULL, &text), CARDAN_OK);
    assert_true(depth_of(text) <= (way == 2 ? 10000 : 20));
    cardan_free_text(NULL, text);
    cardan_spec_destroy(spec);
  }
}

// random trees: any parent for any frame, with and without names
static void random_trees(void **state)
{
  support_rng rng = {7};
  (void)state;
  for (int trial = 0; trial < 300; trial++) {
    const int n = support_random_int(&rng, 1, 60), naming = trial % 3;
    cardan_spec *spec;
    assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
    for (int i = 1; i <= n; i++) {
      const int near = i > 8 && trial % 2 ? i - 8 : 0;
      const int parent = support_random_int(&rng, near, i - 1),
                what = support_random_int(&rng, 0, 4);
      char name[24];
      int frame;
      snprintf(name, sizeof(name), "v%d", i);
      if (what == 0) {
        const cardan_joint_def joint = {.kind = CARDAN_JOINT_SPHERICAL, .name = name};
        frame = cardan_spec_joint(spec, parent, &joint);
      } else if (what == 1) {
        frame = cardan_spec_variable(spec, parent, CARDAN_TRANSFORM_RY, name, trial % 5 == 0);
      } else {
        frame = cardan_spec_transform(spec, parent, CARDAN_TRANSFORM_TX,
                                      support_random_in(&rng, -1, 1));
      }
      assert_int_equal(frame, i);
      if (naming == 0 || (naming == 1 && support_random_int(&rng, 0, 1))) {
        snprintf(name, sizeof(name), support_random_int(&rng, 0, 9) ? "n%d" : "frame-%d", i);
        cardan_spec_frame_name(spec, frame, name);
      }
      if (support_random_int(&rng, 0, 3) == 0) {
        cardan_spec_mass(spec, frame, &(cardan_mass){.m = 1});
      }
    }
    assert_int_equal(cardan_spec_status(spec, NULL), CARDAN_OK);
    assert_round_trip(spec, naming != 0);
    cardan_spec_destroy(spec);
  }
}

// numbers of every size come back to the last bit
static void numbers(void **state)
{
  support_rng rng = {11};
  cardan_spec *spec;
  (void)state;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  cardan_spec_transform(spec, 0, CARDAN_TRANSFORM_TX, -0.0);
  for (int i = 0; i < 5000; i++) {
    uint64_t bits = support_random(&rng);
    double value;
    memcpy(&value, &bits, sizeof(value));
    if (value - value == 0.0) { // finite
      cardan_spec_transform(spec, 0, CARDAN_TRANSFORM_TX, value);
    }
  }
  assert_round_trip(spec, false);
  cardan_spec_destroy(spec);
}

// places given in code as matrices: what is written is what the model is built from
static void matrices(void **state)
{
  support_rng rng = {13};
  cardan_spec *spec;
  (void)state;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  for (int i = 0; i < 200; i++) {
    const double c = support_random_in(&rng, -1, 1), s = (i % 2 ? 1 : -1) * sqrt(1 - c * c);
    const cardan_xform T = {{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}, {c, s, 0}};
    const int frame = cardan_spec_place(spec, 0, &T);
    assert_int_equal(frame, i + 1);
    // through a quaternion and back: a few roundings
    assert_near_vec(&spec->frame[frame].place.R.m[0][0], &T.R.m[0][0], 9, 8 * DBL_EPSILON);
    const cardan_initial pose = {.frame = "world", .pose = T};
    cardan_spec_initial(spec, &pose);
  }
  assert_round_trip(spec, false);
  cardan_spec_destroy(spec);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form),       cmocka_unit_test(parameters),
      cmocka_unit_test(rigid_parameters), cmocka_unit_test(every_element),
      cmocka_unit_test(meanings),         cmocka_unit_test(rotations),
      cmocka_unit_test(settings),         cmocka_unit_test(long_chains),
      cmocka_unit_test(random_trees),     cmocka_unit_test(numbers),
      cmocka_unit_test(matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
