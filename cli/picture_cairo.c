// SPDX-License-Identifier: Apache-2.0
#include "picture_cairo.h"

#include "cardan/lazy_library.h"

cli_cairo_calls cli_cairo;

cardan_status cli_cairo_load(cardan_report *report)
{
#define ENTRY(name) {#name, &cli_cairo.name##_at},
  static const cardan_lazy_library_symbol symbol[] = {CLI_CAIRO_CALLS(ENTRY)};
#undef ENTRY
  return cardan_lazy_library_load(CARDAN_CAIRO_LIBRARY, symbol, sizeof symbol / sizeof symbol[0],
                                  report);
}
