// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/output.h"
#include "json_read.h"
#include "shell.h"

/* cardan run: what it prints and writes. */

/* A CSV table as numbers; fails unless every row has the header's columns. */
typedef struct {
  char *text;
  char *header;
  int ncolumn, nrow;
  double *value; // nrow x ncolumn
} table;

static table read_table(char *text)
{
  table t = {.text = text, .header = text, .ncolumn = 1};
  char *at = strchr(text, '\n');
  assert_non_null(at);
  *at++ = '\0';
  bool quoted = false;
  for (const char *c = t.header; *c; c++) {
    quoted = quoted != (*c == '"');
    t.ncolumn += *c == ',' && !quoted;
  }
  t.value = malloc(strlen(at) * sizeof *t.value + 1);
  while (*at) {
    for (int c = 0; c < t.ncolumn; c++) {
      char *end;
      t.value[t.nrow * t.ncolumn + c] = strtod(at, &end);
      assert_true(end > at && *end == (c + 1 < t.ncolumn ? ',' : '\n'));
      at = end + 1;
    }
    t.nrow++;
  }
  return t;
}

static table read_file(const char *name)
{
  char *text = shell_read(name);
  assert_non_null(text);
  return read_table(text);
}

static void free_table(table *t)
{
  free(t->text);
  free(t->value);
}

static double json_double(const char *text, const char *key)
{
  const char *value = json_find(text, key);
  assert_non_null(value);
  return strtod(value, NULL);
}

static void columns_in_order(void **state)
{
  (void)state;
  shell_expect(0, "$CARDAN run top --time 0.1 --out a.csv");
  table t = read_file("a.csv");
  assert_string_equal(t.header, "t,q.top.qw,q.top.qx,q.top.qy,q.top.qz,v.top.wx,v.top.wy,v.top.wz,"
                                "kinetic,potential,energy,constraint,iterations");
  free_table(&t);
  shell_expect(0, "$CARDAN run slider-crank --time 0.1 --out a.csv "
                  "--add work,multipliers,reactions,momentum");
  t = read_file("a.csv");
  const char *const expected[] = {"iterations,P.x,P.y,P.z,L.x,L.y,L.z,f.crank,R.crank.fx,",
                                  ",R.x.tz,", "lambda.coincide1.1,lambda.coincide1.2,",
                                  ",work,balance"};
  const char *at = t.header;
  for (int i = 0; i < 4; i++) {
    at = strstr(at, expected[i]);
    assert_non_null(at);
  }
  free_table(&t);
}

// kinetic + potential = energy in every row, t = k dt exactly, and the summary's numbers are the
// table's own
static void rows_and_summary_agree(void **state)
{
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN run pendulum:2 --method aba --integrator rk4 --time 3 "
                                    "--dt 0.03 --out a.csv --json");
  assert_true(json_valid(o.out));
  assert_string_equal(o.err, "");
  table t = read_file("a.csv");
  const int energy = t.ncolumn - 3;
  double drift = 0;
  assert_int_equal(t.nrow, 101);
  for (int k = 0; k < t.nrow; k++) {
    const double *row = t.value + k * t.ncolumn;
    assert_true(row[0] == k * 0.03);
    assert_true(row[energy - 2] + row[energy - 1] == row[energy]);
    drift = fmax(drift, fabs(row[energy] - t.value[energy]));
  }
  assert_true(json_double(o.out, "energy.initial") == t.value[energy]);
  assert_true(json_double(o.out, "energy.final") == t.value[(t.nrow - 1) * t.ncolumn + energy]);
  assert_true(json_double(o.out, "energy.max_drift") == drift);
  assert_true(json_double(o.out, "steps") == 100);
  assert_true(json_double(o.out, "dt") == 0.03);
  assert_true(json_double(o.out, "time") == t.value[(t.nrow - 1) * t.ncolumn]);
  assert_true(json_double(o.out, "dof") == 2);
  assert_true(json_double(o.out, "iterations.mean") == 4);
  assert_true(json_double(o.out, "evaluations") == 400);
  free_table(&t);
}

