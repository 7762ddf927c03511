// SPDX-License-Identifier: Apache-2.0
#include "expr/expr_build.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"

static const unsigned char operands_of[] = {
#define CARDAN__OP_OPERANDS(name, word, noperand) noperand,
    CARDAN__OP_LIST(CARDAN__OP_OPERANDS)
#undef CARDAN__OP_OPERANDS
};

// smallest power of two that leaves half of the slots empty
static size_t slots_for(size_t n)
{
  size_t slots = 4;

  while (slots < 2 * n) {
    slots *= 2;
  }
  return slots;
}

static void lay_out(cardan__builder *b, cardan__carver *c, size_t max_ins, size_t max_name)
{
  b->ins = cardan__carve(c, max_ins, sizeof b->ins[0]);
  b->pos = cardan__carve(c, max_ins, sizeof b->pos[0]);
  b->number = cardan__carve(c, max_ins, sizeof b->number[0]);
  b->stack = cardan__carve(c, max_ins, sizeof b->stack[0]);
  b->ins_slot = cardan__carve(c, slots_for(max_ins), sizeof b->ins_slot[0]);
  b->name = cardan__carve(c, max_name, sizeof b->name[0]);
  b->name_slot = cardan__carve(c, slots_for(max_name), sizeof b->name_slot[0]);
}

cardan_status cardan__builder_init(cardan__builder *b, const cardan_allocator *alloc,
                                   size_t max_ins, size_t max_name)
{
  cardan__carver c = {0};

  *b = (cardan__builder){.alloc = alloc, .max_ins = (int)max_ins};
  if (max_ins > INT_MAX / sizeof(cardan__ins) || max_name > INT_MAX / sizeof(cardan__span)) {
    return CARDAN_ERR_MEMORY;
  }
  lay_out(b, &c, max_ins, max_name);
  const size_t size = cardan__carver_size(&c);
  b->memory = size > 0 ? cardan__resize(alloc, NULL, size) : NULL;
  if (!b->memory) {
    return CARDAN_ERR_MEMORY;
  }
  c = cardan__carver_over(b->memory);
  lay_out(b, &c, max_ins, max_name);
  b->ins_mask = (unsigned)slots_for(max_ins) - 1;
  b->name_mask = (unsigned)slots_for(max_name) - 1;
  memset(b->ins_slot, -1, slots_for(max_ins) * sizeof b->ins_slot[0]);
  memset(b->name_slot, -1, slots_for(max_name) * sizeof b->name_slot[0]);
  return CARDAN_OK;
}

void cardan__builder_free(cardan__builder *b)
{
  for (int i = 0; i < b->ntable; i++) {
    cardan__resize(b->alloc, b->table[i].table, 0);
  }
  cardan__resize(b->alloc, b->table, 0);
  cardan__resize(b->alloc, b->memory, 0);
  *b = (cardan__builder){0};
}

// mixes 64 bits into a hash; the odd factor is 2^64 over the golden ratio
static uint64_t mix(uint64_t hash, uint64_t bits)
{
  hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ (hash >> 32);
}

// index of an instruction equal to ins, bit for bit, which is added if there is none
static int intern(cardan__builder *b, const cardan__ins *ins, cardan_pos pos)
{
  uint64_t part[2], other[2];

  _Static_assert(sizeof part == sizeof *ins, "an instruction is two words without gaps");
  memcpy(part, ins, sizeof part);
  unsigned i = (unsigned)mix(mix(0, part[0]), part[1]) & b->ins_mask;
  for (; b->ins_slot[i] >= 0; i = (i + 1) & b->ins_mask) {
    memcpy(other, &b->ins[b->ins_slot[i]], sizeof other);
    if (part[0] == other[0] && part[1] == other[1]) {
      return b->ins_slot[i];
    }
  }
  CARDAN_ASSERT(b->nins < b->max_ins);
  b->ins_slot[i] = b->nins;
  b->ins[b->nins] = *ins;
  b->pos[b->nins] = pos;
  return b->nins++;
}

static int intern_name(cardan__builder *b, cardan__span name)
{
  uint64_t hash = 0;

  for (int i = 0; i < name.length; i++) {
    hash = mix(hash, (unsigned char)name.text[i]);
  }
  unsigned i = (unsigned)mix(hash, (uint64_t)name.length) & b->name_mask;
  for (; b->name_slot[i] >= 0; i = (i + 1) & b->name_mask) {
    const cardan__span *other = &b->name[b->name_slot[i]];
    if (other->length == name.length && memcmp(other->text, name.text, (size_t)name.length) == 0) {
      return b->name_slot[i];
    }
  }
  b->name_slot[i] = b->nname;
  b->name[b->nname] = name;
  return b->nname++;
}

