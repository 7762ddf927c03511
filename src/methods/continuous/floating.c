// SPDX-License-Identifier: Apache-2.0
#include "methods/continuous/floating.h"

#include <string.h>

#include "cardan/kinematics.h"
#include "kinematics/joint.h"
#include "spatial/vec3_array.h"

enum { QUAT = 3 }; // where its quaternion is, behind the place

static bool floats(const cardan_body *b)
{
  return b->parent == 0 && cardan__quat_offset(b) == QUAT && !(b->flags & CARDAN_LINK_KINEMATIC);
}

int cardan__floating_list(const cardan_model *model, cardan__floating *list)
{
  int n = 0;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    if (floats(b) && list != NULL) {
      const cardan_inertia *I = &b->inertia;
      list[n] = (cardan__floating){.q = b->qadr, .v = b->vadr, .R = cardan__mat3_identity()};
      list[n].c = I->m > 0 ? cardan__vec3_scale(1 / I->m, I->h) : cardan__vec3(0, 0, 0);
    }
    n += floats(b);
  }
  return n;
}

/* The rotation of a quaternion of any length: no root is needed. */
static cardan_mat3 rotation(const double *e)
{
  const double w = e[0], x = e[1], y = e[2], z = e[3], s = 2 / (w * w + x * x + y * y + z * z);
  const double xx = s * x * x, yy = s * y * y, zz = s * z * z, xy = s * x * y, xz = s * x * z;
  const double yz = s * y * z, wx = s * w * x, wy = s * w * y, wz = s * w * z;
  return (cardan_mat3){{{1 - yy - zz, xy - wz, xz + wy},
                        {xy + wz, 1 - xx - zz, yz - wx},
                        {xz - wy, yz + wx, 1 - xx - yy}}};
}

void cardan__floating_place(int n, cardan__floating *list, const double *q)
{
  for (cardan__floating *f = list; f < list + n; f++) {
    f->R = rotation(q + f->q + QUAT);
  }
}

void cardan__floating_to_world(int n, const cardan__floating *list, double *v)
{
  for (const cardan__floating *f = list; f < list + n; f++) {
    double *w = v + f->v, *u = w + 3;
    const cardan_vec3 at_c =
        cardan__vec3_add(cardan__vec3_of(u), cardan__vec3_cross(cardan__vec3_of(w), f->c));
    cardan__vec3_put(cardan__mat3_mulv(&f->R, at_c), u); // (F1)
  }
}

void cardan__floating_to_body(int n, const cardan__floating *list, double *x)
{
  for (const cardan__floating *f = list; f < list + n; f++) {
    double *w = x + f->v, *u = w + 3;
    const cardan_vec3 at_c = cardan__mat3_tmulv(&f->R, cardan__vec3_of(u));
    cardan__vec3_put(cardan__vec3_sub(at_c, cardan__vec3_cross(cardan__vec3_of(w), f->c)),
                     u); // (F2)
  }
}

void cardan__floating_rates(int n, const cardan__floating *list, const double *v, double *a)
{
  for (const cardan__floating *f = list; f < list + n; f++) {
    const cardan_vec3 w = cardan__vec3_of(v + f->v);
    const cardan_vec3 u =
        cardan__vec3_add(cardan__vec3_of(v + f->v + 3), cardan__vec3_cross(w, f->c));
    double *alpha = a + f->v, *rate = alpha + 3;
    const cardan_vec3 sum = cardan__vec3_add(
        cardan__vec3_of(rate), cardan__vec3_add(cardan__vec3_cross(cardan__vec3_of(alpha), f->c),
                                                cardan__vec3_cross(w, u)));
    cardan__vec3_put(cardan__mat3_mulv(&f->R, sum), rate); // (F3)
  }
}

void cardan__floating_places(int n, const cardan__floating *list, const double *x, double *qdot)
{
  for (const cardan__floating *f = list; f < list + n; f++) {
    const cardan_vec3 arm = cardan__vec3_cross(cardan__vec3_of(x + f->v), f->c);
    cardan__vec3_put(cardan__vec3_sub(cardan__vec3_of(x + f->v + 3), cardan__mat3_mulv(&f->R, arm)),
                     qdot + f->q); // (F4)
  }
}

void cardan__floating_q_dot(const cardan_model *model, int n, const cardan__floating *list,
                            const double *q, const double *v, const double *x, double *qdot)
{
  int iq = 0, iv = 0; // behind the last of them; what is between two is rates itself
  if (n != model->nmulti) {
    cardan_q_dot(model, q, v, qdot);
  }
  for (const cardan__floating *f = list; f < list + n && n == model->nmulti; f++) {
    const cardan_quat rate =
        cardan__quat_deriv(cardan__quat_at(q + f->q + QUAT), cardan__vec3_of(v + f->v));
    memcpy(qdot + iq, v + iv, (size_t)(f->v - iv) * sizeof *qdot);
    memcpy(qdot + f->q + QUAT, &rate, sizeof rate);
    iq = f->q + QUAT + 4;
    iv = f->v + 6;
  }
  if (n == model->nmulti) {
    memcpy(qdot + iq, v + iv, (size_t)(model->nv - iv) * sizeof *qdot);
  }
  if (x != NULL) {
    cardan__floating_places(n, list, x, qdot);
  } else {
    cardan__floating_body_places(n, list, v, qdot);
  }
}

