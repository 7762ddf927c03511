// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/spec.h"

/* Elements (constraints, potentials, forces, motions), initial values, defaults for a run. */

enum {
  T = CARDAN__LEAVES_T,
  Q = CARDAN__LEAVES_Q,
  V = CARDAN__LEAVES_V,
  FRAME = CARDAN__LEAVES_FRAME
};

const cardan__element_rule *cardan__element_rule_of(cardan_element_kind kind)
{
  // frames, variables, numbers, expressions, and what may stand in the expressions
  static const cardan__element_rule rules[] = {
      [CARDAN_ELEMENT_POINT] = {2, 0, 0, 0, 0},
      [CARDAN_ELEMENT_COINCIDE] = {2, 0, 0, 0, 0},
      [CARDAN_ELEMENT_WIRE] = {2, 0, 0, 1, T},
      [CARDAN_ELEMENT_SCREW] = {0, 2, 1, 0, 0},
      [CARDAN_ELEMENT_GEAR] = {0, 2, 1, 0, 0},
      [CARDAN_ELEMENT_EQUATION] = {0, 0, 0, 1, T | Q | FRAME},
      [CARDAN_ELEMENT_CLOSE] = {2, 0, 0, 0, 0},
      [CARDAN_ELEMENT_WELD] = {2, 0, 0, 0, 0},
      [CARDAN_ELEMENT_MOTION] = {0, 1, 0, 1, T},
      [CARDAN_ELEMENT_SPRING] = {2, 0, 2, 0, 0},
      [CARDAN_ELEMENT_JOINT_SPRING] = {0, 1, 2, 0, 0},
      [CARDAN_ELEMENT_POTENTIAL] = {0, 0, 0, 1, Q | FRAME},
      [CARDAN_ELEMENT_NEWTON_GRAVITY] = {2, 0, 1, 0, 0},
      [CARDAN_ELEMENT_DAMPING] = {0, 1, 1, 0, 0},
      [CARDAN_ELEMENT_DAMPER] = {2, 0, 1, 0, 0},
      [CARDAN_ELEMENT_TORQUE] = {0, 1, 0, 1, T | Q | V | FRAME},
      [CARDAN_ELEMENT_WRENCH] = {1, 0, 0, 6, T | Q | V | FRAME},
      [CARDAN_ELEMENT_FRICTION] = {0, 1, 3, 0, 0},
  };
  return &rules[kind];
}

static const char *const words[] = {
#define ELEMENT_WORD(kind, id, word) word,
    CARDAN_ELEMENT_LIST(ELEMENT_WORD)
#undef ELEMENT_WORD
};

const char *cardan__spec_element_word(cardan_element_kind kind)
{
  return words[kind];
}

/* ---- constants in expressions ---- */

static bool find_constant(void *context, const char *name, size_t length, double *value)
{
  const cardan_spec *spec = context;
  char small[CARDAN__NAME_MAX + 1];
  if (length > CARDAN__NAME_MAX) {
    return false;
  }
  for (size_t i = 0; i < length; i++) {
    small[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
  }
  const int found = cardan__names_get_part(&spec->define_names, small, length);
  if (found >= 0) {
    *value = spec->define[found].value;
  }
  return found >= 0;
}

static const char *constant_name(void *context, int i)
{
  const cardan_spec *spec = context;
  return i < spec->ndefine ? spec->define[i].name : NULL;
}

cardan__expr_scope cardan__spec_scope(cardan_spec *spec, unsigned leaves)
{
  return (cardan__expr_scope){find_constant, constant_name, spec, leaves};
}

const cardan__expr *cardan__spec_keep_expr(cardan_spec *spec, cardan__expr *expr)
{
  void *memory = cardan__arena_take(&spec->arena, 1, cardan__expr_size(expr));
  cardan__expr *copy = memory ? cardan__expr_copy(expr, memory) : NULL;
  cardan__resize(spec->allocator, expr, 0);
  cardan__spec_memory(spec, copy ? CARDAN_OK : CARDAN_ERR_MEMORY);
  return copy;
}

/* ---- checks of one element ---- */

static void no_such(cardan_spec *spec, cardan_element_kind kind, const char *what)
{
  cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT, "found a %s without %s; expected one", words[kind],
                    what);
}

static bool same_name(const char *a, const char *b)
{
  return a && b && strcmp(a, b) == 0;
}

/* Copies the names that an element refers to; two ends must be two. */
static bool copy_names(cardan_spec *spec, cardan__spec_element *e)
{
  const cardan__element_rule *rule = cardan__element_rule_of(e->kind);
  const int nframe = e->kind == CARDAN_ELEMENT_POINT && e->frame[2] ? 3 : rule->nframe;
  for (int i = 0; i < 3; i++) {
    e->frame[i] = i < nframe ? cardan__spec_text(spec, "frame's name", e->frame[i]) : NULL;
  }
  const int nvar = e->kind == CARDAN_ELEMENT_DAMPING && !e->var[0] ? 0 : rule->nvar;
  for (int i = 0; i < 2; i++) {
    e->var[i] = i < nvar ? cardan__spec_text(spec, "variable's name", e->var[i]) : NULL;
  }
  const bool frames = same_name(e->frame[0], e->frame[1]);
  if (frames || same_name(e->var[0], e->var[1])) {
    cardan__spec_fail_at(spec, CARDAN_ERR_MODEL, frames ? e->frame_pos[1] : e->var_pos[1],
                         "found \"%s\" at both ends of a %s; expected two different names",
                         cardan__show(frames ? e->frame[0] : e->var[0]).text, words[e->kind]);
  }
  return !spec->status;
}

