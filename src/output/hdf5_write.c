// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/arena.h"
#include "output/hdf5.h"
#include "output/hdf5_sink.h"
#include "output/table.h"
#include "output/words.h"

/* HDF5 tables. Rows are gathered until a chunk of the dataset is full and written as one piece. */

/* Doubles in a chunk, more or less: small enough for short runs, large enough for long ones. */
enum { CHUNK = 8192 };

typedef struct {
  cardan_table table;
  cardan__hdf5_sink sink;
  hid_t id, dataset;
  bool no_memory;         // of ours
  int capacity, gathered; // rows of buffer
  double *buffer;         // capacity x ncolumn
} hdf5_table;

/* Closes an id that may be none; a failure to close it counts. */
static bool drop(hid_t id, herr_t (*close)(hid_t id))
{
  return id < 0 || close(id) >= 0;
}

static bool write_attribute(hid_t at, const char *name, hid_t type, const void *value)
{
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t id = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = id >= 0 && H5Awrite(id, type, value) >= 0;
  return drop(id, H5Aclose) && drop(space, H5Sclose) && good;
}

static bool write_text(hid_t at, const char *name, const char *text)
{
  const hid_t type = cardan__hdf5_string(strlen(text) + 1);
  const bool good = type >= 0 && write_attribute(at, name, type, text);
  return drop(type, H5Tclose) && good;
}

/* A creation list without time stamps: the same run gives the same bytes. */
static hid_t creation_list(hid_t kind)
{
  const hid_t list = H5Pcreate(kind);
  H5Pset_obj_track_times(list, false);
  return list;
}

/* A dataset that is written once and closed. */
static bool write_dataset(hid_t file, const char *name, hid_t type, hid_t space, const void *value)
{
  const hid_t list = creation_list(H5P_DATASET_CREATE);
  const hid_t id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  const bool good = id >= 0 && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
  return drop(id, H5Dclose) && drop(list, H5Pclose) && good;
}

/* A list of n texts as fixed-size strings, padded with NULs to the longest. */
static bool write_list(hdf5_table *h, const char *dataset, const char *const *text, int n)
{
  const cardan_allocator *alloc = &h->table.file.alloc;
  size_t size = 1;
  for (int k = 0; k < n; k++) {
    const size_t length = strlen(text[k]) + 1;
    size = length > size ? length : size;
  }
  char *names = cardan__resize(alloc, NULL, size * (size_t)n);
  if (!names) {
    h->no_memory = true;
    return false;
  }
  for (int k = 0; k < n; k++) {
    char *name = names + size * (size_t)k;
    memset(name, 0, size);
    memcpy(name, text[k], strlen(text[k]));
  }
  const hsize_t count = (hsize_t)n;
  const hid_t type = cardan__hdf5_string(size), space = H5Screate_simple(1, &count, NULL);
  const bool good = write_dataset(h->id, dataset, type, space, names);
  cardan__resize(alloc, names, 0);
  return drop(type, H5Tclose) && drop(space, H5Sclose) && good;
}

/* A group with one attribute for each entry. */
static bool write_settings(hid_t file, const char *name, const cardan_setting *setting, int n)
{
  const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = group >= 0;
  for (int i = 0; i < n && good; i++) {
    good = write_attribute(group, setting[i].name, H5T_NATIVE_DOUBLE, &setting[i].value);
  }
  return drop(group, H5Gclose) && good;
}

/* Every option as text. The method and its integrator by name also where they are the defaults: a
 * later version may have others, and the run is to be the same. */
