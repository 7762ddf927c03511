// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/compare.h"
#include "fixture.h"

static cardan_options options_of(const char *label, double dt, double time)
{
  cardan_options options = cardan_options_defaults();
  assert_int_equal(cardan_options_set_label(&options, label, NULL), CARDAN_OK);
  options.dt = dt;
  options.time = time;
  return options;
}

// the fitted order is the method's own; 0.15 covers the next term at these steps, and methods of
// neighbouring order are 1 or more away
static void orders_are_found(void **state)
{
  static const char *const labels[] = {"aba/semi-implicit", "aba/rk2", "aba/rk4"};
  static const double orders[] = {1, 2, 4}, steps[] = {0.02, 0.01, 0.005};
  cardan_model *model = load_model("pendulum:3", NULL);
  cardan_contender contender[9];
  cardan_options reference;
  cardan_report report = {0};
  (void)state;
  for (int i = 0; i < 9; i++) {
    contender[i].options = options_of(labels[i / 3], steps[i % 3], 1);
  }
  const cardan_options like = options_of("aba", 0.01, 1);
  assert_int_equal(cardan_reference_options(&like, NULL, contender, 9, &reference, &report),
                   CARDAN_OK);
  assert_string_equal(reference.integrator, "dopri5");
  assert_int_equal(cardan_compare(model, NULL, NULL, &reference, contender, 9, NULL, NULL, &report),
                   CARDAN_OK);
  for (int i = 0; i < 9; i++) {
    const cardan_contender *one = &contender[i];
    assert_string_equal(one->label, labels[i / 3]);
    assert_int_equal(one->stats.steps, lround(1 / steps[i % 3]));
    assert_true(one->error_final > 0 && one->error_max >= one->error_final);
    assert_true(fabs(one->order - orders[i / 3]) < 0.15);
    // of three steps, each half of the last, least squares take the outer two
    const cardan_contender *first = &contender[i / 3 * 3];
    assert_near(one->order, log(first[0].error_max / first[2].error_max) / log(4.0), 1e-12);
  }
  cardan_model_destroy(model);
}

// a rotor has no length, and its turn is an error all the same: explicit Euler of a' = w, w' = t
// is off by 0.00497 rad at t = 1
static void turns_are_errors(void **state)
{
  (void)state;
  cardan_model *model = load_model("(system (rz \"a\" (mass 1 1 1 1)) (torque \"a\" t))", NULL);
  cardan_contender one = {.options = options_of("aba/euler", 0.01, 1)};
  cardan_options reference;
  cardan_report report = {0};
  assert_int_equal(cardan_reference_options(&one.options, NULL, &one, 1, &reference, &report),
                   CARDAN_OK);
  assert_int_equal(cardan_compare(model, NULL, NULL, &reference, &one, 1, NULL, NULL, &report),
                   CARDAN_OK);
  assert_true(one.error_final > 1e-3 && one.error_final < 1e-2);
  cardan_model_destroy(model);
}

typedef struct {
  int begun[3], rows[3], steps[3], current;
} counts;

static cardan_status count_row(void *user, const double *row, cardan_report *report)
{
  (void)row;
  (void)report;
  counts *c = user;
  return ++c->rows[c->current] == 30 ? CARDAN_ERR_STOPPED : CARDAN_OK;
}

static cardan_status count_step(void *user, cardan_sim *sim, const cardan_run_state *at,
                                cardan_report *report)
{
  (void)sim;
  (void)report;
  counts *c = user;
  assert_int_equal(at->step, ++c->steps[c->current]);
  assert_true(at->step <= at->steps);
  return CARDAN_OK;
}

static cardan_status count_begin(void *user, int k, cardan_sim *sim, cardan_sink *sinks, int *n,
                                 cardan_report *report)
{
  (void)sim;
  (void)report;
  counts *c = user;
  c->current = k + 1;
  c->begun[k + 1]++;
  sinks[(*n)++] = (cardan_sink){.user = user, .every = 1, .row = count_row, .step = count_step};
  return CARDAN_OK;
}

