// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "methods/maximal/kkt.h"

/* The tree part of the KKT matrix, factored without fill-in in O(n).
 * [1] P. Huang, H. J. Zhang, Linear-time dynamics using Lagrange multipliers, 2021, 3.1 and 3.3.
 * [2] D. Baraff, Linear-time dynamics using Lagrange multipliers, SIGGRAPH 1996, section 7.
 *
 * Nodes are bodies and edges (the rows that hang a body b on its parent p), every node before its
 * parent node: b, its edge, p, .. With G and H the edge's rows on b and on p:
 *   D_b = M_b + sum over the edges below of H^T B,   W = D_b^-1                          (E1)
 *   R = G W,   T = (R G^T)^-1                                                            (E2)
 *   B = T H                                                                              (E3)
 *   forward   c = R f_b - g,  f_p -= B^T c                                               (E4)
 *   backward  lambda = T (c + H x_p),  x_b = W f_b - R^T lambda                          (E5)
 * In the words of [1], D_i^-1 and L_i: body pivots are positive, edge pivots -T^-1 negative
 * definite, so nothing needs pivoting while G has full rank; a row that the others of its edge give
 * is passed over: its row and column of T are 0. Departures: H = [M J^T; J 0] is symmetric, where
 * [1] prints +J in the lower left against -J^T; the forces are in the right-hand side, so x is the
 * acceleration itself; an edge to the world may be the root, where [1] makes every fixed point
 * auxiliary.
 *
 * Trees in space whose edges are pairs all, as most are, are taken in fewer operations by
 * articulated.c. This is what remains: bodies in a plane, and trees that have edges with other
 * rows (SCREW, prescribed coordinates, directions fixed in the world, several pairs between two
 * bodies), of which neither the freedoms are known beforehand, nor the part on the parent by the
 * one on the body.
 *
 * Inverses and products are stored, where one could solve with triangular factors: (E4) and (E5)
 * are then sums of rows times numbers, without a chain of divisions from one body to the next. A
 * row of a body's numbers, and a column over the equations of an edge, is one vector of eight: gcc
 * and clang make it of smaller ones where the processor has no such registers. Lanes that are not
 * used hold 0. Records are in the order in which (E5) visits them. */

typedef double lanes __attribute__((vector_size(8 * sizeof(double))));

enum { MOST = CARDAN__MX_DOF }; // rows of an edge, numbers of a body: graph.c takes no more

/* A body and the edge of n equations that hangs it. */
typedef struct {
  lanes c, f, x;   // of (E4), (E5); f as it is reached
  lanes *matrices; // parts
  int b, n;
  int above;       // record of the parent, -1: the world, or none
  const int *eq;   // n: the equations
  const int *on_b; // n: their entries in J for b
  const int *on_p; // n: and for the parent
} record;

/* W, R, B, T by rows, R and H by columns too. W holds D, and Rt the columns of G, until (E1) and
 * (E2) are reached. */
typedef struct {
  lanes *W, *Rt, *Ht; // dof
  lanes *R, *B, *T;   // n
} parts;

static inline parts parts_of(const record *e, int dof, int n)
{
  lanes *at = e->matrices, *rows = at + 3 * dof;
  return (parts){at, at + dof, at + 2 * dof, rows, rows + n, rows + 2 * n};
}

struct cardan__mx_tree {
  const cardan__maximal *mx;
  int blocks;
  record *record; // nbody
  cardan__mx_articulated *pairs;
};

/* So many vectors of an arena, aligned; NULL when there is no memory. */
static lanes *take_lanes(cardan__arena *arena, size_t count)
{
  char *piece = cardan__arena_take(arena, count + 1, sizeof(lanes));
  const size_t past = (uintptr_t)piece % sizeof(lanes);
  return piece != NULL ? (lanes *)(void *)(piece + (sizeof(lanes) - past)) : NULL;
}

