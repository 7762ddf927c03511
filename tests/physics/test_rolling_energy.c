// SPDX-License-Identifier: Apache-2.0
// Energy over many steps with constraints on velocities: what perturbs the symmetry of time, and
// steps of different lengths in turn. ROLLING_STEPS=1000000 makes the runs so long (the table
// of perturbed models 1e5 steps; minutes).
//
// After K. Modin, O. Verdier, What makes nonholonomic integrators work?, Numer. Math. 145, 2020:
// integrators look good on test problems that are reversible, and lose it when the problem is
// perturbed. The two models here are ours: a gear whose ratio is the sine of the angle of a
// pendulum that turns over, and a blade in a bowl that such a pendulum turns; eps makes the
// pendulum's potential not symmetric.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const char gear[] =
    "(system (gravity 0 0 0) (define eps 0)"
    "  (rz \"s\" (mass 1 1 1 1)) (tx \"y\" (mass 1 1 1 1)) (tx \"z\" (mass 1 1 1 1))"
    "  (velocity (- v.z (* (sin q.s) v.y)))"
    "  (potential (- (* 0.5 (+ (^ q.y 2) (^ q.z 2))) (cos q.s)))"
    "  (potential (* eps (sin (* 2 q.s))))"
    "  (initial (\"s\" 0 2.3) (\"y\" 0.3 0.4) (\"z\" 0.2 0)))";

static const char blade[] = "(system (gravity 0 0 0) (define eps 0)"
                            "  (tx \"x\" (ty \"y\" (mass 1 1 1 1))) (rz \"s\" (mass 1 1 1 1))"
                            "  (velocity (- (* (cos q.s) v.y) (* (sin q.s) v.x)))"
                            "  (potential (- (* 0.5 (+ (^ q.x 2) (^ q.y 2))) (cos q.s)))"
                            "  (potential (* eps (sin (* 2 q.s))))"
                            "  (initial (\"x\" 0.3 0.5) (\"y\" 0.2 0) (\"s\" 0 2.3)))";

static int64_t steps_of(int64_t usual)
{
  const char *text = getenv("ROLLING_STEPS");
  return text != NULL ? strtoll(text, NULL, 10) : usual;
}

typedef struct {
  double first, last; // means over the first and the last tenth
  double band;        // largest less smallest
  int64_t steps;      // that were made
  cardan_status status;
} energies;

/* Of so many steps, of h, or of 1.5 h and 0.5 h in turn; every 7th node is looked at. */
static energies measure(const char *model, const char *setting, const char *method, double h,
                        int64_t steps, bool alternate)
{
  const cardan_options o = run_options(method, h, 0);
  run r = run_begin(model, setting, &o);
  cardan_report report;
  energies e = {.status = CARDAN_OK};
  double low = HUGE_VAL, high = -HUGE_VAL;
  int64_t n[2] = {0, 0};
  for (int64_t i = 1; i <= steps && e.status == CARDAN_OK; i++) {
    const double t = h * ((double)i + (i % 2 != 0 ? 0.5 : 0.0));
    e.status = alternate ? cardan_sim_step_to(r.sim, t, &report) : cardan_sim_step(r.sim, &report);
    if (e.status == CARDAN_OK && i % 7 == 0) {
      expect_ok(cardan_sim_observe(r.sim), NULL, method);
      const double E = run_energy(&r);
      const bool begins = 10 * i < steps, ends = 10 * (steps - i) < steps;
      low = fmin(low, E);
      high = fmax(high, E);
      e.first += begins ? E : 0;
      e.last += ends ? E : 0;
      n[0] += begins;
      n[1] += ends;
    }
    e.steps += e.status == CARDAN_OK;
  }
  e.first /= (double)n[0];
  e.last /= (double)n[1];
  e.band = high - low;
  run_free(&r);
  return e;
}

static energies print_case(const char *name, const char *model, const char *setting,
                           const char *method, double h, int64_t steps)
{
  const energies e = measure(model, setting, method, h, steps, false);
  if (e.status == CARDAN_OK) {
    print_message("| %-18s | %-12s | %-4g | %9.1e | %8.1e | %.3f |\n", name, method, h,
                  e.last - e.first, e.band, e.first);
  } else {
    print_message("| %-18s | %-12s | %-4g | stopped after %lld steps: %s |\n", name, method, h,
                  (long long)e.steps, cardan_status_text(e.status));
  }
  return e;
}

/* The table over methods and steps. vi and svi, whose steps are symmetric with the rows at both
 * nodes, must not drift beyond what the means of chaotic motions leave: 2e-3 of bands of 1e-2 in
 * the short sample, 1e-4 of svi in 1e5 steps and more. Of the others nothing is expected. */
