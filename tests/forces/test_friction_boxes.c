// SPDX-License-Identifier: Apache-2.0
// Dry friction of given size as boxes of the accelerations, in aba and hamilton: the law itself on
// random trees, from any start; joints that stop within a step, and hold without creep.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/friction_boxes.h"
#include "forces/friction_prediction.h"
#include "random_tree.h"
#include "run.h"

static const char *const methods[] = {"aba:rk4",         "aba:euler",    "aba:semi-implicit",
                                      "aba:rk2",         "aba:midpoint", "aba:trapezoid",
                                      "aba:rkf45-fixed", "hamilton:rk4"};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* A tree of joints of one velocity, with friction on about two of three, and an armature on some.
 */
static fixture rubbing_tree(int n, support_rng *rng)
{
  static const cardan_joint_kind kinds[] = {CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_PRISMATIC,
                                            CARDAN_JOINT_HELICAL, CARDAN_JOINT_FREE};
  cardan_spec *spec = NULL;
  int frame[40] = {0};
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  for (int i = 1; i <= n; i++) {
    double x[12];
    char name[16];
    support_random_vec(rng, x, 12, 1);
    const cardan_joint_kind kind = kinds[i == 1 ? 3 : i % 7 == 0 ? 2 : i % 3 == 0];
    const cardan_xform T = cardan__xform_from_quat(
        cardan__quat_from_rotvec(cardan__vec3(x[0], x[1], x[2])), cardan__vec3(x[3], x[4], x[5]));
    const int at = cardan_spec_place(spec, frame[support_random_int(rng, i / 3, i - 1)], &T);
    snprintf(name, sizeof name, "j%d", i);
    cardan_joint_def joint = {.kind = kind, .name = name};
    joint.pitch = kind == CARDAN_JOINT_HELICAL ? 0.3 : 0;
    joint.axis = kind == CARDAN_JOINT_FREE ? joint.axis : cardan__vec3(x[6], x[7], x[8]);
    frame[i] = cardan_spec_joint(spec, at, &joint);
    cardan_spec_mass(spec, frame[i], &(cardan_mass){.m = 1, .xx = 0.1, .yy = 0.12, .zz = 0.15});
    if (kind != CARDAN_JOINT_FREE && i % 3 != 1) {
      cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_DRY_FRICTION,
                                              .var = {name},
                                              .value = {4 * fabs(x[9])}});
    }
    if (i % 4 == 2) {
      cardan_spec_armature(spec, name, 0.2);
    }
  }
  return fixture_build(spec);
}

/* (B1) at data's state, from an independent residual: M a + c - tau = -g. */
static void expect_boxes(const fixture *f, const double *load, double ahead)
{
  const cardan_model *m = f->model;
  const size_t nv = (size_t)m->nv;
  double *g = calloc(2 * nv, sizeof *g), size = 1;
  assert_non_null(g);
  memcpy(g + nv, f->data->a, nv * sizeof *g);
  cardan_data *d = NULL;
  assert_int_equal(cardan_data_create(m, NULL, &d), CARDAN_OK);
  memcpy(d->q, f->data->q, (size_t)m->nq * sizeof *d->q);
  memcpy(d->v, f->data->v, nv * sizeof *d->v);
  cardan_kinematics(m, d);
  cardan_rnea(m, d, g + nv, g);
  for (size_t k = 0; k < nv; k++) {
    size = fmax(size, fabs(g[k]));
    g[k] = load[k] - g[k]; // what friction takes
  }
  for (int k = 0; k < m->nv; k++) {
    double bound = 0;
    for (int i = 0; i < m->nforce; i++) {
      bound += m->force[i].dof == k ? m->force[i].value[0] : 0;
    }
    const double w = d->v[k] + ahead * f->data->a[k];
    assert_near(-f->data->friction_tau[k], g[k], 1e-11 * size);
    assert_true(fabs(g[k]) <= bound + 1e-11 * size);
    if (fabs(g[k]) < bound - 1e-9 * size) {
      assert_near(w, 0, 1e-13 * (1 + fabs(d->v[k])));
    } else if (bound > 0) {
      assert_true(w * g[k] >= -1e-9 * size);
    }
  }
  cardan_data_destroy(d);
  free(g);
}

