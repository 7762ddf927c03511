// SPDX-License-Identifier: Apache-2.0
#include "reproduce/cardan_reproduce.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "reproduce/work.h"

const char *cardan_reproduce_paper(int paper)
{
  const cardan__paper *p = cardan__paper_at(paper);
  return p != NULL ? p->name : NULL;
}

static const cardan__item *item_at(int paper, int i)
{
  const cardan__paper *p = cardan__paper_at(paper);
  return p != NULL && i >= 0 && i < p->nitem ? &p->item[i] : NULL;
}

const char *cardan_reproduce_item(int paper, int i)
{
  const cardan__item *item = item_at(paper, i);
  return item != NULL ? item->name : NULL;
}

const char *cardan_reproduce_title(int paper, int i)
{
  const cardan__item *item = item_at(paper, i);
  return item != NULL ? item->title : NULL;
}

static bool go_on(void *user, double fraction)
{
  const cardan__work *w = user;
  return w->options->go_on == NULL ||
         w->options->go_on(w->options->user, (w->before + fraction * w->here) / w->all);
}

static cardan_status write_figures(const cardan__work *w, const cardan__made *made)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < made->out->nplot && status == CARDAN_OK; i++) {
    char name[CARDAN__FILE_NAME];
    cardan__text text;
    cardan__text_init(&text, w->allocator);
    cardan__plot_svg(&made->out->plot[i], &text);
    cardan__made_name(made, made->out->plot[i].name, name);
    status = cardan__work_put(w, "reproduction", name, ".svg", &text);
  }
  return status;
}

static cardan_status write_pieces(const cardan__work *w, const cardan__made *made)
{
  static void (*const write[CARDAN__PIECES])(const cardan__made *made, cardan__text *text) = {
      cardan__made_json, cardan__made_csv, cardan__made_markdown, cardan__made_markdown_row};
  char name[CARDAN__FILE_NAME];
  cardan_status status = write_figures(w, made);
  cardan__made_name(made, "", name);
  for (int i = 0; i < CARDAN__PIECES && status == CARDAN_OK; i++) {
    cardan__text text;
    cardan__text_init(&text, w->allocator);
    write[i](made, &text);
    status = cardan__work_put(w, "unfinished", name, cardan__work_endings[i], &text);
  }
  return status;
}

/* The item's own failure becomes its outcome; what is not its own is returned. */
static cardan_status compute(cardan__work *w, const cardan__item *item, cardan__outcome *out)
{
  cardan_report report = {.message = ""};
  cardan__job job = {.quick = w->options->quick,
                     .allocator = w->allocator,
                     .out = out,
                     .report = &report,
                     .user = w,
                     .go_on = go_on};
  cardan_status status = item->make(&job);
  if (status == CARDAN_OK && out->failed) {
    status = cardan__no_memory(&report);
  }
  if (status == CARDAN_ERR_STOPPED || status == CARDAN_ERR_MEMORY) {
    return cardan_fail(w->report, status, (cardan_pos){0, 0}, "%s", report.message);
  }
  if (status != CARDAN_OK) {
    cardan__outcome_say(out, CARDAN__FAILED, "%s: %s", cardan_status_text(status), report.message);
  }
  return CARDAN_OK;
}

static cardan_status make_item(cardan__work *w, const cardan__paper *paper,
                               const cardan__item *item, cardan__entry *entry)
{
  cardan__outcome out;
  char name[CARDAN__FILE_NAME];
  const double start = cardan__seconds();
  cardan__outcome_init(&out, w->allocator);
  cardan_status status = compute(w, item, &out);
  const cardan__made made = {.paper = paper,
                             .item = item,
                             .out = &out,
                             .quick = w->options->quick,
                             .seconds = cardan__seconds() - start};
  if (status == CARDAN_OK) {
    status = write_pieces(w, &made);
  }
  if (status == CARDAN_OK) {
    *entry = (cardan__entry){out.verdict, cardan__outcome_holds(&out), made.seconds};
    cardan__made_name(&made, "", name);
    status = cardan__journal_add(&w->journal, name, entry, w->report);
  }
  cardan__outcome_free(&out);
  return status;
}

