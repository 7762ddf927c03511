// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "output/text_output.h"
#include "sweep/summary.h"

/* A summary in words: statistics of what was collected, and what it depends on. */

enum { NAME_WIDTH = 18 };

static void add_json_column(cardan__json *json, const cardan__sweep_summary_column *c)
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
static bool is_told(const cardan__sweep_summary_column *c)
{
  return c->nword == 0 && c->role != CARDAN__ROLE_NUMBER;
}

void cardan__sweep_summary_facts(const cardan_sweep_summary *s, const char *key, cardan__json *json)
{
  cardan__json_open(json, key, '{');
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
    cardan__sweep_summary_sensitivity(s, true, json);
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
  cardan__text_output_name(out, name);
  for (size_t k = length; k < NAME_WIDTH; k++) {
    cardan__text_add(out, " ", 1);
  }
}

static void write_value(cardan__text *out, const char *label, double value)
{
  cardan__text_printf(out, "  %s ", label);
  cardan__text_output_number(out, value);
}

/* cases: that count, of which some may have no number. */
static void write_moments(cardan__text *out, const cardan__moments *m, int64_t cases)
{
  if (m->n == 0) {
    cardan__text_printf(out, "  no values");
    return;
  }
  write_value(out, "mean", m->mean);
  if (m->n > 1) {
    write_value(out, "sd", m->sd);
  }
  write_value(out, "min", m->min);
  write_value(out, "median", m->quantile[2]);
  write_value(out, "max", m->max);
  if (m->n < cases) {
    cardan__text_printf(out, "  of %lld cases", (long long)m->n);
  }
}

/* A share, to two places. */
static void write_share(cardan__text *out, double share)
{
  char digits[CARDAN__NUMBER_SIZE];
  if (isnan(share)) {
    cardan__text_printf(out, "not known");
    return;
  }
  cardan__format_number(digits, round(share * 1e2) / 1e2 + 0.0, 3);
  cardan__text_printf(out, "%s", digits);
}

static void write_influence(const cardan_sweep_summary *s, const cardan__influence *f,
                            cardan__text *out)
{
  const cardan__index *index = f->total != NULL ? f->total : f->first;
  write_name(out, s->column[f->column].name);
  for (int i = 0; i < s->ninput; i++) {
    cardan__text_printf(out, "%s", i == 0 ? "  " : ", ");
    cardan__text_output_name(out, s->column[s->input[i]].name);
    cardan__text_printf(out, " ");
    write_share(out, index[i].value);
  }
  if (f->used < f->of) {
    cardan__text_printf(out, "; from %lld of %lld %s", (long long)f->used, (long long)f->of,
                        s->kind == CARDAN__INFLUENCE_BLOCKS ? "blocks" : "cases");
  }
}

void cardan__sweep_summary_labels(const cardan_sweep_summary *s, cardan__text *out)
{
  const int64_t counted = s->ncase - s->failed - s->doubts;
  cardan__text_printf(out, "statistics of %lld of %lld cases, those that ended well",
                      (long long)counted, (long long)s->ncase);
  if (s->doubts > 0) {
    cardan__text_printf(out, " and are not in doubt, as %lld %s", (long long)s->doubts,
                        s->doubts == 1 ? "is" : "are");
  }
  for (int k = 0; k < s->ncolumn; k++) {
    const cardan__sweep_summary_column *c = &s->column[k];
    if (is_told(c) && c->role == CARDAN__ROLE_COLLECTED) {
      write_name(out, c->name);
      write_moments(out, &c->moments, counted);
    }
  }
  static const char *const heads[] = {[CARDAN__INFLUENCE_BLOCKS] = "total order",
                                      [CARDAN__INFLUENCE_BINS] = "first order, by bins",
                                      [CARDAN__INFLUENCE_GRID] = "main effects of the grid"};
  if (s->ninfluence > 0) {
    cardan__text_printf(out, "\nwhat they depend on: shares of the variance, %s", heads[s->kind]);
  }
  for (int i = 0; i < s->ninfluence; i++) {
    write_influence(s, &s->influence[i], out);
  }
}

cardan_status cardan_sweep_summary_describe(const cardan_sweep_summary *summary, bool json,
                                            const cardan_allocator *allocator, char **text)
{
  cardan__json out;
  cardan__json_init(&out, allocator);
  if (json) {
    cardan__sweep_summary_facts(summary, NULL, &out);
  } else {
    cardan__sweep_summary_labels(summary, &out.text);
  }
  return cardan__text_output_finish(&out.text, text);
}
