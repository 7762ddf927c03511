// SPDX-License-Identifier: Apache-2.0
#include "cardan/modes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "dynamics/loops.h"
#include "linalg/linalg.h"
#include "model/joint_table.h"
#include "spatial/spatial.h"

/* Modes from Mr, Cr, Kr.
 *   Mr = L L^T,   x = L^-T y:   y' = F y + w,   w' = -K y - C w                             (E1)
 *   K = L^-1 Kr L^-T, C alike; F = L^T A11 L^-T of the linear system, mostly 0
 * Where F = C = 0 and K is symmetric, s^2 = -eigenvalues of K. Otherwise, with F = 0, directions z
 * that are free,
 *   K z = C z = K^T z = C^T z = 0,                                                          (E2)
 * are taken out first: s = 0 is a defective pair there, which rounding would spread over
 * sqrt(eps) |K|. What is left is the eigenproblem of
 *   A = [F r; -K / r  -C],   r = sqrt(|K|): all of one size                                 (E3)
 * Each s comes with how far rounding may have moved it (linalg/eigen.c): less than that is 0, or,
 * where s is more than rounding makes of a pair, in doubt: matrices far from normal have such. */

static const double few = 64; // roundings, of n terms each

typedef struct {
  cardan_matrices *m;
  int n;                   // true degrees of freedom
  double *L;               // n x n
  double *K, *C;           // n x n (E1)
  double *Z;               // n x n, orthonormal rows: first what moves, then what is free
  int nfree;               // rows of Z that are free
  double *stack;           // 4 n x n
  double *zero, *x;        // 4 n, n
  int *order;              // 4 n
  double *A, *V;           // nx x nx
  double *F, *A0;          // n x n; nx x nx: A, kept
  double least;            // sqrt(eps) |A|: where rounding moves a defective pair s = 0
  bool turning;            // F is not 0
  double *re, *im, *error; // nx
  double *work;
  double *y, *y2; // nx: a vector's real and imaginary part
  void *block;
} work;

static void layout_work(void *what, cardan__carver *c)
{
  work *w = what;
  const size_t n = (size_t)w->n, nx = 2 * n;
  double **const squares[] = {&w->L, &w->K, &w->C, &w->Z, &w->F};
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
    *squares[i] = cardan__carve(c, n * n, sizeof(double));
  }
  w->stack = cardan__carve(c, 4 * n * n, sizeof(double));
  w->A = w->stack; // not both at once
  w->V = cardan__carve(c, nx * nx, sizeof(double));
  w->A0 = cardan__carve(c, nx * nx, sizeof(double));
  w->zero = cardan__carve(c, 4 * n, sizeof(double));
  w->x = cardan__carve(c, n, sizeof(double));
  w->order = cardan__carve(c, 4 * n, sizeof(int));
  w->re = cardan__carve(c, nx, sizeof(double));
  w->im = cardan__carve(c, nx, sizeof(double));
  w->error = cardan__carve(c, nx, sizeof(double));
  w->y = cardan__carve(c, nx, sizeof(double));
  w->y2 = cardan__carve(c, nx, sizeof(double));
  const size_t a = cardan__eigen_work((int)nx), b = cardan__solutions_work(4 * w->n, w->n);
  w->work = cardan__carve(c, a > b ? a : b, sizeof(double));
}

static void layout_result(void *what, cardan__carver *c)
{
  cardan_modes *modes = what;
  const size_t nv = (size_t)modes->matrices->nv, most = (size_t)modes->matrices->nx;
  modes->mode = cardan__carve(c, most, sizeof *modes->mode);
  double *shapes = cardan__carve(c, 2 * most * nv, sizeof(double));
  for (size_t k = 0; k < most && shapes != NULL; k++) {
    modes->mode[k].shape = shapes + 2 * k * nv;
    modes->mode[k].quarter = shapes + (2 * k + 1) * nv;
  }
}

void cardan_modes_destroy(cardan_modes *modes)
{
  if (modes != NULL) {
    const cardan_allocator allocator = modes->allocator;
    cardan_matrices_destroy(modes->matrices);
    cardan__resize(&allocator, modes->block, 0);
    cardan__resize(&allocator, modes, 0);
  }
}

const char *cardan_mode_word(cardan_mode_kind kind)
{
  static const char *const word[] = {"rigid", "still", "swing", "decay", "grow"};
  return word[kind];
}

/* Frobenius' norm. */
static double norm(size_t count, const double *X)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += X[i] * X[i];
  }
  return sqrt(sum);
}

