// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formats/mbs_layout.h"
#include "formats/mbs_read.h"
#include "formats/mbs_write.h"

/* Writes a spec as a model text: one item a line, numbers that read back to the same bits. */

/* ---- words ---- */

void cardan__mbs_put(cardan__text *text, const char *words)
{
  cardan__text_add(text, words, strlen(words));
}

void cardan__mbs_put_quoted(cardan__text *text, const char *string)
{
  cardan__mbs_put(text, "\"");
  for (const char *s = string; *s;) {
    const size_t plain = strcspn(s, "\"\\");
    cardan__text_add(text, s, plain);
    s += plain;
    if (*s) {
      cardan__text_add(text, "\\", 1);
      cardan__text_add(text, s++, 1);
    }
  }
  cardan__mbs_put(text, "\"");
}

void cardan__mbs_put_string(cardan__text *text, const char *string)
{
  cardan__mbs_put(text, " ");
  cardan__mbs_put_quoted(text, string);
}

void cardan__mbs_put_numbers(cardan__text *text, const double *value, int n)
{
  for (int i = 0; i < n; i++) {
    cardan__mbs_put(text, " ");
    cardan__text_number(text, value[i]);
  }
}

void cardan__mbs_put_living(cardan__text *text, cardan__mbs_item item, int slot,
                            const double *value, int n)
{
  for (int i = 0; i < n; i++) {
    const cardan__expr *expr = cardan__spec_living_at(item.spec, item.list, slot + i);
    if (expr) {
      cardan__mbs_put(text, " ");
      cardan__expr_print(expr, text);
    } else {
      cardan__mbs_put_numbers(text, &value[i], 1);
    }
  }
}

void cardan__mbs_put_living_list(cardan__text *text, cardan__mbs_item item, int slot,
                                 const double *value, int n)
{
  cardan__mbs_put(text, " (");
  for (int i = 0; i < n; i++) {
    const cardan__expr *expr = cardan__spec_living_at(item.spec, item.list, slot + i);
    cardan__mbs_put(text, i > 0 ? " " : "");
    if (expr) {
      cardan__expr_print(expr, text);
    } else {
      cardan__text_number(text, value[i]);
    }
  }
  cardan__mbs_put(text, ")");
}

void cardan__mbs_put_list(cardan__text *text, const double *value, int n)
{
  cardan__mbs_put_living_list(text, (cardan__mbs_item){NULL, 0}, 0, value, n);
}

void cardan__mbs_put_named(cardan__text *text, const char *option, const char *string)
{
  if (string) {
    cardan__mbs_put(text, option);
    cardan__mbs_put_string(text, string);
    cardan__mbs_put(text, ")");
  }
}

static void put_vec3(cardan__text *text, const char *option, cardan_vec3 a)
{
  const double v[3] = {a.x, a.y, a.z};
  cardan__mbs_put(text, option);
  cardan__mbs_put_numbers(text, v, 3);
  cardan__mbs_put(text, ")");
}

void cardan__mbs_put_rotation(cardan__text *text, const cardan__rotation *rotation,
                              cardan__mbs_item item)
{
  static const char *const words[] = {"", " (rpy", " (rotvec", " (quat"};
  if (rotation->form != CARDAN__ROT_NONE) {
    cardan__mbs_put(text, words[rotation->form]);
    cardan__mbs_put_living(text, item, CARDAN__SLOT_ROTATION, rotation->value,
                           rotation->form == CARDAN__ROT_QUAT ? 4 : 3);
    cardan__mbs_put(text, ")");
  }
}

static bool same_vec3(cardan_vec3 a, double x, double y, double z)
{
  return a.x == x && a.y == y && a.z == z;
}

