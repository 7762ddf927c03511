// SPDX-License-Identifier: Apache-2.0
#include "sweep/case_lanes.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch/group.h"
#include "cardan/kinematics.h"

/* Rows of a group are kept until its cases have come to their end, and collected then. */

/* Numbers in rows, at most: 32 MB. */
static const double most_numbers = 0x1p22;

/* Which number of a row a column is. */
typedef struct {
  char of; // 't', 'q', 'v', 'y'
  int index;
} number;

struct cardan__case_lanes {
  const cardan_sweep *sweep;
  cardan_allocator alloc;
  const cardan__worker_setup *setup;
  cardan__collector *collector;
  cardan__batch batch;
  cardan__group *group;
  number *number;      // columns that are followed
  double *x;           // their values
  double *value;       // nvaried: of a case
  double *q0, *v0, *u; // width x ..: starts and inputs
  double *q, *v, *y;   // width x nrow x ..: v and y only where they are followed
  const cardan__limit *limit;
  bool halted; // since the limit said so
};

/* ---- which cases run in lanes ---- */

static bool takes_kind(cardan__collect_kind kind)
{
  return kind <= CARDAN__COLLECT_CROSS || kind == CARDAN__COLLECT_ERROR ||
         kind == CARDAN__COLLECT_STEPS || kind == CARDAN__COLLECT_REACHED;
}

bool cardan__case_lanes_takes(const cardan_sweep *sweep)
{
  const cardan__collect *c;
  bool takes = sweep->setup.signals == NULL;
  for (int k = 0; k < cardan__plan_nvaried(sweep->plan); k++) {
    takes = takes && (sweep->slot[k].anew == CARDAN__ANEW_START || sweep->slot[k].fixed);
  }
  for (int i = 0; (c = cardan__plan_collect(sweep->plan, i)) != NULL; i++) {
    const char *s = c->source;
    takes = takes && takes_kind(c->kind);
    takes = takes && (s == NULL || strcmp(s, "t") == 0 || strncmp(s, "q.", 2) == 0 ||
                      strncmp(s, "v.", 2) == 0 || strncmp(s, "y.", 2) == 0);
  }
  return takes;
}

static number find_number(const cardan_model *m, const char *name)
{
  const char of = name[0];
  const int output = cardan_model_output(m, name);
  if (output >= 0 && strcmp(m->output[output].column, name) == 0) { // of a closing joint
    return (number){'y', output};
  }
  return (number){of, of == 'q'   ? cardan_model_q(m, name + 2)
                      : of == 'v' ? cardan_model_v(m, name + 2)
                      : of == 'y' ? cardan_model_output(m, name + 2)
                                  : 0};
}

static bool follows(const cardan__case_lanes *s, char of)
{
  bool any = false;
  for (int k = 0; k < cardan__collector_sources(s->collector); k++) {
    any = any || s->number[k].of == of;
  }
  return any;
}

/* ---- making ---- */

void cardan__case_lanes_destroy(cardan__case_lanes *s)
{
  if (s != NULL) {
    const cardan_allocator alloc = s->alloc;
    cardan__group_destroy(s->group);
    cardan__lanes_model_destroy(s->batch.flat);
    void *const parts[] = {s->number, s->x, s->value, s->q0, s->v0, s->u, s->q, s->v, s->y, s};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
      cardan__resize(&alloc, parts[i], 0);
    }
  }
}

static bool halt(void *user)
{
  cardan__case_lanes *s = user;
  s->halted = cardan__limit_check(s->limit, NULL) != CARDAN_OK;
  return s->halted;
}

/* What a group is to do; false: it cannot, since the last node has no row, or rows are too many. */
static bool plan_batch(cardan__case_lanes *s, const cardan_sim *sim)
{
  cardan__batch *b = &s->batch;
  const cardan_model *m = cardan__sim_model(sim);
  *b = (cardan__batch){.model = m,
                       .options = *cardan_sim_options(sim),
                       .nstep = cardan__case_steps(cardan_sim_options(sim)),
                       .kernels = cardan__lanes_kernels_at(0),
                       .watched = true,
                       .apart = true,
                       .halt = halt,
                       .user = s};
  if (b->nstep < 0 || b->nstep > INT_MAX || cardan__group_takes(sim, b->kernels, &b->stepper)) {
    return false;
  }
  if (!cardan__collector_rows(s->collector)) {
    b->options.every = b->nstep > 0 ? (int)b->nstep : 1;
  }
  b->nbatch = b->kernels->width;
  b->nrow = b->nstep / b->options.every + 1;
  const double each = (double)m->nq + m->nv + m->ny;
  return b->nstep % b->options.every == 0 && (double)b->nrow * b->nbatch * each <= most_numbers;
}

static double *numbers(const cardan__case_lanes *s, int64_t rows, int n)
{
  const size_t size = (size_t)s->batch.nbatch * (size_t)rows * (size_t)n + 1;
  return cardan__zeros(&s->alloc, size * sizeof(double));
}

static bool take_memory(cardan__case_lanes *s, const cardan_sim *sim)
{
  cardan__batch *b = &s->batch;
  const cardan_model *m = b->model;
  const bool v = follows(s, 'v'), y = follows(s, 'y');
  b->q0 = s->q0 = numbers(s, 1, m->nq);
  b->v0 = s->v0 = numbers(s, 1, m->nv);
  b->u_held = s->u = numbers(s, 1, m->ninput);
  b->q = s->q = numbers(s, b->nrow, m->nq);
  b->v = s->v = v ? numbers(s, b->nrow, m->nv) : NULL;
  b->y = s->y = y ? numbers(s, b->nrow, m->ny) : NULL;
  b->flat = cardan__group_model(sim);
  s->value = numbers(s, 1, cardan__plan_nvaried(s->sweep->plan));
  if (!s->q0 || !s->v0 || !s->u || !s->q || (v && !s->v) || (y && !s->y) || !b->flat || !s->value) {
    return false;
  }
  s->group = cardan__group_create(b);
  return s->group != NULL;
}

