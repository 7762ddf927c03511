// SPDX-License-Identifier: Apache-2.0
// Impulses, accelerations and inverse dynamics through loops: of a four-bar, of random mechanisms,
// and of those that cannot be.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/constraints.h"
#include "loops.h"
#include "random_loops.h"
#include "random_tree.h"

enum { MOST = 128 };

static const char pins[] = "(coincide \"B\" \"C\" (name \"pin\"))";

/* A four-bar, assembled, that moves. */
static fixture fourbar(const char *more)
{
  char text[2048];
  loops_fourbar_text(text, sizeof text, 1.0, 2.5, 2.0, 2.0, pins,
                     "(\"q1\" -1 0.7) (\"q2\" 1) (\"q3\" -1)");
  char *end = strrchr(text, ')');
  assert_non_null(end);
  assert_true((size_t)(end - text) + strlen(more) + 2 < sizeof text);
  memmove(end + strlen(more), end, strlen(end) + 1);
  memcpy(end, more, strlen(more));
  fixture f = fixture_load(text);
  cardan_report report = {.message = ""};
  expect_ok(cardan_assemble(f.model, f.data, NULL, &report), &report, "assemble");
  return f;
}

/* Largest |J x - target| of the rows; target NULL: 0. */
static double worst_row(fixture *f, const double *x, const double *target)
{
  const int nv = f->model->nv;
  double *J = calloc((size_t)(f->model->nrow * nv) + 1, sizeof *J), worst = 0;
  assert_non_null(J);
  cardan_jacobian(f->model, f->data, J);
  for (int r = 0; r < f->model->nrow; r++) {
    double sum = target != NULL ? -target[r] : 0;
    for (int k = 0; k < nv; k++) {
      sum += J[r * nv + k] * x[k];
    }
    worst = fmax(worst, fabs(sum));
  }
  free(J);
  return worst;
}

// what cardan_forward found under known torques, inverse dynamics gives back: one actuator, and the
// multipliers with it; the crank driven, then the rocker
static void torques_come_back(void **state)
{
  (void)state;
  fixture f = fourbar("(joint-spring \"q2\" 3 0.4) (damping 0.2)");
  for (int driven = 0; driven < 3; driven++) {
    double a[3], tau[1], lambda[8], expected[8];
    memset(f.data->tau_in, 0, 3 * sizeof(double));
    f.data->tau_in[driven] = 5;
    assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
    memcpy(a, f.data->a, sizeof a);
    memcpy(expected, f.data->lambda, (size_t)f.model->nrow * sizeof *expected);
    assert_int_equal(cardan_inverse_loops(f.model, f.data, a, &driven, 1, tau, lambda), CARDAN_OK);
    // two dense solves of a loop of condition 10, forces up to 100
    assert_near(tau[0], 5, 1e-11);
    assert_near_vec(lambda, expected, f.model->nrow, 1e-10);
  }
  fixture_free(&f);
}

// of three actuators on one way to move the shortest forces, which make the same motion
static void over_actuated_is_shortest(void **state)
{
  (void)state;
  fixture f = fourbar("");
  const int all[3] = {0, 1, 2};
  double a[3], one[1], tau[3], sum = 0, square = 0;
  memset(f.data->tau_in, 0, 3 * sizeof(double));
  f.data->tau_in[0] = 5;
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  memcpy(a, f.data->a, sizeof a);
  assert_int_equal(cardan_inverse_loops(f.model, f.data, a, all, 3, tau, NULL), CARDAN_OK);
  assert_int_equal(cardan_inverse_loops(f.model, f.data, a, all, 1, one, NULL), CARDAN_OK);
  // both have the same power on the motion that there is, and it is along the shortest
  for (int k = 0; k < 3; k++) {
    sum += tau[k] * f.data->v[k];
    square += tau[k] * tau[k];
    assert_near(tau[k] * f.data->v[0], tau[0] * f.data->v[k], 1e-11);
  }
  assert_near(sum, one[0] * f.data->v[0], 1e-11);
  assert_true(square < one[0] * one[0]);
  memcpy(f.data->tau_in, tau, sizeof tau);
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  assert_near_vec(f.data->a, a, 3, 1e-11);
  fixture_free(&f);
}

