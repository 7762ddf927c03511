// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/spec.h"
#include "spatial/inertia.h"

/* Frames, joints and their options. */

/* Appends a frame; 0 after a failure. */
static int add_frame(cardan_spec *spec, int parent, const cardan__spec_frame *frame)
{
  if (spec->status) {
    return 0;
  }
  if (parent < 0 || parent >= spec->nframe) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                      "found %d as parent of a frame; expected the index of a frame from 0 to %d",
                      parent, spec->nframe - 1);
    return 0;
  }
  if (!cardan__spec_grow(spec, (void **)&spec->frame, &spec->cap_frame, spec->nframe,
                         sizeof(*spec->frame))) {
    return 0;
  }
  cardan__spec_frame *added = &spec->frame[spec->nframe];
  *added = *frame;
  added->parent = parent;
  added->shape = -1;
  added->pos = spec->at;
  return spec->nframe++;
}

int cardan_spec_transform(cardan_spec *spec, int parent, cardan_transform kind, double value)
{
  if (spec->status || !cardan__spec_finite(spec, "a length or angle", &value, 1)) {
    return 0;
  }
  return add_frame(
      spec, parent,
      &(cardan__spec_frame){.transform = kind, .value = value, .joint = -1, .rotation = -1});
}

/* Copies the name of a variable or joint after checking that it is free. */
static const char *new_var(cardan_spec *spec, const char *what, const char *name,
                           cardan_joint_kind kind)
{
  const char *copy = cardan__spec_text(spec, what, name);
  const int clash = copy ? cardan__spec_var_clash(spec, copy, kind) : -1;
  if (clash >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "the variable \"%s\" is already used%s; expected a name of its own for each "
                      "transform and joint",
                      cardan__show(name).text, cardan__cite(spec->frame[clash].pos).text);
    return NULL;
  }
  return copy;
}

/* Enters the name of the newest frame's variable; the frame is taken back when that fails. */
static int enter_var(cardan_spec *spec, const char *name, int frame)
{
  if (frame > 0 && !cardan__spec_memory(spec, cardan__names_set(&spec->var_names, name, frame))) {
    spec->nframe--;
    return 0;
  }
  return frame;
}

int cardan_spec_variable(cardan_spec *spec, int parent, cardan_transform kind, const char *var,
                         bool kinematic)
{
  const char *name = var ? new_var(spec, "variable's name", var, cardan__transform_joint(kind))
                         : cardan__spec_free_var(spec, cardan__transform_joint(kind));
  if (!name) {
    return 0;
  }
  const cardan__spec_frame frame = {
      .transform = kind, .kinematic = kinematic, .var = name, .joint = -1, .rotation = -1};
  return enter_var(spec, name, add_frame(spec, parent, &frame));
}

/* Rotations by multiples of a right angle are exact: if every entry is within a few eps of
 * 0, 1 or -1, it is replaced by that, so that a planar mechanism stays in its plane. */
static void snap_right_angles(cardan_mat3 *R)
{
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < 9; k++) {
      double *r = &R->m[k / 3][k % 3];
      if (fabs(*r - round(*r)) > 4.0 * DBL_EPSILON) {
        return;
      }
      *r = pass == 1 ? round(*r) + 0.0 : *r;
    }
  }
}

/* Makes q a unit quaternion. One that is already unit up to rounding keeps its bits, so that what
 * was written is read back the same. False: q is zero. */
static bool unit_quat(double q[4])
{
  const double most = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
  if (most == 0.0) {
    return false;
  }
  const cardan_quat given = {q[0], q[1], q[2], q[3]};
  const double norm = cardan__quat_norm(given);
  if (fabs(norm - 1.0) <= 4.0 * DBL_EPSILON) {
    return true;
  }
  const cardan_quat scaled = {q[0] / most, q[1] / most, q[2] / most, q[3] / most};
  const cardan_quat unit = cardan__quat_normalize(scaled);
  q[0] = unit.w;
  q[1] = unit.x;
  q[2] = unit.y;
  q[3] = unit.z;
  return true;
}