void cardan__floating_turn(int n, const cardan__floating *list, double h, const double *v,
                           double *q)
{
  for (const cardan__floating *f = list; f < list + n; f++) {
    double *e = q + f->q + QUAT;
    const cardan_quat rate = cardan__quat_deriv(cardan__quat_at(e), cardan__vec3_of(v + f->v));
    e[0] += h * rate.w;
    e[1] += h * rate.x;
    e[2] += h * rate.y;
    e[3] += h * rate.z;
  }
}

void cardan__floating_body_places(int n, const cardan__floating *list, const double *v,
                                  double *qdot)
{
  for (const cardan__floating *f = list; f < list + n; f++) {
    cardan__vec3_put(cardan__mat3_mulv(&f->R, cardan__vec3_of(v + f->v + 3)), qdot + f->q);
  }
}

void cardan__floating_momenta_to_world(int n, const cardan__floating *list, double *p)
{
  for (const cardan__floating *f = list; f < list + n; f++) {
    double *t = p + f->v, *force = t + 3;
    cardan__vec3_put(
        cardan__vec3_sub(cardan__vec3_of(t), cardan__vec3_cross(f->c, cardan__vec3_of(force))),
        t); // (F5)
    cardan__vec3_put(cardan__mat3_mulv(&f->R, cardan__vec3_of(force)), force);
  }
}

void cardan__floating_momenta_to_body(int n, const cardan__floating *list, double *x)
{
  for (const cardan__floating *f = list; f < list + n; f++) {
    double *t = x + f->v, *force = t + 3;
    cardan__vec3_put(cardan__mat3_tmulv(&f->R, cardan__vec3_of(force)), force);
    cardan__vec3_put(
        cardan__vec3_add(cardan__vec3_of(t), cardan__vec3_cross(f->c, cardan__vec3_of(force))), t);
  }
}

void cardan__floating_momenta_rates(int n, const cardan__floating *list, const double *v,
                                    const double *x, double *pdot)
{
  for (const cardan__floating *f = list; f < list + n; f++) {
    const cardan_vec3 now = cardan__mat3_tmulv(&f->R, cardan__vec3_of(x + f->v + 3));
    double *t = pdot + f->v, *force = t + 3;
    cardan__vec3_put(
        cardan__vec3_sub(cardan__vec3_of(t), cardan__vec3_cross(f->c, cardan__vec3_of(force))),
        t); // (F6)
    cardan__vec3_put(
        cardan__mat3_mulv(&f->R,
                          cardan__vec3_add(cardan__vec3_of(force),
                                           cardan__vec3_cross(cardan__vec3_of(v + f->v), now))),
        force);
  }
}

/* The turn in axes of the body that an error of its quaternion is: the vector part of
 * 2 (q* dq) / |q|^2. */
static cardan_vec3 turn_of(const double *q, const double *e)
{
  const cardan_quat a = cardan__quat_at(q), d = cardan__quat_at(e);
  const cardan_quat turn = cardan__quat_mul(cardan__quat_conj(a), d);
  const double norm = cardan__quat_norm(a);
  return cardan__vec3_scale(2 / (norm * norm), cardan__vec3(turn.x, turn.y, turn.z));
}

void cardan__floating_errors(int n, const cardan__floating *list, bool momenta, const double *q,
                             const double *x, const double *e_q, double *e)
{
  for (const cardan__floating *f = list; f < list + n; f++) {
    const cardan_vec3 turn = turn_of(q + f->q + QUAT, e_q + f->q + QUAT);
    const cardan_vec3 now = cardan__mat3_tmulv(&f->R, cardan__vec3_of(x + f->v + 3));
    double *w = e + f->v, *u = w + 3;
    const cardan_vec3 d = cardan__vec3_sub(cardan__mat3_tmulv(&f->R, cardan__vec3_of(u)),
                                           cardan__vec3_cross(turn, now)); // (F7)
    if (momenta) {
      cardan__vec3_put(d, u);
      cardan__vec3_put(cardan__vec3_add(cardan__vec3_of(w), cardan__vec3_cross(f->c, d)), w);
    } else {
      cardan__vec3_put(cardan__vec3_sub(d, cardan__vec3_cross(cardan__vec3_of(w), f->c)), u);
    }
  }
}
