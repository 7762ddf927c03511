/* SPDX-License-Identifier: Apache-2.0
 * output/hdf5_table.h - an HDF5 file under construction: its table, and what a sweep adds to it. */
#pragma once
#include "output/hdf5_put.h"
#include "output/hdf5_sink.h"
#include "output/hdf5_state.h"
#include "output/result_table.h"

/* Sentences of cases, gathered some at a time. */
typedef struct {
  hid_t text, number; // datasets, of n each
  size_t size;        // of a sentence, NUL included
  int64_t n, written;
  int gathered;
  char *buffer; // for some, each of `size`
  double *case_number;
} cardan__hdf5_messages;

typedef struct {
  cardan_table table;
  cardan__hdf5_sink sink;
  hid_t id;
  bool no_memory; // of ours
  cardan__hdf5_rows rows;
  bool growing;        // readers can follow it (HDF5's SWMR): nothing but rows is added
  int64_t flushed;     // rows that can be read, whatever comes
  cardan__state state; // of the run, a copy; size 0: none
  char *state_name;    // where it is kept while rows come; NULL: nowhere
  cardan__hdf5_messages messages;
  hid_t kept_group; // /kept/N, while its rows are added
  cardan__hdf5_rows kept;
} cardan__hdf5_table;

/* CARDAN_OK if HDF5 reported success (good) and the disk took it. */
cardan_status cardan__hdf5_judge(const cardan__hdf5_table *h, bool good,
                                 cardan_report *report) CARDAN_MUST_USE;

/* A row of one of the tables of the file. */
cardan_status cardan__hdf5_add_row(cardan__hdf5_table *h, cardan__hdf5_rows *rows,
                                   const double *row, cardan_report *report) CARDAN_MUST_USE;

/* Writes what is gathered (keep), and closes them where they were opened. */
bool cardan__hdf5_messages_close(cardan__hdf5_table *h, bool keep);

/* Of a file under way that is there: rows, the time of the last one, and how to continue
 * (output/table_continue.c). */
bool cardan__hdf5_worth(const char *name, int fd, char *what, size_t size);
