// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cardan/constraints.h"
#include "constraints/rows.h"
#include "kinematics/view.h"
#include "model/build.h"
#include "run/sim.h"
#include "spatial/spatial.h"

/* What the start had to change, where a user would want to know. */

static void add_note(cardan_sim *sim, const char *format, ...) CARDAN_PRINTF(2, 3);
static void add_note(cardan_sim *sim, const char *format, ...)
{
  const size_t size = sizeof sim->note, used = strlen(sim->note);
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (strstr(sim->note, text) == NULL) { // a saved state has its notes
    snprintf(sim->note + used, size - used, "%s%s", used > 0 ? "; " : "", text);
  }
}

/* Loops whose data contradict one another by no more than counts as closed; no note if the user set
 * that tolerance. */
static void note_open(cardan_sim *sim)
{
  if (sim->assembly.open > 0.0 && sim->options.closing == 0.0) {
    add_note(sim,
             "the data of the loops contradict one another by %.2g m or rad, less than the %.2g "
             "that their digits and a drawing allow: those constraints are taken as redundant, and "
             "the loops stay open by that (option closing)",
             sim->assembly.open, sim->model->closing);
  }
}

/* Rows that only the digits of the data make redundant, or do not. */
static void note_near(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  if (model->nnear > 0 && sim->options.rank_tol == 0.0) {
    add_note(
        sim,
        "%d constraint row%s nearly redundant, independent by %.2g only, and the digits of the "
        "data allow %.2g: taken as redundant, and the loops open by some of that as they move "
        "(option rank-tol)",
        model->nnear, model->nnear == 1 ? " is" : "s are", model->near, model->rank_tol);
  }
  if (model->nalmost > 0) {
    add_note(sim,
             "the mechanism cannot move, but %d constraint row%s independent by %.2g only: if the "
             "numbers are rounded, option rank-tol %.1g lets it",
             model->nalmost, model->nalmost == 1 ? " is" : "s are", model->almost,
             2.0 * model->almost);
  }
}

/* What closing the loops changed of what was given. */
static void note_assembly(cardan_sim *sim)
{
  const size_t size = sizeof sim->note, used = strlen(sim->note);
  char words[512];
  cardan_assembly_text(sim->model, sim->data, &sim->assembly, words, sizeof words);
  if (words[0] != '\0') {
    snprintf(sim->note + used, size - used, "%s%s", used > 0 ? "; " : "", words);
  }
}

void cardan__sim_note_text(cardan_sim *sim, const char *text)
{
  const size_t size = sizeof sim->note, used = strlen(sim->note);
  snprintf(sim->note + used, size - used, "%s%s", used > 0 ? "; " : "", text);
}

void cardan__sim_note_placed(cardan_sim *sim, const char *joint, double from, double to, int more)
{
  char others[48] = "";
  if (more > 0) {
    snprintf(others, sizeof others, ", and %d more %s", more, more == 1 ? "does so" : "do so");
  }
  add_note(sim, "joint \"%.60s\" has no start value: it starts at its limit %g, not at %g%s", joint,
           to, from, others);
}

void cardan__sim_note_inside(cardan_sim *sim, const char *joint, double from, double to, int more)
{
  char others[48] = "";
  if (more > 0) {
    snprintf(others, sizeof others, ", and %d more %s so", more, more == 1 ? "starts" : "start");
  }
  add_note(sim,
           "joint \"%.60s\" starts at %.6g, not at %g, which is outside its limits%s: there the "
           "loops are closed with all joints inside their limits",
           joint, to, from, others);
}

void cardan__sim_note_separated(cardan_sim *sim, int body, cardan_vec3 way, int solid, int other,
                                int more)
{
  const cardan_model *model = sim->model;
  const double weight = sqrt(cardan__vec3_dot(model->gravity, model->gravity));
  const cardan_vec3 up =
      weight > 0 ? cardan__vec3_scale(-1 / weight, model->gravity) : (cardan_vec3){0, 0, 1};
  const double rise = cardan__vec3_dot(way, up), length = sqrt(cardan__vec3_dot(way, way));
  char where[96], others[48] = "";
  if (rise >= length * (1 - 1e-9)) {
    snprintf(where, sizeof where, "%.3g m higher", rise);
  } else {
    snprintf(where, sizeof where, "moved by (%.3g %.3g %.3g) m", way.x + 0.0, way.y + 0.0,
             way.z + 0.0); // no -0
  }
  if (more > 0) {
    snprintf(others, sizeof others, ", and %d more %s moved so", more, more == 1 ? "is" : "are");
  }
  add_note(sim, "\"%.50s\" starts %s, where its \"%.50s\" does not overlap \"%.50s\"%s",
           cardan_body_name(model, body), where, model->solid[solid].name, model->solid[other].name,
           others);
}

