// SPDX-License-Identifier: Apache-2.0
// The equation of motion taken apart, M a + C v + g = tau: what a computed-torque controller needs,
// and the identities that hold between its pieces.
#include <math.h>
#include <stdio.h>

#include "cardan/cardan.h"

enum { NV = 5 };

/* y = A x + y */
static void add_product(const double A[NV * NV], const double *x, double *y)
{
  for (int i = 0; i < NV * NV; i++) {
    y[i / NV] += A[i] * x[i % NV];
  }
}

/* Torques for wanted accelerations, put together and by the recursion: how far they are apart. */
static double compare(const cardan_model *model, cardan_data *data)
{
  const double wanted[NV] = {1, -2, 3, -1, 0.5};
  double M[NV * NV], C[NV * NV], tau[NV], direct[NV], worst = 0;
  cardan_joints(model, data);     // placements from q
  cardan_velocities(model, data); // twists from v
  cardan_crba(model, data, M);
  cardan_coriolis(model, data, C);
  cardan_gravity_torques(model, data, tau); // g
  add_product(C, data->v, tau);             // + C v
  add_product(M, wanted, tau);              // + M a
  cardan_rnea(model, data, wanted, direct);
  for (int i = 0; i < NV; i++) {
    printf("joint %d: tau %9.4f N m\n", i + 1, tau[i]);
    worst = fmax(worst, fabs(tau[i] - direct[i]));
  }
  return worst;
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  cardan_data *data = NULL;
  cardan_status status = cardan_model_load("pendulum:5", NULL, 0, NULL, &model, &report);
  status = status ? status : cardan_data_create(model, NULL, &data);
  double worst = INFINITY;
  if (status == CARDAN_OK && model->nv == NV) {
    for (int i = 0; i < NV; i++) {
      data->q[i] = 0.3 * i;
      data->v[i] = 1 - 0.4 * i;
    }
    worst = compare(model, data);
    printf("apart from cardan_rnea by %.1e N m\n", worst);
  } else {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_data_destroy(data);
  cardan_model_destroy(model);
  return worst < 1e-12 ? 0 : 1;
}
