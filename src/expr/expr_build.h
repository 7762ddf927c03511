/* SPDX-License-Identifier: Apache-2.0
 * expr/expr_build.h - makes a tape, instruction by instruction, folding constants and sharing
 * equals.
 *
 * All memory of a builder is one scratch block, sized beforehand, so that only its creation and the
 * finished expression can run out of memory. */
#pragma once
#include "expr/tape.h"

/* A name in the tree's text. */
typedef struct {
  const char *text;
  int length;
} cardan__span;

/* A table, which is the builder's, and where it is in the finished block, -1: it does not. */
typedef struct {
  cardan__table *table;
  int at;
} cardan__built_table;

typedef struct {
  const cardan_allocator *alloc;
  void *memory;
  cardan__ins *ins; // operands and operators; of a LEAF: a = name, b = kind, c = axis
  cardan_pos *pos;  // where each was read
  int nins, max_ins;
  cardan__span *name; // names, no two the same
  int nname;
  int *ins_slot, *name_slot;    // hash tables of indices, -1: empty
  unsigned ins_mask, name_mask; // their sizes, powers of two, less 1
  int *number;                  // of an instruction in the finished tape, -1: not in it
  int *stack;                   // of max_ins
  cardan__built_table *table;
  int ntable, cap_table;
} cardan__builder;

/* Makes room for max_ins instructions and max_name names.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__builder_init(cardan__builder *b, const cardan_allocator *alloc,
                                   size_t max_ins, size_t max_name) CARDAN_MUST_USE;
void cardan__builder_free(cardan__builder *b);

/* Each returns the index of an instruction with the wanted result, new or not. */
int cardan__build_const(cardan__builder *b, double value, cardan_pos pos);
int cardan__build_leaf(cardan__builder *b, cardan__leaf_kind kind, int axis, cardan__span name,
                       cardan_pos pos);
int cardan__build(cardan__builder *b, cardan__op op, int x, int y, int c, cardan_pos pos);

/* A table's value at x. The table is the builder's from then on, or given back.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__build_table(cardan__builder *b, cardan__table *table, int x, cardan_pos pos,
                                  int *out) CARDAN_MUST_USE;

/* Writes what `root` needs as an expression.
 * returns CARDAN_ERR_MODEL when a part over constants alone is not finite, at its place */
cardan_status cardan__builder_finish(cardan__builder *b, int root, cardan_report *report,
                                     cardan__expr **out) CARDAN_MUST_USE;
