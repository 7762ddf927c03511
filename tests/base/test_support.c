// SPDX-License-Identifier: Apache-2.0
// The tests' own tools: a counter that does not count would let every no-allocation test pass.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static void counts_every_kind_of_allocation(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  const long before = support_alloc_count();
  void *volatile blocks[4] = {malloc(10), calloc(3, 5), aligned_alloc(64, 128), NULL};
  blocks[3] = realloc(NULL, 20);
  assert_int_equal(support_alloc_count() - before, 4);
  for (int i = 0; i < 4; i++) {
    free(blocks[i]);
  }

  // a shared library's allocations count too: the C library makes a FILE and a buffer
  const long outside = support_alloc_count();
  FILE *file = tmpfile();
  assert_non_null(file);
  fclose(file);
  assert_true(support_alloc_count() > outside);

  const long quiet = support_alloc_count();
  char text[64];
  snprintf(text, sizeof(text), "%d", 12);
  assert_int_equal(support_alloc_count(), quiet);
}

static void failing_allocator_fails_where_told(void **state)
{
  (void)state;
  support_memory memory = {.fail_at = 2};
  const cardan_allocator alloc = support_allocator(&memory);
  char *block = alloc.resize(alloc.user, NULL, 4);
  assert_non_null(block);
  memcpy(block, "abc", 4);
  assert_null(alloc.resize(alloc.user, block, 100));
  assert_string_equal(block, "abc");
  block = alloc.resize(alloc.user, block, 100);
  assert_string_equal(block, "abc");
  assert_int_equal(memory.blocks, 1);
  assert_int_equal(memory.bytes, 100);
  assert_null(alloc.resize(alloc.user, block, 0));
  assert_int_equal(memory.blocks, 0);
  assert_int_equal(memory.bytes_max, 100);
  assert_int_equal(memory.calls, 3);

  memory = (support_memory){.fail_at = 1, .fail_after = true};
  assert_null(alloc.resize(alloc.user, NULL, 4));
  assert_null(alloc.resize(alloc.user, NULL, 4));
}

// first values of splitmix64 from state 0, computed from its definition with exact integers
static void random_numbers_are_the_same_everywhere(void **state)
{
  (void)state;
  support_rng rng = {0};
  assert_true(support_random(&rng) == 0xE220A8397B1DCDAFU);
  assert_true(support_random(&rng) == 0x6E789E6AA1B965F4U);
  for (int i = 0; i < 1000; i++) {
    const double x = support_random_in(&rng, -2.0, 3.0);
    assert_true(x >= -2.0 && x < 3.0);
    assert_in_range(support_random_int(&rng, 5, 7), 5, 7);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_every_kind_of_allocation),
      cmocka_unit_test(failing_allocator_fails_where_told),
      cmocka_unit_test(random_numbers_are_the_same_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
