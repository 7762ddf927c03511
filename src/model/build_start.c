// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "model/build.h"
#include "spatial/spatial.h"

/* The start that a model file gives: values and velocities by joint or by coordinate, poses by
 * frame. What is not named is 0, the identity for a quaternion. */

/* Address of a joint's quaternion among its coordinates, -1: it has none. */
static int quaternion_of(const cardan_joint *joint)
{
  const int at = cardan__quat_of(joint->nq, joint->nv);
  return at < 0 ? -1 : joint->qadr + at;
}

/* Whole joint, or one of its coordinates: first q index and how many; the velocities likewise
 * (a single coordinate of a quaternion has no velocity of its own). */
typedef struct {
  int q, nq, v, nv;
} target;

static cardan_status find_target(cardan__build *build, const cardan__spec_initial *from, target *to)
{
  const cardan_model *model = build->model;
  const char *name = from->initial.var;
  const int frame = cardan__names_get(&build->spec->var_names, name);
  if (frame >= 0 && build->frame_joint[frame] >= 0) {
    const cardan_joint *j = &model->joint[build->frame_joint[frame]];
    *to = (target){j->qadr, j->nq, j->vadr, j->nv};
    return CARDAN_OK;
  }
  to->nq = 1;
  const cardan_status status = cardan__build_q(build, name, from->pos, &to->q);
  if (status == CARDAN_OK) {
    const cardan_body *body = &model->body[model->q_body[to->q]];
    to->nv = body->nv == 1;
    to->v = body->vadr;
  }
  return status;
}

/* What is given, to q and v; to: where it stands. */
static cardan_status take_values(cardan__build *build, const cardan__spec_initial *from, double *q,
                                 double *v, target *to)
{
  const cardan_initial *initial = &from->initial;
  const cardan_status status = find_target(build, from, to);
  if (status != CARDAN_OK) {
    return status;
  }
  if (initial->nvalue != 0 && initial->nvalue != to->nq) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, from->pos,
                       "the start of \"%.60s\" has %d values, expected %d", initial->var,
                       initial->nvalue, to->nq);
  }
  if (initial->nvelocity != 0 && initial->nvelocity != to->nv) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, from->pos,
                       "the start of \"%.60s\" has %d velocities, expected %d", initial->var,
                       initial->nvelocity, to->nv);
  }
  memcpy(q + to->q, initial->value, (size_t)initial->nvalue * sizeof *q);
  memcpy(v + to->v, initial->velocity, (size_t)initial->nvelocity * sizeof *v);
  return CARDAN_OK;
}

static cardan_status fill_values(cardan__build *build, const cardan__spec_initial *from)
{
  cardan_model *model = build->model;
  target to;
  const cardan_status status = take_values(build, from, model->q0, model->v0, &to);
  if (status != CARDAN_OK) {
    return status;
  }
  for (int k = 0; k < to.nq; k++) {
    model->q_given[to.q + k] = model->q_given[to.q + k] || from->initial.nvalue > 0;
    model->q_fixed[to.q + k] = model->q_fixed[to.q + k] || from->initial.fixed;
  }
  for (int k = 0; k < from->initial.nvelocity; k++) {
    model->v_given[to.v + k] = true;
  }
  return CARDAN_OK;
}

static cardan_status fill_pose(cardan__build *build, const cardan__spec_initial *from)
{
  cardan_model *model = build->model;
  cardan_pose *pose = &model->pose[model->npose];
  const cardan_status status =
      cardan__build_frame(build, from->initial.frame, from->pos, &pose->frame);
  if (status == CARDAN_OK && model->frame[pose->frame].body == 0) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, from->pos,
                       "frame \"%.60s\" is fixed to the world, expected one that moves",
                       from->initial.frame);
  }
  const double *v = from->initial.velocity;
  pose->X_WF = from->initial.pose;
  pose->moves = from->initial.nvelocity > 0;
  pose->v = pose->moves ? cardan__vec3(v[0], v[1], v[2]) : cardan__vec3(0, 0, 0);
  pose->w = from->initial.nvelocity > 3 ? cardan__vec3(v[3], v[4], v[5]) : cardan__vec3(0, 0, 0);
  model->npose++;
  return status;
}

static cardan_status normalize(cardan__build *build, const cardan_joint *joint, double *start)
{
  const int adr = quaternion_of(joint);
  if (adr < 0) {
    return CARDAN_OK;
  }
  double *q = &start[adr];
  const double n = cardan__quat_norm((cardan_quat){q[0], q[1], q[2], q[3]});
  if (!(n > 0)) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, joint->pos,
                       "the start of \"%.60s\" has a quaternion of length 0, expected 1",
                       joint->name);
  }
  for (int k = 0; k < 4; k++) {
    q[k] /= n;
  }
  return CARDAN_OK;
}

/* q (nq zeros) where nothing is said of it. */
static void fill_neutral(const cardan_model *model, double *q)
{
  for (int j = 0; j < model->njoint; j++) {
    const int adr = quaternion_of(&model->joint[j]);
    if (adr >= 0) {
      q[adr] = 1;
    }
  }
}

cardan_status cardan__fill_start(cardan__build *build)
{
  cardan_model *model = build->model;
  cardan_status status = CARDAN_OK;
  fill_neutral(model, model->q0);
  for (int i = 0; i < build->spec->ninitial && status == CARDAN_OK; i++) {
    const cardan__spec_initial *from = &build->spec->initial[i];
    status = from->initial.frame != NULL ? fill_pose(build, from) : fill_values(build, from);
  }
  for (int j = 0; j < model->njoint && status == CARDAN_OK; j++) {
    status = normalize(build, &model->joint[j], model->q0);
  }
  return status;
}

/* One value of a keyframe: of a variable, or of an input. */
static cardan_status take_key_value(cardan__build *build, const cardan__spec_initial *from,
                                    double *q, double *v, double *u)
{
  const char *input = from->initial.input;
  target to;
  if (input == NULL) {
    return take_values(build, from, q, v, &to);
  }
  u[cardan__names_get(&build->spec->input_names, input)] = from->initial.value[0];
  return CARDAN_OK;
}

cardan_status cardan__fill_keyframes(cardan__build *build)
{
  cardan_model *model = build->model;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < build->spec->nkeyframe && status == CARDAN_OK; i++) {
    const cardan__spec_keyframe *from = &build->spec->keyframe[i];
    double *q = build->key_q + (size_t)i * (size_t)model->nq;
    double *v = build->key_v + (size_t)i * (size_t)model->nv;
    double *u = build->key_u + (size_t)i * (size_t)model->ninput;
    fill_neutral(model, q);
    for (int k = 0; k < model->ninput; k++) {
      u[k] = model->input[k].value;
    }
    for (int k = from->first; k < from->first + from->n && status == CARDAN_OK; k++) {
      status = take_key_value(build, &build->spec->key_value[k], q, v, u);
    }
    for (int j = 0; j < model->njoint && status == CARDAN_OK; j++) {
      status = normalize(build, &model->joint[j], q);
    }
    model->keyframe[model->nkeyframe++] = (cardan_keyframe){
        .name = cardan__build_string(build, from->name), .q = q, .v = v, .u = u, .pos = from->pos};
  }
  return status;
}
