// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "model/elements.h"

/* Forces and potentials of a spec to cardan_force_element, with a check of each at its position.
 * Names were accepted by cardan__spec_check. src/forces has the formulas. */

/* Finds the velocity that the element names, or, if joint is not NULL, the joint. */
static cardan_status find_velocity(cardan__build *build, const cardan__spec_element *from, int *dof,
                                   int *joint)
{
  *dof = cardan__build_find_v(build, from->var[0]);
  if (*dof >= 0) {
    return CARDAN_OK;
  }
  if (joint != NULL) {
    return cardan__build_joint(build, from->var[0], from->var_pos[0], joint);
  }
  return cardan_fail(build->report, CARDAN_ERR_MODEL, from->var_pos[0],
                     "there is no velocity \"%.60s\"", from->var[0]);
}

static cardan_status find_frames(cardan__build *build, const cardan__spec_element *from,
                                 cardan_force_element *e, int n)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = cardan__build_frame(build, from->frame[i], from->frame_pos[i], &e->frame[i]);
  }
  return status;
}

/* An input or an auxiliary state, but not the reference half turn of an unwrapped angle. */
static bool is_input(const cardan_spec *spec, const cardan__leaf_ref *leaf)
{
  return leaf->kind == CARDAN__LEAF_U && leaf->index < spec->ninput + spec->nstate;
}

/* Adds expression number i of the element, and sets flags for what it depends on. */
static cardan_status find_expr(cardan__build *build, const cardan__spec_element *from,
                               cardan_force_element *e, int i)
{
  const cardan_status status = cardan__build_expr(build, from->expr[i], from->pos, &e->expr[i]);
  if (status == CARDAN_OK && e->expr[i] >= 0) {
    const cardan_bound_expr *bound = &build->model->expr[e->expr[i]];
    for (int k = 0; k < bound->nleaf; k++) {
      e->flags |= bound->leaf[k].kind == CARDAN__LEAF_T ? CARDAN_FORCE_TIME : 0;
      e->flags |= bound->leaf[k].kind == CARDAN__LEAF_V ? CARDAN_FORCE_VELOCITY : 0;
      e->flags |= bound->leaf[k].kind == CARDAN__LEAF_TWIST ? CARDAN_FORCE_VELOCITY : 0;
      e->flags |= is_input(build->spec, &bound->leaf[k]) ? CARDAN_FORCE_INPUT : 0;
    }
  }
  return status;
}

/* An element between two frames that has only numbers. */
static cardan_status fill_between(cardan__build *build, const cardan__spec_element *from,
                                  cardan_force_element *e)
{
  return find_frames(build, from, e, 2);
}

const cardan__element cardan__element_spring = {
    .usage = "(spring \"A\" \"B\" k x0)",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_VALUE, 0, "the stiffness"},
                 {CARDAN__ARG_VALUE, 1, "the rest length"}},
    .draw = CARDAN__DRAW_COIL,
    .flags = CARDAN_FORCE_POTENTIAL,
    .affine = 3,
    .force = fill_between,
    .doubt = cardan__doubt_stiffness,
};

const cardan__element cardan__element_damper = {
    .usage = "(damper \"A\" \"B\" c)",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_VALUE, 0, "the coefficient"}},
    .draw = CARDAN__DRAW_DASHPOT,
    .flags = CARDAN_FORCE_VELOCITY,
    .affine = 1,
    .force = fill_between,
    .doubt = cardan__doubt_damping,
};

static cardan_status fill_joint_spring(cardan__build *build, const cardan__spec_element *from,
                                       cardan_force_element *e)
{
  const cardan_model *model = build->model;
  const cardan_status status = cardan__build_q(build, from->var[0], from->var_pos[0], &e->var);
  if (status != CARDAN_OK) {
    return status;
  }
  const cardan_body *body = &model->body[model->q_body[e->var]];
  const int quat = cardan__quat_of(body->nq, body->nv);
  if (quat >= 0 && e->var >= body->qadr + quat) {
    return cardan_fail(
        build->report, CARDAN_ERR_MODEL, from->var_pos[0],
        "found a joint-spring on \"%.60s\", a part of a quaternion; expected a length or an "
        "angle (a potential may use quaternions)",
        from->var[0]);
  }
  return CARDAN_OK;
}

