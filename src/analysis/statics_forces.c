// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/statics_inside.h"
#include "forces/forces.h"
#include "linalg/small.h"

/* How large the forces are that balance at a place: the measure of what remains of them. Forces
 * that cancel on one body, as those of two springs do, are measured one by one. */

/* Joint force tau_k in newtons of the metric (R1): by the length of a unit of velocity k. */
static double in_metric(const cardan__statics_point *s, int k, double tau)
{
  const size_t nv = (size_t)s->model->nv, at = (size_t)k;
  const double mass = s->model->mass > 0 ? s->model->mass : 1.0;
  const double square = s->M[at * nv + at] / mass + s->eps * s->u2[k];
  return square > 0 ? fabs(tau) / sqrt(square) : 0;
}

/* The largest of wrenches on bodies (nbody) and of forces on free velocities (nv). */
static double largest(const cardan__statics_point *s, const cardan_force *f, const double *tau)
{
  double most = 0;
  for (int i = 1; i < s->model->nbody; i++) {
    most = fmax(most, fmax(cardan__vec3_norm(f[i].f), cardan__vec3_norm(f[i].t) / s->size));
  }
  for (int i = 0; i < s->n; i++) {
    most = fmax(most, in_metric(s, s->dof[i], tau[s->dof[i]]));
  }
  return most;
}

double cardan__statics_point_forces(cardan__statics_point *s)
{
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  const cardan__view view = cardan__data_view(model, data);
  double most = largest(s, data->f_in, data->tau_in);
  for (int i = 0; i < model->nforce; i++) {
    cardan__loads loads = {.f_ext = data->p, .tau = s->part};
    if (model->force[i].flags & CARDAN_FORCE_PROGRAM) {
      continue; // a program's own: in the sums
    }
    memset(data->p, 0, (size_t)model->nbody * sizeof *data->p);
    memset(s->part, 0, (size_t)model->nv * sizeof *s->part);
    cardan__forces_add_one(model, &view, i, &loads);
    most = fmax(most, largest(s, data->p, s->part));
  }
  return most;
}

bool cardan__statics_point_balanced(const cardan__statics_point *s, double tol)
{
  const double places = 64 * DBL_EPSILON * s->size; // rounding of them
  return s->left <= fmax(tol * s->scale, places * s->stiffest);
}
