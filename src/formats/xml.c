// SPDX-License-Identifier: Apache-2.0
#include "formats/xml.h"

#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "expr/number.h"

typedef struct {
  XML_Parser parser;
  cardan__arena *arena;
  cardan_report *report;
  cardan_status status;
  cardan__xml *root, *at;                   // at: the element that is open
  cardan__xml *last[CARDAN__XML_DEPTH + 1]; // the newest child at each level
  cardan__text text[CARDAN__XML_DEPTH + 1]; // and what stands inside so far
  int depth, count;
} reading;

static void stop(reading *r, cardan_status status, const char *what)
{
  if (r->status == CARDAN_OK) {
    const cardan_pos pos = {(int)XML_GetCurrentLineNumber(r->parser),
                            (int)XML_GetCurrentColumnNumber(r->parser) + 1};
    r->status = cardan_fail(r->report, status, pos, "%s", what);
    XML_StopParser(r->parser, XML_FALSE);
  }
}

static void no_memory(reading *r)
{
  stop(r, CARDAN_ERR_MEMORY, "there is not enough memory for this model");
}

static void add_attributes(reading *r, cardan__xml *e, const XML_Char **given)
{
  while (given[2 * e->nattribute] != NULL) {
    e->nattribute++;
  }
  e->attribute = cardan__arena_take(r->arena, (size_t)e->nattribute, sizeof *e->attribute);
  for (int i = 0; e->attribute != NULL && i < e->nattribute; i++) {
    cardan__xml_attribute *a = &e->attribute[i];
    a->name = cardan__arena_text(r->arena, given[2 * i], strlen(given[2 * i]));
    a->value = cardan__arena_text(r->arena, given[2 * i + 1], strlen(given[2 * i + 1]));
    if (a->name == NULL || a->value == NULL) {
      no_memory(r);
      return;
    }
  }
  if (e->attribute == NULL) {
    no_memory(r);
  }
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **given)
{
  reading *r = user;
  if (r->depth == CARDAN__XML_DEPTH) {
    stop(r, CARDAN_ERR_SYNTAX, "elements are nested too deep");
    return;
  }
  if (++r->count > CARDAN__XML_ELEMENTS) {
    stop(r, CARDAN_ERR_SYNTAX, "there are too many elements");
    return;
  }
  cardan__xml *e = cardan__arena_take(r->arena, 1, sizeof *e);
  if (e == NULL) {
    no_memory(r);
    return;
  }
  e->name = cardan__arena_text(r->arena, name, strlen(name));
  e->text = "";
  e->parent = r->at;
  e->pos = (cardan_pos){(int)XML_GetCurrentLineNumber(r->parser),
                        (int)XML_GetCurrentColumnNumber(r->parser) + 1};
  if (e->name == NULL) {
    no_memory(r);
    return;
  }
  if (r->at == NULL) {
    r->root = e;
  } else if (r->last[r->depth] == NULL) {
    r->at->child = e;
  } else {
    r->last[r->depth]->next = e;
  }
  r->last[r->depth] = e;
  r->at = e;
  r->depth++;
  r->last[r->depth] = NULL;
  r->text[r->depth].length = 0;
  add_attributes(r, e, given);
}

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
  reading *r = user;
  const cardan__text *text = &r->text[r->depth];
  size_t first = 0, last = text->length;
  (void)name;
  if (r->status != CARDAN_OK) { // <e/> ends though its start was refused
    return;
  }
  while (first < last && is_space(text->data[first])) {
    first++;
  }
  while (last > first && is_space(text->data[last - 1])) {
    last--;
  }
  if (last > first) {
    r->at->text = cardan__arena_text(r->arena, text->data + first, last - first);
  }
  if (text->failed || r->at->text == NULL) {
    r->at->text = "";
    no_memory(r);
  }
  r->depth--;
  r->at = r->at->parent;
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
  reading *r = user;
  cardan__text_add(&r->text[r->depth], text, (size_t)length);
}

