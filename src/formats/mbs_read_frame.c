// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "formats/mbs_read.h"

/* Frames: transforms, places, joints, and what is in their lists. */

static const char transform_usage[] = "(tx 0.5 ..), (rz \"q\" ..) or (ty (k \"name\") ..)";
static const char place_usage[] = "(place (x y z) (rpy r p y) ..)";
static const char joint_usage[] = "(joint revolute \"name\" (axis x y z) ..)";

const char *const cardan__mbs_frame_words[] = {
    "tx",   "ty",    "tz",    "rx",    "ry",   "rz",    "place", "joint", "name",
    "mass", "shape", "color", "solid", "axis", "axis2", "pitch", "limit", "effort"};
enum {
  FIRST_OPTION = CARDAN__MBS_NFRAME_WORD,
  FIRST_JOINT_OPTION = FIRST_OPTION + CARDAN__MBS_NOPTION
};
static const char *const *const words = cardan__mbs_frame_words;

cardan__mbs_frame_word cardan__mbs_frame_head(const cardan__mbs *reader, int list, int *index)
{
  const int head = cardan__sexpr_first(&reader->tree, list);
  const int word =
      cardan__mbs_word(reader, head, words, FIRST_JOINT_OPTION + CARDAN__MBS_NJOINT_OPTION);
  if (word >= FIRST_JOINT_OPTION) {
    *index = word - FIRST_JOINT_OPTION;
    return CARDAN__MBS_JOINT_OPTION;
  }
  if (word >= FIRST_OPTION) {
    *index = word - FIRST_OPTION;
    return CARDAN__MBS_OPTION;
  }
  *index = word;
  return word < 0    ? CARDAN__MBS_NO_FRAME
         : word < 6  ? CARDAN__MBS_TRANSFORM
         : word == 6 ? CARDAN__MBS_PLACE
                     : CARDAN__MBS_JOINT_FRAME;
}

/* ---- transforms ---- */

/* One transform with its parameter; frame in: the parent, out: the new frame. */
static bool read_pair(cardan__mbs_form *form, cardan_transform kind, cardan_pos pos, int *frame)
{
  cardan__mbs *reader = form->reader;
  cardan_spec *spec = reader->spec;
  const int param = form->next;
  const bool d = cardan__sexpr_is_form(&reader->tree, param, "d");
  const bool k = cardan__sexpr_is_form(&reader->tree, param, "k");
  const char *name;
  cardan_pos name_pos;
  double value;
  if (d || k) {
    cardan__mbs_form inner = cardan__mbs_open(reader, param, d ? "(d \"name\")" : "(k \"name\")");
    if (!cardan__mbs_string(&inner, "the name of a variable", &name, &name_pos) ||
        !cardan__mbs_close(&inner)) {
      return false;
    }
    form->next = reader->tree.nodes[param].next;
    *frame = cardan_spec_variable(spec, *frame, kind, name, k);
  } else if (cardan__mbs_is_string(reader, param)) {
    cardan__mbs_string(form, "", &name, &name_pos);
    *frame = cardan_spec_variable(spec, *frame, kind, name, false);
  } else {
    if (!cardan__mbs_number(form, "a number or the name of a variable", &value)) {
      return false;
    }
    *frame = cardan_spec_transform(spec, *frame, kind, value);
  }
  if (spec->status) {
    return false;
  }
  spec->frame[*frame].pos = pos;
  cardan__mbs_bind(reader, &value, 1, &spec->frame[*frame].living, CARDAN__SLOT_TRANSFORM);
  return !spec->status;
}

static bool read_transforms(cardan__mbs *reader, int list, int parent)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, transform_usage);
  int frame = parent, word = cardan__sexpr_first(&reader->tree, list);
  while (cardan__mbs_is_symbol(reader, word)) {
    const int kind = cardan__mbs_word(reader, word, words, 6);
    if (kind < 0) {
      form.next = word;
      return cardan__mbs_expected(&form, "tx, ty, tz, rx, ry or rz, an option or a frame");
    }
    form.next = reader->tree.nodes[word].next;
    const cardan_pos pos = cardan__mbs_pos(reader, frame == parent ? list : word);
    if (!read_pair(&form, (cardan_transform)kind, pos, &frame)) {
      return false;
    }
    word = form.next;
  }
  return cardan__mbs_enter(reader,
                           (cardan__mbs_level){CARDAN__MBS_FRAME, true, list, form.next, frame, 0});
}

