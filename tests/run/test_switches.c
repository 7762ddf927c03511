// SPDX-License-Identifier: Apache-2.0
// Comparisons in forces: pushes that are shorter than a step are not missed, in time or in the
// state, and runs in which nothing switches have the bits of runs without comparisons.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "run/sim.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static double end_velocity(const char *method, const char *torque, double v0, double dt)
{
  char text[512];
  const cardan_options o = run_options(method, dt, 1);
  snprintf(text, sizeof text,
           "(system (tx \"x\" (mass 1 .1 .1 .1)) (torque \"x\" %s) (initial (\"x\" 0 %g)))", torque,
           v0);
  run r = run_whole(text, NULL, &o);
  const double v = run_v(&r, "x");
  run_free(&r);
  return v;
}

// 100 N on 1 kg for 4 ms, within a step of 10 ms: 0.4 m/s by every method and integrator. Methods
// with forces at nodes alone have the push from middle to middle of the parts; others to rounding,
// 1e-9 dt beside the ends of the push, or their tolerance
static void short_pushes_in_time_are_exact(void **state)
{
  (void)state;
  static const char *const pushes[] = {
      "(if (> t 0.5031) (if (< t 0.5071) 100 0) 0)",
      "(* 100 (step (- t 0.5031)) (step (- 0.5071 t)))",
      "(if (<= (* 2 t) 1.0062) 0 (if (>= t 0.5071) 0 100))",
      "(if (< (abs (- t 0.5051)) 0.002) 100 0)", // not affine: 64 places of a step
  };
  const char *method;
  for (int k = 0; k < COUNT(pushes); k++) {
    for (int i = 0; (method = run_method(i)) != NULL; i++) {
      const double v = end_velocity(method, pushes[k], 0, 0.01);
      const bool kicks = strcmp(method, "half-implicit") == 0;
      if (!(fabs(v - 0.4) <= (kicks ? 0.06 : 1e-9))) {
        fail_msg("%s, %s: %.17g", method, pushes[k], v);
      }
    }
  }
}

// where the push begins and ends at nodes, it lasts as long as it should: ends of steps count too
static void pushes_between_nodes_are_exact(void **state)
{
  (void)state;
  const char *method;
  for (int i = 0; (method = run_method(i)) != NULL; i++) {
    const double v = end_velocity(method, "(if (>= t 0.25) (if (< t 0.5) 1 0) 0)", 0, 0.0625);
    if (!(fabs(v - 0.25) <= (strcmp(method, "half-implicit") == 0 ? 0.04 : 1e-9))) {
      fail_msg("%s: %.17g", method, v);
    }
  }
}

// the same by the way: 100 N over 4 mm, v^2 = v0^2 + 2 F s. Methods that have evaluations at the
// end of a step behind the change only are of order 1 there; two have slopes by differences, and
// say that they do not locate it
static void short_pushes_in_the_state_are_found(void **state)
{
  (void)state;
  static const struct {
    const char *method;
    double tol;
  } cases[] = {{"vi", 1e-9},
               {"svi", 1e-9},
               {"rattle", 1e-9},
               {"half-implicit", 1e-9},
               {"fully-implicit", 0.04},
               {"aba:euler", 0.07},
               {"aba:semi-implicit", 0.04},
               {"aba:rk2", 1e-7},
               {"aba:rk4", 1e-7},
               {"aba:gauss4", 1e-7},
               {"aba:dopri5", 1e-7},
               {"aba:ode45", 1e-7},
               {"aba:dop853", 1e-7},
               {"aba:adams", 1e-7},
               {"hamilton:rk4", 1e-7},
               {"baraff:rk4", 1e-7}};
  const double right = sqrt(1 + 2 * 100 * 0.004);
  for (int i = 0; i < COUNT(cases); i++) {
    const double v = end_velocity(cases[i].method,
                                  "(* (step (- q.x 0.5031)) (step (- 0.5071 q.x)) 100)", 1, 0.01);
    if (!(fabs(v - right) <= cases[i].tol)) {
      fail_msg("%s: %.17g, expected %.17g", cases[i].method, v, right);
    }
  }
}

