/* SPDX-License-Identifier: Apache-2.0
 * output/hdf5_get.h - pieces of an HDF5 file that is read. The file may come from anywhere: every
 * shape, type and size is checked before it is used. */
#pragma once
#include "base/arena.h"
#include "cardan/output.h"
#include "output/hdf5.h"

/* What a result is read from. */
struct cardan_result_file {
  cardan_result result;
  cardan__arena arena; // of all that is read
  bool no_memory;
  hid_t id, table;
  uint64_t device, inode; // which file it is
};

typedef struct cardan_result_file cardan__result_file;

/* count * size zero bytes that live as long as the result; a failure is noted. */
void *cardan__hdf5_take(cardan__result_file *file, size_t count, size_t size);

/* A copy of length bytes of text with a NUL behind them. */
char *cardan__hdf5_copy(cardan__result_file *file, const char *text, size_t length);

/* A dataset or a group of that name; invalid when it is not there. What lies in another file, by a
 * link or by its data, is not opened, nor is a dataset of more numbers than the file can have. */
hid_t cardan__hdf5_get_data(hid_t at, const char *name);
hid_t cardan__hdf5_get_group(hid_t at, const char *name);

/* A text attribute; NULL when it is not there or is no text. */
char *cardan__hdf5_get_text(cardan__result_file *file, hid_t at, const char *name);

/* A dataset of strings: n of them, of *size bytes each, NULs included, one behind the other; NULL
 * when it is not there, or something else. */
char *cardan__hdf5_get_strings(cardan__result_file *file, hid_t at, const char *name, hssize_t *n,
                               size_t *size);

/* The same as n > 0 texts. */
char **cardan__hdf5_get_list(cardan__result_file *file, hid_t at, const char *name, int *n);

/* A dataset of rows x ncolumn numbers; invalid when it is not there, or something else. */
hid_t cardan__hdf5_get_table(hid_t at, const char *name, int ncolumn, int64_t *nrow);

/* Rows first .. first + count - 1 of it, count > 0. */
bool cardan__hdf5_get_rows(hid_t table, int64_t first, int64_t count, int ncolumn, double *rows);

/* How a file was left (output/hdf5_partial.c). */
typedef enum {
  CARDAN__HDF5_OTHER,   // it is no HDF5
  CARDAN__HDF5_EMPTY,   // none of its rows had come to the disk
  CARDAN__HDF5_GROWING, // rows under way, or of a process that was ended
  CARDAN__HDF5_CLOSED,
} cardan__hdf5_way;
cardan__hdf5_way cardan__hdf5_way_of(int fd);

/* The same by its path; notes which file it is, and whether the result is complete. */
cardan__hdf5_way cardan__hdf5_look(cardan__result_file *file, const char *path);

/* Are the bytes of a dataset those that were written? Datasets without attribute `check` have
 * nothing to say. */
bool cardan__hdf5_is_checked(hid_t data, const void *bytes, size_t size);

/* The state of the run, of a result whose table is known; of a table that was not closed, rows of a
 * last chunk that was half written are not counted. returns false when it is damaged */
bool cardan__hdf5_get_state(cardan__result_file *file, const char *path);
