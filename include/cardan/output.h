/* SPDX-License-Identifier: Apache-2.0
 * cardan/output.h - writes tables of motion, and reads results from which a run can be repeated.
 *
 *   cardan_table      rows of doubles under named columns: FILE.csv, FILE.h5, standard output
 *   cardan_table_sink, cardan_trace_sink   tables at the end of cardan_run
 *   cardan_result     reads an HDF5 table back, with the model text and the options that made it
 *
 * A file gets its name when it is complete and closed. Until then it is a partial file beside it,
 * FILE.partial.csv or FILE.partial.h5, and an older FILE is kept. A partial file can be read;
 * however the process ends, it has all rows but those of the last second (docs/results.md). A
 * partial file of another process is never overwritten: opening the table again fails, and the
 * message says what the file contains. Pipes and devices are written directly.
 *   CSV    one header line, names quoted according to RFC 4180 where necessary, numbers with 17
 *          significant digits and a decimal point in every locale, so that reading them is exact
 *   HDF5   datasets /table (rows x columns), /columns (names), /words, /words.2, .. (words that the
 *          numbers of a column mean), /model (text), /input (the table of inputs, if any); groups
 *          /options, /settings and /initial with one attribute for each entry; attributes /note and
 *          /given, if any. No time stamps, so the same run writes the same bytes
 * HDF5 is not thread-safe: only one thread of a program at a time may use .h5 files.
 * These calls allocate and wait for the disk; call them between steps. */
#pragma once
#include <stdint.h>

#include "cardan/run.h"
#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Description of a run, which an HDF5 file contains. Everything belongs to the caller. */
typedef struct {
  const char *model; // as the user named it: "pendulum:5", "arm.mbs"
  const char *text;  // the model text, length bytes
  size_t length;
  const cardan_options *options;
  int add;                       // CARDAN_ADD_..: requested columns
  int beside;                    // additional columns that were not requested: work, for pages
  const cardan_setting *setting; // values given for (define ..) constants
  int nsetting;
  const cardan_setting *initial; // start values given by column name, such as "q.theta"
  int ninitial;
  const char *input; // the table of inputs (cardan/signals.h), input_length bytes; NULL: none
  size_t input_length;
  bool input_linear;
  const char *note;  // how the options were chosen, a sentence; NULL: none
  const char *given; // of a sweep: names of options that override the text (cardan/sweep.h),
                     // separated by commas; NULL: none
} cardan_record;

/* Converts words for additional columns, such as "momentum,work", to flags CARDAN_ADD_..
 * returns CARDAN_ERR_ARGUMENT and a message for an unknown word */
CARDAN_API cardan_status cardan_add_read(const char *text, int *add,
                                         cardan_report *report) CARDAN_MUST_USE;

/* Writes a text as a file, whole or not at all; path "-" is the standard output.
 * returns CARDAN_ERR_IO, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_write_text(const char *path, const char *text, size_t length,
                                           const cardan_allocator *allocator,
                                           cardan_report *report) CARDAN_MUST_USE;

/* Checks whether a file can be written at path, by creating and removing a file of another name in
 * the same folder; a pipe or device is not opened. A file at the path is not changed.
 * returns CARDAN_ERR_IO and a sentence: no such folder, no permission, a folder of that name;
 *         CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_write_check(const char *path,
                                            cardan_report *report) CARDAN_MUST_USE;

typedef struct cardan_table cardan_table;

/* Opens a table. *out is NULL on failure.
 * path    FILE.csv, FILE.h5 or FILE.hdf5; "-" for CSV to the standard output; CSV is also written
 *         to pipes and devices of any name
 * column  ncolumn >= 1 names
 * record  for HDF5; NULL: not written, and the run cannot be repeated from the file
 * returns CARDAN_ERR_ARGUMENT for another ending, CARDAN_ERR_IO, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_table_open(const char *path, const char *const *column, int ncolumn,
                                           const cardan_record *record,
                                           const cardan_allocator *allocator, cardan_table **out,
                                           cardan_report *report) CARDAN_MUST_USE;

/* Declares, before the first row, that the numbers of a column are -status. CSV files have
 * cardan_status_word instead of the numbers; HDF5 files have the numbers, and dataset /words. */
CARDAN_API cardan_status cardan_table_statuses(cardan_table *table, int column,
                                               cardan_report *report) CARDAN_MUST_USE;

/* Appends one row of ncolumn numbers. Rows are buffered: a full disk may be reported some rows
 * later. After a failure only cardan_table_close may be called. */
CARDAN_API cardan_status cardan_table_row(cardan_table *table, const double *row,
                                          cardan_report *report) CARDAN_MUST_USE;

CARDAN_API int64_t cardan_table_rows(const cardan_table *table); // so far

/* Writes a snapshot of the run (cardan_sim_snapshot_save) after the rows so far, and flushes. It
 * replaces the snapshot before; however the process ends, the file has one of the two, with all
 * rows before it. The complete file has the snapshot only if no row follows it. CSV files have
 * none.
 * step   number of steps taken;  state  size bytes, which are copied */
