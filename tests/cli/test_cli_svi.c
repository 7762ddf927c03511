// SPDX-License-Identifier: Apache-2.0
// The words that trep's users write: the productions of Johnson and Murphey's Table II, options of
// svi on the command line, cardan linearize and cardan matrices.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"
#include "random_tree.h"
#include "shell.h"

// every production of Table II, in either case and either spelling of the point constraint; masses
// are numbers, as the text has it, not strings, as the table prints
static void table_two(void **state)
{
  static const char *const texts[] = {
      "(SYSTEM (GRAVITY 0 0 -9.81)"
      " (TX 0.1 TY 0.2 TZ 0.3 RX \"a\" (NAME \"A\") (MASS 1 0.1 0.2 0.3)"
      "  (RY (D \"b\") RZ \"c\" (MASS 2) (NAME \"B\") (TX 0.5 (MASS 1))))"
      " (TZ \"d\" (MASS 1) (NAME \"E\"))"
      " (POINT-CONSTRAINT \"A\" \"E\" 0 0 1 (NAME \"pin\")))",
      "(mechanical-system (gravity 0 0 -9.81)"
      " (tx 0.1 (ty 0.2 (tz 0.3 (rx (d \"a\") (name \"A\") (mass 1 0.1 0.2 0.3)"
      "  (ry \"b\" (rz \"c\" (mass 2) (name \"B\") (tx 0.5 (mass 1))))))))"
      " (tz \"d\" (mass 1) (name \"E\"))"
      " (point-constraint \"A\" \"E\" (0 0 1) (name \"pin\")))"};
  double q[2][4];
  (void)state;
  for (int i = 0; i < 2; i++) {
    fixture f = fixture_load(texts[i]);
    cardan_options o = cardan_options_defaults();
    cardan_report report = {.message = ""};
    cardan_sim *sim = NULL;
    o.method = "svi";
    assert_int_equal(f.model->nv, 4);
    assert_int_equal(f.model->nrow, 1);
    assert_string_equal(f.model->constraint[0].name, "pin");
    assert_int_equal(cardan_sim_create(f.model, &o, NULL, &sim, &report), CARDAN_OK);
    assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
    for (int k = 0; k < 50; k++) {
      assert_int_equal(cardan_sim_step(sim, &report), CARDAN_OK);
    }
    memcpy(q[i], cardan_sim_data(sim)->q, sizeof q[i]);
    cardan_sim_destroy(sim);
    fixture_free(&f);
  }
  assert_memory_equal(q[0], q[1], sizeof q[0]);
}

static void options_of_svi(void **state)
{
  char first[64];
  (void)state;
  outcome o =
      shell_expect(0, "$CARDAN run pendulum:3 --method svi --time 0.5 --out - --quiet | tail -1");
  snprintf(first, sizeof first, "%.14s", o.out);
  o = shell_expect(
      0, "$CARDAN run pendulum:3 --method svi --eval tree --no-cache --time 0.5 --out - --quiet | "
         "tail -1");
  // the two evaluations agree to many digits: t and the first nine of q1
  assert_memory_equal(first, o.out, 14);
  shell_expect(
      0, "$CARDAN run pendulum:3 --method svi --alpha 0.4 --solver broyden --time 0.1 --quiet");
  shell_refused(1, "$CARDAN run pendulum --method svi --alpha 2", "alpha");
  shell_refused(1, "$CARDAN run pendulum --method svi --eval three", "did you mean \"tree\"?");
  shell_refused(1, "$CARDAN run top --method svi", "rx");
}

static double json_number(const char *text, const char *key)
{
  const char *at = json_find(text, key);
  assert_true(json_valid(text));
  assert_non_null(at);
  return strtod(at + strspn(at, "["), NULL);
}