void cardan__mbs_put_joint_options(cardan__text *text, const cardan_joint_def *joint,
                                   cardan__mbs_item item, int pitch)
{
  const cardan__joint_type *type = cardan__joint_type_of(joint->kind);
  if (!same_vec3(joint->axis, type->axis.x, type->axis.y, type->axis.z)) {
    put_vec3(text, " (axis", joint->axis);
  }
  if (!same_vec3(joint->axis2, 0, 1, 0)) {
    put_vec3(text, " (axis2", joint->axis2);
  }
  if (cardan__joint_takes(joint->kind, CARDAN__JOINT_PITCH)) {
    cardan__mbs_put(text, " (pitch");
    cardan__mbs_put_living(text, item, pitch, &joint->pitch, 1);
    cardan__mbs_put(text, ")");
  }
  if (joint->has_limit) {
    cardan__mbs_put(text, " (limit");
    cardan__mbs_put_living(text, item, pitch + 1, joint->limit, 2);
    if (joint->restitution > 0) {
      cardan__mbs_put(text, " (restitution");
      cardan__mbs_put_numbers(text, &joint->restitution, 1);
      cardan__mbs_put(text, ")");
    }
    cardan__mbs_put(text, ")");
  }
  if (joint->effort > 0) {
    cardan__mbs_put(text, " (effort");
    cardan__mbs_put_numbers(text, &joint->effort, 1);
    cardan__mbs_put(text, ")");
  }
}

/* ---- frames ---- */

static void put_transform(cardan__text *text, const cardan_spec *spec, const cardan__spec_frame *f)
{
  static const char *const words[] = {"tx", "ty", "tz", "rx", "ry", "rz"};
  cardan__mbs_put(text, words[f->transform]);
  if (!f->var) {
    cardan__mbs_put_living(text, (cardan__mbs_item){spec, f->living}, CARDAN__SLOT_TRANSFORM,
                           &f->value, 1);
  } else if (f->kinematic) {
    cardan__mbs_put(text, " (k");
    cardan__mbs_put_string(text, f->var);
    cardan__mbs_put(text, ")");
  } else {
    cardan__mbs_put_string(text, f->var);
  }
}

static void put_frame_head(cardan__text *text, const cardan_spec *spec, const cardan__spec_frame *f)
{
  const cardan__mbs_item item = {spec, f->living};
  if (f->form == CARDAN__FORM_TRANSFORM) {
    put_transform(text, spec, f);
  } else if (f->form == CARDAN__FORM_PLACE) {
    const double p[3] = {f->place.p.x, f->place.p.y, f->place.p.z};
    cardan__mbs_put(text, "place");
    cardan__mbs_put_living_list(text, item, CARDAN__SLOT_PLACE, p, 3);
    if (f->rotation >= 0) {
      cardan__mbs_put_rotation(text, &spec->rotation[f->rotation], item);
    }
  } else {
    const cardan_joint_def *joint = &spec->joint[f->joint];
    cardan__text_printf(text, "joint %s", cardan__joint_type_of(joint->kind)->word);
    cardan__mbs_put_string(text, joint->name);
    cardan__mbs_put_joint_options(text, joint, item, CARDAN__SLOT_PITCH);
  }
}

/* What a solid has beside its shape. */
static void put_solid(cardan__text *text, const cardan__spec_shape *from)
{
  for (int i = 0; i < from->npoint; i++) {
    const double p[3] = {from->point[i].x, from->point[i].y, from->point[i].z};
    cardan__mbs_put_list(text, p, 3);
  }
  if (from->round > 0) {
    cardan__mbs_put(text, " (round");
    cardan__mbs_put_numbers(text, &from->round, 1);
    cardan__mbs_put(text, ")");
  }
  if (from->field != NULL) {
    cardan__mbs_put(text, " (base");
    cardan__mbs_put_numbers(text, &from->field->base, 1);
    cardan__mbs_put(text, ")");
  }
  cardan__mbs_put_named(text, " (material", from->material);
  cardan__mbs_put(text, from->shape.hidden ? " (hidden)" : "");
}

/* Rows of heights, that with the highest y first. */
static void put_heights(cardan__text *text, const cardan_height_field *field)
{
  cardan__mbs_put(text, " (heights");
  for (int row = field->rows - 1; row >= 0; row--) {
    cardan__mbs_put_list(text, &field->height[(ptrdiff_t)row * field->columns], field->columns);
  }
  cardan__mbs_put(text, ")");
}

