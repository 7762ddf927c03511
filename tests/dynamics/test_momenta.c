// SPDX-License-Identifier: Apache-2.0
// The momentum recursions against M^-1 p, finite differences of the Hamiltonian, aba and rnea, on
// random trees with all joints; the rates of constraint rows against differences along the motion.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "constraints/rows.h"
#include "dynamics/momenta.h"
#include "kinematics/joint.h"
#include "loops.h"
#include "random_tree.h"
#include "spatial/spatial.h"

enum { NTREE = 300, NMAX = 60 };

/* Rounding of one entry, as in test_dynamics: O(n) transforms of a few dozen roundings each, on the
 * sum of the terms' sizes. */
static const double c_pair = 100;

typedef struct {
  fixture f;
  double *p, *v, *pdot, *a, *x, *tau, *M;
} tree;

static tree make_tree(int seed)
{
  tree t = {.M = NULL};
  t.f = tree_loaded(seed, NMAX, 5, &t.tau);
  const int nv = t.f.model->nv;
  t.p = t.tau + nv;
  t.v = t.p + nv;
  t.pdot = t.v + nv;
  t.a = t.pdot + nv;
  t.x = t.a + nv;
  t.M = t.x + nv;
  return t;
}

static void free_tree(tree *t)
{
  free(t->tau);
  fixture_free(&t->f);
}

/* Largest sum of |M_ij x_j| over the rows. */
static double product_size(const tree *t, const double *x)
{
  const int nv = t->f.model->nv;
  double largest = 0;
  for (int i = 0; i < nv; i++) {
    double sum = 0;
    for (int j = 0; j < nv; j++) {
      sum += fabs(t->M[i * nv + j] * x[j]);
    }
    largest = fmax(largest, sum);
  }
  return largest;
}

/* p = M v with M from crba, and back. */
static void test_velocities(void **state)
{
  double worst = 0;
  (void)state;
  for (int seed = 0; seed < NTREE; seed++) {
    tree t = make_tree(seed);
    const cardan_model *model = t.f.model;
    cardan_data *data = t.f.data;
    const int nv = model->nv;
    cardan_crba(model, data, t.M);
    cardan_momenta(model, data, t.p);
    const double tol = c_pair * DBL_EPSILON * model->nbody * product_size(&t, data->v);
    for (int i = 0; i < nv; i++) {
      t.x[i] = 0;
      for (int j = 0; j < nv; j++) {
        t.x[i] += t.M[i * nv + j] * data->v[j];
      }
    }
    assert_near_vec(t.p, t.x, nv, tol);
    cardan_momenta_velocities(model, data, t.p, t.v);
    for (int i = 0; i < nv; i++) { // M (M^-1 p) = p: the residual does not grow with M's condition
      t.x[i] = 0;
      for (int j = 0; j < nv; j++) {
        t.x[i] += t.M[i * nv + j] * t.v[j];
      }
      worst = fmax(worst, fabs(t.x[i] - t.p[i]) / tol);
    }
    assert_near_vec(t.x, t.p, nv, tol);
    free_tree(&t);
  }
  print_message("largest residual of M v = p: %.2g of the tolerance\n", worst);
}

/* H(q, p) = p . M^-1 p / 2 + potential */
static double hamiltonian(const tree *t)
{
  cardan_data *data = t->f.data;
  const cardan_model *model = t->f.model;
  double sum = 0;
  cardan_joints(model, data);
  cardan_poses(model, data);
  assert_int_equal(cardan_factor(model, data), CARDAN_OK);
  cardan_momenta_velocities(model, data, t->p, t->v);
  for (int k = 0; k < model->nv; k++) {
    sum += 0.5 * t->p[k] * t->v[k];
  }
  return sum + cardan_potential(model, data);
}

