// SPDX-License-Identifier: Apache-2.0
// Kernels in lanes against the library's own, one copy after the other; every width against width
// 1, to the bit; and a copy among neighbours that diverged, to the bit.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CARDAN__WIDTH 1
#include "batch/lanes/lanes.h"
#include "driven_tree.h"
#include "kernels/real.h"
#include "random_tree.h"
#include "run.h"

static const char *const names[] = {"chain:10",  "humanoid", "human", "spherical-chain:8",
                                    "bintree:4", "tree:60",  "top",   driven_tree};

enum { NNAMES = sizeof names / sizeof names[0], MIXED = NNAMES };

/* A model both ways, and states for it. */
typedef struct {
  cardan_model *model;
  cardan_data *data;
  cardan__lanes_model *flat;
} both;

/* Model k of the names; of MIXED on random trees of every kind of joint. */
static both both_of(int k)
{
  both b;
  if (k < NNAMES) {
    b.model = load_model(names[k], NULL);
  } else {
    support_rng rng = {(uint64_t)k};
    cardan_report report;
    cardan_spec *spec = tree_spec(16, &rng);
    expect_ok(cardan_model_build(spec, NULL, &b.model, &report), &report, "tree");
    cardan_spec_destroy(spec);
  }
  assert_null(cardan__lanes_takes(b.model));
  expect_ok(cardan_data_create(b.model, NULL, &b.data), NULL, "data");
  b.flat = cardan__lanes_model_create(b.model);
  assert_non_null(b.flat);
  return b;
}

static void both_free(both *b)
{
  cardan__lanes_model_destroy(b->flat);
  cardan_data_destroy(b->data);
  cardan_model_destroy(b->model);
}

/* A random state, inputs and accelerations to data. */
static void draw(both *b, support_rng *rng)
{
  cardan_q_random(b->model, support_random(rng), b->data->q);
  support_random_vec(rng, b->data->v, b->model->nv, 3.0);
  support_random_vec(rng, b->data->u, b->model->ninput, 6.0);
  support_random_vec(rng, b->data->a, b->model->nv, 5.0);
}

static void put_state(const both *b, cardan__lanes *lanes, int width, int lane)
{
  cardan__lanes_put(lanes->q, width, lane, b->data->q, b->model->nq);
  cardan__lanes_put(lanes->v, width, lane, b->data->v, b->model->nv);
  cardan__lanes_put(lanes->u, width, lane, b->data->u, b->model->ninput);
  cardan__lanes_put(lanes->a, width, lane, b->data->a, b->model->nv);
}

static cardan__lanes *room(const both *b, const cardan__lanes_kernels *k)
{
  cardan__lanes *lanes = cardan__lanes_create(b->flat, k->width, k->size(b->flat));
  assert_non_null(lanes);
  return lanes;
}

/* ---- cosine and sine ---- */

static void test_cos_sin(void **state)
{
  (void)state;
  support_rng rng = {3};
  const double sizes[] = {1e-9, 1.0, 50.0, 1.6e6};
  for (int i = 0; i < 40000; i++) {
    const double x = support_random_in(&rng, -1.0, 1.0) * sizes[i % 4];
    double c, s;
    assert_true(cos_sin(x, &c, &s) == 0);
    assert_near(c, cos(x), DBL_EPSILON / 2 * 1.5); // 1 ulp below 1, and the library's own half
    assert_near(s, sin(x), DBL_EPSILON / 2 * 1.5);
  }
  const double astray[] = {1.7e6, -1e300, HUGE_VAL, -HUGE_VAL, NAN};
  for (int i = 0; i < 5; i++) {
    double c, s;
    assert_true(cos_sin(astray[i], &c, &s) == -1);
  }
}

/* ---- against the library ---- */

/* Size of the wrenches through joints at the last cardan_inverse: what joint forces are left of. */
static double wrench_size(const both *b)
{
  double size = 1.0;
  for (int i = 1; i < b->model->nbody; i++) {
    const cardan_force *f = &b->data->f[i];
    size = fmax(size, sqrt(f->t.x * f->t.x + f->t.y * f->t.y + f->t.z * f->t.z));
    size = fmax(size, sqrt(f->f.x * f->f.x + f->f.y * f->f.y + f->f.z * f->f.z));
  }
  return size;
}

