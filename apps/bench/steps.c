// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "bench/bench.h"
#include "bench/peers.h"
#include "reproduce/motion.h"

/* Steps of all methods. Every batch begins at the same node, a few steps after the start, so that
 * guesses and old factors are there: what is timed are always the same steps of the same motion. */

static const cardan__bench_method methods[] = {
    {"vi", "method=vi", "order 2; converged to round-off; double", false},
    {"vi riqn", "method=vi solver=riqn", "order 2; converged to round-off; double", true},
    {"svi", "method=svi", "order 2; converged to round-off; double", false},
    {"aba semi-implicit", "method=aba integrator=semi-implicit", "order 1; double", false},
    {"aba rk4", "method=aba integrator=rk4", "order 4; 4 evaluations; double", false},
    {"hamilton rk4", "method=hamilton integrator=rk4", "order 4; 4 evaluations; double", false},
    {"baraff semi-implicit", "method=baraff integrator=semi-implicit", "order 1; double", false},
    {"half-implicit", "method=half-implicit", "order 1; converged to round-off; double", false},
    {"fully-implicit", "method=fully-implicit", "order 1; converged to round-off; double", false},
    {"rattle", "method=rattle", "order 2; converged to round-off; double", false},
};
enum { METHODS = sizeof methods / sizeof methods[0], BEFORE = 20 };

const cardan__bench_method *cardan__bench_method_at(int k)
{
  return k >= 0 && k < METHODS ? &methods[k] : NULL;
}

typedef struct {
  cardan__motion motion;
  void *state; // the node that batches begin at
  size_t size;
  int64_t evaluations; // until there
} subject;

/* Steps of a model: how many are timed, `pieces` times n. */
typedef struct {
  const char *model; // with the constants it sets
  double dt;
  int pieces, n;
  double stir; // velocities to start with beside the model's own, so that it moves [1/s]
  bool many;   // loops: methods whose cost is cubic in them are left out
} course;

static void close_subject(void *user)
{
  subject *s = user;
  cardan__motion_close(&s->motion);
  cardan__resize(NULL, s->state, 0);
  cardan__resize(NULL, s, 0);
}

static cardan_status restore(subject *s, cardan_report *report)
{
  return cardan_sim_snapshot_load(s->motion.sim, s->state, s->size, report);
}

/* The caches are as a step leaves them, not as the methods do that took their turns. */
static cardan_status begin(void *user, cardan_report *report)
{
  subject *s = user;
  cardan_status status = restore(s, report);
  status = status == CARDAN_OK ? cardan_sim_step(s->motion.sim, report) : status;
  return status == CARDAN_OK ? restore(s, report) : status;
}

static cardan_status step(void *user, int n, cardan_report *report)
{
  subject *s = user;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = cardan_sim_step(s->motion.sim, report);
  }
  return status;
}

/* A step that takes longer than this is left out [s]. */
static double patience(const cardan__bench *b)
{
  return b->options->quick ? 0.02 : 0.5;
}

/* Velocities of a tree that would only fall. */
static cardan_status stir(cardan_sim *sim, int nv, double rate, cardan_report *report)
{
  cardan_data *data = cardan_sim_data(sim);
  for (int k = 0; k < nv; k++) {
    data->v[k] += rate * sin(k + 1);
  }
  return cardan_sim_start(sim, report);
}

/* The steps before those that are timed. */
static cardan_status walk_in(const cardan__bench *b, subject *s, int steps, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < steps && status == CARDAN_OK; i++) {
    const double start = cardan__clock();
    status = cardan_sim_step(s->motion.sim, report);
    const double seconds = cardan__clock() - start;
    if (status == CARDAN_OK && seconds > patience(b)) {
      return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0},
                         "left out: a step took %.2g s", seconds);
    }
  }
  if (status != CARDAN_OK) {
    return status;
  }
  s->evaluations = cardan_sim_stats(s->motion.sim).evaluations;
  s->size = cardan_sim_snapshot_size(s->motion.sim);
  s->state = cardan__resize(NULL, NULL, s->size);
  return s->state != NULL ? cardan_sim_snapshot_save(s->motion.sim, s->state, s->size, report)
                          : CARDAN_ERR_MEMORY;
}

