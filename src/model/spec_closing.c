// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/elements.h"
#include "model/lower.h"
#include "spatial/spatial.h"

/* Coordinates of closing joints: their names, and what may stand on them. What that means to a
 * model is made when it is built (lower.c); here a text keeps what it says. */

int cardan__spec_find_closing(const cardan_spec *spec, const char *name)
{
  return spec->nclosing > 0 ? cardan__names_get(&spec->closing_names, name) : -1;
}

bool cardan__spec_closing_of(void *context, const char *name, size_t length, cardan__closing *found)
{
  const cardan_spec *spec = context;
  const int at = cardan__names_get_part(&spec->closing_names, name, length);
  if (at >= 0) {
    *found = spec->closing[at].of;
  }
  return at >= 0;
}

const char *cardan__spec_limited(const cardan__spec_element *close, int at,
                                 char hidden[CARDAN__HIDDEN_NAME])
{
  snprintf(hidden, CARDAN__HIDDEN_NAME, "limit of close %d", at + 1);
  return close->var[0] ? close->var[0] : hidden;
}

/* One coordinate of a close, called name and suffix. */
static void add_one(cardan_spec *spec, const cardan__spec_element *close, const char *name,
                    const char *suffix, bool slides)
{
  char whole[CARDAN__SUFFIXED_NAME];
  snprintf(whole, sizeof whole, "%s%s", name, suffix);
  const char *copy = cardan__spec_text(spec, "coordinate's name", whole);
  const int before = copy ? cardan__spec_find_closing(spec, copy) : -1;
  if (before >= 0) {
    cardan__spec_fail_at(spec, CARDAN_ERR_MODEL, close->var_pos[0],
                         "the name \"%s\" is already used%s; expected a new name",
                         cardan__show(copy).text, cardan__cite(spec->closing[before].pos).text);
  }
  if (spec->status ||
      !cardan__spec_grow(spec, (void **)&spec->closing, &spec->cap_closing, spec->nclosing,
                         sizeof *spec->closing) ||
      !cardan__spec_memory(spec, cardan__names_set(&spec->closing_names, copy, spec->nclosing))) {
    return;
  }
  const cardan_vec3 u = cardan__vec3_normalize(close->joint.axis);
  spec->closing[spec->nclosing++] =
      (cardan__spec_closing){.of = {.name = copy,
                                    .frame = {close->frame[0], close->frame[1]},
                                    .axis = {u.x, u.y, u.z},
                                    .slides = slides},
                             .turn = slides ? -1 : spec->nturn,
                             .hidden = close->var[0] == NULL,
                             .pos = close->var_pos[0]};
  spec->nturn += !slides;
}

void cardan__spec_closing_add(cardan_spec *spec, const cardan__spec_element *close)
{
  char hidden[CARDAN__HIDDEN_NAME];
  const cardan__joint_type *type = cardan__joint_type_of(close->joint.kind);
  const char *name = cardan__spec_limited(close, spec->nelement - 1, hidden);
  if (!cardan__joint_type_has_one_axis(type)) {
    cardan__spec_fail_at(
        spec, CARDAN_ERR_MODEL, close->var_pos[0],
        "found a coordinate of a closing %s joint; expected one about or along one axis: a "
        "revolute, prismatic, helical or cylindrical joint",
        type->word);
    return;
  }
  for (int k = 0; k < type->nq; k++) {
    add_one(spec, close, name, type->q_suffix[k], cardan__joint_type_slides(type, k));
  }
}

/* ---- what may stand on one ---- */

/* Why it cannot; NULL: it can. */
static const char *objection(const cardan_spec *spec, const cardan__spec_element *e)
{
  switch (e->kind) {
  case CARDAN_ELEMENT_TORQUE:
  case CARDAN_ELEMENT_DAMPING:
  case CARDAN_ELEMENT_ACTUATOR:
  case CARDAN_ELEMENT_JOINT_SPRING:
  case CARDAN_ELEMENT_MOTION:
  case CARDAN_ELEMENT_STOP:
  case CARDAN_ELEMENT_SCREW:
  case CARDAN_ELEMENT_DRY_FRICTION:
    return NULL;
  case CARDAN_ELEMENT_GEAR:
    return spec->nkeyframe == 0 ? NULL
                                : "its ratio would be kept from (initial ..), not from a "
                                  "keyframe";
  case CARDAN_ELEMENT_FRICTION:
    return "what presses it is a multiplier, not the reaction of a joint of the tree";
  default:
    return "it is a function of the tree's coordinates, and none of them";
  }
}

cardan_status cardan__spec_on_closing(const cardan_spec *spec, const cardan__spec_element *e,
                                      cardan_pos pos, cardan_report *report)
{
  const char *why = objection(spec, e);
  return why == NULL ? CARDAN_OK
                     : cardan_fail(report, CARDAN_ERR_MODEL, pos,
                                   "the coordinate of a closing joint cannot have a %s: %s; "
                                   "expected a loop that is cut at another joint",
                                   cardan__element_word(e->kind), why);
}
