// SPDX-License-Identifier: Apache-2.0
#include "dynamics/friction_boxes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamics/aba.h"
#include "dynamics/factor.h"
#include "dynamics/rnea.h"
#include "forces/friction_prediction.h"
#include "model/data.h"

/* Dry friction of given size as boxes, for accelerations, by an active set over the articulated
 * body algorithm. With the velocities w that friction sees, and the forces tau of all else,
 *   M a + c = tau - g,   w = v + ahead a,
 *   |g_k| <= bound_k,   w_k = 0, or g_k = bound_k sign(w_k)                                   (B1)
 * Which joints are held, and which way the others slide, is what it was at the last evaluation, at
 * first the way of v. Joints that are held have a given acceleration, a_k = -v_k / ahead, and an
 * infinite armature, so that the factorisation treats them as prescribed; the others are loaded by
 * their bound. One solve in O(n) makes a, and
 *   g_k = tau_k - S^T (I A + p) - (armature) a_k                                              (B2)
 * of the joints that are held. Where (B1) does not hold, all joints that contradict it change; from
 * a few rounds on, the first of them alone: as M is positive definite that ends (K. G. Murty,
 * Linear Complementarity, Linear and Nonlinear Programming, 1988, ch. 4). The answer is unique, and
 * the same to the bit from any start, but where a force is its bound to rounding. */

enum { TOGETHER = 8, MOST = 1000 };           // rounds in which all change; of all rounds
static const double slack = 64 * DBL_EPSILON; // of bounds and velocities: rounding

bool cardan__friction_has_boxes(const cardan_data *data)
{
  return data->prediction != NULL && data->prediction->boxes.ahead > 0 &&
         data->prediction->boxes.n > 0;
}

/* Bounds of the boxes, which may have changed, to friction too. */
static void set_bounds(const cardan_model *model, cardan_data *data)
{
  const cardan__friction_boxes *b = &data->prediction->boxes;
  for (int j = 0; j < b->n; j++) {
    b->bound[j] = 0;
  }
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    data->friction[i] = e->flags & CARDAN_FORCE_FRICTION ? e->value[0] : 0;
    for (int j = 0; j < b->n && data->friction[i] > 0; j++) {
      b->bound[j] += e->dof == b->velocity[j] ? e->value[0] : 0;
    }
  }
}

/* Armatures, given accelerations and joint forces of the sides as they are. */
static void set_joints(const cardan_model *model, cardan_data *data)
{
  const cardan__friction_boxes *b = &data->prediction->boxes;
  memcpy(b->armature, model->armature, (size_t)model->nv * sizeof *b->armature);
  memset(b->given, 0, (size_t)model->nv * sizeof *b->given);
  for (int i = 0; i < model->nprescribed; i++) {
    const int k = model->body[model->prescribed[i].body].vadr;
    b->given[k] = data->a[k];
  }
  for (int j = 0; j < b->n; j++) {
    const int k = b->velocity[j];
    data->tau[k] = b->load[k] - b->side[j] * b->bound[j];
    if (b->side[j] == 0) {
      b->armature[k] = HUGE_VAL;
      b->given[k] = -data->v[k] / b->ahead;
    }
  }
}

/* a with the sides as they are. */
static cardan_status solve(const cardan_model *model, cardan_data *data)
{
  const cardan__friction_boxes *b = &data->prediction->boxes;
  set_joints(model, data);
  cardan__bias_wrenches_given(model, data, b->given);
  data->armature = b->armature;
  const cardan_status status = cardan__factor_reduce(model, data, data->tau);
  data->armature = model->armature;
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__aba_finish(model, data, data->a);
  for (int j = 0; j < b->n; j++) {
    const int k = b->velocity[j];
    data->a[k] = b->side[j] == 0 ? b->given[k] : data->a[k];
  }
  return CARDAN_OK;
}

/* g of box j, which is held (B2). */
static double holding_force(const cardan_model *model, const cardan_data *data, int j)
{
  const int k = data->prediction->boxes.velocity[j], i = model->v_body[k];
  return data->rest[k] - cardan__power(data->A[i], data->factor[i].U) -
         model->armature[k] * data->a[k];
}

/* The side that box j should be on, by (B1). */
static int side_of(const cardan_model *model, const cardan_data *data, int j)
{
  const cardan__friction_boxes *b = &data->prediction->boxes;
  const int k = b->velocity[j];
  if (b->side[j] == 0) {
    const double g = holding_force(model, data, j);
    return fabs(g) <= (1 + slack) * b->bound[j] ? 0 : g > 0 ? 1 : -1;
  }
  const double change = b->ahead * data->a[k], w = data->v[k] + change;
  const bool turns = b->side[j] * w < -slack * (fabs(data->v[k]) + fabs(change));
  return turns ? 0 : b->side[j];
}

/* Sides change to what they should be, all or the first; returns it, -1: none does. */
static int change_sides(const cardan_model *model, const cardan_data *data, bool all)
{
  const cardan__friction_boxes *b = &data->prediction->boxes;
  int first = -1;
  for (int j = 0; j < b->n && (all || first < 0); j++) {
    const int side = side_of(model, data, j);
    first = first < 0 && side != b->side[j] ? j : first;
    b->side[j] = side;
  }
  return first;
}

static cardan_status no_convergence(const cardan_model *model, cardan_data *data, int j)
{
  const int body = model->v_body[data->prediction->boxes.velocity[j]];
  cardan_info *info = &data->info;
  *info =
      (cardan_info){.body = body, .joint = model->body[body].joint, .row = -1, .iterations = MOST};
  snprintf(info->message, sizeof info->message,
           "which joints dry friction holds was not found in %d rounds, at last joint \"%.60s\"",
           MOST, model->joint[info->joint].name);
  return CARDAN_ERR_NO_CONVERGENCE;
}

/* tau with the friction that was found, and friction_tau. */
static void add_friction(const cardan_model *model, cardan_data *data)
{
  const cardan__friction_boxes *b = &data->prediction->boxes;
  memset(data->friction_tau, 0, (size_t)model->nv * sizeof *data->friction_tau);
  for (int j = 0; j < b->n; j++) {
    const int k = b->velocity[j];
    const double g = b->side[j] == 0 ? holding_force(model, data, j) : b->side[j] * b->bound[j];
    data->friction_tau[k] = -g;
    data->tau[k] = b->load[k] - g;
  }
}

cardan_status cardan__friction_box_accelerations(const cardan_model *model, cardan_data *data)
{
  const cardan__friction_boxes *b = &data->prediction->boxes;
  memcpy(b->load, data->tau, (size_t)model->nv * sizeof *b->load);
  set_bounds(model, data);
  cardan_status status = solve(model, data);
  for (int round = 1; status == CARDAN_OK; round++) {
    const int first = change_sides(model, data, round <= TOGETHER);
    if (first < 0) {
      break;
    }
    status = round < MOST ? solve(model, data) : no_convergence(model, data, first);
  }
  if (status == CARDAN_OK) {
    add_friction(model, data);
  }
  data->fresh &= ~(unsigned)(CARDAN_FRESH_FACTOR | CARDAN_FRESH_INERTIAS);
  return status;
}
