// SPDX-License-Identifier: Apache-2.0
#include "cardan/linearize.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/row_slopes.h"
#include "forces/forces.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "model/build.h"
#include "model/data.h"
#include "run/sim_access.h"
#include "spatial/spatial.h"

/* Derivatives of a step through its constraints, by the implicit function theorem.
 *
 * A method gives r(q, q', u) + G(q)^T lambda = 0 and p' = P(q, q', u) with their derivatives
 * (cardan__slopes). With H = d(G^T lambda)/dq at fixed lambda and d, k for the velocities that are
 * solved for and the kinematic ones,
 *   [r_q'(d,d)  G_k(d)^T] [dq'(d)  ]     [(r_q + H) dq + dp + r_u du + r_q'(d,k) dq'(k)]
 *   [G_n(d)     0       ] [dlambda ] = - [G_n(k) dq'(k)                                 ]
 *               (E1)
 *   dp' = p_q dq + p_q' dq' + p_u du
 *   (E2)
 * one right-hand side for each column of [A B]. With rows of velocity level these are not G_n, but
 * rows c of both ends; there are kicks nu = e(q', p^-) too (cardan__kick_slopes):
 *   r gets K^T dnu,   c_q' dq' = -c_q dq,   dnu = e_q' dq' + e_p dp^-                        (E3)
 *   dp^- = (E2) + p_lambda dlambda,   dp' = dp^- + p_q1 dq' - K1^T dnu
 * and a force acts on p and, as a source of its own, on p^-. */

typedef struct {
  const cardan_model *model;
  cardan__slopes s;
  cardan_data *node; // q_k, for H; the middle of the step, for inputs; NULL: there are none
  double *K;         // n x n
  int *pivot;        // n
  int n;             // nd + nindependent, and kicks
  int ncolumn; // right-hand sides: nv of q, then those of p, then kinematic q'; with kicks also
               // the sources of p^-
  cardan__kick_slopes kicks;
  double *Y;       // n x ncolumn: they, and what solves them
  double *row;     // ncolumn
  double *y;       // n
  double *dq1;     // nv
  double *Q_u;     // nv x ninput: forces on velocities by inputs
  double *unit;    // nv + ninput + nz: 0 but for one entry
  cardan_twist *V; // nbody: of one velocity
  double *sigma;   // nrow: impulses
  cardan__row_slopes rows;
} work;

static void layout_kicks(cardan__kick_slopes *k, const cardan_model *m, cardan__carver *c)
{
  const size_t nv = (size_t)m->nv, nrow = (size_t)m->nrow, n = (size_t)m->nvelocity_row;
  double **const of_kicks[] = {&k->K, &k->K1, &k->e_q1, &k->e_p};
  double **const of_rows[] = {&k->c_q, &k->c_q1, &k->p_lambda, &k->Gk};
  for (size_t i = 0; i < sizeof of_kicks / sizeof *of_kicks; i++) {
    *of_kicks[i] = cardan__carve(c, n * nv, sizeof(double));
  }
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
    *of_rows[i] = cardan__carve(c, nrow * nv, sizeof(double));
  }
  k->n = m->nvelocity_row;
  k->p_q1 = cardan__carve(c, nv * nv, sizeof(double));
  k->lambda = cardan__carve(c, nrow, sizeof(double));
  k->row = cardan__carve(c, nrow, sizeof(int));
  k->p = cardan__carve(c, nv, sizeof(double));
  k->kick = cardan__carve(c, nv, sizeof(double));
  k->q = cardan__carve(c, (size_t)m->nq, sizeof(double));
}

