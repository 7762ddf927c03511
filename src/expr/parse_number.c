// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/arena.h"
#include "expr/expr.h"

/* Numbers of a model file: expressions over constants and parameters. */

/* Is the node the name of a constant, and of no parameter? Then nothing has to be built. */
static bool is_named(const cardan__sexpr *tree, int node, const cardan__expr_scope *scope,
                     double *value)
{
  const char *word = cardan__sexpr_text(tree, node);
  const size_t length = (size_t)tree->nodes[node].count;
  double found;
  if (tree->nodes[node].kind != CARDAN__SEXPR_SYMBOL || cardan__expr_reserved(word) ||
      (scope->parameter && scope->parameter(scope->context, word, length)) || !scope->constant ||
      !scope->constant(scope->context, word, length, &found) || !isfinite(found)) {
    return false;
  }
  *value = found;
  return true;
}

cardan_status cardan__expr_number(const cardan__sexpr *tree, int node,
                                  const cardan__expr_scope *scope, const cardan_allocator *alloc,
                                  cardan_report *report, double *value, cardan__expr **living)
{
  cardan__expr_scope constants = *scope;
  cardan__expr *expr;

  if (living) {
    *living = NULL;
  }
  // by far the most are written out
  if (tree->nodes[node].kind == CARDAN__SEXPR_NUMBER) {
    *value = tree->nodes[node].number;
    return CARDAN_OK;
  }
  if (is_named(tree, node, scope, value)) {
    return CARDAN_OK;
  }
  constants.leaves = CARDAN__LEAVES_NONE;
  cardan_status status = cardan__expr_parse(tree, node, &constants, alloc, report, &expr);
  if (status == CARDAN_OK) {
    cardan__expr_is_constant(expr, value);
    cardan__resize(alloc, expr, 0);
  }
  if (status == CARDAN_OK && living && scope->parameter) {
    constants.leaves = CARDAN__LEAVES_PARAMETER;
    status = cardan__expr_parse(tree, node, &constants, alloc, report, living);
    if (status == CARDAN_OK && (*living)->nleaf == 0) {
      cardan__resize(alloc, *living, 0);
      *living = NULL;
    }
  }
  return status;
}
