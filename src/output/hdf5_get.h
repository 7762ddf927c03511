/* SPDX-License-Identifier: Apache-2.0
 * output/hdf5_get.h - pieces of an HDF5 file that is read. The file may come from anywhere: every
 * shape, type and size is checked before it is used, and what the writer never writes is refused
 * by a sentence: links, data in other files, filters but HDF5's check numbers, types and names of
 * other kinds, more numbers than the file has bytes for. */
#pragma once
#include "base/arena.h"
#include "cardan/output.h"
#include "cardan/sweep_result.h"
#include "output/hdf5.h"
#include "output/hdf5_source.h"
#include "output/sandbox.h"

/* What a result is read from. */
struct cardan_result_file {
  cardan_result result;
  cardan__arena arena; // of all that is read
  bool no_memory;
  cardan__sandbox *apart; // the process that reads it; NULL: this one, by what follows
  cardan__hdf5_source source;
  hid_t id, table;
  char odd[200];                     // what no result has; "": nothing so far
  bool sentence;                     // odd is one, of something else
  char **option_name, **option_text; // noption
  int noption;
  char assumed[240];      // the sentence of result.assumed
  uint64_t device, inode; // which file it is
};

typedef struct cardan_result_file cardan__result_file;

/* Notes what no result has, printf style; the first is kept. returns false */
bool cardan__hdf5_odd(cardan__result_file *file, const char *format, ...) CARDAN_PRINTF(2, 3);

/* count * size zero bytes that live as long as the result; a failure is noted. */
void *cardan__hdf5_take(cardan__result_file *file, size_t count, size_t size);

/* A copy of length bytes of text with a NUL behind them. */
char *cardan__hdf5_copy(cardan__result_file *file, const char *text, size_t length);

/* Is there something of that name? */
bool cardan__hdf5_has(hid_t at, const char *name);

/* A dataset or a group of that name; invalid when it is not there, or one that no result has. Of a
 * group: nlink entries (-1: any number), and *nattribute attributes in its header (NULL: none). */
hid_t cardan__hdf5_get_data(cardan__result_file *file, hid_t at, const char *name);
hid_t cardan__hdf5_get_group(cardan__result_file *file, hid_t at, const char *name, int nlink,
                             int *nattribute);

/* Attributes of an object, all in its header; -1: no result has so many, or so. */
int cardan__hdf5_attributes(cardan__result_file *file, hid_t at, const char *name);

/* A text attribute; NULL when it is not there or is no text. */
char *cardan__hdf5_get_text(cardan__result_file *file, hid_t at, const char *name);

/* An attribute that is one number of `size` bytes; type: as it is in memory. returns false where it
 * is not there or something else */
bool cardan__hdf5_get_number(hid_t at, const char *name, H5T_class_t kind, size_t size, hid_t type,
                             void *value);

/* A dataset of strings: n of them, of *size bytes each, NULs included, one behind the other; NULL
 * when it is not there, or something else. */
char *cardan__hdf5_get_strings(cardan__result_file *file, hid_t at, const char *name, hssize_t *n,
                               size_t *size);

/* The same as n > 0 texts. */
char **cardan__hdf5_get_list(cardan__result_file *file, hid_t at, const char *name, int *n);

/* A dataset of rows x ncolumn numbers; invalid when it is not there, or something else. */
hid_t cardan__hdf5_get_table(cardan__result_file *file, hid_t at, const char *name, int ncolumn,
                             int64_t *nrow);

/* Rows first .. first + count - 1 of it, count > 0. */
bool cardan__hdf5_get_rows(hid_t table, int64_t first, int64_t count, int ncolumn, double *rows);

/* Are there two rows of zeros, where the first column ascends? A disk that lost a block gives zeros
 * for it, and of zeros HDF5's check number is 0. */
bool cardan__hdf5_is_hole(const char *first, const double *rows, int64_t count, int ncolumn);

/* How a file was left (output/hdf5_partial.c). */
typedef enum {
  CARDAN__HDF5_OTHER,   // it is no HDF5
  CARDAN__HDF5_EMPTY,   // none of its rows had come to the disk
  CARDAN__HDF5_GROWING, // rows under way, or of a process that was ended
  CARDAN__HDF5_CLOSED,
} cardan__hdf5_way;
cardan__hdf5_way cardan__hdf5_way_of(int fd);

/* Are the bytes of a dataset those that were written? Datasets without attribute `check` have
 * nothing to say. */
bool cardan__hdf5_is_checked(hid_t data, const void *bytes, size_t size);

/* The state of a run that ended, of a result whose table is known; and of one that did not, from
 * the file beside it: rows of a last chunk that was half written are then not counted.
 * returns false when it is damaged, or when there is no memory */
bool cardan__hdf5_get_state(cardan__result_file *file);
bool cardan__hdf5_get_state_beside(cardan__result_file *file, const char *path);

/* Everything but the rows, by HDF5 in this process, from file->source. returns NULL, or what is not
 * as it should be */
const char *cardan__hdf5_read(cardan__result_file *file);

/* What the file of a sweep has beyond that (output/hdf5_sweep_result.c), and one of its motions, in
 * the memory of `to`. */
bool cardan__hdf5_read_words(cardan__result_file *file, cardan_sweep_result *sweep_result);
const char *cardan__hdf5_read_sweep_result(cardan__result_file *file,
                                           cardan_sweep_result *sweep_result);
const char *cardan__hdf5_read_motion(cardan__result_file *file, int64_t number,
                                     cardan__result_file *to, cardan_sweep_result_rows *out);
