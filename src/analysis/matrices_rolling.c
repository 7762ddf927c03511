// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/matrices.h"
#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/aux_rates.h"
#include "linalg/linalg.h"
#include "model/joint_table.h"
#include "spatial/spatial.h"

/* The linear system of a model with rows of velocity level, A v = b, about a state. It is of first
 * order: there are more independent positions x (nv - rank G) than velocities y (nv - rank R, R all
 * rows), so that no matrices M, C, K of one set of coordinates say it all.
 *   q = q0 (+) N x,   G N = 0, E x-coordinates of N the identity                            (E1)
 *   v from  R v = -Phi_t at q,  y its independent components
 *   x' = v of the x-coordinates (+ [N x, v] for joints of several velocities),  y' = a of the
 *   y-coordinates, a from cardan_forward                                                    (E2)
 * A is the derivative of (x', y') by (x, y), by differences of order 4; nothing says over which
 * length they bend: of steps that are each a quarter of the one before, the two that agree best. q is
 * off the loops by a square of the step, which differences of both sides do not see. */

static const double singular = 1e-9; // part of a row's length, as in matrices_true.c

typedef struct {
  const cardan_model *model;
  cardan_matrices *m;
  cardan_data *node;
  const double *u; // inputs at the state
  int np, ny, nrank, nfree;
  int *free;        // velocities that are solved for
  int *row, *dof;   // nrow: independent rows; ny: velocities y
  double *R, *S;    // nrow x nv, nv x nv
  double *T, *work; // for choosing
  int *order, *pivot;
  double *v0, *rhs;                  // nv
  double *dq;                        // nv: a direction
  double *sum, *d, *next, *best, *f; // np + ny
  void *block;
} rolling;

static void layout(void *what, cardan__carver *c)
{
  rolling *s = what;
  const size_t nv = (size_t)s->model->nv, nrow = (size_t)s->model->nrow;
  const int most = s->model->nv > s->model->nrow ? s->model->nv : s->model->nrow;
  s->free = CARDAN__CARVE(c, nv, int);
  s->row = CARDAN__CARVE(c, nrow, int);
  s->dof = CARDAN__CARVE(c, nv, int);
  s->R = CARDAN__CARVE(c, nrow * nv, double);
  s->S = CARDAN__CARVE(c, nv * nv, double);
  s->T = CARDAN__CARVE(c, nrow * nv, double);
  s->work = CARDAN__CARVE(c, cardan__independent_work(most, most), double);
  s->order = CARDAN__CARVE(c, most, int);
  s->pivot = CARDAN__CARVE(c, nv, int);
  double **const vectors[] = {&s->v0, &s->rhs, &s->dq, &s->sum, &s->d, &s->next, &s->best, &s->f};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARDAN__CARVE(c, 2 * nv, double);
  }
}

/* Of `count` rows of R, in row, which are independent, to the front of row; -1 where they are fewer
 * than rank. */
static bool choose_rows(rolling *s, int count, int rank)
{
  const int nv = s->model->nv;
  int *chosen = s->pivot;
  for (int i = 0; i < count; i++) {
    const double *R = s->R + (size_t)s->row[i] * (size_t)nv;
    double square = 0;
    for (int k = 0; k < s->nfree; k++) {
      const double c = R[s->free[k]] * cardan__velocity_unit(s->model, s->free[k]);
      s->T[i * s->nfree + k] = c;
      square += c * c;
    }
    for (int k = 0; k < s->nfree && square > 0; k++) {
      s->T[i * s->nfree + k] /= sqrt(square);
    }
  }
  if (rank == 0) {
    return true;
  }
  if (cardan__independent(count, s->nfree, s->T, singular, s->order, NULL, s->work) < rank) {
    return false;
  }
  for (int i = 0; i < rank; i++) {
    chosen[i] = s->row[s->order[i]];
  }
  memcpy(s->row, chosen, (size_t)rank * sizeof *chosen);
  return true;
}

