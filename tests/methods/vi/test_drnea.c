// SPDX-License-Identifier: Apache-2.0
// The residual against the gradient of the discrete action, its Jacobian against differences, and
// the O(n) direction against the Jacobian, on random trees with every kind of joint.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action.h"
#include "cardan/cardan.h"
#include "methods/vi/vi.h"
#include "random_tree.h"

typedef struct {
  fixture f;
  cardan_options options;
  cardan__vi *vi;
} bed;

static bed make_bed(cardan_spec *spec, const char *kinetic, support_rng *rng)
{
  bed b = {.options = cardan_options_defaults()};
  cardan__stepper *stepper = NULL;
  b.options.kinetic = kinetic;
  cardan_spec_gravity(spec, cardan__vec3(1.0, -2.0, -9.0));
  b.f = fixture_build(spec);
  tree_random_state(&b.f, rng);
  assert_int_equal(cardan__method_vi.create(b.f.model, &b.options, NULL, NULL, &stepper),
                   CARDAN_OK);
  b.vi = (cardan__vi *)stepper;
  return b;
}

static void free_bed(bed *b)
{
  cardan__method_vi.destroy(&b->vi->base.base);
  fixture_free(&b->f);
}

/* By turns with either kinetic energy: se3 of odd n. */
static bed tree_bed(int n, support_rng *rng)
{
  return make_bed(tree_spec(n, rng), n % 2 ? "se3" : NULL, rng);
}

/* The residual at dq for a step of h from the node. */
static void evaluate_at(cardan__vi *s, const cardan_data *data, double h, const double *dq)
{
  cardan__discrete *d = &s->base;
  d->tau_in = data->tau_in;
  d->f_in = data->f_in;
  cardan__step_begin(d, h, d->node->t + h);
  memcpy(d->x.dq, dq, (size_t)d->model->nv * sizeof *dq);
  cardan__displacement_set(d->model, &d->x);
  assert_int_equal(cardan__root_evaluate(d, true), CARDAN_OK);
}

static void widen(const double *a, int n, wide *out)
{
  for (int i = 0; i < n; i++) {
    out[i] = (wide)a[i];
  }
}

/* Two steps of different lengths; the impulse at the node between them. */
static void test_action(void **state)
{
  (void)state;
  double worst = 0;
  for (int seed = 0; seed < 40; seed++) {
    support_rng rng = {(uint64_t)seed};
    bed b = tree_bed(4 + seed / 2 + seed % 2, &rng);
    const cardan_model *m = b.f.model;
    cardan__vi *s = b.vi;
    wide q[3][256];
    double dq[2][256], largest = 0, error = 0;
    const double h[2] = {0.02, 0.03};
    support_random_vec(&rng, dq[0], m->nv, 0.2);
    support_random_vec(&rng, dq[1], m->nv, 0.2);

    assert_int_equal(cardan__start_node(&s->base, b.f.data), CARDAN_OK);
    widen(s->base.node->q, m->nq, q[0]);
    evaluate_at(s, b.f.data, h[0], dq[0]);
    memset(s->base.r, 0,
           (size_t)m->nv * sizeof *s->base.r); // any dq will do: nothing is left to carry on
    cardan__step_accept(&s->base);
    widen(s->base.node->q, m->nq, q[1]);
    evaluate_at(s, b.f.data, h[1], dq[1]);
    double q2[256];
    cardan_q_move(m, s->base.node->q, dq[1], 1, q2);
    widen(q2, m->nq, q[2]);

    for (int k = 0; k < m->nv; k++) {
      const double f =
          (double)-action_gradient(m, s->se3, q[0], q[1], q[2], (wide)h[0], (wide)h[1], k);
      largest = fmax(largest, fabs(f));
      error = fmax(error, fabs(f - s->base.r[k]));
    }
    worst = fmax(worst, error / largest);
    free_bed(&b);
  }
  print_message("residual against the action's gradient: %.1e\n", worst);
  // the differences' own error is 1e-14; poses at the nodes are rounded to double
  assert_near(worst, 0, 1e-11);
}

