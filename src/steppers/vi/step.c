// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/loops.h"
#include "kinematics/joint.h"
#include "steppers/vi/vi.h"

/* One step of the method: the step of order 2, or a symmetric composition of such steps.
 * [3] E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, Springer 2006, section
 * V.3.2:
 *     order 4, five stages (Suzuki); order 6, nine stages (Kahan and Li).
 * The step of order 2 is symmetric and symplectic, with loops too (it maps momenta modulo the rows
 * of the constraints), so the composition is both, and of the order of its coefficients. Some
 * stages go backwards in time: a damper would then put energy in, so dissipation is refused
 * (method.c). */

static const double order2[1] = {1};

// 1 / (4 - 4^(1/3))
#define SUZUKI 0.41449077179437573714
static const double order4[5] = {SUZUKI, SUZUKI, 1 - 4 * SUZUKI, SUZUKI, SUZUKI};

static const double order6[9] = {
    0.39216144400731413927925056,  0.33259913678935943859974864, -0.70624617255763935980996482,
    0.08221359629355080023149045,  0.79854399093482996339895035, 0.08221359629355080023149045,
    -0.70624617255763935980996482, 0.33259913678935943859974864, 0.39216144400731413927925056};

const double *cardan__vi_composition(int order, int *nstage)
{
  *nstage = order == 2 ? 1 : order == 4 ? 5 : 9;
  return order == 2 ? order2 : order == 4 ? order4 : order6;
}

/* dq that takes q to q_to. */
static void difference(const cardan_model *model, const double *q, const double *q_to, double *dq)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const double *from = q + b->qadr, *to = q_to + b->qadr;
    const int k = cardan__quat_offset(b);
    if (k < 0) {
      dq[b->vadr] = to[0] - from[0];
      continue;
    }
    cardan_xform A = {.R = cardan__quat_to_mat3(cardan__quat_at(from + k)), .p = {0, 0, 0}};
    cardan_xform B = {.R = cardan__quat_to_mat3(cardan__quat_at(to + k)), .p = {0, 0, 0}};
    if (b->kind == CARDAN_LINK_FREE) {
      A.p = cardan__vec3(from[0], from[1], from[2]);
      B.p = cardan__vec3(to[0], to[1], to[2]);
    }
    const cardan_xform T = cardan__xform_inv_mul(&A, &B);
    const cardan_motion x = cardan_se3_log(&T);
    const double all[6] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
    memcpy(dq + b->vadr, all, (size_t)b->nv * sizeof *all);
  }
}

/* The first step from two configurations, q0 and q0 moved by h v0: it is given, not solved for.
 * Loops are closed by the least change. */
static cardan_status given_step(cardan__vi *s, cardan_data *data)
{
  const cardan_model *model = s->base.model;
  cardan_data *trial = s->trial;
  cardan_status status = CARDAN_OK;
  for (int k = 0; k < model->nv; k++) {
    s->dq[k] = s->h * s->node->v[k];
  }
  trial->t = s->t + s->h;
  cardan__vi_move_by(model, s->node->q, s->dq, 1, trial->q);
  cardan_prescribe(model, trial);
  if (model->nrow > 0) {
    memcpy(trial->v, s->node->v, (size_t)model->nv * sizeof *trial->v);
    status = cardan__project(model, trial);
  }
  if (status != CARDAN_OK) {
    data->info = trial->info;
    return status;
  }
  difference(model, s->node->q, trial->q, s->dq);
  cardan__vi_set_joints(s);
  status = cardan__vi_evaluate(s, true);
  memset(s->f, 0, (size_t)model->nv * sizeof *s->f); // there is no equation at the first node
  return status;
}

/* Guess and root; where the extrapolated guess leads nowhere, once more from the last displacement,
 * and once from none. */
static cardan_status solve(cardan__vi *s, cardan_data *data)
{
  static const cardan__vi_guess again[] = {CARDAN__VI_EULER, CARDAN__VI_CURRENT};
  const cardan__vi_guess first = s->guess;
  const int last = first == CARDAN__VI_EXTRAPOLATE ? 2 : 0;
  cardan_status status = CARDAN_ERR_NO_CONVERGENCE;
  for (int i = 0; i <= last && status == CARDAN_ERR_NO_CONVERGENCE; i++) {
    s->guess = i == 0 ? first : again[i - 1];
    status = cardan__vi_make_guess(s);
    cardan__vi_set_joints(s);
    if (status != CARDAN_OK) {
      data->info = s->node->info;
    } else {
      status = cardan__vi_find_root(s, data);
    }
  }
  s->guess = first;
  return status;
}

static cardan_status substep(cardan__vi *s, cardan_data *data, double h)
{
  cardan_status status;
  cardan__vi_begin(s, h);
  if (s->two_point && !s->started) {
    status = given_step(s, data);
  } else {
    status = solve(s, data);
  }
  if (status == CARDAN_OK) {
    cardan__vi_accept(s);
    cardan__vi_remember(s);
  }
  return status;
}

typedef struct {
  double t, work, h_before;
  int ndrive;
} kept;

static void exchange(cardan__vi *s, bool restore)
{
  const cardan_model *model = s->base.model;
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv, nbody = (size_t)model->nbody;
  struct {
    void *now, *kept;
    size_t size;
  } parts[] = {{s->node->q, s->q_kept, nq * sizeof(double)},
               {s->pj, s->pj_kept, nv * sizeof(double)},
               {s->P, s->P_kept, nbody * sizeof(cardan_force)}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    memcpy(restore ? parts[i].now : parts[i].kept, restore ? parts[i].kept : parts[i].now,
           parts[i].size);
  }
}

cardan_status cardan__vi_step(cardan__vi *s, cardan_data *data, double h)
{
  const kept before = {s->node->t, s->work, s->h_before, s->ndrive};
  cardan_status status = CARDAN_OK;
  s->base.iterations = 0;
  s->ntrace = 0;
  if (s->nstage > 1) {
    exchange(s, false);
  }
  for (s->stage = 0; s->stage < s->nstage && status == CARDAN_OK; s->stage++) {
    status = substep(s, data, s->gamma[s->stage] * h);
  }
  s->started = s->started || status == CARDAN_OK;
  if (status != CARDAN_OK && s->nstage > 1) {
    exchange(s, true);
    s->node->t = before.t;
    s->work = before.work;
    s->h_before = before.h_before;
    s->ndrive = before.ndrive;
    cardan__vi_enter(s);
    if (s->nindependent > 0) {
      cardan__vi_rows(s, s->node, s->Gk);
    }
  }
  return status;
}
