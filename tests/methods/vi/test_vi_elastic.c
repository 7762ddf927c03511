// SPDX-License-Identifier: Apache-2.0
// Elements with a potential at the middle of the step: their impulses against differences of the
// discrete action, their part of the Jacobian against differences of the residual, and the O(n)
// direction against that, on random trees with every kind of joint and of element.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/cardan.h"
#include "expr/expr.h"
#include "forces/strain.h"
#include "methods/vi/vi.h"
#include "random_tree.h"

enum { NODES = 3, MOST = 256 };

typedef struct {
  fixture f;
  cardan_options options;
  cardan__vi *vi;
} bed;

/* Bushings between neighbours, to the world and between others; springs in one joint and another:
 * every reach of vi_elastic.h. many: so many springs that their channels are left to GMRES. */
static void add_more(cardan_spec *spec, bool many)
{
  static const char *const pairs[][2] = {{"f1", "f2"}, {"world", "f1"}, {"world", "f6"},
                                         {"f2", "f3"}, {"f4", "f5"},    {"f3", "f9"}};
  for (int i = 0; i < (many ? 6 : 3); i++) {
    tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_BUSHING,
                                    .frame = {pairs[i][0], pairs[i][1]},
                                    .value = {30, 20, 10, 4, 5, 6}});
    tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_BUSHING_COUPLING,
                                    .frame = {pairs[i][0], pairs[i][1]},
                                    .value = {3, 2, 6}});
  }
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_POTENTIAL,
                                  .expr = {"(+ (^ q.j1 4) (* 3 (^ (- q.j1 q.j6.d) 2)))"}});
  for (int i = 1; i < 14 && many; i++) {
    char name[2][8];
    snprintf(name[0], sizeof name[0], "f%d", 1 + i % 9);
    snprintf(name[1], sizeof name[1], "f%d", 1 + (3 * i + 1) % 9);
    if (strcmp(name[0], name[1]) != 0) {
      tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_SPRING,
                                      .frame = {name[0], name[1]},
                                      .value = {7.0 + i, 0.1 * i}});
    }
  }
}