/* The velocities that `rank` rows leave independent, to dof: those that the rows move least. */
static bool choose_dofs(rolling *s, int rank, int *dof)
{
  const int nv = s->model->nv;
  int n = 0;
  for (int k = 0; k < s->nfree; k++) {
    for (int i = 0; i < rank; i++) {
      s->T[k * rank + i] = s->R[(size_t)s->row[i] * (size_t)nv + (size_t)s->free[k]] *
                           cardan__velocity_unit(s->model, s->free[k]);
    }
  }
  if (rank > 0 &&
      cardan__independent(s->nfree, rank, s->T, singular, s->order, NULL, s->work) < rank) {
    return false;
  }
  memset(s->pivot, 0, (size_t)nv * sizeof *s->pivot);
  for (int i = 0; i < rank; i++) {
    s->pivot[s->order[i]] = 1;
  }
  for (int k = 0; k < s->nfree; k++) {
    if (!s->pivot[k]) {
      dof[n++] = s->free[k];
    }
  }
  return true;
}

/* S = [rows; prescribed; dofs], factored. */
static bool factor(rolling *s, int rank, const int *dof, int ndof)
{
  const size_t nv = (size_t)s->model->nv;
  size_t at = (size_t)rank;
  memset(s->S, 0, nv * nv * sizeof *s->S);
  for (size_t i = 0; i < (size_t)rank; i++) {
    memcpy(s->S + i * nv, s->R + (size_t)s->row[i] * nv, nv * sizeof *s->S);
  }
  for (size_t k = 0, f = 0; k < nv; k++) {
    const bool solved = f < (size_t)s->nfree && s->free[f] == (int)k;
    f += solved;
    if (!solved) {
      s->S[at++ * nv + k] = 1;
    }
  }
  for (int j = 0; j < ndof; j++) {
    s->S[at++ * nv + (size_t)dof[j]] = 1;
  }
  return cardan__lu(s->model->nv, s->S, s->pivot) < 0;
}

/* N of (E1), which is nv x np, and the x-coordinates. */
static bool find_positions(rolling *s)
{
  cardan_matrices *m = s->m;
  const size_t nv = (size_t)s->model->nv, np = (size_t)s->np;
  int count = 0;
  for (int r = 0; r < s->model->nrow; r++) {
    if (!s->model->row[r].velocity) {
      s->row[count++] = r;
    }
  }
  const int rank = s->model->position_rank;
  if (!choose_rows(s, count, rank) || !choose_dofs(s, rank, m->dof) ||
      !factor(s, rank, m->dof, s->np)) {
    return false;
  }
  for (size_t j = 0; j < np; j++) {
    memset(s->rhs, 0, nv * sizeof *s->rhs);
    s->rhs[nv - np + j] = 1;
    cardan__lu_solve((int)nv, s->S, s->pivot, s->rhs);
    for (size_t k = 0; k < nv; k++) {
      m->N[k * np + j] = s->rhs[k];
    }
  }
  return true;
}

/* Independent rows of all, and the y-coordinates. */
static bool find_velocities(rolling *s)
{
  for (int r = 0; r < s->model->nrow; r++) {
    s->row[r] = r;
  }
  return choose_rows(s, s->model->nrow, s->nrank) && choose_dofs(s, s->nrank, s->dof);
}

/* (E2) at q0 moved by h dq, with y moved by h in entry `along`, -1: none; to f. */
static cardan_status evaluate(rolling *s, double h, int along, double *f)
{
  const cardan_model *model = s->model;
  const cardan_matrices *m = s->m;
  cardan_data *node = s->node;
  const int nv = model->nv;
  const cardan__rowset set = cardan__model_rows(model);
  cardan_q_move(model, m->q, s->dq, h, node->q);
  node->t = m->t;
  cardan_joints(model, node);
  cardan_poses(model, node);
  cardan_jacobian(model, node, s->R);
  const cardan__view view = cardan__data_view(model, node);
  cardan__rows_rates(&set, &view, node->rows.phi_t, NULL);
  if (!factor(s, s->nrank, s->dof, s->ny)) {
    return CARDAN_ERR_SINGULAR;
  }
  memset(s->rhs, 0, (size_t)nv * sizeof *s->rhs);
  for (int i = 0; i < s->nrank; i++) {
    s->rhs[i] = -node->rows.phi_t[s->row[i]];
  }
  for (int k = 0, free = 0, at = s->nrank; k < nv; k++) {
    const bool solved = free < s->nfree && s->free[free] == k;
    free += solved;
    if (!solved) {
      s->rhs[at++] = m->v[k];
    }
  }
  for (int j = 0; j < s->ny; j++) {
    s->rhs[nv - s->ny + j] = m->v[s->dof[j]] + (j == along ? h : 0);
  }
  cardan__lu_solve(nv, s->S, s->pivot, s->rhs);
  memcpy(node->v, s->rhs, (size_t)nv * sizeof *node->v);
  const cardan_status status = cardan_forward(model, node, 0, 0);
  for (int i = 0; i < s->np; i++) {
    f[i] = node->v[m->dof[i]];
  }
  for (int j = 0; j < s->ny; j++) {
    f[s->np + j] = node->a[s->dof[j]];
  }
  return status;
}

