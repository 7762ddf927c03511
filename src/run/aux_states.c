// SPDX-License-Identifier: Apache-2.0
#include "run/aux_states.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "dynamics/aux_rates.h"
#include "linalg/linalg.h"
#include "run/sim.h"

/* Auxiliary states z' = f(t, q, v, u, z) beside a method that steps q and v alone, by Strang's
 * splitting [1]: half a step of z with the mechanism held at the node, a step of the mechanism with
 * z held, half a step of z at the node that was reached. With each part of order 2 the whole is of
 * order 2; with a method of order 1, of order 1.
 *
 * The half steps, of length h, are by the two-stage singly diagonally implicit Runge-Kutta method
 * of order 2 that is L-stable [2], gamma = 1 - 1/sqrt(2):
 *   Z1 = z + gamma h f(Z1)                                                              (S1)
 *   Z2 = z + (1 - gamma) h f(Z1) + gamma h f(Z2),   z' = Z2                             (S2)
 * so that a filter far faster than the step goes to its rest and does not ring. Each stage is
 * solved by Newton's iteration with the exact df/dz: one round where f is linear in z. O(nz^3).
 *
 * [1] G. Strang, On the construction and comparison of difference schemes, SIAM J. Numer. Anal. 5,
 *     1968.
 * [2] R. Alexander, Diagonally implicit Runge-Kutta methods for stiff O.D.E.'s, SIAM J. Numer.
 *     Anal. 14, 1977. */

enum { MOST_ROUNDS = 50 };

static const double TOL = 1e-13; // of a variable and what makes it up: rounding, and some more

cardan_status cardan__aux_states_create(cardan_sim *sim)
{
  cardan__aux_states *s = &sim->aux_states;
  const size_t n = (size_t)sim->model->nrate;
  if (sim->model->nrate == 0 || sim->stepper->method->states) {
    return CARDAN_OK;
  }
  s->b = cardan__resize(&sim->allocator, NULL, (3 * n + n * n) * sizeof *s->b + n * sizeof(int));
  if (s->b == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  s->rate = s->b + n;
  s->dz = s->rate + n;
  s->matrix = s->dz + n;
  s->pivot = (int *)(void *)(s->matrix + n * n);
  return CARDAN_OK;
}

void cardan__aux_states_destroy(cardan_sim *sim)
{
  cardan__resize(&sim->allocator, sim->aux_states.b, 0);
  sim->aux_states.b = NULL;
}

/* One round for Z = b + g f(Z), Z in data->z; rate: f before it. *change: the largest of all,
 * relative. */
static cardan_status newton(const cardan_model *model, cardan_data *data, const cardan__view *view,
                            double g, cardan__aux_states *s, double *change)
{
  const int nz = model->nrate;
  cardan__aux_rates_slope(model, view, s->matrix);
  for (int i = 0; i < nz; i++) {
    s->dz[i] = s->b[i] + g * s->rate[i] - data->z[i];
    for (int j = 0; j < nz; j++) {
      s->matrix[i * nz + j] = (i == j) - g * s->matrix[i * nz + j];
    }
  }
  const int column = cardan__lu(nz, s->matrix, s->pivot);
  if (column >= 0) {
    snprintf(data->info.message, sizeof data->info.message,
             "auxiliary state \"%.60s\" has no value that fits its derivative over this step",
             model->state[column].name);
    return CARDAN_ERR_SINGULAR;
  }
  cardan__lu_solve(nz, s->matrix, s->pivot, s->dz);
  *change = 0;
  for (int i = 0; i < nz; i++) {
    data->z[i] += s->dz[i];
    const double size = fabs(data->z[i]) + fabs(s->b[i]) + fabs(g * s->rate[i]);
    *change = fmax(*change, size > 0 ? fabs(s->dz[i]) / size : 0);
  }
  return CARDAN_OK;
}

/* (S1), (S2): data->z from where it is to Z = b + g f(Z), and rate to f(Z). */
static cardan_status stage(cardan_sim *sim, double g)
{
  const cardan_model *model = sim->model;
  cardan_data *data = sim->data;
  cardan__aux_states *s = &sim->aux_states;
  const cardan__view view = cardan__data_view(model, data);
  double change = HUGE_VAL;
  for (int round = 0; round <= MOST_ROUNDS; round++) {
    const int wrong = cardan__aux_rates(model, &view, s->rate);
    if (wrong >= 0) {
      return cardan__aux_rates_not_finite(model, wrong, &data->info);
    }
    if (change <= TOL) {
      return CARDAN_OK;
    }
    const cardan_status status = newton(model, data, &view, g, s, &change);
    if (status != CARDAN_OK) {
      return status;
    }
  }
  snprintf(data->info.message, sizeof data->info.message,
           "that of the auxiliary states still changes them by %.2g after %d rounds", change,
           MOST_ROUNDS);
  return CARDAN_ERR_NO_CONVERGENCE;
}

/* z over a time h, with all else as it is at the node. */
static cardan_status half(cardan_sim *sim, double h)
{
  const double gamma = 1.0 - 0.70710678118654752440;
  const size_t bytes = (size_t)sim->model->nrate * sizeof(double);
  cardan__aux_states *s = &sim->aux_states;
  memcpy(s->b, sim->data->z, bytes);
  const cardan_status status = stage(sim, gamma * h); // (S1)
  if (status != CARDAN_OK) {
    return status;
  }
  for (int i = 0; i < sim->model->nrate; i++) {
    s->b[i] += (1.0 - gamma) * h * s->rate[i];
  }
  return stage(sim, gamma * h); // (S2)
}

cardan_status cardan__aux_states_step(cardan_sim *sim, double t)
{
  const double h = t - sim->data->t;
  cardan_status status = cardan__sim_update_node(sim);
  status = status == CARDAN_OK ? half(sim, 0.5 * h) : status;
  status = status == CARDAN_OK ? cardan__sim_carry(sim, t) : status;
  status = status == CARDAN_OK ? cardan__sim_update_node(sim) : status;
  return status == CARDAN_OK ? half(sim, 0.5 * h) : status;
}

/* The mechanism and its auxiliary states. */
static cardan_status move_all(cardan_sim *sim, double t)
{
  return cardan__aux_states_apart(&sim->aux_states) ? cardan__aux_states_step(sim, t)
                                                    : cardan__sim_carry(sim, t);
}

cardan_status cardan__sim_move(cardan_sim *sim, double t)
{
  return sim->angle_unwrap.q != NULL ? cardan__angle_unwrap_step(sim, t, move_all)
                                     : move_all(sim, t);
}
