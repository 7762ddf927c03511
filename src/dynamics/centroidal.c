// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/composite.h"
#include "kinematics/joint.h"
#include "kinematics/recursions.h"
#include "model/data.h"

/* Centre of mass and momentum about it, from composite inertias Ic and momenta P* of each body with
 * everything below it (composite.h, momenta.c).
 *
 *   c    = T_W,b (h / m) of Ic_b,   c' = R_W,b f / m of P*_b                                 (E1)
 *   J_c  = R_W,i (Ic_i S_k).f / m    for joints i at and below b: what they move               (E2)
 *        = R_W,i (Ic_b in i, S_k).f / m    for joints i above b                                (E3)
 *   A    = Ad_{T_Gi}^-T Ic_i S_k,   T_Gi = (R_W,i, p_W,i - c):   A v = momentum about c        (E4)
 *   its rate = sum over bodies of Ad_{T_Gi}^-T (I_i A_i + (w x J w; w x (w x h)))              (E5)
 * [1] D. E. Orin, A. Goswami, S.-H. Lee, Centroidal dynamics of a humanoid robot, Autonomous
 *     Robots 35, 2013. Rows of A are [angular; linear] here too, in world axes. */

static cardan_vec3 centre(const cardan_data *data, int body)
{
  const cardan_inertia *G = &data->Ic[body];
  return cardan__xform_point(&data->X_W[body], cardan__vec3_scale(1 / G->m, G->h));
}

cardan_vec3 cardan_com(const cardan_model *model, cardan_data *data, int body,
                       cardan_vec3 *velocity)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_POSES);
  cardan__composites(model, data);
  if (velocity != NULL) {
    cardan_momenta(model, data, data->tau_work);
    *velocity = cardan__mat3_mulv(&data->X_W[body].R,
                                  cardan__vec3_scale(1 / data->Ic[body].m, data->P[body].f));
  }
  return centre(data, body); // (E1)
}

/* Is body i this body, or below it? Parents have lower numbers. */
static bool is_below(const cardan_model *model, int i, int body)
{
  while (i > body) {
    i = model->body[i].parent;
  }
  return i == body;
}

/* Columns of body i's joint: G is what it moves, in its coordinates; m the mass of all that c is
 * the centre of. */
static void com_columns(const cardan_model *model, const cardan_data *data, int i,
                        const cardan_inertia *G, double m, double *J)
{
  const cardan_body *b = &model->body[i];
  const size_t nv = (size_t)model->nv;
  for (int k = 0; k < b->nv; k++) {
    const cardan_force F = cardan__inertia_mul(G, cardan__joint_axis_at(b, data->q + b->qadr, k));
    const cardan_vec3 c = cardan__mat3_mulv(&data->X_W[i].R, cardan__vec3_scale(1 / m, F.f));
    const size_t column = (size_t)b->vadr + (size_t)k;
    J[column] = c.x;
    J[nv + column] = c.y;
    J[2 * nv + column] = c.z;
  }
}

void cardan_com_jacobian(const cardan_model *model, cardan_data *data, int body, double *J)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_POSES);
  cardan__composites(model, data);
  cardan_inertia G = data->Ic[body];
  memset(J, 0, 3 * (size_t)model->nv * sizeof *J);
  for (int i = model->nbody - 1; i > 0 && i >= body; i--) {
    if (is_below(model, i, body)) {
      com_columns(model, data, i, &data->Ic[i], G.m, J); // (E2)
    }
  }
  for (int i = body; i > 0 && model->body[i].parent > 0;) {
    G = cardan__inertia_to_parent(&data->X[i], &G);
    i = model->body[i].parent;
    com_columns(model, data, i, &G, G.m, J); // (E3)
  }
}

/* Body i's coordinates to the world's axes, about c. */
static cardan_xform about(const cardan_data *data, int i, cardan_vec3 c)
{
  cardan_xform T = data->X_W[i];
  T.p = cardan__vec3_sub(T.p, c);
  return T;
}

cardan_force cardan_centroidal(const cardan_model *model, cardan_data *data, double *A6)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_POSES | CARDAN_FRESH_VELOCITIES);
  const size_t nv = (size_t)model->nv;
  const cardan_vec3 c = cardan_com(model, data, 0, NULL);
  cardan_momenta(model, data, data->tau_work);
  for (int i = 1; i < model->nbody && A6 != NULL; i++) {
    const cardan_body *b = &model->body[i];
    const cardan_xform T = about(data, i, c);
    for (int k = 0; k < b->nv; k++) {
      const cardan_twist S = cardan__joint_axis_at(b, data->q + b->qadr, k);
      const cardan_force F =
          cardan__force_to_parent(&T, cardan__inertia_mul(&data->Ic[i], S)); // (E4)
      const double column[6] = {F.t.x, F.t.y, F.t.z, F.f.x, F.f.y, F.f.z};
      for (size_t r = 0; r < 6; r++) {
        A6[r * nv + (size_t)(b->vadr + k)] = column[r];
      }
    }
  }
  const cardan_force P = data->P[0]; // about the world's origin
  return (cardan_force){.t = cardan__vec3_sub(P.t, cardan__vec3_cross(c, P.f)), .f = P.f};
}

cardan_force cardan_centroidal_rate(const cardan_model *model, cardan_data *data)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_POSES | CARDAN_FRESH_VELOCITIES);
  const cardan_vec3 c = cardan_com(model, data, 0, NULL);
  cardan_force sum = {.t = {0, 0, 0}};
  data->A[0] = (cardan_twist){.w = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const double *q = data->q + b->qadr;
    const cardan_twist bias = cardan__velocity_product(b, &data->X[i], data->V[b->parent].w,
                                                       data->V[i].w, q, data->v + b->vadr);
    const cardan_twist own =
        cardan__twist_add(bias, cardan__joint_twist_at(b, q, data->a + b->vadr));
    const cardan_xform T = about(data, i, c);
    data->A[i] = cardan__twist_add(cardan__twist_to_child(&data->X[i], data->A[b->parent]), own);
    const cardan_force F = cardan__force_add(cardan__inertia_mul(&b->inertia, data->A[i]),
                                             cardan__gyroscopic(&b->inertia, data->V[i].w));
    sum = cardan__force_add(sum, cardan__force_to_parent(&T, F)); // (E5)
  }
  return sum;
}
