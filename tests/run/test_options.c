// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/load.h"
#include "cardan/sim.h"
#include "methods/method.h"
#include "support.h"

/* The tables of options: what a method does not have is refused by name, what it has is not. */

static void expect_text(const char *text, const char *part)
{
  if (strstr(text, part) == NULL) {
    fail_msg("expected \"%s\" in: %s", part, text);
  }
}

static cardan_model *load(const char *text)
{
  cardan_model *model = NULL;
  cardan_report report = {.message = ""};
  if (cardan_model_from_text(text, strlen(text), "test.mbs", NULL, 0, NULL, &model, &report) !=
      CARDAN_OK) {
    fail_msg("%s", report.message);
  }
  return model;
}

#define BODY "(joint revolute \"a\" (mass 1 1 1 1))"

// rows of one name set one field in one way, whichever method they belong to
static void rows_of_a_name_agree(void **state)
{
  const cardan__method *method;
  const char *name;
  (void)state;
  for (int k = 0; (name = cardan_option_name(k)) != NULL; k++) {
    const cardan__option *first = NULL;
    for (int i = 0; (method = cardan__method_at(i)) != NULL; i++) {
      const cardan__option *row = cardan__option_find(method, name);
      if (row == NULL) {
        continue;
      }
      first = first != NULL ? first : row;
      assert_int_equal(row->kind, first->kind);
      assert_int_equal(row->field, first->field);
      assert_true(row->low == first->low && row->high == first->high);
      assert_true(row->above == first->above && row->initial == first->initial);
      assert_true(row->help != NULL && row->help[0] != '\0');
    }
    assert_non_null(first);
  }
}

static const struct {
  const char *name, *value;
} given[] = {{"solver", "newton"},
             {"solver", "schur"},
             {"solver", "tree"},
             {"order", "4"},
             {"guess", "current"},
             {"start", "two-point"},
             {"alpha", "0.3"},
             {"eval", "tree"},
             {"no-cache", NULL},
             {"integrator", "bdf"},
             {"stabilise", "none"},
             {"kq", "1"},
             {"kv", "1"},
             {"rtol", "1e-3"},
             {"atol", "1e-3"},
             {"error-control", "full"},
             {"form", "augmented"},
             {"planar", "off"},
             {"regularise", "1e-3"},
             {"tol", "1e-3"},
             {"max-iter", "7"}};
enum { NGIVEN = sizeof given / sizeof given[0] };

static bool has(const cardan__method *method, const char *name, const char *value)
{
  const cardan__option *row = cardan__option_find(method, name);
  if (row == NULL || row->words == NULL) {
    return row != NULL;
  }
  for (int w = 0; row->words[w] != NULL; w++) {
    if (strcmp(row->words[w], value) == 0) {
      return true;
    }
  }
  return false;
}

/* One option with one method: refused, and then given up, where the method does not have it. */
static bool try_option(const cardan_model *model, const cardan__method *method, int k)
{
  cardan_options o = cardan_options_defaults();
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  const bool good = has(method, given[k].name, given[k].value);
  o.method = method->name;
  assert_int_equal(cardan_options_set(&o, given[k].name, given[k].value, NULL), CARDAN_OK);
  const cardan_status status = cardan_sim_create(model, &o, NULL, &sim, &report);
  cardan_sim_destroy(sim);
  if (status != (good ? CARDAN_OK : CARDAN_ERR_UNSUPPORTED)) {
    fail_msg("method %s with %s: %s", method->name, given[k].name, report.message);
  }
  if (!good) {
    expect_text(report.message, given[k].name);
    expect_text(report.message, method->name);
    cardan_options_drop_unused(&o);
    assert_int_equal(cardan_options_check(&o, &report), CARDAN_OK);
  }
  return good;
}

// every option with every method
static void other_methods_options_are_refused(void **state)
{
  cardan_model *model = load("(system " BODY ")");
  const cardan__method *method;
  int refused = 0;
  (void)state;
  for (int i = 0; (method = cardan__method_at(i)) != NULL; i++) {
    for (int k = 0; k < NGIVEN; k++) {
      refused += !try_option(model, method, k);
    }
  }
  assert_true(refused > 50);
  cardan_model_destroy(model);
}

