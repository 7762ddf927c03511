// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/friction_boxes.h"
#include "dynamics/friction_iterate.h"
#include "dynamics/loops.h"
#include "dynamics/momenta.h"
#include "forces/forces.h"
#include "kinematics/joint.h"
#include "methods/continuous/hamilton_state.h"
#include "spatial/vec3_array.h"

/* Method hamilton: x = p, the joint momenta, by the recursions of dynamics/momenta.c.
 * [1] J. Naudet, D. Lefeber, Recursive algorithm based on canonical momenta for forward dynamics of
 *     multibody systems: numerical results, DETC2005-84915.
 *
 * Open trees      v = M^-1 p,   p' = L_q + Q                                 (E1)
 * Loops, `augmented`: the multipliers act on velocities, sigma the impulse of what they did so far,
 *   [M J^T; J 0][v; sigma] = [p; -phi_t]                                     (E2)  [1] (9)
 *   p' = L_q + Q + J'^T sigma                                                (E3)  [1] (10)
 * by one recursion for M^-1 p and one for each row (dynamics/loops.c). No coordinate is chosen as
 * the dependent one, so that nothing is singular unless J itself is.
 *
 * p = M v + J^T sigma is not the momentum M v of the motion: sigma grows by what the loops push,
 * which costs digits. The part J^T sigma is arbitrary, (q, p + J^T s) is the same motion for every
 * constant s; between steps it is taken away, p <- M v, sigma <- 0 (the reset). Integrators without
 * a history lose nothing by it and do it after every step; adaptive ones, which have to start
 * again, only when J^T sigma is RESET times larger than the largest momentum so far, in the metric
 * of M^-1.
 *
 * Balls. p of a spherical or free joint is the angular momentum L of all that hangs on it, in axes
 * of the body. It is not what is integrated: from p to the spin of a slender bar about its own
 * length is a division by its small moment of inertia, of a difference of large numbers, and p'
 * holds w x p of that spin. Where balls hang on balls the state is what a body adds to those on
 * it, in its axes:
 *   x = R^T (R p - sum over balls c on the body of R_c p_c)                  (E4)
 *   x' = R^T ((R p)' - sum (R_c p_c)') - w x x,   (R p)' = R (p' + w x p)    (E5)
 * About the length of a bar between two balls x is its own inertia times its spin, and constant.
 *
 * Floating bodies: the state has their linear momentum in axes of the world, which is that of all
 * that hangs on them, and the angular one about their own centre of mass (floating.h).
 *
 * A contact that is held is one more row in (E2), of a constant J_c: p = M v + J^T sigma - J_c^T r.
 * It adds nothing to p' itself, but sigma is that of p + J_c^T r.
 *
 * Kinematic joints have a given velocity; their momentum is eliminated and their part of x is 0.
 * Accelerations and multipliers are needed only where work is done by drivers or moving
 * constraints, and by friction: they come from the same sweeps ([1], "Velocities and
 * accelerations"). Baumgarte's feedback is of first order here, J v = -phi_t - alpha phi with alpha
 * = sqrt(kq): the constraints are used once differentiated. */

static const double RESET = 10; // one decimal of p

bool cardan__hamilton_holds(const cardan__hamilton *h, double t, const double *y)
{
  const size_t n = (size_t)h->s.nq + (size_t)h->s.nx;
  return h->holds && t == h->key_t && memcmp(y, h->key, n * sizeof *y) == 0;
}

void cardan__hamilton_remember(cardan__hamilton *h, double t, const double *y)
{
  memcpy(h->key, y, ((size_t)h->s.nq + (size_t)h->s.nx) * sizeof *y);
  h->key_t = t;
  h->holds = true;
}

void cardan__hamilton_positions(cardan__hamilton *h, double t, const double *y)
{
  const cardan_model *model = h->s.base.model;
  h->holds = false;
  cardan__continuous_load(&h->s, t, y);
  cardan__floating_place(h->s.nfloating, h->s.floating, y);
  cardan_prescribe(model, h->s.own);
  cardan_joints(model, h->s.own);
  if (model->nforce > 0 || model->nrow > 0 || h->balls) { // these read frames
    cardan_poses(model, h->s.own);
  }
}

void cardan__hamilton_forces(cardan__hamilton *h)
{
  const cardan_model *model = h->s.base.model;
  cardan_data *own = h->s.own;
  memcpy(own->tau, own->tau_in, (size_t)model->nv * sizeof *own->tau);
  memcpy(own->f_ext, own->f_in, (size_t)model->nbody * sizeof *own->f_ext);
  if (model->nforce > 0) {
    const cardan__view view = cardan__data_view(model, own);
    cardan__loads loads = {.f_ext = own->f_ext, .tau = own->tau};
    cardan__forces_add(model, &view, 0, &loads);
  }
}

