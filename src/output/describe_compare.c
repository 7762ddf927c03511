// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/compare.h"
#include "output/json.h"
#include "output/text_output.h"

static double rate(const cardan_contender *one)
{
  return one->wall_seconds > 0 ? (double)one->stats.steps / one->wall_seconds : (double)NAN;
}

/* Was the same method refused just before, at another step? Once is enough. */
static bool repeats(const cardan_contender *contender, int i)
{
  return i > 0 && contender[i].refused && contender[i - 1].refused &&
         strcmp(contender[i].label, contender[i - 1].label) == 0;
}

static void write_entry(cardan__json *json, const cardan_contender *one, int run)
{
  const bool failed = !one->refused && one->status != CARDAN_OK;
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "label", one->label);
  cardan__json_number(json, "dt", one->options.dt);
  if (run >= 0) {
    cardan__json_int(json, "run", run);
  } else {
    cardan__json_raw(json, "run", "null");
  }
  cardan__json_string(json, "refused", one->refused ? one->message : NULL);
  cardan__json_string(json, "failed", failed ? one->message : NULL);
  cardan__json_string(json, "status", one->refused ? "refused" : cardan_status_word(one->status));
  cardan__json_int(json, "steps", one->stats.steps);
  cardan__json_number(json, "wall_seconds", one->wall_seconds);
  cardan__json_number(json, "steps_per_second", rate(one));
  cardan__json_int(json, "evaluations", one->stats.evaluations);
  cardan__json_number(json, "error_max", one->error_max);
  cardan__json_number(json, "error_final", one->error_final);
  cardan__json_number(json, "order", one->order);
  cardan__json_number(json, "drift_max", one->refused ? (double)NAN : one->stats.drift_max);
  const cardan_stats none = {
      .energy_band = (double)NAN, .energy_trend = (double)NAN, .energy_trend_error = (double)NAN};
  const cardan_stats *stats = one->refused ? &none : &one->stats;
  cardan__json_number(json, "band", stats->energy_band);
  cardan__json_number(json, "trend", 3600 * stats->energy_trend); // per hour
  cardan__json_number(json, "trend_error", 3600 * stats->energy_trend_error);
  cardan__json_number(json, "parted", one->parted);
  cardan__json_number(json, "constraint_max",
                      one->refused ? (double)NAN : one->stats.constraint_max);
  cardan__json_number(json, "jump_time", one->stats.jumps > 0 ? one->stats.jump.to : (double)NAN);
  cardan__json_close(json, '}');
}

/* Numbers to be looked at. */
static void write_list(cardan__json *json, const char *key, const double *x, int n)
{
  cardan__json_open(json, key, '[');
  for (int i = 0; i < n; i++) {
    cardan__json_short(json, NULL, x[i]);
  }
  cardan__json_close(json, ']');
}

static void write_errors(cardan__json *json, const cardan_contender *contender, int n,
                         const cardan_compare_errors *errors)
{
  int most = 0;
  for (int k = 0; k < errors->n; k++) {
    most = errors->count[k] > most ? errors->count[k] : most;
  }
  write_list(json, "times", errors->time, most);
  cardan__json_open(json, "errors", '[');
  for (int k = 0; k < n && k < errors->n; k++) {
    if (!contender[k].refused) {
      write_list(json, NULL, errors->error + (size_t)k * CARDAN_COMPARE_TIMES, errors->count[k]);
    }
  }
  cardan__json_close(json, ']');
}

/* Up to the end of the object, which stays open. */
static void write_json(cardan__json *json, const cardan_contender *contender, int n,
                       const char *model, const char *reference, const int *run)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "model", model);
  cardan__json_string(json, "reference", reference);
  cardan__json_open(json, "entries", '[');
  for (int i = 0; i < n; i++) {
    if (!repeats(contender, i)) {
      write_entry(json, &contender[i], run ? run[i] : -1);
    }
  }
  cardan__json_close(json, ']');
}

/* A number in a column of 11, or a dash. */
static void cell(cardan__text *out, double value)
{
  char number[CARDAN__NUMBER_SIZE] = "-";
  if (isfinite(value)) {
    cardan__format_number(number, value, 3);
  }
  cardan__text_printf(out, " %11s", number);
}

static void write_table(cardan__text *out, const cardan_contender *contender, int n,
                        const char *model, const char *reference)
{
  static const char *const heads[] = {"dt [s]",     "error [m]", "max error",
                                      "order",      "band [J]",  "trend [J/h]",
                                      "constraint", "steps/s",   "wall [s]"};
  enum { HEADS = sizeof heads / sizeof *heads };
  cardan__text_output_name(out, model);
  cardan__text_printf(out, ": errors against %s\n  %-22s", reference, "method");
  for (int k = 0; k < HEADS; k++) {
    cardan__text_printf(out, " %11s", heads[k]);
  }
  for (int i = 0; i < n; i++) {
    const cardan_contender *one = &contender[i];
    if (repeats(contender, i)) {
      continue;
    }
    cardan__text_printf(out, "\n  %-22s", one->label);
    if (!one->refused) {
      const double cells[HEADS] = {one->options.dt,
                                   one->error_final,
                                   one->error_max,
                                   one->order,
                                   one->stats.energy_band,
                                   3600 * one->stats.energy_trend,
                                   one->stats.constraint_max,
                                   rate(one),
                                   one->wall_seconds};
      for (int k = 0; k < HEADS; k++) {
        cell(out, cells[k]);
      }
    }
    const bool blew_up = one->status == CARDAN_ERR_BLEW_UP;
    if (isfinite(one->parted)) {
      cardan__text_printf(out, "\n    parted from the reference from t = ");
      cardan__text_output_number(out, one->parted);
      cardan__text_printf(out, " s on: another motion");
    }
    if (one->warning[0] && !blew_up) {
      cardan__text_printf(out, "\n    in doubt: %s", one->warning);
    }
    if (one->message[0]) {
      cardan__text_printf(out, "%s%s",
                          one->refused ? " not run: "
                          : blew_up    ? "\n    blew-up: "
                                       : "\n    ended early: ",
                          one->message);
    }
  }
}

cardan_status cardan_describe_comparison(const cardan_contender *contender, int n,
                                         const char *model, const char *reference, const int *run,
                                         bool json, const cardan_allocator *allocator, char **text)
{
  cardan__json j;
  cardan__json_init(&j, allocator);
  if (json) {
    write_json(&j, contender, n, model, reference, run);
    cardan__json_close(&j, '}');
  } else {
    write_table(&j.text, contender, n, model, reference);
  }
  return cardan__text_output_finish(&j.text, text);
}

cardan_status cardan_describe_comparison_page(const cardan_contender *contender, int n,
                                              const char *model, const char *reference,
                                              const int *run, const cardan_compare_errors *errors,
                                              int reference_run, const cardan_allocator *allocator,
                                              char **text)
{
  cardan__json j;
  cardan__json_init(&j, allocator);
  write_json(&j, contender, n, model, reference, run);
  write_errors(&j, contender, n, errors);
  cardan__json_int(&j, "reference_run", reference_run);
  cardan__json_close(&j, '}');
  return cardan__text_output_finish(&j.text, text);
}
