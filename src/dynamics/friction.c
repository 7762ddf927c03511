// SPDX-License-Identifier: Apache-2.0
#include "dynamics/friction.h"

#include <stdio.h>

#include "cardan/dynamics.h"
#include "dynamics/loops.h"
#include "dynamics/rnea.h"
#include "forces/forces.h"

/* Forward dynamics with joint friction, by fixed-point iteration on its limits x_e = mu |N_e|.
 *
 *   tau(x) = tau_0 + sum over e of x_e d_e(v)                (E1)   forces/coulomb.c
 *   a, lambda from tau(x);  reactions from a, lambda         (E2)
 *   x_e <- mu |N_e|                                          (E3)
 *
 * (E2) is affine in x, and (E3) shrinks differences by a factor proportional to mu: the iteration
 * converges linearly while friction does not lock the mechanism. It starts from x = 0 at every
 * call, so the result depends on the state alone. Where it does not converge, friction as large as
 * this has no consistent reaction, or none that is unique (Painleve's paradox): that is reported,
 * not hidden. */

enum { MAX_ITERATIONS = 200 };

/* Relative to the largest force in any joint: 4500 rounding errors, 1e-12 of what presses. */
static const double tolerance = 1e-12;

/* (E2), with the factors of the mass matrix and of the loops that the first solve left */
static void solve(const cardan_model *model, cardan_data *data, double kq, double kv)
{
  cardan_aba(model, data, data->tau, data->a);
  if (model->nrow > 0) {
    cardan__loops_again(model, data, kq, kv);
  }
}

/* Reaction force of a joint on its child, in the axes of the frame that it carries. */
static cardan_vec3 reaction_force(const cardan_model *model, const cardan_data *data, int joint)
{
  const cardan_frame *frame = &model->frame[model->joint[joint].frame];
  return cardan__mat3_tmulv(&frame->X_BF.R, data->f[frame->body].f);
}

static double largest_force(const cardan_model *model, const cardan_data *data)
{
  double largest = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    largest = fmax(largest, cardan__vec3_norm(data->f[i].f));
  }
  return largest;
}

/* (E3), and (E1) by the change alone; returns the largest change of x, in *joint where it is. */
static double update(const cardan_model *model, cardan_data *data, const cardan__view *view,
                     int *joint)
{
  cardan__loads to = {.f_ext = data->f_ext, .tau = data->tau};
  double largest = -1.0;
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->kind == CARDAN_ELEMENT_FRICTION) {
      const double x = cardan__friction_limit(model, e, reaction_force(model, data, e->joint));
      const double change = x - data->friction[i];
      cardan__friction_element(model, view, e, change, &to);
      data->friction[i] = x;
      // written so that a change which is not a number is the largest
      if (!(fabs(change) <= largest)) {
        largest = fabs(change);
        *joint = e->joint;
      }
    }
  }
  return largest;
}

cardan_status cardan__friction_iterate(const cardan_model *model, cardan_data *data, double kq,
                                       double kv)
{
  const cardan__view view = cardan__data_view(model, data);
  double change = 0.0;
  int joint = -1;
  for (int i = 0; i < model->nforce; i++) {
    data->friction[i] = 0.0;
  }
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    cardan__joint_wrenches(model, data, data->tau_work);
    change = update(model, data, &view, &joint);
    if (!isfinite(change)) {
      break;
    }
    if (change <= tolerance * largest_force(model, data)) {
      return CARDAN_OK;
    }
    solve(model, data, kq, kv);
  }
  data->info = (cardan_info){.body = model->joint[joint].last,
                             .joint = joint,
                             .row = -1,
                             .residual = change,
                             .iterations = MAX_ITERATIONS};
  snprintf(data->info.message, sizeof data->info.message,
           "friction in joint \"%.60s\" found no reaction that agrees with it in %d iterations "
           "(the last "
           "change was %.3g N): its coefficient may be large enough to lock the mechanism",
           model->joint[joint].name, MAX_ITERATIONS, change);
  return CARDAN_ERR_NO_CONVERGENCE;
}
