// SPDX-License-Identifier: Apache-2.0
// Places where contacts touch, kept of a run of any length.
#include "output/film_places.h"
#include "support.h"

/* The row's places: row % 3 of them, each with its own number in it. */
static void give(cardan__places *p, int64_t row, int each)
{
  p->nnow = (int)(row % 3) * each;
  for (int i = 0; i < p->nnow; i++) {
    p->now[i] = (cardan_film_contact){.x = {(double)row, i, 0}, .contact = i};
  }
  cardan__places_add(p, row, 0.5 * (double)row);
}

/* Are the sets those of every stride-th row, whole? */
static void check(const cardan__places *p, int64_t rows, int each)
{
  int sum = 0;
  assert_true(p->nset > 0 && p->nset <= p->most_sets && p->nplace <= p->most);
  assert_int_equal(p->nset, (rows - 1) / p->stride + 1);
  for (int k = 0; k < p->nset; k++) {
    const int64_t row = k * p->stride;
    const int count = (int)(row % 3) * each;
    assert_true(p->t[k] == 0.5 * (double)row);
    assert_int_equal(p->first[k], sum);
    assert_int_equal(p->first[k + 1], sum + count);
    for (int i = 0; i < count; i++) {
      assert_true(p->place[sum + i].x.x == (double)row && p->place[sum + i].contact == i);
    }
    sum += count;
  }
}

// however many rows come, of few places each or of as many as there may be: every stride-th is kept
static void every_so_many_rows(void **state)
{
  (void)state;
  const int sizes[] = {0, 1, 7, CARDAN_FILM_CONTACTS / 2};
  for (int s = 0; s < 4; s++) {
    cardan__arena arena;
    cardan__places p = {0};
    cardan__arena_init(&arena, NULL);
    assert_true(cardan__places_create(&p, 60000, &arena)); // the least room there is
    for (int64_t row = 0; row < 30000; row++) {
      give(&p, row, sizes[s]);
    }
    check(&p, 30000, sizes[s]);
    assert_true(s > 0 ? p.stride > 1 : p.stride == 4);
    cardan__arena_free(&arena);
  }
}

// all of them as long as there is room
static void all_rows_at_first(void **state)
{
  (void)state;
  cardan__arena arena;
  cardan__places p = {0};
  cardan__arena_init(&arena, NULL);
  assert_true(cardan__places_create(&p, 1e6, &arena));
  for (int64_t row = 0; row < 999; row++) {
    give(&p, row, 1);
    check(&p, row + 1, 1);
  }
  assert_int_equal(p.stride, 1);
  cardan__arena_free(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_so_many_rows),
      cmocka_unit_test(all_rows_at_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
