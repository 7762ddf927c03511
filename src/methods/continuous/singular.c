// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/aux_rates.h"
#include "dynamics/loops.h"
#include "kinematics/view.h"
#include "methods/continuous/continuous.h"
#include "model/data.h"

/* Singular positions of tree methods: how near one is, and the way over it (singular_crossing.h).
 *
 * d is the square root of the smallest pivot of S = J M^-1 J^T, relative to its diagonal entry: the
 * sine of the angle, in the metric of M^-1, between a row and those before it. Over a crossing of s
 *   q(t + s) = q moved by s v + s^2 a / 2,   v(t + s) = v + s a                             (L1)
 * and both are projected. Where the state is singular itself, at a start, a is the mean of those a
 * little before and after: accelerations along a branch are smooth. */

/* t, q and v of y to look. Velocities do not need the rows where these say nothing: x has them. */
static cardan_status load(cardan__continuous *s, double t, const double *y)
{
  const cardan_model *model = s->base.model;
  const cardan_status status = s->form->velocities(s, t, y);
  s->look->t = t;
  memcpy(s->look->q, s->own->q, (size_t)model->nq * sizeof *s->look->q);
  memcpy(s->look->v, s->own->v, (size_t)model->nv * sizeof *s->look->v);
  cardan__continuous_load_aux_states(s, y, s->look);
  cardan__continuous_inputs(s, t, s->look);
  return status == CARDAN_ERR_SINGULAR ? CARDAN_OK : status;
}

static double fast(void *self, double t, const double *y)
{
  cardan__continuous *s = self;
  return load(s, t, y) == CARDAN_OK ? cardan__loops_size(s->base.model, s->look->v) : 0;
}

static cardan_status pivot_ratio(void *self, double t, const double *y, double ahead, double *d)
{
  cardan__continuous *s = self;
  const cardan_model *model = s->base.model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan_data *look = s->look;
  cardan_status status = load(s, t, y);
  if (status != CARDAN_OK) {
    return status;
  }
  // sizes are what own has seen so far
  for (int r = 0; r < model->nrow; r++) {
    look->loops->S.size[r] = fmax(look->loops->S.size[r], s->own->loops->S.size[r]);
  }
  cardan_q_move(model, look->q, look->v, ahead, look->q);
  look->t = t + ahead;
  cardan_joints(model, look);
  cardan_poses(model, look);
  const cardan__view view = cardan__data_view(model, look);
  cardan__rows_jacobian(&set, &view, &look->rows);
  status = cardan_factor(model, look);
  if (status == CARDAN_OK) {
    status = cardan__loops_factor(model, look);
    *d = sqrt(look->loops->rank.ratio);
  }
  return status == CARDAN_ERR_SINGULAR ? CARDAN_OK : status;
}

cardan_status cardan__continuous_sizes(cardan__continuous *s, double t)
{
  const size_t nrow = (size_t)s->base.model->nrow;
  const double speed = fast(s, t, s->y), around = speed > 0 ? 0.1 / speed : 0;
  double d = 0;
  cardan_status status = CARDAN_OK;
  memset(s->look->loops->S.size, 0, nrow * sizeof d);
  memset(s->own->loops->S.size, 0, nrow * sizeof d);
  for (int side = -1; side <= 1 && status == CARDAN_OK; side++) {
    status = pivot_ratio(s, t, s->y, side * around, &d);
  }
  memcpy(s->own->loops->S.size, s->look->loops->S.size, nrow * sizeof d);
  return status;
}

/* Accelerations and power at t and y, to s->look, whose state that is. If they are not determined
 * there, the mean of those `beside` [s] before and after. */
static cardan_status accelerate(cardan__continuous *s, double t, const double *y, double beside)
{
  const cardan_model *model = s->base.model;
  cardan_data *look = s->look;
  double *mean = s->middle;
  cardan_status status = cardan_forward(model, look, 0, 0);
  if (status != CARDAN_ERR_SINGULAR) {
    return status;
  }
  memset(mean, 0, (size_t)model->nv * sizeof *mean);
  status = CARDAN_OK;
  for (int side = -1; side <= 1 && status == CARDAN_OK; side += 2) {
    status = load(s, t, y);
    cardan_q_move(model, look->q, look->v, side * beside, look->q);
    look->t = t + side * beside;
    status = status == CARDAN_OK ? cardan__project_closely(model, look) : status;
    status = status == CARDAN_OK ? cardan_forward(model, look, 0, 0) : status;
    for (int k = 0; k < model->nv; k++) {
      mean[k] += 0.5 * look->a[k];
    }
  }
  status = status == CARDAN_OK ? load(s, t, y) : status;
  memcpy(look->a, mean, (size_t)model->nv * sizeof *mean);
  return status;
}

/* look back on the constraints; CARDAN_ERR_SINGULAR where that is a long way. */
static cardan_status land_at(cardan__continuous *s)
{
  const cardan_model *model = s->base.model;
  cardan_data *look = s->look;
  const double speed = cardan__loops_size(model, look->v);
  double *q = s->y_try, *x = s->middle;
  memcpy(q, look->q, (size_t)model->nq * sizeof *q);
  memcpy(x, look->v, (size_t)model->nv * sizeof *x);
  const cardan_status status = cardan__project_closely(model, look);
  if (status != CARDAN_OK) {
    return CARDAN_ERR_SINGULAR;
  }
  for (int k = 0; k < model->nv; k++) {
    x[k] -= look->v[k];
  }
  const double turned = cardan__loops_size(model, x);
  cardan_q_difference(model, q, look->q, x);
  const double moved = cardan__loops_size(model, x), d = sqrt(look->loops->rank.ratio);
  return cardan__singular_crossing_missed(moved, d, turned, speed) ? CARDAN_ERR_SINGULAR
                                                                   : CARDAN_OK;
}

static cardan_status cross(void *self, double t, double over, bool land, double *y)
{
  cardan__continuous *s = self;
  const cardan_model *model = s->base.model;
  cardan_data *look = s->look;
  cardan_status status = load(s, t, y);
  status = status == CARDAN_OK ? accelerate(s, t, y, over) : status;
  if (status != CARDAN_OK) {
    return status;
  }
  double *zdot = s->middle + model->nv;
  status = s->nz > 0 ? cardan__aux_rates_at(model, look, zdot) : CARDAN_OK;
  if (status != CARDAN_OK) {
    return status;
  }
  const bool works = s->works || s->pushed;
  const double power = works ? cardan__power_in(model, look) : 0;
  for (int k = 0; k < model->nv; k++) { // (L1)
    s->middle[k] = over * look->v[k] + 0.5 * over * over * look->a[k];
    look->v[k] += over * look->a[k];
  }
  cardan_q_move(model, look->q, s->middle, 1, look->q);
  look->t = t + over;
  status = land ? land_at(s) : CARDAN_OK;
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__continuous_load(s, t + over, look->q);
  memcpy(s->own->v, look->v, (size_t)model->nv * sizeof *look->v);
  memcpy(y, look->q, (size_t)s->nq * sizeof *y);
  for (int k = 0; k < s->nz; k++) {
    y[s->nq + s->nx + k] += over * zdot[k];
  }
  if (works) {
    y[cardan__continuous_work_at(s)] += over * power;
  }
  return s->form->pack(s, y + s->nq);
}

const cardan__singular_crossing_rows cardan__continuous_rows = {
    .pivot_ratio = pivot_ratio, .cross = cross, .fast = fast};
