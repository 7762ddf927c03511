// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/assemble.h"
#include "constraints/rows.h"
#include "linalg/linalg.h"
#include "model/joint_table.h"
#include "spatial/spatial.h"

/* Start values from poses of frames: positions by inverse_kinematics.c, then velocities
 *   J_F v = (w, v) of each pose that has a velocity,   G v = -Phi_t                          (E1)
 * by the shortest change of v, at first without changing given velocities. If (E1) has no solution,
 * it is solved by least squares, and a remaining error makes the start fail.
 * Dense, O((6 poses + rows)^2 nv), at a start. */

enum { ATTEMPTS = 12 };

static const double moving = 1e-8; // largest relative error of a velocity; closing leaves 1e-10

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  cardan_goal *goal; // npose
  double *q;         // nq: where the search begins
  double *x;         // nv
  int m;             // equations of (E1)
  double *A, *J, *b; // m x nv; 6 or nrow x nv; m
  double *work;
  int *index; // nv
} search;

static void layout(void *what, cardan__carver *c)
{
  search *s = what;
  const size_t nv = (size_t)s->model->nv, rows = (size_t)s->model->nrow;
  s->goal = CARDAN__CARVE(c, s->model->npose, cardan_goal);
  s->q = CARDAN__CARVE(c, s->model->nq, double);
  s->x = CARDAN__CARVE(c, nv, double);
  s->A = CARDAN__CARVE(c, (size_t)s->m * nv, double);
  s->J = CARDAN__CARVE(c, (rows > 6 ? rows : 6) * nv, double);
  s->b = CARDAN__CARVE(c, s->m, double);
  s->work = CARDAN__CARVE(c, cardan__min_norm_work(s->m, s->model->nv), double);
  s->index = CARDAN__CARVE(c, nv, int);
}

/* ---- positions ---- */

/* q where the search began, or around it: the same places on every machine. */
static void start_again(const search *s, int attempt)
{
  static const double around[] = {0.3, 1.0, 2.0, 3.0}; // [rad, or lengths of the mechanism]
  const cardan_model *model = s->model;
  memcpy(s->data->q, s->q, (size_t)model->nq * sizeof *s->q);
  if (attempt == 0) {
    return;
  }
  cardan__random_step(model->nv, around[attempt % 4], 80 + attempt, s->x);
  for (int k = 0; k < model->nv; k++) {
    const int body = model->v_body[k];
    const bool held =
        (model->body[body].flags & CARDAN_LINK_KINEMATIC) || cardan__body_fixed(model, body);
    s->x[k] = held ? 0.0 : s->x[k] * cardan__velocity_unit(model, k);
  }
  cardan_q_move(model, s->q, s->x, 1.0, s->data->q);
}

static cardan_status fail_place(const search *s, const cardan_inverse_kinematics_result *best,
                                cardan_report *report)
{
  const cardan_model *model = s->model;
  const cardan_pose *pose = &model->pose[best->worst >= 0 ? best->worst : 0];
  return cardan_fail(report, CARDAN_ERR_ASSEMBLY, pose->pos,
                     "the pose of \"%.60s\" cannot be reached: at best the frame stays %.3g m and "
                     "%.3g rad off (%s%d coordinate%s at a limit); expected one within reach, "
                     "without a rotation where only the place counts, or a start nearer to it",
                     model->frame[pose->frame].name, best->place, best->turn,
                     best->violation > 1e-6 ? "loops open, " : "", best->limited,
                     best->limited == 1 ? "" : "s");
}

/* Moves to the poses, or as close as attempts from several configurations lead. Errors within the
 * rounding of the file count as reached. */
