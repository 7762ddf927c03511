// SPDX-License-Identifier: Apache-2.0
#include "methods/maximal/backward.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/linalg.h"

/* The step of backward Euler, its forces, rows and multipliers those of the end:
 *   R(x, l) = M x + J(q)^T l - h M v_n - h^2 F(q, x / h) = 0,   Phi(q) = 0,   q = q_n + x      (E1)
 * Along (dx, dl) it changes by what the rows give, P = [M J^T; J 0], and by how rows and forces
 * turn and grow with the displacement: d(J^T l), dF, and what a turn on top of the turn x is.
 *   A (dx, dl) = (R(x + e dx, l) - R(x, l)) / e + J^T dl,   (Phi(x + e dx) - Phi(x)) / e       (E2)
 * all of it by one difference in that direction, with e |dx| = 1e-9 rad, or mechanism's lengths,
 * which leaves A and a correction 7 digits, and is short beside the way to a singular position.
 * Short steps are nearly linear, and P alone converges, by 1e-3 a correction at 1 ms. Where
 * corrections fall by less than a tenth, P^-1 A (dx, dl) = -P^-1 (R, Phi) is solved instead, by
 * GMRES, as exactly as the correction is small: the residual falls as its square.
 *
 * The corrections that P would make are the measure of how open (E1) is. With A they have to become
 * smaller, or the correction just made is halved. The search starts from x = h v_n. Where it finds
 * nothing, the root is followed from x = 0 while the part a of h M v_n + h^2 F that acts, and of
 * the time that moves drivers, grows from 0 to 1. Friction that stops several joints within the
 * step is as steep as its limit over vs, and its root is followed from a law that is WIDEST times
 * as wide, which is nearly linear, to its own. */

enum {
  PRODUCTS = 60, // most of one correction
  HALVINGS = 6,  // of one correction
  TRIES = 60,    // evaluations from one guess
  FEW = 12,      // and to the next point of the root that is followed
  PARTS = 64     // a smaller part is not tried
};
static const double WIDEST = 1e5, NARROWS = 0.9; // shares of the width that leave no progress
static const double falls = 0.1;                 // of P alone
static const double change = 1e-9;               // e |dx|
static const double longest = 1.0;               // correction [rad, or lengths of the mechanism]
static const double between = 1e3;               // tolerances that are no rounding of stiff forces
static const double rounding = 1e-7;             // largest correction that may stop falling

static void layout(void *what, cardan__carver *c)
{
  cardan__mx_backward *w = what;
  const cardan__maximal *mx = w->s->mx;
  const size_t nx = (size_t)mx->nx, n = nx + (size_t)mx->neq;
  w->J = cardan__carve(c, (size_t)mx->nentry * (size_t)mx->dof, sizeof *w->J);
  w->residual = cardan__carve(c, nx, sizeof *w->residual);
  w->kept = cardan__carve(c, nx, sizeof *w->kept);
  w->phi = cardan__carve(c, n - nx, sizeof *w->phi);
  double **const each[] = {&w->start, &w->way, &w->branch, &w->b, &w->z};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    *each[i] = cardan__carve(c, n, sizeof(double));
  }
  w->krylov = cardan__carve(c, cardan__gmres_work((int)n, PRODUCTS), sizeof *w->krylov);
}

