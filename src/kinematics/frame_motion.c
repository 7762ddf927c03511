// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kinematics/frames.h"
#include "kinematics/joint.h"
#include "kinematics/recursions.h"
#include "model/data.h"

/* Twists, accelerations and Jacobians of frames, by a walk from the frame to the root.
 *
 *   V_F = Ad_{T_iF}^-1 V_i         i: the frame's body, T_iF = X_BF                        (E1)
 *   V_F = sum over the bodies i on the way of Ad_{T_iF}^-1 S_i v_i                         (E2)
 *   rate of a column s = Ad_{T_iF}^-1 S_i:
 *         s x U + Ad_{T_iF}^-1 S_i-dot,   U = V_F - Ad_{T_iF}^-1 V_i                       (E3)
 *   A_F = sum of Ad_{T_iF}^-1 (c_i + S_i a_i), and (0; w x (w x r)) from body to frame     (E4)
 * c_i and A are those of recursions.c, classical: the rates of LOCAL's numbers are (A.w; A.v - w x
 * v). Other axes are E from the frame's: WORLD T_WF, ALIGNED (R_WF, 0). Then Ad_E, and for rates
 *   d/dt (Ad_E x) = Ad_E (xdot + Y x x),   Y: WORLD V_F, ALIGNED (w; 0), LOCAL 0           (E5) */

/* Pose of a frame in another one; only the world needs no second pose. */
static cardan_xform pose_in(const cardan_model *model, const cardan_data *data, int reference,
                            int frame)
{
  const cardan_xform T_WF = cardan_frame_pose(model, data, frame);
  if (reference == 0) {
    return T_WF;
  }
  const cardan_xform T_WR = cardan_frame_pose(model, data, reference);
  return cardan__xform_inv_mul(&T_WR, &T_WF);
}

/* E: the frame's coordinates to those of the axes. */
static cardan_xform axes_from(const cardan_model *model, const cardan_data *data, int reference,
                              int frame, cardan_axes axes)
{
  if (axes == CARDAN_LOCAL) {
    return cardan__xform_identity();
  }
  cardan_xform E = pose_in(model, data, reference, frame);
  if (axes == CARDAN_ALIGNED) {
    E.p = (cardan_vec3){0, 0, 0};
  }
  return E;
}

cardan_xform cardan__axes_from(const cardan_model *model, const cardan_data *data, int frame,
                               cardan_axes axes)
{
  return axes_from(model, data, 0, frame, axes);
}

/* Y of (E5), in the frame's coordinates. */
static cardan_twist axes_turn(cardan_twist V, cardan_axes axes)
{
  const cardan_vec3 none = {0, 0, 0};
  return (cardan_twist){.w = axes == CARDAN_LOCAL ? none : V.w,
                        .v = axes == CARDAN_WORLD ? V.v : none};
}

static cardan_twist local_twist(const cardan_model *model, const cardan_data *data, int frame)
{
  const cardan_frame *f = &model->frame[frame];
  return cardan__twist_to_child(&f->X_BF, data->V[f->body]); // (E1)
}

cardan_twist cardan_frame_twist(const cardan_model *model, const cardan_data *data, int frame,
                                cardan_axes axes)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  const cardan_xform E = cardan__axes_from(model, data, frame, axes);
  return cardan__twist_to_parent(&E, local_twist(model, data, frame));
}

cardan_twist cardan_relative_twist(const cardan_model *model, const cardan_data *data,
                                   int reference, int frame, cardan_axes axes)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  const cardan_xform E = axes_from(model, data, reference, frame, axes);
  const cardan_xform T_RF = pose_in(model, data, reference, frame);
  const cardan_twist carried = cardan__twist_to_child(&T_RF, local_twist(model, data, reference));
  return cardan__twist_to_parent(&E, cardan__twist_sub(local_twist(model, data, frame), carried));
}

/* (E4), (E5); a NULL: none. */
static cardan_twist rate(const cardan_model *model, const cardan_data *data, int frame,
                         cardan_axes axes, const double *a)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  const cardan_frame *f = &model->frame[frame];
  const cardan_vec3 w = data->V[f->body].w;
  const cardan_twist V = local_twist(model, data, frame);
  cardan_xform T = f->X_BF; // frame coordinates to coordinates of body i
  const cardan_vec3 centripetal = cardan__vec3_cross(w, cardan__vec3_cross(w, T.p));
  cardan_twist A = {.v = cardan__mat3_tmulv(&T.R, centripetal)};
  for (int i = f->body; i > 0; i = model->body[i].parent) {
    const cardan_body *b = &model->body[i];
    const double *q = data->q + b->qadr;
    cardan_twist c = cardan__velocity_product(b, &data->X[i], data->V[b->parent].w, data->V[i].w, q,
                                              data->v + b->vadr);
    if (a != NULL) {
      c = cardan__twist_add(c, cardan__joint_twist_at(b, q, a + b->vadr));
    }
    A = cardan__twist_add(A, cardan__twist_to_child(&T, c)); // (E4)
    T = cardan__xform_mul(&data->X[i], &T);
  }
  A.v = cardan__vec3_sub(A.v, cardan__vec3_cross(V.w, V.v));
  A = cardan__twist_add(A, cardan__twist_cross(axes_turn(V, axes), V)); // (E5)
  const cardan_xform E = cardan__axes_from(model, data, frame, axes);
  return cardan__twist_to_parent(&E, A);
}

