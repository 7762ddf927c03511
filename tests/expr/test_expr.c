// SPDX-License-Identifier: Apache-2.0
// Expressions: values, constants, leaves, printing, and each mistake at its place.
#include <float.h>
#include <math.h>

#include "expr_test.h"

#define PI 3.14159265358979323846

static const test_point at = {
    .t = 0.7, .x = 0.3, .y = -1.25, .z = 2.5, .A = {1.0, 2.0, 3.0}, .B = {-1.0, 4.0, 4.0}};

static void values(void **state)
{
  const double t = at.t, x = at.x, y = at.y, z = at.z;
  const struct {
    const char *text;
    double value;
  } cases[] = {
      {"t", t},
      {"T", t},
      {"q.x", x},
      {"V.y", y},
      {"(q \"x\")", x},
      {"(v \"y\")", y},
      {"(px \"A\")", 1.0},
      {"(PY \"B\")", 4.0},
      {"(pz \"A\")", 3.0},
      {"(dist \"A\" \"B\")", 3.0},
      {"(dist \"A\" \"A\")", 0.0},
      {"(+ q.x)", x},
      {"(+ q.x q.y q.z)", x + y + z},
      {"(- q.x)", -x},
      {"(- q.x q.y q.z)", x - y - z},
      {"(* q.x)", x},
      {"(* q.x q.y q.z)", x * y * z},
      {"(/ q.x)", 1 / x},
      {"(/ q.x q.y q.z)", x / y / z},
      {"(^ q.y 2)", y * y},
      {"(^ q.y 3)", y * y * y},
      {"(^ q.y -3)", pow(y, -3)},
      {"(^ q.y 0)", 1.0},
      {"(^ q.y 1)", y},
      {"(^ q.x q.y)", pow(x, y)},
      {"(^ q.z 0.5)", sqrt(z)},
      {"(neg q.x)", -x},
      {"(sin q.x)", sin(x)},
      {"(COS q.x)", cos(x)},
      {"(tan q.x)", tan(x)},
      {"(asin q.x)", asin(x)},
      {"(acos q.x)", acos(x)},
      {"(atan q.x)", atan(x)},
      {"(atan2 q.y q.z)", atan2(y, z)},
      {"(sinh q.x)", sinh(x)},
      {"(cosh q.x)", cosh(x)},
      {"(tanh q.x)", tanh(x)},
      {"(exp q.x)", exp(x)},
      {"(log q.x)", log(x)},
      {"(sqrt q.x)", sqrt(x)},
      {"(abs q.y)", -y},
      {"(min q.x q.y q.z)", y},
      {"(max q.x q.y q.z)", z},
      {"(max q.x)", x},
      {"(< q.x q.y)", 0.0},
      {"(> q.x q.y)", 1.0},
      {"(<= q.x q.x)", 1.0},
      {"(< q.x q.x)", 0.0},
      {"(>= q.x q.z)", 0.0},
      {"(> q.x q.x)", 0.0},
      {"(>= q.x q.x)", 1.0},
      {"(<= q.z q.x)", 0.0},
      {"(if q.x q.y q.z)", y},
      {"(if (< q.x q.y) q.y q.z)", z},
      {"(step q.x)", 1.0},
      {"(step q.y)", 0.0},
      {"(step (- q.x q.x))", 1.0},
      {"(deg (* 100 q.x))", 100 * x * (PI / 180)},
      {"(if (> q.x 0) q.x (sqrt q.y))", x}, // the other branch is not a number
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const double value = test_value(cases[i].text, &at);
    // the same functions of the C library on the same arguments; pow may be a product
    if (!(fabs(value - cases[i].value) <= 2 * DBL_EPSILON * fabs(cases[i].value))) {
      fail_msg("%s = %.17g, expected %.17g", cases[i].text, value, cases[i].value);
    }
  }
}

