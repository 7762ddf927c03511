// SPDX-License-Identifier: Apache-2.0
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "formats/heights.h"

// Any bytes as heights, the first of them choosing the format: all that are read are finite, and a
// failure has a sentence.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"a.csv", "a.png", "a.hfield"};
  cardan_report report = {.message = ""};
  cardan__arena arena;
  cardan__heights h;
  if (size == 0) {
    return 0;
  }
  cardan__arena_init(&arena, NULL);
  const cardan_status status = cardan__heights_read((const char *)data + 1, size - 1,
                                                    names[data[0] % 3], &arena, &h, &report);
  if (status != CARDAN_OK && report.message[0] == '\0') {
    abort();
  }
  for (int k = 0; status == CARDAN_OK && k < h.rows * h.columns; k++) {
    if (!isfinite(h.height[k])) {
      abort();
    }
  }
  cardan__arena_free(&arena);
  return 0;
}
