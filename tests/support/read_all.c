// SPDX-License-Identifier: Apache-2.0
#include "read_all.h"

#include <stdlib.h>
#include <string.h>

#include "cardan/sweep_result.h"

/* FNV-1a, and the size of each piece, so that pieces are distinguished. */
static void add(uint64_t *number, const void *bytes, size_t size)
{
  const unsigned char *at = bytes;
  for (size_t k = 0; k < size; k++) {
    *number = (*number ^ at[k]) * 0x100000001b3U;
  }
  *number = (*number ^ size) * 0x100000001b3U;
}

static void add_text(uint64_t *number, const char *text)
{
  add(number, text ? text : "", text ? strlen(text) : 0);
}

static void add_settings(uint64_t *number, const cardan_setting *list, int n)
{
  add(number, &n, sizeof n);
  for (int k = 0; k < n; k++) {
    add_text(number, list[k].name);
    add(number, &list[k].value, sizeof list[k].value);
  }
}

static void add_record(uint64_t *number, const cardan_result *r)
{
  const char *const text[] = {r->model, r->version, r->note, r->given};
  const int flags[] = {r->add, r->input_linear, r->complete, r->ncolumn, r->format};
  for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
    add_text(number, text[k]);
  }
  add(number, flags, sizeof flags);
  add(number, r->text, r->length);
  add(number, r->input ? r->input : "", r->input_length);
  add(number, r->plan ? r->plan : "", r->plan_length);
  for (int k = 0; cardan_option_name(k) != NULL; k++) {
    char value[256] = "";
    cardan_option_value(&r->options, k, value, sizeof value);
    add_text(number, value);
  }
  add_settings(number, r->setting, r->nsetting);
  add_settings(number, r->initial, r->ninitial);
  for (int k = 0; k < r->ncolumn; k++) {
    add_text(number, r->column[k]);
  }
}

static cardan_status add_rows(uint64_t *number, cardan_result *r, int64_t most,
                              cardan_report *report)
{
  enum { ROWS = 1000 };
  const size_t each = (size_t)r->ncolumn * sizeof(double);
  const int64_t n = most >= 0 && most < r->nrow ? most : r->nrow;
  double *rows = malloc(ROWS * each);
  cardan_status status = rows ? CARDAN_OK : CARDAN_ERR_MEMORY;
  for (int64_t at = 0; at < n && status == CARDAN_OK; at += ROWS) {
    const int64_t count = n - at < ROWS ? n - at : ROWS;
    status = cardan_result_rows(r, at, count, rows, report);
    if (status == CARDAN_OK) {
      add(number, rows, (size_t)count * each);
    }
  }
  free(rows);
  return status;
}

static cardan_status add_study(uint64_t *number, cardan_sweep_result *sweep_result,
                               cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int k = 0; k < sweep_result->nwords; k++) {
    add(number, &sweep_result->words[k].column, sizeof sweep_result->words[k].column);
    for (int i = 0; i < sweep_result->words[k].n; i++) {
      add_text(number, sweep_result->words[k].word[i]);
    }
  }
  for (int64_t k = 0; k < sweep_result->nmessage; k++) {
    add(number, &sweep_result->message[k].number, sizeof sweep_result->message[k].number);
    add_text(number, sweep_result->message[k].text);
  }
  for (int k = 0; k < sweep_result->nkept && status == CARDAN_OK; k++) {
    cardan_sweep_result_rows motion;
    add(number, &sweep_result->kept[k], sizeof sweep_result->kept[k]);
    status = cardan_sweep_result_motion(sweep_result, k, &motion, report);
    if (status == CARDAN_OK) {
      add(number, motion.row, (size_t)motion.nrow * (size_t)motion.ncolumn * sizeof *motion.row);
      for (int i = 0; i < motion.ncolumn; i++) {
        add_text(number, motion.column[i]);
      }
      cardan_sweep_result_motion_free(&motion);
    }
  }
  return status;
}

cardan_status read_all(const char *path, int64_t most, int64_t *nrow, uint64_t *number,
                       cardan_report *report)
{
  cardan_result *result;
  *number = 0xcbf29ce484222325U;
  *nrow = 0;
  cardan_status status = cardan_result_open(path, NULL, &result, report);
  if (status != CARDAN_OK) {
    return status;
  }
  *nrow = result->nrow;
  add_record(number, result);
  if (most < 0) { // of a part, the state may be one of rows that are not in it
    add(number, result->state ? result->state : "", result->state_size);
  }
  status = add_rows(number, result, most, report);
  if (status == CARDAN_OK && result->plan != NULL) {
    cardan_sweep_result *sweep_result;
    status = cardan_sweep_result_open(path, NULL, &sweep_result, report);
    if (status == CARDAN_OK) {
      status = add_study(number, sweep_result, report);
      cardan_sweep_result_close(sweep_result);
    }
  }
  cardan_result_close(result);
  return status;
}
