// SPDX-License-Identifier: Apache-2.0
#include "output/describe_error.h"

#include <inttypes.h>

#include "output/text_output.h"

enum { WHY = 400 }; // bytes of all doubts

cardan__estimate_names cardan__names_of_estimate(const cardan_model *model,
                                                 const cardan_error_estimate *error)
{
  const int k = error->coordinate;
  if (k < 0 || k >= model->nv || error->samples == 0) {
    return (cardan__estimate_names){.coordinate = NULL};
  }
  return (cardan__estimate_names){cardan_error_coordinate(model, k),
                                  cardan_coordinate_unit(model, k)};
}

void cardan__json_error(cardan__json *j, const cardan_error_estimate *error,
                        const cardan__estimate_names *names, int64_t copy)
{
  char why[WHY];
  if (names->coordinate == NULL) {
    cardan__json_raw(j, "estimated_error", "null");
    return;
  }
  cardan_error_doubts(error, why, sizeof why);
  cardan__json_open(j, "estimated_error", '{');
  cardan__json_string(j, "coordinate", names->coordinate);
  cardan__json_number(j, "value", error->value);
  cardan__json_string(j, "unit", names->unit);
  cardan__json_number(j, "range", error->range);
  cardan__json_int(j, "samples", error->samples);
  cardan__json_string(j, "uncertain", why[0] ? why : NULL);
  if (copy >= 0) {
    cardan__json_int(j, "copy", copy);
  }
  cardan__json_close(j, '}');
}

void cardan__text_output_error(cardan__text *out, const cardan_error_estimate *error,
                               const cardan__estimate_names *names, int64_t copy)
{
  char why[WHY], value[CARDAN__NUMBER_SIZE];
  if (names->coordinate == NULL) {
    return;
  }
  cardan_error_doubts(error, why, sizeof why);
  cardan__format_number(value, error->value, 2);
  cardan__text_output_label(out, "error");
  cardan__text_printf(out, "about %s %s at the end, of ", value, names->unit);
  cardan__text_output_name(out, names->coordinate);
  if (copy >= 0) {
    cardan__text_printf(out, " in copy %" PRId64, copy);
  }
  cardan__text_printf(out, " (estimated from %d step%s)%s%s", error->samples,
                      error->samples == 1 ? "" : "s", why[0] ? "; uncertain: " : "", why);
}