static void put_shape(cardan__text *text, const cardan_spec *spec, const cardan__spec_shape *from)
{
  const cardan_shape *shape = &from->shape;
  const cardan__shape_type *type = cardan__shape_type_of(shape->kind);
  cardan__text_printf(text, " (%s %s", from->solid ? "solid" : "shape", type->word);
  if (from->field != NULL) {
    put_heights(text, from->field);
  }
  cardan__mbs_put_living(text, (cardan__mbs_item){spec, from->living}, 0, shape->size, type->nsize);
  if (shape->file) {
    cardan__mbs_put_string(text, shape->file);
    if (shape->size[0] != 1 || shape->size[1] != 1 || shape->size[2] != 1) {
      cardan__mbs_put_living(text, (cardan__mbs_item){spec, from->living}, 0, shape->size, 3);
    }
  }
  put_solid(text, from);
  cardan__mbs_put(text, ")");
}

static bool is_zero(const double *value, int n)
{
  for (int i = 0; i < n; i++) {
    if (value[i] != 0.0 || signbit(value[i])) {
      return false;
    }
  }
  return true;
}

/* How many of the seven numbers of a mass have to be written. */
static int mass_numbers(const cardan_spec *spec, const cardan__spec_frame *f, const double v[7])
{
  int n = is_zero(v + 1, 6) ? 1 : is_zero(v + 4, 3) ? 4 : 7;
  for (int i = n; i < 7; i++) {
    if (cardan__spec_living_at(spec, f->living, CARDAN__SLOT_MASS + i)) {
      n = i < 4 ? 4 : 7;
    }
  }
  return n;
}

static void put_options(cardan__text *text, const cardan_spec *spec, const cardan__spec_frame *f)
{
  cardan__mbs_put_named(text, " (name", f->name);
  if (f->has_mass) {
    const cardan_mass *m = &f->mass;
    const double v[7] = {m->m, m->xx, m->yy, m->zz, m->xy, m->xz, m->yz};
    cardan__mbs_put(text, " (mass");
    cardan__mbs_put_living(text, (cardan__mbs_item){spec, f->living}, CARDAN__SLOT_MASS, v,
                           mass_numbers(spec, f, v));
    cardan__mbs_put(text, ")");
  }
  for (int i = f->shape; i >= 0; i = spec->shape[i].next) {
    put_shape(text, spec, &spec->shape[i]);
  }
  cardan__mbs_put_named(text, " (color", f->color);
}

/* A name for a frame that has none, unlike all others of the spec. */
static void make_name(const cardan_spec *spec, int frame, char *name, size_t size)
{
  snprintf(name, size, "frame-%d", frame);
  for (int k = 2;
       cardan__spec_find_frame(spec, name) >= 0 || cardan__spec_find_var(spec, name).frame >= 0;
       k++) {
    snprintf(name, size, "frame-%d-%d", frame, k);
  }
}

static void new_line(cardan__text *text, int depth)
{
  enum { MOST = 64 }; // deeper lists are not indented further
  char blanks[MOST + 1];
  const int n = 2 * (depth + 1) < MOST ? 2 * (depth + 1) : MOST;
  memset(blanks, ' ', MOST);
  cardan__mbs_put(text, "\n");
  cardan__text_add(text, blanks, (size_t)n);
}

/* Closes lists until the parent's is on top, or all when the parent is the world. */
static void close_to(cardan__text *text, const int *stack, int *depth, int parent)
{
  while (*depth > 0 && stack[*depth - 1] != parent) {
    cardan__mbs_put(text, ")");
    --*depth;
  }
}

static void put_frames(cardan__text *text, const cardan_spec *spec, const cardan__layout *layout,
                       int *stack)
{
  int depth = 0;
  char made[64];
  for (int i = 1; i < spec->nframe; i++) {
    const cardan__spec_frame *f = &spec->frame[i];
    if (layout->way[i] == CARDAN__LAYOUT_MERGE) {
      cardan__mbs_put(text, " ");
      stack[depth - 1] = i;
    } else {
      const bool at = layout->way[i] == CARDAN__LAYOUT_AT;
      close_to(text, stack, &depth, at ? 0 : f->parent);
      new_line(text, depth);
      if (at) {
        const char *name = cardan__spec_frame_name(spec, f->parent);
        if (!name) {
          make_name(spec, f->parent, made, sizeof(made));
        }
        cardan__mbs_put(text, "(at");
        cardan__mbs_put_string(text, name ? name : made);
        stack[depth++] = f->parent;
        new_line(text, depth);
      }
      cardan__mbs_put(text, "(");
      stack[depth++] = i;
    }
    put_frame_head(text, spec, f);
    if (layout->naming[i]) {
      make_name(spec, i, made, sizeof(made));
      cardan__mbs_put_named(text, " (name", made);
    }
    put_options(text, spec, f);
  }
  close_to(text, stack, &depth, 0);
}

