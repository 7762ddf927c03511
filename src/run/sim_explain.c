// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "run/sim.h"

/* Why a start or a step failed, where, and what may help. */

/* What may help this method; "" if unknown. A smaller dt does not help at a start, or if dt is the
 * interval of rows. */
static const char *suggest_remedy(const cardan_sim *sim, cardan_status status, bool starting)
{
  const bool dt = !starting && !cardan__sim_adaptive(sim);
  const bool parts = sim->options.adapt == 0 && sim->options.order == 2 &&
                     cardan__option_find(sim->stepper->method, "adapt") != NULL;
  switch (status) {
  case CARDAN_ERR_NOT_POSDEF:
    return "; give the body below the joint a mass away from its axis";
  case CARDAN_ERR_STEP_TOO_SMALL:
    return sim->options.adapt > 0
               ? "; try a larger adapt, or check for a force that is not smooth"
               : "; try a larger rtol and atol, or check for a force that is not smooth";
  case CARDAN_ERR_SINGULAR:
    return dt ? "; try another start or another dt" : "; try another start";
  case CARDAN_ERR_NO_ROOT:
    return parts ? "; try a smaller dt, or option adapt 1e-3" : "; try a smaller dt";
  case CARDAN_ERR_NO_CONVERGENCE:
    return dt ? "; try a smaller dt" : "";
  case CARDAN_ERR_NOT_FINITE:
    return dt ? "; try a smaller dt, or check for a force that is not finite there"
              : "; check for a force that is not finite there";
  default:
    return "";
  }
}

/* Where a failed call went wrong, as far as data->info knows, after what the status says. */
cardan_status cardan__sim_explain_at(cardan_sim *sim, cardan_status status, const char *when,
                                     cardan_report *report)
{
  const cardan_model *model = sim->model;
  const cardan_info *info = &sim->data->info;
  char where[sizeof info->message + 2] = "", what[384];
  const bool named = status == CARDAN_ERR_NOT_FINITE && info->whole; // a gap, in the message
  if (status != CARDAN_ERR_MEMORY && !named && cardan__sim_undefined(sim, what, sizeof what)) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "%s: %s: %s", when,
                       cardan_status_text(CARDAN_ERR_NOT_FINITE), what);
  }
  if ((status == CARDAN_ERR_NO_CONVERGENCE || status == CARDAN_ERR_NO_ROOT ||
       (status == CARDAN_ERR_STEP_TOO_SMALL && cardan__sim_adaptive(sim))) &&
      sim->started && cardan__switches_explain(sim, what, sizeof what)) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "%s: %s: %s", when,
                       cardan_status_text(status), what);
  }
  if (status == CARDAN_ERR_SINGULAR && info->whole) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "%s: %s", when, info->message);
  }
  if (info->message[0] != 0) {
    snprintf(where, sizeof where, ": %s", info->message);
  } else if (info->row >= 0) {
    const cardan_constraint *c = &model->constraint[model->row[info->row].constraint];
    snprintf(where, sizeof where, " at constraint \"%.60s\"", c->name);
  } else if (info->joint >= 0) {
    snprintf(where, sizeof where, " at joint \"%.60s\"", model->joint[info->joint].name);
  }
  return cardan_fail(report, status, (cardan_pos){0, 0}, "%s: %s%s%s", when,
                     cardan_status_text(status), where,
                     info->whole ? "" : suggest_remedy(sim, status, !sim->started));
}

cardan_status cardan__sim_explain(cardan_sim *sim, cardan_status status, cardan_report *report)
{
  char when[96];
  snprintf(when, sizeof when, "at t = %.6g, in step %lld", sim->data->t,
           (long long)sim->stats.steps + 1);
  return cardan__sim_explain_at(sim, status, when, report);
}
