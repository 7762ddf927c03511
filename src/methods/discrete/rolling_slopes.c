// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/row_slopes.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "methods/discrete/kicks.h"
#include "methods/discrete/rolling.h"
#include "methods/discrete/rolling_slopes.h"
#include "model/data.h"
#include "model/joint_table.h"
#include "spatial/se3.h"

/* Derivatives of a step with rows of velocity level, (K1) to (K3) of rolling.c, exact.
 *
 * At a node, with G the independent rows of positions, A those of velocity level, directions dq:
 *   [M G^T; G 0][W^T; L] = [A^T; 0],   S = A W^T                                             (S1)
 *   dS_ij = dA_i.W_j + dA_j.W_i - L_i.dG W_j - L_j.dG W_i - W_i.dM W_j                       (S2)
 *   X = D S D = U^T diag(x) U,  D_i = S_ii^-1/2,  T = U^T diag(x^-1/2) U over the largest x,
 *   root = T D,   K = root A
 *   dT = U^T (Gamma o (U dX U^T)) U,  Gamma_ij = (f_i - f_j)/(x_i - x_j), f = x^-1/2 or 0    (S3)
 *   d(K^T nu) = dA^T s + A^T (dD T nu + D dT nu),   s = D T nu                               (S4)
 * and at the end of the step, with M v = p^- + G^T eta, G v = -Phi_t and a = A v + phi_t,
 *   de = dT D a + T dD a + root (dA v + dphi_t - L (dG v + dPhi_t) + W (dp^- - d(M v) + dG^T eta))
 *                                                                                            (S5)
 * In the middle both ends move q_m and x:
 *   a joint of one velocity   q_m by (e0 + e1)/2, x by e1 - e0
 *   a ball                    dw = dlog_w (Exp(w) e1 - e0), q_m by Exp(-w/2) e0 + dexp_-w/2 dw/2
 *   a free joint              its turn as a ball; its way y in the axes of the middle by
 *                             Exp(w/2) e1 - Exp(-w/2) e0 + y x (turn of q_m), its place by half of
 *                             Exp(w/2) e1 + Exp(-w/2) e0                                     (S6)
 * Velocities that drivers give are fixed: W is 0 there, M and G of the others count. O(nv^3 n) */

static const double singular = 1e-7; // what a row of positions adds to the others if it counts
static const double agreed = 1e-6;   // of sqrt(2 T): nu of the step and (K3) here

typedef struct {
  cardan__discrete *d;
  const cardan_model *model;
  cardan_data *data;                 // scratch: a node or the middle
  int n, m, nv;                      // rows of velocity level; independent ones of positions
  int *position;                     // m: of the model
  int *from, *order;                 // nrow
  double *G, *qr;                    // nrow x nv, and work: for choosing them
  double *R;                         // nrow x nv
  double *M;                         // nv x nv
  double *saddle;                    // (nv + m)^2, factored
  int *pivot;                        // nv + m
  double *W, *L;                     // n x nv, n x m
  double *x;                         // nv + m
  double *S, *size, *value, *U;      // n x n, n, n and work of the eigenvalues, n x n
  double *root;                      // n x n
  double *dMW, *dMv;                 // n x nv x nv, nv x nv
  double *dR;                        // nrow x nv: along one direction
  double *dt;                        // nrow x nv: dPhi_t/dq
  double *dS, *dX, *Y;               // n x n
  double *nu, *s, *Tnu, *a, *da, *b; // n
  double *kick, *v, *eta;            // nv, nv, m
  double *mu;                        // nrow
  double *H, *D;                     // nv x nv, n x nv
  double *c[2];                      // n x nv: of the rows of the middle, by e0 and e1
  double *move[2], *way[2];          // nv x nv: (S6), by e0 and e1: of q_m, of x
  double *turn[2];                   // nv x nv: of w
  double *tau_q;                     // nv x nv
  cardan__row_slopes rows;
  size_t nstate;
  char *state;
  void *block;
} slopes;