// too few actuators, accelerations that open the loop, actuators that there are not: each is
// reported what a motion prescribes is the motion's, whatever the caller's accelerations say there
static void motions_have_their_own(void **state)
{
  fixture f = fixture_load(
      "(system (gravity 0 0 -9.81) (rx (k \"w\") (tz -1 (mass 1 1 1 1) (rx \"a\" (tz -1"
      " (mass 1 1 1 1) (name \"A\") (rx \"b\" (tz -1 (mass 1 1 1 1) (name \"B\")))))))"
      " (motion \"w\" (* 2 t t)) (point-constraint \"B\" \"world\" (0 1 0)))");
  const int driven[1] = {1};
  double tau = 0;
  (void)state;
  f.data->t = 0.3;
  f.data->q[1] = 0.5;
  f.data->v[1] = 0.1;
  cardan_report report = {.message = ""};
  expect_ok(cardan_assemble(f.model, f.data, NULL, &report), &report, "assemble");
  f.data->a[1] = 1.5;
  f.data->a[2] = 0;
  assert_int_equal(cardan_close_accelerations(f.model, f.data), CARDAN_OK);
  const double a[3] = {0, f.data->a[1], f.data->a[2]};
  assert_int_equal(cardan_inverse_loops(f.model, f.data, a, driven, 1, &tau, NULL), CARDAN_OK);
  f.data->tau_in[1] = tau;
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  assert_near(f.data->a[0], 4, 0);
  assert_near(f.data->a[1], a[1], 1e-10);
  assert_near(f.data->a[2], a[2], 1e-10);
  fixture_free(&f);
}

static void refusals_say_why(void **state)
{
  (void)state;
  fixture f = fourbar("");
  const int twice[2] = {1, 1}, outside[1] = {3};
  double a[3] = {0}, tau[3];
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  memcpy(a, f.data->a, sizeof a);
  // it falls by itself, and no force is needed for that; anything else is too much for none
  assert_int_equal(cardan_inverse_loops(f.model, f.data, a, NULL, 0, tau, NULL), CARDAN_OK);
  f.data->a[0] += 1;
  assert_int_equal(cardan_close_accelerations(f.model, f.data), CARDAN_OK);
  memcpy(a, f.data->a, sizeof a);
  assert_int_equal(cardan_inverse_loops(f.model, f.data, a, NULL, 0, tau, NULL),
                   CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(f.data->info.message, "0 actuators cannot make these accelerations"));
  assert_int_equal(cardan_inverse_loops(f.model, f.data, a, twice, 2, tau, NULL),
                   CARDAN_ERR_ARGUMENT);
  assert_int_equal(cardan_inverse_loops(f.model, f.data, a, outside, 1, tau, NULL),
                   CARDAN_ERR_ARGUMENT);
  a[1] += 1;
  assert_int_equal(cardan_inverse_loops(f.model, f.data, a, twice, 1, tau, NULL),
                   CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(f.data->info.message, "open constraint \"pin\""));
  fixture_free(&f);
}

/* Random torques on every velocity, the accelerations they make, and back, over mechanisms with all
 * kinds of loops, redundant ones too: the forces have the same effect. */
static void random_mechanisms_come_back(void **state)
{
  (void)state;
  int tried = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    loops_kind kind;
    char *text = loops_random_text(seed, &kind);
    fixture f = fixture_load(text);
    support_rng rng = {seed};
    free(text);
    const cardan_model *model = f.model;
    double a[MOST], tau[MOST];
    int actuated[MOST], n = 0;
    assert_true(model->nv <= MOST);
    for (int k = 0; k < model->nv; k++) {
      if (!(model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC)) {
        actuated[n++] = k;
      }
    }
    support_random_vec(&rng, f.data->tau_in, model->nv, 1.0);
    if (!model->has_friction && cardan_assemble(model, f.data, NULL, NULL) == CARDAN_OK &&
        cardan_forward(model, f.data, 0, 0) == CARDAN_OK && model->open == 0) {
      memcpy(a, f.data->a, (size_t)model->nv * sizeof *a);
      const cardan_status status = cardan_inverse_loops(model, f.data, a, actuated, n, tau, NULL);
      expect_ok(status, &(cardan_report){.message = ""}, f.data->info.message);
      memset(f.data->tau_in, 0, (size_t)model->nv * sizeof(double));
      for (int k = 0; k < n; k++) {
        f.data->tau_in[actuated[k]] = tau[k];
      }
      assert_int_equal(cardan_forward(model, f.data, 0, 0), CARDAN_OK);
      // rounding, through loops that are as ill conditioned as 1e5 (rank.c)
      assert_near_vec(f.data->a, a, model->nv, 1e-11 * (1 + support_max_abs(a, model->nv)));
      tried++;
    }
    fixture_free(&f);
  }
  assert_true(tried >= 50);
}

