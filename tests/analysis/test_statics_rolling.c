// SPDX-License-Identifier: Apache-2.0
// Equilibria of models with constraints on velocities: what the rows carry, that steps go along
// them, a stiffness that is not symmetric, and the modes there.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "cardan/modes.h"
#include "cardan/statics.h"
#include "fixture.h"
#include "random_rolling.h"

static cardan_statics *find(const fixture *f)
{
  cardan_report report = {.message = ""};
  cardan_statics *s = NULL;
  expect_ok(cardan_statics_find(f->model, f->data, NULL, NULL, &s, &report), &report, "statics");
  return s;
}

static double q_of(const cardan_statics *s, const char *name)
{
  const int i = cardan_model_q(s->model, name);
  assert_true(i >= 0);
  return s->q[i];
}

/* A blade on a slope, on springs. */
#define BLADE(springs, a)                                              \
  "(system (gravity 0.981 0 -9.761)"                                   \
  "  (tx \"x\" (ty \"y\" (rz \"a\" (name \"blade\") (mass 2 1 1 1))))" \
  "  (skate \"blade\" \"world\") " springs " (initial (\"x\" 0 0) (\"y\" 0.3 0) (\"a\" " a " 0)))"

// Across the slope a blade rests anywhere: its row carries the slope's part of the weight. With y
// along the blade and a its angle, m y'' = m g sin(slope) a and J a'' = 0: the stiffness is
// [0 -1.962; 0 0], whose symmetric part has +-0.981 sqrt(m / J), to the 1e-9 that the metric adds
// to inertias; its own eigenvalues are 0.
static void across_a_slope(void **state)
{
  (void)state;
  fixture f = fixture_load(BLADE("", "(/ pi 2)"));
  cardan_statics *s = find(&f);
  assert_true(s->at_start);
  assert_true(s->skew);
  assert_true(s->conservative);
  assert_int_equal(s->nfree, 2);
  assert_near(fabs(s->lambda[0]), 2 * 0.981, 1e-14);
  assert_near(s->stiffness[0], -0.981 * sqrt(2), 1e-8);
  assert_near(s->stiffness[1], 0.981 * sqrt(2), 1e-8);
  for (int i = 0; i < 2; i++) { // a double eigenvalue moves by the root of rounding
    assert_near(hypot(s->eigen_re[i], s->eigen_im[i]), 0, 1e-7);
  }
  cardan_statics_destroy(s);
  fixture_free(&f);
}

// Not across it, it slides down along itself: nothing turns it.
static void along_a_slope(void **state)
{
  (void)state;
  fixture f = fixture_load(BLADE("", "1.3"));
  cardan_report report = {.message = ""};
  cardan_statics *s = NULL;
  assert_int_equal(cardan_statics_find(f.model, f.data, NULL, NULL, &s, &report),
                   CARDAN_ERR_NO_ROOT);
  assert_non_null(strstr(report.message, "runs away along"));
  fixture_free(&f);
}

/* Accelerations from rest at the result: what the search calls a balance is one to the equations of
 * motion. */
static double acceleration(const fixture *f)
{
  double most = 0;
  memset(f->data->v, 0, (size_t)f->model->nv * sizeof *f->data->v);
  cardan_kinematics(f->model, f->data);
  expect_ok(cardan_forward(f->model, f->data, 0, 0), NULL, "forward");
  for (int k = 0; k < f->model->nv; k++) {
    most = fmax(most, fabs(f->data->a[k]));
  }
  return most;
}

/* The distance of s from the nearest mode. */
static double nearest_mode(const cardan_modes *modes, double re, double im)
{
  double least = HUGE_VAL;
  for (int k = 0; k < modes->n; k++) {
    least = fmin(least, hypot(modes->mode[k].re - re, fabs(modes->mode[k].im) - fabs(im)));
  }
  return least;
}

/* s = +-sqrt(-eigenvalue / mass) are modes: the stiffness that is not symmetrised, in the metric M
 * over the mass. */
