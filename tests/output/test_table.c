// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // mkfifo, symlink, setrlimit
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cardan/output.h"
#include "output/file.h"
#include "output/result_table.h"
#include "own_folder.h"
#include "support.h"

/* Tables as files: their contents, and what remains when they cannot be written. */

enum { COLUMNS = 3 };
static const char *const names[COLUMNS] = {"t", "q.a", "v.a"};

static void fill(double *row, int k)
{
  row[0] = 0.01 * k;
  row[1] = sin(k);
  row[2] = 1e-13 * k;
}

/* A table of n rows; the first failure is returned, the table always closed. */
static cardan_status write_table(const char *path, int n, const cardan_record *record,
                                 const cardan_allocator *alloc, cardan_report *report)
{
  cardan_table *table;
  cardan_status status = cardan_table_open(path, names, COLUMNS, record, alloc, &table, report);
  if (status != CARDAN_OK) {
    assert_null(table);
    return status;
  }
  double row[COLUMNS];
  for (int k = 0; k < n && status == CARDAN_OK; k++) {
    fill(row, k);
    status = cardan_table_row(table, row, report);
  }
  const cardan_status closed = cardan_table_close(table, status == CARDAN_OK, report);
  return status != CARDAN_OK ? status : closed;
}

static void csv_text(void **state)
{
  char path[256];
  (void)state;
  folder_path(&folder, "a.csv", path);
  assert_int_equal(write_table(path, 2, NULL, NULL, NULL), CARDAN_OK);
  char *text = folder_read(path, NULL);
  assert_string_equal(text, "t,q.a,v.a\n0,0,0\n"
                            "0.01,0.8414709848078965,1e-13\n");
  free(text);
  assert_int_equal(folder_count(&folder), 1);
}

static void csv_quotes_names(void **state)
{
  const char *const odd[] = {"a,b", "say \"x\"", " lead", "two words", "line\nbreak", "", "é"};
  const int n = sizeof odd / sizeof odd[0];
  const double row[sizeof odd / sizeof odd[0]] = {0};
  cardan_table *table;
  char path[256];
  (void)state;
  folder_path(&folder, "odd.csv", path);
  assert_int_equal(cardan_table_open(path, odd, n, NULL, NULL, &table, NULL), CARDAN_OK);
  assert_int_equal(cardan_table_row(table, row, NULL), CARDAN_OK);
  assert_int_equal(cardan_table_close(table, true, NULL), CARDAN_OK);
  char *text = folder_read(path, NULL);
  assert_string_equal(text, "\"a,b\",\"say \"\"x\"\"\",\" lead\",two words,\"line\nbreak\",\"\",é\n"
                            "0,0,0,0,0,0,0\n");
  free(text);
}

// columns whose numbers stand for words: in CSV the words, quoted where they need it, and nothing
// for a number that has none; in HDF5 the numbers, which read back as others do
static void words_of_columns(void **state)
{
  static const char *const columns[] = {"copy", "status", "method"};
  static const char *const words[] = {"ok", "a,b"}, *const methods[] = {"vi", "svi", "aba"};
  static const double rows[][3] = {{7, 0, 2}, {8, 1, 0}, {9, 2, 1}};
  static const char *const files[] = {"w.csv", "w.h5"};
  const cardan_options options = cardan_options_defaults();
  const cardan_record record = {.model = "m", .text = "(system)", .length = 8, .options = &options};
  (void)state;
  for (int f = 0; f < 2; f++) {
    cardan_table *table;
    char path[256];
    folder_path(&folder, files[f], path);
    assert_int_equal(cardan_table_open(path, columns, 3, &record, NULL, &table, NULL), CARDAN_OK);
    assert_int_equal(cardan__table_set_words(table, 1, words, 2, NULL), CARDAN_OK);
    assert_int_equal(cardan__table_set_words(table, 2, methods, 3, NULL), CARDAN_OK);
    for (int k = 0; k < 3; k++) {
      assert_int_equal(cardan_table_row(table, rows[k], NULL), CARDAN_OK);
    }
    assert_int_equal(cardan_table_close(table, true, NULL), CARDAN_OK);
    if (f == 0) {
      char *text = folder_read(path, NULL);
      assert_string_equal(text, "copy,status,method\n7,ok,aba\n8,\"a,b\",vi\n9,,svi\n");
      free(text);
    } else {
      cardan_result *result;
      double back[3][3];
      assert_int_equal(cardan_result_open(path, NULL, &result, NULL), CARDAN_OK);
      assert_int_equal(cardan_result_rows(result, 0, 3, &back[0][0], NULL), CARDAN_OK);
      assert_memory_equal(back, rows, sizeof rows);
      cardan_result_close(result);
    }
  }
}

