// SPDX-License-Identifier: Apache-2.0
#include "small_cones.h"

/* Box rows |r| <= bound, dry friction of given size: alone, beside contacts, beside a limit of the
 * same joint. */

/* A square matrix of rank `rank`, and a vector, from a generator. */
static void draw(small *p, int rank, support_rng *rng)
{
  double A[MOST][MOST];
  for (int i = 0; i < p->m; i++) {
    for (int k = 0; k < rank; k++) {
      A[i][k] = support_random_in(rng, -1, 1);
    }
    p->b[i] = support_random_in(rng, -1, 1);
  }
  for (int i = 0; i < p->m; i++) {
    for (int j = 0; j < p->m; j++) {
      p->G[i * p->m + j] = 0;
      for (int k = 0; k < rank; k++) {
        p->G[i * p->m + j] += A[i][k] * A[j][k];
      }
    }
  }
}

/* The r of boxes that stick (0) or are at a bound (1: upper, 2: lower), by elimination; false: the
 * law does not hold for it. */
static bool try_faces(const small *p, const int *face, double *r)
{
  double A[8][9] = {0};
  int at[8], n = 0;
  for (int i = 0; i < p->n; i++) {
    r[i] = face[i] == 0 ? 0 : face[i] == 1 ? p->cone[i].bound : -p->cone[i].bound;
    at[n] = i;
    n += face[i] == 0;
  }
  for (int i = 0; i < n; i++) {
    A[i][n] = -p->b[at[i]];
    for (int j = 0; j < p->n; j++) {
      A[i][n] -= face[j] != 0 ? p->G[at[i] * p->m + j] * r[j] : 0;
    }
    for (int j = 0; j < n; j++) {
      A[i][j] = p->G[at[i] * p->m + at[j]];
    }
  }
  for (int k = 0; k < n; k++) { // G is positive definite: no exchange
    for (int i = 0; i < n; i++) {
      const double f = A[i][k] / A[k][k];
      for (int j = k; j <= n && i != k; j++) {
        A[i][j] -= f * A[k][j];
      }
    }
  }
  for (int i = 0; i < n; i++) {
    r[at[i]] = A[i][n] / A[i][i];
  }
  bool holds = true;
  for (int i = 0; i < p->n; i++) {
    double u = p->b[i];
    for (int j = 0; j < p->n; j++) {
      u += p->G[i * p->m + j] * r[j];
    }
    holds = holds && (face[i] == 0   ? fabs(r[i]) <= p->cone[i].bound
                      : face[i] == 1 ? u <= 0
                                     : u >= 0);
  }
  return holds;
}

// all combinations of sticking and sliding either way: one of them is the solution, which is unique
static void boxes(void **state)
{
  (void)state;
  support_rng rng = {3};
  for (int k = 0; k < 300; k++) {
    small p = {.n = 1 + k % 6};
    double r[8] = {0};
    int count = 1, found = 0;
    p.m = p.n;
    draw(&p, p.m + 1, &rng);
    for (int i = 0; i < p.n; i++) {
      p.cone[i] = (cardan__cone){.row = i, .bound = support_random_in(&rng, 0.05, 1)};
      p.r[i] = k % 2 == 0 ? 0 : support_random_in(&rng, -2, 2);
      count *= 3;
    }
    cardan__ncp q = ncp_of(&p);
    q.tree = NULL;
    assert_true(cardan__ncp_solve(&q));
    for (int code = 0; code < count && !found; code++) {
      int face[8] = {0};
      for (int i = 0, rest = code; i < p.n; i++, rest /= 3) {
        face[i] = rest % 3;
      }
      found = try_faces(&p, face, r);
    }
    assert_true(found);
    for (int i = 0; i < p.n; i++) {
      double own = p.G[i * p.m + i];
      assert_near(p.r[i] * own, r[i] * own, 1e-9); // as far as rounding of the elimination goes
    }
  }
}

/* (B) to an error of e in velocities. */
static void assert_box(double bound, double r, double u, double e)
{
  assert_true(fabs(r) <= bound * (1 + 1e-14));
  assert_true(bound * fabs(u) + r * u <= 2 * bound * e);
}

// boxes beside contacts with friction, redundant rows among them: the law itself
static void boxes_and_contacts(void **state)
{
  (void)state;
  support_rng rng = {5};
  for (int k = 0; k < 400; k++) {
    small p = {.n = 2 + k % 11};
    for (int i = 0; i < p.n; i++) {
      const double size = support_random_in(&rng, 0.01, 1);
      p.cone[i] = i % 2 == 0 ? (cardan__cone){.row = p.m, .bound = size}
                             : (cardan__cone){.row = p.m, .ngroup = 1, .size = {2}, .mu = {size}};
      p.m += cardan__cone_rows(&p.cone[i]);
    }
    draw(&p, k % 3 == 0 ? p.m + 2 : p.m, &rng);
    cardan__ncp q = ncp_of(&p);
    assert_true(cardan__ncp_solve(&q));
    for (int i = 0; i < p.n; i++) {
      const int row = p.cone[i].row;
      if (p.cone[i].bound > 0) {
        assert_box(p.cone[i].bound, p.r[row], p.u[row], 1e-11);
      } else {
        assert_law(&p.cone[i], p.r, p.u, p.G, p.m, 1e-11);
      }
    }
  }
}

// A joint on its limit that a load presses there, with friction: both hold it, and share the load
static void limit_with_friction(void **state)
{
  (void)state;
  const double loads[] = {0, 1e-3, 0.5, 3};
  for (int k = 0; k < 4; k++) {
    small p = {.n = 2, .m = 2, .G = {1, 1, 1, 1}, .b = {-loads[k], -loads[k]}};
    p.cone[0] = (cardan__cone){.row = 0};
    p.cone[1] = (cardan__cone){.row = 1, .bound = 1};
    cardan__ncp q = ncp_of(&p);
    assert_true(cardan__ncp_solve(&q));
    assert_near(p.r[0] + p.r[1], loads[k], 1e-13);
    assert_true(p.r[0] >= 0 && p.r[1] >= 0 && p.r[1] <= 1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes),
      cmocka_unit_test(boxes_and_contacts),
      cmocka_unit_test(limit_with_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
