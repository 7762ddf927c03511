// SPDX-License-Identifier: Apache-2.0
#include "output/hdf5_put.h"

#include <string.h>

#include "base/arena.h"
#include "output/check.h"

/* Doubles in a chunk, more or less: small enough for short runs, large enough for long ones. */
enum { CHUNK = 8192 };

/* Attributes of an object that are kept in its header: all of them. */
enum { MOST_ATTRIBUTES = 65535 };

bool cardan__hdf5_drop(hid_t id, herr_t (*close)(hid_t id))
{
  return id < 0 || close(id) >= 0;
}

hid_t cardan__hdf5_creation(hid_t kind)
{
  const hid_t list = H5Pcreate(kind);
  H5Pset_obj_track_times(list, false);
  if (kind == H5P_GROUP_CREATE || kind == H5P_FILE_CREATE) {
    H5Pset_attr_phase_change(list, MOST_ATTRIBUTES, 0);
  }
  return list;
}

hid_t cardan__hdf5_group(hid_t at, const char *name)
{
  const hid_t list = cardan__hdf5_creation(H5P_GROUP_CREATE);
  const hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, list, H5P_DEFAULT);
  H5Pclose(list);
  return group;
}

bool cardan__hdf5_attribute(hid_t at, const char *name, hid_t type, const void *value)
{
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t id = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = id >= 0 && H5Awrite(id, type, value) >= 0;
  return cardan__hdf5_drop(id, H5Aclose) && cardan__hdf5_drop(space, H5Sclose) && good;
}

bool cardan__hdf5_text(hid_t at, const char *name, const char *text)
{
  const hid_t type = cardan__hdf5_string(strlen(text) + 1);
  const bool good = type >= 0 && cardan__hdf5_attribute(at, name, type, text);
  return cardan__hdf5_drop(type, H5Tclose) && good;
}

hid_t cardan__hdf5_bytes(hid_t at, const char *name, hid_t type, hid_t space, const void *value,
                         size_t size)
{
  const uint64_t check = cardan__check(value, size);
  const hid_t list = cardan__hdf5_creation(H5P_DATASET_CREATE);
  const hid_t id = H5Dcreate2(at, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  const bool good = id >= 0 && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0 &&
                    cardan__hdf5_attribute(id, "check", H5T_NATIVE_UINT64, &check);
  H5Pclose(list);
  if (!good && id >= 0) {
    H5Dclose(id);
  }
  return good ? id : H5I_INVALID_HID;
}

/* The same, closed. */
static bool write_dataset(hid_t at, const char *name, hid_t type, hid_t space, const void *value,
                          size_t size)
{
  const hid_t id = cardan__hdf5_bytes(at, name, type, space, value, size);
  return id >= 0 && H5Dclose(id) >= 0;
}

bool cardan__hdf5_long_text(hid_t at, const char *name, const char *text, size_t length)
{
  const hid_t type = cardan__hdf5_string(length + 1), space = H5Screate(H5S_SCALAR);
  const bool good = write_dataset(at, name, type, space, text, length + 1);
  return cardan__hdf5_drop(type, H5Tclose) && cardan__hdf5_drop(space, H5Sclose) && good;
}

bool cardan__hdf5_list(hid_t at, const char *name, const char *const *text, int n,
                       const cardan_allocator *alloc, bool *no_memory)
{
  size_t size = 1;
  for (int k = 0; k < n; k++) {
    const size_t length = strlen(text[k]) + 1;
    size = length > size ? length : size;
  }
  char *names = cardan__zeros(alloc, size * (size_t)n);
  if (!names) {
    *no_memory = true;
    return false;
  }
  for (int k = 0; k < n; k++) {
    memcpy(names + size * (size_t)k, text[k], strlen(text[k]));
  }
  const hsize_t count = (hsize_t)n;
  const hid_t type = cardan__hdf5_string(size), space = H5Screate_simple(1, &count, NULL);
  const bool good = write_dataset(at, name, type, space, names, size * (size_t)n);
  cardan__resize(alloc, names, 0);
  return cardan__hdf5_drop(type, H5Tclose) && cardan__hdf5_drop(space, H5Sclose) && good;
}

/* ---- rows ---- */

bool cardan__hdf5_rows_open(cardan__hdf5_rows *rows, hid_t at, const char *name, int ncolumn,
                            const cardan_allocator *alloc, bool *no_memory)
{
  const int capacity = ncolumn < CHUNK ? CHUNK / ncolumn : 1;
  *rows = (cardan__hdf5_rows){.dataset = H5I_INVALID_HID, .ncolumn = ncolumn, .capacity = capacity};
  rows->buffer =
      cardan__resize(alloc, NULL, (size_t)capacity * (size_t)ncolumn * sizeof *rows->buffer);
  if (!rows->buffer) {
    *no_memory = true;
    return false;
  }
  const hsize_t dims[2] = {0, (hsize_t)ncolumn}, most[2] = {H5S_UNLIMITED, dims[1]};
  const hsize_t chunk[2] = {(hsize_t)capacity, dims[1]};
  const double zero = 0;
  const hid_t list = cardan__hdf5_creation(H5P_DATASET_CREATE);
  const hid_t access = H5Pcreate(H5P_DATASET_ACCESS), space = H5Screate_simple(2, dims, most);
  if (H5Pset_chunk(list, 2, chunk) >= 0 && H5Pset_fletcher32(list) >= 0 &&
      H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &zero) >= 0 &&
      H5Pset_chunk_cache(access, 1, 0, 1) >= 0) {
    rows->dataset = H5Dcreate2(at, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, access);
  }
  const bool closed = cardan__hdf5_drop(list, H5Pclose) && cardan__hdf5_drop(access, H5Pclose) &&
                      cardan__hdf5_drop(space, H5Sclose);
  return closed && rows->dataset >= 0;
}

