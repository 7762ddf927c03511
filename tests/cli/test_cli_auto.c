// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "json_read.h"
#include "shell.h"

/* cardan run --method auto: what was chosen is reported, and a result holds it. */

// the result of a choice runs again without it, to the same bytes but for the note on it; rows are
// where they were requested, also where steps are smaller
static void result_reproduces(void **state)
{
  char keys[512];
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN run chain:3 --time 0.2 --dt 0.05 --method auto "
                                    "--accuracy 1e-6 --out a.h5 --json");
  assert_true(json_valid(o.out));
  json_keys(json_find(o.out, "auto"), keys, sizeof keys);
  assert_string_equal(keys, "accuracy error cost spent trial chosen tries");
  const double error = strtod(json_find(o.out, "auto.error"), NULL);
  assert_true(error > 0 && error <= 1e-6);
  shell_expect(0,
               "$CARDAN run a.h5 --quiet --out b.csv && $CARDAN run chain:3 --time 0.2 --dt 0.05 "
               "--method auto --accuracy 1e-6 --quiet --out a.csv && cmp a.csv b.csv");
  const outcome twice =
      shell_expect(0, "$CARDAN run chain:3 --time 0.2 --dt 0.05 --method auto --accuracy 1e-6 "
                      "--quiet --out c.h5 && cmp a.h5 c.h5");
  assert_string_equal(twice.err, "");
  // a ball on a floor: only fixed steps, shorter than rows
  shell_write("ball.mbs", "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"g\") (solid plane))"
                          " (place (0 0 0.3) (ry \"a\" (tx 0.3 (mass 1 .01 .01 .01)"
                          "  (ry \"b\" (tx 0.2 (mass 1 .01 .01 .01) (solid sphere 0.05))))))"
                          " (contact all (friction 0.3) (restitution 0.3)))");
  const outcome ball = shell_expect(0, "$CARDAN run ball.mbs --time 0.3 --dt 0.02 --method auto "
                                       "--accuracy 1e-2 --out c.csv");
  assert_non_null(strstr(ball.out, "  chosen        vi of order "));
  assert_non_null(strstr(ball.out, "  tried         "));
  assert_non_null(strstr(ball.out, "  table         16 rows in c.csv"));
}

// a batch is chosen for by the model as it is
static void batches(void **state)
{
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN batch chain:3 --time 0.2 --dt 0.05 --count 2 "
                                    "--method auto --accuracy 1e-4 --json");
  assert_true(json_valid(o.out));
  assert_non_null(json_find(o.out, "auto.cost"));
}

static void refusals(void **state)
{
  (void)state;
  shell_refused(1, "$CARDAN run pendulum --method auto", "expected that too");
  shell_refused(1, "$CARDAN run pendulum --accuracy 1e-3", "--method auto");
  shell_refused(1, "$CARDAN run pendulum --method auto --accuracy 0", "a number above 0");
  shell_refused(1, "$CARDAN run pendulum --method auto --accuracy nan", "a number above 0");
  shell_refused(1, "$CARDAN run pendulum --method auto --accuracy 1e-3x", "a number above 0");
  shell_refused(1, "$CARDAN run pendulum --method auto --accuracy 1e-3 --rtol 1e-3",
                "--rtol is not an option of every method");
  shell_refused(1, "$CARDAN run pendulum --method auto --accuracy 1e-3 --time 0",
                "expected an accuracy above 0 and a row");
  shell_refused(1, "$CARDAN linearize pendulum --method auto", "method is \"auto\"");
  shell_refused(3, "$CARDAN run pendulum --time 0.01 --method auto --accuracy 1e-18",
                "nothing reaches an accuracy of 1e-18");
  // of two the last counts
  shell_expect(0, "$CARDAN run pendulum --time 0.1 --method auto --method vi --quiet");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(result_reproduces),
      cmocka_unit_test(batches),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
