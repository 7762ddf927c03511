// SPDX-License-Identifier: Apache-2.0
#include "dynamics/set_parameters.h"

#include <math.h>

#include "cardan/dynamics.h"
#include "constraints/assemble.h"
#include "model/build.h"
#include "model/recipe.h"

/* The last part of building a model: what only kinematics, constraints and dynamics can say of it.
 * It is here so that no room uses a later one. */

/* From so many bodies on, what a joint in the middle of a straight chain has to push against is a
 * difference of numbers so much larger that rounding may leave nothing of it: then a method on the
 * tree refuses the start, and one in maximal coordinates does not mind. */
enum { CHECKED_BODIES = 20000 };

/* A joint whose masses all lie on its axis has a mass, but nothing to push against. */
static cardan_status find_axis(cardan_model *model, const cardan_allocator *allocator)
{
  cardan_data *data;
  model->inert = model->inert == CARDAN_INERT_AXIS ? CARDAN_INERT_NONE : model->inert;
  if (model->inert != CARDAN_INERT_NONE || model->nbody > CHECKED_BODIES) {
    return CARDAN_OK;
  }
  const cardan_status status = cardan_data_create(model, allocator, &data);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_joints(model, data);
  if (cardan_factor(model, data) != CARDAN_OK) {
    model->inert = CARDAN_INERT_AXIS;
    model->inert_joint = data->info.joint;
  }
  cardan_data_destroy(data);
  return CARDAN_OK;
}

/* Rank and redundancy, and whether every joint can be pushed. */
static cardan_status finish(cardan_model *model, const cardan_allocator *allocator,
                            cardan_report *report)
{
  cardan_report open = {.message = ""};
  cardan_status status = cardan__model_analyze(model, &open);
  // a start that does not close is for cardan_sim_start to refuse: some methods begin there
  if (status != CARDAN_OK && status != CARDAN_ERR_ASSEMBLY) {
    return cardan_fail(report, status, open.pos, "%s", open.message);
  }
  status = find_axis(model, allocator);
  return status == CARDAN_OK ? CARDAN_OK
                             : cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
}

cardan_status cardan_model_set_closing(cardan_model *model, double closing, cardan_report *report)
{
  if (!(closing >= 0.0)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "closing is %g, expected at least 0", closing);
  }
  model->closing_own = closing > 0.0 ? closing : model->closing_own;
  model->closing_given = model->closing_given || closing > 0.0;
  return finish(model, &model->allocator, report);
}

cardan_status cardan_model_set_rank_tol(cardan_model *model, double tol, cardan_report *report)
{
  if (!(tol >= 0.0 && tol <= 0.1)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "rank-tol is %g, expected 0 to 0.1", tol);
  }
  model->rank_tol = tol > 0.0 ? tol : model->rank_tol;
  model->rank_given = model->rank_given || tol > 0.0;
  return finish(model, &model->allocator, report);
}

cardan_status cardan_model_set_start(cardan_model *model, const char *keyframe,
                                     cardan_report *report)
{
  const cardan_status status = cardan__model_begin(model, keyframe, report);
  return status == CARDAN_OK ? finish(model, &model->allocator, report) : status;
}

/* Can the parameter be set? */
static cardan_status check_settable(const cardan_parameter *p, cardan_report *report)
{
  if (p->derived) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, p->pos,
                       "\"%.60s\" is computed from parameters, expected one of those", p->name);
  }
  if (p->rigid_pos.line > 0) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, p->rigid_pos,
                       "the parameter \"%.60s\" is used where only reading the text again can "
                       "change it (line %d, column %d), expected it to be set there",
                       p->name, p->rigid_pos.line, p->rigid_pos.column);
  }
  return CARDAN_OK;
}

cardan_status cardan_model_set(cardan_model *model, const char *parameter, double value,
                               cardan_report *report)
{
  const int i = cardan_model_parameter(model, parameter);
  const cardan_pos none = {0, 0};
  if (i < 0) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "there is no parameter \"%.60s\", expected a (parameter ..) of the model",
                       parameter);
  }
  if (!isfinite(value)) {
    return cardan_fail(report, CARDAN_ERR_NOT_FINITE, none,
                       "the value of parameter \"%.60s\" is not finite", parameter);
  }
  bool moves = false;
  cardan_status status = check_settable(&model->parameter[i], report);
  if (status == CARDAN_OK) {
    status = cardan__model_tune(model, i, value, &moves, report);
  }
  if (status == CARDAN_OK && moves && model->nrow > 0) {
    status = finish(model, &model->allocator, report);
  }
  return status;
}

cardan_status cardan__model_set_all(cardan_model *model, const double *value, cardan_report *report)
{
  bool moves = false;
  const cardan_status status = cardan__model_tune_all(model, value, &moves, report);
  return status == CARDAN_OK && moves && model->nrow > 0 ? finish(model, &model->allocator, report)
                                                         : status;
}

cardan_status cardan_model_build(const cardan_spec *spec, const cardan_allocator *allocator,
                                 cardan_model **out, cardan_report *report)
{
  cardan_status status = cardan__model_compile(spec, allocator, out, report);
  if (status == CARDAN_OK) {
    status = finish(*out, allocator, report);
    if (status != CARDAN_OK) {
      cardan_model_destroy(*out);
      *out = NULL;
    }
  }
  return status;
}