static void sentences(void **state)
{
  cardan_report report = {.message = ""};
  cardan_options o = cardan_options_defaults();
  (void)state;
  o.method = "rattle";
  o.alpha = 0.3;
  assert_int_equal(cardan_options_check(&o, &report), CARDAN_ERR_UNSUPPORTED);
  assert_string_equal(report.message, "method rattle has no option alpha, which is for svi; it has "
                                      "solver, tol, max-iter, planar, adapt");
  o = cardan_options_defaults();
  o.solver = "tree";
  assert_int_equal(cardan_options_check(&o, &report), CARDAN_ERR_UNSUPPORTED);
  assert_string_equal(report.message,
                      "solver is tree, which is for half-implicit, fully-implicit, rattle; method "
                      "vi has newton, riqn, newton-dense, broyden");
  o = cardan_options_defaults();
  o.method = "rattel";
  assert_int_equal(cardan_options_check(&o, &report), CARDAN_ERR_ARGUMENT);
  expect_text(report.message, "did you mean \"rattle\"?");
  o = cardan_options_defaults();
  o.solver = "";
  assert_int_equal(cardan_options_check(&o, &report), CARDAN_ERR_UNSUPPORTED);
  expect_text(report.message, "solver is \"\"; method vi has newton");
}

// no method is the default one; an option that there is not is no method's
static void single_options(void **state)
{
  cardan_report report = {.message = ""};
  (void)state;
  assert_int_equal(cardan_method_has_option(NULL, "order", &report), CARDAN_OK);
  assert_int_equal(cardan_method_has_option(NULL, "kq", &report), CARDAN_ERR_UNSUPPORTED);
  expect_text(report.message, "method vi has no option kq");
  assert_int_equal(cardan_method_has_option("vi", "nope", &report), CARDAN_ERR_ARGUMENT);
  assert_string_equal(report.message, "there is no option \"nope\"");
  assert_int_equal(cardan_method_has_option("aba", "integrater", &report), CARDAN_ERR_ARGUMENT);
  expect_text(report.message, "did you mean \"integrator\"?");
}

// what is shown can be set, the defaults too; a number that stands for "not given" is not shown
static void values_read_back(void **state)
{
  const cardan_options o = cardan_options_defaults();
  cardan_options back = o;
  cardan_report report = {.message = ""};
  int numbers = 0;
  (void)state;
  for (int i = 0; cardan_option_name(i) != NULL; i++) {
    char value[64], again[64];
    cardan_option_value(&o, i, value, sizeof value);
    if (value[0] == '\0') {
      continue;
    }
    if (cardan_options_set(&back, cardan_option_name(i), value, &report) != CARDAN_OK) {
      fail_msg("%s", report.message);
    }
    cardan_option_value(&back, i, again, sizeof again);
    assert_string_equal(again, value);
    numbers++;
  }
  assert_true(numbers >= 8);
  static const char *const unset[] = {"max-error", "closing", "rank-tol", "kv"};
  for (size_t k = 0; k < sizeof unset / sizeof *unset; k++) {
    const char *none = strcmp(unset[k], "kv") == 0 ? "-1" : "0";
    assert_int_equal(cardan_options_set(&back, unset[k], none, &report), CARDAN_ERR_ARGUMENT);
  }
  assert_int_equal(cardan_options_set(&back, "max-error", "0", &report), CARDAN_ERR_ARGUMENT);
  expect_text(report.message, "max-error is 0, expected more than 0");
  assert_int_equal(cardan_options_set(&back, "kv", "-2", &report), CARDAN_ERR_ARGUMENT);
}

// a field that a program sets by hand has the bounds of the command line
static void fields_have_bounds(void **state)
{
  cardan_report report = {.message = ""};
  (void)state;
#define REFUSED(field, value, part)                                           \
  do {                                                                        \
    cardan_options o = cardan_options_defaults();                             \
    o.method = "aba";                                                         \
    o.field = value;                                                          \
    assert_int_equal(cardan_options_check(&o, &report), CARDAN_ERR_ARGUMENT); \
    expect_text(report.message, part);                                        \
  } while (0)
  REFUSED(dt, 0, "dt is 0, expected more than 0");
  REFUSED(dt, (double)INFINITY, "dt is inf, expected more than 0 and finite");
  REFUSED(dt, (double)NAN, "dt is ");
  REFUSED(time, -1, "time is -1, expected at least 0");
  REFUSED(every, 0, "every is 0, expected at least 1");
  REFUSED(rtol, 2, "rtol is 2, expected more than 0 and at most 1");
  REFUSED(max_iter, 0, "max-iter is 0");
  cardan_options o = cardan_options_defaults();
  assert_int_equal(cardan_options_set(&o, "every", "99999999999", &report), CARDAN_ERR_ARGUMENT);
  assert_string_equal(report.message,
                      "every is 99999999999, expected at least 1 and at most 2147483647");
#undef REFUSED
}

