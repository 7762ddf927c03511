// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "contact/contacts.h"
#include "spatial/spatial.h"

/* Contacts as rows of a step (constraints/held_rows.h): the first row of a cone is a gap, of
 * position level; the others are ways of slip, spin and roll over the step, of velocity level
 * (contact/feature_way.c). */

static cardan__contacts *contacts_of(const cardan__held_rows *held)
{
  return held->self;
}

// NOLINTNEXTLINE(readability-non-const-parameter): equal, of all sets
static void values(const cardan__held_rows *held, cardan_data *end, double *equal, double *cones)
{
  const cardan__contacts *c = contacts_of(held);
  (void)equal;
  for (int j = 0; j < held->n; j++) {
    cardan__feature_way(c->model, end, &c->cones.feature[j], cones + held->cone[j].row);
  }
}

// NOLINTNEXTLINE(readability-non-const-parameter): equal, of all sets
static void rows(const cardan__held_rows *held, cardan_data *end, double *equal, double *cones)
{
  const cardan__contacts *c = contacts_of(held);
  (void)equal;
  for (int j = 0; j < held->n; j++) {
    cardan__feature_way_rows(c->model, end, &c->cones.feature[j],
                             cones + (size_t)held->cone[j].row * (size_t)c->nv);
  }
}

static void load(const cardan__held_rows *held, cardan_data *middle, double h, const double *r)
{
  const cardan__contacts *c = contacts_of(held);
  cardan__contacts_place(c, middle);
  for (int j = 0; j < held->n; j++) {
    cardan_vec3 force, couple;
    cardan__feature_world(&c->cones.feature[j], r + held->cone[j].row, &force, &couple);
    cardan__feature_load(c->model, middle, &c->cones.feature[j], cardan__vec3_scale(2 / h, force),
                         cardan__vec3_scale(2 / h, couple), middle->f_in, middle->tau_in);
  }
}

/* ---- the end of the step ---- */

/* Contacts whose static friction the step overcomes slide with their own, in another try: are there
 * any? */
static bool break_static_friction(cardan__contacts *c, const cardan__held_end *end)
{
  const double still = 1e-12 * fabs(end->h) + 4e-15 * (1 + c->size); // [m], rounding among it
  bool any = false;
  for (int j = 0; j < c->held.n; j++) {
    if (c->cones.sticks[j] &&
        cardan__cone_slides(&c->held.cone[j], 0, c->held.impulse, end->asked, still)) {
      c->cones.broke[c->cones.index[j]] = any = true;
    }
  }
  return any;
}

static cardan__attempt test(cardan__held_rows *held, const cardan__held_end *end)
{
  cardan__contacts *c = contacts_of(held);
  cardan_data *data = end->data;
  const int n = held->given ? 0 : held->n;
  double value = 0;
  for (int i = 0; n > 0 && i < held->nrow; i++) {
    c->cones.mean[i] = end->asked[i] / end->h;
  }
  for (int k = 0; c->ndry > 0 && k < c->nv; k++) {
    c->cones.step[k] = end->dq[k] / end->h;
  }
  if (n > 0 && break_static_friction(c, end)) {
    return cardan__attempt_refused(CARDAN__SLIPPED, -1, 0);
  }
  if (c->skip.node != NULL) {
    return cardan__contacts_skip_judge(c, end->t, end->q);
  }
  memcpy(data->q, end->q, (size_t)c->nq * sizeof *end->q);
  data->t = end->t;
  const cardan__attempt attempt = cardan__contacts_judge(c, data, NULL);
  if (!cardan__attempt_accepted(attempt)) {
    return attempt;
  }
  if (!held->given && c->gaps.nwatch > 0 &&
      cardan__contacts_passes(c, end->q_node, end->dq, data, &value)) {
    return cardan__attempt_refused(CARDAN__MIDSTEP, -1, value);
  }
  if (n > 0 && cardan__contacts_turns(c, data, end->dt, &value)) {
    return cardan__attempt_refused(CARDAN__RAN, -1, value);
  }
  return n > 0 && cardan__contacts_jump(c, data, end->dt)
             ? cardan__attempt_refused(CARDAN__JUMPED, -1, 0)
             : attempt;
}

/* Returns whether errors of a step add up: the error of a guess keeps its sign for many steps, and
 * between impacts without loss it accumulates beyond rounding, as does that of the rest of a step
 * after an event. */
static bool adds_up(const cardan__held_rows *held, bool guessed)
{
  const cardan__contacts *c = contacts_of(held);
  return c->trial.seek || (guessed && c->ledger.stats.impacts > 0);
}

/* ---- the node ---- */

