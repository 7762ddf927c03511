// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "kinematics/joint.h"
#include "run/contact_run.h"
#include "run/sim.h"
#include "spatial/spatial.h"

/* Starts inside of solids, with contacts auto, as robots' files have it: they often begin with
 * their feet a little in the floor. A tree whose first joint lets it is moved out of the world: by
 * its deepest overlap along the normal there, and again for what is deepest then. What stands on a
 * tree that was moved is moved out of that in the same way. Pairs that overlap after that are left
 * out of the run: shapes of robots are rough, and most such pairs are neighbours that the file
 * should exclude. */

enum { MOST_PASSES = 100, MOST_SLIDES = 6 };

/* What is no rounding of the data. */
static double tolerance(const cardan__contacts *c)
{
  return CARDAN__OVERLAP * (1 + c->size);
}

/* What moves all of a tree from a solid's body on: coordinates, and where each of them leads. */
typedef struct {
  int n, q[MOST_SLIDES];
  cardan_vec3 axis[MOST_SLIDES]; // in the world, unit
} slides;

/* The one body that b carries; 0: none, or several. */
static int only_child(const cardan_model *model, int b)
{
  int child = 0;
  for (int i = b + 1; i < model->nbody; i++) {
    if (model->body[i].parent == b) {
      if (child > 0) {
        return 0;
      }
      child = i;
    }
  }
  return child;
}

static bool may_move(const cardan_model *model, const cardan_body *b)
{
  return !(b->flags & CARDAN_LINK_KINEMATIC) && !model->joint[b->joint].driven &&
         !model->q_fixed[b->qadr];
}

/* Of the chain from the root to the first body with a mass: free and prismatic joints that carry
 * `body`. Displacements are along the axes of the constant part X of a joint: x, y, z of a free
 * one, z of a prismatic one. */
static slides slides_of(const cardan_model *model, const cardan_data *data, int root, int body)
{
  slides s = {.n = 0};
  for (int i = root; i > 0 && i <= body; i = only_child(model, i)) {
    const cardan_body *b = &model->body[i];
    const int nslide = cardan__joint_nslide(b);
    const cardan_mat3 R = cardan__mat3_mul(&data->X_W[b->parent].R, &b->X.R);
    for (int k = 0; k < nslide && s.n < MOST_SLIDES && may_move(model, b); k++) {
      s.q[s.n] = b->qadr + k;
      s.axis[s.n++] = cardan__mat3_column(&R, 3 - nslide + k);
    }
    if (!(b->flags & CARDAN_LINK_MASSLESS)) {
      break;
    }
  }
  return s;
}

static bool within_limit(const cardan_model *model, int q, double value)
{
  const cardan_joint *joint = &model->joint[model->body[model->q_body[q]].joint];
  return !joint->has_limit || (value >= joint->limit[0] && value <= joint->limit[1]);
}

/* Moves a tree by its lift: with g_k = axis_k . n the step depth g / |g|^2, which opens the gap by
 * depth. false: its joints do not lead that way, or a limit ends before. */
static bool move(cardan_sim *sim, int root, cardan__initial_separation *lift)
{
  static const double least = 0.25; // of |g|^2: n up to 60 degrees off what can be reached
  cardan_data *data = sim->data;
  const slides s = slides_of(sim->model, data, root, lift->body);
  double step[MOST_SLIDES], square = 0;
  for (int k = 0; k < s.n; k++) {
    step[k] = cardan__vec3_dot(s.axis[k], lift->out);
    square += step[k] * step[k];
  }
  bool moves = square >= least;
  for (int k = 0; k < s.n && moves; k++) {
    step[k] *= -lift->gap / square;
    moves = within_limit(sim->model, s.q[k], data->q[s.q[k]] + step[k]);
  }
  for (int k = 0; k < s.n && moves; k++) {
    data->q[s.q[k]] += step[k];
    data->q_given[s.q[k]] = true;
    lift->way = cardan__vec3_add(lift->way, cardan__vec3_scale(step[k], s.axis[k]));
  }
  lift->passes += moves;
  return moves;
}

