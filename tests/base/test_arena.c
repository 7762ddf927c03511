// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <limits.h>
#include <string.h>

#include "support.h"

static bool all_zero(const void *memory, size_t size)
{
  const char *bytes = memory;
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] != 0) {
      return false;
    }
  }
  return true;
}

static void resize_without_an_allocator(void **state)
{
  (void)state;
  const cardan_allocator empty = {0};
  const cardan_allocator *allocators[] = {NULL, &empty};
  for (int i = 0; i < 2; i++) {
    char *block = cardan__resize(allocators[i], NULL, 10);
    assert_non_null(block);
    memcpy(block, "123456789", 10);
    block = cardan__resize(allocators[i], block, 100000);
    assert_string_equal(block, "123456789");
    assert_null(cardan__resize(allocators[i], block, 0));
    assert_null(cardan__resize(allocators[i], NULL, 0));
  }
}

static cardan_status push_numbers(const cardan_allocator *alloc, void *user)
{
  const int n = *(const int *)user;
  int *items = NULL, capacity = 0;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = cardan__grow(alloc, (void **)&items, &capacity, i + 1, sizeof(int));
    if (status == CARDAN_OK) {
      assert_true(capacity > i);
      assert_int_equal(items[i], 0);
      items[i] = i + 1;
    }
  }
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    assert_int_equal(items[i], i + 1);
  }
  cardan__resize(alloc, items, 0);
  return status;
}

static void grow_keeps_items_and_survives_failure(void **state)
{
  (void)state;
  int n = 10000;
  // by half each time: 10000 items need about log(10000 / 16) / log(1.5) = 16 steps
  assert_in_range(support_fail_each(push_numbers, &n), 10, 25);
}

static void grow_refuses_what_no_machine_has(void **state)
{
  (void)state;
  int capacity = 0;
  char *items = NULL;
  assert_int_equal(cardan__grow(NULL, (void **)&items, &capacity, INT_MAX, SIZE_MAX / 1000),
                   CARDAN_ERR_MEMORY);
  assert_null(items);
  assert_int_equal(capacity, 0);
  assert_int_equal(cardan__grow(NULL, (void **)&items, &capacity, 0, 1), CARDAN_OK);
  assert_null(items);
}

static cardan_status fill_arena(const cardan_allocator *alloc, void *user)
{
  (void)user;
  support_rng rng = {1};
  cardan__arena arena;
  cardan__arena_init(&arena, alloc);
  unsigned char *pieces[300];
  size_t sizes[300];
  cardan_status status = CARDAN_OK;
  int n = 0;
  for (; n < 300 && status == CARDAN_OK; n++) {
    sizes[n] = (size_t)support_random_int(&rng, 0, n % 50 == 0 ? 50000 : 300);
    pieces[n] = cardan__arena_take(&arena, sizes[n], 1);
    if (!pieces[n]) {
      status = CARDAN_ERR_MEMORY;
      break;
    }
    assert_int_equal((uintptr_t)pieces[n] % 16, 0);
    assert_true(all_zero(pieces[n], sizes[n]));
    memset(pieces[n], n % 255 + 1, sizes[n]);
  }
  // no piece overlaps another: each still holds its own number
  for (int i = 0; i < n; i++) {
    for (size_t k = 0; k < sizes[i]; k++) {
      assert_int_equal(pieces[i][k], i % 255 + 1);
    }
  }
  cardan__arena_free(&arena);
  return status;
}

static void arena_pieces_are_apart_and_all_come_back(void **state)
{
  (void)state;
  assert_in_range(support_fail_each(fill_arena, NULL), 2, 30);
}

