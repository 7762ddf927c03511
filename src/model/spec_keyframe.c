// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "model/spec.h"

/* Armatures, and starts by name. */

void cardan_spec_armature(cardan_spec *spec, const char *q, double inertia)
{
  const char *copy = cardan__spec_text(spec, "variable's name", q);
  if (!copy || !cardan__spec_finite(spec, "an armature", &inertia, 1)) {
    return;
  }
  if (inertia < 0.0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the armature %g; expected one that is not negative", inertia);
    return;
  }
  const int before = cardan__names_get(&spec->armature_names, copy);
  if (before >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found a second armature of \"%s\"; it has one%s",
                      cardan__show(q).text, cardan__cite(spec->armature[before].pos).text);
    return;
  }
  if (cardan__spec_grow(spec, (void **)&spec->armature, &spec->cap_armature, spec->narmature,
                        sizeof(*spec->armature)) &&
      cardan__spec_memory(spec, cardan__names_set(&spec->armature_names, copy, spec->narmature))) {
    spec->armature[spec->narmature++] =
        (cardan__spec_armature){.q = copy, .inertia = inertia, .pos = spec->at};
  }
}

/* ---- keyframes ---- */

/* Room for "10 v NAME": a value's name in spec->key_names, of a variable or an input (u). */
enum { KEY_SIZE = CARDAN__NAME_MAX + 20 };

static const char *key_name(char text[KEY_SIZE], int keyframe, bool input, const char *name)
{
  snprintf(text, KEY_SIZE, "%d %c %s", keyframe, input ? 'u' : 'v', name);
  return text;
}

int cardan__spec_keyframe_has(const cardan_spec *spec, int keyframe, const char *var)
{
  char text[KEY_SIZE];
  return cardan__names_get(&spec->key_names, key_name(text, keyframe, false, var));
}

void cardan__spec_keyframe_begin(cardan_spec *spec, const char *name)
{
  const char *copy = cardan__spec_text(spec, "keyframe's name", name);
  const int before = copy ? cardan__names_get(&spec->keyframe_names, copy) : -1;
  if (before >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "the keyframe \"%s\" is already there%s; expected a new name",
                      cardan__show(name).text, cardan__cite(spec->keyframe[before].pos).text);
  }
  if (copy && before < 0 &&
      cardan__spec_grow(spec, (void **)&spec->keyframe, &spec->cap_keyframe, spec->nkeyframe,
                        sizeof(*spec->keyframe)) &&
      cardan__spec_memory(spec, cardan__names_set(&spec->keyframe_names, copy, spec->nkeyframe))) {
    spec->keyframe[spec->nkeyframe++] =
        (cardan__spec_keyframe){copy, spec->nkey_value, 0, spec->at};
  }
}

/* May this be in a keyframe? Its names are copied. */
static bool check_value(cardan_spec *spec, cardan_initial *value)
{
  if (value->frame != NULL || value->fixed) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a %s in a keyframe; expected values of variables and inputs",
                      value->frame != NULL ? "pose" : "fixed value");
    return false;
  }
  if (value->nvalue < 0 || value->nvalue > 7 || value->nvelocity < 0 || value->nvelocity > 6) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                      "found %d values and %d velocities for one joint; expected at most 7 and 6",
                      value->nvalue, value->nvelocity);
    return false;
  }
  if (value->input != NULL && (value->nvalue != 1 || value->nvelocity != 0)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found %d values and %d velocities for the input \"%s\"; expected one value",
                      value->nvalue, value->nvelocity, cardan__show(value->input).text);
    return false;
  }
  if (value->input != NULL) {
    value->input = cardan__spec_text(spec, "input's name", value->input);
    value->var = NULL;
  } else {
    value->var = cardan__spec_text(spec, "variable's name", value->var);
  }
  value->pose = (cardan_xform){0};
  return !spec->status &&
         cardan__spec_finite(spec, "a value of a keyframe", value->value, value->nvalue) &&
         cardan__spec_finite(spec, "a velocity of a keyframe", value->velocity, value->nvelocity);
}

void cardan__spec_keyframe_add(cardan_spec *spec, const cardan_initial *value)
{
  cardan__spec_initial item = {
      .initial = *value, .rotation = {CARDAN__ROT_NONE, {0}}, .pos = spec->at};
  char text[KEY_SIZE];
  if (spec->status || spec->nkeyframe == 0 || !check_value(spec, &item.initial)) {
    return;
  }
  const bool input = item.initial.input != NULL;
  const char *name = input ? item.initial.input : item.initial.var;
  const char *key = key_name(text, spec->nkeyframe - 1, input, name);
  const int before = cardan__names_get(&spec->key_names, key);
  if (before >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a second value for \"%s\"; this keyframe has one%s",
                      cardan__show(name).text, cardan__cite(spec->key_value[before].pos).text);
    return;
  }
  key = cardan__arena_text(&spec->arena, key, strlen(key));
  if (cardan__spec_memory(spec, key ? CARDAN_OK : CARDAN_ERR_MEMORY) &&
      cardan__spec_grow(spec, (void **)&spec->key_value, &spec->cap_key_value, spec->nkey_value,
                        sizeof(*spec->key_value)) &&
      cardan__spec_memory(spec, cardan__names_set(&spec->key_names, key, spec->nkey_value))) {
    spec->key_value[spec->nkey_value++] = item;
    spec->keyframe[spec->nkeyframe - 1].n++;
  }
}

void cardan_spec_keyframe(cardan_spec *spec, const char *name, const cardan_initial *value, int n)
{
  cardan__spec_keyframe_begin(spec, name);
  for (int i = 0; i < n && !spec->status; i++) {
    cardan_initial named = value[i];
    named.var = cardan__spec_var_at(spec, named.var, named.var_at);
    cardan__spec_keyframe_add(spec, &named);
  }
}
