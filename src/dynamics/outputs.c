// SPDX-License-Identifier: Apache-2.0
#include "dynamics/outputs.h"

#include <string.h>

#include "expr/expr.h"
#include "kinematics/view.h"
#include "model/build.h"
#include "model/data.h"

/* Outputs: expressions that also read what a sensor measures. Their sensor leaves are evaluated
 * here, the others in kinematics/leaves.c, as for all expressions. */

static double get_component(cardan_vec3 a, int k)
{
  return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

/* Component k of a frame's orientation, a unit quaternion with w >= 0. */
static double get_quaternion(const cardan_model *model, const cardan_data *data, int frame, int k)
{
  const cardan_xform T = cardan_frame_pose(model, data, frame);
  const cardan_quat e = cardan__quat_from_mat3(&T.R);
  const double value = k == 0 ? e.w : k == 1 ? e.x : k == 2 ? e.y : e.z;
  return e.w < 0.0 ? -value : value;
}

/* Centre of mass of a body and its subtree, in the world; of body 0: of all that moves. */
static cardan_vec3 find_centre_of_mass(const cardan_model *model, const cardan_data *data, int body)
{
  cardan_vec3 sum = {0, 0, 0};
  double mass = 0;
  for (int i = 1; i < model->nbody; i++) {
    int above = i;
    while (above > body) {
      above = model->body[above].parent;
    }
    if (above == body) {
      const cardan_inertia *I = &model->body[i].inertia;
      const cardan_vec3 h = cardan__mat3_mulv(&data->X_W[i].R, I->h);
      sum = cardan__vec3_add(sum, cardan__vec3_axpy(I->m, data->X_W[i].p, h));
      mass += I->m;
    }
  }
  return cardan__vec3_scale(1.0 / mass, sum);
}

/* What an accelerometer in a frame reads: the acceleration of its origin less gravity. */
static cardan_vec3 measure_acceleration(const cardan_model *model, const cardan_data *data,
                                        int frame)
{
  const cardan_twist A = cardan_frame_acceleration(model, data, frame, CARDAN_ALIGNED);
  const cardan_xform T = cardan_frame_pose(model, data, frame);
  return cardan__mat3_tmulv(&T.R, cardan__vec3_sub(A.v, model->gravity));
}

/* Energies and driver forces, computed before the scratch of expressions is in use. */
typedef struct {
  double kinetic, potential;
  const double *driver;
} whole;

static double read_sensor(const cardan_model *model, const cardan_data *data, const whole *w,
                          const cardan__leaf_ref *leaf)
{
  const int s = leaf->axis, i = leaf->index;
  if (s >= CARDAN__SENSE_LAMBDA) {
    return data->lambda[i];
  }
  if (s == CARDAN__SENSE_DRIVER) {
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): not NULL where an output reads it
    return w->driver[i];
  }
  if (s > CARDAN__SENSE_DRIVER) {
    return s == CARDAN__SENSE_KINETIC ? w->kinetic : w->potential;
  }
  if (s >= CARDAN__SENSE_COM) {
    return get_component(find_centre_of_mass(model, data, model->frame[i].body),
                         s - CARDAN__SENSE_COM);
  }
  if (s >= CARDAN__SENSE_ACC) {
    return get_component(measure_acceleration(model, data, i), s - CARDAN__SENSE_ACC);
  }
  if (s >= CARDAN__SENSE_VEL) {
    return get_component(cardan_frame_twist(model, data, i, CARDAN_LOCAL).v, s - CARDAN__SENSE_VEL);
  }
  if (s >= CARDAN__SENSE_GYRO) {
    return get_component(cardan_frame_twist(model, data, i, CARDAN_LOCAL).w,
                         s - CARDAN__SENSE_GYRO);
  }
  if (s >= CARDAN__SENSE_TURN) {
    return get_quaternion(model, data, i, s - CARDAN__SENSE_TURN);
  }
  return get_component(cardan_frame_acceleration(model, data, i, CARDAN_ALIGNED).v,
                       s - CARDAN__SENSE_A);
}

