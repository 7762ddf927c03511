// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cardan/sim.h"
#include "expr/number.h"
#include "expr/sexpr.h"

/* One table says what the options are, for the command line, for (simulate ..) in a model file, for
 * saved results and for help. A new option is a field and a row. */

typedef enum { WORD, NUMBER, COUNT, OFF } option_type; // OFF: a switch that turns its field off

typedef struct {
  const char *name;
  option_type type;
  size_t field;
  double low, high; // of a number: low < value unless low_allowed
  bool low_allowed;
  const char *words[16]; // of a word: the choices; none: asked of the tables in words_of
  const char *help;
} option_row;

#define FIELD(name) offsetof(cardan_options, name)

static const option_row rows[] = {
    {"method", WORD, FIELD(method), 0, 0, false, {NULL}, "how the motion is computed"},
    {"integrator",
     WORD,
     FIELD(integrator),
     0,
     0,
     false,
     {NULL},
     "time integration of the methods aba and hamilton"},
    {"form",
     WORD,
     FIELD(form),
     0,
     0,
     false,
     {"augmented", "reduced", NULL},
     "hamilton with loops: multipliers at velocity level, or dependent bodies eliminated"},
    {"stabilise",
     WORD,
     FIELD(stabilise),
     0,
     0,
     false,
     {"none", "baumgarte", "project", NULL},
     "how loops are kept closed"},
    {"kq", NUMBER, FIELD(kq), 0, HUGE_VAL, true, {NULL}, "Baumgarte's gain on positions [1/s^2]"},
    {"kv",
     NUMBER,
     FIELD(kv),
     0,
     HUGE_VAL,
     true,
     {NULL},
     "Baumgarte's gain on velocities [1/s]; default 2 sqrt(kq)"},
    {"error-control",
     WORD,
     FIELD(error_control),
     0,
     0,
     false,
     {"full", "partial", NULL},
     "adaptive integrators: errors of all states, or of coordinates alone"},
    {"rtol",
     NUMBER,
     FIELD(rtol),
     0,
     1,
     false,
     {NULL},
     "relative tolerance of adaptive integrators"},
    {"atol",
     NUMBER,
     FIELD(atol),
     0,
     HUGE_VAL,
     false,
     {NULL},
     "absolute tolerance of adaptive integrators"},
    {"dt", NUMBER, FIELD(dt), 0, HUGE_VAL, false, {NULL}, "step [s]"},
    {"time", NUMBER, FIELD(time), 0, HUGE_VAL, true, {NULL}, "length of the run [s]"},
    {"every", COUNT, FIELD(every), 1, INT_MAX, true, {NULL}, "steps from one row to the next"},
    {"tol",
     NUMBER,
     FIELD(tol),
     0,
     1,
     true,
     {NULL},
     "implicit integrators: last change of the iteration, relative; 0: to round-off"},
    {"max-iter",
     COUNT,
     FIELD(max_iter),
     1,
     INT_MAX,
     true,
     {NULL},
     "implicit integrators: iterations in a step"},
    {"solver",
     WORD,
     FIELD(solver),
     0,
     0,
     false,
     {"newton", "riqn", "newton-dense", "broyden", "tree", "sparse", "dense", "schur", NULL},
     "root finder of the methods vi and svi; linear solver of maximal methods"},
    {"planar",
     WORD,
     FIELD(planar),
     0,
     0,
     false,
     {"auto", "off", NULL},
     "maximal methods: three coordinates a body where the motion stays in a plane"},
    {"guess",
     WORD,
     FIELD(guess),
     0,
     0,
     false,
     {"extrapolate", "current", "euler", "dynamics", "zero", NULL},
     "where the root finder starts"},
    {"start",
     WORD,
     FIELD(start),
     0,
     0,
     false,
     {"state", "two-point", NULL},
     "methods vi and svi: from coordinates and velocities, or from two configurations"},
    {"order", COUNT, FIELD(order), 2, 6, true, {NULL}, "method vi: 2, 4 or 6"},
    {"alpha",
     NUMBER,
     FIELD(alpha),
     0,
     1,
     true,
     {NULL},
     "method svi: where in a step it looks; 0.5 is of order 2"},
    {"eval",
     WORD,
     FIELD(eval),
     0,
     0,
     false,
     {"recursive", "tree", NULL},
     "method svi: O(n) recursions, or the published derivatives of the tree"},
    {"no-cache",
     OFF,
     FIELD(cache),
     0,
     0,
     false,
     {NULL},
     "method svi by the tree: keep no derivatives"},
    {"regularise",
     NUMBER,
     FIELD(regularise),
     0,
     1,
     true,
     {NULL},
     "part of its diagonal added to the constraints' matrix, to pass singular positions"},
    {"no-assemble", OFF, FIELD(assemble), 0, 0, false, {NULL}, "start from the values as they are"},
};
enum { NROW = sizeof rows / sizeof rows[0] };

