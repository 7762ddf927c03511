// SPDX-License-Identifier: Apache-2.0
#include "sweep/cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "batch/lanes/lanes.h"
#include "cardan/kinematics.h"
#include "dynamics/set_parameters.h"
#include "linalg/linalg.h"
#include "run/sim_access.h"
#include "sweep/case_lanes.h"

/* A worker holds what the next case may use again: the model of a text, a copy of it with the
 * parameters of a case, a sim. What a case's numbers make again goes, and all that was made of it;
 * so does a sim that did not come to the end of its run. A sim that is started again gives the same
 * bits as a new one. */

/* The clock is read once in so many steps, at the beginning more often. */
enum { STEPS_APART = 16 };

struct cardan__worker {
  const cardan_sweep *sweep;
  cardan_allocator alloc;
  cardan__worker_setup own; // where the text differs; its model is NULL while it is to be read
  const cardan__worker_setup *ground; // that, or the sweep's
  cardan_model *copy;                 // where the model differs; NULL: to be made
  cardan_sim *sim;                    // NULL: to be made
  cardan_options options;             // of the sim
  cardan__collector *collector;
  double *value, *before;  // nvaried: of the case, and of the case before it
  cardan_setting *setting; // ntext: that the text was read with
  double *param;           // of the model: param_room of them
  double *row, *x;         // a row, row_room of them; of it the columns that are followed
  int param_room, row_room;
  cardan__case_lanes *side; // cases side by side; NULL: not in this sweep, or not known yet
  bool sided;               // it is known
  bool fresh;               // there was no case before
  bool plain; // columns followed are t and q alone, which need no observation of a node
};

/* What one case has to go by. */
typedef struct {
  int64_t steps;
  int rows, looks; // steps from one row to the next, 0: none; from one look to the next
  cardan__limit limit;
} course;

/* ---- making and giving back ---- */

/* Gives back all that has to be made again. */
static void drop(cardan__worker *w, cardan__anew anew)
{
  if (anew <= CARDAN__ANEW_SIM) {
    cardan_sim_destroy(w->sim);
    w->sim = NULL;
  }
  if (anew <= CARDAN__ANEW_MODEL) {
    cardan_model_destroy(w->copy);
    w->copy = NULL;
  }
  if (anew <= CARDAN__ANEW_TEXT) {
    cardan__worker_setup_free(&w->own);
    w->ground = w->sweep->texts ? NULL : &w->sweep->ground;
  }
}

void cardan__worker_destroy(cardan__worker *w)
{
  if (w != NULL) {
    const cardan_allocator alloc = w->alloc;
    cardan__case_lanes_destroy(w->side);
    drop(w, CARDAN__ANEW_TEXT);
    cardan__collector_destroy(w->collector);
    void *const parts[] = {w->value, w->before, w->setting, w->param, w->row, w->x, w};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
      cardan__resize(&alloc, parts[i], 0);
    }
    cardan__blas_release();
  }
}

/* Are all columns that are followed t or q? */
static bool follows_plain(const cardan__collector *c)
{
  const char *name;
  bool plain = true;
  for (int k = 0; (name = cardan__collector_source(c, k)) != NULL; k++) {
    plain = plain && (strcmp(name, "t") == 0 || strncmp(name, "q.", 2) == 0);
  }
  return plain;
}

cardan_status cardan__worker_create(const cardan_sweep *sweep, const cardan_allocator *alloc,
                                    cardan__worker **out, cardan_report *report)
{
  const size_t n = (size_t)cardan__plan_nvaried(sweep->plan) + 1;
  const size_t nsource = (size_t)cardan__collector_sources(sweep->collector) + 1;
  cardan__worker *w = *out = cardan__zeros(alloc, sizeof **out);
  if (w == NULL) {
    return cardan__no_memory(report);
  }
  cardan__blas_hold();
  w->sweep = sweep;
  w->alloc = alloc != NULL ? *alloc : (cardan_allocator){0};
  w->fresh = true;
  w->plain = follows_plain(sweep->collector);
  w->value = cardan__zeros(alloc, n * sizeof *w->value);
  w->before = cardan__zeros(alloc, n * sizeof *w->before);
  w->setting = cardan__zeros(alloc, ((size_t)sweep->ntext + 1) * sizeof *w->setting);
  w->x = cardan__zeros(alloc, nsource * sizeof *w->x);
  const cardan_status status = cardan__collector_create(sweep->plan, alloc, &w->collector);
  if (status || !w->value || !w->before || !w->setting || !w->x) {
    cardan__worker_destroy(w);
    *out = NULL;
    return cardan__no_memory(report);
  }
  memcpy(w->setting, sweep->setting, (size_t)sweep->ntext * sizeof *w->setting);
  return CARDAN_OK;
}

