// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "mbs_fixture.h"

// Every error names its line and column, what was found and what was expected.

#define CHECK_ALL(list, status) read_all_bad(list, sizeof(list) / sizeof(*(list)), status)

/* ---- the text ---- */

static void unbalanced(void **state)
{
  static const bad_text list[] = {
      {"", 1, 1, "empty"},
      {"  ; only a comment\n", 2, 1, "empty"},
      {"(system (tx 1)", 1, 1, "\"(system\" is not closed"},
      {"(system (tx 1)))", 1, 16, "\")\" without a \"(\""},
      {"(system) (system)", 1, 10, "after the only form"},
      {"(system \"a)", 1, 9, "not closed"},
      {"(system (tx 1e999))", 1, 13, "not finite"},
      {"(system (tx nan))", 1, 13, "not finite"},
      {"(system (tx 1.2.3))", 1, 13, "starts as a number"},
      {"(system\r\n (tx 'a))", 2, 6, "found \"'\""},
      {"(system\n  (tx 1\n  (ty 2)\n  (tz 3))\n", 2, 8, "probably missing here"},
      // what is wrong with the text is reported before what is wrong with its items
      {"(system (tt 1) (tx 1e999))", 1, 20, "not finite"},
      {"(system (gravity 0 0)\n (tx 1)\n", 1, 1, "\"(system\" is not closed"},
      {"(sistem (tx 1)))", 1, 16, "\")\" without a \"(\""},
  };
  (void)state;
  CHECK_ALL(list, CARDAN_ERR_SYNTAX);
}

// Johnson & Murphey, Scalable variational integrators, Listing 1, which lacks a ")" after "O"
static const char listing[] = "(mechanical-system (gravity 0 0 -9.81)\n"
                              "  (ry \"J\" (Name \"J\")\n"
                              "    (tz -0.5 (Name \"I\") (Mass 1))\n"
                              "    (tz -1.0\n"
                              "      (ry \"H\" (Name \"H\")\n"
                              "        (tz -1.0 (Name \"G\") (Mass 1))\n"
                              "        (tz -2.0 (Name \"O2\")))))\n"
                              "  (tx -1.5\n"
                              "    (ry \"K\" (Name \"K\")\n"
                              "      (tz -1.0 (Name \"L\") (Mass 1))\n"
                              "      (tz -2.0\n"
                              "        (ry \"M\" (Name \"M\")\n"
                              "          (tz -0.5 (Name \"N\") (Mass 1))\n"
                              "          (tz -1.0 (Name \"O\")))))%s\n"
                              "  (tx 1.5\n"
                              "    (ry \"A\" (Name \"A\")\n"
                              "      (tz -1.0 (Name \"B\") (Mass 1))\n"
                              "      (tz -2.0\n"
                              "        (ry \"C\" (Name \"C\")\n"
                              "          (tz -0.375 (Name \"D\") (Mass 1))\n"
                              "          (tz -0.75\n"
                              "            (ry \"E\" (Name \"E\")\n"
                              "              (tz -0.5 (Name \"F\") (Mass 1))\n"
                              "              (tz -1.0 (Name \"G2\"))))))))\n"
                              "  (point-constraint \"G\" \"G2\" %s)\n"
                              "  (point-constraint \"G\" \"G2\" (0 0 1))\n"
                              "  (point-constraint \"O\" \"O2\" (1 0 0))\n"
                              "  (point-constraint \"O\" \"O2\" (0 0 1)))%s\n";

static void listing_one(void **state)
{
  char text[4000];
  (void)state;
  // as printed: the place behind (Name "O")
  snprintf(text, sizeof(text), listing, "", "(1 0 0)", "");
  read_bad(text, CARDAN_ERR_SYNTAX, 14, 34, "\")\" is probably missing here");

  // a second mistake balances it again: the constraint is then inside a frame
  snprintf(text, sizeof(text), listing, "", "(1 0 0)", ")");
  read_bad(text, CARDAN_ERR_SYNTAX, 25, 3, "inside the frame of line 8, column 3");

  // mended, and with the numbers bare as in Table II
  static const char *const direction[] = {"(1 0 0)", "1 0 0"};
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof(text), listing, ")", direction[i], "");
    cardan_spec *spec = read_good(text);
    assert_round_trip(spec, false);
    cardan_spec_destroy(spec);
  }
}

/* ---- forms ---- */

