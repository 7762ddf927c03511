// SPDX-License-Identifier: Apache-2.0
// Runs with solids: what the step itself has to get right, one thing in each; what is refused.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

#define GROUND "(place (0 0 0) (name \"ground\") (solid plane))"

static const char *const methods[] = {"vi", "svi"};

/* ---- impacts ---- */

// a flight of 40 steps, to the last bit of a step: the ball is closed at the node by itself, and
// bounces. After it rises from 0 for 60 steps of 10 ms: v = 0.5 4 - 10 0.6, z of the same
static void a_flight_of_whole_steps_bounces(void **state)
{
  (void)state;
  for (int m = 0; m < 2; m++) {
    const cardan_options o = run_options(methods[m], 0.01, 1);
    run r = run_begin("(system (gravity 0 0 -10) " GROUND
                      " (tz \"z\" (mass 1 1 1 1) (solid sphere 0.25))"
                      " (contact \"z\" \"ground\" (restitution 0.5)) (initial (\"z\" 1.05)))",
                      NULL, &o);
    run_steps(&r, 60); // 0.4 s of fall, 0.2 s after it
    assert_near(run_q(&r, "z") - 0.25, 2 * 0.2 - 5 * 0.04, 1e-11);
    assert_near(run_v(&r, "z"), 0, 1e-10);
    assert_int_equal(cardan_sim_stats(r.sim).contact.impacts, 1);
    run_free(&r);
  }
}

// the last hops of one ball leave the restitution of its neighbour alone: both balls fall from the
// same height, and 9 t1, where the hops of e = 0.8 end, is the 5th impact of e = 1
static void bystanders_keep_bouncing(void **state)
{
  (void)state;
  cardan_options o = run_options("vi", 0.01, 6);
  o.impacts = "located";
  run r = run_begin("(system (gravity 0 0 -9.81) " GROUND
                    " (tz \"a\" (mass 1 1 1 1) (solid sphere 0.1))"
                    " (tx 1 (tz \"b\" (mass 1 1 1 1) (solid sphere 0.1)))"
                    " (contact \"a\" \"ground\" (restitution 1))"
                    " (contact \"b\" \"ground\" (restitution 0.8))"
                    " (initial (\"a\" 1) (\"b\" 1)))",
                    NULL, &o);
  run_steps(&r, 600);
  const double v = run_v(&r, "a"), z = run_q(&r, "a");
  assert_near(0.5 * v * v + 9.81 * z, 9.81, 1e-9); // its energy, whole
  assert_near(run_q(&r, "b"), 0.1, 1e-11);
  assert_true(cardan_sim_stats(r.sim).contact.plastic > 0);
  run_free(&r);
}

// a gap of -1e-9 m in a step of 1e-8 s decays over steps of dt, not in that one: 1e-9 / 1e-8 s
// would be 0.1 m/s
static void overlap_of_rounding_is_no_explosion(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 1);
  cardan_report report = {.message = ""};
  run r = run_begin("(system (gravity 0 0 -9.81) " GROUND
                    " (joint free \"b\" (mass 1 0.01 0.01 0.01) (solid sphere 0.1))"
                    " (contact \"b\" \"ground\") (initial (\"b.z\" (- 0.1 1e-9))))",
                    NULL, &o);
  assert_int_equal(cardan_sim_step_to(r.sim, 1e-8, &report), CARDAN_OK);
  assert_near(run_v(&r, "b.vz"), 0, 1e-6); // 0.2 1e-9 / dt = 2e-8, and g h = 1e-7
  run_steps(&r, 200);
  assert_near(run_q(&r, "b.z"), 0.1, 1e-12); // 0.8^200
  run_free(&r);
}

// a cylinder dropped tilted on a plane: what it loses until it stands still is counted, to the band
// of the flights (h^2), though its rim hands over from point to point
static void a_cylinder_wobbles_to_rest(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.005, 2);
  run r = run_begin("(system (gravity 0 0 -9.81) " GROUND
                    " (joint free \"b\" (mass 1 0.01 0.01 0.01) (solid cylinder 0.1 0.2))"
                    " (contact all (friction 0.5) (restitution 0.2))"
                    " (initial (\"b\" (0.5 0 0.4 0.95 0.3 0 0))))",
                    NULL, &o);
  run_steps(&r, 400);
  const cardan_stats stats = cardan_sim_stats(r.sim);
  assert_near(run_q(&r, "b.z"), 0.1, 1e-10);
  assert_near(run_v(&r, "b.wx"), 0, 1e-10);
  assert_near(stats.contact.lost + stats.contact.friction, 9.81 * 0.3, 1e-3);
  assert_near(stats.drift_max, 0, 1e-3);
  run_free(&r);
}