static void linearize(void **state)
{
  (void)state;
  const outcome csv = shell_expect(0, "$CARDAN linearize pendulum --method svi --dt 0.01");
  assert_memory_equal(csv.out, "next,q.theta,p.theta,u.theta\nq.theta,", 37);
  // the midpoint rule of theta'' = -g sin theta, differentiated by hand at rest at 45 degrees:
  // with c = g cos(theta_m) h^2 / 4, dq'/dq = (1 - c) / (1 + c)
  const double h = 0.01, g = 9.81;
  double theta = 0.78539816339744831, d = 0;
  for (int i = 0; i < 20; i++) { // d / h = -(h / 2) g sin(theta + d / 2)
    d = -0.5 * h * h * g * sin(theta + 0.5 * d);
  }
  const double c = 0.25 * h * h * g * cos(theta + 0.5 * d);
  assert_near(strtod(csv.out + 37, NULL), (1 - c) / (1 + c), 1e-13);
  const outcome json = shell_expect(0, "$CARDAN linearize pendulum --method svi --dt 0.01 --json");
  assert_near(json_number(json.out, "A"), (1 - c) / (1 + c), 1e-13);
  const outcome later =
      shell_expect(0, "$CARDAN linearize closed-chain --method vi --at 0.5 --json");
  assert_near(json_number(later.out, "t"), 0.5, 1e-15);
  assert_non_null(json_find(later.out, "lambda_u"));
  // --at is a time, not one since the start
  const outcome begun = shell_expect(0, "$CARDAN linearize pendulum --begin 2 --at 2.5 --json");
  assert_near(json_number(begun.out, "t"), 2.5, 1e-15);
  shell_refused(1, "$CARDAN linearize pendulum --begin 2 --at 1", "expected a time >= 2");
  shell_refused(1, "$CARDAN linearize pendulum --method aba", "svi");
  shell_refused(1, "$CARDAN linearize pendulum --at soon", "expected a time");
  shell_refused(1, "$CARDAN linearize", "MODEL");
  // loops that do not close are reported at their place, as by run
  shell_write("open.mbs", "(system (joint revolute \"a\" (tx 1 (name \"A\") (mass 1 1 1 1)))\n"
                          " (place (5 0 0) (name \"B\")) (coincide \"A\" \"B\"))\n");
  shell_refused(2, "$CARDAN linearize open.mbs", "open.mbs:2:29: constraint ");
  shell_refused(1, "$CARDAN linearize pendulum --at 1e300", "more steps");
}

static void statics(void **state)
{
  (void)state;
  shell_write("fall.mbs", "(system (gravity 0 0 -9.81) (tz \"z\" (mass 1)))");
  shell_write("lean.mbs", "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1)))"
                          " (joint-spring \"a\" 3 0.5) (initial (\"a\" 2 7)))");
  const outcome text = shell_expect(0, "$CARDAN statics lean.mbs --write rest.mbs");
  assert_non_null(strstr(text.out, "at rest, stable"));
  assert_non_null(strstr(text.out, "\"joint-spring1\"  torque "));
  const outcome again = shell_expect(0, "$CARDAN statics rest.mbs --json");
  assert_non_null(strstr(again.out, "\"at_start\":true"));
  assert_non_null(strstr(again.out, "\"stable\":\"stable\""));
  const outcome up = shell_expect(0, "$CARDAN statics pendulum --init q.theta=3.141592653589793");
  assert_non_null(strstr(up.out, "unstable, at its initial position"));
  shell_refused(3, "$CARDAN statics fall.mbs", "runs away along \"z\", towards smaller");
  shell_refused(1, "$CARDAN statics lean.mbs --write rest.txt", "ends in .mbs");
  shell_refused(1, "$CARDAN statics lean.mbs --init q.b=1", "q.b");
  shell_refused(1, "$CARDAN statics lean.mbs --tol 2", "less than 1");
  shell_write(
      "blade.mbs",
      "(system (gravity 1 0 -9) (tx \"x\" (ty \"y\" (rz \"a\" (name \"b\") (mass 1 1 1 1))))"
      " (skate \"b\" \"world\") (initial (\"a\" (/ pi 2))))");
  const outcome blade = shell_expect(0, "$CARDAN statics blade.mbs");
  assert_non_null(strstr(blade.out, "stability not known, at its initial position"));
  assert_non_null(strstr(blade.out, "loads of constraints on velocities make the stiffness"));
  shell_write("belt.mbs", "(system (tx \"x\" (mass 1)) (velocity (- v.x 0.3) (name \"belt\")))");
  shell_write("rail.mbs",
              "(system (tx \"x\" (tz 0.3 (ry \"f\" (rx (deg 90) (name \"w\") (mass 1 1 1 1)))))"
              " (roll \"w\" \"world\" (disc 0.3) (flat) (name \"track\")))");
  const outcome rail = shell_expect(0, "$CARDAN check rail.mbs");
  assert_non_null(
      strstr(rail.out, "integrable    \"track\" constrains velocities as an (equation"));
  const outcome json = shell_expect(0, "$CARDAN check rail.mbs --json");
  assert_non_null(strstr(json.out, "\"locked\":false,\"integrable\":[\"track\"]"));
  shell_write("locked.mbs",
              "(system (tx \"x\" (ty \"y\" (mass 1) (name \"a\") (rz (deg 40) (name \"b\"))))"
              " (skate \"a\" \"world\") (skate \"b\" \"world\"))");
  const outcome locked = shell_expect(0, "$CARDAN check locked.mbs");
  assert_non_null(strstr(locked.out, "locked        no motion is left by \"skate1\", \"skate2\""));
  shell_refused(2, "$CARDAN statics belt.mbs", "belt.mbs:1:27: constraint \"belt\" asks for");
  shell_refused(2, "$CARDAN kinematics rolling-disc", "3 coordinates have nothing that moves");
  shell_expect(0, "$CARDAN linearize ball-table --method vi");
  shell_expect(0, "$CARDAN linearize rolling-disc --method vi");
  shell_refused(2, "$CARDAN statics open.mbs", "open.mbs:2:29: constraint ");
}

