// SPDX-License-Identifier: Apache-2.0
// The terms of the equation of motion one by one, over random trees of every kind of joint: against
// the recursions, against one another, and M's rate against differences along a motion.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/forces.h"
#include "kinematics/joint.h"
#include "motion.h"
#include "spatial/spatial.h"

enum { MOST = MOTION_MOST, TREES = 60 };

/* Sums of n products over nbody transforms, of numbers up to size. */
static double rounding(const cardan_model *model, double size)
{
  return 30 * DBL_EPSILON * (model->nv + model->nbody) * size;
}

static double *matrix(int rows, int columns)
{
  double *M = calloc((size_t)rows * (size_t)columns + 1, sizeof *M);
  assert_non_null(M);
  return M;
}

/* y = A x; A of n columns. */
static void multiply(const double *A, const double *x, int m, int n, double *y)
{
  for (int i = 0; i < m; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) {
      y[i] += A[(size_t)i * (size_t)n + (size_t)j] * x[j];
    }
  }
}

/* cardan_rnea without applied wrenches, at velocities v and accelerations a. */
static void recursion(motion *m, const double *v, const double *a, double *tau)
{
  cardan_data *data = m->f.data;
  for (int k = 0; k < m->f.model->nv; k++) {
    data->v[k] = v != NULL ? v[k] : 0;
  }
  cardan_velocities(m->f.model, data);
  cardan_rnea(m->f.model, data, a, tau);
  motion_go(m, 0);
}

// applied wrenches of an earlier call are not in them, and v stays as it is
static void gravity_and_bias_are_the_recursion(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    motion m = motion_make(seed);
    const cardan_model *model = m.f.model;
    double bias[MOST], gravity[MOST], expected[2][MOST];
    motion_go(&m, 0);
    recursion(&m, m.v, NULL, expected[0]);
    recursion(&m, NULL, NULL, expected[1]);
    for (int i = 1; i < model->nbody; i++) {
      m.f.data->f_ext[i] = (cardan_force){.t = {1, 2, 3}, .f = {4, 5, 6}};
    }
    cardan_bias_torques(model, m.f.data, bias);
    cardan_gravity_torques(model, m.f.data, gravity);
    const double tol = rounding(model, 1 + support_max_abs(expected[0], model->nv));
    assert_near_vec(bias, expected[0], model->nv, tol);
    assert_near_vec(gravity, expected[1], model->nv, tol);
    assert_memory_equal(m.f.data->v, m.v, (size_t)model->nv * sizeof *m.v);
    fixture_free(&m.f);
  }
}

// C v + g is the bias, and M's rate less 2 C is skew: C + C^T = Mdot
static void coriolis_goes_with_the_rate_of_inertia(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    motion m = motion_make(seed);
    const cardan_model *model = m.f.model;
    cardan_data *data = m.f.data;
    const int nv = model->nv;
    double *C = matrix(nv, nv), *M[2] = {matrix(nv, nv), matrix(nv, nv)};
    double bias[MOST], gravity[MOST], Cv[MOST];
    for (int s = 0; s < 2; s++) {
      motion_go(&m, s == 0 ? -motion_step : motion_step);
      cardan_crba(model, data, M[s]);
    }
    motion_go(&m, 0);
    cardan_coriolis(model, data, C);
    cardan_bias_torques(model, data, bias);
    cardan_gravity_torques(model, data, gravity);
    multiply(C, data->v, nv, nv, Cv);
    const double size = support_max_abs(M[0], nv * nv) + support_max_abs(C, nv * nv);
    for (int k = 0; k < nv; k++) {
      assert_near(Cv[k] + gravity[k], bias[k], rounding(model, 1 + size + fabs(gravity[k])));
    }
    for (int i = 0; i < nv; i++) {
      for (int j = 0; j < nv; j++) {
        const double rate = (M[1][i * nv + j] - M[0][i * nv + j]) / (2 * motion_step);
        // M's rounding over the step; its third derivative is of its own size here
        assert_near(C[i * nv + j] + C[j * nv + i], rate, 1e-9 * (1 + size));
      }
    }
    free(C);
    free(M[0]);
    free(M[1]);
    fixture_free(&m.f);
  }
}

