// SPDX-License-Identifier: Apache-2.0
// The file of a sweep read back: its plan, words, sentences and motions; files that are none.
#define _GNU_SOURCE // fork, dladdr
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cardan/sweep_result.h"
#include "output/hdf5_put.h"
#include "output/hdf5_sweep.h"
#include "output/result_table.h"
#include "output/sandbox_inside.h"
#include "own_folder.h"
#include "support.h"

enum { CASES = 12, COLUMNS = 4, ROWS = 3 };
static const char *const names[COLUMNS] = {"case", "status", "method", "end.q.a"};
static const char *const methods[] = {"vi", "aba"};
static const char *const motion_names[] = {"t", "q.a"};
static const char plan[] = "(plan (option method vi aba))\n";

static void write_motion(cardan_table *table, int64_t number)
{
  good(cardan__table_kept_open(table, number, motion_names, 2, NULL));
  for (int r = 0; r < ROWS; r++) {
    good(cardan__table_kept_row(table, (double[]){r, (double)number + r}, NULL));
  }
  good(cardan__table_kept_close(table, NULL));
}

/* A sweep of 12 cases, of which 3 and 11 failed; motions of 9 and 10. whole: false leaves out all
 * that a run's file has not. */
static void write_file(const char *path, bool whole)
{
  const cardan_options options = cardan_options_defaults();
  const cardan_record record = {.model = "a", .text = "(system)", .length = 8, .options = &options};
  cardan_table *table;
  good(cardan_table_open(path, names, COLUMNS, &record, NULL, &table, NULL));
  if (whole) {
    good(cardan_table_statuses(table, 1, NULL));
    good(cardan__table_set_words(table, 2, methods, 2, NULL));
    good(cardan__table_plan(table, plan, strlen(plan), NULL));
  }
  for (int i = 0; i < CASES; i++) {
    const bool failed = i == 3 || i == 11;
    const double row[COLUMNS] = {i, failed ? -(double)CARDAN_ERR_MODEL : 0, i % 2,
                                 failed ? (double)NAN : 0.5 * i};
    good(cardan_table_row(table, row, NULL));
  }
  if (whole) {
    good(cardan__table_messages(table, 2, 5, NULL));
    good(cardan__table_message(table, 3, "three", NULL));
    good(cardan__table_message(table, 11, "last", NULL));
    write_motion(table, 9);
    write_motion(table, 10);
  }
  good(cardan_table_close(table, true, NULL));
}

static void reads_back(void **state)
{
  char path[256];
  cardan_sweep_result *sweep_result;
  cardan_sweep_result_rows motion;
  double row[COLUMNS];
  (void)state;
  folder_path(&folder, "a.h5", path);
  write_file(path, true);
  good(cardan_sweep_result_open(path, NULL, &sweep_result, NULL));
  assert_int_equal(sweep_result->plan_length, strlen(plan));
  assert_memory_equal(sweep_result->plan, plan, strlen(plan));
  assert_int_equal(sweep_result->result->nrow, CASES);
  good(cardan_result_rows(sweep_result->result, 10, 1, row, NULL));
  assert_true(row[0] == 10 && row[3] == 5);
  assert_int_equal(sweep_result->nwords, 2);
  assert_int_equal(sweep_result->words[0].column, 1);
  assert_string_equal(sweep_result->words[0].word[0], "ok");
  assert_string_equal(sweep_result->words[0].word[-CARDAN_ERR_MODEL], "model");
  assert_int_equal(sweep_result->words[1].column, 2);
  assert_int_equal(sweep_result->words[1].n, 2);
  assert_string_equal(sweep_result->words[1].word[1], "aba");
  assert_int_equal(sweep_result->nmessage, 2);
  assert_int_equal(sweep_result->message[0].number, 3);
  assert_string_equal(sweep_result->message[0].text, "three");
  assert_int_equal(sweep_result->message[1].number, 11);
  assert_string_equal(sweep_result->message[1].text, "last");
  assert_int_equal(sweep_result->nkept, 2); // as numbers: 9 before 10
  assert_int_equal(sweep_result->kept[0], 9);
  assert_int_equal(sweep_result->kept[1], 10);
  good(cardan_sweep_result_motion(sweep_result, 1, &motion, NULL));
  assert_int_equal(motion.ncolumn, 2);
  assert_string_equal(motion.column[1], "q.a");
  assert_int_equal(motion.nrow, ROWS);
  assert_true(motion.row[2 * 2] == 2 && motion.row[2 * 2 + 1] == 12);
  cardan_sweep_result_motion_free(&motion);
  assert_null(motion.memory);
  assert_int_equal(cardan_sweep_result_motion(sweep_result, 2, &motion, NULL), CARDAN_ERR_ARGUMENT);
  assert_int_equal(cardan_sweep_result_motion(sweep_result, -1, &motion, NULL),
                   CARDAN_ERR_ARGUMENT);
  cardan_sweep_result_close(sweep_result);
  cardan_sweep_result_close(NULL);
}

