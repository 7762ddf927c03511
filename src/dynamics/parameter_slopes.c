// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/rnea.h"
#include "forces/kind.h"
#include "kinematics/joint.h"
#include "kinematics/recursions.h"
#include "model/data.h"
#include "model/elements.h"
#include "model/recipe.h"

/* Derivatives of r = M a + c - Q by a parameter p. Numbers n_i(p) of the model enter it:
 *   dr/dp = sum over i of dr/dn_i dn_i/dp                                                  (E1)
 * dn_i/dp by the number's own expression. A mass or moment of inertia is a factor of its part of r,
 * which is that part with 1 in its place (the regressor of rnea); so are an armature and gravity.
 * Forces that are affine in a value differ by their slope between 1 and 0. Expressions of forces
 * are differentiated themselves. */

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  const cardan__view *view;
  double *r; // nv: what acts on single velocities; wrenches go to data->f
} sums;

/* dp_i/dp of every parameter; derived ones follow those before them. */
static void find_rates(const cardan_model *model, cardan_data *data, int parameter)
{
  double *rate = data->parameter_rate;
  memset(rate, 0, (size_t)model->nparameter * sizeof *rate);
  rate[parameter] = 1.0;
  for (int i = 0; i < model->nparameter; i++) {
    const cardan__expr *expr = model->recipe->derived[i];
    if (expr != NULL) {
      rate[i] = cardan__expr_change(expr, NULL, NULL, rate, data->scratch, NULL, NULL);
    }
  }
}

/* The wrench that an inertia of body i calls for at its motion, times dn. */
static void add_inertia(const sums *s, int i, const cardan_inertia *I, double dn)
{
  const cardan_force f = cardan__force_add(cardan__inertia_mul(I, s->data->A[i]),
                                           cardan__gyroscopic(I, s->data->V[i].w));
  s->data->f[i] = cardan__force_axpy(dn, f, s->data->f[i]);
}

/* A unit of number k of a frame's mass: m xx yy zz xy xz yz. */
static void add_mass(const sums *s, int f, int k, double dn)
{
  const cardan_frame *frame = &s->model->frame[f];
  const cardan_inertia unit = {.m = k == 0,
                               .xx = k == 1,
                               .yy = k == 2,
                               .zz = k == 3,
                               .xy = k == 4,
                               .xz = k == 5,
                               .yz = k == 6};
  const cardan_inertia in_body = cardan__inertia_to_parent(&frame->X_BF, &unit);
  if (frame->body > 0) {
    add_inertia(s, frame->body, &in_body, dn);
  }
}

/* Gravity is an upward acceleration of everything. */
static void add_gravity(const sums *s, int axis, double dn)
{
  const cardan_vec3 up = {axis == 0 ? -1 : 0, axis == 1 ? -1 : 0, axis == 2 ? -1 : 0};
  for (int i = 1; i < s->model->nbody; i++) {
    const cardan_twist A = {.v = cardan__mat3_tmulv(&s->data->X_W[i].R, up)};
    const cardan_force f = cardan__inertia_mul(&s->model->body[i].inertia, A);
    s->data->f[i] = cardan__force_axpy(dn, f, s->data->f[i]);
  }
}

/* -dQ/dvalue of a force element that is affine in it: wrenches to data->f, the rest to r. */
static void add_value(const sums *s, const cardan_force_element *e, int k, double dn)
{
  cardan_data *data = s->data;
  cardan_force_element one = *e;
  const size_t nv = (size_t)s->model->nv, nbody = (size_t)s->model->nbody;
  cardan__loads loads = {.f_ext = data->p, .tau = data->tau_work};
  for (int pass = 0; pass < 2; pass++) {
    const double factor = pass == 0 ? -dn : dn;
    one.value[k] = pass == 0 ? 1.0 : 0.0;
    memset(data->p, 0, nbody * sizeof *data->p);
    memset(data->tau_work, 0, nv * sizeof *data->tau_work);
    cardan__force_kind_of(e->kind)->apply(s->model, s->view, &one, &loads);
    for (size_t i = 0; i < nbody; i++) {
      data->f[i] = cardan__force_axpy(factor, data->p[i], data->f[i]);
    }
    for (size_t i = 0; i < nv; i++) {
      s->r[i] += factor * data->tau_work[i];
    }
  }
}

/* The masses that newton-gravity keeps of its frames. */
static void add_attraction(const sums *s, int frame, double dn)
{
  for (int i = 0; i < s->model->nforce; i++) {
    const cardan_force_element *e = &s->model->force[i];
    for (int k = 0; k < 2 && e->kind == CARDAN_ELEMENT_NEWTON_GRAVITY; k++) {
      if (e->frame[k] == frame) {
        add_value(s, e, 1 + k, dn);
      }
    }
  }
}

