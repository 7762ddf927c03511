// SPDX-License-Identifier: Apache-2.0
#include "constraints/assemble.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "linalg/linalg.h"
#include "model/joint_table.h"
#include "spatial/spatial.h"

static const double rcond = 1e-9; // as in newton.c

/* ---- messages ---- */

/* `; fixed are "J", "H"`, or nothing */
static void list_fixed(const cardan_model *model, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < model->nq && used + 80 < size; i++) {
    if (model->q_fixed[i]) {
      const int n = snprintf(text + used, size - used, "%s\"%.32s\"",
                             used == 0 ? "; fixed are " : ", ", model->q_name[i]);
      used += n > 0 ? (size_t)n : 0;
    }
  }
}

/* Do some of the rows ask for what others forbid? So it is when the violations that are left lie
 * outside what any step can change: J^T Phi = 0, or nearly. */
static bool contradict(cardan__assembler *as)
{
  const cardan_model *model = as->model;
  double slope = 0.0, size = 0.0;
  cardan__assembler_linearise(as);
  for (int k = 0; k < model->nv; k++) {
    double sum = 0.0;
    for (int r = 0; r < model->nrow; r++) {
      sum += as->J[(size_t)r * (size_t)model->nv + (size_t)k] * as->b[r];
    }
    slope += sum * sum;
  }
  for (int r = 0; r < model->nrow; r++) {
    size += as->b[r] * as->b[r];
  }
  // J is of size 1; Newton stops where a step gains less than 1e-3: slopes of some percent stay
  return slope < 1e-2 * size;
}

static cardan_status fail_open(cardan__assembler *as, cardan_report *report)
{
  const cardan_model *model = as->model;
  const cardan_row *row = &model->row[as->worst_row];
  const cardan_constraint *c = &model->constraint[row->constraint];
  char fixed[256];
  list_fixed(model, fixed, sizeof fixed);
  if (!isfinite(as->worst)) {
    return cardan_fail(report, CARDAN_ERR_ASSEMBLY, c->pos,
                       "constraint \"%.60s\" is not a finite number at the start", c->name);
  }
  return cardan_fail(
      report, CARDAN_ERR_ASSEMBLY, c->pos,
      "constraint \"%.60s\" cannot be closed: it stays off by %.3g %s after %d steps%s%s", c->name,
      as->worst, row->kind == CARDAN_ROW_DOT ? "rad" : "m or rad", as->iterations,
      contradict(as) ? ", and no small motion brings it closer: the constraints contradict one "
                       "another, or the parts do not reach"
                     : "",
      fixed);
}

/* ---- velocities ---- */

/* J v + phi_t at data's v, to rate (nrow); the largest one relative to what it is a sum of. */
static double look_at_rates(const cardan_model *model, cardan_data *data, double *rate, int *row)
{
  const cardan__rowset set = cardan__model_rows(model);
  cardan_rows *rows = &data->rows;
  double largest = -1.0;
  cardan_velocities(model, data);
  const cardan__view view = cardan__data_view(model, data);
  cardan__rows_rates(&set, &view, rows->phi_t, NULL);
  cardan__rows_apply(&set, rows, data->V, data->v, rate);
  for (int r = 0; r < model->nrow; r++) {
    const cardan_row *k = &model->row[r];
    double size = 1.0 + fabs(rows->phi_t[r]);
    for (int i = k->badr; i < k->badr + k->nb; i++) {
      const cardan_motion V = data->V[model->row_body[i]];
      size += sqrt(cardan__vec3_dot(V.v, V.v)) + k->length * sqrt(cardan__vec3_dot(V.w, V.w));
    }
    rate[r] += rows->phi_t[r];
    if (!(fabs(rate[r]) <= largest * size)) {
      largest = fabs(rate[r]) / size;
      *row = r;
    }
  }
  return largest;
}

/* Rates to 0 by the least change of the free velocities; needs J at this q. */
static bool change_velocities(cardan__assembler *as, double *rate, int *row)
{
  const cardan_model *model = as->model;
  cardan_data *data = as->data;
  // rounding of a velocity that loops determine is eps times a condition number, here up to 1e6
  const double tol = 1e-10;
  if (look_at_rates(model, data, rate, row) <= tol * 1e-3) {
    return true;
  }
  // the second round takes what rounding of the first left
  for (int round = 0; round < 2; round++) {
    for (int r = 0; r < model->nrow; r++) {
      as->b[r] = -rate[r] / model->row[r].length;
    }
    if (as->large) {
      if (!cardan__damped(model->nrow, model->nv, as->J, as->b, 1e-8, as->x, as->work)) {
        return false;
      }
    } else if (cardan__min_norm(model->nrow, model->nv, as->J, as->b, rcond, as->x, as->work,
                                as->index) < 0) {
      return false;
    }
    for (int k = 0; k < model->nv; k++) {
      data->v[k] += as->x[k] * as->unit[k];
    }
    look_at_rates(model, data, rate, row);
  }
  return look_at_rates(model, data, rate, row) <= tol;
}

static cardan_status close_velocities(cardan__assembler *as, const double *v_seed, double *rate,
                                      cardan_assembly *result, cardan_report *report)
{
  const cardan_model *model = as->model;
  cardan_data *data = as->data;
  int row = 0;
  cardan__assembler_linearise(as);
  if (change_velocities(as, rate, &row)) {
    return CARDAN_OK;
  }
  // velocities of fixed coordinates must give way
  memcpy(data->v, v_seed, (size_t)model->nv * sizeof *data->v);
  cardan_prescribe(model, data);
  for (int k = 0; k < model->nv; k++) {
    as->locked[k] = model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
  }
  cardan__assembler_linearise(as);
  result->fixed_velocity = true;
  if (change_velocities(as, rate, &row)) {
    return CARDAN_OK;
  }
  const cardan_constraint *c = &model->constraint[model->row[row].constraint];
  return cardan_fail(
      report, CARDAN_ERR_ASSEMBLY, c->pos,
      "constraint \"%.60s\" is closed, but no velocities keep it so (its rate stays %.3g): the "
      "start is a singular position, or two drivers contradict each other",
      c->name, rate[row]);
}