/* ---- the state of balls ---- */

static bool is_ball(const cardan_body *b)
{
  return cardan__quat_offset(b) >= 0 && !(b->flags & CARDAN_LINK_KINEMATIC);
}

/* (E4), from x to p: in place, over nv momenta. */
static void to_momenta(cardan__hamilton *h, double *x)
{
  const cardan_model *model = h->s.base.model;
  memset(h->below, 0, (size_t)model->nbody * sizeof *h->below);
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const cardan_mat3 *R = &h->s.own->X_W[i].R;
    double *p = x + b->vadr;
    if (!is_ball(b)) {
      continue;
    }
    const cardan_vec3 L = cardan__vec3_add(cardan__mat3_mulv(R, cardan__vec3_of(p)), h->below[i]);
    h->below[b->parent] = cardan__vec3_add(h->below[b->parent], L);
    cardan__vec3_put(cardan__mat3_tmulv(R, L), p);
  }
}

/* (E4), from p to x; or, with the state x that h->p belongs to, from rates of the momenta to rates
 * of x (E5). p: nv, in place. */
static void to_state(cardan__hamilton *h, const double *x, double *p)
{
  const cardan_model *model = h->s.base.model;
  memset(h->below, 0, (size_t)model->nbody * sizeof *h->below);
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const cardan_mat3 *R = &h->s.own->X_W[i].R;
    const cardan_vec3 w = h->s.own->V[i].w;
    const int k = b->vadr;
    if (!is_ball(b)) {
      continue;
    }
    cardan_vec3 l = cardan__vec3_of(p + k), turn = {0, 0, 0};
    if (x != NULL) {
      l = cardan__vec3_add(l, cardan__vec3_cross(w, cardan__vec3_of(h->p + k)));
      turn = cardan__vec3_cross(w, cardan__vec3_of(x + k));
    }
    const cardan_vec3 L = cardan__mat3_mulv(R, l);
    const cardan_vec3 below = cardan__mat3_tmulv(R, h->below[i]);
    h->below[b->parent] = cardan__vec3_add(h->below[b->parent], L);
    cardan__vec3_put(cardan__vec3_sub(cardan__vec3_sub(l, below), turn), p + k);
  }
}

/* The momenta of a state x; kept in h->p where they are not x itself. */
static const double *momenta_of(cardan__hamilton *h, const double *x)
{
  if (!h->balls && h->s.nfloating == 0) {
    return x;
  }
  memcpy(h->p, x, (size_t)h->s.nx * sizeof *x);
  cardan__floating_momenta_to_body(h->s.nfloating, h->s.floating, h->p);
  if (h->balls) {
    memcpy(h->x_balls, h->p, (size_t)h->s.nx * sizeof *x);
    to_momenta(h, h->p);
  }
  return h->p;
}

/* ---- augmented ---- */

/* (E2) from the rows at own's q. */
static cardan_status respect_loops(cardan__hamilton *h)
{
  const cardan_model *model = h->s.base.model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan_data *own = h->s.own;
  const cardan__view view = cardan__data_view(model, own);
  cardan__rows_jacobian(&set, &view, &own->rows);
  cardan__rows_rates(&set, &view, own->rows.phi_t, NULL);
  if (h->alpha > 0) {
    cardan__rows_value(&set, &view, own->rows.phi);
  }
  const cardan_status status = cardan__loops_factor(model, own);
  if (status == CARDAN_OK) {
    h->multiplier_size = cardan__loops_velocities(model, own, h->alpha, h->sigma);
    cardan_velocities(model, own);
  }
  return status;
}

/* (E2) with the rows that are held, where v and sigma are without; p: the momenta. */
static cardan_status respect_held(cardan__hamilton *h, const double *p)
{
  const cardan_model *model = h->s.base.model;
  cardan__held_rows *held = h->s.base.held;
  cardan_data *own = h->s.own;
  memmove(h->p, p, (size_t)model->nv * sizeof *p);
  const cardan_status status = held->calls->project(held, own, own->v, h->p);
  if (status == CARDAN_OK && model->nrow > 0) {
    cardan_momenta_velocities(model, own, h->p, own->v);
    h->multiplier_size = cardan__loops_velocities(model, own, h->alpha, h->sigma);
    held->calls->stop(held, own->v); // what they are but for rounding
  }
  cardan_velocities(model, own);
  return status;
}