// (simulate ..) is held to its own method, with its place; another method takes what it has
static void simulate_of_a_file(void **state)
{
  static const struct {
    const char *text, *part;
    int line, column;
  } wrong[] = {
      {"(system " BODY "\n (simulate (alpha 0.3)))", "method vi has no option alpha", 2, 13},
      {"(system " BODY "\n (simulate (method rattle)\n (integrator bdf)))",
       "method rattle has no option integrator", 3, 3},
      {"(system " BODY "\n (simulate (solver tree) (method vi)))", "method vi has newton", 2, 13},
      {"(system " BODY "\n (simulate (method aba) (alpha 0.5)))", "no option alpha", 2, 26},
  };
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    cardan_report report = {.message = ""};
    cardan_options o = cardan_options_defaults();
    cardan_model *model = load(wrong[i].text);
    assert_int_equal(cardan_options_apply_model(&o, model, CARDAN_OPTIONS_OF_METHOD, &report),
                     CARDAN_ERR_MODEL);
    expect_text(report.message, wrong[i].part);
    assert_int_equal(report.pos.line, wrong[i].line);
    assert_int_equal(report.pos.column, wrong[i].column);
    o = cardan_options_defaults();
    o.method = "half-implicit";
    assert_int_equal(cardan_options_apply_model(&o, model, CARDAN_OPTIONS_OF_METHOD, &report),
                     CARDAN_OK);
    assert_string_equal(o.method, "half-implicit");
    assert_int_equal(cardan_options_check(&o, &report), CARDAN_OK);
    assert_true(o.alpha == 0.5 && o.integrator == NULL);
    assert_true((o.solver != NULL) == (i == 2)); // half-implicit has tree, too
    o = cardan_options_defaults();               // for several methods: all of them, as they are
    assert_int_equal(cardan_options_apply_model(&o, model, CARDAN_OPTIONS_OF_ALL_METHODS, &report),
                     CARDAN_OK);
    assert_true((o.alpha == 0.3) == (i == 0) && (o.integrator != NULL) == (i == 1));
    cardan_model_destroy(model);
  }
}

// words that no method has, and values that no option takes
static void simulate_that_nobody_takes(void **state)
{
  static const struct {
    const char *text, *part;
    int column;
  } wrong[] = {
      {"(system " BODY "\n (simulate (metod vi)))", "did you mean \"method\"?", 13},
      {"(system " BODY "\n (simulate (detla 1)))", "no option \"detla\"", 13},
      {"(system " BODY "\n (simulate (dt)))", "dt needs a value", 13},
      {"(system " BODY "\n (simulate (dt 1) (no-assemble 1)))", "takes no value", 20},
      {"(system " BODY "\n (simulate (method rattel)))", "did you mean \"rattle\"?", 13},
      {"(system " BODY "\n (simulate (order 3)))", "expected one of: 2, 4, 6", 13},
  };
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    cardan_report report = {.message = ""};
    cardan_options o = cardan_options_defaults();
    cardan_model *model = load(wrong[i].text);
    assert_int_equal(cardan_options_apply_model(&o, model, CARDAN_OPTIONS_OF_METHOD, &report),
                     CARDAN_ERR_MODEL);
    expect_text(report.message, wrong[i].part);
    assert_int_equal(report.pos.line, 2);
    assert_int_equal(report.pos.column, wrong[i].column);
    cardan_model_destroy(model);
  }
}

/* Every option that a method has, and every one that all have, is shown with a value. */
static void defaults_are_shown(void **state)
{
  (void)state;
  const cardan_options options = cardan_options_defaults();
  for (int m = 0; cardan__method_at(m) != NULL; m++) {
    const cardan__method *method = cardan__method_at(m);
    for (int i = 0; cardan_option_name(i) != NULL; i++) {
      char shown[64] = "", counts[64] = "";
      if (cardan__option_find(method, cardan_option_name(i)) != NULL) {
        cardan__option_shown(method, &options, i, shown, sizeof shown);
        assert_string_not_equal(shown, "");
      }
      if (strcmp(cardan_option_name(i), "contacts") == 0) {
        cardan__option_counts(method, &options, i, counts, sizeof counts);
        assert_string_equal(counts, "on");
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_a_name_agree),
      cmocka_unit_test(other_methods_options_are_refused),
      cmocka_unit_test(sentences),
      cmocka_unit_test(single_options),
      cmocka_unit_test(values_read_back),
      cmocka_unit_test(fields_have_bounds),
      cmocka_unit_test(simulate_of_a_file),
      cmocka_unit_test(simulate_that_nobody_takes),
      cmocka_unit_test(defaults_are_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