static void unknown_forms(void **state)
{
  static const bad_text list[] = {
      {"foo", 1, 1, "found the symbol \"foo\"; expected (system"},
      {"(sistem)", 1, 1, "expected (system"},
      {"()", 1, 1, "found the empty list (); expected (system"},
      {"(system\n  foo)", 2, 3, "found the symbol \"foo\"; expected a list"},
      {"(system \"a\" \"b\")", 1, 13, "found the string \"b\"; expected a list"},
      {"(system\n  (grvity 0 0 1))", 2, 4, "did you mean \"gravity\"?"},
      {"(system\n  (hinge \"q\"))", 2, 4, "found the symbol \"hinge\" at the head"},
      {"(system (tx 1 (mas 1)))", 1, 16, "did you mean \"mass\"?"},
      {"(system (tx 1 (7)))", 1, 16, "found the number 7 at the head"},
      {"(system ())", 1, 9, "found nothing at the head"},
      {"(system (tx 1\n 5))", 2, 2, "found the number 5; expected a list"},
      {"(system (mass 1))", 1, 9, "expected it inside a frame"},
      {"(system (axis 1 0 0))", 1, 9, "expected it inside a joint"},
      {"(system (tx 1 (axis 1 0 0)))", 1, 15, "outside of a joint"},
      {"(system (tx 1 (gravity 1 0 0)))", 1, 15, "is a \")\" missing before it?"},
      {"(system (tx 1 (when 1 (tx 1))))", 1, 15, "items of the system"},
      {"(system (when 0 (foo)))", 1, 18, "found the symbol \"foo\""},
      {"(system (when))", 1, 9, "found nothing; expected a number, as in (when number"},
      {"(system (when \"a\"))", 1, 15, "found the string \"a\"; expected a number"},
      {"(system (at (tx 1)))", 1, 13, "expected the name of a frame"},
      {"(system (tx 1 (name \"A\")) (at \"A\" (mass 1)))", 1, 35, "expected only frames"},
      {"(system (at \"B\" (tx 1)) (tx 1 (name \"B\")))", 1, 13, "no frame \"B\" before this line"},
      {"(system (tx 1 (name \"Base\")) (at \"Bse\"))", 1, 34, "did you mean \"Base\"?"},
  };
  (void)state;
  CHECK_ALL(list, CARDAN_ERR_SYNTAX);
}

