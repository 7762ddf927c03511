// SPDX-License-Identifier: Apache-2.0
#include "expr/expr.h"
#include "forces/kind.h"
#include "spatial/vec3_array.h"

/* Forces with a potential U, all of them -dU.
 *
 *   spring          U = k/2 (l - x0)^2     l = |d|,  d = p_B - p_A                 (E1)
 *   joint-spring    U = k/2 (q - q0)^2                                             (E2)
 *   newton-gravity  U = -G m_A m_B / l                                             (E3)
 *   potential       U = expr(q, frames)                                            (E4)
 *
 * A spring of x0 = 0 is linear in d and smooth everywhere. With x0 > 0 its force at l = 0 has no
 * direction and is taken as zero: an unstable rest, as in the limit of equal chances. Gravity
 * is infinite at l = 0; methods stop there with CARDAN_ERR_NOT_FINITE. Changes of the forces are
 * by the product rule, with force_parts.c. */

static double spring_energy(const cardan_model *model, const cardan__view *view,
                            const cardan_force_element *e)
{
  double l;
  cardan__force_between(model, view, e, &l);
  const double x = l - e->value[1];
  return 0.5 * e->value[0] * x * x; // (E1)
}

static void spring_apply(const cardan_model *model, const cardan__view *view,
                         const cardan_force_element *e, cardan__loads *to)
{
  const double k = e->value[0], x0 = e->value[1];
  double l, c = k;
  const cardan_vec3 d = cardan__force_between(model, view, e, &l);
  if (x0 != 0.0) {
    c = l > 0.0 ? k * (1.0 - x0 / l) : 0.0;
  }
  cardan__force_pull(model, view, e, cardan__vec3_scale(c, d), to);
}

/* k (1 - x0 / l) d */
static void spring_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const double k = e->value[0], x0 = e->value[1];
  const cardan__slope d = cardan__slope_between(at, e);
  double dl2;
  const double l2 = cardan__slope_dot(d, d, &dl2), l = sqrt(l2);
  if (x0 == 0.0) {
    cardan__slope_pull(at, e, k, 0.0, d);
  } else if (l > 0.0) {
    cardan__slope_pull(at, e, k * (1.0 - x0 / l), 0.5 * k * x0 * dl2 / (l2 * l), d);
  }
}

/* ---- as functions of a strain (strain.h): of two points, d ---- */

static int between_strains(const cardan_model *model, const cardan_force_element *e)
{
  (void)model;
  (void)e;
  return 3;
}

static void between_strain(const cardan_model *model, const cardan__view *view,
                           const cardan_force_element *e, double *y)
{
  double l;
  cardan__vec3_put(cardan__force_between(model, view, e, &l), y);
}

static void between_load(const cardan_model *model, const cardan__view *view,
                         const cardan_force_element *e, const double *g, cardan__loads *to)
{
  cardan__force_pull(model, view, e, cardan__vec3_of(g), to);
}

static void between_strain_change(const cardan__slope_at *at, const cardan_force_element *e,
                                  double *dy)
{
  cardan__vec3_put(cardan__slope_between(at, e).dx, dy);
}

static void between_load_change(const cardan__slope_at *at, const cardan_force_element *e,
                                const double *g, const double *dg)
{
  cardan__slope_pull(at, e, 1.0, 0.0, (cardan__slope){cardan__vec3_of(g), cardan__vec3_of(dg)});
}

#define BETWEEN                                                               \
  .strains = between_strains, .strain = between_strain, .load = between_load, \
  .strain_change = between_strain_change, .load_change = between_load_change

static void spring_stress(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, const double *y, double *g)
{
  const double k = e->value[0], x0 = e->value[1], l = cardan__vec3_norm(cardan__vec3_of(y));
  const double c = x0 == 0.0 ? k : l > 0.0 ? k * (1.0 - x0 / l) : 0.0;
  (void)model;
  (void)view;
  cardan__vec3_put(cardan__vec3_scale(c, cardan__vec3_of(y)), g);
}

