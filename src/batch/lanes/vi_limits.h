/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/vi_limits.h - lanes of method vi that are masked out at a limit of a joint, and that
 * copies enter again. Both happen at a node, by its q and v: of the momenta of a node the discrete
 * equations read only p = M(q) v, so the motion continues without a seam. */
#pragma once
#include "batch/lanes/vi_newton.h"

/* v of the node that the step under way begins at, to the lanes of a mask; (T1) by what (T2) has
 * made of it: P_i = B_i - 2 e'^2 W_i, pj = c. s->y is overwritten. */
static void velocities_before(vi_lanes *s, mask on, real *v)
{
  const cardan__lanes_model *m = s->model;
  const real weight = real_of(-2 * s->e * s->e), inv_h = real_of(0.5 / s->e);
  for (int i = 1; i < m->nbody; i++) {
    vi_body *o = &s->body[i];
    if (!(m->body[i].flags & CARDAN__LANES_LIGHT)) {
      o->F = add_weight(s, &m->body[i], i, weight, o->B);
    }
  }
  project_all(s, s->y);
  for (int k = 0; k < m->nv; k++) {
    s->y[k] = s->y[k] + s->c[k];
  }
  *s->left |= s->head->factored ? mask_of(0) : factor_mass(s) & on;
  solve_mass(s, s->y);
  for (int k = 0; k < m->nv; k++) {
    v[k] = choose(on, inv_h * s->y[k], v[k]);
  }
}

/* Before a step: the node, where the lanes have its velocities, and no lane falls back yet. */
static void begin_fallback(vi_lanes *s, cardan__lanes *lanes)
{
  s->near = mask_of(0);
  if (cardan__lanes_settles(s->model)) {
    store_node(s->model, lanes);
  } else if (s->model->nlimit > 0) {
    *(mask *)(void *)lanes->fallback = s->near;
  }
}

/* Before a step is accepted: masks out copies that may reach a limit in it. */
static void check_step_limits(vi_lanes *s, cardan__lanes *lanes)
{
  const cardan__lanes_model *m = s->model;
  const real *last = s->head->have > 0 ? s->D : s->x;
  mask near = mask_of(0);
  for (int k = 0; k < m->nlimit; k++) {
    const cardan__lanes_limit *l = &m->limit[k];
    const real x = s->x[l->dof];
    near |= may_reach(l, s->q[l->var], x, magnitude(x - last[l->dof]));
  }
  near &= ~*s->left;
  if (any(near) && !cardan__lanes_settles(m)) {
    memcpy(lanes->node_q, s->q, (size_t)m->nq * sizeof(real));
    memcpy(lanes->node_done, s->done, sizeof(real));
    velocities_before(s, near, reals(lanes->node_v));
  }
  if (m->nlimit > 0) {
    mask_out(lanes, near);
  }
}

/* Momenta of the node at q and v, in the lanes of a mask: N = h G V - h e W, J = h I v, so that
 * (T1) is h G V and h I v. */
static void start_momenta(vi_lanes *s, mask on)
{
  const cardan__lanes_model *m = s->model;
  const real h = real_of(2 * s->e), he = real_of(-2 * s->e * s->e), none = real_of(0);
  s->pass.link[0].A = (real6){{none, none, none}, {none, none, none}};
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    const real6 V = add_joint(b, s->v, motion_down(s, b, i, s->pass.link[b->parent].A));
    const real6 N =
        add_weight(s, b, i, he, momentum_of(b, (real6){scale3(h, V.w), scale3(h, V.v)}));
    real6 *to = &s->body[i].N;
    s->pass.link[i].A = V;
    *to = (real6){choose3(on, N.w, to->w), choose3(on, N.v, to->v)};
    for (int k = b->vadr; k < b->vadr + joint_nv(b); k++) {
      s->J[k] = choose(on, real_of(2 * s->e * b->armature) * s->v[k], s->J[k]);
    }
  }
}

/* In the lanes of a mask the only known displacement is h v. Differences of all orders count as
 * equally large, so that the guess uses the first alone until steps have made the others. */
static void reset_history(const vi_lanes *s, mask on)
{
  const int nv = s->model->nv;
  const real h = real_of(2 * s->e), none = real_of(0), one = real_of(1);
  for (int k = 0; k < nv; k++) {
    s->D[k] = choose(on, h * s->v[k], s->D[k]);
    for (int j = 1; j < VI_ORDERS; j++) {
      s->D[j * nv + k] = choose(on, none, s->D[j * nv + k]);
    }
  }
  for (int j = 0; j < VI_ORDERS; j++) {
    s->size2[j] = choose(on, one, s->size2[j]);
  }
  for (int j = 0; j < 2; j++) {
    s->wait[j] = choose(on, none, s->wait[j]);
  }
}
