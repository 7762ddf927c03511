// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

/* Every word of an output against what it means: differences of positions along the motion, closed
 * forms, and the calls of the library. */

static const char text[] =
    "(system (gravity 0.3 -1 -9.81) (joint free \"base\" (mass 2 0.1 0.2 0.25) (name \"B\")"
    " (place (0.1 0.2 0.3) (rpy 0.3 -0.4 0.5) (joint spherical \"s\" (mass 1 0.1 0.1 0.12) (name "
    "\"S\")"
    " (tz -0.4 (mass 0.5) (joint revolute \"r\" (axis 1 2 -1) (name \"R\")"
    " (place (0.2 0 0.1) (rpy 0.7 0.1 -0.2) (mass 0.7 0.02 0.03 0.03) (name \"F\")))))))"
    " (joint-spring \"r\" 3 0.2) (damping 0.1)"
    " (output \"px\" (px \"F\")) (output \"py\" (py \"F\")) (output \"pz\" (pz \"F\"))"
    " (output \"vx\" (vx \"F\")) (output \"vy\" (vy \"F\")) (output \"vz\" (vz \"F\"))"
    " (output \"wx\" (wx \"F\")) (output \"wy\" (wy \"F\")) (output \"wz\" (wz \"F\"))"
    " (output \"ax\" (ax \"F\")) (output \"ay\" (ay \"F\")) (output \"az\" (az \"F\"))"
    " (output \"qw\" (qw \"F\")) (output \"qx\" (qx \"F\")) (output \"qy\" (qy \"F\"))"
    " (output \"qz\" (qz \"F\"))"
    " (output \"gx\" (gyro-x \"F\")) (output \"gy\" (gyro-y \"F\")) (output \"gz\" (gyro-z \"F\"))"
    " (output \"lx\" (vel-x \"F\")) (output \"ly\" (vel-y \"F\")) (output \"lz\" (vel-z \"F\"))"
    " (output \"cx\" (acc-x \"F\")) (output \"cy\" (acc-y \"F\")) (output \"cz\" (acc-z \"F\"))"
    " (output \"mx\" (comx \"S\")) (output \"my\" (comy \"S\")) (output \"mz\" (comz \"S\"))"
    " (output \"k\" (kinetic)) (output \"p\" (potential)) (output \"e\" (+ (kinetic) (potential) "
    "q.r)))";
enum {
  P = 0,
  V = 3,
  W = 6,
  A = 9,
  Q = 12,
  GYRO = 16,
  VEL = 19,
  ACC = 22,
  COM = 25,
  K = 28,
  NY = 31
};

static void random_state(const cardan_model *model, cardan_data *data, uint64_t seed)
{
  support_rng rng = {seed};
  support_random_vec(&rng, data->q, model->nq, 1.0);
  support_random_vec(&rng, data->v, model->nv, 2.0);
  assert_true(cardan_q_normalize(model, data->q));
}

/* The outputs after moving by h along the motion, with the acceleration a. */
static void outputs_at(fixture *f, const double *q, const double *v, const double *a, double h,
                       double *y)
{
  double dq[32];
  for (int k = 0; k < f->model->nv; k++) {
    dq[k] = v[k] + 0.5 * h * a[k];
    f->data->v[k] = v[k] + h * a[k];
  }
  cardan_q_move(f->model, q, dq, h, f->data->q);
  assert_int_equal(cardan_outputs(f->model, f->data), CARDAN_OK);
  memcpy(y, f->data->y, NY * sizeof *y);
}

/* d/dt of output k by differences that see neither even powers of h nor h^3, where what moved is no
 * longer the true motion: the errors are h^4 of some thousands, and eps / h. */
static double rate(double y[4][NY], double h, int k)
{
  return (8 * (y[2][k] - y[1][k]) - (y[3][k] - y[0][k])) / (12 * h);
}

/* Component k of the angular velocity in the frame's own axes: 2 (conj(e) e')_k. */
static void spin(const double e[4], const double d[4], double w[3])
{
  w[0] = 2 * (e[0] * d[1] - e[1] * d[0] - e[2] * d[3] + e[3] * d[2]);
  w[1] = 2 * (e[0] * d[2] + e[1] * d[3] - e[2] * d[0] - e[3] * d[1]);
  w[2] = 2 * (e[0] * d[3] - e[1] * d[2] + e[2] * d[1] - e[3] * d[0]);
}

