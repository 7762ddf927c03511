// SPDX-License-Identifier: Apache-2.0
#include "batch/group.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/inline.h"
#include "batch/fallback.h"
#include "batch/lane_estimate.h"
#include "cardan/dynamics.h"

/* Copies go side by side in lanes (lanes/lanes.h): one step of all of them, then the next. A copy
 * that fails is masked out until the others are done; its lane is not read any more, and the
 * scalar code runs it again from its start, so that it has the rows, the status and the sentence
 * that it would have had alone. A copy that may reach a limit, or whose dry friction is not found,
 * is masked out for some steps, which the scalar code takes (fallback.h). */

/* Of the energies: a balance that is off by more may be that of a motion that blew up. */
static const double doubtful = 0.1;

enum { BRIEF = 2 }; // steps in which nothing can be seen to blow up

struct cardan__group {
  cardan__lanes *lanes;
  double *own;                // nq + nv + ninput: the model's own start and inputs
  cardan__watched_copy *seen; // width
  cardan__lane_estimate estimate;
  cardan__fallback fallback;
};

/* Why options of method vi keep it out of lanes; NULL: they do not. */
static const char *vi_options(const cardan__method *method, const cardan_options *o)
{
  const char *solver = cardan__option_word(method, "solver", o);
  if (o->order != 2 || o->adapt > 0) {
    return "of option order or adapt";
  }
  if (strcmp(cardan__option_word(method, "kinetic", o), "swing") != 0) {
    return "of option kinetic";
  }
  if (strcmp(cardan__option_word(method, "guess", o), "extrapolate") != 0 ||
      strcmp(cardan__option_word(method, "start", o), "state") != 0) {
    return "of option guess or start";
  }
  if (strcmp(cardan__option_word(method, "potentials", o), "middle") != 0) {
    return "of option potentials";
  }
  if (strcmp(solver, "newton") != 0 && strcmp(solver, "riqn") != 0) {
    return "of option solver";
  }
  return o->max_iter < CARDAN__LANES_SEARCH ? "of option max-iter" : NULL;
}

const char *cardan__group_takes(const cardan_sim *sim, const cardan__lanes_kernels *kernels,
                                const cardan__lanes_stepper **stepper)
{
  const cardan_options *o = cardan_sim_options(sim);
  const cardan__method *method = cardan__sim_stepper(sim)->method;
  *stepper = NULL;
  if (o->lanes != NULL && strcmp(o->lanes, "off") == 0) {
    return "of option lanes";
  }
  if (o->strict) {
    return "of option strict";
  }
  if (o->begin != 0) {
    return "of option begin"; // lengths of steps on another grid have other bits
  }
  if (!cardan__sim_has_only_limits(sim)) {
    return "of stops, ropes or other bounds";
  }
  const bool touches = cardan__sim_has_solids(sim);
  const char *why = cardan__lanes_takes(cardan__sim_model(sim));
  why = why == NULL && touches ? cardan__lanes_feet_takes(cardan__sim_model(sim)) : why;
  why = why == NULL && touches && method != &cardan__method_vi ? "of contacts" : why;
  const bool loops = cardan__sim_model(sim)->nrow > 0;
  why = why == NULL && loops && method != &cardan__method_vi ? "of loops" : why;
  if (why != NULL) {
    return why;
  }
  const char *word =
      method == &cardan__method_aba ? cardan__option_word(method, "integrator", o) : "";
  if (cardan__lanes_has_dry(cardan__sim_model(sim)) && cardan__sim_dry_rows(sim) == 0) {
    return "of dry friction in joints, which this method has as a force";
  }
  if (strcmp(word, "semi-implicit") == 0) {
    *stepper = &kernels->semi_implicit;
  } else if (strcmp(word, "rk4") == 0) {
    *stepper = &kernels->rk4;
  }
  if (method == &cardan__method_vi) {
    why = vi_options(method, o);
    *stepper = why == NULL ? &kernels->vi : NULL;
    return why;
  }
  return *stepper != NULL ? NULL : "of the method or its integrator";
}

