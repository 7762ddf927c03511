// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#define CARDAN__WIDTH 1 // its rules for one simulation
#include "kernels/root_policy.h"
#include "run/contact_run.h"
#include "run/sim.h"
#include "spatial/spatial.h"

/* The node of a step with cones: (N) of cones/ncp.h with e = 0 on contacts that are closed there,
 * whose impulses r^+ bring velocities into it. Impacts are in contact_strike.c and
 * contact_landing.c. */

static const double nothing = 1e-13; // of the speeds: a velocity that is rounding
static const double enough = 1e-11;  // [m] over a step, where rows contradict one another by that
static const double place = 1e-8;    // [m] where contacts touch
static const double least = 1e-6;    // of a velocity that counts as none: no need to do better
static const double accepted = 1e-9; // of the speeds: worse is no solution
static const double mobile = 1e-12;  // of the largest: what nothing can move
static const double beside_dry = 2e-13; // [m/s, rad/s] beside dry friction in joints: exact enough

/* Was it in the step? A spot that is new may stand for others of its pair, as they move over a
 * face; then it approaches by no more than these impulses leave: r^+ is still to come. */
bool cardan__contact_was_held(cardan__contacts *c, int i, double still)
{
  const cardan__feature *f = &c->gaps.feature[i];
  const cardan__contact_record *own = cardan__contacts_record(c, f);
  double push = 0, give = 0;
  if (own != NULL && own->held && !own->left) {
    return true;
  }
  for (int j = 0; j < c->ledger.nbefore; j++) {
    const cardan__contact_record *g = &c->ledger.record[j];
    if (g->held && f->pair >= 0 && g->pair == f->pair) {
      push += cardan__vec3_norm(g->minus[0]);
      give = fmax(give, g->give);
    }
  }
  return push > 0 && c->gaps.rate[i] > -(4 * give * push + still);
}

double cardan__contact_drift(const cardan_data *data, const cardan__feature *f)
{
  double u0[CARDAN__FEATURE_ROWS];
  cardan__feature_drift(data->model, data, f, u0);
  return u0[0];
}

int cardan__contact_list_dry(cardan__contacts *c, int count)
{
  for (int i = 0; i < c->ndry; i++) {
    c->impacts.index[count + i] = c->gaps.room + i;
  }
  return count + c->ndry;
}

/* Closed features to index: all, or those that were in the step; how many. Dry friction of joints
 * was, and has done its part where all are to join. */
static int list_closed(cardan__contacts *c, bool all, double still)
{
  int n = 0;
  for (int i = 0; i < c->gaps.n && n < c->impacts.most - c->ndry; i++) {
    if (cardan__contacts_closed(c, i) && (all || cardan__contact_was_held(c, i, still))) {
      c->impacts.index[n++] = i;
    }
  }
  return all ? n : cardan__contact_list_dry(c, n);
}

/* b of (N) from u^-: no rounding of normals, which may decide between resting and jammed, and none
 * that nothing can move. */
static double prepare(cardan__contacts *c, int count)
{
  double speed = 0, largest = 0;
  for (int i = 0; i < c->impacts.m; i++) {
    speed = fmax(speed, fabs(c->impacts.u[i]));
    largest = fmax(largest, c->impacts.G[(size_t)i * (size_t)c->impacts.m + (size_t)i]);
  }
  memcpy(c->impacts.b, c->impacts.u, (size_t)c->impacts.m * sizeof *c->impacts.b);
  for (int i = 0; i < count; i++) {
    const int n = c->impacts.first[i];
    const bool stuck =
        c->impacts.G[(size_t)n * (size_t)c->impacts.m + (size_t)n] <= mobile * largest;
    const bool dry = c->gaps.feature[c->impacts.index[i]].kind == CARDAN__DRY_FRICTION;
    const bool none = fabs(c->impacts.b[n]) < nothing * speed || (stuck && c->impacts.b[n] < 0);
    c->impacts.b[n] = none && !dry ? 0 : c->impacts.b[n];
  }
  return speed;
}