CARDAN_API cardan_status cardan_table_snapshot(cardan_table *table, int64_t step, const void *state,
                                               size_t size, cardan_report *report) CARDAN_MUST_USE;

/* Writes the remaining rows and gives the file its name (keep), or removes it. The table is
 * destroyed in both cases. If keeping fails, the rows on the disk remain in the partial file, and
 * an older file of the name is not changed. A partial file that cardan_table_continue continued is
 * never removed. NULL is fine. */
CARDAN_API cardan_status cardan_table_close(cardan_table *table, bool keep,
                                            cardan_report *report) CARDAN_MUST_USE;

/* Opens a table for a sim's motion, with the columns of cardan_sim_columns(sim, record->add |
 * record->beside). Otherwise as cardan_table_open. */
CARDAN_API cardan_status cardan_table_of_sim(const char *path, const cardan_sim *sim,
                                             const cardan_record *record,
                                             const cardan_allocator *allocator, cardan_table **out,
                                             cardan_report *report) CARDAN_MUST_USE;
/* Sink for cardan_run that writes rows to the table; add: add | beside of the record. The caller
 * closes the table after the run. */
CARDAN_API cardan_sink cardan_table_sink(cardan_table *table, int add);

/* Opens a table for the residuals of a root finder (cardan_sim_trace), with columns step, t at its
 * beginning, evaluation, residual. CSV unless the name ends in .h5; otherwise as
 * cardan_table_open. */
CARDAN_API cardan_status cardan_trace_open(const char *path, const cardan_allocator *allocator,
                                           cardan_table **out,
                                           cardan_report *report) CARDAN_MUST_USE;
/* One row for each evaluation of every step of cardan_run, a failed last one included. */
CARDAN_API cardan_sink cardan_trace_sink(cardan_table *trace);

/* An HDF5 result. The strings and arrays belong to it. */
typedef struct {
  char *model, *text, *version; // version: of the library that wrote it
  int format;                   // version of the file layout; 1: of releases without checksums
  size_t length;                // of text
  cardan_options options;       // all options at the start of the run
  int add, beside;              // as in cardan_record; its rows have add | beside
  cardan_setting *setting, *initial;
  int nsetting, ninitial;
  char *input; // the table of inputs; NULL: none
  size_t input_length;
  bool input_linear;
  char *note;          // how the options were chosen; NULL: none
  const char *assumed; // options that the file was written before, and what they are taken as, a
                       // sentence; NULL: the file has them all
  char *given;         // as in cardan_record; NULL: none
  char *plan;          // of a sweep (cardan/sweep.h), plan_length bytes; NULL: not a sweep
  size_t plan_length;
  char **column;
  int ncolumn;
  int64_t nrow;
  bool complete; // false: the table was not closed: its run is not finished or was interrupted
  void *state;   // snapshot (cardan_sim_snapshot_load), state_size bytes, after state_row rows and
  size_t state_size; // state_step steps; NULL: none
  int64_t state_row, state_step;
  struct cardan_result_file *file;
} cardan_result;

/* Returns whether column k was requested; columns of `beside` were not. */
CARDAN_API bool cardan_result_was_requested(const cardan_result *result, int k);

/* Returns whether the file is an HDF5 file, whatever its name; false also if it cannot be read. */
CARDAN_API bool cardan_is_result(const char *path);

/* Opens a result: reads everything except the rows; the file stays open for these.
 * returns CARDAN_ERR_IO for a file that cannot be read or was not written by cardan_table_open with
 *         a record, CARDAN_ERR_MEMORY; *out is then NULL */
CARDAN_API cardan_status cardan_result_open(const char *path, const cardan_allocator *allocator,
                                            cardan_result **out,
                                            cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_result_close(cardan_result *result); // NULL is fine

/* Rows first .. first + count - 1 of the table: count x ncolumn numbers, out. */
CARDAN_API cardan_status cardan_result_rows(cardan_result *result, int64_t first, int64_t count,
                                            double *rows, cardan_report *report) CARDAN_MUST_USE;

/* Continues a result: opens a table with the result's columns, its rows 0 .. nrow - 1, and its
 * snapshot if that is of row nrow. Further rows are appended as after cardan_table_open.
 * out     name of the complete file. If the result is its partial file, it is kept until the new
 *         file has the same rows. A file with this name is kept until the table is closed
 * record  as for cardan_table_open: the result's own, or with changes such as a longer time
 * nrow    0 .. result->nrow
 * returns CARDAN_ERR_IO, CARDAN_ERR_MEMORY; CARDAN_ERR_ARGUMENT for a name without .h5 */
CARDAN_API cardan_status cardan_table_continue(cardan_result *result, const char *out, int64_t nrow,
                                               const cardan_record *record,
                                               const cardan_allocator *allocator,
                                               cardan_table **table,
                                               cardan_report *report) CARDAN_MUST_USE;

/* Name of the complete file of a partial file: "r.partial.h5" gives "r.h5" in out, of size bytes.
 * returns false for a name that is not of a partial file, or too long; out is then "" */
CARDAN_API bool cardan_partial_target(const char *path, char *out, size_t size);

#ifdef __cplusplus
}
#endif