static void layout(void *what, cardan__carver *c)
{
  slopes *k = what;
  const cardan_model *model = k->model;
  const size_t nv = (size_t)model->nv, n = (size_t)k->n, m = (size_t)k->m, all = nv + m;
  const size_t nrow = (size_t)model->nrow;
  double **const squares[] = {&k->M,      &k->dMv,    &k->H,       &k->move[0], &k->move[1],
                              &k->way[0], &k->way[1], &k->turn[0], &k->turn[1], &k->tau_q};
  double **const small[] = {&k->S, &k->root, &k->dS, &k->dX, &k->Y};
  double **const vectors[] = {&k->size, &k->nu, &k->s, &k->Tnu, &k->a, &k->da, &k->b};
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
    *squares[i] = CARDAN__CARVE(c, nv * nv, double);
  }
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
    *small[i] = CARDAN__CARVE(c, n * n, double);
  }
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARDAN__CARVE(c, n, double);
  }
  k->U = CARDAN__CARVE(c, n * n, double);
  k->value = CARDAN__CARVE(c, n + cardan__eigen_symmetric_work(k->n), double);
  const int most = model->nv > model->nrow ? model->nv : model->nrow;
  k->position = CARDAN__CARVE(c, m, int);
  k->from = CARDAN__CARVE(c, nrow, int);
  k->order = CARDAN__CARVE(c, most, int);
  k->G = CARDAN__CARVE(c, nrow * nv, double);
  k->qr = CARDAN__CARVE(c, cardan__independent_work(most, most), double);
  k->R = CARDAN__CARVE(c, nrow * nv, double);
  k->dR = CARDAN__CARVE(c, nrow * nv, double);
  k->dt = CARDAN__CARVE(c, nrow * nv, double);
  k->saddle = CARDAN__CARVE(c, all * all, double);
  k->pivot = CARDAN__CARVE(c, all, int);
  k->x = CARDAN__CARVE(c, all, double);
  k->W = CARDAN__CARVE(c, n * nv, double);
  k->L = CARDAN__CARVE(c, n * m, double);
  k->dMW = CARDAN__CARVE(c, n * nv * nv, double);
  k->D = CARDAN__CARVE(c, n * nv, double);
  for (int side = 0; side < 2; side++) {
    k->c[side] = CARDAN__CARVE(c, n * nv, double);
  }
  k->kick = CARDAN__CARVE(c, nv, double);
  k->v = CARDAN__CARVE(c, nv, double);
  k->eta = CARDAN__CARVE(c, m, double);
  k->mu = CARDAN__CARVE(c, nrow, double);
  k->rows.model = model;
  cardan__row_slopes_layout(&k->rows, c);
  k->state = CARDAN__CARVE(c, k->nstate, char);
}

/* ---- a node ---- */

/* Independent rows of positions at data's place, over their lengths: those of the step are
 * independent together with rows of velocity level, which may have taken the place of some. */
static bool choose_positions(slopes *k)
{
  const cardan_model *model = k->model;
  const size_t nv = (size_t)k->nv;
  int count = 0;
  for (int r = 0; r < model->nrow; r++) {
    for (size_t l = 0; l < nv && !model->row[r].velocity; l++) {
      const double R = cardan__prescribed(model, (int)l) ? 0 : k->R[(size_t)r * nv + l];
      k->G[(size_t)count * nv + l] =
          R * cardan__velocity_unit(model, (int)l) / model->row[r].length;
    }
    if (!model->row[r].velocity) {
      k->from[count++] = r;
    }
  }
  if (k->m > 0 && cardan__independent(count, k->nv, k->G, singular, k->order, NULL, k->qr) < k->m) {
    return false;
  }
  for (int j = 0; j < k->m; j++) {
    k->position[j] = k->from[k->order[j]];
  }
  return true;
}

/* R, M and (S1) at data's q and t; S, its root and D. */
static cardan_status enter_node(slopes *k)
{
  const cardan_model *model = k->model;
  const cardan__rolling *s = k->d->rolling;
  const size_t nv = (size_t)k->nv, n = (size_t)k->n, m = (size_t)k->m, all = nv + m;
  cardan__row_slopes_begin(&k->rows, k->data);
  cardan_jacobian(model, k->data, k->R);
  cardan_crba(model, k->data, k->M);
  if (!choose_positions(k)) {
    return CARDAN_ERR_SINGULAR;
  }
  memset(k->saddle, 0, all * all * sizeof *k->saddle);
  for (size_t i = 0; i < nv; i++) {
    const bool given = cardan__prescribed(model, (int)i); // its velocity is what it is
    if (given) {
      k->saddle[i * all + i] = 1;
    } else {
      memcpy(k->saddle + i * all, k->M + i * nv, nv * sizeof *k->M);
    }
    for (size_t j = 0; j < m; j++) {
      const double G = k->R[(size_t)k->position[j] * nv + i];
      k->saddle[i * all + nv + j] = given ? 0 : G;
      k->saddle[(nv + j) * all + i] = G;
    }
  }
  if (cardan__lu((int)all, k->saddle, k->pivot) >= 0) {
    return CARDAN_ERR_SINGULAR;
  }
  for (size_t i = 0; i < n; i++) {
    memset(k->x, 0, all * sizeof *k->x);
    memcpy(k->x, k->R + (size_t)s->row[i] * nv, nv * sizeof *k->x);
    for (int j = 0; j < k->nv; j++) {
      k->x[j] = cardan__prescribed(model, j) ? 0 : k->x[j];
    }
    cardan__lu_solve((int)all, k->saddle, k->pivot, k->x);
    memcpy(k->W + i * nv, k->x, nv * sizeof *k->x);
    memcpy(k->L + i * m, k->x + nv, m * sizeof *k->x);
  }
  return CARDAN_OK;
}

