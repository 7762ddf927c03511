// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "methods/maximal/backward.h"
#include "methods/maximal/maximal_rolling.h"

/* Methods half-implicit and fully-implicit: the index-3 equations solved as they are.
 * [1] L. Fang, A. Kissel, R. Zhang, D. Negrut, On the use of half-implicit numerical integration in
 *     multibody dynamics, J. Comput. Nonlinear Dyn. 2023, equations (3) to (14).
 *
 * With x = h v_{n+1} the displacement of the step (r_{n+1} = r_n + x_r, A_{n+1} = A_n exp(x_t)) and
 * l = -h^2 lambda, half-implicit solves
 *   M x + J_n^T l = h M v_n + h^2 F_n,   Phi(q_n + x, t_{n+1}) = 0                       (5)
 *   N = [M J_n^T; J_n 0] once a step,  N [dx; dl] = -residual  until |dx| <= tol        (8) to (12)
 * and fully-implicit the same with J, F and N at n + 1, in every iteration (13), (14). [1] leaves
 * derivatives of J^T l and of F out of N; here they come in where steps are long (backward.c). F
 * has the gyroscopic torques.
 *
 * Departures from [1]: (5a), (7a), (11a) print M r'' where M r is meant; the third block row of
 * (10) carries transposes that do not belong there; (13c) is scaled by 1/h^2 through l instead. The
 * linear system is solved along the tree of bodies, in linear time. |dx| is the largest turn, or
 * displacement in lengths of the mechanism; [1] takes the Euclidean norm of dx and dl together. The
 * multiplier of the first step is half the true one, since v_0 is exact where v_n is the mean of
 * the step before, and all belong to the beginning of their step: what is published is solved for
 * at the node (implicit_publish). Friction
 * of half-implicit agrees with the reactions of accelerations at the node, and acts against the
 * velocities that these lead to in a step (forces/friction_prediction.h); of fully-implicit it
 * takes the normal forces of the step before (3.4 of [1]), in the first two steps those of the
 * start. */

typedef struct {
  cardan__mx_stepper base;
  double *other; // nx: forces that do work of their own, at n
  double *limit; // nforce: friction limits of the next step, while those of the node are solved for
  bool fully;
  double kick; // time over which forces act [s]: (H1)
  // fully-implicit: the step under way
  cardan__mx_backward newton;
  cardan_data *data;
  double h;
} implicit;

static void implicit_destroy(cardan__stepper *stepper)
{
  implicit *s = (implicit *)stepper;
  cardan__resize(&stepper->allocator, s->other, 0);
  cardan__mx_backward_close(&s->newton);
  cardan__mx_close(&s->base);
}

static cardan_status evaluate_end(void *self, bool factor);

static cardan_status create(const cardan__method *method, bool fully, const cardan_model *model,
                            const cardan_options *options, const cardan_allocator *allocator,
                            cardan__stepper **out)
{
  cardan__mx_stepper *base;
  *out = NULL;
  const cardan_status status =
      cardan__mx_open(sizeof(implicit), method, !fully, model, options, allocator, &base);
  if (status != CARDAN_OK) {
    return status;
  }
  implicit *s = (implicit *)base;
  s->fully = fully;
  base->ahead = fully ? 0 : 1;
  base->displacement.linear = true;
  const size_t room = (size_t)base->mx->nx + (size_t)model->nforce + 1;
  s->other = cardan__resize(allocator, NULL, room * sizeof *s->other);
  s->limit = s->other != NULL ? s->other + base->mx->nx : NULL;
  s->newton = (cardan__mx_backward){.s = base, .self = s, .evaluate = evaluate_end};
  if (s->other == NULL || (fully && cardan__mx_backward_open(&s->newton) != CARDAN_OK) ||
      cardan__mx_rolling_open(base, fully ? 1 : 0.5, false) != CARDAN_OK) {
    implicit_destroy(&base->base);
    return CARDAN_ERR_MEMORY;
  }
  *out = &base->base;
  return CARDAN_OK;
}

