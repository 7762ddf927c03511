// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "expr/expr.h"
#include "sweep/plan_inside.h"

bool cardan__plan_is(const cardan__plan_reader *reader, int node, cardan__sexpr_kind kind)
{
  return node >= 0 && reader->tree.nodes[node].kind == (int)kind;
}

cardan_pos cardan__plan_pos(const cardan__plan_reader *reader, int node)
{
  return reader->tree.nodes[node].pos;
}

bool cardan__plan_fail(cardan__plan_reader *reader, cardan_status status, cardan_pos pos,
                       const char *format, ...)
{
  if (reader->status == CARDAN_OK) {
    char message[sizeof reader->report.message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    reader->status = cardan_fail(&reader->report, status, pos, "%s", message);
  }
  return false;
}

bool cardan__plan_memory(cardan__plan_reader *reader)
{
  reader->status = cardan__no_memory(&reader->report);
  return false;
}

cardan__plan_form cardan__plan_open(cardan__plan_reader *reader, int list, const char *usage)
{
  const int head = cardan__sexpr_first(&reader->tree, list);
  return (cardan__plan_form){reader, list, head >= 0 ? reader->tree.nodes[head].next : -1, usage};
}

bool cardan__plan_expected(cardan__plan_form *form, const char *what)
{
  char found[CARDAN__DESCRIBE_SIZE];
  cardan__sexpr_describe(&form->reader->tree, form->next, found);
  return cardan__plan_fail(
      form->reader, CARDAN_ERR_SYNTAX,
      cardan__plan_pos(form->reader, form->next >= 0 ? form->next : form->list),
      "found %s; expected %s, as in %s", found, what, form->usage);
}

void cardan__plan_advance(cardan__plan_form *form)
{
  form->next = form->reader->tree.nodes[form->next].next;
}

bool cardan__plan_number_at(cardan__plan_reader *reader, int node, double *value)
{
  if (cardan__plan_is(reader, node, CARDAN__SEXPR_NUMBER)) {
    *value = reader->tree.nodes[node].number;
    return true;
  }
  const cardan__expr_scope scope = {.leaves = CARDAN__LEAVES_NONE};
  cardan_report report = {.message = ""};
  const cardan_status status = cardan__expr_number(
      &reader->tree, node, &scope, &reader->plan->arena.alloc, &report, value, NULL);
  if (status == CARDAN_ERR_MEMORY) {
    return cardan__plan_memory(reader);
  }
  if (status != CARDAN_OK && reader->status == CARDAN_OK) {
    reader->status =
        cardan_fail(&reader->report, CARDAN_ERR_SYNTAX, report.pos, "%s", report.message);
  }
  return reader->status == CARDAN_OK;
}

bool cardan__plan_number(cardan__plan_form *form, const char *what, double *value)
{
  if (form->reader->status != CARDAN_OK) {
    return false;
  }
  const bool word = cardan__plan_is(form->reader, form->next, CARDAN__SEXPR_SYMBOL) &&
                    !cardan__sexpr_is(&form->reader->tree, form->next, "pi");
  if (form->next < 0 || word || cardan__plan_is(form->reader, form->next, CARDAN__SEXPR_STRING)) {
    return cardan__plan_expected(form, what);
  }
  if (!cardan__plan_number_at(form->reader, form->next, value)) {
    return false;
  }
  cardan__plan_advance(form);
  return true;
}

bool cardan__plan_whole(cardan__plan_form *form, const char *what, int64_t least, int64_t most,
                        int64_t *value)
{
  cardan__plan_reader *reader = form->reader;
  const int node = form->next;
  double number;
  if (!cardan__plan_is(reader, node, CARDAN__SEXPR_NUMBER)) {
    return cardan__plan_expected(form, what);
  }
  if (!cardan__plan_number(form, what, &number)) {
    return false;
  }
  if (!(number >= (double)least && number <= (double)most) || number != (double)(int64_t)number) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, node),
                             "found %s; expected %s, a whole number from %lld to %lld",
                             cardan__sexpr_text(&reader->tree, node), what, (long long)least,
                             (long long)most);
  }
  *value = (int64_t)number;
  return true;
}

bool cardan__plan_text_at(cardan__plan_reader *reader, int node, const char **text)
{
  const char *found = cardan__sexpr_text(&reader->tree, node);
  const size_t length = strlen(found);
  if (length == 0 || length > CARDAN__PLAN_NAME) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, node),
                             "found a name of %zu bytes; expected 1 to %d", length,
                             CARDAN__PLAN_NAME);
  }
  for (size_t at = 0, step = 1; at != length; at += step) {
    const unsigned char *c = (const unsigned char *)found + at;
    const size_t n = cardan__utf8_length(c, length - at);
    step = n > 0 ? n : 1; // what is no character is passed byte by byte
    if (n > 0 && cardan__utf8_hidden(c, n)) {
      return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, node),
                               "found a name with a control character; expected one without");
    }
  }
  *text = cardan__arena_text(&reader->plan->arena, found, length);
  return *text != NULL ? true : cardan__plan_memory(reader);
}

bool cardan__plan_name(cardan__plan_form *form, const char *what, const char **name)
{
  cardan__plan_reader *reader = form->reader;
  if (reader->status != CARDAN_OK) {
    return false;
  }
  if (!cardan__plan_is(reader, form->next, CARDAN__SEXPR_SYMBOL) &&
      !cardan__plan_is(reader, form->next, CARDAN__SEXPR_STRING)) {
    return cardan__plan_expected(form, what);
  }
  if (!cardan__plan_text_at(reader, form->next, name)) {
    return false;
  }
  cardan__plan_advance(form);
  return true;
}

bool cardan__plan_close(cardan__plan_form *form)
{
  if (form->reader->status != CARDAN_OK) {
    return false;
  }
  return form->next < 0 ? true : cardan__plan_expected(form, "nothing more");
}

/* The symbol at a node, or that at the head of a list there; -1: neither. */
static int symbol_of(const cardan__plan_reader *reader, int node)
{
  const int at = cardan__plan_is(reader, node, CARDAN__SEXPR_LIST)
                     ? cardan__sexpr_first(&reader->tree, node)
                     : node;
  return cardan__plan_is(reader, at, CARDAN__SEXPR_SYMBOL) ? at : -1;
}

static const char *word_at(cardan__plan_words words, int i)
{
  return *(const char *const *)((const char *)words.entry + (size_t)i * words.size);
}

int cardan__plan_word(const cardan__plan_reader *reader, int node, cardan__plan_words words)
{
  const int at = symbol_of(reader, node);
  for (int i = 0; i < words.n; i++) {
    if (cardan__sexpr_is(&reader->tree, at, word_at(words, i))) {
      return i;
    }
  }
  return -1;
}

const char *cardan__plan_near(const cardan__plan_reader *reader, int node, cardan__plan_words words)
{
  const int at = symbol_of(reader, node);
  const char *near = NULL;
  for (int i = 0; i < words.n && at >= 0; i++) {
    const char *pair[2] = {near ? near : word_at(words, i), word_at(words, i)};
    const char *nearer = cardan__nearest(cardan__sexpr_text(&reader->tree, at), pair, 2);
    near = nearer ? nearer : near;
  }
  return near;
}
