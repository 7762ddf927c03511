// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "steppers/maximal/kkt.h"

/* The tree part of the KKT matrix, factored without fill-in in O(n).
 * [1] P. Huang, H. J. Zhang, Linear-time dynamics using Lagrange multipliers, 2021, 3.1 and 3.3.
 * [2] D. Baraff, Linear-time dynamics using Lagrange multipliers, SIGGRAPH 1996, section 7.
 *
 * Nodes are bodies and edges (the rows that hang a body b on its parent p), every node before its
 * parent node: b, its edge, p, .. With G and H the edge's rows on b and on p:
 *   D_b = M_b + sum over the edges below of Z^T Z = L L^T                                (E1)
 *   Y = G L^-T,   S = Y Y^T = N N^T                                                      (E2)
 *   Z = N^-1 H, added to D_p                                                             (E3)
 *   forward   y = L^-1 f_b,  s = N^-1 (Y y - g),  f_p -= Z^T s                           (E4)
 *   backward  lambda = N^-T (s + Z x_p),  x_b = L^-T (y - Y^T lambda)                    (E5)
 * In the words of [1], D_i^-1 and L_i: body pivots are positive, edge pivots -S negative definite,
 * so nothing needs pivoting while G has full rank; a row that the others of its edge give is passed
 * over. Departures: H = [M J^T; J 0] is symmetric, where [1] prints +J in the lower left against
 * -J^T; the forces are in the right-hand side, so x is the acceleration itself; triangular factors
 * in place of inverses; an edge to the world may be the root, where [1] makes every fixed point
 * auxiliary. */

struct cardan__mx_tree {
  const cardan__maximal *mx;
  const cardan__mx_graph *graph;
  int blocks;
  size_t *at;        // nbody: where the blocks of a body's edge begin
  double *D;         // nbody x dof^2: sums of (E1), then L with inverted diagonal
  double *Y, *Z, *N; // edges: n x dof, n x dof, n x n (diagonal inverted)
  size_t *n_at;      // nbody: where its N begins
  double *y, *s;     // nx, ntree
};

cardan__mx_tree *cardan__mx_tree_make(const cardan__maximal *mx, const cardan__mx_graph *graph,
                                      cardan__arena *arena)
{
  const size_t n = (size_t)mx->nbody, dof = (size_t)mx->dof;
  cardan__mx_tree *t = cardan__arena_take(arena, 1, sizeof *t);
  if (t == NULL) {
    return NULL;
  }
  t->mx = mx;
  t->graph = graph;
  size_t squares = 0;
  for (size_t b = 0; b < n; b++) {
    squares += (size_t)graph->n[b] * (size_t)graph->n[b];
  }
#define TAKE(count, type) (type *)cardan__arena_take(arena, count, sizeof(type))
  t->at = TAKE(n, size_t);
  t->n_at = TAKE(n, size_t);
  t->D = TAKE(n * dof * dof, double);
  t->Y = TAKE((size_t)graph->ntree * dof, double);
  t->Z = TAKE((size_t)graph->ntree * dof, double);
  t->N = TAKE(squares, double);
  t->y = TAKE(n * dof, double);
  t->s = TAKE((size_t)graph->ntree, double);
#undef TAKE
  if (!(t->at && t->n_at && t->D && t->Y && t->Z && t->N && t->y && t->s)) {
    return NULL;
  }
  squares = 0;
  for (size_t b = 0; b < n; b++) {
    t->at[b] = (size_t)graph->adr[b];
    t->n_at[b] = squares;
    squares += (size_t)graph->n[b] * (size_t)graph->n[b];
  }
  return t;
}

int cardan__mx_tree_blocks(const cardan__mx_tree *tree)
{
  return tree->blocks;
}

/* ---- small kernels; n is a constant where they are inlined for a body ---- */

/* A (n x n, lower triangle) = L L^T in place, diagonal inverted. A row whose pivot is not larger
 * than tol times its diagonal entry gets the inverse 0, and so drops out of all that follows.
 * Returns how many did, or -1 when a number is not one. */