/* One number. returns false where r is not differentiated by it */
static bool add_number(const sums *s, const cardan__number *number, double dn)
{
  const cardan__recipe *recipe = s->model->recipe;
  const int slot = number->slot, item = number->item;
  if (number->of == CARDAN__OF_GRAVITY) {
    add_gravity(s, slot, dn);
  } else if (number->of == CARDAN__OF_ARMATURE) {
    s->r[item] += dn * s->data->a[item];
  } else if (number->of == CARDAN__OF_ELEMENT) {
    const cardan__spec_element *e = &recipe->element[item];
    const bool affine =
        slot < CARDAN__SLOT_DIRECTION && (cardan__element_of(e->kind)->affine & (1U << slot)) != 0;
    if (affine) {
      add_value(s, &s->model->force[recipe->target[item]], slot, dn);
    }
    return affine;
  } else if (number->of == CARDAN__OF_FRAME) {
    if (slot >= CARDAN__SLOT_MASS && slot < CARDAN__SLOT_PITCH) {
      add_mass(s, item, slot - CARDAN__SLOT_MASS, dn);
      if (slot == CARDAN__SLOT_MASS) {
        add_attraction(s, item, dn);
      }
    }
    return slot >= CARDAN__SLOT_MASS && slot != CARDAN__SLOT_PITCH;
  }
  return true; // shapes, limits and the start are no part of r
}

/* -dQ/dp of the expressions of forces; A is free by now. returns false where a constraint's or a
 * motion's expression depends on p */
static bool add_expressions(const sums *s)
{
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  const size_t nv = (size_t)model->nv, nbody = (size_t)model->nbody;
  for (int i = 0; i < model->recipe->ntunable; i++) {
    const cardan__tunable *t = &model->recipe->tunable[i];
    if (t->moves && cardan__expr_uses(t->expr, data->parameter_rate)) {
      return false;
    }
  }
  memset(data->A, 0, nbody * sizeof *data->A);
  memset(data->rest, 0, nv * sizeof *data->rest);
  memset(data->p, 0, nbody * sizeof *data->p);
  memset(data->tau_work, 0, nv * sizeof *data->tau_work);
  const cardan__change change = {.X = data->A, .q = data->rest, .parameter = data->parameter_rate};
  cardan__loads loads = {.f_ext = data->p, .tau = data->tau_work};
  cardan__forces_add_slope(model, s->view, &change, 0, &loads);
  for (size_t i = 0; i < nbody; i++) {
    data->f[i] = cardan__force_sub(data->f[i], data->p[i]);
  }
  for (size_t i = 0; i < nv; i++) {
    s->r[i] -= data->tau_work[i];
  }
  return true;
}

/* Wrenches data->f on the bodies as joint forces, added to r. */
static void pull_in(const sums *s)
{
  cardan_force *f = s->data->f;
  for (int i = s->model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &s->model->body[i];
    double tau[6] = {0};
    cardan__joint_project_at(b, s->data->q + b->qadr, f[i], tau);
    for (int k = 0; k < b->nv; k++) {
      s->r[b->vadr + k] += tau[k];
    }
    f[b->parent] = cardan__force_add(f[b->parent], cardan__force_to_parent(&s->data->X[i], f[i]));
  }
}

static cardan_status unsupported(const cardan_model *model, int parameter, cardan_pos pos,
                                 const char *where, cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, pos,
                     "\"%.60s\" is used in %s, by which motions are not differentiated",
                     model->parameter[parameter].name, where);
}

/* dr/dp. */
static cardan_status residual_slope(const sums *s, int parameter, cardan_report *report)
{
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  find_rates(model, data, parameter);
  cardan__rnea(model, data, data->f_ext, data->a, s->r); // for A
  memset(data->f, 0, (size_t)model->nbody * sizeof *data->f);
  memset(s->r, 0, (size_t)model->nv * sizeof *s->r);
  for (int i = 0; i < model->recipe->nnumber; i++) {
    const cardan__number *number = &model->recipe->number[i];
    const double dn = cardan__expr_change(number->expr, NULL, NULL, data->parameter_rate,
                                          data->scratch, NULL, NULL);
    if (dn != 0.0 && !add_number(s, number, dn)) {
      return unsupported(model, parameter, number->pos,
                         "a length, an angle, a constraint, friction or an actuator", report);
    }
  }
  if (!add_expressions(s)) {
    return unsupported(model, parameter, model->parameter[parameter].pos, "a constraint or motion",
                       report);
  }
  pull_in(s);
  return CARDAN_OK;
}

cardan_status cardan_parameter_slopes(const cardan_model *model, cardan_data *data, int parameter,
                                      // NOLINTNEXTLINE(readability-non-const-parameter): sums.r
                                      double *r_dp, double *a_dp, cardan_report *report)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_FORWARD);
  const cardan_pos none = {0, 0};
  if (parameter < 0 || parameter >= model->nparameter) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "there is no parameter %d, expected 0 to %d", parameter,
                       model->nparameter - 1);
  }
  if (model->has_friction || (a_dp != NULL && model->nrow > 0)) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, none,
                       model->has_friction
                           ? "friction depends on reactions, which are not differentiated"
                           : "accelerations with constraints are not differentiated by parameters");
  }
  cardan_poses(model, data);
  const cardan__view view = cardan__data_view(model, data);
  const sums s = {model, data, &view, r_dp};
  const cardan_status status = residual_slope(&s, parameter, report);
  if (status == CARDAN_OK && a_dp != NULL) {
    for (int k = 0; k < model->nv; k++) {
      data->rest[k] = -r_dp[k];
    }
    cardan_factor_solve(model, data, NULL, data->rest, a_dp);
  }
  return status;
}
