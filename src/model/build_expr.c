// SPDX-License-Identifier: Apache-2.0
#include "model/build.h"
#include "model/build_tree.h"

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

/* Index of a coordinate (kind Q) or velocity (kind V) by its name in an expression. */
static cardan_status find_variable(cardan__build *build, cardan__leaf_kind kind, const char *name,
                                   cardan_pos pos, int *index)
{
  const bool is_q = kind == CARDAN__LEAF_Q;
  const cardan__names *names = is_q ? &build->q_index : &build->v_index;
  const char *what = is_q ? "coordinate" : "velocity";
  *index = cardan__names_get(names, name);
  if (*index >= 0) {
    return CARDAN_OK;
  }
  const int frame = cardan__names_get(&build->spec->var_names, name);
  const int joint = frame >= 0 ? build->frame_joint[frame] : -1;
  if (joint >= 0) {
    const cardan_joint_kind joint_kind = build->model->joint[joint].kind;
    const char *suffix = is_q ? cardan__q_suffix(joint_kind, 0) : cardan__v_suffix(joint_kind, 0);
    return cardan_fail(build->report, CARDAN_ERR_MODEL, pos,
                       "joint \"%.60s\" has more than one %s, expected a name such as \"%.60s%s\"", name,
                       what, name, suffix);
  }
  const char *near = cardan__names_nearest(names, name);
  return near != NULL ? cardan_fail(build->report, CARDAN_ERR_MODEL, pos,
                                    "there is no %s \"%.60s\"; did you mean \"%.60s\"?", what, name, near)
                      : cardan_fail(build->report, CARDAN_ERR_MODEL, pos, "there is no %s \"%.60s\"",
                                    what, name);
}

static cardan_status bind_leaf(cardan__build *build, const cardan__expr *expr, int i, cardan_pos pos,
                               cardan__leaf_ref *ref)
{
  const cardan__expr_leaf *leaf = cardan__expr_leaf_at(expr, i);
  const char *name = cardan__expr_leaf_name(expr, i);
  const cardan_pos at = leaf->pos.line > 0 ? leaf->pos : pos;
  *ref = (cardan__leaf_ref){.kind = (cardan__leaf_kind)leaf->kind, .axis = leaf->axis};
  switch (ref->kind) {
  case CARDAN__LEAF_T:
    return CARDAN_OK;
  case CARDAN__LEAF_FRAME:
    return cardan__build_frame(build, name, at, &ref->index);
  default:
    return find_variable(build, ref->kind, name, at, &ref->index);
  }
}

cardan_status cardan__build_expr(cardan__build *build, const cardan__expr *expr, cardan_pos pos, int *out)
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
