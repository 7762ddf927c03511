// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <math.h>
#include <string.h>

#include "kinematics/joint.h"
#include "steppers/discrete.h"
#include "steppers/vi/vi.h"

/* The root of one step.
 *
 * An evaluation gives residuals f and Phi. It is accepted when |f_j| <= tol scale_j for every joint
 * (drnea.c) and |Phi_r| <= 1e-12 (1 + size of the mechanism). Otherwise the solver's direction is
 * followed. newton factors its Jacobian at the guess and keeps it as long as the last gain,
 * repeated, would be enough; else it factors anew: Newton where it is needed, a chord where that
 * does. Safeguards: no joint turns by more than 1 rad in an iteration, and a step that does not
 * lower the sum of squares of the relative residuals is halved. A residual that no longer falls is
 * accepted when it is at the level of rounding. */

enum { MAX_TRIES = 12, MAX_STALLS = 12 };

void cardan__vi_set_joints(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  for (int i = 1; i < model->nbody && model->nmulti > 0; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv > 1) {
      s->joint[s->node->multi_of[i]] = cardan__screw_exp(cardan__joint_motion(b, s->dq + b->vadr));
    }
  }
}

/* Adds part of step to dq: on the group, Z <- Z Exp(S part step), for joints of several
 * velocities. */
static void advance(cardan__vi *s, double part)
{
  const cardan_model *model = s->base.model;
  for (int k = 0; k < model->nv; k++) {
    s->dq[k] = s->dq_kept[k] + part * s->step[k];
  }
  for (int i = 1; i < model->nbody && model->nmulti > 0; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv > 1) {
      const int m = s->node->multi_of[i];
      const cardan_motion d =
          cardan__motion_scale(part, cardan__joint_motion(b, s->step + b->vadr));
      cardan__dlog_coeffs unused;
      s->joint[m] = cardan__screw_mul(s->joint_kept[m], cardan__screw_exp(d));
      const cardan_motion x = cardan__screw_log(&s->joint[m], &unused);
      const double all[6] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
      memcpy(s->dq + b->vadr, all, (size_t)b->nv * sizeof *all);
    }
  }
  for (int j = 0; j < s->nindependent; j++) {
    s->lambda[j] = s->lambda_kept[j] + part * s->sigma[j];
  }
}

static void keep(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  memcpy(s->dq_kept, s->dq, (size_t)model->nv * sizeof *s->dq);
  memcpy(s->joint_kept, s->joint, (size_t)model->nmulti * sizeof *s->joint);
  memcpy(s->lambda_kept, s->lambda, (size_t)s->nindependent * sizeof *s->lambda);
}

/* c of the residual: what acts on the joints themselves, and the constraints' impulses. */
static void joint_impulses(cardan__vi *s)
{
  const size_t nv = (size_t)s->base.model->nv;
  if (!s->has_forces && s->nindependent == 0) {
    return; // c is c0
  }
  for (size_t k = 0; k < nv; k++) {
    s->c[k] = s->c0[k] + (s->has_forces ? 0.5 * s->h * s->Q[k] : 0);
  }
  for (int j = 0; j < s->nindependent; j++) {
    const double *g = s->Gk + (size_t)j * nv;
    for (size_t k = 0; k < nv; k++) {
      s->c[k] += s->lambda[j] * g[k];
    }
  }
}

/* Sizes with the constraints' impulses counted too. */
static void invert_scale(cardan__vi *s)
{
  const size_t nv = (size_t)s->base.model->nv;
  for (size_t k = 0; k < nv; k++) {
    double size = s->scale[k];
    for (int j = 0; j < s->nindependent && size > 0; j++) {
      size += fabs(s->lambda[j] * s->Gk[(size_t)j * nv + k]);
    }
    s->inv_scale[k] = size > 0 ? 1 / size : 0;
  }
}

