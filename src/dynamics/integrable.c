// SPDX-License-Identifier: Apache-2.0
#include "dynamics/integrable.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/constraints.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "dynamics/row_slopes.h"
#include "expr/expr.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "model/build.h"
#include "model/joint_table.h"
#include "spatial/spatial.h"

/* Are rows A v = 0 integrable? The motions N that rows R leave are the tangents of surfaces if and
 * only if brackets of two of them stay among them (Frobenius), R [N_i, N_j] = 0. With A(e_j)' the
 * rate of A along the unit velocity e_j and brackets of the joints' own velocities,
 *   B_ij = A(e_i)' e_j - A(e_j)' e_i - A [e_i, e_j],   N^T B N = 0 for every row               (E1)
 * which rows of positions always satisfy. A single motion has no brackets, and is a curve whatever
 * the row: then the row is to be closed, B = 0, as a rate is. One position decides nothing: it is
 * to hold at several. */

enum { PLACES = 4 };
static const double far = 0.3;       // of the other positions [rad, sizes of the mechanism]
static const double rounding = 1e-9; // of the terms of B
static const double largest = 4e6;   // nv^2 nrow of models that are looked at
static const double singular = 1e-9; // what a row adds to the others if it counts

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  double *R, *dR;         // nrow x nv; nv of them, one for each direction
  double *B;              // nv x nv
  double *A, *N;          // nrow x nv, nv x nv
  double *x, *least, *dq; // nv or nrow, nv, nv
  double *q0, *work;      // nq
  int *order;
  cardan__row_slopes rows;
  void *block;
} search;

static void layout(void *what, cardan__carver *c)
{
  search *s = what;
  const cardan_model *m = s->model;
  const size_t nv = (size_t)m->nv, nrow = (size_t)m->nrow, most = nv > nrow ? nv : nrow;
  s->R = CARDAN__CARVE(c, nrow * nv, double);
  s->dR = CARDAN__CARVE(c, nv * nrow * nv, double);
  s->B = CARDAN__CARVE(c, nv * nv, double);
  s->A = CARDAN__CARVE(c, nrow * nv, double);
  s->N = CARDAN__CARVE(c, nv * nv, double);
  s->x = CARDAN__CARVE(c, most, double);
  s->least = CARDAN__CARVE(c, nv, double);
  s->dq = CARDAN__CARVE(c, nv, double);
  s->q0 = CARDAN__CARVE(c, m->nq, double);
  s->work = CARDAN__CARVE(c, cardan__solutions_work(m->nrow, m->nv), double);
  s->order = CARDAN__CARVE(c, most, int);
  s->rows.model = m;
  cardan__row_slopes_layout(&s->rows, c);
}

