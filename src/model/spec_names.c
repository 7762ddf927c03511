// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/spec.h"

/* The names of coordinates, the name spaces of a spec, and its failures. */

cardan_joint_kind cardan__spec_joint_kind(const cardan_spec *spec, int frame)
{
  const cardan__spec_frame *f = &spec->frame[frame];
  if (f->form == CARDAN__FORM_JOINT) {
    return spec->joint[f->joint].kind;
  }
  if (f->form == CARDAN__FORM_TRANSFORM && f->var) {
    return cardan__transform_joint(f->transform);
  }
  return CARDAN_JOINT_FIXED;
}

const char *cardan__spec_var_name(const cardan_spec *spec, int frame)
{
  const cardan__spec_frame *f = &spec->frame[frame];
  return f->form == CARDAN__FORM_JOINT ? spec->joint[f->joint].name : f->var;
}

const char *cardan__spec_frame_name(const cardan_spec *spec, int frame)
{
  const char *name = spec->frame[frame].name;
  return name ? name : cardan__spec_var_name(spec, frame);
}

int cardan__spec_find_frame(const cardan_spec *spec, const char *name)
{
  int frame = cardan__names_get(&spec->frame_names, name);
  if (frame < 0) {
    // a frame without a name of its own goes by that of its variable
    frame = cardan__names_get(&spec->var_names, name);
    frame = frame >= 0 && spec->frame[frame].name ? -1 : frame;
  }
  return frame < 0 && strcmp(name, "world") == 0 ? 0 : frame;
}

int cardan_spec_find_frame(const cardan_spec *spec, const char *name)
{
  return name ? cardan__spec_find_frame(spec, name) : -1;
}

cardan__var_ref cardan__spec_find_var(const cardan_spec *spec, const char *name)
{
  cardan__var_ref ref = {cardan__names_get(&spec->var_names, name), -1, -1};
  if (ref.frame >= 0) {
    if (cardan__joint_type_of(cardan__spec_joint_kind(spec, ref.frame))->nq == 1) {
      ref.q = ref.v = 0;
    }
    return ref;
  }

  // a joint of several degrees of freedom, and one of its suffixes
  const char *dot = strrchr(name, '.');
  const int frame = dot ? cardan__names_get_part(&spec->var_names, name, (size_t)(dot - name)) : -1;
  if (frame < 0) {
    return ref;
  }
  const cardan__joint_type *type = cardan__joint_type_of(cardan__spec_joint_kind(spec, frame));
  for (int k = 0; k < type->nq; k++) {
    ref.q = strcmp(type->q_suffix[k], dot) == 0 ? k : ref.q;
  }
  for (int k = 0; k < type->nv; k++) {
    ref.v = strcmp(type->v_suffix[k], dot) == 0 ? k : ref.v;
  }
  ref.frame = ref.q >= 0 || ref.v >= 0 ? frame : -1;
  return ref;
}

int cardan__spec_var_clash(const cardan_spec *spec, const char *name, cardan_joint_kind kind)
{
  const cardan__var_ref ref = cardan__spec_find_var(spec, name);
  const cardan__joint_type *type = cardan__joint_type_of(kind);
  int clash = ref.frame;
  for (int k = 0; k < type->nq + type->nv && clash < 0 && type->nq > 1; k++) {
    char full[CARDAN__NAME_MAX + 8];
    snprintf(full, sizeof(full), "%s%s", name,
             k < type->nq ? type->q_suffix[k] : type->v_suffix[k - type->nq]);
    clash = cardan__names_get(&spec->var_names, full);
  }
  return clash;
}

/* ---- names of what is given by index ---- */

const char *cardan__spec_free_var(cardan_spec *spec, cardan_joint_kind kind)
{
  char text[32];
  int number = spec->nframe;
  do {
    snprintf(text, sizeof text, "joint%d", number++);
  } while (cardan__spec_var_clash(spec, text, kind) >= 0);
  return spec->status ? NULL : cardan__spec_text(spec, "joint's name", text);
}

/* Is there such a frame? Only one of its index and a name may be given. */
static bool is_index(cardan_spec *spec, const char *name, int at)
{
  if (name) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                      "found the name \"%s\" and the index %d for one thing; expected one of them",
                      cardan__show(name).text, at);
  } else if (at < 0 || at >= spec->nframe) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                      "found %d as index of a frame; expected a frame from 1 to %d", at,
                      spec->nframe - 1);
  }
  return !spec->status;
}

const char *cardan_spec_frame_named(cardan_spec *spec, int frame)
{
  if (spec->status || !is_index(spec, NULL, frame)) {
    return NULL;
  }
  if (frame == 0) {
    return "world";
  }
  if (!cardan__spec_frame_name(spec, frame)) {
    char text[32];
    int number = frame;
    do {
      snprintf(text, sizeof text, "frame%d", number++);
    } while (cardan__spec_find_frame(spec, text) >= 0);
    cardan_spec_frame_name(spec, frame, text);
  }
  return spec->status ? NULL : cardan__spec_frame_name(spec, frame);
}

const char *cardan__spec_frame_at(cardan_spec *spec, const char *name, int at)
{
  return at == 0 || spec->status    ? name
         : is_index(spec, name, at) ? cardan_spec_frame_named(spec, at)
                                    : NULL;
}

const char *cardan__spec_var_at(cardan_spec *spec, const char *name, int at)
{
  if (at == 0 || spec->status || !is_index(spec, name, at)) {
    return name;
  }
  const char *var = cardan__spec_var_name(spec, at);
  if (!var) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                      "found frame %d for a coordinate or joint; expected one that carries it", at);
  }
  return var;
}

/* ---- failures ---- */

static void fail(cardan_spec *spec, cardan_status status, cardan_pos pos, const char *format,
                 va_list args) CARDAN_PRINTF(4, 0);

static void fail(cardan_spec *spec, cardan_status status, cardan_pos pos, const char *format,
                 va_list args)
{
  char message[sizeof(spec->report.message)];
  if (spec->status == CARDAN_OK) {
    vsnprintf(message, sizeof(message), format, args);
    spec->status = cardan_fail(&spec->report, status, pos, "%s", message);
  }
}

void cardan__spec_fail(cardan_spec *spec, cardan_status status, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  fail(spec, status, spec->at, format, args);
  va_end(args);
}

void cardan__spec_fail_at(cardan_spec *spec, cardan_status status, cardan_pos pos,
                          const char *format, ...)
{
  va_list args;
  va_start(args, format);
  fail(spec, status, pos, format, args);
  va_end(args);
}

cardan__shown cardan__show(const char *name)
{
  cardan__shown shown;
  const size_t length = strlen(name), most = sizeof(shown.text) - 4;
  if (length <= most) {
    memcpy(shown.text, name, length + 1);
  } else {
    const size_t cut = cardan__utf8_cut(name, most);
    memcpy(shown.text, name, cut);
    memcpy(shown.text + cut, "...", 4);
  }
  return shown;
}

cardan__shown cardan__cite(cardan_pos pos)
{
  cardan__shown shown = {""};
  if (pos.line > 0) {
    snprintf(shown.text, sizeof(shown.text), " at line %d", pos.line);
  }
  return shown;
}