/* ---- from values to a sim ---- */

/* What the values of this case make again. */
static cardan__anew find_new(const cardan__worker *w)
{
  cardan__anew anew = w->fresh ? CARDAN__ANEW_TEXT : CARDAN__ANEW_START;
  for (int k = 0; k < cardan__plan_nvaried(w->sweep->plan); k++) {
    const double x = w->value[k], y = w->before[k];
    const bool differs = x != y || signbit(x) != signbit(y);
    anew = differs && w->sweep->slot[k].anew < anew ? w->sweep->slot[k].anew : anew;
  }
  return anew;
}

static cardan_status read_ground(cardan__worker *w, cardan_report *report)
{
  const cardan_sweep *sweep = w->sweep;
  for (int k = 0; k < cardan__plan_nvaried(sweep->plan); k++) {
    if (sweep->slot[k].anew == CARDAN__ANEW_TEXT) {
      w->setting[sweep->slot[k].at].value = w->value[k];
    }
  }
  cardan_status status =
      cardan__worker_setup_read(sweep, w->setting, sweep->ntext, &w->alloc, &w->own, report);
  if (status == CARDAN_OK) {
    cardan__report_file(report, "the plan"); // whatever its file is called: a row does not show it
    status = cardan__worker_setup_names(sweep, &w->own, report);
  }
  if (status == CARDAN_OK) {
    cardan__report_file(report, sweep->base.model);
  }
  if (status == CARDAN_OK && !sweep->copies) {
    status = cardan_options_prepare(&w->own.options, w->own.model, report);
  }
  if (status != CARDAN_OK) {
    cardan__worker_setup_free(&w->own);
    return status;
  }
  w->ground = &w->own;
  return CARDAN_OK;
}

/* A copy of the ground's model with the case's parameters and, as options say, its start. */
static cardan_status copy_model(cardan__worker *w, cardan_report *report)
{
  const cardan_model *m = w->ground->model;
  const cardan_allocator *alloc = &w->alloc;
  bool tuned = false;
  if (cardan__grow(alloc, (void **)&w->param, &w->param_room, m->nparameter + 1,
                   sizeof *w->param) != CARDAN_OK ||
      cardan_model_copy(m, alloc, &w->copy) != CARDAN_OK) {
    return cardan__no_memory(report);
  }
  memcpy(w->param, m->parameter_value, (size_t)m->nparameter * sizeof *w->param);
  for (int k = 0; k < cardan__plan_nvaried(w->sweep->plan); k++) {
    const int i = w->ground->parameter[k];
    if (i >= 0) {
      w->param[i] = w->value[k];
      tuned = true;
    }
  }
  cardan_status status = tuned ? cardan__model_set_all(w->copy, w->param, report) : CARDAN_OK;
  status = status ? status : cardan_options_prepare(&w->options, w->copy, report);
  if (status != CARDAN_OK) {
    drop(w, CARDAN__ANEW_MODEL);
  }
  return status;
}

