// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/peers.h"
#include "cardan/kinematics.h"
#include "reproduce/motion.h"

/* Cost of an error: the largest error of a coordinate at the end of a run against the processor
 * time of its steps. Adaptive integrators run at tolerances from 1e-3 down by tens, rtol = atol;
 * methods of a fixed step at 0.1 s down by halves. Between two runs the logarithms are
 * interpolated. */

static const double wanted[] = {1e-3, 1e-6, 1e-9};
static const char *const wanted_words[] = {"1e-3", "1e-6", "1e-9"};
enum { WANTED = 3, POINTS = 24 };

static const struct {
  const char *label, *options;
  bool adaptive;
  bool drawn; // in the figure, which holds 16 curves
} list[] = {
    {"aba ode45", "method=aba integrator=ode45", true, true},
    {"aba dopri5", "method=aba integrator=dopri5", true, true},
    {"aba adams", "method=aba integrator=adams", true, true},
    {"aba dop853", "method=aba integrator=dop853", true, true},
    {"hamilton ode45", "method=hamilton integrator=ode45", true, true},
    {"hamilton dopri5", "method=hamilton integrator=dopri5", true, false},
    {"hamilton adams", "method=hamilton integrator=adams", true, false},
    {"hamilton dop853", "method=hamilton integrator=dop853", true, true},
    {"aba rk4", "method=aba integrator=rk4", false, true},
    {"aba gauss4", "method=aba integrator=gauss4", false, false},
    {"vi", "method=vi", false, true},
    {"vi order 4", "method=vi order=4", false, true},
    {"vi order 6", "method=vi order=6", false, true},
    {"svi", "method=svi", false, false},
    {"rattle", "method=rattle", false, true},
};
enum { WAYS = sizeof list / sizeof list[0] };

/* The end of a run that counts as exact. */
typedef struct {
  const char *model;
  double T;
  int rows; // of adaptive runs: loops are closed at each
  cardan_model *compiled;
  double *q;           // nq: at the end
  double apart;        // of it and another one: smaller errors are not known
  double *mine, *away; // nq, nv: of a run, and how far that is
} course;

typedef struct {
  int n;
  double error[POINTS], seconds[POINTS];
  double effort[POINTS]; // evaluations; NAN: not known
} curve;

static double limit(const cardan__bench *b)
{
  return b->options->quick ? 0.06 : 1;
}

/* Largest error of a coordinate, or of a turn. */
static double distance(const course *c, const double *q)
{
  double most = 0;
  cardan_q_difference(c->compiled, c->q, q, c->away);
  for (int k = 0; k < c->compiled->nv; k++) {
    most = fmax(most, fabs(c->away[k]));
  }
  return most;
}

/* One run to T. q out: coordinates there. */
static cardan_status run_once(const course *c, const char *options, int64_t steps, double *q,
                              double *seconds, double *evaluations, cardan_report *report)
{
  cardan__motion m;
  cardan_status status = cardan__motion_open(c->model, options, c->T / (double)steps, &m, report);
  if (status != CARDAN_OK) {
    return status;
  }
  const double start = cardan__clock();
  for (int64_t i = 0; i < steps && status == CARDAN_OK; i++) {
    status = cardan_sim_step(m.sim, report);
  }
  *seconds = cardan__clock() - start;
  if (status == CARDAN_OK) {
    memcpy(q, cardan_sim_data(m.sim)->q, (size_t)m.model->nq * sizeof *q);
    *evaluations = (double)cardan_sim_stats(m.sim).evaluations;
  }
  cardan__motion_close(&m);
  return status;
}

/* The same several times, for its least time. */
static cardan_status run_best(const cardan__bench *b, const course *c, const char *options,
                              int64_t steps, double *seconds, double *evaluations,
                              cardan_report *report)
{
  const int most = b->options->quick ? 1 : 5;
  double spent = 0;
  cardan_status status = CARDAN_OK;
  *seconds = HUGE_VAL;
  for (int i = 0; i < most && spent < 0.3 * limit(b) && status == CARDAN_OK; i++) {
    double once = 0;
    status = run_once(c, options, steps, c->mine, &once, evaluations, report);
    *seconds = fmin(*seconds, once);
    spent += once;
  }
  return status;
}

static void add_point(const course *c, curve *to, double seconds, double evaluations)
{
  to->error[to->n] = fmax(distance(c, c->mine), c->apart);
  to->effort[to->n] = evaluations;
  to->seconds[to->n++] = seconds;
}

static bool goes_on(const cardan__bench *b, const curve *done)
{
  return done->n == 0 || (done->error[done->n - 1] > wanted[WANTED - 1] &&
                          done->seconds[done->n - 1] < 0.5 * limit(b) && done->n < POINTS);
}

