// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/assemble.h"
#include "linalg/linalg.h"
#include "model/data.h"
#include "model/joint_table.h"
#include "spatial/so3.h"

/* Inverse kinematics: coordinates that put frames where they are wanted, loops closed and limits
 * kept, by Levenberg and Marquardt's steps with active limits. Dense, O((6 goals + rows)^2 nv) a
 * step.
 *
 *   e = (log(R_F^T R), R_F^T (p - p_F))  of each goal,   J dq = e                            (E1)
 *   phi of each row,                                     G dq = -phi                         (E2)
 *   dq = argmin |A dq - b|^2 + mu^2 |dq|^2,   mu = k |b|                                     (E3)
 * with rows and columns in units of the mechanism's length. mu goes with |b|, so that the steps
 * become Newton's near a solution; k falls when |b| does, and grows when it does not. A coordinate
 * at its limit that (E3) would take beyond it is held, and (E3) solved again. Where |b| is least
 * and not 0 (a straight arm that is to fold) a kick is tried, a few times. */

enum { MOST_STEPS = 300, MOST_KICKS = 4 };

/* What counts as reached [rad, or of the mechanism's length]. */
static const double reached = 1e-10;
/* Steps below this leave |b| where it is. */
static const double still = 1e-11;

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  const cardan_goal *goal;
  int n, m;      // goals; equations, all of them: parts that do not count are 0
  double length; // unit of lengths [m]
  double *A, *b; // m x nv, m
  double *J;     // 6 x nv or nrow x nv: as it comes
  double *x, *q; // nv, nq: the step in units, and where it began
  bool *held;    // nv
  double *work;
  const bool *keep; // nq: coordinates that stay, NULL: none but `fixed` ones
  double margin;    // of limits, from which coordinates stay away [m or rad]
  double enough;    // |b| at which the search ends
} search;

static void layout(void *what, cardan__carver *c)
{
  search *s = what;
  const size_t nv = (size_t)s->model->nv, rows = (size_t)s->model->nrow;
  s->A = CARDAN__CARVE(c, (size_t)s->m * nv, double);
  s->b = CARDAN__CARVE(c, s->m, double);
  s->J = CARDAN__CARVE(c, (rows > 6 ? rows : 6) * nv, double);
  s->x = CARDAN__CARVE(c, nv, double);
  s->q = CARDAN__CARVE(c, s->model->nq, double);
  s->held = CARDAN__CARVE(c, nv, bool);
  s->work = CARDAN__CARVE(c, cardan__damped_work(s->m, s->model->nv), double);
}

/* The limits of velocity k's coordinate, NULL: none. */
static const cardan_joint *limited(const cardan_model *model, int k)
{
  const cardan_joint *joint = &model->joint[model->body[model->v_body[k]].joint];
  return joint->has_limit && joint->nv == 1 ? joint : NULL;
}

/* The interval of a coordinate with limits. */
static void find_interval(const search *s, const cardan_joint *joint, double *low, double *high)
{
  const double width = joint->limit[1] - joint->limit[0];
  const double margin = s->margin > 0 ? fmin(s->margin, 0.01 * width) : 0;
  *low = joint->limit[0] + margin;
  *high = joint->limit[1] - margin;
}

static bool is_kept(const search *s, const cardan_joint *joint)
{
  return s->keep != NULL && s->keep[joint->qadr];
}

/* q within its limits. */
static void clamp(const search *s)
{
  for (int k = 0; k < s->model->nv; k++) {
    const cardan_joint *joint = limited(s->model, k);
    if (joint != NULL && !is_kept(s, joint)) {
      double *q = &s->data->q[joint->qadr], low, high;
      find_interval(s, joint, &low, &high);
      *q = fmin(fmax(*q, low), high);
    }
  }
}

/* e of (E1): orientation [rad], position [m] in the frame's axes; 0 for parts without a goal. */
static cardan_twist pose_error(const search *s, const cardan_goal *goal)
{
  const cardan_xform T = cardan_frame_pose(s->model, s->data, goal->frame);
  const cardan_xform off = cardan__xform_inv_mul(&T, &goal->pose);
  const cardan_vec3 none = {0, 0, 0};
  return (cardan_twist){.w = goal->turn ? cardan_so3_log(&off.R) : none,
                        .v = goal->place ? off.p : none};
}

