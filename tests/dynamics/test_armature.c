// SPDX-License-Identifier: Apache-2.0
// Rotors that turn with a coordinate: the algorithms against each other on random trees, motions
// against those of bodies whose inertia is larger by the rotor's.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random_tree.h"
#include "run.h"

enum { NMAX = 40 };

/* Rotors on two of three velocities that can have one. */
static void add_rotors(fixture *f, support_rng *rng)
{
  cardan_model *model = f->model;
  for (int k = 0; k < model->nv; k++) {
    const bool can = model->body[model->v_body[k]].nv == 1;
    model->armature[k] = can && k % 3 != 0 ? support_random_in(rng, 0, 2) : 0;
    model->has_armature = model->has_armature || model->armature[k] > 0;
  }
  assert_int_equal(cardan_factor(model, f->data), CARDAN_OK);
}

/* y = M x */
static void times(int n, const double *M, const double *x, double *y)
{
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) {
      y[i] += M[i * n + j] * x[j];
    }
  }
}

static double largest(int n, const double *x)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

// M a + bias = tau of aba, rnea and crba; momenta M v, and back; v M v / 2 is the kinetic energy.
// Each passes O(n) transforms of a few dozen roundings (test_dynamics), and M is no worse than 1e4
static void algorithms_agree(void **state)
{
  (void)state;
  for (int seed = 0; seed < 200; seed++) {
    support_rng rng = {(uint64_t)seed + 7000};
    double *tau;
    fixture f = tree_loaded(seed, NMAX, 5, &tau);
    const cardan_model *model = f.model;
    const int n = model->nv;
    double *a = tau + n, *bias = a + n, *x = bias + n, *y = x + n, *p = y + n, *M = p + n;
    add_rotors(&f, &rng);
    cardan_aba(model, f.data, tau, a);
    cardan_rnea(model, f.data, NULL, bias);
    cardan_crba(model, f.data, M);
    cardan_rnea(model, f.data, a, x);
    times(n, M, a, y);
    const double scale = (largest(n * n, M) * largest(n, a) * n + largest(n, bias)) * model->nbody;
    for (int k = 0; k < n; k++) {
      y[k] += bias[k];
    }
    assert_near_vec(x, tau, n, 10 * DBL_EPSILON * scale);
    assert_near_vec(y, tau, n, 10 * DBL_EPSILON * scale);

    assert_int_equal(cardan_slopes_reserve(model, f.data), CARDAN_OK);
    double *slopes = calloc((size_t)(n * n), sizeof *slopes);
    assert_non_null(slopes);
    assert_int_equal(cardan_inverse_slopes(model, f.data, a, NULL, NULL, slopes), CARDAN_OK);
    assert_near_vec(slopes, M, n * n, 10 * DBL_EPSILON * largest(n * n, M) * model->nbody);
    free(slopes);

    const double motion = largest(n * n, M) * largest(n, f.data->v) * n * model->nbody;
    cardan_momenta(model, f.data, p);
    times(n, M, f.data->v, y);
    assert_near_vec(p, y, n, 10 * DBL_EPSILON * motion);
    double energy = 0;
    for (int k = 0; k < n; k++) {
      energy += 0.5 * f.data->v[k] * y[k];
      x[k] = f.data->v[k];
    }
    assert_near(cardan_kinetic(model, f.data), energy, 10 * DBL_EPSILON * n * motion);
    cardan_momenta_velocities(model, f.data, p, y);
    assert_near_vec(y, x, n, 1e4 * DBL_EPSILON * motion);
    free(tau);
    fixture_free(&f);
  }
}

/* ---- motions ---- */

static const char *const methods[] = {"vi",           "svi",        "aba:rk4",          "aba:ode45",
                                      "hamilton:rk4", "aba:gauss4", "aba:semi-implicit"};
enum { METHODS = sizeof methods / sizeof *methods };

