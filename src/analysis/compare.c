// SPDX-License-Identifier: Apache-2.0
#include "cardan/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "spatial/spatial.h"

/* Runs side by side. Poses of the reference are kept at common times, multiples of the largest dt,
 * as many as fit; a contender is measured against them as it passes by. */

enum { TIMES_MAX = CARDAN_COMPARE_TIMES, TIMES_MIN = 10, TIMED = 3 };
static const double brief = 0.1; // [s]: shorter runs are timed again
static const double unknown = (double)NAN;
static const double poses_limit = 64e6; // bytes of kept poses
static const double APART = 0.1; // of the model's length: motions that are no longer the same

typedef struct {
  const cardan_model *model;
  const double *q, *v;
  const cardan_compare_hooks *hooks;
  const cardan_allocator *allocator;
  double dt;            // the largest
  int64_t steps, every; // of the largest dt: in all, and from one common time to the next
  int times;            // common times, the start left out
  bool known;           // there is a reference
  cardan_xform *poses;  // times x nbody, of the reference
} comparison;

/* Index of the common time at step k of the largest dt; -1: it is none. */
static int time_index(const comparison *c, int64_t k)
{
  if (k == c->steps) {
    return c->times - 1;
  }
  return k > 0 && k % c->every == 0 ? (int)(k / c->every) - 1 : -1;
}

static void keep_poses(const comparison *c, int index, const cardan_data *data)
{
  const size_t n = (size_t)c->model->nbody;
  memcpy(c->poses + (size_t)index * n, data->X_W, n * sizeof *c->poses);
}

/* The size of the mechanism, or a metre where it has none, as a rotor. */
static double length_of(const comparison *c)
{
  return c->model->size_length > 0 ? c->model->size_length : 1.0;
}

/* Distance and turn of the worst body from its reference; a turn by that length. */
static double error_at(const comparison *c, int index, const cardan_data *data)
{
  const cardan_xform *reference = c->poses + (size_t)index * (size_t)c->model->nbody;
  const double length = length_of(c);
  double worst = 0;
  for (int i = 1; i < c->model->nbody; i++) {
    const cardan_vec3 d = cardan__vec3_sub(data->X_W[i].p, reference[i].p);
    const cardan_mat3 R = cardan__mat3_tmul(&reference[i].R, &data->X_W[i].R);
    const double turn = length * cardan__vec3_norm(cardan_so3_log(&R));
    worst = fmax(worst, sqrt(cardan__vec3_dot(d, d) + turn * turn));
  }
  return worst;
}

/* One run, and the contender that it belongs to, for the observer. */
typedef struct {
  const comparison *c;
  int index; // -1: the reference
  cardan_contender *one;
} visitor;

/* The node just reached, measured where it is at a common time. */
static cardan_status visit(void *user, cardan_sim *sim, const cardan_run_state *at,
                           cardan_report *report)
{
  const visitor *v = user;
  const comparison *c = v->c;
  cardan_contender *one = v->one;
  const int64_t ratio = llround(c->dt / one->options.dt);
  (void)report;
  if (at->status != CARDAN_OK) {
    return CARDAN_OK;
  }
  (void)cardan_sim_observe(sim); // drift and constraint error count at every node
  const int time = at->step % ratio == 0 ? time_index(c, at->step / ratio) : -1;
  if (time >= 0 && v->index < 0) {
    keep_poses(c, time, cardan_sim_data(sim));
  } else if (time >= 0 && c->known) {
    const double error = error_at(c, time, cardan_sim_data(sim));
    one->error_max = fmax(one->error_max, error);
    one->error_final = time == c->times - 1 ? error : unknown;
    const bool apart = error > APART * length_of(c);
    one->parted = !apart ? unknown : isnan(one->parted) ? cardan_sim_data(sim)->t : one->parted;
    if (c->hooks && c->hooks->error) {
      c->hooks->error(c->hooks->user, v->index, cardan_sim_data(sim)->t, error);
    }
  }
  return CARDAN_OK;
}

static void note_failure(cardan_contender *one, cardan_status status, const cardan_report *why)
{
  one->status = status;
  snprintf(one->message, sizeof one->message, "%s", why->message);
}

