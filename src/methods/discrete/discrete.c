// SPDX-License-Identifier: Apache-2.0
#include "methods/discrete/discrete.h"

#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "constraints/branch_gap.h"
#include "constraints/rows.h"
#include "dynamics/loops.h"
#include "kinematics/joint.h"
#define CARDAN__WIDTH 1 // its rules for one simulation
#include "kernels/root_policy.h"
#include "linalg/linalg.h"
#include "methods/discrete/rolling.h"
#include "model/data.h"

/* The engine's memory, and its side of methods/method.h. */

enum { MAX_TRACE = 4096, MAX_BROYDEN = 20, MAX_GMRES = 48 };

/* Most rows that a step holds beside those of the model. */
static int held_rows(const cardan__discrete *d)
{
  return d->border.room.rows + d->border.room.equalities;
}

static cardan__displacement carve_displacement(cardan__carver *c, const cardan_model *m)
{
  const size_t margin = CARDAN__DISPLACEMENT_MARGIN;
  double *dq = CARDAN__CARVE(c, (size_t)m->nv + 2 * margin, double);
  return (cardan__displacement){.dq = dq == NULL ? NULL : dq + margin,
                                .joint = CARDAN__CARVE(c, m->nmulti, cardan__screw)};
}

static void carve_root(cardan__carver *c, cardan__discrete *d)
{
  const cardan_model *m = d->model;
  cardan__linear *linear = &d->linear;
  d->x = carve_displacement(c, m);
  d->root.kept = carve_displacement(c, m);
  double **const vectors[] = {&d->r,        &d->root.scale,  &d->root.inv_scale, &d->root.step,
                              &d->momentum, &d->no_friction, &linear->column,    &linear->rhs};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARDAN__CARVE(c, m->nv, double);
  }
  d->q_end = CARDAN__CARVE(c, m->nq, double);
  d->extent = CARDAN__CARVE(c, m->nbody, cardan__extent);
  d->size = CARDAN__CARVE(c, m->nbody, cardan__size);
  d->walk = CARDAN__CARVE(c, m->nbody, cardan_vec3);
  d->wrench = CARDAN__CARVE(c, m->nbody, cardan_force);
  d->prescribed = CARDAN__CARVE(c, m->nprescribed, double);
  d->root.turns = CARDAN__CARVE(c, m->nv, bool);
  d->root.trace = CARDAN__CARVE(c, d->root.max_trace, double);
  if (linear->exact == CARDAN__BY_MATRIX) {
    linear->jacobian = CARDAN__CARVE(c, (size_t)m->nv * (size_t)m->nv, double);
    linear->pivot = CARDAN__CARVE(c, m->nv, int);
  }
  if (linear->max_broyden > 0) {
    linear->broyden = CARDAN__CARVE(
        c, (size_t)(linear->max_broyden + 1) * (size_t)(m->nv + d->border.nloop + held_rows(d)),
        double);
  }
  linear->gmres =
      CARDAN__CARVE(c, linear->coupled ? cardan__gmres_work(m->nv, linear->max_gmres) : 0, double);
}