/* Does this line end well, and report it on the standard error? */
static void expect_word(const char *line, const char *text)
{
  const outcome o = shell_expect(0, line);
  if (strstr(o.err, text) == NULL) {
    fail_msg("%s: expected \"%s\", found: %s", line, text, o.err);
  }
}

// where a state is not as it was requested is reported by every command that reads one
static void other_states(void **state)
{
  (void)state;
  static const char *const still[] = {"statics", "modes", "matrices",
                                      "kinematics --hold --time 0.1"};
  for (size_t i = 0; i < sizeof still / sizeof *still; i++) {
    char line[256];
    snprintf(line, sizeof line, "$CARDAN %s fourbar-3d --init q.q1=1,q.q2=0.1,q.q3=0.3", still[i]);
    expect_word(line, "closing the loops moved \"q1\" from the 1 given to ");
    snprintf(line, sizeof line, "$CARDAN %s fourbar-3d", still[i]);
    assert_string_equal(shell_expect(0, line).err, "");
  }
  shell_write("table.mbs", "(system (gravity 0 0 -10) (input \"f\" 1) (ry \"a\" (tz -1 (mass 1)))\n"
                           " (torque \"a\" (* u.f (table (data (-1 1) (0.2 1)) (+ q.a t)))))");
  for (size_t i = 0; i < sizeof still / sizeof *still; i++) {
    char line[256];
    snprintf(line, sizeof line, "$CARDAN %s table.mbs --init q.a=0.5,u.f=4", still[i]);
    expect_word(line, "a table of line 2 is left: 0.");
    snprintf(line, sizeof line, "$CARDAN %s table.mbs", still[i]);
    assert_string_equal(shell_expect(0, line).err, "");
  }
  expect_word("$CARDAN statics table.mbs --at 0.1 --write there.mbs",
              "run there.mbs with --begin 0.1");
  expect_word("$CARDAN statics table.mbs --init u.f=0.5 --write there.mbs",
              "run there.mbs with --init u.f=0.5");
}

