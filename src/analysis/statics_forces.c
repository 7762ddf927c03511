// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/statics_inside.h"
#include "forces/forces.h"
#include "linalg/small.h"

/* The size of the forces that balance at a position: the scale by which the residual is judged.
 * Forces that cancel on one body, as those of two springs do, are measured one by one. */

/* The joint force tau on velocity k in newtons: divided by the length, in the metric (R1), of a
 * unit of that velocity. */
static double force_in_metric(const cardan__statics_point *s, int k, double tau)
{
  const size_t nv = (size_t)s->model->nv, i = (size_t)k;
  const double mass = s->model->mass > 0 ? s->model->mass : 1.0;
  const double length2 = s->M[i * nv + i] / mass + s->eps * s->u2[k];
  return length2 > 0 ? fabs(tau) / sqrt(length2) : 0;
}

/* The largest of the wrenches f on bodies (nbody) and the forces tau on free velocities (nv) [N].
 * */
static double find_largest(const cardan__statics_point *s, const cardan_force *f, const double *tau)
{
  double max_force = 0;
  for (int i = 1; i < s->model->nbody; i++) {
    max_force =
        fmax(max_force, fmax(cardan__vec3_norm(f[i].f), cardan__vec3_norm(f[i].t) / s->size));
  }
  for (int i = 0; i < s->n; i++) {
    max_force = fmax(max_force, force_in_metric(s, s->dof[i], tau[s->dof[i]]));
  }
  return max_force;
}

double cardan__statics_point_forces(cardan__statics_point *s)
{
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  const cardan__view view = cardan__data_view(model, data);
  double max_force = find_largest(s, data->f_in, data->tau_in);
  for (int i = 0; i < model->nforce; i++) {
    cardan__loads loads = {.f_ext = data->p, .tau = s->part};
    if (model->force[i].flags & CARDAN_FORCE_PROGRAM) {
      continue; // of a program: its forces are only in the sums on bodies, s->net
    }
    memset(data->p, 0, (size_t)model->nbody * sizeof *data->p);
    memset(s->part, 0, (size_t)model->nv * sizeof *s->part);
    cardan__forces_add_one(model, &view, i, &loads);
    max_force = fmax(max_force, find_largest(s, data->p, s->part));
  }
  return max_force;
}

bool cardan__statics_point_balanced(const cardan__statics_point *s, double tol)
{
  const double rounding = 64 * DBL_EPSILON * s->size; // of positions [m]
  return s->left <= fmax(tol * s->scale, rounding * s->stiffest);
}
