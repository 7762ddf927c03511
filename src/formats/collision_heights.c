// SPDX-License-Identifier: Apache-2.0
#include "formats/collision.h"

bool cardan__collision_heights(cardan_spec *spec, const cardan__xml *at, const char *file,
                               cardan__heights *heights)
{
  cardan_report report = {.message = ""};
  char *data = NULL, line[48];
  size_t size = 0;
  cardan__xml_at(spec, at);
  if (!cardan__spec_try_open(spec, file, &data, &size)) {
    cardan__xml_note(spec, at, "the file \"%.100s\" of heights is not there, and touches nothing",
                     file);
    return false;
  }
  const cardan_status status =
      cardan__heights_read(data, size, file, &spec->arena, heights, &report);
  cardan__spec_close(spec, data);
  if (status == CARDAN_ERR_MEMORY) {
    return cardan__spec_memory(spec, status);
  }
  if (status != CARDAN_OK) {
    cardan__heights_place(&report, line, sizeof line);
    cardan__xml_note(spec, at, "the heights \"%.100s\" touch nothing%s: %s", file, line,
                     report.message);
  }
  return status == CARDAN_OK;
}
