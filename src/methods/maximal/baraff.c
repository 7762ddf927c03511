// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamics/aux_rates.h"
#include "methods/continuous/continuous.h"
#include "methods/continuous/singular_crossing.h"
#include "methods/maximal/stepper.h"
#include "model/data.h"

/* Method baraff: accelerations in maximal coordinates by multipliers, and an ODE solver over them.
 * [1] P. Huang, H. J. Zhang, Linear-time dynamics using Lagrange multipliers, 2021, in 2-D; here in
 * 3-D too, with every joint, and fixed points among the primary constraints.
 *
 *   M v' = F + J^T lambda,   J v' + c = 0,   c = J' v + kq C + kv C'            [1], (1)-(3)
 *   y = [cfg; vel; z], y' = [cfg'(cfg, vel); v'; f],   z: the auxiliary states
 * [1] steps with forward Euler and the feedback kq, kv; every integrator of ode.h is here, and
 * projection in place of feedback: two solves with the same matrix. When the start is not
 * assembled, feedback is the default: it pulls the bodies together. */

typedef struct {
  cardan__mx_stepper base;
  cardan__ode *ode;
  cardan__singular_crossing crossing; // through singular positions
  cardan_data *data;                  // inputs and messages while a call is under way
  double *y;                          // nq + nv + nz + 1
  int nq, nv, nz;                     // of the ODE, without work
  int64_t evaluations;                // when the advance began
  bool project, fixed;
  double kq, kv;
  struct {
    double t, *vel; // nv; NULL: turns are counted from the node
  } seen;           // the evaluation before: adaptive integrators, in space
} baraff;

/* Loops that are open have no branch to stay on; where rows of velocity level lose rank speeds
 * jump, and no branch of positions continues. */
static bool passes(const baraff *s)
{
  return s->base.base.options->assemble && s->base.kkt->graph.naux > 0 &&
         s->base.base.model->nvelocity_row == 0;
}

/* The displacement x (nx) by which bodies turn from the node to t, cfg and vel: in a plane
 * configurations have it, else velocities, in the mean of both ends. */
static void displacement(const baraff *s, double t, const double *cfg, const double *vel, double *x)
{
  const cardan__mx_stepper *b = &s->base;
  const double h = t - s->data->t;
  for (int k = 0; k < s->nv; k++) {
    x[k] = b->mx->planar ? cfg[k] - b->cfg[k] : 0.5 * h * (b->vel[k] + vel[k]);
  }
}

/* The node is what was evaluated last. */
static void begin_seen(baraff *s, double t)
{
  s->seen.t = t;
  for (int k = 0; k < s->nv && s->seen.vel != NULL; k++) {
    s->seen.vel[k] = s->base.vel[k];
  }
}

/* In space an adaptive integrator's steps may be long, and velocities at their ends not show how
 * far they turn: angles are counted from one evaluation to the next. */
static void count_from_last(baraff *s, double t, const double *vel)
{
  cardan__mx_stepper *b = &s->base;
  const double half = 0.5 * (t - s->seen.t);
  for (int k = 0; k < s->nv; k++) {
    b->x[k] = half * (s->seen.vel[k] + vel[k]);
  }
  memcpy(b->turns.expected, b->mx->q, (size_t)b->base.model->nq * sizeof *b->mx->q);
  cardan__mx_turns_at(b, b->turns.expected, b->x);
  memcpy(s->seen.vel, vel, (size_t)s->nv * sizeof *vel);
  s->seen.t = t;
}

/* Angles at t, y are counted from those of the node: an iteration may have looked far away
 * before. */
static void count_turns(baraff *s, double t, const double *y)
{
  cardan__mx_stepper *b = &s->base;
  if (s->seen.vel != NULL) {
    count_from_last(s, t, y + s->nq);
    return;
  }
  displacement(s, t, y, y + s->nq, b->x);
  cardan__mx_turns_begin(b, s->data);
  cardan__mx_turns_at(b, b->turns.q, b->x);
}

/* x of the step to cfg_try. Where velocities changed too much to show it, those of the evaluations
 * on the way have counted turns, and there is nothing to compare with. */
static void show_displacement(baraff *s, double t)
{
  const double most = 0.1; // [rad, or lengths]: x is off by less, where velocities change steadily
  cardan__mx_stepper *b = &s->base;
  const double half = 0.5 * (t - s->data->t);
  for (int k = 0; k < s->nv && s->seen.vel != NULL; k++) {
    b->x[k] = half * (b->vel_try[k] - b->vel[k]);
  }
  if (s->seen.vel != NULL && cardan__mx_size(b, b->x) > most) {
    memset(b->x, 0, (size_t)s->nv * sizeof *b->x);
    b->turns.predicted = false; // mx->q is that of the last evaluation
    return;
  }
  displacement(s, t, b->cfg_try, b->vel_try, b->x);
}

