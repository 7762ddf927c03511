/* SPDX-License-Identifier: Apache-2.0
 * formats/signals_line.h - a table of inputs (cardan/signals.h) as straight lines. */
#pragma once
#include "cardan/signals.h"

/* Is it one of straight lines between its rows? */
bool cardan__signals_linear(const cardan_signals *signals);

/* The line that t lies on, of the inputs that have a column: u and rate (ninput, both in and out)
 * at *t0, until *until, HUGE_VAL behind the last row. near: a row that is no further behind t than
 * this is where it begins [s]. table: a cardan_signals */
void cardan__signals_line(const void *table, double t, double near, double *u, double *rate,
                          double *t0, double *until);
