// SPDX-License-Identifier: Apache-2.0
#include "cardan/rollout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/threads.h"
#include "batch/group.h"
#include "batch/scalar_copy.h"
#include "dynamics/set_parameters.h"
#include "linalg/linalg.h"
#include "run/sim_access.h"

/* Copies are taken from a counter that all threads share, by whoever is free: one by one, or as
 * many at once as there are lanes in a vector register (group.h). A copy reads and writes its own
 * part of the arrays, and starts from nothing that the one before it left: which thread takes it,
 * and which lane, does not matter. A thread keeps its sim from copy to copy, but not after a
 * failure, and not where each copy has a model of its own. */

/* A thread's own. */
typedef struct {
  const cardan__batch *of;
  cardan_model *model;  // of one copy, with its parameters; NULL: the shared one
  cardan_sim *sim;      // NULL: to be made
  cardan__group *group; // NULL: to be made, or copies go one by one
  int failed, first;    // how many copies did, and which was the first
  cardan_status status; // its end, and the sentence for it
  cardan_report report;
} worker;

typedef struct {
  cardan__batch *of;
  worker *worker;
} crew;

static void free_worker(worker *w)
{
  cardan_sim_destroy(w->sim);
  cardan_model_destroy(w->model);
  w->sim = NULL;
  w->model = NULL;
}

/* Creates the worker's own model, with the parameters of a copy. */
static cardan_status create_tuned_model(worker *w, const double *param, cardan_report *report)
{
  const cardan_status status = cardan_model_copy(w->of->model, NULL, &w->model);
  return status == CARDAN_OK ? cardan__model_set_all(w->model, param, report)
                             : cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
}

/* The worker's sim, new or at the model's start again. */
static cardan_status ready_sim(worker *w, int i, cardan_report *report)
{
  const cardan__batch *b = w->of;
  cardan_status status = CARDAN_OK;
  if (b->param != NULL) {
    free_worker(w);
    status = create_tuned_model(w, b->param + (size_t)i * (size_t)b->model->nparameter, report);
  }
  if (status == CARDAN_OK && w->sim == NULL) {
    const cardan_model *model = w->model != NULL ? w->model : b->model;
    return cardan_sim_create(model, &b->options, NULL, &w->sim, report);
  }
  if (status == CARDAN_OK) {
    cardan__sim_reset(w->sim);
  }
  return status;
}

static cardan_status start(worker *w, int i, cardan_report *report)
{
  const cardan__batch *b = w->of;
  const cardan_status status = ready_sim(w, i, report);
  if (status != CARDAN_OK) {
    return status;
  }
  return cardan__scalar_copy_start(b, w->sim, i, report);
}

static void fill_nan(const cardan__batch *b, double *rows, int i, int64_t r, int n)
{
  double *end = cardan__batch_row(b, rows, i + 1, 0, n);
  for (double *x = cardan__batch_row(b, rows, i, r, n); x != end; x++) {
    *x = NAN;
  }
}

/* Runs one copy from its start to its end, or to the first failure. */
static cardan_status run_copy(worker *w, int i, cardan_report *report)
{
  const cardan__batch *b = w->of;
  const cardan_model *m = b->model;
  int64_t rows = 0; // that are there
  cardan_status status = start(w, i, report);
  for (int64_t k = 0; status == CARDAN_OK && k <= b->nstep; k++) {
    status = k > 0 ? cardan_sim_step(w->sim, report) : CARDAN_OK;
    status = status == CARDAN_OK ? cardan__scalar_copy_end_step(b, w->sim, i, k, report) : status;
    rows += status == CARDAN_OK && k % b->options.every == 0;
  }
  fill_nan(b, b->q, i, rows, m->nq);
  fill_nan(b, b->v, i, rows, m->nv);
  fill_nan(b, b->y, i, rows, m->ny);
  return status == CARDAN_OK ? cardan__watch_end(w->sim, report) : status;
}

void cardan__batch_note(cardan_rollout_end *end, const char *note, const char *watch)
{
  const char *between = note[0] && watch[0] ? "; " : "";
  const size_t length = strlen(note), room = sizeof end->note - sizeof "; " - strlen(watch);
  const size_t shown = length <= room ? length : cardan__utf8_cut(note, room);
  snprintf(end->note, sizeof end->note, "%.*s%s%s", (int)shown, note, between, watch);
}

/* What became of copy i, which the worker has just run: to whoever asks. */
static void note_end(worker *w, int i, cardan_status status, const cardan_report *report)
{
  const cardan__batch *b = w->of;
  if (b->status != NULL) {
    b->status[i] = status;
  }
  if (b->end != NULL) {
    cardan_rollout_end *end = &b->end[i];
    end->status = status;
    snprintf(end->message, sizeof end->message, "%s", report->message);
    if (w->sim != NULL) {
      cardan__batch_note(end, cardan_sim_note(w->sim), cardan_sim_warning(w->sim));
      if (cardan__sim_started(w->sim)) {
        end->drift = cardan__sim_counts(w->sim)->drift_max;
        end->error = cardan__sim_error(w->sim);
      }
    }
  }
}