bool cardan__spec_rotation(cardan_spec *spec, cardan__rotation *rotation, cardan_mat3 *R)
{
  double *a = rotation->value;
  *R = (cardan_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  if (spec->status || !cardan__spec_finite(spec, "a part of a rotation", a, 4)) {
    return false;
  }
  if (rotation->form == CARDAN__ROT_RPY) {
    *R = cardan__mat3_from_rpy(a[0], a[1], a[2]);
  } else if (rotation->form == CARDAN__ROT_ROTVEC) {
    if (fmax(fmax(fabs(a[0]), fabs(a[1])), fabs(a[2])) > 1e9) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                        "found a rotation vector longer than 1e9 rad; expected an angle in rad");
      return false;
    }
    *R = cardan__quat_to_mat3(cardan__quat_from_rotvec((cardan_vec3){a[0], a[1], a[2]}));
  } else if (rotation->form == CARDAN__ROT_QUAT) {
    if (!unit_quat(a)) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                        "found a zero quaternion; expected one that can be normalised");
      return false;
    }
    *R = cardan__quat_to_mat3((cardan_quat){a[0], a[1], a[2], a[3]});
  }
  snap_right_angles(R);
  return true;
}

/* How a matrix given in code is kept: as its unit quaternion. */
static bool rotation_of(cardan_spec *spec, const cardan_mat3 *R, cardan__rotation *rotation)
{
  *rotation = (cardan__rotation){CARDAN__ROT_NONE, {0}};
  bool identity = true;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const double dot = cardan__vec3_dot(cardan__mat3_column(R, i), cardan__mat3_column(R, j));
      // negated, so that NaN counts as wrong
      if (!(fabs(dot - (i == j)) < 1e-6)) {
        cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                          "found a transform whose matrix is not a rotation; expected orthonormal "
                          "columns");
        return false;
      }
      identity = identity && R->m[i][j] == (i == j);
    }
  }
  const cardan_vec3 z = cardan__vec3_cross(cardan__mat3_column(R, 0), cardan__mat3_column(R, 1));
  if (cardan__vec3_dot(z, cardan__mat3_column(R, 2)) < 0.0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a transform whose matrix is a reflection; expected a rotation");
    return false;
  }
  if (!identity) {
    const cardan_quat q = cardan__quat_from_mat3(R);
    *rotation = (cardan__rotation){CARDAN__ROT_QUAT, {q.w, q.x, q.y, q.z}};
  }
  return true;
}

bool cardan__spec_pose_rotation(cardan_spec *spec, const cardan_xform *T,
                                cardan__rotation *rotation)
{
  return !spec->status && rotation_of(spec, &T->R, rotation);
}

int cardan_spec_place(cardan_spec *spec, int parent, const cardan_xform *T)
{
  cardan__rotation rotation;
  if (!cardan__spec_pose_rotation(spec, T, &rotation)) {
    return 0;
  }
  return cardan__spec_place(spec, parent, T->p, &rotation);
}

int cardan__spec_place(cardan_spec *spec, int parent, cardan_vec3 p,
                       const cardan__rotation *rotation)
{
  const double at[3] = {p.x, p.y, p.z};
  cardan__rotation turn = *rotation;
  cardan__spec_frame frame = {.form = CARDAN__FORM_PLACE, .joint = -1, .rotation = -1};
  frame.place.p = p;
  if (!cardan__spec_rotation(spec, &turn, &frame.place.R) ||
      !cardan__spec_finite(spec, "a coordinate of a place", at, 3)) {
    return 0;
  }
  if (turn.form != CARDAN__ROT_NONE) {
    if (!cardan__spec_grow(spec, (void **)&spec->rotation, &spec->cap_rotation, spec->nrotation,
                           sizeof(*spec->rotation))) {
      return 0;
    }
    frame.rotation = spec->nrotation;
    spec->rotation[spec->nrotation++] = turn;
  }
  return add_frame(spec, parent, &frame);
}

/* ---- joints ---- */

static double largest(cardan_vec3 a)
{
  return fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z));
}

