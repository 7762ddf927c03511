// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/peers.h"
#include "cardan/data.h"
#include "cardan/kinematics.h"
#include "cardan/load.h"
#include "cardan/run.h"
#include "model/shape_table.h"
#include "reproduce/motion.h"
#include "spatial/rotation.h"

/* Whole motions with many contacts: bodies that fall on one another, and robots that fall on their
 * feet. Every step is timed, at its best of several rounds, so that the slowest ones show. */

enum { MEAN, P99, WORST, WHOLE, OVERLAP, DRIFT, ERROR, ATTEMPTS, SOLVES, NEWTONS, COLUMNS };
static const char *const columns[COLUMNS] = {
    "us a step",          "p99 [us]",           "worst [us]",
    "motion [s]",         "overlap [m]",        "drift [J]",
    "cone error [m/s]",   "evaluations a step", "cone problems a step",
    "Newton steps a step"};

/* push: velocity of the last body along x at the start [m/s]; it slides then, and comes to rest. */
typedef struct {
  const char *model;
  double push;
  bool quick; // also in a quick run
} scene;

static const scene scenes[] = {{"pile:20", 0, true},        {"pile:50", 0, false},
                               {"pile:100", 0, false},      {"stack:5", 0.5, true},
                               {"stack:20", 0.5, true},     {"stack:40", 0.5, false},
                               {"floor-chain:10", 0, false}};

static const double motion_time = 3; // [s]

typedef struct {
  cardan_model *model;
  cardan_options options;
  double push;
  int steps;
  double *best; // of each step [s]
} motion;

static cardan_status start(const motion *m, cardan_sim **sim, cardan_report *report)
{
  cardan_status status = cardan_sim_create(m->model, &m->options, NULL, sim, report);
  if (status == CARDAN_OK) {
    if (m->push != 0) { // a free joint: its velocities are of the body, first the rotation
      cardan_sim_data(*sim)->v[m->model->nv - 3] = m->push;
    }
    status = cardan_sim_start(*sim, report);
  }
  return status;
}

/* One round of timed steps. */
static cardan_status play(motion *m, bool first, double *spent, cardan_report *report)
{
  cardan_sim *sim = NULL;
  cardan_status status = start(m, &sim, report);
  for (int i = 0; i < m->steps && status == CARDAN_OK; i++) {
    const double begin = cardan__clock();
    status = cardan_sim_step(sim, report);
    const double seconds = cardan__clock() - begin;
    m->best[i] = first ? seconds : fmin(m->best[i], seconds);
    *spent += seconds;
  }
  cardan_sim_destroy(sim);
  return status;
}

