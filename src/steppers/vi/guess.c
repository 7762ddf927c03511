// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "kinematics/joint.h"
#include "steppers/discrete.h"
#include "steppers/vi/vi.h"

/* Where the root finder starts: [1] section 3.3, and extrapolation.
 *
 *   current      IG1   dq = 0
 *   euler        IG2   dq = dq of the step before
 *   dynamics     IG3   dq = dq before + h^2 a(q^k, dq before / h)
 *   zero               q^{k+1} = 0, as for [1] Fig. 4a
 *   extrapolate        from the steps before, by as many as follow it (extrapolate.h)
 *
 * In a composition each stage has its own differences: they are smooth from one step of the method
 * to the next. */

/* a at node k and velocities v, to trial->a. */
static cardan_status accelerate(cardan__vi *s, const double *v, double over)
{
  const cardan_model *model = s->base.model;
  cardan_data *trial = s->trial;
  trial->t = s->t;
  memcpy(trial->q, s->node->q, (size_t)model->nq * sizeof *trial->q);
  for (int k = 0; k < model->nv; k++) {
    trial->v[k] = over * v[k];
  }
  memcpy(trial->tau_in, s->tau_in, (size_t)model->nv * sizeof *trial->tau_in);
  memcpy(trial->f_in, s->f_in, (size_t)model->nbody * sizeof *trial->f_in);
  const cardan_status status = cardan_forward(model, trial, 0, 0);
  if (status != CARDAN_OK) {
    s->node->info = trial->info;
  }
  return status;
}

/* The first step: from the node's velocity, dq = h v + h^2 a / 2. A start at which accelerations
 * have no solution (a singular position) does without them. */
static void first_guess(cardan__vi *s)
{
  const int nv = s->base.model->nv;
  const double *v = s->node->v;
  const bool known = accelerate(s, v, 1) == CARDAN_OK;
  for (int k = 0; k < nv; k++) {
    s->dq[k] = s->h * v[k] + (known ? 0.5 * s->h * s->h * s->trial->a[k] : 0);
  }
}

/* dq that takes every coordinate to zero, every quaternion to the identity. */
static void to_zero(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const double *q = s->node->q + b->qadr;
    if (b->nv == 1) {
      s->dq[b->vadr] = -q[0];
      continue;
    }
    const int k = cardan__quat_offset(b);
    const cardan_quat e = cardan__quat_at(q + k);
    const cardan_vec3 p =
        b->kind == CARDAN_LINK_FREE ? cardan__vec3(q[0], q[1], q[2]) : cardan__vec3(0, 0, 0);
    const cardan_xform T = cardan__xform_from_quat(cardan__quat_normalize(e), p);
    const cardan_motion x = cardan__motion_neg(cardan_se3_log(&T));
    const double all[6] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
    memcpy(s->dq + b->vadr, all, (size_t)b->nv * sizeof *all);
  }
}

cardan_status cardan__vi_make_guess(cardan__vi *s)
{
  const size_t nv = (size_t)s->base.model->nv;
  const cardan__extrapolation *history = &s->history[s->stage];
  const double *before = history->D;
  cardan_status status = CARDAN_OK;
  if (s->guess == CARDAN__VI_ZERO) {
    to_zero(s);
  } else if (s->guess == CARDAN__VI_CURRENT) {
    memset(s->dq, 0, nv * sizeof *s->dq);
  } else if (history->have == 0) {
    first_guess(s);
  } else if (s->guess == CARDAN__VI_EULER) {
    memcpy(s->dq, before, nv * sizeof *s->dq);
  } else if (s->guess == CARDAN__VI_DYNAMICS) {
    status = accelerate(s, before, 1 / s->h);
    for (size_t k = 0; k < nv; k++) {
      s->dq[k] = before[k] + s->h * s->h * s->trial->a[k];
    }
  } else {
    cardan__extrapolate(history, s->dq);
  }
  cardan__prescribed_moves(s->base.model, s->trial, s->node, s->t + s->h, s->dq);
  return status;
}

void cardan__vi_remember(cardan__vi *s)
{
  cardan__extrapolate_remember(&s->history[s->stage], s->dq);
}
