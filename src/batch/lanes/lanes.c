// SPDX-License-Identifier: Apache-2.0
#include "batch/lanes/lanes.h"

#include "base/arena.h"
#include "base/cpu_level.h"

extern const cardan__lanes_kernels cardan__lanes_width_1;
#ifdef CARDAN__LANES_X86
extern const cardan__lanes_kernels cardan__lanes_width_4, cardan__lanes_width_8;
#endif

const cardan__lanes_kernels *cardan__lanes_kernels_at(int index)
{
#ifdef CARDAN__LANES_X86
  const int level = cardan__cpu_level();
  if (level >= 4 && index-- == 0) {
    return &cardan__lanes_width_8;
  }
  if (level >= 3 && index-- == 0) {
    return &cardan__lanes_width_4;
  }
#endif
  return index == 0 ? &cardan__lanes_width_1 : NULL;
}

typedef struct {
  cardan__lanes *lanes;
  const cardan__lanes_model *model;
  size_t width, work;
} room;

static void layout(void *what, cardan__carver *c)
{
  room *r = what;
  const cardan__lanes_model *m = r->model;
  const size_t each = r->width * sizeof(double);
  const bool returns = cardan__lanes_may_fall_back(m);
  cardan__lanes *to = cardan__carve(c, 1, sizeof *to), unused;
  r->lanes = to;
  to = to != NULL ? to : &unused;
  to->q = cardan__carve(c, (size_t)m->nq, each);
  to->v = cardan__carve(c, (size_t)m->nv, each);
  to->u = cardan__carve(c, (size_t)m->ninput, each);
  to->a = cardan__carve(c, (size_t)m->nv, each);
  to->tau = cardan__carve(c, (size_t)m->nv, each);
  to->power = cardan__carve(c, 1, each);
  to->left = cardan__carve(c, 1, each);
  to->evaluations = cardan__carve(c, 1, sizeof *to->evaluations);
  to->node_q = cardan__carve(c, returns ? (size_t)m->nq : 0, each);
  to->node_v = cardan__carve(c, returns ? (size_t)m->nv : 0, each);
  to->node_done = cardan__carve(c, 1, each);
  to->foot = cardan__carve(c, 2 * (size_t)m->nfoot, each);
  to->node_foot = cardan__carve(c, 2 * (size_t)m->nfoot, each);
  to->fallback = cardan__carve(c, 1, each);
  to->done = cardan__carve(c, 1, each);
  to->work = cardan__carve(c, r->work, sizeof *to->work);
}

cardan__lanes *cardan__lanes_create(const cardan__lanes_model *model, int width, size_t work)
{
  room r = {.model = model, .width = (size_t)width, .work = work};
  void *block = cardan__carve_block(NULL, layout, &r);
  if (block == NULL) {
    return NULL;
  }
  r.lanes->block = block;
  r.lanes->size = (size_t)((char *)(r.lanes->work + work) - (char *)r.lanes);
  return r.lanes;
}

void cardan__lanes_destroy(cardan__lanes *lanes)
{
  if (lanes != NULL) {
    cardan__resize(NULL, lanes->block, 0);
  }
}