static cardan_status augmented_velocities(cardan__continuous *s, double t, const double *y)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  const cardan_model *model = s->base.model;
  if (cardan__hamilton_holds(h, t, y)) {
    return CARDAN_OK;
  }
  const bool placed = h->holds && t == h->key_t &&
                      memcmp(y, h->key, (size_t)s->nq * sizeof *y) == 0 &&
                      (s->own->fresh & CARDAN_FRESH_INERTIAS); // other momenta at the same place
  cardan_status status = CARDAN_OK;
  if (!placed) {
    cardan__hamilton_positions(h, t, y);
    status = cardan_factor(model, s->own);
  }
  h->holds = false;
  if (status == CARDAN_OK) {
    const double *p = momenta_of(h, y + s->nq);
    cardan_momenta_velocities(model, s->own, p, s->own->v); // (E1)
    status = model->nrow > 0 ? respect_loops(h) : CARDAN_OK;
    status = status == CARDAN_OK && cardan__continuous_held(s) ? respect_held(h, p) : status;
  }
  if (status == CARDAN_OK) {
    cardan__hamilton_remember(h, t, y);
  }
  return status;
}

/* a and lambda from p' of the tree, over the same factorisations; then friction, which adds to tau,
 * and p' with it. */
static cardan_status accelerate(cardan__hamilton *h, double *pdot)
{
  const cardan_model *model = h->s.base.model;
  cardan_data *own = h->s.own;
  cardan_status status = CARDAN_OK;
  if (cardan__friction_has_boxes(own)) {
    status = cardan__friction_box_accelerations(model, own);
    cardan_momenta_rates(model, own, own->tau, pdot);
    return status;
  }
  cardan_momenta_accelerations(model, own, pdot, own->a);
  if (model->nrow > 0) {
    cardan_bias_accelerations(model, own);
    cardan_constraints(model, own);
    cardan__loops_again(model, own, 0, h->alpha);
  }
  if (model->has_friction) {
    status = cardan__friction_iterate(model, own, 0, h->alpha);
    cardan_momenta_rates(model, own, own->tau, pdot);
  }
  return status;
}

static void clear_kinematic(const cardan_model *model, double *x)
{
  for (int i = 0; i < model->nprescribed; i++) {
    x[model->body[model->prescribed[i].body].vadr] = 0;
  }
}

static cardan_status augmented_slope(cardan__continuous *s, double t, const double *y, double *xdot)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  const cardan_model *model = s->base.model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan_data *own = s->own;
  cardan_status status = augmented_velocities(s, t, y);
  if (status != CARDAN_OK) {
    return status;
  }
  if (h->forces_need_a && cardan__continuous_held(s)) {
    status = s->base.held->calls->forward(s->base.held, own, 0, h->alpha, NULL);
  } else {
    cardan__hamilton_forces(h);
  }
  cardan_momenta_rates(model, own, own->tau, xdot); // (E1)
  if (h->forces_need_a && !cardan__continuous_held(s)) {
    status = accelerate(h, xdot);
  }
  if (status == CARDAN_OK && model->nrow > 0) {
    const cardan__view view = cardan__data_view(model, own);
    cardan__rows_jacobian_rate(&set, &view, h->w_rate, h->c_rate);
    cardan__rows_rate_transpose(model, own, h->sigma, h->w_rate, h->c_rate, h->f_rate,
                                xdot); // (E3)
  }
  clear_kinematic(model, xdot);
  if (h->balls) {
    to_state(h, h->x_balls, xdot);
  }
  cardan__floating_momenta_rates(s->nfloating, s->floating, own->v, y + s->nq, xdot);
  return status;
}

/* x, and p, = M v of own. */
static void take_momenta(cardan__hamilton *h, double *x)
{
  const cardan_model *model = h->s.base.model;
  cardan_momenta(model, h->s.own, x);
  clear_kinematic(model, x);
  if (h->balls) {
    memcpy(h->p, x, (size_t)h->s.nx * sizeof *x);
    to_state(h, NULL, x);
    memcpy(h->x_balls, x, (size_t)h->s.nx * sizeof *x);
  }
  cardan__floating_momenta_to_world(h->s.nfloating, h->s.floating, x);
}

/* p = M v, sigma = 0, from own's q and v. */
static cardan_status augmented_pack(cardan__continuous *s, double *x)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  const cardan_model *model = s->base.model;
  h->holds = false;
  cardan__floating_place(s->nfloating, s->floating, s->own->q);
  cardan_prescribe(model, s->own);
  cardan_joints(model, s->own);
  cardan_velocities(model, s->own);
  if (h->balls) {
    cardan_poses(model, s->own);
  }
  take_momenta(h, x);
  h->momentum_size = 0;
  return CARDAN_OK;
}

