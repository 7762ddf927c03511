// SPDX-License-Identifier: Apache-2.0
#include "expr/sexpr.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "expr/number.h"

// what each ASCII character is to the reader:
//   b blank, n end of line, ( ) " ; themselves, w part of a word, x not used, c control character
static const char class_of[] = "ccccccccc"
                               "bnccncccccccccccccccccc"
                               "bw\"xwwwx()wwxwww" // space to /
                               "wwwwwwwwwww;wwww"  // 0 to ?
                               "wwwwwwwwwwwwwwww"  // @ to O
                               "wwwwwwwwwwwxxxww"  // P to _
                               "xwwwwwwwwwwwwwww"  // ` to o
                               "wwwwwwwwwwwxxxwc"; // p to DEL
_Static_assert(sizeof class_of == 128 + 1, "one class for each ASCII character");

/* A list's "(": where it stands, and in which byte of the text. pos.line 0: there is none. */
typedef struct {
  cardan_pos pos;
  size_t at;
} place;

/* An open list. Indentation serves only to guess, once the parentheses are known not to balance,
 * where one is missing or too many. */
typedef struct {
  int node, last; // the list, and its last child so far, -1: none
  int indent;     // column of the first word on the line that opens the list
  place own;
  place child; // the last child that starts a line with "("
} level;

/* A guess: the place where a parenthesis is missing or too many. line 0: no guess. */
typedef struct {
  cardan_pos at; // where it is missing, or the ")" that is too many
  place list;    // the list that should have ended, or should not have
  int line;      // the line whose indentation tells
} guess;

struct cardan__sexpr_reader {
  cardan__sexpr *tree;
  cardan_report *report;
  const char *s;    // the text
  size_t n, p;      // its length; the place in it
  size_t start;     // where the line starts, moved on by the bytes that make no column
  int line, indent; // number of the line; column of its first word, 0: none yet
  int out;          // bytes written to tree->text
  cardan_pos end;   // of the last word or parenthesis
  level *level;     // the open lists
  int depth, capacity;
  guess missing, excess;
  bool flat; // the text is not indented: no guesses
  // the root and its first child, which stay when the tree is read in parts; nodes: INT_MAX when it
  // is read as a whole
  int kept, kept_out;
};
typedef struct cardan__sexpr_reader scanner;

static cardan_pos current_position(const scanner *k)
{
  return (cardan_pos){k->line, (int)(k->p - k->start) + 1};
}

static char class_at(const scanner *k, size_t p)
{
  const unsigned char c = (unsigned char)k->s[p];
  return c < 128 ? class_of[c] : 'h';
}

static cardan_status no_memory(cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0}, "out of memory for the text");
}

static void new_line(scanner *k)
{
  k->p += k->s[k->p] == '\r' && k->p + 1 < k->n && k->s[k->p + 1] == '\n' ? 2 : 1;
  k->start = k->p;
  k->line++;
  k->indent = 0;
}

// a character that no text may hold, or none but a string
static cardan_status bad_character(scanner *k)
{
  const unsigned char c = (unsigned char)k->s[k->p];

  if (c == 0) {
    return cardan_fail(k->report, CARDAN_ERR_SYNTAX, current_position(k),
                       "found a NUL byte; a model is plain text");
  }
  if (c < 0x20 || c == 0x7f) {
    return cardan_fail(k->report, CARDAN_ERR_SYNTAX, current_position(k),
                       "found the control character 0x%02x; a model is plain text", c);
  }
  if (c == ',') {
    return cardan_fail(k->report, CARDAN_ERR_SYNTAX, current_position(k),
                       "found \",\"; expected blanks between the members of a list");
  }
  if (c == '\'' || c == '`') {
    return cardan_fail(
        k->report, CARDAN_ERR_SYNTAX, current_position(k),
        "found \"%c\"; names are written in double quotes, and nothing is quoted as in Lisp", c);
  }
  return cardan_fail(k->report, CARDAN_ERR_SYNTAX, current_position(k),
                     "found \"%c\", which has no meaning outside a string", c);
}

