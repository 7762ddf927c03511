/* SPDX-License-Identifier: Apache-2.0
 * cardan/output.h - tables of motion as files, and results that can be run again.
 *
 *   cardan_table      rows of doubles under named columns: FILE.csv, FILE.h5, standard output
 *   cardan_table_sink, cardan_trace_sink   tables at the end of cardan_run
 *   cardan_result     reads an HDF5 table back, with the model text and the options that made it
 *
 * A file appears under its name when it is closed and kept, whole; until then it is beside it as
 * FILE.partial.csv, FILE.partial.h5, and what was there before stays. The file under way can be
 * read, and holds all but the rows of the last second, whatever ends the process (docs/results.md).
 * One that a process left behind is never written over: opening the table again is refused, and
 * says what it holds. Pipes and devices are written directly.
 * CSV: one header line, names quoted as RFC 4180 has it where they need it, numbers with 17
 * significant digits and a decimal point in every locale, so that reading them back is exact.
 * HDF5: dataset /table (rows x columns), /columns (their names), /words, /words.2 .. (of columns
 * that stand for words), /model (text), /input (the table
 * of inputs, where there was one), groups /options, /settings and /initial with one attribute for
 * each entry, /note and /given as attributes where there is one; no time stamps, so that the same
 * run gives the same bytes. HDF5 is not thread-safe: one thread of a program at a time for .h5
 * files.
 * These calls allocate and wait for the disk; call them between steps. */
#pragma once
#include <stdint.h>

#include "cardan/run.h"
#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a run was; an HDF5 file keeps it. Everything belongs to the caller. */
typedef struct {
  const char *model; // as the user named it: "pendulum:5", "arm.mbs"
  const char *text;  // the model text, length bytes
  size_t length;
  const cardan_options *options;
  int add;                       // CARDAN_ADD_..: requested columns
  int beside;                    // and those that rows have beside them: work, for pages
  const cardan_setting *setting; // values given for (define ..) constants
  int nsetting;
  const cardan_setting *initial; // start values given by column name, such as "q.theta"
  int ninitial;
  const char *input; // the table of inputs (cardan/signals.h), input_length bytes; NULL: none
  size_t input_length;
  bool input_linear;
  const char *note;  // how the options came about, a sentence; NULL: none
  const char *given; // of a sweep: names of options that do not follow the text (cardan/sweep.h),
                     // with commas between; NULL: none
} cardan_record;

/* The columns beyond the usual ones from words to flags: "momentum,work" and CARDAN_ADD_..
 * returns CARDAN_ERR_ARGUMENT and a message for a word that is none of them */
CARDAN_API cardan_status cardan_add_read(const char *text, int *add,
                                         cardan_report *report) CARDAN_MUST_USE;

/* Writes a text as a file, whole or not at all; path "-" is the standard output.
 * returns CARDAN_ERR_IO, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_write_text(const char *path, const char *text, size_t length,
                                           const cardan_allocator *allocator,
                                           cardan_report *report) CARDAN_MUST_USE;

/* Could a file be written there? Finds out by one of another name beside it, which it removes; a
 * pipe or device is not opened. What is at the path stays as it is.
 * returns CARDAN_ERR_IO and a sentence: no such folder, no permission, a folder of that name;
 *         CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_write_check(const char *path,
                                            cardan_report *report) CARDAN_MUST_USE;

typedef struct cardan_table cardan_table;

/* Opens a table. *out is NULL on failure.
 * path    FILE.csv, FILE.h5 or FILE.hdf5; "-" for CSV to the standard output; a pipe or device of
 *         any name takes CSV
 * column  ncolumn >= 1 names
 * record  for HDF5; NULL: none is kept, and the result cannot be run again
 * returns CARDAN_ERR_ARGUMENT for another ending, CARDAN_ERR_IO, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_table_open(const char *path, const char *const *column, int ncolumn,
                                           const cardan_record *record,
                                           const cardan_allocator *allocator, cardan_table **out,
                                           cardan_report *report) CARDAN_MUST_USE;

/* Before the first row: the numbers of a column are -status, how something ended. CSV has
 * cardan_status_word in their place; HDF5 has the numbers, and the words as the dataset /words. */
CARDAN_API cardan_status cardan_table_statuses(cardan_table *table, int column,
                                               cardan_report *report) CARDAN_MUST_USE;

/* Appends one row of ncolumn numbers. Rows are gathered and written in larger pieces: a full disk
 * may show up some rows later. After a failure only cardan_table_close is of use. */
CARDAN_API cardan_status cardan_table_row(cardan_table *table, const double *row,
                                          cardan_report *report) CARDAN_MUST_USE;

CARDAN_API int64_t cardan_table_rows(const cardan_table *table); // so far

/* Keeps a state of the run (cardan_sim_snapshot_save), after the rows so far, and flushes; the one
 * before is replaced: whatever ends the process leaves one of the two, with all rows that are
 * before it. The finished file has the state if no row came after it. CSV keeps none.
 * step   how many were taken;  state  size bytes, which are copied */
