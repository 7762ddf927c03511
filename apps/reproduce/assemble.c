// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cardan/load.h"
#include "cardan/output.h"
#include "cardan/page.h"
#include "reproduce/work.h"

/* The pieces of one kind of a paper's items, with text between them. */
static cardan_status gather(const cardan__work *w, const cardan__paper *paper, const char *ending,
                            const char *between, cardan__text *text)
{
  cardan_status status = CARDAN_OK;
  bool first = true;
  for (int i = 0; i < paper->nitem && status == CARDAN_OK; i++) {
    char name[CARDAN__FILE_NAME];
    if (cardan__work_wants(w, paper, &paper->item[i])) {
      cardan__text_add(text, between, first ? 0 : strlen(between));
      cardan__made_name(&(cardan__made){.paper = paper, .item = &paper->item[i]}, "", name);
      status = cardan__work_get(w, name, ending, text);
      first = false;
    }
  }
  return status;
}

/* PAPER, or PAPER-ITEM when one item is wanted: a part does not take the place of the whole. */
static void stem_of(const cardan__work *w, const cardan__paper *paper, char stem[CARDAN__FILE_NAME])
{
  snprintf(stem, CARDAN__FILE_NAME, "%s%s%s", paper->name, w->options->item ? "-" : "",
           w->options->item ? w->options->item : "");
}

static cardan_status write_page(const cardan__work *w, const cardan__paper *paper,
                                const cardan__text *json)
{
  char *page = NULL;
  size_t length = 0;
  if (!cardan_has_pages()) {
    return CARDAN_OK;
  }
  cardan_status status =
      cardan_page_from_json(json->data, json->length, w->allocator, &page, &length, w->report);
  if (status == CARDAN_OK) {
    char path[CARDAN__PATH], stem[CARDAN__FILE_NAME];
    stem_of(w, paper, stem);
    cardan__work_path(w, "", stem, ".html", path);
    status = cardan_write_text(path, page, length, w->allocator, w->report);
    cardan_free_text(w->allocator, page);
  }
  return status;
}

static cardan_status write_json(const cardan__work *w, const cardan__paper *paper)
{
  char stem[CARDAN__FILE_NAME];
  cardan__text items, json;
  cardan__text_init(&items, w->allocator);
  cardan__text_init(&json, w->allocator);
  cardan_status status = gather(w, paper, ".json", ",\n", &items);
  if (status == CARDAN_OK && !items.failed) {
    cardan__paper_json(paper, w->options->quick, items.data, &json);
    status = json.failed ? CARDAN_OK : write_page(w, paper, &json);
  }
  json.failed = json.failed || items.failed;
  cardan__text_free(&items);
  if (status == CARDAN_OK) {
    stem_of(w, paper, stem);
    return cardan__work_put(w, "", stem, ".json", &json);
  }
  cardan__text_free(&json);
  return status;
}

static cardan_status write_csv(const cardan__work *w, const cardan__paper *paper)
{
  char stem[CARDAN__FILE_NAME];
  cardan__text text;
  cardan__text_init(&text, w->allocator);
  cardan__text_printf(&text, "%s", CARDAN__MADE_CSV_HEAD);
  const cardan_status status = gather(w, paper, ".csv", "", &text);
  if (status == CARDAN_OK) {
    stem_of(w, paper, stem);
    return cardan__work_put(w, "", stem, ".csv", &text);
  }
  cardan__text_free(&text);
  return status;
}

static bool has_items(const cardan__work *w, const cardan__paper *paper)
{
  for (int i = 0; i < paper->nitem; i++) {
    if (cardan__work_wants(w, paper, &paper->item[i])) {
      return true;
    }
  }
  return false;
}

/* For every paper that has something. */
static cardan_status for_papers(const cardan__work *w,
                                cardan_status (*act)(const cardan__work *w,
                                                     const cardan__paper *paper))
{
  const cardan__paper *paper;
  cardan_status status = CARDAN_OK;
  for (int p = 0; status == CARDAN_OK && (paper = cardan__paper_at(p)) != NULL; p++) {
    status = has_items(w, paper) ? act(w, paper) : CARDAN_OK;
  }
  return status;
}

static cardan_status add_sections(const cardan__work *w, cardan__text *text)
{
  const cardan__paper *paper;
  cardan_status status = CARDAN_OK;
  cardan__text_printf(text, "%s", CARDAN__MADE_MARKDOWN_HEAD);
  for (int p = 0; status == CARDAN_OK && (paper = cardan__paper_at(p)) != NULL; p++) {
    status = gather(w, paper, ".row", "", text);
  }
  cardan__text_printf(text, "\n");
  for (int p = 0; status == CARDAN_OK && (paper = cardan__paper_at(p)) != NULL; p++) {
    if (has_items(w, paper)) {
      cardan__paper_markdown_head(paper, text);
      status = gather(w, paper, ".md", "", text);
      cardan__paper_markdown_errata(paper, text);
    }
  }
  return status;
}

static cardan_status write_markdown(const cardan__work *w)
{
  const cardan_reproduce_options *o = w->options;
  char stem[CARDAN__FILE_NAME] = "reproduction";
  cardan__text text;
  cardan__text_init(&text, w->allocator);
  cardan__text_printf(&text,
                      "# The papers, reproduced\n\nWritten by `cardan reproduce %s%s%s%s`, version "
                      "%s. Times are of the machine it ran on; ratios within the run are what "
                      "counts. \"Expected here\" is where our number must lie, or the command "
                      "fails.\n\n",
                      o->paper, o->item ? " --item " : "", o->item ? o->item : "",
                      o->quick ? " --quick" : "", cardan_version());
  const cardan_status status = add_sections(w, &text);
  if (status == CARDAN_OK) {
    if (strcmp(o->paper, "all") != 0) {
      stem_of(w, &(cardan__paper){.name = o->paper}, stem);
    }
    return cardan__work_put(w, "", stem, ".md", &text);
  }
  cardan__text_free(&text);
  return status;
}

/* The pieces of a paper, of this work or of other work that was given up. What cannot be removed
 * does no harm. */
static void remove_pieces(const cardan__work *w, const cardan__paper *paper)
{
  for (int i = 0; i < paper->nitem; i++) {
    char name[CARDAN__FILE_NAME], path[CARDAN__PATH];
    cardan__made_name(&(cardan__made){.paper = paper, .item = &paper->item[i]}, "", name);
    for (int k = 0; k < CARDAN__PIECES; k++) {
      cardan__work_path(w, "unfinished", name, cardan__work_endings[k], path);
      (void)unlink(path);
    }
  }
}

cardan_status cardan__work_finish(const cardan__work *w)
{
  char path[CARDAN__PATH];
  cardan_status status = for_papers(w, write_json);
  status = status == CARDAN_OK ? for_papers(w, write_csv) : status;
  status = status == CARDAN_OK ? write_markdown(w) : status;
  if (status == CARDAN_OK) {
    cardan__work_path(w, "unfinished", "journal", "", path);
    (void)unlink(path); // first: without it the other files are ignored
    for (int p = 0; cardan__paper_at(p) != NULL; p++) {
      remove_pieces(w, cardan__paper_at(p));
    }
    cardan__work_path(w, "unfinished", "", "", path);
    (void)rmdir(path);
  }
  return status;
}