/* ---- friction ---- */

static run block(double mu)
{
  const cardan_options o = run_options("vi", 0.01, 1);
  char text[512];
  const double a = 0.4; // the slope, by gravity
  snprintf(text, sizeof text,
           "(system (gravity %.17g 0 %.17g) " GROUND
           " (joint free \"b\" (mass 2 0.02 0.02 0.02) (solid box 0.4 0.3 0.2))"
           " (contact \"b\" \"ground\" (friction %.17g)) (initial (\"b.z\" 0.1)))",
           9.81 * sin(a), -9.81 * cos(a), mu);
  return run_begin(text, NULL, &o);
}

// the closed form of the way; what friction took, from the way; the balance to rounding of 3 J
static void a_block_slides_and_the_balance_knows(void **state)
{
  (void)state;
  run r = block(0.3);
  run_steps(&r, 100);
  const double way = 0.5 * 9.81 * (sin(0.4) - 0.3 * cos(0.4));
  const cardan_stats stats = cardan_sim_stats(r.sim);
  assert_near(run_q(&r, "b.x"), way, 1e-13);
  assert_near(stats.contact.friction, 0.3 * 2 * 9.81 * cos(0.4) * way, 1e-12);
  assert_near(stats.drift_max, 0, 1e-13);
  assert_int_equal(stats.contact.closed, 4);
  run_free(&r);
}

// 1e-6 above the friction that it needs it stays, to rounding; 1e-6 below it slides by the closed
// form
static void a_block_holds_up_to_its_limit(void **state)
{
  (void)state;
  run holds = block(tan(0.4) * (1 + 1e-6)), slides = block(tan(0.4) * (1 - 1e-6));
  run_steps(&holds, 100);
  run_steps(&slides, 100);
  assert_near(run_q(&holds, "b.x"), 0, 1e-12);
  assert_near(run_q(&slides, "b.x"), 0.5e-6 * 9.81 * sin(0.4), 1e-9);
  run_free(&holds);
  run_free(&slides);
}

// four feet carry the weight: contact forces of a node are means over the step before it
static void forces_carry_the_weight(void **state)
{
  (void)state;
  cardan_touching place[16];
  run r = block(10);
  run_steps(&r, 50);
  const int n = cardan_sim_touching(r.sim, place, 16);
  double normal = 0, tangent = 0;
  int closed = 0;
  for (int i = 0; i < n; i++) {
    normal += place[i].normal;
    tangent += place[i].force.x;
    closed += place[i].state == CARDAN_TOUCH_STICKS;
  }
  assert_int_equal(closed, 4);
  assert_near(normal, 2 * 9.81 * cos(0.4), 1e-9);
  assert_near(tangent, -2 * 9.81 * sin(0.4), 1e-9);
  run_free(&r);
}

/* ---- solids ---- */

/* Boxes over one another, turned, that fall in a heap. */
static void heap(char *text, size_t size)
{
  size_t used = (size_t)snprintf(text, size, "(system (gravity 0 0 -9.81) " GROUND);
  for (int i = 0; i < 3; i++) {
    used += (size_t)snprintf(text + used, size - used,
                             "(joint free \"b%d\" (mass 1 0.002 0.002 0.002)"
                             " (solid box 0.1 0.1 0.1))",
                             i);
  }
  used += (size_t)snprintf(text + used, size - used, "(contact all (restitution 0.3)) (initial");
  for (int i = 0; i < 3; i++) {
    used += (size_t)snprintf(text + used, size - used,
                             "(\"b%d\" (%g %g %g %g %g %g 0.3) (0 0 0 3 -4 2))", i, 0.02 * i,
                             -0.01 * i, 0.12 + 0.2 * i, 0.8, 0.3 + 0.1 * i, -0.2);
  }
  snprintf(text + used, size - used, "))");
}