/* F of (E1): L^-1 (Mr A11) L^-T. */
static void find_turning(work *w)
{
  const cardan_matrices *m = w->m;
  const size_t n = (size_t)w->n, nx = (size_t)m->nx;
  memset(w->F, 0, n * n * sizeof *w->F);
  for (size_t k = 0; k < n; k++) {
    for (size_t j = 0; j < n; j++) {
      const double f = m->A[k * nx + j];
      w->turning = w->turning || f != 0.0;
      for (size_t i = 0; i < n && f != 0.0; i++) {
        w->F[i * n + j] += m->Mr[i * n + k] * f;
      }
    }
  }
  if (w->turning) {
    cardan__congruent(w->n, w->L, w->F);
  }
}

/* L, F, K and C of (E1). returns false where Mr is not positive definite */
static bool normalise(work *w)
{
  const cardan_matrices *m = w->m;
  const size_t size = (size_t)w->n * (size_t)w->n * sizeof(double);
  memcpy(w->L, m->Mr, size);
  memcpy(w->K, m->Kr, size);
  memcpy(w->C, m->Cr, size);
  if (cardan__cholesky(w->n, w->L, 0) >= 0) {
    return false;
  }
  cardan__congruent(w->n, w->L, w->K);
  cardan__congruent(w->n, w->L, w->C);
  find_turning(w);
  return true;
}

/* Is C nothing, and K symmetric but for rounding? It is then made so. */
static bool make_symmetric(work *w)
{
  const size_t n = (size_t)w->n;
  const double size = norm(n * n, w->K), none = few * DBL_EPSILON * (double)n;
  double off = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      off = fmax(off, fabs(w->K[i * n + j] - w->K[j * n + i]));
    }
  }
  if (w->turning || norm(n * n, w->C) > none * sqrt(size) || off > none * size) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      w->K[i * n + j] = w->K[j * n + i] = 0.5 * (w->K[i * n + j] + w->K[j * n + i]);
    }
  }
  return true;
}

/* Shape of the mode from its change of x, re + i im (n each; im NULL: 0): N x, with the largest
 * entry turned to the real axis and made 1. */
static void set_shape(const cardan_modes *modes, cardan_mode *mode, const double *re,
                      const double *im)
{
  const cardan_matrices *m = modes->matrices;
  const size_t nv = (size_t)m->nv, n = (size_t)m->n;
  double most = 0, c = 1, s = 0;
  for (size_t i = 0; i < nv; i++) {
    double a = 0, b = 0;
    for (size_t k = 0; k < n; k++) {
      a += m->N[i * n + k] * re[k];
      b += im != NULL ? m->N[i * n + k] * im[k] : 0;
    }
    mode->shape[i] = a;
    mode->quarter[i] = b;
    const double size = hypot(a, b) / cardan__velocity_unit(m->model, (int)i);
    if (size > most * (1 + 1e-9)) { // of equal ones the first, whatever rounding says
      most = size;
      c = a / hypot(a, b);
      s = b / hypot(a, b);
    }
  }
  for (size_t i = 0; i < nv && most > 0; i++) {
    const double a = mode->shape[i], b = mode->quarter[i];
    mode->shape[i] = (a * c + b * s) / most;
    mode->quarter[i] = im != NULL ? (b * c - a * s) / most : 0;
  }
}

/* x (n, out) = L^-T y */
static void back(const work *w, const double *y, double *x)
{
  const int n = w->n;
  for (int i = n - 1; i >= 0; i--) {
    double sum = y[i];
    for (int j = i + 1; j < n; j++) {
      sum -= w->L[(size_t)j * (size_t)n + (size_t)i] * x[j];
    }
    x[i] = sum / w->L[(size_t)i * (size_t)n + (size_t)i];
  }
}

/* |s^2 y + K y| over the sizes of its terms, s^2 = -mu. */
static double residual_of(const work *w, double mu, const double *y)
{
  const size_t n = (size_t)w->n;
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double a = -mu * y[i];
    for (size_t k = 0; k < n; k++) {
      a += w->K[i * n + k] * y[k];
    }
    sum += a * a;
  }
  const double terms = fabs(mu) + norm(n * n, w->K);
  return terms > 0 ? sqrt(sum) / terms : 0;
}