static void json_has_the_keys_of_the_contract(void **state)
{
  char keys[512];
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN run closed-chain --time 0.1 --json");
  assert_true(json_valid(o.out));
  json_keys(o.out, keys, sizeof keys);
  assert_string_equal(
      keys,
      "model method solver integrator dt steps time wall_seconds dof energy "
      "constraint_max iterations evaluations estimated_error warnings error accepted rejected "
      "restarts jumps jump_time looks");
  json_keys(json_find(o.out, "energy"), keys, sizeof keys);
  assert_string_equal(keys, "initial final max_drift band trend trend_error");
  json_keys(json_find(o.out, "iterations"), keys, sizeof keys);
  assert_string_equal(keys, "mean std max");
}

// a long run without rows evaluates every tenth node and the last, and reports how many
static void nodes_without_rows(void **state)
{
  (void)state;
  static const struct {
    const char *line;
    double looks;
  } run[] = {
      {"$CARDAN run pendulum --time 1.005 --dt 0.001 --json", 102},
      {"$CARDAN run pendulum --time 0.999 --dt 0.001 --json", 1000},
      {"$CARDAN run pendulum --time 1.005 --dt 0.001 --json --every 1", 1006},
      {"$CARDAN run pendulum --time 1.005 --dt 0.001 --json --out looks.csv", 1006},
  };
  double drift[4];
  for (int i = 0; i < 4; i++) {
    const outcome o = shell_expect(0, run[i].line);
    assert_true(json_double(o.out, "looks") == run[i].looks);
    drift[i] = json_double(o.out, "energy.max_drift");
  }
  assert_true(drift[0] > 0 && drift[0] <= drift[2] && drift[2] == drift[3]);
  const outcome o = shell_expect(0, "$CARDAN run pendulum --time 1.005 --dt 0.001");
  assert_non_null(strstr(o.out, " J at 102 of 1006 nodes\n"));
  const outcome all = shell_expect(0, "$CARDAN run pendulum --time 1.005 --dt 0.001 --every 1");
  assert_null(strstr(all.out, "nodes"));
}

static void steps_and_rows(void **state)
{
  static const struct {
    const char *options;
    double last;
    int rows;
    bool warns;
  } cases[] = {
      {"--dt 0.01 --time 1", 1, 101, false},
      {"--dt 0.1 --time 0.3", 3 * 0.1, 4, false}, // 0.3 / 0.1 is a little less than 3
      {"--dt 0.01 --time 0.055", 0.05, 6, true},
      {"--dt 1 --time 0.5", 0, 1, false},
      {"--time 0", 0, 1, false},
      {"--dt 0.01 --time 1 --every 7", 0.98, 15, false},
      {"--dt 0.01 --time 0.5 --every 100", 0, 1, false},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char line[256];
    snprintf(line, sizeof line, "$CARDAN run pendulum %s --out a.csv", cases[i].options);
    const outcome o = shell_expect(0, line);
    assert_true((strstr(o.err, "no multiple of dt") != NULL) == cases[i].warns);
    assert_true((strstr(o.err, "dt 1 s is larger than the time 0.5 s") != NULL) == (i == 3));
    table t = read_file("a.csv");
    assert_int_equal(t.nrow, cases[i].rows);
    assert_true(t.value[(t.nrow - 1) * t.ncolumn] == cases[i].last);
    free_table(&t);
  }
}

static void options_override_the_model(void **state)
{
  (void)state;
  shell_write("m.mbs", "(system (define L 1) (joint revolute \"a\" (tx L (mass 1)))\n"
                       " (simulate (dt 0.02) (time 0.1) (method aba) (integrator euler)))\n");
  const outcome own = shell_expect(0, "$CARDAN run m.mbs --json");
  assert_true(json_double(own.out, "dt") == 0.02);
  assert_non_null(strstr(json_find(own.out, "integrator"), "euler"));
  const outcome o =
      shell_expect(0, "$CARDAN run m.mbs --dt=0.05 --integrator rk2 --json --dt 0.025");
  assert_true(json_double(o.out, "dt") == 0.025);
  assert_true(json_double(o.out, "steps") == 4);
  assert_true(strncmp(json_find(o.out, "integrator"), "\"rk2\"", 5) == 0);
}

static void start_values(void **state)
{
  (void)state;
  shell_expect(0, "$CARDAN run top --time 0 --out a.csv --init q.top.qw=2,q.top.qx=0 "
                  "--init q.top.qy=0,q.top.qz=0,v.top.wy=-1.5e-3");
  table t = read_file("a.csv");
  assert_true(t.value[1] == 1 && t.value[2] == 0); // normalised
  assert_true(t.value[6] == -1.5e-3);
  free_table(&t);
  shell_expect(0, "$CARDAN run pendulum --time 0 --set L=2,m=3 --set L=0.5 --out a.csv");
  t = read_file("a.csv");
  // m g L cos(45 deg), with the last L; the product of three rounded factors
  assert_near(t.value[t.ncolumn - 4], -3 * 9.81 * 0.5 * sqrt(0.5), 4 * 2.3e-16 * 10.5);
  free_table(&t);
}

