// SPDX-License-Identifier: Apache-2.0
// The derivative of every kind of force against differences of the forces themselves.
#include <math.h>
#include <string.h>

#include "cardan/spec.h"
#include "constraints/rows.h"
#include "forces/forces.h"
#include "random_tree.h"

enum { NMAX = 128, NBODY = 64 };

/* Every kind, on frames and coordinates of many kinds of joints (expr_tree.c). */
static void add_forces(cardan_spec *spec)
{
  tree_add_potentials(spec);
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_DAMPING, .value = {0.7}});
  tree_add(spec,
           (cardan_element){.kind = CARDAN_ELEMENT_DAMPER, .frame = {"f4", "f8"}, .value = {2.5}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_TORQUE,
                                  .var = {"j3"},
                                  .expr = {"(+ (* (sin t) q.j1 v.j3) (^ v.j7 2) (px \"f6\"))"}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_WRENCH,
                                  .frame = {"f6"},
                                  .expr = {"(sin t)", "v.j1", "q.j3", "1", "(pz \"f2\")", "2"}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_WRENCH,
                                  .frame = {"f9"},
                                  .in_world = true,
                                  .expr = {"(cos t)", "q.j1", "3", "v.j3", "1", "(* t t)"}});
  cardan_spec_input(spec, &(cardan_input_def){.name = "u", .value = 0.4});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_ACTUATOR,
                                  .name = "servo",
                                  .var = {"j3", "u"},
                                  .value = {-1.5, 20, 3}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_TORQUE,
                                  .var = {"j1"},
                                  .expr = {"(* u.u (+ q.j1 v.j3))"}});
  // four points make one cubic, so that differences meet no point
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_TORQUE,
                                  .var = {"j1"},
                                  .expr = {"(table (data (-9 1) (0 2) (1 -1) (9 3)) v.j3)"}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_POTENTIAL,
                     .expr = {"(table (data (-9 1) (0 2) (1 -1) (9 3)) (+ q.j3 (px \"f6\")))"}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_BUSHING,
                                  .frame = {"f3", "f7"},
                                  .value = {3, 2, 1, 0.5, 0.7, 0.9}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_BUSHING_COUPLING,
                                  .frame = {"f5", "f9"},
                                  .value = {0.4, 1, 5}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_BUSHING_DAMPER,
                                  .frame = {"f2", "f8"},
                                  .value = {0.3, 0.2, 0.1, 0.5, 0.7, 0.9}});
  // velocities and rotations of frames, in forces and in a potential
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_TORQUE,
                                  .var = {"j3"},
                                  .expr = {"(+ (* (vx \"f6\") (wy \"f9\")) (* 2 (rxy \"f4\")))"}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_WRENCH,
                                  .frame = {"f7"},
                                  .in_world = true,
                                  .expr = {"(neg (vz \"f7\"))", "(* v.j1 (wz \"f2\"))",
                                           "(* (ryz \"f7\") (rzx \"f3\"))", "(wx \"f5\")", "t",
                                           "(rzz \"f9\")"}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_FORCE,
                                  .frame = {"f3", "f9"},
                                  .expr = {"(- (* u.u t (dist \"f3\" \"f9\")) "
                                           "(* 2 (speed \"f3\" \"f9\")) (sin q.j1))"}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_POTENTIAL,
                     .expr = {"(* (+ 2 (rxz \"f6\")) (cos (angle \"f2\" \"f6\" (axis 1 2 2))) "
                              "(+ 1 (^ (ryy \"f9\") 2) (pz \"f6\") q.j3))"}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_FRICTION, .var = {"j1"}, .value = {0.3, 0.1, 0.5}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_FRICTION, .var = {"j8"}, .value = {0.2, 0.1, 2.0}});
}

/* Everything the elements give, f_ext then tau, as one list of numbers; and the bodies' twists. */
typedef struct {
  double load[6 * NBODY + NMAX], twist[6 * NBODY];
} sample;

static const double limit_of_all = 1.7; // of friction, whichever element

static void evaluate(fixture *f, sample *s)
{
  const cardan_model *model = f->model;
  cardan_data *data = f->data;
  double limit[32];
  cardan_kinematics(model, data);
  const cardan__view view = cardan__data_view(model, data);
  cardan__loads to = {.f_ext = data->f_ext, .tau = data->tau};
  cardan__forces_apply(model, &view, data->f_ext, data->tau);
  for (int i = 0; i < model->nforce; i++) {
    limit[i] = limit_of_all;
  }
  cardan__friction_apply(model, &view, limit, &to);
  memcpy(s->load, data->f_ext, 6 * sizeof(double) * (size_t)model->nbody);
  memcpy(s->load + 6 * model->nbody, data->tau, sizeof(double) * (size_t)model->nv);
  memcpy(s->twist, data->V, 6 * sizeof(double) * (size_t)model->nbody);
}