/* b at data's q; returns |b|. */
static double compute_residual(search *s)
{
  double sum = 0;
  cardan_joints(s->model, s->data);
  cardan_poses(s->model, s->data);
  for (int i = 0; i < s->n; i++) {
    const cardan_twist e = pose_error(s, &s->goal[i]);
    const double six[6] = {e.w.x, e.w.y, e.w.z, e.v.x, e.v.y, e.v.z};
    for (int k = 0; k < 6; k++) {
      s->b[6 * i + k] = k < 3 ? six[k] : six[k] / s->length;
    }
  }
  cardan_constraint_max(s->model, s->data);
  for (int r = 0; r < s->model->nrow; r++) {
    s->b[6 * s->n + r] = -s->data->rows.phi[r] / s->model->row[r].length;
  }
  for (int i = 0; i < s->m; i++) {
    sum += s->b[i] * s->b[i];
  }
  return sqrt(sum);
}

/* Row `to` of A from a row of J that is to be divided by unit. */
static void take_row(search *s, int to, const double *J, double unit)
{
  const int nv = s->model->nv;
  for (int k = 0; k < nv; k++) {
    s->A[(size_t)to * (size_t)nv + (size_t)k] =
        s->held[k] ? 0 : J[k] / unit * cardan__velocity_unit(s->model, k);
  }
}

/* A of (E1) and (E2) at data's q. */
static void take_matrix(search *s)
{
  const size_t nv = (size_t)s->model->nv;
  for (int i = 0; i < s->n; i++) {
    const cardan_goal *goal = &s->goal[i];
    cardan_frame_jacobian(s->model, s->data, goal->frame, CARDAN_LOCAL, s->J);
    for (int k = 0; k < 6; k++) {
      double *J = s->J + (size_t)k * nv;
      if (k < 3 ? !goal->turn : !goal->place) {
        memset(J, 0, nv * sizeof *J);
      }
      take_row(s, 6 * i + k, J, k < 3 ? 1 : s->length);
    }
  }
  cardan_jacobian(s->model, s->data, s->J);
  for (int r = 0; r < s->model->nrow; r++) {
    double *J = s->J + (size_t)r * nv;
    if (s->model->row[r].velocity) { // holds no position
      memset(J, 0, nv * sizeof *J);
    }
    take_row(s, 6 * s->n + r, J, s->model->row[r].length);
  }
}

/* Which velocities stay: prescribed, marked `fixed`, or to be kept. */
static void hold_fixed(search *s)
{
  for (int k = 0; k < s->model->nv; k++) {
    const cardan_body *b = &s->model->body[s->model->v_body[k]];
    s->held[k] = b->flags & CARDAN_LINK_KINEMATIC;
    for (int i = 0; i < b->nq; i++) {
      s->held[k] =
          s->held[k] || s->model->q_fixed[b->qadr + i] || (s->keep != NULL && s->keep[b->qadr + i]);
    }
  }
}

/* Holds what the step would take beyond a limit where it is; returns whether there was any. */
static bool hold_limits(search *s)
{
  bool more = false;
  for (int k = 0; k < s->model->nv; k++) {
    const cardan_joint *joint = limited(s->model, k);
    if (joint != NULL && !s->held[k]) {
      const double q = s->data->q[joint->qadr];
      double low, high;
      find_interval(s, joint, &low, &high);
      const bool out = (s->x[k] < 0 && q <= low) || (s->x[k] > 0 && q >= high);
      s->held[k] = out;
      more = more || out;
    }
  }
  return more;
}

/* The step (E3) to x; false when a number is not finite. */
static bool solve(search *s, double mu)
{
  hold_fixed(s);
  do {
    take_matrix(s);
    if (!cardan__damped(s->m, s->model->nv, s->A, s->b, mu, s->x, s->work)) {
      return false;
    }
  } while (hold_limits(s));
  return true;
}

