// SPDX-License-Identifier: Apache-2.0
#include "output/hdf5_get.h"

#include <limits.h>
#include <string.h>

/* The largest text that is read from a result [bytes]; longer ones are no model's. */
static const size_t text_limit = (size_t)1 << 30;

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

/* Size of a string of fixed size, its NUL included; 0 when the type is something else. */
static size_t string_size(hid_t type)
{
  if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) {
    return 0;
  }
  const size_t size = H5Tget_size(type);
  return size <= text_limit ? size : 0;
}

char *cardan__hdf5_get_text(cardan__result_file *file, hid_t at, const char *name)
{
  const hid_t id = H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT) : H5I_INVALID_HID;
  if (id < 0) {
    return NULL;
  }
  const hid_t type = H5Aget_type(id), space = H5Aget_space(id);
  const size_t size = string_size(type);
  char *text = NULL;
  if (size > 0 && H5Sget_simple_extent_npoints(space) == 1) {
    text = cardan__hdf5_take(file, size + 1, 1);
    if (text && H5Aread(id, type, text) < 0) {
      text = NULL;
    }
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(id);
  return text;
}

/* Is there something of that name in the file itself? */
static bool is_there(hid_t at, const char *name)
{
  H5L_info_t info;
  return H5Lexists(at, name, H5P_DEFAULT) > 0 && H5Lget_info(at, name, &info, H5P_DEFAULT) >= 0 &&
         info.type == H5L_TYPE_HARD;
}

/* Does a dataset have its numbers, and here? What a file only says it has, HDF5 would make up; 1032
 * is the most that deflate makes of a byte. */
static bool is_whole(hid_t data)
{
  const hid_t list = H5Dget_create_plist(data), type = H5Dget_type(data);
  const hid_t space = H5Dget_space(data);
  const double bytes = (double)H5Sget_simple_extent_npoints(space) * (double)H5Tget_size(type);
  const bool good = H5Pget_external_count(list) == 0 && H5Pget_layout(list) >= 0 &&
                    H5Pget_layout(list) < H5D_VIRTUAL &&
                    bytes <= 1032.0 * (double)H5Dget_storage_size(data);
  H5Sclose(space);
  H5Tclose(type);
  H5Pclose(list);
  return good;
}

hid_t cardan__hdf5_get_data(hid_t at, const char *name)
{
  const hid_t id = is_there(at, name) ? H5Dopen2(at, name, H5P_DEFAULT) : H5I_INVALID_HID;
  if (id >= 0 && !is_whole(id)) {
    H5Dclose(id);
    return H5I_INVALID_HID;
  }
  return id;
}

hid_t cardan__hdf5_get_group(hid_t at, const char *name)
{
  return is_there(at, name) ? H5Gopen2(at, name, H5P_DEFAULT) : H5I_INVALID_HID;
}

char *cardan__hdf5_get_strings(cardan__result_file *file, hid_t at, const char *name, hssize_t *n,
                               size_t *size)
{
  const hid_t id = cardan__hdf5_get_data(at, name);
  if (id < 0) {
    return NULL;
  }
  const hid_t type = H5Dget_type(id), space = H5Dget_space(id);
  char *text = NULL;
  *size = string_size(type);
  *n = H5Sget_simple_extent_npoints(space);
  if (*size > 0 && *n > 0 && (size_t)*n <= text_limit / *size) {
    text = cardan__hdf5_take(file, (size_t)*n * *size + 1, 1);
    if (text && (H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0 ||
                 !cardan__hdf5_is_checked(id, text, (size_t)*n * *size))) {
      text = NULL;
    }
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

hid_t cardan__hdf5_get_table(hid_t at, const char *name, int ncolumn, int64_t *nrow)
{
  hsize_t dims[2] = {0, 0};
  const hid_t id = cardan__hdf5_get_data(at, name);
  if (id < 0) {
    return id;
  }
  const hid_t type = H5Dget_type(id), space = H5Dget_space(id);
  const bool good = H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_ndims(space) == 2 &&
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
