/* SPDX-License-Identifier: Apache-2.0
 * expr/parse_table.h - reads (table source x option ..) as far as it is no expression. */
#pragma once
#include "expr/expr.h"
#include "expr/lookup_table.h"

/* The table of the form at a node, from a file by the scope or from (data (x y) ..).
 * out       to be given back by cardan__resize(alloc, table, 0); NULL after a failure
 * argument  out: node of the expression that it is a function of
 * returns   CARDAN_ERR_MODEL with a report, unless the scope has reported it, or
 *           CARDAN_ERR_MEMORY */
cardan_status cardan__table_parse(const cardan__sexpr *tree, int node,
                                  const cardan__expr_scope *scope, const cardan_allocator *alloc,
                                  cardan_report *report, cardan__table **out,
                                  int *argument) CARDAN_MUST_USE;
