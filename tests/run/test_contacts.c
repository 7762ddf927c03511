// SPDX-License-Identifier: Apache-2.0
// Runs with stops: starts, saved states, memory, bits, what is reported; many random mechanisms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define ARM(limit, initial)                                               \
  "(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0) " limit \
  " (tz -1 (mass 1) (joint revolute \"b\" (axis 0 1 0) " limit " (tz -1 (mass 1)))))" initial ")"
#define STOPS "(limit -0.3 0.6 (restitution 0.5))"

static const char *const methods[] = {"vi",         "svi",          "aba:rk4",
                                      "aba:dopri5", "hamilton:rk4", "aba:ode45",
                                      "aba:dop853", "aba:bdf",      "hamilton:midpoint"};
enum { NMETHOD = sizeof methods / sizeof *methods };

static cardan_status start(const char *text, cardan_sim **sim, cardan_model **model,
                           cardan_report *report)
{
  const cardan_options o = run_options("vi", 0.01, 1);
  *model = load_model(text, NULL);
  const cardan_status made = cardan_sim_create(*model, &o, NULL, sim, report);
  return made == CARDAN_OK ? cardan_sim_start(*sim, report) : made;
}

/* ---- starts ---- */

static void given_values_must_be_inside(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  cardan_sim *sim;
  cardan_model *model;
  const cardan_status status = start(ARM(STOPS, "(initial (\"a\" 0.7))"), &sim, &model, &report);
  assert_int_equal(status, CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, "joint \"a\" at 0.7, outside its limits -0.3 and 0.6"));
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

static void values_that_nobody_gave_go_to_their_limit(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  cardan_sim *sim;
  cardan_model *model;
  assert_int_equal(start(ARM("(limit 0.2 0.6)", ""), &sim, &model, &report), CARDAN_OK);
  assert_true(cardan_sim_data(sim)->q[0] == 0.2 && cardan_sim_data(sim)->q[1] == 0.2);
  assert_non_null(strstr(cardan_sim_note(sim),
                         "\"a\" has no start value: it starts at its limit 0.2, not at 0"));
  assert_non_null(strstr(cardan_sim_note(sim), "1 more does so"));
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

// a parallelogram whose crank must start at 0.4: the loop closes around it
static void loops_close_inside(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 1);
  run r = run_begin("(system (gravity 0 0 -9.81)"
                    " (joint revolute \"c\" (axis 0 1 0) (limit 0.4 1) (mass 1 0.1 0.1 0.1)"
                    "  (tz -0.5 (joint revolute \"r\" (axis 0 1 0) (mass 1 0.1 0.1 0.1)"
                    "   (tx 1 (name \"E\")))))"
                    " (place (1 0 0) (joint revolute \"k\" (axis 0 1 0) (mass 1 0.1 0.1 0.1)"
                    "  (tz -0.5 (name \"F\"))))"
                    " (point-constraint \"E\" \"F\" 1 0 0) (point-constraint \"E\" \"F\" 0 0 1))",
                    NULL, &o);
  assert_near(run_q(&r, "c"), 0.4, 1e-11);
  run_steps(&r, 50);
  assert_near(run_q(&r, "c"), 0.4, 1e-9); // gravity presses it there
  assert_near(run_q(&r, "k"), 0.4, 1e-9);
  run_free(&r);
}

/* A chain of n hinges whose end is pinned where coordinates q put it; limits of two thirds of them
 * are around q, so that there is a start, far from 0. */
