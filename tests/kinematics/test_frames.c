// SPDX-License-Identifier: Apache-2.0
// Frames over random trees of every kind of joint: twists, accelerations and Jacobians in all axes,
// against one another and against differences along a motion.
#include <float.h>
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "kinematics/link.h"
#include "motion.h"
#include "spatial/spatial.h"

enum { MOST = MOTION_MOST, TREES = 60 };

static const cardan_axes all_axes[] = {CARDAN_LOCAL, CARDAN_WORLD, CARDAN_ALIGNED};

/* y = J x + y of 6 rows. */
static void add_product(const double *J, const double *x, int nv, double y[6])
{
  for (int r = 0; r < 6; r++) {
    for (int k = 0; k < nv; k++) {
      y[r] += J[r * nv + k] * x[k];
    }
  }
}

// J v is the twist, J a + Jdot v the acceleration, and Jdot's product with v is the bias
static void products_agree(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    motion t = motion_make(seed);
    const cardan_model *model = t.f.model;
    const cardan_data *data = t.f.data;
    motion_go(&t, 0);
    for (int i = 0; i < 3 * model->nframe; i++) {
      const int frame = i / 3, nv = model->nv;
      const cardan_axes axes = all_axes[i % 3];
      double J[6 * MOST], rate[6 * MOST], V[6], A[6], bias[6];
      double Jv[6] = {0}, sum[6], rate_v[6] = {0};
      cardan_frame_jacobian(model, data, frame, axes, J);
      cardan_frame_jacobian_rate(model, data, frame, axes, rate);
      motion_six(cardan_frame_twist(model, data, frame, axes), V);
      motion_six(cardan_frame_acceleration(model, data, frame, axes), A);
      motion_six(cardan_frame_bias(model, data, frame, axes), bias);
      memcpy(sum, bias, sizeof sum);
      add_product(J, data->v, nv, Jv);
      add_product(J, data->a, nv, sum);
      add_product(rate, data->v, nv, rate_v);
      // sums of nv products, of numbers that nbody transforms gave their rounding
      const double size = 1 + support_max_abs(J, 6 * nv) + support_max_abs(rate, 6 * nv) +
                          support_max_abs(V, 6) * support_max_abs(V, 6);
      const double tol = 20 * DBL_EPSILON * (nv + model->nbody) * size;
      assert_near_vec(Jv, V, 6, tol);
      assert_near_vec(sum, A, 6, tol);
      assert_near_vec(rate_v, bias, 6, tol);
    }
    fixture_free(&t.f);
  }
}

// of the pose: the local twist, and the velocity of the frame's origin
static void twists_are_rates(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    motion t = motion_make(seed);
    const cardan_model *model = t.f.model;
    const int frame = model->nframe - 1;
    cardan_xform X[2];
    double local[6], aligned[6], world[6], moved[6];
    for (int s = 0; s < 2; s++) {
      motion_go(&t, s == 0 ? -motion_step : motion_step);
      X[s] = cardan_frame_pose(model, t.f.data, frame);
    }
    motion_go(&t, 0);
    const cardan_xform T = cardan_frame_pose(model, t.f.data, frame);
    const cardan_xform step = cardan__xform_inv_mul(&X[0], &X[1]);
    const cardan_vec3 dp =
        cardan__vec3_scale(1 / (2 * motion_step), cardan__vec3_sub(X[1].p, X[0].p));
    double twist[6];
    motion_six(cardan__twist_scale(1 / (2 * motion_step), cardan_se3_log(&step)), twist);
    const cardan_twist V = cardan_frame_twist(model, t.f.data, frame, CARDAN_LOCAL);
    motion_six(V, local);
    motion_six(cardan_frame_twist(model, t.f.data, frame, CARDAN_ALIGNED), aligned);
    motion_six(cardan_frame_twist(model, t.f.data, frame, CARDAN_WORLD), world);
    motion_six(cardan_xform_twist(&T, V), moved);
    const double size = support_max_abs(local, 6), size_w = 1 + support_max_abs(world, 6);
    const double velocity[3] = {dp.x, dp.y, dp.z};
    assert_near_vec(twist, local, 6, motion_tol(size));
    assert_near_vec(velocity, aligned + 3, 3, motion_tol(size));
    assert_near_vec(world, moved, 6, 50 * DBL_EPSILON * size_w);
    fixture_free(&t.f);
  }
}

// accelerations are those of the twist's numbers, and Jdot those of J's, whatever the axes
static void rates_are_differences(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    motion t = motion_make(seed);
    const cardan_model *model = t.f.model;
    const cardan_data *data = t.f.data;
    const int frame = model->nframe - 1, nv = model->nv;
    for (int i = 0; i < 3; i++) {
      const cardan_axes axes = all_axes[i];
      double V[2][6], J[2][6 * MOST], A[6], rate[6 * MOST];
      for (int s = 0; s < 2; s++) {
        motion_go(&t, s == 0 ? -motion_step : motion_step);
        motion_six(cardan_frame_twist(model, data, frame, axes), V[s]);
        cardan_frame_jacobian(model, data, frame, axes, J[s]);
      }
      motion_go(&t, 0);
      motion_six(cardan_frame_acceleration(model, data, frame, axes), A);
      cardan_frame_jacobian_rate(model, data, frame, axes, rate);
      const double size = support_max_abs(V[0], 6) + support_max_abs(J[0], 6 * nv);
      for (int k = 0; k < 6 * nv; k++) {
        J[0][k] = (J[1][k] - J[0][k]) / (2 * motion_step);
      }
      for (int k = 0; k < 6; k++) {
        V[0][k] = (V[1][k] - V[0][k]) / (2 * motion_step);
      }
      assert_near_vec(V[0], A, 6, motion_tol(size));
      assert_near_vec(J[0], rate, 6 * nv, motion_tol(size));
    }
    fixture_free(&t.f);
  }
}

