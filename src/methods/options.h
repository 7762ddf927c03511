/* SPDX-License-Identifier: Apache-2.0
 * methods/options.h - tables of options: one that every method has, and those of each method.
 *
 * A row says what an option is, once: for the command line, for (simulate ..) in a model file, for
 * saved results, for help, and for the check that a method has the options that are set. A new
 * option is a field of cardan_options and a row. Rows of one name in several tables set one field
 * and differ in words and help alone. */
#pragma once
#include "cardan/sim.h"

typedef enum {
  CARDAN__WORD,   // const char *: one of the words; NULL while not set
  CARDAN__NUMBER, // double
  CARDAN__COUNT,  // int
  CARDAN__TEXT,   // char[CARDAN_OPTION_TEXT]; "" while not set
  CARDAN__OFF,    // a switch: turns its bool, true while not set, off
  CARDAN__ON      // the same the other way round
} cardan__option_kind;

typedef struct {
  const char *name; // NULL ends a table
  cardan__option_kind kind;
  size_t field;               // of cardan_options
  const char *const *words;   // of a word, or of a count that takes few; NULL after the last
  const char *(*word)(int k); // in their place, where another table has them
  double low, high;           // of a number or count, both allowed
  bool above;                 // low itself is not allowed
  double initial;             // of a number or count: what the field is while not set
  const char *unset;          // what counts then, where neither initial nor the first word says it
  const char *help;
  const char *idle; // why it has no effect any more; files that name it are still read
} cardan__option;

#define CARDAN__FIELD(name) offsetof(cardan_options, name)

/* An option of earlier versions: accepted with a warning, listed nowhere. */
#define CARDAN__OPTION_REGULARISE                                                          \
  {                                                                                        \
    "regularise", CARDAN__NUMBER, CARDAN__FIELD(regularise),                               \
        .high = 1, .help = "no effect", .idle = "singular positions are passed without it" \
  }

/* Most tables that one method is put together from. */
enum { CARDAN__OPTION_TABLES = 3 };

typedef struct cardan__method cardan__method;

/* Option adapt (run/substeps.h), for the tables of methods whose steps can be subdivided. */
extern const cardan__option cardan__substeps_options[];

/* The method's own row of that name; NULL: none. */
const cardan__option *cardan__option_own(const cardan__method *method, const char *name);
/* The same, or the row that all methods have. */
const cardan__option *cardan__option_find(const cardan__method *method, const char *name);

/* k-th word of a row, NULL after the last; index of a word in its row, -1: it is not there. */
const char *cardan__option_word_at(const cardan__option *row, int k);
int cardan__option_index(const cardan__option *row, const char *value);

/* Which of its words an option has: an index into the row's words, that of the default when the
 * field is NULL. needs a row of the method's own and a word that it has */
int cardan__option_choice(const cardan__method *method, const char *name,
                          const cardan_options *options);

/* For longest (method.h): of a method's integrator; of a method like Stormer and Verlet's. */
double cardan__integrator_longest(const cardan__method *method, const cardan_options *options,
                                  double turns, bool *lags);
double cardan__verlet_longest(const cardan__method *method, const cardan_options *options,
                              double turns, bool *lags);

/* The word itself of such an option; NULL where the method chooses one that suits the
 * model. _row_word: of any row of words, one that all methods have too */
const char *cardan__option_row_word(const cardan__option *row, const cardan_options *options);
const char *cardan__option_word(const cardan__method *method, const char *name,
                                const cardan_options *options);
/* The value by index as cardan__option_stored has it, of a word that is not set the one that counts
 * then. */
void cardan__option_counts(const cardan__method *method, const cardan_options *options, int index,
                           char *value, size_t size);
/* The same for people: what counts in words also where no number stands for it ("2 sqrt(kq)"), yes
 * and no of switches. Never "". */
void cardan__option_shown(const cardan__method *method, const cardan_options *options, int index,
                          char *value, size_t size);
/* The same for messages: in quotes, or `not given` of an option that is not set and has no number
 * or word that a user could write in its place. */
void cardan__option_quoted(const cardan__method *method, const cardan_options *options, int index,
                           char *value, size_t size);

/* The value by index as files have it, and back: of a number that is not set its initial value,
 * although a user cannot set that. */
void cardan__option_stored(const cardan_options *options, int index, char *value, size_t size);
cardan_status cardan__option_set_stored(cardan_options *options, const char *name,
                                        const char *value, cardan_report *report);