/* -dH along velocity k at constant p: central differences of step h and h/2, extrapolated. */
static double minus_slope(const tree *t, const double *q, int k, double h)
{
  cardan_data *data = t->f.data;
  double H[4], e[400] = {0};
  assert_true(t->f.model->nv <= 400);
  e[k] = 1;
  for (int s = 0; s < 4; s++) {
    const double step = (s % 2 ? -h : h) / (s < 2 ? 1 : 2);
    cardan_q_move(t->f.model, q, e, step, data->q);
    H[s] = hamiltonian(t);
  }
  const double wide = (H[0] - H[1]) / (2 * h), narrow = (H[2] - H[3]) / h;
  memcpy(data->q, q, (size_t)t->f.model->nq * sizeof *q);
  return -(4 * narrow - wide) / 3;
}

/* p' = -dH/dq + tau for scalar joints; for quasi-momenta also the rate of the frame they are seen
 * from, ad_v^T p: p x w for a spherical joint. The difference errs by eps H / h and by h^4. */
static void test_rates(void **state)
{
  const double h = 2e-3;
  double worst = 0;
  (void)state;
  for (int seed = 0; seed < 40; seed++) {
    tree t = make_tree(seed);
    const cardan_model *model = t.f.model;
    cardan_data *data = t.f.data;
    const int nv = model->nv;
    double q[500], v[400], size = 1;
    memcpy(q, data->q, (size_t)model->nq * sizeof *q);
    memcpy(v, data->v, (size_t)nv * sizeof *v);
    memset(data->f_ext, 0, (size_t)model->nbody * sizeof *data->f_ext);
    cardan_momenta(model, data, t.p);
    cardan_momenta_rates(model, data, t.tau, t.pdot);
    for (int i = 1; i < model->nbody; i++) {
      const cardan_body *b = &model->body[i];
      const double *p = t.p + b->vadr;
      double frame[6] = {0};
      if (b->nv > 1) {
        const cardan_force P = {
            .t = {p[0], p[1], p[2]},
            .f = {b->nv > 3 ? p[3] : 0, b->nv > 3 ? p[4] : 0, b->nv > 3 ? p[5] : 0}};
        const cardan_twist joint = cardan__joint_twist(b, v + b->vadr);
        cardan__joint_project(b, cardan__twist_ad_transpose(joint, P), frame);
      }
      for (int k = 0; k < b->nv; k++) {
        t.x[b->vadr + k] = minus_slope(&t, q, b->vadr + k, h) + frame[k] + t.tau[b->vadr + k];
      }
    }
    size = fmax(fabs(hamiltonian(&t)), support_max_abs(t.pdot, nv));
    for (int k = 0; k < nv; k++) {
      worst = fmax(worst, fabs(t.x[k] - t.pdot[k]) / size);
    }
    // 4th order: h^4 times derivatives that here reach 100 times H (observed below 2e-9)
    assert_near_vec(t.x, t.pdot, nv, 100 * h * h * h * h * size);
    free_tree(&t);
  }
  print_message("p' against differences of H: %.2g of its size\n", worst);
}

/* Accelerations by the momentum sweeps against aba, compared as forces M (a - a'); and the wrenches
 * through the joints against rnea of that motion. */
static void test_accelerations(void **state)
{
  (void)state;
  for (int seed = 0; seed < NTREE; seed++) {
    tree t = make_tree(seed);
    const cardan_model *model = t.f.model;
    cardan_data *data = t.f.data;
    const int nv = model->nv;
    cardan_crba(model, data, t.M);
    cardan_momenta_rates(model, data, t.tau, t.pdot);
    cardan_momenta_accelerations(model, data, t.pdot, t.a);
    cardan_force *f = calloc((size_t)model->nbody, sizeof *f);
    assert_non_null(f);
    memcpy(f, data->f, (size_t)model->nbody * sizeof *f);
    double scale = product_size(&t, t.a) + support_max_abs(t.tau, nv) + support_max_abs(t.pdot, nv);
    for (int i = 1; i < model->nbody; i++) {
      const double parts[6] = {f[i].t.x, f[i].t.y, f[i].t.z, f[i].f.x, f[i].f.y, f[i].f.z};
      scale = fmax(scale, support_max_abs(parts, 6));
    }
    const double tol = c_pair * DBL_EPSILON * model->nbody * scale;
    cardan_rnea(model, data, t.a, t.x); // the joint forces of that motion are those applied
    assert_near_vec(t.x, t.tau, nv, tol);
    for (int i = 1; i < model->nbody; i++) {
      const double ours[6] = {f[i].t.x, f[i].t.y, f[i].t.z, f[i].f.x, f[i].f.y, f[i].f.z};
      const cardan_force *r = &data->f[i];
      const double theirs[6] = {r->t.x, r->t.y, r->t.z, r->f.x, r->f.y, r->f.z};
      assert_near_vec(ours, theirs, 6, tol);
    }
    free(f);
    free_tree(&t);
  }
}