static void layout_work(work *w, cardan__carver *c)
{
  const cardan_model *m = w->model;
  const size_t nv = (size_t)m->nv, nrow = (size_t)m->nrow, nkick = (size_t)m->nvelocity_row;
  const size_t n = nv + nrow + nkick, ncolumn = (size_t)w->ncolumn;
  double **const squares[] = {&w->s.r_q, &w->s.r_q1, &w->s.p_q, &w->s.p_q1};
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
    *squares[i] = cardan__carve(c, nv * nv, sizeof(double));
  }
  w->s.p_next = cardan__carve(c, nv, sizeof(double));
  w->s.q_next = cardan__carve(c, (size_t)m->nq, sizeof(double));
  w->K = cardan__carve(c, n * n, sizeof(double));
  w->pivot = cardan__carve(c, n, sizeof(int));
  w->Y = cardan__carve(c, n * ncolumn, sizeof(double));
  w->row = cardan__carve(c, ncolumn, sizeof(double));
  w->y = cardan__carve(c, n, sizeof(double));
  w->dq1 = cardan__carve(c, nv, sizeof(double));
  w->sigma = cardan__carve(c, (size_t)m->nrow, sizeof(double));
  w->Q_u = cardan__carve(c, nv * (size_t)m->ninput, sizeof(double));
  w->unit = cardan__carve(c, nv + (size_t)m->ninput + (size_t)m->nz, sizeof(double));
  w->V = cardan__carve(c, (size_t)m->nbody, sizeof(cardan_twist));
  w->rows.model = m;
  cardan__row_slopes_layout(&w->rows, c);
  if (nkick > 0) {
    layout_kicks(&w->kicks, m, c);
  }
}

static void layout_result(void *what, cardan__carver *c)
{
  cardan_linearization *l = what;
  const cardan_model *m = l->model;
  const size_t nx = (size_t)l->nx, nu = (size_t)l->nu, nl = (size_t)l->nlambda;
  l->A = cardan__carve(c, nx * nx, sizeof(double));
  l->B = cardan__carve(c, nx * nu, sizeof(double));
  l->lambda_x = cardan__carve(c, nl * nx, sizeof(double));
  l->lambda_u = cardan__carve(c, nl * nu, sizeof(double));
  l->p = cardan__carve(c, (size_t)l->np, sizeof(double));
  l->p_next = cardan__carve(c, (size_t)l->np, sizeof(double));
  l->q = cardan__carve(c, (size_t)m->nq, sizeof(double));
  l->q_next = cardan__carve(c, (size_t)m->nq, sizeof(double));
  l->lambda = cardan__carve(c, nl, sizeof(double));
  l->dof = cardan__carve(c, (size_t)l->np, sizeof(int));
  l->kinematic = cardan__carve(c, (size_t)(l->nu - l->np - l->ninput), sizeof(int));
  l->C = cardan__carve(c, (size_t)l->ny * nx, sizeof(double));
  l->D = cardan__carve(c, (size_t)l->ny * nu, sizeof(double));
  l->y_exact = cardan__carve(c, (size_t)l->ny, sizeof(bool));
}

static bool is_kinematic(const cardan_model *model, int k)
{
  return model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
}

void cardan_linearization_destroy(cardan_linearization *linear)
{
  if (linear != NULL) {
    const cardan_allocator allocator = linear->allocator;
    cardan__resize(&allocator, linear->block, 0);
    cardan__resize(&allocator, linear, 0);
  }
}

static cardan_linearization *make_result(const cardan_model *model,
                                         const cardan_allocator *allocator)
{
  cardan_linearization *l = cardan__resize(allocator, NULL, sizeof *l);
  if (l == NULL) {
    return NULL;
  }
  *l = (cardan_linearization){.model = model,
                              .nq = model->nv,
                              .nu = model->nv + model->ninput,
                              .ninput = model->ninput,
                              .nlambda = model->nrow,
                              .ny = model->ny};
  l->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  for (int k = 0; k < model->nv; k++) {
    l->np += !is_kinematic(model, k);
  }
  l->nx = l->nq + l->np;
  l->block = cardan__carve_block(allocator, layout_result, l);
  if (l->block == NULL) {
    cardan_linearization_destroy(l);
    return NULL;
  }
  for (int k = 0, d = 0, kin = 0; k < model->nv; k++) {
    if (is_kinematic(model, k)) {
      l->kinematic[kin++] = k;
    } else {
      l->dof[d++] = k;
    }
  }
  return l;
}