/* Differences of order 4 along (dq, dv, 1) about the data's state, which comes back. */
static void difference(fixture *f, double h, const double *dq, const double *dv, sample *out)
{
  const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  static sample s[4];
  double q[NMAX], v[NMAX];
  cardan_data *data = f->data;
  const int nq = f->model->nq, nv = f->model->nv, nload = 6 * f->model->nbody + nv;
  const double t = data->t;
  memcpy(q, data->q, (size_t)nq * sizeof *q);
  memcpy(v, data->v, (size_t)nv * sizeof *v);
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 4; i++) {
    cardan_q_move(f->model, q, dq, at[i] * h, data->q);
    for (int k = 0; k < nv; k++) {
      data->v[k] = v[k] + at[i] * h * dv[k];
    }
    data->t = t + at[i] * h;
    evaluate(f, &s[i]);
    for (int k = 0; k < nload; k++) {
      out->load[k] += weight[i] * s[i].load[k] / (12 * h);
    }
    for (int k = 0; k < 6 * f->model->nbody; k++) {
      out->twist[k] += weight[i] * s[i].twist[k] / (12 * h);
    }
  }
  data->t = t;
  memcpy(data->q, q, (size_t)nq * sizeof *q);
  memcpy(data->v, v, (size_t)nv * sizeof *v);
}

// tolerance: differences with h = 1e-3 leave h^4 f^(5)/30 + 1.5 eps f/h; 1e-8 of the largest entry
// covers fifth derivatives up to 3e5 times the first
static void check_slopes(void (*add)(cardan_spec *spec), double h, double part)
{
  for (uint64_t seed = 1; seed <= 8; seed++) {
    support_rng rng = {seed};
    cardan_spec *spec = tree_spec(10, &rng);
    add(spec);
    fixture f = fixture_build(spec);
    const cardan_model *model = f.model;
    cardan_data *data = f.data;
    double dq[NMAX], dv[NMAX], limit[32];
    static sample expected;
    static cardan_twist dX[NBODY], dV[NBODY];
    assert_true(model->nbody <= NBODY && model->nq <= NMAX && model->nforce <= 32);
    tree_random_state(&f, &rng);
    data->t = 0.3;
    support_random_vec(&rng, dq, model->nv, 1.0);
    support_random_vec(&rng, dv, model->nv, 1.0);
    difference(&f, h, dq, dv, &expected);
    memcpy(dV, expected.twist, 6 * sizeof(double) * (size_t)model->nbody);
    cardan_kinematics(model, data);
    cardan__tree_twists(model, data, dq, false, dX);

    const cardan__view view = cardan__data_view(model, data);
    const cardan__change change = {.X = dX, .V = dV, .q = dq, .v = dv, .t = 1};
    cardan__loads to = {.f_ext = data->f_ext, .tau = data->tau};
    memset(data->f_ext, 0, (size_t)model->nbody * sizeof *data->f_ext);
    memset(data->tau, 0, (size_t)model->nv * sizeof *data->tau);
    for (int i = 0; i < model->nforce; i++) {
      limit[i] = limit_of_all;
    }
    cardan__forces_add_slope(model, &view, &change, 0, &to);
    cardan__friction_slope(model, &view, &change, limit, &to);
    const int nload = 6 * model->nbody + model->nv;
    const double scale = support_max_abs(expected.load, nload);
    // the world takes loads too, which nothing reads
    assert_near_vec((const double *)(data->f_ext + 1), expected.load + 6, 6 * (model->nbody - 1),
                    part * scale);
    assert_near_vec(data->tau, expected.load + 6 * model->nbody, model->nv, part * scale);
    fixture_free(&f);
  }
}

static void slopes_are_derivatives(void **state)
{
  (void)state;
  check_slopes(add_forces, 1e-3, 1e-8);
}

static void add_tyre(cardan_spec *spec, const char *wheel, const char *ground, cardan_vec3 axis,
                     const double *value)
{
  cardan_element tyre = {.kind = CARDAN_ELEMENT_TYRE, .frame = {wheel, ground}, .n = axis};
  memcpy(tyre.value, value, sizeof tyre.value);
  tree_add(spec, tyre);
}

