// SPDX-License-Identifier: Apache-2.0
#include "constraints/assemble.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "kinematics/closing_angle.h"
#include "linalg/linalg.h"
#include "model/joint_table.h"
#include "spatial/spatial.h"

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

/* Returns whether some rows contradict others: then no step can reduce the remaining violations,
 * J^T Phi = 0, or nearly. */
static bool is_contradictory(cardan__assembler *as)
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

/* Does the constraint join two frames of one body? */
static bool is_in_one_body(const cardan_model *model, const cardan_constraint *c)
{
  return c->frame[0] >= 0 && c->frame[1] >= 0 &&
         model->frame[c->frame[0]].body == model->frame[c->frame[1]].body;
}

static cardan_status fail_open(cardan__assembler *as, cardan_report *report)
{
  const cardan_model *model = as->model;
  const cardan_row *row = &model->row[as->worst_row];
  const cardan_constraint *c = &model->constraint[row->constraint];
  const int lying = isfinite(as->worst) ? -1 : cardan__lying_disc(model, as->data, 0.0);
  char fixed[256], few[128] = "";
  list_fixed(model, fixed, sizeof fixed);
  if (as->worst < 1e-3 * (1.0 + model->size_length)) {
    snprintf(few, sizeof few,
             "; if its data have few digits, option closing %.1g takes it as closed",
             2.0 * as->worst);
  }
  if (lying >= 0) {
    return cardan__refuse_lying_disc(model, lying, report);
  }
  if (!isfinite(as->worst)) {
    return cardan_fail(report, CARDAN_ERR_ASSEMBLY, c->pos,
                       "constraint \"%.60s\" is not a finite number at the start", c->name);
  }
  if (is_in_one_body(model, c) && is_contradictory(as)) {
    return cardan_fail(
        report, CARDAN_ERR_ASSEMBLY, c->pos,
        "constraint \"%.60s\" joins two frames of one body, which never move against "
        "each other, and is off by %.3g m or rad wherever that body is; correct it, "
        "or leave it out%s",
        c->name, as->worst, few);
  }
  return cardan_fail(
      report, CARDAN_ERR_ASSEMBLY, c->pos,
      "constraint \"%.60s\" cannot be closed: it stays off by %.3g %s after %d steps%s%s%s",
      c->name, as->worst, row->kind == CARDAN_ROW_DOT ? "rad" : "m or rad", as->iterations,
      is_contradictory(as)
          ? ", and no small motion brings it closer: the constraints contradict one "
            "another, or the parts do not reach"
          : "",
      fixed, few);
}

