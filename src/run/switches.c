// SPDX-License-Identifier: Apache-2.0
#include "run/switches.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "expr/tape.h"
#include "kinematics/view.h"
#include "model/build.h"
#include "run/sim.h"

/* Comparisons that read t and inputs alone, which are held over a step.
 *
 * One whose operands are a + b t changes once at most, and its sides at both ends of a step tell
 * whether it does; others are evaluated at LOOKS places of the step. The moment is found by halving
 * to two neighbouring numbers, before and behind. The step ends at the one before; then the time
 * becomes the one behind, where nothing has moved: 1e-16 of a second is no motion. So every
 * evaluation of a method, at the ends of its steps too, is on the right side. A change that is
 * nearer than KAPPA dt to an end of the step counts as being there: no steps are as short as that.
 *
 * An adaptive integrator steps past the ends of steps and interpolates; while there is a change
 * ahead it does not. */

enum { LOOKS = 64, MOST = 1000 };

static const double KAPPA = 1e-9;

/* ---- the comparisons of a model ---- */

static bool is_comparison(int op)
{
  return op == CARDAN__OP_LT || op == CARDAN__OP_LE || op == CARDAN__OP_STEP;
}

/* What an instruction depends on: DEGREE of t, or the state. */
enum { CONSTANT, AFFINE, OTHER, STATE };

static int leaf_kind(const cardan_model *model, const cardan__leaf_ref *leaf)
{
  const bool input = leaf->kind == CARDAN__LEAF_U && leaf->index < model->ninput;
  return leaf->kind == CARDAN__LEAF_T ? AFFINE : input ? CONSTANT : STATE;
}

static int kind_of(const cardan_model *model, const cardan_bound_expr *e, int i)
{
  const cardan__ins *ins = &cardan__expr_tape(e->expr)[i];
  if (ins->op == CARDAN__OP_CONST) {
    return CONSTANT;
  }
  if (ins->op == CARDAN__OP_LEAF) {
    return leaf_kind(model, &e->leaf[ins->a]);
  }
  const bool two = ins->op >= CARDAN__OP_ADD, three = ins->op == CARDAN__OP_SELECT;
  const int a = kind_of(model, e, ins->a), b = two ? kind_of(model, e, ins->b) : CONSTANT;
  const int c = three ? kind_of(model, e, ins->c) : CONSTANT;
  const int most = a > b ? (a > c ? a : c) : (b > c ? b : c);
  if (most == STATE || most == CONSTANT) {
    return most;
  }
  switch (ins->op) {
  case CARDAN__OP_NEG:
  case CARDAN__OP_ADD:
  case CARDAN__OP_SUB:
    return most;
  case CARDAN__OP_MUL:
    return a == CONSTANT || b == CONSTANT ? most : OTHER;
  case CARDAN__OP_DIV:
    return b == CONSTANT ? most : OTHER;
  default:
    return OTHER;
  }
}

/* Adds the comparisons of an expression that read the state, or that do not; item NULL: counts. */
static void add_expr(const cardan_model *model, int expr, bool state, cardan__switch *item, int *n)
{
  if (expr < 0) {
    return;
  }
  const cardan_bound_expr *e = &model->expr[expr];
  const cardan__ins *tape = cardan__expr_tape(e->expr);
  for (int i = 0; i < e->expr->nins; i++) {
    if (!is_comparison(tape[i].op)) {
      continue;
    }
    const int a = kind_of(model, e, tape[i].a);
    const int b = tape[i].op == CARDAN__OP_STEP ? CONSTANT : kind_of(model, e, tape[i].b);
    const int kind = a > b ? a : b;
    if (kind != CONSTANT && (kind == STATE) == state) {
      if (item != NULL) {
        item[*n] = (cardan__switch){.expr = expr, .ins = i, .affine = kind == AFFINE};
      }
      (*n)++;
    }
  }
}