/* The reset. */
static cardan_status augmented_accepted(cardan__continuous *s, double t, double *y, bool *changed)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  const cardan_model *model = s->base.model;
  if (model->nrow == 0) {
    return CARDAN_OK;
  }
  const cardan_status status = augmented_velocities(s, t, y);
  if (status != CARDAN_OK) {
    return status;
  }
  h->momentum_size = fmax(h->momentum_size, 2 * cardan_kinetic(model, s->own));
  if (s->fixed || h->multiplier_size > RESET * RESET * h->momentum_size) {
    take_momenta(h, y + s->nq);
    memset(h->sigma, 0, (size_t)model->nrow * sizeof *h->sigma);
    h->multiplier_size = 0;
    cardan__hamilton_remember(h, t, y);
    *changed = true;
  }
  return CARDAN_OK;
}

cardan_status cardan__hamilton_conjugate(cardan__continuous *s, double t, const double *y,
                                         double *out)
{
  const cardan_status status = s->form->velocities(s, t, y);
  memcpy(out, s->own->v, (size_t)s->base.model->nv * sizeof *out);
  return status;
}

/* ---- saving ---- */

/* own as velocities left it is made again from the key, but for what the reset put in its place. */
static void augmented_spans(cardan__continuous *s, cardan__spans *list)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  const cardan_model *model = s->base.model;
  cardan__spans_add(list, h->key, (size_t)s->nq + (size_t)s->nx, sizeof *h->key);
  cardan__spans_add(list, h->sigma, (size_t)model->nrow, sizeof *h->sigma);
  cardan__spans_add(list, s->own->v, (size_t)model->nv, sizeof *s->own->v);
  CARDAN__SPANS_ONE(list, h->key_t);
  cardan__spans_flag(list, &h->holds);
  CARDAN__SPANS_ONE(list, h->multiplier_size);
  CARDAN__SPANS_ONE(list, h->momentum_size);
}

static void augmented_rejoin(cardan__continuous *s)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  const cardan_model *model = s->base.model;
  const double size = h->multiplier_size;
  double *v = s->y_try, *sigma = h->sigma_kept;
  if (!h->holds) {
    return;
  }
  memcpy(v, s->own->v, (size_t)model->nv * sizeof *v);
  memcpy(sigma, h->sigma, (size_t)model->nrow * sizeof *sigma);
  h->holds = false;
  if (augmented_velocities(s, h->key_t, h->key) == CARDAN_OK &&
      (model->nrow > 0 || s->base.held != NULL)) {
    memcpy(s->own->v, v, (size_t)model->nv * sizeof *v);
    memcpy(h->sigma, sigma, (size_t)model->nrow * sizeof *sigma);
    h->multiplier_size = size;
    cardan_velocities(model, s->own);
  }
}

/* ---- making and unmaking ---- */

static bool needs_accelerations(const cardan_model *model)
{
  bool needs = model->nprescribed > 0 || model->has_friction;
  for (int r = 0; r < model->nrow && !needs; r++) {
    needs = model->row[r].expr >= 0; // may depend on time: its force does work
  }
  return needs;
}

static void layout(void *what, cardan__carver *c)
{
  cardan__hamilton *h = what;
  const cardan_model *model = h->s.base.model;
  h->sigma = cardan__carve(c, (size_t)model->nrow, sizeof *h->sigma);
  h->sigma_kept = cardan__carve(c, (size_t)model->nrow, sizeof *h->sigma_kept);
  h->c_rate = cardan__carve(c, (size_t)model->nrow_dof, sizeof *h->c_rate);
  h->w_rate = cardan__carve(c, (size_t)model->nrow_body, sizeof *h->w_rate);
  h->f_rate = cardan__carve(c, (size_t)model->nbody, sizeof *h->f_rate);
  h->key = cardan__carve(c, (size_t)model->nq + (size_t)model->nv, sizeof *h->key);
  h->p = cardan__carve(c, (size_t)model->nv, sizeof *h->p);
  h->x_balls = cardan__carve(c, (size_t)model->nv, sizeof *h->x_balls);
  h->below = cardan__carve(c, (size_t)model->nbody, sizeof *h->below);
}

cardan_status cardan__hamilton_make(cardan__continuous *s)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  const cardan_model *model = s->base.model;
  h->memory = cardan__carve_block(&s->base.allocator, layout, h);
  if (h->memory == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  h->forces_need_a = needs_accelerations(model);
  h->alpha = sqrt(s->kq);
  return CARDAN_OK;
}