static void check_inverse(both *b, const double *tau_lane)
{
  double tau[200];
  cardan_inverse(b->model, b->data, b->data->a, tau);
  // sums of some hundred terms along a branch, each rounded
  assert_near_vec(tau_lane, tau, b->model->nv, 1e-13 * wrench_size(b));
}

/* Accelerations of an ill-conditioned chain differ by more than rounding; the forces that they take
 * do not. */
static void check_forward(both *b, const double *a_lane)
{
  double tau[200];
  expect_ok(cardan_forward(b->model, b->data, 0, 0), NULL, "forward");
  cardan_inverse(b->model, b->data, a_lane, tau);
  assert_near_vec(tau, b->data->tau, b->model->nv, 1e-12 * wrench_size(b));
  assert_near_vec(a_lane, b->data->a, b->model->nv,
                  1e-8 * fmax(1.0, support_max_abs(b->data->a, b->model->nv)));
}

static void compare(const cardan__lanes_kernels *k, int which, int rounds)
{
  both b = both_of(which);
  cardan__lanes *lanes = room(&b, k);
  support_rng rng = {11};
  double out[200];
  for (int r = 0; r < rounds; r++) {
    const support_rng at = rng;
    for (int l = 0; l < k->width; l++) {
      draw(&b, &rng);
      put_state(&b, lanes, k->width, l);
    }
    k->inverse(b.flat, lanes);
    rng = at;
    for (int l = 0; l < k->width; l++) {
      draw(&b, &rng);
      cardan__lanes_get(lanes->tau, k->width, l, out, b.model->nv);
      check_inverse(&b, out);
    }
    k->loads(b.flat, lanes);
    k->forward(b.flat, lanes);
    rng = at;
    for (int l = 0; l < k->width; l++) {
      draw(&b, &rng);
      cardan__lanes_get(lanes->a, k->width, l, out, b.model->nv);
      check_forward(&b, out);
      assert_true(lanes->left[l] == 0);
    }
  }
  cardan__lanes_destroy(lanes);
  both_free(&b);
}

static void test_against_library(void **state)
{
  (void)state;
  const cardan__lanes_kernels *k;
  for (int w = 0; (k = cardan__lanes_kernels_at(w)) != NULL; w++) {
    for (int i = 0; i < MIXED + 3; i++) {
      compare(k, i, w == 0 ? 125 : 4);
    }
  }
}

/* ---- to the bit ---- */

/* Steps of one copy in a lane, its neighbours as `astray` says: copies of others, or NaN, huge,
 * infinite. */
static void roll(const both *b, const cardan__lanes_kernels *k, int lane, bool astray, int steps,
                 double *q, double *v)
{
  cardan__lanes *lanes = room(b, k);
  const double wrong[] = {NAN, 1e300, HUGE_VAL, 1e150, -1e8, 0.0, 1e-320};
  const cardan_options o = cardan_options_defaults();
  for (int l = 0; l < k->width; l++) {
    put_state(b, lanes, k->width, l);
    for (int i = 0; i < b->model->nq && l != lane && astray; i++) {
      lanes->q[i * k->width + l] = wrong[(i + l) % 7];
    }
    for (int i = 0; i < b->model->nv && l != lane && astray; i++) {
      lanes->v[i * k->width + l] = wrong[(i + 2 * l) % 7];
    }
  }
  k->semi_implicit.start(b->flat, lanes, &o);
  for (int i = 0; i < steps; i++) {
    k->semi_implicit.step(b->flat, lanes, 1e-3);
  }
  assert_true(lanes->left[lane] == 0);
  cardan__lanes_get(lanes->q, k->width, lane, q, b->model->nq);
  cardan__lanes_get(lanes->v, k->width, lane, v, b->model->nv);
  cardan__lanes_destroy(lanes);
}

static void test_bits(void **state)
{
  (void)state;
  for (int i = 0; i < MIXED + 2; i++) {
    both b = both_of(i);
    support_rng rng = {5};
    double q[2][200], v[2][200];
    bool first = true;
    const cardan__lanes_kernels *widest = cardan__lanes_kernels_at(0), *k;
    draw(&b, &rng);
    for (int w = 0; (k = cardan__lanes_kernels_at(w)) != NULL; w++) {
      for (int l = 0; l < k->width && k->fused == widest->fused; l++) {
        roll(&b, k, l, l % 2 == 0, 20, q[!first], v[!first]);
        assert_memory_equal(q[0], q[!first], (size_t)b.model->nq * sizeof(double));
        assert_memory_equal(v[0], v[!first], (size_t)b.model->nv * sizeof(double));
        first = false;
      }
    }
    both_free(&b);
  }
}