// bytes of the UTF-8 character at p, and its code; 0 when there is none
static int utf8_at(const scanner *k, size_t p, unsigned *code)
{
  const unsigned char *s = (const unsigned char *)k->s + p;
  const int length = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
  unsigned c = s[0] & (0x7fu >> length);

  if (length == 0 || (size_t)length > k->n - p) {
    return 0;
  }
  for (int i = 1; i < length; i++) {
    if ((s[i] & 0xc0) != 0x80) {
      return 0;
    }
    c = (c << 6) | (s[i] & 0x3fu);
  }
  // no longer than needed, no half of a UTF-16 pair, no code past the last
  if ((length == 3 && c < 0x800) || (length == 4 && c < 0x10000) || c > 0x10ffff ||
      (c >= 0xd800 && c < 0xe000)) {
    return 0;
  }
  *code = c;
  return length;
}

// steps over one character that is not ASCII; in a word it must not be one that only looks ASCII
static cardan_status wide_character(scanner *k, bool in_word)
{
  unsigned code = 0;
  const int length = utf8_at(k, k->p, &code);

  if (length == 0) {
    return cardan_fail(k->report, CARDAN_ERR_SYNTAX, current_position(k),
                       "found the byte 0x%02x, which is not UTF-8", (unsigned char)k->s[k->p]);
  }
  if (in_word && (code <= 0xa0 || (code >= 0x2000 && code < 0x2070) || code == 0x2212 ||
                  code == 0x3000 || code == 0xfeff)) {
    return cardan_fail(k->report, CARDAN_ERR_SYNTAX, current_position(k),
                       "found the character U+%04X; expected a plain blank, quote or minus sign",
                       code);
  }
  if (cardan__utf8_hidden((const unsigned char *)k->s + k->p, (size_t)length)) {
    return cardan_fail(
        k->report, CARDAN_ERR_SYNTAX, current_position(k),
        "found the character U+%04X, which shows nothing and may change how the rest "
        "is shown; expected text without control characters",
        code);
  }
  k->p += (size_t)length;
  k->start += (size_t)length - 1;
  return CARDAN_OK;
}

static bool starts_number(const char *s, size_t n)
{
  const size_t i = n > 0 && (s[0] == '-' || s[0] == '+') ? 1 : 0;
  const size_t j = n > i && s[i] == '.' ? i + 1 : i;
  return n > j && s[j] >= '0' && s[j] <= '9';
}

// `"(name"` for a message, with the symbol that the list starts with; its nodes may be gone
static const char *opening(const scanner *k, size_t list, char buffer[CARDAN__DESCRIBE_SIZE])
{
  size_t p = list + 1, end;

  for (bool comment = false; p < k->n; p++) {
    const char c = class_at(k, p);
    comment = c != 'n' && (comment || c == ';');
    if (!comment && c != 'b' && c != 'n') {
      break;
    }
  }
  for (end = p; end < k->n && (class_at(k, end) == 'w' || class_at(k, end) == 'h');) {
    end++;
  }
  const char *name = k->s + p;
  const size_t length = starts_number(name, end - p) ? 0 : end - p;
  snprintf(buffer, CARDAN__DESCRIBE_SIZE, "\"(%.*s\"",
           (int)(length > 40 ? cardan__utf8_cut(name, 40) : length), name);
  return buffer;
}

// reports text at pos, after the end of the only form
static cardan_status fail_surplus(const scanner *k, cardan_pos pos, bool parenthesis)
{
  char name[CARDAN__DESCRIBE_SIZE];
  const guess *g = &k->excess;

  if (g->line != 0 && !k->flat) {
    return cardan_fail(
        k->report, CARDAN_ERR_SYNTAX, g->at,
        "a \")\" is probably too many here: %s of line %d ends before line %d, which "
        "stands deeper; so %s at line %d, column %d is outside of the only form",
        opening(k, g->list.at, name), g->list.pos.line, g->line,
        parenthesis ? "the \")\"" : "the text", pos.line, pos.column);
  }
  if (parenthesis) {
    return cardan_fail(k->report, CARDAN_ERR_SYNTAX, pos, "found \")\" without a \"(\" before it");
  }
  return cardan_fail(k->report, CARDAN_ERR_SYNTAX, pos,
                     "there is more text after the only form, which ended at line %d, column %d",
                     k->end.line, k->end.column - 1);
}

