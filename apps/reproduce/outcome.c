// SPDX-License-Identifier: Apache-2.0
#include "reproduce/outcome.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"

void cardan__outcome_init(cardan__outcome *out, const cardan_allocator *allocator)
{
  *out = (cardan__outcome){.words = ""};
  cardan__arena_init(&out->arena, allocator);
}

void cardan__outcome_free(cardan__outcome *out)
{
  cardan__arena_free(&out->arena);
}

static const char *keep_bytes(cardan__outcome *out, const char *text, size_t length)
{
  const char *kept = cardan__arena_text(&out->arena, text, length);
  out->failed = out->failed || kept == NULL;
  return kept ? kept : "";
}

static const char *keep(cardan__outcome *out, const char *text)
{
  return keep_bytes(out, text, strlen(text));
}

static const char *keep_printf(cardan__outcome *out, const char *format, va_list args)
{
  cardan__text text;
  cardan__text_init(&text, &out->arena.alloc);
  cardan__text_vprintf(&text, format, args);
  out->failed = out->failed || text.failed;
  const char *kept = keep_bytes(out, text.failed ? "" : text.data, text.failed ? 0 : text.length);
  cardan__text_free(&text);
  return kept;
}

/* An array of the arena with room for one more: itself, or a copy of twice its size. */
static void *room_for_one(cardan__outcome *out, void *items, int n, int capacity, size_t size)
{
  if (n < capacity) {
    return items;
  }
  void *more = cardan__arena_take(&out->arena, n > 0 ? 2 * (size_t)n : 16, size);
  out->failed = out->failed || more == NULL;
  if (more && n > 0) {
    memcpy(more, items, (size_t)n * size);
  }
  return more;
}

static int grown(int n, int capacity)
{
  return n < capacity ? capacity : n > 0 ? 2 * n : 16;
}

cardan__plot *cardan__outcome_plot(cardan__outcome *out, const char *name, const char *title,
                                   const char *x_label, const char *y_label, int axes)
{
  CARDAN_ASSERT(out->nplot < CARDAN__PLOTS);
  cardan__plot *plot = &out->plot[out->nplot++];
  plot->name = keep(out, name);
  plot->title = keep(out, title);
  plot->x_label = keep(out, x_label);
  plot->y_label = keep(out, y_label);
  plot->x_log = (axes & CARDAN__LOG_X) != 0;
  plot->y_log = (axes & CARDAN__LOG_Y) != 0;
  plot->equal = axes == CARDAN__EQUAL;
  return plot;
}

cardan__curve *cardan__plot_curve(cardan__outcome *out, cardan__plot *plot, const char *label,
                                  bool theirs)
{
  CARDAN_ASSERT(plot->ncurve < CARDAN__CURVES);
  cardan__curve *curve = &plot->curve[plot->ncurve++];
  curve->label = keep(out, label);
  curve->theirs = theirs;
  return curve;
}

void cardan__curve_point(cardan__outcome *out, cardan__curve *curve, double x, double y)
{
  double *xs = room_for_one(out, curve->x, curve->n, curve->capacity, sizeof *xs);
  double *ys = room_for_one(out, curve->y, curve->n, curve->capacity, sizeof *ys);
  if (xs == NULL || ys == NULL) {
    return;
  }
  curve->capacity = grown(curve->n, curve->capacity);
  curve->x = xs;
  curve->y = ys;
  curve->x[curve->n] = x;
  curve->y[curve->n++] = y;
}

cardan__grid *cardan__outcome_grid(cardan__outcome *out, const char *title,
                                   const char *const *column, int ncolumn)
{
  CARDAN_ASSERT(out->ngrid < CARDAN__GRIDS && ncolumn <= CARDAN__COLUMNS);
  cardan__grid *grid = &out->grid[out->ngrid++];
  grid->title = keep(out, title);
  grid->ncolumn = ncolumn;
  for (int i = 0; i < ncolumn; i++) {
    grid->column[i] = keep(out, column[i]);
  }
  return grid;
}

static void add_cell(cardan__outcome *out, cardan__grid *grid, cardan__cell cell)
{
  cardan__cell *cells = room_for_one(out, grid->cell, grid->ncell, grid->capacity, sizeof *cells);
  if (cells != NULL) {
    grid->capacity = grown(grid->ncell, grid->capacity);
    grid->cell = cells;
    grid->cell[grid->ncell++] = cell;
  }
}

void cardan__grid_text(cardan__outcome *out, cardan__grid *grid, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  add_cell(out, grid, (cardan__cell){.text = keep_printf(out, format, args)});
  va_end(args);
}

void cardan__grid_numbers(cardan__outcome *out, cardan__grid *grid, double ours, double theirs)
{
  add_cell(out, grid, (cardan__cell){.ours = ours, .theirs = theirs});
}

void cardan__outcome_claim(cardan__outcome *out, const char *what, const char *unit, double theirs,
                           double ours, double low, double high)
{
  CARDAN_ASSERT(out->nclaim < CARDAN__CLAIMS);
  out->claim[out->nclaim++] = (cardan__claim){.what = keep(out, what),
                                              .unit = keep(out, unit),
                                              .theirs = theirs,
                                              .ours = ours,
                                              .low = low,
                                              .high = high};
}

void cardan__outcome_claim_timed(cardan__outcome *out, const char *what, const char *unit,
                                 double theirs, double ours, double low, double high)
{
  cardan__outcome_claim(out, what, unit, theirs, ours, low, high);
  out->claim[out->nclaim - 1].timed = true;
}

void cardan__outcome_say(cardan__outcome *out, cardan__verdict verdict, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  out->verdict = verdict;
  out->words = keep_printf(out, format, args);
  va_end(args);
}

bool cardan__claim_holds(const cardan__claim *claim)
{
  return isfinite(claim->ours) && claim->low <= claim->ours && claim->ours <= claim->high;
}

bool cardan__outcome_holds(const cardan__outcome *out)
{
  bool holds = out->verdict != CARDAN__FAILED;
  for (int i = 0; i < out->nclaim; i++) {
    holds = holds && (out->claim[i].timed || cardan__claim_holds(&out->claim[i]));
  }
  return holds;
}

const char *cardan__verdict_text(cardan__verdict verdict)
{
  static const char *const text[] = {"reproduced", "differs", "cannot be known", "failed"};
  return text[verdict];
}
