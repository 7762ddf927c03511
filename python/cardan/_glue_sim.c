// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // sigaction
#include "_glue_sim.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const double cardan_py_piece = 0.05;

double cardan_py_now(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Another value in every thread. */
static const void *this_thread(void)
{
  static _Thread_local char here;
  return &here;
}

/* Ctrl-C inside a step. Python's own handler only notes the signal, for when C is left; after it
 * was called, ours ends the step that its thread is in: once `heard` is set, Python knows of the
 * signal. A handler is given no pointer, so this belongs to no simulation. */
static volatile int heard;       // one that a handler can write at once
static const void *hearer;       // the thread in which Python handles signals
static struct sigaction pythons; // its handler

static void hear(int number)
{
  pythons.sa_handler(number);
  __atomic_store_n(&heard, 1, __ATOMIC_SEQ_CST);
}

void cardan_py_hear(void)
{
  struct sigaction now;
  if (sigaction(SIGINT, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) ||
      now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN || now.sa_handler == hear) {
    return;
  }
  pythons = now;
  now.sa_handler = hear;
  hearer = this_thread();
  sigaction(SIGINT, &now, NULL);
}

static bool is_forcing(const cardan_py_sim *s)
{
  return __atomic_load_n(&s->forcing, __ATOMIC_RELAXED) != 0;
}

int cardan_py_take(cardan_py_sim *s)
{
  if (is_forcing(s)) {
    return CARDAN_PY_BUSY;
  }
  const bool is_free = __atomic_exchange_n(&s->busy, 1, __ATOMIC_ACQUIRE) == 0;
  if (!is_free &&
      (__atomic_load_n(&s->owner, __ATOMIC_RELAXED) != this_thread() || s->answering > 0)) {
    return CARDAN_PY_BUSY;
  }
  __atomic_store_n(&s->owner, this_thread(), __ATOMIC_RELAXED);
  return 0;
}

void cardan_py_give(cardan_py_sim *s)
{
  // or its last owner would take it for its own just after another thread has it
  __atomic_store_n(&s->owner, NULL, __ATOMIC_RELAXED);
  __atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
}

/* Gives the sim back after a call that ended with status; what a hook raised comes before it. */
static int finish(cardan_py_sim *s, cardan_status status)
{
  const int out = (int)(s->raised ? CARDAN_ERR_STOPPED : status);
  cardan_py_give(s);
  return out;
}

/* Calls Python's observer, which also handles a pending signal. */
static cardan_status look_up(cardan_py_sim *s, double fraction)
{
  s->answering++;
  s->raised = s->raised || s->on.look(s->handle, fraction) != 0;
  s->answering--;
  return s->raised ? CARDAN_ERR_STOPPED : CARDAN_OK;
}

/* Later steps end soon after a signal, in the thread that handles it; others leave `heard` alone.
 * One that has come already may be new, since C was entered, or old, and handled: Python knows.
 * returns CARDAN_ERR_STOPPED where its handler raised */
static cardan_status listen(cardan_py_sim *s)
{
  const bool here = hearer != NULL && hearer == this_thread();
  cardan_sim_stop(s->sim, here ? &heard : NULL);
  const bool waiting = here && __atomic_exchange_n(&heard, 0, __ATOMIC_SEQ_CST) != 0;
  return waiting ? look_up(s, 0) : CARDAN_OK;
}

/* If a signal ended the step, calls Python's handler; if that does not raise, repeats the step. */
static cardan_status tell(cardan_py_sim *s, cardan_status status, double fraction)
{
  if (status != CARDAN_ERR_STOPPED || hearer != this_thread() || s->raised ||
      __atomic_exchange_n(&heard, 0, __ATOMIC_SEQ_CST) == 0) {
    return status;
  }
  return look_up(s, fraction);
}

int cardan_py_steps(cardan_py_sim *s, int64_t n)
{
  if (n < 0) {
    return (int)cardan_fail(&s->report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                            "n is %lld, expected a number of steps, at least 0", (long long)n);
  }
  if (cardan_py_take(s) != 0) {
    return CARDAN_PY_BUSY;
  }
  double next = n > 1 ? cardan_py_now() + cardan_py_piece : 0;
  s->stopping = 0;
  cardan_status status = listen(s);
  for (int64_t k = 0; k < n && status == CARDAN_OK && !s->stopping;) {
    status = cardan_sim_step(s->sim, &s->report);
    if (status != CARDAN_OK) {
      status = tell(s, status, (double)k / (double)n);
    } else if (++k < n && cardan_py_now() > next) {
      status = look_up(s, (double)k / (double)n);
      next = cardan_py_now() + cardan_py_piece;
    }
  }
  cardan_sim_stop(s->sim, NULL);
  return finish(s, status);
}

int cardan_py_step_to(cardan_py_sim *s, double t)
{
  if (cardan_py_take(s) != 0) {
    return CARDAN_PY_BUSY;
  }
  cardan_status status = listen(s);
  bool again = status == CARDAN_OK;
  while (again) {
    status = cardan_sim_step_to(s->sim, t, &s->report);
    again = status == CARDAN_ERR_STOPPED && (status = tell(s, status, 0)) == CARDAN_OK;
  }
  cardan_sim_stop(s->sim, NULL);
  return finish(s, status);
}

/* t, q, v of the node to the mirror. */
static void follow(const cardan_py_sim *s, const cardan_data *node)
{
  cardan_data *mirror = s->mirror;
  if (mirror != NULL) {
    mirror->t = node->t;
    memcpy(mirror->q, node->q, (size_t)node->model->nq * sizeof *node->q);
    memcpy(mirror->v, node->v, (size_t)node->model->nv * sizeof *node->v);
  }
}

int cardan_py_node(cardan_py_sim *s)
{
  if (!is_forcing(s) && __atomic_load_n(&s->thread, __ATOMIC_RELAXED) == this_thread()) {
    return 0;
  }
  if (cardan_py_take(s) != 0) {
    return CARDAN_PY_BUSY;
  }
  follow(s, cardan_sim_data(s->sim));
  return finish(s, CARDAN_OK);
}

/* Before and after an answer to which the data is shown. */
static void enter(cardan_py_sim *s)
{
  s->answering++;
  __atomic_store_n(&s->thread, this_thread(), __ATOMIC_RELAXED);
}

static void leave(cardan_py_sim *s)
{
  s->answering--;
  __atomic_store_n(&s->thread, NULL, __ATOMIC_RELAXED);
}

cardan_py_table *cardan_py_table_create(int width)
{
  cardan_py_table *table = malloc(sizeof *table);
  if (table != NULL) {
    *table = (cardan_py_table){.width = width};
  }
  return table;
}

void cardan_py_table_destroy(cardan_py_table *table)
{
  if (table != NULL) {
    free(table->at);
    free(table);
  }
}

static cardan_status add_row(void *user, const double *row, cardan_report *report)
{
  cardan_py_table *table = user;
  const size_t bytes = (size_t)table->width * sizeof *row;
  if (table->n == table->room) {
    const int64_t room = table->room + table->room / 2 + 64;
    double *more = realloc(table->at, (size_t)room * bytes);
    if (more == NULL) {
      return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0},
                         "out of memory for the rows of the motion: give a larger every=");
    }
    table->at = more;
    table->room = room;
  }
  if (bytes > 0) {
    memcpy(table->at + table->n * table->width, row, bytes);
  }
  table->n++;
  return CARDAN_OK;
}