static void XMLCALL on_entity(void *user, const XML_Char *name, int is_parameter,
                              const XML_Char *value, int length, const XML_Char *base,
                              const XML_Char *system, const XML_Char *public_id,
                              const XML_Char *notation)
{
  (void)name, (void)is_parameter, (void)value, (void)length;
  (void)base, (void)system, (void)public_id, (void)notation;
  stop(user, CARDAN_ERR_SYNTAX, "entities of a text's own are not taken");
}

static bool starts_with(const char *text, size_t length, size_t at, const char *word)
{
  const size_t n = strlen(word);
  return n <= length - at && memcmp(text + at, word, n) == 0;
}

/* the position after the next `end`; 0: there is none */
static size_t find_end(const char *text, size_t length, size_t at, const char *end)
{
  while (at < length && !starts_with(text, length, at, end)) {
    at++;
  }
  return at < length ? at + strlen(end) : 0;
}

/* Where <?xml ..?> stands, after nothing but blanks and comments: from *begin up to the place
 * returned; both 0 where there is none. */
static size_t declaration(const char *text, size_t length, size_t *begin)
{
  size_t at = starts_with(text, length, 0, "\xEF\xBB\xBF") ? 3 : 0;
  *begin = 0;
  while (at < length && (is_space(text[at]) || starts_with(text, length, at, "<!--"))) {
    at = is_space(text[at]) ? at + 1 : find_end(text, length, at + 4, "-->");
    if (at == 0) {
      return 0;
    }
  }
  if (!starts_with(text, length, at, "<?xml ") && !starts_with(text, length, at, "<?xml?")) {
    return 0;
  }
  const size_t end = find_end(text, length, at, "?>");
  *begin = end > 0 ? at : 0;
  return end;
}

/* Latin letters of one byte are the only ones that a declaration has to tell: all else is UTF-8, or
 * shows itself by its first bytes. */
static bool is_latin(const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    if (starts_with(text, length, i, "ISO-8859-1") || starts_with(text, length, i, "iso-8859-1")) {
      return true;
    }
  }
  return false;
}

static bool feed(reading *r, const char *text, size_t length, bool last)
{
  enum { PIECE = 1 << 20 };
  enum XML_Status ok = XML_STATUS_OK;
  do {
    const size_t n = length < PIECE ? length : PIECE;
    ok = XML_Parse(r->parser, text, (int)n, last && n == length);
    text += n;
    length -= n;
  } while (length > 0 && ok == XML_STATUS_OK);
  return ok == XML_STATUS_OK;
}

/* The declaration is read as blanks: files in use have it late, bare, misspelt, or with names of
 * encodings that no parser knows, and nothing in it is needed. */
static bool feed_all(reading *r, const char *text, size_t length)
{
  size_t begin;
  const size_t end = declaration(text, length, &begin);
  if (is_latin(text + begin, end - begin)) {
    XML_SetEncoding(r->parser, "ISO-8859-1");
  }
  bool ok = begin == 0 || feed(r, text, begin, false);
  for (size_t i = begin; ok && i < end; i++) {
    ok = feed(r, text[i] == '\n' ? "\n" : " ", 1, false);
  }
  return ok && feed(r, text + end, length - end, true);
}

static void parse(reading *r, const char *text, size_t length)
{
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, on_start, on_end);
  XML_SetCharacterDataHandler(r->parser, on_text);
  XML_SetEntityDeclHandler(r->parser, on_entity);
  if (!feed_all(r, text, length) && r->status == CARDAN_OK) {
    const enum XML_Error error = XML_GetErrorCode(r->parser);
    char what[160], open[80] = "";
    if (error == XML_ERROR_NO_MEMORY) {
      no_memory(r);
      return;
    }
    if (r->at != NULL && (error == XML_ERROR_TAG_MISMATCH || error == XML_ERROR_NO_ELEMENTS)) {
      snprintf(open, sizeof open, "; <%.40s> of line %d is still open", r->at->name,
               r->at->pos.line);
    }
    snprintf(what, sizeof what, "this is not well-formed XML: %s%s", XML_ErrorString(error), open);
    stop(r, CARDAN_ERR_SYNTAX, what);
  }
}

