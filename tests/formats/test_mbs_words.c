// SPDX-License-Identifier: Apache-2.0
// Words that stand for others: repeat, its index and its strings; units and let in numbers; tables
// over files.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "mbs_fixture.h"
#include "model/spec.h"
#include "robot_fixture.h"

// two texts that mean the same
static void same(const char *text, const char *written)
{
  cardan_spec *a = read_good(text), *b = read_good(written);
  assert_same_spec(a, b, false);
  assert_round_trip(a, false);
  cardan_spec_destroy(a);
  cardan_spec_destroy(b);
}

static void repeats(void **state)
{
  (void)state;
  same("(system (repeat i 1 3 (tx i (name \"A{i}\") (mass 1))))",
       "(system (tx 1 (name \"A1\") (mass 1)) (tx 2 (name \"A2\") (mass 1))"
       " (tx 3 (name \"A3\") (mass 1)))");
  // a chain: the frame before; expressions in braces; names in expressions
  same("(system (tz 0 (name \"e0\")) (repeat k 1 2 (at \"e{k-1}\" (ry \"q{k}\" (mass k 1 1 1)"
       " (tz (- k) (name \"e{k}\")))) (torque \"q{k}\" (- (v \"q{(+ (* 2 k) (- k))}\")))))",
       "(system (tz 0 (name \"e0\")) (at \"e0\" (ry \"q1\" (mass 1 1 1 1) (tz -1 (name \"e1\"))))"
       " (torque \"q1\" (- v.q1)) (at \"e1\" (ry \"q2\" (mass 2 1 1 1) (tz -2 (name \"e2\"))))"
       " (torque \"q2\" (- v.q2)))");
  // inside one another, inside a frame, a joint, at and when; the inner index ends with its list
  same("(system (joint revolute \"j\" (mass 1 1 1 1)"
       " (repeat i 0 1 (tx i (repeat J 1 2 (ty (* i j) (name \"{i}-{j}\")))) (tz 9)))"
       " (repeat i 1 2 (when (- i 1) (at \"j\" (repeat j 5 5 (tx (+ i j)))))))",
       "(system (joint revolute \"j\" (mass 1 1 1 1)"
       " (tx 0 (ty 0 (name \"0-1\")) (ty 0 (name \"0-2\"))) (tz 9)"
       " (tx 1 (ty 1 (name \"1-1\")) (ty 2 (name \"1-2\"))) (tz 9))"
       " (at \"j\" (tx 7)))");
  // constants in braces and as ends; braces that stay; none at all
  same("(system (define n 2) (repeat i (- n) (- 0 n) (tx i (name \"{n}{i+10}{{x}\")))"
       " (repeat i 1 0 (tx 3)) (when 0 (repeat i 1 2 (tx i))) (tx 1 (name \"{i}\")))",
       "(system (define n 2) (tx -2 (name \"28{x}\")) (tx 1 (name \"{i}\")))");
  // vectors, starts and wrenches
  same("(system (repeat i 1 2 (joint free \"b{i}\" (mass 1 1 1 1)) (wrench world \"b{i}\" (i 0 t)"
       " (0 0 (q \"b{i}.x\"))) (initial (\"b{i}.x\" i))))",
       "(system (joint free \"b1\" (mass 1 1 1 1)) (wrench world \"b1\" (1 0 t) (0 0 q.b1.x))"
       " (initial (\"b1.x\" 1)) (joint free \"b2\" (mass 1 1 1 1))"
       " (wrench world \"b2\" (2 0 t) (0 0 q.b2.x)) (initial (\"b2.x\" 2)))");
}

