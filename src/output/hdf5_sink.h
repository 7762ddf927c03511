/* SPDX-License-Identifier: Apache-2.0
 * output/hdf5_sink.h - where HDF5 files are written to: a file that never fails.
 *
 * HDF5 does not survive a failed write: the file can then be neither finished nor given up, and the
 * process crashes when it ends. So the library writes through a driver of ours, which notes the
 * first failure, says that all is well, and keeps what follows in memory until the file is closed.
 * The writer checks `error` after each call. From the first failure on nothing is written: the file
 * is then as a process would leave it that ended at that moment. */
#pragma once
#include "output/hdf5_lazy.h"

#include "cardan/base.h"

typedef struct cardan__hdf5_piece cardan__hdf5_piece;

typedef struct {
  int fd;                     // open for reading and writing, empty
  int error;                  // errno of the first failure, 0: none
  cardan__hdf5_piece *pieces; // what could not be written, newest first
  hid_t driver;               // as HDF5 knows it; 0 at first
} cardan__hdf5_sink;

/* Creates an HDF5 file on sink->fd. The sink must outlive it.
 * returns the file's id, negative on failure */
hid_t cardan__hdf5_sink_create(cardan__hdf5_sink *sink, hid_t creation_list);

/* Gives back the driver, and what failed writes left in memory; after the file is closed. */
void cardan__hdf5_sink_free(cardan__hdf5_sink *sink);