static cardan_status step_all(visitor *v, cardan_sim *sim, const cardan_sink *own, int nown,
                              cardan_report *report)
{
  const comparison *c = v->c;
  cardan_contender *one = v->one;
  cardan_sink sinks[1 + CARDAN_COMPARE_SINKS] = {{.user = v, .step = visit}};
  for (int i = 0; i < nown; i++) {
    sinks[1 + i] = own[i];
  }
  const int64_t n = (int64_t)llround((double)c->steps * (c->dt / one->options.dt));
  cardan_run_state end;
  cardan_report why = {0};
  cardan_status status = cardan_run(sim, n, sinks, 1 + nown, &end, &why);
  if (status != CARDAN_OK && (end.status != CARDAN_OK || end.row != CARDAN_OK)) {
    note_failure(one, status, &why);
    status = CARDAN_OK;
  } else if (status != CARDAN_OK && report != NULL) {
    *report = why;
  }
  one->wall_seconds = end.seconds;
  one->stats = cardan_sim_stats(sim);
  snprintf(one->warning, sizeof one->warning, "%s", cardan_sim_warning(sim));
  return status;
}

static cardan_sim *make_sim(const comparison *c, const cardan_options *options, cardan_status *made,
                            cardan_report *why)
{
  cardan_sim *sim;
  *made = cardan_sim_create(c->model, options, c->allocator, &sim, why);
  if (*made == CARDAN_OK && c->q && c->v) {
    cardan_data *data = cardan_sim_data(sim);
    memcpy(data->q, c->q, (size_t)c->model->nq * sizeof *data->q);
    memcpy(data->v, c->v, (size_t)c->model->nv * sizeof *data->v);
  }
  return sim;
}

/* A short run's time is much of it what else the machine did: the least of TIMED runs counts. */
static void time_again(const comparison *c, cardan_contender *one)
{
  const int64_t n = (int64_t)llround((double)c->steps * (c->dt / one->options.dt));
  for (int k = 1; k < TIMED && one->wall_seconds < brief; k++) {
    cardan_status status;
    cardan_run_state end;
    cardan_sim *sim = make_sim(c, &one->options, &status, NULL);
    status = status == CARDAN_OK ? cardan_sim_start(sim, NULL) : status;
    if (status == CARDAN_OK && cardan_run(sim, n, NULL, 0, &end, NULL) == CARDAN_OK) {
      one->wall_seconds = fmin(one->wall_seconds, end.seconds);
    }
    cardan_sim_destroy(sim);
  }
}

/* One run from start to end. A method's own failure is the contender's result, not this call's. */
static cardan_status run(const comparison *c, int index, cardan_contender *one,
                         cardan_report *report)
{
  visitor v = {.c = c, .index = index, .one = one};
  cardan_report why = {0};
  cardan_status status;
  cardan_sim *sim = make_sim(c, &one->options, &status, &why);
  if (status != CARDAN_OK) {
    one->refused = true;
    note_failure(one, status, &why);
    return CARDAN_OK;
  }
  cardan_sink sinks[CARDAN_COMPARE_SINKS];
  int n = 0;
  if (c->hooks && c->hooks->begin) {
    status = c->hooks->begin(c->hooks->user, index, sim, sinks, &n, report);
  }
  if (status == CARDAN_OK) {
    const cardan_status started = cardan_sim_start(sim, &why);
    if (started == CARDAN_OK) {
      status = step_all(&v, sim, sinks, n, report);
    } else {
      note_failure(one, started, &why);
    }
  }
  cardan_sim_destroy(sim);
  if (status == CARDAN_OK && one->status == CARDAN_OK && index >= 0) {
    time_again(c, one);
  }
  return status;
}

/* Does h go into the largest dt a whole number of times? */
static bool divides(double h, double largest)
{
  const double ratio = largest / h;
  return fabs(ratio - round(ratio)) <= 1e-9 * ratio;
}

static cardan_status plan(comparison *c, const cardan_options *reference,
                          const cardan_contender *contender, int n, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  c->dt = reference->dt;
  for (int i = 0; i < n; i++) {
    c->dt = fmax(c->dt, contender[i].options.dt);
  }
  for (int i = 0; i <= n; i++) {
    const double h = i < n ? contender[i].options.dt : reference->dt;
    if (!(h > 0) || !divides(h, c->dt)) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                         "dt %g does not divide dt %g, expected steps that meet at common times", h,
                         c->dt);
    }
  }
  const double steps = floor(reference->time / c->dt + 1e-9);
  if (!(steps >= 1 && steps < 1e15)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "time %g s is %g steps of dt %g s, expected at least 1 and fewer than 1e15",
                       reference->time, steps, c->dt);
  }
  const double bytes = (double)c->model->nbody * (double)sizeof *c->poses;
  const double most = fmin(fmax(poses_limit / bytes, TIMES_MIN), TIMES_MAX);
  c->steps = (int64_t)steps;
  c->every = (int64_t)ceil(steps / most);
  c->times = (int)((c->steps + c->every - 1) / c->every);
  return CARDAN_OK;
}

/* Slope of log error over log dt by least squares, over the contenders of one label that came to
 * the end with errors above round-off. The largest error of the run: that of its end may be small
 * by chance, where the motion passes its reference. */
