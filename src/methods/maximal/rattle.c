// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "methods/maximal/maximal_kicks.h"
#include "spatial/so3.h"

/* Method rattle: the half-implicit step made symmetric, second order, with positions and velocities
 * on the constraints. RATTLE on R^3 x SO(3) for each body; what [1] leaves as future work.
 * [1] L. Fang et al., On the use of half-implicit numerical integration in multibody dynamics.
 *
 * With x the displacement of the step as in implicit.c, D(x) = dlog_{-x} on the rotations (1 on
 * translations and in a plane), l = -h^2/2 lambda:
 *   D(x) M x + J_n^T l = h M v_n + h^2/2 F_n,   Phi(q_n + x, t_{n+1}) = 0                      (E1)
 *   p = D(-x) M x / h                                                                         (E2)
 *   [M J^T; J 0]_{n+1} [v_{n+1}; .] = [p + h/2 F_{n+1}; -Phi_t]                                (E3)
 * F without gyroscopic torques: they are in D. (E1) by displace.c, whose frozen matrix is that of
 * (E3) of the step before: one factorisation a step. Forces that
 * depend on velocity are evaluated at both nodes with the nodes' own velocities, in (E3) by
 * iteration: symmetric, so the order stays 2. Friction is that of the node too: it agrees with the
 * reactions of accelerations there, and looks half a step ahead (forces/friction_prediction.h). */

typedef struct {
  cardan__mx_stepper base;
  bool by_velocity; // a force depends on velocities
  double power;     // at the node [W]
} rattle;

static const double closely = 1e-13; // of corrections where there are kicks

static void rattle_destroy(cardan__stepper *stepper)
{
  cardan__mx_kicks_close((cardan__mx_stepper *)stepper);
  cardan__mx_destroy(stepper);
}

static cardan_status rattle_create(const cardan_model *model, const cardan_options *options,
                                   const cardan__held_room *room, const cardan_allocator *allocator,
                                   cardan__stepper **out)
{
  (void)room;
  cardan__mx_stepper *base;
  *out = NULL;
  const cardan_status status = cardan__mx_open(sizeof(rattle), &cardan__method_rattle, true, model,
                                               options, allocator, &base);
  if (status != CARDAN_OK) {
    return status;
  }
  rattle *s = (rattle *)base;
  base->ahead = 0.5;
  for (int i = 0; i < model->nforce; i++) {
    s->by_velocity = s->by_velocity || (model->force[i].flags & CARDAN_FORCE_VELOCITY);
  }
  if (cardan__mx_rolling_open(base, 0.5, true) != CARDAN_OK ||
      cardan__mx_kicks_open(base) != CARDAN_OK) {
    rattle_destroy(&base->base);
    return CARDAN_ERR_MEMORY;
  }
  if (base->rolling != NULL && !(options->tol > 0)) {
    base->tol = closely; // nu is known as well as x
  }
  *out = &base->base;
  return CARDAN_OK;
}

/* D(+-x) M x of a body in space; sign +1 or -1. */
static inline cardan_vec3 spin(const cardan__mx_body *body, const double *x, int sign)
{
  const cardan_vec3 w = {x[0], x[1], x[2]}, Jw = cardan__sym3_mulv(&body->J, w);
  return sign > 0 ? cardan__so3_dlog_tmulv(w, Jw) : cardan__so3_dlog_mulv(w, Jw);
}

/* Forces at the instant, to f. */
static void evaluate_forces(cardan__mx_stepper *b, cardan_data *data, const double *vel)
{
  cardan__mx_forces(b->mx, data, CARDAN__MX_POTENTIAL | b->others, vel, b->f);
}

static void update_poses(cardan__mx_stepper *b, const double *cfg, const double *vel)
{
  cardan__mx_place_again(b->mx, cfg, cardan__mx_seen(b, vel));
  cardan__mx_coordinates(b->mx, b->forces);
  cardan__mx_rates(b->mx, b->forces, false);
}

