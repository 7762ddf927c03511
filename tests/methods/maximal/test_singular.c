// SPDX-License-Identifier: Apache-2.0
// Singular positions on the way, and rows that follow from others everywhere.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hard.h"
#include "maximal_fixture.h"
#include "run/sim.h"

/* N four-bars in a row, bars of 1 m and 1.25 kg, falling from upright at 1 rad/s: all cranks stay
 * parallel, and lie flat twice a turn, where N rows are lost at once. */
static char *row_of(int n)
{
  char text[32];
  snprintf(text, sizeof text, "row-%d", n);
  hard_case c = *hard_find("row-2");
  c.name = text;
  c.a[0] = n;
  return hard_model(&c);
}

/* Angle of its cranks at T: one degree of freedom, inertia (N + 1) m/3 + N m and weight (N + 1) m/2
 * + N m about the pivot. */
static double angle_of(int n, double T)
{
  const double m = 1.25, weight = (n + 1) * m / 2 + n * m;
  const double inertia = (n + 1) * m / 3 + n * m, at_centre = inertia - 0.5 * weight;
  char text[256];
  snprintf(text, sizeof text,
           "(system \"one\" (gravity 0 -9.81 0) (rz \"a\" (tx 0.5 (mass %.17g %.17g %.17g %.17g)))"
           " (initial (\"a\" (/ pi 2) -1)))",
           2 * weight, at_centre, at_centre, at_centre);
  cardan_options o = run_options("aba", T, T);
  o.integrator = "dopri5";
  run r = run_whole(text, NULL, &o);
  const double angle = run_q(&r, "a");
  run_free(&r);
  return angle;
}

/* The same by a method; *apart: the largest distance of a link from where the first crank puts it
 * [rad]. */
static double angle_by(int n, const char *method, double h, double T, double *apart)
{
  char *text = row_of(n);
  const cardan_options o = run_options(method, h, T);
  run r = run_begin(text, NULL, &o);
  for (int k = 0; k < (int)lround(T / h); k++) {
    run_steps(&r, 1);
    for (int i = 0; i <= n; i++) {
      char crank[16], coupler[16];
      snprintf(crank, sizeof crank, "c%d", i);
      snprintf(coupler, sizeof coupler, "k%d", i);
      *apart = fmax(*apart, fabs(run_q(&r, crank) - run_q(&r, "c0")));
      *apart = i > 0 ? fmax(*apart, fabs(run_q(&r, coupler) + run_q(&r, "c0"))) : *apart;
    }
  }
  const double angle = run_q(&r, "c0");
  run_free(&r);
  free(text);
  return angle;
}

// two four-bars in a row for 20 s, some twenty passages: the error falls by 4 when the step is
// halved, and nothing leaves the branch (closing to 1e-12 leaves 1e-9 of it at 1e-3 rad from a flat
// position, and more than that where a node comes nearer)
static void order_two(void **state)
{
  (void)state;
  const double exact = angle_of(2, 20);
  double apart = 0;
  const double one = angle_by(2, "rattle", 0.01, 20, &apart) - exact;
  const double half = angle_by(2, "rattle", 0.005, 20, &apart) - exact;
  print_message("two four-bars, rattle: off by %.2e and %.2e rad after 20 s (%.1f turns), apart "
                "%.1e\n",
                one, half, (exact - 1.5708) / 6.2832, apart);
  assert_near(one / half, 4, 0.3);
  assert_near(one, 0, 0.05);
  assert_near(apart, 0, 1e-8);
}

// forty of them, where forty rows are lost at once
static void forty(void **state)
{
  (void)state;
  static const char *const methods[] = {"half-implicit", "rattle"};
  const double exact = angle_of(40, 5);
  for (int i = 0; i < 2; i++) {
    double apart = 0;
    const double off = angle_by(40, methods[i], 0.01, 5, &apart) - exact;
    print_message("forty four-bars, %-13s off by %.2e rad after 5 s, apart %.1e\n", methods[i], off,
                  apart);
    assert_near(off, 0, 0.05);
    assert_near(apart, 0, 1e-9);
  }
}

// integrators over accelerations, which are differences over what the rows lose: adaptive ones with
// tight tolerances, fixed steps, and feedback in place of projection
static void integrators(void **state)
{
  (void)state;
  static const struct {
    const char *method, *stabilise;
    double dt, tol; // after 5 s, ten flat positions [rad]
  } cases[] = {{"baraff:rk4", NULL, 0.005, 1e-4},
               {"baraff:gauss4", NULL, 0.005, 1e-4},
               {"baraff:rk4", "baumgarte", 0.005, 1e-4},
               {"baraff:dopri5", NULL, 0.05, 1e-6},
               {"baraff:dopri5", "baumgarte", 0.05, 1e-6}};
  const double exact = angle_of(2, 5);
  char *text = row_of(2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_options o = run_options(cases[i].method, cases[i].dt, 5);
    o.stabilise = cases[i].stabilise;
    run r = run_whole(text, NULL, &o);
    const double off = run_q(&r, "c0") - exact, apart = run_q(&r, "c2") - run_q(&r, "c0");
    print_message("two four-bars, %-13s %-10s off by %.1e rad after 5 s, apart %.1e\n",
                  cases[i].method, cases[i].stabilise != NULL ? cases[i].stabilise : "", off,
                  apart);
    assert_near(off, 0, cases[i].tol);
    assert_near(apart, 0, 1e-6); // feedback closes no further
    run_free(&r);
  }
  free(text);
}