CARDAN_API cardan_status cardan_table_snapshot(cardan_table *table, int64_t step, const void *state,
                                               size_t size, cardan_report *report) CARDAN_MUST_USE;

/* Writes the remaining rows and gives the file its name (keep), or removes it. The table is
 * destroyed either way; when keeping fails, rows that are on the disk stay in the file under way,
 * and an older file of the name is as it was. The file under way that cardan_table_continue went on
 * with is never removed, but left as it is. NULL is fine. */
CARDAN_API cardan_status cardan_table_close(cardan_table *table, bool keep,
                                            cardan_report *report) CARDAN_MUST_USE;

/* Opens the table of a sim's motion: columns of cardan_sim_columns(sim, record->add |
 * record->beside). Otherwise as cardan_table_open. */
CARDAN_API cardan_status cardan_table_of_sim(const char *path, const cardan_sim *sim,
                                             const cardan_record *record,
                                             const cardan_allocator *allocator, cardan_table **out,
                                             cardan_report *report) CARDAN_MUST_USE;
/* Its rows from cardan_run; add: add | beside of the record. The table is closed by its owner,
 * after the run. */
CARDAN_API cardan_sink cardan_table_sink(cardan_table *table, int add);

/* Opens a table for the residuals of a root finder (cardan_sim_trace): step, t at its beginning,
 * evaluation, residual. CSV unless the name ends in .h5; otherwise as cardan_table_open. */
CARDAN_API cardan_status cardan_trace_open(const char *path, const cardan_allocator *allocator,
                                           cardan_table **out,
                                           cardan_report *report) CARDAN_MUST_USE;
/* One row for each evaluation of every step of cardan_run, a failed last one included. */
CARDAN_API cardan_sink cardan_trace_sink(cardan_table *trace);

/* An HDF5 result read back. The strings and arrays belong to it. */
typedef struct {
  char *model, *text, *version; // version: of the library that wrote it
  int format;             // layout of the file; 1: of releases before there were check numbers
  size_t length;          // of text
  cardan_options options; // all of them, as they were when the run began
  int add, beside;        // as of a record; its rows have add | beside
  cardan_setting *setting, *initial;
  int nsetting, ninitial;
  char *input; // the table of inputs; NULL: none
  size_t input_length;
  bool input_linear;
  char *note;  // how the options came about; NULL: it says nothing of it
  char *given; // as of a record; NULL: none
  char *plan;  // of a sweep (cardan/sweep.h), plan_length bytes; NULL: it is none
  size_t plan_length;
  char **column;
  int ncolumn;
  int64_t nrow;
  bool complete; // false: the table was not closed, its run is under way or was cut off
  void *state; // of the run (cardan_sim_snapshot_load), state_size bytes, after state_row rows and
  size_t state_size; // state_step steps; NULL: it has none
  int64_t state_row, state_step;
  struct cardan_result_file *file;
} cardan_result;

/* Was column k requested? Those of `beside` were not. */
CARDAN_API bool cardan_result_asked(const cardan_result *result, int k);

/* Is it an HDF5 file, whatever its name? false also when it cannot be read. */
CARDAN_API bool cardan_is_result(const char *path);

/* Reads everything but the rows; the file stays open for those.
 * returns CARDAN_ERR_IO for a file that cannot be read or was not written by cardan_table_open with
 *         a record, CARDAN_ERR_MEMORY; *out is then NULL */
CARDAN_API cardan_status cardan_result_open(const char *path, const cardan_allocator *allocator,
                                            cardan_result **out,
                                            cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_result_close(cardan_result *result); // NULL is fine

/* Rows first .. first + count - 1 of the table: count x ncolumn numbers, out. */
CARDAN_API cardan_status cardan_result_rows(cardan_result *result, int64_t first, int64_t count,
                                            double *rows, cardan_report *report) CARDAN_MUST_USE;

/* Continues a result: opens the table that `out` is to be, with rows 0 .. nrow - 1 of the
 * result, its columns, and its state if that is of row nrow. Rows then follow as after
 * cardan_table_open.
 * out     the name at the end; where result is the file under way of it, it stays until the new one
 *         has its rows. The file that is there under the name stays until the table is closed.
 * record  as of cardan_table_open: the result's own, or with what changed, such as a longer time
 * nrow    0 .. result->nrow
 * returns CARDAN_ERR_IO, CARDAN_ERR_MEMORY; CARDAN_ERR_ARGUMENT for a name that is no .h5 */
CARDAN_API cardan_status cardan_table_continue(cardan_result *result, const char *out, int64_t nrow,
                                               const cardan_record *record,
                                               const cardan_allocator *allocator,
                                               cardan_table **table,
                                               cardan_report *report) CARDAN_MUST_USE;

/* The name that a file under way will have: "r.partial.h5" becomes "r.h5" in out, of size bytes.
 * returns false for a name that is not of that kind, or too long; out is then "" */
CARDAN_API bool cardan_partial_target(const char *path, char *out, size_t size);

#ifdef __cplusplus
}
#endif