/* Minus the residual of the first of (E1) without J_n^T l, to dx. */
static void residual(cardan__mx_stepper *b, double h)
{
  const cardan__maximal *mx = b->mx;
  const double *x = b->x, *rhs = b->rhs;
  double *out = b->dx;
  (void)h;
  if (mx->planar) {
    cardan__mx_mass_sub(mx, rhs, x, out);
    return;
  }
  for (int i = 0; i < mx->nbody; i++, x += 6, rhs += 6, out += 6) {
    const cardan_vec3 p = spin(&mx->body[i], x, 1);
    const double m = mx->body[i].m;
    out[0] = rhs[0] - p.x;
    out[1] = rhs[1] - p.y;
    out[2] = rhs[2] - p.z;
    out[3] = rhs[3] - m * x[3];
    out[4] = rhs[4] - m * x[4];
    out[5] = rhs[5] - m * x[5];
  }
}

/* p of (E2), to rhs. */
static void momentum(cardan__mx_stepper *b, double h)
{
  const cardan__maximal *mx = b->mx;
  const double *x = b->x, per_step = 1 / h;
  double *out = b->rhs;
  if (mx->planar) {
    cardan__mx_mass_mul(mx, x, out);
    for (int k = 0; k < mx->nx; k++) {
      out[k] *= per_step;
    }
    return;
  }
  for (int i = 0; i < mx->nbody; i++, x += 6, out += 6) {
    const cardan_vec3 p = spin(&mx->body[i], x, -1);
    const double m = per_step * mx->body[i].m;
    out[0] = per_step * p.x;
    out[1] = per_step * p.y;
    out[2] = per_step * p.z;
    out[3] = m * x[3];
    out[4] = m * x[4];
    out[5] = m * x[5];
  }
}

/* (E3) out of friction as it is: what it makes of the velocities, to dx. */
typedef struct {
  rattle *s;
  cardan_data *data;
  double h;
} kicked;

static void kick_once(void *self)
{
  const kicked *k = self;
  cardan__mx_stepper *b = &k->s->base;
  const cardan__maximal *mx = b->mx;
  evaluate_forces(b, k->data, b->vel_try);
  for (int i = 0; i < mx->nx; i++) {
    b->dx[i] = b->rhs[i] + 0.5 * k->h * b->f[i];
  }
  if (b->factored.rows_wait) { // all of pairs, which do not move with time
    cardan__kkt_solve(b->kkt, b->dx, NULL, b->dx, NULL);
    return;
  }
  cardan__mx_equations(mx, -1, mx->rows.phi_t, b->nu);
  cardan__kkt_solve(b->kkt, b->dx, b->nu, b->dx, b->dl);
}

/* The same with friction that agrees with accelerations at vel_try and looks half a step ahead of
 * the result. */
static cardan_status kick_with_friction(kicked *k)
{
  cardan__mx_stepper *b = &k->s->base;
  cardan__maximal *mx = b->mx;
  const cardan__mx_kick kick = {.self = k, .solve = kick_once, .vel = b->dx, .work = b->kicked};
  cardan__mx_look(b, b->cfg_try, b->vel_try, mx->t);
  cardan__mx_rates_of_rows(mx, true);
  cardan__mx_equations(mx, 1, mx->rows.gamma, b->g);
  return cardan__mx_agree_friction(b, k->data, b->vel_try, &kick);
}

/* The rows at cfg_try, factored; vel_try is the mean of both ends. */
static cardan_status factor_kick(cardan__mx_stepper *b, cardan_data *data)
{
  const cardan_status status = cardan__mx_factor_here(b, data);
  if (status != CARDAN_ERR_SINGULAR) {
    return status;
  }
  for (int k = 0; k < b->mx->nx; k++) {
    b->dx[k] = 2 * b->vel_try[k] - b->vel[k];
  }
  return cardan__mx_factor_past(b, data, b->cfg_try, b->vel_try, b->dx);
}

