// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "kinematics/joint.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "methods/discrete/rolling.h"
#include "model/data.h"
#include "spatial/spatial.h"

/* Rows of velocity level in the middle of a step, (K2) of rolling.c, and their memory.
 *
 * A ball or a free joint moves here by its turn and by the way of its origin in the axes that it
 * turns in, so that a wheel or ball that rolls straight goes as far as it turns, whatever the step:
 *   x = (w, R_m^T (p_{k+1} - p_k)),   R_m = R_k Exp(w/2),   p_m = (p_k + p_{k+1}) / 2
 * Impulses along such x are turned by Exp(w/2) to the axes of either node. */

/* ---- memory ---- */

static void layout(cardan__rolling *s, const cardan_model *m, int nstage, cardan__carver *c)
{
  const size_t n = (size_t)m->nvelocity_row, nv = (size_t)m->nv, nrow = (size_t)m->nrow;
  s->row = CARDAN__CARVE(c, n, int);
  s->slot = CARDAN__CARVE(c, nrow, int);
  s->order = CARDAN__CARVE(c, n, int);
  s->R = CARDAN__CARVE(c, nrow * nv, double);
  s->Gk = CARDAN__CARVE(c, n * nv, double);
  s->Gn = CARDAN__CARVE(c, n * nv, double);
  s->value = CARDAN__CARVE(c, n, double);
  s->b = CARDAN__CARVE(c, n, double);
  s->y = CARDAN__CARVE(c, nv, double);
  s->end = CARDAN__CARVE(c, nv, double);
  s->W = CARDAN__CARVE(c, n * nv, double);
  s->S = CARDAN__CARVE(c, n * n, double);
  s->root = CARDAN__CARVE(c, n * n, double);
  s->size = CARDAN__CARVE(c, n, double);
  s->free = CARDAN__CARVE(c, n, double);
  s->eigen = CARDAN__CARVE(c, n + cardan__eigen_symmetric_work((int)n), double);
  s->gap = CARDAN__CARVE(c, nrow, double);
  for (int i = 0; i < 2; i++) {
    s->at[i].K = CARDAN__CARVE(c, n * nv, double);
    s->at[i].B = CARDAN__CARVE(c, s->nheld > 0 ? n * nv : 0, double);
    s->at[i].b = CARDAN__CARVE(c, s->nheld > 0 ? n : 0, double);
  }
  s->J = CARDAN__CARVE(c, (size_t)s->nheld * nv, double);
  s->driven = CARDAN__CARVE(c, s->nheld, double);
  s->dp = CARDAN__CARVE(c, nv, double);
  s->q_node = CARDAN__CARVE(c, m->nq, double);
  double **const vectors[] = {&s->e, &s->nu, &s->f, &s->f_old, &s->nu_old, &s->lambda};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARDAN__CARVE(c, nrow, double);
  }
  s->x = CARDAN__CARVE(c, nv, double);
  s->q = CARDAN__CARVE(c, m->nq, double);
  s->kick = CARDAN__CARVE(c, nv, double);
  s->have = CARDAN__CARVE(c, nstage, int);
  s->history = CARDAN__CARVE(c, 2 * (size_t)nstage * n, double);
  s->kept = CARDAN__CARVE(c, s->nkept, char);
}

