// SPDX-License-Identifier: Apache-2.0
// Forces that a program computes in every evaluation, against the same written as expressions: the
// same motion by every method.
#include <math.h>
#include <string.h>

#include "cardan/linearize.h"
#include "run.h"

/* A double pendulum with quadratic drag in its joints, and a world force on the tip that grows. */
#define PENDULUM                                                                           \
  "(system (gravity 0 0 -9.81) (rx \"a\" (mass 1 0.1 0.1 0.1) (tz -1 (mass 1 0.2 0.3 0.1)" \
  " (rx \"b\" (tz -0.5 (name \"tip\") (mass 2 0.1 0.1 0.1)))))"                            \
  " (initial (\"a\" 0.5) (\"b\" 0.2 1)) "
static const char written[] =
    PENDULUM "(torque \"a\" (* -0.3 v.a (abs v.a))) (torque \"b\" (* -0.3 v.b (abs v.b)))"
             "(wrench world \"tip\" (0 (* 2 t) 0) (0 0 0)))";
static const char by_program[] = PENDULUM "(program \"drag\"))";

static void drag(void *user, const cardan_instant *at, cardan_force *f, double *tau)
{
  const cardan_frame *tip = &at->model->frame[*(const int *)user];
  const cardan_mat3 *R = &at->X_W[tip->body].R;
  const cardan_vec3 p = tip->X_BF.p;
  const double push = 2 * at->t; // along y of the world; to body axes, then its moment
  const cardan_vec3 g = {R->m[1][0] * push, R->m[1][1] * push, R->m[1][2] * push};
  cardan_force *w = &f[tip->body];
  w->f = (cardan_vec3){w->f.x + g.x, w->f.y + g.y, w->f.z + g.z};
  w->t = (cardan_vec3){w->t.x + p.y * g.z - p.z * g.y, w->t.y + p.z * g.x - p.x * g.z,
                       w->t.z + p.x * g.y - p.y * g.x};
  for (int k = 0; k < at->model->nv; k++) {
    tau[k] -= 0.3 * at->v[k] * fabs(at->v[k]);
  }
}

static void check_method(const char *method)
{
  const cardan_options o = run_options(method, 0.002, 1);
  run r = run_load(by_program, NULL, &o);
  int tip = cardan_model_frame(r.model, "tip");
  const cardan_program program = {&tip, drag};
  r.data->program = &program;
  run_start(&r);
  run_steps(&r, 500);
  run w = run_whole(written, NULL, &o);
  const double scale = fabs(run_q(&w, "a")) + fabs(run_q(&w, "b")) + 1;
  print_message("%-14s %.1e rad apart\n", method, fabs(run_q(&r, "b") - run_q(&w, "b")));
  // both solve the same equations to the tolerance of their iterations
  assert_near(run_q(&r, "a"), run_q(&w, "a"), 1e-10 * scale);
  assert_near(run_q(&r, "b"), run_q(&w, "b"), 1e-10 * scale);
  assert_near(run_column(&r, CARDAN_ADD_WORK, "work"), run_column(&w, CARDAN_ADD_WORK, "work"),
              1e-8);
  run_free(&w);
  run_free(&r);
}

static void test_methods(void **state)
{
  static const char *const methods[] = {"vi",           "svi",    "aba:rk4",       "aba:dopri5",
                                        "hamilton:rk4", "rattle", "half-implicit", "fully-implicit",
                                        "baraff:rk4"};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    check_method(methods[i]);
  }
}

static void test_refused(void **state)
{
  const cardan_options o = run_options("vi", 0.01, 1);
  cardan_report report = {.message = ""};
  cardan_linearization *linear = NULL;
  run r = run_load(by_program, NULL, &o);
  int tip = cardan_model_frame(r.model, "tip");
  const cardan_program program = {&tip, drag};
  (void)state;
  assert_int_equal(cardan_sim_start(r.sim, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "program"));
  r.data->program = &program;
  run_start(&r);
  assert_int_equal(cardan_linearize(r.sim, NULL, &linear, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "program"));
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