/* Rates of the auxiliary states where the bodies were looked at last. */
static cardan_status state_rates(baraff *s, double *zdot)
{
  const cardan_model *model = s->base.base.model;
  const cardan__view view = cardan__mx_loads_view(s->base.mx, s->data);
  const int wrong = cardan__aux_rates(model, &view, zdot);
  return wrong < 0 ? CARDAN_OK : cardan__aux_rates_not_finite(model, wrong, &s->data->info);
}

/* base.acc at y, rates of the auxiliary states (nz, out), and the power. */
static cardan_status slope(baraff *s, double t, const double *y, double *zdot, double *power)
{
  cardan__mx_stepper *b = &s->base;
  const double *vel = y + s->nq;
  if (cardan__stepper_stopped(&b->base)) {
    return CARDAN_ERR_STOPPED;
  }
  count_turns(s, t, y);
  memcpy(s->data->z, vel + s->nv, (size_t)s->nz * sizeof *y);
  if (s->fixed && s->nz == 0 && b->factored.rows_wait && !b->forces) { // nothing reads coordinates
    b->mx->t = t;
    cardan__mx_place(b->mx, y, vel);
    cardan__mx_rates(b->mx, false, true);
  } else {
    cardan__mx_look(b, y, vel, t);
  }
  cardan_status status = s->nz > 0 ? state_rates(s, zdot) : CARDAN_OK;
  if (status != CARDAN_OK) {
    return status;
  }
  status = cardan__mx_accelerate(b, s->data, y, vel, s->kq, s->kv);
  cardan__singular_crossing_see(&s->crossing, b->pivot_ratio);
  if (status != CARDAN_OK || (passes(s) && cardan__singular_crossing_stuck(&s->crossing))) {
    return status != CARDAN_OK ? status : CARDAN_ERR_SINGULAR;
  }
  *power = 0;
  if (b->works) {
    *power = cardan__mx_power(b->mx, s->data) + cardan__mx_driver_power(b->mx, b->lambda);
  }
  return CARDAN_OK;
}

/* base.acc, and the power, at a node of a tree whose rows are closed, without evaluating rows. The
 * factors are there, except where a run begins or is continued. Returns false where rows have to be
 * evaluated. */
static bool go_on(baraff *s, double t, const double *y, double *power)
{
  cardan__mx_stepper *b = &s->base;
  const double *vel = y + s->nq;
  if (!s->project || !b->base.options->assemble || s->nz > 0 || !b->factored.rows_wait) {
    return false;
  }
  b->mx->t = t;
  if (!cardan__mx_is_factored(b, y)) {
    cardan__mx_place(b->mx, y, NULL);
    if (cardan__mx_factor_here(b, s->data) != CARDAN_OK) {
      return false;
    }
  }
  if (!cardan__kkt_knows_products(b->kkt)) {
    return false;
  }
  if (b->forces) {
    count_turns(s, t, y);
    cardan__mx_look(b, y, vel, t);
  }
  cardan__mx_forces(b->mx, s->data, cardan__mx_all_forces(b), vel, b->f);
  cardan__kkt_accelerate(b->kkt, b->f, vel, b->acc);
  b->base.evaluations++;
  b->pivot_ratio = cardan__mx_pivot_ratio(b);
  cardan__singular_crossing_see(&s->crossing, b->pivot_ratio);
  *power = b->works ? cardan__mx_power(b->mx, s->data) : 0;
  return true;
}

/* May the projection of this step take the factors of its beginning? Where a row is the sine d
 * apart from the others, a correction leaves h |v| / d of what it found. known: they are there */
static void hold_factors(baraff *s, double h, const double *y, bool known)
{
  const double least = 10;
  cardan__mx_stepper *b = &s->base;
  b->over.held = s->project && b->base.options->assemble && !s->crossing.careful &&
                 cardan__mx_pivot_ratio(b) > least * h * cardan__mx_size(b, y + s->nq) &&
                 (known || cardan__mx_is_factored(b, y));
  if (b->over.held) {
    b->over.have = fabs(h - b->over.h) <= 1e-9 * h ? b->over.have : 0;
    b->over.h = h;
  }
}