// a start by name, under --init, and remembered by a result
static void keyframes(void **state)
{
  (void)state;
  shell_write("key.mbs",
              "(system (joint revolute \"a\" (mass 1 1 1 1)) (joint prismatic \"b\" (mass 1))\n"
              " (initial (\"a\" 3)) (keyframe \"home\" (\"a\" 1 2) (\"b\" 5)))\n");
  shell_expect(0, "$CARDAN run key.mbs --time 0 --keyframe home --init q.b=6 --out a.h5");
  shell_expect(0, "$CARDAN run a.h5 --out a.csv");
  table t = read_file("a.csv");
  assert_true(t.value[1] == 1 && t.value[2] == 6 && t.value[3] == 2);
  free_table(&t);
  shell_refused(1, "$CARDAN run key.mbs --keyframe hom", "did you mean \"home\"");
  shell_refused(1, "$CARDAN check key.mbs --keyframe x", "the model has none of that name");
  const outcome o = shell_expect(0, "$CARDAN check key.mbs --keyframe home");
  assert_non_null(strstr(o.out, "home (the start)"));
  shell_expect(0, "$CARDAN linearize key.mbs --keyframe home --out b.csv");
  shell_expect(0, "$CARDAN compare key.mbs --keyframe home --time 0.1");
}

static void odd_names(void **state)
{
  (void)state;
  shell_write("odd.mbs", "(system (joint revolute \"a, \\\"b\\\"=c\" (mass 1 1 1 1)))\n");
  shell_expect(0, "$CARDAN run odd.mbs --time 0.1 --out a.csv --init '\"q.a, \"\"b\"\"=c\"=0.5'");
  table t = read_file("a.csv");
  assert_int_equal(strncmp(t.header, "t,\"q.a, \"\"b\"\"=c\",\"v.a", 19), 0);
  assert_int_equal(t.ncolumn, 8);
  assert_true(t.value[1] == 0.5);
  free_table(&t);
}

// the table goes to the standard output, the summary then to the other one
static void to_standard_output(void **state)
{
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN run pendulum --time 0.1 --out -");
  assert_non_null(strstr(o.err, "energy"));
  const size_t size = strlen(o.out) + 1;
  char *copy = malloc(size);
  memcpy(copy, o.out, size);
  table t = read_table(copy);
  assert_int_equal(t.nrow, 11);
  free_table(&t);
  const outcome json = shell_expect(0, "$CARDAN run pendulum --time 0.1 --out - --json");
  assert_true(json_valid(json.err));
  shell_expect(0, "$CARDAN run pendulum --time 0.1 --out a.csv --quiet && "
                  "$CARDAN run pendulum --time 0.1 --out - 2>/dev/null | cmp - a.csv");
  // a reader that leaves early: no message, however long the run would have been
  const outcome head = shell_expect(0, "$CARDAN run pendulum --time 1e9 --out - | head -n 3");
  assert_string_equal(head.err, "");
  const outcome device =
      shell_expect(0, "$CARDAN run pendulum --time 0.1 --quiet --out /dev/stdout");
  assert_non_null(strstr(device.out, "q.theta"));
}

static void same_bits_again(void **state)
{
  (void)state;
  shell_expect(0, "$CARDAN run closed-chain --time 1 --out a.csv --add multipliers && "
                  "$CARDAN run closed-chain --time 1 --out b.csv --add multipliers && "
                  "cmp a.csv b.csv");
}

static void results_run_again(void **state)
{
  (void)state;
  shell_expect(0, "$CARDAN run closed-chain --set I=0.01 --init v.J=0.3 --dt 0.005 --time 1 "
                  "--method aba --stabilise baumgarte --kq 50 --every 2 --add work --out a.h5 && "
                  "$CARDAN run a.h5 --out b.h5 && cmp a.h5 b.h5 && rm b.h5 && "
                  "$CARDAN run a.h5 --out a.csv");
  shell_expect(0, "$CARDAN run closed-chain --set I=0.01 --init v.J=0.3 --dt 0.005 --time 1 "
                  "--method aba --stabilise baumgarte --kq 50 --every 2 --add work --out b.csv && "
                  "cmp a.csv b.csv");
  const outcome o = shell_expect(0, "$CARDAN run a.h5 --time 0.5 --set I=0.02 --json");
  assert_true(json_double(o.out, "time") == 0.5);
  assert_true(json_double(o.out, "dt") == 0.005);
  shell_expect(0, "$CARDAN check a.h5");
}