static inline int factor(int n, double *A, double tol)
{
  int lost = 0;
  for (int j = 0; j < n; j++) {
    double *Aj = A + j * n;
    double d = Aj[j];
    for (int k = 0; k < j; k++) {
      d -= Aj[k] * Aj[k];
    }
    const bool counts = d > tol * Aj[j];
    if (isnan(d)) {
      return -1;
    }
    const double inv = counts ? 1 / sqrt(d) : 0;
    lost += !counts;
    Aj[j] = inv;
    for (int i = j + 1; i < n; i++) {
      double *Ai = A + i * n;
      double s = Ai[j];
      for (int k = 0; k < j; k++) {
        s -= Ai[k] * Aj[k];
      }
      Ai[j] = s * inv;
    }
  }
  return lost;
}

/* x <- L^-1 x, x of n numbers with a stride */
static inline void forward(int n, const double *L, double *x, int stride)
{
  for (int i = 0; i < n; i++) {
    double s = x[i * stride];
    for (int k = 0; k < i; k++) {
      s -= L[i * n + k] * x[k * stride];
    }
    x[i * stride] = s * L[i * n + i];
  }
}

/* x <- L^-T x */
static inline void backward(int n, const double *L, double *x)
{
  for (int i = n - 1; i >= 0; i--) {
    double s = x[i];
    for (int k = i + 1; k < n; k++) {
      s -= L[k * n + i] * x[k];
    }
    x[i] = s * L[i * n + i];
  }
}

/* M_b, lower triangle. */
static void put_mass(const cardan__maximal *mx, int b, double *D)
{
  const cardan__mx_body *body = &mx->body[b];
  const cardan__sym3 *J = &body->J;
  if (mx->planar) {
    D[0] = body->Jn;
    D[3] = D[6] = D[7] = 0;
    D[4] = D[8] = body->m;
    return;
  }
  memset(D, 0, 36 * sizeof *D);
  D[0] = J->xx;
  D[6] = J->xy;
  D[7] = J->yy;
  D[12] = J->xz;
  D[13] = J->yz;
  D[14] = J->zz;
  D[21] = D[28] = D[35] = body->m;
}

/* (E2), (E3) of the edge of body b; dof is a constant where this is inlined. Returns as factor. */
static inline int factor_edge(cardan__mx_tree *t, int b, int dof, double tol)
{
  const cardan__maximal *mx = t->mx;
  const cardan__mx_graph *g = t->graph;
  const int n = g->n[b], p = g->parent[b];
  const size_t at = t->at[b];
  const double *L = t->D + (size_t)b * (size_t)dof * (size_t)dof;
  double *Y = t->Y + at * (size_t)dof, *Z = t->Z + at * (size_t)dof, *N = t->N + t->n_at[b];
  for (int i = 0; i < n; i++) {
    memcpy(Y + i * dof, mx->J + (size_t)g->child[at + (size_t)i] * (size_t)dof,
           (size_t)dof * sizeof *Y);
    forward(dof, L, Y + i * dof, 1);
    for (int j = 0; j <= i; j++) {
      double s = 0;
      for (int k = 0; k < dof; k++) {
        s += Y[i * dof + k] * Y[j * dof + k];
      }
      N[i * n + j] = s;
    }
  }
  const int lost = factor(n, N, tol);
  if (lost < 0 || p < 0) {
    return lost;
  }
  double *D = t->D + (size_t)p * (size_t)dof * (size_t)dof;
  for (int i = 0; i < n; i++) {
    memcpy(Z + i * dof, mx->J + (size_t)g->above[at + (size_t)i] * (size_t)dof,
           (size_t)dof * sizeof *Z);
    // row i of N^-1 H
    for (int k = 0; k < i; k++) {
      for (int c = 0; c < dof; c++) {
        Z[i * dof + c] -= N[i * n + k] * Z[k * dof + c];
      }
    }
    for (int c = 0; c < dof; c++) {
      Z[i * dof + c] *= N[i * n + i];
    }
    for (int r = 0; r < dof; r++) {
      for (int c = 0; c <= r; c++) {
        D[r * dof + c] += Z[i * dof + r] * Z[i * dof + c];
      }
    }
  }
  return lost;
}

