// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "base/text.h"
#include "model/elements.h"
#include "spatial/spatial.h"

/* Is that meant? Numbers that a model may have, and that are far more often a slip: said with their
 * line, and taken as they are. What can only be wrong is an error where it is read. */

/* `line 3: `, or nothing for a spec that a program made. */
static cardan__shown line_of(cardan_pos pos)
{
  cardan__shown at = {""};
  if (pos.line > 0) {
    snprintf(at.text, sizeof at.text, "line %d: ", pos.line);
  }
  return at;
}

cardan_status cardan__doubt_stiffness(cardan__build *build, const cardan__spec_element *from)
{
  if (from->value[0] < 0.0) {
    cardan__build_warn(build,
                       "%sthe stiffness of a %s is %g: below 0 it pushes away from its rest, "
                       "is that meant?",
                       line_of(from->pos).text, cardan__element_word(from->kind), from->value[0]);
  }
  return CARDAN_OK;
}

cardan_status cardan__doubt_damping(cardan__build *build, const cardan__spec_element *from)
{
  if (from->value[0] < 0.0) {
    cardan__build_warn(build,
                       "%sthe coefficient of a %s is %g: below 0 it feeds the motion, is that "
                       "meant?",
                       line_of(from->pos).text, cardan__element_word(from->kind), from->value[0]);
  }
  return CARDAN_OK;
}

cardan_status cardan__doubt_bushing(cardan__build *build, const cardan__spec_element *from)
{
  const bool stiff = from->kind == CARDAN_ELEMENT_BUSHING;
  for (int i = 0; i < 6; i++) {
    if (from->value[i] < 0.0) {
      cardan__build_warn(build, "%snumber %d of a %s is %g: below 0 it %s, is that meant?",
                         line_of(from->pos).text, i + 1, cardan__element_word(from->kind),
                         from->value[i], stiff ? "pushes away from its rest" : "feeds the motion");
      return CARDAN_OK;
    }
  }
  return CARDAN_OK;
}

cardan_status cardan__doubt_ratio(cardan__build *build, const cardan__spec_element *from)
{
  if (from->value[0] == 0.0) {
    cardan__build_warn(build,
                       "%sa %s of 0 holds \"%.60s\" where it is, whatever \"%.60s\" does: is that "
                       "meant?",
                       line_of(from->pos).text, cardan__element_word(from->kind), from->var[1],
                       from->var[0]);
  }
  return CARDAN_OK;
}

/* Two frictions of one kind on one joint, or on one velocity, add; that is rarely intended. */
cardan_status cardan__doubt_friction(cardan__build *build, const cardan__spec_element *from)
{
  cardan__names *seen = &build->friction[from->kind == CARDAN_ELEMENT_DRY_FRICTION];
  const int before = cardan__names_get(seen, from->var[0]);
  if (before < 0) {
    const cardan_status status = cardan__names_set(seen, from->var[0], from->pos.line);
    return status == CARDAN_OK ? status : cardan__no_memory(build->report);
  }
  char cited[32] = "";
  if (before > 0) {
    snprintf(cited, sizeof cited, " (line %d)", before);
  }
  cardan__build_warn(build, "%s\"%.60s\" has a %s already%s, and the two add: is that meant?",
                     line_of(from->pos).text, from->var[0], cardan__element_word(from->kind),
                     cited);
  return CARDAN_OK;
}

/* Planar files give inertias that no real body has; they work, but the user should know. */
void cardan__doubt_inertia(cardan__build *build, int f)
{
  const cardan_frame *frame = &build->model->frame[f];
  const cardan_mass *m = &frame->mass;
  const cardan_inertia I = {
      .m = m->m, .xx = m->xx, .yy = m->yy, .zz = m->zz, .xy = m->xy, .xz = m->xz, .yz = m->yz};
  const cardan__shown at = line_of(build->spec->frame[f].mass_pos);
  if (cardan__inertia_check(&I, NULL) == CARDAN__INERTIA_TRIANGLE) {
    cardan__build_warn(
        build,
        "%sthe inertias of frame \"%.60s\" break the triangle inequality: no real body has them",
        at.text, frame->name);
  }
  if (m->m == 0.0 && (m->xx > 0.0 || m->yy > 0.0 || m->zz > 0.0)) {
    cardan__build_warn(
        build,
        "%sframe \"%.60s\" has moments of inertia and no mass, so that only turning moves "
        "anything: is that meant?",
        at.text, frame->name);
  }
}