// what touches: in the summary, as JSON, as columns of both kinds of tables, and run again
static void contacts_are_told(void **state)
{
  (void)state;
  shell_write("drop.mbs",
              "(system (gravity 0 0 -10) (place (0 0 0) (name \"ground\") (solid plane))"
              " (place (0 0 1.5) (joint free \"crate\" (mass 2 1 1 1) (solid box 1 1 1)))"
              " (contact \"crate\" \"ground\" (friction 0.5) (name \"floor\"))"
              " (simulate (dt 0.01) (time 1)))");
  const outcome o = shell_expect(0, "$CARDAN run drop.mbs --add contacts --out a.h5");
  assert_non_null(strstr(o.out, "1 impact, 20 J lost in them, "));
  assert_non_null(strstr(o.out, " sweeps and "));
  shell_expect(0, "$CARDAN run a.h5 --out b.h5 --quiet && cmp a.h5 b.h5");
  const outcome json = shell_expect(0, "$CARDAN run a.h5 --out a.csv --json");
  assert_true(json_valid(json.out));
  assert_int_equal(atoi(json_find(json.out, "contacts.impacts")), 1);
  assert_int_equal(atoi(json_find(json.out, "contacts.events_max")), 1);
  assert_true(fabs(json_double(json.out, "contacts.lost") - 20) < 1e-9);
  assert_true(json_double(json.out, "contacts.overlap") < 1e-9);
  assert_true(json_double(json.out, "contacts.error") < 1e-9);
  assert_true(json_double(json.out, "contacts.solves") >= 3); // the crate comes to rest at once
  // it falls 1 m in 0.447 s; 4 corners carry 20 N from then on
  const outcome states = shell_expect(
      0, "awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }"
         " { print $c[\"contacts\"], $c[\"impacts\"], $c[\"c.floor.state\"],"
         " ($c[\"c.floor.fn\"] - 20)^2 < 1e-12, ($c[\"gap\"])^2 < 1e-18 }' a.csv | uniq");
  assert_string_equal(states.out, "0 0 0 0 0\n4 1 1 1 1\n");
}

// errors are measured against a method that holds the contacts; those that cannot are refused
static void contacts_compared(void **state)
{
  (void)state;
  shell_write("slide.mbs",
              "(system (gravity 0 0 -10) (place (0 0 0) (name \"ground\") (solid plane))"
              " (place (0 0 0.5) (joint free \"crate\" (mass 2 1 1 1) (solid box 1 1 1)))"
              " (contact \"crate\" \"ground\" (friction 0.1)) (simulate (dt 0.01) (time 0.5)))");
  const outcome o =
      shell_expect(0, "$CARDAN compare slide.mbs --methods vi,aba/rk4 --init v.crate.vx=2 --json");
  assert_true(json_valid(o.out));
  assert_non_null(strstr(json_find(o.out, "reference"), "vi at dt 0.00125"));
  assert_non_null(strstr(o.out, "\"refused\":\""));
  assert_true(strtod(strstr(o.out, "\"error_final\":") + 14, NULL) < 1e-10); // forces are constant
}

