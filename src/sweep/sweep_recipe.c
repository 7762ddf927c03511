// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "expr/number.h"
#include "output/options_text.h"
#include "output/result_table.h"

static const char first_line[] = "cardan sweep 1\n";

/* ---- writing ---- */

static void add_entry(cardan__text *out, const char *kind, const char *name, const char *bytes,
                      size_t length)
{
  cardan__text_printf(out, "%zu %zu\n%s%s\n", strlen(kind) + strlen(name), length, kind, name);
  cardan__text_add(out, bytes, length);
  cardan__text_add(out, "\n", 1);
}

static void add_text(cardan__text *out, const char *key, const char *text)
{
  add_entry(out, key, "", text, strlen(text));
}

static int compare_names(const void *a, const void *b)
{
  return strcmp(((const cardan_setting *)a)->name, ((const cardan_setting *)b)->name);
}

/* Values sorted by name, each as text that restores the same bits. */
static void add_settings(cardan__text *out, const char *kind, const cardan_setting *setting, int n)
{
  cardan_setting *sorted = cardan__resize(&out->alloc, NULL, ((size_t)n + 1) * sizeof *sorted);
  if (sorted == NULL) {
    out->failed = true;
    return;
  }
  if (n > 0) {
    memcpy(sorted, setting, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_names);
  }
  for (int i = 0; i < n; i++) {
    char number[CARDAN__NUMBER_SIZE];
    const size_t length = cardan__format_number(number, sorted[i].value, 0);
    add_entry(out, kind, sorted[i].name, number, length);
  }
  cardan__resize(&out->alloc, sorted, 0);
}

cardan_status cardan__recipe_write(const cardan_sweep *sweep, cardan__text *out,
                                   cardan_report *report)
{
  const cardan_record *base = &sweep->base;
  const char *name;
  char text[CARDAN__OPTION_SIZE];
  cardan__text_init(out, &sweep->arena.alloc);
  cardan__text_add(out, first_line, sizeof first_line - 1);
  add_text(out, "version", cardan_version());
  add_text(out, "level", cardan_cpu_level());
  add_text(out, "model", base->model);
  add_entry(out, "text", "", base->text, base->length);
  add_entry(out, "plan", "", sweep->plan_text, sweep->plan_length);
  for (int i = 0; (name = cardan_option_name(i)) != NULL; i++) {
    cardan__option_write(base->options, i, text);
    add_entry(out, "option ", name, text, strlen(text));
  }
  cardan__add_write(base->add, text);
  add_text(out, "add", text);
  add_settings(out, "setting ", base->setting, base->nsetting);
  add_settings(out, "start ", base->initial, base->ninitial);
  if (base->input != NULL) {
    add_text(out, "input-mode", base->input_linear ? "linear" : "held");
    add_entry(out, "input", "", base->input, base->input_length);
  }
  if (base->note != NULL) {
    add_text(out, "note", base->note);
  }
  if (base->given != NULL) {
    add_text(out, "given", base->given);
  }
  if (out->failed) {
    cardan__text_free(out);
    return cardan__no_memory(report);
  }
  return CARDAN_OK;
}

/* ---- reading ---- */

/* Reads a recipe entry by entry: at .. end is not read yet, the rest is the entry read last. */
typedef struct {
  const char *at, *end;
  const char *key, *bytes;
  size_t key_length, length;
} entry_reader;

/* A decimal length, followed by the character `after`. */
static bool read_length(entry_reader *e, char after, size_t *length)
{
  size_t n = 0;
  const char *begin = e->at;
  while (e->at < e->end && *e->at >= '0' && *e->at <= '9' && e->at - begin < 15) {
    n = 10 * n + (size_t)(*e->at++ - '0');
  }
  *length = n;
  return e->at > begin && e->at < e->end && *e->at++ == after;
}

/* Bytes of a given length, followed by a line break. */
static bool read_bytes(entry_reader *e, size_t length, const char **bytes)
{
  *bytes = e->at;
  if ((size_t)(e->end - e->at) <= length || e->at[length] != '\n') {
    return false;
  }
  e->at += length + 1;
  return true;
}

static bool read_entry_text(entry_reader *e)
{
  return read_length(e, ' ', &e->key_length) && read_length(e, '\n', &e->length) &&
         read_bytes(e, e->key_length, &e->key) && read_bytes(e, e->length, &e->bytes);
}

