// SPDX-License-Identifier: Apache-2.0
#include "steppers/svi/svi.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "forces/forces.h"
#include "linalg/linalg.h"
#include "steppers/discrete.h"

/* Method svi behind the interface of steppers/method.h: options, memory, start, step, publish. */

enum { MAX_TRACE = 4096, MAX_BROYDEN = 20, MAX_GMRES = 48 };

/* Default tolerance of a residual, relative to the momenta and impulses in play: far below what the
 * energy can show (1e-8), and above what rounding leaves in trees of any size. */
static const double default_tol = 1e-12;

/* A residual that an exact Newton step does not lower any more is accepted below this: in long
 * chains twists are differences of larger ones, and their rounding shows. */
static const double rounding_limit = 1e-10;

static const double largest_cache = 4e9; // bytes that eval tree may ask for

// in the order of cardan__svi_solver
static const char *const solvers[] = {"newton", "broyden", "riqn", NULL};
static const char *const evals[] = {"recursive", "tree", NULL};

static const cardan__option own_options[] = {
    {"solver", CARDAN__WORD, CARDAN__FIELD(solver), .words = solvers,
     .help = "direction of the root finder; newton is exact"},
    {"alpha", CARDAN__NUMBER, CARDAN__FIELD(alpha), .high = 1, .initial = 0.5,
     .help = "where in a step the Lagrangian is looked at; 0.5 is of order 2"},
    {"eval", CARDAN__WORD, CARDAN__FIELD(eval), .words = evals,
     .help = "recursions in linear time, or the published derivatives of the tree"},
    {"no-cache", CARDAN__OFF, CARDAN__FIELD(cache), .help = "with eval tree: keep no derivatives"},
    {NULL}};

static bool by_tree(const cardan_options *options)
{
  return options->eval != NULL && strcmp(options->eval, "tree") == 0;
}

static cardan_status svi_accepts(const cardan_model *model, const cardan_options *options,
                                 cardan_report *report)
{
  const cardan_pos none = {0, 0};
  if (model->nmulti > 0) {
    int i = 1;
    while (model->body[i].nv == 1) {
      i++;
    }
    const cardan_joint *joint = &model->joint[model->body[i].joint];
    return cardan_fail(
        report, CARDAN_ERR_UNSUPPORTED, joint->pos,
        "method svi has no coordinates for the quaternion of joint \"%.60s\": write it as "
        "transforms, (rx \"..\" ry \"..\" rz \"..\"), or take method vi",
        joint->name);
  }
  const double bytes = by_tree(options) && options->cache ? cardan__tree_bytes(model) : 0;
  if (bytes > largest_cache) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, none,
                       "the tree's derivatives would fill %.3g GB; take option eval recursive",
                       1e-9 * bytes);
  }
  return CARDAN_OK;
}

#define CARVE(c, count, type) (type *)cardan__carve(c, (size_t)(count), sizeof(type))