// the same of pushes that end on a node of the grid, by time and by the way. 1000 N on 2 kg for 10
// ms; 10 N for 0.1 s from the start, where half-implicit has its first step, of order 1; and -50 N
// over 10 mm, where fully-implicit has an error of order 1 in the energy
static void pushes_that_end_on_nodes(void **state)
{
  (void)state;
  static const struct {
    const char *torque;
    double v0, right;
  } cases[] = {{"(if (> t 0.33) (if (< t 0.34) 1000 0) 0)", 0, 10},
               {"(if (< t 0.1) 10 0)", 0, 1},
               {"(if (> q.x 0.55) (if (< q.x 0.56) -50 0) 0)", 2, 1.7320508075688772},
               {"(if (> q.x 0.55) (if (< q.x 0.56) 50 0) 0)", 2, 2.23606797749979}};
  static const char *const methods[] = {"vi", "rattle", "half-implicit", "fully-implicit",
                                        "aba:semi-implicit"};
  static const double steps[] = {0.05, 0.02, 0.01, 0.005, 0.003};
  for (int i = 0; i < COUNT(methods) * COUNT(cases) * COUNT(steps); i++) {
    const int k = i % COUNT(cases);
    const char *method = methods[i / COUNT(cases) % COUNT(methods)];
    const double dt = steps[i / (COUNT(cases) * COUNT(methods))];
    const bool first = strcmp(method, "half-implicit") == 0 && k == 1;
    const bool order1 = k > 1 && (strcmp(method, "fully-implicit") == 0 ||
                                  strcmp(method, "aba:semi-implicit") == 0);
    const double v = end_velocity(method, cases[k].torque, cases[k].v0, dt);
    const double tol = first ? 5.001 * dt : order1 ? 0.04 : 1e-9;
    if (!(fabs(v - cases[k].right) <= tol)) {
      fail_msg("%s, dt %g, %s: %.17g, expected %.17g", method, dt, cases[k].torque, v,
               cases[k].right);
    }
  }
}

// a push that puts in far more than was there before is no motion that blew up, though the work
// that integrators of order 1 measure of it is wrong by all of it; a spring that is switched on is,
// where it is too stiff for the step
static void a_push_is_no_motion_that_blew_up(void **state)
{
  (void)state;
  static const struct {
    const char *push;
    cardan_status right;
  } cases[] = {{"(if (> t 0.33) (if (< t 0.34) 1000 0) 0)", CARDAN_OK},
               {"(if (> q.h 0.001) (if (< q.h 0.0015) 1000 0) 0)", CARDAN_OK},
               {"(if (> t 0.33) (- 1 (* 1e6 q.w)) 0)", CARDAN_ERR_BLEW_UP}};
  static const char *const methods[] = {"aba:semi-implicit", "aba:euler", "half-implicit"};
  for (int i = 0; i < COUNT(cases) * COUNT(methods); i++) {
    char text[512];
    const int k = i % COUNT(cases);
    const cardan_options o = run_options(methods[i / COUNT(cases)], 0.01, 1);
    snprintf(text, sizeof text,
             "(system (rz \"h\" (mass 1 .1 .1 .1)) (tx \"w\" (mass 2 1 1 1))"
             " (torque \"h\" (if (< t 0.005) 3 0)) (torque \"w\" %s))",
             cases[k].push);
    run r = run_begin(text, NULL, &o);
    cardan_report report = {.message = ""};
    const cardan_status status = cardan_run(r.sim, 100, NULL, 0, NULL, &report);
    if (status != cases[k].right) {
      fail_msg("%s, %s: %d %s", methods[i / COUNT(cases)], cases[k].push, (int)status,
               report.message);
    }
    run_free(&r);
  }
}

// the angles of a double pendulum after 1 s, driven by a torque from the place where it hangs
static void end_angles(const char *method, const char *torque, double dt, double *q)
{
  char text[512];
  cardan_options o = run_options(method, dt, 1);
  if (strcmp(method, "aba:dop853") == 0) {
    o.rtol = 1e-12;
  }
  snprintf(text, sizeof text,
           "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1 .1 .1 .1) (ry \"b\" (tz -1 (mass 1"
           " .1 .1 .1))))) (torque \"a\" (+ (* 3 (sin (* 5 t))) %s)))",
           torque);
  run r = run_whole(text, NULL, &o);
  q[0] = run_q(&r, "a");
  q[1] = run_q(&r, "b");
  run_free(&r);
}

