// SPDX-License-Identifier: Apache-2.0
#include "cardan/choose.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "model/data.h"
#include "run/sim_access.h"

/* A candidate has levels: an adaptive integrator tolerances of 10^-k, a method of order p steps of
 * dt / 2^k. Its error at level k is held to be
 *   e_k = max over rows and coordinates of |q_k - q_{k+a}|,   a = 2                          (E1)
 * Where something can touch a = 3: an impact that falls on this side of a step or on that makes
 * errors that stay as they are over three levels, and then fall by a thousand. Errors are held to
 * fall by s = 10, or 2^p, or 4 where something can touch, from level to level, so that with e_k
 * above what is wanted
 *   k + max(1, floor(log(e_k / wanted) / log s))                                            (E2)
 * is tried next, no more than JUMP levels on. Over the trial, of length t, the accuracy E t / T is
 * wanted: errors of smooth motions grow with time at least so fast. What they really do is seen
 * over the whole run, where MARGIN E is wanted: the tighter run has an error, too. */

typedef struct {
  const char *method, *integrator; // integrator NULL: fixed steps, of this order
  int order;
  double weight; // cost of an evaluation; by aba 1
} candidate;

/* By rank: a later one is taken when it costs less than ADVANTAGE of those before. Weights are of
 * processor times over evaluations on chains, loops and tops (docs/methods/auto.md). */
static const candidate candidates[] = {
    {"aba", "dop853", 0, 1.0}, {"aba", "ode45", 0, 1.0}, {"hamilton", "dop853", 0, 1.2},
    {"vi", NULL, 6, 1.0},      {"vi", NULL, 4, 1.0},     {"vi", NULL, 2, 1.0},
    {"aba", "bdf", 0, 3.0},
};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };
static const double ADVANTAGE = 0.8, MARGIN = 0.6;

/* Levels, and those of tolerances; part of the run that is the trial, and the least rows of it;
 * levels of one that are tried, and candidates over the whole run; levels to continue at once. Cost
 * of a run of the trial; of a whole one, by what the trial makes of it; of a tighter one, by the
 * other. What makes a run tighter; values of coordinates that are kept of a run, and rows. */
enum {
  LEVELS = 16,
  TOLERANCES = 14,
  FIRST_TOLERANCE = 2,
  PART = 20,
  PART_ROWS = 8,
  CHECKS = 10,
  FAILURES = 3,
  JUMP = 4
};
static const double TRIAL_COST = 3e5, WHOLE_COST = 8, TIGHTER_COST = 1.5, WORK = 1.3,
                    LAST_TOLERANCE = 1e-13, KEPT = 2e6;
enum { SAMPLES_MIN = 10, SAMPLES_MAX = 200 };

typedef struct {
  const cardan_model *model;
  const cardan_data *start;
  const cardan_signals *signals;
  const cardan_options *like;
  const cardan_allocator *allocator;
  cardan_choice *out;
  int64_t rows, part; // of like->dt: of the run, and of the trial
  bool touches;       // something can
  bool gone[CANDIDATES];
  int at[CANDIDATES];      // level that does over the trial
  double cost[CANDIDATES]; // and what it costs there; HUGE_VAL: not known
  bool dear;               // the last ladder was left for what it costs
  double nearest;          // smallest error that is too large, and whose; HUGE_VAL: none
  bool nearest_whole;
  char nearest_label[64];
  cardan_status status; // of the last run that failed
} chooser;

/* One run: its coordinates at so many rows, the start left out. */
typedef struct {
  bool done, good, dear; // dear: given up for what it costs
  int64_t evaluations;
  double *q;
  char why[200];
} level;

/* The runs of one candidate over some rows. */
typedef struct {
  const candidate *kind;
  bool whole;
  int64_t rows, stride; // stride: rows from one that is kept to the next
  int samples;
  int reference; // the level that the last run was held against
  level level[LEVELS];
} ladder;

/* ---- levels ---- */

static bool is_adaptive(const candidate *kind)
{
  return kind->integrator != NULL;
}

/* The ratio of the errors of two levels. */
static double error_ratio_of_levels(const chooser *c, const candidate *kind)
{
  return is_adaptive(kind) ? 10.0 : c->touches ? 4.0 : exp2(kind->order);
}

/* The number of levels between a run and the tighter run with which it is compared. */
static int levels_to_tighter(const chooser *c)
{
  return c->touches ? 3 : 2;
}

/* The last level that has such a tighter one. */
static int last_level(const chooser *c, const candidate *kind)
{
  return (is_adaptive(kind) ? TOLERANCES : LEVELS) - 1 - levels_to_tighter(c);
}