static void write_pinned_chain(int number, char *text, size_t size)
{
  support_rng rng = {17 + (uint64_t)number};
  const int n = 4 + number % 4;
  double x = 0, z = 0, angle = 0;
  size_t used = (size_t)snprintf(text, size, "(system (gravity 0 0 -9.81)");
  for (int i = 0; i < n; i++) {
    const double q = 1.2 * support_random_in(&rng, -1, 1),
                 length = 0.65 + 0.35 * support_random_in(&rng, -1, 1);
    const double low = q - support_random_in(&rng, 0.02, 0.2);
    const double high = q + support_random_in(&rng, 0.02, 0.2);
    angle += q;
    x += length * cos(angle);
    z -= length * sin(angle);
    used += (size_t)snprintf(text + used, size - used, "(joint revolute \"j%d\" (axis 0 1 0)", i);
    if (i % 3 != 2) {
      used += (size_t)snprintf(text + used, size - used, " (limit %.17g %.17g)", low, high);
    }
    used += (size_t)snprintf(text + used, size - used, " (mass 1 0.1 0.1 0.1) (tx %.17g ", length);
  }
  used += (size_t)snprintf(text + used, size - used, "(name \"E\")");
  for (int i = 0; i < n; i++) {
    used += (size_t)snprintf(text + used, size - used, "))");
  }
  snprintf(text + used, size - used,
           "(place (%.17g 0 %.17g) (name \"F\")) (point-constraint \"E\" \"F\" 1 0 0)"
           " (point-constraint \"E\" \"F\" 0 0 1))",
           x, z);
}

// loops and limits are met together where closing moves one joint out after the other
static void loops_close_with_all_joints_inside(void **state)
{
  (void)state;
  int together = 0;
  for (int number = 0; number < 60; number++) {
    char text[4096];
    cardan_report report = {.message = ""};
    cardan_sim *sim;
    cardan_model *model;
    write_pinned_chain(number, text, sizeof text);
    const cardan_status status = start(text, &sim, &model, &report);
    if (status != CARDAN_OK) {
      fail_msg("chain %d: %s", number, report.message);
    }
    const cardan_data *data = cardan_sim_data(sim);
    for (int i = 0; i < model->njoint; i++) {
      const cardan_joint *joint = &model->joint[i];
      const double q = data->q[joint->qadr];
      assert_true(!joint->has_limit ||
                  (q >= joint->limit[0] - 1e-9 && q <= joint->limit[1] + 1e-9));
    }
    assert_true(cardan_constraint_max(model, (cardan_data *)data) < 1e-11);
    together += strstr(cardan_sim_note(sim), "with all joints inside their limits") != NULL;
    cardan_sim_destroy(sim);
    cardan_model_destroy(model);
  }
  print_message("%d of 60 starts meet loops and limits together\n", together);
  assert_true(together >= 3); // else the chains test nothing new
}

// a given value stays; where the loop cannot close with it inside the limits, the start is refused
static void loops_that_close_outside_are_refused(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  cardan_sim *sim;
  cardan_model *model;
  // a parallelogram: both cranks turn alike, and their limits have nothing in common
  const char *text =
      "(system (gravity 0 0 -9.81)"
      " (joint revolute \"c\" (axis 0 1 0) (limit 0.4 0.5) (mass 1 0.1 0.1 0.1)"
      "  (tz -0.5 (joint revolute \"r\" (axis 0 1 0) (limit -0.6 0) (mass 1 0.1 0.1 0.1)"
      "   (tx 1 (name \"E\")))))"
      " (place (1 0 0) (joint revolute \"k\" (axis 0 1 0) (limit 0.6 1)"
      "  (mass 1 0.1 0.1 0.1) (tz -0.5 (name \"F\"))))"
      " (point-constraint \"E\" \"F\" 1 0 0) (point-constraint \"E\" \"F\" 0 0 1))";
  assert_int_equal(start(text, &sim, &model, &report), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, "outside its limits"));
  assert_non_null(strstr(report.message, "where closing the loops moved it"));
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

// the limit of a joint that closes a loop is held, over turns too, with a coordinate or without
static void limits_of_loop_joints_are_held(void **state)
{
  static const char *const coordinate[] = {"", " (coordinate \"c\")"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    char text[256];
    const cardan_options o = run_options("vi", 0.01, 2);
    snprintf(text, sizeof text,
             "(system (joint revolute \"a\" (mass 1 1 1 1)) (place (0 0 0) (name \"A\"))"
             " (close revolute \"A\" \"a\" (limit -1 7)%s) (initial (\"a\" 0 5)))",
             coordinate[i]);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 200);
    assert_near(run_q(&r, "a"), 7, 1e-9); // what Newton's iteration leaves
    run_free(&r);
  }
}

