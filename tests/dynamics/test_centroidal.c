// SPDX-License-Identifier: Apache-2.0
// Centre of mass and momentum about it, over random trees of every kind of joint: against sums over
// the bodies, and against differences along a motion.
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion.h"
#include "spatial/spatial.h"

enum { MOST = MOTION_MOST, TREES = 60 };

static double rounding(const cardan_model *model, double size)
{
  return 30 * DBL_EPSILON * (model->nv + model->nbody) * size;
}

/* Is body i below this one, or the same? By its own way up. */
static bool is_part(const cardan_model *model, int i, int body)
{
  for (; i > 0; i = model->body[i].parent) {
    if (i == body) {
      return true;
    }
  }
  return body == 0;
}

/* Mass, first moment and linear momentum of a part of the tree, body by body, in the world. */
static double sums(const cardan_model *model, const cardan_data *data, int body, cardan_vec3 *h,
                   cardan_vec3 *p)
{
  double m = 0;
  *h = *p = (cardan_vec3){0, 0, 0};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_inertia *G = &model->body[i].inertia;
    if (is_part(model, i, body)) {
      const cardan_vec3 turned = cardan__mat3_mulv(&data->X_W[i].R, G->h);
      const cardan_force P = cardan__inertia_mul(G, data->V[i]);
      m += G->m;
      *h = cardan__vec3_add(*h, cardan__vec3_axpy(G->m, data->X_W[i].p, turned));
      *p = cardan__vec3_add(*p, cardan__mat3_mulv(&data->X_W[i].R, P.f));
    }
  }
  return m;
}

// of all and of every part: c and its velocity are the sums, J v the velocity
static void centres_are_sums(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    motion m = motion_make(seed);
    const cardan_model *model = m.f.model;
    cardan_data *data = m.f.data;
    const int nv = model->nv;
    motion_go(&m, 0);
    for (int body = 0; body < model->nbody; body++) {
      cardan_vec3 h, p, velocity;
      const double mass = sums(model, data, body, &h, &p);
      double J[3 * MOST], Jv[3] = {0};
      if (mass == 0) {
        continue; // the first part of a universal joint has none of its own, but always below it
      }
      const cardan_vec3 c = cardan_com(model, data, body, &velocity);
      const cardan_vec3 expected = cardan__vec3_scale(1 / mass, h);
      const cardan_vec3 speed = cardan__vec3_scale(1 / mass, p);
      cardan_com_jacobian(model, data, body, J);
      for (int k = 0; k < 3 * nv; k++) {
        Jv[k / nv] += J[k] * data->v[k % nv];
      }
      const double size = 1 + cardan__vec3_norm(c) + support_max_abs(J, 3 * nv);
      assert_near_vec(&c.x, &expected.x, 3, rounding(model, size));
      assert_near_vec(&velocity.x, &speed.x, 3, rounding(model, size));
      assert_near_vec(Jv, &velocity.x, 3, rounding(model, size));
    }
    fixture_free(&m.f);
  }
}

// the velocity is the rate of c, and the rate of the momentum is its difference
static void rates_are_differences(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    motion m = motion_make(seed);
    const cardan_model *model = m.f.model;
    cardan_data *data = m.f.data;
    cardan_vec3 c[2], v[2], velocity;
    cardan_force h[2];
    for (int s = 0; s < 2; s++) {
      motion_go(&m, s == 0 ? -motion_step : motion_step);
      c[s] = cardan_com(model, data, 0, &v[s]);
      h[s] = cardan_centroidal(model, data, NULL);
    }
    motion_go(&m, 0);
    const double k = 1 / (2 * motion_step), size = support_max_abs(&h[0].t.x, 6) / model->mass;
    const cardan_force rate = cardan_centroidal_rate(model, data);
    const cardan_force slope = cardan__force_scale(k, cardan__force_sub(h[1], h[0]));
    const cardan_vec3 speed = cardan__vec3_scale(k, cardan__vec3_sub(c[1], c[0]));
    const cardan_vec3 acceleration = cardan__vec3_scale(k, cardan__vec3_sub(v[1], v[0]));
    const cardan_vec3 from_rate = cardan__vec3_scale(1 / model->mass, rate.f);
    cardan_com(model, data, 0, &velocity);
    assert_near_vec(&speed.x, &velocity.x, 3, motion_tol(size));
    assert_near_vec(&slope.t.x, &rate.t.x, 6, model->mass * motion_tol(size));
    assert_near_vec(&acceleration.x, &from_rate.x, 3, motion_tol(size));
    fixture_free(&m.f);
  }
}

// A v is the momentum about c, which is the one about the origin shifted; f is m times c's velocity
static void matrix_gives_momentum(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    motion m = motion_make(seed);
    const cardan_model *model = m.f.model;
    cardan_data *data = m.f.data;
    const int nv = model->nv;
    double A[6 * MOST], Av[6] = {0};
    cardan_vec3 velocity;
    motion_go(&m, 0);
    const cardan_force P = cardan_total_momentum(model, data);
    const cardan_vec3 c = cardan_com(model, data, 0, &velocity);
    const cardan_force h = cardan_centroidal(model, data, A);
    const cardan_vec3 t = cardan__vec3_sub(P.t, cardan__vec3_cross(c, P.f));
    const cardan_vec3 p = cardan__vec3_scale(model->mass, velocity);
    for (int k = 0; k < 6 * nv; k++) {
      Av[k / nv] += A[k] * data->v[k % nv];
    }
    const double tol = rounding(model, 1 + support_max_abs(A, 6 * nv) + support_max_abs(&P.t.x, 6));
    assert_near_vec(Av, &h.t.x, 6, tol);
    assert_near_vec(&h.t.x, &t.x, 3, tol);
    assert_near_vec(&h.f.x, &p.x, 3, tol);
    fixture_free(&m.f);
  }
}

// a free body under gravity: the momentum's rate is its weight, and no torque about its centre
static void free_flight_keeps_angular_momentum(void **state)
{
  (void)state;
  fixture f =
      fixture_load("(system \"s\" (gravity 0 0 -9.81) (joint free \"b\" (mass 2 0.1 0.2 0.3)"
                   " (tx 0.3 (mass 1) (ry \"arm\" (tz -0.4 (mass 0.5 0.01 0.02 0.03)))))"
                   " (initial (\"b\" (0 0 0 1 0 0 0) (1 2 3 0.4 0.5 0.6)) (\"arm\" 0.3 -2)))");
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  cardan_poses(f.model, f.data);
  const cardan_force rate = cardan_centroidal_rate(f.model, f.data);
  const double expected[6] = {0, 0, 0, 0, 0, -9.81 * 3.5};
  // sums of three bodies' wrenches of size 35
  assert_near_vec(&rate.t.x, expected, 6, 100 * DBL_EPSILON * 35);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(centres_are_sums),
      cmocka_unit_test(rates_are_differences),
      cmocka_unit_test(matrix_gives_momentum),
      cmocka_unit_test(free_flight_keeps_angular_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
