// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "kinematics/joint.h"
#define CARDAN__WIDTH 1 // its rules for one simulation
#include "kernels/root_policy.h"
#include "linalg/linalg.h"
#include "methods/vi/vi.h"

/* Method vi behind the interface of methods/method.h: options and memory; discrete/ has the
 * rest. */

static const char *const solvers[] = {"newton", "riqn", "newton-dense", "broyden", NULL};

static const char *const kinetics[] = {"swing", "se3", NULL};
static const char *const potentials[] = {"middle", "nodes", NULL};

static const cardan__option own_options[] = {
    {"solver", CARDAN__WORD, CARDAN__FIELD(solver), .words = solvers,
     .help = "direction of the root finder; newton is exact, in linear time"},
    {"kinetic", CARDAN__WORD, CARDAN__FIELD(kinetic), .words = kinetics,
     .help = "kinetic energy over a step; swing: exact in free flight and about a hinge, se3: as "
             "published"},
    {"potentials", CARDAN__WORD, CARDAN__FIELD(potentials), .words = potentials,
     .help = "where springs and other potentials act: the middle of the step, stable when stiff; "
             "nodes: as published"},
    {.name = NULL}};

/* Stiff elements swing within a step, and a guess misses by their swing, which Newton's direction
 * takes out at once: the root is not looked at again where it is that near [rad, or sizes of the
 * mechanism]. Roots of another motion are of the order of 1 away. */
static const double swing_of_springs = 0.05;

static bool swings(const cardan_force_element *e)
{
  const bool servo = e->kind == CARDAN_ELEMENT_ACTUATOR && (e->value[1] != 0 || e->value[2] != 0);
  return servo || (e->flags & CARDAN_FORCE_POTENTIAL);
}

/* What of the model and the options the method goes by. */
void cardan__vi_read(cardan__discrete *d)
{
  cardan__vi *s = (cardan__vi *)d;
  // in the order of solvers
  static const cardan__linear_kind kinds[] = {CARDAN__BY_EQUATION, CARDAN__BY_MASS,
                                              CARDAN__BY_MATRIX, CARDAN__BY_MASS};
  const cardan_model *m = d->model;
  const cardan_options *o = d->base.options;
  const bool at_nodes = cardan__option_choice(d->base.method, "potentials", o) == 1;
  cardan__root *root = &d->root;
  d->linear.kind = kinds[cardan__option_choice(d->base.method, "solver", o)];
  d->linear.exact = d->linear.kind == CARDAN__BY_MASS ? CARDAN__BY_EQUATION : d->linear.kind;
  root->floor = root->loop_floor = rounding_floor(m->nbody);
  root->tol = root_tolerance(o->tol, m->nbody);
  s->nblock = cardan__block_of(m->nbody - 1) + 1;
  s->se3 = cardan__option_choice(d->base.method, "kinetic", o) == 1;
  s->has_rows = m->nrow + s->base.border.room.rows + s->base.border.room.equalities > 0;
  s->has_gravity = cardan__vec3_norm(m->gravity) > 0;
  for (int i = 0; i < m->nforce; i++) {
    const bool potential = m->force[i].flags & CARDAN_FORCE_POTENTIAL;
    const bool friction = m->force[i].flags & CARDAN_FORCE_FRICTION;
    s->has_potential = s->has_potential || (potential && at_nodes);
    s->has_forces = s->has_forces || !(potential || friction);
    d->branch.close_by = !at_nodes && swings(&m->force[i]) ? swing_of_springs : d->branch.close_by;
  }
  if (!at_nodes) {
    cardan__elastic_read(s);
  }
  s->has_elastic = s->elastic.n > 0;
  s->nchannel = cardan__vi_channels(m) + s->elastic.nchannel;
}

void cardan__vi_layout(cardan__discrete *d, cardan__carver *c)
{
  cardan__vi *s = (cardan__vi *)d;
  const cardan_model *m = d->model;
  const size_t nv = (size_t)m->nv, n = (size_t)s->nchannel;
  s->P = CARDAN__CARVE(c, s->nblock, cardan__force_lanes);
  s->W = CARDAN__CARVE(c, s->nblock, cardan__force_lanes);
  s->loads = CARDAN__CARVE(c, s->has_potential ? m->nbody : 0, cardan_force);
  s->lanes = CARDAN__CARVE(c, s->nblock, cardan__vi_lanes);
  s->central = s->se3 ? NULL : CARDAN__CARVE(c, s->nblock, cardan__central_lanes);
  s->turns = CARDAN__CARVE(c, s->nblock, int);
  s->apart = CARDAN__CARVE(c, s->nblock, bool);
  s->A = CARDAN__CARVE(c, m->nbody, cardan__quad);
  s->factor = CARDAN__CARVE(c, m->nbody, cardan__vi_factor);
  s->raw = s->has_rows ? CARDAN__CARVE(c, m->nbody, cardan__vi_raw) : NULL;
  s->multi = CARDAN__CARVE(c, m->nmulti, cardan__vi_multi);
  s->kin = CARDAN__CARVE(c, m->nbody, cardan__vi_kin);
  s->b = CARDAN__CARVE(c, m->nbody, cardan_force);
  s->zeta = CARDAN__CARVE(c, m->nbody, cardan_twist);
  double **const vectors[] = {&s->pj, &s->Wj,    &s->c0,      &s->u,      &s->column,
                              &s->Q,  &s->slope, &s->slope_q, &s->slope_v};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARDAN__CARVE(c, nv, double);
  }
  s->c = s->has_forces || m->has_friction || s->has_elastic ? CARDAN__CARVE(c, nv, double) : s->c0;
  s->alpha = CARDAN__CARVE(c, n * nv, double);
  s->beta = CARDAN__CARVE(c, n * nv, double);
  s->Z = CARDAN__CARVE(c, n * nv, double);
  s->T = CARDAN__CARVE(c, n * n, double);
  s->channel = CARDAN__CARVE(c, n, double);
  s->pivot = CARDAN__CARVE(c, n, int);
  if (s->has_elastic) {
    cardan__elastic_layout(s, c);
  }
}