static void carve_border(cardan__carver *c, cardan__discrete *d)
{
  const cardan_model *m = d->model;
  cardan__border *b = &d->border;
  const size_t nv = (size_t)m->nv, hold = (size_t)b->room.rows;
  const size_t equal = (size_t)b->room.equalities, two_sided = (size_t)b->nloop + equal;
  const size_t n = two_sided + hold, at_most = (size_t)m->nrow + equal + hold;
  const size_t drivers = (size_t)m->nprescribed + n;
  b->row = CARDAN__CARVE(c, n, int);
  if (b->P != NULL) {
    cardan__border_sparse_layout(d, c);
  } else {
    b->Gk = CARDAN__CARVE(c, at_most * nv, double);
    b->Gn = CARDAN__CARVE(c, at_most * nv, double);
    b->Y = CARDAN__CARVE(c, nv * two_sided, double);
    b->S = CARDAN__CARVE(c, two_sided * two_sided, double);
    b->pivot = CARDAN__CARVE(c, two_sided, int);
    b->Yc = CARDAN__CARVE(c, hold * nv, double);
    b->of = CARDAN__CARVE(c, hold, int);
    b->first = CARDAN__CARVE(c, hold + 1, int);
    b->together = CARDAN__CARVE(c, hold > 0 ? nv * CARDAN__TOGETHER : 0, double);
    b->columns.u = CARDAN__CARVE(c, hold > 0 ? nv : 0, cardan__column);
    b->columns.Z = CARDAN__CARVE(c, hold > 0 ? m->nbody : 0, cardan__columns);
    cardan__semidefinite_carve(&b->choice, m->nrow, c);
    b->held = CARDAN__CARVE(c, b->room.dry > 0 ? nv : 0, bool);
    b->armature = CARDAN__CARVE(c, b->room.dry > 0 ? nv : 0, double);
    b->ahead = CARDAN__CARVE(c, nv, double);
    b->q = CARDAN__CARVE(c, m->nq, double);
  }
  b->lambda = CARDAN__CARVE(c, n, double);
  b->lambda_kept = CARDAN__CARVE(c, n, double);
  b->lambda_start = CARDAN__CARVE(c, n, double);
  b->sigma = CARDAN__CARVE(c, n, double);
  b->phi = CARDAN__CARVE(c, at_most, double);
  b->SCL = CARDAN__CARVE(c, hold * two_sided, double);
  b->SLC = CARDAN__CARVE(c, hold * two_sided, double);
  b->Gx = CARDAN__CARVE(c, hold * hold, double);
  b->rho = CARDAN__CARVE(c, hold, double);
  b->bx = CARDAN__CARVE(c, hold, double);
  b->ux = CARDAN__CARVE(c, hold, double);
  b->free = CARDAN__CARVE(c, hold, double);
  b->ncp = CARDAN__CARVE(c, hold > 0 ? cardan__ncp_work((int)hold, (int)hold) : 0, double);
  b->incp = CARDAN__CARVE(c, hold > 0 ? cardan__ncp_iwork((int)hold, (int)hold) : 0, int);
  d->ledger.rate = CARDAN__CARVE(c, drivers, double);
}

static void carve_branch(cardan__carver *c, cardan__discrete *d)
{
  const cardan_model *m = d->model;
  cardan__branch *b = &d->branch;
  b->at = carve_displacement(c, m);
  double **const vectors[] = {&b->guess, &b->x0, &b->r0, &b->y, &b->unit};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARDAN__CARVE(c, m->nv, double);
  }
  b->phi0 = CARDAN__CARVE(c, m->nrow + held_rows(d), double);
  b->lambda = CARDAN__CARVE(c, d->border.nloop + held_rows(d), double);
  b->sigma = CARDAN__CARVE(c, d->border.nloop + held_rows(d), double);
}

static void carve(void *what, cardan__carver *c)
{
  cardan__discrete *d = what;
  const size_t nv = (size_t)d->model->nv;
  carve_root(c, d);
  carve_border(c, d);
  carve_branch(c, d);
  for (int i = 0; i < d->stages.n; i++) {
    d->stages.history[i].n = d->model->nv;
    d->stages.history[i].D = CARDAN__CARVE(c, CARDAN__EXTRAPOLATE_ORDERS * nv, double);
  }
  if (held_rows(d) > 0) {
    d->stages.shelf.D = CARDAN__CARVE(c, CARDAN__EXTRAPOLATE_ORDERS * nv, double);
    d->stages.shelf_lambda = CARDAN__CARVE(c, d->border.nloop, double);
    d->stages.dq = CARDAN__CARVE(c, nv, double);
  }
  d->equation->layout(d, c);
  d->stages.kept = CARDAN__CARVE(
      c,
      d->stages.n > 1 ? cardan__compose_size(d) + cardan__rolling_state(d->model, d->stages.n) : 0,
      char);
}

