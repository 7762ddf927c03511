// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "expr/tape.h"

/* Derivatives of a tape f_i = op(f_a, f_b), exact to rounding.
 *
 * With the partial derivatives of one instruction, written d_a, d_b and d_aa, d_ab, d_bb, and a bar
 * for the derivative of the result E by an instruction, a dot for a direction in the leaves:
 *
 *   reverse         bar a   += d_a bar i                                                 (E1)
 *   forward         dot i    = d_a dot a + d_b dot b                                      (E2)
 *   its reverse     bardot a += d_a bardot i + (d_aa dot a + d_ab dot b) bar i            (E3)
 *   along time      i''      = d_a a'' + d_b b'' + d_aa a'^2 + 2 d_ab a' b' + d_bb b'^2   (E4)
 *
 * and the same with a and b exchanged [1]. A gradient costs a few values, whatever the number of
 * leaves; a Hessian a few gradients per leaf, by (E2) and (E3) for each unit direction.
 * [1] A. Griewank, A. Walther, Evaluating Derivatives, 2nd ed., SIAM 2008.
 *
 * A factor of 0 makes a product 0 here, even where the other factor is infinite or undefined: what
 * is not part of the branch taken then stays out of the result. */

typedef struct {
  double a, b;       // d_a, d_b
  double aa, ab, bb; // d_aa, d_ab, d_bb
} partials;

static inline double times(double x, double y)
{
  return x == 0.0 || y == 0.0 ? 0.0 : x * y;
}

// first derivatives of an instruction f = op(x, y), for the results w
static inline void first_partials(const cardan__expr *expr, const cardan__ins *ins, const double *w,
                                  double f, partials *d)
{
  const double x = w[ins->a], y = w[ins->b];
  double r, g[3];

  d->a = d->b = 0.0;
  // clang-format off
  switch (ins->op) {
  case CARDAN__OP_NEG: d->a = -1.0; break;
  case CARDAN__OP_SIN: d->a = cos(x); break;
  case CARDAN__OP_COS: d->a = -sin(x); break;
  case CARDAN__OP_TAN: d->a = 1.0 + f * f; break;
  case CARDAN__OP_ASIN: d->a = 1.0 / sqrt((1.0 - x) * (1.0 + x)); break;
  case CARDAN__OP_ACOS: d->a = -1.0 / sqrt((1.0 - x) * (1.0 + x)); break;
  case CARDAN__OP_ATAN: d->a = 1.0 / (1.0 + x * x); break;
  case CARDAN__OP_SINH: d->a = cosh(x); break;
  case CARDAN__OP_COSH: d->a = sinh(x); break;
  case CARDAN__OP_TANH: // 1 - f^2 would cancel
    r = cosh(x);
    d->a = 1.0 / (r * r);
    break;
  case CARDAN__OP_EXP: d->a = f; break;
  case CARDAN__OP_LOG: d->a = 1.0 / x; break;
  case CARDAN__OP_SQRT: d->a = 0.5 / f; break;
  case CARDAN__OP_NORM: d->a = f > 0.0 ? 0.5 / f : 0.0; break;
  case CARDAN__OP_ABS: d->a = x < 0.0 ? -1.0 : 1.0; break;
  case CARDAN__OP_ADD: d->a = d->b = 1.0; break;
  case CARDAN__OP_SUB:
    d->a = 1.0;
    d->b = -1.0;
    break;
  case CARDAN__OP_MUL:
    d->a = y;
    d->b = x;
    break;
  case CARDAN__OP_DIV:
    d->a = 1.0 / y;
    d->b = -f / y;
    break;
  case CARDAN__OP_MIN: *(x < y ? &d->a : &d->b) = 1.0; break;
  case CARDAN__OP_MAX: *(x >= y ? &d->a : &d->b) = 1.0; break;
  case CARDAN__OP_POW:
    d->b = times(f, log(x)); // fall through
  case CARDAN__OP_POWC: d->a = times(y, cardan__real_power(x, y - 1.0)); break;
  case CARDAN__OP_ATAN2:
    r = x * x + y * y;
    d->a = y / r;
    d->b = -x / r;
    break;
  case CARDAN__OP_TABLE:
    cardan__table_at(cardan__expr_table(expr, ins), x, g);
    d->a = g[1];
    break;
  case CARDAN__OP_SELECT: *(w[ins->c] != 0.0 ? &d->a : &d->b) = 1.0; break;
  default: break; // STEP, LT, LE are flat
  }
  // clang-format on
}