/* Is a push of the caller's own at work, which no table of inputs keeps? */
static bool is_pushed(const cardan_data *data)
{
  const double *f = (const double *)data->f_in;
  bool any = false;
  for (int k = 0; k < data->model->nv; k++) {
    any = any || data->tau_in[k] != 0;
  }
  for (int k = 0; k < 6 * data->model->nbody; k++) {
    any = any || f[k] != 0;
  }
  return any;
}

static cardan_status control(void *user, cardan_data *data, cardan_report *report)
{
  cardan_py_sim *s = user;
  follow(s, data);
  enter(s);
  s->raised = s->raised || s->on.control(s->handle) != 0;
  leave(s);
  if (s->raised) {
    return CARDAN_ERR_STOPPED;
  }
  s->pushed = s->pushed || (s->inputs != NULL && is_pushed(data));
  return s->inputs != NULL ? add_row(s->inputs, data->u, report) : CARDAN_OK;
}

static double event(void *user, int k, const cardan_data *data)
{
  cardan_py_sim *s = user;
  if (s->raised) {
    return NAN; // ends the step
  }
  follow(s, data);
  enter(s);
  const double value = s->on.event(s->handle, k);
  leave(s);
  return value;
}

static cardan_status crossing(void *user, int k, cardan_sim *sim, cardan_report *report)
{
  cardan_py_sim *s = user;
  (void)report;
  follow(s, cardan_sim_data(sim));
  enter(s);
  s->raised = s->raised || s->on.crossing(s->handle, k) != 0;
  leave(s);
  return s->raised ? CARDAN_ERR_STOPPED : CARDAN_OK;
}

cardan_hooks cardan_py_hooks(cardan_py_sim *s, bool has_control, int nevent, const int *direction)
{
  return (cardan_hooks){.user = s,
                        .control = has_control ? control : NULL,
                        .nevent = nevent,
                        .direction = direction,
                        .event = event,
                        .at_event = crossing};
}

/* The instant into Python's arrays, its answer back. A force that cannot be had is not a number,
 * which ends the step. */