/* Does a joint stop or turn round, from one velocity to the other? */
static bool turns(double u, double from)
{
  const double fastest = fmax(fabs(u), fabs(from));
  return u * from <= CARDAN__RESTS * fastest * fastest && fastest > CARDAN__MOVING;
}

/* r^+ of dry friction at row of G, of force at most `force`: what it took. In a step of length h in
 * which the joint stops or turns round the mean velocity is off the mean of both nodes' by d, and
 * the work of a load F by F h d / 2: F is what friction holds, and what accelerates the joint;
 * twice that, for others that it carries along. */
static void note_dry(cardan__contacts *c, const cardan__contact_record *g, int row, double force)
{
  const double h = c->ledger.h, u = c->impacts.after[row], from = g->slack[1];
  c->ledger.dry -= 0.5 * c->impacts.r[row] * (u + g->slack[0]);
  if (!turns(u, from)) {
    return;
  }
  const double give = c->impacts.G[(size_t)row * (size_t)c->impacts.m + (size_t)row];
  if (give > 0) {
    c->ledger.dry_turns = true;
    const double load = fabs(u - from) / give + force * h;
    c->ledger.dry_error += load * fabs(0.5 * (u + from) - g->slack[0]);
  }
}

/* r^+ into the records, what friction took, and what bounds did. */
static void note_node(cardan__contacts *c, const cardan_data *data, int count)
{
  c->ledger.dry_turns = false;
  for (int i = 0; i < count; i++) {
    cardan__contact_record *g =
        cardan__contacts_record_or_new(c, &c->gaps.feature[c->impacts.index[i]]);
    cardan_vec3 force, couple;
    cardan__feature_world(&c->gaps.feature[c->impacts.index[i]], c->impacts.r + c->impacts.first[i],
                          &force, &couple);
    g->plus[0] = cardan__vec3_add(g->plus[0], force);
    g->plus[1] = cardan__vec3_add(g->plus[1], couple);
    for (int row = c->impacts.first[i] + 1; row < c->impacts.first[i + 1]; row++) {
      c->ledger.stats.friction -= c->impacts.r[row] * c->impacts.after[row];
    }
    if (c->gaps.feature[c->impacts.index[i]].kind == CARDAN__DRY_FRICTION) {
      note_dry(c, g, c->impacts.first[i], c->gaps.feature[c->impacts.index[i]].force);
    }
    if (c->gaps.feature[c->impacts.index[i]].kind == CARDAN__BOUND) {
      c->ledger.driven -=
          c->impacts.r[c->impacts.first[i]] *
          cardan__contact_drift(data, &c->gaps.feature[c->impacts.index[i]]); // (T2)
    }
  }
}

/* Contacts that static friction does not hold at the node slide with their own: were there any?
 * still: a velocity that is none */
static bool let_slide(cardan__contacts *c, const cardan_model *model, int count, double still)
{
  bool any = false;
  for (int i = 0; i < count; i++) {
    cardan__contact_record *g = cardan__contacts_record(c, &c->gaps.feature[c->impacts.index[i]]);
    if (g != NULL && g->sticks &&
        cardan__cone_slides(&c->impacts.closed_cone[i], 0, c->impacts.r, c->impacts.after, still)) {
      c->impacts.closed_cone[i] = cardan__feature_cone(model, &c->gaps.feature[c->impacts.index[i]],
                                                       c->impacts.first[i], false);
      g->sticks = false;
      any = true;
    }
  }
  return any;
}

/* [m/s] What relative velocities are worth: places that touch are known to 1e-8 m, the gap of what
 * is closed, and rows that depend on one another contradict one another by what moves over that.
 * Gaps and sticking are the step's, which corrects the rest. */
static double worth(const cardan_sim *sim)
{
  double most = 0;
  for (int k = 0; k < sim->model->nv; k++) {
    most = fmax(most, fabs(sim->data->v[k]));
  }
  return fmax(enough / sim->options.dt, place * most);
}

/* Cones of the count contacts after a step of length h, and impulses to start from: those of the
 * step's first half. */
