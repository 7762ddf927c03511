// SPDX-License-Identifier: Apache-2.0
// Kernels of the discrete kinetic energy `swing` against its definition (S1) of
// kernels/swing_step.h: momenta by a complex step through matrices, the derivative by differences,
// and the identities of a discrete Lagrangian that depends on the displacement alone.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "methods/vi/kernel.h"
#include "support.h"

typedef double complex number;

typedef struct {
  number R[3][3], p[3];
} pose;

static pose pose_of(const cardan__screw *Q)
{
  const cardan_mat3 R = cardan__quat_to_mat3(Q->r);
  const cardan_vec3 p = cardan__screw_translation(Q);
  pose T = {.p = {p.x, p.y, p.z}};
  for (int k = 0; k < 9; k++) {
    T.R[k / 3][k % 3] = R.m[k / 3][k % 3];
  }
  return T;
}

/* exp(zeta) T, or T exp(zeta), to first order. */
static pose moved(const pose *T, const number z[6], bool before)
{
  const number w[3][3] = {{1, -z[2], z[1]}, {z[2], 1, -z[0]}, {-z[1], z[0], 1}};
  pose to = {.p = {0}};
  for (int i = 0; i < 3; i++) {
    to.p[i] = before ? z[3 + i] : T->p[i];
    for (int k = 0; k < 3; k++) {
      to.p[i] += before ? w[i][k] * T->p[k] : T->R[i][k] * z[3 + k];
      for (int j = 0; j < 3; j++) {
        to.R[i][j] += before ? w[i][k] * T->R[k][j] : T->R[i][k] * w[k][j];
      }
    }
  }
  return to;
}