static void carve(cardan__carver *c, cardan__svi *s)
{
  const cardan_model *m = s->base.model;
  const size_t nv = (size_t)m->nv, k = (size_t)s->nindependent, n = nv + k;
  const size_t drivers = (size_t)m->nprescribed + k;
  double **const vectors[] = {&s->p,    &s->d,      &s->d_kept, &s->a,
                              &s->b,    &s->r,      &s->scale,  &s->inv_scale,
                              &s->step, &s->work_v, &s->work_w, &s->slope_a};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARVE(c, nv, double);
  }
  s->rhs = CARVE(c, n, double);
  s->row = CARVE(c, k, int);
  s->Gk = CARVE(c, (size_t)m->nrow * nv, double);
  s->Gn = CARVE(c, (size_t)m->nrow * nv, double);
  s->lambda = CARVE(c, k, double);
  s->lambda_kept = CARVE(c, k, double);
  s->sigma = CARVE(c, k, double);
  s->phi = CARVE(c, m->nrow, double);
  s->pivot = CARVE(c, n, int);
  if (by_tree(s->base.options)) {
    s->K = CARVE(c, n * n, double);
    s->L_qq = CARVE(c, nv * nv, double);
    s->L_qv = CARVE(c, nv * nv, double);
    s->L_vv = CARVE(c, nv * nv, double);
  } else {
    s->Y = CARVE(c, k * nv, double);
    s->S = CARVE(c, k * k, double);
  }
  s->broyden =
      CARVE(c, s->solver == CARDAN__SVI_BROYDEN ? (size_t)(s->max_broyden + 1) * n : 0, double);
  s->gmres = CARVE(c, s->couples ? cardan__gmres_work(m->nv, s->max_gmres) : 0, double);
  s->history.D = CARVE(c, CARDAN__EXTRAPOLATE_ORDERS * nv, double);
  s->rate = CARVE(c, drivers, double);
  s->drive = CARVE(c, drivers, double);
  s->drive_before = CARVE(c, drivers, double);
  s->trace = CARVE(c, s->max_trace, double);
}

static void svi_destroy(cardan__stepper *stepper)
{
  cardan__svi *s = (cardan__svi *)stepper;
  const cardan_allocator allocator = s->base.allocator;
  cardan__mid_destroy(&s->mid, &allocator);
  cardan__tree_destroy(s->tree);
  cardan_data_destroy(s->node);
  cardan_data_destroy(s->trial);
  cardan__resize(&allocator, s->block, 0);
  cardan__resize(&allocator, s, 0);
}

/* What of the model and the options the method goes by. */
static void read_options(cardan__svi *s)
{
  const cardan_model *m = s->base.model;
  const cardan_options *o = s->base.options;
  s->solver = (cardan__svi_solver)cardan__option_choice(s->base.method, "solver", o);
  s->guess = (cardan__svi_guess)cardan__option_choice(s->base.method, "guess", o);
  s->two_point = o->start != NULL && strcmp(o->start, "two-point") == 0;
  s->alpha = o->alpha;
  // a body's momentum comes down the whole chain of joints, some 64 roundings each
  s->tol = fmax(o->tol > 0 ? o->tol : default_tol, 64 * DBL_EPSILON * m->nbody);
  s->floor = fmax(rounding_limit, s->tol);
  s->phi_tol = 1e-12 * (1 + m->size_length);
  s->works = cardan__model_works(m);
  s->couples = !by_tree(o) && (cardan__forces_couple(m) || m->has_friction);
  for (int r = 0; r < m->nrow; r++) {
    s->nindependent += !m->row_redundant[r];
  }
  s->history.n = m->nv;
  s->max_trace = MAX_TRACE;
  s->max_broyden = MAX_BROYDEN;
  s->max_gmres = m->nv + 1 < MAX_GMRES ? m->nv + 1 : MAX_GMRES;
}

