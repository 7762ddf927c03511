// SPDX-License-Identifier: Apache-2.0
#include "cardan/run.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "run/sim.h"

/* A row is computed with the columns of all sinks together. A sink that wants fewer gets them
 * picked out into `part`, group by group. */

/* Which nodes are checked where rows are further apart. A check costs as much as a step. Every
 * EARLY-th of the first MANY steps is checked, and every LATE-th from then on, and in between each
 * node whose step went FASTER times further than any before it, and each one while the energy
 * balance is off: a motion that blows up moves faster and faster, and it takes two steps to
 * tell. */
enum { EARLY = 10, MANY = 1000, LATE = 100, FASTER = 2 };

typedef struct {
  cardan_sim *sim;
  const cardan_sink *sink;
  int nsink;
  int add;            // of all sinks
  double *row, *part; // columns of all; of one sink. NULL: no sink takes rows
  double *q;          // of the node before; NULL: rows are not far apart
} run_pipe;

/* Is the call one that can be answered? */
static cardan_status check_call(const run_pipe *p, int64_t steps, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  const int known = CARDAN_ADD_ALL;
  if (!p->sim->started) {
    return cardan__sim_not_started(report);
  }
  if (steps < 0 || p->nsink < 0) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "%lld steps and %d sinks, expected at least 0 of each", (long long)steps,
                       p->nsink);
  }
  for (int i = 0; i < p->nsink; i++) {
    const cardan_sink *sink = &p->sink[i];
    if (sink->every < 0) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                         "sink %d has a row every %d steps, expected at least 0", i, sink->every);
    }
    if ((sink->add & ~known) != 0) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                         "sink %d adds columns %#x, expected those of CARDAN_ADD_..", i,
                         (unsigned)sink->add);
    }
  }
  return CARDAN_OK;
}

static cardan_status open_pipe(run_pipe *p, cardan_report *report)
{
  bool rows = false;
  for (int i = 0; i < p->nsink; i++) {
    rows = rows || p->sink[i].row != NULL;
    p->add |= p->sink[i].row != NULL ? p->sink[i].add : 0;
  }
  const size_t coordinates = (size_t)p->sim->model->nq * sizeof *p->q;
  if (p->sim->options.every > EARLY && coordinates > 0) {
    p->q = cardan__resize(&p->sim->allocator, NULL, coordinates);
    if (p->q == NULL) {
      return cardan__no_memory(report);
    }
    memcpy(p->q, p->sim->data->q, coordinates);
  }
  if (!rows) {
    return CARDAN_OK;
  }
  const size_t n = (size_t)cardan_sim_columns(p->sim, p->add);
  p->row = cardan__resize(&p->sim->allocator, NULL, 2 * n * sizeof *p->row);
  if (p->row == NULL) {
    return cardan__no_memory(report);
  }
  p->part = p->row + n;
  return CARDAN_OK;
}

/* Does the sink take the row after step k of the sim? */
static bool takes_row(const run_pipe *p, const cardan_sink *sink, int64_t k)
{
  return sink->row != NULL && k % (sink->every > 0 ? sink->every : p->sim->options.every) == 0;
}

/* Passes the node and its row, with the columns of the sink, to a sink. */
static cardan_status give_row(run_pipe *p, const cardan_sink *sink, cardan_report *report)
{
  const cardan_status status =
      sink->node != NULL ? sink->node(sink->user, p->sim, report) : CARDAN_OK;
  const double *row = p->row;
  if (sink->add != p->add) {
    cardan__row_part(p->sim, p->add, p->row, sink->add, p->part);
    row = p->part;
  }
  return status == CARDAN_OK ? sink->row(sink->user, row, report) : status;
}

/* Did a coordinate move FASTER times further in this step than any did in one before? */
static bool has_sped_up(run_pipe *p)
{
  const int n = p->sim->model->nq;
  const double *q = p->sim->data->q;
  double *most = &p->sim->watch.step_max;
  const double limit = FASTER * *most;
  int64_t further = 0; // as wide as a number, and to the end: for vector registers
  for (int i = 0; i < n; i++) {
    further |= !(fabs(q[i] - p->q[i]) <= limit) ? 1 : 0;
  }
  for (int i = 0; i < n && further; i++) {
    *most = fmax(*most, fabs(q[i] - p->q[i]));
  }
  memcpy(p->q, q, (size_t)n * sizeof *q);
  return further != 0;
}

