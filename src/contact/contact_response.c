// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "contact/contacts.h"
#include "dynamics/aba.h"
#include "dynamics/mobility.h"

/* Closed features at one node, with u = J v + u_0, W = A J^T (dynamics/mobility.h) and G = J W. */

static const double mobile = 1e-12; // of the largest entry of G: what is less cannot move

double cardan__contacts_still(const cardan_data *data)
{
  double most = 0;
  for (int k = 0; k < data->model->nv; k++) {
    most = fmax(most, fabs(data->v[k]));
  }
  return fmax(1e-10, 1e-11 * most);
}

cardan_status cardan__contacts_too_many(const cardan__contacts *c, cardan_data *data)
{
  data->info = (cardan_info){.body = -1, .joint = -1, .row = -1, .whole = true};
  snprintf(data->info.message, sizeof data->info.message,
           "more than %d contacts, or %d rows of them, at one time", c->impacts.most,
           c->impacts.most_rows);
  return CARDAN_ERR_UNSUPPORTED;
}

/* Rows of a feature: one of a coordinate is what it is without poses. */
static int dim_of(const cardan__feature *f)
{
  return f->k >= 0 ? 1 : f->dim;
}

static void rows_of(const cardan_model *model, const cardan_data *data, const cardan__feature *f,
                    double *J)
{
  if (f->k >= 0) {
    cardan__feature_row(f, model->nv, J);
  } else {
    cardan__feature_rows(model, data, f, J);
  }
}

/* Rows of the n contacts whose J and W are made, for their products. */
static cardan__contact_rows rows_of_all(const cardan__contacts *c, int n)
{
  return (cardan__contact_rows){.n = n,
                                .nv = c->nv,
                                .first = c->impacts.first,
                                .reach = c->impacts.reach,
                                .part = (const cardan__tree_part(*)[2])c->impacts.part,
                                .nparts = c->impacts.nparts,
                                .whole = c->model->nrow > 0,
                                .room = c->impacts.together};
}

/* W of n rows of the i-th, without loops. */
static void respond_rows(cardan__contacts *c, cardan_data *data, int i, size_t row, int n)
{
  const size_t nv = (size_t)c->nv;
  double *W = c->impacts.W + row * nv;
  const cardan__tree_part *part = c->impacts.part[i];
  for (int k = 0; k < c->impacts.nparts[i]; k++) {
    const size_t from = (size_t)part[k].v[0], count = (size_t)(part[k].v[1] - part[k].v[0]);
    for (size_t l = 0; l < (size_t)n; l++) {
      memcpy(W + l * nv + from, c->impacts.J + (row + l) * nv + from, count * sizeof *W);
    }
    if (part[k].tip > 0 && n > 1) {
      cardan__columns_solve(c->model, cardan__factor_link, data, part[k].body, part[k].tip, n, W,
                            &c->impacts.columns);
      continue;
    }
    for (size_t l = 0; l < (size_t)n; l++) {
      cardan__factor_solve_part(c->model, data, part[k].body, part[k].tip, W + l * nv, W + l * nv);
    }
  }
}

/* W of the rows of the i-th. */
static void respond(cardan__contacts *c, const cardan_model *model, cardan_data *data, int i)
{
  const size_t nv = (size_t)c->nv;
  const int end = c->impacts.first[i + 1];
  for (int row = c->impacts.first[i]; row < end && model->nrow > 0; row++) {
    cardan__mobility_of(model, data, c->impacts.J + (size_t)row * nv,
                        c->impacts.W + (size_t)row * nv);
  }
  for (int row = c->impacts.first[i]; row < end && model->nrow == 0; row += CARDAN__SIDES) {
    respond_rows(c, data, i, (size_t)row, end - row < CARDAN__SIDES ? end - row : CARDAN__SIDES);
  }
}

/* Blocks of contacts that do not meet are 0. */
static void clear_others(cardan__contacts *c, int count)
{
  const cardan__contact_rows rows = rows_of_all(c, count);
  const size_t m = (size_t)c->impacts.m;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      const size_t first = (size_t)rows.first[j], end = (size_t)rows.first[j + 1];
      const bool meet = cardan__rows_meet(&rows, i, j);
      for (size_t k = (size_t)rows.first[i]; k < (size_t)rows.first[i + 1] && !meet; k++) {
        memset(c->impacts.G + k * m + first, 0, (end - first) * sizeof *c->impacts.G);
      }
    }
  }
}

/* Rows, responses and what meets in G. *known: is it known which trees each contact is between? */
static cardan_status make(cardan__contacts *c, const cardan_model *model, cardan_data *data,
                          const int *list, int count, bool *known)
{
  const size_t nv = (size_t)c->nv;
  const cardan_status status = cardan__mobility_prepare(model, data);
  if (status != CARDAN_OK) {
    return status;
  }
  if (c->gaps.needs_poses && !(data->fresh & CARDAN_FRESH_POSES)) {
    cardan_poses(model, data); // joints are made, and what they are factored to
  }
  c->impacts.m = 0;
  *known = true;
  for (int i = 0; i < count; i++) {
    const cardan__feature *f = &c->gaps.feature[list[i]];
    if (c->impacts.m + dim_of(f) > c->impacts.most_rows) {
      return cardan__contacts_too_many(c, data);
    }
    c->impacts.first[i] = c->impacts.m;
    c->impacts.reach[i] = f->reach;
    *known = *known && f->reach.tree[0] >= 0 && f->reach.tree[1] >= 0;
    c->impacts.nparts[i] = cardan__contacts_parts(c, f, c->impacts.part[i]);
    rows_of(model, data, f, c->impacts.J + (size_t)c->impacts.m * nv);
    c->impacts.m += dim_of(f);
  }
  c->impacts.first[count] = c->impacts.m;
  for (int i = 0; i < count; i++) {
    respond(c, model, data, i);
  }
  const cardan__contact_rows rows = rows_of_all(c, count);
  cardan__rows_products(&rows, c->impacts.J, c->impacts.W, 1, true, c->impacts.G);
  return CARDAN_OK;
}

