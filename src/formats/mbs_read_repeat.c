// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "formats/mbs_read.h"

/* (repeat i first last item ..): its items are read once for each whole number i from first to
 * last. In them i is a constant, and expressions in braces in a string are replaced by their
 * values: "link{i}", "link{i-1}", "link{(* 2 i)}"; "{{" is a brace. A short text could cause any
 * amount of work, so the items of all repeats are counted before they are read. */

static const char repeat_usage[] = "(repeat i 1 10 item ..)";
#ifndef CARDAN_MOST_REPEATED
#define CARDAN_MOST_REPEATED 1e6
#endif
static const double most_items = CARDAN_MOST_REPEATED;       // of all repeats of a text
static const double most_text = 16.0 * CARDAN_MOST_REPEATED; // bytes
static const double most_index = 1e9;

/* ---- the list ---- */

/* Bytes of a list's text from an item on, about: a word with its blank, two parentheses. */
static double text_from(const cardan__sexpr *tree, int list, int first)
{
  double bytes = 0;
  for (int i = first; i < tree->nodes[list].text; i++) {
    bytes += tree->nodes[i].kind == CARDAN__SEXPR_LIST ? 2 : tree->nodes[i].count + 1;
  }
  return bytes;
}

/* The name of the index: a word of its own. */
static bool read_name(cardan__mbs_form *form, const char **name)
{
  cardan__mbs *reader = form->reader;
  const cardan__expr_scope scope = cardan__mbs_scope(reader, CARDAN__LEAVES_NONE);
  const int node = form->next;
  double value;
  if (!cardan__mbs_is_symbol(reader, node)) {
    return cardan__mbs_expected(form, "the name of the index, without quotes");
  }
  *name = cardan__sexpr_text(&reader->tree, node);
  if (cardan__expr_reserved(*name) || scope.constant(scope.context, *name, strlen(*name), &value)) {
    return cardan__mbs_fail(reader, node,
                            "found \"%s\", which means something else here; expected a new name "
                            "for the index of a repeat",
                            cardan__show(*name).text);
  }
  form->next = reader->tree.nodes[node].next;
  return true;
}

static bool read_end(cardan__mbs_form *form, const char *what, int *end)
{
  const int node = form->next;
  double value;
  if (!cardan__mbs_number(form, what, &value)) {
    return false;
  }
  if (value != floor(value) || fabs(value) > most_index) {
    return cardan__mbs_fail(form->reader, node,
                            "found %g as %s; expected a whole number of at most %g", value, what,
                            most_index);
  }
  *end = (int)value;
  return true;
}

/* Adds n times the items from `first` on to the count, and checks the limits. */
static bool count_repeated(cardan__mbs *reader, int list, int first, double n)
{
  reader->repeated_items += n * (reader->tree.nodes[list].count - 4);
  reader->repeated_text += n * text_from(&reader->tree, list, first);
  if (reader->repeated_items > most_items || reader->repeated_text > most_text) {
    return cardan__mbs_fail(reader, list,
                            "found repeats that stand for more than %g items or %g MB of text; "
                            "expected a smaller model",
                            most_items, most_text / 1e6);
  }
  return true;
}

bool cardan__mbs_repeat_enter(cardan__mbs *reader, int list, const cardan__mbs_level *outer)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, repeat_usage);
  cardan__mbs_level level = {outer->place, outer->active, list, -1, outer->frame, 0};
  cardan__mbs_repeat repeat = {.pos = cardan__mbs_pos(reader, list)};
  if (!outer->active) {
    level.next = cardan__sexpr_child(&reader->tree, list, 4);
    return cardan__mbs_enter(reader, level);
  }
  if (!read_name(&form, &repeat.name) || !read_end(&form, "the first index", &repeat.index) ||
      !read_end(&form, "the last index", &repeat.last)) {
    return false;
  }
  cardan__mbs_unbound(reader);
  if (form.next < 0) {
    return cardan__mbs_expected(&form, "an item to repeat");
  }
  const double n = (double)repeat.last - repeat.index + 1;
  if (n < 0) {
    return cardan__mbs_fail(reader, list,
                            "found a repeat from %d to %d; expected the smaller index first",
                            repeat.index, repeat.last);
  }
  if (reader->nrepeat == CARDAN__MBS_MOST_REPEAT) {
    return cardan__mbs_fail(reader, list, "repeats are nested deeper than %d levels",
                            CARDAN__MBS_MOST_REPEAT);
  }
  if (!count_repeated(reader, list, form.next, n)) {
    return false;
  }
  // options of a joint are in its own list
  level.place = outer->place == CARDAN__MBS_JOINT ? CARDAN__MBS_FRAME : outer->place;
  level.next = level.first = form.next;
  if (n > 0) {
    reader->repeat[reader->nrepeat++] = repeat;
  }
  return n == 0 || cardan__mbs_enter(reader, level);
}

bool cardan__mbs_repeat_again(cardan__mbs *reader)
{
  cardan__mbs_level *top = &reader->level[reader->depth - 1];
  if (top->first == 0) {
    return false;
  }
  cardan__mbs_repeat *repeat = &reader->repeat[reader->nrepeat - 1];
  if (repeat->index == repeat->last) {
    reader->nrepeat--;
    return false;
  }
  repeat->index++;
  top->next = top->first;
  return true;
}

bool cardan__mbs_repeat_index(const cardan__mbs *reader, const char *name, double *value)
{
  for (int i = reader->nrepeat - 1; i >= 0; i--) {
    if (cardan__same_word(name, reader->repeat[i].name)) {
      *value = reader->repeat[i].index;
      return true;
    }
  }
  return false;
}

