// SPDX-License-Identifier: Apache-2.0
// cardan sweep: the same file whoever computes it and however often it is killed, and one line for
// what cannot be.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"
#include "shell.h"

#define SWEEP "$CARDAN sweep swing.mbs --plan plan.txt "

static const char swing[] = "(system \"swing\" (gravity 0 0 -9.81) (parameter M 1)\n"
                            "  (ry \"a\" (tz -1 (name \"bob\") (mass M))) (initial (\"a\" 0.5)))\n";

/* 240 cases; with mass "-1" among the values half of them fail. */
static void write_files(const char *masses)
{
  char plan[256];
  snprintf(plan, sizeof plan,
           "(plan (grid M %s) (option method vi aba) (range \"v.a\" -1 1 (count 60))\n"
           "  (collect (end \"q.a\") drift))\n",
           masses);
  shell_write("swing.mbs", swing);
  shell_write("plan.txt", plan);
}

// a CSV, with words in place of numbers, and the rows that runs have
static void table(void **state)
{
  (void)state;
  write_files("1 2");
  shell_expect(0, SWEEP "--time 1 --out r.csv --quiet");
  outcome o = shell_expect(0, "head -2 r.csv; wc -l < r.csv; ls");
  assert_non_null(strstr(o.out, "case,status,M,method,start.v.a,end.q.a,drift\n0,ok,1,vi,-1,"));
  assert_non_null(strstr(o.out, "\n241\n"));
  assert_null(strstr(o.out, "parts"));
  shell_expect(0, "$CARDAN run swing.mbs --time 1 --init v.a=-1 --out - --quiet 2> /dev/null | "
                  "tail -1 | cut -d, -f2 > run; sed -n 2p r.csv | cut -d, -f6 > case; "
                  "cmp run case; rm r.csv");
}

// drawn numbers: the same bytes by one job and two, and a word on counts that Sobol' does not like
static void drawn(void **state)
{
  (void)state;
  shell_write("swing.mbs", swing);
  shell_write("plan.txt", "(plan (sobol M (normal 1 0.1 (from 0.5))) (init \"q.a\" (latin -1 1)) "
                          "(random \"v.a\" 0 1) (sensitivity) (count 24) (collect (end \"q.a\")))");
  outcome o = shell_expect(0, SWEEP "--time 0.2 --jobs 1 --out a.h5");
  assert_non_null(strstr(o.err, "(count 24) is not a power of two"));
  assert_non_null(strstr(o.err, "(count 16) or (count 32)"));
  o = shell_expect(0, SWEEP "--time 0.2 --jobs 2 --out b.h5 --quiet");
  assert_string_equal(o.err, "");
  shell_expect(0, "cmp a.h5 b.h5 && rm a.h5 b.h5");
}

// cases that fail: everything is written, the status is 3, the summary says how many and why
static void failures(void **state)
{
  (void)state;
  write_files("1 -1");
  outcome o = shell_expect(3, SWEEP "--time 1 --out f.h5 --json --keep-motion worst:2");
  assert_non_null(strstr(o.err, "120 of 240 cases failed, the first of them case 120: "));
  assert_true(json_valid(o.out));
  assert_int_equal(atoi(json_find(o.out, "failed")), 120);
  assert_int_equal(atoi(json_find(o.out, "done")), 240);
  assert_non_null(strstr(o.out, "\"statuses\":{\"ok\":120,\"model\":120}"));
  assert_non_null(strstr(o.out, "\"result\":\"f.h5\",\"study\":{\"cases\":240,\"failed\":120,"));
  assert_non_null(strstr(o.out, "\"kind\":\"grid\",\"inputs\":[\"M\",\"method\",\"start.v.a\"]"));
  o = shell_expect(3, SWEEP "--time 1 --out f.h5 --resume");
  assert_non_null(strstr(o.out, "240, 240 of them before, 120 failed"));
  assert_non_null(strstr(o.out, "statistics of 120 of 240 cases, those that ended well\n"));
  shell_expect(0, "rm f.h5");
}