/* f of (S3) of eigenvalue i, 0 where it does not count. */
static double power_of(const slopes *k, int i)
{
  const int rank = k->model->rank - k->model->position_rank;
  return i >= k->n - rank && k->value[i] > DBL_EPSILON ? 1 / sqrt(k->value[i]) : 0;
}

/* S, D, U, root. */
static cardan_status take_root(slopes *k)
{
  const size_t n = (size_t)k->n, nv = (size_t)k->nv;
  const cardan__rolling *s = k->d->rolling;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      const double *A = k->R + (size_t)s->row[i] * nv, *B = k->R + (size_t)s->row[j] * nv;
      k->S[i * n + j] = k->S[j * n + i] =
          0.5 * (cardan__dot(k->nv, A, k->W + j * nv) + cardan__dot(k->nv, B, k->W + i * nv));
    }
    const double own = k->S[i * n + i];
    k->size[i] = s->size[i] > 0 && own > 0 ? 1 / sqrt(own) : 0;
  }
  memcpy(k->U, k->S, n * n * sizeof *k->U);
  const int rank = k->model->rank - k->model->position_rank;
  return cardan__kick_root(k->n, rank, k->U, k->size, k->value, k->root) ? CARDAN_OK
                                                                         : CARDAN_ERR_NOT_FINITE;
}

/* out (nv x nv) = d(M w)/dq */
static cardan_status slope_of_mass(slopes *k, const double *w, double *out)
{
  const cardan_model *model = k->model;
  const size_t square = (size_t)k->nv * (size_t)k->nv;
  memset(k->data->v, 0, (size_t)k->nv * sizeof *k->data->v);
  cardan_kinematics(model, k->data);
  cardan_status status = cardan_inverse_slopes(model, k->data, w, out, NULL, NULL);
  if (status == CARDAN_OK) { // less that of gravity
    status = cardan_inverse_slopes(model, k->data, NULL, k->tau_q, NULL, NULL);
  }
  for (size_t i = 0; i < square && status == CARDAN_OK; i++) {
    out[i] -= k->tau_q[i];
  }
  return status;
}

/* A node at q, t: all that its slopes need. */
static cardan_status look_at_node(slopes *k, const double *q, double t)
{
  const size_t square = (size_t)k->nv * (size_t)k->nv;
  memcpy(k->data->q, q, (size_t)k->model->nq * sizeof *q);
  k->data->t = t;
  cardan_status status = enter_node(k);
  status = status == CARDAN_OK ? take_root(k) : status;
  for (int i = 0; i < k->n && status == CARDAN_OK; i++) {
    status = slope_of_mass(k, k->W + (size_t)i * (size_t)k->nv, k->dMW + (size_t)i * square);
  }
  return status;
}

/* K (n x nv) and, with nu, s, T nu and K^T nu. */
static void take_kicks(slopes *k, double *K)
{
  const size_t n = (size_t)k->n, nv = (size_t)k->nv;
  memset(K, 0, n * nv * sizeof *K);
  memset(k->kick, 0, nv * sizeof *k->kick);
  memset(k->s, 0, n * sizeof *k->s);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      const double *A = k->R + (size_t)k->d->rolling->row[j] * nv;
      for (size_t l = 0; l < nv; l++) {
        K[i * nv + l] += k->root[i * n + j] * A[l];
      }
      k->s[j] += k->root[i * n + j] * k->nu[i];
    }
    for (size_t l = 0; l < nv; l++) {
      k->kick[l] += k->nu[i] * K[i * nv + l];
    }
  }
  memset(k->Tnu, 0, n * sizeof *k->Tnu);
  for (int l = 0; l < k->n; l++) {
    const double *u = k->U + (size_t)l * n, f = power_of(k, l) * cardan__dot(k->n, u, k->nu);
    for (size_t i = 0; i < n; i++) {
      k->Tnu[i] += f * u[i];
    }
  }
}

