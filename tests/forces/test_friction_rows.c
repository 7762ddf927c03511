// SPDX-License-Identifier: Apache-2.0
// Dry friction of given size as rows of the cone problem, in vi and svi: exact sticking, stops of
// many joints at once, orders, beside limits and contacts, saved states.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const char *const methods[] = {"vi", "svi"};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* Four hinges that swing, of light links that friction of 1 N m stops within a step. */
#define HINGE(name, rest) " (ry \"" name "\" (tz -0.1 (mass 0.1 .001 .001 .001) (tz -0.1" rest ")))"
#define HINGES HINGE("a", HINGE("b", HINGE("c", HINGE("d", ""))))
#define DRY(name, c) " (dry-friction \"" name "\" " c ")"
static const char hinges[] = "(system (gravity 0 0 -9.81)" HINGES DRY("a", "1") DRY("b", "1")
    DRY("c", "1") DRY("d", "1") " (initial (\"a\" 0 2) (\"b\" 0 -3) (\"c\" 0 1) (\"d\" 0 4)))";

// they stop, stay to the last bits of their coordinates, and the work is what was lost
static void four_hinges(void **state)
{
  (void)state;
  for (int i = 0; i < 2 * METHODS; i++) {
    const double dt = i % 2 ? 1e-3 : 1e-2;
    const cardan_options o = run_options(methods[i / 2], dt, 0);
    run r = run_begin(hinges, NULL, &o);
    run_steps(&r, (int)lround(0.5 / dt));
    double q[4], T = 0.5 * run_column(&r, 0, "kinetic");
    memcpy(q, r.data->q, sizeof q);
    assert_near(T, 0, 1e-24);
    for (int k = 0; k < 4; k++) {
      assert_near(r.data->v[k], 0, 1e-14);
    }
    // the torque that holds the first of them is that of gravity on all
    double torque = 0, angle = 0, x = 0;
    for (int k = 0; k < 4; k++) {
      angle += q[k];
      x += 0.1 * sin(angle);
      torque += 0.1 * 9.81 * x;
      x += 0.1 * sin(angle);
    }
    run_column(&r, CARDAN_ADD_REACTIONS, "R.a.ty");
    assert_near(fabs(r.data->friction_tau[0]), fabs(torque), 1e-12);
    run_steps(&r, 1000);
    assert_near_vec(r.data->q, q, 4, 1e-13);
    assert_near(run_column(&r, CARDAN_ADD_WORK, "balance"), 0, 1e-5);
    run_free(&r);
  }
}

#define BLOCK(load, c)                                                                \
  "(system (define v0 0) (joint prismatic \"x\" (axis 1 0 0) (mass 2 .1 .1 .1))" DRY( \
      "x", c) " (torque \"x\" " load ") (initial (\"x\" 0 v0)))"

// under gravity up a slope: v0^2 / (2 a), and then nothing, for 1e5 steps
static void a_slider_stops(void **state)
{
  static const char slope[] =
      "(system (gravity 0 0 -9.81) (joint prismatic \"x\" (axis (cos 0.3) 0 (neg (sin 0.3)))"
      " (mass 2 .1 .1 .1))" DRY("x", "8") " (initial (\"x\" 0 -1)))";
  const double a = 9.81 * sin(0.3) + 4, dt = 1e-2;
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    const cardan_options o = run_options(methods[i], dt, 0);
    run r = run_begin(slope, NULL, &o);
    run_steps(&r, 50);
    const double x = run_q(&r, "x");
    assert_near(x, -1 / (2 * a), 0.5 * a * dt * dt);
    assert_near(run_v(&r, "x"), 0, 1e-15);
    const double balance = run_column(&r, CARDAN_ADD_WORK, "balance");
    assert_near(balance, 0, 1e-13);
    run_column(&r, CARDAN_ADD_REACTIONS, "R.x.fx");
    assert_near(r.data->friction_tau[0], -2 * 9.81 * sin(0.3), 1e-12);
    run_steps(&r, i == 0 ? 100000 : 10000);
    assert_near(run_q(&r, "x"), x, 1e-12);
    assert_near(run_column(&r, CARDAN_ADD_WORK, "balance"), balance, 1e-11);
    run_free(&r);
  }
}