/* Is the node after step k of the sim checked, where it has no row? */
static bool is_checked(run_pipe *p, int64_t k)
{
  const bool spaced = p->q != NULL && k > 0;
  const bool sped_up = spaced && has_sped_up(p);
  return k % p->sim->options.every == 0 ||
         (spaced && (sped_up || p->sim->watch.far || k % (k <= MANY ? EARLY : LATE) == 0));
}

/* The node's row to all sinks that take it, after step k of the sim. */
static cardan_status pass_row(run_pipe *p, int64_t k, cardan_run_state *at, cardan_report *report)
{
  const bool checked = is_checked(p, k);
  bool wanted = false;
  for (int i = 0; i < p->nsink; i++) {
    wanted = wanted || takes_row(p, &p->sink[i], k);
  }
  if (!wanted) {
    if (checked) { // drift and constraint error count; a node without velocities has none
      (void)!cardan__sim_settle(p->sim);
    }
    return at->row = cardan__watch_heed(p->sim, report);
  }
  at->row = cardan_sim_row(p->sim, p->add, p->row);
  if (at->row != CARDAN_OK) {
    return cardan_fail(report, at->row, (cardan_pos){0, 0}, "at t = %g, for its row: %s",
                       p->sim->data->t, cardan_status_text(at->row));
  }
  cardan_status status = at->row = cardan__watch_heed(p->sim, report);
  for (int i = 0; i < p->nsink && status == CARDAN_OK; i++) {
    const cardan_sink *sink = &p->sink[i];
    if (takes_row(p, sink, k)) {
      status = give_row(p, sink, report);
    }
  }
  return status;
}

static cardan_status pass_step(const run_pipe *p, const cardan_run_state *at, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < p->nsink && status == CARDAN_OK; i++) {
    if (p->sink[i].step != NULL) {
      status = p->sink[i].step(p->sink[i].user, p->sim, at, report);
    }
  }
  return status;
}

/* One step, its row, and the sinks; a failure of the sim is reported before theirs. */
static cardan_status advance(run_pipe *p, cardan_run_state *at, cardan_report *report)
{
  cardan_report other = {.message = ""};
  at->t = p->sim->data->t;
  const double before = cardan__seconds();
  at->status = cardan_sim_step(p->sim, report);
  at->now = cardan__seconds();
  at->seconds += at->now - before;
  cardan_status status = at->status;
  if (status == CARDAN_OK) {
    at->step++;
    status = pass_row(p, p->sim->stats.steps, at, report);
  }
  const bool failed = status != CARDAN_OK;
  const cardan_status seen = pass_step(p, at, failed ? &other : report);
  return failed ? status : seen;
}

cardan_status cardan__run_steps(cardan_sim *sim, int64_t steps, const cardan_sink *sinks, int nsink,
                                cardan_run_state *at, cardan_report *report)
{
  run_pipe p = {.sim = sim, .sink = sinks, .nsink = nsink};
  *at = (cardan_run_state){.steps = steps, .t = sim->data->t};
  cardan_status status = check_call(&p, steps, report);
  if (status == CARDAN_OK) {
    status = open_pipe(&p, report);
  }
  if (status == CARDAN_OK && sim->stats.steps == 0) {
    status = pass_row(&p, 0, at, report);
  }
  while (at->step < steps && status == CARDAN_OK) {
    status = advance(&p, at, report);
  }
  at->row = status == CARDAN_ERR_BLEW_UP ? status : at->row; // a step from a node that was far off
  cardan__resize(&sim->allocator, p.row, 0);
  cardan__resize(&sim->allocator, p.q, 0);
  return status;
}

cardan_status cardan_run(cardan_sim *sim, int64_t steps, const cardan_sink *sinks, int nsink,
                         cardan_run_state *end, cardan_report *report)
{
  cardan_run_state at;
  cardan_status status = cardan__run_steps(sim, steps, sinks, nsink, &at, report);
  if (sim->started) {
    (void)!cardan__sim_settle(sim); // the last node counts, with a row or without
  }
  if (status == CARDAN_OK) {
    status = at.row = cardan__watch_heed(sim, report);
  }
  if (status == CARDAN_OK) {
    status = at.row = cardan__watch_end(sim, report);
  }
  if (end != NULL) {
    *end = at;
  }
  return status;
}