cardan__lanes_model *cardan__group_model(const cardan_sim *sim)
{
  cardan__lanes_model *flat = cardan__lanes_model_create(cardan__sim_model(sim));
  if (flat != NULL && !cardan__sim_has_contacts(sim)) {
    flat->nlimit = 0; // nothing holds them
  }
  if (flat != NULL && !cardan__sim_has_solids(sim)) {
    flat->nfoot = flat->nguard = 0;
  }
  return flat;
}

void cardan__group_destroy(cardan__group *group)
{
  if (group != NULL) {
    cardan__lane_estimate_destroy(&group->estimate);
    cardan__fallback_destroy(&group->fallback);
    cardan__lanes_destroy(group->lanes);
    cardan__resize(NULL, group->own, 0);
    cardan__resize(NULL, group->seen, 0);
    cardan__resize(NULL, group, 0);
  }
}

/* Stores the model's start and inputs in own. */
static bool store_defaults(const cardan_model *m, double *own)
{
  cardan_data *data;
  if (cardan_data_create(m, NULL, &data) != CARDAN_OK) {
    return false;
  }
  memcpy(own, data->q, (size_t)m->nq * sizeof *own);
  memcpy(own + m->nq, data->v, (size_t)m->nv * sizeof *own);
  memcpy(own + m->nq + m->nv, data->u, (size_t)m->ninput * sizeof *own);
  cardan_data_destroy(data);
  return true;
}

cardan__group *cardan__group_create(const cardan__batch *b)
{
  const cardan_model *m = b->model;
  const size_t width = (size_t)b->kernels->width;
  cardan__group *g = cardan__resize(NULL, NULL, sizeof *g);
  if (g == NULL) {
    return NULL;
  }
  g->estimate = (cardan__lane_estimate){.copy = NULL};
  g->fallback = (cardan__fallback){.block = NULL};
  const size_t n = (size_t)m->nq + (size_t)m->nv + (size_t)m->ninput + 1;
  g->lanes = cardan__lanes_create(b->flat, b->kernels->width, b->stepper->size(b->flat));
  g->own = cardan__resize(NULL, NULL, n * sizeof *g->own);
  g->seen = cardan__resize(NULL, NULL, width * sizeof *g->seen);
  if (g->lanes == NULL || g->own == NULL || g->seen == NULL || !store_defaults(m, g->own) ||
      !cardan__fallback_create(&g->fallback, b) ||
      cardan__lane_estimate_create(&g->estimate, b, g->lanes) != CARDAN_OK) {
    cardan__group_destroy(g);
    return NULL;
  }
  return g;
}

/* ---- in and out of lanes ---- */

/* A group at work on copies first .. first + n - 1. */
typedef struct {
  cardan__group *group;
  const cardan__batch *b;
  cardan_sim *sim;
  int first, n, width;
} task;

static int copy_of(const task *t, int lane)
{
  return t->first + (lane < t->n ? lane : t->n - 1);
}

/* Sets the inputs of step k, if there are any. */
static void set_inputs(const task *t, int64_t k)
{
  for (int l = 0; l < t->width && t->b->u != NULL && k < t->b->nstep; l++) {
    cardan__lanes_put(t->group->lanes->u, t->width, l, cardan__batch_inputs(t->b, copy_of(t, l), k),
                      t->b->model->ninput);
  }
}

static void set_starts(const task *t)
{
  const cardan_model *m = t->b->model;
  const cardan__batch *b = t->b;
  cardan__lanes *lanes = t->group->lanes;
  const double *q = t->group->own, *v = q + m->nq, *u = v + m->nv;
  for (int l = 0; l < t->width; l++) {
    const size_t i = (size_t)copy_of(t, l);
    cardan__lanes_put(lanes->q, t->width, l, b->q0 != NULL ? b->q0 + i * (size_t)m->nq : q, m->nq);
    cardan__lanes_put(lanes->v, t->width, l, b->v0 != NULL ? b->v0 + i * (size_t)m->nv : v, m->nv);
    cardan__lanes_put(lanes->u, t->width, l,
                      b->u_held != NULL ? b->u_held + i * (size_t)m->ninput : u, m->ninput);
    lanes->left[l] = 0;
    lanes->fallback[l] = 0;
    lanes->done[l] = 0;
    t->group->fallback.until[l] = t->group->fallback.stay[l] = 0;
    t->group->fallback.note[l][0] = '\0';
  }
  set_inputs(t, 0);
}

