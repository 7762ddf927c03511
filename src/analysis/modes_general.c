// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/modes_work.h"
#include "linalg/linalg.h"

/* Modes of any F, K and C: the eigenproblem of
 *   A = [F r; -K / r  -C],   r = sqrt(|K| + Ke): all of one size                            (E2)
 * s = 0 is mostly a defective pair there (a body that moves on), which rounding would spread over
 * sqrt(eps) |A|, and longer chains over more: it is taken out by ranks (linalg/zeros.c), with all
 * that A may be off by as the bound:
 *   tol = few (Ke / r + Ce + eps |A|)                                                       (E3)
 * Of the directions of an odd stage those that the next one leads to are rigid: there x grows as t;
 * the others are still.
 * Auxiliary states join A, with their coupling to y and w.
 * What remains goes through dgeevx. Each s comes with how far the error of A may have moved it
 * (linalg/eigen.c), to first order; where that is as much as s, it is in doubt: matrices far from
 * normal have such. */

/* Row (n) <- row L^-T, times factor. */
static void row_of(const cardan__modes_work *w, double factor, double *row)
{
  const size_t n = (size_t)w->n;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) {
      row[i] -= w->L[i * n + k] * row[k];
    }
    row[i] /= w->L[i * n + i];
  }
  for (size_t i = 0; i < n; i++) {
    row[i] *= factor;
  }
}

/* Rows and columns of the auxiliary states; the others' changes are L^T x and L^T x' / r. */
static void fill_states(const cardan__modes_work *w, double r, double *A)
{
  const cardan_matrices *m = w->m;
  const size_t n = (size_t)w->n, nx = (size_t)w->nx;
  for (size_t z = 2 * n; z < nx; z++) {
    memcpy(A + z * nx, m->A + z * nx, nx * sizeof *A);
    row_of(w, 1, A + z * nx);
    row_of(w, r, A + z * nx + n);
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t k = i; k < n; k++) {
        sum += w->L[k * n + i] * m->A[(n + k) * nx + z];
      }
      A[(n + i) * nx + z] = sum / r;
    }
  }
}

/* Auxiliary states in units D that make what they do and what is done to them alike. */
static void balance_states(const cardan__modes_work *w, double r, double *A)
{
  const size_t first = (size_t)(w->nx - w->m->nz), nx = (size_t)w->nx;
  for (size_t z = first; z < nx; z++) {
    double in = 0, out = 0;
    for (size_t i = 0; i < nx; i++) {
      in += i != z ? A[z * nx + i] * A[z * nx + i] : 0;
      out += i != z ? A[i * nx + z] * A[i * nx + z] : 0;
    }
    const double d = in > 0 && out > 0 ? sqrt(sqrt(out / in))
                     : in > 0          ? r / sqrt(in)
                     : out > 0         ? sqrt(out) / r
                                       : 1;
    for (size_t i = 0; i < nx; i++) {
      A[z * nx + i] *= i != z ? d : 1;
      A[i * nx + z] /= i != z ? d : 1;
    }
    w->D[z - first] = d;
  }
}

/* A of (E2). */
static void fill_A(const cardan__modes_work *w, double r, double *A)
{
  const size_t n = (size_t)w->n, nx = (size_t)w->nx;
  memset(A, 0, nx * nx * sizeof *A);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      A[i * nx + j] = w->F[i * n + j];
      A[(n + i) * nx + j] = -w->K[i * n + j] / r;
      A[(n + i) * nx + n + j] = -w->C[i * n + j];
    }
    A[i * nx + n + i] = r;
  }
  fill_states(w, r, A);
  balance_states(w, r, A);
}

/* The whole system, to A: that of (E2), or of the matrices. */
static void fill_system(const cardan__modes_work *w, double r, double *A)
{
  if (w->first_order) {
    memcpy(A, w->m->A, (size_t)w->nx * (size_t)w->nx * sizeof *A);
    balance_states(w, r, A);
  } else {
    fill_A(w, r, A);
  }
}

