// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>

#include "kinematics/joint.h"
#define CARDAN__WIDTH 1 // its rules for one simulation
#include "kernels/root_policy.h"
#include "methods/discrete/discrete.h"

/* How large is what a row of the residual is made of?
 *
 * Residuals count relative to it, so that a tolerance means the same for every joint, can be
 * reached whatever h and the size of the tree are, and is strict for a light hand on a fast heavy
 * base. It is a bound of what passes through each joint, without cancellation: absolute values
 * carried to the root (1-norms),
 *   t_l += t_i + |p| f_i,   f_l += f_i                                                       (Z1)
 * from each body's own momenta and impulses f, and t with |c| f in it, c the centre of mass: what a
 * torque is made of, even where it cancels.
 *
 * Rounding leaves more than a part of that, and at rest, or in a translation, all there is of a row
 * may be rounding of what passes elsewhere. What rounding alone can make counts as reached:
 *   places   a body cannot know its own better than the turns before it allow. With w, d its turn
 *            and way in the step and p from its parent, as a walk (variances),
 *              ww_i = ww_l + w^2,   wd_i = wd_l + |p| ww_l,
 *              dd_i = dd_l + 2 |p| wd_l + |p|^2 ww_l + d^2                                   (Z2)
 *            momenta of 4 eps (m sqrt(dd) + m |c| sqrt(ww)) / h and 4 eps tr(I) sqrt(ww) / h
 *   torques  of forces whose line is rounded: 16 eps (reach + d) f, with the farthest point of the
 *            body that something may act on */

static double size1(cardan_vec3 a)
{
  return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

void cardan__sizes_measure(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_inertia *I = &model->body[i].inertia;
    const double trace = I->xx + I->yy + I->zz;
    d->extent[i] = (cardan__extent){.mass = I->m,
                                    .moment = size1(I->h),
                                    .trace = trace,
                                    .lever = I->m > 0 ? size1(I->h) / I->m : 0,
                                    .reach = I->m > 0 ? sqrt(trace / I->m) : 0};
  }
  for (int i = 0; i < model->nframe; i++) {
    cardan__extent *e = &d->extent[model->frame[i].body];
    e->reach = fmax(e->reach, size1(model->frame[i].X_BF.p));
  }
}

/* (Z2) and the sizes of every body's own. In a chain what the next body needs is at hand, here and
 * in (Z1): by way of memory each would wait for the one before. */
static void outward(cardan__discrete *d, const cardan_xform *X, double unit)
{
  const cardan_model *model = d->model;
  const double place = CARDAN__PLACE_ROUNDING * DBL_EPSILON / d->root.tol * fabs(unit / d->h);
  const double line = CARDAN__LINE_ROUNDING * DBL_EPSILON / d->root.tol;
  cardan_vec3 *walk = d->walk, own = walk[0]; // ww, wd, dd
  for (int i = 1; i < model->nbody; i++) {
    const cardan__extent *e = &d->extent[i];
    cardan__size *s = &d->size[i];
    const int parent = model->body[i].parent;
    const cardan_vec3 l = parent == i - 1 ? own : walk[parent];
    const double p = size1(X[i].p), ww = l.x + s->turn * s->turn;
    own = cardan__vec3(ww, l.y + p * l.x, l.z + p * (2 * l.y + p * l.x) + s->way * s->way); // (Z2)
    walk[i] = own;
    const double turn = place * sqrt(ww);
    s->arm = p;
    s->force += place * e->mass * sqrt(own.z) + turn * e->moment;
    s->torque += (e->lever + line * (e->reach + fabs(unit) * s->way)) * s->force + turn * e->trace;
  }
}

void cardan__sizes_rows(cardan__discrete *d, const cardan_xform *X, double unit, double *scale)
{
  const cardan_model *model = d->model;
  d->size[0] = (cardan__size){.turn = 0};
  d->walk[0] = cardan__vec3(0, 0, 0);
  outward(d, X, unit);
  double torque = 0, force = 0; // from the body after this one, where that hangs on it
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const cardan__size *own = &d->size[i];
    torque += own->torque;
    force += own->force;
    for (int k = 0; k < b->nv; k++) {
      const double size = cardan__joint_slides(b, k) ? force : torque + fabs(b->pitch) * force;
      scale[b->vadr + k] = b->flags & CARDAN_LINK_KINEMATIC ? 0 : scale[b->vadr + k] + size;
    }
    torque += own->arm * force; // (Z1)
    if (b->parent != i - 1) {
      d->size[b->parent].torque += torque;
      d->size[b->parent].force += force;
      torque = force = 0;
    }
  }
}
