// SPDX-License-Identifier: Apache-2.0
#include "output/hdf5_get.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The largest text that is read from a result [bytes]; longer ones are no model's. */
static const size_t text_limit = (size_t)1 << 30;

/* Attributes of one object: those of /settings are looked up one by one, each through all. */
enum { MOST_ATTRIBUTES = 4096 };

/* The largest piece that a table is stored in, where a row is shorter [bytes]. */
static const uint64_t chunk_limit = (uint64_t)1 << 20;

bool cardan__hdf5_odd(cardan__result_file *file, const char *format, ...)
{
  if (file->odd[0] == '\0') {
    va_list list;
    va_start(list, format);
    vsnprintf(file->odd, sizeof file->odd, format, list);
    va_end(list);
  }
  return false;
}

void *cardan__hdf5_take(cardan__result_file *file, size_t count, size_t size)
{
  void *memory = cardan__arena_take(&file->arena, count, size);
  file->no_memory = file->no_memory || !memory;
  return memory;
}

char *cardan__hdf5_copy(cardan__result_file *file, const char *text, size_t length)
{
  char *copy = cardan__hdf5_take(file, length + 1, 1);
  if (copy) {
    memcpy(copy, text, length);
  }
  return copy;
}

/* ---- attributes ---- */

/* Size of a string of fixed size, its NUL included; 0 when the type is something else. */
static size_t string_size(const cardan__result_file *file, hid_t type)
{
  if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) {
    return 0;
  }
  const size_t size = H5Tget_size(type);
  return size <= text_limit && size <= file->source.size ? size : 0;
}

static hid_t open_attribute(hid_t at, const char *name)
{
  return H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT) : H5I_INVALID_HID;
}

