/* SPDX-License-Identifier: Apache-2.0
 * formats/heights.h - the numbers of a height field from the bytes of a file.
 *
 * Numbers separated by commas (.csv, .txt), one row a line; grey levels (.png); and the binary file
 * of MuJoCo (.hfield, .bin): counts of rows and columns, then numbers of 32 bits. Files are
 * untrusted: counts are bounded, and checked against the bytes that there are. */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "cardan/base.h"

typedef struct {
  int rows, columns;
  double *height; // rows columns, as of cardan_height_field: the first row has the lowest y
} cardan__heights;

/* The numbers of a file, in the arena; its name's ending says what it is, case apart. The first row
 * of a text and of a picture is the one with the highest y, as on a map. A grey level is 0 for
 * black to 1 for white.
 * returns CARDAN_ERR_SYNTAX with a sentence (and, of a text, a place) in the report for bytes that
 *         are no such file, CARDAN_ERR_UNSUPPORTED for another ending, CARDAN_ERR_MEMORY */
cardan_status cardan__heights_read(const char *data, size_t size, const char *name,
                                   cardan__arena *arena, cardan__heights *heights,
                                   cardan_report *report) CARDAN_MUST_USE;

/* " in line 3, column 5" where the report has a place, else "". */
void cardan__heights_place(const cardan_report *report, char *text, size_t size);

/* Those of a picture (png.c): of all depths and kinds of PNG without interlacing, whose pixels are
 * grey. returns CARDAN_ERR_UNSUPPORTED too where zlib is not installed */
cardan_status cardan__png_read(const char *data, size_t size, cardan__arena *arena,
                               cardan__heights *heights, cardan_report *report) CARDAN_MUST_USE;

/* "found N rows and M columns; expected .." where these are too few or too many. */
cardan_status cardan__heights_check(int64_t rows, int64_t columns,
                                    cardan_report *report) CARDAN_MUST_USE;
