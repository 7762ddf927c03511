// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "model/build_rows.h"
#include "model/elements.h"

/* Elements of a spec to constraints, bounds and forces of a model: what is the same for every kind.
 * What each kind adds is in build_constraints.c, build_bounds.c and build_forces.c. */

/* Adds the most rows and entries of an element. */
static void count_rows(const cardan__spec_element *element, cardan__row_counts *counts)
{
  const cardan__element *kind = cardan__element_of(element->kind);
  const int nexpr = cardan__element_exprs(kind);
  int leaves = 0;
  for (int i = 0; i < nexpr; i++) {
    leaves += element->expr[i]->nleaf;
  }
  // no row has more than 3 bodies or 2 coordinates but those of its expression, where a coordinate
  // moves with up to 3 velocities
  counts->n += kind->nrow;
  counts->body += 3 * kind->nrow + leaves;
  counts->dof += 2 * kind->nrow + 3 * leaves;
}

/* ---- constraints ---- */

void cardan__count_constraint(const cardan__spec_element *element, cardan__counts *counts)
{
  counts->constraint++;
  count_rows(element, &counts->row);
}

/* The constraint's own name, or its word and number among its kind: "wire1", "wire2", .. */
static cardan_status name_constraint(cardan__build *build, const cardan__spec_element *from,
                                     cardan_constraint *c)
{
  char text[48];
  const int number = ++build->kind_count[from->kind];
  snprintf(text, sizeof text, "%s%d", cardan__element_word(from->kind), number);
  const char *name = from->name != NULL ? from->name : text;
  const int other = cardan__names_get(&build->constraint_index, name);
  if (other >= 0) {
    return cardan_fail(
        build->report, CARDAN_ERR_MODEL, from->pos,
        "the constraint name \"%.60s\" is already used by the %s of line %d, expected one of "
        "its own",
        name, cardan__element_word(build->model->constraint[other].kind),
        build->model->constraint[other].pos.line);
  }
  c->name = cardan__build_string(build, name);
  if (cardan__names_set(&build->constraint_index, c->name, build->model->nconstraint) !=
      CARDAN_OK) {
    return cardan_fail(build->report, CARDAN_ERR_MEMORY, from->pos, "out of memory");
  }
  return CARDAN_OK;
}

/* Does the constraint join two frames of one body? */
static bool is_in_one_body(const cardan_model *model, const cardan_constraint *c)
{
  return c->frame[0] >= 0 && c->frame[1] >= 0 &&
         model->frame[c->frame[0]].body == model->frame[c->frame[1]].body;
}

/* A length that changes with time is none between two frames of one body. */
static cardan_status check_time(cardan__build *build, const cardan_constraint *c)
{
  const cardan_model *model = build->model;
  for (int r = c->row; r < c->row + c->nrow && is_in_one_body(model, c); r++) {
    if (cardan__row_reads_time(model, &model->row[r])) {
      return cardan_fail(build->report, CARDAN_ERR_MODEL, c->pos,
                         "constraint \"%.60s\" joins two frames of one body, which never move "
                         "against each other, expected a length that does not depend on t",
                         c->name);
    }
  }
  return CARDAN_OK;
}

/* Constraints that are not wrong, but hardly meant. */
static void warn_idle(cardan__build *build, const cardan_constraint *c)
{
  const cardan_model *model = build->model;
  const cardan__row_list list = cardan__constraint_rows(build->model);
  bool dynamic = false;
  if (is_in_one_body(model, c)) {
    cardan__build_warn(
        build,
        "constraint \"%.60s\" joins two frames of one body, which never move against each "
        "other",
        c->name);
    return;
  }
  for (int r = c->row; r < c->row + c->nrow && !dynamic; r++) {
    dynamic = cardan__row_moves(model, list, &model->row[r]);
  }
  if (!dynamic) {
    cardan__build_warn(
        build, "constraint \"%.60s\" holds nothing but prescribed motions: no force can keep it",
        c->name);
  }
}

