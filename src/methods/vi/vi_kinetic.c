// SPDX-License-Identifier: Apache-2.0
#include "methods/vi/vi.h"

/* The discrete kinetic energy of a step: `swing` (kernels/swing_step.h), or the published one of
 * the logarithm on SE(3), `se3` (kernels/body_step.h). Both give mu and next, whose sum over the
 * bodies is the residual, and K; nothing else of the method depends on which it is. */

static void set_central(cardan__central_lanes *to, int l, const cardan__central *b)
{
  const double J[6] = {b->J.xx, b->J.yy, b->J.zz, b->J.xy, b->J.xz, b->J.yz};
  to->m.at[l] = b->m;
  to->k.at[l] = b->k;
  cardan__lane_set_vec3(to->c, l, b->c);
  cardan__lane_set_vec3(to->s, l, b->s);
  for (int k = 0; k < 6; k++) {
    to->J[k].at[l] = J[k];
  }
}

void cardan__vi_kinetic_make(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  for (int i = 0; i < s->nblock * CARDAN__LANES && !s->se3; i++) {
    const cardan__central none = {.m = 0};
    const cardan__central b = i > 0 && i < model->nbody ? cardan__body_central(model, i) : none;
    set_central(&s->central[cardan__block_of(i)], cardan__lane_of(i), &b);
  }
}

void cardan__vi_kinetic_momenta(cardan__vi *s)
{
  const double inv_h = 1 / s->base.h;
  for (int k = 0; k < s->nblock; k++) {
    if (s->se3) {
      cardan__lanes_momenta_se3(&s->base.model->inertia_lanes[k], inv_h, &s->lanes[k]);
    } else {
      cardan__lanes_momenta(&s->central[k], inv_h, &s->lanes[k]);
    }
  }
}

void cardan__vi_kinetic_block(const cardan__vi *s, int k, cardan__slope_lanes *out)
{
  if (s->se3) {
    const cardan__inertia_lanes *G = &s->base.model->inertia_lanes[k];
    cardan__lanes_slopes_se3(G, 1 / s->base.h, &s->lanes[k], out);
  } else {
    cardan__lanes_slopes(&s->central[k], 1 / s->base.h, &s->lanes[k], out);
  }
}

cardan__mat6 cardan__vi_kinetic_slope(const cardan__vi *s, int i)
{
  const double inv_h = 1 / s->base.h;
  const cardan__screw Q = cardan__vi_displaced(s, i);
  const cardan_force mu = cardan__vi_mu(s, i);
  if (s->se3) {
    cardan__dlog_coeffs k;
    const cardan_twist x = cardan__screw_log(&Q, &k);
    return cardan__step_slope(&s->base.model->body[i].inertia, x, &k, inv_h, mu);
  }
  const cardan__central b =
      cardan__lane_central(&s->central[cardan__block_of(i)], cardan__lane_of(i));
  const cardan__central over = cardan__central_over(inv_h, &b);
  const cardan__swing_place at = cardan__swing_at(&Q, cardan__screw_arc(&Q), b.c);
  const cardan__swing_coeffs k = cardan__swing_coeffs_of(&at, b.s);
  return cardan__swing_slope(&over, &at, &k, mu.t);
}
