// SPDX-License-Identifier: Apache-2.0
#include "output/hdf5_state.h"

#include <string.h>

#include "output/check.h"
#include "output/hdf5_put.h"

/* Bytes of a chunk, and the front. */
enum { CHUNK = 4096 };

typedef struct {
  int64_t row, step;
  uint64_t check; // of the state's bytes
} front;

bool cardan__hdf5_state_open(hid_t file)
{
  const hsize_t none = 0, most = H5S_UNLIMITED, chunk = CHUNK;
  const hid_t list = cardan__hdf5_creation(H5P_DATASET_CREATE);
  const hid_t space = H5Screate_simple(1, &none, &most);
  hid_t id = H5I_INVALID_HID;
  if (H5Pset_chunk(list, 1, &chunk) >= 0 && H5Pset_fletcher32(list) >= 0) {
    id = H5Dcreate2(file, "state", H5T_STD_U8LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  }
  H5Sclose(space);
  H5Pclose(list);
  return id >= 0 && H5Dclose(id) >= 0;
}

/* size bytes from `first` on. */
static bool write_part(hid_t data, hsize_t first, hsize_t size, const void *bytes)
{
  const hid_t memory = H5Screate_simple(1, &size, NULL), space = H5Dget_space(data);
  const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &size, NULL) >= 0 &&
                    H5Dwrite(data, H5T_NATIVE_UCHAR, memory, space, H5P_DEFAULT, bytes) >= 0;
  return cardan__hdf5_drop(memory, H5Sclose) && cardan__hdf5_drop(space, H5Sclose) && good;
}

bool cardan__hdf5_state_write(hid_t file, const cardan__state *state)
{
  const front f = {state->row, state->step, cardan__check(state->bytes, state->size)};
  const hsize_t size = sizeof f + state->size;
  const hid_t id =
      H5Lexists(file, "state", H5P_DEFAULT) > 0 ? H5Dopen2(file, "state", H5P_DEFAULT) : -1;
  if (id < 0) {
    return true; // a table that has no run
  }
  const bool good = H5Dset_extent(id, &size) >= 0 && write_part(id, 0, sizeof f, &f) &&
                    write_part(id, sizeof f, state->size, state->bytes);
  return H5Dclose(id) >= 0 && good;
}

bool cardan__hdf5_state_read(cardan__result_file *file, cardan__state *state)
{
  front f;
  *state = (cardan__state){.size = 0};
  const hid_t id = cardan__hdf5_get_data(file, file->id, "state");
  if (id < 0) {
    return !cardan__hdf5_has(file->id, "state");
  }
  const hid_t type = H5Dget_type(id), space = H5Dget_space(id);
  const hssize_t size = H5Sget_simple_extent_npoints(space);
  bool good = H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1 &&
              (size == 0 || size > (hssize_t)sizeof f);
  unsigned char *bytes = good && size > 0 ? cardan__hdf5_take(file, (size_t)size, 1) : NULL;
  if (bytes) {
    good = H5Dread(id, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
    memcpy(&f, bytes, sizeof f);
    *state = (cardan__state){
        .bytes = bytes + sizeof f, .size = (size_t)size - sizeof f, .row = f.row, .step = f.step};
    good = good && f.check == cardan__check(state->bytes, state->size);
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(id);
  return good && !file->no_memory;
}
