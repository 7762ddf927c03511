// SPDX-License-Identifier: Apache-2.0
#include "model/spec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A spec's life and what belongs to the system as a whole. Frames are in spec_frame.c, elements and
 * initial values in spec_add.c, what only a whole spec can show in spec_check.c. */

cardan_status cardan_spec_create(const cardan_allocator *allocator, cardan_spec **out)
{
  *out = NULL;
  cardan_spec *spec = cardan__resize(allocator, NULL, sizeof(*spec));
  if (!spec) {
    return CARDAN_ERR_MEMORY;
  }
  *spec = (cardan_spec){.name = ""};
  if (allocator) {
    spec->own_allocator = *allocator;
    spec->allocator = &spec->own_allocator;
  }
  cardan__arena_init(&spec->arena, spec->allocator);
  cardan__names *tables[] = {&spec->frame_names,    &spec->var_names,        &spec->element_names,
                             &spec->initial_names,  &spec->define_names,     &spec->input_names,
                             &spec->armature_names, &spec->keyframe_names,   &spec->key_names,
                             &spec->output_names,   &spec->material_names,   &spec->contact_names,
                             &spec->state_names,    &spec->controller_names, &spec->closing_names};
  for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
    cardan__names_init(tables[i], spec->allocator);
  }
  const cardan_status status = cardan__grow(spec->allocator, (void **)&spec->frame,
                                            &spec->cap_frame, 1, sizeof(*spec->frame));
  if (status) {
    cardan_spec_destroy(spec);
    return status;
  }
  spec->nframe = 1;
  spec->frame[0] = (cardan__spec_frame){.form = CARDAN__FORM_PLACE,
                                        .parent = -1,
                                        .joint = -1,
                                        .shape = -1,
                                        .rotation = -1,
                                        .place = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}}};
  *out = spec;
  return CARDAN_OK;
}

void cardan_spec_destroy(cardan_spec *spec)
{
  if (!spec) {
    return;
  }
  void *arrays[] = {spec->frame,     spec->joint,   spec->shape,      spec->rotation,
                    spec->element,   spec->initial, spec->define,     spec->defaults,
                    spec->note,      spec->input,   spec->armature,   spec->keyframe,
                    spec->key_value, spec->living,  spec->output,     spec->material,
                    spec->contact,   spec->state,   spec->controller, spec->closing};
  for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
    cardan__resize(spec->allocator, arrays[i], 0);
  }
  cardan__names_free(&spec->frame_names);
  cardan__names_free(&spec->var_names);
  cardan__names_free(&spec->element_names);
  cardan__names_free(&spec->initial_names);
  cardan__names_free(&spec->define_names);
  cardan__names_free(&spec->input_names);
  cardan__names_free(&spec->armature_names);
  cardan__names_free(&spec->keyframe_names);
  cardan__names_free(&spec->key_names);
  cardan__names_free(&spec->output_names);
  cardan__names_free(&spec->state_names);
  cardan__names_free(&spec->controller_names);
  cardan__names_free(&spec->material_names);
  cardan__names_free(&spec->closing_names);
  cardan__names_free(&spec->contact_names);
  cardan__arena_free(&spec->arena);
  const cardan_allocator allocator = spec->own_allocator;
  cardan__resize(&allocator, spec, 0);
}

cardan_status cardan_spec_status(const cardan_spec *spec, cardan_report *report)
{
  if (spec->status && report) {
    *report = spec->report;
  }
  return spec->status;
}

void cardan_spec_at(cardan_spec *spec, cardan_pos pos)
{
  spec->at = pos;
}

/* ---- small checks ---- */

static void add_note(cardan_spec *spec, const char *file, cardan_pos pos, const char *format,
                     va_list args) CARDAN_PRINTF(4, 0);

static void add_note(cardan_spec *spec, const char *file, cardan_pos pos, const char *format,
                     va_list args)
{
  char text[160];
  vsnprintf(text, sizeof text, format, args);
  const char *kept = cardan__arena_text(&spec->arena, text, strlen(text));
  const char *where = file != NULL ? cardan__arena_text(&spec->arena, file, strlen(file)) : NULL;
  const bool memory = kept != NULL && (file == NULL || where != NULL);
  if (cardan__spec_memory(spec, memory ? CARDAN_OK : CARDAN_ERR_MEMORY) &&
      cardan__spec_grow(spec, (void **)&spec->note, &spec->cap_note, spec->nnote,
                        sizeof *spec->note)) {
    spec->note[spec->nnote++] = (cardan__spec_note_item){kept, where, pos};
  }
}

