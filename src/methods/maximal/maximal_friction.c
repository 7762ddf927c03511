// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "forces/friction_prediction.h"
#include "methods/maximal/stepper.h"

/* Joint friction of a maximal method: this formulation's part in the iteration of
 * forces/friction.c. Friction acts on velocities of joints, mx->friction; the bodies get it with
 * all other forces. How far ahead of the velocities it looks, in parts of a step, is the method's
 * own, such that a joint which is to stop does so at once, without ringing:
 *   half-implicit 1, baraff with fixed steps 1, rattle 1/2, fully-implicit 0: its law of friction
 *   is one at the end of the step, in the equations themselves. */

typedef struct {
  cardan__mx_stepper *s;
  cardan_data *data;
  const double *vel;
  const cardan__mx_kick *kick;
} pressed;

static const cardan_force *wrenches(void *self)
{
  const pressed *p = self;
  cardan__mx_least(p->s); // what presses joints together, where loops leave a choice
  cardan__mx_joint_wrenches(p->s->mx, p->data, p->s->lambda, p->s->mx->wrench);
  return p->s->mx->wrench;
}

static void solve(void *self)
{
  const pressed *p = self;
  cardan__mx_forces(p->s->mx, p->data, cardan__mx_all_forces(p->s), p->vel, p->s->f);
  cardan__mx_solve_accelerations(p->s);
  if (p->kick != NULL) {
    p->kick->solve(p->kick->self);
  }
}

/* v + ahead a; with a kick, that of the velocities which it leaves: they are those of the instant
 * and what it added, which the joints see as they see accelerations. */
static void see(void *self, double *seen)
{
  const pressed *p = self;
  const cardan__mx_stepper *s = p->s;
  const double ahead = s->prediction->ahead;
  double *acc = s->acc;
  if (p->kick != NULL) {
    for (int i = 0; i < s->mx->nx; i++) {
      p->kick->work[i] = s->acc[i] + (p->kick->vel[i] - p->vel[i]) / ahead;
    }
    acc = p->kick->work;
  }
  cardan__mx_joint_accelerations(s->mx, acc, seen);
  for (int k = 0; k < s->mx->model->nv; k++) {
    seen[k] = s->mx->v[k] + ahead * seen[k];
  }
}

cardan_status cardan__mx_agree_friction(cardan__mx_stepper *s, cardan_data *data, const double *vel,
                                        const cardan__mx_kick *kick)
{
  pressed self = {s, data, vel, kick};
  const cardan__view view = cardan__mx_view(s->mx);
  const cardan__friction_system system = {.self = &self,
                                          .wrenches = wrenches,
                                          .solve = solve,
                                          .view = &view,
                                          .limit = s->mx->limit,
                                          .force = s->mx->friction,
                                          .prediction = s->prediction,
                                          .see = see};
  memset(s->mx->limit, 0, (size_t)s->base.model->nforce * sizeof *s->mx->limit);
  memset(s->mx->friction, 0, (size_t)s->base.model->nv * sizeof *s->mx->friction);
  solve(&self);
  return cardan__friction_agree(s->base.model, &system, &data->info);
}

void cardan__mx_friction_ahead(cardan__mx_stepper *s, double h)
{
  if (s->prediction != NULL) {
    s->prediction->ahead = s->ahead * fabs(h);
  }
}

void cardan__mx_slide(cardan__mx_stepper *s, double wide)
{
  const int nv = s->base.model->nv;
  for (int k = 0; k < nv && wide != 1; k++) {
    s->mx->v[k] /= wide;
  }
  const cardan__view view = cardan__mx_view(s->mx);
  cardan__loads to = {.f_ext = s->mx->f_ext, .tau = s->mx->friction};
  memset(s->mx->friction, 0, (size_t)s->base.model->nv * sizeof *s->mx->friction);
  cardan__friction_apply(s->base.model, &view, s->mx->limit, &to);
  for (int k = 0; k < nv && wide != 1; k++) {
    s->mx->v[k] *= wide;
  }
}