/* Runs of one method, down to the smallest error that is wanted. why: what ended it early. */
static void own_curve(const cardan__bench *b, const course *c, int way, curve *out, char why[200])
{
  out->n = 0;
  why[0] = '\0';
  for (int k = 0; k < POINTS && goes_on(b, out) && why[0] == '\0'; k++) {
    char options[120];
    cardan_report report = {.message = ""};
    double seconds = 0, evaluations = 0;
    int64_t steps = c->rows;
    snprintf(options, sizeof options, "%s", list[way].options);
    if (list[way].adaptive) {
      if (k > 10) {
        break;
      }
      snprintf(options, sizeof options, "%s rtol=1e-%d atol=1e-%d", list[way].options, k + 3,
               k + 3);
    } else {
      steps = (int64_t)ldexp(10 * c->T, k);
    }
    const cardan_status status = run_best(b, c, options, steps, &seconds, &evaluations, &report);
    if (status == CARDAN_OK) {
      add_point(c, out, seconds, evaluations);
    } else if (list[way].adaptive || k > 6 || status == CARDAN_ERR_UNSUPPORTED) {
      snprintf(why, 200, "%.190s", report.message); // a step may have been too long: try shorter
    }
  }
}

static void peer_curve(const cardan__bench *b, const course *c, const cardan__peer_subject *s,
                       curve *out, char why[200])
{
  const bool fixed = strstr(s->way->how, "fixed") != NULL;
  out->n = 0;
  why[0] = '\0';
  for (int k = 0; k < POINTS && goes_on(b, out) && why[0] == '\0' && (fixed || k <= 10); k++) {
    cardan_report report = {.message = ""};
    double best = HUGE_VAL, spent = 0;
    cardan_status status = CARDAN_OK;
    const double what = fixed ? ldexp(0.1, -k) : pow(10, -3 - k);
    for (int i = 0; i < 5 && spent < 0.3 * limit(b) && status == CARDAN_OK; i++) {
      double once = 0;
      status =
          cardan__peer_solve(s->peer, s->way, what, c->T, c->compiled->nq, c->mine, &once, &report);
      best = fmin(best, once);
      spent += once;
    }
    if (status == CARDAN_OK) {
      add_point(c, out, best, (double)NAN);
    } else if (!fixed || k > 6) {
      snprintf(why, 200, "%.190s", report.message);
    }
  }
}

/* Work, seconds or evaluations, at an error; NAN: not reached. */
static double cost(const curve *from, const double *work, double error)
{
  for (int k = 0; k < from->n; k++) {
    if (from->error[k] <= error) {
      if (k == 0) {
        return work[0]; // the first run is better than that
      }
      const double part =
          log(from->error[k - 1] / error) / log(from->error[k - 1] / from->error[k]);
      return work[k - 1] * pow(work[k] / work[k - 1], part);
    }
  }
  return (double)NAN;
}

/* ---- one model ---- */

static void show(cardan__bench *b, cardan__bench_table *t, cardan__plot *plot, const char *label,
                 const char *how, bool drawn, const curve *from, const char *why)
{
  cardan__outcome *out = &b->result->figures;
  const int row = cardan__bench_row_of(b, t, label, how);
  for (int k = 0; k < WANTED; k++) {
    const double seconds = cost(from, from->seconds, wanted[k]);
    cardan__bench_set(b, t, row, k, 1e3 * seconds, isnan(seconds) ? why : NULL);
    cardan__bench_set(b, t, row, WANTED + k, cost(from, from->effort, wanted[k]), NULL);
  }
  if (drawn && plot->ncurve < CARDAN__CURVES) {
    cardan__curve *line = cardan__plot_curve(out, plot, label, false);
    for (int k = 0; k < from->n; k++) {
      cardan__curve_point(out, line, from->error[k], 1e3 * from->seconds[k]);
    }
  }
}

/* A sentence that names the cheapest: the first `own` rows are ours. */
static void name_cheapest(cardan__bench *b, cardan__bench_table *t, int own, double apart)
{
  char words[600];
  int used = snprintf(words, sizeof words,
                      "To a largest error of a coordinate at the end; two references are %.0e "
                      "apart. Empty: not reached at 1e-13, or in a run of %g s. Cheapest in time:",
                      apart, limit(b));
  for (int k = 0; k < WANTED; k++) {
    int best = -1;
    for (int r = 0; r < t->nrow; r++) {
      const double ms = t->row[r].value[k];
      best = !isnan(ms) && (best < 0 || ms < t->row[best].value[k]) ? r : best;
    }
    used += snprintf(words + used, sizeof words - (size_t)used, "%s %s: %s%s", k > 0 ? ";" : "",
                     wanted_words[k], best >= 0 ? t->row[best].label : "none",
                     best >= own ? ", another library" : "");
  }
  snprintf(words + used, sizeof words - (size_t)used, ".");
  cardan__bench_words(b, t, words);
}