// the velocities of half-implicit are those of the middles of steps, rattle has half kicks at both
// ends, and rk4 and rk2 have stages that reach a switch before the end of a step does: where pushes
// cut steps into unequal parts they are of order 2, or more, none the less. The torque is 0 at the
// start, where half-implicit is of order 1
static void steps_of_unequal_length_have_order_two(void **state)
{
  (void)state;
  static const char *const pushes[] = {
      "(if (> t 0.1037) (if (< t 0.2471) (* 20 (cos (* 3 t))) 0) 0)",
      "(if (> t 0.4513) (if (< t 0.4571) 90 (* 5 q.a)) (* 8 (step (- t 0.3111))))",
      "(if (> q.a 0.01) (if (< q.a 0.037) 20 (* -4 q.b)) 0)", "(if (> v.a 0.3) 9 3)"};
  enum { STEPS = 6 };
  static const char *const methods[] = {"half-implicit", "rattle", "aba:rk4", "aba:rk2"};
  for (int i = 0; i < COUNT(methods) * COUNT(pushes); i++) {
    const int k = i / COUNT(methods);
    const char *method = methods[i % COUNT(methods)];
    if (k == 3 && i % COUNT(methods) == 0) {
      continue; // the last one reads velocities, of which half-implicit has means
    }
    double right[2], q[2], error[STEPS];
    end_angles("aba:dop853", pushes[k], 0.01, right);
    for (int j = 0; j < STEPS; j++) {
      end_angles(method, pushes[k], 0.01 / (1 << j), q);
      error[j] = fmax(fabs(q[0] - right[0]), fabs(q[1] - right[1]));
    }
    // a step of a 32nd divides the error by 1024, by 32 with order 1; where cuts lie in a step
    // varies
    if (!(error[0] < 3e-3 && error[STEPS - 1] < error[0] / 300)) {
      fail_msg("%s, %s: %g .. %g", method, pushes[k], error[0], error[STEPS - 1]);
    }
  }
}

// a node that is on either side by rounding: the evaluations of an integrator at the end of the
// step that leads there are on the old side. 10 mm that begin at a node of steps of 10 ms
static void pushes_from_nodes_by_rounding(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi",      "rattle", "half-implicit", "aba:rk2",
                                        "aba:rk4", "baraff", "hamilton"};
  for (int i = 0; i < 40 * COUNT(methods); i++) {
    const double v0 = 0.7 + 0.0371 * (i % 40), begin = 0.01 * (10 + i % 40 / 2) * v0;
    const char *method = methods[i / 40];
    char push[160];
    snprintf(push, sizeof push, "(if (> q.x %.17g) (if (< q.x %.17g) 10 0) 0)", begin,
             begin + 0.01);
    const double v = end_velocity(method, push, v0, 0.01), right = sqrt(v0 * v0 + 0.2);
    if (!(fabs(v - right) <= 1e-7)) {
      fail_msg("%s from %g: %.17g, expected %.17g", method, begin, v, right);
    }
  }
}

// where the push begins at a node, but for rounding, fixed steps have their first evaluation on the
// new side, too
static void pushes_from_nodes_in_the_state(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi",         "svi",        "aba:rk2",
                                        "aba:rk4",    "aba:gauss4", "hamilton:rk4",
                                        "baraff:rk4", "rattle",     "half-implicit"};
  const double right = sqrt(1 + 2 * 100 * 0.004);
  for (int i = 0; i < COUNT(methods); i++) {
    for (double begin = 0.3; begin < 0.6; begin += 0.1) {
      char push[100];
      snprintf(push, sizeof push, "(if (> q.x %g) (if (< q.x %g) 100 0) 0)", begin, begin + 0.004);
      const double v = end_velocity(methods[i], push, 1, 0.01);
      if (!(fabs(v - right) <= 1e-7)) {
        fail_msg("%s from %g: %.17g, expected %.17g", methods[i], begin, v, right);
      }
    }
  }
}