// adds a node at pos to the open list; the text of a word is filled in by the caller
static cardan_status add_node(scanner *k, cardan__sexpr_kind kind, cardan_pos pos)
{
  cardan__sexpr *tree = k->tree;
  level *top = k->depth > 0 ? &k->level[k->depth - 1] : NULL;

  if (!top && tree->nnode > 0) {
    return fail_surplus(k, pos, false);
  }
  if (tree->nnode == tree->capacity &&
      cardan__grow_bare(&tree->alloc, (void **)&tree->nodes, &tree->capacity, tree->nnode + 1,
                        sizeof tree->nodes[0]) != CARDAN_OK) {
    return no_memory(k->report);
  }
  tree->nodes[tree->nnode] =
      (cardan__sexpr_node){.kind = (int)kind, .next = -1, .text = k->out, .pos = pos};
  if (top) {
    tree->nodes[top->node].count++;
    if (top->last >= 0) {
      tree->nodes[top->last].next = tree->nnode;
    }
    top->last = tree->nnode;
  }
  tree->nnode++;
  if (k->indent == 0) {
    k->indent = pos.column;
  }
  return CARDAN_OK;
}

// ends the text of the word or string that was added last
static void end_text(scanner *k)
{
  cardan__sexpr_node *node = &k->tree->nodes[k->tree->nnode - 1];

  node->count = k->out - node->text;
  k->tree->text[k->out++] = '\0';
  k->end = current_position(k);
}

static cardan_status convert_number(scanner *k, cardan__sexpr_node *node)
{
  const char *text = k->tree->text + node->text;
  const int shown = node->count < 40 ? node->count : (int)cardan__utf8_cut(text, 40);
  const char *sign_off = text + (text[0] == '-' || text[0] == '+');
  const char first = (char)(sign_off[0] | 0x20); // in small letters, where it is one

  if (starts_number(text, (size_t)node->count)) {
    switch (cardan__number_read(text, (size_t)node->count, &node->number)) {
    case CARDAN__NUMBER_OK:
      node->kind = CARDAN__SEXPR_NUMBER;
      return CARDAN_OK;
    case CARDAN__NUMBER_OVERFLOW:
      return cardan_fail(k->report, CARDAN_ERR_SYNTAX, node->pos,
                         "the number %.*s is not finite: it is too large", shown, text);
    case CARDAN__NUMBER_MALFORMED:
      return cardan_fail(k->report, CARDAN_ERR_SYNTAX, node->pos,
                         "found \"%.*s\", which starts as a number but is none; expected one such "
                         "as 3, -0.5 or 1e-3",
                         shown, text);
    }
  }
  if ((first == 'n' || first == 'i') && // spares most words the comparison
      (cardan__same_word(sign_off, "nan") || cardan__same_word(sign_off, "inf") ||
       cardan__same_word(sign_off, "infinity"))) {
    return cardan_fail(k->report, CARDAN_ERR_SYNTAX, node->pos, "the number %.*s is not finite",
                       shown, text);
  }
  return CARDAN_OK;
}