/* (S2) along direction j, for which dR is the rate of the rows; then U dX U^T times Gamma, to Y. */
static void slope_of_root(slopes *k, size_t along)
{
  const size_t n = (size_t)k->n, nv = (size_t)k->nv, m = (size_t)k->m;
  const int *row = k->d->rolling->row;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      const double *Wi = k->W + i * nv, *Wj = k->W + j * nv, *dM = k->dMW + j * nv * nv + along;
      double sum = cardan__dot(k->nv, k->dR + (size_t)row[i] * nv, Wj) +
                   cardan__dot(k->nv, k->dR + (size_t)row[j] * nv, Wi);
      for (size_t l = 0; l < m; l++) {
        const double *dG = k->dR + (size_t)k->position[l] * nv;
        sum -= k->L[i * m + l] * cardan__dot(k->nv, dG, Wj);
        sum -= k->L[j * m + l] * cardan__dot(k->nv, dG, Wi);
      }
      for (size_t l = 0; l < nv; l++) {
        sum -= Wi[l] * dM[l * nv];
      }
      k->dS[i * n + j] = sum;
    }
  }
  for (size_t i = 0; i < n; i++) { // dD_i / D_i = -dS_ii / (2 S_ii)
    for (size_t j = 0; j < n; j++) {
      const double di = -0.5 * k->dS[i * n + i] * k->size[i] * k->size[i];
      const double dj = -0.5 * k->dS[j * n + j] * k->size[j] * k->size[j];
      k->dX[i * n + j] = k->size[i] * k->size[j] * (k->dS[i * n + j] + (di + dj) * k->S[i * n + j]);
    }
  }
  for (int i = 0; i < k->n; i++) {
    for (int j = 0; j < k->n; j++) {
      const double *u = k->U + (size_t)i * n, *w = k->U + (size_t)j * n;
      const double f = power_of(k, i), g = power_of(k, j), x = k->value[i], y = k->value[j];
      double sum = 0;
      for (size_t l = 0; l < n; l++) {
        sum += u[l] * cardan__dot(k->n, k->dX + l * n, w);
      }
      // (1/sqrt x - 1/sqrt y) / (x - y) without cancellation; one of them 0: f / (x - y)
      const double part = f > 0 && g > 0 ? -f * f * g * g / (f + g)
                          : f > 0        ? f / (x - y)
                          : g > 0        ? g / (y - x)
                                         : 0;
      k->Y[(size_t)i * n + (size_t)j] = part * sum;
    }
  }
}

/* out (n) = dT y of the direction in Y. */
static void apply_root_slope(const slopes *k, const double *y, double *out)
{
  const size_t n = (size_t)k->n;
  memset(out, 0, n * sizeof *out);
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
      sum += k->Y[i * n + j] * cardan__dot(k->n, k->U + j * n, y);
    }
    for (size_t l = 0; l < n; l++) {
      out[l] += sum * k->U[i * n + l];
    }
  }
}

/* The rate of all rows along velocity j, to dR. */
static void along(slopes *k, size_t j)
{
  memset(k->x, 0, (size_t)k->nv * sizeof *k->x);
  k->x[j] = 1;
  cardan__row_slopes_along(&k->rows, k->data, k->x, k->dR);
}

/* (S4), column j of K_q (nv x nv), += sign times it. After slope_of_root. */
static void slope_of_kick(slopes *k, size_t j, double sign, double *K_q)
{
  const size_t n = (size_t)k->n, nv = (size_t)k->nv;
  const int *row = k->d->rolling->row;
  apply_root_slope(k, k->nu, k->da);
  for (size_t i = 0; i < n; i++) {
    const double dD = -0.5 * k->dS[i * n + i] * k->size[i] * k->size[i] * k->size[i];
    const double ds = dD * k->Tnu[i] + k->size[i] * k->da[i];
    const double *A = k->R + (size_t)row[i] * nv, *dA = k->dR + (size_t)row[i] * nv;
    for (size_t l = 0; l < nv; l++) {
      K_q[l * nv + j] += sign * (dA[l] * k->s[i] + A[l] * ds);
    }
  }
}

/* v, eta and a of (S5) from p^-, and the velocities in v that drivers give. */
static void find_velocity(slopes *k, const double *p)
{
  const size_t n = (size_t)k->n, nv = (size_t)k->nv, m = (size_t)k->m;
  const double *phi_t = k->data->rows.phi_t;
  for (size_t l = 0; l < nv; l++) {
    k->x[l] = cardan__prescribed(k->model, (int)l) ? k->v[l] : p[l];
  }
  for (size_t l = 0; l < m; l++) {
    k->x[nv + l] = -phi_t[k->position[l]];
  }
  cardan__lu_solve((int)(nv + m), k->saddle, k->pivot, k->x);
  memcpy(k->v, k->x, nv * sizeof *k->v);
  for (size_t l = 0; l < m; l++) {
    k->eta[l] = -k->x[nv + l];
  }
  for (size_t i = 0; i < n; i++) {
    const int r = k->d->rolling->row[i];
    k->a[i] = cardan__dot(k->nv, k->R + (size_t)r * nv, k->v) + phi_t[r];
  }
}