cardan_status cardan__contacts_coupled(cardan__contacts *c, const cardan_model *model,
                                       cardan_data *data, const int *list, int count)
{
  bool known;
  const cardan_status status = make(c, model, data, list, count, &known);
  if (status == CARDAN_OK && !known) {
    clear_others(c, count);
  }
  return status;
}

cardan_status cardan__contacts_responses(cardan__contacts *c, const cardan_model *model,
                                         cardan_data *data, const int *list, int count)
{
  bool known;
  const cardan_status status = make(c, model, data, list, count, &known);
  if (status == CARDAN_OK) {
    clear_others(c, count);
  }
  return status;
}

void cardan__contacts_change(const cardan__contacts *c, int count, double sign, const double *r,
                             const double *u, double *after)
{
  const cardan__contact_rows rows = rows_of_all(c, count);
  cardan__rows_add(&rows, c->impacts.G, sign, r, u, after);
}

cardan_status cardan__contacts_gather(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data)
{
  c->impacts.nclosed = 0;
  for (int i = 0; i < c->gaps.n; i++) {
    if (cardan__contacts_closed(c, i)) {
      if (c->impacts.nclosed == c->impacts.most) {
        return cardan__contacts_too_many(c, data);
      }
      c->impacts.e[c->impacts.nclosed] = c->gaps.feature[i].restitution;
      c->impacts.index[c->impacts.nclosed++] = i;
    }
  }
  return cardan__contacts_responses(c, model, data, c->impacts.index, c->impacts.nclosed);
}

void cardan__contacts_add(cardan__contacts *c, const int *list, int count, const double *r,
                          double *x)
{
  const cardan__tree_part whole = {{1, c->nbody}, {0, c->nv}, 0};
  const bool loops = c->model->nrow > 0;
  for (int i = 0; i < count; i++) {
    const cardan__feature *f = &c->gaps.feature[list[i]];
    const cardan__tree_part *part = loops ? &whole : c->impacts.part[i];
    const int parts = loops ? 1 : c->impacts.nparts[i];
    for (int row = c->impacts.first[i]; row < c->impacts.first[i + 1]; row++) {
      const double *W = c->impacts.W + (size_t)row * (size_t)c->nv;
      for (int l = 0; l < parts && r[row] != 0; l++) {
        for (int k = part[l].v[0]; k < part[l].v[1]; k++) {
          x[k] += r[row] * W[k];
        }
      }
      cardan__reach_axpy(&f->reach, r[row], c->impacts.J + (size_t)row * (size_t)c->nv,
                         c->impacts.dp);
    }
  }
}

void cardan__contacts_relative(const cardan__contacts *c, const cardan_data *data, const int *list,
                               int count, const double *v, double *u)
{
  for (int i = 0; i < count; i++) {
    const cardan__feature *f = &c->gaps.feature[list[i]];
    double *own = u + c->impacts.first[i];
    if (f->k >= 0) {
      own[0] = cardan__feature_rate(f, v);
      continue;
    }
    cardan__feature_drift(data->model, data, f, own);
    for (int row = c->impacts.first[i]; row < c->impacts.first[i + 1]; row++) {
      u[row] += cardan__reach_dot(&f->reach, c->impacts.J + (size_t)row * (size_t)c->nv, v);
    }
  }
}

void cardan__contacts_pose(const cardan_model *model, cardan_data *data)
{
  if (!(data->fresh & CARDAN_FRESH_POSES)) {
    cardan_joints(model, data);
    cardan_poses(model, data);
  }
}

void cardan__contacts_place(const cardan__contacts *c, cardan_data *data)
{
  if (c->gaps.needs_poses) {
    cardan_joints(data->model, data);
    cardan_poses(data->model, data);
  }
}

void cardan__contacts_rates(cardan__contacts *c, const cardan_model *model, cardan_data *data)
{
  if (c->gaps.needs_poses) {
    cardan__contacts_pose(model, data);
    cardan_velocities(model, data);
    cardan__features_rates(model, data, c->gaps.n, c->gaps.feature, c->gaps.rate);
    return;
  }
  for (int i = 0; i < c->gaps.n; i++) {
    c->gaps.rate[i] = cardan__feature_rate(&c->gaps.feature[i], data->v);
  }
}

void cardan__contacts_note_slack(cardan__contacts *c, const int *list, int count)
{
  const size_t m = (size_t)c->impacts.m;
  double largest = 0;
  for (size_t row = 0; row < m; row++) {
    largest = fmax(largest, c->impacts.G[row * m + row]);
  }
  for (int i = 0; i < count; i++) {
    cardan__contact_record *record = cardan__contacts_record_or_new(c, &c->gaps.feature[list[i]]);
    const cardan__feature *f = &c->gaps.feature[list[i]];
    size_t row = (size_t)c->impacts.first[i];
    record->give = c->impacts.G[row * m + row];
    record->stuck = record->give <= mobile * largest;
    row++;
    for (int g = 0; g < f->ngroup; g++) {
      double *slack = &record->slack[f->group[g]];
      *slack = 0;
      for (int k = 0; k < f->size[g]; k++, row++) {
        *slack += c->impacts.G[row * m + row];
      }
    }
  }
}