static cardan_status make_work(work *w, cardan_sim *sim, const cardan_allocator *allocator)
{
  const cardan_model *model = cardan__sim_model(sim);
  cardan__carver c = {0};
  *w = (work){.model = model, .ncolumn = (model->nvelocity_row > 0 ? 3 : 2) * model->nv};
  layout_work(w, &c);
  const size_t size = cardan__carver_size(&c);
  void *block = size > 0 ? cardan__sim_scratch(sim, size) : NULL;
  if (block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  c = cardan__carver_over(memset(block, 0, size));
  layout_work(w, &c);
  w->s.kicks = model->nvelocity_row > 0 ? &w->kicks : NULL;
  const bool asked = model->nrow > 0 || model->ninput + model->nz > 0 || model->ny > 0;
  return asked ? cardan_data_create(model, allocator, &w->node) : CARDAN_OK;
}

/* r_q += H, with what comes from t left out. */
static void constraint_slopes(work *w, const cardan_data *at)
{
  const cardan_model *model = w->model;
  cardan_data *node = w->node;
  for (int j = 0; j < w->s.nindependent; j++) {
    const int r = w->s.row[j]; // the middle's are part of r_q already
    w->sigma[r] = model->row[r].velocity ? 0 : w->s.lambda[j];
  }
  node->t = at->t;
  memcpy(node->q, at->q, (size_t)model->nq * sizeof *node->q);
  cardan__row_slopes_begin(&w->rows, node);
  cardan__row_slopes_force(&w->rows, node, w->sigma, w->s.r_q);
}

/* The rows of (E3) for the kicks: dnu - e_q' dq' - e_p dp^- = 0. */
static void fill_kicks(work *w, const cardan_linearization *l)
{
  const cardan__kick_slopes *k = &w->kicks;
  const int nv = w->model->nv, nd = l->np, m = w->s.nindependent, n = w->n;
  for (int i = 0; i < k->n; i++) {
    double *row = w->K + (size_t)(nd + m + i) * (size_t)n;
    const double *e = k->e_p + (size_t)i * (size_t)nv;
    for (int j = 0; j < nd; j++) {
      double sum = k->e_q1[i * nv + l->dof[j]];
      for (int s = 0; s < nv; s++) {
        sum += e[s] * w->s.p_q1[s * nv + l->dof[j]];
      }
      row[j] = -sum;
      w->K[j * n + nd + m + i] = k->K[i * nv + l->dof[j]];
    }
    for (int j = 0; j < m; j++) {
      row[nd + j] = -cardan__dot(nv, e, k->p_lambda + (size_t)j * (size_t)nv);
    }
    row[nd + m + i] = 1;
  }
}

/* The matrix of (E1), factored. returns false when it is singular */
static bool factor(work *w, const cardan_linearization *l)
{
  const int nv = w->model->nv, nd = l->np, m = w->s.nindependent, n = nd + m + w->kicks.n;
  w->n = n;
  memset(w->K, 0, (size_t)n * (size_t)n * sizeof *w->K);
  for (int i = 0; i < nd; i++) {
    for (int j = 0; j < nd; j++) {
      w->K[i * n + j] = w->s.r_q1[l->dof[i] * nv + l->dof[j]];
    }
    for (int j = 0; j < m; j++) {
      w->K[i * n + nd + j] = w->s.Gk[j * nv + l->dof[i]];
      w->K[(nd + j) * n + i] = w->s.Gn[j * nv + l->dof[i]];
    }
  }
  fill_kicks(w, l);
  return cardan__lu(n, w->K, w->pivot) < 0;
}

/* The right-hand sides of (E1) to Y: a column for each q_j, each momentum p_i and each q'_j that is
 * given. That of a force u_i is r_u times that of p_i. */
static void right_sides(work *w, const cardan_linearization *l)
{
  const int nv = w->model->nv, nd = l->np, count = w->ncolumn;
  const cardan__slopes *s = &w->s;
  memset(w->Y, 0, (size_t)w->n * (size_t)count * sizeof *w->Y);
  for (int i = 0; i < nd; i++) {
    const int k = l->dof[i];
    double *y = w->Y + (size_t)i * (size_t)count;
    for (int j = 0; j < nv; j++) {
      y[j] = -s->r_q[k * nv + j];
    }
    y[nv + i] = -1;
    for (int j = 0; j < nv - nd; j++) {
      y[nv + nd + j] = -s->r_q1[k * nv + l->kinematic[j]];
    }
  }
  for (int i = 0; i < s->nindependent; i++) {
    double *y = w->Y + (size_t)(nd + i) * (size_t)count;
    for (int j = 0; j < nv - nd; j++) {
      y[nv + nd + j] = -s->Gn[i * nv + l->kinematic[j]];
    }
    for (int j = 0; j < nv && s->kicks != NULL; j++) {
      y[j] = -s->kicks->c_q[i * nv + j];
    }
  }
  for (int i = 0; i < w->kicks.n; i++) { // sources of p^- are the last np columns
    const double *e = w->kicks.e_p + (size_t)i * (size_t)nv;
    double *y = w->Y + (size_t)(nd + s->nindependent + i) * (size_t)count;
    for (int j = 0; j < nv; j++) {
      for (int k = 0; k < nv; k++) {
        y[j] += e[k] * s->p_q[k * nv + j];
      }
    }
    for (int j = 0; j < nd; j++) {
      y[2 * nv + j] = e[l->dof[j]];
    }
    for (int j = 0; j < nv - nd; j++) {
      double *to = &y[nv + nd + j];
      *to = w->kicks.e_q1[i * nv + l->kinematic[j]];
      for (int k = 0; k < nv; k++) {
        *to += e[k] * s->p_q1[k * nv + l->kinematic[j]];
      }
    }
  }
}

/* What (E3) adds to the momentum of velocity k. */
static void add_kicks(const work *w, const cardan_linearization *l, int k, double *row)
{
  const cardan__kick_slopes *s = &w->kicks;
  const int nv = w->model->nv, count = w->ncolumn, m = w->s.nindependent;
  for (int i = 0; i < w->n; i++) {
    const int nu = i - l->np - m;
    const double f = i < l->np ? s->p_q1[k * nv + l->dof[i]]
                     : nu < 0  ? s->p_lambda[(i - l->np) * nv + k]
                               : -s->K1[nu * nv + k];
    const double *y = w->Y + (size_t)i * (size_t)count;
    for (int j = 0; j < count; j++) {
      row[j] += f * y[j];
    }
  }
  for (int j = 0; j < nv - l->np; j++) {
    row[l->nx + j] += s->p_q1[k * nv + l->kinematic[j]];
  }
  for (int j = 0; j < l->np; j++) {
    row[2 * nv + j] += l->dof[j] == k ? 1 : 0;
  }
}

/* (E2): the momentum of velocity k, all columns, to `row`; what u does beside q' is left out. */
static void momentum_row(const work *w, const cardan_linearization *l, int k, double *row)
{
  const int nv = w->model->nv, count = w->ncolumn;
  memset(row, 0, (size_t)count * sizeof *row);
  memcpy(row, w->s.p_q + (size_t)k * (size_t)nv, (size_t)nv * sizeof *row);
  for (int i = 0; i < l->np; i++) {
    const double f = w->s.p_q1[k * nv + l->dof[i]], *y = w->Y + (size_t)i * (size_t)count;
    for (int j = 0; j < count; j++) {
      row[j] += f * y[j];
    }
  }
  for (int j = 0; j < nv - l->np; j++) {
    row[l->nx + j] += w->s.p_q1[k * nv + l->kinematic[j]];
  }
  if (w->s.kicks != NULL) {
    add_kicks(w, l, k, row);
  }
}

/* A row of all columns to a row of A or of lambda_x, and to that of B or lambda_u, scaled. */
static void hand_out(const work *w, const cardan_linearization *l, const double *row, double scale,
                     double *x, double *u)
{
  for (int j = 0; j < l->nx; j++) {
    x[j] = scale * row[j];
  }
  for (int i = 0; i < l->np; i++) {
    u[i] = scale * w->s.r_u * row[l->nq + i];
    u[i] += w->s.kicks != NULL ? scale * w->s.p_u * row[2 * l->nq + i] : 0;
  }
  for (int i = l->np; i < l->nq; i++) {
    u[i] = scale * row[l->nx + i - l->np];
  }
}

/* Solves (E1), (E2) for all directions. */
static void solve(work *w, cardan_linearization *l)
{
  const int nv = w->model->nv, nd = l->np, m = w->s.nindependent;
  const size_t count = (size_t)w->ncolumn, nx = (size_t)l->nx, nu = (size_t)l->nu;
  right_sides(w, l);
  cardan__lu_solve_many(w->n, w->K, w->pivot, w->ncolumn, w->Y, w->y);
  for (int j = 0; j < nv - nd; j++) {
    l->B[(size_t)l->kinematic[j] * nu + (size_t)(nd + j)] = 1;
  }
  for (int i = 0; i < nd; i++) {
    const size_t at = (size_t)nv + (size_t)i, k = (size_t)l->dof[i];
    hand_out(w, l, w->Y + (size_t)i * count, 1, l->A + k * nx, l->B + k * nu);
    momentum_row(w, l, l->dof[i], w->row);
    hand_out(w, l, w->row, 1, l->A + at * nx, l->B + at * nu);
    l->B[at * nu + (size_t)i] += w->s.kicks != NULL ? 0 : w->s.p_u; // kicks: among the sources
  }
  for (int j = 0; j < m; j++) {
    const size_t at = (size_t)w->s.row[j];
    hand_out(w, l, w->Y + (size_t)(nd + j) * count, 1 / l->dt, l->lambda_x + at * nx,
             l->lambda_u + at * nu);
  }
}

/* Q_u where the step evaluates forces, at p_u / (r_u + p_u) of its length: the power at a unit of
 * each velocity of what changes with a unit of each input. */
static void input_slopes(work *w, const cardan_linearization *l, const cardan_data *data)
{
  const cardan_model *model = w->model;
  const double alpha = w->s.p_u / (w->s.r_u + w->s.p_u);
  cardan_data *mid = w->node;
  double *by_v = w->unit, *by_u = w->unit + model->nv;
  cardan_twist *still = mid->A; // nothing moves while an input changes
  cardan_q_difference(model, data->q, w->s.q_next, w->dq1);
  cardan_q_move(model, data->q, w->dq1, alpha, mid->q);
  mid->t = l->t + alpha * l->dt;
  memcpy(mid->u, data->u, cardan__outside(model) * sizeof *mid->u);
  for (int k = 0; k < model->nv; k++) {
    mid->v[k] = w->dq1[k] / l->dt;
  }
  cardan_kinematics(model, mid);
  memset(still, 0, (size_t)model->nbody * sizeof *still);
  memset(w->dq1, 0, (size_t)model->nv * sizeof *w->dq1);
  const cardan__view view = cardan__data_view(model, mid);
  const cardan__change change = {.X = still, .q = w->dq1, .u = by_u};
  memset(by_v, 0, ((size_t)model->nv + (size_t)model->ninput) * sizeof *by_v);
  for (int k = 0; k < model->nv; k++) {
    by_v[k] = 1;
    cardan__tree_twists(model, mid, by_v, false, w->V);
    for (int i = 0; i < model->ninput; i++) {
      cardan__loads to = {.V = w->V, .v = by_v};
      by_u[i] = 1;
      cardan__forces_add_slope(model, &view, &change, CARDAN_FORCE_POTENTIAL, &to);
      by_u[i] = 0;
      w->Q_u[k * model->ninput + i] = to.power;
    }
    by_v[k] = 0;
  }
}

/* Columns of the inputs: those of the forces that they make. X: B or lambda_u, of so many rows. */
static void add_inputs(const work *w, const cardan_linearization *l, int rows, double *X)
{
  for (int r = 0; r < rows; r++) {
    double *row = X + (size_t)r * (size_t)l->nu;
    for (int i = 0; i < l->ninput; i++) {
      double sum = 0;
      for (int k = 0; k < l->np; k++) {
        sum += row[k] * w->Q_u[l->dof[k] * l->ninput + i];
      }
      row[l->nu - l->ninput + i] = sum;
    }
  }
}

static void fill(work *w, cardan_linearization *l, const cardan_data *data)
{
  const cardan_model *model = w->model;
  solve(w, l);
  for (int i = 0; i < l->np; i++) {
    l->p[i] = w->s.p[l->dof[i]];
    l->p_next[i] = w->s.p_next[l->dof[i]];
  }
  if (l->ninput > 0) {
    input_slopes(w, l, data);
    add_inputs(w, l, l->nx, l->B);
    add_inputs(w, l, l->nlambda, l->lambda_u);
  }
  for (int j = 0; j < w->s.nindependent; j++) {
    l->lambda[w->s.row[j]] = w->s.lambda[j] / l->dt;
  }
  memcpy(l->q, data->q, (size_t)model->nq * sizeof *l->q);
  memcpy(l->q_next, w->s.q_next, (size_t)model->nq * sizeof *l->q);
}

/* C and D at the node. What reads velocities depends on x through the momentum and the constraints'
 * impulse, and what reads inputs on u: they are not given. */
static void fill_outputs(work *w, cardan_linearization *l, const cardan_data *data)
{
  const cardan_model *model = w->model;
  cardan_data *node = w->node;
  if (l->ny == 0) {
    return;
  }
  node->t = data->t;
  memcpy(node->q, data->q, (size_t)model->nq * sizeof *node->q);
  memcpy(node->v, data->v, (size_t)model->nv * sizeof *node->v);
  memcpy(node->u, data->u, cardan__outside(model) * sizeof *node->u);
  for (int k = 0; k < l->ny; k++) {
    double *row = l->C + (size_t)k * (size_t)l->nx;
    l->y_exact[k] = cardan_output_slopes(model, node, k, row, w->y);
    for (int j = 0; j < model->nv; j++) {
      l->y_exact[k] = l->y_exact[k] && w->y[j] == 0.0;
    }
    const cardan_bound_expr *e = &model->expr[model->output[k].expr];
    l->y_exact[k] = l->y_exact[k] && (e->expr->uses & CARDAN__LEAVES_U) == 0;
    for (int j = 0; j < l->nx && !l->y_exact[k]; j++) {
      row[j] = NAN;
    }
    for (int j = 0; j < l->nu && !l->y_exact[k]; j++) {
      l->D[(size_t)k * (size_t)l->nu + (size_t)j] = NAN;
    }
  }
}

bool cardan_has_slopes(const char *name)
{
  const cardan__method *method = cardan__method_find(name);
  return method != NULL && method->slopes != NULL;
}

static cardan_status check(const cardan_sim *sim, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  const cardan_model *model = cardan__sim_model(sim);
  const cardan__method *method = cardan__sim_stepper(sim)->method;
  if (!cardan__sim_started(sim)) {
    return cardan__sim_not_started(report);
  }
  if (method->slopes == NULL) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, none,
                       "method %s has no exact derivatives of a step; svi and vi have",
                       method->name);
  }
  if (cardan_sim_options(sim)->order > 2) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, none,
                       "order is %d, and exact derivatives are those of a step of order 2",
                       cardan_sim_options(sim)->order);
  }
  if (model->nrate > 0) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, model->state[0].pos,
                       "the auxiliary state \"%.60s\" is stepped beside the mechanism, and the "
                       "derivatives are those of the mechanism alone",
                       model->state[0].name);
  }
  char name[160] = "";
  if (cardan__sim_closed_contact(sim, name, sizeof name)) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, none,
                       "%s is closed, and a motion has no derivative there", name);
  }
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if ((e->flags & CARDAN_FORCE_REACTION) && e->value[0] > 0) {
      return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, e->pos,
                         "friction depends on reactions, which are not differentiated");
    }
    if (e->flags & CARDAN_FORCE_PROGRAM) {
      return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, e->pos,
                         "the forces of a program are not differentiated");
    }
  }
  return CARDAN_OK;
}

