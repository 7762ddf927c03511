// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "expr/number.h"
#include "formats/mbs_write.h"
#include "model/elements.h"

/* Everything of a model text that is not a frame. */

static void put_argument(cardan__text *text, const cardan__argument *arg,
                         const cardan__spec_element *e, cardan__mbs_item item)
{
  const double n[3] = {e->n.x, e->n.y, e->n.z};
  const int i = arg->index;
  switch (arg->kind) {
  case CARDAN__ARG_FRAME:
    cardan__mbs_put_string(text, e->frame[i]);
    break;
  case CARDAN__ARG_MAYBE_VAR:
  case CARDAN__ARG_VAR:
  case CARDAN__ARG_INPUT:
    if (e->var[i]) {
      cardan__mbs_put_string(text, e->var[i]);
    }
    break;
  case CARDAN__ARG_NAME:
    cardan__mbs_put_string(text, e->name);
    break;
  case CARDAN__ARG_VALUE:
    cardan__mbs_put_living(text, item, CARDAN__SLOT_VALUE + i, &e->value[i], 1);
    break;
  case CARDAN__ARG_VALUE_LIST:
    cardan__mbs_put_living_list(text, item, CARDAN__SLOT_VALUE + i, &e->value[i], 3);
    break;
  case CARDAN__ARG_EXPR:
    cardan__mbs_put(text, " ");
    cardan__expr_print(e->expr[i], text);
    break;
  case CARDAN__ARG_EXPR_LIST:
    for (int k = 0; k < 3; k++) {
      cardan__mbs_put(text, k == 0 ? " (" : " ");
      cardan__expr_print(e->expr[i + k], text);
    }
    cardan__mbs_put(text, ")");
    break;
  case CARDAN__ARG_DIRECTION:
    cardan__mbs_put_living_list(text, item, CARDAN__SLOT_DIRECTION, n, 3);
    break;
  case CARDAN__ARG_AXES:
    cardan__mbs_put(text, e->in_world ? " world" : " body");
    break;
  case CARDAN__ARG_JOINT:
    cardan__text_printf(text, " %s", cardan__joint_type_of(e->joint.kind)->word);
    break;
  case CARDAN__ARG_JOINT_OPTIONS:
    cardan__mbs_put_joint_options(text, &e->joint, item, CARDAN__SLOT_CLOSE_PITCH);
    break;
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
}

static void put_option(cardan__text *text, const cardan__argument *arg,
                       const cardan__spec_element *e, cardan__mbs_item item)
{
  const char *frame = arg->kind == CARDAN__ARG_FRAME_OPTION ? e->frame[arg->index] : NULL;
  const double *value = &e->value[arg->index];
  const int n = cardan__option_numbers(arg->kind);
  bool given = frame != NULL;
  for (int i = 0; i < n; i++) {
    given = given || value[i] != 0.0 ||
            cardan__spec_living_at(item.spec, item.list, CARDAN__SLOT_VALUE + arg->index + i);
  }
  if (given) {
    cardan__text_printf(text, " (%s", arg->what);
    if (frame) {
      cardan__mbs_put_string(text, frame);
    } else {
      cardan__mbs_put_living(text, item, CARDAN__SLOT_VALUE + arg->index, value, n);
    }
    cardan__mbs_put(text, ")");
  }
}

/* (flat), (axis x y z) */
static void put_short_option(cardan__text *text, const cardan__argument *arg,
                             const cardan__spec_element *e, cardan__mbs_item item)
{
  const double n[3] = {e->n.x, e->n.y, e->n.z};
  if (arg->kind == CARDAN__ARG_FLAG_OPTION && e->value[arg->index] > 0.0) {
    cardan__text_printf(text, " (%s)", arg->what);
  }
  if (arg->kind == CARDAN__ARG_DIRECTION_OPTION && (n[0] != 0.0 || n[1] != 0.0 || n[2] != 0.0)) {
    cardan__text_printf(text, " (%s", arg->what);
    cardan__mbs_put_living(text, item, CARDAN__SLOT_DIRECTION, n, 3);
    cardan__mbs_put(text, ")");
  }
}

static void put_element(cardan__text *text, const cardan_spec *spec, const cardan__spec_element *e)
{
  const cardan__mbs_item item = {spec, e->living};
  const cardan__element *kind = cardan__element_of(e->kind);
  cardan__text_printf(text, "\n  (%s", cardan__element_word(e->kind));
  for (int i = 0; i < CARDAN__MAX_ARGUMENT; i++) {
    put_argument(text, &kind->argument[i], e, item);
    put_option(text, &kind->argument[i], e, item);
    put_short_option(text, &kind->argument[i], e, item);
  }
  if (e->kind == CARDAN_ELEMENT_CLOSE) {
    cardan__mbs_put_named(text, " (coordinate", e->var[0]);
  }
  if (kind->argument[0].kind != CARDAN__ARG_NAME) {
    cardan__mbs_put_named(text, " (name", e->name);
  }
  cardan__mbs_put(text, ")");
}

void cardan__mbs_put_inputs(cardan__text *text, const cardan_spec *spec)
{
  for (int i = 0; i < spec->ninput; i++) {
    const cardan_input_def *input = &spec->input[i].def;
    cardan__mbs_put(text, "\n  (input");
    cardan__mbs_put_string(text, input->name);
    cardan__mbs_put_numbers(text, &input->value, 1);
    if (input->has_limit) {
      cardan__mbs_put(text, " (limit");
      cardan__mbs_put_numbers(text, input->limit, 2);
      cardan__mbs_put(text, ")");
    }
    cardan__mbs_put(text, ")");
  }
}

/* (WORD number) */
static void put_option_number(cardan__text *text, const char *word, double value)
{
  cardan__text_printf(text, " (%s", word);
  cardan__mbs_put_numbers(text, &value, 1);
  cardan__mbs_put(text, ")");
}

void cardan__mbs_put_aux_states(cardan__text *text, const cardan_spec *spec)
{
  for (int i = 0; i < spec->nstate; i++) {
    const cardan__spec_aux_state *state = &spec->state[i];
    const bool memory = state->every > 0.0;
    if (state->expr == NULL) { // the element's own
      continue;
    }
    cardan__mbs_put(text, memory ? "\n  (memory" : "\n  (state");
    cardan__mbs_put_string(text, state->name);
    put_option_number(text, "initial", state->initial);
    if (memory) {
      put_option_number(text, "every", state->every);
    }
    cardan__mbs_put(text, memory ? " (next " : " (derivative ");
    cardan__expr_print(state->expr, text);
    cardan__mbs_put(text, "))");
  }
  for (int i = 0; i < spec->ncontroller; i++) {
    cardan__mbs_put(text, "\n  (controller");
    cardan__mbs_put_string(text, spec->controller[i].input);
    put_option_number(text, "every", spec->controller[i].every);
    cardan__mbs_put(text, " ");
    cardan__expr_print(spec->controller[i].expr, text);
    cardan__mbs_put(text, ")");
  }
}

void cardan__mbs_put_elements(cardan__text *text, const cardan_spec *spec)
{
  for (int i = 0; i < spec->nelement; i++) {
    put_element(text, spec, &spec->element[i]);
  }
}

/* ---- materials, contacts ---- */

static void put_surface(cardan__text *text, cardan_surface surface, cardan__mbs_item item)
{
  for (int i = 0; i < CARDAN__NSURFACE; i++) {
    if (*cardan__surface_has(&surface, i)) {
      cardan__text_printf(text, " (%s", cardan__surface_word[i]);
      cardan__mbs_put_living(text, item, i, cardan__surface_number(&surface, i), 1);
      cardan__mbs_put(text, ")");
    }
  }
}

void cardan__mbs_put_materials(cardan__text *text, const cardan_spec *spec)
{
  for (int i = 0; i < spec->nmaterial; i++) {
    const cardan__spec_material *m = &spec->material[i];
    cardan__mbs_put(text, "\n  (material");
    cardan__mbs_put_string(text, m->name);
    put_surface(text, m->surface, (cardan__mbs_item){spec, m->living});
    cardan__mbs_put(text, ")");
  }
}

void cardan__mbs_put_contacts(cardan__text *text, const cardan_spec *spec)
{
  for (int i = 0; i < spec->ncontact; i++) {
    const cardan__spec_contact *c = &spec->contact[i];
    cardan__mbs_put(text, c->never ? "\n  (no-contact" : "\n  (contact");
    for (int k = 0; k < 2; k++) {
      if (c->frame[k] != NULL) {
        cardan__mbs_put_string(text, c->frame[k]);
      }
    }
    cardan__mbs_put(text, c->all ? " all" : "");
    put_surface(text, c->surface, (cardan__mbs_item){spec, c->living});
    cardan__mbs_put_named(text, " (name", c->name);
    cardan__mbs_put(text, ")");
  }
}

void cardan__mbs_put_outputs(cardan__text *text, const cardan_spec *spec)
{
  for (int i = 0; i < spec->noutput; i++) {
    cardan__mbs_put(text, "\n  (output");
    cardan__mbs_put_string(text, spec->output[i].name);
    cardan__mbs_put(text, " ");
    cardan__expr_print(spec->output[i].expr, text);
    cardan__mbs_put(text, ")");
  }
}

/* ---- initial values ---- */

static void put_values(cardan__text *text, cardan__mbs_item item, int slot, const double *value,
                       int n)
{
  if (n == 1) {
    cardan__mbs_put_living(text, item, slot, value, 1);
  } else if (n > 1) {
    cardan__mbs_put_living_list(text, item, slot, value, n);
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
  const cardan__mbs_item numbers = {spec, item->living};
  cardan__mbs_put(text, "\n    ");
  if (start->frame) {
    const double p[3] = {start->pose.p.x, start->pose.p.y, start->pose.p.z};
    cardan__mbs_put(text, "(pose");
    cardan__mbs_put_string(text, start->frame);
    cardan__mbs_put_list(text, p, 3);
    cardan__mbs_put_rotation(text, &item->rotation, numbers);
    if (start->nvelocity > 0) {
      cardan__mbs_put(text, " (velocity");
      cardan__mbs_put_list(text, start->velocity, 3);
      if (start->nvelocity > 3) {
        cardan__mbs_put_list(text, start->velocity + 3, 3);
      }
      cardan__mbs_put(text, ")");
    }
    cardan__mbs_put(text, ")");
    return;
  }
  double zero[7];
  cardan__mbs_put(text, start->fixed ? "((" : "(");
  cardan__mbs_put_quoted(text, start->var);
  if (start->nvalue > 0) {
    put_values(text, numbers, CARDAN__SLOT_START, start->value, start->nvalue);
  } else {
    put_values(text, numbers, CARDAN__SLOT_START, zero, default_values(spec, start->var, zero));
  }
  put_values(text, numbers, CARDAN__SLOT_START_RATE, start->velocity, start->nvelocity);
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

/* ---- armatures, keyframes ---- */

void cardan__mbs_put_armatures(cardan__text *text, const cardan_spec *spec)
{
  for (int i = 0; i < spec->narmature; i++) {
    cardan__mbs_put(text, "\n  (armature");
    cardan__mbs_put_string(text, spec->armature[i].q);
    cardan__mbs_put_living(text, (cardan__mbs_item){spec, spec->armature[i].living}, 0,
                           &spec->armature[i].inertia, 1);
    cardan__mbs_put(text, ")");
  }
}

void cardan__mbs_put_keyframes(cardan__text *text, const cardan_spec *spec)
{
  for (int i = 0; i < spec->nkeyframe; i++) {
    const cardan__spec_keyframe *keyframe = &spec->keyframe[i];
    cardan__mbs_put(text, "\n  (keyframe");
    cardan__mbs_put_string(text, keyframe->name);
    for (int k = keyframe->first; k < keyframe->first + keyframe->n; k++) {
      const cardan_initial *value = &spec->key_value[k].initial;
      if (value->input != NULL) {
        cardan__mbs_put(text, "\n    (input");
        cardan__mbs_put_string(text, value->input);
        cardan__mbs_put_numbers(text, value->value, 1);
        cardan__mbs_put(text, ")");
      } else {
        put_start(text, spec, &spec->key_value[k]);
      }
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