/* (E3) at cfg_try: rhs holds p, vel_try is the result. */
static cardan_status kick(rattle *s, cardan_data *data, double h)
{
  enum { MOST = 50 };
  cardan__mx_stepper *b = &s->base;
  cardan__maximal *mx = b->mx;
  kicked self = {s, data, h};
  const double per_step = 1 / h;
  for (int k = 0; k < mx->nx; k++) {
    b->vel_try[k] = per_step * b->x[k];
  }
  update_poses(b, b->cfg_try, b->vel_try);
  cardan_status status = factor_kick(b, data);
  if (!b->factored.rows_wait) {
    cardan__mx_rates_of_rows(mx, false);
  }
  // friction leaves no symmetry to keep
  const double enough = b->base.model->has_friction ? 1e-9 : 1e-14;
  // at rest there is nothing to measure rounding by but what a step of free fall would be
  const double fall = h * cardan__vec3_norm(b->base.model->gravity);
  double before = HUGE_VAL;
  for (int i = 0; i < MOST && status == CARDAN_OK; i++) {
    double change = 0, size = fall;
    if (b->base.model->has_friction) {
      status = kick_with_friction(&self);
    } else {
      kick_once(&self);
    }
    if (!s->by_velocity) {
      memcpy(b->vel_try, b->dx, (size_t)mx->nx * sizeof *b->dx);
      return status;
    }
    for (int k = 0; k < mx->nx; k++) {
      change = fmax(change, fabs(b->dx[k] - b->vel_try[k]));
      size = fmax(size, fabs(b->dx[k]));
      b->vel_try[k] = b->dx[k];
    }
    // to rounding, or where it stops falling
    if (change <= enough * size || (i > 3 && change >= 0.5 * before)) {
      return status;
    }
    before = change;
    update_poses(b, b->cfg_try, b->vel_try);
  }
  return status != CARDAN_OK
             ? status
             : cardan__mx_fail(b, data, CARDAN_ERR_NO_CONVERGENCE, -1, before, MOST);
}

/* (E1) and (E2); with (E3) they are a round of a step with kicks. */
static cardan_status displace(void *self)
{
  const kicked *k = self;
  cardan__mx_stepper *b = &k->s->base;
  const cardan_status status = cardan__mx_displace(b, k->data, k->h, residual);
  if (status == CARDAN_OK) {
    momentum(b, k->h);
  }
  return status;
}

static cardan_status finish(void *self)
{
  const kicked *k = self;
  return kick(k->s, k->data, k->h);
}

/* x and vel_try out of rhs of (E1). */
static cardan_status solve(rattle *s, cardan_data *data, double h)
{
  kicked self = {s, data, h};
  const cardan__mx_round round = {.self = &self, .displace = displace, .finish = finish};
  if (s->base.rolling != NULL) {
    return cardan__mx_kick_step(&s->base, data, h, &round);
  }
  const cardan_status status = displace(&self);
  return status == CARDAN_OK ? finish(&self) : status;
}

/* Power of forces and drivers at the node cfg, vel; friction's next limits. Accelerations are only
 * solved for if a caller reads them. */
static cardan_status compute_power(rattle *s, cardan_data *data, const double *cfg,
                                   const double *vel, double *power)
{
  cardan__mx_stepper *b = &s->base;
  *power = 0;
  if (!b->works) {
    return CARDAN_OK;
  }
  cardan__mx_look(b, cfg, vel, b->mx->t);
  if (b->mx->any_time || b->base.model->has_friction) {
    const cardan_status status = cardan__mx_accelerate(b, data, cfg, vel, 0, 0);
    if (status != CARDAN_OK) {
      return status;
    }
    *power = cardan__mx_driver_power(b->mx, b->lambda);
  }
  *power += cardan__mx_power(b->mx, data);
  return CARDAN_OK;
}

/* The same at the node, for the step that begins there: with forces of the new side of a switch. */
static cardan_status node_power(rattle *s, cardan_data *data)
{
  cardan__mx_stepper *b = &s->base;
  if (b->lead == 0 || !b->works) {
    return compute_power(s, data, b->cfg, b->vel, &s->power);
  }
  cardan__mx_look_past_switch(b);
  s->power = cardan__mx_power(b->mx, data);
  return CARDAN_OK;
}

static cardan_status rattle_start(cardan__stepper *stepper, cardan_data *data)
{
  rattle *s = (rattle *)stepper;
  cardan__mx_stepper *b = &s->base;
  cardan_status status = cardan__mx_begin(b, data);
  cardan__mx_kicks_start(b);
  if (status == CARDAN_OK) {
    status = cardan__mx_factor_ahead(b, data, b->cfg, b->vel, b->vel);
  }
  return status == CARDAN_OK ? compute_power(s, data, b->cfg, b->vel, &s->power) : status;
}

