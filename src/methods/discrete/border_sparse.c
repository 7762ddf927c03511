// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "constraints/sparse_kkt.h"
#include "kinematics/joint.h"
#include "linalg/linalg.h"
#include "methods/discrete/discrete.h"

/* Loops of which there are many, in linear time.
 *
 * The direction of (B1) in border.c without a matrix: K z = b,
 *   K = [J -G_k^T; G_n 0]      products with it are recursions over the tree, O(n)         (X1)
 *   P = [M/h -G_k^T; G_k 0]    is near it, and constraints/sparse_kkt.h solves it in O(n)      (X2)
 * by GMRES with P as its preconditioner. J - M/h and G_n - G_k are of the order of h: two or three
 * products are typical. Where a step crosses a singular position G_n and G_k differ in the sign of
 * a row that is lost between them, and it takes some ten. Residuals are weighed as the root finder
 * weighs them, and iterations end at the accuracy that it needs.
 *
 * G_k is kept as the entries of its rows on links and velocities (node->rows), G_n likewise; G^T
 * lambda is a load of wrenches carried to the root, G x a motion carried to the leaves. */

enum { MOST_PRODUCTS = 40 };

/* Rows that close over a thousand links are rounded to 1e-13 m, and impulses of a thousand weights
 * cancel: from rest, where momenta are small, a residual that no longer falls is accepted here. */
static const double rounding_limit = 1e-9;

static const double loosest = 1e-2, tightest = 1e-10; // relative residual of a direction

struct cardan__border_sparse {
  bool factored; // P is of this node
  // the iterate: placements, coordinates, rows
  cardan_xform *X;      // nbody
  double *q;            // nq
  cardan_rows rows;     // w and c alone
  cardan_force *wrench; // nbody
  cardan_twist *V;      // nbody
  double *tau;          // nv
  double *weight;       // nv + nrow: of residuals
  double *b, *z, *work; // nv + nrow; of GMRES
  // sizes of impulses
  int *top;            // nrow: the body from which on a row's wrenches balance
  double *way, *f, *t; // nbody: from the root; force and torque passing through a joint
};

void cardan__border_sparse_close(cardan__discrete *d)
{
  cardan__sparse_kkt_destroy(d->border.P);
  cardan__resize(&d->base.allocator, d->border.dense, 0);
}

void cardan__border_sparse_layout(cardan__discrete *d, cardan__carver *c)
{
  const cardan_model *m = d->model;
  const size_t n = (size_t)m->nv + (size_t)m->nrow;
  cardan__border_sparse counted, *s = CARDAN__CARVE(c, 1, cardan__border_sparse);
  d->border.kkt = s;
  s = s != NULL ? s : &counted;
  s->X = CARDAN__CARVE(c, m->nbody, cardan_xform);
  s->q = CARDAN__CARVE(c, m->nq, double);
  s->rows.w = CARDAN__CARVE(c, m->nrow_body, cardan_force);
  s->rows.c = CARDAN__CARVE(c, m->nrow_dof, double);
  s->wrench = CARDAN__CARVE(c, m->nbody, cardan_force);
  s->V = CARDAN__CARVE(c, m->nbody, cardan_twist);
  s->tau = CARDAN__CARVE(c, m->nv, double);
  s->weight = CARDAN__CARVE(c, n, double);
  s->b = CARDAN__CARVE(c, n, double);
  s->z = CARDAN__CARVE(c, n, double);
  s->work = CARDAN__CARVE(c, cardan__gmres_work((int)n, MOST_PRODUCTS), double);
  s->top = CARDAN__CARVE(c, m->nrow, int);
  s->way = CARDAN__CARVE(c, m->nbody, double);
  s->f = CARDAN__CARVE(c, m->nbody, double);
  s->t = CARDAN__CARVE(c, m->nbody, double);
}

/* The body at which the paths of a row's bodies to the root meet: above it wrenches balance. The
 * world for a row that holds one body alone: to the world. */
static int meeting(const cardan_model *model, const cardan_row *row)
{
  int at = row->nb > 1 ? model->row_body[row->badr] : 0;
  for (int i = row->badr + 1; i < row->badr + row->nb; i++) {
    int other = model->row_body[i];
    while (at != other) { // parents have smaller numbers
      if (at > other) {
        at = model->body[at].parent;
      } else {
        other = model->body[other].parent;
      }
    }
  }
  return at;
}

void cardan__border_sparse_make(cardan__discrete *d)
{
  for (int r = 0; r < d->model->nrow; r++) {
    d->border.kkt->top[r] = meeting(d->model, &d->model->row[r]);
  }
}

/* ---- rows ---- */

static void rows_at(const cardan_model *model, const cardan_data *data, cardan_rows *rows)
{
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, data);
  cardan__rows_jacobian(&set, &view, rows);
}

static void enter(cardan__discrete *d)
{
  cardan__node_pose(d);
  rows_at(d->model, d->node, &d->node->rows);
  d->border.kkt->factored = false;
}