cardan_status cardan__rolling_create(const cardan_model *model, int nstage, size_t state, int nheld,
                                     const cardan_allocator *allocator, cardan__rolling **out)
{
  cardan__rolling counted = {.nkept = state + cardan__rolling_state(model, nstage), .nheld = nheld};
  cardan__carver c = {0};
  layout(&counted, model, nstage, &c);
  const size_t size = sizeof(cardan__rolling) + cardan__carver_size(&c);
  *out = NULL;
  cardan__rolling *s = cardan__resize(allocator, NULL, size);
  if (s == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memset(s, 0, size);
  s->n = model->nvelocity_row;
  s->nstage = nstage;
  s->nkept = counted.nkept;
  s->nheld = nheld;
  s->whole = (cardan__row_reach){.tree = {-1, -1}, .range = {{0, model->nv}, {0, 0}}};
  c = cardan__carver_over(s + 1);
  layout(s, model, nstage, &c);
  for (int r = 0, n = 0; r < model->nrow; r++) {
    s->slot[r] = model->row[r].velocity ? n : -1;
    if (model->row[r].velocity) {
      s->row[n++] = r;
    }
  }
  *out = s;
  return cardan_data_create(model, allocator, &s->middle);
}

void cardan__rolling_destroy(cardan__rolling *s, const cardan_allocator *allocator)
{
  if (s != NULL) {
    cardan_data_destroy(s->middle);
    cardan__resize(allocator, s, 0);
  }
}

void cardan__rolling_forget(cardan__rolling *s)
{
  memset(s->have, 0, (size_t)s->nstage * sizeof *s->have);
}

void cardan__rolling_start(cardan__rolling *s)
{
  cardan__rolling_forget(s);
  s->fresh = false;
}

/* ---- the middle of the step ---- */

/* A free joint's place in the middle, and its way in the axes of the middle: to q_m and y. */
static void move_free(const cardan_body *b, const double *q0, const double *q1, double *q,
                      double *y)
{
  const cardan_quat e =
      cardan__quat_normalize(cardan__quat_at(q + b->qadr + cardan__quat_offset(b)));
  double way[3];
  for (int k = 0; k < 3; k++) {
    way[k] = q1[b->qadr + k] - q0[b->qadr + k];
    q[b->qadr + k] = 0.5 * (q0[b->qadr + k] + q1[b->qadr + k]);
  }
  const cardan_mat3 R = cardan__quat_to_mat3(e);
  const cardan_vec3 own = cardan__mat3_tmulv(&R, cardan__vec3(way[0], way[1], way[2]));
  y[b->vadr + 3] = own.x;
  y[b->vadr + 4] = own.y;
  y[b->vadr + 5] = own.z;
}

/* middle at q_m, and x as rows count it, to y. */
static void enter_middle(cardan__discrete *d)
{
  cardan__rolling *s = d->rolling;
  const cardan_model *model = d->model;
  cardan_data *mid = s->middle;
  mid->t = d->t + 0.5 * d->h;
  cardan_q_move(model, d->node->q, d->x.dq, 0.5, mid->q);
  memcpy(s->y, d->x.dq, (size_t)model->nv * sizeof *s->y);
  if (model->nmulti > 0) {
    cardan_q_move(model, d->node->q, d->x.dq, 1, s->q);
  }
  for (int i = 1; i < model->nbody && model->nmulti > 0; i++) {
    if (model->body[i].nv == 6) {
      move_free(&model->body[i], d->node->q, s->q, mid->q, s->y);
    }
  }
  cardan_joints(model, mid);
  cardan_poses(model, mid);
}

/* Blocks of a row on balls and free joints, turned by Exp(part w) of the step's turn. */
static void turn_row(const cardan__discrete *d, double part, double *row)
{
  const cardan_model *model = d->model;
  for (int i = 1; i < model->nbody && model->nmulti > 0; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv == 1) {
      continue;
    }
    const double *w = d->x.dq + b->vadr;
    const cardan_vec3 turn = cardan__vec3_scale(part, cardan__vec3(w[0], w[1], w[2]));
    const cardan_mat3 R = cardan__quat_to_mat3(cardan__turn_exp(turn));
    for (double *x = row + b->vadr; x < row + b->vadr + b->nv; x += 3) {
      const cardan_vec3 a = cardan__mat3_mulv(&R, cardan__vec3(x[0], x[1], x[2]));
      x[0] = a.x;
      x[1] = a.y;
      x[2] = a.z;
    }
  }
}

void cardan__rolling_evaluate(cardan__discrete *d)
{
  cardan__rolling *s = d->rolling;
  const cardan_model *model = d->model;
  const size_t nv = (size_t)model->nv, bytes = nv * sizeof(double);
  const cardan__rowset set = cardan__model_rows(model);
  enter_middle(d);
  const cardan__view view = cardan__data_view(model, s->middle);
  cardan__rows_jacobian(&set, &view, &s->middle->rows);
  cardan__rows_rates(&set, &view, s->middle->rows.phi_t, NULL);
  cardan__rows_dense(&set, s->middle, &s->middle->rows, s->R);
  for (int j = 0; j < s->n; j++) {
    const double *A = s->R + (size_t)s->row[j] * nv;
    double *k = s->Gk + (size_t)j * nv, *n = s->Gn + (size_t)j * nv;
    s->b[j] = -s->middle->rows.phi_t[s->row[j]];
    s->value[j] = cardan__dot(model->nv, A, s->y) - d->h * s->b[j];
    memcpy(k, A, bytes);
    memcpy(n, A, bytes);
    turn_row(d, 0.5, k);  // from the middle's axes to the node's: v_k = Exp(w/2) v_m
    turn_row(d, -0.5, n); // and to those of the end
    for (size_t i = 0; i < nv; i++) {
      k[i] *= 0.5;
    }
  }
  for (int j = 0; j < d->border.nloop; j++) {
    const int slot = s->slot[d->border.row[j]];
    if (slot >= 0) {
      memcpy(d->border.Gk + (size_t)j * nv, s->Gk + (size_t)slot * nv, bytes);
    }
  }
}

void cardan__rolling_values(const cardan__discrete *d, double *phi)
{
  const cardan__rolling *s = d->rolling;
  for (int j = 0; j < s->n; j++) {
    phi[s->row[j]] = s->value[j];
  }
}

void cardan__rolling_rows(const cardan__discrete *d, double *G)
{
  const cardan__rolling *s = d->rolling;
  const size_t nv = (size_t)d->model->nv;
  for (int j = 0; j < d->border.nloop; j++) {
    const int slot = s->slot[d->border.row[j]];
    if (slot >= 0) {
      memcpy(G + (size_t)j * nv, s->Gn + (size_t)slot * nv, nv * sizeof *G);
    }
  }
}

/* ---- the end of the step ---- */

void cardan__rolling_end(cardan__discrete *d)
{
  cardan__rolling *s = d->rolling;
  const size_t nv = (size_t)d->model->nv;
  cardan__rolling_evaluate(d);
  cardan__rolling_driven(d);
  memset(s->end, 0, nv * sizeof *s->end);
  for (int j = 0; j < d->border.nloop; j++) {
    const int slot = s->slot[d->border.row[j]];
    for (size_t k = 0; k < nv && slot >= 0; k++) {
      s->end[k] += 0.5 * d->border.lambda[j] * s->Gn[(size_t)slot * nv + k];
    }
  }
}

void cardan__rolling_leave(cardan__discrete *d)
{
  d->equation->push(d, d->rolling->end);
}