/* The world and what is past the end do not move. */
static void fill_lanes(cardan__vi *s)
{
  for (int i = 0; i < s->nblock * CARDAN__LANES; i++) {
    cardan__lane_set_screw(s->lanes[cardan__block_of(i)].Q, cardan__lane_of(i),
                           cardan__screw_identity());
  }
}

/* Index lists that the recursions read. A state has the pivots before there are factors. */
static void fill_lists(cardan__vi *s)
{
  const cardan_model *m = s->base.model;
  for (int i = 0; i < s->nchannel; i++) {
    s->pivot[i] = cardan__lu_first(s->nchannel);
  }
  for (int i = 0; i < m->nbody; i++) {
    const cardan_body *b = &m->body[i];
    const bool turns = cardan__joint_is_hinge(b) && !(b->flags & CARDAN_LINK_KINEMATIC);
    const bool follows = i > 0 && b->parent == i - 1;
    const bool ball = cardan__joint_is_ball(b) && !(b->flags & CARDAN_LINK_KINEMATIC);
    s->has_balls = s->has_balls || ball;
    const bool tied = s->has_elastic && s->elastic.tied[i];
    s->kin[i] = (cardan__vi_kin){
        .parent = b->parent,
        .vadr = b->vadr,
        .link = b->flags,
        .flags = CARDAN__VI_LEAF | (turns ? CARDAN__VI_TURNS : 0) | (ball ? CARDAN__VI_BALL : 0) |
                 (follows ? CARDAN__VI_FOLLOWS : 0) | (tied ? CARDAN__VI_TIED : 0)};
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    int *parent = &s->kin[m->body[i].parent].flags;
    if (*parent & CARDAN__VI_LEAF) {
      *parent ^= CARDAN__VI_LEAF | (m->body[i].parent == i - 1 ? CARDAN__VI_CHAIN : 0);
      s->kin[i].flags |= CARDAN__VI_FIRST;
    } else {
      *parent &= ~CARDAN__VI_CHAIN;
    }
  }
  for (int i = 1; i < m->nbody; i++) {
    const int parent = m->body[i].parent;
    const bool shares = parent > 0 && !(s->kin[parent].flags & CARDAN__VI_CHAIN);
    s->kin[i].flags |= shares ? CARDAN__VI_SHARES : 0;
  }
}

/* Whose displacements are side by side, as the lanes are: where all joints have one velocity. What
 * lanes without a body then find is what dq has before and behind it. */
static void fill_turns(cardan__vi *s)
{
  const cardan_model *m = s->base.model;
  for (int k = 0; k < s->nblock; k++) {
    const int first = k * CARDAN__LANES, last = first + CARDAN__LANES - 1;
    bool turns = false;
    s->turns[k] = k == 0 ? -1 : m->body[first].vadr;
    s->apart[k] = false;
    for (int i = k == 0 ? 1 : first; i <= last && i < m->nbody; i++) {
      const bool fits = m->body[i].nv == 1 && m->body[i].vadr == s->turns[k] + i - first;
      s->apart[k] = s->apart[k] || !fits;
      turns = turns || (s->kin[i].flags & CARDAN__VI_TURNS);
    }
    s->turns[k] = turns ? s->turns[k] : CARDAN__VI_NONE_TURNS;
  }
}

cardan_status cardan__vi_make(cardan__discrete *d)
{
  if (((cardan__vi *)d)->has_elastic) {
    cardan__elastic_make((cardan__vi *)d);
  }
  fill_lists((cardan__vi *)d);
  fill_turns((cardan__vi *)d);
  fill_lanes((cardan__vi *)d);
  cardan__vi_kinetic_make((cardan__vi *)d);
  return CARDAN_OK;
}

static cardan_status create(const cardan_model *model, const cardan_options *options,
                            const cardan__held_room *room, const cardan_allocator *allocator,
                            cardan__stepper **out)
{
  return cardan__discrete_create(&cardan__method_vi, &cardan__equation_vi, model, options, room,
                                 allocator, out);
}

static double longest(const cardan__method *method, const cardan_options *options, double turns,
                      bool *lags)
{
  const bool at_nodes = cardan__option_choice(method, "potentials", options) == 1;
  (void)turns;
  *lags = !at_nodes && options->order == 2;
  return !at_nodes ? HUGE_VAL : options->order == 4 ? 2.7 : options->order == 6 ? 2.5 : 2;
}

const cardan__method cardan__method_vi = {
    .name = "vi",
    .help = "variational integrator in linear time: momentum kept, energy bounded, loops exact",
    .options = {own_options, cardan__discrete_options, cardan__substeps_options},
    .longest = longest,
    .velocity_rows = true,
    .accepts = cardan__discrete_accepts,
    .create = create,
    CARDAN__DISCRETE_ENTRIES,
};
