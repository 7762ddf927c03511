// SPDX-License-Identifier: Apache-2.0
// Joints that turn by more than half a turn in a step: angles have all their turns, in rows and in
// forces too, or the step is refused with a message that names the joint.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "maximal_fixture.h"

static const char hinge[] = "(system (define w 0) (gravity 0 0 0) (ry \"a\" (mass 1 0.1 0.1 0.1))"
                            " (initial (\"a\" 0 w)))";
static const char screw[] = "(system (define w 0) (gravity 0 0 0) (joint helical \"a\" (pitch 0.01)"
                            " (mass 1 0.1 0.1 0.1)) (initial (\"a\" 0 w)))";
static const char slider[] = "(system (define w 0) (gravity 0 0 0) (tz \"d\" (rz \"a\" (mass 1"
                             " 0.1 0.1 0.1))) (initial (\"a\" 0 w)))";
static const char gears[] =
    "(system (define w 0) (gravity 0 0 0) (ry \"a\" (mass 1 0.1 0.1 0.1)) (tx 1 (ry \"b\" (mass 1"
    " 0.1 0.1 0.1))) (gear \"a\" \"b\" -2) (initial (\"a\" 0 w) (\"b\" 0 (* -2 w))))";
static const char crossed_gears[] =
    "(system (define w 0) (gravity 0 0 0) (ry \"a\" (mass 1 0.1 0.1 0.1)) (tx 1 (rx \"b\" (mass 1"
    " 0.1 0.1 0.1))) (gear \"a\" \"b\" -2) (initial (\"a\" 0 w) (\"b\" 0 (* -2 w))))";
static const char wound[] = "(system (define w 0) (gravity 0 0 0) (ry \"a\" (mass 1 0.1 0.1 0.1))"
                            " (joint-spring \"a\" 0.1 0) (initial (\"a\" 0 w)))";

/* Angle of "a" after a second in steps of 0.01 s, from the speed w; planar: "auto" or "off". */
static double turned(const char *model, const char *method, const char *planar, double w)
{
  char setting[64];
  snprintf(setting, sizeof setting, "w=%.17g", w);
  cardan_options o = run_options(method, 0.01, 1);
  o.planar = planar;
  run r = run_whole(model, setting, &o);
  const double q = run_q(&r, "a");
  run_free(&r);
  return q;
}

// bodies that spin steadily turn by w t, which the displacements of a step have exactly
static void steady_spin_keeps_its_turns(void **state)
{
  static const char *const models[] = {hinge, screw, slider, gears, crossed_gears};
  static const char *const methods[] = {"baraff:semi-implicit", "half-implicit", "fully-implicit",
                                        "rattle"};
  static const double speeds[] = {325, -700, 1500}; // half a turn a step is 314 rad/s
  static const char *const planar[] = {"auto", "off"};
  (void)state;
  for (int i = 0; i < 5 * 4 * 3 * 2; i++) {
    const double w = speeds[i % 3];
    const double q = turned(models[i / 24], methods[i / 6 % 4], planar[i / 3 % 2], w);
    // 100 sums of angles below w, and corrections of a step that end below 1e-10
    assert_near(q, w, 100 * (1e-10 + DBL_EPSILON * fabs(w)));
  }
}

// integrators with error control resolve the turns of quaternions; in a plane angles are numbers,
// which all integrators have exactly
static void integrated_spin_keeps_its_turns(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    const char *planar = i / 2 == 0 ? "auto" : "off";
    // errors of 1e-12 each, in some thousand steps of about 0.02 turns
    assert_near(turned(i % 2 ? hinge : gears, "baraff:dop853", planar, 325), 325, 1e-7);
  }
  assert_near(turned(hinge, "baraff:rk4", "auto", 700), 700, 1e-9);
  assert_near(turned(hinge, "baraff:trapezoid", "auto", 700), 700, 1e-9);
}

