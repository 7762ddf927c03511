// SPDX-License-Identifier: Apache-2.0
#include "methods/continuous/continuous.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "dynamics/aux_rates.h"
#include "dynamics/loops.h"
#include "forces/friction_prediction.h"
#include "methods/continuous/ode_method.h"
#include "model/data.h"

/* y = [q; x; z], y' = [q'(q, v); x'(t, q, x, z); f(t, q, v, z)]. Of floating bodies x is in axes of
 * the world (floating.h). Quaternions are plain numbers to the integrator: they count as normalised
 * when x' is evaluated, and are normalised between steps only where the integrator carries no
 * history. Work is one more component of y, so that it has the integrator's own accuracy; a quiet
 * one where nothing in the model does any, so that only the caller's forces can. Inputs are held
 * over a step, or follow the lines of a table (input_line.h): where one has changed otherwise, the
 * integrator starts again. */

static const char *const stabilisations[] = {"project", "baumgarte", "none", NULL};
static const char *const error_controls[] = {"full", "partial", NULL};

const cardan__option cardan__continuous_table[] = {
    {"integrator", CARDAN__WORD, CARDAN__FIELD(integrator), .word = cardan_integrator_name,
     .unset = "rk4", .help = "time integration"},
    {"stabilise", CARDAN__WORD, CARDAN__FIELD(stabilise), .words = stabilisations,
     .help = "how loops are kept closed; baraff from an open start: baumgarte"},
    {"kq", CARDAN__NUMBER, CARDAN__FIELD(kq), .high = DBL_MAX, .initial = 100,
     .help = "Baumgarte's gain on positions [1/s^2]"},
    {"kv", CARDAN__NUMBER, CARDAN__FIELD(kv), .high = DBL_MAX, .initial = -1, .unset = "2 sqrt(kq)",
     .help = "Baumgarte's gain on velocities [1/s]"},
    {"rtol", CARDAN__NUMBER, CARDAN__FIELD(rtol), .high = 1, .above = true, .initial = 1e-6,
     .help = "adaptive integrators: relative tolerance"},
    {"atol", CARDAN__NUMBER, CARDAN__FIELD(atol), .high = DBL_MAX, .above = true, .initial = 1e-9,
     .help = "adaptive integrators: absolute tolerance"},
    {"error-control", CARDAN__WORD, CARDAN__FIELD(error_control), .words = error_controls,
     .help = "adaptive integrators: errors of all states, or of coordinates alone"},
    {"tol", CARDAN__NUMBER, CARDAN__FIELD(tol), .high = 1, .unset = "to round-off",
     .help = "implicit integrators: relative change in the last iteration"},
    {"max-iter", CARDAN__COUNT, CARDAN__FIELD(max_iter), .low = 1, .high = INT_MAX, .initial = 100,
     .help = "implicit integrators: iterations in a step"},
    {.name = NULL}};

void cardan__continuous_load(cardan__continuous *s, double t, const double *y)
{
  s->own->t = t;
  memcpy(s->own->q, y, (size_t)s->nq * sizeof *y);
}

void cardan__continuous_load_aux_states(const cardan__continuous *s, const double *y,
                                        cardan_data *data)
{
  if (s->nz > 0) {
    memcpy(data->z, y + s->nq + s->nx, (size_t)s->nz * sizeof *y);
  }
}

/* How near to a singular position own's rows were, at their last factorisation. */
static void note_pivot_ratio(cardan__continuous *s)
{
  if (s->look != NULL) {
    cardan__singular_crossing_see(&s->crossing, sqrt(s->own->loops->rank.ratio));
  }
}

/* The form's slope, the rates of the auxiliary states (nz, out), and the power at y. */
static cardan_status slope(cardan__continuous *s, double t, const double *y, double *xdot,
                           double *zdot, double *power)
{
  if (cardan__stepper_stopped(&s->base)) {
    return CARDAN_ERR_STOPPED;
  }
  cardan__continuous_load_aux_states(s, y, s->own);
  cardan__continuous_inputs(s, t, s->own);
  cardan_status status = s->form->slope(s, t, y, xdot);
  note_pivot_ratio(s);
  if (status == CARDAN_OK && s->look != NULL && cardan__singular_crossing_stuck(&s->crossing)) {
    return CARDAN_ERR_SINGULAR;
  }
  if (status == CARDAN_OK && s->nz > 0) {
    status = cardan__aux_rates_at(s->base.model, s->own, zdot);
  }
  if (status == CARDAN_OK) {
    *power = s->works || s->pushed ? cardan__power_in(s->base.model, s->own) : 0;
  }
  return status;
}

