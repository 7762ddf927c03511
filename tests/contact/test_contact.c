// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cones/complementarity.h"
#include "contact/impact.h"
#include "linalg/linalg.h"
#include "support.h"

/* Complementarity and impacts without a mechanism: G = A A^T of random A, singular where A has
 * fewer columns than rows. */

enum { MOST = 8 };

typedef struct {
  int n;
  double G[MOST * MOST], b[MOST], r[MOST], u[MOST], work[16 * MOST * MOST];
  int set[32 * MOST];
} problem;

/* n rows over m velocities; b = A v is what rows of one mechanism have. */
static problem random_problem(support_rng *rng, int n, int m)
{
  problem p = {.n = n};
  double A[MOST * MOST], v[MOST];
  for (int k = 0; k < n * m; k++) {
    A[k] = support_random_in(rng, -1, 1);
  }
  for (int k = 0; k < m; k++) {
    v[k] = support_random_in(rng, -1, 1);
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m; k++) {
      p.b[i] += A[i * m + k] * v[k];
      for (int j = 0; j < n; j++) {
        p.G[i * n + j] += A[i * m + k] * A[j * m + k];
      }
    }
  }
  return p;
}

// r >= 0, G r + b >= 0, r . u = 0: to 1e-10 of numbers about 1 (G's condition is up to 1e5)
static void complementary(void **state)
{
  (void)state;
  support_rng rng = {1};
  int redundant = 0;
  for (int trial = 0; trial < 20000; trial++) {
    const int n = 1 + trial % MOST, m = 1 + (trial / MOST) % MOST;
    problem p = random_problem(&rng, n, m);
    redundant += m < n;
    assert_true(cardan__complementarity(n, p.G, p.b, 1e-12, p.r, p.u, p.set, p.work));
    for (int i = 0; i < n; i++) {
      double u = p.b[i], size = 1;
      for (int j = 0; j < n; j++) {
        u += p.G[i * n + j] * p.r[j];
        size += fabs(p.G[i * n + j] * p.r[j]);
      }
      assert_true(p.r[i] >= 0);
      assert_true(u >= -1e-10 * size);
      assert_true(fabs(u * p.r[i]) <= 1e-10 * size * size);
      assert_true(fabs(u - p.u[i]) <= 1e-10 * size);
    }
  }
  assert_true(redundant > 5000);
}

// a row that nothing moves and that approaches: there is no answer, and it reports it
static void immovable(void **state)
{
  (void)state;
  problem p = {.n = 2, .G = {1, 0, 0, 0}, .b = {-1, -1}};
  assert_false(cardan__complementarity(2, p.G, p.b, 1e-12, p.r, p.u, p.set, p.work));
}

static cardan__impact impact_of(problem *p, const double *e)
{
  memcpy(p->u, p->b, sizeof p->u);
  return (cardan__impact){.n = p->n,
                          .m = p->n,
                          .G = p->G,
                          .e = e,
                          .u = p->u,
                          .r = p->r,
                          .tol = 1e-12,
                          .work = p->work,
                          .iwork = p->set};
}

// energy: T^+ - T^- = r . (u^- + u^+) / 2, never positive, 0 where all e are 1
static void impacts_take_energy(void **state)
{
  (void)state;
  support_rng rng = {2};
  for (int trial = 0; trial < 5000; trial++) {
    const int n = 1 + trial % 6, m = 1 + (trial / 6) % MOST;
    problem p = random_problem(&rng, n, m);
    double e[MOST], before[MOST], gain = 0, size = 1;
    for (int i = 0; i < n; i++) {
      e[i] = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 0 : support_random_in(&rng, 0, 1);
      before[i] = p.b[i];
    }
    cardan__impact m1 = impact_of(&p, e);
    assert_true(cardan__impact_solve(&m1));
    for (int i = 0; i < n; i++) {
      gain += 0.5 * p.r[i] * (before[i] + p.u[i]);
      size += fabs(p.r[i] * before[i]);
      assert_true(p.r[i] >= 0);
      assert_true(p.u[i] >= -1e-9);
    }
    assert_true(fabs(gain - m1.gain) <= 1e-10 * size);
    assert_true(gain <= 1e-10 * size);
    if (trial % 3 == 0 && m1.rounds < 100) {
      assert_true(fabs(gain) <= 1e-10 * size);
    }
  }
}

// three equal balls in a row, touching, e = 1: the impact runs through, the last one leaves
static void impact_runs_through(void **state)
{
  (void)state;
  // gaps x2 - x1, x3 - x2; velocities 1, 0, 0
  problem p = {.n = 2, .G = {2, -1, -1, 2}, .b = {-1, 0}};
  const double e[2] = {1, 1};
  cardan__impact m = impact_of(&p, e);
  assert_true(cardan__impact_solve(&m));
  assert_near(p.u[0], 0, 1e-15);
  assert_near(p.u[1], 1, 1e-15);
  assert_int_equal(m.rounds, 2);
}

// a support without restitution acts with what strikes, and does not bounce itself
static void supports_stay(void **state)
{
  (void)state;
  problem p = {.n = 2, .G = {1, 0.5, 0.5, 1}, .b = {-1, 0}};
  const double e[2] = {0.5, 0};
  cardan__impact m = impact_of(&p, e);
  assert_true(cardan__impact_solve(&m));
  assert_near(p.u[0], 0.5, 1e-15);
  assert_true(p.u[1] >= 0);
}

