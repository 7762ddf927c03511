// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "contact/contacts.h"
#include "run/contact_run.h"
#include "run/sim.h"

cardan_status cardan__contact_fail(cardan_sim *sim, int i, const char *what)
{
  const cardan__contacts *c = sim->contacts;
  cardan_info *info = &sim->data->info;
  char name[160] = "";
  *info = (cardan_info){.body = -1,
                        .joint = i < c->gaps.room ? c->gaps.feature[i].joint : -1,
                        .row = -1,
                        .whole = false};
  cardan__contacts_name(c, sim->model, i, name, sizeof name);
  snprintf(info->message, sizeof info->message, "%s %s", name, what);
  return CARDAN_ERR_NO_CONVERGENCE;
}
