// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "cardan/kinematics.h"
#include "expr/expr.h"
#include "kinematics/view.h"
#include "model/build.h"

bool cardan__has_tables(const cardan_bound_expr *e)
{
  return e->expr->tables > 0 && !(e->expr->uses & CARDAN__LEAVES_SENSE);
}

int cardan__table_beyond(const cardan_model *model, const cardan_data *data, double *x, double *end)
{
  const cardan__view view = cardan__data_view(model, data);
  double *leaf = view.work, *work = leaf + 8 * model->max_leaf;
  for (int i = 0; i < model->nexpr; i++) {
    if (cardan__has_tables(&model->expr[i])) {
      cardan__leaf_values(model, &view, &model->expr[i], leaf, NULL, NULL);
      if (cardan__expr_beyond(model->expr[i].expr, leaf, work, x, end)) {
        return i;
      }
    }
  }
  return -1;
}

bool cardan_table_exceeded(const cardan_model *model, const cardan_data *data,
                           cardan_exceeded_table *out)
{
  *out = (cardan_exceeded_table){0};
  const int i = cardan__table_beyond(model, data, &out->x, &out->end);
  out->line = i >= 0 ? model->expr[i].pos.line : 0;
  return i >= 0;
}

void cardan_exceeded_table_text(const cardan_exceeded_table *left, double t, char *text,
                                size_t size)
{
  snprintf(text, size,
           "at t = %.6g a table of line %d is left: %.6g is beyond its point at %.6g, and what it "
           "says there is no data",
           t, left->line, left->x, left->end);
}
