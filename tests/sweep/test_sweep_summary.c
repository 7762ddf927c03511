// SPDX-License-Identifier: Apache-2.0
// What a sweep shows, from files whose results are known: indices of Ishigami's function, effects
// of a grid, statistics, cases that failed, what a page has of many cases.
#include "cardan/sweep_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/load.h"
#include "output/hdf5_sweep.h"
#include "own_folder.h"
#include "support.h"
#include "sweep/summary.h"

enum { MOST_COLUMNS = 8 };

/* A result of a plan: y from the numbers that differ; fails says which cases have failed. */
typedef struct {
  const char *plan;
  double (*y)(const double *x);
  bool (*fails)(int64_t i);
} study_of;

static void add_messages(cardan_table *table, const study_of *of, int64_t count)
{
  int64_t n = 1;
  if (!of->fails) {
    return;
  }
  for (int64_t i = 0; i < count; i++) {
    n += of->fails(i);
  }
  good(cardan__table_messages(table, n, 100, NULL));
  good(cardan__table_message(table, 0, "the balance jumps", NULL));
  for (int64_t i = 1; i < count; i++) {
    if (of->fails(i)) {
      good(cardan__table_message(table, i, "</script><b>no", NULL));
    }
  }
}

/* Columns: case, status, what differs, one result. Where some fail, case 0 ends well and is in
 * doubt. */
static void write_file(const char *path, const study_of *of)
{
  const cardan_options options = cardan_options_defaults();
  static const char text[] = "(system \"S\" (ry \"a\" (tz -1 (mass 1))))";
  const cardan_record record = {
      .model = "s.mbs", .text = text, .length = sizeof text - 1, .options = &options};
  const char *names[MOST_COLUMNS] = {"case", "status"};
  cardan__plan *plan;
  cardan_table *table;
  good(cardan__plan_read(of->plan, strlen(of->plan), "plan", NULL, &plan, NULL));
  const int nvaried = cardan__plan_nvaried(plan);
  for (int k = 0; k < nvaried; k++) {
    names[2 + k] = cardan__plan_varied(plan, k)->column;
  }
  names[2 + nvaried] = cardan__plan_collect(plan, 0)->column;
  good(cardan_table_open(path, names, 3 + nvaried, &record, NULL, &table, NULL));
  good(cardan_table_statuses(table, 1, NULL));
  good(cardan__table_plan(table, of->plan, strlen(of->plan), NULL));
  for (int64_t i = 0; i < cardan__plan_count(plan); i++) {
    const bool failed = of->fails && of->fails(i);
    double row[MOST_COLUMNS] = {(double)i, failed ? -(double)CARDAN_ERR_SINGULAR : 0};
    cardan__plan_values(plan, i, row + 2);
    row[2 + nvaried] = failed ? 1e9 : of->y(row + 2);
    good(cardan_table_row(table, row, NULL));
  }
  add_messages(table, of, cardan__plan_count(plan));
  good(cardan_table_close(table, true, NULL));
  cardan__plan_destroy(plan);
}

static cardan_sweep_summary *make_survey(const study_of *of)
{
  char path[256];
  cardan_sweep_summary *summary;
  cardan_report report = {.message = ""};
  folder_path(&folder, "s.h5", path);
  write_file(path, of);
  const cardan_status status = cardan_sweep_summary_create(path, NULL, &summary, &report);
  assert_string_equal(report.message, "");
  good(status);
  return summary;
}

static double ishigami(const double *x)
{
  const double s = sin(x[1]);
  return sin(x[0]) + 7 * s * s + 0.1 * pow(x[2], 4) * sin(x[0]);
}

static bool some_fail(int64_t i)
{
  return i % 1000 == 17;
}

#define THREE                                                                        \
  "(random a (uniform (- pi) pi)) (random b (uniform (- pi) pi)) (random c (uniform" \
  " (- pi) pi)) "

// The closed form is in tests/analysis/test_sensitivity.c, with the tolerance; the 11 blocks in
// which a case failed, or is in doubt, count nowhere, and neither case in statistics.
static void blocks_give_both_orders(void **state)
{
  const double first[] = {0.3139, 0.4424, 0}, total[] = {0.5576, 0.4424, 0.2437};
  const study_of of = {"(plan " THREE "(count 2000) (sensitivity) (collect (end q.a)))", ishigami,
                       some_fail};
  (void)state;
  cardan_sweep_summary *s = make_survey(&of);
  assert_int_equal(s->kind, CARDAN__INFLUENCE_BLOCKS);
  assert_int_equal(s->ncase, 10000);
  assert_int_equal(s->failed, 10);
  assert_int_equal(s->doubts, 1);
  assert_int_equal(s->influence[0].used, 1989);
  assert_int_equal(s->influence[0].of, 2000);
  for (int i = 0; i < 3; i++) {
    assert_near(s->influence[0].first[i].value, first[i], 8 / sqrt(2000));
    assert_near(s->influence[0].total[i].value, total[i], 8 / sqrt(2000));
  }
  assert_true(s->column[5].moments.max < 20 && s->column[5].moments.n == 9989);
  assert_true(s->column[5].all.max == 1e9);
  cardan_sweep_summary_destroy(s);
}