const cardan__element cardan__element_joint_spring = {
    .usage = "(joint-spring \"q\" k q0)",
    .argument = {{CARDAN__ARG_VAR, 0, NULL},
                 {CARDAN__ARG_VALUE, 0, "the stiffness"},
                 {CARDAN__ARG_VALUE, 1, "the rest position"}},
    .draw = CARDAN__DRAW_TWIST,
    .flags = CARDAN_FORCE_POTENTIAL,
    .affine = 3,
    .force = fill_joint_spring,
    .doubt = cardan__doubt_stiffness,
};

static cardan_status fill_potential(cardan__build *build, const cardan__spec_element *from,
                                    cardan_force_element *e)
{
  const cardan_status status = find_expr(build, from, e, 0);
  if (status == CARDAN_OK && (e->flags & (CARDAN_FORCE_TIME | CARDAN_FORCE_VELOCITY))) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, from->pos,
                       "found a potential that depends on %s; expected coordinates and frames only",
                       e->flags & CARDAN_FORCE_TIME ? "the time t" : "velocities");
  }
  return status;
}

const cardan__element cardan__element_potential = {
    .usage = "(potential expression)",
    .argument = {{CARDAN__ARG_EXPR, 0, NULL}},
    .leaves = CARDAN__LEAVES_Q | CARDAN__LEAVES_PLACE,
    .flags = CARDAN_FORCE_POTENTIAL,
    .force = fill_potential,
};

static cardan_status fill_newton(cardan__build *build, const cardan__spec_element *from,
                                 cardan_force_element *e)
{
  const cardan_status status = find_frames(build, from, e, 2);
  for (int i = 0; i < 2 && status == CARDAN_OK; i++) {
    const cardan_frame *frame = &build->model->frame[e->frame[i]];
    if (!frame->has_mass || frame->mass.m == 0.0) {
      return cardan_fail(
          build->report, CARDAN_ERR_MODEL, from->frame_pos[i],
          "found newton-gravity on frame \"%.60s\", which has no mass; expected a (mass ..) on "
          "the frame itself",
          from->frame[i]);
    }
  }
  return status;
}

static cardan_status settle_newton(cardan_model *model, cardan_force_element *e,
                                   cardan_report *report)
{
  (void)report;
  e->value[1] = model->frame[e->frame[0]].mass.m;
  e->value[2] = model->frame[e->frame[1]].mass.m;
  return CARDAN_OK;
}

const cardan__element cardan__element_newton_gravity = {
    .usage = "(newton-gravity \"A\" \"B\" G)",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_VALUE, 0, "the constant G"}},
    .draw = CARDAN__DRAW_DASHES,
    .flags = CARDAN_FORCE_POTENTIAL,
    .affine = 7,
    .force = fill_newton,
    .settle = settle_newton,
};

static cardan_status fill_damping(cardan__build *build, const cardan__spec_element *from,
                                  cardan_force_element *e)
{
  return from->var[0] != NULL ? find_velocity(build, from, &e->dof, &e->joint) : CARDAN_OK;
}

const cardan__element cardan__element_damping = {
    .usage = "(damping c) or (damping \"q\" c)",
    .argument = {{CARDAN__ARG_MAYBE_VAR, 0, NULL}, {CARDAN__ARG_VALUE, 0, "the coefficient"}},
    .use = CARDAN__AS_VELOCITIES,
    .flags = CARDAN_FORCE_VELOCITY,
    .affine = 1,
    .force = fill_damping,
    .doubt = cardan__doubt_damping,
};

enum { ANY_LEAF = CARDAN__LEAVES_ALL };

static cardan_status fill_torque(cardan__build *build, const cardan__spec_element *from,
                                 cardan_force_element *e)
{
  const cardan_status status = find_velocity(build, from, &e->dof, NULL);
  return status == CARDAN_OK ? find_expr(build, from, e, 0) : status;
}