/* Are x the velocities, one by one? */
static bool has_velocities(const cardan__continuous *s)
{
  return !s->form->momenta && s->nfloating == 0;
}

/* v (out) at y: x itself, or own's where it has to come from momenta, or from axes of the world. */
static cardan_status velocities(cardan__continuous *s, double t, const double *y, const double **v)
{
  const bool direct = has_velocities(s);
  *v = direct ? y + s->nq : s->own->v;
  return direct ? CARDAN_OK : s->form->velocities(s, t, y);
}

/* q' (in, out) of floating bodies after a kick: their velocities are in y, or own's from
 * momenta. */
static void rate_places(const cardan__continuous *s, const double *y, double *qdot)
{
  if (s->form->momenta) {
    cardan__floating_body_places(s->nfloating, s->floating, s->own->v, qdot);
  } else {
    cardan__floating_places(s->nfloating, s->floating, y + s->nq, qdot);
  }
}

/* Result for an integrator: where the form says that it tried too far it may come nearer. */
static cardan__ode_result outcome_of(const cardan__continuous *s, cardan_status status)
{
  return status == CARDAN_ERR_SINGULAR && s->too_far ? cardan__ode_retry(CARDAN_ERR_STEP_TOO_SMALL)
                                                     : cardan__ode_result_of(status);
}

static cardan__ode_result kick(void *ctx, double t, double h, const double *y, double *y_new)
{
  cardan__continuous *s = ctx;
  const int nq = s->nq, nx = s->nx;
  const bool direct = has_velocities(s);
  const double *rate = direct ? s->own->a : s->y_try;
  double power, *zdot = s->y_try + nx;
  const cardan_status status = slope(s, t, y, direct ? NULL : s->y_try, zdot, &power);
  if (status != CARDAN_OK) {
    return outcome_of(s, status);
  }
  for (int k = 0; k < nx; k++) {
    y_new[nq + k] = y[nq + k] + h * rate[k];
  }
  for (int k = 0; k < s->nz; k++) {
    y_new[nq + nx + k] = y[nq + nx + k] + h * zdot[k];
  }
  y_new[nq + nx + s->nz] = y[nq + nx + s->nz] + h * power;
  return cardan__ode_result_of(CARDAN_OK);
}

static cardan__ode_result drift(void *ctx, double t, double h, const double *y, double *y_new)
{
  cardan__continuous *s = ctx;
  const cardan_model *model = s->base.model;
  const double *v;
  if (!has_velocities(s)) {
    memcpy(y_new, y, (size_t)s->nq * sizeof *y);
  }
  if (s->form->momenta) { // own's velocities are those of the kick
    cardan__floating_turn(s->nfloating, s->floating, h, s->own->v, y_new);
  }
  const cardan_status status = velocities(s, t, y_new, &v);
  if (model->nmulti > 0) {
    cardan_q_dot(model, y, v, s->y_try);
    rate_places(s, y_new, s->y_try);
  }
  const double *rate = model->nmulti > 0 ? s->y_try : v;
  for (int k = 0; k < s->nq; k++) {
    y_new[k] = y[k] + h * rate[k];
  }
  return outcome_of(s, status);
}

static cardan__ode_result rhs(void *ctx, double t, const double *y, double *ydot)
{
  cardan__continuous *s = ctx;
  double *xdot = ydot + s->nq, *zdot = xdot + s->nx;
  const cardan_status status = slope(s, t, y, xdot, zdot, zdot + s->nz);
  // after the evaluation: velocities that are prescribed, or come from momenta, are then known
  if (s->nfloating > 0) {
    cardan__floating_q_dot(s->base.model, s->nfloating, s->floating, y, s->own->v,
                           s->form->momenta ? NULL : y + s->nq, ydot);
  } else {
    cardan_q_dot(s->base.model, y, s->own->v, ydot);
  }
  return outcome_of(s, status);
}

