// SPDX-License-Identifier: Apache-2.0
#include <amd.h>
#include <ldl.h>
#include <math.h>
#include <string.h>

#include "methods/maximal/kkt.h"

/* The KKT matrix of mechanisms with many loops and a body that very many rows touch, which would
 * make J M^-1 J^T dense (maximal_blocks.c), by a sparse L D L^T (SuiteSparse: AMD orders, LDL finds
 * the pattern and solves; the numbers are made here, by the same algorithm, so that a row which the
 * others give can be passed over).
 * [1] T. A. Davis, Algorithm 849: a concise sparse Cholesky factorization package, ACM Trans. Math.
 *     Softw. 31, 2005.
 * Nothing pivots, and the plain matrix has zeros on its diagonal. With -delta there it is
 * quasi-definite, and every order works:
 *   K_delta = [M J^T; J -delta],   delta 1e-8 of the diagonal of J M^-1 J^T                    (E1)
 * Solutions are refined against the exact matrix K, r = b - K x, x += K_delta^-1 r, until r stops
 * falling: a step gains delta / (delta + sigma), sigma the least eigenvalue of J M^-1 J^T. Long
 * ladders have a sigma far below delta: this is not for them. */

static const double delta = 1e-8;

enum { REFINE = 6 }; // at most

struct cardan__mx_sparse {
  const cardan__maximal *mx;
  int n;        // nx + neq
  int *Ap, *Ai; // columns, both triangles
  double *Ax;
  int *P, *Pinv, *Lp, *Parent, *Lnz, *Flag, *Pattern, *Li;
  int *Rp, *Ri; // rows of L: which entries are not 0, each before those that it changes
  double *Lx, *D, *Y;
  const bool *idle;       // neq: equations passed over by the last factorisation
  double *b, *r, *z, *dx; // n
};

/* Equations on each body, ascending: those of body b are list[adr[b]] .. list[adr[b + 1]]. */
static void body_lists(const cardan__maximal *mx, int *adr, int *list)
{
  memset(adr, 0, ((size_t)mx->nbody + 1) * sizeof *adr);
  for (int e = 0; e < mx->neq; e++) {
    const int r = mx->row[e];
    for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
      adr[mx->ent_body[i]]++;
    }
  }
  for (int b = 0; b < mx->nbody; b++) { // counts to ends
    adr[b + 1] += adr[b];
  }
  for (int e = mx->neq - 1; e >= 0; e--) { // ends move down to beginnings
    const int r = mx->row[e];
    for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
      list[--adr[mx->ent_body[i]]] = e;
    }
  }
}

/* Pattern of both triangles, rows ascending: bodies first, then equations. */
static void fill_pattern(cardan__mx_sparse *s, const int *adr, const int *list)
{
  const cardan__maximal *mx = s->mx;
  const int dof = mx->dof;
  int at = 0;
  for (int b = 0; b < mx->nbody; b++) {
    for (int c = 0; c < dof; c++) {
      s->Ap[b * dof + c] = at;
      for (int k = 0; k < dof; k++) {
        s->Ai[at++] = b * dof + k;
      }
      for (int i = adr[b]; i < adr[b + 1]; i++) {
        s->Ai[at++] = mx->nx + list[i];
      }
    }
  }
  for (int e = 0; e < mx->neq; e++) {
    const int r = mx->row[e];
    s->Ap[mx->nx + e] = at;
    for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
      for (int k = 0; k < dof; k++) {
        s->Ai[at++] = mx->ent_body[i] * dof + k;
      }
    }
    s->Ai[at++] = mx->nx + e;
  }
  s->Ap[s->n] = at;
}

static bool take_memory(cardan__mx_sparse *s, cardan__arena *arena, int total)
{
  const cardan__maximal *mx = s->mx;
  const size_t n = (size_t)s->n, dof = (size_t)mx->dof;
  const size_t nz = (size_t)mx->nx * dof + 2 * dof * (size_t)total + (size_t)mx->neq;
#define TAKE(count, type) (type *)cardan__arena_take(arena, count, sizeof(type))
  s->Ap = TAKE(n + 1, int);
  s->Ai = TAKE(nz, int);
  s->Ax = TAKE(nz, double);
  s->P = TAKE(n, int);
  s->Pinv = TAKE(n, int);
  s->Lp = TAKE(n + 1, int);
  s->Rp = TAKE(n + 1, int);
  s->Parent = TAKE(n, int);
  s->Lnz = TAKE(n, int);
  s->Flag = TAKE(n, int);
  s->Pattern = TAKE(n, int);
  s->D = TAKE(n, double);
  s->Y = TAKE(n, double);
  s->b = TAKE(n, double);
  s->r = TAKE(n, double);
  s->z = TAKE(n, double);
  s->dx = TAKE(n, double);
#undef TAKE
  return s->Ap && s->Ai && s->Ax && s->P && s->Pinv && s->Lp && s->Rp && s->Parent && s->Lnz &&
         s->Flag && s->Pattern && s->D && s->Y && s->b && s->r && s->z && s->dx;
}

