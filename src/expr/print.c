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
                        : leaf->kind == CARDAN__LEAF_Z ? 'z'
                                                       : 'u';

  if (leaf->kind == CARDAN__LEAF_T) {
    cardan__text_add(text, "t", 1);
  } else if (leaf->kind == CARDAN__LEAF_PARAMETER) {
    cardan__text_printf(text, "%s", name);
  } else if (leaf->kind == CARDAN__LEAF_SENSE) {
    print_sense(leaf->axis, name, text);
  } else if (leaf->kind == CARDAN__LEAF_TWIST) {
    cardan__text_printf(text, "(%c%c ", "vw"[leaf->axis / 3], "xyz"[leaf->axis % 3]);
    cardan__sexpr_quote(text, name);
    cardan__text_add(text, ")", 1);
  } else if (leaf->kind == CARDAN__LEAF_TURN) {
    cardan__text_printf(text, "(r%c%c ", "xyz"[leaf->axis / 3], "xyz"[leaf->axis % 3]);
    cardan__sexpr_quote(text, name);
    cardan__text_add(text, ")", 1);
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

enum { CLOSE = -1 }; // less: the end of a table, of way CLOSE - item

/* What is printed, and how its shared parts are called. */
typedef struct {
  const cardan__expr *expr;
  cardan__text *text;
  int *stack;      // 4 nins + 1
  int *name;       // nins: number of the part's name, 0: it has none
  int nname;       // parts with a name
  int underscores; // in their names: s1, s_1, ..
} printer;

/* Operands of an instruction that are printed with it. */
static int operands_of(const cardan__ins *ins, int operand[3])
{
  const bool alone = ins->op <= CARDAN__OP_LEAF || ins->op == CARDAN__OP_NORM;
  operand[0] = ins->a;
  operand[1] = ins->b;
  operand[2] = ins->c;
  return alone ? 0 : ins->op == CARDAN__OP_SELECT ? 3 : ins->op >= CARDAN__OP_ADD ? 2 : 1;
}

/* Would the text without names for shared parts be long? It can be exponential in nins. The size of
 * every part, from the first: a double, so that it cannot overflow to something small. */
static bool is_long(const cardan__expr *expr, double *size)
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  int operand[3];

  for (int i = 0; i < expr->nins; i++) {
    size[i] = 1;
    for (int k = operands_of(&tape[i], operand) - 1; k >= 0; k--) {
      size[i] += size[operand[k]];
    }
  }
  return size[expr->nins - 1] > 1000;
}

/* How deep the lists of the part at i are, those of its operands being known; named ones are words.
 * (+ (+ a b) c) is one list. */
static double depth_of(const printer *p, int i, const double *depth)
{
  const cardan__ins *tape = cardan__expr_tape(p->expr);
  int operand[3];
  double most = 0;

  for (int k = operands_of(&tape[i], operand) - 1; k >= 0; k--) {
    const int at = operand[k];
    const bool same_list = k == 0 && is_chain(tape[i].op) && tape[at].op == tape[i].op;
    const double deep = p->name[at] ? 0 : depth[at] + (same_list ? 0 : 1);
    most = deep > most ? deep : most;
  }
  return most;
}

/* Numbers the parts that stand more than once, other than words and distances, and those that would
 * be nested deeper than a reader takes: names may stand for more than lists can. depth: nins. */
static void name_parts(printer *p, double *depth)
{
  enum { DEEP = 1000 };
  const cardan__ins *tape = cardan__expr_tape(p->expr);
  const int n = p->expr->nins;
  int operand[3];

  // how often each stands: what uses an instruction comes after it
  p->name[n - 1] = 1;
  for (int i = n - 1; i >= 0; i--) {
    for (int k = p->name[i] ? operands_of(&tape[i], operand) - 1 : -1; k >= 0; k--) {
      p->name[operand[k]] += p->name[operand[k]] < 2;
    }
  }
  for (int i = 0; i < n; i++) {
    const int stands = p->name[i];
    p->name[i] = 0;
    depth[i] = depth_of(p, i, depth);
    if (tape[i].op > CARDAN__OP_LEAF && i < n - 1 && stands > 0 &&
        (stands > 1 || depth[i] > DEEP)) {
      p->name[i] = ++p->nname;
    }
  }
}

/* A name is not that of a parameter in the expression. */
static bool is_parameter(const cardan__expr *expr, int underscores)
{
  for (int i = 0; i < expr->nleaf; i++) {
    const char *name = cardan__expr_leaf_name(expr, i);
    if (cardan__expr_leaf_at(expr, i)->kind == CARDAN__LEAF_PARAMETER && (name[0] | 0x20) == 's' &&
        strspn(name + 1, "_") == (size_t)underscores) {
      return true;
    }
  }
  return false;
}

