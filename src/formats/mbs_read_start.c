// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/text.h"
#include "formats/mbs_read.h"

/* (initial ..), (keyframe ..), (armature ..), (simulate ..): where a motion starts, and its run. */

static const char initial_usage[] = "(initial (\"q\" value velocity) ((\"p\" value) fixed))";
static const char pose_usage[] =
    "(pose \"frame\" (x y z) (rpy r p y) (velocity (vx vy vz) (wx wy wz)))";

/* A number, or a list of at most `most` numbers; how many to *n. */
static bool read_values(cardan__mbs_form *form, const char *what, double *value, int most, int *n)
{
  cardan__mbs *reader = form->reader;
  if (!cardan__mbs_is_vector(reader, form->next)) {
    *n = 1;
    return cardan__mbs_number(form, what, value);
  }
  const int count = reader->tree.nodes[form->next].count;
  if (count == 0 || count > most) {
    return cardan__mbs_fail(reader, form->next, "found a list of %d; expected 1 to %d numbers",
                            count, most);
  }
  cardan__mbs_form list = {reader, form->next, cardan__sexpr_first(&reader->tree, form->next),
                           form->usage};
  *n = count;
  form->next = reader->tree.nodes[form->next].next;
  return cardan__mbs_numbers(&list, what, value, count);
}

/* ("q" value [velocity]); the spec's position is set to the name. */
static bool read_variable(cardan__mbs *reader, int list, const char *usage, cardan_initial *start)
{
  cardan__mbs_form form = {reader, list, cardan__sexpr_first(&reader->tree, list), usage};
  cardan_pos pos;
  if (!cardan__mbs_string(&form, "the name of a variable", &start->var, &pos) ||
      !read_values(&form, "a value", start->value, 7, &start->nvalue) ||
      (form.next >= 0 &&
       !read_values(&form, "a velocity", start->velocity, 6, &start->nvelocity)) ||
      !cardan__mbs_close(&form)) {
    return false;
  }
  cardan_spec_at(reader->spec, pos);
  return true;
}

static bool read_start(cardan__mbs *reader, int list, bool fixed)
{
  const cardan__rotation none = {CARDAN__ROT_NONE, {0}};
  cardan_initial start = {.fixed = fixed};
  if (!read_variable(reader, list, initial_usage, &start)) {
    return false;
  }
  cardan__spec_initial_add(reader->spec, &start, &none);
  if (reader->spec->status) {
    return false;
  }
  int *living = &reader->spec->initial[reader->spec->ninitial - 1].living;
  cardan__mbs_bind(reader, start.value, 7, living, CARDAN__SLOT_START);
  cardan__mbs_bind(reader, start.velocity, 6, living, CARDAN__SLOT_START_RATE);
  return !reader->spec->status;
}

/* (velocity (vx vy vz) [(wx wy wz)]), if there is one */
static bool read_pose_velocity(cardan__mbs_form *form, cardan_initial *start)
{
  cardan__mbs *reader = form->reader;
  const int first =
      cardan__mbs_is_list(reader, form->next) ? cardan__sexpr_first(&reader->tree, form->next) : -1;
  if (!cardan__sexpr_is(&reader->tree, first, "velocity")) {
    return true;
  }
  cardan__mbs_form inner = cardan__mbs_open(reader, form->next, pose_usage);
  form->next = reader->tree.nodes[form->next].next;
  do {
    cardan_vec3 v;
    if (!cardan__mbs_vector(&inner, "three numbers (x y z)", &v)) {
      return false;
    }
    start->velocity[start->nvelocity++] = v.x;
    start->velocity[start->nvelocity++] = v.y;
    start->velocity[start->nvelocity++] = v.z;
  } while (inner.next >= 0 && start->nvelocity < 6);
  return cardan__mbs_close(&inner);
}

static bool read_pose(cardan__mbs *reader, int list)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, pose_usage);
  cardan_initial start = {0};
  cardan__rotation rotation;
  cardan_pos pos;
  if (!cardan__mbs_string(&form, "the name of a frame", &start.frame, &pos) ||
      !cardan__mbs_vector(&form, "three numbers (x y z)", &start.pose.p) ||
      !cardan__mbs_rotation(&form, &rotation) || !read_pose_velocity(&form, &start) ||
      !cardan__mbs_close(&form)) {
    return false;
  }
  cardan_spec_at(reader->spec, pos);
  cardan__spec_initial_add(reader->spec, &start, &rotation);
  cardan__mbs_unbound(reader);
  return !reader->spec->status;
}

bool cardan__mbs_initial(cardan__mbs *reader, int list)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, initial_usage);
  bool good = true;
  for (; form.next >= 0 && good; form.next = reader->tree.nodes[form.next].next) {
    const int first =
        cardan__mbs_is_list(reader, form.next) ? cardan__sexpr_first(&reader->tree, form.next) : -1;
    if (cardan__sexpr_is(&reader->tree, first, "pose")) {
      good = read_pose(reader, form.next);
    } else if (cardan__mbs_is_string(reader, first)) {
      good = read_start(reader, form.next, false);
    } else if (cardan__mbs_is_list(reader, first)) {
      cardan__mbs_form inner = cardan__mbs_open(reader, form.next, initial_usage);
      if (!cardan__sexpr_is(&reader->tree, inner.next, "fixed")) {
        return cardan__mbs_expected(&inner, "the word fixed");
      }
      inner.next = reader->tree.nodes[inner.next].next;
      good = cardan__mbs_close(&inner) && read_start(reader, first, true);
    } else {
      return cardan__mbs_expected(&form, "a variable with its value, or a pose");
    }
  }
  return good;
}