static void kinematics(void **state)
{
  (void)state;
  shell_write("arm.mbs", "(system (gravity 0 0 -10) (ry \"a\" (tz -1 (mass 2) (name \"tip\")))"
                         " (simulate (dt 0.25) (time 1)))");
  shell_write("turn.csv", "t,q.a\n0,0\n0.5,1\n1,2\n");
  // turned evenly: the force towards the hinge, and the torque m g sin a
  const outcome out = shell_expect(
      0, "$CARDAN kinematics arm.mbs --motion turn.csv --add forces --frame tip --out -");
  assert_non_null(strstr(out.out, "t,q.a,v.a,a.a,p.tip.x,p.tip.y,p.tip.z,pd.tip.x,"));
  assert_non_null(strstr(out.out, ",wd.tip.z,tau.a\n"));
  const char *last = strstr(out.out, "\n1,2,2,");
  assert_non_null(last);
  assert_near(strtod(strrchr(last, ',') + 1, NULL), 20 * sin(2), 1e-12);
  assert_string_equal(out.err, "");
  shell_write("round.csv", "t,q.a\n0,3\n0.1,3.1\n0.2,-3.083\n0.3,-2.983\n");
  expect_word("$CARDAN kinematics arm.mbs --motion round.csv",
              "q.a of the record goes from 3.1 at t = 0.1 to -3.083 at t = 0.2");
  const outcome held = shell_expect(0, "$CARDAN kinematics arm.mbs --hold --init q.a=0.5");
  assert_non_null(strstr(held.out, "5 places from 0 to 1 s"));
  assert_non_null(strstr(held.out, "held          a"));
  shell_refused(2, "$CARDAN kinematics arm.mbs", "nothing that moves or holds it: \"a\"");
  shell_refused(1, "$CARDAN kinematics arm.mbs --hold --add work", "expected forces");
  shell_refused(1, "$CARDAN kinematics arm.mbs --hold --frame toe", "toe");
  shell_refused(1, "$CARDAN kinematics arm.mbs --hold --dt 0", "dt");
  shell_refused(1, "$CARDAN kinematics arm.mbs --motion turn.csv --out ./turn.csv",
                "expected another");
  shell_refused(1, "$CARDAN kinematics arm.mbs --hold --out arm.txt", "ends in .csv or .h5");
  const outcome kept = shell_expect(0, "$CARDAN kinematics arm.mbs --hold --out arm.h5");
  assert_non_null(strstr(kept.err, "wrote arm.h5"));
  shell_refused(2, "$CARDAN run arm.h5", "expected the result of a run");
  shell_refused(1, "$CARDAN statics arm.mbs --write ./arm.mbs", "is the model itself");
  shell_refused(1, "$CARDAN kinematics arm.mbs --motion turn.csv --dt 0.1 --time 1.5", "1 s long");
  // t of the start is that of a run
  shell_write("late.mbs", "(system (ry \"a\" (tz -1 (mass 2))) (motion \"a\" (* 0.25 t))"
                          " (simulate (begin 2) (dt 0.5) (time 1)))");
  const outcome late = shell_expect(0, "$CARDAN kinematics late.mbs --out -");
  assert_non_null(strstr(late.out, "\n2,0.5,0.25,0\n"));
  const outcome there = shell_expect(0, "$CARDAN statics late.mbs --json");
  assert_non_null(strstr(there.out, "\"a\":0.5"));
  shell_write("wrong.csv", "t,q.a\n0,0\n0,1\n");
  shell_refused(1, "$CARDAN kinematics arm.mbs --motion wrong.csv", "wrong.csv:3:1: found t = 0");
}

static void matrices(void **state)
{
  (void)state;
  const outcome json = shell_expect(0, "$CARDAN matrices pendulum --json");
  const double g = 9.81, theta = 0.78539816339744831;
  assert_near(json_number(json.out, "mass"), 1, 0);
  assert_near(json_number(json.out, "com"), -sin(theta), 1e-15);
  assert_near(json_number(json.out, "K"), g * cos(theta), 1e-14);
  assert_near(json_number(json.out, "gravity"), g * sin(theta), 1e-14);
  const outcome text = shell_expect(0, "$CARDAN matrices closed-chain");
  assert_non_null(strstr(text.out, "G, rows of the constraints"));
  shell_write("open.mbs", "(system (joint revolute \"a\" (tx 1 (name \"A\") (mass 1 1 1 1)))\n"
                          " (place (5 0 0) (name \"B\")) (coincide \"A\" \"B\"))\n");
  shell_refused(2, "$CARDAN matrices open.mbs", "open.mbs:2:29: constraint ");
  shell_refused(1, "$CARDAN matrices pendulum --keyframe home", "keyframe");
}

