// SPDX-License-Identifier: Apache-2.0
#include "analysis/matrices.h"
#include "analysis/mode_shape.h"
#include "analysis/modes_work.h"

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

/* Modes from Mr, Cr, Kr, in coordinates where Mr is 1 (modes_work.h).
 * Where F = C = 0 and K is symmetric, s^2 = -mu for the eigenvalues mu of K. An error of K moves mu
 * by at most the norm of that error (Weyl); a mu below this bound counts as 0: a rigid mode. */

static void layout_work(void *object, cardan__carver *c)
{
  cardan__modes_work *w = object;
  const size_t n = (size_t)w->n, nx = (size_t)w->nx;
  double **const n_by_n[] = {&w->L, &w->K, &w->C, &w->F};
  double **const nx_by_nx[] = {&w->A, &w->A0, &w->V, &w->Z};
  double **const vectors[] = {&w->re, &w->im, &w->error, &w->y, &w->y2, &w->x, &w->x2};
  for (size_t i = 0; i < sizeof n_by_n / sizeof *n_by_n; i++) {
    *n_by_n[i] = cardan__carve(c, n * n, sizeof(double));
  }
  for (size_t i = 0; i < sizeof nx_by_nx / sizeof *nx_by_nx; i++) {
    *nx_by_nx[i] = cardan__carve(c, nx * nx, sizeof(double));
  }
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = cardan__carve(c, nx, sizeof(double));
  }
  w->D = cardan__carve(c, (size_t)w->m->nz, sizeof(double));
  w->order = cardan__carve(c, nx, sizeof(int));
  w->stage = cardan__carve(c, nx + 1, sizeof(int));
  const size_t a = cardan__eigen_work(w->nx), b = cardan__take_zeros_work(w->nx);
  w->work = cardan__carve(c, a > b ? a : b, sizeof(double));
}

static void layout_result(void *object, cardan__carver *c)
{
  cardan_modes *modes = object;
  const size_t nv = (size_t)modes->matrices->nv, max_modes = (size_t)modes->matrices->nx;
  modes->mode = cardan__carve(c, max_modes, sizeof *modes->mode);
  const size_t nz = (size_t)modes->matrices->nz, size = 2 * (nv + nz);
  double *shapes = cardan__carve(c, max_modes * size, sizeof(double));
  for (size_t k = 0; k < max_modes && shapes != NULL; k++) {
    modes->mode[k].shape = shapes + k * size;
    modes->mode[k].quarter = modes->mode[k].shape + nv;
    modes->mode[k].z = modes->mode[k].quarter + nv;
    modes->mode[k].z_quarter = modes->mode[k].z + nz;
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
  static const char *const name[] = {"rigid", "still", "swing", "decay", "grow"};
  return name[kind];
}

double cardan__modes_norm(size_t count, const double *X)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += X[i] * X[i];
  }
  return sqrt(sum);
}

/* F of (E1): L^-1 (Mr A11) L^-T. */
static void compute_F(cardan__modes_work *w)
{
  const cardan_matrices *m = w->m;
  const size_t n = (size_t)w->n, nx = (size_t)m->nx;
  memset(w->F, 0, n * n * sizeof *w->F);
  for (size_t k = 0; k < n; k++) {
    for (size_t j = 0; j < n; j++) {
      const double f = m->A[k * nx + j];
      w->has_F = w->has_F || f != 0.0;
      for (size_t i = 0; i < n && f != 0.0; i++) {
        w->F[i * n + j] += m->Mr[i * n + k] * f;
      }
    }
  }
  if (w->has_F) {
    cardan__congruent(w->n, w->L, w->F);
  }
}

/* V (n x n) = |L^-1|: the absolute values of its entries. */
static void compute_abs_inverse(const cardan__modes_work *w)
{
  const size_t n = (size_t)w->n;
  memset(w->V, 0, n * n * sizeof *w->V);
  for (size_t j = 0; j < n; j++) { // row i of L^-1: (e_i - sum of L_ik rows k) / L_ii
    double *row = w->V + j * n;
    row[j] = 1;
    for (size_t k = 0; k < j; k++) {
      const double f = w->L[j * n + k], *above = w->V + k * n;
      for (size_t i = 0; i <= k && f != 0.0; i++) {
        row[i] -= f * above[i];
      }
    }
    for (size_t i = 0; i <= j; i++) {
      row[i] /= w->L[j * n + j];
    }
  }
  for (size_t i = 0; i < n * n; i++) {
    w->V[i] = fabs(w->V[i]);
  }
}