// more rows than any buffer holds, read back to the same bits, under a locale with a decimal comma
static void csv_reads_back_exactly(void **state)
{
  const int n = 20000;
  char path[256];
  (void)state;
  const bool comma = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
  folder_path(&folder, "long.csv", path);
  assert_int_equal(write_table(path, n, NULL, NULL, NULL), CARDAN_OK);
  setlocale(LC_ALL, "C");
  char *text = folder_read(path, NULL), *at = strchr(text, '\n') + 1;
  for (int k = 0; k < n; k++) {
    double row[COLUMNS];
    fill(row, k);
    for (int c = 0; c < COLUMNS; c++) {
      assert_true(strtod(at, &at) == row[c]);
      assert_true(*at++ == (c + 1 < COLUMNS ? ',' : '\n'));
    }
  }
  assert_true(*at == '\0');
  free(text);
  if (!comma) {
    print_message("no locale with a decimal comma was there\n");
  }
}

static void old_file_stays_until_the_end(void **state)
{
  cardan_table *table;
  char path[256];
  const double row[COLUMNS] = {1, 2, 3};
  (void)state;
  folder_write(folder_path(&folder, "old.csv", path), "old");
  for (int keep = 0; keep < 2; keep++) {
    assert_int_equal(cardan_table_open(path, names, COLUMNS, NULL, NULL, &table, NULL), CARDAN_OK);
    assert_int_equal(cardan_table_row(table, row, NULL), CARDAN_OK);
    char *before = folder_read(path, NULL);
    assert_string_equal(before, "old");
    free(before);
    assert_int_equal(cardan_table_close(table, keep == 1, NULL), CARDAN_OK);
    assert_int_equal(folder_count(&folder), 1);
    char *after = folder_read(path, NULL);
    assert_string_equal(after, keep ? "t,q.a,v.a\n1,2,3\n" : "old");
    free(after);
  }
}

// what is written whole has no name before, where the file system can: a process that ends as if it
// was killed leaves nothing. One that cannot has a name, and a file is left
static void nothing_is_left_behind(void **state)
{
  char path[256];
  cardan__file file;
  (void)state;
  folder_path(&folder, "page.html", path);
  good(cardan__file_open(&file, path, NULL, NULL));
  const int under_way = file.unnamed ? 0 : 1;
  good(cardan__file_write(&file, "text", 4, NULL));
  assert_int_equal(folder_count(&folder), under_way);
  const pid_t child = fork();
  if (child == 0) {
    cardan__file lost;
    _exit(cardan__file_open(&lost, path, NULL, NULL) == CARDAN_OK ? 0 : 1);
  }
  int how = 0;
  assert_true(child > 0 && waitpid(child, &how, 0) == child && how == 0);
  assert_int_equal(folder_count(&folder), 2 * under_way);
  good(cardan__file_close(&file, true, NULL));
  assert_int_equal(folder_count(&folder), 1 + under_way);
  char *text = folder_read(path, NULL);
  assert_string_equal(text, "text");
  free(text);
}