/* One copy by itself, and what became of it. */
static void run_one(worker *w, int i)
{
  cardan_report report = {.message = ""};
  const cardan_status status = run_copy(w, i, &report);
  note_end(w, i, status, &report);
  if (status != CARDAN_OK) {
    free_worker(w);
    if (w->failed++ == 0) {
      w->first = i;
      w->status = status;
      w->report = report;
    }
  }
}

/* Copies first .. first + n - 1 in lanes; those that get into trouble there, or all where there is
 * no memory for it, one by one. */
static void run_group(worker *w, int first, int n)
{
  const cardan__batch *b = w->of;
  unsigned left = (1U << n) - 1;
  if (w->sim == NULL && cardan_sim_create(b->model, &b->options, NULL, &w->sim, NULL)) {
    w->sim = NULL;
  }
  w->group = w->group != NULL ? w->group : cardan__group_create(b);
  if (w->group != NULL && w->sim != NULL) {
    left = cardan__group_run(w->group, b, w->sim, first, n);
  }
  for (int l = 0; l < n; l++) {
    if (left >> l & 1) {
      run_one(w, first + l);
    } else if (b->status != NULL) {
      b->status[first + l] = CARDAN_OK;
    }
  }
}

/* Runs copies until none is left. */
static void run_worker(void *user, int k)
{
  const crew *c = user;
  worker *w = &c->worker[k];
  const int grain = c->of->stepper != NULL ? c->of->kernels->width : 1;
  for (int64_t i; (i = atomic_fetch_add(&c->of->next, grain)) < c->of->nbatch;) {
    const int64_t n = c->of->nbatch - i;
    if (c->of->stepper != NULL) {
      run_group(w, (int)i, n < grain ? (int)n : grain);
    } else {
      run_one(w, (int)i);
    }
  }
}

/* Numbers of one argument, nbatch x n x width, that are to be finite. */
static cardan_status check_finite(const char *name, const double *x, int nbatch, int64_t n,
                                  int width, cardan_report *report)
{
  const size_t each = (size_t)n * (size_t)width;
  for (size_t i = 0; x != NULL && i < (size_t)nbatch * each; i++) {
    if (!isfinite(x[i])) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "number %zu of %s of copy %zu is %g, expected a finite one", i % each,
                         name, i / each, x[i]);
    }
  }
  return CARDAN_OK;
}

/* Parameters that no cardan_model_set takes may have no other values; derived ones are not read. */
static cardan_status check_parameters(const cardan__batch *b, cardan_report *report)
{
  const cardan_model *m = b->model;
  for (int i = 0; b->param != NULL && i < b->nbatch; i++) {
    const double *param = b->param + (size_t)i * (size_t)m->nparameter;
    for (int k = 0; k < m->nparameter; k++) {
      const cardan_parameter *p = &m->parameter[k];
      if (p->derived) {
        continue;
      }
      if (!isfinite(param[k])) {
        return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                           "parameter \"%.60s\" of copy %d is %g, expected a finite number",
                           p->name, i, param[k]);
      }
      if (p->rigid_pos.line > 0 && param[k] != m->parameter_value[k]) {
        return cardan_fail(report, CARDAN_ERR_ARGUMENT, p->rigid_pos,
                           "parameter \"%.60s\" of copy %d is %g, expected the model's %g: it "
                           "is used where only reading the text again can change it",
                           p->name, i, param[k], m->parameter_value[k]);
      }
    }
  }
  return CARDAN_OK;
}

static cardan_status check_call(const cardan__batch *b, int nthread, cardan_report *report)
{
  const cardan_model *m = b->model;
  if (nthread < 0 || b->nbatch < 0 || b->nstep < 0) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%d threads, %d copies and %lld steps, expected at least 0 of each", nthread,
                       b->nbatch, (long long)b->nstep);
  }
  cardan_status status = cardan_options_check(&b->options, report);
  status = status ? status : check_finite("q0", b->q0, b->nbatch, 1, m->nq, report);
  status = status ? status : check_finite("v0", b->v0, b->nbatch, 1, m->nv, report);
  status = status ? status : check_finite("u", b->u, b->nbatch, b->nstep, m->ninput, report);
  return status ? status : check_parameters(b, report);
}