/* ---- steps against the library ---- */

static void step_both(int which, int steps)
{
  both b = both_of(which);
  const cardan__lanes_kernels *k = cardan__lanes_kernels_at(0);
  cardan_options o = run_options("aba:semi-implicit", 1e-3, 0);
  o.contacts = "off";
  cardan_sim *sim;
  cardan_report report;
  double q[200], v[200];
  support_rng rng = {8};
  draw(&b, &rng);
  roll(&b, k, 0, false, steps, q, v);
  expect_ok(cardan_sim_create(b.model, &o, NULL, &sim, &report), &report, "sim");
  cardan_data *data = cardan_sim_data(sim);
  memcpy(data->q, b.data->q, (size_t)b.model->nq * sizeof *q);
  memcpy(data->v, b.data->v, (size_t)b.model->nv * sizeof *v);
  memcpy(data->u, b.data->u, (size_t)b.model->ninput * sizeof *v);
  expect_ok(cardan_sim_start(sim, &report), &report, "start");
  for (int i = 0; i < steps; i++) {
    expect_ok(cardan_sim_step(sim, &report), &report, "step");
  }
  data = cardan_sim_data(sim);
  // 50 steps of h: differences of accelerations, 1e-8 relative at most, enter by h^2 steps^2 / 2
  assert_near_vec(q, data->q, b.model->nq, 1e-10 * (1 + support_max_abs(data->q, b.model->nq)));
  assert_near_vec(v, data->v, b.model->nv, 1e-8 * (1 + support_max_abs(data->v, b.model->nv)));
  cardan_sim_destroy(sim);
  both_free(&b);
}

static void test_steps(void **state)
{
  (void)state;
  for (int i = 0; i < MIXED + 3; i++) {
    step_both(i, 50);
  }
}

/* ---- lanes that fail ---- */

static void test_left(void **state)
{
  (void)state;
  both b = both_of(0);
  const cardan__lanes_kernels *k = cardan__lanes_kernels_at(0);
  cardan__lanes *lanes = room(&b, k);
  const cardan_options o = cardan_options_defaults();
  support_rng rng = {2};
  for (int l = 0; l < k->width; l++) {
    draw(&b, &rng);
    put_state(&b, lanes, k->width, l);
  }
  const int last = k->width - 1;
  lanes->v[last] = 1e120;
  k->semi_implicit.start(b.flat, lanes, &o);
  for (int l = 0; l < k->width; l++) {
    assert_int_equal(lanes->left[l], l == last ? -1 : 0);
  }
  lanes->left[last] = 0;
  lanes->v[last] = 0;
  lanes->q[last] = 1e7; // more quarter turns than sincos takes
  k->semi_implicit.step(b.flat, lanes, 1e-3);
  for (int l = 0; l < k->width; l++) {
    assert_int_equal(lanes->left[l], l == last ? -1 : 0);
  }
  cardan__lanes_destroy(lanes);
  both_free(&b);
}

static void expect_refused(const char *model, const char *why)
{
  cardan_model *m = load_model(model, NULL);
  const char *text = cardan__lanes_takes(m);
  assert_non_null(text);
  assert_string_equal(text, why);
  cardan_model_destroy(m);
}

static void test_refused(void **state)
{
  (void)state;
  const char *const force =
      "of a force other than damping, springs, actuators and dry friction in joints";
  expect_refused("scissor:8", "of more than 8 rows of loops");
  expect_refused("spring", force);
  expect_refused("kepler", force);
  expect_refused("(system (rx \"a\" (mass 1 1 1 1)) (torque \"a\" t))", force);
  expect_refused("(system (tz (k \"lift\") (rx \"a\" (mass 1 1 1 1))) (motion \"lift\" t))",
                 "of its kinematic joints");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cos_sin), cmocka_unit_test(test_against_library),
      cmocka_unit_test(test_bits),    cmocka_unit_test(test_steps),
      cmocka_unit_test(test_left),    cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