static inline int factor_all(cardan__mx_tree *t, int dof, double tol, bool *idle)
{
  const cardan__mx_graph *g = t->graph;
  int sum = 0;
  for (int i = t->mx->nbody - 1; i >= 0; i--) {
    const int b = g->order[i], n = g->n[b];
    const int body = factor(dof, t->D + (size_t)b * (size_t)dof * (size_t)dof, 0);
    const int lost = body == 0 ? factor_edge(t, b, dof, tol) : -1;
    if (lost < 0) {
      return -1;
    }
    for (int r = 0; r < n && lost > 0; r++) {
      idle[g->eq[t->at[b] + (size_t)r]] = t->N[t->n_at[b] + (size_t)(r * n + r)] == 0;
    }
    sum += lost;
    t->blocks += (n > 0) + (n > 0 && g->parent[b] >= 0);
  }
  return sum;
}

int cardan__mx_tree_factor(cardan__mx_tree *t, double tol, bool *idle)
{
  const size_t square = (size_t)t->mx->dof * (size_t)t->mx->dof;
  t->blocks = 0;
  for (int b = 0; b < t->mx->nbody; b++) {
    put_mass(t->mx, b, t->D + (size_t)b * square);
  }
  return t->mx->planar ? factor_all(t, 3, tol, idle) : factor_all(t, 6, tol, idle);
}

static inline void solve_all(cardan__mx_tree *t, int dof, const double *g_eq, double *x,
                             double *lambda)
{
  const cardan__mx_graph *g = t->graph;
  const size_t square = (size_t)dof * (size_t)dof;
  double *y = t->y; // the right-hand sides of bodies as they are reached, then (E4)'s y
  for (int i = t->mx->nbody - 1; i >= 0; i--) {
    const int b = g->order[i], n = g->n[b], p = g->parent[b];
    const size_t at = t->at[b];
    const double *Y = t->Y + at * (size_t)dof, *Z = t->Z + at * (size_t)dof;
    double *s = t->s + at;
    forward(dof, t->D + (size_t)b * square, y + b * dof, 1);
    for (int r = 0; r < n; r++) {
      s[r] = g_eq != NULL ? -g_eq[g->eq[at + (size_t)r]] : 0;
      for (int k = 0; k < dof; k++) {
        s[r] += Y[r * dof + k] * y[b * dof + k];
      }
    }
    forward(n, t->N + t->n_at[b], s, 1);
    for (int r = 0; r < n && p >= 0; r++) {
      for (int k = 0; k < dof; k++) {
        y[p * dof + k] -= Z[r * dof + k] * s[r]; // (E4)
      }
    }
  }
  for (int i = 0; i < t->mx->nbody; i++) {
    const int b = g->order[i], n = g->n[b], p = g->parent[b];
    const size_t at = t->at[b];
    const double *Y = t->Y + at * (size_t)dof, *Z = t->Z + at * (size_t)dof;
    double *s = t->s + at, *xb = x + b * dof;
    for (int r = 0; r < n && p >= 0; r++) {
      for (int k = 0; k < dof; k++) {
        s[r] += Z[r * dof + k] * x[p * dof + k];
      }
    }
    backward(n, t->N + t->n_at[b], s);
    for (int k = 0; k < dof; k++) {
      xb[k] = y[b * dof + k];
    }
    for (int r = 0; r < n; r++) {
      for (int k = 0; k < dof; k++) {
        xb[k] -= Y[r * dof + k] * s[r];
      }
      lambda[g->eq[at + (size_t)r]] = s[r];
    }
    backward(dof, t->D + (size_t)b * square, xb); // (E5)
  }
}

void cardan__mx_tree_solve(cardan__mx_tree *t, const double *f, const double *g, double *x,
                           double *lambda)
{
  memcpy(t->y, f, (size_t)t->mx->nx * sizeof *f);
  if (t->mx->planar) {
    solve_all(t, 3, g, x, lambda);
  } else {
    solve_all(t, 6, g, x, lambda);
  }
}