const cardan__element cardan__element_torque = {
    .usage = "(torque \"q\" expression)",
    .argument = {{CARDAN__ARG_VAR, 0, NULL}, {CARDAN__ARG_EXPR, 0, NULL}},
    .leaves = ANY_LEAF,
    .use = CARDAN__AS_VELOCITY,
    .draw = CARDAN__DRAW_DRIVE,
    .force = fill_torque,
};

static cardan_status fill_wrench(cardan__build *build, const cardan__spec_element *from,
                                 cardan_force_element *e)
{
  cardan_status status = find_frames(build, from, e, 1);
  e->in_world = from->in_world;
  for (int i = 0; i < 6 && status == CARDAN_OK; i++) {
    status = find_expr(build, from, e, i);
  }
  return status;
}

const cardan__element cardan__element_wrench = {
    .usage = "(wrench body \"F\" (fx fy fz) (tx ty tz))",
    .argument = {{CARDAN__ARG_AXES, 0, NULL},
                 {CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_EXPR_LIST, 0, "a force (fx fy fz)"},
                 {CARDAN__ARG_EXPR_LIST, 3, "a torque (tx ty tz)"}},
    .leaves = ANY_LEAF,
    .force = fill_wrench,
};

static cardan_status fill_force(cardan__build *build, const cardan__spec_element *from,
                                cardan_force_element *e)
{
  const cardan_status status = find_frames(build, from, e, 2);
  return status == CARDAN_OK ? find_expr(build, from, e, 0) : status;
}

const cardan__element cardan__element_force = {
    .usage = "(force \"A\" \"B\" expression)",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_EXPR, 0, NULL}},
    .leaves = ANY_LEAF,
    .draw = CARDAN__DRAW_RAM,
    .force = fill_force,
};

const cardan__element cardan__element_bushing = {
    .usage = "(bushing \"A\" \"B\" (kx ky kz) (kax kay kaz))",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_VALUE_LIST, 0, "three stiffnesses (kx ky kz)"},
                 {CARDAN__ARG_VALUE_LIST, 3, "three rotational stiffnesses (kax kay kaz)"}},
    .draw = CARDAN__DRAW_BUSHING,
    .flags = CARDAN_FORCE_POTENTIAL,
    .affine = 63,
    .force = fill_between,
    .doubt = cardan__doubt_bushing,
};

/* Checks that the two directions are different numbers from 1 to 6. */
static void check_coupling(cardan_spec *spec, cardan__spec_element *e)
{
  bool good = e->value[1] != e->value[2];
  for (int i = 1; i <= 2; i++) {
    const double at = e->value[i];
    good = good && at >= 1.0 && at <= 6.0 && at == (double)(int)at;
  }
  if (!good) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a bushing-coupling of directions %g and %g; expected two different "
                      "ones of 1 to 6: x, y, z, and rotations about them",
                      e->value[1], e->value[2]);
  }
}

const cardan__element cardan__element_bushing_coupling = {
    .usage = "(bushing-coupling \"A\" \"B\" 1 5 k)",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_VALUE, 1, "a direction, 1 to 6"},
                 {CARDAN__ARG_VALUE, 2, "a direction, 1 to 6"},
                 {CARDAN__ARG_VALUE, 0, "the stiffness"}},
    .check = check_coupling,
    .flags = CARDAN_FORCE_POTENTIAL,
    .affine = 1,
    .force = fill_between,
};

const cardan__element cardan__element_bushing_damper = {
    .usage = "(bushing-damper \"A\" \"B\" (cx cy cz) (cax cay caz))",
    .argument = {{CARDAN__ARG_FRAME, 0, NULL},
                 {CARDAN__ARG_FRAME, 1, NULL},
                 {CARDAN__ARG_VALUE_LIST, 0, "three coefficients (cx cy cz)"},
                 {CARDAN__ARG_VALUE_LIST, 3, "three rotational coefficients (cax cay caz)"}},
    .flags = CARDAN_FORCE_VELOCITY,
    .affine = 63,
    .force = fill_between,
    .doubt = cardan__doubt_bushing,
};

