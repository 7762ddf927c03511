// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sweep/plan_inside.h"

static const char *const words[] = {"end",   "start",      "min",        "max",         "mean",
                                    "rms",   "integral",   "at",         "cross",       "drift",
                                    "error", "constraint", "iterations", "evaluations", "steps",
                                    "time",  "status"};
enum { NWORD = sizeof words / sizeof *words, STATUS = NWORD - 1 };
static const cardan__plan_words known = {words, sizeof *words, NWORD};
_Static_assert(CARDAN__COLLECT_REACHED + 1 == STATUS, "a word for each kind, and status");

static const char usage[] = "(collect (end \"q.a\") (max \"energy\") (at 1.5 \"y.tip\") "
                            "(cross \"q.a\" 0 up) drift)";

/* "at.1.5.y.tip": the word, the time or before it the column, the level and direction. */
static bool name_column(cardan__plan_reader *reader, cardan__collect *c)
{
  char number[CARDAN__NUMBER_SIZE];
  char column[2 * CARDAN__PLAN_NAME];
  const char *word = words[c->kind];
  cardan__format_number(number, c->at, 0);
  if (c->kind == CARDAN__COLLECT_AT) {
    snprintf(column, sizeof column, "%s.%s.%s", word, number, c->source);
  } else if (c->kind == CARDAN__COLLECT_CROSS) {
    snprintf(column, sizeof column, "%s.%s.%s%s", word, c->source, number,
             c->direction > 0   ? ".up"
             : c->direction < 0 ? ".down"
                                : "");
  } else if (c->source != NULL) {
    snprintf(column, sizeof column, "%s.%s", word, c->source);
  } else {
    snprintf(column, sizeof column, "%s", word);
  }
  c->column = cardan__arena_text(&reader->plan->arena, column, strlen(column));
  return c->column != NULL ? true : cardan__plan_memory(reader);
}

static bool add_collect(cardan__plan_reader *reader, int node, cardan__collect *c)
{
  cardan__plan *plan = reader->plan;
  c->pos = cardan__plan_pos(reader, node);
  if (c->column == NULL && !name_column(reader, c)) {
    return false;
  }
  if (!cardan__plan_column_free(reader, c->pos, c->column, false,
                                ", or another name for it, (as NAME)")) {
    return false;
  }
  if (plan->ncollect == CARDAN__PLAN_COLLECT) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, c->pos,
                             "found more than %d numbers to keep; expected fewer",
                             CARDAN__PLAN_COLLECT);
  }
  if (cardan__grow(&plan->arena.alloc, (void **)&plan->collect, &plan->cap_collect,
                   plan->ncollect + 1, sizeof *plan->collect) != CARDAN_OK) {
    return cardan__plan_memory(reader);
  }
  plan->collect[plan->ncollect++] = *c;
  return true;
}

/* The name of (as NAME), where that is next. */
static bool read_as(cardan__plan_form *form, const char **column)
{
  cardan__plan_reader *reader = form->reader;
  if (!cardan__sexpr_is_form(&reader->tree, form->next, "as")) {
    return true;
  }
  cardan__plan_form inner = cardan__plan_open(reader, form->next, form->usage);
  cardan__plan_advance(form);
  return cardan__plan_name(&inner, "the name of its column", column) && cardan__plan_close(&inner);
}

/* (at T COLUMN) and (cross COLUMN LEVEL [up|down]). */
static bool read_place(cardan__plan_form *form, cardan__collect *c)
{
  cardan__plan_reader *reader = form->reader;
  if (c->kind == CARDAN__COLLECT_AT) {
    const int node = form->next;
    if (!cardan__plan_number(form, "the time", &c->at) ||
        !cardan__plan_name(form, "a column of the table of motion", &c->source)) {
      return false;
    }
    return c->at >= 0
               ? true
               : cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, node),
                                   "found time %g; expected 0 or more", c->at);
  }
  if (!cardan__plan_name(form, "a column of the table of motion", &c->source) ||
      !cardan__plan_number(form, "the level", &c->at)) {
    return false;
  }
  const bool up = cardan__sexpr_is(&reader->tree, form->next, "up");
  if (up || cardan__sexpr_is(&reader->tree, form->next, "down")) {
    c->direction = up ? 1 : -1;
    cardan__plan_advance(form);
  }
  return true;
}

/* A list: of one number, or of several columns, (end "q.a" "q.b"). */
static bool read_list(cardan__plan_form *form, cardan__collect_kind kind)
{
  cardan__plan_reader *reader = form->reader;
  cardan__collect c = {.kind = kind};
  if (kind >= CARDAN__COLLECT_DRIFT) {
    return read_as(form, &c.column) && cardan__plan_close(form) &&
           add_collect(reader, form->list, &c);
  }
  if (kind >= CARDAN__COLLECT_AT) {
    return read_place(form, &c) && read_as(form, &c.column) && cardan__plan_close(form) &&
           add_collect(reader, form->list, &c);
  }
  const int first = form->next;
  do {
    const int node = form->next;
    c.source = c.column = NULL;
    if (!cardan__plan_name(form, "a column of the table of motion", &c.source) ||
        (node == first && !read_as(form, &c.column)) ||
        (c.column != NULL && !cardan__plan_close(form)) || !add_collect(reader, node, &c)) {
      return false;
    }
  } while (form->next >= 0);
  return true;
}

/* One thing to keep: a word, or a list. */
static bool read_one(cardan__plan_reader *reader, int node)
{
  const int word = cardan__plan_word(reader, node, known);
  const bool list = cardan__plan_is(reader, node, CARDAN__SEXPR_LIST);
  if (word < 0) {
    char found[CARDAN__DESCRIBE_SIZE];
    const char *near = cardan__plan_near(reader, node, known);
    cardan__sexpr_describe(&reader->tree, node, found);
    return near != NULL
               ? cardan__plan_fail(reader, CARDAN_ERR_SYNTAX, cardan__plan_pos(reader, node),
                                   "found %s; did you mean \"%s\"?", found, near)
               : cardan__plan_fail(reader, CARDAN_ERR_SYNTAX, cardan__plan_pos(reader, node),
                                   "found %s; expected what to keep, as in %s", found, usage);
  }
  if (word == STATUS && !list) { // every result has it
    return true;
  }
  if (list && word != STATUS) {
    cardan__plan_form form = cardan__plan_open(reader, node, usage);
    return read_list(&form, (cardan__collect_kind)word);
  }
  cardan__collect c = {.kind = (cardan__collect_kind)word};
  if (list || word < CARDAN__COLLECT_DRIFT) {
    return cardan__plan_fail(reader, CARDAN_ERR_SYNTAX, cardan__plan_pos(reader, node),
                             "found %s \"%s\"; expected %s%s%s", list ? "a list of" : "the word",
                             words[word], list ? "" : "(", words[word],
                             list ? ", a word by itself" : " ..), a column with it");
  }
  return add_collect(reader, node, &c);
}

bool cardan__plan_collect_form(cardan__plan_form *form)
{
  if (form->next < 0) {
    return cardan__plan_expected(form, "what to keep of each case");
  }
  while (form->next >= 0) {
    if (!read_one(form->reader, form->next)) {
      return false;
    }
    cardan__plan_advance(form);
  }
  return true;
}
