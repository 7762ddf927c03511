// SPDX-License-Identifier: Apache-2.0
// Tables of inputs: what is read, what is refused and where, and means over steps.
#include <math.h>
#include <string.h>

#include "cardan/signals.h"
#include "fixture.h"

static const char model_text[] =
    "(system (input \"f\" 0.5) (input \"any, name\" 7) (tx \"s\" (mass 1)) (torque \"s\" u.f))";

static cardan_signals *read_good(const cardan_model *model, const char *text, bool linear)
{
  cardan_signals *s = NULL;
  cardan_report report = {.message = ""};
  expect_ok(cardan_signals_read(model, text, strlen(text), "in.csv", linear, NULL, &s, &report),
            &report, text);
  return s;
}

static void errors_have_their_place(void **state)
{
  static const struct {
    const char *text;
    int line, column;
    const char *part;
  } bad[] = {
      {"", 1, 1, "a header line"},
      {"t,u.f", 2, 1, "no rows"},
      {"t\n1", 1, 1, "no column but t"},
      {"u.f\n1", 1, 1, "no column t"},
      {"t, u.g\n0,1", 1, 4, "found a column \"u.g\""},
      {"t,u.any name\n0,1", 1, 3, "did you mean u.any, name?"},
      {"t,u.f,f\n0,1,2", 1, 7, "a second column \"f\""},
      {"t,f,t\n0,1,2", 1, 5, "a second column \"t\""},
      {"t,f,\n0,1,", 1, 5, "found a column \"\""},
      {"t,\"f\n0,1", 1, 5, "a closing quote"},
      {"t,\"f\" x\n0,1", 1, 7, "a comma or the end"},
      {"t,f\n0,1\n\n0,2", 4, 1, "found t = 0 after 0"},
      {"f,t\n1,5\n1, 4", 3, 3, "found t = 4 after 5"},
      {"t,f\n0,x", 2, 3, "the field \"x\"; expected a number"},
      {"t,f\n0,nan", 2, 3, "expected a number"},
      {"t,f\n0,1e999", 2, 3, "expected a finite one"},
      {"t,f\n0,", 2, 3, "an empty field"},
      {"t,f\n0,1\n1", 3, 2, "found 1 fields; expected 2"},
      {"t,f\r\n0,1,2", 2, 4, "more than 2 fields"},
  };
  fixture f = fixture_load(model_text);
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cardan_signals *s = NULL;
    cardan_report report = {.message = ""};
    const cardan_status status = cardan_signals_read(f.model, bad[i].text, strlen(bad[i].text),
                                                     "in.csv", false, NULL, &s, &report);
    if (status == CARDAN_OK || report.pos.line != bad[i].line ||
        report.pos.column != bad[i].column || !strstr(report.message, bad[i].part) ||
        strcmp(report.file, "in.csv") != 0) {
      fail_msg("\"%s\": %s:%d:%d: %s", bad[i].text, report.file, report.pos.line, report.pos.column,
               report.message);
    }
    assert_null(s);
  }
  fixture_free(&f);
}

static void a_model_without_inputs_takes_none(void **state)
{
  fixture f = fixture_load("pendulum");
  cardan_signals *s = NULL;
  cardan_report report = {.message = ""};
  (void)state;
  assert_int_equal(cardan_signals_read(f.model, "t,u\n0,1", 7, "in.csv", false, NULL, &s, &report),
                   CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, "a model without any"));
  fixture_free(&f);
}

static void means_of_held_rows(void **state)
{
  fixture f = fixture_load(model_text);
  // with a mark, blanks, quotes and the line ends of other systems
  cardan_signals *s = read_good(
      f.model, "\xEF\xBB\xBF\"u.any, name\" ,t, f\r\n1, 0.1 ,2\r\n\r\n-1e0,0.3,4\r\n5,.4,6", false);
  double u[2];
  (void)state;
  assert_true(cardan_signals_begin(s) == 0.1 && cardan_signals_end(s) == 0.4);
  cardan_signals_mean(s, 0, 0.1, u); // before the first row: the model's
  assert_true(u[0] == 0.5 && u[1] == 7);
  cardan_signals_mean(s, 0.1, 0.2, u);
  assert_true(u[0] == 2 && u[1] == 1);
  // 0.1 + 2 * 0.1 is not 0.3, and counts as it: no bit of the row before
  cardan_signals_mean(s, 0.1 + 2 * 0.1, 0.4, u);
  assert_true(u[0] == 4 && u[1] == -1);
  cardan_signals_mean(s, 7, 8, u);
  assert_true(u[0] == 6 && u[1] == 5);
  cardan_signals_mean(s, 0, 0.5, u); // 0.1 of 0.5, 0.2 of 2, 0.1 of 4, 0.1 of 6
  assert_near(u[0], (0.1 * 0.5 + 0.2 * 2 + 0.1 * 4 + 0.1 * 6) / 0.5, 1e-14);
  cardan_signals_destroy(s);
  fixture_free(&f);
}

static void means_of_lines(void **state)
{
  fixture f = fixture_load(model_text);
  cardan_signals *s = read_good(f.model, "t,f\n0,0\n1,2\n3,-2\n", true);
  double u[2] = {0, 3};
  (void)state;
  cardan_signals_mean(s, 0, 0.5, u);
  assert_near(u[0], 0.5, 1e-15);
  assert_true(u[1] == 3);              // no column of its own
  cardan_signals_mean(s, 0.5, 1.5, u); // half from 1 to 2, half from 2 to 1
  assert_near(u[0], 1.5, 1e-15);
  cardan_signals_mean(s, 1, 3, u);
  assert_near(u[0], 0, 1e-15);
  cardan_signals_mean(s, 2, 4, u); // from 0 to -2 in 1 s, then -2 for 1 s
  assert_near(u[0], -1.5, 1e-15);
  cardan_signals_destroy(s);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_have_their_place),
      cmocka_unit_test(a_model_without_inputs_takes_none),
      cmocka_unit_test(means_of_held_rows),
      cmocka_unit_test(means_of_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
