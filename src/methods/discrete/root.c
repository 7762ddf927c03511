// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CARDAN__WIDTH 1 // its rules for one simulation
#include "kernels/root_policy.h"
#include "methods/discrete/rolling.h"
#include "methods/discrete/vector.h"
#include "model/data.h"

/* The root of one step.
 *
 * An evaluation is accepted when |r_k| <= tol scale_k for every velocity and |Phi_j| <= 1e-12 (1 +
 * size of the mechanism). Otherwise the direction of border.c is followed. A Jacobian is factored
 * at the guess and kept as long as the last gain, repeated, would be enough; else it is factored
 * again: Newton where it is needed, a chord where that does. Safeguards: no joint turns by more
 * than 1 rad in an iteration, and a step that does not lower the sum of squares of the relative
 * residuals is halved. A residual that no longer falls is accepted when it is at the level of
 * rounding. */

enum { MAX_TRIES = 12, MAX_STALLS = 12 };

/* Error of contacts before there is a direction, and at most: it lets the first one be taken. */
static const double unknown = 1e100;
static const double least_size = 1e-100;

/* Are directions those of Newton's method, on smooth equations? */
static bool is_exact(const cardan__discrete *d)
{
  return d->linear.kind != CARDAN__BY_MASS;
}

/* ---- an evaluation ---- */

/* Sizes with the constraints' impulses counted too. What is at rest but for a last denormal number
 * has squares that are finite. */
static void invert_scale(cardan__discrete *d)
{
  double *size = d->root.inv_scale;
  memcpy(size, d->root.scale, (size_t)d->model->nv * sizeof *size);
  cardan__border_sizes(d, size);
  for (int k = 0; k < d->model->nv; k++) {
    const double most = size[k] > least_size ? size[k] : least_size;
    size[k] = d->root.scale[k] > 0 ? 1 / most : 0;
  }
}

/* ---- the scale ----
 * Sizes of momenta change little from step to step where motion is smooth, and to make them costs
 * half as much as a residual. So they are kept for some steps, as long as all displacements
 * together change by less than a sixteenth a step, and the guess leaves less than a thousandth of
 * them. By sizes of an earlier step a residual is accepted below half the tolerance only: where all
 * fall alike, (15/16)^7 = 0.64 of them are left. Anything between is measured by sizes of its own.
 * Not where the caller pushes; and constraints, or contacts that are closed, have impulses that
 * change from one evaluation to the next. After an impact there is nothing to go by. */

static const double same_length = 1e-6; // t_{k+1} - t_k is h only to rounding
static const double smooth2 = 1.0 / 256, well_guessed = 1e-3, sure = 0.5;

static bool scale_will_do(cardan__discrete *d)
{
  cardan__root *root = &d->root;
  const cardan__extrapolation *history = &d->stages.history[0];
  const bool plain =
      d->stages.n == 1 && d->border.n == 0 && !d->has_inputs && d->base.iterations == 0;
  if (!plain || root->scale_age < 0 || root->scale_age + 1 >= CARDAN__SCALE_STEPS ||
      history->have < 2 || fabs(root->scale_h - d->h) > same_length * fabs(d->h) ||
      !(history->size2[1] < smooth2 * history->size2[0])) {
    return false;
  }
  root->scale_age++;
  return true;
}

/* Scale at the last residual. */
static void set_scale(cardan__discrete *d)
{
  cardan__root *root = &d->root;
  int idle = 0;
  d->equation->sizes(d, root->scale);
  invert_scale(d);
  for (int k = 0; k < d->model->nv; k++) {
    idle += root->scale[k] > 0 ? 0 : 1;
  }
  // rows that do not count now may do so in a moment
  root->scale_age = idle == d->model->nprescribed && d->border.n == 0 ? 0 : -1;
  root->scale_h = d->h;
}

/* Largest |r_k| inv_scale_k, and the sum of their squares; in columns, which need not wait for one
 * another. */
static void relative_sizes(int n, const double *r, const double *inv_scale, double *largest,
                           double *sum)
{
  cardan__vec4 most = {0}, squares = {0}, e, inv;
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    memcpy(&e, r + k, sizeof e);
    memcpy(&inv, inv_scale + k, sizeof inv);
    cardan__abs4(&e);
    e *= inv;
    cardan__larger4(&e, &most);
    squares += e * e;
  }
  for (int j = 0; k + j < n; j++) {
    const double rest = fabs(r[k + j]) * inv_scale[k + j];
    most[j] = rest > most[j] ? rest : most[j];
    squares[j] += rest * rest;
  }
  for (int j = 0; j < 4; j++) {
    *largest = most[j] > *largest ? most[j] : *largest;
    *sum += squares[j];
  }
}

