// SPDX-License-Identifier: Apache-2.0
#include "methods/maximal/kkt.h"

#include <math.h>
#include <string.h>

/* Auxiliary rows by constraint anticipation ([1], section 4; names as in maximal_tree.c). With the
 * rows of the tree eliminated, J_a the k auxiliary rows and W the tree's response to J_a^T:
 *   S = J_a W,   S mu = J_a x_0 - g_a                                   (8) of [1]
 *   x, lambda: the tree's response to f - J_a^T mu                            section 4.2
 * k + 2 solves with the tree. (8) is printed with -c^a on its left side; + is right.
 * [1] P. Huang, H. J. Zhang, Linear-time dynamics using Lagrange multipliers, 2021. */

/* What counts as lost, of a row's diagonal: the square of the sine of its angle to the others. The
 * last is rounding. Where the model has redundant rows the usual one leaves the others well
 * conditioned, and is lowered while more rows are lost by it. Fewer are lost off the constraints,
 * where stages of a Runge-Kutta step are, or where data contradict: rows that follow from others
 * seem to have a lever of their own there, which is none, and it is raised. */
static const double lost_pivot[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13};
enum { USUAL = 5, STRICTEST = 8 };

/* More auxiliary rows than this go to the sparse solver, which does not cost their square. */
enum { MANY_AUXILIARY = 24 };

/* A body with very many rows makes J M^-1 J^T dense: that is formed while the squares of the
 * bodies' numbers of rows are at most this many times the numbers of J. */
enum { DENSE_BODY = 20 };

/* Is J M^-1 J^T sparse? */
static bool forms_blocks(const cardan__maximal *mx, int *rows)
{
  double squares = 0, entries = 0;
  memset(rows, 0, (size_t)mx->nbody * sizeof *rows);
  for (int e = 0; e < mx->neq; e++) {
    const int r = mx->row[e];
    for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
      rows[mx->ent_body[i]]++;
    }
  }
  for (int b = 0; b < mx->nbody; b++) {
    squares += (double)rows[b] * rows[b];
    entries += rows[b];
  }
  return squares <= DENSE_BODY * mx->dof * entries;
}

static bool make_sparse(cardan__kkt *kkt)
{
  const cardan__maximal *mx = kkt->mx;
  cardan__arena *arena = &kkt->arena;
  int *rows = cardan__arena_take(arena, (size_t)mx->nbody, sizeof *rows);
  if (rows == NULL) {
    return false;
  }
  if (forms_blocks(mx, rows)) {
    kkt->blocks = cardan__mx_blocks_make(mx, arena);
  } else {
    kkt->sparse = cardan__mx_sparse_make(mx, arena);
  }
  return kkt->blocks != NULL || kkt->sparse != NULL;
}

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
  kkt->diagonal = cardan__arena_take(arena, m, sizeof(double));
  kkt->idle = cardan__arena_take(arena, m, sizeof(bool));
  kkt->g = cardan__arena_take(arena, m, sizeof(double));
  kkt->zero = cardan__arena_take(arena, n, sizeof(double));
  bool ok = kkt->diagonal && kkt->idle && kkt->g && kkt->zero;
  switch (kkt->kind) {
  case CARDAN__KKT_TREE:
    kkt->tree = cardan__mx_tree_make(mx, &kkt->graph, arena);
    kkt->mu = cardan__arena_take(arena, naux, sizeof(double));
    kkt->x = cardan__arena_take(arena, n, sizeof(double));
    kkt->lambda = cardan__arena_take(arena, m, sizeof(double));
    kkt->f = cardan__arena_take(arena, n, sizeof(double));
    ok = ok && kkt->tree && kkt->mu && kkt->x && kkt->lambda && kkt->f &&
         cardan__semidefinite_take(&kkt->aux, kkt->graph.naux, arena);
    break;
  case CARDAN__KKT_SPARSE:
    ok = ok && make_sparse(kkt);
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

cardan_status cardan__kkt_create(const cardan__maximal *mx, cardan__kkt_kind kind,
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
    cardan__mx_blocks_close(kkt->blocks);
    cardan__arena_free(&arena);
  }
}

