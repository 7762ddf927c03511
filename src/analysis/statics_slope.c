// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "analysis/statics_inside.h"
#include "cardan/dynamics.h"
#include "dynamics/inverse_slopes.h"
#include "linalg/linalg.h"
#include "linalg/small.h"

/* What remains of the forces along the directions that rows leave free, and its slope.
 *   J_z = W J L^-T,  r_z = L^-1 r,  J_z N^T = 0,  g = N r_z                               (E1)
 *   lambda: least squares of J_z^T lambda = r_z                                           (E2)
 *   H = P K P^T,  P = N L^-1,  K = d/dq (r - J^T lambda)                                  (E3)
 * W makes rows of angles and lengths alike. At an equilibrium H is the stiffness that small motions
 * feel; of forces with a potential and rows of positions it is then symmetric. Loads of rows of
 * velocity level turn with these rows, and make it unsymmetric. */

/* A row adds to others while it is longer than this part of the longest. */
static const double smallest = 1e-9;

static bool metric(cardan__statics_point *s)
{
  const cardan_model *model = s->model;
  const size_t nv = (size_t)model->nv, n = (size_t)s->n;
  cardan_crba(model, s->data, s->M);
  const double mass = model->mass > 0 ? model->mass : 1.0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      s->L[i * n + j] = s->M[(size_t)s->dof[i] * nv + (size_t)s->dof[j]] / mass;
    }
    s->L[i * n + i] += s->eps * s->u2[s->dof[i]]; // (R1)
  }
  return n == 0 || cardan__cholesky(s->n, s->L, 0.0) < 0;
}

/* (E2), in the rows as they are. */
static bool multipliers(cardan__statics_point *s, const double *r_z)
{
  const int n = s->n, k = s->k;
  double *A = s->A; // n x k
  if (k == 0) {
    return true;
  }
  for (int i = 0; i < n; i++) {
    for (int r = 0; r < k; r++) {
      A[(size_t)i * (size_t)k + (size_t)r] = s->J[(size_t)r * (size_t)n + (size_t)i];
    }
  }
  if (cardan__min_norm(n, k, A, r_z, smallest, s->lambda, s->work, s->index) < 0) {
    return false;
  }
  for (int r = 0; r < k; r++) {
    s->lambda[r] *= s->weight[r];
  }
  return true;
}

/* Size of the sums of forces, in newtons of the metric: weights, elements and reactions apart. */
static double forces_size(cardan__statics_point *s)
{
  const cardan_model *model = s->model;
  double held = 0, applied = 0, rows = 0;
  for (int i = 0; i < s->n; i++) {
    s->x[i] = s->r[s->dof[i]] + s->data->tau[s->dof[i]];
    s->b[i] = s->data->tau[s->dof[i]];
  }
  cardan__statics_point_forward(s->n, s->L, s->x);
  cardan__statics_point_forward(s->n, s->L, s->b);
  held = sqrt(cardan__dot(s->n, s->x, s->x));
  applied = sqrt(cardan__dot(s->n, s->b, s->b));
  for (int r = 0; r < s->k; r++) {
    rows = fmax(rows, fabs(s->lambda[r]) / s->weight[r]);
  }
  double bodies = 0;
  for (int i = 1; i < model->nbody; i++) {
    bodies = fmax(bodies, cardan__vec3_norm(s->data->f_ext[i].f));
  }
  const double weight = model->mass * cardan__vec3_norm(model->gravity);
  return fmax(fmax(held, applied), fmax(rows, fmax(bodies, weight)));
}