// motions that a complete result has not: a word on them, and the result stays
static void no_motions(void **state)
{
  (void)state;
  write_files("1 2");
  shell_expect(0, SWEEP "--time 0.1 --out m.h5 --quiet; cp m.h5 before.h5");
  outcome o = shell_expect(0, SWEEP "--time 0.1 --out m.h5 --resume --keep-motion worst:2");
  assert_non_null(strstr(o.err, "m.h5 was complete before, has no motions and stays as it is"));
  shell_expect(0, "cmp m.h5 before.h5 && rm m.h5 before.h5");
  shell_expect(0, SWEEP "--time 0.1 --out m.h5 --quiet --keep-motion worst:2");
  o = shell_expect(0, SWEEP "--time 0.1 --out m.h5 --resume --keep-motion worst:2");
  assert_string_equal(o.err, "");
  shell_expect(0, "rm m.h5");
}

// killed three times with different numbers of jobs, then completed. In the foreground timeout
// waits until the killed process has exited and its lock is free
static void killed(void **state)
{
  (void)state;
  write_files("1 2");
  shell_expect(0, SWEEP "--time 4 --jobs 2 --out a.h5 --quiet");
  shell("for k in 1 2 3; do timeout --foreground -s KILL 0.05 " SWEEP
        "--time 4 --jobs $k --resume --out b.h5 --quiet; done");
  shell_expect(0, SWEEP "--time 4 --jobs 2 --resume --out b.h5 --quiet");
  shell_expect(0, "cmp a.h5 b.h5 && test ! -e b.h5.parts && rm a.h5 b.h5");
}

// SIGTERM and Ctrl-C stop within a step, of cases that would take days, and say how to continue
static void stopped(void **state)
{
  static const char *const signals[] = {"TERM", "INT"};
  static const int statuses[] = {143, 130};
  (void)state;
  write_files("1 2");
  for (int i = 0; i < 2; i++) {
    char line[512];
    snprintf(line, sizeof line,
             "rm -rf c.h5.parts; " SWEEP "--time 1e8 --out c.h5 --quiet & p=$!; "
             "until test -e c.h5.parts/lock; do sleep 0.01; done; kill -%s $p; wait $p",
             signals[i]);
    const outcome o = shell_expect(statuses[i], line);
    assert_non_null(strstr(o.err, "0 of 240 cases are done and count, the same command with "
                                  "--resume continues"));
  }
  shell_expect(0, "rm -r c.h5.parts");
}

// a case runs again by its number, to the same bits, with options over it; and what is no case
static void case_again(void **state)
{
  (void)state;
  write_files("1 2");
  shell_expect(0, SWEEP "--time 1 --out r.h5 --quiet && " SWEEP "--time 1 --out r.csv --quiet");
  shell_expect(0, SWEEP "--time 1 --out r.h5 --shard 0/2 --resume > said && "
                        "grep -q '^  result        r.h5$' said && rm said");
  shell_expect(0, "for i in 0 77 200 239; do $CARDAN run r.h5#$i --out - --quiet 2> /dev/null | "
                  "tail -1 | cut -d, -f2 > run; grep ^$i, r.csv | cut -d, -f6 > case; "
                  "cmp run case || exit 1; done");
  outcome o = shell_expect(0, "$CARDAN run r.h5#200 --time 2 --json");
  assert_non_null(strstr(o.out, "\"method\":\"aba\""));
  assert_non_null(strstr(o.out, "\"steps\":200,"));
  shell_expect(0, "$CARDAN check r.h5#200 > check && grep -q '2 kg' check && "
                  "$CARDAN compare r.h5#200 --time 0.1 > compare && "
                  "$CARDAN run r.h5#200 --out again.h5 --quiet && $CARDAN run again.h5 --quiet");
  shell_refused(1, "$CARDAN run r.h5",
                "is the result of a sweep, expected one of its cases: "
                "r.h5#0 to #239");
  shell_refused(1, "$CARDAN run r.h5#240", "r.h5 has no case \"240\", expected r.h5#0 to #239");
  shell_refused(1, "$CARDAN run r.h5#-1", "r.h5 has no case \"-1\"");
  shell_refused(1, "$CARDAN run r.h5#1e1", "r.h5 has no case \"1e1\"");
  shell_refused(1, "$CARDAN run r.h5#", "r.h5 has no case \"\"");
  shell_refused(1, "$CARDAN run again.h5#1", "it is no result of cardan sweep");
  shell_expect(0, "cp again.h5 'a#3' && $CARDAN run 'a#3' --quiet");
  shell_expect(0, "cp swing.mbs 'b#4.mbs' && $CARDAN run 'b#4.mbs' --quiet --time 0.1");
  shell_expect(0, "cp r.h5 'c#5' && $CARDAN run 'c#5#6' --quiet");
  shell_refused(1, "$CARDAN run none.h5#1", "cannot read none.h5#1: No such file");
  shell_expect(0, SWEEP "--time 1 --shard 0/2 --out s.h5 --quiet && "
                        "$CARDAN run s.h5.parts#17 --quiet");
  // what made a case fail makes its run fail: an option of the text that cannot be
  shell_write("h.mbs", "(system (define h 0.01) (rx \"a\" (tz -1 (mass 1)))\n"
                       "  (simulate (dt h) (time 0.1)))");
  shell_write("h.txt", "(plan (grid h 0.01 -1) (collect steps))");
  shell_expect(3, "$CARDAN sweep h.mbs --plan h.txt --out h.h5 --quiet");
  shell_refused(2, "$CARDAN run h.h5#1 --quiet", "h.h5#1:2:14: (simulate ..): dt is -1");
  shell_expect(0, "$CARDAN run h.h5#0 --quiet");
  shell_expect(0, "rm -rf r.h5 r.csv again.h5 s.h5.parts *#* h.mbs h.txt h.h5");
}

