// SPDX-License-Identifier: Apache-2.0
// aba, rnea and crba against each other on random trees with all joints: three algorithms that
// share no recursion.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/load.h"
#include "model/data.h"
#include "random_tree.h"
#include "spatial/spatial.h"

enum { NTREE = 1000, NMAX = 60, MOST = 7 * NMAX }; // MOST: coordinates of any tree here

/* Rounding of one entry: each algorithm passes O(n) transforms of a few dozen roundings, and what
 * they carry is at most the sum of the terms' sizes. The largest ratio seen over these trees is
 * printed (0.3 when this was written); c leaves room for other compilers. */
static const double c_pair = 10;

typedef struct {
  fixture f;
  double *tau, *a, *bias, *M, *x, *y;
} tree;

static tree make_tree(int seed)
{
  tree t = {.M = NULL};
  t.f = tree_loaded(seed, NMAX, 4, &t.tau);
  const int nv = t.f.model->nv;
  t.a = t.tau + nv;
  t.bias = t.a + nv;
  t.x = t.bias + nv;
  t.y = t.x + nv;
  t.M = t.y + nv;
  return t;
}

static void free_tree(tree *t)
{
  free(t->tau);
  fixture_free(&t->f);
}

/* Largest sum of |M_ij a_j| + |bias_i| + |tau_i| over the rows. */
static double term_sizes(const tree *t)
{
  const int nv = t->f.model->nv;
  double largest = 0;
  for (int i = 0; i < nv; i++) {
    double sum = fabs(t->bias[i]) + fabs(t->tau[i]);
    for (int j = 0; j < nv; j++) {
      sum += fabs(t->M[i * nv + j] * t->a[j]);
    }
    largest = fmax(largest, sum);
  }
  return largest;
}

static void test_pairwise(void **state)
{
  double worst = 0;
  (void)state;
  for (int seed = 0; seed < NTREE; seed++) {
    tree t = make_tree(seed);
    const cardan_model *model = t.f.model;
    const int nv = model->nv;
    cardan_aba(model, t.f.data, t.tau, t.a);
    cardan_rnea(model, t.f.data, NULL, t.bias);
    cardan_crba(model, t.f.data, t.M);
    cardan_rnea(model, t.f.data, t.a, t.x); // rnea(aba(tau)) = tau
    const double scale = term_sizes(&t), eps = DBL_EPSILON * model->nbody * scale;
    for (int i = 0; i < nv; i++) { // M aba(tau) + bias = tau
      t.y[i] = t.bias[i];
      for (int j = 0; j < nv; j++) {
        t.y[i] += t.M[i * nv + j] * t.a[j];
      }
      worst = fmax(worst, fmax(fabs(t.x[i] - t.tau[i]), fabs(t.y[i] - t.tau[i])) / eps);
      worst = fmax(worst, fabs(t.x[i] - t.y[i]) / eps);
    }
    assert_near_vec(t.x, t.tau, nv, c_pair * eps);
    assert_near_vec(t.y, t.tau, nv, c_pair * eps);
    assert_near_vec(t.x, t.y, nv, c_pair * eps);
    free_tree(&t);
  }
  print_message("largest residual: %.2g eps n (sum of the terms' sizes)\n", worst);
}

/* M^-1 M = 1, column by column, by the reusable factorisation; the error of a solve grows with the
 * condition of M, so the residual M (M^-1 e) - e is what is bounded. */
static void test_inverse_product(void **state)
{
  (void)state;
  for (int seed = 0; seed < 100; seed++) {
    tree t = make_tree(seed);
    const cardan_model *model = t.f.model;
    const int nv = model->nv;
    cardan_crba(model, t.f.data, t.M);
    for (int k = 0; k < nv; k++) {
      memset(t.tau, 0, (size_t)nv * sizeof(double));
      memset(t.bias, 0, (size_t)nv * sizeof(double));
      t.tau[k] = 1;
      cardan_factor_solve(model, t.f.data, NULL, t.tau, t.a);
      for (int i = 0; i < nv; i++) {
        t.y[i] = 0;
        for (int j = 0; j < nv; j++) {
          t.y[i] += t.M[i * nv + j] * t.a[j];
        }
      }
      assert_near_vec(t.y, t.tau, nv, c_pair * DBL_EPSILON * model->nbody * term_sizes(&t));
    }
    free_tree(&t);
  }
}