static void along_a_motion(void **state)
{
  static const double at[4] = {-2, -1, 1, 2};
  fixture f = fixture_load(text);
  (void)state;
  assert_int_equal(f.model->ny, NY);
  for (uint64_t seed = 1; seed <= 5; seed++) {
    const double h = 5e-4;
    double q[32], v[32], a[32], here[NY], y[4][NY], e[4], d[4], w[3];
    random_state(f.model, f.data, seed);
    memcpy(q, f.data->q, (size_t)f.model->nq * sizeof *q);
    memcpy(v, f.data->v, (size_t)f.model->nv * sizeof *v);
    assert_int_equal(cardan_outputs(f.model, f.data), CARDAN_OK);
    memcpy(here, f.data->y, sizeof here);
    memcpy(a, f.data->a, (size_t)f.model->nv * sizeof *a);
    for (int i = 0; i < 4; i++) {
      outputs_at(&f, q, v, a, at[i] * h, y[i]);
    }
    for (int k = 0; k < 3; k++) {
      assert_near(rate(y, h, P + k), here[V + k], 1e-8);
      assert_near(rate(y, h, V + k), here[A + k], 1e-8);
    }
    for (int k = 0; k < 4; k++) {
      e[k] = here[Q + k];
      d[k] = rate(y, h, Q + k);
    }
    assert_true(e[0] >= 0);
    assert_near(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3], 1, 1e-14);
    spin(e, d, w);
    for (int k = 0; k < 3; k++) {
      assert_near(w[k], here[GYRO + k], 1e-8);
    }
  }
  fixture_free(&f);
}

/* The frame's own axes, and an accelerometer, from the world's. */
static void own_axes(void **state)
{
  fixture f = fixture_load(text);
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    random_state(f.model, f.data, seed);
    assert_int_equal(cardan_outputs(f.model, f.data), CARDAN_OK);
    const double *y = f.data->y;
    const cardan_xform T = cardan_frame_pose(f.model, f.data, cardan_model_frame(f.model, "F"));
    const double g[3] = {f.model->gravity.x, f.model->gravity.y, f.model->gravity.z};
    for (int k = 0; k < 3; k++) {
      double own[3] = {0, 0, 0};
      for (int j = 0; j < 3; j++) {
        own[0] += T.R.m[j][k] * y[W + j];
        own[1] += T.R.m[j][k] * y[V + j];
        own[2] += T.R.m[j][k] * (y[A + j] - g[j]);
      }
      // products and sums of some tens
      assert_near(own[0], y[GYRO + k], 1e-13);
      assert_near(own[1], y[VEL + k], 1e-13);
      assert_near(own[2], y[ACC + k], 1e-12);
    }
    assert_near(y[K], cardan_kinetic(f.model, f.data), 0);
    assert_near(y[K + 1], cardan_potential(f.model, f.data), 0);
    assert_near(y[K + 2], y[K] + y[K + 1] + f.data->q[cardan_model_q(f.model, "r")], 1e-14 * 100);
  }
  fixture_free(&f);
}

/* Derivatives by q and v against differences of order 4; only what is positions and twists has
 * them. */
static void slopes(void **state)
{
  static const double at[4] = {-2, -1, 1, 2};
  fixture f = fixture_load(text);
  const int nv = f.model->nv;
  const double h = 5e-4;
  double q[32], v[32], y_dq[32], y_dv[32], y[2][4][NY];
  (void)state;
  random_state(f.model, f.data, 3);
  memcpy(q, f.data->q, (size_t)f.model->nq * sizeof *q);
  memcpy(v, f.data->v, (size_t)nv * sizeof *v);
  for (int j = 0; j < nv; j++) {
    double unit[32] = {0};
    unit[j] = 1;
    for (int i = 0; i < 4; i++) {
      cardan_q_move(f.model, q, unit, at[i] * h, f.data->q);
      assert_int_equal(cardan_outputs(f.model, f.data), CARDAN_OK);
      memcpy(y[0][i], f.data->y, sizeof y[0][i]);
      memcpy(f.data->q, q, (size_t)f.model->nq * sizeof *q);
      f.data->v[j] = v[j] + at[i] * h;
      assert_int_equal(cardan_outputs(f.model, f.data), CARDAN_OK);
      memcpy(y[1][i], f.data->y, sizeof y[1][i]);
      f.data->v[j] = v[j];
    }
    for (int k = 0; k < NY; k++) {
      const bool twist = k < A || (k >= GYRO && k < ACC);
      assert_int_equal(cardan_output_slopes(f.model, f.data, k, y_dq, y_dv), twist);
      if (twist) {
        assert_near(y_dq[j], rate(y[0], h, k), 1e-9);
        assert_near(y_dv[j], rate(y[1], h, k), 1e-9);
      }
    }
    assert_memory_equal(f.data->v, v, (size_t)nv * sizeof *v);
  }
  fixture_free(&f);
}

