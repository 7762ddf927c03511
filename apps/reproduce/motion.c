// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "reproduce/motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "expr/number.h"

double cardan__clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cardan_status set_options(const char *options, cardan_options *o, cardan_report *report)
{
  char words[256], *rest = NULL;
  cardan_status status = CARDAN_OK;
  snprintf(words, sizeof words, "%s", options);
  for (char *word = strtok_r(words, " ", &rest); word != NULL && status == CARDAN_OK;
       word = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(word, '=');
    if (value != NULL) {
      *value++ = '\0';
    }
    status = cardan_options_set(o, word, value, report);
  }
  return status;
}

/* A built-in model by its name, with constants set by the words behind it. */
static cardan_status load(const char *words, cardan_model **out, cardan_report *report)
{
  enum { MOST = 8 };
  char text[256], *rest = NULL;
  cardan_setting set[MOST];
  int n = 0;
  snprintf(text, sizeof text, "%s", words);
  const char *name = strtok_r(text, " ", &rest);
  for (char *word = strtok_r(NULL, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(word, '=');
    if (value == NULL || n == MOST) {
      return CARDAN_ERR_ARGUMENT;
    }
    *value++ = '\0';
    set[n].name = word;
    if (cardan__number_read(value, strlen(value), &set[n++].value) != CARDAN__NUMBER_OK) {
      return CARDAN_ERR_ARGUMENT;
    }
  }
  return cardan_model_load(name, set, n, NULL, out, report);
}

cardan_status cardan__motion_open(const char *model, const char *options, double dt,
                                  cardan__motion *out, cardan_report *report)
{
  cardan_options o = cardan_options_defaults();
  *out = (cardan__motion){0};
  cardan_status status = set_options(options, &o, report);
  o.dt = dt;
  o.time = 1e9;
  if (status == CARDAN_OK) {
    status = load(model, &out->model, report);
  }
  if (status == CARDAN_OK) {
    status = cardan_sim_create(out->model, &o, NULL, &out->sim, report);
  }
  if (status == CARDAN_OK) {
    status = cardan_sim_start(out->sim, report);
  }
  if (status != CARDAN_OK) {
    cardan__motion_close(out);
  }
  return status;
}

void cardan__motion_close(cardan__motion *motion)
{
  cardan_sim_destroy(motion->sim);
  cardan_model_destroy(motion->model);
  *motion = (cardan__motion){0};
}

double cardan__twist_column(cardan__motion *motion, int add, const char *name)
{
  const int n = cardan_sim_columns(motion->sim, add);
  double value = NAN, *row = cardan__resize(NULL, NULL, (size_t)n * sizeof *row);
  if (row != NULL && cardan_sim_row(motion->sim, add, row) == CARDAN_OK) {
    for (int k = 0; k < n; k++) {
      char column[64];
      cardan_sim_column(motion->sim, add, k, column, sizeof column);
      value = strcmp(column, name) == 0 ? row[k] : value;
    }
  }
  cardan__resize(NULL, row, 0);
  return value;
}

enum { PIECES = 4096 };

/* One run in pieces of so many steps; best[p]: the least time of each piece so far. */
static cardan_status time_pieces(cardan_sim *sim, int steps, int piece, double best[PIECES],
                                 cardan_report *report)
{
  double start = cardan__clock();
  for (int i = 0, p = 0; i < steps; i++) {
    const cardan_status status = cardan_sim_step(sim, report);
    if (status != CARDAN_OK) {
      return status;
    }
    if ((i + 1) % piece == 0 || i + 1 == steps) {
      const double now = cardan__clock();
      best[p] = fmin(best[p], now - start);
      start = now;
      p++;
    }
  }
  return CARDAN_OK;
}

static void forget(double best[PIECES])
{
  for (int p = 0; p < PIECES; p++) {
    best[p] = HUGE_VAL;
  }
}

/* On a machine with other work a quiet moment of 50 us is found, a quiet run is not. The first run
 * says how many steps that is. */
cardan_status cardan__step_seconds(const char *model, const char *options, double dt, int steps,
                                   int runs, double *seconds, cardan_report *report)
{
  double best[PIECES], sum = 0;
  int piece = steps;
  forget(best);
  for (int k = 0; k < runs; k++) {
    cardan__motion m;
    cardan_status status = cardan__motion_open(model, options, dt, &m, report);
    if (status != CARDAN_OK) {
      return status;
    }
    status = time_pieces(m.sim, steps, piece, best, report);
    cardan__motion_close(&m);
    if (status != CARDAN_OK) {
      return status;
    }
    if (k == 0 && runs > 1) {
      const double pieces = fmin(fmin(steps, PIECES), ceil(best[0] / 50e-6));
      piece = (int)ceil(steps / fmax(pieces, 1));
      forget(best);
    }
  }
  for (int p = 0; p * piece < steps; p++) {
    sum += best[p];
  }
  *seconds = sum / steps;
  return CARDAN_OK;
}
