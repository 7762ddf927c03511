// SPDX-License-Identifier: Apache-2.0
// Any bytes as a plan: what cannot be read has a sentence with its place, what can has finite
// values at its first, middle and last cases.
#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "sweep/plan.h"

static void check(bool condition)
{
  if (!condition) {
    abort();
  }
}

static void check_values(const cardan__plan *plan, int64_t i)
{
  double value[256];
  cardan__plan_values(plan, i, value);
  for (int k = 0; k < cardan__plan_nvaried(plan); k++) {
    const cardan__varied *v = cardan__plan_varied(plan, k);
    check(isfinite(value[k]));
    check(v->nword == 0 || (value[k] >= 0 && value[k] < v->nword && v->word[(int)value[k]]));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  cardan_report report = {.message = ""};
  cardan__plan *plan;
  if (cardan__plan_read((const char *)data, size, "fuzz", NULL, &plan, &report) != CARDAN_OK) {
    check(plan == NULL && report.message[0] != '\0' && report.pos.line > 0 &&
          report.pos.column > 0);
    return 0;
  }
  const int64_t n = cardan__plan_count(plan);
  check(n > 0 && n <= (int64_t)1 << 53 && cardan__plan_nvaried(plan) <= 256);
  check_values(plan, 0);
  check_values(plan, n / 2);
  check_values(plan, n - 1);
  for (int k = 0; k < cardan__plan_ncollect(plan); k++) {
    const cardan__collect *c = cardan__plan_collect(plan, k);
    check(c->column != NULL && (c->source != NULL) == (c->kind < CARDAN__COLLECT_DRIFT));
  }
  cardan__plan_destroy(plan);
  return 0;
}
