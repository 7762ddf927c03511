// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "forces/forces.h"
#include "kinematics/joint.h"
#include "methods/svi/svi.h"
#include "model/data.h"

/* The equation of a step, [1] (45), whatever evaluates the Lagrangian's derivatives.
 *
 * The Lagrangian and the forces are taken at the point alpha of the way. Forces act there with
 * weights (1 - alpha) h on node k and alpha h on node k+1: the virtual work of the quadrature; [1]
 * prints 1/2 and 1/2, the same for alpha = 1/2. */

cardan__mid_weights cardan__svi_weights(const cardan__svi *s)
{
  const double h = s->base.h;
  return (cardan__mid_weights){.kb = (1 - s->alpha) * h, .kq = s->alpha, .kv = 1 / h};
}

/* ---- the middle of the step ---- */

/* Friction presses with the reactions of the motion through the middle state, as cardan_forward has
 * them. */
static cardan_status friction_limits(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  cardan_data *mid = s->mid.data, *trial = s->base.trial;
  trial->t = mid->t;
  memcpy(trial->q, mid->q, (size_t)model->nq * sizeof *trial->q);
  memcpy(trial->v, mid->v, (size_t)model->nv * sizeof *trial->v);
  memcpy(trial->tau_in, mid->tau_in, (size_t)model->nv * sizeof *trial->tau_in);
  memcpy(trial->f_in, mid->f_in, (size_t)model->nbody * sizeof *trial->f_in);
  cardan__hold_load(&s->base, trial);
  trial->dry_friction = s->base.dry_held ? s->base.no_friction : NULL;
  const cardan_status status = cardan_forward(model, trial, 0, 0);
  trial->dry_friction = NULL;
  if (status != CARDAN_OK) {
    s->base.node->info = trial->info;
  }
  s->mid.limit = trial->friction;
  return status;
}

cardan_status cardan__svi_enter_middle(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  const double *d = s->base.x.dq, *q = s->base.node->q;
  cardan_data *mid = s->mid.data;
  const double inv_h = 1 / s->base.h;
  mid->t = s->base.t + s->alpha * s->base.h;
  for (int k = 0; k < model->nv; k++) {
    mid->q[k] = q[k] + s->alpha * d[k];
    mid->v[k] = d[k] * inv_h;
  }
  s->mid.limit = NULL;
  return s->base.friction_acts ? friction_limits(s) : CARDAN_OK;
}

/* ---- sizes ---- */

static double sum_abs(cardan_vec3 a)
{
  return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

void cardan__svi_sizes(cardan__discrete *d, double *scale)
{
  cardan__svi *s = (cardan__svi *)d;
  const cardan_model *model = s->base.model;
  const cardan_data *mid = s->mid.data;
  const double h = fabs(s->base.h), g = h * cardan__vec3_norm(model->gravity);
  for (int i = 1; i < model->nbody; i++) {
    const cardan_inertia *I = &model->body[i].inertia;
    const cardan_force mu = cardan__inertia_mul(I, s->V[i]), *load = &mid->f_ext[i];
    s->base.size[i] = (cardan__size){.turn = sum_abs(s->V[i].w),
                                     .way = sum_abs(s->V[i].v),
                                     .force = sum_abs(mu.f) + g * I->m + h * sum_abs(load->f),
                                     .torque = sum_abs(mu.t) + h * sum_abs(load->t)};
  }
  for (int k = 0; k < model->nv; k++) {
    scale[k] = fabs(s->p[k]) + h * fabs(mid->tau[k]);
  }
  cardan__sizes_rows(&s->base, s->X, h, scale);
}

void cardan__svi_combine(cardan__svi *s, double *r)
{
  const double kb = (1 - s->alpha) * s->base.h;
  for (int k = 0; k < s->base.model->nv; k++) {
    r[k] = s->a[k] - (s->p[k] + kb * s->b[k]); // [1] (45)
  }
}

/* ---- from node to node ---- */

cardan_status cardan__svi_start(cardan__discrete *d)
{
  cardan_momenta(d->model, d->node, ((cardan__svi *)d)->p);
  return CARDAN_OK;
}

void cardan__svi_enter(cardan__discrete *d)
{
  (void)d; // the equation reads only the middle
}

/* The caller's inputs go to the middle of the step. */
void cardan__svi_begin(cardan__discrete *d)
{
  cardan__svi *s = (cardan__svi *)d;
  cardan_data *mid = s->mid.data;
  s->mid.inputs = d->has_inputs;
  cardan__data_caller(d->model, d->node, mid);
  memcpy(mid->tau_in, d->tau_in, (size_t)d->model->nv * sizeof *mid->tau_in);
  memcpy(mid->f_in, d->f_in, (size_t)d->model->nbody * sizeof *mid->f_in);
}

double cardan__svi_work(cardan__discrete *d)
{
  const cardan__svi *s = (const cardan__svi *)d;
  cardan__view view = cardan__data_view(d->model, s->mid.data);
  double work = 0;
  view.X_W = s->X_W;
  view.V = s->V;
  if (d->works) {
    work += d->h * cardan__forces_power(d->model, &view, s->mid.limit);
  }
  for (int k = 0; k < d->model->nv && d->has_inputs; k++) {
    work += d->tau_in[k] * d->x.dq[k];
  }
  for (int i = 1; i < d->model->nbody && d->has_inputs; i++) {
    work += d->h * cardan__power(s->V[i], d->f_in[i]);
  }
  return work;
}

/* What the root finder leaves of the residual is momentum that should not be there: it is taken
 * out, so that it cannot add up. Of prescribed coordinates it is the driver's impulse. */
void cardan__svi_accept(cardan__discrete *d)
{
  const cardan__svi *s = (const cardan__svi *)d;
  const double ka = s->alpha * d->h;
  for (int i = 0; i < d->model->nprescribed; i++) {
    d->r[d->model->body[d->model->prescribed[i].body].vadr] = 0;
  }
  for (int k = 0; k < d->model->nv; k++) {
    s->p[k] = s->a[k] + ka * s->b[k] - d->r[k]; // [1] (21), with f^+
  }
}

bool cardan__svi_momentum(cardan__discrete *d, cardan_force *P, double *p)
{
  (void)P;
  memcpy(p, ((const cardan__svi *)d)->p, (size_t)d->model->nv * sizeof *p);
  return false;
}

void cardan__svi_push(cardan__discrete *d, const double *p)
{
  const cardan__svi *s = (const cardan__svi *)d;
  for (int k = 0; k < d->model->nv; k++) {
    s->p[k] += p[k];
  }
}

void cardan__svi_state(cardan__discrete *d, cardan__spans *list)
{
  cardan__svi *s = (cardan__svi *)d;
  cardan__spans_add(list, s->p, (size_t)d->model->nv, sizeof *s->p);
}