static bool check_friction(cardan_spec *spec, const double value[3])
{
  static const char *const what[3] = {"friction coefficient", "friction radius",
                                      "friction velocity vs"};
  for (int i = 0; i < 3; i++) {
    if (value[i] < 0.0) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                        "found the %s %g; expected one that is not negative", what[i], value[i]);
      return false;
    }
  }
  return true;
}

/* What the numbers of an element may be. */
static bool check_values(cardan_spec *spec, cardan__spec_element *e)
{
  const cardan__element_rule *rule = cardan__element_rule_of(e->kind);
  const cardan__joint_type *type = cardan__joint_type_of((int)e->joint.kind);
  const double n[3] = {e->n.x, e->n.y, e->n.z};
  double length = 1.0;
  if (!cardan__spec_finite(spec, "a parameter", e->value, rule->nvalue)) {
    return false;
  }
  e->nvalue = rule->nvalue;
  switch (e->kind) {
  case CARDAN_ELEMENT_POINT:
    if (cardan__spec_finite(spec, "a component of a direction", n, 3) && n[0] == 0.0 &&
        n[1] == 0.0 && n[2] == 0.0) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                        "found the direction (0 0 0); expected one that is not zero");
    }
    break;
  case CARDAN_ELEMENT_WIRE:
    if (cardan__expr_is_constant(e->expr[0], &length) && !(length > 0.0)) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found a wire of length %g m; expected more than 0",
                        length);
    }
    break;
  case CARDAN_ELEMENT_FRICTION:
    check_friction(spec, e->value);
    e->nvalue = e->value[2] > 0.0 ? 3 : e->value[1] > 0.0 ? 2 : 1;
    break;
  case CARDAN_ELEMENT_CLOSE:
    if (type != NULL && type->nv == 6) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                        "found (close %s ..), which closes nothing; expected another joint",
                        type->word);
    }
    e->joint.name = NULL;
    cardan__spec_joint_def(spec, &e->joint);
    break;
  default:
    break;
  }
  return !spec->status;
}

/* Copies and enters the name of an element. */
static bool take_name(cardan_spec *spec, cardan__spec_element *e)
{
  if (!e->name) {
    return true;
  }
  e->name = cardan__spec_text(spec, "name", e->name);
  if (!e->name) {
    return false;
  }
  const int before = cardan__names_get(&spec->element_names, e->name);
  if (before >= 0) {
    cardan__spec_fail_at(spec, CARDAN_ERR_MODEL, e->name_pos,
                         "the name \"%s\" is already used%s; expected a new name",
                         cardan__show(e->name).text,
                         cardan__cite(spec->element[before].name_pos).text);
    return false;
  }
  return cardan__spec_memory(spec,
                             cardan__names_set(&spec->element_names, e->name, spec->nelement));
}

void cardan__spec_add(cardan_spec *spec, const cardan__spec_element *element)
{
  cardan__spec_element e = *element;
  if (spec->status) {
    return;
  }
  const cardan__element_rule *rule = cardan__element_rule_of(e.kind);
  for (int i = 0; i < rule->nexpr; i++) {
    if (!e.expr[i]) {
      no_such(spec, e.kind, "an expression");
      return;
    }
  }
  if (copy_names(spec, &e) && check_values(spec, &e) &&
      cardan__spec_grow(spec, (void **)&spec->element, &spec->cap_element, spec->nelement,
                        sizeof(*spec->element)) &&
      take_name(spec, &e)) {
    spec->element[spec->nelement++] = e;
  }
}

/* Reads an expression given in code. Its leaves stand at the position of the call. */
static const cardan__expr *read_expr(cardan_spec *spec, const char *text, unsigned leaves)
{
  const cardan__expr_scope scope = cardan__spec_scope(spec, leaves);
  cardan_report report = {0};
  cardan__expr *expr = NULL;
  const cardan_status status =
      cardan__expr_read(text, strlen(text), &scope, spec->allocator, &report, &expr);
  if (status) {
    cardan__spec_fail(spec, status, "in the expression %s: %s", cardan__show(text).text,
                      report.message[0] ? report.message : cardan_status_text(status));
    return NULL;
  }
  cardan__expr_leaf *leaf = (void *)((char *)expr + expr->leaf);
  for (int i = 0; i < expr->nleaf; i++) {
    leaf[i].pos = spec->at;
  }
  return cardan__spec_keep_expr(spec, expr);
}