int cardan__build_const(cardan__builder *b, double value, cardan_pos pos)
{
  const cardan__ins ins = {.op = CARDAN__OP_CONST, .value = value};
  return intern(b, &ins, pos);
}

int cardan__build_leaf(cardan__builder *b, cardan__leaf_kind kind, int axis, cardan__span name,
                       cardan_pos pos)
{
  const cardan__ins ins = {
      .op = CARDAN__OP_LEAF, .c = axis, .a = intern_name(b, name), .b = (int)kind};
  return intern(b, &ins, pos);
}

static bool is_const(const cardan__builder *b, int i)
{
  return b->ins[i].op == CARDAN__OP_CONST;
}

static bool is_value(const cardan__builder *b, int i, double value)
{
  return is_const(b, i) && b->ins[i].value == value;
}

// are all operands constants? such an instruction is only kept where its result is not finite
static bool is_closed(const cardan__builder *b, const cardan__ins *ins)
{
  return (operands_of[ins->op] == 1 && is_const(b, ins->a)) ||
         (operands_of[ins->op] == 2 && is_const(b, ins->a) && is_const(b, ins->b));
}

int cardan__build(cardan__builder *b, cardan__op op, int x, int y, int c, cardan_pos pos)
{
  cardan__ins ins = {.op = (int)op, .c = c, .a = x, .b = y};

  // a known condition leaves one branch; what neutral elements do not change
  if (op == CARDAN__OP_SELECT && is_const(b, c)) {
    return is_value(b, c, 0.0) ? y : x;
  }
  if (((op == CARDAN__OP_ADD || op == CARDAN__OP_SUB) && is_value(b, y, 0.0)) ||
      ((op == CARDAN__OP_MUL || op == CARDAN__OP_DIV) && is_value(b, y, 1.0))) {
    return x;
  }
  if ((op == CARDAN__OP_ADD && is_value(b, x, 0.0)) ||
      (op == CARDAN__OP_MUL && is_value(b, x, 1.0))) {
    return y;
  }
  if (op == CARDAN__OP_POW && is_const(b, y)) {
    ins.op = CARDAN__OP_POWC;
  }
  if (is_closed(b, &ins)) {
    const double second = operands_of[ins.op] == 2 ? b->ins[y].value : 0.0;
    const double value = cardan__apply(ins.op, b->ins[x].value, second);
    if (isfinite(value)) {
      return cardan__build_const(b, value, pos);
    }
  }
  return intern(b, &ins, pos);
}

// number of a table with the same points and way, -1: there is none
static int find_table(const cardan__builder *b, const cardan__table *table)
{
  int i = b->ntable - 1;
  while (i >= 0 && (b->table[i].table->n != table->n ||
                    memcmp(b->table[i].table, table, cardan__table_size(table->n)) != 0)) {
    i--;
  }
  return i;
}

cardan_status cardan__build_table(cardan__builder *b, cardan__table *table, int x, cardan_pos pos,
                                  int *out)
{
  int which = find_table(b, table);
  if (which >= 0) {
    cardan__resize(b->alloc, table, 0);
  } else if (cardan__grow(b->alloc, (void **)&b->table, &b->cap_table, b->ntable + 1,
                          sizeof(cardan__built_table)) != CARDAN_OK) {
    cardan__resize(b->alloc, table, 0);
    return CARDAN_ERR_MEMORY;
  } else {
    which = b->ntable++;
    b->table[which] = (cardan__built_table){table, -1};
  }
  double f[3];
  if (is_const(b, x)) {
    cardan__table_at(b->table[which].table, b->ins[x].value, f);
    if (isfinite(f[0])) {
      *out = cardan__build_const(b, f[0], pos);
      return CARDAN_OK;
    }
  }
  const cardan__ins ins = {.op = CARDAN__OP_TABLE, .c = which, .a = x};
  *out = intern(b, &ins, pos);
  return CARDAN_OK;
}

/* Numbers what root needs in the order described in tape.h; b->stack gets the instructions in that
 * order. A walk with its own stack, which grows down from the end of b->stack: at any time the
 * numbered instructions and those waiting are different ones, so that both have room.
 * returns their count */
static int number_needed(cardan__builder *b, int root)
{
  int n = 0, top = b->max_ins;

  memset(b->number, -1, (size_t)b->nins * sizeof b->number[0]);
  b->stack[--top] = root;
  while (top < b->max_ins) {
    const int i = b->stack[top];
    const cardan__ins *ins = &b->ins[i];
    const int noperand = operands_of[ins->op];
    const int order[3] = {ins->c, ins->a, ins->b};
    int next = -1;

    for (int k = noperand == 3 ? 0 : 1; k < (noperand == 1 ? 2 : noperand == 0 ? 0 : 3); k++) {
      if (b->number[order[k]] < 0) {
        next = order[k];
        break;
      }
    }
    if (next >= 0) {
      b->stack[--top] = next;
    } else {
      top++;
      b->number[i] = n;
      b->stack[n++] = i;
    }
  }
  return n;
}

