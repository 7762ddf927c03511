/* SPDX-License-Identifier: Apache-2.0
 * expr/tape.h - the inside of an expression: a list of instructions, each on earlier results.
 *
 * The block: cardan__expr, then nins instructions, then tables, then nleaf leaves, then the leaves'
 * names.
 * Instructions are in the order in which a walk from the last one first leaves them, operands
 * before their operator and from left to right (the condition of `if` first); equal ones are
 * shared. So two texts with the same meaning up to constant folding give the same bytes. */
#pragma once
#include <math.h>

#include "expr/expr.h"
#include "expr/lookup_table.h"

/* Instruction, word in the model file, number of operands. NORM is the square root of `dist`, with
 * slope 0 at 0; POWC is ^ with a constant exponent, and not differentiated by it. */
#define CARDAN__OP_LIST(X) \
  X(CONST, "", 0)          \
  X(LEAF, "", 0)           \
  X(NEG, "-", 1)           \
  X(SIN, "sin", 1)         \
  X(COS, "cos", 1)         \
  X(TAN, "tan", 1)         \
  X(ASIN, "asin", 1)       \
  X(ACOS, "acos", 1)       \
  X(ATAN, "atan", 1)       \
  X(SINH, "sinh", 1)       \
  X(COSH, "cosh", 1)       \
  X(TANH, "tanh", 1)       \
  X(EXP, "exp", 1)         \
  X(LOG, "log", 1)         \
  X(SQRT, "sqrt", 1)       \
  X(NORM, "dist", 1)       \
  X(ABS, "abs", 1)         \
  X(STEP, "step", 1)       \
  X(TABLE, "table", 1)     \
  X(ADD, "+", 2)           \
  X(SUB, "-", 2)           \
  X(MUL, "*", 2)           \
  X(DIV, "/", 2)           \
  X(MIN, "min", 2)         \
  X(MAX, "max", 2)         \
  X(POW, "^", 2)           \
  X(POWC, "^", 2)          \
  X(ATAN2, "atan2", 2)     \
  X(LT, "<", 2)            \
  X(LE, "<=", 2)           \
  X(SELECT, "if", 3)

typedef enum {
#define CARDAN__OP_ENUM(name, word, noperand) CARDAN__OP_##name,
  CARDAN__OP_LIST(CARDAN__OP_ENUM)
#undef CARDAN__OP_ENUM
} cardan__op;

/* Operand a alone, a and b, or for SELECT a when c is not 0, else b. Unused operands are 0. A CONST
 * that is parameter i has c = i + 1: it is not folded. Of a TABLE, c is where its table stands, in
 * bytes from the block's start. */
typedef struct {
  int op, c;
  union {
    struct {
      int a, b; // earlier instructions; of a LEAF, a is the leaf
    };
    double value; // of a CONST
  };
} cardan__ins;

static inline const cardan__ins *cardan__expr_tape(const cardan__expr *expr)
{
  return (const cardan__ins *)(const void *)(expr + 1);
}

/* The table of a TABLE. */
static inline const cardan__table *cardan__expr_table(const cardan__expr *expr,
                                                      const cardan__ins *ins)
{
  return (const cardan__table *)(const void *)((const char *)expr + ins->c);
}

/* x^y where y often is a small whole number. */
static inline double cardan__real_power(double x, double y)
{
  return y == 2.0 ? x * x : y == 1.0 ? x : y == 3.0 ? x * x * x : pow(x, y);
}

/* Result of an instruction other than CONST, LEAF, TABLE, SELECT on operands x and, if it has two,
 * y. */
static inline double cardan__apply(int op, double x, double y)
{
  // clang-format off
  switch (op) {
  case CARDAN__OP_NEG: return -x;
  case CARDAN__OP_SIN: return sin(x);
  case CARDAN__OP_COS: return cos(x);
  case CARDAN__OP_TAN: return tan(x);
  case CARDAN__OP_ASIN: return asin(x);
  case CARDAN__OP_ACOS: return acos(x);
  case CARDAN__OP_ATAN: return atan(x);
  case CARDAN__OP_SINH: return sinh(x);
  case CARDAN__OP_COSH: return cosh(x);
  case CARDAN__OP_TANH: return tanh(x);
  case CARDAN__OP_EXP: return exp(x);
  case CARDAN__OP_LOG: return log(x);
  case CARDAN__OP_SQRT:
  case CARDAN__OP_NORM: return sqrt(x);
  case CARDAN__OP_ABS: return fabs(x);
  case CARDAN__OP_STEP: return x < 0.0 ? 0.0 : 1.0;
  case CARDAN__OP_ADD: return x + y;
  case CARDAN__OP_SUB: return x - y;
  case CARDAN__OP_MUL: return x * y;
  case CARDAN__OP_DIV: return x / y;
  case CARDAN__OP_MIN: return x < y || isnan(x) ? x : y;
  case CARDAN__OP_MAX: return x >= y || isnan(x) ? x : y;
  case CARDAN__OP_POW:
  case CARDAN__OP_POWC: return cardan__real_power(x, y);
  case CARDAN__OP_ATAN2: return atan2(x, y);
  case CARDAN__OP_LT: return x < y ? 1.0 : 0.0;
  case CARDAN__OP_LE: return x <= y ? 1.0 : 0.0;
  default: return 0.0;
  }
  // clang-format on
}

/* Writes the results of all instructions for leaves x into w (nins). returns the last one */
double cardan__expr_forward(const cardan__expr *expr, const double *x, double *w);

/* The same from instruction `first` on, for w with the results before it. */
double cardan__expr_forward_from(const cardan__expr *expr, int first, const double *x, double *w);

/* The derivative of the result by every instruction, to bar (nins), for the results w. */
void cardan__expr_reverse(const cardan__expr *expr, const double *w, double *bar);