static int first_level(const chooser *c, const candidate *kind, double wanted)
{
  const double k = floor(-log10(wanted)) - 2;
  return is_adaptive(kind) ? (int)fmin(fmax(k, FIRST_TOLERANCE), last_level(c, kind)) : 0;
}

static cardan_options options_at(const chooser *c, const candidate *kind, int k)
{
  static const double tolerance[TOLERANCES] = {1e0,  1e-1, 1e-2, 1e-3,  1e-4,  1e-5,  1e-6,
                                               1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13};
  cardan_options o = *c->like;
  o.method = kind->method;
  cardan_options_drop_unused(&o);
  o.integrator = kind->integrator;
  if (is_adaptive(kind)) {
    o.rtol = o.atol = tolerance[k];
  } else {
    const int parts = 1 << k;
    o.order = kind->order;
    o.dt = c->like->dt / parts;
    o.every = c->like->every <= INT_MAX / parts ? c->like->every * parts : INT_MAX;
  }
  return o;
}

static void label_of(const chooser *c, const candidate *kind, int k, char *label, size_t size)
{
  const cardan_options o = options_at(c, kind, k);
  if (is_adaptive(kind)) {
    snprintf(label, size, "%s/%s at rtol %g", kind->method, kind->integrator, o.rtol);
  } else {
    snprintf(label, size, "%s of order %d at dt %g", kind->method, kind->order, o.dt);
  }
}

/* ---- one run ---- */