cardan__mx_tree *cardan__mx_tree_make(const cardan__maximal *mx, const cardan__mx_graph *graph,
                                      cardan__arena *arena)
{
  const size_t nbody = (size_t)mx->nbody;
  cardan__mx_tree *t = cardan__arena_take(arena, 1, sizeof *t);
  if (t == NULL || cardan__mx_articulated_make(mx, graph, arena, &t->pairs) != CARDAN_OK) {
    return NULL;
  }
  if (t->pairs != NULL) {
    t->mx = mx;
    for (int b = 0; b < mx->nbody; b++) {
      t->blocks += (graph->n[b] > 0) + (graph->n[b] > 0 && graph->parent[b] >= 0);
    }
    return t;
  }
  int *at = cardan__arena_take(arena, nbody, sizeof *at); // body -> record
  lanes *records = take_lanes(arena, nbody * (sizeof *t->record / sizeof(lanes)));
  lanes *next = take_lanes(arena, 3 * ((size_t)mx->nx + (size_t)graph->ntree));
  if (!(t && at && records && next)) {
    return NULL;
  }
  t->mx = mx;
  t->record = (record *)records;
  for (int i = 0; i < mx->nbody; i++) {
    const int b = graph->order[i], p = graph->parent[b], adr = graph->adr[b];
    record *e = &t->record[i];
    at[b] = i;
    e->b = b;
    e->n = graph->n[b];
    e->above = p >= 0 && e->n > 0 ? at[p] : -1;
    e->eq = graph->eq + adr;
    e->on_b = graph->child + adr;
    e->on_p = graph->above + adr;
    e->matrices = next;
    next += 3 * (mx->dof + e->n);
  }
  return t;
}

int cardan__mx_tree_blocks(const cardan__mx_tree *tree)
{
  return tree->blocks;
}

bool cardan__mx_tree_reads_rows(const cardan__mx_tree *tree)
{
  return tree->pairs == NULL;
}

cardan__mx_articulated *cardan__mx_tree_pairs(const cardan__mx_tree *t)
{
  return t->pairs;
}

/* ---- kernels: dof and n are constants where they are inlined ---- */

