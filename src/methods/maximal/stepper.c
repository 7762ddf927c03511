// SPDX-License-Identifier: Apache-2.0
#include "methods/maximal/stepper.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/project.h"
#include "dynamics/reactions.h"
#include "dynamics/rnea.h"
#include "forces/friction_prediction.h"
#include "linalg/linalg.h"
#include "methods/maximal/maximal_rolling.h"
#include "model/data.h"

/* A node of a maximal method: configuration and velocities of the bodies, and what follows. */

static const char *const planars[] = {"auto", "off", NULL};
static const char *const solvers[] = {"tree", "sparse", "dense", NULL};

const cardan__option cardan__mx_options[] = {
    {"planar", CARDAN__WORD, CARDAN__FIELD(planar), .words = planars,
     .help = "three coordinates a body if the motion stays in a plane"},
    CARDAN__OPTION_REGULARISE,
    {.name = NULL}};

const cardan__option cardan__mx_step_options[] = {
    {"solver", CARDAN__WORD, CARDAN__FIELD(solver), .words = solvers,
     .unset = "tree, with many loops sparse",
     .help = "solver of the linear system of bodies and constraints"},
    {"tol", CARDAN__NUMBER, CARDAN__FIELD(tol), .high = 1, .unset = "1e-10",
     .help = "last correction of a step: rotations, and displacements relative to the mechanism"},
    {"max-iter", CARDAN__COUNT, CARDAN__FIELD(max_iter), .low = 1, .high = INT_MAX, .initial = 100,
     .help = "corrections in a step"},
    {.name = NULL}};

static bool wants_plane(const cardan_options *options)
{
  return options->planar == NULL || strcmp(options->planar, "off") != 0;
}

/* Positions are closed by all rows at once: those of velocity level must not stop them. */
cardan_status cardan__mx_accepts(const cardan_model *model, const cardan_options *options,
                                 cardan_report *report)
{
  for (int k = 0; k < model->nv && model->has_armature; k++) {
    if (model->armature[k] > 0) {
      return cardan_fail(report, CARDAN_ERR_UNSUPPORTED,
                         model->joint[model->body[model->v_body[k]].joint].pos,
                         "coordinate \"%.60s\" has an armature, an inertia between two bodies, and "
                         "maximal coordinates hold inertias of bodies; take method vi, svi, aba or "
                         "hamilton",
                         model->v_name[k]);
    }
  }
  const cardan_status status = cardan__check_velocity_rows(model, report);
  return status == CARDAN_OK
             ? cardan__maximal_takes(model, wants_plane(options), &model->allocator, report)
             : status;
}

/* ---- memory ---- */

/* Does the method solve for accelerations, which an integrator of its own takes? Its sparse solver
 * is the one along the tree. */
static bool solves_accelerations(const cardan__mx_stepper *s)
{
  return s->base.method->states;
}