bool cardan__statics_point_weigh(cardan__statics_point *s, double eps)
{
  const cardan_model *model = s->model;
  const size_t n = (size_t)s->n;
  s->eps = eps;
  if (!metric(s)) {
    return false;
  }
  cardan__statics_point_rows(s);
  double longest = 0;
  for (int r = 0; r < s->k; r++) {
    double *row = s->J + (size_t)r * n;
    for (size_t j = 0; j < n; j++) {
      row[j] = s->weight[r] * s->dense[(size_t)r * (size_t)model->nv + (size_t)s->dof[j]];
    }
    cardan__statics_point_forward(s->n, s->L, row);
    longest = fmax(longest, sqrt(cardan__dot(s->n, row, row)));
  }
  double *r_z = s->y;
  for (size_t j = 0; j < n; j++) {
    r_z[j] = s->r[s->dof[j]];
  }
  cardan__statics_point_forward(s->n, s->L, r_z);
  if (!multipliers(s, r_z)) {
    return false;
  }
  memset(s->b, 0, (size_t)s->k * sizeof *s->b);
  memcpy(s->A, s->J, (size_t)s->k * n * sizeof *s->A);
  const double tol = fmax(smallest, model->near > 0 ? model->rank_tol : 0.0) * longest;
  s->rank = cardan__solutions(s->k, s->n, s->A, s->b, tol, s->x, s->N, s->index, s->work);
  if (s->rank < 0) {
    return false;
  }
  s->m = s->n - s->rank;
  s->left = 0;
  for (int i = 0; i < s->m; i++) {
    double *p = s->P + (size_t)i * n;
    memcpy(p, s->N + (size_t)(s->rank + i) * n, n * sizeof *p);
    s->g[i] = cardan__dot(s->n, p, r_z); // (E1)
    s->left = fabs(s->g[i]) <= s->left ? s->left : fabs(s->g[i]);
    cardan__statics_point_backward(s->n, s->L, p);
  }
  s->net = forces_size(s);
  s->scale = fmax(s->net, cardan__statics_point_forces(s));
  return isfinite(s->left) && isfinite(s->scale);
}

/* r - J^T lambda at the place, to out (nv). */
static void balance(cardan__statics_point *s, double *out)
{
  const size_t nv = (size_t)s->model->nv;
  cardan__statics_point_look(s);
  cardan__statics_point_rows(s);
  memcpy(out, s->r, nv * sizeof *out);
  for (int r = 0; r < s->k; r++) {
    for (size_t j = 0; j < nv; j++) {
      out[j] -= s->lambda[r] * s->dense[(size_t)r * nv + j];
    }
  }
}

/* K by differences, where no slopes are known: programs, joints that turn their own axes. The
 * error, some 1e-9 of K, costs a step or two, not the result. */
static void differences(cardan__statics_point *s)
{
  const size_t nv = (size_t)s->model->nv;
  double *at = s->work, *plus = s->h, *minus = s->y;
  memcpy(s->q_end, s->data->q, (size_t)s->model->nq * sizeof *at);
  for (size_t j = 0; j < nv; j++) {
    const double h = 1e-5 * (s->u2[j] == 1.0 ? s->size : 1.0);
    memset(s->dq, 0, nv * sizeof *s->dq);
    s->dq[j] = 1.0;
    cardan_q_move(s->model, s->q_end, s->dq, h, s->data->q);
    balance(s, plus);
    cardan_q_move(s->model, s->q_end, s->dq, -h, s->data->q);
    balance(s, minus);
    for (size_t i = 0; i < nv; i++) {
      s->K[i * nv + j] = (plus[i] - minus[i]) / (2 * h);
    }
  }
  memcpy(s->data->q, s->q_end, (size_t)s->model->nq * sizeof *at);
  balance(s, plus);
}

/* K -= what the load of one-sided rows adds: a data that has these for its rows. */
static void subtract_sides(cardan__statics_point *s, double *H)
{
  const cardan_model *model = s->model;
  double *push = s->x; // nbound_row
  cardan_data sides = *s->data;
  sides.model = &s->side_model;
  sides.rows.w = s->data->bounds.w;
  sides.rows.c = s->data->bounds.c;
  memset(push, 0, (size_t)model->nbound_row * sizeof *push);
  for (int i = 0; i < s->nactive; i++) {
    if (s->active[i] < model->nbound) { // a joint's limit bends nowhere
      const cardan_bound *b = &model->bound[s->active[i]];
      push[b->row] += b->sign * s->lambda[model->nrow + i];
    }
  }
  cardan__row_slopes_begin(&s->side_slopes, &sides);
  cardan__row_slopes_force(&s->side_slopes, &sides, push, H);
}

/* K, with the rows' loads. */
static cardan_status stiffness(cardan__statics_point *s, bool *exact)
{
  const cardan_model *model = s->model;
  const size_t square = (size_t)model->nv * (size_t)model->nv;
  const cardan_status status =
      cardan__residual_slopes(model, s->data, NULL, s->data->f_in, s->K, s->V);
  if (status == CARDAN_ERR_UNSUPPORTED) {
    differences(s);
    *exact = false;
    return CARDAN_OK;
  }
  if (status != CARDAN_OK) {
    return status;
  }
  double *H = s->V; // spent
  memset(H, 0, square * sizeof *H);
  if (model->nrow > 0) {
    cardan__row_slopes_begin(&s->row_slopes, s->data);
    cardan__row_slopes_force(&s->row_slopes, s->data, s->lambda, H);
  }
  if (s->nactive > 0 && model->nbound > 0) {
    subtract_sides(s, H);
  }
  for (size_t i = 0; i < square; i++) {
    s->K[i] -= H[i];
  }
  cardan__statics_point_look(s); // as it was
  return CARDAN_OK;
}

