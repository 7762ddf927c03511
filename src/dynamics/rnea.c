// SPDX-License-Identifier: Apache-2.0
#include "dynamics/rnea.h"

#include <string.h>

#include "base/inline.h"
#include "cardan/dynamics.h"
#include "kinematics/joint.h"
#include "kinematics/link.h"
#include "kinematics/recursions.h"
#include "model/data.h"

/* Inverse dynamics by the recursive Newton-Euler algorithm, O(nbody).
 * [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, Table 5.1.
 *
 *   A_i   = X_i A_p + c_i + S_i a_i                                         (E1)   A_0 = -gravity
 *   f_i   = I_i A_i + (w x J w; w x (w x h)) - f_ext,i                      (E2)
 *   f_p  += X_i^T f_i                                                       (E3)
 *   tau_i = S_i^T f_i + armature_i a_i                                      (E4)
 *
 * A is the classical acceleration (kinematics/recursions.c), where [1] has the spatial one: c_i and
 * the velocity part of (E2) then need angular velocities only. They all come from one matrix,
 *   K_i = alpha^ + w^ w^,   the acceleration of a point x of the body is A.v + K x,     (E5)
 * which gives a child's origin in (E1) and the mass centre in (E2).
 *
 * (E1) is a recursion; (E2) without f_ext is each body's own, and made for eight of them at once
 * (spatial/body_blocks.h). */

/* What a body hands to the next one outward. */
typedef struct {
  cardan_twist V, A;
} carried;

/* R^T of the parent's motion: the body's with v = a = 0, centripetal acceleration included; of a
 * revolute joint or a ball. V: the body's twist, NULL: not known yet. axes: a constant of the
 * caller's */
CARDAN__INLINE carried carry(const cardan_body *b, const cardan_mat3 *R, const cardan__axes axes,
                             const carried *p, const cardan_twist *V)
{
  const cardan_vec3 point = cardan__link_acceleration(b->flags, b->X.p, p->V.w, p->A); // (E5)
  carried o = {.A = {cardan__axes_in(R, axes, p->A.w), cardan__axes_in(R, axes, point)}};
  if (V != NULL) {
    o.V = *V;
  } else {
    o.V = (cardan_twist){cardan__axes_in(R, axes, p->V.w),
                         cardan__axes_in(R, axes, cardan__link_velocity(b->flags, b->X.p, p->V))};
  }
  return o;
}

/* (E1) for a revolute joint with velocity v and acceleration a: c = (w' x z v; R^T w x (w x p)). */
CARDAN__INLINE carried turn(const cardan_body *b, const cardan_mat3 *R, const cardan__axes axes,
                            const carried *p, const cardan_twist *V, double v, double a)
{
  carried o = carry(b, R, axes, p, V);
  o.V.w.z = V != NULL ? o.V.w.z : o.V.w.z + v;
  o.A.w = (cardan_vec3){o.A.w.x + o.V.w.y * v, o.A.w.y - o.V.w.x * v, o.A.w.z + a};
  return o;
}

/* The same for a ball: c = (w' x v; ..), and w' x v = w x v. a: 3 accelerations or NULL */
CARDAN__INLINE carried turn_ball(const cardan_body *b, const cardan_mat3 *R, const carried *p,
                                 const cardan_twist *V, const double *v, const double *a)
{
  const cardan_vec3 r = {v[0], v[1], v[2]};
  carried o = carry(b, R, CARDAN__AXES_ANYHOW, p, V);
  o.V.w = V != NULL ? o.V.w : cardan__vec3_add(o.V.w, r);
  o.A.w = cardan__vec3_add(o.A.w, cardan__vec3_cross(o.V.w, r));
  if (a != NULL) {
    o.A.w = cardan__vec3_add(o.A.w, cardan__vec3(a[0], a[1], a[2]));
  }
  return o;
}

/* The same for any joint, from and to memory: A[i], and V[i] unless it is known. a: nv or NULL. */
static void turn_other(const cardan_model *model, cardan_data *data, bool known, const double *a,
                       cardan_twist *A, int i)
{
  const cardan_body *b = &model->body[i];
  const cardan_xform *X = &data->X[i];
  const double *q = data->q + b->qadr, *v = data->v + b->vadr;
  cardan_twist *V = data->V;
  if (!known) {
    V[i] = cardan__twist_add(cardan__link_twist(b->flags, X, V[b->parent]),
                             cardan__joint_twist_at(b, q, v));
  }
  const cardan_twist c = cardan__velocity_product(b, X, V[b->parent].w, V[i].w, q, v);
  A[i] = cardan__twist_add(cardan__twist_to_child(X, A[b->parent]), c);
  if (a != NULL) {
    A[i] = cardan__twist_add(A[i], cardan__joint_twist_at(b, q, a + b->vadr));
  }
}