/* out = V (E + E^T) V^T x / 2. y: scratch (n) */
static void apply_error_bound(const cardan__modes_work *w, const double *E, const double *x,
                              double *y, double *out)
{
  const size_t n = (size_t)w->n;
  memset(y, 0, n * sizeof *y);
  memset(w->re, 0, n * sizeof *w->re);
  memset(out, 0, n * sizeof *out);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      y[j] += w->V[i * n + j] * x[i];
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      w->re[i] += 0.5 * (E[i * n + j] + E[j * n + i]) * y[j];
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      out[i] += w->V[i * n + j] * w->re[j];
    }
  }
}

/* Upper bound of the 2-norm of L^-1 X L^-T over all X with |X_ij| <= E_ij. The norm is at most that
 * of the nonnegative matrix B = |L^-1| E |L^-T|, symmetrised, which for any x > 0 is at most the
 * largest (B x)_i / x_i (Collatz-Wielandt). A few power iterations on x make the bound tight. */
static double bound_error_norm(const cardan__modes_work *w, const double *E)
{
  enum { POWERS = 4 };
  const size_t n = (size_t)w->n;
  double best = HUGE_VAL;
  for (size_t i = 0; i < n; i++) {
    w->x[i] = 1;
  }
  for (int k = 0; k < POWERS && n > 0; k++) {
    double bound = 0, largest = 0;
    apply_error_bound(w, E, w->x, w->y, w->y2);
    for (size_t i = 0; i < n; i++) {
      bound = fmax(bound, w->y2[i] / w->x[i]);
      largest = fmax(largest, w->y2[i]);
    }
    best = fmin(best, bound);
    for (size_t i = 0; i < n && largest > 0; i++) {
      w->x[i] = fmax(w->y2[i] / largest, 1e-3);
    }
  }
  return n > 0 ? best : 0;
}

/* L, F, K and C of (E1). returns false where Mr is not positive definite */
static bool normalise_matrices(cardan__modes_work *w)
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
  compute_F(w);
  compute_abs_inverse(w);
  w->Ke = bound_error_norm(w, m->Ke);
  w->Ce = bound_error_norm(w, m->Ce);
  return true;
}

/* Is the system y'' = -K y: no auxiliary states, F = 0, and C = 0 within its error bound? */
static bool is_undamped(const cardan__modes_work *w)
{
  const size_t n = (size_t)w->n;
  return w->nx == 2 * w->n && !w->has_F &&
         cardan__modes_norm(n * n, w->C) <= cardan__modes_few * w->Ce;
}

/* Checks whether K is symmetric within its error bound, and symmetrises it if so. returns false,
 * with K unchanged, where it is not */
static bool make_symmetric(cardan__modes_work *w)
{
  const size_t n = (size_t)w->n;
  const double tolerance =
      cardan__modes_few * (w->Ke + DBL_EPSILON * cardan__modes_norm(n * n, w->K));
  double asymmetry = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      asymmetry = fmax(asymmetry, fabs(w->K[i * n + j] - w->K[j * n + i]));
    }
  }
  if (asymmetry > tolerance) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      w->K[i * n + j] = w->K[j * n + i] = 0.5 * (w->K[i * n + j] + w->K[j * n + i]);
    }
  }
  return true;
}

/* Returns the largest modulus of n complex entries a + i b, each divided by its unit (that of the
 * model's velocity i; model NULL: 1), and its phase as (c, s) = (cos, sin). Among entries equal to
 * rounding the first one counts. */
static double find_largest_entry(const cardan_model *model, int n, const double *a, const double *b,
                                 double *c, double *s)
{
  double largest = 0;
  for (int i = 0; i < n; i++) {
    const double length = hypot(a[i], b[i]);
    const double size = model != NULL ? length / cardan__velocity_unit(model, i) : length;
    if (size > largest * (1 + 1e-9)) {
      largest = size;
      *c = a[i] / length;
      *s = b[i] / length;
    }
  }
  return largest;
}

/* Multiplies n complex entries a + i b by (c - i s) / size: a rotation of phase, and a scaling. */
static void rotate_shape(int n, double c, double s, double size, double *a, double *b)
{
  for (int i = 0; i < n; i++) {
    const double x = a[i], y = b[i];
    a[i] = (x * c + y * s) / size;
    b[i] = (y * c - x * s) / size;
  }
}

/* Does y + i y2 have joint coordinates above the rounding of its auxiliary states? */
static bool moves_joints(const cardan__modes_work *w, const double *y, const double *y2)
{
  const size_t n = (size_t)w->n, nx = (size_t)w->nx;
  const double tolerance = cardan__modes_few * DBL_EPSILON;
  const double joints = cardan__modes_norm(n, y) + (y2 ? cardan__modes_norm(n, y2) : 0);
  return joints > tolerance * (cardan__modes_norm(nx, y) + (y2 ? cardan__modes_norm(nx, y2) : 0));
}

