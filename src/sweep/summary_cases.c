// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "sweep/summary.h"

/* The cases of a page. All of them where there is room; else one of each stretch of equal length,
 * by chance and the same whenever the page is made, and those that the page mentions: the first
 * of each ending, those with motions. Numbers of a column are 4-byte differences from a base: 0,
 * or, where they are close together, their middle. */

enum { MOST_CASES = 200000, PICTURE_BYTES = 32000000, CASE_BYTES = 24000000 };

/* A number in base64 takes so many bytes. */
static const double number_bytes = 4 * 4.0 / 3;

/* Which cases are shown: n numbers, ascending; all: every one. */
typedef struct {
  int64_t *number;
  int64_t n;
} chosen;

static uint64_t mix(uint64_t z)
{
  z += 0x9e3779b97f4a7c15u; // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Adds a number behind the others, in its place. */
static void insert(chosen *c, int64_t number)
{
  int64_t at = c->n;
  while (at > 0 && c->number[at - 1] > number) {
    at--;
  }
  if (at > 0 && c->number[at - 1] == number) {
    return;
  }
  for (int64_t k = c->n; k > at; k--) {
    c->number[k] = c->number[k - 1];
  }
  c->number[at] = number;
  c->n++;
}

static void choose(const cardan_sweep_summary *s, int64_t n, chosen *c)
{
  for (int64_t m = 0; m < n; m++) {
    const int64_t from = (int64_t)((double)m * (double)s->ncase / (double)n);
    const int64_t to = (int64_t)((double)(m + 1) * (double)s->ncase / (double)n);
    c->number[c->n++] = from + (int64_t)(mix((uint64_t)m) % (uint64_t)(to - from));
  }
  const int nword = s->column[s->status].nword;
  for (int w = 1; w < nword; w++) {
    if (s->by_status[w] > 0) {
      insert(c, s->first_of_status[w]);
    }
  }
  for (int m = 0; m < cardan__sweep_summary_nmotion(s); m++) {
    insert(c, s->sweep_result->kept[cardan__sweep_summary_motion(s, m)]);
  }
}

/* From which numbers of a column are counted. */
static double base_of(const cardan__sweep_summary_column *c)
{
  const double low = c->all.min, high = c->all.max;
  const bool close = high - low < fmax(fabs(low), fabs(high)) / 1024;
  return c->all.n > 0 && close ? low + (high - low) / 2 : 0;
}

static void add_numbers(cardan__json *json, const cardan__sweep_summary_column *c,
                        const chosen *only, int64_t n)
{
  const double base = base_of(c);
  cardan__base64 b;
  cardan__json_number(json, "base", base);
  cardan__base64_open(&b, json, "data");
  for (int64_t i = 0; i < n; i++) {
    cardan__base64_float(&b, (float)(c->value[only ? only->number[i] : i] - base));
  }
  cardan__base64_close(&b);
}

/* Of each case, 1 where it ended well and is in doubt. */
static void add_doubtful(cardan__json *json, const cardan_sweep_summary *s, const chosen *only,
                         int64_t n)
{
  cardan__base64 b;
  cardan__base64_open(&b, json, "doubtful");
  for (int64_t i = 0; i < n; i++) {
    cardan__base64_short(&b, s->doubtful[only ? only->number[i] : i]);
  }
  cardan__base64_close(&b);
}

static void add_moments(cardan__json *json, const cardan__moments *m)
{
  cardan__json_open(json, "moments", '{');
  cardan__json_int(json, "n", m->n);
  cardan__json_number(json, "mean", m->mean);
  cardan__json_number(json, "sd", m->sd);
  cardan__json_number(json, "min", m->min);
  cardan__json_number(json, "max", m->max);
  cardan__json_numbers(json, "quantiles", m->quantile, CARDAN__QUANTILES);
  cardan__json_close(json, '}');
}

/* What is collected, for its unit: a word, and the column of a motion. */
static void add_origin(cardan__json *json, const cardan__sweep_summary_column *c)
{
  static const char *const words[] = {[CARDAN__COLLECT_END] = "end",
                                      [CARDAN__COLLECT_START] = "start",
                                      [CARDAN__COLLECT_MIN] = "min",
                                      [CARDAN__COLLECT_MAX] = "max",
                                      [CARDAN__COLLECT_MEAN] = "mean",
                                      [CARDAN__COLLECT_RMS] = "rms",
                                      [CARDAN__COLLECT_INTEGRAL] = "integral",
                                      [CARDAN__COLLECT_AT] = "at",
                                      [CARDAN__COLLECT_CROSS] = "cross",
                                      [CARDAN__COLLECT_DRIFT] = "drift",
                                      [CARDAN__COLLECT_ERROR] = "",
                                      [CARDAN__COLLECT_CONSTRAINT] = "",
                                      [CARDAN__COLLECT_ITERATIONS] = "",
                                      [CARDAN__COLLECT_EVALUATIONS] = "",
                                      [CARDAN__COLLECT_STEPS] = "",
                                      [CARDAN__COLLECT_REACHED] = "time"};
  if (c->collect != NULL) {
    cardan__json_string(json, "how", words[c->collect->kind]);
    cardan__json_string(json, "of", c->collect->source);
  } else if (c->varied != NULL && c->varied->kind == CARDAN__VARIED_START) {
    cardan__json_string(json, "how", "start");
    cardan__json_string(json, "of", c->varied->name);
  } else if (c->varied != NULL && c->varied->kind == CARDAN__VARIED_OPTION &&
             (strcmp(c->varied->name, "dt") == 0 || strcmp(c->varied->name, "time") == 0)) {
    cardan__json_string(json, "how", "time");
  }
}

static void add_column(cardan__json *json, const cardan__sweep_summary_column *c,
                       const chosen *only, int64_t n)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "name", c->name);
  cardan__json_string(json, "role", cardan__role_word(c->role));
  add_origin(json, c);
  if (c->nword > 0) {
    cardan__json_open(json, "words", '[');
    for (int w = 0; w < c->nword; w++) {
      cardan__json_string(json, NULL, c->word[w]);
    }
    cardan__json_close(json, ']');
  }
  if (c->role != CARDAN__ROLE_NUMBER) {
    add_numbers(json, c, only, n);
    add_moments(json, &c->moments);
  }
  cardan__json_close(json, '}');
}

