// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "model/elements.h"
#include "spatial/spatial.h"

/* Tyres: the checks of their numbers, one by one, with what to write instead. forces/tyre_law.c has
 * the formulas. */

enum {
  DISC = CARDAN_TYRE_DISC,
  LINEAR = CARDAN_TYRE_LINEAR,
  MAGIC = CARDAN_TYRE_MAGIC,
  CAMBER = CARDAN_TYRE_CAMBER,
  RELAXATION = CARDAN_TYRE_RELAXATION,
  VERTICAL = CARDAN_TYRE_VERTICAL,
  LOAD = CARDAN_TYRE_LOAD
};

/* Are any of n numbers given? */
static bool any(const double *value, int n)
{
  bool found = false;
  for (int i = 0; i < n; i++) {
    found = found || value[i] != 0.0;
  }
  return found;
}

static void refuse(cardan_spec *spec, const char *found, const char *expected)
{
  cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found a tyre %s; expected %s", found, expected);
}

/* A number of an option that has to be more than 0. returns false where it is not */
static bool check_above(cardan_spec *spec, const char *option, const char *number, double value)
{
  if (value > 0.0) {
    return true;
  }
  cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                    "found a tyre with %s %g in (%s); expected more than 0", number, value,
                    option);
  return false;
}

static void check_linear(cardan_spec *spec, const double *value)
{
  static const char *const number[3] = {
      "the slip stiffness Cx =", "the cornering stiffness Cy =", "the friction coefficient mu ="};
  for (int i = 0; i < 3 && check_above(spec, "linear Cx Cy mu", number[i], value[i]); i++) {
  }
}

/* Slope B C D and largest force D exist, and the force does not turn round at any slip. */
static void check_magic(cardan_spec *spec, const double *value)
{
  static const char *const number[3] = {
      "the stiffness factor B =", "the shape factor C =", "the peak D ="};
  bool good = true;
  for (int i = 0; i < 3 && good; i++) {
    good = check_above(spec, "magic B C D E", number[i], value[i]);
  }
  if (good && !(value[1] < 2.0)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a tyre with the shape factor C = %g in (magic B C D E); expected less "
                      "than 2: the force would turn round at large slip",
                      value[1]);
  } else if (good && value[3] > 1.0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a tyre with the curvature factor E = %g in (magic B C D E); expected "
                      "1 at most: the force would turn round at large slip",
                      value[3]);
  }
}

static void check_tyre(cardan_spec *spec, cardan__spec_element *e)
{
  const bool linear = any(e->value + LINEAR, 3), magic = any(e->value + MAGIC, 4);
  const bool vertical = any(e->value + VERTICAL, 2), load = e->value[LOAD] != 0.0;
  if (!isfinite(e->n.x) || !isfinite(e->n.y) || !isfinite(e->n.z)) {
    refuse(spec, "with an axis that is not finite", "numbers");
  } else if (e->value[DISC] == 0.0) {
    refuse(spec, "without a radius", "(disc radius)");
  } else if (linear == magic) {
    refuse(spec, linear ? "with both (linear ..) and (magic ..)" : "without a law of slip",
           "one of (linear Cx Cy mu) and (magic B C D E)");
  } else if (vertical == load) {
    refuse(spec, load ? "with both (vertical ..) and (load ..)" : "without a load",
           "one of (vertical stiffness damping) and (load newtons)");
  } else if (e->value[RELAXATION] < 0.0) {
    check_above(spec, "relaxation length", "the length", e->value[RELAXATION]);
  } else if (load && check_above(spec, "load newtons", "the load", e->value[LOAD])) {
  } else if (vertical &&
             check_above(spec, "vertical k c", "the stiffness k =", e->value[VERTICAL]) &&
             e->value[VERTICAL + 1] < 0.0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a tyre with the damping c = %g in (vertical k c); expected one that "
                      "is not negative",
                      e->value[VERTICAL + 1]);
  }
  if (!spec->status && check_above(spec, "disc radius", "the radius", e->value[DISC])) {
    (linear ? check_linear : check_magic)(spec, e->value + (linear ? LINEAR : MAGIC));
  }
}

static cardan_status fill_tyre(cardan__build *build, const cardan__spec_element *from,
                               cardan_force_element *e)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < 2 && status == CARDAN_OK; i++) {
    status = cardan__build_frame(build, from->frame[i], from->frame_pos[i], &e->frame[i]);
  }
  if (status == CARDAN_OK &&
      build->model->frame[e->frame[0]].body == build->model->frame[e->frame[1]].body) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, from->frame_pos[1],
                       "found a tyre whose wheel \"%.60s\" and ground \"%.60s\" are one body; "
                       "expected frames that move against each other",
                       from->frame[0], from->frame[1]);
  }
  return status;
}

static cardan_status settle_tyre(cardan_model *model, cardan_force_element *e,
                                 cardan_report *report)
{
  const bool given = e->n.x != 0.0 || e->n.y != 0.0 || e->n.z != 0.0;
  (void)model;
  (void)report;
  e->n = given ? cardan__vec3_normalize(e->n) : cardan__vec3(0, 0, 1);
  return CARDAN_OK;
}

const cardan__element cardan__element_tyre = {
    .usage = "(tyre \"wheel\" \"ground\" (disc 0.3) (axis 0 1 0) (linear 8e4 6e4 0.9) (vertical "
             "2e5 500))",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_VALUE_OPTION, DISC, "disc"},
                 {CARDAN__ARG_DIRECTION_OPTION, 0, "axis"},
                 {CARDAN__ARG_TRIPLE_OPTION, LINEAR, "linear"},
                 {CARDAN__ARG_QUAD_OPTION, MAGIC, "magic"},
                 {CARDAN__ARG_NUMBER_OPTION, CAMBER, "camber"},
                 {CARDAN__ARG_VALUE_OPTION, RELAXATION, "relaxation"},
                 {CARDAN__ARG_PAIR_OPTION, VERTICAL, "vertical"},
                 {CARDAN__ARG_VALUE_OPTION, LOAD, "load"}},
    .draw = CARDAN__DRAW_TYRE,
    .check = check_tyre,
    .flags = CARDAN_FORCE_VELOCITY,
    .force = fill_tyre,
    .state = {"x", "y"},
    .state_value = RELAXATION,
    .settle = settle_tyre,
};
