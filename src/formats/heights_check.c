// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "formats/heights.h"
#include "spatial/height_field.h"

cardan_status cardan__heights_check(int64_t rows, int64_t columns, cardan_report *report)
{
  const bool good = rows >= 2 && columns >= 2 && rows <= CARDAN__FIELD_MOST &&
                    columns <= CARDAN__FIELD_MOST && rows * columns <= CARDAN__FIELD_MOST;
  return good ? CARDAN_OK
              : cardan_fail(report, CARDAN_ERR_SYNTAX, (cardan_pos){0, 0},
                            "found %lld rows and %lld columns of heights; expected at least 2 of "
                            "both and at most %d heights",
                            (long long)rows, (long long)columns, (int)CARDAN__FIELD_MOST);
}

void cardan__heights_place(const cardan_report *report, char *text, size_t size)
{
  text[0] = '\0';
  if (report->pos.line > 0) {
    snprintf(text, size, " in line %d, column %d", report->pos.line, report->pos.column);
  }
}
