// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "batch/distribution.h"
#include "batch/random.h"
#include "sweep/plan_inside.h"

static const struct {
  const char *word, *usage;
  cardan_distribution_kind kind;
} distributions[] = {{"uniform", "(uniform 0 1)", CARDAN_DISTRIBUTION_UNIFORM},
                     {"normal", "(normal 100 5)", CARDAN_DISTRIBUTION_NORMAL},
                     {"log-normal", "(log-normal 0 0.1)", CARDAN_DISTRIBUTION_LOG_NORMAL},
                     {"triangular", "(triangular 0 1 4)", CARDAN_DISTRIBUTION_TRIANGULAR}};

cardan__plan_words cardan__plan_distributions(void)
{
  return (cardan__plan_words){distributions, sizeof *distributions,
                              sizeof distributions / sizeof *distributions};
}

/* Truncation: (from X), (to Y), both or none. */
static bool read_truncation(cardan__plan_form *form, cardan_distribution *distribution)
{
  cardan__plan_reader *reader = form->reader;
  while (form->next >= 0) {
    const bool from = cardan__sexpr_is_form(&reader->tree, form->next, "from");
    if (!from && !cardan__sexpr_is_form(&reader->tree, form->next, "to")) {
      return cardan__plan_expected(form, "(from X), (to X) or the end of the list");
    }
    bool *has = from ? &distribution->has_from : &distribution->has_to;
    if (*has) {
      return cardan__plan_expected(form, "(from X) and (to X) once each");
    }
    *has = true;
    cardan__plan_form inner = cardan__plan_open(reader, form->next, form->usage);
    if (!cardan__plan_number(&inner, "a number", from ? &distribution->from : &distribution->to) ||
        !cardan__plan_close(&inner)) {
      return false;
    }
    cardan__plan_advance(form);
  }
  return true;
}

/* The parameters of a distribution of known kind, and its truncation: the form's next arguments. */
static bool read_numbers(cardan__plan_form *form, cardan_distribution *distribution)
{
  cardan__plan_reader *reader = form->reader;
  bool ok;
  if (distribution->kind == CARDAN_DISTRIBUTION_TRIANGULAR) {
    ok = cardan__plan_number(form, "the beginning", &distribution->a) &&
         cardan__plan_number(form, "the peak", &distribution->c) &&
         cardan__plan_number(form, "the end", &distribution->b);
  } else {
    const bool uniform = distribution->kind == CARDAN_DISTRIBUTION_UNIFORM;
    ok =
        cardan__plan_number(form, uniform ? "the beginning" : "the mean", &distribution->a) &&
        cardan__plan_number(form, uniform ? "the end" : "the standard deviation", &distribution->b);
  }
  if (!ok || !read_truncation(form, distribution)) {
    return false;
  }
  char found[CARDAN__DESCRIBE_SIZE];
  const char *expected = cardan__distribution_expected(distribution);
  return expected == NULL
             ? true
             : cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, form->list),
                                 "found %s with invalid numbers; expected %s, as in %s",
                                 cardan__sexpr_describe(&reader->tree, form->list, found), expected,
                                 form->usage);
}

/* A distribution: A B, short for (uniform A B), or one of the forms in distributions[]. */
static bool read_distribution(cardan__plan_form *form, cardan_distribution *distribution)
{
  cardan__plan_reader *reader = form->reader;
  const int word = cardan__plan_word(reader, form->next, cardan__plan_distributions());
  const char *nearest = cardan__plan_near(reader, form->next, cardan__plan_distributions());
  if (form->next >= 0 && nearest == NULL) {
    return read_numbers(form, distribution);
  }
  if (nearest != NULL && word < 0) {
    return cardan__plan_fail(reader, CARDAN_ERR_SYNTAX, cardan__plan_pos(reader, form->next),
                             "found no distribution; did you mean \"%s\"?", nearest);
  }
  if (!cardan__plan_is(reader, form->next, CARDAN__SEXPR_LIST)) {
    return cardan__plan_expected(form, "two ends, (uniform ..), (normal ..), (log-normal ..) or "
                                       "(triangular ..)");
  }
  distribution->kind = distributions[word].kind;
  cardan__plan_form inner = cardan__plan_open(reader, form->next, distributions[word].usage);
  if (!read_numbers(&inner, distribution)) {
    return false;
  }
  cardan__plan_advance(form);
  return cardan__plan_close(form);
}

