// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "model/elements.h"
#include "output/describe_contact.h"
#include "output/describe_inputs.h"
#include "output/json.h"
#include "output/model_summary.h"
#include "output/text_output.h"

/* A text for people names this many things of a kind; --json names all. */
enum { SHOWN = 12 };

static const char *name_of(const cardan_model *model, const cardan__model_summary *facts)
{
  return model->name && model->name[0] ? model->name : facts->name;
}

/* "3 rows": n and a word, with an s unless n is 1. */
static void say_count(cardan__text *out, int n, const char *word)
{
  cardan__text_printf(out, "%d %s%s", n, word, n == 1 ? "" : "s");
}

static void say_rest(cardan__text *out, int shown, int all)
{
  if (all > shown) {
    cardan__text_printf(out, " and %d more", all - shown);
  }
}

static void text_parts(const cardan_model *model, const cardan__model_summary *facts,
                       cardan__text *out)
{
  cardan__text_output_label(out, "bodies");
  cardan__text_printf(out, "%d with mass, ", facts->bodies);
  cardan__text_output_number(out, model->mass);
  cardan__text_printf(out, " kg in all");
  if (facts->massless > 0) {
    cardan__text_printf(out, "; %d massless between joints", facts->massless);
  }
  cardan__text_output_label(out, "joints");
  cardan__text_printf(out, "%d", model->njoint);
  bool first = true;
  for (int k = 0; k < CARDAN__JOINT_MOST; k++) {
    if (facts->joints[k] > 0) {
      cardan__text_printf(out, "%s%d %s", first ? ": " : ", ", facts->joints[k],
                          cardan__joint_type_of((cardan_joint_kind)k)->word);
      first = false;
    }
  }
  if (facts->transforms > 0) {
    cardan__text_printf(out, "; %d written as transforms", facts->transforms);
  }
  cardan__text_output_label(out, "coordinates");
  say_count(out, model->nq, "coordinate");
  cardan__text_printf(out, ", %d velocit%s", model->nv, model->nv == 1 ? "y" : "ies");
  if (facts->kinematic > 0) {
    cardan__text_printf(out, ", %d of them prescribed", facts->kinematic);
  }
  cardan__text_output_label(out, "freedom");
  say_count(out, facts->dof, "degree");
  cardan__text_printf(out, " of freedom in the tree, rank of the constraints %d, mobility ",
                      model->rank);
  if (model->nvelocity_row > 0) {
    cardan__text_printf(out, "%d (positions), %d (velocities)",
                        model->mobility + model->rank - model->position_rank, model->mobility);
  } else {
    cardan__text_printf(out, "%d", model->mobility);
  }
  cardan__text_output_label(out, "plane");
  if (model->planar) {
    const cardan_vec3 n = model->plane_normal;
    cardan__text_printf(out, "the motion stays in a plane, across (%.4g %.4g %.4g)", n.x, n.y, n.z);
  } else {
    cardan__text_printf(out, "none: the motion is in space");
  }
}

/* Do constraints on velocities leave no motion, though those on positions do? */
static bool is_locked(const cardan_model *model)
{
  return model->nvelocity_row > 0 && model->mobility <= 0 && model->rank > model->position_rank &&
         model->nprescribed == 0;
}

static void text_constraints(const cardan_model *model, const cardan__model_summary *facts,
                             cardan__text *out)
{
  cardan__text_output_label(out, "constraints");
  if (model->nconstraint == 0) {
    cardan__text_printf(out, "none");
    return;
  }
  cardan__text_printf(out, "%d with ", model->nconstraint);
  say_count(out, model->nrow, "row");
  for (int c = 0; c < model->nconstraint && c < SHOWN; c++) {
    const cardan_constraint *k = &model->constraint[c];
    cardan__text_output_label(out, "");
    cardan__text_printf(out, "%s \"", cardan__element_word(k->kind));
    cardan__text_output_name(out, k->name);
    cardan__text_printf(out, "\": ");
    say_count(out, k->nrow, "row");
  }
  if (model->nconstraint > SHOWN) {
    cardan__text_output_label(out, "");
    cardan__text_printf(out, ".. and %d more (all in JSON)", model->nconstraint - SHOWN);
  }
  cardan__text_output_label(out, "loops");
  if (facts->loop_constraints == 0) {
    cardan__text_printf(out, "none");
  } else {
    cardan__text_printf(out, "%d closed by ", facts->loops);
    say_count(out, facts->loop_constraints, "constraint");
  }
}

