// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "contact/contacts.h"
#include "kinematics/joint.h"
#include "spatial/spatial.h"

/* Contact skip: while nothing is near, steps do not check solids.
 *
 * Where no pair is within some reach R of each of its solids, nothing can touch before a point of
 * one has moved by R. How far one has moved at most follows from coordinates alone, without poses:
 * along the path to its body, joints that turn by a move it by a L, L the distance from the joint
 * to the farthest point below, joints that slide by what they slide:
 *   way_i = way_parent + |turn| (L_i + 2 R) + |slide|                                        (C1)
 * where 2 R is what L may have grown since it was measured. Where all trees are free, slides of
 * their roots are relative to their mean u, and the world moves by u. Limits are always checked. If
 * one may be reached, or the motions add up to R, steps are those of contact_step.c again.
 *
 * (C1) is not summed at every node either. Of the remaining part of R at one of them, 3/4 are for
 * a continued motion as in the steps before, for a time T, and 1/8 for every coordinate to deviate
 * from it by a:
 *   |q_k - (q_k^0 + s (q'_k + s q''_k / 2))| <= a,   s = t - t_0 <= T                        (C2)
 * says that a later node is safe, until one is not so: there it is summed again. */

enum { FARTHER = 128, NEARER = 32 }; // R over the largest reach, tried in this order
enum { WAIT = 16, WORTH = 4 };       // steps before it is tried again, where it lasted no longer
enum { FEW = 4, LONG = 16 };         // steps; few are not predicted, nor more for WAIT looks then
static const double ahead = 2;       // of what the last step used: may be what the next does
static const double spare = 8;       // the same, after LONG steps: less is not worth to be used
static const double chord = 2.25;    // largest angle over the chord of its quaternion, pi / sqrt(2)

/* L of every body, at the node's poses; false: a half-space moves, and has none. */
static bool measure_arms(cardan__contacts *c, const cardan_model *model)
{
  memset(c->skip.arm, 0, (size_t)c->nbody * sizeof *c->skip.arm);
  for (int s = 0; s < model->nsolid; s++) {
    const cardan_solid *solid = &model->solid[s];
    const cardan_vec3 at = cardan__xform_point(&c->gaps.X[solid->body], solid->X_BS.p);
    for (int b = solid->body; b > 0; b = model->body[b].parent) {
      const double far = cardan__vec3_norm(cardan__vec3_sub(at, c->gaps.X[b].p)) + solid->radius;
      c->skip.arm[b] = fmax(c->skip.arm[b], far);
      if (!isfinite(far)) {
        return false;
      }
    }
  }
  return true;
}

/* The largest way over bodies, c->skip.arm measured, of every coordinate off by 1: those of roots
 * may be off by 2 from their mean. */
static double bound_root_error(cardan__contacts *c)
{
  double most = 0;
  for (int i = 1; i < c->nbody; i++) {
    const cardan_body *b = &c->model->body[i];
    const bool quaternion = b->nq > 1;
    const int nslide = cardan__joint_nslide(b);
    const double turn = quaternion ? 4 * chord : nslide > 0 ? 0 : 1;
    const double slide = nslide > 0   ? (quaternion ? 2 * nslide : 1)
                         : quaternion ? 0
                                      : fabs(b->pitch);
    c->gaps.moved[i] = (b->parent > 0 ? c->gaps.moved[b->parent] : 0) +
                       turn * (c->skip.arm[i] + 2 * c->skip.budget) + slide;
    most = fmax(most, c->gaps.moved[i]);
  }
  return most;
}

/* Returns whether a pair is closer than `times` times the reach. */
static bool is_near(cardan__contacts *c, const cardan_model *model, int times, double reach)
{
  c->gaps.moved[0] = times * c->gaps.reach[0];
  for (int i = 1; i < c->nbody; i++) {
    c->gaps.moved[i] = times * reach;
  }
  return cardan__near_pairs(&c->gaps.broad, model, c->gaps.X, c->gaps.moved, CARDAN__WATCHED,
                            c->gaps.near, c->gaps.room_watch) > 0;
}

