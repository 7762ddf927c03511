// SPDX-License-Identifier: Apache-2.0
#include "linalg/semidefinite.h"

#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "linalg/small.h"

void cardan__semidefinite_carve(cardan__semidefinite *f, int n, cardan__carver *c)
{
  const size_t square = (size_t)n * (size_t)n;
  *f = (cardan__semidefinite){.n = n};
  f->S = CARDAN__CARVE(c, square, double);
  f->T = CARDAN__CARVE(c, square, double);
  f->G = CARDAN__CARVE(c, square, double);
  f->order = CARDAN__CARVE(c, n, int);
  f->size = CARDAN__CARVE(c, n, double);
  f->left = CARDAN__CARVE(c, n, double);
  f->x = CARDAN__CARVE(c, n, double);
}

bool cardan__semidefinite_take(cardan__semidefinite *f, int n, cardan__arena *arena)
{
  const size_t count = (size_t)n;
  *f = (cardan__semidefinite){.n = n};
  f->S = cardan__arena_take(arena, count * count, sizeof(double));
  f->order = cardan__arena_take(arena, count, sizeof(int));
  f->size = cardan__arena_take(arena, count, sizeof(double));
  f->x = cardan__arena_take(arena, count, sizeof(double));
  return f->S && f->order && f->size && f->x;
}

/* S holds L of all rows in their order, as far as there is rank: L of the basic rows stays, the
 * other rows become those of T = L_D L_B^-1. */
static void divide(cardan__semidefinite *f)
{
  const size_t n = (size_t)f->n, r = (size_t)f->rank;
  for (size_t i = r; i < n; i++) {
    memcpy(f->T + (size_t)f->order[i] * n, f->S + i * n, r * sizeof *f->T);
  }
  for (size_t i = 1; i < r; i++) {
    memmove(f->S + i * r, f->S + i * n, r * sizeof *f->S);
  }
  for (size_t i = r; i < n; i++) {
    double *t = f->T + (size_t)f->order[i] * n;
    for (size_t j = r; j-- > 0;) {
      t[j] /= f->S[j * r + j];
      for (size_t k = 0; k < j; k++) {
        t[k] -= t[j] * f->S[j * r + k];
      }
    }
  }
}

static void make_gram(cardan__semidefinite *f)
{
  const size_t n = (size_t)f->n, r = (size_t)f->rank;
  for (size_t i = 0; i < r; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = i == j;
      for (size_t k = r; k < n; k++) {
        const double *t = f->T + (size_t)f->order[k] * n;
        sum += t[i] * t[j];
      }
      f->G[i * r + j] = sum;
    }
  }
  (void)cardan__cholesky(f->rank, f->G, 0.0); // not less than 1: it cannot fail
}

int cardan__semidefinite_factor_all(cardan__semidefinite *f, double least,
                                    cardan__rank_monitor *rank)
{
  const size_t n = (size_t)f->n;
  const int bad = cardan__cholesky(f->n, f->S, least);
  f->kind = CARDAN__ALL_ROWS;
  f->rank = f->n;
  if (bad >= 0) {
    return bad;
  }
  for (size_t i = 0; i < n; i++) {
    const double pivot = f->S[i * n + i];
    cardan__rank_take(rank, (int)i, pivot * pivot, f->size[i]);
  }
  return -1;
}

int cardan__semidefinite_factor_basic(cardan__semidefinite *f, double least,
                                      cardan__rank_monitor *rank)
{
  const size_t n = (size_t)f->n;
  f->kind = CARDAN__BASIC_ROWS;
  f->rank = cardan__cholesky_rank(f->n, f->S, f->size, least, f->order);
  for (size_t i = 0; i < n; i++) {
    const double pivot = f->S[i * n + i]; // of a row that is dropped: its remainder
    const int row = f->order[i];
    if ((int)i < f->rank) {
      cardan__rank_take(rank, row, pivot * pivot, f->size[row]);
    } else {
      cardan__rank_drop(rank, pivot, f->size[row]);
    }
  }
  return f->rank;
}

int cardan__semidefinite_factor(cardan__semidefinite *f, int most, double least)
{
  f->kind = CARDAN__SHORTEST;
  f->rank =
      cardan__cholesky_pivoted(f->n, f->S, f->size, most, least, f->order, &f->last, &f->next);
  divide(f);
  make_gram(f);
  return f->rank;
}

static void solve_shortest(const cardan__semidefinite *f, double *y)
{
  const size_t n = (size_t)f->n;
  const int r = f->rank;
  double *x = f->x;
  for (int i = 0; i < r; i++) {
    x[i] = y[f->order[i]];
  }
  for (int k = r; k < f->n; k++) {
    const double *t = f->T + (size_t)f->order[k] * n;
    for (int i = 0; i < r; i++) {
      x[i] += t[i] * y[f->order[k]];
    }
  }
  cardan__cholesky_solve(r, f->G, x);
  cardan__cholesky_solve(r, f->S, x);
  cardan__cholesky_solve(r, f->G, x);
  for (int i = 0; i < r; i++) {
    y[f->order[i]] = x[i];
  }
  for (int k = r; k < f->n; k++) {
    y[f->order[k]] = cardan__dot(r, f->T + (size_t)f->order[k] * n, x);
  }
}

void cardan__semidefinite_solve(const cardan__semidefinite *f, double *y)
{
  switch (f->kind) {
  case CARDAN__ALL_ROWS:
    cardan__cholesky_solve(f->n, f->S, y);
    break;
  case CARDAN__BASIC_ROWS:
    memcpy(f->x, y, (size_t)f->n * sizeof *y);
    cardan__cholesky_rank_solve(f->n, f->rank, f->S, f->order, f->x, y);
    break;
  case CARDAN__SHORTEST:
    solve_shortest(f, y);
    break;
  }
}