static void wrong_arguments(void **state)
{
  static const bad_text list[] = {
      {"(system (gravity 1 2))", 1, 9, "found nothing; expected three numbers"},
      {"(system (gravity 1 2 3 4))", 1, 24, "found the number 4; expected nothing more"},
      {"(system (gravity 1 2 3)\n (gravity 1 2 3))", 2, 2, "already given at line 1"},
      {"(system (define \"L\" 1))", 1, 17, "without quotes"},
      {"(system (define L))", 1, 9, "expected a number, as in (define NAME number)"},
      {"(system (define L \"a\"))", 1, 19, "found the string \"a\"; expected a number"},
      {"(system (tx))", 1, 9, "found nothing; expected a number or the name of a variable"},
      {"(system (tx 1 tq 2))", 1, 15, "found the symbol \"tq\"; expected tx, ty"},
      {"(system (tx 1 ty))", 1, 9, "found nothing; expected a number"},
      {"(system (tx (d 5)))", 1, 16, "expected the name of a variable, as in (d \"name\")"},
      {"(system (tx (k \"a\" 1)))", 1, 20, "nothing more"},
      {"(system (place 1 2 3))", 1, 16, "expected three numbers (x y z)"},
      {"(system (place (1 2)))", 1, 16, "expected three numbers (x y z)"},
      {"(system (place (1 2 3) (rpy 1 2)))", 1, 24, "as in (rpy roll pitch yaw)"},
      {"(system (place (1 2 3) (quat 1 0 0 0 0)))", 1, 38, "nothing more"},
      {"(system (place (1 2 3) (rpy 0 0 0) (rpy 0 0 0)))", 1, 37, "head of a list"},
      {"(system (joint))", 1, 9, "expected the kind of joint"},
      {"(system (joint revolut \"a\"))", 1, 16, "did you mean \"revolute\"?"},
      {"(system (joint revolute))", 1, 9, "expected the joint's name"},
      {"(system (joint revolute (axis 0 0 1)))", 1, 25, "expected the joint's name"},
      {"(system (joint revolute \"a\" (axis 0 0)))", 1, 29, "as in (axis x y z)"},
      {"(system (joint revolute \"a\" (axis 0 0 0)))", 1, 29, "the axis (0 0 0)"},
      {"(system (joint revolute \"a\" (axis 0 0 1)\n (axis 0 1 0)))", 2, 2, "second (axis ..)"},
      {"(system (joint revolute \"a\" (axis2 0 0 1)))", 1, 29, "no use for it"},
      {"(system (joint revolute \"a\" (pitch 1)))", 1, 29, "on a revolute joint"},
      {"(system (joint spherical \"a\" (axis 0 0 1)))", 1, 30, "no use for it"},
      {"(system (joint planar \"a\" (axis 0 0 1)))", 1, 27, "no use for it"},
      {"(system (joint cylindrical \"a\" (limit 0 1)))", 1, 32, "no use for it"},
      {"(system (joint helical \"a\"))", 1, 9, "without a pitch"},
      {"(system (joint prismatic \"a\" (limit 1 0)))", 1, 30, "the lower end first"},
      {"(system (joint prismatic \"a\" (limit 0 1 2)))", 1, 41, "expected (restitution e)"},
      {"(system (joint prismatic \"a\" (limit 0 1 (bounce 1))))", 1, 41,
       "expected (restitution e)"},
      {"(system (joint prismatic \"a\" (limit 0 1 (restitution 1.1))))", 1, 41,
       "restitution of 1.1"},
      {"(system (joint prismatic \"a\" (limit 0 1 (restitution -1))))", 1, 41, "restitution of -1"},
      {"(system (joint prismatic \"a\" (limit 0 1 (restitution))))", 1, 41, "from 0 to 1"},
      {"(system (joint prismatic \"a\" (limit 0 1 (restitution 1) 2)))", 1, 57, "nothing more"},
      {"(system (tx 1 (mass)))", 1, 15, "found 0 number(s); expected 1, 4 or 7"},
      {"(system (tx 1 (mass 1 2)))", 1, 15, "found 2 number(s)"},
      {"(system (tx 1 (mass 1 2 3 4 5 6 7 8)))", 1, 35, "nothing more"},
      {"(system (tx 1 (mass \"a\")))", 1, 21, "found the string \"a\""},
      {"(system (tx 1 (shape)))", 1, 15, "expected the shape box"},
      {"(system (tx 1 (shape bix 1 1 1)))", 1, 22, "did you mean \"box\"?"},
      {"(system (tx 1 (shape box 1 1)))", 1, 15, "as in (shape box x y z)"},
      {"(system (tx 1 (shape mesh 1)))", 1, 27, "expected the name of a file"},
      {"(system (tx 1 (color red)))", 1, 22, "expected a color"},
      {"(system (tx 1 (name A)))", 1, 21, "expected a name, as in (name \"A\")"},
      {"(system (rx \"q\") (close revolute \"q\" \"world\" (coordinat \"c\")))", 1, 46,
       "did you mean \"coordinate\"?"},
      {"(system (rx \"q\") (close revolute \"q\" \"world\" (axs 1 0 0)))", 1, 46,
       "did you mean \"axis\"?"},
      {"(system (rx \"q\") (stop \"q\" -1 1 (restitutio 1)))", 1, 33,
       "did you mean \"restitution\"?"},
      {"(system (rx \"q\") (damping \"q\" 1 (nam \"c\")))", 1, 33, "did you mean \"name\"?"},
      {"(system (rx \"q\") (torque \"q\" 1 2))", 1, 32,
       "expected nothing more, or (name \"..\"), as"},
      {"(system (rx \"q\") (bushing \"q\" \"world\" (1 2) (3 4 5)))", 1, 39, "(kx ky kz)"},
      {"(system (wire \"A\"))", 1, 9, "expected the name of a frame, as in (wire \"A\" \"B\""},
      {"(system (wire \"A\" \"B\"))", 1, 9, "expected the length"},
      {"(system (wire \"A\" \"B\" 1 2))", 1, 25, "nothing more, or (name"},
      {"(system (point-constraint \"A\" \"B\" (1 0)))", 1, 35, "a direction (nx ny nz)"},
      {"(system (point-constraint \"A\" \"B\" 1 0))", 1, 9, "a direction (nx ny nz)"},
      {"(system (coincide \"A\" \"B\" (in \"F\")))", 1, 27, "nothing more, or (name"},
      {"(system (coincide \"A\" \"B\" (name \"a\") (name \"b\")))", 1, 38, "found a second (name"},
      {"(system (spring \"A\" \"B\" 1))", 1, 9, "expected the rest length"},
      {"(system (damping))", 1, 9, "expected the coefficient, as in (damping c) or"},
      {"(system (wrench \"A\" (0 0 0) (0 0 0)))", 1, 17, "expected body or world"},
      {"(system (wrench body \"A\" (0 0) (0 0 0)))", 1, 26, "a force (fx fy fz)"},
      {"(system (wrench body \"A\" (0 0 0)))", 1, 9, "a torque (tx ty tz)"},
      {"(system (input))", 1, 9, "expected the name of an input"},
      {"(system (input \"u\" 1 2))", 1, 22, "expected nothing more"},
      {"(system (input \"u\" (limit 1)))", 1, 20, "expected two numbers"},
      {"(system (actuator \"q\" \"u\" (gear 1)))", 1, 27, "expected the name of an input"},
      {"(system (actuator \"a\" \"q\" \"u\" (gear 0)))", 1, 31, "found 0; expected a number that"},
      {"(system (actuator \"a\" \"q\" \"u\" (servo 1)))", 1, 31, "expected two numbers"},
      {"(system (actuator \"a\" \"q\" \"u\" (gear 1) (gear 1)))", 1, 40, "a second time"},
      {"(system (actuator \"a\" \"q\" \"u\" (name \"b\")))", 1, 31, "nothing more, or an option"},
      {"(system (friction \"q\" 0.1 (radius 0)))", 1, 27, "found 0; expected more than 0"},
      {"(system (friction \"q\" 0.1 (vs 1) (vs 1)))", 1, 34, "a second time"},
      {"(system (close foo \"A\" \"B\"))", 1, 16, "found the joint \"foo\""},
      {"(system (close revolute \"A\" \"B\" (pitch 1)))", 1, 33, "no use for it"},
      {"(system (roll \"A\" \"B\" (disc 0)))", 1, 23, "found 0; expected more than 0"},
      {"(system (roll \"A\" \"B\" (disc 1) (disc 1)))", 1, 32, "a second time"},
      {"(system (roll \"A\" \"B\" (dsic 1)))", 1, 23, "nothing more"},
      {"(system (roll \"A\" \"B\" (disc 1) (axis 0 0 0)))", 1, 32, "one that is not zero"},
      {"(system (roll \"A\" \"B\" (disc 1) (axis 0 1)))", 1, 32, "a direction x y z"},
      {"(system (roll \"A\" \"B\" (disc 1) (flat 1)))", 1, 38, "nothing more"},
      {"(system (skate \"A\"))", 1, 9, "the name of a frame"},
      {"(system (velocity))", 1, 9, "an expression"},
      {"(system (initial q 1))", 1, 18, "a variable with its value, or a pose"},
      {"(system (initial (\"q\")))", 1, 18, "expected a value"},
      {"(system (initial (\"q\" 1 2 3)))", 1, 27, "nothing more"},
      {"(system (initial ((\"q\" 1) loose)))", 1, 27, "expected the word fixed"},
      {"(system (initial (\"q\" (1 2 3 4 5 6 7 8))))", 1, 23, "found a list of 8"},
      {"(system (initial (pose \"A\" 1)))", 1, 28, "three numbers (x y z)"},
      {"(system (initial (pose \"A\" (0 0 0) (velocity))))", 1, 36, "three numbers (x y z)"},
      {"(system (initial (pose \"A\" (0 0 0) (velocity 1 2 3))))", 1, 46, "three numbers (x y z)"},
      {"(system (initial (pose \"A\" (0 0 0) (velocity (1 2 3) (1 2)))))", 1, 54, "three numbers"},
      {"(system (initial (pose \"A\" (0 0 0) (velocity (1 2 3) (1 2 3) 1))))", 1, 62,
       "nothing more"},
      {"(system (initial (pose \"A\" (0 0 0) (velocity (1 2 3)) (rpy 0 0 0))))", 1, 55,
       "nothing more"},
      {"(system (simulate dt 1))", 1, 19, "a pair (key value)"},
      {"(system (simulate (1 vi)))", 1, 20, "such as method, dt or time"},
      {"(system (simulate (dt 1 2)))", 1, 25, "nothing more"},
  };
  (void)state;
  CHECK_ALL(list, CARDAN_ERR_SYNTAX);
}