// with rows of velocity level: random torques on as many velocities as are free come back, and with
// them the multipliers where no row is redundant; with one actuator less most are too few
static void rows_of_velocity_level_come_back(void **state)
{
  static const struct {
    const char *model, *actuated[4];
    int n;
  } cases[] = {{"sleigh", {"x", "theta"}, 2},
               {"snakeboard", {"theta", "rotor", "front", "back"}, 4},
               {"bicycle", {"lean", "steer", "rear"}, 3},
               {"rolling-disc", {"disc.wx", "disc.wy", "disc.wz"}, 3},
               {"ball-table", {"ball.wx", "ball.wy", "ball.wz"}, 3},
               {"car", {"rl", "left"}, 2}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f = fixture_load(cases[i].model);
    const cardan_model *model = f.model;
    const int n = cases[i].n;
    cardan_report report = {.message = ""};
    support_rng rng = {i + 1};
    double a[MOST], lambda[MOST], expected[MOST], tau[4], push[4];
    int actuated[4];
    expect_ok(cardan_assemble(model, f.data, NULL, &report), &report, cases[i].model);
    assert_int_equal(model->mobility, n);
    support_random_vec(&rng, push, n, 3.0);
    for (int k = 0; k < n; k++) {
      actuated[k] = cardan_model_v(model, cases[i].actuated[k]);
      assert_true(actuated[k] >= 0);
      f.data->tau_in[actuated[k]] = push[k];
    }
    assert_int_equal(cardan_forward(model, f.data, 0, 0), CARDAN_OK);
    memcpy(a, f.data->a, (size_t)model->nv * sizeof *a);
    memcpy(expected, f.data->lambda, (size_t)model->nrow * sizeof *expected);
    memset(f.data->tau_in, 0, (size_t)model->nv * sizeof(double));
    const cardan_status status = cardan_inverse_loops(model, f.data, a, actuated, n, tau, lambda);
    expect_ok(status, &report, f.data->info.message);
    const double scale = 1 + support_max_abs(expected, model->nrow);
    assert_near_vec(tau, push, n, 1e-11 * scale);
    if (model->rank == model->nrow) {
      assert_near_vec(lambda, expected, model->nrow, 1e-11 * scale);
    }
    assert_int_equal(cardan_inverse_loops(model, f.data, a, actuated, n - 1, tau, lambda),
                     CARDAN_ERR_UNSUPPORTED);
    assert_non_null(strstr(f.data->info.message, "cannot make these accelerations"));
    fixture_free(&f);
  }
}

// a jump keeps the constraints, changes the momentum by the impulses alone, and gives the least
// energy to the change: momentum M dv - p = G^T L
static void jumps_keep_constraints(void **state)
{
  (void)state;
  fixture f = fourbar("");
  double M[9], dv[3], p[3] = {0.5, -2, 1}, L[8], left[3], v0[3], J[24];
  f.data->v[0] += 0.3; // velocities that break the loop are mended on the way
  memcpy(v0, f.data->v, sizeof v0);
  assert_int_equal(cardan_impulse(f.model, f.data, NULL, p, L), CARDAN_OK);
  assert_near(worst_row(&f, f.data->v, NULL), 0, 1e-13);
  cardan_crba(f.model, f.data, M);
  cardan_jacobian(f.model, f.data, J);
  for (int k = 0; k < 3; k++) {
    dv[k] = f.data->v[k] - v0[k];
  }
  for (int k = 0; k < 3; k++) {
    left[k] = M[3 * k] * dv[0] + M[3 * k + 1] * dv[1] + M[3 * k + 2] * dv[2] - p[k];
    for (int r = 0; r < f.model->nrow; r++) {
      left[k] -= J[r * 3 + k] * L[r];
    }
    assert_near(left[k], 0, 1e-12);
  }
  // once more, without impulses: nothing is left to do
  memcpy(v0, f.data->v, sizeof v0);
  assert_int_equal(cardan_impulse(f.model, f.data, NULL, NULL, NULL), CARDAN_OK);
  assert_near_vec(f.data->v, v0, 3, 1e-14);
  fixture_free(&f);
}

// without loops an impulse is M^-1 p, on bodies as on joints
static void jumps_of_trees(void **state)
{
  (void)state;
  for (int seed = 0; seed < 30; seed++) {
    double *tau, dv[MOST];
    fixture f = tree_loaded(seed, 12, 0, &tau);
    const int nv = f.model->nv;
    cardan_factor_solve(f.model, f.data, f.data->f_ext, tau, dv);
    for (int k = 0; k < nv; k++) {
      dv[k] += f.data->v[k];
    }
    assert_int_equal(cardan_impulse(f.model, f.data, f.data->f_ext, tau, NULL), CARDAN_OK);
    assert_near_vec(f.data->v, dv, nv, 0);
    free(tau);
    fixture_free(&f);
  }
}

// accelerations are moved to where d2Phi/dt2 = 0, and stay there
static void accelerations_close(void **state)
{
  (void)state;
  fixture f = fourbar("");
  double a[3];
  for (int k = 0; k < 3; k++) {
    f.data->a[k] = 1 - k;
  }
  assert_int_equal(cardan_close_accelerations(f.model, f.data), CARDAN_OK);
  assert_near(worst_row(&f, f.data->a, f.data->rows.gamma), 0, 1e-12);
  memcpy(a, f.data->a, sizeof a);
  assert_int_equal(cardan_close_accelerations(f.model, f.data), CARDAN_OK);
  assert_near_vec(f.data->a, a, 3, 1e-13);
  fixture_free(&f);
}