// T = 9/2 m^2/s^2 of 1 kg into a stop with e = 0.5: a quarter is left, and the balance knows
static void a_start_into_a_stop_is_an_impact(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    const cardan_options o = run_options(methods[m], 0.01, 1);
    run r = run_begin("(system (joint prismatic \"x\" (limit 0 9 (restitution 0.5)) (mass 1))"
                      " (initial (\"x\" 0 -3)))",
                      NULL, &o);
    assert_near(run_v(&r, "x"), 1.5, 1e-15);
    run_steps(&r, 10);
    const cardan_stats stats = cardan_sim_stats(r.sim);
    assert_near(run_q(&r, "x"), 0.15, 1e-12);
    assert_near(stats.energy_initial, 4.5, 1e-15);
    assert_near(stats.contact.lost, 3.375, 1e-14);
    assert_near(stats.drift_max, 0, 1e-12);
    assert_int_equal(stats.contact.impacts, 1);
    run_free(&r);
  }
}

/* ---- bits ---- */

/* q and v after so many steps, looked at every so often. */
static void state_after(const char *text, const char *method, const char *contacts, int steps,
                        int every, double *x)
{
  cardan_options o = run_options(method, 0.01, 10);
  o.contacts = contacts;
  run r = run_begin(text, NULL, &o);
  for (int k = 1; k <= steps; k++) {
    cardan_report report = {.message = ""};
    assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_OK);
    if (k % every == 0) {
      (void)cardan_sim_stats(r.sim);
    }
  }
  const cardan_data *data = cardan_sim_data(r.sim);
  memcpy(x, data->q, 2 * sizeof *x);
  memcpy(x + 2, data->v, 2 * sizeof *x);
  run_free(&r);
}

// limits that are off, or far away, leave every bit as it is without them
static void limits_out_of_reach_change_nothing(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    double plain[4], off[4], far[4], on[4];
    state_after(ARM("", "(initial (\"a\" 0.5))"), methods[m], NULL, 150, 1, plain);
    state_after(ARM(STOPS, "(initial (\"a\" 0.5))"), methods[m], "off", 150, 1, off);
    state_after(ARM("(limit -90 90)", "(initial (\"a\" 0.5))"), methods[m], NULL, 150, 1, far);
    state_after(ARM(STOPS, "(initial (\"a\" 0.5))"), methods[m], NULL, 150, 1, on);
    assert_memory_equal(plain, off, sizeof plain);
    assert_memory_equal(plain, far, sizeof plain);
    assert_true(plain[0] != on[0]);
  }
}

// an observer does not change a run, nor does saving and restoring it, bouncing or at rest
static void looking_changes_nothing(void **state)
{
  (void)state;
  for (int m = 0; m < 3; m++) {
    double a[4], b[4];
    state_after(ARM(STOPS, "(initial (\"a\" 0.5))"), methods[m], NULL, 300, 1, a);
    state_after(ARM(STOPS, "(initial (\"a\" 0.5))"), methods[m], NULL, 300, 7, b);
    assert_memory_equal(a, b, sizeof a);
  }
}

static void states_are_saved(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    for (int after = 37; after < 500; after += 211) { // bouncing; at rest
      const cardan_options o = run_options(methods[m], 0.01, 10);
      run r = run_begin(
          ARM("(limit 0.1 0.6 (restitution 0.5))", "(initial (\"a\" 0.5) (\"b\" 0.3))"), NULL, &o);
      run other = run_begin(
          ARM("(limit 0.1 0.6 (restitution 0.5))", "(initial (\"a\" 0.5) (\"b\" 0.3))"), NULL, &o);
      cardan_report report = {.message = ""};
      run_steps(&r, after);
      const size_t size = cardan_sim_snapshot_size(r.sim);
      void *bytes = malloc(size);
      assert_non_null(bytes);
      assert_int_equal(cardan_sim_snapshot_save(r.sim, bytes, size, &report), CARDAN_OK);
      assert_int_equal(cardan_sim_snapshot_load(other.sim, bytes, size, &report), CARDAN_OK);
      run_steps(&r, 60);
      run_steps(&other, 60);
      const cardan_data *x = cardan_sim_data(r.sim), *y = cardan_sim_data(other.sim);
      assert_memory_equal(x->q, y->q, 2 * sizeof *x->q);
      assert_memory_equal(x->v, y->v, 2 * sizeof *x->v);
      const cardan_stats s = cardan_sim_stats(r.sim), t = cardan_sim_stats(other.sim);
      assert_true(s.contact.impacts == t.contact.impacts && s.contact.lost == t.contact.lost);
      free(bytes);
      run_free(&r);
      run_free(&other);
    }
  }
}