// second derivatives, for d with the first ones
static inline void second_partials(const cardan__expr *expr, const cardan__ins *ins,
                                   const double *w, double f, partials *d)
{
  const double x = w[ins->a], y = w[ins->b];
  double r, g[3];

  d->aa = d->ab = d->bb = 0.0;
  // clang-format off
  switch (ins->op) {
  case CARDAN__OP_SIN:
  case CARDAN__OP_COS: d->aa = -f; break;
  case CARDAN__OP_TAN: d->aa = 2.0 * f * d->a; break;
  case CARDAN__OP_ASIN:
  case CARDAN__OP_ACOS: d->aa = x * d->a * d->a * d->a; break;
  case CARDAN__OP_ATAN: d->aa = -2.0 * x * d->a * d->a; break;
  case CARDAN__OP_SINH:
  case CARDAN__OP_COSH:
  case CARDAN__OP_EXP: d->aa = f; break;
  case CARDAN__OP_TANH: d->aa = -2.0 * f * d->a; break;
  case CARDAN__OP_LOG: d->aa = -d->a * d->a; break;
  case CARDAN__OP_SQRT:
  case CARDAN__OP_NORM: d->aa = times(-0.5 / x, d->a); break;
  case CARDAN__OP_MUL: d->ab = 1.0; break;
  case CARDAN__OP_DIV:
    d->ab = -d->a * d->a;
    d->bb = 2.0 * f * d->a * d->a;
    break;
  case CARDAN__OP_POW:
    r = log(x);
    d->ab = cardan__real_power(x, y - 1.0) + times(d->a, r);
    d->bb = times(times(f, r), r); // fall through
  case CARDAN__OP_POWC: d->aa = times(y * (y - 1.0), cardan__real_power(x, y - 2.0)); break;
  case CARDAN__OP_TABLE:
    cardan__table_at(cardan__expr_table(expr, ins), x, g);
    d->aa = g[2];
    break;
  case CARDAN__OP_ATAN2:
    d->aa = -2.0 * d->a * -d->b;
    d->ab = (d->b + d->a) * (d->b - d->a);
    d->bb = -d->aa;
    break;
  default: break;
  }
  // clang-format on
}

void cardan__expr_reverse(const cardan__expr *expr, const double *w, double *bar)
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  partials d;

  memset(bar, 0, (size_t)expr->nins * sizeof bar[0]);
  bar[expr->nins - 1] = 1.0;
  for (int i = expr->nins - 1; i >= 0; i--) {
    const cardan__ins *ins = &tape[i];
    if (ins->op <= CARDAN__OP_LEAF || bar[i] == 0.0) {
      continue;
    }
    first_partials(expr, ins, w, w[i], &d);
    bar[ins->a] += times(d.a, bar[i]); // (E1)
    bar[ins->b] += times(d.b, bar[i]);
  }
}

double cardan__expr_gradient(const cardan__expr *expr, const double *x, double *work, double *g)
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  double *bar = work + expr->nins;
  const double E = cardan__expr_forward(expr, x, work);

  cardan__expr_reverse(expr, work, bar);
  for (int i = 0; i < expr->nins; i++) {
    if (tape[i].op == CARDAN__OP_LEAF) {
      g[tape[i].a] = bar[i];
    }
  }
  return E;
}

bool cardan__expr_beyond(const cardan__expr *expr, const double *leaf, double *work, double *x,
                         double *end)
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  const double *w = work, *bar = work + expr->nins;

  if (expr->tables == 0) {
    return false;
  }
  cardan__expr_forward(expr, leaf, work);
  cardan__expr_reverse(expr, work, work + expr->nins);
  for (int i = 0; i < expr->nins; i++) {
    if (tape[i].op != CARDAN__OP_TABLE || bar[i] == 0.0) {
      continue;
    }
    const cardan__table *table = cardan__expr_table(expr, &tape[i]);
    const double *at = cardan__table_x(table);
    const double last = at[table->n - 1], rounding = 1e-9 * (last - at[0]);
    *x = w[tape[i].a];
    *end = *x < at[0] ? at[0] : last;
    if (*x < at[0] - rounding || *x > last + rounding) {
      return true;
    }
  }
  return false;
}

// the partial derivatives of every instruction, for the results w
static void all_partials(const cardan__expr *expr, const double *w, partials *d)
{
  const cardan__ins *tape = cardan__expr_tape(expr);

  for (int i = 0; i < expr->nins; i++) {
    const cardan__ins *ins = &tape[i];
    if (ins->op > CARDAN__OP_LEAF) {
      first_partials(expr, ins, w, w[i], &d[i]);
      second_partials(expr, ins, w, w[i], &d[i]);
    }
  }
}

/* Gradient g and H u for given partial derivatives; u NULL: the unit direction of leaf `unit`;
 * parameter: their changes, or NULL. work: 3 nins doubles. returns the change of the result */
