// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "constraints/rows.h"
#include "kinematics/joint.h"
#include "methods/vi/vi.h"

/* Derivatives of the forces of vi_elastic.c, (h/4) B_k^T H B_{k+1} (S2). Rows of B at the two nodes
 * are the loads of unit stresses there, -B^T 1: wrenches on bodies and forces on velocities. That
 * of body i at node k+1 belongs to changes Ad_dT^-1 zeta_i in its own axes there, and is turned
 * into those at node k, of zeta_i, by force_to_parent. */

/* ---- unit loads ---- */

/* A wrench on body i at a node, as L has it. */
static cardan_force seen_from(const cardan__vi *s, const cardan__tie *tie, int side, int i,
                              cardan_force F)
{
  if (side == 0 || tie->reach == CARDAN__TIE_JOINT) {
    return F;
  }
  const cardan__screw Q = cardan__vi_displaced(s, i);
  const cardan_xform dT = {.R = cardan__quat_to_mat3(Q.r), .p = cardan__screw_translation(&Q)};
  return cardan__force_to_parent(&dT, F);
}

static void take_loads(cardan__vi *s, cardan__tie *tie, int side, int j)
{
  cardan__vi_elastic *a = &s->elastic;
  for (int k = 0; k < tie->nb; k++) {
    const int i = tie->body_of[k];
    tie->L[side][j * tie->nb + k] = seen_from(s, tie, side, i, a->load[i]);
    a->load[i] = (cardan_force){.t = {0, 0, 0}};
  }
  for (int k = 0; k < tie->nd; k++) {
    tie->l[side][j * tie->nd + k] = a->tau[tie->dof_of[k]];
    a->tau[tie->dof_of[k]] = 0;
  }
  a->load[0] = (cardan_force){.t = {0, 0, 0}};
}

/* The same of an element between two frames, all units at once. */
static void take_unit_loads(cardan__vi *s, cardan__tie *tie, int side, const cardan__view *view)
{
  const cardan_model *model = s->base.model;
  const int A = model->frame[tie->e->frame[0]].body, B = model->frame[tie->e->frame[1]].body;
  cardan_force on[2][6];
  tie->kind->unit_loads(model, view, tie->e, on[0], on[1]);
  for (int k = 0; k < tie->nb; k++) {
    const int i = tie->body_of[k];
    for (int j = 0; j < tie->n; j++) {
      const cardan_force F = A == B ? cardan__force_add(on[0][j], on[1][j]) : on[i == B][j];
      tie->L[side][j * tie->nb + k] = seen_from(s, tie, side, i, F);
    }
  }
}

/* L, l and H of a tie. */
static void derive(cardan__vi *s, cardan__tie *tie, const cardan__view view[2])
{
  const cardan_model *model = s->base.model;
  cardan__vi_elastic *a = &s->elastic;
  const bool by_units = tie->reach != CARDAN__TIE_OWN && tie->kind->unit_loads == NULL;
  cardan__loads to = {.f_ext = a->load, .tau = a->tau};
  memset(a->unit, 0, (size_t)tie->n * sizeof *a->unit);
  for (int j = 0; j < tie->n; j++) {
    a->unit[j] = 1;
    tie->kind->stress_change(model, &view[0], tie->e, tie->mean, a->unit, tie->H + j * tie->n);
    for (int side = 0; side < 2 && by_units; side++) {
      tie->kind->load(model, &view[side], tie->e, a->unit, &to);
      take_loads(s, tie, side, j);
    }
    a->unit[j] = 0;
  }
  for (int side = 0; side < 2 && tie->kind->unit_loads != NULL; side++) {
    take_unit_loads(s, tie, side, &view[side]);
  }
}

/* ---- where they go ---- */

/* Row j of -B of a tie of reach joint, over the joint's velocities. */
static void joint_row(const cardan_body *b, const cardan__tie *tie, int side, int j, double row[6])
{
  double part[6] = {0};
  memset(row, 0, 6 * sizeof *row);
  for (int k = 0; k < tie->nb; k++) {
    if (tie->body_of[k] == tie->body) {
      cardan__joint_project(b, tie->L[side][j * tie->nb + k], part);
    }
  }
  for (int k = 0; k < b->nv && tie->nb > 0; k++) {
    row[k] = part[k];
  }
  for (int k = 0; k < tie->nd; k++) {
    row[tie->dof_of[k] - b->vadr] += tie->l[side][j * tie->nd + k];
  }
}

