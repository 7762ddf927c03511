// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // pread, ftruncate
#include "output/hdf5_sink.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/write.h"

/* The memory of this file is HDF5's own: it comes from malloc, as all that the library takes. */

struct cardan__hdf5_piece {
  cardan__hdf5_piece *next;
  haddr_t address;
  size_t size;
  unsigned char bytes[];
};

/* The open file as HDF5 knows it. */
typedef struct {
  H5FD_t base;
  cardan__hdf5_sink *sink;
  haddr_t eoa, eof; // end of what is allocated, and of what is written
} sink_file;

/* How a file list carries the sink to sink_open. */
typedef struct {
  cardan__hdf5_sink *sink;
} sink_info;

static H5FD_t *sink_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
  (void)name;
  (void)flags;
  (void)most;
  const sink_info *info = H5Pget_driver_info(access);
  sink_file *file = info ? calloc(1, sizeof *file) : NULL;
  if (!file) {
    return NULL;
  }
  file->sink = info->sink;
  return &file->base;
}

static herr_t sink_close(H5FD_t *base)
{
  free(base);
  return 0;
}

static herr_t sink_query(const H5FD_t *base, unsigned long *flags)
{
  (void)base;
  // no room is taken in larger pieces: what a flush finds left of one it gives up, and where things
  // are in the file would tell when that was
  *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_SUPPORTS_SWMR_IO;
  return 0;
}

static haddr_t sink_get_eoa(const H5FD_t *base, H5FD_mem_t type)
{
  (void)type;
  return ((const sink_file *)base)->eoa;
}

static herr_t sink_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
  (void)type;
  ((sink_file *)base)->eoa = address;
  return 0;
}

static haddr_t sink_get_eof(const H5FD_t *base, H5FD_mem_t type)
{
  (void)type;
  return ((const sink_file *)base)->eof;
}

/* Lays the pieces over what was read, oldest first: the list is short, and walked once for each. */
static void overlay(const cardan__hdf5_piece *piece, haddr_t address, size_t size,
                    unsigned char *buffer)
{
  const cardan__hdf5_piece *done = NULL;
  while (piece != done) {
    const cardan__hdf5_piece *p = piece;
    while (p->next != done) {
      p = p->next;
    }
    const haddr_t low = p->address > address ? p->address : address;
    const haddr_t p_end = p->address + p->size, end = address + size;
    const haddr_t high = p_end < end ? p_end : end;
    if (low < high) {
      memcpy(buffer + (low - address), p->bytes + (low - p->address), (size_t)(high - low));
    }
    done = p;
  }
}

static herr_t sink_read(H5FD_t *base, H5FD_mem_t type, hid_t list, haddr_t address, size_t size,
                        void *buffer)
{
  (void)type;
  (void)list;
  const cardan__hdf5_sink *sink = ((sink_file *)base)->sink;
  unsigned char *bytes = buffer;
  size_t done = 0;
  while (done < size) {
    const ssize_t n = pread(sink->fd, bytes + done, size - done, (off_t)(address + done));
    if (n == 0 || (n < 0 && errno != EINTR)) {
      break;
    }
    done += n > 0 ? (size_t)n : 0;
  }
  // behind the end of the file there are zeros
  memset(bytes + done, 0, size - done);
  overlay(sink->pieces, address, size, bytes);
  return 0;
}

/* Keeps what could not be written, since HDF5 may ask for it again; for rows it does not. */
static void keep_piece(cardan__hdf5_sink *sink, H5FD_mem_t type, haddr_t address, size_t size,
                       const void *buffer)
{
  cardan__hdf5_piece *piece = type != H5FD_MEM_DRAW ? malloc(sizeof *piece + size) : NULL;
  if (piece) {
    piece->next = sink->pieces;
    piece->address = address;
    piece->size = size;
    memcpy(piece->bytes, buffer, size);
    sink->pieces = piece;
  }
}

static herr_t sink_write(H5FD_t *base, H5FD_mem_t type, hid_t list, haddr_t address, size_t size,
                         const void *buffer)
{
  (void)list;
  sink_file *file = (sink_file *)base;
  cardan__hdf5_sink *sink = file->sink;
  if (!sink->error) {
    sink->error = cardan__write_all(sink->fd, buffer, size, (off_t)address);
  }
  if (sink->error) {
    keep_piece(sink, type, address, size, buffer);
  }
  file->eof = address + size > file->eof ? address + size : file->eof;
  return 0;
}

static herr_t sink_truncate(H5FD_t *base, hid_t list, hbool_t closing)
{
  (void)list;
  (void)closing;
  sink_file *file = (sink_file *)base;
  cardan__hdf5_sink *sink = file->sink;
  if (file->eof != file->eoa) {
    if (!sink->error && ftruncate(sink->fd, (off_t)file->eoa) != 0) {
      sink->error = errno;
    }
    file->eof = file->eoa;
  }
  return 0;
}

/* The lock is ours, and was taken with the file; HDF5 marks a file as being written if it may lock
 * it. */
static herr_t sink_lock(H5FD_t *base, hbool_t alone)
{
  (void)base;
  (void)alone;
  return 0;
}

static herr_t sink_unlock(H5FD_t *base)
{
  (void)base;
  return 0;
}

static const H5FD_class_t driver = {
    .name = "cardan_sink",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(sink_info),
    .open = sink_open,
    .close = sink_close,
    .query = sink_query,
    .get_eoa = sink_get_eoa,
    .set_eoa = sink_set_eoa,
    .get_eof = sink_get_eof,
    .read = sink_read,
    .write = sink_write,
    .truncate = sink_truncate,
    .lock = sink_lock,
    .unlock = sink_unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t cardan__hdf5_sink_create(cardan__hdf5_sink *sink, hid_t creation_list)
{
  const sink_info info = {sink};
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  hid_t file = H5I_INVALID_HID;
  sink->driver = H5FDregister(&driver);
  // the newest format has a check number in every header
  if (sink->driver >= 0 && H5Pset_driver(access, sink->driver, &info) >= 0 &&
      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
      H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0) {
    file = H5Fcreate("sink", H5F_ACC_TRUNC, creation_list, access);
  }
  H5Pclose(access);
  return file;
}

void cardan__hdf5_sink_free(cardan__hdf5_sink *sink)
{
  while (sink->pieces) {
    cardan__hdf5_piece *next = sink->pieces->next;
    free(sink->pieces);
    sink->pieces = next;
  }
  // not before: a file that holds the last of it gives it up in H5Fclose, and calls it after that
  if (sink->driver > 0) {
    H5FDunregister(sink->driver);
    sink->driver = 0;
  }
}