static void constants(void **state)
{
  static const struct {
    const char *text;
    double value;
  } cases[] = {
      {"1e5", 1e5},
      {"pi", PI},
      {"Pi", PI},
      {"L", 0.25},
      {"l", 0.25},
      {"(* 2 L)", 0.5},
      {"(/ pi 4)", PI / 4},
      {"(deg 45)", PI / 4},
      {"(- 1 2 3)", -4.0},
      {"(^ -2 3)", -8.0},
      {"(if (< L gamma) 1 (/ 1 0))", 1.0},
      {"(step -1)", 0.0},
      {"(- (+ 1 (* 2 3)) 7)", 0.0},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cardan__sexpr tree;
    cardan__expr *expr = test_read(cases[i].text);
    double value = -1.0;
    assert_int_equal(expr->nins, 1);
    assert_int_equal(expr->uses, CARDAN__LEAVES_NONE);
    assert_true(cardan__expr_is_constant(expr, &value));
    assert_near(value, cases[i].value, 2 * DBL_EPSILON * fabs(cases[i].value)); // one product
    test_drop(expr);

    const size_t length = strlen(cases[i].text);
    assert_int_equal(cardan__sexpr_read(&tree, cases[i].text, length, NULL, NULL), CARDAN_OK);
    double number = -1.0;
    assert_int_equal(cardan__expr_number(&tree, 0, &test_scope, NULL, NULL, &number, NULL),
                     CARDAN_OK);
    assert_true(number == value);
    cardan__sexpr_free(&tree);
  }
  assert_true(cardan__expr_reserved("PI") && cardan__expr_reserved("t") &&
              cardan__expr_reserved("Q.x") && cardan__expr_reserved("inf"));
  assert_false(cardan__expr_reserved("L") || cardan__expr_reserved("q") ||
               cardan__expr_reserved("quick"));
}

static void leaves(void **state)
{
  cardan__expr *expr = test_read(
      "(+ q.Ball.x\n t (* (q \"Ball.x\") v.Ball.x) (q \"a \\\"b\\\"\") t (pz \"F\") (py \"F\")\n"
      "U.Ball.x (u \"Ball.x\") z.a (Z \"a\") (wy \"F\") (RZX \"F\"))");
  static const struct {
    int kind, axis, line, column;
    const char *name;
  } expected[] = {
      {CARDAN__LEAF_Q, 0, 1, 4, "Ball.x"},  {CARDAN__LEAF_T, 0, 2, 2, ""},
      {CARDAN__LEAF_V, 0, 2, 20, "Ball.x"}, {CARDAN__LEAF_Q, 0, 2, 30, "a \"b\""},
      {CARDAN__LEAF_FRAME, 2, 2, 46, "F"},  {CARDAN__LEAF_FRAME, 1, 2, 55, "F"},
      {CARDAN__LEAF_U, 0, 3, 1, "Ball.x"},  {CARDAN__LEAF_Z, 0, 3, 23, "a"},
      {CARDAN__LEAF_TWIST, 4, 3, 35, "F"},  {CARDAN__LEAF_TURN, 6, 3, 44, "F"},
  };

  (void)state;
  assert_int_equal(expr->nleaf, 10);
  assert_int_equal(expr->uses, CARDAN__LEAVES_ALL);
  assert_false(cardan__expr_is_constant(expr, NULL));
  for (int i = 0; i < 10; i++) {
    const cardan__expr_leaf *leaf = cardan__expr_leaf_at(expr, i);
    assert_int_equal(leaf->kind, expected[i].kind);
    assert_int_equal(leaf->axis, expected[i].axis);
    assert_int_equal(leaf->pos.line, expected[i].line);
    assert_int_equal(leaf->pos.column, expected[i].column);
    assert_string_equal(cardan__expr_leaf_name(expr, i), expected[i].name);
  }
  test_drop(expr);

  // what folding leaves out is not a leaf either
  expr = test_read("(if (< L 1) q.x v.y)");
  assert_int_equal(expr->nins, 1);
  assert_int_equal(expr->uses, CARDAN__LEAVES_Q);
  test_drop(expr);
}

// equal parts are kept once, neutral elements not at all
static void sharing(void **state)
{
  static const struct {
    const char *text;
    int nins;
  } cases[] = {
      {"(* (sin q.x) (sin q.x))", 3},
      {"(+ 0 (* 1 q.x) 0)", 1},
      {"(- (/ q.x 1) 0)", 1},
      {"(+ 2 3 q.x)", 3},
      {"(- (dist \"A\" \"B\") (dist \"A\" \"B\"))", 17},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cardan__expr *expr = test_read(cases[i].text);
    assert_int_equal(expr->nins, cases[i].nins);
    test_drop(expr);
  }
}

static void copying(void **state)
{
  cardan__expr *expr = test_read("(+ (sin q.x) (* 2 (pz \"A\")))");
  double *memory = test_doubles(cardan__expr_size(expr) / sizeof(double)), x[2], work[64];

  (void)state;
  assert_int_equal(cardan__expr_size(expr) % 8, 0);
  assert_true(cardan__expr_work(expr) <= 64);
  cardan__expr *copy = cardan__expr_copy(expr, memory);
  assert_true(cardan__expr_equal(expr, copy));
  test_drop(expr);
  test_leaves(copy, &at, x);
  assert_true(cardan__expr_value(copy, x, work) == sin(at.x) + 2.0 * 3.0);
  assert_string_equal(cardan__expr_leaf_name(copy, 1), "A");
  free(memory);
}

