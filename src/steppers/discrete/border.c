// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "steppers/discrete/discrete.h"

/* Loops, couplings and drivers over whatever solves J x = r.
 *
 * Newton for (x, lambda) of (D1), with J = dr/dx, G_n the rows at the iterate, u = -J^-1 r and
 * Y = J^-1 G_k^T:
 *   J step - G_k^T sigma = -(r - G_k^T lambda),   G_n step = -Phi                           (B1)
 *   (G_n Y) sigma = -Phi - G_n u,   step = u + Y sigma                                      (B2)
 * Only independent rows are here, chosen at the node (node_rows.c); G is kept dense, O(rows (nv +
 * depth)).
 * Where rows are many border_web.c does without matrices, behind the same calls. Rows of contacts
 * follow those of the loops, and their impulses come from a problem of their own (contact.c). */

void cardan__border_enter(cardan__discrete *d)
{
  if (d->border.P != NULL) {
    cardan__border_web_enter(d);
  } else if (d->border.nloop > 0) {
    cardan__node_pose(d);
    cardan__rows_of_node(d, true);
  }
}

void cardan__border_keep(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  memcpy(b->lambda_start, b->lambda, (size_t)b->n * sizeof *b->lambda);
}

void cardan__border_restore(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  memcpy(b->lambda, b->lambda_start, (size_t)b->n * sizeof *b->lambda);
}

void cardan__border_rows(cardan__discrete *d)
{
  if (d->border.P != NULL) {
    cardan__border_web_rows(d);
    return;
  }
  cardan__rows_gather(d, d->trial, d->border.Gn);
  cardan__hold_rows(d, d->border.Gn);
}

void cardan__border_advance(cardan__discrete *d)
{
  if (d->border.P != NULL) {
    cardan__border_web_advance(d);
  } else if (d->border.nloop > 0) {
    cardan__rows_of_node(d, false);
  }
}

void cardan__border_values(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan_data *trial = d->trial;
  trial->t = d->t_end;
  cardan_q_move(model, d->node->q, d->x.dq, 1, trial->q);
  cardan__rows_look(model, trial, d->border.phi);
  cardan__hold_values(d, d->border.phi);
}

void cardan__border_subtract(cardan__discrete *d)
{
  const cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv;
  if (b->P != NULL) {
    cardan__border_web_subtract(d);
    return;
  }
  for (int j = 0; j < b->n; j++) {
    const double *g = b->Gk + (size_t)j * nv;
    for (size_t k = 0; k < nv; k++) {
      d->r[k] -= b->lambda[j] * g[k];
    }
  }
}

void cardan__border_sizes(cardan__discrete *d, double *size)
{
  const cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv;
  if (b->P != NULL) {
    cardan__border_web_sizes(d, size);
    return;
  }
  for (int j = 0; j < b->n; j++) {
    const double *g = b->Gk + (size_t)j * nv;
    for (size_t k = 0; k < nv; k++) {
      size[k] += fabs(b->lambda[j] * g[k]);
    }
  }
}

static cardan_status lost_rank(cardan__discrete *d, int j)
{
  cardan_info *info = &d->node->info;
  char name[160];
  info->row = d->border.row[j];
  snprintf(info->message, sizeof info->message,
           "singular position at t = %.9g s: %s is redundant there, and %s", d->t,
           cardan__hold_name(d, info->row, name, sizeof name),
           d->stages.history[0].have > 0 ? "no impulse can hold it"
                                         : "no speed says which way to go on");
  info->whole = true;
  return CARDAN_ERR_SINGULAR;
}

/* Largest entry of each column of S (n x n), to size (n). */
static void largest_of_columns(const double *S, int n, double *size)
{
  memset(size, 0, (size_t)n * sizeof *size);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      size[j] = fmax(size[j], fabs(S[(size_t)i * (size_t)n + (size_t)j]));
    }
  }
}

/* The smallest pivot of its LU, relative to that. */
static double smallest_pivot(const double *S, int n, const double *size)
{
  double smallest = 1;
  for (int j = 0; j < n; j++) {
    const double pivot = fabs(S[(size_t)j * (size_t)n + (size_t)j]);
    smallest = pivot < smallest * size[j] ? pivot / size[j] : smallest;
  }
  return smallest;
}

