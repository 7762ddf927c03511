// SPDX-License-Identifier: Apache-2.0
#include "expr/expr.h"
#include "forces/forces.h"

/* Forces with a potential U, all of them -dU.
 *
 *   spring          U = k/2 (l - x0)^2     l = |d|,  d = p_B - p_A                 (E1)
 *   joint-spring    U = k/2 (q - q0)^2                                             (E2)
 *   newton-gravity  U = -G m_A m_B / l                                             (E3)
 *   potential       U = expr(q, frames)                                            (E4)
 *
 * A spring of x0 = 0 is linear in d and smooth everywhere. With x0 > 0 its force at l = 0 has no
 * direction and is taken as zero: an unstable rest, as in the limit of equal chances. Gravity
 * is infinite at l = 0; steppers stop there with CARDAN_ERR_NOT_FINITE. */

/* d = p_B - p_A of a two-frame element, and its length. */
static cardan_vec3 between(const cardan_model *model, const cardan__view *view,
                           const cardan_force_element *e, double *length)
{
  cardan_vec3 pA, pB;
  cardan__frame_point(&model->frame[e->frame[0]], view, &pA, NULL, NULL);
  cardan__frame_point(&model->frame[e->frame[1]], view, &pB, NULL, NULL);
  const cardan_vec3 d = cardan__vec3_sub(pB, pA);
  *length = cardan__vec3_norm(d);
  return d;
}

/* Pulls A and B together with the force f: on A, and its opposite on B. */
static void pull(const cardan_model *model, const cardan__view *view, const cardan_force_element *e,
                 cardan_vec3 f, cardan__loads *to)
{
  cardan__load_point(model, view, to, e->frame[0], f);
  cardan__load_point(model, view, to, e->frame[1], cardan__vec3_neg(f));
}

double cardan__spring_energy(const cardan_model *model, const cardan__view *view,
                             const cardan_force_element *e)
{
  double l;
  between(model, view, e, &l);
  const double x = l - e->value[1];
  return 0.5 * e->value[0] * x * x; // (E1)
}

void cardan__spring_apply(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, cardan__loads *to)
{
  const double k = e->value[0], x0 = e->value[1];
  double l, c = k;
  const cardan_vec3 d = between(model, view, e, &l);
  if (x0 != 0.0) {
    c = l > 0.0 ? k * (1.0 - x0 / l) : 0.0;
  }
  pull(model, view, e, cardan__vec3_scale(c, d), to);
}

double cardan__newton_energy(const cardan_model *model, const cardan__view *view,
                             const cardan_force_element *e)
{
  double l;
  between(model, view, e, &l);
  return -e->value[0] * e->value[1] * e->value[2] / l; // (E3)
}

void cardan__newton_apply(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, cardan__loads *to)
{
  double l;
  const cardan_vec3 d = between(model, view, e, &l);
  const double c = e->value[0] * e->value[1] * e->value[2] / (l * l * l);
  pull(model, view, e, cardan__vec3_scale(c, d), to);
}

/* The force -g on coordinate iq, as forces on the velocities that move it. */
static void load_q(const cardan_model *model, const cardan__view *view, int iq, double g,
                   cardan__loads *to)
{
  double coef[6];
  int k0;
  const int n = cardan__q_rate(model, view->q, iq, &k0, coef);
  for (int k = 0; k < n; k++) {
    cardan__load_dof(to, k0 + k, -g * coef[k]);
  }
}

double cardan__joint_spring_energy(const cardan_model *model, const cardan__view *view,
                                   const cardan_force_element *e)
{
  (void)model;
  const double x = view->q[e->var] - e->value[1];
  return 0.5 * e->value[0] * x * x; // (E2)
}

void cardan__joint_spring_apply(const cardan_model *model, const cardan__view *view,
                                const cardan_force_element *e, cardan__loads *to)
{
  load_q(model, view, e->var, e->value[0] * (view->q[e->var] - e->value[1]), to);
}

double cardan__expr_energy(const cardan_model *model, const cardan__view *view,
                           const cardan_force_element *e)
{
  return cardan__expr_at(model, view, e->expr[0]); // (E4)
}

void cardan__expr_apply(const cardan_model *model, const cardan__view *view,
                        const cardan_force_element *e, cardan__loads *to)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  double *x = view->work, *g = x + model->max_leaf, *work = x + 8 * model->max_leaf;

  cardan__leaf_values(model, view, bound, x, NULL, NULL);
  cardan__expr_gradient(bound->expr, x, work, g);
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    if (leaf->kind == CARDAN__LEAF_FRAME) {
      const int axis = leaf->axis;
      const cardan_vec3 e_axis = cardan__vec3(axis == 0, axis == 1, axis == 2);
      cardan__load_point(model, view, to, leaf->index, cardan__vec3_scale(-g[i], e_axis));
    } else {
      load_q(model, view, leaf->index, g[i], to);
    }
  }
}