// q'' = -q: forces read the same turns, so that methods of order 2 come to sin(1) w, with the
// error of that order, h^2 w / 24 in phase, and 3 h^2 w in all; fully-implicit, of order 1, damps
static void spring_reads_all_turns(void **state)
{
  static const char *const methods[] = {"baraff:rk4", "half-implicit", "rattle"};
  const double w = 320, exact = w * sin(1);
  (void)state;
  for (int i = 0; i < 6; i++) {
    const double q = turned(wound, methods[i / 2], i % 2 && i > 1 ? "off" : "auto", w);
    assert_near(q, exact, 3 * 1e-4 * w);
  }
  assert_near(turned(wound, "fully-implicit", "off", w), exact, 0.01 * w);
}

/* The status of the first step, and what it says. */
static cardan_status first_step(const char *model, const char *method, double w, char *message,
                                size_t size)
{
  char setting[64];
  snprintf(setting, sizeof setting, "w=%.17g", w);
  cardan_options o = run_options(method, 0.01, 1);
  cardan_report report = {.message = ""};
  o.planar = strcmp(method, "vi") != 0 && strncmp(method, "aba", 3) != 0 ? "off" : NULL;
  run r = run_begin(model, setting, &o);
  const cardan_status status = cardan_sim_step(r.sim, &report);
  snprintf(message, size, "%s", report.message);
  run_free(&r);
  return status;
}

// quaternions by the trapezoidal rule turn by 4 atan(w h / 4) in a step: 0.52 rad less than 3.25
static void poses_apart_from_velocities_stop(void **state)
{
  char message[512];
  (void)state;
  assert_int_equal(first_step(hinge, "baraff:trapezoid", 325, message, sizeof message),
                   CARDAN_ERR_STEP_TOO_SMALL);
  assert_non_null(strstr(message, "joint \"a\" turns by 3.25 rad"));
  assert_non_null(strstr(message, "use dt <= 0.003"));
  assert_int_equal(first_step(hinge, "baraff:trapezoid", 100, message, sizeof message), CARDAN_OK);
}

// the angle of a closing joint is counted where steps are shorter than half a turn, and the others
// stop, whatever carries its body
static void closing_joints_stop(void **state)
{
  static const char *const models[] = {
      "(system (define w 0) (gravity 0 0 0) (ry \"a\" (mass 1 0.1 0.1 0.1) (name \"A\"))"
      " (tx 0 (name \"O\")) (close revolute \"O\" \"A\" (axis 0 1 0) (coordinate \"c\"))"
      " (joint-spring \"c\" 0.001 0) (initial (\"a\" 0 w)))",
      "(system (define w 0) (gravity 0 0 0) (joint free \"a\" (mass 1 0.1 0.1 0.1) (rz 0 (name"
      " \"A\"))) (rz 0 (name \"O\")) (close revolute \"O\" \"A\" (axis 0 0 1) (coordinate \"c\"))"
      " (joint-spring \"c\" 0.001 0) (initial (\"a\" (0 0 0 1 0 0 0) (0 0 w 0 0 0))))"};
  static const char *const methods[] = {
      "vi", "aba:rk4", "baraff:semi-implicit", "half-implicit", "fully-implicit", "rattle"};
  (void)state;
  for (int i = 0; i < 12; i++) {
    char message[512];
    for (int k = 0; k < 3; k++) {
      const double w = k == 0 ? 320 : k == 1 ? 600 : 250;
      const cardan_status status =
          first_step(models[i / 6], methods[i % 6], w, message, sizeof message);
      assert_int_equal(status, k < 2 ? CARDAN_ERR_STEP_TOO_SMALL : CARDAN_OK);
      assert_true(k == 2 || strstr(message, "closing joint of \"c\"") != NULL);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steady_spin_keeps_its_turns),
      cmocka_unit_test(integrated_spin_keeps_its_turns),
      cmocka_unit_test(spring_reads_all_turns),
      cmocka_unit_test(poses_apart_from_velocities_stop),
      cmocka_unit_test(closing_joints_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