/* Column k of the Jacobian by differences of order 6 of the residual. */
static void difference_column(cardan__vi *s, const cardan_data *data, double h, const double *dq,
                              int k, double *column)
{
  static const double at[6] = {-3, -2, -1, 1, 2, 3}, weight[6] = {-1, 9, -45, 45, -9, 1};
  const cardan_model *m = s->base.model;
  const cardan_body *b = &m->body[m->v_body[k]];
  const double eps = 4e-3;
  memset(column, 0, (size_t)m->nv * sizeof *column);
  for (int i = 0; i < 6; i++) {
    evaluate_at(s, data, h, dq);
    if (b->nv == 1) {
      s->base.x.dq[k] += at[i] * eps;
    } else {
      double e[6] = {0};
      e[k - b->vadr] = at[i] * eps;
      const cardan_twist x = b->kind == CARDAN_LINK_FREE
                                 ? (cardan_twist){{e[0], e[1], e[2]}, {e[3], e[4], e[5]}}
                                 : (cardan_twist){{e[0], e[1], e[2]}, {0, 0, 0}};
      cardan__screw *Z = &s->base.x.joint[s->base.node->multi_of[m->v_body[k]]];
      *Z = cardan__screw_mul(*Z, cardan__screw_exp(x));
    }
    cardan__vi_residual(s);
    for (int r = 0; r < m->nv; r++) {
      column[r] += weight[i] * s->base.r[r] / (60 * eps);
    }
  }
}

/* Four columns at once, each along the way from a tip, as rows of contacts have them: what they
 * leave of r, |J dq - r| / |r|. */
static double columns_leave(cardan__vi *s, int tip, const double *J, const double *r)
{
  const cardan_model *m = s->base.model;
  const int all[2] = {1, m->nbody};
  const size_t nv = (size_t)m->nv;
  cardan__columns_room room = {aligned_alloc(64, 64 * nv * sizeof *room.u),
                               aligned_alloc(64, 64 * (size_t)m->nbody * sizeof *room.Z)};
  double *x = calloc((CARDAN__SIDES + 1) * nv, sizeof *x), *along = x + CARDAN__SIDES * nv;
  double worst = 0;
  assert_true(room.u != NULL && room.Z != NULL && x != NULL);
  for (int i = tip; i > 0; i = m->body[i].parent) {
    const cardan_body *b = &m->body[i];
    for (int k = b->vadr; k < b->vadr + b->nv; k++) {
      along[k] = b->flags & CARDAN_LINK_KINEMATIC ? 0 : r[k];
    }
  }
  for (size_t n = 0; n < CARDAN__SIDES; n++) {
    for (size_t k = 0; k < nv; k++) {
      x[n * nv + k] = along[k] * (1.0 + (double)n);
    }
  }
  cardan__columns_solve(m, cardan__vi_link, s, all, tip, CARDAN__SIDES, x, &room);
  for (size_t n = 0; n < CARDAN__SIDES; n++) {
    for (size_t i = 0; i < nv; i++) {
      double sum = -along[i] * (1.0 + (double)n);
      for (size_t j = 0; j < nv; j++) {
        sum += J[i * nv + j] * x[n * nv + j];
      }
      worst = fmax(worst, fabs(sum));
    }
  }
  free(x);
  free(room.u);
  free(room.Z);
  return worst;
}

