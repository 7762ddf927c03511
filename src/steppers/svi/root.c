// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "steppers/discrete.h"
#include "steppers/svi/svi.h"

/* The root of one step, [1] V-A.
 *
 * An evaluation is accepted when |r_k| <= tol times the size of the momenta and impulses in play
 * for every joint, and |Phi| <= 1e-12 (1 + size of the mechanism); [1] prints the loop's condition
 * the other way round. By the tree every iteration has its own Jacobian, as there. By recursion
 * newton keeps the one of the guess as long as the last gain, repeated, would be enough, and
 * factors anew otherwise; and it starts with the one of the step before where that promises to do
 * with a few iterations. Safeguards: no joint turns by more than 1 rad in an iteration, and a step
 * that does not lower the sum of squares of the relative residuals (Newton), or raises it fourfold
 * (the others), is halved. A residual that no longer falls is accepted at the level of rounding. */

enum { MAX_HALVINGS = 12 };

/* Largest part of the direction that turns no joint by more than 1 rad. */
static double step_limit(const cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  double largest = 0;
  for (int k = 0; k < model->nv; k++) {
    const bool turns = model->body[model->v_body[k]].kind != CARDAN_LINK_PRISMATIC;
    largest = turns ? fmax(largest, fabs(s->step[k])) : largest;
  }
  return largest > 1 ? 1 / largest : 1;
}

/* Follows the direction until the merit falls; *fell says whether it did. */
static cardan_status search(cardan__svi *s, bool *fell)
{
  const int nv = s->base.model->nv;
  // quasi-Newton steps gain in the long run: the residual may double on the way
  const double allowed = s->solver == CARDAN__SVI_NEWTON ? s->merit : 4 * s->merit;
  double part = step_limit(s);
  *fell = false;
  memcpy(s->d_kept, s->d, (size_t)nv * sizeof *s->d);
  memcpy(s->lambda_kept, s->lambda, (size_t)s->nindependent * sizeof *s->lambda);
  for (int i = 0; i < MAX_HALVINGS; i++, part *= 0.5) {
    for (int k = 0; k < nv; k++) {
      s->d[k] = s->d_kept[k] + part * s->step[k];
    }
    for (int j = 0; j < s->nindependent; j++) {
      s->lambda[j] = s->lambda_kept[j] + part * s->sigma[j];
    }
    const cardan_status status = cardan__svi_evaluate(s, false);
    if (status != CARDAN_OK && i + 1 == MAX_HALVINGS) {
      return status;
    }
    if (status == CARDAN_OK && s->merit < allowed) {
      *fell = true;
      return CARDAN_OK;
    }
    if (s->error * s->tol <= s->floor || s->base.iterations >= s->base.options->max_iter) {
      return CARDAN_OK;
    }
  }
  return CARDAN_OK;
}

/* ---- how long a Jacobian is kept ---- */

/* Gain of a Jacobian from the step before, while it is not known: what the change over one step
 * costs. */
static const double first_gain = 1e-3;

/* Iterations that cost less than a Jacobian: an elimination is about three of them. */
enum { WORTH = 2 };

/* Is the last step's Jacobian promising to do with that many? Its gain grows with its age. Not with
 * loops: near a singular position an old one makes multipliers that only rounding stops. */
static bool old_will_do(const cardan__svi *s)
{
  const double gain = s->age > 0 ? s->gain * (s->age + 1) / s->age : first_gain;
  return s->solver == CARDAN__SVI_NEWTON && s->tree == NULL && s->nindependent == 0 &&
         s->factored && s->factored_h == s->h && s->wait == 0 && pow(gain, WORTH) * s->error <= 1;
}

/* Must it be made anew after an iteration that gained this much, the tries-th in this step? */
static bool is_stale(const cardan__svi *s, double gain, int tries)
{
  if (s->solver != CARDAN__SVI_NEWTON) {
    return false;
  }
  if (s->tree != NULL) {
    return true;
  }
  const int left = s->age > 0 ? WORTH - tries : 1;
  return left <= 0 || pow(gain, left) * s->error > 1;
}

/* When an old Jacobian breaks its promise the next tries wait, longer each time. */
static void judge(cardan__svi *s, bool kept)
{
  if (s->age > 0) {
    s->patience = kept ? 1 : s->patience < 64 ? 2 * s->patience : 64;
    s->wait = kept ? 0 : s->patience;
  }
}

/* Is what could not be lowered rounding? With loops, near a singular position, impulses are large
 * and cancel, and a Newton step is exact only to their rounding: more is taken for it there. */
static bool is_rounding(const cardan__svi *s, bool fresh)
{
  static const double near_singular = 1e-8;
  const double left = s->error * s->tol;
  return fresh && s->nindependent > 0
             ? left <= near_singular
             : left <= s->floor && (fresh || s->solver != CARDAN__SVI_NEWTON);
}

static cardan_status factor_here(cardan__svi *s)
{
  const cardan_status status = cardan__svi_factor(s);
  s->factored = status == CARDAN_OK;
  s->factored_h = s->h;
  s->age = 0;
  s->nbroyden = 0;
  return status;
}

cardan_status cardan__svi_find_root(cardan__svi *s, cardan_data *data)
{
  cardan_status status = cardan__svi_evaluate(s, true);
  bool fresh = false;
  int tries = 0;
  if (status == CARDAN_OK && s->error > 1) {
    s->factored = old_will_do(s);
    s->age += s->factored;
    s->wait -= s->wait > 0;
  }
  while (status == CARDAN_OK && s->error > 1) {
    const double before = s->error;
    bool fell = false;
    if (!isfinite(s->merit) || s->base.iterations >= s->base.options->max_iter) {
      return cardan__no_root(s->base.model, s->r, s->inv_scale, s->merit, s->base.iterations,
                             &data->info);
    }
    if (!s->factored) {
      status = factor_here(s);
      fresh = true;
      tries = 0;
    }
    if (status == CARDAN_OK) {
      status = cardan__svi_direction(s);
    }
    if (status == CARDAN_OK) {
      status = search(s, &fell);
    }
    if (status != CARDAN_OK) {
      break;
    }
    if (s->error > 1 && !fell) {
      if (is_rounding(s, fresh)) {
        return CARDAN_OK;
      }
      if (fresh || s->solver == CARDAN__SVI_RIQN) {
        return cardan__no_root(s->base.model, s->r, s->inv_scale, s->merit, s->base.iterations,
                               &data->info);
      }
    }
    s->gain = s->error / before;
    s->factored = s->error <= 1 || (fell && !is_stale(s, s->gain, ++tries));
    if (s->error <= 1 || !s->factored) {
      judge(s, s->factored);
    }
    fresh = false;
  }
  if (status != CARDAN_OK) {
    s->factored = false;
    if (data->info.message[0] == 0) {
      data->info = s->node->info;
      data->info.iterations = s->base.iterations;
    }
  }
  return status;
}
