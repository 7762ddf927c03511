// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/elements.h"

/* Elements (constraints, potentials, forces, motions), initial values, defaults for a run. */

/* ---- checks of one element ---- */

static void no_such(cardan_spec *spec, cardan_element_kind kind, const char *what)
{
  cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT, "found a %s without %s; expected one",
                    cardan__element_word(kind), what);
}

static bool same_name(const char *a, const char *b)
{
  return a && b && strcmp(a, b) == 0;
}

/* Copies the names that an element refers to; two ends must be two. */
static bool copy_names(cardan_spec *spec, cardan__spec_element *e)
{
  const cardan__element *kind = cardan__element_of(e->kind);
  const char *frame[3] = {NULL}, *var[2] = {NULL};
  for (int i = 0; i < CARDAN__MAX_ARGUMENT; i++) {
    const int k = kind->argument[i].index;
    switch (kind->argument[i].kind) {
    case CARDAN__ARG_FRAME:
      frame[k] = cardan__spec_text(spec, "frame's name", e->frame[k]);
      break;
    case CARDAN__ARG_FRAME_OPTION:
      frame[k] = e->frame[k] ? cardan__spec_text(spec, "frame's name", e->frame[k]) : NULL;
      break;
    case CARDAN__ARG_VAR:
      var[k] = cardan__spec_text(spec, "variable's name", e->var[k]);
      break;
    case CARDAN__ARG_INPUT:
      var[k] = cardan__spec_text(spec, "input's name", e->var[k]);
      break;
    case CARDAN__ARG_MAYBE_VAR:
      var[k] = e->var[k] ? cardan__spec_text(spec, "variable's name", e->var[k]) : NULL;
      break;
    default:
      break;
    }
  }
  if (e->kind == CARDAN_ELEMENT_CLOSE && e->var[0]) {
    var[0] = cardan__spec_text(spec, "coordinate's name", e->var[0]);
  }
  memcpy(e->frame, frame, sizeof frame);
  memcpy(e->var, var, sizeof var);
  const bool frames = same_name(e->frame[0], e->frame[1]);
  if (frames || (cardan__element_input(kind) < 0 && same_name(e->var[0], e->var[1]))) {
    cardan__spec_fail_at(spec, CARDAN_ERR_MODEL, frames ? e->frame_pos[1] : e->var_pos[1],
                         "found \"%s\" at both ends of a %s; expected two different names",
                         cardan__show(frames ? e->frame[0] : e->var[0]).text,
                         cardan__element_word(e->kind));
  }
  return !spec->status;
}

/* What the numbers of an element may be. */
static bool check_values(cardan_spec *spec, cardan__spec_element *e)
{
  const cardan__element *kind = cardan__element_of(e->kind);
  if (cardan__spec_finite(spec, "a parameter", e->value, cardan__element_values(kind)) &&
      kind->check) {
    kind->check(spec, e);
  }
  return !spec->status;
}

/* A name that no element has, "actuator3", for one that a text cannot write without. */
static const char *free_name(cardan_spec *spec, cardan_element_kind kind)
{
  char text[64];
  int number = spec->nelement + 1;
  do {
    snprintf(text, sizeof text, "%s%d", cardan__element_word(kind), number++);
  } while (cardan__names_get(&spec->element_names, text) >= 0);
  return cardan__spec_text(spec, "name", text);
}

/* Copies and enters the name of an element. */
static bool take_name(cardan_spec *spec, cardan__spec_element *e)
{
  const bool needs = cardan__element_of(e->kind)->argument[0].kind == CARDAN__ARG_NAME;
  if (!e->name && !needs) {
    return true;
  }
  e->name = e->name ? cardan__spec_text(spec, "name", e->name) : free_name(spec, e->kind);
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
  const int nexpr = cardan__element_exprs(cardan__element_of(e.kind));
  for (int i = 0; i < nexpr; i++) {
    if (!e.expr[i]) {
      no_such(spec, e.kind, "an expression");
      return;
    }
  }
  if (!copy_names(spec, &e) || !check_values(spec, &e)) {
    return;
  }
  if (cardan__spec_grow(spec, (void **)&spec->element, &spec->cap_element, spec->nelement,
                        sizeof(*spec->element)) &&
      take_name(spec, &e)) {
    spec->element[spec->nelement++] = e;
  }
  const cardan__element *kind = cardan__element_of(e.kind);
  if (kind->state[0] != NULL && e.value[kind->state_value] > 0.0 && !spec->status) {
    cardan__spec_element_states(spec, &e, kind->state, CARDAN_NELEMENT_STATE);
  }
  const bool closes = e.kind == CARDAN_ELEMENT_CLOSE && (e.var[0] || e.joint.has_limit);
  if (closes && !spec->status) {
    cardan__spec_closing_add(spec, &e);
  }
}