static cardan__ode_result kick(void *ctx, double t, double h, const double *y, double *y_new)
{
  baraff *s = ctx;
  const int nq = s->nq, nv = s->nv;
  double power = 0, *zdot = s->y + nq + nv;
  if (cardan__stepper_stopped(&s->base.base)) {
    return cardan__ode_result_of(CARDAN_ERR_STOPPED);
  }
  const bool on = go_on(s, t, y, &power);
  const cardan_status status = on ? CARDAN_OK : slope(s, t, y, zdot, &power);
  if (status != CARDAN_OK) {
    return cardan__ode_result_of(status);
  }
  hold_factors(s, h, y, on);
  for (int k = 0; k < nv; k++) {
    y_new[nq + k] = y[nq + k] + h * s->base.acc[k];
  }
  for (int k = 0; k < s->nz; k++) {
    y_new[nq + nv + k] = y[nq + nv + k] + h * zdot[k];
  }
  y_new[nq + nv + s->nz] = y[nq + nv + s->nz] + h * power;
  return cardan__ode_result_of(CARDAN_OK);
}

/* Bodies turn by h w as they would at that velocity, however far. */
static cardan__ode_result drift(void *ctx, double t, double h, const double *y, double *y_new)
{
  const baraff *s = ctx;
  (void)t;
  for (int k = 0; k < s->nv; k++) {
    s->y[k] = h * y_new[s->nq + k];
  }
  cardan__mx_drift(s->base.mx, y, s->y, y_new);
  return cardan__ode_result_of(CARDAN_OK);
}

static cardan__ode_result rhs(void *ctx, double t, const double *y, double *ydot)
{
  baraff *s = ctx;
  double *zdot = ydot + s->nq + s->nv;
  const cardan_status status = slope(s, t, y, zdot, zdot + s->nz);
  if (status == CARDAN_OK) {
    memcpy(ydot + s->nq, s->base.acc, (size_t)s->nv * sizeof *ydot);
  }
  cardan__mx_rate(s->base.mx, y, y + s->nq, ydot);
  return cardan__ode_result_of(status);
}

static cardan__ode_result accepted(void *ctx, double t, double *y, bool *changed)
{
  baraff *s = ctx;
  cardan_status status = CARDAN_OK;
  if (s->fixed && !cardan__mx_normalize(s->base.mx, y)) {
    return cardan__ode_result_of(CARDAN_ERR_NOT_FINITE);
  }
  // near singular positions always: feedback does not find back to a branch
  if ((s->project || s->crossing.careful) && s->base.mx->neq > 0) {
    s->base.closely = s->crossing.careful;
    count_turns(s, t, y);
    status = cardan__mx_project(&s->base, s->data, t, y, y + s->nq);
    s->base.closely = false;
    cardan__singular_crossing_see(&s->crossing, cardan__mx_pivot_ratio(&s->base));
    *changed = true;
  }
  return cardan__ode_result_of(status);
}

/* ---- singular positions: what singular_crossing.h asks ---- */

static cardan_status pivot_ratio(void *self, double t, const double *y, double ahead, double *d)
{
  baraff *s = self;
  return cardan__mx_pivot_ratio_at(&s->base, s->data, t, y, y + s->nq, ahead, d);
}

static cardan_status cross(void *self, double t, double over, bool land, double *y)
{
  baraff *s = self;
  double *z = y + s->nq + s->nv, *zdot = s->y + s->nq + s->nv, power;
  if (s->nz > 0) { // as over an Euler step; where there are no accelerations there are rates
    const cardan_status status = slope(s, t, y, zdot, &power);
    if (status != CARDAN_OK && status != CARDAN_ERR_SINGULAR) {
      return status;
    }
  }
  const cardan_status status =
      cardan__mx_branch_jump(&s->base, s->data, t, over, land, y, y + s->nq, z + s->nz);
  for (int k = 0; k < s->nz && status == CARDAN_OK; k++) {
    z[k] += over * zdot[k];
  }
  return status;
}

static double fast(void *self, double t, const double *y)
{
  const baraff *s = self;
  (void)t;
  return cardan__mx_size(&s->base, y + s->nq);
}

static cardan_status advance(baraff *s, double t_next)
{
  cardan_data *data = s->data;
  s->ode->stop = s->ode->stop || s->base.base.stops;
  if (!passes(s)) {
    return cardan__ode_advance(s->ode, t_next);
  }
  s->crossing.slow = cardan__mx_size(&s->base, s->ode->y + s->nq);
  const cardan_status status = cardan__singular_crossing_advance(&s->crossing, t_next);
  if (status == CARDAN_ERR_SINGULAR) {
    snprintf(data->info.message, sizeof data->info.message, "singular position at t = %.9g s: %s",
             s->crossing.t_crossed, cardan__singular_crossing_why(&s->crossing));
    data->info.whole = true;
  }
  return status;
}

