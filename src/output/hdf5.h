/* SPDX-License-Identifier: Apache-2.0
 * output/hdf5.h - what writing and reading HDF5 share.
 *
 * Layout of a result file:
 *   /table     rows x columns, doubles, chunked      /columns   names of the columns
 *   /words     what numbers of a column stand for, its index as attribute: where there is one;
 *              of further columns /words.2, /words.3 ..
 *   /model     the model text                        attributes of /: version, model, add
 *   /input     the table of inputs, if there is one  and then input-mode
 *   /options /settings /initial   groups with one attribute for each entry: options as the texts of
 *                                 the command line, the others as doubles
 *   /state     of the run after its last row (output/hdf5_state.h); empty where none was kept
 * Rows are written for concurrent readers (SWMR), in the newest format, with fletcher32; datasets
 * of texts have their check number as attribute `check` (docs/results.md).
 * Of a sweep (output/hdf5_sweep.h) in addition:
 *   /plan      its text
 *   /messages  why cases failed, strings; /message_cases their numbers: where any did
 *   /kept/17   a group, of motions that are kept: table and columns as above */
#pragma once
#include "cardan/base.h"
#include "output/hdf5_lazy.h"

/* The newest layout of a result that is known here, its attribute `format`. 1: files of releases
 * before there was a number, in HDF5's format without check numbers. */
enum { CARDAN__RESULT_FORMAT = 2 };

/* HDF5 prints its errors by default, a setting of the whole program: switched off at the start of
 * each call and restored at its end. */
typedef struct {
  H5E_auto2_t function;
  void *data;
} cardan__hdf5_voice;

void cardan__hdf5_silence_errors(cardan__hdf5_voice *voice);
void cardan__hdf5_restore(const cardan__hdf5_voice *voice);

/* Why the last HDF5 call failed, in the system's words where they are known, cut to size. */
void cardan__hdf5_why(char *text, size_t size);

/* A string type for texts of `size` bytes, NUL included; to be closed with H5Tclose. */
hid_t cardan__hdf5_string(size_t size);
