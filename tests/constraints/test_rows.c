// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "constraints/rows.h"
#include "loops.h"
#include "spatial/spatial.h"

/* Every kind of row between every kind of joint, a prescribed coordinate among them. Nothing
 * closes: rows, rates and values must agree with one another anywhere. */
static const char zoo[] =
    "(system\n"
    "  (joint free \"f\" (mass 1 1 1 1) (tx 0.3 (name \"F1\"))\n"
    "    (ry 0.4 (tz 0.2 (name \"F2\")\n"
    "      (joint spherical \"s\" (mass 1 1 1 1) (ty 0.5 (rx 0.7 (name \"S1\")))))))\n"
    "  (rx \"r1\" (mass 1 1 1 1) (tz -0.7 (name \"R1\")\n"
    "    (ry \"r2\" (mass 1 1 1 1) (tx 0.4 (name \"R2\")\n"
    "      (tz (k \"k1\") (mass 1 1 1 1) (ty 0.2 (name \"K1\")\n"
    "        (joint helical \"h\" (axis 1 1 0) (pitch 0.2) (mass 1 1 1 1) (tz 0.6 (name "
    "\"H1\")))))))))\n"
    "  (rz (k \"k2\") (mass 1 1 1 1) (tx 1 (name \"K2\")))\n"
    "  (motion \"k1\" (sin (* 2 t))) (motion \"k2\" (table (data (-1 1) (0 0) (1 1) (3 9)) t))\n"
    "  (point-constraint \"F1\" \"R1\" (1 2 3))\n"
    "  (point-constraint \"F1\" \"S1\" (1 0 -1) (in \"H1\"))\n"
    "  (point-constraint \"K2\" \"S1\" (1 0 -1) (in \"K2\"))\n"
    "  (coincide \"S1\" \"R2\") (coincide \"K1\" \"world\")\n"
    "  (wire \"F2\" \"H1\" (+ 1.5 (* 0.3 (sin t)))) (wire \"world\" \"K1\" 2)\n"
    "  (screw \"r1\" \"h\" 0.3) (gear \"r1\" \"k1\" 2.5) (gear \"k2\" \"h\" -0.5)\n"
    "  (motion \"r2\" (* 0.3 (^ t 2)))\n"
    "  (equation (+ (* (q \"r1\") (q \"f.qx\")) (* (dist \"S1\" \"R1\") (sin (q \"k1\"))) (* t (q "
    "\"f.x\"))\n"
    "              (table (data (-9 1) (-1 0.2) (2 0.7) (9 -1)) (* t (q \"r1\")))\n"
    "              (pz \"H1\") (* (q \"s.qw\") (q \"k1\") (px \"K2\")) -1))\n"
    "  (equation (- (* (rxy \"S1\") (rzz \"H1\") (cos t)) (* (q \"r2\") (ryx \"F2\")) "
    "(sin (angle \"F1\" \"S1\" (axis 1 0 2)))))\n"
    "  (close revolute \"F2\" \"R2\" (axis 1 2 0)) (close prismatic \"S1\" \"H1\" (axis 0 1 1))\n"
    "  (close cylindrical \"R1\" \"S1\") (close helical \"F1\" \"H1\" (axis 1 0 0) (pitch 0.4))\n"
    "  (close universal \"F1\" \"K1\" (axis 1 0 0) (axis2 0 1 1)) (close planar \"K1\" \"F2\")\n"
    "  (close spherical \"S1\" \"K2\") (close fixed \"H1\" \"F1\") (weld \"R1\" \"K2\")\n"
    "  (roll \"F2\" \"K2\" (disc 0.3)) (roll \"S1\" \"K1\" (disc 0.2) (axis 1 2 0))\n"
    "  (roll \"H1\" \"F1\" (ball 0.4)) (roll \"F1\" \"world\" (disc 0.4) (flat))\n"
    "  (skate \"S1\" \"world\") (skate \"R2\" \"K2\" (edge 0 1 1))\n"
    "  (velocity (+ (* q.r1 v.f.wx) (* (px \"S1\") (vy \"H1\")) (* (rxy \"R2\") (wz \"F2\"))\n"
    "               (* (cos t) v.k1) (- (/ v.s.wy (+ 3 t))) (* q.h (sin t))))\n"
    "  (initial (\"f\" (0.1 0.2 0.3 1 0 0 0)) (\"r1\" 0.2) (\"h\" 0.4)))\n";

/* Fourth-order difference of f over h = +-step, +-step/2 (Richardson on the central difference). */
static double slope(const double f[4], double step)
{
  const double wide = (f[0] - f[1]) / (2.0 * step), narrow = (f[2] - f[3]) / step;
  return (4.0 * narrow - wide) / 3.0;
}

typedef struct {
  double *q, *v, *a; // the state in the middle
  double t;
} middle;