static void force(void *user, const cardan_instant *at, cardan_force *f, double *tau)
{
  cardan_py_sim *s = user;
  const size_t nbody = (size_t)at->model->nbody, nv = (size_t)at->model->nv;
  if (s->handle != NULL && !s->raised) {
    s->t = at->t;
    memcpy(s->q, at->q, (size_t)at->model->nq * sizeof *s->q);
    memcpy(s->v, at->v, nv * sizeof *s->v);
    memcpy(s->u, at->u, (size_t)at->model->ninput * sizeof *s->u);
    memcpy(s->X_W, at->X_W, nbody * sizeof *s->X_W);
    memcpy(s->V, at->V, nbody * sizeof *s->V);
    memset(s->f, 0, nbody * sizeof *s->f);
    memset(s->tau, 0, nv * sizeof *s->tau);
    s->answering++;
    __atomic_store_n(&s->forcing, 1, __ATOMIC_RELAXED);
    s->raised = s->on.force(s->handle) != 0;
    __atomic_store_n(&s->forcing, 0, __ATOMIC_RELAXED);
    s->answering--;
  }
  if (s->handle == NULL || s->raised) {
    for (size_t k = 0; k < nv; k++) {
      tau[k] = NAN;
    }
    return;
  }
  memcpy(f, s->f, nbody * sizeof *f);
  memcpy(tau, s->tau, nv * sizeof *tau);
}

cardan_program cardan_py_program(cardan_py_sim *s)
{
  return (cardan_program){.user = s, .force = force};
}

void cardan_py_end_free(cardan_py_end *end)
{
  free(end->state);
  *end = (cardan_py_end){.state = NULL};
}

/* As the command's checkpoints: of a run whose state can be gone on from, after its last step. */
static cardan_status take_end(void *user, cardan_sim *sim, const cardan_run_state *at,
                              cardan_report *report)
{
  cardan_py_end *end = user;
  const bool good = at->status == CARDAN_OK && at->row == CARDAN_OK;
  if (!good || at->step < at->steps || !cardan_sim_is_bit_resumable(sim)) {
    return CARDAN_OK;
  }
  end->size = cardan_sim_snapshot_size(sim);
  end->step = at->step;
  end->state = malloc(end->size);
  return end->state != NULL ? cardan_sim_snapshot_save(sim, end->state, end->size, report)
                            : CARDAN_ERR_MEMORY;
}

cardan_sink cardan_py_end_sink(cardan_py_end *end)
{
  return (cardan_sink){.user = end, .step = take_end};
}

cardan_sink cardan_py_table_sink(cardan_py_table *table, int add)
{
  return (cardan_sink){.user = table, .add = add, .row = add_row};
}

cardan_status cardan_py_write_rows(cardan_table *table, const double *rows, int64_t n, int width,
                                   cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int64_t i = 0; i < n && status == CARDAN_OK; i++) {
    status = cardan_table_row(table, rows + i * width, report);
  }
  return status;
}

void cardan_py_film_rows(cardan_film *film, const double *rows, int64_t n, int width)
{
  for (int64_t i = 0; i < n; i++) {
    cardan_film_append(film, rows + i * width);
  }
}

static cardan_status look(void *user, cardan_sim *sim, const cardan_run_state *at,
                          cardan_report *report)
{
  cardan_py_looker *looker = user;
  cardan_py_sim *s = looker->s;
  (void)sim;
  (void)report;
  if (s->stopping || (at->now < looker->next && at->step < at->steps)) {
    return s->stopping ? CARDAN_ERR_STOPPED : CARDAN_OK;
  }
  looker->next = at->now + cardan_py_piece;
  return look_up(s, (double)at->step / (double)at->steps);
}

cardan_sink cardan_py_look_sink(cardan_py_looker *looker)
{
  return (cardan_sink){.user = looker, .step = look};
}

int cardan_py_run(cardan_py_sim *s, int64_t steps, const cardan_sink *sinks, int nsink,
                  cardan_run_state *end)
{
  if (cardan_py_take(s) != 0) {
    return CARDAN_PY_BUSY;
  }
  s->stopping = 0;
  // else a run would end without a message
  cardan_status status = s->raises ? listen(s) : CARDAN_OK;
  status = status == CARDAN_OK ? cardan_run(s->sim, steps, sinks, nsink, end, &s->report) : status;
  cardan_sim_stop(s->sim, NULL);
  return finish(s, tell(s, status, 0));
}

static cardan_status look_on(void *user, cardan_sim *sim, const cardan_run_state *at,
                             cardan_report *report)
{
  cardan_py_comparing *c = user;
  (void)sim;
  (void)report;
  if (at->now < c->next) {
    return CARDAN_OK;
  }
  c->next = at->now + cardan_py_piece;
  const double done = c->current + 1 + (double)at->step / (double)at->steps;
  return c->look(c->handle, done / (c->n + 1)) == 0 ? CARDAN_OK : CARDAN_ERR_STOPPED;
}

static cardan_status begin(void *user, int contender, cardan_sim *sim, cardan_sink *sinks,
                           int *nsink, cardan_report *report)
{
  cardan_py_comparing *c = user;
  (void)report;
  c->current = contender;
  sinks[(*nsink)++] = (cardan_sink){.user = c, .step = look_on};
  return c->begin(c->handle, contender, sim, sinks, nsink) == 0 ? CARDAN_OK : CARDAN_ERR_STOPPED;
}

static void keep_error(void *user, int contender, double t, double error)
{
  const cardan_py_comparing *c = user;
  cardan_compare_errors_put(c->errors, contender, t, error);
}

cardan_compare_hooks cardan_py_compare_hooks(cardan_py_comparing *comparing)
{
  return (cardan_compare_hooks){.user = comparing, .begin = begin, .error = keep_error};
}
