// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/matrices.h"
#include "cardan/constraints.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "expr/expr.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "model/build.h"
#include "model/joint_table.h"
#include "spatial/spatial.h"

/* The true degrees of freedom about a state, and the equations of motion in them.
 *
 * Of the coordinates that are solved for, as many as there are rows that count are dependent: those
 * that the rows move most, by pivoted QR of G^T, lengths in units of the mechanism. The n others
 * are x; with E their unit rows, and unit rows for the kinematic ones, which are held,
 *   S = [G; E_kinematic; E],   N = S^-1 [0; 0; 1]                                          (E1)
 * A change of x asks the constraints for velocities and accelerations too. With dG(z) the rate of G
 * along z, d(G v) by q along direction j is dG(v) e_j + G [e_j, v] (a Lie bracket: of joints with
 * several velocities, 0 for the others) for rows of positions, and dG(e_j) v for any, so
 *   dq = N x,   dv = N x' + P x,   da = N x'' + bq x + bv x',   E P = E bq = E bv = 0
 *   G P  = -d(G v + Phi_t)/dq N                                                            (E2)
 *   G bq = (dgamma/dq - d(G a)/dq) N + dgamma/dv P,   G bv = dgamma/dv N                   (E3)
 * with a of the coordinates that are solved for, gamma having the others in it;
 * and N^T (M a + c - Q - G^T lambda) = 0 becomes, with Rq and Rv its derivatives,
 *   Mr = N^T M N,  Cr = N^T (Rv N + M bv),  Kr = N^T (Rq N + Rv P + M bq)                  (E4)
 * Rows of velocity level leave fewer velocities than positions: N of rows of positions has n
 * columns, W of all rows, R W = 0, has nw, and W takes the place of N where velocities count:
 *   dv = W y + P x,   da = W y' + bq x + bv y,   R bv = dgamma/dv W,   Mr = W^T M W, ..
 * with R for G in (E2), (E3). Where all rows are of positions, W is N.
 * All exact but dgamma where the state moves, which would be third derivatives of Phi: differences
 * of order 4, with steps as rounding allows. At rest gamma is quadratic in v, and where nothing
 * depends on t it stays 0. */

static const double singular = 1e-9; // part of a row's length, as digits of closed loops allow

/* Y (rows x columns, out) = X N, skipping zeros: without constraints N is a choice of columns. */
static void times_N(const cardan_matrices *m, int rows, const double *X, const double *N,
                    int columns, double *Y)
{
  const size_t nv = (size_t)m->nv, n = (size_t)columns;
  memset(Y, 0, (size_t)rows * n * sizeof *Y);
  for (size_t k = 0; k < nv; k++) {
    for (size_t j = 0; j < n; j++) {
      const double f = N[k * n + j];
      for (size_t i = 0; f != 0.0 && i < (size_t)rows; i++) {
        Y[i * n + j] += X[i * nv + k] * f;
      }
    }
  }
}

/* Y (nw x columns) += W^T X, X: nv x columns */
static void add_transposed(const cardan_matrices *m, const double *X, int columns, double *Y)
{
  const size_t nv = (size_t)m->nv, nw = (size_t)m->nw, n = (size_t)columns;
  for (size_t k = 0; k < nv; k++) {
    for (size_t i = 0; i < nw; i++) {
      const double f = m->W[k * nw + i];
      for (size_t j = 0; f != 0.0 && j < n; j++) {
        Y[i * n + j] += f * X[k * n + j];
      }
    }
  }
}

static bool say_singular(cardan_matrices *m)
{
  m->status = CARDAN_ERR_SINGULAR;
  snprintf(m->why, sizeof m->why,
           "singular position: rows of the constraints depend on one another here that do not "
           "nearby, so that the degrees of freedom are not defined");
  return false;
}

/* Independent rows to w->row: of all, or of those of positions. Beside rows of velocity level those
 * that were chosen among all at the start may not be those of positions. returns false where fewer
 * count here */
static bool choose_rows(const cardan_matrices *m, cardan__matrices_work *w, bool all)
{
  const cardan_model *model = m->model;
  const bool mixed = model->nvelocity_row > 0;
  const int nd = m->nforced, rank = all ? model->rank : model->position_rank;
  int count = 0;
  for (int r = 0; r < m->nrow; r++) {
    if (mixed ? all || !model->row[r].velocity : !model->row_redundant[r]) {
      w->row[count++] = r;
    }
  }
  w->nrank = mixed ? rank : count;
  for (int i = 0; i < count && mixed; i++) { // over their lengths: what is rounding stays rounding
    const double *row = m->G + (size_t)w->row[i] * (size_t)m->nv;
    for (int k = 0; k < nd; k++) {
      w->T[(size_t)i * (size_t)nd + (size_t)k] = row[m->forced[k]] *
                                                 cardan__velocity_unit(model, m->forced[k]) /
                                                 model->row[w->row[i]].length;
    }
  }
  if (!mixed || rank == 0) {
    return true;
  }
  if (cardan__independent(count, nd, w->T, singular, w->order, NULL, w->qr) < rank) {
    return false;
  }
  for (int i = 0; i < rank; i++) {
    w->pivot[i] = w->row[w->order[i]];
  }
  memcpy(w->row, w->pivot, (size_t)rank * sizeof *w->row);
  return true;
}

