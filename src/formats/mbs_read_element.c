// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "formats/mbs_read.h"
#include "model/elements.h"

/* Constraints, potentials, forces and motions, as the arguments of their kind (model/elements.h)
 * say. */

static const char *words_for(const cardan__argument *arg, const char *usual)
{
  return arg->what ? arg->what : usual;
}

/* Three numbers, as a list or bare. */
static bool read_direction(cardan__mbs_form *form, const char *what, cardan_vec3 *to)
{
  if (form->next < 0 || cardan__mbs_is_vector(form->reader, form->next)) {
    return cardan__mbs_vector(form, what, to);
  }
  return cardan__mbs_number(form, what, &to->x) && cardan__mbs_number(form, what, &to->y) &&
         cardan__mbs_number(form, what, &to->z);
}

/* A list of three expressions. */
static bool read_expr_list(cardan__mbs_form *form, const char *what, unsigned leaves,
                           const cardan__expr **expr)
{
  cardan__mbs *reader = form->reader;
  if (!cardan__mbs_is_list(reader, form->next) || reader->tree.nodes[form->next].count != 3) {
    return cardan__mbs_expected(form, what);
  }
  cardan__mbs_form list = {reader, form->next, cardan__sexpr_first(&reader->tree, form->next),
                           form->usage};
  for (int i = 0; i < 3; i++) {
    if (!cardan__mbs_expr(&list, "an expression", leaves, &expr[i])) {
      return false;
    }
  }
  form->next = reader->tree.nodes[form->next].next;
  return true;
}

/* A list of three numbers. */
static bool read_value_list(cardan__mbs_form *form, const char *what, double *value)
{
  cardan__mbs *reader = form->reader;
  if (!cardan__mbs_is_list(reader, form->next) || reader->tree.nodes[form->next].count != 3) {
    return cardan__mbs_expected(form, what);
  }
  cardan__mbs_form list = {reader, form->next, cardan__sexpr_first(&reader->tree, form->next),
                           form->usage};
  if (!cardan__mbs_numbers(&list, "a number", value, 3)) {
    return false;
  }
  form->next = reader->tree.nodes[form->next].next;
  return true;
}

/* The word body or world. */
static bool read_axes(cardan__mbs_form *form, bool *in_world)
{
  const cardan__sexpr *tree = &form->reader->tree;
  *in_world = cardan__sexpr_is(tree, form->next, "world");
  if (!*in_world && !cardan__sexpr_is(tree, form->next, "body")) {
    return cardan__mbs_expected(form, "body or world");
  }
  form->next = tree->nodes[form->next].next;
  return true;
}

static bool read_argument(cardan__mbs_form *form, const cardan__argument *arg,
                          cardan__spec_element *e)
{
  const unsigned leaves = cardan__element_of(e->kind)->leaves;
  const int i = arg->index;
  switch (arg->kind) {
  case CARDAN__ARG_MAYBE_VAR:
    if (!cardan__mbs_is_string(form->reader, form->next)) {
      return true;
    }
    // fall through
  case CARDAN__ARG_VAR:
  case CARDAN__ARG_INPUT:
    return cardan__mbs_string(form, words_for(arg, "the name of a variable"), &e->var[i],
                              &e->var_pos[i]);
  case CARDAN__ARG_NAME:
    return cardan__mbs_string(form, arg->what, &e->name, &e->name_pos);
  case CARDAN__ARG_FRAME:
    return cardan__mbs_string(form, words_for(arg, "the name of a frame"), &e->frame[i],
                              &e->frame_pos[i]);
  case CARDAN__ARG_VALUE:
    return cardan__mbs_number(form, words_for(arg, "a number"), &e->value[i]);
  case CARDAN__ARG_VALUE_LIST:
    return read_value_list(form, arg->what, &e->value[i]);
  case CARDAN__ARG_EXPR:
    return cardan__mbs_expr(form, words_for(arg, "an expression"), leaves, &e->expr[i]);
  case CARDAN__ARG_EXPR_LIST:
    return read_expr_list(form, arg->what, leaves, &e->expr[i]);
  case CARDAN__ARG_DIRECTION:
    return read_direction(form, arg->what, &e->n);
  case CARDAN__ARG_AXES:
    return read_axes(form, &e->in_world);
  case CARDAN__ARG_JOINT:
    return cardan__mbs_joint_kind(form, &e->joint.kind);
  case CARDAN__ARG_JOINT_OPTIONS:
    return cardan__mbs_joint_options(form, &e->joint);
  case CARDAN__ARG_FRAME_OPTION:
  case CARDAN__ARG_VALUE_OPTION:
  case CARDAN__ARG_NUMBER_OPTION:
  case CARDAN__ARG_PAIR_OPTION:
  case CARDAN__ARG_TRIPLE_OPTION:
  case CARDAN__ARG_QUAD_OPTION:
  case CARDAN__ARG_SHARE_OPTION:
  case CARDAN__ARG_FLAG_OPTION:
  case CARDAN__ARG_DIRECTION_OPTION:
  case CARDAN__ARG_NONE:
    break;
  }
  return true;
}

