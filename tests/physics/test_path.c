// SPDX-License-Identifier: Apache-2.0
// The reference for mechanisms with one degree of freedom, against closed forms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hard.h"
#include "path.h"

static const double pi = 3.14159265358979323846;

static path trace(const char *text, int index, double speed, int n, double dt)
{
  char why[200] = "";
  fixture f;
  path p;
  f = fixture_load(text);
  if (index >= 0) {
    f.data->v[index] = speed;
  }
  if (!path_run(f.model, f.model->q0, f.data->v, index, n, dt, &p, why)) {
    print_error("%s\n", why);
    fail();
  }
  fixture_free(&f);
  return p;
}

/* Half a period of a pendulum of 1 m let go at 2 rad: pi / (sqrt(g) agm(1, cos 1)). The bob goes by
 * x and z, a wire or two of them holding it: one row, or one too many. */
static void test_pendulum(void **state)
{
  (void)state;
  double a = 1, b = cos(1.0);
  for (int i = 0; i < 8; i++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  const double half = pi / (sqrt(9.81) * a);
  const char *wire = "(wire \"world\" \"bob\" 1)";
  for (int wires = 1; wires <= 2; wires++) {
    char text[400];
    snprintf(text, sizeof text,
             "(system (gravity 0 0 -9.81) (tx \"x\" tz \"z\" (name \"bob\") (mass 2)) %s %s"
             " (initial (\"x\" (sin 2)) (\"z\" (- (cos 2)))))",
             wire, wires > 1 ? wire : "");
    path p = trace(text, -1, 0, 10, half / 10);
    // polynomials of degree 7 between nodes 0.008 apart: what the halved trace says, and rounding
    assert_near(p.q[20], -sin(2.0), 1e-10 + 10 * p.error);
    assert_near(p.q[21], -cos(2.0), 1e-10 + 10 * p.error);
    assert_near(p.error, 0, 1e-9);
    path_free(&p);
  }
}

/* A rhombus without gravity turns evenly, flat or not, and keeps its coupler level: also from a
 * flat start, where the speed says which way it goes. */
static void test_crossing(void **state)
{
  (void)state;
  static const char *const names[] = {"rhombus-on-node", "rhombus-beside-node"};
  for (int k = 0; k < 2; k++) {
    char *text = hard_model(hard_find(names[k]));
    path p = trace(text, -1, 0, 20, 0.1);
    for (int i = 0; i <= 20; i++) {
      const double angle = p.q[0] + 0.1 * i;
      const double be[3] = {angle, -angle, angle};
      assert_near_vec(p.q + (size_t)3 * (size_t)i, be, 3, 1e-9); // rounding over the distance
    }
    path_free(&p);
    free(text);
  }
  char *text = hard_model(hard_find("parallelogram-in-line"));
  path p = trace(text, -1, 0, 20, 0.1);
  for (int i = 0; i <= 20; i++) {
    const double be[3] = {0.4 * i, -0.4 * i, 0.4 * i};
    assert_near_vec(p.q + (size_t)3 * (size_t)i, be, 3, 1e-9);
  }
  path_free(&p);
  free(text);
}

/* One part of the velocity given: the crank's. */
static void test_speed(void **state)
{
  (void)state;
  char *text = hard_model(hard_find("given-crank"));
  path p = trace(text, 0, 1, 2, 1e-4);
  // central difference around 1e-4; accelerations change by less than 1e3 per second
  assert_near((p.q[6] - p.q[0]) / 2e-4, 1, 3e-3);
  path_free(&p);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_crossing),
      cmocka_unit_test(test_speed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
