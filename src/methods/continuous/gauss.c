// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "methods/continuous/ode_method.h"

/* Gauss collocation with one stage (the implicit midpoint rule, order 2) and two (order 4), solved
 * by fixed-point iteration. Symplectic and time-reversible for canonical equations, as far as the
 * iteration is carried: to round-off unless iter_tol says otherwise.
 * [1] E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed., 2006.
 *
 *   k_i   = f(t + c_i h, y + h sum_j a_ij k_j)     (E1)   swept over i until nothing changes
 *   y_new = y + h sum_i b_i k_i                    (E2)
 *
 * The sweep uses each new k_i at once, and starts from k_i = f(t, y). With one stage it contracts
 * where h times the Lipschitz constant of f is under 2: stiff systems need trapezoid. */

enum { STAGES = 2 };

typedef struct {
  int stages;
  double a[STAGES][STAGES], b[STAGES], c[STAGES];
} gauss_table;

#define SQRT3 1.7320508075688772

static const gauss_table MIDPOINT = {.stages = 1, .c = {0.5}, .a = {{0.5}}, .b = {1.0}};
static const gauss_table GAUSS4 = {
    .stages = 2,
    .c = {0.5 - SQRT3 / 6.0, 0.5 + SQRT3 / 6.0},
    .a = {{0.25, 0.25 - SQRT3 / 6.0}, {0.25 + SQRT3 / 6.0, 0.25}},
    .b = {0.5, 0.5},
};

typedef struct {
  double *k[STAGES], *fresh, *tmp; // n each
} gauss;

static cardan_status gauss_create(cardan__ode *ode)
{
  gauss *own = cardan__arena_take(&ode->arena, 1, sizeof(*own));
  if (!own) {
    return CARDAN_ERR_MEMORY;
  }
  ode->own = own;
  for (int i = 0; i < STAGES; i++) {
    own->k[i] = cardan__ode_take(ode, (size_t)ode->n);
  }
  own->fresh = cardan__ode_take(ode, (size_t)ode->n);
  own->tmp = cardan__ode_take(ode, (size_t)ode->n);
  const bool complete = own->k[0] && own->k[1] && own->fresh && own->tmp;
  return complete ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

// one sweep of (E1); r out: the largest change over all stages
static cardan_status sweep(cardan__ode *ode, const gauss_table *table, double h, double *r)
{
  gauss *own = ode->own;
  *r = 0.0;
  for (int i = 0; i < table->stages; i++) {
    cardan__rk_combine(ode->n, table->stages, ode->y, h, table->a[i], own->k, own->tmp);
    const cardan_status status =
        cardan__ode_eval(ode, ode->t + table->c[i] * h, own->tmp, own->fresh);
    if (status != CARDAN_OK) {
      return status;
    }
    for (int j = 0; j < ode->n; j++) {
      own->tmp[j] = h * (own->fresh[j] - own->k[i][j]);
    }
    const double change = cardan__ode_change(ode, own->tmp, own->fresh, h);
    *r = change > *r ? change : *r;

    double *swap = own->k[i];
    own->k[i] = own->fresh;
    own->fresh = swap;
  }
  return CARDAN_OK;
}

static cardan_status gauss_advance(cardan__ode *ode, double t_target)
{
  const gauss_table *table = ode->method->data;
  gauss *own = ode->own;
  const double h = t_target - ode->t;

  cardan_status status = cardan__ode_eval(ode, ode->t, ode->y, own->k[0]);
  if (status != CARDAN_OK) {
    return status;
  }
  memcpy(own->k[1], own->k[0], (size_t)ode->n * sizeof(double));

  cardan__ode_progress progress = {.last = -1.0};
  cardan__ode_verdict verdict = CARDAN__ODE_GO_ON;
  for (int iter = 0; iter < ode->options.max_iter; iter++) {
    double r;
    ode->counters.iterations++;
    status = sweep(ode, table, h, &r);
    if (status > 0 && verdict == CARDAN__ODE_SLOW) {
      break; // f failed where the iterates had run away to
    }
    if (status != CARDAN_OK) {
      return status;
    }
    verdict = cardan__ode_judge(ode, &progress, r);
    if (verdict == CARDAN__ODE_CONVERGED) {
      cardan__rk_combine(ode->n, table->stages, ode->y, h, table->b, own->k, own->tmp); // (E2)
      return cardan__ode_finish(ode, t_target, &own->tmp);
    }
  }
  ode->counters.rejected++;
  return CARDAN_ERR_NO_CONVERGENCE;
}

const cardan__ode_method cardan__ode_midpoint = {
    .name = "midpoint",
    .order = 2,
    .data = &MIDPOINT,
    .create = gauss_create,
    .advance = gauss_advance,
};

const cardan__ode_method cardan__ode_gauss4 = {
    .name = "gauss4",
    .order = 4,
    .data = &GAUSS4,
    .create = gauss_create,
    .advance = gauss_advance,
};