/* 200 steps of 5 ms of two models that are to move alike. */
static void same_motion(const char *one, const char *other, const char *method, const char *form,
                        double tolerance)
{
  cardan_options o = run_options(method, 0.005, 0);
  o.form = form;
  run a = run_begin(one, NULL, &o), b = run_begin(other, NULL, &o);
  run_steps(&a, 200);
  run_steps(&b, 200);
  assert_int_equal(a.model->nv, b.model->nv);
  assert_near_vec(a.data->q, b.data->q, a.model->nq, tolerance);
  assert_near_vec(a.data->v, b.data->v, a.model->nv, 10 * tolerance);
  assert_near(run_energy(&a), run_energy(&b), 100 * tolerance);
  run_free(&a);
  run_free(&b);
}

// the first joint of a double pendulum is on the world: its rotor is inertia of its body. Rounding
// apart the equations are the same; the difference is of the root finder and of tolerances
static void as_a_heavier_body(void **state)
{
  static const char rotor[] =
      "(system (gravity 0 0 -9.81) (armature \"a\" 0.3)"
      " (ry \"a\" (mass 0 0 0.2 0) (tz -1 (mass 1) (ry \"b\" (tz -0.5 (mass 0.5 0 0.1 0)))))"
      " (initial (\"a\" 1 2) (\"b\" -0.4 -3)))";
  static const char body[] =
      "(system (gravity 0 0 -9.81)"
      " (ry \"a\" (mass 0 0 0.5 0) (tz -1 (mass 1) (ry \"b\" (tz -0.5 (mass 0.5 0 0.1 0)))))"
      " (initial (\"a\" 1 2) (\"b\" -0.4 -3)))";
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    same_motion(rotor, body, methods[i], NULL, 1e-10);
  }
}

// a flywheel of inertia J, geared n to 1 to the first joint, is a rotor of n^2 J
static void as_a_geared_flywheel(void **state)
{
#define ARM " (ry \"a\" (tz -1 (mass 1 0.1 0.1 0.1) (rx \"b\" (tz -0.5 (mass 0.5 0.1 0.1 0.1)))))"
  static const char rotor[] = "(system (gravity 0 0 -9.81) (armature \"a\" 0.36)" ARM
                              " (initial (\"a\" 1 2) (\"b\" 0.4 -3)))";
  static const char wheel[] =
      "(system (gravity 0 0 -9.81)" ARM " (ry \"w\" (mass 0.2 0 0.01 0)) (gear \"a\" \"w\" 6)"
      " (initial (\"a\" 1 2) (\"b\" 0.4 -3) (\"w\" 6 12)))";
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    if (strcmp(methods[i], "aba:semi-implicit") == 0) {
      continue; // closes the loop by projections of its own
    }
    const cardan_options o = run_options(methods[i], 0.005, 0);
    run a = run_begin(rotor, NULL, &o), b = run_begin(wheel, NULL, &o);
    run_steps(&a, 200);
    run_steps(&b, 200);
    assert_near(run_q(&a, "a"), run_q(&b, "a"), 1e-9);
    assert_near(run_q(&a, "b"), run_q(&b, "b"), 1e-9);
    assert_near(run_energy(&a), run_energy(&b), 1e-8);
    run_free(&a);
    run_free(&b);
  }
}

// a joint that carries nothing but has a rotor: q = tau t^2 / (2 I); its rotor is not felt by the
// joint below it, which has a mass
static void nothing_but_a_rotor(void **state)
{
  static const char text[] = "(system (rz \"a\" (tx 1 (mass 1) (rz \"b\"))) (armature \"b\" 0.25)"
                             " (torque \"b\" 0.5) (torque \"a\" 0.5))";
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    const cardan_options o = run_options(methods[i], 0.01, 0);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 100);
    // order 1: h v
    const double tolerance = strcmp(methods[i], "aba:semi-implicit") == 0 ? 0.02 : 1e-9;
    assert_near(run_q(&r, "b"), 1, tolerance);
    assert_near(run_q(&r, "a"), 0.25, tolerance);
    assert_near(run_v(&r, "b"), 2, 1e-9);
    run_free(&r);
  }
  // without its rotor it cannot be moved, and the methods report it
  const cardan_options o = run_options("vi", 0.01, 0);
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  cardan_model *model = load_model("(system (rz \"a\" (tx 1 (mass 1) (rz \"b\"))))", NULL);
  assert_int_not_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_OK);
  assert_non_null(strstr(report.message, "there is no mass under \"b\""));
  cardan_model_destroy(model);
}

