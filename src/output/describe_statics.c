// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "cardan/statics.h"
#include "output/json.h"
#include "output/text_output.h"

/* Writes an equilibrium as JSON or as text. */

enum { MAX_LINES = 40, NAME_SIZE = 10240 };

/* Does the stiffness leave stability undecided? The symmetric part of an unsymmetric stiffness
 * neither excludes flutter nor, where it is negative, proves divergence; a positive stiffness does
 * not exclude negative damping. */
static bool is_undecided(const cardan_statics *s)
{
  return s->skew || (s->fed && s->nnegative == 0);
}

static const char *name_stability(const cardan_statics *s)
{
  return is_undecided(s)    ? "not known"
         : s->nnegative > 0 ? "unstable"
         : s->nzero > 0     ? "neutral"
                            : "stable";
}

/* Name of the velocity with the largest entry in direction k, metres and radians compared as they
 * are. */
static const char *find_largest_velocity(const cardan_statics *s, int k)
{
  const double *shape = s->shape + (size_t)k * (size_t)s->model->nv;
  int largest = 0;
  for (int i = 1; i < s->model->nv; i++) {
    largest = fabs(shape[i]) > fabs(shape[largest]) ? i : largest;
  }
  return s->model->v_name[largest];
}

/* ---- JSON ---- */

static void write_json_reactions(const cardan_statics *s, cardan__json *j)
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

static void write_json_forces(const cardan_statics *s, cardan__json *j)
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
    cardan_statics_side_name(s, i, row, sizeof row);
    cardan__json_open(j, row, '{');
    cardan__json_number(j, "gap", s->gap[i]);
    cardan__json_number(j, "force", s->side[i]);
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, '}');
}

static void write_json_friction(const cardan_statics *s, cardan__json *j)
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

