// SPDX-License-Identifier: Apache-2.0
#include "batch/fallback.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "batch/scalar_copy.h"

typedef struct {
  cardan__fallback *fallback;
  const cardan__batch *b;
} room;

static void layout(void *what, cardan__carver *c)
{
  const room *r = what;
  cardan__fallback *f = r->fallback;
  const size_t width = (size_t)r->b->kernels->width;
  f->on = CARDAN__CARVE(c, width, int64_t);
  f->until = CARDAN__CARVE(c, width, int64_t);
  f->back = CARDAN__CARVE(c, width, int64_t);
  f->stay = CARDAN__CARVE(c, width, int64_t);
  f->q = CARDAN__CARVE(c, width * (size_t)r->b->model->nq, double);
  f->v = CARDAN__CARVE(c, width * (size_t)r->b->model->nv, double);
  f->work = CARDAN__CARVE(c, width, double);
  f->foot = CARDAN__CARVE(c, width * 2 * (size_t)r->b->flat->nfoot, double);
  f->note = (char(*)[CARDAN__NOTE_TEXT])cardan__carve(c, width, sizeof *f->note);
}

bool cardan__fallback_create(cardan__fallback *f, const cardan__batch *b)
{
  room r = {f, b};
  f->block = cardan__carve_block(NULL, layout, &r);
  return f->block != NULL;
}

void cardan__fallback_destroy(cardan__fallback *f)
{
  cardan__resize(NULL, f->block, 0);
}

bool cardan__fallback_start_is_near(const cardan__batch *b, const double *q, const double *v)
{
  bool near = b->flat->nfoot + b->flat->nguard + b->flat->nrow > 0; // overlaps and loops are closed
  for (int k = 0; k < b->flat->nlimit; k++) {
    const cardan__lanes_limit *l = &b->flat->limit[k];
    const double way = 2 * fabs(v[l->dof]) * b->options.dt + 1e-6;
    near = near || !(q[l->var] - l->low > way && l->high - q[l->var] > way);
  }
  return near;
}

/* Steps that a copy that falls back at node k is to stay in the sim. */
static int64_t lengthen_stay(cardan__fallback *f, int lane, int64_t k)
{
  const int64_t before = f->stay[lane], longer = 2 * before;
  const bool soon = before > 0 && k - f->back[lane] < 4 * before;
  f->stay[lane] = !soon                           ? CARDAN__SHORTEST_STAY
                  : longer < CARDAN__LONGEST_STAY ? longer
                                                  : CARDAN__LONGEST_STAY;
  return f->stay[lane];
}

/* The sim is at node k: steps until the copy can return to its lane. */
static cardan_status run_to_return(const cardan__fallback_call *c, int64_t k)
{
  const cardan__batch *b = c->b;
  const int64_t first = k + lengthen_stay(c->fallback, c->lane, k);
  cardan_status status = CARDAN_OK;
  bool returns = false;
  while (status == CARDAN_OK && k < b->nstep && !returns) {
    k++;
    status = cardan_sim_step(c->sim, NULL);
    status =
        status == CARDAN_OK ? cardan__scalar_copy_end_step(b, c->sim, c->copy, k, NULL) : status;
    if (b->halt != NULL && k % 16 == 0 && b->halt(b->user)) {
      return CARDAN_ERR_STOPPED;
    }
    returns = status == CARDAN_OK && k % CARDAN__LANES_ENTRY == 0 && k >= first && k < b->nstep &&
              cardan__sim_suits_lanes(c->sim);
  }
  c->fallback->until[c->lane] = c->fallback->back[c->lane] = returns ? k : b->nstep + 1;
  return status;
}

/* What a step reads of closed feet beside q and v, from the sim to the lane's place. */
static void read_feet(const cardan__fallback_call *c)
{
  const cardan__lanes_model *flat = c->b->flat;
  double *foot = c->fallback->foot + (size_t)c->lane * 2 * (size_t)flat->nfoot;
  for (int j = 0; j < flat->nfoot; j++) {
    const cardan__lanes_foot *is = &flat->foot[j];
    cardan__sim_contact_past(c->sim, is->pair, is->spot, &foot[2 * j], &foot[2 * j + 1]);
  }
}

/* And back, to a sim that was resumed at the node of lanes. */
static void write_feet(const cardan__fallback_call *c, const cardan__lanes *lanes)
{
  const cardan__lanes_model *flat = c->b->flat;
  for (int j = 0; j < flat->nfoot; j++) {
    const cardan__lanes_foot *is = &flat->foot[j];
    const double push = lanes->node_foot[2 * j * c->b->kernels->width + c->lane];
    cardan__sim_set_contact_past(c->sim, is->pair, is->spot, push);
  }
}

/* After the sim was started or resumed at node k, with that status. */
static bool run_and_store(const cardan__fallback_call *c, int64_t k, cardan_status status)
{
  cardan__fallback *f = c->fallback;
  const cardan_model *m = c->b->model;
  status = status == CARDAN_OK ? run_to_return(c, k) : status;
  if (status == CARDAN_OK) {
    const cardan_data *data = cardan__sim_node(c->sim);
    memcpy(f->q + (size_t)c->lane * (size_t)m->nq, data->q, (size_t)m->nq * sizeof *f->q);
    memcpy(f->v + (size_t)c->lane * (size_t)m->nv, data->v, (size_t)m->nv * sizeof *f->v);
    read_feet(c);
    cardan__sim_leave(c->sim, c->seen, &f->work[c->lane]);
  }
  return status == CARDAN_OK;
}

bool cardan__fallback_from_start(const cardan__fallback_call *c)
{
  cardan__estimate none = {.block = NULL}, *estimate = c->estimate != NULL ? c->estimate : &none;
  cardan__sim_reset(c->sim);
  cardan__sim_swap_estimate(c->sim, estimate);
  cardan_status status = cardan__scalar_copy_start(c->b, c->sim, c->copy, NULL);
  snprintf(c->fallback->note[c->lane], CARDAN__NOTE_TEXT, "%s", cardan_sim_note(c->sim));
  status =
      status == CARDAN_OK ? cardan__scalar_copy_end_step(c->b, c->sim, c->copy, 0, NULL) : status;
  const bool good = run_and_store(c, 0, status);
  cardan__sim_swap_estimate(c->sim, estimate);
  return good;
}

bool cardan__fallback_from_node(const cardan__fallback_call *c, const cardan__lanes *lanes,
                                int64_t k)
{
  const cardan_model *m = c->b->model;
  const int width = c->b->kernels->width;
  cardan__estimate none = {.block = NULL}, *estimate = c->estimate != NULL ? c->estimate : &none;
  cardan_data *data = cardan__sim_node(c->sim);
  cardan__sim_reset(c->sim);
  cardan__sim_swap_estimate(c->sim, estimate);
  cardan__lanes_get(lanes->node_q, width, c->lane, data->q, m->nq);
  cardan__lanes_get(lanes->node_v, width, c->lane, data->v, m->nv);
  cardan__lanes_get(lanes->u, width, c->lane, data->u, m->ninput);
  data->t = (double)k * c->b->options.dt;
  const double work = lanes->node_done[c->lane];
  const cardan_status status = cardan__sim_resume(c->sim, c->seen, k, work, NULL);
  write_feet(c, lanes);
  const bool good = run_and_store(c, k, status);
  cardan__sim_swap_estimate(c->sim, estimate);
  return good;
}
