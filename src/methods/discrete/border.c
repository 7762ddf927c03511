// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "methods/discrete/rolling.h"

/* Loops, couplings and drivers over whatever solves J x = r.
 *
 * Newton for (x, lambda) of (D1), with J = dr/dx, G_n the rows at the iterate, u = -J^-1 r and
 * Y = J^-1 G_k^T:
 *   J step - G_k^T sigma = -(r - G_k^T lambda),   G_n step = -Phi                           (B1)
 *   (G_n Y) sigma = -Phi - G_n u,   step = u + Y sigma                                      (B2)
 * Only independent rows are here, chosen at the node (node_rows.c); G is kept dense, O(rows (nv +
 * depth)).
 * Where rows are many border_sparse.c needs no matrices, behind the same table. Rows of contacts
 * follow those of the loops, and their impulses come from a problem of their own
 * (border_held.c); what they are multiplied with is what they reach, and what answers to them
 * are their trees (contact_parts.c). */

static const double prescribed =
    1e-10; // of an entry of G_x without loops: what is less is rounding

/* Where row j, which is behind the two-sided ones, acts. */
static const cardan__row_reach *reach_of(const cardan__discrete *d, int j)
{
  return &d->base.held->reach[d->border.of[j - d->border.nequal]];
}

/* The same at the node: rows of velocity level spread what acts there. */
static const cardan__row_reach *reach_at_node(const cardan__discrete *d, int j)
{
  return d->rolling != NULL ? &d->rolling->whole : reach_of(d, j);
}

/* Row j of held cones at the node. */
static const double *held_row(const cardan__discrete *d, int j)
{
  return d->border.J + (size_t)(j - d->border.nequal) * (size_t)d->model->nv;
}

