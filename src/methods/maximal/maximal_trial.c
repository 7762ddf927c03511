// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "methods/maximal/maximal_rolling.h"

/* What the files of a maximal step share: the instant at a configuration, corrections of a trial
 * and their size, accelerations by the factors, and messages of failures. */

void cardan__mx_look(cardan__mx_stepper *s, const double *cfg, const double *vel, double t)
{
  s->mx->t = t;
  cardan__mx_place(s->mx, cfg, vel);
  cardan__mx_coordinates(s->mx, true);
  cardan__mx_rates(s->mx, true, true);
}

cardan_status cardan__mx_fail(cardan__mx_stepper *s, cardan_data *data, cardan_status status, int r,
                              double residual, int iterations)
{
  const cardan__maximal *mx = s->mx;
  data->info = (cardan_info){.body = -1, .joint = -1, .row = -1};
  data->info.residual = residual;
  data->info.iterations = iterations;
  if (r < 0) {
    return status;
  }
  const bool joint = r < mx->row_model;
  const char *name = cardan__mx_row_name(mx, r), *kind = joint ? "joint" : "constraint";
  if (joint && r < mx->nrow_joint) {
    data->info.body = mx->body[mx->set.row[r].constraint].body;
    data->info.joint = s->base.model->body[data->info.body].joint;
  } else if (!joint) {
    data->info.row = r - mx->row_model;
  }
  if (status == CARDAN_ERR_SINGULAR) {
    snprintf(data->info.message, sizeof data->info.message,
             "%s \"%.60s\" has become redundant: a singular position", kind, name);
  } else {
    snprintf(data->info.message, sizeof data->info.message,
             "%s \"%.60s\" is off by %.3g after %d iterations", kind, name, residual, iterations);
  }
  return status;
}

void cardan__mx_solve_accelerations(cardan__mx_stepper *s)
{
  s->acc_scale = 0;
  cardan__kkt_solve(s->kkt, s->f, s->g, s->acc, s->factored.rows_wait ? NULL : s->lambda);
  for (int e = 0; e < s->mx->neq && !s->factored.rows_wait; e++) {
    s->lambda[e] = -s->lambda[e];
  }
}

/* The largest correction in dx (nx), of which the part is added to x where that is not NULL: eight
 * or four bodies at a time, for vector registers. */
static inline double size_of(const cardan__mx_stepper *s, const double *dx, double part, double *x)
{
  enum { MANY = 24 };
  double most[MANY] = {0}, sum[MANY] = {0}, largest = 0, all = 0;
  const int n = s->mx->nx, dof = s->mx->dof;
  for (int i = 0; i < n; i += MANY) {
    const int end = n - i < MANY ? n - i : MANY;
    for (int k = 0; k < end; k++) {
      const double size = fabs(dx[i + k]);
      most[k] = size > most[k] ? size : most[k];
      sum[k] += size; // not a number where one of them is not
      if (x != NULL) {
        x[i + k] += part * dx[i + k];
      }
    }
  }
  for (int k = 0; k < MANY; k++) {
    const double size = k % dof < dof / 2 ? most[k] : most[k] / s->length;
    largest = size > largest ? size : largest;
    all += sum[k];
  }
  return isnan(all) ? all : largest;
}

double cardan__mx_size(const cardan__mx_stepper *s, const double *dx)
{
  return size_of(s, dx, 0, NULL);
}

void cardan__mx_place_trial(cardan__mx_stepper *s)
{
  if (s->rolling != NULL) {
    cardan__mx_rolling_look(s);
  }
  cardan__mx_drift(s->mx, s->cfg, s->x, s->cfg_try);
  cardan__mx_place(s->mx, s->cfg_try, NULL);
  cardan__mx_turns_at(s, s->turns.q, s->x);
  cardan__mx_coordinates(s->mx, false);
  cardan__mx_values(s->mx);
  if (s->rolling != NULL) {
    cardan__mx_rolling_values(s);
  }
  s->base.evaluations++;
}

void cardan__mx_add(cardan__mx_stepper *s, double part)
{
  const cardan__maximal *mx = s->mx;
  s->size = part * size_of(s, s->dx, part, s->x);
  for (int e = 0; e < mx->neq && !s->displacement.pulls; e++) {
    s->lambda[e] += part * s->dl[e];
  }
}

bool cardan__mx_correct(cardan__mx_stepper *s, const double *residual,
                        bool (*solve)(cardan__mx_stepper *s))
{
  const cardan__maximal *mx = s->mx;
  cardan__mx_equations(mx, -1, mx->rows.phi, s->g);
  if (solve == NULL) {
    cardan__kkt_solve(s->kkt, residual, s->g, s->dx, s->displacement.pulls ? NULL : s->dl);
  } else if (!solve(s)) {
    return false;
  }
  cardan__mx_add(s, 1);
  return isfinite(s->size);
}

cardan_status cardan__mx_gave_up(cardan__mx_stepper *s, cardan_data *data)
{
  int row;
  const double worst = cardan__mx_violation(s->mx, &row);
  const bool finite = isfinite(s->size) && isfinite(worst);
  return cardan__mx_fail(s, data, finite ? CARDAN_ERR_NO_CONVERGENCE : CARDAN_ERR_NOT_FINITE, row,
                         worst, s->base.iterations);
}

double cardan__mx_pivot_ratio(const cardan__mx_stepper *s)
{
  return sqrt(fmax(0, s->kkt->rank.ratio));
}