/* Rows that count, and velocities that turn. */
static void fill_lists(cardan__discrete *d)
{
  const cardan_model *m = d->model;
  for (int r = 0, n = 0; r < m->nrow; r++) {
    if (d->border.P != NULL || !m->row_redundant[r]) {
      d->border.row[n++] = r;
    }
  }
  d->branch.close_by = d->branch.close_by > 0 ? d->branch.close_by : CARDAN__CLOSE_BY;
  for (int k = 0; k < m->nv; k++) {
    const cardan_body *b = &m->body[m->v_body[k]];
    const cardan_vec3 w = cardan__joint_axis(b, k - b->vadr).w;
    d->root.turns[k] = cardan__vec3_dot(w, w) > 0;
    d->branch.unit[k] = d->root.turns[k] || m->size_length <= 0 ? 1 : 1 / m->size_length;
  }
}

/* ---- options ---- */

// in the order of cardan__guess
static const char *const guesses[] = {"extrapolate", "current", "euler", "dynamics", "zero", NULL};
static const char *const starts[] = {"state", "two-point", NULL};
static const char *const orders[] = {"2", "4", "6", NULL};
static const char *const impacts[] = {"auto", "located", "step", NULL};

const cardan__option cardan__discrete_options[] = {
    {"order", CARDAN__COUNT, CARDAN__FIELD(order), .words = orders, .initial = 2,
     .help = "order of the step; 4 and 6 are compositions of five and nine steps of order 2"},
    {"guess", CARDAN__WORD, CARDAN__FIELD(guess), .words = guesses,
     .help = "initial guess of the root finder"},
    {"start", CARDAN__WORD, CARDAN__FIELD(start), .words = starts,
     .help = "start from coordinates and velocities, or from q0 and q0 moved by dt v0"},
    {"impacts", CARDAN__WORD, CARDAN__FIELD(impacts), .words = impacts,
     .help = "located: act when a gap closes; step: at the end of the step in which it does; auto: "
             "step if a step has many"},
    {"tol", CARDAN__NUMBER, CARDAN__FIELD(tol), .high = 1, .unset = "1e-12",
     .help = "residual of every joint, relative to the momenta in play"},
    {"max-iter", CARDAN__COUNT, CARDAN__FIELD(max_iter), .low = 1, .high = INT_MAX, .initial = 100,
     .help = "largest number of evaluations of the residual in a search for a root"},
    CARDAN__OPTION_REGULARISE,
    {.name = NULL}};

static bool is_two_point(const cardan_options *options)
{
  return options->start != NULL && strcmp(options->start, "two-point") == 0;
}

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

cardan_status cardan__discrete_accepts(const cardan_model *model, const cardan_options *options,
                                       cardan_report *report)
{
  const cardan_force_element *force = velocity_force(model);
  const int order = options->order;
  if (cardan__check_velocity_rows(model, report) != CARDAN_OK) {
    return CARDAN_ERR_UNSUPPORTED;
  }
  if (order > 2 && force != NULL) {
    return cardan_fail(
        report, CARDAN_ERR_UNSUPPORTED, force->pos,
        "order %d goes backwards in time for part of each step, where a force that depends "
        "on velocity would put energy in; take order 2, or another method",
        order);
  }
  if (options->adapt > 0 && (order > 2 || is_two_point(options))) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                       "option adapt is for order 2 and a start from a state: stages of a higher "
                       "order go backwards in time, and a given first step has no parts");
  }
  if (order > 2 && is_two_point(options)) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                       "a start from two configurations is for order 2");
  }
  return CARDAN_OK;
}

/* ---- the method ---- */

static void read_options(cardan__discrete *d)
{
  const cardan_options *o = d->base.options;
  d->guess = (cardan__guess)cardan__option_choice(d->base.method, "guess", o);
  d->two_point = is_two_point(o);
  d->stages.gamma = cardan__composition(o->order, &d->stages.n);
  d->linear.max_broyden = o->solver != NULL && strcmp(o->solver, "broyden") == 0 ? MAX_BROYDEN : 0;
}

