// SPDX-License-Identifier: Apache-2.0
// The linear system of the true degrees of freedom against differences of the motion itself: trees,
// loops, drivers, springs, actuators, at rest and moving.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/matrices.h"
#include "linalg/linalg.h"
#include "loops.h"
#include "random_loops.h"
#include "random_tree.h"

enum { MOST = 80 };

typedef struct {
  fixture f;
  cardan_matrices *m;
  double S[MOST * MOST], y[MOST]; // scratch of the tests
  int pivot[MOST], row[MOST], nrank;
} about;

static cardan_matrices *matrices_of(const fixture *f)
{
  cardan_report report = {.message = ""};
  cardan_matrices *m = NULL;
  expect_ok(cardan_matrices_create(f->model, f->data, NULL, &m, &report), &report, "matrices");
  return m;
}

/* Rows that count over held and true coordinates, at data's q, factored. */
static void factor(about *a)
{
  const cardan_model *model = a->f.model;
  const int nv = model->nv;
  static double G[MOST * MOST];
  int at = 0;
  a->nrank = 0;
  cardan_jacobian(model, a->f.data, G);
  memset(a->S, 0, sizeof a->S);
  for (int r = 0; r < model->nrow; r++) {
    if (!model->row_redundant[r]) {
      memcpy(a->S + at++ * nv, G + r * nv, (size_t)nv * sizeof *G);
      a->row[a->nrank++] = r;
    }
  }
  for (int k = 0; k < nv; k++) {
    const bool held = model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
    if (held) {
      a->S[at++ * nv + k] = 1;
    }
  }
  for (int i = 0; i < a->m->n; i++) {
    a->S[at++ * nv + a->m->dof[i]] = 1;
  }
  assert_int_equal(at, nv);
  assert_true(cardan__lu(nv, a->S, a->pivot) < 0);
}

/* The state with x and x' moved by s (nx) from that of the matrices, constraints kept: the motion's
 * own rates of both to rate (nx, out). */
static void motion_at(about *a, const double *s, double *rate)
{
  const cardan_model *model = a->f.model;
  const cardan_matrices *m = a->m;
  cardan_data *data = a->f.data;
  double d[MOST] = {0}, there[MOST], back[MOST], q[MOST], q0[MOST];
  const int nv = model->nv, n = m->n;
  data->t = m->t;
  for (int i = 0; i < n; i++) {
    d[m->dof[i]] = s[i];
  }
  for (int k = 0; k < 12; k++) { // Newton's steps that leave x alone; cheap, so more than enough
    cardan_q_move(model, m->q, d, 1, data->q);
    cardan_kinematics(model, data);
    cardan_constraints(model, data);
    cardan_constraint_max(model, data);
    factor(a);
    memset(a->y, 0, sizeof a->y);
    for (int i = 0; i < a->nrank; i++) {
      a->y[i] = -data->rows.phi[a->row[i]];
    }
    cardan__lu_solve(nv, a->S, a->pivot, a->y);
    for (int i = 0; i < nv; i++) {
      d[i] += a->y[i];
    }
  }
  memset(a->y, 0, sizeof a->y);
  for (int i = 0; i < a->nrank; i++) {
    a->y[i] = -data->rows.phi_t[a->row[i]];
  }
  for (int k = 0, at = a->nrank; k < nv; k++) {
    if (model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC) {
      a->y[at++] = data->v[k];
    }
  }
  for (int i = 0; i < n; i++) {
    a->y[nv - n + i] = m->v[m->dof[i]] + s[n + i];
  }
  cardan__lu_solve(nv, a->S, a->pivot, a->y);
  memcpy(data->v, a->y, (size_t)nv * sizeof *data->v);
  assert_int_equal(cardan_forward(model, data, 0, 0), CARDAN_OK);
  const double h = 1e-4;
  for (int side = -1; side <= 1; side += 2) {
    cardan_q_move(model, m->q, m->v, side * h, q0);
    cardan_q_move(model, data->q, data->v, side * h, q);
    cardan_q_difference(model, q0, q, side > 0 ? there : back);
  }
  for (int i = 0; i < n; i++) {
    rate[i] = (there[m->dof[i]] - back[m->dof[i]]) / (2 * h);
    rate[n + i] = data->a[m->dof[i]];
  }
}

/* Largest difference of A and B from differences of order 4, over the largest entry of both. */
static double worst_of(about *a)
{
  static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  const cardan_matrices *m = a->m;
  const double h = 1e-3;
  double worst = 0, size = 1;
  assert_true(a->f.model->nv <= MOST && a->f.model->nrow <= MOST && a->f.model->nq <= MOST);
  for (int j = 0; j < m->nx + m->nu; j++) {
    double fd[2 * MOST] = {0}, rate[2 * MOST];
    for (int k = 0; k < 4; k++) {
      double s[2 * MOST] = {0};
      cardan_data *data = a->f.data;
      const int u = j - m->nx, input = u - m->nforced;
      double *moved = u < 0 ? &s[j] : input >= 0 ? &data->u[input] : &data->tau_in[m->forced[u]];
      const double before = *moved;
      *moved += at[k] * h;
      motion_at(a, s, rate);
      *moved = before;
      for (int i = 0; i < m->nx; i++) {
        fd[i] += weight[k] * rate[i] / (12 * h);
      }
    }
    for (int i = 0; i < m->nx; i++) {
      const double x = j < m->nx ? m->A[i * m->nx + j] : m->B[i * m->nu + j - m->nx];
      worst = fmax(worst, fabs(x - fd[i]));
      size = fmax(size, fabs(x));
    }
  }
  return worst / size;
}

/* Expects that of a model, at its start (speed 0) or moving with random velocities. */
static void check(const char *text, double speed, uint64_t seed)
{
  about a = {.f = fixture_load(text)};
  support_rng rng = {seed};
  cardan_report report = {.message = ""};
  cardan_data *data = a.f.data;
  for (int k = 0; k < a.f.model->nv; k++) {
    data->v[k] = speed > 0 ? support_random_in(&rng, -speed, speed) : 0;
    data->tau_in[k] = support_random_in(&rng, -1, 1);
  }
  for (int i = 0; i < a.f.model->nbody; i++) {
    double w[6];
    support_random_vec(&rng, w, 6, 1);
    data->f_in[i] = (cardan_force){{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
  }
  expect_ok(cardan_assemble(a.f.model, data, NULL, &report), &report, text);
  a.m = matrices_of(&a.f);
  if (a.m->why[0] != '\0') {
    print_error("%.60s: %s\n", text, a.m->why);
  }
  assert_string_equal(a.m->why, "");
  const double worst = worst_of(&a);
  if (!(worst < 1e-7)) {
    print_error("%.300s, speed %g: off by %.3g\n", text, speed, worst);
  }
  // differences: h^4 times a fifth derivative, some 1e-12 times 1e3; rounding eps / h, rates again
  assert_true(worst < 1e-7);
  cardan_matrices_destroy(a.m);
  fixture_free(&a.f);
}

static void built_in_models(void **state)
{
  (void)state;
  static const char *const name[] = {
      "pendulum:3", "spring",    "closed-chain", "scissor:3",   "fourbar-3d", "pinned-chain:5",
      "gear",       "four-link", "ring:4",       "top",         "tumbler",    "spherical-chain:3",
      "wire",       "ladder:2",  "human",        "slider-crank"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    check(name[i], 0, i);
    check(name[i], 1, 100 + i);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(built_in_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