/* Values of all leaves of an expression, x: nleaf, out. */
static void fill_leaves(const cardan_model *model, const cardan_data *data,
                        const cardan__view *view, const whole *w, const cardan_bound_expr *e,
                        double *x)
{
  cardan__leaf_values(model, view, e, x, NULL, NULL);
  for (int i = 0; i < e->nleaf; i++) {
    if (e->leaf[i].kind == CARDAN__LEAF_SENSE) {
      x[i] = read_sensor(model, data, w, &e->leaf[i]);
    }
  }
}

/* Does the expression have a sensor leaf for which this holds? */
static bool reads(const cardan_bound_expr *e, bool (*holds)(int sense))
{
  bool any = false;
  for (int i = 0; i < e->nleaf; i++) {
    any = any || (e->leaf[i].kind == CARDAN__LEAF_SENSE && holds(e->leaf[i].axis));
  }
  return any;
}

/* Does an output have one? */
static bool any_sense(const cardan_model *model, bool (*holds)(int sense))
{
  bool any = false;
  for (int k = 0; k < model->ny; k++) {
    any = any || reads(&model->expr[model->output[k].expr], holds);
  }
  return any;
}

bool cardan__outputs_need_forward(const cardan_model *model)
{
  return any_sense(model, cardan__sense_needs_forward);
}

static bool is_driver(int s)
{
  return s == CARDAN__SENSE_DRIVER;
}

static bool is_energy(int s)
{
  return s == CARDAN__SENSE_KINETIC || s == CARDAN__SENSE_POTENTIAL;
}

double cardan__sensed(const cardan_model *model, cardan_data *data, int index)
{
  const cardan_bound_expr *e = &model->expr[index];
  const bool energy = reads(e, is_energy);
  const whole w = {.kinetic = energy ? cardan_kinetic(model, data) : 0.0,
                   .potential = energy ? cardan_potential(model, data) : 0.0};
  const cardan__view view = cardan__data_view(model, data);
  double *x = view.work, *work = x + 8 * model->max_leaf;
  fill_leaves(model, data, &view, &w, e, x);
  return cardan__expr_value(e->expr, x, work);
}

void cardan__outputs(const cardan_model *model, cardan_data *data, const double *driver)
{
  const bool energy = any_sense(model, is_energy);
  const whole w = {.kinetic = energy ? cardan_kinetic(model, data) : 0.0,
                   .potential = energy ? cardan_potential(model, data) : 0.0,
                   .driver = driver};
  const cardan__view view = cardan__data_view(model, data);
  double *x = view.work, *work = x + 8 * model->max_leaf;
  for (int k = 0; k < model->ny; k++) {
    const cardan_bound_expr *e = &model->expr[model->output[k].expr];
    fill_leaves(model, data, &view, &w, e, x);
    data->y[k] = cardan__expr_value(e->expr, x, work);
  }
}

cardan_status cardan_outputs(const cardan_model *model, cardan_data *data)
{
  if (!cardan__outputs_need_forward(model)) {
    cardan_kinematics(model, data);
  } else {
    const cardan_status status = cardan_forward(model, data, 0.0, 0.0);
    if (status != CARDAN_OK) {
      return status;
    }
    cardan_poses(model, data);
    if (any_sense(model, is_driver)) {
      cardan_driver_forces(model, data, data->driver);
    }
  }
  cardan__outputs(model, data, data->driver);
  return CARDAN_OK;
}

/* ---- derivatives ---- */

static bool is_twist(int s)
{
  return s >= CARDAN__SENSE_GYRO && s < CARDAN__SENSE_ACC;
}

/* Can the output be differentiated exactly? */
static bool is_exact(const cardan_bound_expr *e)
{
  bool exact = true;
  for (int i = 0; i < e->nleaf; i++) {
    exact = exact && (e->leaf[i].kind != CARDAN__LEAF_SENSE || is_twist(e->leaf[i].axis));
  }
  return exact;
}

static void add_row(int n, double factor, const double *row, double *to)
{
  for (int j = 0; j < n; j++) {
    to[j] += factor * row[j];
  }
}

/* A part of a frame's twist: by v its Jacobian J, by q the rate of J along each direction, times v.
 * data->y_work: 6 nv for J, nv for v. */
