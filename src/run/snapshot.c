// SPDX-License-Identifier: Apache-2.0
#include "run/snapshot.h"

#include "base/arena.h"
#include "base/assert.h"
#include "run/sim.h"

/* What a step of several advances changes besides the node. */
static void list_step(cardan_sim *sim, cardan__spans *list)
{
  cardan__spans_add(list, sim->data->u, (size_t)sim->model->ninput, sizeof *sim->data->u);
  CARDAN__SPANS_ONE(list, sim->sampled_control.before);
  CARDAN__SPANS_ONE(list, sim->stats);
  CARDAN__SPANS_ONE(list, sim->watch);
  CARDAN__SPANS_ONE(list, sim->watch_text);
}

static void list_node(cardan_sim *sim, bool whole, cardan__spans *list)
{
  cardan_data *data = sim->data;
  list->n = 0;
  CARDAN__SPANS_ONE(list, data->t);
  cardan__spans_add(list, data->q, (size_t)sim->model->nq, sizeof *data->q);
  cardan__spans_add(list, data->v, (size_t)sim->model->nv, sizeof *data->v);
  cardan__spans_add(list, data->z, (size_t)sim->model->nz + (size_t)sim->model->nturning,
                    sizeof *data->z);
  cardan__angle_unwrap_spans(sim, list);
  CARDAN__SPANS_ONE(list, sim->substeps.now);
  if (whole) {
    list_step(sim, list);
  }
  cardan__switches_spans(&sim->switches, list);
  if (sim->contacts != NULL) {
    cardan__contacts_spans(sim->contacts, list);
  }
  sim->stepper->method->spans(sim->stepper, list);
}

cardan_status cardan__snapshot_create(cardan_sim *sim, bool whole, cardan__snapshot *snapshot)
{
  cardan__spans list;
  list_node(sim, whole, &list);
  *snapshot = (cardan__snapshot){.size = cardan__spans_size(&list), .whole = whole};
  snapshot->size +=
      sim->contacts != NULL ? cardan__contacts_copy_records(sim->contacts, NULL, false) : 0;
  snapshot->bytes = cardan__resize(&sim->allocator, NULL, snapshot->size);
  return snapshot->bytes != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

void cardan__snapshot_destroy(cardan_sim *sim, cardan__snapshot *snapshot)
{
  cardan__resize(&sim->allocator, snapshot->bytes, 0);
  *snapshot = (cardan__snapshot){.bytes = NULL};
}

static void copy_spans(cardan_sim *sim, const cardan__snapshot *snapshot, bool restore)
{
  cardan__spans list;
  list_node(sim, snapshot->whole, &list);
  char *saved = cardan__spans_copy(&list, snapshot->bytes, restore);
  const size_t rest =
      sim->contacts != NULL ? cardan__contacts_copy_records(sim->contacts, saved, restore) : 0;
  (void)rest;
  CARDAN_ASSERT(saved + rest == snapshot->bytes + snapshot->size); // spans are the same every time
}

void cardan__snapshot_save(cardan_sim *sim, const cardan__snapshot *snapshot)
{
  copy_spans(sim, snapshot, false);
}

void cardan__snapshot_restore(cardan_sim *sim, const cardan__snapshot *snapshot)
{
  const cardan_info info = sim->data->info; // keeps the reason of the rollback
  copy_spans(sim, snapshot, true);
  sim->data->fresh = 0;
  if (sim->stepper->method->rejoin != NULL) {
    sim->stepper->method->rejoin(sim->stepper, sim->data, true);
  }
  cardan__contacts_rejoin(sim->contacts, sim->data);
  sim->data->info = info;
}
