// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "cardan/statics.h"
#include "output/json.h"
#include "output/text_output.h"

/* An equilibrium, as JSON or as a text to read. */

enum { SHOWN = 40, NAME_SIZE = 10240 };

/* A symmetric part tells neither of flutter nor, where it is negative, of falling; stiffness does
 * not of damping below 0. */
static bool is_open(const cardan_statics *s)
{
  return s->skew || (s->fed && s->nnegative == 0);
}

static const char *verdict(const cardan_statics *s)
{
  return is_open(s)         ? "not known"
         : s->nnegative > 0 ? "unstable"
         : s->nzero > 0     ? "neutral"
                            : "stable";
}

/* The velocity that moves most along direction k; of lengths and angles alike. */
static const char *mostly(const cardan_statics *s, int k)
{
  const double *shape = s->shape + (size_t)k * (size_t)s->model->nv;
  int at = 0;
  for (int i = 1; i < s->model->nv; i++) {
    at = fabs(shape[i]) > fabs(shape[at]) ? i : at;
  }
  return s->model->v_name[at];
}

/* ---- JSON ---- */

static void json_reactions(const cardan_statics *s, cardan__json *j)
{
  cardan__json_open(j, "reactions", '{');
  for (int i = 0; i < s->model->njoint; i++) {
    const cardan_force r = s->reaction[i];
    cardan__json_open(j, s->model->joint[i].name, '{');
    cardan__json_numbers(j, "force", (const double[]){r.f.x, r.f.y, r.f.z}, 3);
    cardan__json_numbers(j, "torque", (const double[]){r.t.x, r.t.y, r.t.z}, 3);
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, '}');
  cardan__json_open(j, "drivers", '{');
  for (int i = 0; i < s->model->njoint; i++) {
    if (s->model->joint[i].driven) {
      cardan__json_number(j, s->model->joint[i].name, s->driver[i]);
    }
  }
  cardan__json_close(j, '}');
}

static void json_forces(const cardan_statics *s, cardan__json *j)
{
  const cardan_model *model = s->model;
  char row[NAME_SIZE];
  cardan__json_open(j, "springs", '{');
  for (int i = 0; i < model->nforce; i++) {
    const cardan_element_kind kind = model->force[i].kind;
    if (kind == CARDAN_ELEMENT_SPRING || kind == CARDAN_ELEMENT_JOINT_SPRING) {
      cardan__json_open(j, model->force[i].name, '{');
      cardan__json_number(j, kind == CARDAN_ELEMENT_SPRING ? "tension" : "torque", s->spring[i]);
      cardan__json_number(j, kind == CARDAN_ELEMENT_SPRING ? "length" : "q", s->length[i]);
      cardan__json_close(j, '}');
    }
  }
  cardan__json_close(j, '}');
  cardan__json_open(j, "multipliers", '{');
  for (int r = 0; r < model->nrow; r++) {
    cardan_row_name(model, r, row, sizeof row);
    cardan__json_number(j, row, s->lambda[r]);
  }
  cardan__json_close(j, '}');
  cardan__json_open(j, "bounds", '{');
  for (int i = 0; i < s->nside; i++) {
    cardan_statics_side(s, i, row, sizeof row);
    cardan__json_open(j, row, '{');
    cardan__json_number(j, "gap", s->gap[i]);
    cardan__json_number(j, "force", s->side[i]);
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, '}');
}

static void json_friction(const cardan_statics *s, cardan__json *j)
{
  cardan__json_open(j, "friction", '{');
  for (int i = 0; i < s->nfriction; i++) {
    const cardan_statics_friction *f = &s->friction[i];
    cardan__json_open(j, s->model->force[f->force].name, '{');
    cardan__json_bool(j, "holds", f->holds);
    cardan__json_number(j, "needed", f->needed);
    cardan__json_number(j, "limit", f->limit);
    cardan__json_number(j, "start_needed", f->start);
    cardan__json_number(j, "start_limit", f->start_limit);
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, '}');
}