/* Brings an axis of extreme length near length 1 by a power of two, which loses no bit of its
 * direction; a zero one becomes the default. */
static cardan_vec3 sane_axis(cardan_vec3 axis, cardan_vec3 otherwise)
{
  const double most = largest(axis);
  if (most == 0.0) {
    return otherwise;
  }
  if (most > 1e-100 && most < 1e100) {
    return axis;
  }
  int exponent;
  frexp(most, &exponent);
  // in two steps: 2^-exponent itself may be past the largest double
  const int half = exponent / 2;
  return cardan__vec3_scale(ldexp(1.0, half - exponent),
                            cardan__vec3_scale(ldexp(1.0, -half), axis));
}

/* Are the axes less than 1e-9 rad apart, or from being opposite? */
static bool parallel(cardan_vec3 a, cardan_vec3 b)
{
  const cardan_vec3 n = cardan__vec3_cross(cardan__vec3_scale(1.0 / largest(a), a),
                                           cardan__vec3_scale(1.0 / largest(b), b));
  return cardan__vec3_norm(n) < 1e-9;
}

bool cardan__spec_limit(cardan_spec *spec, double low, double high)
{
  if (low > high) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a limit from %g to %g; expected the lower end first", low, high);
  }
  return low <= high;
}

bool cardan__spec_joint_def(cardan_spec *spec, cardan_joint_def *def)
{
  const double numbers[11] = {def->axis.x,   def->axis.y,      def->axis.z, def->axis2.x,
                              def->axis2.y,  def->axis2.z,     def->pitch,  def->limit[0],
                              def->limit[1], def->restitution, def->effort};
  if (spec->status ||
      !cardan__spec_finite(spec, "an axis, pitch, limit, restitution or effort of a joint", numbers,
                           11)) {
    return false;
  }
  const cardan__joint_type *type = cardan__joint_type_of(def->kind);
  if (type == NULL) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                      "found %d as kind of a joint; expected a cardan_joint_kind", (int)def->kind);
    return false;
  }
  const bool given[5] = {largest(def->axis) > 0.0, largest(def->axis2) > 0.0, def->pitch != 0.0,
                         def->has_limit, def->effort != 0.0};
  for (int i = 0; i < 5; i++) {
    static const char *const words[5] = {"axis", "axis2", "pitch", "limit", "effort"};
    if (given[i] && !cardan__joint_takes(def->kind, (cardan__joint_option)i)) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                        "found (%s ..) on a %s joint, which has no use for it", words[i],
                        type->word);
      return false;
    }
  }
  def->axis = sane_axis(def->axis, type->axis);
  def->axis2 = sane_axis(def->axis2, cardan__vec3(0, 1, 0));
  if (cardan__joint_takes(def->kind, CARDAN__JOINT_AXIS2) && parallel(def->axis, def->axis2)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "the two axes of a %s joint are parallel; expected two directions",
                      type->word);
    return false;
  }
  if (def->has_limit && !cardan__spec_limit(spec, def->limit[0], def->limit[1])) {
    return false;
  }
  if (def->effort < 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found an effort of %g; expected at least 0",
                      def->effort);
    return false;
  }
  return cardan__spec_restitution(spec, def->restitution);
}

int cardan_spec_joint(cardan_spec *spec, int parent, const cardan_joint_def *joint)
{
  cardan_joint_def def = *joint;
  if (!cardan__spec_joint_def(spec, &def)) {
    return 0;
  }
  def.name = def.name ? new_var(spec, "joint's name", def.name, def.kind)
                      : cardan__spec_free_var(spec, def.kind);
  if (!def.name || !cardan__spec_grow(spec, (void **)&spec->joint, &spec->cap_joint, spec->njoint,
                                      sizeof(*spec->joint))) {
    return 0;
  }
  const int frame = add_frame(
      spec, parent,
      &(cardan__spec_frame){.form = CARDAN__FORM_JOINT, .joint = spec->njoint, .rotation = -1});
  if (enter_var(spec, def.name, frame) > 0) {
    spec->joint[spec->njoint++] = def;
  }
  return spec->status ? 0 : frame;
}

