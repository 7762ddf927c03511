// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/tape.h"
#include "kinematics/view.h"
#include "model/build.h"
#include "run/sim.h"

/* Motions that jump. A driver's f(t) with `if`, `step`, `abs`, `min` or `max` may jump, or continue
 * with another velocity: no body can, and what a step makes of it depends on its length. So may the
 * length of a wire, and an equation that reads t, which is evaluated with all else as it is at the
 * node. Jumps are searched from node to node, by halving where f or its rate differ at both ends:
 *   the half with the larger |f(b) - f(a)| is kept, HALVINGS times                            (E1)
 *   the remaining difference, next to zero for a smooth f, is the jump                        (E2)
 * Cost: two jets in a step for each such driver, and for no other; a jump that goes back within a
 * step is not seen. */

enum { HALVINGS = 40 };

static const double LEFT = 1e-3; // part of a difference that a jump leaves: a slope leaves 1e-12

/* May the value or the rate be other on two sides of a moment? */
static bool may_jump(const cardan__expr *expr)
{
  const cardan__ins *tape = cardan__expr_tape(expr);
  bool found = false;
  for (int i = 0; i < expr->nins; i++) {
    const int op = tape[i].op;
    found = found || op == CARDAN__OP_SELECT || op == CARDAN__OP_STEP || op == CARDAN__OP_ABS ||
            op == CARDAN__OP_MIN || op == CARDAN__OP_MAX || op == CARDAN__OP_LT ||
            op == CARDAN__OP_LE;
  }
  return found;
}

/* Expression of driver i, in the order prescribed, then rows that read t; -1: it is no driver's,
 * -2: there are no more. */
static int driver_at(const cardan_model *model, int i)
{
  if (i < model->nprescribed) {
    return model->prescribed[i].expr;
  }
  const int r = i - model->nprescribed;
  if (r >= model->nrow) {
    return -2;
  }
  const int e = model->row[r].expr;
  return e >= 0 && (model->expr[e].expr->uses & CARDAN__LEAVES_T) ? e : -1;
}

bool cardan__drivers_may_jump(const cardan_model *model)
{
  bool found = false;
  for (int i = 0, e; (e = driver_at(model, i)) != -2; i++) {
    found = found || (e >= 0 && may_jump(model->expr[e].expr));
  }
  return found;
}

/* f (order 0) or its rate by t (1) at t. */
static double value_at(const cardan_sim *sim, int index, double t, int order)
{
  const cardan_model *model = sim->model;
  const cardan_bound_expr *e = &model->expr[index];
  const cardan__view view = cardan__data_view(model, sim->data);
  const int n = model->max_leaf;
  double *x = view.work, *rate = x + n, *bend = rate + n, jet[3];
  cardan__leaf_values(model, &view, e, x, NULL, NULL);
  for (int i = 0; i < e->nleaf; i++) {
    const bool is_t = e->leaf[i].kind == CARDAN__LEAF_T;
    x[i] = is_t ? t : x[i];
    rate[i] = is_t;
    bend[i] = 0.0;
  }
  cardan__expr_jet(e->expr, x, rate, bend, view.work + 8 * n, jet);
  return jet[order];
}

/* Is there a jump from a to b? Then when, and from what to what. */
static bool find_jump(const cardan_sim *sim, int index, int order, double *a, double *b, double *f)
{
  double fa = value_at(sim, index, *a, order), fb = value_at(sim, index, *b, order);
  const double whole = fabs(fb - fa);
  if (!(whole > 1e-9 * (1.0 + fabs(fa) + fabs(fb)))) {
    return false;
  }
  for (int i = 0; i < HALVINGS; i++) { // (E1)
    const double middle = 0.5 * (*a + *b), fm = value_at(sim, index, middle, order);
    const bool first = fabs(fm - fa) >= fabs(fb - fm);
    *(first ? b : a) = middle;
    *(first ? &fb : &fa) = fm;
  }
  f[0] = fa;
  f[1] = fb;
  return fabs(fb - fa) > 1e-9 * (1.0 + fabs(fa) + fabs(fb)) && fabs(fb - fa) > LEFT * whole; // (E2)
}

void cardan__watch_drivers(cardan_sim *sim, double from, double to)
{
  for (int i = 0, e; (e = driver_at(sim->model, i)) != -2 && !sim->watch.driven; i++) {
    for (int order = 0; e >= 0 && order < 2 && !sim->watch.driven; order++) {
      double a = from, b = to, f[2];
      if (may_jump(sim->model->expr[e].expr) && find_jump(sim, e, order, &a, &b, f)) {
        char named[256];
        const size_t used = strlen(sim->watch_text);
        cardan__expr_named(sim, e, named, sizeof named);
        sim->watch.driven = true;
        snprintf(
            sim->watch_text + used, sizeof sim->watch_text - used,
            "%sat t = %.6g %s%s jumps from %.6g to %.6g: no body can, and what follows depends "
            "on dt",
            used > 0 ? "; " : "", b, order == 0 ? "" : "the rate of ", named, f[0] + 0.0,
            f[1] + 0.0);
      }
    }
  }
}
