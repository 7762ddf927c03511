// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "sweep/summary.h"

/* What results depend on, by the way a plan has its cases: analysis/sensitivity.h has the
 * estimators. */

const char *cardan__influence_word(cardan__influence_kind kind)
{
  static const char *const words[] = {"none", "blocks", "bins", "grid"};
  return words[kind];
}

static const char *const of_blocks[] = {
    "First order: the share of the variance that this number makes by itself. Total order: by "
    "itself and together with others. A. Saltelli et al. 2010, Table 2: (b) or (c), whichever is "
    "surer, and (f); 95 % intervals by bootstrap, 500 times, with a fixed seed.",
    "The shares are those of the numbers as they are drawn: other spreads, other shares. First "
    "orders may be estimated a little below 0, where the truth is near 0."};
static const char *const of_bins[] = {
    "First order: the share of the variance that lies between means of bins of this number (of an "
    "axis, between its levels), less what chance gives; 95 % intervals by leaving out one fiftieth "
    "of the cases after the other.",
    "Total order, which has what numbers do together, needs a plan with (sensitivity)."};
static const char of_grid[] =
    "Main effect: the share of the variance that lies between the levels of this axis, all levels "
    "counting alike. A grid is no sample: there is no interval, and no index of a distribution; "
    "draw numbers, with (sensitivity), for those.";
static const char of_pool[] =
    "The plan has a grid, too: variances are added up over its points before they are shared out.";

/* Has the plan an axis beside the numbers that it draws? */
static bool has_axis(const cardan_sweep_summary *summary)
{
  for (int k = 0; k < summary->ncolumn; k++) {
    const cardan__sweep_summary_column *c = &summary->column[k];
    if (c->role == CARDAN__ROLE_GRID && c->all.min < c->all.max) {
      return true;
    }
  }
  return false;
}

const char *cardan__influence_words(const cardan_sweep_summary *summary, int k)
{
  switch (summary->kind) {
  case CARDAN__INFLUENCE_GRID:
    return k == 0 ? of_grid : NULL;
  case CARDAN__INFLUENCE_BINS:
    return k < 2 ? of_bins[k] : NULL;
  case CARDAN__INFLUENCE_BLOCKS:
    return k < 2 ? of_blocks[k] : k == 2 && has_axis(summary) ? of_pool : NULL;
  default:
    return NULL;
  }
}

/* Memory for one result at a time: the cases of it that count. */
typedef struct {
  int64_t n;
  double *y, *y_rank, *x, *x_rank; // n each
  int32_t *group;
} sample;

static bool take_sample(cardan_sweep_summary *s, sample *at)
{
  const cardan_allocator *alloc = &s->arena.alloc;
  const size_t n = (size_t)s->ncase;
  double *numbers = cardan__resize(alloc, NULL, 4 * n * sizeof *numbers);
  *at = (sample){.y = numbers, .group = cardan__resize(alloc, NULL, n * sizeof *at->group)};
  if (numbers != NULL) {
    at->y_rank = numbers + n;
    at->x = numbers + 2 * n;
    at->x_rank = numbers + 3 * n;
  }
  return numbers != NULL && at->group != NULL;
}

static void free_sample(const cardan_sweep_summary *s, sample *at)
{
  cardan__resize(&s->arena.alloc, at->y, 0);
  cardan__resize(&s->arena.alloc, at->group, 0);
}

/* Is a case part of the statistics of a result? */
static bool is_counted(const cardan_sweep_summary *s, const cardan__sweep_summary_column *result,
                       int64_t i)
{
  return cardan__sweep_summary_counts(s, i) && isfinite(result->value[i]);
}

static void gather(const cardan_sweep_summary *s, const cardan__sweep_summary_column *result,
                   const cardan__sweep_summary_column *of, double *out, int64_t *n)
{
  *n = 0;
  for (int64_t i = 0; i < s->ncase; i++) {
    if (is_counted(s, result, i)) {
      out[(*n)++] = of->value[i];
    }
  }
}

/* Share and correlation for one input. */
static cardan_status by_groups(const cardan_sweep_summary *s,
                               const cardan__sweep_summary_column *result,
                               const cardan__sweep_summary_column *input, sample *at,
                               cardan__index *first, double *rank)
{
  const cardan_allocator *alloc = &s->arena.alloc;
  gather(s, result, input, at->x, &at->n);
  const cardan_status status = cardan__ranks(at->x, at->n, alloc, at->x_rank);
  if (status != CARDAN_OK) {
    return status;
  }
  *rank = input->nword > 0 ? (double)NAN : cardan__correlation(at->x_rank, at->y_rank, at->n);
  if (s->kind == CARDAN__INFLUENCE_BLOCKS) {
    return CARDAN_OK;
  }
  const int ngroup = input->role == CARDAN__ROLE_DRAWN
                         ? cardan__bins(at->x_rank, at->n, at->group)
                         : cardan__levels(at->x_rank, at->n, alloc, at->group);
  return ngroup < 0 ? CARDAN_ERR_MEMORY
                    : cardan__effect(at->y, at->group, at->n, ngroup,
                                     s->kind == CARDAN__INFLUENCE_BINS, alloc, first);
}

