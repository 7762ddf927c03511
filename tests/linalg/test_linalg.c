// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/linalg.h"
#include "linalg/linalg.h"
#include "linalg/semidefinite.h"
#include "support.h"

/* Sizes on both sides of CARDAN__DENSE, where LAPACK takes over. */
static const int sizes[] = {1, 2, 3, 7, 20, 63, 64, 65, 130};
enum { NSIZE = sizeof sizes / sizeof sizes[0], LARGEST = 130 };

/* m x n zeros */
static double *matrix(int m, int n)
{
  double *a = calloc((size_t)m * (size_t)n + 1, sizeof *a);
  assert_non_null(a);
  return a;
}

/* y = A x, A m x n */
static void multiply(int m, int n, const double *A, const double *x, double *y)
{
  for (int i = 0; i < m; i++) {
    y[i] = 0.0;
    for (int j = 0; j < n; j++) {
      y[i] += A[i * n + j] * x[j];
    }
  }
}

/* A = B B^T + shift 1, for a random B: condition number below (n + shift) / shift. */
static void random_spd(support_rng *rng, int n, double shift, double *A)
{
  double *B = matrix(n, n);
  support_random_vec(rng, B, n * n, 1.0);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = i == j ? shift : 0.0;
      for (int k = 0; k < n; k++) {
        sum += B[i * n + k] * B[j * n + k];
      }
      A[i * n + j] = sum;
    }
  }
  free(B);
}

// tolerance: backward error c n eps, times a condition number below 2 n for shift 1 and entries in
// +-1
static void cholesky_solves(void **state)
{
  (void)state;
  support_rng rng = {1};
  double *A = matrix(LARGEST, LARGEST), *L = matrix(LARGEST, LARGEST);
  double x[LARGEST], y[LARGEST];
  for (int s = 0; s < NSIZE; s++) {
    const int n = sizes[s];
    random_spd(&rng, n, 1.0, A);
    memcpy(L, A, (size_t)(n * n) * sizeof *A);
    support_random_vec(&rng, x, n, 1.0);
    multiply(n, n, A, x, y);
    // what is above the diagonal must not matter, nor be touched
    for (int i = 0; i < n; i++) {
      for (int j = i + 1; j < n; j++) {
        L[i * n + j] = 1e300;
      }
    }
    assert_int_equal(cardan__cholesky(n, L, 1e-13), -1);
    cardan__cholesky_solve(n, L, y);
    assert_near_vec(y, x, n, 10.0 * DBL_EPSILON * n * n);
    for (int j = 1; j < n; j++) {
      assert_true(L[j] == 1e300);
    }
  }
  free(A);
  free(L);
}

// a row that repeats two others is found where it stands, whatever the scale of the matrix
// A^-1 A = 1 and Y = -2 S X, whatever is above the diagonals; a matrix that is not positive, or no
// number, is named by its row
static void large_symmetric_matrices(void **state)
{
  (void)state;
  support_rng rng = {12};
  double *A = matrix(LARGEST, LARGEST), *B = matrix(LARGEST, LARGEST),
         *Y = matrix(LARGEST, LARGEST);
  for (int s = 0; s < NSIZE; s++) {
    const int n = sizes[s];
    random_spd(&rng, n, 1.0, A);
    memcpy(B, A, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < n; i++) {
      for (int j = i + 1; j < n; j++) {
        B[i * n + j] = 1e300;
      }
    }
    assert_int_equal(cardan__positive_inverse(n, B), -1);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        assert_true(B[i * n + j] == B[j * n + i]);
        B[j * n + i] = 1e300;
      }
    }
    cardan__symmetric_mul(n, -2.0, B, A, Y);
    for (int i = 0; i < n * n; i++) {
      assert_near(Y[i], i % (n + 1) == 0 ? -2.0 : 0.0, 10.0 * DBL_EPSILON * n * n);
    }
    A[n * n - 1] = -1.0;
    assert_int_equal(cardan__positive_inverse(n, A), n - 1);
    random_spd(&rng, n, 1.0, A);
    A[n * n - 1] = NAN;
    assert_int_equal(cardan__positive_inverse(n, A), n - 1);
  }
  free(A);
  free(B);
  free(Y);
}