static bool read_place(cardan__mbs *reader, int list, int parent)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, place_usage);
  cardan__rotation rotation;
  cardan_vec3 p;
  if (!cardan__mbs_vector(&form, "three numbers (x y z)", &p) ||
      !cardan__mbs_rotation(&form, &rotation)) {
    return false;
  }
  const int frame = cardan__spec_place(reader->spec, parent, p, &rotation);
  if (reader->spec->status) {
    return false;
  }
  cardan__spec_frame *placed = &reader->spec->frame[frame];
  int *living = &placed->living;
  placed->pos = cardan__mbs_pos(reader, list);
  cardan__mbs_bind(reader, &p.x, 1, living, CARDAN__SLOT_PLACE);
  cardan__mbs_bind(reader, &p.y, 1, living, CARDAN__SLOT_PLACE + 1);
  cardan__mbs_bind(reader, &p.z, 1, living, CARDAN__SLOT_PLACE + 2);
  const int before = *living;
  cardan__mbs_bind(reader, rotation.value, 4, living, CARDAN__SLOT_ROTATION);
  if (*living != before) {
    // as it was written: the parts that are numbers belong to those that are not
    reader->spec->rotation[placed->rotation] = rotation;
  }
  return cardan__mbs_enter(reader,
                           (cardan__mbs_level){CARDAN__MBS_FRAME, true, list, form.next, frame, 0});
}

/* ---- joints ---- */

typedef struct {
  char text[256];
} joint_list;

/* "fixed, revolute, .. or free" */
static joint_list list_joints(const char *const *kinds, int n)
{
  joint_list list = {""};
  size_t used = 0;
  for (int k = 0; k < n && used < sizeof list.text; k++) {
    const char *between = k == 0 ? "" : k == n - 1 ? " or " : ", ";
    const int wrote =
        snprintf(list.text + used, sizeof list.text - used, "%s%s", between, kinds[k]);
    used += wrote > 0 ? (size_t)wrote : 0;
  }
  return list;
}

bool cardan__mbs_joint_kind(cardan__mbs_form *form, cardan_joint_kind *kind)
{
  const char *kinds[CARDAN__JOINT_MOST];
  int n = 0;
  for (; cardan__joint_type_of((cardan_joint_kind)n) != NULL; n++) {
    kinds[n] = cardan__joint_type_of((cardan_joint_kind)n)->word;
  }
  cardan__mbs *reader = form->reader;
  const int word = cardan__mbs_word(reader, form->next, kinds, n);
  if (word < 0 && cardan__mbs_is_symbol(reader, form->next)) {
    return cardan__mbs_fail(reader, form->next, "found the joint \"%s\"; expected %s%s",
                            cardan__show(cardan__sexpr_text(&reader->tree, form->next)).text,
                            list_joints(kinds, n).text,
                            cardan__mbs_hint(reader, form->next, kinds, n).text);
  }
  if (word < 0) {
    return cardan__mbs_expected(form, "the kind of joint");
  }
  *kind = (cardan_joint_kind)word;
  form->next = reader->tree.nodes[form->next].next;
  return true;
}

/* An axis of any length but zero. */
static bool read_axis(cardan__mbs_form *option, cardan_vec3 *axis)
{
  double v[3];
  if (!cardan__mbs_numbers(option, "three numbers", v, 3)) {
    return false;
  }
  if (v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0) {
    return cardan__mbs_fail(option->reader, option->list,
                            "found the axis (0 0 0); expected one that is not zero");
  }
  *axis = (cardan_vec3){v[0], v[1], v[2]};
  return true;
}