static double distance_of_modes(const fixture *f, const cardan_statics *s)
{
  cardan_report report = {.message = ""};
  cardan_modes *modes = NULL;
  double worst = 0;
  expect_ok(cardan_modes_create(f->model, f->data, NULL, &modes, &report), &report, "modes");
  for (int i = 0; i < s->nfree; i++) {
    const double re = -s->eigen_re[i] / f->model->mass, im = -s->eigen_im[i] / f->model->mass;
    const double size = hypot(re, im) > 1e-9 ? sqrt(hypot(re, im)) : 0; // neutral: rounding
    const double angle = 0.5 * atan2(im, re);
    worst = fmax(worst, nearest_mode(modes, size * cos(angle), size * sin(angle)));
    worst = fmax(worst, nearest_mode(modes, -size * cos(angle), -size * sin(angle)));
  }
  // every row adds one zero, what nothing stiffens two
  int zeros = 0, rigid = 0;
  for (int k = 0; k < modes->n; k++) {
    zeros += modes->mode[k].kind == CARDAN_MODE_STILL;
    rigid += modes->mode[k].kind == CARDAN_MODE_RIGID;
  }
  assert_int_equal(rigid, s->nzero);
  assert_int_equal(zeros, f->model->rank - f->model->position_rank);
  cardan_modes_destroy(modes);
  return worst;
}

static void loaded(void **state)
{
  static const char *const models[] = {
      BLADE("(joint-spring \"x\" 10 0) (joint-spring \"y\" 3 1) (joint-spring \"a\" 3 1.4)", "1.3"),
      BLADE("(joint-spring \"x\" 1 -3) (joint-spring \"y\" 3 1) (joint-spring \"a\" 0.2 1.1)",
            "0.3"),
      // a ball on a slope, held by a spring
      "(system (gravity 1 0 -9.8) (joint free \"ball\" (mass 2 0.01 0.01 0.01))"
      "  (tx 1 (name \"hook\")) (roll \"ball\" \"world\" (ball 0.1))"
      "  (spring \"ball\" \"hook\" 30 0.2)"
      "  (initial (\"ball.x\" 0.1) (\"ball.y\" 0.4) (\"ball.z\" 0.1)))"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    fixture f = fixture_load(models[i]);
    cardan_statics *s = find(&f);
    const double a = acceleration(&f), far = distance_of_modes(&f, s);
    print_message("%d: load %.3g N, largest acceleration %.1e, modes off by %.1e, %d iterations\n",
                  i, s->lambda[0], a, far, s->iterations);
    assert_true(fabs(s->lambda[0]) > 0.1);
    assert_int_equal(s->skew, i < 2);
    assert_near(a, 0, 1e-12);
    // the metric adds 1e-9 of the size squared to inertias: of 1 m to those of a ball of 0.1 m
    assert_near(far, 0, i < 2 ? 1e-8 : 1e-6);
    cardan_statics_destroy(s);
    fixture_free(&f);
  }
}

/* z' = y x' in a potential: the energy of every place that the search reaches must be one that a
 * motion along the row reaches, so that a chain of steps does not leave the row: (E1). The result
 * satisfies V_x + y V_z = 0, V_y = 0. */