static void cholesky_names_the_dependent_row(void **state)
{
  (void)state;
  support_rng rng = {2};
  for (int s = 3; s < NSIZE; s++) {
    const int n = sizes[s], bad = n - 2;
    double *J = matrix(n, n + 5), *A = matrix(n, n);
    const int width = n + 5;
    support_random_vec(&rng, J, n * width, 1e-4);
    for (int k = 0; k < width; k++) {
      J[bad * width + k] = J[k] - 2.0 * J[width + k];
    }
    for (int i = 0; i < n; i++) {
      multiply(n, width, J, J + i * width, A + i * n);
    }
    assert_int_equal(cardan__cholesky(n, A, 1e-13), bad);
    free(J);
    free(A);
  }
}

static void lu_solves(void **state)
{
  (void)state;
  support_rng rng = {3};
  double *A = matrix(LARGEST, LARGEST), *LU = matrix(LARGEST, LARGEST);
  double x[LARGEST], y[LARGEST];
  int pivot[LARGEST];
  for (int s = 0; s < NSIZE; s++) {
    const int n = sizes[s];
    support_random_vec(&rng, A, n * n, 1.0);
    // a permuted diagonal of size n keeps the condition number small and forces exchanges
    for (int i = 0; i < n; i++) {
      A[i * n + (i + 1) % n] += 2.0 * n;
    }
    memcpy(LU, A, (size_t)(n * n) * sizeof *A);
    support_random_vec(&rng, x, n, 1.0);
    multiply(n, n, A, x, y);
    assert_int_equal(cardan__lu(n, LU, pivot), -1);
    // three at once: the same, twice and turned round
    double *many = matrix(n, 3), work[LARGEST];
    for (int i = 0; i < n; i++) {
      many[3 * i] = y[i];
      many[3 * i + 1] = 2 * y[i];
      many[3 * i + 2] = -y[i];
    }
    cardan__lu_solve(n, LU, pivot, y);
    assert_near_vec(y, x, n, 50.0 * DBL_EPSILON * n);
    cardan__lu_solve_many(n, LU, pivot, 3, many, work);
    for (int i = 0; i < n; i++) {
      assert_near(many[3 * i], x[i], 50.0 * DBL_EPSILON * n);
      assert_true(many[3 * i + 1] == 2 * many[3 * i] && many[3 * i + 2] == -many[3 * i]);
    }
    free(many);
  }
  // a matrix of zeros has no pivot at all
  for (int s = 0; s < NSIZE; s++) {
    memset(LU, 0, (size_t)(sizes[s] * sizes[s]) * sizeof *LU);
    assert_int_equal(cardan__lu(sizes[s], LU, pivot), 0);
  }
  free(A);
  free(LU);
}

/* A matrix of m rows and rank r: products of random m x r and r x n matrices. */
static void random_rank(support_rng *rng, int m, int n, int r, double *A)
{
  double *B = matrix(m, r), *C = matrix(r, n);
  support_random_vec(rng, B, m * r, 1.0);
  support_random_vec(rng, C, r * n, 1.0);
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      A[i * n + j] = 0.0;
      for (int k = 0; k < r; k++) {
        A[i * n + j] += B[i * r + k] * C[k * n + j];
      }
    }
  }
  free(B);
  free(C);
}

static void rank_is_found(void **state)
{
  (void)state;
  support_rng rng = {4};
  double A[12 * 12], copy[12 * 12], *work = matrix(1, (int)cardan__independent_work(12, 12));
  int order[12];
  for (int i = 0; i < 200; i++) {
    const int m = support_random_int(&rng, 1, 12), n = support_random_int(&rng, 1, 12);
    const int r = support_random_int(&rng, 1, m < n ? m : n);
    double spread = 0.0;
    bool seen[12] = {false};
    random_rank(&rng, m, n, r, A);
    memcpy(copy, A, sizeof A);
    assert_int_equal(cardan__independent(m, n, copy, 1e-9, order, &spread, work), r);
    assert_true(spread > 1e-9 && spread <= 1.0);
    for (int k = 0; k < m; k++) {
      assert_true(order[k] >= 0 && order[k] < m && !seen[order[k]]);
      seen[order[k]] = true;
    }
    memcpy(copy, A, sizeof A);
    assert_true(cardan__rows_independent(m, n, copy, 1e-9, work) == (r == m));
  }
  assert_int_equal(cardan__independent(0, 5, copy, 1e-9, order, NULL, work), 0);
  assert_true(cardan__rows_independent(0, 5, copy, 1e-9, work));
  free(work);
}