void cardan_spec_add(cardan_spec *spec, const cardan_element *element)
{
  if (spec->status) {
    return;
  }
  if ((int)element->kind < 0 || element->kind > CARDAN_ELEMENT_FRICTION) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT, "found %d as kind of an element; expected 0 to %d",
                      (int)element->kind, (int)CARDAN_ELEMENT_FRICTION);
    return;
  }
  const cardan__element_rule *rule = cardan__element_rule_of(element->kind);
  cardan__spec_element e = {.kind = element->kind,
                            .name = element->name,
                            .n = element->n,
                            .in_world = element->in_world,
                            .joint = element->joint,
                            .pos = spec->at,
                            .name_pos = spec->at};
  for (int i = 0; i < 3; i++) {
    e.frame[i] = element->frame[i];
    e.frame_pos[i] = spec->at;
  }
  for (int i = 0; i < 2; i++) {
    e.var[i] = element->var[i];
    e.var_pos[i] = spec->at;
  }
  for (int i = 0; i < rule->nvalue; i++) {
    e.value[i] = element->value[i];
  }
  for (int i = 0; i < rule->nexpr && !spec->status; i++) {
    // a component of a wrench that is not given is 0
    const char *text = element->expr[i] || rule->nexpr == 1 ? element->expr[i] : "0";
    e.expr[i] = text ? read_expr(spec, text, rule->leaves) : NULL;
  }
  cardan__spec_add(spec, &e);
}

/* ---- initial values ---- */

void cardan__spec_initial_add(cardan_spec *spec, const cardan_initial *initial,
                              const cardan__rotation *rotation)
{
  cardan__spec_initial item = {.initial = *initial, .rotation = *rotation, .pos = spec->at};
  cardan_initial *start = &item.initial;
  const double p[3] = {start->pose.p.x, start->pose.p.y, start->pose.p.z};
  if (spec->status) {
    return;
  }
  if (start->nvalue < 0 || start->nvalue > 7 || start->nvelocity < 0 || start->nvelocity > 6) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                      "found %d values and %d velocities for one joint; expected at most 7 and 6",
                      start->nvalue, start->nvelocity);
    return;
  }
  if (start->frame) {
    start->frame = cardan__spec_text(spec, "frame's name", start->frame);
    *start = (cardan_initial){.frame = start->frame, .pose = start->pose};
    if (!cardan__spec_finite(spec, "a coordinate of a pose", p, 3) ||
        !cardan__spec_rotation(spec, &item.rotation, &start->pose.R)) {
      return;
    }
  } else {
    start->var = cardan__spec_text(spec, "variable's name", start->var);
    if (!cardan__spec_finite(spec, "an initial value", start->value, start->nvalue) ||
        !cardan__spec_finite(spec, "an initial velocity", start->velocity, start->nvelocity)) {
      return;
    }
    start->pose = (cardan_xform){0};
  }
  const int before = spec->status ? -1
                     : start->var ? cardan__names_get(&spec->initial_names, start->var)
                                  : -1;
  if (before >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a second initial value for \"%s\"; it has one already%s",
                      cardan__show(start->var).text, cardan__cite(spec->initial[before].pos).text);
  }
  if (spec->status || !cardan__spec_grow(spec, (void **)&spec->initial, &spec->cap_initial,
                                         spec->ninitial, sizeof(*spec->initial))) {
    return;
  }
  if (start->frame || cardan__spec_memory(spec, cardan__names_set(&spec->initial_names, start->var,
                                                                  spec->ninitial))) {
    spec->initial[spec->ninitial++] = item;
  }
}

void cardan_spec_initial(cardan_spec *spec, const cardan_initial *initial)
{
  cardan__rotation rotation = {CARDAN__ROT_NONE, {0}};
  if (!initial->frame || cardan__spec_pose_rotation(spec, &initial->pose, &rotation)) {
    cardan__spec_initial_add(spec, initial, &rotation);
  }
}

/* ---- defaults for a run ---- */

/* A word that the writer can write as it is: small letters, digits and dashes. */
static bool is_key(const char *key)
{
  return key[0] >= 'a' && key[0] <= 'z' &&
         strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(key);
}

void cardan_spec_default(cardan_spec *spec, const char *key, const char *value)
{
  if (spec->status) {
    return;
  }
  if (!key || !is_key(key)) {
    cardan__spec_fail(
        spec, CARDAN_ERR_MODEL,
        "found the default \"%s\"; expected an option of a run, such as method, dt or "
        "time",
        key ? cardan__show(key).text : "");
    return;
  }
  for (int i = 0; i < spec->ndefault; i++) {
    if (strcmp(spec->defaults[i].key, key) == 0) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                        "found a second default for %s; it has one already%s", key,
                        cardan__cite(spec->defaults[i].pos).text);
      return;
    }
  }
  const char *name = cardan__spec_text(spec, "key", key);
  const char *copy = value ? cardan__spec_text(spec, "value", value) : "";
  if (name && copy &&
      cardan__spec_grow(spec, (void **)&spec->defaults, &spec->cap_default, spec->ndefault,
                        sizeof(*spec->defaults))) {
    spec->defaults[spec->ndefault++] = (cardan__spec_default){name, copy, spec->at};
  }
}
