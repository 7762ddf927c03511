// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "expr/tape.h"

/* One instruction of linear forms: each is a constant and nleaf factors, n doubles; false when the
 * result is none. */
static bool apply(const cardan__ins *ins, const double *form, double *out, int n)
{
  const double *a = form + (ptrdiff_t)ins->a * n, *b = form + (ptrdiff_t)ins->b * n;
  bool a_constant = true, b_constant = true;
  for (int i = 1; i < n && ins->op != CARDAN__OP_CONST && ins->op != CARDAN__OP_LEAF; i++) {
    a_constant = a_constant && a[i] == 0;
    b_constant = b_constant && b[i] == 0;
  }
  for (int i = 0; i < n; i++) {
    switch (ins->op) {
    case CARDAN__OP_CONST:
      out[i] = i == 0 ? ins->value : 0;
      break;
    case CARDAN__OP_LEAF:
      out[i] = i == ins->a + 1;
      break;
    case CARDAN__OP_NEG:
      out[i] = -a[i];
      break;
    case CARDAN__OP_ADD:
      out[i] = a[i] + b[i];
      break;
    case CARDAN__OP_SUB:
      out[i] = a[i] - b[i];
      break;
    case CARDAN__OP_MUL:
      out[i] = a_constant ? a[0] * b[i] : a[i] * b[0];
      break;
    case CARDAN__OP_DIV:
      out[i] = a[i] / b[0];
      break;
    default:
      return false;
    }
  }
  return (ins->op != CARDAN__OP_MUL || a_constant || b_constant) &&
         (ins->op != CARDAN__OP_DIV || b_constant);
}

bool cardan__expr_linear(const cardan__expr *expr, double *work, double *form)
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  const int n = expr->nleaf + 1;
  bool linear = true;
  for (int i = 0; i < expr->nins && linear; i++) {
    linear = apply(&tape[i], work, work + (ptrdiff_t)i * n, n);
  }
  memcpy(form, work + (ptrdiff_t)(expr->nins - 1) * n, (size_t)n * sizeof *form);
  return linear;
}