static cardan_status fail_turned(const cardan_model *model, int constraint, cardan_report *report)
{
  const cardan_constraint *c = &model->constraint[constraint];
  return cardan_fail(report, CARDAN_ERR_ASSEMBLY, c->pos,
                     "constraint \"%.60s\" closes only half a turn off: frame \"%.60s\" is not "
                     "turned to \"%.60s\" as that joint turns; give a start nearer to what is "
                     "meant, or turn one of the frames by half a turn",
                     c->name, model->frame[c->frame[1]].name, model->frame[c->frame[0]].name);
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

/* The start as it was handed over, q_first and v_first, and after poses were gone to. given: by
 * the user, in the file or later. */
typedef struct {
  double *q, *v;
  double *q_first, *v_first;
  bool *q_given, *v_given;
} seeds;

static bool is_kinematic(const cardan_model *model, int body)
{
  return model->body[body].flags & CARDAN_LINK_KINEMATIC;
}

static void fill_positions(const cardan_model *model, const cardan_data *data, const seeds *seed,
                           cardan_assembly *result)
{
  for (int i = 0; i < model->nq; i++) {
    const double change =
        is_kinematic(model, model->q_body[i])
            ? 0.0
            : coordinate_change(model, seed->q_given[i] ? seed->q_first : seed->q, data->q, i);
    if (change > result->q_change) {
      result->q_change = change;
      result->q_index = i;
    }
    const double given =
        is_kinematic(model, model->q_body[i]) ? fabs(data->q[i] - seed->q_first[i]) : change;
    if (seed->q_given[i] && given > result->q_lost.change) {
      result->q_lost = (cardan_lost){i, seed->q_first[i], data->q[i], given};
    }
  }
}

/* A velocity as the user gave it, or as it was when the loops were to be closed. */
static double requested_velocity(const seeds *seed, int i)
{
  return seed->v_given[i] ? seed->v_first[i] : seed->v[i];
}

static void fill_driver(const cardan_data *data, const seeds *seed, int i, cardan_assembly *result)
{
  const double change = fabs(data->v[i] - requested_velocity(seed, i));
  if (change > result->driver_change) {
    result->driver_change = change;
    result->driver = i;
    result->driver_given = seed->v_given[i];
  }
}

static void fill_velocities(const cardan_model *model, const cardan_data *data, const seeds *seed,
                            cardan_assembly *result)
{
  for (int i = 0; i < model->nv; i++) {
    const double change = fabs(data->v[i] - requested_velocity(seed, i));
    if (is_kinematic(model, model->v_body[i])) {
      fill_driver(data, seed, i, result);
      continue;
    }
    if (change > result->v_change) {
      result->v_change = change;
      result->v_index = i;
    }
    if (seed->v_given[i] && change > result->v_lost.change) {
      result->v_lost = (cardan_lost){i, seed->v_first[i], data->v[i], change};
    }
    result->fixed_velocity =
        result->fixed_velocity || (change > 0.0 && cardan__body_fixed(model, model->v_body[i]));
  }
  for (int r = 0; r < model->nrow; r++) {
    if (model->row[r].kind == CARDAN_ROW_MOTION) {
      fill_driver(data, seed, model->body[model->q_body[model->row[r].var[0]]].vadr, result);
    }
  }
}

/* ---- whole ---- */

/* Is the state on the constraints as it is, in their sense? Then no matrix is needed. */
static bool is_closed(const cardan_model *model, cardan_data *data, double *rate,
                      cardan_assembly *result)
{
  const cardan__rowset set = cardan__model_rows(model);
  int row = 0;
  cardan_joints(model, data);
  cardan_poses(model, data);
  result->violation = cardan_constraint_max(model, data);
  if (!(result->violation <= 1e-12 * (1.0 + model->size_length)) ||
      cardan__wrong_sense(model, data) >= 0) {
    return false;
  }
  const cardan__view view = cardan__data_view(model, data);
  cardan__rows_jacobian(&set, &view, &data->rows);
  return cardan__rates_look(model, data, rate, &row) <= 1e-13;
}

/* data's q at the seed, or near it. */
static void start_again(cardan__assembler *as, const seeds *seed, int attempt)
{
  static const double around[] = {0.0, 0.5, 1.0, 2.0, 3.0}; // [rad, or sizes of the mechanism]
  enum { AROUND = sizeof around / sizeof around[0] };
  memcpy(as->data->q, seed->q, (size_t)as->model->nq * sizeof *seed->q);
  cardan_prescribe(as->model, as->data);
  if (attempt > 0) {
    cardan__assembler_shake(as, around[attempt % AROUND], 50 + attempt);
  }
}

/* Closes the loops with all pairs in their sense: with the rows that show it from the seed, and
 * from places around it, and then as they are. wide: over those rows. */
static bool close_in_sense(cardan__assembler *as, cardan__assembler *wide, const seeds *seed)
{
  enum { ATTEMPTS = 20 };
  const double m = wide->model->nrow, n = wide->model->nv;
  double spent = 0.0; // products of numbers, about: some seconds are enough
  for (int i = 0; i < ATTEMPTS && spent < 1e10; i++) {
    start_again(wide, seed, i);
    const bool closed = (i == 0 && cardan__assembler_keep(wide, seed->q_given)) ||
                        cardan__assembler_close_loops(wide);
    if (closed && cardan__assembler_close_loops(as) &&
        cardan__wrong_sense(as->model, as->data) < 0) {
      as->iterations += wide->iterations;
      as->kicks += wide->kicks + i;
      return true;
    }
    spent += 4.0 * wide->iterations * m * n * fmin(m, n);
  }
  return false;
}

/* For loops that closed in a wrong sense, that of a constraint. */
static cardan_status fail_sense(cardan__assembler *as, const seeds *seed, int constraint,
                                cardan_report *report)
{
  cardan__sensed sensed;
  cardan__assembler wide;
  cardan_status status = cardan__sensed_open(&sensed, as->model, as->data);
  if (status != CARDAN_OK) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
  }
  status = cardan__assembler_open(&wide, &sensed.model, &sensed.data, true);
  if (status == CARDAN_ERR_MEMORY) {
    cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
  } else {
    const bool closed = status == CARDAN_OK && close_in_sense(as, &wide, seed);
    status = closed ? CARDAN_OK : fail_turned(as->model, constraint, report);
  }
  cardan__assembler_close(&wide);
  cardan__sensed_close(&sensed);
  return status;
}

