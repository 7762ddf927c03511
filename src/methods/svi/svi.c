// SPDX-License-Identifier: Apache-2.0
#include "methods/svi/svi.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "forces/forces.h"
#include "methods/svi/tree/tree_equation.h"

/* Method svi behind the interface of methods/method.h: options and memory; discrete/ has the
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
     .help = "point of the step at which the Lagrangian is evaluated; 0.5 is of order 2"},
    {"eval", CARDAN__WORD, CARDAN__FIELD(eval), .words = evals,
     .help = "recursions in linear time, or the published derivatives of the tree"},
    {"no-cache", CARDAN__OFF, CARDAN__FIELD(cache),
     .help = "with eval tree: do not cache derivatives"},
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

/* What of the model and the options the method goes by. */
void cardan__svi_read(cardan__discrete *d)
{
  cardan__svi *s = (cardan__svi *)d;
  const cardan_model *m = d->model;
  const cardan_options *o = d->base.options;
  cardan__linear *linear = &d->linear;
  const bool newton = cardan__option_choice(d->base.method, "solver", o) == 0;
  s->alpha = o->alpha;
  // a body's momentum comes down the whole chain of joints, some 64 roundings each
  d->root.tol = fmax(o->tol > 0 ? o->tol : default_tol, 64 * DBL_EPSILON * m->nbody);
  d->root.floor = fmax(rounding_limit, d->root.tol);
  d->root.loop_floor = fmax(singular_limit, d->root.tol);
  linear->exact = d->equation->jacobian != NULL ? CARDAN__BY_MATRIX : CARDAN__BY_EQUATION;
  linear->kind = newton ? linear->exact : CARDAN__BY_MASS;
  linear->coupled =
      linear->exact == CARDAN__BY_EQUATION && (cardan__forces_couple(m) || m->has_friction);
}

void cardan__svi_layout(cardan__discrete *d, cardan__carver *c)
{
  cardan__svi *s = (cardan__svi *)d;
  double **const vectors[] = {&s->p, &s->a, &s->b, &s->work_q, &s->work_v, &s->work};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = cardan__carve(c, (size_t)d->model->nv, sizeof(double));
  }
}

cardan_status cardan__svi_make(cardan__discrete *d)
{
  cardan__svi *s = (cardan__svi *)d;
  const cardan_status status = cardan__mid_create(
      d->model, d->border.room.rows + d->border.room.equalities > 0, &d->base.allocator, &s->mid);
  if (status == CARDAN_OK) {
    s->X = s->mid.data->X;
    s->X_W = s->mid.data->X_W;
    s->V = s->mid.data->V;
  }
  return status;
}

void cardan__svi_close(cardan__discrete *d)
{
  cardan__mid_destroy(&((cardan__svi *)d)->mid, &d->base.allocator);
}

/* Quadrature at another point than the middle is of order 1. */
static int svi_order(const cardan_options *options)
{
  return options->alpha != 0.5 ? 1 : options->order;
}

static cardan_status create(const cardan_model *model, const cardan_options *options,
                            const cardan__held_room *room, const cardan_allocator *allocator,
                            cardan__stepper **out)
{
  const cardan__equation *equation =
      by_tree(options) ? &cardan__equation_svi_tree : &cardan__equation_svi;
  return cardan__discrete_create(&cardan__method_svi, equation, model, options, room, allocator,
                                 out);
}

/* An oscillator, x = omega h, by L at q = (1 - alpha) q0 + alpha q1: its turn in a step is
 *   cos(theta) = (1 - (1 - 2 a) x^2 / 2) / (1 + a x^2),   a = alpha (1 - alpha)            (A1)
 * which is no angle above x^2 = 4 / (1 - 4 a) = 4 / (1 - 2 alpha)^2. At 0.5 it always is one. With
 * alpha near 0.5 it lags behind x by as much, (a - 1/12) x^2 / 2 of it. */
static double longest(const cardan__method *method, const cardan_options *options, double turns,
                      bool *lags)
{
  const double off = fabs(1 - 2 * options->alpha);
  (void)method;
  (void)turns;
  *lags = options->order == 2 && off < 0.2;
  return off > 0 ? 2 / off : HUGE_VAL;
}

const cardan__method cardan__method_svi = {
    .name = "svi",
    .help = "midpoint variational integrator in joint coordinates, as trep has it; any alpha",
    .options = {own_options, cardan__discrete_options, cardan__substeps_options},
    .longest = longest,
    .velocity_rows = true,
    .accepts = svi_accepts,
    .create = create,
    .order = svi_order,
    CARDAN__DISCRETE_ENTRIES,
};
