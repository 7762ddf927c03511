// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/aba.h"
#include "linalg/linalg.h"
#include "methods/discrete/discrete.h"
#include "model/body_paths.h"

/* J = dr/dx of a discrete equation, as something to divide by.
 *
 *   by the equation   its own factorisation, O(n). Where that leaves couplings out, GMRES over the
 *                     exact product uses it as a preconditioner: two or three products are typical,
 *                     since what is left out is of the order h^2 times a stiffness over a mass
 *   by a matrix       J itself, LU: O(n^3)
 *   by the mass       M(q^k) / h for J: quasi-Newton; Broyden's method without a matrix
 *                     (linalg/broyden.c) starts from it
 * In all of them prescribed coordinates do not move. */

static const double forcing = 1e-9; // of GMRES: the direction's relative error

cardan_status cardan__linear_factor(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan__linear *linear = &d->linear;
  if (linear->kind == CARDAN__BY_EQUATION) {
    return d->equation->factor(d);
  }
  if (linear->kind == CARDAN__BY_MASS) {
    return cardan__node_factor(d);
  }
  const cardan_status status = d->equation->jacobian(d, linear->jacobian);
  if (status != CARDAN_OK) {
    return status;
  }
  const int bad = cardan__lu(model->nv, linear->jacobian, linear->pivot);
  if (bad >= 0) {
    d->node->info.body = model->v_body[bad];
    d->node->info.joint = model->body[model->v_body[bad]].joint;
  }
  return bad < 0 ? CARDAN_OK : CARDAN_ERR_SINGULAR;
}

/* ---- one column ---- */

static void apply(void *context, const double *x, double *y)
{
  cardan__discrete *d = context;
  d->equation->apply(d, x, y);
}

/* The equation's solve, and the identity for prescribed coordinates. */
static void precondition(void *context, const double *x, double *y)
{
  cardan__discrete *d = context;
  double *column = d->linear.column;
  memcpy(column, x, (size_t)d->model->nv * sizeof *column);
  d->equation->solve(d, 1, column);
  for (int k = 0; k < d->model->nv; k++) {
    y[k] = cardan__prescribed(d->model, k) ? x[k] : column[k];
  }
}

static void zero_prescribed(const cardan_model *model, double *x)
{
  for (int i = 0; i < model->nprescribed; i++) {
    x[model->body[model->prescribed[i].body].vadr] = 0;
  }
}

static void solve_one(cardan__discrete *d, double *x)
{
  const cardan_model *model = d->model;
  cardan__linear *linear = &d->linear;
  if (linear->kind == CARDAN__BY_MATRIX) {
    zero_prescribed(model, x);
    cardan__lu_solve(model->nv, linear->jacobian, linear->pivot, x);
  } else if (linear->kind == CARDAN__BY_MASS) {
    cardan_factor_solve(model, d->node, NULL, x, x);
    for (int k = 0; k < model->nv; k++) {
      x[k] *= d->h;
    }
  } else if (linear->coupled) {
    const cardan__operator A = {apply, precondition, d};
    zero_prescribed(model, x);
    memcpy(linear->rhs, x, (size_t)model->nv * sizeof *x);
    // a looser direction is still one: the root finder sees what it is worth
    (void)cardan__gmres(&A, model->nv, linear->rhs, x, forcing, linear->max_gmres, linear->gmres);
  } else {
    d->equation->solve(d, 1, x);
  }
}

void cardan__linear_solve(cardan__discrete *d, int k, double *X)
{
  const int nv = d->model->nv;
  double *one = d->root.step;
  if (k == 1) {
    solve_one(d, X);
    return;
  }
  if (d->linear.kind == CARDAN__BY_EQUATION && !d->linear.coupled) {
    d->equation->solve(d, k, X);
    return;
  }
  for (int j = 0; j < k; j++) {
    for (int i = 0; i < nv; i++) {
      one[i] = X[(size_t)i * (size_t)k + (size_t)j];
    }
    solve_one(d, one);
    for (int i = 0; i < nv; i++) {
      X[(size_t)i * (size_t)k + (size_t)j] = one[i];
    }
  }
}

bool cardan__linear_part(cardan__discrete *d, const int body[2], int tip, int n, double *x,
                         const cardan__columns_room *room)
{
  const cardan_model *model = d->model;
  if (d->linear.kind == CARDAN__BY_MASS) {
    int v[2];
    cardan__velocity_range(model, body[0], body[1], v);
    for (int l = 0; l < n; l++, x += model->nv) {
      cardan__factor_solve_part(model, d->node, body, tip, x, x);
      for (int k = v[0]; k < v[1]; k++) {
        x[k] *= d->h;
      }
    }
    return true;
  }
  return d->linear.kind == CARDAN__BY_EQUATION && !d->linear.coupled &&
         d->equation->solve_part != NULL && d->equation->solve_part(d, body, tip, n, x, room);
}

/* ---- Broyden ---- */

/* Size of the coordinates' change that a unit of multiplier j makes; 1 where there is none. A
 * multiplier counts in it, so that it is comparable with a coordinate. */
static double unit_of(const cardan__discrete *d, int j)
{
  const cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv, nl = (size_t)b->nequal, at = (size_t)j;
  double sum = 0;
  for (size_t i = 0; i < nv; i++) {
    const double y = at < nl ? b->Y[i * nl + at] : b->Yc[(at - nl) * nv + i];
    sum += y * y;
  }
  return sum > 0 ? sqrt(sum) : 1;
}

/* Vectors are (x, lambda). A step starts without updates: the Jacobian changes from node to
 * node. */
void cardan__linear_broyden(cardan__discrete *d)
{
  cardan__linear *linear = &d->linear;
  const cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv, n = nv + (size_t)b->n;
  if (linear->nbroyden == linear->max_broyden) {
    linear->nbroyden = 0; // full: start over
  }
  double *z = linear->broyden + (size_t)linear->nbroyden * n;
  memcpy(z, d->root.step, nv * sizeof *z);
  for (int j = 0; j < b->n; j++) {
    z[nv + (size_t)j] = b->sigma[j] * unit_of(d, j);
  }
  cardan__broyden((int)n, linear->nbroyden, linear->broyden);
  memcpy(d->root.step, z, nv * sizeof *z);
  for (int j = 0; j < b->n; j++) {
    b->sigma[j] = z[nv + (size_t)j] / unit_of(d, j);
  }
  linear->nbroyden++;
}
