/* SPDX-License-Identifier: Apache-2.0
 * reproduce/outcome.h - what one figure or table of a paper came to: curves, tables, numbers beside
 * the paper's, and words.
 *
 * The function of an item builds one, piece by piece; write_json.c, write_csv.c, write_markdown.c
 * and svg.c write it. Texts are copied. The first failure to get memory sticks (`failed`): a
 * builder checks it once, at its end, and may call everything until then. */
#pragma once
#include "base/arena.h"

/* What a reader may take from an item. A known erratum or setting is DIFFERS or UNKNOWN, with the
 * reason in the words; that a number here is not where it is expected is another matter
 * (cardan__outcome_holds). */
typedef enum {
  CARDAN__REPRODUCED, // the paper's statement holds here
  CARDAN__DIFFERS,    // it does not, and the words say why
  CARDAN__UNKNOWN,    // the paper does not say enough to tell
  CARDAN__FAILED      // it could not be computed; the words are the message
} cardan__verdict;

/* One curve of a figure. theirs: numbers that the paper prints, drawn as points. */
typedef struct {
  const char *label; // as the paper names it
  bool theirs;
  int n, capacity;
  double *x, *y; // n each; a y that is not finite breaks the line
} cardan__curve;

/* A figure, drawn as the paper draws it. */
enum { CARDAN__CURVES = 16, CARDAN__PLOTS = 8, CARDAN__GRIDS = 4, CARDAN__CLAIMS = 48 };
typedef struct {
  const char *name; // "" for an item's only one, else a suffix of file names: "a", "half-implicit"
  const char *title, *x_label, *y_label;
  bool x_log, y_log;
  bool equal; // a picture: a metre is as long across as up
  int ncurve;
  cardan__curve curve[CARDAN__CURVES];
} cardan__plot;

/* A cell of a table: a text, or our number with the paper's beside it (NAN: it prints none). */
typedef struct {
  const char *text; // NULL: numbers
  double ours, theirs;
} cardan__cell;

enum { CARDAN__COLUMNS = 12 };
typedef struct {
  const char *title;
  int ncolumn;
  const char *column[CARDAN__COLUMNS];
  int ncell, capacity; // by rows, ncolumn to a row
  cardan__cell *cell;
} cardan__grid;

/* A number of the paper beside ours, and where ours is expected: low <= ours <= high. timed: ours
 * follows from measured times, so that other work on the machine can move it out of its bounds;
 * reports show it, and neither verdicts nor tests check it. */
typedef struct {
  const char *what, *unit;
  bool timed;
  double theirs; // NAN: the paper prints none
  double ours, low, high;
} cardan__claim;

typedef struct {
  cardan__arena arena;
  bool failed;
  cardan__verdict verdict;
  const char *words; // why the verdict, in sentences that a reader can check
  int nplot, ngrid, nclaim;
  cardan__plot plot[CARDAN__PLOTS];
  cardan__grid grid[CARDAN__GRIDS];
  cardan__claim claim[CARDAN__CLAIMS];
} cardan__outcome;

void cardan__outcome_init(cardan__outcome *out, const cardan_allocator *allocator);
void cardan__outcome_free(cardan__outcome *out);

/* A new figure; its curves; their points. Pointers stay good. */
typedef enum {
  CARDAN__LINEAR = 0,
  CARDAN__LOG_X = 1,
  CARDAN__LOG_Y = 2,
  CARDAN__EQUAL = 4 // linear, with one scale for both
} cardan__axes;
cardan__plot *cardan__outcome_plot(cardan__outcome *out, const char *name, const char *title,
                                   const char *x_label, const char *y_label, int axes);
cardan__curve *cardan__plot_curve(cardan__outcome *out, cardan__plot *plot, const char *label,
                                  bool theirs);
void cardan__curve_point(cardan__outcome *out, cardan__curve *curve, double x, double y);

/* A new table with its column heads, ncolumn <= CARDAN__COLUMNS; then cells, row by row. */
cardan__grid *cardan__outcome_grid(cardan__outcome *out, const char *title,
                                   const char *const *column, int ncolumn);
void cardan__grid_text(cardan__outcome *out, cardan__grid *grid, const char *format, ...)
    CARDAN_PRINTF(3, 4);
void cardan__grid_numbers(cardan__outcome *out, cardan__grid *grid, double ours, double theirs);

/* A number that is expected in low .. high. The caller explains the bounds. */
void cardan__outcome_claim(cardan__outcome *out, const char *what, const char *unit, double theirs,
                           double ours, double low, double high);

/* The same for a number that follows from measured times (`timed`). */
void cardan__outcome_claim_timed(cardan__outcome *out, const char *what, const char *unit,
                                 double theirs, double ours, double low, double high);

/* The verdict and its reason, printf style. */
void cardan__outcome_say(cardan__outcome *out, cardan__verdict verdict, const char *format, ...)
    CARDAN_PRINTF(3, 4);

/* Is the number, is every number that is not timed, where it is expected? One that is not finite is
 * not. */
bool cardan__claim_holds(const cardan__claim *claim);
bool cardan__outcome_holds(const cardan__outcome *out);
const char *cardan__verdict_text(cardan__verdict verdict);