/* Pairs near one another at data's q, to c->gaps.near: how many. */
static int find_near_pairs(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  sim->data->fresh = 0;
  cardan_joints(sim->model, sim->data);
  cardan_poses(sim->model, sim->data);
  memset(c->gaps.reach, 0, (size_t)c->nbody * sizeof *c->gaps.reach);
  const int n = cardan__near_pairs(&c->gaps.broad, sim->model, sim->data->X_W, c->gaps.reach,
                                   CARDAN__WATCHED, c->gaps.near, c->gaps.room_watch);
  return n < c->gaps.room_watch ? n : c->gaps.room_watch;
}

/* Which side of a pair is to move out of the other: one that meets the world, or a tree that was
 * moved before it; -1: neither. */
static int mover(const cardan__contacts *c, const cardan_model *model, const cardan_pair *pair)
{
  int root[2];
  bool stays[2];
  for (int side = 0; side < 2; side++) {
    const int body = model->solid[pair->solid[side]].body;
    root[side] = body > 0 ? c->impacts.root[body] : 0;
    stays[side] = root[side] == 0 || c->gaps.separation[root[side]].passes > 0;
  }
  if (root[0] == root[1]) {
    return -1;
  }
  if (root[0] == 0 || root[1] == 0) {
    return root[0] == 0;
  }
  return stays[0] == stays[1] ? -1 : stays[0];
}

/* The deepest overlap of every tree that could move out of it; of those that do, to rounding. */
static void find_lifts(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  const cardan_model *model = sim->model;
  const int n = cardan__contacts_without_left(c, find_near_pairs(sim));
  for (int i = 0; i < c->nbody; i++) {
    c->gaps.separation[i].gap = c->gaps.separation[i].passes > 0 ? -CARDAN__CLOSED : -tolerance(c);
    c->gaps.separation[i].pair = -1;
  }
  for (int i = 0; i < n; i++) {
    const cardan_pair *pair = &model->pair[c->gaps.near[i]];
    const int side = mover(c, model, pair);
    cardan__touch touch = {.gap = 0};
    if (side < 0 || cardan__pair_gap(model, c->gaps.near[i], sim->data->X_W, &touch) >= 0) {
      continue;
    }
    const int body = model->solid[pair->solid[side]].body;
    cardan__initial_separation *lift = &c->gaps.separation[c->impacts.root[body]];
    if (touch.gap < lift->gap) {
      lift->gap = touch.gap;
      lift->out = side == 0 ? touch.n : cardan__vec3_scale(-1, touch.n);
      lift->body = body;
      lift->pair = c->gaps.near[i];
    }
  }
}

/* Moves trees that still overlap back to where they were. */
static void put_back(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  for (int q = 0; q < c->nq; q++) {
    cardan__initial_separation *lift = &c->gaps.separation[c->impacts.root[sim->model->q_body[q]]];
    if (lift->pair >= 0 && lift->gap < -tolerance(c)) {
      sim->data->q[q] = c->skip.q[q];
      lift->passes = 0;
    }
  }
}

/* How many trees were moved, and the one that was moved farthest. */
static void say_lifted(cardan_sim *sim)
{
  const cardan__contacts *c = sim->contacts;
  const cardan_model *model = sim->model;
  double farthest = 0;
  int count = 0, root = 0;
  for (int i = 1; i < c->nbody; i++) {
    const double way = cardan__vec3_dot(c->gaps.separation[i].way, c->gaps.separation[i].way);
    count += c->gaps.separation[i].passes > 0;
    root = c->gaps.separation[i].passes > 0 && way > farthest ? i : root;
    farthest = root == i ? way : farthest;
  }
  if (root > 0) {
    const cardan__initial_separation *lift = &c->gaps.separation[root];
    const cardan_pair *pair = &model->pair[lift->met];
    const int side = c->impacts.root[model->solid[pair->solid[0]].body] != root;
    int body = root; // the first that is more than a part of the joint
    while (model->body[body].flags & CARDAN_LINK_MASSLESS && only_child(model, body) > 0) {
      body = only_child(model, body);
    }
    cardan__sim_note_separated(sim, body, lift->way, pair->solid[side], pair->solid[1 - side],
                               count - 1);
  }
}

