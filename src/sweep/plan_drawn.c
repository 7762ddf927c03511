// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "batch/random.h"
#include "batch/spread.h"
#include "sweep/plan_inside.h"

static const struct {
  const char *word, *usage;
  cardan_spread_kind kind;
} spreads[] = {{"uniform", "(uniform 0 1)", CARDAN_SPREAD_UNIFORM},
               {"normal", "(normal 100 5)", CARDAN_SPREAD_NORMAL},
               {"log-normal", "(log-normal 0 0.1)", CARDAN_SPREAD_LOG_NORMAL},
               {"triangular", "(triangular 0 1 4)", CARDAN_SPREAD_TRIANGULAR}};

cardan__plan_words cardan__plan_spreads(void)
{
  return (cardan__plan_words){spreads, sizeof *spreads, sizeof spreads / sizeof *spreads};
}

/* (from X) and (to Y), either or both. */
static bool read_cuts(cardan__plan_form *form, cardan_spread *spread)
{
  cardan__plan_reader *reader = form->reader;
  while (form->next >= 0) {
    const bool from = cardan__sexpr_is_form(&reader->tree, form->next, "from");
    if (!from && !cardan__sexpr_is_form(&reader->tree, form->next, "to")) {
      return cardan__plan_expected(form, "(from X), (to X) or nothing more");
    }
    bool *has = from ? &spread->has_from : &spread->has_to;
    if (*has) {
      return cardan__plan_expected(form, "it once");
    }
    *has = true;
    cardan__plan_form inner = cardan__plan_open(reader, form->next, form->usage);
    if (!cardan__plan_number(&inner, "a number", from ? &spread->from : &spread->to) ||
        !cardan__plan_close(&inner)) {
      return false;
    }
    cardan__plan_advance(form);
  }
  return true;
}

/* A distribution from the form's next arguments on: its numbers and cuts. */
static bool read_spread(cardan__plan_form *form, cardan_spread *spread)
{
  cardan__plan_reader *reader = form->reader;
  bool good;
  if (spread->kind == CARDAN_SPREAD_TRIANGULAR) {
    good = cardan__plan_number(form, "the beginning", &spread->a) &&
           cardan__plan_number(form, "the peak", &spread->c) &&
           cardan__plan_number(form, "the end", &spread->b);
  } else {
    const bool uniform = spread->kind == CARDAN_SPREAD_UNIFORM;
    good = cardan__plan_number(form, uniform ? "the beginning" : "the mean", &spread->a) &&
           cardan__plan_number(form, uniform ? "the end" : "the standard deviation", &spread->b);
  }
  if (!good || !read_cuts(form, spread)) {
    return false;
  }
  char found[CARDAN__DESCRIBE_SIZE];
  const char *expected = cardan__spread_expected(spread);
  return expected == NULL
             ? true
             : cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, form->list),
                                 "found %s with numbers that cannot be; expected %s, as in %s",
                                 cardan__sexpr_describe(&reader->tree, form->list, found), expected,
                                 form->usage);
}

/* A B, the same as (uniform A B), or that and the others. */
static bool read_distribution(cardan__plan_form *form, cardan_spread *spread)
{
  cardan__plan_reader *reader = form->reader;
  const int word = cardan__plan_word(reader, form->next, cardan__plan_spreads());
  const char *near = cardan__plan_near(reader, form->next, cardan__plan_spreads());
  if (form->next >= 0 && near == NULL) {
    return read_spread(form, spread);
  }
  if (near != NULL && word < 0) {
    return cardan__plan_fail(reader, CARDAN_ERR_SYNTAX, cardan__plan_pos(reader, form->next),
                             "found no distribution; did you mean \"%s\"?", near);
  }
  if (!cardan__plan_is(reader, form->next, CARDAN__SEXPR_LIST)) {
    return cardan__plan_expected(form, "two ends, (uniform ..), (normal ..), (log-normal ..) or "
                                       "(triangular ..)");
  }
  spread->kind = spreads[word].kind;
  cardan__plan_form inner = cardan__plan_open(reader, form->next, spreads[word].usage);
  if (!read_spread(&inner, spread)) {
    return false;
  }
  cardan__plan_advance(form);
  return cardan__plan_close(form);
}

static bool draw(cardan__plan_form *form, const cardan__varied *to, cardan__plan_way way)
{
  cardan__plan_reader *reader = form->reader;
  cardan__varied drawn = *to;
  cardan__plan_source source = {.way = way,
                                .drawn = reader->plan->ndrawn,
                                .stream = cardan__random_stream(to->name),
                                .spread = {.kind = CARDAN_SPREAD_UNIFORM}};
  if (!read_distribution(form, &source.spread)) {
    return false;
  }
  drawn.drawn = true;
  reader->plan->ndrawn++;
  return cardan__plan_vary(reader, &drawn, &source);
}

bool cardan__plan_random(cardan__plan_form *form, const cardan__varied *to)
{
  return draw(form, to, CARDAN__PLAN_RANDOM);
}

bool cardan__plan_sobol(cardan__plan_form *form, const cardan__varied *to)
{
  return draw(form, to, CARDAN__PLAN_SOBOL);
}

bool cardan__plan_latin(cardan__plan_form *form, const cardan__varied *to)
{
  return draw(form, to, CARDAN__PLAN_LATIN);
}

/* ---- Sobol' numbers ---- */

/* For a number of samples that is no power of two: which ones are near it. */
static bool note_count(cardan__plan_reader *reader)
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
           "(count %lld) is no power of two: Sobol' points are spread best by (count %lld) or "
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

/* Number d of n has dimension d, and for B of a sensitivity n + d. */
bool cardan__plan_settle(cardan__plan_reader *reader)
{
  cardan__plan *plan = reader->plan;
  const int n = count_sobol(plan), ndimension = plan->sensitivity ? 2 * n : n;
  if (n == 0) {
    return true;
  }
  if (ndimension > CARDAN__SOBOL_DIMENSIONS) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, 0),
                             "found %d Sobol' numbers; expected at most %d", n,
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
    for (int b = 0; s->way == CARDAN__PLAN_SOBOL && b < (plan->sensitivity ? 2 : 1); b++) {
      // the stream of no name
      const int dimension = d + b * n;
      s->sobol[b] = &all[dimension];
      s->key[b] = cardan__random_bits(plan->seed, cardan__random_stream(""), (uint64_t)dimension);
    }
    d += s->way == CARDAN__PLAN_SOBOL;
  }
  return note_count(reader);
}