cardan_status cardan__fill_constraint(cardan__build *build, const cardan__spec_element *element)
{
  cardan_model *model = build->model;
  cardan_constraint *c = &model->constraint[model->nconstraint];
  *c = (cardan_constraint){.kind = element->kind,
                           .row = model->nrow,
                           .frame = {-1, -1, -1},
                           .var = {-1, -1},
                           .pos = element->pos};
  cardan_status status = name_constraint(build, element, c);
  for (int i = 0; i < 3 && status == CARDAN_OK; i++) {
    if (element->frame[i] != NULL) {
      status = cardan__build_frame(build, element->frame[i], element->pos, &c->frame[i]);
    }
  }
  if (status == CARDAN_OK) {
    status = cardan__element_of(element->kind)->rows(build, element);
  }
  if (status == CARDAN_OK) {
    status =
        cardan__settle_constraint(model, element, model->nconstraint, build->work, build->report);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  if (c->nrow > 0) {
    c->var[0] = model->row[c->row].var[0];
    c->var[1] = model->row[c->row].var[1];
  }
  warn_idle(build, c);
  model->nconstraint++;
  return check_time(build, c);
}

cardan_status cardan__settle_constraint(cardan_model *model, const cardan__spec_element *element,
                                        int i, double *work, cardan_report *report)
{
  const cardan__element *kind = cardan__element_of(element->kind);
  const cardan_constraint *c = &model->constraint[i];
  for (int r = c->row; r < c->row + c->nrow; r++) {
    if (model->row[r].scaled) {
      model->row[r].length = model->size_length > 0 ? model->size_length : 1;
    }
  }
  return kind->settle_rows != NULL ? kind->settle_rows(model, element, c, work, report) : CARDAN_OK;
}

/* ---- bounds ---- */

void cardan__count_bound(const cardan__spec_element *element, cardan__counts *counts)
{
  counts->bound += cardan__element_of(element->kind)->nrow;
  count_rows(element, &counts->bound_row);
}

cardan_status cardan__fill_bound(cardan__build *build, const cardan__spec_element *element)
{
  cardan_model *model = build->model;
  const int first = model->nbound;
  build->kind_count[element->kind]++;
  const cardan_status status = cardan__element_of(element->kind)->rows(build, element);
  return status == CARDAN_OK
             ? cardan__settle_bound(model, element, first, build->work, build->report)
             : status;
}

cardan_status cardan__settle_bound(cardan_model *model, const cardan__spec_element *element, int i,
                                   double *work, cardan_report *report)
{
  const cardan__element *kind = cardan__element_of(element->kind);
  cardan_bound *bound = &model->bound[i];
  for (int k = 0; k < kind->nrow; k++) {
    cardan_row *row = &model->bound_row[bound[k].row];
    row->length = !row->scaled ? row->length : model->size_length > 0 ? model->size_length : 1;
  }
  return kind->settle_bounds(model, element, bound, work, report);
}

/* ---- forces ---- */

void cardan__count_force(const cardan__spec_element *element, cardan__counts *counts)
{
  (void)element;
  counts->force++;
}

/* The element's own name, or its word and number among its kind: "spring1", "spring2", .. */
static const char *element_name(cardan__build *build, const cardan__spec_element *from)
{
  char text[48];
  const int number = ++build->kind_count[from->kind]; // named ones count too
  if (from->name != NULL) {
    return cardan__build_string(build, from->name);
  }
  snprintf(text, sizeof text, "%s%d", cardan__element_word(from->kind), number);
  return cardan__build_string(build, text);
}

cardan_status cardan__fill_force(cardan__build *build, const cardan__spec_element *element)
{
  cardan_model *model = build->model;
  const cardan__element *kind = cardan__element_of(element->kind);
  cardan_force_element *e = &model->force[model->nforce];
  *e = (cardan_force_element){.name = element_name(build, element),
                              .kind = element->kind,
                              .flags = kind->flags,
                              .frame = {-1, -1},
                              .joint = -1,
                              .var = -1,
                              .dof = -1,
                              .input = -1,
                              .expr = {-1, -1, -1, -1, -1, -1},
                              .state = -1,
                              .pos = element->pos};
  memcpy(e->value, element->value, sizeof e->value);
  const cardan_status status = kind->force(build, element, e);
  return status != CARDAN_OK ? status
                             : cardan__settle_force(model, element, model->nforce++, build->report);
}

cardan_status cardan__settle_force(cardan_model *model, const cardan__spec_element *element, int i,
                                   cardan_report *report)
{
  const cardan__element *kind = cardan__element_of(element->kind);
  cardan_force_element *e = &model->force[i];
  memcpy(e->value, element->value, sizeof e->value);
  e->n = element->n;
  return kind->settle != NULL ? kind->settle(model, e, report) : CARDAN_OK;
}

/* ---- warnings ---- */

cardan_status cardan__build_doubts(cardan__build *build)
{
  const cardan_spec *spec = build->spec;
  cardan_status status = CARDAN_OK;
  for (int f = 1; f < build->model->nframe; f++) {
    if (build->model->frame[f].has_mass) {
      cardan__doubt_inertia(build, f);
    }
  }
  for (int i = 0; i < spec->nelement && status == CARDAN_OK; i++) {
    const cardan__element *kind = cardan__element_of(spec->element[i].kind);
    if (kind->doubt != NULL) {
      status = kind->doubt(build, &spec->element[i]);
    }
  }
  return status;
}
