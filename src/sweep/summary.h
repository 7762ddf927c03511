/* SPDX-License-Identifier: Apache-2.0
 * sweep/summary.h - a sweep's result in columns, and what is computed from it. */
#pragma once
#include "analysis/sensitivity.h"
#include "base/arena.h"
#include "cardan/sweep_result.h"
#include "cardan/sweep_summary.h"
#include "output/json.h"
#include "sweep/plan.h"

/* What a column is. */
typedef enum {
  CARDAN__ROLE_NUMBER, // of the case
  CARDAN__ROLE_STATUS,
  CARDAN__ROLE_GRID,  // differs, by an axis
  CARDAN__ROLE_DRAWN, // differs, drawn
  CARDAN__ROLE_COLLECTED
} cardan__role;

typedef struct {
  const char *name;
  cardan__role role;
  const cardan__varied *varied;   // of what differs
  const cardan__collect *collect; // of what is collected
  const char *const *word;        // numbers are indices of nword words
  int nword;                      // 0: numbers are numbers
  double *value;                  // ncase
  cardan__moments moments;        // of cases that count
  cardan__moments all;            // of all that have a number
} cardan__sweep_summary_column;

/* What one result depends on, in the order of the summary's inputs. */
typedef struct {
  int column;
  int64_t used, of; // cases that count, or blocks of cases
  cardan__index *first;
  cardan__index *total; // NULL: not known
  double *rank;         // correlations of ranks; NaN: not known
} cardan__influence;

/* Where shares of variances come from. */
typedef enum {
  CARDAN__INFLUENCE_NONE,
  CARDAN__INFLUENCE_BLOCKS, // a plan with (sensitivity)
  CARDAN__INFLUENCE_BINS,   // drawn numbers
  CARDAN__INFLUENCE_GRID    // axes alone
} cardan__influence_kind;

/* A grid of two axes and nothing else: case i ny + j is at value i of x and j of y. */
typedef struct {
  int x, y; // columns; -1: there is no such grid
  int64_t nx, ny;
} cardan__sweep_summary_grid;

struct cardan_sweep_summary {
  cardan__arena arena;
  const char *path;
  cardan_sweep_result *sweep_result;
  cardan__plan *plan;
  cardan__sweep_summary_column *column; // ncolumn
  int ncolumn, status;                  // status: which column
  int64_t ncase, failed, doubts;        // doubts: cases that ended well, with a message
  bool *doubtful;                       // ncase
  int64_t *by_status;                   // how many cases have each word of the status column
  int64_t *first_of_status;             // the first of them
  cardan__sweep_summary_grid grid;
  cardan__influence_kind kind;
  int *input; // ninput columns
  int ninput;
  cardan__influence *influence; // ninfluence
  int ninfluence;
};

/* Did a case end well? */
static inline bool cardan__sweep_summary_ended(const cardan_sweep_summary *summary, int64_t i)
{
  return summary->column[summary->status].value[i] == 0;
}

/* How a case ended. */
static inline cardan_status cardan__sweep_summary_status(const cardan_sweep_summary *summary,
                                                         int64_t i)
{
  return (cardan_status) - (int)summary->column[summary->status].value[i];
}

/* Does a case count in statistics? It ended well, and its motion is not in doubt. */
static inline bool cardan__sweep_summary_counts(const cardan_sweep_summary *summary, int64_t i)
{
  return cardan__sweep_summary_ended(summary, i) && !summary->doubtful[i];
}

/* The message of a case; NULL: none. */
const char *cardan__sweep_summary_message(const cardan_sweep_summary *summary, int64_t number);

/* Fills what follows grid. returns CARDAN_ERR_MEMORY */
cardan_status cardan__sweep_summary_influence(cardan_sweep_summary *summary) CARDAN_MUST_USE;

/* Sentences on what the shares of a summary are; NULL after the last. */
const char *cardan__influence_words(const cardan_sweep_summary *summary, int k);
const char *cardan__influence_word(cardan__influence_kind kind); // "blocks"
const char *cardan__role_word(cardan__role role);                // "grid"

/* "sensitivity" as JSON; columns by name, or by index. */
void cardan__sweep_summary_sensitivity(const cardan_sweep_summary *summary, bool names,
                                       cardan__json *json);

/* What cardan_sweep_summary_describe says, as JSON and in words. */
void cardan__sweep_summary_facts(const cardan_sweep_summary *s, const char *key,
                                 cardan__json *json);
void cardan__sweep_summary_labels(const cardan_sweep_summary *s, cardan__text *out);

/* Columns of the cases of a page, and pictures of a grid; motions that were kept. */
void cardan__sweep_summary_cases(const cardan_sweep_summary *summary, cardan__json *json);
cardan_status cardan__sweep_summary_motions(cardan_sweep_summary *summary, cardan__json *json,
                                            cardan_report *report) CARDAN_MUST_USE;
/* The motions that a page has, of those kept: how many, and which is the i-th. */
int cardan__sweep_summary_nmotion(const cardan_sweep_summary *summary);
int cardan__sweep_summary_motion(const cardan_sweep_summary *summary, int i);
