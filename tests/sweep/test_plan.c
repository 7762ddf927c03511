// SPDX-License-Identifier: Apache-2.0
// Plans: what is read, the order of cases, and a sentence with its place for what is no plan.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch/random.h"
#include "cardan/sampler.h"
#include "support.h"
#include "sweep/plan.h"

static cardan__plan *read_good(const char *text)
{
  cardan_report report = {.message = ""};
  cardan__plan *plan = NULL;
  if (cardan__plan_read(text, strlen(text), "p.plan", NULL, &plan, &report) != CARDAN_OK) {
    fail_msg("%s: %d:%d: %s", text, report.pos.line, report.pos.column, report.message);
  }
  return plan;
}

static void assert_case(const cardan__plan *plan, int64_t i, const double *expected)
{
  double value[16];
  cardan__plan_values(plan, i, value);
  for (int k = 0; k < cardan__plan_nvaried(plan); k++) {
    if (value[k] != expected[k]) {
      fail_msg("case %lld, %s: %.17g, expected %.17g", (long long)i,
               cardan__plan_varied(plan, k)->name, value[k], expected[k]);
    }
  }
}

// the first axis written is the slowest; expressions are numbers; ends of ranges are exact
static void test_grid(void **state)
{
  cardan__plan *plan = read_good("(plan (grid M 0.5 1 2) (range \"q.a\" (- pi) pi (count 3))\n"
                                 " (set u.push 7) (collect drift))");
  (void)state;
  assert_int_equal(cardan__plan_count(plan), 9);
  assert_int_equal(cardan__plan_samples(plan), 1);
  assert_int_equal(cardan__plan_nvaried(plan), 3);
  const double pi = acos(-1);
  const double expected[9][3] = {{0.5, -pi, 7}, {0.5, 0, 7}, {0.5, pi, 7}, {1, -pi, 7}, {1, 0, 7},
                                 {1, pi, 7},    {2, -pi, 7}, {2, 0, 7},    {2, pi, 7}};
  for (int i = 0; i < 9; i++) {
    assert_case(plan, i, expected[i]);
  }
  double at = 0;
  assert_true(cardan__plan_value(plan, 0, 2, &at) && at == 2);
  assert_true(cardan__plan_value(plan, 1, 2, &at) && at == pi);
  assert_false(cardan__plan_value(plan, 1, 3, &at));
  const cardan__varied *v = cardan__plan_varied(plan, 1);
  assert_int_equal(v->kind, CARDAN__VARIED_START);
  assert_string_equal(v->name, "q.a");
  assert_string_equal(v->column, "start.q.a");
  assert_int_equal(v->pos.line, 1);
  assert_int_equal(v->pos.column, 31);
  assert_int_equal(cardan__plan_varied(plan, 0)->kind, CARDAN__VARIED_NAME);
  assert_int_equal(cardan__plan_varied(plan, 2)->kind, CARDAN__VARIED_INPUT);
  assert_string_equal(cardan__plan_varied(plan, 2)->column, "u.push");
  assert_null(cardan__plan_varied(plan, 3));
  cardan__plan_destroy(plan);
}

// even steps of the logarithm, both ends exact, whichever is the larger
static void test_log_range(void **state)
{
  cardan__plan *plan =
      read_good("(plan (range a 1e-3 7 (count 4) log) (range b 3 0.1 (count 4)) (collect drift))");
  (void)state;
  for (int i = 0; i < 4; i++) {
    double first[2], value[2];
    cardan__plan_values(plan, 0, first);
    cardan__plan_values(plan, 4 * i + i, value);
    // rounding of a logarithm of size log(1000) = 7, and of the power
    assert_near(log(value[0] / 1e-3), i / 3.0 * log(7000.0), 1e-14);
    assert_near(value[1], 3 - 2.9 * i / 3.0, 1e-15);
  }
  assert_case(plan, 0, (const double[]){1e-3, 3});
  assert_case(plan, 15, (const double[]){7, 0.1});
  cardan__plan_destroy(plan);
}