// sizes of the finished block; the leaves' names with a NUL each
static void count_leaves(const cardan__builder *b, int n, int *nleaf, size_t *text)
{
  *nleaf = 0;
  *text = 0;
  for (int i = 0; i < n; i++) {
    const cardan__ins *ins = &b->ins[b->stack[i]];
    if (ins->op == CARDAN__OP_LEAF) {
      *nleaf += 1;
      *text += (size_t)b->name[ins->a].length + 1;
    }
  }
}

// bytes of the tables that are needed, and where each stands: from `start` on, in their order
static size_t place_tables(cardan__builder *b, int n, size_t start)
{
  size_t size = 0;

  for (int i = 0; i < n; i++) {
    const cardan__ins *ins = &b->ins[b->stack[i]];
    if (ins->op == CARDAN__OP_TABLE && b->table[ins->c].at < 0 && start + size < INT_MAX) {
      b->table[ins->c].at = (int)(start + size);
      size += cardan__table_size(b->table[ins->c].table->n);
    }
  }
  return size;
}

// copies the tables, and n needed instructions, their leaves and names into the block
static void write_block(const cardan__builder *b, int n, cardan__expr *expr)
{
  cardan__ins *tape = (cardan__ins *)(void *)(expr + 1);
  cardan__expr_leaf *leaf = (cardan__expr_leaf *)(void *)((char *)expr + expr->leaf);
  char *text = (char *)expr + expr->text;
  int nleaf = 0, used = 0;

  for (int i = 0; i < b->ntable; i++) {
    if (b->table[i].at >= 0) {
      memcpy((char *)expr + b->table[i].at, b->table[i].table,
             cardan__table_size(b->table[i].table->n));
    }
  }
  for (int i = 0; i < n; i++) {
    cardan__ins ins = b->ins[b->stack[i]];
    if (ins.op == CARDAN__OP_LEAF) {
      const cardan__span *name = &b->name[ins.a];
      leaf[nleaf] = (cardan__expr_leaf){ins.b, ins.c, used, b->pos[b->stack[i]]};
      expr->uses |= 1u << ins.b;
      memcpy(text + used, name->text, (size_t)name->length);
      text[used + name->length] = '\0';
      used += name->length + 1;
      ins = (cardan__ins){.op = CARDAN__OP_LEAF, .a = nleaf++};
    } else if (ins.op != CARDAN__OP_CONST) {
      const int noperand = operands_of[ins.op];
      ins.a = b->number[ins.a];
      ins.b = noperand > 1 ? b->number[ins.b] : 0;
      ins.c = ins.op == CARDAN__OP_TABLE ? b->table[ins.c].at : noperand > 2 ? b->number[ins.c] : 0;
    }
    tape[i] = ins;
  }
}

cardan_status cardan__builder_finish(cardan__builder *b, int root, cardan_report *report,
                                     cardan__expr **out)
{
  const int n = number_needed(b, root);
  int nleaf;
  size_t text;

  for (int i = 0; i < n; i++) {
    const cardan__ins *ins = &b->ins[b->stack[i]];
    if (is_closed(b, ins) || (ins->op == CARDAN__OP_CONST && !isfinite(ins->value))) {
      return cardan_fail(
          report, CARDAN_ERR_MODEL, b->pos[b->stack[i]],
          "this expression is not finite: it divides by zero, overflows, or leaves the "
          "range of a function");
    }
  }
  count_leaves(b, n, &nleaf, &text);
  const size_t tables_at = sizeof(cardan__expr) + (size_t)n * sizeof(cardan__ins);
  const size_t tables = place_tables(b, n, tables_at), leaf_at = tables_at + tables;
  const size_t text_at = leaf_at + (size_t)nleaf * sizeof(cardan__expr_leaf);
  const size_t size = (text_at + text + 7) / 8 * 8;
  cardan__expr *expr = size < INT_MAX ? cardan__resize(b->alloc, NULL, size) : NULL;
  if (!expr) {
    return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0},
                       "out of memory for an expression");
  }
  memset(expr, 0, size);
  *expr = (cardan__expr){(int)size, n, nleaf, 0, (int)leaf_at, (int)text_at, (int)tables, 0};
  write_block(b, n, expr);
  *out = expr;
  return CARDAN_OK;
}
