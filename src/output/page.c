// SPDX-License-Identifier: Apache-2.0
#include "output/page.h"

#include <string.h>

#include "base/arena.h"
#include "cardan/output.h"
#include "model/joint_table.h"
#include "output/file.h"
#include "output/pack.h"

/* A page is the bundle of viewer/ with the data put in the place of a marker: JSON inside a
 * <script> element that holds data and is never run. */

static const char marker[] = "<!--cardan:data-->";

bool cardan_has_pages(void)
{
  return cardan__page_length > 0;
}

static void add_fault(cardan__json *json, const cardan_report *fault)
{
  cardan__json_open(json, "fault", '{');
  cardan__json_string(json, "file", fault->file);
  cardan__json_int(json, "line", fault->pos.line);
  cardan__json_int(json, "column", fault->pos.column);
  cardan__json_string(json, "message", fault->message);
  cardan__json_close(json, '}');
}

void cardan__page_settings(cardan__json *json, const char *key, const cardan_setting *setting,
                           int n)
{
  cardan__json_open(json, key, '[');
  for (int i = 0; i < n; i++) {
    cardan__json_open(json, NULL, '[');
    cardan__json_string(json, NULL, setting[i].name);
    cardan__json_number(json, NULL, setting[i].value);
    cardan__json_close(json, ']');
  }
  cardan__json_close(json, ']');
}

/* "modes": what the page says of each, and what is to be known of all. */
static void add_modes(cardan__json *json, const cardan_page *page)
{
  char note[CARDAN_MATRICES_NOTE];
  cardan__json_open(json, "modes", '{');
  cardan__json_int(json, "count", page->modes->n);
  cardan__json_int(json, "dof", page->modes->matrices->n);
  cardan__json_open(json, "notes", '[');
  for (int k = 0; cardan_matrices_note(page->modes->matrices, k, note); k++) {
    cardan__json_string(json, NULL, note);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "list", '[');
  for (int k = 0; k < page->nrun; k++) {
    const cardan_mode *mode = &page->modes->mode[k];
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "kind", cardan_mode_word(mode->kind));
    cardan__json_number(json, "frequency", mode->frequency);
    cardan__json_number(json, "damping", mode->damping);
    cardan__json_number(json, "re", mode->re);
    cardan__json_number(json, "im", mode->im);
    cardan__json_bool(json, "unstable", mode->unstable);
    cardan__json_bool(json, "doubtful", mode->doubtful);
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
  cardan__json_close(json, '}');
}

void cardan__page_data(cardan__json *json, const char *key, const cardan_page *page,
                       const char *live)
{
  cardan__json_open(json, key, '{');
  cardan__json_string(json, "version", cardan_version());
  cardan__json_string(json, "source", page->source);
  cardan__json_bytes(json, "text", page->text ? page->text : "", page->text ? page->length : 0);
  if (live) {
    cardan__json_string(json, "live", live);
  }
  if (page->fault) {
    add_fault(json, page->fault);
  }
  if (page->model) {
    cardan__page_model(json, page);
  }
  cardan__page_settings(json, "settings", page->setting, page->nsetting);
  cardan__page_runs(json, page);
  if (page->comparison) {
    cardan__json_raw(json, "comparison", page->comparison);
  }
  if (page->modes) {
    add_modes(json, page);
  }
  cardan__json_close(json, '}');
}

static cardan_status finish(cardan__text *built, char **text, size_t *length, cardan_report *report)
{
  if (built->failed) {
    cardan__text_free(built);
    return cardan__no_memory(report);
  }
  *text = built->data;
  *length = built->length;
  return CARDAN_OK;
}

/* A page moves bodies by turns and slides; a joint with a motion of its own it cannot show. */
static cardan_status check_joints(const cardan_page *page, cardan_report *report)
{
  for (int j = 0; page->model && j < page->model->njoint; j++) {
    const cardan_joint *joint = &page->model->joint[j];
    const cardan__joint_type *type = cardan__joint_type_of(joint->kind);
    if (type->general.word) {
      return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, joint->pos,
                         "pages cannot show the %s joint \"%.60s\"", type->word, joint->name);
    }
  }
  return CARDAN_OK;
}