// points of a list give all of its names their values; words have the number of their first place
static void test_list(void **state)
{
  cardan__plan *plan = read_good(
      "(plan (list (A (option method) v.b (option dt)) (1 vi -1 0.1) (2 aba -2 (/ 1 4)) "
      "(3 vi -3 0.3)) (list C 5 6) (option order auto 4) (keyframe \"up here\") (collect steps))");
  (void)state;
  assert_int_equal(cardan__plan_count(plan), 12);
  const cardan__varied *method = cardan__plan_varied(plan, 1);
  assert_int_equal(method->kind, CARDAN__VARIED_OPTION);
  assert_int_equal(method->nword, 2);
  assert_string_equal(method->word[0], "vi");
  assert_string_equal(method->word[1], "aba");
  assert_int_equal(cardan__plan_varied(plan, 3)->nword, 0);
  assert_string_equal(cardan__plan_varied(plan, 5)->word[1], "4"); // a number among words is one
  assert_string_equal(cardan__plan_varied(plan, 6)->name, "keyframe");
  assert_string_equal(cardan__plan_varied(plan, 6)->word[0], "up here");
  assert_case(plan, 0, (const double[]){1, 0, -1, 0.1, 5, 0, 0});
  assert_case(plan, 7, (const double[]){2, 1, -2, 0.25, 6, 1, 0});
  assert_case(plan, 10, (const double[]){3, 0, -3, 0.3, 6, 0, 0});
  cardan__plan_destroy(plan);
}

// a drawn number is that of cardan batch with the same seed and name, at each point of the grid,
// and whatever else is drawn
static void test_random(void **state)
{
  cardan__plan *one =
      read_good("(plan (random k (normal 100 5)) (count 7) (seed 3) (collect drift))");
  cardan__plan *two = read_good("(plan (init v.a (uniform 0 1)) (grid M 1 2) (option dt (grid 1 2))"
                                " (random k (normal 100 5)) (count 7) (seed 3) (collect drift))");
  const cardan_distribution normal = {.kind = CARDAN_DISTRIBUTION_NORMAL, .a = 100, .b = 5};
  (void)state;
  assert_int_equal(cardan__plan_count(one), 7);
  assert_int_equal(cardan__plan_count(two), 28);
  assert_false(cardan__plan_value(one, 0, 0, &(double){0}));
  assert_true(cardan__plan_varied(one, 0)->drawn && !cardan__plan_varied(two, 1)->drawn);
  for (int i = 0; i < 28; i++) {
    double value[4];
    const double p = cardan_random(3, cardan__random_stream("k"), (uint64_t)i % 7);
    cardan__plan_values(two, i, value);
    assert_true(value[3] == cardan_distribution_at(&normal, p));
    assert_case(one, i % 7, &value[3]);
    assert_true(value[0] > 0 && value[0] < 1 && value[1] == 1 + i / 14);
  }
  cardan__plan_destroy(one);
  cardan__plan_destroy(two);
}

// A, B and A with one number of B after the other
static void test_sensitivity(void **state)
{
  cardan__plan *plan = read_good("(plan (grid M 1 2) (random a (uniform 0 1)) (random b (normal 0 "
                                 "1)) (sensitivity) (count 5) (collect drift))");
  (void)state;
  assert_int_equal(cardan__plan_count(plan), 40);
  assert_int_equal(cardan__plan_samples(plan), 5);
  assert_true(cardan__plan_sensitivity(plan));
  for (int i = 0; i < 40; i += 4) {
    double a[3], b[3];
    cardan__plan_values(plan, i, a);
    cardan__plan_values(plan, i + 1, b);
    assert_true(a[1] != b[1] && a[2] != b[2] && a[0] == b[0] && a[0] == 1 + i / 20);
    assert_case(plan, i + 2, (const double[]){a[0], b[1], a[2]});
    assert_case(plan, i + 3, (const double[]){a[0], a[1], b[2]});
  }
  cardan__plan_destroy(plan);
}