/* |A x - s x| / (|A| |x|), x of row k of V; of a pair that of both rows. */
static double residual_of_pair(const work *w, size_t nx, size_t k, bool pair)
{
  const double *x = w->V + k * nx, *x2 = pair ? x + nx : NULL, re = w->re[k], im = w->im[k];
  double sum = 0, length = 0;
  for (size_t i = 0; i < nx; i++) {
    const double xi = x[i], yi = pair ? x2[i] : 0;
    double a = im * yi - re * xi, b = -re * yi - im * xi;
    for (size_t j = 0; j < nx; j++) {
      a += w->A0[i * nx + j] * x[j];
      b += pair ? w->A0[i * nx + j] * x2[j] : 0;
    }
    sum += a * a + b * b;
    length += xi * xi + yi * yi;
  }
  const double size = norm(nx * nx, w->A0);
  return size > 0 && length > 0 ? sqrt(sum / length) / size : 0;
}

/* A mode of s = re + i im that rounding may have moved by error; shape from y + i y2 (E1), y2 NULL
 * for a real s. A pair that counts as 0 is one of a free direction. */
static void add_mode(cardan_modes *modes, work *w, double re, double im, double error,
                     const double *y, const double *y2)
{
  cardan_mode *mode = &modes->mode[modes->n++];
  const double size = hypot(re, im), none = few * error;
  const bool zero = size <= none && size <= few * w->least;
  mode->kind = zero         ? (y2 != NULL ? CARDAN_MODE_RIGID : CARDAN_MODE_STILL)
               : y2 != NULL ? CARDAN_MODE_SWING
               : re < 0     ? CARDAN_MODE_DECAY
                            : CARDAN_MODE_GROW;
  mode->re = zero ? 0 : re;
  mode->im = zero ? 0 : im;
  mode->error = error;
  mode->frequency = mode->im / (2 * 3.14159265358979323846);
  mode->damping = zero ? 0 : (0 - re) / size;
  mode->unstable = !zero && re > none;
  mode->doubtful = !zero && size <= none;
  back(w, y, w->x);
  if (y2 != NULL && !zero) {
    back(w, y2, w->zero);
  }
  set_shape(modes, mode, w->x, y2 != NULL && !zero ? w->zero : NULL);
}

/* One of a free direction. */
static void add_rigid(cardan_modes *modes, work *w, const double *z)
{
  add_mode(modes, w, 0, 0, 0, z, NULL);
  modes->mode[modes->n - 1].kind = CARDAN_MODE_RIGID;
}

/* K symmetric, F = C = 0. */
static bool solve_symmetric(cardan_modes *modes, work *w)
{
  const size_t n = (size_t)w->n;
  memcpy(w->Z, w->K, n * n * sizeof *w->Z);
  if (!cardan__eigen_symmetric(w->n, w->Z, w->re, w->work)) {
    return false;
  }
  const double size = n > 0 ? fmax(fabs(w->re[0]), fabs(w->re[n - 1])) : 0;
  memset(w->y2, 0, n * sizeof *w->y2);
  for (size_t k = 0; k < n; k++) {
    const double *z = w->Z + k * n, mu = w->re[k], s = sqrt(fabs(mu));
    const double off = DBL_EPSILON * size * sqrt((double)n); // of mu; of s half of it over s
    const int first = modes->n;
    if (fabs(mu) <= few * off) {
      add_rigid(modes, w, z);
    } else if (mu > 0) {
      add_mode(modes, w, 0, s, 0.5 * off / s, z, w->y2);
    } else {
      add_mode(modes, w, -s, 0, 0.5 * off / s, z, NULL);
      add_mode(modes, w, s, 0, 0.5 * off / s, z, NULL);
    }
    for (int i = first; i < modes->n; i++) {
      modes->mode[i].residual = residual_of(w, mu, z);
    }
  }
  return true;
}

/* Z and nfree of (E2); with F none is looked for. */
static bool find_free(work *w)
{
  const size_t n = (size_t)w->n;
  if (w->turning) {
    memset(w->Z, 0, n * n * sizeof *w->Z);
    for (size_t i = 0; i < n; i++) {
      w->Z[i * n + i] = 1;
    }
    return true;
  }
  const double k = norm(n * n, w->K), c = norm(n * n, w->C);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      w->stack[i * n + j] = k > 0 ? w->K[i * n + j] / k : 0;
      w->stack[(n + i) * n + j] = k > 0 ? w->K[j * n + i] / k : 0;
      w->stack[(2 * n + i) * n + j] = c > 0 ? w->C[i * n + j] / c : 0;
      w->stack[(3 * n + i) * n + j] = c > 0 ? w->C[j * n + i] / c : 0;
    }
  }
  memset(w->zero, 0, 4 * n * sizeof *w->zero);
  const double tol = few * DBL_EPSILON * sqrt((double)n);
  const int rank =
      cardan__solutions(4 * w->n, w->n, w->stack, w->zero, tol, w->x, w->Z, w->order, w->work);
  w->nfree = w->n - rank;
  return rank >= 0;
}

