// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "expr/sexpr.h"
#include "model/elements.h"
#include "spatial/spatial.h"

/* Coordinates of closing joints. (close revolute "A" "B" (axis u) (coordinate "c")) adds no degree
 * of freedom: c is a function of the poses of A and B (expr/build_frames.c), the angle about u from
 * -pi to pi, or the length along u. Its gradient is a pair of wrenches on the two frames along u,
 * so that everything on c is said with elements that every method has:
 *   torque, damping, actuator   a force or torque F u on B and -F u on A, u in the axes of each
 *   joint-spring                the potential k d^2 / 2 of d = c - c0
 *   motion                      the equation d = 0 of d = c - f(t)
 * Where c is an angle, d is taken less whole turns, atan2(sin d, cos d): smooth but at half a turn
 * away from c0 or f(t), so that a motor turns as often as it likes. */

int cardan__spec_find_closing(const cardan_spec *spec, const char *name)
{
  return spec->nclosing > 0 ? cardan__names_get(&spec->closing_names, name) : -1;
}

bool cardan__spec_closing_of(void *context, const char *name, size_t length, cardan__closing *found)
{
  const cardan_spec *spec = context;
  const int at = cardan__names_get_part(&spec->closing_names, name, length);
  if (at >= 0) {
    *found = spec->closing[at].of;
  }
  return at >= 0;
}

/* An expression as a text, kept in the spec; the text is given back. NULL: the spec is marked. */
static const cardan__expr *keep(cardan_spec *spec, cardan__text *text, unsigned leaves)
{
  const bool memory = cardan__spec_memory(spec, text->failed ? CARDAN_ERR_MEMORY : CARDAN_OK);
  const cardan__expr *expr = memory ? cardan__spec_read_expr(spec, text->data, leaves) : NULL;
  cardan__text_free(text);
  return expr;
}

/* The columns q.c and v.c. */
static void add_columns(cardan_spec *spec, const char *name)
{
  for (int rate = 0; rate < 2 && !spec->status; rate++) {
    cardan__text column, text;
    cardan__text_init(&column, spec->allocator);
    cardan__text_init(&text, spec->allocator);
    cardan__text_printf(&column, "%s.%s", rate ? "v" : "q", name);
    cardan__text_printf(&text, "(%s ", rate ? "v" : "q");
    cardan__sexpr_quote(&text, name);
    cardan__text_printf(&text, ")");
    const cardan__expr *expr = keep(spec, &text, CARDAN__LEAVES_ALL);
    if (expr && cardan__spec_memory(spec, column.failed ? CARDAN_ERR_MEMORY : CARDAN_OK)) {
      cardan__spec_output_add(spec, column.data, expr);
    }
    cardan__text_free(&column);
  }
}

void cardan__spec_closing_add(cardan_spec *spec, const cardan__spec_element *close,
                              const char *name, cardan_pos pos)
{
  const cardan_joint_kind kind = close->joint.kind;
  const char *copy = cardan__spec_text(spec, "coordinate's name", name);
  if (!copy) {
    return;
  }
  if (kind != CARDAN_JOINT_REVOLUTE && kind != CARDAN_JOINT_PRISMATIC) {
    cardan__spec_fail_at(spec, CARDAN_ERR_MODEL, pos,
                         "found a coordinate of a closing %s joint; expected a revolute or a "
                         "prismatic one: the others have none",
                         cardan__joint_type_of(kind)->word);
    return;
  }
  const int before = cardan__spec_find_closing(spec, copy);
  if (before >= 0) {
    cardan__spec_fail_at(spec, CARDAN_ERR_MODEL, pos,
                         "the name \"%s\" is already used%s; expected a new name",
                         cardan__show(copy).text, cardan__cite(spec->closing[before].pos).text);
    return;
  }
  const cardan_vec3 u = cardan__vec3_normalize(close->joint.axis);
  if (!cardan__spec_grow(spec, (void **)&spec->closing, &spec->cap_closing, spec->nclosing,
                         sizeof *spec->closing) ||
      !cardan__spec_memory(spec, cardan__names_set(&spec->closing_names, copy, spec->nclosing))) {
    return;
  }
  spec->closing[spec->nclosing++] =
      (cardan__spec_closing){.name = copy,
                             .of = {.frame = {close->frame[0], close->frame[1]},
                                    .axis = {u.x, u.y, u.z},
                                    .slides = kind == CARDAN_JOINT_PRISMATIC},
                             .pos = pos};
  add_columns(spec, copy);
}

/* ---- what stands on one ---- */

/* Number i of an element, by its expression where it depends on parameters. */
static void put_value(const cardan_spec *spec, const cardan__spec_element *e, int i,
                      cardan__text *text)
{
  const cardan__expr *living = cardan__spec_living_at(spec, e->living, CARDAN__SLOT_VALUE + i);
  if (living) {
    cardan__expr_print(living, text);
  } else {
    cardan__text_number(text, e->value[i]);
  }
  cardan__text_printf(text, " ");
}

/* (q "c") or (v "c"). */
static void put_variable(const cardan__spec_element *e, const char *word, cardan__text *text)
{
  cardan__text_printf(text, "(%s ", word);
  cardan__sexpr_quote(text, e->var[0]);
  cardan__text_printf(text, ")");
}