// options for all cases of several methods: each case is the run with those that its method has
static void methods(void **state)
{
  (void)state;
  shell_write("swing.mbs", swing);
  shell_write("plan.txt", "(plan (option method vi aba) (collect (end \"q.a\")))");
  shell_expect(0, SWEEP "--time 1 --order 4 --integrator dop853 --out r.h5 --quiet");
  shell_expect(0, "RUN='$CARDAN run swing.mbs --time 1 --quiet --out -'; eval $RUN --order 4 > vi; "
                  "eval $RUN --method aba --integrator dop853 > aba; "
                  "$CARDAN run r.h5#0 --quiet --out - | cmp - vi && "
                  "$CARDAN run r.h5#1 --quiet --out - | cmp - aba && ! cmp -s vi aba");
  shell_expect(0, SWEEP "--time 1 --order 4 --integrator dop853 --out r.csv --quiet && "
                        "for m in vi aba; do tail -1 $m | cut -d, -f2; done > runs && "
                        "tail -2 r.csv | cut -d, -f4 | cmp - runs && rm r.h5 r.csv");
  shell_refused(1, SWEEP "--alpha 0.4 --out r.h5", "--alpha, which is for svi");
  shell_refused(1, SWEEP "--solver tree --out r.h5", "solver is tree, which is for");
}

/* Has case 1 the steps of the run with these words, one less than its rows? */
static void check_given(const char *source, const char *words, const char *steps)
{
  char line[512];
  snprintf(line, sizeof line,
           "$CARDAN sweep %s --plan plan.txt %s --out r.csv --quiet && "
           "$CARDAN run %s %s --set h=0.02 --quiet --out - | tail -n +3 | wc -l && "
           "tail -1 r.csv | cut -d, -f4 && rm r.csv",
           source, words, source, words);
  const outcome o = shell_expect(0, line);
  char both[32];
  snprintf(both, sizeof both, "%s\n%s\n", steps, steps);
  assert_string_equal(o.out, both);
}

// an option of the text that depends on what differs: it holds where it was given, else it follows
static void given(void **state)
{
  (void)state;
  shell_write("h.mbs", "(system (define h 0.01) (rx \"a\" (tz -1 (mass 1))) (initial (\"a\" 1))\n"
                       "  (simulate (dt h) (time (* 20 h))))");
  shell_write("plan.txt", "(plan (grid h 0.01 0.02) (collect steps))");
  check_given("h.mbs", "", "20");
  check_given("h.mbs", "--dt 0.01", "40");
  check_given("h.mbs", "--time 0.2 --order 2", "10");
  shell_write("k.mbs", "(system (define h 0.01) (rx \"a\" (tz -1 (mass 1))) (initial (\"a\" 1))\n"
                       "  (simulate (order (* 200 h)) (time 0.2)))");
  check_given("k.mbs", "", "20");
  check_given("k.mbs", "--method aba", "20"); // which has no order
  shell_expect(0, "$CARDAN run h.mbs --out one.h5 --quiet");
  check_given("one.h5", "", "20");
  shell_expect(0, "$CARDAN sweep h.mbs --plan plan.txt --dt 0.01 --out r.h5 --shard 0/2 --quiet");
  shell_refused(1, "$CARDAN sweep h.mbs --plan plan.txt --out r.h5 --shard 1/2 --quiet",
                "the list of options that were given is there, and not here");
  shell_expect(0, "$CARDAN run h.mbs --dt 0.01 --set h=0.02 --quiet --out run.csv && "
                  "$CARDAN run r.h5.parts#1 --quiet --out - | cmp - run.csv && "
                  "$CARDAN sweep h.mbs --plan plan.txt --dt 0.01 --max-iter 100 --out r.h5 "
                  "--resume --quiet && $CARDAN run r.h5#1 --quiet --out - | cmp - run.csv && "
                  "rm r.h5 one.h5 h.mbs k.mbs");
}