/* Every kind of row and joint, prescribed coordinates among them; nothing closes. */
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
    "  (motion \"k1\" (sin (* 2 t))) (motion \"k2\" (* t t))\n"
    "  (point-constraint \"F1\" \"S1\" (1 0 -1) (in \"H1\"))\n"
    "  (coincide \"S1\" \"R2\") (wire \"F2\" \"H1\" (+ 1.5 (* 0.3 (sin t))))\n"
    "  (screw \"r1\" \"h\" 0.3) (gear \"r1\" \"k1\" 2.5) (motion \"r2\" (* 0.3 (^ t 2)))\n"
    "  (equation (+ (* (q \"r1\") (q \"f.qx\")) (* (dist \"S1\" \"R1\") (sin (q \"k1\"))) (* t (q "
    "\"f.x\"))\n"
    "              (pz \"H1\") (* (q \"s.qw\") (q \"k1\") (px \"K2\")) -1))\n"
    "  (close revolute \"F2\" \"R2\" (axis 1 2 0)) (close prismatic \"S1\" \"H1\" (axis 0 1 1))\n"
    "  (close helical \"F1\" \"H1\" (axis 1 0 0) (pitch 0.4))\n"
    "  (close universal \"F1\" \"K1\" (axis 1 0 0) (axis2 0 1 1)) (close planar \"K1\" \"F2\")\n"
    "  (initial (\"f\" (0.1 0.2 0.3 1 0 0 0)) (\"r1\" 0.2) (\"h\" 0.4)))\n";

/* J^T sigma a time h along the motion (dynamic velocities constant) to out. */
static void rows_along(fixture *f, const double *q, const double *v, double t, double h,
                       const double *sigma, double *J, double *out)
{
  const cardan_model *model = f->model;
  memcpy(f->data->v, v, (size_t)model->nv * sizeof *v);
  cardan_q_move(model, q, v, h, f->data->q);
  f->data->t = t + h;
  cardan_kinematics(model, f->data);
  cardan_jacobian(model, f->data, J);
  for (int k = 0; k < model->nv; k++) {
    out[k] = 0;
    for (int r = 0; r < model->nrow; r++) {
      out[k] += J[r * model->nv + k] * sigma[r];
    }
  }
}

