// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "model/build_contact.h"
#include "model/elements.h"
#include "model/recipe.h"

/* Another value for a parameter of a compiled model. The numbers that depend on it are written
 * where the model was made from (recipe.h), checked as a spec checks them, and the functions that
 * made the model run again. Nothing is allocated. */

/* What follows from the numbers that were written. */
typedef struct {
  bool moves;    // placements, rows or the start: constraints have to be looked at
  bool frames;   // bodies have to be placed and masses summed
  bool start;    // q0
  bool elements; // rows and forces
  bool solids;   // solids and pairs
} changes;

static cardan_status refuse(cardan_report *report, const cardan_spec *judge)
{
  return cardan_fail(report, judge->status, judge->report.pos, "%s", judge->report.message);
}

/* Where a number of a frame stands. */
static double *frame_number(cardan_model *model, int f, int slot)
{
  cardan__recipe *recipe = model->recipe;
  cardan__spec_frame *frame = &recipe->frame[f];
  double *const p[3] = {&frame->place.p.x, &frame->place.p.y, &frame->place.p.z};
  cardan_mass *m = &frame->mass;
  double *const mass[7] = {&m->m, &m->xx, &m->yy, &m->zz, &m->xy, &m->xz, &m->yz};
  if (slot < CARDAN__SLOT_PLACE) {
    return &frame->value;
  }
  if (slot < CARDAN__SLOT_ROTATION) {
    return p[slot - CARDAN__SLOT_PLACE];
  }
  if (slot < CARDAN__SLOT_MASS) {
    return &recipe->rotation[frame->rotation].value[slot - CARDAN__SLOT_ROTATION];
  }
  if (slot < CARDAN__SLOT_PITCH) {
    return mass[slot - CARDAN__SLOT_MASS];
  }
  int j = 0;
  while (model->joint[j].frame != f) {
    j++;
  }
  return slot < CARDAN__SLOT_LIMIT ? &model->joint[j].pitch
                                   : &model->joint[j].limit[slot - CARDAN__SLOT_LIMIT];
}

static double *element_number(cardan__spec_element *e, int slot)
{
  double *const n[3] = {&e->n.x, &e->n.y, &e->n.z};
  return slot < CARDAN__SLOT_DIRECTION     ? &e->value[slot]
         : slot < CARDAN__SLOT_CLOSE_PITCH ? n[slot - CARDAN__SLOT_DIRECTION]
                                           : &e->joint.pitch;
}

static double *place_of(cardan_model *model, const cardan__number *number)
{
  double *const g[3] = {&model->gravity.x, &model->gravity.y, &model->gravity.z};
  switch (number->of) {
  case CARDAN__OF_GRAVITY:
    return g[number->slot];
  case CARDAN__OF_FRAME:
    return frame_number(model, number->item, number->slot);
  case CARDAN__OF_SHAPE:
    return &model->shape[number->item].size[number->slot];
  case CARDAN__OF_ELEMENT:
    return element_number(&model->recipe->element[number->item], number->slot);
  case CARDAN__OF_Q0:
    return &model->recipe->q_raw[number->item];
  case CARDAN__OF_V0:
    return &model->recipe->v_raw[number->item];
  case CARDAN__OF_ARMATURE:
    return &model->armature[number->item];
  case CARDAN__OF_MATERIAL:
    return cardan__surface_number(&model->material[number->item].surface, number->slot);
  case CARDAN__OF_CONTACT:
    return cardan__surface_number(&model->contact[number->item].surface, number->slot);
  }
  return NULL;
}

static void note_change(const cardan__number *number, changes *c)
{
  const bool mass = number->slot >= CARDAN__SLOT_MASS && number->slot < CARDAN__SLOT_PITCH;
  const bool frame = number->of == CARDAN__OF_FRAME;
  c->frames =
      c->frames || frame || number->of == CARDAN__OF_GRAVITY || number->of == CARDAN__OF_ARMATURE;
  c->elements = c->elements || number->of == CARDAN__OF_ELEMENT || frame;
  c->start = c->start || number->of == CARDAN__OF_Q0 || number->of == CARDAN__OF_V0;
  c->solids = c->solids || frame || number->of == CARDAN__OF_SHAPE ||
              number->of == CARDAN__OF_MATERIAL || number->of == CARDAN__OF_CONTACT;
  c->moves = c->moves || (frame && !mass) || number->of == CARDAN__OF_ELEMENT ||
             number->of == CARDAN__OF_Q0 || number->of == CARDAN__OF_V0;
}