static bool write_options(hid_t file, const cardan_options *options)
{
  const cardan__how how = cardan__words_how(options);
  const hid_t group = H5Gcreate2(file, "options", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = group >= 0;
  const char *name;
  for (int i = 0; good && (name = cardan_option_name(i)) != NULL; i++) {
    char value[256];
    cardan_option_value(options, i, value, sizeof value);
    const char *text = value;
    text = strcmp(name, "method") == 0 ? how.method : text;
    text = strcmp(name, "integrator") == 0 && how.integrator[0] ? how.integrator : text;
    good = write_text(group, name, text);
  }
  return drop(group, H5Gclose) && good;
}

/* A text as a dataset of one string. */
static bool write_long_text(hid_t file, const char *name, const char *text, size_t length)
{
  const hid_t type = cardan__hdf5_string(length + 1), space = H5Screate(H5S_SCALAR);
  const bool good = write_dataset(file, name, type, space, text);
  return drop(type, H5Tclose) && drop(space, H5Sclose) && good;
}

static bool write_input(hid_t file, const cardan_record *record)
{
  return record->input == NULL ||
         (write_text(file, "input-mode", record->input_linear ? "linear" : "held") &&
          write_long_text(file, "input", record->input, record->input_length));
}

static bool write_record(hid_t file, const cardan_record *record)
{
  char add[CARDAN_ADD_SIZE];
  cardan_add_write(record->add, add);
  return write_text(file, "version", cardan_version()) &&
         write_text(file, "model", record->model) && write_text(file, "add", add) &&
         write_long_text(file, "model", record->text, record->length) &&
         write_options(file, record->options) &&
         write_settings(file, "settings", record->setting, record->nsetting) &&
         write_settings(file, "initial", record->initial, record->ninitial) &&
         write_input(file, record) &&
         (record->note == NULL || write_text(file, "note", record->note));
}

/* The empty table. Chunks are written when they are full and never read back, so the library's own
 * chunk cache is turned off: a full disk then shows at once. */
static bool create_dataset(hdf5_table *h)
{
  const hsize_t dims[2] = {0, (hsize_t)h->table.ncolumn};
  const hsize_t most[2] = {H5S_UNLIMITED, dims[1]};
  const hsize_t chunk[2] = {(hsize_t)h->capacity, dims[1]};
  const double zero = 0;
  const hid_t list = creation_list(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
  const hid_t space = H5Screate_simple(2, dims, most);
  if (H5Pset_chunk(list, 2, chunk) >= 0 && H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &zero) >= 0 &&
      H5Pset_chunk_cache(access, 1, 0, 1) >= 0) {
    h->dataset = H5Dcreate2(h->id, "table", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, access);
  }
  const bool closed = drop(list, H5Pclose) && drop(access, H5Pclose) && drop(space, H5Sclose);
  return closed && h->dataset >= 0;
}

/* CARDAN_OK if HDF5 did what it was asked and the disk took it. */
static cardan_status judge(const hdf5_table *h, bool good, cardan_report *report)
{
  char why[160];
  if (h->sink.error) {
    return cardan__file_failed(h->table.file.target, strerror(h->sink.error), report);
  }
  if (good) {
    return CARDAN_OK;
  }
  if (h->no_memory) {
    return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "out of memory");
  }
  cardan__hdf5_why(why, sizeof why);
  return cardan__file_failed(h->table.file.target, why, report);
}

/* Everything but the rows. */
static bool write_header(hdf5_table *h, const char *const *column, const cardan_record *record)
{
  const hid_t list = creation_list(H5P_FILE_CREATE);
  h->id = cardan__hdf5_sink_create(&h->sink, list);
  return drop(list, H5Pclose) && h->id >= 0 && (!record || write_record(h->id, record)) &&
         write_list(h, "columns", column, h->table.ncolumn) && create_dataset(h);
}

static bool close_ids(hdf5_table *h)
{
  const bool dataset = drop(h->dataset, H5Dclose), file = drop(h->id, H5Fclose);
  h->dataset = h->id = H5I_INVALID_HID;
  cardan__hdf5_sink_free(&h->sink);
  return dataset && file;
}

static void hdf5_free(cardan_table *table)
{
  hdf5_table *h = (hdf5_table *)table;
  const cardan_allocator alloc = table->file.alloc;
  cardan__resize(&alloc, h->buffer, 0);
  cardan__resize(&alloc, h, 0);
}