static const lanes unit[MOST] = {{1},          {0, 1},          {0, 0, 1},
                                 {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};

/* v_k = 0. Processors without masks would take a way through memory, on which the whole vector
 * waits; there a product does it, with the same result. */
static inline void drop_lane(int k, lanes *v)
{
#ifdef __AVX512F__
  (*v)[k] = 0;
#else
  static const lanes others[MOST] = {{0, 1, 1, 1, 1, 1}, {1, 0, 1, 1, 1, 1}, {1, 1, 0, 1, 1, 1},
                                     {1, 1, 1, 0, 1, 1}, {1, 1, 1, 1, 0, 1}, {1, 1, 1, 1, 1, 0}};
  *v *= others[k];
#endif
}

/* A (n rows, symmetric, positive semidefinite) becomes its inverse, by Gauss and Jordan: pivots are
 * those of a Cholesky factorisation. A row whose pivot is not larger than tol times its diagonal
 * entry is left out, and gets 0. Returns how many were, or -1 when a number is not one. */
static inline int invert(int n, lanes *A, double tol)
{
  double diagonal[MOST];
  int lost = 0;
  for (int k = 0; k < n; k++) {
    diagonal[k] = A[k][k];
  }
#pragma GCC unroll 6
  for (int k = 0; k < n; k++) {
    const double pivot = A[k][k];
    const bool counts = pivot > tol * diagonal[k];
    if (isnan(pivot)) {
      return -1;
    }
    const double inverse = counts ? 1 / pivot : 0;
    lanes row = A[k];
    drop_lane(k, &row);
    row = (row + unit[k]) * inverse;
    lost += !counts;
#pragma GCC unroll 6
    for (int i = 0; i < n; i++) {
      const double a = A[i][k];
      lanes other = A[i];
      drop_lane(k, &other);
      A[i] = other - a * row;
    }
    A[k] = row;
  }
  return lost;
}

/* y += sum over k of x_k A_k, n rows; in two sums, which do not wait for one another */
static inline void add_rows(int n, const lanes *A, const lanes *x, lanes *y)
{
  lanes odd = {0};
#pragma GCC unroll 6
  for (int k = 0; k < n; k++) {
    if (k % 2 == 0) {
      *y += (*x)[k] * A[k];
    } else {
      odd += (*x)[k] * A[k];
    }
  }
  *y += odd;
}

/* dof numbers of p */
static inline void load(int dof, const double *p, lanes *to)
{
  *to = dof == 3 ? (lanes){p[0], p[1], p[2], 0, 0, 0, 0, 0}
                 : (lanes){p[0], p[1], p[2], p[3], p[4], p[5], 0, 0};
}

/* M_b and the columns of G and H: before anything needs them, so that vectors which are written by
 * single numbers have landed when they are read. */
static inline void gather(const cardan__maximal *mx, int dof, const record *e)
{
  const parts p = parts_of(e, dof, e->n);
  for (int r = 0; r < e->n; r++) {
    for (int k = 0; k < dof; k++) {
      p.Rt[k][r] = mx->J[e->on_b[r] * dof + k];
    }
    for (int k = 0; k < dof && e->above >= 0; k++) {
      p.Ht[k][r] = mx->J[e->on_p[r] * dof + k];
    }
  }
  const cardan__mx_body *body = &mx->body[e->b];
  const cardan__sym3 *J = &body->J;
  const double m = body->m;
  if (dof == 3) {
    p.W[0] = (lanes){body->Jn};
    p.W[1] = (lanes){0, m};
    p.W[2] = (lanes){0, 0, m};
    return;
  }
  p.W[0] = (lanes){J->xx, J->xy, J->xz};
  p.W[1] = (lanes){J->xy, J->yy, J->yz};
  p.W[2] = (lanes){J->xz, J->yz, J->zz};
  p.W[3] = (lanes){0, 0, 0, m};
  p.W[4] = (lanes){0, 0, 0, 0, m};
  p.W[5] = (lanes){0, 0, 0, 0, 0, m};
}

/* (E1) to (E3) of a record; above: its parent's, or NULL. Returns as invert, for the edge. */
static inline int factor_edge(const double *J, int dof, int n, double tol, const record *e,
                              const record *above)
{
  const parts p = parts_of(e, dof, n);
  lanes W[MOST], T[MOST], Gt[MOST], H[MOST] = {{0}}, G;
  memcpy(W, p.W, (size_t)dof * sizeof *W);
  memcpy(Gt, p.Rt, (size_t)dof * sizeof *Gt);
  if (invert(dof, W, 0) != 0) {
    return -1;
  }
  for (int k = 0; k < dof; k++) {
    p.W[k] = W[k];
    p.Rt[k] = (lanes){0};
    add_rows(dof, Gt, &W[k], &p.Rt[k]);
  }
  for (int r = 0; r < n; r++) {
    load(dof, J + e->on_b[r] * dof, &G);
    p.R[r] = T[r] = (lanes){0};
    add_rows(dof, W, &G, &p.R[r]);
    add_rows(dof, p.Rt, &G, &T[r]);
  }
  const int lost = invert(n, T, tol);
  memcpy(p.T, T, (size_t)n * sizeof *T);
  if (above == NULL || lost < 0) {
    return lost;
  }
  lanes *D = above->matrices;
  for (int r = 0; r < n; r++) {
    load(dof, J + e->on_p[r] * dof, &H[r]);
  }
  for (int r = 0; r < n; r++) {
    p.B[r] = (lanes){0};
    add_rows(n, H, &T[r], &p.B[r]);
  }
  for (int k = 0; k < dof; k++) {
    add_rows(n, p.B, &p.Ht[k], &D[k]);
  }
  return lost;
}

/* (E4) */
static inline void solve_forward(int dof, int n, record *e, record *above)
{
  const parts p = parts_of(e, dof, n);
  lanes c = e->c, f = {0};
  add_rows(dof, p.Rt, &e->f, &c);
  e->c = c;
  if (above != NULL) {
    add_rows(n, p.B, &c, &f);
    above->f -= f;
  }
}

/* (E5); lambda goes to c */
static inline void solve_backward(int dof, int n, record *e, const record *above)
{
  const parts p = parts_of(e, dof, n);
  lanes c = e->c, lambda = {0}, x = {0}, y = {0};
  if (above != NULL) {
    add_rows(dof, p.Ht, &above->x, &c);
  }
  add_rows(n, p.T, &c, &lambda);
  add_rows(dof, p.W, &e->f, &x);
  add_rows(n, p.R, &lambda, &y);
  e->x = x - y;
  e->c = lambda;
}

/* A kernel with the sizes of its record as constants. */
#define BY_SIZE(dof, n, kernel) \
  switch (n) {                  \
  case 0:                       \
    kernel(dof, 0);             \
    break;                      \
  case 1:                       \
    kernel(dof, 1);             \
    break;                      \
  case 2:                       \
    kernel(dof, 2);             \
    break;                      \
  case 3:                       \
    kernel(dof, 3);             \
    break;                      \
  case 4:                       \
    kernel(dof, 4);             \
    break;                      \
  case 5:                       \
    kernel(dof, 5);             \
    break;                      \
  default:                      \
    kernel(dof, 6);             \
    break;                      \
  }

static inline record *above_of(const cardan__mx_tree *t, const record *e)
{
  return e->above >= 0 ? &t->record[e->above] : NULL;
}

static inline int factor_all(cardan__mx_tree *t, int dof, double tol, bool *idle)
{
  const double *J = t->mx->J;
  int sum = 0;
  for (int i = 0; i < t->mx->nbody; i++) {
    gather(t->mx, dof, &t->record[i]);
  }
  for (int i = t->mx->nbody - 1; i >= 0; i--) {
    record *e = &t->record[i], *above = above_of(t, e);
    int lost = 0;
#define FACTOR(dof, n) lost = factor_edge(J, dof, n, tol, e, above)
    BY_SIZE(dof, e->n, FACTOR)
#undef FACTOR
    if (lost < 0) {
      return -1;
    }
    for (int r = 0; r < e->n && lost > 0; r++) {
      idle[e->eq[r]] = parts_of(e, dof, e->n).T[r][r] == 0;
    }
    sum += lost;
    t->blocks += (e->n > 0) + (above != NULL);
  }
  return sum;
}

int cardan__mx_tree_factor(cardan__mx_tree *t, double tol, bool *idle)
{
  if (t->pairs != NULL) {
    return cardan__mx_articulated_factor(t->pairs, tol, idle);
  }
  t->blocks = 0;
  return t->mx->planar ? factor_all(t, 3, tol, idle) : factor_all(t, 6, tol, idle);
}

static inline void solve_all(cardan__mx_tree *t, int dof, const double *f, const double *g,
                             double *x, double *lambda)
{
  const int nbody = t->mx->nbody;
  for (int i = 0; i < nbody; i++) {
    record *e = &t->record[i];
    load(dof, f + e->b * dof, &e->f);
    e->c = (lanes){0};
    for (int r = 0; r < e->n && g != NULL; r++) {
      e->c[r] = -g[e->eq[r]];
    }
  }
#define FORWARD(dof, n) solve_forward(dof, n, e, above)
#define BACKWARD(dof, n) solve_backward(dof, n, e, above)
  for (int i = nbody - 1; i >= 0; i--) {
    record *e = &t->record[i], *above = above_of(t, e);
    BY_SIZE(dof, e->n, FORWARD)
  }
  for (int i = 0; i < nbody; i++) {
    record *e = &t->record[i], *above = above_of(t, e);
    BY_SIZE(dof, e->n, BACKWARD)
  }
#undef FORWARD
#undef BACKWARD
  for (int i = 0; i < nbody; i++) {
    const record *e = &t->record[i];
    for (int k = 0; k < dof; k++) {
      x[e->b * dof + k] = e->x[k];
    }
    for (int r = 0; r < e->n; r++) {
      lambda[e->eq[r]] = e->c[r];
    }
  }
}

void cardan__mx_tree_solve(cardan__mx_tree *t, const double *f, const double *g, double *x,
                           double *lambda)
{
  if (t->pairs != NULL) {
    cardan__mx_articulated_solve(t->pairs, f, g, x, lambda);
  } else if (t->mx->planar) {
    solve_all(t, 3, f, g, x, lambda);
  } else {
    solve_all(t, 6, f, g, x, lambda);
  }
}

void cardan__mx_tree_multipliers(cardan__mx_tree *t, const double *f, double *lambda)
{
  cardan__mx_articulated_multipliers(t->pairs, f, lambda);
}