static void write_json_stiffness(const cardan_statics *s, cardan__json *j)
{
  cardan__json_string(j, "stable", name_stability(s));
  cardan__json_int(j, "free", s->nfree);
  cardan__json_int(j, "negative", s->nnegative);
  cardan__json_int(j, "zero", s->nzero);
  cardan__json_numbers(j, "stiffness", s->stiffness, s->nfree);
  cardan__json_numbers(j, "eigenvalues_re", s->eigen_re, s->nfree);
  cardan__json_numbers(j, "eigenvalues_im", s->eigen_im, s->nfree);
  cardan__json_open(j, "velocities", '[');
  for (int i = 0; i < s->model->nv; i++) {
    cardan__json_string(j, NULL, s->model->v_name[i]);
  }
  cardan__json_close(j, ']');
  cardan__json_matrix(j, "directions", s->shape, s->nfree, s->model->nv);
  cardan__json_open(j, "neutral", '[');
  for (int i = 0; i < s->nzero; i++) {
    cardan__json_string(j, NULL, find_largest_velocity(s, s->nnegative + i));
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
  write_json_stiffness(s, j);
  write_json_forces(s, j);
  write_json_reactions(s, j);
  write_json_friction(s, j);
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

static void append_name(cardan__text *out, const char *name)
{
  cardan__text_printf(out, "\"");
  cardan__text_output_name(out, name);
  cardan__text_printf(out, "\"");
}

static void append_value(cardan__text *out, const char *before, double value, const char *after)
{
  cardan__text_printf(out, "%s", before);
  cardan__text_output_number(out, value);
  cardan__text_printf(out, "%s", after);
}

static void append_omitted(cardan__text *out, int n)
{
  if (n > MAX_LINES) {
    cardan__text_output_label(out, "");
    cardan__text_printf(out, ".. and %d more (all in JSON)", n - MAX_LINES);
  }
}

static void append_stiffness(const cardan_statics *s, cardan__text *out)
{
  cardan__text_output_label(out, "stiffness");
  if (s->nfree == 0) {
    cardan__text_printf(out, "no free direction");
    return;
  }
  cardan__text_printf(out, "%d free direction%s, ", s->nfree, s->nfree == 1 ? "" : "s");
  append_value(out, "", s->stiffness[0], " to ");
  append_value(out, "", s->stiffness[s->nfree - 1], " N/m");
  for (int i = 0; i < s->nnegative && i < MAX_LINES; i++) {
    cardan__text_output_label(out, i > 0 ? "" : s->skew ? "negative" : "unstable");
    append_value(out, "", s->stiffness[i], " N/m, mostly ");
    append_name(out, find_largest_velocity(s, i));
  }
  for (int i = 0; i < s->nfree && i < MAX_LINES && s->skew; i++) {
    cardan__text_output_label(out, i == 0 ? "eigenvalues" : "");
    append_value(out, "", s->eigen_re[i], s->eigen_im[i] != 0 ? " " : " N/m");
    if (s->eigen_im[i] != 0) {
      append_value(out, s->eigen_im[i] > 0 ? "+ " : "- ", fabs(s->eigen_im[i]), " i N/m");
    }
  }
  for (int i = 0; i < s->nzero && i < MAX_LINES; i++) {
    cardan__text_output_label(out, i == 0 ? "neutral" : "");
    cardan__text_printf(out, "zero stiffness along ");
    append_name(out, find_largest_velocity(s, s->nnegative + i));
  }
}

static void append_coordinates(const cardan_statics *s, cardan__text *out)
{
  for (int i = 0; i < s->model->nq && i < MAX_LINES; i++) {
    cardan__text_output_label(out, i == 0 ? "coordinates" : "");
    append_name(out, s->model->q_name[i]);
    append_value(out, "  ", s->q[i], "");
  }
  append_omitted(out, s->model->nq);
}

static void append_forces(const cardan_statics *s, cardan__text *out)
{
  const cardan_model *model = s->model;
  int shown = 0;
  for (int i = 0; i < model->nforce && shown < MAX_LINES; i++) {
    const bool spring = model->force[i].kind == CARDAN_ELEMENT_SPRING;
    if (spring || model->force[i].kind == CARDAN_ELEMENT_JOINT_SPRING) {
      cardan__text_output_label(out, shown++ == 0 ? "springs" : "");
      append_name(out, model->force[i].name);
      append_value(out, spring ? "  tension " : "  torque ", s->spring[i], spring ? " N" : "");
      append_value(out, " at ", s->length[i], spring ? " m" : "");
    }
  }
  for (int i = 0; i < model->njoint && i < MAX_LINES; i++) {
    const cardan_force r = s->reaction[i];
    cardan__text_output_label(out, i == 0 ? "reactions" : "");
    append_name(out, model->joint[i].name);
    append_value(out, "  force ", r.f.x, " ");
    append_value(out, "", r.f.y, " ");
    append_value(out, "", r.f.z, "");
    append_value(out, "  torque ", r.t.x, " ");
    append_value(out, "", r.t.y, " ");
    append_value(out, "", r.t.z, "");
    if (model->joint[i].driven) {
      append_value(out, "  driver ", s->driver[i], "");
    }
  }
  append_omitted(out, model->njoint);
  for (int r = 0; r < model->nrow && r < MAX_LINES; r++) {
    char row[NAME_SIZE];
    cardan_row_name(model, r, row, sizeof row);
    cardan__text_output_label(out, r == 0 ? "multipliers" : "");
    append_name(out, row);
    append_value(out, "  ", s->lambda[r], "");
  }
  append_omitted(out, model->nrow);
}

static void append_bounds_and_friction(const cardan_statics *s, cardan__text *out)
{
  for (int i = 0; i < s->nside && i < MAX_LINES; i++) {
    char side[NAME_SIZE];
    cardan_statics_side_name(s, i, side, sizeof side);
    cardan__text_output_label(out, i == 0 ? "bounds" : "");
    append_name(out, side);
    if (s->side[i] != 0) {
      append_value(out, "  pushes with ", s->side[i], "");
    } else {
      append_value(out, "  open by ", s->gap[i], "");
    }
  }
  for (int i = 0; i < s->nfriction && i < MAX_LINES; i++) {
    const cardan_statics_friction *f = &s->friction[i];
    cardan__text_output_label(out, i == 0 ? "friction" : "");
    append_name(out, s->model->force[f->force].name);
    append_value(out, f->holds ? "  holds: needs " : "  needs ", f->needed, "");
    append_value(out, ", can give up to ", f->limit, "");
    if (!f->holds && isfinite(f->start)) {
      append_value(out, "; could not hold the initial position: needed ", f->start, "");
      append_value(out, " of ", f->start_limit, "");
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
  cardan__text_printf(out, ": at rest, %s%s%s%s", is_undecided(s) ? "stability " : "",
                      name_stability(s), s->at_start ? ", at its initial position" : "",
                      held ? ", held by friction" : "");
  cardan__text_output_label(out, "energy");
  append_value(out, "", s->energy, " J; at the start ");
  append_value(out, "", s->energy_start, " J");
  cardan__text_output_label(out, "residual");
  append_value(out, "", s->residual, " N of ");
  append_value(out, "", s->scale, " N, ");
  cardan__text_printf(out, "%d iteration%s", s->iterations, s->iterations == 1 ? "" : "s");
  append_stiffness(s, out);
  append_coordinates(s, out);
  append_forces(s, out);
  append_bounds_and_friction(s, out);
  if (s->skew) {
    cardan__text_output_label(out, "stability");
    cardan__text_printf(out,
                        "%s make the stiffness unsymmetric; the numbers above are those of its "
                        "symmetric part. `cardan modes --at equilibrium` computes whether small "
                        "motions grow",
                        s->conservative ? "loads of constraints on velocities"
                                        : "forces without a potential");
  }
  if (!s->skew && is_undecided(s)) {
    cardan__text_output_label(out, "stability");
    cardan__text_printf(out, "forces that depend on velocities may add energy: `cardan modes --at "
                             "equilibrium` computes whether small motions grow");
  }
  if (s->singular) {
    cardan__text_output_label(out, "singular");
    cardan__text_printf(out, "the constraints lose rank here: multipliers and reactions are the "
                             "minimum-norm ones, and the free directions include more than the "
                             "mechanism can follow");
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