static cardan_status implicit_start(cardan__stepper *stepper, cardan_data *data)
{
  return cardan__mx_begin((cardan__mx_stepper *)stepper, data);
}

/* f = F at the instant, gyroscopic torques included; other: its part that does work of its own. */
static void evaluate_forces(implicit *s, cardan_data *data, const double *vel)
{
  cardan__mx_stepper *b = &s->base;
  const int rest = CARDAN__MX_POTENTIAL | CARDAN__MX_GYROSCOPIC;
  if (!b->works) {
    cardan__mx_forces(b->mx, data, rest | b->others, vel, b->f);
    return;
  }
  cardan__mx_forces(b->mx, data, rest, vel, b->f);
  cardan__mx_forces(b->mx, data, CARDAN__MX_OTHER, vel, s->other);
  for (int i = 0; i < b->mx->nx; i++) {
    b->f[i] += s->other[i];
  }
}

/* Residual of the first equation of (5) without J^T l, sign turned, to dx; rhs holds its right-hand
 * side. l is in lambda, as h^2 times the force of [1]'s sign. */
static void residual(cardan__mx_stepper *b, double h)
{
  (void)h;
  cardan__mx_mass_sub(b->mx, b->rhs, b->x, b->dx);
}

/* (5) with J and F at the trial, for fully-implicit; factor: and N there. */
static cardan_status evaluate_end(void *self, bool factor)
{
  implicit *s = self;
  cardan__mx_stepper *b = &s->base;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < b->mx->nx; i++) {
    b->vel_try[i] = b->x[i] / s->h;
  }
  cardan__mx_place(b->mx, b->cfg_try, b->vel_try);
  if (b->forces) {
    cardan__mx_coordinates(b->mx, true);
  }
  cardan__mx_rates(b->mx, b->forces, false);
  if (factor) {
    status = cardan__mx_factor_ahead(b, s->data, b->cfg_try, b->vel_try, b->vel_try);
  } else {
    cardan__mx_jacobian(b->mx);
  }
  if (b->base.model->has_friction) {
    cardan__mx_slide(b, s->newton.wide);
  }
  evaluate_forces(s, s->data, b->vel_try);
  cardan__mx_impulse(b->mx, s->h, b->vel, s->h * s->kick, b->f, b->rhs);
  residual(b, s->h);
  cardan__mx_transpose(b->mx, -1, b->lambda, b->dx);
  for (int i = 0; i < b->mx->nx && s->newton.part < 1; i++) {
    b->dx[i] -= (1 - s->newton.part) * b->rhs[i];
  }
  return status;
}

/* Work of the forces without potential and of rows that move with time, over the step. */
static double step_work(const implicit *s)
{
  const cardan__mx_stepper *b = &s->base;
  const cardan__maximal *mx = b->mx;
  double work = cardan__mx_rolling_work(b, s->h);
  for (int i = 0; i < mx->nx; i++) {
    work += s->other[i] * b->x[i];
  }
  if (mx->any_time) {
    cardan__mx_apply(mx, b->x, b->g);
    for (int e = 0; e < mx->neq; e++) {
      const cardan_row *row = &mx->set.row[mx->row[e]];
      work += row->expr >= 0 && !row->velocity ? b->lambda[e] * b->g[e] : 0;
    }
  }
  return work;
}

/* The step is taken: accelerations, forces of the rows, work, friction's next limits. */
static void finish(implicit *s, cardan_data *data, double h)
{
  cardan__mx_stepper *b = &s->base;
  cardan__maximal *mx = b->mx;
  b->acc_scale = 1 / s->kick;
  if (s->fully) {
    for (int e = 0; e < mx->neq; e++) {
      b->lambda[e] *= -1 / (h * s->kick);
    }
  } else {
    cardan__mx_scale_multipliers(b, -1 / (h * s->kick));
  }
  if (b->works) {
    b->work += step_work(s);
  }
  if (s->fully && b->base.model->has_friction && b->steps > 0) { // the first multiplier is half
    cardan__mx_friction_limits(mx, data, b->lambda, mx->limit);
  }
}