// after 1 s x = 1/2, v = 1; after 1.5 s 5/8, -1/2; after 2 s x = 3/8
static void inputs_come_from_a_table(void **state)
{
  (void)state;
  shell_write("s.mbs", "(system (input \"f\" 1) (tx \"s\" (mass 1 1 1 1)) (torque \"s\" u.f))");
  shell_write("f.csv", "t,u.f\n0,1\n1,-3\n1.5,0\n");
  const char *const how[] = {"vi", "aba --integrator ode45", "aba --integrator dopri5", "rattle"};
  for (int i = 0; i < 4; i++) {
    char line[256];
    snprintf(line, sizeof line,
             "$CARDAN run s.mbs --method %s --dt 0.1 --time 2 --input f.csv --quiet --out - | "
             "awk -F, 'NR == 12 { print $9 } END { print $1, ($2 - 0.375)^2 < 1e-16, $9 }'",
             how[i]);
    assert_string_equal(shell_expect(0, line).out, "-3\n2 1 0\n");
  }
  // a result has all that it needs, and knows how the table was read
  shell_expect(0, "$CARDAN run s.mbs --dt 0.3 --time 2.1 --input f.csv --input-mode linear --quiet "
                  "--out a.h5 && rm f.csv && $CARDAN run a.h5 --quiet --out b.h5 && cmp a.h5 b.h5");
  shell_expect(0, "$CARDAN run s.mbs --init u.f=2 --time 0 --quiet --out - | grep ',2$'");
  shell_refused(1, "$CARDAN run s.mbs --init u.g=2", "expected one such as u.f");
  shell_refused(1, "$CARDAN run s.mbs --input f.csv", "cannot read f.csv");
  shell_refused(1, "$CARDAN run s.mbs --input-mode held", "expected --input FILE.csv too");
  shell_write("f.csv", "t,u.f\n0,1\n1,-3\n0.5,0\n");
  shell_refused(1, "$CARDAN run s.mbs --input f.csv", "f.csv:4:1: found t = 0.5 after 1");
  shell_refused(1, "$CARDAN run pendulum --input f.csv", "a model without any");
  shell_write("f.csv", "t,u.f\n0,1\n");
  const outcome o = shell_expect(0, "$CARDAN run s.mbs --input f.csv --json");
  assert_non_null(strstr(o.err, "f.csv ends at t = 0 s: its last row is held"));
}

// both kinds of table hold the same bits
static void csv_and_hdf5_agree(void **state)
{
  char path[256];
  cardan_result *result;
  (void)state;
  shell_expect(0,
               "$CARDAN run chain --time 1 --out a.csv && $CARDAN run chain --time 1 --out a.h5");
  table t = read_file("a.csv");
  assert_int_equal(
      cardan_result_open(folder_path(&shell_folder, "a.h5", path), NULL, &result, NULL), CARDAN_OK);
  assert_int_equal(result->nrow, t.nrow);
  assert_int_equal(result->ncolumn, t.ncolumn);
  const size_t n = (size_t)t.nrow * (size_t)t.ncolumn;
  double *rows = malloc(n * sizeof *rows);
  assert_int_equal(cardan_result_rows(result, 0, t.nrow, rows, NULL), CARDAN_OK);
  assert_memory_equal(rows, t.value, n * sizeof *rows);
  free(rows);
  cardan_result_close(result);
  free_table(&t);
}

// a result of a model that does work has work and balance, requested or not, behind the requested
// columns; CSV, also one of such a result, and a result of a model that does none have not
static void results_have_the_work(void **state)
{
  static const struct {
    const char *run, *last[2]; // the last columns of the result and of its CSV
  } cases[] = {{"slider-crank", {"balance", "iterations"}},
               {"slider-crank --add momentum", {"balance", "L.z"}},
               {"slider-crank --add work", {"balance", "balance"}},
               {"rope", {"lost.impact", "iterations"}},
               {"gear", {"iterations", "iterations"}},
               {"chain:3", {"iterations", "iterations"}}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[256], line[512];
    cardan_result *result;
    snprintf(line, sizeof line,
             "rm -f a.h5 b.h5 a.csv b.csv && $CARDAN run %s --time 0.1 --quiet --out a.h5 && "
             "$CARDAN run %s --time 0.1 --quiet --out a.csv && "
             "$CARDAN run a.h5 --quiet --out b.csv && cmp a.csv b.csv && "
             "$CARDAN run a.h5 --quiet --out b.h5 && cmp a.h5 b.h5",
             cases[i].run, cases[i].run);
    shell_expect(0, line);
    assert_int_equal(
        cardan_result_open(folder_path(&shell_folder, "a.h5", path), NULL, &result, NULL),
        CARDAN_OK);
    table t = read_file("a.csv");
    assert_string_equal(result->column[result->ncolumn - 1], cases[i].last[0]);
    assert_string_equal(strrchr(t.header, ',') + 1, cases[i].last[1]);
    int asked = 0;
    for (int k = 0; k < result->ncolumn; k++) {
      asked += cardan_result_was_requested(result, k);
    }
    assert_int_equal(asked, t.ncolumn);
    free_table(&t);
    cardan_result_close(result);
  }
  shell_expect(0, "rm -f a.h5 b.h5 && $CARDAN run slider-crank --time 0.2 --quiet --out a.h5 && "
                  "$CARDAN run slider-crank --time 0.1 --quiet --out b.h5 && "
                  "$CARDAN run b.h5 --continue --time 0.2 --quiet && cmp a.h5 b.h5");
}

