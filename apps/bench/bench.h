/* SPDX-License-Identifier: Apache-2.0
 * bench/bench.h - tables of measured numbers, and how a number is measured.
 *
 * A part (kernels.c, steps.c, ..) opens a table, measures, and fills it row by row. Texts are
 * copied. The first failure to get memory sticks in `figures.failed`; calls after it do nothing,
 * and whoever ran the parts looks once. */
#pragma once
#include "base/text.h"
#include "bench/cardan_bench.h"
#include "reproduce/outcome.h"

enum { CARDAN__BENCH_COLUMNS = 10, CARDAN__BENCH_TABLES = 32 };

typedef struct {
  const char *label;                       // "vi", "MuJoCo 2.2.2 RK4"
  const char *how;                         // what the numbers hold for: step, tolerance, ..; or ""
  double value[CARDAN__BENCH_COLUMNS];     // NAN: none
  double before[CARDAN__BENCH_COLUMNS];    // of the earlier result; NAN: none
  const char *note[CARDAN__BENCH_COLUMNS]; // why there is none; NULL: nothing to say
} cardan__bench_row;

typedef struct {
  const char *part;  // that it belongs to
  const char *name;  // "steps-chain": stays the same from run to run
  const char *title; // with the unit of its numbers
  const char *words; // below it; "" none
  bool told;         // its `how` is worth a column
  int ncolumn;
  const char *column[CARDAN__BENCH_COLUMNS];
  int nrow, capacity;
  cardan__bench_row *row;
} cardan__bench_table;

typedef struct {
  char processor[96], compiler[96], flags[400], blas[96], date[16];
  int cores;
} cardan__bench_machine;

/* One number of an earlier result. */
typedef struct {
  const char *table, *row, *column;
  double value;
} cardan__bench_old;

struct cardan_bench_result {
  cardan_allocator allocator;
  cardan__outcome figures; // its plots; its arena holds all texts and rows
  bool quick;
  cardan__bench_machine machine;
  int ntable;
  cardan__bench_table table[CARDAN__BENCH_TABLES];
  int nold, old_capacity;
  cardan__bench_old *old;
};

/* A run: what the parts work on. */
typedef struct {
  const cardan_bench_options *options;
  cardan_bench_result *result;
  const char *part;            // that runs
  double done, share;          // of everything: what parts before it were, and what this one is
  double part_done;            // of this part, 0 to 1
  struct cardan__peers *peers; // NULL: none were requested
} cardan__bench;

/* A table and its rows; column: ncolumn heads. row_of: the row of that label, made when there is
 * none yet. Labels and heads have no commas. Pointers to tables stay good. set: NAN with a note for
 * what cannot be had. */
cardan__bench_table *cardan__bench_table_new(cardan__bench *b, const char *name, const char *title,
                                             const char *words, const char *const *column,
                                             int ncolumn);
int cardan__bench_row_of(cardan__bench *b, cardan__bench_table *t, const char *label,
                         const char *how);
void cardan__bench_words(cardan__bench *b, cardan__bench_table *t, const char *words);
void cardan__bench_set(cardan__bench *b, cardan__bench_table *t, int row, int column, double value,
                       const char *note);
/* It is complete: passes it to the caller's callback for tables. */
void cardan__bench_table_done(cardan__bench *b, const cardan__bench_table *t);

/* Reads lines table,row,column,value. returns CARDAN_ERR_SYNTAX with the line in report */
cardan_status cardan__bench_read_before(cardan_bench_result *r, const char *text, const char *file,
                                        cardan_report *report) CARDAN_MUST_USE;

void cardan__bench_find_machine(cardan__bench_machine *m);

/* How far this part is, 0 to 1. returns CARDAN_ERR_STOPPED when the caller has had enough */
cardan_status cardan__bench_progress(cardan__bench *b, double done) CARDAN_MUST_USE;

/* ---- measuring ---- */

enum { CARDAN__PIECES = 10 };

/* Something that is timed: batches of `pieces` times n calls. The least time of each piece counts,
 * so that another program's share of the machine does not.
 * begin    before each batch, not timed; NULL: one call where n is more
 * run      n calls
 * seconds  how long the last run took; NULL: processor time of this thread
 * n        calls of a piece; 0: found, so that a piece takes about 2 ms
 * A status other than CARDAN_OK takes it out: failed, message. */