/* ---- (armature ..), (keyframe ..) ---- */

bool cardan__mbs_armature(cardan__mbs *reader, int list)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, "(armature \"q\" inertia)");
  const char *q;
  cardan_pos pos;
  double inertia;
  if (!cardan__mbs_string(&form, "the name of a variable", &q, &pos) ||
      !cardan__mbs_number(&form, "the inertia of a rotor", &inertia) || !cardan__mbs_close(&form)) {
    return false;
  }
  cardan_spec_at(reader->spec, pos);
  cardan_spec_armature(reader->spec, q, inertia);
  if (reader->spec->status) {
    return false;
  }
  cardan__spec_armature *added = &reader->spec->armature[reader->spec->narmature - 1];
  cardan__mbs_bind(reader, &inertia, 1, &added->living, 0);
  return !reader->spec->status;
}

static const char keyframe_usage[] =
    "(keyframe \"home\" (\"q\" value velocity) (input \"u\" value))";

/* (input "u" value); the spec's position is set to the name. */
static bool read_input_value(cardan__mbs *reader, int list, cardan_initial *value)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, keyframe_usage);
  cardan_pos pos;
  value->nvalue = 1;
  if (!cardan__mbs_string(&form, "the name of an input", &value->input, &pos) ||
      !cardan__mbs_number(&form, "a value", value->value) || !cardan__mbs_close(&form)) {
    return false;
  }
  cardan_spec_at(reader->spec, pos);
  return true;
}

bool cardan__mbs_keyframe(cardan__mbs *reader, int list)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, keyframe_usage);
  const char *name;
  cardan_pos pos;
  if (!cardan__mbs_string(&form, "the name of a keyframe", &name, &pos)) {
    return false;
  }
  cardan_spec_at(reader->spec, pos);
  cardan__spec_keyframe_begin(reader->spec, name);
  for (; form.next >= 0 && !reader->spec->status; form.next = reader->tree.nodes[form.next].next) {
    const int first =
        cardan__mbs_is_list(reader, form.next) ? cardan__sexpr_first(&reader->tree, form.next) : -1;
    const bool input = cardan__sexpr_is(&reader->tree, first, "input");
    cardan_initial value = {0};
    if (!input && !cardan__mbs_is_string(reader, first)) {
      return cardan__mbs_expected(&form, "a variable with its value, or (input \"u\" value)");
    }
    if (input ? !read_input_value(reader, form.next, &value)
              : !read_variable(reader, form.next, keyframe_usage, &value)) {
      return false;
    }
    cardan__spec_keyframe_add(reader->spec, &value);
  }
  return !reader->spec->status;
}

/* ---- (simulate ..) ---- */

/* A symbol in small letters. */
static bool small_letters(cardan__mbs *reader, int node, char *text, size_t size)
{
  if (!cardan__mbs_is_symbol(reader, node)) {
    return false;
  }
  const char *word = cardan__sexpr_text(&reader->tree, node);
  const size_t length = strlen(word);
  for (size_t i = 0; i <= length && length < size; i++) {
    text[i] = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
  }
  return length < size;
}

/* The same, unless it is a constant. */
static bool symbol_value(cardan__mbs *reader, int node, char *text, size_t size)
{
  const cardan__expr_scope scope = cardan__mbs_scope(reader, CARDAN__LEAVES_NONE);
  double value;
  if (!small_letters(reader, node, text, size)) {
    return false;
  }
  const char *word = cardan__sexpr_text(&reader->tree, node);
  return !cardan__sexpr_is(&reader->tree, node, "pi") &&
         !scope.constant(scope.context, word, strlen(word), &value);
}

/* One option, (key value) or (key). The key may be any word: methods have their own. */
static bool read_default(cardan__mbs *reader, int list)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, "(simulate (method vi) (dt 0.01))");
  const int head = cardan__sexpr_first(&reader->tree, list);
  char key[64], buffer[128];
  const char *value = buffer;
  cardan_pos pos;
  double number;
  if (!small_letters(reader, head, key, sizeof(key))) {
    char found[CARDAN__DESCRIBE_SIZE];
    return cardan__mbs_fail(reader, head >= 0 ? head : list,
                            "found %s; expected an option of a run, such as method, dt or time",
                            cardan__sexpr_describe(&reader->tree, head, found));
  }
  if (form.next < 0) {
    value = NULL;
  } else if (cardan__mbs_is_string(reader, form.next)) {
    cardan__mbs_string(&form, "", &value, &pos);
  } else if (symbol_value(reader, form.next, buffer, sizeof(buffer))) {
    form.next = reader->tree.nodes[form.next].next;
  } else {
    if (!cardan__mbs_number(&form, "a value", &number)) {
      return false;
    }
    cardan__format_number(buffer, number, 0);
  }
  cardan__mbs_unbound(reader);
  if (!cardan__mbs_close(&form)) {
    return false;
  }
  cardan_spec_at(reader->spec, cardan__mbs_pos(reader, head));
  cardan_spec_default(reader->spec, key, value);
  return !reader->spec->status;
}

bool cardan__mbs_simulate(cardan__mbs *reader, int list)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, "(simulate (method vi) (dt 0.01))");
  for (; form.next >= 0; form.next = reader->tree.nodes[form.next].next) {
    if (!cardan__mbs_is_list(reader, form.next)) {
      return cardan__mbs_expected(&form, "a pair (key value)");
    }
    if (!read_default(reader, form.next)) {
      return false;
    }
  }
  return true;
}