// Bricard's linkage, whose row that is redundant changes on the way: order 2, whichever solver
static void bricard(void **state)
{
  (void)state;
  static const char *const solvers[] = {"tree", "sparse", "dense"};
  char *text = hard_model(hard_find("bricard-trihedral"));
  double q[5] = {0};
  for (int i = 0; i < 3; i++) {
    double end[3];
    for (int k = 0; k < 3; k++) {
      cardan_options o = run_options("rattle", 0.01 / (1 << k), 2);
      o.solver = solvers[i];
      run_end(text, NULL, &o, 2, 200 << k, q);
      end[k] = q[0];
    }
    const double slope = (end[0] - end[1]) / (end[1] - end[2]);
    print_message("Bricard, %s: differences %.1e, %.1e\n", solvers[i], end[0] - end[1],
                  end[1] - end[2]);
    assert_near(slope, 4, 0.3);
  }
  free(text);
}

/* Multipliers at the start, to l (at most 16). Returns how many. */
static int multipliers(const char *text, const char *method, const char *solver, double *l)
{
  cardan_options o = run_options(method, 0.01, 1);
  o.solver = solver;
  run r = run_begin(text, NULL, &o);
  run_column(&r, CARDAN_ADD_MULTIPLIERS, "energy");
  const int n = r.model->nrow;
  assert_in_range(n, 1, 16);
  memcpy(l, r.data->lambda, (size_t)n * sizeof *l);
  run_free(&r);
  return n;
}

// three wires that say the same carry a third each; a plate on three parallel wires has multipliers
// without a part along what pulls and turns nothing; by every solver
static void shortest(void **state)
{
  (void)state;
  static const char *const solvers[] = {"sparse", "dense", "schur"};
  char *wires = hard_model(hard_find("wires-3")), *swing = hard_model(hard_find("swing-3-wires"));
  for (int i = 0; i < 3; i++) {
    double l[16], m[16];
    assert_int_equal(multipliers(wires, "baraff", solvers[i], l), 3);
    assert_near(l[1], l[0], 1e-12);
    assert_near(l[2], l[0], 1e-12);
    assert_true(fabs(l[0]) > 1);
    assert_int_equal(multipliers(swing, "baraff", solvers[i], m), 3);
    // parallel wires at -0.4, 0.3, 1 m: (1, -2, 1) pulls nothing and turns nothing
    assert_near(m[0] - 2 * m[1] + m[2], 0, 1e-12 * fabs(m[1]));
    assert_true(fabs(m[0] - m[2]) > 1e-3);
  }
  free(wires);
  free(swing);
}

// a plate on six rods, moved aside, cannot turn: the rows let it to first order, and no further.
// The start is refused
static void not_rigid(void **state)
{
  (void)state;
  static const char *const methods[] = {"rattle", "half-implicit", "fully-implicit", "baraff"};
  char *text = hard_model(hard_find("platform-6"));
  for (int i = 0; i < 4; i++) {
    const cardan_options o = run_options(methods[i], 0.005, 2);
    cardan_report report = {.message = ""};
    run r = run_load(text, NULL, &o);
    for (int k = 0; k < r.model->nv; k++) {
      r.data->v[k] = k == 5 ? 0.5 : 0; // about the vertical
    }
    assert_int_equal(cardan_sim_start(r.sim, &report), CARDAN_ERR_SINGULAR);
    assert_non_null(strstr(report.message, "no rigid motion goes this way"));
    run_free(&r);
  }
  free(text);
}

// steps over which the branch of the motion ends: where the scalar equation of the lift has its
// fold (step 79 of scissor:15 at 0.01 s, 85 % of the momentum), and long ones on trees, which used
// to find roots of other branches: 3000 J away for the double pendulum
static void folds(void **state)
{
  (void)state;
  static const struct {
    const char *model;
    double dt;
    int step;
    const char *says;
  } cases[] = {{"scissor:15", 0.01, 79, "ends at 86 % of the momentum"},
               {"double-pendulum", 0.2, 4, "ends at 84 % of the momentum"},
               {"chain:10", 0.15, 3, "ends at 93 % of the momentum"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cardan_options o = run_options("rattle", cases[i].dt, 10);
    cardan_report report = {.message = ""};
    cardan_status status = CARDAN_OK;
    run r = run_begin(cases[i].model, NULL, &o);
    int step = 0;
    while (status == CARDAN_OK && step < 100) {
      status = cardan_sim_step(r.sim, &report);
      step++;
    }
    print_message("%s\n", report.message);
    assert_int_equal(status, CARDAN_ERR_NO_ROOT);
    assert_int_equal(step, cases[i].step);
    assert_non_null(strstr(report.message, cases[i].says));
    run_free(&r);
  }
}

// at rest in a singular position nothing says which way to continue
static void at_rest(void **state)
{
  (void)state;
  static const char *const methods[] = {"rattle", "half-implicit"};
  hard_case c = *hard_find("parallelogram-in-line-g");
  for (int k = 6; k < 12; k++) {
    c.a[k] = k == 7 ? -9.81 : 0;
  }
  char *text = hard_model(&c);
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options(methods[i], 0.005, 2);
    cardan_report report = {.message = ""};
    run r = run_load(text, NULL, &o);
    cardan_status status = cardan_sim_start(r.sim, &report);
    status = status == CARDAN_OK ? cardan_sim_step(r.sim, &report) : status;
    assert_int_equal(status, CARDAN_ERR_SINGULAR);
    assert_non_null(strstr(report.message, "no speed determines how the motion continues"));
    run_free(&r);
  }
  free(text);
}