static void measure(cardan__discrete *d)
{
  cardan__root *root = &d->root;
  const cardan__border *b = &d->border;
  double largest = 0, sum = 0;
  relative_sizes(d->model->nv, d->r, root->inv_scale, &largest, &sum);
  root->error = largest / root->tol;
  for (int j = 0; j < b->nequal; j++) {
    const double e = fabs(b->phi[b->row[j]]) / b->phi_tol;
    root->error = e > root->error ? e : root->error;
    sum += e * e * root->tol * root->tol;
  }
  if (cardan__has_cones(d)) {
    const double e = fmin(cardan__hold_error(d), unknown);
    root->error = e > root->error ? e : root->error;
    sum += e * e * root->tol * root->tol;
  }
  root->merit = sum;
  if (!isfinite(sum)) {
    root->error = HUGE_VAL; // comparisons above pass over what is not a number
  }
}

cardan_status cardan__root_evaluate(cardan__discrete *d, bool first)
{
  cardan__root *root = &d->root;
  const cardan_status status = d->equation->residual(d, d->r);
  cardan__boxes_subtract(d);
  if (d->rolling != NULL) {
    cardan__rolling_evaluate(d);
  }
  if (d->border.n > 0) {
    cardan__border_subtract(d);
    cardan__border_values(d);
  }
  if (first && !scale_will_do(d)) {
    set_scale(d);
  } else if (d->border.n > 0) {
    invert_scale(d);
  }
  measure(d);
  d->base.iterations++;
  d->base.evaluations++;
  if (root->ntrace < root->max_trace) {
    root->trace[root->ntrace++] = root->error * root->tol;
  }
  return status;
}

/* ---- along a direction ---- */

/* Largest part of the direction that turns no joint by more than 1 rad. */
static double step_limit(const cardan__discrete *d)
{
  double largest = 0;
  for (int k = 0; k < d->model->nv; k++) {
    const double turn = d->root.turns[k] ? fabs(d->root.step[k]) : 0;
    largest = turn > largest ? turn : largest;
  }
  return largest > CARDAN__LARGEST_TURN ? CARDAN__LARGEST_TURN / largest : 1;
}

static void save_iterate(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  cardan__displacement_copy(d->model, &d->x, &d->root.kept);
  memcpy(b->lambda_kept, b->lambda, (size_t)b->n * sizeof *b->lambda);
}

static void advance(cardan__discrete *d, double part)
{
  cardan__border *b = &d->border;
  cardan__displacement_add(d->model, &d->root.kept, part, d->root.step, &d->x);
  for (int j = 0; j < b->n; j++) {
    b->lambda[j] = b->lambda_kept[j] + part * b->sigma[j];
  }
}

/* Follows the direction until the merit falls below slack times what it was; *fell says whether it
 * did, in so many tries. */
static cardan_status search(cardan__discrete *d, double slack, int tries, bool *fell)
{
  cardan__root *root = &d->root;
  const double before = slack * root->merit;
  double part = step_limit(d);
  root->shortened = root->shortened || part < 1;
  cardan_status status = CARDAN_OK;
  *fell = false;
  save_iterate(d);
  for (int i = 0; i < tries && !*fell; i++, part *= 0.5) {
    advance(d, part);
    status = cardan__root_evaluate(d, false);
    *fell = status == CARDAN_OK && root->merit < before;
    root->shortened = root->shortened || (!*fell && i + 1 < tries);
    if (root->error * root->tol <= root->floor || d->base.iterations >= root->limit) {
      break;
    }
  }
  return status;
}

/* Where the scale is of an earlier step: that of this one, and the error by it. returns whether */
static bool renew_scale(cardan__discrete *d)
{
  if (d->root.scale_age <= 0) {
    return false;
  }
  set_scale(d);
  measure(d);
  return true;
}

/* One direction and the search along it. Quasi-Newton steps do not fall every time even where they
 * converge: their residual may grow by a factor of 100 on the way. */