// hooks see every node of every run, and may end it all
static void hooks_see_all(void **state)
{
  cardan_model *model = load_model("pendulum", NULL);
  cardan_contender contender[2] = {{.options = options_of("aba/rk4", 0.1, 1)},
                                   {.options = options_of("aba/rk4", 0.025, 1)}};
  const cardan_options reference = options_of("aba/dopri5", 0.1, 1);
  counts c = {0};
  const cardan_compare_hooks hooks = {.user = &c, .begin = count_begin};
  (void)state;
  assert_int_equal(cardan_compare(model, NULL, NULL, &reference, contender, 2, &hooks, NULL, NULL),
                   CARDAN_ERR_STOPPED);
  const int begun[] = {1, 1, 1}, rows[] = {11, 11, 30}, steps[] = {10, 10, 29};
  assert_memory_equal(c.begun, begun, sizeof begun);
  assert_memory_equal(c.rows, rows, sizeof rows);
  assert_memory_equal(c.steps, steps, sizeof steps);
  cardan_model_destroy(model);
}

static void steps_must_meet(void **state)
{
  cardan_model *model = load_model("pendulum", NULL);
  cardan_contender contender = {.options = options_of("aba/rk4", 0.03, 1)};
  const cardan_options reference = options_of("aba/dopri5", 0.1, 1);
  cardan_report report = {0};
  (void)state;
  assert_int_equal(
      cardan_compare(model, NULL, NULL, &reference, &contender, 1, NULL, NULL, &report),
      CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "0.03 does not divide dt 0.1"));
  cardan_model_destroy(model);
}

static void labels_are_read(void **state)
{
  cardan_options options = cardan_options_defaults();
  cardan_report report = {0};
  (void)state;
  assert_int_equal(cardan_options_set_label(&options, "vi/rk4", &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "no integrator"));
  assert_int_equal(cardan_options_set_label(&options, "aba/rk44", &report), CARDAN_ERR_ARGUMENT);
  assert_int_equal(cardan_options_set_label(&options, "abba", &report), CARDAN_ERR_ARGUMENT);
  assert_int_equal(cardan_options_set_label(&options, "aba/rk2", &report), CARDAN_OK);
  assert_string_equal(options.integrator, "rk2");
}

// a method that cannot start is its own result; texts report it, and JSON has null for what is not
// known
static void failures_are_results(void **state)
{
  cardan_model *model = load_model("pendulum", NULL);
  cardan_contender contender = {.options = options_of("aba/rk4", 0.1, 1)};
  const cardan_options reference = options_of("aba/dopri5", 0.1, 1);
  char *text = NULL;
  (void)state;
  contender.options.rtol = -1; // refused when the sim is made
  assert_int_equal(cardan_compare(model, NULL, NULL, &reference, &contender, 1, NULL, NULL, NULL),
                   CARDAN_OK);
  assert_true(contender.refused && contender.message[0] != '\0');
  assert_int_equal(cardan_describe_comparison(&contender, 1, "m", "r", NULL, false, NULL, &text),
                   CARDAN_OK);
  assert_non_null(strstr(text, "not run: "));
  cardan_free_text(NULL, text);
  assert_int_equal(cardan_describe_comparison(&contender, 1, "m", "r", NULL, true, NULL, &text),
                   CARDAN_OK);
  assert_non_null(strstr(text, "\"error_final\":null"));
  cardan_free_text(NULL, text);
  cardan_model_destroy(model);
}

static cardan_status make_errors(const cardan_allocator *allocator, void *user)
{
  cardan_compare_errors *errors;
  (void)user;
  const cardan_status status = cardan_compare_errors_create(3, allocator, &errors);
  cardan_compare_errors_destroy(errors);
  return status;
}

