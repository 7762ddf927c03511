// SPDX-License-Identifier: Apache-2.0
// What a program and a table see of contacts.
#include <math.h>
#include <string.h>

#include "run.h"

#define SLIDER                                                                           \
  "(system (gravity 0 0 -9.81) (joint prismatic \"z\" (axis 0 0 1) (mass 2 1 1 1)"       \
  " (limit 0 10 (restitution 0.5))) (joint prismatic \"x\" (axis 1 0 0) (mass 1 1 1 1))" \
  " (initial (\"z\" 1)))"

static int columns_named(const cardan_sim *sim, int add, const char *name)
{
  int found = 0;
  for (int k = 0; k < cardan_sim_columns(sim, add); k++) {
    char own[64];
    cardan_sim_column(sim, add, k, own, sizeof own);
    found += strcmp(own, name) == 0;
  }
  return found;
}

// a slider that falls 1 m on its low limit: gaps, impacts and the weight that the limit carries
static void a_limit_in_the_table(void **state)
{
  (void)state;
  const cardan_options o = run_options("aba:rk4", 0.01, 0);
  run r = run_begin(SLIDER, NULL, &o);
  assert_near(run_column(&r, CARDAN_ADD_CONTACTS, "gap"), 1, 1e-15);
  assert_near(run_column(&r, CARDAN_ADD_CONTACTS, "contacts"), 0, 0);
  run_steps(&r, 46); // it lands at sqrt(2 / 9.81) = 0.4515
  assert_near(run_column(&r, CARDAN_ADD_CONTACTS, "impacts"), 1, 0);
  assert_near(run_column(&r, CARDAN_ADD_CONTACTS, "lost.impact"), 0.75 * 2 * 9.81, 1e-10);
  run_steps(&r, 300);
  assert_near(run_column(&r, CARDAN_ADD_CONTACTS, "contacts"), 1, 0);
  assert_near(run_column(&r, CARDAN_ADD_CONTACTS, "gap"), 0, 1e-12);
  assert_near(run_column(&r, CARDAN_ADD_CONTACTS, "limit.z"), 2 * 9.81, 1e-10);
  run_free(&r);
}

// what was lost belongs to two groups of columns, and is listed once where both are shown
static void losses_stand_once(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin(SLIDER, NULL, &o);
  const int adds[] = {CARDAN_ADD_WORK, CARDAN_ADD_CONTACTS, CARDAN_ADD_WORK | CARDAN_ADD_CONTACTS};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(columns_named(r.sim, adds[i], "lost.impact"), 1);
  }
  assert_int_equal(columns_named(r.sim, adds[1], "limit.x"), 0);
  assert_int_equal(columns_named(r.sim, CARDAN_ADD_MOMENTUM, "lost.impact"), 0);
  run_free(&r);
  r = run_begin("pendulum", NULL, &o); // nothing to touch: no columns
  const int n = cardan_sim_columns(r.sim, 0);
  assert_int_equal(cardan_sim_columns(r.sim, CARDAN_ADD_CONTACTS), n);
  double row[16] = {0};
  row[n] = 7; // behind what it may write
  assert_int_equal(cardan_sim_row(r.sim, CARDAN_ADD_CONTACTS, row), CARDAN_OK);
  assert_true(row[n] == 7);
  run_free(&r);
}

// a program asks how many there are, and gets as many as it has room for
static void places_of_a_node(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin(SLIDER, NULL, &o);
  cardan_touching place[2] = {{.joint = -2}, {.joint = -2}};
  run_steps(&r, 300);
  assert_int_equal(cardan_sim_touching(r.sim, NULL, 0), 2);
  assert_int_equal(cardan_sim_touching(r.sim, place, 1), 2);
  assert_int_equal(place[1].joint, -2); // not written
  assert_int_equal(cardan_sim_touching(r.sim, place, 2), 2);
  assert_int_equal(place[0].joint, 0);
  assert_int_equal(place[0].pair, -1);
  assert_int_equal(place[0].bound, -1);
  assert_int_equal(place[0].state, CARDAN_TOUCH_STICKS);
  assert_int_equal(place[1].state, CARDAN_TOUCH_OPEN);
  assert_near(place[1].gap, 10, 1e-12);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_limit_in_the_table),
      cmocka_unit_test(losses_stand_once),
      cmocka_unit_test(places_of_a_node),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
