// SPDX-License-Identifier: Apache-2.0
/* Values of the library as a C program has them: lines "MODEL KEY number ..", numbers in hex, of
 * every model named on the command line at one state. test_values.py asks the same of the package,
 * and compares the bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/cardan.h"

typedef struct {
  const char *name;
  cardan_model *model;
  cardan_data *data;
  double *x, *a; // room for results; accelerations that are requested
} work;

static void put(const work *w, const char *key, const void *x, size_t n)
{
  const double *number = x;
  printf("%s %s", w->name, key);
  for (size_t k = 0; k < n; k++) {
    printf(" %a", number[k]);
  }
  printf("\n");
}

static void coordinates(work *w)
{
  const cardan_model *m = w->model;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  double *q1 = w->x, *out = w->x + nq;
  cardan_q_random(m, 11, q1);
  put(w, "random", q1, nq);
  cardan_q_move(m, q1, w->a, 0.5, out);
  put(w, "move", out, nq);
  cardan_q_difference(m, w->data->q, q1, out);
  put(w, "difference", out, nv);
  cardan_q_interpolate(m, w->data->q, q1, 0.25, out);
  put(w, "interpolate", out, nq);
  cardan_q_dot(m, q1, w->a, out);
  put(w, "q_dot", out, nq);
}

static void frames(work *w)
{
  const cardan_model *m = w->model;
  cardan_data *d = w->data;
  const int last = m->nframe - 1;
  const size_t nv = (size_t)m->nv;
  const cardan_xform X = cardan_frame_pose(m, d, last);
  const cardan_twist twist = cardan_frame_twist(m, d, last, CARDAN_ALIGNED);
  const cardan_twist bias = cardan_frame_bias(m, d, last, CARDAN_WORLD);
  put(w, "pose", &X, sizeof X / sizeof(double));
  put(w, "twist", &twist, 6);
  put(w, "bias_acceleration", &bias, 6);
  cardan_frame_jacobian(m, d, last, CARDAN_LOCAL, w->x);
  put(w, "jacobian", w->x, 6 * nv);
  cardan_frame_jacobian_rate(m, d, last, CARDAN_ALIGNED, w->x);
  put(w, "jacobian_rate", w->x, 6 * nv);
  cardan_relative_jacobian(m, d, 1, last, CARDAN_ALIGNED, w->x);
  put(w, "relative_jacobian", w->x, 6 * nv);
  const cardan_vec3 com = cardan_com(m, d, 0, NULL);
  put(w, "com", &com, 3);
  cardan_com_jacobian(m, d, 0, w->x);
  put(w, "com_jacobian", w->x, 3 * nv);
}

static void terms(work *w)
{
  const cardan_model *m = w->model;
  cardan_data *d = w->data;
  const size_t nv = (size_t)m->nv;
  cardan_crba(m, d, w->x);
  put(w, "mass_matrix", w->x, nv * nv);
  cardan_coriolis(m, d, w->x);
  put(w, "coriolis", w->x, nv * nv);
  cardan_bias_torques(m, d, w->x);
  put(w, "bias", w->x, nv);
  cardan_gravity_torques(m, d, w->x);
  put(w, "gravity_torques", w->x, nv);
  cardan_regressor(m, d, w->a, w->x);
  put(w, "regressor", w->x, nv * 10 * (size_t)(m->nbody - 1));
  cardan_momenta(m, d, w->x);
  put(w, "momenta", w->x, nv);
  const cardan_force momentum = cardan_total_momentum(m, d);
  const cardan_force centroidal = cardan_centroidal(m, d, w->x);
  put(w, "momentum", &momentum, 6);
  put(w, "centroidal", &centroidal, 6);
  put(w, "centroidal_matrix", w->x, 6 * nv);
  put(w, "energy", (double[2]){cardan_kinetic(m, d), cardan_potential(m, d)}, 2);
}

static cardan_status solved(work *w)
{
  const cardan_model *m = w->model;
  cardan_data *d = w->data;
  const size_t nv = (size_t)m->nv, nrow = (size_t)m->nrow;
  cardan_status status = cardan_factor(m, d);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_inertia_inverse(m, d, w->x);
  put(w, "mass_matrix_inverse", w->x, nv * nv);
  cardan_constraints(m, d);
  put(w, "constraint_values", d->rows.phi, nrow);
  put(w, "constraint_gamma", d->rows.gamma, nrow);
  cardan_jacobian(m, d, w->x);
  put(w, "constraint_jacobian", w->x, nrow * nv);
  status = cardan_forward(m, d, 0, 0);
  if (status != CARDAN_OK) {
    return status;
  }
  put(w, "forward", d->a, nv);
  put(w, "multipliers", d->lambda, nrow);
  cardan_reactions(m, d, (cardan_force *)(void *)w->x);
  put(w, "reactions", w->x, 6 * (size_t)m->njoint);
  cardan_poses(m, d); // forward dynamics of a tree needs none
  const cardan_twist rate = cardan_frame_acceleration(m, d, m->nframe - 1, CARDAN_ALIGNED);
  put(w, "acceleration", &rate, 6);
  return CARDAN_OK;
}

/* q: random in trees, the start where loops are to be closed; v, a, tau_in: numbers that are the
 * same in every language. */
static cardan_status begin(work *w)
{
  const cardan_model *m = w->model;
  cardan_data *d = w->data;
  d->t = 0.25;
  for (int k = 0; k < m->nv; k++) {
    d->v[k] = 0.25 * (k % 5) - 0.5;
    d->tau_in[k] = 0.125 * (k % 4);
    w->a[k] = 0.5 * (k % 3) - 0.25;
  }
  if (m->nrow > 0) {
    return cardan_assemble(m, d, NULL, NULL);
  }
  cardan_q_random(m, 3, d->q);
  return CARDAN_OK;
}

static cardan_status values(work *w)
{
  cardan_status status = begin(w);
  if (status != CARDAN_OK) {
    return status;
  }
  put(w, "q", w->data->q, (size_t)w->model->nq);
  put(w, "v", w->data->v, (size_t)w->model->nv);
  coordinates(w);
  cardan_inverse(w->model, w->data, w->a, w->x);
  put(w, "inverse", w->x, (size_t)w->model->nv);
  cardan_kinematics(w->model, w->data);
  frames(w);
  terms(w);
  return solved(w);
}

static cardan_status of_model(const char *name)
{
  cardan_report report = {0};
  work w = {.name = name};
  cardan_status status = cardan_model_load(name, NULL, 0, NULL, &w.model, &report);
  if (status == CARDAN_OK) {
    const size_t n = (size_t)w.model->nq + (size_t)w.model->nv + (size_t)w.model->nrow + 8;
    status = cardan_data_create(w.model, NULL, &w.data);
    w.x = calloc(10 * n * (n + (size_t)w.model->nbody), sizeof *w.x);
    w.a = calloc(n, sizeof *w.a);
  }
  if (status == CARDAN_OK) {
    status = w.x && w.a ? values(&w) : CARDAN_ERR_MEMORY;
  }
  if (status != CARDAN_OK) {
    fprintf(stderr, "%s: %s %s\n", name, cardan_status_text(status), report.message);
  }
  free(w.x);
  free(w.a);
  cardan_data_destroy(w.data);
  cardan_model_destroy(w.model);
  return status;
}

int main(int argc, char **argv)
{
  cardan_blas_one_thread();
  for (int i = 1; i < argc; i++) {
    if (of_model(argv[i]) != CARDAN_OK) {
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}