// x = A^T y for some y and A x = b: the shortest of all solutions
static void shortest_solution(void **state)
{
  (void)state;
  support_rng rng = {5};
  double A[15 * 15], b[15], x[15], want[15], y[15],
      *work = matrix(1, (int)cardan__min_norm_work(15, 15));
  int index[15];
  for (int i = 0; i < 100; i++) {
    const int m = support_random_int(&rng, 1, 15), n = support_random_int(&rng, 1, 15);
    const int r = support_random_int(&rng, 1, m < n ? m : n);
    random_rank(&rng, m, n, r, A);
    support_random_vec(&rng, y, m, 1.0);
    for (int j = 0; j < n; j++) {
      want[j] = 0.0;
      for (int k = 0; k < m; k++) {
        want[j] += A[k * n + j] * y[k];
      }
    }
    multiply(m, n, A, want, b);
    assert_int_equal(cardan__min_norm(m, n, A, b, 1e-9, x, work, index), r);
    // condition numbers of these random matrices reach 1e4: 1e-16 * 1e4 * the size of want
    assert_near_vec(x, want, n, 1e-11 * (1.0 + support_max_abs(want, n)));
  }
  b[0] = nan("");
  assert_int_equal(cardan__min_norm(2, 2, A, b, 1e-9, x, work, index), -1);
  free(work);
}

// x + N^T z solves A x = b for any z, N has n - r orthonormal rows, and x is the shortest
static void all_solutions(void **state)
{
  (void)state;
  support_rng rng = {55};
  double A[15 * 15], copy[15 * 15], b[15], y[15], x[15], N[15 * 15], back[15],
      *work = matrix(1, (int)cardan__solutions_work(15, 15));
  int order[15];
  for (int i = 0; i < 100; i++) {
    const int m = support_random_int(&rng, 1, 15), n = support_random_int(&rng, 1, 15);
    const int r = support_random_int(&rng, 1, m < n ? m : n);
    random_rank(&rng, m, n, r, A);
    memcpy(copy, A, sizeof A);
    support_random_vec(&rng, y, n, 1.0);
    multiply(m, n, A, y, b);
    assert_int_equal(cardan__solutions(m, n, copy, b, 1e-9, x, N, order, work), r);
    // condition numbers of these random matrices reach 1e4, sizes 1e2
    multiply(m, n, A, x, back);
    assert_near_vec(back, b, m, 1e-10);
    for (int j = r; j < n; j++) {
      double along = 0.0;
      multiply(m, n, A, N + j * n, back);
      assert_near_vec(back, (double[15]){0}, m, 1e-10);
      multiply(n - r, n, N + r * n, N + j * n, back);
      for (int k = r; k < n; k++) {
        assert_near(back[k - r], k == j, 1e-14);
      }
      multiply(1, n, x, N + j * n, &along);
      assert_near(along, 0.0, 1e-10);
    }
  }
  b[0] = nan("");
  assert_int_equal(cardan__solutions(2, 2, copy, b, 1e-9, x, N, order, work), -1);
  free(work);
}