/* The model at the start that options name: itself, or a copy, which is *own too. */
static cardan_status find_start(cardan__batch *b, cardan_model **own, cardan_report *report)
{
  const char *word = b->options.keyframe;
  const int start = b->model->start;
  if (word[0] == '\0' || (start >= 0 && strcmp(word, b->model->keyframe[start].name) == 0)) {
    return CARDAN_OK;
  }
  const cardan_status status = cardan_model_copy(b->model, NULL, own);
  if (status != CARDAN_OK) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
  }
  b->model = *own;
  return cardan_model_set_start(*own, word, report);
}

/* Collects the status of all workers' copies. */
static cardan_status collect_status(const worker *workers, int n, int nbatch, cardan_report *report)
{
  const worker *first = NULL;
  int failed = 0;
  for (int k = 0; k < n; k++) {
    const worker *w = &workers[k];
    failed += w->failed;
    first = w->failed > 0 && (first == NULL || w->first < first->first) ? w : first;
  }
  if (first == NULL) {
    return CARDAN_OK;
  }
  const char *text = first->report.message;
  const size_t room = sizeof first->report.message - 80; // for what stands around it
  const size_t length = strlen(text);
  const size_t shown = length <= room ? length : cardan__utf8_cut(text, room);
  return cardan_fail(report, first->status, first->report.pos, "copy %d: %.*s (%d of %d failed)",
                     first->first, (int)shown, text, failed, nbatch);
}

/* Lanes, where the sim and its model can go there: the widest that leave no thread without work.
 * Which width it is shows nowhere else. */
static void find_lanes(cardan__batch *b, const cardan_sim *sim, int nthread)
{
  const cardan__lanes_kernels *k = cardan__lanes_kernels_at(0), *less;
  for (int i = 1; (less = cardan__lanes_kernels_at(i)) != NULL; i++) {
    if (less->width > 1 && b->nbatch <= k->width * (nthread - 1)) {
      k = less;
    }
  }
  b->kernels = k;
  if (cardan__group_takes(sim, k, &b->stepper) == NULL) {
    b->flat = cardan__group_model(sim);
    b->stepper = b->flat != NULL ? b->stepper : NULL;
  }
}

/* All copies, on n threads. */
static cardan_status run_all(cardan__batch *b, int n, cardan_report *report)
{
  worker *workers = cardan__resize(NULL, NULL, (size_t)n * sizeof *workers);
  if (workers == NULL) {
    return cardan__no_memory(report);
  }
  for (int k = 0; k < n; k++) {
    workers[k] = (worker){.of = b};
  }
  cardan_status status = CARDAN_OK;
  if (b->param == NULL) { // what all copies would fail by
    status = cardan_sim_create(b->model, &b->options, NULL, &workers[0].sim, report);
  }
  if (status == CARDAN_OK) {
    if (b->param == NULL) {
      find_lanes(b, workers[0].sim, n);
    }
    cardan__on_threads(n, run_worker, &(crew){b, workers});
    status = collect_status(workers, n, b->nbatch, report);
  }
  for (int k = 0; k < n; k++) {
    free_worker(&workers[k]);
    cardan__group_destroy(workers[k].group);
  }
  cardan__lanes_model_destroy(b->flat);
  cardan__resize(NULL, workers, 0);
  return status;
}

/* The call, as far as it is in b. */
static cardan_status run_batch(cardan__batch *b, int nthread, cardan_report *report)
{
  cardan_model *own = NULL;
  cardan_status result = check_call(b, nthread, report);
  if (result != CARDAN_OK) {
    return result;
  }
  b->nrow = b->nstep / b->options.every + 1;
  b->param = b->model->nparameter > 0 ? b->param : NULL;
  cardan__blas_hold();
  result = find_start(b, &own, report);
  if (result == CARDAN_OK && b->nbatch > 0) {
    int n = cardan__jobs(nthread);
    n = n < b->nbatch ? n : b->nbatch;
    result = run_all(b, n < CARDAN__MAX_THREADS ? n : CARDAN__MAX_THREADS, report);
  }
  cardan_model_destroy(own);
  cardan__blas_release();
  return result;
}

cardan_status cardan_rollout(const cardan_rollout_args *args, cardan_report *report)
{
  cardan__batch b = {.model = args->model,
                     .options = *args->options,
                     .nbatch = args->nbatch,
                     .nstep = args->nstep};
  b.q0 = args->q0, b.v0 = args->v0, b.u = args->u, b.param = args->param;
  b.q = args->q, b.v = args->v, b.y = args->y, b.status = args->status;
  b.end = args->end, b.watched = args->end != NULL;
  for (int i = 0; i < args->nbatch && args->end != NULL; i++) {
    args->end[i] = (cardan_rollout_end){.status = CARDAN_OK,
                                        .drift = (double)NAN,
                                        .error = {.coordinate = -1, .value = (double)NAN}};
  }
  return run_batch(&b, args->nthread, report);
}