/* Onto data's inputs: forces of closed contacts, means over the step before the node. */
static void add_forces(cardan__contacts *c, cardan_data *data)
{
  for (int i = 0; i < c->gaps.n; i++) {
    const cardan__feature *f = &c->gaps.feature[i];
    const cardan__contact_record *g =
        cardan__contacts_closed(c, i) ? cardan__contacts_record(c, f) : NULL;
    if (g != NULL) {
      cardan__feature_load(data->model, data, f, cardan__contact_record_mean(c, g, 0),
                           cardan__contact_record_mean(c, g, 1), data->f_in, data->tau_in);
    }
  }
}

/* Mean forces of dry friction in joints over the step before the node, to tau (nv, out). */
static void dry_forces(cardan__contacts *c, double *tau)
{
  memset(tau, 0, (size_t)c->nv * sizeof *tau);
  for (int i = c->gaps.room; i < c->gaps.room + c->ndry; i++) {
    const cardan__feature *f = &c->gaps.feature[i];
    const cardan__contact_record *g = cardan__contacts_record(c, f);
    if (g != NULL) {
      cardan__feature_push(f, cardan__contact_record_mean(c, g, 0).x, tau);
    }
  }
}

/* At the start nothing is known of friction, which is the law's. */
static cardan_status publish(cardan__held_rows *held, cardan_data *data)
{
  cardan__contacts *c = contacts_of(held);
  const size_t nv = (size_t)c->nv, nbody = (size_t)c->nbody;
  cardan__contacts_place(c, data);
  memcpy(c->impacts.tau, data->tau_in, nv * sizeof *c->impacts.tau);
  memcpy(c->impacts.f, data->f_in, nbody * sizeof *c->impacts.f);
  add_forces(c, data);
  if (c->ndry > 0 && c->ledger.h > 0) {
    dry_forces(c, c->impacts.dp);
    data->dry_friction = c->impacts.dp;
  }
  const cardan_status status = cardan_forward(data->model, data, 0, 0);
  for (int i = 0; i < c->model->nforce && data->dry_friction != NULL; i++) {
    const cardan_force_element *e = &c->model->force[i];
    data->friction[i] = e->kind == CARDAN_ELEMENT_DRY_FRICTION ? e->value[0] : data->friction[i];
  }
  data->dry_friction = NULL;
  memcpy(data->tau_in, c->impacts.tau, nv * sizeof *c->impacts.tau);
  memcpy(data->f_in, c->impacts.f, nbody * sizeof *c->impacts.f);
  return status;
}

/* ---- statistics and messages ---- */

static void solved(cardan__held_rows *held, const cardan__ncp *problem)
{
  cardan__contacts_count(contacts_of(held), problem);
}

static void name(const cardan__held_rows *held, int row, int cone, char *text, size_t size)
{
  const cardan__contacts *c = contacts_of(held);
  (void)row;
  cardan__feature_name(c->model, &c->cones.feature[cone], text, size);
}

/* ---- methods of continuous time ---- */

static cardan_status forward(cardan__held_rows *held, cardan_data *data, double kq, double kv,
                             double *force)
{
  return cardan__contacts_forward(contacts_of(held), data, kq, kv, force);
}

static cardan_status settle(cardan__held_rows *held, cardan_data *data, double kq, double kv)
{
  return cardan__contacts_settle(contacts_of(held), data, kq, kv);
}

static cardan_status project(cardan__held_rows *held, cardan_data *data, double *v, double *p)
{
  cardan__contacts *c = contacts_of(held);
  const cardan_status status = cardan__contacts_project(c, data->model, data, v);
  for (int i = 0; i < held->n && status == CARDAN_OK; i++) {
    cardan__feature_push(&c->gaps.feature[c->cones.index[i]], c->impacts.r[i], p);
  }
  return status;
}

static void stop(const cardan__held_rows *held, double *v)
{
  const cardan__contacts *c = contacts_of(held);
  for (int i = 0; i < held->n; i++) {
    v[c->gaps.feature[c->cones.index[i]].k] = 0;
  }
}

static cardan_status close(cardan__held_rows *held, cardan_data *data)
{
  return cardan__contacts_return(contacts_of(held), data->model, data);
}

const cardan__held_calls cardan__contact_held_calls = {.values = values,
                                                       .rows = rows,
                                                       .load = load,
                                                       .test = test,
                                                       .adds_up = adds_up,
                                                       .solved = solved,
                                                       .publish = publish,
                                                       .name = name,
                                                       .forward = forward,
                                                       .settle = settle,
                                                       .project = project,
                                                       .stop = stop,
                                                       .close = close};
