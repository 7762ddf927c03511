// SPDX-License-Identifier: Apache-2.0
// Other libraries in cardan_bench, played by scripts: one that has another model, and one that
// breaks off. The parts themselves: test_cli_bench.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/cardan_bench.h"
#include "cardan/load.h"
#include "folder.h"
#include "support.h"

/* A program that takes models and states, and gives prescribed answers to the rest. */
#define PLAYER(name, energy)                                                \
  "#!/bin/sh\n"                                                             \
  "printf 'peer " name ", double\\nway x forward calls | how\\nend\\n'\n"   \
  "while read word rest; do case $word in model) echo ok;; energy) " energy \
  ";; time) echo 0.5;; esac; done\n"

static void put(const test_folder *folder, const char *name, const char *text)
{
  char path[256];
  folder_path(folder, name, path);
  folder_write(path, text);
  assert_int_equal(chmod(path, 0700), 0);
}

/* The value of a line "TABLE,ROW,COLUMN," of a result as CSV; NAN: there is none. */
static double number_at(const char *csv, const char *start)
{
  const char *at = strstr(csv, start);
  return at != NULL ? strtod(at + strlen(start), NULL) : (double)NAN;
}

static cardan_bench_result *bench_with(const test_folder *folder)
{
  static const char *const part[] = {"kernels"};
  const cardan_bench_options options = {
      .part = part, .npart = 1, .quick = true, .peers = folder->path};
  cardan_bench_result *result = NULL;
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_bench(&options, NULL, &result, &report), CARDAN_OK);
  return result;
}

/* Its energy is none of ours: the difference is shown, a time is not. One that has ended is said to
 * have given up, and the rest continues. */
static void another_model(void **state)
{
  (void)state;
  const test_folder folder = folder_make();
  put(&folder, "peer-ode", PLAYER("Other 1", "echo 1e6 1e6"));
  put(&folder, "peer-mujoco", PLAYER("Gone 1", "exit 3"));
  cardan_bench_result *result = bench_with(&folder);
  char *csv = NULL, *text = NULL;
  assert_int_equal(cardan_bench_write(result, CARDAN_BENCH_CSV, NULL, NULL, &csv), CARDAN_OK);
  assert_true(number_at(csv, "peers-energy,Other 1 chain:10,relative difference,") > 1);
  assert_true(isnan(number_at(csv, "kernels-chain,Other 1 calls,n = 10,")));
  assert_true(isnan(number_at(csv, "kernels-chain,Gone 1 calls,n = 10,")));
  assert_true(number_at(csv, "kernels-chain,forward dynamics (aba),n = 10,") > 0);
  cardan_free_text(NULL, csv);
  assert_int_equal(cardan_bench_write(result, CARDAN_BENCH_TEXT, NULL, NULL, &text), CARDAN_OK);
  assert_non_null(strstr(text, "another model: its energy differs by"));
  assert_non_null(strstr(text, "Gone 1 gave up"));
  assert_non_null(strstr(text, "does not start: simbody, bullet."));
  cardan_free_text(NULL, text);
  cardan_bench_destroy(result);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(another_model)};
  signal(SIGPIPE, SIG_IGN); // a peer that has ended is written to
  return cmocka_run_group_tests(tests, NULL, NULL);
}