/* ---- numbers and expressions ---- */

static void expressions(void **state)
{
  static const bad_text list[] = {
      {"(system (define Len 1) (tx (* 2 Lem)))", 1, 33, "did you mean \"Len\"?"},
      {"(system (tx (/ 1 0)))", 1, 13, "finite"},
      {"(system (tx (sin t)))", 1, 18, "constants alone"},
      {"(system (define pi 3))", 1, 17, "found \"pi\" as name of a constant"},
      {"(system (define t 3))", 1, 17, "found \"t\" as name"},
      {"(system (define a 1)\n (define A 2))", 2, 10, "constant A is already defined at line 1"},
      {"(system (rx \"q\") (motion \"q\" q.q))", 1, 30, "may only depend on time t"},
      {"(system (rx \"q\") (motion \"q\" v.q))", 1, 30, "may only depend on time t"},
      {"(system (wire \"world\" \"B\" (px \"B\")))", 1, 27, "may only depend on time t"},
      {"(system (rx \"q\") (equation v.q))", 1, 28, "time t, coordinates, frames"},
      {"(system (roll \"world\" \"B\"))", 1, 9, "found a roll with no radius"},
      {"(system (roll \"world\" \"B\" (disc 1) (ball 1)))", 1, 9, "both (disc ..) and (ball ..)"},
      {"(system (roll \"world\" \"B\" (ball 1) (axis 1 0 0)))", 1, 9, "a ball with an axis"},
      {"(system (rx \"q\")\n (velocity (+ t (* 2 v.q v.q))))", 2, 2,
       "found (* 2 v.q v.q), which is not linear in velocities"},
      {"(system (rx \"q\")\n (velocity (+ v.q (sin v.q))))", 2, 2, "found (sin v.q), which"},
      {"(system (rx \"q\")\n (velocity (/ 1 v.q)))", 2, 2, "found (/ 1 v.q), which"},
      {"(system (rx \"q\") (velocity (* q.q t)))", 1, 18, "found no velocity in this expression"},
      {"(system (rx \"q\") (input \"u\" 1) (velocity (- v.q u.u)))", 1, 49, "the symbol \"u.u\""},
      {"(system (rx \"q\") (potential v.q))", 1, 29, "coordinates, frames"},
      {"(system (rx \"q\") (potential (* t q.q)))", 1, 32, "coordinates, frames"},
      {"(system (rx \"q\") (equation (- q.q q.p)))", 1, 35, "no variable \"p\""},
      {"(system (rx \"q\") (torque \"q\" v.p))", 1, 30, "no variable \"p\""},
      {"(system (joint spherical \"b\") (equation q.b))", 1, 41, "expected \"b.qw\", \"b.qx\""},
      {"(system (joint spherical \"b\") (equation q.b.wx))", 1, 41, "no single coordinate"},
      {"(system (joint spherical \"b\") (torque \"b.wx\" v.b.qw))", 1, 46, "expected \"b.wx\""},
      {"(system (potential (dist \"A\" \"world\")))", 1, 20, "no frame \"A\""},
      {"(system (potential (foo 1)))", 1, 21, "no operator"},
      {"(system (parameter a 1)\n (define A 2))", 2, 10, "constant A is already defined at line 1"},
      {"(system (parameter a 0) (tx (/ 1 a)))", 1, 29, "finite"},
      {"(system (parameter a q.b))", 1, 22, "constants alone"},
      {"(system (rx \"q\") (torque \"q\" (ax \"q\")))", 1, 30, "only be used in an (output"},
      {"(system (rx \"q\") (torque \"q\" (vx \"p\")))", 1, 30, "no frame \"p\""},
      {"(system (rx \"q\") (potential (vx \"q\")))", 1, 29, "energy of places alone"},
      {"(system (rx \"q\") (equation (speed \"q\" \"world\")))", 1, 28, "places and time"},
      {"(system (rx \"q\") (torque \"q\" (rxw \"q\")))", 1, 31, "did you mean \"rx"},
      {"(system (rx \"q\") (potential (angle \"q\" \"world\" 1)))", 1, 48, "(axis x y z)"},
      {"(system (rx \"q\") (potential (angle \"q\" \"world\" (axis 0 0 0))))", 1, 48, "not all 0"},
      {"(system (rx \"q\") (potential (angle \"q\" \"p\" (axis 0 0 1))))", 1, 29, "no frame \"p\""},
      {"(system (rx \"q\") (bushing-coupling \"q\" \"world\" 1 7 5))", 1, 18, "of 1 to 6"},
      {"(system (rx \"q\") (force \"q\" \"q\" 1))", 1, 29, "two different names"},
      {"(system (rx \"q\") (output \"y\" (vx \"p\")))", 1, 30, "no frame \"p\""},
      {"(system (rx \"q\") (output \"y\" (f \"p\")))", 1, 30, "no joint \"p\""},
      {"(system (rx \"q\") (output \"y\" (kinetic 1)))", 1, 30, "expected 0"},
      {"(system (rx \"q\") (output \"y\" (lambda \"c\" 0)))", 1, 42, "from 1"},
      {"(system (rx \"q\") (output \"y\" (lambda \"c\" 1.5)))", 1, 42, "from 1"},
      {"(system (output \"y\" t)\n (output \"y\" t))", 2, 10, "already an output \"y\" at line 1"},
  };
  (void)state;
  CHECK_ALL(list, CARDAN_ERR_MODEL);
}

