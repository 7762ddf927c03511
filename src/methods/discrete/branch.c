// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CARDAN__WIDTH 1 // its rules for one simulation
#include "kernels/root_policy.h"
#include "methods/discrete/discrete.h"

/* Which root is the step's?
 *
 * (D1) is F(z) = 0 with z = (x, lambda) and F = (r - G_k^T lambda, Phi(q^{k+1})). Let z0 be no
 * displacement, but for prescribed ones, and no impulses. The branch of the motion is what hangs
 * together with z0 among the solutions of
 *   F(z) = (1 - a) F(z0),   a from 0 to 1                                                   (R1)
 * where a is the part of the node's momentum, and of the impulses on it, that acts; at z0 the
 * derivative is M(q^k) / h. The step's root is its point at a = 1. Where dF/dz = K becomes singular
 * on it before, a fold, no root continues the motion; other roots exist nearly always, and belong
 * to none.
 *
 * Along the branch dz/da = y with K y = -F(z0). A short step is straight: at the root y is x - x0
 * but for O(h). So
 *   tau = |y - (x - x0)| / |x - x0|   (largest entries, turns in rad, ways in sizes of the
 *                                      mechanism)
 * is small on the branch, infinite at a fold, and of the order of 1 on others. It costs two
 * evaluations, a factorisation and a solve, and is computed where the root was not found at once.
 *
 * A root that fails the test is looked for again from the last displacement and from none; then
 * the branch itself is followed by its tangent y and Newton's corrections of (R1). Methods whose
 * iteration has no K of its own use the equation's for both. */

enum {
  CORRECTIONS = 6,   // of one point of the branch
  MOST_PARTS = 4096, // a smaller part of the momentum is not tried
  FEW_PARTS = 64     // nor this, where the step may be taken in parts
};
static const double bent = 0.75;      // tau on the way, from which on parts of the step are better
static const double on_branch = 1e-7; // of the displacement: a correction that is the last

/* ---- sizes of displacements ---- */

/* Largest entry of a - part b, turns in rad, ways in sizes of the mechanism; b NULL: of a. *where,
 * when wanted: which it is. */
static double distance(const cardan__discrete *d, const double *a, double part, const double *b,
                       int *where)
{
  double largest = 0;
  for (int k = 0; k < d->model->nv; k++) {
    const double e = fabs(b != NULL ? a[k] - part * b[k] : a[k]) * d->branch.unit[k];
    if (!(e <= largest)) { // also when it is not a number
      largest = e;
      if (where != NULL) {
        *where = k;
      }
    }
  }
  return largest;
}

static double largest_turn(const cardan__discrete *d, const double *x)
{
  double largest = 0;
  for (int k = 0; k < d->model->nv; k++) {
    largest = d->root.turns[k] ? fmax(largest, fabs(x[k])) : largest;
  }
  return largest;
}

/* ---- K and F(z0) ---- */

/* From here on directions are exact, whatever the solver; returns what they were. */
static cardan__linear_kind be_exact(cardan__discrete *d)
{
  const cardan__linear_kind kind = d->linear.kind;
  d->linear.kind = d->linear.exact;
  return kind;
}

static void save_iterate(cardan__discrete *d)
{
  cardan__branch *b = &d->branch;
  cardan__displacement_copy(d->model, &d->x, &b->at);
  memcpy(b->lambda, d->border.lambda, (size_t)d->border.n * sizeof *b->lambda);
}

static void restore(cardan__discrete *d)
{
  cardan__branch *b = &d->branch;
  cardan__displacement_copy(d->model, &b->at, &d->x);
  memcpy(d->border.lambda, b->lambda, (size_t)d->border.n * sizeof *b->lambda);
}