static cardan_status hdf5_create(const cardan__file *file, const char *const *column, int ncolumn,
                                 const cardan_record *record, cardan_table **out,
                                 cardan_report *report)
{
  const cardan_pos none = {0, 0};
  const cardan_status loaded = cardan__hdf5_load(report);
  if (loaded != CARDAN_OK) {
    return loaded;
  }
  hdf5_table *h = cardan__resize(&file->alloc, NULL, sizeof *h);
  if (!h) {
    return cardan_fail(report, CARDAN_ERR_MEMORY, none, "out of memory");
  }
  *h = (hdf5_table){.id = H5I_INVALID_HID, .dataset = H5I_INVALID_HID, .sink = {.fd = file->fd}};
  h->table = (cardan_table){.kind = &cardan__table_hdf5, .file = *file, .ncolumn = ncolumn};
  h->capacity = ncolumn < CHUNK ? CHUNK / ncolumn : 1;
  const size_t size = (size_t)h->capacity * (size_t)ncolumn * sizeof *h->buffer;
  h->buffer = cardan__resize(&file->alloc, NULL, size);
  cardan_status status = CARDAN_OK;
  if (!h->buffer) {
    status = cardan_fail(report, CARDAN_ERR_MEMORY, none, "out of memory");
  } else {
    cardan__hdf5_voice voice;
    cardan__hdf5_hush(&voice);
    status = judge(h, write_header(h, column, record), report);
    if (status != CARDAN_OK) {
      close_ids(h);
    }
    cardan__hdf5_restore(&voice);
  }
  if (status != CARDAN_OK) {
    hdf5_free(&h->table);
    return status;
  }
  *out = &h->table;
  return CARDAN_OK;
}

/* Writes the rows gathered behind those in the file. */
static bool write_rows(hdf5_table *h)
{
  const hsize_t ncolumn = (hsize_t)h->table.ncolumn, count[2] = {(hsize_t)h->gathered, ncolumn};
  const hsize_t end[2] = {(hsize_t)h->table.nrow, ncolumn}, start[2] = {end[0] - count[0], 0};
  if (h->gathered == 0) {
    return true;
  }
  if (H5Dset_extent(h->dataset, end) < 0) {
    return false;
  }
  const hid_t memory = H5Screate_simple(2, count, NULL), space = H5Dget_space(h->dataset);
  const bool good =
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
      H5Dwrite(h->dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, h->buffer) >= 0;
  h->gathered = 0;
  return drop(memory, H5Sclose) && drop(space, H5Sclose) && good;
}

static cardan_status write_hushed(hdf5_table *h, cardan_report *report)
{
  cardan__hdf5_voice voice;
  cardan__hdf5_hush(&voice);
  const cardan_status status = judge(h, write_rows(h), report);
  cardan__hdf5_restore(&voice);
  return status;
}

/* The dataset /words, and which column its entries are for. */
static bool write_words(hdf5_table *h)
{
  if (!write_list(h, "words", h->table.word, h->table.nword)) {
    return false;
  }
  const hid_t id = H5Dopen2(h->id, "words", H5P_DEFAULT);
  const bool good = id >= 0 && write_attribute(id, "column", H5T_NATIVE_INT, &h->table.word_column);
  return drop(id, H5Dclose) && good;
}

static cardan_status hdf5_words(cardan_table *table, cardan_report *report)
{
  hdf5_table *h = (hdf5_table *)table;
  cardan__hdf5_voice voice;
  cardan__hdf5_hush(&voice);
  const cardan_status status = judge(h, write_words(h), report);
  cardan__hdf5_restore(&voice);
  return status;
}

static cardan_status hdf5_row(cardan_table *table, const double *row, cardan_report *report)
{
  hdf5_table *h = (hdf5_table *)table;
  if (h->gathered == h->capacity) {
    const cardan_status status = write_hushed(h, report);
    if (status != CARDAN_OK) {
      return status;
    }
  }
  memcpy(h->buffer + (size_t)h->gathered * (size_t)table->ncolumn, row,
         (size_t)table->ncolumn * sizeof *row);
  h->gathered++;
  return CARDAN_OK;
}

static cardan_status hdf5_finish(cardan_table *table, bool keep, cardan_report *report)
{
  hdf5_table *h = (hdf5_table *)table;
  cardan__hdf5_voice voice;
  cardan__hdf5_hush(&voice);
  const bool written = !keep || write_rows(h), closed = close_ids(h);
  const cardan_status status = keep ? judge(h, written && closed, report) : CARDAN_OK;
  cardan__hdf5_restore(&voice);
  return status;
}

const cardan__table_kind cardan__table_hdf5 = {hdf5_create, hdf5_words, hdf5_row, hdf5_finish,
                                               hdf5_free};
