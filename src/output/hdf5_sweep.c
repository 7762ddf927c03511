// SPDX-License-Identifier: Apache-2.0
#include "output/hdf5_sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "output/hdf5_table.h"

/* Sentences that are gathered before they are written. */
enum { GATHERED = 256 };

/* The table as HDF5; NULL: it is none. */
static cardan__hdf5_table *hdf5(cardan_table *table)
{
  return table->kind == &cardan__table_hdf5 ? (cardan__hdf5_table *)table : NULL;
}

/* Ends a call that began with hush. */
static cardan_status finish(cardan__hdf5_table *h, bool good, const cardan__hdf5_voice *voice,
                            cardan_report *report)
{
  const cardan_status status = cardan__hdf5_judge(h, good, report);
  cardan__hdf5_restore(voice);
  h->table.failed = h->table.failed || status != CARDAN_OK;
  return status;
}

cardan_status cardan__table_plan(cardan_table *table, const char *text, size_t length,
                                 cardan_report *report)
{
  cardan__hdf5_table *h = hdf5(table);
  cardan__hdf5_voice voice;
  if (!h) {
    return CARDAN_OK;
  }
  cardan__hdf5_silence_errors(&voice);
  return finish(h, cardan__hdf5_long_text(h->id, "plan", text, length), &voice, report);
}

/* ---- sentences ---- */

/* A dataset of n entries that is filled piece by piece. */
static hid_t make_list(hid_t at, const char *name, hid_t type, int64_t n)
{
  const hsize_t count = (hsize_t)n, chunk = n < GATHERED ? count : GATHERED;
  const hid_t list = cardan__hdf5_creation(H5P_DATASET_CREATE);
  const hid_t space = H5Screate_simple(1, &count, NULL);
  hid_t id = H5I_INVALID_HID;
  if (H5Pset_chunk(list, 1, &chunk) >= 0 && H5Pset_fletcher32(list) >= 0) {
    id = H5Dcreate2(at, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  }
  cardan__hdf5_drop(space, H5Sclose);
  cardan__hdf5_drop(list, H5Pclose);
  return id;
}

/* count entries of it from `first` on. */
static bool fill_list(hid_t dataset, hid_t type, int64_t first, int count, const void *value)
{
  const hsize_t start = (hsize_t)first, size = (hsize_t)count;
  const hid_t memory = H5Screate_simple(1, &size, NULL), space = H5Dget_space(dataset);
  const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &size, NULL) >= 0 &&
                    H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, value) >= 0;
  return cardan__hdf5_drop(memory, H5Sclose) && cardan__hdf5_drop(space, H5Sclose) && good;
}

static bool flush(cardan__hdf5_messages *m)
{
  if (m->gathered == 0) {
    return true;
  }
  const hid_t type = cardan__hdf5_string(m->size);
  const bool good =
      type >= 0 && fill_list(m->text, type, m->written, m->gathered, m->buffer) &&
      fill_list(m->number, H5T_NATIVE_DOUBLE, m->written, m->gathered, m->case_number);
  m->written += m->gathered;
  m->gathered = 0;
  return cardan__hdf5_drop(type, H5Tclose) && good;
}

static bool open_messages(cardan__hdf5_table *h)
{
  cardan__hdf5_messages *m = &h->messages;
  const cardan_allocator *alloc = &h->table.file.alloc;
  m->text = m->number = H5I_INVALID_HID;
  m->buffer = cardan__resize(alloc, NULL, GATHERED * m->size);
  m->case_number = cardan__resize(alloc, NULL, GATHERED * sizeof *m->case_number);
  if (!m->buffer || !m->case_number) {
    h->no_memory = true;
    return false;
  }
  const hid_t type = cardan__hdf5_string(m->size);
  m->text = make_list(h->id, "messages", type, m->n);
  m->number = make_list(h->id, "message_cases", H5T_IEEE_F64LE, m->n);
  return cardan__hdf5_drop(type, H5Tclose) && m->text >= 0 && m->number >= 0;
}

