// SPDX-License-Identifier: Apache-2.0
// Motions with contact whose end is known (contact_cases.h): the references against themselves.
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(references_stand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