/* (S5) at fixed p^-, column j of e_q (n x nv). After slope_of_root. */
static void slope_of_end(slopes *k, size_t j, double *e_q)
{
  const size_t n = (size_t)k->n, nv = (size_t)k->nv, m = (size_t)k->m;
  const int *row = k->d->rolling->row;
  for (size_t i = 0; i < n; i++) {
    const double *W = k->W + i * nv;
    double sum = cardan__dot(k->nv, k->dR + (size_t)row[i] * nv, k->v);
    sum += k->dt[(size_t)row[i] * nv + j];
    for (size_t l = 0; l < m; l++) {
      const double *dG = k->dR + (size_t)k->position[l] * nv;
      const double rate = cardan__dot(k->nv, dG, k->v) + k->dt[(size_t)k->position[l] * nv + j];
      sum += k->eta[l] * cardan__dot(k->nv, dG, W) - k->L[i * m + l] * rate;
    }
    for (size_t l = 0; l < nv; l++) {
      sum -= W[l] * k->dMv[l * nv + j];
    }
    k->b[i] = sum;
  }
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t l = 0; l < n; l++) {
      const double dD = -0.5 * k->dS[l * n + l] * k->size[l] * k->size[l];
      sum += k->root[i * n + l] * (k->b[l] + dD * k->a[l]); // T dD a = root (dD / D) a
    }
    e_q[i * nv + j] = sum;
  }
  for (size_t i = 0; i < n; i++) {
    k->b[i] = k->size[i] * k->a[i];
  }
  apply_root_slope(k, k->b, k->da);
  for (size_t i = 0; i < n; i++) {
    e_q[i * nv + j] += k->da[i];
  }
}

/* ---- the middle ---- */

static cardan_mat3 product(cardan_mat3 A, cardan_mat3 B)
{
  return cardan__mat3_mul(&A, &B);
}

/* Writes the 3 x 3 block X to (row, column) of M (nv x nv), scaled. */
static void put_block(const slopes *k, double scale, cardan_mat3 X, int row, int column, double *M)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      M[(row + i) * k->nv + column + j] = scale * X.m[i][j];
    }
  }
}

/* (S6) of a ball, or of the turn of a free joint, and of its way y. */
static void move_turning(slopes *k, const cardan_body *b, cardan_vec3 w, cardan_vec3 y)
{
  const int at = b->vadr;
  const cardan_vec3 half = cardan__vec3_scale(0.5, w), back = cardan__vec3_neg(half);
  const cardan_mat3 R = cardan__quat_to_mat3(cardan__turn_exp(half)); // Exp(w/2)
  const cardan_mat3 Rt = cardan__mat3_transpose(&R), dlog = cardan__so3_dlog(w);
  const cardan_mat3 dexp = cardan__so3_dexp(back);
  const cardan_mat3 e1 = product(dlog, product(R, R)); // dw = e1 of the end - dlog of the node
  const cardan_mat3 m1 = product(dexp, e1), m0 = product(dexp, dlog);
  put_block(k, -1, dlog, at, at, k->turn[0]);
  put_block(k, 1, e1, at, at, k->turn[1]);
  put_block(k, -1, dlog, at, at, k->way[0]);
  put_block(k, 1, e1, at, at, k->way[1]);
  for (int side = 0; side < 2; side++) {
    cardan_mat3 move = side ? m1 : m0;
    for (int i = 0; i < 9; i++) {
      const double part = 0.5 * move.m[i / 3][i % 3];
      move.m[i / 3][i % 3] = side ? part : Rt.m[i / 3][i % 3] - part;
    }
    put_block(k, 1, move, at, at, k->move[side]);
    if (b->nv == 6) {
      const cardan_mat3 cross = product(cardan__mat3_skew(y), move);
      put_block(k, 0.5, side ? R : Rt, at + 3, at + 3, k->move[side]);
      put_block(k, side ? 1 : -1, side ? R : Rt, at + 3, at + 3, k->way[side]);
      put_block(k, 1, cross, at + 3, at, k->way[side]);
    }
  }
}

/* (S6) */
static void move_middle(slopes *k)
{
  const cardan_model *model = k->model;
  const double *y = k->d->rolling->y, *w = k->d->x.dq;
  const size_t square = (size_t)k->nv * (size_t)k->nv;
  for (int side = 0; side < 2; side++) {
    memset(k->move[side], 0, square * sizeof *k->move[side]);
    memset(k->way[side], 0, square * sizeof *k->way[side]);
    memset(k->turn[side], 0, square * sizeof *k->turn[side]);
  }
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const int v = b->vadr;
    if (b->nv > 1) {
      const cardan_vec3 way =
          b->nv == 6 ? cardan__vec3(y[v + 3], y[v + 4], y[v + 5]) : cardan__vec3(0, 0, 0);
      move_turning(k, b, cardan__vec3(w[v], w[v + 1], w[v + 2]), way);
    } else if (b->nv == 1) {
      const int at = v * k->nv + v;
      k->move[0][at] = k->move[1][at] = 0.5;
      k->way[0][at] = -1;
      k->way[1][at] = 1;
    }
  }
}