static cardan_status reach_poses(search *s, cardan_report *report)
{
  const cardan_model *model = s->model;
  const double enough = fmax(1e-9 * (1.0 + model->size_length), model->closing);
  const double length = model->size_length > 0.0 ? model->size_length : 1.0;
  cardan_inverse_kinematics_result best = {.worst = -1};
  double least = HUGE_VAL;
  for (int i = 0; i < ATTEMPTS; i++) {
    cardan_inverse_kinematics_result end;
    cardan_report unused = {.message = ""};
    start_again(s, i);
    const cardan_status status =
        cardan_inverse_kinematics(model, s->data, s->goal, model->npose, &end, &unused);
    if (status == CARDAN_ERR_MEMORY || status == CARDAN_ERR_ARGUMENT) {
      return cardan_fail(report, status, model->pose[0].pos, "%s", unused.message);
    }
    const double off = end.place + length * end.turn + end.violation;
    if (status == CARDAN_OK || (off <= enough && cardan__wrong_sense(model, s->data) < 0)) {
      return CARDAN_OK;
    }
    if (off < 0.999 * least) { // of equals the first
      least = off;
      best = end;
    }
  }
  start_again(s, 0);
  return fail_place(s, &best, report);
}

/* ---- velocities ---- */

static bool is_free(const search *s, int k, bool with_given)
{
  const cardan_body *b = &s->model->body[s->model->v_body[k]];
  return !(b->flags & CARDAN_LINK_KINEMATIC) && (with_given || !s->data->v_given[k]);
}

/* Row r of (E1) from a row of a Jacobian, in units; b: its right-hand side. */
static void build_row(search *s, int r, const double *J, double unit, double b, bool with_given)
{
  const int nv = s->model->nv;
  for (int k = 0; k < nv; k++) {
    s->A[(size_t)r * (size_t)nv + (size_t)k] =
        is_free(s, k, with_given) ? J[k] / unit * cardan__velocity_unit(s->model, k) : 0.0;
  }
  s->b[r] = b / unit;
}

/* Error of a pose's velocity: angular, then of the origin, in world axes; 0 for parts that are not
 * given. */
static cardan_twist velocity_error(const search *s, const cardan_pose *pose)
{
  const cardan_twist V = cardan_frame_twist(s->model, s->data, pose->frame, CARDAN_ALIGNED);
  const cardan_vec3 none = {0, 0, 0};
  return (cardan_twist){.w = pose->spins ? cardan__vec3_sub(pose->w, V.w) : none,
                        .v = cardan__vec3_sub(pose->v, V.v)};
}

/* A and b of (E1) at data's state. */
static void build_equations(search *s, bool with_given)
{
  const cardan_model *model = s->model;
  const size_t nv = (size_t)model->nv;
  const double length = model->size_length > 0.0 ? model->size_length : 1.0;
  const cardan__rowset set = cardan__model_rows(model);
  int r = 0, worst = 0;
  for (int i = 0; i < model->npose; i++) {
    const cardan_pose *pose = &model->pose[i];
    if (pose->moves) {
      const cardan_twist e = velocity_error(s, pose);
      const double six[6] = {e.w.x, e.w.y, e.w.z, e.v.x, e.v.y, e.v.z};
      cardan_frame_jacobian(model, s->data, pose->frame, CARDAN_ALIGNED, s->J);
      for (int k = pose->spins ? 0 : 3; k < 6; k++) {
        build_row(s, r++, s->J + (size_t)k * nv, k < 3 ? 1.0 : length, six[k], with_given);
      }
    }
  }
  if (model->nrow > 0) {
    const cardan__view view = cardan__data_view(model, s->data);
    double *rate = s->b + r; // taken before each is overwritten by itself
    cardan__rows_jacobian(&set, &view, &s->data->rows);
    cardan__rates_look(model, s->data, rate, &worst);
    cardan_jacobian(model, s->data, s->J);
    for (int k = 0; k < model->nrow; k++) {
      build_row(s, r + k, s->J + (size_t)k * nv, model->row[k].length, -rate[k], with_given);
    }
  }
}

