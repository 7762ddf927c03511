// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/load.h"
#include "output/pack.h"
#include "output/page.h"
#include "run/result_rows.h"
#include "sweep/summary.h"

/* The page of a sweep: its data is one object "sweep" (viewer/src/sweep_data.ts). */

enum { MOST_MESSAGES = 2000 };

/* ---- what the sweep was ---- */

/* Of each status, the word of its column and what it means, how many cases and which first. */
static void add_endings(cardan__json *json, const cardan_sweep_summary *s)
{
  const cardan__sweep_summary_column *status = &s->column[s->status];
  cardan__json_open(json, "endings", '[');
  for (int w = 0; w < status->nword; w++) {
    if (s->by_status[w] > 0) {
      const int64_t first = s->first_of_status[w];
      cardan__json_open(json, NULL, '{');
      cardan__json_int(json, "status", w);
      cardan__json_string(json, "word", status->word[w]);
      cardan__json_string(json, "meaning", cardan_status_text((cardan_status)-w));
      cardan__json_int(json, "count", s->by_status[w]);
      cardan__json_int(json, "first", first);
      cardan__json_string(json, "message", w > 0 ? cardan__sweep_summary_message(s, first) : NULL);
      cardan__json_close(json, '}');
    }
  }
  cardan__json_close(json, ']');
}

static void add_messages(cardan__json *json, const cardan_sweep_summary *s)
{
  const cardan_sweep_result *sweep_result = s->sweep_result;
  const int64_t n = sweep_result->nmessage < MOST_MESSAGES ? sweep_result->nmessage : MOST_MESSAGES;
  cardan__json_open(json, "messages", '{');
  cardan__json_int(json, "count", sweep_result->nmessage);
  cardan__json_open(json, "cases", '[');
  for (int64_t i = 0; i < n; i++) {
    cardan__json_int(json, NULL, sweep_result->message[i].number);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "texts", '[');
  for (int64_t i = 0; i < n; i++) {
    cardan__json_string(json, NULL, sweep_result->message[i].text);
  }
  cardan__json_close(json, ']');
  cardan__json_close(json, '}');
}

/* What is to be known of the plan and of how the options came about. */
static void add_notes(cardan__json *json, const cardan_sweep_summary *s)
{
  const char *const notes[] = {cardan__plan_note(s->plan), s->sweep_result->result->note};
  cardan__json_open(json, "notes", '[');
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
    if (notes[i] != NULL && notes[i][0] != '\0') {
      cardan__json_string(json, NULL, notes[i]);
    }
  }
  cardan__json_close(json, ']');
}

static void add_index(cardan__json *json, const cardan__index *index)
{
  cardan__json_open(json, NULL, '[');
  cardan__json_number(json, NULL, index->value);
  cardan__json_number(json, NULL, index->low);
  cardan__json_number(json, NULL, index->high);
  cardan__json_close(json, ']');
}

static void add_indices(cardan__json *json, const char *key, const cardan__index *index, int n)
{
  cardan__json_open(json, key, '[');
  for (int i = 0; i < n; i++) {
    add_index(json, &index[i]);
  }
  cardan__json_close(json, ']');
}

static void add_name(cardan__json *json, const char *key, const cardan_sweep_summary *s, int column,
                     bool names)
{
  if (names) {
    cardan__json_string(json, key, s->column[column].name);
  } else {
    cardan__json_int(json, key, column);
  }
}