/* As cardan__contacts_skip_begin, where what was predicted before says something. */
static void begin_skip(cardan__contacts *c, const cardan_model *model, const cardan_data *data)
{
  double reach = 0;
  c->skip.calm = false;
  if (!c->skip.possible || c->gaps.nwatch > 0 || c->ledger.stats.closed > 0 || c->skip.wait-- > 0) {
    return;
  }
  for (int i = 1; i < c->nbody; i++) {
    reach = fmax(reach, c->gaps.reach[i]);
  }
  int far = FARTHER;
  while (far >= NEARER && is_near(c, model, far, reach)) {
    far /= 4;
  }
  c->skip.wait = WAIT;
  if (far >= NEARER && measure_arms(c, model)) {
    c->skip.calm = true;
    c->skip.budget = far * reach;
    c->skip.budget_world = far * c->gaps.reach[0];
    c->skip.before = 0;
    c->skip.lasted = 0;
    c->skip.until = -HUGE_VAL;
    memset(c->skip.gone, 0, (size_t)c->nbody * sizeof *c->skip.gone);
    memcpy(c->skip.q, data->q, (size_t)model->nq * sizeof *c->skip.q);
    c->skip.since = data->t;
    c->skip.ease = bound_root_error(c);
  }
}

void cardan__contacts_skip_begin(cardan__contacts *c, const cardan_model *model,
                                 const cardan_data *data)
{
  c->skip.middle = -HUGE_VAL;
  c->skip.unforeseen = 0;
  begin_skip(c, model, data);
}

/* u: the mean way of the roots, 0 where one of them is not free, or trees are mixed. */
static cardan_vec3 common_way(const cardan__contacts *c, const double *d)
{
  cardan_vec3 sum = {0, 0, 0};
  int n = 0;
  for (int i = 1; i < c->nbody && c->impacts.trees_contiguous;
       i = c->impacts.end[i]) { // from root to root
    const cardan_body *b = &c->model->body[i];
    if (cardan__joint_nslide(b) < 3) {
      return (cardan_vec3){0, 0, 0};
    }
    sum = cardan__vec3_add(sum, cardan__vec3(d[b->qadr], d[b->qadr + 1], d[b->qadr + 2]));
    n++;
  }
  return cardan__vec3_scale(n > 0 ? 1.0 / n : 0, sum);
}

/* What a joint turns and slides at most where its coordinates change by d, the latter less u: sums
 * of parts are no less than roots of their squares. */
static inline double joint_motion_bound(const cardan_body *b, const double *d, cardan_vec3 u,
                                        double *slide)
{
  double sum = 0;
  const int n = cardan__joint_nslide(b); // of its position, before the quaternion
  *slide = 0;
  if (b->nq == 1) {
    const double way = fabs(d[0]);
    *slide = n > 0 ? way : fabs(b->pitch) * way;
    return n > 0 ? 0 : way;
  }
  if (n > 0) {
    *slide = fabs(d[0] - u.x) + fabs(d[1] - u.y) + fabs(d[2] - u.z);
  }
  for (int k = n; k < n + 4; k++) {
    sum += fabs(d[k]);
  }
  return chord * sum;
}

/* (C1) for a change d of all coordinates, to c->gaps.moved; returns the largest, but the
 * world's. */
static double sum_motion_bounds(cardan__contacts *c, const double *d)
{
  const cardan_vec3 u = common_way(c, d), none = {0, 0, 0};
  double most = 0;
  c->gaps.moved[0] = cardan__vec3_norm(u);
  for (int i = 1; i < c->nbody; i++) {
    const cardan_body *b = &c->model->body[i];
    double slide;
    const double turn = joint_motion_bound(b, d + b->qadr, b->parent == 0 ? u : none, &slide);
    c->gaps.moved[i] = (b->parent > 0 ? c->gaps.moved[b->parent] : 0) +
                       turn * (c->skip.arm[i] + 2 * c->skip.budget) + slide;
    most = c->gaps.moved[i] > most ? c->gaps.moved[i] : most;
  }
  return most;
}