/* Row k of L: the entries of column k of the permuted matrix, and those above them in the
 * elimination tree. */
static void find_row(cardan__mx_sparse *s, int k)
{
  const int column = s->P[k];
  int first = s->n;
  s->Flag[k] = k;
  for (int p = s->Ap[column]; p < s->Ap[column + 1]; p++) {
    int i = s->Pinv[s->Ai[p]], length = 0;
    for (; i < k && s->Flag[i] != k; i = s->Parent[i]) {
      s->Pattern[length++] = i;
      s->Flag[i] = k;
    }
    while (length > 0) {
      s->Pattern[--first] = s->Pattern[--length];
    }
  }
  s->Rp[k + 1] = s->Rp[k] + s->n - first;
  memcpy(s->Ri + s->Rp[k], s->Pattern + first, (size_t)(s->n - first) * sizeof *s->Ri);
}

/* The pattern of L, by rows and by columns. */
static void find_pattern(cardan__mx_sparse *s)
{
  for (int k = 0; k < s->n; k++) {
    s->Flag[k] = -1;
    s->Lnz[k] = 0;
  }
  for (int k = 0; k < s->n; k++) {
    find_row(s, k);
    for (int at = s->Rp[k]; at < s->Rp[k + 1]; at++) {
      const int i = s->Ri[at];
      s->Li[s->Lp[i] + s->Lnz[i]++] = k;
    }
  }
}

cardan__mx_sparse *cardan__mx_sparse_make(const cardan__maximal *mx, cardan__arena *arena)
{
  cardan__mx_sparse *s = cardan__arena_take(arena, 1, sizeof *s);
  int *adr = cardan__arena_take(arena, (size_t)mx->nbody + 1, sizeof(int));
  int *list = cardan__arena_take(arena, (size_t)mx->nentry, sizeof(int));
  int total = 0;
  if (!(s && adr && list)) {
    return NULL;
  }
  s->mx = mx;
  s->n = mx->nx + mx->neq;
  for (int e = 0; e < mx->neq; e++) {
    total += mx->nent[mx->row[e]];
  }
  if (!take_memory(s, arena, total)) {
    return NULL;
  }
  body_lists(mx, adr, list);
  fill_pattern(s, adr, list);
  if (amd_order(s->n, s->Ap, s->Ai, s->P, NULL, NULL) < AMD_OK) {
    return NULL;
  }
  ldl_symbolic(s->n, s->Ap, s->Ai, s->Lp, s->Parent, s->Lnz, s->Flag, s->P, s->Pinv);
  s->Li = cardan__arena_take(arena, (size_t)s->Lp[s->n], sizeof(int));
  s->Ri = cardan__arena_take(arena, (size_t)s->Lp[s->n], sizeof(int));
  s->Lx = cardan__arena_take(arena, (size_t)s->Lp[s->n], sizeof(double));
  if (!(s->Li && s->Ri && s->Lx)) {
    return NULL;
  }
  find_pattern(s);
  return s;
}

/* Column c of body b's mass matrix. */
static void mass_column(const cardan__maximal *mx, int b, int c, double *out)
{
  const cardan__mx_body *body = &mx->body[b];
  double unit[CARDAN__MX_DOF] = {0};
  unit[c] = 1;
  if (mx->planar) {
    out[0] = body->Jn * unit[0];
    out[1] = body->m * unit[1];
    out[2] = body->m * unit[2];
    return;
  }
  const cardan_vec3 t = cardan__sym3_mulv(&body->J, cardan__vec3(unit[0], unit[1], unit[2]));
  const double all[6] = {t.x, t.y, t.z, body->m * unit[3], body->m * unit[4], body->m * unit[5]};
  memcpy(out, all, sizeof all);
}

/* Values of K_delta; the columns of bodies get J from its entries as they are met, in order. */
static void fill_values(cardan__mx_sparse *s, const double *diagonal)
{
  const cardan__maximal *mx = s->mx;
  const int dof = mx->dof;
  int *next = s->Flag; // nx: where the next entry of J goes in each column of a body
  for (int b = 0; b < mx->nbody; b++) {
    for (int c = 0; c < dof; c++) {
      const int col = b * dof + c;
      mass_column(mx, b, c, s->Ax + s->Ap[col]);
      next[col] = s->Ap[col] + dof;
    }
  }
  for (int e = 0; e < mx->neq; e++) {
    const int r = mx->row[e];
    int at = s->Ap[mx->nx + e];
    for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
      for (int k = 0; k < dof; k++) {
        const double value = mx->J[i * dof + k];
        s->Ax[at++] = value;
        s->Ax[next[mx->ent_body[i] * dof + k]++] = value;
      }
    }
    s->Ax[at] = -delta * diagonal[e]; // (E1)
  }
}

