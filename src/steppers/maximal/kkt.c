// SPDX-License-Identifier: Apache-2.0
#include "steppers/maximal/kkt.h"

#include <string.h>

#include "linalg/linalg.h"

/* Auxiliary rows by constraint anticipation ([1], section 4; names as in tree.c). With the rows of
 * the tree eliminated, J_a the k auxiliary rows and W the tree's response to J_a^T:
 *   S = J_a W + eps,   S mu = J_a x_0 - g_a                                   (8) of [1]
 *   x, lambda: the tree's response to f - J_a^T mu                            section 4.2
 * k + 2 solves with the tree. (8) is printed with -c^a on its left side; + is right.
 * [1] P. Huang, H. J. Zhang, Linear-time dynamics using Lagrange multipliers, 2021. */

static const double smallest_pivot = 1e-13; // as in tree.c

/* More auxiliary rows than this go to the sparse solver, which does not cost their square. */
enum { MANY_AUXILIARY = 24 };

static cardan_status make_parts(cardan__kkt *kkt)
{
  const cardan__maximal *mx = kkt->mx;
  cardan__arena *arena = &kkt->arena;
  const cardan_status status = cardan__mx_graph_make(mx, arena, &kkt->graph);
  if (status != CARDAN_OK) {
    return status;
  }
  if (kkt->kind == CARDAN__KKT_AUTO) {
    kkt->kind = kkt->graph.naux > MANY_AUXILIARY ? CARDAN__KKT_SPARSE : CARDAN__KKT_TREE;
  }
  const size_t naux = (size_t)kkt->graph.naux, n = (size_t)mx->nx, m = (size_t)mx->neq;
  kkt->eps_eq = cardan__arena_take(arena, m, sizeof(double));
  kkt->g = cardan__arena_take(arena, m, sizeof(double));
  bool ok = kkt->eps_eq != NULL && kkt->g != NULL;
  switch (kkt->kind) {
  case CARDAN__KKT_TREE:
    kkt->tree = cardan__mx_tree_make(mx, &kkt->graph, arena);
    kkt->S = cardan__arena_take(arena, naux * naux, sizeof(double));
    kkt->mu = cardan__arena_take(arena, naux, sizeof(double));
    kkt->x = cardan__arena_take(arena, n, sizeof(double));
    kkt->lambda = cardan__arena_take(arena, m, sizeof(double));
    kkt->f = cardan__arena_take(arena, n, sizeof(double));
    ok = ok && kkt->tree && kkt->S && kkt->mu && kkt->x && kkt->lambda && kkt->f;
    break;
  case CARDAN__KKT_SPARSE:
    kkt->sparse = cardan__mx_sparse_make(mx, arena);
    ok = ok && kkt->sparse != NULL;
    break;
  case CARDAN__KKT_DENSE:
  case CARDAN__KKT_SCHUR:
    kkt->dense = cardan__mx_dense_make(mx, &kkt->graph, kkt->kind == CARDAN__KKT_SCHUR, arena);
    ok = ok && kkt->dense != NULL;
    break;
  case CARDAN__KKT_AUTO: // decided above
    break;
  }
  return ok ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

cardan_status cardan__kkt_create(const cardan__maximal *mx, cardan__kkt_kind kind, double eps,
                                 const cardan_allocator *allocator, cardan__kkt **out)
{
  cardan__arena arena;
  cardan__arena_init(&arena, allocator);
  cardan__kkt *kkt = cardan__arena_take(&arena, 1, sizeof *kkt);
  *out = NULL;
  if (kkt == NULL) {
    cardan__arena_free(&arena);
    return CARDAN_ERR_MEMORY;
  }
  kkt->mx = mx;
  kkt->kind = kind;
  kkt->eps = eps;
  kkt->arena = arena;
  const cardan_status status = make_parts(kkt);
  if (status != CARDAN_OK) {
    cardan__kkt_destroy(kkt);
    return status;
  }
  *out = kkt;
  return CARDAN_OK;
}

void cardan__kkt_destroy(cardan__kkt *kkt)
{
  if (kkt != NULL) {
    cardan__arena arena = kkt->arena; // kkt itself lives in it
    cardan__arena_free(&arena);
  }
}

/* Diagonal of J M^-1 J^T, to d (neq). */
static void schur_diagonal(const cardan__maximal *mx, double *d)
{
  const int n = mx->dof;
  for (int e = 0; e < mx->neq; e++) {
    const int r = mx->row[e];
    d[e] = 0;
    for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
      const cardan__mx_body *body = &mx->body[mx->ent_body[i]];
      const double *J = mx->J + i * n;
      if (mx->planar) {
        d[e] += J[0] * J[0] / body->Jn + (J[1] * J[1] + J[2] * J[2]) / body->m;
      } else {
        const cardan_vec3 t = {J[0], J[1], J[2]};
        d[e] += cardan__vec3_dot(t, cardan__sym3_mulv(&body->J_inv, t)) +
                (J[3] * J[3] + J[4] * J[4] + J[5] * J[5]) / body->m;
      }
    }
  }
}

