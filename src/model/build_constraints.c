// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "model/build_rows.h"
#include "model/elements.h"
#include "model/joint_rows.h"
#include "model/recipe.h"
#include "spatial/spatial.h"

/* Constraints of a spec to elementary rows (cardan_row). src/constraints has the formulas of
 * the rows. The spec has checked what one element shows by itself (directions, lengths, what an
 * expression depends on); what needs the whole model is checked here.
 *
 * (close KIND A B) asks that frame B stands to frame A as the child of the same joint would stand
 * to its parent, for some value of its coordinates: pairs.c has the rows. */

/* ---- one row ---- */

/* Appends a row to the constraint under construction. */
static cardan_row *add_row(cardan__build *build, const cardan_row *from)
{
  cardan_model *model = build->model;
  cardan_row *row = cardan__row_add(model, cardan__constraint_rows(model), from);
  row->constraint = model->nconstraint;
  model->constraint[model->nconstraint].nrow++;
  return row;
}

static void add_point(cardan__build *build, cardan_vec3 n, int in_frame)
{
  const cardan_constraint *c = &build->model->constraint[build->model->nconstraint];
  cardan_row row = cardan__empty_row(CARDAN_ROW_POINT);
  row.frame[0] = c->frame[0];
  row.frame[1] = c->frame[1];
  row.frame[2] = in_frame;
  row.u = n;
  add_row(build, &row);
}

/* ---- kinds ---- */

/* A constraint whose first row holds its numbers. */
static cardan_row *first_row(cardan_model *model, const cardan_constraint *c)
{
  return &model->row[c->row];
}

/* The direction is fixed in a frame, in the world when none is given. */
static cardan_status fill_point(cardan__build *build, const cardan__spec_element *from)
{
  const cardan_constraint *c = &build->model->constraint[build->model->nconstraint];
  add_point(build, from->n, c->frame[2] >= 0 ? c->frame[2] : 0);
  return CARDAN_OK;
}

static cardan_status settle_point(cardan_model *model, const cardan__spec_element *from,
                                  // NOLINTNEXTLINE(readability-non-const-parameter): of all kinds
                                  const cardan_constraint *c, double *work, cardan_report *report)
{
  (void)work;
  (void)report;
  first_row(model, c)->u = cardan__vec3_normalize(from->n);
  return CARDAN_OK;
}

static void check_point(cardan_spec *spec, cardan__spec_element *e)
{
  const double n[3] = {e->n.x, e->n.y, e->n.z};
  if (cardan__spec_finite(spec, "a component of a direction", n, 3) && n[0] == 0.0 && n[1] == 0.0 &&
      n[2] == 0.0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the direction (0 0 0); expected one that is not zero");
  }
}

const cardan__element cardan__element_point = {
    .usage = "(point-constraint \"A\" \"B\" (nx ny nz))",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_DIRECTION, 0, "a direction (nx ny nz)"},
                 {CARDAN__ARG_FRAME_OPTION, 2, "in"}},
    .draw = CARDAN__DRAW_POINT,
    .check = check_point,
    .nrow = 1,
    .rows = fill_point,
    .settle_rows = settle_point,
};

static cardan_status fill_coincide(cardan__build *build, const cardan__spec_element *from)
{
  (void)from;
  add_point(build, cardan__vec3(1, 0, 0), 0);
  add_point(build, cardan__vec3(0, 1, 0), 0);
  add_point(build, cardan__vec3(0, 0, 1), 0);
  return CARDAN_OK;
}

const cardan__element cardan__element_coincide = {
    .usage = "(coincide \"A\" \"B\")",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL}, {CARDAN__ARG_FRAME, 1, NULL}},
    .draw = CARDAN__DRAW_POINT,
    .nrow = 3,
    .rows = fill_coincide,
};

static cardan_status fill_wire(cardan__build *build, const cardan__spec_element *from)
{
  const cardan_constraint *c = &build->model->constraint[build->model->nconstraint];
  cardan_row row;
  const cardan_status status = cardan__build_wire_row(build, from, c->frame, &row);
  if (status == CARDAN_OK) {
    add_row(build, &row);
  }
  return status;
}

static cardan_status settle_wire(cardan_model *model, const cardan__spec_element *from,
                                 // NOLINTNEXTLINE(readability-non-const-parameter): of all kinds
                                 const cardan_constraint *c, double *work, cardan_report *report)
{
  (void)from;
  return cardan__settle_length(model, first_row(model, c), "wire", c->pos, work, report);
}

