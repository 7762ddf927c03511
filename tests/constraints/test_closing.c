// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loops.h"
#include "run.h"

/* Loops whose data have few digits. */

/* Bennett's linkage, links of 1 m twisted by alpha and of sin beta / sin alpha m twisted by beta,
 * typed with so many decimals; its three rows beyond two hold only by these numbers. */
static void bennett_of(char *text, size_t size, int decimals, double alpha, double beta, double t1)
{
  const double a = 1.0, b = sin(beta) / sin(alpha);
  const double t2 = 2.0 * atan(sin((beta + alpha) / 2) / sin((beta - alpha) / 2) / tan(t1 / 2));
  const int d = decimals;
  snprintf(text, size,
           "(system (gravity 0 0 -9.81) (rz \"t1\" (tx 0.5 (mass 1 .1 .1 .1)) (tx %.*f rx %.*f"
           " (rz \"t2\" (tx 0.9 (mass 1 .1 .1 .1)) (tx %.*f rx %.*f (rz \"t3\" (tx 0.5 (mass 1 .1 "
           ".1 .1)) (tx %.*f rx %.*f (name \"E\"))))))) (rx %.*f tx %.*f (name \"F\"))"
           " (close revolute \"F\" \"E\" (axis 0 0 1) (name \"pin\"))"
           " (initial (\"t1\" %.*f 2) (\"t2\" %.*f) (\"t3\" %.*f)))",
           d, a, d, alpha, d, b, d, beta, d, a, d, alpha, d, -beta, d, -b, d, t1, d, t2, d, -t1);
}

/* Of 30 and 70 degrees. */
static void bennett(char *text, size_t size, int decimals)
{
  bennett_of(text, size, decimals, 0.52359877559829882, 1.2217304763960306, 1.0);
}

// what the digits leave of the rows' directions is more than they happen to leave of the loop
static void bennett_of_any_shape(void **state)
{
  (void)state;
  static const double twist[][2] = {{1.05, 0.7}, {0.5236, 1.2217}};
  for (int shape = 0; shape < 2; shape++) {
    for (int turn = 0; turn < 6; turn++) {
      for (int decimals = 4; decimals <= 10; decimals++) {
        char text[2048];
        cardan_report report = {.message = ""};
        bennett_of(text, sizeof text, decimals, twist[shape][0], twist[shape][1], 0.4 + 0.3 * turn);
        fixture f = fixture_load(text);
        expect_ok(cardan_assemble(f.model, f.data, NULL, &report), &report, text);
        assert_int_equal(f.model->mobility, 1);
        assert_int_equal(cardan_forward(f.model, f.data, 0.0, 0.0), CARDAN_OK);
        fixture_free(&f);
      }
    }
  }
}

// the linkage turns with its one freedom, left open by what its digits say; with all of a double's
// digits nothing is left
static void bennett_of_few_digits(void **state)
{
  (void)state;
  for (int decimals = 4; decimals <= 17; decimals += decimals == 8 ? 9 : 1) {
    char text[2048];
    cardan_assembly result;
    cardan_report report = {.message = ""};
    bennett(text, sizeof text, decimals);
    fixture f = fixture_load(text);
    expect_ok(cardan_assemble(f.model, f.data, &result, &report), &report, "bennett");
    print_message("%2d decimals: open by %.1e, closing %.1e\n", decimals, result.open,
                  f.model->closing);
    assert_int_equal(f.model->mobility, 1);
    assert_true(f.data->v[0] == 2.0);
    if (decimals < 17) {
      assert_true(result.open > 0.0 && result.open <= f.model->closing);
      assert_true(f.model->open == result.open);
      const double length = f.model->size_length;
      assert_near(f.model->closing, fmax(1e-7 * length, pow(10, -decimals) * (1 + length)), 1e-12);
      assert_true(result.q_change < 10 * pow(10, -decimals));
    } else {
      assert_true(result.open == 0.0 && f.model->open == 0.0);
    }
    fixture_free(&f);
  }
}

// it moves as the exact one does: a coordinate after 1 s, to some times the digits
static void bennett_moves(void **state)
{
  (void)state;
  double exact = 0.0;
  for (int k = 0; k < 3; k++) {
    const int decimals = k == 0 ? 17 : k == 1 ? 6 : 4;
    char text[2048];
    const cardan_options options = run_options("aba:rk4", 0.01, 1);
    bennett(text, sizeof text, decimals);
    run r = run_whole(text, NULL, &options);
    exact = k == 0 ? run_q(&r, "t1") : exact;
    assert_near(run_q(&r, "t1"), exact, k == 0 ? 0.0 : 100 * pow(10, -decimals));
    assert_int_equal(k > 0, strstr(cardan_sim_note(r.sim), "contradict one another by") != NULL);
    run_free(&r);
  }
}

// loops that can be closed are closed to the last digit, however few their data have: a four-bar,
// and one 1e-4 rad from lying flat, where truncated steps alone would stop
static void what_can_be_closed_is(void **state)
{
  (void)state;
  const char *const initial[] = {"(\"q1\" -1.1435) (\"q2\" 0.7521) (\"q3\" -1.1997)",
                                 "(\"q1\" -0.00012) (\"q2\" 0.00012) (\"q3\" -0.00012)"};
  for (int i = 0; i < 2; i++) {
    char text[1024];
    cardan_assembly result;
    loops_fourbar_text(text, sizeof text, 1.0, i == 0 ? 2.5123 : 2.1234, i == 0 ? 2.0123 : 1.0,
                       i == 0 ? 2.0 : 2.1234, "(coincide \"B\" \"C\")", initial[i]);
    fixture f = fixture_load(text);
    expect_ok(cardan_model_set_closing(f.model, 1e-4, NULL), NULL, "four-bar");
    expect_ok(cardan_assemble(f.model, f.data, &result, NULL), NULL, "four-bar");
    assert_true(result.open == 0.0);
    assert_true(result.violation <= 1e-12 * (1.0 + f.model->size_length));
    assert_true(result.q_change < (i == 0 ? 5e-2 : 1e-3)); // links are 0.01 longer than the seeds'
    fixture_free(&f);
  }
}