// exit status 3: the good rows are kept, and the message says when, where, and what to try
static void stops_where_it_cannot_go_on(void **state)
{
  (void)state;
  shell_write("nan.mbs", "(system (joint revolute \"a\" (mass 1 1 1 1))\n"
                         " (torque \"a\" (sqrt (- 0.505 t))))\n");
  const char *const files[] = {"nan.csv", "nan.h5"};
  for (int i = 0; i < 2; i++) {
    char line[128];
    snprintf(line, sizeof line, "$CARDAN run nan.mbs --method aba --time 1 --json --out %s",
             files[i]);
    const outcome o = shell_expect(3, line);
    assert_non_null(strstr(o.err, "t = 0.5, in step 51"));
    assert_non_null(
        strstr(o.err, "(sqrt (- 0.505 t)) (torque \"torque1\", line 2) is not a number"));
    assert_non_null(strstr(o.err, "try"));
    assert_true(json_valid(o.out));
    const char *error = json_find(o.out, "error");
    assert_non_null(strstr(error, "\"status\":\"not-finite\""));
    assert_non_null(strstr(error, "torque1"));
    assert_true(json_double(error, "t") == 0.5 && json_double(error, "step") == 51);
    assert_true(json_double(o.out, "steps") == 50);
  }
  table t = read_file("nan.csv");
  assert_int_equal(t.nrow, 51);
  free_table(&t);
  shell_expect(3, "$CARDAN run nan.mbs --method vi --time 1");
  shell_expect(3, "$CARDAN run nan.h5 --out again.h5");
  shell_expect(0, "cmp nan.h5 again.h5");
}

// a trace is a table: it appears whole, when the run is over, and its path is looked at before
// an integrator that chooses its steps says which limit it met, and names another
static void adaptive_ones_say_their_limit(void **state)
{
  (void)state;
  shell_write("stiff.mbs", "(system (ry \"a\" (mass 1 1 1 1)) (initial (\"a\" 1))\n"
                           " (torque \"a\" (- (* -1e9 q.a) (* 1e7 v.a))))");
  const outcome o = shell_expect(3, "$CARDAN run stiff.mbs --method aba --integrator ode45 --dt 1");
  assert_non_null(strstr(o.err, "integrator ode45 made 100000 steps within one of dt"));
  assert_non_null(strstr(o.err, "integrator bdf takes stiff forces"));
  shell_expect(0, "$CARDAN run stiff.mbs --method aba --integrator bdf --dt 1");
  shell_write("pole.mbs", "(system (ry \"a\" (mass 1 1 1 1)) (initial (\"a\" 1))\n"
                          " (torque \"a\" (/ -1 (^ q.a 2))))");
  const outcome p = shell_expect(3, "$CARDAN run pole.mbs --method aba --integrator dopri5 --dt 1");
  assert_non_null(strstr(p.err, "cannot keep --rtol 1e-06 and --atol 1e-09 with any step"));
  assert_non_null(strstr(p.err, "integrator rk4"));
}

// a motion that jumps is reported in the summary, the object and the page; --strict ends before it
static void doubts_are_reported(void **state)
{
  (void)state;
  const char *run = "$CARDAN run double-pendulum --method aba --integrator euler --dt 0.1 --time 2";
  char line[256];
  snprintf(line, sizeof line, "%s --json > a.json 2> a.err", run);
  shell_expect(0, line);
  char *text = shell_read("a.json");
  assert_true(json_double(text, "jumps") >= 1);
  const double time = json_double(text, "jump_time");
  assert_true(time > 0.1 && time < 2);
  assert_non_null(strstr(json_find(text, "warnings"), "the energy balance changed by"));
  free(text);
  snprintf(line, sizeof line, "%s 2>&1 | grep -q 'in doubt  *from t = '", run);
  shell_expect(0, line);
  snprintf(line, sizeof line, "%s --strict --out b.csv 2> b.err", run);
  shell_expect(3, line);
  table t = read_file("b.csv");
  const double *last = t.value + (t.nrow - 1) * t.ncolumn, before = time - 0.1;
  assert_near_vec(last, &before, 1, 1e-12);
  free_table(&t);
  shell_expect(0, "grep -q 'cardan: from t = .*the energy balance changed' b.err");
  shell_expect(2, "$CARDAN run slider-crank --strict --init v.crank=1 2> c.err");
  shell_expect(0, "grep -q 'not the one given' c.err");
}