static cardan__attempt rattle_step(cardan__stepper *stepper, cardan_data *data, double t_next)
{
  rattle *s = (rattle *)stepper;
  cardan__mx_stepper *b = &s->base;
  cardan__maximal *mx = b->mx;
  const double h = t_next - data->t;
  double power;
  cardan__mx_rolling_begin(b, data->t);
  cardan__mx_turns_begin(b, data);
  mx->t = data->t;
  cardan__mx_friction_ahead(b, h);
  if (cardan__mx_inputs(b, data)) { // from the node on another power
    const cardan_status status = node_power(s, data);
    if (status != CARDAN_OK) {
      return cardan__attempt_of(status);
    }
  }
  if (b->lead > 0) {
    cardan__mx_look_past_switch(b);
    evaluate_forces(b, data, b->vel_try);
  }
  cardan__mx_place_node(b);
  cardan__mx_coordinates(mx, b->forces);
  cardan__mx_rates(mx, b->forces, false);
  if (b->lead == 0) {
    evaluate_forces(b, data, b->vel);
  }
  cardan__mx_impulse(mx, h, b->vel, 0.5 * h * h, b->f, b->rhs);
  cardan__mx_guess(b, h);
  mx->t = t_next;
  cardan_status status = solve(s, data, h);
  if (status == CARDAN_OK) {
    status = compute_power(s, data, b->cfg_try, b->vel_try, &power);
  }
  if (status == CARDAN_OK) {
    status = cardan__mx_check(b, data, t_next);
  }
  if (status != CARDAN_OK) {
    return cardan__attempt_of(status);
  }
  b->work += 0.5 * h * (s->power + power);
  s->power = power;
  b->published = false;
  b->lead = 0;
  cardan__mx_kicks_accept(b);
  cardan__mx_advance(b, data, t_next);
  return cardan__attempt_of(CARDAN_OK);
}

static cardan_status rattle_switched(cardan__stepper *stepper, cardan_data *data)
{
  rattle *s = (rattle *)stepper;
  cardan__mx_stepper *b = &s->base;
  b->mx->t = data->t;
  b->lead = stepper->lead;
  if (b->lead > 0) { // along accelerations of the old side, where there are any
    cardan__mx_look(b, b->cfg, b->vel, data->t);
    const cardan_status status = cardan__mx_accelerate(b, data, b->cfg, b->vel, 0, 0);
    b->published = false;
    if (status != CARDAN_OK) {
      memset(b->acc, 0, (size_t)b->mx->nx * sizeof *b->acc);
      data->info = (cardan_info){.body = -1, .joint = -1, .row = -1};
    }
  }
  return node_power(s, data);
}

static void rattle_spans(cardan__stepper *stepper, cardan__spans *list)
{
  cardan__mx_spans(stepper, list);
  CARDAN__SPANS_ONE(list, ((rattle *)stepper)->power);
  cardan__mx_kicks_spans((cardan__mx_stepper *)stepper, list);
}

/* The rows at the node are factored when it is reached, for the next step. */
static void rattle_rejoin(cardan__stepper *stepper, cardan_data *data, bool restored)
{
  cardan__mx_rejoin(stepper, data, restored);
  if (restored) {
    cardan__mx_stepper *b = (cardan__mx_stepper *)stepper;
    const cardan_status status = cardan__mx_factor_ahead(b, data, b->cfg, b->vel, b->vel);
    (void)status; // the same as when it was reached: the run could not have been saved otherwise
    cardan__mx_kicks_forget(b);
  }
}

const cardan__method cardan__method_rattle = {
    .name = "rattle",
    .velocity_rows = true,
    .old_side = true,
    .help = "maximal coordinates: constraints at position and velocity level, order 2, symplectic",
    .options = {cardan__mx_step_options, cardan__mx_options, cardan__substeps_options},
    .longest = cardan__verlet_longest,
    .accepts = cardan__mx_accepts,
    .create = rattle_create,
    .destroy = rattle_destroy,
    .start = rattle_start,
    .step = rattle_step,
    .node = cardan__mx_node,
    .publish = cardan__mx_publish,
    .work = cardan__mx_work,
    .kinematics = cardan__mx_kinematics,
    .violation = cardan__mx_closed,
    .reactions = cardan__mx_reactions,
    .spans = rattle_spans,
    .rejoin = rattle_rejoin,
    .switched = rattle_switched,
};