/* row (out): row i of factor Z X Z^T, of the rows of Z that move. */
static void project(const work *w, const double *X, size_t i, double factor, double *row)
{
  const size_t n = (size_t)w->n, moving = n - (size_t)w->nfree;
  const double *z = w->Z + i * n;
  memset(w->y, 0, n * sizeof *w->y);
  for (size_t k = 0; k < n; k++) {
    for (size_t l = 0; l < n && z[k] != 0.0; l++) {
      w->y[l] += z[k] * X[k * n + l];
    }
  }
  for (size_t j = 0; j < moving; j++) {
    double sum = 0;
    for (size_t l = 0; l < n; l++) {
      sum += w->y[l] * w->Z[j * n + l];
    }
    row[j] = factor * sum;
  }
}

/* y (n, out) of the first entries of a vector of the projected problem. */
static void unproject(const work *w, const double *v, double *y)
{
  const size_t n = (size_t)w->n, moving = n - (size_t)w->nfree;
  memset(y, 0, n * sizeof *y);
  for (size_t j = 0; j < moving; j++) {
    for (size_t l = 0; l < n; l++) {
      y[l] += v[j] * w->Z[j * n + l];
    }
  }
}

/* A of (E3), nx x nx, and a copy of it. */
static void fill_A(work *w, size_t moving, size_t nx)
{
  const double size = sqrt(norm((size_t)w->n * (size_t)w->n, w->K)), r = size > 0 ? size : 1;
  memset(w->A, 0, nx * nx * sizeof *w->A);
  for (size_t i = 0; i < moving; i++) {
    if (w->turning) {
      project(w, w->F, i, 1, w->A + i * nx);
    }
    w->A[i * nx + moving + i] = r;
    project(w, w->K, i, -1 / r, w->A + (moving + i) * nx);
    project(w, w->C, i, -1, w->A + (moving + i) * nx + moving);
  }
  memcpy(w->A0, w->A, nx * nx * sizeof *w->A);
  w->least = sqrt(DBL_EPSILON) * norm(nx * nx, w->A0);
}

/* Any F, K and C. */
static bool solve_general(cardan_modes *modes, work *w)
{
  if (!find_free(w)) {
    return false;
  }
  const size_t n = (size_t)w->n, moving = n - (size_t)w->nfree, nx = 2 * moving;
  fill_A(w, moving, nx);
  if (!cardan__eigen((int)nx, w->A, w->re, w->im, w->V, w->error, w->work)) {
    return false;
  }
  for (size_t k = moving; k < n; k++) {
    add_rigid(modes, w, w->Z + k * n);
  }
  for (size_t k = 0; k < nx; k++) {
    const bool pair = w->im[k] > 0;
    unproject(w, w->V + k * nx, w->y);
    if (pair) {
      unproject(w, w->V + (k + 1) * nx, w->y2);
    }
    add_mode(modes, w, w->re[k], w->im[k], w->error[k], w->y, pair ? w->y2 : NULL);
    modes->mode[modes->n - 1].residual = residual_of_pair(w, nx, k, pair);
    k += pair;
  }
  return true;
}

/* Two that are still, of one shape, are a pair s = 0 that rounding has parted: it moves on. */
static void join_still(cardan_modes *modes)
{
  const size_t nv = (size_t)modes->matrices->nv;
  for (int i = 0; i < modes->n; i++) {
    for (int j = modes->n - 1; j > i && modes->mode[i].kind == CARDAN_MODE_STILL; j--) {
      const cardan_mode *a = &modes->mode[i], *b = &modes->mode[j];
      double ab = 0;
      for (size_t k = 0; k < nv; k++) {
        ab += a->shape[k] * b->shape[k];
      }
      const double size = norm(nv, a->shape) * norm(nv, b->shape);
      if (b->kind == CARDAN_MODE_STILL && fabs(ab) > (1 - 1e-6) * size) {
        modes->mode[i].kind = CARDAN_MODE_RIGID;
        const cardan_mode gone = modes->mode[j];
        modes->mode[j] = modes->mode[--modes->n];
        modes->mode[modes->n] = gone; // its room stays the block's
      }
    }
  }
}