/* ---- the model ---- */

static void names(void **state)
{
  static const bad_text list[] = {
      {"(system (tx 1 (name \"A\"))\n (ty 1 (name \"A\")))", 2, 14,
       "frame name \"A\" is already used at line 1"},
      {"(system (tx \"x\")\n (ty \"x\"))", 2, 6, "variable \"x\" is already used at line 1"},
      {"(system (tx \"x\" ty \"x\"))", 1, 20, "variable \"x\" is already used at line 1"},
      {"(system (joint revolute \"x\")\n (joint free \"x\"))", 2, 14, "already used at line 1"},
      {"(system (joint universal \"u\")\n (tx \"u.a\"))", 2, 6,
       "\"u.a\" is already used at line 1"},
      {"(system (tx \"u.wx\")\n (joint free \"u\"))", 2, 14, "\"u\" is already used at line 1"},
      {"(system (rx \"J\"\n (tz 1 (name \"J\"))))", 2, 14, "takes it from its variable"},
      {"(system (coincide \"A\" \"world\" (name \"c\"))\n(coincide \"A\" \"world\" (name \"c\")))",
       2, 29, "\"c\" is already used at line 1"},
      {"(system (tx 1 (name \"\")))", 1, 21, "empty frame's name"},
      {"(system (tx 1 (name \"a\\nb\")))", 1, 21, "found the byte 0x0A"},
      {"(system (tx 1 (name \"A\") (name \"B\")))", 1, 32, "second name for one frame"},
      {"(system (tx 1 (mass 1) (mass 2)))", 1, 24, "second mass"},
      {"(system (tx 1 (color \"#000000\") (color \"#000000\")))", 1, 40, "second color"},
      {"(system (coincide \"A\" \"world\"))", 1, 19, "found no frame \"A\""},
      {"(system (tx 1 (name \"Arm\")) (coincide \"world\"\n \"Arn\"))", 2, 2,
       "did you mean \"Arm\"?"},
      {"(system (rx \"q\" (name \"F\")) (weld \"q\" \"world\"))", 1, 35,
       "its frame is named \"F\""},
      {"(system (coincide \"A\" \"A\"))", 1, 23, "at both ends"},
      {"(system (rx \"q\") (gear \"q\" \"q\" 1))", 1, 28, "at both ends"},
      {"(system (rx \"angle\") (gear \"angle\" \"angel\" 1))", 1, 36, "did you mean \"angle\"?"},
      {"(system (joint universal \"u\") (joint-spring \"u\" 1 0))", 1, 45, "\"u.a\" or \"u.b\""},
      {"(system (joint universal \"u\") (friction \"u.a\" 1))", 1, 41, "the joint itself, \"u\""},
      {"(system (joint fixed \"x\") (damping \"x\" 1))", 1, 36, "fixed joint \"x\""},
      {"(system (tx 1 (name \"F\")) (point-constraint \"F\" \"world\" (1 0 0) (in \"G\")))", 1, 69,
       "no frame \"G\""},
      {"(system (initial (\"q\" 1)))", 1, 19, "no variable \"q\""},
      {"(system (initial (pose \"A\" (0 0 0))))", 1, 24, "no frame \"A\""},
      {"(system (rx \"q\") (initial (\"q\" 1)\n (\"q\" 2)))", 2, 3, "has one already at line 1"},
      {"(system (joint universal \"u\") (initial (\"u\" (1 2))\n (\"u.a\" 2)))", 2, 3,
       "the joint \"u\" has one already at line 1"},
      {"(system (simulate (dt 1))\n (simulate (dt 2)))", 2, 13, "has one already at line 1"},
  };
  (void)state;
  CHECK_ALL(list, CARDAN_ERR_MODEL);
}