static void test_collect(void **state)
{
  static const struct {
    cardan__collect_kind kind;
    const char *source, *column;
    double at;
    int direction;
  } expected[] = {
      {CARDAN__COLLECT_END, "q.a", "end.q.a", 0, 0},
      {CARDAN__COLLECT_END, "q.b", "end.q.b", 0, 0},
      {CARDAN__COLLECT_MAX, "energy", "top", 0, 0},
      {CARDAN__COLLECT_AT, "y.tip", "at.1.5.y.tip", 1.5, 0},
      {CARDAN__COLLECT_CROSS, "q.a", "cross.q.a.0.up", 0, 1},
      {CARDAN__COLLECT_CROSS, "q.a", "cross.q.a.-2", -2, 0},
      {CARDAN__COLLECT_DRIFT, NULL, "drift", 0, 0},
      {CARDAN__COLLECT_ERROR, NULL, "error", 0, 0},
      {CARDAN__COLLECT_ITERATIONS, NULL, "its", 0, 0},
      {CARDAN__COLLECT_REACHED, NULL, "time", 0, 0},
  };
  enum { N = sizeof expected / sizeof *expected };
  cardan__plan *plan =
      read_good("(plan (collect (end q.a \"q.b\") (max energy (as top)) (at 1.5 \"y.tip\") "
                "(cross q.a 0 up) (cross q.a -2) drift error (iterations (as its)) status time))");
  (void)state;
  assert_int_equal(cardan__plan_count(plan), 1);
  assert_int_equal(cardan__plan_ncollect(plan), N);
  for (int k = 0; k < N; k++) {
    const cardan__collect *c = cardan__plan_collect(plan, k);
    assert_int_equal(c->kind, expected[k].kind);
    assert_string_equal(c->column, expected[k].column);
    assert_true((c->source == NULL) == (expected[k].source == NULL));
    assert_true(c->source == NULL || strcmp(c->source, expected[k].source) == 0);
    assert_true(c->at == expected[k].at && c->direction == expected[k].direction);
  }
  assert_null(cardan__plan_collect(plan, N));
  cardan__plan_destroy(plan);
}

/* ---- what is no plan ---- */