static bool check_first_line(entry_reader *e, const char *text, size_t length)
{
  const size_t n = sizeof first_line - 1;
  *e = (entry_reader){.at = text + n, .end = text + length};
  return length >= n && memcmp(text, first_line, n) == 0;
}

static bool is_key(const entry_reader *e, const char *key)
{
  return e->key_length == strlen(key) && memcmp(e->key, key, e->key_length) == 0;
}

static bool same(const char *a, size_t na, const char *b, size_t nb)
{
  return na == nb && memcmp(a, b, na) == 0;
}

/* Can the bytes be part of a message? The file may be from anybody: only visible UTF-8. */
static bool is_printable(const char *bytes, size_t length)
{
  size_t at = 0, n = 1;
  while (at < length && n > 0) {
    const unsigned char *c = (const unsigned char *)bytes + at;
    n = cardan__utf8_length(c, length - at);
    n = n > 0 && cardan__utf8_hidden(c, n) ? 0 : n;
    at += n;
  }
  return n > 0;
}

/* The name of an entry for messages. */
static void name_entry(const entry_reader *e, char *text, size_t size)
{
  static const char *const words[][2] = {{"model", "the model's name"},
                                         {"text", "the model's text"},
                                         {"plan", "the plan"},
                                         {"add", "the columns of option add"},
                                         {"input", "the table of inputs"},
                                         {"input-mode", "option input-mode"},
                                         {"note", "what option method auto chose"},
                                         {"given", "the list of options that were given"}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (is_key(e, words[i][0])) {
      snprintf(text, size, "%s", words[i][1]);
      return;
    }
  }
  snprintf(text, size, "%.*s", e->key_length < 100 ? (int)e->key_length : 100, e->key);
}

/* An error with both values of an entry if they are short; an entry that is missing has an empty
 * key. */
static cardan_status report_difference(const entry_reader *ours, const entry_reader *theirs,
                                       const char *path, cardan_report *report)
{
  char what[128];
  name_entry(ours->key_length > 0 ? ours : theirs, what, sizeof what);
  const bool both = ours->key_length > 0 && theirs->key_length > 0;
  const bool brief = both && ours->length < 60 && theirs->length < 60 && !is_key(ours, "plan") &&
                     is_printable(theirs->bytes, theirs->length);
  if (brief) {
    return cardan_fail(
        report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
        "%.200s is of another sweep: there %s is %.*s, here %.*s", path, what,
        theirs->length > 0 ? (int)theirs->length : 4, theirs->length > 0 ? theirs->bytes : "none",
        ours->length > 0 ? (int)ours->length : 4, ours->length > 0 ? ours->bytes : "none");
  }
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                     "%.200s is of another sweep: %s %s", path, what,
                     both                   ? "differs"
                     : ours->key_length > 0 ? "is not there"
                                            : "is there, and not here");
}

static cardan_status report_damage(const char *path, cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                     "%.200s is damaged: expected the sweep that was begun there", path);
}

/* The next entry of a file from an unknown source: its key may be part of a message. */
static bool read_foreign_entry_text(entry_reader *e)
{
  return read_entry_text(e) && is_printable(e->key, e->key_length);
}

cardan_status cardan__recipe_compare(const cardan__text *ours, const char *theirs, size_t length,
                                     bool computed, const char *path, cardan_report *report)
{
  static const entry_reader none;
  entry_reader a, b;
  if (!check_first_line(&a, ours->data, ours->length) || !check_first_line(&b, theirs, length)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%.200s is no sweep of this version of cardan", path);
  }
  while (a.at < a.end && b.at < b.end) {
    if (!read_entry_text(&a) || !read_foreign_entry_text(&b)) {
      return report_damage(path, report);
    }
    if (!same(a.key, a.key_length, b.key, b.key_length)) {
      const bool more = a.end - a.at > b.end - b.at; // the longer one has what the other has not
      return report_difference(more ? &a : &none, more ? &none : &b, path, report);
    }
    const bool ignored = !computed && (is_key(&a, "version") || is_key(&a, "level"));
    if (!ignored && !same(a.bytes, a.length, b.bytes, b.length)) {
      return report_difference(&a, &b, path, report);
    }
  }
  if (a.at < a.end && read_entry_text(&a)) {
    return report_difference(&a, &none, path, report);
  }
  if (b.at < b.end) {
    return read_foreign_entry_text(&b) ? report_difference(&none, &b, path, report)
                                       : report_damage(path, report);
  }
  return CARDAN_OK;
}