bool cardan__hdf5_rows_reopen(cardan__hdf5_rows *rows, hid_t at, const char *name)
{
  const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  rows->dataset =
      H5Pset_chunk_cache(access, 1, 0, 1) >= 0 ? H5Dopen2(at, name, access) : H5I_INVALID_HID;
  H5Pclose(access);
  return rows->dataset >= 0;
}

bool cardan__hdf5_rows_settle(cardan__hdf5_rows *rows)
{
  const hsize_t ncolumn = (hsize_t)rows->ncolumn, count[2] = {(hsize_t)rows->gathered, ncolumn};
  const hsize_t end[2] = {(hsize_t)rows->nrow, ncolumn}, start[2] = {end[0] - count[0], 0};
  if (rows->gathered == 0 || rows->settled) {
    return true;
  }
  if (H5Dset_extent(rows->dataset, end) < 0) {
    return false;
  }
  const hid_t memory = H5Screate_simple(2, count, NULL), space = H5Dget_space(rows->dataset);
  const bool good =
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
      H5Dwrite(rows->dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows->buffer) >= 0;
  rows->settled = true;
  return cardan__hdf5_drop(memory, H5Sclose) && cardan__hdf5_drop(space, H5Sclose) && good;
}

bool cardan__hdf5_rows_full(const cardan__hdf5_rows *rows)
{
  return rows->gathered + 1 == rows->capacity;
}

bool cardan__hdf5_rows_add(cardan__hdf5_rows *rows, const double *row)
{
  const size_t n = (size_t)rows->ncolumn;
  memcpy(rows->buffer + (size_t)rows->gathered * n, row, n * sizeof *row);
  rows->gathered++;
  rows->nrow++;
  rows->settled = false;
  if (rows->gathered < rows->capacity) {
    return true;
  }
  const bool good = cardan__hdf5_rows_settle(rows);
  rows->gathered = 0;
  return good;
}

bool cardan__hdf5_rows_close(cardan__hdf5_rows *rows, bool keep, const cardan_allocator *alloc)
{
  if (!rows->buffer) {
    return true;
  }
  const bool written = !keep || cardan__hdf5_rows_settle(rows);
  const bool closed = cardan__hdf5_drop(rows->dataset, H5Dclose);
  cardan__resize(alloc, rows->buffer, 0);
  *rows = (cardan__hdf5_rows){.dataset = H5I_INVALID_HID};
  return written && closed;
}