static void links_and_permissions_stay(void **state)
{
  char target[256], link[256];
  struct stat st;
  (void)state;
  folder_write(folder_path(&folder, "real.csv", target), "old");
  assert_int_equal(chmod(target, 0640), 0);
  assert_int_equal(symlink("real.csv", folder_path(&folder, "link.csv", link)), 0);
  assert_int_equal(write_table(link, 1, NULL, NULL, NULL), CARDAN_OK);
  assert_int_equal(lstat(link, &st), 0);
  assert_true(S_ISLNK(st.st_mode));
  assert_int_equal(lstat(target, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0640);
  char *text = folder_read(target, NULL);
  assert_string_equal(text, "t,q.a,v.a\n0,0,0\n");
  free(text);
  assert_int_equal(folder_count(&folder), 2);
}

// a link to nothing is written through, as one to a file, over another link and a folder
static void link_to_nothing(void **state)
{
  char target[256], link[256], second[256], inside[256];
  struct stat st;
  (void)state;
  assert_int_equal(mkdir(folder_path(&folder, "in", inside), 0700), 0);
  assert_int_equal(symlink("in/second.csv", folder_path(&folder, "link.csv", link)), 0);
  assert_int_equal(symlink("real.csv", folder_path(&folder, "in/second.csv", second)), 0);
  assert_int_equal(write_table(link, 1, NULL, NULL, NULL), CARDAN_OK);
  assert_int_equal(lstat(link, &st), 0);
  assert_true(S_ISLNK(st.st_mode));
  char *text = folder_read(folder_path(&folder, "in/real.csv", target), NULL);
  assert_string_equal(text, "t,q.a,v.a\n0,0,0\n");
  free(text);
  unlink(target);
  unlink(second);
  assert_int_equal(symlink("second.csv", second), 0); // in a circle
  cardan_report report = {0};
  assert_int_equal(write_table(link, 1, NULL, NULL, &report), CARDAN_ERR_IO);
  assert_non_null(strstr(report.message, "link.csv: Too many levels of symbolic links"));
  unlink(second);
  rmdir(inside);
}

static void what_cannot_be_written(void **state)
{
  char path[256];
  (void)state;
  const struct {
    const char *path, *message;
    cardan_status status;
  } table[] = {
      {folder.path, "directory", CARDAN_ERR_IO},
      {"/dev/full", "No space left", CARDAN_ERR_IO},
      {"", "No such file", CARDAN_ERR_IO},
      {"no/such/folder/x.csv", "No such file", CARDAN_ERR_IO},
      {folder_path(&folder, "x.txt", path), "expected a name that ends in .csv",
       CARDAN_ERR_ARGUMENT},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    cardan_report report = {0};
    assert_int_equal(write_table(table[i].path, 20000, NULL, NULL, &report), table[i].status);
    assert_non_null(strstr(report.message, table[i].message));
    assert_int_equal(folder_count(&folder), 0);
  }
}

// closing with "keep" after a row was lost must not look like success
static void a_lost_row_is_not_kept(void **state)
{
  cardan_table *table;
  cardan_report report = {0};
  double row[COLUMNS] = {0};
  cardan_status status = CARDAN_OK;
  (void)state;
  assert_int_equal(cardan_table_open("/dev/full", names, COLUMNS, NULL, NULL, &table, NULL),
                   CARDAN_OK);
  for (int k = 0; k < 1000000 && status == CARDAN_OK; k++) {
    status = cardan_table_row(table, row, &report);
  }
  assert_int_equal(status, CARDAN_ERR_IO);
  assert_int_equal(cardan_table_close(table, true, &report), CARDAN_ERR_IO);
}

static void fifos_are_written_directly(void **state)
{
  char path[256], text[64] = "";
  (void)state;
  assert_int_equal(mkfifo(folder_path(&folder, "pipe", path), 0600), 0);
  const pid_t child = fork();
  if (child == 0) {
    _exit(write_table(path, 1, NULL, NULL, NULL) == CARDAN_OK ? 0 : 1);
  }
  const int fd = open(path, O_RDONLY);
  size_t length = 0;
  for (ssize_t n; (n = read(fd, text + length, sizeof text - 1 - length)) > 0;) {
    length += (size_t)n;
  }
  close(fd);
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  assert_string_equal(text, "t,q.a,v.a\n0,0,0\n");
  cardan_report report = {0};
  char other[256];
  assert_int_equal(mkfifo(folder_path(&folder, "pipe.h5", other), 0600), 0);
  const int both = open(other, O_RDWR); // so that opening it does not wait for a reader
  assert_int_equal(write_table(other, 1, NULL, NULL, &report), CARDAN_ERR_IO);
  assert_non_null(strstr(report.message, "pipe or device"));
  close(both);
}

/* ---- HDF5 ---- */

static const cardan_setting settings[] = {{"L", 0.1}, {"mass one", 1.0 / 3}};
static const cardan_setting initial[] = {{"q.a, \"b\"", -1e-300}};
static const char model_text[] = "(system \"ü\")";

static cardan_record make_record(const cardan_options *options)
{
  return (cardan_record){.model = "some.mbs",
                         .text = model_text,
                         .length = strlen(model_text),
                         .options = options,
                         .add = CARDAN_ADD_WORK | CARDAN_ADD_MOMENTUM,
                         .setting = settings,
                         .nsetting = 2,
                         .initial = initial,
                         .ninitial = 1,
                         .given = "dt,time"};
}

/* Options, each one different from its default. */
static cardan_options odd_options(void)
{
  cardan_options options = cardan_options_defaults();
  options.method = "aba";
  options.integrator = "dopri5";
  options.stabilise = "baumgarte";
  options.kq = 7;
  options.kv = 0.1;
  options.dt = 1.0 / 3;
  options.every = 7;
  options.assemble = false;
  return options;
}

static void hdf5_reads_back(void **state)
{
  const cardan_options options = odd_options();
  const cardan_record record = make_record(&options);
  const int n = 10000; // several chunks and a part of one
  cardan_result *result;
  char path[256];
  (void)state;
  folder_path(&folder, "a.h5", path);
  assert_int_equal(write_table(path, n, &record, NULL, NULL), CARDAN_OK);
  assert_int_equal(folder_count(&folder), 1);
  assert_true(cardan_is_result(path));
  assert_int_equal(cardan_result_open(path, NULL, &result, NULL), CARDAN_OK);
  assert_string_equal(result->model, "some.mbs");
  assert_string_equal(result->text, model_text);
  assert_int_equal(result->length, strlen(model_text));
  assert_string_equal(result->version, cardan_version());
  assert_int_equal(result->add, record.add);
  assert_string_equal(result->given, record.given);
  assert_int_equal(result->nsetting, 2);
  assert_int_equal(result->ninitial, 1);
  assert_string_equal(result->initial[0].name, initial[0].name);
  assert_true(result->initial[0].value == initial[0].value);
  assert_true(result->setting[1].value == 1.0 / 3);
  assert_int_equal(result->ncolumn, COLUMNS);
  assert_string_equal(result->column[2], "v.a");
  assert_int_equal(result->nrow, n);
  for (int i = 0; cardan_option_name(i); i++) {
    char a[128], b[128];
    cardan_option_value(&options, i, a, sizeof a);
    cardan_option_value(&result->options, i, b, sizeof b);
    assert_string_equal(a, b);
  }
  double *rows = malloc((size_t)n * COLUMNS * sizeof *rows);
  assert_int_equal(cardan_result_rows(result, 0, n, rows, NULL), CARDAN_OK);
  for (int k = 0; k < n; k++) {
    double row[COLUMNS];
    fill(row, k);
    assert_memory_equal(row, rows + k * COLUMNS, sizeof row);
  }
  assert_int_equal(cardan_result_rows(result, n, 1, rows, NULL), CARDAN_ERR_ARGUMENT);
  free(rows);
  cardan_result_close(result);
}

static void hdf5_has_the_same_bytes(void **state)
{
  const cardan_options options = cardan_options_defaults();
  const cardan_record record = make_record(&options);
  char path[2][256];
  char *bytes[2];
  size_t length[2];
  (void)state;
  for (int i = 0; i < 2; i++) {
    folder_path(&folder, i ? "a.h5" : "b.h5", path[i]);
    assert_int_equal(write_table(path[i], 5000, &record, NULL, NULL), CARDAN_OK);
    bytes[i] = folder_read(path[i], &length[i]);
    sleep(i == 0); // a time stamp would tell
  }
  assert_int_equal(length[0], length[1]);
  assert_memory_equal(bytes[0], bytes[1], length[0]);
  free(bytes[0]);
  free(bytes[1]);
}

// the method is kept by name even if it is the default
static void hdf5_names_the_default_method(void **state)
{
  const cardan_options options = cardan_options_defaults();
  const cardan_record record = make_record(&options);
  cardan_result *result;
  char path[256], label[64], expected[64];
  (void)state;
  folder_path(&folder, "a.h5", path);
  assert_int_equal(write_table(path, 1, &record, NULL, NULL), CARDAN_OK);
  assert_int_equal(cardan_result_open(path, NULL, &result, NULL), CARDAN_OK);
  assert_non_null(result->options.method);
  cardan_options_label(&result->options, label, sizeof label);
  cardan_options_label(&options, expected, sizeof expected);
  assert_string_equal(label, expected);
  cardan_result_close(result);
}

static void not_a_result(void **state)
{
  cardan_result *result;
  cardan_report report = {0};
  char path[256];
  (void)state;
  folder_path(&folder, "a.h5", path);
  assert_false(cardan_is_result(path));
  assert_int_equal(write_table(path, 1, NULL, NULL, NULL), CARDAN_OK);
  assert_true(cardan_is_result(path));
  assert_int_equal(cardan_result_open(path, NULL, &result, &report), CARDAN_ERR_IO);
  assert_non_null(strstr(report.message, "no model"));
  folder_write(path, "\211HDF\r\n\032\nand nothing else");
  assert_int_equal(cardan_result_open(path, NULL, &result, &report), CARDAN_ERR_IO);
  assert_null(result);
}

/* ---- memory ---- */

static cardan_status scenario(const cardan_allocator *alloc, void *user)
{
  const cardan_options options = cardan_options_defaults();
  const cardan_record record = make_record(&options);
  const char *path = user;
  cardan_status status = write_table(path, 100, &record, alloc, NULL);
  if (status == CARDAN_OK && strstr(path, ".h5")) {
    cardan_result *result;
    status = cardan_result_open(path, alloc, &result, NULL);
    cardan_result_close(result);
  }
  return status;
}

static void each_allocation_fails(void **state)
{
  char path[256];
  (void)state;
  assert_true(support_fail_each(scenario, (void *)folder_path(&folder, "a.csv", path)) > 0);
  assert_true(support_fail_each(scenario, (void *)folder_path(&folder, "a.h5", path)) > 0);
  assert_int_equal(folder_count(&folder), 2);
}

static void added_columns(void **state)
{
  int add = -1;
  char text[CARDAN__ADD_SIZE];
  cardan_report report = {0};
  (void)state;
  assert_int_equal(cardan_add_read("work,momentum", &add, NULL), CARDAN_OK);
  assert_int_equal(add, CARDAN_ADD_WORK | CARDAN_ADD_MOMENTUM);
  cardan__add_write(add, text);
  assert_string_equal(text, "momentum,work");
  assert_int_equal(cardan_add_read("wrok", &add, &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "did you mean \"work\""));
  assert_int_equal(cardan_add_read("", &add, NULL), CARDAN_ERR_ARGUMENT);
  assert_int_equal(cardan_add_read("work,,momentum", &add, NULL), CARDAN_ERR_ARGUMENT);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(csv_text),
      IN_FOLDER(csv_quotes_names),
      IN_FOLDER(words_of_columns),
      IN_FOLDER(nothing_is_left_behind),
      IN_FOLDER(csv_reads_back_exactly),
      IN_FOLDER(old_file_stays_until_the_end),
      IN_FOLDER(links_and_permissions_stay),
      IN_FOLDER(link_to_nothing),
      IN_FOLDER(what_cannot_be_written),
      cmocka_unit_test(a_lost_row_is_not_kept),
      IN_FOLDER(fifos_are_written_directly),
      IN_FOLDER(hdf5_reads_back),
      IN_FOLDER(hdf5_has_the_same_bytes),
      IN_FOLDER(hdf5_names_the_default_method),
      IN_FOLDER(not_a_result),
      IN_FOLDER(each_allocation_fails),
      cmocka_unit_test(added_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