/* Entries of equation e: to f, f += scale J_e^T; or J_e x. */
static void add_row(const cardan__maximal *mx, int e, double scale, double *f)
{
  const int r = mx->row[e], n = mx->dof;
  for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
    for (int k = 0; k < n; k++) {
      f[mx->ent_body[i] * n + k] += scale * mx->J[i * n + k];
    }
  }
}

static double row_dot(const cardan__maximal *mx, int e, const double *x)
{
  const int r = mx->row[e], n = mx->dof;
  double sum = 0;
  for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
    for (int k = 0; k < n; k++) {
      sum += mx->J[i * n + k] * x[mx->ent_body[i] * n + k];
    }
  }
  return sum;
}

/* S = J_a W, a column at a time, and its Cholesky factor. Returns an equation, or -1. */
static int factor_auxiliary(cardan__kkt *kkt)
{
  const cardan__maximal *mx = kkt->mx;
  const int k = kkt->graph.naux, *aux = kkt->graph.aux;
  memset(kkt->f, 0, (size_t)mx->nx * sizeof *kkt->f);
  for (int j = 0; j < k; j++) {
    add_row(mx, aux[j], 1, kkt->f);
    cardan__mx_tree_solve(kkt->tree, kkt->f, NULL, kkt->x, kkt->lambda);
    add_row(mx, aux[j], -1, kkt->f);
    for (int i = j; i < k; i++) {
      kkt->S[(size_t)i * (size_t)k + (size_t)j] = row_dot(mx, aux[i], kkt->x);
    }
    kkt->S[(size_t)j * (size_t)k + (size_t)j] += kkt->eps_eq[aux[j]];
  }
  const int bad = cardan__cholesky(k, kkt->S, smallest_pivot);
  return bad < 0 ? -1 : aux[bad];
}

cardan_status cardan__kkt_factor(cardan__kkt *kkt, int *row)
{
  const cardan__maximal *mx = kkt->mx;
  double *diagonal = kkt->g;
  int bad = -1;
  kkt->factorisations++;
  if (kkt->eps > 0 || kkt->kind != CARDAN__KKT_TREE) {
    schur_diagonal(mx, diagonal);
    for (int e = 0; e < mx->neq; e++) {
      kkt->eps_eq[e] = kkt->eps * diagonal[e];
    }
  }
  switch (kkt->kind) {
  case CARDAN__KKT_TREE:
    bad = cardan__mx_tree_factor(kkt->tree, kkt->eps_eq);
    if (bad < 0 && kkt->graph.naux > 0) {
      bad = factor_auxiliary(kkt);
    }
    break;
  case CARDAN__KKT_SPARSE:
    bad = cardan__mx_sparse_factor(kkt->sparse, kkt->eps_eq, diagonal);
    break;
  case CARDAN__KKT_DENSE:
  case CARDAN__KKT_SCHUR:
    bad = cardan__mx_dense_factor(kkt->dense, kkt->eps_eq, diagonal);
    break;
  case CARDAN__KKT_AUTO:
    break;
  }
  if (bad >= 0) {
    *row = mx->row[bad];
    return CARDAN_ERR_SINGULAR;
  }
  return CARDAN_OK;
}

static void solve_tree(cardan__kkt *kkt, const double *f, const double *g, double *x,
                       double *lambda)
{
  const cardan__maximal *mx = kkt->mx;
  const int k = kkt->graph.naux, *aux = kkt->graph.aux;
  if (k == 0) {
    cardan__mx_tree_solve(kkt->tree, f, g, x, lambda);
    return;
  }
  memcpy(kkt->f, f, (size_t)mx->nx * sizeof *f);
  if (g != NULL) {
    memcpy(kkt->g, g, (size_t)mx->neq * sizeof *g);
  }
  const double *gc = g != NULL ? kkt->g : NULL;
  cardan__mx_tree_solve(kkt->tree, kkt->f, gc, x, lambda);
  for (int j = 0; j < k; j++) {
    kkt->mu[j] = row_dot(mx, aux[j], x) - (gc != NULL ? gc[aux[j]] : 0); // (8)
  }
  cardan__cholesky_solve(k, kkt->S, kkt->mu);
  for (int j = 0; j < k; j++) {
    add_row(mx, aux[j], -kkt->mu[j], kkt->f);
  }
  cardan__mx_tree_solve(kkt->tree, kkt->f, gc, x, lambda);
  for (int j = 0; j < k; j++) {
    lambda[aux[j]] = kkt->mu[j];
  }
}

void cardan__kkt_solve(cardan__kkt *kkt, const double *f, const double *g, double *x,
                       double *lambda)
{
  switch (kkt->kind) {
  case CARDAN__KKT_TREE:
    solve_tree(kkt, f, g, x, lambda);
    break;
  case CARDAN__KKT_SPARSE:
    cardan__mx_sparse_solve(kkt->sparse, f, g, x, lambda);
    break;
  case CARDAN__KKT_DENSE:
  case CARDAN__KKT_SCHUR:
    cardan__mx_dense_solve(kkt->dense, f, g, x, lambda);
    break;
  case CARDAN__KKT_AUTO:
    break;
  }
}