// with one velocity a joint C is Christoffel's: C(q, v) w = C(q, w) v
static void coriolis_is_of_christoffel(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed < 20; seed++) {
    fixture f = scalar_tree(2 + (int)(seed % 9), false, seed);
    const int nv = f.model->nv;
    double *C = matrix(nv, nv), w[MOST], v[MOST], a[MOST], b[MOST];
    support_rng rng = {seed};
    support_random_vec(&rng, w, nv, 1.0);
    memcpy(v, f.data->v, (size_t)nv * sizeof *v);
    cardan_joints(f.model, f.data);
    cardan_velocities(f.model, f.data);
    cardan_coriolis(f.model, f.data, C);
    multiply(C, w, nv, nv, a);
    const double size = 1 + support_max_abs(C, nv * nv);
    memcpy(f.data->v, w, (size_t)nv * sizeof *w);
    cardan_velocities(f.model, f.data);
    cardan_coriolis(f.model, f.data, C);
    multiply(C, v, nv, nv, b);
    assert_near_vec(a, b, nv, rounding(f.model, size));
    free(C);
    fixture_free(&f);
  }
}

// M M^-1 = 1, and a frame's inverse inertia is J M^-1 J^T in all axes
static void inverses_are_of_inertia(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    motion m = motion_make(seed);
    const cardan_model *model = m.f.model;
    cardan_data *data = m.f.data;
    const int nv = model->nv, frame = model->nframe - 1;
    double *M = matrix(nv, nv), *Mi = matrix(nv, nv), *J = matrix(6, nv);
    motion_go(&m, 0);
    assert_int_equal(cardan_factor(model, data), CARDAN_OK);
    cardan_crba(model, data, M);
    cardan_inertia_inverse(model, data, Mi);
    const double size = support_max_abs(M, nv * nv) * support_max_abs(Mi, nv * nv);
    for (int i = 0; i < nv; i++) {
      double row[MOST];
      multiply(M, Mi + (size_t)i * (size_t)nv, nv, nv, row); // Mi is symmetric
      row[i] -= 1;
      assert_near(support_max_abs(row, nv), 0, rounding(model, 1 + size));
    }
    for (int axes = CARDAN_LOCAL; axes <= CARDAN_ALIGNED; axes++) {
      double L[36], expected[36] = {0};
      cardan_frame_inertia_inverse(model, data, frame, (cardan_axes)axes, L);
      cardan_frame_jacobian(model, data, frame, (cardan_axes)axes, J);
      for (int i = 0; i < 6; i++) {
        double x[MOST];
        multiply(Mi, J + (size_t)i * (size_t)nv, nv, nv, x);
        multiply(J, x, 6, nv, expected + (size_t)6 * (size_t)i);
      }
      const double big = support_max_abs(J, 6 * nv);
      assert_near_vec(L, expected, 36,
                      rounding(model, 1 + big * big * support_max_abs(Mi, nv * nv)));
    }
    free(M);
    free(Mi);
    free(J);
    fixture_free(&m.f);
  }
}

// Y times the bodies' ten numbers each is what the recursion gives, but for the rotors
static void regressor_is_linear_in_inertias(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    motion m = motion_make(seed);
    const cardan_model *model = m.f.model;
    const int n = 10 * (model->nbody - 1);
    double *Y = matrix(model->nv, n), *pi = matrix(n, 1), tau[MOST], expected[MOST];
    motion_go(&m, 0);
    cardan_regressor(model, m.f.data, m.f.data->a, Y);
    recursion(&m, m.v, m.f.data->a, expected);
    for (int i = 1; i < model->nbody; i++) {
      const cardan_inertia *G = &model->body[i].inertia;
      const double own[10] = {G->m,  G->h.x, G->h.y, G->h.z, G->xx,
                              G->yy, G->zz,  G->xy,  G->xz,  G->yz};
      memcpy(pi + 10 * (i - 1), own, sizeof own);
    }
    multiply(Y, pi, model->nv, n, tau);
    for (int k = 0; k < model->nv; k++) {
      tau[k] += model->armature[k] * m.f.data->a[k];
    }
    assert_near_vec(
        tau, expected, model->nv,
        10 * rounding(model, support_max_abs(Y, model->nv * n) * support_max_abs(pi, n)));
    free(Y);
    free(pi);
    fixture_free(&m.f);
  }
}

