// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/reactions.h"
#include "dynamics/rnea.h"
#include "kinematics/joint.h"
#include "model/data.h"
#include "model/joint_table.h"

/* Joint reactions and driver forces: inverse dynamics of the motion that cardan_forward found, with
 * the wrenches of the constraints among the applied ones. What the recursion then carries through a
 * joint is its reaction, plus what acts along its motion: joint torques, friction and drivers. */

void cardan__joint_wrenches(const cardan_model *model, cardan_data *data, double *tau)
{
  const cardan__rowset set = cardan__model_rows(model);
  cardan_force *f = data->p; // scratch of the recursions
  double *Jt_lambda = data->rest;
  memcpy(f, data->f_ext, (size_t)model->nbody * sizeof *f);
  memset(Jt_lambda, 0, (size_t)model->nv * sizeof *Jt_lambda);
  cardan__rows_transpose(&set, &data->rows, data->lambda, f, Jt_lambda);
  cardan__rnea(model, data, f, data->a, tau);
  for (int k = 0; k < model->nv; k++) {
    tau[k] -= Jt_lambda[k];
  }
}

/* Takes the part along the unit vector e out of x. */
static cardan_vec3 without(cardan_vec3 x, cardan_vec3 e)
{
  return cardan__vec3_axpy(-cardan__vec3_dot(x, e), e, x);
}

/* Takes out of F (child's axes; R takes them to the body's) what works in a joint without an axis
 * about or along z: all torques of a ball, all of a free joint, the part along S of others. */
static cardan_force without_motion(const cardan_body *b, const double *q, const cardan_mat3 *R,
                                   cardan_force F)
{
  const cardan_vec3 none = {0, 0, 0};
  if (b->nv > 1) {
    return (cardan_force){.t = none, .f = b->nv > 3 ? none : F.f};
  }
  const cardan_twist S = cardan__joint_axis_at(b, q, 0);
  const cardan_twist in = {.w = cardan__mat3_tmulv(R, S.w), .v = cardan__mat3_tmulv(R, S.v)};
  const double k =
      -cardan__power(in, F) / (cardan__vec3_dot(S.w, S.w) + cardan__vec3_dot(S.v, S.v));
  return cardan__force_axpy(k, (cardan_force){.t = in.w, .f = in.v}, F);
}

/* The part of a wrench (child's frame) that does no work in the joint: torque across its axes of
 * rotation, force across its directions of translation. */
static cardan_force across_motion(const cardan_model *model, const cardan_data *data,
                                  const cardan_joint *j, cardan_force F)
{
  cardan_mat3 R = model->frame[j->frame].X_BF.R; // child frame to body i
  cardan_vec3 turn[3];
  int nturn = 0;
  for (int i = j->last; i >= j->first; i--) {
    const cardan_vec3 z = cardan__mat3_row(&R, 2); // z of body i in the child's axes
    const cardan_body *b = &model->body[i];
    const cardan__link_type *type = cardan__link_type_of(b->kind);
    if (!type->has_axis) {
      F = without_motion(b, data->q + b->qadr, &R, F);
    } else if (type->nslide > 0) {
      F.f = without(F.f, z);
    } else if (type->screw) { // t.z + pitch f.z = 0: the thread turns thrust into torque
      F.t = cardan__vec3_axpy(-b->pitch * cardan__vec3_dot(F.f, z), z, without(F.t, z));
    } else { // axes of a universal joint need not be perpendicular
      cardan_vec3 e = z;
      for (int k = 0; k < nturn; k++) {
        e = without(e, turn[k]);
      }
      turn[nturn] = cardan__vec3_normalize(e);
      F.t = without(F.t, turn[nturn++]);
    }
    R = cardan__mat3_mul(&data->X[i].R, &R);
  }
  return F;
}

void cardan__reactions_from(const cardan_model *model, const cardan_data *data,
                            cardan_force *reaction)
{
  for (int i = 0; i < model->njoint; i++) {
    const cardan_joint *j = &model->joint[i];
    const cardan_force F = cardan__force_to_child(&model->frame[j->frame].X_BF, data->f[j->last]);
    reaction[i] = across_motion(model, data, j, F);
  }
}

void cardan_reactions(const cardan_model *model, cardan_data *data, cardan_force *reaction)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_FORWARD);
  cardan__joint_wrenches(model, data, data->tau_work);
  cardan__reactions_from(model, data, reaction);
}

void cardan_driver_forces(const cardan_model *model, cardan_data *data, double *force)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_FORWARD);
  cardan__joint_wrenches(model, data, data->tau_work);
  for (int i = 0; i < model->njoint; i++) {
    const cardan_joint *j = &model->joint[i];
    force[i] = j->kinematic ? data->tau_work[j->vadr] - data->tau[j->vadr] : 0;
  }
  for (int c = 0; c < model->nconstraint; c++) {
    if (model->constraint[c].kind == CARDAN_ELEMENT_MOTION) {
      const int row = model->constraint[c].row;
      const int joint = model->body[model->q_body[model->row[row].var[0]]].joint;
      force[joint] += data->lambda[row];
    }
  }
}