/* ---- options ---- */

/* (radius r): a number more than zero, (gear g): one that is not zero, (limit lo hi): two that are
 * not both, (restitution e): one from 0 to 1. 0 stands for an option that is not given. */
static bool read_value_option(cardan__mbs *reader, int list, const char *usage,
                              cardan__argument_kind kind, double *value)
{
  cardan__mbs_form option = cardan__mbs_open(reader, list, usage);
  static const char *const numbers[] = {"a number", "two numbers", "three numbers", "four numbers"};
  const int n = cardan__option_numbers(kind);
  bool zero = true;
  if (!cardan__mbs_numbers(&option, numbers[n - 1], value, n) || !cardan__mbs_close(&option)) {
    return false;
  }
  if (kind == CARDAN__ARG_SHARE_OPTION) {
    return *value >= 0.0 && *value <= 1.0 ? true
                                          : cardan__mbs_fail(reader, list,
                                                             "found %g; expected a number from 0 "
                                                             "to 1, as in %s",
                                                             *value, usage);
  }
  if (kind == CARDAN__ARG_VALUE_OPTION && !(*value > 0.0)) {
    return cardan__mbs_fail(reader, list, "found %g; expected more than 0, as in %s", *value,
                            usage);
  }
  for (int i = 0; i < n; i++) {
    zero = zero && value[i] == 0.0;
  }
  if (zero) {
    return cardan__mbs_fail(reader, list, "found %.*s; expected %s, as in %s", 2 * n - 1, "0 0 0 0",
                            n == 1   ? "a number that is not 0"
                            : n == 2 ? "numbers that are not both 0"
                                     : "numbers that are not all 0",
                            usage);
  }
  return true;
}

