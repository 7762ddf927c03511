// SPDX-License-Identifier: Apache-2.0
#include "output/text_output.h"

#include <stdio.h>
#include <string.h>

void cardan__text_output_number(cardan__text *out, double value)
{
  char number[CARDAN__NUMBER_SIZE];
  cardan__text_add(out, number, cardan__format_number(number, value, 6));
}

void cardan__text_output_name(cardan__text *out, const char *name)
{
  for (size_t left = strlen(name); left > 0;) {
    const size_t n = cardan__utf8_length((const unsigned char *)name, left), step = n > 0 ? n : 1;
    const bool hidden = n == 0 || cardan__utf8_hidden((const unsigned char *)name, n);
    cardan__text_add(out, hidden ? "?" : name, hidden ? 1 : step);
    name += step;
    left -= step;
  }
}

void cardan__text_output_label(cardan__text *out, const char *label)
{
  cardan__text_printf(out, "\n  %-12s  ", label);
}

cardan_status cardan__text_output_finish(cardan__text *out, char **text)
{
  *text = NULL;
  if (out->length > 0 && !out->failed && out->data[out->length - 1] != '\n') {
    cardan__text_add(out, "\n", 1);
  }
  if (out->failed) {
    cardan__text_free(out);
    return CARDAN_ERR_MEMORY;
  }
  *text = out->data;
  return CARDAN_OK;
}

int cardan__text_output_dof(const cardan_model *model)
{
  int dof = model->nv;
  for (int i = 1; i < model->nbody; i++) {
    dof -= (model->body[i].flags & CARDAN_LINK_KINEMATIC) != 0 ? model->body[i].nv : 0;
  }
  return dof;
}

cardan__how cardan__text_output_how(const cardan_options *options)
{
  cardan__how how = {"", "", ""};
  char label[128];
  cardan_options_label(options, label, sizeof label);
  const size_t length = strcspn(label, "/");
  snprintf(how.method, sizeof how.method, "%.*s", (int)length, label);
  if (label[length] != '\0') {
    snprintf(how.integrator, sizeof how.integrator, "%.60s", label + length + 1);
  }
  snprintf(how.solver, sizeof how.solver, "%s", options->solver != NULL ? options->solver : "");
  return how;
}

const char *cardan_nearest(const char *word, const char *const *list, int n)
{
  return cardan__nearest(word, list, n);
}
