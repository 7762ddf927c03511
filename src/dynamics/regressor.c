// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/dynamics.h"
#include "kinematics/joint.h"
#include "kinematics/recursions.h"
#include "model/data.h"

/* Joint forces as a linear form of the bodies' inertias, tau = Y pi, O(nbody depth).
 *
 * With accelerations from cardan_rnea (gravity in them), the wrench that body i's motion calls for
 * is linear in its ten numbers (m, h, J); each unit of one of them goes up the tree:
 *   F = G A_i + (w x J w; w x (w x h)),   Y_jp = S_j^T Ad_{T_ji}^-T F,   j from i up   (E1) */

/* The body with one of its ten numbers 1, the others 0, in the order of cardan_inertia. */
static cardan_inertia unit(int p)
{
  cardan_inertia G = {.m = p == 0, .h = {p == 1, p == 2, p == 3}};
  G.xx = p == 4;
  G.yy = p == 5;
  G.zz = p == 6;
  G.xy = p == 7;
  G.xz = p == 8;
  G.yz = p == 9;
  return G;
}

void cardan_regressor(const cardan_model *model, cardan_data *data, const double *a, double *Y)
{
  const size_t width = 10 * ((size_t)model->nbody - 1);
  memset(Y, 0, (size_t)model->nv * width * sizeof *Y);
  cardan_rnea(model, data, a, data->tau_work); // for A
  for (int i = 1; i < model->nbody; i++) {
    for (int p = 0; p < 10; p++) {
      const cardan_inertia G = unit(p);
      const size_t column = 10 * ((size_t)i - 1) + (size_t)p;
      cardan_force F = cardan__force_add(cardan__inertia_mul(&G, data->A[i]),
                                         cardan__gyroscopic(&G, data->V[i].w));
      for (int j = i; j > 0; j = model->body[j].parent) {
        const cardan_body *b = &model->body[j];
        double entry[6] = {0};
        cardan__joint_project_at(b, data->q + b->qadr, F, entry);
        for (int k = 0; k < b->nv; k++) {
          Y[((size_t)b->vadr + (size_t)k) * width + column] = entry[k];
        }
        F = cardan__force_to_parent(&data->X[j], F); // (E1)
      }
    }
  }
}
