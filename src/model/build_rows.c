// SPDX-License-Identifier: Apache-2.0
#include "model/build_rows.h"

#include <math.h>

#include "model/elements.h"
#include "model/joint_rows.h"

/* Adds x to a row's entries, the last n of the list, unless it is there. */
static void add_entry(int *entry, int *n, int *all, int x)
{
  for (int i = 0; i < *n; i++) {
    if (entry[i] == x) {
      return;
    }
  }
  entry[(*n)++] = x;
  ++*all;
}

static void touch_body(const cardan_model *model, cardan__row_list list, cardan_row *row, int frame)
{
  const int body = model->frame[frame].body;
  if (body != 0) {
    add_entry(list.body + row->badr, &row->nb, list.nbody, body);
  }
}

static void touch_dof(cardan__row_list list, cardan_row *row, int dof)
{
  add_entry(list.dof + row->dadr, &row->nd, list.ndof, dof);
}

/* What an expression reads. */
static void touch_leaves(const cardan_model *model, cardan__row_list list, cardan_row *row)
{
  const cardan_bound_expr *bound = &model->expr[row->expr];
  for (int i = 0; i < bound->nleaf; i++) {
    const int index = bound->leaf[i].index;
    const cardan__leaf_kind kind = bound->leaf[i].kind;
    if (row->kind == CARDAN_ROW_VELOCITY) { // moves nothing by places: by velocities alone
      if (kind == CARDAN__LEAF_TWIST) {
        touch_body(model, list, row, index);
      } else if (kind == CARDAN__LEAF_V) {
        touch_dof(list, row, index);
      }
    } else if (kind == CARDAN__LEAF_FRAME || kind == CARDAN__LEAF_TURN) {
      touch_body(model, list, row, index);
    } else if (kind == CARDAN__LEAF_Q) {
      const cardan_body *body = &model->body[model->q_body[index]];
      // a free joint's position moves with its last three velocities, a quaternion with the first
      const int first = index < body->qadr + cardan__quat_of(body->nq, body->nv) ? 3 : 0;
      for (int k = 0; k < (body->nv == 1 ? 1 : 3); k++) {
        touch_dof(list, row, body->vadr + first + k);
      }
    }
  }
}

cardan_row *cardan__row_add(const cardan_model *model, cardan__row_list list,
                            const cardan_row *from)
{
  cardan_row *row = &list.row[(*list.n)++];
  *row = *from;
  row->badr = *list.nbody;
  row->dadr = *list.ndof;
  row->nb = row->nd = 0;
  row->scaled = row->length == 0;
  row->velocity = row->kind == CARDAN_ROW_SLIP || row->kind == CARDAN_ROW_SKATE ||
                  row->kind == CARDAN_ROW_VELOCITY;
  for (int i = 0; i < 3; i++) {
    if (row->frame[i] >= 0) {
      touch_body(model, list, row, row->frame[i]);
    }
  }
  for (int i = 0; i < 2; i++) {
    if (row->var[i] >= 0) {
      touch_dof(list, row, model->body[model->q_body[row->var[i]]].vadr);
    }
  }
  if (row->kind == CARDAN_ROW_EXPR || row->kind == CARDAN_ROW_VELOCITY) {
    touch_leaves(model, list, row);
  }
  return row;
}

bool cardan__row_reads_time(const cardan_model *model, const cardan_row *row)
{
  const cardan_bound_expr *bound = row->expr >= 0 ? &model->expr[row->expr] : NULL;
  for (int i = 0; bound != NULL && i < bound->nleaf; i++) {
    if (bound->leaf[i].kind == CARDAN__LEAF_T) {
      return true;
    }
  }
  return false;
}

bool cardan__row_is_constant(const cardan_model *model, const cardan_row *row, double *value)
{
  return row->expr >= 0 && cardan__expr_is_constant(model->expr[row->expr].expr, value);
}

/* Does a body move by more than prescribed joints? */
static bool is_dynamic(const cardan_model *model, int body)
{
  while (body > 0 && (model->body[body].flags & CARDAN_LINK_KINEMATIC)) {
    body = model->body[body].parent;
  }
  return body > 0;
}

bool cardan__row_moves(const cardan_model *model, cardan__row_list list, const cardan_row *row)
{
  bool moves = false;
  for (int i = row->badr; i < row->badr + row->nb && !moves; i++) {
    moves = is_dynamic(model, list.body[i]);
  }
  for (int i = row->dadr; i < row->dadr + row->nd && !moves; i++) {
    moves = !(model->body[model->v_body[list.dof[i]]].flags & CARDAN_LINK_KINEMATIC);
  }
  return moves;
}

cardan_status cardan__build_coordinate(cardan__build *build, const cardan__spec_element *from,
                                       int which, int *iq)
{
  const cardan_model *model = build->model;
  const cardan_status status = cardan__build_q(build, from->var[which], from->pos, iq);
  if (status != CARDAN_OK) {
    return status;
  }
  if (model->body[model->q_body[*iq]].nv != 1) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, from->pos,
                       "\"%.60s\" has no velocity of its own, expected an angle or a distance; an "
                       "(%s ..) can hold it",
                       from->var[which], cardan__is_bound(from->kind) ? "inequality" : "equation");
  }
  return CARDAN_OK;
}

bool cardan__q_slides(const cardan_model *model, int iq)
{
  return cardan__link_slides(&model->body[model->q_body[iq]], 0);
}

cardan_status cardan__build_expr_row(cardan__build *build, const cardan__spec_element *from,
                                     cardan_row *row)
{
  *row = cardan__empty_row(CARDAN_ROW_EXPR);
  row->length = 1;
  return cardan__build_expr(build, from->expr[0], from->pos, &row->expr);
}

cardan_status cardan__build_wire_row(cardan__build *build, const cardan__spec_element *from,
                                     const int frame[2], cardan_row *row)
{
  *row = cardan__empty_row(CARDAN_ROW_WIRE);
  row->frame[0] = frame[0];
  row->frame[1] = frame[1];
  return cardan__build_expr(build, from->expr[0], from->pos, &row->expr);
}

cardan_status cardan__settle_length(cardan_model *model, cardan_row *row, const char *what,
                                    cardan_pos pos, double *work, cardan_report *report)
{
  const double t = 0;
  row->value = cardan__expr_value(model->expr[row->expr].expr, &t, work);
  if (!(row->value > 0 && isfinite(row->value))) {
    return cardan_fail(report, CARDAN_ERR_MODEL, pos,
                       "the length of this %s is %g at the start, expected a positive one", what,
                       row->value);
  }
  return CARDAN_OK;
}

void cardan__check_length(cardan_spec *spec, const cardan__spec_element *e, const char *what)
{
  double length;
  if (cardan__expr_is_constant(e->expr[0], &length) && !(length > 0.0)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found a %s of length %g m; expected more than 0",
                      what, length);
  }
}