void cardan__spec_note(cardan_spec *spec, cardan_pos pos, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  add_note(spec, NULL, pos, format, args);
  va_end(args);
}

void cardan__spec_note_in(cardan_spec *spec, const char *file, cardan_pos pos, const char *format,
                          ...)
{
  va_list args;
  va_start(args, format);
  add_note(spec, file, pos, format, args);
  va_end(args);
}

cardan_status cardan_spec_strict(const cardan_spec *spec, cardan_report *report)
{
  if (spec->status != CARDAN_OK || spec->nnote == 0) {
    return cardan_spec_status(spec, report);
  }
  const cardan__spec_note_item *first = &spec->note[0];
  for (int i = 1; i < spec->nnote; i++) { // in the order of the text, its own before others
    const cardan__spec_note_item *n = &spec->note[i];
    const bool own = n->file == NULL,
               before = n->pos.line < first->pos.line ||
                        (n->pos.line == first->pos.line && n->pos.column < first->pos.column);
    first = own == (first->file == NULL) ? (before ? n : first) : own ? n : first;
  }
  cardan__report_file(report, first->file != NULL ? first->file : spec->report.file);
  return cardan_fail(report, CARDAN_ERR_MODEL, first->pos, "%s", first->text);
}

bool cardan__spec_memory(cardan_spec *spec, cardan_status status)
{
  if (status) {
    cardan__spec_fail(spec, CARDAN_ERR_MEMORY, "there is not enough memory for this model");
  }
  return status == CARDAN_OK;
}

bool cardan__spec_finite(cardan_spec *spec, const char *what, const double *value, int n)
{
  for (int i = 0; i < n; i++) {
    if (!isfinite(value[i])) {
      cardan__spec_fail(spec, CARDAN_ERR_NOT_FINITE,
                        "found %s that is not a finite number; expected a finite one", what);
      return false;
    }
  }
  return true;
}

const char *cardan__spec_text(cardan_spec *spec, const char *what, const char *text)
{
  if (spec->status) {
    return NULL;
  }
  const size_t length = text ? strlen(text) : 0;
  if (length == 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found an empty %s; expected at least one letter",
                      what);
    return NULL;
  }
  if (length > CARDAN__NAME_MAX) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found a %s of %zu bytes; expected at most %d", what,
                      length, CARDAN__NAME_MAX);
    return NULL;
  }
  for (size_t i = 0; i < length;) {
    const unsigned char *c = (const unsigned char *)text + i;
    const size_t n = cardan__utf8_length(c, length - i);
    if (n > 1 && cardan__utf8_hidden(c, n)) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                        "found the character U+%04X, which shows nothing, in a %s; expected text "
                        "without control characters",
                        cardan__utf8_code(c, n), what);
      return NULL;
    }
    if (n == 0 || cardan__utf8_hidden(c, n)) {
      cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                        "found the byte 0x%02X in a %s; expected UTF-8 text without control "
                        "characters",
                        (unsigned)(unsigned char)text[i], what);
      return NULL;
    }
    i += n;
  }
  const char *copy = cardan__arena_text(&spec->arena, text, length);
  spec->checked = false;
  cardan__spec_memory(spec, copy ? CARDAN_OK : CARDAN_ERR_MEMORY);
  return copy;
}

bool cardan__spec_grow(cardan_spec *spec, void **items, int *capacity, int count, size_t item_size)
{
  spec->checked = false;
  if (count >= CARDAN__COUNT_MAX) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found more than %d items of one kind; expected fewer", CARDAN__COUNT_MAX);
    return false;
  }
  return cardan__spec_memory(
      spec, cardan__grow_bare(spec->allocator, items, capacity, count + 1, item_size));
}

/* ---- the system as a whole ---- */

void cardan_spec_name(cardan_spec *spec, const char *name)
{
  const char *copy = cardan__spec_text(spec, "name", name);
  spec->name = copy ? copy : spec->name;
}

void cardan_spec_rounding(cardan_spec *spec, double unit)
{
  if (cardan__spec_finite(spec, "what numbers are rounded to", &unit, 1)) {
    spec->rounding = fabs(unit);
    spec->says_rounding = true;
  }
}

void cardan_spec_coarsest(cardan_spec *spec, double unit)
{
  if (cardan__spec_finite(spec, "what numbers are rounded to", &unit, 1)) {
    spec->coarsest = fabs(unit);
    spec->says_rounding = true;
  }
}