static cardan_status start_sim(const chooser *c, const cardan_options *options, cardan_sim **out,
                               cardan_report *report)
{
  const cardan_model *m = c->model;
  const cardan_status status = cardan_sim_create(m, options, c->allocator, out, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_data *data = cardan_sim_data(*out);
  memcpy(data->q, c->start->q, (size_t)m->nq * sizeof *data->q);
  memcpy(data->v, c->start->v, (size_t)m->nv * sizeof *data->v);
  memcpy(data->u, c->start->u, cardan__outside(m) * sizeof *data->u);
  memcpy(data->q_given, c->start->q_given, (size_t)m->nq * sizeof *data->q_given);
  memcpy(data->v_given, c->start->v_given, (size_t)m->nv * sizeof *data->v_given);
  cardan_sim_signals(*out, c->signals);
  return cardan_sim_start(*out, report);
}

/* Steps to the end, coordinates kept. most: evaluations. */
static cardan_status step_all(const ladder *l, cardan_sim *sim, int64_t steps_a_row, double most,
                              level *run, cardan_report *report)
{
  const size_t nq = (size_t)cardan__sim_model(sim)->nq;
  cardan_status status = CARDAN_OK;
  for (int64_t row = 1; row <= l->rows && status == CARDAN_OK; row++) {
    for (int64_t s = 0; s < steps_a_row && status == CARDAN_OK; s++) {
      status = cardan_sim_step(sim, report);
      if (status == CARDAN_OK && (double)cardan__sim_counts(sim)->evaluations > most) {
        status = cardan_fail(report, CARDAN_ERR_STOPPED, (cardan_pos){0, 0}, "it costs too much");
      }
    }
    const bool last = row == l->rows;
    if (status == CARDAN_OK && (last || row % l->stride == 0)) {
      const int64_t index = last ? l->samples - 1 : row / l->stride - 1;
      status = cardan_sim_observe(sim);
      memcpy(run->q + (size_t)index * nq, cardan__sim_node(sim)->q, nq * sizeof *run->q);
    }
  }
  return status;
}

/* The run of level k, once. most: evaluations that it may take. */
static cardan_status run_level(chooser *c, ladder *l, int k, double most)
{
  level *run = &l->level[k];
  cardan_sim *sim = NULL;
  cardan_report report = {.message = ""};
  const cardan_options options = options_at(c, l->kind, k);
  if (run->done) {
    return CARDAN_OK;
  }
  run->q = cardan__resize(c->allocator, NULL,
                          (size_t)l->samples * (size_t)c->model->nq * sizeof *run->q + 1);
  if (run->q == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  cardan_status status = start_sim(c, &options, &sim, &report);
  if (status == CARDAN_OK) {
    const int64_t steps = is_adaptive(l->kind) ? 1 : (int64_t)1 << k;
    status = step_all(l, sim, steps, most, run, &report);
    run->evaluations = cardan__sim_counts(sim)->evaluations;
    c->out->spent += l->kind->weight * (double)run->evaluations;
  }
  const char *why = status != CARDAN_OK ? report.message : cardan_sim_warning(sim);
  run->done = true;
  run->good = status == CARDAN_OK && why[0] == '\0';
  run->dear = status == CARDAN_ERR_STOPPED;
  snprintf(run->why, sizeof run->why, "%.190s",
           why[0] || run->good ? why : cardan_status_text(status));
  c->status = run->good ? c->status : status != CARDAN_OK ? status : CARDAN_ERR_JUMP;
  cardan_sim_destroy(sim);
  return status == CARDAN_ERR_MEMORY ? status : CARDAN_OK;
}

static ladder make_ladder(const chooser *c, const candidate *kind, bool whole)
{
  ladder l = {.kind = kind, .whole = whole, .rows = whole ? c->rows : c->part};
  const double most = fmin(fmax(KEPT / (c->model->nq + 1), SAMPLES_MIN), SAMPLES_MAX);
  l.stride = (int64_t)ceil((double)l.rows / most);
  l.samples = (int)((l.rows + l.stride - 1) / l.stride);
  return l;
}

static void free_ladder(const chooser *c, ladder *l)
{
  for (int k = 0; k < LEVELS; k++) {
    cardan__resize(c->allocator, l->level[k].q, 0);
  }
}

/* Does b take so many evaluations more than a that its steps are others? */
static bool more_work(const level *a, const level *b)
{
  return (double)b->evaluations >= WORK * (double)a->evaluations;
}

/* (E1), of two runs of the ladder, and at least what rounding makes; HUGE_VAL where one has failed.
 * Where even the last tolerance changes no step, each of them has an error of so much. */
static double distance(const chooser *c, const ladder *l, int k, int tighter)
{
  const level *a = &l->level[k], *b = &l->level[tighter];
  const size_t n = (size_t)l->samples * (size_t)c->model->nq;
  double worst = 0, size = 1;
  for (size_t i = 0; a->good && b->good && i < n; i++) {
    const double d = fabs(a->q[i] - b->q[i]);
    worst = d > worst || isnan(d) ? d : worst;
    size = fmax(size, fabs(a->q[i]));
  }
  if (is_adaptive(l->kind) && tighter == TOLERANCES - 1 && !more_work(a, b)) {
    worst += (double)a->evaluations * LAST_TOLERANCE * size;
  }
  return a->good && b->good && isfinite(worst) ? fmax(worst, DBL_EPSILON * size) : HUGE_VAL;
}

static double cost_of(const ladder *l, int k)
{
  return l->kind->weight * (double)l->level[k].evaluations;
}

/* ---- messages ---- */

static void note(chooser *c, const ladder *l, int k, double error, const char *why)
{
  cardan_choice *out = c->out;
  if (out->ntry == CARDAN_TRIES) {
    return;
  }
  cardan_try *t = &out->tries[out->ntry++];
  *t = (cardan_try){.whole = l->whole,
                    .error = isfinite(error) ? error : (double)NAN,
                    .evaluations = l->level[k].evaluations,
                    .cost = cost_of(l, k)};
  label_of(c, l->kind, k, t->label, sizeof t->label);
  snprintf(t->why, sizeof t->why, "%s", why);
}

/* ---- a candidate ---- */

/* Is the reference tighter than level k? Steps that grow as fast as they may, from a small first
 * one, are the same for many tolerances: only what takes WORK more evaluations can tell. */
static bool is_tighter(const chooser *c, const ladder *l, int k)
{
  const level *a = &l->level[k], *b = &l->level[l->reference];
  const int last = (is_adaptive(l->kind) ? TOLERANCES : LEVELS) - 1;
  return l->reference >= k + levels_to_tighter(c) &&
         (!b->good || l->reference == last || more_work(a, b));
}

/* Runs level k and the tighter one: *error of k. most: cost that the first may have. */
static cardan_status judge(chooser *c, ladder *l, int k, double most, double *error)
{
  const double first = most / l->kind->weight;
  cardan_status status = run_level(c, l, k, first);
  *error = HUGE_VAL;
  l->reference = k + levels_to_tighter(c) - 1;
  while (status == CARDAN_OK && l->level[k].good && !is_tighter(c, l, k)) {
    const int next = ++l->reference;
    status = run_level(c, l, next, ldexp(TIGHTER_COST * first, next - k));
    *error = distance(c, l, k, next);
  }
  return status;
}

/* (E2), but the last level that has a tighter one before what is beyond. */
static int next_level(const chooser *c, const candidate *kind, int k, double error, double wanted)
{
  const double more =
      isfinite(error) ? floor(log(error / wanted) / log(error_ratio_of_levels(c, kind))) : 1;
  const int next = k + (int)fmin(fmax(more, 1), JUMP), last = last_level(c, kind);
  return k < last && next > last ? last : next;
}

/* One level less, as long as that will do; the tightest run so far is the reference. */
static cardan_status relax(chooser *c, ladder *l, double wanted, int *k, double *error)
{
  const int reference = l->reference, least = is_adaptive(l->kind) ? FIRST_TOLERANCE : 0;
  while (*k > least) {
    const cardan_status status = run_level(c, l, *k - 1, HUGE_VAL);
    const double e = distance(c, l, *k - 1, reference);
    if (status != CARDAN_OK || !(e <= wanted)) {
      return status;
    }
    *k -= 1;
    *error = e;
  }
  return CARDAN_OK;
}

/* What came nearest to the accuracy: over the whole run, or where nothing got there over the
 * trial. */
static void note_nearest(chooser *c, const ladder *l, int k, double error)
{
  const bool further = l->whole && !c->nearest_whole;
  if (isfinite(error) && (further || (error < c->nearest && l->whole == c->nearest_whole))) {
    c->nearest = error;
    c->nearest_whole = l->whole;
    label_of(c, l->kind, k, c->nearest_label, sizeof c->nearest_label);
  }
}

/* Does it cost too much to continue from level k to the next? */
static bool is_dear(const ladder *l, int k, int next, double most)
{
  const bool fixed = !is_adaptive(l->kind) && l->level[k].good;
  return l->level[k].dear || l->level[l->reference].dear ||
         (fixed && ldexp(cost_of(l, k), next - k) > most);
}

/* The reason why level k is not accurate enough. */
static const char *describe_failure(const ladder *l, int k)
{
  const level *tighter = &l->level[l->reference];
  return !l->level[k].good ? l->level[k].why
         : !tighter->good  ? tighter->why
                           : "not accurate enough";
}

/* The lowest level of a ladder, from k on, whose error is at most `wanted`; *k = -1: none.
 * most: the largest cost of interest. */
static cardan_status find_level(chooser *c, ladder *l, double wanted, double most, int *k,
                                double *error)
{
  int at = *k;
  *k = -1;
  c->dear = false;
  for (int n = 0; n < CHECKS && at <= last_level(c, l->kind); n++) {
    const cardan_status status = judge(c, l, at, most, error);
    if (status != CARDAN_OK) {
      return status;
    }
    if (*error <= wanted) {
      *k = at;
      return relax(c, l, wanted, k, error);
    }
    note_nearest(c, l, at, *error);
    const int next = next_level(c, l->kind, at, *error, wanted);
    c->dear = is_dear(l, at, next, most);
    const bool over = c->dear || next > last_level(c, l->kind) || n + 1 == CHECKS;
    if (l->whole || over) {
      note(c, l, at, *error, describe_failure(l, at));
    }
    if (over) {
      return CARDAN_OK;
    }
    at = next;
  }
  return CARDAN_OK;
}

/* The candidate over the trial. It is removed when it fails; but not when it costs more than
 * most, which may be of interest later. */
static cardan_status try_candidate(chooser *c, int i, double most)
{
  const candidate *kind = &candidates[i];
  const double wanted = c->out->accuracy * (double)c->part / (double)c->rows;
  double error = HUGE_VAL;
  ladder l = make_ladder(c, kind, false);
  int k = first_level(c, kind, wanted);
  const cardan_status status = find_level(c, &l, wanted, fmin(most, TRIAL_COST), &k, &error);
  if (status == CARDAN_OK && k >= 0) {
    c->at[i] = k;
    c->cost[i] = cost_of(&l, k);
    note(c, &l, k, error, "");
  } else {
    c->gone[i] = !c->dear || !isfinite(most);
  }
  free_ladder(c, &l);
  return status;
}

/* The cheapest over the trial, of those that are left; -1: none. */
static cardan_status rank(chooser *c, int *best)
{
  cardan_status status = CARDAN_OK;
  *best = -1;
  for (int i = 0; i < CANDIDATES && status == CARDAN_OK; i++) {
    const double least = *best >= 0 ? ADVANTAGE * c->cost[*best] : HUGE_VAL;
    if (!c->gone[i] && !isfinite(c->cost[i])) {
      status = try_candidate(c, i, least);
    }
    if (!c->gone[i] && c->cost[i] < least) {
      *best = i;
    }
  }
  return status;
}

/* The candidate over the whole run. */
static cardan_status confirm_candidate(chooser *c, int i, bool *good)
{
  cardan_choice *out = c->out;
  int k = c->at[i];
  double error = HUGE_VAL;
  ladder l = make_ladder(c, &candidates[i], true);
  const double expected = c->cost[i] * (double)c->rows / (double)c->part;
  const cardan_status status = find_level(c, &l, MARGIN * out->accuracy,
                                          fmax(WHOLE_COST * expected, TRIAL_COST), &k, &error);
  *good = status == CARDAN_OK && k >= 0;
  if (*good) {
    note(c, &l, k, error, "");
    out->options = options_at(c, &candidates[i], k);
    out->error = error;
    out->cost = cost_of(&l, k);
    out->chosen = out->ntry - 1;
  }
  free_ladder(c, &l);
  return status;
}

/* ---- the call ---- */

/* Leaves out those that do not take the model. returns the reason of the first where none does */
static cardan_status ask_all(chooser *c, cardan_report *report)
{
  cardan_status first = CARDAN_OK;
  int left = 0;
  for (int i = 0; i < CANDIDATES; i++) {
    cardan_sim *sim = NULL;
    cardan_report why = {.message = ""};
    const cardan_options options = options_at(c, &candidates[i], FIRST_TOLERANCE);
    const cardan_status status = cardan_sim_create(c->model, &options, c->allocator, &sim, &why);
    c->touches = c->touches || (status == CARDAN_OK && cardan__sim_has_contacts(sim));
    cardan_sim_destroy(sim);
    c->gone[i] = status != CARDAN_OK;
    c->cost[i] = HUGE_VAL;
    left += status == CARDAN_OK;
    if (status != CARDAN_OK && first == CARDAN_OK) {
      first = status;
      if (report != NULL) {
        *report = why;
      }
    }
  }
  return left > 0 ? CARDAN_OK : first;
}

static cardan_status fail_unreachable(const chooser *c, cardan_report *report)
{
  const cardan_choice *out = c->out;
  const cardan_pos none = {0, 0};
  const double end = (double)c->rows * c->like->dt;
  if (isfinite(c->nearest)) {
    return cardan_fail(
        report, CARDAN_ERR_NO_CONVERGENCE, none,
        "nothing reaches an accuracy of %g at t = %g: the nearest was %s, whose error "
        "is %.2g at t = %g%s",
        out->accuracy, end, c->nearest_label, c->nearest, c->nearest_whole ? end : out->trial,
        c->dear ? "; smaller steps would cost too much to try" : "");
  }
  return cardan_fail(report, c->status == CARDAN_OK ? CARDAN_ERR_NO_CONVERGENCE : c->status, none,
                     "nothing reaches an accuracy of %g; %s: %.200s", out->accuracy,
                     out->ntry > 0 ? out->tries[0].label : "",
                     out->ntry > 0 ? out->tries[0].why : "");
}

cardan_status cardan_choose(const cardan_model *model, const cardan_data *start,
                            const cardan_signals *signals, const cardan_options *like,
                            double accuracy, const cardan_allocator *allocator, cardan_choice *out,
                            cardan_report *report)
{
  chooser c = {.model = model,
               .start = start,
               .signals = signals,
               .like = like,
               .allocator = allocator,
               .out = out,
               .nearest = HUGE_VAL};
  const double rows = floor(like->time / like->dt + 1e-9);
  *out = (cardan_choice){.accuracy = accuracy, .chosen = -1};
  if (!(accuracy > 0 && isfinite(accuracy)) || !(rows >= 1 && rows < 0x1p50)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "accuracy %g over %g s by rows of %g s, expected an accuracy above 0 and a "
                       "row at least",
                       accuracy, like->time, like->dt);
  }
  c.rows = (int64_t)rows;
  c.part = c.rows / PART > PART_ROWS ? c.rows / PART : c.rows < PART_ROWS ? c.rows : PART_ROWS;
  out->trial = (double)c.part * like->dt;
  cardan_status status = ask_all(&c, report);
  if (status != CARDAN_OK) {
    return status;
  }
  bool good = false;
  for (int best = 0, n = 0; status == CARDAN_OK && best >= 0 && !good && n < FAILURES; n++) {
    status = rank(&c, &best);
    if (status == CARDAN_OK && best >= 0) {
      status = confirm_candidate(&c, best, &good);
      c.gone[best] = !good;
    }
  }
  return status != CARDAN_OK ? cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory")
         : good              ? CARDAN_OK
                             : fail_unreachable(&c, report);
}