static void text_redundant(const cardan_model *model, const cardan__model_summary *facts,
                           cardan__text *out)
{
  if (facts->redundant == 0) {
    return;
  }
  cardan__text_output_label(out, "redundant");
  say_count(out, facts->redundant, "row");
  int shown = 0;
  for (int r = 0; r < model->nrow && shown < SHOWN; r++) {
    if (model->row_redundant[r]) {
      const cardan_constraint *k = &model->constraint[model->row[r].constraint];
      cardan__text_printf(out, shown == 0 ? ": \"" : ", \"");
      cardan__text_output_name(out, k->name);
      cardan__text_printf(out, "\" row %d", r - k->row + 1);
      shown++;
    }
  }
  say_rest(out, shown, facts->redundant);
  cardan__text_printf(out, "; multipliers of least norm");
  if (model->nnear > 0) {
    cardan__text_output_label(out, "");
    cardan__text_printf(out, "nearly redundant: ");
    say_count(out, model->nnear, "row");
    cardan__text_printf(out, " of these, by ");
    cardan__text_output_number(out, model->near);
    cardan__text_printf(out, " at the start: up to ");
    cardan__text_output_number(out, model->rank_tol);
    cardan__text_printf(out, " counts as rounding (rank-tol)");
  }
}

/* A mechanism that rounding may have locked. */
static void text_almost(const cardan_model *model, const cardan__model_summary *facts,
                        cardan__text *out)
{
  if (model->nalmost > 0) {
    cardan__text_output_label(out, facts->redundant > 0 ? "" : "redundant");
    cardan__text_printf(out, "nearly redundant: ");
    say_count(out, model->nalmost, "row");
    cardan__text_printf(out, ", by ");
    cardan__text_output_number(out, model->almost);
    cardan__text_printf(out, ": if the numbers are rounded, option rank-tol %.1g takes them so",
                        2.0 * model->almost);
  }
}

/* What is odd about constraints on velocities. */
static void text_velocity_rows(const cardan_model *model, const cardan__model_summary *facts,
                               cardan__text *out)
{
  if (is_locked(model)) {
    cardan__text_output_label(out, "locked");
    cardan__text_printf(out, "no motion is left by");
    int shown = 0;
    for (int c = 0; c < model->nconstraint; c++) {
      const cardan_constraint *k = &model->constraint[c];
      bool velocity = false;
      for (int r = k->row; r < k->row + k->nrow; r++) {
        velocity = velocity || model->row[r].velocity;
      }
      if (velocity && shown++ < SHOWN) {
        cardan__text_printf(out, shown > 1 ? ", \"" : " \"");
        cardan__text_output_name(out, k->name);
        cardan__text_printf(out, "\"");
      }
    }
    say_rest(out, SHOWN, shown);
  }
  const int most = facts->nintegrable < CARDAN__SUMMARY_INTEGRABLE ? facts->nintegrable
                                                                   : CARDAN__SUMMARY_INTEGRABLE;
  for (int i = 0; i < most && i < SHOWN; i++) {
    cardan__text_output_label(out, i == 0 ? "integrable" : "");
    cardan__text_printf(out, "\"");
    cardan__text_output_name(out, model->constraint[facts->integrable[i]].name);
    cardan__text_printf(out, "\"%s",
                        i == 0 ? " constrains velocities as an (equation ..) of "
                                 "coordinates does, which holds their values too"
                               : "");
  }
  say_rest(out, most < SHOWN ? most : SHOWN, facts->nintegrable);
}

