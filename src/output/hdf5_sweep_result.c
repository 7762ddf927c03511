// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/sweep_result.h"
#include "output/hdf5_get.h"

/* What the file of a sweep has beyond a run's: output/hdf5.h has the layout. */

enum { MOST_WORDS = 256 }; // columns that stand for words

/* The attribute `column` of a dataset, -1: there is none, or it is no column's. */
static int column_of(cardan__result_file *file, const char *name)
{
  const hid_t data = cardan__hdf5_get_data(file, file->id, name);
  int column = -1;
  if (data >= 0) {
    if (!cardan__hdf5_get_number(data, "column", H5T_INTEGER, sizeof column, H5T_NATIVE_INT,
                                 &column) ||
        column >= file->result.ncolumn) {
      column = -1;
    }
    H5Dclose(data);
  }
  return column;
}

bool cardan__hdf5_read_words(cardan__result_file *file, cardan_sweep_result *sweep_result)
{
  cardan_sweep_result_labels *words = cardan__hdf5_take(file, MOST_WORDS, sizeof *words);
  char name[32] = "words";
  for (int k = 0; words && cardan__hdf5_has(file->id, name); k++) {
    if (k == MOST_WORDS) {
      return cardan__hdf5_odd(file, "words of more than %d columns", MOST_WORDS);
    }
    words[k].column = column_of(file, name);
    char **word = cardan__hdf5_get_list(file, file->id, name, &words[k].n);
    if (words[k].column < 0 || !word) {
      return false;
    }
    words[k].word = (const char *const *)word;
    sweep_result->nwords = k + 1;
    snprintf(name, sizeof name, "words.%d", k + 2);
  }
  sweep_result->words = words;
  return words != NULL;
}

/* The numbers of cases that have a sentence: n of them. */
static bool read_numbers(cardan__result_file *file, int n, double *number)
{
  const hid_t id = cardan__hdf5_get_data(file, file->id, "message_cases");
  if (id < 0) {
    return false;
  }
  const hid_t type = H5Dget_type(id), space = H5Dget_space(id);
  bool good = H5Tequal(type, H5T_IEEE_F64LE) > 0 && H5Sget_simple_extent_npoints(space) == n &&
              H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) >= 0;
  for (int k = 0; good && k < n; k++) {
    good = number[k] >= 0 && number[k] < (double)file->result.nrow &&
           (k == 0 || number[k] > number[k - 1]);
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(id);
  return good;
}

static bool read_messages(cardan__result_file *file, cardan_sweep_result *sweep_result)
{
  int n = 0;
  if (!cardan__hdf5_has(file->id, "messages")) {
    return true;
  }
  char **text = cardan__hdf5_get_list(file, file->id, "messages", &n);
  double *number = cardan__hdf5_take(file, (size_t)n, sizeof *number);
  cardan_sweep_result_message *message = cardan__hdf5_take(file, (size_t)n, sizeof *message);
  if (!text || !number || !message || !read_numbers(file, n, number)) {
    return false;
  }
  for (int k = 0; k < n; k++) {
    message[k] = (cardan_sweep_result_message){(int64_t)number[k], text[k]};
  }
  sweep_result->message = message;
  sweep_result->nmessage = n;
  return true;
}

/* The number that a group of /kept is called by; -1: it is none. */
static int64_t number_of(const char *name, int64_t nrow)
{
  char *end = NULL, same[32];
  errno = 0;
  const int64_t number = strtoll(name, &end, 10);
  snprintf(same, sizeof same, "%" PRId64, number);
  return errno == 0 && strcmp(name, same) == 0 && number >= 0 && number < nrow ? number : -1;
}

static int compare_numbers(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

typedef struct {
  int64_t *number;
  int n, room;
  int64_t nrow; // cases of the sweep
} kept_list;

/* One entry of /kept. */
static herr_t read_name(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
  kept_list *list = user;
  const int64_t number = number_of(name, list->nrow);
  (void)group;
  if (number < 0 || info->type != H5L_TYPE_HARD || list->n >= list->room) {
    return -1;
  }
  list->number[list->n++] = number;
  return 0;
}

static bool read_kept(cardan__result_file *file, cardan_sweep_result *sweep_result)
{
  H5G_info_t info;
  if (!cardan__hdf5_has(file->id, "kept")) {
    return true;
  }
  const hid_t group = cardan__hdf5_get_group(file, file->id, "kept", -1, NULL);
  if (group < 0) {
    return false;
  }
  kept_list list = {.nrow = file->result.nrow};
  bool good =
      H5Gget_info(group, &info) >= 0 && info.nlinks <= INT_MAX && (int64_t)info.nlinks <= list.nrow;
  if (good) {
    list.room = (int)info.nlinks;
    list.number = cardan__hdf5_take(file, (size_t)info.nlinks, sizeof *list.number);
    good = list.number != NULL &&
           H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, read_name, &list) >= 0;
  }
  H5Gclose(group);
  if (good) {
    qsort(list.number, (size_t)list.n, sizeof *list.number, compare_numbers);
    sweep_result->kept = list.number;
    sweep_result->nkept = list.n;
  }
  return good;
}