/* Adds a quantity drawn from a distribution by random, Sobol' or Latin hypercube samples. */
static bool read_drawn(cardan__plan_form *form, const cardan__varied *to, cardan__plan_way way)
{
  cardan__plan_reader *reader = form->reader;
  cardan__varied drawn = *to;
  cardan__plan_source source = {.way = way,
                                .drawn = reader->plan->ndrawn,
                                .stream = cardan__random_stream(to->name),
                                .spread = {.kind = CARDAN_DISTRIBUTION_UNIFORM}};
  if (!read_distribution(form, &source.spread)) {
    return false;
  }
  drawn.drawn = true;
  reader->plan->ndrawn++;
  return cardan__plan_add_random(reader, &drawn, &source);
}

bool cardan__plan_random(cardan__plan_form *form, const cardan__varied *to)
{
  return read_drawn(form, to, CARDAN__PLAN_RANDOM);
}

bool cardan__plan_sobol(cardan__plan_form *form, const cardan__varied *to)
{
  return read_drawn(form, to, CARDAN__PLAN_SOBOL);
}

bool cardan__plan_latin(cardan__plan_form *form, const cardan__varied *to)
{
  return read_drawn(form, to, CARDAN__PLAN_LATIN);
}

/* ---- Sobol' sequences ---- */

/* Adds a note to the plan if the number of samples is not a power of two: the nearest two that are.
 * returns false without memory */
static bool recommend_power_of_two(cardan__plan_reader *reader)
{
  cardan__plan *plan = reader->plan;
  const int64_t n = plan->samples;
  char note[160];
  int64_t below = 1;
  while (below <= n / 2) {
    below *= 2;
  }
  if (below == n) {
    return true;
  }
  snprintf(note, sizeof note,
           "(count %lld) is not a power of two: Sobol' points are most even with (count %lld) or "
           "(count %lld)",
           (long long)n, (long long)below, 2 * (long long)below);
  plan->note = cardan__arena_text(&plan->arena, note, strlen(note));
  return plan->note != NULL ? true : cardan__plan_memory(reader);
}

static int count_sobol(const cardan__plan *plan)
{
  int n = 0;
  for (int k = 0; k < plan->nvaried; k++) {
    n += plan->source[k].way == CARDAN__PLAN_SOBOL;
  }
  return n;
}

/* Assigns dimensions of the Sobol' sequence: the d-th of n Sobol' quantities gets dimension d, and
 * in the second sample matrix B of a sensitivity analysis n + d. */
bool cardan__plan_settle(cardan__plan_reader *reader)
{
  cardan__plan *plan = reader->plan;
  const int n = count_sobol(plan), ndimension = plan->sensitivity ? 2 * n : n;
  if (n == 0) {
    return true;
  }
  if (ndimension > CARDAN__SOBOL_DIMENSIONS) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, 0),
                             "found %d Sobol' quantities; expected at most %d", n,
                             plan->sensitivity ? CARDAN__SOBOL_DIMENSIONS / 2
                                               : CARDAN__SOBOL_DIMENSIONS);
  }
  cardan__sobol *all = cardan__arena_take(&plan->arena, (size_t)ndimension, sizeof *all);
  if (all == NULL) {
    return cardan__plan_memory(reader);
  }
  cardan__sobol_make(all, ndimension);
  for (int k = 0, d = 0; k < plan->nvaried; k++) {
    cardan__plan_source *s = &plan->source[k];
    for (int set = 0; s->way == CARDAN__PLAN_SOBOL && set < (plan->sensitivity ? 2 : 1); set++) {
      // scrambling keys: the random stream of the empty name
      const int dimension = d + set * n;
      s->sobol[set] = &all[dimension];
      s->key[set] = cardan__random_bits(plan->seed, cardan__random_stream(""), (uint64_t)dimension);
    }
    d += s->way == CARDAN__PLAN_SOBOL;
  }
  return recommend_power_of_two(reader);
}