static void enter(cardan__discrete *d)
{
  if (d->border.nloop > 0) {
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

static void rows(cardan__discrete *d)
{
  cardan__rows_gather(d, d->trial, d->border.Gn);
  if (d->rolling != NULL) {
    cardan__rolling_rows(d, d->border.Gn);
  }
  cardan__hold_rows(d, d->border.Gn);
}

static void advance(cardan__discrete *d)
{
  if (d->border.nloop > 0) {
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
  if (d->rolling != NULL) {
    cardan__rolling_values(d, d->border.phi);
  }
  cardan__hold_values(d, d->border.phi);
}

static void subtract(cardan__discrete *d)
{
  const cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv;
  for (int j = 0; j < b->nequal; j++) {
    const double *g = b->Gk + (size_t)j * nv;
    for (size_t k = 0; k < nv; k++) {
      d->r[k] -= b->lambda[j] * g[k];
    }
  }
  for (int j = b->nequal; j < b->n; j++) {
    cardan__reach_axpy(reach_at_node(d, j), -b->lambda[j], held_row(d, j), d->r);
  }
}

static void sizes(cardan__discrete *d, double *size)
{
  const cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv;
  for (int j = 0; j < b->nequal; j++) {
    const double *g = b->Gk + (size_t)j * nv;
    for (size_t k = 0; k < nv; k++) {
      size[k] += fabs(b->lambda[j] * g[k]);
    }
  }
  for (int j = b->nequal; j < b->n; j++) {
    const double *g = held_row(d, j);
    const cardan__row_reach *reach = reach_at_node(d, j);
    for (int side = 0; side < 2; side++) {
      for (int k = reach->range[side][0]; k < reach->range[side][1]; k++) {
        size[k] += fabs(b->lambda[j] * g[k]);
      }
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
                                         : "no speed says how the motion continues");
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

/* The pivots of its LU, relative to that. */
static void compare_pivots(const double *S, int n, const double *size, cardan__rank_monitor *rank)
{
  cardan__rank_begin(rank);
  for (int j = 0; j < n; j++) {
    cardan__rank_take(rank, j, fabs(S[(size_t)j * (size_t)n + (size_t)j]), size[j]);
  }
  cardan__rank_end(rank);
}

/* S (count x nequal, out) = G_n Y of the loops, for so many rows from there on. */
static void product(const cardan__discrete *d, int from, int count, double *S)
{
  const cardan__border *b = &d->border;
  const size_t nl = (size_t)b->nequal, nv = (size_t)d->model->nv;
  memset(S, 0, (size_t)count * nl * sizeof *S);
  for (size_t i = 0; i < (size_t)count; i++, S += nl) {
    const double *G = b->Gn + ((size_t)from + i) * nv;
    for (size_t k = 0; k < nv; k++) {
      const double g = G[k], *Y = b->Y + k * nl;
      for (size_t j = 0; j < nl && g != 0; j++) {
        S[j] += g * Y[j];
      }
    }
  }
}

/* Y of n rows of a contact, from row j on: over its trees, where the equation can. */
static void respond_rows(cardan__discrete *d, int j, int n)
{
  cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv;
  const cardan__tree_part *part = d->base.held->part[b->of[j]];
  double *y = b->Yc + (size_t)j * nv;
  bool done = d->rolling == NULL;
  for (int k = 0; k < d->base.held->nparts[b->of[j]] && done; k++) {
    done = cardan__linear_part(d, part[k].body, part[k].tip, n, y, &b->columns);
  }
  for (int k = 0; k < n && !done; k++) {
    cardan__linear_solve(d, 1, y + (size_t)k * nv);
    b->whole = true;
  }
}

/* The same of all. */
static void respond(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  const cardan__held_rows *held = d->base.held;
  const size_t nv = (size_t)d->model->nv, m = (size_t)(b->n - b->nequal);
  b->whole = false;
  memcpy(b->Yc, b->J, m * nv * sizeof *b->Yc);
  for (int i = 0; i < held->n; i++) {
    const int end = held->cone[i].row + cardan__cone_rows(&held->cone[i]);
    for (int j = held->cone[i].row; j < end; j += CARDAN__SIDES) {
      respond_rows(d, j, end - j < CARDAN__SIDES ? end - j : CARDAN__SIDES);
    }
  }
}

/* S_CC / h to G_x: blocks of contacts that share no tree are 0, where Y is 0 beyond these, and are
 * not read but where any two may meet. */
static void product_cones(const cardan__discrete *d)
{
  const cardan__border *b = &d->border;
  const size_t m = (size_t)(b->n - b->nequal);
  const cardan__contact_rows rows = cardan__hold_blocks(d);
  if (cardan__held_trees(d->base.held, d->model) == NULL) {
    memset(b->Gx, 0, m * m * sizeof *b->Gx);
  }
  cardan__rows_products(&rows, b->Gn + (size_t)b->nequal * (size_t)d->model->nv, b->Yc, d->h, false,
                        b->Gx);
}

/* What of G_x the loops leave of a box is rounding where they, or drivers, prescribe its motion: 0
 * then. The same of contacts where bodies roll: most of what rolls touches what it rolls on. whole:
 * it without loops */
static void clear_prescribed(const cardan__discrete *d, size_t row, double whole)
{
  const cardan__border *b = &d->border;
  const size_t m = (size_t)(b->n - b->nequal);
  if ((d->rolling != NULL || d->base.held->cone[b->of[row]].bound > 0) &&
      b->Gx[row * m + row] <= prescribed * whole) {
    for (size_t k = 0; k < m; k++) {
      b->Gx[row * m + k] = b->Gx[k * m + row] = 0;
    }
  }
}

/* S_CL, S_LL^-1 S_LC, and their product out of G_x. */
static void eliminate_loops(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv, nl = (size_t)b->nequal, m = (size_t)b->n - nl;
  product(d, b->nequal, (int)m, b->SCL);
  for (size_t j = 0; j < m; j++) {
    for (size_t i = 0; i < nl; i++) {
      b->sigma[i] = cardan__dot((int)nv, b->Gn + i * nv, b->Yc + j * nv);
    }
    cardan__lu_solve((int)nl, b->S, b->pivot, b->sigma);
    for (size_t i = 0; i < nl; i++) {
      b->SLC[i * m + j] = b->sigma[i];
    }
  }
  for (size_t i = 0; i < m; i++) {
    b->ux[i] = b->Gx[i * m + i];
    for (size_t j = 0; j < m; j++) {
      for (size_t l = 0; l < nl; l++) {
        b->Gx[i * m + j] -= b->SCL[i * nl + l] * b->SLC[l * m + j] / d->h;
      }
    }
  }
  for (size_t i = 0; i < m; i++) {
    clear_prescribed(d, i, b->ux[i]);
  }
}

/* (H3) of border_held.c; S_LL is factored. */
static void factor_cones(cardan__discrete *d)
{
  respond(d);
  product_cones(d);
  if (d->border.nequal > 0) {
    eliminate_loops(d);
  }
  cardan__hold_factor(d);
}

static cardan_status factor(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  const size_t n = (size_t)b->nequal, nv = (size_t)d->model->nv;
  if (b->nequal > 0) {
    for (size_t k = 0; k < nv; k++) {
      for (size_t j = 0; j < n; j++) {
        b->Y[k * n + j] = b->Gk[j * nv + k];
      }
    }
    cardan__linear_solve(d, b->nequal, b->Y);
    product(d, 0, b->nequal, b->S);
    largest_of_columns(b->S, b->nequal, b->sigma);
    const int bad = cardan__lu(b->nequal, b->S, b->pivot);
    if (bad >= 0) {
      cardan__rank_see(&b->rank, 0, bad);
      return lost_rank(d, bad);
    }
    compare_pivots(b->S, b->nequal, b->sigma, &b->rank);
  }
  if (cardan__has_cones(d)) {
    factor_cones(d);
  }
  return CARDAN_OK;
}

/* sigma of the contacts, and of the loops with them: (H4) of border_held.c. In: sigma_L =
 * S_LL^-1 of what it is without them, sigma_C = -(phi' + D u). */
static void direct_cones(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  const int nl = b->nequal, m = b->n - nl;
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

/* step += Y sigma of a row of a contact. */
static void add_response(const cardan__discrete *d, int j, double *step)
{
  const cardan__border *b = &d->border;
  const double *y = b->Yc + (size_t)(j - b->nequal) * (size_t)d->model->nv;
  const cardan__tree_part all = {{1, d->model->nbody}, {0, d->model->nv}, 0};
  const int cone = b->of[j - b->nequal], parts = b->whole ? 1 : d->base.held->nparts[cone];
  const cardan__tree_part *part = b->whole ? &all : d->base.held->part[cone];
  for (int l = 0; l < parts && b->sigma[j] != 0; l++) {
    for (int k = part[l].v[0]; k < part[l].v[1]; k++) {
      step[k] += b->sigma[j] * y[k];
    }
  }
}

static void direction(cardan__discrete *d)
{
  cardan__border *b = &d->border;
  const int nv = d->model->nv, n = b->n;
  double *step = d->root.step;
  for (int k = 0; k < nv; k++) {
    step[k] = -d->r[k];
  }
  cardan__linear_solve(d, 1, step);
  if (n == 0) {
    return;
  }
  for (int j = 0; j < n; j++) { // (B2)
    const double *g = b->Gn + (size_t)j * (size_t)nv;
    b->sigma[j] = -b->phi[b->row[j]] - (j < b->nequal ? cardan__dot(nv, g, step)
                                                      : cardan__reach_dot(reach_of(d, j), g, step));
  }
  if (b->nequal > 0) {
    cardan__lu_solve(b->nequal, b->S, b->pivot, b->sigma);
  }
  if (cardan__has_cones(d)) {
    direct_cones(d);
  }
  for (int k = 0; k < nv && b->nequal > 0; k++) {
    step[k] += cardan__dot(b->nequal, b->Y + (size_t)k * (size_t)b->nequal, b->sigma);
  }
  for (int j = b->nequal; j < n; j++) {
    add_response(d, j, step);
  }
}

/* Every factorisation of S reports to border.rank. */
static void update_rank(cardan__discrete *d)
{
  (void)d;
}

const cardan__border_solver cardan__border_dense = {.enter = enter,
                                                    .advance = advance,
                                                    .rows = rows,
                                                    .subtract = subtract,
                                                    .sizes = sizes,
                                                    .factor = factor,
                                                    .direction = direction,
                                                    .update_rank = update_rank};