/* Shape N x of the mode from x = re + i im (n each; im NULL: 0), scaled so that its largest entry
 * is 1 and real. y, y2: the eigenvector; its auxiliary states are the last entries. */
static void set_shape(const cardan_modes *modes, const cardan__modes_work *w, cardan_mode *mode,
                      const double *re, const double *im, const double *y, const double *y2)
{
  const cardan_matrices *m = modes->matrices;
  const size_t nv = (size_t)m->nv, n = (size_t)m->n, first = (size_t)(m->nx - m->nz);
  double c = 1, s = 0;
  for (size_t i = 0; i < nv; i++) {
    double a = 0, b = 0;
    for (size_t k = 0; k < n; k++) {
      a += m->N[i * n + k] * re[k];
      b += im != NULL ? m->N[i * n + k] * im[k] : 0;
    }
    mode->shape[i] = a;
    mode->quarter[i] = b;
  }
  for (size_t k = 0; k < (size_t)m->nz; k++) {
    mode->z[k] = y[first + k] / w->D[k];
    mode->z_quarter[k] = y2 != NULL ? y2[first + k] / w->D[k] : 0;
  }
  double largest = find_largest_entry(m->model, m->nv, mode->shape, mode->quarter, &c, &s);
  if (m->nz > 0 && !moves_joints(w, y, y2)) {
    memset(mode->shape, 0, nv * sizeof *mode->shape);
    memset(mode->quarter, 0, nv * sizeof *mode->quarter);
    largest = find_largest_entry(NULL, m->nz, mode->z, mode->z_quarter, &c, &s);
  }
  if (largest > 0) {
    rotate_shape(m->nv, c, s, largest, mode->shape, mode->quarter);
    rotate_shape(m->nz, c, s, largest, mode->z, mode->z_quarter);
  }
}

void cardan__modes_back(const cardan__modes_work *w, const double *y, double *x)
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

/* |s^2 y + K y|, s^2 = -mu, relative to the norms of its terms. */
static double compute_residual(const cardan__modes_work *w, double mu, const double *y)
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
  const double terms = fabs(mu) + cardan__modes_norm(n * n, w->K) + w->Ke / DBL_EPSILON;
  return terms > 0 ? sqrt(sum) / terms : 0;
}

cardan_mode *cardan__modes_add(cardan_modes *modes, cardan__modes_work *w, double re, double im,
                               double error, const double *y, const double *y2)
{
  cardan_mode *mode = &modes->mode[modes->n++];
  const double size = hypot(re, im), tolerance = cardan__modes_few * error;
  mode->kind = y2 != NULL ? CARDAN_MODE_SWING : re < 0 ? CARDAN_MODE_DECAY : CARDAN_MODE_GROW;
  mode->re = re;
  mode->im = im;
  mode->error = error;
  mode->frequency = im / (2 * 3.14159265358979323846);
  mode->damping = (0 - re) / size;
  mode->unstable = re > tolerance;
  mode->doubtful = size <= tolerance;
  cardan__modes_back(w, y, w->x);
  if (y2 != NULL) {
    cardan__modes_back(w, y2, w->x2);
  }
  set_shape(modes, w, mode, w->x, y2 != NULL ? w->x2 : NULL, y, y2);
  return mode;
}

cardan_mode *cardan__modes_add_zero(cardan_modes *modes, cardan__modes_work *w,
                                    cardan_mode_kind kind, double error, const double *y)
{
  cardan_mode *mode = &modes->mode[modes->n++];
  mode->kind = kind;
  mode->error = error;
  cardan__modes_back(w, y, w->x);
  set_shape(modes, w, mode, w->x, NULL, y, NULL);
  return mode;
}

/* Adds the modes of symmetric K, F = C = 0. returns false where the iteration failed */
static bool solve_symmetric(cardan_modes *modes, cardan__modes_work *w)
{
  const size_t n = (size_t)w->n;
  double *Z = w->Z;
  memcpy(Z, w->K, n * n * sizeof *Z);
  if (!cardan__eigen_symmetric(w->n, Z, w->re, w->work)) {
    return false;
  }
  const double largest = n > 0 ? fmax(fabs(w->re[0]), fabs(w->re[n - 1])) : 0;
  const double mu_error = DBL_EPSILON * largest + w->Ke; // that of s: mu_error / (2 s)
  memset(w->y2, 0, n * sizeof *w->y2);
  for (size_t k = 0; k < n; k++) {
    const double *z = Z + k * n, mu = w->re[k], s = sqrt(fabs(mu));
    const int first = modes->n;
    if (fabs(mu) <= cardan__modes_few * mu_error) {
      cardan__modes_add_zero(modes, w, CARDAN_MODE_RIGID, sqrt(mu_error), z);
    } else if (mu > 0) {
      cardan__modes_add(modes, w, 0, s, 0.5 * mu_error / s, z, w->y2);
    } else {
      cardan__modes_add(modes, w, -s, 0, 0.5 * mu_error / s, z, NULL);
      cardan__modes_add(modes, w, s, 0, 0.5 * mu_error / s, z, NULL);
    }
    for (int i = first; i < modes->n; i++) {
      modes->mode[i].residual = compute_residual(w, mu, z);
    }
  }
  return true;
}