// seen from another frame: the rate of the relative pose; from the world: nothing else than before
static void relative_to_frames(void **state)
{
  (void)state;
  for (int seed = 2; seed < TREES; seed++) {
    motion t = motion_make(seed);
    const cardan_model *model = t.f.model;
    const cardan_data *data = t.f.data;
    const int frame = model->nframe - 1, from = model->nframe / 2, nv = model->nv;
    cardan_xform X[2];
    for (int s = 0; s < 2; s++) {
      motion_go(&t, s == 0 ? -motion_step : motion_step);
      const cardan_xform A = cardan_frame_pose(model, data, from);
      const cardan_xform B = cardan_frame_pose(model, data, frame);
      X[s] = cardan__xform_inv_mul(&A, &B);
    }
    motion_go(&t, 0);
    const cardan_xform step = cardan__xform_inv_mul(&X[0], &X[1]);
    const cardan_vec3 dp =
        cardan__vec3_scale(1 / (2 * motion_step), cardan__vec3_sub(X[1].p, X[0].p));
    const double velocity[3] = {dp.x, dp.y, dp.z};
    double twist[6], local[6], aligned[6];
    motion_six(cardan__twist_scale(1 / (2 * motion_step), cardan_se3_log(&step)), twist);
    motion_six(cardan_relative_twist(model, data, from, frame, CARDAN_LOCAL), local);
    motion_six(cardan_relative_twist(model, data, from, frame, CARDAN_ALIGNED), aligned);
    const double size = support_max_abs(local, 6);
    assert_near_vec(twist, local, 6, motion_tol(size));
    assert_near_vec(velocity, aligned + 3, 3, motion_tol(size));
    for (int i = 0; i < 3; i++) {
      double J[6 * MOST], V[6], Jv[6] = {0}, own[6 * MOST];
      cardan_relative_jacobian(model, data, from, frame, all_axes[i], J);
      motion_six(cardan_relative_twist(model, data, from, frame, all_axes[i]), V);
      add_product(J, data->v, nv, Jv);
      const double tol = 20 * DBL_EPSILON * (nv + model->nbody) * (1 + support_max_abs(J, 6 * nv));
      assert_near_vec(Jv, V, 6, tol);
      cardan_relative_jacobian(model, data, 0, frame, all_axes[i], J);
      cardan_frame_jacobian(model, data, frame, all_axes[i], own);
      assert_memory_equal(J, own, (size_t)(6 * nv) * sizeof *J);
    }
    fixture_free(&t.f);
  }
}

/* Twists, wrenches and vectors across every joint of a model; the flags that were met. */
static int cross_joints(const fixture *f, support_rng *rng)
{
  int met = 0;
  for (int i = 1; i < f->model->nbody; i++) {
    const int flags = f->model->body[i].flags;
    const cardan_xform *X = &f->data->X[i];
    double x[12];
    support_random_vec(rng, x, 12, 1.0);
    const cardan_twist V = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    const cardan_force F = {{x[6], x[7], x[8]}, {x[9], x[10], x[11]}};
    const cardan_twist in = cardan__link_twist(flags, X, V), in2 = cardan__twist_to_child(X, V);
    const cardan_force out = cardan__link_force(flags, X, F), out2 = cardan__force_to_parent(X, F);
    const cardan_vec3 w = cardan__link_in(flags, &X->R, V.w);
    const cardan_vec3 t = cardan__link_out(flags, &X->R, F.f);
    // 3 products of the offset, then 3 of the turn
    const double tol = 10 * DBL_EPSILON * (1 + cardan__vec3_norm(X->p));
    assert_near_vec(&in.w.x, &in2.w.x, 6, tol);
    assert_near_vec(&out.t.x, &out2.t.x, 6, tol);
    assert_near_vec(&w.x, &in2.w.x, 3, tol);
    assert_near_vec(&t.x, &out2.f.x, 3, tol);
    met |= flags;
  }
  return met;
}

// a body's flags leave out zeros, and nothing else
static void links_leave_out_zeros(void **state)
{
  (void)state;
  static const char *const names[] = {"chain:4",   "human",     "humanoid",
                                      "bintree:4", "scissor:2", "lower-pairs"};
  support_rng rng = {.state = 77};
  int met = 0;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    fixture f = fixture_load(names[k]);
    tree_random_state(&f, &rng);
    cardan_joints(f.model, f.data);
    met |= cross_joints(&f, &rng);
    fixture_free(&f);
  }
  for (int seed = 0; seed < TREES; seed++) {
    motion t = motion_make(seed);
    motion_go(&t, 0);
    met |= cross_joints(&t.f, &rng);
    fixture_free(&t.f);
  }
  const int all = CARDAN_LINK_TURNED | CARDAN_LINK_RIGHT | CARDAN_LINK_PARALLEL |
                  CARDAN_LINK_ALONG_X | CARDAN_LINK_ALONG_Y | CARDAN_LINK_ALONG_Z;
  assert_int_equal(met & all, all);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_agree),        cmocka_unit_test(twists_are_rates),
      cmocka_unit_test(rates_are_differences), cmocka_unit_test(relative_to_frames),
      cmocka_unit_test(links_leave_out_zeros),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
