// SPDX-License-Identifier: Apache-2.0
#include "steppers/svi/svi.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "forces/forces.h"
#include "steppers/svi/tree/equation.h"

/* Method svi behind the interface of steppers/method.h: options and memory; discrete/ has the
 * rest. */

/* Default tolerance of a residual, relative to the momenta and impulses in play: far below what the
 * energy can show (1e-8), and above what rounding leaves in trees of any size. */
static const double default_tol = 1e-12;

/* A residual that an exact Newton step does not lower any more is accepted below these: in long
 * chains twists are differences of larger ones, and their rounding shows; near singular positions
 * of loops impulses are. */
static const double rounding_limit = 1e-10, singular_limit = 1e-8;

static const double largest_cache = 4e9; // bytes that eval tree may ask for

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
    {.name = NULL}};

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
  if (options->order > 2 && options->alpha != 0.5) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, none,
                       "order %d is made of steps that are symmetric, which they are for alpha 0.5 "
                       "only; alpha is %g",
                       options->order, options->alpha);
  }
  return cardan__discrete_accepts(model, options, report);
}

static void carve(cardan__carver *c, cardan__svi *s)
{
  double **const vectors[] = {&s->p, &s->a, &s->b, &s->work_q, &s->work_v, &s->work};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = cardan__carve(c, (size_t)s->base.model->nv, sizeof(double));
  }
}

static void carve_tree(cardan__carver *c, cardan__svi_tree *s)
{
  const size_t nv = (size_t)s->base.base.model->nv;
  s->L_qv = cardan__carve(c, nv * nv, sizeof(double));
  s->L_vv = cardan__carve(c, nv * nv, sizeof(double));
}

static void svi_destroy(cardan__stepper *stepper)
{
  cardan__svi *s = (cardan__svi *)stepper;
  const cardan_allocator allocator = stepper->allocator;
  if (by_tree(stepper->options)) {
    cardan__tree_destroy(((cardan__svi_tree *)s)->tree);
  }
  cardan__mid_destroy(&s->mid, &allocator);
  cardan__resize(&allocator, s->block, 0);
  cardan__discrete_close(&s->base);
  cardan__resize(&allocator, s, 0);
}

/* What of the model and the options the method goes by. */
static void read_options(cardan__svi *s)
{
  const cardan_model *m = s->base.model;
  const cardan_options *o = s->base.base.options;
  cardan__linear *linear = &s->base.linear;
  const bool newton = cardan__option_choice(s->base.base.method, "solver", o) == 0;
  cardan__discrete_read(&s->base);
  s->base.equation = by_tree(o) ? &cardan__equation_svi_tree : &cardan__equation_svi;
  s->alpha = s->base.ledger.after = o->alpha;
  // a body's momentum comes down the whole chain of joints, some 64 roundings each
  s->base.root.tol = fmax(o->tol > 0 ? o->tol : default_tol, 64 * DBL_EPSILON * m->nbody);
  s->base.root.floor = fmax(rounding_limit, s->base.root.tol);
  s->base.root.loop_floor = fmax(singular_limit, s->base.root.tol);
  linear->kind = !newton ? CARDAN__BY_MASS : by_tree(o) ? CARDAN__BY_MATRIX : CARDAN__BY_EQUATION;
  linear->coupled =
      linear->kind == CARDAN__BY_EQUATION && (cardan__forces_couple(m) || m->has_friction);
}

static cardan_status make_parts(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  const cardan_allocator *allocator = &s->base.base.allocator;
  const bool tree = by_tree(s->base.base.options);
  cardan__carver c = {0};
  for (int pass = 0; pass < 2; pass++) {
    carve(&c, s);
    if (tree) {
      carve_tree(&c, (cardan__svi_tree *)s);
    }
    if (pass == 0) {
      s->block = cardan__resize(allocator, NULL, cardan__carver_size(&c));
      if (s->block == NULL) {
        return CARDAN_ERR_MEMORY;
      }
      memset(s->block, 0, cardan__carver_size(&c));
      c = cardan__carver_over(s->block);
    }
  }
  cardan_status status = cardan__mid_create(model, allocator, &s->mid);
  if (status != CARDAN_OK) {
    return status;
  }
  s->X = s->mid.data->X;
  s->X_W = s->mid.data->X_W;
  s->V = s->mid.data->V;
  if (tree) {
    cardan__tree **out = &((cardan__svi_tree *)s)->tree;
    status = cardan__tree_create(model, allocator, s->base.base.options->cache, out);
    s->X = status == CARDAN_OK ? (*out)->X : NULL;
    s->X_W = status == CARDAN_OK ? (*out)->g : NULL;
    s->V = status == CARDAN_OK ? (*out)->V : NULL;
  }
  return status;
}

static cardan_status svi_create(const cardan_model *model, const cardan_options *options,
                                const cardan_allocator *allocator, cardan__stepper **out)
{
  const size_t size = by_tree(options) ? sizeof(cardan__svi_tree) : sizeof(cardan__svi);
  cardan__svi *s = cardan__resize(allocator, NULL, size);
  *out = NULL;
  if (s == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memset(s, 0, size);
  s->base.model = model;
  s->base.base =
      (cardan__stepper){.method = &cardan__method_svi, .model = model, .options = options};
  s->base.base.allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  read_options(s);
  cardan_status status = cardan__discrete_open(&s->base);
  if (status == CARDAN_OK) {
    status = make_parts(s);
  }
  if (status != CARDAN_OK) {
    svi_destroy(&s->base.base);
    return status;
  }
  *out = &s->base.base;
  return CARDAN_OK;
}

const cardan__method cardan__method_svi = {
    .name = "svi",
    .help = "midpoint variational integrator in joint coordinates, as trep has it; any alpha",
    .options = {own_options, cardan__discrete_options},
    .accepts = svi_accepts,
    .create = svi_create,
    .destroy = svi_destroy,
    .start = cardan__discrete_start,
    .step = cardan__discrete_step,
    .node = cardan__discrete_velocity,
    .publish = cardan__discrete_publish,
    .work = cardan__discrete_work,
    .spans = cardan__discrete_spans,
    .rejoin = cardan__discrete_rejoin,
    .trace = cardan__discrete_trace,
    .slopes = cardan__discrete_slopes,
};