/* k (1 - x0 / l) dy + k x0 / l^3 (y . dy) y */
static void spring_stress_change(const cardan_model *model, const cardan__view *view,
                                 const cardan_force_element *e, const double *y, const double *dy,
                                 double *dg)
{
  const double k = e->value[0], x0 = e->value[1];
  const cardan_vec3 d = cardan__vec3_of(y), u = cardan__vec3_of(dy);
  const double l = cardan__vec3_norm(d);
  double across = k, along = 0.0;
  (void)model;
  (void)view;
  if (x0 != 0.0) {
    across = l > 0.0 ? k * (1.0 - x0 / l) : 0.0;
    along = l > 0.0 ? k * x0 / (l * l * l) * cardan__vec3_dot(d, u) : 0.0;
  }
  cardan__vec3_put(cardan__vec3_axpy(along, d, cardan__vec3_scale(across, u)), dg);
}

const cardan__force_kind cardan__force_spring = {.energy = spring_energy,
                                                 .apply = spring_apply,
                                                 .slope = spring_slope,
                                                 .stress = spring_stress,
                                                 .stress_change = spring_stress_change,
                                                 BETWEEN};

static double newton_energy(const cardan_model *model, const cardan__view *view,
                            const cardan_force_element *e)
{
  double l;
  cardan__force_between(model, view, e, &l);
  return -e->value[0] * e->value[1] * e->value[2] / l; // (E3)
}

static void newton_apply(const cardan_model *model, const cardan__view *view,
                         const cardan_force_element *e, cardan__loads *to)
{
  double l;
  const cardan_vec3 d = cardan__force_between(model, view, e, &l);
  const double c = e->value[0] * e->value[1] * e->value[2] / (l * l * l);
  cardan__force_pull(model, view, e, cardan__vec3_scale(c, d), to);
}

/* G m m / l^3 d */
static void newton_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const cardan__slope d = cardan__slope_between(at, e);
  double dl2;
  const double l2 = cardan__slope_dot(d, d, &dl2);
  const double k = e->value[0] * e->value[1] * e->value[2] / (l2 * sqrt(l2));
  cardan__slope_pull(at, e, k, -1.5 * k * dl2 / l2, d);
}

/* c / l^3 y */
static void newton_stress(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, const double *y, double *g)
{
  const double l = cardan__vec3_norm(cardan__vec3_of(y));
  const double c = e->value[0] * e->value[1] * e->value[2] / (l * l * l);
  (void)model;
  (void)view;
  cardan__vec3_put(cardan__vec3_scale(c, cardan__vec3_of(y)), g);
}

/* c / l^3 (dy - 3 (y . dy) y / l^2) */
static void newton_stress_change(const cardan_model *model, const cardan__view *view,
                                 const cardan_force_element *e, const double *y, const double *dy,
                                 double *dg)
{
  const cardan_vec3 d = cardan__vec3_of(y), u = cardan__vec3_of(dy);
  const double l = cardan__vec3_norm(d);
  const double c = e->value[0] * e->value[1] * e->value[2] / (l * l * l);
  const double along = -3.0 * c * cardan__vec3_dot(d, u) / (l * l);
  (void)model;
  (void)view;
  cardan__vec3_put(cardan__vec3_axpy(along, d, cardan__vec3_scale(c, u)), dg);
}

const cardan__force_kind cardan__force_newton_gravity = {.energy = newton_energy,
                                                         .apply = newton_apply,
                                                         .slope = newton_slope,
                                                         .stress = newton_stress,
                                                         .stress_change = newton_stress_change,
                                                         BETWEEN};

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

static double joint_spring_energy(const cardan_model *model, const cardan__view *view,
                                  const cardan_force_element *e)
{
  (void)model;
  const double x = view->q[e->var] - e->value[1];
  return 0.5 * e->value[0] * x * x; // (E2)
}

static void joint_spring_apply(const cardan_model *model, const cardan__view *view,
                               const cardan_force_element *e, cardan__loads *to)
{
  load_q(model, view, e->var, e->value[0] * (view->q[e->var] - e->value[1]), to);
}