// a load of c, and of all but 1e-9 of it, moves nothing; one of 1e-6 more does so by that
static void at_the_limit(void **state)
{
  const double dt = 1e-2;
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    const cardan_options o = run_options(methods[i], dt, 0);
    run held = run_begin(BLOCK("5.999999994", "6"), NULL, &o);
    run equal = run_begin(BLOCK("6", "6"), NULL, &o);
    run moves = run_begin(BLOCK("6.000006", "6"), NULL, &o);
    run_steps(&held, 20000);
    run_steps(&equal, 20000);
    run_steps(&moves, 100);
    assert_near(run_q(&held, "x"), 0, 1e-13);
    assert_near(run_q(&equal, "x"), 0, 1e-10);
    assert_near(run_q(&moves, "x"), 0.5 * 3e-6, 1e-9);
    run_free(&held);
    run_free(&equal);
    run_free(&moves);
  }
}

/* Largest error of a mass 1 on a spring 100 with friction c from 0.52, over time T. */
static double swing_error(const char *method, double c, double T, int steps, double *mean)
{
  char text[300];
  const double dt = T / steps, w = 10, x0 = c / 100;
  double worst = 0;
  const cardan_options o = run_options(method, dt, 0);
  snprintf(text, sizeof text,
           "(system (rz \"a\" (mass 0 0 0 1)) (joint-spring \"a\" 100 0) (dry-friction \"a\" %g)"
           " (initial (\"a\" 0.52)))",
           c);
  run r = run_begin(text, NULL, &o);
  *mean = 0;
  for (int k = 1; k <= steps; k++) {
    run_steps(&r, 1);
    const double t = k * dt, pi = acos(-1);
    const int half = (int)floor(w * t / pi); // turns so far
    const double size = 0.52 - (2 * half + 1) * x0, side = half % 2 ? -1 : 1;
    const double x = side * (size * cos(w * t - half * pi) + x0);
    worst = fmax(worst, fabs(run_q(&r, "a") - x));
    *mean += (0.5 * 100 * x * x - run_energy(&r)) / steps;
  }
  run_free(&r);
  return worst;
}

// of order 2 while a joint slides one way, of order 1 where it turns round
static void orders(void **state)
{
  double mean;
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    double one_way[2], there_and_back[2];
    for (int k = 0; k < 2; k++) {
      one_way[k] = swing_error(methods[i], 5, 0.3, 30 << k, &mean);
      there_and_back[k] = swing_error(methods[i], 5, 1.5, 300 << (3 * k), &mean);
    }
    const double slides = log2(one_way[0] / one_way[1]);
    const double turns = log2(there_and_back[0] / there_and_back[1]) / 3;
    print_message("%-4s order %.2f sliding, %.2f with turns (off by %.1e of 0.52)\n", methods[i],
                  slides, turns, there_and_back[1]);
    assert_near(slides, 2, 0.05);
    assert_true(turns > 0.7);
  }
}

/* A palm with two fingers of two joints each, in the air above a floor. */
#define FINGER(side, first, low1, high1, second, low2, high2, tip)                                 \
  " (place (" side "0.04 0 0) (joint revolute \"" first "\" (axis 0 1 0) (limit " low1 " " high1   \
  ") (place (" side "0.04 0 0) (mass 0.05 5e-6 2e-5 2e-5)) (place (" side                          \
  "0.08 0 0) (joint revolute \"" second "\" (axis 0 1 0) (limit " low2 " " high2 ") (place (" side \
  "0.03 0 0) (mass 0.03 4e-6 1e-5 1e-5)) (place (" side "0.06 0 0) (name \"" tip                   \
  "\") (solid sphere 0.012))))))"
static const char hand[] =
    "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"floor\") (solid plane))"
    " (place (0 0 0.2) (joint free \"palm\" (mass 0.4 4e-4 4e-4 6e-4)" FINGER(
        "", "a", "-1", "1", "b", "-0.2", "1.4", "A")
        FINGER("-", "c", "-1", "1", "d", "-1.4", "0.2",
               "B") "))"
                    " (contact \"A\" \"floor\" (friction 0.6)) (contact \"B\" \"floor\" (friction "
                    "0.6))" DRY("a", "0.05") DRY("b", "0.02") DRY("c", "0.05")
                        DRY("d",
                            "0.02") " (initial (\"a\" 0.6) (\"b\" 0.5) (\"c\" -0.5) (\"d\" -0.6)))";