/* Adds c->gaps.moved to the motions so far; returns the largest, as a fraction of the safe one. */
static double add_motion_bounds(cardan__contacts *c)
{
  double most = 0;
  for (int i = 0; i < c->nbody; i++) {
    c->skip.gone[i] += c->gaps.moved[i];
    most = i > 0 && c->skip.gone[i] > most ? c->skip.gone[i]
                                           : most; // the step found what is not finite
  }
  return fmax(most / c->skip.budget,
              c->skip.gone[0] > 0 ? c->skip.gone[0] / c->skip.budget_world : 0);
}

/* Returns whether limits are open over the step. Writes gaps of both ends to c->gaps.gap and
 * next. */
static bool limits_stay_open(cardan__contacts *c, const double *from, const double *to)
{
  bool all = true;
  for (int i = 0; i < c->gaps.nfixed; i++) {
    const cardan__edge *e = &c->skip.edge[i];
    c->gaps.gap[i] = e->sign * (from[e->q] - e->bound);
    c->gaps.next[i] = e->sign * (to[e->q] - e->bound);
    const double change = fabs(c->gaps.next[i] - c->gaps.gap[i]) + CARDAN__CLOSED;
    all = all && c->gaps.next[i] > change && c->gaps.gap[i] > change;
  }
  return all;
}

/* ---- what is predicted ---- */

/* The time in which rate T + bend T^2 comes to a way; all of them >= 0. */
static double time_for(double way, double rate, double bend)
{
  const double sum = rate + sqrt(rate * rate + 4 * bend * way);
  return sum > 0 ? 2 * way / sum : HUGE_VAL;
}

/* Sets T and a of (C2), from the node that was checked, after a step of length h. A limit stays
 * open, as seen from both ends of every step, where
 *   gap > 2 (T |q'| + T^2 |q''| / 2) + 3 a + closed */
static void set_prediction(cardan__contacts *c, double h)
{
  const double left = (1 - c->skip.used) * c->skip.budget,
               left_world = (1 - c->skip.used) * c->skip.budget_world;
  const double rate = sum_motion_bounds(c, c->skip.slope), rate_world = c->gaps.moved[0];
  const double bend = sum_motion_bounds(c, c->skip.bend), bend_world = c->gaps.moved[0];
  double time = time_for(0.75 * left, rate, bend), off = 0.125 * left / c->skip.ease;
  if (rate_world > 0 || bend_world > 0) {
    time = fmin(time, time_for(0.75 * left_world, rate_world, bend_world));
    off = fmin(off, 0.0625 * left_world);
  }
  for (int i = 0; i < c->gaps.nfixed; i++) {
    const double gap = c->gaps.next[i] - CARDAN__CLOSED;
    const int k = c->skip.edge[i].q;
    time = fmin(time, time_for(0.25 * gap, fabs(c->skip.slope[k]), fabs(c->skip.bend[k])));
    off = fmin(off, 0.125 * gap);
  }
  c->skip.off = off;
  c->skip.until = time > FEW * h ? c->skip.since + time : -HUGE_VAL;
}

/* q' and q'' / 2 of the node at t, from the last step, of length h, and the one before the last
 * look: c->skip.step / h is q' in its middle. */
static void fit(cardan__contacts *c, double t, double h)
{
  const double between = t - 0.5 * h - c->skip.middle; // no bend where that was never
  for (int k = 0; k < c->nq; k++) {
    const double rate = c->skip.step[k] / h;
    c->skip.bend[k] = 0.5 * (rate - c->skip.mean[k]) / between;
    c->skip.slope[k] = rate + h * c->skip.bend[k];
    c->skip.mean[k] = rate;
  }
  c->skip.middle = t - 0.5 * h;
}

/* (C2) */
static bool is_predicted(const cardan__contacts *c, double t, const double *restrict q)
{
  const double *restrict base = c->skip.q, *restrict slope = c->skip.slope,
                         *restrict bend = c->skip.bend;
  const double s = t - c->skip.since, off = c->skip.off;
  int64_t beyond = 0; // as wide as what is compared, for vectors of them
  for (int k = 0; k < c->nq; k++) {
    beyond += !(fabs(q[k] - (base[k] + s * (slope[k] + s * bend[k]))) <= off);
  }
  return beyond == 0;
}

