// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "methods/method.h"

/* What a method reads of its own options. Nothing here depends on which methods there are
 * (methods.c, options.c), so that methods can use it. */

const cardan__option cardan__substeps_options[] = {
    {"adapt", CARDAN__NUMBER, CARDAN__FIELD(adapt), .high = 1,
     .help = "subdivide a step whose energy error exceeds this fraction of the kinetic energy; 0: "
             "never"},
    {.name = NULL}};

const cardan__option *cardan__option_own(const cardan__method *method, const char *name)
{
  for (int k = 0; k < CARDAN__OPTION_TABLES; k++) {
    const cardan__option *row = method->options[k];
    for (; row != NULL && row->name != NULL; row++) {
      if (strcmp(row->name, name) == 0) {
        return row;
      }
    }
  }
  return NULL;
}

const char *cardan__option_word_at(const cardan__option *row, int k)
{
  return row->word != NULL ? row->word(k) : row->words != NULL ? row->words[k] : NULL;
}

int cardan__option_index(const cardan__option *row, const char *value)
{
  const char *word;
  for (int k = 0; (word = cardan__option_word_at(row, k)) != NULL; k++) {
    if (strcmp(word, value) == 0) {
      return k;
    }
  }
  return -1;
}

static const char *word_in(const cardan_options *options, const cardan__option *row)
{
  return *(const char *const *)((const char *)options + row->field);
}

int cardan__option_choice(const cardan__method *method, const char *name,
                          const cardan_options *options)
{
  const cardan__option *row = cardan__option_own(method, name);
  const char *word = word_in(options, row);
  const int k = word != NULL         ? cardan__option_index(row, word)
                : row->unset != NULL ? cardan__option_index(row, row->unset)
                                     : 0;
  CARDAN_ASSERT(k >= 0);
  return k;
}

const char *cardan__option_row_word(const cardan__option *row, const cardan_options *options)
{
  const char *word = word_in(options, row);
  if (word != NULL) {
    return word;
  }
  return row->unset == NULL                           ? cardan__option_word_at(row, 0)
         : cardan__option_index(row, row->unset) >= 0 ? row->unset
                                                      : NULL;
}

const char *cardan__option_word(const cardan__method *method, const char *name,
                                const cardan_options *options)
{
  const cardan__option *row = cardan__option_own(method, name);
  return row != NULL ? cardan__option_row_word(row, options) : NULL;
}

/* ---- how long a step may be ---- */

static const double blow_up = 4.6; // log of the growth of energy that counts as one: 100

double cardan__integrator_longest(const cardan__method *method, const cardan_options *options,
                                  double turns, bool *lags)
{
  const char *name = cardan__option_word(method, "integrator", options);
  *lags = false;
  if (name == NULL) {
    return HUGE_VAL;
  }
  *lags = strcmp(name, "midpoint") == 0 || strcmp(name, "trapezoid") == 0;
  // the first two grow at any step: by x^2 and x^4 / 4 a step, in energy
  return strcmp(name, "euler") == 0           ? blow_up / turns
         : strcmp(name, "rk2") == 0           ? cbrt(4 * blow_up / turns)
         : strcmp(name, "semi-implicit") == 0 ? 2
         : strcmp(name, "rk4") == 0           ? sqrt(8)
                                              : HUGE_VAL;
}

double cardan__verlet_longest(const cardan__method *method, const cardan_options *options,
                              double turns, bool *lags)
{
  (void)method;
  (void)options;
  (void)turns;
  *lags = false;
  return 2;
}