/* Everything that the engine and the equation need; what there is of it when that fails is in d. */
static cardan_status open_parts(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  const cardan_allocator *allocator = &d->base.allocator;
  d->works = cardan__model_works(model);
  d->border.phi_tol = 1e-12 * (1 + model->size_length);
  d->border.solver = &cardan__border_dense;
  cardan_status status = cardan__border_sparse_open(d);
  for (int r = 0; r < model->nrow; r++) {
    d->border.nloop += d->border.P != NULL || !model->row_redundant[r];
  }
  d->border.n = d->border.nequal = d->border.nloop;
  d->root.max_trace = MAX_TRACE;
  d->linear.max_gmres = model->nv + 1 < MAX_GMRES ? model->nv + 1 : MAX_GMRES;
  if (status == CARDAN_OK) {
    status = cardan__branch_gap_create(model, allocator, &d->branch_jump.gap);
  }
  if (status == CARDAN_OK) {
    status = cardan_data_create(model, allocator, &d->node);
  }
  if (status == CARDAN_OK) {
    status = cardan_data_create(model, allocator, &d->trial);
  }
  if (status == CARDAN_OK) {
    status = cardan_forward_reserve(model, d->node);
  }
  if (status == CARDAN_OK) {
    status = cardan_forward_reserve(model, d->trial);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  d->block = cardan__carve_block(allocator, carve, d);
  if (d->block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  fill_lists(d);
  if (d->border.P != NULL) {
    cardan__border_sparse_make(d);
  }
  cardan__sizes_measure(d);
  status = d->equation->make != NULL ? d->equation->make(d) : CARDAN_OK;
  if (status == CARDAN_OK && model->nvelocity_row > 0) {
    const size_t state = cardan__compose_size(d);
    status = cardan__rolling_create(model, d->stages.n, state, d->border.room.rows, allocator,
                                    &d->rolling);
  }
  return status;
}

void cardan__discrete_friction(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  d->dry_held = d->border.room.dry > 0;
  d->friction_acts = false;
  for (int i = 0; i < model->nforce && model->has_friction; i++) {
    const cardan_force_element *e = &model->force[i];
    const bool held = d->dry_held && e->kind == CARDAN_ELEMENT_DRY_FRICTION;
    d->friction_acts =
        d->friction_acts || ((e->flags & CARDAN_FORCE_FRICTION) && e->value[0] > 0 && !held);
  }
}

cardan_status cardan__discrete_create(const cardan__method *method,
                                      const cardan__equation *equation, const cardan_model *model,
                                      const cardan_options *options, const cardan__held_room *room,
                                      const cardan_allocator *allocator, cardan__stepper **out)
{
  cardan__discrete *d = cardan__resize(allocator, NULL, equation->size);
  *out = NULL;
  if (d == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memset(d, 0, equation->size);
  d->base = (cardan__stepper){.method = method, .model = model, .options = options};
  d->base.holds = d->base.tests = true;
  d->base.allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  d->model = model;
  d->equation = equation;
  d->border.room = room != NULL ? *room : (cardan__held_room){0};
  cardan__discrete_friction(d);
  read_options(d);
  equation->read(d);
  const cardan_status status = open_parts(d);
  if (status != CARDAN_OK) {
    cardan__discrete_destroy(&d->base);
    return status;
  }
  *out = &d->base;
  return CARDAN_OK;
}

void cardan__discrete_destroy(cardan__stepper *stepper)
{
  cardan__discrete *d = (cardan__discrete *)stepper;
  const cardan_allocator allocator = stepper->allocator;
  if (d->equation->close != NULL) {
    d->equation->close(d);
  }
  cardan__rolling_destroy(d->rolling, &allocator);
  cardan__border_sparse_close(d);
  cardan__branch_gap_destroy(d->branch_jump.gap);
  cardan_data_destroy(d->node);
  cardan_data_destroy(d->trial);
  cardan__resize(&allocator, d->block, 0);
  cardan__resize(&allocator, d, 0);
}

cardan_status cardan__discrete_start(cardan__stepper *stepper, cardan_data *data)
{
  stepper->iterations = 0;
  stepper->evaluations = 0;
  return cardan__start_node((cardan__discrete *)stepper, data);
}

void cardan__discrete_inputs(cardan__discrete *d, cardan_data *data)
{
  d->tau_in = data->tau_in;
  d->f_in = data->f_in;
  // most callers do not push, and then nothing is read twice
  d->has_inputs = cardan__inputs_push(d->model, d->tau_in, d->f_in);
  cardan__data_caller(d->model, data, d->node);
  cardan__data_caller(d->model, data, d->trial);
  d->base.iterations = 0;
  cardan__info_clear(&data->info);
  cardan__info_clear(&d->trial->info);
  cardan__info_clear(&d->node->info);
}

cardan__attempt cardan__discrete_step(cardan__stepper *stepper, cardan_data *data, double t_next)
{
  cardan__discrete *d = (cardan__discrete *)stepper;
  cardan__discrete_inputs(d, data);
  d->root.ntrace = 0;
  // an input that is NaN or infinite: where a joint takes it up nothing else would show it
  const bool finite = !d->has_inputs || cardan__inputs_finite(d->model, d->tau_in, d->f_in);
  const cardan__attempt attempt =
      finite ? cardan__compose_step(d, t_next) : cardan__attempt_of(CARDAN_ERR_NOT_FINITE);
  if (cardan__attempt_accepted(attempt)) {
    data->t = t_next;
    memcpy(data->q, d->node->q, (size_t)d->model->nq * sizeof *data->q);
  } else {
    data->info = d->node->info;
  }
  return attempt;
}

void cardan__discrete_spans(cardan__stepper *stepper, cardan__spans *list)
{
  cardan__discrete *d = (cardan__discrete *)stepper;
  const size_t nv = (size_t)d->model->nv;
  cardan__compose_state(d, list);
  cardan__spans_add(list, d->node->v, nv, sizeof *d->node->v);
  cardan__loops_spans(d->model, d->node, list);
  cardan__loops_spans(d->model, d->trial, list);
  if (d->model->nturning > 0) { // that the node's forces were evaluated with
    cardan__spans_add(list, d->node->half_turn, (size_t)d->model->nturning,
                      sizeof *d->node->half_turn);
  }
  cardan__spans_flag(list, &d->started);
  if (d->border.P == NULL) {
    const size_t nrow = (size_t)d->model->nrow;
    cardan__spans_add(list, d->border.choice.size, nrow, sizeof *d->border.choice.size);
    CARDAN__SPANS_ONE(list, d->border.rank.ratio);
    CARDAN__SPANS_ONE(list, d->border.rank.chosen);
  }
  cardan__spans_flag(list, &d->root.factored);
  if (d->border.room.dry > 0) {
    CARDAN__SPANS_ONE(list, d->border.sides_factored);
  }
  CARDAN__SPANS_ONE(list, d->root.h);
  cardan__spans_ints(list, &d->root.age, 1, 0, INT_MAX / 2);
  cardan__spans_ints(list, &d->root.wait, 1, 0, INT_MAX / 2);
  cardan__spans_ints(list, &d->root.patience, 1, 0, INT_MAX / 4);
  CARDAN__SPANS_ONE(list, d->root.gain);
  cardan__spans_add(list, d->root.inv_scale, nv, sizeof *d->root.inv_scale);
  cardan__spans_ints(list, &d->root.scale_age, 1, -1, INT_MAX / 2);
  CARDAN__SPANS_ONE(list, d->root.scale_h);
  if (d->equation->factors != NULL) {
    d->equation->factors(d, list);
  }
}

/* Rows, and what the equation wants at the node, follow from its configuration. */
void cardan__discrete_rejoin(cardan__stepper *stepper, cardan_data *data, bool restored)
{
  cardan__discrete *d = (cardan__discrete *)stepper;
  (void)data;
  if (restored) {
    cardan__node_enter(d);
    cardan__border_enter(d);
    d->root.ntrace = 0;
    if (d->rolling != NULL) {
      d->rolling->fresh = false;
    }
  }
}

const double *cardan__discrete_trace(const cardan__stepper *stepper, int *n)
{
  const cardan__discrete *d = (const cardan__discrete *)stepper;
  *n = d->root.ntrace;
  return d->root.trace;
}