cardan_twist cardan_frame_acceleration(const cardan_model *model, const cardan_data *data,
                                       int frame, cardan_axes axes)
{
  return rate(model, data, frame, axes, data->a);
}

cardan_twist cardan_frame_bias(const cardan_model *model, const cardan_data *data, int frame,
                               cardan_axes axes)
{
  return rate(model, data, frame, axes, NULL);
}

/* Column k of J (6 x nv) += scale x. */
static void add_column(double *J, size_t nv, int k, double scale, cardan_twist x)
{
  const double column[6] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
  for (size_t r = 0; r < 6; r++) {
    J[r * nv + (size_t)k] += scale * column[r];
  }
}

/* J += scale Ad_E times the Jacobian (E2) of the twist, at the place F, of the body that F is fixed
 * to: T_BF. */
static void add_jacobian(const cardan_model *model, const cardan_data *data, int body,
                         cardan_xform T, const cardan_xform *E, double scale, double *J)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_JOINTS);
  for (int i = body; i > 0; i = model->body[i].parent) {
    const cardan_body *b = &model->body[i];
    for (int k = 0; k < b->nv; k++) {
      const cardan_twist s =
          cardan__twist_to_child(&T, cardan__joint_axis_at(b, data->q + b->qadr, k));
      add_column(J, (size_t)model->nv, b->vadr + k, scale, cardan__twist_to_parent(E, s));
    }
    T = cardan__xform_mul(&data->X[i], &T);
  }
}

void cardan_frame_jacobian(const cardan_model *model, const cardan_data *data, int frame,
                           cardan_axes axes, double *J)
{
  const cardan_frame *f = &model->frame[frame];
  const cardan_xform E = cardan__axes_from(model, data, frame, axes);
  memset(J, 0, 6 * (size_t)model->nv * sizeof *J);
  add_jacobian(model, data, f->body, f->X_BF, &E, 1, J);
}

void cardan_relative_jacobian(const cardan_model *model, const cardan_data *data, int reference,
                              int frame, cardan_axes axes, double *J)
{
  const cardan_frame *f = &model->frame[frame], *r = &model->frame[reference];
  const cardan_xform E = axes_from(model, data, reference, frame, axes);
  const cardan_xform T_RF = pose_in(model, data, reference, frame);
  memset(J, 0, 6 * (size_t)model->nv * sizeof *J);
  add_jacobian(model, data, f->body, f->X_BF, &E, 1, J);
  add_jacobian(model, data, r->body, cardan__xform_mul(&r->X_BF, &T_RF), &E, -1, J);
}

void cardan_frame_jacobian_rate(const cardan_model *model, const cardan_data *data, int frame,
                                cardan_axes axes, double *J_rate)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  const cardan_frame *f = &model->frame[frame];
  const cardan_xform E = cardan__axes_from(model, data, frame, axes);
  const cardan_twist V = local_twist(model, data, frame), Y = axes_turn(V, axes);
  cardan_xform T = f->X_BF; // frame coordinates to coordinates of body i
  memset(J_rate, 0, 6 * (size_t)model->nv * sizeof *J_rate);
  for (int i = f->body; i > 0; i = model->body[i].parent) {
    const cardan_body *b = &model->body[i];
    const double *q = data->q + b->qadr;
    // s x U + Y x s = (Y - U) x s
    const cardan_twist U = cardan__twist_sub(V, cardan__twist_to_child(&T, data->V[i]));
    const cardan_twist turn = cardan__twist_sub(Y, U);
    for (int k = 0; k < b->nv; k++) {
      const cardan_twist s = cardan__twist_to_child(&T, cardan__joint_axis_at(b, q, k));
      cardan_twist x = cardan__twist_cross(turn, s); // (E3), (E5)
      if (!cardan__joint_is_constant(b)) {
        const cardan_twist slope = cardan__joint_ops_of(b->kind)->slope(b, q);
        x = cardan__twist_axpy(data->v[b->vadr], cardan__twist_to_child(&T, slope), x);
      }
      add_column(J_rate, (size_t)model->nv, b->vadr + k, 1, cardan__twist_to_parent(&E, x));
    }
    T = cardan__xform_mul(&data->X[i], &T);
  }
}