/* Indices of blocks: the cases of a plan are blocks already, those that failed or are in doubt
 * have no number. */
static cardan_status by_blocks(const cardan_sweep_summary *s,
                               const cardan__sweep_summary_column *result, cardan__influence *out)
{
  const int width = s->ninput + 2;
  const int64_t nblock = cardan__plan_samples(s->plan), npoint = s->ncase / (nblock * width);
  double *y = cardan__resize(&s->arena.alloc, NULL, (size_t)s->ncase * sizeof *y);
  if (y == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  for (int64_t i = 0; i < s->ncase; i++) {
    y[i] = is_counted(s, result, i) ? result->value[i] : (double)NAN;
  }
  out->of = npoint * nblock;
  const cardan_status status = cardan__saltelli(y, npoint, nblock, s->ninput, &s->arena.alloc,
                                                out->first, out->total, &out->used);
  cardan__resize(&s->arena.alloc, y, 0);
  return status;
}

static cardan_status find_influence(cardan_sweep_summary *s, sample *at, cardan__influence *out)
{
  const cardan__sweep_summary_column *result = &s->column[out->column];
  const bool blocks = s->kind == CARDAN__INFLUENCE_BLOCKS;
  const size_t n = (size_t)s->ninput;
  out->first = cardan__arena_take(&s->arena, n, sizeof *out->first);
  out->rank = cardan__arena_take(&s->arena, n, sizeof *out->rank);
  out->total = blocks ? cardan__arena_take(&s->arena, n, sizeof *out->total) : NULL;
  if (out->first == NULL || out->rank == NULL || (blocks && out->total == NULL)) {
    return CARDAN_ERR_MEMORY;
  }
  gather(s, result, result, at->y, &at->n);
  out->used = at->n;
  out->of = s->ncase;
  cardan_status status = cardan__ranks(at->y, at->n, &s->arena.alloc, at->y_rank);
  for (int i = 0; i < s->ninput && status == CARDAN_OK; i++) {
    status = by_groups(s, result, &s->column[s->input[i]], at, &out->first[i], &out->rank[i]);
  }
  return status == CARDAN_OK && blocks ? by_blocks(s, result, out) : status;
}

/* Columns that differ. Of a plan with (sensitivity) all that are drawn, in their order, also one
 * that does not: blocks are made of them. */
static bool find_inputs(cardan_sweep_summary *s)
{
  const bool blocks = cardan__plan_sensitivity(s->plan);
  bool drawn = false;
  s->input = cardan__arena_take(&s->arena, (size_t)s->ncolumn, sizeof *s->input);
  s->influence = cardan__arena_take(&s->arena, (size_t)s->ncolumn, sizeof *s->influence);
  if (s->input == NULL || s->influence == NULL) {
    return false;
  }
  for (int v = 0; v < cardan__plan_nvaried(s->plan); v++) {
    for (int k = 0; k < s->ncolumn; k++) {
      const cardan__sweep_summary_column *c = &s->column[k];
      const bool is_drawn = c->role == CARDAN__ROLE_DRAWN;
      if (c->varied == cardan__plan_varied(s->plan, v) &&
          (blocks ? is_drawn : c->all.min < c->all.max)) {
        s->input[s->ninput++] = k;
        drawn = drawn || is_drawn;
      }
    }
  }
  for (int k = 0; k < s->ncolumn; k++) {
    if (s->column[k].role == CARDAN__ROLE_COLLECTED && s->column[k].nword == 0) {
      s->influence[s->ninfluence++].column = k;
    }
  }
  s->kind = blocks  ? CARDAN__INFLUENCE_BLOCKS
            : drawn ? CARDAN__INFLUENCE_BINS
                    : CARDAN__INFLUENCE_GRID;
  return true;
}

cardan_status cardan__sweep_summary_influence(cardan_sweep_summary *summary)
{
  sample at;
  if (!find_inputs(summary)) {
    return CARDAN_ERR_MEMORY;
  }
  if (summary->ninput == 0 || summary->ninfluence == 0) {
    summary->kind = CARDAN__INFLUENCE_NONE;
    summary->ninfluence = 0;
    return CARDAN_OK;
  }
  cardan_status status = take_sample(summary, &at) ? CARDAN_OK : CARDAN_ERR_MEMORY;
  for (int i = 0; i < summary->ninfluence && status == CARDAN_OK; i++) {
    status = find_influence(summary, &at, &summary->influence[i]);
  }
  free_sample(summary, &at);
  return status;
}