static cardan_status fill_friction(cardan__build *build, const cardan__spec_element *from,
                                   cardan_force_element *e)
{
  const cardan_status status =
      cardan__build_joint(build, from->var[0], from->var_pos[0], &e->joint);
  if (status != CARDAN_OK) {
    return status;
  }
  const cardan_joint *joint = &build->model->joint[e->joint];
  const cardan__pair pair = cardan__joint_pair(joint->kind, joint->axis, joint->axis2, 0);
  const double mu = e->value[0], radius = e->value[1];
  if (cardan__joint_type_of(joint->kind)->press == CARDAN__PRESS_NONE) {
    return cardan_fail(
        build->report, CARDAN_ERR_MODEL, from->var_pos[0],
        "found friction in joint \"%.60s\"; expected a revolute, prismatic, cylindrical, planar "
        "or spherical joint",
        joint->name);
  }
  if (pair.nslide == 0 && radius == 0.0 && mu > 0.0) {
    return cardan_fail(
        build->report, CARDAN_ERR_MODEL, from->pos,
        "found friction in joint \"%.60s\" without a radius; expected (radius r), the lever of "
        "the friction force",
        joint->name);
  }
  return CARDAN_OK;
}

static cardan_status settle_friction(cardan_model *model, cardan_force_element *e,
                                     cardan_report *report)
{
  (void)report;
  if (e->value[2] == 0.0) {
    e->value[2] = CARDAN__FRICTION_SPEED;
  }
  model->has_friction = model->has_friction || e->value[0] > 0.0;
  return CARDAN_OK;
}

static void check_friction(cardan_spec *spec, cardan__spec_element *e)
{
  static const char *const what[3] = {"friction coefficient", "friction radius",
                                      "friction velocity vs"};
  for (int i = 0; i < 3; i++) {
    if (e->value[i] < 0.0) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                        "found the %s %g; expected one that is not negative", what[i], e->value[i]);
      return;
    }
  }
}

const cardan__element cardan__element_friction = {
    .usage = "(friction \"joint\" mu (radius r) (vs v))",
    .argument = {{CARDAN__ARG_VAR, 0, "the name of a joint"},
                 {CARDAN__ARG_VALUE, 0, "the coefficient"},
                 {CARDAN__ARG_VALUE_OPTION, 1, "radius"},
                 {CARDAN__ARG_VALUE_OPTION, 2, "vs"}},
    .use = CARDAN__AS_JOINT,
    .check = check_friction,
    .flags = CARDAN_FORCE_VELOCITY | CARDAN_FORCE_REACTION | CARDAN_FORCE_FRICTION,
    .force = fill_friction,
    .settle = settle_friction,
    .doubt = cardan__doubt_friction,
};

/* Finds the coordinate of a servo: that of the velocity on which it acts. */
static cardan_status find_servo(cardan__build *build, const cardan__spec_element *from,
                                cardan_force_element *e)
{
  const cardan_model *model = build->model;
  const cardan_body *body = &model->body[model->v_body[e->dof]];
  if (body->nv > 1) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, from->var_pos[0],
                       "found a servo on \"%.60s\", a velocity without a coordinate of its own; "
                       "expected a joint of one degree of freedom, or a motor",
                       from->var[0]);
  }
  e->var = body->qadr;
  return CARDAN_OK;
}

static cardan_status fill_actuator(cardan__build *build, const cardan__spec_element *from,
                                   cardan_force_element *e)
{
  const cardan_status status = find_velocity(build, from, &e->dof, NULL);
  e->input = cardan__names_get(&build->spec->input_names, from->var[1]);
  const bool servo = e->value[1] != 0.0 || e->value[2] != 0.0;
  return status == CARDAN_OK && servo ? find_servo(build, from, e) : status;
}

static cardan_status settle_actuator(cardan_model *model, cardan_force_element *e,
                                     cardan_report *report)
{
  const bool servo = e->value[1] != 0.0 || e->value[2] != 0.0;
  (void)model;
  e->value[0] = e->value[0] != 0.0 ? e->value[0] : 1.0;
  e->flags &= ~CARDAN_FORCE_VELOCITY;
  e->flags |= e->value[2] != 0.0 ? CARDAN_FORCE_VELOCITY : 0;
  if (servo != (e->var >= 0)) {
    return cardan_fail(
        report, CARDAN_ERR_MODEL, e->pos,
        "the actuator \"%.60s\" would %s a servo: only reading the text again can do "
        "that",
        e->name, servo ? "become" : "no longer be");
  }
  return CARDAN_OK;
}

