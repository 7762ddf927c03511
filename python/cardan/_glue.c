// SPDX-License-Identifier: Apache-2.0
#include "_glue.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Are t, q, v those that were seen, to the bit? */
static bool is_seen(const cardan_model *model, const cardan_data *data, const double *seen)
{
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits are meant
  return memcmp(seen, &data->t, sizeof data->t) == 0 &&
         memcmp(seen + 1, data->q, nq * sizeof *seen) == 0 &&
         memcmp(seen + 1 + nq, data->v, nv * sizeof *seen) == 0;
}

int64_t cardan_py_not_finite(const double *x, int64_t n)
{
  for (int64_t k = 0; k < n; k++) {
    if (!isfinite(x[k])) {
      return k;
    }
  }
  return -1;
}

/* The index in q of the quaternion of body i, or of the first body after it that has one; -1: none
 * has. *i is its body. */
static int quaternion(const cardan_model *model, int *i)
{
  for (; *i < model->nbody && model->nmulti > 0; ++*i) {
    const cardan_body *body = &model->body[*i];
    if (body->nq > body->nv) {
      return body->qadr + body->nq - 4;
    }
  }
  return -1;
}

/* The largest of a quaternion's numbers, without its sign. */
static double largest(const double *e)
{
  return fmax(fmax(fabs(e[0]), fabs(e[1])), fmax(fabs(e[2]), fabs(e[3])));
}

/* The index in q of a quaternion of length 0; -1: there is none. */
static int64_t no_attitude(const cardan_model *model, const double *q)
{
  int i = 1, at = quaternion(model, &i);
  while (at >= 0 && largest(q + at) > 0) {
    i++;
    at = quaternion(model, &i);
  }
  return at;
}

static void make_unit(double *e)
{
  const double size = largest(e);
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    sum += e[k] / size * (e[k] / size);
  }
  const double length = size * sqrt(sum);
  for (int k = 0; k < 4 && fabs(length - 1) > 4 * DBL_EPSILON; k++) {
    e[k] /= length;
  }
}

bool cardan_py_unit(const cardan_model *model, int64_t n, double *q)
{
  bool is_good = true;
  for (double *row = q; row != q + n * model->nq; row += model->nq) {
    for (int i = 1, at; (at = quaternion(model, &i)) >= 0; i++) {
      if (largest(row + at) > 0) {
        make_unit(row + at);
      } else {
        is_good = false;
      }
    }
  }
  return is_good;
}

/* The first of t, q, v that cannot be: as cardan_py_fresh returns it. */
static int64_t fault_of(const cardan_model *model, const cardan_data *data)
{
  if (!isfinite(data->t)) {
    return 0;
  }
  int64_t at = cardan_py_not_finite(data->q, model->nq);
  at = at >= 0 ? at : no_attitude(model, data->q);
  if (at >= 0) {
    return 1 + at;
  }
  at = cardan_py_not_finite(data->v, model->nv);
  return at >= 0 ? 1 + model->nq + at : -1;
}

int64_t cardan_py_fresh(const cardan_model *model, cardan_data *data, double *seen)
{
  const unsigned made =
      CARDAN_FRESH_JOINTS | CARDAN_FRESH_POSES | CARDAN_FRESH_VELOCITIES | CARDAN_FRESH_BIAS;
  if ((data->fresh & made) == made && is_seen(model, data, seen)) {
    return -1;
  }
  const int64_t fault = fault_of(model, data);
  if (fault >= 0) {
    return fault;
  }
  cardan_kinematics(model, data); // sets prescribed coordinates
  seen[0] = data->t;
  memcpy(seen + 1, data->q, (size_t)model->nq * sizeof *seen);
  memcpy(seen + 1 + model->nq, data->v, (size_t)model->nv * sizeof *seen);
  return -1;
}

int64_t cardan_py_inverse(const cardan_model *model, cardan_data *data, const double *a,
                          double *tau)
{
  int64_t fault = fault_of(model, data);
  if (fault < 0) {
    fault = cardan_py_not_finite(a, model->nv);
    fault += fault >= 0 ? 1 + model->nq + model->nv : 0;
  }
  if (fault >= 0) {
    return fault;
  }
  cardan_prescribe(model, data);
  memset(data->f_ext, 0, (size_t)model->nbody * sizeof *data->f_ext);
  cardan_inverse(model, data, a, tau);
  return -1;
}

void cardan_py_inverse_forced(const cardan_model *model, cardan_data *data, const double *a,
                              double *tau)
{
  cardan_forces(model, data);
  for (int i = 1; i < model->nbody; i++) {
    const cardan_force in = data->f_in[i];
    cardan_force *f = &data->f_ext[i];
    *f = (cardan_force){{f->t.x + in.t.x, f->t.y + in.t.y, f->t.z + in.t.z},
                        {f->f.x + in.f.x, f->f.y + in.f.y, f->f.z + in.f.z}};
  }
  cardan_rnea(model, data, a, tau);
  for (int k = 0; k < model->nv; k++) {
    tau[k] -= data->tau[k] + data->tau_in[k];
  }
}

static cardan_xform pose_of(const cardan_model *model, const cardan_data *data, int reference,
                            int frame)
{
  const cardan_xform X_WF = cardan_frame_pose(model, data, frame);
  if (reference == 0) {
    return X_WF;
  }
  const cardan_xform X_WR = cardan_frame_pose(model, data, reference);
  const cardan_xform X_RW = cardan_xform_inverse(&X_WR);
  return cardan_xform_mul(&X_RW, &X_WF);
}

void cardan_py_pose(const cardan_model *model, const cardan_data *data, int reference, int frame,
                    double *pose)
{
  const cardan_xform X = pose_of(model, data, reference, frame);
  const double p[3] = {X.p.x, X.p.y, X.p.z};
  for (int i = 0; i < 3; i++) {
    memcpy(pose + 4 * i, X.R.m[i], sizeof X.R.m[i]);
    pose[4 * i + 3] = p[i];
  }
  memcpy(pose + 12, (const double[4]){0, 0, 0, 1}, 4 * sizeof *pose);
}

void cardan_py_twist(const cardan_model *model, const cardan_data *data, int reference, int frame,
                     cardan_axes axes, double *twist)
{
  const cardan_twist V = reference == 0
                             ? cardan_frame_twist(model, data, frame, axes)
                             : cardan_relative_twist(model, data, reference, frame, axes);
  memcpy(twist, &V, sizeof V);
}

void cardan_py_acceleration(const cardan_model *model, const cardan_data *data, int frame,
                            cardan_axes axes, double *rate)
{
  const cardan_twist A = cardan_frame_acceleration(model, data, frame, axes);
  memcpy(rate, &A, sizeof A);
}

void cardan_py_bias(const cardan_model *model, const cardan_data *data, int frame, cardan_axes axes,
                    double *rate)
{
  const cardan_twist A = cardan_frame_bias(model, data, frame, axes);
  memcpy(rate, &A, sizeof A);
}
