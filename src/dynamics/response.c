// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/aba.h"
#include "dynamics/loops.h"
#include "dynamics/mobility.h"
#include "dynamics/schur.h"
#include "kinematics/frames.h"
#include "model/data.h"

/* How the mechanism gives way: responses M^-1 f of the articulated-body factorisation, one O(nbody)
 * solve for each force.
 *
 *   M^-1          column k is the response to a unit of joint force k                       (E1)
 *   J M^-1 J^T    of a frame: its motion under each of six unit wrenches at it              (E2)
 *   of the rows:  schur.c                                                                   (E3)
 *   impulses      v+ = v + M^-1 (p + G^T L),   G v+ = -Phi_t                                (E4) */

void cardan_inertia_inverse(const cardan_model *model, cardan_data *data, double *M_inverse)
{
  const size_t nv = (size_t)model->nv;
  const cardan_force none = {.t = {0, 0, 0}};
  memset(M_inverse, 0, nv * nv * sizeof *M_inverse);
  for (size_t k = 0; k < nv; k++) {
    double *row = M_inverse + k * nv; // of a symmetric matrix: column k
    row[k] = 1;
    cardan__factor_push(model, data, model->v_body[k], none, row, row); // (E1)
  }
}

void cardan_frame_inertia_inverse(const cardan_model *model, cardan_data *data, int frame,
                                  cardan_axes axes, double L[36])
{
  const cardan_frame *f = &model->frame[frame];
  const cardan_xform E = cardan__axes_from(model, data, frame, axes);
  for (int k = 0; k < 6; k++) {
    const cardan_force unit = {.t = {k == 0, k == 1, k == 2}, .f = {k == 3, k == 4, k == 5}};
    const cardan_force at = cardan__force_to_child(&E, unit);
    cardan__factor_push(model, data, f->body, cardan__force_to_parent(&f->X_BF, at), NULL,
                        data->tau_work);
    const cardan_twist A =
        cardan__twist_to_parent(&E, cardan__twist_to_child(&f->X_BF, data->A[f->body])); // (E2)
    const double column[6] = {A.w.x, A.w.y, A.w.z, A.v.x, A.v.y, A.v.z};
    for (int r = 0; r < 6; r++) {
      L[6 * r + k] = column[r];
    }
  }
}

cardan_status cardan_delassus(const cardan_model *model, cardan_data *data, double *D)
{
  const cardan_status status = cardan_forward_reserve(model, data);
  if (status == CARDAN_OK && model->nrow > 0) {
    cardan__schur_matrix(model, data, D); // (E3)
  }
  return status;
}

cardan_status cardan_impulse(const cardan_model *model, cardan_data *data, const cardan_force *f,
                             const double *p, double *impulse)
{
  const cardan__rowset set = cardan__model_rows(model);
  cardan_kinematics(model, data);
  const cardan__view view = cardan__data_view(model, data);
  const cardan_status status = cardan__mobility_prepare(model, data);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_factor_solve(model, data, f, p, data->tau_work);
  for (int k = 0; k < model->nv; k++) {
    data->v[k] += data->tau_work[k];
  }
  cardan_velocities(model, data);
  if (model->nrow > 0) {
    double *L = impulse != NULL ? impulse : data->loops->rate;
    cardan__rows_rates(&set, &view, data->rows.phi_t, NULL);
    cardan__loops_velocities(model, data, 0, L); // (E4)
    for (int r = 0; r < model->nrow; r++) {
      L[r] = -L[r];
    }
    cardan_velocities(model, data);
  }
  cardan_bias_accelerations(model, data);
  return CARDAN_OK;
}

cardan_status cardan_close_accelerations(const cardan_model *model, cardan_data *data)
{
  cardan_kinematics(model, data);
  const cardan_status status = cardan_factor(model, data);
  if (status != CARDAN_OK || model->nrow == 0) {
    return status;
  }
  cardan_constraints(model, data);
  return cardan__loops_solve(model, data, 0, 0);
}
