// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cones/complementarity.h"
#include "linalg/linalg.h"

/* (N) as the least of r^T G r / 2 + b^T r over r >= 0, by an active set.
 * [1] C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, Prentice-Hall 1974, chapter 23:
 *     their method for |A r + c|, with G = A^T A and b = A^T c.
 *
 * P are the rows that push. The row that approaches most, in the metric of its own G_ii, joins P;
 *   G_PP z = -b_P                                                                            (C1)
 * is then taken as far as all z stay >= 0; rows at 0 leave P, and so on. Departure from [1]: where
 * the row that joins depends on those in P, (C1) has no answer. r is then moved along
 *   d_i = 1,   G_PP d_P = -G_Pi                                                              (C2)
 * which changes no velocity, until one of P is at 0 and leaves. Where none falls, every push would
 * have to be without end: nothing can move the row. */

static const double dependent = 1e-12; // of its diagonal entry: what a row adds to others
static const double rounding = 1e-14;  // of the sum that a velocity is
static const double stuck = 1e-9;      // the same: a row that still approaches is not to be moved

typedef struct {
  int n, count; // rows; of these in P
  int *set;     // n: the first count are P
  const double *G, *b;
  double *r, *u, *size, *L, *z; // size: of what a velocity is the sum of
} problem;

static double entry(const problem *p, int i, int j)
{
  return p->G[(size_t)i * (size_t)p->n + (size_t)j];
}

static void velocities(const problem *p)
{
  for (int i = 0; i < p->n; i++) {
    p->u[i] = p->b[i];
    p->size[i] = fabs(p->b[i]);
    for (int j = 0; j < p->n; j++) {
      p->u[i] += entry(p, i, j) * p->r[j];
      p->size[i] += fabs(entry(p, i, j) * p->r[j]);
    }
  }
}

/* L of G_PP; false: its last row depends on the others. */
static bool factor(const problem *p)
{
  const int m = p->count;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j <= i; j++) {
      p->L[(size_t)i * (size_t)m + (size_t)j] = entry(p, p->set[i], p->set[j]);
    }
  }
  return cardan__cholesky(m, p->L, dependent) < 0;
}

/* Takes place i of P out. */
static void remove_row(problem *p, int i)
{
  p->r[p->set[i]] = 0;
  memmove(p->set + i, p->set + i + 1, (size_t)(p->count - i - 1) * sizeof *p->set);
  p->count--;
}

/* r_P += part of z, where a row that falls to 0 first ends it; returns its place, -1: none does. */
static int move(const problem *p, double most)
{
  double part = most;
  int first = -1;
  for (int i = 0; i < p->count; i++) {
    const double r = p->r[p->set[i]];
    if (r + part * p->z[i] < 0) {
      part = r / -p->z[i];
      first = i;
    }
  }
  for (int i = 0; i < p->count && isfinite(part); i++) {
    const double r = p->r[p->set[i]] + part * p->z[i];
    p->r[p->set[i]] = r > 0 ? r : 0;
  }
  return first;
}

/* The last of P depends on the others: (C2). false: there is no end to it */
static bool exchange(problem *p)
{
  const int last = --p->count, i = p->set[last];
  if (!factor(p)) {
    return false;
  }
  for (int j = 0; j < last; j++) {
    p->z[j] = -entry(p, p->set[j], i);
  }
  cardan__cholesky_solve(last, p->L, p->z);
  p->z[last] = 1;
  p->count++;
  const int first = move(p, HUGE_VAL);
  if (first < 0) {
    p->count--;
    return false;
  }
  remove_row(p, first);
  return factor(p);
}

/* (C1), with rows that fall below 0 taken out. */
static void solve_active_set(problem *p)
{
  bool done = p->count == 0;
  while (!done && factor(p)) {
    for (int i = 0; i < p->count; i++) {
      p->z[i] = -p->b[p->set[i]];
    }
    cardan__cholesky_solve(p->count, p->L, p->z);
    for (int i = 0; i < p->count; i++) {
      p->z[i] -= p->r[p->set[i]];
    }
    const int first = move(p, 1);
    done = first < 0;
    if (!done) {
      remove_row(p, first);
    }
    done = done || p->count == 0;
  }
}

/* The row that approaches most, of those that are not in P nor given up; -1: none does. */
static int next_row(const problem *p, double tol, const double *given_up)
{
  double most = 0;
  int row = -1;
  for (int i = 0; i < p->n; i++) {
    const double size = sqrt(entry(p, i, i));
    if (p->u[i] < -tol - rounding * p->size[i] && p->r[i] == 0 && given_up[i] == 0 &&
        p->u[i] < -most * size) {
      most = -p->u[i] / size;
      row = i;
    }
  }
  return row;
}

size_t cardan__complementarity_work(int n)
{
  return (size_t)n * (size_t)n + 3 * (size_t)n;
}

bool cardan__complementarity(int n, const double *G, const double *b, double tol, double *r,
                             // NOLINTNEXTLINE(readability-non-const-parameter): problem.set
                             double *u, int *set, double *work)
{
  const size_t nn = (size_t)n * (size_t)n;
  double *given_up = work + nn + (size_t)n;
  problem p = {.n = n, .set = set, .G = G, .b = b, .r = r, .u = u};
  p.L = work;
  p.z = work + nn;
  p.size = work + nn + 2 * (size_t)n;
  bool good = true;
  memset(r, 0, (size_t)n * sizeof *r);
  memset(given_up, 0, (size_t)n * sizeof *given_up);
  velocities(&p);
  for (int round = 0, i; round < 8 * n + 8 && (i = next_row(&p, tol, given_up)) >= 0; round++) {
    p.set[p.count++] = i;
    given_up[i] = 1; // unless it can join
    if (entry(&p, i, i) > 0 && (factor(&p) || exchange(&p))) {
      given_up[i] = 0;
      solve_active_set(&p);
    } else if (p.count > 0 && p.set[p.count - 1] == i) {
      p.count--;
    }
    velocities(&p);
  }
  for (int i = 0; i < p.count; i++) {
    u[p.set[i]] = 0; // those that push do not move, but for rounding
  }
  for (int i = 0; i < n; i++) {
    good = good && u[i] >= -2 * tol - stuck * p.size[i];
  }
  return good;
}
