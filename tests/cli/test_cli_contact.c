// SPDX-License-Identifier: Apache-2.0
// Models in which things touch, on the command line: what is refused, with which status, and that
// nothing is left of it; what the summary says once.
#include <stdio.h>
#include <string.h>

#include "shell.h"

#define FLOOR "(system (gravity 0 0 -10)\n(place (0 0 0) (name \"floor\") (solid plane))\n"
#define BALL "(joint free \"ball\" (mass 1 1 1 1) (solid sphere 0.1))\n"

/* No table, whole or in part. */
static void nothing_written(void)
{
  shell_expect(0, "test -z \"$(ls -A | grep -E 'csv|h5|tmp')\"");
}

static void bad_starts(void **state)
{
  (void)state;
  shell_write("deep.mbs", FLOOR BALL "(contact all))");
  const char *const text = "deep.mbs:4:1: \"ball\" and \"floor\" overlap at the start by 0.1 m: "
                           "move \"ball\" by (0 0 0.1)";
  shell_refused(2, "$CARDAN run deep.mbs --out a.csv", text);
  shell_refused(2, "$CARDAN check deep.mbs", text);
  shell_expect(0, "$CARDAN run deep.mbs --init q.ball.z=0.1 --time 0.1 --quiet");
  shell_expect(0, "$CARDAN run deep.mbs --contacts off --time 0.1 --quiet");
  shell_write("knee.mbs", "(system (joint revolute \"knee\" (limit 1 2) (mass 1 1 1 1))"
                          " (initial (\"knee\" 0.5)))");
  shell_refused(2, "$CARDAN run knee.mbs --out a.h5", "joint \"knee\" at 0.5, outside its limits");
  shell_refused(2, "$CARDAN check knee.mbs", "joint \"knee\" at 0.5, outside its limits");
  nothing_written();
}

static void methods_that_cannot(void **state)
{
  (void)state;
  shell_write("ball.mbs", FLOOR BALL "(contact all) (initial (\"ball.z\" 1)))");
  const char *const methods[] = {"aba",           "hamilton",       "baraff",
                                 "half-implicit", "fully-implicit", "rattle"};
  for (int i = 0; i < 6; i++) {
    char line[128], text[128];
    snprintf(line, sizeof line, "$CARDAN run ball.mbs --method %s --out a.csv", methods[i]);
    snprintf(text, sizeof text, "method %s does not hold contact \"all\": take method vi, or ",
             methods[i]);
    shell_refused(1, line, text);
    snprintf(line, sizeof line, "$CARDAN run ball.mbs --method %s --time 0.1 --contacts off",
             methods[i]);
    shell_expect(0, line);
  }
  nothing_written();
  const outcome o = shell_expect(0, "$CARDAN run ball.mbs --method aba --time 1 --contacts auto");
  assert_non_null(strstr(o.err, "warning: contact \"all\" is not held by aba"));
  shell_refused(1, "$CARDAN linearize ball.mbs --init q.ball.z=0.1", "has no derivative there");
  shell_expect(0, "$CARDAN linearize ball.mbs");
  shell_expect(0, "$CARDAN matrices ball.mbs");
}

// the rows up to there are kept
static void driven_into_one_another(void **state)
{
  (void)state;
  shell_write("press.mbs", FLOOR "(tz (k \"press\") (mass 1 1 1 1) (solid box 1 1 0.1))"
                                 " (motion \"press\" (- 0.5 t)) (contact all))");
  const outcome o = shell_expect(3, "$CARDAN run press.mbs --time 1 --out a.csv");
  assert_non_null(strstr(o.err, "at t = 0.44"));
  assert_non_null(strstr(o.err, "contact \"press\" - \"floor\" is met, and nothing can stop it"));
  shell_expect(0, "test $(wc -l < a.csv) = 46 && rm a.csv");
}

static void orders_are_said_once(void **state)
{
  (void)state;
  shell_write("rest.mbs", FLOOR BALL "(contact all) (initial (\"ball.z\" 0.1)))");
  const char *const said = "something is closed are of order 2, not 4";
  const outcome o = shell_expect(0, "$CARDAN run rest.mbs --order 4 --time 0.1");
  const char *const at = strstr(o.out, said);
  assert_non_null(at);
  assert_null(strstr(at + 1, said));
  assert_null(strstr(shell_expect(0, "$CARDAN run rest.mbs --time 0.1").out, "of order 2"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_starts),
      cmocka_unit_test(methods_that_cannot),
      cmocka_unit_test(driven_into_one_another),
      cmocka_unit_test(orders_are_said_once),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
