/* SPDX-License-Identifier: Apache-2.0
 * tests/batch/lane_copies.h - copies of a model that go in lanes, and the same copy by copy. */
#pragma once
#include <stdlib.h>
#include <string.h>

#include "batch/group.h"
#include "run.h"

enum { COPIES = 19, STEPS = 1000, EVERY = 25, NROW = STEPS / EVERY + 1 };

typedef struct {
  cardan_model *model;
  cardan_options options;
  double *q0, *v0, *u;
  double *q, *v, *y;
  cardan_rollout_end end[COPIES];
} call;

static inline double *numbers(int n)
{
  double *x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static inline void make_room(call *c)
{
  const cardan_model *m = c->model;
  c->q = numbers(COPIES * NROW * m->nq);
  c->v = numbers(COPIES * NROW * m->nv);
  c->y = numbers(COPIES * NROW * m->ny);
}

static inline call make_call(const char *text, const char *method)
{
  call c = {.model = load_model(text, NULL), .options = run_options(method, 1e-3, 0)};
  const cardan_model *m = c.model;
  support_rng rng = {8};
  c.options.every = EVERY;
  c.q0 = numbers(COPIES * m->nq);
  c.v0 = numbers(COPIES * m->nv);
  c.u = numbers(COPIES * STEPS * m->ninput);
  support_random_vec(&rng, c.q0, COPIES * m->nq, 0.04);
  support_random_vec(&rng, c.v0, COPIES * m->nv, 1.0);
  support_random_vec(&rng, c.u, COPIES * STEPS * m->ninput, 6.0);
  make_room(&c);
  return c;
}

static inline call again(const call *of)
{
  call c = *of;
  make_room(&c);
  return c;
}

static inline void free_out(call *c)
{
  free(c->q);
  free(c->v);
  free(c->y);
}

static inline void free_call(call *c)
{
  free_out(c);
  free(c->q0);
  free(c->v0);
  free(c->u);
  cardan_model_destroy(c->model);
}

/* Copies first .. first + n - 1, to their places. */
static inline cardan_status run_part(call *c, int nthread, int first, int n)
{
  const cardan_model *m = c->model;
  const size_t i = (size_t)first, nq = (size_t)m->nq, nv = (size_t)m->nv, nu = (size_t)m->ninput;
  return cardan_rollout(&(cardan_rollout_args){.model = m,
                                               .options = &c->options,
                                               .nthread = nthread,
                                               .nbatch = n,
                                               .nstep = STEPS,
                                               .q0 = c->q0 + i * nq,
                                               .v0 = c->v0 + i * nv,
                                               .u = nu > 0 ? c->u + i * STEPS * nu : NULL,
                                               .q = c->q + i * NROW * nq,
                                               .v = c->v + i * NROW * nv,
                                               .y = c->y + i * NROW * (size_t)m->ny,
                                               .end = c->end + i},
                        NULL);
}

static inline void expect_same_copy(const call *a, const call *b, size_t i)
{
  const size_t nq = (size_t)a->model->nq, nv = (size_t)a->model->nv, ny = (size_t)a->model->ny;
  assert_memory_equal(a->q + i * NROW * nq, b->q + i * NROW * nq, NROW * nq * sizeof *a->q);
  assert_memory_equal(a->v + i * NROW * nv, b->v + i * NROW * nv, NROW * nv * sizeof *a->v);
  assert_memory_equal(a->y + i * NROW * ny, b->y + i * NROW * ny, NROW * ny * sizeof *a->y);
  assert_memory_equal(&a->end[i].drift, &b->end[i].drift, sizeof a->end[i].drift);
  assert_memory_equal(&a->end[i].error.value, &b->end[i].error.value, sizeof(double));
  assert_int_equal(a->end[i].error.samples, b->end[i].error.samples);
  assert_int_equal(a->end[i].error.doubts, b->end[i].error.doubts);
  assert_string_equal(a->end[i].note, b->end[i].note);
}

static inline void expect_lanes(const call *c)
{
  cardan_sim *sim;
  const cardan__lanes_stepper *stepper;
  expect_ok(cardan_sim_create(c->model, &c->options, NULL, &sim, NULL), NULL, "sim");
  assert_null(cardan__group_takes(sim, cardan__lanes_kernels_at(0), &stepper));
  assert_non_null(stepper);
  cardan_sim_destroy(sim);
}

/* Why copies of a model go one by one. */
static inline void expect_one_by_one(const char *text, const char *method, const char *why)
{
  cardan_model *m = load_model(text, NULL);
  const cardan_options o = run_options(method, 1e-3, 0);
  const cardan__lanes_stepper *stepper;
  cardan_sim *sim;
  expect_ok(cardan_sim_create(m, &o, NULL, &sim, NULL), NULL, "sim");
  assert_string_equal(cardan__group_takes(sim, cardan__lanes_kernels_at(0), &stepper), why);
  cardan_sim_destroy(sim);
  cardan_model_destroy(m);
}

/* Copies of a floating base, upright at a height; its velocities stay. */
static inline void lift_base(const call *c, double height)
{
  for (int i = 0; i < COPIES; i++) {
    double *q = c->q0 + i * c->model->nq;
    q[2] = height;
    q[3] = 1;
    q[4] = q[5] = q[6] = 0;
  }
}

/* Runs copies in lanes, and by the scalar code, whose ends are returned: coordinates are within
 * 1e-9 of it, velocities within tol_v. */
static inline call expect_scalar_motion(call *c, double tol_v)
{
  const cardan_model *m = c->model;
  call plain = again(c);
  plain.options.lanes = "off";
  expect_lanes(c);
  assert_int_equal(run_part(c, 2, 0, COPIES), CARDAN_OK);
  assert_int_equal(run_part(&plain, 2, 0, COPIES), CARDAN_OK);
  assert_near_vec(c->q, plain.q, COPIES * NROW * m->nq, 1e-9);
  assert_near_vec(c->v, plain.v, COPIES * NROW * m->nv, tol_v);
  assert_near_vec(c->y, plain.y, COPIES * NROW * m->ny, 1e-9);
  return plain;
}

/* The largest drift of each copy. The balance swings within steps, and is computed at every tenth
 * node or so, in lanes at others than in the scalar code: of swings that are the same the largest
 * that is seen may be half of the other. */
static inline void expect_drifts(const call *c, const call *plain)
{
  for (int i = 0; i < COPIES; i++) {
    const double lanes = c->end[i].drift, scalar = plain->end[i].drift;
    assert_true(lanes <= 2 * scalar + 1e-6 && scalar <= 2 * lanes + 1e-6);
  }
}

/* How many copies have this doubt of their error. */
static inline int count_doubts(const call *c, int doubt)
{
  int n = 0;
  for (int i = 0; i < COPIES; i++) {
    n += (c->end[i].error.doubts & doubt) != 0;
  }
  return n;
}

/* To the bit: threads, and other calls, so that neighbours and lanes change. */
static inline void expect_own_bits(call *c)
{
  assert_int_equal(run_part(c, 1, 0, COPIES), CARDAN_OK);
  for (int n = 2; n <= 3; n++) {
    call threads = again(c), parts = again(c);
    assert_int_equal(run_part(&threads, n, 0, COPIES), CARDAN_OK);
    for (int first = 0; first < COPIES; first += 2 * n - 3) {
      const int rest = COPIES - first < 2 * n - 3 ? COPIES - first : 2 * n - 3;
      assert_int_equal(run_part(&parts, n - 1, first, rest), CARDAN_OK);
    }
    for (size_t i = 0; i < COPIES; i++) {
      expect_same_copy(&threads, c, i);
      expect_same_copy(&parts, c, i);
    }
    free_out(&threads);
    free_out(&parts);
  }
}

/* The same of n models. */
static inline void expect_own_bits_of(int n, call (*make)(int))
{
  for (int k = 0; k < n; k++) {
    call c = make(k);
    expect_own_bits(&c);
    free_call(&c);
  }
}

/* Copy 2 begins with another velocity: how far its own ends apart [m/s, rad/s]; the others do not
 * see it. calm is freed */
static inline double expect_others_alone(call *calm, size_t k, double speed)
{
  call hit = again(calm);
  const size_t nv = (size_t)calm->model->nv, at = 2 * NROW * nv + k;
  assert_int_equal(run_part(calm, 1, 0, COPIES), CARDAN_OK);
  hit.v0[2 * nv + k] = speed;
  assert_int_equal(run_part(&hit, 1, 0, COPIES), CARDAN_OK);
  const double apart = hit.v[at] - calm->v[at];
  for (size_t i = 0; i < COPIES; i++) {
    if (i != 2) {
      expect_same_copy(&hit, calm, i);
    }
  }
  free_out(&hit);
  free_call(calm);
  return apart > 0 ? apart : -apart;
}
