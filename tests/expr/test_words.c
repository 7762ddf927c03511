// SPDX-License-Identifier: Apache-2.0
// The longer words of expressions: units, let and tables.
#include <float.h>
#include <math.h>

#include "expr/units.h"
#include "expr_test.h"

static const test_point at = {.t = 0.7, .x = 0.3, .y = -1.25, .z = 2.5};

static double number(const char *text)
{
  cardan__expr *expr = test_read(text);
  double value = NAN;

  assert_true(cardan__expr_is_constant(expr, &value));
  test_drop(expr);
  return value;
}

static void expect_error(const char *text, int column, const char *part)
{
  cardan_report report = {0};
  cardan__expr *expr;

  assert_int_equal(cardan__expr_read(text, strlen(text), &test_scope, NULL, &report, &expr),
                   CARDAN_ERR_MODEL);
  assert_null(expr);
  if (report.pos.column != column || !strstr(report.message, part)) {
    fail_msg("%s\n%d:%d: %s\nexpected column %d: .. %s ..", text, report.pos.line,
             report.pos.column, report.message, column, part);
  }
}

// what is printed reads to an equal expression; returns its length
static size_t expect_same(const char *text)
{
  cardan__expr *expr = test_read(text);
  cardan__text out;

  cardan__text_init(&out, NULL);
  cardan__expr_print(expr, &out);
  assert_false(out.failed);
  cardan__expr *again = test_read(out.data);
  if (!cardan__expr_equal(expr, again)) {
    fail_msg("%s\nis printed as %s", text, out.data);
  }
  const size_t length = out.length;
  cardan__text_free(&out);
  test_drop(expr);
  test_drop(again);
  return length;
}

// decimal units have the bits of the number written out; the others one rounding
static void units(void **state)
{
  static const struct {
    const char *text;
    double value;
  } exact[] = {{"(mm 30)", 0.03},      {"(MM 9)", 0.009},
               {"(cm 7)", 0.07},       {"(um 35)", 35e-6},
               {"(km 1.5)", 1500},     {"(ms 5)", 0.005},
               {"(us 70)", 70e-6},     {"(gram 5)", 0.005},
               {"(tonne 2)", 2000},    {"(kN 2)", 2000},
               {"(bar 3)", 3e5},       {"(kmh 36)", 10},
               {"(inch 1)", 0.0254},   {"(ft 1)", 0.3048},
               {"(lb 1)", 0.45359237}, {"(lbf 1)", 4.4482216152605}};

  (void)state;
  for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
    assert_true(number(exact[i].text) == exact[i].value);
  }
  assert_near(number("(rpm 900)"), 30 * CARDAN__PI, 4 * DBL_EPSILON * 95);
  assert_near(number("(Hz 5)"), 10 * CARDAN__PI, 4 * DBL_EPSILON * 32);
  // of any expression
  assert_true(test_value("(mm (* 1000 q.x))", &at) == 1000 * at.x / 1000);
  assert_true(number("(mm (+ 10 (* 4 5)))") == 0.03);
  expect_error("(mm 1 2)", 1, "found 2 arguments of \"mm\"; expected 1");
  expect_error("(mmm 1)", 2, "did you mean \"mm\"?");
  // no two units have one word
  for (int i = 0; cardan__unit_at(i); i++) {
    assert_ptr_equal(cardan__unit_of(cardan__unit_at(i)->word), cardan__unit_at(i));
  }
  assert_null(cardan__unit_of("metre"));
}

static void let_values(void **state)
{
  const double x = at.x, y = at.y;

  (void)state;
  assert_true(test_value("(let ((a q.x)) (* a a))", &at) == x * x);
  // one after the other; case apart; the inner name counts, and only inside
  assert_true(test_value("(let ((a q.x) (b (+ A q.y))) (- a B))", &at) == x - (x + y));
  assert_true(test_value("(let ((a q.x)) (+ (let ((a q.y)) a) a))", &at) == y + x);
  assert_true(test_value("(+ (let ((a q.x)) a) (let ((a q.y)) a))", &at) == x + y);
  assert_true(test_value("(let ((L q.x)) (* L 2))", &at) == x * 2); // L is a constant outside
  assert_true(number("(let ((a 2) (b (* a 3))) (+ a b))") == 8);
  assert_true(number("(let ((a 2)) L)") == 0.25);
  // shared parts are computed once
  cardan__expr *shared = test_read("(let ((s (sin (* 2 t)))) (+ (* s s) s))");
  cardan__expr *written = test_read("(+ (* (sin (* 2 t)) (sin (* 2 t))) (sin (* 2 t)))");
  assert_int_equal(shared->nins, 6);
  assert_true(cardan__expr_equal(shared, written));
  test_drop(shared);
  test_drop(written);
}

static void let_errors(void **state)
{
  (void)state;
  expect_error("(let 1 2)", 6, "expected (let ((name expression) ..) expression)");
  expect_error("(let () 2)", 6, "expected (let ((name expression) ..)");
  expect_error("(let ((a)) 2)", 7, "expected (let ((name expression) ..)");
  expect_error("(let ((a 1 2)) 2)", 7, "expected (let ((name expression) ..)");
  expect_error("(let ((\"a\" 1)) 2)", 7, "expected (let ((name expression) ..)");
  expect_error("(let ((a 1)) 2 3)", 1, "found 3 arguments of \"let\"; expected 2");
  expect_error("(let ((t 1)) 2)", 8, "this word is taken");
  expect_error("(let ((q.x 1)) 2)", 8, "this word is taken");
  expect_error("(+ (let ((a 1)) a) a)", 20, "no constant has this name");
  expect_error("(let ((a b) (b 1)) a)", 10, "no constant has this name");
}

// an expression that would be 2^60 long without names is printed, read and differentiated
static void let_doubling(void **state)
{
  cardan__text text;
  const double x = 0.999;
  double g, work[2048];

  (void)state;
  cardan__text_init(&text, NULL);
  cardan__text_printf(&text, "(let ((s0 q.x)");
  for (int i = 1; i <= 60; i++) {
    cardan__text_printf(&text, " (s%d (+ s%d s%d))", i, i - 1, i - 1);
  }
  cardan__text_printf(&text, ") s60)");
  cardan__expr *expr = test_read(text.data);
  assert_int_equal(expr->nins, 61);
  assert_true(expect_same(text.data) < 2000);
  assert_true(cardan__expr_work(expr) <= 2048);
  const double value = cardan__expr_gradient(expr, &x, work, &g);
  assert_true(value == 0x1p60 * x && g == 0x1p60); // sums of equals are exact
  test_drop(expr);
  cardan__text_free(&text);
}

// many names are read in time linear in the text, and a long text with shared parts keeps them
static void let_many(void **state)
{
  cardan__text text;

  (void)state;
  cardan__text_init(&text, NULL);
  cardan__text_printf(&text, "(let (");
  for (int i = 0; i < 20000; i++) {
    cardan__text_printf(&text, "(name%d (+ %s%d t)) ", i, i > 0 ? "name" : "", i > 0 ? i - 1 : 3);
  }
  cardan__text_printf(&text, ") (* name19999 name10000 (dist \"A\" \"B\") (dist \"A\" \"B\")))");
  expect_same(text.data);
  cardan__text_free(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units),        cmocka_unit_test(let_values), cmocka_unit_test(let_errors),
      cmocka_unit_test(let_doubling), cmocka_unit_test(let_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