/* The n coordinates that w->row leaves independent, to dof. returns false where rows that count do
 * not count here */
static bool choose_dofs(const cardan_matrices *m, cardan__matrices_work *w, int most, int *dof)
{
  const cardan_model *model = m->model;
  const int nd = m->nforced, rank = w->nrank;
  for (int i = 0; i < rank; i++) {
    const double *row = m->G + (size_t)w->row[i] * (size_t)m->nv;
    double square = 0;
    for (int k = 0; k < nd; k++) {
      const double c = row[m->forced[k]] * cardan__velocity_unit(model, m->forced[k]);
      w->T[(size_t)k * (size_t)rank + (size_t)i] = c;
      square += c * c;
    }
    for (int k = 0; k < nd && square > 0; k++) {
      w->T[(size_t)k * (size_t)rank + (size_t)i] /= sqrt(square);
    }
  }
  if (rank > 0 &&
      (rank > nd || cardan__independent(nd, rank, w->T, singular, w->order, NULL, w->qr) < rank)) {
    return false;
  }
  // the dependent ones are first in the order; the others keep that of the model
  for (int k = 0; k < nd; k++) {
    w->pivot[k] = 0;
  }
  for (int i = 0; i < rank; i++) {
    w->pivot[w->order[i]] = 1;
  }
  int n = 0;
  for (int k = 0; k < nd; k++) {
    if (!w->pivot[k]) {
      dof[n++] = m->forced[k];
    }
  }
  return n == most;
}

/* S, factored, and N (nv x columns) of (E1), with the coordinates dof. */
static bool find_basis(const cardan_matrices *m, cardan__matrices_work *w, int columns,
                       const int *dof, double *N)
{
  const size_t nv = (size_t)m->nv, n = (size_t)columns, rank = (size_t)w->nrank;
  size_t at = rank;
  memset(w->S, 0, nv * nv * sizeof *w->S);
  memset(N, 0, nv * n * sizeof *N);
  for (size_t i = 0; i < rank; i++) {
    memcpy(w->S + i * nv, m->G + (size_t)w->row[i] * nv, nv * sizeof *w->S);
  }
  for (size_t k = 0, d = 0; k < nv; k++) {
    const bool solved = d < (size_t)m->nforced && m->forced[d] == (int)k;
    d += solved;
    if (!solved) {
      w->S[at++ * nv + k] = 1;
    }
  }
  for (size_t j = 0; j < n; j++) {
    w->S[(at + j) * nv + (size_t)dof[j]] = 1;
    N[(at + j) * n + j] = 1;
  }
  if (rank == 0) { // S is a change of order
    memset(N, 0, nv * n * sizeof *N);
  } else if (cardan__lu(m->nv, w->S, w->pivot) >= 0) {
    return false;
  } else {
    cardan__lu_solve_many(m->nv, w->S, w->pivot, columns, N, w->f);
  }
  for (size_t j = 0; j < n; j++) { // as they are, without rounding
    double *row = N + (size_t)dof[j] * n;
    memset(row, 0, n * sizeof *row);
    row[j] = 1;
  }
  return true;
}

/* The same of rows of velocity level, whose second derivatives are not symmetric: dG(e_j) z. */
static void slope_along(const cardan_matrices *m, cardan__matrices_work *w, const double *z,
                        double *D)
{
  const size_t nv = (size_t)m->nv, nrow = (size_t)m->nrow;
  for (size_t j = 0; j < nv; j++) {
    memset(w->f, 0, nv * sizeof *w->f);
    w->f[j] = 1;
    cardan__row_slopes_along(&w->rows, w->node, w->f, w->turn);
    for (size_t r = 0; r < nrow; r++) {
      D[r * nv + j] = cardan__dot(m->nv, w->turn + r * nv, z);
    }
  }
}