// pushes that begin at a node, or within a step that integrators interpolate from evaluations of
// both sides; the pushes are too short for a step
static void adaptive_integrators_find_pushes(void **state)
{
  (void)state;
  static const char *const methods[] = {"aba:rkf45",    "aba:dopri5", "aba:ode45",
                                        "aba:dop853",   "aba:adams",  "hamilton:dop853",
                                        "baraff:dopri5"};
  static const double begins[] = {0.5, 0.4, 0.499, 0.4967, 0.5071}, forces[] = {100, -50};
  for (int i = 0; i < COUNT(methods) * COUNT(begins) * COUNT(forces); i++) {
    const char *method = methods[i % COUNT(methods)];
    const double begin = begins[i / COUNT(methods) % COUNT(begins)];
    const double force = forces[i / (COUNT(methods) * COUNT(begins))];
    const double right = sqrt(1 + 2 * force * 0.004);
    char push[100];
    snprintf(push, sizeof push, "(if (> q.x %g) (if (< q.x %g) %g 0) 0)", begin, begin + 0.004,
             force);
    const double v = end_velocity(method, push, 1, 0.01);
    if (!(fabs(v - right) <= 1e-6)) { // 100 times the tolerance of the integrators
      fail_msg("%s from %g: %.17g, expected %.17g", method, begin, v, right);
    }
  }
}

// orders 4 and 6: stages behind the change pull the end of a step back, or have no solution
static void higher_orders_find_pushes(void **state)
{
  (void)state;
  static const struct {
    double begin, length, force, v0;
  } cases[] = {{0.584406808648, 0.004, 78.47062485581719, 1.9426954740290967},
               {0.4, 0.026394646501511822, 147.74662533172534, 1.0095673695973397},
               {0.43613205629187746, 0.04972098863199459, 179.46739953994359, 1},
               {0.43586107738, 0.004, 141.66619321549487, 1},
               {0.56830576653217257, 0.004, -75.42300990654411, 0.9},
               {0.49839637892, 0.004, 193.69846073285402, 0.8348200381485028}};
  for (int i = 0; i < 4 * COUNT(cases); i++) {
    const int k = i / 4;
    const double right = sqrt(cases[k].v0 * cases[k].v0 + 2 * cases[k].force * cases[k].length);
    char text[400];
    cardan_options o = run_options(i % 2 > 0 ? "vi" : "svi", 0.01, 1);
    o.order = i % 4 < 2 ? 4 : 6;
    snprintf(text, sizeof text,
             "(system (tx \"x\" (mass 1 .1 .1 .1)) (initial (\"x\" 0 %.17g))"
             " (torque \"x\" (if (> q.x %.17g) (if (< q.x %.17g) %.17g 0) 0)))",
             cases[k].v0, cases[k].begin, cases[k].begin + cases[k].length, cases[k].force);
    run r = run_whole(text, NULL, &o);
    if (!(fabs(run_v(&r, "x") - right) <= 1e-5)) { // 200 N for 1e-7 dt, some times
      fail_msg("order %d, case %d: %.17g, expected %.17g", o.order, k, run_v(&r, "x"), right);
    }
    run_free(&r);
  }
}

// pushes that slow the mass down so much that it would come back within the step, if they did not
// end before: the switch at their end changes to and fro
static void pushes_that_end_before_the_motion_returns(void **state)
{
  (void)state;
  static const struct {
    double begin, length, force, v0;
  } cases[] = {{0.2, 0.0010129346255464, -900.66812, 1.81593},
               {0.56830576653217257, 0.004, -75.42300990654411, 0.818256},
               {0.26506716523509483, 0.004, -72.69897145412199, 0.817438}};
  static const char *const methods[] = {"vi",         "svi",    "aba:rk4",
                                        "aba:dop853", "rattle", "half-implicit"};
  for (int i = 0; i < COUNT(cases) * COUNT(methods); i++) {
    const int k = i / COUNT(methods);
    const double right = sqrt(cases[k].v0 * cases[k].v0 + 2 * cases[k].force * cases[k].length);
    char push[200];
    snprintf(push, sizeof push, "(if (> q.x %.17g) (if (< q.x %.17g) %.17g 0) 0)", cases[k].begin,
             cases[k].begin + cases[k].length, cases[k].force);
    const double v = end_velocity(methods[i % COUNT(methods)], push, cases[k].v0, 0.01);
    if (!(fabs(v - right) <= 1e-6)) { // that of integrators with tolerances, slowed down
      fail_msg("%s, %s: %.17g, expected %.17g", methods[i % COUNT(methods)], push, v, right);
    }
  }
}