static void joint_spring_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const double k = e->value[0];
  cardan__slope_load_q(at, e->var, k * (at->view->q[e->var] - e->value[1]),
                       k * cardan__slope_coordinate(at, e->var));
}

static bool joint_spring_couples(const cardan_model *model, const cardan_force_element *e)
{
  return model->body[model->q_body[e->var]].nv > 1;
}

// NOLINTBEGIN(readability-non-const-parameter): the type is that of every kind of force
static void joint_spring_diagonal(const cardan_model *model, const cardan__view *view,
                                  const cardan_force_element *e, double *tau_q, double *tau_v)
// NOLINTEND(readability-non-const-parameter)
{
  const cardan_body *b = &model->body[model->q_body[e->var]];
  (void)view;
  (void)tau_v;
  if (b->nv == 1) {
    tau_q[b->vadr] -= e->value[0];
  }
}

static int joint_spring_strains(const cardan_model *model, const cardan_force_element *e)
{
  (void)model;
  (void)e;
  return 1;
}

static void joint_spring_strain(const cardan_model *model, const cardan__view *view,
                                const cardan_force_element *e, double *y)
{
  (void)model;
  y[0] = view->q[e->var];
}

static void joint_spring_stress(const cardan_model *model, const cardan__view *view,
                                const cardan_force_element *e, const double *y, double *g)
{
  (void)model;
  (void)view;
  g[0] = e->value[0] * (y[0] - e->value[1]);
}

static void joint_spring_stress_change(const cardan_model *model, const cardan__view *view,
                                       const cardan_force_element *e, const double *y,
                                       const double *dy, double *dg)
{
  (void)model;
  (void)view;
  (void)y;
  dg[0] = e->value[0] * dy[0];
}

static void joint_spring_load(const cardan_model *model, const cardan__view *view,
                              const cardan_force_element *e, const double *g, cardan__loads *to)
{
  load_q(model, view, e->var, g[0], to);
}

static void joint_spring_strain_change(const cardan__slope_at *at, const cardan_force_element *e,
                                       double *dy)
{
  dy[0] = cardan__slope_coordinate(at, e->var);
}

static void joint_spring_load_change(const cardan__slope_at *at, const cardan_force_element *e,
                                     const double *g, const double *dg)
{
  cardan__slope_load_q(at, e->var, g[0], dg[0]);
}

const cardan__force_kind cardan__force_joint_spring = {.energy = joint_spring_energy,
                                                       .apply = joint_spring_apply,
                                                       .slope = joint_spring_slope,
                                                       .couples = joint_spring_couples,
                                                       .diagonal = joint_spring_diagonal,
                                                       .strains = joint_spring_strains,
                                                       .strain = joint_spring_strain,
                                                       .stress = joint_spring_stress,
                                                       .stress_change = joint_spring_stress_change,
                                                       .load = joint_spring_load,
                                                       .strain_change = joint_spring_strain_change,
                                                       .load_change = joint_spring_load_change};

static double potential_energy(const cardan_model *model, const cardan__view *view,
                               const cardan_force_element *e)
{
  return cardan__expr_at(model, view, e->expr[0]); // (E4)
}

static void potential_apply(const cardan_model *model, const cardan__view *view,
                            const cardan_force_element *e, cardan__loads *to)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  const double *g = cardan__force_expr_gradient(model, view, e->expr[0]);
  for (int i = 0; i < bound->nleaf; i++) {
    cardan__force_leaf(model, view, &bound->leaf[i], -g[i], to);
  }
}

static void potential_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const cardan_bound_expr *bound = &at->model->expr[e->expr[0]];
  const int n = at->model->max_leaf;
  double *x = at->view->work, *dx = x + n, *g = dx + n, *dg = g + n, *work = x + 8 * n;
  cardan__leaf_values(at->model, at->view, bound, x, NULL, NULL);
  cardan__slope_leaves(at, bound, dx);
  cardan__expr_change(bound->expr, x, dx, at->change->parameter, work, g, dg);
  for (int i = 0; i < bound->nleaf; i++) {
    cardan__slope_leaf(at, &bound->leaf[i], -g[i], -dg[i]);
  }
}

