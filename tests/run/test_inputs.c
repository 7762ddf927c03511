// SPDX-License-Identifier: Apache-2.0
// Inputs (u, tau_in, f_in) are held over a step by every method and integrator, and their work
// counts.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

static bool is_one_of(const char *word, const char *const *words)
{
  for (; *words; words++) {
    if (strcmp(word, *words) == 0) {
      return true;
    }
  }
  return false;
}

/* A force that is another one in every fourth step, and now and then for a single one [N]. */
static double force_of(int step)
{
  return 3 * sin(7 * (step / 4)) + (step % 11 == 5 ? 2 : 0);
}

/* 1 kg on a slider, pushed by an input or by tau_in. */
static const char slider[] = "(system (input \"f\") (tx \"s\" (mass 1 1 1 1)) (torque \"s\" u.f))";
static const char plain_slider[] = "(system (tx \"s\" (mass 1 1 1 1)))";

typedef struct {
  double x, v;
} place;

/* The closed form over one step. A method of order 1 has its own: with the velocity at the step's
 * start, or at its end. */
static place closed_form(const char *method, place at, double F, double h)
{
  static const char *const start[] = {"aba:euler", "hamilton:euler", "baraff:euler", NULL};
  static const char *const end[] = {"half-implicit",        "fully-implicit",
                                    "aba:semi-implicit",    "hamilton:semi-implicit",
                                    "baraff:semi-implicit", NULL};
  const place next = {.v = at.v + h * F};
  const double mean = is_one_of(method, start) ? at.v
                      : is_one_of(method, end) ? next.v
                                               : 0.5 * (at.v + next.v);
  return (place){at.x + h * mean, next.v};
}

// multistep integrators start again 60 times in 10 s, each time with an error of velocity of some
// 1e-12; all others only round
static void slide(const char *method, int order, bool by_input)
{
  enum { N = 200 };
  const double h = 0.05, tol = 1e-9;
  cardan_options options = run_options(method, h, N * h);
  options.order = order > 0 ? order : options.order;
  run r = run_begin(by_input ? slider : plain_slider, NULL, &options);
  place at = {0, 0};
  for (int i = 0; i < N; i++) {
    const double F = force_of(i);
    *(by_input ? r.data->u : r.data->tau_in) = F;
    run_steps(&r, 1);
    at = closed_form(method, at, F, h);
    if (!(fabs(r.data->q[0] - at.x) < tol && fabs(run_v(&r, "s") - at.v) < tol)) {
      fail_msg("%s, order %d, step %d: x is off by %g, v by %g", method, order, i + 1,
               r.data->q[0] - at.x, r.data->v[0] - at.v);
    }
  }
  run_free(&r);
}

static void every_method_holds_inputs(void **state)
{
  (void)state;
  for (int i = 0; run_method(i) != NULL; i++) {
    slide(run_method(i), 0, false);
    slide(run_method(i), 0, true);
  }
  slide("vi", 4, true);
  slide("vi", 6, false);
}

static const char arm[] =
    "(system (gravity 0 0 -9.81) (ry \"a\" (tx 0.5 (mass 1 0.1 0.1 0.1)) (tx 1 (rx \"b\" (rz \"c\""
    " (tx 0.5 (mass 1 0.1 0.2 0.2)))))) (initial (\"a\" 0.3 1) (\"b\" 0.1 2) (\"c\" 0.5)))";

/* Forces on joints and on the last body, others every eighth of a second. */
static void push(run *r, int i, double h)
{
  const int k = (int)(8 * (i + 0.5) * h);
  r->data->tau_in[0] = 5 * sin(3 * k);
  r->data->tau_in[2] = 0.3 * cos(5 * k);
  r->data->f_in[r->model->nbody - 1] = (cardan_force){{0.2, 0.1 * k, 0}, {1, 2, 3 * cos(k)}};
}

static double imbalance(const char *method, double h, double *work)
{
  const cardan_options options = run_options(method, h, 1);
  run r = run_begin(arm, NULL, &options);
  for (int i = 0; i < (int)(1 / h + 0.5); i++) {
    push(&r, i, h);
    run_steps(&r, 1);
  }
  *work = run_column(&r, CARDAN_ADD_WORK, "work");
  const double balance = run_column(&r, CARDAN_ADD_WORK, "balance");
  run_free(&r);
  return fabs(balance);
}

/* A model in which nothing does work but the caller's forces: the balance is the method's own
 * error, of its order in h; of adaptive integrators (rtol 1e-12) with some hundred local errors. */
