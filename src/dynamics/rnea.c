// SPDX-License-Identifier: Apache-2.0
#include "dynamics/rnea.h"

#include "cardan/dynamics.h"
#include "kinematics/joint.h"
#include "kinematics/motion.h"

/* Inverse dynamics by the recursive Newton-Euler algorithm, O(nbody).
 * [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, Table 5.1.
 *
 *   A_i   = X_i A_p + c_i + S_i a_i                                         (E1)   A_0 = -gravity
 *   f_i   = I_i A_i + (w x J w; w x (w x h)) - f_ext,i                      (E2)
 *   f_p  += X_i^T f_i                                                       (E3)
 *   tau_i = S_i^T f_i                                                       (E4)
 *
 * A is the classical acceleration (kinematics/motion.c), where [1] has the spatial one: c_i and the
 * velocity part of (E2) then need angular velocities only. */
void cardan__rnea(const cardan_model *model, cardan_data *data, const cardan_force *f_ext, const double *a,
                  double *tau)
{
  cardan_motion *A = data->A;
  cardan_force *f = data->f;
  cardan__velocity_products(model, data);

  // outward: acceleration of each body, then the wrench that it calls for
  A[0] = (cardan_motion){.v = cardan__vec3_neg(model->gravity)};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const cardan_vec3 w = data->V[i].w;
    const cardan__sym3 J = cardan__inertia_tensor(&b->I);
    A[i] = cardan__motion_add(cardan__motion_to_child(&data->X[i], A[b->parent]), data->c[i]);
    if (a != NULL) {
      A[i] = cardan__motion_add(A[i], cardan__joint_motion(b, a + b->vadr)); // (E1)
    }
    const cardan_force gyro = {.t = cardan__vec3_cross(w, cardan__sym3_mulv(&J, w)),
                               .f = cardan__vec3_cross(w, cardan__vec3_cross(w, b->I.h))};
    f[i] = cardan__force_add(cardan__inertia_mul(&b->I, A[i]), cardan__force_sub(gyro, f_ext[i])); // (E2)
  }

  // inward: children are numbered after parents, so f[i] is complete when i is reached
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    cardan__joint_project(b, f[i], tau + b->vadr); // (E4)
    if (b->parent > 0) {
      f[b->parent] = cardan__force_add(f[b->parent], cardan__force_to_parent(&data->X[i], f[i])); // (E3)
    }
  }
}

void cardan_rnea(const cardan_model *model, cardan_data *data, const double *a, double *tau)
{
  cardan__rnea(model, data, data->f_ext, a, tau);
}