// a start that is refused is in the object, with its status and what it says
static void refused_starts_are_reported(void **state)
{
  (void)state;
  shell_write("stiff.mbs", "(system (tx \"x\" (mass 1 1 1 1)) (joint-spring \"x\" 1e6 0))");
  shell_write("in.mbs", "(system (tx \"x\" (mass 1 1 1 1) (solid sphere 1))\n"
                        " (tx 1 (ty \"y\" (mass 1 1 1 1) (solid sphere 1)))\n"
                        " (contact \"x\" \"y\"))");
  static const char *const runs[][2] = {{"stiff.mbs --strict", "its swings are not followed"},
                                        {"in.mbs", "overlap"},
                                        {"in.mbs --quiet --out in.h5", "overlap"}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    char line[128];
    snprintf(line, sizeof line, "$CARDAN run %s --json", runs[i][0]);
    const outcome o = shell_expect(2, line);
    assert_non_null(strstr(o.err, runs[i][1]));
    assert_true(json_valid(o.out));
    const char *error = json_find(o.out, "error");
    assert_non_null(strstr(error, "\"status\":\"assembly\""));
    assert_non_null(strstr(error, runs[i][1]));
    assert_true(json_double(o.out, "steps") == 0);
  }
  shell_expect(0, "! test -e in.h5 && ! test -e in.partial.h5");
}

static void traces(void **state)
{
  (void)state;
  shell_expect(0, "$CARDAN run pendulum:2 --dt 0.01 --time 0.02 --quiet --trace t.csv && "
                  "test $(head -1 t.csv) = step,t,evaluation,residual && "
                  "grep -q '^1,0,1,[0-9.e-]*$' t.csv && grep -q '^2,0.01[0-9]*,1,' t.csv && "
                  "$CARDAN run pendulum:2 --dt 0.01 --time 0.02 --quiet --trace - | cmp - t.csv && "
                  "$CARDAN run pendulum:2 --dt 0.01 --time 0.02 --quiet --trace other.txt && "
                  "cmp t.csv other.txt");
  shell_refused(1, "$CARDAN run pendulum --time 1e9 --trace none/t.csv", "No such file");
  // a run that never starts leaves the old one as it was, and nothing beside it
  shell_write("open.mbs", "(system (joint revolute \"a\" (tx 1 (name \"A\") (mass 1 1 1 1)))\n"
                          " (place (5 0 0) (name \"B\")) (coincide \"A\" \"B\"))\n");
  shell_refused(2, "$CARDAN run open.mbs --trace t.csv --out new.csv", "coincide");
  shell_expect(0, "cmp t.csv other.txt && ! test -e new.csv && "
                  "! ls -a | grep -q 'cardan-.*tmp' && rm t.csv other.txt");
  // the step that failed is in it
  shell_expect(3, "$CARDAN run chain:10 --dt 0.5 --time 50 --trace t.csv --out a.csv --quiet");
  shell_expect(0, "test $(tail -1 t.csv | cut -d, -f1) -eq $(($(wc -l < a.csv) - 1)) && "
                  "rm t.csv a.csv");
}

// table, page and trace of one run: the table is the one that it writes alone
static void several_sinks(void **state)
{
  (void)state;
  const outcome o = shell("$CARDAN run closed-chain --time 0.5 --report p.html --quiet");
  if (o.status != 0) {
    skip(); // built without pages
  }
  for (int i = 0; i < 2; i++) {
    shell_expect(
        0, i == 0 ? "$CARDAN run closed-chain --time 0.5 --every 3 --add reactions --quiet "
                    "--out a.csv --report p.html --trace t.csv && "
                    "$CARDAN run closed-chain --time 0.5 --every 3 --add reactions --quiet "
                    "--out b.csv && cmp a.csv b.csv && test $(wc -l < a.csv) -eq 18"
                  : "$CARDAN run closed-chain --time 0.5 --quiet --out a.h5 --report p.html && "
                    "$CARDAN run closed-chain --time 0.5 --quiet --out b.h5 && cmp a.h5 b.h5 "
                    "&& rm a.csv b.csv a.h5 b.h5 p.html t.csv");
  }
}

