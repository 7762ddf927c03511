/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/vi_boxes.h - dry friction of joints in a variational step in lanes: box rows, (B) of
 * cones/ncp.h, with the impulses of the scalar code (run/contact_step.c, run/contact_node.c). A
 * joint with friction of force c has two of them in a step of length h = 2 e:
 *   r^-, |r^-| <= c h/2, as the step begins, against its displacement x                      (B1)
 *   r^+, |r^+| <= c h/2, as it ends, against the velocity v of the node there                (B2)
 * both as phi h/2. A joint is held, x = 0 or v = 0 with the phi that this takes, or it slides,
 * phi = -c or c. In the factorisations a joint that is held has no freedom: 1 / pivot is 0. So
 * directions cost what they cost without friction.
 *
 * After an evaluation a held joint with |phi| > c slides, and one that moves along phi is held
 * (B3). A solution in which none changes is that of (B), which has one. A lane in which they change
 * for too long falls back. */
#pragma once
#include "batch/lanes/vi_cones.h"

enum { VI_TOGETHER = 6 };     // changes of several joints at once, in a search
#define CARDAN__RESTING 1e-12 // [m/s, rad/s] of a joint beside feet: no motion

/* c with the sign of a. */
static inline real with_sign(double c, real a)
{
  return of_bits(bits_of(real_of(c)) | (bits_of(a) & mask_of(INT64_MIN)));
}

/* Joints of the lanes of a mask as velocities have them. */
static void start_boxes(const vi_lanes *s, mask on)
{
  for (int j = 0; j < s->model->ndry; j++) {
    const cardan__lanes_dry *d = &s->model->dry[j];
    vi_box *box = &s->box[j];
    const real v = s->v[d->dof];
    box->held = (is_most(magnitude(v), real_of(0)) & on) | (box->held & ~on);
    box->phi = choose(on, with_sign(d->force, -v), box->phi);
  }
}

/* Guesses of held joints. */
static void hold_guess(const vi_lanes *s)
{
  for (int j = 0; j < s->model->ndry; j++) {
    real *x = &s->x[s->model->dry[j].dof];
    *x = choose(s->box[j].held, real_of(0), *x);
  }
}

/* Is the force that holds a joint beyond c, by more than the tolerance of a residual? */
static inline mask is_beyond(const vi_lanes *s, const cardan__lanes_dry *d, real phi)
{
  const real over = real_of(2 * s->e * s->e) * (magnitude(phi) - real_of(d->force));
  return is_less(real_of(s->head->tol), over * s->scale[d->dof]);
}

/* A way of a joint that is none. Where feet stand joints may depend on one another: one that is
 * let go then does not move but for rounding, which is not to hold it again. */
static inline real least_way(const vi_lanes *s)
{
  return choose(s->standing, real_of(2 * s->e * CARDAN__RESTING), real_of(0));
}

/* Where joints have changed together so often that they may go round in circles, only the first
 * does (Murty's rule, which ends where the matrix is a P-matrix). others: what changed before it */
static inline mask may_change(const vi_lanes *s, mask others)
{
  return is_less(s->changes, real_of(VI_TOGETHER)) | ~others;
}

/* (B3) after a residual, whose f is that of the new choice then. returns lanes in which a joint
 * changed, or is held at another place than the last */
CARDAN__WHOLE mask change_step_boxes(vi_lanes *s)
{
  const double ee = 2 * s->e * s->e;
  const real none = real_of(0), least = least_way(s);
  mask open = mask_of(0);
  for (int j = 0; j < s->model->ndry; j++) {
    const cardan__lanes_dry *d = &s->model->dry[j];
    vi_box *box = &s->box[j];
    real *f = &s->f[d->dof];
    const real x = s->x[d->dof], slid = with_sign(d->force, box->phi);
    const real all = madd(real_of(ee), box->phi, *f); // without friction
    const mask rests = is_most(magnitude(x), none), may = may_change(s, open);
    const mask slips = may & box->held & rests & is_beyond(s, d, box->phi);
    const mask stops =
        may & ~box->held & is_less(none, x * box->phi) & is_less(least, magnitude(x));
    *f = choose(slips, nmadd(real_of(ee), slid, all), choose(stops, none, *f));
    box->phi = choose(slips, slid, choose(stops, real_of(1 / ee) * all, box->phi));
    box->held = (box->held & ~slips) | stops;
    open |= slips | stops | (box->held & ~rests);
  }
  s->changes = s->changes + choose(open, real_of(1), none);
  return open;
}

