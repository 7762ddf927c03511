// SPDX-License-Identifier: Apache-2.0
// cardan_q_move and cardan_q_difference over random trees of every kind of joint.
#include <float.h>
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "kinematics/joint.h"
#include "random_tree.h"

enum { MOST = 256, TREES = 40 };

static const double pi = 3.14159265358979323846;

/* A move whose turns are of size turn [rad] for joints with a quaternion, others in [-3, 3). */
static void random_move(const cardan_model *model, support_rng *rng, double turn, double *dq)
{
  support_random_vec(rng, dq, model->nv, 3.0);
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    if (cardan__quat_offset(b) >= 0) {
      double *w = dq + b->vadr;
      const double n = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
      for (int k = 0; k < 3; k++) {
        w[k] *= turn / n;
      }
    }
  }
}

static fixture random_fixture(support_rng *rng, int seed)
{
  rng->state = 1000 + (uint64_t)seed;
  fixture f = fixture_build(tree_spec(1 + seed % 17, rng));
  tree_random_state(&f, rng);
  assert_true(f.model->nq <= MOST);
  return f;
}

/* Rounding of a move and of a difference: a dozen products of numbers of size 10 at most. */
static const double rounding = 200 * DBL_EPSILON;

// q1 (-) q0 = x after q1 = q0 (+) x, for turns from tiny to all but half a turn
static void difference_undoes_move(void **state)
{
  (void)state;
  const double turn[] = {1e-9, 0.01, 1.0, 3.0, 0.999999 * pi};
  for (int seed = 0; seed < TREES; seed++) {
    support_rng rng;
    fixture f = random_fixture(&rng, seed);
    const int nv = f.model->nv;
    for (size_t i = 0; i < sizeof turn / sizeof *turn; i++) {
      double x[MOST], q1[MOST], back[MOST], scaled[MOST];
      random_move(f.model, &rng, turn[i], x);
      cardan_q_move(f.model, f.data->q, x, 1, q1);
      cardan_q_difference(f.model, f.data->q, q1, back);
      assert_near_vec(back, x, nv, rounding);

      // by a part of x
      cardan_q_move(f.model, f.data->q, x, -0.3, q1);
      cardan_q_difference(f.model, f.data->q, q1, back);
      for (int k = 0; k < nv; k++) {
        scaled[k] = -0.3 * x[k];
      }
      assert_near_vec(back, scaled, nv, rounding);
    }
    fixture_free(&f);
  }
}

// a tiny turn comes back to full relative precision, not to that of the quaternion
static void small_turns_keep_their_digits(void **state)
{
  (void)state;
  support_rng rng = {7};
  cardan_spec *spec = tree_spec(2, &rng); // revolute, spherical
  fixture f = fixture_build(spec);
  const int k = f.model->joint[1].vadr;
  double x[MOST] = {0}, q1[MOST], back[MOST];
  cardan_q_zero(f.model, f.data->q);
  x[k] = 1e-12;
  x[k + 1] = -3e-12;
  cardan_q_move(f.model, f.data->q, x, 1, q1);
  cardan_q_difference(f.model, f.data->q, q1, back);
  assert_near_vec(back + k, x + k, 3, 3e-12 * rounding);
  fixture_free(&f);
}

// q (+) x by cardan_joints: T(q)^-1 T(q (+) x) = exp(S x) for every elementary joint
static void move_is_the_exponential(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    support_rng rng;
    fixture f = random_fixture(&rng, seed);
    cardan_xform before[MOST];
    double x[MOST];
    random_move(f.model, &rng, 2.5, x);
    cardan_joints(f.model, f.data);
    memcpy(before, f.data->X, (size_t)f.model->nbody * sizeof *before);
    cardan_q_move(f.model, f.data->q, x, 1, f.data->q); // in place
    cardan_joints(f.model, f.data);
    for (int i = 1; i < f.model->nbody; i++) {
      const cardan_body *b = &f.model->body[i];
      const cardan_xform D = cardan__xform_inv_mul(&before[i], &f.data->X[i]);
      const cardan_xform E = cardan_se3_exp(cardan__joint_twist(b, x + b->vadr));
      assert_near_vec(&D.R.m[0][0], &E.R.m[0][0], 9, rounding);
      assert_near_vec(&D.p.x, &E.p.x, 3, rounding);
    }
    fixture_free(&f);
  }
}

