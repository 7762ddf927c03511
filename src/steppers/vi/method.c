// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "steppers/discrete.h"
#include "steppers/vi/vi.h"

/* Method vi behind the interface of steppers/method.h: options, memory, start, step, publish. */

enum { MAX_TRACE = 4096, MAX_BROYDEN = 20 };

/* Default tolerance of a residual, relative to the momenta in play: far enough below what the
 * energy can show (1e-8), and above what rounding leaves in trees of any size. */
static const double default_tol = 1e-12;

// in the order of cardan__vi_solver
static const char *const solvers[] = {"newton", "riqn", "newton-dense", "broyden", NULL};
static const char *const orders[] = {"2", "4", "6", NULL};

static const cardan__option own_options[] = {
    {"solver", CARDAN__WORD, CARDAN__FIELD(solver), .words = solvers,
     .help = "direction of the root finder; newton is exact, in linear time"},
    {"order", CARDAN__COUNT, CARDAN__FIELD(order), .words = orders, .initial = 2,
     .help = "of the step: 4 and 6 put five and nine of order 2 together"},
    {NULL}};

/* The first force that dissipates, or may: it depends on velocity. */
static const cardan_force_element *velocity_force(const cardan_model *model)
{
  for (int i = 0; i < model->nforce; i++) {
    if (model->force[i].flags & (CARDAN_FORCE_VELOCITY | CARDAN_FORCE_REACTION)) {
      return &model->force[i];
    }
  }
  return NULL;
}

static cardan_status vi_accepts(const cardan_model *model, const cardan_options *options,
                                cardan_report *report)
{
  const cardan_pos none = {0, 0};
  const cardan_force_element *force = velocity_force(model);
  const int order = options->order;
  if (order > 2 && force != NULL) {
    return cardan_fail(
        report, CARDAN_ERR_UNSUPPORTED, force->pos,
        "order %d goes backwards in time for part of each step, where a force that depends "
        "on velocity would put energy in; take order 2, or another method",
        order);
  }
  if (order > 2 && options->start != NULL && strcmp(options->start, "two-point") == 0) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, none,
                       "a start from two configurations is for order 2");
  }
  return CARDAN_OK;
}

#define CARVE(c, count, type) (type *)cardan__carve(c, (size_t)(count), sizeof(type))

static void carve_step(cardan__carver *c, cardan__vi *s)
{
  const cardan_model *m = s->base.model;
  s->P = CARVE(c, m->nbody, cardan_force);
  s->W = CARVE(c, m->nbody, cardan_force);
  s->gravity = CARVE(c, m->nbody, cardan_vec3);
  s->pj = CARVE(c, m->nv, double);
  s->Wj = CARVE(c, m->nv, double);
  if (s->nstage > 1) {
    s->q_kept = CARVE(c, m->nq, double);
    s->pj_kept = CARVE(c, m->nv, double);
    s->P_kept = CARVE(c, m->nbody, cardan_force);
  }
  s->body = CARVE(c, m->nbody, cardan__vi_body);
  s->end = CARVE(c, m->nbody, cardan__vi_end);
  s->inertia = CARVE(c, m->nbody / CARDAN__LANES + 1, cardan__inertia_lanes);
  s->lanes = CARVE(c, 1, cardan__vi_lanes);
  s->joint = CARVE(c, m->nmulti, cardan__screw);
  s->joint_kept = CARVE(c, m->nmulti, cardan__screw);
  s->dq = CARVE(c, m->nv, double);
  s->dq_kept = CARVE(c, m->nv, double);
  s->step = CARVE(c, m->nv, double);
  s->c0 = CARVE(c, m->nv, double);
  s->c = s->has_forces || s->nindependent > 0 ? CARVE(c, m->nv, double) : s->c0;
  s->f = CARVE(c, m->nv, double);
  s->scale = CARVE(c, m->nv, double);
  s->inv_scale = CARVE(c, m->nv, double);
  s->lever = CARVE(c, m->nbody, double);
  s->level = CARVE(c, 2 * m->nbody, double);
  s->walk = CARVE(c, m->nbody, cardan_vec3);
  s->Q = CARVE(c, m->nv, double);
  s->slope_q = CARVE(c, m->nv, double);
  s->slope_v = CARVE(c, m->nv, double);
  for (int i = 0; i < s->nstage; i++) {
    s->history[i].n = m->nv;
    s->history[i].D = CARVE(c, CARDAN__EXTRAPOLATE_ORDERS * (size_t)m->nv, double);
  }
  s->trace = CARVE(c, s->max_trace, double);
}