static cardan_status augmented_make(cardan__continuous *s)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  const cardan_body *body = s->base.model->body;
  for (int i = 1; i < s->base.model->nbody; i++) {
    h->balls = h->balls || (is_ball(&body[i]) && is_ball(&body[body[i].parent]));
  }
  return cardan__hamilton_make(s);
}

void cardan__hamilton_unmake(cardan__continuous *s)
{
  cardan__hamilton *h = (cardan__hamilton *)s;
  cardan__reduced_destroy(&h->reduced);
  cardan__resize(&s->base.allocator, h->memory, 0);
}

static const cardan__formulation augmented = {
    .size = sizeof(cardan__hamilton),
    .momenta = true,
    .holds = true,
    .passes = true,
    .floats = true,
    .create = augmented_make,
    .destroy = cardan__hamilton_unmake,
    .pack = augmented_pack,
    .velocities = augmented_velocities,
    .slope = augmented_slope,
    .conjugate = cardan__hamilton_conjugate,
    .accepted = augmented_accepted,
    .spans = augmented_spans,
    .rejoin = augmented_rejoin,
};

static const char *const forms[] = {"augmented", "reduced", NULL};

static const cardan__option own_options[] = {
    {"form", CARDAN__WORD, CARDAN__FIELD(form), .words = forms,
     .help = "loops by multipliers at velocity level, or dependent bodies eliminated"},
    {.name = NULL}};

/* Without loops both forms are the same. */
static bool is_reduced(const cardan_model *model, const cardan_options *options)
{
  return model->nrow > 0 && options->form != NULL && strcmp(options->form, "reduced") == 0;
}

static cardan_status hamilton_accepts(const cardan_model *model, const cardan_options *options,
                                      cardan_report *report)
{
  if (!is_reduced(model, options)) {
    return CARDAN_OK;
  }
  if (options->stabilise != NULL && strcmp(options->stabilise, "baumgarte") == 0) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                       "form reduced keeps loops closed by none or project, not by baumgarte");
  }
  const cardan_constraint *c = cardan__velocity_constraint(model);
  if (c != NULL) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, c->pos,
                       "form reduced eliminates the bodies that positions make dependent, and "
                       "constraint \"%.60s\" makes only velocities so: take form augmented",
                       c->name);
  }
  return cardan__reduced_accepts(model, report);
}

static cardan_status hamilton_create(const cardan_model *model, const cardan_options *options,
                                     const cardan__held_room *room,
                                     const cardan_allocator *allocator, cardan__stepper **out)
{
  (void)room;
  const cardan__formulation *form =
      is_reduced(model, options) ? &cardan__hamilton_reduced : &augmented;
  return cardan__continuous_create(&cardan__method_hamilton, form, model, options, allocator, out);
}

static cardan_status hamilton_publish(cardan__stepper *stepper, cardan_data *data)
{
  cardan__hamilton *h = (cardan__hamilton *)stepper;
  cardan__loops_sizes(stepper->model, h->s.own, data);
  const cardan_status status = cardan__continuous_forward(&h->s, data, 0, h->alpha);
  cardan_poses(stepper->model, data);
  return status;
}

/* Of momenta, not of what stands for them in the state. */
static bool hamilton_errors(cardan__stepper *stepper, double *e_q, double *e_v, double *e_p)
{
  cardan__hamilton *h = (cardan__hamilton *)stepper;
  const bool known = cardan__continuous_errors(stepper, e_q, e_v, e_p);
  if (known && h->balls) {
    const cardan__ode *ode = h->s.ode;
    if (h->s.form->velocities(&h->s, ode->t, ode->y) != CARDAN_OK) {
      return false;
    }
    to_momenta(h, e_p);
  }
  return known;
}

const cardan__method cardan__method_hamilton = {
    .name = "hamilton",
    .states = true,
    .help =
        "canonical momenta by recursion, loops by multipliers at velocity level, any integrator",
    .options = {own_options, cardan__continuous_table},
    .any_joint = true,
    .velocity_rows = true,
    .longest = cardan__integrator_longest,
    .accepts = hamilton_accepts,
    .create = hamilton_create,
    .destroy = cardan__continuous_destroy,
    .start = cardan__continuous_start,
    .step = cardan__continuous_step,
    .publish = hamilton_publish,
    .work = cardan__continuous_work,
    .errors = hamilton_errors,
    .spans = cardan__continuous_spans,
    .rejoin = cardan__continuous_rejoin,
    .push = cardan__continuous_push,
    .switched = cardan__continuous_switched,
};
