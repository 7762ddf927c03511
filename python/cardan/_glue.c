// SPDX-License-Identifier: Apache-2.0
#include "_glue.h"

#include <string.h>

cardan_status cardan_py_steps(cardan_sim *sim, int64_t n, int64_t *done, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (*done = 0; *done < n; (*done)++) {
    status = cardan_sim_step(sim, report);
    if (status != CARDAN_OK) {
      break;
    }
  }
  return status;
}

/* Are t, q, v those that were seen, to the bit? */
static bool is_seen(const cardan_model *model, const cardan_data *data, const double *seen)
{
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
  return memcmp(seen, &data->t, sizeof data->t) == 0
         && memcmp(seen + 1, data->q, nq * sizeof *seen) == 0
         && memcmp(seen + 1 + nq, data->v, nv * sizeof *seen) == 0;
}

void cardan_py_fresh(const cardan_model *model, cardan_data *data, double *seen)
{
  const unsigned made = CARDAN_FRESH_JOINTS | CARDAN_FRESH_POSES | CARDAN_FRESH_VELOCITIES
                        | CARDAN_FRESH_BIAS;
  if ((data->fresh & made) == made && is_seen(model, data, seen)) {
    return;
  }
  cardan_kinematics(model, data); // sets prescribed coordinates
  seen[0] = data->t;
  memcpy(seen + 1, data->q, (size_t)model->nq * sizeof *seen);
  memcpy(seen + 1 + model->nq, data->v, (size_t)model->nv * sizeof *seen);
}
