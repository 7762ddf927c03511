// SPDX-License-Identifier: Apache-2.0
#include "model/build.h"

/* Expressions of a spec in the model's block: a copy of the tape, and for each leaf where its value
 * comes from. */

/* Bytes between the starts of two tapes, which hold doubles. */
static size_t aligned_size(const cardan__expr *expr)
{
  return (cardan__expr_size(expr) + 15) / 16 * 16;
}

void cardan__count_expr(const cardan__expr *expr, cardan__counts *counts)
{
  counts->expr++;
  counts->leaf += (size_t)expr->nleaf;
  counts->expr_bytes += aligned_size(expr);
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
    ref->index = cardan__names_get(&build->v_index, name);
    return ref->index >= 0 ? CARDAN_OK
                           : cardan_fail(build->report, CARDAN_ERR_MODEL, at,
                                         "there is no velocity \"%.60s\"", name);
  case CARDAN__LEAF_FRAME:
    return cardan__build_frame(build, name, at, &ref->index);
  case CARDAN__LEAF_U:
    ref->index = cardan__names_get(&build->spec->input_names, name);
    break;
  }
  return CARDAN_OK;
}

cardan_status cardan__build_expr(cardan__build *build, const cardan__expr *expr, cardan_pos pos,
                                 int *out)
{
  cardan_model *model = build->model;
  *out = -1;
  if (expr == NULL) {
    return CARDAN_OK;
  }
  cardan__leaf_ref *leaf = build->leaf + build->leaf_used;
  for (int i = 0; i < expr->nleaf; i++) {
    const cardan_status status = bind_leaf(build, expr, i, pos, &leaf[i]);
    if (status != CARDAN_OK) {
      return status;
    }
  }
  model->expr[model->nexpr] =
      (cardan_bound_expr){.expr = cardan__expr_copy(expr, build->expr_memory + build->expr_used),
                          .nleaf = expr->nleaf,
                          .leaf = leaf,
                          .pos = pos};
  build->leaf_used += (size_t)expr->nleaf;
  build->expr_used += aligned_size(expr);
  *out = model->nexpr++;

  const int work = (int)cardan__expr_work(expr);
  model->expr_work = work > model->expr_work ? work : model->expr_work;
  model->max_leaf = expr->nleaf > model->max_leaf ? expr->nleaf : model->max_leaf;
  return CARDAN_OK;
}
