// SPDX-License-Identifier: Apache-2.0
// Results of versions that lacked an option: read with what counted then.
#define _GNU_SOURCE // dladdr
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/output.h"
#include "output/hdf5_lazy.h"
#include "own_folder.h"
#include "support.h"

static const char *const names[] = {"t", "q.a"};
static const char model_text[] = "(system)";

static void write_result(const char *path, const char *method, const char *potentials)
{
  cardan_options options = cardan_options_defaults();
  options.method = method;
  options.potentials = potentials;
  const cardan_record record = {
      .model = "m", .text = model_text, .length = strlen(model_text), .options = &options};
  const double row[2] = {0, 1};
  cardan_table *table;
  good(cardan_table_open(path, names, 2, &record, NULL, &table, NULL));
  good(cardan_table_row(table, row, NULL));
  good(cardan_table_close(table, true, NULL));
}

/* Takes an option out of the file, as if there had been none, by a function of HDF5 that the
 * library does not call. */
static void forget_option(const char *path, const char *name)
{
  herr_t (*remove_one)(hid_t, const char *) = NULL;
  Dl_info info;
  void *open;
  memcpy(&open, &cardan__hdf5.H5open_at, sizeof open);
  assert_true(dladdr(open, &info) != 0);
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  assert_non_null(library);
  void *call = dlsym(library, "H5Adelete");
  assert_non_null(call);
  memcpy(&remove_one, &call, sizeof call);
  dlclose(library);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t group = H5Gopen2(file, "options", H5P_DEFAULT);
  assert_true(file >= 0 && group >= 0 && remove_one(group, name) >= 0);
  H5Gclose(group);
  H5Fclose(file);
}

// a run of vi of before acts at the nodes, and says so; of another method, or with the option
// written, it is as it says
static void potentials_act_where_they_did(void **state)
{
  static const struct {
    const char *method, *potentials;
    bool forget;
    const char *expected;
  } cases[] = {{"vi", NULL, true, "nodes"},
               {"vi", NULL, false, NULL},
               {"vi", "nodes", false, "nodes"},
               {"svi", NULL, true, NULL}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[256];
    cardan_result *result;
    cardan_report report = {.message = ""};
    folder_path(&folder, "run.h5", path);
    write_result(path, cases[i].method, cases[i].potentials);
    if (cases[i].forget) {
      forget_option(path, "potentials");
    }
    assert_int_equal(cardan_result_open(path, NULL, &result, &report), CARDAN_OK);
    if (cases[i].expected == NULL) {
      assert_null(result->options.potentials);
    } else {
      assert_string_equal(result->options.potentials, cases[i].expected);
    }
    const bool told = cases[i].forget && cases[i].expected != NULL;
    assert_int_equal(result->note != NULL, told);
    if (told) {
      assert_non_null(strstr(result->note, "potentials nodes"));
    }
    cardan_result_close(result);
    remove(path);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(potentials_act_where_they_did)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