/* A four-bar whose crank has a rotor, or is heavier, and whose rocker, the last of the open chain
 * and so among what form reduced eliminates, is the second of its two ends on the world. */
#define BARS(rotor, crank)                                                                    \
  "(system (gravity 0 0 -9.81)" rotor " (ry \"a\" (mass 0 0 " crank " 0)"                     \
  "  (tz 0.4 (mass 1) (ry \"b\" (tx 1 (mass 1 0 0.1 0) (ry \"c\" (tz -0.6 (mass 0.5 0 0.1 0)" \
  "   (name \"end\")))))))"                                                                   \
  " (place (1.1 0 -0.1) (name \"pin\")) (point-constraint \"end\" \"pin\" (1 0 0))"           \
  " (point-constraint \"end\" \"pin\" (0 0 1)) (initial (\"a\" 0.2 1)))"

static void in_a_loop(void **state)
{
  static const char rotor[] = BARS("(armature \"a\" 0.3)", "0.1");
  static const char body[] = BARS("", "0.4");
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    same_motion(rotor, body, methods[i], NULL, 1e-9);
  }
  same_motion(rotor, body, "hamilton:rk4", "reduced", 1e-9);
}

// rotors of joints that form reduced eliminates, against the other form and the other methods
static void of_dependent_joints(void **state)
{
  static const char text[] =
      BARS("(armature \"a\" 0.3) (armature \"b\" 0.2) (armature \"c\" 0.1)", "0.1");
  cardan_options o = run_options("hamilton:rk4", 0.001, 0);
  double q[2][3];
  (void)state;
  for (int i = 0; i < 2; i++) {
    o.form = i ? "reduced" : "augmented";
    run r = run_begin(text, NULL, &o);
    const double energy = run_energy(&r);
    run_steps(&r, 1000);
    memcpy(q[i], r.data->q, sizeof q[i]);
    assert_near(run_energy(&r), energy, 1e-8);
    run_free(&r);
  }
  assert_near_vec(q[0], q[1], 3, 1e-8);
  o = run_options("aba:rk4", 0.001, 0);
  run r = run_begin(text, NULL, &o);
  run_steps(&r, 1000);
  assert_near_vec(r.data->q, q[0], 3, 1e-8);
  run_free(&r);
}

#define LIMB                                                                                    \
  "(system (gravity 0 0 -9.81) (armature \"a\" 0.5) (armature \"b\" 0.2) (armature \"c\" 0.05)" \
  " (ry \"a\" (tz -1 (mass 1 0.1 0.2 0.3) (rx \"b\" (ty 0.3 tz -0.8 (mass 0.7 0.05 0.02 0.06)"  \
  "  (tz \"c\" (tx 0.2 (mass 0.3))))))) (joint-spring \"c\" 50 0)"                              \
  " (initial (\"a\" 1 0.5) (\"b\" 0.7 -1)))"

// the energy of vi and svi stays where it is, swinging with h^2; their derivatives of the tree are
// those of the recursion
static void energy_is_kept(void **state)
{
  static const char *const two[] = {"vi", "svi"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    double worst[2] = {0, 0};
    for (int half = 0; half < 2; half++) {
      const cardan_options o = run_options(two[i], half ? 0.005 : 0.01, 0);
      run r = run_begin(LIMB, NULL, &o);
      const double energy = run_energy(&r);
      for (int k = 0; k < (half ? 20000 : 10000); k++) {
        run_steps(&r, 1);
        worst[half] = fmax(worst[half], fabs(run_energy(&r) - energy));
      }
      run_free(&r);
    }
    print_message("%s: energy within %.2g J at 10 ms, %.2g J at 5 ms, 100 s\n", two[i], worst[0],
                  worst[1]);
    assert_true(worst[0] < 0.05);
    assert_true(worst[1] < 0.35 * worst[0]);
  }
  cardan_options o = run_options("svi", 0.01, 0);
  run a = run_begin(LIMB, NULL, &o);
  o.eval = "tree";
  run b = run_begin(LIMB, NULL, &o);
  run_steps(&a, 100);
  run_steps(&b, 100);
  assert_near_vec(a.data->q, b.data->q, a.model->nq, 1e-8);
  run_free(&a);
  run_free(&b);
}

