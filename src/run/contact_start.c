// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cardan/kinematics.h"
#include "constraints/assemble.h"
#include "run/contact_run.h"
#include "run/sim.h"
#include "spatial/spatial.h"

/* Starts. Given values are kept, and have to be within their limits. Values that are not given (0,
 * as in a robot's file) are moved to the nearest limit, and loops are closed around them. If loops
 * do not let all of these stay there, they are closed again from the first start, around only those
 * that closing moved out, which are moved to their limit again. If that does not end, loops and
 * limits are solved together (cardan__close_within_limits). */

enum { MOST_PASSES = 8 };
static const double small = 1e-5; // [m]: of solids, below which tolerances show

/* Notes which features' coordinates are given, in c->gaps.active, and which were moved to a limit,
 * none so far, in c->gaps.closure: neither has another use yet. */
static void note_given(cardan_sim *sim)
{
  const cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  for (int q = 0; q < sim->model->nq; q++) {
    data->q_given[q] = data->q_given[q] || data->q[q] != sim->model->q0[q];
  }
  for (int i = 0; i < c->gaps.nfixed; i++) {
    c->gaps.active[i] = c->gaps.feature[i].k >= 0 && data->q_given[c->gaps.feature[i].q];
    c->gaps.closure[i] = CARDAN__OPEN;
  }
}

/* All that is free goes back to where it was before the loops were closed. */
static void begin_anew(cardan_sim *sim)
{
  for (int q = 0; q < sim->model->nq; q++) {
    if (!sim->data->q_given[q]) {
      sim->data->q[q] = sim->model->q0[q];
    }
  }
}

/* What was placed, at the last pass. */
static void say_placed(cardan_sim *sim)
{
  const cardan__contacts *c = sim->contacts;
  const cardan__feature *first = NULL;
  int placed = 0;
  for (int i = 0; i < c->gaps.nfixed; i++) {
    if (c->gaps.closure[i] == CARDAN__HELD && placed++ == 0) {
      first = &c->gaps.feature[i];
    }
  }
  if (first != NULL) {
    cardan__sim_note_placed(sim, sim->model->joint[first->joint].name, sim->model->q0[first->q],
                            first->bound, placed - 1);
  }
}

cardan_status cardan__contact_place(cardan_sim *sim, int pass, bool *moved, cardan_report *report)
{
  const cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  int placed = 0;
  *moved = false;
  if (pass == 0) {
    note_given(sim);
  }
  for (int i = 0; i < c->gaps.nfixed; i++) {
    const cardan__feature *f = &c->gaps.feature[i];
    if (f->kind != CARDAN__LIMIT) {
      continue;
    }
    const double gap = cardan__feature_gap(f, data->q);
    const cardan_joint *joint = &sim->model->joint[f->joint];
    if (gap >= -CARDAN__CLOSED) {
      if (c->gaps.closure[i] == CARDAN__HELD && gap > CARDAN__CLOSED) {
        data->q_given[f->q] = false;
        c->gaps.closure[i] = CARDAN__OPEN;
      }
      continue;
    }
    if (!isfinite(gap) || c->gaps.active[i] || pass >= MOST_PASSES) {
      return cardan_fail(report, CARDAN_ERR_ASSEMBLY, joint->pos,
                         "the start has joint \"%.60s\" at %.9g, outside its limits %g and %g%s",
                         joint->name, data->q[f->q], joint->limit[0], joint->limit[1],
                         pass > 0 ? ", where closing the loops moved it" : "");
    }
    placed++;
    data->q[f->q] = f->bound;
    data->q_given[f->q] = true;
    c->gaps.closure[i] = CARDAN__HELD;
  }
  const bool closes = sim->options.assemble && sim->model->nrow > 0;
  if (closes ? placed == 0 && pass > 0 : pass == 0) {
    say_placed(sim);
  }
  if (placed > 0 && pass > 0) {
    begin_anew(sim);
  }
  *moved = placed > 0;
  return CARDAN_OK;
}

cardan_status cardan__contact_place_inside(cardan_sim *sim, cardan_report *report)
{
  const cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const cardan__feature *first = NULL;
  bool closed = false;
  int moved = 0;
  for (int i = 0; i < c->gaps.nfixed; i++) {
    if (c->gaps.closure[i] == CARDAN__HELD) {
      data->q_given[c->gaps.feature[i].q] = false;
      c->gaps.closure[i] = CARDAN__OPEN;
    }
  }
  begin_anew(sim);
  for (int i = 0; i < c->gaps.nfixed; i++) {
    const cardan__feature *f = &c->gaps.feature[i];
    if (f->kind == CARDAN__LIMIT && cardan__feature_gap(f, data->q) < -CARDAN__CLOSED &&
        moved++ == 0) {
      first = f;
    }
  }
  const cardan_status status =
      cardan__close_within_limits(sim->model, data, sim->model->q0, data->q_given, &closed);
  if (status != CARDAN_OK || !closed) {
    return status != CARDAN_OK ? cardan__no_memory(report) : CARDAN_ERR_ASSEMBLY;
  }
  if (first != NULL) {
    cardan__sim_note_inside(sim, sim->model->joint[first->joint].name, sim->model->q0[first->q],
                            data->q[first->q], moved - 1);
  }
  return CARDAN_OK;
}

