// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "kinematics/view.h"
#include "model/build.h"
#include "run/sim.h"

/* Checks the tables of a model's expressions: is the node beyond the points of one? There the table
 * is extrapolated, by a straight line or a constant, without measurements. Only tables that affect
 * the result count, at nodes that are evaluated anyway; what outputs read of sensors is not known
 * here. */

void cardan__watch_tables(cardan_sim *sim)
{
  cardan__watch *w = &sim->watch;
  const cardan_model *model = sim->model;
  if (w->looks == 0) {
    w->ntable = 0;
    for (int i = 0; i < model->nexpr; i++) {
      w->ntable += cardan__has_tables(&model->expr[i]);
    }
  }
  if (w->ntable == 0 || w->left > 0) {
    return;
  }
  w->left = 1 + cardan__table_beyond(model, sim->data, &w->left_x, &w->left_end);
  w->left_t = w->left > 0 ? sim->data->t : w->left_t;
}

void cardan__watch_tables_end(cardan_sim *sim)
{
  cardan__watch *w = &sim->watch;
  const size_t size = sizeof sim->watch_text, used = strlen(sim->watch_text);
  if (w->left == 0 || w->table_reported) {
    return;
  }
  w->table_reported = true;
  snprintf(sim->watch_text + used, size - used,
           "%sat t = %.6g a table of line %d was left: %.6g is beyond its point at %.6g, and what "
           "it says there is no data",
           used > 0 ? "; " : "", w->left_t, sim->model->expr[w->left - 1].pos.line, w->left_x,
           w->left_end);
}