static cardan_status assemble(const cardan_model *model, cardan_data *data, const seeds *seed,
                              cardan_assembly *result, cardan_report *report)
{
  cardan__assembler as;
  bool closed = false;
  cardan_status status = CARDAN_OK;
  if (cardan__assembler_large(model)) {
    status = cardan__close_many(model, data, seed->v_given, result, &closed);
  }
  if (closed && cardan__wrong_sense(model, data) < 0) {
    return CARDAN_OK;
  }
  memcpy(data->q, seed->q, (size_t)model->nq * sizeof *data->q);
  memcpy(data->v, seed->v, (size_t)model->nv * sizeof *data->v);
  cardan_prescribe(model, data);
  status = status == CARDAN_OK ? cardan__assembler_open(&as, model, data, true) : status;
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
  closed = cardan__assembler_keep(&as, seed->q_given) || cardan__assembler_close_loops(&as);
  status = closed ? CARDAN_OK : fail_open(&as, report);
  const int wrong = closed ? cardan__wrong_sense(model, data) : -1;
  if (wrong >= 0) {
    status = fail_sense(&as, seed, wrong, report);
  }
  result->iterations = as.iterations;
  result->kicks = as.kicks;
  result->violation = as.worst < 0.0 ? 0.0 : as.worst; // -1: no row holds positions
  result->open = as.open;
  if (status == CARDAN_OK) {
    status = cardan__close_velocities(&as, seed->v_given, report);
  }
  cardan__assembler_close(&as);
  return status;
}

/* Room for the seeds, and for rates. */
static double *layout(const cardan_model *model, cardan__carver *c, seeds *seed)
{
  seed->q = CARDAN__CARVE(c, model->nq, double);
  seed->v = CARDAN__CARVE(c, model->nv, double);
  seed->q_first = CARDAN__CARVE(c, model->nq, double);
  seed->v_first = CARDAN__CARVE(c, model->nv, double);
  seed->q_given = CARDAN__CARVE(c, model->nq, bool);
  seed->v_given = CARDAN__CARVE(c, model->nv, bool);
  return CARDAN__CARVE(c, model->nrow + 1, double);
}

static void store_seeds(const cardan_model *model, const cardan_data *data, seeds *seed)
{
  for (int i = 0; i < model->nq; i++) {
    seed->q[i] = seed->q_first[i] = data->q[i];
    seed->q_given[i] = data->q_given[i] || data->q[i] != model->q0[i];
  }
  for (int i = 0; i < model->nv; i++) {
    seed->v[i] = seed->v_first[i] = data->v[i];
    seed->v_given[i] = data->v_given[i] || data->v[i] != model->v0[i];
  }
}

/* Moves frames to their poses first; loops are closed from there. Coordinates that this moves and
 * that were not given count as free. */
static cardan_status reach_poses(const cardan_model *model, cardan_data *data, seeds *seed,
                                 cardan_report *report)
{
  const cardan_status status = cardan__go_to_poses(model, data, report);
  if (status == CARDAN_OK) {
    memcpy(seed->q, data->q, (size_t)model->nq * sizeof *seed->q);
    memcpy(seed->v, data->v, (size_t)model->nv * sizeof *seed->v);
  }
  return status;
}

cardan_status cardan_assemble(const cardan_model *model, cardan_data *data, cardan_assembly *result,
                              cardan_report *report)
{
  cardan_assembly unused;
  cardan_assembly *out = result ? result : &unused;
  cardan__carver c = {0};
  seeds seed;
  cardan_status status = CARDAN_OK;
  *out = (cardan_assembly){
      .q_index = -1, .v_index = -1, .driver = -1, .q_lost.index = -1, .v_lost.index = -1};
  layout(model, &c, &seed);
  void *block = cardan__resize(&data->allocator, NULL, cardan__carver_size(&c));
  if (!block) {
    return cardan__no_memory(report);
  }
  c = cardan__carver_over(block);
  double *rate = layout(model, &c, &seed);
  store_seeds(model, data, &seed);
  cardan_prescribe(model, data);
  if (!data->posed) {
    status = reach_poses(model, data, &seed, report);
  }
  if (status == CARDAN_OK && model->nrow > 0 && !is_closed(model, data, rate, out)) {
    status = assemble(model, data, &seed, out, report);
  }
  if (status == CARDAN_OK) {
    fill_positions(model, data, &seed, out);
    fill_velocities(model, data, &seed, out);
    cardan_kinematics(model, data);
    cardan__closing_angle_start(model, data, NULL);
    data->posed = true;
  } else {
    memcpy(data->q, seed.q_first, (size_t)model->nq * sizeof *data->q);
    memcpy(data->v, seed.v_first, (size_t)model->nv * sizeof *data->v);
  }
  cardan__resize(&data->allocator, block, 0);
  return status;
}