static cardan_status do_item(cardan__work *w, const cardan__paper *paper, const cardan__item *item)
{
  cardan__entry entry;
  char name[CARDAN__FILE_NAME];
  cardan_status status = CARDAN_OK;
  cardan__made_name(&(cardan__made){.paper = paper, .item = item}, "", name);
  w->here = item->seconds[w->options->quick];
  const bool kept = cardan__journal_find(&w->journal, name, &entry) && cardan__work_has(w, name);
  if (!kept && !go_on(w, 0)) {
    status = cardan_fail(w->report, CARDAN_ERR_STOPPED, (cardan_pos){0, 0}, "stopped");
  } else if (!kept) {
    status = make_item(w, paper, item, &entry);
  }
  w->before += w->here;
  if (status == CARDAN_OK && w->options->done != NULL) {
    const cardan_reproduced made = {.paper = paper->name,
                                    .item = item->name,
                                    .title = item->title,
                                    .verdict = cardan__verdict_text(entry.verdict),
                                    .holds = entry.holds,
                                    .kept = kept,
                                    .seconds = entry.seconds};
    w->options->done(w->options->user, &made);
  }
  return status;
}

static cardan_status run_items(cardan__work *w)
{
  const cardan__paper *paper;
  cardan_status status = CARDAN_OK;
  for (int p = 0; (paper = cardan__paper_at(p)) != NULL; p++) {
    for (int i = 0; i < paper->nitem && status == CARDAN_OK; i++) {
      if (cardan__work_wants(w, paper, &paper->item[i])) {
        status = do_item(w, paper, &paper->item[i]);
      }
    }
  }
  return status;
}

/* What all items take, about; 0: none is wanted. */
static double estimate(const cardan__work *w)
{
  const cardan__paper *paper;
  double all = 0;
  for (int p = 0; (paper = cardan__paper_at(p)) != NULL; p++) {
    for (int i = 0; i < paper->nitem; i++) {
      all += cardan__work_wants(w, paper, &paper->item[i])
                 ? paper->item[i].seconds[w->options->quick]
                 : 0;
    }
  }
  return all;
}

static cardan_status open_journal(cardan__work *w)
{
  const cardan_reproduce_options *o = w->options;
  char path[CARDAN__PATH], head[256];
  cardan_status status = cardan__work_folder(w, "");
  status = status == CARDAN_OK ? cardan__work_folder(w, "reproduction") : status;
  status = status == CARDAN_OK ? cardan__work_folder(w, "unfinished") : status;
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__work_path(w, "unfinished", "journal", "", path);
  snprintf(head, sizeof head, "cardan %s: %.60s, %.60s, %s\n", cardan_version(), o->paper,
           o->item ? o->item : "all items", o->quick ? "quick" : "whole");
  return cardan__journal_open(&w->journal, path, head, o->anew, w->allocator, w->report);
}

cardan_status cardan_reproduce(const cardan_reproduce_options *options,
                               const cardan_allocator *allocator, cardan_report *report)
{
  cardan__work w = {.options = options, .allocator = allocator, .report = report};
  w.all = estimate(&w);
  if (!(w.all > 0)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "there is no paper \"%.40s\" with an item \"%.40s\"", options->paper,
                       options->item ? options->item : "");
  }
  if (strlen(options->folder) > CARDAN__PATH / 2) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "the folder's name is too long");
  }
  cardan_status status = open_journal(&w);
  if (status != CARDAN_OK) {
    return status;
  }
  status = run_items(&w);
  status = status == CARDAN_OK ? cardan__work_finish(&w) : status;
  cardan__journal_close(&w.journal);
  return status;
}