cardan_status cardan_linearize(cardan_sim *sim, const cardan_allocator *allocator,
                               cardan_linearization **out, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  const cardan_model *model = cardan__sim_model(sim);
  *out = NULL;
  cardan_status status = check(sim, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_data *data = cardan_sim_data(sim);
  work w = {.model = model};
  cardan_linearization *l = make_result(model, allocator);
  status = l != NULL ? make_work(&w, sim, allocator) : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK) {
    l->t = data->t;
    l->dt = cardan_sim_options(sim)->dt;
    cardan__stepper *stepper = cardan__sim_stepper(sim);
    status = stepper->method->slopes(stepper, data, l->dt, &w.s);
  }
  if (status == CARDAN_OK && w.s.nindependent > 0) {
    constraint_slopes(&w, data);
  }
  if (status == CARDAN_OK && !factor(&w, l)) {
    status = CARDAN_ERR_SINGULAR;
  }
  if (status == CARDAN_OK) {
    fill(&w, l, data);
    fill_outputs(&w, l, data);
  }
  cardan_data_destroy(w.node);
  if (status != CARDAN_OK) {
    cardan_linearization_destroy(l);
    return cardan_fail(report, status, none, "the step from t = %.6g: %s%s%s", data->t,
                       cardan_status_text(status), data->info.message[0] != 0 ? ": " : "",
                       data->info.message);
  }
  *out = l;
  return CARDAN_OK;
}

