// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formats/mbs_read.h"

/* ---- a form and its arguments ---- */

cardan__mbs_form cardan__mbs_open(cardan__mbs *reader, int list, const char *usage)
{
  const int head = cardan__sexpr_first(&reader->tree, list);
  cardan_spec_at(reader->spec, cardan__mbs_pos(reader, list));
  return (cardan__mbs_form){reader, list, head >= 0 ? reader->tree.nodes[head].next : -1, usage};
}

bool cardan__mbs_expected(cardan__mbs_form *form, const char *what)
{
  char found[CARDAN__DESCRIBE_SIZE];
  cardan__sexpr_describe(&form->reader->tree, form->next, found);
  return cardan__mbs_fail(form->reader, form->next >= 0 ? form->next : form->list,
                          "found %s; expected %s, as in %s", found, what, form->usage);
}

static void advance(cardan__mbs_form *form)
{
  form->next = form->reader->tree.nodes[form->next].next;
}

/* Keeps what a call of the expression room reported. */
static bool keep_report(cardan_spec *spec, cardan_status status, const cardan_report *report)
{
  if (status == CARDAN_ERR_MEMORY) {
    return cardan__spec_memory(spec, status);
  }
  if (status) {
    cardan__spec_fail_at(spec, status, report->pos, "%s", report->message);
  }
  return status == CARDAN_OK;
}

/* The scope of the spec, with the indices of repeats before its constants. */
static bool find_constant(void *context, const char *name, size_t length, double *value)
{
  cardan__mbs *reader = context;
  const cardan__expr_scope scope = cardan__spec_scope(reader->spec, CARDAN__LEAVES_NONE);
  return cardan__mbs_repeat_index(reader, name, value) ||
         scope.constant(scope.context, name, length, value);
}

static const char *constant_name(void *context, int i)
{
  cardan__mbs *reader = context;
  const cardan__expr_scope scope = cardan__spec_scope(reader->spec, CARDAN__LEAVES_NONE);
  return i < reader->nrepeat ? reader->repeat[i].name
                             : scope.constant_name(scope.context, i - reader->nrepeat);
}

static const char *find_parameter(void *context, const char *name, size_t length)
{
  cardan__mbs *reader = context;
  const cardan__expr_scope scope = cardan__spec_scope(reader->spec, CARDAN__LEAVES_NONE);
  return scope.parameter(scope.context, name, length);
}

static const char *find_string(void *context, int node)
{
  return cardan__mbs_repeat_string(context, node);
}

cardan__expr_scope cardan__mbs_scope(cardan__mbs *reader, unsigned leaves)
{
  cardan__expr_scope scope = cardan__spec_scope(reader->spec, leaves);
  scope.context = reader;
  scope.constant = find_constant;
  scope.constant_name = constant_name;
  scope.parameter = scope.parameter ? find_parameter : NULL;
  scope.string = find_string;
  scope.table = cardan__mbs_table_points;
  return scope;
}

static bool number_at(cardan__mbs *reader, int node, double *value)
{
  cardan_spec *spec = reader->spec;
  if (cardan__mbs_is_number(reader, node)) {
    *value = reader->tree.nodes[node].number;
    return true;
  }
  const cardan__expr_scope scope = cardan__mbs_scope(reader, CARDAN__LEAVES_NONE);
  cardan_report report = {0};
  cardan__expr *living = NULL;
  const bool good = keep_report(
      spec,
      cardan__expr_number(&reader->tree, node, &scope, spec->allocator, &report, value, &living),
      &report);
  if (!good || !living) {
    return good;
  }
  const cardan__expr *kept = cardan__spec_keep_expr(spec, living);
  if (!kept || !cardan__spec_grow(spec, (void **)&reader->pending, &reader->cap_pending,
                                  reader->npending, sizeof *reader->pending)) {
    return false;
  }
  reader->pending[reader->npending++] =
      (cardan__mbs_pending){value, kept, cardan__mbs_pos(reader, node)};
  return true;
}

void cardan__mbs_bind(cardan__mbs *reader, const double *value, int n, int *list, int slot)
{
  int left = 0;
  for (int i = 0; i < reader->npending; i++) {
    const cardan__mbs_pending *p = &reader->pending[i];
    int k = 0;
    while (k < n && p->at != &value[k]) {
      k++;
    }
    if (k < n) {
      cardan__spec_bind(reader->spec, list, slot + k, p->expr, p->pos);
    } else {
      reader->pending[left++] = *p;
    }
  }
  reader->npending = left;
}

void cardan__mbs_unbound(cardan__mbs *reader)
{
  for (int i = 0; i < reader->npending; i++) {
    cardan__spec_stiffen(reader->spec, reader->pending[i].expr, reader->pending[i].pos);
  }
  reader->npending = 0;
}

