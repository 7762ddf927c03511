// SPDX-License-Identifier: Apache-2.0
#include "dynamics/row_slopes.h"

#include <string.h>

#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "dynamics/momenta.h"
#include "dynamics/outputs.h"
#include "spatial/spatial.h"

/* Along velocities x the rows have a rate, w' and c' (cardan__rows_jacobian_rate), of which a part
 * comes from t itself: it is there at x = 0 too, and is taken away. Pulled back to the tree,
 *   (G^T sigma)' = sum of S^T (L' + ..) + c' sigma      cardan__rows_rate_transpose         (E1)
 * with x a unit of one velocity it is a column of H, with sigma a unit of one row a row of R. */

void cardan__row_slopes_layout(cardan__row_slopes *s, cardan__carver *c)
{
  const cardan_model *m = s->model;
  s->w_rate = cardan__carve(c, (size_t)m->nrow_body, sizeof(cardan_force));
  s->w_still = cardan__carve(c, (size_t)m->nrow_body, sizeof(cardan_force));
  s->f_rate = cardan__carve(c, (size_t)m->nbody, sizeof(cardan_force));
  s->c_rate = cardan__carve(c, (size_t)m->nrow_dof, sizeof(double));
  s->c_still = cardan__carve(c, (size_t)m->nrow_dof, sizeof(double));
  s->sigma = cardan__carve(c, (size_t)m->nrow, sizeof(double));
  s->column = cardan__carve(c, (size_t)m->nv, sizeof(double));
}

/* w', c' along data->v as it is now. */
static void rates(const cardan__row_slopes *s, cardan_data *data, cardan_force *w, double *c)
{
  const cardan__rowset set = cardan__model_rows(s->model);
  const cardan__view view = cardan__data_view(s->model, data);
  cardan__tree_twists(s->model, data, data->v, false, data->V);
  cardan__rows_jacobian_rate(&set, &view, w, c);
}

void cardan__row_slopes_begin(cardan__row_slopes *s, cardan_data *data)
{
  const cardan_model *model = s->model;
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, data);
  cardan_joints(model, data);
  cardan_poses(model, data);
  cardan__rows_jacobian(&set, &view, &data->rows);
  memset(data->v, 0, (size_t)model->nv * sizeof *data->v);
  rates(s, data, s->w_still, s->c_still);
}

/* The same without what comes from t. */
static void rates_of_motion(const cardan__row_slopes *s, cardan_data *data)
{
  rates(s, data, s->w_rate, s->c_rate);
  for (int i = 0; i < s->model->nrow_body; i++) {
    s->w_rate[i] = cardan__force_sub(s->w_rate[i], s->w_still[i]);
  }
  for (int i = 0; i < s->model->nrow_dof; i++) {
    s->c_rate[i] -= s->c_still[i];
  }
}

void cardan__row_slopes_force(cardan__row_slopes *s, cardan_data *data, const double *sigma,
                              double *H)
{
  const cardan_model *model = s->model;
  const size_t nv = (size_t)model->nv;
  memset(data->v, 0, nv * sizeof *data->v);
  for (size_t j = 0; j < nv; j++) {
    data->v[j] = 1;
    rates_of_motion(s, data);
    memset(s->column, 0, nv * sizeof *s->column);
    cardan__rows_rate_transpose(model, data, sigma, s->w_rate, s->c_rate, s->f_rate,
                                s->column); // (E1)
    for (size_t i = 0; i < nv; i++) {
      H[i * nv + j] += s->column[i];
    }
    data->v[j] = 0;
  }
}

void cardan__row_slopes_along(cardan__row_slopes *s, cardan_data *data, const double *x, double *R)
{
  const cardan_model *model = s->model;
  const size_t nv = (size_t)model->nv;
  const bool moves = x != NULL;
  memset(data->v, 0, nv * sizeof *data->v);
  memset(R, 0, nv * (size_t)model->nrow * sizeof *R);
  memset(s->sigma, 0, (size_t)model->nrow * sizeof *s->sigma);
  if (moves) {
    memcpy(data->v, x, nv * sizeof *x);
    rates_of_motion(s, data);
  }
  for (size_t r = 0; r < (size_t)model->nrow; r++) {
    s->sigma[r] = 1;
    cardan__rows_rate_transpose(model, data, s->sigma, moves ? s->w_rate : s->w_still,
                                moves ? s->c_rate : s->c_still, s->f_rate, R + r * nv); // (E1)
    s->sigma[r] = 0;
  }
}

void cardan__row_slopes_of_time(cardan__row_slopes *s, cardan_data *data, double *D)
{
  const cardan_model *model = s->model;
  const size_t nv = (size_t)model->nv;
  cardan__row_slopes_along(s, data, NULL, D);
  for (int r = 0; r < model->nrow && model->nvelocity_row > 0; r++) {
    const cardan_row *row = &model->row[r];
    if (row->velocity) {
      memset(D + (size_t)r * nv, 0, nv * sizeof *D);
    }
    if (cardan__row_drives(row)) {
      memset(data->v, 0, nv * sizeof *data->v);
      (void)cardan__expr_slopes(model, data, row->expr, D + (size_t)r * nv, s->column, NULL);
    }
  }
}