static void drawn_numbers_give_the_first_order(void **state)
{
  const double first[] = {0.3139, 0.4424, 0};
  const study_of of = {"(plan " THREE "(count 20000) (collect (end q.a)))", ishigami, NULL};
  (void)state;
  cardan_sweep_summary *s = make_survey(&of);
  assert_int_equal(s->kind, CARDAN__INFLUENCE_BINS);
  assert_null(s->influence[0].total);
  for (int i = 0; i < 3; i++) {
    const cardan__index *x = &s->influence[0].first[i];
    assert_near(x->value, first[i], 8 / sqrt(20000) + 1e-3);
    assert_true(x->low < x->value && x->value < x->high);
  }
  assert_true(s->grid.x < 0);
  cardan_sweep_summary_destroy(s);
}

static double sum(const double *x)
{
  return x[0] + 2 * x[1];
}

// Shares of 0 .. 3 and of 2 times 0 .. 4: variances 5/4 and 4 x 2.
static void grids_give_main_effects(void **state)
{
  const study_of of = {"(plan (range a 0 3 (count 4)) (range b 0 4 (count 5)) (collect (end q.a)))",
                       sum, NULL};
  (void)state;
  cardan_sweep_summary *s = make_survey(&of);
  assert_int_equal(s->kind, CARDAN__INFLUENCE_GRID);
  assert_near(s->influence[0].first[0].value, 1.25 / 9.25, 1e-14);
  assert_near(s->influence[0].first[1].value, 8 / 9.25, 1e-14);
  assert_true(isnan(s->influence[0].first[0].low));
  assert_true(s->grid.x == 2 && s->grid.y == 3 && s->grid.nx == 4 && s->grid.ny == 5);
  cardan_sweep_summary_destroy(s);
}

static int64_t count_of(const char *text, const char *what)
{
  int64_t n = 0;
  for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) {
    n++;
  }
  return n;
}

static void a_summary_says_what_it_is_of(void **state)
{
  const study_of of = {"(plan " THREE "(count 200) (sensitivity) (collect (end q.a)))", ishigami,
                       some_fail};
  char *text;
  (void)state;
  cardan_sweep_summary *s = make_survey(&of);
  good(cardan_sweep_summary_describe(s, false, NULL, &text));
  assert_non_null(strstr(
      text,
      "statistics of 998 of 1000 cases, those that ended well and are not in doubt, as 1 is"));
  assert_non_null(strstr(text, "shares of the variance, total order\n  end.q.a "));
  assert_non_null(strstr(text, "; from 198 of 200 blocks\n"));
  cardan_free_text(NULL, text);
  good(cardan_sweep_summary_describe(s, true, NULL, &text));
  assert_non_null(strstr(text, "\"kind\":\"blocks\",\"inputs\":[\"a\",\"b\",\"c\"]"));
  assert_non_null(strstr(text, "\"used\":198,\"of\":200"));
  assert_non_null(strstr(text, "Saltelli"));
  cardan_free_text(NULL, text);
  cardan_sweep_summary_destroy(s);
}

static double seldom(const double *x)
{
  return x[0] > 1 ? (double)NAN : sum(x);
}

// cases that ended well and have no number, as of what was never passed, do not count in its line
static void a_summary_says_what_has_no_number(void **state)
{
  const study_of of = {"(plan (range a 0 3 (count 4)) (range b 0 4 (count 5)) (collect (end q.a)))",
                       seldom, NULL};
  char *text;
  (void)state;
  cardan_sweep_summary *s = make_survey(&of);
  good(cardan_sweep_summary_describe(s, false, NULL, &text));
  assert_non_null(strstr(text, "statistics of 20 of 20 cases"));
  assert_non_null(strstr(text, "max 9  of 10 cases\n"));
  cardan_free_text(NULL, text);
  cardan_sweep_summary_destroy(s);
}

// No text of the file can end the element that holds the data.
static void a_page_has_all_and_is_escaped(void **state)
{
  const study_of of = {"(plan " THREE "(count 1100) (collect (end q.a (as \"</script><b>\"))))",
                       ishigami, some_fail};
  char *text;
  size_t length;
  (void)state;
  cardan_sweep_summary *s = make_survey(&of);
  good(cardan_sweep_summary_json(s, NULL, &text, &length, NULL));
  assert_int_equal(strlen(text), length);
  assert_null(strchr(text, '<'));
  assert_non_null(strstr(text, "\"cases\":1100,\"failed\":2,\"doubts\":1"));
  assert_non_null(strstr(text, "\"word\":\"singular\""));
  assert_non_null(strstr(text, "\"count\":2,\"first\":17,\"message\":\"\\u003c/script"));
  assert_non_null(strstr(text, "\"shown\":1100"));
  assert_null(strstr(text, "\"numbers\""));
  assert_non_null(strstr(text, "\"how\":\"end\",\"of\":\"q.a\""));
  cardan_free_text(NULL, text);
  cardan_sweep_summary_destroy(s);
}

