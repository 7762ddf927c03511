// SPDX-License-Identifier: Apache-2.0
// Loops with forces that act at the middle of a step, started from rest: the step's root is one,
// whatever the search starts from, and so are the rows along which the next one has its impulses.
#include <math.h>
#include <stdio.h>

#include "run.h"
#include "support.h"

// three bars between two pins, with a damper, and with a torque that is a spring's
#define BARS(I, FORCE)                                                                           \
  "(tx (* 3 " I ") (ry \"a{i}\" (tz -0.5 (mass 1 0.1 0.1 0.1)) (tz -1 (ry \"b{i}\" (tz -0.5"     \
  " (mass 1 0.1 0.1 0.1)) (tz -1 (ry \"c{i}\" (tz -0.5 (mass 1 0.1 0.1 0.1)) (tz -1"             \
  " (name \"end{i}\"))))))) (tx 1.2 (name \"pin{i}\"))) (coincide \"end{i}\" \"pin{i}\") " FORCE \
  " (initial (\"a{i}\" 0.5) (\"b{i}\" -1.5) (\"c{i}\" -1.2))"
#define DAMPED "(joint-spring \"b{i}\" 20 0.3) (damping \"c{i}\" 0.2)"
#define PULLED "(torque \"b{i}\" (* -20 (- (q \"b{i}\") 0.3)))"
#define MODEL(N, FORCE) "(system (gravity 0 0 -9.81) (repeat i 1 " N " " BARS("i", FORCE) "))"

enum { NGUESS = 5 };
static const char *const guesses[NGUESS] = {"extrapolate", "current", "euler", "dynamics", "zero"};

/* Largest difference of a coordinate after a second in steps of 20 ms between two guesses. */
static double spread(const char *model, const char *method)
{
  double first[32] = {0}, largest = 0;
  for (int g = 0; g < NGUESS; g++) {
    cardan_options o = run_options(method, 0.02, 1);
    o.guess = guesses[g];
    o.tol = 1e-15;
    run r = run_whole(model, NULL, &o);
    assert_true(r.model->nq <= 32);
    for (int k = 0; k < r.model->nq; k++) {
      first[k] = g == 0 ? r.data->q[k] : first[k];
      largest = fmax(largest, fabs(r.data->q[k] - first[k]));
    }
    run_free(&r);
  }
  return largest;
}

// 50 steps, each found to rounding of momenta and, where rows are many, to 1e-13 m of loops, which
// a second of motion multiplies by 100
static void guesses_find_one_motion(void **state)
{
  static const struct {
    const char *name, *model;
  } cases[] = {{"damped", MODEL("1", DAMPED)},
               {"pulled", MODEL("1", PULLED)},
               {"damped, 27 rows", MODEL("9", DAMPED)}};
  static const char *const methods[] = {"vi", "svi"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    for (int m = 0; m < 2; m++) {
      const double most = spread(cases[i].model, methods[m]);
      print_message("%s, %s: guesses differ by %.1e rad after 1 s\n", cases[i].name, methods[m],
                    most);
      assert_true(most < 50 * 100 * 1e-13);
    }
  }
}

// and it is the motion of order 2
static void order_is_2(void **state)
{
  double q[3][3];
  const double h = 0.005;
  (void)state;
  for (int i = 0; i < 3; i++) {
    cardan_options o = run_options("vi", h / (1 << i), 0.4);
    o.guess = "zero";
    o.tol = 1e-15;
    run r = run_whole(MODEL("1", DAMPED), NULL, &o);
    for (int k = 0; k < 3; k++) {
      q[i][k] = r.data->q[k];
    }
    run_free(&r);
  }
  for (int k = 0; k < 3; k++) {
    assert_near(log2(fabs(q[1][k] - q[0][k]) / fabs(q[2][k] - q[1][k])), 2, 0.1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(guesses_find_one_motion),
      cmocka_unit_test(order_is_2),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
