/* SPDX-License-Identifier: Apache-2.0
 * output/result_table.h - the kinds of tables behind cardan_table. A new kind is one file and one
 * row of the list in result_table.c. */
#pragma once
#include "base/text.h"
#include "cardan/output.h"
#include "output/file.h"

/* create   the table's memory, and the header on file, which it takes over only on success
 * words    takes note of the last of table->words, before the first row; NULL: nothing to do
 * row      one row
 * flush    what is there is on file, and can be read
 * state    keeps a state of the run, and flushes; NULL: it has no place for one
 * worth    is what lies in a file under way, fd, under that name, worth keeping? then what it is
 * rescue   after a failed write, before finish: what there is becomes readable; nrow is then the
 *          number of rows that are. returns false when there is none
 * finish   writes what remains (keep); closes whatever is not the file itself, also after a failure
 * free     the memory; the file is closed by then */
typedef struct {
  cardan_status (*create)(const cardan__file *file, const char *const *column, int ncolumn,
                          const cardan_record *record, cardan_table **out, cardan_report *report);
  cardan_status (*words)(cardan_table *table, cardan_report *report);
  cardan_status (*row)(cardan_table *table, const double *row, cardan_report *report);
  cardan_status (*flush)(cardan_table *table, cardan_report *report);
  cardan_status (*state)(cardan_table *table, int64_t step, const void *state, size_t size,
                         cardan_report *report);
  bool (*worth)(const char *name, int fd, char *what, size_t size);
  bool (*rescue)(cardan_table *table);
  cardan_status (*finish)(cardan_table *table, bool keep, cardan_report *report);
  void (*free)(cardan_table *table);
} cardan__table_kind;

/* What numbers of a column stand for. */
typedef struct {
  int column, n;
  const char *const *word; // n
} cardan__table_words;

/* Each kind's struct begins with this. */
struct cardan_table {
  const cardan__table_kind *kind;
  cardan__file file;
  int ncolumn;
  int64_t nrow;
  cardan__table_words *words; // nwords: of columns whose numbers are no numbers
  int nwords, words_capacity;
  bool failed;  // a write failed
  bool adopted; // it took the place of a file under way that was there: never to be removed
  bool rescued; // and the file has rows nevertheless
  int64_t flushed_rows;
  double begun, flushed; // when the first row came, and the last flush [s]
};

extern const cardan__table_kind cardan__table_csv, cardan__table_hdf5;

/* The kind that the ending of a name says; NULL: none. */
const cardan__table_kind *cardan__table_kind_of(const char *path);

/* Appends a field of a CSV text, in quotes where readers would split it or strip its spaces. */
void cardan__csv_field(cardan__text *text, const char *field);

/* cardan_table_open, with a kind for names of other endings; NULL: they are refused. */
cardan_status cardan__table_open(const char *path, cardan__file_way way,
                                 const cardan__table_kind *other, const char *const *column,
                                 int ncolumn, const cardan_record *record,
                                 const cardan_allocator *allocator, cardan_table **out,
                                 cardan_report *report) CARDAN_MUST_USE;

/* CARDAN_ADD_.. of the columns that rows have beside those of add. */
int cardan__add_beside(int add, char *const *column, int n);

/* The flags of columns as words, what cardan_add_read reads: text of at least CARDAN__ADD_SIZE
 * bytes. */
enum { CARDAN__ADD_SIZE = 64 };
void cardan__add_write(int add, char *text);

/* Before the first row: the numbers of a column are 0 .. n - 1, and stand for words. CSV has the
 * words in their place; HDF5 has the numbers, and the words as the dataset /words, with the index
 * of the column as its attribute; of a second column /words.2, and so on. word: n words, which must
 * outlive the table.
 * returns CARDAN_ERR_IO, CARDAN_ERR_MEMORY */
cardan_status cardan__table_set_words(cardan_table *table, int column, const char *const *word,
                                      int n, cardan_report *report) CARDAN_MUST_USE;

/* All rows so far are in the file under way and can be read, whatever comes. About once a second it
 * is done by cardan_table_row itself. */
cardan_status cardan__table_flush(cardan_table *table, cardan_report *report) CARDAN_MUST_USE;
