// SPDX-License-Identifier: Apache-2.0
#include "linalg/sparse.h"

#include <amd.h>
#include <float.h>
#include <ldl.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"

/* What a row must add to those before it, squared. Rounding leaves some eps there, times the square
 * of the numbers by which the earlier rows make up the row: y below. */
static const double least_pivot = 1e-12;
static const double doubtful_pivot = 1e-4; // below it y is looked at

/* A A^T may have this many times the entries of A, and L this many at all: memory. */
enum { DENSE_COLUMNS = 60, MOST_ENTRIES = 1 << 28 };

/* N = A A^T by columns, both triangles, and its factors. */
typedef struct {
  int n;
  int *Np, *Ni;
  double *Nx;
  int *P, *Pinv, *Lp, *Parent, *Lnz, *Flag, *Pattern, *Li;
  double *Lx, *D, *Y;
  cardan__arena arena;
} gram;

#define TAKE(g, count, type) (type *)cardan__arena_take(&(g)->arena, (size_t)(count), sizeof(type))

/* A by columns: At has its rows. false: no memory */
static bool transpose(gram *g, const cardan__sparse *A, cardan__sparse *At)
{
  const int nz = A->start[A->m];
  *At = (cardan__sparse){.m = A->n,
                         .n = A->m,
                         .start = TAKE(g, A->n + 2, int),
                         .column = TAKE(g, nz, int),
                         .value = TAKE(g, nz, double)};
  if (!(At->start && At->column && At->value)) {
    return false;
  }
  int *next = At->start + 1; // becomes the end of each row as it is filled, that is start
  for (int i = 0; i < nz; i++) {
    next[A->column[i] + 1]++;
  }
  for (int j = 0; j < A->n; j++) {
    next[j + 1] += next[j];
  }
  for (int i = 0; i < A->m; i++) {
    for (int a = A->start[i]; a < A->start[i + 1]; a++) {
      const int to = next[A->column[a]]++;
      At->column[to] = i;
      At->value[to] = A->value[a];
    }
  }
  return true;
}

/* Column i of N: its rows to Ni, from `at` on, and its values to Nx; NULL: only counted. mark (n)
 * holds numbers below i. returns the end */
static int gram_column(const cardan__sparse *A, const cardan__sparse *At, int i, int at, int *mark,
                       int *place, int *Ni, double *Nx)
{
  for (int a = A->start[i]; a < A->start[i + 1]; a++) {
    const int j = A->column[a];
    for (int b = At->start[j]; b < At->start[j + 1]; b++) {
      const int k = At->column[b];
      if (mark[k] != i) {
        mark[k] = i;
        if (Ni != NULL) {
          place[k] = at;
          Ni[at] = k;
          Nx[at] = 0.0;
        }
        at++;
      }
      if (Ni != NULL) {
        Nx[place[k]] += A->value[a] * At->value[b];
      }
    }
  }
  return at;
}

/* N of A; false: no memory, or (*dense) too dense. */
static bool make_gram(gram *g, const cardan__sparse *A, bool *dense)
{
  cardan__sparse At;
  double squares = 0.0;
  if (!transpose(g, A, &At)) {
    return false;
  }
  for (int j = 0; j < A->n; j++) {
    const double count = At.start[j + 1] - At.start[j];
    squares += count * count;
  }
  *dense = squares > (double)DENSE_COLUMNS * A->start[A->m] || squares > MOST_ENTRIES;
  int *mark = TAKE(g, A->m, int), *place = TAKE(g, A->m, int);
  g->n = A->m;
  g->Np = TAKE(g, A->m + 1, int);
  if (*dense || !(mark && place && g->Np)) {
    return false;
  }
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < A->m; i++) {
      mark[i] = -1;
    }
    for (int i = 0; i < A->m; i++) {
      g->Np[i + 1] = gram_column(A, &At, i, g->Np[i], mark, place, g->Ni, g->Nx);
    }
    if (round == 0) {
      g->Ni = TAKE(g, g->Np[A->m], int);
      g->Nx = TAKE(g, g->Np[A->m], double);
      if (!(g->Ni && g->Nx)) {
        return false;
      }
    }
  }
  return true;
}

/* L and D as far as the pivots are positive. returns columns done; -1: no memory or too many */
static int factor(gram *g)
{
  const int n = g->n;
  double info[AMD_INFO];
  g->P = TAKE(g, n, int);
  g->Pinv = TAKE(g, n, int);
  g->Lp = TAKE(g, n + 1, int);
  g->Parent = TAKE(g, n, int);
  g->Lnz = TAKE(g, n, int);
  g->Flag = TAKE(g, n, int);
  g->Pattern = TAKE(g, n, int);
  g->D = TAKE(g, n, double);
  g->Y = TAKE(g, n, double);
  if (!(g->P && g->Pinv && g->Lp && g->Parent && g->Lnz && g->Flag && g->Pattern && g->D && g->Y) ||
      amd_order(n, g->Np, g->Ni, g->P, NULL, info) < AMD_OK || info[AMD_LNZ] > MOST_ENTRIES) {
    return -1;
  }
  ldl_symbolic(n, g->Np, g->Ni, g->Lp, g->Parent, g->Lnz, g->Flag, g->P, g->Pinv);
  g->Li = TAKE(g, g->Lp[n], int);
  g->Lx = TAKE(g, g->Lp[n], double);
  if (!(g->Li && g->Lx)) {
    return -1;
  }
  return ldl_numeric(n, g->Np, g->Ni, g->Nx, g->Lp, g->Parent, g->Lnz, g->Li, g->Lx, g->D, g->Y,
                     g->Pattern, g->Flag, g->P, g->Pinv);
}

/* |y|^2, L^T y = e_k: row k is y_k times itself and what the earlier rows make of it. */
static double make_up(gram *g, int k)
{
  double square = 0.0;
  memset(g->Y, 0, (size_t)g->n * sizeof *g->Y);
  g->Y[k] = 1.0;
  ldl_ltsolve(g->n, g->Y, g->Lp, g->Li, g->Lx);
  for (int i = 0; i <= k; i++) {
    square += g->Y[i] * g->Y[i];
  }
  return square;
}

/* Is every pivot clear of rounding? */
static bool pivots_are_clear(gram *g)
{
  for (int k = 0; k < g->n; k++) {
    const double doubt =
        g->D[k] < doubtful_pivot ? 100.0 * DBL_EPSILON * make_up(g, k) : 100.0 * DBL_EPSILON;
    if (!(g->D[k] > fmax(doubt, least_pivot))) {
      return false;
    }
  }
  return true;
}

int cardan__sparse_independent(const cardan__sparse *A, const cardan_allocator *allocator)
{
  gram g = {0};
  bool dense = false;
  int answer = -1;
  cardan__arena_init(&g.arena, allocator);
  if (make_gram(&g, A, &dense)) {
    const int done = factor(&g);
    answer = done < 0 ? -1 : done == g.n && pivots_are_clear(&g);
  }
  cardan__arena_free(&g.arena);
  return dense ? 0 : answer;
}
