// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/build_rows.h"
#include "model/elements.h"
#include "model/joint_rows.h"
#include "spatial/spatial.h"

/* Constraints on velocities: bodies that roll on a plane, blades, and whatever is linear in
 * velocities. src/constraints/row_velocities.c has the formulas of their rows. */

enum { DISC, BALL, GRIP, FLAT }; // numbers of a roll

static cardan_row *add_row(cardan__build *build, const cardan_row *from)
{
  cardan_model *model = build->model;
  cardan_row *row = cardan__row_add(model, cardan__constraint_rows(model), from);
  row->constraint = model->nconstraint;
  model->constraint[model->nconstraint].nrow++;
  model->nvelocity_row += row->velocity;
  return row;
}

static cardan_row empty_row(const cardan__build *build, cardan_row_kind kind, cardan_vec3 w)
{
  const cardan_constraint *c = &build->model->constraint[build->model->nconstraint];
  cardan_row row = cardan__empty_row(kind);
  row.frame[0] = c->frame[0];
  row.frame[1] = c->frame[1];
  row.w = w;
  return row;
}

static bool is_zero(cardan_vec3 n)
{
  return n.x == 0.0 && n.y == 0.0 && n.z == 0.0;
}

/* A direction that may be left out. */
static cardan_vec3 direction(cardan_vec3 n, cardan_vec3 usual)
{
  return is_zero(n) ? usual : cardan__vec3_normalize(n);
}

/* ---- roll ---- */

/* The height of the rim over the plane, then its slip along x and y of the plane. */
static cardan_status fill_roll(cardan__build *build, const cardan__spec_element *from)
{
  cardan_row row;
  build->model->constraint[build->model->nconstraint].grip = from->value[GRIP];
  if (!(from->value[FLAT] > 0.0)) {
    row = empty_row(build, CARDAN_ROW_HEIGHT, cardan__vec3(0, 0, 1));
    add_row(build, &row);
  }
  row = empty_row(build, CARDAN_ROW_SLIP, cardan__vec3(1, 0, 0));
  add_row(build, &row);
  row = empty_row(build, CARDAN_ROW_SLIP, cardan__vec3(0, 1, 0));
  add_row(build, &row);
  return CARDAN_OK;
}

static cardan_status settle_roll(cardan_model *model, const cardan__spec_element *from,
                                 // NOLINTNEXTLINE(readability-non-const-parameter): of all kinds
                                 const cardan_constraint *c, double *work, cardan_report *report)
{
  (void)work;
  (void)report;
  const bool ball = from->value[BALL] > 0.0;
  for (int r = c->row; r < c->row + c->nrow; r++) {
    model->row[r].u = direction(from->n, cardan__vec3(0, 0, 1));
    model->row[r].coef[0] = from->value[ball ? BALL : DISC];
    model->row[r].coef[1] = ball;
  }
  return CARDAN_OK;
}

static void check_roll(cardan_spec *spec, cardan__spec_element *e)
{
  const double least = fmin(e->value[DISC], e->value[BALL]);
  if (least < 0.0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a roll with the radius %g m; expected more than 0", least);
  } else if (!(e->value[DISC] > 0.0) == !(e->value[BALL] > 0.0)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a roll with %s; expected one of (disc radius) and (ball radius)",
                      e->value[DISC] > 0.0 ? "both (disc ..) and (ball ..)" : "no radius");
  } else if (e->value[BALL] > 0.0 && !is_zero(e->n)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a ball with an axis; expected (axis x y z) with (disc radius) only");
  } else if (e->value[GRIP] < 0.0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the grip %g; expected a coefficient of "
                      "friction, more than 0",
                      e->value[GRIP]);
  } else if (!isfinite(e->n.x) || !isfinite(e->n.y) || !isfinite(e->n.z)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found an axis that is not finite; expected numbers");
  }
}

static cardan_status doubt_grip(cardan__build *build, const cardan__spec_element *from)
{
  if (from->value[GRIP] > 0.0 && from->value[FLAT] > 0.0) {
    cardan__build_warn(build,
                       "line %d: (grip %g) has no effect on a %s with (flat), which has no normal "
                       "force; leave out one of the two",
                       from->pos.line, from->value[GRIP], cardan__element_word(from->kind));
  }
  return CARDAN_OK;
}

const cardan__element cardan__element_roll = {
    .usage = "(roll \"wheel\" \"ground\" (disc 0.3))",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_VALUE_OPTION, DISC, "disc"},
                 {CARDAN__ARG_VALUE_OPTION, BALL, "ball"},
                 {CARDAN__ARG_VALUE_OPTION, GRIP, "grip"},
                 {CARDAN__ARG_FLAG_OPTION, FLAT, "flat"},
                 {CARDAN__ARG_DIRECTION_OPTION, 0, "axis"}},
    .draw = CARDAN__DRAW_ROLLING,
    .check = check_roll,
    .nrow = 3,
    .rows = fill_roll,
    .settle_rows = settle_roll,
    .doubt = doubt_grip,
};

/* ---- skate ---- */