const char *cardan__hdf5_read_sweep_result(cardan__result_file *file,
                                           cardan_sweep_result *sweep_result)
{
  if (!cardan__hdf5_read_words(file, sweep_result)) {
    return "its words are damaged";
  }
  if (!read_messages(file, sweep_result)) {
    return "its messages are damaged";
  }
  return read_kept(file, sweep_result) ? NULL : "its motions are damaged";
}

cardan_status cardan_sweep_result_open(const char *path, const cardan_allocator *allocator,
                                       cardan_sweep_result **out, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  cardan_result *result;
  *out = NULL;
  cardan_status status = cardan_result_open(path, allocator, &result, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__result_file *file = result->file;
  cardan_sweep_result *sweep_result = cardan__hdf5_take(file, 1, sizeof *sweep_result);
  if (!sweep_result) {
    status = cardan__no_memory(report);
  } else if (!result->plan) {
    status = cardan_fail(report, CARDAN_ERR_IO, none,
                         "cannot read %.200s: it is no sweep's, but that of a run or a batch: it "
                         "holds no plan",
                         path);
  } else {
    *sweep_result = (cardan_sweep_result){
        .result = result, .plan = result->plan, .plan_length = result->plan_length};
    status = cardan__sandbox_sweep_result(file, sweep_result, report);
  }
  if (status != CARDAN_OK) {
    cardan_result_close(result);
    return status;
  }
  *out = sweep_result;
  return CARDAN_OK;
}

void cardan_sweep_result_close(cardan_sweep_result *sweep_result)
{
  if (sweep_result) {
    cardan_result_close(sweep_result->result); // whose memory it has
  }
}

/* ---- motions ---- */

static const char *read_rows(cardan__result_file *to, hid_t group, cardan_sweep_result_rows *out)
{
  out->column = cardan__hdf5_get_list(to, group, "columns", &out->ncolumn);
  if (!out->column) {
    return "the columns of that motion are damaged";
  }
  const hid_t table = cardan__hdf5_get_table(to, group, "table", out->ncolumn, &out->nrow);
  if (table < 0) {
    return "the table of that motion is damaged";
  }
  const size_t each = (size_t)out->ncolumn * sizeof *out->row;
  out->row = cardan__hdf5_take(to, (size_t)out->nrow, each);
  const bool good = out->row && (out->nrow == 0 || cardan__hdf5_get_rows(table, 0, out->nrow,
                                                                         out->ncolumn, out->row));
  H5Dclose(table);
  return good && !cardan__hdf5_is_hole(out->column[0], out->row, out->nrow, out->ncolumn)
             ? NULL
             : "the rows of that motion are damaged";
}

const char *cardan__hdf5_read_motion(cardan__result_file *file, int64_t number,
                                     cardan__result_file *to, cardan_sweep_result_rows *out)
{
  char name[40];
  snprintf(name, sizeof name, "kept/%" PRId64, number);
  const hid_t group = cardan__hdf5_get_group(to, file->id, name, 2, NULL);
  if (group < 0) {
    return "that motion is not there";
  }
  const char *wrong = read_rows(to, group, out);
  H5Gclose(group);
  return wrong;
}

cardan_status cardan_sweep_result_motion(cardan_sweep_result *sweep_result, int k,
                                         cardan_sweep_result_rows *out, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  *out = (cardan_sweep_result_rows){.nrow = 0};
  if (k < 0 || k >= sweep_result->nkept) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "there is no motion %d among the %d that are kept", k, sweep_result->nkept);
  }
  cardan__result_file *file = sweep_result->result->file;
  cardan__result_file to = {.id = H5I_INVALID_HID}; // its own memory
  cardan__arena_init(&to.arena, &file->arena.alloc);
  cardan__arena *memory = cardan__hdf5_take(&to, 1, sizeof *memory);
  const cardan_status status =
      memory ? cardan__sandbox_motion(file, sweep_result->kept[k], &to, out, report)
             : cardan__no_memory(report);
  if (status != CARDAN_OK) {
    cardan__arena_free(&to.arena);
    *out = (cardan_sweep_result_rows){.nrow = 0};
    return status;
  }
  *memory = to.arena;
  out->memory = memory;
  return CARDAN_OK;
}

void cardan_sweep_result_motion_free(cardan_sweep_result_rows *rows)
{
  if (rows->memory) {
    cardan__arena memory = *(cardan__arena *)rows->memory; // which lies in itself
    cardan__arena_free(&memory);
    *rows = (cardan_sweep_result_rows){.nrow = 0};
  }
}