static void no_sweep(void **state)
{
  char path[256];
  cardan_sweep_result *sweep_result;
  cardan_report report = {.message = ""};
  (void)state;
  folder_path(&folder, "run.h5", path);
  write_file(path, false);
  assert_int_equal(cardan_sweep_result_open(path, NULL, &sweep_result, &report), CARDAN_ERR_IO);
  assert_null(sweep_result);
  assert_non_null(strstr(report.message, "run.h5: it is no sweep's"));
  folder_path(&folder, "none.h5", path);
  assert_int_equal(cardan_sweep_result_open(path, NULL, &sweep_result, NULL), CARDAN_ERR_IO);
}

/* Reads all that there is of a file, or reports why it cannot. */
static bool read_whole(const char *path)
{
  cardan_sweep_result *sweep_result;
  cardan_report report = {.message = ""};
  if (cardan_sweep_result_open(path, NULL, &sweep_result, &report) != CARDAN_OK) {
    return sweep_result == NULL && report.message[0] != '\0';
  }
  for (int k = 0; k < sweep_result->nkept; k++) {
    cardan_sweep_result_rows motion;
    if (cardan_sweep_result_motion(sweep_result, k, &motion, &report) == CARDAN_OK) {
      cardan_sweep_result_motion_free(&motion);
    }
  }
  cardan_sweep_result_close(sweep_result);
  return true;
}

static bool read_damaged(const char *path, char *text, size_t length)
{
  support_rng rng = {7};
  bool good = true;
  for (int i = 0; i < 25 && good; i++) {
    const size_t at = (size_t)(support_random(&rng) % length);
    const char before = text[at];
    text[at] = (char)support_random(&rng);
    FILE *file = fopen(path, "wb");
    good = file != NULL && fwrite(text, 1, length, file) == length && fclose(file) == 0 &&
           read_whole(path);
    text[at] = before;
  }
  return good;
}

/* Bytes of a sweep's file changed, one at a time: read as it is, or refused. In a process of its
 * own, since HDF5 keeps what it could not close. */