/* The guess of half-implicit, and J_n and N: v_n is the mean of the step before, so the motion at
 * the node goes along the sum of both displacements. */
static cardan_status half_rows(cardan__mx_stepper *b, cardan_data *data, double h)
{
  cardan__mx_guess(b, h);
  const cardan_status status = cardan__mx_factor_here(b, data);
  if (status != CARDAN_ERR_SINGULAR) {
    return status;
  }
  for (int i = 0; i < b->mx->nx; i++) {
    b->dx[i] = b->x[i] + h * b->vel[i];
  }
  return cardan__mx_factor_past(b, data, b->cfg, b->vel, b->dx);
}

/* v_n is the mean of the step before, of length g, and v_{n+1} that of this one: what is between
 * their middles is
 *   (g + h) / 2                                                                             (H1)
 * so that steps of changing length are as symmetric in time as those of one length, and keep the
 * energy as well. */
static double between_middles(const cardan__mx_stepper *b, double h)
{
  const double g = b->steps > 0 ? b->displacement.history_h : h;
  return fabs(g - h) > 1e-9 * fabs(h) ? 0.5 * (g + h) : h;
}

/* Redundant rows of velocity level at cfg, which is the instant and has the factors, for the
 * velocities on the rows that are nearest to vel: displacements of steps are off by O(h) in rows of
 * loops. */
static cardan_status check_redundant(cardan__mx_stepper *b, cardan_data *data, const double *cfg,
                                     const double *vel)
{
  const cardan__maximal *mx = b->mx;
  if (b->rolling == NULL || b->kkt->nidle == 0) {
    return CARDAN_OK;
  }
  cardan__mx_rates_of_rows(b->mx, false);
  cardan__mx_equations(mx, -1, mx->rows.phi_t, b->g);
  cardan__mx_mass_mul(mx, vel, b->dx);
  cardan__kkt_solve(b->kkt, b->dx, b->g, b->dx, b->dl);
  const cardan_status status = cardan__mx_check_rates(b, data, cfg, b->dx);
  cardan__mx_look(b, cfg, vel, mx->t);
  return status;
}

/* Friction, J_n and N, for half-implicit. */
static cardan_status leave_node(implicit *s, cardan_data *data, double h)
{
  cardan__mx_stepper *b = &s->base;
  cardan__maximal *mx = b->mx;
  cardan_status status = CARDAN_OK;
  if (b->base.model->has_friction) {
    cardan__mx_friction_ahead(b, h);
    cardan__mx_look(b, b->cfg, b->vel, mx->t);
    status = cardan__mx_accelerate(b, data, b->cfg, b->vel, 0, 0);
  } else {
    cardan__mx_place_node(b);
    if (b->forces) {
      cardan__mx_coordinates(mx, true);
    }
    cardan__mx_rates(mx, b->forces, false);
  }
  status = status == CARDAN_OK ? half_rows(b, data, h) : status;
  return status == CARDAN_OK ? check_redundant(b, data, b->cfg, b->vel) : status;
}

/* A step failed: the last one's length, which (H1) reads, and with it what guesses are made of. */
static void undo_length(cardan__mx_stepper *b, double h)
{
  if (b->displacement.history_h != h) {
    b->displacement.history_h = h;
    b->displacement.history.have = 0;
  }
}

/* The rows of velocity level of the step that was found. Of fully-implicit they are those of the
 * node, where redundant ones hold too. */
static cardan_status rows_of_end(implicit *s, cardan_data *data)
{
  cardan__mx_stepper *b = &s->base;
  cardan__mx_rolling_look(b);
  return s->fully ? check_redundant(b, data, b->cfg_try, b->vel_try) : CARDAN_OK;
}

