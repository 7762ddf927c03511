// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "output/words.h"
#include "sweep/survey.h"

/* A survey in words: statistics of each column that varies, and what results depend on. */

enum { NAME_WIDTH = 18 };

static void add_json_column(cardan__json *json, const cardan__survey_column *c)
{
  static const char *const keys[CARDAN__QUANTILES] = {"5", "25", "50", "75", "95"};
  const cardan__moments *m = &c->moments;
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "name", c->name);
  cardan__json_string(json, "role", cardan__role_word(c->role));
  cardan__json_int(json, "cases", m->n);
  cardan__json_number(json, "mean", m->mean);
  cardan__json_number(json, "sd", m->sd);
  cardan__json_number(json, "min", m->min);
  cardan__json_number(json, "max", m->max);
  cardan__json_open(json, "quantiles", '{');
  for (int k = 0; k < CARDAN__QUANTILES; k++) {
    cardan__json_number(json, keys[k], m->quantile[k]);
  }
  cardan__json_close(json, '}');
  cardan__json_close(json, '}');
}

/* Has a column statistics that say something? */
static bool is_told(const cardan__survey_column *c)
{
  return c->nword == 0 && c->role != CARDAN__ROLE_NUMBER;
}

static void write_json(const cardan_survey *s, cardan__json *json)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_int(json, "cases", s->ncase);
  cardan__json_int(json, "failed", s->failed);
  cardan__json_int(json, "doubts", s->doubts);
  cardan__json_open(json, "columns", '[');
  for (int k = 0; k < s->ncolumn; k++) {
    if (is_told(&s->column[k])) {
      add_json_column(json, &s->column[k]);
    }
  }
  cardan__json_close(json, ']');
  if (s->kind != CARDAN__INFLUENCE_NONE) {
    cardan__survey_sensitivity(s, true, json);
  } else {
    cardan__json_string(json, "sensitivity", NULL);
  }
  cardan__json_close(json, '}');
}

/* A name in a column of its own. */
static void write_name(cardan__text *out, const char *name)
{
  const size_t length = strlen(name);
  cardan__text_printf(out, "\n  ");
  cardan__words_name(out, name);
  for (size_t k = length; k < NAME_WIDTH; k++) {
    cardan__text_add(out, " ", 1);
  }
}

static void write_value(cardan__text *out, const char *label, double value)
{
  cardan__text_printf(out, "  %s ", label);
  cardan__words_number(out, value);
}

static void write_index(cardan__text *out, const char *label, const cardan__index *index)
{
  cardan__text_printf(out, "  %s ", label);
  if (isnan(index->value)) {
    cardan__text_printf(out, "not known");
    return;
  }
  char digits[CARDAN__NUMBER_SIZE];
  cardan__format_number(digits, round(index->value * 1e3) / 1e3, 3);
  cardan__text_printf(out, "%s", digits);
  if (!isnan(index->low)) {
    char low[CARDAN__NUMBER_SIZE], high[CARDAN__NUMBER_SIZE];
    cardan__format_number(low, round(index->low * 1e3) / 1e3, 3);
    cardan__format_number(high, round(index->high * 1e3) / 1e3, 3);
    cardan__text_printf(out, " (%s to %s)", low, high);
  }
}

static void write_influence(const cardan_survey *s, const cardan__influence *f, cardan__text *out)
{
  static const char *const heads[] = {[CARDAN__INFLUENCE_BLOCKS] = "first order",
                                      [CARDAN__INFLUENCE_BINS] = "first order",
                                      [CARDAN__INFLUENCE_GRID] = "main effect"};
  cardan__text_printf(out, "\nwhat ");
  cardan__words_name(out, s->column[f->column].name);
  cardan__text_printf(out, " depends on, from %lld of %lld %s", (long long)f->used,
                      (long long)f->of,
                      s->kind == CARDAN__INFLUENCE_BLOCKS ? "blocks of cases" : "cases");
  for (int i = 0; i < s->ninput; i++) {
    write_name(out, s->column[s->input[i]].name);
    write_index(out, heads[s->kind], &f->first[i]);
    if (f->total != NULL) {
      write_index(out, "total", &f->total[i]);
    }
    if (!isnan(f->rank[i])) {
      write_index(out, "rank correlation", &(cardan__index){f->rank[i], (double)NAN, (double)NAN});
    }
  }
}

static void write_text(const cardan_survey *s, cardan__text *out)
{
  cardan__text_printf(out, "statistics of %lld of %lld cases, those that ended well",
                      (long long)(s->ncase - s->failed), (long long)s->ncase);
  if (s->doubts > 0) {
    cardan__text_printf(out, " (%lld of them are in doubt)", (long long)s->doubts);
  }
  for (int k = 0; k < s->ncolumn; k++) {
    const cardan__survey_column *c = &s->column[k];
    if (is_told(c)) {
      write_name(out, c->name);
      write_value(out, "mean", c->moments.mean);
      write_value(out, "sd", c->moments.sd);
      write_value(out, "min", c->moments.min);
      write_value(out, "median", c->moments.quantile[2]);
      write_value(out, "max", c->moments.max);
    }
  }
  for (int i = 0; i < s->ninfluence; i++) {
    write_influence(s, &s->influence[i], out);
  }
  for (int k = 0; s->ninfluence > 0 && cardan__influence_words(s, k) != NULL; k++) {
    cardan__text_printf(out, "\n%s", cardan__influence_words(s, k));
  }
}

cardan_status cardan_survey_describe(const cardan_survey *survey, bool json,
                                     const cardan_allocator *allocator, char **text)
{
  cardan__json out;
  cardan__json_init(&out, allocator);
  if (json) {
    write_json(survey, &out);
  } else {
    write_text(survey, &out.text);
  }
  return cardan__words_finish(&out.text, text);
}
