// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "methods/maximal/kkt.h"

/* The two cubic solvers of [1], to measure the linear one against.
 *   dense   L D L^T of the whole matrix, nodes in the order of maximal_tree.c and auxiliary rows
 *           last, as section 3.2 of [1] has it: no use is made of zeros.
 *   schur   A = J M^-1 J^T, A lambda = J M^-1 f - g, x = M^-1 (f - J^T lambda): section 2.2
 * [1] P. Huang, H. J. Zhang, Linear-time dynamics using Lagrange multipliers, 2021. */

struct cardan__mx_dense {
  const cardan__maximal *mx;
  bool schur;
  int n;                  // order of A
  cardan__semidefinite S; // schur: J M^-1 J^T
  int *pos_x;             // dense: nbody, place of a body's first unknown
  int *pos_eq;            // dense: neq, place of an equation
  int *node_eq;           // dense: place -> equation, -1: a body's
  double *A;              // dense: n x n, lower triangle
  double *b, *col;        // n
  int *list, *adr;        // schur: equations of each body and their entries, pairs
};

static bool take_order(cardan__mx_dense *d, const cardan__mx_graph *g, cardan__arena *arena)
{
  const cardan__maximal *mx = d->mx;
  int at = 0;
  d->pos_x = cardan__arena_take(arena, (size_t)mx->nbody, sizeof(int));
  d->pos_eq = cardan__arena_take(arena, (size_t)mx->neq, sizeof(int));
  d->node_eq = cardan__arena_take(arena, (size_t)d->n, sizeof(int));
  if (!(d->pos_x && d->pos_eq && d->node_eq)) {
    return false;
  }
  for (int i = mx->nbody - 1; i >= 0; i--) {
    const int b = g->order[i];
    d->pos_x[b] = at;
    for (int k = 0; k < mx->dof; k++) {
      d->node_eq[at++] = -1;
    }
    for (int k = g->adr[b]; k < g->adr[b] + g->n[b]; k++) {
      d->pos_eq[g->eq[k]] = at;
      d->node_eq[at++] = g->eq[k];
    }
  }
  for (int k = 0; k < g->naux; k++) {
    d->pos_eq[g->aux[k]] = at;
    d->node_eq[at++] = g->aux[k];
  }
  return true;
}

/* For each body, the entries of J on it. */
static bool take_lists(cardan__mx_dense *d, cardan__arena *arena)
{
  const cardan__maximal *mx = d->mx;
  d->adr = cardan__arena_take(arena, (size_t)mx->nbody + 1, sizeof(int));
  d->list = cardan__arena_take(arena, 2 * (size_t)mx->nentry, sizeof(int));
  if (!(d->adr && d->list && cardan__semidefinite_take(&d->S, mx->neq, arena))) {
    return false;
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int e = 0; e < mx->neq; e++) {
      const int r = mx->row[e];
      for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
        const int b = mx->ent_body[i];
        if (pass == 1) {
          d->list[2 * d->adr[b]] = e;
          d->list[2 * d->adr[b] + 1] = i;
        }
        d->adr[b]++;
      }
    }
    // counts to beginnings; after the second pass each stands at its end
    int sum = 0;
    for (int b = 0; b <= mx->nbody && pass == 0; b++) {
      const int n = d->adr[b];
      d->adr[b] = sum;
      sum += n;
    }
  }
  return true;
}

cardan__mx_dense *cardan__mx_dense_make(const cardan__maximal *mx, const cardan__mx_graph *graph,
                                        bool schur, cardan__arena *arena)
{
  cardan__mx_dense *d = cardan__arena_take(arena, 1, sizeof *d);
  if (d == NULL) {
    return NULL;
  }
  d->mx = mx;
  d->schur = schur;
  d->n = schur ? mx->neq : mx->nx + mx->neq;
  const size_t n = schur ? 0 : (size_t)d->n;
  d->A = cardan__arena_take(arena, n * n, sizeof(double));
  d->b = cardan__arena_take(arena, (size_t)mx->nx + (size_t)mx->neq, sizeof(double));
  d->col = cardan__arena_take(arena, (size_t)mx->nx + (size_t)mx->neq, sizeof(double));
  const bool ok =
      d->A && d->b && d->col && (schur ? take_lists(d, arena) : take_order(d, graph, arena));
  return ok ? d : NULL;
}