static cardan_status attempt_step(cardan__stepper *stepper, cardan_data *data, double t_next)
{
  implicit *s = (implicit *)stepper;
  cardan__mx_stepper *b = &s->base;
  cardan__maximal *mx = b->mx;
  const double h = t_next - data->t, per_step = 1 / h;
  cardan__mx_rolling_begin(b, data->t);
  b->published = false; // until the step is taken: its multipliers are under way
  b->acc_scale = b->displacement.lambda_scale = 0;
  cardan__mx_turns_begin(b, data);
  mx->t = data->t;
  (void)cardan__mx_inputs(b, data);
  s->kick = s->fully ? h : between_middles(b, h);
  if (!s->fully) {
    const cardan_status status = leave_node(s, data, h);
    if (status != CARDAN_OK) {
      return status;
    }
    if (b->lead > 0) {
      cardan__mx_look_past_switch(b);
      evaluate_forces(s, data, b->vel_try);
      cardan__mx_look(b, b->cfg, b->vel, mx->t);
    } else {
      evaluate_forces(s, data, b->vel);
    }
    cardan__mx_impulse(mx, h, b->vel, h * s->kick, b->f, b->rhs);
  } else {
    memset(b->lambda, 0, (size_t)mx->neq * sizeof *b->lambda);
  }
  mx->t = t_next;
  s->data = data;
  s->h = h;
  cardan_status status = s->fully ? cardan__mx_backward_solve(&s->newton, data, h)
                                  : cardan__mx_displace(b, data, h, residual);
  for (int i = 0; i < mx->nx && status == CARDAN_OK; i++) {
    b->vel_try[i] = per_step * b->x[i];
  }
  if (b->rolling != NULL && status == CARDAN_OK) {
    status = rows_of_end(s, data);
  }
  status = status == CARDAN_OK ? cardan__mx_check(b, data, t_next) : status;
  if (status == CARDAN_OK) {
    finish(s, data, h);
    b->lead = 0;
    cardan__mx_advance(b, data, t_next);
  }
  return status;
}

static cardan__attempt implicit_step(cardan__stepper *stepper, cardan_data *data, double t_next)
{
  cardan__mx_stepper *b = (cardan__mx_stepper *)stepper;
  const double before = b->displacement.history_h;
  const cardan_status status = attempt_step(stepper, data, t_next);
  if (status != CARDAN_OK) {
    undo_length(b, before);
  }
  return cardan__attempt_of(status);
}

/* Velocities at the node to vel_try, of which vel is the mean over the step before: what the forces
 * `what` at the instant make of them in half of it, and the rows leave. cfg_try: cfg */
static cardan_status kicked_velocities(cardan__mx_stepper *b, cardan_data *data, double before,
                                       int what)
{
  const cardan__maximal *mx = b->mx;
  cardan__mx_forces(b->mx, data, what, b->vel, b->f);
  cardan__mx_mass_solve(mx, b->f, b->dx);
  for (int i = 0; i < mx->nx; i++) {
    b->vel_try[i] = b->vel[i] + 0.5 * before * b->dx[i];
  }
  memcpy(b->cfg_try, b->cfg, (size_t)mx->ncfg * (size_t)mx->nbody * sizeof *b->cfg);
  return cardan__mx_project(b, data, data->t, b->cfg_try, b->vel_try);
}

static cardan_status nodal_velocities(cardan__mx_stepper *b, cardan_data *data, double before,
                                      int what)
{
  cardan__mx_late(b);
  cardan__mx_look(b, b->cfg, b->vel, data->t);
  return kicked_velocities(b, data, before, what);
}

/* The instant just before forces switch at the node. A switch of time has left mx at the time
 * before it; one of the state was passed within rounding, and lies a little back along the
 * motion. */