// it lands on its fingers, which give way, and comes to rest; no step gains energy
static void beside_contacts(void **state)
{
  static const char *const impacts[] = {"auto", "located", "step"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    cardan_options o = run_options("vi", 2e-3, 0);
    o.impacts = impacts[i];
    run r = run_begin(hand, NULL, &o);
    double energy = run_energy(&r), most = 0;
    const double start = energy;
    for (int k = 0; k < 1000; k++) {
      run_steps(&r, 1);
      const double now = run_energy(&r);
      most = fmax(most, now - energy);
      energy = now;
    }
    double q[11], speed = 0;
    memcpy(q, r.data->q, sizeof q);
    for (int k = 0; k < r.model->nv; k++) {
      speed = fmax(speed, fabs(r.data->v[k]));
    }
    print_message("%-8s loses %.4f J, gains at most %.1e J in a step, rests at %.1e\n", impacts[i],
                  start - energy, most, speed);
    assert_true(speed < 1e-9);
    assert_true(most < 2e-4 * (start - energy));
    run_steps(&r, 500);
    assert_near_vec(r.data->q, q, 11, 1e-10);
    run_free(&r);
  }
}

// a run from a saved state has the bits of the one that continues
static void saved(void **state)
{
  static const char *const models[] = {hinges, hand};
  (void)state;
  for (int m = 0; m < 2; m++) {
    for (int at = 1; at < 200; at += 33) {
      const cardan_options o = run_options("vi", 2e-3, 0);
      run r = run_begin(models[m], NULL, &o), other = run_begin(models[m], NULL, &o);
      run_steps(&r, at);
      const size_t size = cardan_sim_snapshot_size(r.sim);
      void *bytes = malloc(size);
      assert_non_null(bytes);
      assert_int_equal(cardan_sim_snapshot_save(r.sim, bytes, size, NULL), CARDAN_OK);
      run_steps(&r, 50);
      assert_int_equal(cardan_sim_snapshot_load(other.sim, bytes, size, NULL), CARDAN_OK);
      run_steps(&other, 50);
      assert_memory_equal(r.data->q, other.data->q, (size_t)r.model->nq * sizeof(double));
      assert_true(run_column(&r, CARDAN_ADD_WORK, "work") ==
                  run_column(&other, CARDAN_ADD_WORK, "work"));
      free(bytes);
      run_free(&r);
      run_free(&other);
    }
  }
}

// joints whose sides are known are solved for without rows: the same motion, ledger and forces as
// by rows, which the iteration with the mass matrix has in every step
static void sides_are_rows(void **state)
{
  static const char *const all[] = {
      hinges,
      "(system (gravity 0 0 -9.81) (joint free \"base\" (mass 1 .01 .02 .03)"
      " (rx \"a\" (tz 0.2 (mass 0.5 .01 .01 .001) (ry \"b\" (tz 0.2 (mass 0.3 .01 .01 .001)))))"
      " (tx 0.1 (ry \"c\" (tz -0.2 (mass 0.5 .01 .01 .001) (tz \"d\" (mass 0.2 .01 .01 "
      ".001))))))" DRY("a", "0.02") DRY("b", "0.2") DRY("c", "0.05")
          DRY("d", "0.5") " (joint-spring \"a\" 4 0)"
                          " (armature \"b\" 0.01)"
                          " (initial (\"a\" 0.3 2)"
                          " (\"b\" 0 -3)"
                          " (\"c\" 0 1)"
                          " (\"d\" 0 1)))"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    cardan_options o = run_options("vi", 2e-3, 0);
    run by_sides = run_begin(all[i], NULL, &o);
    o.solver = "riqn";
    run by_rows = run_begin(all[i], NULL, &o);
    for (int k = 0; k < 10; k++) {
      run_steps(&by_sides, 30);
      run_steps(&by_rows, 30);
      assert_near_vec(by_sides.data->q, by_rows.data->q, by_rows.model->nq, 1e-9);
      assert_near_vec(by_sides.data->v, by_rows.data->v, by_rows.model->nv, 1e-8);
      assert_near(run_column(&by_sides, CARDAN_ADD_WORK, "work"),
                  run_column(&by_rows, CARDAN_ADD_WORK, "work"), 1e-9);
      run_column(&by_sides, CARDAN_ADD_REACTIONS, "energy");
      run_column(&by_rows, CARDAN_ADD_REACTIONS, "energy");
      assert_near_vec(by_sides.data->friction_tau, by_rows.data->friction_tau, by_rows.model->nv,
                      1e-8);
    }
    const long few = (long)cardan_sim_stats(by_sides.sim).contact.solves,
               many = (long)cardan_sim_stats(by_rows.sim).contact.solves;
    print_message("%ld problems by sides, %ld by rows\n", few, many);
    assert_true(10 * few < 4 * many);
    run_free(&by_sides);
    run_free(&by_rows);
  }
}