/* (restitution e), the next argument. */
static bool read_restitution(cardan__mbs_form *form, double *e)
{
  static const char *const word[] = {"restitution"};
  cardan__mbs *reader = form->reader;
  const int node = form->next;
  if (!cardan__mbs_is_list(reader, node) ||
      cardan__mbs_word(reader, cardan__sexpr_first(&reader->tree, node), word, 1) < 0) {
    return cardan__mbs_expected(form, "(restitution e)");
  }
  cardan__mbs_form inner = cardan__mbs_open(reader, node, "(restitution e)");
  if (!cardan__mbs_number(&inner, "a number from 0 to 1", e) || !cardan__mbs_close(&inner)) {
    return false;
  }
  if (!(*e >= 0 && *e <= 1)) {
    return cardan__mbs_fail(
        reader, node, "found a restitution of %g; expected 0 (no bounce) to 1 (all of it)", *e);
  }
  form->next = reader->tree.nodes[node].next;
  return true;
}

static bool read_joint_option(cardan__mbs *reader, int list, cardan__joint_option which,
                              cardan_joint_def *def)
{
  static const char *const usages[] = {"(axis x y z)", "(axis2 x y z)", "(pitch p)",
                                       "(limit low high (restitution e))", "(effort F)"};
  cardan__mbs_form option = cardan__mbs_open(reader, list, usages[which]);
  bool good = false;
  if (!cardan__joint_takes(def->kind, which)) {
    return cardan__mbs_fail(reader, list, "found %s on a %s joint, which has no use for it",
                            usages[which], cardan__joint_type_of(def->kind)->word);
  }
  switch (which) {
  case CARDAN__JOINT_AXIS:
    good = read_axis(&option, &def->axis);
    break;
  case CARDAN__JOINT_AXIS2:
    good = read_axis(&option, &def->axis2);
    break;
  case CARDAN__JOINT_PITCH:
    good = cardan__mbs_number(&option, "metres per radian", &def->pitch);
    break;
  case CARDAN__JOINT_LIMIT:
    def->has_limit = true;
    good = cardan__mbs_numbers(&option, "two numbers", def->limit, 2);
    if (good && def->limit[0] > def->limit[1]) {
      return cardan__mbs_fail(reader, list,
                              "found a limit from %g to %g; expected the lower end first",
                              def->limit[0], def->limit[1]);
    }
    good = good && (option.next < 0 || read_restitution(&option, &def->restitution));
    break;
  case CARDAN__JOINT_EFFORT:
    good = cardan__mbs_number(&option, "a force or torque", &def->effort);
    if (good && def->effort < 0) {
      return cardan__mbs_fail(reader, list, "found an effort of %g; expected at least 0",
                              def->effort);
    }
    break;
  }
  return good && cardan__mbs_close(&option);
}

bool cardan__mbs_joint_options(cardan__mbs_form *form, cardan_joint_def *def)
{
  cardan__mbs *reader = form->reader;
  int seen[CARDAN__MBS_NJOINT_OPTION] = {-1, -1, -1, -1, -1}, which;
  for (int node = form->next; node >= 0; node = reader->tree.nodes[node].next) {
    if (!cardan__mbs_is_list(reader, node) ||
        cardan__mbs_frame_head(reader, node, &which) != CARDAN__MBS_JOINT_OPTION) {
      continue;
    }
    if (seen[which] >= 0) {
      return cardan__mbs_fail(reader, node, "found a second (%s ..) of one joint; the first is%s",
                              words[FIRST_JOINT_OPTION + which],
                              cardan__cite(cardan__mbs_pos(reader, seen[which])).text);
    }
    seen[which] = node;
    if (!read_joint_option(reader, node, (cardan__joint_option)which, def)) {
      return false;
    }
  }
  if (cardan__joint_takes(def->kind, CARDAN__JOINT_PITCH) && seen[CARDAN__JOINT_PITCH] < 0) {
    return cardan__mbs_fail(
        reader, form->list,
        "found a %s joint without a pitch; expected (pitch p) in metres per radian",
        cardan__joint_type_of(def->kind)->word);
  }
  return true;
}