static void values(void **state)
{
  static const bad_text list[] = {
      {"(system (tx 1\n (mass -1)))", 2, 2, "found the mass -1 kg"},
      {"(system (tx 1 (mass 1 1 -2 3)))", 1, 15, "principal moment -2 kg"},
      {"(system (tx 1 (mass 1 1 1 1 2 0 0)))", 1, 15, "principal moment -1 kg"},
      {"(system (tx 1 (shape sphere -1)))", 1, 15, "found the size -1 m"},
      {"(system (tx 1 (shape mesh \"../a.stl\")))", 1, 27, "without \"..\""},
      {"(system (tx 1 (shape mesh \"a/../../a.stl\")))", 1, 27, "without \"..\""},
      {"(system (tx 1 (shape mesh \"/etc/a.stl\")))", 1, 27, "relative to the model file"},
      {"(system (tx 1 (color \"red\")))", 1, 22, "#rrggbb"},
      {"(system (tx 1 (color \"#12345g\")))", 1, 22, "#rrggbb"},
      {"(system (place (0 0 0) (quat 0 0 0 0)))", 1, 24, "zero quaternion"},
      {"(system (place (0 0 0) (rotvec 1e300 0 0)))", 1, 24, "rotation vector"},
      {"(system (joint universal \"u\" (axis 1 2 3) (axis2 -2 -4 -6)))", 1, 26, "parallel"},
      {"(system (wire \"A\" \"world\" 0))", 1, 9, "wire of length 0"},
      {"(system (wire \"A\" \"world\" (- 1 2)))", 1, 9, "wire of length -1"},
      {"(system (point-constraint \"A\" \"world\" (0 0 0)))", 1, 9, "the direction (0 0 0)"},
      {"(system (input \"u\" 1 (limit 2 1)))", 1, 16, "the lower one first"},
      {"(system (input \"u\" 1 (limit 2 3)))", 1, 16, "in its limit 2 to 3"},
      {"(system (input \"u\")\n (input \"u\"))", 2, 9, "already given at line 1"},
      {"(system (rx \"q\") (torque \"q\" (+ 1 u.v)))", 1, 35, "found no input \"v\""},
      {"(system (rx \"q\") (input \"u\") (motion \"q\" u.u))", 1, 42, "may jump at any time"},
      {"(system (rx \"q\") (input \"u\") (potential (* q.q u.u)))", 1, 48, "coordinates alone"},
      {"(system (rx \"q\") (input \"u\") (equation (* q.q (u \"u\"))))", 1, 47, "may jump"},
      {"(system (rx \"q\") (input \"in\") (actuator \"a\" \"q\" \"im\"))", 1, 49,
       "did you mean \"in\"?"},
      {"(system (rx \"q\") (input \"u\") (actuator \"a\" \"p\" \"u\"))", 1, 44,
       "found no variable"},
      {"(system (rx \"q\") (input \"u\") (actuator \"a\" \"q\" \"u\" (limit 2 2)))", 1, 30,
       "the lower one"},
      {"(system (rx \"q\") (input \"u\") (actuator \"a\" \"q\" \"u\" (servo -1 2)))", 1, 30,
       "not negative"},
      {"(system (rx \"q\") (friction \"q\" -1))", 1, 18, "coefficient -1"},
      {"(system (close free \"A\" \"world\"))", 1, 9, "closes nothing"},
      {"(system (joint universal \"u\") (initial (\"u\" 1)))", 1, 41, "found 1 initial value(s)"},
      {"(system (joint universal \"u\") (initial (\"u\" (1 2) 3)))", 1, 41, "1 initial velocities"},
      {"(system (rx \"q\") (initial (\"q\" (1 2))))", 1, 28, "found 2 initial value(s)"},
      {"(system (joint spherical \"b\") (initial (\"b\" (0 0 0 0))))", 1, 41, "zero quaternion"},
      {"(system (joint spherical \"b\") (initial (\"b.wx\" 1)))", 1, 41, "no single coordinate"},
      {"(system (joint spherical \"b\") (initial (\"b.qw\" 1 2)))", 1, 41, "1 initial velocities"},
      {"(system (joint fixed \"x\") (initial (\"x\" 1)))", 1, 37, "fixed joint"},
  };
  (void)state;
  CHECK_ALL(list, CARDAN_ERR_MODEL);
}