static void carve_solver(cardan__carver *c, cardan__vi *s)
{
  const cardan_model *m = s->base.model;
  const size_t nv = (size_t)m->nv, n = (size_t)s->nborder,
               drivers = (size_t)m->nprescribed + (size_t)m->nrow;
  s->A = CARVE(c, m->nbody, cardan__mat6);
  s->factor = CARVE(c, m->nbody, cardan__vi_factor);
  s->multi = CARVE(c, m->nmulti, cardan__vi_multi);
  s->kin = CARVE(c, m->nbody, unsigned char);
  s->b = CARVE(c, m->nbody, cardan_force);
  s->zeta = CARVE(c, m->nbody, cardan_motion);
  s->u = CARVE(c, nv, double);
  s->slope = CARVE(c, nv, double);
  if (s->solver == CARDAN__VI_DENSE) {
    s->jacobian = CARVE(c, nv * nv, double);
    s->pivot = CARVE(c, nv, int);
  }
  if (s->solver == CARDAN__VI_BROYDEN) {
    s->broyden = CARVE(c, (size_t)(s->max_broyden + 1) * (nv + n), double);
  }
  s->row = CARVE(c, m->nrow, int);
  s->Gk = CARVE(c, (size_t)m->nrow * nv, double);
  s->Gn = CARVE(c, (size_t)m->nrow * nv, double);
  s->alpha = CARVE(c, (size_t)s->nchannel * nv, double);
  s->beta = CARVE(c, (size_t)s->nchannel * nv, double);
  s->Y = CARVE(c, n * nv, double);
  s->S = CARVE(c, n * n, double);
  s->border_pivot = CARVE(c, n, int);
  s->sigma = CARVE(c, n, double);
  s->lambda = CARVE(c, m->nrow, double);
  s->lambda_kept = CARVE(c, m->nrow, double);
  s->phi = CARVE(c, m->nrow, double);
  s->rate = CARVE(c, drivers, double);
  s->drive = CARVE(c, drivers, double);
  s->drive_before = CARVE(c, drivers, double);
}

/* Inertias by lanes; the world and what is past the end have none. */
static void fill_inertias(cardan__vi *s)
{
  const cardan_model *m = s->base.model;
  for (int i = 1; i < m->nbody; i++) {
    const cardan_inertia *I = &m->body[i].inertia;
    const double h[3] = {I->h.x, I->h.y, I->h.z};
    const double J[6] = {I->xx, I->yy, I->zz, I->xy, I->xz, I->yz};
    cardan__inertia_lanes *G = &s->inertia[i / CARDAN__LANES];
    const int l = i % CARDAN__LANES;
    G->m[l] = I->m;
    for (int k = 0; k < 6; k++) {
      G->J[k][l] = J[k];
      if (k < 3) {
        G->h[k][l] = h[k];
      }
    }
  }
}

/* Index lists that the recursions read. */
static void fill_lists(cardan__vi *s)
{
  const cardan_model *m = s->base.model;
  int n = 0;
  for (int r = 0; r < m->nrow; r++) {
    if (!m->row_redundant[r]) {
      s->row[n++] = r;
    }
  }
  for (int i = 0; i < m->nbody; i++) {
    const cardan_inertia *I = &m->body[i].inertia;
    s->lever[i] = I->m > 0 ? (fabs(I->h.x) + fabs(I->h.y) + fabs(I->h.z)) / I->m : 0;
    s->kin[i] = CARDAN__VI_LEAF;
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    const int p = m->body[i].parent;
    if (s->kin[p] & CARDAN__VI_LEAF) {
      s->kin[p] &= (unsigned char)~CARDAN__VI_LEAF;
      s->kin[i] |= CARDAN__VI_FIRST;
      s->kin[p] |= p == i - 1 ? CARDAN__VI_CHAIN : 0;
    } else {
      s->kin[p] &= (unsigned char)~CARDAN__VI_CHAIN;
    }
  }
}

static void vi_destroy(cardan__stepper *stepper)
{
  cardan__vi *s = (cardan__vi *)stepper;
  const cardan_allocator allocator = s->base.allocator;
  cardan_data_destroy(s->node);
  cardan_data_destroy(s->trial);
  cardan__resize(&allocator, s->block, 0);
  cardan__resize(&allocator, s, 0);
}