/* In the next direction held joints go to no displacement. */
static void aim_boxes(const vi_lanes *s)
{
  for (int j = 0; j < s->model->ndry; j++) {
    s->box[j].way = -s->x[s->model->dry[j].dof];
  }
}

static void stay_boxes(const vi_lanes *s)
{
  for (int j = 0; j < s->model->ndry; j++) {
    s->box[j].way = real_of(0);
  }
}

/* Lanes whose pivots of M are not those of their held joints. */
static mask find_old_pivots(const vi_lanes *s)
{
  mask old = mask_of(0);
  for (int j = 0; j < s->model->ndry; j++) {
    old |= s->box[j].held ^ s->box[j].in_factor;
  }
  return old & ~*s->left;
}

/* Makes M's pivots, and what feet have of them, where they are not those of the node and its held
 * joints. */
static mask update_mass(const vi_lanes *s, vi_pivots pivots)
{
  if (s->head->factored == (int)pivots && !any(find_old_pivots(s))) {
    return mask_of(0);
  }
  const mask bad = pivots == VI_STEP_PIVOTS ? factor_step(s) : factor_mass(s);
  if (count_rows(s) > 0) {
    make_products(s);
  }
  return bad;
}

/* The pivots that directions of a step take: damping, springs and servos count where feet stand,
 * whose lanes have no other directions. */
static vi_pivots choose_pivots(const vi_lanes *s)
{
  const cardan__lanes_model *m = s->model;
  const bool stiff = m->damped || m->nspring + m->nactuator > 0;
  if (count_rows(s) == 0 || !stiff) {
    return VI_NODE_PIVOTS;
  }
  if (s->head->factored != VI_STEP_PIVOTS) {
    drags(s, s->drag);
    for (int i = 1; i < m->nbody; i++) {
      real *drag = &s->drag[m->body[i].vadr];
      *drag = choose(s->standing, *drag - real_of(m->body[i].armature), real_of(0));
    }
  }
  return VI_STEP_PIVOTS;
}

/* ---- the node ---- */

/* (B3) at a node, h v being in y. returns lanes in which a joint changed */
CARDAN__WHOLE mask change_node_boxes(vi_lanes *s, const real *y)
{
  const real inv_ee = real_of(1 / (2 * s->e * s->e)), none = real_of(0), least = least_way(s);
  mask changed = mask_of(0);
  for (int j = 0; j < s->model->ndry; j++) {
    const cardan__lanes_dry *d = &s->model->dry[j];
    vi_box *box = &s->box[j];
    box->phi = choose(box->held, inv_ee * box->need, box->phi);
    const mask slips = box->held & is_beyond(s, d, box->phi);
    const real x = y[d->dof];
    const mask stops = ~box->held & is_less(none, x * box->phi) & is_less(least, magnitude(x));
    box->phi = choose(slips, with_sign(d->force, box->phi), box->phi);
    box->held = (box->held & ~slips) | stops;
    changed |= slips | stops;
  }
  s->changes = s->changes + choose(changed, real_of(1), none);
  return changed;
}

/* h times the momentum of the node, of M v, to z: vi_node has the equation. */
static void momentum_of_node(const vi_lanes *s, real *z)
{
  const cardan__lanes_model *m = s->model;
  const real he = real_of(2 * s->e * s->e);
  for (int i = 1; i < m->nbody; i++) {
    s->body[i].F = add_weight(s, &m->body[i], i, he, s->body[i].N);
  }
  project_all(s, z);
  for (int k = 0; k < m->nv; k++) {
    z[k] = z[k] + s->J[k];
  }
}

enum { VI_NODE_ROUNDS = 24 };

/* r^+ and v of the node after a step; y, z and guess are overwritten. returns lanes in which joints
 * change without end, or feet let go */