static bool last_fails(int64_t i)
{
  return i == 200999;
}

// Of more than 200,000 cases one of each stretch and those that are spoken of; of a grid all, as
// pictures.
static void of_many_cases_a_page_has_some(void **state)
{
  const study_of of = {
      "(plan (range a 0 3 (count 300)) (range b 0 4 (count 670)) (collect (end q.a)))", sum,
      last_fails};
  char *text;
  size_t length;
  (void)state;
  cardan_sweep_summary *s = make_survey(&of);
  good(cardan_sweep_summary_json(s, NULL, &text, &length, NULL));
  const char *shown = strstr(text, "\"shown\":");
  assert_non_null(shown);
  assert_in_range(atol(shown + 8), 200000, 200001);
  assert_int_equal(count_of(text, "\"pictures\":[{\"column\":1,"), 1);
  assert_int_equal(count_of(text, "{\"column\":4,\"base\":"), 1);
  assert_non_null(strstr(text, "\"left\":[]"));
  // 4 columns of the sample, its numbers, doubts, pictures of statuses and of the result
  const double bytes = 4.0 / 3 * (200000 * (4 * 4 + 8 + 2) + 2 * 201000 * 4);
  assert_in_range(length, (size_t)bytes, (size_t)bytes + 60000);
  cardan_free_text(NULL, text);
  cardan_sweep_summary_destroy(s);
}

static void files_that_do_not_fit_their_plan_are_refused(void **state)
{
  char path[256];
  cardan_sweep_summary *summary;
  cardan_report report = {.message = ""};
  const study_of of = {"(plan (grid a 1 2) (collect (end q.a)))", sum, NULL};
  (void)state;
  folder_path(&folder, "no.h5", path);
  assert_int_equal(cardan_sweep_summary_create(path, NULL, &summary, &report), CARDAN_ERR_IO);
  assert_null(summary);
  const cardan_options options = cardan_options_defaults();
  const cardan_record record = {.model = "a", .text = "(system)", .length = 8, .options = &options};
  const char *const names[] = {"case", "status", "a", "end.q.a"};
  for (int wrong = 0; wrong < 3; wrong++) {
    cardan_table *table;
    good(cardan_table_open(path, names, 4, &record, NULL, &table, NULL));
    good(cardan_table_statuses(table, 1, NULL));
    good(cardan__table_plan(table, of.plan, strlen(of.plan), NULL));
    good(cardan_table_row(table, (double[]){wrong == 0, 0, 1, 1}, NULL));
    good(cardan_table_row(table, (double[]){1, wrong == 1 ? 99 : 0, 2, 1}, NULL));
    if (wrong == 2) {
      good(cardan_table_row(table, (double[]){2, 0, 2, 1}, NULL));
    }
    good(cardan_table_close(table, true, NULL));
    assert_int_equal(cardan_sweep_summary_create(path, NULL, &summary, &report), CARDAN_ERR_IO);
    assert_non_null(strstr(report.message, wrong == 2 ? "not that of its plan" : "is damaged"));
  }
}

static cardan_status survey_all(const cardan_allocator *alloc, void *user)
{
  cardan_sweep_summary *summary;
  char *text = NULL;
  size_t length;
  cardan_status status = cardan_sweep_summary_create(user, alloc, &summary, NULL);
  if (status == CARDAN_OK) {
    status = cardan_sweep_summary_json(summary, alloc, &text, &length, NULL);
    cardan_free_text(alloc, text);
    cardan_sweep_summary_destroy(summary);
  }
  return status;
}

static void memory_that_fails_is_said(void **state)
{
  char path[256];
  const study_of of = {"(plan (range a 0 3 (count 4)) (random b (uniform 0 1)) (count 30) (collect "
                       "(end q.a)))",
                       sum, some_fail};
  (void)state;
  folder_path(&folder, "m.h5", path);
  write_file(path, &of);
  assert_true(support_fail_each(survey_all, path) > 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_give_both_orders),
      cmocka_unit_test(drawn_numbers_give_the_first_order),
      cmocka_unit_test(grids_give_main_effects),
      cmocka_unit_test(a_summary_says_what_it_is_of),
      cmocka_unit_test(a_summary_says_what_has_no_number),
      cmocka_unit_test(a_page_has_all_and_is_escaped),
      cmocka_unit_test(of_many_cases_a_page_has_some),
      cmocka_unit_test(files_that_do_not_fit_their_plan_are_refused),
      cmocka_unit_test(memory_that_fails_is_said),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