/* Order of modes: rigid, still, then by |s|, then by re s. */
static int compare_modes(const void *a, const void *b)
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
  return x->shape < y->shape ? -1 : x->shape > y->shape; // ties: in the order of computation
}

/* Modes of the second order. returns false when the iteration failed */
static bool solve_second_order(cardan_modes *modes, cardan__modes_work *w)
{
  const bool undamped = is_undamped(w);
  modes->symmetric = undamped && make_symmetric(w);
  return modes->symmetric
             ? solve_symmetric(modes, w)
             : (undamped && cardan__modes_undamped(modes, w)) || cardan__modes_general(modes, w);
}

static cardan_status solve_eigenproblem(cardan_modes *modes, cardan__modes_work *w,
                                        cardan_report *report)
{
  const cardan_pos no_pos = {0, 0};
  const bool rolls = w->m->model->nvelocity_row > 0;
  if (!rolls && !normalise_matrices(w)) {
    return cardan_fail(report, CARDAN_ERR_NOT_POSDEF, no_pos,
                       "the inertia of the degrees of freedom is not positive");
  }
  const bool solved = rolls ? cardan__modes_first_order(modes, w) : solve_second_order(modes, w);
  if (!solved) {
    return cardan_fail(report, CARDAN_ERR_NO_CONVERGENCE, no_pos,
                       "the eigenvalues of the %d degrees of freedom did not converge", w->n);
  }
  for (int k = 0; k < modes->n; k++) {
    modes->nunstable += modes->mode[k].unstable;
  }
  qsort(modes->mode, (size_t)modes->n, sizeof *modes->mode, compare_modes);
  return CARDAN_OK;
}

cardan_status cardan_modes_create(const cardan_model *model, const cardan_data *data,
                                  const cardan_allocator *allocator, cardan_modes **out,
                                  cardan_report *report)
{
  const cardan_pos no_pos = {0, 0};
  cardan__modes_work w = {0};
  *out = NULL;
  cardan_modes *modes = cardan__resize(allocator, NULL, sizeof *modes);
  if (modes == NULL) {
    return cardan__no_memory(report);
  }
  *modes = (cardan_modes){0};
  modes->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  cardan_status status = cardan_matrices_create(model, data, allocator, &modes->matrices, report);
  if (status == CARDAN_OK && modes->matrices->status != CARDAN_OK) {
    status = cardan_fail(report, modes->matrices->status, no_pos, "%s", modes->matrices->why);
  }
  if (status == CARDAN_OK) {
    w.m = modes->matrices;
    w.n = w.m->n;
    w.nx = w.m->nx;
    modes->block = cardan__carve_block(allocator, layout_result, modes);
    w.block = cardan__carve_block(allocator, layout_work, &w);
    status = modes->block != NULL && w.block != NULL ? solve_eigenproblem(modes, &w, report)
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

/* ---- animation of a mode ---- */

cardan_status cardan__mode_configuration(const cardan_modes *modes, int mode, double amplitude,
                                         double angle, cardan_data *data)
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

double cardan__mode_amplitude(const cardan_modes *modes, int mode, cardan_data *data)
{
  const double fraction = 0.15, max_angle = 0.4;
  const cardan_matrices *m = modes->matrices;
  const cardan_model *model = m->model;
  const double length = model->size_length > 0 ? model->size_length : 1;
  double largest = 0;
  data->t = m->t;
  memcpy(data->q, m->q, (size_t)model->nq * sizeof *data->q);
  cardan_joints(model, data);
  for (int quadrature = 0; quadrature < 2; quadrature++) {
    const double *x = quadrature ? modes->mode[mode].quarter : modes->mode[mode].shape;
    cardan__tree_twists(model, data, x, true, data->V);
    for (int i = 1; i < model->nbody; i++) {
      largest = fmax(largest, cardan__vec3_norm(data->V[i].v) / (fraction * length));
      largest = fmax(largest, cardan__vec3_norm(data->V[i].w) / max_angle);
    }
  }
  data->fresh = 0;
  return largest > 0 ? 1 / largest : 0;
}
