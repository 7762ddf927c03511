// SPDX-License-Identifier: Apache-2.0
// Friction that brings joints to rest and holds them there, by every method that steps.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

static const double vs = 1e-3; // the speed below which friction is smoothed [m/s]

static const char *const methods[] = {
    "vi",           "svi",           "aba:rk4",         "aba:euler",  "aba:semi-implicit",
    "aba:midpoint", "aba:trapezoid", "aba:gauss4",      "aba:ode45",  "aba:dop853",
    "aba:bdf",      "hamilton:rk4",  "hamilton:gauss4", "baraff:rk4", "baraff:trapezoid",
    "rattle",       "half-implicit", "fully-implicit"};

enum { METHODS = sizeof methods / sizeof methods[0] };

static const char block[] =
    "(system (gravity 0 0 -9.81) (define v0 0)"
    " (joint prismatic \"x\" (axis (cos 0.3) 0 (neg (sin 0.3))) (mass 2 .1 .1 .1))"
    " (friction \"x\" 0.5) (initial (\"x\" 0 v0)))";

static bool is_adaptive(const char *method)
{
  return strstr(method, "ode45") != NULL || strstr(method, "dop853") != NULL ||
         strstr(method, "bdf") != NULL;
}

static cardan_options options_of(const char *method, double dt)
{
  cardan_options o = run_options(method, dt, 10);
  if (is_adaptive(method)) {
    o.rtol = 1e-8; // tighter is slow here: they step at the time constant of the law
    o.atol = 1e-10;
  }
  return o;
}

/* Adaptive ones need no friction of their own kind, and are slow here. */
static bool takes(const char *method, const char *model)
{
  return !is_adaptive(method) && (strcmp(method, "svi") != 0 || !strstr(model, "spherical"));
}

/* s(x) = y: the speed, over vs, at which friction is y of its limit. */
static double creep(double y)
{
  double x = 0.5 * y;
  for (int i = 0; i < 50; i++) {
    const double x2 = x * x, s = x * (15 - 10 * x2 + 3 * x2 * x2) / 8;
    x -= (s - y) / (15 * (1 - x2) * (1 - x2) / 8);
  }
  return x;
}

// a block on a slope that friction can hold creeps at the speed that the law has for it, no more,
// from rest and after sliding; what it did on the way is in the balance
static void block_on_a_slope(void **state)
{
  (void)state;
  const double speed = vs * creep(tan(0.3) / 0.5);
  for (int i = 0; i < METHODS; i++) {
    for (int k = 0; k < 4; k++) {
      const double dt = k % 2 ? 1e-3 : 1e-2;
      const cardan_options o = options_of(methods[i], dt);
      run r = run_begin(block, k < 2 ? NULL : "v0=-1", &o);
      run_steps(&r, (int)lround(1 / dt));
      double most = 0;
      for (int n = 0; n < 20; n++) {
        run_steps(&r, 1);
        most = fmax(most, fabs(run_v(&r, "x") - speed));
      }
      // 0.05: vi and svi are of the kind of the trapezoidal rule, where what is stiff rings down
      // slowly: by (1 - z)/(1 + z) a step, z = h/2 limit / (m vs) = 22 at dt 0.01
      assert_near(most, 0, 0.05 * vs);
      run_free(&r);
    }
  }
}

// v0^2 / (2 a) up the slope, a = g (sin + mu cos), to what the last step makes of it
static void stopping_distance(void **state)
{
  (void)state;
  const double a = 9.81 * (sin(0.3) + 0.5 * cos(0.3)), way = -1 / (2 * a), dt = 1e-3;
  for (int i = 0; i < METHODS; i++) {
    const cardan_options o = options_of(methods[i], dt);
    run r = run_begin(block, "v0=-1", &o);
    const double t = 0.2;
    run_steps(&r, (int)lround(t / dt));
    const double crept = (t - 1 / a) * vs * creep(tan(0.3) / 0.5);
    const double off = fabs(run_q(&r, "x") - way - crept);
    const bool first = strstr(methods[i], "euler") || strstr(methods[i], "implicit");
    print_message("%-18s stops within %.1e m of %.4f m\n", methods[i], off, -way);
    // order 1: h/2 of the speed at the start; others h^2 a, and vs over the time it takes to stop
    assert_true(off < (first ? dt : 2 * a * dt * dt) + vs * vs / a);
    run_free(&r);
  }
}