void cardan__sim_note_overlap(cardan_sim *sim, int pair, double depth, int more)
{
  const cardan_pair *p = &sim->model->pair[pair];
  char others[48] = "";
  if (more > 0) {
    snprintf(others, sizeof others, ", as do %d more pair%s", more, more == 1 ? "" : "s");
  }
  add_note(sim,
           "\"%.60s\" and \"%.60s\" overlap at the start by %.3g m%s: they pass through one "
           "another in this run (start them apart, or take them out by no-contact)",
           sim->model->solid[p->solid[0]].name, sim->model->solid[p->solid[1]].name, depth, others);
}

void cardan__sim_note_small(cardan_sim *sim, int solid, double width)
{
  add_note(sim,
           "solid \"%.60s\" is %.3g m thick, and gaps of solids count as closed at 1e-8 m: write "
           "lengths in a smaller unit where that matters",
           sim->model->solid[solid].name, width);
}

void cardan__sim_note_limits(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  const bool wanted = cardan__contacts_wanted(model, &sim->options) > 0;
  char what[96] = "";
  cardan_pos pos;
  if (cardan__method_cannot_hold(sim->stepper->method, model, &sim->options, what, sizeof what,
                                 &pos)) {
    add_note(sim, "%s is not held by %s, nor what else would touch", what,
             sim->stepper->method->name);
  }
  for (int i = 0; i < model->njoint && wanted && sim->contacts == NULL; i++) {
    if (model->joint[i].has_limit) {
      add_note(sim, "the limit of joint \"%.60s\" is not enforced by %s%s", model->joint[i].name,
               sim->stepper->method->name,
               cardan__contacts_wanted(model, &sim->options) > 2 ? ", nor are others" : "");
      return;
    }
  }
}

/* Lengths of wires and ropes are functions of time: one that gets to 0 or below in the time of the
 * run is taken by its size there. Looked for at a thousand times. */
static void note_length(cardan_sim *sim, const cardan_row *row, const char *what, const char *name)
{
  enum { LOOKS = 1000 };
  const cardan_model *model = sim->model;
  const cardan_bound_expr *e = row->expr >= 0 ? &model->expr[row->expr] : NULL;
  if (row->kind != CARDAN_ROW_WIRE || e == NULL || e->expr->uses != CARDAN__LEAVES_T) {
    return;
  }
  const cardan__view view = cardan__data_view(model, sim->data);
  for (int i = 0; i <= LOOKS; i++) {
    const double t = sim->options.begin + sim->options.time * i / LOOKS;
    const double length = cardan__expr_value(e->expr, &t, view.work);
    if (!(length > 0)) {
      add_note(sim,
               "the length of %s \"%.60s\" (line %d) is %.3g m at t = %.4g s: below 0 it is taken "
               "by its size, expected one above 0 at all times",
               what, name, e->pos.line, length, t);
      return;
    }
  }
}

static void note_lengths(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  for (int r = 0; r < model->nrow; r++) {
    const int c = model->row[r].constraint;
    note_length(sim, &model->row[r], "wire", c >= 0 ? model->constraint[c].name : "");
  }
  for (int b = 0; b < model->nbound; b++) {
    if (model->bound[b].row >= 0) {
      note_length(sim, &model->bound_row[model->bound[b].row], "rope", model->bound[b].name);
    }
  }
}

/* Friction that holds at rest is computed for velocities of the tree
 * (forces/friction_prediction.h). Others have the law without prediction, which vi and svi solve
 * for and adaptive integrators follow. */
static void note_rubbing(cardan_sim *sim)
{
  const bool solves = sim->stepper->method->slopes != NULL || cardan__sim_adaptive(sim);
  if (sim->model->nrubbing > 0 && !solves) {
    add_note(
        sim,
        "dry friction of a closing joint is not predicted and may ring near rest, with a step of "
        "%.3g s; methods vi and svi, and integrators that choose their own steps, do not",
        sim->options.dt);
  }
}

void cardan__sim_note_max_error(cardan_sim *sim)
{
  if (sim->options.max_error > 0 && sim->estimate.block == NULL && sim->model->nv > 0) {
    add_note(sim, "option max-error has no effect: %s",
             cardan__sim_adaptive(sim)
                 ? "an integrator that chooses its own steps has tolerances (option rtol, option "
                   "atol), and no estimate of the error is made"
                 : "no estimate of the error is made with forces that a program computes");
  }
}

static void note_velocity_rows(cardan_sim *sim)
{
  const cardan_constraint *c = cardan__velocity_constraint(sim->model);
  const cardan__method *method = sim->stepper->method;
  if (c != NULL && method->rows_note != NULL) {
    add_note(sim, "%s holds constraints on velocities, such as \"%.60s\", %s", method->name,
             c->name, method->rows_note);
  }
}

void cardan__sim_note_start(cardan_sim *sim)
{
  cardan__sim_note_max_error(sim);
  note_velocity_rows(sim);
  note_lengths(sim);
  note_rubbing(sim);
  if (sim->options.assemble) {
    note_assembly(sim);
    note_open(sim);
    note_near(sim);
  }
}