/* Largest difference of cardan_delassus and G M^-1 G^T from dense matrices, relative. */
static double delassus_off(fixture *f)
{
  const size_t n = (size_t)f->model->nrow, nv = (size_t)f->model->nv;
  double *Mi = calloc(nv * nv + 2 * n * nv + n * n, sizeof *Mi);
  double *J = Mi + nv * nv, *JMi = J + n * nv, *D = JMi + n * nv, worst = 0, size = 0;
  assert_non_null(Mi);
  cardan_kinematics(f->model, f->data);
  assert_int_equal(cardan_factor(f->model, f->data), CARDAN_OK);
  cardan_jacobian(f->model, f->data, J);
  cardan_inertia_inverse(f->model, f->data, Mi);
  assert_int_equal(cardan_delassus(f->model, f->data, D), CARDAN_OK);
  for (size_t i = 0; i < n * nv * nv; i++) {
    const size_t r = i / (nv * nv), j = i / nv % nv, k = i % nv;
    JMi[r * nv + j] += J[r * nv + k] * Mi[k * nv + j];
  }
  for (size_t r = 0; r < n * n; r++) {
    double sum = 0;
    for (size_t k = 0; k < nv; k++) {
      sum += JMi[r / n * nv + k] * J[r % n * nv + k];
    }
    worst = fmax(worst, fabs(sum - D[r]));
    size = fmax(size, fabs(sum));
  }
  free(Mi);
  return worst / size;
}

// of a four-bar, and of a lift whose many rows are kept sparse everywhere else
static void delassus_is_dense(void **state)
{
  (void)state;
  fixture f = fourbar(""), lift = fixture_load("scissor:30");
  // sums of nv products over nbody transforms
  assert_near(delassus_off(&f), 0, 100 * DBL_EPSILON * f.model->nv);
  assert_near(delassus_off(&lift), 0, 100 * DBL_EPSILON * lift.model->nv);
  fixture_free(&f);
  fixture_free(&lift);
}

// accelerations that are no numbers are refused, with a loop and without
static void numbers_are_asked_for(void **state)
{
  (void)state;
  fixture f = fourbar(""), free_one = fixture_load("double-pendulum");
  const int one = 0;
  double a[3] = {NAN, 0, 0}, tau[3];
  assert_int_equal(cardan_inverse_loops(f.model, f.data, a, &one, 1, tau, NULL),
                   CARDAN_ERR_ARGUMENT);
  assert_true(cardan_inverse_loops(free_one.model, free_one.data, a, &one, 1, tau, NULL) !=
              CARDAN_OK);
  assert_true(cardan_inverse_loops(free_one.model, free_one.data, a, &one, 0, tau, NULL) !=
              CARDAN_OK);
  fixture_free(&f);
  fixture_free(&free_one);
}

static cardan_status scenario(const cardan_allocator *allocator, void *user)
{
  const cardan_model *model = user;
  const int driven = 0;
  double tau[1], D[64];
  cardan_data *data = NULL;
  cardan_status status = cardan_data_create(model, allocator, &data);
  status = status ? status : cardan_impulse(model, data, NULL, NULL, NULL);
  status = status ? status : cardan_delassus(model, data, D);
  status = status ? status : cardan_close_accelerations(model, data);
  if (status == CARDAN_OK) {
    const double a[3] = {data->a[0], data->a[1], data->a[2]};
    status = cardan_inverse_loops(model, data, a, &driven, 1, tau, NULL);
  }
  cardan_data_destroy(data);
  return status;
}

// every allocation may fail: it is reported, and nothing is lost
static void memory_may_fail(void **state)
{
  (void)state;
  fixture f = fourbar("");
  memcpy(f.model->q0, f.data->q, 3 * sizeof(double));
  assert_true(support_fail_each(scenario, f.model) >= 3);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(torques_come_back),
      cmocka_unit_test(over_actuated_is_shortest),
      cmocka_unit_test(motions_have_their_own),
      cmocka_unit_test(refusals_say_why),
      cmocka_unit_test(random_mechanisms_come_back),
      cmocka_unit_test(rows_of_velocity_level_come_back),
      cmocka_unit_test(jumps_keep_constraints),
      cmocka_unit_test(jumps_of_trees),
      cmocka_unit_test(accelerations_close),
      cmocka_unit_test(delassus_is_dense),
      cmocka_unit_test(memory_may_fail),
      cmocka_unit_test(numbers_are_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
