// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "output/check.h"
#include "output/file.h"
#include "output/hdf5_get.h"
#include "output/hdf5_state.h"

/* What a result says of its run's end: whether it was closed, and the state to continue from. */

/* HDF5 File Format Specification 3.0, II.A: the superblock of version 3 has a signature, its
 * version in byte 8 and flags in byte 11: a process has it open for writing, 1, and lets others
 * read along, 4. */
cardan__hdf5_way cardan__hdf5_way_of(int fd)
{
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  static const unsigned char nothing[12];
  unsigned char bytes[12] = {0};
  const size_t n = cardan__read_at(fd, bytes, sizeof bytes, 0);
  if (memcmp(bytes, nothing, sizeof bytes) == 0) {
    return CARDAN__HDF5_EMPTY;
  }
  if (n < sizeof bytes || memcmp(bytes, signature, sizeof signature) != 0) {
    return CARDAN__HDF5_OTHER; // however short: it may be of another program
  }
  return bytes[8] < 3 || bytes[11] == 0 ? CARDAN__HDF5_CLOSED
         : (bytes[11] & 4) != 0         ? CARDAN__HDF5_GROWING
                                        : CARDAN__HDF5_EMPTY;
}

bool cardan__hdf5_is_checked(hid_t data, const void *bytes, size_t size)
{
  uint64_t check = 0;
  return H5Aexists(data, "check") <= 0 ||
         (cardan__hdf5_get_number(data, "check", H5T_INTEGER, sizeof check, H5T_NATIVE_UINT64,
                                  &check) &&
          check == cardan__check(bytes, size));
}

/* A process that is ended while it writes a chunk again, with more rows than before, leaves one
 * whose check number is not that of its rows. They are then not counted. */
static bool drop_torn(cardan__result_file *file)
{
  cardan_result *result = &file->result;
  hsize_t chunk[2] = {0, 0};
  const hid_t list = H5Dget_create_plist(file->table);
  const bool known = H5Pget_layout(list) == H5D_CHUNKED && H5Pget_chunk(list, 2, chunk) == 2;
  H5Pclose(list);
  double *row = known && chunk[0] > 0 && result->nrow > 0
                    ? cardan__hdf5_take(file, (size_t)result->ncolumn, sizeof *row)
                    : NULL;
  if (row && !cardan__hdf5_get_rows(file->table, result->nrow - 1, 1, result->ncolumn, row)) {
    result->nrow = (result->nrow - 1) / (int64_t)chunk[0] * (int64_t)chunk[0];
  }
  return !file->no_memory;
}

/* A state ahead of the rows is of another table. */
static void take_state(cardan_result *result, const cardan__state *state)
{
  if (state->size > 0 && state->row >= 0 && state->row <= result->nrow && state->step >= 0) {
    result->state = (void *)state->bytes;
    result->state_size = state->size;
    result->state_row = state->row;
    result->state_step = state->step;
  }
}

bool cardan__hdf5_get_state(cardan__result_file *file)
{
  cardan__state state = {.size = 0};
  if (!file->result.complete) {
    return drop_torn(file);
  }
  if (!cardan__hdf5_state_read(file, &state)) {
    return false;
  }
  take_state(&file->result, &state);
  return true;
}

bool cardan__hdf5_get_state_beside(cardan__result_file *file, const char *path)
{
  cardan__state state = {.size = 0};
  char *name = cardan__state_name(path, &file->arena.alloc);
  const bool good = name && cardan__state_read(name, &file->arena, &state);
  cardan__resize(&file->arena.alloc, name, 0);
  if (good) {
    take_state(&file->result, &state);
  }
  return good;
}