bool cardan__kkt_reads_rows(const cardan__kkt *kkt)
{
  return kkt->kind != CARDAN__KKT_TREE || kkt->graph.naux > 0 ||
         cardan__mx_tree_reads_rows(kkt->tree);
}

bool cardan__kkt_keeps_forces(const cardan__kkt *kkt)
{
  return kkt->blocks != NULL;
}

/* Diagonal entry of J M^-1 J^T of equation e, as it counts. */
static double schur_diagonal(const cardan__maximal *mx, int e)
{
  const int n = mx->dof, r = mx->row[e];
  double d = 0;
  for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
    const cardan__mx_body *body = &mx->body[mx->ent_body[i]];
    const double *J = mx->J + i * n;
    if (mx->planar) {
      d += J[0] * J[0] / body->Jn + (J[1] * J[1] + J[2] * J[2]) / body->m;
    } else {
      const cardan_vec3 t = {J[0], J[1], J[2]};
      d += cardan__vec3_dot(t, cardan__sym3_mulv(&body->J_inv, t)) +
           (J[3] * J[3] + J[4] * J[4] + J[5] * J[5]) / body->m;
    }
  }
  return cardan__kkt_aside(mx, e) * d;
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

/* S = J_a W, a column at a time. */
static void fill_auxiliary(cardan__kkt *kkt)
{
  const cardan__maximal *mx = kkt->mx;
  const int k = kkt->graph.naux, *aux = kkt->graph.aux;
  memset(kkt->f, 0, (size_t)mx->nx * sizeof *kkt->f);
  for (int j = 0; j < k; j++) {
    add_row(mx, aux[j], 1, kkt->f);
    cardan__mx_tree_solve(kkt->tree, kkt->f, NULL, kkt->x, kkt->lambda);
    add_row(mx, aux[j], -1, kkt->f);
    for (int i = j; i < k; i++) {
      kkt->aux.S[(size_t)i * (size_t)k + (size_t)j] = row_dot(mx, aux[i], kkt->x);
    }
  }
}

/* Cholesky factor of S. */
static int factor_auxiliary(cardan__kkt *kkt, double tol)
{
  const int k = kkt->graph.naux, *aux = kkt->graph.aux;
  fill_auxiliary(kkt);
  for (int j = 0; j < k; j++) {
    kkt->aux.size[j] = schur_diagonal(kkt->mx, aux[j]);
  }
  const int rank = cardan__semidefinite_factor_basic(&kkt->aux, tol, &kkt->rank);
  for (int j = rank; j < k; j++) {
    kkt->idle[aux[kkt->aux.order[j]]] = true;
  }
  return k - rank;
}

/* Returns how many equations are lost, or -1. given: with those that the model has as redundant. */
static int factor(cardan__kkt *kkt, bool given, double tol)
{
  memset(kkt->idle, 0, (size_t)kkt->mx->neq * sizeof *kkt->idle);
  cardan__rank_begin(&kkt->rank);
  if (kkt->blocks != NULL) {
    return cardan__mx_blocks_factor(kkt->blocks, given, tol, kkt->idle, &kkt->rank);
  }
  if (kkt->sparse != NULL) {
    return cardan__mx_sparse_factor(kkt->sparse, kkt->diagonal, tol, kkt->idle, &kkt->rank);
  }
  if (kkt->kind != CARDAN__KKT_TREE) {
    return cardan__mx_dense_factor(kkt->dense, kkt->diagonal, tol, kkt->idle, &kkt->rank);
  }
  const int edges = cardan__mx_tree_factor(kkt->tree, tol, kkt->idle);
  const int aux = edges >= 0 && kkt->graph.naux > 0 ? factor_auxiliary(kkt, tol) : 0;
  return edges < 0 || aux < 0 ? -1 : edges + aux;
}

/* A lost row that the model does not count as redundant, as far as there is one. */
static int blame(const cardan__kkt *kkt)
{
  const cardan__maximal *mx = kkt->mx;
  int any = -1;
  for (int e = 0; e < mx->neq; e++) {
    const int r = mx->row[e];
    if (kkt->idle[e]) {
      any = any < 0 ? r : any;
      if (r < mx->row_model || !mx->model->row_redundant[r - mx->row_model]) {
        return r;
      }
    }
  }
  return any;
}

