// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>

#include "output/json.h"
#include "output/text_output.h"
#include "sweep/cases.h"
#include "sweep/summary.h"

/* Cases in a second, of those that were not done before. */
static double rate(const cardan_sweep_progress *end)
{
  return end->seconds > 0 ? (double)(end->done - end->resumed) / end->seconds : (double)NAN;
}

static cardan_status status_at(int k)
{
  return (cardan_status)-k;
}

static void write_json(const cardan_sweep *sweep, const cardan_sweep_run_options *how,
                       const cardan_sweep_progress *end, const cardan_sweep_summary *summary,
                       cardan__json *j)
{
  cardan__json_open(j, NULL, '{');
  cardan__json_string(j, "model", sweep->base.model);
  cardan__json_int(j, "cases", end->cases);
  cardan__json_int(j, "done", end->done);
  cardan__json_int(j, "failed", end->failed);
  cardan__json_int(j, "resumed", end->resumed);
  cardan__json_int(j, "torn", end->torn);
  cardan__json_open(j, "statuses", '{');
  for (int k = 0; k < CARDAN_SWEEP_STATUSES; k++) {
    if (end->by_status[k] > 0) {
      cardan__json_int(j, cardan_status_word(status_at(k)), end->by_status[k]);
    }
  }
  cardan__json_close(j, '}');
  if (end->first >= 0) {
    cardan__json_open(j, "first_failure", '{');
    cardan__json_int(j, "case", end->first);
    cardan__json_string(j, "message", end->message);
    cardan__json_close(j, '}');
  }
  cardan__json_open(j, "columns", '[');
  for (int k = 0; k < cardan_sweep_column_count(sweep); k++) {
    cardan__json_string(j, NULL, cardan_sweep_column(sweep, k));
  }
  cardan__json_close(j, ']');
  cardan__json_int(j, "shard", how->shard);
  cardan__json_int(j, "shards", how->shards);
  cardan__json_int(j, "jobs", how->jobs);
  cardan__json_number(j, "wall_seconds", end->seconds);
  cardan__json_number(j, "cases_a_second", rate(end));
  cardan__json_string(j, "result", end->merged ? how->out : NULL);
  if (summary != NULL) {
    cardan__sweep_summary_facts(summary, "study", j);
  }
  cardan__json_close(j, '}');
}

static void write_failures(const cardan_sweep_progress *end, cardan__text *out)
{
  const char *between = "";
  if (end->failed == 0) {
    return;
  }
  cardan__text_output_label(out, "failed");
  for (int k = 1; k < CARDAN_SWEEP_STATUSES; k++) {
    if (end->by_status[k] > 0) {
      cardan__text_printf(out, "%s%" PRId64 " %s", between, end->by_status[k],
                          cardan_status_word(status_at(k)));
      between = ", ";
    }
  }
  cardan__text_output_label(out, "");
  cardan__text_printf(out, "first case %" PRId64, end->first);
  if (end->message[0] != '\0') {
    cardan__text_printf(out, ": ");
    cardan__text_output_name(out, end->message);
  }
}

static void write_text(const cardan_sweep *sweep, const cardan_sweep_run_options *how,
                       const cardan_sweep_progress *end, cardan__text *out)
{
  const int nvaried = cardan__plan_nvaried(sweep->plan);
  cardan__text_output_name(out, sweep->base.model);
  for (int k = 0; k < nvaried; k++) {
    cardan__text_printf(out, "%s", k == 0 ? ": a sweep over " : ", ");
    cardan__text_output_name(out, cardan__plan_varied(sweep->plan, k)->column);
  }
  cardan__text_output_label(out, "cases");
  cardan__text_printf(out, "%" PRId64, end->cases);
  if (end->done < end->cases) {
    cardan__text_printf(out, ", %" PRId64 " done", end->done);
  }
  if (end->resumed > 0) {
    cardan__text_printf(out, ", %" PRId64 " of them before", end->resumed);
  }
  cardan__text_printf(out, ", %" PRId64 " failed", end->failed);
  if (end->torn > 0) {
    cardan__text_printf(out, "; %" PRId64 " journal%s broke off", end->torn,
                        end->torn == 1 ? "" : "s");
  }
  write_failures(end, out);
  if (end->done > end->resumed) {
    cardan__text_output_label(out, "wall time");
    cardan__text_output_number(out, end->seconds);
    cardan__text_printf(out, " s, ");
    cardan__text_output_number(out, rate(end));
    cardan__text_printf(out, " cases a second");
  }
  cardan__text_output_label(out, "result");
  cardan__text_output_name(out, how->out);
  if (!end->merged) {
    cardan__text_printf(out, ".parts has shard %d of %d: a merge makes one file of all of them",
                        how->shard, how->shards);
  }
}

cardan_status cardan_sweep_describe(const cardan_sweep *sweep, const cardan_sweep_run_options *how,
                                    const cardan_sweep_progress *end,
                                    const cardan_sweep_summary *summary, bool json,
                                    const cardan_allocator *allocator, char **text)
{
  cardan__json out;
  cardan__json_init(&out, allocator);
  if (json) {
    write_json(sweep, how, end, summary, &out);
  } else {
    write_text(sweep, how, end, &out.text);
    if (summary != NULL) {
      cardan__text_add(&out.text, "\n", 1);
      cardan__sweep_summary_labels(summary, &out.text);
    }
  }
  return cardan__text_output_finish(&out.text, text);
}