/* ---- memory ---- */

static void no_memory_in_a_step(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  static const char *const own[] = {"vi", "svi", "aba:rk4", "hamilton:rk4"}; // SUNDIALS has its own
  for (int m = 0; m < 4; m++) {
    const cardan_options o = run_options(own[m], 0.01, 10);
    run r = run_begin(ARM(STOPS, "(initial (\"a\" 0.5))"), NULL, &o);
    const long before = support_alloc_count();
    for (int k = 0; k < 400; k++) {
      cardan_report report = {.message = ""};
      assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_OK);
    }
    assert_int_equal(support_alloc_count() - before, 0);
    assert_true(cardan_sim_stats(r.sim).contact.impacts > 5);
    run_free(&r);
  }
}

/* ---- many mechanisms ---- */

/* A branch of a random tree, with limits around 0 on most joints. */
static size_t branch(support_rng *rng, int depth, int *n, char *text, size_t size)
{
  size_t used = 0;
  const double mass = support_random_in(rng, 0.3, 2);
  const bool slides = support_random_int(rng, 0, 4) == 0;
  const double reach = slides ? 0.3 : 1.2;
  const double e = 0.25 * support_random_int(rng, 0, 4);
  used += (size_t)snprintf(text, size, "(joint %s \"j%d\" (axis %.3f %.3f %.3f) ",
                           slides ? "prismatic" : "revolute", (*n)++, support_random_in(rng, -1, 1),
                           support_random_in(rng, -1, 1), support_random_in(rng, 0.1, 1));
  if (support_random_int(rng, 0, 5) > 0) {
    used +=
        (size_t)snprintf(text + used, size - used, "(limit %.4f %.4f (restitution %g)) ",
                         support_random_in(rng, -reach, 0), support_random_in(rng, 0, reach), e);
  }
  used += (size_t)snprintf(text + used, size - used, "(mass %.3f %.4f %.4f %.4f)", mass,
                           0.02 * mass, 0.03 * mass, 0.025 * mass);
  const int children = depth < 4 ? support_random_int(rng, depth < 2 ? 1 : 0, 2) : 0;
  for (int i = 0; i < children; i++) {
    used += (size_t)snprintf(text + used, size - used, " (place (%.3f %.3f %.3f) ",
                             support_random_in(rng, -0.3, 0.3), support_random_in(rng, -0.3, 0.3),
                             support_random_in(rng, -0.4, -0.1));
    used += branch(rng, depth + 1, n, text + used, size - used);
    used += (size_t)snprintf(text + used, size - used, ")");
  }
  used += (size_t)snprintf(text + used, size - used, ")");
  return used;
}

// no limit is passed, no energy comes from nowhere: in trees of up to 20 joints that are shaken.
// aba has rk4's error; vi its own band, which is no measure of this
static void random_trees_stay_inside(void **state)
{
  (void)state;
  support_rng rng = {7};
  int64_t impacts = 0;
  for (int trial = 0; trial < 12; trial++) {
    static char text[1 << 16];
    int n = 0;
    size_t used = (size_t)snprintf(text, sizeof text, "(system (gravity 0 0 -9.81) ");
    used += branch(&rng, 0, &n, text + used, sizeof text - used);
    used += (size_t)snprintf(text + used, sizeof text - used, "(initial");
    for (int k = 0; k < n; k++) {
      used += (size_t)snprintf(text + used, sizeof text - used, " (\"j%d\" 0 %.3f)", k,
                               support_random_in(&rng, -3, 3));
    }
    snprintf(text + used, sizeof text - used, "))");
    static const char *const own[] = {"vi", "svi", "aba:rk4", "hamilton:rk4"};
    for (int m = 0; m < 4; m++) {
      cardan_options o = run_options(own[m], 0.002, 1);
      o.impacts = m < 2 ? "located" : NULL;
      run r = run_begin(text, NULL, &o);
      run_steps(&r, 500);
      const cardan_stats stats = cardan_sim_stats(r.sim);
      impacts += stats.contact.impacts;
      assert_true(stats.contact.overlap <= 1e-10);
      assert_true(stats.contact.lost >= -1e-9);
      assert_true(stats.drift_max <= (m < 2 ? 0.3 : 3e-3));
      run_free(&r);
    }
  }
  print_message("%d impacts\n", (int)impacts);
  assert_true(impacts > 500);
}

