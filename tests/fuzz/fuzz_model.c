// SPDX-License-Identifier: Apache-2.0
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "cardan/spec.h"

// Any bytes as a model text in the format of FUZZ_FILE's ending. What can be read can be written as
// .mbs, and what was written reads back to the same text; it can be written as URDF and as MJCF, or
// there is a sentence why not; a report has a sentence and, but for a lack of memory, a place.

static cardan_spec *read_text(const char *text, size_t size, const char *file,
                              cardan_report *report)
{
  cardan_spec *spec;
  *report = (cardan_report){0};
  const cardan_status status = cardan_spec_read(text, size, file, NULL, 0, NULL, &spec, report);
  if ((status == CARDAN_OK) != (spec != NULL) ||
      (status != CARDAN_OK && (report->message[0] == '\0' || report->pos.line < 1))) {
    abort();
  }
  return spec;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  cardan_report report;
  cardan_spec *spec = read_text((const char *)data, size, FUZZ_FILE, &report);
  char *text, *again;
  if (!spec) {
    return 0;
  }
  if (cardan_spec_write(spec, NULL, &text) != CARDAN_OK) {
    abort();
  }
  static const char *const others[] = {"fuzz.urdf", "fuzz.xml"};
  for (int i = 0; i < 2; i++) {
    if (cardan_spec_write_as(spec, others[i], &again, &report) == CARDAN_OK) {
      cardan_free_text(NULL, again);
    } else if (report.message[0] == '\0') {
      abort();
    }
  }
  cardan_spec *back = read_text(text, strlen(text), "fuzz.mbs", &report);
  if (!back || cardan_spec_write(back, NULL, &again) != CARDAN_OK || strcmp(text, again) != 0) {
    abort();
  }
  cardan_free_text(NULL, again);
  cardan_free_text(NULL, text);
  cardan_spec_destroy(back);
  cardan_spec_destroy(spec);
  return 0;
}