static bed make_bed(int seed, bool elements, bool many, const char *potentials)
{
  support_rng rng = {(uint64_t)seed};
  cardan_spec *spec = tree_spec(10 + seed % 7, &rng);
  if (elements) {
    tree_add_potentials(spec);
    add_more(spec, many);
  }
  cardan_spec_gravity(spec, cardan__vec3(1.0, -2.0, -9.0));
  bed b = {.options = cardan_options_defaults()};
  b.options.potentials = potentials;
  cardan__stepper *stepper = NULL;
  b.f = fixture_build(spec);
  tree_random_state(&b.f, &rng);
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

/* ---- the action ---- */

static double between(const double *y)
{
  return sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
}

/* U at a strain, by its formula. */
static double energy_of(const cardan_model *m, const cardan_force_element *e, const double *y,
                        double *work)
{
  const double *v = e->value;
  switch (e->kind) {
  case CARDAN_ELEMENT_SPRING:
    return 0.5 * v[0] * (between(y) - v[1]) * (between(y) - v[1]);
  case CARDAN_ELEMENT_NEWTON_GRAVITY:
    return -v[0] * v[1] * v[2] / between(y);
  case CARDAN_ELEMENT_JOINT_SPRING:
    return 0.5 * v[0] * (y[0] - v[1]) * (y[0] - v[1]);
  case CARDAN_ELEMENT_BUSHING_COUPLING:
    return v[0] * y[(int)v[1] - 1] * y[(int)v[2] - 1];
  case CARDAN_ELEMENT_POTENTIAL:
    return cardan__expr_value(m->expr[e->expr[0]].expr, y, work);
  default: {
    double sum = 0;
    for (int k = 0; k < 6; k++) {
      sum += 0.5 * v[k] * y[k] * y[k];
    }
    return sum;
  }
  }
}

/* Strains of all elements at q, one after the other. */
static void strains_at(const fixture *f, const double *q, double *y)
{
  memcpy(f->data->q, q, (size_t)f->model->nq * sizeof *q);
  cardan_kinematics(f->model, f->data);
  const cardan__view view = cardan__data_view(f->model, f->data);
  for (int i = 0; i < f->model->nforce; i++) {
    const cardan_force_element *e = &f->model->force[i];
    cardan__force_kind_of(e->kind)->strain(f->model, &view, e, y);
    y += cardan__strains(f->model, e);
  }
}

/* h times the sum of U at the mean strains of two configurations. */
static double action_of(const fixture *f, const double *qa, const double *qb, double h)
{
  double ya[MOST], yb[MOST], sum = 0;
  strains_at(f, qa, ya);
  strains_at(f, qb, yb);
  for (int i = 0, at = 0; i < f->model->nforce; i++) {
    const cardan_force_element *e = &f->model->force[i];
    const int n = cardan__strains(f->model, e);
    for (int k = at; k < at + n; k++) {
      ya[k] = 0.5 * (ya[k] + yb[k]);
    }
    sum += energy_of(f->model, e, ya + at, f->data->scratch + 8 * f->model->max_leaf);
    at += n;
  }
  return h * sum;
}

static const double at6[6] = {-3, -2, -1, 1, 2, 3}, weight6[6] = {-1, 9, -45, 45, -9, 1};

/* Two steps of different lengths with and without the elements: the impulse at the node between
 * them differs by the gradient of h U(mean strain) of both steps. */
static void test_action(void **state)
{
  (void)state;
  double worst = 0;
  for (int seed = 0; seed < 12; seed++) {
    bed b[2] = {make_bed(seed, true, seed % 2, NULL), make_bed(seed, false, false, NULL)};
    const cardan_model *m = b[0].f.model;
    double q[NODES][MOST], dq[2][MOST], largest = 0, error = 0;
    const double h[2] = {0.02, 0.03}, eps = 2e-3;
    support_rng rng = {(uint64_t)seed};
    support_random_vec(&rng, dq[0], m->nv, 0.2);
    support_random_vec(&rng, dq[1], m->nv, 0.2);
    for (int i = 0; i < 2; i++) {
      cardan__vi *s = b[i].vi;
      assert_int_equal(cardan__start_node(&s->base, b[i].f.data), CARDAN_OK);
      memcpy(q[0], s->base.node->q, (size_t)m->nq * sizeof(double));
      evaluate_at(s, b[i].f.data, h[0], dq[0]);
      memset(s->base.r, 0, (size_t)m->nv * sizeof *s->base.r);
      cardan__step_accept(&s->base);
      memcpy(q[1], s->base.node->q, (size_t)m->nq * sizeof(double));
      evaluate_at(s, b[i].f.data, h[1], dq[1]);
    }
    cardan_q_move(m, q[1], dq[1], 1, q[2]);
    for (int k = 0; k < m->nv; k++) {
      double unit[MOST] = {0}, moved[MOST], f = 0;
      unit[k] = 1;
      for (int i = 0; i < 6; i++) {
        cardan_q_move(m, q[1], unit, at6[i] * eps, moved);
        f += weight6[i] / (60 * eps) *
             (action_of(&b[0].f, q[0], moved, h[0]) + action_of(&b[0].f, moved, q[2], h[1]));
      }
      largest = fmax(largest, fabs(f));
      error = fmax(error, fabs(f - (b[0].vi->base.r[k] - b[1].vi->base.r[k])));
    }
    worst = fmax(worst, error / largest);
    free_bed(&b[0]);
    free_bed(&b[1]);
  }
  print_message("impulses against the action's gradient: %.1e\n", worst);
  // differences: 1e-16 / eps of an action of the order of a few impulses, and eps^6
  assert_near(worst, 0, 1e-10);
}

/* ---- the Jacobian ---- */

/* Column k of the Jacobian by differences of order 6 of the residual. */
static void difference_column(cardan__vi *s, const cardan_data *data, double h, const double *dq,
                              int k, double *column)
{
  const cardan_model *m = s->base.model;
  const cardan_body *b = &m->body[m->v_body[k]];
  const double eps = 4e-3;
  memset(column, 0, (size_t)m->nv * sizeof *column);
  for (int i = 0; i < 6; i++) {
    evaluate_at(s, data, h, dq);
    if (b->nv == 1) {
      s->base.x.dq[k] += at6[i] * eps;
    } else {
      double e[6] = {0};
      e[k - b->vadr] = at6[i] * eps;
      const cardan_twist x = {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
      cardan__screw *Z = &s->base.x.joint[s->base.node->multi_of[m->v_body[k]]];
      *Z = cardan__screw_mul(*Z, cardan__screw_exp(x));
      const cardan_twist log = cardan__screw_log(Z, &(cardan__dlog_coeffs){0});
      const double all[6] = {log.w.x, log.w.y, log.w.z, log.v.x, log.v.y, log.v.z};
      memcpy(s->base.x.dq + b->vadr, all, (size_t)b->nv * sizeof *all);
    }
    cardan__vi_residual(s);
    for (int r = 0; r < m->nv; r++) {
      column[r] += weight6[i] * s->base.r[r] / (60 * eps);
    }
  }
}

static void test_jacobian(void **state)
{
  (void)state;
  double worst = 0, worst_solve = 0, worst_apply = 0;
  int ngmres = 0;
  for (int seed = 0; seed < 16; seed++) {
    const bool many = seed % 2;
    bed b = make_bed(100 + seed, true, many, NULL);
    const cardan_model *m = b.f.model;
    cardan__vi *s = b.vi;
    const size_t nv = (size_t)m->nv;
    const double h = seed % 4 < 2 ? 0.05 : 0.2;
    support_rng rng = {(uint64_t)seed};
    double dq[MOST], r[MOST], x[MOST], y[MOST], column[MOST], largest = 0, error = 0;
    double *D = calloc(nv * nv, sizeof *D);
    assert_non_null(D);
    support_random_vec(&rng, dq, m->nv, 0.3);
    support_random_vec(&rng, r, m->nv, 1.0);
    assert_int_equal(cardan__start_node(&s->base, b.f.data), CARDAN_OK);
    ngmres += s->elastic.gmres;
    for (int k = 0; k < m->nv; k++) {
      difference_column(s, b.f.data, h, dq, k, column);
      for (size_t i = 0; i < nv; i++) {
        D[i * nv + (size_t)k] = column[i];
      }
    }
    evaluate_at(s, b.f.data, h, dq);
    assert_int_equal(cardan__linear_factor(&s->base), CARDAN_OK);
    memcpy(x, r, nv * sizeof *x);
    cardan__linear_solve(&s->base, 1, x);
    assert_int_equal(cardan__vi_linearise(&s->base), CARDAN_OK);
    for (size_t k = 0; k < nv; k++) { // columns by products
      double unit[MOST] = {0};
      unit[k] = 1;
      cardan__vi_apply(&s->base, unit, y);
      for (size_t i = 0; i < nv; i++) {
        largest = fmax(largest, fabs(y[i]));
        error = fmax(error, fabs(y[i] - D[i * nv + k]));
      }
    }
    cardan__vi_apply(&s->base, x, y);
    double left = 0, size = 0, terms = 0;
    for (size_t i = 0; i < nv; i++) {
      double sum = 0;
      for (size_t j = 0; j < nv; j++) {
        sum += D[i * nv + j] * x[j];
        terms = fmax(terms, fabs(D[i * nv + j] * x[j]));
      }
      left = fmax(left, fabs(y[i] - r[i]));
      size = fmax(size, fabs(sum - y[i]));
    }
    worst = fmax(worst, error / largest);
    worst_solve = fmax(worst_solve, left);
    worst_apply = fmax(worst_apply, size / terms);
    free(D);
    free_bed(&b);
  }
  print_message("Jacobian against differences %.1e, products %.1e; |J dq - r| / |r| %.1e\n", worst,
                worst_apply, worst_solve);
  assert_in_range(ngmres, 4, 12); // both ways
  // differences: eps^6 with the sixth derivatives of (sin, exp, 1/l), and 1e-16 / eps
  assert_near(worst, 0, 1e-9);
  assert_near(worst_apply, 0, 1e-9);
  // what the condition of J costs; GMRES ends at 1e-9
  assert_near(worst_solve, 0, 1e-7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_action),
                                     cmocka_unit_test(test_jacobian)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