static void check_wire(cardan_spec *spec, cardan__spec_element *e)
{
  cardan__check_length(spec, e, "wire");
}

const cardan__element cardan__element_wire = {
    .usage = "(wire \"A\" \"B\" length)",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_EXPR, 0, "the length"}},
    .leaves = CARDAN__LEAVES_T,
    .draw = CARDAN__DRAW_CORD,
    .check = check_wire,
    .nrow = 1,
    .rows = fill_wire,
    .settle_rows = settle_wire,
};

/* A row c0 q0 + c1 q1 = value. */
static cardan_status fill_coupling(cardan__build *build, const cardan__spec_element *from)
{
  const cardan_model *model = build->model;
  cardan_row row = cardan__empty_row(CARDAN_ROW_COORD);
  cardan_status status = cardan__build_coordinate(build, from, 0, &row.var[0]);
  if (status == CARDAN_OK) {
    status = cardan__build_coordinate(build, from, 1, &row.var[1]);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  row.length = cardan__q_slides(model, row.var[1]) ? 0 : 1;
  add_row(build, &row);
  return CARDAN_OK;
}

/* pitch theta - d = 0 */
static cardan_status settle_screw(cardan_model *model, const cardan__spec_element *from,
                                  // NOLINTNEXTLINE(readability-non-const-parameter): of all kinds
                                  const cardan_constraint *c, double *work, cardan_report *report)
{
  cardan_row *row = first_row(model, c);
  (void)work;
  (void)report;
  row->coef[0] = from->value[0];
  row->coef[1] = -1;
  return CARDAN_OK;
}

const cardan__element cardan__element_screw = {
    .usage = "(screw \"theta\" \"d\" pitch)",
    .argument = {{CARDAN__ARG_VAR, 0, NULL},
                 {CARDAN__ARG_VAR, 1, NULL},
                 {CARDAN__ARG_VALUE, 0, "the pitch"}},
    .draw = CARDAN__DRAW_THREAD,
    .nrow = 1,
    .rows = fill_coupling,
    .settle_rows = settle_screw,
    .doubt = cardan__doubt_ratio,
};

/* b - ratio a = what (initial ..) leaves, also where a keyframe is the start by now. */
static cardan_status settle_gear(cardan_model *model, const cardan__spec_element *from,
                                 // NOLINTNEXTLINE(readability-non-const-parameter): of all kinds
                                 const cardan_constraint *c, double *work, cardan_report *report)
{
  cardan_row *row = first_row(model, c);
  (void)work;
  (void)report;
  row->coef[0] = -from->value[0];
  row->coef[1] = 1;
  const double *q = model->recipe != NULL ? model->recipe->q_raw : model->q0;
  row->value = row->coef[1] * q[row->var[1]] + row->coef[0] * q[row->var[0]];
  return CARDAN_OK;
}

const cardan__element cardan__element_gear = {
    .usage = "(gear \"a\" \"b\" ratio)",
    .argument = {{CARDAN__ARG_VAR, 0, NULL},
                 {CARDAN__ARG_VAR, 1, NULL},
                 {CARDAN__ARG_VALUE, 0, "the ratio"}},
    .draw = CARDAN__DRAW_GEAR,
    .nrow = 1,
    .rows = fill_coupling,
    .settle_rows = settle_gear,
    .doubt = cardan__doubt_ratio,
};

static cardan_status fill_motion(cardan__build *build, const cardan__spec_element *from)
{
  const cardan_model *model = build->model;
  cardan_row row = cardan__empty_row(CARDAN_ROW_MOTION);
  cardan_status status = cardan__build_coordinate(build, from, 0, &row.var[0]);
  if (status != CARDAN_OK) {
    return status;
  }
  status = cardan__build_moves(build, from, row.var[0]);
  if (status != CARDAN_OK) {
    return status;
  }
  row.length = cardan__q_slides(model, row.var[0]) ? 0 : 1;
  status = cardan__build_expr(build, from->expr[0], from->pos, &row.expr);
  if (status == CARDAN_OK) {
    add_row(build, &row);
  }
  return status;
}

/* On a kinematic coordinate a motion is prescribed instead (build.c): no row holds it. */
const cardan__element cardan__element_motion = {
    .usage = "(motion \"q\" expression)",
    .argument = {{CARDAN__ARG_VAR, 0, NULL}, {CARDAN__ARG_EXPR, 0, NULL}},
    .leaves = CARDAN__LEAVES_T,
    .draw = CARDAN__DRAW_DRIVE,
    .nrow = 1,
    .rows = fill_motion,
};

static cardan_status fill_equation(cardan__build *build, const cardan__spec_element *from)
{
  cardan_row row;
  const cardan_status status = cardan__build_expr_row(build, from, &row);
  if (status != CARDAN_OK) {
    return status;
  }
  const cardan_row *added = add_row(build, &row);
  return added->nb > 0 || added->nd > 0
             ? CARDAN_OK
             : cardan_fail(build->report, CARDAN_ERR_MODEL, from->pos,
                           "this equation holds nothing that moves, expected a coordinate or a "
                           "frame in it");
}

const cardan__element cardan__element_equation = {
    .usage = "(equation expression)",
    .argument = {{CARDAN__ARG_EXPR, 0, NULL}},
    .leaves = CARDAN__LEAVES_T | CARDAN__LEAVES_Q | CARDAN__LEAVES_PLACE,
    .draw = CARDAN__DRAW_COUPLING,
    .nrow = 1,
    .rows = fill_equation,
};

/* The rows of a pair; lengths 0: the model's. */
static int pair_rows(const cardan_joint_def *def, const cardan_constraint *c,
                     cardan_row rows[CARDAN__PAIR_ROWS])
{
  const cardan__pair pair = cardan__joint_pair(def->kind, cardan__vec3_normalize(def->axis),
                                               cardan__vec3_normalize(def->axis2), def->pitch);
  return cardan__pair_rows(&pair, c->frame[0], c->frame[1], 0, NULL, rows);
}

static void fill_pair(cardan__build *build, const cardan_joint_def *def)
{
  const cardan_constraint *c = &build->model->constraint[build->model->nconstraint];
  cardan_row rows[CARDAN__PAIR_ROWS];
  const int n = pair_rows(def, c, rows);
  for (int i = 0; i < n; i++) {
    add_row(build, &rows[i]);
  }
}

static cardan_status fill_close(cardan__build *build, const cardan__spec_element *from)
{
  fill_pair(build, &from->joint);
  return CARDAN_OK;
}

/* Only the pitch of a helical pair is a number that may change. */
static cardan_status settle_close(cardan_model *model, const cardan__spec_element *from,
                                  // NOLINTNEXTLINE(readability-non-const-parameter): of all kinds
                                  const cardan_constraint *c, double *work, cardan_report *report)
{
  cardan_row rows[CARDAN__PAIR_ROWS];
  const int n = pair_rows(&from->joint, c, rows);
  (void)work;
  (void)report;
  for (int i = 0; i < n; i++) {
    cardan_row *row = first_row(model, c) + i;
    row->value = rows[i].value;
    row->coef[0] = rows[i].coef[0];
    row->coef[1] = rows[i].coef[1];
  }
  return CARDAN_OK;
}

static void check_close(cardan_spec *spec, cardan__spec_element *e)
{
  const cardan__joint_type *type = cardan__joint_type_of(e->joint.kind);
  if (type != NULL && (type->nv == 6 || type->general.word != NULL)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found (close %s ..), which %s; expected another joint", type->word,
                      type->nv == 6 ? "closes nothing" : "no constraint can hold");
  }
  e->joint.name = NULL;
  cardan__spec_joint_def(spec, &e->joint);
}

const cardan__element cardan__element_close = {
    .usage = "(close revolute \"A\" \"B\" (axis x y z))",
    .argument = {{CARDAN__ARG_JOINT, 0, NULL},
                 {CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_JOINT_OPTIONS, 0, NULL}},
    .draw = CARDAN__DRAW_POINT,
    .check = check_close,
    .nrow = 6,
    .rows = fill_close,
    .settle_rows = settle_close,
};

static cardan_status fill_weld(cardan__build *build, const cardan__spec_element *from)
{
  const cardan_joint_def fixed = {
      .kind = CARDAN_JOINT_FIXED, .axis = {0, 0, 1}, .axis2 = {0, 1, 0}};
  (void)from;
  fill_pair(build, &fixed);
  return CARDAN_OK;
}

const cardan__element cardan__element_weld = {
    .usage = "(weld \"A\" \"B\")",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL}, {CARDAN__ARG_FRAME, 1, NULL}},
    .draw = CARDAN__DRAW_POINT,
    .nrow = 6,
    .rows = fill_weld,
};