static cardan_status iterate(cardan__discrete *d, int tries, bool *fell)
{
  const bool cones = cardan__has_cones(d);
  cardan__border_direction(d);
  if (cones && d->border.unsolved_cone >= 0) {
    *fell = false;
    return cardan__hold_unsolved(d);
  }
  if (d->linear.broyden != NULL && !cones) {
    cardan__linear_broyden(d);
  }
  return search(d, is_exact(d) && !cones ? 1 : 1e4, tries, fell);
}

/* ---- an old factorisation ----
 * Where motion is smooth the Jacobian of an earlier step gains two or three digits an iteration,
 * and costs nothing. It is used when two such iterations promise to be enough: the gain that the
 * last one showed, grown with age; of a factorisation of the step before never more than
 * first_gain, so that it is tried again. When the promise is not kept, the next tries wait, longer
 * each time. Not with constraints: near a singular position an old one makes multipliers that only
 * rounding stops. Not between steps of another length. */

static const double first_gain = 1e-3; // expected of a factorisation of the step before, at most
static const double least_gain = 1e-5; // and at least, also before there was any: a guess that is
                                       // far off, as after an impact, is not of that motion
static const double faint = 0.05;      // an error that rounding may have left
static const double promise = 0.01;    // what two iterations should leave: a gain is a guess

static bool old_factor_will_do(cardan__discrete *d)
{
  cardan__root *root = &d->root;
  if (d->linear.kind != CARDAN__BY_EQUATION || d->border.n > 0 || d->stages.n > 1 ||
      !root->factored || fabs(root->h - d->h) > same_length * fabs(d->h) ||
      memcmp(d->border.sides, d->border.sides_factored, sizeof d->border.sides) != 0) {
    return false;
  }
  if (root->wait > 0) {
    root->wait--;
    return false;
  }
  const double shown = fmin(fmax(root->gain, least_gain), first_gain);
  const double gain = root->age > 0 ? root->gain * (root->age + 1) : shown;
  return root->error * gain * gain < promise;
}

/* Where rounding is all that is left, the gain was that or more. */
static void note_gain(cardan__root *root, double gain)
{
  const double rate = gain / root->age;
  root->gain = root->error > faint ? rate : fmin(rate, root->gain);
}

/* Iterations with the factorisation of an earlier step; at most 2. */
static cardan_status try_old_factor(cardan__discrete *d)
{
  cardan__root *root = &d->root;
  cardan_status status = CARDAN_OK;
  root->age++;
  for (int i = 0; i < 2 && status == CARDAN_OK && root->error > 1; i++) {
    const double before = root->error;
    bool fell = false;
    status = iterate(d, 1, &fell);
    if (i == 0) {
      note_gain(root, root->error / before);
    }
    if (!fell || root->gain * root->age > 0.1) {
      break;
    }
  }
  if (status != CARDAN_OK || !isfinite(root->merit)) { // too far: back to where it was
    cardan__displacement_copy(d->model, &root->kept, &d->x);
    memcpy(d->border.lambda, d->border.lambda_kept, (size_t)d->border.n * sizeof *d->border.lambda);
    status = cardan__root_evaluate(d, false);
  }
  if (status == CARDAN_OK && root->error > 1) {
    root->patience = (int)lengthen_wait(root->patience);
    root->wait = root->patience;
  } else {
    root->patience = 0;
  }
  return status;
}

/* ---- the iteration ---- */

static const double below_rounding = 1e-8;           // a larger residual is not that of rounding
static const double step_rounding = 4 * DBL_EPSILON; // of a coordinate

/* The constraint that is farthest open, when that is more over its tolerance than the largest
 * residual over its own; -1: none. */
static int worst_row(const cardan__discrete *d, double residual)
{
  const cardan__border *b = &d->border;
  double largest = residual / d->root.tol;
  int worst = -1;
  for (int j = 0; j < b->nequal; j++) {
    const double e = fabs(b->phi[b->row[j]]) / b->phi_tol;
    if (!(e <= largest)) { // also when it is not a number
      largest = e;
      worst = b->row[j];
    }
  }
  return worst;
}

/* Fills node->info: what is largest, the residual of a joint relative to its momentum, or a
 * constraint that stays open. */