static void two_halves_are_a_whole(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    support_rng rng;
    fixture f = random_fixture(&rng, seed);
    const double none[MOST] = {0};
    double x[MOST], whole[MOST], halves[MOST], between[MOST];
    random_move(f.model, &rng, 5.0, x); // more than half a turn
    cardan_q_move(f.model, f.data->q, x, 1, whole);
    cardan_q_move(f.model, f.data->q, x, 0.5, halves);
    cardan_q_move(f.model, halves, x, 0.5, halves);
    assert_near_vec(halves, whole, f.model->nq, rounding);
    cardan_q_difference(f.model, whole, halves, between);
    assert_near_vec(between, none, f.model->nv, rounding);
    fixture_free(&f);
  }
}

// central differences: h^2 |v|^3 / 6 of truncation, eps / h of rounding
static void small_moves_follow_q_dot(void **state)
{
  (void)state;
  const double h = 1e-5;
  for (int seed = 0; seed < TREES; seed++) {
    support_rng rng;
    fixture f = random_fixture(&rng, seed);
    double up[MOST], down[MOST], qdot[MOST];
    cardan_q_move(f.model, f.data->q, f.data->v, h, up);
    cardan_q_move(f.model, f.data->q, f.data->v, -h, down);
    cardan_q_dot(f.model, f.data->q, f.data->v, qdot);
    for (int k = 0; k < f.model->nq; k++) {
      up[k] = (up[k] - down[k]) / (2 * h);
    }
    assert_near_vec(up, qdot, f.model->nq, h * h + 20 * DBL_EPSILON / h);
    fixture_free(&f);
  }
}

// q and -q are one attitude, and its length does not count
static void quaternions_count_as_normalised(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    support_rng rng;
    fixture f = random_fixture(&rng, seed);
    double x[MOST], q0[MOST], q1[MOST], moved[MOST], back[MOST];
    random_move(f.model, &rng, 2.0, x);
    memcpy(q0, f.data->q, (size_t)f.model->nq * sizeof *q0);
    cardan_q_move(f.model, q0, x, 1, q1);
    for (int i = 1; i < f.model->nbody; i++) {
      const cardan_body *b = &f.model->body[i];
      const int k = cardan__quat_offset(b);
      for (int j = 0; j < 4 && k >= 0; j++) {
        q0[b->qadr + k + j] *= 1.5;
      }
    }
    cardan_q_move(f.model, q0, x, 1, moved);
    assert_near_vec(moved, q1, f.model->nq, rounding);
    for (int i = 1; i < f.model->nbody; i++) {
      const cardan_body *b = &f.model->body[i];
      const int k = cardan__quat_offset(b);
      for (int j = 0; j < 4 && k >= 0; j++) {
        q1[b->qadr + k + j] *= -0.25;
      }
    }
    cardan_q_difference(f.model, q0, q1, back);
    assert_near_vec(back, x, f.model->nv, rounding);
    fixture_free(&f);
  }
}

// at half a turn the move comes back as itself or as its other way round
static void half_turns_come_back(void **state)
{
  (void)state;
  for (int seed = 1; seed < TREES; seed++) {
    support_rng rng;
    fixture f = random_fixture(&rng, seed);
    double x[MOST], q1[MOST], again[MOST], back[MOST], rest[MOST];
    const double none[MOST] = {0};
    random_move(f.model, &rng, pi, x);
    cardan_q_move(f.model, f.data->q, x, 1, q1);
    cardan_q_difference(f.model, f.data->q, q1, back);
    cardan_q_move(f.model, f.data->q, back, 1, again);
    cardan_q_difference(f.model, again, q1, rest);
    assert_near_vec(rest, none, f.model->nv, rounding);
    fixture_free(&f);
  }
}

static void zero_is_the_joints_own_frame(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    support_rng rng;
    fixture f = random_fixture(&rng, seed);
    cardan_q_zero(f.model, f.data->q);
    cardan_joints(f.model, f.data);
    for (int i = 1; i < f.model->nbody; i++) {
      const cardan_xform *X = &f.model->body[i].X;
      assert_near_vec(&f.data->X[i].R.m[0][0], &X->R.m[0][0], 9, rounding);
      assert_near_vec(&f.data->X[i].p.x, &X->p.x, 3, rounding);
    }
    fixture_free(&f);
  }
}