// a symbol or a number
static cardan_status read_word(scanner *k)
{
  cardan_status status = add_node(k, CARDAN__SEXPR_SYMBOL, current_position(k));
  const size_t from = k->p;

  while (status == CARDAN_OK && k->p < k->n) {
    const char c = class_at(k, k->p);
    if (c == 'w') {
      k->p++;
    } else if (c == 'h') {
      status = wide_character(k, true);
    } else {
      break;
    }
  }
  if (status == CARDAN_OK && k->p < k->n && class_at(k, k->p) == 'x') {
    status = bad_character(k);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  memcpy(k->tree->text + k->out, k->s + from, k->p - from);
  k->out += (int)(k->p - from);
  end_text(k);
  return convert_number(k, &k->tree->nodes[k->tree->nnode - 1]);
}

static cardan_status read_escape(scanner *k)
{
  const char c = k->p + 1 < k->n ? k->s[k->p + 1] : '\0';
  const char real = c == 'n' ? '\n' : c == 't' ? '\t' : c == '"' || c == '\\' ? c : '\0';

  if (real == '\0') {
    return cardan_fail(
        k->report, CARDAN_ERR_SYNTAX, current_position(k),
        "found \"\\\" before a character that needs none; in a string write \\\\ for "
        "a backslash, \\\" for a quote, \\n or \\t");
  }
  k->tree->text[k->out++] = real;
  k->p += 2;
  return CARDAN_OK;
}

static cardan_status read_string(scanner *k)
{
  const cardan_pos pos = current_position(k);
  cardan_status status = add_node(k, CARDAN__SEXPR_STRING, pos);

  k->p++;
  while (status == CARDAN_OK) {
    const char c = k->p < k->n ? class_at(k, k->p) : 'n';
    if (c == '"') {
      k->p++;
      end_text(k);
      return CARDAN_OK;
    }
    if (c == 'n') {
      status = cardan_fail(k->report, CARDAN_ERR_SYNTAX, pos,
                           "the string that starts here is not closed before the end of the %s",
                           k->p < k->n ? "line" : "text");
    } else if (c == 'c' || k->s[k->p] == '\t') {
      status = bad_character(k);
    } else if (k->s[k->p] == '\\') {
      status = read_escape(k);
    } else if (c == 'h') {
      const size_t from = k->p;
      status = wide_character(k, false);
      memcpy(k->tree->text + k->out, k->s + from, k->p - from);
      k->out += (int)(k->p - from);
    } else {
      k->tree->text[k->out++] = k->s[k->p++];
    }
  }
  return status;
}

static cardan_status skip_comment(scanner *k)
{
  while (k->p < k->n && k->s[k->p] != '\n' && k->s[k->p] != '\r') {
    if (k->s[k->p] == '\0') {
      return bad_character(k);
    }
    // a byte that continues a character makes no column
    k->start += ((unsigned char)k->s[k->p] & 0xc0) == 0x80;
    k->p++;
  }
  return CARDAN_OK;
}

/* What the indentation of a "(" that starts a line says about the parentheses before it. In a text
 * indented as usual a list's members stand deeper than the line that opens the list, and below one
 * another. So a form that is not deeper than an open list: that list should have ended. A form
 * deeper than its elder sibling: it was to be the sibling's member, which ended too early. The
 * first of each is kept. A text whose first such form is not deeper than the root is not indented
 * at all. */
static void judge_indentation(scanner *k, int column)
{
  level *top = &k->level[k->depth - 1];

  if (k->depth == 1 && top->child.pos.line == 0 && column <= top->indent) {
    k->flat = true;
  }
  if (column <= top->indent && k->missing.line == 0) {
    k->missing = (guess){k->end, top->own, k->line};
  }
  if (top->child.pos.line > 0 && column > top->child.pos.column && k->excess.line == 0) {
    k->excess = (guess){{k->end.line, k->end.column - 1}, top->child, k->line};
  }
  top->child = (place){current_position(k), k->p};
}

static cardan_status open_list(scanner *k)
{
  const cardan_pos pos = current_position(k);
  const bool starts_line = k->indent == 0;

  if (k->depth == CARDAN__SEXPR_MAX_DEPTH) {
    return cardan_fail(k->report, CARDAN_ERR_SYNTAX, pos, "lists are nested deeper than %d levels",
                       CARDAN__SEXPR_MAX_DEPTH);
  }
  if (k->depth == k->capacity && cardan__grow(&k->tree->alloc, (void **)&k->level, &k->capacity,
                                              k->depth + 1, sizeof k->level[0]) != CARDAN_OK) {
    return no_memory(k->report);
  }
  if (starts_line && k->depth > 0) {
    judge_indentation(k, pos.column);
  }
  const cardan_status status = add_node(k, CARDAN__SEXPR_LIST, pos);
  if (status != CARDAN_OK) {
    return status;
  }
  k->level[k->depth++] =
      (level){.node = k->tree->nnode - 1, .last = -1, .indent = k->indent, .own = {pos, k->p}};
  k->p++;
  k->end = current_position(k);
  return CARDAN_OK;
}

static cardan_status close_list(scanner *k)
{
  const cardan_pos pos = current_position(k);

  if (k->depth == 0) {
    return fail_surplus(k, pos, true);
  }
  const level *top = &k->level[--k->depth];
  k->tree->nodes[top->node].text = k->tree->nnode;
  k->indent = k->indent == 0 ? pos.column : k->indent;
  k->p++;
  k->end = current_position(k);
  return CARDAN_OK;
}

// to the end of the text, or of a child of the root that is not one of those kept
static cardan_status scan(scanner *k)
{
  cardan_status status = CARDAN_OK;

  while (status == CARDAN_OK && k->p < k->n && !(k->depth == 1 && k->tree->nnode > k->kept)) {
    switch (class_at(k, k->p)) {
    case 'b':
      k->p++;
      break;
    case 'n':
      new_line(k);
      break;
    case '(':
      status = open_list(k);
      break;
    case ')':
      status = close_list(k);
      break;
    case '"':
      status = read_string(k);
      break;
    case ';':
      status = skip_comment(k);
      break;
    case 'w':
    case 'h':
      status = read_word(k);
      break;
    default:
      status = bad_character(k);
    }
  }
  return status;
}

// the text is over: is its form?
static cardan_status finish(scanner *k)
{
  char root[CARDAN__DESCRIBE_SIZE], name[CARDAN__DESCRIBE_SIZE];
  const guess *g = &k->missing;

  if (k->tree->nnode == 0) {
    return cardan_fail(k->report, CARDAN_ERR_SYNTAX, current_position(k),
                       "the text is empty; expected a form \"( .. )\"");
  }
  if (k->depth == 0) {
    return CARDAN_OK;
  }
  const place open = k->level[k->depth - 1].own;
  if (g->line != 0 && !k->flat) {
    return cardan_fail(k->report, CARDAN_ERR_SYNTAX, g->at,
                       "a \")\" is probably missing here: %s of line %d, column %d is still open, "
                       "and line %d does not stand deeper; at the end of the text %s of line %d, "
                       "column %d is not closed",
                       opening(k, g->list.at, name), g->list.pos.line, g->list.pos.column, g->line,
                       opening(k, open.at, root), open.pos.line, open.pos.column);
  }
  return cardan_fail(k->report, CARDAN_ERR_SYNTAX, open.pos,
                     "%s is not closed at the end of the text: %d \")\" missing",
                     opening(k, open.at, name), k->depth);
}

// an empty tree, and a scanner at the start of its text
static cardan_status start(scanner *k, cardan__sexpr *tree, const char *text, size_t length,
                           const cardan_allocator *alloc, cardan_report *report)
{
  *k = (scanner){.tree = tree, .report = report, .s = text, .n = length, .line = 1};
  *tree = (cardan__sexpr){0};
  if (alloc) {
    tree->alloc = *alloc;
  }
  if (length >= (size_t)INT_MAX) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0},
                       "the text is too long: %zu bytes", length);
  }
  // each word is followed by a blank, a parenthesis or the end, so that its NUL has room too
  tree->text = cardan__resize(&tree->alloc, NULL, length + 1);
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    k->p = k->start = 3;
  }
  return tree->text ? CARDAN_OK : no_memory(report);
}

