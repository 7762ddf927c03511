/* SPDX-License-Identifier: Apache-2.0
 * dynamics/momenta_joint.h - one joint's part in the sweeps of momenta.c and reduced.c. */
#pragma once
#include "base/inline.h"
#include "dynamics/factor.h"
#include "kinematics/joint.h"

/* D^-1 r of a joint with n velocities, n known to the compiler. */
CARDAN__INLINE void cardan__joint_solve_n(const cardan_factor_multi *m, const int n,
                                          const double *r, double *out)
{
  for (int k = 0; k < n; k++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      sum += m->inv_D[k * n + j] * r[j];
    }
    out[k] = sum;
  }
}

/* D^-1 (r - U^T V) of the same. */
CARDAN__INLINE void cardan__joint_respond_n(const cardan_factor_multi *m, const int n,
                                            const double *r, cardan_twist V, double *out)
{
  double rest[6];
  for (int k = 0; k < n; k++) {
    rest[k] = r[k] - cardan__power(V, m->U[k]);
  }
  cardan__joint_solve_n(m, n, rest, out);
}

/* F + U D^-1 r of the same. */
CARDAN__INLINE cardan_force cardan__joint_give_way_n(const cardan_factor_multi *m, const int n,
                                                     const double *r, cardan_force F)
{
  double x[6];
  cardan__joint_solve_n(m, n, r, x);
  for (int k = 0; k < n; k++) {
    F = cardan__force_axpy(x[k], m->U[k], F);
  }
  return F;
}

/* D^-1 (r - U^T V): the joint's velocity from a momentum, its acceleration from a force. */
static inline void cardan__joint_respond(const cardan_body *b, const cardan_data *data, int i,
                                         const double *r, cardan_twist V, double *out)
{
  const cardan_factor_body *f = &data->factor[i];
  if (b->nv == 1) {
    out[0] = f->inv_d * (r[0] - cardan__power(V, f->U));
  } else if (b->nv == 3) {
    cardan__joint_respond_n(&data->multi[data->multi_of[i]], 3, r, V, out);
  } else { // U = D
    const double own[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
    cardan__joint_solve_n(&data->multi[data->multi_of[i]], 6, r, out);
    for (int k = 0; k < 6; k++) {
      out[k] -= own[k];
    }
  }
}

/* F + U D^-1 r */
static inline cardan_force cardan__joint_give_way(const cardan_body *b, const cardan_data *data,
                                                  int i, const double *r, cardan_force F)
{
  const cardan_factor_body *f = &data->factor[i];
  if (b->nv == 1) {
    return cardan__force_axpy(f->inv_d * r[0], f->U, F);
  }
  const cardan_factor_multi *m = &data->multi[data->multi_of[i]];
  return b->nv == 3 ? cardan__joint_give_way_n(m, 3, r, F) : cardan__joint_give_way_n(m, 6, r, F);
}

/* r = p - S^T F */
static inline void cardan__joint_subtract(const cardan_body *b, const double *q, const double *p,
                                          cardan_force F, double *r)
{
  double part[6] = {0};
  cardan__joint_project_at(b, q, F, part);
  for (int k = 0; k < b->nv; k++) {
    r[k] = p[k] - part[k];
  }
}

/* u = tau - S^T p to data->rest; returns p + U D^-1 u, what remains for the parent, in the body's
 * frame. A kinematic joint passes everything on. tau: nv, NULL: 0 */
static inline cardan_force cardan__joint_reduce(const cardan_body *b, cardan_data *data, int i,
                                                const double *tau, cardan_force p)
{
  static const double none[6] = {0};
  double *u = data->rest + b->vadr;
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    return p;
  }
  const double *t = tau != NULL ? tau + b->vadr : none;
  cardan__joint_subtract(b, data->q + b->qadr, t, p, u);
  if (b->nv == 6) { // U = D: nothing of p is left
    return (cardan_force){{t[0], t[1], t[2]}, {t[3], t[4], t[5]}};
  }
  return cardan__joint_give_way(b, data, i, u, p);
}

/* The same of a ball, S = (1; 0): with U = (D; B^T), p + U D^-1 u is (tau; p.f + B^T D^-1 u). u: 3,
 * out */
CARDAN__INLINE cardan_force cardan__ball_reduce(const cardan_factor_multi *m, cardan_vec3 tau,
                                                cardan_force p, double *u)
{
  const double *D = m->inv_D;
  const cardan_vec3 r = cardan__vec3_sub(tau, p.t);
  const cardan_vec3 g = {D[0] * r.x + D[1] * r.y + D[2] * r.z, D[1] * r.x + D[4] * r.y + D[5] * r.z,
                         D[2] * r.x + D[5] * r.y + D[8] * r.z};
  cardan_vec3 f = cardan__vec3_axpy(g.x, m->U[0].f, p.f);
  f = cardan__vec3_axpy(g.z, m->U[2].f, cardan__vec3_axpy(g.y, m->U[1].f, f));
  u[0] = r.x;
  u[1] = r.y;
  u[2] = r.z;
  return (cardan_force){tau, f};
}