static cardan__ode_result accepted(void *ctx, double t, double *y, bool *changed)
{
  cardan__continuous *s = ctx;
  const cardan_model *model = s->base.model;
  cardan_status status = CARDAN_OK;
  if ((s->project || s->crossing.careful) && model->nrow > 0) {
    status = s->form->velocities(s, t, y);
    if (status == CARDAN_OK) {
      status = s->crossing.careful ? cardan__project_closely(model, s->own)
                                   : cardan__project(model, s->own);
      note_pivot_ratio(s);
    }
    if (status == CARDAN_OK && cardan__continuous_held(s)) {
      status = s->base.held->calls->close(s->base.held, s->own);
    }
    if (status == CARDAN_OK) {
      memcpy(y, s->own->q, (size_t)s->nq * sizeof *y);
      status = s->form->pack(s, y + s->nq);
      *changed = true;
    }
  } else if (s->form->accepted != NULL) {
    status = s->form->accepted(s, t, y, changed);
  }
  if (status == CARDAN_OK && s->fixed && !cardan_q_normalize(model, y)) {
    status = CARDAN_ERR_NOT_FINITE;
  }
  return outcome_of(s, status);
}

void cardan__continuous_destroy(cardan__stepper *stepper)
{
  cardan__continuous *s = (cardan__continuous *)stepper;
  const cardan_allocator allocator = s->base.allocator;
  cardan__ode_destroy(s->ode);
  s->form->destroy(s);
  cardan__friction_prediction_destroy(s->prediction);
  cardan_data_destroy(s->own);
  cardan_data_destroy(s->look);
  cardan__resize(&allocator, s->floating, 0);
  cardan__resize(&allocator, s->y, 0);
  cardan__resize(&allocator, s, 0);
}

cardan__ode_options cardan__continuous_options(const cardan_options *options)
{
  cardan__ode_options ode = cardan__ode_defaults();
  ode.rtol = options->rtol;
  ode.atol = options->atol;
  ode.max_iter = options->max_iter;
  ode.iter_tol = options->tol;
  if (options->error_control != NULL && strcmp(options->error_control, "partial") == 0) {
    ode.error_control = CARDAN__ODE_PARTIAL;
  }
  return ode;
}

static cardan_status make_ode(cardan__continuous *s)
{
  const cardan_options *options = s->base.options;
  const cardan__ode_method *method =
      cardan__ode_method_find(cardan__option_word(s->base.method, "integrator", options));
  const cardan__ode_problem problem = {.nq = s->nq,
                                       .nv = s->nx + s->nz + 1,
                                       .nquiet = s->works ? 0 : 1,
                                       .ctx = s,
                                       .f = rhs,
                                       .kick = kick,
                                       .drift = drift,
                                       .accepted = accepted};
  cardan__ode_options ode = cardan__continuous_options(options);
  ode.stops = s->base.model->nturning > 0; // turns are counted between steps
  s->fixed = !cardan__ode_method_adaptive(method);
  return cardan__ode_create(&s->base.allocator, method, &problem, &ode, &s->ode);
}

