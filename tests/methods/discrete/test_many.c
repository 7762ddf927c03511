// SPDX-License-Identifier: Apache-2.0
// Many loops: the directions without matrices lead to the roots that those with matrices find.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loops.h"
#include "methods/discrete/discrete.h"
#include "run.h"
#include "run/sim.h"

/* Does a run go by the sparse factorisation? */
static bool is_sparse(const run *r)
{
  return ((const cardan__discrete *)r->sim->stepper)->border.P != NULL;
}

/* The same motion both ways, and no more evaluations: with options as they are, which is sparse,
 * and with one that has a matrix. tol: roots are good to 1e-12 of the momenta in play, and their
 * errors go into every later step. */
static void expect_same(const char *model, const char *method, const char *option,
                        const char *value, double dt, int steps, double tol)
{
  cardan_options sparse = run_options(method, dt, 0), dense = sparse;
  cardan_report report;
  assert_int_equal(cardan_options_set(&dense, option, value, &report), CARDAN_OK);
  run a = run_begin(model, NULL, &sparse), b = run_begin(model, NULL, &dense);
  assert_true(is_sparse(&a));
  assert_false(is_sparse(&b));
  run_steps(&a, steps);
  run_steps(&b, steps);
  assert_near_vec(a.data->q, b.data->q, a.model->nq, tol);
  const cardan_stats sa = cardan_sim_stats(a.sim), sb = cardan_sim_stats(b.sim);
  assert_true(sa.iterations_mean <= sb.iterations_mean + 0.5);
  run_free(&a);
  run_free(&b);
}

static void ladders(void **state)
{
  (void)state;
  expect_same("ladder:30", "vi", "solver", "newton-dense", 0.002, 50, 1e-9);
  expect_same("grid:6", "vi", "solver", "newton-dense", 0.002, 50, 1e-9);
  expect_same("ladder:30", "svi", "eval", "tree", 0.002, 20, 1e-9);
}

// far from the start, where the bars of a lift are steep and multipliers large
static void lifts(void **state)
{
  (void)state;
  expect_same("scissor:25", "vi", "solver", "newton-dense", 0.001, 100, 1e-9);
  expect_same("scissor:25", "svi", "eval", "tree", 0.001, 100, 1e-9);
}

/* A ladder's text with something more in it, before its start. */
static char *with_items(const char *name, const char *items)
{
  char *text = NULL;
  size_t length;
  assert_int_equal(cardan_load_text(name, NULL, &text, &length, NULL), CARDAN_OK);
  const char *initial = strstr(text, "(initial");
  char *out = calloc(length + strlen(items) + 1, 1);
  assert_true(out != NULL && initial != NULL);
  sprintf(out, "%.*s%s%s", (int)(initial - text), text, items, initial);
  cardan_free_text(NULL, text);
  return out;
}

// forces that couple coordinates, potentials, a driver, and rows on coordinates alone
static void driven_and_damped(void **state)
{
  (void)state;
  char *text = with_items("ladder:30", "(motion \"v0.1\" (* (deg 10) (cos (* 3 t))))"
                                       "(damper \"v0.5.end\" \"v1.9.end\" 20) (damping 0.3)"
                                       "(spring \"v0.3.end\" \"v1.7.end\" 50 1)"
                                       "(equation (- (+ q.v0.4 q.v0.5) q.v0.6 (* -6 a)))");
  expect_same(text, "vi", "solver", "newton-dense", 0.002, 50, 1e-9);
  expect_same(text, "svi", "eval", "tree", 0.002, 20, 1e-9);
  free(text);
}

static void redundant_rows(void **state)
{
  (void)state;
  char *text = loops_fourbars_text(12);
  cardan_model *model = load_model(text, NULL);
  assert_int_equal(model->nrow - model->rank, 36);
  cardan_model_destroy(model);
  expect_same(text, "vi", "solver", "newton-dense", 0.002, 50, 1e-9);
  expect_same(text, "svi", "eval", "tree", 0.002, 20, 1e-9);
  free(text);
}

// at rest, all posts of a ladder along its rungs: either way is one, and rounding must not choose
static void no_way_to_go(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi", "svi"};
  for (int i = 0; i < 2; i++) {
    const cardan_options options = run_options(methods[i], 0.001, 0);
    run r = run_begin("ladder:25", "a=1.5707963267948966", &options);
    cardan_report report = {.message = ""};
    assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_SINGULAR);
    assert_non_null(strstr(report.message, "singular position at t = 0 s"));
    run_free(&r);
  }
}

// parallelograms that turn through their flat position stay parallelograms: with redundant rows,
// and others lost for a moment, each method keeps the branch
static void flat_positions(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi", "svi", "aba", "hamilton"};
  static const char speeds[] = "(\"a0\" 0 12) (\"b0\" 0 -12) (\"d0\" 0 12)))";
  char *text = loops_fourbars_text(8);
  memcpy(strrchr(text, '(') + strlen("(\"spin\" 0 1)"), speeds, sizeof speeds);
  for (int i = 0; i < 4; i++) {
    const cardan_options options = run_options(methods[i], 0.002, 0);
    run r = run_begin(text, NULL, &options);
    run_steps(&r, 200);
    assert_true(fabs(run_q(&r, "a0")) > 4); // past pi / 2, where it is flat
    assert_near(run_q(&r, "a0") + run_q(&r, "b0"), 0, 1e-9);
    assert_near(run_q(&r, "a0") - run_q(&r, "d0"), 0, 1e-9);
    run_free(&r);
  }
  free(text);
}

// a step takes no memory
static void no_memory(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  static const char *const methods[] = {"vi", "svi", "aba", "hamilton"};
  for (int i = 0; i < 4; i++) {
    const cardan_options options = run_options(methods[i], 0.002, 0);
    run r = run_begin("ladder:30", NULL, &options);
    run_steps(&r, 2);
    const long before = support_alloc_count();
    run_steps(&r, 5);
    assert_int_equal(support_alloc_count(), before);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ladders),           cmocka_unit_test(lifts),
      cmocka_unit_test(driven_and_damped), cmocka_unit_test(redundant_rows),
      cmocka_unit_test(no_way_to_go),      cmocka_unit_test(flat_positions),
      cmocka_unit_test(no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