// two cranks of one four-bar, both outside at 0: only one of them can start at its limit
static void loops_let_one_stay_at_its_limit(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 1);
  run r = run_begin("(system (gravity 0 0 -9.81)"
                    " (joint revolute \"c\" (axis 0 1 0) (limit 0.4 2) (mass 1 0.1 0.1 0.1)"
                    "  (tz -0.5 (joint revolute \"r\" (axis 0 1 0) (mass 1 0.1 0.1 0.1)"
                    "   (tx 1 (name \"E\")))))"
                    " (place (1 0 0) (joint revolute \"k\" (axis 0 1 0) (limit 0.4 2)"
                    "  (mass 1 0.1 0.1 0.1) (tz -0.6 (name \"F\"))))"
                    " (point-constraint \"E\" \"F\" 1 0 0) (point-constraint \"E\" \"F\" 0 0 1))",
                    NULL, &o);
  const double c = run_q(&r, "c"), k = run_q(&r, "k");
  assert_true(fmin(c, k) > 0.4 - 1e-11 && fmax(c, k) > 0.42);
  assert_near(fmin(c, k), 0.4, 1e-11);
  assert_non_null(strstr(cardan_sim_note(r.sim), "starts at its limit 0.4, not at 0"));
  assert_null(strstr(cardan_sim_note(r.sim), "1 more"));
  run_free(&r);
}

/* ---- limits that nothing passes ---- */

// two limits at one place weld the joint: the motion of a pendulum of one piece, pushed both ways
static void limits_at_one_place_hold_both_ways(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    cardan_options o = run_options(methods[m], 0.01, 2);
    if (strcmp(methods[m], "vi") == 0) {
      o.kinetic = "se3"; // `swing` of two bodies held together is that of one only to order 2
    }
    run r =
        run_begin("(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0) (tz -1 (mass 1)"
                  " (joint revolute \"b\" (axis 0 1 0) (limit 0.5 0.5 (restitution 0.5))"
                  " (tz -1 (mass 1))))) (initial (\"a\" 1)))",
                  NULL, &o);
    run one = run_begin("(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0)"
                        " (tz -1 (mass 1) (ry 0.5 (tz -1 (mass 1))))) (initial (\"a\" 1)))",
                        NULL, &o);
    run_steps(&r, 200);
    run_steps(&one, 200);
    assert_near(run_q(&r, "b"), 0.5, 1e-9);
    assert_near(run_q(&r, "a"), run_q(&one, "a"), 1e-7);
    assert_near(run_v(&r, "b"), 0, 1e-9);
    assert_int_equal(cardan_sim_stats(r.sim).contact.impacts, 0);
    run_free(&r);
    run_free(&one);
  }
}

// b follows a, which follows time: the limit 0.5 is reached exactly at the end of the fourth step,
// and 0.45 within it. No impulse stops that, and the run stays where the step began
static void what_nothing_can_stop_is_an_error(void **state)
{
  static const char *const limits[] = {"(limit -1 0.5)", "(limit -1 0.45)"};
  (void)state;
  for (int m = 0; m < 2 * NMETHOD; m++) {
    const cardan_options o = run_options(methods[m / 2], 0.125, 2);
    cardan_report report = {.message = ""};
    char text[400];
    snprintf(text, sizeof text,
             "(system (joint prismatic \"a\" (mass 1)) (joint prismatic \"b\" %s (mass 1))"
             " (equation (- q.b q.a)) (motion \"a\" t))",
             limits[m % 2]);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 3);
    assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_SINGULAR);
    assert_non_null(strstr(report.message, "of joint \"b\" is met, and nothing can stop it"));
    assert_true(r.data->t == 0.375);
    assert_near(run_q(&r, "b"), 0.375, 1e-12);
    assert_int_equal(cardan_sim_stats(r.sim).contact.impacts, 0);
    run_free(&r);
  }
}