// one line each, status 1, and nothing is left
static void refusals(void **state)
{
  (void)state;
  write_files("1 2");
  shell_refused(1, SWEEP, "a sweep needs --out FILE.h5");
  shell_refused(1, "$CARDAN sweep swing.mbs --out r.h5", "a sweep needs --plan FILE");
  shell_refused(1, SWEEP "--out r.h5 --shard 3/3", "--shard is \"3/3\", expected K/N");
  shell_refused(1, SWEEP "--out r.h5 --shard 1", "--shard is \"1\", expected K/N");
  shell_refused(1, SWEEP "--out r.h5 --shard 0/2 --merge", "expected no --merge beside it");
  shell_refused(1, SWEEP "--out r.h5 --resume --merge", "expected one of them");
  shell_refused(1, SWEEP "--out r.h5 --timeout 0", "--timeout is \"0\"");
  shell_refused(1, SWEEP "--out r.h5 --jobs 0", "--jobs is \"0\"");
  shell_refused(1, SWEEP "--out r.h5 --keep-motion best", "--keep-motion is \"best\"");
  shell_refused(1, SWEEP "--out r.csv --keep-motion all", "needs a result that ends in .h5");
  shell_refused(1, SWEEP "--out no/r.h5", "cannot write no/r.h5: No such file");
  shell_refused(1, SWEEP "--out plan.txt", "--out plan.txt is the file that --plan reads");
  shell_refused(1, SWEEP "--out r.h5 --merge", "there is no r.h5.parts to merge");
  shell_write("bad.txt", "(plan (grid Q 1)\n  (collect drift))");
  shell_refused(1, "$CARDAN sweep swing.mbs --plan bad.txt --out r.h5", "bad.txt:1:");
  shell_refused(2, "$CARDAN sweep bad.txt --plan plan.txt --out r.h5", "bad.txt:1:");
  shell_expect(0, "test ! -e r.h5 && test ! -e r.h5.parts");
}

// another model, plan or option under the same name: what differs is reported, nothing is lost
static void another(void **state)
{
  (void)state;
  write_files("1 2");
  shell_expect(0, SWEEP "--time 0.1 --shard 0/2 --out r.h5 --quiet");
  shell_refused(1, SWEEP "--time 0.2 --shard 1/2 --out r.h5 --quiet", "--time is 0.1, here 0.2");
  shell_write("swing.mbs", "(system (parameter M 1) (ry \"a\" (tz -1 (mass M))))");
  shell_refused(1, SWEEP "--time 0.1 --shard 1/2 --out r.h5 --quiet", "the model's text differs");
  write_files("1 3");
  shell_refused(1, SWEEP "--time 0.1 --shard 1/2 --out r.h5 --quiet", "the plan differs");
  write_files("1 2");
  shell_refused(1, SWEEP "--time 0.1 --out r.h5 --merge --quiet", "of shards 1 of 2");
  shell_expect(0, SWEEP "--time 0.1 --shard 1/2 --out r.h5 --quiet");
  const outcome o = shell_expect(0, SWEEP "--time 0.1 --merge --out r.h5");
  assert_non_null(strstr(o.out, "240, 240 of them before, 0 failed"));
  shell_expect(0, "rm r.h5");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table),      cmocka_unit_test(drawn),    cmocka_unit_test(failures),
      cmocka_unit_test(no_motions), cmocka_unit_test(killed),   cmocka_unit_test(stopped),
      cmocka_unit_test(case_again), cmocka_unit_test(refusals), cmocka_unit_test(another),
      cmocka_unit_test(methods),    cmocka_unit_test(given),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