static void not_integrable(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (tx \"x\" (ty \"y\" (tz \"z\" (mass 1 0 0 0))))"
                           "  (velocity (- v.z (* q.y v.x)))"
                           "  (joint-spring \"x\" 1 2) (joint-spring \"y\" 2 0.7)"
                           "  (joint-spring \"z\" 3 -1) (gravity 0 0 0)"
                           "  (initial (\"x\" 0 0) (\"y\" 0 0) (\"z\" 0 0)))");
  cardan_statics *s = find(&f);
  const double x = q_of(s, "x"), y = q_of(s, "y"), z = q_of(s, "z");
  print_message("rests at %.6f %.6f %.6f, load %.4f\n", x, y, z, s->lambda[0]);
  assert_near((x - 2) + y * 3 * (z + 1), 0, 1e-9);
  assert_near(y, 0.7, 1e-9);
  assert_near(fabs(s->lambda[0]), fabs(3 * (z + 1)), 1e-9);
  assert_near(acceleration(&f), 0, 1e-9);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

static void moving_row(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (tx \"x\" (ty \"y\" (mass 2 1 1 1)))"
                           "  (velocity (- v.x 0.3) (name \"belt\")) (joint-spring \"y\" 3 1))");
  cardan_report report = {.message = ""};
  cardan_statics *s = NULL;
  assert_int_equal(cardan_statics_find(f.model, f.data, NULL, NULL, &s, &report),
                   CARDAN_ERR_UNSUPPORTED);
  assert_null(s);
  assert_non_null(strstr(report.message, "\"belt\" asks for a motion"));
  fixture_free(&f);
}

// The benchmark bicycle upright at rest: two unstable directions, one neutral, weights on wheels.
static void bicycle(void **state)
{
  (void)state;
  fixture f = fixture_load("bicycle");
  cardan_statics *s = find(&f);
  assert_int_equal(s->nfree, 3);
  assert_int_equal(s->nnegative, 2);
  assert_int_equal(s->nzero, 1);
  double weight = 0;
  for (int r = 0; r < f.model->nrow; r++) {
    weight += f.model->row[r].kind == CARDAN_ROW_HEIGHT ? s->lambda[r] : 0;
  }
  assert_near(weight, 94 * 9.81, 1e-9);
  const double published[] = {5.53094371765393, 3.13164324790656}; // at rest: s = +-
  for (int i = 0; i < 2; i++) {
    assert_near(sqrt(-s->eigen_re[i] / f.model->mass), published[i],
                1e-5); // the metric's 1e-9 beside the fork's inertia
  }
  cardan_statics_destroy(s);
  fixture_free(&f);
}

/* Random mechanisms with loops, redundant rows, wheels and blades: where statics finds a balance,
 * nothing accelerates from rest. */
static void random_mechanisms(void **state)
{
  const char *asked = getenv("ROLLING_SEEDS");
  const int seeds = asked != NULL ? atoi(asked) : 60;
  static char text[RANDOM_ROLLING_TEXT];
  int tried = 0, found = 0, skew = 0;
  double worst = 0;
  (void)state;
  for (int seed = 0; seed < seeds; seed++) {
    cardan_model *model = random_rolling_model((uint64_t)seed, text);
    if (model == NULL || model->nprescribed > 0) { // drivers stand still in statics alone
      cardan_model_destroy(model);
      continue;
    }
    cardan_model_destroy(model);
    fixture f = fixture_load(text);
    cardan_report report = {.message = ""};
    cardan_statics *s = NULL;
    const cardan_status status = cardan_statics_find(f.model, f.data, NULL, NULL, &s, &report);
    tried++;
    if (status == CARDAN_OK && !s->singular) {
      const double a = acceleration(&f);
      if (!(a < 1e-6)) {
        print_message("seed %d: accelerates by %.1e, residual %.1e of %.1e\n", seed, a, s->residual,
                      s->scale);
      }
      worst = fmax(worst, a);
      skew += s->skew;
      found++;
    } else if (status != CARDAN_OK) {
      print_message("seed %d: %.140s\n", seed, report.message);
    }
    cardan_statics_destroy(s);
    fixture_free(&f);
  }
  print_message("%d of %d rest, %d with an unsymmetric stiffness; largest acceleration %.1e\n",
                found, tried, skew, worst);
  assert_true(found > tried / 4);
  assert_true(worst < 1e-6); // residuals of 1e-9 of the forces, on bodies of 0.1 kg
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(across_a_slope), cmocka_unit_test(along_a_slope),
      cmocka_unit_test(loaded),         cmocka_unit_test(not_integrable),
      cmocka_unit_test(moving_row),     cmocka_unit_test(random_mechanisms),
      cmocka_unit_test(bicycle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