static void text_start(const cardan_model *model, const cardan__model_summary *facts,
                       cardan__text *out)
{
  const cardan_assembly *start = &facts->start;
  if (model->nrow == 0) {
    return;
  }
  cardan__text_output_label(out, "start");
  cardan__text_printf(out, "closes to ");
  cardan__text_output_number(out, start->violation);
  cardan__text_printf(out, " in ");
  say_count(out, start->iterations, "iteration");
  if (start->open > 0) {
    cardan__text_printf(out, ": the data contradict one another by that, and up to ");
    cardan__text_output_number(out, model->closing);
    cardan__text_printf(out, " counts as redundant");
  }
  if (start->q_index >= 0 && start->q_change > 0) {
    cardan__text_printf(out, "; coordinate \"");
    cardan__text_output_name(out, model->q_name[start->q_index]);
    cardan__text_printf(out, "\" moves most, by ");
    cardan__text_output_number(out, start->q_change);
  }
  if (start->v_index >= 0 && start->v_change > 0) {
    cardan__text_printf(out, "; velocity \"");
    cardan__text_output_name(out, model->v_name[start->v_index]);
    cardan__text_printf(out, "\" changes most, by ");
    cardan__text_output_number(out, start->v_change);
  }
}

/* Parameters with their values, and the names of outputs. */
static void text_parameters(const cardan_model *model, cardan__text *out)
{
  for (int i = 0; i < model->nparameter && i < SHOWN; i++) {
    if (i == 0) {
      cardan__text_output_label(out, "parameters");
    }
    cardan__text_printf(out, i == 0 ? "" : ", ");
    cardan__text_output_name(out, model->parameter[i].name);
    cardan__text_printf(out, " ");
    cardan__text_output_number(out, model->parameter[i].value);
  }
  say_rest(out, SHOWN, model->nparameter);
  for (int i = 0; i < model->ny && i < SHOWN; i++) {
    if (i == 0) {
      cardan__text_output_label(out, "outputs");
    }
    cardan__text_printf(out, i == 0 ? "\"" : ", \"");
    cardan__text_output_name(out, model->output[i].name);
    cardan__text_printf(out, "\"");
  }
  say_rest(out, SHOWN, model->ny);
}

static void text_methods(const cardan_model *model, const cardan__model_summary *facts,
                         cardan__text *out)
{
  cardan_report report = {.message = ""};
  if (cardan_model_dynamic(model, &report) != CARDAN_OK) {
    cardan__text_output_label(out, "methods");
    cardan__text_printf(out, "none, for kinematics only: ");
    cardan__text_output_name(out, report.message);
    return;
  }
  for (int i = 0; i < facts->nmethod; i++) {
    cardan__text_output_label(out, i == 0 ? "methods" : "");
    cardan__text_printf(out, "%s: %s", cardan_method_name(i),
                        facts->takes[i] ? "takes it" : "does not take it: ");
    if (!facts->takes[i]) {
      cardan__text_output_name(out, facts->reason[i].message);
    }
  }
}

/* Rotors, and starts by name. */
static void text_more(const cardan_model *model, cardan__text *out)
{
  int rotors = 0;
  for (int k = 0; k < model->nv; k++) {
    rotors += model->armature[k] > 0;
  }
  if (rotors > 0) {
    cardan__text_output_label(out, "armatures");
    cardan__text_printf(out, "on %d of %d velocities", rotors, model->nv);
  }
  for (int i = 0; i < model->nkeyframe && i < SHOWN; i++) {
    if (i == 0) {
      cardan__text_output_label(out, "keyframes");
    }
    cardan__text_printf(out, "%s", i > 0 ? ", " : "");
    cardan__text_output_name(out, model->keyframe[i].name);
    cardan__text_printf(out, "%s", i == model->start ? " (the start)" : "");
  }
  say_rest(out, SHOWN, model->nkeyframe);
}