/* D (nrow x nv, out): d(G z)/dq, directions j: dG(z) e_j + G [e_j, z]. z is not w->f. */
static void slope_of_product(const cardan_matrices *m, cardan__matrices_work *w, const double *z,
                             double *D)
{
  const cardan_model *model = m->model;
  const size_t nv = (size_t)m->nv, nrow = (size_t)m->nrow;
  if (model->nvelocity_row > 0) {
    slope_along(m, w, z, D);
    return;
  }
  cardan__row_slopes_along(&w->rows, w->node, z, D);
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    for (int k = 0; k < b->nv && b->nv > 1; k++) {
      double e[6] = {0}, x[6] = {0};
      e[k] = 1;
      memcpy(x, z + b->vadr, (size_t)b->nv * sizeof *x);
      const cardan_twist a = {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
      const cardan_twist c = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
      const cardan_twist ab = cardan__twist_cross(a, c);
      const double bracket[6] = {ab.w.x, ab.w.y, ab.w.z, ab.v.x, ab.v.y, ab.v.z};
      for (size_t r = 0; r < nrow; r++) {
        for (int l = 0; l < b->nv; l++) {
          D[r * nv + (size_t)(b->vadr + k)] += m->G[r * nv + (size_t)(b->vadr + l)] * bracket[l];
        }
      }
    }
  }
}

void cardan__matrices_solve_rows(const cardan_matrices *m, cardan__matrices_work *w,
                                 const double *g, int columns, double *X)
{
  const size_t n = (size_t)columns;
  memset(X, 0, (size_t)m->nv * n * sizeof *X);
  for (int i = 0; i < w->nrank; i++) {
    memcpy(X + (size_t)i * n, g + (size_t)w->row[i] * n, n * sizeof *X);
  }
  cardan__lu_solve_many(m->nv, w->S, w->pivot, columns, X, w->f);
}

/* (E2) */
static void find_velocities(const cardan_matrices *m, cardan__matrices_work *w)
{
  const size_t size = (size_t)m->nrow * (size_t)m->nv;
  slope_of_product(m, w, m->v, w->T);
  cardan__row_slopes_of_time(&w->rows, w->node, w->rate);
  for (size_t i = 0; i < size; i++) {
    w->rate[i] = -(w->T[i] + w->rate[i]);
  }
  times_N(m, m->nrow, w->rate, m->N, m->n, w->T);
  cardan__matrices_solve_rows(m, w, w->T, m->n, w->P);
}

void cardan__matrices_place(const cardan_matrices *m, cardan__matrices_work *w, double h,
                            const double *dq, const double *dv, const double *du)
{
  const cardan_model *model = m->model;
  cardan_data *node = w->node;
  node->t = m->t;
  memcpy(node->q, m->q, (size_t)model->nq * sizeof *node->q);
  memcpy(node->v, m->v, (size_t)model->nv * sizeof *node->v);
  if (dq != NULL) {
    cardan_q_move(model, m->q, dq, h, node->q);
  }
  for (int k = 0; k < model->nv && dv != NULL; k++) {
    node->v[k] += h * dv[k];
  }
  for (int k = 0; k < model->ninput + model->nz; k++) {
    node->u[k] = w->u[k] + (du != NULL ? h * du[k] : 0);
  }
}

/* d (nrow, out): dgamma along (dq, dv), by a difference of step h. */
static void difference(const cardan_matrices *m, cardan__matrices_work *w, const double *dq,
                       const double *dv, double h, double *d)
{
  static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  memset(d, 0, (size_t)m->nrow * sizeof *d);
  for (int k = 0; k < 4; k++) {
    cardan__matrices_place(m, w, at[k] * h, dq, dv, NULL);
    cardan_kinematics(m->model, w->node);
    cardan_constraints(m->model, w->node);
    for (int r = 0; r < m->nrow; r++) {
      d[r] += weight[k] * w->node->rows.gamma[r] / (12 * h);
    }
  }
}

/* g (nrow x columns, column j) += dgamma along (dq, dv). Nothing says over which length gamma
 * bends: of steps that are each a quarter of the one before, the two that agree best; longer ones
 * miss how it bends, shorter ones have its rounding. returns how far apart those two are */
static double add_gamma(const cardan_matrices *m, cardan__matrices_work *w, const double *dq,
                        const double *dv, int columns, int j, double *g)
{
  enum { STEPS = 12 };
  const size_t nrow = (size_t)m->nrow, size = nrow * sizeof *w->rate;
  double *d = w->rate, *next = d + nrow, *best = next + nrow; // spent
  double h = 1e-3, least = HUGE_VAL;
  difference(m, w, dq, dv, h, d);
  memcpy(best, d, size);
  for (int i = 0; i < STEPS && least > 0; i++) {
    double apart = 0;
    h *= 0.25;
    difference(m, w, dq, dv, h, next);
    for (size_t r = 0; r < nrow; r++) {
      apart = fmax(apart, fabs(next[r] - d[r]));
    }
    memcpy(d, next, size);
    if (apart < least) {
      least = apart;
      memcpy(best, next, size);
    }
  }
  for (size_t r = 0; r < nrow; r++) {
    g[r * (size_t)columns + (size_t)j] += best[r];
  }
  return least;
}

