// SPDX-License-Identifier: Apache-2.0
#include "formats/mbs_read.h"

/* Constraints, potentials, forces and motions. Most are read from the table of what they are made
 * of: frames, variables, numbers, expressions, in this order; five have words of their own. */

static const char *usage_of(cardan_element_kind kind)
{
  static const char *const usages[] = {
      [CARDAN_ELEMENT_POINT] = "(point-constraint \"A\" \"B\" (nx ny nz))",
      [CARDAN_ELEMENT_COINCIDE] = "(coincide \"A\" \"B\")",
      [CARDAN_ELEMENT_WIRE] = "(wire \"A\" \"B\" length)",
      [CARDAN_ELEMENT_SCREW] = "(screw \"theta\" \"d\" pitch)",
      [CARDAN_ELEMENT_GEAR] = "(gear \"a\" \"b\" ratio)",
      [CARDAN_ELEMENT_EQUATION] = "(equation expression)",
      [CARDAN_ELEMENT_CLOSE] = "(close revolute \"A\" \"B\" (axis x y z))",
      [CARDAN_ELEMENT_WELD] = "(weld \"A\" \"B\")",
      [CARDAN_ELEMENT_MOTION] = "(motion \"q\" expression)",
      [CARDAN_ELEMENT_SPRING] = "(spring \"A\" \"B\" k x0)",
      [CARDAN_ELEMENT_JOINT_SPRING] = "(joint-spring \"q\" k q0)",
      [CARDAN_ELEMENT_POTENTIAL] = "(potential expression)",
      [CARDAN_ELEMENT_NEWTON_GRAVITY] = "(newton-gravity \"A\" \"B\" G)",
      [CARDAN_ELEMENT_DAMPING] = "(damping c) or (damping \"q\" c)",
      [CARDAN_ELEMENT_DAMPER] = "(damper \"A\" \"B\" c)",
      [CARDAN_ELEMENT_TORQUE] = "(torque \"q\" expression)",
      [CARDAN_ELEMENT_WRENCH] = "(wrench body \"F\" (fx fy fz) (tx ty tz))",
      [CARDAN_ELEMENT_FRICTION] = "(friction \"joint\" mu (radius r) (vs v))",
  };
  return usages[kind];
}

static bool read_strings(cardan__mbs_form *form, const char *what, int n, const char **text,
                         cardan_pos *pos)
{
  bool good = true;
  for (int i = 0; i < n && good; i++) {
    good = cardan__mbs_string(form, what, &text[i], &pos[i]);
  }
  return good;
}

/* Frames, variables, numbers and expressions, as the rule of this kind says. */
static bool read_parts(cardan__mbs_form *form, cardan__spec_element *e)
{
  static const char *const numbers[][2] = {
      [CARDAN_ELEMENT_SCREW] = {"the pitch"},
      [CARDAN_ELEMENT_GEAR] = {"the ratio"},
      [CARDAN_ELEMENT_SPRING] = {"the stiffness", "the rest length"},
      [CARDAN_ELEMENT_JOINT_SPRING] = {"the stiffness", "the rest position"},
      [CARDAN_ELEMENT_NEWTON_GRAVITY] = {"the constant G"},
      [CARDAN_ELEMENT_DAMPER] = {"the coefficient"},
  };
  const cardan__element_rule *rule = cardan__element_rule_of(e->kind);
  bool good = read_strings(form, "the name of a frame", rule->nframe, e->frame, e->frame_pos) &&
              read_strings(form, "the name of a variable", rule->nvar, e->var, e->var_pos);
  for (int i = 0; i < rule->nvalue && good; i++) {
    good = cardan__mbs_number(form, numbers[e->kind][i], &e->value[i]);
  }
  for (int i = 0; i < rule->nexpr && good; i++) {
    good = cardan__mbs_expr(form, e->kind == CARDAN_ELEMENT_WIRE ? "the length" : "an expression",
                            rule->leaves, &e->expr[i]);
  }
  return good;
}

/* ---- elements with words of their own ---- */

/* The direction of a point constraint: a list of three numbers, or the three bare. */
static bool read_point(cardan__mbs_form *form, cardan__spec_element *e)
{
  double n[3];
  if (!read_parts(form, e)) {
    return false;
  }
  if (form->next < 0 || cardan__mbs_is_vector(form->reader, form->next)) {
    return cardan__mbs_vector(form, "a direction (nx ny nz)", &e->n);
  }
  if (!cardan__mbs_numbers(form, "a direction (nx ny nz)", n, 3)) {
    return false;
  }
  e->n = (cardan_vec3){n[0], n[1], n[2]};
  return true;
}

static bool read_close(cardan__mbs_form *form, cardan__spec_element *e)
{
  return cardan__mbs_joint_kind(form, &e->joint.kind) && read_parts(form, e) &&
         cardan__mbs_joint_options(form, &e->joint);
}

static bool read_damping(cardan__mbs_form *form, cardan__spec_element *e)
{
  if (cardan__mbs_is_string(form->reader, form->next)) {
    cardan__mbs_string(form, "", &e->var[0], &e->var_pos[0]);
  }
  return cardan__mbs_number(form, "the coefficient", &e->value[0]);
}

