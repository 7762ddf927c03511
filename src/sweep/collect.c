// SPDX-License-Identifier: Apache-2.0
#include "sweep/collect.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

/* The four newest rows are kept, row n in place n mod 4 of a ring. When row n comes, the piece
 * between rows n - 2 and n - 1 has a row on either side, and is done; the first piece is done with
 * it when row 3 comes, the last one at the end, both with the four rows at their end. */

enum { ROWS = 4 };

typedef struct {
  const cardan__collect *what;
  int source; // column followed, -1: none
  double sum; // extreme, integral, value at a time, time of a crossing
  bool found; // AT, CROSS: there is one
} item;

struct cardan__collector {
  cardan_allocator alloc;
  int nitem, nsource;
  bool rows, looks;
  item *item;          // nitem
  const char **source; // nsource
  int64_t n;           // rows so far
  double t_start;
  double t[ROWS];       // times of the rows in the ring
  double (*y)[ROWS];    // nsource: their values
  double *first, *last; // nsource: of the first row and the newest
  cardan__cubic *piece; // nsource
};

static bool needs_rows(cardan__collect_kind kind)
{
  return kind >= CARDAN__COLLECT_MIN && kind <= CARDAN__COLLECT_CROSS;
}

/* ---- making ---- */

/* The index of a column among those followed; one more where it is new. */
static int follow(cardan__collector *c, const char *source)
{
  for (int k = 0; k < c->nsource; k++) {
    if (strcmp(c->source[k], source) == 0) {
      return k;
    }
  }
  c->source[c->nsource] = source;
  return c->nsource++;
}

static bool take_memory(cardan__collector *c, size_t n)
{
  c->item = cardan__zeros(&c->alloc, n * sizeof *c->item);
  c->source = cardan__zeros(&c->alloc, n * sizeof *c->source);
  c->y = cardan__zeros(&c->alloc, n * sizeof *c->y);
  c->first = cardan__zeros(&c->alloc, n * sizeof *c->first);
  c->last = cardan__zeros(&c->alloc, n * sizeof *c->last);
  c->piece = cardan__zeros(&c->alloc, n * sizeof *c->piece);
  return c->item && c->source && c->y && c->first && c->last && c->piece;
}

cardan_status cardan__collector_create(const cardan__plan *plan, const cardan_allocator *allocator,
                                       cardan__collector **out)
{
  cardan__collector *c = *out = cardan__zeros(allocator, sizeof **out);
  if (c == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  c->alloc = allocator != NULL ? *allocator : (cardan_allocator){0};
  c->nitem = cardan__plan_ncollect(plan);
  if (!take_memory(c, (size_t)c->nitem + 1)) {
    cardan__collector_destroy(c);
    *out = NULL;
    return CARDAN_ERR_MEMORY;
  }
  for (int i = 0; i < c->nitem; i++) {
    const cardan__collect *what = cardan__plan_collect(plan, i);
    c->item[i].what = what;
    c->item[i].source = what->source != NULL ? follow(c, what->source) : -1;
    c->rows = c->rows || needs_rows(what->kind);
    c->looks =
        c->looks || what->kind == CARDAN__COLLECT_DRIFT || what->kind == CARDAN__COLLECT_CONSTRAINT;
  }
  return CARDAN_OK;
}

void cardan__collector_destroy(cardan__collector *c)
{
  if (c != NULL) {
    const cardan_allocator alloc = c->alloc;
    void *const parts[] = {c->item, c->source, c->y, c->first, c->last, c->piece, c};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
      cardan__resize(&alloc, parts[i], 0);
    }
  }
}

const char *cardan__collector_source(const cardan__collector *c, int k)
{
  return k < c->nsource ? c->source[k] : NULL;
}

int cardan__collector_sources(const cardan__collector *c)
{
  return c->nsource;
}

bool cardan__collector_rows(const cardan__collector *c)
{
  return c->rows;
}

