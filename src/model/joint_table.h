/* SPDX-License-Identifier: Apache-2.0
 * model/joint_table.h - the kinds of joints, and what each is made of.
 *
 * Two tables. Joints of the file by cardan_joint_kind: word, coordinates and their names, what they
 * take, and the chain of elementary joints that they become. Elementary joints by cardan_link_kind:
 * what the body that one carries can do. What they do to poses and twists is kinematics/joint.h.
 * No other file of the library has to know a kind: docs/extending.md adds one. */
#pragma once
#include "cardan/model.h"

/* Which options a joint of the file may have. */
typedef enum {
  CARDAN__JOINT_AXIS,
  CARDAN__JOINT_AXIS2,
  CARDAN__JOINT_PITCH, // a joint that takes one must have it
  CARDAN__JOINT_LIMIT,
  CARDAN__JOINT_EFFORT
} cardan__joint_option;

/* What of a joint's reaction presses its surfaces together, for friction. */
typedef enum {
  CARDAN__PRESS_NONE,   // friction has no formula
  CARDAN__PRESS_ACROSS, // the part across the axis
  CARDAN__PRESS_ALONG,  // the part along the axis
  CARDAN__PRESS_ALL
} cardan__press;

/* Where an elementary joint of a joint gets its axis. */
typedef enum {
  CARDAN__PART_AXIS,  // (axis ..)
  CARDAN__PART_AXIS2, // (axis2 ..)
  CARDAN__PART_X,     // of the frame it is placed at
  CARDAN__PART_Y,
  CARDAN__PART_Z
} cardan__part_axis;

enum { CARDAN__JOINT_PARTS = 3 }; // most elementary joints of a joint

/* An elementary joint. */
typedef struct {
  const char *word;
  int nq, nv;
  bool has_axis;     // one velocity, about or along z of the body's own frame
  bool screw;        // with a pitch: a turn that also slides
  int nturn, nslide; // velocities: angular ones first, then linear ones; of a screw the angle
} cardan__link_type;

/* A joint of the file. */
typedef struct {
  const char *word; // in a model file
  int nq, nv;
  const char *q_suffix[7], *v_suffix[6]; // put behind the joint's name; "" when there is only one
  unsigned takes;                        // 1 << cardan__joint_option
  cardan_vec3 axis;                      // when none is given
  cardan__press press;
  int npart; // its elementary joints, in order along the chain
  struct {
    cardan_link_kind link;
    cardan__part_axis axis;
    int coordinate; // the first of the joint's coordinates, and velocities, that are its own
  } part[CARDAN__JOINT_PARTS];
  cardan__link_type general; // what CARDAN_LINK_GENERAL + this kind is, if it is among the parts
} cardan__joint_type;

/* NULL: there is no such kind. Kinds are numbered from 0 without gaps, below CARDAN__JOINT_MOST. */
enum { CARDAN__JOINT_MOST = 32 };
const cardan__joint_type *cardan__joint_type_of(cardan_joint_kind kind);

static inline bool cardan__joint_takes(cardan_joint_kind kind, cardan__joint_option option)
{
  return cardan__joint_type_of(kind)->takes >> option & 1U;
}

/* The joint that a transform with a variable is. */
cardan_joint_kind cardan__transform_joint(cardan_transform transform);

/* Address of the quaternion among the coordinates of a joint or body with nq of them and nv
 * velocities: it is last; -1: there is none. */
static inline int cardan__quat_of(int nq, int nv)
{
  return nq > nv ? nq - 4 : -1;
}

const cardan__link_type *cardan__link_type_of(cardan_link_kind kind);

/* Is the body's joint about an axis of its own, with an angle that is counted over turns? */
static inline bool cardan__body_turns(const cardan_body *body)
{
  const cardan__link_type *type = cardan__link_type_of(body->kind);
  return type->has_axis && type->nturn == 1;
}

/* Does S depend on the joint's coordinate? (The five common joints have a constant S.) */
static inline bool cardan__link_is_general(const cardan_body *body)
{
  return body->kind >= CARDAN_LINK_GENERAL;
}

/* Is velocity k of a body's joint a length per time, not an angle? */
static inline bool cardan__link_slides(const cardan_body *body, int k)
{
  return k >= cardan__link_type_of(body->kind)->nturn;
}

/* What changes of velocity v of a model are measured by: 1 for an angle, the size of the mechanism
 * for a length. */
static inline double cardan__velocity_unit(const cardan_model *model, int v)
{
  const cardan_body *b = &model->body[model->v_body[v]];
  const bool length = cardan__link_slides(b, v - b->vadr) && model->size_length > 0.0;
  return length ? model->size_length : 1.0;
}

/* The same as cardan__link_slides for velocity k of a joint of the file. */
bool cardan__joint_type_slides(const cardan__joint_type *type, int k);

/* Are all motions of a joint of the file about or along its one axis, with a constant S? */
bool cardan__joint_type_has_one_axis(const cardan__joint_type *type);

/* The axis of a joint's part, in the frame that the joint is placed at. */
cardan_vec3 cardan__part_direction(const cardan__joint_type *type, int part, cardan_vec3 axis,
                                   cardan_vec3 axis2);

/* A joint as a pair of frames: A, where it is placed, and B, which it carries. At zero coordinates
 * they coincide, and their origin is on all axes of rotation. What is not listed is locked:
 *   B's origin moves from A's along slide[] only, directions fixed in A;
 *   B turns from A by a turn about turn[0] (fixed in A), then turn[1], .. the last one fixed in B;
 *   a screw has one turn, and one slide along it: pitch times the angle.
 * Three turns are any turn at all, whatever their axes.
 * A joint of the tree is the pair of A = model->frame[joint->frame].parent and B = joint->frame;
 * (close KIND A B) is the same pair without the tree. */
typedef struct {
  int nturn, nslide;
  cardan_vec3 turn[3], slide[3]; // unit, axes of A at zero coordinates
  bool screw;
  double pitch; // [m/rad]
  bool general; // it has a motion that is none of these: no rows hold it
} cardan__pair;

/* axis, axis2: unit. */
cardan__pair cardan__joint_pair(cardan_joint_kind kind, cardan_vec3 axis, cardan_vec3 axis2,
                                double pitch);