static cardan_status fill_skate(cardan__build *build, const cardan__spec_element *from)
{
  const cardan_row row = empty_row(build, CARDAN_ROW_SKATE, cardan__vec3(0, 0, 1));
  (void)from;
  add_row(build, &row);
  return CARDAN_OK;
}

static cardan_status settle_skate(cardan_model *model, const cardan__spec_element *from,
                                  // NOLINTNEXTLINE(readability-non-const-parameter): of all kinds
                                  const cardan_constraint *c, double *work, cardan_report *report)
{
  (void)work;
  (void)report;
  model->row[c->row].u = direction(from->n, cardan__vec3(1, 0, 0));
  return CARDAN_OK;
}

static void check_skate(cardan_spec *spec, cardan__spec_element *e)
{
  if (!isfinite(e->n.x) || !isfinite(e->n.y) || !isfinite(e->n.z)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found an edge that is not finite; expected numbers");
  }
}

const cardan__element cardan__element_skate = {
    .usage = "(skate \"blade\" \"ground\" (edge 1 0 0))",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_DIRECTION_OPTION, 0, "edge"}},
    .draw = CARDAN__DRAW_BLADE,
    .check = check_skate,
    .nrow = 1,
    .rows = fill_skate,
    .settle_rows = settle_skate,
};

/* ---- velocity ---- */

enum { VELOCITIES = CARDAN__LEAVES_V | CARDAN__LEAVES_TWIST };

static void fail_part(cardan_spec *spec, const cardan__expr *expr, int part)
{
  cardan__text text;
  cardan__text_init(&text, spec->allocator);
  cardan__expr_print_part(expr, part, &text);
  cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                    "found %.100s, which is not linear in velocities; expected a sum of velocities "
                    "times what depends on coordinates, frames and t",
                    text.failed || text.data == NULL ? "a part" : text.data);
  cardan__text_free(&text);
}

/* As cardan__expr_nonlinear; -2: no memory. */
static int nonlinear_part(const cardan_allocator *allocator, const cardan__expr *expr, bool *linear,
                          bool *affine)
{
  unsigned char *work = cardan__resize(allocator, NULL, (size_t)expr->nins);
  if (work == NULL) {
    return -2;
  }
  const int part = cardan__expr_nonlinear(expr, VELOCITIES, work, linear, affine);
  cardan__resize(allocator, work, 0);
  return part;
}

static void check_velocity(cardan_spec *spec, cardan__spec_element *e)
{
  bool linear = false, affine = false;
  const int part = nonlinear_part(spec->allocator, e->expr[0], &linear, &affine);
  if (part >= 0) {
    fail_part(spec, e->expr[0], part);
  } else if (cardan__spec_memory(spec, part == -2 ? CARDAN_ERR_MEMORY : CARDAN_OK) && !linear) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found no velocity in this expression; expected one, such as v.q or (vx "
                      "\"F\"), or (equation ..) for one of coordinates");
  }
}

/* coef[0]: 1 where b, which does work then, is not 0 */
static cardan_status fill_velocity(cardan__build *build, const cardan__spec_element *from)
{
  cardan_row row;
  bool linear = false, affine = false;
  cardan_status status = cardan__build_expr_row(build, from, &row);
  if (status == CARDAN_OK &&
      nonlinear_part(&build->model->allocator, from->expr[0], &linear, &affine) == -2) {
    status = cardan_fail(build->report, CARDAN_ERR_MEMORY, from->pos, "out of memory");
  }
  row.kind = CARDAN_ROW_VELOCITY;
  row.coef[0] = affine;
  if (status == CARDAN_OK) {
    add_row(build, &row);
  }
  return status;
}

/* With constant coefficients of the rates of coordinates it is the rate of an equation. Angular
 * velocities of a body in space are no such rates. */
static cardan_status doubt_integrable(cardan__build *build, const cardan__spec_element *from)
{
  const cardan_model *model = build->model;
  const cardan__expr *e = from->expr[0];
  bool rates = (e->uses & ~(unsigned)(CARDAN__LEAVES_V | CARDAN__LEAVES_PARAMETER)) == 0;
  for (int i = 0; i < e->nleaf && rates; i++) {
    if (cardan__expr_leaf_at(e, i)->kind == CARDAN__LEAF_V) {
      const int v = cardan__build_find_v(build, cardan__expr_leaf_name(e, i));
      rates = v >= 0 && model->body[model->v_body[v]].nv == 1;
    }
  }
  if (rates) {
    cardan__build_warn(build,
                       "line %d: the coefficients of this %s are constants: (equation ..) of the "
                       "coordinates holds their values too, and is more accurate",
                       from->pos.line, cardan__element_word(from->kind));
  }
  return CARDAN_OK;
}

const cardan__element cardan__element_velocity = {
    .usage = "(velocity (- v.z (* q.y v.x)))",
    .argument = {{CARDAN__ARG_EXPR, 0, NULL}},
    .leaves = CARDAN__LEAVES_T | CARDAN__LEAVES_Q | CARDAN__LEAVES_PLACE | CARDAN__LEAVES_V |
              CARDAN__LEAVES_TWIST,
    .draw = CARDAN__DRAW_NOT,
    .check = check_velocity,
    .nrow = 1,
    .rows = fill_velocity,
    .doubt = doubt_integrable,
};