/* Wrenches on bodies and their pull-back to joints are the same thing to the factorisation. */
static void test_body_wrenches(void **state)
{
  (void)state;
  for (int seed = 0; seed < 100; seed++) {
    tree t = make_tree(seed);
    const cardan_model *model = t.f.model;
    cardan_data *data = t.f.data;
    const int nv = model->nv;
    // tau = J^T f: inverse dynamics with only the force -f
    memset(data->v, 0, (size_t)nv * sizeof(double));
    cardan_kinematics(model, data);
    assert_int_equal(cardan_factor(model, data), CARDAN_OK);
    cardan_rnea(model, data, NULL, t.x);
    memcpy(data->tau_work, t.x, (size_t)nv * sizeof(double));
    memset(data->f, 0, (size_t)model->nbody * sizeof *data->f);
    cardan_force *f = calloc((size_t)model->nbody, sizeof *f);
    assert_non_null(f);
    memcpy(f, data->f_ext, (size_t)model->nbody * sizeof *f);
    memset(data->f_ext, 0, (size_t)model->nbody * sizeof *f);
    cardan_rnea(model, data, NULL, t.bias);
    for (int i = 0; i < nv; i++) {
      t.tau[i] = t.bias[i] - t.x[i];
    }
    cardan_factor_solve(model, data, f, NULL, t.a);
    cardan_factor_solve(model, data, NULL, t.tau, t.y);
    cardan_crba(model, data, t.M);
    for (int i = 0; i < nv; i++) { // compare forces, not accelerations: M (a - y)
      double r = 0, size = fabs(t.bias[i]) + fabs(t.x[i]);
      for (int j = 0; j < nv; j++) {
        r += t.M[i * nv + j] * (t.a[j] - t.y[j]);
        size += fabs(t.M[i * nv + j] * t.a[j]);
      }
      assert_near(r, 0, c_pair * DBL_EPSILON * model->nbody * (size + term_sizes(&t)));
    }
    free(f);
    free_tree(&t);
  }
}

/* d(kinetic + potential)/dt from the bodies' accelerations is the power of tau and f_ext. */
static void test_energy_rate(void **state)
{
  (void)state;
  for (int seed = 0; seed < NTREE; seed++) {
    tree t = make_tree(seed);
    const cardan_model *model = t.f.model;
    cardan_data *data = t.f.data;
    double power = 0, rate = 0, size = 0;
    cardan_aba(model, data, t.tau, t.a);
    for (int k = 0; k < model->nv; k++) {
      power += t.tau[k] * data->v[k];
      size += fabs(t.tau[k] * data->v[k]);
    }
    for (int i = 1; i < model->nbody; i++) {
      const cardan_twist V = data->V[i], A = data->A[i]; // A holds gravity as upward acceleration
      const cardan_twist spatial = {.w = A.w,
                                    .v = cardan__vec3_sub(A.v, cardan__vec3_cross(V.w, V.v))};
      const double change = cardan__power(V, cardan__inertia_mul(&model->body[i].inertia, spatial));
      power += cardan__power(V, data->f_ext[i]);
      rate += change;
      size += fabs(change) + fabs(cardan__power(V, data->f_ext[i]));
    }
    // the joints' wrenches cancel in the sum over bodies; they can be larger than the rest of
    // them
    assert_near(rate, power, 10 * c_pair * DBL_EPSILON * model->nbody * size);
    free_tree(&t);
  }
}

/* The Jacobian of a frame gives its twist, and the twist is the derivative of its pose: central
 * differences of step h err by h^2 |third derivative| / 6 and eps / h. */