void cardan_spec_add(cardan_spec *spec, const cardan_element *element)
{
  if (spec->status) {
    return;
  }
  if ((int)element->kind < 0 || (int)element->kind >= CARDAN_NELEMENT_KIND) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT, "found %d as kind of an element; expected 0 to %d",
                      (int)element->kind, CARDAN_NELEMENT_KIND - 1);
    return;
  }
  const cardan__element *kind = cardan__element_of(element->kind);
  const int nvalue = cardan__element_values(kind), nexpr = cardan__element_exprs(kind);
  cardan__spec_element e = {.kind = element->kind,
                            .name = element->name,
                            .n = element->n,
                            .in_world = element->in_world,
                            .joint = element->joint,
                            .pos = spec->at,
                            .name_pos = spec->at};
  for (int i = 0; i < 3; i++) {
    e.frame[i] = cardan__spec_frame_at(spec, element->frame[i], element->frame_at[i]);
    e.frame_pos[i] = spec->at;
  }
  for (int i = 0; i < 2; i++) {
    e.var[i] = cardan__spec_var_at(spec, element->var[i], element->var_at[i]);
    e.var_pos[i] = spec->at;
  }
  for (int i = 0; i < nvalue; i++) {
    e.value[i] = element->value[i];
  }
  for (int i = 0; i < nexpr && !spec->status; i++) {
    // an expression of a list that is not given is 0
    const char *text = element->expr[i] || nexpr == 1 ? element->expr[i] : "0";
    e.expr[i] = text ? cardan__spec_read_expr(spec, text, kind->leaves) : NULL;
  }
  cardan__spec_add(spec, &e);
}

/* ---- outputs ---- */

void cardan__spec_output_add(cardan_spec *spec, const char *name, const cardan__expr *expr)
{
  const char *copy = cardan__spec_text(spec, "name", name);
  const int before = copy ? cardan__names_get(&spec->output_names, copy) : -1;
  if (before >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "there is already an output \"%s\"%s; expected a new name",
                      cardan__show(name).text, cardan__cite(spec->output[before].pos).text);
  }
  if (!spec->status &&
      cardan__spec_grow(spec, (void **)&spec->output, &spec->cap_output, spec->noutput,
                        sizeof *spec->output) &&
      cardan__spec_memory(spec, cardan__names_set(&spec->output_names, copy, spec->noutput))) {
    spec->output[spec->noutput++] = (cardan__spec_output){copy, expr, spec->at, NULL};
  }
}

void cardan_spec_output(cardan_spec *spec, const char *name, const char *expr)
{
  const unsigned leaves = CARDAN__LEAVES_ALL | CARDAN__LEAVES_SENSE;
  const cardan__expr *read = cardan__spec_read_expr(spec, expr, leaves);
  if (read) {
    cardan__spec_output_add(spec, name, read);
  }
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
    start->nvalue = 0;
    start->var = NULL;
    start->fixed = false;
    if (start->nvelocity % 3 != 0) {
      cardan__spec_fail(
          spec, CARDAN_ERR_ARGUMENT,
          "found %d velocities for a pose; expected 3 of its origin, or 6 with turning",
          start->nvelocity);
      return;
    }
    if (!cardan__spec_finite(spec, "a coordinate of a pose", p, 3) ||
        !cardan__spec_finite(spec, "a velocity of a pose", start->velocity, start->nvelocity) ||
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
  cardan_initial named = *initial;
  named.frame = cardan__spec_frame_at(spec, initial->frame, initial->frame_at);
  named.var = cardan__spec_var_at(spec, initial->var, initial->var_at);
  bool turned = false; // a matrix of zeros: no rotation is given
  for (int i = 0; i < 9; i++) {
    turned = turned || named.pose.R.m[i / 3][i % 3] != 0;
  }
  if (!named.frame || !turned || cardan__spec_pose_rotation(spec, &named.pose, &rotation)) {
    if (named.frame && turned && rotation.form == CARDAN__ROT_NONE) {
      rotation = (cardan__rotation){CARDAN__ROT_QUAT, {1, 0, 0, 0}}; // said, and not left open
    }
    cardan__spec_initial_add(spec, &named, &rotation);
  }
}

void cardan_spec_forget_initial(cardan_spec *spec)
{
  const cardan_allocator alloc = spec->initial_names.alloc;
  cardan__names_free(&spec->initial_names);
  cardan__names_init(&spec->initial_names, &alloc);
  spec->ninitial = 0;
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
