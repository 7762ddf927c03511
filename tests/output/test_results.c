// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // setrlimit, pwrite
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cardan/output.h"
#include "output/result_table.h"
#include "own_folder.h"
#include "support.h"

/* What a table has after its process ended or its disk was full, and how it is continued. */

enum { COLUMNS = 3, CHUNK = 2730, DAMAGED = 3000, ROWS = 9000 }; // chunks of 8192 numbers or less

static const char *const names[COLUMNS] = {"t", "q.a", "v.a"};
static const char model_text[] = "(system)";

static void fill(double *row, int64_t k)
{
  row[0] = 0.01 * (double)k;
  row[1] = sin((double)k);
  row[2] = 1e-13 * (double)k;
}

static cardan_record make_record(const cardan_options *options)
{
  return (cardan_record){
      .model = "m", .text = model_text, .length = strlen(model_text), .options = options};
}

static cardan_table *open_table(const char *path)
{
  const cardan_options options = cardan_options_defaults();
  const cardan_record record = make_record(&options);
  cardan_table *table;
  good(cardan_table_open(path, names, COLUMNS, &record, NULL, &table, NULL));
  return table;
}

/* Rows up to n; a flush after each `every`-th, a state after each `save`-th: 0 never. */
static void add_rows(cardan_table *table, int64_t n, int64_t every, int64_t save)
{
  for (int64_t k = cardan_table_rows(table); k < n; k++) {
    double row[COLUMNS];
    fill(row, k);
    good(cardan_table_row(table, row, NULL));
    if (every > 0 && k % every == 0) {
      good(cardan__table_flush(table, NULL));
    }
    if (save > 0 && k % save == 0) {
      unsigned char state[1000];
      memset(state, (int)(k % 251), sizeof state);
      good(cardan_table_snapshot(table, 10 * k, state, sizeof state, NULL));
    }
  }
}

static void add_last_state(cardan_table *table)
{
  good(cardan_table_snapshot(table, 10 * cardan_table_rows(table), "the end", 8, NULL));
}

/* The rows of a result are those of `fill`. */
static void has_rows(cardan_result *result)
{
  double *rows = malloc(((size_t)result->nrow * COLUMNS + 1) * sizeof *rows);
  good(cardan_result_rows(result, 0, result->nrow, rows, NULL));
  for (int64_t k = 0; k < result->nrow; k++) {
    double row[COLUMNS];
    fill(row, k);
    assert_memory_equal(row, rows + k * COLUMNS, sizeof row);
  }
  free(rows);
}

static cardan_result *open_result(const char *path)
{
  cardan_result *result;
  cardan_report report = {0};
  if (cardan_result_open(path, NULL, &result, &report) != CARDAN_OK) {
    fail_msg("%s", report.message);
  }
  return result;
}

static void same_bytes(const char *a, const char *b)
{
  size_t length[2];
  char *bytes[2] = {folder_read(a, &length[0]), folder_read(b, &length[1])};
  assert_int_equal(length[0], length[1]);
  assert_memory_equal(bytes[0], bytes[1], length[0]);
  free(bytes[0]);
  free(bytes[1]);
}

/* ---- the same bytes ---- */

// flushed never, after each row for a while, now and then; states kept or not: the file tells
// nothing
static void bytes_do_not_tell_when(void **state)
{
  static const struct {
    int64_t every, save;
  } ways[] = {{0, 0}, {1, 0}, {1000, 2730}, {2731, 2100}};
  char first[256], path[256];
  (void)state;
  for (int64_t n = 0; n <= ROWS; n = n == 0 ? 50 : n == 50 ? 2730 : n + 3135) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
      folder_path(&folder, i == 0 ? "a.h5" : "b.h5", i == 0 ? first : path);
      cardan_table *table = open_table(i == 0 ? first : path);
      add_rows(table, n < 60 ? n : 60, ways[i].every, ways[i].save);
      add_rows(table, n, ways[i].every == 1 ? 97 : ways[i].every, ways[i].save);
      add_last_state(table);
      good(cardan_table_close(table, true, NULL));
      if (i > 0) {
        same_bytes(first, path);
      }
    }
    assert_int_equal(folder_count(&folder), 2);
  }
}

