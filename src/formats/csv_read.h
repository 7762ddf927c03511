/* SPDX-License-Identifier: Apache-2.0
 * formats/csv_read.h - the fields of a CSV text, one after the other, with places for messages.
 *
 * Lines end in a newline, with or without a carriage return; blanks around fields do not count; a
 * name may be in double quotes. What goes wrong is CARDAN_ERR_SYNTAX at its line and column. */
#pragma once
#include "cardan/base.h"

typedef struct {
  const char *text, *end; // what remains
  cardan_pos pos;         // where that stands
  cardan_report *report;
} cardan__csv;

/* A field without the blanks around it. */
typedef struct {
  const char *text;
  size_t length;
  cardan_pos pos;
} cardan__csv_part;

/* At the first field of a text, behind a byte order mark. */
cardan__csv cardan__csv_begin(const char *text, size_t length, cardan_report *report);

/* "found WHAT "part"; expected .."; part NULL: none. At the reader's place. */
cardan_status cardan__csv_wrong(const cardan__csv *r, const char *what,
                                const cardan__csv_part *part, const char *expected);

bool cardan__csv_line_end(const cardan__csv *r);

/* Passes over the line's end; false when the text ends there. */
bool cardan__csv_next_line(cardan__csv *r);

/* Passes over n bytes of a line, such as the comma between two fields. */
void cardan__csv_pass(cardan__csv *r, size_t n);

/* The field there; the reader goes behind it, to a comma or the line's end. A quoted one is given
 * as it is between its quotes. */
cardan_status cardan__csv_take(cardan__csv *r, cardan__csv_part *out) CARDAN_MUST_USE;

/* The same for a finite number. */
cardan_status cardan__csv_number(cardan__csv *r, double *value) CARDAN_MUST_USE;

/* The next number of a row: field k of n, the comma before it passed over. */
cardan_status cardan__csv_next(cardan__csv *r, int k, int n, double *value) CARDAN_MUST_USE;

/* Is the row of n fields at its end? */
cardan_status cardan__csv_row_end(const cardan__csv *r, int n) CARDAN_MUST_USE;

/* Lines from here on: no more rows than that. */
size_t cardan__csv_lines(const cardan__csv *r);