static void modes(void **state)
{
  (void)state;
  shell_write("two.mbs",
              "(system \"two\" (gravity 0 0 -9.81) (input \"u\")"
              " (ry \"a\" (tz -1 (mass 1) (ry \"b\" (tz -1 (mass 1))))) (torque \"b\" u.u))\n");
  const outcome json = shell_expect(0, "$CARDAN modes two.mbs --json --count 1");
  assert_near(json_number(json.out, "dof"), 2, 0);
  assert_near(json_number(json.out, "count"), 2, 0);
  const char *first = strstr(json.out, "\"frequency\":");
  assert_non_null(first);
  assert_near(strtod(first + strlen("\"frequency\":"), NULL),
              sqrt((2 - sqrt(2)) * 9.81) / 6.2831853071795862, 1e-14);
  assert_non_null(strstr(json.out, "\"notes\":[]"));
  shell_expect(0, "$CARDAN modes two.mbs --out modes.csv");
  const outcome table = shell_expect(0, "cat modes.csv");
  assert_non_null(strstr(table.out, "mode,kind,frequency,damping,re,im,error,residual,shape.a,"));
  const outcome moved = shell_expect(0, "$CARDAN modes two.mbs --init q.a=0.3,u.u=1");
  assert_non_null(strstr(moved.out, "not an equilibrium"));
  const outcome system = shell_expect(0, "$CARDAN matrices two.mbs --json");
  assert_non_null(strstr(system.out, "\"states\":[\"q.a\",\"q.b\",\"v.a\",\"v.b\"]"));
  assert_non_null(strstr(system.out, "\"inputs\":[\"u.a\",\"u.b\",\"input.u\"]"));
  shell_refused(1, "$CARDAN modes two.mbs --init q.c=1", "q.c");
  // from wherever it starts it comes to rest below
  const outcome rest =
      shell_expect(0, "$CARDAN modes two.mbs --init q.a=0.3 --at equilibrium --json");
  first = strstr(rest.out, "\"frequency\":");
  assert_non_null(first);
  assert_near(strtod(first + strlen("\"frequency\":"), NULL),
              sqrt((2 - sqrt(2)) * 9.81) / 6.2831853071795862, 1e-9);
  assert_non_null(strstr(rest.out, "\"equilibrium\":true"));
  shell_refused(1, "$CARDAN matrices two.mbs --at rest", "expected start or equilibrium");
  shell_refused(1, "$CARDAN modes two.mbs --count 0", "count");
  shell_refused(1, "$CARDAN modes two.mbs --out ./two.mbs", "the model itself");
  shell_refused(1, "$CARDAN modes two.mbs --out a.html --report a.html", "two names");
  shell_refused(1, "$CARDAN modes two.mbs --report modes.txt", "html");
  shell_refused(1, "$CARDAN modes two.mbs --out none/modes.csv", "none/modes.csv");
  // two bars on one another: the rows lose rank there
  shell_write("flat.mbs",
              "(system (ry \"a\" (tx 1 (mass 1) (ry \"b\" (tx 2 (mass 1) (name \"P\")))))"
              " (tx 2 (ry \"c\" (tx 1 (mass 1) (name \"Q\")))) (coincide \"P\" \"Q\"))\n");
  shell_refused(3, "$CARDAN modes flat.mbs", "singular position");
  shell_write("light.mbs", "(system (ry \"a\" (tx 1)))\n");
  shell_refused(2, "$CARDAN modes light.mbs", "inertia");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_two),  cmocka_unit_test(options_of_svi), cmocka_unit_test(linearize),
      cmocka_unit_test(matrices),   cmocka_unit_test(other_states),   cmocka_unit_test(statics),
      cmocka_unit_test(kinematics), cmocka_unit_test(modes),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