static int compare(const void *a, const void *b)
{
  const cardan_mode *x = a, *y = b;
  const bool x0 = x->kind <= CARDAN_MODE_STILL, y0 = y->kind <= CARDAN_MODE_STILL;
  const double xs = hypot(x->re, x->im), ys = hypot(y->re, y->im);
  if (x0 != y0 || (x0 && x->kind != y->kind)) {
    return x0 != y0 ? (x0 ? -1 : 1) : (int)x->kind - (int)y->kind;
  }
  if (!x0 && xs != ys) {
    return xs < ys ? -1 : 1;
  }
  if (!x0 && x->re != y->re) {
    return x->re < y->re ? -1 : 1;
  }
  return x->shape < y->shape ? -1 : x->shape > y->shape; // in the order they were found
}

static cardan_status solve(cardan_modes *modes, work *w, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  if (!normalise(w)) {
    return cardan_fail(report, CARDAN_ERR_NOT_POSDEF, none,
                       "the inertia of the degrees of freedom is not positive");
  }
  modes->symmetric = make_symmetric(w);
  const bool solved = modes->symmetric ? solve_symmetric(modes, w) : solve_general(modes, w);
  if (!solved) {
    return cardan_fail(report, CARDAN_ERR_NO_CONVERGENCE, none,
                       "the eigenvalues of the %d degrees of freedom did not converge", w->n);
  }
  join_still(modes);
  for (int k = 0; k < modes->n; k++) {
    modes->nunstable += modes->mode[k].unstable;
  }
  qsort(modes->mode, (size_t)modes->n, sizeof *modes->mode, compare);
  return CARDAN_OK;
}

cardan_status cardan_modes_create(const cardan_model *model, const cardan_data *data,
                                  const cardan_allocator *allocator, cardan_modes **out,
                                  cardan_report *report)
{
  const cardan_pos none = {0, 0};
  work w = {0};
  *out = NULL;
  cardan_modes *modes = cardan__resize(allocator, NULL, sizeof *modes);
  if (modes == NULL) {
    return cardan__no_memory(report);
  }
  *modes = (cardan_modes){0};
  modes->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  cardan_status status = cardan_matrices_create(model, data, allocator, &modes->matrices, report);
  if (status == CARDAN_OK && modes->matrices->status != CARDAN_OK) {
    status = cardan_fail(report, modes->matrices->status, none, "%s", modes->matrices->why);
  }
  if (status == CARDAN_OK) {
    w.m = modes->matrices;
    w.n = w.m->n;
    modes->block = cardan__carve_block(allocator, layout_result, modes);
    w.block = cardan__carve_block(allocator, layout_work, &w);
    status = modes->block != NULL && w.block != NULL ? solve(modes, &w, report)
                                                     : cardan__no_memory(report);
  }
  cardan__resize(allocator, w.block, 0);
  if (status != CARDAN_OK) {
    cardan_modes_destroy(modes);
    return status;
  }
  *out = modes;
  return CARDAN_OK;
}

/* ---- to be looked at ---- */

cardan_status cardan_mode_place(const cardan_modes *modes, int mode, double amplitude, double angle,
                                cardan_data *data)
{
  const cardan_matrices *m = modes->matrices;
  const cardan_mode *x = &modes->mode[mode];
  const double c = cos(angle), s = sin(angle);
  data->t = m->t;
  for (int k = 0; k < m->nv; k++) {
    data->a[k] = x->shape[k] * c - x->quarter[k] * s;
  }
  cardan_q_move(m->model, m->q, data->a, amplitude, data->q);
  memset(data->v, 0, (size_t)m->nv * sizeof *data->v);
  cardan_kinematics(m->model, data);
  return m->nrow > 0 ? cardan__project(m->model, data) : CARDAN_OK;
}

double cardan_mode_amplitude(const cardan_modes *modes, int mode, cardan_data *data)
{
  const double part = 0.15, turn = 0.4;
  const cardan_matrices *m = modes->matrices;
  const cardan_model *model = m->model;
  const double length = model->size_length > 0 ? model->size_length : 1;
  double most = 0;
  data->t = m->t;
  memcpy(data->q, m->q, (size_t)model->nq * sizeof *data->q);
  cardan_joints(model, data);
  for (int side = 0; side < 2; side++) {
    const double *x = side ? modes->mode[mode].quarter : modes->mode[mode].shape;
    cardan__tree_motions(model, data, x, true, data->V);
    for (int i = 1; i < model->nbody; i++) {
      most = fmax(most, cardan__vec3_norm(data->V[i].v) / (part * length));
      most = fmax(most, cardan__vec3_norm(data->V[i].w) / turn);
    }
  }
  data->fresh = 0;
  return most > 0 ? 1 / most : 0;
}