/* (E3) */
static void reduce(cardan__statics_point *s)
{
  const size_t n = (size_t)s->n, m = (size_t)s->m, nv = (size_t)s->model->nv;
  double *KP = s->V; // m x n: row i is K P_i
  for (size_t i = 0; i < m; i++) {
    const double *p = s->P + i * n;
    for (size_t a = 0; a < n; a++) {
      const double *row = s->K + (size_t)s->dof[a] * nv;
      double sum = 0;
      for (size_t b = 0; b < n; b++) {
        sum += row[s->dof[b]] * p[b];
      }
      KP[i * n + a] = sum;
    }
  }
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < m; j++) {
      s->H[i * m + j] = cardan__dot(s->n, s->P + i * n, KP + j * n);
    }
  }
}

cardan_status cardan__statics_point_slope(cardan__statics_point *s)
{
  const size_t m = (size_t)s->m;
  bool exact = true;
  const cardan_status status = stiffness(s, &exact);
  if (status != CARDAN_OK) {
    return status;
  }
  reduce(s);
  double skew = 0, size = 0;
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < m; j++) {
      const double a = s->H[i * m + j], b = s->H[j * m + i];
      s->V[i * m + j] = 0.5 * (a + b);
      skew = fmax(skew, fabs(a - b));
      size = fmax(size, fabs(a));
    }
  }
  // stiffness that rounding of the forces leaves where they cancel
  const double least = s->model->nvelocity_row > 0 ? 1e-11 * s->scale / s->size : 0;
  s->skew = (s->driven || s->model->nvelocity_row > 0) && skew > 1e-8 * size && skew > least;
  if (!cardan__eigen_symmetric(s->m, s->V, s->h, s->work)) {
    return CARDAN_ERR_NOT_FINITE;
  }
  s->stiffest = s->m > 0 ? fmax(fabs(s->h[0]), fabs(s->h[s->m - 1])) : 0.0;
  s->neutral = (exact ? 1e-11 : 1e-7) * s->stiffest; // rounding of sums, of differences
  s->neutral = fmax(s->neutral, least);
  return CARDAN_OK;
}

bool cardan__statics_point_eigenvalues(cardan__statics_point *s)
{
  const size_t m = (size_t)s->m;
  double *error = s->work, *work = error + m, *vectors = s->K; // spent
  if (!s->skew) {
    memcpy(s->re, s->h, m * sizeof *s->re);
    memset(s->im, 0, m * sizeof *s->im);
    return true;
  }
  if (m == 0 || !cardan__eigen(s->m, s->H, s->re, s->im, vectors, error, work)) {
    return m == 0;
  }
  for (size_t i = 1; i < m; i++) { // rising; a pair stays in its order
    const double re = s->re[i], im = s->im[i];
    size_t j = i;
    for (; j > 0 && s->re[j - 1] > re; j--) {
      s->re[j] = s->re[j - 1];
      s->im[j] = s->im[j - 1];
    }
    s->re[j] = re;
    s->im[j] = im;
  }
  return true;
}

bool cardan__statics_point_fed(cardan__statics_point *s)
{
  const size_t m = (size_t)s->m;
  bool reads = false;
  for (int i = 0; i < s->model->nforce; i++) {
    reads = reads || (s->model->force[i].flags & (CARDAN_FORCE_VELOCITY | CARDAN_FORCE_PROGRAM));
  }
  if (!reads || m == 0) {
    return false;
  }
  const cardan_status status = cardan_stiffness(s->model, s->data, s->M, s->K); // K: by velocities
  cardan__statics_point_look(s);
  if (status != CARDAN_OK) {
    return true;
  }
  reduce(s);
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < m; j++) {
      s->V[i * m + j] = 0.5 * (s->H[i * m + j] + s->H[j * m + i]);
    }
  }
  return !cardan__eigen_symmetric(s->m, s->V, s->y, s->work) ||
         s->y[0] < -1e-9 * fmax(fabs(s->y[0]), fabs(s->y[m - 1]));
}
