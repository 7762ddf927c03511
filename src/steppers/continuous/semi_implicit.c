// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "steppers/continuous/ode_method.h"

/* Semi-implicit (symplectic) Euler, one evaluation of v' and one of q' a step.
 *
 *   v_new = v + h v'(t, q, v)          (E1)
 *   q_new = q + h q'(t, q, v_new)      (E2)
 *
 * Order 1; for q' = v, v' = a(q) the map is symplectic. Where q' depends on q (quaternions), (E2)
 * is an explicit Euler step in q. */

typedef struct {
  double *y_new, *rate; // n each
} semi_implicit;

static cardan_status semi_implicit_create(cardan__ode *ode)
{
  semi_implicit *own = cardan__arena_take(&ode->arena, 1, sizeof(*own));
  if (!own) {
    return CARDAN_ERR_MEMORY;
  }
  ode->own = own;
  own->y_new = cardan__ode_take(ode, (size_t)ode->n);
  own->rate = cardan__ode_take(ode, (size_t)ode->n);
  return own->y_new && own->rate ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

// y_new[i] = y[i] + h rate[i - from], i = from .. to - 1, unless the callback failed; whether its
// numbers did, cardan__ode_finish sees of y_new
static cardan_status add_rate(cardan__ode *ode, cardan_status called, int from, int to, double h)
{
  const semi_implicit *own = ode->own;
  if (called < 0) {
    return called;
  }
  if (called > 0) {
    ode->reason = CARDAN_ERR_STEP_TOO_SMALL;
    return CARDAN__ODE_RETRY;
  }
  for (int i = from; i < to; i++) {
    own->y_new[i] = ode->y[i] + h * own->rate[i - from];
  }
  return CARDAN_OK;
}

static cardan_status semi_implicit_advance(cardan__ode *ode, double t_target)
{
  semi_implicit *own = ode->own;
  const cardan__ode_problem *problem = &ode->problem;
  const double h = t_target - ode->t;

  ode->counters.evaluations++;
  cardan_status status = problem->vdot(problem->ctx, ode->t, ode->y, own->rate);
  status = add_rate(ode, status, problem->nq, ode->n, h); // (E1)
  if (status != CARDAN_OK) {
    return status;
  }
  memcpy(own->y_new, ode->y, (size_t)problem->nq * sizeof(double));
  status = problem->qdot(problem->ctx, ode->t, own->y_new, own->rate);
  status = add_rate(ode, status, 0, problem->nq, h); // (E2)
  if (status != CARDAN_OK) {
    return status;
  }
  return cardan__ode_finish(ode, t_target, &own->y_new);
}

const cardan__ode_method cardan__ode_semi_implicit = {
    .name = "semi-implicit",
    .order = 1,
    .split = true,
    .create = semi_implicit_create,
    .advance = semi_implicit_advance,
};