void cardan_spec_gravity(cardan_spec *spec, cardan_vec3 g)
{
  const double value[3] = {g.x, g.y, g.z};
  if (!spec->status && cardan__spec_finite(spec, "a component of gravity", value, 3)) {
    spec->gravity = g;
    spec->gravity_pos = spec->at;
  }
}

/* Can a constant have this name: is it a symbol of the model file, and free? */
static bool is_constant_name(const char *name)
{
  const char *digits = name + strspn(name, "+-");
  digits += *digits == '.';
  return !cardan__expr_reserved(name) && !(*digits >= '0' && *digits <= '9') &&
         strcspn(name, " ()\";'`,#[]{}|\\") == strlen(name);
}

void cardan_spec_define(cardan_spec *spec, const char *name, double value)
{
  cardan__spec_define_add(spec, name, value, false, NULL);
}

void cardan_spec_parameter(cardan_spec *spec, const char *name, double value)
{
  cardan__spec_define_add(spec, name, value, true, NULL);
}

void cardan__spec_define_add(cardan_spec *spec, const char *name, double value, bool alive,
                             const cardan__expr *expr)
{
  const char *copy = cardan__spec_text(spec, "constant's name", name);
  if (!copy || !cardan__spec_finite(spec, "a constant", &value, 1)) {
    return;
  }
  if (!is_constant_name(copy)) {
    cardan__spec_fail(
        spec, CARDAN_ERR_MODEL,
        "found \"%s\" as name of a constant; expected a plain word that has no meaning "
        "yet",
        cardan__show(name).text);
    return;
  }
  // constants are symbols: their case does not count
  char *small = cardan__arena_text(&spec->arena, copy, strlen(copy));
  if (!cardan__spec_memory(spec, small ? CARDAN_OK : CARDAN_ERR_MEMORY)) {
    return;
  }
  for (char *c = small; *c; c++) {
    *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
  }
  const int before = cardan__names_get(&spec->define_names, small);
  if (before >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "the constant %s is already defined%s; expected a new name",
                      cardan__show(name).text, cardan__cite(spec->define[before].pos).text);
    return;
  }
  if (cardan__spec_grow(spec, (void **)&spec->define, &spec->cap_define, spec->ndefine,
                        sizeof(*spec->define)) &&
      cardan__spec_memory(spec, cardan__names_set(&spec->define_names, small, spec->ndefine))) {
    spec->define[spec->ndefine++] = (cardan__spec_define){.name = copy,
                                                          .value = value,
                                                          .pos = spec->at,
                                                          .alive = alive,
                                                          .number = spec->nparameter,
                                                          .expr = expr};
    spec->nparameter += alive;
  }
}

/* Is the value in the limit, and is that one? */
static bool check_input(cardan_spec *spec, const cardan_input_def *input)
{
  const double lo = input->limit[0], hi = input->limit[1];
  if (!cardan__spec_finite(spec, "a value of an input", &input->value, 1) ||
      (input->has_limit && !cardan__spec_finite(spec, "a limit of an input", input->limit, 2))) {
    return false;
  }
  if (input->has_limit && !(lo < hi)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the limit %g %g of input \"%s\"; expected the lower one first", lo, hi,
                      cardan__show(input->name).text);
  } else if (input->has_limit && (input->value < lo || input->value > hi)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the value %g of input \"%s\"; expected one in its limit %g to %g",
                      input->value, cardan__show(input->name).text, lo, hi);
  }
  return !spec->status;
}

void cardan_spec_input(cardan_spec *spec, const cardan_input_def *input)
{
  cardan__spec_input item = {.def = *input, .pos = spec->at};
  item.def.name = cardan__spec_text(spec, "input's name", input->name);
  if (!item.def.name || !check_input(spec, &item.def)) {
    return;
  }
  const int before = cardan__names_get(&spec->input_names, item.def.name);
  if (before >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "the input \"%s\" is already given%s; expected a new name",
                      cardan__show(item.def.name).text, cardan__cite(spec->input[before].pos).text);
    return;
  }
  if (cardan__spec_grow(spec, (void **)&spec->input, &spec->cap_input, spec->ninput,
                        sizeof(*spec->input)) &&
      cardan__spec_memory(spec,
                          cardan__names_set(&spec->input_names, item.def.name, spec->ninput))) {
    spec->input[spec->ninput++] = item;
  }
}