// option adapt takes no stop or turn for an error of the step
static void in_parts(void **state)
{
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    cardan_options o = run_options(methods[i], 1e-2, 0);
    o.adapt = 1e-5;
    run r = run_begin(hinges, NULL, &o);
    run_steps(&r, 100);
    assert_near(run_column(&r, CARDAN_ADD_WORK, "balance"), 0, 1e-5);
    run_free(&r);
  }
}

// a crank with friction in all joints that a motion drives: nothing can stop it, and the driver
// bears what friction takes, as with the law; and one that is driven to rest
static void driven(void **state)
{
  static const char crank[] =
      "(system (gravity 0 0 -9.81) (define w 2) (joint revolute \"a\" (axis 0 1 0) (place (0.2 0 0)"
      " (mass 1 .02 .02 .02)) (place (0.4 0 0) (joint revolute \"b\" (axis 0 1 0)"
      " (place (0.5 0 0) (mass 1 .1 .1 .1)) (place (1 0 0) (name \"P\"))))) (joint prismatic \"x\""
      " (axis 1 0 0) (name \"S\") (mass 1 .1 .1 .1)) (coincide \"P\" \"S\")"
      " (motion \"a\" (+ 0.3 (* w t))) (dry-friction \"a\" 0.5 (vs 1e-5))"
      " (dry-friction \"b\" 0.3 (vs 1e-5)) (dry-friction \"x\" 2 (vs 1e-5)))";
  (void)state;
  const cardan_options fine = run_options("aba:rk4", 1e-3, 0);
  run law = run_begin(crank, NULL, &fine);
  run_steps(&law, 1000);
  for (int i = 0; i < METHODS; i++) {
    const cardan_options o = run_options(methods[i], 5e-3, 0);
    run r = run_begin(crank, NULL, &o);
    run_steps(&r, 200);
    assert_near(run_column(&r, CARDAN_ADD_WORK, "work"), run_column(&law, CARDAN_ADD_WORK, "work"),
                1e-3);
    assert_near(run_column(&r, CARDAN_ADD_WORK, "balance"), 0, 1e-4);
    assert_near(run_column(&r, CARDAN_ADD_REACTIONS, "R.a.ty"),
                run_column(&law, CARDAN_ADD_REACTIONS, "R.a.ty"), 1e-2);
    run_free(&r);
    run rests = run_begin(crank, "w=0", &o);
    run_steps(&rests, 200);
    assert_near(run_column(&rests, CARDAN_ADD_WORK, "work"), 0, 1e-12);
    run_free(&rests);
  }
  run_free(&law);
}