/* B of row r, in units of velocities; returns the size of its terms. */
static double fill_B(search *s, int r)
{
  const cardan_model *model = s->model;
  const size_t nv = (size_t)model->nv, nrow = (size_t)model->nrow;
  const double *A = s->R + (size_t)r * nv;
  double size = 0;
  for (size_t i = 0; i < nv; i++) {
    for (size_t j = 0; j < nv; j++) {
      const cardan_body *b = &model->body[model->v_body[i]];
      const double one = s->dR[(i * nrow + (size_t)r) * nv + j];
      const double two = s->dR[(j * nrow + (size_t)r) * nv + i];
      double turn = 0;
      if (b->nv > 1 && model->v_body[i] == model->v_body[j]) {
        double e[6] = {0}, f[6] = {0};
        e[(int)i - b->vadr] = 1;
        f[(int)j - b->vadr] = 1;
        const cardan_twist x = {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
        const cardan_twist y = {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
        const cardan_twist xy = cardan__twist_cross(x, y);
        const double bracket[6] = {xy.w.x, xy.w.y, xy.w.z, xy.v.x, xy.v.y, xy.v.z};
        turn = cardan__dot(b->nv, A + b->vadr, bracket);
      }
      const double unit =
          cardan__velocity_unit(model, (int)i) * cardan__velocity_unit(model, (int)j);
      s->B[i * nv + j] = (one - two - turn) * unit;
      size = fmax(size, (fabs(one) + fabs(two) + fabs(turn)) * unit);
    }
  }
  return size;
}

/* (E1) of row r over the k motions from row `first` of N on. */
static bool vanishes(search *s, int r, int first)
{
  const size_t nv = (size_t)s->model->nv;
  const double size = fill_B(s, r);
  if (first >= s->model->nv - 1) {
    double open = 0;
    for (size_t i = 0; i < nv * nv; i++) {
      open = fmax(open, fabs(s->B[i]));
    }
    return open <= rounding * size;
  }
  for (int a = first; a < s->model->nv; a++) {
    const double *u = s->N + (size_t)a * nv;
    for (int b = first; b < a; b++) {
      double sum = 0;
      for (size_t i = 0; i < nv; i++) {
        sum += u[i] * cardan__dot(s->model->nv, s->B + i * nv, s->N + (size_t)b * nv);
      }
      if (!(fabs(sum) <= rounding * size)) {
        return false;
      }
    }
  }
  return true;
}

/* N of the rows of positions and of those of velocity level of constraint c, -1: all; the row that
 * it begins with. */
static int find_motions(search *s, int c)
{
  const cardan_model *model = s->model;
  const size_t nv = (size_t)model->nv;
  int count = 0;
  for (int r = 0; r < model->nrow; r++) {
    const cardan_row *row = &model->row[r];
    const bool other = row->velocity && c >= 0 && row->constraint != c;
    double *A = s->A + (size_t)count * nv;
    // off the loops redundant rows of positions would leave less than there is
    if (other || (model->row_redundant[r] && !row->velocity)) {
      continue;
    }
    for (size_t k = 0; k < nv; k++) {
      A[k] = s->R[(size_t)r * nv + k] * cardan__velocity_unit(model, (int)k) / row->length;
    }
    count++;
  }
  memset(s->x, 0, (size_t)model->nrow * sizeof *s->x);
  return cardan__solutions(count, model->nv, s->A, s->x, singular, s->least, s->N, s->order,
                           s->work);
}

/* May the row be asked: not of time, of drivers, of what moves by itself? */
static bool is_scleronomic(const cardan_model *model, const cardan_row *row)
{
  return model->nprescribed == 0 && !cardan__row_drives(row) &&
         (row->expr < 0 || !(model->expr[row->expr].expr->uses & CARDAN__LEAVES_T));
}

/* Rows and their rates at a place; false: they are no numbers there. */
static bool look(search *s)
{
  const cardan_model *model = s->model;
  const size_t nv = (size_t)model->nv, size = (size_t)model->nrow * nv;
  bool finite = true;
  cardan__row_slopes_begin(&s->rows, s->data);
  cardan_jacobian(model, s->data, s->R);
  for (size_t i = 0; i < nv; i++) {
    memset(s->x, 0, nv * sizeof *s->x);
    s->x[i] = 1;
    cardan__row_slopes_along(&s->rows, s->data, s->x, s->dR + i * size);
  }
  for (size_t i = 0; i < size; i++) {
    finite = finite && isfinite(s->R[i]);
  }
  return finite;
}

/* At one place: what is not integrable there is none. */
static void test_place(search *s, bool *all, bool *alone)
{
  const cardan_model *model = s->model;
  int first = *all ? find_motions(s, -1) : 0;
  for (int r = 0; r < model->nrow && *all; r++) {
    *all = first >= 0 && (!model->row[r].velocity || vanishes(s, r, first));
  }
  for (int c = 0; c < model->nconstraint; c++) {
    const cardan_constraint *k = &model->constraint[c];
    first = alone[c] ? find_motions(s, c) : 0;
    for (int r = k->row; r < k->row + k->nrow && alone[c]; r++) {
      alone[c] = first >= 0 && (!model->row[r].velocity || vanishes(s, r, first));
    }
  }
}

/* Constraints that may be: with rows of velocity level, all of which can be asked. returns whether
 * all rows can */
static bool find_candidates(const cardan_model *model, bool *integrable)
{
  bool all = true;
  for (int c = 0; c < model->nconstraint; c++) {
    const cardan_constraint *k = &model->constraint[c];
    bool any = false, each = true;
    for (int r = k->row; r < k->row + k->nrow; r++) {
      any = any || model->row[r].velocity;
      each = each && (!model->row[r].velocity || is_scleronomic(model, &model->row[r]));
    }
    integrable[c] = any && each;
    all = all && each;
  }
  return all;
}

int cardan__integrable(const cardan_model *model, cardan_data *data, bool *integrable)
{
  search s = {.model = model, .data = data};
  const double size = (double)model->nv * model->nv * model->nrow;
  int count = 0;
  memset(integrable, 0, (size_t)model->nconstraint * sizeof *integrable);
  if (model->nvelocity_row == 0 || size > largest) {
    return 0;
  }
  bool all = find_candidates(model, integrable);
  s.block = cardan__carve_block(&data->allocator, layout, &s);
  if (s.block == NULL) {
    return -1;
  }
  memcpy(s.q0, data->q, (size_t)model->nq * sizeof *s.q0);
  for (int place = 0; place < PLACES; place++) {
    for (int k = 0; k < model->nv; k++) { // anywhere else, the same in every run
      const double part = place > 0 ? sin(7.0 * place + 3.0 * k) : 0;
      s.dq[k] = far * cardan__velocity_unit(model, k) * part;
    }
    cardan_q_move(model, s.q0, s.dq, 1, data->q);
    if (look(&s)) {
      test_place(&s, &all, integrable);
    }
  }
  for (int r = 0; r < model->nrow && all; r++) {
    integrable[model->row[r].constraint] =
        integrable[model->row[r].constraint] || model->row[r].velocity;
  }
  for (int c = 0; c < model->nconstraint; c++) {
    count += integrable[c];
  }
  cardan__resize(&data->allocator, s.block, 0);
  return count;
}