bool cardan__mbs_number(cardan__mbs_form *form, const char *what, double *value)
{
  if (form->reader->spec->status) {
    return false;
  }
  if (form->next < 0 || cardan__mbs_is_string(form->reader, form->next)) {
    return cardan__mbs_expected(form, what);
  }
  if (!number_at(form->reader, form->next, value)) {
    return false;
  }
  advance(form);
  return true;
}

bool cardan__mbs_numbers(cardan__mbs_form *form, const char *what, double *value, int n)
{
  bool good = true;
  for (int i = 0; i < n && good; i++) {
    good = cardan__mbs_number(form, what, &value[i]);
  }
  return good;
}

bool cardan__mbs_is_vector(cardan__mbs *reader, int node)
{
  if (!cardan__mbs_is_list(reader, node)) {
    return false;
  }
  // (L 0 0) with a constant L is a list of numbers, (neg L) is a number
  const int head = cardan__sexpr_first(&reader->tree, node);
  if (!cardan__mbs_is_symbol(reader, head)) {
    return true;
  }
  const cardan__expr_scope scope = cardan__mbs_scope(reader, CARDAN__LEAVES_NONE);
  const char *name = cardan__sexpr_text(&reader->tree, head);
  double value;
  return cardan__sexpr_is(&reader->tree, head, "pi") ||
         scope.constant(scope.context, name, strlen(name), &value);
}

bool cardan__mbs_vector(cardan__mbs_form *form, const char *what, cardan_vec3 *value)
{
  cardan__mbs *reader = form->reader;
  if (reader->spec->status) {
    return false;
  }
  if (!cardan__mbs_is_list(reader, form->next) || reader->tree.nodes[form->next].count != 3) {
    return cardan__mbs_expected(form, what);
  }
  cardan__mbs_form inner = {reader, form->next, cardan__sexpr_first(&reader->tree, form->next),
                            form->usage};
  if (!cardan__mbs_number(&inner, what, &value->x) ||
      !cardan__mbs_number(&inner, what, &value->y) ||
      !cardan__mbs_number(&inner, what, &value->z)) {
    return false;
  }
  advance(form);
  return true;
}

bool cardan__mbs_string(cardan__mbs_form *form, const char *what, const char **text,
                        cardan_pos *pos)
{
  cardan__mbs *reader = form->reader;
  if (reader->spec->status) {
    return false;
  }
  if (!cardan__mbs_is_string(reader, form->next)) {
    return cardan__mbs_expected(form, what);
  }
  const cardan__sexpr_node *node = &reader->tree.nodes[form->next];
  *text = cardan__mbs_repeat_string(reader, form->next);
  *pos = node->pos;
  if (!*text) {
    return false;
  }
  // names are checked once they are copied, from here on with their own place in the text
  cardan_spec_at(reader->spec, node->pos);
  advance(form);
  return true;
}

bool cardan__mbs_expr(cardan__mbs_form *form, const char *what, unsigned leaves,
                      const cardan__expr **expr)
{
  cardan__mbs *reader = form->reader;
  cardan_spec *spec = reader->spec;
  if (spec->status) {
    return false;
  }
  if (form->next < 0 || cardan__mbs_is_string(reader, form->next)) {
    return cardan__mbs_expected(form, what);
  }
  const cardan__expr_scope scope = cardan__mbs_scope(reader, leaves);
  cardan_report report = {0};
  cardan__expr *parsed = NULL;
  if (!keep_report(
          spec,
          cardan__expr_parse(&reader->tree, form->next, &scope, spec->allocator, &report, &parsed),
          &report)) {
    return false;
  }
  *expr = cardan__spec_keep_expr(spec, parsed);
  advance(form);
  return *expr != NULL;
}

bool cardan__mbs_close(cardan__mbs_form *form)
{
  if (!form->reader->spec->status && form->next >= 0) {
    return cardan__mbs_expected(form, "nothing more");
  }
  return !form->reader->spec->status;
}

bool cardan__mbs_rotation(cardan__mbs_form *form, cardan__rotation *rotation)
{
  static const char *const words[] = {"rpy", "rotvec", "quat"};
  static const char *const usages[] = {"(rpy roll pitch yaw)", "(rotvec a b c)", "(quat w x y z)"};
  cardan__mbs *reader = form->reader;
  const int list = form->next;
  *rotation = (cardan__rotation){CARDAN__ROT_NONE, {0}};
  if (!cardan__mbs_is_list(reader, list)) {
    return !reader->spec->status;
  }
  const int word = cardan__mbs_word(reader, cardan__sexpr_first(&reader->tree, list), words, 3);
  if (word < 0) {
    return !reader->spec->status;
  }
  rotation->form = (cardan__rotation_form)(CARDAN__ROT_RPY + word);
  cardan__mbs_form inner = cardan__mbs_open(reader, list, usages[word]);
  advance(form);
  return cardan__mbs_numbers(&inner, "a number", rotation->value, word == 2 ? 4 : 3) &&
         cardan__mbs_close(&inner);
}