static number dot(const number a[3], const number b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The angle below half a turn with this sine and cosine, for a complex step. */
static number angle(number sine, number cosine)
{
  return creal(cosine) >= 0 ? catan(sine / cosine) : 2 * catan(1) - catan(cosine / sine);
}

/* (S1) over h = 1, from matrices. */
static number action(const cardan__central *b, const pose *T)
{
  const number c[3] = {b->c.x, b->c.y, b->c.z}, s[3] = {b->s.x, b->s.y, b->s.z};
  const number a[3] = {(T->R[2][1] - T->R[1][2]) / 2, (T->R[0][2] - T->R[2][0]) / 2,
                       (T->R[1][0] - T->R[0][1]) / 2};
  const number sine = csqrt(dot(a, a)), cosine = (T->R[0][0] + T->R[1][1] + T->R[2][2] - 1) / 2;
  const number over = angle(sine, cosine) / sine;
  const number theta[3] = {over * a[0], over * a[1], over * a[2]};
  const cardan_mat3 J = cardan__sym3_matrix(&b->J);
  number d[3], y[3], Jt[3];
  for (int i = 0; i < 3; i++) {
    d[i] = T->p[i] - c[i];
    y[i] = Jt[i] = 0;
    for (int k = 0; k < 3; k++) {
      d[i] += T->R[i][k] * c[k];
      y[i] += T->R[i][k] * s[k];
      Jt[i] += J.m[i][k] * theta[k];
    }
  }
  number lever = 0;
  if (b->k > 0) {
    const number n[3] = {s[1] * y[2] - s[2] * y[1], s[2] * y[0] - s[0] * y[2],
                         s[0] * y[1] - s[1] * y[0]};
    const number al = angle(csqrt(dot(n, n)), dot(s, y));
    lever = b->k * (al * al - 2 * (1 - dot(s, y)));
  }
  return (b->m * dot(d, d) + dot(theta, Jt) + lever) / 2;
}

/* Gradient of (S1) along exp(zeta) T, or T exp(zeta). */
static cardan_force gradient(const cardan__central *b, const pose *T, bool before)
{
  double g[6];
  for (int k = 0; k < 6; k++) {
    number z[6] = {0};
    z[k] = CMPLX(0, 1e-30);
    const pose at = moved(T, z, before);
    g[k] = cimag(action(b, &at)) / 1e-30;
  }
  return (cardan_force){{g[0], g[1], g[2]}, {g[3], g[4], g[5]}};
}

static cardan_vec3 some_vec(support_rng *rng, double size)
{
  double a[3];
  support_random_vec(rng, a, 3, size);
  return cardan__vec3(a[0], a[1], a[2]);
}

/* kind 0: any lever; 1: none; 2: across z, as of a hinge. */
static cardan__central some_body(support_rng *rng, int kind)
{
  double a[6];
  support_random_vec(rng, a, 6, 1);
  cardan__central b = {.m = 0.5 + a[0] * a[0],
                       .c = some_vec(rng, 0.5),
                       .J = {2 + a[1], 2 + a[2], 2 + a[3], 0.3 * a[4], 0.3 * a[5], 0.2 * a[0]}};
  const cardan_vec3 s = {b.c.x, b.c.y, kind == 2 ? 0 : b.c.z};
  if (kind != 1) {
    const double length = cardan__vec3_norm(s);
    b.s = cardan__vec3_scale(1 / length, s);
    b.k = b.m * length * length;
  }
  return b;
}

static cardan__swing_place place_of(const cardan__screw *Q, const cardan__central *b)
{
  const double n = sqrt(Q->r.x * Q->r.x + Q->r.y * Q->r.y + Q->r.z * Q->r.z);
  const double A = n > 0 ? atan2(n, Q->r.w) / n : 1;
  return cardan__swing_at(Q, A, b->c);
}

static void momenta(const cardan__central *b, const cardan__screw *Q, cardan_force *mu,
                    cardan_force *next)
{
  const cardan__swing_place at = place_of(Q, b);
  const cardan__swing_coeffs k = cardan__swing_coeffs_of(&at, b->s);
  cardan__swing_momenta(b, &at, k.c, k.phi, mu, next);
}

static double gap(cardan_force a, cardan_force b)
{
  return cardan__vec3_norm(cardan__vec3_sub(a.t, b.t)) +
         cardan__vec3_norm(cardan__vec3_sub(a.f, b.f));
}

static double size(cardan_force a)
{
  return cardan__vec3_norm(a.t) + cardan__vec3_norm(a.f);
}

/* A displacement that turns by so many radians. */
static cardan__screw some_step(support_rng *rng, double turn)
{
  const cardan_vec3 n = some_vec(rng, 1);
  return cardan__screw_exp((cardan_twist){.w = cardan__vec3_scale(turn / cardan__vec3_norm(n), n),
                                          .v = some_vec(rng, 1)});
}

static const double turns[] = {1e-3, 0.05, 0.24, 0.26, 0.8, 1.5, 2.2};
enum { TURNS = sizeof turns / sizeof *turns, SEEDS = 40 };

// tolerance: the matrices' own rounding, eps of entries of size 1 over the sine of the turn
static void test_momenta(void **state)
{
  (void)state;
  for (int seed = 0; seed < SEEDS * TURNS; seed++) {
    support_rng rng = {(uint64_t)seed};
    const cardan__central b = some_body(&rng, seed % 3);
    const double turn = turns[seed % TURNS];
    const cardan__screw Q = some_step(&rng, turn);
    const pose T = pose_of(&Q);
    cardan_force mu, next;
    momenta(&b, &Q, &mu, &next);
    const double tolerance = 50 * DBL_EPSILON / fmin(turn, 1);
    assert_near(gap(mu, gradient(&b, &T, true)), 0, tolerance * size(mu));
    assert_near(gap(next, gradient(&b, &T, false)), 0, tolerance * size(next));
  }
}

// the momentum at the end is that of the start, carried; a step back has both exchanged
static void test_identities(void **state)
{
  (void)state;
  for (int seed = 0; seed < SEEDS * TURNS; seed++) {
    support_rng rng = {(uint64_t)seed};
    const cardan__central b = some_body(&rng, seed % 3);
    const cardan__screw Q = some_step(&rng, turns[seed % TURNS]);
    const cardan__screw back = {.r = {Q.r.w, -Q.r.x, -Q.r.y, -Q.r.z},
                                .d = {Q.d.w, -Q.d.x, -Q.d.y, -Q.d.z}};
    const cardan_xform T = {cardan__quat_to_mat3(Q.r), cardan__screw_translation(&Q)};
    cardan_force mu, next, mu_back, next_back;
    momenta(&b, &Q, &mu, &next);
    momenta(&b, &back, &mu_back, &next_back);
    const double tolerance = 50 * DBL_EPSILON * size(mu);
    assert_near(gap(cardan__force_to_child(&T, mu), next), 0, tolerance);
    assert_near(gap(cardan__force_scale(-1, mu_back), next), 0, tolerance);
    assert_near(gap(cardan__force_scale(-1, next_back), mu), 0, tolerance);
  }
}

static cardan__mat6 slope(const cardan__central *b, const cardan__screw *Q)
{
  const cardan__swing_place at = place_of(Q, b);
  const cardan__swing_coeffs k = cardan__swing_coeffs_of(&at, b->s);
  cardan_force mu, next;
  cardan__swing_momenta(b, &at, k.c, k.phi, &mu, &next);
  return cardan__swing_slope(b, &at, &k, mu.t);
}

// differences of order 4: eps / 1e-3 and 1e-12, times derivatives that grow towards half a turn
static void test_slope(void **state)
{
  (void)state;
  const double at[4] = {-2e-3, -1e-3, 1e-3, 2e-3}, weight[4] = {1, -8, 8, -1};
  for (int seed = 0; seed < SEEDS * TURNS; seed++) {
    support_rng rng = {(uint64_t)seed};
    const cardan__central b = some_body(&rng, seed % 3);
    const cardan__screw Q = some_step(&rng, turns[seed % TURNS]);
    const cardan__mat6 K = slope(&b, &Q);
    for (int k = 0; k < 6; k++) {
      cardan_force sum = {.t = {0, 0, 0}}, mu, next;
      const double e[6] = {k == 0, k == 1, k == 2, k == 3, k == 4, k == 5};
      const cardan_twist z = {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
      for (int i = 0; i < 4; i++) {
        const cardan__screw step = cardan__screw_exp(cardan__twist_scale(at[i], z));
        const cardan__screw there = cardan__screw_mul(step, Q);
        momenta(&b, &there, &mu, &next);
        sum = cardan__force_axpy(weight[i] / 12e-3, mu, sum);
      }
      const cardan_force column = cardan__mat6_mul(&K, z);
      assert_near(gap(sum, column), 0, 1e-9 * (1 + size(column)));
    }
  }
}

// K - K^T = -abar(mu): the lower triangle of the first block is taken from it
static void test_skew_part(void **state)
{
  (void)state;
  for (int seed = 0; seed < SEEDS * TURNS; seed++) {
    support_rng rng = {(uint64_t)seed};
    const cardan__central b = some_body(&rng, seed % 3);
    const cardan__screw Q = some_step(&rng, turns[seed % TURNS]);
    const cardan__mat6 K = slope(&b, &Q);
    cardan_force mu, next;
    momenta(&b, &Q, &mu, &next);
    const double f[3][3] = {{0, -mu.f.z, mu.f.y}, {mu.f.z, 0, -mu.f.x}, {-mu.f.y, mu.f.x, 0}};
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        assert_near(fabs(K.tv.m[i][j] - K.fw.m[j][i] + f[i][j]), 0, 1e-14 * (1 + size(mu)));
        assert_true(fabs(K.fv.m[i][j] - K.fv.m[j][i]) == 0);
      }
    }
  }
}

// a body that turns about the point that its joint holds has its exact momentum, at any rate
static void test_pivot(void **state)
{
  (void)state;
  for (int i = 1; i <= 30; i++) {
    support_rng rng = {(uint64_t)i};
    cardan__central b = some_body(&rng, 2);
    const double turn = 0.1 * i;
    const cardan__screw Q = cardan__screw_exp((cardan_twist){.w = {0, 0, turn}});
    cardan_force mu, next;
    b.J.xz = b.J.yz = 0;
    momenta(&b, &Q, &mu, &next);
    assert_near(mu.t.z, (b.J.zz + b.k) * turn, 1e-14 * (4 + b.k) / (3.15 - turn));
    assert_near(next.t.z, (b.J.zz + b.k) * turn, 1e-14 * (4 + b.k) / (3.15 - turn));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_momenta), cmocka_unit_test(test_identities),
      cmocka_unit_test(test_slope),   cmocka_unit_test(test_skew_part),
      cmocka_unit_test(test_pivot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