// the law holds, and the same bits come from any sides to start from
static void random_trees(void **state)
{
  int held = 0, slides = 0;
  (void)state;
  for (int seed = 1; seed <= 200; seed++) {
    support_rng rng = {.state = (uint64_t)seed};
    fixture f = rubbing_tree(2 + seed % 30, &rng);
    cardan__friction_prediction *p = NULL;
    double first[64], load[64];
    assert_int_equal(cardan__friction_prediction_create(f.model, NULL, &p), CARDAN_OK);
    if (p == NULL) { // none has friction
      fixture_free(&f);
      continue;
    }
    p->boxes.ahead = 0.01;
    tree_random_state(&f, &rng);
    support_random_vec(&rng, load, f.model->nv, 3);
    for (int start = 0; start < 4; start++) {
      for (int j = 0; j < p->boxes.n; j++) {
        p->boxes.side[j] = start == 0 ? 0 : support_random_int(&rng, -1, 1);
        f.data->v[p->boxes.velocity[j]] *= start == 0 && j % 3 > 0 ? 1e-3 : 1;
      }
      memcpy(f.data->tau_in, load, (size_t)f.model->nv * sizeof *load);
      f.data->prediction = p;
      assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
      f.data->prediction = NULL;
      expect_boxes(&f, load, 0.01);
      if (start == 0) {
        memcpy(first, f.data->a, (size_t)f.model->nv * sizeof *first);
      }
      assert_memory_equal(first, f.data->a, (size_t)f.model->nv * sizeof *first);
    }
    for (int j = 0; j < p->boxes.n; j++) {
      held += p->boxes.side[j] == 0;
      slides += p->boxes.side[j] != 0;
    }
    cardan__friction_prediction_destroy(p);
    fixture_free(&f);
  }
  print_message("%d joints held, %d slide\n", held, slides);
  assert_true(held > 300 && slides > 300);
}

/* Four hinges that swing, of light links that friction of 1 N m stops within a step. */
#define HINGE(name, rest) " (ry \"" name "\" (tz -0.1 (mass 0.1 .001 .001 .001) (tz -0.1" rest ")))"
#define HINGES HINGE("a", HINGE("b", HINGE("c", HINGE("d", ""))))
#define DRY(name, c) " (dry-friction \"" name "\" " c ")"
static const char hinges[] = "(system (gravity 0 0 -9.81)" HINGES DRY("a", "1") DRY("b", "1")
    DRY("c", "1") DRY("d", "1") " (initial (\"a\" 0 2) (\"b\" 0 -3) (\"c\" 0 1) (\"d\" 0 4)))";

// they stop and stay, by any integrator
static void four_hinges(void **state)
{
  (void)state;
  for (int i = 0; i < 2 * METHODS; i++) {
    const double dt = i % 2 ? 1e-3 : 1e-2;
    const cardan_options o = run_options(methods[i / 2], dt, 0);
    run r = run_begin(hinges, NULL, &o);
    double q[4];
    run_steps(&r, (int)lround(0.5 / dt));
    memcpy(q, r.data->q, sizeof q);
    for (int k = 0; k < 4; k++) {
      assert_near(r.data->v[k], 0, 1e-9);
      assert_near(r.data->q[k], 0, 0.5);
    }
    run_steps(&r, 1000);
    assert_near_vec(r.data->q, q, 4, 1e-9 * dt);
    run_free(&r);
  }
}

// in maximal coordinates by the law with its vs: they stop, and creep slower than that
static void four_hinges_by_the_law(void **state)
{
  static const char *const all[] = {"baraff:rk4", "half-implicit", "fully-implicit", "rattle"};
  const double vs = 1e-3;
  (void)state;
  for (int i = 0; i < 8; i++) {
    const double dt = i % 2 ? 1e-3 : 1e-2;
    const cardan_options o = run_options(all[i / 2], dt, 0);
    run r = run_begin(hinges, NULL, &o);
    double q[4];
    run_steps(&r, (int)lround(0.5 / dt));
    memcpy(q, r.data->q, sizeof q);
    for (int k = 0; k < 4; k++) {
      assert_near(r.data->v[k], 0, vs);
      assert_near(r.data->q[k], 0, 0.1);
    }
    run_steps(&r, 100);
    assert_near_vec(r.data->q, q, 4, 100 * dt * vs);
    run_free(&r);
  }
}

// a block that slid, under 0.9 of the load that friction bears, for 1e5 steps; and one under more
static void no_creep(void **state)
{
  static const char block[] = "(system (define load 5.4) (define v0 0.03)"
                              " (joint prismatic \"x\" (axis 1 0 0) (mass 2 .1 .1 .1))"
                              " (dry-friction \"x\" 6) (torque \"x\" load) (initial (\"x\" 0 v0)))";
  const double dt = 1e-2;
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    const cardan_options o = run_options(methods[i], dt, 0);
    run held = run_begin(block, NULL, &o), moves = run_begin(block, "load=6.006", &o);
    run_steps(&held, 100);
    const double x = run_q(&held, "x"), way = 0.03 * 0.03 / (2 * 0.3);
    assert_near(x, way, 0.03 * dt);
    assert_near(run_v(&held, "x"), 0, 1e-12);
    run_steps(&held, 100000);
    assert_near(run_q(&held, "x"), x, 1e-12);
    run_free(&held);
    run_steps(&moves, 100);
    assert_near(run_v(&moves, "x"), 0.03 + 3e-3, 1e-11);
    run_free(&moves);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees),
      cmocka_unit_test(four_hinges),
      cmocka_unit_test(four_hinges_by_the_law),
      cmocka_unit_test(no_creep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
