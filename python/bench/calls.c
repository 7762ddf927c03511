// SPDX-License-Identifier: Apache-2.0
// The loops of C that python/bench/step.py holds its own against.
#include "cardan/cardan.h"

CARDAN_API cardan_status bench_steps(cardan_sim *sim, int n, cardan_report *report);
CARDAN_API void bench_inverse(const cardan_model *model, cardan_data *data, const double *a,
                              double *tau, int n);

cardan_status bench_steps(cardan_sim *sim, int n, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = cardan_sim_step(sim, report);
  }
  return status;
}

void bench_inverse(const cardan_model *model, cardan_data *data, const double *a, double *tau,
                   int n)
{
  for (int i = 0; i < n; i++) {
    cardan_inverse(model, data, a, tau);
  }
}