/* Power of a wrench about a point, in the axes it is given in, on the twist in the same axes. */
static double power_at(cardan_twist V, cardan_vec3 point, cardan_force w)
{
  const cardan_vec3 v = cardan__vec3_add(V.v, cardan__vec3_cross(V.w, point));
  return cardan__vec3_dot(V.w, w.t) + cardan__vec3_dot(v, w.f);
}

// a push has the power of its wrench at its point, whatever the axes; and pushes add up
static void pushes_have_their_power(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    motion m = motion_make(seed);
    const cardan_model *model = m.f.model;
    cardan_data *data = m.f.data;
    const int frame = model->nframe - 1, body = model->frame[frame].body;
    const cardan_vec3 point = {0.3, -0.4, 0.5};
    const cardan_force w = {.t = {1, 2, -3}, .f = {-4, 5, 6}};
    double expected = 0;
    motion_go(&m, 0);
    for (int axes = CARDAN_LOCAL; axes <= CARDAN_ALIGNED; axes++) {
      const cardan_twist V = cardan_frame_twist(model, data, frame, (cardan_axes)axes);
      cardan_apply_force(model, data, frame, point, w, (cardan_axes)axes);
      expected += power_at(V, point, w);
      assert_near(cardan__power(data->V[body], data->f_in[body]), expected,
                  rounding(model, 100 * (1 + fabs(expected))));
    }
    cardan_clear_forces(model, data);
    assert_true(cardan__power(data->V[body], data->f_in[body]) == 0);
    fixture_free(&m.f);
  }
}

// none of these calls takes memory
static void nothing_is_allocated(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  motion m = motion_make(13);
  const cardan_model *model = m.f.model;
  cardan_data *data = m.f.data;
  const int nv = model->nv, frame = model->nframe - 1;
  double *big = matrix(nv + 6, nv + 10 * model->nbody), L[36];
  double q[MOST];
  cardan_vec3 v;
  motion_go(&m, 0);
  const long before = support_alloc_count();
  assert_int_equal(cardan_factor(model, data), CARDAN_OK);
  cardan_q_random(model, 1, q);
  cardan_q_interpolate(model, q, data->q, 0.3, q);
  cardan_frame_acceleration(model, data, frame, CARDAN_WORLD);
  cardan_frame_bias(model, data, frame, CARDAN_WORLD);
  cardan_frame_jacobian_rate(model, data, frame, CARDAN_WORLD, big);
  cardan_relative_jacobian(model, data, 1, frame, CARDAN_WORLD, big);
  cardan_gravity_torques(model, data, big);
  cardan_bias_torques(model, data, big);
  cardan_coriolis(model, data, big);
  cardan_inertia_inverse(model, data, big);
  cardan_frame_inertia_inverse(model, data, frame, CARDAN_WORLD, L);
  cardan_regressor(model, data, NULL, big);
  cardan_com(model, data, 0, &v);
  cardan_com_jacobian(model, data, 1, big);
  cardan_centroidal(model, data, big);
  cardan_centroidal_rate(model, data);
  cardan_apply_force(model, data, frame, v, (cardan_force){.f = {1, 0, 0}}, CARDAN_WORLD);
  assert_int_equal(cardan_impulse(model, data, NULL, NULL, NULL), CARDAN_OK);
  assert_true(support_alloc_count() == before);
  free(big);
  fixture_free(&m.f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gravity_and_bias_are_the_recursion),
      cmocka_unit_test(coriolis_goes_with_the_rate_of_inertia),
      cmocka_unit_test(coriolis_is_of_christoffel),
      cmocka_unit_test(inverses_are_of_inertia),
      cmocka_unit_test(regressor_is_linear_in_inertias),
      cmocka_unit_test(pushes_have_their_power),
      cmocka_unit_test(nothing_is_allocated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