/* A door on three hinges, the last of them so far off the line of the others; what is 1e-7 of the
 * door needs no option. */
static void door(char *text, size_t size, double off)
{
  snprintf(text, size,
           "(system (gravity 0 0 -9.81) (rx 0.6 (rz \"q\" (tx 0.4 tz 1 (mass 20 2 2 3))"
           " (tz 1 (name \"d1\")) (tz 2 (name \"d2\"))) (tz 1 (name \"w1\"))"
           " (tx %.17g tz 2 (name \"w2\"))) (close revolute \"d1\" \"w1\" (axis 0 0 1))"
           " (close revolute \"d2\" \"w2\" (axis 0 0 1)) (initial (\"q\" 0.7))%s)",
           off, off > 2e-7 ? " (simulate (closing 1e-3))" : "");
}

// what is off is no lever that locks the door: it swings as the straight one does, by any method,
// to what is off
static void crooked_doors(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi",     "svi",           "aba:rk4",        "hamilton:rk4",
                                        "baraff", "half-implicit", "fully-implicit", "rattle"};
  for (int m = 0; m < 8; m++) {
    double straight = 0.0;
    const double offs[] = {0.0, 1e-9, 1e-7, 1e-5, 1e-4, 2e-4};
    for (int i = 0; i < 6; i++) {
      char text[1024];
      const cardan_options options = run_options(methods[m], 0.01, 1);
      door(text, sizeof text, offs[i]);
      run r = run_whole(text, NULL, &options);
      straight = i == 0 ? run_q(&r, "q") : straight;
      assert_near(run_q(&r, "q"), straight, i == 0 ? 0.0 : 1e-9 + 3 * offs[i]);
      assert_int_equal(offs[i] > 0, strstr(cardan_sim_note(r.sim), "taken as redundant") != NULL);
      run_free(&r);
    }
  }
}

/* Relative to the size; 0: 1e-7 of it, which a drawing leaves. */
static double closing_of(const char *numbers)
{
  char text[512];
  snprintf(text, sizeof text, "(system (rx \"q\" (mass 1.23456 1 1 1) (tx 1)) %s)", numbers);
  fixture f = fixture_load(text);
  const double closing = f.model->closing, length = f.model->size_length;
  fixture_free(&f);
  return closing == 1e-7 * length ? 0.0 : closing / (1.0 + length);
}

// which digits count
static void digits(void **state)
{
  (void)state;
  assert_true(closing_of("") == 0.0);
  assert_true(closing_of("(tx 0.125 ty 9.81)") == 0.0);
  assert_near(closing_of("(tx 0.1234)"), 1e-4, 1e-12);
  assert_near(closing_of("(tx 0.12340000 (ty 0.00005))"), 1e-4, 1e-12);
  assert_near(closing_of("(tx 0.1234 (ty 12.34567))"), 1e-5, 1e-13);
  assert_near(closing_of("(tx 12.3456e-3)"), 1e-7, 1e-15);
  assert_near(closing_of("(tx 1234.5)"), 1e-3, 1e-11); // no more than that
  assert_true(closing_of("(tx 0.33333333333333331)") == 0.0);
  assert_true(closing_of("(initial (\"q\" 0.1234)) (simulate (dt 0.01234))") == 0.0);
}

// a tolerance that is given, in the file or to the model; one that is not the model's is refused
static void another_tolerance(void **state)
{
  (void)state;
  char text[2048], with[2100];
  cardan_report report = {.message = ""};
  bennett(text, sizeof text, 4);
  text[strlen(text) - 1] = '\0';
  snprintf(with, sizeof with, "%s (simulate (closing 1e-7)))", text);
  fixture f = fixture_load(with);
  assert_true(f.model->closing == 1e-7);
  assert_int_equal(cardan_assemble(f.model, f.data, NULL, &report), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, "if its data have few digits, option closing"));
  cardan_data_destroy(f.data);
  expect_ok(cardan_model_set_closing(f.model, 1e-3, &report), &report, "close");
  assert_int_equal(f.model->mobility, 1);
  assert_int_equal(cardan_model_set_closing(f.model, -1, &report), CARDAN_ERR_ARGUMENT);
  cardan_options options = cardan_options_defaults();
  cardan_sim *sim = NULL;
  options.closing = 1e-2;
  assert_int_equal(cardan_sim_create(f.model, &options, NULL, &sim, &report), CARDAN_ERR_ARGUMENT);
  options.closing = 1e-3;
  expect_ok(cardan_sim_create(f.model, &options, NULL, &sim, &report), &report, "create");
  expect_ok(cardan_sim_start(sim, &report), &report, "start");
  assert_string_equal(cardan_sim_note(sim), "");
  cardan_sim_destroy(sim);
  cardan_model_destroy(f.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bennett_of_any_shape),
      cmocka_unit_test(bennett_of_few_digits),
      cmocka_unit_test(bennett_moves),
      cmocka_unit_test(what_can_be_closed_is),
      cmocka_unit_test(digits),
      cmocka_unit_test(another_tolerance),
      cmocka_unit_test(crooked_doors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