static mask settle_node(vi_lanes *s)
{
  const cardan__lanes_model *m = s->model;
  const real ee = real_of(2 * s->e * s->e), inv_h = real_of(0.5 / s->e);
  mask changed = mask_of(-1), unsolved = mask_of(0), moves = mask_of(0);
  momentum_of_node(s, s->z);
  stay_boxes(s);
  s->changes = real_of(0);
  for (int round = 0; round < VI_NODE_ROUNDS && any(changed & ~*s->left); round++) {
    *s->left |= update_mass(s, VI_NODE_PIVOTS);
    memcpy(s->y, s->z, (size_t)m->nv * sizeof *s->y);
    for (int j = 0; j < m->ndry; j++) {
      real *own = &s->y[m->dry[j].dof];
      *own = choose(s->box[j].held, *own, madd(ee, s->box[j].phi, *own));
    }
    if (count_rows(s) > 0) {
      unsolved = settle_feet(s, s->y, s->guess);
    } else {
      solve_mass(s, s->y);
    }
    changed = change_node_boxes(s, s->y);
  }
  for (int k = 0; k < m->nv; k++) {
    s->v[k] = inv_h * s->y[k];
    moves |= is_less(real_of(CARDAN__MOVING), magnitude(s->v[k]));
  }
  for (int j = 0; j < m->ndry; j++) {
    real *own = &s->J[m->dry[j].dof];
    *own = madd(ee, s->box[j].phi, *own);
  }
  *s->left |= is_out_of_range(m->nv, s->v);
  for (int j = 0; j < m->ndry && count_rows(s) > 0; j++) {
    changed |= s->box[j].held & *s->redundant & moves;
  }
  return changed | unsolved | join_feet(s);
}

/* ---- work ---- */

/* Of the impulses of half a step, with the mean of the velocities v (nv) of their node and of the
 * step. */
static real find_box_work(const vi_lanes *s, const real *v)
{
  const real inv_h = real_of(0.5 / s->e);
  real sum = real_of(0);
  for (int j = 0; j < s->model->ndry; j++) {
    const int k = s->model->dry[j].dof;
    sum = madd(s->box[j].phi, madd(inv_h, s->x[k], v[k]), sum);
  }
  return real_of(0.5 * s->e) * sum;
}

/* Lanes in which a joint with friction stops or turns round between velocities v (nv) and those of
 * the node (run/contact_node.c, note_dry). */
static mask find_turns(const vi_lanes *s, const real *v)
{
  mask turns = mask_of(0);
  for (int j = 0; j < s->model->ndry; j++) {
    const int k = s->model->dry[j].dof;
    const real fastest = larger(magnitude(v[k]), magnitude(s->v[k]));
    turns |= is_most(v[k] * s->v[k], real_of(CARDAN__RESTS) * fastest * fastest) &
             is_less(real_of(CARDAN__MOVING), fastest);
  }
  return turns;
}

/* (T3) of run/contact_node.c, in the lanes of a mask: half of a . M d less what r^- took of it,
 * with w = x / h, a = w - v and d = v' + v - 2 w. y and z are overwritten. */
CARDAN__WHOLE void add_turns(const vi_lanes *s, const real *v, mask on)
{
  const cardan__lanes_model *m = s->model;
  const real inv_h = real_of(0.5 / s->e), none = real_of(0), two = real_of(2);
  real sum = none, took = none;
  for (int k = 0; k < m->nv; k++) {
    const real w = inv_h * s->x[k];
    s->y[k] = w - v[k];
    s->z[k] = nmadd(two, w, s->v[k] + v[k]);
  }
  s->pass.link[0].A = s->body[0].F = (real6){{none, none, none}, {none, none, none}};
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    link *l = &s->pass.link[i];
    vi_body *o = &s->body[i];
    o->F = add_joint(b, s->y, motion_down(s, b, i, s->body[b->parent].F));
    l->A = add_joint(b, s->z, motion_down(s, b, i, s->pass.link[b->parent].A));
    sum = sum + dot6(momentum_of(b, l->A), o->F);
    for (int k = b->vadr; k < b->vadr + joint_nv(b); k++) {
      sum = madd(real_of(b->armature) * s->y[k], s->z[k], sum);
    }
  }
  for (int j = 0; j < m->ndry; j++) {
    took = madd(s->minus[j], s->z[m->dry[j].dof], took);
  }
  const real more = real_of(0.5) * nmadd(real_of(s->e), took, sum);
  *s->done = *s->done + choose(on, more, none);
}

/* After a step was accepted: the node. before: velocities of the node that it began at.
 * returns lanes that are to fall back */
static mask end_boxes(vi_lanes *s, const real *before)
{
  *s->done = *s->done + find_box_work(s, before);
  for (int j = 0; j < s->model->ndry; j++) {
    s->minus[j] = s->box[j].phi;
  }
  const mask unsettled = settle_node(s);
  *s->done = *s->done + find_box_work(s, s->v);
  const mask turns = find_turns(s, before) & ~*s->left;
  if (any(turns)) {
    add_turns(s, before, turns);
  }
  return unsettled;
}
