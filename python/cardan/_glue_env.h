/* SPDX-License-Identifier: Apache-2.0
 * Copies of a model that are stepped together, each by a sim of its own: what environments for
 * learning stand on (cardan/env.py). Different copies may be worked on by different threads. */
#pragma once
#include "cardan/cardan.h"

typedef struct {
  cardan_sim *sim;
  cardan_status status; // how its last call went; after a failure it waits for a start
  cardan_report report;
  int64_t left; // steps of its action still to be taken
} cardan_py_copy;

typedef struct {
  int n, width;          // copies; numbers in a row: t, q, v, y
  int columns, y_column; // of cardan_sim_row, and the first column of the outputs
  cardan_py_copy *copy;  // n
  double *scratch;       // n x columns
} cardan_py_copies;

/* n copies, none of them started; *out is NULL on failure. */
cardan_status cardan_py_copies_create(const cardan_model *model, const cardan_options *options,
                                      int n, cardan_py_copies **out, cardan_report *report);
void cardan_py_copies_destroy(cardan_py_copies *copies); // NULL is fine

/* Copies from .. to - 1 of those whose entry of which is 1.
 * _start  starts again from its rows of q and v, with the model's own inputs
 * _act    an action of so many steps is to be taken by those, and by no others
 * _step   takes steps of it with its row of u held, about cardan_py_piece long; returns whether
 *         there are more, and is then to be called again
 * row     n x width, out: what the node is like; a copy that fails leaves its row as it was */
void cardan_py_copies_start(cardan_py_copies *copies, int from, int to, const unsigned char *which,
                            const double *q, const double *v, double *row);
void cardan_py_copies_act(cardan_py_copies *copies, const unsigned char *which, int64_t steps);
bool cardan_py_copies_step(cardan_py_copies *copies, int from, int to, int64_t steps,
                           const double *u, double *row);