static void look_before_switch(cardan__mx_stepper *b, const cardan_data *data, double before)
{
  const cardan__maximal *mx = b->mx;
  const double rounding = 16 * DBL_EPSILON * fmax(fabs(data->t), b->base.options->dt);
  const double back = data->t == mx->t ? fmax(1e-7 * before, rounding) : 0;
  cardan__mx_late(b);
  for (int i = 0; i < mx->nx; i++) {
    b->dx[i] = -back * b->vel[i];
    b->vel_try[i] = b->vel[i] - back * b->acc[i];
  }
  cardan__mx_drift(b->mx, b->cfg, b->dx, b->cfg_try);
  cardan__mx_look(b, b->cfg_try, b->vel_try, mx->t);
}

/* Forces of the old side act over the half of the step before that (H1) leaves to the node, and
 * velocities become those of the node: the middle of a step of no length, so that forces of the new
 * side act over half of the next one. Without this a push that begins at the node would act over
 * the half of a step in which it was not there. The first step of a run has its forces over all of
 * it. In a singular position, where no velocity can be had, all stays as it was. */
static cardan_status half_switched(cardan__stepper *stepper, cardan_data *data)
{
  cardan__mx_stepper *b = (cardan__mx_stepper *)stepper;
  const double before = b->steps > 1 ? b->displacement.history_h : 0;
  b->lead = stepper->lead;
  if (b->steps == 0) {
    return CARDAN_OK;
  }
  look_before_switch(b, data, before);
  const cardan_status status = kicked_velocities(b, data, before, cardan__mx_all_forces(b));
  if (status == CARDAN_OK) {
    memcpy(b->vel, b->vel_try, (size_t)b->mx->nx * sizeof *b->vel);
    b->displacement.history_h = 0;
    b->displacement.history.have = 0;
    b->published = false;
  }
  cardan__mx_look(b, b->cfg, b->vel, data->t);
  if (status == CARDAN_ERR_SINGULAR || status == CARDAN_ERR_NO_CONVERGENCE) {
    data->info = (cardan_info){.body = -1, .joint = -1, .row = -1};
    return CARDAN_OK;
  }
  return status;
}

/* No force is evaluated at the start of a step, and that of its end is on the new side. */
static cardan_status fully_switched(cardan__stepper *stepper, cardan_data *data)
{
  cardan__mx_stepper *b = (cardan__mx_stepper *)stepper;
  b->published = false;
  cardan__mx_late(b);
  cardan__mx_look(b, b->cfg, b->vel, data->t);
  return CARDAN_OK;
}

static cardan_status half_nodal(cardan__stepper *stepper, cardan_data *data, double h,
                                double *kinetic)
{
  cardan__mx_stepper *b = (cardan__mx_stepper *)stepper;
  const cardan__maximal *mx = b->mx;
  const double before = b->steps > 0 ? b->displacement.history_h : h;
  const cardan_status status = nodal_velocities(b, data, before, CARDAN__MX_POTENTIAL);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__mx_mass_mul(mx, b->vel_try, b->dx);
  *kinetic = 0;
  for (int i = 0; i < mx->nx; i++) {
    *kinetic += 0.5 * b->vel_try[i] * b->dx[i];
  }
  cardan__mx_look(b, b->cfg, b->vel, data->t);
  return CARDAN_OK;
}

/* acc and lambda of the last step; those of the node have no place there. */
static cardan_status publish_step(cardan__mx_stepper *b, cardan_data *data)
{
  memcpy(b->lambda, b->nu, (size_t)b->mx->neq * sizeof *b->nu);
  memcpy(b->acc, b->kicked, (size_t)b->mx->nx * sizeof *b->kicked);
  b->published = true;
  const cardan_status status = cardan__mx_publish(&b->base, data);
  b->published = false;
  return status;
}

/* The multipliers of a step belong to its beginning. Accelerations and multipliers of the node are
 * solved for, with its own velocities, which of fully-implicit are those of the step on the rows:
 * half-implicit has them with an error of O(h^2) from what its positions call for, fully-implicit
 * of O(h). Where the rows allow none, in a singular position, those of the step are shown, off by
 * O(h). */
