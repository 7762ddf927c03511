// SPDX-License-Identifier: Apache-2.0
// The variational step in lanes: each copy against the scalar method, every width against width 1
// to the bit, a copy among neighbours that diverged to the bit, and energy over a long run.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch/lanes/lanes.h"
#include "cardan/dynamics.h"
#include "driven_tree.h"
#include "run.h"

enum { WIDEST = 8 };

static const char *const names[] = {"chain:10",  "humanoid", "human", "spherical-chain:8",
                                    "bintree:4", "tree:40",  "top",   driven_tree};
enum { NNAMES = sizeof names / sizeof *names };

/* Copies of a model: their starts, and lanes for them. */
typedef struct {
  cardan_model *model;
  cardan__lanes_model *flat;
  cardan_options options;
  double *q, *v; // WIDEST x nq, x nv
} copies;

static double *numbers(int n)
{
  double *x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

/* Starts near the model's own. */
static copies make_copies(const char *name, double dt)
{
  copies c = {.model = load_model(name, NULL), .options = run_options("vi", dt, 0)};
  const cardan_model *m = c.model;
  support_rng rng = {7};
  c.flat = cardan__lanes_model_create(m);
  assert_non_null(c.flat);
  c.q = numbers(WIDEST * m->nq);
  c.v = numbers(WIDEST * m->nv);
  for (int i = 0; i < WIDEST; i++) {
    double *v = c.v + (size_t)i * (size_t)m->nv;
    support_random_vec(&rng, v, m->nv, 0.2);
    cardan_q_move(m, m->q0, v, 1.0, c.q + (size_t)i * (size_t)m->nq);
    support_random_vec(&rng, v, m->nv, 0.5);
    for (int k = 0; k < m->nv; k++) {
      v[k] += m->v0[k];
    }
  }
  return c;
}

static void free_copies(copies *c)
{
  cardan__lanes_model_destroy(c->flat);
  cardan_model_destroy(c->model);
  free(c->q);
  free(c->v);
}

/* As many copies as there are lanes, started. */
static cardan__lanes *start(const copies *c, const cardan__lanes_kernels *k)
{
  const cardan_model *m = c->model;
  cardan__lanes *lanes = cardan__lanes_create(c->flat, k->width, k->vi.size(c->flat));
  cardan_data *data;
  assert_non_null(lanes);
  expect_ok(cardan_data_create(m, NULL, &data), NULL, "data");
  for (int l = 0; l < k->width; l++) {
    const size_t i = (size_t)l;
    cardan__lanes_put(lanes->q, k->width, l, c->q + i * (size_t)m->nq, m->nq);
    cardan__lanes_put(lanes->v, k->width, l, c->v + i * (size_t)m->nv, m->nv);
    cardan__lanes_put(lanes->u, k->width, l, data->u, m->ninput);
  }
  cardan_data_destroy(data);
  k->vi.start(c->flat, lanes, &c->options);
  return lanes;
}

/* Step i, from 1, as a sim takes it. */
static void step(const copies *c, const cardan__lanes_kernels *k, cardan__lanes *lanes, int i)
{
  const double dt = c->options.dt;
  k->vi.step(c->flat, lanes, i * dt - (i - 1) * dt);
}

/* ---- against the scalar method ---- */

/* Copy i of a sim after so many steps, to q and v; its energy's largest drift. */
static double run_alone(const copies *c, int i, int steps, double *q, double *v)
{
  const cardan_model *m = c->model;
  cardan_report report = {.message = ""};
  cardan_sim *sim;
  expect_ok(cardan_sim_create(m, &c->options, NULL, &sim, &report), &report, "sim");
  cardan_data *data = cardan_sim_data(sim);
  memcpy(data->q, c->q + (size_t)i * (size_t)m->nq, (size_t)m->nq * sizeof *q);
  memcpy(data->v, c->v + (size_t)i * (size_t)m->nv, (size_t)m->nv * sizeof *v);
  expect_ok(cardan_sim_start(sim, &report), &report, "start");
  for (int k = 0; k < steps; k++) {
    expect_ok(cardan_sim_step(sim, &report), &report, "step");
    cardan_sim_data(sim); // which checks the energy
  }
  memcpy(q, data->q, (size_t)m->nq * sizeof *q);
  memcpy(v, data->v, (size_t)m->nv * sizeof *v);
  const double drift = cardan_sim_stats(sim).drift_max;
  cardan_sim_destroy(sim);
  return drift;
}

/* Both stop at residuals of 1e-12 of the momenta: over 150 steps that adds up, and grows with the
 * motion, to some 1e-10; most in spherical-chain, whose bars spin. So many copies may leave. */
static void expect_same(const char *name, double dt, int steps, int leave)
{
  copies c = make_copies(name, dt);
  const cardan_model *m = c.model;
  const cardan__lanes_kernels *k = cardan__lanes_kernels_at(0);
  double *q = numbers(2 * m->nq), *v = numbers(2 * m->nv);
  cardan__lanes *lanes = start(&c, k);
  for (int i = 1; i <= steps; i++) {
    step(&c, k, lanes, i);
  }
  k->vi.node(c.flat, lanes);
  for (int l = 0; l < k->width; l++) {
    if (lanes->left[l] != 0) {
      assert_true(leave-- > 0);
      continue;
    }
    cardan__lanes_get(lanes->q, k->width, l, q, m->nq);
    cardan__lanes_get(lanes->v, k->width, l, v, m->nv);
    run_alone(&c, l, steps, q + m->nq, v + m->nv);
    assert_near_vec(q, q + m->nq, m->nq, 1e-9);
    assert_near_vec(v, v + m->nv, m->nv, 1e-7);
  }
  cardan__lanes_destroy(lanes);
  free(q);
  free(v);
  free_copies(&c);
}

static void test_scalar(void **state)
{
  (void)state;
  for (int i = 0; i < NNAMES; i++) {
    expect_same(names[i], 1e-3, 150, 0);
  }
}

/* Where directions are Newton's, and roots far enough from their guess to be looked at twice. Some
 * copies of the tree have directions that would have to be shortened. */
static void test_long_steps(void **state)
{
  (void)state;
  for (int i = 0; i < NNAMES; i++) {
    expect_same(names[i], 4e-3, 40, strcmp(names[i], "tree:40") == 0 ? WIDEST / 2 : 0);
  }
  expect_same("chain:10", 2e-2, 40, 0);
}

/* ---- to the bit ---- */

static void test_widths(void **state)
{
  (void)state;
  const cardan__lanes_kernels *wide = cardan__lanes_kernels_at(0), *k;
  for (int n = 0; n < 2 * NNAMES; n++) {
    copies c = make_copies(names[n % NNAMES], n < NNAMES ? 1e-3 : 7e-3);
    const size_t nq = (size_t)c.model->nq, nv = (size_t)c.model->nv;
    double *q = numbers(2 * c.model->nq), *v = numbers(2 * c.model->nv);
    for (int w = 1; (k = cardan__lanes_kernels_at(w)) != NULL && k->fused == wide->fused; w++) {
      cardan__lanes *a = start(&c, wide), *b = start(&c, k);
      for (int i = 1; i <= 25; i++) {
        step(&c, wide, a, i);
        step(&c, k, b, i);
      }
      wide->vi.node(c.flat, a);
      k->vi.node(c.flat, b);
      for (int l = 0; l < k->width; l++) {
        cardan__lanes_get(a->q, wide->width, l, q, c.model->nq);
        cardan__lanes_get(b->q, k->width, l, q + nq, c.model->nq);
        cardan__lanes_get(a->v, wide->width, l, v, c.model->nv);
        cardan__lanes_get(b->v, k->width, l, v + nv, c.model->nv);
        assert_memory_equal(q, q + nq, nq * sizeof *q);
        assert_memory_equal(v, v + nv, nv * sizeof *v);
        assert_int_equal(a->left[l], b->left[l]);
      }
      cardan__lanes_destroy(a);
      cardan__lanes_destroy(b);
    }
    free(q);
    free(v);
    free_copies(&c);
  }
}

/* Neighbours that spin wildly, are not numbers, or need other directions: they leave, or not, and
 * the lane between them does not see it. */
static void test_neighbours(void **state)
{
  (void)state;
  const cardan__lanes_kernels *k = cardan__lanes_kernels_at(0);
  for (int n = 0; n < NNAMES && k->width > 2; n++) {
    copies c = make_copies(names[n], 2e-3);
    const int nv = c.model->nv, nq = c.model->nq, w = k->width;
    cardan__lanes *a = start(&c, k);
    c.v[0] = 3e4;
    c.v[2 * nv] = NAN;
    for (int j = 0; j < nv && w > 4; j++) {
      c.v[5 * nv + j] *= 30;
    }
    cardan__lanes *b = start(&c, k);
    for (int i = 1; i <= 25; i++) {
      step(&c, k, a, i);
      step(&c, k, b, i);
    }
    k->vi.node(c.flat, a);
    k->vi.node(c.flat, b);
    assert_int_equal(b->left[2], -1);
    for (int l = 1; l < w; l += l == 1 ? 2 : l == 4 ? 2 : 1) {
      assert_int_equal(b->left[l], 0);
      for (int j = 0; j < nq; j++) {
        assert_true(a->q[j * w + l] == b->q[j * w + l]);
      }
      for (int j = 0; j < nv; j++) {
        assert_true(a->v[j * w + l] == b->v[j * w + l]);
      }
    }
    cardan__lanes_destroy(a);
    cardan__lanes_destroy(b);
    free_copies(&c);
  }
}

/* ---- energy ---- */

/* Bounded as the scalar method's over 4000 steps of a chaotic motion: each copy's largest drift is
 * that of the first copies alone but for chance. */
static void test_energy(void **state)
{
  (void)state;
  enum { STEPS = 4000 };
  copies c = make_copies("pendulum:3", 5e-3);
  const cardan_model *m = c.model;
  const cardan__lanes_kernels *k = cardan__lanes_kernels_at(0);
  cardan__lanes *lanes = start(&c, k);
  cardan_data *data;
  double *q = numbers(m->nq), *v = numbers(m->nv), first[WIDEST], drift[WIDEST] = {0};
  expect_ok(cardan_data_create(m, NULL, &data), NULL, "data");
  for (int i = 0; i <= STEPS; i++) {
    if (i > 0) {
      step(&c, k, lanes, i);
      k->vi.node(c.flat, lanes);
    }
    for (int l = 0; l < k->width; l++) {
      cardan__lanes_get(lanes->q, k->width, l, data->q, m->nq);
      cardan__lanes_get(lanes->v, k->width, l, data->v, m->nv);
      cardan_kinematics(m, data);
      const double energy = cardan_kinetic(m, data) + cardan_potential(m, data);
      first[l] = i == 0 ? energy : first[l];
      drift[l] = fmax(drift[l], fabs(energy - first[l]));
    }
  }
  double alone = 0, most = 0;
  for (int l = 0; l < k->width; l++) {
    assert_int_equal(lanes->left[l], 0);
    most = fmax(most, drift[l]);
    alone = l < 4 ? fmax(alone, run_alone(&c, l, STEPS, q, v)) : alone;
  }
  assert_true(most > 0 && most < 3 * alone && alone < 3 * most);
  cardan_data_destroy(data);
  cardan__lanes_destroy(lanes);
  free(q);
  free(v);
  free_copies(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scalar), cmocka_unit_test(test_long_steps),
      cmocka_unit_test(test_widths), cmocka_unit_test(test_neighbours),
      cmocka_unit_test(test_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