/* Entries of f on balls and free joints, turned by Exp(part w). */
static void turn_forces(const slopes *k, double part, double *f)
{
  const cardan_model *model = k->model;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const double *w = k->d->x.dq + b->vadr;
    for (double *x = f + b->vadr; b->nv > 1 && x < f + b->vadr + b->nv; x += 3) {
      const cardan_vec3 turn = cardan__vec3_scale(part, cardan__vec3(w[0], w[1], w[2]));
      const cardan_mat3 R = cardan__quat_to_mat3(cardan__turn_exp(turn));
      const cardan_vec3 a = cardan__mat3_mulv(&R, cardan__vec3(x[0], x[1], x[2]));
      x[0] = a.x;
      x[1] = a.y;
      x[2] = a.z;
    }
  }
}

/* da (nv) += d(Exp(part w) a), turned back, where w moves by dw: dexp_-(part w) (part dw) x a. */
static void add_turning(const slopes *k, double part, const double *dw, const double *a, double *da)
{
  const cardan_model *model = k->model;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const double *w = k->d->x.dq + b->vadr, *d = dw + b->vadr;
    for (int l = b->vadr; b->nv > 1 && l < b->vadr + b->nv; l += 3) {
      const cardan_vec3 back = cardan__vec3_scale(-part, cardan__vec3(w[0], w[1], w[2]));
      const cardan_vec3 turn =
          cardan__so3_dexp_mulv(back, cardan__vec3_scale(part, cardan__vec3(d[0], d[1], d[2])));
      const cardan_vec3 x = cardan__vec3_cross(turn, cardan__vec3(a[l], a[l + 1], a[l + 2]));
      da[l] += x.x;
      da[l + 1] += x.y;
      da[l + 2] += x.z;
    }
  }
}

/* Column j of the middle's part by node k (side 0) or k+1: of r, p' and the rows. a: A^T mu */
static void middle_column(slopes *k, int side, size_t j, const double *a, double *r_q, double *p_q,
                          double *c)
{
  const size_t nv = (size_t)k->nv, n = (size_t)k->n;
  const int *row = k->d->rolling->row;
  double *da = k->v, *f = k->kick, *dw = k->x; // scratch
  for (size_t i = 0; i < nv; i++) {
    da[i] = 0;
    dw[i] = k->turn[side][i * nv + j];
    for (size_t l = 0; l < nv; l++) {
      da[i] += k->H[i * nv + l] * k->move[side][l * nv + j];
    }
  }
  for (int end = 0; end < 2; end++) {
    const double part = end ? -0.5 : 0.5;
    memcpy(f, da, nv * sizeof *f);
    add_turning(k, part, dw, a, f);
    turn_forces(k, part, f);
    for (size_t i = 0; i < nv; i++) {
      *(end ? &p_q[i * nv + j] : &r_q[i * nv + j]) += 0.5 * f[i];
    }
  }
  for (size_t i = 0; i < n; i++) {
    const double *A = k->R + (size_t)row[i] * nv;
    double sum = 0;
    for (size_t l = 0; l < nv; l++) {
      sum += k->D[i * nv + l] * k->move[side][l * nv + j] + A[l] * k->way[side][l * nv + j];
    }
    c[i * nv + j] = sum;
  }
}

/* The middle's part of all, at the root: to r_q, .. and the rows c. needs rolling_evaluate */
static void add_middle(slopes *k, cardan__slopes *out)
{
  cardan__discrete *d = k->d;
  const cardan__rolling *s = d->rolling;
  const size_t nv = (size_t)k->nv, n = (size_t)k->n;
  double *a = k->tau_q; // nv of it
  memcpy(k->data->q, s->middle->q, (size_t)k->model->nq * sizeof *k->data->q);
  k->data->t = s->middle->t;
  cardan__row_slopes_begin(&k->rows, k->data);
  cardan_jacobian(k->model, k->data, k->R);
  cardan__row_slopes_of_time(&k->rows, k->data, k->dt);
  cardan__row_slopes_begin(&k->rows, k->data);
  memset(k->H, 0, nv * nv * sizeof *k->H);
  cardan__row_slopes_force(&k->rows, k->data, k->mu, k->H);
  for (size_t j = 0; j < nv; j++) {
    along(k, j);
    for (size_t i = 0; i < n; i++) {
      const size_t r = (size_t)s->row[i];
      k->D[i * nv + j] = cardan__dot(k->nv, k->dR + r * nv, s->y) + d->h * k->dt[r * nv + j];
    }
  }
  memset(a, 0, nv * sizeof *a);
  for (size_t i = 0; i < n; i++) {
    for (size_t l = 0; l < nv; l++) {
      a[l] += k->mu[s->row[i]] * k->R[(size_t)s->row[i] * nv + l];
    }
  }
  move_middle(k);
  for (size_t j = 0; j < nv; j++) {
    middle_column(k, 0, j, a, out->r_q, out->p_q, k->c[0]);
    middle_column(k, 1, j, a, out->r_q1, out->p_q1, k->c[1]);
  }
}

