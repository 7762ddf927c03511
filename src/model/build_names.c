// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "model/build.h"

/* Strings, warnings and names of a model under construction. */

const char *cardan__build_string(cardan__build *build, const char *text)
{
  const size_t n = strlen(text) + 1;
  CARDAN_ASSERT(build->strings_used + n <= build->strings_size);
  char *copy = build->strings + build->strings_used;
  memcpy(copy, text, n);
  build->strings_used += n;
  return copy;
}

void cardan__build_warn(cardan__build *build, const char *format, ...)
{
  cardan_model *model = build->model;
  char text[CARDAN__WARNING_SIZE];
  va_list args;
  if (model->nwarning >= CARDAN__MAX_WARNING) {
    return;
  }
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  text[cardan__utf8_cut(text, strlen(text))] = 0;
  if (model->nwarning == CARDAN__MAX_WARNING - 1) {
    snprintf(text, sizeof text, "further warnings are left out");
  }
  model->warning[model->nwarning++] = cardan__build_string(build, text);
}

cardan_status cardan__build_unknown(cardan__build *build, const char *what, const char *name,
                                    const cardan__names *names, cardan_pos pos)
{
  const char *near = cardan__names_nearest(names, name);
  if (near != NULL) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, pos,
                       "there is no %s \"%.60s\"; did you mean \"%.60s\"?", what, name, near);
  }
  return cardan_fail(build->report, CARDAN_ERR_MODEL, pos, "there is no %s \"%.60s\"", what, name);
}

cardan_status cardan__build_frame(cardan__build *build, const char *name, cardan_pos pos,
                                  int *frame)
{
  *frame = cardan__spec_find_frame(build->spec, name);
  return *frame >= 0 ? CARDAN_OK
                     : cardan__build_unknown(build, "frame", name, &build->spec->frame_names, pos);
}

cardan_status cardan__build_joint(cardan__build *build, const char *name, cardan_pos pos,
                                  int *joint)
{
  const int frame = cardan__names_get(&build->spec->var_names, name);
  *joint = frame >= 0 ? build->frame_joint[frame] : -1;
  return *joint >= 0 ? CARDAN_OK
                     : cardan__build_unknown(build, "joint", name, &build->spec->var_names, pos);
}

int cardan__build_find_q(const cardan__build *build, const char *name)
{
  const cardan__var_ref ref = cardan__spec_find_var(build->spec, name);
  return ref.q >= 0 ? build->model->joint[build->frame_joint[ref.frame]].qadr + ref.q : -1;
}

int cardan__build_find_v(const cardan__build *build, const char *name)
{
  const cardan__var_ref ref = cardan__spec_find_var(build->spec, name);
  return ref.v >= 0 ? build->model->joint[build->frame_joint[ref.frame]].vadr + ref.v : -1;
}

cardan_status cardan__build_q(cardan__build *build, const char *name, cardan_pos pos, int *q)
{
  *q = cardan__build_find_q(build, name);
  return *q >= 0 ? CARDAN_OK
                 : cardan__build_unknown(build, "coordinate", name, &build->spec->var_names, pos);
}

cardan_status cardan__build_moves(cardan__build *build, const cardan__spec_element *e, int q)
{
  if (build->moved[q]) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, e->pos,
                       "\"%.60s\" has two motions, expected one", e->var[0]);
  }
  build->moved[q] = true;
  return CARDAN_OK;
}
