// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "expr/tape.h"

double cardan__expr_forward_from(const cardan__expr *expr, int first, const double *x, double *w)
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  const int n = expr->nins;

  for (int i = first; i < n; i++) {
    const cardan__ins *ins = &tape[i];
    switch (ins->op) {
    case CARDAN__OP_CONST:
      w[i] = ins->value;
      break;
    case CARDAN__OP_LEAF:
      w[i] = x[ins->a];
      break;
    case CARDAN__OP_TABLE: {
      double f[3];
      cardan__table_at(cardan__expr_table(expr, ins), w[ins->a], f);
      w[i] = f[0];
      break;
    }
    case CARDAN__OP_SELECT:
      w[i] = w[ins->c] != 0.0 ? w[ins->a] : w[ins->b];
      break;
    default:
      w[i] = cardan__apply(ins->op, w[ins->a], w[ins->b]);
    }
  }
  return w[n - 1];
}

double cardan__expr_forward(const cardan__expr *expr, const double *x, double *w)
{
  return cardan__expr_forward_from(expr, 0, x, w);
}

double cardan__expr_value(const cardan__expr *expr, const double *x, double *work)
{
  return cardan__expr_forward(expr, x, work);
}

size_t cardan__expr_size(const cardan__expr *expr)
{
  return (size_t)expr->size;
}

cardan__expr *cardan__expr_copy(const cardan__expr *expr, void *memory)
{
  return memcpy(memory, expr, cardan__expr_size(expr));
}

const cardan__expr_leaf *cardan__expr_leaf_at(const cardan__expr *expr, int i)
{
  return (const cardan__expr_leaf *)(const void *)((const char *)expr + expr->leaf) + i;
}

const char *cardan__expr_leaf_name(const cardan__expr *expr, int i)
{
  return (const char *)expr + expr->text + cardan__expr_leaf_at(expr, i)->name;
}

bool cardan__expr_is_constant(const cardan__expr *expr, double *value)
{
  // constants are folded, so nothing else can be left over
  if (expr->nleaf > 0) {
    return false;
  }
  if (value) {
    *value = cardan__expr_tape(expr)[expr->nins - 1].value;
  }
  return true;
}

bool cardan__expr_equal(const cardan__expr *a, const cardan__expr *b)
{
  // instructions, and tables behind them
  const size_t size = (size_t)a->nins * sizeof(cardan__ins) + (size_t)a->tables;
  if (a->nins != b->nins || a->nleaf != b->nleaf || a->tables != b->tables ||
      memcmp(cardan__expr_tape(a), cardan__expr_tape(b), size) != 0) {
    return false;
  }
  for (int i = 0; i < a->nleaf; i++) {
    const cardan__expr_leaf *p = cardan__expr_leaf_at(a, i), *q = cardan__expr_leaf_at(b, i);
    if (p->kind != q->kind || p->axis != q->axis ||
        strcmp(cardan__expr_leaf_name(a, i), cardan__expr_leaf_name(b, i)) != 0) {
      return false;
    }
  }
  return true;
}

void cardan__expr_fix(cardan__expr *expr, int (*number)(const void *context, const char *name),
                      const void *context, const double *parameter)
{
  cardan__ins *tape = (cardan__ins *)(void *)(expr + 1);
  cardan__expr_leaf *leaf = (cardan__expr_leaf *)(void *)((char *)expr + expr->leaf);
  int left = 0;

  if (!(expr->uses & CARDAN__LEAVES_PARAMETER)) {
    return;
  }
  // leaves are in the order of their instructions, one each
  for (int i = 0, k = 0; i < expr->nins; i++) {
    if (tape[i].op != CARDAN__OP_LEAF) {
      continue;
    }
    if (leaf[k].kind == CARDAN__LEAF_PARAMETER) {
      const int n = number(context, (const char *)expr + expr->text + leaf[k].name);
      tape[i] = (cardan__ins){.op = CARDAN__OP_CONST, .c = n + 1, .value = parameter[n]};
    } else {
      tape[i].a = left;
      leaf[left++] = leaf[k];
    }
    k++;
  }
  expr->nleaf = left;
  expr->uses &= ~(unsigned)CARDAN__LEAVES_PARAMETER;
}

bool cardan__expr_tune(cardan__expr *expr, const double *parameter)
{
  cardan__ins *tape = (cardan__ins *)(void *)(expr + 1);
  bool changed = false;

  for (int i = 0; i < expr->nins; i++) {
    if (tape[i].op == CARDAN__OP_CONST && tape[i].c > 0) {
      changed = changed || tape[i].value != parameter[tape[i].c - 1];
      tape[i].value = parameter[tape[i].c - 1];
    }
  }
  return changed;
}

bool cardan__expr_uses(const cardan__expr *expr, const double *rate)
{
  const cardan__ins *tape = cardan__expr_tape(expr);

  for (int i = 0; i < expr->nins; i++) {
    if (tape[i].op == CARDAN__OP_CONST && tape[i].c > 0 && rate[tape[i].c - 1] != 0.0) {
      return true;
    }
  }
  return false;
}
