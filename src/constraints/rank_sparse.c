// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "constraints/assemble.h"
#include "constraints/rows.h"
#include "kinematics/joint.h"
#include "linalg/sparse.h"

/* Are the rows of a large model independent? J over the coordinates is dense where loops close over
 * long chains (a scissor lift), but the same question over coordinates and twists is not:
 *
 *   V_i - Ad_i^-1 V_p - S_i x_i = 0      6 equations for each body             (E1)
 *   sum w . V + sum c x = 0              the constraint rows                   (E2)
 *
 * (E1) has 6 nbody independent equations whatever happens, so all of (E1) and (E2) are independent
 * exactly where the rows of J are. Angles count with the mean length of the links; prescribed
 * coordinates are not unknowns. Every equation is scaled to length 1. */

enum { ENTRIES = 1 + 6 + 6 }; // most that an equation of (E1) has: V_i, V_p, x

typedef struct {
  const cardan_model *model;
  const cardan_data *data;
  double angle; // what an angle of 1 counts, 1 / length
  cardan__sparse A;
} equations;

static double mean_link(const cardan_model *model)
{
  double sum = 0.0;
  int n = 0;
  for (int i = 1; i < model->nbody; i++) {
    const double length = cardan__vec3_norm(model->body[i].X.p);
    sum += length;
    n += length > 0.0;
  }
  return n > 0 ? sum / n : 1.0;
}

/* Another entry of the equation that is being written, of number A.m. */
static void add(equations *e, int column, double value)
{
  int *end = &e->A.start[e->A.m + 1];
  if (value != 0.0) {
    e->A.column[*end] = column;
    e->A.value[(*end)++] = value;
  }
}

static void add_twist(equations *e, int body, cardan_force w)
{
  const double entry[6] = {
      w.t.x * e->angle, w.t.y * e->angle, w.t.z * e->angle, w.f.x, w.f.y, w.f.z};
  for (int k = 0; k < 6; k++) {
    add(e, e->model->nv + 6 * (body - 1) + k, entry[k]);
  }
}

/* Coordinate x_k of a body; unit: 1 for a length. */
static void add_coordinate(equations *e, int k, double value)
{
  const cardan_body *b = &e->model->body[e->model->v_body[k]];
  const bool turns = cardan__vec3_norm(cardan__joint_axis(b, k - b->vadr).w) > 0.0;
  if (!(b->flags & CARDAN_LINK_KINEMATIC)) {
    add(e, k, turns ? value * e->angle : value);
  }
}

/* The equation is complete: scaled to length 1. false when it is shorter than least */
static bool finish(equations *e, double least)
{
  cardan__sparse *A = &e->A;
  double square = 0.0;
  for (int i = A->start[A->m]; i < A->start[A->m + 1]; i++) {
    square += A->value[i] * A->value[i];
  }
  for (int i = A->start[A->m]; i < A->start[A->m + 1]; i++) {
    A->value[i] /= sqrt(square);
  }
  A->m++;
  A->start[A->m + 1] = A->start[A->m];
  return sqrt(square) > least && isfinite(square);
}

/* (E1), component k of body i. */
static void joint_equation(equations *e, int i, int k)
{
  static const cardan_force unit[6] = {{.t = {1, 0, 0}}, {.t = {0, 1, 0}}, {.t = {0, 0, 1}},
                                       {.f = {1, 0, 0}}, {.f = {0, 1, 0}}, {.f = {0, 0, 1}}};
  const cardan_body *b = &e->model->body[i];
  add_twist(e, i, unit[k]);
  if (b->parent > 0) {
    // e_k . Ad^-1 V = (Ad^-T e_k) . V
    const cardan_force up = cardan__force_to_parent(&e->data->X[i], unit[k]);
    add_twist(e, b->parent, cardan__force_scale(-1.0, up));
  }
  for (int j = 0; j < b->nv; j++) {
    add_coordinate(e, b->vadr + j, -cardan__power(cardan__joint_axis(b, j), unit[k]));
  }
  finish(e, 0.0);
}

/* (E2) of row r. */
static bool row_equation(equations *e, int r, double least)
{
  const cardan_model *model = e->model;
  const cardan_row *row = &model->row[r];
  for (int i = row->badr; i < row->badr + row->nb; i++) {
    add_twist(e, model->row_body[i], e->data->rows.w[i]);
  }
  for (int i = row->dadr; i < row->dadr + row->nd; i++) {
    add_coordinate(e, model->row_dof[i], e->data->rows.c[i]);
  }
  return finish(e, least);
}

int cardan__rows_surely_independent(const cardan_model *model, cardan_data *data)
{
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, data);
  cardan__rows_jacobian(&set, &view, &data->rows);
  const cardan_allocator *allocator = &data->allocator;
  const size_t nb = (size_t)model->nbody - 1, m = 6 * nb + (size_t)model->nrow;
  const size_t nz = 6 * nb * ENTRIES + 6 * (size_t)model->nrow_body + (size_t)model->nrow_dof;
  equations e = {.model = model, .data = data, .angle = 1.0 / mean_link(model)};
  cardan__arena arena;
  cardan__arena_init(&arena, allocator);
  e.A.n = model->nv + 6 * (int)nb;
  e.A.start = cardan__arena_take(&arena, m + 2, sizeof(int));
  e.A.column = cardan__arena_take(&arena, nz, sizeof(int));
  e.A.value = cardan__arena_take(&arena, nz, sizeof(double));
  int answer = e.A.start && e.A.column && e.A.value ? 1 : -1;
  for (int i = 1; i < model->nbody && answer == 1; i++) {
    for (int k = 0; k < 6; k++) {
      joint_equation(&e, i, k);
    }
  }
  for (int r = 0; r < model->nrow && answer == 1; r++) {
    answer = row_equation(&e, r, 1e-9);
  }
  answer = answer == 1 ? cardan__sparse_independent(&e.A, allocator) : answer;
  cardan__arena_free(&arena);
  return answer;
}
