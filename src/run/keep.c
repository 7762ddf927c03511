// SPDX-License-Identifier: Apache-2.0
#include "run/keep.h"

#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "run/sim.h"

static void list_node(cardan_sim *sim, cardan__spans *list)
{
  cardan_data *data = sim->data;
  list->n = 0;
  CARDAN__SPANS_ONE(list, data->t);
  cardan__spans_add(list, data->q, (size_t)sim->model->nq, sizeof *data->q);
  cardan__spans_add(list, data->v, (size_t)sim->model->nv, sizeof *data->v);
  cardan__spans_add(list, data->z, (size_t)sim->model->nz + (size_t)sim->model->nturning,
                    sizeof *data->z);
  cardan__turns_spans(sim, list);
  CARDAN__SPANS_ONE(list, sim->parts.now);
  if (sim->contacts != NULL) {
    cardan__contacts_spans(sim->contacts, list);
  }
  sim->stepper->method->spans(sim->stepper, list);
}

cardan_status cardan__keep_create(cardan_sim *sim, cardan__keep *keep)
{
  cardan__spans list;
  list_node(sim, &list);
  *keep = (cardan__keep){.node = NULL};
  for (int i = 0; i < list.n; i++) {
    keep->bytes += list.span[i].bytes;
  }
  keep->bytes += sim->contacts != NULL ? cardan__contacts_grasps(sim->contacts, NULL, false) : 0;
  keep->node = cardan__resize(&sim->allocator, NULL, keep->bytes);
  return keep->node != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

void cardan__keep_destroy(cardan_sim *sim, cardan__keep *keep)
{
  cardan__resize(&sim->allocator, keep->node, 0);
  *keep = (cardan__keep){.node = NULL};
}

static void exchange(cardan_sim *sim, const cardan__keep *keep, bool back)
{
  cardan__spans list;
  char *kept = keep->node;
  list_node(sim, &list);
  for (int i = 0; i < list.n; kept += list.span[i].bytes, i++) {
    void *at = list.span[i].at;
    memcpy(back ? at : kept, back ? kept : at, list.span[i].bytes);
  }
  const size_t rest =
      sim->contacts != NULL ? cardan__contacts_grasps(sim->contacts, kept, back) : 0;
  (void)rest;
  CARDAN_ASSERT(kept + rest == keep->node + keep->bytes); // spans are the same every time
}

void cardan__keep_node(cardan_sim *sim, const cardan__keep *keep)
{
  exchange(sim, keep, false);
}

void cardan__keep_back(cardan_sim *sim, const cardan__keep *keep)
{
  exchange(sim, keep, true);
  sim->data->fresh = 0;
  if (sim->stepper->method->rejoin != NULL) {
    sim->stepper->method->rejoin(sim->stepper, sim->data, true);
  }
  cardan__contacts_rejoin(sim);
}