/* |A0 x - s x| / (|A0| |x|), x = y + i y2; y2 NULL: 0. */
static double residual_of(const cardan__modes_work *w, double re, double im, const double *y,
                          const double *y2)
{
  const size_t nx = (size_t)w->nx;
  double sum = 0, length = 0;
  for (size_t i = 0; i < nx; i++) {
    const double yi = y2 != NULL ? y2[i] : 0;
    double a = im * yi - re * y[i], b = -re * yi - im * y[i];
    for (size_t j = 0; j < nx; j++) {
      a += w->A0[i * nx + j] * y[j];
      b += y2 != NULL ? w->A0[i * nx + j] * y2[j] : 0;
    }
    sum += a * a + b * b;
    length += y[i] * y[i] + yi * yi;
  }
  const double size = cardan__modes_norm(nx * nx, w->A0);
  return size > 0 && length > 0 ? sqrt(sum / length) / size : 0;
}

/* out (nx) = Z^T y, from row `first` of Z on */
static void from_basis(const cardan__modes_work *w, int first, int count, const double *y,
                       double *out)
{
  const size_t nx = (size_t)w->nx;
  memset(out, 0, nx * sizeof *out);
  for (size_t i = 0; i < (size_t)count; i++) {
    const double *z = w->Z + ((size_t)first + i) * nx;
    for (size_t l = 0; l < nx && y[i] != 0.0; l++) {
      out[l] += y[i] * z[l];
    }
  }
}

/* Modes of s = 0 of the stage whose `count` rows begin at `first`, next of them reached from the
 * rows before: those first. V and A0 are scratch. */
static bool add_stage(cardan_modes *modes, cardan__modes_work *w, int first, int count, int next,
                      double tol)
{
  const size_t nx = (size_t)w->nx;
  for (int i = 0; i < next; i++) { // columns of B, as rows
    for (int j = 0; j < count; j++) {
      w->V[i * count + j] = w->A[(size_t)(first + j) * nx + (size_t)(first - next + i)];
    }
  }
  memset(w->x, 0, nx * sizeof *w->x);
  const int rank = cardan__solutions(next, count, w->V, w->x, tol, w->x2, w->A0, w->order, w->work);
  for (int k = 0; k < count && rank >= 0; k++) {
    from_basis(w, first, count, w->A0 + (size_t)k * (size_t)count, w->y);
    cardan__modes_add_zero(modes, w, k < rank ? CARDAN_MODE_RIGID : CARDAN_MODE_STILL,
                           k < rank ? sqrt(w->Ke) : tol / cardan__modes_few, w->y);
  }
  return rank >= 0;
}

static bool add_zeros(cardan_modes *modes, cardan__modes_work *w, double tol)
{
  int first = w->nx;
  bool fine = true;
  for (int k = 0; w->stage[k] > 0 && fine; k++) {
    first -= w->stage[k];
    if (k % 2 == 0) {
      fine = add_stage(modes, w, first, w->stage[k], w->stage[k + 1], tol);
    }
  }
  return fine;
}

/* y + i y2 of value k, in the coordinates of (E2). */
static void find_vector(cardan__modes_work *w, int regular, int k, double *y, double *y2)
{
  const size_t m = (size_t)regular;
  double *x2 = y2 != NULL ? w->x2 : NULL;
  memcpy(w->x, w->V + (size_t)k * m, m * sizeof *w->x);
  if (x2 != NULL) {
    memcpy(x2, w->V + ((size_t)k + 1) * m, m * sizeof *x2);
  }
  cardan__add_zeros(w->nx, regular, w->A, w->stage, w->re[k], w->im[k], w->x, x2);
  from_basis(w, 0, w->nx, w->x, y);
  if (y2 != NULL) {
    from_basis(w, 0, w->nx, x2, y2);
  }
}

/* Mode k of the regular part, and of a pair the next. A pair whose im is no more than rounding is a
 * real value twice: both parts of its vector are a shape. */
