// SPDX-License-Identifier: Apache-2.0
#include "output/describe_inputs.h"

#include "output/text_output.h"

enum { GEAR, KP, KD, LOW, HIGH }; // of an actuator's values (forces/applied.c)

static void say_span(cardan__text *out, const char *word, double low, double high)
{
  cardan__text_printf(out, "%s", word);
  cardan__text_output_number(out, low);
  cardan__text_printf(out, " to ");
  cardan__text_output_number(out, high);
}

static void say_name(cardan__text *out, const char *before, const char *name)
{
  cardan__text_printf(out, "%s\"", before);
  cardan__text_output_name(out, name);
  cardan__text_printf(out, "\"");
}

static void say_actuator(cardan__text *out, const cardan_model *model,
                         const cardan_force_element *e)
{
  say_name(out, "", e->name);
  say_name(out, " on ", model->v_name[e->dof]);
  say_name(out, " by input ", model->input[e->input].name);
  if (e->value[GEAR] != 1) {
    cardan__text_printf(out, ", gear ");
    cardan__text_output_number(out, e->value[GEAR]);
  }
  if (e->value[KP] != 0 || e->value[KD] != 0) {
    cardan__text_printf(out, ", servo ");
    cardan__text_output_number(out, e->value[KP]);
    cardan__text_printf(out, " ");
    cardan__text_output_number(out, e->value[KD]);
  }
  if (e->value[LOW] < e->value[HIGH]) {
    say_span(out, ", limit ", e->value[LOW], e->value[HIGH]);
  }
}

static void say_more(cardan__text *out, int shown, int n)
{
  if (n > shown) {
    cardan__text_output_label(out, "");
    cardan__text_printf(out, ".. and %d more (all in JSON)", n - shown);
  }
}

/* Auxiliary states, memories, and what samples. */
static void say_states(const cardan_model *model, int shown, cardan__text *out)
{
  for (int i = 0; i < model->nz && i < shown; i++) {
    const cardan_aux_state *z = &model->state[i];
    cardan__text_output_label(out, i == 0 ? "states" : "");
    say_name(out, "", z->name);
    cardan__text_printf(out, ": ");
    cardan__text_output_number(out, z->initial);
    if (z->every > 0) {
      cardan__text_printf(out, " at the start, a memory set every ");
      cardan__text_output_number(out, z->every);
      cardan__text_printf(out, " s");
    } else {
      cardan__text_printf(out, " at the start, by its derivative");
    }
  }
  say_more(out, shown, model->nz);
  for (int i = 0; i < model->ncontroller && i < shown; i++) {
    const cardan_controller *c = &model->controller[i];
    cardan__text_output_label(out, i == 0 ? "controllers" : "");
    say_name(out, "of ", model->input[c->input].name);
    cardan__text_printf(out, " every ");
    cardan__text_output_number(out, c->every);
    cardan__text_printf(out, " s");
  }
  say_more(out, shown, model->ncontroller);
}

static void say_numbers(cardan__text *out, const char *word, const double *value, int n)
{
  bool given = false;
  for (int i = 0; i < n; i++) {
    given = given || value[i] != 0;
  }
  for (int i = 0; i < n && given; i++) {
    cardan__text_printf(out, "%s ", i == 0 ? word : "");
    cardan__text_output_number(out, value[i]);
  }
}

static void say_tyre(cardan__text *out, const cardan_model *model, const cardan_force_element *e)
{
  const double *value = e->value;
  say_name(out, "", e->name);
  say_name(out, " carries ", model->frame[e->frame[0]].name);
  say_name(out, " on ", model->frame[e->frame[1]].name);
  say_numbers(out, ": disc", value + CARDAN_TYRE_DISC, 1);
  say_numbers(out, ", linear", value + CARDAN_TYRE_LINEAR, 3);
  say_numbers(out, ", magic", value + CARDAN_TYRE_MAGIC, 4);
  say_numbers(out, ", vertical", value + CARDAN_TYRE_VERTICAL, 2);
  say_numbers(out, ", load", value + CARDAN_TYRE_LOAD, 1);
  say_numbers(out, ", camber", value + CARDAN_TYRE_CAMBER, 1);
  say_numbers(out, ", relaxation", value + CARDAN_TYRE_RELAXATION, 1);
}

static void say_tyres(const cardan_model *model, int shown, cardan__text *out)
{
  int n = 0;
  for (int f = 0; f < model->nforce; f++) {
    if (model->force[f].kind == CARDAN_ELEMENT_TYRE && n++ < shown) {
      cardan__text_output_label(out, n == 1 ? "tyres" : "");
      say_tyre(out, model, &model->force[f]);
    }
  }
  say_more(out, shown, n);
}

