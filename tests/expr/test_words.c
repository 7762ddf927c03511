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

  // deeper than lists may be: the text that is printed has names
  cardan__text_init(&text, NULL);
  cardan__text_printf(&text, "(let ((a0 t)");
  for (int i = 1; i <= 12000; i++) {
    cardan__text_printf(&text, " (a%d (sin a%d))", i, i - 1);
  }
  cardan__text_printf(&text, ") a12000)");
  expect_same(text.data);
  cardan__text_free(&text);
}

// ---- tables ----

#define DATA "(data (-1 2) (0 0.5) (0.5 0.25) (2 -1) (2.5 3) (4 0))"
static const double xs[] = {-1, 0, 0.5, 2, 2.5, 4}, ys[] = {2, 0.5, 0.25, -1, 3, 0};

// value, slope and curvature of a text in q.x
static void jet(const char *text, double x, double f[3])
{
  cardan__expr *expr = test_read(text);
  double work[256], g;

  assert_int_equal(expr->nleaf, 1);
  assert_true(cardan__expr_work(expr) <= 256);
  f[0] = cardan__expr_hessian(expr, &x, work, &f[1], &f[2]);
  if (isfinite(x)) {
    assert_true(cardan__expr_value(expr, &x, work) == f[0]);
    assert_true(cardan__expr_gradient(expr, &x, work, &g) == f[0] && g == f[1]);
    // along a motion with velocity 3 and acceleration -2
    const double x1 = 3, x2 = -2;
    double E[3];
    cardan__expr_jet(expr, &x, &x1, &x2, work, E);
    assert_near(E[1], 3 * f[1], 4 * DBL_EPSILON * fabs(3 * f[1]));
    assert_near(E[2], 9 * f[2] - 2 * f[1], 8 * DBL_EPSILON * (fabs(9 * f[2]) + fabs(2 * f[1])));
  }
  test_drop(expr);
}

// through the points, slopes and curvatures by differences, both continuous at the points
static void table_spline(void **state)
{
  static const char text[] = "(table " DATA " q.x)";
  const double h = 1e-4;
  double f[3], low[3], high[3];

  (void)state;
  for (int k = 0; k < 6; k++) {
    jet(text, xs[k], f);
    assert_near(f[0], ys[k], 4 * DBL_EPSILON * 3);
  }
  for (double x = -1.7; x < 4.8; x += 0.037) {
    jet(text, x, f);
    jet(text, x - h, low);
    jet(text, x + h, high);
    // differences of the value are off by h^2 / 6 of the third derivative, those of the slope by
    // h / 2 of its jump, where they reach over a point: both are less than 200 here
    assert_near((high[0] - low[0]) / (2 * h), f[1], 200 * h * h);
    assert_near((high[1] - low[1]) / (2 * h), f[2], 200 * h);
  }
  // beyond the range: straight on, with the slope at the end
  jet(text, 4, f);
  jet(text, 7, high);
  assert_near(high[0], f[0] + 3 * f[1], 10 * DBL_EPSILON * fabs(3 * f[1]));
  assert_true(high[1] == f[1] && high[2] == 0);
  jet("(table " DATA " q.x hold)", 7, high);
  assert_true(high[0] == f[0] && high[1] == 0 && high[2] == 0);
}

// what the spline gives back exactly: a cubic, of three points a parabola, of two a line
static void table_polynomials(void **state)
{
  static const char *const tables[] = {
      "(table (data (-2 -8) (-1 -1) (0.5 0.125) (1 1) (3 27)) q.x)", // x^3
      "(table (data (-2 -8) (-1 -1) (0.5 0.125) (1 1)) q.x)",
      "(table (data (-2 4) (0.5 0.25) (1 1)) q.x)", // x^2
      "(table (data (-2 -8) (1 1)) q.x)",           // 3 x - 2
  };
  double f[3];

  (void)state;
  for (double x = -2; x <= 1; x += 0.125) {
    const double expected[4][3] = {{x * x * x, 3 * x * x, 6 * x},
                                   {x * x * x, 3 * x * x, 6 * x},
                                   {x * x, 2 * x, 2},
                                   {3 * x - 2, 3, 0}};
    for (int k = 0; k < 4; k++) {
      jet(tables[k], x, f);
      // some ten operations of elimination on numbers up to 27 and slopes up to 12
      assert_near_vec(f, expected[k], 3, 200 * DBL_EPSILON * 27);
    }
  }
}