static void start(cardan__contacts *c, int count, double h)
{
  for (int i = 0; i < count; i++) {
    const cardan__feature *f = &c->gaps.feature[c->impacts.index[i]];
    const cardan__contact_record *g = cardan__contacts_record(c, f);
    c->impacts.closed_cone[i] =
        cardan__contacts_cone(c, f, c->impacts.first[i], g != NULL && g->sticks, h);
    memset(c->impacts.r + c->impacts.first[i], 0,
           (size_t)(c->impacts.first[i + 1] - c->impacts.first[i]) * sizeof *c->impacts.r);
    // without friction nothing is found faster by it
    if (g != NULL && (f->ngroup > 0 || c->ndry > 0)) {
      cardan__feature_local(f, g->minus[0], g->minus[1], c->impacts.r + c->impacts.first[i]);
    }
  }
}

/* Dry friction of joints whose motion is prescribed: nothing moves them. */
static void slide_prescribed(cardan__contacts *c, int count, double still)
{
  for (int i = count - c->ndry; i < count; i++) {
    const size_t row = (size_t)c->impacts.first[i];
    if (c->impacts.G[row * (size_t)c->impacts.m + row] == 0) {
      c->impacts.r[row] = cardan__box_driven(&c->impacts.closed_cone[i], c->impacts.b[row], still);
    }
  }
}

cardan_status cardan__contact_solve_node(cardan_sim *sim, int count, double h)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const double still = cardan__contacts_still(data);
  const cardan_status status =
      cardan__contacts_coupled(c, sim->model, data, c->impacts.index, count);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__contacts_relative(c, data, c->impacts.index, count, data->v, c->impacts.u);
  const double speed = prepare(c, count);
  const bool beside = c->ndry > 0 && count > c->ndry;
  start(c, count, h);
  cardan__ncp p = {
      .n = count,
      .m = c->impacts.m,
      .cone = c->impacts.closed_cone,
      .G = c->impacts.G,
      .b = c->impacts.b,
      .r = c->impacts.r,
      .u = c->impacts.after,
      .tree = cardan__contacts_trees(c, sim->model, c->gaps.feature, c->impacts.index, count),
      .tol = fmax(fmax(nothing * speed, least * still), beside ? beside_dry : 0),
      .stalled_tol = fmax(enough * speed, worth(sim)),
      .caller_tol = fmax(fmax(accepted * speed, still), worth(sim)),
      .keeps_start = beside,
      .friction_slack = cardan__held_at_rest(&c->held) ? CARDAN__NCP_FRICTION_SLACK : 0,
      .work = c->impacts.work,
      .iwork = c->impacts.iwork};
  bool good = true;
  do {
    good = cardan__ncp_solve(&p) || p.error <= p.caller_tol;
    cardan__contacts_count(c, &p);
  } while (good && let_slide(c, sim->model, count, 1e-12 + nothing * speed));
  if (!good) {
    return cardan__contacts_unsolved(c, data, p.n, c->impacts.index[p.worst], p.error);
  }
  if (c->ndry > 0 && count >= c->ndry && sim->model->nrow > 0) {
    slide_prescribed(c, count, p.tol);
  }
  c->ledger.stats.error = fmax(c->ledger.stats.error, p.error);
  c->ledger.node_error = p.error;
  return CARDAN_OK;
}

/* What note_dry leaves out, at data's new velocities: with the velocities v and v' of both nodes,
 * their mean w over the step, and the impulse that is not friction's, (w - v) M - r^-, half of its
 * work is along
 *   d = v' + v - 2 w                                                                         (T3)
 * which is 0 to O(h^2) but where a joint stops or turns round. */
