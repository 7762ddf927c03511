// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/arena.h"
#include "expr/tape.h"

static const char *const word_of[] = {
#define CARDAN__OP_WORD(name, word, noperand) word,
    CARDAN__OP_LIST(CARDAN__OP_WORD)
#undef CARDAN__OP_WORD
};

// may the name follow "q." as it is?
static bool is_plain(const char *name)
{
  return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")] ==
         '\0';
}

static void print_sense(int sense, const char *name, cardan__text *text)
{
  const int lambda = sense - CARDAN__SENSE_LAMBDA;

  cardan__text_printf(text, "(%s", cardan__expr_sense_word(sense));
  if (*name) {
    cardan__text_add(text, " ", 1);
    cardan__sexpr_quote(text, name);
  }
  if (lambda >= 0) {
    cardan__text_printf(text, " %d", lambda + 1);
  }
  cardan__text_add(text, ")", 1);
}

static void print_leaf(const cardan__expr *expr, int i, cardan__text *text)
{
  const cardan__expr_leaf *leaf = cardan__expr_leaf_at(expr, i);
  const char *name = cardan__expr_leaf_name(expr, i);
  const char variable = leaf->kind == CARDAN__LEAF_Q   ? 'q'
                        : leaf->kind == CARDAN__LEAF_V ? 'v'
                                                       : 'u';

  if (leaf->kind == CARDAN__LEAF_T) {
    cardan__text_add(text, "t", 1);
  } else if (leaf->kind == CARDAN__LEAF_PARAMETER) {
    cardan__text_printf(text, "%s", name);
  } else if (leaf->kind == CARDAN__LEAF_SENSE) {
    print_sense(leaf->axis, name, text);
  } else if (leaf->kind == CARDAN__LEAF_FRAME) {
    cardan__text_printf(text, "(p%c ", "xyz"[leaf->axis]);
    cardan__sexpr_quote(text, name);
    cardan__text_add(text, ")", 1);
  } else if (is_plain(name)) {
    cardan__text_printf(text, "%c.%s", variable, name);
  } else {
    cardan__text_printf(text, "(%c ", variable);
    cardan__sexpr_quote(text, name);
    cardan__text_add(text, ")", 1);
  }
}

// (dist "A" "B"), back from the root of a sum of squares: NORM, ADD, ADD, POWC, SUB, LEAF
static void print_distance(const cardan__expr *expr, int norm, cardan__text *text)
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  const cardan__ins *difference = &tape[tape[tape[tape[tape[norm].a].a].a].a];

  cardan__text_add(text, "(dist ", 6);
  cardan__sexpr_quote(text, cardan__expr_leaf_name(expr, tape[difference->a].a));
  cardan__text_add(text, " ", 1);
  cardan__sexpr_quote(text, cardan__expr_leaf_name(expr, tape[difference->b].a));
  cardan__text_add(text, ")", 1);
}

static bool is_chain(int op)
{
  return op >= CARDAN__OP_ADD && op <= CARDAN__OP_MAX;
}

enum { CLOSE = -1 };

/* Puts what is to be printed after "(word" onto the stack, the last first: at most 4 items for each
 * instruction. (+ (+ a b) c) is printed as (+ a b c), so that lists are no deeper than they
 * were. */
static int push_operands(const cardan__ins *tape, int i, int *stack, int top)
{
  const cardan__ins *ins = &tape[i];

  stack[top++] = CLOSE;
  if (is_chain(ins->op)) {
    int left = i;
    for (; tape[left].op == ins->op; left = tape[left].a) {
      stack[top++] = tape[left].b;
    }
    stack[top++] = left;
  } else if (ins->op == CARDAN__OP_SELECT) {
    stack[top++] = ins->b;
    stack[top++] = ins->a;
    stack[top++] = ins->c;
  } else {
    if (ins->op > CARDAN__OP_MAX) {
      stack[top++] = ins->b;
    }
    stack[top++] = ins->a;
  }
  return top;
}

/* The stack holds what waits behind the instructions that are being printed. Those have falling
 * indices along a path through the tape, so each adds its items at most once. */
void cardan__expr_print(const cardan__expr *expr, cardan__text *text)
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  int *stack = cardan__resize(&text->alloc, NULL, ((size_t)expr->nins * 4 + 1) * sizeof stack[0]);
  int top = 0;

  if (!stack) {
    text->failed = true;
    return;
  }
  stack[top++] = expr->nins - 1;
  for (bool first = true; top > 0; first = false) {
    const int i = stack[--top];
    if (i == CLOSE) {
      cardan__text_add(text, ")", 1);
      continue;
    }
    if (!first) {
      cardan__text_add(text, " ", 1);
    }
    switch (tape[i].op) {
    case CARDAN__OP_CONST:
      cardan__text_number(text, tape[i].value);
      break;
    case CARDAN__OP_LEAF:
      print_leaf(expr, tape[i].a, text);
      break;
    case CARDAN__OP_NORM:
      print_distance(expr, i, text);
      break;
    default:
      cardan__text_printf(text, "(%s", word_of[tape[i].op]);
      top = push_operands(tape, i, stack, top);
    }
  }
  cardan__resize(&text->alloc, stack, 0);
}
