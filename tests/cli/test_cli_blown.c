// SPDX-License-Identifier: Apache-2.0
// A motion that blew up is a failure in every command: status 3, the rows up to there, a word in
// tables, and nothing of it in statistics.
#include <stdio.h>
#include <string.h>

#include "shell.h"

// 1 kg on 1e6 N/m: omega h = 10 at the default step. Of the copies that begin at rest nothing moves
static const char spring[] = "(system \"stiff\" (parameter K 1e6) (tx \"x\" (mass 1 .1 .1 .1))\n"
                             "  (joint-spring \"x\" K 0) (initial (\"x\" 0.1)))\n";

static void write_files(void)
{
  shell_write("stiff.mbs", spring);
  shell_write("plan.txt",
              "(plan (grid \"q.x\" 0 0.1 0.2) (grid K 100 1e6) (collect (end \"q.x\")))");
}

static void expect_words(const char *text, const char *const *words, int n)
{
  for (int i = 0; i < n; i++) {
    if (strstr(text, words[i]) == NULL) {
      fail_msg("found \"%s\", expected \"%s\" in it", text, words[i]);
    }
  }
}

#define EXPECT(text, ...)                                \
  expect_words(text, (const char *const[]){__VA_ARGS__}, \
               (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

// the message has when, what and what to try; the rows are finite, and in JSON the status is a word
static void runs(void **state)
{
  (void)state;
  write_files();
  outcome o = shell_expect(3, "$CARDAN run stiff.mbs --time 1 --method rattle --out r.csv --json");
  EXPECT(o.err, "the motion blew up: at t = 0.0", "J were in play", "right from t = 0 on",
         "try a smaller dt");
  assert_null(strstr(o.err, "warning: the energy")); // said once
  EXPECT(o.err, "fastest spring: joint \"x\"");      // before the first step
  EXPECT(o.out, "\"status\":\"blew-up\"");
  o = shell_expect(0, "cut -d, -f2,3 r.csv; wc -l < r.csv");
  EXPECT(o.out, "q.x,v.x\n0.1");
  assert_null(strstr(o.out, "nan"));
  assert_null(strstr(o.out, "inf"));
  shell_expect(0, "$CARDAN run stiff.mbs --time 1 --dt 1e-4 --method rattle --quiet");
}

// after two steps there is no third: the message is that of the motion, not of its last number
static void steps_that_end_in_no_number(void **state)
{
  (void)state;
  shell_write("beam.mbs",
              "(system (gravity 0 0 -9.81) (tx 0 (name \"e0\"))\n"
              "  (repeat i 1 10 (at \"e{(- i 1)}\" (ry \"q{i}\" (tx 0.1 (mass 0.1 1e-4 1e-4 1e-4))"
              " (tx 0.2 (name \"e{i}\")))) (joint-spring \"q{i}\" 1e4 0)))\n");
  const outcome o =
      shell_expect(3, "$CARDAN run beam.mbs --time 1 --method aba --out r.csv --json");
  EXPECT(o.err, "cardan: the motion blew up: at t = 0.02", "right from t = 0 on", "a smaller dt");
  assert_null(strstr(o.err, "warning: the motion blew up")); // said once
  assert_null(strstr(o.err, "not finite"));
  EXPECT(o.out, "\"status\":\"blew-up\"");
}

// statistics are of the cases that ended well
static void sweeps(void **state)
{
  (void)state;
  write_files();
  outcome o = shell_expect(3, "$CARDAN sweep stiff.mbs --plan plan.txt --method rattle --time 1"
                              " --out r.h5");
  EXPECT(o.out, "2 blew-up", "statistics of 4 of 6 cases");
  shell_expect(3, "$CARDAN sweep stiff.mbs --plan plan.txt --method rattle --time 1 --out s.csv"
                  " --quiet");
  o = shell_expect(0, "cat s.csv");
  EXPECT(o.out, "ok,0,100", "ok,0,1000000", "ok,0.1", "blew-up,0.1", "blew-up,0.2");
  shell_expect(0, "rm r.h5 s.csv");
}

// each copy by itself: the table has the word, and the summary the sentence
static void batches(void **state)
{
  (void)state;
  static const char *const lanes[] = {"auto", "off"};
  write_files();
  for (int i = 0; i < 2; i++) {
    char line[256];
    snprintf(line, sizeof line,
             "$CARDAN batch stiff.mbs --count 3 --vary q.x=0..0.2 --method aba --integrator rk4"
             " --time 1 --lanes %s --out b.csv",
             lanes[i]);
    outcome o = shell_expect(3, line);
    EXPECT(o.err, "2 of 3 copies failed", "the motion blew up");
    o = shell_expect(0, "cat b.csv; rm b.csv");
    EXPECT(o.out, "\n0,ok,", "\n1,blew-up,", "\n2,blew-up,");
  }
}

// a row, and the other methods continue
static void comparisons(void **state)
{
  (void)state;
  write_files();
  outcome o = shell_expect(3, "$CARDAN compare stiff.mbs --methods aba/rk4,svi --time 0.2 --json");
  EXPECT(o.out, "\"status\":\"blew-up\"", "\"status\":\"ok\"");
  o = shell_expect(3, "$CARDAN compare stiff.mbs --methods aba/rk4,svi --time 0.2");
  EXPECT(o.out, "\n    blew-up: the motion blew up: at t = ", "\n  svi ");
  o = shell_expect(3, "$CARDAN compare stiff.mbs --methods aba/rk4 --time 0.2");
  assert_null(strstr(o.out, "in doubt")); // said once
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs),        cmocka_unit_test(steps_that_end_in_no_number),
      cmocka_unit_test(sweeps),      cmocka_unit_test(batches),
      cmocka_unit_test(comparisons),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
