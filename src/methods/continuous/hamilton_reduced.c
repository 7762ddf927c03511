// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "methods/continuous/hamilton_state.h"

/* Form `reduced` of the method hamilton: x are the momenta of the joints that are left when the
 * bodies that close the loops are eliminated (dynamics/reduced.c). It is the form of the paper,
 * kept for comparison with it: it stops where the dependent links come into line, and friction and
 * drivers cost it a whole evaluation of accelerations.
 *
 * It is the augmented form with sigma such that the momenta of the dependent joints are 0: with
 * B the map from independent to all velocities, p_reduced = B^T p for every p = M v + J^T sigma. */

static void look_at_rows(cardan__hamilton *h)
{
  const cardan_model *model = h->s.base.model;
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, h->s.own);
  cardan__rows_jacobian(&set, &view, &h->s.own->rows);
}

/* C and articulated inertias; CARDAN_ERR_SINGULAR where the links are in line, or
 * were between the last accepted state and this one. */
static cardan_status factor(cardan__hamilton *h)
{
  const cardan_model *model = h->s.base.model;
  cardan_data *own = h->s.own;
  cardan_status status = cardan__reduced_factor(model, own, &h->reduced);
  if (status == CARDAN_OK && h->sign != 0 && h->reduced.sign != h->sign) {
    status = cardan__reduced_passed(model, own, &h->reduced);
  }
  h->in_line = status == CARDAN_ERR_SINGULAR;
  // an adaptive integrator may have tried too far: let it come nearer
  h->s.too_far = h->in_line && !h->s.fixed && h->sign != 0;
  return status;
}

static cardan_status reduced_velocities(cardan__continuous *s, double t, const double *y)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  if (cardan__hamilton_holds(h, t, y)) {
    return CARDAN_OK;
  }
  cardan__hamilton_positions(h, t, y);
  look_at_rows(h);
  const cardan_status status = factor(h);
  if (status == CARDAN_OK) {
    cardan__reduced_velocities(s->base.model, s->own, &h->reduced, y + s->nq);
    cardan__hamilton_remember(h, t, y);
  }
  return status;
}

static cardan_status reduced_slope(cardan__continuous *s, double t, const double *y, double *xdot)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  cardan_status status = reduced_velocities(s, t, y);
  if (status != CARDAN_OK) {
    return status;
  }
  if (h->forces_need_a) {
    h->holds = false; // the factorisation becomes that of the open tree
    status = cardan_forward(s->base.model, s->own, 0, 0);
  } else {
    cardan__hamilton_forces(h);
  }
  cardan__reduced_rates(s->base.model, s->own, &h->reduced, s->own->tau, xdot);
  return status;
}

/* At an accepted state: have the links been in line on the way there? From now on the rows count
 * that are best here; their sign is another, and compared with that of states from here on. */
static cardan_status accept_state(cardan__hamilton *h)
{
  look_at_rows(h);
  cardan_status status = h->sign != 0 ? factor(h) : CARDAN_OK;
  const bool others =
      status == CARDAN_OK && cardan__reduced_choose(h->s.base.model, h->s.own, &h->reduced);
  if (others || h->sign == 0) {
    h->sign = 0;
    status = factor(h);
  }
  return status;
}

static cardan_status reduced_pack(cardan__continuous *s, double *x)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  const cardan_model *model = s->base.model;
  h->holds = false;
  cardan_prescribe(model, s->own);
  cardan_joints(model, s->own);
  cardan_poses(model, s->own);
  cardan_velocities(model, s->own);
  const cardan_status status = accept_state(h);
  if (status == CARDAN_OK) {
    cardan__reduced_momenta(model, s->own, &h->reduced, x);
    h->sign = h->reduced.sign;
  }
  return status;
}

static cardan_status reduced_make(cardan__continuous *s)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  cardan_status status = cardan__hamilton_make(s);
  if (status == CARDAN_OK) {
    status = cardan__reduced_create(s->base.model, &s->base.allocator, &h->reduced);
  }
  s->nx = h->reduced.n;
  s->dof = h->reduced.dof;
  return status;
}

static cardan_status reduced_explain(cardan__continuous *s, cardan_status status)
{
  return ((cardan__hamilton *)s)->in_line ? CARDAN_ERR_SINGULAR : status;
}

static cardan_status reduced_start(cardan__continuous *s, double *x)
{
  ((cardan__hamilton *)s)->sign = 0; // of no state yet
  return reduced_pack(s, x);
}

static void reduced_spans(cardan__continuous *s, cardan__spans *list)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  CARDAN__SPANS_ONE(list, h->sign);
  cardan__spans_ints(list, h->reduced.row, (size_t)h->reduced.ndependent, 0,
                     s->base.model->nrow - 1);
}

static void reduced_rejoin(cardan__continuous *s)
{
  ((cardan__hamilton *)s)->holds = false;
}

const cardan__formulation cardan__hamilton_reduced = {
    .size = sizeof(cardan__hamilton),
    .momenta = true,
    .create = reduced_make,
    .destroy = cardan__hamilton_unmake,
    .start = reduced_start,
    .pack = reduced_pack,
    .velocities = reduced_velocities,
    .slope = reduced_slope,
    .conjugate = cardan__hamilton_conjugate,
    .spans = reduced_spans,
    .rejoin = reduced_rejoin,
    .explain = reduced_explain,
};
