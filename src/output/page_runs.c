// SPDX-License-Identifier: Apache-2.0
#include "output/page.h"

#include <math.h>

#include "methods/method.h"
#include "methods/options.h"
#include "output/describe_error.h"
#include "output/film.h"

/* The runs of a page. Numbers of a column are written as 4-byte differences from its first value,
 * which is written whole: so a drift of the energy shows however large the energy is. Times are
 * 8-byte. */

enum { MOST_CONTACTS = 1 << 14 }; // whose number fits beside a state in 16 bits

void cardan__page_options(cardan__json *json, const cardan_options *options)
{
  const cardan__method *method = cardan__method_of(options);
  cardan__json_open(json, "options", '[');
  for (int i = 0; cardan_option_name(i) != NULL; i++) {
    char value[256];
    if (method == NULL ||
        cardan_method_has_option(method->name, cardan_option_name(i), NULL) != CARDAN_OK) {
      continue;
    }
    cardan__option_shown(method, options, i, value, sizeof value);
    cardan__json_open(json, NULL, '[');
    cardan__json_string(json, NULL, cardan_option_name(i));
    cardan__json_string(json, NULL, value);
    cardan__json_close(json, ']');
  }
  cardan__json_close(json, ']');
}

static void add_contact_facts(cardan__json *json, const cardan_contact_stats *c)
{
  cardan__json_open(json, "contact", '{');
  cardan__json_int(json, "impacts", c->impacts);
  cardan__json_int(json, "plastic", c->plastic);
  cardan__json_int(json, "guarded", c->guarded);
  cardan__json_number(json, "lost", c->lost);
  cardan__json_number(json, "friction", c->friction);
  cardan__json_number(json, "overlap", c->overlap);
  cardan__json_int(json, "events", c->events);
  cardan__json_int(json, "stepsLocated", c->steps_located);
  cardan__json_int(json, "stepsStep", c->steps_step);
  cardan__json_int(json, "attempts", c->attempts);
  cardan__json_int(json, "solves", c->solves);
  cardan__json_int(json, "sweeps", c->sweeps);
  cardan__json_int(json, "newtons", c->newtons);
  cardan__json_number(json, "error", c->error);
  cardan__json_close(json, '}');
}

static void add_quality(cardan__json *json, const cardan_model *model, const cardan_stats *s)
{
  cardan__json_number(json, "energyInitial", s->energy_initial);
  cardan__json_number(json, "energyFinal", s->energy_final);
  cardan__json_number(json, "driftMax", s->drift_max);
  cardan__json_number(json, "energyBand", s->energy_band);
  cardan__json_number(json, "energyTrend", 3600 * s->energy_trend); // per hour
  cardan__json_number(json, "energyTrendError", 3600 * s->energy_trend_error);
  if (model != NULL) {
    const cardan__estimate_names names = cardan__names_of_estimate(model, &s->error);
    cardan__json_error(json, &s->error, &names, -1);
  }
  cardan__json_number(json, "constraintMax", s->constraint_max);
}

static void add_facts(cardan__json *json, const cardan_model *model, const cardan_page_run *run)
{
  const cardan_options *o = run->options;
  const cardan_stats *s = &run->stats;
  cardan__json_string(json, "label", run->label);
  if (o) {
    cardan__json_number(json, "dt", o->dt);
    cardan__json_number(json, "time", o->time);
    cardan__page_options(json, o);
  }
  if (run->wall_seconds >= 0) {
    cardan__json_number(json, "wallSeconds", run->wall_seconds);
  }
  cardan__json_string(json, "note", run->note && run->note[0] ? run->note : NULL);
  cardan__json_string(json, "watch", run->warning && run->warning[0] ? run->warning : NULL);
  cardan__json_string(json, "error", run->error);
  cardan__json_string(json, "ended",
                      run->status != CARDAN_OK ? cardan_status_word(run->status) : NULL);
  cardan__json_open(json, "stats", '{');
  cardan__json_int(json, "steps", s->steps);
  cardan__json_int(json, "evaluations", s->evaluations);
  cardan__json_number(json, "iterationsMean", s->iterations_mean);
  cardan__json_number(json, "iterationsStd", s->iterations_std);
  cardan__json_int(json, "iterationsMax", s->iterations_max);
  add_quality(json, model, s);
  cardan__json_number(json, "doubtFrom", s->jumps > 0 ? s->jump.from : (double)NAN);
  add_contact_facts(json, &s->contact);
  cardan__json_close(json, '}');
}

static void add_columns(cardan__json *json, const cardan_film *film)
{
  cardan__json_open(json, "columns", '[');
  for (int k = 0; k < cardan__film_column_count(film); k++) {
    cardan__json_string(json, NULL, cardan_film_column(film, k));
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "units", '[');
  for (int k = 0; k < cardan__film_column_count(film); k++) {
    cardan__json_string(json, NULL, cardan__film_unit(film, k));
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "first", '[');
  for (int k = 0; k < cardan__film_column_count(film); k++) {
    cardan__json_number(json, NULL, cardan_film_sample(film, 0)[k]);
  }
  cardan__json_close(json, ']');
}

