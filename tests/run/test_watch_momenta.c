// SPDX-License-Identifier: Apache-2.0
// The watch over momenta: what it must see and what it must not.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "run/sim.h"

static run begin(const char *text, const char *method, double dt)
{
  const cardan_options o = run_options(method, dt, 10);
  return run_begin(text, NULL, &o);
}

/* What the watch says after n steps, every one of them looked at; the run is then gone. */
static bool says(run *r, int n, const char *words)
{
  for (int i = 0; i < n; i++) {
    run_steps(r, 1);
    cardan_sim_stats(r->sim);
  }
  assert_int_equal(cardan__watch_end(r->sim, NULL), CARDAN_OK);
  const bool found = strstr(cardan_sim_warning(r->sim), words) != NULL;
  if (cardan_sim_warning(r->sim)[0] != '\0') {
    print_message("%s\n", cardan_sim_warning(r->sim));
  }
  run_free(r);
  return found;
}

static const char PLATE[] = "(system (gravity 0 0 0) (joint free \"b\" (mass 1 0.1 0.2 0.3))"
                            " (initial (\"b\" (0 0 0 1 0 0 0) (1 30 2 1 0 0))))";

/* Euler's method turns a plate with more and more angular momentum; with a step of 1/100 it is
 * right to the part that is allowed. */
static void test_a_drift_is_seen(void **state)
{
  (void)state;
  run r = begin(PLATE, "aba:euler", 0.01);
  assert_true(says(&r, 50, "the angular momentum of \"b\", which no force changes, is off by"));
  r = begin(PLATE, "aba:euler", 1e-4);
  assert_false(says(&r, 5000, "momentum"));
  r = begin(PLATE, "fully-implicit", 0.01);
  assert_true(says(&r, 50, "the angular momentum of \"b\""));
}

/* A velocity that something else than a force changes: the linear momentum is its own measure, and
 * 0.03 J of 551 are nothing. */
static void test_a_lost_velocity_is_seen(void **state)
{
  (void)state;
  run r = begin("(system (gravity 0 0 0) (joint free \"b\" (mass 1 0.1 0.1 0.1))"
                " (initial (\"b\" (0 0 0 1 0 0 0) (0 0 105 0.25 0 0))))",
                "aba", 0.01);
  cardan_data *data = cardan_sim_data(r.sim);
  data->v[3] = 0.2;
  cardan_velocities(r.model, data);
  cardan__sim_measure_drift(r.sim);
  assert_int_equal(cardan__watch_end(r.sim, NULL), CARDAN_OK);
  print_message("%s\n", cardan_sim_warning(r.sim));
  assert_non_null(
      strstr(cardan_sim_warning(r.sim),
             "the linear momentum of \"b\", which no force changes, is off by 0.05 of 0.25"));
  run_free(&r);
}

/* Forces that act, or may: a wrench, a spring to the world, damping of all, a driver on the joint
 * itself, a program's push, a potential, a contact that closed. */
static void test_forces_are_no_drift(void **state)
{
  static const char *const forces[] = {
      "(wrench world \"b\" (1 0 0) (0 0 0.1))",
      "(place (0 0 0) (name \"w\")) (spring \"w\" \"b\" 10 0)",
      "(damping 0.1)",
      "(torque \"b.vx\" 1)",
      "(potential (* 3 q.b.x))",
      "(place (0 0 0) (name \"w\")) (point-constraint \"w\" \"b\" (0 0 1))",
  };
  char text[400];
  (void)state;
  for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
    snprintf(text, sizeof text,
             "(system (gravity 0 0 0) (place (1 0 0) (joint free \"b\" (mass 1 1 1 1))) %s"
             " (initial (\"b\" (0 0 0 1 0 0 0) (0 0 1 1 0 0))))",
             forces[i]);
    print_message("%s\n", forces[i]);
    run r = begin(text, "aba", 0.01);
    assert_int_equal(r.sim->momenta.n, 0);
    assert_false(says(&r, 50, "momentum"));
  }
  run r = begin(PLATE, "aba", 0.001);
  r.data->f_in[1].f.x = 5;
  assert_false(says(&r, 50, "momentum"));
  r = begin("(system (place (0 0 0) (name \"ground\") (solid plane)) (place (0 0 0.2)"
            " (joint free \"b\" (mass 1 1 1 1) (solid sphere 0.1))) (contact all))",
            "vi", 0.01);
  assert_int_equal(r.sim->momenta.n, 1);
  assert_false(says(&r, 50, "momentum"));
}

/* What joints, springs and drivers do within a group is no force on it; gravity is known. */
static void test_what_is_inside(void **state)
{
  static const char text[] =
      "(system (joint free \"a\" (mass 1 0.1 0.1 0.2) (ty 0.2 (rz \"h\" (tx 0.1 (mass 0.5 0.01 "
      "0.01 "
      "0.01) (name \"tip\"))))) (place (1 0 0) (joint free \"c\" (mass 2 0.1 0.1 0.1)))"
      " (joint free \"alone\" (mass 1 1 1 1))"
      " (spring \"tip\" \"c\" 20 0.5) (damper \"tip\" \"c\" 1) (torque \"h\" (sin t))"
      " (joint-spring \"h\" 3 0.2) (initial (\"a\" (0 0 0 1 0 0 0) (1 2 3 0 0 0))))";
  static const char *const methods[] = {"vi",     "aba",           "hamilton",      "baraff",
                                        "rattle", "half-implicit", "fully-implicit"};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    run r = begin(text, methods[i], 0.001);
    print_message("%s\n", methods[i]);
    assert_int_equal(r.sim->momenta.n, 2);
    assert_false(says(&r, 100, "momentum"));
  }
}

/* A start from where the run is with other velocities is a new beginning. */
static void test_a_new_start(void **state)
{
  (void)state;
  run r = begin(PLATE, "aba", 0.001);
  run_steps(&r, 10);
  cardan_sim_data(r.sim)->v[3] = 5;
  assert_int_equal(cardan_sim_start_from_current(r.sim, NULL), CARDAN_OK);
  assert_false(says(&r, 50, "momentum"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_drift_is_seen),     cmocka_unit_test(test_a_lost_velocity_is_seen),
      cmocka_unit_test(test_forces_are_no_drift), cmocka_unit_test(test_what_is_inside),
      cmocka_unit_test(test_a_new_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