static bool read_wrench(cardan__mbs_form *form, cardan__spec_element *e)
{
  cardan__mbs *reader = form->reader;
  const unsigned leaves = cardan__element_rule_of(e->kind)->leaves;
  e->in_world = cardan__sexpr_is(&reader->tree, form->next, "world");
  if (!e->in_world && !cardan__sexpr_is(&reader->tree, form->next, "body")) {
    return cardan__mbs_expected(form, "body or world");
  }
  form->next = reader->tree.nodes[form->next].next;
  if (!read_strings(form, "the name of a frame", 1, e->frame, e->frame_pos)) {
    return false;
  }
  for (int part = 0; part < 2; part++) {
    if (!cardan__mbs_is_list(reader, form->next) || reader->tree.nodes[form->next].count != 3) {
      return cardan__mbs_expected(form, part == 0 ? "a force (fx fy fz)" : "a torque (tx ty tz)");
    }
    cardan__mbs_form list = {reader, form->next, cardan__sexpr_first(&reader->tree, form->next),
                             form->usage};
    for (int i = 0; i < 3; i++) {
      if (!cardan__mbs_expr(&list, "an expression", leaves, &e->expr[3 * part + i])) {
        return false;
      }
    }
    form->next = reader->tree.nodes[form->next].next;
  }
  return true;
}

static bool read_friction(cardan__mbs_form *form, cardan__spec_element *e)
{
  return read_strings(form, "the name of a joint", 1, e->var, e->var_pos) &&
         cardan__mbs_number(form, "the coefficient", &e->value[0]);
}

/* ---- options ---- */

/* (radius r) and (vs v) of friction: more than zero. */
static bool read_friction_option(cardan__mbs *reader, int list, double *value)
{
  cardan__mbs_form option =
      cardan__mbs_open(reader, list, "(friction \"joint\" mu (radius r) (vs v))");
  if (*value != 0.0) {
    return cardan__mbs_fail(reader, list, "found this option a second time; expected it once");
  }
  if (!cardan__mbs_number(&option, "a number", value) || !cardan__mbs_close(&option)) {
    return false;
  }
  if (!(*value > 0.0)) {
    return cardan__mbs_fail(reader, list, "found %g; expected more than 0, as in %s", *value,
                            option.usage);
  }
  return true;
}

/* (name "..") and (in "F"): one string, once. */
static bool read_text_option(cardan__mbs *reader, int list, const char *usage, const char **text,
                             cardan_pos *pos)
{
  cardan__mbs_form option = cardan__mbs_open(reader, list, usage);
  if (*text) {
    return cardan__mbs_fail(reader, list, "found a second %s; expected one at most", usage);
  }
  return cardan__mbs_string(&option, "a name", text, pos) && cardan__mbs_close(&option);
}

static bool read_options(cardan__mbs_form *form, cardan__spec_element *e)
{
  cardan__mbs *reader = form->reader;
  const cardan__sexpr *tree = &reader->tree;
  bool good = true;
  for (int which; form->next >= 0 && good; form->next = good ? tree->nodes[form->next].next : -1) {
    const int node = form->next;
    if (cardan__sexpr_is_form(tree, node, "name")) {
      good = read_text_option(reader, node, "(name \"..\")", &e->name, &e->name_pos);
    } else if (e->kind == CARDAN_ELEMENT_POINT && cardan__sexpr_is_form(tree, node, "in")) {
      good = read_text_option(reader, node, "(in \"F\")", &e->frame[2], &e->frame_pos[2]);
    } else if (e->kind == CARDAN_ELEMENT_FRICTION && cardan__sexpr_is_form(tree, node, "radius")) {
      good = read_friction_option(reader, node, &e->value[1]);
    } else if (e->kind == CARDAN_ELEMENT_FRICTION && cardan__sexpr_is_form(tree, node, "vs")) {
      good = read_friction_option(reader, node, &e->value[2]);
    } else if (e->kind != CARDAN_ELEMENT_CLOSE || !cardan__mbs_is_list(reader, node) ||
               cardan__mbs_frame_head(reader, node, &which) != CARDAN__MBS_JOINT_OPTION) {
      good = cardan__mbs_expected(form, "nothing more, or (name \"..\")");
    }
  }
  return good;
}

bool cardan__mbs_element(cardan__mbs *reader, int list, cardan_element_kind kind)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, usage_of(kind));
  cardan__spec_element e = {.kind = kind, .pos = cardan__mbs_pos(reader, list)};
  bool good;
  switch (kind) {
  case CARDAN_ELEMENT_POINT:
    good = read_point(&form, &e);
    break;
  case CARDAN_ELEMENT_CLOSE:
    good = read_close(&form, &e);
    break;
  case CARDAN_ELEMENT_DAMPING:
    good = read_damping(&form, &e);
    break;
  case CARDAN_ELEMENT_WRENCH:
    good = read_wrench(&form, &e);
    break;
  case CARDAN_ELEMENT_FRICTION:
    good = read_friction(&form, &e);
    break;
  default:
    good = read_parts(&form, &e);
    break;
  }
  if (!good || !read_options(&form, &e)) {
    return false;
  }
  cardan_spec_at(reader->spec, e.pos);
  cardan__spec_add(reader->spec, &e);
  return !reader->spec->status;
}
