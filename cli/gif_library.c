// SPDX-License-Identifier: Apache-2.0
#include "gif_library.h"

#include "cardan/lazy_library.h"
#include "gif.h"

cli_gif_calls cli_giflib;

cardan_status cli_gif_ready(cardan_report *report)
{
#define ENTRY(name) {#name, &cli_giflib.name##_at},
  static const cardan_lazy_library_symbol symbol[] = {CLI_GIF_CALLS(ENTRY)};
#undef ENTRY
  return cardan_lazy_library_load(CARDAN_GIF_LIBRARY, symbol, sizeof symbol / sizeof symbol[0],
                                  report);
}