/* q moved by x from where the step began. */
static double move(search *s)
{
  double largest = 0;
  for (int k = 0; k < s->model->nv; k++) {
    largest = fmax(largest, fabs(s->x[k]));
    s->x[k] *= cardan__velocity_unit(s->model, k);
  }
  cardan_q_move(s->model, s->q, s->x, 1, s->data->q);
  clamp(s);
  return largest;
}

/* Moves away, differently for each number, to leave a stationary point that is due to symmetry. */
static double perturb(search *s, int number)
{
  hold_fixed(s);
  memcpy(s->q, s->data->q, (size_t)s->model->nq * sizeof *s->q);
  for (int k = 0; k < s->model->nv; k++) {
    s->x[k] = s->held[k] ? 0 : 0.2 * sin(1.0 + 2.0 * k + 3.0 * number);
  }
  move(s);
  return compute_residual(s);
}

/* Steps until |b| is small or least; returns how many. */
static int descend(search *s)
{
  double now = compute_residual(s), k = 0.1;
  int kicks = 0, steps = 0;
  for (; steps < MOST_STEPS && now > s->enough; steps++) {
    memcpy(s->q, s->data->q, (size_t)s->model->nq * sizeof *s->q);
    if (!solve(s, fmax(k * now, DBL_MIN))) {
      break;
    }
    const double length = move(s), then = compute_residual(s);
    if (then < now) {
      k = fmax(k / 5, 1e-9);
      now = then;
    } else {
      memcpy(s->data->q, s->q, (size_t)s->model->nq * sizeof *s->q);
      compute_residual(s);
      k = fmin(k * 10, 1e9);
    }
    if (length < still || k >= 1e9) {
      if (now <= reached || kicks == MOST_KICKS) {
        break;
      }
      now = perturb(s, kicks++);
      k = 0.1;
    }
  }
  return steps;
}

/* Measures the errors of goals and rows. */
static cardan_inverse_kinematics_result measure_result(const search *s, int steps)
{
  cardan_inverse_kinematics_result out = {.iterations = steps, .worst = -1};
  double most = 0;
  for (int i = 0; i < s->n; i++) {
    const cardan_twist e = pose_error(s, &s->goal[i]);
    const double turn = cardan__vec3_norm(e.w), place = cardan__vec3_norm(e.v);
    // written so that what is not a number is the largest
    out.turn = turn <= out.turn ? out.turn : turn;
    out.place = place <= out.place ? out.place : place;
    if (!(turn + place / s->length <= most)) {
      most = turn + place / s->length;
      out.worst = i;
    }
  }
  out.violation = cardan_constraint_max(s->model, s->data);
  for (int k = 0; k < s->model->nv; k++) {
    const cardan_joint *joint = limited(s->model, k);
    out.limited += joint != NULL && (s->data->q[joint->qadr] == joint->limit[0] ||
                                     s->data->q[joint->qadr] == joint->limit[1]);
  }
  return out;
}

static cardan_status fail_not_reached(const search *s, const cardan_inverse_kinematics_result *r,
                                      cardan_report *report)
{
  const int frame = r->worst >= 0 ? s->goal[r->worst].frame : 0;
  return cardan_fail(
      report, CARDAN_ERR_NO_CONVERGENCE, (cardan_pos){0, 0},
      "frame \"%.60s\" stays %.3g m and %.3g rad from where it is to be (loops open "
      "by %.3g, %d coordinates at a limit); try another start, or a goal within reach",
      s->model->frame[frame].name, r->place, r->turn, r->violation, r->limited);
}

/* Loops are closed, and one of them in a wrong sense (sense.c). */
static cardan_status fail_wrong_sense(const search *s, int constraint, cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_NO_CONVERGENCE, s->model->constraint[constraint].pos,
                     "constraint \"%.60s\" came out half a turn off; try another start",
                     s->model->constraint[constraint].name);
}

