// SPDX-License-Identifier: Apache-2.0
#include "expr/tape.h"

/* Angles at half a turn. With a = atan2(y, x) and its rate a', both of one moment,
 *   |a| + |a'| h >= pi                                                                       (E1)
 * says that it is there within h, by its rate: where the rate does not change its sign, or changes
 * evenly, from a moment to one that is h behind it, no passage between them is missed by both. Does
 * the result E(a) jump with it? All else as it is,
 *   |E(pi) - E(-pi)| > SAME s,   s = the largest |E|, |dE/da| of pi, -pi and BETWEEN        (E2)
 * and the same of dE/da, which is what energies and rows act by. */

static const double PI = 3.14159265358979323846;
static const double SAME = 1e-9;   // relative: what rounding makes of two that are equal
static const double BETWEEN = 2.0; // an angle that is nothing to a sine or a cosine

static bool is_half_turn(const cardan__expr *expr, const cardan__ins *ins)
{
  const cardan__ins *of = &cardan__expr_tape(expr)[ins->a];
  if (ins->op != CARDAN__OP_COS || of->op != CARDAN__OP_LEAF) {
    return false;
  }
  const cardan__expr_leaf *leaf = cardan__expr_leaf_at(expr, of->a);
  return leaf->kind == CARDAN__LEAF_Z && leaf->axis == CARDAN__HALF_TURN;
}

/* An atan2(s y, s x) of build_frames.c, s the cosine of a half turn, is counted from that. */
static bool jumps(const cardan__expr *expr, const cardan__ins *ins)
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  if (ins->op != CARDAN__OP_ATAN2) {
    return false;
  }
  const cardan__ins *y = &tape[ins->a];
  return y->op != CARDAN__OP_MUL ||
         !(is_half_turn(expr, &tape[y->a]) || is_half_turn(expr, &tape[y->b]));
}

bool cardan__expr_has_angles(const cardan__expr *expr)
{
  bool found = false;
  for (int i = 0; i < expr->nins; i++) {
    found = found || jumps(expr, &cardan__expr_tape(expr)[i]);
  }
  return found;
}

/* (E2) for instruction i; w: results up to there, which stay as they are. */
static cardan__wrap jump_of(const cardan__expr *expr, int i, const double *x, double *w,
                            double *bar)
{
  const double at[3] = {PI, -PI, BETWEEN}, kept = w[i];
  double E[3], slope[3], scale = 0.0;
  for (int k = 0; k < 3; k++) {
    w[i] = at[k];
    E[k] = cardan__expr_forward_from(expr, i + 1, x, w);
    cardan__expr_reverse(expr, w, bar);
    slope[k] = bar[i];
    scale = fmax(scale, fmax(fabs(E[k]), fabs(slope[k])));
  }
  w[i] = kept;
  cardan__expr_forward_from(expr, i + 1, x, w);
  return fabs(E[0] - E[1]) > SAME * scale           ? CARDAN__WRAP_VALUE
         : fabs(slope[0] - slope[1]) > SAME * scale ? CARDAN__WRAP_SLOPE
                                                    : CARDAN__WRAP_NONE;
}

cardan__wrap cardan__expr_wraps(const cardan__expr *expr, const double *x, const double *x1,
                                const double *x2, double h, double *work, double angle[2])
{
  double *w = work, *rate = work + expr->nins, *bar = rate + expr->nins, jet[3];
  cardan__wrap most = CARDAN__WRAP_NONE;
  cardan__expr_jet(expr, x, x1, x2, work, jet);
  for (int i = 0; i < expr->nins; i++) {
    if (jumps(expr, &cardan__expr_tape(expr)[i]) && fabs(w[i]) + fabs(rate[i]) * h >= PI) { // (E1)
      const cardan__wrap wrap = jump_of(expr, i, x, w, bar);
      if (wrap > most) {
        most = wrap;
        angle[0] = w[i];
        angle[1] = rate[i];
      }
    }
  }
  return most;
}