static void add_joint(cardan__vi *s, const cardan__tie *tie)
{
  const cardan_body *b = &s->base.model->body[tie->body];
  const double quarter = 0.25 * s->base.h;
  double block[36] = {0}, row[6], column[6];
  for (int l = 0; l < tie->n; l++) {
    double sum[6] = {0};
    for (int j = 0; j < tie->n; j++) {
      const double H = quarter * tie->H[j * tie->n + l];
      if (H != 0) {
        joint_row(b, tie, 0, j, row);
        for (int k = 0; k < b->nv; k++) {
          sum[k] += H * row[k];
        }
      }
    }
    joint_row(b, tie, 1, l, column);
    for (int r = 0; r < b->nv; r++) {
      for (int k = 0; k < b->nv; k++) {
        block[r * b->nv + k] += sum[r] * column[k];
      }
    }
  }
  if (b->nv == 1) {
    s->slope[b->vadr] -= block[0];
    return;
  }
  double *to = s->elastic.block + (size_t)36 * (size_t)s->base.node->multi_of[tie->body];
  for (int k = 0; k < b->nv * b->nv; k++) {
    to[k] += block[k];
  }
}

/* A += F G^T: wrenches F, G as columns (t, f). */
static void add_outer(cardan_force F, cardan_force G, cardan__quad *A)
{
  const double t[3] = {F.t.x, F.t.y, F.t.z}, f[3] = {F.f.x, F.f.y, F.f.z};
  const double w[3] = {G.t.x, G.t.y, G.t.z}, v[3] = {G.f.x, G.f.y, G.f.z};
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      A->m[r][c] += (cardan__vec4){t[r] * w[c], t[r] * v[c], f[r] * w[c], f[r] * v[c]};
    }
  }
}

static void add_body(cardan__vi *s, const cardan__tie *tie)
{
  const double quarter = 0.25 * s->base.h;
  cardan__quad *K = &s->elastic.K[tie->body];
  for (int j = 0; j < tie->n; j++) {
    cardan_force sum = {.t = {0, 0, 0}};
    for (int l = 0; l < tie->n; l++) {
      sum = cardan__force_axpy(quarter * tie->H[j * tie->n + l], tie->L[1][l], sum);
    }
    add_outer(tie->L[0][j], sum, K);
  }
}

/* Row over dq of wrenches F on bodies at node k+1 (node k's axes, spoilt) and forces in out. */
static void pull_next(cardan__vi *s, cardan_force *F, double *out)
{
  const cardan_model *model = s->base.model;
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const cardan__screw Q = cardan__vi_displaced(s, i);
    for (int k = 0; k < b->nv; k++) {
      const cardan_twist S = cardan__screw_carry(&Q, cardan__joint_axis(b, k));
      out[b->vadr + k] += cardan__power(S, F[i]);
    }
    F[b->parent] =
        cardan__force_add(F[b->parent], cardan__force_to_parent(&s->base.node->X[i], F[i]));
  }
}

/* Loads of unit stress j at a node, as a row over dq. */
static void channel_row(cardan__vi *s, const cardan__tie *tie, int side, int j, double *row)
{
  const cardan_model *model = s->base.model;
  cardan_force *load = s->elastic.load;
  memset(row, 0, (size_t)model->nv * sizeof *row);
  for (int k = 0; k < tie->nd; k++) {
    row[tie->dof_of[k]] += tie->l[side][j * tie->nd + k];
  }
  for (int k = 0; k < tie->nb; k++) {
    load[tie->body_of[k]] = tie->L[side][j * tie->nb + k];
  }
  if (side == 0) {
    cardan__tree_pull(model, s->base.node, load, row);
  } else {
    pull_next(s, load, row);
  }
  memset(load, 0, (size_t)model->nbody * sizeof *load);
}

/* Channels of a tie: beta = (h/2) b_k, alpha = H b_{k+1} / 2, with b = -B. */
static void add_channels(cardan__vi *s, cardan__tie *tie, int channel)
{
  const size_t nv = (size_t)s->base.model->nv, n = (size_t)tie->n;
  double *alpha = s->alpha + (size_t)channel * nv, *beta = s->beta + (size_t)channel * nv;
  for (int j = 0; j < tie->n; j++) {
    channel_row(s, tie, 0, j, beta + (size_t)j * nv);
    channel_row(s, tie, 1, j, alpha + (size_t)j * nv);
  }
  for (size_t k = 0; k < n * nv; k++) {
    beta[k] *= 0.5 * s->base.h;
  }
  for (size_t k = 0; k < nv; k++) {
    for (size_t j = 0; j < n; j++) {
      tie->c[j] = 0;
      for (size_t l = 0; l < n; l++) {
        tie->c[j] -= 0.5 * tie->H[j * n + l] * alpha[l * nv + k];
      }
    }
    for (size_t j = 0; j < n; j++) {
      alpha[j * nv + k] = tie->c[j];
    }
  }
}