cardan_status cardan__case_lanes_create(const cardan_sweep *sweep,
                                        const cardan__worker_setup *setup, const cardan_sim *sim,
                                        cardan__collector *collector, const cardan_allocator *alloc,
                                        cardan__case_lanes **out)
{
  const int n = cardan__collector_sources(collector);
  cardan__case_lanes *s = cardan__zeros(alloc, sizeof *s);
  *out = NULL;
  if (s == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *s =
      (cardan__case_lanes){.sweep = sweep, .alloc = *alloc, .setup = setup, .collector = collector};
  s->number = cardan__zeros(alloc, ((size_t)n + 1) * sizeof *s->number);
  s->x = cardan__zeros(alloc, ((size_t)n + 1) * sizeof *s->x);
  bool good = s->number != NULL && s->x != NULL;
  for (int k = 0; k < n && good; k++) {
    s->number[k] = find_number(cardan__sim_model(sim), cardan__collector_source(collector, k));
  }
  const bool takes = good && plan_batch(s, sim);
  good = good && (!takes || take_memory(s, sim));
  if (!good || !takes) {
    cardan__case_lanes_destroy(s);
    return good ? CARDAN_OK : CARDAN_ERR_MEMORY;
  }
  *out = s;
  return CARDAN_OK;
}

int cardan__case_lanes_width(const cardan__case_lanes *s)
{
  return s->batch.kernels->width;
}

/* ---- cases ---- */

/* The start of a case, at place i. returns false for a quaternion of length 0: q is the model's
 * then */
static bool take_start(const cardan__case_lanes *s, int64_t case_number, int i)
{
  const cardan_model *m = s->batch.model;
  double *q = s->q0 + (size_t)i * (size_t)m->nq, *v = s->v0 + (size_t)i * (size_t)m->nv;
  double *u = s->u + (size_t)i * (size_t)m->ninput;
  memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
  memcpy(v, m->v0, (size_t)m->nv * sizeof *v);
  for (int k = 0; k < m->ninput; k++) {
    u[k] = m->input[k].value;
  }
  cardan__plan_values(s->sweep->plan, case_number, s->value);
  cardan__case_start(s->sweep, s->setup, s->value, q, v, u);
  if (s->sweep->ninitial == 0 || cardan_q_normalize(m, q)) {
    return true;
  }
  memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
  return false;
}

/* What the plan keeps of case i of the group. */
static void collect(const cardan__case_lanes *s, int i, double *value)
{
  const cardan__batch *b = &s->batch;
  const cardan_model *m = b->model;
  const int n = cardan__collector_sources(s->collector);
  const double dt = b->options.dt;
  const cardan_stats stats = {.steps = b->nstep, .error = cardan__group_error(s->group, i)};
  cardan__collector_begin(s->collector);
  for (int64_t r = 0; r < b->nrow; r++) {
    const double t = (double)(r * b->options.every) * dt;
    const double *q = cardan__batch_row(b, b->q, i, r, m->nq);
    const double *v = cardan__batch_row(b, b->v, i, r, m->nv);
    const double *y = cardan__batch_row(b, b->y, i, r, m->ny);
    for (int k = 0; k < n; k++) {
      const number at = s->number[k];
      s->x[k] = at.of == 'q'   ? q[at.index]
                : at.of == 'v' ? v[at.index]
                : at.of == 'y' ? y[at.index]
                               : t;
    }
    cardan__collector_row(s->collector, t, s->x);
  }
  cardan__collector_end(s->collector, &stats, (double)b->nstep * dt, true, value);
}

/* Their time is over. */
static void stop_all(const cardan__case_lanes *s, int64_t first, int n, cardan__case *out)
{
  cardan_report report = {.message = ""};
  for (int i = 0; i < n; i++) {
    out[i].number = first + i;
    out[i].status = cardan__limit_check(s->limit, &report);
    snprintf(out[i].message, sizeof out[i].message, "%s", report.message);
    for (int k = 0; k < cardan__plan_ncollect(s->sweep->plan); k++) {
      out[i].value[k] = (double)NAN;
    }
  }
}

cardan_status cardan__case_lanes_run(cardan__case_lanes *s, cardan_sim *sim, int64_t first, int n,
                                     const cardan__limit *limit, cardan__case *out, unsigned *alone)
{
  *alone = 0;
  s->limit = limit;
  s->halted = false;
  for (int i = 0; i < n; i++) {
    *alone |= take_start(s, first + i, i) ? 0 : 1U << i;
  }
  *alone |= cardan__group_run(s->group, &s->batch, sim, 0, n);
  if (s->halted) {
    *alone = 0;
    stop_all(s, first, n, out);
    return limit->stop != NULL && atomic_load(limit->stop) != 0 ? CARDAN_ERR_STOPPED : CARDAN_OK;
  }
  for (int i = 0; i < n; i++) {
    if ((*alone >> i & 1) == 0) {
      out[i].number = first + i;
      out[i].status = CARDAN_OK;
      snprintf(out[i].message, sizeof out[i].message, "%s", cardan__group_watch(s->group, i));
      collect(s, i, out[i].value);
    }
  }
  return CARDAN_OK;
}