/* K of (E5). */
CARDAN__INLINE cardan_mat3 point_accelerations(cardan_vec3 w, cardan_vec3 alpha)
{
  return (cardan_mat3){{{-(w.y * w.y + w.z * w.z), w.x * w.y - alpha.z, w.x * w.z + alpha.y},
                        {w.x * w.y + alpha.z, -(w.x * w.x + w.z * w.z), w.y * w.z - alpha.x},
                        {w.x * w.z - alpha.y, w.y * w.z + alpha.x, -(w.x * w.x + w.y * w.y)}}};
}

/* What (E2) needs of the motion of 8 bodies. */
typedef struct {
  cardan__lane w[3], alpha[3], a[3];
} moving;

CARDAN__INLINE void set_moving(moving *o, int l, const carried *body)
{
  cardan__lane_set_vec3(o->w, l, body->V.w);
  cardan__lane_set_vec3(o->alpha, l, body->A.w);
  cardan__lane_set_vec3(o->a, l, body->A.v);
}

/* (E2) without f_ext. */
static void wrenches(const cardan__inertia_lanes *restrict G, const moving *restrict o,
                     cardan__force_lanes *restrict own)
{
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan_inertia I = cardan__lane_inertia(G, l);
    const cardan__sym3 J = cardan__inertia_tensor(&I);
    const cardan_vec3 w = cardan__lane_vec3(o->w, l), alpha = cardan__lane_vec3(o->alpha, l);
    const cardan_vec3 a = cardan__lane_vec3(o->a, l);
    const cardan_mat3 K = point_accelerations(w, alpha);
    const cardan_vec3 gyroscopic = cardan__vec3_cross(w, cardan__sym3_mulv(&J, w));
    const cardan_vec3 t =
        cardan__vec3_add(cardan__sym3_mulv(&J, alpha), cardan__vec3_cross(I.h, a));
    const cardan_vec3 f = cardan__vec3_axpy(I.m, a, cardan__mat3_mulv(&K, I.h));
    cardan__lane_set_pair(own->F, l, cardan__vec3_add(t, gyroscopic), f);
  }
}

/* What outward needs besides the state. */
typedef struct {
  const double *a; // nv, NULL: 0
  bool given;      // of a only kinematic joints' count
  bool known;      // data->V is there
} motions;

/* (E1) of body i: the parent's motion becomes its own. */
CARDAN__INLINE void go_out(const cardan_model *model, cardan_data *data, const motions m,
                           cardan_twist *A, int i, carried *at)
{
  const cardan_body *b = &model->body[i];
  const bool moved = m.a != NULL && (!m.given || (b->flags & CARDAN_LINK_KINEMATIC));
  const cardan_twist *known = m.known ? &data->V[i] : NULL;
  const double *v = data->v + b->vadr, *a = moved ? m.a + b->vadr : NULL;
  cardan_mat3 *R = &data->X[i].R;
  if (cardan__joint_is_hinge(b)) {
    const double acceleration = a != NULL ? a[0] : 0;
    if (!m.known) {
      cardan__hinge_turn(b, data->cos_sin[2 * i], data->cos_sin[2 * i + 1], R);
    }
    if (b->flags & CARDAN_LINK_RIGHT) {
      *at = turn(b, R, CARDAN__AXES_RIGHT, at, known, v[0], acceleration);
    } else if (b->flags & CARDAN_LINK_PARALLEL) {
      *at = turn(b, R, CARDAN__AXES_PARALLEL, at, known, v[0], acceleration);
    } else {
      *at = turn(b, R, CARDAN__AXES_ANYHOW, at, known, v[0], acceleration);
    }
  } else if (cardan__joint_is_ball(b)) {
    *at = turn_ball(b, R, at, known, v, a);
  } else {
    turn_other(model, data, m.known, moved ? m.a : NULL, A, i);
    at->V = data->V[i];
    at->A = A[i];
  }
}

/* (E1), (E2) for bodies from .. to - 1, a block: A, V and data->own. */
CARDAN__INLINE void outward(const cardan_model *model, cardan_data *data, const motions m,
                            cardan_twist *A, int from, int to)
{
  cardan_twist *V = data->V;
  carried last = {.V = V[from - 1], .A = A[from - 1]}; // of body i - 1, in registers
  moving all[CARDAN__BLOCK / CARDAN__LANES];
  const int first = cardan__block_of(from), end = cardan__block_of(to - 1);
  memset(&all[0], 0, sizeof all[0]); // where there may be lanes without a body
  memset(&all[end - first], 0, sizeof all[0]);
  for (int i = from; i < to; i++) {
    const int parent = model->body[i].parent;
    if (parent != i - 1) {
      last.V = V[parent];
      last.A = A[parent];
    }
    go_out(model, data, m, A, i, &last);
    A[i] = last.A;
    if (!m.known) {
      V[i] = last.V;
    }
    set_moving(&all[cardan__block_of(i) - first], cardan__lane_of(i), &last);
  }
  for (int k = first; k <= end; k++) {
    wrenches(&model->inertia_lanes[k], &all[k - first], &data->own[k]);
  }
}