// the damped solution is the one of the normal equations: (A^T A + mu^2 1) x = A^T b
static void damped_solution(void **state)
{
  (void)state;
  support_rng rng = {6};
  double A[15 * 15], b[15], x[15], r[15], *work = matrix(1, (int)cardan__damped_work(15, 15));
  for (int i = 0; i < 100; i++) {
    const int m = support_random_int(&rng, 1, 15), n = support_random_int(&rng, 1, 15);
    const double mu = pow(10.0, support_random_in(&rng, -2.0, 1.0));
    support_random_vec(&rng, A, m * n, 1.0);
    support_random_vec(&rng, b, m, 1.0);
    assert_true(cardan__damped(m, n, A, b, mu, x, work));
    multiply(m, n, A, x, r);
    for (int j = 0; j < n; j++) {
      double slope = mu * mu * x[j];
      for (int k = 0; k < m; k++) {
        slope += A[k * n + j] * (r[k] - b[k]);
      }
      // terms of size 1, m of them, and a condition number of at most sqrt(m n) / mu < 1e4
      assert_near(slope, 0.0, 1e-11);
    }
  }
  free(work);
}

static void one_thread(void **state)
{
  (void)state;
  // true or false depends on the BLAS of this machine; either way later calls must work
  cardan_blas_one_thread();
  double A[4] = {4.0, 0.0, 2.0, 5.0}, x[2] = {8.0, 16.0};
  assert_int_equal(cardan__cholesky(2, A, 0.0), -1);
  cardan__cholesky_solve(2, A, x); // [4 2; 2 5] x = (8, 16)
  assert_near(x[0], 0.5, 4.0 * DBL_EPSILON);
  assert_near(x[1], 3.0, 12.0 * DBL_EPSILON);
}

/* OpenBLAS on one thread while anybody wants it so; then as it was. */
static void held(void **state)
{
  (void)state;
  void *self = dlopen(NULL, RTLD_LAZY);
  void *get = dlsym(self, "openblas_get_num_threads"),
       *set = dlsym(self, "openblas_set_num_threads");
  int (*get_threads)(void) = NULL;
  void (*set_threads)(int) = NULL;
  if (get == NULL || set == NULL) {
    dlclose(self);
    skip();
  }
  memcpy(&get_threads, &get, sizeof get);
  memcpy(&set_threads, &set, sizeof set);
  const int before = get_threads();
  set_threads(2);
  const int two = get_threads(); // 1 where it was built without threads
  cardan__blas_hold();
  cardan__blas_hold();
  assert_int_equal(get_threads(), 1);
  cardan__blas_release();
  assert_int_equal(get_threads(), 1);
  cardan__blas_release();
  assert_int_equal(get_threads(), two);
  set_threads(before);
  dlclose(self);
}

/* Factorisations of the size of large loops, to A and to what the others leave in it. */
static void factor_all(int n, double *A, double *B, double *work)
{
  int *order = calloc((size_t)n, sizeof *order);
  support_rng rng = {41};
  for (int i = 0; i < n * n; i++) {
    A[i] = support_random_in(&rng, -1, 1);
  }
  memcpy(B, A, (size_t)(n * n) * sizeof *A);
  assert_int_equal(cardan__lu(n, B, order), -1);
  memcpy(B + n * n, A, (size_t)(n * n) * sizeof *A);
  cardan__independent(n, n, B + n * n, 1e-12, order, NULL, work);
  for (int i = 0; i < n; i++) {
    A[i * n + i] += n;
  }
  assert_int_equal(cardan__cholesky(n, A, 0), -1); // reads the lower half
  free(order);
}

// the bits of a factorisation are not those of a number of threads, and the number stays
static void same_bits_for_any_threads(void **state)
{
  enum { N = 300 };
  (void)state;
  void *self = dlopen(NULL, RTLD_LAZY);
  void *get = dlsym(self, "openblas_get_num_threads"),
       *set = dlsym(self, "openblas_set_num_threads"), *kind = dlsym(self, "openblas_get_parallel");
  int (*get_threads)(void) = NULL, (*parallel)(void) = NULL;
  void (*set_threads)(int) = NULL;
  memcpy(&get_threads, &get, sizeof get);
  memcpy(&set_threads, &set, sizeof set);
  memcpy(&parallel, &kind, sizeof kind);
  dlclose(self);
  if (get == NULL || set == NULL || kind == NULL || parallel() != 1) {
    skip();
  }
  const int before = get_threads();
  double *made[2];
  for (int t = 0; t < 2; t++) {
    set_threads(1 + t);
    made[t] = calloc(3 * N * N + cardan__independent_work(N, N), sizeof **made);
    factor_all(N, made[t], made[t] + N * N, made[t] + 3 * N * N);
    assert_int_equal(get_threads(), 1 + t);
  }
  assert_memory_equal(made[0], made[1], 3 * N * N * sizeof **made);
  set_threads(before);
  free(made[0]);
  free(made[1]);
}