/* Both laws, both loads, with and without relaxation and camber; planes that move. Discs of 20 m
 * reach their planes from anywhere. */
static void add_tyres(cardan_spec *spec)
{
  enum { L = CARDAN_TYRE_LINEAR, M = CARDAN_TYRE_MAGIC, V = CARDAN_TYRE_VERTICAL };
  const double linear[CARDAN_NVALUE] = {
      [CARDAN_TYRE_DISC] = 0.4, [L] = 3, [L + 1] = 2, [L + 2] = 0.7, [CARDAN_TYRE_LOAD] = 5};
  const double brush[CARDAN_NVALUE] = {
      [CARDAN_TYRE_DISC] = 20,  [L] = 300, [L + 1] = 200, [L + 2] = 0.7, [V] = 4, [V + 1] = 0.3,
      [CARDAN_TYRE_CAMBER] = 20};
  const double magic[CARDAN_NVALUE] = {
      [CARDAN_TYRE_DISC] = 20,   [M] = 1.5, [M + 1] = 1.3, [M + 2] = 0.9, [M + 3] = -0.5, [V] = 3,
      [CARDAN_TYRE_CAMBER] = 0.2};
  const double lag[CARDAN_NVALUE] = {[CARDAN_TYRE_DISC] = 20,
                                     [L] = 3,
                                     [L + 1] = 2,
                                     [L + 2] = 0.7,
                                     [V] = 4,
                                     [V + 1] = 0.3,
                                     [CARDAN_TYRE_CAMBER] = 2,
                                     [CARDAN_TYRE_RELAXATION] = 0.5};
  const double magic_lag[CARDAN_NVALUE] = {[CARDAN_TYRE_DISC] = 20,
                                           [M] = 1.5,
                                           [M + 1] = 1.3,
                                           [M + 2] = 0.9,
                                           [M + 3] = -0.5,
                                           [V] = 3,
                                           [CARDAN_TYRE_RELAXATION] = 0.5};
  add_tyre(spec, "f4", "world", (cardan_vec3){0, 1, 0}, linear);
  add_tyre(spec, "f6", "f2", (cardan_vec3){0.1, 1, 0.2}, brush);
  add_tyre(spec, "f9", "world", (cardan_vec3){1, 0, 0}, magic);
  add_tyre(spec, "f7", "f3", (cardan_vec3){0, 0, 1}, lag);
  add_tyre(spec, "f8", "f5", (cardan_vec3){0, 2, 0}, magic_lag);
}

static void slopes_of_tyres(void **state)
{
  (void)state;
  check_slopes(add_tyres, 1e-5, 1e-7);
}

/* The diagonal and the question of coupling, on forces whose derivatives are plain. */
static void diagonal_is_told_apart(void **state)
{
  (void)state;
  support_rng rng = {3};
  cardan_spec *spec = tree_spec(3, &rng);
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_DAMPING, .var = {"j1"}, .value = {0.7}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_JOINT_SPRING, .var = {"j1"}, .value = {8.0, 0.3}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_TORQUE,
                                  .var = {"j3"},
                                  .expr = {"(* 2 (+ (* q.j3 v.j3) (sin t)))"}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_POTENTIAL, .expr = {"(* 5 (^ q.j1 4))"}});
  fixture f = fixture_build(spec);
  cardan_data *data = f.data;
  double tau_q[16], tau_v[16];
  tree_random_state(&f, &rng);
  cardan_kinematics(f.model, data);
  const cardan__view view = cardan__data_view(f.model, data);
  cardan__forces_diagonal(f.model, &view, tau_q, tau_v);
  const int q1 = cardan_model_q(f.model, "j1"), q3 = cardan_model_q(f.model, "j3");
  const int v1 = cardan_model_v(f.model, "j1"), v3 = cardan_model_v(f.model, "j3");
  assert_near(tau_q[v1], -8 - 60 * data->q[q1] * data->q[q1], 1e-13); // 100 eps of its size
  assert_near(tau_v[v1], -0.7, 1e-15);
  assert_near(tau_q[v3], 2 * data->v[v3], 1e-14);
  assert_near(tau_v[v3], 2 * data->q[q3], 1e-14);
  assert_false(cardan__forces_couple(f.model));
  fixture_free(&f);

  spec = tree_spec(3, &rng);
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_TORQUE, .var = {"j3"}, .expr = {"q.j1"}});
  f = fixture_build(spec);
  assert_true(cardan__forces_couple(f.model));
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_are_derivatives),
      cmocka_unit_test(slopes_of_tyres),
      cmocka_unit_test(diagonal_is_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