/* ---- rows ---- */

/* Copies the node of a lane to the data of the sim. */
static cardan_data *copy_to_data(const task *t, int lane, double time)
{
  const cardan_model *m = t->b->model;
  const cardan__lanes *lanes = t->group->lanes;
  cardan_data *data = cardan__sim_node(t->sim);
  data->t = time;
  data->fresh = 0;
  cardan__lanes_get(lanes->q, t->width, lane, data->q, m->nq);
  cardan__lanes_get(lanes->v, t->width, lane, data->v, m->nv);
  cardan__lanes_get(lanes->u, t->width, lane, data->u, m->ninput);
  return data;
}

typedef struct {
  double kinetic, energy; // [J]
} energies;

/* Of a copy's node, which becomes the data's of the sim. */
static energies find_energies(const task *t, int lane, double time)
{
  const cardan_model *model = t->b->model;
  cardan_data *data = copy_to_data(t, lane, time);
  cardan_kinematics(model, data);
  const double kinetic = cardan_kinetic(model, data);
  return (energies){kinetic, kinetic + cardan_potential(model, data)};
}

/* Energy of a copy's node, and what the watch says to it. */
static void check_node(const task *t, int lane, double time, bool first)
{
  cardan_sim *sim = t->sim;
  cardan__watched_copy *s = &t->group->seen[lane];
  const energies at = find_energies(t, lane, time);
  const double kinetic = at.kinetic, energy = at.energy;
  if (first) {
    *s = (cardan__watched_copy){.stats.energy_initial = energy};
  }
  const double balance = energy - s->stats.energy_initial - t->group->lanes->done[lane];
  s->stats.energy_final = energy;
  s->stats.drift_max = fmax(s->stats.drift_max, fabs(balance));
  cardan__watched_copy_look(sim, s, balance, kinetic);
}

/* The row of the node after step k, and the inputs of the next. */
static void write_rows(const task *t, int64_t k)
{
  const cardan__batch *b = t->b;
  const cardan_model *m = b->model;
  cardan__lanes *lanes = t->group->lanes;
  const int64_t r = k / b->options.every;
  for (int l = 0; l < t->n; l++) {
    const int i = t->first + l;
    if (lanes->left[l] != 0) {
      continue;
    }
    cardan__lanes_get(lanes->q, t->width, l, cardan__batch_row(b, b->q, i, r, m->nq), m->nq);
    cardan__lanes_get(lanes->v, t->width, l, cardan__batch_row(b, b->v, i, r, m->nv), m->nv);
    if (b->y != NULL && m->ny > 0) {
      cardan_data *data = copy_to_data(t, l, (double)k * b->options.dt);
      if (cardan_outputs(m, data) == CARDAN_OK) {
        memcpy(cardan__batch_row(b, b->y, i, r, m->ny), data->y, (size_t)m->ny * sizeof *data->y);
      } else {
        lanes->left[l] = -1;
      }
    }
  }
}

/* The node after step k to the watch. A copy that blew up is masked out: the scalar code ends
 * it. */
static void check_copies(const task *t, int64_t k)
{
  for (int l = 0; l < t->n; l++) {
    if (t->group->lanes->left[l] == 0) {
      check_node(t, l, (double)k * t->b->options.dt, k == 0);
      t->group->lanes->left[l] = t->group->seen[l].watch.blown ? -1 : 0;
    }
  }
}

/* Without a watch, whose looks cost as much as several steps, the energies at both ends of the run
 * show whether a copy may have blown up. It is masked out then, and the scalar code decides. */
static void check_ends(const task *t)
{
  cardan_sim *sim = t->sim;
  if (t->b->stepper->node != NULL && t->b->nstep % t->b->options.every != 0) {
    t->b->stepper->node(t->b->flat, t->group->lanes);
  }
  for (int l = 0; l < t->n; l++) {
    const cardan__watched_copy before = t->group->seen[l];
    if (t->group->lanes->left[l] == 0) {
      check_node(t, l, (double)t->b->nstep * t->b->options.dt, false);
      const cardan__watch *w = &t->group->seen[l].watch;
      const double most = fmax(w->kinetic, before.watch.kinetic);
      if (!(fabs(w->balance) <= doubtful * (most + cardan__watch_scale(sim)))) {
        t->group->lanes->left[l] = -1;
      }
    }
  }
}