static void check_actuator(cardan_spec *spec, cardan__spec_element *e)
{
  const double kp = e->value[1], kd = e->value[2], lo = e->value[3], hi = e->value[4];
  if (kp < 0.0 || kd < 0.0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the servo %g %g of an actuator; expected kp and kd that are not "
                      "negative",
                      kp, kd);
  } else if (lo >= hi && (lo != 0.0 || hi != 0.0)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the limit %g %g of an actuator; expected the lower one first", lo, hi);
  }
}

const cardan__element cardan__element_actuator = {
    .usage = "(actuator \"a\" \"q\" \"u\" (gear g) (servo kp kd) (limit lo hi))",
    .argument = {{CARDAN__ARG_NAME, 0, "the actuator's name"},
                 {CARDAN__ARG_VAR, 0, NULL},
                 {CARDAN__ARG_INPUT, 1, "the name of an input"},
                 {CARDAN__ARG_NUMBER_OPTION, 0, "gear"},
                 {CARDAN__ARG_PAIR_OPTION, 1, "servo"},
                 {CARDAN__ARG_PAIR_OPTION, 3, "limit"}},
    .use = CARDAN__AS_VELOCITY,
    .draw = CARDAN__DRAW_DRIVE,
    .check = check_actuator,
    .flags = CARDAN_FORCE_INPUT,
    .force = fill_actuator,
    .settle = settle_actuator,
};

static cardan_status fill_dry_friction(cardan__build *build, const cardan__spec_element *from,
                                       cardan_force_element *e)
{
  const cardan_model *model = build->model;
  const cardan_status status = find_velocity(build, from, &e->dof, NULL);
  if (status == CARDAN_OK) {
    e->joint = model->body[model->v_body[e->dof]].joint;
  }
  return status;
}

/* The same values as joint friction: the limit, a lever arm of 1, and vs. */
static cardan_status settle_dry_friction(cardan_model *model, cardan_force_element *e,
                                         cardan_report *report)
{
  const double vs = e->value[1];
  (void)report;
  e->value[1] = 1.0;
  e->value[2] = vs > 0.0 ? vs : CARDAN__FRICTION_SPEED;
  model->has_friction = model->has_friction || e->value[0] > 0.0;
  return CARDAN_OK;
}

static void check_dry_friction(cardan_spec *spec, cardan__spec_element *e)
{
  for (int i = 0; i < 2; i++) {
    if (e->value[i] < 0.0) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                        "found the %s %g; expected one that is not negative",
                        i == 0 ? "dry friction" : "friction velocity vs", e->value[i]);
      return;
    }
  }
}

const cardan__element cardan__element_dry_friction = {
    .usage = "(dry-friction \"q\" c (vs v))",
    .argument = {{CARDAN__ARG_VAR, 0, NULL},
                 {CARDAN__ARG_VALUE, 0, "the force or torque"},
                 {CARDAN__ARG_VALUE_OPTION, 1, "vs"}},
    .use = CARDAN__AS_VELOCITY,
    .check = check_dry_friction,
    .flags = CARDAN_FORCE_VELOCITY | CARDAN_FORCE_FRICTION,
    .force = fill_dry_friction,
    .settle = settle_dry_friction,
    .doubt = cardan__doubt_friction,
};

/* A second element would only call the same program again. */
static cardan_status fill_program(cardan__build *build, const cardan__spec_element *from,
                                  cardan_force_element *e)
{
  (void)e;
  if (build->model->has_program) {
    return cardan_fail(build->report, CARDAN_ERR_MODEL, from->pos,
                       "found a second (program ..); expected one, which computes all forces");
  }
  build->model->has_program = true;
  return CARDAN_OK;
}

const cardan__element cardan__element_program = {
    .usage = "(program \"thruster\")",
    .argument = {{CARDAN__ARG_NAME, 0, "the program's name"}},
    .flags = CARDAN_FORCE_VELOCITY | CARDAN_FORCE_TIME | CARDAN_FORCE_PROGRAM,
    .force = fill_program,
};
