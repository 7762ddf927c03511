// SPDX-License-Identifier: Apache-2.0
#include "forces/kind.h"

/* Linear dampers.
 *
 *   damping   tau_k = -c v_k                        one velocity, those of a joint, or all    (E1)
 *   damper    f_A = c l' d/l = -f_B                 d = p_B - p_A, l = |d|, l' = d.d'/l       (E2)
 *
 * (E1) on a spherical joint is -c times the angular velocity; on a free joint, -c times the twist
 * about the body frame's origin. (E2) has no direction at l = 0 and is taken as zero there. */

/* The velocities that a damping acts on: first .. end - 1. */
typedef struct {
  int first, end;
} span;

static span damped(const cardan_model *model, const cardan_force_element *e)
{
  if (e->dof >= 0) {
    return (span){e->dof, e->dof + 1};
  }
  if (e->joint >= 0) {
    const cardan_joint *joint = &model->joint[e->joint];
    return (span){joint->vadr, joint->vadr + joint->nv};
  }
  return (span){0, model->nv};
}

static void damping_apply(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, cardan__loads *to)
{
  const span at = damped(model, e);
  for (int k = at.first; k < at.end; k++) {
    cardan__load_dof(to, k, -e->value[0] * view->v[k]); // (E1)
  }
}

static void damping_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const span on = damped(at->model, e);
  for (int k = on.first; k < on.end && at->change->v; k++) {
    cardan__load_dof(at->to, k, -e->value[0] * at->change->v[k]);
  }
}

static bool damping_couples(const cardan_model *model, const cardan_force_element *e)
{
  (void)model;
  (void)e;
  return false;
}

// NOLINTBEGIN(readability-non-const-parameter): the type is that of every kind of force
static void damping_diagonal(const cardan_model *model, const cardan__view *view,
                             const cardan_force_element *e, double *tau_q, double *tau_v)
// NOLINTEND(readability-non-const-parameter)
{
  const span at = damped(model, e);
  (void)view;
  (void)tau_q;
  for (int k = at.first; k < at.end; k++) {
    tau_v[k] -= e->value[0];
  }
}

const cardan__force_kind cardan__force_damping = {.apply = damping_apply,
                                                  .slope = damping_slope,
                                                  .couples = damping_couples,
                                                  .diagonal = damping_diagonal};

static void damper_apply(const cardan_model *model, const cardan__view *view,
                         const cardan_force_element *e, cardan__loads *to)
{
  cardan_vec3 pA, pB, vA, vB;
  cardan__frame_point(&model->frame[e->frame[0]], view, &pA, &vA, NULL);
  cardan__frame_point(&model->frame[e->frame[1]], view, &pB, &vB, NULL);
  const cardan_vec3 d = cardan__vec3_sub(pB, pA);
  const double l2 = cardan__vec3_dot(d, d);
  if (l2 > 0.0) {
    const double rate_l = cardan__vec3_dot(d, cardan__vec3_sub(vB, vA));    // l l'
    const cardan_vec3 f = cardan__vec3_scale(e->value[0] * rate_l / l2, d); // (E2)
    cardan__force_pull(model, view, e, f, to);
  }
}

/* c (d . d') / l^2 d */
static void damper_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const cardan__slope d = cardan__slope_between(at, e);
  const cardan__slope u = cardan__slope_rate(at, e);
  double dl2, drate;
  const double l2 = cardan__slope_dot(d, d, &dl2), rate = cardan__slope_dot(d, u, &drate);
  if (l2 > 0.0) {
    const double k = e->value[0] * rate / l2;
    cardan__slope_pull(at, e, k, e->value[0] * drate / l2 - k * dl2 / l2, d);
  }
}

/* A damper is one channel: its pull, along the unit vector from A to B. */
static bool damper_channel(const cardan_model *model, const cardan_force_element *e, int part)
{
  (void)model;
  (void)e;
  return part == 0;
}

/* The unit vector, times k; nothing where it has no direction. */
static void pull_along(const cardan_model *model, const cardan__view *view,
                       const cardan_force_element *e, double k, cardan__loads *to)
{
  double l;
  const cardan_vec3 d = cardan__force_between(model, view, e, &l);
  if (l > 0.0) {
    cardan__force_pull(model, view, e, cardan__vec3_scale(k, cardan__vec3_scale(1 / l, d)), to);
  }
}

static void damper_direction(const cardan_model *model, const cardan__view *view,
                             const cardan_force_element *e, int part, cardan__loads *to)
{
  (void)part;
  pull_along(model, view, e, 1, to);
}

/* pull = c l', l' = n . (v_B - v_A) */
static void damper_gradient(const cardan_model *model, const cardan__view *view,
                            const cardan_force_element *e, int part, double by_q, double by_v,
                            cardan__loads *to)
{
  (void)part;
  (void)by_q;
  pull_along(model, view, e, -by_v * e->value[0], to);
}

const cardan__force_kind cardan__force_damper = {.apply = damper_apply,
                                                 .slope = damper_slope,
                                                 .channel = damper_channel,
                                                 .direction = damper_direction,
                                                 .gradient = damper_gradient};