/* What of the model and the options the method goes by. */
static void read_options(cardan__vi *s)
{
  const cardan_model *m = s->base.model;
  const cardan_options *o = s->base.options;
  s->solver = (cardan__vi_solver)cardan__option_choice(s->base.method, "solver", o);
  s->guess = (cardan__vi_guess)cardan__option_choice(s->base.method, "guess", o);
  s->two_point = o->start != NULL && strcmp(o->start, "two-point") == 0;
  s->gamma = cardan__vi_composition(o->order, &s->nstage);
  // each joint's impulse is a sum over the bodies below it; 16 roundings each, which add up as a
  // walk
  s->floor = 16 * DBL_EPSILON * (1 + sqrt(m->nbody));
  s->tol = fmax(o->tol > 0 ? o->tol : default_tol, s->floor);
  s->phi_tol = 1e-12 * (1 + m->size_length);
  s->has_gravity = cardan__vec3_norm(m->gravity) > 0;
  for (int i = 0; i < m->nforce; i++) {
    const bool potential = m->force[i].flags & CARDAN_FORCE_POTENTIAL;
    s->has_potential = s->has_potential || potential;
    s->has_forces = s->has_forces || !potential;
  }
  s->works = cardan__model_works(m);
  for (int r = 0; r < m->nrow; r++) {
    s->nindependent += !m->row_redundant[r];
  }
  const bool exact = s->solver == CARDAN__VI_NEWTON || s->solver == CARDAN__VI_DENSE;
  s->nchannel = exact ? cardan__vi_channels(m) : 0;
  s->nborder = s->nindependent + s->nchannel;
  s->max_trace = MAX_TRACE;
  s->max_broyden = MAX_BROYDEN;
}

static cardan_status vi_create(const cardan_model *model, const cardan_options *options,
                               const cardan_allocator *allocator, cardan__stepper **out)
{
  cardan__vi *s = cardan__resize(allocator, NULL, sizeof *s);
  *out = NULL;
  if (s == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *s = (cardan__vi){.base = {.method = &cardan__method_vi, .model = model, .options = options}};
  s->base.allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  read_options(s);
  cardan__carver c = {0};
  carve_step(&c, s);
  carve_solver(&c, s);
  const size_t size = cardan__carver_size(&c);
  s->block = size > 0 ? cardan__resize(allocator, NULL, size) : NULL;
  cardan_status status = s->block != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK) {
    status = cardan_data_create(model, allocator, &s->node);
  }
  if (status == CARDAN_OK) {
    status = cardan_data_create(model, allocator, &s->trial);
  }
  if (status == CARDAN_OK) {
    status = cardan_forward_reserve(model, s->node);
  }
  if (status == CARDAN_OK) {
    status = cardan_forward_reserve(model, s->trial);
  }
  if (status != CARDAN_OK) {
    vi_destroy(&s->base);
    return status;
  }
  memset(s->block, 0, size);
  c = cardan__carver_over(s->block);
  carve_step(&c, s);
  carve_solver(&c, s);
  fill_lists(s);
  fill_inertias(s);
  *out = &s->base;
  return CARDAN_OK;
}

static cardan_status vi_start(cardan__stepper *stepper, cardan_data *data)
{
  cardan__vi *s = (cardan__vi *)stepper;
  s->started = false;
  s->base.iterations = 0;
  s->base.evaluations = 0;
  cardan__vi_start_node(s, data);
  // a joint without inertia shows here, not in the middle of a step
  const cardan_status status = cardan_factor(stepper->model, s->node);
  data->info = s->node->info;
  return status;
}

static cardan_status vi_step(cardan__stepper *stepper, cardan_data *data, double t_next)
{
  cardan__vi *s = (cardan__vi *)stepper;
  s->tau_in = data->tau_in;
  s->f_in = data->f_in;
  data->info = (cardan_info){.body = -1, .joint = -1, .row = -1};
  s->node->info = data->info;
  const cardan_status status = cardan__vi_step(s, data, t_next - data->t);
  if (status == CARDAN_OK) {
    s->node->t = data->t = t_next;
    memcpy(data->q, s->node->q, (size_t)stepper->model->nq * sizeof *data->q);
  }
  return status;
}

static cardan_status vi_node(cardan__stepper *stepper, cardan_data *data)
{
  return cardan__vi_velocity((cardan__vi *)stepper, data);
}

static double vi_work(const cardan__stepper *stepper)
{
  return cardan__vi_work((const cardan__vi *)stepper);
}

static const double *vi_trace(const cardan__stepper *stepper, int *n)
{
  const cardan__vi *s = (const cardan__vi *)stepper;
  *n = s->ntrace;
  return s->trace;
}

const cardan__method cardan__method_vi = {
    .name = "vi",
    .help = "variational integrator in linear time: momentum kept, energy bounded, loops exact",
    .options = {own_options, cardan__discrete_options},
    .accepts = vi_accepts,
    .create = vi_create,
    .destroy = vi_destroy,
    .start = vi_start,
    .step = vi_step,
    .node = vi_node,
    .publish = cardan__publish_node,
    .work = vi_work,
    .trace = vi_trace,
    .slopes = cardan__vi_slopes,
};
