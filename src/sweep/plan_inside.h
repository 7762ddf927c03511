/* SPDX-License-Identifier: Apache-2.0
 * sweep/plan_inside.h - the inside of a plan, and of its reader, shared by their files.
 *
 *   plan.c          what a plan holds, and the values of a case
 *   plan_read.c     the forms of a plan, and what they must be together
 *   plan_form.c     the arguments of a form: numbers, names, words
 *   plan_axis.c     axes of the grid: grid, range, list, option, keyframe, set
 *   plan_drawn.c    drawn numbers and their distributions
 *   plan_collect.c  what is kept */
#pragma once
#include "base/arena.h"
#include "cardan/sampler.h"
#include "expr/sexpr.h"
#include "sweep/plan.h"
#include "sweep/sample.h"

/* Bounds: a plan is a file from anywhere. */
#define CARDAN__PLAN_CASES ((int64_t)1 << 53)   // whose numbers are exact as doubles
#define CARDAN__PLAN_SAMPLES ((int64_t)1 << 40) // count
enum {
  CARDAN__PLAN_BYTES = 64 << 20, // of the text
  CARDAN__PLAN_VARIED = 256,     // names
  CARDAN__PLAN_COLLECT = 1024,   // numbers kept of a case
  CARDAN__PLAN_WORDS = 256,      // of one option
  CARDAN__PLAN_NAME = 200        // bytes of a name
};

/* An axis of the grid: n points, each with a value for each of nname numbers. */
typedef struct {
  int64_t n, stride;   // point of case g of the grid: (g / stride) mod n
  int nname;           //
  const double *value; // n x nname; NULL: evenly from a to b
  double a, b;
  bool log;
} cardan__plan_axis;

typedef enum {
  CARDAN__PLAN_GRID,
  CARDAN__PLAN_RANDOM,
  CARDAN__PLAN_SOBOL,
  CARDAN__PLAN_LATIN
} cardan__plan_way;

/* Where a number has its values from. */
typedef struct {
  cardan__plan_way way;
  int axis, column;           // GRID
  int drawn;                  // which of the drawn numbers, from 0
  uint64_t stream;            // of its random numbers
  cardan_distribution spread; //
  // SOBOL: for A and for B of a sensitivity, their dimensions and how these are scrambled
  const cardan__sobol *sobol[2];
  uint64_t key[2];
} cardan__plan_source;

struct cardan__plan {
  cardan__arena arena; // names, words, values
  cardan__varied *varied;
  cardan__plan_source *source; // nvaried
  int nvaried, cap_varied, cap_source;
  cardan__plan_axis *axis;
  int naxis, cap_axis;
  cardan__collect *collect;
  int ncollect, cap_collect;
  int ndrawn;
  int64_t points, samples; // of the grid; drawn at each
  uint64_t seed;
  bool sensitivity;
  const char *note; // NULL: none
};

/* ---- plan_form.c: the reader; the first failure marks it, every call returns false then ---- */

typedef struct {
  cardan__sexpr tree;
  cardan__plan *plan;
  cardan_status status;
  cardan_report report;
  int collect, count, seed, sensitivity; // nodes of these forms, 0: not yet
} cardan__plan_reader;

/* A form whose arguments are taken one after the other. */
typedef struct {
  cardan__plan_reader *reader;
  int list;          // node
  int next;          // node of the next argument, -1: none is left
  const char *usage; // how the form is written, for messages
} cardan__plan_form;

bool cardan__plan_is(const cardan__plan_reader *reader, int node, cardan__sexpr_kind kind);

cardan_pos cardan__plan_pos(const cardan__plan_reader *reader, int node);

/* Fails; always false. */
bool cardan__plan_fail(cardan__plan_reader *reader, cardan_status status, cardan_pos pos,
                       const char *format, ...) CARDAN_PRINTF(4, 5);
bool cardan__plan_memory(cardan__plan_reader *reader); // fails; always false

/* The form at a list node, its head taken. */
cardan__plan_form cardan__plan_open(cardan__plan_reader *reader, int list, const char *usage);

/* Fails at the next argument, or at the form where none is left: "found ..; expected .., as in". */
bool cardan__plan_expected(cardan__plan_form *form, const char *what);

/* Takes the next argument: an expression of numbers and pi; one of whole numbers least to most; a
 * symbol or string, kept in the plan. what: "the mean", for messages. */
bool cardan__plan_number(cardan__plan_form *form, const char *what, double *value);
bool cardan__plan_whole(cardan__plan_form *form, const char *what, int64_t least, int64_t most,
                        int64_t *value);
bool cardan__plan_name(cardan__plan_form *form, const char *what, const char **name);
bool cardan__plan_close(cardan__plan_form *form); // nothing may be left
void cardan__plan_advance(cardan__plan_form *form);

/* The number at a node; the text at one, kept in the plan. */
bool cardan__plan_number_at(cardan__plan_reader *reader, int node, double *value);
bool cardan__plan_text_at(cardan__plan_reader *reader, int node, const char **text);

/* Words that may stand somewhere: n entries of a table, each of size bytes, its word first. */
typedef struct {
  const void *entry;
  size_t size;
  int n;
} cardan__plan_words;

/* Index among words, case apart, of the symbol at a node, or of the head of a list there; -1: it is
 * none of them. */
int cardan__plan_word(const cardan__plan_reader *reader, int node, cardan__plan_words words);

/* The word that is near to the symbol or head at a node; NULL: none. */
const char *cardan__plan_near(const cardan__plan_reader *reader, int node,
                              cardan__plan_words words);

/* ---- plan_read.c ---- */

/* What a node gives values to: NAME, "q.J", or (option NAME). */
bool cardan__plan_target(cardan__plan_reader *reader, int node, cardan__varied *out);

/* One more number that differs, which may not be there yet. */
bool cardan__plan_add_random(cardan__plan_reader *reader, const cardan__varied *varied,
                             const cardan__plan_source *source);

/* Fails where the column is there already; loose: case apart, as the names of a model's numbers
 * are; hint: what else is to be done about it, or "". */
bool cardan__plan_column_free(cardan__plan_reader *reader, cardan_pos pos, const char *column,
                              bool loose, const char *hint);

/* ---- plan_axis.c: from the form's next argument to its end ---- */

bool cardan__plan_grid(cardan__plan_form *form, const cardan__varied *to);
bool cardan__plan_range(cardan__plan_form *form, const cardan__varied *to);
bool cardan__plan_set(cardan__plan_form *form, const cardan__varied *to);
bool cardan__plan_list(cardan__plan_form *form);

/* Values that are words, or numbers where all of them are: those of an option. */
bool cardan__plan_choice(cardan__plan_form *form, const cardan__varied *to);

/* ---- plan_drawn.c, plan_collect.c ---- */

bool cardan__plan_random(cardan__plan_form *form, const cardan__varied *to);
bool cardan__plan_sobol(cardan__plan_form *form, const cardan__varied *to);
bool cardan__plan_latin(cardan__plan_form *form, const cardan__varied *to);

cardan__plan_words cardan__plan_distributions(void); // words of distributions

/* Once all forms are read: Sobol' numbers get their dimensions. */
bool cardan__plan_settle(cardan__plan_reader *reader);

bool cardan__plan_collect_form(cardan__plan_form *form);
