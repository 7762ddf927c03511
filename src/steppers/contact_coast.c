// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "spatial/spatial.h"
#include "steppers/contact.h"
#include "steppers/sim.h"

/* Nothing is near: steps without a look at solids.
 *
 * Where no pair is within some reach R of each of its solids, nothing can touch before a point of
 * one has moved by R. How far one has moved at most follows from coordinates alone, without poses:
 * along the path to its body, joints that turn by a move it by a L, L the distance from the joint
 * to the farthest point below, joints that slide by what they slide:
 *   way_i = way_parent + |turn| (L_i + 2 R) + |slide|                                        (C1)
 * where 2 R is what L may have grown since it was measured. Where all trees are free, slides of
 * their roots count from the mean of them, u, and the world moves by u. Limits are looked at as
 * always; where one may be met, or the ways add up to R, steps are those of contact_step.c again.
 */

enum { FARTHER = 128, NEARER = 32 }; // R over the largest reach, tried in this order
enum { WAIT = 16, WORTH = 4 };       // steps before it is tried again, where it lasted no longer
static const double ahead = 2;       // of what the last step used: may be what the next does
static const double chord = 2.25;    // largest angle over the chord of its quaternion, pi / sqrt(2)

/* L of every body, at the node's poses; false: a half-space moves, and has none. */
static bool measure_arms(cardan__contacts *c, const cardan_model *model)
{
  memset(c->arm, 0, (size_t)c->nbody * sizeof *c->arm);
  for (int s = 0; s < model->nsolid; s++) {
    const cardan_solid *solid = &model->solid[s];
    const cardan_xform *X = &c->X[solid->body];
    const cardan_vec3 at = cardan__vec3_add(cardan__mat3_mulv(&X->R, solid->X_BS.p), X->p);
    for (int b = solid->body; b > 0; b = model->body[b].parent) {
      const double far = cardan__vec3_norm(cardan__vec3_sub(at, c->X[b].p)) + solid->radius;
      c->arm[b] = fmax(c->arm[b], far);
      if (!isfinite(far)) {
        return false;
      }
    }
  }
  return true;
}

/* Is a pair within so many times the reach? */
static bool is_near(cardan__contacts *c, const cardan_model *model, int times, double reach)
{
  c->moved[0] = times * c->reach[0];
  for (int i = 1; i < c->nbody; i++) {
    c->moved[i] = times * reach;
  }
  return cardan__near_pairs(&c->broad, model, c->X, c->moved, CARDAN__WATCHED, c->near,
                            c->room_watch) > 0;
}

void cardan__contacts_calm(cardan__contacts *c, const cardan_model *model, const double *q)
{
  double reach = 0;
  c->calm = false;
  if (!c->coasts || c->nwatch > 0 || c->stats.closed > 0 || c->wait-- > 0) {
    return;
  }
  for (int i = 1; i < c->nbody; i++) {
    reach = fmax(reach, c->reach[i]);
  }
  int far = FARTHER;
  while (far >= NEARER && is_near(c, model, far, reach)) {
    far /= 4;
  }
  c->wait = WAIT;
  if (far >= NEARER && measure_arms(c, model)) {
    c->calm = true;
    c->budget = far * reach;
    c->budget_world = far * c->reach[0];
    c->before = 0;
    c->lasted = 0;
    memset(c->gone, 0, (size_t)c->nbody * sizeof *c->gone);
    memcpy(c->q, q, (size_t)model->nq * sizeof *c->q);
  }
}

/* u: the mean way of the roots, 0 where one of them is not free, or trees are mixed. */
static cardan_vec3 common_way(const cardan__contacts *c, const double *from, const double *to)
{
  cardan_vec3 sum = {0, 0, 0};
  int n = 0;
  for (int i = 1; i < c->nbody && c->apart; i = c->end[i]) { // from root to root
    const cardan_body *b = &c->model->body[i];
    if (b->kind != CARDAN_LINK_FREE) {
      return (cardan_vec3){0, 0, 0};
    }
    const double *p = to + b->qadr, *o = from + b->qadr;
    sum = cardan__vec3_add(sum, cardan__vec3(p[0] - o[0], p[1] - o[1], p[2] - o[2]));
    n++;
  }
  return cardan__vec3_scale(n > 0 ? 1.0 / n : 0, sum);
}

/* What a joint turns and slides at most from q to another, the latter less u: sums of parts are no
 * less than roots of their squares. */