/* One change of data's v. */
static bool change(search *s, bool with_given)
{
  const cardan_model *model = s->model;
  build_equations(s, with_given);
  if (cardan__min_norm(s->m, model->nv, s->A, s->b, 1e-9, s->x, s->work, s->index) < 0) {
    return false;
  }
  for (int k = 0; k < model->nv; k++) {
    s->data->v[k] += s->x[k] * cardan__velocity_unit(model, k);
  }
  cardan_kinematics(model, s->data);
  return true;
}

/* The pose whose velocity is missed most, relative to what it may be; -1: all are as given. */
static int worst_velocity(const search *s, double *v, double *w)
{
  const cardan_model *model = s->model;
  const double length = model->size_length > 0.0 ? model->size_length : 1.0;
  double most = moving;
  int worst = -1;
  for (int i = 0; i < model->npose; i++) {
    const cardan_pose *pose = &model->pose[i];
    if (pose->moves) {
      const cardan_twist e = velocity_error(s, pose);
      const double asked = 1.0 + cardan__vec3_norm(pose->v) / length + cardan__vec3_norm(pose->w);
      const double off = (cardan__vec3_norm(e.v) / length + cardan__vec3_norm(e.w)) / asked;
      if (!(off <= most)) {
        most = off;
        worst = i;
        *v = cardan__vec3_norm(e.v);
        *w = cardan__vec3_norm(e.w);
      }
    }
  }
  return worst;
}

static cardan_status find_velocities(search *s, cardan_report *report)
{
  const cardan_model *model = s->model;
  double v = 0.0, w = 0.0;
  int worst = 0;
  for (int way = 0; way < 2 && worst >= 0; way++) {
    const bool good = change(s, way == 1);
    if (!good || !change(s, way == 1)) { // again, for the last digits
      return cardan_fail(report, CARDAN_ERR_ASSEMBLY, model->pose[0].pos,
                         "the velocities of the poses are not finite numbers");
    }
    worst = worst_velocity(s, &v, &w);
  }
  return worst < 0 ? CARDAN_OK
                   : cardan_fail(report, CARDAN_ERR_ASSEMBLY, model->pose[worst].pos,
                                 "the velocity of the pose of \"%.60s\" cannot be had: at best it "
                                 "stays %.3g m/s and %.3g rad/s off; expected one that joints, "
                                 "constraints and drivers allow",
                                 model->frame[model->pose[worst].frame].name, v, w);
}

/* ---- whole ---- */

cardan_status cardan__go_to_poses(const cardan_model *model, cardan_data *data,
                                  cardan_report *report)
{
  search s = {.model = model, .data = data, .m = model->nrow};
  bool moves = false;
  for (int i = 0; i < model->npose; i++) {
    s.m += !model->pose[i].moves ? 0 : model->pose[i].spins ? 6 : 3;
    moves = moves || model->pose[i].moves;
  }
  if ((6.0 * model->npose + model->nrow) * model->nv > CARDAN__DENSE_ROWS) {
    return cardan_fail(report, CARDAN_ERR_ASSEMBLY, model->pose[0].pos,
                       "%d poses and %d constraint rows on %d velocities are too many to find "
                       "coordinates for: give coordinates, or start without assembling",
                       model->npose, model->nrow, model->nv);
  }
  void *block = cardan__carve_block(&data->allocator, layout, &s);
  if (block == NULL) {
    return cardan__no_memory(report);
  }
  for (int i = 0; i < model->npose; i++) {
    const cardan_pose *pose = &model->pose[i];
    s.goal[i] = (cardan_goal){
        .frame = pose->frame, .pose = pose->X_WF, .place = true, .turn = pose->turned};
  }
  memcpy(s.q, data->q, (size_t)model->nq * sizeof *s.q);
  cardan_status status = reach_poses(&s, report);
  if (status == CARDAN_OK && moves) {
    status = find_velocities(&s, report);
  }
  cardan__resize(&data->allocator, block, 0);
  return status;
}