/* Does gamma depend on q or v at rest too? */
static bool rows_timed(const cardan_model *model)
{
  bool timed = model->nprescribed > 0;
  for (int r = 0; r < model->nrow && !timed; r++) {
    const int e = model->row[r].expr;
    timed = e >= 0 && (model->expr[e].expr->uses & CARDAN__LEAVES_T);
    timed = timed || cardan__row_drives(&model->row[r]);
  }
  return timed;
}

/* (E3) */
static void find_accelerations(const cardan_matrices *m, cardan__matrices_work *w)
{
  const size_t n = (size_t)m->n, nw = (size_t)m->nw, nv = (size_t)m->nv;
  const size_t size = (size_t)m->nrow * n;
  double *g = w->T;
  memset(w->bv, 0, nv * nw * sizeof *w->bv);
  memset(w->f2, 0, nv * sizeof *w->f2);
  for (int k = 0; k < m->nforced; k++) { // gamma has what kinematic coordinates do
    w->f2[m->forced[k]] = m->a[m->forced[k]];
  }
  slope_of_product(m, w, w->f2, w->rate);
  times_N(m, m->nrow, w->rate, m->N, m->n, g);
  for (size_t i = 0; i < size; i++) {
    g[i] = -g[i];
  }
  const bool constant = !m->moves && !rows_timed(m->model);
  for (int by_v = 0; by_v < 2; by_v++) {
    const size_t columns = by_v ? nw : n;
    for (size_t j = 0; j < columns && !constant; j++) {
      for (size_t k = 0; k < nv; k++) {
        w->f[k] = by_v ? 0 : m->N[k * n + j];
        w->f2[k] = by_v ? m->W[k * nw + j] : w->P[k * n + j];
      }
      w->apart[(size_t)by_v * n + j] =
          add_gamma(m, w, by_v ? NULL : w->f, w->f2, (int)columns, (int)j, g);
    }
    cardan__matrices_solve_rows(m, w, g, (int)columns, by_v ? w->bv : w->bq);
    memset(g, 0, size * sizeof *g);
  }
}

/* R (nw x columns, out) = W^T (X B + X2 P + M b), B: nv x columns; X2 NULL: 0 */
static void reduce(const cardan_matrices *m, cardan__matrices_work *w, const double *X,
                   const double *B, const double *X2, const double *b, int columns, double *R)
{
  memset(R, 0, (size_t)m->nw * (size_t)columns * sizeof *R);
  times_N(m, m->nv, X, B, columns, w->T);
  add_transposed(m, w->T, columns, R);
  if (X2 != NULL) {
    times_N(m, m->nv, X2, w->P, columns, w->T);
    add_transposed(m, w->T, columns, R);
  }
  if (b != NULL) {
    times_N(m, m->nv, m->M, b, columns, w->T);
    add_transposed(m, w->T, columns, R);
  }
}

/* N and W, and S of all rows. */
static bool find_bases(cardan_matrices *m, cardan__matrices_work *w)
{
  const bool mixed = m->model->nvelocity_row > 0;
  if (!choose_rows(m, w, !mixed) || !choose_dofs(m, w, m->n, m->dof) ||
      !find_basis(m, w, m->n, m->dof, m->N)) {
    return false;
  }
  return !mixed || (choose_rows(m, w, true) && choose_dofs(m, w, m->nw, m->wdof) &&
                    find_basis(m, w, m->nw, m->wdof, m->W));
}

bool cardan__matrices_true(cardan_matrices *m, cardan__matrices_work *w)
{
  if (!find_bases(m, w)) {
    return say_singular(m);
  }
  const bool held = w->nrank > 0 && m->n > 0;
  if (held) {
    cardan__matrices_place(m, w, 0, NULL, NULL, NULL);
    cardan__row_slopes_begin(&w->rows, w->node);
    find_velocities(m, w);
    find_accelerations(m, w);
  }
  const double *b = held ? w->bv : NULL;
  reduce(m, w, m->M, m->W, NULL, NULL, m->nw, m->Mr);
  reduce(m, w, w->Rv, m->W, NULL, b, m->nw, m->Cr);
  reduce(m, w, w->Rq, m->N, held ? w->Rv : NULL, held ? w->bq : NULL, m->n, m->Kr); // (E4)
  cardan__matrices_errors(m, w);
  return true;
}