static void end_step(const task *t, int64_t k)
{
  const cardan__batch *b = t->b;
  const bool row = k % b->options.every == 0;
  const bool check = cardan__batch_looks(b, k) || (row && !b->apart);
  set_inputs(t, k);
  if (b->stepper->node != NULL && (check || (row && (b->v != NULL || b->y != NULL)))) {
    b->stepper->node(b->flat, t->group->lanes);
  }
  if (row) {
    write_rows(t, k);
  }
  if (check && b->watched) {
    check_copies(t, k);
  }
}

/* ---- all of it ---- */

/* Of node k, rounded: no compiler fuses it with what is done to it. */
CARDAN__NOINLINE static double time_of(const cardan__batch *b, int64_t k)
{
  return (double)k * b->options.dt;
}

/* Of step k (from 1), as a run alone has it. */
static double step_length(const cardan__batch *b, int64_t k)
{
  return time_of(b, k) - time_of(b, k - 1);
}

/* Step k (from 1), measured where it is a sample. */
static void take_step(const task *t, int64_t k)
{
  const cardan__batch *b = t->b;
  cardan__lanes *lanes = t->group->lanes;
  cardan__lane_estimate *e = &t->group->estimate;
  const double dt = b->options.dt, h = step_length(b, k);
  const bool measured = cardan__lane_estimate_halves(e, b, lanes, k - 1, h);
  b->stepper->step(b->flat, lanes, h);
  if (measured && b->stepper->node != NULL) {
    b->stepper->node(b->flat, lanes);
  }
  for (int l = 0; l < t->n && measured; l++) {
    if (lanes->left[l] == 0 && cardan__lane_estimate_add(e, b, lanes, l, k - 1, h)) {
      const energies at = find_energies(t, l, (double)k * dt);
      cardan__estimate_add_energy(&e->copy[l], k - 1, at.kinetic,
                                  at.energy - t->group->seen[l].stats.energy_initial -
                                      lanes->done[l]);
    }
  }
  cardan__lane_estimate_range(e, b, lanes, k);
}

/* Lanes of copies that failed. */
static unsigned find_failed_lanes(const task *t)
{
  const cardan__group *g = t->group;
  unsigned left = 0;
  for (int l = 0; l < t->n; l++) {
    left |= g->lanes->left[l] != 0 && g->fallback.until[l] == 0 ? 1U << l : 0;
  }
  return left;
}

/* ---- copies that the scalar code steps for a while ---- */

static cardan__fallback_call fallback_call(const task *t, int lane)
{
  cardan__group *g = t->group;
  return (cardan__fallback_call){&g->fallback,
                                 t->b,
                                 t->sim,
                                 lane,
                                 copy_of(t, lane),
                                 &g->seen[lane],
                                 g->estimate.copy != NULL ? &g->estimate.copy[lane] : NULL};
}

/* Masks out the lanes of copies that start too close to a limit, and all if solids may touch. */
static void mask_near_starts(const task *t)
{
  const cardan__lanes *lanes = t->group->lanes;
  for (int l = 0; l < t->width && cardan__lanes_may_fall_back(t->b->flat); l++) {
    const cardan_data *data = copy_to_data(t, l, 0);
    lanes->left[l] = cardan__fallback_start_is_near(t->b, data->q, data->v) ? -1 : 0;
  }
}

static void run_near_starts(const task *t)
{
  for (int l = 0; l < t->n && cardan__lanes_may_fall_back(t->b->flat); l++) {
    const cardan__fallback_call call = fallback_call(t, l);
    if (t->group->lanes->left[l] != 0 && !cardan__fallback_from_start(&call)) {
      t->group->fallback.until[l] = 0;
    }
  }
}

/* Copies that fall back in the step from node k. */
static void fall_back(const task *t, int64_t k)
{
  const cardan__lanes *lanes = t->group->lanes;
  for (int l = 0; l < t->n && cardan__lanes_may_fall_back(t->b->flat); l++) {
    const cardan__fallback_call call = fallback_call(t, l);
    if (lanes->fallback[l] != 0 && !cardan__fallback_from_node(&call, lanes, k)) {
      t->group->fallback.until[l] = 0;
    }
  }
}