bool cardan__collector_looks(const cardan__collector *c)
{
  return c->looks;
}

/* ---- a motion ---- */

void cardan__collector_begin(cardan__collector *c)
{
  c->n = 0;
  for (int i = 0; i < c->nitem; i++) {
    c->item[i].sum = 0;
    c->item[i].found = false;
  }
}

/* One more value of a column; a NaN stays. */
static void widen(item *it, double y)
{
  const bool more = it->what->kind == CARDAN__COLLECT_MIN ? y < it->sum : y > it->sum;
  it->sum = more || isnan(y) ? y : it->sum;
}

/* May the piece leave low .. high between its rows? */
static bool may_leave(const cardan__cubic *p, double low, double high)
{
  const double way = fabs(p->c[1]) + fabs(p->c[2]) + fabs(p->c[3]);
  return !(p->c[0] - way > low && p->c[0] + way < high); // a NaN may
}

/* May the piece, whose last value is y, come to the level? */
static bool may_meet(const cardan__cubic *p, double y, double level)
{
  const double from = p->c[0];
  return from == level || (from < level) != (y < level) || y == level ||
         may_leave(p, from > level ? level : -HUGE_VAL, from < level ? level : HUGE_VAL);
}

/* What an item makes of the piece from t to t_next, whose last value is y. */
static void take_piece(item *it, const cardan__cubic *p, double t, double t_next, double y)
{
  const double at = it->what->at, h = t_next - t;
  const bool low = it->what->kind == CARDAN__COLLECT_MIN;
  double s[2];
  switch (it->what->kind) {
  case CARDAN__COLLECT_MIN:
  case CARDAN__COLLECT_MAX:
    widen(it, y);
    if (!may_leave(p, low ? it->sum : -HUGE_VAL, low ? HUGE_VAL : it->sum)) {
      break;
    }
    for (int k = cardan__cubic_turns(p, s) - 1; k >= 0; k--) {
      widen(it, cardan__cubic_at(p, s[k]));
    }
    break;
  case CARDAN__COLLECT_MEAN:
  case CARDAN__COLLECT_INTEGRAL:
    it->sum += h * cardan__cubic_mean(p);
    break;
  case CARDAN__COLLECT_RMS:
    it->sum += h * cardan__cubic_mean_square(p);
    break;
  case CARDAN__COLLECT_AT:
    if (at > t && at <= t_next) {
      it->found = true;
      it->sum = at == t_next ? y : cardan__cubic_at(p, (at - t) / h);
    }
    break;
  case CARDAN__COLLECT_CROSS:
    if (it->found || !may_meet(p, y, at)) {
      break;
    }
    s[0] = cardan__cubic_cross(p, y, at, it->what->direction);
    if (s[0] > 0) {
      it->found = true;
      it->sum = t + s[0] * h;
    }
    break;
  default:
    break;
  }
}

/* The piece from row k to row k + 1 through m rows from `from` on, all of them in the ring. */
static void do_piece(cardan__collector *c, int64_t k, int64_t from, int m)
{
  double t[ROWS] = {0}, y[ROWS] = {0};
  const int a = (int)(k - from), b = (int)((k + 1) % ROWS);
  for (int i = 0; i < m; i++) {
    t[i] = c->t[(from + i) % ROWS];
  }
  for (int j = 0; j < c->nsource; j++) {
    for (int i = 0; i < m; i++) {
      y[i] = c->y[j][(from + i) % ROWS];
    }
    c->piece[j] = cardan__cubic_through(t, y, m, a);
  }
  for (int i = 0; i < c->nitem; i++) {
    item *it = &c->item[i];
    if (needs_rows(it->what->kind)) {
      take_piece(it, &c->piece[it->source], t[a], t[a + 1], c->y[it->source][b]);
    }
  }
}