cardan_status cardan__sexpr_read(cardan__sexpr *tree, const char *text, size_t length,
                                 const cardan_allocator *alloc, cardan_report *report)
{
  scanner k;
  cardan_status status = start(&k, tree, text, length, alloc, report);

  k.kept = INT_MAX;
  if (status == CARDAN_OK) {
    status = scan(&k);
  }
  if (status == CARDAN_OK) {
    status = finish(&k);
  }
  cardan__resize(&tree->alloc, k.level, 0);
  if (status != CARDAN_OK) {
    cardan__sexpr_free(tree);
  }
  return status;
}

cardan_status cardan__sexpr_open(cardan__sexpr *tree, const char *text, size_t length,
                                 const cardan_allocator *alloc, cardan_report *report,
                                 cardan__sexpr_reader **reader)
{
  scanner k;
  cardan_status status = start(&k, tree, text, length, alloc, report);

  k.kept = 1;
  *reader = status == CARDAN_OK ? cardan__resize(&tree->alloc, NULL, sizeof k) : NULL;
  if (*reader) {
    **reader = k;
  } else {
    status = status == CARDAN_OK ? no_memory(report) : status;
    cardan__sexpr_free(tree);
  }
  return status;
}

cardan_status cardan__sexpr_next(cardan__sexpr_reader *reader, int *child)
{
  scanner *k = reader;
  cardan__sexpr *tree = k->tree;

  if (tree->nnode > k->kept) {
    tree->nnode = k->kept;
    k->out = k->kept_out;
    tree->nodes[1].next = -1;
    k->level[0].last = 1;
  }
  const int before = tree->nnode;
  cardan_status status = scan(k);
  if (status == CARDAN_OK && k->p == k->n) {
    status = finish(k);
  }
  *child = status == CARDAN_OK && tree->nnode > k->kept ? (before > 0 ? before : 1) : -1;
  if (before == 0) { // the first child stays
    k->kept = tree->nnode;
    k->kept_out = k->out;
  }
  return status;
}

void cardan__sexpr_close(cardan__sexpr_reader *reader)
{
  if (reader) {
    const cardan_allocator alloc = reader->tree->alloc;
    cardan__resize(&alloc, reader->level, 0);
    cardan__sexpr_free(reader->tree);
    cardan__resize(&alloc, reader, 0);
  }
}

void cardan__sexpr_free(cardan__sexpr *tree)
{
  cardan__resize(&tree->alloc, tree->nodes, 0);
  cardan__resize(&tree->alloc, tree->text, 0);
  *tree = (cardan__sexpr){0};
}