static bool read_joint(cardan__mbs *reader, int list, int parent)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, joint_usage);
  cardan_joint_def def = {0};
  cardan_pos name_pos;
  if (!cardan__mbs_joint_kind(&form, &def.kind) ||
      !cardan__mbs_string(&form, "the joint's name", &def.name, &name_pos) ||
      !cardan__mbs_joint_options(&form, &def)) {
    return false;
  }
  cardan_spec_at(reader->spec, name_pos);
  const int frame = cardan_spec_joint(reader->spec, parent, &def);
  if (reader->spec->status) {
    return false;
  }
  int *living = &reader->spec->frame[frame].living;
  reader->spec->frame[frame].pos = cardan__mbs_pos(reader, list);
  cardan__mbs_bind(reader, &def.pitch, 1, living, CARDAN__SLOT_PITCH);
  cardan__mbs_bind(reader, def.limit, 2, living, CARDAN__SLOT_LIMIT);
  return cardan__mbs_enter(reader,
                           (cardan__mbs_level){CARDAN__MBS_JOINT, true, list, form.next, frame, 0});
}

bool cardan__mbs_frame(cardan__mbs *reader, int list, cardan__mbs_frame_word word, int parent)
{
  if (word == CARDAN__MBS_TRANSFORM) {
    return read_transforms(reader, list, parent);
  }
  return word == CARDAN__MBS_PLACE ? read_place(reader, list, parent)
                                   : read_joint(reader, list, parent);
}

/* ---- options of a frame ---- */

static bool read_mass(cardan__mbs *reader, int list, int frame)
{
  cardan__mbs_form form = cardan__mbs_open(
      reader, list, "(mass m), (mass m Ixx Iyy Izz) or (mass m Ixx Iyy Izz Ixy Ixz Iyz)");
  double v[7] = {0};
  int n = 0;
  while (form.next >= 0 && n < 7) {
    if (!cardan__mbs_number(&form, "a number", &v[n++])) {
      return false;
    }
  }
  if (n != 1 && n != 4 && n != 7 && form.next < 0) {
    return cardan__mbs_fail(reader, list, "found %d number(s); expected 1, 4 or 7, as in %s", n,
                            form.usage);
  }
  if (!cardan__mbs_close(&form)) {
    return false;
  }
  const cardan_mass mass = {v[0], v[1], v[2], v[3], v[4], v[5], v[6]};
  cardan_spec_mass(reader->spec, frame, &mass);
  cardan__mbs_bind(reader, v, 7, &reader->spec->frame[frame].living, CARDAN__SLOT_MASS);
  return !reader->spec->status;
}

static bool read_shape(cardan__mbs *reader, int list, int frame)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, "(shape box x y z)");
  cardan_shape shape = {0};
  cardan_pos pos;
  if (!cardan__mbs_shape_kind(&form, false, &shape.kind)) {
    return false;
  }
  const cardan__shape_type *type = cardan__shape_type_of(shape.kind);
  form.usage = type->shape;
  if (!cardan__mbs_numbers(&form, "a number", shape.size, type->nsize) ||
      (shape.kind == CARDAN_SHAPE_MESH &&
       (!cardan__mbs_string(&form, "the name of a file", &shape.file, &pos) ||
        (form.next >= 0 && !cardan__mbs_numbers(&form, "a factor", shape.size, 3)))) ||
      !cardan__mbs_close(&form)) {
    return false;
  }
  cardan_spec_shape(reader->spec, frame, &shape);
  if (reader->spec->status) {
    return false;
  }
  const int last = reader->spec->frame[frame].last_shape;
  cardan__mbs_bind(reader, shape.size, 3, &reader->spec->shape[last].living, 0);
  return !reader->spec->status;
}

bool cardan__mbs_option(cardan__mbs *reader, int list, int index, int frame)
{
  const char *text;
  cardan_pos pos;
  if (index == 1) {
    return read_mass(reader, list, frame);
  }
  if (index == 2) {
    return read_shape(reader, list, frame);
  }
  if (index == 4) {
    return cardan__mbs_solid(reader, list, frame);
  }
  cardan__mbs_form form =
      cardan__mbs_open(reader, list, index == 0 ? "(name \"A\")" : "(color \"#rrggbb\")");
  if (!cardan__mbs_string(&form, index == 0 ? "a name" : "a color", &text, &pos) ||
      !cardan__mbs_close(&form)) {
    return false;
  }
  if (index == 0) {
    cardan_spec_frame_name(reader->spec, frame, text);
  } else {
    cardan_spec_color(reader->spec, frame, text);
  }
  return !reader->spec->status;
}
