// SPDX-License-Identifier: Apache-2.0
// Where a pendulum comes to rest that leans on a stop: its angle, and the torque of the stop
// against the closed form.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"

static const char text[] = "(system \"leaning\" (gravity 0 0 -9.81) (ry \"angle\" (tz -1 (mass 2)))"
                           " (stop \"angle\" 0.3 2 (name \"wall\")) (initial (\"angle\" 1)))";

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  cardan_data *data = NULL;
  cardan_statics *rest = NULL;
  bool good = false;
  cardan_status status =
      cardan_model_from_text(text, strlen(text), "leaning", NULL, 0, NULL, &model, &report);
  status = status ? status : cardan_data_create(model, NULL, &data);
  status = status ? status : cardan_statics_find(model, data, NULL, NULL, &rest, &report);
  if (status == CARDAN_OK) {
    printf("at rest at %.6f rad\n", rest->q[0]);
    for (int i = 0; i < rest->nside; i++) {
      char name[64];
      cardan_statics_side_name(rest, i, name, sizeof name);
      printf("%-10s pushes with %.6f N m\n", name, rest->side[i]);
    }
    good = fabs(rest->side[0] - 2 * 9.81 * sin(0.3)) < 1e-9;
  } else {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_statics_destroy(rest);
  cardan_data_destroy(data);
  cardan_model_destroy(model);
  return good ? 0 : 1;
}
