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

/* A worker keeps what the next case may use again: the model of a text, a copy of it with the
 * parameters of a case, a sim. If a number differs from the case before, the objects that depend on
 * it are destroyed and created again; so is a sim whose run failed. A sim that is started again
 * gives the same bits as a new one. */

/* The clock is read at every such step, and more often at the beginning. */
enum { STEPS_PER_CLOCK = 16 };

struct cardan__worker {
  const cardan_sweep *sweep;
  cardan_allocator alloc;
  cardan__worker_setup own;          // if texts differ; its model is NULL until the text is read
  const cardan__worker_setup *setup; // &own, or the sweep's; NULL: not read yet
  cardan_model *copy;                // if models differ; NULL: not created yet
  cardan_sim *sim;                   // NULL: not created yet
  cardan_options options;            // of the sim
  cardan__collector *collector;
  double *value, *before;  // nvaried: of this case; of the case before it
  cardan_setting *setting; // ntext: those with which the text was read
  double *param;           // of the model: param_room of them
  double *row, *x;         // row_room: a row; the columns of it that the collector follows
  int param_room, row_room;
  cardan__case_lanes *lanes; // for several cases at once; NULL: not possible, or not decided yet
  bool lanes_decided;
  bool first_case; // there was no case before
  bool only_t_q;   // all columns followed are t or q, which can be read without observing a node
};

/* The schedule of a run. */
typedef struct {
  int64_t steps;
  int rows;         // steps from one row to the next; 0: no rows
  int observations; // steps from one observed node to the next
  cardan__limit limit;
} schedule;

/* ---- create and destroy ---- */

/* Destroys all objects that have to be created again. */
static void destroy_from(cardan__worker *w, cardan__anew anew)
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
    w->setup = w->sweep->texts ? NULL : &w->sweep->setup;
  }
}

void cardan__worker_destroy(cardan__worker *w)
{
  if (w != NULL) {
    const cardan_allocator alloc = w->alloc;
    cardan__case_lanes_destroy(w->lanes);
    destroy_from(w, CARDAN__ANEW_TEXT);
    cardan__collector_destroy(w->collector);
    void *const parts[] = {w->value, w->before, w->setting, w->param, w->row, w->x, w};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
      cardan__resize(&alloc, parts[i], 0);
    }
    cardan__blas_release();
  }
}

/* Are all columns that are followed t or q? */
static bool follows_only_t_q(const cardan__collector *c)
{
  const char *name;
  bool only_t_q = true;
  for (int k = 0; (name = cardan__collector_source(c, k)) != NULL; k++) {
    only_t_q = only_t_q && (strcmp(name, "t") == 0 || strncmp(name, "q.", 2) == 0);
  }
  return only_t_q;
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
  w->first_case = true;
  w->only_t_q = follows_only_t_q(sweep->collector);
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

/* What has to be created again for the values of this case. */
static cardan__anew find_change(const cardan__worker *w)
{
  cardan__anew anew = w->first_case ? CARDAN__ANEW_TEXT : CARDAN__ANEW_START;
  for (int k = 0; k < cardan__plan_nvaried(w->sweep->plan); k++) {
    const double x = w->value[k], y = w->before[k];
    const bool differs = x != y || signbit(x) != signbit(y);
    anew = differs && w->sweep->slot[k].anew < anew ? w->sweep->slot[k].anew : anew;
  }
  return anew;
}

/* Reads the sweep's text with the values of this case. */
static cardan_status read_setup(cardan__worker *w, cardan_report *report)
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
    cardan__report_file(report, "the plan"); // not its file's name, which rows do not contain
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
  w->setup = &w->own;
  return CARDAN_OK;
}

/* Copies the setup's model, and sets the parameters of the case and the start that its options
 * select. */