// errors over time: their largest is error_max; the page's data of them; none without memory
static void errors_over_time(void **state)
{
  cardan_model *model = load_model("pendulum", NULL);
  cardan_contender contender[3] = {{.options = options_of("aba/rk4", 0.1, 1)},
                                   {.options = options_of("aba/rk4", 0.1, 1)},
                                   {.options = options_of("vi", 0.05, 1)}};
  const cardan_options reference = options_of("aba/dopri5", 0.1, 1);
  const int run[] = {0, -1, 1};
  cardan_compare_errors *errors = NULL;
  char *text = NULL;
  (void)state;
  contender[1].options.rtol = -1; // refused
  assert_int_equal(cardan_compare_errors_create(3, NULL, &errors), CARDAN_OK);
  const cardan_compare_hooks hooks = {.user = errors, .error = cardan_compare_errors_put};
  assert_int_equal(cardan_compare(model, NULL, NULL, &reference, contender, 3, &hooks, NULL, NULL),
                   CARDAN_OK);
  const int count[] = {10, 0, 10};
  assert_memory_equal(errors->count, count, sizeof count);
  for (int k = 0; k < 3; k += 2) {
    double most = 0.0;
    for (int i = 0; i < 10; i++) {
      assert_near(errors->time[i], 0.1 * (i + 1), 1e-15);
      most = fmax(most, errors->error[k * CARDAN_COMPARE_TIMES + i]);
    }
    assert_true(most == contender[k].error_max && most > 0.0);
  }
  assert_int_equal(
      cardan_describe_comparison_page(contender, 3, "m", "r", run, errors, 2, NULL, &text),
      CARDAN_OK);
  assert_non_null(strstr(text, "\"times\":[0.1,0.2,"));
  assert_non_null(strstr(text, "\"reference_run\":2}"));
  cardan_free_text(NULL, text);
  cardan_compare_errors_destroy(errors);
  cardan_model_destroy(model);
  assert_int_equal(support_fail_each(make_errors, NULL), 4);
}

// a chaotic motion is another one from some time on: from then its error stays above a tenth of the
// model's length; a motion that is not chaotic never is
static void parted(void **state)
{
  (void)state;
  cardan_model *chaos = load_model("double-pendulum", NULL), *plain = load_model("pendulum", NULL);
  cardan_contender contender[2] = {{.options = options_of("vi", 0.02, 30)},
                                   {.options = options_of("vi", 0.005, 30)}};
  const cardan_options reference = options_of("aba/dopri5", 0.02, 30);
  cardan_compare_errors *errors = NULL;
  assert_int_equal(cardan_compare_errors_create(2, NULL, &errors), CARDAN_OK);
  const cardan_compare_hooks hooks = {.user = errors, .error = cardan_compare_errors_put};
  assert_int_equal(cardan_compare(chaos, NULL, NULL, &reference, contender, 2, &hooks, NULL, NULL),
                   CARDAN_OK);
  const double length = chaos->size_length;
  assert_true(contender[0].parted > 0 && contender[1].parted > 0);
  for (int i = 0; i < errors->count[0]; i++) {
    const bool after = errors->time[i] >= contender[0].parted - 1e-9;
    assert_true(!after || errors->error[i] > 0.1 * length);
  }
  assert_int_equal(cardan_compare(plain, NULL, NULL, &reference, contender, 2, NULL, NULL, NULL),
                   CARDAN_OK);
  assert_true(isnan(contender[0].parted) && isnan(contender[1].parted));
  assert_true(contender[0].stats.energy_band > 10 * contender[1].stats.energy_band);
  cardan_compare_errors_destroy(errors);
  cardan_model_destroy(chaos);
  cardan_model_destroy(plain);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_are_found),     cmocka_unit_test(hooks_see_all),
      cmocka_unit_test(steps_must_meet),      cmocka_unit_test(labels_are_read),
      cmocka_unit_test(failures_are_results), cmocka_unit_test(turns_are_errors),
      cmocka_unit_test(errors_over_time),     cmocka_unit_test(parted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
