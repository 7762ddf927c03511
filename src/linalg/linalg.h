/* SPDX-License-Identifier: Apache-2.0
 * linalg/linalg.h - small dense linear algebra.
 *
 *   cardan__cholesky      A = L L^T, positive definite       n^3 / 3    stepping
 *   cardan__lu            P A = L U, any regular matrix      2 n^3 / 3  stepping
 *   cardan__positive_inverse, cardan__symmetric_mul  of large symmetric matrices  rare events
 *   cardan__independent   which rows of a matrix do the others not give: pivoted QR      loading
 *   cardan__min_norm      shortest least-squares solution at a stated rank                loading
 *   cardan__orthogonal_rows  singular values and vectors                          rare events
 *   cardan__negative      how many eigenvalues are negative                       rare events
 *   cardan__eigen         eigenvalues and vectors, with how far they may be off            loading
 *   cardan__take_zeros    the eigenvalue 0 of a matrix that is known up to rounding only   loading
 *   cardan__solutions     all solutions at a stated rank: one, and the null space         loading
 *   cardan__damped        shortest solution, short steps preferred over small residuals   loading
 *   cardan__broyden       a quasi-Newton step from the steps before it                    stepping
 *   cardan__gmres         A x = b by products with A and a solve with something like it   stepping
 *
 * Matrices are row-major and packed: row i of an m x n matrix starts at i * n. Below CARDAN__DENSE
 * the factorisations are loops of our own, which take no lock and give the same bits everywhere;
 * from there on LAPACK works in place. Nothing here allocates: workspaces come from the caller.
 * OpenBLAS keeps buffers of its own, which it makes at its first call in each thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { CARDAN__DENSE = 64 };

/* OpenBLAS on one thread until as many calls of release as of hold, from any threads, were made;
 * then on as many as before. For calls that have threads of their own. */
void cardan__blas_hold(void);
void cardan__blas_release(void);

/* Around a call of LAPACK with a matrix of `size` numbers, by this folder: our matrices are too
 * small to be worth several threads, and would be given them. Held as above where that changes
 * nothing but OpenBLAS's number of threads, so that calls of others that are under way do not mind;
 * where its threads are OpenMP's it would take work space from them, and is unchanged. */
void cardan__lapack_begin(size_t size);
void cardan__lapack_end(size_t size);

/* L of A = L L^T over the lower triangle of A; the upper one is neither read nor written.
 * tol     smallest pivot accepted, relative to the diagonal entry it came from: what remains of a
 *         row after the earlier ones are taken out. 0 accepts every positive one
 * returns -1, or the first row whose pivot is too small; A is then spoilt */
int cardan__cholesky(int n, double *A, double tol);
/* x <- A^-1 x */
void cardan__cholesky_solve(int n, const double *L, double *x);

/* The same of a semidefinite A, as far as it has rank: L of the rows and columns in order, n^3 / 3.
 * diagonal  n, > 0: what pivots are compared with;  a row whose pivot is at most tol of it is not
 *           taken
 * order     n, out: the rows taken, then the others;  returns the rank: how many are taken */
int cardan__cholesky_rank(int n, double *A, const double *diagonal, double tol, int *order);
/* The same, of at most so many rows; a row whose diagonal is 0 is not taken. last, next: the
 * smallest pivot of those taken, of its diagonal, 1 where none is less; the largest of the others,
 * 0 where none is more. */
int cardan__cholesky_pivoted(int n, double *A, const double *diagonal, int most, double tol,
                             int *order, double *last, double *next);
/* x (not b): A x = b in the rows taken, with 0 for those that are not, whose b is not looked at. */
void cardan__cholesky_rank_solve(int n, int rank, const double *L, const int *order,
                                 const double *b, double *x);

/* A (n x n, positive definite, its lower triangle read) <- A^-1, the whole of it, 2 n^3 / 3 + n^3 /
 * 3; and Y (n x n) = scale S X, S symmetric, its lower triangle read, 2 n^3. By LAPACK and BLAS at
 * any n, so for n of CARDAN__DENSE and more.
 * returns -1, or the first row whose pivot is not positive; A is then spoilt */
int cardan__positive_inverse(int n, double *A);
void cardan__symmetric_mul(int n, double scale, const double *S, const double *X, double *Y);

/* LU with row exchanges over A; pivot: n, out, to be given to the solve.
 * returns -1, or the first column without a pivot (0 or not a number); A is then spoilt */
int cardan__lu(int n, double *A, int *pivot);
/* The least number that a pivot of n rows can be; the largest is n - 1 more. */
int cardan__lu_first(int n);
/* x <- A^-1 x */
void cardan__lu_solve(int n, const double *A, const int *pivot, double *x);
/* X <- A^-1 X, n x m;  work: n */
void cardan__lu_solve_many(int n, const double *A, const int *pivot, int m, double *X,
                           double *work);

/* Independent rows of A (m x n), by QR of A^T with column pivoting.
 * rcond   a row counts while what it adds is longer than rcond times the longest row
 * order   m, out: rows in the order of choice; the first `result` are independent
 * spread  out, may be NULL: what the last chosen row adds, relative to the longest row; 1 for none
 * work    cardan__independent_work(m, n) doubles;  A is R, entry i n + i what row order[i] adds to
 *         those before it;  returns the rank */
int cardan__independent(int m, int n, double *A, double rcond, int *order, double *spread,
                        double *work);
size_t cardan__independent_work(int m, int n);