typedef struct {
  void *subject;
  cardan_status (*begin)(void *subject, cardan_report *report);
  cardan_status (*run)(void *subject, int n, cardan_report *report);
  double (*seconds)(const void *subject);
  int pieces, n;
  int batches; // so far
  double spent;
  double best[CARDAN__PIECES];
  bool failed;
  char message[200];
} cardan__timed;

/* Batches of all in turn, until each has had `rounds`, or has used `limit` seconds after one. */
cardan_status cardan__time(cardan__bench *b, cardan__timed *list, int n, int rounds,
                           double limit) CARDAN_MUST_USE;
/* Seconds of one call; NAN when it failed. */
double cardan__timed_seconds(const cardan__timed *t);
void cardan__timed_fail(cardan__timed *t, cardan_status status, const cardan_report *report);

/* What is measured side by side on one model: for each the label and the words of its row. */
enum { CARDAN__CASES = 24 };
typedef struct {
  cardan__timed timed;
  char label[64], how[200];
  void (*close)(void *subject); // NULL: nothing
} cardan__bench_case;

typedef struct {
  int n;
  cardan__bench_case item[CARDAN__CASES];
} cardan__bench_cases;

/* A new case, all zero but for its words; NULL: no more room. */
cardan__bench_case *cardan__bench_case_new(cardan__bench_cases *cases, const char *label,
                                           const char *how);
/* Times them and fills a column of the table, seconds of a call times `scale`. Closes nothing. */
cardan_status cardan__bench_measure(cardan__bench *b, cardan__bench_cases *cases,
                                    cardan__bench_table *t, int column,
                                    double scale) CARDAN_MUST_USE;
void cardan__bench_cases_close(cardan__bench_cases *cases);

/* log(t2 / t1) / log(n2 / n1) */
double cardan__growth(double t1, double t2, double n1, double n2);

/* An allocator that counts what is held. */
typedef struct {
  size_t bytes;
} cardan__bench_account;
cardan_allocator cardan__bench_counting(cardan__bench_account *account);

/* The methods whose steps are timed, by index; NULL after the last. */
typedef struct {
  const char *label, *options, *how; // options: words for cardan__motion_open
  bool cubic;                        // in the number of loops
} cardan__bench_method;
const cardan__bench_method *cardan__bench_method_at(int k);

/* ---- parts ---- */

cardan_status cardan__bench_kernels(cardan__bench *b, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__bench_derivatives(cardan__bench *b, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__bench_steps(cardan__bench *b, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__bench_loops(cardan__bench *b, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__bench_contact(cardan__bench *b, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__bench_scenes(cardan__bench *b, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__bench_batches(cardan__bench *b, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__bench_memory(cardan__bench *b, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__bench_load(cardan__bench *b, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__bench_precision(cardan__bench *b, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__bench_rows(cardan__bench *b, cardan_report *report) CARDAN_MUST_USE;

/* ---- texts ---- */

void cardan__bench_table_text(const cardan__bench_table *t, cardan__text *text);
void cardan__bench_text(const cardan_bench_result *r, cardan__text *text);
void cardan__bench_json(const cardan_bench_result *r, cardan__text *text);
void cardan__bench_csv(const cardan_bench_result *r, cardan__text *text);
void cardan__bench_markdown(const cardan_bench_result *r, const char *figures, cardan__text *text);
void cardan__bench_html(const cardan_bench_result *r, cardan__text *text);

/* A number as tables show it, three or four digits; "" for NAN. */
enum { CARDAN__BENCH_NUMBER = 48 };
void cardan__bench_number(double value, char text[CARDAN__BENCH_NUMBER]);
/* The reasons for numbers that are missing, one after the other, "vi, n = 10, n = 100: why": from
 * row and column on, which are moved. returns false after the last */
enum { CARDAN__BENCH_NOTE = 500 };
bool cardan__bench_note(const cardan__bench_table *t, int *row, int *column, char *text,
                        size_t size);
/* "57.2 (88.1)": a number with the earlier one; "-" where there is a reason for none. */
enum { CARDAN__BENCH_CELL = 2 * CARDAN__BENCH_NUMBER + 8 };
void cardan__bench_cell(const cardan__bench_row *row, int k, char text[CARDAN__BENCH_CELL]);