/* z = z0, and F there to branch.r0 and phi0; x0 stays in branch.x0. */
static cardan_status enter_start(cardan__discrete *d)
{
  cardan__branch *b = &d->branch;
  const cardan_model *model = d->model;
  cardan_status status = cardan__guess_make(d, CARDAN__GUESS_CURRENT);
  memset(d->border.lambda, 0, (size_t)d->border.n * sizeof *d->border.lambda);
  if (status == CARDAN_OK) {
    memcpy(b->x0, d->x.dq, (size_t)model->nv * sizeof *b->x0);
    status = cardan__root_evaluate(d, false);
  }
  memcpy(b->r0, d->r, (size_t)model->nv * sizeof *b->r0);
  memcpy(b->phi0, d->border.phi,
         (size_t)(d->border.n > 0 ? model->nrow + d->border.n - d->border.nloop : 0) *
             sizeof *b->phi0);
  return status;
}

/* The branch's direction y at the last evaluation, as factored, to root.step and border.sigma. r
 * and phi stay. */
static void tangent(cardan__discrete *d)
{
  cardan__branch *b = &d->branch;
  double *r = d->r, *phi = d->border.phi;
  d->r = b->r0;
  d->border.phi = b->phi0;
  cardan__border_direction(d);
  d->r = r;
  d->border.phi = phi;
}

/* Does branch.y go where the momentum does, h y . F0 < 0? At z0 it does unless slopes of forces
 * outweigh inertia in K; rows that move by themselves, drivers, push too, and then the
 * direction is unknown, and so it is for a mechanism at rest. */
static bool follows_momentum(const cardan__discrete *d)
{
  double sum = 0;
  for (int k = 0; k < d->model->nv; k++) {
    sum += d->branch.y[k] * d->branch.r0[k];
  }
  return goes_forwards(distance(d, d->branch.y, 0, NULL, NULL), -sum * d->h);
}

/* ---- the test ---- */

typedef struct {
  double size, off, swing; // of the displacement; from the guess; from the last one
} root_place;

static root_place place_of(const cardan__discrete *d)
{
  const cardan__extrapolation *history = &d->stages.history[d->stages.now];
  const double *x = d->x.dq, *guess = d->branch.guess, *unit = d->branch.unit;
  const double *last = history->have > 0 ? history->D : x;
  root_place p = {0, 0, 0};
  for (int k = 0; k < d->model->nv; k++) {
    const double size = fabs(x[k]) * unit[k], off = fabs(x[k] - guess[k]) * unit[k];
    const double swing = fabs(x[k] - last[k]) * unit[k];
    p.size = size > p.size ? size : p.size;
    p.off = off > p.off ? off : p.off;
    p.swing = swing > p.swing ? swing : p.swing;
  }
  return p;
}

/* Is the root nearer to its guess (close_by), and to the last displacement, than any root has to
 * be? The usual case, once in every step: in one go, without sizes, so that vectors take it. */
static bool is_usual(const cardan__discrete *d)
{
  const cardan__extrapolation *history = &d->stages.history[d->stages.now];
  const double *x = d->x.dq, *guess = d->branch.guess, *unit = d->branch.unit;
  const double *last = history->have > 0 ? history->D : x;
  int far = 0;
  for (int k = 0; k < d->model->nv; k++) {
    far |= (fabs(x[k] - guess[k]) * unit[k] > d->branch.close_by) |
           (fabs(x[k] - last[k]) * unit[k] > CARDAN__LARGEST_SWING);
  }
  return far == 0;
}

/* Did the search go straight to a root near its guess? Where the guess was wild that may be a turn
 * away. */
static bool is_easy(const cardan__discrete *d, cardan__guess guess)
{
  const int evaluations = d->base.iterations - d->root.begun;
  if (d->root.shortened ||
      (evaluations > CARDAN__EASY_SEARCH && d->linear.kind != CARDAN__BY_MASS)) {
    return false;
  }
  if (is_usual(d)) {
    return true;
  }
  const root_place p = place_of(d);
  // a guess of no displacement is no forecast: there the turn itself has to be small
  const double reference = guess == CARDAN__GUESS_CURRENT ? 1 : p.size;
  return is_steady(p.size, p.swing) && is_near_guess(reference, p.off);
}