// derivatives of a step against differences of steps
static void derivatives(void **state)
{
  static const char *const two[] = {"vi", "svi"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options(two[i], 0.02, 0);
    run r = run_begin(LIMB, NULL, &o);
    cardan_linearization *linear = NULL;
    cardan_report report = {.message = ""};
    run_steps(&r, 10);
    expect_ok(cardan_linearize(r.sim, NULL, &linear, &report), &report, "linearize");
    const int n = r.model->nv;
    for (int k = 0; k < n; k++) { // by momentum k: M dv = e_k
      double q[2][3], M[9], dv[3], p[3] = {0, 0, 0};
      const double e = 1e-5;
      cardan_data *node;
      assert_int_equal(cardan_data_create(r.model, NULL, &node), CARDAN_OK);
      memcpy(node->q, linear->q, 3 * sizeof(double));
      cardan_kinematics(r.model, node);
      cardan_crba(r.model, node, M);
      assert_int_equal(cardan_factor(r.model, node), CARDAN_OK);
      p[k] = 1;
      cardan_factor_solve(r.model, node, NULL, p, dv);
      cardan_factor_solve(r.model, node, NULL, linear->p, p);
      for (int side = 0; side < 2; side++) {
        run s = run_load(LIMB, NULL, &o);
        memcpy(s.data->q, linear->q, sizeof q[0]);
        for (int j = 0; j < n; j++) {
          s.data->v[j] = p[j] + (side ? e : -e) * dv[j];
        }
        run_start(&s);
        run_steps(&s, 1);
        memcpy(q[side], s.data->q, sizeof q[side]);
        run_free(&s);
      }
      for (int j = 0; j < n; j++) {
        // differences: e^2 of the third derivative, and 1e-12 / e of the root
        assert_near((q[1][j] - q[0][j]) / (2 * e), linear->A[j * linear->nx + n + k], 1e-7);
      }
      cardan_data_destroy(node);
    }
    cardan_linearization_destroy(linear);
    run_free(&r);
  }
}

// a driver turns the rotor too, and its work is what it puts into it
static void driven(void **state)
{
  static const char text[] = "(system (rz (k \"a\") (tx 1 (mass 1))) (armature \"a\" 0.5)"
                             " (motion \"a\" (* t t)))";
  static const char *const three[] = {"vi", "svi", "aba:rk4"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    const cardan_options o = run_options(three[i], 0.01, 0);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 100);
    assert_near(run_column(&r, CARDAN_ADD_REACTIONS, "f.a"), 1.5 * 2, 1e-12);
    assert_near(run_energy(&r), 0.5 * 1.5 * 4, 1e-12);
    assert_near(run_column(&r, CARDAN_ADD_WORK, "work"), 0.5 * 1.5 * 4, 1e-9);
    run_free(&r);
  }
}

static void maximal_methods_refuse(void **state)
{
  static const char *const four[] = {"baraff", "rattle", "half-implicit", "fully-implicit"};
  cardan_model *model = load_model(LIMB, NULL);
  (void)state;
  for (int i = 0; i < 4; i++) {
    cardan_options o = cardan_options_defaults();
    cardan_report report = {.message = ""};
    cardan_sim *sim = NULL;
    o.method = four[i];
    assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_ERR_UNSUPPORTED);
    assert_non_null(strstr(report.message, "\"a\" has an armature"));
  }
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(algorithms_agree),
      cmocka_unit_test(as_a_heavier_body),
      cmocka_unit_test(as_a_geared_flywheel),
      cmocka_unit_test(nothing_but_a_rotor),
      cmocka_unit_test(in_a_loop),
      cmocka_unit_test(of_dependent_joints),
      cmocka_unit_test(energy_is_kept),
      cmocka_unit_test(derivatives),
      cmocka_unit_test(driven),
      cmocka_unit_test(maximal_methods_refuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