static uint64_t hash(const char *method, const char *torque)
{
  char text[512];
  uint64_t h = 0;
  const cardan_options o = run_options(method, 0.01, 1);
  snprintf(text, sizeof text,
           "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1 .1 .1 .1) (ry \"b\" (tz -1 (mass 1"
           " .1 .1 .1))))) (torque \"a\" %s) (initial (\"a\" 1 0)))",
           torque);
  cardan_model *model = load_model(text, NULL);
  expect_ok(run_hash(model, &o, 60, &h), NULL, method);
  cardan_model_destroy(model);
  return h;
}

/* Integrators whose steps continue beyond a node end at it where a comparison of the state is
 * located. */
static bool goes_beyond_nodes(const char *method)
{
  return strstr(method, ":ode45") != NULL || strstr(method, ":dop853") != NULL ||
         strstr(method, ":adams") != NULL;
}

// nothing switches: the same bits as without a comparison
static void runs_without_a_switch_keep_their_bits(void **state)
{
  (void)state;
  const char *method;
  for (int i = 0; (method = run_method(i)) != NULL; i++) {
    const uint64_t plain = hash(method, "(* -0.3 (sin q.a))");
    if (hash(method, "(if (< t 77) (* -0.3 (sin q.a)) 5)") != plain ||
        (!goes_beyond_nodes(method) &&
         hash(method, "(if (< q.a 77) (* -0.3 (sin q.a)) 5)") != plain)) {
      fail_msg("%s: other bits", method);
    }
  }
}

// a force that pushes back across its switch is not cut without end, and the warning names it
static void what_is_not_located_is_said(void **state)
{
  (void)state;
  static const char friction[] = "(system (tx \"x\" (mass 1 .1 .1 .1) )\n"
                                 "(torque \"x\" (if (> v.x 0) -1 1)) (initial (\"x\" 0 0.9973)))";
  static const char *const methods[] = {"aba:euler", "aba:semi-implicit", "half-implicit"};
  for (int i = 0; i < COUNT(methods); i++) {
    const cardan_options o = run_options(methods[i], 0.01, 3);
    run r = run_begin(friction, NULL, &o);
    expect_ok(cardan_run(r.sim, 300, NULL, 0, NULL, NULL), NULL, methods[i]);
    assert_true(fabs(run_v(&r, "x")) <= 0.011);
    const char *said = cardan_sim_warning(r.sim);
    if (strstr(said, "again and again") == NULL || strstr(said, "line 2") == NULL) {
      fail_msg("%s: %s", methods[i], said);
    }
    run_free(&r);
  }
  const cardan_options o = run_options("aba:bdf", 0.01, 1);
  run r = run_begin("(system (tx \"x\" (mass 1 .1 .1 .1))\n (torque \"x\" (step (- q.x 0.303)))"
                    " (initial (\"x\" 0 1)))",
                    NULL, &o);
  expect_ok(cardan_run(r.sim, 50, NULL, 0, NULL, NULL), NULL, "bdf");
  assert_non_null(strstr(cardan_sim_warning(r.sim), "none is located by aba/bdf"));
  run_free(&r);
}

// where no step continues from a switch at which a force holds the motion, the message says which
// force it is, and what to write instead
static void a_force_that_holds_at_its_switch_is_named(void **state)
{
  (void)state;
  static const char friction[] = "(system (tx \"x\" (mass 2 .1 .1 .1))\n"
                                 "(torque \"x\" (if (> v.x 0) -4 4)) (initial (\"x\" 0 0.987)))";
  static const char *const methods[] = {"vi", "svi", "aba:bdf"};
  for (int i = 0; i < COUNT(methods); i++) {
    const cardan_options o = run_options(methods[i], 0.01, 1);
    cardan_report report = {.message = ""};
    run r = run_begin(friction, NULL, &o);
    assert_int_equal(cardan_run(r.sim, 100, NULL, 0, NULL, &report), CARDAN_ERR_NO_CONVERGENCE);
    if (strstr(report.message, "line 2") == NULL ||
        strstr(report.message, "(dry-friction \"x\" N)") == NULL) {
      fail_msg("%s: %s", methods[i], report.message);
    }
    run_free(&r);
  }
}