static void add_regular(cardan_modes *modes, cardan__modes_work *w, int regular, int k)
{
  const double re = w->re[k], im = w->im[k], error = w->error[k];
  const double none = cardan__modes_few * error;
  double *y2 = im > 0 ? w->y2 : NULL;
  find_vector(w, regular, k, w->y, y2);
  const double residual = residual_of(w, re, im, w->y, y2);
  if (im > 0 && im <= none && fabs(re) > none) {
    cardan__modes_add(modes, w, re, 0, error, w->y, NULL)->residual = residual;
    cardan__modes_add(modes, w, re, 0, error, y2, NULL)->residual = residual;
  } else {
    cardan__modes_add(modes, w, re, im, error, w->y, y2)->residual = residual;
  }
}

/* Modes of the system in A, of that size, which may be off by that much. */
static bool solve(cardan_modes *modes, cardan__modes_work *w, double r, double size, double off)
{
  const size_t nx = (size_t)w->nx;
  const double tol = cardan__modes_few * off;
  const int regular =
      cardan__take_zeros(w->nx, w->A, tol, w->Z, w->stage, w->V, w->A0, w->order, w->work);
  if (regular < 0 || !add_zeros(modes, w, tol)) {
    return false;
  }
  for (size_t i = 0; i < (size_t)regular; i++) {
    memcpy(w->A0 + i * (size_t)regular, w->A + i * nx, (size_t)regular * sizeof *w->A0);
  }
  if (!cardan__eigen(regular, w->A0, w->re, w->im, w->V, w->error, w->work)) {
    return false;
  }
  fill_system(w, r, w->A0);
  const double most = sqrt(sqrt(off / size)) * size; // of a chain of four
  for (int i = 0; i < regular; i++) {
    w->error[i] = fmin(w->error[i] * off / (DBL_EPSILON * size), most);
    add_regular(modes, w, regular, i);
    i += w->im[i] > 0;
  }
  return true;
}

bool cardan__modes_general(cardan_modes *modes, cardan__modes_work *w)
{
  const size_t n = (size_t)w->n, nx = (size_t)w->nx;
  const double k = cardan__modes_norm(n * n, w->K) + w->Ke, c = cardan__modes_norm(n * n, w->C);
  const double r = k > 0 ? sqrt(k) : c > 0 ? c : 1;
  fill_system(w, r, w->A);
  const double size = cardan__modes_norm(nx * nx, w->A);
  return solve(modes, w, r, size, w->Ke / r + w->Ce + DBL_EPSILON * size);
}

/* How far A may be off by the error bounds of Kr and Cr: Frobenius' norm of |Mr^-1| [Ke Ce]. */
static double error_of_rates(cardan__modes_work *w)
{
  const cardan_matrices *m = w->m;
  const size_t n = (size_t)m->n, nw = (size_t)m->nw;
  double *M = w->C, *inverse = w->F, sum = 0; // room for n x n, and nw <= n
  memcpy(M, m->Mr, nw * nw * sizeof *M);
  memset(inverse, 0, nw * nw * sizeof *inverse);
  for (size_t i = 0; i < nw; i++) {
    inverse[i * nw + i] = 1;
  }
  if (cardan__lu(m->nw, M, w->order) >= 0) {
    return HUGE_VAL;
  }
  cardan__lu_solve_many(m->nw, M, w->order, m->nw, inverse, w->x);
  for (size_t i = 0; i < nw; i++) {
    for (size_t j = 0; j < n + nw; j++) {
      double e = 0;
      for (size_t k = 0; k < nw; k++) {
        e += fabs(inverse[i * nw + k]) * (j < n ? m->Ke[k * n + j] : m->Ce[k * nw + j - n]);
      }
      sum += e * e;
    }
  }
  return sqrt(sum);
}

bool cardan__modes_first_order(cardan_modes *modes, cardan__modes_work *w)
{
  const size_t n = (size_t)w->n, nx = (size_t)w->nx;
  const double off = error_of_rates(w);
  for (size_t i = 0; i < n; i++) {
    w->L[i * n + i] = 1;
  }
  w->first_order = true;
  fill_system(w, 1, w->A);
  const double size = cardan__modes_norm(nx * nx, w->A);
  w->Ke = off + DBL_EPSILON * size;
  return isfinite(w->Ke) && solve(modes, w, 1, size, w->Ke);
}