static cardan_status no_root(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan_info *info = &d->node->info;
  double largest = -1;
  int worst = 0;
  for (int k = 0; k < model->nv; k++) {
    const double e = fabs(d->r[k]) * d->root.inv_scale[k];
    if (!(e <= largest)) { // also when it is not a number
      largest = e;
      worst = k;
    }
  }
  *info = (cardan_info){.body = model->v_body[worst],
                        .joint = model->body[model->v_body[worst]].joint,
                        .row = worst_row(d, largest),
                        .residual = largest};
  if (cardan__has_cones(d) && info->row < 0 && largest <= d->root.tol) {
    return cardan__hold_unsettled(d);
  }
  if (info->row >= 0) {
    char name[160];
    snprintf(info->message, sizeof info->message, "%s stays open by %.2g after %d evaluations",
             cardan__hold_name(d, info->row, name, sizeof name), fabs(d->border.phi[info->row]),
             d->base.iterations);
  } else {
    snprintf(info->message, sizeof info->message,
             "the residual is largest at joint \"%.60s\", %.2g of its momentum after %d "
             "evaluations",
             model->joint[info->joint].name, largest, d->base.iterations);
  }
  return isfinite(d->root.merit) ? CARDAN_ERR_NO_CONVERGENCE : CARDAN_ERR_NOT_FINITE;
}

cardan_status cardan__root_factor(cardan__discrete *d)
{
  if (d->border.n > 0) {
    cardan__border_rows(d); // while trial stands at q^{k+1}
  }
  cardan_status status = d->border.P == NULL ? cardan__linear_factor(d) : CARDAN_OK;
  if (status == CARDAN_OK && d->border.n > 0) {
    status = cardan__border_factor(d);
  }
  d->root.factored = status == CARDAN_OK;
  memcpy(d->border.sides_factored, d->border.sides, sizeof d->border.sides);
  d->root.h = d->h;
  d->root.age = 0;
  return status;
}

/* The size of what velocity k of a body moves, which eps of is its rounding. */
static double coordinate_size(const cardan__discrete *d, int k)
{
  const cardan_model *model = d->model;
  const cardan_body *b = &model->body[model->v_body[k]];
  const double *q = d->node->q + b->qadr;
  if (b->nq == b->nv) {
    return fabs(q[k - b->vadr]) + fabs(d->x.dq[k]);
  }
  return d->root.turns[k] ? 1 : fabs(q[0]) + fabs(q[1]) + fabs(q[2]) + fabs(d->x.dq[k]);
}

/* Would the last direction, which was exact, change no coordinate but for rounding? Then there is
 * no better displacement: a stiff servo's force changes by its stiffness times that rounding. */
static bool is_below_rounding(const cardan__discrete *d)
{
  const cardan__root *root = &d->root;
  bool below = is_exact(d) && root->error * root->tol <= below_rounding && d->border.n == 0;
  for (int k = 0; k < d->model->nv && below; k++) {
    below = fabs(root->step[k]) <= step_rounding * coordinate_size(d, k);
  }
  return below;
}

/* Is what could not be lowered rounding? With loops, near a singular position, impulses are large
 * and cancel, and a Newton step is exact only to their rounding: more is taken for it there. */
static bool is_rounding(const cardan__discrete *d)
{
  const cardan__root *root = &d->root;
  const bool cancels = d->border.n > 0 && is_exact(d);
  return root->error * root->tol <= (cancels ? root->loop_floor : root->floor) ||
         is_below_rounding(d);
}

/* Iterations with a factorisation of this step, made again when the last gain, repeated, is not
 * enough. There is nothing more to gain when a direction that was exact did not help, or many that
 * were not; nor where several answers of (N) take turns. */
static cardan_status iterate_fresh(cardan__discrete *d)
{
  cardan__root *root = &d->root;
  const bool exact = is_exact(d);
  cardan_status status = CARDAN_OK;
  bool factored = false, directed = false; // directed: step is of this search
  double best = HUGE_VAL;
  int stalls = 0;
  while (status == CARDAN_OK && root->error > 1) {
    const bool fresh = !factored;
    const double before = root->error;
    bool fell = false;
    if (cardan__stepper_stopped(&d->base)) {
      return CARDAN_ERR_STOPPED;
    }
    if (!isfinite(root->merit) || d->base.iterations >= root->limit) {
      return directed && is_below_rounding(d) ? CARDAN_OK : no_root(d);
    }
    status = fresh ? cardan__root_factor(d) : CARDAN_OK;
    if (status == CARDAN_OK) {
      status = iterate(d, fresh || !exact ? MAX_TRIES : 1, &fell);
      directed = true;
    }
    stalls = root->merit < best ? 0 : stalls + 1;
    best = fmin(best, root->merit);
    const bool wanders = stalls > MAX_STALLS && (!exact || cardan__has_cones(d));
    const bool stalled = wanders || (exact ? fresh && !fell : !fell);
    factored = !exact || is_gain_enough(before, root->error);
    if (status == CARDAN_OK && root->error > 1 && stalled) {
      if (!renew_scale(d)) {
        return is_rounding(d) ? CARDAN_OK : no_root(d);
      }
      best = HUGE_VAL;
      factored = false;
    }
  }
  return status;
}

