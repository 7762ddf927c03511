// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/text.h"
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

/* What a start says: values, and which of them are given. */
typedef struct {
  double *q, *v;
  bool *q_given, *v_given;
} start;

/* What is given of a joint or coordinate; at: where it stands. */
static cardan_status take_values(cardan__build *build, const cardan__spec_initial *from, start to,
                                 target *at)
{
  const cardan_initial *initial = &from->initial;
  const cardan_status status = find_target(build, from, at);
  if (status != CARDAN_OK) {
    return status;
  }
  if (initial->nvalue != 0 && initial->nvalue != at->nq) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, from->pos,
                       "the start of \"%.60s\" has %d values, expected %d", initial->var,
                       initial->nvalue, at->nq);
  }
  if (initial->nvelocity != 0 && initial->nvelocity != at->nv) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, from->pos,
                       "the start of \"%.60s\" has %d velocities, expected %d", initial->var,
                       initial->nvelocity, at->nv);
  }
  for (int k = 0; k < initial->nvalue; k++) {
    to.q[at->q + k] = initial->value[k];
    to.q_given[at->q + k] = true;
  }
  for (int k = 0; k < initial->nvelocity; k++) {
    to.v[at->v + k] = initial->velocity[k];
    to.v_given[at->v + k] = true;
  }
  return CARDAN_OK;
}

static cardan_status fill_values(cardan__build *build, const cardan__spec_initial *from)
{
  cardan_model *model = build->model;
  const start to = {model->q0, model->v0, model->q_given, model->v_given};
  target at;
  const cardan_status status = take_values(build, from, to, &at);
  for (int k = 0; status == CARDAN_OK && k < at.nq; k++) {
    model->q_fixed[at.q + k] = model->q_fixed[at.q + k] || from->initial.fixed;
  }
  return status;
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
  pose->pos = from->pos;
  pose->turned = from->rotation.form != CARDAN__ROT_NONE;
  pose->moves = from->initial.nvelocity > 0;
  pose->spins = from->initial.nvelocity > 3;
  pose->v = pose->moves ? cardan__vec3(v[0], v[1], v[2]) : cardan__vec3(0, 0, 0);
  pose->w = from->initial.nvelocity > 3 ? cardan__vec3(v[3], v[4], v[5]) : cardan__vec3(0, 0, 0);
  model->npose++;
  return status;
}

/* Numbers whose squares overflow, or vanish, have a direction too: those are scaled first. returns
 * the length by which q is to be divided, 0 where it has none */
static double scaled_length(double q[4])
{
  const cardan_quat Q = {q[0], q[1], q[2], q[3]};
  const double n = cardan__quat_norm(Q);
  const double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
  if ((n > 1e-100 && n < 1e100) || !(largest > 0) || !isfinite(largest)) {
    return isfinite(n) ? n : 0;
  }
  const int exponent = -ilogb(largest);
  for (int k = 0; k < 4; k++) {
    q[k] = scalbn(q[k], exponent);
  }
  return cardan__quat_norm((cardan_quat){q[0], q[1], q[2], q[3]});
}

static cardan_status normalize(const cardan_joint *joint, double *q0, cardan_report *report)
{
  const int adr = quaternion_of(joint);
  if (adr < 0) {
    return CARDAN_OK;
  }
  double *q = &q0[adr];
  const double n = scaled_length(q);
  if (!(n > 0)) {
    return cardan_fail(report, CARDAN_ERR_MODEL, joint->pos,
                       "the start of \"%.60s\" has a quaternion of length 0, expected 1",
                       joint->name);
  }
  for (int k = 0; k < 4; k++) {
    q[k] /= n;
  }
  return CARDAN_OK;
}

cardan_status cardan__normalize_start(const cardan_model *model, double *q, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int j = 0; j < model->njoint && status == CARDAN_OK; j++) {
    status = normalize(&model->joint[j], q, report);
  }
  return status;
}

/* q (nq zeros) if none is given. */
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
  return status;
}

/* One value of a keyframe: of a variable, or of an input. */
static cardan_status take_key_value(cardan__build *build, const cardan__spec_initial *from,
                                    start to, double *u)
{
  const char *input = from->initial.input;
  target at;
  if (input == NULL) {
    return take_values(build, from, to, &at);
  }
  u[cardan__names_get(&build->spec->input_names, input)] = from->initial.value[0];
  return CARDAN_OK;
}