static const char *const solvers[] = {"sparse", "dense", "schur", NULL};

static const cardan__option own_options[] = {
    {"solver", CARDAN__WORD, CARDAN__FIELD(solver), .words = solvers,
     .unset = "sparse, along the tree unless there are many loops",
     .help = "solver of the linear system of bodies and constraints"},
    {.name = NULL}};

static void baraff_destroy(cardan__stepper *stepper)
{
  baraff *s = (baraff *)stepper;
  const cardan_allocator allocator = stepper->allocator;
  cardan__ode_destroy(s->ode);
  cardan__resize(&allocator, s->y, 0);
  cardan__mx_close(&s->base);
}

static void choose_stabilisation(baraff *s, const cardan_options *options)
{
  const char *word = options->stabilise != NULL ? options->stabilise
                     : options->assemble        ? "project"
                                                : "baumgarte";
  s->project = strcmp(word, "project") == 0;
  if (strcmp(word, "baumgarte") == 0) {
    s->kq = options->kq;
    s->kv = options->kv >= 0 ? options->kv : 2 * sqrt(options->kq);
  }
}

static cardan_status make_ode(baraff *s, const cardan_options *options)
{
  const cardan__ode_method *method =
      cardan__ode_method_find(cardan__option_word(s->base.base.method, "integrator", options));
  cardan__ode_options ode = cardan__continuous_options(options);
  ode.stops = s->base.mx->model->nturning > 0; // turns are counted between steps
  const cardan__ode_problem problem = {.nq = s->nq,
                                       .nv = s->nv + s->nz + 1,
                                       .nquiet = s->base.model_works ? 0 : 1,
                                       .ctx = s,
                                       .f = rhs,
                                       .kick = kick,
                                       .drift = drift,
                                       .accepted = accepted};
  const cardan__singular_crossing_rows rows = {
      .self = s, .pivot_ratio = pivot_ratio, .cross = cross, .fast = fast};
  s->fixed = !cardan__ode_method_adaptive(method);
  s->base.ahead = s->fixed ? 1 : 0;
  const cardan_status status =
      cardan__ode_create(&s->base.base.allocator, method, &problem, &ode, &s->ode);
  s->base.base.rolls_back = true; // where its end is refused the integrator is there already
  if (status == CARDAN_OK) {
    cardan__singular_crossing_open(&s->crossing, s->ode, &rows);
  }
  return status;
}

static cardan_status baraff_create(const cardan_model *model, const cardan_options *options,
                                   const cardan__held_room *room, const cardan_allocator *allocator,
                                   cardan__stepper **out)
{
  (void)room;
  cardan__mx_stepper *base;
  *out = NULL;
  cardan_status status = cardan__mx_open(sizeof(baraff), &cardan__method_baraff, false, model,
                                         options, allocator, &base);
  if (status != CARDAN_OK) {
    return status;
  }
  baraff *s = (baraff *)base;
  s->nq = base->mx->ncfg * base->mx->nbody;
  s->nv = base->mx->nx;
  s->nz = model->nrate;
  choose_stabilisation(s, options);
  const size_t n = (size_t)s->nq + (size_t)s->nv + (size_t)s->nz + 1;
  s->y = cardan__resize(allocator, NULL, 4 * n * sizeof *s->y);
  s->crossing.y_start = s->y != NULL ? s->y + n : NULL;
  s->crossing.y_near = s->y != NULL ? s->y + 2 * n : NULL;
  if (s->y != NULL) { // a state has it from the start
    memset(s->crossing.y_near, 0, n * sizeof *s->y);
  }
  status = s->y != NULL ? make_ode(s, options) : CARDAN_ERR_MEMORY;
  s->seen.vel = s->fixed || base->mx->planar ? NULL : s->y + 3 * n;
  if (status != CARDAN_OK) {
    baraff_destroy(&base->base);
    return status;
  }
  *out = &base->base;
  return CARDAN_OK;
}

/* At y. How near a singular position is, is known from there on. */
static cardan_status begin(baraff *s, double t)
{
  double d = HUGE_VAL;
  cardan__singular_crossing_begin(&s->crossing);
  cardan_status status = passes(s) ? pivot_ratio(s, t, s->y, 0, &d) : CARDAN_OK;
  if (status == CARDAN_OK) {
    status = cardan__ode_begin(s->ode, t, s->y, t + s->base.base.options->time, 0);
    s->crossing.rank.ratio = d;
  }
  return status;
}

