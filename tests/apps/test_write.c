// SPDX-License-Identifier: Apache-2.0
// What is written of an item that failed, and of one with a number out of place.
#include <math.h>
#include <string.h>

#include "json_read.h"
#include "reproduce/write.h"
#include "support.h"

/* The text of one kind, to be freed. */
static cardan__text written(const cardan__outcome *out,
                            void (*write)(const cardan__made *made, cardan__text *text))
{
  const cardan__made made = {
      .paper = &cardan__naudet, .item = &cardan__naudet.item[0], .out = out, .seconds = 1};
  cardan__text text;
  cardan__text_init(&text, NULL);
  write(&made, &text);
  assert_false(text.failed);
  return text;
}

static void assert_written(const cardan__outcome *out,
                           void (*write)(const cardan__made *made, cardan__text *text),
                           const char *has, const char *has_not)
{
  cardan__text text = written(out, write);
  assert_non_null(strstr(text.data, has));
  assert_null(strstr(text.data, has_not));
  cardan__text_free(&text);
}

static void assert_json(const cardan__outcome *out, const char *key, const char *value)
{
  cardan__text text = written(out, cardan__made_json);
  assert_true(json_valid(text.data));
  const char *found = json_find(text.data, key);
  assert_non_null(found);
  assert_memory_equal(found, value, strlen(value));
  cardan__text_free(&text);
}

static void failed_item(void **state)
{
  static const char *const column[] = {"h", "iterations"};
  cardan__outcome out;
  (void)state;
  cardan__outcome_init(&out, NULL);
  // stopped within a row, with a curve begun
  cardan__plot *plot = cardan__outcome_plot(&out, "", "Energy", "t", "E", CARDAN__LINEAR);
  cardan__plot_curve(&out, plot, "HI", false);
  cardan__grid *grid = cardan__outcome_grid(&out, "Counts", column, 2);
  cardan__grid_numbers(&out, grid, 0.1, NAN);
  cardan__outcome_say(&out, CARDAN__FAILED, "no convergence: the step has no solution");
  assert_false(cardan__outcome_holds(&out));
  assert_json(&out, "verdict", "\"failed\"");
  assert_json(&out, "holds", "false");
  assert_written(&out, cardan__made_markdown, "**failed.** no convergence", "as expected");
  assert_written(&out, cardan__made_markdown_row, "| failed | no convergence", "as expected");
  cardan__outcome_free(&out);
}

static void number_out_of_place(void **state)
{
  cardan__outcome out;
  (void)state;
  cardan__outcome_init(&out, NULL);
  cardan__outcome_say(&out, CARDAN__REPRODUCED, "Within 2 %%. So it is.");
  cardan__outcome_claim(&out, "order", "", 2, 1.98, 1.9, 2.1);
  assert_true(cardan__outcome_holds(&out));
  assert_written(&out, cardan__made_markdown, "**reproduced.** Within", "not there");
  assert_written(&out, cardan__made_markdown_row, "| reproduced | Within 2 %. |", "So it is");
  cardan__outcome_claim(&out, "count", "", NAN, NAN, 0, 1);
  assert_false(cardan__outcome_holds(&out));
  assert_json(&out, "holds", "false");
  assert_written(&out, cardan__made_markdown, "0 .. 1: **not there**", "nan");
  assert_written(&out, cardan__made_markdown_row, "reproduced, **not as expected**", "nan");
  assert_written(&out, cardan__made_csv, "number,count,,ours,,\n", "nan");
  cardan__outcome_free(&out);
}

/* A time out of its bounds is shown, and no verdict depends on it. */
static void measured_times(void **state)
{
  cardan__outcome out;
  (void)state;
  cardan__outcome_init(&out, NULL);
  cardan__outcome_say(&out, CARDAN__REPRODUCED, "It pays.");
  cardan__outcome_claim(&out, "evaluations", "", NAN, 3, 2, 4);
  cardan__outcome_claim_timed(&out, "caching pays", "times", NAN, 3, 8, 150);
  cardan__outcome_claim_timed(&out, "fit", "", NAN, (double)NAN, 0, 1);
  assert_true(cardan__outcome_holds(&out));
  assert_false(cardan__claim_holds(&out.claim[1]));
  assert_json(&out, "holds", "true");
  assert_written(&out, cardan__made_markdown, "not there in this run, by the clock", "as expected");
  cardan__outcome_claim(&out, "error", "m", NAN, 5, 2, 4);
  assert_false(cardan__outcome_holds(&out));
  cardan__outcome_free(&out);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failed_item),
      cmocka_unit_test(number_out_of_place),
      cmocka_unit_test(measured_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
