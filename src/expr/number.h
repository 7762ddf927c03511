/* SPDX-License-Identifier: Apache-2.0
 * expr/number.h - decimal text to double, correctly rounded, whatever the locale.
 *
 * strtod follows the program's locale (a German one reads "0.5" as 0) and accepts hexadecimal,
 * "nan" and trailing text; a model file allows none of that. */
#pragma once
#include <stddef.h>

typedef enum {
  CARDAN__NUMBER_OK,
  CARDAN__NUMBER_MALFORMED, // the text as a whole is not a decimal number
  CARDAN__NUMBER_OVERFLOW   // a number, but larger than any double
} cardan__number_result;

/* Reads the whole of text as [sign] digits [. digits] [e [sign] digits], with at least one digit
 * before the exponent: "1e5", "-.5", "+3", "5." are numbers.
 * value   out: the nearest double, ties to even; too small a number is 0 of its sign. Written only
 *         with CARDAN__NUMBER_OK */
cardan__number_result cardan__number_read(const char *text, size_t length, double *value);