/* The masses below "S" by hand: at the frames that hold them. */
static void centre_of_mass(void **state)
{
  fixture f = fixture_load(text);
  double sum[3] = {0, 0, 0}, mass = 0;
  (void)state;
  random_state(f.model, f.data, 7);
  assert_int_equal(cardan_outputs(f.model, f.data), CARDAN_OK);
  const int first = cardan_model_frame(f.model, "S");
  for (int i = first; i < f.model->nframe; i++) {
    const cardan_xform T = cardan_frame_pose(f.model, f.data, i);
    sum[0] += f.model->frame[i].mass.m * T.p.x;
    sum[1] += f.model->frame[i].mass.m * T.p.y;
    sum[2] += f.model->frame[i].mass.m * T.p.z;
    mass += f.model->frame[i].mass.m;
  }
  for (int k = 0; k < 3; k++) {
    assert_near(f.data->y[COM + k], sum[k] / mass, 1e-14);
  }
  fixture_free(&f);
}

/* A loop and a driver: multipliers, driver forces, parameters and inputs, in the rows of every
 * method. */
static const char loop[] =
    "(system (parameter p 2) (input \"u\" 0.5) (gravity 0 0 -9.81)"
    " (ry \"a\" (tz 0.5 (mass 1 0.1 0.1 0.1)) (tz 1 (ry \"b\" (tx 1 (mass 1 0.1 0.1 0.1)"
    " (name \"M\")) (tx 2 (ry \"c\" (tz -0.5 (mass 1 0.1 0.1 0.1)) (tz -1 (name \"E\")))))))"
    " (place (2 0 0) (name \"G\")) (close revolute \"G\" \"E\" (axis 0 1 0) (name \"pin\"))"
    " (motion \"a\" (* 0.2 t t)) (initial (\"b\" 0) (\"c\" 0))"
    " (output \"l1\" (lambda \"pin\" 1)) (output \"f\" (* p (f \"a\"))) (output \"ax\" (ax \"M\"))"
    " (output \"u\" (+ u.u (* 0 (comx \"world\")))))";

static void in_every_method(void **state)
{
  static const char *const methods[] = {
      "vi", "svi", "aba", "hamilton", "baraff", "half-implicit", "fully-implicit", "rattle"};
  (void)state;
  fixture f = fixture_load(loop);
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
    cardan_options options = cardan_options_defaults();
    cardan_report report = {.message = ""};
    cardan_sim *sim;
    double row[64];
    char name[64];
    options.method = methods[m];
    options.dt = 0.001;
    if (cardan_sim_create(f.model, &options, NULL, &sim, &report) != CARDAN_OK) {
      print_message("%s: %s\n", methods[m], report.message);
      continue;
    }
    expect_ok(cardan_sim_start(sim, &report), &report, methods[m]);
    for (int i = 0; i < 100; i++) {
      expect_ok(cardan_sim_step(sim, &report), &report, methods[m]);
    }
    const int n = cardan_sim_columns(sim, 0);
    assert_true(n <= 64);
    assert_int_equal(cardan_sim_row(sim, 0, row), CARDAN_OK);
    cardan_sim_column(sim, 0, n - 4, name, sizeof name);
    assert_string_equal(name, "y.l1");
    // the same state by cardan_forward: multipliers and accelerations of methods differ by their
    // order, dt or dt^2 of some tens
    cardan_data *data = f.data;
    memcpy(data->q, cardan_sim_data(sim)->q, (size_t)f.model->nq * sizeof *data->q);
    memcpy(data->v, cardan_sim_data(sim)->v, (size_t)f.model->nv * sizeof *data->v);
    data->t = cardan_sim_data(sim)->t;
    assert_int_equal(cardan_outputs(f.model, data), CARDAN_OK);
    for (int k = 0; k < 3; k++) {
      assert_near(row[n - 4 + k], data->y[k], 0.1);
    }
    assert_near(row[n - 1], 0.5, 0);
    assert_near(data->y[0], data->lambda[0], 0);
    double force[8];
    cardan_driver_forces(f.model, data, force);
    assert_near(data->y[1], 2 * force[0], 1e-13 * (1 + fabs(force[0])));
    cardan_sim_destroy(sim);
  }
  fixture_free(&f);
}

// of a joint that nothing drives there is no driver's force
static void drivers_are_there(void **state)
{
  static const char still[] = "(system (rx \"q\" (mass 1 1 1 1)) (output \"y\" (f \"q\")))";
  cardan_report report = {.message = ""};
  cardan_spec *spec;
  cardan_model *model;
  (void)state;
  expect_ok(cardan_spec_read(still, sizeof still - 1, "a.mbs", NULL, 0, NULL, &spec, &report),
            &report, "read");
  assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, "which has no driver"));
  cardan_spec_destroy(spec);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(along_a_motion),  cmocka_unit_test(own_axes),
      cmocka_unit_test(slopes),          cmocka_unit_test(centre_of_mass),
      cmocka_unit_test(in_every_method), cmocka_unit_test(drivers_are_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
