// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cardan/constraints.h"
#include "model/joint_table.h"

/* Reports what an assembly changed of a start that the user gave. */

typedef struct {
  char *text;
  size_t size;
} words;

static void add(const words *to, const char *format, ...) CARDAN_PRINTF(2, 3);
static void add(const words *to, const char *format, ...)
{
  const size_t used = strlen(to->text);
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  snprintf(to->text + used, to->size - used, "%s%s", used > 0 ? "; " : "", text);
}

static const char *unit_of(const cardan_model *model, int v)
{
  const cardan_body *b = &model->body[model->v_body[v]];
  return cardan__link_slides(b, v - b->vadr) ? "m/s" : "rad/s";
}

/* Largest speed of a start, lengths relative to the mechanism. */
static double largest_speed(const cardan_model *model, const cardan_data *data)
{
  double largest = 0.0;
  for (int i = 0; i < model->nv; i++) {
    largest = fmax(largest, fabs(data->v[i]) / cardan__velocity_unit(model, i));
  }
  return largest;
}

/* Velocities that were given and are not kept, beyond what the digits of a file explain. */
static void add_velocity(const words *to, const cardan_model *model, const cardan_data *data,
                         const cardan_assembly *a)
{
  const cardan_lost *lost = &a->v_lost;
  if (a->driver >= 0 && a->driver_given && a->driver_change > 1e-9) {
    add(to, "the start velocity of \"%.60s\" is its driver's, %g %s, not the one given",
        model->v_name[a->driver], data->v[a->driver], unit_of(model, a->driver));
  }
  if (lost->index >= 0 && lost->index != a->driver &&
      lost->change > 1e-3 * fabs(lost->given) + 1e-6 * largest_speed(model, data)) {
    add(to,
        "the start velocity of \"%.60s\", given as %g %s, is %.6g: the constraints, and what else "
        "is given, allow no other",
        model->v_name[lost->index], lost->given, unit_of(model, lost->index), lost->used);
  }
}

/* Has coordinate q a motion? */
static bool is_driven(const cardan_model *model, int q)
{
  return model->joint[model->body[model->q_body[q]].joint].driven;
}

/* Coordinates that closing moved by more than seeds are usually off. */
static void add_position(const words *to, const cardan_model *model, const cardan_assembly *a)
{
  const cardan_lost *lost = &a->q_lost;
  const double worth_telling = 1e-2; // seeds in files have about three digits
  const bool driven = lost->index >= 0 && is_driven(model, lost->index);
  const char *mover = model->npose == 0  ? "closing the loops"
                      : model->nrow == 0 ? "going to the poses"
                                         : "going to the poses and closing the loops";
  if (driven && lost->change > 1e-9) {
    add(to, "the start of \"%.60s\" is its motion's, %.6g, not the %g given",
        model->q_name[lost->index], lost->used, lost->given);
  } else if (lost->index >= 0 && lost->change > worth_telling) {
    add(to, "%s moved \"%.60s\" from the %g given to %.6g; mark it fixed to keep it", mover,
        model->q_name[lost->index], lost->given, lost->used);
  } else if (a->q_index >= 0 && a->q_change > worth_telling && !is_driven(model, a->q_index)) {
    add(to, "closing the loops moved \"%.60s\" by %.3g, more than any other",
        model->q_name[a->q_index], a->q_change);
  }
}

void cardan_assembly_text(const cardan_model *model, const cardan_data *data,
                          const cardan_assembly *assembly, char *text, size_t size)
{
  const words to = {text, size};
  if (size > 0) {
    text[0] = '\0';
    add_velocity(&to, model, data, assembly);
    add_position(&to, model, assembly);
  }
}
