// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "kinematics/view.h"
#include "model/build.h"
#include "steppers/sim.h"

/* A look at the tables of a model's expressions: does the node lie beyond the points of one? There
 * it goes on straight, or is held, which is nobody's measurement. Only tables that have a part in
 * the result count, at nodes that are looked at anyway; what outputs read of sensors is not known
 * here. */

static bool has_tables(const cardan_bound_expr *e)
{
  return e->expr->tables > 0 && !(e->expr->uses & CARDAN__LEAVES_SENSE);
}

void cardan__watch_tables(cardan_sim *sim)
{
  cardan__watch *w = &sim->watch;
  const cardan_model *model = sim->model;
  if (w->looks == 0) {
    w->ntable = 0;
    for (int i = 0; i < model->nexpr; i++) {
      w->ntable += has_tables(&model->expr[i]);
    }
  }
  if (w->ntable == 0 || w->left > 0) {
    return;
  }
  const cardan__view view = cardan__data_view(model, sim->data);
  double *x = view.work, *work = x + 8 * model->max_leaf;
  for (int i = 0; i < model->nexpr && w->left == 0; i++) {
    if (has_tables(&model->expr[i])) {
      cardan__leaf_values(model, &view, &model->expr[i], x, NULL, NULL);
      if (cardan__expr_beyond(model->expr[i].expr, x, work, &w->left_x, &w->left_end)) {
        w->left = i + 1;
        w->left_t = view.t;
      }
    }
  }
}

void cardan__watch_tables_end(cardan_sim *sim)
{
  const cardan__watch *w = &sim->watch;
  const size_t size = sizeof sim->watch_text, used = strlen(sim->watch_text);
  if (w->left == 0 || strstr(sim->watch_text, "a table of line")) {
    return;
  }
  snprintf(sim->watch_text + used, size - used,
           "%sat t = %.6g a table of line %d was left: %.6g is beyond its point at %.6g, and what "
           "it says there is no data",
           used > 0 ? "; " : "", w->left_t, sim->model->expr[w->left - 1].pos.line, w->left_x,
           w->left_end);
}