static void layout(void *what, cardan__carver *c)
{
  cardan__mx_stepper *s = what;
  const cardan__maximal *mx = s->mx;
  const int n = mx->nx, m = mx->neq, k = mx->ncfg * mx->nbody;
  s->cfg = CARDAN__CARVE(c, k, double);
  s->vel = CARDAN__CARVE(c, n, double);
  s->cfg_try = CARDAN__CARVE(c, k, double);
  s->vel_try = CARDAN__CARVE(c, n, double);
  s->cfg_ahead = CARDAN__CARVE(c, k, double);
  const bool keeps = solves_accelerations(s);
  s->factored.cfg = keeps ? CARDAN__CARVE(c, k, double) : NULL;
  s->over.last = keeps ? CARDAN__CARVE(c, m, double) : NULL;
  s->over.before = keeps ? CARDAN__CARVE(c, m, double) : NULL;
  s->f = CARDAN__CARVE(c, n, double);
  s->rhs = CARDAN__CARVE(c, n, double);
  s->x = CARDAN__CARVE(c, n, double);
  s->dx = CARDAN__CARVE(c, n, double);
  s->acc = CARDAN__CARVE(c, n, double);
  s->kicked = CARDAN__CARVE(c, n, double);
  s->nu = CARDAN__CARVE(c, m, double);
  s->lambda = CARDAN__CARVE(c, m, double);
  s->dl = CARDAN__CARVE(c, m, double);
  s->g = CARDAN__CARVE(c, m, double);
  s->least.p = CARDAN__CARVE(c, m, double);
  s->least.q = CARDAN__CARVE(c, m, double);
  s->least.r = CARDAN__CARVE(c, m, double);
  s->least.y = CARDAN__CARVE(c, m, double);
  s->least.x = CARDAN__CARVE(c, n, double);
  s->least.f = CARDAN__CARVE(c, n, double);
  s->gaps.q = CARDAN__CARVE(c, mx->model->nq, double);
  s->gaps.x = CARDAN__CARVE(c, mx->model->nv, double);
  s->turns.q = CARDAN__CARVE(c, mx->model->nq, double);
  s->turns.expected = CARDAN__CARVE(c, mx->model->nq, double);
  s->seen = CARDAN__CARVE(c, cardan__inputs_size(mx->model), double);
  cardan__mx_published_layout(s, c);
  s->displacement.history.n = n;
  s->displacement.pull = s->displaces ? CARDAN__CARVE(c, n, double) : NULL;
  s->displacement.history.D =
      s->displaces ? CARDAN__CARVE(c, CARDAN__EXTRAPOLATE_ORDERS * n, double) : NULL;
  if (s->displaces && m > 0 && (s->kkt->graph.naux > 0 || n + m <= CARDAN__MX_TESTED)) {
    const size_t size = 5 * (size_t)(n + m) + cardan__gmres_work(n + m, CARDAN__MX_PRODUCTS);
    s->displacement.J_trial = CARDAN__CARVE(c, mx->nentry * mx->dof, double);
    s->displacement.krylov = (double *)cardan__carve(c, size, sizeof(double));
  }
}

static const struct {
  const char *word;
  cardan__kkt_kind kind;
} kinds[] = {{"tree", CARDAN__KKT_TREE},
             {"sparse", CARDAN__KKT_SPARSE},
             {"dense", CARDAN__KKT_DENSE},
             {"schur", CARDAN__KKT_SCHUR}};

enum { NKIND = sizeof kinds / sizeof kinds[0] };

static cardan__kkt_kind kind_of(const cardan__mx_stepper *s)
{
  const char *word = s->base.options->solver;
  for (int i = 0; i < NKIND && word != NULL; i++) {
    if (strcmp(kinds[i].word, word) == 0) {
      return solves_accelerations(s) && kinds[i].kind == CARDAN__KKT_SPARSE ? CARDAN__KKT_TREE
                                                                            : kinds[i].kind;
    }
  }
  return CARDAN__KKT_AUTO;
}

static const char *word_of(const cardan__mx_stepper *s)
{
  for (int i = 0; i < NKIND; i++) {
    if (kinds[i].kind == s->kkt->kind) {
      return solves_accelerations(s) && kinds[i].kind == CARDAN__KKT_TREE ? "sparse"
                                                                          : kinds[i].word;
    }
  }
  return NULL;
}

