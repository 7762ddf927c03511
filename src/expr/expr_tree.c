// SPDX-License-Identifier: Apache-2.0
// Looking at a tree that has been read.
#include <stdio.h>
#include <string.h>

#include "expr/sexpr.h"

int cardan__sexpr_first(const cardan__sexpr *tree, int node)
{
  const cardan__sexpr_node *n = &tree->nodes[node];
  return n->kind == CARDAN__SEXPR_LIST && n->count > 0 ? node + 1 : -1;
}

int cardan__sexpr_child(const cardan__sexpr *tree, int node, int i)
{
  int child = cardan__sexpr_first(tree, node);

  for (; child >= 0 && i > 0; i--) {
    child = tree->nodes[child].next;
  }
  return child;
}

const char *cardan__sexpr_text(const cardan__sexpr *tree, int node)
{
  const cardan__sexpr_node *n = &tree->nodes[node];
  return n->kind == CARDAN__SEXPR_LIST ? "" : tree->text + n->text;
}

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool cardan__same_word(const char *a, const char *b)
{
  while (*a && lower(*a) == lower(*b)) {
    a++;
    b++;
  }
  return lower(*a) == lower(*b);
}

bool cardan__sexpr_is(const cardan__sexpr *tree, int node, const char *symbol)
{
  if (node < 0 || tree->nodes[node].kind != CARDAN__SEXPR_SYMBOL) {
    return false;
  }
  // most words differ in the first letter
  const char *text = tree->text + tree->nodes[node].text;
  return lower(text[0]) == lower(symbol[0]) && cardan__same_word(text, symbol);
}

bool cardan__sexpr_is_form(const cardan__sexpr *tree, int node, const char *head)
{
  return node >= 0 && tree->nodes[node].kind == CARDAN__SEXPR_LIST &&
         cardan__sexpr_is(tree, cardan__sexpr_first(tree, node), head);
}

const char *cardan__sexpr_describe(const cardan__sexpr *tree, int node,
                                   char buffer[CARDAN__DESCRIBE_SIZE])
{
  static const char *const format[] = {"the list (%.*s%s)", "the symbol \"%.*s%s\"",
                                       "the string \"%.*s%s\"", "the number %.*s%s"};
  const int kind = node >= 0 ? tree->nodes[node].kind : -1;
  int word = node;
  const char *text = "";

  if (kind < 0) {
    snprintf(buffer, CARDAN__DESCRIBE_SIZE, "nothing");
    return buffer;
  }
  if (kind == CARDAN__SEXPR_LIST) {
    word = cardan__sexpr_first(tree, node);
    if (word < 0) {
      snprintf(buffer, CARDAN__DESCRIBE_SIZE, "the empty list ()");
      return buffer;
    }
  }
  text = cardan__sexpr_text(tree, word);
  const size_t length = strlen(text), shown = length > 60 ? cardan__utf8_cut(text, 60) : length;
  const char *more = kind == CARDAN__SEXPR_LIST ? " .." : shown < length ? ".." : "";
  snprintf(buffer, CARDAN__DESCRIBE_SIZE, format[kind], (int)shown, text, more);
  return buffer;
}

void cardan__sexpr_quote(cardan__text *text, const char *name)
{
  cardan__text_add(text, "\"", 1);
  while (*name) {
    const size_t plain = strcspn(name, "\"\\\n\t");
    cardan__text_add(text, name, plain);
    name += plain;
    if (*name) {
      const char escape[2] = {'\\', *name == '\n' ? 'n' : *name == '\t' ? 't' : *name};
      cardan__text_add(text, escape, 2);
      name++;
    }
  }
  cardan__text_add(text, "\"", 1);
}
