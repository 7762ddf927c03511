// SPDX-License-Identifier: Apache-2.0
#include "output/hdf5_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "output/options_text.h"

/* HDF5 tables. */

/* A group with one attribute for each entry. */
static bool write_settings(hid_t file, const char *name, const cardan_setting *setting, int n)
{
  const hid_t group = cardan__hdf5_group(file, name);
  bool good = group >= 0;
  for (int i = 0; i < n && good; i++) {
    good = cardan__hdf5_attribute(group, setting[i].name, H5T_NATIVE_DOUBLE, &setting[i].value);
  }
  return cardan__hdf5_drop(group, H5Gclose) && good;
}

/* Every option as text. */
static bool write_options(hid_t file, const cardan_options *options)
{
  const hid_t group = cardan__hdf5_group(file, "options");
  bool good = group >= 0;
  const char *name;
  for (int i = 0; good && (name = cardan_option_name(i)) != NULL; i++) {
    char text[CARDAN__OPTION_SIZE];
    cardan__option_write(options, i, text);
    good = cardan__hdf5_text(group, name, text);
  }
  return cardan__hdf5_drop(group, H5Gclose) && good;
}

static bool write_input(hid_t file, const cardan_record *record)
{
  return record->input == NULL ||
         (cardan__hdf5_text(file, "input-mode", record->input_linear ? "linear" : "held") &&
          cardan__hdf5_long_text(file, "input", record->input, record->input_length));
}

static bool write_record(hid_t file, const cardan_record *record)
{
  char add[CARDAN__ADD_SIZE];
  const int format = CARDAN__RESULT_FORMAT;
  cardan__add_write(record->add, add);
  return cardan__hdf5_text(file, "version", cardan_version()) &&
         cardan__hdf5_attribute(file, "format", H5T_NATIVE_INT, &format) &&
         cardan__hdf5_text(file, "model", record->model) && cardan__hdf5_text(file, "add", add) &&
         cardan__hdf5_long_text(file, "model", record->text, record->length) &&
         write_options(file, record->options) &&
         write_settings(file, "settings", record->setting, record->nsetting) &&
         write_settings(file, "initial", record->initial, record->ninitial) &&
         write_input(file, record) &&
         (record->note == NULL || cardan__hdf5_text(file, "note", record->note)) &&
         (record->given == NULL || cardan__hdf5_text(file, "given", record->given));
}

cardan_status cardan__hdf5_judge(const cardan__hdf5_table *h, bool good, cardan_report *report)
{
  char why[160];
  if (h->sink.error) {
    return cardan__file_failed(h->table.file.target, strerror(h->sink.error), report);
  }
  if (good) {
    return CARDAN_OK;
  }
  if (h->no_memory) {
    return cardan__no_memory(report);
  }
  cardan__hdf5_why(why, sizeof why);
  return cardan__file_failed(h->table.file.target, why, report);
}

/* Everything but the rows. */
static bool write_header(cardan__hdf5_table *h, const char *const *column,
                         const cardan_record *record)
{
  const hid_t list = cardan__hdf5_creation(H5P_FILE_CREATE);
  h->id = cardan__hdf5_sink_create(&h->sink, list);
  return cardan__hdf5_drop(list, H5Pclose) && h->id >= 0 &&
         (!record || write_record(h->id, record)) &&
         (!record || h->table.file.way == CARDAN__FILE_HIDDEN || cardan__hdf5_state_open(h->id)) &&
         cardan__hdf5_list(h->id, "columns", column, h->table.ncolumn, &h->table.file.alloc,
                           &h->no_memory) &&
         cardan__hdf5_rows_open(&h->rows, h->id, "table", h->table.ncolumn, &h->table.file.alloc,
                                &h->no_memory);
}

/* keep: with the rows that are left. */
static bool close_ids(cardan__hdf5_table *h, bool keep)
{
  const cardan_allocator *alloc = &h->table.file.alloc;
  const bool messages = cardan__hdf5_messages_close(h, keep);
  const bool kept = cardan__hdf5_rows_close(&h->kept, keep, alloc);
  const bool group = cardan__hdf5_drop(h->kept_group, H5Gclose);
  const bool rows = cardan__hdf5_rows_close(&h->rows, keep, alloc);
  const bool file = cardan__hdf5_drop(h->id, H5Fclose);
  h->kept_group = h->id = H5I_INVALID_HID;
  return messages && kept && group && rows && file;
}

static void hdf5_free(cardan_table *table)
{
  const cardan_allocator alloc = table->file.alloc;
  cardan__hdf5_table *h = (cardan__hdf5_table *)table;
  cardan__resize(&alloc, (void *)h->state.bytes, 0);
  cardan__resize(&alloc, h->state_name, 0);
  cardan__resize(&alloc, table, 0);
}