/* ---- the step ---- */

/* Kicks at the start: K of out, and their part of r_q. */
static cardan_status start_of_step(slopes *k, const double *q, double t, cardan__slopes *out)
{
  cardan_status status = look_at_node(k, q, t);
  if (status != CARDAN_OK) {
    return status;
  }
  take_kicks(k, out->kicks->K);
  for (size_t j = 0; j < (size_t)k->nv; j++) {
    along(k, j);
    slope_of_root(k, j);
    slope_of_kick(k, j, 1, out->r_q);
  }
  return CARDAN_OK;
}

/* Kicks at the end, and (K3), from p^- in p_next, which becomes the momentum of the node. */
static cardan_status end_of_step(slopes *k, cardan__slopes *out)
{
  cardan__kick_slopes *to = out->kicks;
  const cardan_model *model = k->model;
  const size_t n = (size_t)k->n, nv = (size_t)k->nv;
  double left = 0;
  cardan_status status = look_at_node(k, out->q_next, k->d->t_end);
  if (status != CARDAN_OK) {
    return status;
  }
  take_kicks(k, to->K1);
  memset(k->data->v, 0, nv * sizeof *k->data->v);
  cardan_kinematics(model, k->data);
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, k->data);
  cardan__rows_rates(&set, &view, k->data->rows.phi_t, NULL);
  cardan_prescribe(model, k->data);
  memcpy(k->v, k->data->v, nv * sizeof *k->v);
  memcpy(k->data->q, out->q_next, (size_t)model->nq * sizeof *k->data->q);
  find_velocity(k, out->p_next);
  status = slope_of_mass(k, k->v, k->dMv);
  cardan__row_slopes_begin(&k->rows, k->data);
  cardan__row_slopes_of_time(&k->rows, k->data, k->dt);
  cardan__row_slopes_begin(&k->rows, k->data);
  memset(to->p_q1, 0, nv * nv * sizeof *to->p_q1);
  for (size_t j = 0; j < nv && status == CARDAN_OK; j++) {
    along(k, j);
    slope_of_root(k, j);
    slope_of_kick(k, j, -1, to->p_q1);
    slope_of_end(k, j, to->e_q1);
  }
  for (size_t i = 0; i < n; i++) {
    double e = 0;
    for (size_t l = 0; l < nv; l++) {
      to->e_p[i * nv + l] = 0;
    }
    for (size_t j = 0; j < n; j++) {
      e += k->root[i * n + j] * k->a[j];
      for (size_t l = 0; l < nv; l++) {
        to->e_p[i * nv + l] += k->root[i * n + j] * k->W[j * nv + l];
      }
    }
    left = fmax(left, fabs(e - k->nu[i]));
  }
  for (size_t l = 0; l < nv; l++) {
    out->p_next[l] -= k->kick[l];
  }
  return status != CARDAN_OK || left <= agreed * k->d->rolling->speed ? status
                                                                      : CARDAN_ERR_NO_CONVERGENCE;
}

