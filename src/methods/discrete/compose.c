// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "methods/discrete/rolling.h"
#include "model/data.h"

/* One step of the method: the step of order 2, or a symmetric composition of such steps.
 * [1] E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, Springer 2006, section
 *     V.3.2: order 4, five stages (Suzuki); order 6, nine stages (Kahan and Li).
 * The step of order 2 is symmetric and symplectic, with loops too (it maps momenta modulo the rows
 * of the constraints), so the composition is both, and of the order of its coefficients. Some
 * stages go backwards in time: a damper would then put energy in, so methods refuse dissipation. */

static const double order2[1] = {1};

// 1 / (4 - 4^(1/3))
#define SUZUKI 0.41449077179437573714
static const double order4[5] = {SUZUKI, SUZUKI, 1 - 4 * SUZUKI, SUZUKI, SUZUKI};

static const double order6[9] = {
    0.39216144400731413927925056,  0.33259913678935943859974864, -0.70624617255763935980996482,
    0.08221359629355080023149045,  0.79854399093482996339895035, 0.08221359629355080023149045,
    -0.70624617255763935980996482, 0.33259913678935943859974864, 0.39216144400731413927925056};

const double *cardan__composition(int order, int *nstage)
{
  *nstage = order == 2 ? 1 : order == 4 ? 5 : 9;
  return order == 2 ? order2 : order == 4 ? order4 : order6;
}

/* ---- a step of order 2 ---- */

static void copy_history(const cardan__extrapolation *from, cardan__extrapolation *to)
{
  double *D = to->D;
  memcpy(D, from->D, (size_t)from->have * (size_t)from->n * sizeof *D);
  *to = *from;
  to->D = D;
}

/* A try of a length that is far from the others' would leave nothing of the history: it comes back
 * for the next. */
static void shelve(cardan__discrete *d)
{
  cardan__stages *stages = &d->stages;
  copy_history(&stages->history[0], &stages->shelf);
  memcpy(stages->shelf_lambda, d->border.lambda,
         (size_t)d->border.nloop * sizeof *stages->shelf_lambda);
  stages->shelf_h = stages->h;
  stages->shelved = true;
}

static void unshelve(cardan__discrete *d)
{
  cardan__stages *stages = &d->stages;
  if (stages->shelved) {
    copy_history(&stages->shelf, &stages->history[0]);
    memcpy(d->border.lambda, stages->shelf_lambda,
           (size_t)d->border.nloop * sizeof *stages->shelf_lambda);
    stages->h = stages->shelf_h;
  }
}

static const double longer = 2; // than steps before, and differences of these say nothing

/* What is known of the steps before, as if they had been as long as this one; t_{k+1} - t_k is h
 * only to rounding. */
static void fit_history(cardan__discrete *d)
{
  cardan__extrapolation *history = &d->stages.history[0];
  d->stages.shelved = false;
  if (d->stages.n > 1 || history->have == 0 || fabs(d->h - d->stages.h) <= 1e-6 * fabs(d->h)) {
    return;
  }
  const double ratio = d->h / d->stages.h;
  if (d->base.held != NULL) {
    shelve(d);
    // what contacts let go between short steps, their velocities show as an acceleration: over a
    // long one its square would be all there is
    history->have = fabs(ratio) > longer && history->have > 1 ? 1 : history->have;
  }
  cardan__extrapolate_rescale(history, ratio);
  for (int j = 0; j < d->border.nloop; j++) {
    d->border.lambda[j] *= ratio;
  }
  d->stages.h = d->h;
}

void cardan__step_begin(cardan__discrete *d, double h, double t_end)
{
  d->h = h;
  d->t = d->node->t;
  d->t_end = t_end;
  d->ended = false;
  cardan__hold_begin(d);
  if (d->rolling != NULL) {
    cardan__rolling_hold(d);
  }
  fit_history(d);
  d->equation->begin(d);
}

/* Rows of the next node are evaluated where trial is: at the node, but where a factorisation was
 * the last to use it, and has left it in the middle of the step. */
static void place_trial(cardan__discrete *d)
{
  cardan_data *trial = d->trial;
  const size_t size = (size_t)d->model->nq * sizeof *trial->q;
  trial->t = d->node->t;
  if (memcmp(trial->q, d->node->q, size) != 0) {
    memcpy(trial->q, d->node->q, size);
    cardan_joints(d->model, trial);
    cardan_poses(d->model, trial);
  }
}

void cardan__step_accept(cardan__discrete *d)
{
  if (d->rolling != NULL) {
    cardan__rolling_end(d);
  }
  cardan__ledger_add(d);
  d->equation->accept(d);
  if (d->ended) {
    memcpy(d->node->q, d->q_end, (size_t)d->model->nq * sizeof *d->q_end);
  } else {
    cardan_q_move(d->model, d->node->q, d->x.dq, 1, d->node->q);
  }
  d->node->t = d->t_end;
  if (d->border.nloop > 0) {
    place_trial(d);
    cardan__border_advance(d);
  }
  cardan__node_enter(d);
  if (d->equation->leave != NULL) {
    d->equation->leave(d);
  }
  if (d->rolling != NULL) {
    cardan__rolling_leave(d);
  }
  cardan__extrapolate_remember(&d->stages.history[d->stages.now], d->x.dq);
  d->stages.h = d->h;
}