/* S = B B^T for B (n x r), rows of B of sizes from 1e-3 to 1e3; lower triangle. */
static void semidefinite_of(int n, int r, const double *B, double *S)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      S[i * n + j] = 0.0;
      for (int k = 0; k < r; k++) {
        S[i * n + j] += B[i * r + k] * B[j * r + k];
      }
    }
  }
}

// the factors of a matrix of every rank: solves for what it can make, in the rows that it takes
static void cholesky_of_rank(void **state)
{
  enum { N = 12 };
  support_rng rng = {31};
  (void)state;
  for (int rank = 0; rank <= N; rank++) {
    double B[N * N], A[N * N], L[N * N], b[N], x[N], y[N], diagonal[N];
    int order[N];
    support_random_vec(&rng, B, N * rank, 1);
    support_random_vec(&rng, y, N, 1);
    semidefinite_of(N, rank, B, A);
    for (int i = 0; i < N; i++) {
      diagonal[i] = A[i * N + i] + 1e-3;
      for (int j = i + 1; j < N; j++) {
        A[i * N + j] = A[j * N + i];
      }
    }
    multiply(N, N, A, y, b); // a right-hand side that A can make
    memcpy(L, A, sizeof L);
    assert_int_equal(cardan__cholesky_rank(N, L, diagonal, 1e-12, order), rank);
    for (int i = rank; i < N; i++) {
      diagonal[order[i]] = b[order[i]]; // of rows not taken it is not looked at
      b[order[i]] = 7;
    }
    cardan__cholesky_rank_solve(N, rank, L, order, b, x);
    for (int i = rank; i < N; i++) {
      assert_true(x[order[i]] == 0);
      b[order[i]] = diagonal[order[i]];
    }
    multiply(N, N, A, x, y);
    assert_near_vec(y, b, N, 1e-9); // condition of what is taken, up to 1e6, times rounding
  }
}

// S = B B^T of rank r < n: y solves S y = S x and is as short as x = B z, which has no part in the
// null space; what the rows contradict each other in changes nothing. Rows may be of any size.
// tolerance: rounding of S, n eps, times its condition number: r for random rows, 1e6 for the sizes
static void semidefinite_solves(void **state)
{
  (void)state;
  support_rng rng = {6};
  for (int trial = 0; trial < 40; trial++) {
    const int n = 2 + trial % 19, r = 1 + (trial / 3) % (n - 1);
    double *B = matrix(n, r), *S = matrix(n, n), *work = matrix(3 * n, n);
    double x[20], b[20], z[20], along[20];
    int order[20];
    double left[20], size[20], x_work[20];
    const double spread = trial % 2 == 0 ? 1.0 : 1e3;
    support_random_vec(&rng, B, n * r, 1.0);
    support_random_vec(&rng, z, r, 1.0);
    for (int i = 0; i < n * r; i++) {
      B[i] *= (i / r) % 3 == 0 ? 1.0 / spread : 1.0;
    }
    semidefinite_of(n, r, B, S);
    multiply(n, r, B, z, x);
    for (int k = 0; k < r; k++) { // b = S x = B (B^T x)
      along[k] = 0.0;
      for (int i = 0; i < n; i++) {
        along[k] += B[i * r + k] * x[i];
      }
    }
    multiply(n, r, B, along, b);
    cardan__semidefinite f = {.n = n, .S = S, .T = work, .G = work + n * n};
    f.order = order;
    f.left = left;
    f.size = size;
    for (int i = 0; i < n; i++) {
      size[i] = S[i * n + i];
    }
    f.x = x_work;
    assert_int_equal(cardan__semidefinite_factor(&f, n, 1e-10), r);
    assert_true(f.last > 1e-10 && f.next < 1e-12);
    memcpy(along, b, sizeof along);
    cardan__semidefinite_solve(&f, along);
    const double tol = 1e4 * DBL_EPSILON * n * n * spread * spread;
    assert_near_vec(along, x, n, tol * (1.0 + support_max_abs(x, n)));
    // a part of b outside the range: u = [-T^T e; e], orthogonal to all columns of B
    memcpy(along, b, sizeof along);
    along[order[r]] += 1.0;
    for (int i = 0; i < r; i++) {
      along[order[i]] -= f.T[order[r] * n + i];
    }
    cardan__semidefinite_solve(&f, along);
    assert_near_vec(along, x, n, tol * (1.0 + support_max_abs(x, n)));
    // no more than requested
    semidefinite_of(n, r, B, S);
    assert_int_equal(cardan__semidefinite_factor(&f, r - 1, 1e-10), r - 1);
    assert_true(f.next > 1e-10);
    free(B);
    free(S);
    free(work);
  }
}