/* ---- dense ---- */

static void fill_dense(cardan__mx_dense *d)
{
  const cardan__maximal *mx = d->mx;
  const size_t n = (size_t)d->n, dof = (size_t)mx->dof;
  memset(d->A, 0, n * n * sizeof *d->A);
  for (int b = 0; b < mx->nbody; b++) {
    double unit[CARDAN__MX_DOF], column[CARDAN__MX_DOF];
    const cardan__mx_body *body = &mx->body[b];
    const size_t at = (size_t)d->pos_x[b];
    for (size_t k = 0; k < dof; k++) {
      memset(unit, 0, sizeof unit);
      unit[k] = 1;
      const cardan_vec3 t = cardan__sym3_mulv(&body->J, cardan__vec3(unit[0], unit[1], unit[2]));
      const double space[6] = {
          t.x, t.y, t.z, body->m * unit[3], body->m * unit[4], body->m * unit[5]};
      const double plane[3] = {body->Jn * unit[0], body->m * unit[1], body->m * unit[2]};
      memcpy(column, mx->planar ? plane : space, dof * sizeof *column);
      for (size_t r = k; r < dof; r++) {
        d->A[(at + r) * n + at + k] = column[r];
      }
    }
  }
  for (int e = 0; e < mx->neq; e++) {
    const int r = mx->row[e];
    const size_t pe = (size_t)d->pos_eq[e];
    for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
      const size_t px = (size_t)d->pos_x[mx->ent_body[i]];
      for (size_t k = 0; k < dof; k++) {
        const size_t row = pe > px ? pe : px + k, col = pe > px ? px + k : pe;
        d->A[row * n + col] = mx->J[(size_t)i * dof + k];
      }
    }
  }
}

/* L D L^T in place, a column at a time; the column is copied out so that updates run along rows. An
 * equation that is lost gets an infinite pivot: its unknown is 0, and it drops out. */
static int factor_dense(cardan__mx_dense *d, const double *diagonal, double tol, bool *idle,
                        cardan__rank_monitor *rank)
{
  const size_t n = (size_t)d->n;
  int lost = 0;
  for (size_t k = 0; k < n; k++) {
    const int eq = d->node_eq[k];
    if (isnan(d->A[k * n + k]) || (eq < 0 && !(d->A[k * n + k] > 0))) {
      return -1;
    }
    if (eq >= 0 && !(-d->A[k * n + k] > tol * diagonal[eq])) {
      cardan__rank_drop(rank, -d->A[k * n + k], diagonal[eq]);
      d->A[k * n + k] = -HUGE_VAL;
      idle[eq] = true;
      lost++;
    } else if (eq >= 0) {
      cardan__rank_take(rank, eq, -d->A[k * n + k], diagonal[eq]);
    }
    const double inv = 1 / d->A[k * n + k];
    for (size_t i = k + 1; i < n; i++) {
      d->col[i] = d->A[i * n + k];
    }
    for (size_t i = k + 1; i < n; i++) {
      const double l = d->col[i] * inv;
      double *Ai = d->A + i * n;
      for (size_t j = k + 1; j <= i; j++) {
        Ai[j] -= l * d->col[j];
      }
      Ai[k] = l;
    }
  }
  return lost;
}

static void solve_dense(cardan__mx_dense *d, const double *f, const double *g, double *x,
                        double *lambda)
{
  const cardan__maximal *mx = d->mx;
  const size_t n = (size_t)d->n;
  double *b = d->b;
  for (int i = 0; i < mx->nx; i++) {
    b[d->pos_x[i / mx->dof] + i % mx->dof] = f[i];
  }
  for (int e = 0; e < mx->neq; e++) {
    b[d->pos_eq[e]] = g != NULL ? g[e] : 0;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      b[i] -= d->A[i * n + j] * b[j];
    }
  }
  for (size_t i = 0; i < n; i++) {
    b[i] /= d->A[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t j = 0; j < i; j++) {
      b[j] -= d->A[i * n + j] * b[i];
    }
  }
  for (int i = 0; i < mx->nx; i++) {
    x[i] = b[d->pos_x[i / mx->dof] + i % mx->dof];
  }
  for (int e = 0; e < mx->neq; e++) {
    lambda[e] = b[d->pos_eq[e]];
  }
}

