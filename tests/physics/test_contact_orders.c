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

// 38 turns and more of a coin that rolls on its rim: the energy keeps to a band, whether it nutates
// or not, and does not drift
static void coins_keep_their_energy(void **state)
{
  (void)state;
  for (int i = 0; i < ncontact_round; i++) {
    const contact_case *c = &contact_round[i];
    if (strncmp(c->name, "coin", 4) != 0) {
      continue;
    }
    const cardan_options o = run_options("vi", 0.004, 0);
    run r = run_begin(c->model, NULL, &o);
    const double start = run_energy(&r);
    double low = 0, high = 0, tenth[2] = {0, 0};
    for (int k = 0; k < 10000; k++) { // 51 turns, 1.8 degrees a step
      run_steps(&r, 1);
      const double off = (run_energy(&r) - start) / start;
      low = fmin(low, off);
      high = fmax(high, off);
      tenth[k >= 9000] += k < 1000 || k >= 9000 ? off / 1000 : 0;
    }
    print_message("%s, 40 s: energy %.1e .. %.1e of it, tenths %.2e, %.2e\n", c->name, low, high,
                  tenth[0], tenth[1]);
    assert_true(high - low < 1e-4);
    assert_near(tenth[0], tenth[1], 0.05 * (high - low) + 1e-9);
    run_free(&r);
  }
}

static double stop_error(int order, int steps, const double *exact)
{
  static const char model[] =
      "(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0)"
      " (limit -0.5 2 (restitution 0.8)) (tz -1 (mass 1))) (initial (\"a\" 1.2)))";
  cardan_options o = run_options(order ? "vi" : "aba:dopri5", 4.0 / steps, 4);
  double q[1];
  o.order = order ? order : o.order;
  run_end(model, NULL, &o, 4, steps, q);
  return exact ? fabs(q[0] - *exact) : q[0];
}

// a pendulum and its stop, e 0.8: compositions keep their order through impacts
static void high_orders_through_impacts(void **state)
{
  (void)state;
  const double exact = stop_error(0, 400, NULL);
  for (int order = 4; order <= 6; order += 2) {
    const double a = stop_error(order, 160, &exact), b = stop_error(order, 320, &exact);
    print_message("pendulum and stop, order %d: %.2f (%.1e, %.1e)\n", order, log2(a / b), a, b);
    assert_true(log2(a / b) > order - 0.3);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(references_stand),        cmocka_unit_test(planar_orders),
      cmocka_unit_test(planar_orders_by_svi),    cmocka_unit_test(round_orders),
      cmocka_unit_test(coins_keep_their_energy), cmocka_unit_test(high_orders_through_impacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
