// SPDX-License-Identifier: Apache-2.0
// Every example of docs/sweep.md that is a plan can be read, and its first and last cases have
// values.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "support.h"
#include "sweep/plan.h"

static void check(const char *text, size_t length)
{
  double value[256];
  cardan_report report = {.message = ""};
  cardan__plan *plan;
  if (cardan__plan_read(text, length, CARDAN_MANUAL, NULL, &plan, &report) != CARDAN_OK) {
    fail_msg("%.*s: %d:%d: %s", (int)length, text, report.pos.line, report.pos.column,
             report.message);
  }
  const int64_t n = cardan__plan_count(plan);
  for (int last = 0; last < 2; last++) {
    cardan__plan_values(plan, last ? n - 1 : 0, value);
    for (int k = 0; k < cardan__plan_nvaried(plan); k++) {
      assert_true(isfinite(value[k]));
    }
  }
  cardan__plan_destroy(plan);
}

static void examples(void **state)
{
  static const char fence[] = "```plan\n";
  char *manual = folder_read(CARDAN_MANUAL, NULL);
  int count = 0;
  (void)state;
  for (char *p = strstr(manual, fence); p; p = strstr(p, fence), count++) {
    p += strlen(fence);
    char *end = strstr(p, "```");
    assert_non_null(end);
    check(p, (size_t)(end - p));
    p = end;
  }
  assert_true(count >= 4);
  free(manual);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(examples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
