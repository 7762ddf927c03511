// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "expr/number.h"
#include "formats/mbs_write.h"

/* Everything of a model text that is not a frame. */

static void put_expr(cardan__text *text, const cardan__expr *expr)
{
  cardan__mbs_put(text, " ");
  cardan__expr_print(expr, text);
}

/* The words of one kind that stand between its names and its numbers. */
static void put_own_words(cardan__text *text, const cardan__spec_element *e)
{
  if (e->kind == CARDAN_ELEMENT_POINT) {
    const double n[3] = {e->n.x, e->n.y, e->n.z};
    cardan__mbs_put_list(text, n, 3);
    cardan__mbs_put_named(text, " (in", e->frame[2]);
  } else if (e->kind == CARDAN_ELEMENT_CLOSE) {
    cardan__mbs_put_joint_options(text, &e->joint);
  } else if (e->kind == CARDAN_ELEMENT_WRENCH) {
    for (int i = 0; i < 6; i++) {
      cardan__mbs_put(text, i % 3 == 0 ? " (" : " ");
      cardan__expr_print(e->expr[i], text);
      cardan__mbs_put(text, i % 3 == 2 ? ")" : "");
    }
  }
}

static void put_friction_option(cardan__text *text, const char *option, double value)
{
  if (value > 0.0) {
    cardan__mbs_put(text, option);
    cardan__mbs_put_numbers(text, &value, 1);
    cardan__mbs_put(text, ")");
  }
}

static void put_element(cardan__text *text, const cardan__spec_element *e)
{
  const cardan__element_rule *rule = cardan__element_rule_of(e->kind);
  cardan__text_printf(text, "\n  (%s", cardan__spec_element_word(e->kind));
  if (e->kind == CARDAN_ELEMENT_CLOSE) {
    cardan__text_printf(text, " %s", cardan__joint_type_of(e->joint.kind)->word);
  } else if (e->kind == CARDAN_ELEMENT_WRENCH) {
    cardan__mbs_put(text, e->in_world ? " world" : " body");
  }
  for (int i = 0; i < rule->nframe; i++) {
    cardan__mbs_put_string(text, e->frame[i]);
  }
  for (int i = 0; i < rule->nvar && e->var[i]; i++) {
    cardan__mbs_put_string(text, e->var[i]);
  }
  put_own_words(text, e);
  if (e->kind == CARDAN_ELEMENT_FRICTION) {
    cardan__mbs_put_numbers(text, e->value, 1);
    put_friction_option(text, " (radius", e->value[1]);
    put_friction_option(text, " (vs", e->value[2]);
  } else {
    cardan__mbs_put_numbers(text, e->value, rule->nvalue);
  }
  if (rule->nexpr == 1) {
    put_expr(text, e->expr[0]);
  }
  cardan__mbs_put_named(text, " (name", e->name);
  cardan__mbs_put(text, ")");
}

void cardan__mbs_put_elements(cardan__text *text, const cardan_spec *spec)
{
  for (int i = 0; i < spec->nelement; i++) {
    put_element(text, &spec->element[i]);
  }
}

/* ---- initial values ---- */

static void put_values(cardan__text *text, const double *value, int n)
{
  if (n == 1) {
    cardan__mbs_put_numbers(text, value, 1);
  } else if (n > 1) {
    cardan__mbs_put_list(text, value, n);
  }
}

/* Values of a start that was given in code without them: 0, the identity for a quaternion. */
static int default_values(const cardan_spec *spec, const char *var, double value[7])
{
  const cardan__var_ref ref = cardan__spec_find_var(spec, var);
  memset(value, 0, 7 * sizeof(*value));
  if (ref.frame < 0 || ref.q >= 0 || ref.v >= 0) {
    return 1;
  }
  const cardan__joint_type *type = cardan__joint_type_of(cardan__spec_joint_kind(spec, ref.frame));
  const int quat = cardan__quat_of(type->nq, type->nv);
  if (quat >= 0) {
    value[quat] = 1.0;
  }
  return type->nq;
}

static void put_start(cardan__text *text, const cardan_spec *spec, const cardan__spec_initial *item)
{
  const cardan_initial *start = &item->initial;
  cardan__mbs_put(text, "\n    ");
  if (start->frame) {
    const double p[3] = {start->pose.p.x, start->pose.p.y, start->pose.p.z};
    cardan__mbs_put(text, "(pose");
    cardan__mbs_put_string(text, start->frame);
    cardan__mbs_put_list(text, p, 3);
    cardan__mbs_put_rotation(text, &item->rotation);
    cardan__mbs_put(text, ")");
    return;
  }
  double zero[7];
  cardan__mbs_put(text, start->fixed ? "((" : "(");
  cardan__mbs_put_quoted(text, start->var);
  if (start->nvalue > 0) {
    put_values(text, start->value, start->nvalue);
  } else {
    put_values(text, zero, default_values(spec, start->var, zero));
  }
  put_values(text, start->velocity, start->nvelocity);
  cardan__mbs_put(text, start->fixed ? ") fixed)" : ")");
}

void cardan__mbs_put_initial(cardan__text *text, const cardan_spec *spec)
{
  if (spec->ninitial > 0) {
    cardan__mbs_put(text, "\n  (initial");
    for (int i = 0; i < spec->ninitial; i++) {
      put_start(text, spec, &spec->initial[i]);
    }
    cardan__mbs_put(text, ")");
  }
}

/* ---- defaults for a run ---- */

/* Would the reader take this text, without quotes, for itself? */
static bool is_plain(const cardan_spec *spec, const char *value)
{
  double number;
  char again[CARDAN__NUMBER_SIZE];
  const size_t length = strlen(value);
  if (cardan__number_read(value, length, &number) == CARDAN__NUMBER_OK) {
    cardan__format_number(again, number, 0);
    return strcmp(again, value) == 0;
  }
  return value[0] >= 'a' && value[0] <= 'z' && !cardan__expr_reserved(value) && length < 100 &&
         strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-") == length &&
         cardan__names_get(&spec->define_names, value) < 0;
}

void cardan__mbs_put_defaults(cardan__text *text, const cardan_spec *spec)
{
  if (spec->ndefault == 0) {
    return;
  }
  cardan__mbs_put(text, "\n  (simulate");
  for (int i = 0; i < spec->ndefault; i++) {
    const cardan__spec_default *item = &spec->defaults[i];
    cardan__text_printf(text, " (%s", item->key);
    if (is_plain(spec, item->value)) {
      cardan__text_printf(text, " %s", item->value);
    } else if (*item->value) {
      cardan__mbs_put_string(text, item->value);
    }
    cardan__mbs_put(text, ")");
  }
  cardan__mbs_put(text, ")");
}
