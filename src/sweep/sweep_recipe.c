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

static void add(cardan__text *out, const char *kind, const char *name, const char *bytes,
                size_t length)
{
  cardan__text_printf(out, "%zu %zu\n%s%s\n", strlen(kind) + strlen(name), length, kind, name);
  cardan__text_add(out, bytes, length);
  cardan__text_add(out, "\n", 1);
}

static void add_text(cardan__text *out, const char *key, const char *text)
{
  add(out, key, "", text, strlen(text));
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const cardan_setting *)a)->name, ((const cardan_setting *)b)->name);
}

/* Values by name, in the order of names, each as text that reads back to the same number. */
static void add_settings(cardan__text *out, const char *kind, const cardan_setting *setting, int n)
{
  cardan_setting *sorted = cardan__resize(&out->alloc, NULL, ((size_t)n + 1) * sizeof *sorted);
  if (sorted == NULL) {
    out->failed = true;
    return;
  }
  if (n > 0) {
    memcpy(sorted, setting, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_name);
  }
  for (int i = 0; i < n; i++) {
    char number[CARDAN__NUMBER_SIZE];
    const size_t length = cardan__format_number(number, sorted[i].value, 0);
    add(out, kind, sorted[i].name, number, length);
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
  add(out, "text", "", base->text, base->length);
  add(out, "plan", "", sweep->plan_text, sweep->plan_length);
  for (int i = 0; (name = cardan_option_name(i)) != NULL; i++) {
    cardan__option_write(base->options, i, text);
    add(out, "option ", name, text, strlen(text));
  }
  cardan__add_write(base->add, text);
  add_text(out, "add", text);
  add_settings(out, "setting ", base->setting, base->nsetting);
  add_settings(out, "start ", base->initial, base->ninitial);
  if (base->input != NULL) {
    add_text(out, "input-mode", base->input_linear ? "linear" : "held");
    add(out, "input", "", base->input, base->input_length);
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

/* What remains of a recipe, and the entry before it. */
typedef struct {
  const char *at, *end;
  const char *key, *bytes;
  size_t key_length, length;
} entries;

/* A length and what stands behind it. */
static bool take_length(entries *e, char after, size_t *length)
{
  size_t n = 0;
  const char *begin = e->at;
  while (e->at < e->end && *e->at >= '0' && *e->at <= '9' && e->at - begin < 15) {
    n = 10 * n + (size_t)(*e->at++ - '0');
  }
  *length = n;
  return e->at > begin && e->at < e->end && *e->at++ == after;
}

/* So many bytes and a line's end. */
static bool take_bytes(entries *e, size_t length, const char **bytes)
{
  *bytes = e->at;
  if ((size_t)(e->end - e->at) <= length || e->at[length] != '\n') {
    return false;
  }
  e->at += length + 1;
  return true;
}

static bool take_entry(entries *e)
{
  return take_length(e, ' ', &e->key_length) && take_length(e, '\n', &e->length) &&
         take_bytes(e, e->key_length, &e->key) && take_bytes(e, e->length, &e->bytes);
}

static bool begin(entries *e, const char *text, size_t length)
{
  const size_t n = sizeof first_line - 1;
  *e = (entries){.at = text + n, .end = text + length};
  return length >= n && memcmp(text, first_line, n) == 0;
}

static bool is_key(const entries *e, const char *key)
{
  return e->key_length == strlen(key) && memcmp(e->key, key, e->key_length) == 0;
}

static bool same(const char *a, size_t na, const char *b, size_t nb)
{
  return na == nb && memcmp(a, b, na) == 0;
}

/* Can it be in a sentence? Its author is not known. */
static bool is_plain(const char *bytes, size_t length)
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

/* What an entry is, in words. */
static void name_entry(const entries *e, char *text, size_t size)
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

/* Two values of an entry, where they are short. */
static cardan_status differ(const entries *ours, const entries *theirs, const char *path,
                            cardan_report *report)
{
  char what[128];
  name_entry(ours->key_length > 0 ? ours : theirs, what, sizeof what);
  const bool both = ours->key_length > 0 && theirs->key_length > 0;
  const bool brief = both && ours->length < 60 && theirs->length < 60 && !is_key(ours, "plan") &&
                     is_plain(theirs->bytes, theirs->length);
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

static cardan_status damaged(const char *path, cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                     "%.200s is damaged: expected the sweep that was begun there", path);
}

/* The next entry of a file that anyone may have written. */
static bool take_foreign(entries *e)
{
  return take_entry(e) && is_plain(e->key, e->key_length);
}

cardan_status cardan__recipe_compare(const cardan__text *ours, const char *theirs, size_t length,
                                     bool computed, const char *path, cardan_report *report)
{
  static const entries none;
  entries a, b;
  if (!begin(&a, ours->data, ours->length) || !begin(&b, theirs, length)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%.200s is no sweep of this version of cardan", path);
  }
  while (a.at < a.end && b.at < b.end) {
    if (!take_entry(&a) || !take_foreign(&b)) {
      return damaged(path, report);
    }
    if (!same(a.key, a.key_length, b.key, b.key_length)) {
      const bool more = a.end - a.at > b.end - b.at; // the longer one has what the other has not
      return differ(more ? &a : &none, more ? &none : &b, path, report);
    }
    const bool passed = !computed && (is_key(&a, "version") || is_key(&a, "level"));
    if (!passed && !same(a.bytes, a.length, b.bytes, b.length)) {
      return differ(&a, &b, path, report);
    }
  }
  if (a.at < a.end && take_entry(&a)) {
    return differ(&a, &none, path, report);
  }
  if (b.at < b.end) {
    return take_foreign(&b) ? differ(&none, &b, path, report) : damaged(path, report);
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

/* A number under its name: what follows the first `kind` bytes of the key. */
static bool take_setting(draft *d, const entries *e, size_t kind, cardan_setting *list, int *n)
{
  const char *name = copy(d, e->key + kind, e->key_length - kind);
  double value = 0;
  if (!name || cardan__number_read(e->bytes, e->length, &value) != CARDAN__NUMBER_OK) {
    return false;
  }
  list[*n] = (cardan_setting){.name = name, .value = value};
  ++*n;
  return true;
}

static bool begins(const entries *e, const char *kind)
{
  const size_t n = strlen(kind);
  return e->key_length > n && memcmp(e->key, kind, n) == 0;
}

static bool take_option(draft *d, const entries *e, size_t kind)
{
  const char *name = copy(d, e->key + kind, e->key_length - kind);
  const char *text = copy(d, e->bytes, e->length);
  return name && text && cardan__option_read(&d->options, name, text) == CARDAN_OK;
}

/* The entry into the record. false: it is none */
static bool read_entry(draft *d, const entries *e)
{
  cardan_record *r = &d->record;
  if (begins(e, "option ")) {
    return take_option(d, e, strlen("option "));
  }
  if (begins(e, "setting ")) {
    return take_setting(d, e, strlen("setting "), d->setting, &r->nsetting);
  }
  if (begins(e, "start ")) {
    return take_setting(d, e, strlen("start "), d->initial, &r->ninitial);
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

/* All entries. false: it is no recipe, or there is no memory */
static bool take_all(draft *d, const char *text, size_t length)
{
  entries e;
  size_t n = 0;
  bool good = begin(&e, text, length);
  while (good && e.at < e.end) {
    good = take_entry(&e);
    n++;
  }
  d->setting = cardan__arena_take(&d->arena, n, sizeof *d->setting);
  d->initial = cardan__arena_take(&d->arena, n, sizeof *d->initial);
  if (!d->setting || !d->initial) {
    d->no_memory = true;
    return false;
  }
  good = good && begin(&e, text, length);
  while (good && e.at < e.end) {
    good = take_entry(&e) && read_entry(d, &e);
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
  if (take_all(&d, text, length)) {
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