static void add_twist(const cardan_model *model, cardan_data *data, const cardan__leaf_ref *leaf,
                      double g, double *y_dq, double *y_dv)
{
  const bool local = leaf->kind == CARDAN__LEAF_SENSE;
  const int first = local ? CARDAN__SENSE_GYRO : CARDAN__SENSE_V;
  const cardan_axes axes = local ? CARDAN_LOCAL : CARDAN_ALIGNED;
  // leaves of velocities list the linear part first, sensors the angular part, as the Jacobian does
  const int row = local ? leaf->axis - first : (leaf->axis - first + 3) % 6, nv = model->nv;
  double *J = data->y_work, *v = J + 6 * nv;
  cardan_frame_jacobian(model, data, leaf->index, axes, J);
  add_row(nv, g, J + (size_t)row * (size_t)nv, y_dv);
  memcpy(v, data->v, (size_t)nv * sizeof *v);
  for (int j = 0; j < nv; j++) {
    memset(data->v, 0, (size_t)nv * sizeof *v);
    data->v[j] = 1.0;
    cardan_velocities(model, data);
    cardan_frame_jacobian_rate(model, data, leaf->index, axes, J);
    for (int i = 0; i < nv; i++) {
      y_dq[j] += g * J[row * nv + i] * v[i];
    }
  }
  memcpy(data->v, v, (size_t)nv * sizeof *v);
  cardan_velocities(model, data);
}

static void add_leaf(const cardan_model *model, cardan_data *data, const cardan__leaf_ref *leaf,
                     double g, double *y_dq, double *y_dv)
{
  double coef[6];
  int at;
  if (leaf->kind == CARDAN__LEAF_Q) {
    const int n = cardan__q_rate(model, data->q, leaf->index, &at, coef);
    add_row(n, g, coef, y_dq + at);
  } else if (leaf->kind == CARDAN__LEAF_V) {
    y_dv[leaf->index] += g;
  } else if (leaf->kind == CARDAN__LEAF_FRAME) {
    cardan_frame_jacobian(model, data, leaf->index, CARDAN_ALIGNED, data->y_work);
    add_row(model->nv, g, data->y_work + (size_t)(3 + leaf->axis) * (size_t)model->nv, y_dq);
  } else if (leaf->kind == CARDAN__LEAF_TURN) {
    const cardan__view view = cardan__data_view(model, data);
    cardan_vec3 axis, along;
    const cardan_vec3 m =
        cardan__turn_moment(&model->frame[leaf->index], &view, leaf->axis, &axis, &along);
    cardan_frame_jacobian(model, data, leaf->index, CARDAN_ALIGNED, data->y_work);
    for (int k = 0; k < 3; k++) {
      add_row(model->nv, g * get_component(m, k), data->y_work + (size_t)k * (size_t)model->nv,
              y_dq);
    }
  } else if (leaf->kind == CARDAN__LEAF_SENSE || leaf->kind == CARDAN__LEAF_TWIST) {
    add_twist(model, data, leaf, g, y_dq, y_dv);
  }
}

bool cardan__expr_slopes(const cardan_model *model, cardan_data *data, int index, double *y_dq,
                         double *y_dv, double *y_du)
{
  const cardan_bound_expr *e = &model->expr[index];
  const cardan__view view = cardan__data_view(model, data);
  const size_t nv = (size_t)model->nv;
  memset(y_dq, 0, nv * sizeof *y_dq);
  memset(y_dv, 0, nv * sizeof *y_dv);
  if (y_du != NULL) {
    memset(y_du, 0, (size_t)(model->ninput + model->nz) * sizeof *y_du);
  }
  if (!is_exact(e)) {
    return false;
  }
  cardan_kinematics(model, data);
  double *x = view.work, *g = x + model->max_leaf, *work = x + 8 * model->max_leaf;
  const whole w = {0};
  fill_leaves(model, data, &view, &w, e, x);
  cardan__expr_gradient(e->expr, x, work, g);
  for (int i = 0; i < e->nleaf; i++) {
    const int u = e->leaf[i].index;
    if (e->leaf[i].kind != CARDAN__LEAF_U) {
      add_leaf(model, data, &e->leaf[i], g[i], y_dq, y_dv);
    } else if (y_du != NULL &&
               cardan__input_at(model, &view, u) == data->u[u]) { // no limit holds it
      y_du[u] += g[i];
    }
  }
  return true;
}

bool cardan_output_slopes(const cardan_model *model, cardan_data *data, int output, double *y_dq,
                          double *y_dv)
{
  return cardan__expr_slopes(model, data, model->output[output].expr, y_dq, y_dv, NULL);
}