/* The end of a step whose rows are held, at q_end: where it is one at rest it is its node. */
static cardan__attempt test_end(cardan__discrete *d)
{
  cardan__held_rows *held = d->base.held;
  if (!held->rested && held->rest == CARDAN__REST_ONLY) {
    return cardan__attempt_refused(CARDAN__WOKE, -1, 0);
  }
  if (held->rested) {
    memcpy(d->q_end, d->node->q, (size_t)d->model->nq * sizeof *d->q_end);
    memcpy(held->impulse, d->border.lambda + d->border.nequal,
           (size_t)held->nrow * sizeof *held->impulse);
    held->residue = 0;
    return cardan__attempt_of(CARDAN_OK);
  }
  cardan_q_move(d->model, d->node->q, d->x.dq, 1, d->q_end);
  return cardan__hold_test(d, d->node->q, d->x.dq, d->q_end);
}

static cardan__attempt plain_substep(cardan__discrete *d, double h, double t_end)
{
  const bool given = d->two_point && !d->started;
  cardan__step_begin(d, h, t_end);
  cardan_status status = given ? cardan__start_given(d) : cardan__branch_solve(d);
  if (status == CARDAN_OK && d->branch_jump.gap != NULL && !given) {
    status = cardan__branch_jump_check(d);
    if (status != CARDAN_OK) {
      cardan__border_restore(d);
    }
  }
  cardan__attempt attempt = cardan__attempt_of(status);
  if (status == CARDAN_OK && d->base.held != NULL && d->stages.n == 1 && d->rolling == NULL) {
    attempt = test_end(d);
    d->ended = cardan__attempt_accepted(attempt);
    if (!d->ended) {
      cardan__border_restore(d);
    }
  }
  if (cardan__attempt_accepted(attempt)) {
    cardan__step_accept(d);
  } else {
    unshelve(d);
  }
  return attempt;
}

/* ---- the composition ---- */

size_t cardan__compose_size(cardan__discrete *d)
{
  cardan__spans list = {.n = 0};
  cardan__compose_state(d, &list);
  return cardan__spans_size(&list);
}

/* The node to kept, or back from there. */
static void exchange(cardan__discrete *d, char *kept, bool restore)
{
  cardan__spans list = {.n = 0};
  cardan__compose_state(d, &list);
  cardan__spans_copy(&list, kept, restore);
  if (restore) {
    cardan__node_enter(d);
    cardan__border_enter(d);
  }
}

/* The end of a step with kicks, which is the node already. */
static cardan__attempt test_settled(cardan__discrete *d)
{
  return d->base.held != NULL && d->stages.n == 1
             ? cardan__hold_test(d, d->rolling->q_node, d->x.dq, d->node->q)
             : cardan__attempt_of(CARDAN_OK);
}

static cardan__attempt substep(cardan__discrete *d, double h, double t_end)
{
  static const cardan__rolling_calls calls = {plain_substep, test_settled, exchange};
  return d->rolling == NULL ? plain_substep(d, h, t_end)
                            : cardan__rolling_substep(d, h, t_end, &calls);
}

/* A step of order 2 of a method of a higher one, whose stages have nothing to do with it. */
static cardan__attempt single_step(cardan__discrete *d, double t_next)
{
  cardan__stages *stages = &d->stages;
  const int n = stages->n;
  stages->n = 1;
  stages->now = 0;
  stages->history[0].have = 0;
  if (d->rolling != NULL) {
    cardan__rolling_forget(d->rolling);
  }
  const cardan__attempt attempt = substep(d, t_next - d->node->t, t_next);
  stages->n = n;
  for (int i = 0; i < n; i++) {
    stages->history[i].have = 0;
  }
  return attempt;
}

/* The test of a composed step from q, which leads to the node. Its stages go forwards and
 * backwards; what solids may pass through lies on the way from q to the node, as for a step of
 * order 2. */
static cardan__attempt test_composed(cardan__discrete *d, const double *q)
{
  cardan_q_difference(d->model, q, d->node->q, d->stages.dq);
  return cardan__hold_test(d, q, d->stages.dq, d->node->q);
}

cardan__attempt cardan__compose_step(cardan__discrete *d, double t_next)
{
  cardan__stages *stages = &d->stages;
  const double h = t_next - d->node->t;
  cardan__attempt attempt = cardan__attempt_of(CARDAN_OK);
  if (stages->n > 1) {
    if (d->base.held != NULL && (d->base.held->n > 0 || d->base.held->given)) {
      return single_step(d, t_next); // stages backwards in time would pull at what is held
    }
    exchange(d, stages->kept, false);
    memcpy(d->q_end, d->node->q, (size_t)d->model->nq * sizeof *d->q_end);
  }
  for (stages->now = 0; stages->now < stages->n && cardan__attempt_accepted(attempt);
       stages->now++) {
    const double part = stages->gamma[stages->now] * h;
    // the last stage ends at t_next, not at a sum of roundings
    attempt = substep(d, part, stages->now + 1 == stages->n ? t_next : d->node->t + part);
  }
  if (cardan__attempt_accepted(attempt) && stages->n > 1 && d->base.held != NULL) {
    attempt = test_composed(d, d->q_end);
  }
  d->started = d->started || cardan__attempt_accepted(attempt);
  if (!cardan__attempt_accepted(attempt) && stages->n > 1) {
    exchange(d, stages->kept, true);
    if (d->rolling != NULL) {
      d->rolling->fresh = false;
    }
  }
  return attempt;
}
