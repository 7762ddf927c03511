// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/output.h"
#include "json_read.h"
#include "shell.h"

/* cardan batch: copies are what cardan run makes of each, and failures are reported. */

/* A pendulum with a parameter that it starts from, a loop that is closed from what is given, an
 * input, an output. */
static void write_models(void)
{
  shell_write("swing.mbs", "(system (parameter L 1) (parameter m 1) (input \"f\" 1)"
                           " (gravity 0 0 -9.81) (ry \"a\" (tz (- L) (name \"b\") (mass m)))"
                           " (torque \"a\" u.f) (output \"z\" (pz \"b\")) (initial (\"a\" (/ L 2)))"
                           " (simulate (method aba) (dt 0.01) (time 0.5)))");
  shell_write("loop.mbs",
              "(system (parameter p 1) (gravity 0 0 -9.81)"
              " (ry \"a\" (tz p (mass 1 1 1 1) (ry \"b\" (tx 2 (mass 1 1 1 1)"
              " (ry \"c\" (tz (- p) (mass 1 1 1 1) (name \"E\"))))))) (place (2 0 0) (name \"G\"))"
              " (coincide \"E\" \"G\") (simulate (method aba) (dt 0.01) (time 0.2)))");
}

/* The last line of a text without its first n fields; cut at its end. */
static const char *last_line(char *text, int n)
{
  size_t length = strlen(text);
  if (length > 0 && text[length - 1] == '\n') {
    text[--length] = '\0';
  }
  const char *line = strrchr(text, '\n');
  line = line ? line + 1 : text;
  for (; n > 0; n--) {
    line = strchr(line, ',');
    assert_non_null(line);
    line++;
  }
  return line;
}

// the last copy, of values 0.25, 1.5 and 2.5 that print exactly, against the same run: t and the
// state, digit by digit
static void copies_are_runs(void **state)
{
  static const struct {
    const char *batch;
    int fields; // before t
    const char *run;
    int columns; // of t, q and v
  } same[] = {
      {"swing.mbs --vary q.a=-1..0.25 --vary v.a=0..1.5", 4, "swing.mbs --init q.a=0.25,v.a=1.5",
       3},
      {"swing.mbs --vary L=0.5..1.5", 3, "swing.mbs --set L=1.5", 3},
      {"swing.mbs --vary L=0.5..1.5 --vary v.a=1..2.5 --init u.f=0.25", 4,
       "swing.mbs --set L=1.5 --init v.a=2.5,u.f=0.25", 3},
      {"swing.mbs --vary u.f=0..2.5 --set m=1.5", 3, "swing.mbs --init u.f=2.5 --set m=1.5", 3},
      {"swing.mbs --vary m=0.5..1.5 --input u.csv", 3, "swing.mbs --set m=1.5 --input u.csv", 3},
      {"loop.mbs --vary q.b=0..0.25", 3, "loop.mbs --init q.b=0.25", 7},
      {"loop.mbs --vary q.c=0..0.25 --vary p=1..1.5", 4, "loop.mbs --init q.c=0.25 --set p=1.5", 7},
      {"top --method aba --time 0.1 --vary v.top.wz=1..1.5", 3,
       "top --method aba --time 0.1 --init v.top.wz=1.5", 8},
  };
  (void)state;
  write_models();
  shell_write("u.csv", "t,u.f\n0,1\n0.1,-0.3\n0.333,2\n0.6,0\n");
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
    char line[512], expected[512], *rest = NULL;
    snprintf(line, sizeof line, "$CARDAN run %s --quiet --out -", same[k].run);
    snprintf(expected, sizeof expected, "%s", last_line(shell_expect(0, line).out, 0));
    for (int c = 0; c < same[k].columns; c++) {
      rest = strchr(rest ? rest + 1 : expected, ',');
      assert_non_null(rest);
    }
    *rest = '\0';
    snprintf(line, sizeof line, "$CARDAN batch %s --lanes off --count 2 --quiet --out -",
             same[k].batch);
    const char *found = last_line(shell_expect(0, line).out, same[k].fields);
    if (strncmp(found, expected, strlen(expected)) != 0) {
      fail_msg("%s: found %s, expected %s", same[k].batch, found, expected);
    }
  }
}