/* tau <= regular, at the root in d->x. What the equation knows of the step is that of the root
 * again when this is over. */
static cardan_status check(cardan__discrete *d, bool *found)
{
  cardan__branch *b = &d->branch;
  const double *x = d->x.dq;
  save_iterate(d);
  cardan_status status = enter_start(d);
  restore(d);
  const cardan_status again = cardan__root_evaluate(d, false);
  status = status == CARDAN_OK ? again : status;
  if (status == CARDAN_OK) {
    const cardan__linear_kind kind = be_exact(d);
    status = cardan__root_factor(d);
    if (status == CARDAN_OK) {
      tangent(d);
      for (int k = 0; k < d->model->nv; k++) {
        b->y[k] = x[k] - b->x0[k];
      }
      const double way = distance(d, b->y, 0, NULL, NULL);
      *found = is_regular(way, distance(d, b->y, 1, d->root.step, NULL)) &&
               (d->border.n > 0 || follows_momentum(d));
    }
    d->linear.kind = kind;
  }
  return status;
}

/* ---- along the branch ---- */

/* Newton's corrections of (R1) at a, from the predicted z: each at most half of the one before.
 * *reached: the last was small. */
static cardan_status correct(cardan__discrete *d, double a, bool *reached)
{
  cardan__branch *b = &d->branch;
  const size_t n = (size_t)d->model->nv;
  double last = 1; // the first: half a radian
  *reached = false;
  for (int i = 0; i < CORRECTIONS; i++) {
    cardan_status status = cardan__root_evaluate(d, false);
    if (status == CARDAN_OK) {
      status = cardan__root_factor(d);
    }
    if (status != CARDAN_OK) {
      return status;
    }
    for (size_t k = 0; k < n; k++) {
      d->r[k] -= (1 - a) * b->r0[k];
    }
    for (int j = 0; j < d->border.n; j++) {
      d->border.phi[d->border.row[j]] -= (1 - a) * b->phi0[d->border.row[j]];
    }
    cardan__border_direction(d);
    const double change = distance(d, d->root.step, 0, NULL, NULL);
    if (!(change <= 0.5 * last)) {
      return CARDAN_OK;
    }
    cardan__root_advance(d, 1);
    last = change;
    if (change <= on_branch * fmin(1, distance(d, d->x.dq, 0, NULL, NULL)) + DBL_EPSILON) {
      *reached = true;
      return CARDAN_OK;
    }
  }
  return CARDAN_OK;
}

/* From the point in branch.at, at a, a part further: predictor and corrections. */
static cardan_status advance(cardan__discrete *d, double a, double part, bool *reached)
{
  cardan__branch *b = &d->branch;
  memcpy(d->root.step, b->y, (size_t)d->model->nv * sizeof *b->y);
  memcpy(d->border.sigma, b->sigma, (size_t)d->border.n * sizeof *b->sigma);
  cardan__root_advance(d, part);
  return correct(d, a + part, reached);
}

static void take_tangent(cardan__discrete *d)
{
  cardan__branch *b = &d->branch;
  tangent(d);
  memcpy(b->y, d->root.step, (size_t)d->model->nv * sizeof *b->y);
  memcpy(b->sigma, d->border.sigma, (size_t)d->border.n * sizeof *b->sigma);
}

/* The row that asks for the largest motion over the step by itself, a driver's; -1: none does. */
static int driven_row(const cardan__discrete *d)
{
  double largest = d->border.phi_tol;
  int row = -1;
  for (int j = 0; j < d->border.nloop; j++) {
    const int i = d->border.row[j];
    if (fabs(d->branch.phi0[i]) > largest) {
      largest = fabs(d->branch.phi0[i]);
      row = i;
    }
  }
  return row;
}