// a result continues to a later time: its file, and the summary, are those of one run
static void goes_on(void **state)
{
  (void)state;
  shell_expect(0, "for m in vi 'aba --integrator bdf'; do "
                  "$CARDAN run chain:5 --method $m --time 2 --every 3 --out whole.h5 --json | "
                  "sed 's/\"wall_seconds\":[^,]*,//' >a && "
                  "$CARDAN run chain:5 --method $m --time 1 --every 3 --quiet --out r.h5 && "
                  "$CARDAN run r.h5 --continue --time 2 --json --report r.html | "
                  "sed 's/\"wall_seconds\":[^,]*,//' >b && cmp a b && cmp r.h5 whole.h5 && "
                  "$CARDAN run r.h5 --continue --quiet && cmp r.h5 whole.h5 || exit 1; done");
  shell_refused(1, "$CARDAN run r.h5 --continue --dt 0.1", "a run continues as it began");
  shell_refused(1, "$CARDAN run r.h5 --continue --rank-tol 1e-3",
                "--rank-tol is \"0.001\", and the result's is not given");
  shell_refused(1, "$CARDAN run r.h5 --continue --time 1 --quiet", "expected at least");
  shell_refused(1, "$CARDAN run r.h5 --continue --out x.h5", "--out does not go with --continue");
  shell_refused(1, "$CARDAN run r.h5 --continue --set m=2", "--set does not go with --continue");
  shell_refused(1, "$CARDAN run nothing.h5 --continue", "cannot read");
  shell_refused(1, "$CARDAN run ./a --continue", "--continue continues the result");
  shell_refused(1, "$CARDAN run ./a --continue --trace b.csv", "a trace is of all steps");
  shell_refused(1, "$CARDAN run chain:3 --continue", "--continue continues the result");
  shell_refused(1, "echo t >e.partial.csv; $CARDAN run e.partial.csv --continue", "is none");
  shell_refused(1, ": >e.partial.h5; $CARDAN run e.h5 --continue", "no row to continue from");
  shell_refused(1, "$CARDAN run chain:5 --checkpoint 5", "expected --out FILE.h5 too");
  shell_refused(1, "$CARDAN run chain:5 --out s.h5 --checkpoint -5", "expected seconds");
  // a bound on the estimated error changes no motion: it may be given later
  shell_expect(0, "for m in vi 'aba --integrator dop853'; do "
                  "$CARDAN run chain:5 --method $m --max-error 1e-9 --time 2 --out whole.h5 2>a "
                  ">/dev/null && $CARDAN run chain:5 --method $m --time 1 --quiet --out l.h5 && "
                  "$CARDAN run l.h5 --continue --time 2 --max-error 1e-9 2>b >/dev/null && "
                  "grep -e '--max-error' a >c && grep -e '--max-error' b | cmp - c && cmp l.h5 "
                  "whole.h5 || exit 1; done");
  // a file without a state is done again; one that would continue to another motion is refused
  shell_expect(0, "$CARDAN run r.h5 --quiet --checkpoint 0 --out s.h5");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_in_order),
      cmocka_unit_test(rows_and_summary_agree),
      cmocka_unit_test(json_has_the_keys_of_the_contract),
      cmocka_unit_test(nodes_without_rows),
      cmocka_unit_test(steps_and_rows),
      cmocka_unit_test(options_override_the_model),
      cmocka_unit_test(start_values),
      cmocka_unit_test(keyframes),
      cmocka_unit_test(odd_names),
      cmocka_unit_test(to_standard_output),
      cmocka_unit_test(same_bits_again),
      cmocka_unit_test(contacts_are_told),
      cmocka_unit_test(contacts_compared),
      cmocka_unit_test(results_run_again),
      cmocka_unit_test(goes_on),
      cmocka_unit_test(csv_and_hdf5_agree),
      cmocka_unit_test(results_have_the_work),
      cmocka_unit_test(inputs_come_from_a_table),
      cmocka_unit_test(stops_where_it_cannot_go_on),
      cmocka_unit_test(doubts_are_reported),
      cmocka_unit_test(refused_starts_are_reported),
      cmocka_unit_test(adaptive_ones_say_their_limit),
      cmocka_unit_test(traces),
      cmocka_unit_test(several_sinks),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
