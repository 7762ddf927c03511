// SPDX-License-Identifier: Apache-2.0
// The O(n) recursions by themselves, in memory of the program: forward dynamics by articulated
// bodies, by a factor of M, and in canonical momenta; all work space is allocated beforehand.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cardan/cardan.h"

enum { NV = 5 };

static double apart(const double *a, const double *b)
{
  double worst = 0;
  for (int i = 0; i < NV; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
  }
  return worst;
}

/* Accelerations under torques tau in three ways: how far they are apart. */
static double compare(const cardan_model *model, cardan_data *data, const double tau[NV])
{
  double a[NV], bias[NV], rest[NV], solved[NV], p[NV], pdot[NV], v[NV], by_momenta[NV];
  cardan_joints(model, data);
  cardan_velocities(model, data);
  cardan_bias_accelerations(model, data); // J' v of every body, in data->A0
  if (cardan_factor(model, data) != CARDAN_OK) {
    return INFINITY;
  }
  cardan_aba(model, data, tau, a);
  cardan_bias_torques(model, data, bias); // a = M^-1 (tau - c)
  for (int i = 0; i < NV; i++) {
    rest[i] = tau[i] - bias[i];
  }
  cardan_factor_solve(model, data, NULL, rest, solved);
  cardan_momenta(model, data, p); // p = M v, and v = M^-1 p again
  cardan_momenta_velocities(model, data, p, v);
  cardan_momenta_rates(model, data, tau, pdot);
  cardan_momenta_accelerations(model, data, pdot, by_momenta);
  for (int i = 0; i < NV; i++) {
    printf("joint %d: a %10.4f rad/s^2, p %8.4f kg m^2/s\n", i + 1, a[i], p[i]);
  }
  return fmax(apart(a, solved), fmax(apart(a, by_momenta), apart(v, data->v)));
}

int main(void)
{
  const double tau[NV] = {1, -2, 0.5, 0, 3};
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  double worst = INFINITY;
  if (cardan_model_load("pendulum:5", NULL, 0, NULL, &model, &report) != CARDAN_OK) {
    fprintf(stderr, "%s\n", report.message);
    return 1;
  }
  const size_t size = (cardan_data_size(model) + 63) / 64 * 64;
  void *memory = aligned_alloc(64, size);
  cardan_data *data = memory != NULL ? cardan_data_init(model, memory) : NULL;
  if (data != NULL && model->nv == NV && cardan_forward_reserve(model, data) == CARDAN_OK &&
      cardan_slopes_reserve(model, data) == CARDAN_OK) {
    for (int i = 0; i < NV; i++) {
      data->q[i] = 0.3 * i;
      data->v[i] = 1 - 0.4 * i;
    }
    worst = compare(model, data, tau);
    printf("apart by %.1e\n", worst);
  }
  cardan_data_destroy(data);
  free(memory);
  cardan_model_destroy(model);
  return worst < 1e-10 ? 0 : 1;
}