static double product(const cardan__expr *expr, const partials *d, const double *u, int unit,
                      const double *parameter, double *work, double *g, double *hu)
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  const size_t n = (size_t)expr->nins;
  double *dot = work, *bar = work + n, *bardot = work + 2 * n;

  memset(work, 0, 3 * n * sizeof work[0]);
  for (size_t i = 0; i < n; i++) {
    const cardan__ins *ins = &tape[i];
    if (ins->op == CARDAN__OP_LEAF) {
      dot[i] = u ? u[ins->a] : ins->a == unit ? 1.0 : 0.0;
    } else if (ins->op == CARDAN__OP_CONST) {
      dot[i] = parameter && ins->c > 0 ? parameter[ins->c - 1] : 0.0;
    } else {
      dot[i] = times(d[i].a, dot[ins->a]) + times(d[i].b, dot[ins->b]); // (E2)
    }
  }
  bar[n - 1] = 1.0;
  for (size_t i = n; i-- > 0;) {
    const cardan__ins *ins = &tape[i];
    if (ins->op == CARDAN__OP_LEAF) {
      g[ins->a] = bar[i];
      hu[ins->a] = bardot[i];
    } else if (ins->op != CARDAN__OP_CONST) {
      const double a = times(d[i].aa, dot[ins->a]) + times(d[i].ab, dot[ins->b]);
      const double b = times(d[i].ab, dot[ins->a]) + times(d[i].bb, dot[ins->b]);
      bar[ins->a] += times(d[i].a, bar[i]); // (E1)
      bar[ins->b] += times(d[i].b, bar[i]);
      bardot[ins->a] += times(d[i].a, bardot[i]) + times(a, bar[i]); // (E3)
      bardot[ins->b] += times(d[i].b, bardot[i]) + times(b, bar[i]);
    }
  }
  return dot[n - 1];
}

enum { PARTIALS = sizeof(partials) / sizeof(double) };

size_t cardan__expr_work(const cardan__expr *expr)
{
  // results, partial derivatives, and dot, bar, bardot
  return (size_t)expr->nins * (1 + PARTIALS + 3);
}

double cardan__expr_hessian_times(const cardan__expr *expr, const double *x, const double *u,
                                  double *work, double *g, double *hu)
{
  partials *d = (partials *)(void *)(work + expr->nins);
  const double E = cardan__expr_forward(expr, x, work);

  all_partials(expr, work, d);
  product(expr, d, u, 0, NULL, (double *)(d + expr->nins), g, hu);
  return E;
}

double cardan__expr_change(const cardan__expr *expr, const double *x, const double *u,
                           const double *parameter, double *work, double *g, double *hu)
{
  partials *d = (partials *)(void *)(work + expr->nins);

  cardan__expr_forward(expr, x, work);
  all_partials(expr, work, d);
  return product(expr, d, u, 0, parameter, (double *)(d + expr->nins), g, hu);
}

double cardan__expr_hessian(const cardan__expr *expr, const double *x, double *work, double *g,
                            double *H)
{
  partials *d = (partials *)(void *)(work + expr->nins);
  const double E = cardan__expr_forward(expr, x, work);
  const int n = expr->nleaf;

  all_partials(expr, work, d);
  for (int j = 0; j < n; j++) {
    product(expr, d, NULL, j, NULL, (double *)(d + expr->nins), g, H + (size_t)j * (size_t)n);
  }
  // the two halves differ by rounding only: the lower one counts
  for (size_t j = 0; j < (size_t)n; j++) {
    for (size_t i = j + 1; i < (size_t)n; i++) {
      H[j * (size_t)n + i] = H[i * (size_t)n + j];
    }
  }
  return E;
}

// leaves the results of all instructions in work, and their rates behind them
void cardan__expr_jet(const cardan__expr *expr, const double *x, const double *x1, const double *x2,
                      double *work, double E[3])
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  const size_t n = (size_t)expr->nins;
  double *w = work, *w1 = work + n, *w2 = work + 2 * n;
  partials d;

  E[0] = cardan__expr_forward(expr, x, w);
  for (size_t i = 0; i < n; i++) {
    const cardan__ins *ins = &tape[i];
    if (ins->op <= CARDAN__OP_LEAF) {
      w1[i] = ins->op == CARDAN__OP_LEAF ? x1[ins->a] : 0.0;
      w2[i] = ins->op == CARDAN__OP_LEAF ? x2[ins->a] : 0.0;
      continue;
    }
    const double a = w1[ins->a], b = w1[ins->b];
    first_partials(expr, ins, w, w[i], &d);
    second_partials(expr, ins, w, w[i], &d);
    w1[i] = times(d.a, a) + times(d.b, b); // (E2)
    w2[i] = times(d.a, w2[ins->a]) + times(d.b, w2[ins->b]) + times(d.aa, times(a, a)) +
            2.0 * times(d.ab, times(a, b)) + times(d.bb, times(b, b)); // (E4)
  }
  E[1] = w1[n - 1];
  E[2] = w2[n - 1];
}