static void expect_print(const char *text, const char *expected)
{
  cardan__expr *expr = test_read(text);
  cardan__text out;

  cardan__text_init(&out, NULL);
  cardan__expr_print(expr, &out);
  assert_false(out.failed);
  if (expected) {
    assert_string_equal(out.data, expected);
  }
  cardan__expr *again = test_read(out.data);
  if (!cardan__expr_equal(expr, again)) {
    fail_msg("%s\nis printed as %s", text, out.data);
  }
  cardan__text_free(&out);
  test_drop(expr);
  test_drop(again);
}

static void printing(void **state)
{
  (void)state;
  expect_print("3", "3");
  expect_print("-0.0", "-0");
  expect_print("(/ 1 3)", "0.3333333333333333");
  expect_print("q.a-b.c", "q.a-b.c");
  expect_print("(v \"a b\")", "(v \"a b\")");
  expect_print("(q \"\xc3\xa4\")", "(q \"\xc3\xa4\")");
  expect_print("(* L (PZ \"a\\\\b\"))", "(* 0.25 (pz \"a\\\\b\"))");
  expect_print("(+ (+ q.x q.y) q.z)", "(+ q.x q.y q.z)");
  expect_print("(+ q.x (+ q.y q.z))", "(+ q.x (+ q.y q.z))");
  expect_print("(- (- q.x))", "(- (- q.x))");
  expect_print("(- (- q.x q.y) q.z)", "(- q.x q.y q.z)");
  expect_print("(/ q.x)", "(/ 1 q.x)");
  expect_print("(> q.x (dist \"A\" \"B\"))", "(< (dist \"A\" \"B\") q.x)");
  expect_print("(dist \"A\" \"A\")", "(dist \"A\" \"A\")");
  expect_print("(if (>= t 1) (^ q.x 3) (atan2 q.x t))", "(if (<= 1 t) (^ q.x 3) (atan2 q.x t))");
  expect_print("(+ (if 0 q.y 1) q.y)", "(+ 1 q.y)");
  expect_print("(+ q.x (* 2 3) q.y 2)", "(+ q.x 6 q.y 2)");
  expect_print("(neg (min (sqrt t) (exp t) (step t)))", "(- (min (sqrt t) (exp t) (step t)))");
}

// a random expression; depth is bounded, so that recursion is no danger
static void random_text(support_rng *rng, int depth, cardan__text *out)
{
  static const char *const leaf[] = {"t", "q.x",   "v.y", "(pz \"A\")",       "(dist \"A\" \"B\")",
                                     "2", "-0.75", "pi",  "(q \"odd name\")", "L"};
  static const struct {
    const char *word;
    int min, max;
  } op[] = {{"+", 1, 4},    {"-", 1, 4},    {"*", 1, 4},   {"/", 1, 3},     {"^", 2, 2},
            {"neg", 1, 1},  {"sin", 1, 1},  {"cos", 1, 1}, {"tan", 1, 1},   {"asin", 1, 1},
            {"acos", 1, 1}, {"atan", 1, 1}, {"exp", 1, 1}, {"log", 1, 1},   {"sqrt", 1, 1},
            {"abs", 1, 1},  {"min", 1, 3},  {"max", 1, 3}, {"<", 2, 2},     {">=", 2, 2},
            {"if", 3, 3},   {"step", 1, 1}, {"deg", 1, 1}, {"atan2", 2, 2}, {"sinh", 1, 1},
            {"cosh", 1, 1}, {"tanh", 1, 1}, {">", 2, 2},   {"<=", 2, 2}};

  if (depth == 0 || support_random_int(rng, 0, 4) == 0) {
    cardan__text_printf(out, " %s", leaf[support_random_int(rng, 0, 9)]);
    return;
  }
  const int k = support_random_int(rng, 0, (int)(sizeof op / sizeof op[0]) - 1);
  cardan__text_printf(out, " (%s", op[k].word);
  for (int i = support_random_int(rng, op[k].min, op[k].max); i > 0; i--) {
    random_text(rng, depth - 1, out);
  }
  cardan__text_add(out, ")", 1);
}

