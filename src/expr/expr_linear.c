// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

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

enum { FREE = 1, LINEAR = 2, MORE = 4 };

/* The product of two parts. */
static int multiply(int a, int b)
{
  const int free = a & FREE && b & FREE ? FREE : 0;
  const int linear = (a & LINEAR && b & FREE) || (a & FREE && b & LINEAR) ? LINEAR : 0;
  return a & LINEAR && b & LINEAR ? MORE : free | linear;
}

/* Which parts an instruction has, from those before it. */
static int parts_of(const cardan__expr *expr, int i, unsigned kinds, const unsigned char *parts)
{
  const cardan__ins *ins = &cardan__expr_tape(expr)[i];
  if (ins->op == CARDAN__OP_CONST) {
    return ins->value == 0.0 && ins->c == 0 ? 0 : FREE;
  }
  if (ins->op == CARDAN__OP_LEAF) {
    return kinds >> cardan__expr_leaf_at(expr, ins->a)->kind & 1U ? LINEAR : FREE;
  }
  const int a = parts[ins->a], b = ins->op >= CARDAN__OP_ADD ? parts[ins->b] : 0;
  switch (ins->op) {
  case CARDAN__OP_NEG:
    return a;
  case CARDAN__OP_ADD:
  case CARDAN__OP_SUB:
    return a | b;
  case CARDAN__OP_MUL:
    return multiply(a, b);
  case CARDAN__OP_DIV:
    return b & LINEAR ? MORE : a;
  case CARDAN__OP_SELECT:
    return parts[ins->c] & LINEAR ? MORE : a | b;
  default:
    return (a | b) & LINEAR ? MORE : FREE;
  }
}

int cardan__expr_nonlinear(const cardan__expr *expr, unsigned kinds, unsigned char *work,
                           bool *linear, bool *affine)
{
  for (int i = 0; i < expr->nins; i++) {
    work[i] = (unsigned char)parts_of(expr, i, kinds, work);
    if (work[i] & MORE) {
      return i;
    }
  }
  *linear = work[expr->nins - 1] & LINEAR;
  *affine = work[expr->nins - 1] & FREE;
  return -1;
}

void cardan__expr_print_part(const cardan__expr *expr, int part, cardan__text *text)
{
  cardan__expr *copy = cardan__resize(&text->alloc, NULL, cardan__expr_size(expr));
  if (copy == NULL) {
    text->failed = true;
    return;
  }
  cardan__expr_copy(expr, copy);
  copy->nins = part + 1; // what comes behind is not reached from it
  cardan__expr_print(copy, text);
  cardan__resize(&text->alloc, copy, 0);
}
