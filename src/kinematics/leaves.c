// SPDX-License-Identifier: Apache-2.0
#include "expr/expr.h"
#include "kinematics/joint.h"
#include "kinematics/view.h"
#include "model/build.h"
#include "spatial/spatial.h"

/* Leaves of expressions and how they move.
 *
 * Scalar joints have dq/dt = v. With the quaternion e (child to parent), angular velocity w and
 * velocity u of a free joint, both in body axes, and R the matrix of e:
 *   e'  = e (0, w) / 2          e'' = -|w|^2 e / 4        (E1)   at w' = 0
 *   x'  = R u                   x'' = R (w x u)           (E2)   at w' = u' = 0
 * Quaternions count as normalised, as in cardan_joints. */

/* The unit quaternion of a spherical or free body. */
static cardan_quat body_quat(const cardan_body *body, const double *q)
{
  return cardan__quat_normalize(cardan__quat_at(q + body->qadr + cardan__quat_offset(body)));
}

static double quat_part(cardan_quat e, int k)
{
  return k == 0 ? e.w : k == 1 ? e.x : k == 2 ? e.y : e.z;
}

static double vec3_part(cardan_vec3 a, int k)
{
  return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

/* Which component of its body's quaternion coordinate iq is; < 0: not of a quaternion. */
static int quat_index(const cardan_body *body, int iq)
{
  const int first = cardan__quat_offset(body);
  return first < 0 ? -1 : iq - body->qadr - first;
}

int cardan__q_rate(const cardan_model *model, const double *q, int iq, int *vadr, double coef[6])
{
  const cardan_body *body = &model->body[model->q_body[iq]];
  const int k = quat_index(body, iq);
  *vadr = body->vadr;
  if (body->nv == 1) {
    coef[0] = 1.0;
    return 1;
  }
  const cardan_quat e = body_quat(body, q);
  if (k >= 0) {
    // row k of the linear map w -> e (0, w) / 2
    for (int j = 0; j < 3; j++) {
      coef[j] = quat_part(cardan__quat_deriv(e, cardan__vec3(j == 0, j == 1, j == 2)), k);
    }
  } else {
    // row of R for a position of a free joint; its velocity u follows w
    const cardan_mat3 R = cardan__quat_to_mat3(e);
    for (int j = 0; j < 3; j++) {
      coef[j] = R.m[k + 3][j];
    }
    *vadr = body->vadr + 3;
  }
  return 3;
}

void cardan__q_rate_rate(const cardan_model *model, const double *q, const double *v, int iq,
                         double coef[6])
{
  const cardan_body *body = &model->body[model->q_body[iq]];
  const int k = quat_index(body, iq);
  if (body->nv == 1) {
    coef[0] = 0.0;
    return;
  }
  const cardan_quat e = body_quat(body, q);
  const cardan_vec3 w = {v[body->vadr], v[body->vadr + 1], v[body->vadr + 2]};
  if (k >= 0) {
    const cardan_quat e1 = cardan__quat_deriv(e, w); // (E1)
    for (int j = 0; j < 3; j++) {
      coef[j] = quat_part(cardan__quat_deriv(e1, cardan__vec3(j == 0, j == 1, j == 2)), k);
    }
  } else {
    // R' = R w^: its rows are those of R crossed with w
    const cardan_mat3 R = cardan__quat_to_mat3(e);
    const cardan_vec3 row = cardan__vec3_cross(cardan__mat3_row(&R, k + 3), w);
    coef[0] = row.x;
    coef[1] = row.y;
    coef[2] = row.z;
  }
}

/* Prescribed acceleration of velocity k, 0 for a dynamic one. */
static double prescribed(const cardan_model *model, const cardan__view *view, int k)
{
  const bool kinematic = model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
  return kinematic && view->a_prescribed ? view->a_prescribed[k] : 0.0;
}

/* x[0] the coordinate, and with rates also x[1] its first and x[2] its second time derivative. */
static void q_leaf(const cardan_model *model, const cardan__view *view, int iq, bool rates,
                   double x[3])
{
  const cardan_body *body = &model->body[model->q_body[iq]];
  const int k = quat_index(body, iq);
  x[0] = k >= 0 ? quat_part(body_quat(body, view->q), k) : view->q[iq];
  if (!rates) {
    return;
  }
  const double *v = view->v + body->vadr;
  if (body->nv == 1) {
    x[1] = v[0];
    x[2] = prescribed(model, view, body->vadr);
    return;
  }
  const cardan_quat e = body_quat(body, view->q);
  const cardan_vec3 w = {v[0], v[1], v[2]};
  if (k >= 0) {
    x[1] = quat_part(cardan__quat_deriv(e, w), k); // (E1)
    x[2] = -0.25 * cardan__vec3_dot(w, w) * x[0];
  } else {
    const cardan_vec3 u = {v[3], v[4], v[5]};
    x[1] = vec3_part(cardan__quat_rotate(e, u), k + 3); // (E2)
    x[2] = vec3_part(cardan__quat_rotate(e, cardan__vec3_cross(w, u)), k + 3);
  }
}

static void frame_leaf(const cardan_model *model, const cardan__view *view,
                       const cardan__leaf_ref *leaf, bool rates, double x[3])
{
  cardan_vec3 p, v, a;
  cardan__frame_point(&model->frame[leaf->index], view, &p, rates ? &v : NULL, rates ? &a : NULL);
  x[0] = vec3_part(p, leaf->axis);
  if (rates) {
    x[1] = vec3_part(v, leaf->axis);
    x[2] = vec3_part(a, leaf->axis);
  }
}

/* Without a second rate, which rows of velocity level do not need. */
static void twist_leaf(const cardan_model *model, const cardan__view *view,
                       const cardan__leaf_ref *leaf, bool rates, double x[3])
{
  const cardan_frame *frame = &model->frame[leaf->index];
  const cardan_mat3 *R = &view->X_W[frame->body].R;
  cardan_vec3 v, a;
  if (leaf->axis < 3) {
    cardan__frame_point(frame, view, NULL, &v, rates ? &a : NULL);
  } else {
    v = cardan__mat3_mulv(R, view->V[frame->body].w);
    a = rates ? cardan__mat3_mulv(R, view->A0[frame->body].w) : v;
  }
  x[0] = vec3_part(v, leaf->axis % 3);
  x[1] = rates ? vec3_part(a, leaf->axis % 3) : 0.0;
}

static void turn_leaf(const cardan_model *model, const cardan__view *view,
                      const cardan__leaf_ref *leaf, bool rates, double x[3])
{
  const int row = leaf->axis / 3, column = leaf->axis % 3;
  const cardan_vec3 unit = cardan__vec3(column == 0, column == 1, column == 2);
  cardan_vec3 d, d1, d2;
  cardan__frame_axis(&model->frame[leaf->index], view, unit, &d, rates ? &d1 : NULL,
                     rates ? &d2 : NULL);
  x[0] = vec3_part(d, row);
  if (rates) {
    x[1] = vec3_part(d1, row);
    x[2] = vec3_part(d2, row);
  }
}

cardan_vec3 cardan__turn_moment(const cardan_frame *frame, const cardan__view *view, int entry,
                                cardan_vec3 *axis, cardan_vec3 *along)
{
  const int row = entry / 3, column = entry % 3;
  const cardan_vec3 unit = cardan__vec3(column == 0, column == 1, column == 2);
  *along = cardan__vec3(row == 0, row == 1, row == 2);
  cardan__frame_axis(frame, view, unit, axis, NULL, NULL);
  return cardan__vec3_cross(*axis, *along);
}

double cardan__input_at(const cardan_model *model, const cardan__view *view, int index)
{
  const double u = view->u[index];
  if (index >= model->ninput) { // an auxiliary state, or a half turn
    return u;
  }
  const cardan_input_def *input = &model->input[index];
  return !input->has_limit     ? u
         : u < input->limit[0] ? input->limit[0]
         : u > input->limit[1] ? input->limit[1]
                               : u;
}

void cardan__leaf_values(const cardan_model *model, const cardan__view *view,
                         const cardan_bound_expr *e, double *x, double *x1, double *x2)
{
  const bool rates = x1 != NULL;
  for (int i = 0; i < e->nleaf; i++) {
    const cardan__leaf_ref *leaf = &e->leaf[i];
    double value[3] = {0.0, 0.0, 0.0};
    switch (leaf->kind) {
    case CARDAN__LEAF_T:
      value[0] = view->t;
      value[1] = 1.0;
      break;
    case CARDAN__LEAF_Q:
      q_leaf(model, view, leaf->index, rates, value);
      break;
    case CARDAN__LEAF_V:
      value[0] = view->v[leaf->index];
      value[1] = prescribed(model, view, leaf->index);
      break;
    case CARDAN__LEAF_FRAME:
      frame_leaf(model, view, leaf, rates, value);
      break;
    case CARDAN__LEAF_TURN:
      turn_leaf(model, view, leaf, rates, value);
      break;
    case CARDAN__LEAF_TWIST:
      twist_leaf(model, view, leaf, rates, value);
      break;
    case CARDAN__LEAF_U:
      value[0] = cardan__input_at(model, view, leaf->index);
      break;
    case CARDAN__LEAF_Z:         // a U by now (build_expr.c)
    case CARDAN__LEAF_PARAMETER: // a constant by now (cardan__expr_fix)
    case CARDAN__LEAF_SENSE:     // cardan_outputs fills it in
      break;
    }
    x[i] = value[0];
    if (rates) {
      x1[i] = value[1];
      x2[i] = value[2];
    }
  }
}

void cardan__leaf_values_at_rest(const cardan_model *model, const cardan__view *view,
                                 const cardan_bound_expr *e, double *x)
{
  for (int i = 0; i < e->nleaf; i++) {
    const bool velocity =
        e->leaf[i].kind == CARDAN__LEAF_V || e->leaf[i].kind == CARDAN__LEAF_TWIST;
    const cardan_bound_expr one = {.expr = e->expr, .nleaf = 1, .leaf = &e->leaf[i]};
    x[i] = 0.0;
    if (!velocity) {
      cardan__leaf_values(model, view, &one, &x[i], NULL, NULL);
    }
  }
}

double cardan__expr_at(const cardan_model *model, const cardan__view *view, int index)
{
  const cardan_bound_expr *e = &model->expr[index];
  double *x = view->work, *work = x + 8 * model->max_leaf;
  cardan__leaf_values(model, view, e, x, NULL, NULL);
  return cardan__expr_value(e->expr, x, work);
}
