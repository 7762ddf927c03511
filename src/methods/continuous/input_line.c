// SPDX-License-Identifier: Apache-2.0
#include "methods/continuous/input_line.h"

#include <math.h>
#include <string.h>

size_t cardan__input_line_size(const cardan_model *model)
{
  return 4 * (size_t)model->ninput;
}

void cardan__input_line_place(cardan__input_line *line, const cardan_model *model, double *memory)
{
  const size_t n = (size_t)model->ninput;
  *line = (cardan__input_line){.n = model->ninput, .until = HUGE_VAL};
  line->u = memory;
  line->rate = memory + n;
  line->next_u = memory + 2 * n;
  line->next_rate = memory + 3 * n;
  memset(memory, 0, cardan__input_line_size(model) * sizeof *memory);
}

bool cardan__input_line_take(cardan__input_line *line, double t, double near, const double *u)
{
  const size_t bytes = (size_t)line->n * sizeof *u;
  double t0 = 0;
  memcpy(line->next_u, u, bytes);
  memset(line->next_rate, 0, bytes);
  line->lines->line(line->lines->table, t, near, line->next_u, line->next_rate, &t0, &line->until);
  if (t0 == line->t0 && memcmp(line->next_u, line->u, bytes) == 0 &&
      memcmp(line->next_rate, line->rate, bytes) == 0) {
    return false;
  }
  line->t0 = t0;
  memcpy(line->u, line->next_u, bytes);
  memcpy(line->rate, line->next_rate, bytes);
  return true;
}

void cardan__input_line_at(const cardan__input_line *line, double t, double *u)
{
  for (int k = 0; k < line->n; k++) {
    u[k] = line->u[k] + (t - line->t0) * line->rate[k];
  }
}

void cardan__input_line_spans(cardan__input_line *line, cardan__spans *list)
{
  CARDAN__SPANS_ONE(list, line->t0);
  CARDAN__SPANS_ONE(list, line->until);
  cardan__spans_add(list, line->u, 2 * (size_t)line->n, sizeof *line->u); // with rate behind it
}
