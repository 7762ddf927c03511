// SPDX-License-Identifier: Apache-2.0
// What rests, rests: thresholds of friction, creep, sharing of loads, jamming.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

#define FLOOR "(place (0 0 0) (name \"floor\") (solid plane))"

/* What counts as creep in seconds at rest [m]: rounding of gaps over dt, some steps long. At the
 * limit of friction no step may leave more than that, or it adds up. */
static const double creeps = 2e-13;

/* Largest change of the coordinates of a motion of so many steps from where it starts. */
static double moved(const char *model, const char *setting, double dt, int steps)
{
  const cardan_options o = run_options("vi", dt, 0);
  run r = run_begin(model, setting, &o);
  double start[512], most = 0;
  assert_in_range(r.model->nq, 1, 512);
  memcpy(start, r.data->q, (size_t)r.model->nq * sizeof *start);
  run_steps(&r, steps);
  for (int k = 0; k < r.model->nq; k++) {
    most = fmax(most, fabs(r.data->q[k] - start[k]));
  }
  run_free(&r);
  return most;
}

/* ---- A block on an incline of 0.4 rad. part: of the friction that just holds. */

#define INCLINE                                                                   \
  "(system (gravity 0 0 -9.81) (define part 1) (define th 0.4)"                   \
  " (place (0 0 0) (rpy 0 th 0) (name \"slope\") (solid plane) (place (0 0 0.05)" \
  "  (joint free \"block\" (mass 2 0.01 0.02 0.02) (solid box 0.3 0.2 0.1))))"    \
  " (contact \"block\" \"slope\" (friction (* part (tan th)))))"

#define SLIDER                                                  \
  "(system (tx \"x\" (mass 1)) (torque \"x\" (* 2 (- 1 1e-6)))" \
  " (dry-friction \"x\" 2))"

static void incline_at_its_limit(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  const double holds = moved(INCLINE, "part=1.000000001", 0.01, 100);
  run r = run_begin(INCLINE, "part=0.999999999", &o);
  run_steps(&r, 100);
  // g (sin - mu cos) / 2. Corners that slide by 1e-11 m/s know their direction to 1e-6, which
  // costs 1e-12 of the friction in the first steps, of g dt
  const double way = run_q(&r, "block.x"), exact = 0.5 * 9.81 * sin(0.4) * 1e-9;
  run_free(&r);
  print_message("incline: holds at 1 + 1e-9 to %.1e m, slides at 1 - 1e-9 right to %.1e m\n", holds,
                way - exact);
  assert_true(holds < creeps);
  assert_near(way, exact, 1e-13);
}

// 1e-6 below the limit of friction, and a slider with dry friction as near: CARDAN_STEPS=1000000
static void creep_at_the_limit(void **state)
{
  (void)state;
  static const char *const modes[] = {"located", "auto", "step"};
  const int steps = support_number("CARDAN_STEPS", 3000);
  for (int i = 0; i < 3; i++) {
    cardan_options o = run_options("vi", 0.005, 0);
    o.impacts = modes[i];
    run block = run_begin(INCLINE, "part=1.000001", &o), slider = run_begin(SLIDER, NULL, &o);
    run_steps(&block, steps);
    run_steps(&slider, steps);
    const double way = fabs(run_q(&block, "block.x")), slid = fabs(run_q(&slider, "x"));
    print_message("1e-6 below the limit, %s, %d steps: block %.1e m, slider %.1e m\n", modes[i],
                  steps, way, slid);
    assert_true(way < 1e-12 && slid < 1e-12);
    run_free(&block);
    run_free(&slider);
  }
}

static void incline_for_long(void **state)
{
  (void)state;
  const double creep = moved(INCLINE, "part=1.5", 0.01, 10000);
  print_message("incline, 100 s at 2/3 of the limit: %.1e m\n", creep);
  assert_true(creep < creeps);
}