/* The same motion with its rows: what they say of its quality. */
static cardan_status judge(const motion *m, cardan_stats *stats, cardan_report *report)
{
  cardan_sim *sim = NULL;
  cardan_status status = start(m, &sim, report);
  if (status == CARDAN_OK) {
    status = cardan_run(sim, m->steps, NULL, 0, NULL, report);
    *stats = cardan_sim_stats(sim);
  }
  cardan_sim_destroy(sim);
  return status;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void fill(cardan__bench *b, cardan__bench_table *t, int row, const motion *m,
                 const cardan_stats *stats)
{
  const double n = m->steps;
  double whole = 0;
  for (int i = 0; i < m->steps; i++) {
    whole += m->best[i];
  }
  qsort(m->best, (size_t)m->steps, sizeof *m->best, compare);
  const cardan_contact_stats *c = &stats->contact;
  const double value[COLUMNS] = {[MEAN] = 1e6 * whole / n,
                                 [P99] = 1e6 * m->best[(int)(0.99 * (m->steps - 1))],
                                 [WORST] = 1e6 * m->best[m->steps - 1],
                                 [WHOLE] = whole,
                                 [OVERLAP] = c->overlap,
                                 [DRIFT] = stats->drift_max,
                                 [ERROR] = c->error,
                                 [ATTEMPTS] = (double)stats->evaluations / n,
                                 [SOLVES] = (double)c->solves / n,
                                 [NEWTONS] = (double)c->newtons / n};
  for (int k = 0; k < COLUMNS; k++) {
    cardan__bench_set(b, t, row, k, value[k], NULL);
  }
}

/* Rounds until they have taken two seconds, at least two and at most eleven; one in a quick run. */
static cardan_status measure(cardan__bench *b, cardan__bench_table *t, const char *label, motion *m,
                             cardan_report *report)
{
  char row[100], method[40];
  double spent = 0;
  cardan_stats stats = {0};
  cardan_status status = CARDAN_OK;
  const double enough = b->options->quick ? 0 : 2;
  const int most = b->options->quick ? 1 : 11;
  for (int r = 0; r < most && (r < 2 || spent < enough) && status == CARDAN_OK; r++) {
    status = play(m, r == 0, &spent, report);
    if (status == CARDAN_OK) {
      status = cardan__bench_progress(b, b->part_done);
    }
  }
  if (status == CARDAN_OK) {
    status = judge(m, &stats, report);
  }
  cardan_options_label(&m->options, method, sizeof method);
  snprintf(row, sizeof row, "%s %s", label, method);
  const int at = cardan__bench_row_of(b, t, row, "");
  if (status == CARDAN_OK) {
    fill(b, t, at, m, &stats);
  } else if (status != CARDAN_ERR_STOPPED) { // what fails is reported in the table
    cardan__bench_set(b, t, at, MEAN, (double)NAN, report->message);
    status = CARDAN_OK;
  }
  return status;
}

/* ---- the same scene by peers ---- */

static void add(cardan__text *t, const double *x, int n)
{
  for (int i = 0; i < n; i++) {
    cardan__text_add(t, " ", 1);
    cardan__text_number(t, x[i]);
  }
}

static bool is_flat_floor(const cardan_model *model, const cardan_solid *s)
{
  const cardan_xform *X = &s->X_BS;
  return s->body == 0 && strcmp(cardan__shape_type_of(s->kind)->word, "plane") == 0 &&
         X->p.x == 0 && X->p.y == 0 && X->p.z == 0 && X->R.m[2][2] == 1 && model->nbody > 1;
}

/* Writes a scene of free boxes and balls as text. returns why there is none; NULL: it is
 * complete */
static const char *describe(const motion *m, cardan_data *data, cardan__text *t)
{
  static const char *const words[] = {"box", "sphere"};
  const cardan_model *model = m->model;
  cardan__text_printf(t, "scene %d", model->nbody - 1);
  add(t, &model->pair[0].friction, 1);
  add(t, (const double[]){model->gravity.x, model->gravity.y, model->gravity.z}, 3);
  int n = 0;
  for (int i = 0; i < model->nsolid; i++) {
    const cardan_solid *s = &model->solid[i];
    const char *word = cardan__shape_type_of(s->kind)->word;
    const int shape = strcmp(word, words[0]) == 0 ? 0 : strcmp(word, words[1]) == 0 ? 1 : -1;
    if (is_flat_floor(model, s)) {
      continue;
    }
    const cardan_body *body = &model->body[s->body];
    if (shape < 0 || s->body == 0 || body->parent != 0 || model->nv != 6 * (model->nbody - 1)) {
      return "not compared: not boxes and balls on a floor";
    }
    const cardan_xform *X = &data->X_W[s->body];
    const cardan_vec3 w = cardan__mat3_mulv(&X->R, data->V[s->body].w),
                      v = cardan__mat3_mulv(&X->R, data->V[s->body].v);
    cardan__text_printf(t, "\n%d", shape);
    add(t, s->size, 3);
    add(t, (const double[]){body->inertia.m, body->inertia.xx, body->inertia.yy, body->inertia.zz},
        4);
    add(t, (const double[]){X->p.x, X->p.y, X->p.z}, 3);
    add(t, &X->R.m[0][0], 9);
    add(t, (const double[]){w.x, w.y, w.z, v.x, v.y, v.z}, 6);
    n++;
  }
  cardan__text_printf(t, "\n");
  return n == model->nbody - 1 ? NULL : "not compared: not one shape for each body";
}

/* A row for each peer that takes scenes. request: complete, or why there is none. */
static void add_peers(cardan__bench *b, cardan__bench_table *t, const char *label, const motion *m,
                      const cardan__text *request, const char *cannot)
{
  for (int k = 0; b->peers != NULL && k < b->peers->n; k++) {
    cardan__peer *peer = &b->peers->peer[k];
    for (int w = 0; w < peer->nway; w++) {
      if (strcmp(peer->way[w].kind, "scene") != 0) {
        continue;
      }
      char row[160], why[200];
      cardan__peer_times times = {0};
      snprintf(row, sizeof row, "%s %s", label, peer->name);
      snprintf(why, sizeof why, "%s", cannot != NULL ? cannot : "");
      bool good = cannot == NULL && cardan__peer_set_scene(peer, request, why);
      if (good) {
        good = cardan__peer_play(peer, m->options.dt, m->steps, b->options->quick ? 1 : 5, &times);
        snprintf(why, sizeof why, "%s gave up", peer->name);
      }
      const int at = cardan__bench_row_of(b, t, row, peer->way[w].how);
      const double value[] = {1e6 * times.seconds / m->steps, 1e6 * times.p99, 1e6 * times.worst,
                              times.seconds, times.overlap};
      for (int c = 0; c <= OVERLAP; c++) {
        cardan__bench_set(b, t, at, c, good ? value[c] : (double)NAN, good || c > 0 ? NULL : why);
      }
    }
  }
}

/* ---- rows ---- */

static cardan_status open_motion(const char *name, double push, motion *m, cardan_report *report)
{
  *m = (motion){.options = cardan_options_defaults(), .push = push};
  cardan_status status = cardan_model_load(name, NULL, 0, NULL, &m->model, report);
  if (status == CARDAN_OK) {
    status = cardan_options_apply_model(&m->options, m->model, CARDAN_OPTIONS_OF_METHOD, report);
  }
  if (status == CARDAN_OK && m->model->nkeyframe > 0) {
    snprintf(m->options.keyframe, sizeof m->options.keyframe, "%s",
             m->model->keyframe[m->model->nkeyframe - 1].name);
    status = cardan_options_prepare(&m->options, m->model, report);
  }
  m->options.time = motion_time;
  m->steps = (int)lround(motion_time / m->options.dt);
  if (status == CARDAN_OK) {
    m->best = cardan__resize(NULL, NULL, (size_t)m->steps * sizeof *m->best);
    status = m->best != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
  }
  return status;
}

static void close_motion(motion *m)
{
  cardan__resize(NULL, m->best, 0);
  cardan_model_destroy(m->model);
}

static cardan_status scene_rows(cardan__bench *b, cardan__bench_table *t, const scene *s,
                                cardan_report *report)
{
  motion m;
  cardan_sim *sim = NULL;
  cardan__text request;
  cardan__text_init(&request, NULL);
  cardan_status status = open_motion(s->model, s->push, &m, report);
  if (status == CARDAN_OK) {
    status = start(&m, &sim, report);
  }
  if (status == CARDAN_OK) {
    const char *cannot = describe(&m, cardan_sim_data(sim), &request);
    status = measure(b, t, s->model, &m, report);
    add_peers(b, t, s->model, &m, &request, cannot);
  }
  cardan_sim_destroy(sim);
  cardan__text_free(&request);
  close_motion(&m);
  return status;
}

static cardan_status robot_rows(cardan__bench *b, cardan__bench_table *t, const char *path,
                                cardan_report *report)
{
  motion m;
  cardan__text request;
  const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
  cardan__text_init(&request, NULL);
  cardan_status status = open_motion(path, 0, &m, report);
  if (status == CARDAN_OK) {
    cardan__text_printf(&request, "robot %s\n", path);
    status = measure(b, t, name, &m, report);
    add_peers(b, t, name, &m, &request,
              strstr(name, ".xml") != NULL ? NULL : "not compared: not an MJCF file");
  }
  cardan__text_free(&request);
  close_motion(&m);
  return status;
}

/* A file that cannot be read is reported before anything is measured. */
static cardan_status check_robots(const cardan__bench *b, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < b->options->nrobot && status == CARDAN_OK; i++) {
    motion m;
    status = open_motion(b->options->robot[i], 0, &m, report);
    close_motion(&m);
  }
  return status;
}

cardan_status cardan__bench_scenes(cardan__bench *b, cardan_report *report)
{
  cardan__bench_table *t = cardan__bench_table_new(
      b, "scenes", "Motions of 3 s with many contacts",
      "Each step at its best of several rounds. Piles fall from their start; of a stack the "
      "topmost "
      "cube starts with 0.5 m/s, slides and stops; robots start from the last keyframe of their "
      "file. Restitution and the exact cone are the model's here, and not theirs.",
      columns, COLUMNS);
  enum { SCENES = sizeof scenes / sizeof scenes[0] };
  const int n = SCENES + b->options->nrobot;
  cardan_status status = check_robots(b, report);
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    b->part_done = (double)i / n;
    if (i >= SCENES) {
      status = robot_rows(b, t, b->options->robot[i - SCENES], report);
    } else if (scenes[i].quick || !b->options->quick) {
      status = scene_rows(b, t, &scenes[i], report);
    }
  }
  cardan__bench_table_done(b, t);
  return status;
}