static bool potential_couples(const cardan_model *model, const cardan_force_element *e)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  return bound->nleaf > 1 ||
         (bound->nleaf == 1 && (bound->leaf[0].kind != CARDAN__LEAF_Q ||
                                model->body[model->q_body[bound->leaf[0].index]].nv > 1));
}

/* The Hessian's diagonal in coordinates of joints with one velocity. */
// NOLINTBEGIN(readability-non-const-parameter): the type is that of every kind of force
static void potential_diagonal(const cardan_model *model, const cardan__view *view,
                               const cardan_force_element *e, double *tau_q, double *tau_v)
// NOLINTEND(readability-non-const-parameter)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  const int n = model->max_leaf;
  double *x = view->work, *dx = x + n, *g = dx + n, *dg = g + n, *work = x + 8 * n;
  cardan__leaf_values(model, view, bound, x, NULL, NULL);
  (void)tau_v;
  for (int i = 0; i < bound->nleaf; i++) {
    dx[i] = 0.0;
  }
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    if (leaf->kind == CARDAN__LEAF_Q && model->body[model->q_body[leaf->index]].nv == 1) {
      dx[i] = 1.0;
      cardan__expr_hessian_times(bound->expr, x, dx, work, g, dg);
      dx[i] = 0.0;
      tau_q[model->body[model->q_body[leaf->index]].vadr] -= dg[i];
    }
  }
}

/* Its strains are its leaves. */
static int potential_strains(const cardan_model *model, const cardan_force_element *e)
{
  return model->expr[e->expr[0]].nleaf;
}

static void potential_strain(const cardan_model *model, const cardan__view *view,
                             const cardan_force_element *e, double *y)
{
  cardan__leaf_values(model, view, &model->expr[e->expr[0]], y, NULL, NULL);
}

static void potential_stress(const cardan_model *model, const cardan__view *view,
                             const cardan_force_element *e, const double *y, double *g)
{
  cardan__expr_gradient(model->expr[e->expr[0]].expr, y, view->work, g);
}

static void potential_stress_change(const cardan_model *model, const cardan__view *view,
                                    const cardan_force_element *e, const double *y,
                                    const double *dy, double *dg)
{
  double *g = view->work, *work = g + model->max_leaf;
  cardan__expr_hessian_times(model->expr[e->expr[0]].expr, y, dy, work, g, dg);
}

static void potential_load(const cardan_model *model, const cardan__view *view,
                           const cardan_force_element *e, const double *g, cardan__loads *to)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  for (int i = 0; i < bound->nleaf; i++) {
    cardan__force_leaf(model, view, &bound->leaf[i], -g[i], to);
  }
}

static void potential_strain_change(const cardan__slope_at *at, const cardan_force_element *e,
                                    double *dy)
{
  cardan__slope_leaves(at, &at->model->expr[e->expr[0]], dy);
}

static void potential_load_change(const cardan__slope_at *at, const cardan_force_element *e,
                                  const double *g, const double *dg)
{
  const cardan_bound_expr *bound = &at->model->expr[e->expr[0]];
  for (int i = 0; i < bound->nleaf; i++) {
    cardan__slope_leaf(at, &bound->leaf[i], -g[i], -dg[i]);
  }
}

const cardan__force_kind cardan__force_potential = {.energy = potential_energy,
                                                    .apply = potential_apply,
                                                    .slope = potential_slope,
                                                    .couples = potential_couples,
                                                    .diagonal = potential_diagonal,
                                                    .strains = potential_strains,
                                                    .strain = potential_strain,
                                                    .stress = potential_stress,
                                                    .stress_change = potential_stress_change,
                                                    .load = potential_load,
                                                    .strain_change = potential_strain_change,
                                                    .load_change = potential_load_change};