void cardan__elastic_slopes(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  cardan__vi_elastic *a = &s->elastic;
  int channel = s->nchannel - a->nchannel;
  cardan__view view[2] = {cardan__data_view(model, s->base.node),
                          cardan__data_view(model, s->base.node)};
  view[1].X_W = a->X;
  view[1].q = a->q;
  memset(a->block, 0, (size_t)36 * (size_t)model->nmulti * sizeof *a->block);
  memset(a->tau, 0, (size_t)model->nv * sizeof *a->tau);
  for (int i = 1; i < model->nbody; i++) {
    if (a->tied[i]) {
      memset(&a->K[i], 0, sizeof a->K[i]);
    }
  }
  for (int i = 0; i < a->n; i++) {
    cardan__tie *tie = &a->tie[i];
    derive(s, tie, view);
    if (tie->reach == CARDAN__TIE_OWN) {
      s->slope[model->body[tie->body].vadr] -= 0.25 * s->base.h * tie->H[0];
    } else if (tie->reach == CARDAN__TIE_JOINT) {
      add_joint(s, tie);
    } else if (tie->reach == CARDAN__TIE_BODY) {
      add_body(s, tie);
    } else if (!a->gmres) {
      add_channels(s, tie, channel);
      channel += tie->n;
    }
  }
}

/* ---- products ---- */

/* c = (h/4) H B_{k+1} (zeta, x) of a coupled tie. */
static void stress_of(const cardan__vi *s, cardan__tie *tie, const double *x)
{
  const cardan_model *model = s->base.model;
  double *dy = s->elastic.unit;
  for (int j = 0; j < tie->n; j++) {
    dy[j] = 0;
    for (int k = 0; k < tie->nb; k++) {
      dy[j] -= cardan__power(s->zeta[tie->body_of[k]], tie->L[1][j * tie->nb + k]);
    }
    for (int k = 0; k < tie->nd; k++) {
      const int v = tie->dof_of[k];
      dy[j] -= cardan__prescribed(model, v) ? 0 : tie->l[1][j * tie->nd + k] * x[v];
    }
  }
  for (int j = 0; j < tie->n; j++) {
    tie->c[j] = 0;
    for (int l = 0; l < tie->n; l++) {
      tie->c[j] += 0.25 * s->base.h * tie->H[j * tie->n + l] * dy[l];
    }
  }
}

void cardan__elastic_apply_bodies(cardan__vi *s, const double *x)
{
  cardan__vi_elastic *a = &s->elastic;
  for (int i = 0; i < a->n && a->gmres; i++) {
    cardan__tie *tie = &a->tie[i];
    if (tie->reach != CARDAN__TIE_COUPLED) {
      continue;
    }
    stress_of(s, tie, x);
    for (int j = 0; j < tie->n; j++) {
      for (int k = 0; k < tie->nb; k++) {
        cardan_force *b = &s->b[tie->body_of[k]];
        *b = cardan__force_axpy(-tie->c[j], tie->L[0][j * tie->nb + k], *b);
      }
    }
  }
}

void cardan__elastic_apply_joints(cardan__vi *s, const double *x, double *y)
{
  const cardan_model *model = s->base.model;
  cardan__vi_elastic *a = &s->elastic;
  for (int i = 0; i < a->n && a->gmres; i++) {
    const cardan__tie *tie = &a->tie[i];
    for (int j = 0; j < tie->n && tie->reach == CARDAN__TIE_COUPLED; j++) {
      for (int k = 0; k < tie->nd; k++) {
        const int v = tie->dof_of[k];
        y[v] -= cardan__prescribed(model, v) ? 0 : tie->c[j] * tie->l[0][j * tie->nd + k];
      }
    }
  }
  for (int i = 1; i < model->nbody && model->nmulti > 0; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv > 1) {
      const double *block = a->block + (size_t)36 * (size_t)s->base.node->multi_of[i];
      for (int r = 0; r < b->nv; r++) {
        for (int k = 0; k < b->nv; k++) {
          y[b->vadr + r] += block[r * b->nv + k] * x[b->vadr + k];
        }
      }
    }
  }
}

void cardan__elastic_add_blocks(const cardan__vi *s, double *J)
{
  const cardan_model *model = s->base.model;
  const size_t nv = (size_t)model->nv;
  for (int i = 1; i < model->nbody && model->nmulti > 0; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv > 1) {
      const double *block = s->elastic.block + (size_t)36 * (size_t)s->base.node->multi_of[i];
      for (int r = 0; r < b->nv; r++) {
        for (int k = 0; k < b->nv; k++) {
          J[(size_t)(b->vadr + r) * nv + (size_t)(b->vadr + k)] += block[r * b->nv + k];
        }
      }
    }
  }
}
