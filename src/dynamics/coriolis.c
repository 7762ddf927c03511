// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/composite.h"
#include "kinematics/joint.h"
#include "model/data.h"

/* The matrix C(q, v) of the velocity forces C v, with Mdot - 2 C skew, O(nbody depth).
 * [1] S. Echeandia, P. M. Wensing, Numerical methods to compute the Coriolis matrix and Christoffel
 *     symbols for rigid-body systems, J. Comput. Nonlinear Dynam. 16, 2021.
 *
 *   C_ij = S_i^T (Ic_k S_j' + B_k S_j)        k: the lower one of i and j                    (E1)
 *   S'   = V x S + dS/dq v                    rate of an axis, in space                       (E2)
 *   B    = (I' + P^) / 2,   P^ x = x x* P     of the body with everything below it            (E3)
 *   I'   = V x* I - I V x: of a single body (m' = 0, h' = f, J'), with P = (t, f) = I V and
 *   J'   = w^ J - J w^ + 2 (h . v) 1 - h v^T - v h^T                                          (E4)
 * I' is symmetric and P^ skew, so that C + C^T = Mdot term by term.
 *
 * Departures from [1]: everything in body coordinates; B is kept as I', an inertia without mass
 * that goes up the tree as inertias do, and the momentum P, in place of a 6 x 6 matrix. Joints
 * whose S depends on q have the last term of (E2). Of joints with 3 or 6 velocities C is that of
 * quasi-velocities. */

/* I' of a single body (E4). */
static cardan_inertia inertia_rate(const cardan_inertia *G, cardan_twist V)
{
  const cardan__sym3 J = cardan__inertia_tensor(G);
  const cardan_vec3 w = V.w, v = V.v, h = G->h;
  const double hv = 2 * cardan__vec3_dot(h, v);
  // w^ J - J w^ = w^ J + (w^ J)^T: column i of w^ J is w x (column i of J)
  const cardan_vec3 a = cardan__vec3_cross(w, (cardan_vec3){J.xx, J.xy, J.xz});
  const cardan_vec3 b = cardan__vec3_cross(w, (cardan_vec3){J.xy, J.yy, J.yz});
  const cardan_vec3 c = cardan__vec3_cross(w, (cardan_vec3){J.xz, J.yz, J.zz});
  return (cardan_inertia){.h = cardan__inertia_mul(G, V).f,
                          .xx = 2 * a.x + hv - 2 * h.x * v.x,
                          .yy = 2 * b.y + hv - 2 * h.y * v.y,
                          .zz = 2 * c.z + hv - 2 * h.z * v.z,
                          .xy = a.y + b.x - h.x * v.y - h.y * v.x,
                          .xz = a.z + c.x - h.x * v.z - h.z * v.x,
                          .yz = b.z + c.y - h.y * v.z - h.z * v.y};
}

/* Ic, I' and P of every body with everything below it. */
static void composites(const cardan_model *model, cardan_data *data)
{
  cardan_inertia *rate = data->Ic_rate;
  cardan__composites(model, data);
  cardan_momenta(model, data, data->tau_work);
  rate[0] = (cardan_inertia){.m = 0};
  for (int i = 1; i < model->nbody; i++) {
    rate[i] = inertia_rate(&model->body[i].inertia, data->V[i]);
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const int p = model->body[i].parent;
    const cardan_inertia in_parent = cardan__inertia_to_parent(&data->X[i], &rate[i]);
    rate[p] = cardan__inertia_add(&rate[p], &in_parent);
  }
}

/* Axis k of body i, and its rate (E2). */
static cardan_twist axis(const cardan_model *model, const cardan_data *data, int i, int k,
                         cardan_twist *axis_rate)
{
  const cardan_body *b = &model->body[i];
  const double *q = data->q + b->qadr;
  const cardan_twist S = cardan__joint_axis_at(b, q, k);
  *axis_rate = cardan__twist_cross(data->V[i], S);
  if (!cardan__joint_is_constant(b)) {
    *axis_rate = cardan__twist_axpy(data->v[b->vadr], cardan__joint_ops_of(b->kind)->slope(b, q),
                                    *axis_rate);
  }
  return S;
}

/* A column of C and the row that mirrors it, on their way up from body i, velocity `column`. */
typedef struct {
  cardan_force column; // Ic S' + B S: what every S above sees
  cardan_force row_S;  // B^T S: seen by every S above,
  cardan_force row_S1; // Ic S: and by its rate
} carried;

static carried start(const cardan_data *data, int i, cardan_twist S, cardan_twist S1)
{
  const cardan_force half = cardan__force_scale(0.5, cardan__inertia_mul(&data->Ic_rate[i], S));
  const cardan_force turn = cardan__force_scale(0.5, cardan__twist_cross_force(S, data->P[i]));
  const cardan_force B = cardan__force_add(half, turn); // (E3)
  return (carried){.column = cardan__force_add(cardan__inertia_mul(&data->Ic[i], S1), B),
                   .row_S = cardan__force_sub(half, turn),
                   .row_S1 = cardan__inertia_mul(&data->Ic[i], S)};
}

/* Entries of velocity `column`, which is of a body below or of body j itself (own), with j's. */
static void store(const cardan_model *model, const cardan_data *data, const carried *c, int j,
                  size_t column, bool own, double *C)
{
  const cardan_body *b = &model->body[j];
  const size_t nv = (size_t)model->nv;
  for (int k = 0; k < b->nv; k++) {
    const size_t at = (size_t)b->vadr + (size_t)k;
    cardan_twist S1;
    const cardan_twist S = axis(model, data, j, k, &S1);
    C[at * nv + column] = cardan__power(S, c->column); // (E1)
    if (!own) {
      C[column * nv + at] = cardan__power(S1, c->row_S1) + cardan__power(S, c->row_S);
    }
  }
}

void cardan_coriolis(const cardan_model *model, cardan_data *data, double *C)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_JOINTS | CARDAN_FRESH_VELOCITIES);
  memset(C, 0, (size_t)model->nv * (size_t)model->nv * sizeof *C);
  composites(model, data);
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    for (int k = 0; k < b->nv; k++) {
      const size_t column = (size_t)b->vadr + (size_t)k;
      cardan_twist S1;
      const cardan_twist S = axis(model, data, i, k, &S1);
      carried c = start(data, i, S, S1);
      store(model, data, &c, i, column, true, C);
      for (int j = i; model->body[j].parent > 0;) {
        c = (carried){cardan__force_to_parent(&data->X[j], c.column),
                      cardan__force_to_parent(&data->X[j], c.row_S),
                      cardan__force_to_parent(&data->X[j], c.row_S1)};
        j = model->body[j].parent;
        store(model, data, &c, j, column, false, C);
      }
    }
  }
}