// the ends are the ends, parts add up along the way, and it goes the shorter way round
static void interpolation_follows_one_way(void **state)
{
  (void)state;
  for (int seed = 0; seed < TREES; seed++) {
    support_rng rng;
    fixture f = random_fixture(&rng, seed);
    double q1[MOST], at[MOST], whole[MOST], part[MOST];
    cardan_q_random(f.model, (uint64_t)seed, q1);
    cardan_q_difference(f.model, f.data->q, q1, whole);
    for (int i = 0; i <= 4; i++) {
      cardan_q_interpolate(f.model, f.data->q, q1, 0.25 * i, at);
      cardan_q_difference(f.model, f.data->q, at, part);
      for (int k = 0; k < f.model->nv; k++) {
        assert_near(part[k], 0.25 * i * whole[k], 2 * rounding);
      }
    }
    cardan_q_interpolate(f.model, f.data->q, q1, 0.5, q1); // in place
    cardan_q_difference(f.model, f.data->q, q1, part);
    for (int k = 0; k < f.model->nv; k++) {
      assert_near(part[k], 0.5 * whole[k], 2 * rounding);
    }
    fixture_free(&f);
  }
}

/* Largest and smallest of the first coordinate over many seeds. */
static void random_range(const cardan_model *model, double *low, double *high)
{
  double q[MOST];
  *low = 1e9;
  *high = -1e9;
  for (uint64_t seed = 0; seed < 1000; seed++) {
    cardan_q_random(model, seed, q);
    *low = fmin(*low, q[0]);
    *high = fmax(*high, q[0]);
  }
}

// within its limits and nearly up to them: of 1000 numbers the largest is 0.993 of the way with
// probability 1 - 1e-3, and a seed always gives the same
static void random_fills_its_range(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double low, high;
  } list[] = {
      {"(system \"s\" (joint revolute \"a\" (limit -0.5 2) (mass 1 1 1 1)))", -0.5, 2},
      {"(system \"s\" (joint revolute \"a\" (mass 1 1 1 1)))", -3.141592653589793,
       3.141592653589793},
      {"(system \"s\" (joint prismatic \"a\" (mass 1 1 1 1)))", -1, 1},
      {"(system \"s\" (joint free \"a\" (mass 1 1 1 1)))", -1, 1},
      {"(system \"s\" (joint spherical \"a\" (mass 1 1 1 1)))", -1, 1},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    fixture f = fixture_load(list[i].text);
    const double width = list[i].high - list[i].low;
    double low, high, q[2][MOST];
    random_range(f.model, &low, &high);
    assert_true(low >= list[i].low && high <= list[i].high);
    assert_true(i == 4 || (low < list[i].low + 0.01 * width && high > list[i].high - 0.01 * width));
    for (int again = 0; again < 2; again++) {
      cardan_q_random(f.model, 7, q[again]);
    }
    assert_memory_equal(q[0], q[1], (size_t)f.model->nq * sizeof(double));
    cardan_q_random(f.model, 8, q[1]);
    assert_true(q[0][0] != q[1][0]);
    fixture_free(&f);
  }
}

// attitudes are even over all rotations: the mean of |w| over the unit sphere S3 is 4 / (3 pi), and
// the means of R's entries 0; 1e5 samples leave 1 / sqrt(1e5) = 3e-3
static void random_attitudes_are_even(void **state)
{
  (void)state;
  enum { N = 100000 };
  fixture f = fixture_load("(system \"s\" (joint spherical \"a\" (mass 1 1 1 1)))");
  double mean[5] = {0};
  for (uint64_t seed = 0; seed < N; seed++) {
    double q[4];
    cardan_q_random(f.model, seed, q);
    assert_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 8 * DBL_EPSILON);
    for (int k = 0; k < 4; k++) {
      mean[k] += fabs(q[k]) / N;
      mean[4] += q[k] / N;
    }
  }
  for (int k = 0; k < 4; k++) {
    assert_near(mean[k], 4 / (3 * pi), 4e-3);
  }
  assert_near(mean[4], 0, 1e-2);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interpolation_follows_one_way),   cmocka_unit_test(random_fills_its_range),
      cmocka_unit_test(random_attitudes_are_even),       cmocka_unit_test(difference_undoes_move),
      cmocka_unit_test(small_turns_keep_their_digits),   cmocka_unit_test(move_is_the_exponential),
      cmocka_unit_test(two_halves_are_a_whole),          cmocka_unit_test(small_moves_follow_q_dot),
      cmocka_unit_test(quaternions_count_as_normalised), cmocka_unit_test(half_turns_come_back),
      cmocka_unit_test(zero_is_the_joints_own_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
