// SPDX-License-Identifier: Apache-2.0
// Starts that are not assembled, the figures of Huang and Zhang, and singular positions.
#include <math.h>
#include <string.h>

#include "maximal_fixture.h"

/* Steps until the largest violation is below 1e-2 (0: not in 500); the violation at the end. */
static int steps_to_close(const char *model, const char *integrator, double kq, double kv,
                          double *last)
{
  cardan_options o = run_options("baraff", 0.01, 5);
  cardan_report report = {.message = ""};
  int first = 0;
  o.integrator = integrator;
  o.assemble = false;
  o.kq = kq;
  o.kv = kv;
  run r = run_begin(model, "assembled=0", &o);
  *last = run_column(&r, 0, "constraint");
  for (int i = 1; i <= 500 && *last < 1e3; i++) {
    if (cardan_sim_step(r.sim, &report) != CARDAN_OK) {
      *last = HUGE_VAL;
      break;
    }
    *last = run_column(&r, 0, "constraint");
    first = first == 0 && *last < 1e-2 ? i : first;
  }
  run_free(&r);
  return first;
}

// feedback closes what starts apart, in the number of steps that the prototype's table says for
// gains with critical damping (dt = 0.01, violation below 1e-2; starts perturbed otherwise than
// there, so to 10 steps); too small gains never do, too little damping diverges with forward Euler
static void gains(void **state)
{
  (void)state;
  static const struct {
    double kq, kv;
    int euler, semi; // 0: never, or not stable
  } cases[] = {{1, 2, 0, 0},      {10, 6.3, 253, 272}, {25, 10, 157, 176},
               {100, 20, 75, 94}, {400, 40, 35, 52},   {100, 200, 0, 0}};
  static const char *const models[] = {"bintree:3", "ring"};
  for (int k = 0; k < 2; k++) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      double euler, semi;
      const int n = steps_to_close(models[k], "euler", cases[i].kq, cases[i].kv, &euler);
      const int m = steps_to_close(models[k], "semi-implicit", cases[i].kq, cases[i].kv, &semi);
      print_message(
          "%-10s kq %4g kv %4g: euler %3d steps, %.1e at the end; semi-implicit %3d, %.1e\n",
          models[k], cases[i].kq, cases[i].kv, n, euler, m, semi);
      assert_near(n, cases[i].euler, cases[i].euler > 0 ? 10 : 0);
      assert_near(m, cases[i].semi, cases[i].semi > 0 ? 14 : 0);
      assert_true(n == 0 || (euler < 1e-2 && semi < 1e-2));
    }
    double last;
    assert_int_equal(steps_to_close(models[k], "euler", 100, 0, &last), 0);
    assert_true(last > 1e2);
  }
}

// projection closes them at once: Newton's steps in the mass metric with turns limited
static void projection(void **state)
{
  (void)state;
  static const char *const models[] = {"bintree:3", "ring"};
  for (int i = 0; i < 2; i++) {
    cardan_options o = run_options("baraff", 0.01, 1);
    o.assemble = false;
    o.stabilise = "project";
    run r = run_begin(models[i], "assembled=0", &o);
    assert_true(run_column(&r, 0, "constraint") > 1);
    run_steps(&r, 1);
    assert_near(run_column(&r, 0, "constraint"), 0, 1e-10);
    run_free(&r);
  }
}

// the velocity of a pose is that of the frame's origin and the angular one, in world axes: momenta
// of a body of 2 kg whose centre is 0.3 m from the frame, both turned
static void pose_velocity(void **state)
{
  (void)state;
  const char *text =
      "(system (joint free \"f\" (place (0.3 0 0) (rpy 0.1 0.2 0.3) (mass 2 .1 .2 .3) (name "
      "\"c\")) (place (0 0.1 0) (rpy 0.4 0 0) (name \"A\")))"
      " (initial (pose \"A\" (1 2 3) (rpy 0 0 0.5) (velocity (1 -2 3) (0.5 0.6 0.7)))))";
  static const char *const methods[] = {"baraff", "rattle",       "half-implicit", "fully-implicit",
                                        "vi",     "hamilton:rk4", "aba:rk4",       "rattle"};
  for (int i = 0; i < 8; i++) { // the last four by coordinates that have the frame there
    cardan_options o = run_options(methods[i], 0.01, 1);
    o.assemble = i >= 4;
    run r = run_begin(text, NULL, &o);
    assert_string_equal(cardan_sim_note(r.sim), "");
    const cardan_vec3 w = {0.5, 0.6, 0.7}, v = {1, -2, 3};
    const int c = cardan_model_frame(r.model, "c"), A = cardan_model_frame(r.model, "A");
    const cardan_data *data = cardan_sim_data(r.sim);
    const cardan_vec3 arm = cardan__vec3_sub(cardan_frame_pose(r.model, data, c).p,
                                             cardan_frame_pose(r.model, data, A).p);
    const cardan_vec3 p = cardan__vec3_scale(2, cardan__vec3_add(v, cardan__vec3_cross(w, arm)));
    const cardan_force got = cardan_total_momentum(r.model, data);
    assert_near(got.f.x, p.x, i < 4 ? 1e-14 : 1e-8);
    assert_near(got.f.y, p.y, i < 4 ? 1e-14 : 1e-8);
    assert_near(got.f.z, p.z, i < 4 ? 1e-14 : 1e-8);
    run_free(&r);
  }
  cardan_report report = {.message = ""};
  cardan_options o = run_options("aba:rk4", 0.01, 1);
  o.assemble = false;
  run r = run_load(text, NULL, &o);
  assert_int_equal(cardan_sim_start(r.sim, &report), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, "the pose of \"A\" would not be used"));
  run_free(&r);
}