/* What to say of a branch that ends at the part a of the momentum. */
static cardan_status no_continuation(cardan__discrete *d, double a)
{
  const cardan_model *model = d->model;
  cardan_info *info = &d->node->info;
  const double percent = a > 0.99 ? round(1e4 * a) / 100 : round(100 * a);
  char driver[104] = "";
  int worst = 0;
  (void)distance(d, d->branch.y, 0, NULL, &worst);
  *info = (cardan_info){.body = model->v_body[worst],
                        .joint = model->body[model->v_body[worst]].joint,
                        .row = driven_row(d),
                        .residual = 1 - a};
  const char *name = model->joint[info->joint].name;
  if (info->row >= 0) {
    snprintf(driver, sizeof driver, " and of what constraint \"%.60s\" asks for",
             model->constraint[model->row[info->row].constraint].name);
  }
  if (a == 0) {
    snprintf(info->message, sizeof info->message,
             "over h = %.3g s joint \"%.60s\" would move by about %.2g %s", d->h, name,
             fabs(d->branch.y[worst]), d->root.turns[worst] ? "rad" : "m");
  } else {
    snprintf(info->message, sizeof info->message,
             "over h = %.3g s its branch ends at %.4g %% of the momentum%s, at joint \"%.60s\"; up "
             "to about %.2g s there is one",
             d->h, percent, driver, name, 0.98 * a * fabs(d->h));
  }
  return CARDAN_ERR_NO_ROOT;
}

static cardan_status no_start(cardan__discrete *d)
{
  cardan_info *info = &d->node->info;
  *info = (cardan_info){.body = -1, .joint = -1, .row = -1};
  snprintf(info->message, sizeof info->message,
           "over h = %.3g s slopes of the forces at the node outweigh inertia", d->h);
  return CARDAN_ERR_NO_ROOT;
}

/* Where the step may be taken in parts: has the branch bent so far, at a, that these are better? */
static bool is_bent(cardan__discrete *d, double a)
{
  double *way = d->root.step;
  for (int k = 0; k < d->model->nv; k++) {
    way[k] = (d->x.dq[k] - d->branch.x0[k]) / a;
  }
  return d->base.options->adapt > 0 &&
         distance(d, way, 1, d->branch.y, NULL) >
             bent * distance(d, way, 0, NULL, NULL) + CARDAN__NO_MOTION;
}

/* A part further along the branch from the point in branch.at, which then is the one reached; else
 * all is as before, and *reached false. */
static void climb(cardan__discrete *d, double a, double part, bool *reached)
{
  const cardan_status status = advance(d, a, part, reached);
  for (int k = 0; k < d->model->nv; k++) {
    d->root.step[k] = d->x.dq[k] - d->branch.at.dq[k];
  }
  *reached =
      *reached && status == CARDAN_OK && largest_turn(d, d->root.step) <= CARDAN__LARGEST_TURN;
  if (*reached) {
    take_tangent(d);
    save_iterate(d);
  } else {
    restore(d);
  }
}

/* The root at a = 1 from z0, by (R1). */
static cardan_status follow(cardan__discrete *d)
{
  const double smallest = 1.0 / (d->base.options->adapt > 0 ? FEW_PARTS : MOST_PARTS);
  double a = 0, part = 0.5;
  cardan_status status = enter_start(d);
  status = status == CARDAN_OK ? cardan__root_factor(d) : status;
  if (status != CARDAN_OK) {
    return status;
  }
  take_tangent(d);
  if (!follows_momentum(d) && driven_row(d) < 0) {
    return no_start(d);
  }
  save_iterate(d);
  while (a < 1) {
    bool reached = false;
    part = fmin(part, 1 - a);
    climb(d, a, part, &reached);
    a = reached ? a + part : a;
    part *= reached ? 2 : 0.5;
    if (part < smallest || (reached && is_bent(d, a))) {
      return no_continuation(d, a);
    }
  }
  return cardan__root_find(d, d->base.options->max_iter);
}