/* Writes every number that depends on parameters. */
static cardan_status write_numbers(cardan_model *model, changes *c, cardan_report *report)
{
  cardan__recipe *recipe = model->recipe;
  for (int i = 0; i < recipe->nnumber; i++) {
    const cardan__number *number = &recipe->number[i];
    double *to = place_of(model, number);
    cardan__expr_tune(number->expr, model->parameter_value);
    const double x = cardan__expr_value(number->expr, NULL, recipe->work);
    if (!isfinite(x)) {
      return cardan_fail(report, CARDAN_ERR_NOT_FINITE, number->pos,
                         "with this value of the parameter a number is not finite");
    }
    if (x != *to) {
      *to = x;
      note_change(number, c);
    }
  }
  for (int i = 0; i < recipe->ntunable; i++) {
    cardan__tunable *t = &recipe->tunable[i];
    const bool changed = cardan__expr_tune(t->expr, model->parameter_value);
    c->moves = c->moves || (changed && t->moves);
    c->elements = c->elements || changed;
  }
  return CARDAN_OK;
}

/* The checks of a spec, on the items that have numbers of parameters. judge: takes the failure. */
static cardan_status check_item(cardan_model *model, const cardan__number *number,
                                cardan_spec *judge)
{
  cardan__recipe *recipe = model->recipe;
  cardan_spec_at(judge, number->pos);
  if (number->of == CARDAN__OF_FRAME) {
    cardan__spec_frame *frame = &recipe->frame[number->item];
    if (number->slot >= CARDAN__SLOT_LIMIT) {
      const double *limit = frame_number(model, number->item, CARDAN__SLOT_LIMIT);
      cardan__spec_limit(judge, limit[0], limit[1]);
    } else if (number->slot >= CARDAN__SLOT_MASS) {
      cardan__spec_mass_check(judge, &frame->mass);
    } else if (number->slot >= CARDAN__SLOT_ROTATION) {
      cardan__rotation turn = recipe->rotation[frame->rotation];
      cardan__spec_rotation(judge, &turn, &frame->place.R);
    }
  } else if (number->of == CARDAN__OF_ELEMENT) {
    cardan__spec_element *e = &recipe->element[number->item];
    const cardan__element *kind = cardan__element_of(e->kind);
    const char *wants = cardan__element_option_wants(kind, e, number->slot);
    if (wants != NULL) {
      cardan__spec_fail(judge, CARDAN_ERR_MODEL, "found %g; expected %s", e->value[number->slot],
                        wants);
    } else if (kind->check != NULL && number->slot < CARDAN__SLOT_CLOSE_PITCH) {
      // a pitch may be anything, and the joint of an element has its defaults by now
      kind->check(judge, e);
    }
  } else if (number->of == CARDAN__OF_SHAPE) {
    cardan__spec_size(judge, model->shape[number->item].size[number->slot]);
  } else if (number->of == CARDAN__OF_MATERIAL) {
    cardan__spec_surface(judge, &model->material[number->item].surface);
  } else if (number->of == CARDAN__OF_CONTACT) {
    cardan__spec_surface(judge, &model->contact[number->item].surface);
  } else if (number->of == CARDAN__OF_ARMATURE && model->armature[number->item] < 0.0) {
    cardan__spec_fail(judge, CARDAN_ERR_MODEL,
                      "found an armature of %g; expected one that is not negative",
                      model->armature[number->item]);
  }
  return judge->status;
}