// four-bars that miss the flat position by a hair: the motion turns off before it, and a step that
// would leap over the gap is refused, with its size, at the node before
static void gaps(void **state)
{
  (void)state;
  static const struct {
    const char *name, *method;
    double h, T; // the last step, that crosses, begins before T [s]
    const char *miss;
  } cases[] = {{"nearly-2435-1e-5", "rattle", 5e-3, 1.41, "by 1e-05"},
               {"nearly-2435-less-1e-5", "rattle", 5e-3, 1.41, "by 9.7e-06"},
               {"nearly-2435-1e-7", "rattle", 5e-3, 1.41, "by 1e-07"},
               {"nearly-2435-1e-7", "half-implicit", 6.25e-4, 1.41, "by 1e-07"},
               {"nearly-2435-1e-7", "fully-implicit", 6.25e-4, 1.412, "by 1.1e-07"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = hard_model(hard_find(cases[i].name));
    const cardan_options o = run_options(cases[i].method, cases[i].h, 2);
    cardan_report report = {.message = ""};
    run r = run_begin(text, NULL, &o);
    cardan_status status = CARDAN_OK;
    double q[3] = {0}, t = 0, work = 0, lambda[8] = {0};
    r.data->tau_in[0] = 1e-6; // it does some work
    while (status == CARDAN_OK && r.data->t < cases[i].T) {
      t = r.data->t;
      memcpy(q, r.data->q, sizeof q);
      work = cardan__sim_work(r.sim);
      status = cardan_sim_step(r.sim, &report);
    }
    print_message("%s, %s: %s\n", cases[i].name, cases[i].method, report.message);
    assert_int_equal(status, CARDAN_ERR_NO_ROOT);
    assert_non_null(strstr(report.message, "dimensions miss a singular position"));
    assert_non_null(strstr(report.message, cases[i].miss));
    assert_true(r.data->t == t);
    assert_near_vec(r.data->q, q, 3, 0);
    assert_true(cardan__sim_work(r.sim) == work && work != 0);
    // what is published is of the node, not of the step that was refused
    assert_true(r.model->nrow <= 8);
    assert_int_equal(r.sim->stepper->method->publish(r.sim->stepper, r.data), CARDAN_OK);
    memcpy(lambda, r.data->lambda, (size_t)r.model->nrow * sizeof *lambda);
    for (int k = 0; k < 5; k++) { // nor does it help to try again
      assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_NO_ROOT);
    }
    assert_true(cardan__sim_work(r.sim) == work);
    assert_int_equal(r.sim->stepper->method->publish(r.sim->stepper, r.data), CARDAN_OK);
    assert_near_vec(r.data->lambda, lambda, r.model->nrow, 0);
    run_free(&r);
    free(text);
  }
}

// parts of a step see the gap, and turn off where the motion does: on the branch that would cross
// it is 1.4 rad and more
static void gaps_in_parts(void **state)
{
  (void)state;
  static const char *const names[] = {"nearly-2435-1e-5", "nearly-2435-less-1e-5"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const hard_case *c = hard_find(names[i]);
    char *text = hard_model(c);
    cardan_options o = run_options("aba:dopri5", c->dt, c->time);
    run exact = run_whole(text, NULL, &o);
    o = run_options("rattle", c->dt, c->time);
    o.adapt = 1e-3;
    run r = run_whole(text, NULL, &o);
    assert_near_vec(r.data->q, exact.data->q, 3, 5e-3); // 6e-5, 1.4e-3; adapt allows 1e-3 of K
    assert_true(cardan_sim_stats(r.sim).parted < 5);
    run_free(&exact);
    run_free(&r);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_two),     cmocka_unit_test(forty),    cmocka_unit_test(integrators),
      cmocka_unit_test(bricard),       cmocka_unit_test(shortest), cmocka_unit_test(not_rigid),
      cmocka_unit_test(at_rest),       cmocka_unit_test(folds),    cmocka_unit_test(gaps),
      cmocka_unit_test(gaps_in_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