static cardan_status make_sim(cardan__worker *w, cardan_report *report)
{
  const cardan_allocator *alloc = &w->alloc;
  cardan_status status = cardan__case_options(w->sweep, w->ground, w->value, &w->options, report);
  if (status == CARDAN_OK && w->sweep->copies && w->copy == NULL) {
    status = copy_model(w, report);
  }
  const cardan_model *model = w->copy != NULL ? w->copy : w->ground->model;
  status = status ? status : cardan_model_dynamic(model, report);
  status = status ? status : cardan_sim_create(model, &w->options, alloc, &w->sim, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_sim_signals(w->sim, w->ground->signals);
  const int n = cardan_sim_columns(w->sim, w->sweep->add);
  return cardan__grow(alloc, (void **)&w->row, &w->row_room, n, sizeof *w->row) == CARDAN_OK
             ? CARDAN_OK
             : cardan__no_memory(report);
}

void cardan__case_start(const cardan_sweep *sweep, const cardan__worker_setup *ground,
                        const double *value, double *q, double *v, double *u)
{
  double *const to[] = {NULL, q, v, u}; // by kind of place
  for (int k = 0; k < sweep->ninitial; k++) {
    const cardan_place place = ground->place[k];
    to[place.kind][place.index] = sweep->initial[k].value;
  }
  for (int k = 0; k < cardan__plan_nvaried(sweep->plan); k++) {
    if (sweep->slot[k].anew == CARDAN__ANEW_START) {
      const cardan_place place = ground->place[sweep->slot[k].at];
      to[place.kind][place.index] = value[k];
    }
  }
}

/* The same for the sim's data. */
static cardan_status set_start(cardan__worker *w, cardan_report *report)
{
  cardan_data *data = cardan__sim_node(w->sim);
  cardan__case_start(w->sweep, w->ground, w->value, data->q, data->v, data->u);
  for (int k = 0; k < w->sweep->ninitial; k++) {
    const cardan_place place = w->ground->place[k];
    if (place.kind != CARDAN_PLACE_INPUT) {
      (place.kind == CARDAN_PLACE_Q ? data->q_given : data->v_given)[place.index] = true;
    }
  }
  return w->sweep->ninitial == 0 || cardan_q_normalize(cardan__sim_model(w->sim), data->q)
             ? CARDAN_OK
             : cardan_fail(
                   report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                   "the start leaves a quaternion whose length is 0 or not finite, expected "
                   "one that can be normalised");
}

/* A sim for the case, at the model's start. */
static cardan_status prepare(cardan__worker *w, int64_t number, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  cardan__plan_values(w->sweep->plan, number, w->value);
  drop(w, find_new(w));
  w->fresh = false;
  memcpy(w->before, w->value, (size_t)cardan__plan_nvaried(w->sweep->plan) * sizeof *w->value);
  if (w->ground == NULL) {
    status = read_ground(w, report);
  }
  if (status == CARDAN_OK && w->sim != NULL) {
    cardan__sim_reset(w->sim);
  } else if (status == CARDAN_OK) {
    status = make_sim(w, report);
  }
  return status;
}

/* ---- a run ---- */

/* Of n cases that begin now. */
static cardan__limit limit_of(int n, double seconds, const atomic_int *stop)
{
  return (cardan__limit){seconds, seconds > 0 ? cardan__seconds() + n * seconds : HUGE_VAL, stop};
}

/* How often there are rows and observations. Where nothing observed at nodes is requested, the
 * watch has every tenth node of a long run, as of `cardan run` without a table. */
static course find_course(const cardan__worker *w, double seconds, const atomic_int *stop)
{
  const cardan_options *o = &w->options;
  const bool rows = cardan__collector_rows(w->collector);
  const bool seen = cardan__collector_looks(w->collector) || (rows && !w->plain);
  const bool rarely = !seen && o->every == 1 && o->time >= 1000 * o->dt;
  return (course){.steps = cardan__case_steps(o),
                  .rows = rows ? o->every : 0,
                  .looks = rarely ? 10 : o->every,
                  .limit = limit_of(1, seconds, stop)};
}

/* The columns that are followed, at the node: to the worker's x. */
static cardan_status read_node(cardan__worker *w)
{
  cardan_sim *sim = w->sim;
  const int *column = w->ground->column, n = cardan__collector_sources(w->collector);
  const cardan_status status = w->plain ? CARDAN_OK : cardan_sim_row(sim, w->sweep->add, w->row);
  for (int k = 0; k < n && status == CARDAN_OK; k++) {
    w->x[k] = !w->plain        ? w->row[column[k]]
              : column[k] == 0 ? cardan__sim_node(sim)->t // the first column, and then q
                               : cardan__sim_node(sim)->q[column[k] - 1];
  }
  return status;
}

/* The node after step k: its row, or an observation where one is due. */
static cardan_status end_step(cardan__worker *w, const course *c, int64_t k, cardan_report *report)
{
  const bool row = c->rows > 0 && k % c->rows == 0;
  const bool looks = k % c->looks == 0 || (c->looks > 10 && k % 10 == 0);
  if (looks && !(row && !w->plain)) {
    (void)!cardan_sim_observe(w->sim); // the velocities of a node without a row are not needed
  }
  cardan_status status = row ? read_node(w) : CARDAN_OK;
  if (status != CARDAN_OK) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "at t = %g, for its row: %s",
                       cardan__sim_node(w->sim)->t, cardan_status_text(status));
  }
  status = cardan__watch_heed(w->sim, report);
  if (status == CARDAN_OK && row) {
    cardan__collector_row(w->collector, cardan__sim_node(w->sim)->t, w->x);
  }
  return status;
}