/* Keyframe number i; its arrays are zeros. */
static cardan_status fill_keyframe(cardan__build *build, int i)
{
  cardan_model *model = build->model;
  const cardan__spec_keyframe *from = &build->spec->keyframe[i];
  const size_t q = (size_t)i * (size_t)model->nq, v = (size_t)i * (size_t)model->nv;
  const start to = {build->key_q + q, build->key_v + v, build->key_q_given + q,
                    build->key_v_given + v};
  double *u = build->key_u + (size_t)i * (size_t)model->ninput;
  cardan_status status = CARDAN_OK;
  fill_neutral(model, to.q);
  for (int k = 0; k < model->ninput; k++) {
    u[k] = model->input[k].value;
  }
  for (int k = from->first; k < from->first + from->n && status == CARDAN_OK; k++) {
    status = take_key_value(build, &build->spec->key_value[k], to, u);
  }
  if (status == CARDAN_OK) {
    status = cardan__normalize_start(model, to.q, build->report);
  }
  model->keyframe[model->nkeyframe++] =
      (cardan_keyframe){.name = cardan__build_string(build, from->name),
                        .q = to.q,
                        .v = to.v,
                        .u = u,
                        .q_given = to.q_given,
                        .v_given = to.v_given,
                        .pos = from->pos};
  return status;
}

static cardan_status no_keyframe(const cardan_model *model, const char *name, cardan_pos pos,
                                 cardan_status status, cardan_report *report)
{
  enum { MOST = 256 }; // names that are compared
  const char *names[MOST] = {NULL};
  int n = 0;
  for (; n < model->nkeyframe && n < MOST; n++) {
    names[n] = model->keyframe[n].name;
  }
  const char *near = cardan__nearest(name, names, n);
  if (near != NULL) {
    return cardan_fail(report, status, pos, "keyframe is \"%.60s\"; did you mean \"%.60s\"?", name,
                       near);
  }
  return n > 0
             ? cardan_fail(report, status, pos,
                           "keyframe is \"%.60s\", but the model has none of that name; the first "
                           "of its %d is \"%.60s\"",
                           name, model->nkeyframe, names[0])
             : cardan_fail(report, status, pos,
                           "keyframe is \"%.60s\", but the model has no (keyframe ..)", name);
}

/* The start is keyframe k's. */
static void begin_at(cardan_model *model, int k)
{
  const cardan_keyframe *key = &model->keyframe[k];
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
  memcpy(model->q0, key->q, nq * sizeof *model->q0);
  memcpy(model->v0, key->v, nv * sizeof *model->v0);
  memcpy(model->q_given, key->q_given, nq * sizeof *model->q_given);
  memcpy(model->v_given, key->v_given, nv * sizeof *model->v_given);
  memset(model->q_fixed, 0, nq * sizeof *model->q_fixed);
  for (int i = 0; i < model->ninput; i++) {
    model->input[i].value = key->u[i];
  }
  model->npose = 0;
  model->start = k;
}

cardan_status cardan__model_begin(cardan_model *model, const char *keyframe, cardan_report *report)
{
  const int k = cardan_model_keyframe(model, keyframe);
  if (k < 0) {
    return no_keyframe(model, keyframe, (cardan_pos){0, 0}, CARDAN_ERR_ARGUMENT, report);
  }
  begin_at(model, k);
  return CARDAN_OK;
}

cardan_status cardan__fill_keyframes(cardan__build *build)
{
  cardan_model *model = build->model;
  cardan_status status = CARDAN_OK;
  model->start = -1;
  for (int i = 0; i < build->spec->nkeyframe && status == CARDAN_OK; i++) {
    status = fill_keyframe(build, i);
  }
  return status;
}

cardan_status cardan__begin_by_default(cardan__build *build)
{
  cardan_model *model = build->model;
  for (int i = 0; i < model->ndefault; i++) {
    const cardan_default *d = &model->defaults[i];
    if (strcmp(d->key, "keyframe") == 0) {
      const int k = cardan_model_keyframe(model, d->value);
      if (k < 0) {
        return no_keyframe(model, d->value, d->pos, CARDAN_ERR_MODEL, build->report);
      }
      begin_at(model, k);
    }
  }
  return CARDAN_OK;
}