static void measure(cardan__vi *s)
{
  double largest = 0, sum = 0;
  for (int k = 0; k < s->base.model->nv; k++) {
    const double e = fabs(s->f[k]) * s->inv_scale[k];
    largest = e > largest ? e : largest;
    sum += e * e;
  }
  s->error = largest / s->tol;
  for (int j = 0; j < s->nindependent; j++) {
    const double e = fabs(s->phi[s->row[j]]) / s->phi_tol;
    s->error = e > s->error ? e : s->error;
    sum += e * e * s->tol * s->tol;
  }
  s->merit = sum;
  if (!isfinite(sum)) {
    s->error = HUGE_VAL; // comparisons above pass over what is not a number
  }
}

cardan_status cardan__vi_evaluate(cardan__vi *s, bool first)
{
  cardan_status status = CARDAN_OK;
  if (s->has_forces) {
    status = cardan__vi_forces(s, false);
  }
  joint_impulses(s);
  cardan__vi_residual(s);
  if (s->nindependent > 0) {
    cardan__vi_constraints(s);
  }
  if (first) {
    cardan__vi_scale(s);
  }
  if (first || s->nindependent > 0) {
    invert_scale(s);
  }
  measure(s);
  s->base.iterations++;
  s->base.evaluations++;
  if (s->ntrace < s->max_trace) {
    s->trace[s->ntrace++] = s->error * s->tol;
  }
  return status;
}

/* Largest part of the direction that turns no joint by more than 1 rad. */
static double step_limit(const cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  double largest = 0;
  for (int k = 0; k < model->nv; k++) {
    const cardan_body *b = &model->body[model->v_body[k]];
    const bool turns = b->nv == 1 ? b->kind != CARDAN_LINK_PRISMATIC : k - b->vadr < 3;
    largest = turns ? fmax(largest, fabs(s->step[k])) : largest;
  }
  return largest > 1 ? 1 / largest : 1;
}

/* Follows the direction until the merit falls below slack times what it was; *fell says whether it
 * did, in so many tries. */
static cardan_status search(cardan__vi *s, double slack, int tries, bool *fell)
{
  const double before = slack * s->merit;
  double part = step_limit(s);
  cardan_status status = CARDAN_OK;
  *fell = false;
  keep(s);
  for (int i = 0; i < tries && !*fell; i++, part *= 0.5) {
    advance(s, part);
    status = cardan__vi_evaluate(s, false);
    *fell = status == CARDAN_OK && s->merit < before;
    if (s->error * s->tol <= s->floor || s->base.iterations >= s->limit) {
      break;
    }
  }
  return status;
}

/* Factors at the last evaluation, derivatives of forces included. */
static cardan_status factor_here(cardan__vi *s)
{
  if (s->has_forces && (s->solver == CARDAN__VI_NEWTON || s->solver == CARDAN__VI_DENSE)) {
    const cardan_status status = cardan__vi_forces(s, true);
    if (status != CARDAN_OK) {
      return status;
    }
  }
  return cardan__vi_border_factorise(s);
}

/* ---- an old factorisation ----
 * Where motion is smooth the Jacobian of an earlier step gains two or three digits an iteration,
 * and costs nothing. It is used when two such iterations promise to be enough: the gain that the
 * last one showed, grown with age. When the promise is not kept, the next tries wait, longer each
 * time. */

enum { MAX_PATIENCE = 64 };
static const double first_gain = 1e-3; // expected of a factorisation of the step before

static bool old_factor_will_do(cardan__vi *s)
{
  if (s->solver != CARDAN__VI_NEWTON || s->nborder > 0 || s->nstage > 1 || !s->factored) {
    return false;
  }
  if (s->wait > 0) {
    s->wait--;
    return false;
  }
  const double gain = s->age > 0 ? s->gain * (s->age + 1) / s->age : first_gain;
  return s->error * gain * gain < 0.5;
}

static void old_factor_failed(cardan__vi *s)
{
  s->patience = s->patience < MAX_PATIENCE ? 2 * s->patience + 1 : MAX_PATIENCE;
  s->wait = s->patience;
}

/* ---- the iteration ---- */