static bool is_stopped(const atomic_int *stop)
{
  return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed) != 0;
}

cardan_status cardan__limit_check(const cardan__limit *limit, cardan_report *report)
{
  if (is_stopped(limit->stop)) {
    return cardan_fail(report, CARDAN_ERR_STOPPED, (cardan_pos){0, 0}, "stopped");
  }
  return limit->until < HUGE_VAL && cardan__seconds() > limit->until
             ? cardan_fail(report, CARDAN_ERR_STOPPED, (cardan_pos){0, 0}, "took more than %g s",
                           limit->seconds)
             : CARDAN_OK;
}

/* The last node that is good, where it has not had a row. returns whether it has one now */
static bool end_rows(cardan__worker *w, const course *c, int64_t k)
{
  if (c->rows > 0 && k % c->rows == 0) {
    return true;
  }
  const bool there = read_node(w) == CARDAN_OK;
  if (there) {
    cardan__collector_row(w->collector, cardan__sim_node(w->sim)->t, w->x);
  }
  return there;
}

/* All steps of a sim that has started, as cardan_run takes them, and what is collected: out. */
static cardan_status march(cardan__worker *w, const course *c, double *value, cardan_report *report)
{
  cardan_sim *sim = w->sim;
  int64_t k = 0;
  bool last = true;
  cardan_status stepped = CARDAN_OK, status = end_step(w, c, 0, report);
  if (status == CARDAN_OK && c->rows == 0) {
    last = end_rows(w, c, 0);
  }
  while (status == CARDAN_OK && stepped == CARDAN_OK && k < c->steps) {
    stepped = cardan_sim_step(sim, report);
    if (stepped == CARDAN_OK) {
      status = end_step(w, c, ++k, report);
      const bool clock = k % STEPS_APART == 0 || (k & (k - 1)) == 0;
      if (status == CARDAN_OK && (clock || is_stopped(c->limit.stop))) {
        status = cardan__limit_check(&c->limit, report);
      }
    }
  }
  const bool good = status == CARDAN_OK; // the node is: only the step behind it may have failed
  (void)!cardan_sim_observe(sim);
  if (good && stepped == CARDAN_OK) {
    status = cardan__watch_heed(sim, report);
    status = status ? status : cardan__watch_end(sim, report);
  }
  last = good && (k > 0 || c->rows > 0 ? end_rows(w, c, k) : last);
  const cardan_stats stats = cardan_sim_stats(sim);
  cardan__collector_end(w->collector, &stats, cardan__sim_node(sim)->t, last, value);
  return stepped != CARDAN_OK ? stepped : status;
}

/* ---- cases ---- */

/* What became of a case: its failure as a sentence, with the place in the text where there is. */
static void note_end(const cardan__worker *w, cardan_status status, const cardan_report *report,
                     cardan__case *out)
{
  out->status = status;
  if (status == CARDAN_OK) {
    snprintf(out->message, sizeof out->message, "%s", cardan_sim_warning(w->sim));
  } else if (report->pos.line > 0) {
    cardan_report_format(report, out->message, sizeof out->message);
  } else {
    snprintf(out->message, sizeof out->message, "%s",
             report->message[0] ? report->message : cardan_status_text(status));
  }
}

/* Up to a sim that has started. */
static cardan_status begin_case(cardan__worker *w, int64_t number, cardan_report *report)
{
  cardan__report_file(report, w->sweep->base.model);
  cardan_status status = prepare(w, number, report);
  status = status ? status : set_start(w, report);
  if (status == CARDAN_OK && cardan__case_steps(&w->options) < 0) {
    status = cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "time %g s is more steps of dt %g s than can be counted", w->options.time,
                         w->options.dt);
  }
  return status ? status : cardan_sim_start(w->sim, report);
}

