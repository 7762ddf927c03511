// SPDX-License-Identifier: Apache-2.0
// Motions with contact whose end is known (contact_cases.h): the references against themselves, and
// the order at which runs come to them.
#include <math.h>
#include <string.h>

#include "contact_cases.h"
#include "run.h"

/* Largest difference of two configurations; a quaternion counts up to its sign. */
static double difference(const double *a, const double *b, int n)
{
  double most = 0, same = 0;
  for (int k = 3; k < 7 && n == 7; k++) {
    same += a[k] * b[k];
  }
  for (int k = 0; k < n; k++) {
    const double sign = k >= 3 && same < 0 ? -1 : 1;
    most = fmax(most, fabs(a[k] - sign * b[k]));
  }
  return most;
}

static double spread(const contact_case *c, double *q)
{
  double half[CONTACT_MOST];
  assert_int_equal(c->end(c->T, c->steps, half), c->events);
  assert_int_equal(c->end(c->T, 2 * c->steps, q), c->events);
  return difference(half, q, c->nq);
}

// order 12 at steps of milliseconds: twice as many change the end by rounding, which events and
// sliding amplify
static void references_stand(void **state)
{
  (void)state;
  double q[CONTACT_MOST], rolls[CONTACT_MOST];
  for (int i = 0; i < ncontact_planar; i++) {
    assert_true(spread(&contact_planar[i], q) < 1e-9);
  }
  for (int i = 0; i < ncontact_round; i++) {
    const contact_case *c = &contact_round[i];
    assert_true(spread(c, q) < 1e-8);
    if (strcmp(c->name, "coin") == 0) {
      contact_coin_rolls(c->T, 2 * c->steps, rolls);
      assert_near_vec(q, rolls, c->nq, 1e-10);
    }
  }
}

static double error(const contact_case *c, const char *method, int steps, const double *exact)
{
  const cardan_options o = run_options(method, c->T / steps, c->T);
  run r = run_begin(c->model, NULL, &o);
  run_steps(&r, steps);
  const double e = difference(r.data->q, exact, c->nq);
  run_free(&r);
  return e;
}

/* Order from halving dt twice. What is exact has none: errors at rounding count as right. */
static bool has_order(const contact_case *c, const char *method)
{
  double exact[CONTACT_MOST], e[3];
  spread(c, exact);
  for (int i = 0; i < 3; i++) {
    e[i] = error(c, method, c->steps << i, exact);
  }
  const double slope = 0.5 * log2(e[0] / e[2]);
  print_message("%-20s %-4s order %.2f (%.1e, %.1e, %.1e)\n", c->name, method, slope, e[0], e[1],
                e[2]);
  return slope >= 1.9 || e[0] < 1e-11;
}

static void planar_orders(void **state)
{
  (void)state;
  int wrong = 0;
  for (int i = 0; i < ncontact_planar; i++) {
    wrong += !has_order(&contact_planar[i], "vi");
  }
  assert_int_equal(wrong, 0);
}

static void planar_orders_by_svi(void **state)
{
  (void)state;
  int wrong = 0;
  for (int i = 0; i < ncontact_planar; i++) {
    wrong += !has_order(&contact_planar[i], "svi");
  }
  assert_int_equal(wrong, 0);
}

static void round_orders(void **state)
{
  (void)state;
  int wrong = 0;
  for (int i = 0; i < ncontact_round; i++) {
    wrong += !has_order(&contact_round[i], "vi");
  }
  assert_int_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(references_stand),
      cmocka_unit_test(planar_orders),
      cmocka_unit_test(planar_orders_by_svi),
      cmocka_unit_test(round_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