cardan_status cardan_page_json(const cardan_page *page, const cardan_allocator *allocator,
                               char **text, size_t *length, cardan_report *report)
{
  cardan__json json;
  *text = NULL;
  *length = 0;
  const cardan_status status = check_joints(page, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__json_init(&json, allocator);
  cardan__page_data(&json, NULL, page, NULL);
  return finish(&json.text, text, length, report);
}

/* Where the data goes into the page; NULL when the library has none. */
static const char *find_marker(void)
{
  const char *bytes = (const char *)cardan__page_bytes;
  const size_t size = sizeof marker - 1;
  for (size_t i = 0; i + size <= cardan__page_length; i++) {
    if (bytes[i] == marker[0] && memcmp(bytes + i, marker, size) == 0) {
      return bytes + i;
    }
  }
  return NULL;
}

static cardan_status no_pages(cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                     "this build has no pages: it was made without Node.js and npm; install them, "
                     "configure again and build");
}

cardan_status cardan__page_wrap(const char *json, size_t json_length, const cardan__text *block,
                                const cardan_allocator *allocator, char **text, size_t *length,
                                cardan_report *report)
{
  const char *bytes = (const char *)cardan__page_bytes;
  const char *place = find_marker();
  *text = NULL;
  *length = 0;
  if (!place) {
    return no_pages(report);
  }
  const size_t before = (size_t)(place - bytes), after = before + sizeof marker - 1;
  cardan__text built;
  cardan__text_init(&built, allocator);
  cardan__text_add(&built, bytes, before);
  if (block) { // no JSON begins as base64 does
    cardan__pack(&built, json, json_length);
    cardan__text_add(&built, ",", 1);
    cardan__pack(&built, block->data ? block->data : "", block->length);
  } else {
    cardan__text_add(&built, json, json_length);
  }
  cardan__text_add(&built, bytes + after, cardan__page_length - after);
  return finish(&built, text, length, report);
}

cardan_status cardan_page_from_json(const char *json, size_t json_length,
                                    const cardan_allocator *allocator, char **text, size_t *length,
                                    cardan_report *report)
{
  const cardan__text none = {.length = 0}; // its numbers are in the JSON
  return cardan__page_wrap(json, json_length, cardan__pack_ready() ? &none : NULL, allocator, text,
                           length, report);
}

cardan_status cardan_page_html(const cardan_page *page, const char *live,
                               const cardan_allocator *allocator, char **text, size_t *length,
                               cardan_report *report)
{
  *text = NULL;
  *length = 0;
  if (!cardan_has_pages()) {
    return no_pages(report);
  }
  cardan_status status = check_joints(page, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__json json;
  cardan__text block;
  cardan__json_init(&json, allocator);
  cardan__text_init(&block, allocator);
  json.block = live == NULL && cardan__pack_ready() ? &block : NULL; // a live page is not kept
  cardan__page_data(&json, NULL, page, live);
  status = json.text.failed || block.failed
               ? cardan__no_memory(report)
               : cardan__page_wrap(json.text.data, json.text.length, json.block, allocator, text,
                                   length, report);
  cardan__text_free(&block);
  cardan__text_free(&json.text);
  return status;
}

cardan_status cardan_page_check(const char *path, cardan_report *report)
{
  return cardan_has_pages() ? cardan_write_check(path, report) : no_pages(report);
}

cardan_status cardan_page_write(const cardan_page *page, const char *path,
                                const cardan_allocator *allocator, cardan_report *report)
{
  char *text;
  size_t length;
  cardan_status status = cardan_page_html(page, NULL, allocator, &text, &length, report);
  if (status == CARDAN_OK) {
    status = cardan_write_text(path, text, length, allocator, report);
    cardan__resize(allocator, text, 0);
  }
  return status;
}