/* Two solids: how deep they overlap, and which way out the first of them has. */
static cardan_status pair_overlaps(const cardan_sim *sim, int pair, cardan_report *report)
{
  const cardan_model *model = sim->model;
  const cardan_pair *p = &model->pair[pair];
  const char *const first = model->solid[p->solid[0]].name;
  cardan__touch touch = {.gap = 0};
  const double gap = cardan__pair_gap(model, pair, sim->data->X_W, &touch);
  const cardan_vec3 way = cardan__vec3_scale(-gap, touch.n);
  return cardan_fail(report, CARDAN_ERR_ASSEMBLY, model->contact[p->contact].pos,
                     "\"%.60s\" and \"%.60s\" overlap at the start by %.3g m: move \"%.60s\" by "
                     "(%.6g %.6g %.6g), take the pair out by no-contact, or option contacts auto",
                     first, model->solid[p->solid[1]].name, -gap, first, way.x + 0.0, way.y + 0.0,
                     way.z + 0.0); // no -0
}

/* Solids that overlap in the file are an error, which names the deepest overlap; overlaps within
 * the rounding of the data are moved apart. */
static cardan_status overlapping(const cardan_sim *sim, cardan_report *report)
{
  const cardan__contacts *c = sim->contacts;
  double deepest = -CARDAN__OVERLAP * (1 + c->size);
  int worst = -1;
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    const double gap =
        i < c->gaps.room ? c->gaps.gap[i] : c->gaps.gap[i] + c->gaps.base[i - c->gaps.room];
    worst = gap < deepest ? i : worst;
    deepest = fmin(gap, deepest);
  }
  const int pair = worst >= c->gaps.room ? c->gaps.watch[worst - c->gaps.room]
                   : worst >= 0          ? c->gaps.feature[worst].pair
                                         : -1;
  if (worst < 0 || pair >= 0) {
    return worst < 0 ? CARDAN_OK : pair_overlaps(sim, pair, report);
  }
  char name[160] = "", by[48] = "";
  const cardan__feature *f = &c->gaps.feature[worst];
  const cardan_bound *bound = f->kind == CARDAN__BOUND ? &sim->model->bound[f->index] : NULL;
  cardan__contacts_name(c, sim->model, worst, name, sizeof name);
  if (bound == NULL || bound->kind != CARDAN_ELEMENT_ROPE) { // whose row is in squares of lengths
    snprintf(by, sizeof by, "%.3g m or rad ", -deepest);
  }
  return cardan_fail(report, CARDAN_ERR_ASSEMBLY,
                     bound != NULL ? bound->pos : sim->model->joint[f->joint].pos,
                     "the start is %sbeyond %s", by, name);
}

/* Tolerances of contacts are lengths: the thinnest solid that is not much larger gets a warning.
 * Points have no size. */
static void note_small(cardan_sim *sim)
{
  const cardan__contacts *c = sim->contacts;
  int thinnest = -1;
  for (int i = 0; i < c->gaps.nsolid; i++) {
    if (c->gaps.width[i] > 0 &&
        c->gaps.width[i] < (thinnest < 0 ? small : c->gaps.width[thinnest])) {
      thinnest = i;
    }
  }
  if (thinnest >= 0) {
    cardan__sim_note_small(sim, thinnest, c->gaps.width[thinnest]);
  }
}

/* Features at the first node of a run, by what follows the rules of cones. */
static cardan_status begin_cones(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  for (int i = 0; i < c->nbody; i++) {
    c->gaps.reach[i] = i > 0 ? c->gaps.min_reach : 0;
  }
  c->ledger.nrecord = c->ledger.nbefore = c->skip.wait = c->landing.wait = 0;
  c->skip.calm = c->trial.unseen = c->landing.contradicts = false;
  c->landing.landed = c->landing.resumes;
  c->ledger.h = c->gaps.last_h = 0;
  sim->data->fresh = 0;
  note_small(sim);
  const cardan_status status = cardan__contacts_enter(c, sim->model, sim->data);
  cardan__contacts_rates(c, sim->model, sim->data);
  return status;
}

cardan_status cardan__contact_begin(cardan_sim *sim, cardan_report *report)
{
  cardan__contacts *c = sim->contacts;
  cardan_status status = CARDAN_OK;
  bool closed = false;
  c->held.n = 0;
  c->held.rested = false;
  c->trial.seek = false;
  c->trial.stale = false; // the start's velocities are the node's
  if (c->by_cones) {
    status = begin_cones(sim);
  }
  for (int i = 0; i < c->gaps.n; i++) {
    c->gaps.active[i] = false;
    c->gaps.gap[i] =
        c->by_cones ? c->gaps.gap[i] : cardan__feature_gap(&c->gaps.feature[i], sim->data->q);
    c->gaps.closure[i] = CARDAN__OPEN;
    closed = closed || cardan__contacts_closed(c, i);
  }
  status = status == CARDAN_OK && !c->landing.resumes ? overlapping(sim, report) : status;
  return closed && status == CARDAN_OK ? cardan__contact_strike(sim, 1) : status;
}