// t, the table of inputs and the poses of a start count for copies as they do for a run
static void copies_begin_as_runs(void **state)
{
  (void)state;
  write_models();
  shell_write("u.csv", "t,u.f\n0,9\n2.9,1\n3.1,-0.3\n3.333,2\n3.6,0\n");
  shell_write("reach.mbs", "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1 1 1 1) (ry \"b\""
                           " (tz -1 (name \"tip\") (mass 1 1 1 1))))) (initial (\"b\" 0.5)"
                           " (pose \"tip\" (1 0 -1) (velocity (0.3 0 0.1))))"
                           " (simulate (method aba) (dt 0.01) (time 0)))");
  static const char *const same[][2] = {
      {"batch swing.mbs --begin 3 --input u.csv --vary m=1..2 --count 1",
       "swing.mbs --begin 3 --input u.csv"},
      {"batch reach.mbs --vary v.a=0..1 --count 1", "reach.mbs"},
  };
  for (int k = 0; k < 2; k++) {
    char line[512], expected[512];
    snprintf(line, sizeof line, "$CARDAN run %s --quiet --out -", same[k][1]);
    snprintf(expected, sizeof expected, "%s", last_line(shell_expect(0, line).out, 0));
    char *rest = expected; // t and the coordinates are left
    for (int comma = 0; comma < 2 + k; comma++) {
      rest = strchr(rest + 1, ',');
      assert_non_null(rest);
    }
    *rest = '\0';
    snprintf(line, sizeof line, "$CARDAN %s --quiet --out -", same[k][0]);
    const char *found = last_line(shell_expect(0, line).out, 3);
    if (strncmp(found, expected, strlen(expected)) != 0) {
      fail_msg("%s: found %s, expected %s", same[k][0], found, expected);
    }
  }
}

// all rows of a copy are those of its run, and the number of threads changes no byte
static void rows_and_threads(void **state)
{
  (void)state;
  write_models();
  shell_expect(0, "$CARDAN run swing.mbs --every 7 --init q.a=0.25 --quiet --out - | cut -d, -f1-3 "
                  ">run.csv");
  shell_expect(0, "$CARDAN batch swing.mbs --count 2 --vary q.a=0.25..1 --every 7 --rows all "
                  "--lanes off --quiet --out - | grep -v ^1, | cut -d, -f4-6 >copy.csv");
  shell_expect(0, "cmp run.csv copy.csv");
  for (int k = 1; k <= 3; k++) {
    char line[256];
    snprintf(line, sizeof line,
             "$CARDAN batch swing.mbs --count 20 --vary L=uniform:0.5:2 --vary v.a=normal:0:1 "
             "--seed 3 --threads %d --quiet --out t%d.h5",
             k, k);
    shell_expect(0, line);
  }
  shell_expect(0, "cmp t1.h5 t2.h5 && cmp t1.h5 t3.h5");
  // the first ten of twenty are the ten: random numbers know nothing of how many there are
  shell_expect(0, "$CARDAN batch swing.mbs --count 20 --vary v.a=normal:0:1 --quiet --out - | "
                  "head -11 >a.csv");
  shell_expect(0, "$CARDAN batch swing.mbs --count 10 --vary v.a=normal:0:1 --quiet --out b.csv");
  shell_expect(0, "cmp a.csv b.csv");
  // no steps: the start
  const outcome o = shell_expect(0, "$CARDAN batch swing.mbs --count 1 --time 0 --quiet --out -");
  assert_string_equal(o.out, "copy,status,t,q.a,v.a,y.z\n0,ok,0,0.5,0,-0.87758256189037276\n");
}

// two of five copies have an invalid mass: rows with a status, messages, exit status 3, and the
// others as without them
static void failures(void **state)
{
  char keys[512];
  (void)state;
  write_models();
  outcome o =
      shell_expect(3, "$CARDAN batch swing.mbs --count 5 --vary m=-1..3 --out a.csv --json");
  assert_true(json_valid(o.out));
  json_keys(o.out, keys, sizeof keys);
  assert_string_equal(keys, "model method solver integrator dt steps copies failed noted failures "
                            "varied threads wall_seconds steps_a_second max_drift max_drift_copy "
                            "estimated_error rows warnings");
  assert_true(strtod(json_find(o.out, "failed"), NULL) == 2);
  assert_non_null(strstr(o.out, "\"failures\":[{\"copy\":0,\"status\":\"model\",\"message\":\""));
  assert_non_null(strstr(o.err, "2 of 5 copies failed, the first of them copy 0: "));
  char *text = shell_read("a.csv");
  assert_non_null(strstr(text, "\n0,model,-1,nan,nan,nan,nan\n1,"));
  assert_non_null(strstr(text, "\n2,ok,1,0.5,"));
  free(text);
  o = shell_expect(3, "$CARDAN batch swing.mbs --count 5 --vary m=-1..3");
  assert_non_null(strstr(o.out, "5, 2 failed; 50 steps of 0.01 s each; by m"));
  assert_non_null(strstr(o.out, "copy 1, "));
  // one that stops on the way has its rows up to there
  shell_write("wall.mbs", "(system (tx \"s\" (mass 1)) (torque \"s\" (sqrt (- 1 q.s)))"
                          " (simulate (method aba) (dt 0.1) (time 1)))");
  o = shell_expect(3,
                   "$CARDAN batch wall.mbs --count 2 --vary v.s=-1..3 --rows all --out - --quiet");
  assert_non_null(strstr(o.out, "\n1,not-finite,3,0.1"));
  const char *after = strstr(o.out, "\n1,not-finite,3,nan,nan,nan\n");
  assert_non_null(after);
  assert_true(after[strlen("\n1,not-finite,3,nan,nan,nan\n")] == '\0');
}