/* Centre of mass of everything. */
static cardan_vec3 centre(const run *r)
{
  cardan_vec3 sum = {0, 0, 0};
  for (int i = 1; i < r->model->nbody; i++) {
    const cardan_inertia *I = &r->model->body[i].inertia;
    const cardan_xform *X = &r->data->X_W[i];
    sum = cardan__vec3_add(sum, cardan__vec3_axpy(I->m, X->p, cardan__mat3_mulv(&X->R, I->h)));
  }
  return cardan__vec3_scale(1 / r->model->mass, sum);
}

// Figures 3 to 5: four-bar, arm of five and tree of seven, free and pinned, 5 s. With the paper's
// steps (forward Euler and feedback, dt = 0.01) they hold together to a few centimetres of their
// five metres; with rk4 and projection to rounding, energy with them. Free ones fall as one mass
// point
static void figures(void **state)
{
  (void)state;
  static const char *const models[] = {"ring", "arm:5", "bintree:3"};
  for (int i = 0; i < 6; i++) {
    const char *model = models[i / 2], *setting = i % 2 ? "fixed=1" : "fixed=0";
    const double time = i < 2 ? 4 : 5; // after 4 s the ring of four comes near to lying flat
    cardan_options o = run_options("baraff", 0.01, time);
    o.integrator = "euler";
    o.stabilise = "baumgarte";
    run r = run_whole(model, setting, &o);
    const double apart = run_column(&r, 0, "constraint");
    run_free(&r);
    o = run_options("baraff", 0.002, time);
    r = run_begin(model, setting, &o);
    const cardan_vec3 from = centre(&r);
    const double E0 = run_column(&r, 0, "energy");
    cardan_force p = cardan_total_momentum(r.model, r.data);
    const cardan_vec3 v = cardan__vec3_scale(1 / r.model->mass, p.f);
    run_steps(&r, (int)(time * 500));
    const double rows = run_column(&r, 0, "constraint"), E1 = run_column(&r, 0, "energy");
    print_message("%-10s %-8s Euler and feedback: %.1e m apart; rk4 and projection: %.1e m, energy "
                  "%.1e J off\n",
                  model, setting, apart, rows, fabs(E1 - E0));
    assert_true(apart < 0.1 && rows < 1e-9);
    assert_near(E1, E0, 1e-5 * (1 + fabs(E0)));
    if (i % 2 == 0) {
      const double fall = r.model->gravity.z * time * time / 2;
      const cardan_vec3 to = centre(&r);
      assert_near(to.x, from.x + time * v.x, 1e-9 * (1 + fabs(fall)));
      assert_near(to.z, from.z + time * v.z + fall, 1e-9 * (1 + fabs(fall)));
    }
    run_free(&r);
  }
}

/* Two parallelograms side by side, links of 1 m and 1 kg, turning all the way round from the top
 * with 1 rad/s: flat, and singular, twice in each turn. */
static const char parallelograms[] =
    "(system \"parallelograms\" (gravity 0 0 -9.81) (define I (/ 1 12))"
    " (ry \"a\" (tx 0.5 (mass 1 I I I)) (tx 1 (name \"a1\")))"
    " (tx 1 ry \"b\" (tx 0.5 (mass 1 I I I)) (tx 1 (name \"b1\")))"
    " (tx 2 ry \"c\" (tx 0.5 (mass 1 I I I)) (tx 1 (name \"c1\")))"
    " (at \"a1\" (ry \"d\" (tx 0.5 (mass 1 I I I)) (tx 1 (name \"d1\"))))"
    " (at \"b1\" (ry \"e\" (tx 0.5 (mass 1 I I I)) (tx 1 (name \"e1\"))))"
    " (point-constraint \"d1\" \"b1\" 1 0 0) (point-constraint \"d1\" \"b1\" 0 0 1)"
    " (point-constraint \"e1\" \"c1\" 1 0 0) (point-constraint \"e1\" \"c1\" 0 0 1)"
    " (define up (deg -90)) (initial (\"a\" up 1) (\"b\" up 1) (\"c\" up 1) (\"d\" (neg up) -1) "
    "(\"e\" (neg up) "
    "-1)))";