/* ---- names ---- */

void cardan_linearization_state(const cardan_linearization *linear, int k, char *name, size_t size)
{
  const bool is_q = k < linear->nq;
  const int dof = is_q ? k : linear->dof[k - linear->nq];
  snprintf(name, size, "%s.%s", is_q ? "q" : "p", linear->model->v_name[dof]);
}

void cardan_linearization_input(const cardan_linearization *linear, int k, char *name, size_t size)
{
  const bool is_force = k < linear->np;
  const int input = k - (linear->nu - linear->ninput);
  if (input >= 0) {
    snprintf(name, size, "input.%s", linear->model->input[input].name);
    return;
  }
  const int dof = is_force ? linear->dof[k] : linear->kinematic[k - linear->np];
  snprintf(name, size, "%s.%s", is_force ? "u" : "q+", linear->model->v_name[dof]);
}

void cardan_linearization_output(const cardan_linearization *linear, int k, char *name, size_t size)
{
  snprintf(name, size, "%s", linear->model->output[k].column);
}

void cardan_linearization_multiplier(const cardan_linearization *linear, int k, char *name,
                                     size_t size)
{
  const cardan_constraint *c = &linear->model->constraint[linear->model->row[k].constraint];
  snprintf(name, size, "lambda.%s.%d", c->name, k - c->row + 1);
}