static void text_limits(const cardan_model *model, cardan__text *out)
{
  for (int j = 0, shown = 0; j < model->njoint && shown < SHOWN; j++) {
    const cardan_joint *joint = &model->joint[j];
    if (joint->has_limit) {
      cardan__text_output_label(out, shown++ == 0 ? "limits" : "");
      cardan__text_printf(out, "limit of \"");
      cardan__text_output_name(out, joint->name);
      cardan__text_printf(out, "\": ");
      cardan__text_output_number(out, joint->limit[0]);
      cardan__text_printf(out, " to ");
      cardan__text_output_number(out, joint->limit[1]);
      cardan__text_printf(out, ", restitution ");
      cardan__text_output_number(out, joint->restitution);
    }
  }
}

static void text_kept(const cardan_model *model, const cardan__model_summary *facts,
                      cardan__text *out)
{
  for (int j = 0, shown = 0; j < model->njoint && shown < SHOWN; j++) {
    const cardan_joint *joint = &model->joint[j];
    if (joint->effort > 0) {
      cardan__text_output_label(out, shown++ == 0 ? "kept, unused" : "");
      cardan__text_printf(out, "effort of \"");
      cardan__text_output_name(out, joint->name);
      cardan__text_printf(out, "\": up to ");
      cardan__text_output_number(out, joint->effort);
    }
  }
  if (facts->meshes > 0) {
    cardan__text_output_label(out, "meshes");
    say_count(out, facts->meshes, "shape");
    cardan__text_printf(out, " from mesh files, for pages and pictures");
  }
}

static void write_text(const cardan_model *model, const cardan__model_summary *facts,
                       cardan__text *out)
{
  cardan__text_output_name(out, name_of(model, facts));
  text_parts(model, facts, out);
  text_constraints(model, facts, out);
  text_redundant(model, facts, out);
  text_almost(model, facts, out);
  text_velocity_rows(model, facts, out);
  text_start(model, facts, out);
  text_more(model, out);
  cardan__inputs_text(model, SHOWN, out);
  text_parameters(model, out);
  text_methods(model, facts, out);
  text_limits(model, out);
  cardan__contacts_text(model, SHOWN, out);
  text_kept(model, facts, out);
  for (int i = 0; i < model->nwarning; i++) {
    cardan__text_output_label(out, i == 0 ? "warnings" : "");
    cardan__text_output_name(out, model->warning[i]);
  }
}

/* Constraints whose multipliers are not unique. */
static void json_not_unique(const cardan_model *model, cardan__json *j)
{
  cardan__json_open(j, "not_unique", '[');
  for (int c = 0; c < model->nconstraint; c++) {
    const cardan_constraint *k = &model->constraint[c];
    bool shared = false;
    for (int r = k->row; r < k->row + k->nrow; r++) {
      shared = shared || model->row_shared[r];
    }
    if (shared) {
      cardan__json_string(j, NULL, k->name);
    }
  }
  cardan__json_close(j, ']');
}