// boxes that tumble at up to 0.1 rad a step do not sink into one another, and energy goes: its
// balance stays within what free flight of spinning boxes leaves of it, of 5 J
static void boxes_tumble_and_rest(void **state)
{
  (void)state;
  char text[2048];
  heap(text, sizeof text);
  cardan_options o = run_options("vi", 0.005, 2);
  o.impacts = "located";
  run r = run_begin(text, NULL, &o);
  double most = 0;
  for (int k = 0; k < 400; k++) {
    run_steps(&r, 1);
    const cardan_stats stats = cardan_sim_stats(r.sim);
    most = fmax(most, stats.energy_final + stats.contact.lost + stats.contact.friction -
                          stats.energy_initial);
  }
  const cardan_stats stats = cardan_sim_stats(r.sim);
  print_message("%d impacts, overlap %.1e m, energy + losses rise by %.1e J\n",
                (int)stats.contact.impacts, stats.contact.overlap, most);
  assert_true(stats.contact.impacts > 20);
  assert_true(stats.contact.overlap < 2e-6);
  assert_true(most < 5e-3);
  run_free(&r);
}

// solids that nothing touches leave every bit of the motion as it is without them, near and far
static void solids_out_of_reach_change_nothing(void **state)
{
  (void)state;
  static const double heights[] = {2.1, 5, 100};
  double x[4][4];
  for (int i = 0; i < 4; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "(system (gravity 0 0 -9.81) (place (0 0 %g) (name \"ground\") (solid plane))"
             " (joint revolute \"a\" (axis 0 1 0) (tz -1 (mass 1) (solid sphere 0.05)"
             "  (joint revolute \"b\" (axis 1 0 0) (tz -1 (mass 1) (solid box 0.1 0.1 0.1)))))"
             " (contact all) (initial (\"a\" 1) (\"b\" 0.5)))",
             -heights[i < 3 ? i : 0]);
    cardan_options o = run_options("vi", 0.01, 0);
    o.contacts = i < 3 ? NULL : "off";
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 300);
    const cardan_data *data = cardan_sim_data(r.sim);
    memcpy(x[i], data->q, 2 * sizeof *x[i]);
    memcpy(x[i] + 2, data->v, 2 * sizeof *x[i]);
    run_free(&r);
  }
  for (int i = 0; i < 3; i++) {
    assert_memory_equal(x[i], x[3], sizeof x[i]);
  }
}

static void no_memory_in_a_step(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  char text[2048];
  heap(text, sizeof text);
  const cardan_options o = run_options("vi", 0.005, 2);
  run r = run_begin(text, NULL, &o);
  const long before = support_alloc_count();
  run_steps(&r, 200);
  assert_int_equal(support_alloc_count() - before, 0);
  run_free(&r);
}

/* ---- what is refused ---- */

static void others_refuse(void **state)
{
  (void)state;
  static const char *const others[] = {"aba:rk4", "hamilton:rk4", "baraff:rk4", "rattle"};
  for (int m = 0; m < 4; m++) {
    cardan_options o = run_options(others[m], 0.01, 1);
    cardan_report report = {.message = ""};
    cardan_sim *sim = NULL;
    cardan_model *model =
        load_model("(system " GROUND " (joint free \"b\" (mass 1 1 1 1) (solid sphere 0.1))"
                   " (contact \"b\" \"ground\") (initial (\"b.z\" 1)))",
                   NULL);
    assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_ERR_UNSUPPORTED);
    assert_non_null(strstr(report.message, "does not hold contact \"b-ground\": take method vi, "));
    o.contacts = "auto";
    assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_OK);
    assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
    assert_non_null(strstr(cardan_sim_note(sim), "contact \"b-ground\" is not held by"));
    cardan_sim_destroy(sim);
    cardan_model_destroy(model);
  }
}

static void an_overlap_at_the_start_is_an_error(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 1);
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  cardan_model *model =
      load_model("(system " GROUND " (joint free \"b\" (mass 1 1 1 1) (solid sphere 0.1))"
                 " (contact \"b\" \"ground\") (initial (\"b.z\" 0.09)))",
                 NULL);
  assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_start(sim, &report), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, "\"b\""));
  assert_non_null(strstr(report.message, "0.01"));
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_flight_of_whole_steps_bounces),
      cmocka_unit_test(bystanders_keep_bouncing),
      cmocka_unit_test(overlap_of_rounding_is_no_explosion),
      cmocka_unit_test(a_cylinder_wobbles_to_rest),
      cmocka_unit_test(a_block_slides_and_the_balance_knows),
      cmocka_unit_test(a_block_holds_up_to_its_limit),
      cmocka_unit_test(forces_carry_the_weight),
      cmocka_unit_test(boxes_tumble_and_rest),
      cmocka_unit_test(solids_out_of_reach_change_nothing),
      cmocka_unit_test(no_memory_in_a_step),
      cmocka_unit_test(others_refuse),
      cmocka_unit_test(an_overlap_at_the_start_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