cardan_status cardan__table_messages(cardan_table *table, int64_t n, size_t longest,
                                     cardan_report *report)
{
  cardan__hdf5_table *h = hdf5(table);
  cardan__hdf5_voice voice;
  if (!h) {
    return CARDAN_OK;
  }
  CARDAN_ASSERT(n >= 1 && h->messages.n == 0);
  h->messages = (cardan__hdf5_messages){.n = n, .size = longest + 1};
  cardan__hdf5_silence_errors(&voice);
  return finish(h, open_messages(h), &voice, report);
}

cardan_status cardan__table_message(cardan_table *table, int64_t number, const char *text,
                                    cardan_report *report)
{
  cardan__hdf5_table *h = hdf5(table);
  if (!h) {
    return CARDAN_OK;
  }
  cardan__hdf5_messages *m = &h->messages;
  CARDAN_ASSERT(strlen(text) < m->size && m->written + m->gathered < m->n);
  char *to = m->buffer + (size_t)m->gathered * m->size;
  memset(to, 0, m->size);
  memcpy(to, text, strlen(text) + 1);
  m->case_number[m->gathered++] = (double)number;
  if (m->gathered < GATHERED) {
    return CARDAN_OK;
  }
  cardan__hdf5_voice voice;
  cardan__hdf5_silence_errors(&voice);
  return finish(h, flush(m), &voice, report);
}

bool cardan__hdf5_messages_close(cardan__hdf5_table *h, bool keep)
{
  cardan__hdf5_messages *m = &h->messages;
  const cardan_allocator *alloc = &h->table.file.alloc;
  if (m->n == 0) {
    return true;
  }
  const bool written = !keep || flush(m);
  const bool text = cardan__hdf5_drop(m->text, H5Dclose);
  const bool number = cardan__hdf5_drop(m->number, H5Dclose);
  cardan__resize(alloc, m->buffer, 0);
  cardan__resize(alloc, m->case_number, 0);
  *m = (cardan__hdf5_messages){.n = 0};
  return written && text && number;
}

/* ---- motions ---- */

static bool open_kept(cardan__hdf5_table *h, int64_t number, const char *const *column, int ncolumn)
{
  char name[32];
  const cardan_allocator *alloc = &h->table.file.alloc;
  hid_t all = H5I_INVALID_HID;
  snprintf(name, sizeof name, "%" PRId64, number);
  if (H5Lexists(h->id, "kept", H5P_DEFAULT) > 0) {
    all = H5Gopen2(h->id, "kept", H5P_DEFAULT);
  } else {
    all = cardan__hdf5_group(h->id, "kept");
  }
  h->kept_group = all >= 0 ? cardan__hdf5_group(all, name) : H5I_INVALID_HID;
  const bool closed = cardan__hdf5_drop(all, H5Gclose);
  return closed && h->kept_group >= 0 &&
         cardan__hdf5_list(h->kept_group, "columns", column, ncolumn, alloc, &h->no_memory) &&
         cardan__hdf5_rows_open(&h->kept, h->kept_group, "table", ncolumn, alloc, &h->no_memory);
}

cardan_status cardan__table_kept_open(cardan_table *table, int64_t number,
                                      const char *const *column, int ncolumn, cardan_report *report)
{
  cardan__hdf5_table *h = hdf5(table);
  cardan__hdf5_voice voice;
  if (!h) {
    return CARDAN_OK;
  }
  cardan__hdf5_silence_errors(&voice);
  return finish(h, open_kept(h, number, column, ncolumn), &voice, report);
}

cardan_status cardan__table_kept_row(cardan_table *table, const double *row, cardan_report *report)
{
  cardan__hdf5_table *h = hdf5(table);
  const cardan_status status = h ? cardan__hdf5_add_row(h, &h->kept, row, report) : CARDAN_OK;
  table->failed = table->failed || status != CARDAN_OK;
  return status;
}

cardan_status cardan__table_kept_close(cardan_table *table, cardan_report *report)
{
  cardan__hdf5_table *h = hdf5(table);
  cardan__hdf5_voice voice;
  if (!h) {
    return CARDAN_OK;
  }
  cardan__hdf5_silence_errors(&voice);
  const bool rows = cardan__hdf5_rows_close(&h->kept, true, &h->table.file.alloc);
  const bool group = cardan__hdf5_drop(h->kept_group, H5Gclose);
  h->kept_group = H5I_INVALID_HID;
  return finish(h, rows && group, &voice, report);
}