// a very long name does not push the rest of the sentence out of the message
static void long_names(void **state)
{
  static char name[10002], text[20200];
  (void)state;
  memset(name, 'n', sizeof(name) - 1);
  snprintf(text, sizeof(text), "(system (tx 1 (name \"%s\")))", name);
  read_bad(text, CARDAN_ERR_MODEL, 1, 21, "10001 bytes; expected at most 10000");
  name[10000] = '\0';
  snprintf(text, sizeof(text), "(system (weld \"world\" \"%s\"))", name);
  read_bad(text, CARDAN_ERR_MODEL, 1, 23, "expected the name of a frame of this model");
  snprintf(text, sizeof(text), "(system (tx \"%s\" (mass 1)))", name);
  cardan_spec *spec = read_good(text);
  assert_round_trip(spec, false);
  cardan_spec_destroy(spec);
}

/* ---- armatures, dry friction, keyframes ---- */

#define JOINTS "(joint revolute \"q\" (mass 1 1 1 1)) (joint spherical \"s\" (mass 1 1 1 1))\n"

static void rotors_and_keyframes(void **state)
{
  static const bad_text list[] = {
      {"(system " JOINTS "(armature \"r\" 1))", 2, 11, "no variable \"r\""},
      {"(system " JOINTS "(armature \"s\" 1))", 2, 11, "no single velocity"},
      {"(system " JOINTS "(armature \"q\" -1))", 2, 11, "armature -1"},
      {"(system " JOINTS "(armature \"q\" 1)\n(armature \"q\" 1))", 3, 11, "second armature"},
      {"(system " JOINTS "(dry-friction \"q\" -1))", 2, 1, "dry friction -1"},
      {"(system " JOINTS "(dry-friction \"s\" 1))", 2, 15, "no single velocity"},
      {"(system " JOINTS "(keyframe \"a\")\n(keyframe \"a\"))", 3, 11, "already there at line 2"},
      {"(system " JOINTS "(keyframe \"a\" (\"q\" 1) (\"q\" 2)))", 2, 24, "second value for"},
      {"(system " JOINTS "(keyframe \"a\" (\"s.qw\" 1) (\"s\" (1 0 0 0))))", 2, 16, "has one"},
      {"(system " JOINTS "(keyframe \"a\" (\"s\" (0 0 0 0))))", 2, 16, "zero quaternion"},
      {"(system " JOINTS "(keyframe \"a\" (\"q\" 1 (2 3))))", 2, 16, "found 2 initial vel"},
      {"(system " JOINTS "(keyframe \"a\" (input \"u\" 1)))", 2, 22, "no input \"u\""},
  };
  static const bad_text syntax[] = {
      {"(system " JOINTS "(rounding 1e-3 1e-4))", 2, 1, "a rounding of 0.001"},
      {"(system " JOINTS "(keyframe a))", 2, 11, "the name of a keyframe"},
      {"(system " JOINTS "(keyframe \"a\" q))", 2, 15, "a variable with its value"},
      {"(system " JOINTS "(armature \"q\"))", 2, 1, "the inertia of a rotor"},
  };
  (void)state;
  CHECK_ALL(list, CARDAN_ERR_MODEL);
  CHECK_ALL(syntax, CARDAN_ERR_SYNTAX);
}