static void repeat_errors(void **state)
{
  static const struct {
    const char *text;
    cardan_status status;
    int line, column;
    const char *part;
  } cases[] = {
      {"(system\n(repeat))", CARDAN_ERR_SYNTAX, 2, 1, "expected the name of the index"},
      {"(system\n(repeat \"i\" 1 2 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 9, "without quotes"},
      {"(system\n(repeat t 1 2 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 9, "means something else here"},
      {"(system (define L 1)\n(repeat l 1 2 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 9, "something else"},
      {"(system\n(repeat i 1 2 (repeat i 1 2 (tx 1))))", CARDAN_ERR_SYNTAX, 2, 23,
       "expected a new name for the index of a repeat; with i = 1 in the repeat of line 2"},
      {"(system\n(repeat i 1.5 2 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 11, "expected a whole number"},
      {"(system\n(repeat i 1 2))", CARDAN_ERR_SYNTAX, 2, 1, "expected an item to repeat"},
      {"(system\n(repeat i 3 1 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 1, "the smaller index first"},
      {"(system\n(repeat i 1 3\n (tx (/ 1 (- i 2)))))", CARDAN_ERR_MODEL, 3, 6,
       "; with i = 2 in the repeat of line 2"},
      {"(system\n(repeat i 1 3\n (tx i (name \"A\"))))", CARDAN_ERR_MODEL, 3, 14,
       "; with i = 2 in the repeat of line 2"},
      {"(system\n(repeat i 1 3\n (tx (j))))", CARDAN_ERR_MODEL, 3, 7, "with i = 1"},
      {"(system\n(repeat i 1 3 (tx 1 (name \"{j}\"))))", CARDAN_ERR_MODEL, 2, 27,
       "in the braces of this string"},
      {"(system\n(repeat i 1 3 (tx 1 (name \"{}\"))))", CARDAN_ERR_SYNTAX, 2, 27, "found \"{}\""},
      {"(system\n(repeat i 1 3 (tx 1 (name \"{i\"))))", CARDAN_ERR_SYNTAX, 2, 27,
       "found \"{\" without \"}\""},
      {"(system\n(repeat i 1 3 (tx 1 (name \"{(/ i 2)}\"))))", CARDAN_ERR_SYNTAX, 2, 27,
       "found 0.5 in the braces of this string; expected a whole number"},
      {"(system\n(repeat i 1 3 (torque \"x\" (q \"{\"))))", CARDAN_ERR_SYNTAX, 2, 30, "without"},
      {"(system (joint revolute \"j\" (mass 1 1 1 1)\n(repeat i 1 1 (axis 1 0 0))))",
       CARDAN_ERR_SYNTAX, 2, 15, "outside of a joint"},
      {"(system (tx 1\n(repeat i 1 1 (spring \"a\" \"b\" 1 1))))", CARDAN_ERR_SYNTAX, 2, 15,
       "inside the frame of line 2"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    read_bad(cases[i].text, cases[i].status, cases[i].line, cases[i].column, cases[i].part);
  }
}

// a short text that would stand for too much is refused before any of it is read
static void repeat_bombs(void **state)
{
  cardan__text text;
  (void)state;
  read_bad("(system\n(repeat i 1 100000\n (repeat j 1 1000000\n (tx 1))))", CARDAN_ERR_SYNTAX, 3, 2,
           "more than 1e+06 items");
  read_bad("(system\n(repeat i 1 1000000000 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 1, "1e+06 items");
  // few items of long text
  cardan__text_init(&text, NULL);
  cardan__text_printf(&text, "(system\n(repeat i 1 10000 (output \"a\" (+");
  for (int i = 0; i < 2000; i++) {
    cardan__text_printf(&text, " t");
  }
  cardan__text_printf(&text, "))))");
  read_bad(text.data, CARDAN_ERR_SYNTAX, 2, 1, "16 MB of text");
  cardan__text_free(&text);
  // deep
  cardan__text_init(&text, NULL);
  cardan__text_printf(&text, "(system\n");
  for (int i = 0; i < 17; i++) {
    cardan__text_printf(&text, "(repeat i%d 1 1 ", i);
  }
  cardan__text_printf(&text, "(tx 1)");
  for (int i = 0; i < 18; i++) {
    cardan__text_printf(&text, ")");
  }
  read_bad(text.data, CARDAN_ERR_SYNTAX, 2, 247, "deeper than 16 levels");
  cardan__text_free(&text);
}

// a name that was made of a parameter cannot follow it
static void repeat_parameters(void **state)
{
  cardan_spec *spec =
      read_good("(system (parameter n 3) (parameter m 1) (repeat i 1 n (tx i (mass m))))");
  (void)state;
  assert_int_equal(spec->nframe, 4);
  assert_true(spec->define[0].rigid_pos.line > 0 && spec->define[1].rigid_pos.line == 0);
  assert_round_trip(spec, false);
  cardan_spec_destroy(spec);
  spec = read_good("(system (parameter n 3) (repeat i 1 1 (tx i (name \"{n}\"))))");
  assert_true(spec->define[0].rigid_pos.line > 0);
  cardan_spec_destroy(spec);
}

// units and let where numbers and expressions stand, and what they are rounded to
static void units_and_let(void **state)
{
  (void)state;
  same("(system (tx (mm 30) (mass (gram 5))) (place ((cm 1) 0 (mm 5)))"
       " (simulate (time (ms 5))))",
       "(system (tx 0.03 (mass 0.005)) (place (0.01 0 0.005)) (simulate (time 0.005)))");
  same("(system (define L 2) (tx (let ((a L) (b (* a a))) (+ a b)) (name \"A\"))"
       " (rz (k \"c\")) (motion \"c\" (let ((w (rpm 60))) (* w (sin (* w t))))))",
       "(system (define L 2) (tx 6 (name \"A\"))"
       " (rz (k \"c\")) (motion \"c\" (* (rpm 60) (sin (* (rpm 60) t)))))");
  // digits count in the unit that they are written in
  cardan_spec *spec = read_good("(system (tx (mm 12.34)))");
  assert_near(spec->rounding, 1e-5, 1e-20);
  cardan_spec_destroy(spec);
  spec = read_good("(system (repeat i 1234 1234 (tx 1)))");
  assert_true(spec->rounding == 0.0);
  cardan_spec_destroy(spec);
}

// ---- tables ----

/* Reads a model with one torque on it, over a file of that content. */
static cardan_status read_table(const char *torque, const char *content, cardan_spec **spec,
                                cardan_report *report)
{
  char *pairs[] = {(char *)"data.csv", (char *)content, NULL};
  const cardan_files files = robot_files(pairs);
  char text[512];
  snprintf(text, sizeof text, "(system (rx \"x\" (mass 1 1 1 1))\n(torque \"x\" %s))", torque);
  *report = (cardan_report){0};
  return cardan_spec_read_files(text, strlen(text), "model.mbs", NULL, 0, &files, NULL, spec,
                                report);
}

static void table_files(void **state)
{
  static const struct {
    const char *torque, *content, *written;
  } cases[] = {
      {"(table \"data.csv\" t)", "t,f\n0,1\n1,2\n2,4\n", "(table (data (0 1) (1 2) (2 4)) t)"},
      {"(table \"data.csv\" q.x linear hold)", "0,1\n1,2\r\n\n# end\n2 , 4",
       "(table (data (0 1) (1 2) (2 4)) q.x linear hold)"},
      {"(table \"data.csv\" t (column \"g\") cubic)",
       "\xef\xbb\xbft,f,\"g\"\n0,9,1\n1,9,2\n2,9,4\n", "(table (data (0 1) (1 2) (2 4)) t)"},
      {"(+ (table \"data.csv\" t (column 3)) (table \"data.csv\" t (column 2)))",
       "0,9,1\n1,8,2\n2,9,4\n",
       "(+ (table (data (0 1) (1 2) (2 4)) t) (table (data (0 9) (1 8) (2 9)) t))"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_spec *a, *b;
    cardan_report report;
    if (read_table(cases[i].torque, cases[i].content, &a, &report) != CARDAN_OK) {
      fail_msg("%s: %s", cases[i].torque, report.message);
    }
    assert_int_equal(read_table(cases[i].written, "", &b, &report), CARDAN_OK);
    assert_same_spec(a, b, false);
    assert_round_trip(a, false); // the points are in the text
    // a column is read once
    assert_int_equal(cardan_spec_files(a), i == 3 ? 2 : 1);
    cardan_spec_destroy(a);
    cardan_spec_destroy(b);
  }
}

static void table_file_errors(void **state)
{
  static const struct {
    const char *torque, *content, *file;
    int line, column;
    const char *part;
  } cases[] = {
      {"(table \"data.csv\" t)", "", "data.csv", 1, 1, "found no rows"},
      {"(table \"data.csv\" t)", "t,f\n", "data.csv", 2, 1, "at least two"},
      {"(table \"data.csv\" t)", "t,f\n0,1\n", "data.csv", 3, 1, "found 1 row(s)"},
      {"(table \"data.csv\" t)", "t\n0\n1\n", "data.csv", 1, 1, "found 1 column; expected 2"},
      {"(table \"data.csv\" t)", "t,f,g\n0,1,2\n1,2,3", "data.csv", 1, 1, "found 3 columns"},
      {"(table \"data.csv\" t (column \"h\"))", "t,f\n0,1\n1,2", "data.csv", 1, 1, "column \"h\""},
      {"(table \"data.csv\" t (column \"h\"))", "0,1\n1,2", "data.csv", 1, 1, "have no names"},
      {"(table \"data.csv\" t (column \"h\"))", "t,h,h\n0,1,2\n1,2,3", "data.csv", 1, 5,
       "a second column \"h\""},
      {"(table \"data.csv\" t (column 4))", "0,1\n1,2", "data.csv", 1, 1, "expected 4"},
      {"(table \"data.csv\" t (column 1))", "0,1\n1,2", "model.mbs", 2, 41, "from 2"},
      {"(table \"data.csv\" t (column x))", "0,1\n1,2", "model.mbs", 2, 41, "name of a column"},
      {"(table \"data.csv\" t)", "t,f\n0,1\n1,two", "data.csv", 3, 3, "expected a number"},
      {"(table \"data.csv\" t)", "t,f\n0,1\n1,inf", "data.csv", 3, 3, "expected a number"},
      {"(table \"data.csv\" t)", "t,f\n0,1\n1,1e999", "data.csv", 3, 3, "expected a finite"},
      {"(table \"data.csv\" t)", "t,f\n0,1\n1,", "data.csv", 3, 3, "an empty field"},
      {"(table \"data.csv\" t)", "t,f\n0,1\n1", "data.csv", 3, 2, "found 1 fields"},
      {"(table \"data.csv\" t)", "t,f\n0,1\n1,2,3", "data.csv", 3, 4, "more than 2 fields"},
      {"(table \"data.csv\" t)", "t,f\n0,1\n0,2", "data.csv", 3, 1, "expected it to increase"},
      {"(table \"none.csv\" t)", "", "model.mbs", 2, 20, "none.csv"},
      {"(table \"data.csv\" t) 3", "0,1\n1,2", "model.mbs", 2, 34, "nothing more"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_spec *spec;
    cardan_report report;
    assert_true(read_table(cases[i].torque, cases[i].content, &spec, &report) != CARDAN_OK);
    assert_null(spec);
    if (strcmp(report.file, cases[i].file) != 0 || report.pos.line != cases[i].line ||
        report.pos.column != cases[i].column || !strstr(report.message, cases[i].part)) {
      fail_msg("%s over \"%s\":\n%s:%d:%d: %s\nexpected %s:%d:%d .. %s", cases[i].torque,
               cases[i].content, report.file, report.pos.line, report.pos.column, report.message,
               cases[i].file, cases[i].line, cases[i].column, cases[i].part);
    }
  }
  // a text alone may name no file; where curvatures count, no kinks
  read_bad("(system (rx \"x\" (mass 1 1 1 1))\n(torque \"x\" (table \"f.csv\" t)))",
           CARDAN_ERR_MODEL, 2, 20, "only this text was given");
  static const char *const smooth[] = {"(motion \"x\" %s)", "(equation %s)", "(potential %s)",
                                       "(wire \"x\" \"world\" %s)"};
  for (int i = 0; i < 4; i++) {
    char text[256], item[128];
    const char *at = i == 2 ? "q.x" : "t";
    snprintf(item, sizeof item, "(table (data (0 1) (1 2)) %s linear)", at);
    int n = snprintf(text, sizeof text, "(system (tx \"x\" (mass 1))\n");
    const char *hole = strstr(smooth[i], "%s");
    n += snprintf(text + n, sizeof text - (size_t)n, "%.*s%s))", (int)(hole - smooth[i]), smooth[i],
                  item);
    const int column = (int)(hole - smooth[i]) + (int)strlen(item) - 6;
    read_bad(text, CARDAN_ERR_MODEL, 2, column, "differentiated twice");
  }
}

// in a repeat: the index in the names of files and columns, and the bound on rows
static void table_repeats(void **state)
{
  char *pairs[] = {(char *)"d1.csv", (char *)"t,c1,c2\n0,1,5\n1,2,6\n", (char *)"d2.csv",
                   (char *)"t,c1,c2\n0,3,7\n1,4,8\n", NULL};
  const cardan_files files = robot_files(pairs);
  static const char text[] = "(system (rx \"x\" (mass 1 1 1 1)) (repeat i 1 2"
                             " (torque \"x\" (table \"d{i}.csv\" t (column \"c{i}\")))))";
  cardan_spec *spec, *other;
  (void)state;
  assert_int_equal(
      cardan_spec_read_files(text, strlen(text), "a.mbs", NULL, 0, &files, NULL, &spec, NULL),
      CARDAN_OK);
  other = read_good("(system (rx \"x\" (mass 1 1 1 1)) (torque \"x\" (table (data (0 1) (1 2)) t))"
                    " (torque \"x\" (table (data (0 7) (1 8)) t)))");
  assert_same_spec(spec, other, false);
  cardan_spec_destroy(spec);
  cardan_spec_destroy(other);
  assert_true(robot_no_memory(text, "a.mbs", &files) > 20);
  // 2,000 rows 6,000 times
  cardan__text csv;
  cardan__text_init(&csv, NULL);
  for (int i = 0; i < 2000; i++) {
    cardan__text_printf(&csv, "%d,1\n", i);
  }
  cardan_report report = {0};
  char *large[] = {(char *)"d.csv", csv.data, NULL};
  const cardan_files more = robot_files(large);
  static const char many[] = "(system\n(repeat i 1 6000 (tx (table \"d.csv\" i))))";
  assert_int_equal(
      cardan_spec_read_files(many, strlen(many), "a.mbs", NULL, 0, &more, NULL, &spec, &report),
      CARDAN_ERR_SYNTAX);
  assert_non_null(strstr(report.message, "more than 10000000 rows in all"));
  assert_non_null(strstr(report.message, "with i = 5001"));
  cardan__text_free(&csv);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(repeats),           cmocka_unit_test(repeat_errors),
      cmocka_unit_test(repeat_bombs),      cmocka_unit_test(repeat_parameters),
      cmocka_unit_test(units_and_let),     cmocka_unit_test(table_files),
      cmocka_unit_test(table_file_errors), cmocka_unit_test(table_repeats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
