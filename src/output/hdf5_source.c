// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // fstat
#include "output/hdf5_source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/file.h"

/* The memory of this file is HDF5's own: it comes from malloc, as all that the library takes. */

enum { ATTEMPTS = 25 };

/* The open file as HDF5 knows it. */
typedef struct {
  H5FD_t base;
  cardan__hdf5_source *source;
  haddr_t eoa; // end of what is allocated
} source_file;

/* How a file list carries the source to source_open. */
typedef struct {
  cardan__hdf5_source *source;
} source_info;

static H5FD_t *source_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
  (void)name;
  (void)flags;
  (void)most;
  const source_info *info = H5Pget_driver_info(access);
  source_file *file = info ? calloc(1, sizeof *file) : NULL;
  if (!file) {
    return NULL;
  }
  file->source = info->source;
  return &file->base;
}

static herr_t source_close(H5FD_t *base)
{
  free(base);
  return 0;
}

static herr_t source_query(const H5FD_t *base, unsigned long *flags)
{
  (void)base;
  *flags = H5FD_FEAT_ACCUMULATE_METADATA_READ | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_SUPPORTS_SWMR_IO;
  return 0;
}

static haddr_t source_get_eoa(const H5FD_t *base, H5FD_mem_t type)
{
  (void)type;
  return ((const source_file *)base)->eoa;
}

static herr_t source_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
  (void)type;
  ((source_file *)base)->eoa = address;
  return 0;
}

static haddr_t source_get_eof(const H5FD_t *base, H5FD_mem_t type)
{
  (void)type;
  return ((const source_file *)base)->source->size;
}

static herr_t source_read(H5FD_t *base, H5FD_mem_t type, hid_t list, haddr_t address, size_t size,
                          void *buffer)
{
  (void)type;
  (void)list;
  const cardan__hdf5_source *source = ((source_file *)base)->source;
  if (address > INT64_MAX || size > INT64_MAX - address) {
    return -1;
  }
  const size_t done = cardan__read_at(source->fd, buffer, size, address);
  if (done < size && !source->growing) {
    return -1;
  }
  memset((char *)buffer + done, 0, size - done);
  return 0;
}

/* Called for by HDF5's check of a driver; nothing is written. */
static herr_t source_write(H5FD_t *base, H5FD_mem_t type, hid_t list, haddr_t address, size_t size,
                           const void *buffer)
{
  (void)base;
  (void)type;
  (void)list;
  (void)address;
  (void)size;
  (void)buffer;
  return -1;
}

static const H5FD_class_t driver = {
    .name = "cardan_source",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(source_info),
    .open = source_open,
    .close = source_close,
    .query = source_query,
    .get_eoa = source_get_eoa,
    .set_eoa = source_set_eoa,
    .get_eof = source_get_eof,
    .read = source_read,
    .write = source_write,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t cardan__hdf5_source_open(cardan__hdf5_source *source)
{
  const source_info info = {source};
  const unsigned along = source->growing ? H5F_ACC_SWMR_READ : 0;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  hid_t file = H5I_INVALID_HID;
  if (source->driver == 0) {
    source->driver = H5FDregister(&driver);
  }
  // a header that another process writes is read again, after 1 ns, 2 ns, 4 ns ..: 30 ms in all
  if (source->driver >= 0 && H5Pset_driver(access, source->driver, &info) >= 0 &&
      (!source->growing || H5Pset_metadata_read_attempts(access, ATTEMPTS) >= 0) &&
      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
      H5Pset_file_locking(access, false, true) >= 0) {
    file = H5Fopen("source", H5F_ACC_RDONLY | along, access);
  }
  H5Pclose(access);
  return file;
}

uint64_t cardan__hdf5_source_size(const cardan__hdf5_source *source)
{
  struct stat st;
  return source->growing && fstat(source->fd, &st) == 0 ? (uint64_t)st.st_size : source->size;
}
