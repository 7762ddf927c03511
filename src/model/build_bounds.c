// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "model/build_rows.h"
#include "model/elements.h"
#include "model/joint_rows.h"

/* One-sided rows: a gap that is not to fall below 0, gap = sign Phi with Phi a row of those that
 * constraints are made of (src/constraints has the formulas).
 *   stop        Phi = q - lo, sign 1;   Phi = q - hi, sign -1
 *   rope        Phi = (d . d - L^2) / (2 L), sign -1: zero and gradient there as those of L - |d|
 *   inequality  Phi = expr, sign 1 */

static cardan__row_list rows_of(cardan_model *model)
{
  return (cardan__row_list){.row = model->bound_row,
                            .body = model->bound_body,
                            .dof = model->bound_dof,
                            .n = &model->nbound_row,
                            .nbody = &model->nbound_body,
                            .ndof = &model->nbound_dof};
}

/* Adds a bound with its row. end: what its name ends with */
static cardan_status add_bound(cardan__build *build, const cardan__spec_element *from,
                               const cardan_row *row, double sign, const char *end)
{
  cardan_model *model = build->model;
  cardan_bound *bound = &model->bound[model->nbound];
  char text[CARDAN__SUFFIXED_NAME];
  if (from->name != NULL) {
    snprintf(text, sizeof text, "%s%s", from->name, end);
  } else {
    snprintf(text, sizeof text, "%s%d%s", cardan__element_word(from->kind),
             build->kind_count[from->kind], end);
  }
  cardan_row *added = cardan__row_add(model, rows_of(model), row);
  added->constraint = -1;
  *bound = (cardan_bound){.name = cardan__build_string(build, text),
                          .kind = from->kind,
                          .row = (int)(added - model->bound_row),
                          .sign = sign,
                          .pos = from->pos};
  if (added->nb == 0 && added->nd == 0) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, from->pos,
                       "this %s holds nothing that moves, expected a coordinate or a frame of a "
                       "moving body in it",
                       cardan__element_word(from->kind));
  }
  if (!cardan__row_moves(model, rows_of(model), added)) {
    cardan__build_warn(build,
                       "\"%.60s\" (%s) holds nothing but prescribed motions: no force can keep it",
                       text, cardan__element_word(from->kind));
  }
  model->nbound++;
  return CARDAN_OK;
}

/* ---- kinds ---- */

static cardan_status fill_stop(cardan__build *build, const cardan__spec_element *from)
{
  cardan_row row = cardan__empty_row(CARDAN_ROW_COORD);
  cardan_status status = cardan__build_coordinate(build, from, 0, &row.var[0]);
  if (status != CARDAN_OK) {
    return status;
  }
  row.var[1] = row.var[0];
  row.coef[0] = 1;
  row.length = cardan__q_slides(build->model, row.var[0]) ? 0 : 1;
  status = add_bound(build, from, &row, 1, ".low");
  return status == CARDAN_OK ? add_bound(build, from, &row, -1, ".high") : status;
}

static cardan_status settle_stop(cardan_model *model, const cardan__spec_element *from,
                                 // NOLINTNEXTLINE(readability-non-const-parameter): of all kinds
                                 cardan_bound *b, double *work, cardan_report *report)
{
  (void)work;
  (void)report;
  for (int side = 0; side < 2; side++) {
    model->bound_row[b[side].row].value = from->value[side];
    b[side].restitution = from->value[2];
  }
  return CARDAN_OK;
}

static void check_stop(cardan_spec *spec, cardan__spec_element *e)
{
  if (cardan__spec_limit(spec, e->value[0], e->value[1])) {
    cardan__spec_restitution(spec, e->value[2]);
  }
}

const cardan__element cardan__element_stop = {
    .usage = "(stop \"q\" low high (restitution e))",
    .argument = {{CARDAN__ARG_VAR, 0, NULL},
                 {CARDAN__ARG_VALUE, 0, "the lower end"},
                 {CARDAN__ARG_VALUE, 1, "the upper end"},
                 {CARDAN__ARG_SHARE_OPTION, 2, "restitution"}},
    .draw = CARDAN__DRAW_STOPS,
    .check = check_stop,
    .nrow = 2,
    .rows = fill_stop,
    .settle_bounds = settle_stop,
};

static cardan_status fill_rope(cardan__build *build, const cardan__spec_element *from)
{
  int frame[2];
  cardan_row row;
  cardan_status status = cardan__build_frame(build, from->frame[0], from->pos, &frame[0]);
  status = status == CARDAN_OK ? cardan__build_frame(build, from->frame[1], from->pos, &frame[1])
                               : status;
  status = status == CARDAN_OK ? cardan__build_wire_row(build, from, frame, &row) : status;
  return status == CARDAN_OK ? add_bound(build, from, &row, -1, "") : status;
}

static cardan_status settle_rope(cardan_model *model, const cardan__spec_element *from,
                                 cardan_bound *b, double *work, cardan_report *report)
{
  b->restitution = from->value[0];
  return cardan__settle_length(model, &model->bound_row[b->row], "rope", b->pos, work, report);
}

static void check_rope(cardan_spec *spec, cardan__spec_element *e)
{
  cardan__spec_restitution(spec, e->value[0]);
  if (!spec->status && e->expr[0] != NULL) {
    cardan__check_length(spec, e, "rope");
  }
}

const cardan__element cardan__element_rope = {
    .usage = "(rope \"A\" \"B\" length (restitution e))",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_EXPR, 0, "the length"},
                 {CARDAN__ARG_SHARE_OPTION, 0, "restitution"}},
    .leaves = CARDAN__LEAVES_T,
    .draw = CARDAN__DRAW_CORD,
    .check = check_rope,
    .nrow = 1,
    .rows = fill_rope,
    .settle_bounds = settle_rope,
};

static cardan_status fill_inequality(cardan__build *build, const cardan__spec_element *from)
{
  cardan_row row;
  const cardan_status status = cardan__build_expr_row(build, from, &row);
  return status == CARDAN_OK ? add_bound(build, from, &row, 1, "") : status;
}

static cardan_status settle_inequality(cardan_model *model, const cardan__spec_element *from,
                                       // NOLINTNEXTLINE(readability-non-const-parameter): of all
                                       cardan_bound *b, double *work, cardan_report *report)
{
  (void)model;
  (void)work;
  (void)report;
  b->restitution = from->value[0];
  return CARDAN_OK;
}

static void check_inequality(cardan_spec *spec, cardan__spec_element *e)
{
  cardan__spec_restitution(spec, e->value[0]);
}

const cardan__element cardan__element_inequality = {
    .usage = "(inequality expression (restitution e))",
    .argument = {{CARDAN__ARG_EXPR, 0, NULL}, {CARDAN__ARG_SHARE_OPTION, 0, "restitution"}},
    .leaves = CARDAN__LEAVES_T | CARDAN__LEAVES_Q | CARDAN__LEAVES_PLACE,
    .draw = CARDAN__DRAW_COUPLING,
    .check = check_inequality,
    .nrow = 1,
    .rows = fill_inequality,
    .settle_bounds = settle_inequality,
};
