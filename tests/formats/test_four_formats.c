// SPDX-License-Identifier: Apache-2.0
// One arm written by hand in four formats (examples/robots): the same inertia, the same motion.
#include <stdio.h>

#include "cardan/dynamics.h"
#include "run.h"

static const char *const endings[] = {"mbs", "urdf", "sdf", "xml"};
enum { FORMATS = sizeof endings / sizeof *endings, NV = 3 };

static cardan_model *load(const char *ending)
{
  char path[4096];
  cardan_model *model = NULL;
  cardan_report report = {.message = ""};
  snprintf(path, sizeof path, "%s/arm.%s", CARDAN_EXAMPLE_ROBOTS, ending);
  expect_ok(cardan_model_load(path, NULL, 0, NULL, &model, &report), &report, ending);
  return model;
}

/* Numbers of 1 go through a few dozen roundings on their way, by another way in each format. */
static void test_inertia(void **state)
{
  double M[FORMATS][NV * NV];
  (void)state;
  for (int i = 0; i < FORMATS; i++) {
    cardan_model *model = load(endings[i]);
    cardan_data *data = NULL;
    assert_int_equal(model->nv, NV);
    assert_near(model->mass, 7.7, 1e-15 * 8);
    assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
    data->q[0] = 0.3;
    data->q[1] = 0.1;
    data->q[2] = -0.8;
    cardan_joints(model, data);
    cardan_crba(model, data, M[i]);
    assert_near_vec(M[i], M[0], NV * NV, 1e-14);
    cardan_data_destroy(data);
    cardan_model_destroy(model);
  }
}

/* One second, in which the carriage falls on its stop; the error grows by the motion itself, and by
 * how far vi's iterations go. */
static void check_motion(const char *method, const char *integrator)
{
  double q[FORMATS][NV], v[FORMATS][NV];
  for (int i = 0; i < FORMATS; i++) {
    cardan_model *model = load(endings[i]);
    cardan_report report = {.message = ""};
    cardan_options o = cardan_options_defaults();
    cardan_sim *sim = NULL;
    o.method = method;
    o.integrator = integrator;
    o.dt = 0.001;
    o.contacts = "auto"; // the geoms of the MJCF touch, and aba does not hold that
    expect_ok(cardan_sim_create(model, &o, NULL, &sim, &report), &report, method);
    cardan_data *data = cardan_sim_data(sim);
    data->q[2] = 1.0;
    data->v[0] = 2.0;
    data->v[2] = -3.0;
    expect_ok(cardan_sim_start(sim, &report), &report, method);
    for (int k = 0; k < 1000; k++) {
      expect_ok(cardan_sim_step(sim, &report), &report, method);
    }
    data = cardan_sim_data(sim);
    assert_near(data->q[1], -0.5, 1e-12);
    for (int k = 0; k < NV; k++) {
      q[i][k] = data->q[k];
      v[i][k] = data->v[k];
    }
    assert_near_vec(q[i], q[0], NV, 1e-12);
    assert_near_vec(v[i], v[0], NV, 1e-11);
    cardan_sim_destroy(sim);
    cardan_model_destroy(model);
  }
}

static void test_motion(void **state)
{
  (void)state;
  check_motion("vi", NULL);
  check_motion("aba", NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_inertia), cmocka_unit_test(test_motion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
