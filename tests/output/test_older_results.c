// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // dladdr
#include <dlfcn.h>
#include <string.h>

#include "cardan/output.h"
#include "output/hdf5_lazy.h"
#include "own_folder.h"
#include "support.h"

/* Results that were written before an option there is now. */

static void write_result(const char *path, const char *method)
{
  static const char *const names[] = {"t"};
  static const char text[] = "(system)";
  cardan_options options = cardan_options_defaults();
  options.method = method;
  const cardan_record record = {
      .model = "m", .text = text, .length = strlen(text), .options = &options};
  cardan_table *table;
  assert_int_equal(cardan_table_open(path, names, 1, &record, NULL, &table, NULL), CARDAN_OK);
  assert_int_equal(cardan_table_row(table, (const double[]){0}, NULL), CARDAN_OK);
  assert_int_equal(cardan_table_close(table, true, NULL), CARDAN_OK);
}

/* Takes an option out of the file, as if it was written before the option. */
static void remove_option(const char *path, const char *name)
{
  herr_t (*delete_attribute)(hid_t, const char *) = NULL;
  Dl_info info;
  void *open;
  memcpy(&open, &cardan__hdf5.H5open_at, sizeof open);
  assert_true(dladdr(open, &info) != 0);
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  assert_non_null(library);
  void *call = dlsym(library, "H5Adelete");
  assert_non_null(call);
  memcpy(&delete_attribute, &call, sizeof call);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  const hid_t group = H5Gopen2(file, "options", H5P_DEFAULT);
  assert_true(group >= 0 && delete_attribute(group, name) >= 0);
  H5Gclose(group);
  H5Fclose(file);
  dlclose(library);
}

static cardan_result *open_result(const char *path)
{
  cardan_result *result;
  assert_int_equal(cardan_result_open(path, NULL, &result, NULL), CARDAN_OK);
  return result;
}

// a run of method vi without `kinetic` had that of se3, and is taken so with a sentence
static void kinetic_of_older_results(void **state)
{
  char path[256];
  (void)state;
  folder_path(&folder, "a.h5", path);
  write_result(path, NULL);
  cardan_result *result = open_result(path);
  assert_null(result->options.kinetic); // listed, and not set
  assert_null(result->assumed);
  cardan_result_close(result);
  remove_option(path, "kinetic");
  result = open_result(path);
  assert_string_equal(result->options.kinetic, "se3");
  assert_non_null(strstr(result->assumed, "kinetic se3"));
  cardan_result_close(result);
}

// likewise without `potentials` and `impacts`, and without several: one sentence
static void potentials_of_older_results(void **state)
{
  char path[256];
  (void)state;
  folder_path(&folder, "a.h5", path);
  write_result(path, NULL);
  remove_option(path, "potentials");
  cardan_result *result = open_result(path);
  assert_null(result->options.kinetic);
  assert_string_equal(result->options.potentials, "nodes");
  assert_null(result->options.impacts);
  assert_non_null(strstr(result->assumed, "potentials nodes"));
  cardan_result_close(result);
  remove_option(path, "impacts");
  remove_option(path, "kinetic");
  result = open_result(path);
  assert_string_equal(result->options.kinetic, "se3");
  assert_string_equal(result->options.potentials, "nodes");
  assert_string_equal(result->options.impacts, "located");
  assert_non_null(strstr(result->assumed, "kinetic se3, potentials nodes, impacts located"));
  cardan_result_close(result);
}

// other methods have no such option, and nothing is reported
static void other_methods(void **state)
{
  char path[256];
  (void)state;
  folder_path(&folder, "a.h5", path);
  write_result(path, "aba");
  remove_option(path, "kinetic");
  cardan_result *result = open_result(path);
  assert_null(result->options.kinetic);
  assert_null(result->assumed);
  cardan_result_close(result);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(kinetic_of_older_results),
      IN_FOLDER(potentials_of_older_results),
      IN_FOLDER(other_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