static middle keep(const fixture *f)
{
  middle m = {calloc((size_t)f->model->nq, sizeof(double)),
              calloc((size_t)f->model->nv, sizeof(double)),
              calloc((size_t)f->model->nv, sizeof(double)), f->data->t};
  memcpy(m.q, f->data->q, (size_t)f->model->nq * sizeof(double));
  memcpy(m.v, f->data->v, (size_t)f->model->nv * sizeof(double));
  return m;
}

static void drop(middle *m)
{
  free(m->q);
  free(m->v);
  free(m->a);
}

/* A time h along the motion: dynamic velocities constant, prescribed ones as prescribed. */
static void go(fixture *f, const middle *m, double h)
{
  memcpy(f->data->v, m->v, (size_t)f->model->nv * sizeof(double));
  cardan_q_move(f->model, m->q, m->v, h, f->data->q);
  f->data->t = m->t + h;
  cardan_kinematics(f->model, f->data);
  cardan_constraints(f->model, f->data);
}

// J v + phi_t against differences of phi, and gamma against differences of J v + phi_t.
// tolerance: step 2e-3 has truncation step^4 times fifth derivatives (some 1e2 at speed 1) = 2e-9,
// rounding 1e-15 / step = 1e-12
static void rates_agree_with_differences(void **state)
{
  (void)state;
  fixture f = fixture_load(zoo);
  const cardan_model *model = f.model;
  const cardan__rowset set = cardan__model_rows(model);
  const double step = 2e-3, steps[4] = {step, -step, 0.5 * step, -0.5 * step};
  const int n = model->nrow;
  support_rng rng = {11};
  double(*phi)[4] = calloc((size_t)n, sizeof *phi), (*rate)[4] = calloc((size_t)n, sizeof *rate);
  double *phi1 = calloc((size_t)n, sizeof *phi1), *gamma = calloc((size_t)n, sizeof *gamma);
  bool seen[CARDAN_ROW_VELOCITY + 1] = {false};
  for (int trial = 0; trial < 20; trial++) {
    loops_random_state(&f, &rng, 0.8, 1.0);
    middle m = keep(&f);
    cardan__rows_apply(&set, &f.data->rows, f.data->V, f.data->v, phi1);
    memcpy(gamma, f.data->rows.gamma, (size_t)n * sizeof *gamma);
    for (int r = 0; r < n; r++) {
      phi1[r] += f.data->rows.phi_t[r];
    }
    for (int i = 0; i < 4; i++) {
      go(&f, &m, steps[i]);
      for (int r = 0; r < n; r++) {
        phi[r][i] = f.data->rows.phi[r];
        rate[r][i] =
            cardan__row_dot(&set, &f.data->rows, r, f.data->V, f.data->v) + f.data->rows.phi_t[r];
      }
    }
    for (int r = 0; r < n; r++) {
      if (model->row[r].velocity) { // holds at any position
        assert_true(phi[r][0] == 0.0 && f.data->rows.phi[r] == 0.0);
      } else {
        assert_near(phi1[r], slope(phi[r], step), 1e-8);
      }
      assert_near(gamma[r], -slope(rate[r], step), 1e-8);
      seen[model->row[r].kind] = true;
    }
    drop(&m);
  }
  for (int k = 0; k <= CARDAN_ROW_VELOCITY; k++) {
    assert_true(seen[k]);
  }
  free(phi);
  free(rate);
  free(phi1);
  free(gamma);
  fixture_free(&f);
}

// J x by twists, by the dense matrix; lambda^T J by the dense matrix and by the sweep to the root.
// tolerance: sums over at most 10 bodies and 20 columns of numbers of size 10
static void pull_back_is_consistent(void **state)
{
  (void)state;
  fixture f = fixture_load(zoo);
  const cardan_model *model = f.model;
  const cardan__rowset set = cardan__model_rows(model);
  const int n = model->nrow, nv = model->nv;
  const double tol = 200.0 * DBL_EPSILON * 10.0;
  support_rng rng = {12};
  double *J = calloc((size_t)n * (size_t)nv, sizeof *J), *x = calloc((size_t)nv, sizeof *x);
  double *y = calloc((size_t)n, sizeof *y), *lambda = calloc((size_t)n, sizeof *lambda);
  double *tau = calloc((size_t)nv, sizeof *tau);
  cardan_twist *V = calloc((size_t)model->nbody, sizeof *V);
  cardan_force *F = calloc((size_t)model->nbody, sizeof *F);
  for (int trial = 0; trial < 20; trial++) {
    loops_random_state(&f, &rng, 0.8, 1.0);
    cardan_jacobian(model, f.data, J);
    support_random_vec(&rng, x, nv, 1.0);
    support_random_vec(&rng, lambda, n, 1.0);
    cardan__tree_twists(model, f.data, x, false, V);
    cardan__rows_apply(&set, &f.data->rows, V, x, y);
    for (int r = 0; r < n; r++) {
      double sum = 0.0;
      for (int k = 0; k < nv; k++) {
        sum += J[r * nv + k] * x[k];
      }
      assert_near(y[r], sum, tol);
    }
    memset(F, 0, (size_t)model->nbody * sizeof *F);
    memset(tau, 0, (size_t)nv * sizeof *tau);
    cardan__rows_transpose(&set, &f.data->rows, lambda, F, tau);
    cardan__tree_pull(model, f.data, F, tau);
    for (int k = 0; k < nv; k++) {
      double sum = 0.0;
      for (int r = 0; r < n; r++) {
        sum += J[r * nv + k] * lambda[r];
      }
      assert_near(tau[k], sum, tol);
    }
    // with prescribed coordinates locked their velocities do not matter
    cardan__tree_twists(model, f.data, x, true, V);
    x[model->body[model->prescribed[0].body].vadr] = 0.0;
    x[model->body[model->prescribed[1].body].vadr] = 0.0;
    cardan__tree_twists(model, f.data, x, false, f.data->A);
    for (int i = 0; i < model->nbody; i++) {
      assert_near(cardan__vec3_norm(cardan__vec3_sub(V[i].v, f.data->A[i].v)), 0.0, tol);
      assert_near(cardan__vec3_norm(cardan__vec3_sub(V[i].w, f.data->A[i].w)), 0.0, tol);
    }
  }
  free(J);
  free(x);
  free(y);
  free(lambda);
  free(tau);
  free(V);
  free(F);
  fixture_free(&f);
}

