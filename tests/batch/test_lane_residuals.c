// SPDX-License-Identifier: Apache-2.0
// The kernels in lanes and the scalar code compute the same functions: momenta and residuals of a
// variational step and inverse dynamics agree to 1e-14 of what they are sums of, on random states
// of trees with every kind of joint that lanes take. Newton's directions and forward dynamics,
// which both find by an elimination of their own, agree to 5e-13 of what they solve. The kernels
// are those of width 1; test_lanes and test_lanes_vi hold the other widths to its bits.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CARDAN__WIDTH 1
#define cardan__lanes_width_1 kernels_here // beside that of the library
#include "batch/lanes/width.h"
#include "driven_tree.h"
#include "methods/vi/vi.h"
#include "model/data.h"
#include "random_tree.h"
#include "run.h"

static const double agreement = 1e-14; // of sums
/* Of solutions of linear systems: an elimination leaves a multiple of rounding that grows with the
 * ratio of inertias to pivots. The largest of the cases here is 1e-13. */
static const double solved = 5e-13;

enum { SEEDS = 24, MAX_NV = 256 };

/* What a test measures. */
typedef struct {
  double residual, momentum, direction, inverse, forward;
  int directions, refused;
} worst;

/* Both codes for one model. */
typedef struct {
  cardan_model *model;
  cardan_data *data;
  cardan_options options;
  cardan__vi *vi; // the scalar code
  cardan__lanes_model *flat;
  cardan__lanes *lanes;
  vi_lanes s; // the same in lanes
} twins;

static cardan_model *make_model(int seed)
{
  static const char *const names[] = {driven_tree,         "humanoid",  "human",
                                      "spherical-chain:8", "bintree:4", "chain:10"};
  enum { NNAMES = sizeof names / sizeof *names };
  if (seed < NNAMES) {
    return load_model(names[seed], NULL);
  }
  support_rng rng = {(uint64_t)seed};
  cardan_model *model;
  cardan_report report;
  cardan_spec *spec = tree_spec(seed - NNAMES + 1, &rng);
  cardan_spec_gravity(spec, cardan__vec3(1.0, -2.0, -9.0));
  expect_ok(cardan_model_build(spec, NULL, &model, &report), &report, "tree");
  cardan_spec_destroy(spec);
  return model;
}

static twins make_twins(int seed)
{
  twins t = {.model = make_model(seed), .options = run_options("vi", 0.01, 0)};
  cardan__stepper *stepper = NULL;
  assert_null(cardan__lanes_takes(t.model));
  assert_true(t.model->nv <= MAX_NV);
  expect_ok(cardan_data_create(t.model, NULL, &t.data), NULL, "data");
  expect_ok(cardan__method_vi.create(t.model, &t.options, NULL, NULL, &stepper), NULL, "vi");
  t.vi = (cardan__vi *)stepper;
  t.flat = cardan__lanes_model_create(t.model);
  assert_non_null(t.flat);
  t.lanes = cardan__lanes_create(t.flat, 1, kernels_here.vi.size(t.flat));
  assert_non_null(t.lanes);
  return t;
}

static void free_twins(twins *t)
{
  cardan__lanes_destroy(t->lanes);
  cardan__lanes_model_destroy(t->flat);
  cardan__method_vi.destroy(&t->vi->base.base);
  cardan_data_destroy(t->data);
  cardan_model_destroy(t->model);
}

/* A random state and inputs, in data and in the lane. */
static void draw_state(twins *t, support_rng *rng)
{
  const cardan_model *m = t->model;
  cardan_q_random(m, support_random(rng), t->data->q);
  support_random_vec(rng, t->data->v, m->nv, 3.0);
  support_random_vec(rng, t->data->a, m->nv, 5.0);
  support_random_vec(rng, t->data->u, m->ninput, 6.0);
  cardan__lanes_put(t->lanes->q, 1, 0, t->data->q, m->nq);
  cardan__lanes_put(t->lanes->v, 1, 0, t->data->v, m->nv);
  cardan__lanes_put(t->lanes->a, 1, 0, t->data->a, m->nv);
  cardan__lanes_put(t->lanes->u, 1, 0, t->data->u, m->ninput);
}

/* ---- a variational step ---- */

/* Both codes begin a step of length h with the displacements x and compute the residual there. */
static void evaluate_both(twins *t, double h, const double *x)
{
  cardan__discrete *d = &t->vi->base;
  const size_t bytes = (size_t)t->model->nv * sizeof *x;
  d->tau_in = t->data->tau_in;
  d->f_in = t->data->f_in;
  cardan__data_inputs(d->model, t->data, d->trial);
  cardan__step_begin(d, h, d->node->t + h);
  memcpy(d->x.dq, x, bytes);
  cardan__displacement_set(d->model, &d->x);
  cardan__root_forget(d);
  expect_ok(cardan__root_evaluate(d, true), NULL, "residual");
  begin_step(&t->s, 0.5 * h);
  memcpy(t->s.x, x, bytes);
  assert_true(expand_joints(&t->s) == 0);
  assert_true(residual(&t->s, 1) == 0);
  measure_sizes(&t->s);
}

