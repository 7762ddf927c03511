// SPDX-License-Identifier: Apache-2.0
#include "output/csv_text.h"

#include <string.h>

static void add_quoted(cardan__text *text, const char *name)
{
  for (const char *c = name; *c; c++) {
    cardan__text_add(text, "\"\"", *c == '"' ? 2 : 0);
    cardan__text_add(text, c, *c == '"' ? 0 : 1);
  }
}

void cardan__csv_name(cardan__text *text, const char *prefix, const char *name)
{
  static const char special[] = ",;\"\r\n\t ";
  const bool quoted = strpbrk(prefix, special) != NULL || strpbrk(name, special) != NULL;
  cardan__text_add(text, "\"", quoted ? 1 : 0);
  add_quoted(text, prefix);
  add_quoted(text, name);
  cardan__text_add(text, "\"", quoted ? 1 : 0);
}

void cardan__csv_numbers(cardan__text *text, const double *x, int n)
{
  for (int k = 0; k < n; k++) {
    char number[CARDAN__NUMBER_SIZE];
    const size_t length = cardan__format_number(number, x[k], 17);
    cardan__text_add(text, ",", 1);
    cardan__text_add(text, number, length);
  }
}
