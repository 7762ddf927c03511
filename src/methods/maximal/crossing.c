// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "methods/continuous/singular_crossing.h"
#include "methods/maximal/stepper.h"

/* Singular positions of baraff: how near one is, and the way over it
 * (continuous/singular_crossing.h).
 *
 * d is the square root of the smallest pivot of J M^-1 J^T, relative to its row's diagonal: the
 * sine of the angle between a row and the others. Over a crossing of s, with a_0 and a_1 at its
 * ends,
 *   cfg(t + s) = cfg moved by s v + s^2 (2 a_0 + a_1) / 6,   vel(t + s) = v + s (a_0 + a_1) / 2
 * and both are projected; a_1 is a_0 at first, then that of where the crossing has led.
 * (E1) In the position itself a is that of a little further on. */

cardan_status cardan__mx_pivot_ratio_at(cardan__mx_stepper *s, cardan_data *data, double t,
                                        const double *cfg, const double *vel, double ahead,
                                        double *d)
{
  for (int i = 0; i < s->mx->nx; i++) {
    s->dx[i] = ahead * vel[i];
  }
  cardan__mx_drift(s->mx, cfg, s->dx, s->cfg_ahead);
  cardan__mx_look(s, s->cfg_ahead, vel, t + ahead);
  const cardan_status status = cardan__mx_factor_here(s, data);
  *d = cardan__mx_pivot_ratio(s);
  return status == CARDAN_ERR_SINGULAR ? CARDAN_OK : status;
}

/* cfg_try and vel_try back on the constraints; CARDAN_ERR_SINGULAR where that is a long way. work:
 * nx, scratch. */
static cardan_status land(cardan__mx_stepper *s, cardan_data *data, double t, double *work)
{
  const size_t n = (size_t)s->mx->nx;
  const double speed = cardan__mx_size(s, s->vel_try);
  memcpy(work, s->vel_try, n * sizeof *work);
  s->closely = true;
  s->way = 0;
  const cardan_status status = cardan__mx_project(s, data, t, s->cfg_try, s->vel_try);
  s->closely = false;
  if (status != CARDAN_OK) {
    return CARDAN_ERR_SINGULAR;
  }
  for (size_t i = 0; i < n; i++) {
    work[i] -= s->vel_try[i];
  }
  const double turned = cardan__mx_size(s, work);
  return cardan__singular_crossing_missed(s->way, cardan__mx_pivot_ratio(s), turned, speed)
             ? CARDAN_ERR_SINGULAR
             : CARDAN_OK;
}

/* acc at t, cfg and vel, and the power there. */
static cardan_status accelerate(cardan__mx_stepper *s, cardan_data *data, double t,
                                const double *cfg, const double *vel, double *power)
{
  cardan__mx_look(s, cfg, vel, t);
  const cardan_status status = cardan__mx_accelerate(s, data, cfg, vel, 0, 0);
  *power = s->works && status == CARDAN_OK
               ? cardan__mx_power(s->mx, data) + cardan__mx_driver_power(s->mx, s->lambda)
               : 0;
  return status;
}

/* (E1) with a_0 and a_1, to cfg_try and vel_try. */
static void extrapolate(cardan__mx_stepper *s, double over, const double *cfg, const double *vel,
                        const double *a_0, const double *a_1)
{
  for (int i = 0; i < s->mx->nx; i++) {
    s->dx[i] = over * vel[i] + over * over * (2 * a_0[i] + a_1[i]) / 6;
    s->vel_try[i] = vel[i] + 0.5 * over * (a_0[i] + a_1[i]);
  }
  cardan__mx_drift(s->mx, cfg, s->dx, s->cfg_try);
}

cardan_status cardan__mx_branch_jump(cardan__mx_stepper *s, cardan_data *data, double t,
                                     double over, bool lands, double *cfg, double *vel,
                                     double *work)
{
  const size_t ncfg = (size_t)s->mx->ncfg * (size_t)s->mx->nbody, n = (size_t)s->mx->nx;
  double power = 0, at_end = 0, *a_0 = s->x, *scratch = s->rhs;
  cardan_status status = accelerate(s, data, t, cfg, vel, &power);
  if (status != CARDAN_OK) {
    return status;
  }
  memcpy(a_0, s->acc, n * sizeof *a_0);
  at_end = power;
  extrapolate(s, over, cfg, vel, a_0, a_0);
  if (lands) {
    status = land(s, data, t + over, scratch);
    status = status == CARDAN_OK ? accelerate(s, data, t + over, s->cfg_try, s->vel_try, &at_end)
                                 : status;
    extrapolate(s, over, cfg, vel, a_0, s->acc);
    status = status == CARDAN_OK ? land(s, data, t + over, scratch) : status;
  }
  if (status == CARDAN_OK) {
    memcpy(cfg, s->cfg_try, ncfg * sizeof *cfg);
    memcpy(vel, s->vel_try, n * sizeof *vel);
    *work += 0.5 * over * (power + at_end);
  }
  return status;
}