static void advance(cardan__discrete *d)
{
  rows_at(d->model, d->trial, &d->node->rows);
  d->border.kkt->factored = false;
}

static void rows(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan__border_sparse *s = d->border.kkt;
  rows_at(model, d->trial, &s->rows);
  memcpy(s->X, d->trial->X, (size_t)model->nbody * sizeof *s->X);
  memcpy(s->q, d->trial->q, (size_t)model->nq * sizeof *s->q);
}

/* to (nv) -= G_k^T lambda */
static void subtract_product(cardan__discrete *d, const double *lambda, double *to)
{
  const cardan_model *model = d->model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan__border_sparse *s = d->border.kkt;
  cardan__node_place(d);
  memset(s->wrench, 0, (size_t)model->nbody * sizeof *s->wrench);
  memset(s->tau, 0, (size_t)model->nv * sizeof *s->tau);
  cardan__rows_transpose(&set, &d->node->rows, lambda, s->wrench, s->tau);
  cardan__tree_pull(model, d->node, s->wrench, s->tau);
  for (int k = 0; k < model->nv; k++) {
    to[k] -= s->tau[k];
  }
}

static void subtract(cardan__discrete *d)
{
  subtract_product(d, d->border.lambda, d->r);
}

/* out (nrow) = G_n x; prescribed velocities of x are 0 */
static void rows_times(cardan__discrete *d, const double *x, double *out)
{
  const cardan__rowset set = cardan__model_rows(d->model);
  cardan__border_sparse *s = d->border.kkt;
  const cardan_data there = {.model = d->model, .X = s->X, .q = s->q};
  cardan__tree_twists(d->model, &there, x, false, s->V);
  cardan__rows_apply(&set, &s->rows, s->V, x, out);
}

/* ---- sizes ---- */

static double size1(cardan_vec3 a)
{
  return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* Impulses of the rows as they enter at their bodies, and leave where they balance. */
static void load_sizes(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  const cardan__border_sparse *s = d->border.kkt;
  for (int r = 0; r < model->nrow; r++) {
    const cardan_row *row = &model->row[r];
    const double lambda = fabs(d->border.lambda[r]);
    const int top = s->top[r];
    for (int i = row->badr; i < row->badr + row->nb; i++) {
      const int b = model->row_body[i];
      const double f = lambda * size1(d->node->rows.w[i].f);
      const double t = lambda * size1(d->node->rows.w[i].t);
      s->f[b] += f;
      s->t[b] += t;
      s->f[top] -= f;
      s->t[top] -= t + f * (s->way[b] - s->way[top]);
    }
    for (int i = row->dadr; i < row->dadr + row->nd; i++) {
      s->tau[model->row_dof[i]] += lambda * fabs(d->node->rows.c[i]);
    }
  }
}

/* As (Z1) of sizes.c, for the constraints' impulses: t_l += t_i + |p| f_i, f_l += f_i. */
static void sizes(cardan__discrete *d, double *size)
{
  const cardan_model *model = d->model;
  const cardan__border_sparse *s = d->border.kkt;
  cardan__node_place(d);
  memset(s->f, 0, (size_t)model->nbody * sizeof *s->f);
  memset(s->t, 0, (size_t)model->nbody * sizeof *s->t);
  memset(s->tau, 0, (size_t)model->nv * sizeof *s->tau);
  for (int i = 1; i < model->nbody; i++) {
    s->way[i] = s->way[model->body[i].parent] + size1(d->node->X[i].p);
  }
  load_sizes(d);
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const double f = fmax(s->f[i], 0), t = fmax(s->t[i], 0); // what balances leaves rounding
    for (int k = 0; k < b->nv; k++) {
      const double own = cardan__joint_slides(b, k) ? f : t + fabs(b->pitch) * f;
      size[b->vadr + k] += own + s->tau[b->vadr + k];
    }
    s->f[b->parent] += f;
    s->t[b->parent] += t + (s->way[i] - s->way[b->parent]) * f;
  }
}

/* ---- the direction ---- */

/* (X1), weighed. */
static void apply(void *context, const double *z, double *y)
{
  cardan__discrete *d = context;
  const cardan_model *model = d->model;
  const double *weight = d->border.kkt->weight;
  d->equation->apply(d, z, y);
  subtract_product(d, z + model->nv, y);
  rows_times(d, z, y + model->nv);
  for (int i = 0; i < model->nv + model->nrow; i++) {
    y[i] *= weight[i];
  }
}

/* (X2), from weighed residuals: M x - G^T (h sigma) = h f, G x = g. */
static void precondition(void *context, const double *b, double *z)
{
  cardan__discrete *d = context;
  const cardan_model *model = d->model;
  const double *weight = d->border.kkt->weight;
  for (int k = 0; k < model->nv; k++) {
    z[k] = weight[k] > 0 ? d->h * b[k] / weight[k] : 0;
  }
  for (int i = model->nv; i < model->nv + model->nrow; i++) {
    z[i] = b[i] / weight[i];
  }
  cardan__sparse_kkt_solve(d->border.P, z, z + model->nv, z, z + model->nv);
  for (int i = model->nv; i < model->nv + model->nrow; i++) {
    z[i] /= d->h;
  }
}