static cardan_status check(const cardan_model *model, const cardan_goal *goal, int n,
                           cardan_report *report)
{
  for (int i = 0; i < n; i++) {
    if (goal[i].frame < 0 || goal[i].frame >= model->nframe) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "goal %d is of frame %d; expected one from 0 to %d", i, goal[i].frame,
                         model->nframe - 1);
    }
    const cardan_mat3 *R = &goal[i].pose.R;
    const cardan_mat3 square = cardan__mat3_tmul(R, R);
    for (int k = 0; k < 9 && goal[i].turn; k++) {
      if (!(fabs(square.m[k / 3][k % 3] - (k % 4 == 0)) < 1e-6)) {
        return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                           "the pose of goal %d is not turned by a rotation; expected orthonormal "
                           "columns",
                           i);
      }
    }
  }
  return CARDAN_OK;
}

cardan_status cardan_inverse_kinematics(const cardan_model *model, cardan_data *data,
                                        const cardan_goal *goal, int n,
                                        cardan_inverse_kinematics_result *result,
                                        cardan_report *report)
{
  search s = {.model = model,
              .data = data,
              .goal = goal,
              .n = n,
              .m = 6 * n + model->nrow,
              .enough = 0.1 * reached};
  const cardan_status status = check(model, goal, n, report);
  if (status != CARDAN_OK) {
    return status;
  }
  s.length = model->size_length > 0 ? model->size_length : 1;
  void *block = cardan__carve_block(&data->allocator, layout, &s);
  if (block == NULL) {
    return cardan__no_memory(report);
  }
  cardan_prescribe(model, data);
  clamp(&s);
  const int steps = descend(&s);
  cardan_kinematics(model, data);
  const cardan_inverse_kinematics_result end = measure_result(&s, steps);
  cardan__resize(&data->allocator, block, 0);
  if (result != NULL) {
    *result = end;
  }
  const double length = reached * s.length;
  const bool there =
      end.turn <= reached && end.place <= length && end.violation <= length + reached;
  const int wrong = there ? cardan__wrong_sense(model, data) : -1;
  if (wrong >= 0) {
    return fail_wrong_sense(&s, wrong, report);
  }
  return there ? CARDAN_OK : fail_not_reached(&s, &end, report);
}

/* data's q at its seed, or near it. */
static void start_again(search *s, const double *seed, int attempt)
{
  static const double around[] = {0.3, 1.0, 2.0, 3.0}; // [rad, or lengths of the mechanism]
  memcpy(s->data->q, seed, (size_t)s->model->nq * sizeof *seed);
  if (attempt > 0) {
    cardan__random_step(s->model->nv, around[attempt % 4], 110 + attempt, s->x);
    hold_fixed(s);
    for (int k = 0; k < s->model->nv; k++) {
      s->x[k] = s->held[k] ? 0.0 : s->x[k] * cardan__velocity_unit(s->model, k);
    }
    cardan_q_move(s->model, seed, s->x, 1.0, s->data->q);
  }
  clamp(s);
}

/* Loops are closed to what cardan_assemble takes without moving a coordinate by more than the
 * margin: rows to a tenth of `closing`, in units, and limits ten times that away. */
cardan_status cardan__close_within_limits(const cardan_model *model, cardan_data *data,
                                          const double *seed, const bool *keep, bool *closed)
{
  enum { ATTEMPTS = 12 };
  const double digits = model->closing / (1.0 + model->size_length);
  search s = {.model = model, .data = data, .m = model->nrow, .keep = keep};
  *closed = false;
  if (cardan__assembler_large(model)) {
    return CARDAN_OK;
  }
  s.length = model->size_length > 0 ? model->size_length : 1;
  s.enough = fmax(0.1 * reached, 0.1 * digits);
  s.margin = 10.0 * s.enough * (1.0 + model->size_length);
  void *block = cardan__carve_block(&data->allocator, layout, &s);
  if (block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  cardan_prescribe(model, data);
  for (int i = 0; i < ATTEMPTS && !*closed; i++) {
    start_again(&s, seed, i);
    descend(&s);
    *closed = compute_residual(&s) <= s.enough && cardan__wrong_sense(model, data) < 0;
  }
  cardan__resize(&data->allocator, block, 0);
  return CARDAN_OK;
}