/* d/dt (J^T sigma) by one sweep against differences along the motion. */
static void test_row_rates(void **state)
{
  const double h = 1e-3;
  fixture f = fixture_load(zoo);
  const cardan_model *model = f.model;
  const cardan__rowset set = cardan__model_rows(model);
  const size_t nv = (size_t)model->nv, nrow = (size_t)model->nrow;
  support_rng rng = {.state = 11};
  double *q = calloc((size_t)model->nq, sizeof *q), *v = calloc(nv, sizeof *v);
  double *sigma = calloc(nrow, sizeof *sigma), *J = calloc(nrow * nv, sizeof *J);
  double *side = calloc(4 * nv, sizeof *side), *tau = calloc(nv, sizeof *tau);
  cardan_force *w = calloc((size_t)model->nrow_body, sizeof *w);
  double *c = calloc((size_t)model->nrow_dof, sizeof *c), worst = 0;
  (void)state;
  for (int trial = 0; trial < 50; trial++) {
    loops_random_state(&f, &rng, 0.5, 1);
    const double t = f.data->t;
    memcpy(q, f.data->q, (size_t)model->nq * sizeof *q);
    memcpy(v, f.data->v, nv * sizeof *v);
    support_random_vec(&rng, sigma, model->nrow, 1);
    const double steps[4] = {h, -h, h / 2, -h / 2};
    for (int s = 0; s < 4; s++) {
      rows_along(&f, q, v, t, steps[s], sigma, J, side + (size_t)s * nv);
    }
    rows_along(&f, q, v, t, 0, sigma, J, tau);
    const double size = 1 + support_max_abs(tau, model->nv);
    const cardan__view view = cardan__data_view(model, f.data);
    cardan__rows_jacobian(&set, &view, &f.data->rows);
    cardan__rows_jacobian_rate(&set, &view, w, c);
    memset(tau, 0, nv * sizeof *tau);
    cardan__rows_rate_transpose(model, f.data, sigma, w, c, f.data->P, tau);
    for (size_t k = 0; k < nv; k++) {
      const double wide = (side[k] - side[nv + k]) / (2 * h);
      const double narrow = (side[2 * nv + k] - side[3 * nv + k]) / h;
      const double difference = (4 * narrow - wide) / 3;
      worst = fmax(worst, fabs(difference - tau[k]) / size);
      // h^4 = 1e-12 times fifth derivatives, and eps / h = 2e-13
      assert_near(difference, tau[k], 1e-9 * size);
    }
  }
  print_message("d/dt (J^T sigma) against differences: %.2g of its size\n", worst);
  free(q);
  free(v);
  free(sigma);
  free(J);
  free(side);
  free(tau);
  free(w);
  free(c);
  fixture_free(&f);
}

/* Prescribed joints inside a tree: their velocity is given, their momentum is what it is. */
static void test_kinematic(void **state)
{
  static const char text[] =
      "(system (rx \"a\" (mass 1 1 1 1) (tz 0.5 (ry (k \"b\") (mass 2 1 2 1) (tx 0.4\n"
      "  (joint spherical \"c\" (mass 1 1 2 3) (tx 0.3 (tz (k \"d\") (mass 1 1 1 1) (ty 0.2\n"
      "    (rz \"e\" (tx 0.3 (mass 1 1 1 1)))))))))))\n"
      "  (motion \"b\" (sin (* 3 t))) (motion \"d\" (+ 0.2 (* 0.1 t t))))";
  fixture f = fixture_load(text);
  const cardan_model *model = f.model;
  support_rng rng = {.state = 3};
  double p[7], v[7], pdot[7], a[7], tau[7], after[7], before[7];
  (void)state;
  assert_int_equal(model->nv, 7);
  for (int trial = 0; trial < 100; trial++) {
    loops_random_state(&f, &rng, 1, 1);
    memcpy(v, f.data->v, sizeof v);
    support_random_vec(&rng, tau, 7, 2);
    assert_int_equal(cardan_factor(model, f.data), CARDAN_OK);
    cardan_momenta(model, f.data, p);
    const double size = 10 + support_max_abs(p, 7);
    for (int k = 0; k < 7; k++) {
      const bool given = model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
      f.data->v[k] = given ? v[k] : 0;
    }
    cardan_momenta_velocities(model, f.data, p, f.data->v);
    assert_near_vec(f.data->v, v, 7, 1e-13 * size); // condition of M below 100
    cardan_momenta_rates(model, f.data, tau, pdot);
    memcpy(a, f.data->a, sizeof a);
    cardan_momenta_accelerations(model, f.data, pdot, f.data->a);
    memcpy(after, f.data->a, sizeof after);
    memcpy(f.data->a, a, sizeof a);
    cardan_aba(model, f.data, tau, f.data->a);
    memcpy(before, f.data->a, sizeof before);
    assert_near_vec(after, before, 7, 1e-12 * (size + support_max_abs(before, 7)));
  }
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_velocities),    cmocka_unit_test(test_rates),
      cmocka_unit_test(test_accelerations), cmocka_unit_test(test_row_rates),
      cmocka_unit_test(test_kinematic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