static void damaged(void **state)
{
  char path[256];
  size_t length;
  int ended;
  (void)state;
  folder_path(&folder, "b.h5", path);
  write_file(path, true);
  char *text = folder_read(path, &length);
  const pid_t child = fork();
  if (child == 0) {
    _exit(read_damaged(path, text, length) ? 0 : 1);
  }
  free(text);
  assert_int_equal(waitpid(child, &ended, 0), child);
  assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

/* A function of HDF5 that the library does not call: to, a pointer to it. */
static void find_call(const char *name, void *to)
{
  Dl_info info;
  void *open;
  memcpy(&open, &cardan__hdf5.H5open_at, sizeof open);
  assert_true(dladdr(open, &info) != 0);
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  assert_non_null(library);
  void *call = dlsym(library, name);
  assert_non_null(call);
  memcpy(to, &call, sizeof call);
  dlclose(library);
}

static hid_t open_again(const char *path)
{
  write_file(path, false);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

static void expect_refused(const char *path, const char *what)
{
  cardan_sweep_result *sweep_result;
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_sweep_result_open(path, NULL, &sweep_result, &report), CARDAN_ERR_IO);
  assert_non_null(strstr(report.message, what));
}

/* A plan that is another file's: its bytes, or a link to it. No file but the one named is read. */
static void elsewhere(void **state)
{
  herr_t (*set_external)(hid_t, const char *, off_t, hsize_t) = NULL;
  herr_t (*link_external)(const char *, const char *, hid_t, const char *, hid_t, hid_t) = NULL;
  char path[256], other[256];
  (void)state;
  good(cardan__hdf5_load(NULL));
  find_call("H5Pset_external", &set_external);
  find_call("H5Lcreate_external", &link_external);
  folder_path(&folder, "d.h5", path);
  folder_write(folder_path(&folder, "secret", other), "secret");
  const hid_t file = open_again(path), list = cardan__hdf5_creation(H5P_DATASET_CREATE);
  const hid_t type = cardan__hdf5_string(7), space = H5Screate_simple(1, (hsize_t[]){1}, NULL);
  assert_true(set_external(list, other, 0, 7) >= 0);
  H5Dclose(H5Dcreate2(file, "plan", type, space, H5P_DEFAULT, list, H5P_DEFAULT));
  H5Sclose(space);
  H5Tclose(type);
  H5Pclose(list);
  H5Fclose(file);
  expect_refused(path, "numbers of /plan that lie in another file");
  write_file(folder_path(&folder, "e.h5", other), true);
  const hid_t again = open_again(path);
  assert_true(link_external(other, "plan", again, "plan", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(again);
  expect_refused(path, "a link to another file in place of /plan");
}

/* ---- made to do harm ---- */

static void add_group(hid_t file)
{
  H5Gclose(cardan__hdf5_group(file, "extra"));
}

static void add_soft_link(hid_t file)
{
  herr_t (*link_soft)(const char *, hid_t, const char *, hid_t, hid_t) = NULL;
  find_call("H5Lcreate_soft", &link_soft);
  assert_true(link_soft("/model", file, "plan", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void add_rows(hid_t file)
{
  const hid_t table = H5Dopen2(file, "table", H5P_DEFAULT);
  hsize_t dims[2];
  const hid_t space = H5Dget_space(table);
  H5Sget_simple_extent_dims(space, dims, NULL);
  dims[0] = (hsize_t)1e15;
  assert_true(H5Dset_extent(table, dims) >= 0);
  H5Sclose(space);
  H5Dclose(table);
}

static void be_newer(hid_t file)
{
  herr_t (*remove_one)(hid_t, const char *) = NULL;
  const int format = 99;
  find_call("H5Adelete", &remove_one);
  assert_true(remove_one(file, "format") >= 0);
  assert_true(cardan__hdf5_attribute(file, "format", H5T_NATIVE_INT, &format));
}

static void add_settings(hid_t file)
{
  const hid_t group = H5Gopen2(file, "settings", H5P_DEFAULT);
  for (int k = 0; k < 4200; k++) {
    char name[32];
    const double value = k;
    snprintf(name, sizeof name, "s%d", k);
    assert_true(cardan__hdf5_attribute(group, name, H5T_NATIVE_DOUBLE, &value));
  }
  H5Gclose(group);
}

static void compress(hid_t file)
{
  herr_t (*deflate)(hid_t, unsigned) = NULL, (*unlink_one)(hid_t, const char *, hid_t) = NULL;
  const hsize_t dims[2] = {1, 3};
  find_call("H5Pset_deflate", &deflate);
  find_call("H5Ldelete", &unlink_one);
  assert_true(unlink_one(file, "table", H5P_DEFAULT) >= 0);
  const hid_t list = cardan__hdf5_creation(H5P_DATASET_CREATE);
  const hid_t space = H5Screate_simple(2, dims, NULL);
  assert_true(H5Pset_chunk(list, 2, dims) >= 0 && deflate(list, 1) >= 0);
  H5Dclose(H5Dcreate2(file, "table", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(list);
}

// what the library never writes is refused, by a sentence that names it
static void made_to_do_harm(void **state)
{
  static const struct {
    void (*change)(hid_t file);
    const char *message;
  } table[] = {{add_group, "0 attributes and 1 things in it"},
               {add_soft_link, "a link by name in place of /plan"},
               {add_rows, "bytes in /table by its header"},
               {be_newer, "it is of format 99, by cardan "},
               {add_settings, "attributes of /settings"},
               {compress, "a filter on /table"}};
  char path[256];
  (void)state;
  good(cardan__hdf5_load(NULL));
  folder_path(&folder, "h.h5", path);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    const hid_t file = open_again(path);
    table[k].change(file);
    assert_true(H5Fclose(file) >= 0);
    expect_refused(path, table[k].message);
  }
}

// the process that reads may die of a file: that is a sentence
static void reader_dies(void **state)
{
  static const struct {
    int signal;
    const char *message;
  } table[] = {{SIGSEGV, "is damaged: HDF5 does not survive it"},
               {SIGXCPU, "is damaged: HDF5 does not come to an end"}};
  char path[256];
  (void)state;
  folder_path(&folder, "k.h5", path);
  write_file(path, true);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    cardan_report report = {.message = ""};
    cardan_sweep_result *sweep_result;
    cardan_sweep_result_rows motion;
    good(cardan_sweep_result_open(path, NULL, &sweep_result, NULL));
    assert_int_equal(kill((pid_t)sweep_result->result->file->apart->pid, table[k].signal), 0);
    assert_int_equal(cardan_sweep_result_motion(sweep_result, 0, &motion, &report), CARDAN_ERR_IO);
    assert_non_null(strstr(report.message, table[k].message));
    assert_int_equal(cardan_sweep_result_motion(sweep_result, 0, &motion, &report), CARDAN_ERR_IO);
    cardan_sweep_result_close(sweep_result);
  }
}

/* A motion of more rows than the file has is refused before there is memory for them. */
static void made_up(void **state)
{
  const hsize_t dims[2] = {(hsize_t)1 << 33, 2}, chunk[2] = {1024, 2};
  char path[256];
  bool no_memory = false;
  cardan_sweep_result *sweep_result;
  cardan_sweep_result_rows motion;
  (void)state;
  folder_path(&folder, "f.h5", path);
  write_file(path, true);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t group = H5Gcreate2(file, "kept/5", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t list = cardan__hdf5_creation(H5P_DATASET_CREATE);
  const hid_t space = H5Screate_simple(2, dims, NULL);
  assert_true(H5Pset_chunk(list, 2, chunk) >= 0);
  const cardan_allocator alloc = {0};
  assert_true(cardan__hdf5_list(group, "columns", motion_names, 2, &alloc, &no_memory));
  H5Dclose(H5Dcreate2(group, "table", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(list);
  H5Gclose(group);
  H5Fclose(file);
  good(cardan_sweep_result_open(path, NULL, &sweep_result, NULL));
  assert_int_equal(sweep_result->nkept, 3);
  assert_int_equal(sweep_result->kept[0], 5);
  assert_int_equal(cardan_sweep_result_motion(sweep_result, 0, &motion, NULL), CARDAN_ERR_IO);
  good(cardan_sweep_result_motion(sweep_result, 1, &motion, NULL));
  cardan_sweep_result_motion_free(&motion);
  cardan_sweep_result_close(sweep_result);
}

static cardan_status scenario(const cardan_allocator *allocator, void *user)
{
  cardan_sweep_result *sweep_result;
  cardan_sweep_result_rows motion;
  cardan_status status = cardan_sweep_result_open(user, allocator, &sweep_result, NULL);
  if (status == CARDAN_OK) {
    status = cardan_sweep_result_motion(sweep_result, 0, &motion, NULL);
    if (status == CARDAN_OK) {
      cardan_sweep_result_motion_free(&motion);
    }
    cardan_sweep_result_close(sweep_result);
  }
  return status;
}

static void without_memory(void **state)
{
  char path[256];
  (void)state;
  folder_path(&folder, "c.h5", path);
  write_file(path, true);
  support_fail_each(scenario, path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_back),      cmocka_unit_test(no_sweep),    cmocka_unit_test(damaged),
      cmocka_unit_test(without_memory),  cmocka_unit_test(elsewhere),   cmocka_unit_test(made_up),
      cmocka_unit_test(made_to_do_harm), cmocka_unit_test(reader_dies),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