static void set_step(cardan__contacts *c, const double *from, const double *to)
{
  for (int k = 0; k < c->nq; k++) {
    c->skip.step[k] = to[k] - from[k];
  }
}

/* Checks the node at t by (C1): c->skip.node is the node before it. */
static cardan__attempt check_node(cardan__contacts *c, double t, const double *q)
{
  const double h = t - c->trial.from;
  if (t <= c->skip.until && t - c->skip.since < FEW * h) {
    c->skip.unforeseen = WAIT;
  }
  c->skip.until = -HUGE_VAL;
  set_step(c, c->skip.q, q);
  sum_motion_bounds(c, c->skip.step);
  c->skip.used = add_motion_bounds(c);
  c->skip.each = (c->skip.used - c->skip.before) * (h / (t - c->skip.since));
  c->skip.before = c->skip.used;
  set_step(c, c->skip.node, q);
  if (!limits_stay_open(c, c->skip.node, q) || !(c->skip.used < 1)) {
    return cardan__attempt_refused(CARDAN__MOVED, -1, 0);
  }
  memcpy(c->skip.q, q, (size_t)c->nq * sizeof *c->skip.q);
  c->skip.since = t;
  c->skip.looked = true;
  return cardan__attempt_of(CARDAN_OK);
}

cardan__attempt cardan__contacts_skip_judge(cardan__contacts *c, double t, const double *q)
{
  return t <= c->skip.until && is_predicted(c, t, q) ? cardan__attempt_of(CARDAN_OK)
                                                     : check_node(c, t, q);
}

/* Called when the motions nearly add up to R, or a limit is near. If nothing is near, the skip is
 * renewed; otherwise it ends, with features at the node and the last step's motion as reach. */
static cardan_status end_skip(cardan__contacts *c, const cardan_model *model, cardan_data *data)
{
  data->fresh = 0;
  sum_motion_bounds(c, c->skip.step);
  for (int i = 0; i < c->nbody; i++) {
    c->gaps.reach[i] = fmax(2 * c->gaps.moved[i], i > 0 ? c->gaps.min_reach : 0);
  }
  c->skip.wait = c->skip.lasted > WORTH ? 0 : WAIT;
  c->skip.calm = false;
  if (c->skip.wait == 0) {
    cardan__contacts_pose(model, data);
    memcpy(c->gaps.X, data->X_W, (size_t)c->nbody * sizeof *c->gaps.X);
    begin_skip(c, model, data);
  }
  return c->skip.calm ? CARDAN_OK : cardan__contacts_enter(c, model, data);
}

cardan_status cardan__contacts_skip_refused(cardan__contacts *c, cardan_data *data)
{
  c->skip.lasted = 0;
  return end_skip(c, data->model, data);
}

void cardan__contacts_skip_accepted(cardan__contacts *c, cardan_data *data)
{
  c->skip.lasted++;
  c->gaps.last_h = 0;
  c->ledger.nrecord = c->ledger.nbefore = 0;
  c->trial.stale = true;
  if (!c->skip.looked) {
    return;
  }
  const double t = data->t, h = t - c->trial.from;
  const bool known = c->skip.middle > -HUGE_VAL;
  cardan__contacts_remember(c, h);
  memcpy(c->gaps.gap, c->gaps.next, (size_t)c->gaps.nfixed * sizeof *c->gaps.gap);
  fit(c, t, h);
  // a step that is not taken, since it went too far, would change how the next one is found
  if (c->skip.used + (c->skip.lasted > LONG ? spare : ahead) * c->skip.each > 1) {
    c->trial.unseen = end_skip(c, data->model, data) != CARDAN_OK; // the step itself is good
    return;
  }
  c->skip.unforeseen -= c->skip.unforeseen > 0;
  if (known && c->skip.unforeseen == 0) {
    set_prediction(c, h);
  }
}