static cardan_status add_all(cardan__bench *b, course *c, cardan__bench_table *t,
                             cardan__plot *plot, int *own)
{
  cardan_status status = CARDAN_OK;
  curve points;
  char why[200];
  const double from = b->part_done;
  for (int k = 0; k < WAYS && status == CARDAN_OK; k++) {
    own_curve(b, c, k, &points, why);
    show(b, t, plot, list[k].label,
         list[k].adaptive ? "adaptive; rtol = atol; double" : "fixed step; double", list[k].drawn,
         &points, why);
    status = cardan__bench_progress(b, from + 0.2 * k / WAYS);
  }
  *own = t->nrow;
  cardan__bench_cases cases = {0};
  cardan__peer_subject theirs[CARDAN__CASES];
  cardan__motion m;
  cardan_report report = {.message = ""};
  if (status == CARDAN_OK && b->peers != NULL &&
      cardan__motion_open(c->model, "method=aba", 1e-3, &m, &report) == CARDAN_OK) {
    const cardan_data *data = cardan_sim_data(m.sim);
    cardan__peers_add(b, m.model, c->model, data->q, data->v, "solve", 0, 1, theirs, &cases);
    cardan__motion_close(&m);
  }
  for (int k = 0; k < cases.n && status == CARDAN_OK; k++) {
    const cardan__bench_case *item = &cases.item[k];
    points.n = 0;
    snprintf(why, sizeof why, "%s", item->timed.message);
    if (!item->timed.failed) {
      peer_curve(b, c, item->timed.subject, &points, why);
    }
    show(b, t, plot, item->label, item->how, true, &points, why);
    status = cardan__bench_progress(b, b->part_done);
  }
  return status;
}

static cardan_status open_course(course *c, cardan_report *report)
{
  double seconds, evaluations;
  cardan__motion m;
  cardan_status status = cardan__motion_open(c->model, "method=aba", 1e-3, &m, report);
  if (status != CARDAN_OK) {
    return status;
  }
  c->compiled = m.model; // the motion goes, its model stays
  m.model = NULL;
  cardan__motion_close(&m);
  const size_t nq = (size_t)c->compiled->nq, nv = (size_t)c->compiled->nv;
  c->q = cardan__resize(NULL, NULL, (2 * nq + nv) * sizeof *c->q);
  if (c->q == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  c->mine = c->q + nq;
  c->away = c->mine + nq;
  status = run_once(c, "method=aba integrator=dop853 rtol=1e-13 atol=1e-13", 100, c->q, &seconds,
                    &evaluations, report);
  if (status == CARDAN_OK) {
    status = run_once(c, "method=hamilton integrator=dop853 rtol=1e-13 atol=1e-13", 100, c->mine,
                      &seconds, &evaluations, report);
  }
  c->apart = status == CARDAN_OK ? fmax(distance(c, c->mine), 1e-16) : (double)NAN;
  return status;
}

cardan_status cardan__bench_precision(cardan__bench *b, cardan_report *report)
{
  static const struct {
    const char *model, *name, *what;
    double T;
    int rows;
  } models[] = {{"chain:10", "chain", "chain:10, 10 s", 10, 1},
                {"closed-chain", "closed-chain", "closed-chain, 10 s", 10, 100},
                {"top", "top", "heavy top, 100 s", 100, 1},
                {"tumbler", "tumbler", "tumbler, 100 s", 100, 1}};
  static const char *const columns[] = {"1e-3 [ms]",        "1e-6 [ms]",        "1e-9 [ms]",
                                        "1e-3 evaluations", "1e-6 evaluations", "1e-9 evaluations"};
  enum { MODELS = sizeof models / sizeof models[0] };
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < MODELS && status == CARDAN_OK; i++) {
    course c = {.model = models[i].model, .T = models[i].T, .rows = models[i].rows};
    char name[64], title[96];
    int own = 0;
    b->part_done = (double)i / MODELS;
    status = open_course(&c, report);
    if (status == CARDAN_OK) {
      snprintf(name, sizeof name, "precision-%s", models[i].name);
      snprintf(title, sizeof title, "Cost of an error: %s", models[i].what);
      cardan__bench_table *t = cardan__bench_table_new(b, name, title, "", columns, 2 * WANTED);
      cardan__plot *plot = cardan__outcome_plot(
          &b->result->figures, name, title, "largest error of a coordinate at the end",
          "processor time [ms]", CARDAN__LOG_X | CARDAN__LOG_Y);
      status = add_all(b, &c, t, plot, &own);
      if (status == CARDAN_OK) {
        name_cheapest(b, t, own, c.apart);
        cardan__bench_table_done(b, t);
      }
    }
    cardan__resize(NULL, c.q, 0);
    cardan_model_destroy(c.compiled);
  }
  return status;
}