// A = U^T (U A) with orthogonal rows on both sides, longest first, and a rank that is less than the
// rows; tolerance: some rounding for each of the sweeps' rotations
static void rows_become_orthogonal(void **state)
{
  (void)state;
  enum { M = 7, N = 5, RANK = 4 };
  support_rng rng = {11};
  double left[M * RANK], right[RANK * N], A[M * N] = {0}, R[M * N], U[M * M], size[M];
  support_random_vec(&rng, left, M * RANK, 1.0);
  support_random_vec(&rng, right, RANK * N, 1.0);
  for (int i = 0; i < M * N; i++) {
    for (int k = 0; k < RANK; k++) {
      A[i] += left[i / N * RANK + k] * right[k * N + i % N] * (k == RANK - 1 ? 1e-6 : 1.0);
    }
  }
  memcpy(R, A, sizeof R);
  cardan__orthogonal_rows(M, N, R, U, size);
  for (int i = 0; i < M; i++) {
    for (int k = 0; k < N; k++) {
      double sum = 0.0;
      for (int j = 0; j < M; j++) {
        sum += U[j * M + i] * R[j * N + k];
      }
      assert_near(sum, A[i * N + k], 1e3 * DBL_EPSILON);
    }
    for (int j = 0; j < i; j++) {
      double rows = 0.0, turns = 0.0;
      for (int k = 0; k < N; k++) {
        rows += R[i * N + k] * R[j * N + k];
      }
      for (int k = 0; k < M; k++) {
        turns += U[i * M + k] * U[j * M + k];
      }
      // the smallest singular values have their own digits; beyond the rank there is rounding
      assert_near(rows, 0.0, i < RANK ? 1e2 * DBL_EPSILON * size[i] * size[j] : 1e-14);
      assert_near(turns, 0.0, 1e3 * DBL_EPSILON);
      assert_true(size[j] >= size[i]);
    }
  }
  assert_true(size[RANK - 1] > 1e-8 && size[RANK - 1] < 1e-5 && size[RANK] < 1e-14);
}

// A = B D B^T has as many negative eigenvalues as D
static void negative_eigenvalues(void **state)
{
  (void)state;
  enum { N = 9 };
  support_rng rng = {12};
  double B[N * N], A[N * N];
  support_random_vec(&rng, B, N * N, 1.0);
  for (int negative = 0; negative <= N; negative++) {
    memset(A, 0, sizeof A);
    for (int i = 0; i < N * N; i++) {
      for (int k = 0; k < N; k++) {
        A[i] += B[i / N * N + k] * B[i % N * N + k] * (k < negative ? -1.0 - k : 1.0 + k);
      }
    }
    assert_int_equal(cardan__negative(N, A), negative);
  }
}

/* A (n x n) <- H A H, H = 1 - 2 v v^T / |v|^2, some three times */
static void reflect(support_rng *rng, int n, double *A)
{
  double v[16];
  for (int k = 0; k < 3; k++) {
    double square = 0;
    support_random_vec(rng, v, n, 1);
    for (int i = 0; i < n; i++) {
      square += v[i] * v[i];
    }
    for (int j = 0; j < 2 * n; j++) { // columns, then rows
      double *at = j < n ? A + j : A + (j - n) * n, dot = 0;
      const int step = j < n ? n : 1;
      for (int i = 0; i < n; i++) {
        dot += v[i] * at[i * step];
      }
      for (int i = 0; i < n; i++) {
        at[i * step] -= 2 * dot * v[i] / square;
      }
    }
  }
}