/* The root with kicks nu that are known; derivatives of the equation there, and of the rest. */
static cardan_status differentiate(slopes *k, const double *q, double t, double h,
                                   cardan__slopes *out)
{
  cardan__discrete *d = k->d;
  cardan__kick_slopes *to = out->kicks;
  const size_t nv = (size_t)k->nv;
  const int *slot = d->rolling->slot;
  cardan_status status = look_at_node(k, q, t);
  if (status == CARDAN_OK) {
    take_kicks(k, to->K);
    memcpy(to->kick, k->kick, nv * sizeof *to->kick);
    d->equation->push(d, to->kick);
    cardan__root_forget(d);
    cardan__step_begin(d, h, t + h);
    status = cardan__branch_solve(d);
  }
  if (status == CARDAN_OK && d->border.n > d->border.nloop) {
    snprintf(d->node->info.message, sizeof d->node->info.message,
             "rows that contacts, stops or friction hold are not differentiated beside constraints "
             "on velocities");
    status = CARDAN_ERR_UNSUPPORTED;
  }
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__border_values(d);
  cardan__border_rows(d);
  cardan__rolling_evaluate(d);
  status = d->equation->slopes(d, out);
  memset(k->mu, 0, (size_t)k->model->nrow * sizeof *k->mu);
  memset(to->p_lambda, 0, (size_t)k->model->nrow * nv * sizeof *to->p_lambda);
  to->nrow = d->border.n;
  for (int j = 0; j < d->border.n; j++) {
    const size_t at = (size_t)j * nv;
    const int r = d->border.row[j];
    to->row[j] = r;
    to->lambda[j] = d->border.lambda[j];
    k->mu[r] = slot[r] >= 0 ? to->lambda[j] : 0;
    memcpy(to->Gk + at, d->border.Gk + at, nv * sizeof *to->Gk);
    memset(to->c_q + at, 0, nv * sizeof *to->c_q);
    memcpy(to->c_q1 + at, d->border.Gn + at, nv * sizeof *to->c_q1);
    for (size_t l = 0; l < nv && slot[r] >= 0; l++) {
      to->p_lambda[at + l] = 0.5 * d->border.Gn[at + l];
      out->p_next[l] += to->p_lambda[at + l] * to->lambda[j];
    }
  }
  for (size_t l = 0; l < nv; l++) {
    to->p[l] = out->p[l] - to->kick[l];
  }
  if (status == CARDAN_OK) {
    add_middle(k, out);
    for (int j = 0; j < to->nrow; j++) {
      const size_t at = (size_t)j * nv;
      const int i = slot[to->row[j]];
      for (size_t l = 0; l < nv && i >= 0; l++) {
        to->c_q[at + l] = k->c[0][(size_t)i * nv + l];
        to->c_q1[at + l] = k->c[1][(size_t)i * nv + l];
      }
    }
    status = start_of_step(k, q, t, out);
  }
  return status == CARDAN_OK ? end_of_step(k, out) : status;
}

/* The step itself, for nu. */
static cardan_status find_kicks(slopes *k, double t_next)
{
  cardan__discrete *d = k->d;
  d->root.ntrace = 0;
  const cardan__attempt attempt = cardan__compose_step(d, t_next);
  memcpy(k->nu, d->rolling->e, (size_t)k->n * sizeof *k->nu);
  if (!cardan__attempt_accepted(attempt) && attempt.status == CARDAN_OK) {
    snprintf(d->node->info.message, sizeof d->node->info.message,
             "something closes within the step, and a motion has no derivative there");
    return CARDAN_ERR_UNSUPPORTED;
  }
  return attempt.status;
}

/* The state of the run to k->state, or back. */
static void exchange(slopes *k, bool restore)
{
  cardan__spans list = {.n = 0};
  cardan__discrete_spans(&k->d->base, &list);
  cardan__spans_copy(&list, k->state, restore);
  cardan__discrete_rejoin(&k->d->base, NULL, true);
}

cardan_status cardan__rolling_slopes(cardan__discrete *d, double h, cardan__slopes *out)
{
  const cardan_model *model = d->model;
  slopes k = {.d = d, .model = model, .n = d->rolling->n, .nv = model->nv};
  cardan__spans list = {.n = 0};
  cardan__discrete_spans(&d->base, &list);
  k.nstate = cardan__spans_size(&list);
  k.m = model->position_rank;
  const double t = d->node->t;
  k.block = cardan__carve_block(&d->base.allocator, layout, &k);
  cardan_status status =
      k.block != NULL ? cardan_data_create(model, &d->base.allocator, &k.data) : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK) {
    exchange(&k, false);
    d->started = true; // the first of a start from two configurations is one as any other
    status = find_kicks(&k, t + h);
    exchange(&k, true);
    if (status == CARDAN_OK) {
      memcpy(out->kicks->q, d->node->q, (size_t)model->nq * sizeof *out->kicks->q);
      status = differentiate(&k, out->kicks->q, t, h, out);
    }
    const cardan_info info = d->node->info;
    exchange(&k, true);
    d->node->info = info;
    cardan__root_forget(d);
  }
  cardan_data_destroy(k.data);
  cardan__resize(&d->base.allocator, k.block, 0);
  out->nindependent = status == CARDAN_OK ? out->kicks->nrow : 0;
  out->row = out->kicks->row;
  out->Gk = out->kicks->Gk;
  out->Gn = out->kicks->c_q1;
  out->lambda = out->kicks->lambda;
  out->p = out->kicks->p;
  return status;
}
