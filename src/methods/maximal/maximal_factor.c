// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "methods/maximal/stepper.h"

/* The rows at an instant, factored: where they are, in a singular position a little further on, or
 * not at all where the factors are there already. */

bool cardan__mx_is_factored(const cardan__mx_stepper *s, const double *cfg)
{
  const size_t size = (size_t)s->mx->ncfg * (size_t)s->mx->nbody * sizeof *cfg;
  return s->factored.known && cfg != NULL && s->mx->t == s->factored.t &&
         memcmp(cfg, s->factored.cfg, size) == 0;
}

static void remember_factored(cardan__mx_stepper *s, const double *cfg, cardan_status status)
{
  const size_t size = (size_t)s->mx->ncfg * (size_t)s->mx->nbody * sizeof *s->factored.cfg;
  s->factored.known = s->factored.cfg != NULL && cfg != NULL && status == CARDAN_OK;
  if (s->factored.known) {
    memcpy(s->factored.cfg, cfg, size);
    s->factored.t = s->mx->t;
  }
}

cardan_status cardan__mx_factor_here(cardan__mx_stepper *s, cardan_data *data)
{
  int row = -1;
  const double *here = s->mx->placed;
  const bool again = cardan__mx_is_factored(s, here); // projections end where the next step begins
  s->factored.rows_at = s->factored.rows_wait ? here : NULL;
  if (s->factored.rows_at == NULL && !(again && s->factored.rows_known)) {
    cardan__mx_jacobian(s->mx);
  }
  s->factored.rows_known = s->factored.rows_at == NULL;
  if (again) {
    return CARDAN_OK;
  }
  const cardan_status status = cardan__kkt_factor(s->kkt, &row);
  remember_factored(s, here, status);
  return status == CARDAN_OK ? status : cardan__mx_fail(s, data, status, row, 0, 0);
}

void cardan__mx_rows(cardan__mx_stepper *s)
{
  if (s->factored.rows_at != NULL) {
    cardan__mx_place_again(s->mx, s->factored.rows_at, NULL);
    cardan__mx_jacobian(s->mx);
    s->factored.rows_at = NULL;
  }
}

cardan_status cardan__mx_lost_rates(const cardan__mx_stepper *s, cardan_data *data)
{
  const cardan__maximal *mx = s->mx;
  for (int e = 0; e < mx->neq && s->rolling != NULL && s->kkt->nidle > mx->nredundant; e++) {
    const int own = mx->row[e] - mx->row_model;
    if (s->kkt->idle[e] && mx->set.row[mx->row[e]].velocity && !mx->model->row_redundant[own]) {
      data->info = (cardan_info){.body = -1, .joint = -1, .row = own};
      snprintf(data->info.message, sizeof data->info.message,
               "singular position at t = %.9g s: constraint \"%.60s\" follows from the others "
               "there, and speeds would jump",
               mx->t, cardan__mx_row_name(mx, mx->row[e]));
      data->info.whole = true;
      return CARDAN_ERR_SINGULAR;
    }
  }
  return CARDAN_OK;
}

/* Acceleration of a mechanism at rest with the rows that are left, to dx. */
static void fall(cardan__mx_stepper *s, cardan_data *data, const double *cfg, const double *vel)
{
  cardan__mx_look(s, cfg, vel, s->mx->t);
  cardan__mx_forces(s->mx, data, cardan__mx_all_forces(s), vel, s->f);
  cardan__kkt_solve(s->kkt, s->f, NULL, s->dx, s->dl);
}

cardan_status cardan__mx_look_ahead(cardan__mx_stepper *s, cardan_data *data, const double *cfg,
                                    const double *vel, const double *ahead)
{
  // [rad, or lengths]: far enough for a pivot of 1e-10 where rows come back with the motion, near
  // enough for 1e-20 where they do not
  const double shift = 1e-5, rest = 1e-9;
  const int lost = s->kkt->nidle;
  const cardan_status jumps = cardan__mx_lost_rates(s, data);
  if (jumps != CARDAN_OK) {
    return jumps;
  }
  double size = cardan__mx_size(s, ahead);
  const bool rests = !(size > rest);
  if (rests) {
    fall(s, data, cfg, vel);
    ahead = s->dx;
    size = cardan__mx_size(s, ahead);
  }
  for (int i = 0; i < s->mx->nx; i++) {
    s->dx[i] = size > 0 ? shift / size * ahead[i] : 0;
  }
  cardan__mx_drift(s->mx, cfg, s->dx, s->cfg_ahead);
  cardan__mx_look(s, s->cfg_ahead, vel, s->mx->t);
  const cardan_status status = cardan__mx_factor_here(s, data);
  if (status == CARDAN_ERR_NOT_FINITE || (rests && s->kkt->nidle < lost)) {
    snprintf(data->info.message, sizeof data->info.message,
             "singular position at t = %.9g s: no speed determines how the motion continues",
             s->mx->t);
    data->info.whole = true;
    return CARDAN_ERR_SINGULAR;
  }
  data->info = (cardan_info){.body = -1, .joint = -1, .row = -1};
  return CARDAN_OK;
}

cardan_status cardan__mx_factor_past(cardan__mx_stepper *s, cardan_data *data, const double *cfg,
                                     const double *vel, const double *ahead)
{
  const cardan_status status = cardan__mx_look_ahead(s, data, cfg, vel, ahead);
  cardan__mx_look(s, cfg, vel, s->mx->t);
  return status;
}

cardan_status cardan__mx_factor_ahead(cardan__mx_stepper *s, cardan_data *data, const double *cfg,
                                      const double *vel, const double *ahead)
{
  const cardan_status status = cardan__mx_factor_here(s, data);
  return status == CARDAN_ERR_SINGULAR ? cardan__mx_factor_past(s, data, cfg, vel, ahead) : status;
}