/* ---- friction ---- */

enum { NV = 8, ROWS = 12 };

/* Up to four contacts of an articulated body: nv velocities v, any rows J over them, A = M^-1. */
typedef struct {
  int n, m, nv;
  cardan__cone cone[4], chosen[4];
  double A[NV * NV], J[ROWS * NV], v[NV], G[ROWS * ROWS], e[4];
  double u[ROWS], r[ROWS], work[1200];
  int iwork[160];
} body;

static body random_body(support_rng *rng)
{
  body p = {.n = support_random_int(rng, 1, 4), .nv = support_random_int(rng, 2, NV)};
  const int nv = p.nv;
  double B[NV * NV], JA[NV];
  p.m = 3 * p.n;
  support_random_vec(rng, B, nv * nv, 1);
  support_random_vec(rng, p.J, p.m * nv, 1);
  support_random_vec(rng, p.v, nv, 1);
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      p.A[i * nv + j] = i == j ? 0.05 : 0;
      for (int k = 0; k < nv; k++) {
        p.A[i * nv + j] += B[i * nv + k] * B[j * nv + k];
      }
    }
  }
  for (int i = 0; i < p.n; i++) {
    p.cone[i] = (cardan__cone){.row = 3 * i, .ngroup = 1, .size = {2}};
    p.cone[i].mu[0] = support_random_in(rng, 0, 1.5);
    p.e[i] = support_random_int(rng, 0, 3) == 0 ? 0 : support_random_in(rng, 0, 1);
  }
  for (int i = 0; i < p.m; i++) {
    for (int k = 0; k < nv; k++) {
      p.u[i] += p.J[i * nv + k] * p.v[k];
      JA[k] = 0;
      for (int l = 0; l < nv; l++) {
        JA[k] += p.A[k * nv + l] * p.J[i * nv + l];
      }
    }
    for (int j = 0; j < p.m; j++) {
      for (int k = 0; k < nv; k++) {
        p.G[j * p.m + i] += p.J[j * nv + k] * JA[k];
      }
    }
  }
  return p;
}

/* v . M v / 2 of v + A J^T r. */
static double energy(const body *p, const double *r)
{
  const int nv = p->nv;
  double L[NV * NV], v[NV], x[NV], T = 0;
  memcpy(L, p->A, sizeof L);
  for (int k = 0; k < nv; k++) {
    v[k] = p->v[k];
    for (int l = 0; l < nv; l++) {
      for (int i = 0; i < p->m; i++) {
        v[k] += p->A[k * nv + l] * p->J[i * nv + l] * r[i];
      }
    }
    x[k] = v[k];
  }
  assert_int_equal(cardan__cholesky(nv, L, 0), -1);
  cardan__cholesky_solve(nv, L, x);
  for (int k = 0; k < nv; k++) {
    T += 0.5 * v[k] * x[k];
  }
  return T;
}

// friction with restitution never adds energy, by the guard where need be; contacts part, and
// impulses stay in their cones. The energy by the velocities, to rounding: A's condition is 1e3
static void friction_takes_energy(void **state)
{
  (void)state;
  support_rng rng = {7};
  const double none[ROWS] = {0};
  int guarded = 0, struck = 0;
  for (int trial = 0; trial < 1000; trial++) {
    body p = random_body(&rng);
    const double before = energy(&p, none);
    double start[ROWS];
    memcpy(start, p.u, sizeof start);
    assert_true(cardan__impact_work(p.n, p.m) <= sizeof p.work / sizeof *p.work);
    assert_true((size_t)cardan__impact_iwork(p.n, p.m) <= sizeof p.iwork / sizeof *p.iwork);
    cardan__impact m = {.n = p.n,
                        .m = p.m,
                        .cone = p.cone,
                        .G = p.G,
                        .e = p.e,
                        .u = p.u,
                        .r = p.r,
                        .tol = 1e-10,
                        .work = p.work,
                        .iwork = p.iwork,
                        .chosen = p.chosen};
    assert_true(cardan__impact_solve(&m));
    const double after = energy(&p, p.r);
    double size = before; // of the sums that the energies are
    for (int i = 0; i < p.m; i++) {
      size += fabs(p.r[i] * start[i]);
    }
    assert_true(after <= before + 1e-12 * size);
    assert_near(after - before, m.gain, 1e-11 * size);
    for (int i = 0; i < p.n; i++) {
      const double *r = p.r + 3 * i;
      assert_true(p.u[3 * i] >= -1e-9);
      assert_true(hypot(r[1], r[2]) <= p.cone[i].mu[0] * r[0] * (1 + 1e-12));
    }
    guarded += m.guarded;
    struck += m.rounds > 0;
  }
  assert_true(struck > 500);
  assert_true(guarded > 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(complementary),       cmocka_unit_test(immovable),
      cmocka_unit_test(impacts_take_energy), cmocka_unit_test(impact_runs_through),
      cmocka_unit_test(supports_stay),       cmocka_unit_test(friction_takes_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