/* One direction and the search along it. riqn and broyden do not fall at every step even where they
 * converge: their residual may grow by a factor of 100 on the way. */
static cardan_status iterate(cardan__vi *s, int tries, bool *fell)
{
  const bool exact = s->solver == CARDAN__VI_NEWTON || s->solver == CARDAN__VI_DENSE;
  const cardan_status status = cardan__vi_direction(s);
  return status == CARDAN_OK ? search(s, exact ? 1 : 1e4, tries, fell) : status;
}

/* Iterations with the factorisation of an earlier step; at most 2. */
static cardan_status try_old_factor(cardan__vi *s)
{
  cardan_status status = CARDAN_OK;
  s->age++;
  for (int i = 0; i < 2 && status == CARDAN_OK && s->error > 1; i++) {
    const double before = s->error;
    bool fell = false;
    status = iterate(s, 1, &fell);
    s->gain = i == 0 ? s->error / before : s->gain;
    if (!fell || s->gain > 0.1) {
      break;
    }
  }
  if (!isfinite(s->merit)) { // too far: back to where it was
    advance(s, 0);
    status = cardan__vi_evaluate(s, false);
  }
  if (status == CARDAN_OK && s->error > 1) {
    old_factor_failed(s);
  } else {
    s->patience = 0;
  }
  return status;
}

/* Is there nothing more to gain? A direction that was exact did not help, or many that were not. */
static bool stalled(const cardan__vi *s, bool exact, bool fresh, bool fell, double *best,
                    int *stalls)
{
  if (s->merit < *best) {
    *best = s->merit;
    *stalls = 0;
  } else {
    ++*stalls;
  }
  return exact ? fresh && !fell : !fell || *stalls > MAX_STALLS;
}

/* Iterations with a factorisation of this step, made anew when the last gain, repeated, is not
 * enough. */
static cardan_status iterate_fresh(cardan__vi *s, cardan_data *data)
{
  const bool exact = s->solver == CARDAN__VI_NEWTON || s->solver == CARDAN__VI_DENSE;
  cardan_status status = CARDAN_OK;
  bool factored = false;
  double best = HUGE_VAL;
  int stalls = 0;
  while (status == CARDAN_OK && s->error > 1) {
    const bool fresh = !factored;
    const double before = s->error;
    bool fell = false;
    if (!isfinite(s->merit) || s->base.iterations >= s->limit) {
      return cardan__no_root(s->base.model, s->f, s->inv_scale, s->merit, s->base.iterations,
                             &data->info);
    }
    if (fresh) {
      status = factor_here(s);
      s->age = 0;
      s->factored = status == CARDAN_OK;
    }
    if (status == CARDAN_OK) {
      status = iterate(s, fresh || !exact ? MAX_TRIES : 1, &fell);
    }
    if (status == CARDAN_OK && s->error > 1 && stalled(s, exact, fresh, fell, &best, &stalls)) {
      return s->error * s->tol <= s->floor
                 ? CARDAN_OK
                 : cardan__no_root(s->base.model, s->f, s->inv_scale, s->merit, s->base.iterations,
                                   &data->info);
    }
    factored = !exact || s->error / before * s->error <= 1;
  }
  return status;
}

cardan_status cardan__vi_find_root(cardan__vi *s, cardan_data *data)
{
  const int max_iter = s->base.options->max_iter, done = s->base.iterations;
  s->nbroyden = 0;
  s->limit = max_iter < INT_MAX - done ? done + max_iter : INT_MAX;
  data->info.message[0] = 0;
  cardan_status status = cardan__vi_evaluate(s, true);
  if (status == CARDAN_OK && s->error > 1 && isfinite(s->merit) && old_factor_will_do(s)) {
    status = try_old_factor(s);
  }
  if (status == CARDAN_OK) {
    status = iterate_fresh(s, data);
  }
  if (status != CARDAN_OK && data->info.message[0] == 0) {
    data->info = s->node->info;
    data->info.iterations = s->base.iterations;
  }
  return status;
}