static void the_callers_forces_do_work(void **state)
{
  static const char *const adaptive[] = {":rkf45", ":dopri5", ":ode45", ":dop853",
                                         ":adams", ":bdf",    NULL};
  double exact, work;
  (void)state;
  imbalance("aba:dopri5", 1.0 / 64, &exact);
  for (int i = 0; run_method(i) != NULL; i++) {
    const char *method = run_method(i), *integrator = strchr(method, ':');
    const double h = 1.0 / 128, b = imbalance(method, h, &work), error = fabs(work - exact);
    if (integrator != NULL && is_one_of(integrator, adaptive)) {
      assert_true(b < 1e-8 && error < 1e-8);
      continue;
    }
    double work2;
    const double b2 = imbalance(method, h / 2, &work2), error2 = fabs(work2 - exact);
    if (!(b2 < 0.75 * b && error2 < 0.6 * error)) {
      fail_msg("%s: balance %g, then %g; error of the work %g, then %g", method, b, b2, error,
               error2);
    }
  }
}

/* Inputs change between the save and the next step: the run that continues has to see it. */
static void a_saved_run_sees_a_change(void **state)
{
  const cardan_options options = run_options("aba:ode45", 0.01, 1);
  (void)state;
  run r = run_begin(arm, NULL, &options), other = run_load(arm, NULL, &options);
  r.data->tau_in[0] = 1;
  run_steps(&r, 20);
  r.data->tau_in[0] = -1;
  static char bytes[1 << 16];
  const size_t size = cardan_sim_snapshot_size(r.sim);
  cardan_report report = {.message = ""};
  assert_true(size <= sizeof bytes);
  expect_ok(cardan_sim_snapshot_save(r.sim, bytes, size, &report), &report, "save");
  expect_ok(cardan_sim_snapshot_load(other.sim, bytes, size, &report), &report, "restore");
  run_steps(&r, 20);
  run_steps(&other, 20);
  assert_near_vec(r.data->q, cardan_sim_data(other.sim)->q, r.model->nq, 0);
  run_free(&r);
  run_free(&other);
}

/* Two links on servos; forces is what moves them. */
static run servo_arm(const char *method, const char *forces)
{
  char text[1024];
  const cardan_options options = run_options(method, 0.005, 1);
  snprintf(text, sizeof text,
           "(system (gravity 0 0 -9.81) (input \"a\" 0.5 (limit -1 1)) (input \"b\")"
           " (ry \"p\" (tz -0.3 (mass 1 0.02 0.02 0.02)) (tz -0.5 (rx \"q\""
           " (tz -0.2 (mass 0.5 0.01 0.01 0.01))))) %s)",
           forces);
  return run_begin(text, NULL, &options);
}

// the same force, summed in another order: rounding, which a swing of 1 s lets grow
static void an_actuator_moves_as_its_expression(void **state)
{
  static const char *const methods[] = {
      "vi",           "svi",        "aba:rk4",       "aba:ode45",      "aba:bdf",
      "hamilton:rk4", "baraff:rk4", "half-implicit", "fully-implicit", "rattle"};
  (void)state;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    run r = servo_arm(methods[m], "(actuator \"s\" \"p\" \"a\" (gear 2) (servo 20 1) (limit -9 8))"
                                  "(actuator \"m\" \"q\" \"b\" (gear -1.5))");
    run e = servo_arm(methods[m],
                      "(torque \"p\" (* 2 (max -9 (min 8 (- (* 20 (- u.a (* 2 q.p))) (* 2 v.p))))))"
                      "(torque \"q\" (* -1.5 u.b))");
    const double tol = strcmp(methods[m], "aba:bdf") == 0 ? 1e-9 : 1e-11;
    for (int i = 0; i < 200; i++) {
      r.data->u[0] = e.data->u[0] = i % 50 < 25 ? 3 : -0.7;
      r.data->u[1] = e.data->u[1] = 0.5 * sin(0.1 * i);
      run_steps(&r, 1);
      run_steps(&e, 1);
    }
    for (int k = 0; k < 2; k++) {
      if (!(fabs(r.data->q[k] - e.data->q[k]) < tol)) {
        fail_msg("%s: coordinate %d differs by %g", methods[m], k, r.data->q[k] - e.data->q[k]);
      }
    }
    run_free(&r);
    run_free(&e);
  }
}

// also where a joint takes it up, and the motion would be as without it
static void a_force_that_is_no_number_is_refused(void **state)
{
  static const char *const methods[] = {"vi", "svi", "aba", "hamilton"};
  (void)state;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    for (int k = 0; k < 18; k++) {
      cardan_options options = cardan_options_defaults();
      options.method = methods[m];
      options.dt = 0.01;
      run r = run_begin("chain:3", NULL, &options);
      double *f = &r.data->f_in[1 + k / 6].t.x;
      run_steps(&r, 2);
      f[k % 6] = k % 2 == 0 ? INFINITY : NAN;
      for (int again = 0; again < 2; again++) {
        assert_int_equal(cardan_sim_step(r.sim, NULL), CARDAN_ERR_NOT_FINITE);
      }
      f[k % 6] = 0;
      run_steps(&r, 1);
      run_free(&r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_holds_inputs),
      cmocka_unit_test(the_callers_forces_do_work),
      cmocka_unit_test(a_saved_run_sees_a_change),
      cmocka_unit_test(an_actuator_moves_as_its_expression),
      cmocka_unit_test(a_force_that_is_no_number_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