static void take_first(cardan__collector *c, double t, const double *x)
{
  c->t_start = t;
  memcpy(c->first, x, (size_t)c->nsource * sizeof *x);
  for (int i = 0; i < c->nitem; i++) {
    item *it = &c->item[i];
    const cardan__collect_kind kind = it->what->kind;
    if (kind == CARDAN__COLLECT_MIN || kind == CARDAN__COLLECT_MAX) {
      it->sum = x[it->source];
    } else if (kind == CARDAN__COLLECT_AT) {
      it->found = it->what->at == t;
      it->sum = x[it->source];
    }
  }
}

void cardan__collector_row(cardan__collector *c, double t, const double *x)
{
  const int64_t n = c->n++;
  if (n == 0) {
    take_first(c, t, x);
  }
  memcpy(c->last, x, (size_t)c->nsource * sizeof *x);
  c->t[n % ROWS] = t;
  for (int j = 0; j < c->nsource && c->rows; j++) {
    c->y[j][n % ROWS] = x[j];
  }
  if (n == ROWS - 1 && c->rows) {
    do_piece(c, 0, 0, ROWS);
  }
  if (n >= ROWS - 1 && c->rows) {
    do_piece(c, n - 2, n - 3, ROWS);
  }
}

/* Pieces that no row came behind of: the last one, or all of a few rows. */
static void do_rest(cardan__collector *c)
{
  const int64_t last = c->n - 1;
  if (c->n >= ROWS) {
    do_piece(c, last - 1, last - 3, ROWS);
    return;
  }
  for (int64_t k = 0; k < last; k++) {
    do_piece(c, k, 0, (int)c->n);
  }
}

/* Of a motion's length T; y: the last value. */
static double end_of_rows(const cardan__collector *c, const item *it, double T)
{
  const double y = c->last[it->source], h = c->n > 1 ? T / (double)(c->n - 1) : 0;
  const double t = c->t[(c->n - 1) % ROWS];
  switch (it->what->kind) {
  case CARDAN__COLLECT_MEAN:
    return T > 0 ? it->sum / T : y;
  case CARDAN__COLLECT_RMS:
    return T > 0 ? sqrt(it->sum / T) : fabs(y);
  case CARDAN__COLLECT_AT: // at the end, to rounding
    return it->found ? it->sum : fabs(it->what->at - t) <= 1e-9 * h ? y : (double)NAN;
  case CARDAN__COLLECT_CROSS:
    return it->found ? it->sum : (double)NAN;
  default:
    return it->sum;
  }
}

static double end_of(const cardan__collector *c, const item *it, const cardan_stats *stats,
                     double t, bool last)
{
  switch (it->what->kind) {
  case CARDAN__COLLECT_START:
    return c->n > 0 ? c->first[it->source] : (double)NAN;
  case CARDAN__COLLECT_END:
    return c->n > 0 && (last || c->rows) ? c->last[it->source] : (double)NAN;
  case CARDAN__COLLECT_DRIFT:
    return stats->drift_max;
  case CARDAN__COLLECT_ERROR:
    return stats->error.value;
  case CARDAN__COLLECT_CONSTRAINT:
    return stats->constraint_max;
  case CARDAN__COLLECT_ITERATIONS:
    return stats->iterations_mean;
  case CARDAN__COLLECT_EVALUATIONS:
    return (double)stats->evaluations;
  case CARDAN__COLLECT_STEPS:
    return (double)stats->steps;
  case CARDAN__COLLECT_REACHED:
    return t;
  default:
    return c->n > 0 ? end_of_rows(c, it, c->t[(c->n - 1) % ROWS] - c->t_start) : (double)NAN;
  }
}

void cardan__collector_end(cardan__collector *c, const cardan_stats *stats, double t, bool last,
                           double *value)
{
  if (c->rows) {
    do_rest(c);
  }
  for (int i = 0; i < c->nitem; i++) {
    value[i] = stats != NULL ? end_of(c, &c->item[i], stats, t, last) : (double)NAN;
  }
}