cardan_options cardan_options_defaults(void)
{
  return (cardan_options){.method = NULL,
                          .kq = 100,
                          .kv = -1,
                          .rtol = 1e-6,
                          .atol = 1e-9,
                          .dt = 0.01,
                          .time = 10,
                          .every = 1,
                          .order = 2,
                          .max_iter = 100,
                          .alpha = 0.5,
                          .cache = true,
                          .assemble = true};
}

/* k-th choice of a word option, NULL after the last. */
static const char *word_of(const option_row *row, int k)
{
  if (row->field == FIELD(method)) {
    return cardan_method_name(k);
  }
  return row->field == FIELD(integrator) ? cardan_integrator_name(k) : row->words[k];
}

static cardan_status set_word(cardan_options *options, const option_row *row, const char *value,
                              cardan_report *report)
{
  const char *list[32];
  char all[256] = "";
  int n = 0;
  for (const char *word; n < 32 && (word = word_of(row, n)) != NULL; n++) {
    list[n] = word;
    if (strcmp(word, value) == 0) {
      const char **field = (const char **)(void *)((char *)options + row->field);
      *field = word;
      return CARDAN_OK;
    }
    const size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", n > 0 ? ", " : "", word);
  }
  const char *near = cardan__nearest(value, list, n);
  if (near != NULL) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%s is \"%.40s\"; did you mean \"%s\"?", row->name, value, near);
  }
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                     "%s is \"%.40s\", expected one of: %s", row->name, value, all);
}

static cardan_status set_number(cardan_options *options, const option_row *row, const char *value,
                                cardan_report *report)
{
  double x = 0;
  const cardan__number_result read = cardan__number_read(value, strlen(value), &x);
  if (read != CARDAN__NUMBER_OK || (row->type == COUNT && x != floor(x))) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%s is \"%.40s\", expected a %s", row->name, value,
                       row->type == COUNT ? "whole number" : "number");
  }
  if (x < row->low || x > row->high || (x == row->low && !row->low_allowed)) {
    const char *bound = row->low_allowed ? "at least" : "more than";
    if (row->type == NUMBER && row->high < HUGE_VAL) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "%s is %g, expected %s %g and at most %g", row->name, x, bound, row->low,
                         row->high);
    }
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0}, "%s is %g, expected %s %g",
                       row->name, x, bound, row->low);
  }
  void *field = (char *)options + row->field;
  if (row->type == COUNT) {
    *(int *)field = (int)x;
  } else {
    *(double *)field = x;
  }
  return CARDAN_OK;
}

static const option_row *find(const char *name)
{
  for (int i = 0; i < NROW; i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}

cardan_status cardan_options_set(cardan_options *options, const char *name, const char *value,
                                 cardan_report *report)
{
  const option_row *row = find(name);
  if (row == NULL) {
    const char *list[NROW];
    for (int i = 0; i < NROW; i++) {
      list[i] = rows[i].name;
    }
    const char *near = cardan__nearest(name, list, NROW);
    return near != NULL
               ? cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                             "there is no option \"%.40s\"; did you mean \"%s\"?", name, near)
               : cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                             "there is no option \"%.40s\"", name);
  }
  if (row->type == OFF) {
    *(bool *)((char *)options + row->field) = false;
    return CARDAN_OK;
  }
  if (value == NULL) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0}, "%s needs a value", name);
  }
  return row->type == WORD ? set_word(options, row, value, report)
                           : set_number(options, row, value, report);
}

const char *cardan_option_name(int index)
{
  return index >= 0 && index < NROW ? rows[index].name : NULL;
}

const char *cardan_option_help(int index)
{
  return index >= 0 && index < NROW ? rows[index].help : NULL;
}

void cardan_option_value(const cardan_options *options, int index, char *value, size_t size)
{
  const void *field = (const char *)options + rows[index].field;
  char number[CARDAN__NUMBER_SIZE];
  switch (rows[index].type) {
  case WORD: {
    const char *word = *(const char *const *)field;
    snprintf(value, size, "%s", word != NULL ? word : "");
    break;
  }
  case NUMBER:
    cardan__format_number(number, *(const double *)field, 0);
    snprintf(value, size, "%s", number);
    break;
  case COUNT:
    snprintf(value, size, "%d", *(const int *)field);
    break;
  case OFF:
    snprintf(value, size, "%s", *(const bool *)field ? "" : "yes");
    break;
  }
}

cardan_status cardan_options_from_model(cardan_options *options, const cardan_model *model,
                                        cardan_report *report)
{
  for (int i = 0; i < model->ndefault; i++) {
    const cardan_default *d = &model->defaults[i];
    cardan_report local = {.message = ""};
    const cardan_status status = cardan_options_set(options, d->key, d->value, &local);
    if (status != CARDAN_OK) {
      return cardan_fail(report, CARDAN_ERR_MODEL, d->pos, "(simulate ..): %s", local.message);
    }
  }
  return CARDAN_OK;
}