/* All of them, those of time first: to item, or counted. */
static void add_all(const cardan_model *model, cardan__switch *item, int *ntime, int *nstate)
{
  int n[2] = {0, 0};
  for (int state = 0; state < 2; state++) {
    cardan__switch *at = item != NULL ? item + (state ? n[0] : 0) : NULL;
    for (int i = 0; i < model->nforce; i++) {
      for (int k = 0; k < 6; k++) {
        add_expr(model, model->force[i].expr[k], state, at, &n[state]);
      }
    }
    for (int i = 0; i < model->nrate; i++) {
      add_expr(model, model->state[i].expr, state, at, &n[state]);
    }
  }
  *ntime = n[0];
  *nstate = n[1];
}

/* Does the integrator have slopes by difference quotients? Just behind a switch of the state they
 * reach back across it, and with such slopes a Newton iteration accepts anything. */
static bool has_differences(const cardan_sim *sim)
{
  const char *word = cardan__option_word(sim->stepper->method, "integrator", &sim->options);
  return word != NULL && (strcmp(word, "bdf") == 0 || strcmp(word, "trapezoid") == 0);
}

cardan_status cardan__switches_create(cardan_sim *sim)
{
  cardan__switches *s = &sim->switches;
  const cardan_allocator *allocator = &sim->allocator;
  add_all(sim->model, NULL, &s->ntime, &s->nstate);
  const size_t n = (size_t)s->ntime + (size_t)s->nstate, m = (size_t)s->nstate;
  if (n == 0) {
    return CARDAN_OK;
  }
  s->item = cardan__resize(allocator, NULL, n * sizeof *s->item);
  s->block = cardan__resize(allocator, NULL, m * (6 * sizeof *s->from + 2 * sizeof *s->rest) + 1);
  if (s->item == NULL || s->block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  add_all(sim->model, s->item, &s->ntime, &s->nstate);
  s->from = s->block;
  s->to = s->from + m;
  s->now = s->to + m;
  s->third = s->now + m;
  s->begun = s->third + m;
  s->last = s->begun + m;
  s->rest = (int *)(s->last + m);
  s->cuts = s->rest + m;
  memset(s->rest, 0, 2 * m * sizeof *s->rest);
  s->locates = !has_differences(sim);
  cardan_status status = CARDAN_OK;
  if (m > 0) {
    status = cardan__snapshot_create(sim, false, &s->before);
    status = status == CARDAN_OK ? cardan__snapshot_create(sim, false, &s->node) : status;
  }
  return status;
}

void cardan__switches_destroy(cardan_sim *sim)
{
  cardan__switches *s = &sim->switches;
  cardan__resize(&sim->allocator, s->item, 0);
  cardan__resize(&sim->allocator, s->block, 0);
  cardan__snapshot_destroy(sim, &s->before);
  cardan__snapshot_destroy(sim, &s->node);
}

void cardan__switches_start(cardan_sim *sim)
{
  cardan__switches *s = &sim->switches;
  for (int k = 0; k < s->nstate; k++) {
    s->rest[k] = 0;
    s->begun[k] = s->last[k] = (double)NAN;
  }
  s->fresh = s->crossings = 0;
  s->unlocated = 0;
  s->reported = false;
}

/* ---- those of time ---- */

/* The side of a comparison at t. */
static bool side_at(const cardan_sim *sim, const cardan__switch *s, double t)
{
  const cardan_model *model = sim->model;
  const cardan_bound_expr *e = &model->expr[s->expr];
  const cardan__view view = cardan__data_view(model, sim->data);
  double *x = view.work, *w = x + 8 * model->max_leaf;
  for (int i = 0; i < e->nleaf; i++) {
    const cardan__leaf_ref *leaf = &e->leaf[i];
    x[i] = leaf->kind == CARDAN__LEAF_T   ? t
           : leaf->kind == CARDAN__LEAF_U ? cardan__input_at(model, &view, leaf->index)
                                          : 0.0; // it does not read the others
  }
  (void)cardan__expr_forward(e->expr, x, w);
  return w[s->ins] != 0.0;
}

/* Neighbouring numbers between a and b on whose sides it differs. */
static void halve(const cardan_sim *sim, const cardan__switch *s, bool side, double *a, double *b)
{
  for (;;) {
    const double middle = 0.5 * (*a + *b);
    if (!(middle > *a && middle < *b)) {
      return;
    }
    *(side_at(sim, s, middle) == side ? a : b) = middle;
  }
}

/* Does one change in (from, to]? Then the first of these, between *before and *behind. */
static bool find_first(const cardan_sim *sim, double from, double to, double *before,
                       double *behind)
{
  *before = HUGE_VAL;
  for (int k = 0; k < sim->switches.ntime; k++) {
    const cardan__switch *s = &sim->switches.item[k];
    const int looks = s->affine ? 1 : LOOKS;
    const bool side = side_at(sim, s, from);
    double a = from;
    for (int i = 1; i <= looks && a < *before; i++) {
      double b = i < looks ? from + (to - from) * i / looks : to;
      if (side_at(sim, s, b) == side) {
        a = b;
        continue;
      }
      halve(sim, s, side, &a, &b);
      if (a < *before) {
        *before = a;
        *behind = b;
      }
      break;
    }
  }
  return *before < HUGE_VAL;
}

/* Is there a change between t and the end of the run? */
static bool is_ahead(const cardan_sim *sim, double t, double t_next)
{
  const double end = fmax(sim->options.begin + sim->options.time, t_next);
  for (int k = 0; k < sim->switches.ntime; k++) {
    const cardan__switch *s = &sim->switches.item[k];
    if (!s->affine || side_at(sim, s, t) != side_at(sim, s, end)) {
      return true;
    }
  }
  return false;
}

cardan_status cardan__switches_pass(cardan_sim *sim, double t)
{
  const cardan__method *method = sim->stepper->method;
  if (method->switched == NULL) {
    return CARDAN_OK;
  }
  sim->data->t = t;
  sim->data->fresh = 0;
  sim->settled = false;
  return method->switched(sim->stepper, sim->data);
}

/* Up to the change and past it; *from: where the search continues. */
static cardan_status cut_at_change(cardan_sim *sim, double t, double before, double behind,
                                   double *from,
                                   cardan_status (*go)(cardan_sim *, double, cardan_report *),
                                   cardan_report *report)
{
  const double near = KAPPA * sim->options.dt;
  const bool first = before - sim->data->t < near, last = t - before < near;
  const bool nodal = sim->stepper->method->switched != NULL;
  cardan_status status = CARDAN_OK;
  *from = last ? t : behind;
  if (!first) {
    status = go(sim, last && !nodal ? t : before, report);
  }
  cardan__switches_passed(&sim->switches);
  if (status == CARDAN_OK && (sim->data->t < t || nodal)) {
    status = cardan__switches_pass(sim, *from);
    return status == CARDAN_OK ? status : cardan__sim_explain(sim, status, report);
  }
  return status;
}

cardan_status cardan__switches_walk(cardan_sim *sim, double t,
                                    cardan_status (*go)(cardan_sim *, double, cardan_report *),
                                    cardan_report *report)
{
  const bool saved = cardan__sim_saves_step(sim);
  double from = sim->data->t, before, behind;
  int iterations = 0, n = 0;
  cardan_status status = CARDAN_OK;
  sim->stepper->stops = cardan__sim_adaptive(sim) && is_ahead(sim, from, t);
  while (status == CARDAN_OK && sim->data->t < t) {
    sim->stepper->iterations = 0;
    if (n < MOST && from < t && find_first(sim, from, t, &before, &behind)) {
      if (n++ == 0 && !saved) {
        cardan__snapshot_save(sim, &sim->step_begin);
      }
      status = cut_at_change(sim, t, before, behind, &from, go, report);
    } else {
      status = go(sim, t, report);
    }
    iterations += sim->stepper->iterations;
  }
  sim->stepper->iterations = iterations;
  if (status != CARDAN_OK && n > 0 && !saved) {
    cardan__snapshot_restore(sim, &sim->step_begin);
    sim->settled = false;
  }
  return status;
}