/* ---- strings ---- */

/* A constant expression in braces, in the syntax of the model file. */
static bool read_value(cardan__mbs *reader, const cardan__text *text, cardan_pos pos, double *value)
{
  cardan_spec *spec = reader->spec;
  cardan__expr_scope scope = cardan__mbs_scope(reader, CARDAN__LEAVES_NONE);
  cardan__expr *living = NULL;
  cardan_report report = {0};
  cardan__sexpr tree;
  scope.string = NULL; // nodes of another tree
  scope.table = NULL;
  cardan_status status = text->failed ? CARDAN_ERR_MEMORY : CARDAN_OK;
  if (status == CARDAN_OK) {
    status = cardan__sexpr_read(&tree, text->data, text->length, spec->allocator, &report);
  }
  if (status == CARDAN_OK) {
    status = cardan__expr_number(&tree, 0, &scope, spec->allocator, &report, value, &living);
    cardan__sexpr_free(&tree);
  }
  if (living) { // a name cannot follow a parameter that changes
    const cardan__expr *kept = cardan__spec_keep_expr(spec, living);
    if (kept) {
      cardan__spec_stiffen(spec, kept, pos);
    }
  }
  if (status == CARDAN_ERR_MEMORY) {
    return cardan__spec_memory(spec, status);
  }
  if (status) {
    cardan__spec_fail_at(spec, status, pos, "in the braces of this string: %s", report.message);
  }
  return status == CARDAN_OK && !spec->status;
}

/* Writes NAME+3 and NAME-3 as (+ NAME 3) and (- NAME 3), other text unchanged. */
static void write_expression(const char *inside, size_t length, cardan__text *text)
{
  size_t digits = 0;
  while (digits < length && strchr("0123456789", inside[length - 1 - digits])) {
    digits++;
  }
  const size_t name = length - digits;
  if (digits > 0 && name > 1 && (inside[name - 1] == '+' || inside[name - 1] == '-') &&
      inside[0] != '(') {
    cardan__text_printf(text, "(%c %.*s %.*s)", inside[name - 1], (int)(name - 1), inside,
                        (int)digits, inside + name);
  } else {
    cardan__text_add(text, inside, length);
  }
}

/* The whole number that is in braces. */
static bool brace_value(cardan__mbs *reader, int node, const char *inside, size_t length,
                        double *value)
{
  cardan__text text;
  cardan__text_init(&text, reader->spec->allocator);
  write_expression(inside, length, &text);
  const bool good = read_value(reader, &text, cardan__mbs_pos(reader, node), value);
  cardan__text_free(&text);
  if (good && (*value != floor(*value) || fabs(*value) > 1e15)) {
    return cardan__mbs_fail(
        reader, node, "found %g in the braces of this string; expected a whole number", *value);
  }
  return good;
}

/* Appends a string with the expressions in braces evaluated. */
static bool put_string(cardan__mbs *reader, int node, const char *s, cardan__text *out)
{
  while (*s) {
    const size_t plain = strcspn(s, "{");
    cardan__text_add(out, s, plain);
    s += plain;
    if (s[0] == '{' && s[1] == '{') {
      cardan__text_add(out, s, 1);
      s += 2;
    } else if (s[0] == '{') {
      const char *end = strchr(s, '}');
      double value;
      if (!end || end == s + 1) {
        return cardan__mbs_fail(reader, node,
                                "found %s in a string inside a repeat; expected {i}, {i+1} or "
                                "{(* 2 i)}, and {{ for a brace",
                                end ? "\"{}\"" : "\"{\" without \"}\"");
      }
      if (!brace_value(reader, node, s + 1, (size_t)(end - s) - 1, &value)) {
        return false;
      }
      cardan__text_printf(out, "%.0f", value == 0.0 ? 0.0 : value);
      s = end + 1;
    }
  }
  return true;
}

const char *cardan__mbs_repeat_string(cardan__mbs *reader, int node)
{
  cardan_spec *spec = reader->spec;
  const char *string = cardan__sexpr_text(&reader->tree, node);
  if (reader->nrepeat == 0 || !strchr(string, '{')) {
    return string;
  }
  cardan__text text;
  cardan__text_init(&text, spec->allocator);
  bool good = put_string(reader, node, string, &text);
  good = good && cardan__spec_memory(spec, text.failed ? CARDAN_ERR_MEMORY : CARDAN_OK) &&
         cardan__spec_memory(spec, cardan__grow(spec->allocator, (void **)&reader->made,
                                                &reader->cap_made, reader->nmade + 1,
                                                sizeof *reader->made));
  if (!good) {
    cardan__text_free(&text);
    return NULL;
  }
  reader->made[reader->nmade++] = text.data;
  return text.data;
}

void cardan__mbs_repeat_item(cardan__mbs *reader)
{
  while (reader->nmade > 0) {
    cardan__resize(reader->spec->allocator, reader->made[--reader->nmade], 0);
  }
}

void cardan__mbs_repeat_failed(cardan__mbs *reader)
{
  char *message = reader->spec->report.message;
  const size_t size = sizeof reader->spec->report.message;
  for (int i = reader->nrepeat - 1; i >= 0; i--) {
    const cardan__mbs_repeat *r = &reader->repeat[i];
    const size_t used = strlen(message);
    const int n = snprintf(message + used, size - used, "; with %s = %d in the repeat of line %d",
                           cardan__show(r->name).text, r->index, r->pos.line);
    if (n < 0 || (size_t)n >= size - used) {
      message[used] = '\0';
    }
  }
}