/* gear clamp(u, lo, hi) */
static void put_motor(const cardan_spec *spec, const cardan__spec_element *e, cardan__text *text)
{
  const bool limited = e->value[3] != 0.0 || e->value[4] != 0.0;
  cardan__text_printf(text, "(* ");
  if (e->value[0] != 0.0) {
    put_value(spec, e, 0, text);
  }
  if (limited) {
    cardan__text_printf(text, "(max ");
    put_value(spec, e, 3, text);
    cardan__text_printf(text, "(min ");
    put_value(spec, e, 4, text);
  }
  cardan__text_printf(text, "(u ");
  cardan__sexpr_quote(text, e->var[1]);
  cardan__text_printf(text, limited ? "))))" : "))");
}

/* The force or torque of an element. */
static void put_force(const cardan_spec *spec, const cardan__spec_element *e, cardan__text *text)
{
  if (e->kind == CARDAN_ELEMENT_TORQUE) {
    cardan__expr_print(e->expr[0], text);
  } else if (e->kind == CARDAN_ELEMENT_DAMPING) {
    cardan__text_printf(text, "(* -1 ");
    put_value(spec, e, 0, text);
    put_variable(e, "v", text);
    cardan__text_printf(text, ")");
  } else {
    put_motor(spec, e, text);
  }
}

/* F u on B, -F u on A: as a torque, or as a force, whose line goes through both origins. */
static void add_pair(cardan_spec *spec, const cardan__spec_element *e, const cardan__closing *c)
{
  for (int side = 0; side < 2 && !spec->status; side++) {
    cardan__spec_element wrench = {.kind = CARDAN_ELEMENT_WRENCH,
                                   .name = side == 1 ? e->name : NULL,
                                   .frame = {c->frame[side]},
                                   .pos = e->pos,
                                   .name_pos = e->name_pos,
                                   .frame_pos = {e->pos}};
    for (int i = 0; i < 6 && !spec->status; i++) {
      const double u = i / 3 == (c->slides ? 0 : 1) ? c->axis[i % 3] : 0.0;
      cardan__text text;
      cardan__text_init(&text, spec->allocator);
      if (u != 0.0) {
        cardan__text_printf(&text, "(* ");
        cardan__text_number(&text, side == 1 ? u : -u);
        cardan__text_printf(&text, " ");
        put_force(spec, e, &text);
        cardan__text_printf(&text, ")");
      } else {
        cardan__text_printf(&text, "0");
      }
      wrench.expr[i] = keep(spec, &text, CARDAN__LEAVES_ALL);
    }
    cardan__spec_add(spec, &wrench);
  }
}

/* The potential of a spring, or the equation of a motion, with d as above. */
static void add_distance(cardan_spec *spec, const cardan__spec_element *e, const cardan__closing *c)
{
  const bool spring = e->kind == CARDAN_ELEMENT_JOINT_SPRING;
  const char *d = c->slides ? "d" : "(atan2 (sin d) (cos d))";
  cardan__spec_element made = {.kind = spring ? CARDAN_ELEMENT_POTENTIAL : CARDAN_ELEMENT_EQUATION,
                               .name = e->name,
                               .pos = e->pos,
                               .name_pos = e->name_pos};
  cardan__text text;
  cardan__text_init(&text, spec->allocator);
  cardan__text_printf(&text, "(let ((d (- ");
  put_variable(e, "q", &text);
  cardan__text_printf(&text, " ");
  if (spring) {
    put_value(spec, e, 1, &text);
    cardan__text_printf(&text, "))) (* 0.5 ");
    put_value(spec, e, 0, &text);
    cardan__text_printf(&text, "(^ %s 2)))", d);
  } else {
    cardan__expr_print(e->expr[0], &text);
    cardan__text_printf(&text, "))) %s)", d);
  }
  made.expr[0] = keep(spec, &text, cardan__element_of(made.kind)->leaves);
  if (made.expr[0]) {
    cardan__spec_add(spec, &made);
  }
}

void cardan__spec_on_closing(cardan_spec *spec, const cardan__spec_element *e)
{
  const int at = e->var[0] ? cardan__spec_find_closing(spec, e->var[0]) : -1;
  const bool servo = e->kind == CARDAN_ELEMENT_ACTUATOR && (e->value[1] != 0 || e->value[2] != 0);
  const cardan__closing c = at >= 0 ? spec->closing[at].of : (cardan__closing){0};
  switch (at >= 0 && !servo ? (int)e->kind : -1) {
  case CARDAN_ELEMENT_TORQUE:
  case CARDAN_ELEMENT_DAMPING:
  case CARDAN_ELEMENT_ACTUATOR:
    add_pair(spec, e, &c);
    break;
  case CARDAN_ELEMENT_JOINT_SPRING:
  case CARDAN_ELEMENT_MOTION:
    add_distance(spec, e, &c);
    break;
  default:
    cardan__spec_fail_at(
        spec, CARDAN_ERR_MODEL, e->var_pos[at >= 0 ? 0 : 1],
        "a coordinate of a closing joint cannot have a %s; expected a torque, damping, "
        "joint-spring, motion or an actuator without a servo, or its q and v in expressions",
        servo ? "servo" : cardan__element_word(e->kind));
  }
}