static double fit_order(const cardan_contender *contender, int n, const char *label, double floor)
{
  double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < n; i++) {
    const cardan_contender *one = &contender[i];
    if (strcmp(one->label, label) == 0 && isfinite(one->error_final) && one->error_max > floor) {
      const double u = log(one->options.dt), w = log(one->error_max);
      count += 1;
      x += u;
      y += w;
      xx += u * u;
      xy += u * w;
    }
  }
  const double spread = count * xx - x * x;
  return count > 1 && spread > 1e-9 * count * xx ? (count * xy - x * y) / spread : unknown;
}

static cardan_status run_all(comparison *c, const cardan_options *reference,
                             cardan_contender *contender, int n, cardan_report *report)
{
  cardan_contender truth = {
      .options = *reference, .error_final = unknown, .error_max = unknown, .parted = unknown};
  cardan_status status = run(c, -1, &truth, report);
  if (status != CARDAN_OK) {
    return status;
  }
  c->known = truth.status == CARDAN_OK;
  if (!c->known) {
    cardan_fail(report, truth.status, (cardan_pos){0, 0}, "there is no reference: %.400s",
                truth.message);
  }
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = run(c, i, &contender[i], report);
  }
  // what the reference itself may be off by: a hundred times its tolerance, on the model's length
  const double floor = 100 * 1e-12 * (1 + c->model->size_length);
  for (int i = 0; i < n; i++) {
    contender[i].order = fit_order(contender, n, contender[i].label, floor);
  }
  return status;
}

cardan_status cardan_compare(const cardan_model *model, const double *q, const double *v,
                             const cardan_options *reference, cardan_contender *contender, int n,
                             const cardan_compare_hooks *hooks, const cardan_allocator *allocator,
                             cardan_report *report)
{
  comparison c = {.model = model, .q = q, .v = v, .hooks = hooks, .allocator = allocator};
  for (int i = 0; i < n; i++) {
    const cardan_options options = contender[i].options;
    contender[i] = (cardan_contender){.options = options,
                                      .error_final = unknown,
                                      .error_max = unknown,
                                      .parted = unknown,
                                      .order = unknown};
    cardan_options_label(&options, contender[i].label, sizeof contender[i].label);
  }
  cardan_status status = plan(&c, reference, contender, n, report);
  if (status != CARDAN_OK) {
    return status;
  }
  c.poses =
      cardan__resize(allocator, NULL, (size_t)c.times * (size_t)model->nbody * sizeof *c.poses);
  if (!c.poses) {
    return cardan__no_memory(report);
  }
  status = run_all(&c, reference, contender, n, report);
  cardan__resize(allocator, c.poses, 0);
  return status;
}

cardan_status cardan_options_set_label(cardan_options *options, const char *name,
                                       cardan_report *report)
{
  char method[64];
  const size_t length = strcspn(name, "/");
  snprintf(method, sizeof method, "%.*s", length < sizeof method ? (int)length : 63, name);
  cardan_status status = cardan_options_set(options, "method", method, report);
  if (status != CARDAN_OK || name[length] == '\0') {
    return status;
  }
  if (cardan_method_has_option(method, "integrator", NULL) != CARDAN_OK) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "\"%.60s\": method %s has no integrator to choose", name, method);
  }
  return cardan_options_set(options, "integrator", name + length + 1, report);
}

static bool is_adaptive(const char *integrator)
{
  for (int i = 0; cardan_integrator_name(i) != NULL; i++) {
    if (strcmp(cardan_integrator_name(i), integrator) == 0) {
      return cardan_integrator_adaptive(i);
    }
  }
  return false;
}

cardan_status cardan_reference_options(const cardan_options *like, const char *name,
                                       const cardan_contender *contender, int n,
                                       cardan_options *options, cardan_report *report)
{
  char label[64];
  *options = *like;
  const cardan_status status =
      cardan_options_set_label(options, name ? name : "aba/dopri5", report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_options_drop_unused(options);
  double smallest = like->dt, largest = like->dt;
  for (int i = 0; i < n; i++) {
    smallest = i == 0 ? contender[i].options.dt : fmin(smallest, contender[i].options.dt);
    largest = i == 0 ? contender[i].options.dt : fmax(largest, contender[i].options.dt);
  }
  cardan_options_label(options, label, sizeof label);
  const char *slash = strchr(label, '/');
  if (slash && is_adaptive(slash + 1)) {
    options->rtol = 1e-12;
    options->atol = 1e-12;
    options->dt = largest;
  } else {
    options->dt = smallest / 8;
  }
  return CARDAN_OK;
}
