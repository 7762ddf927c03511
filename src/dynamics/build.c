// SPDX-License-Identifier: Apache-2.0
#include "model/build.h"
#include "cardan/dynamics.h"
#include "constraints/assemble.h"

/* The last part of building a model: what only kinematics, constraints and dynamics can say of it.
 * It stands here so that no room looks at a later one. */

/* From so many bodies on, what a joint in the middle of a straight chain has to push against is a
 * difference of numbers so much larger that rounding may leave nothing of it: then a method on the
 * tree refuses the start, and one in maximal coordinates does not mind. */
enum { CHECKED_BODIES = 20000 };

/* A joint whose masses all lie on its axis has a mass, but nothing to push against. */
static void find_axis(cardan_model *model, cardan_data *data)
{
  model->inert = model->inert == CARDAN_INERT_AXIS ? CARDAN_INERT_NONE : model->inert;
  cardan_joints(model, data);
  if (model->inert == CARDAN_INERT_NONE && cardan_factor(model, data) != CARDAN_OK &&
      model->nbody <= CHECKED_BODIES) {
    model->inert = CARDAN_INERT_AXIS;
    model->inert_joint = data->info.joint;
  }
}

/* Rank and redundancy, and whether every joint can be pushed. */
static cardan_status finish(cardan_model *model, const cardan_allocator *allocator,
                            cardan_report *report)
{
  cardan_data *data;
  cardan_report open = {.message = ""};
  cardan_status status = cardan__model_analyze(model, &open);
  // a start that does not close is for cardan_sim_start to refuse: some methods begin there
  if (status != CARDAN_OK && status != CARDAN_ERR_ASSEMBLY) {
    return cardan_fail(report, status, open.pos, "%s", open.message);
  }
  status = cardan_data_create(model, allocator, &data);
  if (status != CARDAN_OK) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
  }
  find_axis(model, data);
  cardan_data_destroy(data);
  return CARDAN_OK;
}

cardan_status cardan_model_close(cardan_model *model, double closing, cardan_report *report)
{
  if (!(closing >= 0.0)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "closing is %g, expected at least 0", closing);
  }
  model->closing = closing > 0.0 ? closing : model->closing;
  return finish(model, &model->allocator, report);
}

cardan_status cardan_model_rank(cardan_model *model, double tol, cardan_report *report)
{
  if (!(tol >= 0.0 && tol <= 0.1)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "rank-tol is %g, expected 0 to 0.1", tol);
  }
  model->rank_tol = tol > 0.0 ? tol : model->rank_tol;
  return finish(model, &model->allocator, report);
}

cardan_status cardan_model_start(cardan_model *model, const char *keyframe, cardan_report *report)
{
  const cardan_status status = cardan__model_begin(model, keyframe, report);
  return status == CARDAN_OK ? finish(model, &model->allocator, report) : status;
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
