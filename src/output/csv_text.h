/* SPDX-License-Identifier: Apache-2.0
 * output/csv_text.h - pieces of CSV in a text: names as RFC 4180 has them, numbers that read back
 * exactly. */
#pragma once
#include "base/text.h"

/* prefix and name as one field, quoted where it needs it. */
void cardan__csv_name(cardan__text *text, const char *prefix, const char *name);

/* n numbers with 17 digits, a comma before each. */
void cardan__csv_numbers(cardan__text *text, const double *x, int n);