/* ---- Stacks. */

static void stacks(void **state)
{
  (void)state;
  static const struct {
    const char *setting;
    int steps;
  } cases[] = {{NULL, 10000}, {"tilt=0.197", 300}, {"factor=10", 300}};
  for (int i = 0; i < 3; i++) {
    const double creep = moved("stack", cases[i].setting, 0.01, cases[i].steps);
    print_message("stack of 5, %s, %g s: %.1e m\n", cases[i].setting ? cases[i].setting : "level",
                  0.01 * cases[i].steps, creep);
    assert_true(creep < creeps);
  }
  // it tips from 0.1974 on
  assert_true(moved("stack", "tilt=0.199", 0.01, 100) > 1e-4);
}

// four boxes, each turned by 20 degrees on the one below: 28 contacts
static void twisted_tower(void **state)
{
  (void)state;
  static const char model[] =
      "(system (gravity 0 0 -9.81) " FLOOR
      " (place (0 0 0.05) (joint free \"a\" (mass 1 0.01 0.01 0.01) (solid box 0.3 0.3 0.1)))"
      " (place (0 0 0.15) (rpy 0 0 (deg 20)) (joint free \"b\" (mass 1 0.01 0.01 0.01) (solid box "
      "0.3 0.3 0.1)))"
      " (place (0 0 0.25) (rpy 0 0 (deg 40)) (joint free \"c\" (mass 1 0.01 0.01 0.01) (solid box "
      "0.3 0.3 0.1)))"
      " (place (0 0 0.35) (rpy 0 0 (deg 60)) (joint free \"d\" (mass 1 0.01 0.01 0.01) (solid box "
      "0.3 0.3 0.1)))"
      " (contact all))";
  const double creep = moved(model, NULL, 0.01, 200);
  print_message("twisted tower: %.1e m\n", creep);
  assert_true(creep < creeps);
}

/* ---- A table on four legs, its weight off its centre, on a slope that part brings to the limit
 * of friction. */

#define TABLE                                                \
  "(system (define part 0) (define th (atan (* part 0.5)))"  \
  " (gravity (* 9.81 (sin th)) 0 (* -9.81 (cos th))) " FLOOR \
  " (place (0 0 0.4) (joint free \"table\""                  \
  "  (place (0.1 0.05 0) (mass 10 0.5 0.6 0.9))"             \
  "  (place (0.5 0.3 -0.4) (name \"f1\") (solid point))"     \
  "  (place (0.5 -0.3 -0.4) (name \"f2\") (solid point))"    \
  "  (place (-0.5 0.3 -0.4) (name \"f3\") (solid point))"    \
  "  (place (-0.5 -0.3 -0.4) (name \"f4\") (solid point))))" \
  " (contact all (friction 0.5)))"

static void table_shares_its_load(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin(TABLE, NULL, &o);
  cardan_touching touch[8];
  run_steps(&r, 20);
  assert_int_equal(cardan_sim_touching(r.sim, touch, 8), 4);
  double sum = 0, x = 0, y = 0;
  for (int i = 0; i < 4; i++) {
    sum += touch[i].normal;
    x += touch[i].x.x * touch[i].normal;
    y += touch[i].x.y * touch[i].normal;
  }
  print_message("table: weight to %.1e N, moments to %.1e N m\n", sum - 98.1,
                fmax(fabs(x - 9.81), fabs(y - 4.905)));
  assert_near(sum, 98.1, 1e-9);
  assert_near(x, 9.81, 1e-9);
  assert_near(y, 4.905, 1e-9);
  run_free(&r);
}

static void table_at_its_limit(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  const double below = moved(TABLE, "part=0.999999", 0.01, 100);
  run r = run_begin(TABLE, "part=1.000001", &o);
  run_steps(&r, 100);
  const double th = atan(0.5 * 1.000001), way = run_q(&r, "table.x"),
               exact = 0.5 * 9.81 * (sin(th) - 0.5 * cos(th));
  run_free(&r);
  print_message("table: below its limit %.1e m, above it right to %.1e m\n", below, way - exact);
  assert_true(below < 1e-14);
  assert_near(way, exact, 1e-12);
}

