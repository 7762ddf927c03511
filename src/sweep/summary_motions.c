// SPDX-License-Identifier: Apache-2.0
#include "cardan/load.h"
#include "cardan/sweep.h"
#include "output/page.h"
#include "sweep/summary.h"

/* Motions of a sweep's page: each is a page of its own within it, since each case may have another
 * model. */

enum { MOST_MOTIONS = 60, MOTION_BYTES = 12000000 };

int cardan__sweep_summary_nmotion(const cardan_sweep_summary *summary)
{
  return summary->sweep_result->nkept < MOST_MOTIONS ? summary->sweep_result->nkept : MOST_MOTIONS;
}

/* Of too many, some at even distances, the first and the last among them. */
int cardan__sweep_summary_motion(const cardan_sweep_summary *summary, int i)
{
  const int n = cardan__sweep_summary_nmotion(summary), all = summary->sweep_result->nkept;
  return n > 1 ? (int)((int64_t)i * (all - 1) / (n - 1)) : 0;
}

static cardan_status make_film(const cardan_sweep_result_rows *rows, const cardan_model *model,
                               size_t budget, const cardan_allocator *alloc, cardan_film **film,
                               cardan_report *report)
{
  const cardan_status status = cardan_film_create(model, (const char *const *)rows->column,
                                                  rows->ncolumn, budget, alloc, film, report);
  for (int64_t i = 0; i < rows->nrow && status == CARDAN_OK; i++) {
    cardan_film_append(*film, rows->row + (size_t)i * (size_t)rows->ncolumn);
  }
  return status;
}

/* A case's page within the page: its own model and options, its rows. */
static void add_motion(cardan__json *json, const cardan_sweep_summary *s, int64_t number,
                       const cardan_record *record, const cardan_model *model,
                       const cardan_film *film)
{
  char label[64];
  cardan_options_label(record->options, label, sizeof label);
  const char *message = cardan__sweep_summary_message(s, number);
  const bool ended = cardan__sweep_summary_ended(s, number);
  const cardan_page_run run = {.label = label,
                               .film = film,
                               .options = record->options,
                               .wall_seconds = -1,
                               .warning = ended ? message : NULL,
                               .error = ended ? NULL : message,
                               .status = cardan__sweep_summary_status(s, number)};
  const cardan_page page = {.source = record->model,
                            .model = model,
                            .setting = record->setting,
                            .nsetting = record->nsetting,
                            .run = &run,
                            .nrun = 1};
  cardan__json_open(json, NULL, '{');
  cardan__json_int(json, "case", number);
  cardan__page_data(json, "page", &page, NULL);
  cardan__json_close(json, '}');
}

static cardan_status add_kept(cardan__json *json, cardan_sweep_summary *s,
                              const cardan_sweep *sweep, int kept, cardan_report *report)
{
  const cardan_allocator *alloc = &s->arena.alloc;
  const int64_t number = s->sweep_result->kept[kept];
  const size_t budget = MOTION_BYTES / (size_t)cardan__sweep_summary_nmotion(s);
  cardan_sweep_result_rows rows = {0};
  cardan_record record;
  cardan_model *model = NULL;
  cardan_film *film = NULL;
  cardan_status status = cardan_sweep_case(sweep, number, &record, report);
  if (status != CARDAN_OK) {
    return status;
  }
  status = cardan_model_from_text(record.text, record.length, record.model, record.setting,
                                  record.nsetting, alloc, &model, report);
  if (status == CARDAN_OK) {
    status = cardan_sweep_result_motion(s->sweep_result, kept, &rows, report);
    if (status == CARDAN_OK && rows.nrow > 0) {
      status = make_film(&rows, model, budget, alloc, &film, report);
    }
    if (status == CARDAN_OK && film != NULL) {
      add_motion(json, s, number, &record, model, film);
    }
    cardan_film_destroy(film);
    cardan_sweep_result_motion_free(&rows);
  } else if (status != CARDAN_ERR_MEMORY) {
    status = CARDAN_OK; // a case that has no model has no motion
  }
  cardan_model_destroy(model);
  cardan_sweep_case_free(sweep, &record);
  return status;
}

cardan_status cardan__sweep_summary_motions(cardan_sweep_summary *summary, cardan__json *json,
                                            cardan_report *report)
{
  cardan_sweep *sweep = NULL;
  cardan_status status = CARDAN_OK;
  cardan__json_open(json, "kept", '{');
  cardan__json_int(json, "count", summary->sweep_result->nkept);
  cardan__json_open(json, "motions", '[');
  if (summary->sweep_result->nkept > 0) {
    status = cardan_sweep_open(summary->path, &summary->arena.alloc, &sweep, report);
  }
  for (int i = 0; i < cardan__sweep_summary_nmotion(summary) && status == CARDAN_OK; i++) {
    status = add_kept(json, summary, sweep, cardan__sweep_summary_motion(summary, i), report);
  }
  cardan_sweep_destroy(sweep);
  cardan__json_close(json, ']');
  cardan__json_close(json, '}');
  return status;
}