/* One that an earlier run left there belongs to no row of this. */
static bool name_state(cardan__hdf5_table *h)
{
  if (h->table.file.way != CARDAN__FILE_SEEN) {
    return true;
  }
  h->state_name = cardan__state_name(h->table.file.temporary, &h->table.file.alloc);
  h->no_memory = !h->state_name;
  if (h->state_name) {
    unlink(h->state_name);
  }
  return !h->no_memory;
}

static cardan_status hdf5_create(const cardan__file *file, const char *const *column, int ncolumn,
                                 const cardan_record *record, cardan_table **out,
                                 cardan_report *report)
{
  const cardan_status loaded = cardan__hdf5_load(report);
  if (loaded != CARDAN_OK) {
    return loaded;
  }
  cardan__hdf5_table *h = cardan__resize(&file->alloc, NULL, sizeof *h);
  if (!h) {
    return cardan__no_memory(report);
  }
  *h = (cardan__hdf5_table){.id = H5I_INVALID_HID, .kept_group = H5I_INVALID_HID};
  h->sink.fd = file->fd;
  h->table = (cardan_table){.kind = &cardan__table_hdf5, .file = *file, .ncolumn = ncolumn};
  cardan__hdf5_voice voice;
  cardan__hdf5_silence_errors(&voice);
  const cardan_status status =
      cardan__hdf5_judge(h, name_state(h) && write_header(h, column, record), report);
  if (status != CARDAN_OK) {
    close_ids(h, false);
    cardan__hdf5_sink_free(&h->sink);
  }
  cardan__hdf5_restore(&voice);
  if (status != CARDAN_OK) {
    hdf5_free(&h->table);
    return status;
  }
  *out = &h->table;
  return CARDAN_OK;
}

/* The dataset /words, of further columns /words.2 and so on, and which column it is for. */
static bool write_words(cardan__hdf5_table *h)
{
  const cardan__table_words *w = &h->table.words[h->table.nwords - 1];
  char name[32] = "words";
  if (h->table.nwords > 1) {
    snprintf(name, sizeof name, "words.%d", h->table.nwords);
  }
  if (!cardan__hdf5_list(h->id, name, w->word, w->n, &h->table.file.alloc, &h->no_memory)) {
    return false;
  }
  const hid_t id = H5Dopen2(h->id, name, H5P_DEFAULT);
  const bool good = id >= 0 && cardan__hdf5_attribute(id, "column", H5T_NATIVE_INT, &w->column);
  return cardan__hdf5_drop(id, H5Dclose) && good;
}

static cardan_status hdf5_words(cardan_table *table, cardan_report *report)
{
  cardan__hdf5_table *h = (cardan__hdf5_table *)table;
  cardan__hdf5_voice voice;
  cardan__hdf5_silence_errors(&voice);
  const cardan_status status = cardan__hdf5_judge(h, write_words(h), report);
  cardan__hdf5_restore(&voice);
  return status;
}

cardan_status cardan__hdf5_add_row(cardan__hdf5_table *h, cardan__hdf5_rows *rows,
                                   const double *row, cardan_report *report)
{
  cardan__hdf5_voice voice;
  if (!cardan__hdf5_rows_full(rows)) { // HDF5 is not asked: nothing to hush, or to fail
    return cardan__hdf5_rows_add(rows, row) ? CARDAN_OK : CARDAN_ERR_IO;
  }
  cardan__hdf5_silence_errors(&voice);
  const cardan_status status = cardan__hdf5_judge(h, cardan__hdf5_rows_add(rows, row), report);
  cardan__hdf5_restore(&voice);
  return status;
}

static cardan_status hdf5_row(cardan_table *table, const double *row, cardan_report *report)
{
  cardan__hdf5_table *h = (cardan__hdf5_table *)table;
  return cardan__hdf5_add_row(h, &h->rows, row, report);
}

/* ---- rows that can be read before the table is closed ---- */

/* HDF5's way of writing for readers that follow (SWMR): headers go to the file in an order in which
 * what they point to is there before them, whatever ends the process. From here on nothing but rows
 * is added. In between the headers are held back, or the number of rows could be there before the
 * rows. */
static bool start_growing(cardan__hdf5_table *h)
{
  h->growing = true;
  return cardan__hdf5_drop(h->rows.dataset, H5Dclose) && H5Fstart_swmr_write(h->id) >= 0 &&
         cardan__hdf5_rows_reopen(&h->rows, h->id, "table") &&
         H5Odisable_mdc_flushes(h->rows.dataset) >= 0;
}