/* ---- options of a frame ---- */

bool cardan__spec_is_frame(cardan_spec *spec, int frame)
{
  if (!spec->status && (frame <= 0 || frame >= spec->nframe)) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                      "found an option for frame %d%s; expected a frame from 1 to %d%s", frame,
                      frame == 0 ? ", the world" : "", spec->nframe - 1,
                      frame == 0 ? ", such as one placed in the world" : "");
  }
  return !spec->status;
}

static bool is_first(cardan_spec *spec, bool given, const char *what)
{
  if (given) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a second %s for one frame; expected one at most", what);
  }
  return !given;
}

void cardan_spec_frame_name(cardan_spec *spec, int frame, const char *name)
{
  if (!cardan__spec_is_frame(spec, frame) ||
      !is_first(spec, spec->frame[frame].name != NULL, "name")) {
    return;
  }
  const char *copy = cardan__spec_text(spec, "frame's name", name);
  if (!copy) {
    return;
  }
  const int before = cardan__names_get(&spec->frame_names, copy);
  if (before >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "the frame name \"%s\" is already used%s; expected a new name",
                      cardan__show(name).text, cardan__cite(spec->frame[before].name_pos).text);
    return;
  }
  if (cardan__spec_memory(spec, cardan__names_set(&spec->frame_names, copy, frame))) {
    spec->frame[frame].name = copy;
    spec->frame[frame].name_pos = spec->at;
  }
}

bool cardan__spec_mass_check(cardan_spec *spec, const cardan_mass *mass)
{
  const double numbers[7] = {mass->m, mass->xx, mass->yy, mass->zz, mass->xy, mass->xz, mass->yz};
  if (!cardan__spec_finite(spec, "a mass or moment of inertia", numbers, 7)) {
    return false;
  }
  if (mass->m < 0.0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the mass %g kg; expected one that is not negative", mass->m);
    return false;
  }
  // scaled, so that no product overflows; the centre of mass is the frame's own origin
  double most = 0.0, moments[3];
  for (int i = 1; i < 7; i++) {
    most = fmax(most, fabs(numbers[i]));
  }
  const double k = most > 0.0 ? 1.0 / fmax(most, DBL_MIN) : 0.0;
  const cardan_inertia G = {.m = 1.0,
                            .xx = k * mass->xx,
                            .yy = k * mass->yy,
                            .zz = k * mass->zz,
                            .xy = k * mass->xy,
                            .xz = k * mass->xz,
                            .yz = k * mass->yz};
  if (cardan__inertia_check(&G, moments) == CARDAN__INERTIA_MOMENT) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found inertias with the principal moment %g kg m^2; expected none that is "
                      "negative",
                      moments[0] * most);
    return false;
  }
  return true;
}

void cardan_spec_mass(cardan_spec *spec, int frame, const cardan_mass *mass)
{
  if (!cardan__spec_is_frame(spec, frame) || !is_first(spec, spec->frame[frame].has_mass, "mass") ||
      !cardan__spec_mass_check(spec, mass)) {
    return;
  }
  spec->frame[frame].mass = *mass;
  spec->frame[frame].has_mass = true;
  spec->frame[frame].mass_pos = spec->at;
}

cardan_xform cardan__spec_fixed(const cardan__spec_frame *frame)
{
  if (frame->form == CARDAN__FORM_PLACE) {
    return frame->place;
  }
  cardan_xform T = cardan__xform_identity();
  if (frame->form == CARDAN__FORM_TRANSFORM && frame->var == NULL) {
    const int axis = (int)frame->transform % 3;
    const cardan_vec3 e = cardan__vec3(axis == 0, axis == 1, axis == 2);
    if (frame->transform >= CARDAN_TRANSFORM_RX) {
      T = cardan__xform_rot(e, frame->value);
    } else {
      T.p = cardan__vec3_scale(frame->value, e);
    }
  }
  return T;
}