/* ---- work ---- */

// a slider on a shaken table, which a driver moves: its impacts take what is lost and what bounces
// from the driver, as a prescribed joint and as a constraint
static void impacts_take_from_drivers(void **state)
{
  static const char *const tables[] = {"tz (k \"k\")", "joint prismatic \"k\" (axis 0 0 1)"};
  (void)state;
  for (int m = 0; m < 2 * NMETHOD; m++) {
    const cardan_options o = run_options(methods[m / 2], 0.002, 2);
    char text[400];
    snprintf(text, sizeof text,
             "(system (gravity 0 0 -9.81) (%s (mass 1) (joint prismatic \"z\" (axis 0 0 1)"
             " (limit 0 1 (restitution 0.5)) (mass 1)))"
             " (motion \"k\" (* 0.3 (sin (* 8 t)))) (initial (\"z\" 0.5)))",
             tables[m % 2]);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 1000);
    const cardan_stats stats = cardan_sim_stats(r.sim);
    assert_true(stats.contact.impacts >= 2 && stats.contact.lost > 10);
    assert_true(stats.drift_max < 1e-3); // of 50 J
    assert_int_equal(stats.jumps, 0);
    run_free(&r);
  }
}

// 26 N up on 2 kg, from the middle to the stop and at rest there, e = 0: the work is 26 * 0.5, and
// an impact does not forget it
static void impacts_keep_the_work_of_inputs(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    const cardan_options o = run_options(methods[m], 0.01, 2);
    run r = run_begin("(system (gravity 0 0 -10) (joint prismatic \"z\" (axis 0 0 1) (limit 0 1)"
                      " (mass 2)) (initial (\"z\" 0.5)))",
                      NULL, &o);
    r.data->tau_in[0] = 26;
    run_steps(&r, 200);
    const cardan_stats stats = cardan_sim_stats(r.sim);
    assert_near(run_q(&r, "z"), 1, 1e-11);
    assert_near(run_column(&r, CARDAN_ADD_WORK, "work"), 26 * 0.5 - 3, 1e-8);
    assert_near(stats.contact.lost, 3, 1e-8);
    assert_near(stats.drift_max, 0, 1e-8);
    run_free(&r);
  }
}

// thrown into the stop it rests on: what came in is m v^2 / 2, what was lost is counted by itself
static void a_restart_into_a_stop(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    const cardan_options o = run_options(methods[m], 0.01, 2);
    cardan_report report = {.message = ""};
    run r = run_begin("(system (joint prismatic \"x\" (limit 0 9 (restitution 0.5)) (mass 1)))",
                      NULL, &o);
    run_steps(&r, 3);
    cardan_sim_data(r.sim)->v[0] = -3;
    expect_ok(cardan_sim_start_from_current(r.sim, &report), &report, methods[m]);
    run_steps(&r, 10);
    const cardan_stats stats = cardan_sim_stats(r.sim);
    assert_near(run_q(&r, "x"), 0.15, 1e-12);
    assert_near(stats.given, 4.5, 1e-12);
    assert_near(stats.contact.lost, 3.375, 1e-12);
    assert_near(stats.drift_max, 0, 1e-12);
    run_free(&r);
  }
}

// one step as long as a thousand: what a start left of a gap is closed, and not thrown beyond
static void long_steps_at_rest(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    const cardan_options o = run_options(methods[m], 0.001, 0);
    cardan_report report = {.message = ""};
    run r = run_begin("(system (gravity 0 0 -10) (joint prismatic \"z\" (axis 0 0 1) (limit 0 1)"
                      " (mass 2)) (initial (\"z\" 9e-10)))",
                      NULL, &o);
    expect_ok(cardan_sim_step_to(r.sim, 1, &report), &report, methods[m]);
    assert_true(run_q(&r, "z") > -1e-12 && run_q(&r, "z") < 1e-9);
    run_free(&r);
  }
}