static void json_constraints(const cardan_model *model, const cardan__model_summary *facts,
                             cardan__json *j)
{
  cardan__json_open(j, "constraints", '[');
  for (int c = 0; c < model->nconstraint; c++) {
    const cardan_constraint *k = &model->constraint[c];
    cardan__json_open(j, NULL, '{');
    cardan__json_string(j, "name", k->name);
    cardan__json_string(j, "kind", cardan__element_word(k->kind));
    cardan__json_int(j, "rows", k->nrow);
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, ']');
  cardan__json_int(j, "rows", model->nrow);
  cardan__json_int(j, "loops", facts->loops);
  cardan__json_int(j, "loop_constraints", facts->loop_constraints);
  cardan__json_int(j, "rank", model->rank);
  cardan__json_int(j, "mobility", model->mobility);
  if (model->nvelocity_row > 0) {
    cardan__json_int(j, "position_mobility", model->mobility + model->rank - model->position_rank);
    cardan__json_int(j, "velocity_rows", model->nvelocity_row);
    cardan__json_bool(j, "locked", is_locked(model));
    cardan__json_open(j, "integrable", '[');
    for (int i = 0; i < facts->nintegrable && i < CARDAN__SUMMARY_INTEGRABLE; i++) {
      cardan__json_string(j, NULL, model->constraint[facts->integrable[i]].name);
    }
    cardan__json_close(j, ']');
  }
  cardan__json_bool(j, "planar", model->planar);
  cardan__json_open(j, "redundant", '[');
  for (int r = 0; r < model->nrow; r++) {
    if (model->row_redundant[r]) {
      const cardan_constraint *k = &model->constraint[model->row[r].constraint];
      cardan__json_open(j, NULL, '{');
      cardan__json_string(j, "constraint", k->name);
      cardan__json_int(j, "row", r - k->row + 1);
      cardan__json_close(j, '}');
    }
  }
  cardan__json_close(j, ']');
  json_not_unique(model, j);
}

static void json_start(const cardan_model *model, const cardan__model_summary *facts,
                       cardan__json *j)
{
  const cardan_assembly *start = &facts->start;
  cardan__json_open(j, "start", '{');
  cardan__json_number(j, "violation", start->violation);
  cardan__json_number(j, "contradiction", start->open);
  cardan__json_int(j, "iterations", start->iterations);
  cardan__json_number(j, "coordinate_change", start->q_change);
  cardan__json_string(j, "coordinate", start->q_index >= 0 ? model->q_name[start->q_index] : NULL);
  cardan__json_number(j, "velocity_change", start->v_change);
  cardan__json_string(j, "velocity", start->v_index >= 0 ? model->v_name[start->v_index] : NULL);
  cardan__json_close(j, '}');
}

static void json_kept(const cardan_model *model, const cardan__model_summary *facts,
                      cardan__json *j)
{
  cardan__json_open(j, "kept", '{');
  cardan__json_open(j, "limits", '[');
  for (int i = 0; i < model->njoint; i++) {
    if (model->joint[i].has_limit) {
      cardan__json_open(j, NULL, '{');
      cardan__json_string(j, "joint", model->joint[i].name);
      cardan__json_number(j, "low", model->joint[i].limit[0]);
      cardan__json_number(j, "high", model->joint[i].limit[1]);
      cardan__json_number(j, "restitution", model->joint[i].restitution);
      cardan__json_close(j, '}');
    }
  }
  cardan__json_close(j, ']');
  cardan__json_open(j, "efforts", '[');
  for (int i = 0; i < model->njoint; i++) {
    if (model->joint[i].effort > 0) {
      cardan__json_open(j, NULL, '{');
      cardan__json_string(j, "joint", model->joint[i].name);
      cardan__json_number(j, "most", model->joint[i].effort);
      cardan__json_close(j, '}');
    }
  }
  cardan__json_close(j, ']');
  cardan__json_int(j, "meshes", facts->meshes);
  cardan__json_close(j, '}');
}

static void json_near(const cardan_model *model, cardan__json *j)
{
  cardan__json_open(j, "nearly_redundant", '{');
  cardan__json_int(j, "rows", model->nnear);
  cardan__json_number(j, "by", model->near);
  cardan__json_number(j, "rank_tol", model->rank_tol);
  cardan__json_int(j, "more_rows", model->nalmost);
  cardan__json_number(j, "more_by", model->almost);
  cardan__json_close(j, '}');
}