/* A difference of order 4 with step h, to d. */
static cardan_status difference(rolling *s, double h, int along, double *d)
{
  static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  const int nx = s->np + s->ny;
  cardan_status status = CARDAN_OK;
  memset(d, 0, (size_t)nx * sizeof *d);
  for (int k = 0; k < 4 && status == CARDAN_OK; k++) {
    status = evaluate(s, at[k] * h, along, s->f);
    for (int i = 0; i < nx; i++) {
      d[i] += weight[k] * s->f[i] / (12 * h);
    }
  }
  return status;
}

/* Column `column` of A; *apart: how far two of its differences are apart, at most. */
static cardan_status fill_column(rolling *s, int column, int along, double *apart)
{
  enum { STEPS = 10 };
  const int nx = s->np + s->ny;
  double h = 0.02, least = HUGE_VAL;
  cardan_status status = difference(s, h, along, s->d);
  for (int i = 0; i < STEPS && status == CARDAN_OK && least > 0; i++) {
    double off = 0;
    h *= 0.25;
    status = difference(s, h, along, s->next);
    for (int k = 0; k < nx; k++) {
      off = fmax(off, fabs(s->next[k] - s->d[k]));
    }
    memcpy(s->d, s->next, (size_t)nx * sizeof *s->d);
    if (off < least) {
      least = off;
      memcpy(s->best, s->next, (size_t)nx * sizeof *s->best);
    }
  }
  for (int k = 0; k < nx && status == CARDAN_OK; k++) {
    s->m->A[k * nx + column] = s->best[k];
  }
  *apart = fmax(*apart, least);
  return status;
}

/* Joints of several velocities: x counts from the moving state, so that [N x, v] joins x'. */
static void add_turning(rolling *s)
{
  cardan_matrices *m = s->m;
  const size_t np = (size_t)s->np, nx = np + (size_t)s->ny;
  for (size_t i = 0; i < np; i++) {
    const cardan_body *b = &s->model->body[s->model->v_body[m->dof[i]]];
    for (size_t j = 0; j < np && b->nv > 1; j++) {
      double d[6] = {0}, v[6] = {0};
      for (int k = 0; k < b->nv; k++) {
        d[k] = m->N[(size_t)(b->vadr + k) * np + j];
        v[k] = m->v[b->vadr + k];
      }
      const cardan_twist x = {{d[0], d[1], d[2]}, {d[3], d[4], d[5]}};
      const cardan_twist y = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
      const cardan_twist xy = cardan__twist_cross(x, y);
      const double bracket[6] = {xy.w.x, xy.w.y, xy.w.z, xy.v.x, xy.v.y, xy.v.z};
      m->A[i * nx + j] += bracket[m->dof[i] - b->vadr];
    }
  }
}

static cardan_status fill(rolling *s, double *apart)
{
  const cardan_matrices *m = s->m;
  const size_t nv = (size_t)s->model->nv;
  cardan_status status = CARDAN_OK;
  for (int j = 0; j < s->np && status == CARDAN_OK; j++) {
    for (size_t k = 0; k < nv; k++) {
      s->dq[k] = m->N[k * (size_t)s->np + (size_t)j];
    }
    status = fill_column(s, j, -1, apart);
  }
  memset(s->dq, 0, nv * sizeof *s->dq);
  for (int j = 0; j < s->ny && status == CARDAN_OK; j++) {
    status = fill_column(s, s->np + j, j, apart);
  }
  if (status == CARDAN_OK) {
    add_turning(s);
  }
  return status;
}