static cardan_status make_parts(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  const cardan_allocator *allocator = &s->base.allocator;
  cardan__carver c = {0};
  carve(&c, s);
  const size_t size = cardan__carver_size(&c);
  s->block = size > 0 ? cardan__resize(allocator, NULL, size) : NULL;
  if (s->block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memset(s->block, 0, size);
  c = cardan__carver_over(s->block);
  carve(&c, s);
  cardan_status status = cardan_data_create(model, allocator, &s->node);
  if (status == CARDAN_OK) {
    status = cardan_data_create(model, allocator, &s->trial);
  }
  if (status == CARDAN_OK) {
    status = cardan_forward_reserve(model, s->node);
  }
  if (status == CARDAN_OK) {
    status = cardan_forward_reserve(model, s->trial);
  }
  if (status == CARDAN_OK) {
    status = cardan__mid_create(model, allocator, &s->mid);
  }
  if (status == CARDAN_OK && by_tree(s->base.options)) {
    status = cardan__tree_create(model, allocator, s->base.options->cache, &s->tree);
  }
  return status;
}

static cardan_status svi_create(const cardan_model *model, const cardan_options *options,
                                const cardan_allocator *allocator, cardan__stepper **out)
{
  cardan__svi *s = cardan__resize(allocator, NULL, sizeof *s);
  *out = NULL;
  if (s == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *s = (cardan__svi){.base = {.method = &cardan__method_svi, .model = model, .options = options}};
  s->base.allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  read_options(s);
  const cardan_status status = make_parts(s);
  if (status != CARDAN_OK) {
    svi_destroy(&s->base);
    return status;
  }
  for (int r = 0, n = 0; r < model->nrow; r++) {
    if (!model->row_redundant[r]) {
      s->row[n++] = r;
    }
  }
  *out = &s->base;
  return CARDAN_OK;
}

static cardan_status svi_start(cardan__stepper *stepper, cardan_data *data)
{
  cardan__svi *s = (cardan__svi *)stepper;
  s->started = false;
  s->base.iterations = 0;
  s->base.evaluations = 0;
  return cardan__svi_start_node(s, data);
}

/* The caller's inputs go to the middle of the step. */
void cardan__svi_take_inputs(cardan__svi *s, const cardan_data *data)
{
  const cardan_model *model = s->base.model;
  bool any = false;
  for (int k = 0; k < model->nv; k++) {
    any = any || data->tau_in[k] != 0;
    s->mid.data->tau_in[k] = data->tau_in[k];
  }
  for (int i = 0; i < model->nbody; i++) {
    const cardan_force *f = &data->f_in[i];
    any = any || f->t.x != 0 || f->t.y != 0 || f->t.z != 0 || f->f.x != 0 || f->f.y != 0 ||
          f->f.z != 0;
    s->mid.data->f_in[i] = *f;
  }
  s->mid.inputs = any;
}

static cardan_status svi_step(cardan__stepper *stepper, cardan_data *data, double t_next)
{
  cardan__svi *s = (cardan__svi *)stepper;
  cardan_status status = CARDAN_OK;
  cardan__svi_take_inputs(s, data);
  s->h = t_next - data->t;
  s->t = data->t;
  s->ntrace = 0;
  s->base.iterations = 0;
  data->info = s->node->info = s->mid.data->info =
      (cardan_info){.body = -1, .joint = -1, .row = -1};
  if (s->two_point && !s->started) {
    status = cardan__svi_given_step(s, data);
  } else {
    status = cardan__svi_make_guess(s);
    if (status == CARDAN_OK) {
      status = cardan__svi_find_root(s, data);
    } else {
      data->info = s->node->info;
    }
  }
  if (status == CARDAN_OK) {
    cardan__svi_accept(s);
    s->started = true;
    s->node->t = data->t = t_next;
    memcpy(data->q, s->node->q, (size_t)stepper->model->nq * sizeof *data->q);
  }
  return status;
}

static cardan_status svi_node(cardan__stepper *stepper, cardan_data *data)
{
  return cardan__svi_velocity((cardan__svi *)stepper, data);
}

static double svi_work(const cardan__stepper *stepper)
{
  return cardan__svi_work((const cardan__svi *)stepper);
}

static const double *svi_trace(const cardan__stepper *stepper, int *n)
{
  const cardan__svi *s = (const cardan__svi *)stepper;
  *n = s->ntrace;
  return s->trace;
}

const cardan__method cardan__method_svi = {
    .name = "svi",
    .help = "midpoint variational integrator in joint coordinates, as trep has it; any alpha",
    .options = {own_options, cardan__discrete_options},
    .accepts = svi_accepts,
    .create = svi_create,
    .destroy = svi_destroy,
    .start = svi_start,
    .step = svi_step,
    .node = svi_node,
    .publish = cardan__publish_node,
    .work = svi_work,
    .trace = svi_trace,
    .slopes = cardan__svi_slopes,
};