// beside friction that reactions make, which has what the rows do among its loads: the same as by a
// method of continuous time
static void beside_reactions(void **state)
{
  static const char text[] = "(system (gravity 0 0 -9.81)" HINGE(
      "a", HINGE("b", HINGE("c", " (joint revolute \"d\" (axis 0 1 0) (place (0 0 -0.1)"
                                 " (mass 0.1 .001 .001 .001)))"))) DRY("a", "1 (vs 1e-6)")
      DRY("b", "1 (vs 1e-6)")
          DRY("c", "1 (vs 1e-6)") " (friction \"d\" 0.1 (radius 0.01))"
                                  " (initial (\"a\" 0.3 2) (\"b\" 0 -3) (\"c\" 0 1) (\"d\" 0 4)))";
  double q[4];
  (void)state;
  const cardan_options fine = run_options("aba:rk4", 2e-4, 0);
  run_end(text, NULL, &fine, 0.4, 2000, q);
  for (int i = 0; i < METHODS; i++) {
    const cardan_options o = run_options(methods[i], 2e-3, 0);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 200);
    assert_near_vec(r.data->q, q, 4, 1e-3);
    assert_near(r.data->v[0], 0, 1e-12);
    assert_near(run_column(&r, CARDAN_ADD_WORK, "balance"), 0, 1e-5);
    run_free(&r);
  }
  const cardan_options o = run_options("vi", 1e-2, 0);
  run both =
      run_begin("(system (gravity 0 0 -9.81) (joint prismatic \"x\" (axis 1 0 0) (mass 2 .1"
                " .1 .1)) (friction \"x\" 0.1) (dry-friction \"x\" 1) (initial (\"x\" 0 2)))",
                NULL, &o);
  run_steps(&both, 50);
  assert_near(run_v(&both, "x"), 2 - 0.5 * (0.1 * 9.81 + 0.5), 1e-9);
  run_column(&both, CARDAN_ADD_REACTIONS, "R.x.fx");
  assert_near(both.data->friction_tau[0], -2 * (0.1 * 9.81 + 0.5), 1e-9);
  run_free(&both);
}

// dry friction of a ball is a force
static void as_a_force(void **state)
{
  const cardan_options o = run_options("vi", 1e-2, 0);
  (void)state;
  run r = run_begin("(system (joint spherical \"s\" (mass 1 1 1 1)) (dry-friction \"s.wz\" 0.5)"
                    " (initial (\"s\" (1 0 0 0) (0 0 1))))",
                    NULL, &o);
  run_steps(&r, 100);
  assert_near(run_v(&r, "s.wz"), 0.5, 1e-9);
  run_free(&r);
}

// a velocity that went down to a denormal number beside sliders that move is no size to divide by
static void rests_at_a_denormal(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options(methods[i], 0.01, 0);
    run r = run_begin("(system (tx \"a\" (mass 0.78)) (dry-friction \"a\" 9.27)"
                      " (tx \"b\" (mass 0.652762538947807)) (dry-friction \"b\" 7.11735370780402)"
                      " (tx \"c\" (mass 1.75)) (dry-friction \"c\" 9.33)"
                      " (initial (\"a\" 0 1.43) (\"b\" 0 0.734131935852483) (\"c\" 0 1.73)))",
                      NULL, &o);
    run_steps(&r, 200);
    assert_near(run_v(&r, "b"), 0, 1e-12);
    assert_near(run_q(&r, "b"), 0.0247, 2e-4); // m v^2 / (2 c), to the last step's way
    run_free(&r);
  }
}

// backward Euler has the smooth law, which is steep: it finds its steps at any dt, and comes to
// where rows of dry friction stop the joints (svi at 0.1 ms), with an error of order 1
static void four_hinges_by_backward_euler(void **state)
{
  static const double right[] = {0.02607, -0.001968, 0, 0.006953}; // the third is not compared
  static const double steps[] = {0.05, 0.01, 1e-3};
  double error[3] = {0};
  (void)state;
  for (int i = 0; i < 3; i++) {
    const cardan_options o = run_options("fully-implicit", steps[i], 0);
    run r = run_begin(hinges, NULL, &o);
    run_steps(&r, (int)lround(0.5 / steps[i]));
    for (int k = 0; k < 4; k++) {
      assert_true(fabs(r.data->v[k]) < 1e-3); // vs: what it creeps by
      error[i] = k == 2 ? error[i] : fmax(error[i], fabs(r.data->q[k] - right[k]));
    }
    run_free(&r);
  }
  print_message("off by %.1e, %.1e, %.1e rad\n", error[0], error[1], error[2]);
  assert_true(error[0] < 0.02 && error[1] < 0.01 && error[2] < error[1] / 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_hinges),    cmocka_unit_test(four_hinges_by_backward_euler),
      cmocka_unit_test(a_slider_stops), cmocka_unit_test(at_the_limit),
      cmocka_unit_test(orders),         cmocka_unit_test(beside_contacts),
      cmocka_unit_test(saved),          cmocka_unit_test(driven),
      cmocka_unit_test(in_parts),       cmocka_unit_test(beside_reactions),
      cmocka_unit_test(as_a_force),     cmocka_unit_test(rests_at_a_denormal),
      cmocka_unit_test(sides_are_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