static void json_more(const cardan_model *model, cardan__json *j)
{
  cardan__json_open(j, "armatures", '{');
  for (int k = 0; k < model->nv; k++) {
    if (model->armature[k] > 0) {
      cardan__json_number(j, model->v_name[k], model->armature[k]);
    }
  }
  cardan__json_close(j, '}');
  cardan__json_open(j, "keyframes", '[');
  for (int i = 0; i < model->nkeyframe; i++) {
    cardan__json_string(j, NULL, model->keyframe[i].name);
  }
  cardan__json_close(j, ']');
  cardan__json_string(j, "keyframe", model->start >= 0 ? model->keyframe[model->start].name : NULL);
}

static void json_parameters(const cardan_model *model, cardan__json *j)
{
  cardan__json_open(j, "parameters", '[');
  for (int i = 0; i < model->nparameter; i++) {
    const cardan_parameter *p = &model->parameter[i];
    cardan__json_open(j, NULL, '{');
    cardan__json_string(j, "name", p->name);
    cardan__json_number(j, "value", p->value);
    cardan__json_bool(j, "derived", p->derived);
    cardan__json_bool(j, "settable", !p->derived && p->rigid_pos.line == 0);
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, ']');
  cardan__json_open(j, "outputs", '[');
  for (int i = 0; i < model->ny; i++) {
    cardan__json_string(j, NULL, model->output[i].name);
  }
  cardan__json_close(j, ']');
}

static void json_methods(const cardan__model_summary *facts, cardan__json *j)
{
  cardan__json_open(j, "methods", '[');
  for (int i = 0; i < facts->nmethod; i++) {
    cardan__json_open(j, NULL, '{');
    cardan__json_string(j, "name", cardan_method_name(i));
    cardan__json_bool(j, "takes", facts->takes[i]);
    cardan__json_string(j, "reason", facts->takes[i] ? NULL : facts->reason[i].message);
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, ']');
}

static void write_json(const cardan_model *model, const cardan__model_summary *facts,
                       cardan__json *j)
{
  cardan__json_open(j, NULL, '{');
  cardan__json_string(j, "model", name_of(model, facts));
  cardan__json_int(j, "bodies", facts->bodies);
  cardan__json_int(j, "massless", facts->massless);
  cardan__json_number(j, "mass", model->mass);
  cardan__json_open(j, "joints", '{');
  for (int k = 0; k < CARDAN__JOINT_MOST; k++) {
    if (facts->joints[k] > 0) {
      cardan__json_int(j, cardan__joint_type_of((cardan_joint_kind)k)->word, facts->joints[k]);
    }
  }
  cardan__json_close(j, '}');
  cardan__json_int(j, "transforms", facts->transforms);
  cardan__json_int(j, "coordinates", model->nq);
  cardan__json_int(j, "velocities", model->nv);
  cardan__json_int(j, "dof", facts->dof);
  cardan__json_int(j, "kinematic", facts->kinematic);
  json_constraints(model, facts, j);
  json_near(model, j);
  json_start(model, facts, j);
  json_more(model, j);
  cardan__inputs_json(model, j);
  json_parameters(model, j);
  json_methods(facts, j);
  cardan__contacts_json(model, j);
  json_kept(model, facts, j);
  cardan__json_open(j, "warnings", '[');
  for (int i = 0; i < model->nwarning; i++) {
    cardan__json_string(j, NULL, model->warning[i]);
  }
  cardan__json_close(j, ']');
  cardan__json_close(j, '}');
}

cardan_status cardan_describe_model(const cardan_model *model, const char *name, bool json,
                                    const cardan_allocator *allocator, char **text,
                                    cardan_report *report)
{
  cardan__model_summary facts;
  *text = NULL;
  cardan_status status = cardan__model_summary_find(model, name, allocator, &facts, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__json out;
  cardan__json_init(&out, allocator);
  if (json) {
    write_json(model, &facts, &out);
  } else {
    write_text(model, &facts, &out.text);
  }
  status = cardan__text_output_finish(&out.text, text);
  return status == CARDAN_OK ? CARDAN_OK
                             : cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
}
