// SPDX-License-Identifier: Apache-2.0
// A cart that balances a pole: A and B of one step from cardan_linearize, the gain of the linear
// quadratic regulator from them, and the real pole let go at 11 degrees.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"

enum { N = 4 }; // x = (q, p): place and angle, and their momenta

static const char text[] = "(system \"cart-pole\" (gravity 0 0 -9.81)"
                           " (tx \"place\" (mass 1) (ry \"angle\" (tz 0.5 (mass 0.2)))))";

/* y = A^T x, or A x */
static void multiply(const double A[N * N], bool transposed, const double x[N], double y[N])
{
  for (int i = 0; i < N; i++) {
    y[i] = 0;
    for (int j = 0; j < N; j++) {
      y[i] += A[transposed ? N * j + i : N * i + j] * x[j];
    }
  }
}

/* K of u = -K x, by the Riccati recursion with weights 1 on u and w on x, in Joseph's form, which
 * keeps P symmetric:
 *   K = b^T P A / (1 + b^T P b),   C = A - b K,   P <- W + K^T K + C^T P C */
static void gain(const double A[N * N], const double b[N], const double w[N], double K[N])
{
  double P[N * N] = {0};
  for (int step = 0; step < 3000; step++) {
    double Pb[N], C[N * N], next[N * N], scale = 1;
    multiply(P, false, b, Pb);
    multiply(A, true, Pb, K);
    for (int i = 0; i < N; i++) {
      scale += b[i] * Pb[i];
    }
    for (int i = 0; i < N * N; i++) {
      C[i] = A[i] - b[i / N] * K[i % N] / scale;
    }
    for (int j = 0; j < N; j++) {
      const double column[N] = {C[j], C[N + j], C[2 * N + j], C[3 * N + j]};
      double Pc[N];
      multiply(P, false, column, Pc);
      multiply(C, true, Pc, next + (size_t)N * (size_t)j); // row j of a symmetric matrix
    }
    for (int i = 0; i < N; i++) {
      K[i] /= scale;
    }
    for (int i = 0; i < N * N; i++) {
      P[i] = next[i] + K[i / N] * K[i % N] + (i / N == i % N ? w[i / N] : 0);
    }
  }
}

/* The gain at the upright rest where the sim stands. */
static cardan_status design(cardan_sim *sim, double K[N], cardan_report *report)
{
  const double w[N] = {10, 10, 1, 1};
  cardan_linearization *linear = NULL;
  const cardan_status status = cardan_linearize(sim, NULL, &linear, report);
  if (status == CARDAN_OK) {
    double b[N];
    for (int i = 0; i < N; i++) {
      b[i] = linear->B[i * linear->nu]; // the first input is the force on the cart
    }
    gain(linear->A, b, w, K);
    for (int i = 0; i < N; i++) {
      char name[32];
      cardan_linearization_state(linear, i, name, sizeof name);
      printf("gain on %-8s %9.3f\n", name, K[i]);
    }
  }
  cardan_linearization_destroy(linear);
  return status;
}

/* Ten seconds under u = -K x. */
static cardan_status balance(const cardan_model *model, cardan_sim *sim, const double K[N],
                             cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < 1000 && status == CARDAN_OK; i++) {
    cardan_data *data = cardan_sim_data(sim);
    double p[2];
    cardan_momenta(model, data, p);
    data->tau_in[0] = -(K[0] * data->q[0] + K[1] * data->q[1] + K[2] * p[0] + K[3] * p[1]);
    status = cardan_sim_step(sim, report);
  }
  return status;
}

int main(void)
{
  cardan_report report = {.message = ""};
  const cardan_options options = cardan_options_defaults(); // vi, steps of 0.01 s
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  double K[N], q[2] = {NAN, NAN};
  cardan_status status = cardan_spec_read(text, strlen(text), NULL, NULL, 0, NULL, &spec, &report);
  status = status ? status : cardan_model_build(spec, NULL, &model, &report);
  status = status ? status : cardan_sim_create(model, &options, NULL, &sim, &report);
  status = status ? status : cardan_sim_start(sim, &report);
  status = status ? status : design(sim, K, &report);
  if (status == CARDAN_OK) {
    cardan_sim_data(sim)->q[1] = 0.2;
    status = cardan_sim_start(sim, &report);
  }
  status = status ? status : balance(model, sim, K, &report);
  if (status == CARDAN_OK) {
    memcpy(q, cardan_sim_data(sim)->q, sizeof q);
    printf("after 10 s: cart at %.1e m, pole at %.1e rad\n", q[0], q[1]);
  } else {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
  return fabs(q[0]) < 1e-3 && fabs(q[1]) < 1e-3 ? 0 : 1;
}