/* |A x - s x| of the real values of the part that is left: in the whole. */
static double vectors_off(int n, int left, const double *A, const double *B, const double *Z,
                          const int *stage, double *work)
{
  double X[256], V[256], re[16], im[16], error[16], worst = 0;
  for (int i = 0; i < left; i++) {
    memcpy(X + i * left, B + i * n, (size_t)left * sizeof *X);
  }
  assert_true(cardan__eigen(left, X, re, im, V, error, work));
  for (int k = 0; k < left; k++) {
    double y[16] = {0}, x[16] = {0};
    if (im[k] == 0) {
      memcpy(y, V + k * left, (size_t)left * sizeof *y);
      cardan__add_zeros(n, left, B, stage, re[k], 0, y, NULL);
      for (int i = 0; i < n * n; i++) {
        x[i % n] += Z[i] * y[i / n];
      }
      for (int i = 0; i < n; i++) {
        double off = -re[k] * x[i];
        for (int j = 0; j < n; j++) {
          off += A[i * n + j] * x[j];
        }
        worst = fmax(worst, fabs(off));
      }
      worst = fmax(worst, fmin(fabs(re[k] - 3), fabs(re[k] - 4)));
    }
  }
  return worst;
}

// Jordan blocks of 0 of sizes 4, 3, 1, 1 beside the values 3, 4 and -1 +- 2 i, reflected, and with
// an error of 1e-13 in every entry, which eigenvalues alone would show as some 1e-3: the stages
// count blocks of size 1 or more, 2 or more, ..; the rest has the other values, with vectors of
// the whole. Their error is some n of those of the entries
static void zeros_are_taken_out(void **state)
{
  enum { N = 13, TRIES = 20 };
  static const int expected[] = {4, 2, 2, 1, 0};
  support_rng rng = {71};
  (void)state;
  for (int trial = 0; trial < TRIES; trial++) {
    double A[N * N] = {0}, B[N * N], Z[N * N], X[N * N], M[N * N], work[8192];
    int stage[N + 1], order[N];
    A[1] = A[N + 2] = A[2 * N + 3] = A[4 * N + 5] = A[5 * N + 6] = 1;
    A[9 * N + 9] = 3;
    A[10 * N + 10] = 4;
    A[11 * N + 11] = A[12 * N + 12] = -1;
    A[11 * N + 12] = 2;
    A[12 * N + 11] = -2;
    reflect(&rng, N, A);
    for (int i = 0; i < N * N; i++) {
      A[i] += support_random_in(&rng, -1e-13, 1e-13);
    }
    memcpy(B, A, sizeof B);
    assert_true(cardan__take_zeros_work(N) <= 8192 && cardan__eigen_work(N) <= 8192);
    const int left = cardan__take_zeros(N, B, 1e-11, Z, stage, X, M, order, work);
    assert_int_equal(left, 4);
    for (int k = 0; k < 5; k++) {
      assert_int_equal(stage[k], expected[k]);
    }
    assert_true(vectors_off(N, left, A, B, Z, stage, work) < 1e-11);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cholesky_solves),
      cmocka_unit_test(cholesky_names_the_dependent_row),
      cmocka_unit_test(large_symmetric_matrices),
      cmocka_unit_test(lu_solves),
      cmocka_unit_test(rank_is_found),
      cmocka_unit_test(shortest_solution),
      cmocka_unit_test(all_solutions),
      cmocka_unit_test(damped_solution),
      cmocka_unit_test(semidefinite_solves),
      cmocka_unit_test(one_thread),
      cmocka_unit_test(held),
      cmocka_unit_test(same_bits_for_any_threads),
      cmocka_unit_test(cholesky_of_rank),
      cmocka_unit_test(rows_become_orthogonal),
      cmocka_unit_test(negative_eigenvalues),
      cmocka_unit_test(zeros_are_taken_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