/* S (rows x columns, out) = G_n Y, of so many of both from there on. */
static void product(const cardan__discrete *d, const int from[2], const int count[2], double *S)
{
  const cardan__border *b = &d->border;
  const size_t n = (size_t)b->n, nv = (size_t)d->model->nv, width = (size_t)count[1];
  memset(S, 0, (size_t)count[0] * width * sizeof *S);
  for (size_t i = 0; i < (size_t)count[0]; i++, S += width) {
    const double *G = b->Gn + ((size_t)from[0] + i) * nv;
    for (size_t k = 0; k < nv; k++) {
      const double g = G[k], *Y = b->Y + k * n + (size_t)from[1];
      for (size_t j = 0; j < width && g != 0; j++) {
        S[j] += g * Y[j];
      }
    }
  }
}

/* (H3) of contact.c; S_LL is factored. */
static void factor_cones(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  const int nl = b->nloop, m = b->n - nl;
  product(d, (int[2]){nl, nl}, (int[2]){m, m}, b->Gx);
  if (nl > 0) {
    product(d, (int[2]){nl, 0}, (int[2]){m, nl}, b->SCL);
    product(d, (int[2]){0, nl}, (int[2]){nl, m}, b->SLC);
    for (int j = 0; j < m; j++) {
      for (int i = 0; i < nl; i++) {
        b->sigma[i] = b->SLC[(size_t)i * (size_t)m + (size_t)j];
      }
      cardan__lu_solve(nl, b->S, b->pivot, b->sigma);
      for (int i = 0; i < nl; i++) {
        b->SLC[(size_t)i * (size_t)m + (size_t)j] = b->sigma[i];
      }
    }
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) {
      double *g = &b->Gx[(size_t)i * (size_t)m + (size_t)j];
      for (int l = 0; l < nl; l++) {
        *g -=
            b->SCL[(size_t)i * (size_t)nl + (size_t)l] * b->SLC[(size_t)l * (size_t)m + (size_t)j];
      }
      *g /= d->h;
    }
  }
  cardan__hold_factor(d);
}

cardan_status cardan__border_factor(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  const size_t n = (size_t)b->n, nv = (size_t)d->model->nv;
  if (b->P != NULL) {
    return cardan__border_web_factor(d);
  }
  for (size_t k = 0; k < nv; k++) {
    for (size_t j = 0; j < n; j++) {
      b->Y[k * n + j] = b->Gk[j * nv + k];
    }
  }
  cardan__linear_solve(d, b->n, b->Y);
  if (b->nloop > 0) {
    product(d, (int[2]){0, 0}, (int[2]){b->nloop, b->nloop}, b->S);
    largest_of_columns(b->S, b->nloop, b->sigma);
    const int bad = cardan__lu(b->nloop, b->S, b->pivot);
    b->ratio = bad < 0 ? smallest_pivot(b->S, b->nloop, b->sigma) : 0;
    b->best = b->best > 0 ? b->best : b->ratio;
    if (bad >= 0) {
      return lost_rank(d, bad);
    }
  }
  if (cardan__has_cones(d)) {
    factor_cones(d);
  }
  return CARDAN_OK;
}

/* sigma of the contacts, and of the loops with them: (H4) of contact.c. In: sigma_L = S_LL^-1 of
 * what it is without them, sigma_C = -(phi' + D u). */
static void direct_cones(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  const int nl = b->nloop, m = b->n - nl;
  double *r = b->sigma + nl;
  for (int i = 0; i < m; i++) {
    b->free[i] =
        (cardan__dot(nl, b->SCL + (size_t)i * (size_t)nl, b->sigma) - b->sigma[nl + i]) / d->h;
  }
  cardan__hold_solve(d, b->free, r);
  for (int i = 0; i < m; i++) {
    r[i] -= b->lambda[nl + i];
  }
  for (int l = 0; l < nl; l++) {
    b->sigma[l] -= cardan__dot(m, b->SLC + (size_t)l * (size_t)m, r);
  }
}

void cardan__border_direction(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  const int nv = d->model->nv, n = b->n;
  double *step = d->root.step;
  if (b->P != NULL) {
    cardan__border_web_direction(d);
    return;
  }
  for (int k = 0; k < nv; k++) {
    step[k] = -d->r[k];
  }
  cardan__linear_solve(d, 1, step);
  if (n == 0) {
    return;
  }
  for (int j = 0; j < n; j++) {
    b->sigma[j] =
        -b->phi[b->row[j]] - cardan__dot(nv, b->Gn + (size_t)j * (size_t)nv, step); // (B2)
  }
  if (b->nloop > 0) {
    cardan__lu_solve(b->nloop, b->S, b->pivot, b->sigma);
  }
  if (cardan__has_cones(d)) {
    direct_cones(d);
  }
  for (int k = 0; k < nv; k++) {
    step[k] += cardan__dot(n, b->Y + (size_t)k * (size_t)n, b->sigma);
  }
}