/* Closes loops that were opened; where that cannot be, or leads back into the world, everything is
 * as before, as c->skip.q and c->impacts.dp have it. */
static void close_loops(cardan_sim *sim)
{
  const cardan__contacts *c = sim->contacts;
  const cardan_model *model = sim->model;
  const cardan_assembly before = sim->assembly;
  if (model->nrow == 0 || !sim->options.assemble ||
      cardan_constraint_max(model, sim->data) <= fmax(model->open, 1e-11 * (1 + c->size))) {
    return;
  }
  bool out = cardan_assemble(model, sim->data, &sim->assembly, NULL) == CARDAN_OK;
  find_lifts(sim);
  for (int i = 1; i < c->nbody; i++) {
    out = out && (c->gaps.separation[i].passes == 0 || c->gaps.separation[i].gap >= -tolerance(c));
  }
  for (int i = 1; i < c->nbody && !out; i++) {
    c->gaps.separation[i].passes = 0;
  }
  if (!out) {
    memcpy(sim->data->q, c->skip.q, (size_t)c->nq * sizeof *c->skip.q);
    memcpy(sim->data->v, c->impacts.dp, (size_t)c->nv * sizeof *c->impacts.dp);
    sim->assembly = before;
  }
}

/* Trees out of the world. */
static void lift_trees(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  bool moved = true, any = false;
  memcpy(c->skip.q, sim->data->q, (size_t)c->nq * sizeof *c->skip.q);
  memcpy(c->impacts.dp, sim->data->v, (size_t)c->nv * sizeof *c->impacts.dp);
  memset(c->gaps.separation, 0, (size_t)c->nbody * sizeof *c->gaps.separation);
  find_lifts(sim);
  for (int pass = 0; moved && pass < MOST_PASSES; pass++) {
    moved = false;
    for (int i = 1; i < c->nbody; i++) {
      cardan__initial_separation *lift = &c->gaps.separation[i];
      if (lift->pair >= 0) {
        lift->met = lift->passes == 0 ? lift->pair : lift->met;
        moved = move(sim, i, lift) || moved;
      }
    }
    any = any || moved;
    if (moved) {
      find_lifts(sim);
    }
  }
  if (any) {
    put_back(sim);
    find_near_pairs(sim);
    close_loops(sim);
    say_lifted(sim);
  }
}

/* Pairs that overlap are left out, as many as there is room for. */
static void leave_overlaps(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  double deepest = 0;
  int worst = -1;
  const int n = find_near_pairs(sim);
  c->gaps.nignored = 0;
  for (int i = 0; i < n; i++) {
    const double gap = cardan__pair_gap(sim->model, c->gaps.near[i], sim->data->X_W, NULL);
    if (gap < -tolerance(c) && c->gaps.nignored < c->gaps.room_ignored) {
      c->gaps.ignored[c->gaps.nignored++] = c->gaps.near[i];
      worst = gap < deepest ? c->gaps.near[i] : worst;
      deepest = fmin(gap, deepest);
    }
  }
  if (worst >= 0) {
    cardan__sim_note_overlap(sim, worst, -deepest, c->gaps.nignored - 1);
  }
}

void cardan__contact_separate(cardan_sim *sim)
{
  const cardan__contacts *c = sim->contacts;
  if (c->by_cones && c->gaps.room_ignored > 0 && !c->landing.resumes) {
    lift_trees(sim);
    leave_overlaps(sim);
    sim->data->fresh = 0;
  }
}