#define CLOSED                                                          \
  "(rz \"a\" (mass 1 1 1 1) (name \"B\")) (place (0 0 0) (name \"A\"))" \
  " (close revolute \"A\" \"B\" (coordinate \"c\"))\n"

static void closing_coordinates(void **state)
{
  static const bad_text list[] = {
      {"(system " CLOSED "(friction \"c\" 1))", 2, 11, "cannot have a friction"},
      {"(system " CLOSED "(armature \"c\" 1))", 2, 11, "expected a joint of the tree"},
      {"(system " CLOSED "(gear \"a\" \"c\" 1) (keyframe \"k\" (\"a\" 1)))", 2, 11,
       "cannot have a gear"},
      {"(system " CLOSED "(armature \"c\" 1))", 2, 11, "the coordinate of a closing joint"},
      {"(system " CLOSED "(initial (\"c\" 1)))", 2, 11, "the coordinate of a closing joint"},
      {"(system " CLOSED "(keyframe \"k\" (\"c\" 1)))", 2, 16, "the coordinate of a closing joint"},
      {"(system " CLOSED "(potential v.c))", 2, 12, "may only depend on"},
      {"(system " CLOSED "(output \"q.c\" 1))", 2, 9, "a closing joint has already"},
      {"(system " CLOSED "(close revolute \"A\" \"B\" (coordinate \"c\")))", 2, 37, "already used"},
      {"(system " CLOSED "(close revolute \"A\" \"B\" (coordinate \"a\")))", 2, 37,
       "is called too"},
      {"(system " CLOSED "(close universal \"A\" \"B\" (coordinate \"d\")))", 2, 38,
       "about or along one axis"},
  };
  static const bad_text syntax[] = {
      {"(system " CLOSED "(weld \"A\" \"B\" (coordinate \"d\")))", 2, 15, "nothing more"},
      {"(system " CLOSED "(close revolute \"A\" \"B\" (coordinate 3)))", 2, 37, "a name"},
  };
  (void)state;
  CHECK_ALL(list, CARDAN_ERR_MODEL);
  CHECK_ALL(syntax, CARDAN_ERR_SYNTAX);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotors_and_keyframes),
      cmocka_unit_test(closing_coordinates),
      cmocka_unit_test(unbalanced),
      cmocka_unit_test(listing_one),
      cmocka_unit_test(unknown_forms),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(expressions),
      cmocka_unit_test(names),
      cmocka_unit_test(values),
      cmocka_unit_test(long_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
