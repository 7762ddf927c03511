/* SPDX-License-Identifier: Apache-2.0
 * expr/sexpr.h - reads one S-expression of text into a flat array of nodes.
 *
 * The text: lists "( .. )", symbols, numbers, strings, and comments from ";" to the end of the
 * line.
 *   symbol  any characters but blanks, ( ) " ; and ' ` , # [ ] { } | \, which are errors; kept as
 *           spelled, compared without regard to the case of ASCII letters
 *   number  a word that starts as one ("1", "-.5", "+3") must be one to its end; finite
 *   string  "..", on one line, with \" \\ \n \t for a quote, a backslash, a new line and a tab
 * Lines end in LF, CR LF or CR. A text starts after a byte order mark, if it has one. Words and
 * strings must be UTF-8; comments may hold anything but NUL.
 *
 * Nodes are in reading order: a list's first child is the node after it. The root is node 0.
 * The reader does not recurse and takes time and memory linear in the text. A tree that has been
 * read is constant and may be shared by threads. */
#pragma once
#include "base/text.h"
#include "cardan/base.h"

typedef enum {
  CARDAN__SEXPR_LIST,
  CARDAN__SEXPR_SYMBOL,
  CARDAN__SEXPR_STRING,
  CARDAN__SEXPR_NUMBER
} cardan__sexpr_kind;

enum { CARDAN__SEXPR_MAX_DEPTH = 10000 };

typedef struct {
  int kind;       // a cardan__sexpr_kind
  int next;       // next sibling, -1: none
  int count;      // children of a list; bytes of another node's text
  int text;       // where in tree->text it stands; of a list: the node after its last descendant
  cardan_pos pos; // of its first character; the column counts characters, a tab as one
  double number;  // of a number
} cardan__sexpr_node;

typedef struct {
  cardan_allocator alloc;
  cardan__sexpr_node *nodes;
  int nnode, capacity;
  char *text; // the words, and the strings with their escapes resolved, each ending in NUL
} cardan__sexpr;

/* Reads a text that holds exactly one form, a list or a single word.
 * tree    out: to be given back by cardan__sexpr_free; all zero after a failure
 * text    need not end in NUL and may hold any bytes; not kept
 * alloc   where the tree's memory comes from; NULL: malloc
 * report  out, may be NULL: the place and the reason of a failure; the file field is not touched
 * returns CARDAN_ERR_SYNTAX, CARDAN_ERR_MEMORY, or CARDAN_ERR_ARGUMENT for a text of 2 GB or
 * more */
cardan_status cardan__sexpr_read(cardan__sexpr *tree, const char *text, size_t length,
                                 const cardan_allocator *alloc,
                                 cardan_report *report) CARDAN_MUST_USE;

void cardan__sexpr_free(cardan__sexpr *tree);

/* The same, one child of the root at a time, for a text whose tree would be large. The tree holds
 * the root, its first child, and the child that was read last. */
typedef struct cardan__sexpr_reader cardan__sexpr_reader;

/* As cardan__sexpr_read, but nothing is read yet. tree, text and report are used until the end.
 * reader: out, to be given back by cardan__sexpr_close with the tree; NULL after a failure */
cardan_status cardan__sexpr_open(cardan__sexpr *tree, const char *text, size_t length,
                                 const cardan_allocator *alloc, cardan_report *report,
                                 cardan__sexpr_reader **reader) CARDAN_MUST_USE;

/* Reads the next child; the one before is forgotten, unless it is the first.
 * child: out, -1: there are no more, and the text is right to its end
 * returns as cardan__sexpr_read, with the same report; not to be called again after a failure */
cardan_status cardan__sexpr_next(cardan__sexpr_reader *reader, int *child) CARDAN_MUST_USE;

void cardan__sexpr_close(cardan__sexpr_reader *reader); // NULL is fine

/* First child of a list, -1 when it has none or the node is no list. Then continue with node.next.
 * */
int cardan__sexpr_first(const cardan__sexpr *tree, int node);

/* Child number i, from 0, of a list; -1 when there are not so many. Costs i steps. */
int cardan__sexpr_child(const cardan__sexpr *tree, int node, int i);

/* Text of a symbol, string or number, ending in NUL; "" for a list. */
const char *cardan__sexpr_text(const cardan__sexpr *tree, int node);

/* Is the node this symbol, case apart? false for node -1. */
bool cardan__sexpr_is(const cardan__sexpr *tree, int node, const char *symbol);

/* Is the node a list whose first child is this symbol, case apart? */
bool cardan__sexpr_is_form(const cardan__sexpr *tree, int node, const char *head);

/* Are two texts equal but for the case of ASCII letters? */
bool cardan__same_word(const char *a, const char *b);

/* Room for any result of cardan__sexpr_describe, the NUL included. */
enum { CARDAN__DESCRIBE_SIZE = 96 };

/* Names a node for a message: `the symbol "foo"`, `the string "A"`, `the number 1e5`,
 * `the list (mass ..)`, `the empty list ()`, or `nothing` for node -1; long texts are cut.
 * returns buffer */
const char *cardan__sexpr_describe(const cardan__sexpr *tree, int node,
                                   char buffer[CARDAN__DESCRIBE_SIZE]);

/* Appends a name as a string of the text: in quotes, with the escapes that it needs. */
void cardan__sexpr_quote(cardan__text *text, const char *name);
