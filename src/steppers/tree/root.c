// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "steppers/tree/svi.h"

/* The root of one step, [1] V-A.
 *
 * An evaluation is accepted when |r_k| <= tol times the size of the momenta and impulses in play for
 * every joint, and |Phi| <= 1e-12 (1 + size of the mechanism); [1] prints the loop's condition the other
 * way round. By the tree every iteration has its own Jacobian, as there. By recursion newton keeps the
 * one of the guess as long as the last gain, repeated, would be enough, and factors anew otherwise.
 * Safeguards: no joint turns by more than 1 rad in an iteration, and a step that does not lower the sum
 * of squares of the relative residuals is halved. A residual that no longer falls is accepted at the
 * level of rounding. */

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
  const double before = s->merit;
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
    if (status == CARDAN_OK && s->merit < before) {
      *fell = true;
      return CARDAN_OK;
    }
    if (s->error * s->tol <= s->floor || s->base.iterations >= s->base.options->max_iter) {
      return CARDAN_OK;
    }
  }
  return CARDAN_OK;
}

static cardan_status no_root(const cardan__svi *s, cardan_data *data)
{
  const cardan_model *model = s->base.model;
  cardan_info *info = &data->info;
  double largest = -1;
  int worst = 0;
  for (int k = 0; k < model->nv; k++) {
    const double e = fabs(s->r[k]) * s->inv_scale[k];
    if (!(e <= largest)) {
      largest = e;
      worst = k;
    }
  }
  *info = (cardan_info){.body = model->v_body[worst],
                        .joint = model->body[model->v_body[worst]].joint,
                        .row = -1,
                        .residual = largest,
                        .iterations = s->base.iterations};
  snprintf(info->message, sizeof info->message,
           "the residual is largest at joint \"%.60s\", %.2g of its momentum after %d evaluations",
           model->joint[info->joint].name, largest, s->base.iterations);
  return isfinite(s->merit) ? CARDAN_ERR_NO_CONVERGENCE : CARDAN_ERR_NOT_FINITE;
}

/* Must the Jacobian be made anew after an iteration that gained this much? */
static bool is_stale(const cardan__svi *s, double gain)
{
  if (s->solver != CARDAN__SVI_NEWTON) {
    return false;
  }
  return s->tree != NULL || gain * s->error > 1;
}

cardan_status cardan__svi_find_root(cardan__svi *s, cardan_data *data)
{
  bool factored = false, fresh = false;
  cardan_status status = cardan__svi_evaluate(s, true);
  while (status == CARDAN_OK && s->error > 1) {
    const double before = s->error;
    bool fell = false;
    if (!isfinite(s->merit) || s->base.iterations >= s->base.options->max_iter) {
      return no_root(s, data);
    }
    if (!factored) {
      status = cardan__svi_factor(s);
      factored = fresh = true;
      s->nbroyden = 0;
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
      if (s->error * s->tol <= s->floor) {
        return CARDAN_OK;
      }
      if (fresh || s->solver == CARDAN__SVI_RIQN) {
        return no_root(s, data);
      }
    }
    factored = fell && !is_stale(s, s->error / before);
    fresh = false;
  }
  if (status != CARDAN_OK && data->info.message[0] == 0) {
    data->info = s->node->info;
    data->info.iterations = s->base.iterations;
  }
  return status;
}