cardan_status cardan__xml_read(const char *text, size_t length, cardan__arena *arena,
                               cardan__xml **root, cardan_report *report)
{
  reading *r = cardan__resize(&arena->alloc, NULL, sizeof *r);
  *root = NULL;
  if (r == NULL) {
    return cardan__no_memory(report);
  }
  *r = (reading){.arena = arena, .report = report};
  r->parser = XML_ParserCreate(NULL);
  for (int i = 0; i <= CARDAN__XML_DEPTH; i++) {
    cardan__text_init(&r->text[i], &arena->alloc);
  }
  if (r->parser == NULL) {
    r->status = cardan__no_memory(report);
  } else {
    parse(r, text, length);
    XML_ParserFree(r->parser);
  }
  for (int i = 0; i <= CARDAN__XML_DEPTH; i++) {
    cardan__text_free(&r->text[i]);
  }
  const cardan_status status = r->status;
  *root = status == CARDAN_OK ? r->root : NULL;
  cardan__resize(&arena->alloc, r, 0);
  return status;
}

static cardan__xml *find_named(cardan__xml *e, const char *name)
{
  while (e != NULL && strcmp(e->name, name) != 0) {
    e = e->next;
  }
  return e;
}

const cardan__xml *cardan__xml_peek(const cardan__xml *element, const char *name)
{
  return find_named(element->child, name);
}

static cardan__xml *find(cardan__xml *first, const char *name)
{
  cardan__xml *e = find_named(first, name);
  if (e != NULL) {
    e->read = true;
  }
  return e;
}

cardan__xml *cardan__xml_child(const cardan__xml *element, const char *name)
{
  return find(element->child, name);
}

cardan__xml *cardan__xml_next(const cardan__xml *element, const char *name)
{
  return find(element->next, name);
}

const char *cardan__xml_get(cardan__xml *element, const char *name)
{
  for (int i = 0; i < element->nattribute; i++) {
    if (strcmp(element->attribute[i].name, name) == 0) {
      element->attribute[i].read = true;
      return element->attribute[i].value;
    }
  }
  return NULL;
}

void cardan__xml_skip(cardan__xml *element)
{
  element->read = true;
  for (int i = 0; i < element->nattribute; i++) {
    element->attribute[i].read = true;
  }
  for (cardan__xml *e = element->child; e != NULL; e = e->next) {
    cardan__xml_skip(e);
  }
}

void cardan__xml_unread(const cardan__xml *root, void *user,
                        void (*visit)(void *user, const cardan__xml *element,
                                      const cardan__xml_attribute *attribute))
{
  if (!root->read) {
    visit(user, root, NULL);
    return;
  }
  for (int i = 0; i < root->nattribute; i++) {
    if (!root->attribute[i].read) {
      visit(user, root, &root->attribute[i]);
    }
  }
  for (const cardan__xml *e = root->child; e != NULL; e = e->next) {
    cardan__xml_unread(e, user, visit);
  }
}

int cardan__xml_numbers(const char *text, double *value, int n)
{
  int count = 0;
  while (*text != '\0') {
    size_t length = 0;
    while (text[length] != '\0' && !is_space(text[length])) {
      length++;
    }
    if (length > 0) {
      double number;
      if (cardan__number_read(text, length, &number) != CARDAN__NUMBER_OK || !isfinite(number)) {
        return -1;
      }
      if (count < n) {
        value[count] = number;
      }
      count += count < INT_MAX;
    }
    text += length;
    text += *text != '\0';
  }
  return count;
}