cardan_status cardan__mx_backward_open(cardan__mx_backward *w)
{
  const cardan__maximal *mx = w->s->mx;
  w->mass = 0;
  for (int b = 0; b < mx->nbody; b++) {
    w->mass += mx->body[b].m / mx->nbody;
  }
  w->block = cardan__carve_block(&w->s->base.allocator, layout, w);
  return w->block != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

void cardan__mx_backward_close(cardan__mx_backward *w)
{
  cardan__resize(&w->s->base.allocator, w->block, 0);
}

/* ---- corrections ---- */

/* The correction by P, of what was evaluated last, to dx and dl; returns its size. */
static double correct_by_rows(const cardan__mx_backward *w)
{
  cardan__mx_stepper *s = w->s;
  const cardan__maximal *mx = s->mx;
  memcpy(w->residual, s->dx, (size_t)mx->nx * sizeof *s->dx);
  for (int e = 0; e < mx->neq; e++) {
    w->phi[e] = mx->rows.phi[mx->row[e]];
    s->g[e] = -w->phi[e];
  }
  cardan__kkt_solve(s->kkt, s->dx, s->g, s->dx, s->dl);
  return cardan__mx_size(s, s->dx);
}

/* y = P^-1 A z, z = (dx, dl / mass). */
static void apply(void *context, const double *z, double *y)
{
  const cardan__mx_backward *w = context;
  cardan__mx_stepper *s = w->s;
  cardan__maximal *mx = s->mx;
  const int nx = mx->nx, neq = mx->neq;
  const double size = cardan__mx_size(s, z), e = size > 0 ? change / size : 0;
  double *J = mx->J;
  memcpy(w->kept, s->x, (size_t)nx * sizeof *s->x);
  for (int i = 0; i < nx; i++) {
    s->x[i] += e * z[i];
  }
  mx->J = w->J; // P reads its own
  cardan__mx_place_trial(s);
  const cardan_status status = w->evaluate(w->self, false);
  (void)status; // without factors nothing can fail
  for (int k = 0; k < neq; k++) {
    s->g[k] = e > 0 ? (mx->rows.phi[mx->row[k]] - w->phi[k]) / e : 0;
    s->dl[k] = w->mass * z[nx + k];
  }
  for (int i = 0; i < nx; i++) {
    s->dx[i] = e > 0 ? (w->residual[i] - s->dx[i]) / e : 0;
  }
  mx->J = J;
  cardan__mx_transpose(mx, 1, s->dl, s->dx);
  memcpy(s->x, w->kept, (size_t)nx * sizeof *s->x);
  cardan__kkt_solve(s->kkt, s->dx, s->g, y, y + nx);
  for (int k = 0; k < neq; k++) {
    y[nx + k] /= w->mass;
  }
}

static void pass(void *context, const double *x, double *y)
{
  const cardan__mx_backward *w = context;
  memmove(y, x, ((size_t)w->s->mx->nx + (size_t)w->s->mx->neq) * sizeof *y);
}

/* From the correction by P in dx and dl to that by A. A tolerance that GMRES does not reach shows
 * in the next correction. */
static void correct_by_all(cardan__mx_backward *w, double size)
{
  cardan__mx_stepper *s = w->s;
  const int nx = s->mx->nx, neq = s->mx->neq, n = nx + neq;
  const cardan__operator A = {.apply = apply, .precondition = pass, .context = w};
  memcpy(w->b, s->dx, (size_t)nx * sizeof *w->b);
  for (int k = 0; k < neq; k++) {
    w->b[nx + k] = s->dl[k] / w->mass;
  }
  cardan__gmres(&A, n, w->b, w->z, fmin(1e-2, fmax(1e-7, size)), n < PRODUCTS ? n : PRODUCTS,
                w->krylov);
  memcpy(s->dx, w->z, (size_t)nx * sizeof *s->dx);
  for (int k = 0; k < neq; k++) {
    s->dl[k] = w->mass * w->z[nx + k];
  }
}

/* The correction in dx and dl, at most `longest` of it, from x and l; returns its size. */
static double set_out(const cardan__mx_backward *w)
{
  const cardan__mx_stepper *s = w->s;
  const int nx = s->mx->nx, neq = s->mx->neq;
  const double size = cardan__mx_size(s, s->dx), part = size > longest ? longest / size : 1;
  memcpy(w->start, s->x, (size_t)nx * sizeof *s->x);
  memcpy(w->start + nx, s->lambda, (size_t)neq * sizeof *s->x);
  for (int i = 0; i < nx; i++) {
    w->way[i] = part * s->dx[i];
  }
  for (int e = 0; e < neq; e++) {
    w->way[nx + e] = part * s->dl[e];
  }
  return size;
}

/* x, l = start + part way */
static void move_iterate(const cardan__mx_backward *w, double part)
{
  const cardan__mx_stepper *s = w->s;
  const int nx = s->mx->nx, neq = s->mx->neq;
  for (int i = 0; i < nx; i++) {
    s->x[i] = w->start[i] + part * w->way[i];
  }
  for (int e = 0; e < neq; e++) {
    s->lambda[e] = w->start[nx + e] + part * w->way[nx + e];
  }
}

/* ---- the search ---- */

/* Is the residual of (E1) only rounding of its terms? */
static bool is_closed(const cardan__mx_backward *w)
{
  const cardan__mx_stepper *s = w->s;
  const double closed = 1e-12 * (1 + s->base.model->size_length);
  double size = 0, left = 0, open = 0;
  for (int i = 0; i < s->mx->nx; i++) {
    size = fmax(size, fabs(s->rhs[i]) + w->h * w->h * fabs(s->f[i]));
    left = fmax(left, fabs(w->residual[i]));
  }
  for (int e = 0; e < s->mx->neq; e++) {
    open = fmax(open, s->kkt->idle[e] ? 0 : fabs(w->phi[e]));
  }
  return left <= 1e-12 * size && open <= closed;
}

/* From x and l. Returns CARDAN_OK; CARDAN_ERR_NO_CONVERGENCE: with P alone, as soon as it is slow;
 * what an evaluation returned. */
static cardan_status search(cardan__mx_backward *w, bool all, int tries)
{
  cardan__mx_stepper *s = w->s;
  double open = HUGE_VAL, before = HUGE_VAL, part = 1;
  for (int i = 1, halved = 0; i <= tries; i++) {
    if (cardan__stepper_stopped(&s->base)) {
      return CARDAN_ERR_STOPPED;
    }
    cardan__mx_place_trial(s);
    const cardan_status status = w->evaluate(w->self, true);
    if (status != CARDAN_OK) {
      return status;
    }
    s->base.iterations++;
    const double now = correct_by_rows(w);
    if (all && !(now <= open) && halved < HALVINGS) {
      halved++;
      part *= 0.5;
      move_iterate(w, part);
      continue;
    }
    if (all) {
      correct_by_all(w, now);
    }
    s->size = set_out(w);
    if (!isfinite(s->size)) {
      return CARDAN_ERR_NO_CONVERGENCE;
    }
    move_iterate(w, 1);
    const bool falling = i <= 2 || s->size < 0.5 * before;
    if (s->size <= s->tol || (!falling && (s->size <= rounding || is_closed(w)))) {
      cardan__mx_drift(s->mx, s->cfg, s->x, s->cfg_try);
      return CARDAN_OK;
    }
    if (!all && i > 1 && s->size > falls * before) {
      return CARDAN_ERR_NO_CONVERGENCE;
    }
    open = now;
    before = s->size;
    halved = 0;
    part = 1;
  }
  return CARDAN_ERR_NO_CONVERGENCE;
}

/* The body whose last correction is the largest, or the row that is open by more than that. */
static cardan_status say_what_is_open(const cardan__mx_backward *w, cardan_data *data)
{
  cardan__mx_stepper *s = w->s;
  const cardan__maximal *mx = s->mx;
  const int dof = mx->dof;
  int row, body = 0;
  double largest = 0;
  const double worst = cardan__mx_violation(mx, &row);
  for (int i = 0; i < mx->nx; i++) {
    const double x = fabs(w->way[i]) / (i % dof < dof / 2 ? 1 : s->length);
    if (!(x <= largest)) {
      largest = x;
      body = i / dof;
    }
  }
  if (!isfinite(worst) || !isfinite(largest)) {
    return cardan__mx_fail(s, data, CARDAN_ERR_NOT_FINITE, row, worst, s->base.iterations);
  }
  if (worst > largest * s->length) {
    return cardan__mx_fail(s, data, CARDAN_ERR_NO_CONVERGENCE, row, worst, s->base.iterations);
  }
  const int joint = s->base.model->body[mx->body[body].body].joint;
  data->info = (cardan_info){.body = mx->body[body].body, .joint = joint, .row = -1};
  data->info.residual = largest;
  data->info.iterations = s->base.iterations;
  snprintf(
      data->info.message, sizeof data->info.message,
      "the equations of motion stay open at the body of joint \"%.60s\", by %.3g rad or lengths "
      "of the mechanism after %d iterations; a solution was followed up to %.0f %% of the "
      "momentum",
      s->base.model->joint[joint].name, largest, s->base.iterations, 100 * w->part);
  return CARDAN_ERR_NO_CONVERGENCE;
}

/* The root from x = 0 on; w->part says how far it got. */
static cardan_status follow(cardan__mx_backward *w)
{
  cardan__mx_stepper *s = w->s;
  const size_t nx = (size_t)s->mx->nx, neq = (size_t)s->mx->neq;
  double a = 0, more = 0.25;
  memset(w->branch, 0, (nx + neq) * sizeof *w->branch);
  while (a < 1) {
    more = fmin(more, 1 - a);
    w->part = a + more;
    s->mx->t = w->part < 1 ? w->t - (1 - w->part) * w->h : w->t;
    // a short way is straight
    const double grow = a > 0 ? w->part / a : 1;
    for (size_t k = 0; k < nx; k++) {
      s->x[k] = grow * w->branch[k];
    }
    for (size_t k = 0; k < neq; k++) {
      s->lambda[k] = grow * w->branch[nx + k];
    }
    const cardan_status status = search(w, true, FEW);
    if (status == CARDAN_OK) {
      memcpy(w->branch, s->x, nx * sizeof *s->x);
      memcpy(w->branch + nx, s->lambda, neq * sizeof *s->lambda);
      a = w->part;
      more *= 2;
    } else if (status != CARDAN_ERR_NO_CONVERGENCE || more * PARTS < 1) {
      w->part = a;
      return status;
    } else {
      more *= 0.5;
    }
  }
  return CARDAN_OK;
}

/* The root x, lambda to w->branch, or back from there. */
static void copy_root(const cardan__mx_backward *w, bool back)
{
  const cardan__mx_stepper *s = w->s;
  cardan__spans list;
  list.n = 0;
  cardan__spans_add(&list, s->x, (size_t)s->mx->nx, sizeof *s->x);
  cardan__spans_add(&list, s->lambda, (size_t)s->mx->neq, sizeof *s->lambda);
  (void)cardan__spans_copy(&list, (char *)w->branch, back);
}

/* x = h v_n, the guess of the search. */
static void begin_search(const cardan__mx_backward *w)
{
  const cardan__mx_stepper *s = w->s;
  for (int k = 0; k < s->mx->nx; k++) {
    s->x[k] = w->h * s->vel[k];
  }
  memset(s->lambda, 0, (size_t)s->mx->neq * sizeof *s->lambda);
}

/* The root from that of a wide law of friction on. */
static cardan_status narrow_friction(cardan__mx_backward *w)
{
  const double followed = w->part;
  double share = 0.1;
  begin_search(w);
  w->part = 1;
  w->s->mx->t = w->t;
  w->wide = WIDEST;
  cardan_status status = search(w, true, TRIES);
  while (status == CARDAN_OK && w->wide > 1) {
    const double before = w->wide;
    copy_root(w, false);
    w->wide = fmax(1, before * share);
    status = search(w, true, 2 * FEW);
    if (status == CARDAN_ERR_NO_CONVERGENCE && share < NARROWS) {
      copy_root(w, true);
      w->wide = before;
      share = sqrt(share);
      status = CARDAN_OK;
    } else {
      share = fmax(share * share, 0.1);
    }
  }
  w->wide = 1;
  w->part = status == CARDAN_OK ? 1 : followed;
  return status;
}

/* Does x leave the equations open? A correction that is small next to a force that jumps, as the
 * difference in (A) has it, is none: such a force has a value in between there. */
static bool is_between_sides(const cardan__mx_backward *w)
{
  cardan__mx_stepper *s = w->s;
  cardan__mx_place_trial(s);
  return w->evaluate(w->self, true) != CARDAN_OK || !(correct_by_rows(w) <= between * s->tol);
}

cardan_status cardan__mx_backward_solve(cardan__mx_backward *w, cardan_data *data, double h)
{
  cardan__mx_stepper *s = w->s;
  cardan_status status = CARDAN_ERR_NO_CONVERGENCE;
  const int most = s->base.options->max_iter, tries = most < TRIES ? most : TRIES;
  s->base.iterations = 0;
  w->h = h;
  w->t = s->mx->t;
  w->part = w->wide = 1;
  for (int i = 0; i < 2 && status == CARDAN_ERR_NO_CONVERGENCE; i++) { // by P; by A
    begin_search(w);
    status = search(w, i > 0, tries);
  }
  if (status == CARDAN_ERR_NO_CONVERGENCE) {
    status = follow(w);
  }
  if (status == CARDAN_ERR_NO_CONVERGENCE && s->base.model->has_friction) {
    status = narrow_friction(w);
  }
  if (status == CARDAN_OK && s->base.locates && is_between_sides(w)) {
    status = CARDAN_ERR_NO_CONVERGENCE;
  }
  return status == CARDAN_ERR_NO_CONVERGENCE ? say_what_is_open(w, data) : status;
}