/* The floating bodies of a form that has them in axes of the world. */
static cardan_status list_floating(cardan__continuous *s)
{
  const cardan_model *model = s->base.model;
  const int n = s->form->floats ? cardan__floating_list(model, NULL) : 0;
  if (n == 0) {
    return CARDAN_OK;
  }
  s->floating = cardan__resize(&s->base.allocator, NULL, (size_t)n * sizeof *s->floating);
  if (s->floating == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  s->nfloating = cardan__floating_list(model, s->floating);
  return CARDAN_OK;
}

cardan_status cardan__continuous_create(const cardan__method *method,
                                        const cardan__formulation *form, const cardan_model *model,
                                        const cardan_options *options,
                                        const cardan_allocator *allocator, cardan__stepper **out)
{
  const char *stabilise = options->stabilise != NULL ? options->stabilise : "project";
  cardan__continuous *s = cardan__resize(allocator, NULL, form->size);
  *out = NULL;
  if (s == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memset(s, 0, form->size);
  *s = (cardan__continuous){.base = {.method = method, .model = model, .options = options},
                            .form = form,
                            .nq = model->nq,
                            .nx = model->nv,
                            .nz = model->nrate,
                            .works = cardan__model_works(model),
                            .project = strcmp(stabilise, "project") == 0};
  s->base.allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  s->base.holds = form->holds;
  if (strcmp(stabilise, "baumgarte") == 0) {
    s->kq = options->kq;
    s->kv = options->kv >= 0 ? options->kv : 2 * sqrt(options->kq);
  }
  const size_t n = (size_t)model->nq + (size_t)model->nv + (size_t)model->nz + 1;
  const size_t memory = 5 * n + cardan__inputs_size(model) + cardan__input_line_size(model);
  s->y = cardan__resize(allocator, NULL, memory * sizeof *s->y);
  cardan_status status =
      s->y != NULL ? cardan_data_create(model, allocator, &s->own) : CARDAN_ERR_MEMORY;
  s->y_try = s->y != NULL ? s->y + n : NULL;
  s->middle = s->y != NULL ? s->y + 2 * n : NULL;
  s->crossing.y_start = s->y != NULL ? s->y + 3 * n : NULL;
  s->crossing.y_near = s->y != NULL ? s->y + 4 * n : NULL;
  s->seen = s->y != NULL ? s->y + 5 * n : NULL;
  status = status == CARDAN_OK ? list_floating(s) : status;
  if (status == CARDAN_OK) {
    status = cardan_forward_reserve(model, s->own);
  }
  // where rows of velocity level lose rank speeds jump: no branch of positions continues
  if (status == CARDAN_OK && model->nrow > 0 && model->nvelocity_row == 0 && form->passes) {
    status = cardan_data_create(model, allocator, &s->look);
    status = status == CARDAN_OK ? cardan_forward_reserve(model, s->look) : status;
  }
  if (status == CARDAN_OK) {
    status = form->create(s);
  }
  if (status == CARDAN_OK) {
    status = make_ode(s);
  }
  if (status == CARDAN_OK) { // internal steps, estimates and momenta are those of the failed step
    s->base.rolls_back = !s->fixed || s->ode->error != NULL || form->momenta;
  }
  if (status == CARDAN_OK && s->fixed) {
    status = cardan__friction_prediction_create(model, allocator, &s->prediction);
    s->own->prediction = s->prediction;
  }
  if (status == CARDAN_OK) {
    cardan__singular_crossing_rows rows = cardan__continuous_rows;
    rows.self = s;
    cardan__singular_crossing_open(&s->crossing, s->ode, &rows);
    memset(s->crossing.y_near, 0, n * sizeof *s->crossing.y_near);
    memset(s->seen, 0, cardan__inputs_size(model) * sizeof *s->seen);
    cardan__input_line_place(&s->line, model, s->seen + cardan__inputs_size(model));
  }
  if (status != CARDAN_OK) {
    cardan__continuous_destroy(&s->base);
    return status;
  }
  *out = &s->base;
  return CARDAN_OK;
}

/* The caller's inputs pass from the node's data to the stepper's own. */
static void copy_inputs(cardan__continuous *s, const cardan_data *data)
{
  const cardan_model *model = s->base.model;
  s->pushed = cardan__inputs_push(model, data->tau_in, data->f_in);
  cardan__data_inputs(model, data, s->own);
  if (s->look != NULL) {
    cardan__data_inputs(model, data, s->look);
  }
}

/* Inputs that follow a line are no change. */
static void see_lines(cardan__continuous *s, const cardan_data *data)
{
  const int ninput = s->base.model->ninput;
  if (s->line.lines != NULL && ninput > 0) {
    memcpy(s->seen, data->u, (size_t)ninput * sizeof *s->seen);
  }
}

/* A step of length h begins; nothing is wrong yet. returns whether inputs have changed */
static bool take_inputs(cardan__continuous *s, const cardan_data *data, double h)
{
  see_lines(s, data);
  const bool changed = cardan__inputs_take(s->base.model, data, false, s->seen) || s->rejoined;
  s->rejoined = false;
  if (changed) {
    copy_inputs(s, data);
  }
  if (s->base.model->nturning > 0) { // the same angles, from another half turn: nothing jumps
    const size_t bytes = (size_t)s->base.model->nturning * sizeof *data->half_turn;
    memcpy(s->own->half_turn, data->half_turn, bytes);
    if (s->look != NULL) {
      memcpy(s->look->half_turn, data->half_turn, bytes);
    }
  }
  cardan__info_clear(&s->own->info);
  if (s->prediction != NULL) {
    s->prediction->ahead = fabs(h);
    s->prediction->boxes.ahead = fabs(h);
  }
  return changed;
}

/* Inputs have changed: the integrator continues with the new ones. In the middle of a crossing it
 * has no history to discard, and restarts where the crossing ends. */
static cardan_status jump(cardan__continuous *s)
{
  const cardan_status status = s->crossing.under_way ? CARDAN_OK : cardan__ode_jump(s->ode);
  return status == CARDAN_ERR_SINGULAR && s->look != NULL ? CARDAN_OK : status;
}

/* Steps begin where the last one left friction, whether or not its node was published. */
static void keep_sides(const cardan__continuous *s, bool restore)
{
  const cardan__friction_boxes *b = s->prediction != NULL ? &s->prediction->boxes : NULL;
  for (int j = 0; b != NULL && j < b->n; j++) {
    *(restore ? &b->side[j] : &b->kept[j]) = restore ? b->kept[j] : b->side[j];
  }
}

cardan_status cardan__continuous_forward(cardan__continuous *s, cardan_data *data, double kq,
                                         double kv)
{
  data->prediction = s->prediction;
  keep_sides(s, false);
  const cardan_status status = s->base.held != NULL
                                   ? s->base.held->calls->settle(s->base.held, data, kq, kv)
                                   : cardan_forward(s->base.model, data, kq, kv);
  keep_sides(s, true);
  data->prediction = NULL;
  return status;
}

/* Which limit an integrator that chooses its own steps met, and one that has another. */
static void say_limit(const cardan__continuous *s, cardan_info *info)
{
  const cardan__ode *ode = s->ode;
  const cardan__ode_counters *n = &ode->counters;
  const char *name = cardan__ode_method_name(ode->method);
  const char *other = strcmp(name, "bdf") == 0 ? "ode45 has no iteration that can fail"
                                               : "bdf takes stiff forces with longer ones";
  if (n->accepted + n->rejected - s->tried >= ode->options.max_steps) {
    snprintf(
        info->message, sizeof info->message,
        "integrator %s made %d steps within one of dt, its most, the last of %.2g s; integrator "
        "%s, and a smaller dt allows more",
        name, ode->options.max_steps, fabs(n->last_step), other);
    return;
  }
  snprintf(info->message, sizeof info->message,
           "integrator %s cannot keep option rtol %g and option atol %g with any step (the last it "
           "made is of %.2g s, the smallest there is %.2g s); integrator rk4 goes through forces "
           "that are not smooth with fixed ones",
           name, ode->options.rtol, ode->options.atol, fabs(n->last_step),
           cardan__ode_least_step(ode->t));
}

/* How far the iteration of an implicit integrator came. A fixed-point iteration contracts where h
 * times the largest rate is below 2, of a linear system. */
static void say_iteration(const cardan__continuous *s, cardan_info *info)
{
  const cardan__ode *ode = s->ode;
  const char *name = cardan__ode_method_name(ode->method);
  if (ode->rate > 0.0 && isfinite(ode->rate)) {
    snprintf(info->message, sizeof info->message,
             "the fixed-point one of integrator %s does not contract over steps of %.3g s "
             "where forces are as stiff as here (%.2g /s), and the model is too large for Newton's "
             "method; a dt of %.1g would do, and trapezoid and bdf take longer ones",
             name, s->base.options->dt, ode->rate, 1.0 / ode->rate);
    return;
  }
  snprintf(info->message, sizeof info->message,
           "that of integrator %s still changes the state by %.2g of it after %d rounds "
           "(option max-iter)",
           name, ode->change, ode->options.max_iter);
}

static cardan_status fail(cardan__continuous *s, cardan_data *data, cardan_status status)
{
  cardan_info *info = &s->own->info;
  if ((status == CARDAN_ERR_STEP_TOO_SMALL || status == CARDAN_ERR_NO_CONVERGENCE) &&
      info->message[0] == '\0' && cardan__ode_method_adaptive(s->ode->method)) {
    say_limit(s, info);
  }
  if (status == CARDAN_ERR_NO_CONVERGENCE && info->message[0] == '\0' && s->ode->change > 0.0) {
    cardan__info_clear(info); // of an iterate that has run away
    say_iteration(s, info);
  }
  if (s->form->explain != NULL) {
    status = s->form->explain(s, status);
  }
  data->info = s->own->info;
  return status;
}

/* At s->y. A start in a singular position has no derivative there, and needs none. */
static cardan_status begin(cardan__continuous *s, double t)
{
  cardan__singular_crossing *p = &s->crossing;
  double d = HUGE_VAL;
  cardan_status status = CARDAN_OK;
  cardan__singular_crossing_begin(p);
  if (s->look != NULL) {
    status = cardan__continuous_sizes(s, t);
    status = status == CARDAN_OK ? p->rows.pivot_ratio(s, t, s->y, 0, &d) : status;
  }
  if (status == CARDAN_OK) {
    status = cardan__ode_begin(s->ode, t, s->y, t + s->base.options->time, 0);
    p->rank.ratio = d;
  }
  return status == CARDAN_ERR_SINGULAR && d == 0 ? CARDAN_OK : status;
}

/* As cardan__ode_advance, from a node of velocities v; a failure near a singular position is one of
 * that. */
static cardan_status advance(cardan__continuous *s, const double *v, double t_next)
{
  cardan__singular_crossing *p = &s->crossing;
  s->ode->stop = s->ode->stop || s->base.stops;
  if (s->look == NULL) {
    return cardan__ode_advance(s->ode, t_next);
  }
  p->slow = cardan__loops_size(s->base.model, v);
  const cardan_status status = cardan__singular_crossing_advance(p, t_next);
  if (status == CARDAN_ERR_SINGULAR) {
    const cardan_model *model = s->base.model;
    const int row = s->look->loops->rank.row;
    s->own->info.row = row;
    snprintf(s->own->info.message, sizeof s->own->info.message,
             "singular position at t = %.9g s: constraint \"%.60s\" is redundant there, and %s",
             p->t_crossed, model->constraint[model->row[row].constraint].name,
             cardan__singular_crossing_why(p));
    s->own->info.whole = true; // where a motion ends is no matter of steps
  }
  return status;
}

/* Rows of a table of inputs that are nearer to an end of a step than this part of it are there. */
static const double near_row = 1e-6;

/* The line of inputs at t, in a step of length h; has it changed? */
static bool take_line(cardan__continuous *s, const cardan_data *data, double t, double h)
{
  s->line.lines = s->fixed ? NULL : s->base.lines;
  return s->line.lines != NULL && cardan__input_line_take(&s->line, t, near_row * fabs(h), data->u);
}

/* advance, from row to row of a table of inputs where it has one. */
static cardan_status advance_on_lines(cardan__continuous *s, const cardan_data *data, double t_next)
{
  const double h = t_next - data->t;
  cardan_status status = CARDAN_OK;
  double t = data->t;
  while (status == CARDAN_OK && t < t_next) {
    t = s->line.until < t_next - near_row * h ? s->line.until : t_next;
    s->ode->t_wall = fmax(s->line.until, t);
    status = advance(s, data->v, t);
    if (status == CARDAN_OK && t < t_next && take_line(s, data, t, h)) {
      status = jump(s);
    }
  }
  return status;
}

cardan_status cardan__continuous_start(cardan__stepper *stepper, cardan_data *data)
{
  cardan__continuous *s = (cardan__continuous *)stepper;
  cardan__loops_forget(stepper->model, s->own); // of a motion before this one
  if (s->look != NULL) {
    cardan__loops_forget(stepper->model, s->look);
  }
  (void)take_line(s, data, data->t, stepper->options->dt);
  (void)take_inputs(s, data, stepper->options->dt);
  copy_inputs(s, data);
  cardan__continuous_load(s, data->t, data->q);
  memcpy(s->own->v, data->v, (size_t)stepper->model->nv * sizeof *data->v);
  memcpy(s->y, data->q, (size_t)s->nq * sizeof *s->y);
  double *x = s->y + s->nq;
  cardan_status status = s->form->start != NULL ? s->form->start(s, x) : s->form->pack(s, x);
  memcpy(s->y + s->nq + s->nx, data->z, (size_t)s->nz * sizeof *s->y);
  s->y[cardan__continuous_work_at(s)] = 0;
  if (status == CARDAN_OK) {
    status = begin(s, data->t);
  }
  return status == CARDAN_OK ? status : fail(s, data, status);
}

/* q (in, out): itself, or a copy in s->y where it has quaternions to be normalised; false: one of
 * them has no length. */
static bool normalized(cardan__continuous *s, const double **q)
{
  if (s->base.model->nmulti == 0) {
    return true;
  }
  memcpy(s->y, *q, (size_t)s->nq * sizeof *s->y);
  *q = s->y;
  return cardan_q_normalize(s->base.model, s->y);
}

cardan__attempt cardan__continuous_step(cardan__stepper *stepper, cardan_data *data, double t_next)
{
  cardan__continuous *s = (cardan__continuous *)stepper;
  const int64_t before = s->ode->counters.evaluations;
  s->tried = s->ode->counters.accepted + s->ode->counters.rejected;
  const bool bends = take_line(s, data, data->t, t_next - data->t);
  cardan_status status = take_inputs(s, data, t_next - data->t) || bends ? jump(s) : CARDAN_OK;
  if (s->pushed && !cardan__inputs_finite(stepper->model, data->tau_in, data->f_in)) {
    status = CARDAN_ERR_NOT_FINITE; // where a joint takes it all up nothing else would show it
  }
  if (status == CARDAN_OK) {
    status =
        s->line.lines != NULL ? advance_on_lines(s, data, t_next) : advance(s, data->v, t_next);
  }
  const cardan__ode_counters *n = &s->ode->counters;
  stepper->iterations = (int)(n->evaluations - before);
  stepper->evaluations = n->evaluations;
  stepper->accepted = n->accepted;
  stepper->rejected = n->rejected;
  stepper->restarts = n->restarts;
  const double *q = s->ode->y, *v = NULL;
  if (status == CARDAN_OK) {
    status = normalized(s, &q) ? velocities(s, t_next, s->ode->y, &v) : CARDAN_ERR_NOT_FINITE;
    // in the middle of a crossing own has the velocities, though not by way of the rows
    status = status == CARDAN_ERR_SINGULAR && s->crossing.under_way ? CARDAN_OK : status;
  }
  if (status != CARDAN_OK) {
    return cardan__attempt_of(fail(s, data, status));
  }
  data->t = t_next;
  memcpy(data->q, q, (size_t)s->nq * sizeof *data->q);
  memcpy(data->v, v, (size_t)stepper->model->nv * sizeof *data->v);
  cardan__continuous_load_aux_states(s, s->ode->y, data);
  return cardan__attempt_of(CARDAN_OK);
}

double cardan__continuous_work(const cardan__stepper *stepper)
{
  const cardan__continuous *s = (const cardan__continuous *)stepper;
  return s->ode->y[cardan__continuous_work_at(s)];
}

void cardan__continuous_spans(cardan__stepper *stepper, cardan__spans *list)
{
  cardan__continuous *s = (cardan__continuous *)stepper;
  cardan__ode_spans(s->ode, list);
  cardan__spans_add(list, s->seen, cardan__inputs_size(stepper->model), sizeof *s->seen);
  if (!s->fixed) {
    cardan__input_line_spans(&s->line, list);
  }
  if (s->prediction != NULL) {
    const cardan__friction_boxes *boxes = &s->prediction->boxes;
    cardan__spans_ints(list, boxes->side, (size_t)boxes->n, -1, 1);
  }
  cardan__loops_spans(stepper->model, s->own, list);
  if (s->look != NULL) {
    cardan__singular_crossing_spans(&s->crossing, list);
    cardan__loops_spans(stepper->model, s->look, list);
  }
  if (s->form->spans != NULL) {
    s->form->spans(s, list);
  }
}

cardan_status cardan__continuous_push(cardan__stepper *stepper, cardan_data *data, const double *dp)
{
  cardan__continuous *s = (cardan__continuous *)stepper;
  (void)dp; // velocities say it all
  take_inputs(s, data, stepper->options->dt);
  cardan__continuous_load(s, data->t, data->q);
  memcpy(s->own->v, data->v, (size_t)stepper->model->nv * sizeof *data->v);
  memcpy(s->y, data->q, (size_t)s->nq * sizeof *s->y);
  const int work = cardan__continuous_work_at(s);
  memcpy(s->y + s->nq + s->nx, data->z, (size_t)s->nz * sizeof *s->y);
  s->y[work] = s->ode->y[work]; // work continues from its value
  cardan_status status = s->form->pack(s, s->y + s->nq);
  if (status == CARDAN_OK) {
    status = cardan__ode_restart(s->ode, data->t, s->y);
  }
  return status == CARDAN_OK ? status : fail(s, data, status);
}

cardan_status cardan__continuous_switched(cardan__stepper *stepper, cardan_data *data)
{
  cardan__continuous *s = (cardan__continuous *)stepper;
  return s->crossing.under_way ? CARDAN_OK : cardan__ode_restart(s->ode, data->t, s->ode->y);
}

void cardan__continuous_rejoin(cardan__stepper *stepper, cardan_data *data, bool restored)
{
  cardan__continuous *s = (cardan__continuous *)stepper;
  cardan__ode_rejoin(s->ode);
  stepper->restarts = s->ode->counters.restarts;
  if (restored) { // inputs of another step count as changed, whatever the next one has
    see_lines(s, data);
    s->rejoined = cardan__inputs_differ(stepper->model, data, false, s->seen);
    copy_inputs(s, data);
  }
  if (restored && s->form->rejoin != NULL) {
    s->form->rejoin(s);
  }
}

/* Conjugate of the error: what y's error makes of the momenta (velocities) by a central difference
 * in its direction, over a length where neither rounding nor curvature shows beyond the ninth
 * digit. */
static bool conjugate_error(cardan__continuous *s, double *out)
{
  const cardan__ode *ode = s->ode;
  const int n = s->nq + s->nx, nv = s->base.model->nv;
  double size = 0, *middle = s->middle;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(ode->error[i]) / (1 + fabs(ode->y[i])));
  }
  memset(out, 0, (size_t)nv * sizeof *out);
  if (!(size > 0)) {
    return true;
  }
  const double scale = 1e-5 / size;
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < n; i++) {
      s->y_try[i] = ode->y[i] + side * scale * ode->error[i];
    }
    if (s->form->conjugate(s, ode->t, s->y_try, middle) != CARDAN_OK) {
      return false;
    }
    for (int k = 0; k < nv; k++) {
      out[k] += side * middle[k] / (2 * scale);
    }
  }
  return true;
}

bool cardan__continuous_errors(cardan__stepper *stepper, double *e_q, double *e_v, double *e_p)
{
  cardan__continuous *s = (cardan__continuous *)stepper;
  const int nv = stepper->model->nv;
  if (s->ode->error == NULL) {
    return false;
  }
  double *direct = s->form->momenta ? e_p : e_v;
  memcpy(e_q, s->ode->error, (size_t)s->nq * sizeof *e_q);
  memset(direct, 0, (size_t)nv * sizeof *direct);
  for (int k = 0; k < s->nx; k++) {
    direct[s->dof != NULL ? s->dof[k] : k] = s->ode->error[s->nq + k];
  }
  if (s->nfloating > 0) {
    const double *y = s->ode->y;
    cardan__floating_place(s->nfloating, s->floating, y);
    cardan__floating_errors(s->nfloating, s->floating, s->form->momenta, y, y + s->nq, e_q, direct);
  }
  return conjugate_error(s, s->form->momenta ? e_v : e_p);
}