/* ---- what adds up ----
 * A guess that is good enough is taken as it is, and the next one is made from it: what it lacks
 * has one sign for long. Between impacts without loss that adds up to more than rounding, as does
 * what a factorisation of another length leaves of the step to the impact. An error
 * of the gaps of contacts is a length that is wrong. */

static const double settled = 1e-2; // of the gaps' tolerance

static bool adds_up(cardan__discrete *d)
{
  const cardan__held_rows *held = d->base.held;
  const bool guessed = d->base.iterations == d->root.begun + 1;
  if (held == NULL || d->root.error * d->root.tol <= DBL_EPSILON) {
    return false;
  }
  if (cardan__has_cones(d)) { // what (N) itself was left with stays
    const bool solved = fabs(d->h) * d->border.cone_error <= settled * d->border.phi_tol;
    return solved && d->root.error > settled && cardan__hold_error(d) > settled;
  }
  return held->calls->adds_up(held, guessed);
}

/* One direction more; where that does not help, back. */
static cardan_status polish(cardan__discrete *d)
{
  cardan__root *root = &d->root;
  const double before = root->error;
  const bool same = fabs(root->h - d->h) <= same_length * fabs(d->h);
  const bool directed = d->base.iterations > root->begun + 1; // in this step, so that rows are its
  cardan_status status =
      root->factored && same && (d->border.n == 0 || directed) ? CARDAN_OK : cardan__root_factor(d);
  if (status != CARDAN_OK) {
    return status;
  }
  const double left = d->border.cone_error;
  const int unsolved = d->border.unsolved_cone;
  cardan__border_direction(d);
  if (cardan__has_cones(d) && d->border.unsolved_cone >= 0) {
    d->border.cone_error = left;
    d->border.unsolved_cone = unsolved;
    return CARDAN_OK;
  }
  save_iterate(d);
  advance(d, 1);
  status = cardan__root_evaluate(d, false);
  if (status != CARDAN_OK || !(root->error < before)) {
    d->border.cone_error = left;
    cardan__displacement_copy(d->model, &root->kept, &d->x);
    memcpy(d->border.lambda, d->border.lambda_kept, (size_t)d->border.n * sizeof *d->border.lambda);
    status = cardan__root_evaluate(d, false);
  }
  return status;
}

void cardan__root_forget(cardan__discrete *d)
{
  d->root.factored = false;
  d->root.scale_age = -1;
}

void cardan__root_start(cardan__discrete *d)
{
  cardan__root_forget(d);
  d->root.wait = d->root.patience = 0;
  d->root.gain = least_gain;
}

void cardan__root_advance(cardan__discrete *d, double part)
{
  save_iterate(d);
  advance(d, part);
}

cardan_status cardan__root_find(cardan__discrete *d, int most)
{
  cardan__root *root = &d->root;
  if (cardan__stepper_stopped(&d->base)) {
    return CARDAN_ERR_STOPPED; // a search that was cut short is not followed by one that is not
  }
  d->linear.nbroyden = 0;
  cardan__info_clear(&d->node->info);
  root->begun = d->base.iterations;
  root->limit = most < INT_MAX - root->begun ? root->begun + most : INT_MAX;
  root->shortened = false;
  cardan_status status = cardan__root_evaluate(d, true);
  if (!(root->error * root->tol < well_guessed)) {
    renew_scale(d);
  }
  if (status == CARDAN_OK && root->error > 1 && isfinite(root->merit) && old_factor_will_do(d)) {
    status = try_old_factor(d);
  }
  if (status == CARDAN_OK) {
    status = iterate_fresh(d);
  }
  if (status == CARDAN_OK && root->error > sure && renew_scale(d) && root->error > 1) {
    status = iterate_fresh(d);
  }
  if (status == CARDAN_OK && adds_up(d)) {
    status = polish(d);
  }
  if (status != CARDAN_OK) {
    cardan__root_forget(d);
    d->node->info.iterations = d->base.iterations;
  }
  return status;
}