static void open_case(const cardan__bench *b, const course *c, int method, int before,
                      cardan__bench_cases *cases)
{
  cardan_report report = {.message = ""};
  cardan__bench_case *item =
      cardan__bench_case_new(cases, methods[method].label, methods[method].how);
  subject *s = cardan__resize(NULL, NULL, sizeof *s);
  cardan_status status = CARDAN_ERR_MEMORY;
  if (s != NULL) {
    *s = (subject){.size = 0};
    status = cardan__motion_open(c->model, methods[method].options, c->dt, &s->motion, &report);
  }
  if (status == CARDAN_OK && c->stir > 0) {
    status = stir(s->motion.sim, s->motion.model->nv, c->stir, &report);
  }
  if (status == CARDAN_OK) {
    status = walk_in(b, s, before, &report);
  }
  item->timed =
      (cardan__timed){.subject = s, .begin = begin, .run = step, .pieces = c->pieces, .n = c->n};
  item->close = s != NULL ? close_subject : NULL;
  if (status != CARDAN_OK) {
    cardan__timed_fail(&item->timed, status, &report);
  }
}

/* The same steps by other libraries, from the model's start; a batch of theirs is one piece. */
static void add_peers(cardan__bench *b, const course *c, cardan__peer_subject *theirs,
                      cardan__bench_cases *cases)
{
  cardan_report report = {.message = ""};
  cardan__motion m;
  if (b->peers != NULL &&
      cardan__motion_open(c->model, "method=aba", c->dt, &m, &report) == CARDAN_OK) {
    if (c->stir == 0 || stir(m.sim, m.model->nv, c->stir, &report) == CARDAN_OK) {
      const cardan_data *data = cardan_sim_data(m.sim);
      cardan__peers_add(b, m.model, c->model, data->q, data->v, "step", c->dt, c->pieces * c->n,
                        theirs, cases);
    }
    cardan__motion_close(&m);
  }
}

/* One column: all methods on one model, and what their steps evaluated. */
static cardan_status measure(cardan__bench *b, const course *c, double scale,
                             cardan__bench_table *times, cardan__bench_table *effort, int column)
{
  cardan__bench_cases cases = {0};
  cardan__peer_subject theirs[CARDAN__CASES];
  cardan_status status = CARDAN_OK;
  for (int k = 0; k < METHODS && status == CARDAN_OK; k++) {
    if (!(c->many && methods[k].cubic)) {
      open_case(b, c, k, BEFORE, &cases);
    }
    status = cardan__bench_progress(b, b->part_done);
  }
  if (status == CARDAN_OK) {
    add_peers(b, c, theirs, &cases);
    status = cardan__bench_measure(b, &cases, times, column, scale);
  }
  for (int k = 0; k < cases.n && status == CARDAN_OK; k++) {
    const cardan__timed *t = &cases.item[k].timed;
    if (t->run == step && !t->failed) {
      const subject *s = t->subject;
      const int64_t all = cardan_sim_stats(s->motion.sim).evaluations - s->evaluations;
      const int row = cardan__bench_row_of(b, effort, cases.item[k].label, "");
      cardan__bench_set(b, effort, row, column, (double)all / (t->pieces * t->n), NULL);
    }
  }
  cardan__bench_cases_close(&cases);
  return status;
}

/* How the time of a body's share grows, drawn. */
static void draw(cardan__bench *b, const cardan__bench_table *t, int sizes)
{
  cardan__outcome *out = &b->result->figures;
  cardan__plot *plot = cardan__outcome_plot(out, "steps", "A step of chain:n", "bodies n",
                                            "ns a body", CARDAN__LOG_X | CARDAN__LOG_Y);
  for (int r = 0; r < t->nrow && r < CARDAN__CURVES; r++) {
    cardan__curve *curve = cardan__plot_curve(out, plot, t->row[r].label, false);
    for (int i = 0; i < sizes; i++) {
      cardan__curve_point(out, curve, pow(10, i + 1), t->row[r].value[i]);
    }
  }
}