static void add_turns(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const double *v = c->cones.node, *w = c->cones.step;
  double *now = c->impacts.tau, T[2], friction = 0;
  memcpy(now, data->v, (size_t)c->nv * sizeof *now);
  for (int i = c->gaps.room; i < c->gaps.room + c->ndry; i++) {
    const cardan__feature *f = &c->gaps.feature[i];
    const cardan__contact_record *g = cardan__contacts_record(c, f);
    friction += g != NULL ? g->minus[0].x * (now[f->k] + v[f->k] - 2 * w[f->k]) : 0;
  }
  for (int side = 0; side < 2; side++) { // |w - v + d|^2 and |w - v - d|^2
    for (int k = 0; k < c->nv; k++) {
      const double d = now[k] + v[k] - 2 * w[k];
      data->v[k] = w[k] - v[k] + (side == 0 ? d : -d);
    }
    cardan_velocities(sim->model, data);
    T[side] = cardan_kinetic(sim->model, data);
  }
  c->ledger.dry -= 0.5 * (0.5 * (T[0] - T[1]) - friction);
  memcpy(data->v, now, (size_t)c->nv * sizeof *now);
  cardan_velocities(sim->model, data);
}

cardan_status cardan__contact_join(cardan_sim *sim, int count, int own)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  memcpy(c->impacts.tau, data->v, (size_t)c->nv * sizeof *c->impacts.tau);
  cardan__contacts_add(c, c->impacts.index, count, c->impacts.r, c->impacts.tau);
  note_node(c, data, own);
  cardan__contacts_note_slack(c, c->impacts.index, count);
  sim->stepper->method->join(sim->stepper, c->impacts.dp);
  c->trial.stale = true;
  const cardan_status status = cardan__contacts_velocities(sim);
  if (status == CARDAN_OK && c->ledger.dry_turns && !(c->landing.on && c->landing.n > 0)) {
    add_turns(sim);
  }
  return status;
}

/* Impulses r^+ of dry friction alone, where joints stay on the sides that the step had them on:
 * bounds of those that slide, and what holds the others. *done: they do. No rows, no responses. */
static cardan_status settle_sides(cardan_sim *sim, bool *done)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  double *dp = c->impacts.dp, *held = c->impacts.tau;
  memset(dp, 0, (size_t)c->nv * sizeof *dp);
  for (int i = 0; i < c->ndry; i++) {
    const cardan__feature *f = &c->gaps.feature[c->gaps.room + i];
    c->impacts.index[i] = c->gaps.room + i;
    c->impacts.first[i] = i;
    c->impacts.r[i] = -c->held.side[i] * 0.5 * c->ledger.h * f->force;
    cardan__feature_push(f, c->impacts.r[i], dp);
  }
  c->impacts.first[c->ndry] = c->impacts.m = c->ndry;
  const cardan_status status = sim->stepper->method->node_held(sim->stepper, data, dp, held);
  *done = status == CARDAN_OK;
  for (int i = 0; i < c->ndry && *done; i++) {
    const cardan__feature *f = &c->gaps.feature[c->impacts.index[i]];
    const double u = c->impacts.after[i] = cardan__feature_rate(f, data->v);
    if (c->held.side[i] == 0) {
      c->impacts.r[i] = held[f->k];
      cardan__feature_push(f, held[f->k], dp);
    }
    *done = c->held.side[i] == 0 ? fabs(held[f->k]) <= 0.5 * c->ledger.h * f->force
                                 : c->held.side[i] * u > 0 && !turns(u, c->held.speed[i]);
  }
  c->trial.stale = !*done;
  if (*done) {
    note_node(c, data, c->ndry);
    sim->stepper->method->join(sim->stepper, dp);
    cardan__contacts_rates(c, sim->model, data);
    c->ledger.node_error = 0;
  }
  return status;
}

cardan_status cardan__contact_settle(cardan_sim *sim, bool all)
{
  cardan__contacts *c = sim->contacts;
  bool done = false;
  cardan_status status = CARDAN_OK;
  if (!all && c->held.sided && c->ledger.stats.closed == 0) {
    status = settle_sides(sim, &done);
  }
  status = status == CARDAN_OK && !done ? cardan__contacts_velocities(sim) : status;
  if (done) {
    return status;
  }
  const double still = cardan__contacts_still(sim->data);
  const int count = status == CARDAN_OK ? list_closed(c, all, still) : 0;
  if (count == 0) {
    return status;
  }
  status = cardan__contact_solve_node(sim, count, c->ledger.h);
  return status == CARDAN_OK ? cardan__contact_join(sim, count, count) : status;
}