static bool flush_rows(cardan__hdf5_table *h)
{
  return (h->growing || start_growing(h)) && cardan__hdf5_rows_settle(&h->rows) && !h->sink.error &&
         H5Oenable_mdc_flushes(h->rows.dataset) >= 0 && H5Dflush(h->rows.dataset) >= 0 &&
         H5Odisable_mdc_flushes(h->rows.dataset) >= 0;
}

static cardan_status hdf5_flush(cardan_table *table, cardan_report *report)
{
  cardan__hdf5_table *h = (cardan__hdf5_table *)table;
  cardan__hdf5_voice voice;
  cardan__hdf5_silence_errors(&voice);
  const cardan_status status = cardan__hdf5_judge(h, flush_rows(h), report);
  cardan__hdf5_restore(&voice);
  h->flushed = status == CARDAN_OK ? table->nrow : h->flushed;
  return status;
}

static cardan_status hdf5_state(cardan_table *table, int64_t step, const void *state, size_t size,
                                cardan_report *report)
{
  cardan__hdf5_table *h = (cardan__hdf5_table *)table;
  void *copy = cardan__resize(&table->file.alloc, (void *)h->state.bytes, size);
  if (!copy) {
    return cardan__no_memory(report);
  }
  memcpy(copy, state, size);
  h->state = (cardan__state){.bytes = copy, .size = size, .row = table->nrow, .step = step};
  const cardan_status status = hdf5_flush(table, report);
  return status == CARDAN_OK && h->state_name
             ? cardan__state_write(h->state_name, &h->state, &table->file.alloc, report)
             : status;
}

/* The rows of all chunks that the disk took. The one that it did not take is given up, and what
 * counts the rows is written once more, over what was there. When that fails too, the rows of the
 * last flush count. */
static void give_up_chunk(cardan__hdf5_table *h)
{
  const int error = h->sink.error;
  if (!h->rows.buffer || !h->growing || !error || h->sink.pieces) { // closed, or too late
    return;
  }
  const int64_t chunk = h->rows.capacity, n = (h->rows.nrow - 1) / chunk * chunk;
  const hsize_t end[2] = {(hsize_t)n, (hsize_t)h->rows.ncolumn};
  if (n <= h->flushed) {
    return;
  }
  h->sink.error = 0;
  h->rows.nrow = n;
  h->rows.gathered = 0;
  const bool good = H5Dset_extent(h->rows.dataset, end) >= 0 && flush_rows(h) && h->sink.error == 0;
  h->sink.error = error; // the file is left as it is now
  h->flushed = good ? n : h->flushed;
}

static bool hdf5_rescue(cardan_table *table)
{
  cardan__hdf5_table *h = (cardan__hdf5_table *)table;
  cardan__hdf5_voice voice;
  cardan__hdf5_silence_errors(&voice);
  give_up_chunk(h);
  cardan__hdf5_restore(&voice);
  table->nrow = h->flushed;
  return table->nrow > 0;
}

/* ---- the end ---- */

static cardan_status hdf5_finish(cardan_table *table, bool keep, cardan_report *report)
{
  cardan__hdf5_table *h = (cardan__hdf5_table *)table;
  cardan__hdf5_voice voice;
  cardan__hdf5_silence_errors(&voice);
  if (!keep && (table->adopted || table->rescued)) { // it is left as if the process had ended here
    (void)(h->sink.error || flush_rows(h));
    h->sink.error = h->sink.error ? h->sink.error : ECANCELED;
  }
  // a table that is short has been through the same calls as one that is long
  bool good = !keep || table->file.way == CARDAN__FILE_HIDDEN || flush_rows(h);
  if (!good) {
    give_up_chunk(h);
  }
  // a state of earlier rows would tell when it was kept
  if (keep && h->state.size > 0 && h->state.row == table->nrow) {
    good = cardan__hdf5_rows_settle(&h->rows) && cardan__hdf5_state_write(h->id, &h->state) && good;
  }
  good = close_ids(h, keep) && good;
  const cardan_status status = keep ? cardan__hdf5_judge(h, good, report) : CARDAN_OK;
  if (status == CARDAN_OK && h->state_name && !table->rescued && (keep || !table->adopted)) {
    unlink(h->state_name);
  }
  cardan__hdf5_sink_free(&h->sink);
  cardan__hdf5_restore(&voice);
  return status;
}

const cardan__table_kind cardan__table_hdf5 = {hdf5_create, hdf5_words,  hdf5_row,
                                               hdf5_flush,  hdf5_state,  cardan__hdf5_worth,
                                               hdf5_rescue, hdf5_finish, hdf5_free};