static const struct {
  const char *text;
  int column;
  const char *part; // of the message
} bad[] = {
    {"", 1, "expected"},
    {"plan", 1, "found the symbol \"plan\"; expected a plan"},
    {"(paln)", 1, "expected a plan"},
    {"(plan)", 1, "(collect (end"},
    {"(plan 3)", 7, "found the number 3; expected a form of a plan"},
    {"(plan (gird M 1))", 7, "did you mean \"grid\"?"},
    {"(plan (wibble M 1))", 7, "expected a form of a plan"},
    {"(plan grid)", 7, "expected a form of a plan"},
    {"(plan (grid))", 7, "found nothing; expected a name, as in (grid M 0.5 1 2)"},
    {"(plan (grid M))", 7, "found nothing; expected its values"},
    {"(plan (grid M nan))", 15, "nan is not finite"},
    {"(plan (grid M x))", 15, "found the symbol \"x\"; expected a number, as in (grid M"},
    {"(plan (grid M 1e999))", 15, "1e999"},
    {"(plan (grid M (/ 1 0)))", 15, "finite"},
    {"(plan (grid M \"1\"))", 15, "found the string \"1\"; expected a number"},
    {"(plan (grid M 1) (grid m 2))", 24, "\"m\" is repeated, first in line 1, column 13"},
    {"(plan (grid status 1))", 13, "every result has a column \"status\""},
    {"(plan (grid \"\" 1))", 13, "found a name of 0 bytes"},
    {"(plan (grid \"a\\nb\" 1))", 13, "control character"},
    {"(plan (range L 1 2))", 7, "found nothing; expected how many values"},
    {"(plan (range L 1 2 (count 1)))", 27, "from 2 to"},
    {"(plan (range L 1 2 (count 2.5)))", 27, "a whole number"},
    {"(plan (range L 1 1 (count 3)))", 16, "expected two that differ"},
    {"(plan (range L -1e308 1e308 (count 3)))", 16, "differ"},
    {"(plan (range L -1 1 (count 3) log))", 16, "both above 0"},
    {"(plan (range L -1 1 (count 3) lgo))", 31, "expected nothing more"},
    {"(plan (range L 1 2 (count 9007199254740992)) (range K 1 2 (count 2)))", 46, "2^53"},
    {"(plan (list))", 7, "expected a name, or a list of names"},
    {"(plan (list () (1)))", 13, "found 0 names"},
    {"(plan (list (A B)))", 7, "expected its values"},
    {"(plan (list (A B) (1 2) (3)))", 25, "with 1 values; expected a list of 2"},
    {"(plan (list (A B) (1 2) 3))", 25, "expected a list of 2"},
    {"(plan (list (A A) (1 2)))", 16, "repeated"},
    {"(plan (list (A (option)) (1 2)))", 16, "expected a name"},
    {"(plan (list (A (option x y)) (1 2)))", 26, "expected nothing more"},
    {"(plan (list (A \"q.b\") (1 x)))", 26, "x"},
    {"(plan (random k))", 7, "expected two ends, (uniform ..)"},
    {"(plan (sobol k 1))", 7, "expected the end, as in (sobol c 0 1)"},
    {"(plan (latin k 1 0))", 7, "more than the beginning"},
    {"(plan (random k \"3\"))", 17, "found the string \"3\"; expected the beginning"},
    {"(plan (random k 3 4 5))", 21, "expected (from X), (to X) or the end of the list"},
    {"(plan (random k uniform 3))", 17, "expected two ends, (uniform ..)"},
    {"(plan (random k (nromal 0 1)))", 17, "did you mean \"normal\"?"},
    {"(plan (random k (normal 0)))", 17, "expected the standard deviation, as in (normal"},
    {"(plan (random k (normal 0 -1)))", 17,
     "found the list (normal ..) with invalid numbers; expected a standard deviation"},
    {"(plan (random k (normal 1e308 1e308)))", 17, "finite"},
    {"(plan (random k (log-normal 0 100)))", 17, "finite"},
    {"(plan (random k (uniform 2 1)))", 17, "more than the beginning"},
    {"(plan (random k (triangular 0 3 2)))", 17, "a peak that is between"},
    {"(plan (random k (normal 0 1 (from 1) (to 0))))", 17, "more than the beginning"},
    {"(plan (random k (normal 0 1 (from 1) (from 0))))", 38,
     "expected (from X) and (to X) once each"},
    {"(plan (random k (normal 0 1 (from 50))))", 17, "keep more than 1e-280"},
    {"(plan (random k (normal 0 1 (form 5))))", 29, "expected (from X), (to X)"},
    {"(plan (random k (normal 0 1) 5))", 30, "expected nothing more"},
    {"(plan (random k (normal 0 1)) (collect drift))", 1, "(count 1024)"},
    {"(plan (count 5) (collect drift))", 7, "nothing is drawn"},
    {"(plan (sensitivity) (collect drift))", 7, "nothing is drawn"},
    {"(plan (count 5) (count 6))", 17, "(count 1024) a second time, first in line 1, column 7"},
    {"(plan (count 0))", 14, "from 1 to"},
    {"(plan (seed -1))", 13, "from 0 to"},
    {"(plan (seed x))", 13, "expected a seed"},
    {"(plan (init \"u.a\" 1))", 13, "expected a start value"},
    {"(plan (init 5 1))", 13, "expected a start value"},
    {"(plan (input \"q.a\" 1))", 14, "expected an input"},
    {"(plan (init \"q.a\"))", 7, "expected its value"},
    {"(plan (init q.a grid))", 17, "found the symbol \"grid\"; expected its value, or how"},
    {"(plan (init \"q.a\" (unifrom 0 1)))", 19, "did you mean \"uniform\"?"},
    {"(plan (init \"q.a\" (uniform 0 1) 3))", 33, "expected nothing more"},
    {"(plan (option))", 7, "expected the name of an option"},
    {"(plan (option dt))", 7, "expected its values"},
    {"(plan (option method vi aba vi))", 22, "a word twice"},
    {"(plan (option method vi (aba)))", 25, "among words"},
    {"(plan (keyframe 3))", 17, "expected the name of a keyframe"},
    {"(plan (keyframe))", 7, "expected its values"},
    {"(plan (collect))", 7, "expected what to keep"},
    {"(plan (collect drift drift))", 22, "\"drift\" is repeated"},
    {"(plan (grid drift 1) (collect drift))", 31,
     "\"drift\" is repeated, first in line 1, column 13; expected it once, or another name for "
     "it, "
     "(as NAME)"},
    {"(plan (collect (edn q.a)))", 16, "did you mean \"end\"?"},
    {"(plan (collect wibble))", 16, "expected what to keep, as in"},
    {"(plan (collect end))", 16, "expected (end ..)"},
    {"(plan (collect (end)))", 16, "expected a column of the table"},
    {"(plan (collect (status)))", 16, "expected status, a word by itself"},
    {"(plan (collect (at -1 q.a)))", 20, "expected 0 or more"},
    {"(plan (collect (cross q.a)))", 16, "expected the level"},
    {"(plan (collect (cross q.a 1 left)))", 29, "expected nothing more"},
    {"(plan (collect (end q.a (as x) q.b)))", 32, "expected nothing more"},
    {"(plan (collect (end q.a (as case))))", 21, "every result has a column"},
    {"(plan (collect drift) (collect steps))", 23, "a second time"},
    {"(plan (collect drift)) (plan)", 24, ""},
};