/* ---- schur ---- */

/* y = M_b^-1 x of one body */
static void body_solve(const cardan__maximal *mx, int b, const double *x, double *y)
{
  const cardan__mx_body *body = &mx->body[b];
  const double m = 1 / body->m;
  if (mx->planar) {
    y[0] = x[0] / body->Jn;
    y[1] = m * x[1];
    y[2] = m * x[2];
    return;
  }
  const cardan_vec3 t = cardan__sym3_mulv(&body->J_inv, cardan__vec3(x[0], x[1], x[2]));
  const double all[6] = {t.x, t.y, t.z, m * x[3], m * x[4], m * x[5]};
  memcpy(y, all, sizeof all);
}

static void fill_schur(cardan__mx_dense *d)
{
  const cardan__maximal *mx = d->mx;
  const size_t n = (size_t)d->n;
  const int dof = mx->dof;
  double *A = d->S.S;
  memset(A, 0, n * n * sizeof *A);
  for (int b = 0; b < mx->nbody; b++) {
    const int from = b > 0 ? d->adr[b - 1] : 0;
    for (int i = from; i < d->adr[b]; i++) {
      double y[CARDAN__MX_DOF] = {0};
      const size_t e = (size_t)d->list[2 * i];
      body_solve(mx, b, mx->J + d->list[2 * i + 1] * dof, y);
      for (int j = from; j <= i; j++) { // equations of a body are in order
        const double *J = mx->J + d->list[2 * j + 1] * dof;
        double s = 0;
        for (int k = 0; k < dof; k++) {
          s += J[k] * y[k];
        }
        A[e * n + (size_t)d->list[2 * j]] += s;
      }
    }
  }
}

/* By LAPACK where no row is redundant, as is usual. */
static int factor_schur(cardan__mx_dense *d, const double *diagonal, double tol, bool *idle,
                        cardan__rank_monitor *rank)
{
  cardan__semidefinite *S = &d->S;
  memcpy(S->size, diagonal, (size_t)d->n * sizeof *diagonal);
  fill_schur(d);
  if (d->mx->nredundant == 0 && cardan__semidefinite_factor_all(S, tol, rank) < 0) {
    return 0;
  }
  fill_schur(d);
  for (int i = cardan__semidefinite_factor_basic(S, tol, rank); i < d->n; i++) {
    idle[S->order[i]] = true;
  }
  return d->n - S->rank;
}

static void solve_schur(cardan__mx_dense *d, const double *f, const double *g, double *x,
                        double *lambda)
{
  const cardan__maximal *mx = d->mx;
  double *y = d->b, *l = d->col;
  cardan__mx_mass_solve(mx, f, y);
  cardan__mx_apply(mx, y, l);
  for (int e = 0; e < mx->neq; e++) {
    l[e] -= g != NULL ? g[e] : 0;
  }
  cardan__semidefinite_solve(&d->S, l);
  memcpy(y, f, (size_t)mx->nx * sizeof *y);
  cardan__mx_transpose(mx, -1, l, y);
  cardan__mx_mass_solve(mx, y, x);
  memcpy(lambda, l, (size_t)mx->neq * sizeof *l);
}

int cardan__mx_dense_factor(cardan__mx_dense *d, const double *diagonal, double tol, bool *idle,
                            cardan__rank_monitor *rank)
{
  if (d->schur) {
    return factor_schur(d, diagonal, tol, idle, rank);
  }
  fill_dense(d);
  return factor_dense(d, diagonal, tol, idle, rank);
}

void cardan__mx_dense_solve(cardan__mx_dense *d, const double *f, const double *g, double *x,
                            double *lambda)
{
  if (d->schur) {
    solve_schur(d, f, g, x, lambda);
  } else {
    solve_dense(d, f, g, x, lambda);
  }
}