static cardan_status chain(cardan__bench *b)
{
  static const course sizes[] = {{"chain:10", 1e-3, 10, 100, 0, false},
                                 {"chain:100", 1e-3, 10, 20, 0, false},
                                 {"chain:1000", 1e-3, 10, 5, 0, false},
                                 {"chain:10000", 1e-4, 5, 2, 0, false}};
  static const char *const columns[] = {"n = 10", "n = 100", "n = 1000", "n = 10000",
                                        "growth 100 to 10000"};
  enum { SIZES = sizeof sizes / sizeof sizes[0] };
  const int n = b->options->quick ? 3 : SIZES;
  cardan__bench_table *times =
      cardan__bench_table_new(b, "steps-chain", "A step of chain:n, dt 1 ms, ns a body",
                              n < SIZES ? "The same steps after the first 20."
                                        : "The same steps after the first 20; n = 10000 at 0.1 ms, "
                                          "since not all methods converge there at 1 ms. growth: "
                                          "exponent of the time of a step from n = 100 to 10,000.",
                              columns, n == SIZES ? SIZES + 1 : n);
  cardan__bench_table *effort = cardan__bench_table_new(
      b, "evaluations-chain", "Evaluations of residual or right-hand side in one of these steps",
      "", columns, n);
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    b->part_done = (double)i / (n + 1);
    status = measure(b, &sizes[i], 1e9 / pow(10, i + 1), times, effort, i);
  }
  for (int r = 0; r < times->nrow && n == SIZES; r++) {
    const double *ns = times->row[r].value;
    cardan__bench_set(b, times, r, SIZES, 1 + cardan__growth(ns[1], ns[3], 100, 1e4), NULL);
  }
  if (status == CARDAN_OK) {
    draw(b, times, n);
    cardan__bench_table_done(b, times);
    cardan__bench_table_done(b, effort);
  }
  return status;
}

/* Columns of models, us a step. */
static cardan_status models(cardan__bench *b, const char *part, const char *title,
                            const char *words, const course *list, const char *const *columns,
                            int n, double from)
{
  char name[2][32];
  snprintf(name[0], sizeof name[0], "steps-%s", part);
  snprintf(name[1], sizeof name[1], "evaluations-%s", part);
  cardan__bench_table *times = cardan__bench_table_new(b, name[0], title, words, columns, n);
  cardan__bench_table *effort = cardan__bench_table_new(
      b, name[1], "Evaluations of residual or right-hand side in one of these steps", "", columns,
      n);
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    b->part_done = from + (1 - from) * i / n;
    status = measure(b, &list[i], 1e6, times, effort, i);
  }
  if (status == CARDAN_OK) {
    cardan__bench_table_done(b, times);
    cardan__bench_table_done(b, effort);
  }
  return status;
}

cardan_status cardan__bench_steps(cardan__bench *b, cardan_report *report)
{
  static const course list[] = {{"humanoid", 1e-3, 10, 20, 1, false},
                                {"human", 1e-3, 10, 40, 1, false}};
  static const char *const columns[] = {"humanoid", "human", false};
  (void)report;
  cardan_status status = chain(b);
  if (status == CARDAN_OK) {
    status = models(b, "models", "A step, dt 1 ms, us",
                    "humanoid: a free base and 30 hinges, all moving; human: 11 bodies in a plane.",
                    list, columns, 2, 0.8);
  }
  return status;
}

cardan_status cardan__bench_loops(cardan__bench *b, cardan_report *report)
{
  static const course list[] = {{"closed-chain I=0.01", 1e-3, 10, 20, 0, false},
                                {"scissor:100", 1e-3, 5, 4, 0, true},
                                {"scissor:1000", 1e-3, 5, 2, 0, true}};
  static const char *const columns[] = {"closed-chain I=0.01", "scissor:100", "scissor:1000",
                                        false};
  (void)report;
  return models(b, "loops", "A step of mechanisms with loops, dt 1 ms, us",
                "closed-chain: 7 bodies and 2 loops; scissor:n: 2 n + 1 bodies and n loops.", list,
                columns, 3, 0);
}

cardan_status cardan__bench_contact(cardan__bench *b, cardan_report *report)
{
  static const course list[] = {{"quadruped", 2e-3, 10, 10, 0, false},
                                {"stack:5", 2e-3, 10, 10, 0, false}};
  static const char *const columns[] = {"us a step", "contacts"};
  cardan__bench_table *t = cardan__bench_table_new(
      b, "contact", "A step with contacts, vi, dt 2 ms",
      "quadruped: standing, after 1 s. stack:5: five boxes on one another.", columns, 2);
  cardan_status status = CARDAN_OK;
  (void)report;
  for (int i = 0; i < 2 && status == CARDAN_OK; i++) {
    cardan__bench_cases cases = {0};
    b->part_done = i / 2.0;
    open_case(b, &list[i], 0, 500, &cases);
    snprintf(cases.item[0].label, sizeof cases.item[0].label, "%s", list[i].model);
    status = cardan__bench_measure(b, &cases, t, 0, 1e6);
    const subject *s = cases.item[0].timed.subject;
    if (status == CARDAN_OK && !cases.item[0].timed.failed) {
      const int closed = cardan_sim_stats(s->motion.sim).contact.closed;
      cardan__bench_set(b, t, i, 1, closed, NULL);
    }
    cardan__bench_cases_close(&cases);
  }
  cardan__bench_table_done(b, t);
  return status;
}
