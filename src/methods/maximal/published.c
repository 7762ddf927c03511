// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "methods/maximal/stepper.h"

/* Accelerations and multipliers that come from the step which led to a node, with the rows where
 * that step had them, are overwritten once another step is attempted from there. Those that were
 * seen are saved, and shown again where that step fails. */

void cardan__mx_published_layout(cardan__mx_stepper *s, cardan__carver *c)
{
  const cardan__maximal *mx = s->mx;
  cardan__mx_published *p = &s->shown;
  p->nw = p->nc = 0;
  for (int r = 0; r < mx->set.n; r++) {
    const cardan_row *row = &mx->set.row[r];
    p->nw = row->badr + row->nb > p->nw ? row->badr + row->nb : p->nw;
    p->nc = row->dadr + row->nd > p->nc ? row->dadr + row->nd : p->nc;
  }
  p->cfg = CARDAN__CARVE(c, mx->ncfg * mx->nbody, double);
  p->vel = CARDAN__CARVE(c, mx->nx, double);
  p->acc = CARDAN__CARVE(c, mx->nx, double);
  p->lambda = CARDAN__CARVE(c, mx->neq, double);
  p->limit = CARDAN__CARVE(c, mx->model->nforce, double);
  p->friction = CARDAN__CARVE(c, mx->model->nv, double);
  p->w = CARDAN__CARVE(c, p->nw, cardan_force);
  p->c = CARDAN__CARVE(c, p->nc, double);
}

static void copy(bool back, void *now, void *saved, size_t bytes)
{
  memcpy(back ? now : saved, back ? saved : now, bytes);
}

static void exchange(cardan__mx_stepper *s, bool back)
{
  const cardan__maximal *mx = s->mx;
  const cardan__mx_published *p = &s->shown;
  const size_t size = sizeof(double);
  copy(back, s->acc, p->acc, (size_t)mx->nx * size);
  copy(back, s->lambda, p->lambda, (size_t)mx->neq * size);
  copy(back, mx->limit, p->limit, (size_t)mx->model->nforce * size);
  copy(back, mx->friction, p->friction, (size_t)mx->model->nv * size);
  copy(back, mx->rows.w, p->w, (size_t)p->nw * sizeof *p->w);
  copy(back, mx->rows.c, p->c, (size_t)p->nc * size);
}

void cardan__mx_published_save(cardan__mx_stepper *s, double t)
{
  cardan__mx_published *p = &s->shown;
  exchange(s, false);
  memcpy(p->cfg, s->cfg, (size_t)s->mx->ncfg * (size_t)s->mx->nbody * sizeof *p->cfg);
  memcpy(p->vel, s->vel, (size_t)s->mx->nx * sizeof *p->vel);
  p->t = t;
  p->known = true;
}

bool cardan__mx_published_known(const cardan__mx_stepper *s, double t)
{
  const cardan__mx_published *p = &s->shown;
  const size_t size = (size_t)s->mx->ncfg * (size_t)s->mx->nbody * sizeof *p->cfg;
  return p->known && p->t == t && memcmp(p->cfg, s->cfg, size) == 0 &&
         memcmp(p->vel, s->vel, (size_t)s->mx->nx * sizeof *p->vel) == 0;
}

void cardan__mx_published_restore(cardan__mx_stepper *s)
{
  exchange(s, true);
}
