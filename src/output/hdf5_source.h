/* SPDX-License-Identifier: Apache-2.0
 * output/hdf5_source.h - where HDF5 files are read from: one open file, and nothing else.
 *
 * HDF5 opens files by name. Reading through a driver of ours it needs no name, so that a process
 * that may open nothing can still read (output/sandbox.h), and never gets bytes that the file does
 * not have. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "output/hdf5_lazy.h"

typedef struct {
  int fd;        // open for reading; stays the caller's
  uint64_t size; // of the file [bytes]
  bool growing;  // another process may be writing it: behind its end are zeros
  hid_t driver;  // as HDF5 knows it; 0 at first
} cardan__hdf5_source;

/* Opens the file for reading. The source must outlive it. returns its id, negative on failure */
hid_t cardan__hdf5_source_open(cardan__hdf5_source *source);

/* Bytes that there are by now. */
uint64_t cardan__hdf5_source_size(const cardan__hdf5_source *source);
