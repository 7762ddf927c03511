/* SPDX-License-Identifier: Apache-2.0
 * output/hdf5_put.h - pieces of an HDF5 file under construction: each is written in one call that
 * says whether HDF5 took it, without time stamps, so that the same contents give the same bytes. */
#pragma once
#include <stdint.h>

#include "cardan/base.h"
#include "output/hdf5.h"

/* Closes an id that may be none; a failure to close it counts. */
bool cardan__hdf5_drop(hid_t id, herr_t (*close)(hid_t id));

/* A creation list without time stamps; attributes of a group or file are in its header. */
hid_t cardan__hdf5_creation(hid_t kind);

/* A group of that name. */
hid_t cardan__hdf5_group(hid_t at, const char *name);

/* An attribute of one value, of one text. */
bool cardan__hdf5_attribute(hid_t at, const char *name, hid_t type, const void *value);
bool cardan__hdf5_text(hid_t at, const char *name, const char *text);

/* Bytes as a dataset, with their check number (output/check.h) as attribute `check`, and its id to
 * close; invalid on failure. */
hid_t cardan__hdf5_bytes(hid_t at, const char *name, hid_t type, hid_t space, const void *value,
                         size_t size);

/* A dataset of one string, which may be long. */
bool cardan__hdf5_long_text(hid_t at, const char *name, const char *text, size_t length);

/* A dataset of n strings of fixed size, padded with NULs to the longest.
 * no_memory  set where that is why it failed */
bool cardan__hdf5_list(hid_t at, const char *name, const char *const *text, int n,
                       const cardan_allocator *alloc, bool *no_memory);

/* A dataset of rows that grows: they are gathered until a chunk of it is full and written as one
 * piece, with a check number (fletcher32). The library's own chunk cache is turned off: a full disk
 * then shows at once. A chunk has its place from the first of its rows on, so that the file does
 * not tell when it was settled. */
typedef struct {
  hid_t dataset;
  int ncolumn, capacity, gathered; // rows of buffer: of the chunk under way
  bool settled;                    // those gathered are in the file
  int64_t nrow;                    // all of them, those gathered too
  double *buffer;                  // capacity x ncolumn
} cardan__hdf5_rows;

/* As begun, or with dataset and buffer to be given back by close either way. */
bool cardan__hdf5_rows_open(cardan__hdf5_rows *rows, hid_t at, const char *name, int ncolumn,
                            const cardan_allocator *alloc, bool *no_memory);
/* Opens the dataset again, after it was closed. */
bool cardan__hdf5_rows_reopen(cardan__hdf5_rows *rows, hid_t at, const char *name);
bool cardan__hdf5_rows_add(cardan__hdf5_rows *rows, const double *row);
/* Will the next row ask HDF5 for something? */
bool cardan__hdf5_rows_full(const cardan__hdf5_rows *rows);
/* Writes what is gathered, of a chunk that continues to be filled. */
bool cardan__hdf5_rows_settle(cardan__hdf5_rows *rows);
/* keep: writes what is gathered first. Rows of zeros may be closed too. */
bool cardan__hdf5_rows_close(cardan__hdf5_rows *rows, bool keep, const cardan_allocator *alloc);