/* Is there an option of this name in the form before the next argument? */
static bool was_given(const cardan__mbs_form *form, const char *name)
{
  const cardan__sexpr *tree = &form->reader->tree;
  int node = cardan__sexpr_first(tree, form->list);
  while (node != form->next && !cardan__sexpr_is_form(tree, node, name)) {
    node = tree->nodes[node].next;
  }
  return node != form->next;
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

/* (axis x y z): not all of them 0, which stands for an option that is not given. (flat): nothing
 * in it. */
static bool read_short_option(cardan__mbs *reader, int list, const char *usage,
                              const cardan__argument *arg, cardan__spec_element *e)
{
  cardan__mbs_form option = cardan__mbs_open(reader, list, usage);
  if (arg->kind == CARDAN__ARG_FLAG_OPTION) {
    e->value[arg->index] = 1.0;
    return cardan__mbs_close(&option);
  }
  if (!cardan__mbs_number(&option, "a direction x y z", &e->n.x) ||
      !cardan__mbs_number(&option, "a direction x y z", &e->n.y) ||
      !cardan__mbs_number(&option, "a direction x y z", &e->n.z) || !cardan__mbs_close(&option)) {
    return false;
  }
  return e->n.x != 0.0 || e->n.y != 0.0 || e->n.z != 0.0
             ? true
             : cardan__mbs_fail(reader, list,
                                "found the direction 0 0 0; expected one that is not zero");
}

/* Is node an option of this kind? *good: whether it was read. */
static bool read_own_option(cardan__mbs_form *form, const cardan__argument *arg,
                            cardan__spec_element *e, bool *good)
{
  cardan__mbs *reader = form->reader;
  const int node = form->next;
  char usage[48];
  int which;
  switch (arg->kind) {
  case CARDAN__ARG_FRAME_OPTION:
    if (!cardan__sexpr_is_form(&reader->tree, node, arg->what)) {
      return false;
    }
    snprintf(usage, sizeof usage, "(%s \"F\")", arg->what);
    *good = read_text_option(reader, node, usage, &e->frame[arg->index], &e->frame_pos[arg->index]);
    return true;
  case CARDAN__ARG_VALUE_OPTION:
  case CARDAN__ARG_NUMBER_OPTION:
  case CARDAN__ARG_PAIR_OPTION:
  case CARDAN__ARG_TRIPLE_OPTION:
  case CARDAN__ARG_QUAD_OPTION:
  case CARDAN__ARG_SHARE_OPTION:
    if (!cardan__sexpr_is_form(&reader->tree, node, arg->what)) {
      return false;
    }
    *good =
        was_given(form, arg->what)
            ? cardan__mbs_fail(reader, node, "found this option a second time; expected it once")
            : read_value_option(reader, node, form->usage, arg->kind, &e->value[arg->index]);
    return true;
  case CARDAN__ARG_FLAG_OPTION:
  case CARDAN__ARG_DIRECTION_OPTION:
    if (!cardan__sexpr_is_form(&reader->tree, node, arg->what)) {
      return false;
    }
    snprintf(usage, sizeof usage, arg->kind == CARDAN__ARG_FLAG_OPTION ? "(%s)" : "(%s x y z)",
             arg->what);
    *good =
        was_given(form, arg->what)
            ? cardan__mbs_fail(reader, node, "found this option a second time; expected it once")
            : read_short_option(reader, node, usage, arg, e);
    return true;
  case CARDAN__ARG_JOINT_OPTIONS: // read with the arguments, whatever stands between them
    return cardan__mbs_is_list(reader, node) &&
           cardan__mbs_frame_head(reader, node, &which) == CARDAN__MBS_JOINT_OPTION;
  default:
    return false;
  }
}

/* Is an argument a list by its word, (WHAT ..)? */
static bool is_option(const cardan__argument *arg)
{
  return arg->kind == CARDAN__ARG_FRAME_OPTION || arg->kind == CARDAN__ARG_VALUE_OPTION ||
         arg->kind == CARDAN__ARG_NUMBER_OPTION || cardan__option_numbers(arg->kind) > 1 ||
         arg->kind == CARDAN__ARG_SHARE_OPTION || arg->kind == CARDAN__ARG_FLAG_OPTION ||
         arg->kind == CARDAN__ARG_DIRECTION_OPTION;
}

/* What stands where an option could: the nearest of those that the element has. */
static bool unknown_option(cardan__mbs_form *form, const cardan__spec_element *e)
{
  const cardan__element *kind = cardan__element_of(e->kind);
  const bool named = kind->argument[0].kind != CARDAN__ARG_NAME;
  const char *const *joint =
      cardan__mbs_frame_words + CARDAN__MBS_NFRAME_WORD + CARDAN__MBS_NOPTION;
  const char *known[2 + CARDAN__MAX_ARGUMENT + CARDAN__MBS_NJOINT_OPTION];
  char found[CARDAN__DESCRIBE_SIZE];
  int n = 0;
  known[n++] = named ? "name" : "";
  known[n++] = e->kind == CARDAN_ELEMENT_CLOSE ? "coordinate" : "";
  for (int i = 0; i < CARDAN__MAX_ARGUMENT; i++) {
    known[n++] = is_option(&kind->argument[i]) ? kind->argument[i].what : "";
    for (int k = 0;
         k < CARDAN__MBS_NJOINT_OPTION && kind->argument[i].kind == CARDAN__ARG_JOINT_OPTIONS;
         k++) {
      known[n++] = joint[k];
    }
  }
  const cardan__sexpr *tree = &form->reader->tree;
  const int head =
      cardan__mbs_is_list(form->reader, form->next) ? cardan__sexpr_first(tree, form->next) : -1;
  cardan__sexpr_describe(tree, form->next, found);
  return cardan__mbs_fail(form->reader, form->next,
                          "found %s; expected nothing more, or %s, as in %s%s", found,
                          named ? "(name \"..\")" : "an option", form->usage,
                          cardan__mbs_hint(form->reader, head, known, n).text);
}

static bool read_option(cardan__mbs_form *form, cardan__spec_element *e)
{
  const cardan__element *kind = cardan__element_of(e->kind);
  bool good = true;
  if (kind->argument[0].kind != CARDAN__ARG_NAME &&
      cardan__sexpr_is_form(&form->reader->tree, form->next, "name")) {
    return read_text_option(form->reader, form->next, "(name \"..\")", &e->name, &e->name_pos);
  }
  if (e->kind == CARDAN_ELEMENT_CLOSE &&
      cardan__sexpr_is_form(&form->reader->tree, form->next, "coordinate")) {
    return read_text_option(form->reader, form->next, "(coordinate \"..\")", &e->var[0],
                            &e->var_pos[0]);
  }
  for (int i = 0; i < CARDAN__MAX_ARGUMENT; i++) {
    if (read_own_option(form, &kind->argument[i], e, &good)) {
      return good;
    }
  }
  return unknown_option(form, e);
}

bool cardan__mbs_element(cardan__mbs *reader, int list, cardan_element_kind kind)
{
  const cardan__element *element = cardan__element_of(kind);
  cardan__mbs_form form = cardan__mbs_open(reader, list, element->usage);
  cardan__spec_element e = {.kind = kind, .pos = cardan__mbs_pos(reader, list)};
  bool good = true;
  for (int i = 0; i < CARDAN__MAX_ARGUMENT && good; i++) {
    good = read_argument(&form, &element->argument[i], &e);
  }
  for (; form.next >= 0 && good; form.next = good ? reader->tree.nodes[form.next].next : -1) {
    good = read_option(&form, &e);
  }
  if (!good) {
    return false;
  }
  cardan__mbs_bind(reader, e.value, CARDAN_NVALUE, &e.living, CARDAN__SLOT_VALUE);
  cardan__mbs_bind(reader, &e.n.x, 1, &e.living, CARDAN__SLOT_DIRECTION);
  cardan__mbs_bind(reader, &e.n.y, 1, &e.living, CARDAN__SLOT_DIRECTION + 1);
  cardan__mbs_bind(reader, &e.n.z, 1, &e.living, CARDAN__SLOT_DIRECTION + 2);
  cardan__mbs_bind(reader, &e.joint.pitch, 1, &e.living, CARDAN__SLOT_CLOSE_PITCH);
  cardan_spec_at(reader->spec, e.pos);
  cardan__spec_add(reader->spec, &e);
  return !reader->spec->status;
}
