// SPDX-License-Identifier: Apache-2.0
#include "batch/aside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "batch/alone.h"

typedef struct {
  cardan__aside *aside;
  const cardan__batch *b;
} room;

static void layout(void *what, cardan__carver *c)
{
  const room *r = what;
  cardan__aside *a = r->aside;
  const size_t width = (size_t)r->b->kernels->width;
  a->on = CARDAN__CARVE(c, width, int64_t);
  a->until = CARDAN__CARVE(c, width, int64_t);
  a->q = CARDAN__CARVE(c, width * (size_t)r->b->model->nq, double);
  a->v = CARDAN__CARVE(c, width * (size_t)r->b->model->nv, double);
  a->work = CARDAN__CARVE(c, width, double);
  a->note = (char(*)[CARDAN__NOTE_TEXT])cardan__carve(c, width, sizeof *a->note);
}

bool cardan__aside_create(cardan__aside *a, const cardan__batch *b)
{
  room r = {a, b};
  a->block = cardan__carve_block(NULL, layout, &r);
  return a->block != NULL;
}

void cardan__aside_destroy(cardan__aside *a)
{
  cardan__resize(NULL, a->block, 0);
}

bool cardan__aside_starts(const cardan__batch *b, const double *q, const double *v)
{
  bool near = false;
  for (int k = 0; k < b->flat->nlimit; k++) {
    const cardan__lanes_limit *l = &b->flat->limit[k];
    const double way = 2 * fabs(v[l->dof]) * b->options.dt + 1e-6;
    near = near || !(q[l->var] - l->low > way && l->high - q[l->var] > way);
  }
  return near;
}

/* The copy is at node k in the sim: on from there, until lanes can have it. */
static cardan_status take_on(const cardan__aside_call *c, int64_t k)
{
  const cardan__batch *b = c->b;
  cardan_status status = CARDAN_OK;
  bool back = false;
  while (status == CARDAN_OK && k < b->nstep && !back) {
    k++;
    status = cardan_sim_step(c->sim, NULL);
    status = status == CARDAN_OK ? cardan__alone_end_step(b, c->sim, c->copy, k, NULL) : status;
    if (b->halt != NULL && k % 16 == 0 && b->halt(b->user)) {
      return CARDAN_ERR_STOPPED;
    }
    back = status == CARDAN_OK && k % CARDAN__LANES_ENTRY == 0 && k < b->nstep &&
           cardan__sim_clear_of_limits(c->sim);
  }
  c->aside->until[c->lane] = back ? k : b->nstep + 1;
  return status;
}

/* From node k, at which the sim has just been started or resumed; status: of that. */
static bool finish(const cardan__aside_call *c, int64_t k, cardan_status status)
{
  cardan__aside *a = c->aside;
  const cardan_model *m = c->b->model;
  status = status == CARDAN_OK ? take_on(c, k) : status;
  if (status == CARDAN_OK) {
    const cardan_data *data = cardan__sim_node(c->sim);
    memcpy(a->q + (size_t)c->lane * (size_t)m->nq, data->q, (size_t)m->nq * sizeof *a->q);
    memcpy(a->v + (size_t)c->lane * (size_t)m->nv, data->v, (size_t)m->nv * sizeof *a->v);
    cardan__sim_leave(c->sim, c->seen, &a->work[c->lane]);
  }
  return status == CARDAN_OK;
}

bool cardan__aside_start(const cardan__aside_call *c)
{
  cardan__estimate none = {.block = NULL}, *estimate = c->estimate != NULL ? c->estimate : &none;
  cardan__sim_reset(c->sim);
  cardan__sim_lend_estimate(c->sim, estimate);
  cardan_status status = cardan__alone_start(c->b, c->sim, c->copy, NULL);
  snprintf(c->aside->note[c->lane], CARDAN__NOTE_TEXT, "%s", cardan_sim_note(c->sim));
  status = status == CARDAN_OK ? cardan__alone_end_step(c->b, c->sim, c->copy, 0, NULL) : status;
  const bool good = finish(c, 0, status);
  cardan__sim_lend_estimate(c->sim, estimate);
  return good;
}

bool cardan__aside_go(const cardan__aside_call *c, const cardan__lanes *lanes, int64_t k)
{
  const cardan_model *m = c->b->model;
  const int width = c->b->kernels->width;
  cardan__estimate none = {.block = NULL}, *estimate = c->estimate != NULL ? c->estimate : &none;
  cardan_data *data = cardan__sim_node(c->sim);
  cardan__sim_reset(c->sim);
  cardan__sim_lend_estimate(c->sim, estimate);
  cardan__lanes_get(lanes->node_q, width, c->lane, data->q, m->nq);
  cardan__lanes_get(lanes->node_v, width, c->lane, data->v, m->nv);
  cardan__lanes_get(lanes->u, width, c->lane, data->u, m->ninput);
  data->t = (double)k * c->b->options.dt;
  const double work = lanes->node_done[c->lane];
  const bool good = finish(c, k, cardan__sim_resume(c->sim, c->seen, k, work, NULL));
  cardan__sim_lend_estimate(c->sim, estimate);
  return good;
}