static void print_name(const printer *p, int i)
{
  cardan__text_add(p->text, "s", 1);
  for (int k = 0; k < p->underscores; k++) {
    cardan__text_add(p->text, "_", 1);
  }
  cardan__text_printf(p->text, "%d", p->name[i]);
}

/* Puts what is to be printed after "(word" onto the stack, the last first: at most 4 items for each
 * instruction. (+ (+ a b) c) is printed as (+ a b c), so that lists are no deeper than they
 * were. */
static int push_operands(const printer *p, int i, int top)
{
  const cardan__ins *tape = cardan__expr_tape(p->expr), *ins = &tape[i];
  int *stack = p->stack;

  stack[top++] =
      ins->op == CARDAN__OP_TABLE ? CLOSE - cardan__expr_table(p->expr, ins)->way : CLOSE;
  if (is_chain(ins->op)) {
    int left = i;
    for (; tape[left].op == ins->op && (left == i || !p->name[left]); left = tape[left].a) {
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

// what a list ends with; of a table its options
static void print_close(int way, cardan__text *text)
{
  cardan__text_printf(text, "%s%s)", way & CARDAN__TABLE_LINEAR ? " linear" : "",
                      way & CARDAN__TABLE_HOLD ? " hold" : "");
}

static void print_points(const cardan__table *table, cardan__text *text)
{
  const double *x = cardan__table_x(table), *y = x + table->n;

  cardan__text_add(text, " (data", 6);
  for (int k = 0; k < table->n; k++) {
    cardan__text_add(text, " (", 2);
    cardan__text_number(text, x[k]);
    cardan__text_add(text, " ", 1);
    cardan__text_number(text, y[k]);
    cardan__text_add(text, ")", 1);
  }
  cardan__text_add(text, ")", 1);
}

/* Prints the part at an instruction. The stack holds what waits behind the instructions that are
 * being printed. Those have falling indices along a path through the tape, so each adds its items
 * at most once. */
static void print_part(const printer *p, int root)
{
  const cardan__ins *tape = cardan__expr_tape(p->expr);
  cardan__text *text = p->text;
  int top = 0;

  p->stack[top++] = root;
  for (bool first = true; top > 0; first = false) {
    const int i = p->stack[--top];
    if (i <= CLOSE) {
      print_close(CLOSE - i, text);
      continue;
    }
    if (!first) {
      cardan__text_add(text, " ", 1);
    }
    if (p->name[i] && i != root) {
      print_name(p, i);
      continue;
    }
    switch (tape[i].op) {
    case CARDAN__OP_CONST:
      cardan__text_number(text, tape[i].value);
      break;
    case CARDAN__OP_LEAF:
      print_leaf(p->expr, tape[i].a, text);
      break;
    case CARDAN__OP_NORM:
      print_distance(p->expr, i, text);
      break;
    default:
      cardan__text_printf(text, "(%s", word_of[tape[i].op]);
      if (tape[i].op == CARDAN__OP_TABLE) {
        print_points(cardan__expr_table(p->expr, &tape[i]), text);
      }
      top = push_operands(p, i, top);
    }
  }
}

void cardan__expr_print(const cardan__expr *expr, cardan__text *text)
{
  const size_t n = (size_t)expr->nins;
  const cardan_allocator *alloc = &text->alloc;
  double *memory = cardan__resize(alloc, NULL, n * sizeof(double) + (5 * n + 1) * sizeof(int));
  printer p = {.expr = expr, .text = text, .stack = (int *)(void *)(memory + n)};

  if (!memory) {
    text->failed = true;
    return;
  }
  p.name = p.stack + 4 * n + 1;
  memset(p.name, 0, n * sizeof p.name[0]);
  if (is_long(expr, memory)) {
    name_parts(&p, memory);
    while (is_parameter(expr, p.underscores)) {
      p.underscores++;
    }
  }
  // (let ((s1 ..) (s2 ..)) ..): each part may use those before it
  for (int i = 0; i < expr->nins && p.nname > 0; i++) {
    if (p.name[i]) {
      cardan__text_printf(text, p.name[i] == 1 ? "(let ((" : " (");
      print_name(&p, i);
      cardan__text_add(text, " ", 1);
      print_part(&p, i);
      cardan__text_add(text, p.name[i] == p.nname ? ")) " : ")", p.name[i] == p.nname ? 3 : 1);
    }
  }
  print_part(&p, expr->nins - 1);
  cardan__text_add(text, ")", p.nname > 0);
  cardan__resize(alloc, memory, 0);
}