static cardan_status implicit_publish(cardan__stepper *stepper, cardan_data *data)
{
  implicit *s = (implicit *)stepper;
  cardan__mx_stepper *b = &s->base;
  const size_t limits = (size_t)stepper->model->nforce * sizeof *s->limit;
  if (b->steps == 0) { // there velocities are those of the node
    return cardan__mx_publish(stepper, data);
  }
  const double before = s->fully ? 0 : b->displacement.history_h;
  cardan__mx_late(b);
  memcpy(b->nu, b->lambda, (size_t)b->mx->neq * sizeof *b->nu);
  memcpy(b->kicked, b->acc, (size_t)b->mx->nx * sizeof *b->kicked);
  memcpy(s->limit, b->mx->limit, limits);
  cardan_status status = nodal_velocities(b, data, before, cardan__mx_all_forces(b));
  if (status == CARDAN_OK) {
    // the velocities that friction acts against are those of the middle of the next step
    cardan__mx_friction_ahead(b, 0.5 * before);
    status = cardan__mx_publish_at(b, data, b->vel_try);
  }
  if (status == CARDAN_ERR_SINGULAR || status == CARDAN_ERR_NO_CONVERGENCE) {
    status = publish_step(b, data);
  }
  memcpy(b->mx->limit, s->limit, limits);
  return status;
}

static cardan_status half_create(const cardan_model *model, const cardan_options *options,
                                 const cardan__held_room *room, const cardan_allocator *allocator,
                                 cardan__stepper **out)
{
  (void)room;
  return create(&cardan__method_half_implicit, false, model, options, allocator, out);
}

static int fully_order(const cardan_options *options)
{
  (void)options;
  return 1;
}

static cardan_status fully_create(const cardan_model *model, const cardan_options *options,
                                  const cardan__held_room *room, const cardan_allocator *allocator,
                                  cardan__stepper **out)
{
  (void)room;
  return create(&cardan__method_fully_implicit, true, model, options, allocator, out);
}

const cardan__method cardan__method_half_implicit = {
    .name = "half-implicit",
    .velocity_rows = true,
    .help = "maximal coordinates: index-3 equations, forces at the old node, order 1, symplectic",
    .options = {cardan__mx_step_options, cardan__mx_options, cardan__substeps_options},
    .longest = cardan__verlet_longest,
    .accepts = cardan__mx_accepts,
    .create = half_create,
    .destroy = implicit_destroy,
    .start = implicit_start,
    .step = implicit_step,
    .node = cardan__mx_node,
    .publish = implicit_publish,
    .work = cardan__mx_work,
    .nodal = half_nodal,
    .kinematics = cardan__mx_kinematics,
    .violation = cardan__mx_closed,
    .reactions = cardan__mx_reactions,
    .spans = cardan__mx_spans,
    .rejoin = cardan__mx_rejoin,
    .switched = half_switched,
    .kicks_whole = true,
};

const cardan__method cardan__method_fully_implicit = {
    .name = "fully-implicit",
    .velocity_rows = true,
    .rows_note = "at order 1 and loses energy: rattle and vi have order 2 and do not",
    .old_side = true,
    .help = "maximal coordinates: index-3 equations by backward Euler, order 1, damps",
    .options = {cardan__mx_step_options, cardan__mx_options},
    .accepts = cardan__mx_accepts,
    .create = fully_create,
    .order = fully_order,
    .destroy = implicit_destroy,
    .start = implicit_start,
    .step = implicit_step,
    .node = cardan__mx_node,
    .publish = implicit_publish,
    .work = cardan__mx_work,
    .kinematics = cardan__mx_kinematics,
    .violation = cardan__mx_closed,
    .reactions = cardan__mx_reactions,
    .spans = cardan__mx_spans,
    .rejoin = cardan__mx_rejoin,
    .switched = fully_switched,
};