static void print_random(void **state)
{
  support_rng rng = {5};
  int good = 0;

  (void)state;
  for (int i = 0; i < 3000; i++) {
    cardan__expr *expr;
    cardan__text text;
    cardan__text_init(&text, NULL);
    random_text(&rng, 1 + i % 7, &text);
    // some are not finite, such as (log -0.75): those are refused
    if (cardan__expr_read(text.data, text.length, &test_scope, NULL, NULL, &expr) == CARDAN_OK) {
      expect_print(text.data, NULL);
      test_drop(expr);
      good++;
    }
    cardan__text_free(&text);
  }
  assert_true(good > 1000);
}

static void expect_error(const char *text, const cardan__expr_scope *scope, int line, int column,
                         const char *part)
{
  cardan_report report = {0};
  cardan__expr *expr;

  assert_int_equal(cardan__expr_read(text, strlen(text), scope, NULL, &report, &expr),
                   CARDAN_ERR_MODEL);
  assert_null(expr);
  if (report.pos.line != line || report.pos.column != column || !strstr(report.message, part)) {
    fail_msg("%s\n%d:%d: %s\nexpected %d:%d: .. %s ..", text, report.pos.line, report.pos.column,
             report.message, line, column, part);
  }
}

static void form_errors(void **state)
{
  static const struct {
    const char *text;
    int line, column;
    const char *part;
  } cases[] = {
      {"()", 1, 1, "found the empty list (); expected a number or an expression"},
      {"(+ 1\n  ())", 2, 3, "found the empty list ()"},
      {"(1 2)", 1, 2, "found the number 1; expected an operator such as"},
      {"((sin t))", 1, 2, "found the list (sin ..); expected an operator"},
      {"(* 2 (sine t))", 1, 7,
       "found the symbol \"sine\"; this is no operator of an expression; did you mean \"sin\"?"},
      {"(transmogrify t)", 1, 2, "no operator of an expression"},
      {"(+ (sin))", 1, 4, "found 0 arguments of \"sin\"; expected 1"},
      {"(cos 1 2)", 1, 1, "found 2 arguments of \"cos\"; expected 1"},
      {"(^ 1)", 1, 1, "found 1 argument of \"^\"; expected 2"},
      {"(if 1 2)", 1, 1, "found 2 arguments of \"if\"; expected 3"},
      {"(+)", 1, 1, "found 0 arguments of \"+\"; expected at least 1"},
      {"(+ 1 \"A\")", 1, 6,
       "found the string \"A\"; expected a number or an expression, such as (q \"name\")"},
      {"(q 3)", 1, 4, "found the number 3; \"q\" takes a name in double quotes"},
      {"(q x)", 1, 4, "found the symbol \"x\"; \"q\" takes a name in double quotes"},
      {"(px \"\")", 1, 5,
       "found the string \"\"; \"px\" takes a name in double quotes, which is not empty"},
      {"(dist \"A\" (px \"B\"))", 1, 11, "found the list (px ..); \"dist\" takes a name"},
      {"(dist \"A\")", 1, 1, "found 1 argument of \"dist\"; expected 2"},
      {"q.", 1, 1, "found the symbol \"q.\"; expected a name right after the dot"},
      {"(* 2 gama)", 1, 6,
       "found the symbol \"gama\"; no constant has this name; did you mean \"Gamma\"?"},
      {"(* 2 pj)", 1, 6, "did you mean \"pi\"?"},
      {"(* 2 unrelated)", 1, 6, "no constant has this name"},
      {"(* 2 sin)", 1, 6, "found the symbol \"sin\"; an operator stands at the head of a list"},
      {"(+ t\n (/ 1 0))", 2, 2, "this expression is not finite"},
      {"(log -1)", 1, 1, "not finite"},
      {"(atan (/ 1 0))", 1, 7, "not finite"},
      {"(+ t (* 1e300 1e300))", 1, 6, "not finite"},
      {"(+ t boundless)", 1, 6, "not finite"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    expect_error(cases[i].text, &test_scope, cases[i].line, cases[i].column, cases[i].part);
  }
}

static void leaf_errors(void **state)
{
  cardan__expr_scope scope = test_scope;

  (void)state;
  scope.leaves = CARDAN__LEAVES_T;
  expect_error("(* t q.x)", &scope, 1, 6,
               "found the symbol \"q.x\"; this expression may only depend on time t");
  expect_error("(* t \"x\")", &scope, 1, 6, "expected a number or an expression");
  scope.leaves = CARDAN__LEAVES_Q | CARDAN__LEAVES_FRAME;
  expect_error("t", &scope, 1, 1, "may only depend on coordinates, frames");
  expect_error("(+ 1 (v \"x\"))", &scope, 1, 6, "found the list (v ..); this expression may only");
  scope.leaves = CARDAN__LEAVES_T | CARDAN__LEAVES_Q | CARDAN__LEAVES_V;
  expect_error("(dist \"A\" \"B\")", &scope, 1, 1, "depend on time t, coordinates, velocities");
  expect_error("(px \"A\")", &scope, 1, 1, "found the list (px ..)");
  expect_error("(+ 1 u.x)", &scope, 1, 6, "found the symbol \"u.x\"; an input may jump");
}

static void number_errors(void **state)
{
  static const struct {
    const char *text;
    int column;
    const char *part;
  } cases[] = {
      {"t", 1, "found the symbol \"t\"; expected a number: an expression over constants alone"},
      {"(* 2 q.x)", 6, "found the symbol \"q.x\"; expected a number"},
      {"\"x\"", 1, "found the string \"x\"; expected a number or an expression"},
      {"gamm", 1, "did you mean \"Gamma\"?"},
      {"(/ L 0)", 1, "this expression is not finite"},
      {"boundless", 1, "this expression is not finite"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cardan__sexpr tree;
    cardan_report report = {0};
    double value = 7.0;
    const size_t length = strlen(cases[i].text);
    assert_int_equal(cardan__sexpr_read(&tree, cases[i].text, length, NULL, NULL), CARDAN_OK);
    assert_int_equal(cardan__expr_number(&tree, 0, &test_scope, NULL, &report, &value, NULL),
                     CARDAN_ERR_MODEL);
    assert_true(value == 7.0);
    assert_int_equal(report.pos.column, cases[i].column);
    assert_non_null(strstr(report.message, cases[i].part));
    cardan__sexpr_free(&tree);
  }
}

// no constants at all, and a name found among more of them than one batch holds
static const char *many_names(void *context, int i)
{
  (void)context;
  return i == 70 ? "wavelength" : i < 200 ? "unlike-all-else" : NULL;
}

static void other_scopes(void **state)
{
  const cardan__expr_scope none = {0}, many = {.constant_name = many_names};

  (void)state;
  expect_error("L", &none, 1, 1, "no constant has this name");
  expect_error("wavelenght", &many, 1, 1, "did you mean \"wavelength\"?");
}

// as deep as the reader allows, and as wide
static void depth_and_width(void **state)
{
  enum { DEPTH = CARDAN__SEXPR_MAX_DEPTH, WIDTH = 100000 };
  cardan__text text;

  (void)state;
  cardan__text_init(&text, NULL);
  for (int i = 0; i < DEPTH; i++) {
    cardan__text_add(&text, "(+ 1 ", 5);
  }
  cardan__text_add(&text, "t", 1);
  for (int i = 0; i < DEPTH; i++) {
    cardan__text_add(&text, ")", 1);
  }
  assert_true(test_value(text.data, &at) - (DEPTH + at.t) < DEPTH * DEPTH * DBL_EPSILON);
  expect_print(text.data, NULL);
  cardan__text_free(&text);

  cardan__text_add(&text, "(+", 2);
  for (int i = 0; i < WIDTH; i++) {
    cardan__text_printf(&text, " q.x%d", i);
  }
  cardan__text_add(&text, ")", 1);
  cardan__expr *expr = test_read(text.data);
  assert_int_equal(expr->nleaf, WIDTH);
  assert_int_equal(expr->nins, 2 * WIDTH - 1);
  test_drop(expr);
  expect_print(text.data, NULL);
  cardan__text_free(&text);
}

static cardan_status read_and_print(const cardan_allocator *alloc, void *user)
{
  cardan__expr *expr;
  cardan__text out;
  cardan_status status = cardan__expr_read(user, strlen(user), &test_scope, alloc, NULL, &expr);

  if (status == CARDAN_OK) {
    cardan__text_init(&out, alloc);
    cardan__expr_print(expr, &out);
    status = out.failed ? CARDAN_ERR_MEMORY : CARDAN_OK;
    cardan__text_free(&out);
    cardan__resize(alloc, expr, 0);
  }
  return status;
}

static void no_memory(void **state)
{
  char text[] = "(+ (sin q.x) (* 2 (pz \"A\")) (dist \"A\" \"B\"))";

  (void)state;
  assert_true(support_fail_each(read_and_print, text) >= 6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values),       cmocka_unit_test(constants),
      cmocka_unit_test(leaves),       cmocka_unit_test(sharing),
      cmocka_unit_test(copying),      cmocka_unit_test(printing),
      cmocka_unit_test(print_random), cmocka_unit_test(form_errors),
      cmocka_unit_test(leaf_errors),  cmocka_unit_test(number_errors),
      cmocka_unit_test(other_scopes), cmocka_unit_test(depth_and_width),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
