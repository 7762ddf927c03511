// SPDX-License-Identifier: Apache-2.0
// The items of one paper, PAPER: its cardan__paper, by the build.
#include "paper_check.h"
#include "support.h"

static void test_items(void **state)
{
  (void)state;
  check_paper(&PAPER);
}

static void test_stops(void **state)
{
  (void)state;
  check_paper_stops(&PAPER);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_items),
      cmocka_unit_test(test_stops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
