// SPDX-License-Identifier: Apache-2.0
#include "run/sim_access.h"

#include <string.h>

#include "run/sim.h"

const cardan_model *cardan__sim_model(const cardan_sim *sim)
{
  return sim->model;
}

const cardan_allocator *cardan__sim_allocator(const cardan_sim *sim)
{
  return &sim->allocator;
}

cardan__stepper *cardan__sim_stepper(const cardan_sim *sim)
{
  return sim->stepper;
}

cardan_data *cardan__sim_node(const cardan_sim *sim)
{
  return sim->data;
}

const cardan_stats *cardan__sim_counts(const cardan_sim *sim)
{
  return &sim->stats;
}

cardan_error_estimate cardan__sim_error(const cardan_sim *sim)
{
  return cardan__estimate_find(sim);
}

void cardan__sim_skip_stiff(cardan_sim *sim, bool skips)
{
  sim->skips_stiff = skips;
}

bool cardan__sim_started(const cardan_sim *sim)
{
  return sim->started;
}

bool cardan__sim_has_contacts(const cardan_sim *sim)
{
  return sim->contacts != NULL && cardan__contacts_touch(sim->contacts);
}

int cardan__sim_dry_rows(const cardan_sim *sim)
{
  return sim->contacts != NULL ? sim->contacts->ndry : 0;
}

bool cardan__sim_closed_contact(const cardan_sim *sim, char *name, size_t size)
{
  for (int i = 0; sim->contacts != NULL && i < sim->contacts->gaps.n; i++) {
    if (cardan__contacts_closed(sim->contacts, i)) {
      cardan__contacts_name(sim->contacts, sim->model, i, name, size);
      return true;
    }
  }
  return false;
}

/* ---- several copies that use a sim in turn ---- */

static void load_copy(cardan_sim *sim, const cardan__watched_copy *copy)
{
  sim->stats = copy->stats;
  sim->watch = copy->watch;
  memcpy(sim->watch_text, copy->text, sizeof copy->text);
  cardan__watch_momenta_restart(sim); // of copies it is not checked
}

void cardan__watched_copy_look(cardan_sim *sim, cardan__watched_copy *copy, double balance,
                               double kinetic)
{
  load_copy(sim, copy);
  cardan__watch_look(sim, balance, kinetic, 0);
  copy->stats = sim->stats;
  copy->watch = sim->watch;
  memcpy(copy->text, sim->watch_text, sizeof copy->text);
}

void cardan__watched_copy_end(cardan_sim *sim, cardan__watched_copy *copy,
                              const cardan__estimate *estimate, double t)
{
  const cardan__estimate own = sim->estimate;
  sim->estimate = estimate != NULL ? *estimate : (cardan__estimate){.block = NULL};
  sim->data->t = t;
  sim->note[0] = '\0';
  load_copy(sim, copy);
  if (sim->contacts != NULL) {
    sim->contacts->ledger.stats = copy->stats.contact;
  }
  cardan__sim_note_limits(sim);
  const cardan_status status = cardan__watch_end(sim, NULL);
  (void)status; // only a strict run fails, and no copy is one
  memcpy(copy->text, sim->watch_text, sizeof copy->text);
  copy->error = cardan__estimate_find(sim);
  sim->estimate = own;
}
