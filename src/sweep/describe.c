// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>

#include "output/json.h"
#include "output/text_output.h"
#include "sweep/cases.h"
#include "sweep/summary.h"

/* Cases per second, of those that this call has done. */
static double cases_per_second(const cardan_sweep_progress *progress)
{
  return progress->seconds > 0 ? (double)(progress->done - progress->resumed) / progress->seconds
                               : (double)NAN;
}

/* The status that by_status[k] counts. */
static cardan_status status_at(int k)
{
  return (cardan_status)-k;
}

static void write_json(const cardan_sweep *sweep, const cardan_sweep_run_options *options,
                       const cardan_sweep_progress *progress, const cardan_sweep_summary *summary,
                       cardan__json *j)
{
  cardan__json_open(j, NULL, '{');
  cardan__json_string(j, "model", sweep->base.model);
  cardan__json_int(j, "cases", progress->cases);
  cardan__json_int(j, "done", progress->done);
  cardan__json_int(j, "failed", progress->failed);
  cardan__json_int(j, "resumed", progress->resumed);
  cardan__json_int(j, "torn", progress->torn);
  cardan__json_open(j, "statuses", '{');
  for (int k = 0; k < CARDAN_SWEEP_STATUSES; k++) {
    if (progress->by_status[k] > 0) {
      cardan__json_int(j, cardan_status_word(status_at(k)), progress->by_status[k]);
    }
  }
  cardan__json_close(j, '}');
  if (progress->first >= 0) {
    cardan__json_open(j, "first_failure", '{');
    cardan__json_int(j, "case", progress->first);
    cardan__json_string(j, "message", progress->message);
    cardan__json_close(j, '}');
  }
  cardan__json_open(j, "columns", '[');
  for (int k = 0; k < cardan_sweep_column_count(sweep); k++) {
    cardan__json_string(j, NULL, cardan_sweep_column(sweep, k));
  }
  cardan__json_close(j, ']');
  cardan__json_int(j, "shard", options->shard);
  cardan__json_int(j, "shards", options->shards);
  cardan__json_int(j, "jobs", options->jobs);
  cardan__json_number(j, "wall_seconds", progress->seconds);
  cardan__json_number(j, "cases_a_second", cases_per_second(progress));
  cardan__json_string(j, "result", progress->merged ? options->out : NULL);
  if (summary != NULL) {
    cardan__sweep_summary_facts(summary, "study", j);
  }
  cardan__json_close(j, '}');
}

static void write_failures(const cardan_sweep_progress *progress, cardan__text *out)
{
  const char *separator = "";
  if (progress->failed == 0) {
    return;
  }
  cardan__text_output_label(out, "failed");
  for (int k = 1; k < CARDAN_SWEEP_STATUSES; k++) {
    if (progress->by_status[k] > 0) {
      cardan__text_printf(out, "%s%" PRId64 " %s", separator, progress->by_status[k],
                          cardan_status_word(status_at(k)));
      separator = ", ";
    }
  }
  cardan__text_output_label(out, "");
  cardan__text_printf(out, "first case %" PRId64, progress->first);
  if (progress->message[0] != '\0') {
    cardan__text_printf(out, ": ");
    cardan__text_output_name(out, progress->message);
  }
}

static void write_text(const cardan_sweep *sweep, const cardan_sweep_run_options *options,
                       const cardan_sweep_progress *progress, cardan__text *out)
{
  const int nvaried = cardan__plan_nvaried(sweep->plan);
  cardan__text_output_name(out, sweep->base.model);
  for (int k = 0; k < nvaried; k++) {
    cardan__text_printf(out, "%s", k == 0 ? ": a sweep over " : ", ");
    cardan__text_output_name(out, cardan__plan_varied(sweep->plan, k)->column);
  }
  cardan__text_output_label(out, "cases");
  cardan__text_printf(out, "%" PRId64, progress->cases);
  if (progress->done < progress->cases) {
    cardan__text_printf(out, ", %" PRId64 " done", progress->done);
  }
  if (progress->resumed > 0) {
    cardan__text_printf(out, ", %" PRId64 " of them before", progress->resumed);
  }
  cardan__text_printf(out, ", %" PRId64 " failed", progress->failed);
  if (progress->torn > 0) {
    cardan__text_printf(out, "; %" PRId64 " journal%s broke off", progress->torn,
                        progress->torn == 1 ? "" : "s");
  }
  write_failures(progress, out);
  if (progress->done > progress->resumed) {
    cardan__text_output_label(out, "wall time");
    cardan__text_output_number(out, progress->seconds);
    cardan__text_printf(out, " s, ");
    cardan__text_output_number(out, cases_per_second(progress));
    cardan__text_printf(out, " cases a second");
  }
  cardan__text_output_label(out, "result");
  cardan__text_output_name(out, options->out);
  if (!progress->merged) {
    cardan__text_printf(out, ".parts has shard %d of %d: a merge makes one file of all of them",
                        options->shard, options->shards);
  }
}

cardan_status cardan_sweep_describe(const cardan_sweep *sweep,
                                    const cardan_sweep_run_options *options,
                                    const cardan_sweep_progress *progress,
                                    const cardan_sweep_summary *summary, bool json,
                                    const cardan_allocator *allocator, char **text)
{
  cardan__json out;
  cardan__json_init(&out, allocator);
  if (json) {
    write_json(sweep, options, progress, summary, &out);
  } else {
    write_text(sweep, options, progress, &out.text);
    if (summary != NULL) {
      cardan__text_add(&out.text, "\n", 1);
      cardan__sweep_summary_labels(summary, &out.text);
    }
  }
  return cardan__text_output_finish(&out.text, text);
}