static cardan_status run_case(cardan__worker *w, int64_t number, double seconds,
                              const atomic_int *stop, cardan__case *out, cardan_report *report)
{
  cardan_report why = {.message = ""};
  const int n = cardan__plan_ncollect(w->sweep->plan);
  out->number = number;
  cardan__collector_begin(w->collector);
  cardan_status status = begin_case(w, number, &why);
  if (status == CARDAN_OK) {
    const course c = find_course(w, seconds, stop);
    status = march(w, &c, out->value, &why);
  } else {
    cardan__collector_end(w->collector, NULL, 0, false, out->value);
  }
  const bool ours = status == CARDAN_ERR_STOPPED && is_stopped(stop);
  if (status == CARDAN_ERR_MEMORY || ours) {
    drop(w, CARDAN__ANEW_SIM);
    return cardan_fail(report, status, (cardan_pos){0, 0}, "%s", cardan_status_text(status));
  }
  for (int i = 0; i < n && status == CARDAN_ERR_STOPPED; i++) {
    out->value[i] = (double)NAN; // how far it came depends on the machine
  }
  note_end(w, status, &why, out);
  if (status != CARDAN_OK) {
    drop(w, CARDAN__ANEW_SIM);
  }
  return CARDAN_OK;
}

/* Can cases go side by side? Then they all do, whichever comes first: which way they go shows in
 * their last bits. What keeps the sim of one from being made keeps all of them. */
static cardan_status find_side(cardan__worker *w, int64_t number, cardan_report *report)
{
  cardan_report why = {.message = ""};
  if (w->sided) {
    return CARDAN_OK;
  }
  cardan_status status = cardan__case_lanes_takes(w->sweep) ? prepare(w, number, &why) : CARDAN_OK;
  if (status == CARDAN_OK && w->sim != NULL) {
    status =
        cardan__case_lanes_create(w->sweep, w->ground, w->sim, w->collector, &w->alloc, &w->side);
  }
  w->sided = status != CARDAN_ERR_MEMORY;
  return w->sided ? CARDAN_OK : cardan__no_memory(report);
}

int cardan__worker_grain(const cardan__worker *w)
{
  const bool may = !w->sided && cardan__case_lanes_takes(w->sweep);
  return w->side != NULL ? cardan__case_lanes_width(w->side)
         : may           ? cardan__lanes_kernels_at(0)->width
                         : 1;
}

/* Cases first .. first + n - 1, at most as many as there are lanes. */
static cardan_status run_side(cardan__worker *w, int64_t first, int n, double seconds,
                              const atomic_int *stop, cardan__case *out, cardan_report *report)
{
  const cardan__limit limit = limit_of(n, seconds, stop);
  unsigned alone = 0;
  // what all of them would fail by, a case by itself says
  cardan_status status = w->sim == NULL ? make_sim(w, NULL) : CARDAN_OK;
  status = status ? status : cardan__case_lanes_run(w->side, w->sim, first, n, &limit, out, &alone);
  if (status == CARDAN_ERR_STOPPED || status == CARDAN_ERR_MEMORY) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "%s", cardan_status_text(status));
  }
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    if (alone >> i & 1) {
      status = run_case(w, first + i, seconds, stop, &out[i], report);
    }
  }
  return status;
}

cardan_status cardan__worker_run(cardan__worker *w, int64_t first, int n, double seconds,
                                 const atomic_int *stop, cardan__case *out, cardan_report *report)
{
  cardan_status status = find_side(w, first, report);
  const int width = cardan__worker_grain(w);
  for (int i = 0; i < n && status == CARDAN_OK; i += width) {
    const int some = n - i < width ? n - i : width;
    status = w->side != NULL ? run_side(w, first + i, some, seconds, stop, &out[i], report)
                             : run_case(w, first + i, seconds, stop, &out[i], report);
  }
  return status;
}

cardan_status cardan__worker_motion(cardan__worker *w, int64_t number, const cardan_sink *sinks,
                                    int nsink, cardan__case *out, cardan_report *report)
{
  cardan_report why = {.message = ""};
  out->number = number;
  cardan_status status = begin_case(w, number, &why);
  if (status == CARDAN_OK) {
    status = cardan_run(w->sim, cardan__case_steps(&w->options), sinks, nsink, NULL, &why);
  }
  if (status == CARDAN_ERR_MEMORY || status == CARDAN_ERR_IO || status == CARDAN_ERR_STOPPED) {
    drop(w, CARDAN__ANEW_SIM);
    return cardan_fail(report, status, (cardan_pos){0, 0}, "%s", why.message);
  }
  note_end(w, status, &why, out);
  if (status != CARDAN_OK) {
    drop(w, CARDAN__ANEW_SIM);
  }
  return CARDAN_OK;
}
