// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kinematics/view.h"
#include "run/sim.h"
#include "spatial/spatial.h"

/* Checks the bushings of a model: is one turned so far, or does it turn so fast, that it is
 * about to pass half a turn? There its rotation vector jumps to the other end of its axis, and the
 * torque with it (forces/bushing.c), the energy being the same on both sides: no balance shows it.
 *   cos angle = (trace(R_A^T R_B) - 1) / 2                                                    (E1)
 * Of a model that has such bushings every node is looked at. */

static const double PI = 3.14159265358979323846;
static const double NEAR = 0.9; // of half a turn

/* Does it have a part that a turn counts for? */
static bool counts_turns(const cardan_force_element *e)
{
  if (e->kind == CARDAN_ELEMENT_BUSHING) {
    return e->value[3] != 0.0 || e->value[4] != 0.0 || e->value[5] != 0.0;
  }
  return e->kind == CARDAN_ELEMENT_BUSHING_COUPLING && fmax(e->value[1], e->value[2]) > 3.0;
}

/* (E1), and how fast B turns in A, *rate [rad/s]. */
static double angle_of(const cardan_model *model, const cardan__view *view,
                       const cardan_force_element *e, double *rate)
{
  cardan_mat3 R[2];
  cardan_vec3 w[2];
  for (int k = 0; k < 2; k++) {
    const cardan_frame *f = &model->frame[e->frame[k]];
    R[k] = cardan__mat3_mul(&view->X_W[f->body].R, &f->X_BF.R);
    w[k] = cardan__mat3_mulv(&view->X_W[f->body].R, view->V[f->body].w);
  }
  const cardan_mat3 turn = cardan__mat3_tmul(&R[0], &R[1]);
  const cardan_vec3 w_AB = cardan__vec3_sub(w[1], w[0]);
  const double trace = turn.m[0][0] + turn.m[1][1] + turn.m[2][2];
  *rate = sqrt(cardan__vec3_dot(w_AB, w_AB));
  return acos(fmax(-1.0, fmin(1.0, 0.5 * (trace - 1.0))));
}

bool cardan__bushings_may_wrap(const cardan_model *model)
{
  bool found = false;
  for (int i = 0; i < model->nforce; i++) {
    found = found || counts_turns(&model->force[i]);
  }
  return found;
}

void cardan__watch_bushings(cardan_sim *sim)
{
  cardan__watch *w = &sim->watch;
  const cardan_model *model = sim->model;
  for (int i = 0; i < model->nforce && sim->bushings_wrap && w->turned == 0; i++) {
    if (counts_turns(&model->force[i])) {
      const cardan__view view = cardan__data_view(model, sim->data);
      double rate;
      const double angle = angle_of(model, &view, &model->force[i], &rate);
      if (angle > NEAR * PI || angle + rate * sim->options.dt > PI) {
        w->turned = i + 1;
        w->turned_t = view.t;
        w->turned_angle = angle;
        w->turned_rate = rate;
      }
    }
  }
}

void cardan__watch_bushings_end(cardan_sim *sim)
{
  cardan__watch *w = &sim->watch;
  const size_t size = sizeof sim->watch_text, used = strlen(sim->watch_text);
  if (w->turned == 0 || w->bushing_reported) {
    return;
  }
  w->bushing_reported = true;
  snprintf(sim->watch_text + used, size - used,
           "%sat t = %.6g the bushing \"%.60s\" is turned by %.3g rad, at %.3g rad/s: at half a "
           "turn its torque jumps to the other side",
           used > 0 ? "; " : "", w->turned_t, sim->model->force[w->turned - 1].name,
           w->turned_angle, w->turned_rate);
}