static void test_jacobian(void **state)
{
  (void)state;
  double worst = 0, worst_solve = 0, worst_difference = 0, worst_apply = 0, worst_columns = 0;
  for (int seed = 0; seed < 32; seed++) {
    support_rng rng = {100 + (uint64_t)seed};
    bed b = tree_bed(4 + seed / 2 + seed % 2, &rng);
    const cardan_model *m = b.f.model;
    cardan__vi *s = b.vi;
    const size_t nv = (size_t)m->nv;
    const double h = seed / 2 % 2 ? 0.05 : 0.001;
    double dq[256], r[256], x[256], y[256], column[256], largest = 0, error = 0;
    double *J = calloc(nv * nv, sizeof *J), *D = calloc(nv * nv, sizeof *D);
    assert_true(J && D);
    support_random_vec(&rng, dq, m->nv, 0.3);
    support_random_vec(&rng, r, m->nv, 1.0);
    assert_int_equal(cardan__start_node(&s->base, b.f.data), CARDAN_OK);
    for (int k = 0; k < m->nv; k++) {
      difference_column(s, b.f.data, h, dq, k, column);
      for (size_t i = 0; i < nv; i++) {
        D[i * nv + (size_t)k] = column[i];
      }
    }
    evaluate_at(s, b.f.data, h, dq);
    cardan__vi_jacobian(s, J);
    s->raw = calloc((size_t)m->nbody, sizeof *s->raw);
    assert_non_null(s->raw);
    assert_int_equal(cardan__vi_factorise(s), CARDAN_OK);
    worst_columns = fmax(worst_columns, columns_leave(s, m->nbody - 1 - seed % 3, J, r));
    free(s->raw);
    s->raw = NULL;
    assert_int_equal(cardan__vi_factorise(s), CARDAN_OK);
    cardan__vi_solve(s, 1, s->base.model->nbody, r, x);
    assert_int_equal(cardan__vi_linearise(&s->base), CARDAN_OK);
    cardan__vi_apply(&s->base, x, y);
    double residual = 0, by_difference = 0;
    for (size_t i = 0; i < nv; i++) {
      double sum = -r[i], sum_d = -r[i], terms = 0;
      for (size_t j = 0; j < nv; j++) {
        terms += fabs(J[i * nv + j] * x[j]);
        largest = fmax(largest, fabs(J[i * nv + j]));
        error = fmax(error, fabs(J[i * nv + j] - D[i * nv + j]));
        sum += J[i * nv + j] * x[j];
        sum_d += D[i * nv + j] * x[j];
      }
      worst_apply = fmax(worst_apply, fabs(sum + r[i] - y[i]) / terms);
      residual = fmax(residual, fabs(sum));
      by_difference = fmax(by_difference, fabs(sum_d));
    }
    worst = fmax(worst, error / largest);
    worst_solve = fmax(worst_solve, residual);
    worst_difference = fmax(worst_difference, by_difference);
    free(J);
    free(D);
    free_bed(&b);
  }
  print_message("Jacobian against differences %.1e; |J dq - r| / |r| of the O(n) direction %.1e, "
                "with the Jacobian by differences %.1e; of four columns %.1e\n",
                worst, worst_solve, worst_difference, worst_columns);
  // differences: eps^6 and rounding 1e-16 / eps; the solve loses what the condition of J costs, and
  // the last line has that condition (up to 1e4 here) on the differences' error
  assert_near(worst, 0, 1e-12);
  assert_near(worst_solve, 0, 1e-10);
  // products with it by recursion: 100 roundings of the terms' sum
  assert_near(worst_apply, 0, 2e-14);
  assert_near(worst_difference, 0, 1e-9);
  assert_near(worst_columns, 0, 1e-10);
}

/* exp, log and carry of dual quaternions against transforms, through a whole turn. */
static void test_screws(void **state)
{
  (void)state;
  support_rng rng = {7};
  for (int i = 0; i < 1000; i++) {
    const double size[4] = {1e-4, 0.1, 1.0, 3.5};
    double a[6];
    support_random_vec(&rng, a, 6, size[i % 4]);
    const cardan_twist x = {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
    if (cardan__vec3_norm(x.w) > 6.0) {
      continue; // a turn and more has another logarithm
    }
    const cardan__screw Q = cardan__screw_exp(x);
    const cardan_xform T = cardan_se3_exp(x);
    cardan__dlog_coeffs k;
    const cardan_twist y = cardan__screw_log(&Q, &k);
    const double want[6] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
    const double got[6] = {y.w.x, y.w.y, y.w.z, y.v.x, y.v.y, y.v.z};
    // near a whole turn the logarithm magnifies rounding by 1 / (2 pi - t)^2, here up to 12
    assert_near_vec(got, want, 6, 100 * 12 * 2.2e-16 * size[i % 4]);
    // a turn alone has functions of its own
    const cardan__screw turn = {.r = cardan__turn_exp(x.w)};
    const cardan_vec3 w = cardan__turn_log(&turn);
    const double r[4] = {Q.r.w, Q.r.x, Q.r.y, Q.r.z}, own[3] = {w.x, w.y, w.z};
    const double again[4] = {turn.r.w, turn.r.x, turn.r.y, turn.r.z};
    assert_near_vec(again, r, 4, 4 * 2.2e-16);
    assert_near_vec(own, want, 3, 100 * 12 * 2.2e-16 * size[i % 4]);
    support_random_vec(&rng, a, 6, 1.0);
    const cardan_twist S = {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
    const cardan_twist c = cardan__screw_carry(&Q, S), d = cardan__twist_to_parent(&T, S);
    const double carried[6] = {c.w.x, c.w.y, c.w.z, c.v.x, c.v.y, c.v.z};
    const double moved[6] = {d.w.x, d.w.y, d.w.z, d.v.x, d.v.y, d.v.z};
    assert_near_vec(carried, moved, 6, 50 * 2.2e-16 * (1 + size[i % 4]));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_screws),
      cmocka_unit_test(test_action),
      cmocka_unit_test(test_jacobian),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
