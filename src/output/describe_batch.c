// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>

#include "output/describe_choice.h"
#include "output/describe_error.h"
#include "output/json.h"
#include "output/text_output.h"

/* Failures that a text lists; JSON has all that were kept. */
enum { LISTED = 10 };

/* Steps of the copies that went to their end, in a second. */
static double rate(const cardan_batch_notes *n)
{
  const double steps = (double)(n->copies - n->failed) * (double)n->steps;
  return n->wall_seconds > 0 ? steps / n->wall_seconds : (double)NAN;
}

static void json_failure(cardan__json *j, const char *key, const cardan_copy_failure *f)
{
  cardan__json_open(j, key, '{');
  cardan__json_int(j, "copy", f->copy);
  cardan__json_string(j, "status", cardan_status_word(f->status));
  cardan__json_string(j, "message", f->message);
  cardan__json_close(j, '}');
}

static void json_texts(cardan__json *j, const char *key, const char *const *text, int n)
{
  cardan__json_open(j, key, '[');
  for (int i = 0; i < n; i++) {
    cardan__json_string(j, NULL, text[i]);
  }
  cardan__json_close(j, ']');
}

static void write_json(const cardan_batch_notes *n, cardan__json *j)
{
  const cardan__how how = cardan__text_output_how(n->options);
  const bool known = !isnan(n->drift);
  cardan__json_open(j, NULL, '{');
  cardan__json_string(j, "model", n->model);
  cardan__json_string(j, "method", how.method);
  cardan__json_string(j, "solver", how.solver[0] ? how.solver : NULL);
  cardan__json_string(j, "integrator", how.integrator[0] ? how.integrator : NULL);
  cardan__json_number(j, "dt", n->options->dt);
  cardan__json_int(j, "steps", n->steps);
  cardan__json_int(j, "copies", n->copies);
  cardan__json_int(j, "failed", n->failed);
  cardan__json_int(j, "noted", n->noted);
  cardan__json_open(j, "failures", '[');
  for (int i = 0; i < n->nfailure; i++) {
    json_failure(j, NULL, &n->failure[i]);
  }
  cardan__json_close(j, ']');
  json_texts(j, "varied", n->varied, n->nvaried);
  cardan__json_int(j, "threads", n->threads);
  cardan__json_number(j, "wall_seconds", n->wall_seconds);
  cardan__json_number(j, "steps_a_second", rate(n));
  cardan__json_number(j, "max_drift", n->drift);
  cardan__json_number(j, "max_drift_copy", known ? (double)n->drift_copy : (double)NAN);
  const cardan__estimate_names names = {n->error_name, n->error_unit};
  cardan__json_error(j, &n->error, &names, n->error_copy);
  cardan__json_int(j, "rows", n->rows);
  json_texts(j, "warnings", n->warning, n->nwarning);
  if (n->choice != NULL) {
    cardan__json_choice(j, n->choice);
  }
  cardan__json_close(j, '}');
}

static void write_failures(const cardan_batch_notes *n, cardan__text *out)
{
  const int listed = n->nfailure < LISTED ? n->nfailure : LISTED;
  for (int i = 0; i < listed; i++) {
    const cardan_copy_failure *f = &n->failure[i];
    cardan__text_output_label(out, i == 0 ? "failed" : "");
    cardan__text_printf(out, "copy %" PRId64 ", %s: ", f->copy, cardan_status_word(f->status));
    cardan__text_output_name(out, f->message);
  }
  if (n->failed > listed) {
    cardan__text_output_label(out, "");
    cardan__text_printf(out, "and %" PRId64 " more", n->failed - listed);
  }
}

static void write_text(const cardan_batch_notes *n, cardan__text *out)
{
  const cardan__how how = cardan__text_output_how(n->options);
  cardan__text_output_name(out, n->model);
  cardan__text_printf(out, ": method %s%s%s%s%s", how.method, how.solver[0] ? ", solver " : "",
                      how.solver, how.integrator[0] ? ", integrator " : "", how.integrator);
  if (n->choice != NULL) {
    cardan__text_output_choice(out, n->choice);
  }
  cardan__text_output_label(out, "copies");
  cardan__text_printf(out, "%" PRId64 ", %" PRId64 " failed; %" PRId64 " steps of ", n->copies,
                      n->failed, n->steps);
  cardan__text_output_number(out, n->options->dt);
  cardan__text_printf(out, " s each");
  for (int i = 0; i < n->nvaried; i++) {
    cardan__text_printf(out, "%s", i == 0 ? "; by " : ", ");
    cardan__text_output_name(out, n->varied[i]);
  }
  write_failures(n, out);
  if (n->noted > 0) {
    cardan__text_output_label(out, "notes");
    cardan__text_printf(out, "%" PRId64 " other%s, first copy %" PRId64 ": ", n->noted,
                        n->noted == 1 ? "" : "s", n->note.copy);
    cardan__text_output_name(out, n->note.message);
  }
  cardan__text_output_label(out, "wall time");
  cardan__text_output_number(out, n->wall_seconds);
  cardan__text_printf(out, " s, ");
  cardan__text_output_number(out, rate(n));
  cardan__text_printf(out, " steps a second on ");
  if (n->threads > 0) {
    cardan__text_printf(out, "%d thread%s", n->threads, n->threads == 1 ? "" : "s");
  } else {
    cardan__text_printf(out, "all cores");
  }
  if (!isnan(n->drift)) {
    cardan__text_output_label(out, "energy");
    cardan__text_printf(out, "largest drift ");
    cardan__text_output_number(out, n->drift);
    cardan__text_printf(out, " J, of copy %" PRId64, n->drift_copy);
  }
  const cardan__estimate_names names = {n->error_name, n->error_unit};
  cardan__text_output_error(out, &n->error, &names, n->error_copy);
  if (n->table != NULL) {
    cardan__text_output_label(out, "table");
    cardan__text_printf(out, "%" PRId64 " rows in ", n->rows);
    cardan__text_output_name(out, n->table);
  }
}

cardan_status cardan_describe_batch(const cardan_batch_notes *notes, bool json,
                                    const cardan_allocator *allocator, char **text)
{
  cardan__json out;
  cardan__json_init(&out, allocator);
  if (json) {
    write_json(notes, &out);
  } else {
    write_text(notes, &out.text);
  }
  return cardan__text_output_finish(&out.text, text);
}