static void test_frames(void **state)
{
  const double h = 1e-5;
  (void)state;
  for (int seed = 0; seed < 200; seed++) {
    tree t = make_tree(seed);
    const cardan_model *model = t.f.model;
    cardan_data *data = t.f.data;
    const int frame = model->nframe - 1, nv = model->nv;
    double J[6 * MOST], q[MOST];
    assert_true(model->nq <= MOST);
    memcpy(q, data->q, (size_t)model->nq * sizeof *q);
    cardan_frame_jacobian(model, data, frame, CARDAN_LOCAL, J);
    const cardan_twist V = cardan_frame_twist(model, data, frame, CARDAN_LOCAL);
    const double twist[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
    double Jv[6] = {0}, size = 1;
    for (int r = 0; r < 6; r++) {
      for (int k = 0; k < nv; k++) {
        Jv[r] += J[r * nv + k] * data->v[k];
        size += fabs(J[r * nv + k] * data->v[k]);
      }
    }
    assert_near_vec(Jv, twist, 6, c_pair * DBL_EPSILON * model->nbody * size);
    const cardan_xform X = cardan_frame_pose(model, data, frame);
    cardan_xform side[2];
    for (int s = 0; s < 2; s++) {
      cardan_q_move(model, q, data->v, s == 0 ? -h : h, data->q);
      cardan_joints(model, data);
      cardan_poses(model, data);
      side[s] = cardan_frame_pose(model, data, frame);
    }
    const cardan_vec3 v = cardan__vec3_scale(1 / (2 * h), cardan__vec3_sub(side[1].p, side[0].p));
    const cardan_vec3 v_body = cardan__mat3_tmulv(&X.R, v);
    const double difference[3] = {v_body.x, v_body.y, v_body.z};
    assert_near_vec(difference, twist + 3, 3, 1e-8 * size * size * size);
    free_tree(&t);
  }
}

/* No bodies and a thousand are all the same to the calls. */
static void test_sizes(void **state)
{
  (void)state;
  cardan_spec *spec;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  fixture f = fixture_build(spec);
  assert_int_equal(f.model->nbody, 1);
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  assert_true(cardan_kinetic(f.model, f.data) == 0);
  fixture_free(&f);

  assert_int_equal(cardan_model_load("tree:1000", NULL, 0, NULL, &f.model, NULL), CARDAN_OK);
  assert_int_equal(cardan_data_create(f.model, NULL, &f.data), CARDAN_OK);
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  for (int k = 0; k < f.model->nv; k++) {
    assert_true(isfinite(f.data->a[k]));
  }
  fixture_free(&f);
}

/* A hinge with a mass on an arm that slides. */
static cardan_spec *spinning_arm(const cardan_initial *initial)
{
  cardan_spec *spec;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  const int hinge = cardan_spec_variable(spec, 0, CARDAN_TRANSFORM_RZ, "spin", false);
  const int arm = cardan_spec_variable(spec, hinge, CARDAN_TRANSFORM_TX, "arm", false);
  cardan_spec_mass(spec, arm, &(cardan_mass){.m = 1});
  if (initial != NULL) {
    cardan_spec_initial(spec, initial);
  }
  return spec;
}

/* Everything on a joint's axis: not positive definite, and the joint is named; a model that starts
 * there has no equations of motion. */
static void test_no_inertia(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  cardan_model *model;
  cardan_spec *spec = spinning_arm(NULL);
  assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_OK);
  assert_int_equal(model->inert, CARDAN_INERT_AXIS);
  assert_int_equal(cardan_model_dynamic(model, &report), CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, "spin"));
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);

  fixture f =
      fixture_build(spinning_arm(&(cardan_initial){.var = "arm", .nvalue = 1, .value = {1}}));
  cardan_kinematics(f.model, f.data);
  assert_int_equal(cardan_factor(f.model, f.data), CARDAN_OK);
  f.data->q[1] = 0;
  cardan_kinematics(f.model, f.data);
  assert_int_equal(cardan_factor(f.model, f.data), CARDAN_ERR_NOT_POSDEF);
  assert_int_equal(f.data->info.joint, 0);
  assert_non_null(strstr(f.data->info.message, "spin"));
  fixture_free(&f);
}

/* Twists are the same, but for the sign of a zero, whether forward dynamics made them on its way or
 * cardan_velocities. */
static void test_twists_agree(void **state)
{
  (void)state;
  static const char *const names[] = {"humanoid", "human",     "chain:40",
                                      "tree:60",  "bintree:4", "spherical-chain:5"};
  support_rng rng = {.state = 32};
  for (size_t n = 0; n < 10 * sizeof names / sizeof *names; n++) {
    fixture f = fixture_load(names[n / 10]);
    cardan_twist V[64];
    assert_true(f.model->nbody <= 64);
    tree_random_state(&f, &rng);
    assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
    memcpy(V, f.data->V, (size_t)f.model->nbody * sizeof *V);
    cardan_joints(f.model, f.data);
    cardan_velocities(f.model, f.data);
    for (int i = 0; i < f.model->nbody; i++) {
      const cardan_twist *W = &f.data->V[i];
      assert_true(V[i].w.x == W->w.x && V[i].w.y == W->w.y && V[i].w.z == W->w.z);
      assert_true(V[i].v.x == W->v.x && V[i].v.y == W->v.y && V[i].v.z == W->v.z);
    }
    fixture_free(&f);
  }
}