/* The same motion with one degree of freedom: 3 kg m^2 about the pivot, 3.5 kg m of weight. */
static const char pendulum[] =
    "(system \"one\" (gravity 0 0 -9.81) (ry \"a\" (tx 0.5 (mass 7 1.25 1.25 1.25)))"
    " (initial (\"a\" (deg -90) 1)))";

// flat positions are passed on the parallel branch and at the right time: 5 s at 2 ms are nearly
// three turns
static void flat_positions(void **state)
{
  (void)state;
  static const char *const methods[] = {"half-implicit", "rattle"};
  double angle[2];
  for (int k = 0; k < 2; k++) {
    cardan_options o = run_options("aba", k ? 5 : 2, k ? 5 : 2);
    o.integrator = "dopri5";
    run exact = run_whole(pendulum, NULL, &o);
    angle[k] = run_q(&exact, "a");
    run_free(&exact);
  }
  for (int i = 0; i < 2; i++) {
    double off[2];
    cardan_options o = run_options(methods[i], 2e-3, 5);
    run r = run_begin(parallelograms, NULL, &o);
    run_steps(&r, 1000);
    off[0] = fabs(run_q(&r, "a") - angle[0]);
    run_steps(&r, 1500);
    off[1] = fabs(run_q(&r, "a") - angle[1]);
    const double apart =
        fmax(fabs(run_q(&r, "b") - run_q(&r, "a")), fabs(run_q(&r, "a") + run_q(&r, "d")));
    print_message("parallelograms, %-14s %.1f turns in 5 s: angle off by %.1e at 2 s, %.1e at 5 s, "
                  "links apart by "
                  "%.1e rad, %.2f iterations\n",
                  methods[i], (angle[1] + 1.5708) / 6.2832, off[0], off[1], apart,
                  cardan_sim_stats(r.sim).iterations_mean);
    assert_true(angle[1] > 10);
    assert_near(apart, 0, 1e-9);  // the branch: to what closing leaves, 1e-12, over what rows lose
    assert_near(off[1], 0, 2e-3); // the prototype's figures: 1e-5 at 2 s, 2 to 5e-4 at 5 s
    run_free(&r);
  }
}

// scissor lifts through their flat position, again and again: they swing from 45 to 135 deg and
// back, and nothing is lost on the way. The band is that of the step, of order 2 for rattle; at the
// end of 5 s the mechanism stands where it can be seen whether energy walked
static void scissor(void **state)
{
  (void)state;
  static const struct {
    const char *model, *method;
    double band, end; // of the energy [J]
  } cases[] = {{"scissor:2", "half-implicit", 0.03, 0.03},
               {"scissor:2", "rattle", 1e-3, 1e-3},
               {"scissor:5", "half-implicit", 0.2, 0.2},
               {"scissor:5", "rattle", 0.01, 1e-6},
               {"scissor:20", "rattle", 8, 1e-4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_options o = run_options(cases[i].method, 1e-3, 5);
    run r = run_begin(cases[i].model, NULL, &o);
    double lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (int k = 0; k < 5000; k++) {
      run_steps(&r, 1);
      lowest = fmin(lowest, run_q(&r, "a1"));
      highest = fmax(highest, run_q(&r, "a1"));
    }
    const cardan_stats stats = cardan_sim_stats(r.sim);
    const double end = run_column(&r, 0, "energy") - stats.energy_initial;
    print_message("%s, %-14s a1 in [%.3f, %.3f] rad, energy %.1e of %.0f J off, %.1e at the end, "
                  "rows %.1e\n",
                  cases[i].model, cases[i].method, lowest, highest, stats.drift_max,
                  fabs(stats.energy_initial), end, stats.constraint_max);
    assert_near(lowest, 0.785398, 0.02);
    assert_near(highest, 2.356194, 0.02);
    assert_true(stats.drift_max < cases[i].band && stats.constraint_max < 1e-11);
    assert_near(end, 0, cases[i].end);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains),   cmocka_unit_test(pose_velocity),  cmocka_unit_test(projection),
      cmocka_unit_test(figures), cmocka_unit_test(flat_positions), cmocka_unit_test(scissor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