/* ---- the step's root ---- */

/* A search from that guess, and whether what it finds is on the branch. Friction bends the branch
 * as it brings joints to rest, and K has nothing of how its limits change: there what a search
 * finds is taken when it is not far from the last displacement. Friction makes no roots of its own,
 * since it only grows with velocities; those that there are without it are farther. Contacts bend
 * it as well, and what they catch or let go swings: there the root that is found from no
 * displacement is taken. */
static cardan_status try_guess(cardan__discrete *d, cardan__guess guess, bool first, bool *found)
{
  const int most = d->base.options->max_iter;
  const bool rubs = d->friction_acts || cardan__has_cones(d);
  const bool few = d->linear.kind != CARDAN__BY_MASS && most > CARDAN__SEARCH_MOST && !rubs;
  *found = false;
  if (!first) {
    memset(d->border.lambda, 0, (size_t)d->border.n * sizeof *d->border.lambda);
  }
  cardan_status status = cardan__guess_make(d, guess);
  if (status != CARDAN_OK) {
    return status;
  }
  memcpy(d->branch.guess, d->x.dq, (size_t)d->model->nv * sizeof *d->branch.guess);
  status = cardan__root_find(d, few ? CARDAN__SEARCH_MOST : most);
  if (status != CARDAN_OK) {
    return status;
  }
  if (rubs) {
    const root_place place = place_of(d);
    *found = is_steady(place.size, place.swing) ||
             (cardan__has_cones(d) && guess == CARDAN__GUESS_CURRENT);
  } else {
    *found = first && is_easy(d, guess);
  }
  return *found || cardan__has_cones(d) ? CARDAN_OK : check(d, found);
}

/* The same with the guessed sides of boxes: a search that does not go straight to an end that
 * agrees with them is left to rows. */
static void try_sides(cardan__discrete *d, bool *found)
{
  const root_place none = {0, 0, 0};
  cardan_status status = cardan__guess_make(d, d->guess);
  status = status == CARDAN_OK ? cardan__root_find(d, CARDAN__EASY_SEARCH) : status;
  const root_place place = status == CARDAN_OK ? place_of(d) : none;
  *found = status == CARDAN_OK && is_steady(place.size, place.swing) && cardan__boxes_agree(d);
}

cardan_status cardan__branch_solve(cardan__discrete *d)
{
  const cardan__guess guesses[] = {d->guess, CARDAN__GUESS_EULER, CARDAN__GUESS_CURRENT};
  const bool before = d->stages.history[d->stages.now].have > 0;
  cardan_status status = CARDAN_OK;
  bool found = false;
  cardan__border_keep(d);
  if (cardan__has_cones(d) && d->base.held->rest != CARDAN__REST_NO) {
    status = cardan__rest_try(d, &found);
    if (found || status != CARDAN_OK || d->base.held->rest == CARDAN__REST_ONLY) {
      return status;
    }
  }
  if (cardan__has_cones(d) && cardan__boxes_begin(d)) {
    try_sides(d, &found);
    if (found) {
      return CARDAN_OK;
    }
    cardan__hold_begin(d); // by rows
  }
  for (int i = 0; i < 3; i++) {
    const bool same = i > 0 && (guesses[i] == d->guess || (i == 1 && !before));
    status = same ? status : try_guess(d, guesses[i], i == 0, &found);
    if (found) {
      return CARDAN_OK;
    }
  }
  if (!cardan__has_cones(d)) {
    const cardan__linear_kind kind = be_exact(d);
    status = d->friction_acts && status != CARDAN_OK ? status : follow(d);
    d->linear.kind = kind;
  }
  if (status != CARDAN_OK) {
    cardan__border_restore(d);
    cardan__root_forget(d);
    d->node->info.iterations = d->base.iterations;
  }
  return status;
}