static cardan_status copy_model(cardan__worker *w, cardan_report *report)
{
  const cardan_model *m = w->setup->model;
  const cardan_allocator *alloc = &w->alloc;
  bool tuned = false;
  if (cardan__grow(alloc, (void **)&w->param, &w->param_room, m->nparameter + 1,
                   sizeof *w->param) != CARDAN_OK ||
      cardan_model_copy(m, alloc, &w->copy) != CARDAN_OK) {
    return cardan__no_memory(report);
  }
  memcpy(w->param, m->parameter_value, (size_t)m->nparameter * sizeof *w->param);
  for (int k = 0; k < cardan__plan_nvaried(w->sweep->plan); k++) {
    const int i = w->setup->parameter[k];
    if (i >= 0) {
      w->param[i] = w->value[k];
      tuned = true;
    }
  }
  cardan_status status = tuned ? cardan__model_set_all(w->copy, w->param, report) : CARDAN_OK;
  status = status ? status : cardan_options_prepare(&w->options, w->copy, report);
  if (status != CARDAN_OK) {
    destroy_from(w, CARDAN__ANEW_MODEL);
  }
  return status;
}

static cardan_status make_sim(cardan__worker *w, cardan_report *report)
{
  const cardan_allocator *alloc = &w->alloc;
  cardan_status status = cardan__case_options(w->sweep, w->setup, w->value, &w->options, report);
  if (status == CARDAN_OK && w->sweep->copies && w->copy == NULL) {
    status = copy_model(w, report);
  }
  const cardan_model *model = w->copy != NULL ? w->copy : w->setup->model;
  status = status ? status : cardan_model_dynamic(model, report);
  status = status ? status : cardan_sim_create(model, &w->options, alloc, &w->sim, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_sim_signals(w->sim, w->setup->signals);
  const int n = cardan_sim_columns(w->sim, w->sweep->add);
  return cardan__grow(alloc, (void **)&w->row, &w->row_room, n, sizeof *w->row) == CARDAN_OK
             ? CARDAN_OK
             : cardan__no_memory(report);
}

void cardan__case_start(const cardan_sweep *sweep, const cardan__worker_setup *setup,
                        const double *value, double *q, double *v, double *u)
{
  double *const to[] = {NULL, q, v, u}; // by cardan_place.kind
  for (int k = 0; k < sweep->ninitial; k++) {
    const cardan_place place = setup->place[k];
    to[place.kind][place.index] = sweep->initial[k].value;
  }
  for (int k = 0; k < cardan__plan_nvaried(sweep->plan); k++) {
    if (sweep->slot[k].anew == CARDAN__ANEW_START) {
      const cardan_place place = setup->place[sweep->slot[k].at];
      to[place.kind][place.index] = value[k];
    }
  }
}

/* Sets the start values and inputs of the case in the sim's data. */
static cardan_status set_start(cardan__worker *w, cardan_report *report)
{
  cardan_data *data = cardan__sim_node(w->sim);
  cardan__case_start(w->sweep, w->setup, w->value, data->q, data->v, data->u);
  for (int k = 0; k < w->sweep->ninitial; k++) {
    const cardan_place place = w->setup->place[k];
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

/* Makes the worker's sim one for this case, at the model's start. */
static cardan_status prepare_sim(cardan__worker *w, int64_t number, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  cardan__plan_values(w->sweep->plan, number, w->value);
  destroy_from(w, find_change(w));
  w->first_case = false;
  memcpy(w->before, w->value, (size_t)cardan__plan_nvaried(w->sweep->plan) * sizeof *w->value);
  if (w->setup == NULL) {
    status = read_setup(w, report);
  }
  if (status == CARDAN_OK && w->sim != NULL) {
    cardan__sim_reset(w->sim);
  } else if (status == CARDAN_OK) {
    status = make_sim(w, report);
  }
  return status;
}

/* ---- a run ---- */

/* The limit of n cases that begin now. */
static cardan__limit make_limit(int n, double seconds, const atomic_int *stop)
{
  return (cardan__limit){seconds, seconds > 0 ? cardan__seconds() + n * seconds : HUGE_VAL, stop};
}

/* Decides how often there are rows and observations. If nothing that needs an observed node is
 * collected, every tenth node of a long run is checked, as by `cardan run` without a table. */
static schedule make_schedule(const cardan__worker *w, double seconds, const atomic_int *stop)
{
  const cardan_options *o = &w->options;
  const bool rows = cardan__collector_rows(w->collector);
  const bool observes = cardan__collector_looks(w->collector) || (rows && !w->only_t_q);
  const bool rarely = !observes && o->every == 1 && o->time >= 1000 * o->dt;
  return (schedule){.steps = cardan__case_steps(o),
                    .rows = rows ? o->every : 0,
                    .observations = rarely ? 10 : o->every,
                    .limit = make_limit(1, seconds, stop)};
}

/* Reads the columns that are followed, at the node, to the worker's x. */
static cardan_status read_node(cardan__worker *w)
{
  cardan_sim *sim = w->sim;
  const int *column = w->setup->column, n = cardan__collector_sources(w->collector);
  const cardan_status status = w->only_t_q ? CARDAN_OK : cardan_sim_row(sim, w->sweep->add, w->row);
  for (int k = 0; k < n && status == CARDAN_OK; k++) {
    w->x[k] = !w->only_t_q     ? w->row[column[k]]
              : column[k] == 0 ? cardan__sim_node(sim)->t // the first column, and then q
                               : cardan__sim_node(sim)->q[column[k] - 1];
  }
  return status;
}

/* Records the node after step k: its row, or an observation if one is due. */
static cardan_status record_node(cardan__worker *w, const schedule *c, int64_t k,
                                 cardan_report *report)
{
  const bool row = c->rows > 0 && k % c->rows == 0;
  const bool due = k % c->observations == 0 || (c->observations > 10 && k % 10 == 0);
  if (due && !(row && !w->only_t_q)) {
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

/* Adds the row of the last good node, unless it has one. Returns whether it has one now. */
static bool add_last_row(cardan__worker *w, const schedule *c, int64_t k)
{
  if (c->rows > 0 && k % c->rows == 0) {
    return true;
  }
  const bool done = read_node(w) == CARDAN_OK;
  if (done) {
    cardan__collector_row(w->collector, cardan__sim_node(w->sim)->t, w->x);
  }
  return done;
}

/* Makes all steps of a sim that has started, as cardan_run does. value: out, what the plan collects
 * */
static cardan_status run_steps(cardan__worker *w, const schedule *c, double *value,
                               cardan_report *report)
{
  cardan_sim *sim = w->sim;
  int64_t k = 0;
  bool has_last_row = true;
  cardan_status stepped = CARDAN_OK, status = record_node(w, c, 0, report);
  if (status == CARDAN_OK && c->rows == 0) {
    has_last_row = add_last_row(w, c, 0);
  }
  while (status == CARDAN_OK && stepped == CARDAN_OK && k < c->steps) {
    stepped = cardan_sim_step(sim, report);
    if (stepped == CARDAN_OK) {
      status = record_node(w, c, ++k, report);
      const bool check_clock = k % STEPS_PER_CLOCK == 0 || (k & (k - 1)) == 0;
      if (status == CARDAN_OK && (check_clock || is_stopped(c->limit.stop))) {
        status = cardan__limit_check(&c->limit, report);
      }
    }
  }
  const bool good = status == CARDAN_OK; // the node is good: only the step after it may have failed
  (void)!cardan_sim_observe(sim);
  if (good && stepped == CARDAN_OK) {
    status = cardan__watch_heed(sim, report);
    status = status ? status : cardan__watch_end(sim, report);
  }
  has_last_row = good && (k > 0 || c->rows > 0 ? add_last_row(w, c, k) : has_last_row);
  const cardan_stats stats = cardan_sim_stats(sim);
  cardan__collector_end(w->collector, &stats, cardan__sim_node(sim)->t, has_last_row, value);
  return stepped != CARDAN_OK ? stepped : status;
}

/* ---- cases ---- */

/* Sets the status and the message of a case: its warning, or its failure with the position in the
 * text if there is one. */
static void set_outcome(const cardan__worker *w, cardan_status status, const cardan_report *report,
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

/* Prepares and starts the sim of a case. */
static cardan_status begin_case(cardan__worker *w, int64_t number, cardan_report *report)
{
  cardan__report_file(report, w->sweep->base.model);
  cardan_status status = prepare_sim(w, number, report);
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
    const schedule c = make_schedule(w, seconds, stop);
    status = run_steps(w, &c, out->value, &why);
  } else {
    cardan__collector_end(w->collector, NULL, 0, false, out->value);
  }
  const bool by_caller = status == CARDAN_ERR_STOPPED && is_stopped(stop);
  if (status == CARDAN_ERR_MEMORY || by_caller) {
    destroy_from(w, CARDAN__ANEW_SIM);
    return cardan_fail(report, status, (cardan_pos){0, 0}, "%s", cardan_status_text(status));
  }
  for (int i = 0; i < n && status == CARDAN_ERR_STOPPED; i++) {
    out->value[i] = (double)NAN; // the time that it reached depends on the machine
  }
  set_outcome(w, status, &why, out);
  if (status != CARDAN_OK) {
    destroy_from(w, CARDAN__ANEW_SIM);
  }
  return CARDAN_OK;
}

/* Decides whether cases run in lanes. If they can, all of them do, whichever comes first, since the
 * last bits of a result depend on it. If the sim of one case cannot be created, none can. */
static cardan_status decide_lanes(cardan__worker *w, int64_t number, cardan_report *report)
{
  cardan_report why = {.message = ""};
  if (w->lanes_decided) {
    return CARDAN_OK;
  }
  cardan_status status =
      cardan__case_lanes_takes(w->sweep) ? prepare_sim(w, number, &why) : CARDAN_OK;
  if (status == CARDAN_OK && w->sim != NULL) {
    status =
        cardan__case_lanes_create(w->sweep, w->setup, w->sim, w->collector, &w->alloc, &w->lanes);
  }
  w->lanes_decided = status != CARDAN_ERR_MEMORY;
  return w->lanes_decided ? CARDAN_OK : cardan__no_memory(report);
}

int cardan__worker_grain(const cardan__worker *w)
{
  const bool possible = !w->lanes_decided && cardan__case_lanes_takes(w->sweep);
  return w->lanes != NULL ? cardan__case_lanes_width(w->lanes)
         : possible       ? cardan__lanes_kernels_at(0)->width
                          : 1;
}

/* Runs cases first .. first + n - 1, at most as many as there are lanes. */
static cardan_status run_in_lanes(cardan__worker *w, int64_t first, int n, double seconds,
                                  const atomic_int *stop, cardan__case *out, cardan_report *report)
{
  const cardan__limit limit = make_limit(n, seconds, stop);
  unsigned alone = 0; // bits of the cases that have to run by themselves
  // decide_lanes created such a sim, so only memory can be missing
  cardan_status status = w->sim == NULL ? make_sim(w, NULL) : CARDAN_OK;
  status =
      status ? status : cardan__case_lanes_run(w->lanes, w->sim, first, n, &limit, out, &alone);
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
  cardan_status status = decide_lanes(w, first, report);
  const int width = cardan__worker_grain(w);
  for (int i = 0; i < n && status == CARDAN_OK; i += width) {
    const int count = n - i < width ? n - i : width;
    status = w->lanes != NULL ? run_in_lanes(w, first + i, count, seconds, stop, &out[i], report)
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
    destroy_from(w, CARDAN__ANEW_SIM);
    return cardan_fail(report, status, (cardan_pos){0, 0}, "%s", why.message);
  }
  set_outcome(w, status, &why, out);
  if (status != CARDAN_OK) {
    destroy_from(w, CARDAN__ANEW_SIM);
  }
  return CARDAN_OK;
}