// a spline of smooth data: its error falls with the fourth power of the spacing, to the ends
static void table_order(void **state)
{
  double error[2] = {0};

  (void)state;
  for (int round = 0; round < 2; round++) {
    const int n = 20 << round;
    cardan__text text;
    double f[3];
    cardan__text_init(&text, NULL);
    cardan__text_printf(&text, "(table (data");
    for (int k = 0; k <= n; k++) {
      cardan__text_printf(&text, " (%.17g %.17g)", 2.0 * k / n, cos(2.0 * k / n));
    }
    cardan__text_printf(&text, ") q.x)");
    for (double x = 0; x <= 2; x += 0.01) {
      jet(text.data, x, f);
      error[round] = fmax(error[round], fabs(f[0] - cos(x)));
    }
    cardan__text_free(&text);
  }
  assert_true(error[0] < 1e-5 && error[0] / error[1] > 12); // 16 in the limit
}

static void table_linear(void **state)
{
  static const char text[] = "(table " DATA " q.x linear)";
  double f[3];

  (void)state;
  for (int k = 0; k < 5; k++) {
    const double slope = (ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k]);
    jet(text, xs[k], f); // the slope on the right
    assert_true(f[0] == ys[k] && f[1] == slope && f[2] == 0);
    jet(text, 0.25 * xs[k] + 0.75 * xs[k + 1], f);
    assert_near(f[0], 0.25 * ys[k] + 0.75 * ys[k + 1], 10 * DBL_EPSILON);
    assert_true(f[1] == slope && f[2] == 0);
  }
  jet(text, -3, f);
  assert_near(f[0], 2 + 2 * 1.5, 10 * DBL_EPSILON);
  jet("(table " DATA " q.x linear hold)", -3, f);
  assert_true(f[0] == 2 && f[1] == 0);
  jet(text, NAN, f);
  assert_true(isnan(f[0]));
}

// of any argument, of constants, more than one, in let, printed and read again
static void table_texts(void **state)
{
  const double x = 0.3;
  double f[3], g[3];

  (void)state;
  assert_true(number("(table " DATA " 0.5)") == 0.25);
  assert_near(number("(table (data (0 0) (1 10)) (/ L 2) linear)"), 1.25, DBL_EPSILON * 2);
  jet("(* 2 (table " DATA " (* q.x q.x)))", x, f);
  jet("(table " DATA " q.x)", x * x, g);
  assert_near(f[1], 4 * x * g[1], 10 * DBL_EPSILON * fabs(f[1]));
  assert_near(f[2], 4 * g[1] + 8 * x * x * g[2], 10 * DBL_EPSILON * (fabs(g[1]) * 4 + fabs(g[2])));
  expect_same("(table " DATA " q.x)");
  expect_same("(table " DATA " (sin (* t (dist \"A\" \"B\"))) linear hold)");
  expect_same("(table " DATA " (table (data (0 1) (1e-3 7.123456789012345)) t linear) hold)");
  expect_same("(if (< t 1) (table " DATA " t) (+ (table " DATA " q.x) (table " DATA
              " q.x linear)))");
  // one table, however often it stands
  cardan__expr *one = test_read("(table " DATA " q.x)");
  cardan__expr *two = test_read("(+ (table " DATA " q.x) (table " DATA " q.y))");
  cardan__expr *other =
      test_read("(table (data (-1 2) (0 0.5) (0.5 0.25) (2 -1) (2.5 3) (4 1)) q.x)");
  assert_int_equal(one->tables, two->tables);
  assert_int_equal(one->tables, other->tables);
  assert_false(cardan__expr_equal(one, other));
  test_drop(one);
  test_drop(two);
  test_drop(other);
}

