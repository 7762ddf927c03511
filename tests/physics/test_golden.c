// SPDX-License-Identifier: Apache-2.0
// Three motions to the bit, in the deterministic build: gcc and clang must both find the numbers of
// golden.txt. `make golden` renews that file: then CARDAN_GOLDEN_RENEW names the file to write.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { MOTIONS = 3, STEPS = 500 };

static const struct {
  const char *name, *method;
  double dt;
} motions[MOTIONS] = {
    {"humanoid", "aba:rk4", 1e-3},  // a tree
    {"closed-chain", "vi", 1e-2},   // two closed loops
    {"fourbar-3d", "rattle", 1e-3}, // a loop in space, in maximal coordinates
};

static uint64_t hash_of(int i)
{
  const cardan_options o = run_options(motions[i].method, motions[i].dt, 0);
  uint64_t hash = 0;
  run r = run_load(motions[i].name, NULL, &o);
  assert_int_equal(run_hash(r.model, &o, STEPS, &hash), CARDAN_OK);
  run_free(&r);
  return hash;
}

static void describe(int i, uint64_t hash, char *line, size_t size)
{
  snprintf(line, size, "%016" PRIx64 " %s %s\n", hash, motions[i].name, motions[i].method);
}

static void test_golden(void **state)
{
  (void)state;
  char expected[128], found[128];
  int wrong = 0;
  FILE *file = fopen(CARDAN_GOLDEN, "r");
  assert_non_null(file);
  for (int i = 0; i < MOTIONS; i++) {
    do {
      assert_non_null(fgets(expected, sizeof expected, file));
    } while (expected[0] == '#');
    describe(i, hash_of(i), found, sizeof found);
    if (strcmp(expected, found) != 0) {
      print_error("expected %sfound    %s", expected, found);
      wrong++;
    }
  }
  fclose(file);
  if (wrong > 0) {
    fail_msg("%d of %d motions have other bits; where that was meant, `make golden` renews %s",
             wrong, MOTIONS, CARDAN_GOLDEN);
  }
}

static void renew(void **state)
{
  (void)state;
  char line[128];
  FILE *file = fopen(getenv("CARDAN_GOLDEN_RENEW"), "w");
  assert_non_null(file);
  for (int i = 0; i < MOTIONS; i++) {
    describe(i, hash_of(i), line, sizeof line);
    assert_true(fputs(line, file) >= 0);
  }
  assert_int_equal(fclose(file), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden)};
  const struct CMUnitTest writer[] = {cmocka_unit_test(renew)};
  return getenv("CARDAN_GOLDEN_RENEW") != NULL ? cmocka_run_group_tests(writer, NULL, NULL)
                                               : cmocka_run_group_tests(tests, NULL, NULL);
}