void cardan__sweep_summary_sensitivity(const cardan_sweep_summary *summary, bool names,
                                       cardan__json *json)
{
  cardan__json_open(json, "sensitivity", '{');
  cardan__json_string(json, "kind", cardan__influence_word(summary->kind));
  cardan__json_open(json, "inputs", '[');
  for (int i = 0; i < summary->ninput; i++) {
    add_name(json, NULL, summary, summary->input[i], names);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "words", '[');
  for (int k = 0; cardan__influence_words(summary, k) != NULL; k++) {
    cardan__json_string(json, NULL, cardan__influence_words(summary, k));
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "outputs", '[');
  for (int i = 0; i < summary->ninfluence; i++) {
    const cardan__influence *f = &summary->influence[i];
    cardan__json_open(json, NULL, '{');
    add_name(json, names ? "name" : "column", summary, f->column, names);
    cardan__json_int(json, "used", f->used);
    cardan__json_int(json, "of", f->of);
    add_indices(json, "first", f->first, summary->ninput);
    if (f->total != NULL) {
      add_indices(json, "total", f->total, summary->ninput);
    }
    cardan__json_numbers(json, "rank", f->rank, summary->ninput);
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
  cardan__json_close(json, '}');
}

/* ---- the page ---- */

/* Units of the columns of motions that the summary's columns are of, in their order. */
static void add_units(cardan__json *json, const cardan_sweep_summary *s, const cardan_model *model)
{
  cardan__json_open(json, "units", '[');
  for (int k = 0; k < s->ncolumn; k++) {
    const cardan__sweep_summary_column *c = &s->column[k];
    const char *of = c->collect != NULL ? c->collect->source
                     : c->varied != NULL && c->varied->kind == CARDAN__VARIED_START
                         ? c->varied->name
                         : NULL;
    cardan__json_string(json, NULL, of != NULL ? cardan_column_unit(model, of) : "");
  }
  cardan__json_close(json, ']');
}

/* The model with the values that all cases share, for its name and units; NULL where it needs
 * values that differ. */
static void add_model(cardan__json *json, const cardan_sweep_summary *s)
{
  const cardan_result *r = s->sweep_result->result;
  cardan_model *model = NULL;
  const cardan_status status = cardan_model_from_text(r->text, r->length, r->model, r->setting,
                                                      r->nsetting, &s->arena.alloc, &model, NULL);
  json->text.failed = json->text.failed || status == CARDAN_ERR_MEMORY;
  cardan__json_string(json, "name", status == CARDAN_OK ? model->name : "");
  if (status == CARDAN_OK) {
    cardan__page_model(json, &(cardan_page){.model = model});
    add_units(json, s, model);
  }
  cardan_model_destroy(model);
}

static cardan_status write_data(cardan__json *json, cardan_sweep_summary *s, const char *live,
                                cardan_report *report)
{
  const cardan_result *r = s->sweep_result->result;
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "version", cardan_version());
  if (live != NULL) {
    cardan__json_string(json, "live", live);
  }
  cardan__json_open(json, "sweep", '{');
  cardan__json_string(json, "file", s->path);
  cardan__json_string(json, "given", r->model);
  add_model(json, s);
  cardan__json_bytes(json, "text", r->text, r->length);
  cardan__json_bytes(json, "plan", s->sweep_result->plan, s->sweep_result->plan_length);
  cardan__page_options(json, &r->options);
  cardan__page_settings(json, "settings", r->setting, r->nsetting);
  cardan__page_settings(json, "initial", r->initial, r->ninitial);
  cardan__json_int(json, "cases", s->ncase);
  cardan__json_int(json, "failed", s->failed);
  cardan__json_int(json, "doubts", s->doubts);
  add_endings(json, s);
  cardan__sweep_summary_cases(s, json);
  add_messages(json, s);
  add_notes(json, s);
  if (s->kind != CARDAN__INFLUENCE_NONE) {
    cardan__sweep_summary_sensitivity(s, false, json);
  }
  const cardan_status status = cardan__sweep_summary_motions(s, json, report);
  cardan__json_close(json, '}');
  cardan__json_close(json, '}');
  return status == CARDAN_OK && json->text.failed ? cardan__no_memory(report) : status;
}

/* block: where its arrays go, NULL: into the text */
static cardan_status make_json(cardan_sweep_summary *summary, const char *live, cardan__text *block,
                               const cardan_allocator *allocator, char **text, size_t *length,
                               cardan_report *report)
{
  cardan__json json;
  *text = NULL;
  *length = 0;
  cardan__json_init(&json, allocator);
  json.block = block;
  cardan_status status = write_data(&json, summary, live, report);
  if (status == CARDAN_OK && block != NULL && block->failed) {
    status = cardan__no_memory(report);
  }
  if (status != CARDAN_OK) {
    cardan__text_free(&json.text);
    return status;
  }
  *text = json.text.data;
  *length = json.text.length;
  return CARDAN_OK;
}

cardan_status cardan_sweep_summary_json(cardan_sweep_summary *summary,
                                        const cardan_allocator *allocator, char **text,
                                        size_t *length, cardan_report *report)
{
  return make_json(summary, NULL, NULL, allocator, text, length, report);
}

cardan_status cardan_sweep_summary_html(cardan_sweep_summary *summary, const char *live,
                                        const cardan_allocator *allocator, char **text,
                                        size_t *length, cardan_report *report)
{
  char *json;
  size_t json_length;
  cardan__text own, *block = live == NULL && cardan__pack_ready() ? &own : NULL;
  *text = NULL;
  *length = 0;
  cardan__text_init(&own, allocator);
  cardan_status status = make_json(summary, live, block, allocator, &json, &json_length, report);
  if (status == CARDAN_OK) {
    status = cardan__page_wrap(json, json_length, block, allocator, text, length, report);
    cardan__resize(allocator, json, 0);
  }
  cardan__text_free(&own);
  return status;
}

cardan_status cardan_sweep_summary_write(cardan_sweep_summary *summary, const char *path,
                                         const cardan_allocator *allocator, cardan_report *report)
{
  char *text;
  size_t length;
  cardan_status status =
      cardan_sweep_summary_html(summary, NULL, allocator, &text, &length, report);
  if (status == CARDAN_OK) {
    status = cardan_write_text(path, text, length, allocator, report);
    cardan__resize(allocator, text, 0);
  }
  return status;
}