static void table_errors(void **state)
{
  cardan__expr_scope scope = test_scope;
  cardan_report report = {0};
  cardan__expr *expr;

  (void)state;
  expect_error("(table)", 1, "found 0 arguments of \"table\"");
  expect_error("(table 3 t)", 8, "expected (table \"data.csv\" x) or (table (data (x y) ..) x)");
  expect_error("(table \"f.csv\" t)", 8, "only a model file may name one");
  expect_error("(table (data (0 1)) t)", 8, "at least two points");
  expect_error("(table (data (0 1) (1)) t)", 20, "expected a point (x y) of two plain numbers");
  expect_error("(table (data (0 1) (1 t)) t)", 20, "expected a point (x y) of two plain numbers");
  expect_error("(table (data (0 1) 3) t)", 20, "expected a point (x y)");
  expect_error("(table (data (0 1) (0 2)) t)", 20, "found a point at x = 0 after one at 0");
  expect_error("(table (data (0 1) (1 2)) t smooth)", 29, "expected linear, cubic, hold");
  expect_error("(table (data (0 1) (1 2)) t (column 2))", 37, "no column where the points");
  expect_error("(table (data (0 1) (1e-300 1e300)) t)", 1, "slopes are not finite");
  expect_error("(table (data (0 1) (1 2)) k9)", 27, "no constant has this name");
  expect_error("(+ t (table (data (0 1) (1 1e300)) 1e300))", 6, "not finite");
  // where the second derivative counts
  scope.leaves = CARDAN__LEAVES_T;
  static const char *const kinks[] = {"(table (data (0 1) (1 2)) t linear)",
                                      "(table (data (0 1) (1 2)) t hold)"};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(cardan__expr_read(kinks[i], strlen(kinks[i]), &scope, NULL, &report, &expr),
                     CARDAN_ERR_MODEL);
    assert_non_null(strstr(report.message, "differentiated twice"));
    assert_int_equal(report.pos.column, 29);
  }
}

// a run can tell when a table was left, and not where it had no part in the result
static void table_beyond(void **state)
{
  cardan__expr *expr = test_read("(if (< q.x 5) (table " DATA " q.x hold) q.x)");
  double work[256], x = 3, at_x, end;

  (void)state;
  assert_false(cardan__expr_beyond(expr, &x, work, &at_x, &end));
  x = 4.5;
  assert_true(cardan__expr_beyond(expr, &x, work, &at_x, &end) && at_x == 4.5 && end == 4);
  x = -2;
  assert_true(cardan__expr_beyond(expr, &x, work, &at_x, &end) && at_x == -2 && end == -1);
  x = 6;
  assert_false(cardan__expr_beyond(expr, &x, work, &at_x, &end));
  test_drop(expr);
  expr = test_read("(sin q.x)");
  assert_false(cardan__expr_beyond(expr, &x, work, &at_x, &end));
  test_drop(expr);
}

static cardan_status read_table(const cardan_allocator *alloc, void *user)
{
  static const char text[] = "(+ (table " DATA " q.x) (let ((a (table " DATA " t hold))) (* a a)))";
  cardan__expr *expr;
  (void)user;
  const cardan_status status =
      cardan__expr_read(text, sizeof text - 1, &test_scope, alloc, NULL, &expr);
  cardan__resize(alloc, expr, 0);
  return status;
}

static void no_memory(void **state)
{
  (void)state;
  assert_true(support_fail_each(read_table, NULL) > 8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units),
      cmocka_unit_test(let_values),
      cmocka_unit_test(let_errors),
      cmocka_unit_test(let_doubling),
      cmocka_unit_test(let_many),
      cmocka_unit_test(table_spline),
      cmocka_unit_test(table_polynomials),
      cmocka_unit_test(table_order),
      cmocka_unit_test(table_linear),
      cmocka_unit_test(table_texts),
      cmocka_unit_test(table_errors),
      cmocka_unit_test(table_beyond),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
