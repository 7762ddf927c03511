// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "constraints/rows.h"
#include "kinematics/joint.h"

/* Rows on body poses as rows on the coordinates of a tree.
 *   J x         V_i = Ad_i^-1 V_p + S_i x_i root to leaf, then w . V + c x              (E1)
 *   J^T lambda  F_p += Ad_i^-T F_i leaf to root, tau_i = S_i^T F_i                      (E2)
 *   dense J     (E2) for one row at a time, along the paths from its bodies to the world  */

double cardan__row_dot(const cardan__rowset *set, const cardan_rows *rows, int row,
                       const cardan_twist *V, const double *v)
{
  const cardan_row *r = &set->row[row];
  double sum = 0.0;
  for (int i = r->badr; i < r->badr + r->nb; i++) {
    sum += cardan__power(V[set->row_body[i]], rows->w[i]);
  }
  for (int i = r->dadr; i < r->dadr + r->nd; i++) {
    sum += rows->c[i] * v[set->row_dof[i]];
  }
  return sum;
}

void cardan__rows_apply(const cardan__rowset *set, const cardan_rows *rows, const cardan_twist *V,
                        const double *x, double *out)
{
  for (int r = 0; r < set->n; r++) {
    out[r] = cardan__row_dot(set, rows, r, V, x);
  }
}

void cardan__rows_transpose(const cardan__rowset *set, const cardan_rows *rows,
                            const double *lambda, cardan_force *f, double *tau)
{
  for (int k = 0; k < set->n; k++) {
    const cardan_row *r = &set->row[k];
    for (int i = r->badr; i < r->badr + r->nb; i++) {
      cardan_force *to = &f[set->row_body[i]];
      *to = cardan__force_axpy(lambda[k], rows->w[i], *to);
    }
    for (int i = r->dadr; i < r->dadr + r->nd; i++) {
      tau[set->row_dof[i]] += lambda[k] * rows->c[i];
    }
  }
}

void cardan__tree_twists(const cardan_model *model, const cardan_data *data, const double *x,
                         bool lock_kinematic, cardan_twist *V)
{
  V[0] = (cardan_twist){.w = {0.0, 0.0, 0.0}};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    V[i] = cardan__twist_to_child(&data->X[i], V[b->parent]);
    if (!(lock_kinematic && (b->flags & CARDAN_LINK_KINEMATIC))) {
      V[i] = cardan__twist_add(V[i],
                               cardan__joint_twist_at(b, data->q + b->qadr, x + b->vadr)); // (E1)
    }
  }
}

/* tau += S^T F of one body. */
static void add_projection(const cardan_body *b, const double *q, cardan_force F, double *tau)
{
  double part[6] = {0.0};
  cardan__joint_project_at(b, q + b->qadr, F, part);
  for (int k = 0; k < b->nv; k++) {
    tau[b->vadr + k] += part[k];
  }
}

void cardan__tree_pull(const cardan_model *model, const cardan_data *data, cardan_force *f,
                       double *tau)
{
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    add_projection(b, data->q, f[i], tau);
    f[b->parent] =
        cardan__force_add(f[b->parent], cardan__force_to_parent(&data->X[i], f[i])); // (E2)
  }
}

/* Paths from up to PATHS bodies to the world, climbed together: always from the body with the
 * largest number, which no other path can pass later; where two paths meet they continue as one. So
 * wrenches that balance cancel above the body where their paths meet, but for rounding. */
enum { PATHS = 8 };

static void add_to_ancestors(const cardan_model *model, const cardan_data *data, const int *body,
                             const cardan_force *w, int n, double *J)
{
  int at[PATHS];
  cardan_force F[PATHS];
  memcpy(at, body, (size_t)n * sizeof *at);
  memcpy(F, w, (size_t)n * sizeof *F);
  while (n > 0) {
    int top = 0;
    for (int i = 1; i < n; i++) {
      top = at[i] > at[top] ? i : top;
    }
    const int k = at[top];
    const cardan_body *b = &model->body[k];
    add_projection(b, data->q, F[top], J);
    F[top] = cardan__force_to_parent(&data->X[k], F[top]);
    at[top] = b->parent;
    for (int i = 0; i < n; i++) {
      if (i != top && at[i] == at[top]) {
        F[i] = cardan__force_add(F[i], F[top]);
        at[top] = 0;
        break;
      }
    }
    if (at[top] == 0) {
      n--;
      at[top] = at[n];
      F[top] = F[n];
    }
  }
}

void cardan__rows_dense(const cardan__rowset *set, const cardan_data *data, const cardan_rows *rows,
                        double *J)
{
  const cardan_model *model = set->model;
  memset(J, 0, (size_t)set->n * (size_t)model->nv * sizeof *J);
  for (int k = 0; k < set->n; k++, J += model->nv) {
    const cardan_row *r = &set->row[k];
    for (int i = r->badr; i < r->badr + r->nb; i += PATHS) {
      const int left = r->badr + r->nb - i;
      add_to_ancestors(model, data, &set->row_body[i], &rows->w[i], left < PATHS ? left : PATHS, J);
    }
    for (int i = r->dadr; i < r->dadr + r->nd; i++) {
      J[set->row_dof[i]] += rows->c[i];
    }
  }
}