/* A record under construction; its texts are in the arena. */
typedef struct {
  cardan__arena arena;
  cardan_record record;
  cardan_options options;
  cardan_setting *setting, *initial; // room for all entries
  const char *plan;
  size_t plan_length;
  bool no_memory;
} draft;

static const char *copy(draft *d, const char *bytes, size_t length)
{
  const char *text = cardan__arena_text(&d->arena, bytes, length);
  d->no_memory = d->no_memory || text == NULL;
  return text;
}

/* A named number; the name is the key without its prefix. */
static bool read_setting(draft *d, const entry_reader *e, size_t prefix, cardan_setting *list,
                         int *n)
{
  const char *name = copy(d, e->key + prefix, e->key_length - prefix);
  double value = 0;
  if (!name || cardan__number_read(e->bytes, e->length, &value) != CARDAN__NUMBER_OK) {
    return false;
  }
  list[*n] = (cardan_setting){.name = name, .value = value};
  ++*n;
  return true;
}

static bool has_prefix(const entry_reader *e, const char *prefix)
{
  const size_t n = strlen(prefix);
  return e->key_length > n && memcmp(e->key, prefix, n) == 0;
}

static bool read_option(draft *d, const entry_reader *e, size_t prefix)
{
  const char *name = copy(d, e->key + prefix, e->key_length - prefix);
  const char *text = copy(d, e->bytes, e->length);
  return name && text && cardan__option_read(&d->options, name, text) == CARDAN_OK;
}

/* Stores an entry in the record. returns false: the entry is not valid */
static bool read_entry(draft *d, const entry_reader *e)
{
  cardan_record *r = &d->record;
  if (has_prefix(e, "option ")) {
    return read_option(d, e, strlen("option "));
  }
  if (has_prefix(e, "setting ")) {
    return read_setting(d, e, strlen("setting "), d->setting, &r->nsetting);
  }
  if (has_prefix(e, "start ")) {
    return read_setting(d, e, strlen("start "), d->initial, &r->ninitial);
  }
  const char *text = copy(d, e->bytes, e->length);
  if (!text) {
    return false;
  }
  if (is_key(e, "model")) {
    r->model = text;
  } else if (is_key(e, "text")) {
    r->text = text;
    r->length = e->length;
  } else if (is_key(e, "plan")) {
    d->plan = text;
    d->plan_length = e->length;
  } else if (is_key(e, "add")) {
    return text[0] == '\0' || cardan_add_read(text, &r->add, NULL) == CARDAN_OK;
  } else if (is_key(e, "input")) {
    r->input = text;
    r->input_length = e->length;
  } else if (is_key(e, "input-mode")) {
    r->input_linear = strcmp(text, "linear") == 0;
  } else if (is_key(e, "note")) {
    r->note = text;
  } else if (is_key(e, "given")) {
    r->given = text;
  } else {
    return is_key(e, "version") || is_key(e, "level");
  }
  return true;
}

/* Reads all entries. returns false: not a recipe, or no memory */
static bool read_entries(draft *d, const char *text, size_t length)
{
  entry_reader e;
  size_t n = 0;
  bool good = check_first_line(&e, text, length);
  while (good && e.at < e.end) {
    good = read_entry_text(&e);
    n++;
  }
  d->setting = cardan__arena_take(&d->arena, n, sizeof *d->setting);
  d->initial = cardan__arena_take(&d->arena, n, sizeof *d->initial);
  if (!d->setting || !d->initial) {
    d->no_memory = true;
    return false;
  }
  good = good && check_first_line(&e, text, length);
  while (good && e.at < e.end) {
    good = read_entry_text(&e) && read_entry(d, &e);
  }
  d->record.options = &d->options;
  d->record.setting = d->setting;
  d->record.initial = d->initial;
  return good && d->plan && d->record.model && d->record.text;
}

cardan_status cardan__recipe_read(const char *text, size_t length, const char *path,
                                  const cardan_allocator *allocator, cardan_sweep **out,
                                  cardan_report *report)
{
  draft d = {.options = cardan_options_defaults()};
  cardan_status status;
  cardan__arena_init(&d.arena, allocator);
  *out = NULL;
  if (read_entries(&d, text, length)) {
    status = cardan_sweep_create(&d.record, d.plan, d.plan_length, path, allocator, out, report);
  } else if (d.no_memory) {
    status = cardan__no_memory(report);
  } else {
    status = cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                         "cannot read %.200s: it is no sweep of this version of cardan", path);
  }
  cardan__arena_free(&d.arena);
  return status;
}