static const struct {
  const char *model;
  double time;
  const char *slide[3]; // velocities with friction
  double radius[3];
} rests[] = {
    // pressed by a spring; a pin; a ball; in a plane with a load; pins of a loop; a slider in one
    {"(system (place (0 0 0.5) (name \"o\")) (joint prismatic \"x\" (axis 1 0 0) (name \"s\")"
     " (mass 1 .1 .1 .1)) (spring \"o\" \"s\" 100 0.1) (friction \"x\" 0.4) (initial (\"x\" 0.3)))",
     2,
     {"x"},
     {1}},
    {"(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0) (place (0 0 -0.5)"
     " (mass 2 .05 .05 .05))) (friction \"a\" 0.6 (radius 0.1)) (initial (\"a\" 0.8)))",
     3,
     {"a"},
     {0.1}},
    {"(system (gravity 0 0 -9.81) (joint spherical \"b\" (place (0 0 -0.5) (mass 2 .05 .05 .02)))"
     " (friction \"b\" 0.6 (radius 0.1)) (initial (\"b\" ((cos 0.4) 0 (sin 0.4) 0) (0 0 4))))",
     4,
     {"b.wx", "b.wy", "b.wz"},
     {0.1, 0.1, 0.1}},
    {"(system (gravity 2 0 -9.81) (joint planar \"p\" (mass 2 .1 .1 .1)) (friction \"p\" 0.3"
     " (radius 0.1)) (initial (\"p\" (0 0 0) (0.3 0.2 3))))",
     1.5,
     {"p.x", "p.y", "p.a"},
     {1, 1, 0.1}},
    {"(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0) (place (0.5 0 0)"
     " (mass 1 .02 .02 .02)) (place (1 0 0) (joint revolute \"b\" (axis 0 1 0) (place (1 0 0)"
     " (mass 2 .1 .1 .1)) (place (2 0 0) (name \"B\"))))) (place (1.5 0 0) (joint revolute \"c\""
     " (axis 0 1 0) (place (1 0 0) (mass 2 .1 .1 .1)) (place (1.6 0 0) (name \"C\"))))"
     " (close revolute \"B\" \"C\" (axis 0 1 0)) (friction \"a\" 0.4 (radius 0.3))"
     " (friction \"b\" 0.4 (radius 0.3)) (friction \"c\" 0.4 (radius 0.3))"
     " (initial (\"a\" 0.3) (\"b\" 0.8) (\"c\" 1.0)))",
     1.5,
     {"a", "b", "c"},
     {0.3, 0.3, 0.3}},
    {"(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0) (place (0.2 0 0)"
     " (mass 1 .02 .02 .02)) (place (0.4 0 0) (joint revolute \"b\" (axis 0 1 0) (place (0.5 0 0)"
     " (mass 1 .1 .1 .1)) (place (1 0 0) (name \"P\"))))) (joint prismatic \"x\" (axis 1 0 0)"
     " (name \"S\") (mass 1 .1 .1 .1)) (coincide \"P\" \"S\") (friction \"x\" 0.4)"
     " (initial (\"a\" 0.8) (\"b\" -1.09) (\"x\" 1.2)))",
     1.5,
     {"x"},
     {1}},
};

enum { RESTS = sizeof rests / sizeof rests[0] };

