// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "dynamics/loops.h"
#include "methods/discrete/rolling.h"

/* The first node.
 *
 * A start from (q0, v0) takes the continuous momentum there: order 2 from the first step on. A
 * start from two configurations takes q_1 = q_0 moved by h v_0 as given, as in Johnson & Murphey
 * (2009), V-A, and is of order 1 unless that is the velocity of the first step's middle. Where
 * there are rows of velocity level q_1 goes to A_m x = h b_m, and its momentum to the rows. */

enum { MOST_ROUNDS = 30 };

cardan_status cardan__start_node(cardan__discrete *d, cardan_data *data)
{
  const cardan_model *model = d->model;
  cardan_data *node = d->node;
  node->t = data->t;
  memcpy(node->q, data->q, (size_t)model->nq * sizeof *node->q);
  memcpy(node->v, data->v, (size_t)model->nv * sizeof *node->v);
  memcpy(node->half_turn, data->half_turn, (size_t)model->nturning * sizeof *node->half_turn);
  cardan__node_enter(d);
  cardan__node_place(d);
  cardan_velocities(model, node);
  cardan_status status = d->equation->start(d);
  for (int i = 0; i < d->stages.n; i++) {
    d->stages.history[i].have = 0;
  }
  if (d->border.nloop > 0 && d->border.P == NULL) {
    cardan__rows_begin(d);
  }
  cardan__border_enter(d);
  memset(d->border.lambda, 0, (size_t)d->border.nloop * sizeof *d->border.lambda);
  d->started = false;
  if (d->rolling != NULL) {
    cardan__rolling_start(d->rolling);
  }
  cardan__rank_forget(&d->border.rank);
  cardan__root_start(d);
  d->ledger.now = (cardan__account){.work = 0};
  if (status == CARDAN_OK) {
    status = cardan__node_factor(d); // a joint without inertia shows here, not in a step
  }
  data->info = node->info;
  return status;
}

/* x by the least change to where rows of velocity level hold in the middle of the step, and loops
 * at its end: Newton's method, (B1) of border.c with a residual of 0. */
static cardan_status close_rows(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan__border *b = &d->border;
  const int n = b->n;
  double open = HUGE_VAL;
  b->n = b->nequal; // impulses of what is held come with the equation
  cardan_status status = cardan__root_evaluate(d, true);
  for (int round = 0; status == CARDAN_OK; round++) {
    open = 0;
    for (int j = 0; j < b->nequal; j++) {
      open = fmax(open, fabs(b->phi[b->row[j]]));
    }
    if (open <= b->phi_tol || round == MOST_ROUNDS || !isfinite(open)) {
      break;
    }
    memset(d->r, 0, (size_t)model->nv * sizeof *d->r);
    status = cardan__root_factor(d);
    if (status == CARDAN_OK) {
      cardan__border_direction(d);
      cardan__root_advance(d, 1);
      memset(b->lambda, 0, (size_t)b->n * sizeof *b->lambda);
      status = cardan__root_evaluate(d, false);
    }
  }
  b->n = n;
  if (status == CARDAN_OK && !(open <= b->phi_tol)) {
    cardan_info *info = &d->node->info;
    *info = (cardan_info){.body = -1, .joint = -1, .row = b->row[0], .residual = open};
    snprintf(info->message, sizeof info->message,
             "the second configuration of the start could not be moved to where constraints on "
             "velocities hold: they stay open by %.2g",
             open);
    status = CARDAN_ERR_NO_CONVERGENCE;
  }
  return status;
}

cardan_status cardan__start_given(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan_data *trial = d->trial;
  cardan_status status = CARDAN_OK;
  trial->t = d->t_end;
  cardan_q_move(model, d->node->q, d->node->v, d->h, trial->q);
  cardan_prescribe(model, trial);
  if (model->nrow > 0) {
    memcpy(trial->v, d->node->v, (size_t)model->nv * sizeof *trial->v);
    status = cardan__project(model, trial); // loops are closed by the least change
  }
  if (status != CARDAN_OK) {
    d->node->info = trial->info;
    return status;
  }
  cardan_q_difference(model, d->node->q, trial->q, d->x.dq);
  cardan__displacement_set(model, &d->x);
  status = d->rolling != NULL ? close_rows(d) : cardan__root_evaluate(d, true);
  for (int k = 0; k < model->nv; k++) { // there is no equation at the first node, but drivers act
    d->r[k] = cardan__prescribed(model, k) ? d->r[k] : 0;
  }
  return status;
}