static cardan_status check_items(cardan_model *model, cardan_report *report)
{
  cardan_spec judge = {.name = ""};
  for (int i = 0; i < model->recipe->nnumber; i++) {
    if (check_item(model, &model->recipe->number[i], &judge) != CARDAN_OK) {
      return refuse(report, &judge);
    }
  }
  return CARDAN_OK;
}

/* Rows and forces from their elements. */
static cardan_status settle_elements(cardan_model *model, cardan_report *report)
{
  cardan__recipe *recipe = model->recipe;
  cardan_status status = CARDAN_OK;
  model->has_friction = false;
  for (int i = 0; i < recipe->nelement && status == CARDAN_OK; i++) {
    const cardan__spec_element *e = &recipe->element[i];
    const int target = recipe->target[i];
    if (target >= 0) {
      status = cardan__is_constraint(e->kind)
                   ? cardan__settle_constraint(model, e, target, recipe->work, report)
               : cardan__is_bound(e->kind)
                   ? cardan__settle_bound(model, e, target, recipe->work, report)
                   : cardan__settle_force(model, e, target, report);
    }
  }
  return status;
}

/* Recomputes everything that depends on the values of parameters. */
static cardan_status recompute_parameters(cardan_model *model, bool *moves, cardan_report *report)
{
  cardan__recipe *recipe = model->recipe;
  changes c = {.moves = false};
  for (int i = 0; i < model->nparameter; i++) {
    if (recipe->derived[i] != NULL) {
      cardan__expr_tune(recipe->derived[i], model->parameter_value);
      model->parameter_value[i] = cardan__expr_value(recipe->derived[i], NULL, recipe->work);
    }
    if (!isfinite(model->parameter_value[i])) {
      return cardan_fail(report, CARDAN_ERR_NOT_FINITE, model->parameter[i].pos,
                         "with this value of the parameter \"%.60s\" is not finite",
                         model->parameter[i].name);
    }
    model->parameter[i].value = model->parameter_value[i];
  }
  cardan_status status = write_numbers(model, &c, report);
  if (status == CARDAN_OK) {
    status = check_items(model, report);
  }
  model->has_armature = false;
  for (int k = 0; k < model->nv; k++) {
    model->has_armature = model->has_armature || model->armature[k] > 0.0;
  }
  if (status == CARDAN_OK && c.frames) {
    cardan__tree_numbers(model, recipe->frame, recipe->raw);
    cardan__model_measure(model, recipe->rounding, recipe->coarsest, recipe->per_body);
    cardan__fill_plane(model, recipe->raw);
  }
  if (status == CARDAN_OK && (c.frames || c.start)) {
    cardan__fill_inert(model, recipe->per_body);
  }
  // a start at a keyframe is the keyframe's
  if (status == CARDAN_OK && c.start && model->start < 0) {
    memcpy(model->v0, recipe->v_raw, (size_t)model->nv * sizeof *model->v0);
    memcpy(model->q0, recipe->q_raw, (size_t)model->nq * sizeof *model->q0);
    status = cardan__normalize_start(model, model->q0, report);
  }
  if (status == CARDAN_OK && (c.elements || c.start)) {
    status = settle_elements(model, report);
  }
  if (status == CARDAN_OK && c.solids) {
    status = cardan__settle_contact(model, report);
  }
  *moves = c.moves;
  return status;
}

cardan_status cardan__model_tune(cardan_model *model, int i, double x, bool *moves,
                                 cardan_report *report)
{
  const double before = model->parameter_value[i];
  model->parameter_value[i] = x;
  const cardan_status status = recompute_parameters(model, moves, report);
  if (status != CARDAN_OK) {
    // what was good before is good again
    cardan_report unused = {.message = ""};
    bool again;
    model->parameter_value[i] = before;
    (void)!recompute_parameters(model, &again, &unused);
  }
  model->revision++;
  return status;
}

cardan_status cardan__model_tune_all(cardan_model *model, const double *value, bool *moves,
                                     cardan_report *report)
{
  for (int i = 0; i < model->nparameter; i++) {
    if (!model->parameter[i].derived) {
      model->parameter_value[i] = value[i];
    }
  }
  model->revision++;
  return recompute_parameters(model, moves, report);
}