/* Is there an acceleration beyond rounding? As in matrices_linear.c. */
static void check_balance(rolling *s)
{
  const double part = 1e-9;
  const cardan_model *model = s->model;
  cardan_matrices *m = s->m;
  const size_t np = (size_t)s->np, nx = np + (size_t)s->ny;
  const double length = model->size_length > 0 ? model->size_length : 1;
  double worst = 0;
  m->balanced = true;
  m->unbalanced = -1;
  for (int i = 0; i < s->ny; i++) {
    double scale = cardan__vec3_norm(model->gravity) / length *
                   cardan__velocity_unit(model, s->dof[i]);
    for (size_t j = 0; j < nx; j++) {
      const int of = j < np ? m->dof[j] : s->dof[j - np];
      scale += fabs(m->A[(np + (size_t)i) * nx + j]) * cardan__velocity_unit(model, of);
    }
    const double a = fabs(m->a[s->dof[i]]), ratio = a > 0 ? a / scale : 0;
    if (ratio > worst && ratio > part) {
      worst = ratio;
      m->balanced = false;
      m->unbalanced = s->dof[i];
    }
  }
}

/* The state, and accelerations at it. */
static cardan_status take_state(rolling *s, const cardan_data *data)
{
  const cardan_model *model = s->model;
  cardan_matrices *m = s->m;
  cardan_data_copy(model, data, s->node);
  m->t = data->t;
  m->mass = model->mass;
  memcpy(m->q, data->q, (size_t)model->nq * sizeof *m->q);
  memcpy(m->v, data->v, (size_t)model->nv * sizeof *m->v);
  for (int k = 0; k < model->nv; k++) {
    m->moves = m->moves || m->v[k] != 0.0;
  }
  const cardan_status status = cardan_forward(model, s->node, 0, 0);
  memcpy(m->a, s->node->a, (size_t)model->nv * sizeof *m->a);
  memcpy(m->lambda, s->node->lambda, (size_t)model->nrow * sizeof *m->lambda);
  cardan_jacobian(model, s->node, s->R);
  memcpy(m->G, s->R, (size_t)model->nrow * (size_t)model->nv * sizeof *m->G);
  return status;
}

static cardan_status compute(rolling *s, const cardan_data *data, double *apart,
                             cardan_report *report)
{
  const cardan_pos none = {0, 0};
  cardan_status status = take_state(s, data);
  if (status == CARDAN_OK && (!find_positions(s) || !find_velocities(s))) {
    return cardan_fail(report, CARDAN_ERR_SINGULAR, none,
                       "singular position: rows of the constraints depend on one another here that "
                       "do not nearby, so that the degrees of freedom are not defined");
  }
  status = status == CARDAN_OK ? fill(s, apart) : status;
  if (status != CARDAN_OK) {
    const char *text = s->node->info.message;
    return cardan_fail(report, status, none, "%s",
                       text[0] != '\0' ? text : cardan_status_text(status));
  }
  check_balance(s);
  return CARDAN_OK;
}

cardan_status cardan__matrices_rolling(const cardan_model *model, const cardan_data *data,
                                       const cardan_allocator *allocator, cardan_matrices **out,
                                       double *apart, cardan_report *report)
{
  rolling s = {.model = model, .nrank = model->rank, .nfree = model->nv - model->nprescribed};
  s.np = s.nfree - model->position_rank;
  s.ny = s.nfree - model->rank;
  *out = NULL;
  *apart = 0;
  cardan_status status = cardan__aux_rates_none(model, "modes with rolling are", report);
  if (status != CARDAN_OK) {
    return status;
  }
  s.m = cardan__matrices_allocate(model, s.np, s.np + s.ny, allocator);
  s.block = s.m != NULL ? cardan__carve_block(allocator, layout, &s) : NULL;
  if (s.block == NULL || cardan_data_create(model, allocator, &s.node) != CARDAN_OK) {
    status = cardan__no_memory(report);
  } else {
    s.m->nz = 0;
    memcpy(s.free, s.m->forced, (size_t)s.nfree * sizeof *s.free);
    status = compute(&s, data, apart, report);
  }
  cardan_data_destroy(s.node);
  cardan__resize(allocator, s.block, 0);
  if (status != CARDAN_OK) {
    cardan_matrices_destroy(s.m);
    return status;
  }
  *out = s.m;
  return CARDAN_OK;
}
