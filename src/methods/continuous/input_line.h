/* SPDX-License-Identifier: Apache-2.0
 * methods/continuous/input_line.h - inputs that follow a table of straight lines, for integrators
 * that choose their own steps.
 *
 * A step of dt holds the mean of an input: to an integrator that goes beyond rows and keeps a
 * history every row of the motion would be a jump. Here inputs are those of the time that is
 * evaluated, u(t) = u0 + (t - t0) rate, and a jump, if only of the rate, is where the table has a
 * row: no step passes it, and the integrator starts again from there. */
#pragma once
#include "base/spans.h"
#include "methods/method.h"

typedef struct {
  const cardan__input_lines *lines; // NULL: inputs are held
  int n;                            // inputs
  double t0, until;                 // of the line under way
  double *u, *rate;                 // n each: at t0, and per second
  double *next_u, *next_rate;       // n each: work
} cardan__input_line;

/* How many doubles it needs, and to memory (so many). */
size_t cardan__input_line_size(const cardan_model *model);
void cardan__input_line_place(cardan__input_line *line, const cardan_model *model, double *memory);

/* The line that t lies on; u: values (n) of inputs without a column. near: rows closer than this
 * are at t [s]. returns whether it is another one than before */
bool cardan__input_line_take(cardan__input_line *line, double t, double near, const double *u);

/* u (n, out) at t. */
void cardan__input_line_at(const cardan__input_line *line, double t, double *u);

void cardan__input_line_spans(cardan__input_line *line, cardan__spans *list);