/* Column k of the permuted matrix above its diagonal to Y. Returns the diagonal entry. */
static double scatter(const cardan__mx_sparse *s, int k)
{
  const int column = s->P[k];
  double d = 0;
  for (int p = s->Ap[column]; p < s->Ap[column + 1]; p++) {
    const int i = s->Pinv[s->Ai[p]];
    if (i < k) {
      s->Y[i] += s->Ax[p];
    } else if (i == k) {
      d += s->Ax[p];
    }
  }
  return d;
}

/* Row by row ([1]): L_ki = y_i / D_i, y -= L_i y_i, D_k = A_kk - sum of L_ki y_i. An equation that
 * is lost gets an infinite pivot: its unknown is 0, and it drops out of the rows that follow. */
int cardan__mx_sparse_factor(cardan__mx_sparse *s, const double *diagonal, double tol, bool *idle,
                             cardan__rank_monitor *rank)
{
  const double least = fmin(tol, 0.1 * delta);
  int lost = 0;
  fill_values(s, diagonal);
  s->idle = idle;
  for (int k = 0; k < s->n; k++) {
    s->Lnz[k] = 0;
    s->Y[k] = 0;
  }
  for (int k = 0; k < s->n; k++) {
    const int e = s->P[k] - s->mx->nx;
    double d = scatter(s, k);
    for (int at = s->Rp[k]; at < s->Rp[k + 1]; at++) {
      const int i = s->Ri[at], end = s->Lp[i] + s->Lnz[i]++;
      const double y = s->Y[i], l = y / s->D[i];
      s->Y[i] = 0;
      for (int p = s->Lp[i]; p < end; p++) {
        s->Y[s->Li[p]] -= s->Lx[p] * y;
      }
      d -= l * y;
      s->Lx[end] = l;
    }
    if (isnan(d) || (e < 0 && d == 0)) {
      return -1;
    }
    const bool counts = e < 0 || -d > least * diagonal[e];
    s->D[k] = counts ? d : -HUGE_VAL;
    if (!counts) {
      idle[e] = true;
      lost++;
      cardan__rank_drop(rank, -d, diagonal[e]);
    } else if (e >= 0) {
      cardan__rank_take(rank, e, -d, diagonal[e]);
    }
  }
  return lost;
}

/* r = b - K [x; lambda], K the exact matrix, without idle rows. Returns its largest number. */
static double residual(cardan__mx_sparse *s, const double *z)
{
  const cardan__maximal *mx = s->mx;
  const double *lambda = z + mx->nx;
  double *r = s->r, *rl = s->r + mx->nx, largest = 0;
  cardan__mx_mass_mul(mx, z, r);
  cardan__mx_transpose(mx, 1, lambda, r);
  cardan__mx_apply(mx, z, rl);
  for (int i = 0; i < s->n; i++) {
    r[i] = i >= mx->nx && s->idle[i - mx->nx] ? 0 : s->b[i] - r[i];
    largest = fabs(r[i]) > largest ? fabs(r[i]) : largest;
  }
  return largest;
}

static void solve_once(cardan__mx_sparse *s, double *rhs, double *out)
{
  ldl_perm(s->n, s->dx, rhs, s->P);
  ldl_lsolve(s->n, s->dx, s->Lp, s->Li, s->Lx);
  ldl_dsolve(s->n, s->dx, s->D);
  ldl_ltsolve(s->n, s->dx, s->Lp, s->Li, s->Lx);
  ldl_permt(s->n, out, s->dx, s->P);
}

void cardan__mx_sparse_solve(cardan__mx_sparse *s, const double *f, const double *g, double *x,
                             double *lambda)
{
  const cardan__maximal *mx = s->mx;
  double last = HUGE_VAL;
  memcpy(s->b, f, (size_t)mx->nx * sizeof *f);
  if (g != NULL) {
    memcpy(s->b + mx->nx, g, (size_t)mx->neq * sizeof *g);
  } else {
    memset(s->b + mx->nx, 0, (size_t)mx->neq * sizeof *s->b);
  }
  solve_once(s, s->b, s->z);
  for (int i = 0; i < REFINE; i++) {
    const double now = residual(s, s->z);
    if (!(now < 0.5 * last) || now == 0) {
      break;
    }
    last = now;
    solve_once(s, s->r, s->Y);
    for (int k = 0; k < s->n; k++) {
      s->z[k] += s->Y[k];
    }
  }
  memcpy(x, s->z, (size_t)mx->nx * sizeof *x);
  memcpy(lambda, s->z + mx->nx, (size_t)mx->neq * sizeof *lambda);
}