/* ---- a process that is ended ---- */

/* In a process of its own: n rows, the first `flushed` of them flushed; then kill -9. */
static void be_killed(const char *path, int64_t n, int64_t flushed, int64_t save)
{
  const pid_t child = fork();
  if (child == 0) {
    cardan_table *table = open_table(path);
    add_rows(table, flushed, 0, save);
    good(cardan__table_flush(table, NULL));
    add_rows(table, n, 0, 0);
    raise(SIGKILL);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void killed_table_can_be_read(void **state)
{
  static const int64_t flushed[] = {1, 50, CHUNK, CHUNK + 1, ROWS};
  char path[256], partial[256];
  (void)state;
  folder_path(&folder, "r.h5", path);
  folder_path(&folder, "r.partial.h5", partial);
  for (size_t i = 0; i < sizeof flushed / sizeof *flushed; i++) {
    be_killed(path, ROWS, flushed[i], 900);
    cardan_result *result = open_result(partial);
    assert_false(result->complete);
    assert_true(result->nrow >= flushed[i]); // more where a second had passed
    has_rows(result);
    const int64_t last = (flushed[i] - 1) / 900 * 900;
    assert_int_equal(result->state_row, last + 1);
    assert_int_equal(result->state_step, 10 * last);
    assert_int_equal(result->state_size, 1000);
    assert_int_equal(((unsigned char *)result->state)[999], last % 251);
    cardan_result_close(result);
    assert_int_equal(access(path, F_OK), -1);
    unlink(partial);
  }
}

// a last chunk that was half written: the rows before it count, and nothing else is said to be
// there
static void torn_chunk_is_not_counted(void **state)
{
  char path[256], partial[256];
  size_t length, at = 0;
  double row[COLUMNS];
  (void)state;
  folder_path(&folder, "r.h5", path);
  folder_path(&folder, "r.partial.h5", partial);
  be_killed(path, 3000, 3000, 0);
  char *bytes = folder_read(partial, &length);
  fill(row, 2999);
  while (at + sizeof row <= length && memcmp(bytes + at, row, sizeof row) != 0) {
    at++;
  }
  const int fd = open(partial, O_WRONLY);
  assert_int_equal(pwrite(fd, "torn", 4, (off_t)at), 4);
  close(fd);
  free(bytes);
  cardan_result *result = open_result(partial);
  assert_int_equal(result->nrow, 3000 / CHUNK * CHUNK);
  has_rows(result);
  cardan_result_close(result);
}

static void killed_csv_has_its_rows(void **state)
{
  char path[256], partial[256];
  (void)state;
  folder_path(&folder, "r.csv", path);
  be_killed(path, 2000, 1500, 0);
  char *text = folder_read(folder_path(&folder, "r.partial.csv", partial), NULL), *at = text;
  int lines = 0;
  for (; (at = strchr(at, '\n')) != NULL; at++) {
    lines++;
  }
  assert_true(lines >= 1501 && text[strlen(text) - 1] == '\n');
  free(text);
}

// what a run left is not written over, and what it is is reported; a table that had no row is
// nothing
static void what_is_left_stays(void **state)
{
  static const char *const file[] = {"r.h5", "r.csv"}, *const under[] = {"r.partial.h5",
                                                                         "r.partial.csv"};
  static const char *const words[] = {"has 50 rows, to t = 0.49, of a run that did not end",
                                      "has 50 rows of a table that was not closed"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    char path[256], partial[256];
    cardan_table *table;
    cardan_report report = {0};
    folder_path(&folder, file[i], path);
    folder_path(&folder, under[i], partial);
    be_killed(path, 50, 50, 0);
    assert_int_equal(cardan_table_open(path, names, COLUMNS, NULL, NULL, &table, &report),
                     CARDAN_ERR_IO);
    assert_null(table);
    assert_non_null(strstr(report.message, words[i]));
    assert_int_equal(access(partial, F_OK), 0);
    folder_write(partial, "");
    good(cardan_table_open(path, names, COLUMNS, NULL, NULL, &table, &report));
    good(cardan_table_close(table, true, NULL));
    assert_int_equal(access(partial, F_OK), -1);
  }
  char path[256], partial[256];
  cardan_table *table;
  cardan_report report = {0};
  static const char *const letters[] = {"a letter to a friend", "hello\n"};
  folder_path(&folder, "s.h5", path);
  folder_path(&folder, "s.partial.h5", partial);
  for (int i = 0; i < 2; i++) {
    folder_write(partial, letters[i]);
    assert_int_equal(cardan_table_open(path, names, COLUMNS, NULL, NULL, &table, &report),
                     CARDAN_ERR_IO);
    assert_non_null(strstr(report.message, "cannot be read"));
    char *text = folder_read(partial, NULL);
    assert_string_equal(text, letters[i]);
    free(text);
  }
  unlink(partial);
  assert_int_equal(mkdir(partial, 0700), 0);
  assert_int_equal(cardan_table_open(path, names, COLUMNS, NULL, NULL, &table, &report),
                   CARDAN_ERR_IO);
  assert_non_null(strstr(report.message, "s.partial.h5, which it is while it is written"));
  rmdir(partial);
}

// one line is the names of columns, or of another program
static void line_alone(void **state)
{
  char path[256], partial[256];
  cardan_table *table;
  cardan_report report = {0};
  (void)state;
  folder_write(folder_path(&folder, "one.partial.csv", partial), "hello\n");
  assert_int_equal(cardan_table_open(folder_path(&folder, "one.csv", path), names, COLUMNS, NULL,
                                     NULL, &table, &report),
                   CARDAN_ERR_IO);
  assert_non_null(strstr(report.message, "without a row but not empty"));
  unlink(partial);
}

// a name that is as long as names can be, where the word would not fit
static void longest_name(void **state)
{
  char name[256], path[600];
  (void)state;
  memset(name, 'a', sizeof name);
  memcpy(name + 252, ".h5", 4);
  snprintf(path, sizeof path, "%s/%s", folder.path, name);
  cardan_table *table = open_table(path);
  add_rows(table, 10, 0, 0);
  good(cardan_table_close(table, true, NULL));
  assert_int_equal(folder_count(&folder), 1);
}

static void one_process_writes(void **state)
{
  char path[256];
  cardan_table *table, *other;
  cardan_report report = {0};
  (void)state;
  table = open_table(folder_path(&folder, "r.h5", path));
  add_rows(table, 10, 1, 0);
  assert_int_equal(cardan_table_open(path, names, COLUMNS, NULL, NULL, &other, &report),
                   CARDAN_ERR_IO);
  assert_non_null(strstr(report.message, "it is being written already"));
  add_rows(table, 20, 0, 0);
  good(cardan_table_close(table, true, NULL));
  cardan_result *result = open_result(path);
  assert_int_equal(result->nrow, 20);
  assert_true(result->complete);
  cardan_result_close(result);
  assert_int_equal(folder_count(&folder), 1);
}

/* ---- a disk that is full after so many bytes, at every moment ---- */

/* Writes under a limit of bytes, in a process of its own. returns how that ended: 0 kept, 1 refused
 * with a message, 2 the same and the rows that are there named; anything else is wrong. */
static int write_limited(const char *path, long bytes)
{
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
    const cardan_options options = cardan_options_defaults();
    const cardan_record record = make_record(&options);
    cardan_report report = {0};
    cardan_table *table;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    cardan_status status = cardan_table_open(path, names, COLUMNS, &record, NULL, &table, &report);
    for (int64_t k = 0; k < ROWS && status == CARDAN_OK; k++) {
      double row[COLUMNS];
      fill(row, k);
      status = cardan_table_row(table, row, &report);
      status = status == CARDAN_OK && k % 1000 == 0 ? cardan__table_flush(table, &report) : status;
    }
    cardan_report *last = status == CARDAN_OK ? &report : NULL;
    // after a failure the rows are kept either way
    const cardan_status closed =
        cardan_table_close(table, status == CARDAN_OK || bytes % 2 == 0, last);
    const bool said = strstr(report.message, "File too large") != NULL;
    const bool named =
        strstr(report.message, " in ") != NULL && strstr(report.message, "partial") != NULL;
    _exit(closed == CARDAN_OK && status == CARDAN_OK                     ? 0
          : (status == CARDAN_ERR_IO || closed == CARDAN_ERR_IO) && said ? 1 + named
                                                                         : 3);
  }
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

static void full_disk(void **state)
{
  static const char *const files[] = {"a.csv", "a.h5"}, *const under[] = {"a.partial.csv",
                                                                          "a.partial.h5"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    char path[256], partial[256];
    size_t size;
    int named = 0;
    folder_path(&folder, files[i], path);
    folder_path(&folder, under[i], partial);
    assert_int_equal(write_limited(path, 1000000), 0);
    free(folder_read(path, &size));
    folder_write(path, "old");
    for (int part = 0; part <= 12; part++) {
      const int end = write_limited(path, (long)size * part / 12 - (part == 12));
      assert_true(end == 1 || end == 2);
      char *text = folder_read(path, NULL);
      assert_string_equal(text, "old");
      free(text);
      assert_int_equal(folder_count(&folder), i + end);
      if (end == 2 && i == 1) {
        cardan_result *result = open_result(partial);
        has_rows(result);
        // all that there is room for, but for headers, of some 10 kB, and the chunk that did not
        // fit
        const int64_t room = (int64_t)size * part / 12 / (8 * COLUMNS) - 10000 / (8 * COLUMNS);
        assert_true(result->nrow > 0 && result->nrow >= room - CHUNK);
        cardan_result_close(result);
      }
      named += end == 2;
      unlink(partial);
    }
    assert_true(named >= 9); // before that there is not one row
    assert_int_equal(write_limited(path, (long)size), 0);
  }
}

/* ---- going on ---- */

// a killed one and a finished one continue to the bytes of one that was never stopped
static void goes_on_to_the_same_bytes(void **state)
{
  const cardan_options options = cardan_options_defaults();
  const cardan_record record = make_record(&options);
  static const int64_t at[] = {50, 2730, 8000};
  char whole[256], path[256], partial[256];
  (void)state;
  cardan_table *table = open_table(folder_path(&folder, "a.h5", whole));
  add_rows(table, ROWS, 0, 0);
  add_last_state(table);
  good(cardan_table_close(table, true, NULL));
  folder_path(&folder, "r.h5", path);
  folder_path(&folder, "r.partial.h5", partial);
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    be_killed(path, at[i] + 100, at[i], 1001);
    for (int round = 0; round < 3; round++) { // killed; gone on and closed; gone on to the end
      const char *from = round == 0 ? partial : path;
      cardan_result *result = open_result(from);
      good(cardan_table_continue(result, path, result->nrow - 3, &record, NULL, &table, NULL));
      assert_int_equal(cardan_table_rows(table), result->nrow - 3);
      cardan_result_close(result);
      assert_int_equal(access(path, F_OK), round == 0 ? -1 : 0);
      assert_int_equal(access(partial, F_OK), 0);
      add_rows(table, at[i] + 200 * round, 0, 0);
      if (round == 2) {
        add_rows(table, ROWS, 0, 900);
        add_last_state(table);
      }
      good(cardan_table_close(table, true, NULL));
    }
    same_bytes(whole, path);
    assert_int_equal(folder_count(&folder), 2);
    unlink(path);
  }
}

/* ---- many chunks ---- */

enum { WIDE = 8192 / 2 + 1 }; // columns: two rows are more than a chunk

static cardan_table *open_wide(const char *path, const cardan_record *record)
{
  static char words[WIDE][8];
  static const char *columns[WIDE];
  cardan_table *table;
  for (int i = 0; i < WIDE; i++) {
    snprintf(words[i], sizeof words[i], "c%d", i);
    columns[i] = words[i];
  }
  good(cardan_table_open(path, columns, WIDE, record, NULL, &table, NULL));
  return table;
}

static void add_wide(cardan_table *table, int64_t n)
{
  static double row[WIDE];
  for (int64_t k = cardan_table_rows(table); k < n; k++) {
    row[0] = (double)k;
    good(cardan_table_row(table, row, NULL));
  }
}

// Where the index of the chunks lies does not tell when rows came to the file: a run brings its
// first row there at once, a copy of the rows of one that was killed all of them at its end. HDF5
// has the first 4 + 16 + 32 + 2 * 32 + 2 * 64 = 244 chunks in blocks that the index begins with. A
// block for those behind is made when it is needed, and put where there is room: what a flush after
// the 200th leaves of it must be the same as what one after the first does.
static void index_does_not_tell_when(void **state)
{
  enum { MANY = 250, KILLED = 200 };
  const cardan_options options = cardan_options_defaults();
  const cardan_record record = make_record(&options);
  char whole[256], path[256], partial[256];
  int status;
  (void)state;
  cardan_table *table = open_wide(folder_path(&folder, "a.h5", whole), &record);
  add_wide(table, MANY);
  good(cardan_table_close(table, true, NULL));
  folder_path(&folder, "r.h5", path);
  const pid_t child = fork();
  if (child == 0) {
    table = open_wide(path, &record);
    add_wide(table, KILLED);
    good(cardan__table_flush(table, NULL));
    raise(SIGKILL);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  cardan_result *result = open_result(folder_path(&folder, "r.partial.h5", partial));
  assert_int_equal(result->nrow, KILLED);
  good(cardan_table_continue(result, path, KILLED, &record, NULL, &table, NULL));
  cardan_result_close(result);
  add_wide(table, MANY);
  good(cardan_table_close(table, true, NULL));
  same_bytes(whole, path);
}

// while it is copied, the state and the rows of the one before are there; a live one is not changed
static void resume_keeps_what_there_is(void **state)
{
  const cardan_options options = cardan_options_defaults();
  const cardan_record record = make_record(&options);
  char path[256], partial[256];
  cardan_table *table, *second;
  cardan_report report = {0};
  (void)state;
  folder_path(&folder, "r.h5", path);
  folder_path(&folder, "r.partial.h5", partial);
  be_killed(path, 100, 81, 40);
  cardan_result *result = open_result(partial);
  assert_int_equal(result->state_row, 81);
  good(cardan_table_continue(result, path, 81, &record, NULL, &table, NULL));
  assert_int_equal(cardan_table_continue(result, path, 81, &record, NULL, &second, &report),
                   CARDAN_ERR_IO);
  cardan_result *again = open_result(partial);
  assert_int_equal(again->nrow, 81);
  assert_int_equal(again->state_row, 81);
  assert_int_equal(again->state_step, 800);
  cardan_result_close(again);
  // of the killed one there are more than 81 rows where it took its time
  assert_int_equal(
      cardan_table_continue(result, path, result->nrow + 1, &record, NULL, &second, &report),
      CARDAN_ERR_ARGUMENT);
  cardan_result_close(result);
  // given up, it is there as before: what someone's run left is not for this one to remove
  good(cardan_table_close(table, false, NULL));
  again = open_result(partial);
  assert_false(again->complete);
  assert_int_equal(again->nrow, 81);
  assert_int_equal(again->state_row, 81);
  cardan_result_close(again);
}

static void names_of_files_under_way(void **state)
{
  static const struct {
    const char *path, *target;
  } table[] = {{"r.partial.h5", "r.h5"},
               {"a.b/r.partial.csv", "a.b/r.csv"},
               {"r.h5", ""},
               {".partial.h5", ""},
               {"a.partial.h5/r.h5", ""},
               {"r.partial", "r"},
               {"r.x.partial.h5", "r.x.h5"},
               {"/tmp/.partial.h5", ""}};
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char out[32];
    assert_int_equal(cardan_partial_target(table[i].path, out, sizeof out),
                     table[i].target[0] != '\0');
    assert_string_equal(out, table[i].target);
  }
  char small[5];
  assert_false(cardan_partial_target("rr.partial.h5", small, sizeof small));
}

/* ---- damage ---- */

/* Reads a file with one byte changed, in a process of its own, since HDF5 may lose its hold.
 * returns 1: it was found; 0: the byte was one that nothing uses */
static int read_damaged(const char *path)
{
  const pid_t child = fork();
  if (child == 0) {
    static double rows[COLUMNS * DAMAGED];
    cardan_result *result = NULL;
    if (cardan_result_open(path, NULL, &result, NULL) != CARDAN_OK ||
        cardan_result_rows(result, 0, DAMAGED, rows, NULL) != CARDAN_OK) {
      _exit(1);
    }
    double row[COLUMNS];
    int differ = strcmp(result->text, model_text) != 0 || result->nrow != DAMAGED;
    for (int64_t k = 0; k < DAMAGED; k++) {
      fill(row, k);
      differ += memcmp(row, rows + k * COLUMNS, sizeof row) != 0;
    }
    _exit(differ == 0 ? 0 : 2);
  }
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

// each byte of the rows and of the texts, changed, is found when it is read
static void damage_is_found(void **state)
{
  char path[256];
  size_t length;
  int found = 0, tried = 0;
  (void)state;
  cardan_table *table = open_table(folder_path(&folder, "r.h5", path));
  add_rows(table, DAMAGED, 0, 0);
  add_last_state(table);
  good(cardan_table_close(table, true, NULL));
  char *bytes = folder_read(path, &length);
  for (size_t at = 100; at < length; at += 3989) {
    const int fd = open(path, O_WRONLY);
    const char other = (char)(bytes[at] ^ 4);
    assert_int_equal(pwrite(fd, &other, 1, (off_t)at), 1);
    const int end = read_damaged(path);
    assert_true(end == 0 || end == 1);
    assert_int_equal(pwrite(fd, bytes + at, 1, (off_t)at), 1);
    close(fd);
    tried++;
    found += end == 1;
  }
  free(bytes);
  // chunks are 65,508 bytes with their check number: rows are all of the file but its headers, and
  // a table of 3000 rows of 24 bytes fills one of two chunks and a tenth of the other, with zeros
  // behind
  assert_true(found > tried * 9 / 10);
}

/* ---- the process that reads ---- */

static cardan_result *write_and_open(char path[256])
{
  folder_path(&folder, "r.h5", path);
  cardan_table *table = open_table(path);
  add_rows(table, 50, 0, 0);
  good(cardan_table_close(table, true, NULL));
  return open_result(path);
}

// a fork has the socket of its parent: asking by it would give each the rows of the other, and
// closing there must not end the process that the parent still asks
static void fork_leaves_the_reader_alone(void **state)
{
  char path[256];
  int status = -1;
  (void)state;
  cardan_result *result = write_and_open(path);
  const pid_t child = fork();
  if (child == 0) {
    double row[COLUMNS];
    cardan_report report = {0};
    const bool refused = cardan_result_rows(result, 1, 1, row, &report) == CARDAN_ERR_ARGUMENT &&
                         strstr(report.message, "open it again") != NULL;
    cardan_result_close(result);
    _exit(refused ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  has_rows(result);
  cardan_result_close(result);
}

// a program that was started without a standard input has 0 for the file or the socket
static void reads_without_standard_input(void **state)
{
  char path[256];
  (void)state;
  cardan_result_close(write_and_open(path));
  const int kept = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  cardan_result *result;
  const cardan_status status = cardan_result_open(path, NULL, &result, NULL);
  if (kept >= 0) {
    dup2(kept, STDIN_FILENO);
    close(kept);
  }
  good(status);
  has_rows(result);
  cardan_result_close(result);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(bytes_do_not_tell_when),
      IN_FOLDER(killed_table_can_be_read),
      IN_FOLDER(torn_chunk_is_not_counted),
      IN_FOLDER(killed_csv_has_its_rows),
      IN_FOLDER(what_is_left_stays),
      IN_FOLDER(line_alone),
      IN_FOLDER(longest_name),
      IN_FOLDER(one_process_writes),
      IN_FOLDER(full_disk),
      IN_FOLDER(goes_on_to_the_same_bytes),
      IN_FOLDER(index_does_not_tell_when),
      IN_FOLDER(resume_keeps_what_there_is),
      cmocka_unit_test(names_of_files_under_way),
      IN_FOLDER(damage_is_found),
      IN_FOLDER(fork_leaves_the_reader_alone),
      IN_FOLDER(reads_without_standard_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