/* A first value that is not finite is null in JSON; the page then counts from 0. */
static float difference(double value, double first)
{
  const double from = first - first == 0 ? first : 0;
  return (float)(value - from);
}

/* Column after column, the time left out. */
static void add_samples(cardan__json *json, const cardan_film *film)
{
  const int n = cardan_film_sample_count(film);
  const double *first = cardan_film_sample(film, 0);
  cardan__base64 b;
  cardan__base64_open(&b, json, "t");
  for (int i = 0; i < n; i++) {
    cardan__base64_double(&b, cardan_film_sample(film, i)[0]);
  }
  cardan__base64_close(&b);
  cardan__base64_open(&b, json, "samples");
  for (int k = 1; k < cardan__film_column_count(film); k++) {
    for (int i = 0; i < n; i++) {
      cardan__base64_float(&b, difference(cardan_film_sample(film, i)[k], first[k]));
    }
  }
  cardan__base64_close(&b);
}

/* As samples: times, then smallest and largest of each column. */
static void add_extremes(cardan__json *json, const cardan_film *film)
{
  const int n = cardan_film_extreme_count(film);
  const double *first = cardan_film_sample(film, 0);
  const double *min, *max;
  double t;
  cardan__base64 b;
  cardan__json_int(json, "extremeRows", cardan__film_rows_per_extreme(film));
  cardan__base64_open(&b, json, "extremeT");
  for (int i = 0; i < n; i++) {
    cardan_film_extreme(film, i, &t, &min, &max);
    cardan__base64_double(&b, t);
  }
  cardan__base64_close(&b);
  cardan__base64_open(&b, json, "extremes");
  for (int k = 1; k < cardan__film_column_count(film); k++) {
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < n; i++) {
        cardan_film_extreme(film, i, &t, &min, &max);
        cardan__base64_float(&b, difference(side == 0 ? min[k] : max[k], first[k]));
      }
    }
  }
  cardan__base64_close(&b);
}

static void add_vector(cardan__base64 *b, cardan_vec3 v)
{
  cardan__base64_float(b, (float)v.x);
  cardan__base64_float(b, (float)v.y);
  cardan__base64_float(b, (float)v.z);
}

/* Where contacts touched: times, how many at each, and place, force, contact and state of all. */
static void add_places(cardan__json *json, const cardan_film *film)
{
  const cardan_film_contact *place;
  const int n = cardan__film_contact_row_count(film);
  double t;
  cardan__base64 b;
  cardan__json_open(json, "places", '{');
  cardan__json_int(json, "cut", cardan__film_dropped_contacts(film));
  cardan__base64_open(&b, json, "t");
  for (int i = 0; i < n; i++) {
    cardan__film_contacts_at(film, i, &t, &place);
    cardan__base64_double(&b, t);
  }
  cardan__base64_close(&b);
  cardan__base64_open(&b, json, "count");
  for (int i = 0; i < n; i++) {
    cardan__base64_short(&b, (uint16_t)cardan__film_contacts_at(film, i, &t, &place));
  }
  cardan__base64_close(&b);
  cardan__base64_open(&b, json, "vectors");
  b.stride = 6;
  for (int i = 0; i < n; i++) {
    const int count = cardan__film_contacts_at(film, i, &t, &place);
    for (int k = 0; k < count; k++) {
      add_vector(&b, place[k].x);
      add_vector(&b, place[k].force);
    }
  }
  cardan__base64_close(&b);
  cardan__base64_open(&b, json, "states");
  for (int i = 0; i < n; i++) {
    const int count = cardan__film_contacts_at(film, i, &t, &place);
    for (int k = 0; k < count; k++) {
      const int contact = place[k].contact < MOST_CONTACTS ? place[k].contact : MOST_CONTACTS - 1;
      cardan__base64_short(&b, (uint16_t)(4 * contact + (int)place[k].state));
    }
  }
  cardan__base64_close(&b);
  cardan__json_close(json, '}');
}

static void add_film(cardan__json *json, const cardan_film *film)
{
  cardan__json_int(json, "rows", cardan_film_row_count(film));
  cardan__json_int(json, "stride", cardan__film_stride(film));
  if (cardan__film_dropped_columns(film) > 0) {
    cardan__json_int(json, "left", cardan__film_dropped_columns(film));
  }
  add_columns(json, film);
  add_samples(json, film);
  if (cardan__film_stride(film) > 1) {
    add_extremes(json, film);
  }
  if (cardan__film_contact_row_count(film) > 0) {
    add_places(json, film);
  }
}

void cardan__page_runs(cardan__json *json, const cardan_page *page)
{
  cardan__json_open(json, "runs", '[');
  for (int r = 0; r < page->nrun; r++) {
    const cardan_page_run *run = &page->run[r];
    cardan__json_open(json, NULL, '{');
    add_facts(json, page->model, run);
    if (run->film && cardan_film_row_count(run->film) > 0) {
      add_film(json, run->film);
    }
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
}