static inline double turn_of(const cardan_body *b, const double *from, const double *to,
                             cardan_vec3 u, double *slide)
{
  double sum = 0;
  const int n = b->kind == CARDAN_LINK_FREE ? 3 : 0; // of its position, before the quaternion
  *slide = 0;
  if (b->nq == 1) {
    const double d = fabs(to[b->qadr] - from[b->qadr]);
    *slide = b->kind == CARDAN_LINK_PRISMATIC ? d : fabs(b->pitch) * d;
    return b->kind == CARDAN_LINK_PRISMATIC ? 0 : d;
  }
  if (n > 0) {
    const double *p = to + b->qadr, *o = from + b->qadr;
    *slide = fabs(p[0] - o[0] - u.x) + fabs(p[1] - o[1] - u.y) + fabs(p[2] - o[2] - u.z);
  }
  for (int k = n; k < n + 4; k++) {
    sum += fabs(to[b->qadr + k] - from[b->qadr + k]);
  }
  return chord * sum;
}

/* (C1), to c->moved, with what was gone before. used: the largest part of what is safe. */
static bool within(cardan__contacts *c, const double *q)
{
  const cardan_model *model = c->model;
  const cardan_vec3 u = common_way(c, c->q, q), none = {0, 0, 0};
  double most = 0;
  c->moved[0] = cardan__vec3_norm(u);
  for (int i = 1; i < c->nbody; i++) {
    const cardan_body *b = &model->body[i];
    double slide;
    const double turn = turn_of(b, c->q, q, b->parent == 0 ? u : none, &slide);
    c->moved[i] =
        (b->parent > 0 ? c->moved[b->parent] : 0) + turn * (c->arm[i] + 2 * c->budget) + slide;
    const double way = c->gone[i] + c->moved[i];
    most = way > most ? way : most; // what is not finite was found by the step
  }
  const double world = c->gone[0] + c->moved[0];
  c->used = fmax(most / c->budget, world > 0 ? world / c->budget_world : 0);
  return c->used < 1;
}

/* Are limits open, and do they stay so on the way? */
static bool open(cardan__contacts *c, const double *q)
{
  bool all = true;
  for (int i = 0; i < c->nfixed; i++) {
    c->next[i] = c->edge[i].sign * (q[c->edge[i].q] - c->edge[i].bound);
    const double change = fabs(c->next[i] - c->gap[i]) + CARDAN__CLOSED;
    all = all && c->next[i] > change && c->gap[i] > change;
  }
  return all;
}

cardan_status cardan__contacts_judge_calm(cardan__contacts *c, const double *q)
{
  return within(c, q) && open(c, q) ? CARDAN_OK : CARDAN__MOVED;
}

/* The budget is nearly used, or a limit is near: on, where nothing is near still; else features at
 * the node, with a reach of what was gone in the last step. */
static cardan_status wake(cardan__contacts *c, const cardan_model *model, cardan_data *data)
{
  data->fresh = 0;
  for (int i = 0; i < c->nbody; i++) {
    c->reach[i] = fmax(2 * c->moved[i], i > 0 ? c->least : 0);
  }
  c->wait = c->lasted > WORTH ? 0 : WAIT;
  c->calm = false;
  if (c->wait == 0) {
    cardan__contacts_pose(model, data);
    memcpy(c->X, data->X_W, (size_t)c->nbody * sizeof *c->X);
    cardan__contacts_calm(c, model, data->q);
  }
  return c->calm ? CARDAN_OK : cardan__contacts_enter(c, model, data);
}

cardan_status cardan__contact_coast(cardan_sim *sim, double t_next)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const double t = data->t;
  const cardan_status status = sim->stepper->method->step(sim->stepper, data, t_next);
  c->iterations += sim->stepper->iterations;
  if (status == CARDAN__MOVED) {
    c->lasted = 0;
    const cardan_status woken = wake(c, sim->model, data);
    return woken == CARDAN_OK ? CARDAN__MOVED : woken;
  }
  if (status != CARDAN_OK) {
    return status;
  }
  const double step = c->used - c->before;
  c->before = c->used;
  c->lasted++;
  for (int i = 0; i < c->nbody; i++) {
    c->gone[i] += c->moved[i];
  }
  cardan__contacts_remember(c, t_next - t);
  memcpy(c->gap, c->next, (size_t)c->nfixed * sizeof *c->gap);
  memcpy(c->q, data->q, (size_t)sim->model->nq * sizeof *c->q);
  c->ngrasp = c->nbefore = 0;
  c->stale = true;
  data->fresh = 0;
  // a step that is not taken, since it went too far, would change how the next one is found
  return c->used + ahead * step > 1 ? wake(c, sim->model, data) : CARDAN_OK;
}