static void test_errors(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    cardan_report report = {.message = ""};
    cardan__plan *plan = NULL;
    const cardan_status status =
        cardan__plan_read(bad[k].text, strlen(bad[k].text), "p.plan", NULL, &plan, &report);
    if ((status != CARDAN_ERR_SYNTAX && status != CARDAN_ERR_ARGUMENT) || plan != NULL ||
        strstr(report.message, bad[k].part) == NULL || report.pos.line != 1 ||
        report.pos.column != bad[k].column || strcmp(report.file, "p.plan") != 0) {
      fail_msg("%s: status %d, %s:%d:%d: %s", bad[k].text, status, report.file, report.pos.line,
               report.pos.column, report.message);
    }
  }
}

/* Text of n times one piece, %d of which counts, between others. */
static char *repeat(const char *before, const char *piece, int n, const char *after)
{
  const size_t size = strlen(before) + strlen(after) + (size_t)n * (strlen(piece) + 12) + 1;
  char *text = test_malloc(size);
  size_t at = (size_t)snprintf(text, size, "%s", before);
  for (int i = 0; i < n; i++) {
    char number[12];
    const char *gap = strchr(piece, '%');
    snprintf(number, sizeof number, "%d", i);
    at += (size_t)snprintf(text + at, size - at, "%.*s%s%s", (int)(gap - piece), piece, number,
                           gap + 1);
  }
  snprintf(text + at, size - at, "%s", after);
  return text;
}

// bounds on names, words and numbers kept: the last that is allowed, and one more
static void test_bounds(void **state)
{
  static const struct {
    const char *before, *piece, *after;
    int most;
  } bounds[] = {
      {"(plan ", "(set a% 1)", "(collect drift))", 256},
      {"(plan (collect ", "(at % q.a)", "))", 1024},
      {"(plan (option x ", " w%", ") (collect drift))", 256},
  };
  (void)state;
  for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
    for (int more = 0; more < 2; more++) {
      cardan__plan *plan = NULL;
      cardan_report report = {.message = ""};
      char *text =
          repeat(bounds[k].before, bounds[k].piece, bounds[k].most + more, bounds[k].after);
      const cardan_status status =
          cardan__plan_read(text, strlen(text), NULL, NULL, &plan, &report);
      assert_int_equal(status == CARDAN_OK, more == 0);
      cardan__plan_destroy(plan);
      test_free(text);
    }
  }
}

static cardan_status read_with(const cardan_allocator *alloc, void *user)
{
  const char *text = user;
  cardan__plan *plan = NULL;
  cardan_report report = {.message = ""};
  const cardan_status status = cardan__plan_read(text, strlen(text), NULL, alloc, &plan, &report);
  cardan__plan_destroy(plan);
  return status;
}

static void test_memory(void **state)
{
  char text[] = "(plan (grid M (/ 1 2) 2) (list (a (option b)) (1 x)) (random k (normal 0 1)) "
                "(sobol s 0 1) (sensitivity) (count 3) (collect (end q.a) drift))";
  (void)state;
  assert_true(support_fail_each(read_with, text) > 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grid),        cmocka_unit_test(test_log_range),
      cmocka_unit_test(test_list),        cmocka_unit_test(test_random),
      cmocka_unit_test(test_sensitivity), cmocka_unit_test(test_collect),
      cmocka_unit_test(test_errors),      cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