static void json_stiffness(const cardan_statics *s, cardan__json *j)
{
  cardan__json_string(j, "stable", verdict(s));
  cardan__json_int(j, "free", s->nfree);
  cardan__json_int(j, "negative", s->nnegative);
  cardan__json_int(j, "zero", s->nzero);
  cardan__json_numbers(j, "stiffness", s->stiffness, s->nfree);
  cardan__json_open(j, "velocities", '[');
  for (int i = 0; i < s->model->nv; i++) {
    cardan__json_string(j, NULL, s->model->v_name[i]);
  }
  cardan__json_close(j, ']');
  cardan__json_matrix(j, "directions", s->shape, s->nfree, s->model->nv);
  cardan__json_open(j, "neutral", '[');
  for (int i = 0; i < s->nzero; i++) {
    cardan__json_string(j, NULL, mostly(s, s->nnegative + i));
  }
  cardan__json_close(j, ']');
}

static void write_json(const cardan_statics *s, const char *name, cardan__json *j)
{
  cardan__json_open(j, NULL, '{');
  cardan__json_string(j, "model", name);
  cardan__json_number(j, "t", s->t);
  cardan__json_open(j, "q", '{');
  for (int i = 0; i < s->model->nq; i++) {
    cardan__json_number(j, s->model->q_name[i], s->q[i]);
  }
  cardan__json_close(j, '}');
  cardan__json_number(j, "energy", s->energy);
  cardan__json_number(j, "energy_start", s->energy_start);
  json_stiffness(s, j);
  json_forces(s, j);
  json_reactions(s, j);
  json_friction(s, j);
  cardan__json_int(j, "iterations", s->iterations);
  cardan__json_number(j, "residual", s->residual);
  cardan__json_number(j, "scale", s->scale);
  cardan__json_bool(j, "conservative", s->conservative);
  cardan__json_bool(j, "at_start", s->at_start);
  cardan__json_bool(j, "singular", s->singular);
  cardan__json_close(j, '}');
  cardan__text_add(&j->text, "\n", 1);
}

/* ---- text ---- */

static void say_name(cardan__text *out, const char *name)
{
  cardan__text_printf(out, "\"");
  cardan__text_output_name(out, name);
  cardan__text_printf(out, "\"");
}

static void say_value(cardan__text *out, const char *before, double value, const char *after)
{
  cardan__text_printf(out, "%s", before);
  cardan__text_output_number(out, value);
  cardan__text_printf(out, "%s", after);
}

static void say_more(cardan__text *out, int n)
{
  if (n > SHOWN) {
    cardan__text_output_label(out, "");
    cardan__text_printf(out, ".. and %d more (all in JSON)", n - SHOWN);
  }
}

static void say_stiffness(const cardan_statics *s, cardan__text *out)
{
  cardan__text_output_label(out, "stiffness");
  if (s->nfree == 0) {
    cardan__text_printf(out, "nothing is free to move");
    return;
  }
  cardan__text_printf(out, "%d free direction%s, ", s->nfree, s->nfree == 1 ? "" : "s");
  say_value(out, "", s->stiffness[0], " to ");
  say_value(out, "", s->stiffness[s->nfree - 1], " N/m");
  for (int i = 0; i < s->nnegative && i < SHOWN; i++) {
    cardan__text_output_label(out, i > 0 ? "" : s->skew ? "negative" : "unstable");
    say_value(out, "", s->stiffness[i], " N/m, mostly ");
    say_name(out, mostly(s, i));
  }
  for (int i = 0; i < s->nzero && i < SHOWN; i++) {
    cardan__text_output_label(out, i == 0 ? "neutral" : "");
    cardan__text_printf(out, "nothing brings it back along ");
    say_name(out, mostly(s, s->nnegative + i));
  }
}

static void say_coordinates(const cardan_statics *s, cardan__text *out)
{
  for (int i = 0; i < s->model->nq && i < SHOWN; i++) {
    cardan__text_output_label(out, i == 0 ? "coordinates" : "");
    say_name(out, s->model->q_name[i]);
    say_value(out, "  ", s->q[i], "");
  }
  say_more(out, s->model->nq);
}

