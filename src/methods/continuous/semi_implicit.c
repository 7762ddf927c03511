// SPDX-License-Identifier: Apache-2.0
#include "methods/continuous/ode_method.h"

/* Semi-implicit (symplectic) Euler, one evaluation of v' and one of q' a step.
 *
 *   v_new = v + h v'(t, q, v)          (E1)
 *   q_new = q + h q'(t, q, v_new)      (E2)
 *
 * Order 1; for q' = v, v' = a(q) the map is symplectic. Where q' depends on q (quaternions), (E2)
 * is an explicit Euler step in q. */

typedef struct {
  double *y_new; // n
} semi_implicit;

static cardan_status semi_implicit_create(cardan__ode *ode)
{
  semi_implicit *own = cardan__arena_take(&ode->arena, 1, sizeof(*own));
  if (!own) {
    return CARDAN_ERR_MEMORY;
  }
  ode->own = own;
  own->y_new = cardan__ode_take(ode, (size_t)ode->n);
  return own->y_new ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

// whether the numbers of a rate are finite, cardan__ode_finish sees of y_new
static cardan__ode_result semi_implicit_advance(cardan__ode *ode, double t_target)
{
  semi_implicit *own = ode->own;
  const cardan__ode_problem *problem = &ode->problem;
  const double h = t_target - ode->t;

  ode->counters.evaluations++;
  cardan__ode_result result = problem->kick(problem->ctx, ode->t, h, ode->y, own->y_new); // (E1)
  if (cardan__ode_is_done(result)) {
    result = problem->drift(problem->ctx, ode->t, h, ode->y, own->y_new); // (E2)
  }
  if (cardan__ode_is_done(result)) {
    return cardan__ode_finish(ode, t_target, &own->y_new);
  }
  return result;
}

const cardan__ode_method cardan__ode_semi_implicit = {
    .name = "semi-implicit",
    .order = 1,
    .split = true,
    .create = semi_implicit_create,
    .advance = semi_implicit_advance,
};