static cardan_status make_parts(cardan__mx_stepper *s)
{
  const cardan_options *o = s->base.options;
  const cardan_allocator *allocator = &s->base.allocator;
  cardan_status status =
      cardan__maximal_create(s->base.model, wants_plane(o), allocator, &s->mx, NULL);
  if (status == CARDAN_OK) {
    status = cardan__kkt_create(s->mx, kind_of(s), allocator, &s->kkt);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  status = cardan__friction_prediction_create(s->base.model, allocator, &s->prediction);
  if (status == CARDAN_OK && o->assemble &&
      !solves_accelerations(s)) { // baraff looks itself: crossing.c
    status = cardan__branch_gap_create(s->base.model, allocator, &s->gaps.gap);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  s->base.solver = word_of(s);
  s->factored.rows_wait = (s->displaces || solves_accelerations(s)) &&
                          !s->base.model->has_friction && !cardan__kkt_reads_rows(s->kkt) &&
                          (!s->displaces || s->base.model->nvelocity_row == 0);
  s->block = cardan__carve_block(allocator, layout, s);
  return s->block != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

cardan_status cardan__mx_open(size_t size, const cardan__method *method, bool displaces,
                              const cardan_model *model, const cardan_options *options,
                              const cardan_allocator *allocator, cardan__mx_stepper **out)
{
  cardan__mx_stepper *s = cardan__resize(allocator, NULL, size);
  *out = NULL;
  if (s == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memset(s, 0, size);
  s->displaces = displaces;
  s->base = (cardan__stepper){.method = method, .model = model, .options = options};
  s->base.allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  s->works = s->model_works = cardan__model_works(model);
  s->forces = model->nforce > 0;
  s->length = fmax(1, model->size_length);
  s->tol = options->tol > 0 ? options->tol : 1e-10;
  const cardan_status status = make_parts(s);
  if (status != CARDAN_OK) {
    cardan__mx_close(s);
    return status;
  }
  *out = s;
  return CARDAN_OK;
}

void cardan__mx_close(cardan__mx_stepper *s)
{
  const cardan_allocator allocator = s->base.allocator;
  cardan__mx_rolling_close(s);
  cardan__friction_prediction_destroy(s->prediction);
  cardan__branch_gap_destroy(s->gaps.gap);
  cardan__kkt_destroy(s->kkt);
  cardan__maximal_destroy(s->mx);
  cardan__resize(&allocator, s->block, 0);
  cardan__resize(&allocator, s, 0);
}

/* ---- a node ---- */

/* The poses of the model's file, for a start that is not assembled, and their velocities:
 * v_B = R^T (v + w x (p_B - p_F)). */
static void apply_poses(const cardan_model *model, cardan_data *data)
{
  for (int i = 0; i < model->npose; i++) {
    const cardan_pose *pose = &model->pose[i];
    const cardan_frame *frame = &model->frame[pose->frame];
    const cardan_xform T_FB = cardan__xform_inverse(&frame->X_BF);
    cardan_xform *X = &data->X_W[frame->body];
    *X = cardan__xform_mul(&pose->X_WF, &T_FB);
    if (pose->moves) {
      const cardan_vec3 arm = cardan__vec3_sub(X->p, pose->X_WF.p);
      const cardan_vec3 v = cardan__vec3_add(pose->v, cardan__vec3_cross(pose->w, arm));
      data->V[frame->body] = (cardan_twist){.w = cardan__mat3_tmulv(&X->R, pose->w),
                                            .v = cardan__mat3_tmulv(&X->R, v)};
    }
  }
}

/* Which forces do work, and act: the model's own, or the caller's. */
static void count_forces(cardan__mx_stepper *s, const cardan_data *data)
{
  const cardan_model *model = s->base.model;
  const bool pushed = cardan__inputs_push(model, data->tau_in, data->f_in);
  s->works = s->model_works || pushed;
  s->forces = model->nforce > 0 || pushed;
  s->others = s->forces ? CARDAN__MX_OTHER : 0;
}

bool cardan__mx_inputs(cardan__mx_stepper *s, const cardan_data *data)
{
  bool changed = cardan__inputs_take(s->base.model, data, !s->base.method->states, s->seen);
  changed = changed || s->rejoined;
  s->rejoined = false;
  memcpy(s->mx->u, data->u, cardan__outside(s->base.model) * sizeof *data->u);
  if (changed) {
    count_forces(s, data);
    s->mx->placed = NULL; // its twists may not be there
  }
  return changed;
}

void cardan__mx_place_node(cardan__mx_stepper *s)
{
  // whoever placed the node's poses last, placed its twists too, where these are looked at
  cardan__mx_place_again(s->mx, s->cfg,
                         s->mx->placed == s->cfg ? NULL : cardan__mx_seen(s, s->vel));
}

void cardan__mx_look_past_switch(cardan__mx_stepper *s)
{
  const cardan__maximal *mx = s->mx;
  for (int i = 0; i < mx->nx; i++) {
    s->dx[i] = s->lead * s->vel[i];
    s->vel_try[i] = s->vel[i] + s->lead * s->acc[i];
  }
  cardan__mx_drift(s->mx, s->cfg, s->dx, s->cfg_try);
  cardan__mx_look(s, s->cfg_try, s->vel_try, mx->t);
}

/* Row r follows from the others to first order, and no further. */
static cardan_status not_rigid(cardan__mx_stepper *s, cardan_data *data, int r, const char *how)
{
  cardan__mx_fail(s, data, CARDAN_ERR_SINGULAR, r, 0, 0);
  snprintf(data->info.message, sizeof data->info.message,
           "%s \"%.40s\" follows from the others only to first order, and %s: no rigid motion goes "
           "this way",
           r < s->mx->row_model ? "joint" : "constraint", cardan__mx_row_name(s->mx, r), how);
  return CARDAN_ERR_SINGULAR;
}

/* The right-hand side of the rows, to g. */
static void fill_gamma(cardan__mx_stepper *s, const double *vel, double kq, double kv)
{
  cardan__maximal *mx = s->mx;
  cardan__mx_rates_of_rows(mx, true);
  cardan__mx_equations(mx, 1, mx->rows.gamma, s->g);
  if (kq == 0 && kv == 0) {
    return;
  }
  cardan__mx_values(mx);
  cardan__mx_rows(s);
  cardan__mx_apply(mx, vel, s->dl);
  for (int e = 0; e < mx->neq; e++) {
    const int r = mx->row[e];
    s->g[e] -= kv * (s->dl[e] + mx->rows.phi_t[r]) + kq * mx->rows.phi[r];
  }
}

cardan_status cardan__mx_accelerate(cardan__mx_stepper *s, cardan_data *data, const double *cfg,
                                    const double *vel, double kq, double kv)
{
  cardan__maximal *mx = s->mx;
  cardan_status status = cardan__mx_factor_here(s, data);
  const bool ahead = status == CARDAN_ERR_SINGULAR;
  s->pivot_ratio = cardan__mx_pivot_ratio(s);
  if (ahead) {
    status = cardan__mx_look_ahead(s, data, cfg, vel, vel);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  fill_gamma(s, vel, kq, kv);
  s->base.evaluations++;
  if (s->base.model->has_friction) {
    status = cardan__mx_agree_friction(s, data, vel, NULL);
  } else {
    cardan__mx_forces(mx, data, cardan__mx_all_forces(s), vel, s->f);
    cardan__mx_solve_accelerations(s);
  }
  if (ahead) {
    cardan__mx_look(s, cfg, vel, mx->t);
  }
  return status;
}

/* Do velocities at the start agree with rows that follow from the others there? With J_i = C^T J_a
 * for the idle rows i, J a = gamma has an acceleration only where gamma_i = C^T gamma_a: for rows
 * that follow from the others all the way it is so, in a singular position for velocities along a
 * branch of it. */
static cardan_status check_idle(cardan__mx_stepper *s, cardan_data *data)
{
  // of the largest: where the file's digits leave 1e-5 of a row, more than that; O(1) if not so
  const double tol = fmax(1e-3, s->base.model->near > 0 ? 100 * s->base.model->rank_tol : 0);
  cardan__maximal *mx = s->mx;
  double largest = 0;
  const cardan_status status = cardan__mx_factor_here(s, data);
  if (s->kkt->nidle == 0 || status == CARDAN_ERR_NOT_FINITE) {
    return status;
  }
  const cardan_status jumps = cardan__mx_lost_rates(s, data);
  if (jumps != CARDAN_OK) {
    return jumps;
  }
  cardan__mx_rows(s);
  fill_gamma(s, s->vel, 0, 0);
  memset(s->f, 0, (size_t)mx->nx * sizeof *s->f);
  cardan__kkt_solve(s->kkt, s->f, s->g, s->dx, s->dl);
  cardan__mx_apply(mx, s->dx, s->dl);
  for (int e = 0; e < mx->neq; e++) {
    largest = fmax(largest, fabs(s->g[e]));
  }
  for (int e = 0; e < mx->neq; e++) {
    if (s->kkt->idle[e] && !(fabs(s->dl[e] - s->g[e]) <= tol * largest)) {
      return not_rigid(s, data, mx->row[e], "the velocities would open it");
    }
  }
  data->info = (cardan_info){.body = -1, .joint = -1, .row = -1};
  return CARDAN_OK;
}

cardan_status cardan__mx_begin(cardan__mx_stepper *s, cardan_data *data)
{
  const cardan_model *model = s->base.model;
  cardan__maximal *mx = s->mx;
  int row;
  cardan_kinematics(model, data);
  (void)cardan__mx_inputs(s, data);
  count_forces(s, data);
  if (!s->base.options->assemble) {
    apply_poses(model, data);
  }
  cardan__mx_turns_begin(s, data);
  cardan__mx_take(mx, data->X_W, data->V, s->cfg, s->vel);
  cardan__mx_look(s, s->cfg, s->vel, data->t);
  memcpy(data->q, mx->q, (size_t)model->nq * sizeof *mx->q);
  memcpy(data->v, mx->v, (size_t)model->nv * sizeof *mx->v);
  cardan__mx_friction_ahead(s, s->base.options->dt);
  cardan__mx_values(mx);
  s->idle_limit = fmax(cardan__loop_tolerance(model), 10 * cardan__mx_violation(mx, &row));
  cardan__mx_gaps_begin(s);
  s->displacement.history.have = 0;
  s->over.have = 0;
  s->steps = 0;
  s->work = 0;
  s->published = s->shown.known = false;
  s->acc_scale = s->displacement.lambda_scale = 0;
  s->base.evaluations = 0;
  cardan_status status = s->base.options->assemble ? check_idle(s, data) : CARDAN_OK;
  if (status == CARDAN_OK && model->has_friction) { // for the first one
    status = cardan__mx_accelerate(s, data, s->cfg, s->vel, 0, 0);
  }
  return status;
}

/* ---- Newton's iteration ---- */

/* Rows which the others gave must have come along to cfg_try. */
static cardan_status watch_idle(cardan__mx_stepper *s, cardan_data *data, double t)
{
  cardan__maximal *mx = s->mx;
  if (s->kkt->nidle == 0) {
    return CARDAN_OK;
  }
  mx->t = t;
  cardan__mx_place_again(mx, s->cfg_try, NULL);
  cardan__mx_coordinates(mx, false);
  cardan__mx_values(mx);
  for (int e = 0; e < mx->neq; e++) {
    const double phi = fabs(mx->rows.phi[mx->row[e]]);
    if (s->kkt->idle[e] && !(phi <= s->idle_limit)) {
      char how[64];
      snprintf(how, sizeof how, "is off by %.2g", phi);
      return not_rigid(s, data, mx->row[e], how);
    }
  }
  return CARDAN_OK;
}

cardan_status cardan__mx_check(cardan__mx_stepper *s, cardan_data *data, double t)
{
  long long other = 0; // as wide as a number, and the loop goes to the end: for vector registers
  for (int i = 0; i < s->mx->nx; i++) {
    other |= !(fabs(s->vel_try[i]) <= DBL_MAX);
  }
  if (other != 0) {
    return CARDAN_ERR_NOT_FINITE;
  }
  cardan_status status = cardan__mx_count_turns(s, data, t);
  status = status == CARDAN_OK ? watch_idle(s, data, t) : status;
  return status == CARDAN_OK ? cardan__mx_watch_gaps(s, data, t) : status;
}

void cardan__mx_advance(cardan__mx_stepper *s, cardan_data *data, double t)
{
  cardan__maximal *mx = s->mx;
  double *cfg = s->cfg, *vel = s->vel;
  s->cfg = s->cfg_try;
  s->cfg_try = cfg;
  s->vel = s->vel_try;
  s->vel_try = vel;
  mx->t = t;
  cardan__mx_place_again(mx, s->cfg, cardan__mx_seen(s, s->vel));
  cardan__mx_coordinates(mx, true);
  memcpy(data->q, mx->q, (size_t)s->base.model->nq * sizeof *data->q);
  data->t = t;
  s->steps++;
  if (s->displaces) {
    cardan__extrapolate_remember(&s->displacement.history, s->x);
  }
}

/* ---- calls of the method ---- */

void cardan__mx_destroy(cardan__stepper *stepper)
{
  cardan__mx_close((cardan__mx_stepper *)stepper);
}

cardan_status cardan__mx_node(cardan__stepper *stepper, cardan_data *data)
{
  cardan__mx_stepper *s = (cardan__mx_stepper *)stepper;
  cardan__maximal *mx = s->mx;
  mx->t = data->t;
  const bool placed = mx->placed == s->cfg; // then coordinates are those of the node too
  cardan__mx_place_again(mx, s->cfg, s->vel);
  if (!placed) {
    cardan__mx_coordinates(mx, true);
  }
  cardan__mx_rates(mx, true, false);
  memcpy(data->v, mx->v, (size_t)stepper->model->nv * sizeof *data->v);
  return CARDAN_OK;
}

void cardan__mx_kinematics(cardan__stepper *stepper, cardan_data *data)
{
  const cardan__mx_stepper *s = (const cardan__mx_stepper *)stepper;
  const size_t n = (size_t)stepper->model->nbody;
  cardan_joints(stepper->model, data);
  cardan__mx_place_again(s->mx, s->cfg, s->vel);
  memcpy(data->X_W, s->mx->X_W, n * sizeof *data->X_W);
  memcpy(data->V, s->mx->V, n * sizeof *data->V);
  cardan__made(data, CARDAN_FRESH_POSES | CARDAN_FRESH_VELOCITIES, 0);
}

double cardan__mx_closed(cardan__stepper *stepper)
{
  const cardan__mx_stepper *s = (const cardan__mx_stepper *)stepper;
  int row;
  cardan__mx_values(s->mx);
  return cardan__mx_violation(s->mx, &row);
}

/* To data: accelerations, multipliers and friction's limits, and the node that they belong to. */
static void write_published(cardan__mx_stepper *s, cardan_data *data)
{
  const cardan_model *model = s->base.model;
  const cardan__maximal *mx = s->mx;
  cardan__mx_joint_accelerations(s->mx, s->acc, data->a);
  memcpy(data->v, mx->v, (size_t)model->nv * sizeof *data->v);
  for (int r = 0; r < model->nrow; r++) {
    const int e = mx->eq[mx->row_model + r];
    data->lambda[r] = e >= 0 ? s->lambda[e] : 0;
  }
  memcpy(data->friction, mx->limit, (size_t)model->nforce * sizeof *data->friction);
  cardan__mx_kinematics(&s->base, data);
}

cardan_status cardan__mx_publish_at(cardan__mx_stepper *s, cardan_data *data, const double *vel)
{
  if (s->published) {
    cardan__mx_late(s);
    cardan__mx_rows(s);
  }
  cardan__mx_look(s, s->cfg, vel, data->t);
  if (!s->published) {
    const bool wait = s->factored.rows_wait;
    s->factored.rows_wait = false; // they are looked at
    const cardan_status status = cardan__mx_accelerate(s, data, s->cfg, vel, 0, 0);
    s->factored.rows_wait = wait;
    if (status != CARDAN_OK) {
      return status;
    }
  }
  cardan__mx_least(s);
  if (s->published) {
    cardan__mx_published_save(s, data->t);
  }
  if (vel != s->vel) {
    cardan__mx_look(s, s->cfg, s->vel, data->t);
  }
  write_published(s, data);
  return CARDAN_OK;
}

cardan_status cardan__mx_publish(cardan__stepper *stepper, cardan_data *data)
{
  cardan__mx_stepper *s = (cardan__mx_stepper *)stepper;
  if (cardan__mx_published_known(s, data->t)) {
    cardan__mx_look(s, s->cfg, s->vel, data->t);
    cardan__mx_published_restore(s);
    write_published(s, data);
    return CARDAN_OK;
  }
  return cardan__mx_publish_at(s, data, s->vel);
}

/* What acts across the plane: bodies have no coordinates there, but the tree's recursion has their
 * motion. In f (tree bodies, wrenches through their joints) the force along the normal and the
 * torque across it are those of that recursion. needs the loads of cardan__mx_joint_wrenches */
static void add_across(cardan__mx_stepper *s, cardan_data *data, cardan_force *f)
{
  const cardan_model *model = s->base.model;
  const cardan__maximal *mx = s->mx;
  cardan__rnea(model, data, mx->f_ext, data->a, data->tau_work);
  for (int i = 1; i < model->nbody; i++) {
    const cardan_vec3 n = cardan__mat3_tmulv(&mx->X_W[i].R, mx->normal);
    const cardan_force F = data->f[i];
    const double along = cardan__vec3_dot(n, cardan__vec3_sub(F.f, f[i].f));
    const double about = cardan__vec3_dot(n, cardan__vec3_sub(f[i].t, F.t));
    f[i].f = cardan__vec3_axpy(along, n, f[i].f);
    f[i].t = cardan__vec3_axpy(about, n, F.t);
  }
}

void cardan__mx_reactions(cardan__stepper *stepper, cardan_data *data, cardan_force *reaction,
                          double *driver)
{
  cardan__mx_stepper *s = (cardan__mx_stepper *)stepper;
  const cardan_model *model = stepper->model;
  const cardan__maximal *mx = s->mx;
  if (reaction != NULL) {
    cardan__mx_joint_wrenches(s->mx, data, s->lambda, mx->wrench);
    if (mx->planar) {
      add_across(s, data, mx->wrench);
    }
    memcpy(data->f, mx->wrench, (size_t)model->nbody * sizeof *data->f);
    cardan__reactions_from(model, data, reaction);
  }
  if (driver == NULL) {
    return;
  }
  memset(driver, 0, (size_t)model->njoint * sizeof *driver);
  for (int r = mx->nrow_joint; r < mx->set.n; r++) {
    const cardan_row *row = &mx->set.row[r];
    if (row->kind == CARDAN_ROW_MOTION && mx->eq[r] >= 0) {
      driver[model->body[model->q_body[row->var[0]]].joint] += s->lambda[mx->eq[r]];
    }
  }
}

double cardan__mx_work(const cardan__stepper *stepper)
{
  return ((const cardan__mx_stepper *)stepper)->work;
}

void cardan__mx_spans(cardan__stepper *stepper, cardan__spans *list)
{
  cardan__mx_stepper *s = (cardan__mx_stepper *)stepper;
  cardan__maximal *mx = s->mx;
  const size_t nx = (size_t)mx->nx, size = sizeof(double);
  cardan__mx_late(s);
  cardan__spans_add(list, s->cfg, (size_t)mx->ncfg * (size_t)mx->nbody, size);
  cardan__spans_add(list, s->vel, nx, size);
  cardan__spans_add(list, s->acc, nx, size);
  cardan__spans_add(list, s->lambda, (size_t)mx->neq, size);
  cardan__spans_add(list, mx->limit, (size_t)stepper->model->nforce, size);
  cardan__spans_add(list, mx->friction, (size_t)stepper->model->nv, size);
  cardan__spans_add(list, s->seen, cardan__inputs_size(stepper->model), size);
  CARDAN__SPANS_ONE(list, s->steps);
  cardan__spans_flag(list, &s->published);
  CARDAN__SPANS_ONE(list, s->work);
  CARDAN__SPANS_ONE(list, s->idle_limit);
  CARDAN__SPANS_ONE(list, s->lead);
  CARDAN__SPANS_ONE(list, s->gaps.d);
  CARDAN__SPANS_ONE(list, s->gaps.rate);
  if (s->over.last != NULL) {
    cardan__spans_add(list, s->over.last, (size_t)mx->neq, size);
    cardan__spans_add(list, s->over.before, (size_t)mx->neq, size);
    cardan__spans_ints(list, &s->over.have, 1, 0, 2);
    CARDAN__SPANS_ONE(list, s->over.h);
  }
  if (s->displaces) {
    cardan__spans_add(list, s->displacement.history.D, CARDAN__EXTRAPOLATE_ORDERS * nx, size);
    cardan__spans_ints(list, &s->displacement.history.have, 1, 0, CARDAN__EXTRAPOLATE_ORDERS);
    cardan__spans_ints(list, &s->displacement.history.settled, 1, 0, CARDAN__EXTRAPOLATE_ORDERS);
    CARDAN__SPANS_ONE(list, s->displacement.history.size2);
    CARDAN__SPANS_ONE(list, s->displacement.history_h);
  }
}

void cardan__mx_rejoin(cardan__stepper *stepper, cardan_data *data, bool restored)
{
  cardan__mx_stepper *s = (cardan__mx_stepper *)stepper;
  if (restored) { // inputs of another step count as changed, whatever the next one has
    s->rejoined = cardan__inputs_differ(stepper->model, data, !stepper->method->states, s->seen);
    count_forces(s, data);
    cardan__mx_friction_ahead(s, stepper->options->dt);
    memcpy(s->mx->q, data->q, (size_t)stepper->model->nq * sizeof *data->q);
    cardan__mx_look(s, s->cfg, s->vel, data->t);
    cardan__mx_jacobian(s->mx);
    s->factored.rows_at = NULL;
    s->factored.known = false;
    s->acc_scale = s->displacement.lambda_scale = 0;
  }
}