void cardan__inputs_text(const cardan_model *model, int shown, cardan__text *out)
{
  int n = 0;
  for (int i = 0; i < model->ninput && i < shown; i++) {
    const cardan_input_def *input = &model->input[i];
    cardan__text_output_label(out, i == 0 ? "inputs" : "");
    say_name(out, "", input->name);
    cardan__text_printf(out, ": ");
    cardan__text_output_number(out, input->value);
    if (input->has_limit) {
      say_span(out, ", limit ", input->limit[0], input->limit[1]);
    }
  }
  say_more(out, shown, model->ninput);
  for (int f = 0; f < model->nforce; f++) {
    if (model->force[f].kind == CARDAN_ELEMENT_ACTUATOR && n++ < shown) {
      cardan__text_output_label(out, n == 1 ? "actuators" : "");
      say_actuator(out, model, &model->force[f]);
    }
  }
  say_more(out, shown, n);
  say_tyres(model, shown, out);
  say_states(model, shown, out);
}

static void add_span(cardan__json *json, bool given, double low, double high)
{
  if (given) {
    cardan__json_number(json, "low", low);
    cardan__json_number(json, "high", high);
  }
}

static void add_actuator(cardan__json *json, const cardan_model *model,
                         const cardan_force_element *e)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "name", e->name);
  cardan__json_string(json, "velocity", model->v_name[e->dof]);
  cardan__json_string(json, "input", model->input[e->input].name);
  cardan__json_number(json, "gear", e->value[GEAR]);
  if (e->value[KP] != 0 || e->value[KD] != 0) {
    cardan__json_number(json, "kp", e->value[KP]);
    cardan__json_number(json, "kd", e->value[KD]);
  }
  add_span(json, e->value[LOW] < e->value[HIGH], e->value[LOW], e->value[HIGH]);
  cardan__json_close(json, '}');
}

static void add_tyre(cardan__json *json, const cardan_model *model, const cardan_force_element *e)
{
  const double *value = e->value;
  const bool linear = value[CARDAN_TYRE_LINEAR] > 0, load = value[CARDAN_TYRE_LOAD] > 0;
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "name", e->name);
  cardan__json_string(json, "wheel", model->frame[e->frame[0]].name);
  cardan__json_string(json, "ground", model->frame[e->frame[1]].name);
  cardan__json_number(json, "disc", value[CARDAN_TYRE_DISC]);
  cardan__json_numbers(json, linear ? "linear" : "magic",
                       value + (linear ? CARDAN_TYRE_LINEAR : CARDAN_TYRE_MAGIC), linear ? 3 : 4);
  cardan__json_numbers(json, load ? "load" : "vertical",
                       value + (load ? CARDAN_TYRE_LOAD : CARDAN_TYRE_VERTICAL), load ? 1 : 2);
  cardan__json_number(json, "camber", value[CARDAN_TYRE_CAMBER]);
  cardan__json_number(json, "relaxation", value[CARDAN_TYRE_RELAXATION]);
  cardan__json_close(json, '}');
}

static void add_states(const cardan_model *model, cardan__json *json)
{
  cardan__json_open(json, "states", '[');
  for (int i = 0; i < model->nz; i++) {
    const cardan_aux_state *z = &model->state[i];
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "name", z->name);
    cardan__json_number(json, "initial", z->initial);
    if (z->every > 0) {
      cardan__json_number(json, "every", z->every);
    }
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "controllers", '[');
  for (int i = 0; i < model->ncontroller; i++) {
    const cardan_controller *c = &model->controller[i];
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "input", model->input[c->input].name);
    cardan__json_number(json, "every", c->every);
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
}

void cardan__inputs_json(const cardan_model *model, cardan__json *json)
{
  cardan__json_open(json, "inputs", '[');
  for (int i = 0; i < model->ninput; i++) {
    const cardan_input_def *input = &model->input[i];
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "name", input->name);
    cardan__json_number(json, "value", input->value);
    add_span(json, input->has_limit, input->limit[0], input->limit[1]);
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "actuators", '[');
  for (int f = 0; f < model->nforce; f++) {
    if (model->force[f].kind == CARDAN_ELEMENT_ACTUATOR) {
      add_actuator(json, model, &model->force[f]);
    }
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "tyres", '[');
  for (int f = 0; f < model->nforce; f++) {
    if (model->force[f].kind == CARDAN_ELEMENT_TYRE) {
      add_tyre(json, model, &model->force[f]);
    }
  }
  cardan__json_close(json, ']');
  add_states(model, json);
}