// what comes to rest stays slower than vs: joints of one and of several velocities, alone, and in
// loops
static void comes_to_rest(void **state)
{
  (void)state;
  for (int m = 0; m < RESTS; m++) {
    double most = 0;
    for (int i = 0; i < METHODS; i++) {
      if (!takes(methods[i], rests[m].model)) {
        continue;
      }
      const double dt = 5e-3;
      const cardan_options o = options_of(methods[i], dt);
      run r = run_begin(rests[m].model, NULL, &o);
      run_steps(&r, (int)lround(rests[m].time / dt));
      for (int n = 0; n < 20; n++) {
        double u2 = 0;
        run_steps(&r, 1);
        for (int k = 0; k < 3 && rests[m].slide[k] != NULL; k++) {
          const double u = rests[m].radius[k] * run_v(&r, rests[m].slide[k]);
          u2 =
              m == 4 ? fmax(u2, u * u) : u2 + u * u; // three pins, or one joint of three velocities
        }
        most = fmax(most, sqrt(u2));
        assert_true(sqrt(u2) < vs);
      }
      run_free(&r);
    }
    print_message("%-40.40s slides at %.1e m/s at most\n", rests[m].model, most);
  }
}

// pins that stop one another, so hard that limits settle only when they are held back; vi and svi,
// whose Newton has nothing of how limits change, stop at such
static void stops_of_many(void **state)
{
  (void)state;
  static const char *const takes_it[] = {"aba:rk4", "hamilton:rk4",  "baraff:rk4",
                                         "rattle",  "half-implicit", "fully-implicit"};
  static const char names[] = "abcdef";
  char text[2000] = "(system (gravity 0 0 -9.81)";
  size_t n = strlen(text);
  for (int i = 0; i < 6; i++) {
    n += (size_t)snprintf(
        text + n, sizeof text - n,
        " (joint revolute \"%c\" (axis 0 1 0) (place (0.1 0 0) (mass 1 .004 .004 .004)) (place"
        " (0.2 0 0)",
        names[i]);
  }
  n += (size_t)snprintf(text + n, sizeof text - n, "))))))))))))");
  for (int i = 0; i < 6; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, " (friction \"%c\" 0.4 (radius 0.3))",
                          names[i]);
  }
  snprintf(text + n, sizeof text - n, " (initial (\"a\" 0.5) (\"c\" 0.3)))");
  for (size_t m = 0; m < sizeof takes_it / sizeof *takes_it; m++) {
    const cardan_options o = options_of(takes_it[m], 5e-3);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 400);
    for (int i = 0; i < 6; i++) {
      const char name[2] = {names[i], 0};
      assert_true(fabs(0.3 * run_v(&r, name)) < vs);
    }
    run_free(&r);
  }
}

// while joints slide friction is Coulomb's law, and the order is the method's own, with
// directions of sliding that turn and reactions that depend on friction
static void orders(void **state)
{
  (void)state;
  static const char plane[] =
      "(system (gravity 2 0 -9.81) (joint planar \"p\" (mass 2 .1 .1 .1) (place (0.2 0 0.3) (joint"
      " revolute \"a\" (axis 0 1 0) (place (0 0 -0.5) (mass 1 .05 .05 .05))))) (friction \"p\" 0.3"
      " (radius 0.1)) (initial (\"p\" (0 0 0) (3 2 8)) (\"a\" 0.5)))";
  static const struct {
    const char *method;
    double order;
  } cases[] = {{"vi", 2},           {"aba:rk4", 4},       {"aba:midpoint", 2},
               {"hamilton:rk4", 4}, {"baraff:gauss4", 4}, {"rattle", 2},
               {"half-implicit", 1}};
  double exact[8], q[2][8];
  const cardan_options fine = run_options("aba:dopri5", 0.5, 1);
  run_end(plane, NULL, &fine, 0.5, 1, exact);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double error[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
      const int steps = 50 << k;
      const cardan_options o = run_options(cases[i].method, 0.5 / steps, 1);
      run_end(plane, NULL, &o, 0.5, steps, q[k]);
      for (int j = 0; j < 4; j++) {
        error[k] = fmax(error[k], fabs(q[k][j] - exact[j]));
      }
    }
    const double order = log2(error[0] / error[1]);
    print_message("%-14s order %.2f, off by %.1e\n", cases[i].method, order, error[1]);
    assert_near(order, cases[i].order, 0.2);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block_on_a_slope), cmocka_unit_test(stopping_distance),
      cmocka_unit_test(comes_to_rest),    cmocka_unit_test(stops_of_many),
      cmocka_unit_test(orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