/* A path that stays below the model's folder, or a package's. */
static bool path_is_safe(const char *path)
{
  static const char *const packages[] = {"package://", "model://"};
  for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++) {
    const size_t n = strlen(packages[i]);
    path += strncmp(path, packages[i], n) == 0 ? n : 0;
  }
  if (path[0] == '/' || path[0] == '\\') {
    return false;
  }
  for (const char *part = path; *part;) {
    const size_t length = strcspn(part, "/\\");
    if (length == 2 && part[0] == '.' && part[1] == '.') {
      return false;
    }
    part += part[length] ? length + 1 : length;
  }
  return true;
}

bool cardan__spec_path(cardan_spec *spec, const char *file)
{
  if (!path_is_safe(file)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the file \"%s\"; expected a path relative to the model file, "
                      "without \"..\"",
                      cardan__show(file).text);
  }
  return !spec->status;
}

bool cardan__spec_size(cardan_spec *spec, double size)
{
  if (!cardan__spec_finite(spec, "a size of a shape", &size, 1)) {
    return false;
  }
  if (size <= 0.0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the size %g m of a shape; expected more than 0", size);
  }
  return size > 0.0;
}

bool cardan__spec_sizes(cardan_spec *spec, const double *size, cardan_shape *shape)
{
  const int n = cardan__shape_type_of(shape->kind)->nsize;
  bool good = true;
  for (int i = 0; i < n && good; i++) {
    shape->size[i] = size[i];
    good = cardan__spec_size(spec, size[i]);
  }
  return good;
}

void cardan__spec_shape_add(cardan_spec *spec, int frame, const cardan__spec_shape *shape)
{
  if (spec->status || !cardan__spec_grow(spec, (void **)&spec->shape, &spec->cap_shape,
                                         spec->nshape, sizeof(*spec->shape))) {
    return;
  }
  // the last of the frame's shapes is remembered: it may have many
  cardan__spec_frame *f = &spec->frame[frame];
  if (f->shape < 0) {
    f->shape = spec->nshape;
  } else {
    spec->shape[f->last_shape].next = spec->nshape;
  }
  f->last_shape = spec->nshape;
  spec->shape[spec->nshape] = *shape;
  spec->shape[spec->nshape].next = -1;
  spec->shape[spec->nshape++].pos = spec->at;
}

void cardan_spec_shape(cardan_spec *spec, int frame, const cardan_shape *shape)
{
  const cardan__shape_type *type = cardan__shape_type_of(shape->kind);
  if (!cardan__spec_is_frame(spec, frame)) {
    return;
  }
  if (type == NULL || !type->seen) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                      "found %d as kind of a shape; expected a cardan_shape_kind that can be seen",
                      (int)shape->kind);
    return;
  }
  cardan__spec_shape item = {.shape = {.kind = shape->kind}};
  if (!cardan__spec_sizes(spec, shape->size, &item.shape)) {
    return;
  }
  if (shape->kind == CARDAN_SHAPE_MESH) {
    if (!cardan__spec_finite(spec, "a factor of a mesh", shape->size, 3)) {
      return;
    }
    for (int i = 0; i < 3; i++) {
      item.shape.size[i] = shape->size[i] != 0.0 ? shape->size[i] : 1.0;
    }
    item.shape.file = cardan__spec_text(spec, "file name", shape->file);
    if (item.shape.file && !cardan__spec_path(spec, item.shape.file)) {
      return;
    }
  }
  cardan__spec_shape_add(spec, frame, &item);
}

void cardan_spec_color(cardan_spec *spec, int frame, const char *rrggbb)
{
  if (!cardan__spec_is_frame(spec, frame) ||
      !is_first(spec, spec->frame[frame].color != NULL, "color")) {
    return;
  }
  const char *copy = cardan__spec_text(spec, "color", rrggbb);
  if (!copy) {
    return;
  }
  if (copy[0] != '#' || strlen(copy) != 7 || strspn(copy + 1, "0123456789abcdefABCDEF") != 6) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the color \"%s\"; expected \"#rrggbb\" in hexadecimal digits",
                      cardan__show(copy).text);
    return;
  }
  spec->frame[frame].color = copy;
}