static cardan_status put_tree(cardan__text *text, const cardan_spec *spec)
{
  cardan__layout layout;
  const cardan_status status = cardan__layout_make(spec, &layout);
  if (status) {
    return status;
  }
  const size_t bytes = ((size_t)layout.max_depth + 1) * sizeof(int);
  int *stack = cardan__resize(spec->allocator, NULL, bytes);
  if (stack) {
    put_frames(text, spec, &layout, stack);
  }
  cardan__resize(spec->allocator, stack, 0);
  cardan__layout_free(spec, &layout);
  return stack ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

/* ---- the whole text ---- */

/* A parameter that stood where this text has a worked-out number is fixed in it. */
static void put_define(cardan__text *text, const cardan__spec_define *define)
{
  const bool parameter = define->alive && !define->expr;
  cardan__text_printf(text, "\n  (%s %s", parameter ? "parameter" : "define", define->name);
  if (define->expr) {
    cardan__mbs_put(text, " ");
    cardan__expr_print(define->expr, text);
  } else {
    cardan__mbs_put_numbers(text, &define->value, 1);
  }
  cardan__mbs_put(text, parameter && define->rigid_pos.line > 0 ? " fixed)" : ")");
}

/* Numbers use parameters, and constants that follow them; the other constants are a record. */
static void put_defines(cardan__text *text, const cardan_spec *spec)
{
  bool said = false;
  for (int i = 0; i < spec->ndefine; i++) {
    if (!said && !spec->define[i].alive) {
      cardan__mbs_put(text,
                      "\n  ; a record of the constants: the numbers below are already evaluated");
      said = true;
    }
    put_define(text, &spec->define[i]);
  }
}

static void put_head(cardan__text *text, const cardan_spec *spec)
{
  const double g[3] = {spec->gravity.x, spec->gravity.y, spec->gravity.z};
  cardan__mbs_put(text, "(system");
  if (*spec->name) {
    cardan__mbs_put_string(text, spec->name);
  }
  if (spec->nparameter > 0) {
    put_defines(text, spec);
  }
  if (!is_zero(g, 3) || spec->gravity_living > 0) {
    cardan__mbs_put(text, "\n  (gravity");
    cardan__mbs_put_living(text, (cardan__mbs_item){spec, spec->gravity_living}, 0, g, 3);
    cardan__mbs_put(text, ")");
  }
  if (spec->nparameter == 0) {
    put_defines(text, spec);
  }
}

static cardan_status write_text(const cardan_spec *spec, cardan__text *text, cardan_report *report)
{
  (void)report; // it holds everything
  put_head(text, spec);
  if (spec->says_rounding) {
    const double unit[2] = {spec->rounding, spec->coarsest};
    cardan__mbs_put(text, "\n  (rounding");
    cardan__mbs_put_numbers(text, unit, 2);
    cardan__mbs_put(text, ")");
  }
  cardan__mbs_put_materials(text, spec);
  const cardan_status status = put_tree(text, spec);
  cardan__mbs_put_inputs(text, spec);
  cardan__mbs_put_aux_states(text, spec);
  cardan__mbs_put_elements(text, spec);
  cardan__mbs_put_contacts(text, spec);
  cardan__mbs_put_armatures(text, spec);
  cardan__mbs_put_outputs(text, spec);
  cardan__mbs_put_initial(text, spec);
  cardan__mbs_put_keyframes(text, spec);
  cardan__mbs_put_defaults(text, spec);
  cardan__mbs_put(text, ")\n");
  return status;
}

const cardan__format cardan__format_mbs = {
    .ending = ".mbs",
    .help = "the model file of docs/format.md",
    .read = cardan__mbs_read,
    .write = write_text,
};