/* ---- A block between two fingers, pressed with part of what just holds it. */

#define GRASP                                                                         \
  "(system (gravity 0 0 -9.81) (define part 1) (define F (* part 9.81))"              \
  " (joint free \"block\" (mass 1 0.01 0.01 0.01) (solid box 0.2 0.2 0.2))"           \
  " (place (-0.15 0 0) (joint prismatic \"l\" (axis 1 0 0) (mass 0.1 1e-3 1e-3 1e-3)" \
  "  (solid box 0.1 0.1 0.1)))"                                                       \
  " (place (0.15 0 0) (joint prismatic \"r\" (axis 1 0 0) (mass 0.1 1e-3 1e-3 1e-3)"  \
  "  (solid box 0.1 0.1 0.1)))"                                                       \
  " (torque \"l\" F) (torque \"r\" (neg F)) (contact all (friction 0.5)))"

static void record(void **state)
{
  (void)state;
  const double holds = moved(GRASP, "part=1.000001", 0.01, 100),
               slips = moved(GRASP, "part=0.99", 0.01, 100);
  print_message("record: holds at 1.000001 of the limit to %.1e m, falls %.4f m at 0.99\n", holds,
                slips);
  assert_true(holds < creeps);
  assert_near(slips, 0.5 * 9.81 * 0.01, 1e-9);
}

/* ---- P. Painleve's rod: it slides on its tip against its lean, mu 2. */

#define ROD                                                                                    \
  "(system (gravity 0 0 -9.81) (define a 0.7) (define w 0) (define v -6) " FLOOR               \
  " (tx \"x\" tz \"z\" ry \"a\" (mass 1 (/ 12) (/ 12) (/ 12)) (tz -0.5 (name \"tip\") (solid " \
  "point)))"                                                                                   \
  " (contact \"tip\" \"floor\" (friction 2))"                                                  \
  " (initial (\"x\" (* 0.5 (sin a)) (+ v (* 0.5 w (cos a))))"                                  \
  "  (\"z\" (* 0.5 (cos a)) (* -0.5 w (sin a))) (\"a\" a w)))"

// inconsistent: no force of friction lets the tip slide on, so that it stops at once. The impulse r
// that does it, with W the mobility of the tip: W r = -(0, v); a' = 12 (c_x r_n - c_z r_t)
static void rod_jams(void **state)
{
  (void)state;
  const double cx = 0.5 * sin(0.7), cz = 0.5 * cos(0.7), v = -6;
  const double nn = 1 + 12 * cx * cx, nt = -12 * cx * cz, tt = 1 + 12 * cz * cz;
  const double det = nn * tt - nt * nt, rn = nt * v / det, rt = -nn * v / det;
  const double exact = 12 * (cx * rn - cz * rt);
  double error[2];
  assert_true(rn > 0 && fabs(rt) < 2 * rn);
  for (int i = 0; i < 2; i++) {
    const double dt = i ? 0.0005 : 0.001;
    const cardan_options o = run_options("vi", dt, 0);
    run r = run_begin(ROD, NULL, &o);
    run_steps(&r, 1);
    error[i] = fabs(run_v(&r, "a") - exact) / dt;
    print_message("rod, inconsistent, dt %g: a' %.6f, of the impulse %.6f\n", dt, run_v(&r, "a"),
                  exact);
    run_free(&r);
    assert_true(error[i] < 20); // [rad/s^2]: what gravity does in a step
  }
}