/* Frame "B" is attached to "A" by the same kind of joint as the (close ..) between them. */
static void check_pair(const char *joint, const char *options, int nrow)
{
  char text[1024];
  snprintf(text, sizeof text,
           "(system (joint free \"f\" (mass 1 1 1 1) (place (0.1 0.2 0.3) (rotvec 0.4 0.5 0.6) "
           "(name \"A\")\n"
           "  (joint %s \"j\" %s (mass 1 1 1 1) (name \"B\")))) (close %s \"A\" \"B\" %s))",
           joint, options, joint, options);
  fixture f = fixture_load(text);
  const cardan__rowset set = cardan__model_rows(f.model);
  support_rng rng = {13};
  assert_int_equal(f.model->nrow, nrow);
  for (int trial = 0; trial < 20; trial++) {
    loops_random_state(&f, &rng, 2.0, 1.0);
    cardan__rows_apply(&set, &f.data->rows, f.data->V, f.data->v, f.data->rows.phi_t);
    // closed for every value and velocity of the joint: tens of roundings of numbers of size 3
    assert_near(support_max_abs(f.data->rows.phi, nrow), 0.0, 100.0 * DBL_EPSILON);
    assert_near(support_max_abs(f.data->rows.phi_t, nrow), 0.0, 200.0 * DBL_EPSILON);
    assert_near(support_max_abs(f.data->rows.gamma, nrow), 0.0, 1000.0 * DBL_EPSILON);
  }
  fixture_free(&f);
}

static void joints_satisfy_their_own_closing(void **state)
{
  (void)state;
  check_pair("revolute", "(axis 1 2 3)", 5);
  check_pair("prismatic", "(axis 1 0 3)", 5);
  check_pair("helical", "(axis 0 2 3) (pitch 0.3)", 5);
  check_pair("cylindrical", "(axis 1 2 0)", 4);
  check_pair("universal", "(axis 1 2 3) (axis2 1 0 0)", 4);
  check_pair("planar", "", 3);
  check_pair("spherical", "", 3);
}

// (d^2 - L^2) / (2 L), the largest violation over rows, NaN when there is one
static void violation_is_in_metres(void **state)
{
  (void)state;
  fixture f =
      fixture_load("(system (tx \"x\" (ty \"y\" (mass 1) (name \"P\"))) (wire \"world\" \"P\" 2)"
                   " (point-constraint \"P\" \"world\" 0 10 0) (initial (\"x\" 3) (\"y\" -0.25)))");
  cardan_kinematics(f.model, f.data);
  assert_near(cardan_constraint_max(f.model, f.data), (9.0625 - 4.0) / 4.0, 4.0 * DBL_EPSILON);
  assert_near(f.data->rows.phi[1], -0.25, DBL_EPSILON);
  f.data->q[1] = nan("");
  cardan_kinematics(f.model, f.data);
  assert_true(isnan(cardan_constraint_max(f.model, f.data)));
  fixture_free(&f);
}

// a screw keeps count of its turns without memory
static void screw_counts_turns(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (joint helical \"h\" (pitch 0.1) (mass 1 1 1 1) (name \"B\"))"
                           " (close helical \"world\" \"B\" (pitch 0.1)))");
  for (int i = -100; i < 100; i++) {
    f.data->q[0] = 0.37 * i;
    cardan_kinematics(f.model, f.data);
    assert_near(cardan_constraint_max(f.model, f.data), 0.0, 100.0 * DBL_EPSILON * 4.0);
  }
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_agree_with_differences),
      cmocka_unit_test(pull_back_is_consistent),
      cmocka_unit_test(joints_satisfy_their_own_closing),
      cmocka_unit_test(violation_is_in_metres),
      cmocka_unit_test(screw_counts_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