// a saved run continues to the same bits, in the middle of what rests as well
static void saved_runs_continue(void **state)
{
  (void)state;
  static char bytes[1 << 16];
  static const char text[] =
      "(system (tx \"x\" (mass 1 .1 .1 .1)) (torque \"x\" (+ (if (> v.x 0) -1 1)"
      " (if (> t 0.503) (if (< t 0.507) 100 0) 0))) (initial (\"x\" 0 0.3)))";
  const cardan_options o = run_options("rattle", 0.01, 2);
  run a = run_begin(text, NULL, &o), b = run_begin(text, NULL, &o);
  run_steps(&a, 45);
  assert_true(cardan_sim_snapshot_size(a.sim) <= sizeof bytes);
  expect_ok(cardan_sim_snapshot_save(a.sim, bytes, sizeof bytes, NULL), NULL, "save");
  expect_ok(cardan_sim_snapshot_load(b.sim, bytes, sizeof bytes, NULL), NULL, "load");
  run_steps(&a, 60);
  run_steps(&b, 60);
  assert_memory_equal(cardan_sim_data(a.sim)->q, cardan_sim_data(b.sim)->q, sizeof(double));
  assert_memory_equal(cardan_sim_data(a.sim)->v, cardan_sim_data(b.sim)->v, sizeof(double));
  run_free(&a);
  run_free(&b);
}

static double above(void *user, int k, const cardan_data *data)
{
  (void)user, (void)k;
  return data->q[0] - 0.5065;
}

static cardan_status note_time(void *user, int k, cardan_sim *sim, cardan_report *report)
{
  (void)k, (void)report;
  *(double *)user = cardan_sim_data(sim)->t;
  return CARDAN_OK;
}

// a program's event within a step that switches cut, too: beside states, whose steps are kept
static void events_beside_switches_are_found(void **state)
{
  (void)state;
  double t = 0;
  const cardan_options o = run_options("rattle", 0.01, 1);
  run r = run_begin("(system (tx \"x\" (mass 1 .1 .1 .1)) (state \"s\" (derivative v.x))"
                    " (torque \"x\" (* 0 (step (- q.x 0.5031)))) (initial (\"x\" 0 1)))",
                    NULL, &o);
  const cardan_hooks hooks = {.user = &t, .nevent = 1, .event = above, .at_event = note_time};
  expect_ok(cardan_sim_hook(r.sim, &hooks, NULL), NULL, "hook");
  run_steps(&r, 60);
  assert_near(t, 0.5065, 1e-12);
  assert_near(run_q(&r, "x"), 0.6, 1e-12);
  run_free(&r);
}

// a step that was cut and failed behind the cut stands where it began
static void a_failed_step_is_as_before(void **state)
{
  (void)state;
  static const char *const torques[] = {"(if (< t 0.103) 0 (sqrt (- 0.104 t)))",
                                        "(if (< q.x 0.103) 0 (sqrt (- 0.104 q.x)))"};
  for (int i = 0; i < COUNT(torques); i++) {
    char text[512];
    cardan_report report = {.message = ""};
    snprintf(text, sizeof text,
             "(system (tx \"x\" (mass 1 .1 .1 .1)) (torque \"x\" %s) (initial (\"x\" 0 1)))",
             torques[i]);
    const cardan_options o = run_options("aba:rk4", 0.01, 1);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 10);
    const double t = r.data->t, q = r.data->q[0];
    assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_NOT_FINITE);
    assert_true(r.data->t == t && r.data->q[0] == q);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_pushes_in_time_are_exact),
      cmocka_unit_test(pushes_between_nodes_are_exact),
      cmocka_unit_test(short_pushes_in_the_state_are_found),
      cmocka_unit_test(pushes_that_end_on_nodes),
      cmocka_unit_test(a_push_is_no_motion_that_blew_up),
      cmocka_unit_test(steps_of_unequal_length_have_order_two),
      cmocka_unit_test(pushes_from_nodes_by_rounding),
      cmocka_unit_test(pushes_from_nodes_in_the_state),
      cmocka_unit_test(adaptive_integrators_find_pushes),
      cmocka_unit_test(higher_orders_find_pushes),
      cmocka_unit_test(pushes_that_end_before_the_motion_returns),
      cmocka_unit_test(runs_without_a_switch_keep_their_bits),
      cmocka_unit_test(what_is_not_located_is_said),
      cmocka_unit_test(a_force_that_holds_at_its_switch_is_named),
      cmocka_unit_test(saved_runs_continue),
      cmocka_unit_test(a_failed_step_is_as_before),
      cmocka_unit_test(events_beside_switches_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