// what a sentence says of an option has dashes, also in the summary
static void sentences(void **state)
{
  (void)state;
  const outcome o = shell_expect(3, "$CARDAN batch double-pendulum --count 2 --vary q.q1=1..3 "
                                    "--time 4.8 --dt 0.4 --method vi --max-iter 2 2>&1");
  assert_non_null(strstr(o.out, "try a smaller dt, or --adapt 1e-3"));
  assert_null(strstr(o.out, "option adapt"));
}

// a start that loops do not allow is changed, as in a run, and said; the batch is done
static void notes(void **state)
{
  (void)state;
  write_models();
  const outcome o = shell_expect(0, "$CARDAN batch loop.mbs --count 2 --vary q.a=0..0.2 "
                                    "--vary q.b=0..0.5 --vary q.c=0..0.4 --json");
  assert_true(strtod(json_find(o.out, "noted"), NULL) == 1);
  assert_non_null(strstr(o.err, "warning: copy 1: "));
  shell_expect(3, "$CARDAN batch loop.mbs --count 2 --vary q.a=0..0.2 --vary q.b=0..0.5 "
                  "--vary q.c=0..0.4 --strict");
}

static void refusals(void **state)
{
  (void)state;
  write_models();
  shell_write("x.csv", "L,q.b\n1,2\n");
  shell_write("u.csv", "t,u.f\n0,1\n");
  shell_refused(1, "$CARDAN batch swing.mbs", "how many copies?");
  shell_refused(1, "$CARDAN batch swing.mbs --count 0",
                "--count is \"0\", expected a whole number");
  shell_refused(1, "$CARDAN batch swing.mbs --count 1.5", "--count is \"1.5\"");
  shell_refused(1, "$CARDAN batch swing.mbs --count -3", "--count is \"-3\"");
  shell_refused(1, "$CARDAN batch swing.mbs --count 99999999999999999999", "--count is");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --vary-file x.csv", "both given");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --threads 0", "--threads is \"0\"");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --rows some", "expected final or all");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --vary L", "expected NAME=FROM..TO");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --vary L=1",
                "found \"1\", expected FROM..TO");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --vary L=1..nan", "with finite numbers");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --vary L=1...2", "expected FROM..TO");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --vary LL=1..2", "did you mean \"L\"?");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --vary q.a=1..2 --init q.a=1", "repeated");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --vary u.f=1..2 --input u.csv --quiet",
                "u.f differs between copies and has a column");
  shell_refused(1, "$CARDAN batch swing.mbs --vary-file x.csv", "x.csv:1:3: the model has no");
  shell_refused(1, "$CARDAN batch swing.mbs --vary-file none.csv", "cannot read none.csv");
  shell_refused(1, "$CARDAN batch swing.mbs --vary-file x.csv --out ./x.csv",
                "is the file that --vary-file reads");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --out a.txt", "cannot tell the kind");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --vari L=1..2", "did you mean --vary?");
  shell_refused(1, "$CARDAN batch swing.mbs --count 2 --order 4", "order");
  shell_refused(1, "$CARDAN batch swing.mbs --count 1 --time 1e9 --dt 0.1", "expected at most");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_are_runs),  cmocka_unit_test(copies_begin_as_runs),
      cmocka_unit_test(rows_and_threads), cmocka_unit_test(failures),
      cmocka_unit_test(sentences),        cmocka_unit_test(notes),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