cardan_status cardan__kkt_factor(cardan__kkt *kkt, int *row)
{
  const cardan__maximal *mx = kkt->mx;
  kkt->factorisations++;
  for (int e = 0; e < mx->neq && (kkt->sparse || kkt->dense); e++) {
    kkt->diagonal[e] = schur_diagonal(mx, e);
  }
  int at = mx->nredundant > 0 ? USUAL : STRICTEST;
  // blocks take rows in an order of their own, in which those of joints may come last: as long as
  // the model's choice of rows serves it is kept
  const bool given = kkt->blocks != NULL && mx->nredundant > 0;
  kkt->nidle = factor(kkt, given, lost_pivot[at]);
  if (given && kkt->nidle != mx->nredundant) {
    kkt->nidle = factor(kkt, false, lost_pivot[at]);
  }
  while (kkt->nidle >= 0 && kkt->nidle < mx->nredundant && at > 0) {
    kkt->nidle = factor(kkt, false, lost_pivot[--at]);
  }
  while (kkt->nidle > mx->nredundant && at < STRICTEST) {
    kkt->nidle = factor(kkt, false, lost_pivot[++at]);
  }
  if (kkt->nidle < 0) {
    return CARDAN_ERR_NOT_FINITE;
  }
  if (kkt->nidle > mx->nredundant) {
    *row = blame(kkt);
    cardan__rank_see(&kkt->rank, kkt->rank.dropped, 0);
    return CARDAN_ERR_SINGULAR;
  }
  cardan__rank_end(&kkt->rank);
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
  memset(kkt->f, 0, (size_t)mx->nx * sizeof *f);
  if (f != NULL) {
    memcpy(kkt->f, f, (size_t)mx->nx * sizeof *f);
  }
  if (g != NULL) {
    memcpy(kkt->g, g, (size_t)mx->neq * sizeof *g);
  }
  const double *gc = g != NULL ? kkt->g : NULL;
  cardan__mx_tree_solve(kkt->tree, kkt->f, gc, x, lambda);
  for (int j = 0; j < k; j++) {
    kkt->mu[j] = row_dot(mx, aux[j], x) - (gc != NULL ? gc[aux[j]] : 0); // (8)
  }
  cardan__semidefinite_solve(&kkt->aux, kkt->mu);
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
  if (f == NULL && kkt->blocks == NULL && cardan__kkt_reads_rows(kkt)) {
    f = kkt->zero;
  }
  switch (kkt->kind) {
  case CARDAN__KKT_TREE:
    solve_tree(kkt, f, g, x, lambda);
    break;
  case CARDAN__KKT_SPARSE:
    if (kkt->blocks != NULL) {
      cardan__mx_blocks_solve(kkt->blocks, f, g, x, lambda);
    } else {
      cardan__mx_sparse_solve(kkt->sparse, f, g, x, lambda);
    }
    break;
  case CARDAN__KKT_DENSE:
  case CARDAN__KKT_SCHUR:
    cardan__mx_dense_solve(kkt->dense, f, g, x, lambda);
    break;
  case CARDAN__KKT_AUTO:
    break;
  }
}

void cardan__kkt_multipliers(cardan__kkt *kkt, const double *f, double *lambda)
{
  cardan__mx_tree_multipliers(kkt->tree, f, lambda);
}

bool cardan__kkt_knows_products(const cardan__kkt *kkt)
{
  return !cardan__kkt_reads_rows(kkt) && kkt->nidle == 0 &&
         cardan__mx_articulated_products(cardan__mx_tree_pairs(kkt->tree));
}

void cardan__kkt_accelerate(cardan__kkt *kkt, const double *f, const double *vel, double *x)
{
  cardan__mx_articulated_accelerate(cardan__mx_tree_pairs(kkt->tree), f, vel, x);
}

void cardan__kkt_keep(cardan__kkt *kkt, const double *vel, double *x)
{
  cardan__mx_articulated_keep(cardan__mx_tree_pairs(kkt->tree), vel, x);
}