// indeterminate: it might jam as well as leave; with a turning rate that lifts the tip, it leaves
static void rod_leaves(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.001, 0);
  run r = run_begin(ROD, "w=-6", &o);
  const double z = run_q(&r, "z"), vz = run_v(&r, "z");
  run_steps(&r, 50);
  print_message("rod, indeterminate: height to %.1e m of its flight\n",
                run_q(&r, "z") - (z + vz * 0.05 - 0.5 * 9.81 * 0.0025));
  // a body that turns by w h in a step travels (w h)^2 / 12 short, here of 0.1 m
  assert_near(run_q(&r, "z"), z + vz * 0.05 - 0.5 * 9.81 * 0.0025, 4e-7);
  run_free(&r);
}

/* ---- An overlap decays with time, not with steps: a block that starts 1e-8 m deep, and a ball
 * beside it whose impact cuts the first step after 2e-8 s. Thrown out at once it would fly at
 * 0.5 m/s. */

static void a_short_step_does_not_throw(void **state)
{
  (void)state;
  static const char model[] =
      "(system (gravity 0 0 -9.81) " FLOOR
      " (joint free \"block\" (mass 1 0.01 0.01 0.01) (solid box 0.2 0.2 0.2))"
      " (tx 1 tz \"ball\" (mass 1) (solid point))"
      " (contact \"block\" \"floor\") (contact \"ball\" \"floor\" (restitution 1))"
      " (initial (\"block\" (0 0 0.09999999 1 0 0 0)) (\"ball\" 2e-8 -1)))";
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin(model, NULL, &o);
  double fastest = 0;
  for (int k = 0; k < 100; k++) {
    run_steps(&r, 1);
    fastest = fmax(fastest, fabs(run_v(&r, "block.vz")));
  }
  print_message("a block 1e-8 m deep: up at most at %.1e m/s, ends at %.1e m\n", fastest,
                run_q(&r, "block.z") - 0.1);
  assert_true(cardan_sim_stats(r.sim).contact.impacts >= 4);
  assert_true(fastest < 1e-6);
  assert_near(run_q(&r, "block.z"), 0.1, 1e-13);
  run_free(&r);
}

/* ---- A taut rope is a pendulum; its energy has a band and no drift. */

static void taut_rope(void **state)
{
  (void)state;
  static const char model[] =
      "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"hook\"))"
      " (tx \"x\" tz \"z\" (name \"bob\") (mass 1)) (rope \"bob\" \"hook\" 1)"
      " (initial (\"x\" (sin 0.8)) (\"z\" (- (cos 0.8)))))";
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin(model, NULL, &o);
  const double start = run_energy(&r);
  double low = 0, high = 0, length = 0, tenth[2] = {0, 0};
  for (int k = 0; k < 20000; k++) {
    run_steps(&r, 1);
    const double off = run_energy(&r) - start;
    low = fmin(low, off);
    high = fmax(high, off);
    length = fmax(length, fabs(hypot(run_q(&r, "x"), run_q(&r, "z")) - 1));
    tenth[0] += k < 2000 ? off / 2000 : 0;
    tenth[1] += k >= 18000 ? off / 2000 : 0;
  }
  print_message("taut rope, 200 s: energy %.1e .. %.1e J, tenths %.3e, %.3e, length to %.1e m\n",
                low, high, tenth[0], tenth[1], length);
  assert_true(high - low < 1e-3);
  assert_near(tenth[0], tenth[1], 1e-5);
  assert_true(length < 1e-13);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(incline_at_its_limit),
      cmocka_unit_test(creep_at_the_limit),
      cmocka_unit_test(incline_for_long),
      cmocka_unit_test(stacks),
      cmocka_unit_test(twisted_tower),
      cmocka_unit_test(table_shares_its_load),
      cmocka_unit_test(table_at_its_limit),
      cmocka_unit_test(record),
      cmocka_unit_test(rod_jams),
      cmocka_unit_test(rod_leaves),
      cmocka_unit_test(taut_rope),
      cmocka_unit_test(a_short_step_does_not_throw),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
