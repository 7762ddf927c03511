// SPDX-License-Identifier: Apache-2.0
#include "forces/kind.h"
#include "model/joint_table.h"

/* Coulomb friction inside a joint, from the joint's own reaction force F onto the child.
 *
 * Each joint has a sliding velocity u with one component for each of its velocities, u_k = r_k v_k:
 * r_k is 1 for a translation and the pin's or ball's radius r for a rotation. N is the part of F
 * that presses the surfaces together. Friction acts against u, at full strength above the speed vs:
 *
 *   tau_k = -mu N s(|u|/vs) r_k u_k / |u|                                       (E1)
 *   s(x)  = (15 x - 10 x^3 + 3 x^5) / 8 for x < 1, else 1                       (E2)
 *
 *   revolute      u = r w            N: F perpendicular to the axis
 *   prismatic     u = v              N: F perpendicular to the axis
 *   cylindrical   u = (r w, v)       N: F perpendicular to the axis
 *   spherical     u = r w            N: F
 *   planar        u = (vx, vy, r w)  N: F along the axis, the plane's normal
 *
 * s is twice continuously differentiable, odd, and exactly 1 above vs, so sliding faster than vs is
 * Coulomb's law as it is; below, the joint creeps instead of sticking. Moments of the reaction
 * (a prismatic joint's tilt) press too, but how much depends on a length that the model does not
 * have: they are left out. The power of (E1) is -mu N s |u|, never positive.
 *
 * Dry friction is the same on one velocity, u = v, with a given c in place of mu N. */

double cardan__friction_limit(const cardan_model *model, const cardan_force_element *e,
                              const cardan_force *f)
{
  if (!(e->flags & CARDAN_FORCE_REACTION)) {
    return e->value[0];
  }
  const cardan_joint *joint = &model->joint[e->joint];
  // the reaction on the child, in the axes of the frame that the joint carries
  const cardan_frame *frame = &model->frame[joint->frame];
  const cardan_vec3 force = cardan__mat3_tmulv(&frame->X_BF.R, f[frame->body].f);
  const double mu = e->value[0];
  const cardan__press press = cardan__joint_type_of(joint->kind)->press;
  if (press == CARDAN__PRESS_ALL) {
    return mu * cardan__vec3_norm(force);
  }
  // the axis has the same components in the frames on both sides of the other joints
  const double along = cardan__vec3_dot(joint->axis, force);
  if (press == CARDAN__PRESS_ALONG) {
    return mu * fabs(along);
  }
  return mu * cardan__vec3_norm(cardan__vec3_axpy(-along, joint->axis, force));
}

void cardan__friction_limits(const cardan_model *model, const cardan_force *f, double *limit)
{
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    limit[i] = e->flags & CARDAN_FORCE_FRICTION ? cardan__friction_limit(model, e, f) : 0.0;
  }
}

/* s(x)/x of (E2), x >= 0. */
static double smooth_ratio(double x)
{
  const double y = x * x;
  return x < 1.0 ? (15.0 - 10.0 * y + 3.0 * y * y) / 8.0 : 1.0 / x;
}

/* y'/x of y = s(x)/x, so that x = 0 needs no division: y' = (-20 x + 12 x^3) / 8, else -1 / x^2. */
static double smooth_bend(double x)
{
  return x < 1.0 ? -2.5 + 1.5 * x * x : -1.0 / (x * x * x);
}

int cardan__friction_adr(const cardan_model *model, const cardan_force_element *e)
{
  return e->dof >= 0 ? e->dof : model->joint[e->joint].vadr;
}

int cardan__friction_lengths(const cardan_model *model, const cardan_force_element *e, double r[6])
{
  if (e->dof >= 0) {
    r[0] = 1.0;
    return 1;
  }
  const cardan__joint_type *type = cardan__joint_type_of(model->joint[e->joint].kind);
  for (int k = 0; k < type->nv; k++) {
    r[k] = cardan__joint_type_slides(type, k) ? 1.0 : e->value[1];
  }
  return type->nv;
}

/* x = |u|/vs */
static double relative_speed(const cardan_force_element *e, int n, const double *u)
{
  double speed2 = 0.0;
  for (int k = 0; k < n; k++) {
    speed2 += u[k] * u[k];
  }
  return sqrt(speed2) / e->value[2];
}

void cardan__friction_slide(const cardan_force_element *e, double limit, int n, const double *u,
                            double *g)
{
  const double c = limit * smooth_ratio(relative_speed(e, n, u)) / e->value[2];
  for (int k = 0; k < n; k++) {
    g[k] = c * u[k];
  }
}

/* dg = limit / vs (y du + (y'/x) u (u . du) / vs^2) */
void cardan__friction_slides(const cardan_force_element *e, double limit, int n, const double *u,
                             double *slope)
{
  const double vs = e->value[2], x = relative_speed(e, n, u), c = limit / vs;
  const double bend = smooth_bend(x) / (vs * vs);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      slope[i * n + j] = c * ((i == j ? smooth_ratio(x) : 0.0) + bend * u[i] * u[j]);
    }
  }
}

void cardan__friction_element(const cardan_model *model, const cardan__view *view,
                              const cardan_force_element *e, double limit, cardan__loads *to)
{
  const int adr = cardan__friction_adr(model, e);
  double r[6], u[6] = {0}, g[6];
  const int n = cardan__friction_lengths(model, e, r);
  for (int k = 0; k < n; k++) {
    u[k] = r[k] * view->v[adr + k];
  }
  cardan__friction_slide(e, limit, n, u, g);
  for (int k = 0; k < n; k++) {
    cardan__load_dof(to, adr + k, -r[k] * g[k]); // (E1)
  }
}

void cardan__friction_apply(const cardan_model *model, const cardan__view *view,
                            const double *limit, cardan__loads *to)
{
  for (int i = 0; i < model->nforce; i++) {
    if (model->force[i].flags & CARDAN_FORCE_FRICTION) {
      cardan__friction_element(model, view, &model->force[i], limit[i], to);
    }
  }
}

static void friction_element_slope(const cardan_model *model, const cardan__view *view,
                                   const cardan__change *change, const cardan_force_element *e,
                                   double limit, cardan__loads *to)
{
  const int adr = cardan__friction_adr(model, e);
  double r[6], u[6] = {0}, slope[36];
  const int n = cardan__friction_lengths(model, e, r);
  for (int k = 0; k < n; k++) {
    u[k] = r[k] * view->v[adr + k];
  }
  cardan__friction_slides(e, limit, n, u, slope);
  for (int i = 0; i < n; i++) {
    double dg = 0.0;
    for (int j = 0; j < n; j++) {
      dg += slope[i * n + j] * r[j] * change->v[adr + j];
    }
    cardan__load_dof(to, adr + i, -r[i] * dg);
  }
}

void cardan__friction_slope(const cardan_model *model, const cardan__view *view,
                            const cardan__change *change, const double *limit, cardan__loads *to)
{
  for (int i = 0; i < model->nforce && change->v; i++) {
    if (model->force[i].flags & CARDAN_FORCE_FRICTION) {
      friction_element_slope(model, view, change, &model->force[i], limit[i], to);
    }
  }
}

/* How large friction is needs an iteration (friction.c): the sums over elements leave it out. */
const cardan__force_kind cardan__force_friction = {.apply = NULL};
const cardan__force_kind cardan__force_dry_friction = {.apply = NULL};