static double largest6(const double a[6], const double b[6])
{
  double most = 0;
  for (int k = 0; k < 6; k++) {
    most = fmax(most, fabs(b != NULL ? a[k] - b[k] : a[k]));
  }
  return most;
}

static void force_array(cardan_force F, double scale, double to[6])
{
  const double all[6] = {F.t.x, F.t.y, F.t.z, F.f.x, F.f.y, F.f.z};
  for (int k = 0; k < 6; k++) {
    to[k] = scale * all[k];
  }
}

/* Momenta of every body, relative to the largest of all, in units of the lanes: times h. */
static void compare_momenta(const twins *t, worst *w)
{
  double off = 0, largest = 0;
  for (int i = 1; i < t->model->nbody; i++) {
    double scalar[6], lane[6];
    if (t->flat->body[i].flags & CARDAN__LANES_LIGHT) {
      continue;
    }
    force_array(cardan__vi_mu(t->vi, i), t->vi->base.h, scalar);
    to_array(add6(t->s.body[i].F, t->s.body[i].B), lane);
    largest = fmax(largest, largest6(scalar, NULL));
    off = fmax(off, largest6(lane, scalar));
    force_array(cardan__vi_next(t->vi, i), t->vi->base.h, scalar);
    to_array(t->s.body[i].N, lane);
    largest = fmax(largest, largest6(scalar, NULL));
    off = fmax(off, largest6(lane, scalar));
  }
  w->momentum = fmax(w->momentum, off / largest);
}

/* Residuals relative to the momenta that they are sums of. Both codes find the same sizes for
 * these, but for forces on a joint: lanes add their absolute values, the scalar code that of their
 * sum, a few percent of the size of the driven tree's joints. */
static void compare_residuals(const twins *t, worst *w)
{
  const cardan__discrete *d = &t->vi->base;
  for (int k = 0; k < t->model->nv; k++) {
    const double size = d->h * d->root.scale[k];
    assert_near(size * t->s.scale[k], 1.0, t->model->nforce > 0 ? 5e-2 : 1e-11);
    w->residual = fmax(w->residual, fabs(t->s.f[k] - d->h * d->r[k]) / size);
  }
}

/* Newton's directions for the same right-hand side y: what J makes of their difference, relative to
 * what it makes of their entries. Lanes refuse a pivot that is not positive, which a large random
 * displacement may have. */
static void compare_directions(twins *t, support_rng *rng, worst *w)
{
  cardan__discrete *d = &t->vi->base;
  const size_t nv = (size_t)t->model->nv;
  double y[MAX_NV], *J = calloc(nv * nv, sizeof *J);
  assert_non_null(J);
  for (size_t k = 0; k < nv; k++) {
    y[k] = d->root.scale[k] * support_random_in(rng, -1.0, 1.0);
    t->s.y[k] = t->vi->base.h * y[k];
  }
  expect_ok(d->equation->jacobian(d, J), NULL, "jacobian");
  expect_ok(d->equation->factor(d), NULL, "factor");
  d->equation->solve(d, 1, y);
  const bool refused = factor_newton(&t->s, -1) != 0;
  solve_newton(&t->s, t->s.y);
  w->directions++;
  w->refused += refused;
  for (size_t i = 0; i < nv && !refused; i++) {
    double off = 0, size = 0;
    for (size_t k = 0; k < nv; k++) {
      off += J[i * nv + k] * (y[k] - t->s.y[k]);
      size += fabs(J[i * nv + k] * y[k]);
    }
    w->direction = fmax(w->direction, fabs(off) / size);
  }
  free(J);
}

/* The step as it is, whatever its residual: nothing of that is carried on. */
static void accept_both(twins *t)
{
  cardan__discrete *d = &t->vi->base;
  memset(d->r, 0, (size_t)t->model->nv * sizeof *d->r);
  memset(t->s.f, 0, (size_t)t->model->nv * sizeof *t->s.f);
  cardan__step_accept(d);
  accept(&t->s);
}

/* Three steps of different lengths: from the momenta of a start, and of two steps. Turns are small,
 * up to a fifth of a radian and up to one: by series, and where these do not hold. */