/* Is every row of A (m x n) longer by rcond than what earlier rows give? Unpivoted QR of A^T:
 * several times faster than cardan__independent, and enough when the answer is yes. A is spoilt.
 * work    cardan__independent_work(m, n) doubles */
bool cardan__rows_independent(int m, int n, double *A, double rcond, double *work);

/* Shortest x that minimises |A x - b|, singular values below about rcond of the largest taken as 0
 * (complete orthogonal factorisation, LAPACK dgelsy).
 * A  m x n, kept;  b  m;  x  n, out;  work  cardan__min_norm_work(m, n) doubles;  index  n
 * returns the rank, or -1 when a number is not finite */
int cardan__min_norm(int m, int n, const double *A, const double *b, double rcond, double *x,
                     double *work, int *index);
size_t cardan__min_norm_work(int m, int n);

/* All x with A x = b: x + N^T z for any z, by QR of A^T with column pivoting.
 * tol     a row counts while what it adds to the others is longer than tol
 * A  m x n, spoilt;  b  m;  x  n, out: the shortest solution of the rows that count;
 * N  n x n, out: from row `result` on the null space, orthonormal;  order  m;
 * work  cardan__solutions_work(m, n) doubles
 * returns the rank, or -1 when a number is not finite */
int cardan__solutions(int m, int n, double *A, const double *b, double tol, double *x, double *N,
                      int *order, double *work);
size_t cardan__solutions_work(int m, int n);

/* x that minimises |A x - b|^2 + mu^2 |x|^2, mu > 0: always well defined, in the space of A's rows.
 * Solved as the shortest solution of [A, mu 1][x; r] = b, so mu enters the condition number, not
 * its square. Same arguments.
 * returns false when a number is not finite */
bool cardan__damped(int m, int n, const double *A, const double *b, double mu, double *x,
                    double *work);
size_t cardan__damped_work(int m, int n);

/* Rotations U of the rows of A (m x n) that make them orthogonal: A = U^T (U A). U A, whose rows
 * are the right singular vectors times the singular values, takes the place of A; longest first.
 * U     m x m, out: its rows are the left singular vectors
 * size  m, out: singular values, falling; those of rows that the others give are 0 or rounding */
void cardan__orthogonal_rows(int m, int n, double *A, double *U, double *size);

/* Number of negative eigenvalues of a symmetric A (n x n, spoilt), by Sylvester's law of inertia. A
 * matrix that needs pivots off the diagonal (all that is left of it is 0) has them not counted. */
int cardan__negative(int n, double *A);

/* Eigenvalues of a symmetric A (n x n), rising: value (n, out); row k of A is then the vector of
 * value[k], of length 1. work: cardan__eigen_symmetric_work(n) doubles
 * returns false when the iteration failed */
bool cardan__eigen_symmetric(int n, double *A, double *value, double *work);
size_t cardan__eigen_symmetric_work(int n);

/* Those of any A (n x n, spoilt): re + i im, a complex pair side by side, im > 0 first.
 * V      n x n, out: row k the vector; of a pair the rows are its real and imaginary part, for the
 *        first of them
 * error  n, out: bound on how far the value is off by the rounding of A, to first order
 * work   cardan__eigen_work(n) doubles; its first n x n are then the left vectors, as V the right
 * returns false when the iteration failed */
bool cardan__eigen(int n, double *A, double *re, double *im, double *V, double *error,
                   double *work);
size_t cardan__eigen_work(int n);

/* The eigenvalue 0 taken out of A (n x n), whose numbers are known to tol (Frobenius) only.
 * A      out: Z A Z^T = [R 0; B J], R: the leading rows that `result` says, regular
 * Z      n x n, out: orthonormal rows
 * stage  n + 1, out: how many rows each stage has, 0 after the last; the first stage is last
 * X, N   n x n: scratch;  order: n;  work: cardan__take_zeros_work(n) doubles
 * returns the rows of R, or -1 when a number is not finite */
int cardan__take_zeros(int n, double *A, double tol, double *Z, int *stage, double *X, double *N,
                       int *order, double *work);
size_t cardan__take_zeros_work(int n);
/* An eigenvector of that for s = re + i im, not 0: y + i y2 (n; y2 NULL: 0) with its first
 * `regular` entries set to that of R; the others are set here. */
void cardan__add_zeros(int n, int regular, const double *A, const int *stage, double re, double im,
                       double *y, double *y2);

/* X (n x n) <- L^-1 X L^-T, L lower triangular. */
void cardan__congruent(int n, const double *L, double *X);

/* Broyden's step. steps: count + 1 vectors of n, the steps taken so far and then the one that the
 * first Jacobian alone would take; that one is improved in place. */
void cardan__broyden(int n, int count, double *steps);

/* A x = b for an operator, with one that is nearly its inverse (right preconditioner): as many
 * products as the two differ by ranks, and one.
 * apply   y = A x, n each;  precondition   y = P x, y and x may be the same
 * b       n;  x  n, out, not b
 * tol     |A x - b| <= tol |b|;  most  products at most, <= 64
 * work    cardan__gmres_work(n, most) doubles
 * returns products used, or -1 when the tolerance was not reached; x is NaN where numbers on the
 *         way were not finite */
typedef struct {
  void (*apply)(void *context, const double *x, double *y);
  void (*precondition)(void *context, const double *x, double *y);
  void *context;
} cardan__operator;

enum { CARDAN__GMRES_MOST = 64 };
int cardan__gmres(const cardan__operator *A, int n, const double *b, double *x, double tol,
                  int most, double *work);
size_t cardan__gmres_work(int n, int most);