static cardan_status baraff_start(cardan__stepper *stepper, cardan_data *data)
{
  baraff *s = (baraff *)stepper;
  s->data = data;
  const cardan_status status = cardan__mx_begin(&s->base, data);
  if (status != CARDAN_OK) {
    return status;
  }
  memcpy(s->y, s->base.cfg, (size_t)s->nq * sizeof *s->y);
  memcpy(s->y + s->nq, s->base.vel, (size_t)s->nv * sizeof *s->y);
  memcpy(s->y + s->nq + s->nv, data->z, (size_t)s->nz * sizeof *s->y);
  s->y[s->nq + s->nv + s->nz] = 0;
  return begin(s, data->t);
}

static cardan__attempt baraff_step(cardan__stepper *stepper, cardan_data *data, double t_next)
{
  baraff *s = (baraff *)stepper;
  s->evaluations = s->ode->counters.evaluations;
  s->data = data;
  s->base.over.held = false; // of a step that did not end
  cardan__mx_friction_ahead(&s->base, t_next - data->t);
  cardan__mx_turns_begin(&s->base, data);
  begin_seen(s, data->t);
  cardan__info_clear(&data->info);
  cardan_status status = CARDAN_OK;
  if (cardan__mx_inputs(&s->base, data) && !s->crossing.under_way) {
    status = cardan__ode_jump(s->ode);
    status = status == CARDAN_ERR_SINGULAR && passes(s) ? CARDAN_OK : status;
  }
  status = status == CARDAN_OK ? advance(s, t_next) : status;
  const cardan__ode_counters *n = &s->ode->counters;
  stepper->iterations = (int)(n->evaluations - s->evaluations);
  stepper->evaluations = n->evaluations;
  stepper->accepted = n->accepted;
  stepper->rejected = n->rejected;
  stepper->restarts = n->restarts;
  memcpy(data->z, s->ode->y + s->nq + s->nv, (size_t)s->nz * sizeof *s->y);
  if (status != CARDAN_OK) {
    return cardan__attempt_of(status);
  }
  memcpy(s->base.cfg_try, s->ode->y, (size_t)s->nq * sizeof *s->y);
  // cfg_try is another one now; after a projection its poses are there
  s->base.mx->placed = s->fixed && s->base.mx->placed == s->ode->y ? s->base.cfg_try : NULL;
  memcpy(s->base.vel_try, s->ode->y + s->nq, (size_t)s->nv * sizeof *s->y);
  show_displacement(s, t_next);
  status = cardan__mx_check(&s->base, data, t_next);
  if (status == CARDAN_OK) {
    s->base.work = s->ode->y[s->nq + s->nv + s->nz];
    cardan__mx_advance(&s->base, data, t_next);
  }
  return cardan__attempt_of(status);
}

static cardan_status baraff_switched(cardan__stepper *stepper, cardan_data *data)
{
  baraff *s = (baraff *)stepper;
  s->data = data;
  return s->crossing.under_way ? CARDAN_OK : cardan__ode_restart(s->ode, data->t, s->ode->y);
}

static void baraff_spans(cardan__stepper *stepper, cardan__spans *list)
{
  cardan__mx_spans(stepper, list);
  cardan__ode_spans(((baraff *)stepper)->ode, list);
  cardan__singular_crossing_spans(&((baraff *)stepper)->crossing, list);
}

static void baraff_rejoin(cardan__stepper *stepper, cardan_data *data, bool restored)
{
  baraff *s = (baraff *)stepper;
  s->data = data;
  cardan__mx_rejoin(stepper, data, restored);
  cardan__ode_rejoin(s->ode);
  stepper->restarts = s->ode->counters.restarts;
}

const cardan__method cardan__method_baraff = {
    .name = "baraff",
    .velocity_rows = true,
    .states = true,
    .help = "maximal coordinates: accelerations by linear-time multipliers, any integrator",
    .options = {own_options, cardan__mx_options, cardan__continuous_table},
    .longest = cardan__integrator_longest,
    .accepts = cardan__mx_accepts,
    .create = baraff_create,
    .destroy = baraff_destroy,
    .start = baraff_start,
    .step = baraff_step,
    .node = cardan__mx_node,
    .publish = cardan__mx_publish,
    .work = cardan__mx_work,
    .kinematics = cardan__mx_kinematics,
    .violation = cardan__mx_closed,
    .reactions = cardan__mx_reactions,
    .spans = baraff_spans,
    .rejoin = baraff_rejoin,
    .switched = baraff_switched,
};