/* Does the start stand at rest in a singular position? Then several motions are possible, and
 * rounding would choose. */
static bool has_no_way(cardan__discrete *d)
{
  cardan_info *info = &d->node->info;
  double fastest = 0;
  int row;
  for (int k = 0; k < d->model->nv; k++) {
    fastest = fmax(fastest, fabs(d->node->v[k]));
  }
  if (d->started || fastest > 0 || cardan__sparse_kkt_residual(d->border.P, &row) > 0) {
    return false;
  }
  info->row = row;
  snprintf(info->message, sizeof info->message,
           "singular position at t = %.9g s: constraint \"%.60s\" is redundant there, and there is "
           "no speed that says how the motion continues",
           d->node->t, d->model->constraint[d->model->row[row].constraint].name);
  info->whole = true;
  return true;
}

static cardan_status factor(cardan__discrete *d)
{
  cardan__border_sparse *s = d->border.kkt;
  cardan_status status = CARDAN_OK;
  if (!s->factored) {
    cardan__node_place(d);
    status = cardan__sparse_kkt_factor(d->border.P, d->node);
    if (status == CARDAN_OK && has_no_way(d)) {
      status = CARDAN_ERR_SINGULAR;
    }
    s->factored = status == CARDAN_OK;
  }
  return status == CARDAN_OK && d->equation->linearise != NULL ? d->equation->linearise(d) : status;
}

static void direction(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  const cardan__root *root = &d->root;
  cardan__border_sparse *s = d->border.kkt;
  const int nv = model->nv, n = nv + model->nrow;
  const cardan__operator K = {apply, precondition, d};
  double largest = 0;
  for (int k = 0; k < nv; k++) {
    const bool given = cardan__prescribed(model, k);
    s->weight[k] = given ? 0 : root->inv_scale[k] > 0 ? root->inv_scale[k] : 1;
    s->b[k] = -d->r[k] * s->weight[k];
  }
  for (int r = 0; r < model->nrow; r++) {
    s->weight[nv + r] = root->tol / d->border.phi_tol;
    s->b[nv + r] = -d->border.phi[r] * s->weight[nv + r];
  }
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(s->b[i]));
  }
  const double wanted = fmax(tightest, fmin(loosest, 0.1 * root->tol / largest));
  // a looser direction is still one: the root finder sees what it is worth
  (void)cardan__gmres(&K, n, s->b, s->z, wanted, MOST_PRODUCTS, s->work);
  memcpy(d->root.step, s->z, (size_t)nv * sizeof *s->z);
  memcpy(d->border.sigma, s->z + nv, (size_t)model->nrow * sizeof *s->z);
}

/* The factors of P are those of the node. */
static void update_rank(cardan__discrete *d)
{
  int row = 0;
  const double ratio = cardan__sparse_kkt_residual(d->border.P, &row);
  cardan__rank_see(&d->border.rank, ratio, row);
}

static const cardan__border_solver sparse_solver = {.enter = enter,
                                                    .advance = advance,
                                                    .rows = rows,
                                                    .subtract = subtract,
                                                    .sizes = sizes,
                                                    .factor = factor,
                                                    .direction = direction,
                                                    .update_rank = update_rank};

cardan_status cardan__border_sparse_open(cardan__discrete *d)
{
  const bool wanted = d->linear.kind == CARDAN__BY_EQUATION && d->equation->apply != NULL &&
                      d->border.room.rows + d->border.room.equalities == 0 &&
                      cardan__sparse_kkt_suits(d->model);
  const cardan_status status =
      wanted ? cardan__sparse_kkt_create(d->model, NULL, &d->base.allocator, &d->border.P)
             : CARDAN_OK;
  if (d->border.P != NULL) {
    d->border.solver = &sparse_solver;
    d->root.loop_floor = fmax(d->root.loop_floor, rounding_limit);
  }
  return status;
}

/* ---- dense rows, for derivatives of a step ---- */

cardan_status cardan__border_sparse_dense(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan__border *b = &d->border;
  const size_t size = (size_t)model->nrow * (size_t)model->nv;
  const cardan_data there = {.model = model, .X = b->kkt->X, .q = b->kkt->q};
  double *G = cardan__resize(&d->base.allocator, b->dense, 2 * size * sizeof *G);
  if (G == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  b->dense = G;
  b->Gk = G;
  b->Gn = G + size;
  cardan__node_place(d);
  cardan__rows_dense(&set, d->node, &d->node->rows, b->Gk);
  cardan__rows_dense(&set, &there, &b->kkt->rows, b->Gn);
  return CARDAN_OK;
}