static void say_forces(const cardan_statics *s, cardan__text *out)
{
  const cardan_model *model = s->model;
  int shown = 0;
  for (int i = 0; i < model->nforce && shown < SHOWN; i++) {
    const bool spring = model->force[i].kind == CARDAN_ELEMENT_SPRING;
    if (spring || model->force[i].kind == CARDAN_ELEMENT_JOINT_SPRING) {
      cardan__text_output_label(out, shown++ == 0 ? "springs" : "");
      say_name(out, model->force[i].name);
      say_value(out, spring ? "  tension " : "  torque ", s->spring[i], spring ? " N" : "");
      say_value(out, " at ", s->length[i], spring ? " m" : "");
    }
  }
  for (int i = 0; i < model->njoint && i < SHOWN; i++) {
    const cardan_force r = s->reaction[i];
    cardan__text_output_label(out, i == 0 ? "reactions" : "");
    say_name(out, model->joint[i].name);
    say_value(out, "  force ", r.f.x, " ");
    say_value(out, "", r.f.y, " ");
    say_value(out, "", r.f.z, "");
    say_value(out, "  torque ", r.t.x, " ");
    say_value(out, "", r.t.y, " ");
    say_value(out, "", r.t.z, "");
    if (model->joint[i].driven) {
      say_value(out, "  driver ", s->driver[i], "");
    }
  }
  say_more(out, model->njoint);
  for (int r = 0; r < model->nrow && r < SHOWN; r++) {
    char row[NAME_SIZE];
    cardan_row_name(model, r, row, sizeof row);
    cardan__text_output_label(out, r == 0 ? "multipliers" : "");
    say_name(out, row);
    say_value(out, "  ", s->lambda[r], "");
  }
  say_more(out, model->nrow);
}

static void say_one_sided(const cardan_statics *s, cardan__text *out)
{
  for (int i = 0; i < s->nside && i < SHOWN; i++) {
    char side[NAME_SIZE];
    cardan_statics_side(s, i, side, sizeof side);
    cardan__text_output_label(out, i == 0 ? "bounds" : "");
    say_name(out, side);
    if (s->side[i] != 0) {
      say_value(out, "  pushes with ", s->side[i], "");
    } else {
      say_value(out, "  open by ", s->gap[i], "");
    }
  }
  for (int i = 0; i < s->nfriction && i < SHOWN; i++) {
    const cardan_statics_friction *f = &s->friction[i];
    cardan__text_output_label(out, i == 0 ? "friction" : "");
    say_name(out, s->model->force[f->force].name);
    say_value(out, f->holds ? "  holds: needs " : "  needs ", f->needed, "");
    say_value(out, ", can give up to ", f->limit, "");
    if (!f->holds && isfinite(f->start)) {
      say_value(out, "; did not hold the start: needed ", f->start, "");
      say_value(out, " of ", f->start_limit, "");
    }
  }
}

static void write_text(const cardan_statics *s, const char *name, cardan__text *out)
{
  bool held = false;
  for (int i = 0; i < s->nfriction; i++) {
    held = held || s->friction[i].holds;
  }
  cardan__text_output_name(out, name);
  cardan__text_printf(out, ": at rest, %s%s%s%s", is_open(s) ? "whether stable is " : "",
                      verdict(s), s->at_start ? ", where it starts" : "",
                      held ? ", held by friction" : "");
  cardan__text_output_label(out, "energy");
  say_value(out, "", s->energy, " J; at the start ");
  say_value(out, "", s->energy_start, " J");
  cardan__text_output_label(out, "left");
  say_value(out, "", s->residual, " N of ");
  say_value(out, "", s->scale, " N, ");
  cardan__text_printf(out, "%d iteration%s", s->iterations, s->iterations == 1 ? "" : "s");
  say_stiffness(s, out);
  say_coordinates(s, out);
  say_forces(s, out);
  say_one_sided(s, out);
  if (s->skew) {
    cardan__text_output_label(out, "stability");
    cardan__text_printf(out, "forces without a potential make the stiffness one that is not "
                             "symmetric, and the numbers above are of its symmetric part: "
                             "`cardan modes --at equilibrium` tells whether motions grow");
  }
  if (!s->skew && is_open(s)) {
    cardan__text_output_label(out, "stability");
    cardan__text_printf(out, "forces that read velocities may feed a motion: `cardan modes --at "
                             "equilibrium` tells whether motions grow");
  }
  if (s->singular) {
    cardan__text_output_label(out, "singular");
    cardan__text_printf(out, "the constraints lose rank here: multipliers and reactions are those "
                             "of least size, and stiffness counts more directions than it has");
  }
}

cardan_status cardan_describe_statics(const cardan_statics *statics, const char *name, bool json,
                                      const cardan_allocator *allocator, char **text)
{
  cardan__json j;
  cardan__json_init(&j, allocator);
  if (json) {
    write_json(statics, name, &j);
  } else {
    write_text(statics, name, &j.text);
  }
  return cardan__text_output_finish(&j.text, text);
}