static void arena_texts_and_edges(void **state)
{
  (void)state;
  support_memory memory = {0};
  const cardan_allocator alloc = support_allocator(&memory);
  cardan__arena arena;
  cardan__arena_init(&arena, &alloc);

  assert_string_equal(cardan__arena_text(&arena, "pendulum:5", 8), "pendulum");
  assert_string_equal(cardan__arena_text(&arena, NULL, 0), "");
  const void *first = cardan__arena_take(&arena, 0, 8), *second = cardan__arena_take(&arena, 8, 0);
  assert_non_null(first);
  assert_non_null(second);
  assert_ptr_not_equal(first, second);

  assert_null(cardan__arena_take(&arena, SIZE_MAX / 2, 3));
  assert_null(cardan__arena_take(&arena, SIZE_MAX - 20, 1));
  assert_null(cardan__arena_text(&arena, "", SIZE_MAX));
  assert_string_equal(cardan__arena_text(&arena, "after", 5), "after");

  cardan__arena_free(&arena);
  assert_int_equal(memory.blocks, 0);
  cardan__arena_free(&arena);
  assert_non_null(cardan__arena_take(&arena, 1, 1));
  cardan__arena_free(&arena);
  assert_int_equal(memory.blocks, 0);

  cardan__arena zeros = {0};
  cardan__arena_free(&zeros);
}

// a piece larger than a chunk must not make the arena's memory grow without bound
static void arena_wastes_little(void **state)
{
  (void)state;
  support_memory memory = {0};
  const cardan_allocator alloc = support_allocator(&memory);
  cardan__arena arena;
  cardan__arena_init(&arena, &alloc);
  const size_t n = 100000, size = 48;
  for (size_t i = 0; i < n; i++) {
    assert_non_null(cardan__arena_take(&arena, 1, size));
  }
  // the last chunk may be empty: at most 1 MiB, plus headers
  assert_true(memory.bytes < n * size + (1U << 20) + 4096);
  cardan__arena_free(&arena);
}

static void carve_counts_what_it_gives(void **state)
{
  (void)state;
  static const struct {
    size_t count, size;
  } parts[] = {{3, 8}, {0, 8}, {1, 1}, {64, 1}, {65, 1}, {7, 0}, {100, 24}};
  enum { NPART = sizeof(parts) / sizeof(parts[0]) };

  cardan__carver counting = {0};
  for (int i = 0; i < NPART; i++) {
    assert_null(cardan__carve(&counting, parts[i].count, parts[i].size));
  }
  const size_t size = cardan__carver_size(&counting);
  assert_true(size >= counting.used);

  // from every alignment, each piece is aligned, inside the block, and apart from the one before
  static char block[8192];
  assert_true(size + 64 <= sizeof(block));
  for (size_t shift = 0; shift < 64; shift++) {
    char *memory = block + shift, *end = memory;
    cardan__carver carver = cardan__carver_over(memory);
    for (int i = 0; i < NPART; i++) {
      char *piece = cardan__carve(&carver, parts[i].count, parts[i].size);
      assert_non_null(piece);
      assert_int_equal((uintptr_t)piece % CARDAN__ALIGN, 0);
      assert_true(piece >= end);
      end = piece + parts[i].count * parts[i].size;
    }
    assert_true(end <= memory + size);
    assert_int_equal(carver.used, counting.used);
  }
}

static void carve_overflow_sticks(void **state)
{
  (void)state;
  const size_t huge[][2] = {{SIZE_MAX, 1}, {SIZE_MAX / 2, 3}, {SIZE_MAX - 70, 1}, {2, SIZE_MAX}};
  for (int i = 0; i < 4; i++) {
    cardan__carver carver = {0};
    cardan__carve(&carver, 1, 1);
    assert_null(cardan__carve(&carver, huge[i][0], huge[i][1]));
    assert_null(cardan__carve(&carver, 1, 1));
    assert_int_equal(cardan__carver_size(&carver), 0);
  }
  // many pieces that fit one by one but not together
  cardan__carver carver = {0};
  for (int i = 0; i < 5; i++) {
    cardan__carve(&carver, SIZE_MAX / 4, 1);
  }
  assert_int_equal(cardan__carver_size(&carver), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resize_without_an_allocator),
      cmocka_unit_test(grow_keeps_items_and_survives_failure),
      cmocka_unit_test(grow_refuses_what_no_machine_has),
      cmocka_unit_test(arena_pieces_are_apart_and_all_come_back),
      cmocka_unit_test(arena_texts_and_edges),
      cmocka_unit_test(arena_wastes_little),
      cmocka_unit_test(carve_counts_what_it_gives),
      cmocka_unit_test(carve_overflow_sticks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
