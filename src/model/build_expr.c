// SPDX-License-Identifier: Apache-2.0
#include "model/build.h"

#include "model/recipe.h"

/* Expressions of a spec in the model's block: a copy of the tape, and for each leaf where its value
 * comes from. */

/* Bytes between the starts of two tapes, which hold doubles. */
static size_t aligned_size(const cardan__expr *expr)
{
  return (cardan__expr_size(expr) + 15) / 16 * 16;
}

void cardan__count_tape(const cardan__expr *expr, cardan__counts *counts)
{
  const size_t work = cardan__expr_work(expr);
  counts->expr_bytes += aligned_size(expr);
  counts->expr_work = work > counts->expr_work ? work : counts->expr_work;
}

void cardan__count_expr(const cardan__expr *expr, cardan__counts *counts)
{
  counts->expr++;
  counts->leaf += (size_t)expr->nleaf;
  cardan__count_tape(expr, counts);
}

/* What a sensor stands on: a frame, a joint or a row. */
static cardan_status bind_sense(cardan__build *build, const char *name, cardan_pos pos,
                                cardan__leaf_ref *ref)
{
  if (ref->axis < CARDAN__SENSE_DRIVER) {
    return cardan__build_frame(build, name, pos, &ref->index);
  }
  if (ref->axis == CARDAN__SENSE_DRIVER) {
    const cardan_status status = cardan__build_joint(build, name, pos, &ref->index);
    if (status == CARDAN_OK && !build->model->joint[ref->index].driven) {
      return cardan_fail(build->report, CARDAN_ERR_MODEL, pos,
                         "found the driver's force of \"%.60s\", which has no driver; expected a "
                         "joint with a (motion ..)",
                         name);
    }
    return status;
  }
  if (ref->axis < CARDAN__SENSE_LAMBDA) {
    return CARDAN_OK;
  }
  const int constraint = cardan__names_get(&build->constraint_index, name);
  const int k = ref->axis - CARDAN__SENSE_LAMBDA;
  if (constraint < 0) {
    return cardan__build_unknown(build, "constraint", name, &build->constraint_index, pos);
  }
  const cardan_constraint *c = &build->model->constraint[constraint];
  if (k >= c->nrow) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, pos,
                       "constraint \"%.60s\" has %d multiplier(s), found number %d", name, c->nrow,
                       k + 1);
  }
  ref->index = c->row + k;
  return CARDAN_OK;
}

static cardan_status bind_leaf(cardan__build *build, const cardan__expr *expr, int i,
                               cardan_pos pos, cardan__leaf_ref *ref)
{
  const cardan__expr_leaf *leaf = cardan__expr_leaf_at(expr, i);
  const char *name = cardan__expr_leaf_name(expr, i);
  const cardan_pos at = leaf->pos.line > 0 ? leaf->pos : pos;
  *ref = (cardan__leaf_ref){.kind = (cardan__leaf_kind)leaf->kind, .axis = leaf->axis};
  switch (ref->kind) {
  case CARDAN__LEAF_T:
    break;
  case CARDAN__LEAF_Q:
    return cardan__build_q(build, name, at, &ref->index);
  case CARDAN__LEAF_V:
    ref->index = cardan__build_find_v(build, name);
    return ref->index >= 0 ? CARDAN_OK
                           : cardan_fail(build->report, CARDAN_ERR_MODEL, at,
                                         "there is no velocity \"%.60s\"", name);
  case CARDAN__LEAF_FRAME:
  case CARDAN__LEAF_TWIST:
  case CARDAN__LEAF_TURN:
    return cardan__build_frame(build, name, at, &ref->index);
  case CARDAN__LEAF_U:
    ref->index = cardan__names_get(&build->spec->input_names, name);
    break;
  case CARDAN__LEAF_Z: // a number from outside: behind the inputs
    ref->kind = CARDAN__LEAF_U;
    if (leaf->axis == CARDAN__HALF_TURN) { // behind the auxiliary states
      const int closing = cardan__spec_find_closing(build->spec, name);
      ref->index = build->spec->ninput + build->spec->nstate + build->spec->closing[closing].turn;
      break;
    }
    ref->index = cardan__names_get(&build->spec->state_names, name);
    ref->index = build->spec->ninput + CARDAN__STATE_AT(build->spec, ref->index);
    break;
  case CARDAN__LEAF_PARAMETER: // a constant by now
    break;
  case CARDAN__LEAF_SENSE:
    return bind_sense(build, name, at, ref);
  }
  return CARDAN_OK;
}

static int parameter_number(const void *context, const char *name)
{
  const cardan_spec *spec = context;
  return spec->define[cardan__spec_find_define(spec, name)].number;
}

cardan__expr *cardan__build_tape(cardan__build *build, const cardan__expr *expr)
{
  cardan_model *model = build->model;
  cardan__expr *copy = cardan__expr_copy(expr, build->expr_memory + build->expr_used);
  build->expr_used += aligned_size(expr);
  cardan__expr_fix(copy, parameter_number, build->spec, model->parameter_value);
  const int work = (int)cardan__expr_work(copy);
  model->expr_work = work > model->expr_work ? work : model->expr_work;
  return copy;
}

cardan_status cardan__build_expr(cardan__build *build, const cardan__expr *expr, cardan_pos pos,
                                 int *out)
{
  cardan_model *model = build->model;
  *out = -1;
  if (expr == NULL) {
    return CARDAN_OK;
  }
  cardan__expr *copy = cardan__build_tape(build, expr);
  cardan__leaf_ref *leaf = build->leaf + build->leaf_used;
  for (int i = 0; i < copy->nleaf; i++) {
    const cardan_status status = bind_leaf(build, copy, i, pos, &leaf[i]);
    if (status != CARDAN_OK) {
      return status;
    }
  }
  model->expr[model->nexpr] =
      (cardan_bound_expr){.expr = copy, .nleaf = copy->nleaf, .leaf = leaf, .pos = pos};
  build->leaf_used += (size_t)copy->nleaf;
  *out = model->nexpr++;
  if (expr->uses & CARDAN__LEAVES_PARAMETER) {
    model->recipe->tunable[model->recipe->ntunable++] = (cardan__tunable){copy, *out, false};
  }
  model->max_leaf = copy->nleaf > model->max_leaf ? copy->nleaf : model->max_leaf;
  return CARDAN_OK;
}