/* ---- result ---- */

/* Change of coordinate i; of the whole angle for a part of a quaternion. */
static double coordinate_change(const cardan_model *model, const double *q0, const double *q1,
                                int i)
{
  const cardan_body *b = &model->body[model->q_body[i]];
  const int first = b->qadr + cardan__quat_of(b->nq, b->nv);
  if (b->nq == 1 || i < first) {
    return fabs(q1[i] - q0[i]);
  }
  // q and -q are one rotation; a turn by theta moves a unit quaternion by 2 sin(theta / 4)
  double near = 0.0, far = 0.0;
  for (int k = first; k < first + 4; k++) {
    near += (q1[k] - q0[k]) * (q1[k] - q0[k]);
    far += (q1[k] + q0[k]) * (q1[k] + q0[k]);
  }
  return 4.0 * asin(fmin(1.0, 0.5 * sqrt(fmin(near, far))));
}

static void fill_result(const cardan_model *model, const cardan_data *data, const double *q_seed,
                        const double *v_seed, cardan_assembly *result)
{
  for (int i = 0; i < model->nq; i++) {
    const bool kinematic = model->body[model->q_body[i]].flags & CARDAN_LINK_KINEMATIC;
    const double change = kinematic ? 0.0 : coordinate_change(model, q_seed, data->q, i);
    if (change > result->q_change) {
      result->q_change = change;
      result->q_index = i;
    }
  }
  for (int i = 0; i < model->nv; i++) {
    const bool kinematic = model->body[model->v_body[i]].flags & CARDAN_LINK_KINEMATIC;
    const double change = fabs(data->v[i] - v_seed[i]);
    if (!kinematic && change > result->v_change) {
      result->v_change = change;
      result->v_index = i;
    }
    if (kinematic && change > result->driver_change) {
      result->driver_change = change;
      result->driver = i;
    }
  }
  for (int r = 0; r < model->nrow; r++) {
    const cardan_row *row = &model->row[r];
    if (row->kind == CARDAN_ROW_MOTION) {
      const int i = model->body[model->q_body[row->var[0]]].vadr;
      if (fabs(data->v[i] - v_seed[i]) > result->driver_change) {
        result->driver_change = fabs(data->v[i] - v_seed[i]);
        result->driver = i;
      }
    }
  }
}

/* ---- whole ---- */

/* Is the state on the constraints as it is? Then no matrix is needed. */
static bool is_closed(const cardan_model *model, cardan_data *data, double *rate,
                      cardan_assembly *result)
{
  const cardan__rowset set = cardan__model_rows(model);
  int row = 0;
  cardan_joints(model, data);
  cardan_poses(model, data);
  result->violation = cardan_constraint_max(model, data);
  if (!(result->violation <= 1e-12 * (1.0 + model->size_length))) {
    return false;
  }
  const cardan__view view = cardan__data_view(model, data);
  cardan__rows_jacobian(&set, &view, &data->rows);
  return look_at_rates(model, data, rate, &row) <= 1e-13;
}

static cardan_status assemble(const cardan_model *model, cardan_data *data, const double *v_seed,
                              double *rate, cardan_assembly *result, cardan_report *report)
{
  cardan__assembler as;
  cardan_status status = cardan__assembler_open(&as, model, data, true);
  if (status == CARDAN_ERR_UNSUPPORTED) {
    return cardan_fail(
        report, CARDAN_ERR_ASSEMBLY, (cardan_pos){0, 0},
        "the loops are open by %.3g at the start, and %d constraint rows on %d velocities are "
        "too many to close: give a start that is closed",
        result->violation, model->nrow, model->nv);
  }
  if (status != CARDAN_OK) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
  }
  status = cardan__assembler_close_loops(&as) ? CARDAN_OK : fail_open(&as, report);
  result->iterations = as.iterations;
  result->kicks = as.kicks;
  result->violation = as.worst;
  if (status == CARDAN_OK) {
    status = close_velocities(&as, v_seed, rate, result, report);
  }
  cardan__assembler_close(&as);
  return status;
}

cardan_status cardan_assemble(const cardan_model *model, cardan_data *data, cardan_assembly *result,
                              cardan_report *report)
{
  cardan_assembly unused;
  cardan_assembly *out = result ? result : &unused;
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
  const size_t size = nq + nv + (size_t)model->nrow + 1;
  double *seed = cardan__resize(&data->allocator, NULL, size * sizeof *seed);
  cardan_status status = CARDAN_OK;
  *out = (cardan_assembly){.q_index = -1, .v_index = -1, .driver = -1};
  if (!seed) {
    return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "out of memory");
  }
  memcpy(seed, data->q, nq * sizeof *seed);
  memcpy(seed + nq, data->v, nv * sizeof *seed);
  cardan_prescribe(model, data);
  double *rate = seed + nq + nv;
  if (model->nrow > 0 && !is_closed(model, data, rate, out)) {
    status = assemble(model, data, seed + nq, rate, out, report);
  }
  if (status == CARDAN_OK) {
    fill_result(model, data, seed, seed + nq, out);
    cardan_kinematics(model, data);
  } else {
    memcpy(data->q, seed, nq * sizeof *seed);
    memcpy(data->v, seed + nq, nv * sizeof *seed);
  }
  cardan__resize(&data->allocator, seed, 0);
  return status;
}