/* Enters the lanes of copies that return at node k. */
static void return_to_lanes(const task *t, int64_t k)
{
  const cardan_model *m = t->b->model;
  cardan__lanes *lanes = t->group->lanes;
  cardan__fallback *a = &t->group->fallback;
  bool any = false;
  for (int l = 0; l < t->width; l++) {
    const bool back = k > 0 && a->until[l] == k;
    a->on[l] = back ? -1 : 0;
    if (back) {
      cardan__lanes_put(lanes->q, t->width, l, a->q + (size_t)l * (size_t)m->nq, m->nq);
      cardan__lanes_put(lanes->v, t->width, l, a->v + (size_t)l * (size_t)m->nv, m->nv);
      const int nfoot = t->b->flat->nfoot;
      cardan__lanes_put(lanes->foot, t->width, l, a->foot + (size_t)l * 2 * (size_t)nfoot,
                        2 * nfoot);
      lanes->done[l] = a->work[l];
      lanes->left[l] = lanes->fallback[l] = 0;
      a->until[l] = 0;
    }
    any = any || back;
  }
  if (any) {
    set_inputs(t, k);
  }
  if (any && t->b->stepper->enter != NULL) {
    t->b->stepper->enter(t->b->flat, lanes, a->on, k, step_length(t->b, k));
  }
}

/* The first node from k on at which a lane is in use; beyond the last step: none is. */
static int64_t next_node(const task *t, int64_t k)
{
  const cardan__group *g = t->group;
  int64_t next = t->b->nstep + 1;
  for (int l = 0; l < t->n; l++) {
    const int64_t until = g->lanes->left[l] == 0 ? k : g->fallback.until[l];
    next = until > 0 || g->lanes->left[l] == 0 ? (until < next ? until : next) : next;
  }
  return next;
}

/* As of a run alone: what a start notes, which is nothing of a tree's but limits and contacts that
 * are not held; and what the watch saw. */
static void write_ends(const task *t, unsigned left)
{
  cardan_sim *sim = t->sim;
  for (int l = 0; l < t->n && t->b->watched; l++) {
    cardan__watched_copy *s = &t->group->seen[l];
    if (left >> l & 1) {
      continue;
    }
    cardan__lane_estimate *e = &t->group->estimate;
    cardan__watched_copy_end(sim, s, e->copy != NULL ? &e->copy[l] : NULL,
                             (double)t->b->nstep * t->b->options.dt);
    if (t->b->end != NULL) {
      cardan_rollout_end *end = &t->b->end[t->first + l];
      const char *note = t->group->fallback.note[l];
      cardan__batch_note(end, note[0] ? note : cardan_sim_note(sim), s->text);
      end->drift = s->stats.drift_max;
      end->error = s->error;
    }
  }
}

const char *cardan__group_watch(const cardan__group *group, int lane)
{
  return group->seen[lane].text;
}

cardan_error_estimate cardan__group_error(const cardan__group *group, int lane)
{
  return group->seen[lane].error;
}

unsigned cardan__group_run(cardan__group *group, const cardan__batch *b, cardan_sim *sim, int first,
                           int n)
{
  const task t = {group, b, sim, first, n, b->kernels->width};
  const unsigned all = (1U << n) - 1;
  const cardan__lanes_stepper *s = b->stepper;
  set_starts(&t);
  mask_near_starts(&t);
  const bool ends_seen = !b->watched && b->nstep > BRIEF;
  write_rows(&t, 0);
  if (b->watched || ends_seen) {
    check_copies(&t, 0);
  }
  s->start(b->flat, group->lanes, &b->options);
  cardan__lane_estimate_begin(&group->estimate, b, group->lanes);
  run_near_starts(&t);
  for (int64_t k = next_node(&t, 0) + 1; k <= b->nstep; k = next_node(&t, k) + 1) {
    return_to_lanes(&t, k - 1);
    take_step(&t, k);
    fall_back(&t, k - 1);
    end_step(&t, k);
    if (b->halt != NULL && k % 16 == 0 && b->halt(b->user)) {
      return all;
    }
  }
  if (ends_seen) {
    check_ends(&t);
  }
  const unsigned left = find_failed_lanes(&t);
  write_ends(&t, left);
  return left;
}