static void bias_wrenches(const cardan_model *model, cardan_data *data, const motions m)
{
  data->Ag[0] = (cardan_twist){.v = cardan__vec3_neg(model->gravity)};
  for (int from = 1, to; from < model->nbody; from = to) {
    to = cardan__block_end(model, from);
    outward(model, data, m, data->Ag, from, to);
  }
}

void cardan__bias_wrenches(const cardan_model *model, cardan_data *data, const double *a)
{
  bias_wrenches(model, data, (motions){.a = a, .given = true, .known = true});
}

void cardan__bias_wrenches_given(const cardan_model *model, cardan_data *data, const double *a)
{
  bias_wrenches(model, data, (motions){.a = a, .known = true});
}

void cardan__twists_and_biases(const cardan_model *model, cardan_data *data)
{
  const motions m = {.a = data->a, .given = true};
  data->Ag[0] = (cardan_twist){.v = cardan__vec3_neg(model->gravity)};
  for (int from = 1, to; from < model->nbody; from = to) {
    to = cardan__block_end(model, from);
    cardan__angles_range(model, data, from, to);
    outward(model, data, m, data->Ag, from, to);
  }
}

/* (E3), (E4) from data->own: children are numbered after parents, so f[i] is complete when i is
 * reached. */
static void inward(const cardan_model *model, cardan_data *data, const cardan_force *f_ext,
                   double *tau)
{
  static const cardan_force none = {.t = {0, 0, 0}};
  cardan_force *f = data->f;
  cardan_force carry = none; // from body i + 1 to its parent i, without a trip to memory
  f[0] = none;
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const cardan_force own = cardan__force_sub(cardan__own_wrench(data, i), f_ext[i]);
    cardan_force fi = cardan__force_add(own, carry);
    if (b->flags & CARDAN_LINK_FORKED) {
      fi = cardan__force_add(fi, f[i]);
    }
    f[i] = fi;
    if (cardan__joint_is_hinge(b)) {
      tau[b->vadr] = fi.t.z;                                 // (E4)
      carry = cardan__link_force(b->flags, &data->X[i], fi); // (E3)
    } else {
      cardan__joint_project_at(b, data->q + b->qadr, fi, tau + b->vadr);
      carry = cardan__force_to_parent(&data->X[i], fi);
    }
    if (b->parent != i - 1) {
      f[b->parent] = b->flags & CARDAN_LINK_LAST ? carry : cardan__force_add(f[b->parent], carry);
      carry = none;
    }
  }
}

/* What turns the rotors, of (E4). */
static void turn_rotors(const cardan_model *model, const double *a, double *tau)
{
  for (int k = 0; k < model->nv && model->has_armature && a != NULL; k++) {
    tau[k] += model->armature[k] * a[k];
  }
}

void cardan__rnea(const cardan_model *model, cardan_data *data, const cardan_force *f_ext,
                  const double *a, double *tau)
{
  const motions m = {.a = a, .known = true};
  data->A[0] = (cardan_twist){.v = cardan__vec3_neg(model->gravity)};
  for (int from = 1, to; from < model->nbody; from = to) {
    to = cardan__block_end(model, from);
    outward(model, data, m, data->A, from, to);
  }
  inward(model, data, f_ext, tau);
  turn_rotors(model, a, tau);
}

void cardan_rnea(const cardan_model *model, cardan_data *data, const double *a, double *tau)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  cardan__rnea(model, data, data->f_ext, a, tau);
}

void cardan_bias_torques(const cardan_model *model, cardan_data *data, double *tau)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  memset(data->p, 0, (size_t)model->nbody * sizeof *data->p); // no wrench is applied
  cardan__rnea(model, data, data->p, NULL, tau);
}

void cardan_gravity_torques(const cardan_model *model, cardan_data *data, double *tau)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_JOINTS);
  data->A[0] = (cardan_twist){.v = cardan__vec3_neg(model->gravity)};
  for (int i = 1; i < model->nbody; i++) { // (E1), (E2) at rest
    const cardan_body *b = &model->body[i];
    data->A[i] = (cardan_twist){.v = cardan__mat3_tmulv(&data->X[i].R, data->A[b->parent].v)};
    cardan__lane_set_force(data->own[cardan__block_of(i)].F, cardan__lane_of(i),
                           cardan__inertia_mul(&b->inertia, data->A[i]));
  }
  memset(data->p, 0, (size_t)model->nbody * sizeof *data->p); // no wrench is applied
  inward(model, data, data->p, tau);
}

void cardan_inverse(const cardan_model *model, cardan_data *data, const double *a, double *tau)
{
  const motions m = {.a = a};
  data->A[0] = (cardan_twist){.v = cardan__vec3_neg(model->gravity)};
  for (int from = 1, to; from < model->nbody; from = to) {
    to = cardan__block_end(model, from);
    cardan__angles_range(model, data, from, to);
    outward(model, data, m, data->A, from, to);
  }
  inward(model, data, data->f_ext, tau);
  turn_rotors(model, a, tau);
  data->fresh = CARDAN_FRESH_JOINTS | CARDAN_FRESH_VELOCITIES;
}