// a parallelogram thrown on the stop of its rod; friction in the crank sticks beside it: two that
// hold one motion, and none of them gives way
static void friction_beside_a_stop(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    const cardan_options o = run_options(methods[m], 0.005, 1);
    run r = run_begin("(system (gravity 5.57 0 -9.81)"
                      " (joint revolute \"c\" (axis 0 1 0) (mass 1 0.1 0.1 0.1)"
                      "  (tz -0.6 (joint revolute \"r\" (axis 0 1 0) (limit -0.1 0.2)"
                      "   (mass 1 0.1 0.1 0.1) (tx 1 (name \"E\")))))"
                      " (place (1 0 0) (joint revolute \"k\" (axis 0 1 0) (mass 1 0.1 0.1 0.1)"
                      "  (tz -0.6 (name \"F\"))))"
                      " (point-constraint \"E\" \"F\" 1 0 0) (point-constraint \"E\" \"F\" 0 0 1)"
                      " (dry-friction \"c\" 1.2) (initial (\"c\" 0 -5)))",
                      NULL, &o);
    run_steps(&r, 200);
    assert_near(run_q(&r, "r"), 0.2, 1e-9);
    assert_near(run_v(&r, "c"), 0, 1e-9);
    assert_true(cardan_sim_stats(r.sim).contact.overlap < 1e-9);
    run_free(&r);
  }
}

// a pendulum on the rod of a four-bar, pressed on its stop while the loop moves: methods of order 4
// keep the energy to 1e-6 J at this step, those of order 2 to 1e-2, and closing the loop does not
// open the stop
static void rests_on_a_loop_that_moves(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    const cardan_options o = run_options(methods[m], 0.01, 1);
    run r = run_begin("(system (gravity 7.76 0 -9.81)"
                      " (joint revolute \"c\" (axis 0 1 0) (mass 1 0.1 0.1 0.1)"
                      "  (tz -0.4619 (joint revolute \"r\" (axis 0 1 0) (mass 1 0.1 0.1 0.1)"
                      "   (place (1 0 0.1576) (name \"E\")) (tx 0.5 (joint revolute \"p\""
                      "    (axis 0 1 0) (limit -0.129 0.331) (tz -0.4 (mass 0.5)))))))"
                      " (place (1 0 0) (joint revolute \"k\" (axis 0 1 0) (mass 1 0.1 0.1 0.1)"
                      "  (tz -0.3042 (name \"F\"))))"
                      " (point-constraint \"E\" \"F\" 1 0 0) (point-constraint \"E\" \"F\" 0 0 1)"
                      " (initial (\"c\" 0 -0.429)))",
                      NULL, &o);
    int held = 0;
    for (int k = 0; k < 100; k++) {
      run_steps(&r, 1);
      held += fabs(run_q(&r, "p") + 0.129) < 1e-9;
    }
    const cardan_stats stats = cardan_sim_stats(r.sim);
    const bool second = m < 2 || strstr(methods[m], "midpoint") != NULL;
    assert_true(held > 75);
    assert_true(stats.contact.overlap < 1e-11 && stats.constraint_max < 1e-9);
    assert_int_equal(stats.contact.impacts, 1);
    assert_true(stats.drift_max < (second ? 1e-2 : 1e-6));
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(given_values_must_be_inside),
      cmocka_unit_test(values_that_nobody_gave_go_to_their_limit),
      cmocka_unit_test(loops_close_inside),
      cmocka_unit_test(loops_close_with_all_joints_inside),
      cmocka_unit_test(loops_that_close_outside_are_refused),
      cmocka_unit_test(loops_let_one_stay_at_its_limit),
      cmocka_unit_test(limits_of_loop_joints_are_held),
      cmocka_unit_test(a_start_into_a_stop_is_an_impact),
      cmocka_unit_test(limits_out_of_reach_change_nothing),
      cmocka_unit_test(looking_changes_nothing),
      cmocka_unit_test(states_are_saved),
      cmocka_unit_test(no_memory_in_a_step),
      cmocka_unit_test(random_trees_stay_inside),
      cmocka_unit_test(limits_at_one_place_hold_both_ways),
      cmocka_unit_test(what_nothing_can_stop_is_an_error),
      cmocka_unit_test(impacts_take_from_drivers),
      cmocka_unit_test(impacts_keep_the_work_of_inputs),
      cmocka_unit_test(a_restart_into_a_stop),
      cmocka_unit_test(long_steps_at_rest),
      cmocka_unit_test(friction_beside_a_stop),
      cmocka_unit_test(rests_on_a_loop_that_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
