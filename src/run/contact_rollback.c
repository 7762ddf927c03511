// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "base/spans.h"
#include "run/contact_run.h"
#include "run/sim.h"

/* The node that a step begins at, for another attempt from there after one that was accepted: the
 * state of the method alone. Features and gaps of contacts stay. */

static void list_motion(cardan_sim *sim, cardan__spans *list)
{
  cardan_data *data = sim->data;
  list->n = 0;
  CARDAN__SPANS_ONE(list, data->t);
  cardan__spans_add(list, data->q, (size_t)sim->model->nq, sizeof *data->q);
  sim->stepper->method->spans(sim->stepper, list);
}

cardan_status cardan__contact_open_rollback(cardan_sim *sim)
{
  cardan__landing *l = &sim->contacts->landing;
  if (l->mode == CARDAN__IMPACTS_LOCATED) {
    return CARDAN_OK;
  }
  cardan__spans list;
  list_motion(sim, &list);
  l->node_size = cardan__spans_size(&list);
  l->node = cardan__resize(&sim->allocator, NULL, l->node_size);
  return l->node != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

void cardan__contact_save_node(cardan_sim *sim)
{
  cardan__spans list;
  list_motion(sim, &list);
  cardan__spans_copy(&list, sim->contacts->landing.node, false);
}

void cardan__contact_restore_node(cardan_sim *sim)
{
  cardan__spans list;
  list_motion(sim, &list);
  cardan__spans_copy(&list, sim->contacts->landing.node, true);
  sim->data->fresh = 0;
  sim->stepper->method->rejoin(sim->stepper, sim->data, true);
}