char *cardan__hdf5_get_text(cardan__result_file *file, hid_t at, const char *name)
{
  const hid_t id = open_attribute(at, name);
  if (id < 0) {
    return NULL;
  }
  const hid_t type = H5Aget_type(id), space = H5Aget_space(id);
  const size_t size = string_size(file, type);
  char *text = NULL;
  if (size > 0 && H5Sget_simple_extent_npoints(space) == 1) {
    text = cardan__hdf5_take(file, size + 1, 1);
    if (text && H5Aread(id, type, text) < 0) {
      text = NULL;
    }
  } else {
    cardan__hdf5_odd(file, "an attribute \"%.60s\" that is not one text of fixed length", name);
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(id);
  return text;
}

bool cardan__hdf5_get_number(hid_t at, const char *name, H5T_class_t kind, size_t size, hid_t type,
                             void *value)
{
  const hid_t id = open_attribute(at, name);
  if (id < 0) {
    return false;
  }
  const hid_t found = H5Aget_type(id), space = H5Aget_space(id);
  const bool good = H5Tget_class(found) == kind && H5Tget_size(found) == size &&
                    H5Sget_simple_extent_npoints(space) == 1 && H5Aread(id, type, value) >= 0;
  H5Sclose(space);
  H5Tclose(found);
  H5Aclose(id);
  return good;
}

int cardan__hdf5_attributes(cardan__result_file *file, hid_t at, const char *name)
{
  H5O_info_t info;
  if (H5Oget_info(at, &info) < 0) {
    return -1;
  }
  if (info.num_attrs > MOST_ATTRIBUTES) {
    cardan__hdf5_odd(file, "%llu attributes of /%.60s", (unsigned long long)info.num_attrs, name);
    return -1;
  }
  if (info.meta_size.attr.heap_size > 0 || info.meta_size.attr.index_size > 0) {
    cardan__hdf5_odd(file, "attributes of /%.60s that are not in its header", name);
    return -1;
  }
  return (int)info.num_attrs;
}

/* ---- groups and datasets ---- */

bool cardan__hdf5_has(hid_t at, const char *name)
{
  return H5Lexists(at, name, H5P_DEFAULT) > 0;
}

/* Is there something of that name, in the file itself? */
static bool is_there(cardan__result_file *file, hid_t at, const char *name)
{
  H5L_info_t info;
  if (!cardan__hdf5_has(at, name) || H5Lget_info(at, name, &info, H5P_DEFAULT) < 0) {
    return false;
  }
  return info.type == H5L_TYPE_HARD ||
         cardan__hdf5_odd(file, "a link %s in place of /%.60s",
                          info.type == H5L_TYPE_SOFT ? "by name" : "to another file", name);
}

/* HDF5's check numbers, or no filter. */
static bool is_plain(cardan__result_file *file, hid_t list, const char *name)
{
  unsigned flags = 0, settings = 0;
  size_t n = 0;
  const int filters = H5Pget_nfilters(list);
  return filters == 0 ||
         (filters == 1 &&
          H5Pget_filter2(list, 0, &flags, &n, NULL, 0, NULL, &settings) == H5Z_FILTER_FLETCHER32) ||
         cardan__hdf5_odd(file, "a filter on /%.60s, such as compression", name);
}

/* Rows together in pieces of a size that a table has. */
static bool is_stored_here(cardan__result_file *file, hid_t list, const char *name, size_t each,
                           const hsize_t *dims, int ndims)
{
  const H5D_layout_t layout = H5Pget_layout(list);
  hsize_t chunk[2] = {1, 1};
  if (H5Pget_external_count(list) != 0 || layout == H5D_VIRTUAL) {
    return cardan__hdf5_odd(file, "numbers of /%.60s that lie in another file", name);
  }
  if (layout == H5D_CONTIGUOUS) {
    return true;
  }
  if (layout != H5D_CHUNKED || H5Pget_chunk(list, ndims, chunk) != ndims) {
    return cardan__hdf5_odd(file, "a layout of /%.60s that is neither in one piece nor in chunks",
                            name);
  }
  const double size = (double)chunk[0] * (double)chunk[1] * (double)each;
  const double row = ndims == 2 ? (double)dims[1] * (double)each : 256.0 * (double)each;
  return size <= (double)chunk_limit || size <= row ||
         cardan__hdf5_odd(file, "a chunk of %g bytes in /%.60s", size, name);
}

/* Does a dataset have its numbers, and here? What a file only says it has, HDF5 would make up. */
static bool is_whole(cardan__result_file *file, hid_t data, const char *name)
{
  const hid_t list = H5Dget_create_plist(data), type = H5Dget_type(data);
  const hid_t space = H5Dget_space(data);
  const int ndims = H5Sget_simple_extent_ndims(space);
  const size_t each = H5Tget_size(type);
  hsize_t dims[2] = {1, 1};
  bool good = (ndims >= 0 && ndims <= 2) ||
              cardan__hdf5_odd(file, "a dataset /%.60s of %d dimensions", name, ndims);
  good = good && H5Sget_simple_extent_dims(space, dims, NULL) == ndims &&
         is_stored_here(file, list, name, each, dims, ndims) && is_plain(file, list, name);
  if (good) {
    const double bytes = (double)dims[0] * (double)dims[1] * (double)each;
    const double there = (double)H5Dget_storage_size(data),
                 size = (double)cardan__hdf5_source_size(&file->source);
    good = (bytes <= size && bytes <= there) ||
           cardan__hdf5_odd(file, "%g bytes in /%.60s by its header, and %g in the file", bytes,
                            name, there < size ? there : size);
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Pclose(list);
  return good;
}

hid_t cardan__hdf5_get_data(cardan__result_file *file, hid_t at, const char *name)
{
  const hid_t id = is_there(file, at, name) ? H5Dopen2(at, name, H5P_DEFAULT) : H5I_INVALID_HID;
  if (id >= 0 && !is_whole(file, id, name)) {
    H5Dclose(id);
    return H5I_INVALID_HID;
  }
  return id;
}

hid_t cardan__hdf5_get_group(cardan__result_file *file, hid_t at, const char *name, int nlink,
                             int *nattribute)
{
  H5G_info_t info;
  const hid_t id = is_there(file, at, name) ? H5Gopen2(at, name, H5P_DEFAULT) : H5I_INVALID_HID;
  if (id < 0) {
    return id;
  }
  const int n = cardan__hdf5_attributes(file, id, name);
  bool good = n >= 0 && H5Gget_info(id, &info) >= 0;
  good = good && ((nlink < 0 || info.nlinks == (hsize_t)nlink) ||
                  cardan__hdf5_odd(file, "%llu things in the group /%.60s",
                                   (unsigned long long)info.nlinks, name));
  good = good &&
         ((nattribute || n == 0) || cardan__hdf5_odd(file, "attributes of the group /%.60s", name));
  if (good && nattribute) {
    *nattribute = n;
  }
  if (!good) {
    H5Gclose(id);
  }
  return good ? id : H5I_INVALID_HID;
}

char *cardan__hdf5_get_strings(cardan__result_file *file, hid_t at, const char *name, hssize_t *n,
                               size_t *size)
{
  const hid_t id = cardan__hdf5_get_data(file, at, name);
  if (id < 0) {
    return NULL;
  }
  const hid_t type = H5Dget_type(id), space = H5Dget_space(id);
  char *text = NULL;
  *size = string_size(file, type);
  *n = H5Sget_simple_extent_npoints(space);
  if (*size > 0 && *n > 0 && (size_t)*n <= text_limit / *size) {
    text = cardan__hdf5_take(file, (size_t)*n * *size + 1, 1);
    if (text && (H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0 ||
                 !cardan__hdf5_is_checked(id, text, (size_t)*n * *size))) {
      text = NULL;
    }
  } else {
    cardan__hdf5_odd(file, "a dataset /%.60s that is no text of fixed length below 1 GB", name);
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(id);
  return text;
}

char **cardan__hdf5_get_list(cardan__result_file *file, hid_t at, const char *name, int *n)
{
  hssize_t count = 0;
  size_t size = 0;
  const char *text = cardan__hdf5_get_strings(file, at, name, &count, &size);
  if (!text || count > INT_MAX) {
    return NULL;
  }
  char **list = cardan__hdf5_take(file, (size_t)count, sizeof *list);
  for (int k = 0; list && k < (int)count; k++) {
    const char *one = text + (size_t)k * size;
    const char *end = memchr(one, '\0', size);
    list[k] = cardan__hdf5_copy(file, one, end ? (size_t)(end - one) : size);
    if (!list[k]) {
      return NULL;
    }
  }
  *n = (int)count;
  return list;
}

hid_t cardan__hdf5_get_table(cardan__result_file *file, hid_t at, const char *name, int ncolumn,
                             int64_t *nrow)
{
  hsize_t dims[2] = {0, 0};
  const hid_t id = cardan__hdf5_get_data(file, at, name);
  if (id < 0) {
    return id;
  }
  const hid_t type = H5Dget_type(id), space = H5Dget_space(id);
  const bool numbers = H5Tequal(type, H5T_IEEE_F64LE) > 0 ||
                       cardan__hdf5_odd(file, "a table /%.60s that is not of doubles", name);
  const bool good = numbers && H5Sget_simple_extent_ndims(space) == 2 &&
                    H5Sget_simple_extent_dims(space, dims, NULL) == 2 && dims[0] <= INT64_MAX &&
                    dims[1] == (hsize_t)ncolumn;
  *nrow = (int64_t)dims[0];
  H5Sclose(space);
  H5Tclose(type);
  if (!good) {
    H5Dclose(id);
  }
  return good ? id : H5I_INVALID_HID;
}

bool cardan__hdf5_is_hole(const char *first, const double *rows, int64_t count, int ncolumn)
{
  int zeros = 0;
  if (strcmp(first, "t") != 0 && strcmp(first, "case") != 0) {
    return false;
  }
  for (int64_t k = 0; k < count && zeros < 2; k++) {
    const double *row = rows + k * ncolumn;
    int i = 0;
    while (i < ncolumn && row[i] == 0) {
      i++;
    }
    zeros += i == ncolumn;
  }
  return zeros == 2;
}

bool cardan__hdf5_get_rows(hid_t table, int64_t first, int64_t count, int ncolumn, double *rows)
{
  const hsize_t start[2] = {(hsize_t)first, 0}, size[2] = {(hsize_t)count, (hsize_t)ncolumn};
  const hid_t memory = H5Screate_simple(2, size, NULL), space = H5Dget_space(table);
  const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                    H5Dread(table, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows) >= 0;
  H5Sclose(space);
  H5Sclose(memory);
  return good;
}
