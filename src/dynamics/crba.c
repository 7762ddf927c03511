// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/composite.h"
#include "kinematics/joint.h"
#include "model/data.h"

/* Joint-space inertia matrix by the composite-rigid-body algorithm, O(nbody depth).
 * [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, Table 6.2.
 *
 *   Ic_i = I_i + sum over children of X_c^T Ic_c X_c                          (E1)
 *   F = Ic_i S_i;  M_ii = S_i^T F;  up the ancestors j: F <- X^T F, M_ij = F^T S_j   (E2)
 * and the armatures on the diagonal. */

/* Entry block (i, j) for column k of body i: S_j^T F to both triangles. */
static void store(const cardan_model *model, const double *q, double *M, int i, int k, int j,
                  cardan_force F)
{
  const cardan_body *bi = &model->body[i], *bj = &model->body[j];
  const size_t nv = (size_t)model->nv, row = (size_t)bi->vadr + (size_t)k;
  double s[6] = {0};
  cardan__joint_project_at(bj, q + bj->qadr, F, s);
  for (int r = 0; r < bj->nv; r++) {
    const size_t col = (size_t)bj->vadr + (size_t)r;
    M[row * nv + col] = s[r];
    M[col * nv + row] = s[r];
  }
}

void cardan__composites(const cardan_model *model, cardan_data *data)
{
  cardan_inertia *Ic = data->Ic;
  Ic[0] = (cardan_inertia){.m = 0};
  for (int i = 1; i < model->nbody; i++) {
    Ic[i] = model->body[i].inertia;
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const int p = model->body[i].parent;
    const cardan_inertia in_parent = cardan__inertia_to_parent(&data->X[i], &Ic[i]);
    Ic[p] = cardan__inertia_add(&Ic[p], &in_parent); // (E1)
  }
}

void cardan_crba(const cardan_model *model, cardan_data *data, double *M)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_JOINTS);
  const cardan_inertia *Ic = data->Ic;
  memset(M, 0, (size_t)model->nv * (size_t)model->nv * sizeof *M);
  cardan__composites(model, data);
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    for (int k = 0; k < b->nv; k++) { // (E2)
      cardan_force F = cardan__inertia_mul(&Ic[i], cardan__joint_axis_at(b, data->q + b->qadr, k));
      store(model, data->q, M, i, k, i, F);
      for (int j = i; model->body[j].parent > 0;) {
        F = cardan__force_to_parent(&data->X[j], F);
        j = model->body[j].parent;
        store(model, data->q, M, i, k, j, F);
      }
    }
  }
  for (size_t k = 0, nv = (size_t)model->nv; k < nv; k++) {
    M[k * nv + k] += model->armature[k];
  }
}