/* A free body's matrix times what the factorisation has for its inverse. */
static void test_free_inverse(void **state)
{
  (void)state;
  static const char *const names[] = {"tumbler", "humanoid"};
  support_rng rng = {.state = 31};
  for (int n = 0; n < 2; n++) {
    fixture f = fixture_load(names[n]);
    tree_random_state(&f, &rng);
    cardan_joints(f.model, f.data);
    assert_int_equal(cardan_factor(f.model, f.data), CARDAN_OK);
    const cardan_factor_multi *m = &f.data->multi[f.data->multi_of[1]];
    double D[36];
    memcpy(D, m->U, sizeof D);
    // sums of 6 products, of inverses that a few dozen operations made
    const double tol = 100 * DBL_EPSILON * support_max_abs(D, 36) * support_max_abs(m->inv_D, 36);
    for (int e = 0; e < 36; e++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) {
        sum += D[e / 6 * 6 + k] * m->inv_D[6 * k + e % 6];
      }
      assert_near(sum, e / 6 == e % 6, tol);
    }
    fixture_free(&f);
  }
}

/* A point mass beside the frame that is free: it does not resist turns about the line between. */
static void test_free_point(void **state)
{
  (void)state;
  cardan_spec *spec;
  cardan_model *model;
  cardan_data *data;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  const int body =
      cardan_spec_joint(spec, 0, &(cardan_joint_def){.kind = CARDAN_JOINT_FREE, .name = "free"});
  const int beside = cardan_spec_transform(spec, body, CARDAN_TRANSFORM_TX, 0.7);
  cardan_spec_mass(spec, beside, &(cardan_mass){.m = 3});
  assert_int_equal(cardan_model_build(spec, NULL, &model, NULL), CARDAN_OK);
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  cardan_joints(model, data);
  assert_int_equal(cardan_factor(model, data), CARDAN_ERR_NOT_POSDEF);
  assert_non_null(strstr(data->info.message, "free"));
  cardan_data_destroy(data);
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
}

/* What a data has is recorded in fresh: calls add what they make and take away what no longer
 * follows. */
static void test_fresh(void **state)
{
  (void)state;
  cardan_model *model;
  cardan_data *data;
  const unsigned places = CARDAN_FRESH_JOINTS | CARDAN_FRESH_POSES;
  const unsigned kinematics = places | CARDAN_FRESH_VELOCITIES | CARDAN_FRESH_BIAS;
  assert_int_equal(cardan_model_load("four-link", NULL, 0, NULL, &model, NULL), CARDAN_OK);
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  assert_int_equal(cardan_assemble(model, data, NULL, NULL), CARDAN_OK);
  assert_int_equal(data->fresh, kinematics);
  assert_int_equal(cardan_factor(model, data), CARDAN_OK);
  assert_int_equal(data->fresh, kinematics | CARDAN_FRESH_FACTOR | CARDAN_FRESH_INERTIAS);
  assert_int_equal(cardan_forward(model, data, 0, 0), CARDAN_OK);
  assert_int_equal(data->fresh,
                   kinematics | CARDAN_FRESH_FACTOR | CARDAN_FRESH_LOOPS | CARDAN_FRESH_FORWARD);
  // other velocities: places and factors stay
  cardan_velocities(model, data);
  assert_int_equal(data->fresh,
                   places | CARDAN_FRESH_VELOCITIES | CARDAN_FRESH_FACTOR | CARDAN_FRESH_LOOPS);
  // another place: nothing does
  cardan_joints(model, data);
  assert_int_equal(data->fresh, CARDAN_FRESH_JOINTS);
  cardan_data_reset(model, data);
  assert_int_equal(data->fresh, 0);
  cardan_data_destroy(data);
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pairwise),      cmocka_unit_test(test_inverse_product),
      cmocka_unit_test(test_body_wrenches), cmocka_unit_test(test_energy_rate),
      cmocka_unit_test(test_frames),        cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_no_inertia),    cmocka_unit_test(test_fresh),
      cmocka_unit_test(test_free_inverse),  cmocka_unit_test(test_twists_agree),
      cmocka_unit_test(test_free_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