static void compare_steps(twins *t, support_rng *rng, worst *w)
{
  static const double h[3] = {0.01, 0.017, 0.004}, turn[3] = {0.02, 0.2, 0.5};
  double x[MAX_NV];
  t->data->t = 0;
  expect_ok(cardan__start_node(&t->vi->base, t->data), NULL, "start");
  kernels_here.vi.start(t->flat, t->lanes, &t->options);
  t->s = vi_open(t->flat, t->lanes);
  for (int i = 0; i < 3; i++) {
    support_random_vec(rng, x, t->model->nv, turn[i]);
    evaluate_both(t, h[i], x);
    compare_momenta(t, w);
    compare_residuals(t, w);
    compare_directions(t, rng, w);
    accept_both(t);
  }
  assert_int_equal(t->lanes->left[0], 0);
}

static void test_step(void **state)
{
  (void)state;
  worst w = {0};
  for (int seed = 0; seed < SEEDS; seed++) {
    support_rng rng = {(uint64_t)(100 + seed)};
    twins t = make_twins(seed);
    for (int i = 0; i < 8; i++) {
      draw_state(&t, &rng);
      compare_steps(&t, &rng, &w);
    }
    free_twins(&t);
  }
  print_message("momenta %.1e, residuals %.1e, directions %.1e (%d of %d refused)\n", w.momentum,
                w.residual, w.direction, w.refused, w.directions);
  assert_true(w.momentum <= agreement);
  assert_true(w.residual <= agreement);
  assert_true(w.direction <= solved);
  assert_true(10 * w.refused < w.directions);
}

/* ---- dynamics ---- */

static double norm1(cardan_vec3 a)
{
  return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* What joint forces are sums of, without cancellation: absolute values of what each body needs,
 * carried to the root, as methods/discrete/sizes.c does with momenta. After cardan_inverse. */
static void sum_wrenches(const twins *t, double *size)
{
  const cardan_model *m = t->model;
  double torque[64 + MAX_NV] = {0}, force[64 + MAX_NV] = {0};
  for (int i = m->nbody - 1; i > 0; i--) {
    const cardan_body *b = &m->body[i];
    const cardan_inertia *I = &b->inertia;
    const double w = norm1(t->data->V[i].w), turn = norm1(t->data->A[i].w) + w * w;
    const double a = norm1(t->data->A[i].v), h = norm1(I->h);
    force[i] += I->m * a + h * turn;
    torque[i] += (I->xx + I->yy + I->zz) * turn + h * a;
    for (int k = 0; k < b->nv; k++) {
      size[b->vadr + k] =
          fmax(force[i], torque[i]) + m->armature[b->vadr + k] * fabs(t->data->a[b->vadr + k]);
    }
    force[b->parent] += force[i];
    torque[b->parent] += torque[i] + norm1(t->data->X[i].p) * force[i];
  }
}

static void compare_inverse(twins *t, worst *w)
{
  double tau[MAX_NV], size[MAX_NV];
  cardan_inverse(t->model, t->data, t->data->a, tau);
  sum_wrenches(t, size);
  kernels_here.inverse(t->flat, t->lanes);
  for (int k = 0; k < t->model->nv; k++) {
    w->inverse = fmax(w->inverse, fabs(t->lanes->tau[k] - tau[k]) / size[k]);
  }
}

/* Accelerations of an ill-conditioned chain differ by more than rounding; the forces that they take
 * do not. */
static void compare_forward(twins *t, worst *w)
{
  const cardan_model *m = t->model;
  double tau[2][MAX_NV], size[MAX_NV], scalar[MAX_NV];
  kernels_here.loads(t->flat, t->lanes);
  kernels_here.forward(t->flat, t->lanes);
  expect_ok(cardan_forward(m, t->data, 0, 0), NULL, "forward");
  memcpy(scalar, t->data->a, (size_t)m->nv * sizeof *scalar);
  cardan_inverse(m, t->data, t->lanes->a, tau[0]);
  cardan_inverse(m, t->data, scalar, tau[1]);
  sum_wrenches(t, size);
  for (int k = 0; k < m->nv; k++) {
    w->forward = fmax(w->forward, fabs(tau[0][k] - tau[1][k]) / size[k]);
  }
}

static void test_dynamics(void **state)
{
  (void)state;
  worst w = {0};
  for (int seed = 0; seed < SEEDS; seed++) {
    support_rng rng = {(uint64_t)(200 + seed)};
    twins t = make_twins(seed);
    for (int i = 0; i < 50; i++) {
      draw_state(&t, &rng);
      compare_inverse(&t, &w);
      compare_forward(&t, &w);
    }
    assert_int_equal(t.lanes->left[0], 0);
    free_twins(&t);
  }
  print_message("inverse %.1e, forward %.1e\n", w.inverse, w.forward);
  assert_true(w.inverse <= agreement);
  assert_true(w.forward <= solved);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_step), cmocka_unit_test(test_dynamics)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