static void perturbed(void **state)
{
  static const char *const methods[] = {"vi",         "svi",        "aba:rk4", "hamilton:rk4",
                                        "baraff:rk4", "aba:gauss4", "rattle"};
  static const char *const settings[] = {"eps=0", "eps=0.25"};
  const int64_t asked = steps_of(3000), steps = asked < 100000 ? asked : 100000;
  (void)state;
  print_message("%lld steps: mean energy of the last tenth less that of the first, band [J]\n"
                "| model | method | h [s] | drift | band | energy |\n|---|---|---|---|---|---|\n",
                (long long)steps);
  for (int m = 0; m < 2; m++) {
    for (int s = 0; s < 2; s++) {
      for (int i = 0; i < 7; i++) {
        for (int k = 0; k < 2; k++) {
          char name[32];
          snprintf(name, sizeof name, "%s, %s", m == 0 ? "gear" : "blade", settings[s]);
          const energies e = print_case(name, m == 0 ? gear : blade, settings[s], methods[i],
                                        k == 0 ? 0.1 : 0.05, steps);
          if (i < 2) {
            assert_int_equal(e.status, CARDAN_OK);
            assert_near(e.last - e.first, 0, 2e-3);
          }
        }
      }
    }
  }
}

/* eps 0.25 over 1e5 steps of 0.1 s: less than 1e-4, where steps with the rows in the middle and
 * impulses along those of the nodes (form D of the prototypes) gain 1.8. */
static void asymmetric_drive(void **state)
{
  const int64_t steps = steps_of(100000);
  (void)state;
  const energies e = print_case("gear, eps=0.25", gear, "eps=0.25", "svi", 0.1, steps);
  assert_int_equal(e.status, CARDAN_OK);
  assert_near(e.last - e.first, 0, 1e-4);
}

/* Steps of 1.5 h and 0.5 h in turn: order 2 of a sleigh's angle and speed, and no drift where the
 * drive is asymmetric. */
static void unequal_steps(void **state)
{
  static const char sleigh[] =
      "(system (gravity 0 0 0) (tx \"x\" (ty \"y\" (rz \"theta\" (name \"s\")"
      "  (tx 0.3 (mass 1.5 0.1 0.1 0.2))))) (skate \"s\" \"world\")"
      "  (initial (\"x\" 0 1) (\"y\" 0 0) (\"theta\" 0 3)))";
  static const char *const methods[] = {"vi", "svi"};
  const cardan_options tight = run_options("aba:dopri5", 0.1, 2);
  const int64_t steps = steps_of(10000);
  (void)state;
  run exact = run_whole(sleigh, NULL, &tight);
  for (int i = 0; i < 2; i++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      const double h = 0.02 / (1 + k);
      const cardan_options o = run_options(methods[i], h, 0);
      run r = run_begin(sleigh, NULL, &o);
      cardan_report report;
      for (int n = 1; n <= 100 * (1 + k); n++) {
        expect_ok(cardan_sim_step_to(r.sim, h * (n + (n % 2 != 0 ? 0.5 : 0)), &report), &report,
                  methods[i]);
      }
      expect_ok(cardan_sim_observe(r.sim), NULL, methods[i]);
      error[k] = fmax(fabs(run_q(&r, "theta") - run_q(&exact, "theta")),
                      fabs(run_v(&r, "theta") - run_v(&exact, "theta")));
      run_free(&r);
    }
    const energies e = measure(gear, "eps=0.25", methods[i], 0.1, steps, true);
    print_message("%-3s 1.5 h and 0.5 h in turn: errors %.2e, %.2e, order %.2f; energy moves by "
                  "%.1e J in %lld steps, band %.1e\n",
                  methods[i], error[0], error[1], log2(error[0] / error[1]), e.last - e.first,
                  (long long)steps, e.band);
    assert_near(log2(error[0] / error[1]), 2, 0.15);
    assert_int_equal(e.status, CARDAN_OK);
    assert_near(e.last - e.first, 0, 2e-3);
  }
  run_free(&exact);
}

/* Long runs of models of the manual, without damping or a drive. */
static void long_runs(void **state)
{
  static const struct {
    const char *model, *method;
    double h;
  } cases[] = {{"snakeboard", "vi", 0.05},           {"snakeboard", "svi", 0.05},
               {"snakeboard", "aba:rk4", 0.05},      {"snakeboard", "hamilton:rk4", 0.05},
               {"rolling-disc", "vi", 0.01},         {"rolling-disc", "aba:rk4", 0.01},
               {"rolling-disc", "baraff:rk4", 0.01}, {"rolling-disc", "rattle", 0.01}};
  const int64_t steps = steps_of(5000);
  (void)state;
  print_message("%lld steps\n", (long long)steps);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const energies e =
        print_case(cases[i].model, cases[i].model, NULL, cases[i].method, cases[i].h, steps);
    assert_int_equal(e.status, CARDAN_OK);
    if (cases[i].method[0] == 'v' || cases[i].method[0] == 's') {
      assert_near(e.last - e.first, 0, 1e-3 * fabs(e.first));
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(perturbed),
      cmocka_unit_test(asymmetric_drive),
      cmocka_unit_test(unequal_steps),
      cmocka_unit_test(long_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