/* Has a grid a picture of this column? Of how cases ended where not all ended well. */
static bool has_picture(const cardan_sweep_summary *s, int k)
{
  return s->column[k].role == CARDAN__ROLE_COLLECTED ||
         (s->column[k].role == CARDAN__ROLE_STATUS && s->failed > 0);
}

/* Of columns that are thinned otherwise all numbers, as long as there is room. */
static void add_pictures(cardan__json *json, const cardan_sweep_summary *s)
{
  const int most = (int)(PICTURE_BYTES / (number_bytes * (double)s->ncase));
  int n = 0;
  cardan__json_open(json, "pictures", '[');
  for (int k = 0; k < s->ncolumn; k++) {
    if (has_picture(s, k) && n++ < most) {
      cardan__json_open(json, NULL, '{');
      cardan__json_int(json, "column", k);
      add_numbers(json, &s->column[k], NULL, s->ncase);
      cardan__json_close(json, '}');
    }
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "left", '[');
  n = 0;
  for (int k = 0; k < s->ncolumn; k++) {
    if (has_picture(s, k) && n++ >= most) {
      cardan__json_string(json, NULL, s->column[k].name);
    }
  }
  cardan__json_close(json, ']');
}

static void add_grid(cardan__json *json, const cardan_sweep_summary *s, bool thinned)
{
  const cardan__sweep_summary_grid *g = &s->grid;
  cardan__json_open(json, "grid", '{');
  cardan__json_int(json, "x", g->x);
  cardan__json_int(json, "y", g->y);
  cardan__json_int(json, "nx", g->nx);
  cardan__json_int(json, "ny", g->ny);
  cardan__json_open(json, "xs", '[');
  for (int64_t i = 0; i < g->nx; i++) {
    cardan__json_number(json, NULL, s->column[g->x].value[i * g->ny]);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "ys", '[');
  for (int64_t j = 0; j < g->ny; j++) {
    cardan__json_number(json, NULL, s->column[g->y].value[j]);
  }
  cardan__json_close(json, ']');
  if (thinned) {
    add_pictures(json, s);
  }
  cardan__json_close(json, '}');
}

void cardan__sweep_summary_cases(const cardan_sweep_summary *summary, cardan__json *json)
{
  const double fits = CASE_BYTES / (number_bytes * summary->ncolumn);
  const int64_t most = fits < MOST_CASES ? (int64_t)fits : MOST_CASES;
  const int64_t more =
      summary->column[summary->status].nword + cardan__sweep_summary_nmotion(summary);
  const bool thinned = summary->ncase > most;
  chosen some = {0};
  if (thinned) {
    some.number =
        cardan__resize(&summary->arena.alloc, NULL, (size_t)(most + more) * sizeof *some.number);
    if (some.number == NULL) {
      json->text.failed = true;
      return;
    }
    choose(summary, most, &some);
    cardan__base64 b;
    cardan__base64_open(&b, json, "numbers");
    for (int64_t i = 0; i < some.n; i++) {
      cardan__base64_double(&b, (double)some.number[i]);
    }
    cardan__base64_close(&b);
  }
  const int64_t n = thinned ? some.n : summary->ncase;
  cardan__json_int(json, "shown", n);
  if (summary->doubts > 0) {
    add_doubtful(json, summary, thinned ? &some : NULL, n);
  }
  cardan__json_open(json, "columns", '[');
  for (int k = 0; k < summary->ncolumn; k++) {
    add_column(json, &summary->column[k], thinned ? &some : NULL, n);
  }
  cardan__json_close(json, ']');
  if (summary->grid.x >= 0) {
    add_grid(json, summary, thinned);
  }
  cardan__resize(&summary->arena.alloc, some.number, 0);
}
