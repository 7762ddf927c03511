// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "analysis/statics_inside.h"
#include "cardan/constraints.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "linalg/linalg.h"
#include "linalg/small.h"

/* Rows of velocity level, A v = b, in statics. At rest they hold no position, but limit where a
 * mechanism may go from one:
 *   A dq = 0 in the middle of a step                                                        (E1)
 * With (E1) a step follows a motion that the rows allow to second order, and the slope of forces
 * along it is (E3) of statics_slope.c, whose symmetric part is the second derivative of the energy.
 * With A dq = 0 at the start of the step instead, loads of the rows would do work on the way. */

void cardan__statics_point_slip(cardan__statics_point *s, const double *q, const double *dq,
                                double *slip)
{
  const cardan_model *model = s->model;
  const size_t nv = (size_t)model->nv;
  cardan_q_move(model, q, dq, 0.5, s->data->q);
  cardan_joints(model, s->data);
  cardan_poses(model, s->data);
  cardan_jacobian(model, s->data, s->dense);
  for (int r = 0; r < s->k; r++) {
    const bool slips = r < model->nrow && model->row[r].velocity;
    slip[r] = slips ? cardan__dot(model->nv, s->dense + (size_t)r * nv, dq) : 0;
  }
}

/* The rest is of third order in the step: two rounds. */
void cardan__statics_point_bend(cardan__statics_point *s, const double *q, double *dq)
{
  enum { ROUNDS = 2 };
  const size_t n = (size_t)s->n;
  for (int round = 0; round < ROUNDS && s->n > 0; round++) {
    cardan__statics_point_slip(s, q, dq, s->phi);
    for (int r = 0; r < s->k; r++) {
      s->b[r] = -s->weight[r] * s->phi[r];
    }
    memcpy(s->A, s->J, (size_t)s->k * n * sizeof *s->A);
    if (cardan__min_norm(s->k, s->n, s->A, s->b, 1e-10, s->x, s->work, s->index) < 0) {
      return;
    }
    cardan__statics_point_backward(s->n, s->L, s->x);
    for (int j = 0; j < s->n; j++) {
      dq[s->dof[j]] += s->x[j];
    }
  }
}

cardan_status cardan__statics_moving_row(const cardan__statics_point *s, cardan_report *report)
{
  const double rounding = 1e-12;
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  if (model->nvelocity_row == 0) {
    return CARDAN_OK;
  }
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, data); // at rest: drivers stand still
  cardan__rows_rates(&set, &view, data->rows.phi_t, NULL);
  for (int r = 0; r < model->nrow; r++) {
    const double b = model->row[r].velocity ? data->rows.phi_t[r] : 0;
    if (!(fabs(b) <= rounding * model->row[r].length)) {
      const cardan_constraint *c = &model->constraint[model->row[r].constraint];
      return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, c->pos,
                         "constraint \"%.60s\" asks for a motion (its velocities add up to %.3g, "
                         "not 0), so that nothing can be at rest",
                         c->name, -b);
    }
  }
  return CARDAN_OK;
}
